# SPDX-License-Identifier: MIT
# Time against the depth of the table, and against its size; from lookup_table.csv to plot.png.
set terminal pngcairo size 1300,560 font "DejaVu Sans,13" background "white" noenhanced
set output "plot.png"
set datafile separator ","
set style line 1 lc rgb "#2171b5" lw 3 pt 7
set style line 2 lc rgb "#d94801" lw 3 pt 9
depths = system("awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' lookup_table.csv")
rows(depth) = sprintf("< grep '^%s,' lookup_table.csv", depth)
name(k) = "largest depth ".word(depths, k)
set grid lc rgb "#dddddd"
set tics nomirror
set xlabel "depth of the table (0: none)"
set xtics 1
set xrange [-0.2:7.2]
set yrange [0:*]
set key bottom left

set multiplot layout 1,2
set title "Leaf that a particle is in"
set ylabel "time of a particle [ns]"
plot for [k=1:words(depths)] rows(word(depths, k)) using 2:5 with linespoints ls k title name(k)
set title "First collision of a particle's motion"
plot for [k=1:words(depths)] rows(word(depths, k)) using 2:6 with linespoints ls k title name(k)
unset multiplot
