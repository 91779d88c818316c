#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: run, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]... [MESH]...      options go to the program (--motions N); without a mesh, Debian's bunny
# deviation.csv, the table in README.md and plot.png are refreshed.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
. "$folder/../common.sh"
run_on_meshes "$folder" fan_deviation deviation.csv "$@"
{
    echo
    echo "| mesh | largest depth | nodes [kB] | exact hits | missed | needless | mean | 5 % | median | 95 % | most |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    awk -F, 'NR > 1 {
        printf "| %s, %d triangles | %d | %.0f | %d | %.1f %% | %.1f %% ", $1, $2, $3, $4 / 1000, $6, 100 * $7, 100 * $8
        printf "| %.2f | %.2f | %.2f | %.2f | %.1f |\n", $9, $10, $11, $12, $13
    }' deviation.csv
    echo
} >out/table.md
finish out/table.md
