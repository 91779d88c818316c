# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate piston -o DIR wrote its curves; draws DIR/piston.png
out = ARG1
curve(cells) = sprintf("%s/piston-engineering-%d.csv", out, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/piston.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "t [s]"
set ylabel "elevation two wavelengths from the piston [m]"
plot for [n in "15 30 60"] or_nothing(curve(int(n))) using 1:3 every ::1 with lines title n . " in the depth", \
    0.0491 dt 2 lc rgb "black" title "linear theory", -0.0491 dt 2 lc rgb "black" notitle
