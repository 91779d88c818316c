#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# onderik_surface.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program onderik_surface

mkdir -p out
"$program" "$@" >out/onderik_surface.csv
mv out/onderik_surface.csv onderik_surface.csv
awk -F, 'NR == 1 { print "| cloud | field | isovalue | volume | particles lost |"; print "|---|---|---|---|---|"; next }
         { printf "| %s | %s | %s | %+.1f %% | %.1f %% |\n",
               $1, $2, $3 == "derived" ? $3 ", " $4 : $3, 100 * $5, 100 * $6 }' \
    onderik_surface.csv >out/table.md
finish out/table.md
