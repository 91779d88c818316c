#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, tables, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--repeat N, --short 1)
# ahmad_surface.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program ahmad_surface

mkdir -p out
"$program" "$@" >out/ahmad_surface.csv
mv out/ahmad_surface.csv ahmad_surface.csv
{
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' 'order' 'cell [spacings]' 'table of its own [ms]' \
        "the search's [ms]" 'looked up by nodes [ms]' 'bytes, own table' "bytes, search's and own"
    echo '|---|---|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %s | %s | %.1f | %.1f | %.0f | %.0f | %.0f |\n",
                      $1, $2, $8, $9, $10, $12, $11 + $13 }' ahmad_surface.csv
    echo
    echo '| cell [spacings] | triangles | volume | particles lost |'
    echo '|---|---|---|---|'
    awk -F, '$1 == "lattice" { printf "| %s | %d | %+.1f %% | %.2f %% |\n", $2, $4, 100 * $5, 100 * $6 }' \
        ahmad_surface.csv
} >out/table.md
finish out/table.md
