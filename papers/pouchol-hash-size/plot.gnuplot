# SPDX-License-Identifier: MIT
# False candidates and time against the size of the table; from hash_size.csv to plot.png.
set terminal pngcairo size 1300,560 font "DejaVu Sans,13" background "white" noenhanced
set output "plot.png"
set datafile separator ","
set style line 1 lc rgb "#2171b5" lw 3 pt 7
set style line 2 lc rgb "#d94801" lw 3 pt 9
set style line 3 lc rgb "#777777" lw 2 pt 5
names = "eq_3 eq_4 mixed"
titles = "'eq. 3, bare' 'eq. 4, bare' 'well mixed, bare'"
rows(name) = sprintf("< grep '^%s,' hash_size.csv", name)
exact(name) = 0 + system(sprintf("awk -F, '$1 == \"%s\" { print $4 }' hash_size.csv", name))
set grid lc rgb "#dddddd"
set tics nomirror
set logscale xy
set xlabel "buckets for each object" offset 0,0.6
set bmargin at screen 0.24
set key at graph 0.5, graph -0.16 center top horizontal reverse Left samplen 2 maxcols 2 font ",11"
set arrow from 100, graph 0 to 100, graph 1 nohead lc rgb "#000000" dt 3

set multiplot layout 1,2
set title "Candidates from other cells"
set ylabel "false candidates a query"
plot for [k=1:3] rows(word(names, k)) using 2:8 with linespoints ls k title word(titles, k)
set title "One query at a time"
set ylabel "time a query [ns]"
plot for [k=1:3] rows(word(names, k)) using 2:4 with linespoints ls k title word(titles, k), \
    exact("multilevel_hash") with lines lc rgb "#2171b5" lw 2 dt 2 title "multilevel_hash, exact keys", \
    exact("hierarchical_hash") with lines lc rgb "#d94801" lw 2 dt 2 title "hierarchical_hash, exact keys"
unset multiplot
