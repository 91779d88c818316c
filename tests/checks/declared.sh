#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every function that a public header declares is in the archives: nothing is promised that cannot be linked.
# usage: declared.sh ROOT ARCHIVE...
set -eu
declared=$(bash "$(dirname "$0")/declarations.sh" "$1")
shift
defined=$(nm -g --defined-only "$@" 2>/dev/null | awk '$2 == "T" { print $3 }' | LC_ALL=C sort -u)
missing=$(LC_ALL=C comm -23 <(echo "$declared") <(echo "$defined"))
[ -z "$missing" ] && exit
printf 'declared, but not defined:\n%s\n' "$missing"
exit 1
