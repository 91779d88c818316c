# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate stream -o DIR wrote its curves; draws DIR/stream.png
out = ARG1
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/stream.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set multiplot layout 1,2
set xlabel "velocity [m/s]"
set ylabel "z [m]"
plot for [n in "20 40"] or_nothing(curve("stream", int(n))) using 3:2 every ::1 with points ps 0.4 \
    title n . " across", or_nothing(curve("stream", 40)) using 4:2 every ::1 with dots title "exact"
set xlabel "x [m]"
set ylabel "pressure [Pa]"
plot for [n in "20 40"] or_nothing(curve("stream", int(n))) using 5:6 every ::1 with points ps 0.4 \
    title n . " across", [0:1] 800*(1 - x) title "exact"
unset multiplot
