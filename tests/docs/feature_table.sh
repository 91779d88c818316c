#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tables in docs/neighbors.md and docs/broadphase.md are those that the code gives.
# usage: feature_table.sh PROGRAM FILE [--update]      --update: writes them there
set -euo pipefail
program=$1 file=$2
table=$(mktemp)
trap 'rm -f "$table"' EXIT
{
    echo
    "$program"
    echo
} >"$table"

if [ "${3-}" = --update ]; then
    sed -i -e '/^<!-- features -->$/,/^<!-- features end -->$/ { /^<!-- features -->$/ r '"$table" \
        -e '/^<!-- features/! d }' "$file"
elif ! diff <(sed -n '/^<!-- features -->$/,/^<!-- features end -->$/ { /^<!-- features/! p }' "$file") "$table"; then
    echo "^ $file is not what the code says. To bring it up to date: bash $0 $program $file --update"
    exit 1
fi
