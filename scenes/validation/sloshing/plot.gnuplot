# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate sloshing -o DIR wrote its curves; draws DIR/sloshing.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/sloshing.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "t [s]"
set ylabel "elevation at the wall [m]"
plot for [n in "20 40 60"] or_nothing(curve("sloshing", int(n))) using 1:2 every ::1 with lines title n . " in the depth", \
    or_nothing(curve("sloshing", 60)) using 1:3 every ::1 with lines dt 2 lc rgb "black" title "potential flow", \
    "< tr ' ' , <" . here . "/faltinsen2000_fig7.dat" using 1:2 with points title "Faltinsen et al. 2000"
