#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The experiment: runs, tables, plot. Builds the programs unless they are there.
# usage: run.sh [--frames N] [OPTION]...   by default a quarter of the frames; --frames 1000 for all of them
# Options go to the program. frames.csv, the slice_*.csv, the tables in README.md and plot.png are refreshed, and
# pictures.png where mote can draw.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program mote
mote=$program
find_program pouchol_figure_6

mkdir -p out
rm -f out/slice_*.csv
"$program" --slices out "$@" >out/frames.csv
rm -f slice_*.csv
mv out/slice_*.csv out/frames.csv .

# Three pictures of the same scene, side by side.
if "$mote" run ../../scenes/spheres.json -o out/scene --overwrite --quiet && command -v ffmpeg >/dev/null; then
    cut=crop=620:650:330:70
    ffmpeg -loglevel error -y -i out/scene/frames/0000.png -i out/scene/frames/0020.png -i out/scene/frames/0045.png \
        -filter_complex "[0]$cut[a];[1]$cut[b];[2]$cut[c];[a][b][c]hstack=3,scale=1240:-1" pictures.png
fi

# A row for each tenth of the frames, a column for each contender: hashing + finding [ms].
times() {
    awk -F, '
        NR == FNR { if (FNR > 1) last = $1; next }
        FNR == 1 || $1 * 10 % last { next }
        { name = "`" $2 "`, " ($3 == "all" ? "spheres and particles" : "spheres") }
        !($1 in row) { order[++rows] = $1; height[$1] = $10 }
        !(name in known) { known[name] = 1; head = head " | " name; rule = rule "|---" }
        { row[$1] = row[$1] " | " sprintf("%.1f + %.1f", $4, $5) }
        END {
            print "| frame | mean height [m]" head " |"
            print "|---|---" rule "|"
            for (k = 1; k <= rows; ++k) printf "| %s | %s%s |\n", order[k], height[order[k]], row[order[k]]
        }' frames.csv frames.csv
}
# What a contender has to do: first and last row, and in the wider box.
work() { # FILE TITLE HOW
    awk -F, -v title="$2" '
        NR > 1 {
            printf "| %s | `%s`, %s | %.1f | %.1f | %.1f | %d | %.1f |\n", title, $2,
                   $3 == "all" ? "spheres and particles" : "spheres", $4 + $5, $6, $7, $8, $9 / 1e6
        }' "$1" | $3
}
{
    echo
    echo "This run: \`run.sh${*:+ $*}\`."
    echo
    times
    echo
    echo "| when | contender, hashed | time [ms] | look-ups a particle | candidates a particle | cells | MB |"
    echo "|---|---|---|---|---|---|---|"
    work frames.csv 'at first' 'sed 5,$d'
    work frames.csv 'in the end' 'tail -n 4'
    echo
} >out/tables.md
finish out/tables.md
