# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate dam-break -o DIR wrote its curves; draws DIR/dam-break.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/dam-break.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal noenhanced
set xlabel "T = t sqrt(2g/a)"
set ylabel "Z = front / a"
plot for [n in "20 40 80"] or_nothing(curve("dam-break", int(n))) using 1:2 every ::1 with lines title "a/d = " . n, \
    for [w in "2.25in 1.125in"] "< tr ' ' , <" . here . "/martin_moyce_1952_a" . w . ".dat" using 1:2 with points \
    title "Martin & Moyce 1952, " . w
