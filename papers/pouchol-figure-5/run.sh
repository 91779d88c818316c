#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, tables, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--count N, --repeat N, --threads N)
# figure_5.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program pouchol_figure_5

mkdir -p out
"$program" "$@" >out/figure_5.csv
mv out/figure_5.csv figure_5.csv

# A row for each radius, a column for each contender of the form.
times() { # FORM TITLE
    awk -F, -v form="$1" -v title="$2" '
        NR == 1 || $5 != form { next }
        !($2 in row) { order[++rows] = $2 }
        { name = "`" $3 "`" ($4 ? ", " $4 ($4 > 1 ? " classes" : " class") : "") }
        !(name in known) { known[name] = 1; head = head " | " name; rule = rule "|---" }
        { row[$2] = row[$2] " | " $8 }
        END {
            print "| " title head " |"
            print "|---" rule "|"
            for (k = 1; k <= rows; ++k) print "| " order[k] row[order[k]] " |"
        }' figure_5.csv
}
# What classes beyond the first add: to the cells, and to the bytes.
overhead() {
    awk -F, '
        NR == 1 || $5 != "queries" || $3 != "hierarchical_hash" { next }
        $4 == 1 { cells = $9; bytes = $10; order[++rows] = $2; next }
        !($4 in known) { known[$4] = 1; head = head " | " $4 " classes"; rule = rule "|---" }
        { row[$2] = row[$2] sprintf(" | %.0f %%, %.0f %%", 100 * ($9 / cells - 1), 100 * ($10 / bytes - 1)) }
        END {
            print "| most neighbours; more cells, more bytes than with one class" head " |"
            print "|---" rule "|"
            for (k = 1; k <= rows; ++k) print "| " order[k] row[order[k]] " |"
        }' figure_5.csv
}
{
    echo
    echo "This run: \`run.sh${*:+ $*}\`."
    echo
    times queries 'most neighbours; inserting all, then a query each [ms]'
    echo
    times insertion 'most neighbours; found while inserting [ms]'
    echo
    overhead
    echo
} >out/tables.md
finish out/tables.md
