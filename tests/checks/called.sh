#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every function that a public header declares is called by the tests of every call (tests/test_calls*.c), and every
# operation of base/wide.h and base/wide4.h by those that compare their forms (tests/wide).
# usage: called.sh ROOT
set -eu
declarations=$(realpath "$(dirname "$0")/declarations.sh")
cd "$1"
bad=0
expect_calls() { # NAMES WHERE FILE...: each of the names, a line each, is called in one of the files
    local called missing
    called=$(grep -ohE '\b[a-z0-9_]+\(' "${@:3}" | tr -d '(' | LC_ALL=C sort -u)
    missing=$(LC_ALL=C comm -23 <(LC_ALL=C sort -u <<<"$1") <(echo "$called"))
    [ -n "$missing" ] || return 0
    printf 'there, but not called by %s:\n%s\n' "$2" "$missing"
    bad=1
}
defined() { # PREFIX FILE...: the functions whose names begin so
    sed -nE "s/^MOTE_INLINE [a-z0-9_ *]*\b($1_[a-z0-9_]+)\(.*/\1/p" "${@:2}"
}

expect_calls "$(bash "$declarations" .)" 'tests/test_calls*.c' tests/test_calls*.c tests/support/calls.h

# wide_min_f32 is called as wide_min, which chooses by the type.
macros=$(sed -nE 's/^#define (wide_[a-z0-9_]+)\(.*/\1/p' src/base/wide.h)
operations=$(for name in $(defined wide src/base/wide_plain.h src/base/wide.h); do
    grep -qx "${name%_*}" <<<"$macros" && echo "${name%_*}" || echo "$name"
done)
expect_calls "$macros"$'\n'"$operations" tests/wide/cases.inl tests/wide/cases.inl
expect_calls "$(defined f4 src/base/wide4.h)" tests/wide/compare.c tests/wide/compare.c
[ "$(wc -l <<<"$operations")" -gt 100 ] || { echo "found few operations in base/wide_plain.h"; bad=1; }
exit $bad
