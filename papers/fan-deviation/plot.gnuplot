# SPDX-License-Identifier: MIT
# How much earlier the proxy collides, in leaves and in lengths; from deviation.csv to plot.png.
set terminal pngcairo size 1300,560 font "DejaVu Sans,13" background "white" noenhanced
set output "plot.png"
set datafile separator ","
set style line 1 lc rgb "#2171b5" lw 3 pt 7
set style line 2 lc rgb "#d94801" lw 3 pt 9
set style line 3 lc rgb "#777777" lw 2 pt 5
meshes = system("awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' deviation.csv")
rows(name) = sprintf("< grep '^%s,' deviation.csv", name)
set grid lc rgb "#dddddd"
set tics nomirror
set xlabel "largest depth"
set xtics 1
set key top right

set multiplot layout 1,2
set title "Between 5 % and 95 % of the motions, and the median"
set ylabel "finest leaves before the exact hit"
set yrange [0:*]
plot for [k=1:words(meshes)] rows(word(meshes, k)) using 3:11:10:12 with yerrorlines ls k title word(meshes, k)
set title "Hits that are none, for each exact one"
set ylabel "share"
plot for [k=1:words(meshes)] rows(word(meshes, k)) using 3:8 with linespoints ls k title word(meshes, k), \
     for [k=1:words(meshes)] rows(word(meshes, k)) using 3:7 with linespoints ls k dt 2 title word(meshes, k)." missed"
unset multiplot
