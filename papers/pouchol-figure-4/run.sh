#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, tables, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--queries N, --objects N, --repeat N)
# figure_4.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program pouchol_figure_4

mkdir -p out
"$program" "$@" >out/figure_4.csv
mv out/figure_4.csv figure_4.csv

# A row for each number of objects, a column for each contender.
times() { # SETTING COLUMN TITLE
    awk -F, -v setting="$1" -v column="$2" -v title="$3" '
        $1 != setting { next }
        !($2 in row) { order[++rows] = $2; row[$2] = $2 " | " sprintf("%.0f %%", $3) }
        !($4 in known) { known[$4] = 1; head = head " | `" $4 "`"; rule = rule "|---" }
        { row[$2] = row[$2] " | " sprintf("%.0f", $column) }
        END {
            print "| objects | " title head " |"
            print "|---|---" rule "|"
            for (k = 1; k <= rows; ++k) print "| " row[order[k]] " |"
        }' figure_4.csv
}
# Both hashes: what each has to do, and the ratios.
ratios() { # SETTING
    awk -F, -v setting="$1" '
        BEGIN {
            print "| objects | look-ups: multilevel, hierarchical, ratio | candidates, both | ratio of times |" \
                  " more cells | more bytes |"
            print "|---|---|---|---|---|---|"
        }
        $1 != setting { next }
        $4 == "multilevel_hash" { ns = $6; cells = $8; lookups = $10; candidates = $11; bytes = $12 }
        $4 == "hierarchical_hash" {
            printf "| %d | %.1f, %.1f, **%.1f** | %s | **%.2f** | %.0f %% | %.0f %% |\n",
                   $2, lookups, $10, lookups / $10, candidates == $11 ? $11 : candidates ", " $11, ns / $6,
                   100 * ($8 / cells - 1), 100 * ($12 / bytes - 1)
        }' figure_4.csv
}
{
    echo
    echo "This run: \`run.sh${*:+ $*}\`."
    echo
    times many_sizes 6 'many sizes: motions that hit; one by one [ns a query]'
    echo
    times many_sizes 7 'many sizes: motions that hit; all in one call [ns a query]'
    for setting in many_sizes three_sizes corner; do
        echo
        echo "Both hashes, ${setting/_/ }:"
        echo
        ratios "$setting"
    done
    echo
} >out/tables.md
finish out/tables.md
