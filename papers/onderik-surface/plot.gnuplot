# SPDX-License-Identifier: MIT
# Errors of the volume and particles lost, by field and isovalue; from onderik_surface.csv to plot.png.
set terminal pngcairo size 1300,520 font "DejaVu Sans,13" background "white"
set output "plot.png"
set datafile separator ","
rows(name) = sprintf("< grep '^%s,' onderik_surface.csv", name)
label(field, isovalue) = field."\n".isovalue

set multiplot layout 1,2
set style data histograms
set bmargin 4
set style histogram cluster gap 1
set style fill solid 0.8 border -1
set boxwidth 0.9
set grid y lc rgb "#dddddd"
set tics nomirror
set key top right
set title "Volume of the surface over that of the particles"
set ylabel "difference [%]"
set yrange [-45:75]
plot rows("ball") using (100 * $5):xtic(label(strcol(2), strcol(3))) lc rgb "#08519c" title "ball", \
    rows("block") using (100 * $5) lc rgb "#6baed6" title "block", \
    rows("spray") using (100 * $5) lc rgb "#d94801" title "spray (1215 % at 0)"
set title "Particles outside of the surface"
set ylabel "[%]"
set yrange [0:25]
plot rows("ball") using (100 * $6):xtic(label(strcol(2), strcol(3))) lc rgb "#08519c" title "ball", \
    rows("block") using (100 * $6) lc rgb "#6baed6" title "block", \
    rows("spray") using (100 * $6) lc rgb "#d94801" title "spray"
unset multiplot
