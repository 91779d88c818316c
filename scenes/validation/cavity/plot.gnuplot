# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate cavity -o DIR wrote its curves; draws DIR/cavity.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/cavity.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set multiplot layout 1,2
points = here . "/ghia1982_"
set xlabel "u / U"
set ylabel "z"
plot for [s in "cavity-re100 cavity-re1000"] for [n in "50 100 200"] or_nothing(curve(s, int(n))) \
    using ($1 == 0 ? $3 : NaN):2 every ::1 with lines title s . ", " . n, \
    for [k in "2 4"] "< tr ' ' , <" . points . "u_vertical_centreline.dat" using (column(int(k))):1 with points \
    title k eq "2" ? "Ghia, Re 100" : "Ghia, Re 1000"
set xlabel "x"
set ylabel "v / U"
plot for [s in "cavity-re100 cavity-re1000"] for [n in "50 100 200"] or_nothing(curve(s, int(n))) \
    using ($1 == 1 ? $2 : NaN):3 every ::1 with lines title s . ", " . n, \
    for [k in "2 4"] "< tr ' ' , <" . points . "v_horizontal_centreline.dat" using 1:(column(int(k))) with points \
    title k eq "2" ? "Ghia, Re 100" : "Ghia, Re 1000"
unset multiplot
