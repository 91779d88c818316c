# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate taylor-green -o DIR wrote its curves; draws DIR/taylor-green.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/taylor-green.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set logscale y
set xlabel "t [s]"
set ylabel "kinetic energy per mass [J/kg]"
plot for [n in "25 50 100"] or_nothing(curve("taylor-green", int(n))) using 1:2 every ::1 with linespoints \
    title n . "^2", or_nothing(curve("taylor-green", 50)) using 1:3 every ::1 with lines lc rgb "black" title "exact"
