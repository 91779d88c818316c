# SPDX-License-Identifier: MIT
# What the scan line skips and what it does in vain, and the time of both, against the triangles' size; from
# scan_line.csv to plot.png.
set terminal pngcairo size 1200,520 font "DejaVu Sans,13" background "white"
set output "plot.png"
set datafile separator ","

set style line 1 lc rgb "#08519c" lw 3 pt 7 ps 1.4
set style line 2 lc rgb "#d94801" lw 3 pt 5 ps 1.3
set style line 3 lc rgb "#777777" lw 2 pt 9 ps 1.4 dt 2
data = "< grep ^cells scan_line.csv"

set multiplot layout 1,2
set grid lc rgb "#dddddd"
set tics nomirror
set logscale x 2
set xlabel "from a triangle's middle to its corners [cells]"
set key top right samplen 2 reverse Left

set title "The scan line"
set ylabel "share [%]"
set yrange [0:70]
plot data using 2:(100*$5) with linespoints ls 2 title "touched cells that it skips", \
    data using 2:(100*$7) with linespoints ls 1 title "pairs that it loses", \
    data using 2:(100*$6) with linespoints ls 3 title "its cells that are not touched"

set title "Time"
set ylabel "a triangle [ns]"
set key top left
set logscale y
set yrange [100:*]
plot data using 2:8 with linespoints ls 1 title "raster", data using 2:9 with linespoints ls 2 title "scan line"
unset multiplot
