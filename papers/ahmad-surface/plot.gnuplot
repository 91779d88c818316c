# SPDX-License-Identifier: MIT
# Times and bytes of the three ways, against the size of the cubes; from ahmad_surface.csv to plot.png.
set terminal pngcairo size 1200,520 font "DejaVu Sans,13" background "white"
set output "plot.png"
set datafile separator ","

set style line 1 lc rgb "#08519c" lw 3 pt 7 ps 1.4
set style line 2 lc rgb "#d94801" lw 3 pt 5 ps 1.3
set style line 3 lc rgb "#777777" lw 2 pt 9 ps 1.4 dt 2
data = "< grep ^shuffled ahmad_surface.csv"

set multiplot layout 1,2
set grid lc rgb "#dddddd"
set tics nomirror
set logscale x 2
set xlabel "edge of a cube [spacings]"
set key top right samplen 2 reverse Left

set title "Time, shuffled particles"
set ylabel "a particle [µs]"
set logscale y
plot data using 2:(1e3*$10/$3) with linespoints ls 3 title "each node looks up the cells around", \
    data using 2:(1e3*$8/$3) with linespoints ls 1 title "table of its own", \
    data using 2:(1e3*$9/$3) with linespoints ls 2 title "particles from the search's cells"

set title "Memory beside input and mesh"
set ylabel "a particle [bytes]"
unset logscale y
set yrange [0:*]
plot data using 2:($11+$13) with linespoints ls 2 title "search and surface", \
    data using 2:12 with linespoints ls 1 title "surface alone", \
    data using 2:11 with linespoints ls 3 title "search alone"
unset multiplot
