# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate swing -o DIR wrote its curves; draws DIR/swing.png
out = ARG1
curve(cells) = sprintf("%s/swing-engineering-%d.csv", out, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/swing.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "t [s]"
set ylabel "length less width, over the size"
plot for [n in "10 20"] or_nothing(curve(int(n))) using 1:2 every ::1 with lines title n
