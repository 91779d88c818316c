# SPDX-License-Identifier: MIT
# Compression and curvature against σ and k, from figure_2.csv to plot.png; and the particles of out/particles.csv, if
# they are there, to pictures.png.
set datafile separator ","
set terminal pngcairo size 1100,420 noenhanced font "DejaVu Sans,12" background "white"
set output "plot.png"
set grid lc rgb "#dddddd"
set tics nomirror
set xrange [-0.1:2.3]
set xlabel "surface tension [N/m]"
set key bottom right
row(k) = sprintf("< awk -F, '$1 == \"each\" && $2 == %d && $5 > 0.9' figure_2.csv", k)
set multiplot layout 1,2
set title "compression at 1 s [%]"
set yrange [0:*]
plot for [k in "20 40 70"] row(int(k)) using 3:(100*$8) with linespoints lw 2 title "k = " . k . " J/kg"
set title "mean curvature of the surface at 1 s [1/m]"
set yrange [*:*]
set key top right
plot for [k in "20 40 70"] row(int(k)) using 3:10 with linespoints lw 2 title "k = " . k . " J/kg"
unset multiplot

if (system("test -s out/particles.csv && echo 1 || echo 0") + 0) {
    reset
    set datafile separator ","
    set terminal pngcairo size 1240,640 noenhanced font "DejaVu Sans,12" background "white"
    set output "pictures.png"
    unset key
    unset tics
    unset border
    unset colorbox
    set size ratio -1
    set xrange [-0.01:0.38]
    set yrange [-0.02:0.19]
    set palette defined (0 "#c6dbef", 0.15 "#6baed6", 0.5 "#2171b5", 0.9 "#08306b")
    set cbrange [0:0.9]
    set style fill solid 1 border lc rgb "#08306b"
    set multiplot layout 3,4 margins 0.01,0.99,0.01,0.95 spacing 0.005,0.04
    do for [k in "20 40 70"] {
        do for [t in "0.1 0.2 0.4 1"] {
            set title sprintf("k = %s J/kg, sigma = %s N/m, %s s", k, k eq "20" ? "0.6" : k eq "40" ? "1.4" : "2.2", t)
            part = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\"' out/particles.csv", k, t)
            set object 1 polygon from 0,0 to 0.319,0 to 0.3669,0.0372 to 0.0478,0.0372 to 0,0 fc rgb "#eeeeee" \
                fs solid border lc rgb "#999999" behind
            plot part using 3:4:(0.0053):5 with circles fc palette
        }
    }
    unset multiplot
}
