# SPDX-License-Identifier: MIT
# Median time of a frame against the number of particles, and size of the proxy; from table_1.csv to plot.png.
set terminal pngcairo size 1400,600 font "DejaVu Sans,13" background "white"
set output "plot.png"
set datafile separator ","
meshes = system("awk -F, 'NR > 1 && !seen[$1 $2]++ { print $1 \",\" $2 \",\" }' table_1.csv")
rows(k) = sprintf("< grep '^%s' table_1.csv", word(meshes, k))
first(k) = sprintf("< grep -m 1 '^%s' table_1.csv", word(meshes, k))
set grid lc rgb "#dddddd"
set tics nomirror
set key top left reverse Left
set yrange [0:*]

set multiplot layout 1,2
set title "Collisions of a frame, one thread"
set xlabel "particles [thousands]"
set ylabel "median of the frames [ms]"
plot for [k=1:words(meshes)] rows(k) using ($14 / 1000):16 with linespoints lc k lw 2 pt 7 \
    title word(meshes, k)[:strlen(word(meshes, k)) - 1]

set title "Size of the proxy's nodes"
set xlabel "triangles"
set ylabel "MB"
set logscale x
set format x "10^{%T}"
plot "< awk -F, '!seen[$1 $2]++' table_1.csv" using 2:($10 / 1e6) with points lc rgb "#2171b5" pt 7 ps 1.5 \
        title "ours", \
    "" using 2:($11 / 1e6) with points lc rgb "#6baed6" pt 6 ps 1.5 title "in the document's form", \
    "" using 2:($12 / 1e6) with points lc rgb "#238b45" pt 5 ps 1.3 title "by the area-weighted mean", \
    "" using 2:19 with points lc rgb "#d94801" pt 9 ps 1.6 title "the document's of such settings"
unset multiplot
