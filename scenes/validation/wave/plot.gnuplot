# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate wave -o DIR wrote its curves; draws DIR/wave.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/wave.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "t [s]"
set ylabel "kinetic energy per mass [J/kg]"
plot for [n in "25 50 100"] or_nothing(curve("wave-re500", int(n))) using 1:3 every ::1 with lines \
    title "Re 500, " . n, \
    for [n in "50 100 200"] or_nothing(curve("wave-re2500", int(n))) using 1:3 every ::1 with lines \
    title "Re 2500, " . n, \
    or_nothing(curve("wave-re500", 50)) using 1:4 every ::1 with lines lc rgb "black" title "envelope, Re 500", \
    or_nothing(curve("wave-re2500", 100)) using 1:4 every ::1 with lines lc rgb "grey" title "envelope, Re 2500"
