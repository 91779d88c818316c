#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]... [MESH]...      without a mesh, Debian's bunny; options go to the program (--particles N,
#                                          --frames N, --repeat N, --levels N of subdivision)
# table_1.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
. "$folder/../common.sh"
run_on_meshes "$folder" fan_table_1 table_1.csv "$@"
{
    echo
    echo "This run: \`run.sh$shown\`."
    echo
    echo -n "| mesh | triangles | settings of | ε | depths | its MB | MB | in its form | by the mean |"
    echo " leaves at the largest depth | build [s] |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    awk -F, 'NR > 1 && !seen[$1 $2]++ {
        printf "| %s | %d | %s | %s | %d to %d | %s | %.2f | %.2f | %.2f | %.1f %% | %.2f |\n", $1, $2, $3, $4, $5, $6,
               $19, $10 / 1e6, $11 / 1e6, $12 / 1e6, 100 * $9, $13 / 1000
    }' table_1.csv
    echo
    echo "| mesh | triangles | particles | ms of a frame | median | ns a particle | that collide | the document's ms |"
    echo "|---|---|---|---|---|---|---|---|"
    awk -F, 'NR > 1 {
        printf "| %s | %d | %d | %.1f to %.1f | %.1f | %.0f | %.1f %% | %s to %s |\n", $1, $2, $14, $15, $17, $16,
               $16 * 1e6 / $14, 100 * $18, $20, $21
    }' table_1.csv
    echo
} >out/tables.md
finish out/tables.md
