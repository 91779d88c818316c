#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--count N, --repeat N, --threads N)
# h_mask.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program onderik_h_mask

mkdir -p out
"$program" "$@" >out/h_mask.csv
mv out/h_mask.csv h_mask.csv
awk -F, 'NR == 1 { print "| neighbours | method | H | build [ms] | lists [ms] | candidates a point | found | missed |"
                   print "|---|---|---|---|---|---|---|---|"; next }
         { printf "| %s | `%s` | %s | %.1f | %.1f | %.0f | %.1f | %.1f %% |\n",
               $1, $2, $3, $4, $5, $6, $7, 100 * $8 }' \
    h_mask.csv >out/table.md
finish out/table.md
