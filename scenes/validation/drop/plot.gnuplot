# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate drop -o DIR wrote its curves; draws DIR/drop.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/drop.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "t [s]"
set ylabel "semi-axes [m]"
plot for [n in "25 50 100"] or_nothing(curve("drop", int(n))) using 1:2 every ::1 with points title n . ": x", \
    for [n in "25 50 100"] or_nothing(curve("drop", int(n))) using 1:3 every ::1 with points title n . ": z", \
    for [k=4:5] or_nothing(curve("drop", 50)) using 1:k every ::1 with lines lc rgb "black" title k == 4 ? "exact" : ""
