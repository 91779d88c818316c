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
awk -F, 'function who() { return "| `" $2 "` | " $3 " d | " ($5 ? $4 " : " $5 : "nothing around it") " |" }
         NR == 1 { print "| discs: model | support | inside : outside | R = 10 d | 20 d | 40 d |" }
         NR == 1 { print "|---|--:|---|--:|--:|--:|" }
         $1 == 2 && $6 == 10 { printf "%s %s |", who(), $7 }
         $1 == 2 && $6 == 20 { printf " %s |", $7 }
         $1 == 2 && $6 == 40 { printf " %s |\n", $7 }
         $1 == 3 && !balls++ { print "\n| balls: model | support | inside : outside | R = 12 d |\n|---|--:|---|--:|" }
         $1 == 3 { print who() " " $7 " |" }' onderik_tension.csv >out/table.md
finish out/table.md
