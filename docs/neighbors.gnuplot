# SPDX-License-Identifier: MIT
# Search methods by workload, and by the number of points; from neighbors.csv to images/neighbors.png.
# usage: gnuplot -e count=N neighbors.gnuplot
set terminal pngcairo size 1500,600 font "DejaVu Sans,12" background "white"
set output "images/neighbors.png"
set datafile separator ","

array methods[8] = ["auto", "cell_grid", "cell_index", "hierarchical_hash", "kd_tree", "cell_hash", "spatial_hash", \
    "nanoflann"]
array colours[8] = ["#08306b", "#4292c6", "#41ab5d", "#a1d99b", "#807dba", "#fdae6b", "#d94801", "#777777"]
array workloads[5] = ["lattice", "uniform", "shuffled", "clustered", "sparse2d_5"]
# What one thread took. A method that was not measured leaves a gap.
rows(w, m) = sprintf("< grep '^%s,%s,[0-9]*,1,.*true$' neighbors.csv || echo ,,NaN,,,,NaN", workloads[w], methods[m])

set multiplot layout 1,2
set grid y lc rgb "#dddddd"
set tics nomirror
set logscale y
set ylabel "structure and lists, one thread [ms]"

# Bars on a logarithmic axis begin at its lower end: below half of the shortest, so that all have a length.
stats "< grep ',1,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,true$' neighbors.csv" using ($3 == count ? $7 : NaN) nooutput
set yrange [10 ** floor(log10(STATS_min / 2)):*]
set title sprintf("%d points", count)
set key outside below horizontal samplen 1.5 noenhanced
set style fill solid noborder
set boxwidth 0.1
set xrange [-0.5:4.5]
set xtics noenhanced
set for [w=1:5] xtics (workloads[w] w - 1)
plot for [m=1:8] for [w=1:5] rows(w, m) using (w - 1 + (m - 4.5) * 0.1):($3 == count ? $7 : NaN) \
    with boxes lc rgb colours[m] title (w == 1 ? methods[m] : "")

set title "uniform"
unset key
set yrange [*:*]
set logscale x
set xrange [*:*]
set xtics autofreq
set format x "%.0s%c"
set xlabel "points"
plot for [m=1:8] rows(2, m) using 3:7 with linespoints lw 2 pt 7 lc rgb colours[m]
unset multiplot
