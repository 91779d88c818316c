#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A shared library shows what its public headers declare, and what is marked MOTE_FOR_IO; nothing else.
# usage: exports.sh ROOT LIBRARY...
set -eu
root=$1
shift
public=$(bash "$(dirname "$0")/declarations.sh" "$root")
marked=$(grep -rhoE '^MOTE_FOR_IO .*' "$root/src" | grep -oE 'mote_[a-z0-9_]+\(' | tr -d '(')
failed=0
for library in "$@"; do
    shown=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep '^mote_' | LC_ALL=C sort -u)
    [ -n "$shown" ] || { echo "$library shows nothing"; failed=1; }
    more=$(LC_ALL=C comm -23 <(echo "$shown") <(printf '%s\n%s\n' "$public" "$marked" | LC_ALL=C sort -u))
    [ -z "$more" ] || { printf '%s shows more than it should:\n%s\n' "$library" "$more"; failed=1; }
done
# Together they hold all that is declared.
all=$(nm -D --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | LC_ALL=C sort -u)
missing=$(LC_ALL=C comm -23 <(LC_ALL=C sort -u <<<"$public") <(echo "$all"))
[ -z "$missing" ] || { printf 'declared, but not shown by a shared library:\n%s\n' "$missing"; failed=1; }
exit $failed
