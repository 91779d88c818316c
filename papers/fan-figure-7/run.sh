#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]... [MESH]      options go to the program (--most N particles, --frames N, --repeat N, --depth N
#                                       of the deep octree); without a mesh, Debian's bunny
# figure_7.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
. "$folder/../common.sh"
run_on_meshes "$folder" fan_figure_7 figure_7.csv "$@"
{
    echo
    echo "This run: \`run.sh$shown\`."
    echo
    awk -F, '
        NR == 1 { next }
        !($1 in row) { order[++rows] = $1 }
        !($2 in bytes) { head = head " | " $2 " [ms]"; rule = rule "|---"; name[++names] = $2 }
        { row[$1] = row[$1] sprintf(" | %.1f", $3); hits[$2] = $5; bytes[$2] = $7; each[$2] = $4 }
        END {
            print "| particles" head " |"
            print "|---" rule "|"
            for (k = 1; k <= rows; ++k) print "| " order[k] row[order[k]] " |"
            print "\n| with the most particles | ns each | hits | MB |"
            print "|---|---|---|---|"
            for (k = 1; k <= names; ++k)
                printf "| %s | %.1f | %d | %.2f |\n", name[k], each[name[k]], hits[name[k]], bytes[name[k]] / 1e6
        }' figure_7.csv
    echo
} >out/tables.md
finish out/tables.md
