# SPDX-License-Identifier: MIT
# Time and candidates against H, and the share of neighbours that masks miss; from h_mask.csv to plot.png.
set terminal pngcairo size 1500,560 font "DejaVu Sans,13" background "white"
set output "plot.png"
set datafile separator ","

set style line 1 lc rgb "#08519c" lw 3 pt 7 ps 1.4
set style line 2 lc rgb "#d94801" lw 3 pt 5 ps 1.3
set style line 3 lc rgb "#777777" lw 2 pt 9 ps 1.4 dt 2
methods = "cell\\_index spatial\\_hash cell\\_index\\_approx"
names = "cell_index spatial_hash cell_index_approx"
rows(n, m) = sprintf("< grep '^%s,%s,' h_mask.csv || echo ,,NaN,,NaN,NaN,,", n, m)

set multiplot layout 1,3
set grid lc rgb "#dddddd"
set tics nomirror
set xlabel "H"
set xrange [0.7:4.3]
set xtics 1
set yrange [0:*]
set key top left samplen 2 reverse Left

set title "Lists, 30 neighbours a point"
set ylabel "time [ms]"
plot for [m=1:3] rows("30", word(names, m)) using 3:5 with linespoints ls m title word(methods, m)
set title "Lists, 436 neighbours a point"
plot for [m=1:3] rows("436", word(names, m)) using 3:5 with linespoints ls m title word(methods, m)
set key top left maxrows 6
set yrange [0:26]
set title "Candidates per neighbour that there is"
set ylabel "candidates / neighbours"
plot for [m=1:3] rows("30", word(names, m)) using 3:($6/30) with linespoints ls m title word(methods, m).", 30", \
    for [m=1:3] rows("436", word(names, m)) using 3:($6/436) with linespoints \
        ls m lw 1.5 pt (m == 1 ? 6 : m == 2 ? 4 : 8) \
        title word(methods, m).", 436"
unset multiplot
