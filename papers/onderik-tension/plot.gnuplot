# SPDX-License-Identifier: MIT
# usage: gnuplot plot.gnuplot     draws plot.png from onderik_tension.csv
set datafile separator ","
set terminal pngcairo size 1000,600 noenhanced font "sans,13"
set output "plot.png"
set grid lc rgb "#dddddd"
set key outside right
set logscale xy
set xrange [9:45]
set xtics (10, 20, 40)
set xlabel "radius of the drop [spacings]"
set ylabel "jump of pressure over sigma/R"
row(model, support, outside) = sprintf("< awk -F, '$1 == 2 && $2 == \"%s\" && $3 == %d && $4 == 1 && $5 == %d' onderik_tension.csv", model, support, outside)
plot 1 with lines lc rgb "#888888" dt 2 title "right", \
     row("stress", 4, 1) using 6:7 with linespoints lw 2 title "stress, 4 d", \
     row("curvature", 4, 1) using 6:7 with linespoints lw 2 title "curvature, 4 d", \
     row("document", 4, 1) using 6:7 with linespoints lw 2 title "document, 4 d", \
     row("document", 3, 1) using 6:7 with linespoints lw 2 title "document, 3 d", \
     row("document", 4, 0) using 6:7 with linespoints lw 2 title "document, 4 d, alone", \
     row("document_curvature", 4, 1) using 6:7 with linespoints lw 2 title "document_curvature, 4 d", \
     row("document_curvature", 3, 1) using 6:7 with linespoints lw 2 title "document_curvature, 3 d"
