# SPDX-License-Identifier: MIT
# usage: gnuplot -c plot.gnuplot DIR     DIR: where mote validate cylinder -o DIR wrote its curves; draws DIR/cylinder.png
out = ARG1
curve(cells) = sprintf("%s/cylinder-engineering-%d.csv", out, cells)
is_there(file) = system("test -e '" . file . "' && echo 1 || echo 0") + 0
or_nothing(file) = is_there(file) ? file : "/dev/null"
set datafile separator ","
set terminal pngcairo size 1000,600 font "sans,13"
set output sprintf("%s/cylinder.png", out)
set grid lc rgb "#dddddd"
set key outside top center horizontal
set multiplot layout 2,1
set ylabel "drag coefficient"
set yrange [1:2]
plot for [n in "10 20 30"] or_nothing(curve(int(n))) using 1:2 every ::1 with lines title n . " across", \
    1.3 with lines dt 2 lc rgb "#888888" title "1.30 to 1.50", 1.5 with lines dt 2 lc rgb "#888888" notitle
set ylabel "lift coefficient"
set xlabel "time [D/U]"
set yrange [-0.6:0.6]
plot for [n in "10 20 30"] or_nothing(curve(int(n))) using 1:3 every ::1 with lines title n . " across"
unset multiplot
