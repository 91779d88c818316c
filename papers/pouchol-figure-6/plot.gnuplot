# SPDX-License-Identifier: MIT
# Slices through the box, and time a frame; from slice_*.csv and frames.csv to plot.png.
set terminal pngcairo size 1700,700 font "DejaVu Sans,13" background "white" noenhanced
set output "plot.png"
set datafile separator ","
slices = system("ls slice_*.csv")
part(file, what) = sprintf("< grep '^%d,' %s", what, file)
rows(method, form) = sprintf("< grep ',%s,%s,' frames.csv", method, form)
set multiplot

unset key
set size ratio -1
set xrange [0:2.8]
set yrange [0:2.8]
unset tics
set style fill solid 1
do for [k=1:words(slices)] {
    file = word(slices, k)
    set lmargin at screen 0.01 + 0.168 * (k - 1)
    set rmargin at screen 0.168 * k
    set tmargin at screen 0.92
    set bmargin at screen 0.06
    set title sprintf("frame %d", int("1".file[7:10]) - 10000)  # digits behind a 0 would be octal
    plot part(file, 0) using 2:3:4 with circles fc rgb "#d66a5e", \
        part(file, 1) using 2:3:4 with circles fc rgb "#2171b5"
}
unset style
set style line 1 lc rgb "#2171b5" lw 3
set style line 2 lc rgb "#d94801" lw 3
set size noratio
set autoscale
set lmargin at screen 0.57
set rmargin at screen 0.985
set bmargin at screen 0.24
set tics nomirror
set grid lc rgb "#dddddd"
set title "Hashing, candidates and exact hits"
set xlabel "frame" offset 0,0.6
set ylabel "time a frame [ms]"
set yrange [0:*]
set key at graph 0.5, graph -0.14 center top horizontal reverse Left samplen 3 maxcols 2 font ",11"
plot rows("multilevel_hash", "spheres") using 1:($4 + $5) with lines ls 1 title "multilevel_hash, spheres", \
    rows("hierarchical_hash", "spheres") using 1:($4 + $5) with lines ls 2 title "hierarchical_hash, spheres", \
    rows("multilevel_hash", "all") using 1:($4 + $5) with lines ls 1 dt 2 \
        title "multilevel_hash, spheres and particles", \
    rows("hierarchical_hash", "all") using 1:($4 + $5) with lines ls 2 dt 2 \
        title "hierarchical_hash, spheres and particles"
unset multiplot
