# SPDX-License-Identifier: MIT
# Front against time, and how far it leads; from front.csv, lead.csv and the measurements, to plot.png.
set terminal pngcairo size 1500,1000 font "DejaVu Sans,15" background "white"
set output "plot.png"
set datafile separator ","
set datafile missing "NaN"

set style line 1 lc rgb "#6baed6" lw 2 dt 3
set style line 2 lc rgb "#4292c6" lw 2 dt 5
set style line 3 lc rgb "#08519c" lw 3
set style line 4 lc rgb "#fdae6b" lw 2 dt 3
set style line 5 lc rgb "#fd8d3c" lw 2 dt 5
set style line 6 lc rgb "#d94801" lw 3
set style line 9 lc rgb "#555555" lw 2 dt 2
# The measurements, in the order of lead.csv.
set style line 11 lc rgb "black" pt 7 ps 1.5 lw 1.5
set style line 12 lc rgb "black" pt 6 ps 1.5 lw 1.5
set style line 13 lc rgb "black" pt 9 ps 1.6 lw 1.5
set style line 14 lc rgb "black" pt 8 ps 1.6 lw 1.5

cells = "20 40 80"
densities = "summation continuity"
points = "martin_moyce_1952_a2.25in martin_moyce_1952_a1.125in koshizuka_oka_1996 koshizuka_oka_1996_second"
array title[4] = ["Martin \\& Moyce 1952, a = 2.25 in", "Martin \\& Moyce 1952, a = 1.125 in", \
    "Koshizuka \\& Oka 1996", "Koshizuka \\& Oka 1996, digitised again"]
curve(density, cells) = sprintf("< grep '^%s,%s,' front.csv", density, cells)
lead(density, cells, m) = sprintf("< grep '^%s,%d,%s,' lead.csv", density, m, cells)

set multiplot
set grid lc rgb "#dddddd"
set border lw 1.2
set tics nomirror

set size 0.56, 1
set origin 0, 0
set title "Front of a dam break, column a × 2a, dry bed, 2D, free slip"
set xlabel "T = t (2g/a)^{1/2}   [–]"
set ylabel "Z = front / a   [–]"
set xrange [0:7]
set yrange [1:7]
set key bottom right reverse Left samplen 2 spacing 1.05 font ",12"
plot 1 + 2*x with lines ls 9 title "Ritter's bound, 2 (gH)^{1/2}", \
    for [s=1:2] for [c=1:3] curve(word(densities, s), word(cells, c)) using 3:4 with lines ls 3*(s-1)+c \
        title sprintf("mote, %s, a/d = %s", word(densities, s), word(cells, c)), \
    for [m=1:4] sprintf("< grep -v '^#' %s.dat | tr ' ' ,", word(points, m)) using 1:2 with points ls 10+m \
        title title[m]

set size 0.44, 1
set origin 0.56, 0
set title "How much earlier mote's front is there, a/d = 80"
set xlabel "Z = front / a   [–]"
set ylabel "lead: T measured − T of mote   [–]"
set xrange [1:7]
set yrange [-0.1:0.9]
set key top left reverse Left samplen 2 spacing 1.05 font ",12"
plot 0.2 with lines ls 9 title "0.1 (H/g)^{1/2}", \
    for [m=1:4] lead("summation", "80", m) using 4:5 with linespoints ls 10+m lc rgb "#08519c" notitle, \
    for [m=1:4] lead("continuity", "80", m) using 4:5 with linespoints ls 10+m lc rgb "#d94801" notitle, \
    NaN with lines ls 3 title "density by summation", NaN with lines ls 6 title "density by continuity", \
    for [m=1:4] NaN with points ls 10+m lc rgb "black" title title[m]
unset multiplot
