#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The reference of the public headers is made without a warning.
# usage: doxygen.sh ROOT      exit status 77: doxygen is not there
set -u
cd "$1" || exit 2
command -v doxygen >/dev/null || { echo 'doxygen is not there'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = $work"
} | doxygen - 2>"$work/warnings" >"$work/log" || echo "doxygen exits with $?" >>"$work/warnings"
cat "$work/warnings"
# A page of each header, or there was nothing to warn of.
for header in include/mote/*.h; do
    name=$(basename "$header" .h)
    ls "$work"/html/"${name//_/__}"_8h.html >/dev/null || echo "$header has no page" >>"$work/warnings"
done
[ ! -s "$work/warnings" ]
