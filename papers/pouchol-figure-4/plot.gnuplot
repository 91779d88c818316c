# SPDX-License-Identifier: MIT
# Time against the share of motions that hit; what the hierarchy saves and costs; from figure_4.csv to plot.png.
set terminal pngcairo size 1800,640 font "DejaVu Sans,13" background "white" noenhanced
set output "plot.png"
set datafile separator ","
set style line 1 lc rgb "#2171b5" lw 3 pt 7
set style line 2 lc rgb "#d94801" lw 3 pt 9
set style line 3 lc rgb "#41ab5d" lw 2 pt 5
set style line 4 lc rgb "#777777" lw 2 pt 11
set style line 5 lc rgb "#08306b" lw 2 pt 4
methods = "multilevel_hash hierarchical_hash kd_tree bvh8 auto"
places = "many_sizes three_sizes corner"
rows(setting, method) = sprintf("< grep '^%s,.*,%s,' figure_4.csv", setting, method)
# Of the two hashes: objects, ratio of look-ups, of times, more cells [%].
both(setting) = sprintf("< awk -F, '$1 == \"%s\" { if ($4 == \"multilevel_hash\") { t = $6; c = $8; l = $10 } \
    if ($4 == \"hierarchical_hash\") print $2 \",\" l / $10 \",\" t / $6 \",\" 100 * ($8 / c - 1) }' figure_4.csv", \
    setting)
set grid lc rgb "#dddddd"
set tics nomirror
set bmargin at screen 0.26
set key at graph 0.5, graph -0.16 center top horizontal reverse Left samplen 2 maxcols 2 font ",11"

set multiplot layout 1,3
set title "Many sizes, queries one by one"
set xlabel "motions that hit [%]" offset 0,0.6
set ylabel "time a query [ns]"
set logscale y
set yrange [15:2500]
plot for [m=1:5] rows("many_sizes", word(methods, m)) using 3:6 with linespoints ls m title word(methods, m), \
    rows("many_sizes", "auto") using 3:7 with linespoints ls 5 dt 2 title "auto, all in one call"
unset logscale y
set rmargin 4
set logscale x
set title "Multilevel over hierarchical hash"
set xlabel "objects"
set ylabel "ratio"
set yrange [0:*]
plot for [s=1:3] both(word(places, s)) using 1:2 with linespoints ls s dt 2 title "look-ups, ".word(places, s), \
    for [s=1:3] both(word(places, s)) using 1:3 with linespoints ls s title "time, ".word(places, s), \
    2 with lines lc rgb "#000000" dt 3 title "2, as claimed"
set title "What the hierarchy adds to the cells"
set ylabel "more cells [%]"
plot for [s=1:3] both(word(places, s)) using 1:4 with linespoints ls s title word(places, s), \
    10 with lines lc rgb "#000000" dt 3 title "10 %, as claimed"
unset multiplot
