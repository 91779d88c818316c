# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate hydrostatic -o DIR wrote its curves; draws DIR/hydrostatic.png
out = ARG1
here = system("dirname '" . ARG0 . "'")
curve(scene, cells) = sprintf("%s/%s-engineering-%d.csv", out, scene, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,700 font "sans,13"
set output sprintf("%s/hydrostatic.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "pressure less rho g (H - z) [Pa]"
set ylabel "z [m]"
plot for [s in "hydrostatic-2d hydrostatic-2d-uneven"] for [n in "20 40 80"] or_nothing(curve(s, int(n))) \
    using ($2 - $3):1 every ::1 with points ps 0.3 title s . ", " . n, \
    for [s in "hydrostatic-3d hydrostatic-3d-uneven"] for [n in "12 20"] or_nothing(curve(s, int(n))) \
    using ($2 - $3):1 every ::1 with points ps 0.3 title s . ", " . n
