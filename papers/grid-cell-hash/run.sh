#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: runs and plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--count N, --repeat N, --threads N)
# load.csv, moving.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program grid_cell_hash
"$program" --out . "$@"

table() { # FILE COLUMN TITLE: a row for each parameter, a column for each method
    awk -F, -v column="$2" -v title="$3" '
        NR == 1 { next }
        !($1 in row) { order[++rows] = $1; row[$1] = "" }
        !($2 in known) { known[$2] = 1; head = head " | `" $2 "`"; rule = rule "|---" }
        { row[$1] = row[$1] " | " $column }
        END {
            print "| " title head " |"
            print "|---" rule "|"
            for (k = 1; k <= rows; ++k) print "| " order[k] row[order[k]] " |"
        }' "$1"
}
{
    echo
    echo "This run: \`run.sh${*:+ $*}\`."
    echo
    table load.csv 5 'cells per bucket; lists [ms]'
    echo
    table load.csv 3 'cells per bucket; share of cells that share a bucket'
    echo
    table moving.csv 4 'share sent elsewhere; update [ms]'
    echo
} >tables.md
finish tables.md
rm tables.md
