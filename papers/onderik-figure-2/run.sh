#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: runs, tables, plot, pictures. Builds the program unless it is there.
# figure_2.csv, the tables in README.md, plot.png and pictures.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program onderik_figure_2

mkdir -p out
"$program" --out out "$@" >out/figure_2.csv
mv out/figure_2.csv figure_2.csv
awk -F, 'NR == 1 { printf "| run | k [J/kg] | σ [N/m] | step [ms] | time [s] | compression | drops "
                   print "| mean curvature [1/m] | greatest speed [m/s] |"
                   print "|---|--:|--:|--:|--:|--:|--:|--:|--:|"; next }
         $1 == "each" { next }
         { printf "| %s%s | %s | %s | %s | %.3f | %.1f %% | %d | %.1f | %.3g |\n", $1,
               $7 ? ": " $7 " at step " $6 : "", $2, $3, $4, $5, 100 * $8, $9 - 1, $10, $11 }' \
    figure_2.csv >out/table.md
awk -F, 'BEGIN { print "\nAll of k and σ at 1 s, steps of 1.79 ms: compression, mean curvature [1/m], drops:\n"
                 print "| k [J/kg] | σ = 0 | 0.6 N/m | 1.4 N/m | 2.2 N/m |"; print "|--:|--:|--:|--:|--:|" }
         $1 == "each" && $5 > 0.9 { if ($2 != k) printf "%s| %s", k ? " |\n" : "", $2
                                    k = $2; printf " | %.1f %%, %.1f, %d", 100 * $8, $10, $9 - 1 }
         END { print " |" }' figure_2.csv >>out/table.md
finish out/table.md
