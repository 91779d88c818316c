#!/usr/bin/env bash
# Every function that a public header declares is in the archives: nothing is promised that cannot be linked.
# usage: declared.sh ROOT ARCHIVE...
set -eu
headers=$1/include/mote
shift
defined=$(nm -g --defined-only "$@" 2>/dev/null | awk '$2 == "T" { print $3 }' | LC_ALL=C sort -u)
# A declaration begins with MOTE_API and names its function before the first bracket, maybe on a further line.
declared=$(awk '
    /^MOTE_API / { text = "" ; open = 1 }
    open { text = text " " $0 }
    open && /\(/ {
        sub(/\(.*/, "", text)
        n = split(text, words, /[ *]+/)
        print words[n]
        open = 0
    }' "$headers"/*.h | LC_ALL=C sort -u)
count=$(wc -l <<<"$declared")
[ "$count" -gt 50 ] || { echo "only $count declarations found in $headers"; exit 1; }
missing=$(LC_ALL=C comm -23 <(echo "$declared") <(echo "$defined"))
[ -z "$missing" ] && exit
printf 'declared, but not defined:\n%s\n' "$missing"
exit 1
