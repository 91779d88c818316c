#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every function that a public header declares is called by the tests of every call (tests/test_calls*.c).
# usage: called.sh ROOT
set -eu
declared=$(bash "$(dirname "$0")/declarations.sh" "$1")
called=$(grep -oh 'mote_[a-z0-9_]*(' "$1"/tests/test_calls*.c "$1"/tests/support/calls.h | tr -d '(' | LC_ALL=C sort -u)
missing=$(LC_ALL=C comm -23 <(echo "$declared") <(echo "$called"))
[ -z "$missing" ] && exit
printf 'declared, but not called by tests/test_calls*.c:\n%s\n' "$missing"
exit 1
