#!/usr/bin/env bash
# What the library finds has the bits that it had when VALUES was written; with --update, VALUES is written anew.
# usage: compare.sh PROGRAM VALUES THREADS [--update]
set -u
found=$(mktemp)
trap 'rm -f "$found"' EXIT
"$1" "$3" >"$found" || exit 1
if [ "${4-}" = --update ]; then
    cp "$found" "$2"
else
    diff "$2" "$found" || { echo "^ $2, and what $1 finds with $3 threads"; exit 1; }
    echo "$(wc -l <"$2") checksums as in $2"
fi
