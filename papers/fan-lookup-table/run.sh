#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]... [MESH]      without a mesh, Debian's bunny; options go to the program (--particles N,
#                                       --frames N, --repeat N, --most-depth N)
# lookup_table.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
. "$folder/../common.sh"
run_on_meshes "$folder" fan_lookup_table lookup_table.csv "$@"
{
    echo
    echo "This run: \`run.sh$shown\`."
    echo
    echo -n "| largest depth | depth of the table | table [kB] | leaf of a position [ns] | faster |"
    echo " first collision [ns] | faster | a look is enough |"
    echo "|---|---|---|---|---|---|---|---|"
    awk -F, 'NR > 1 {
        if ($2 == 0) { locate = $5; hits = $6 }
        printf "| %d | %s | %.1f | %.1f | %s | %.1f | %s | %.0f %% |\n", $1, $2 ? $2 : "0, the root", $4 / 1000, $5,
               $2 ? sprintf("%.0f %%", 100 * (locate / $5 - 1)) : "", $6,
               $2 ? sprintf("%.0f %%", 100 * (hits / $6 - 1)) : "", 100 * $7
    }' lookup_table.csv
    echo
} >out/table.md
finish out/table.md
