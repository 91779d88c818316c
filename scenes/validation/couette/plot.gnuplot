# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate couette -o DIR wrote its curves; draws DIR/couette.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/couette.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "velocity [m/s]"
set ylabel "z [m]"
plot or_nothing(curve("couette", 40)) using 3:2 every ::1 with points pt 7 ps 0.4 title "mote, 40 across", \
    for [k=2:6] "< tr ' ' , <" . here . "/morris1997.dat" using (column(k)):1 with lines lc rgb "black" title k == 2 ? "series" : ""
