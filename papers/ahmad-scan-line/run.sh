#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, tables, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--triangles N, --points N, --repeat N, --threads N)
# scan_line.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program ahmad_scan_line

mkdir -p out
"$program" "$@" >out/scan_line.csv
mv out/scan_line.csv scan_line.csv
{
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' 'size [cells]' 'cells a triangle' 'skipped by the scan line' \
        'of its cells needless' 'pairs lost' 'raster [ns]' 'scan line [ns]'
    echo '|---|---|---|---|---|---|---|'
    awk -F, '$1 == "cells" { printf "| %s | %.2f | %.1f %% | %.1f %% | %.1f %% | %.0f | %.0f |\n",
                             $2, $4, 100 * $5, 100 * $6, 100 * $7, $8, $9 }' scan_line.csv
    echo
    echo '| all pairs by | triangles | points | time [ms] | a triangle [ns] | pairs |'
    echo '|---|---|---|---|---|---|'
    awk -F, '$1 == "scene" { printf "| %s | %d | %d | %.1f | %.0f | %d |\n", $2, $3, $4, $5, $6, $7 }' scan_line.csv
} >out/table.md
finish out/table.md
