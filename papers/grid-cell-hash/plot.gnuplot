# SPDX-License-Identifier: MIT
# Search against the load factor, update against the share of points that move; from load.csv and moving.csv.
set terminal pngcairo size 1500,700 font "DejaVu Sans,15" background "white"
set output "plot.png"
set datafile separator ","
methods = "spatial_hash spatial_hash_dynamic cell_hash cell_hash_incremental"
titles = "'two lists, sorted' 'two lists, chained' 'three lists, sorted' 'three lists, kept up'"
set style line 1 lc rgb "#6baed6" lw 2.5 pt 7
set style line 2 lc rgb "#08519c" lw 2.5 pt 6
set style line 3 lc rgb "#fd8d3c" lw 2.5 pt 9
set style line 4 lc rgb "#a63603" lw 2.5 pt 8
rows(file, m) = sprintf("< grep ',%s,' %s", word(methods, m), file)
set grid lc rgb "#dddddd"
set border lw 1.2
set tics nomirror
set key top left reverse Left
set logscale xy

set multiplot layout 1,2
set title "Finding all neighbours"
set xlabel "load factor: occupied cells per bucket"
set ylabel "time of the lists [ms]"
plot for [m=1:4] rows("load.csv", m) using 1:5 with linespoints ls m title word(titles, m)

set title "Updating"
set xlabel "share of the points that were sent elsewhere (0 at the left edge)"
set ylabel "time of an update [ms]"
set xrange [0.0003:1.2]
plot for [m=1:4] rows("moving.csv", m) using ($1 > 0 ? $1 : 0.0004):4 with linespoints ls m title word(titles, m)
unset multiplot
