# SPDX-License-Identifier: MIT
# Gap and error of pressure of each kind, from boundaries.csv, to plot.png.
set terminal pngcairo size 1400,900 font "DejaVu Sans,14" background "white"
set output "plot.png"
set datafile separator ","
set style data histogram
set style fill solid 0.8
set grid ytics lc rgb "#dddddd"
set border lw 1.2
set key top left reverse Left
set xtics rotate by -25
cases = system("tail -n +2 boundaries.csv | cut -d, -f1 | awk '!seen[$0]++' | tr '\\n' ' '")
# The rows of a case, with an empty one for a kind that it lacks, so that the bars stay with their labels.
rows(name) = sprintf("< awk -F, -v c=%s 'FNR == 1 || $3 ~ /planes$/ { next } { k = $2 FS $3 } \
    NR == FNR { if (!(k in seen)) order[++n] = k; seen[k]; next } $1 == c { row[k] = $0 } \
    END { for (i = 1; i <= n; ++i) print order[i] in row ? row[order[i]] : c FS order[i] \",0,0,0,0\" }' \
    boundaries.csv boundaries.csv", name)
set multiplot layout 2,1
set title "Gap of the nearest particles [spacings]; a lattice that goes on in the wall has 0.5"
set yrange [0:1]
plot for [name in cases] rows(name) using 6:xtic(strcol(2)." ".strcol(3)) title name, 0.5 with lines lc rgb "black" notitle
set title "RMS of the pressure near the body, over that at the bottom; of couette, of the velocity, over the upper \
wall's"
set yrange [0:0.06]
plot for [name in cases] rows(name) using 7:xtic(strcol(2)." ".strcol(3)) title name
unset multiplot
