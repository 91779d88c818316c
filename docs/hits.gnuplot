# SPDX-License-Identifier: MIT
# What a motion costs over the size of the mesh; from hits.csv to images/hits.png.
# usage: gnuplot hits.gnuplot      hits.csv: rows.tsv of `mote bench hits --full --threads 1`, commas for tabs
set terminal pngcairo size 1100,460 font "DejaVu Sans,12" background "white"
set output "images/hits.png"
set datafile separator ","

array names[4] = ["hits", "proxy", "embree", "bullet"]
array titles[4] = ["first\\_hits", "proxy (approximate)", "Embree, packets of 8", "Bullet"]
array colours[4] = ["#08306b", "#41ab5d", "#d94801", "#777777"]
rows(name, workload) = sprintf("< grep '^%s,%s,' hits.csv", name, workload)

set multiplot layout 1,2
set logscale xy
set yrange [5:3000]
set xtics (1e4, 1e5, 1e6, 4e6)
set format x "%.0s%c"
set grid lc rgb "#dddddd"
set tics nomirror
set xlabel "triangles"
set ylabel "one thread, ns a motion of length 0.005"
set key top left Left reverse samplen 2
do for [w in "box surface"] {
    set title (w eq "box" ? "anywhere in the box" : "within 0.02 of the surface")
    plot for [n=1:4] rows(names[n], w) using 3:4 with linespoints lw 2 pt 7 lc rgb colours[n] title titles[n]
    unset key
    unset ylabel
}
unset multiplot
