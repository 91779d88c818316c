# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate spheric2 -o DIR wrote its curves; draws DIR/spheric2.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/spheric2.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set multiplot layout 2,1
set xlabel "t [s]"
set ylabel "P1 [Pa]"
measured = "< tr ' ' , <" . here . "/kleefsman2005.dat"
plot for [n in "15 30 45"] or_nothing(curve("spheric2", int(n))) using 1:2 every ::1 with lines title "0.55 m / " . n, \
    measured using 1:2 with lines lc rgb "black" title "measured"
set ylabel "height [m]"
plot for [n in "15 30 45"] for [k=3:4] or_nothing(curve("spheric2", int(n))) using 1:k every ::1 with lines \
    title n . (k == 3 ? ": H2" : ": H4"), for [k=3:4] measured using 1:k with lines lc rgb "black" title ""
unset multiplot
