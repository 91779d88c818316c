#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures all search methods: refreshes neighbors.csv, the table in neighbors.md and images/neighbors.png.
# usage: docs/measure.sh [--count N] [OPTION]...      options go to mote bench neighbors (--repeat N, --threads N)
# The documents' own methods, which are slow, are repeated twice.
# Needs gnuplot and a quiet machine, and takes its time with 1000000 points, which are measured unless told.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export LC_ALL=C.UTF-8

count=1000000
if [ "${1-}" = --count ]; then
    count=$2
    shift 2
fi
bench=(../build/release/bin/mote bench neighbors --json)
[ -x "${bench[0]}" ] || (cd .. && cmake --preset release && cmake --build --preset release)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fast=(--method auto,cell_grid,cell_index,kd_tree,nanoflann "$@")
slow=(--method spatial_hash,spatial_hash_dynamic,cell_hash,cell_hash_incremental,cell_index_approx,hierarchical_hash
    "$@" --repeat 2)
workloads=lattice,uniform,shuffled,clustered,sparse2d_5
for divisor in 100 10; do
    "${bench[@]}" --workload uniform --count $((count / divisor)) "${fast[@]}" >"$work/$divisor-fast.json"
    "${bench[@]}" --workload uniform --count $((count / divisor)) "${slow[@]}" >"$work/$divisor-slow.json"
done
"${bench[@]}" --workload "$workloads" --count "$count" "${fast[@]}" >"$work/main.json"
"${bench[@]}" --workload "$workloads" --count "$count" "${slow[@]}" >"$work/slow.json"

# A row of JSON is a line. What stands behind a name in parentheses is a remark.
awk 'BEGIN { n = split("workload name count threads build_ms query_ms total_ms spread result bytes verified", keys, " ")
             for (k = 1; k <= n; ++k) printf "%s%s", keys[k], k < n ? "," : "\n" }
     /"bench": "neighbors"/ {
         gsub(/ \([^)]*\)|[{}"]/, "")
         pairs = split($0, pair, /, */)
         for (p = 1; p <= pairs; ++p) {
             split(pair[p], field, /: */)
             sub(/^ */, "", field[1])
             value[field[1]] = field[2]
         }
         for (k = 1; k <= n; ++k) printf "%s%s", value[keys[k]], k < n ? "," : "\n"
     }' "$work"/100-*.json "$work"/10-*.json "$work/main.json" "$work/slow.json" >neighbors.csv

# A method a row, a workload a column: milliseconds with one thread / with the most there were.
awk -F, -v count="$count" -v machine="$(sed -n 's/.*"processor": "\([^"]*\)".*/\1/p' "$work/main.json")" '
    NR > 1 && $3 == count {
        if (!($1 in seen)) { seen[$1] = 1; workloads[++w] = $1 }
        if (!($2 in met)) { met[$2] = 1; names[++m] = $2 }
        if ($4 == 1) one[$2, $1] = $7
        else more[$2, $1] = $7
        if ($4 + 0 > threads) threads = $4
        if ($8 + 0 > spread) spread = $8
        if ($11 != "true") one[$2, $1] = more[$2, $1] = "wrong"
    }
    function text(time) { return time == "wrong" ? time : sprintf(time < 10 ? "%.1f" : "%.0f", time) }
    END {
        printf "\n%d points, %s, milliseconds with 1", count, machine
        printf "%s, structure and lists; the slowest repetition", (threads > 1 ? " / " threads " threads" : " thread")
        printf "\ntook up to %.1f times the fastest:\n\n", spread
        printf "| |"
        for (k = 1; k <= w; ++k) printf " %s |", workloads[k]
        printf "\n|---|"
        for (k = 1; k <= w; ++k) printf "--:|"
        for (n = 1; n <= m; ++n) {
            printf "\n| `%s` |", names[n]
            for (k = 1; k <= w; ++k) {
                key = names[n] SUBSEP workloads[k]
                printf " %s |", (key in one ? text(one[key]) : "–") (key in more ? " / " text(more[key]) : "")
            }
        }
        print "\n"
    }' neighbors.csv >"$work/table.md"
sed -i -e "/^<!-- times -->\$/ r $work/table.md" -e '/^<!-- times -->$/,/^<!-- times end -->$/ { /^<!-- times/! d }' \
    neighbors.md
gnuplot -e "count=$count" neighbors.gnuplot
echo "Look at docs/neighbors.csv, docs/neighbors.md and docs/images/neighbors.png."
