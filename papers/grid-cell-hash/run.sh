#!/usr/bin/env bash
# The whole experiment: runs and plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--count N, --repeat N, --threads N)
# load.csv, moving.csv and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export LC_ALL=C.UTF-8

root=../..
program=$root/build/release/bin/grid_cell_hash
if [ ! -x "$program" ]; then
    (cd "$root" && cmake --preset release && cmake --build --preset release --target grid_cell_hash)
fi
"$program" --out . "$@"
gnuplot plot.gnuplot
echo "Look at plot.png, load.csv and moving.csv in $PWD."
