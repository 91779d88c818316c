#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--objects N, --queries N, --repeat N)
# hash_size.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program pouchol_hash_size

mkdir -p out
"$program" "$@" >out/hash_size.csv
mv out/hash_size.csv hash_size.csv
{
    echo
    echo "This run: \`run.sh${*:+ $*}\`."
    echo
    echo -n "| table | buckets an object | build [ms] | query [ns] | look-ups | entries retrieved |"
    echo " false candidates | MB |"
    echo "|---|---|---|---|---|---|---|---|"
    awk -F, 'NR > 1 {
        printf "| `%s` | %s | %.1f | %.0f | %.1f | %.1f | %s | %.1f |\n", $1, $2 == 0 ? "its own" : $2, $3, $4, $5, $6,
               $8 == 0 ? "0" : sprintf("%.2f", $8), $9
    }' hash_size.csv
    echo
} >out/table.md
finish out/table.md
