#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the name of every function that a public header declares, sorted.
# usage: declarations.sh ROOT
set -eu
headers=$1/include/mote
# A declaration begins with MOTE_API and names its function before the first bracket, maybe on a further line.
names=$(awk '
    /^MOTE_API / { text = "" ; open = 1 }
    open { text = text " " $0 }
    open && /\(/ {
        sub(/\(.*/, "", text)
        n = split(text, words, /[ *]+/)
        print words[n]
        open = 0
    }' "$headers"/*.h | LC_ALL=C sort -u)
count=$(wc -l <<<"$names")
[ "$count" -gt 50 ] || { echo "only $count declarations found in $headers" >&2; exit 1; }
echo "$names"
