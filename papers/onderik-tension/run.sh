#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# onderik_tension.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program onderik_tension

mkdir -p out
"$program" "$@" >out/onderik_tension.csv
mv out/onderik_tension.csv onderik_tension.csv
awk -F, 'NR == 1 { print "| model | support | inside : outside | R = 10 d | 20 d | 40 d |" }
         NR == 1 { print "|---|--:|---|--:|--:|--:|" }
         NR > 1 && $5 == 10 { printf "| `%s` | %d d | %s | %s |", $1, $2, $4 ? $3 " : " $4 : "nothing around it", $6 }
         NR > 1 && $5 == 20 { printf " %s |", $6 }
         NR > 1 && $5 == 40 { printf " %s |\n", $6 }' onderik_tension.csv >out/table.md
finish out/table.md
