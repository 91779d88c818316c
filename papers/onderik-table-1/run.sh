#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [--steps N]     100 steps, unless N are asked for
# table_1.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program onderik_table_1

mkdir -p out
[ $# -gt 0 ] || set -- --steps 100
"$program" "$@" >out/table_1.csv
mv out/table_1.csv table_1.csv
awk -F, 'NR == 1 { printf "| case | k [J/kg] | support [mm] | neighbours | method, tension | search [ms] "
                   print "| dynamics [ms] | against cell_index |"
                   print "|---|---|---|---|---|---|---|---|"; next }
         { line[NR] = sprintf("| %s | %s | %.1f | %.0f | `%s`%s | %.2f | %.2f |", $1, $2, 1000 * $3, $7, $4,
                          $10 > 0 ? ", " $10 " N/m" : "", $5, $6)
           group[NR] = $1 "," $3; time[NR] = $5; if ($4 == "cell_index" && $10 == 0) base[group[NR]] = $5 }
         END { for (r = 2; r <= NR; ++r) printf "%s %.1f × |\n", line[r], time[r] / base[group[r]] }' \
    table_1.csv >out/table.md
finish out/table.md
