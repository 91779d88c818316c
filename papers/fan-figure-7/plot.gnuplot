# SPDX-License-Identifier: MIT
# Time of a frame against the number of particles; from figure_7.csv to plot.png.
set terminal pngcairo size 1000,640 font "DejaVu Sans,14" background "white" noenhanced
set output "plot.png"
set datafile separator ","
contenders = "'octree' 'deep octree' 'first hits' 'proxy'"
titles = "'triangles in the same leaves' 'triangles in a deep octree' 'exact first hits' 'proxy'"
set style line 1 lc rgb "#a63603" lw 3 pt 9
set style line 2 lc rgb "#fd8d3c" lw 3 pt 8
set style line 3 lc rgb "#238b45" lw 3 pt 5
set style line 4 lc rgb "#2171b5" lw 3 pt 7
rows(c) = sprintf("< grep ',%s,' figure_7.csv", word(contenders, c))
set grid lc rgb "#dddddd"
set tics nomirror
set key top left reverse Left
set xlabel "particles [thousands]"
set ylabel "first hits of a frame [ms, one thread]"
set yrange [0:*]
plot for [c=1:4] rows(c) using ($1 / 1000):3 with linespoints ls c title word(titles, c)
