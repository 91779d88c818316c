# SPDX-License-Identifier: MIT
# Time and memory overhead against the largest number of neighbours; from figure_5.csv to plot.png.
set terminal pngcairo size 1500,800 font "DejaVu Sans,14" background "white" noenhanced
set output "plot.png"
set datafile separator ","
set style line 1 lc rgb "#777777" lw 3 pt 7
set style line 2 lc rgb "#9ecae1" lw 2 pt 6
set style line 3 lc rgb "#4292c6" lw 2.5 pt 7
set style line 4 lc rgb "#2171b5" lw 2 pt 6
set style line 5 lc rgb "#08306b" lw 2 pt 7
set style line 6 lc rgb "#d94801" lw 3 pt 9
set style line 7 lc rgb "#41ab5d" lw 2 pt 5
set style line 8 lc rgb "#a1d99b" lw 2 pt 4
classes = "1 2 3 5 8"
rows(method, classes, form) = sprintf("< grep ',%s,%s,%s,' figure_5.csv", method, classes, form)
set grid lc rgb "#dddddd"
set tics nomirror
set xlabel "largest number of neighbours that a point has" offset 0,0.6
set logscale x
set bmargin at screen 0.32
set key at graph 0.5, graph -0.16 center top horizontal reverse Left samplen 2 maxcols 2 font ",11"

set multiplot layout 1,2
set logscale y
set title "Inserting all points, then a query for each"
set ylabel "time [ms]"
plot rows("hierarchical_hash", "1", "queries") using 2:8 with linespoints ls 1 title "uniform hash (one class)", \
    for [c=2:5] rows("hierarchical_hash", word(classes, c), "queries") using 2:8 with linespoints ls c \
        title "hierarchical hash, ".word(classes, c)." classes", \
    rows("spatial_hash", "0", "queries") using 2:8 with linespoints ls 7 title "uniform hash, sorted (spatial_hash)", \
    rows("spatial_hash_dynamic", "0", "queries") using 2:8 with linespoints ls 8 \
        title "uniform hash, chains (spatial_hash_dynamic)", \
    rows("kd_tree", "0", "queries") using 2:8 with linespoints ls 6 title "k-d tree"
unset logscale y
set title "What the coarser classes add to the cells of one class"
set ylabel "more cells [%]"
set yrange [0:*]
more(classes) = sprintf("< awk -F, '$3 == \"hierarchical_hash\" && $5 == \"queries\" { if ($4 == 1) one = $9; \
    if ($4 == %s) print $2 \",\" 100 * ($9 / one - 1) }' figure_5.csv", classes)
plot for [c=2:5] more(word(classes, c)) using 1:2 with linespoints ls c title word(classes, c)." classes", \
    10 with lines lc rgb "#d94801" dt 2 title "10 and 25 %, as claimed", 25 with lines lc rgb "#d94801" dt 2 notitle
unset multiplot
