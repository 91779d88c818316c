#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: measurements, table, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--mesh FILE, --long 1, --end MILLISECONDS)
# Results go to out/; boundaries.csv, the table in README.md and plot.png are refreshed from there.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
run_on_meshes "$(dirname "${BASH_SOURCE[0]}")" boundaries boundaries.csv "$@"
awk -F, '{ line = "|"; for (k = 1; k <= NF; ++k) line = line " " $k " |"; print line }
    NR == 1 { gsub(/[^|]+/, "---", line); print line }' boundaries.csv >out/table.md
finish out/table.md
