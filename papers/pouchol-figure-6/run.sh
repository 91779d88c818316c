#!/usr/bin/env bash
# The whole experiment: runs, tables, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--particles N, --steps N, --every N)
# frames.csv, wider_box.csv, the slice_*.csv, the tables in README.md and plot.png are refreshed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program pouchol_figure_6

mkdir -p out
rm -f out/slice_*.csv
"$program" --slices out "$@" >out/frames.csv
"$program" "$@" --steps 100 --every 100 --box 4 >out/wider_box.csv
rm -f slice_*.csv
mv out/slice_*.csv out/frames.csv out/wider_box.csv .

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
    work frames.csv 'at first' 'head -n 4'
    work frames.csv 'in the end' 'tail -n 4'
    work wider_box.csv 'four times wider' cat
    echo
} >out/tables.md
finish out/tables.md
