# SPDX-License-Identifier: MIT
# Search time by method, as a multiple of cell_index's, beside what the document has; from table_1.csv to plot.png.
set terminal pngcairo size 1000,520 font "DejaVu Sans,13" background "white"
set output "plot.png"
set datafile separator ","
set grid y lc rgb "#dddddd"
set tics nomirror
set style fill solid 0.9
set boxwidth 0.24
set logscale y
set yrange [0.7:100]
set ylabel "search time against cell index"
set xrange [0.4:9.6]
set xtics ("case 1" 1, "case 2" 2, "case 3" 3, "case 1" 4, "case 2" 5, "case 3" 6, "case 1" 7, "case 2" 8, "case 3" 9)
set label "the document" at 2,75 center
set label "mote, h = 4.7 d" at 5,75 center
set label "mote, h = 2 d" at 8,75 center
set key outside bottom center horizontal samplen 2

$document << EOD
1,1.95,0.42,0.25
2,1.97,0.45,0.27
3,1.93,0.43,0.27
EOD
# Ratio of a method to cell_index in a case: lines of the two side by side.
pairs(method, support) = sprintf("< awk -F, '$3 == \"%s\" && $4 == \"%s\" { a[$1] = $5 } \
    $3 == \"%s\" && $4 == \"cell_index\" && $10 == 0 { b[$1] = $5 } \
    END { for (c = 1; c <= 3; ++c) print c \",\" (c in a ? a[c] / b[c] : \"NaN\") }' table_1.csv", \
    support, method, support)

plot $document using ($1-0.13):($2/$4) with boxes lc rgb "#777777" title "all pairs", \
    $document using ($1+0.13):($3/$4) with boxes lc rgb "#d94801" title "spatial hashing", \
    for [s=0:1] pairs("all_pairs", word("0.0500 0.0213", s+1)) using ($1+3*s+2.87):2 with boxes lc rgb "#777777" \
        notitle, \
    for [s=0:1] pairs("spatial_hash", word("0.0500 0.0213", s+1)) using ($1+3*s+3.13):2 with boxes lc rgb "#d94801" \
        notitle, \
    1 with lines lc rgb "#08519c" lw 2 title "cell index"
