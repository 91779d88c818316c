# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate laplace -o DIR wrote its curves; draws DIR/laplace.png
out = ARG1
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/laplace.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "t [s]"
set ylabel "jump of pressure [Pa]"
scenes = "laplace laplace-light laplace-heavy laplace-light-1000 laplace-heavy-1000 laplace-3d laplace-3d-light "
scenes = scenes . "laplace-3d-heavy laplace-3d-light-1000 laplace-3d-heavy-1000"
plot for [s in scenes] for [n in "8 10 12 20 40"] \
    or_nothing(curve(s, int(n))) using 1:2 every ::1 with lines title s . ", " . n
