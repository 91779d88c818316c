#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The checks of archives find what they are there for.
# usage: archives_self_test.sh COMPILER
set -u
here=$(dirname "$0") compiler=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

archive() { # SOURCE: makes an archive of it
    rm -f "$work/a.a"
    printf '%s\n' 'int mote_one(int); int mote_one(int n) { return n + 1; }' "$1" >"$work/a.c"
    "$compiler" -O1 -c "$work/a.c" -o "$work/a.o" && ar rc "$work/a.a" "$work/a.o"
}

expect() { # CHECK STATUS SOURCE
    archive "$3"
    bash "$here/$1.sh" "$work/a.a" >"$work/answer" 2>&1
    if [ $? -ne "$2" ]; then
        echo "$1: expected exit status $2 for: $3"
        cat "$work/answer"
        failed=1
    fi
}

expect symbols 0 'static const char *const names[] = {"a", "b"};
const char *mote_name(int i) { return names[i]; }'
expect symbols 1 'int helper(int n) { return n; }'
expect symbols 1 'static int calls; int mote_count(void) { return ++calls; }'
expect symbols 1 'static int calls = 5; int mote_count(void) { return ++calls; }'
expect symbols 1 'int mote_count(void) { static _Thread_local int calls; return ++calls; }'
expect symbols 1 'int mote_state;'
expect symbols 1 'int omp_get_max_threads(void); int mote_count(void) { return omp_get_max_threads(); }'
expect symbols 1 '#include <math.h>
double mote_turn(double x) { return sin(x); }'
expect symbols 0 '#include <math.h>
double mote_root(double x) { return sqrt(x) + floor(x); }'
expect silence 0 '#include <stdio.h>
int mote_text(char *t) { return snprintf(t, 9, "%p", (void *)t); }'
expect silence 1 '#include <stdio.h>
void mote_say(int n) { printf("%d", n); }'
expect silence 1 '#include <stdio.h>
void mote_say(int n) { fprintf(stderr, "%d", n); }'
expect silence 1 '#include <stdlib.h>
void mote_leave(void) { exit(1); }'

# A function that a header declares and nobody defines.
mkdir -p "$work/include/mote"
for k in {1..60}; do echo "MOTE_API int mote_f$k(int n);"; done >"$work/include/mote/a.h"
bodies=$(for k in {1..60}; do echo "int mote_f$k(int n); int mote_f$k(int n) { return n; }"; done)
archive "$bodies"
bash "$here/declared.sh" "$work" "$work/a.a" >"$work/answer" || { cat "$work/answer"; failed=1; }
printf 'MOTE_API const char *\nmote_lost(const char *word,\n    int n);\n' >>"$work/include/mote/a.h"
bash "$here/declared.sh" "$work" "$work/a.a" >"$work/answer" && { echo 'declared: mote_lost was not missed'; failed=1; }
grep -qx mote_lost "$work/answer" || { cat "$work/answer"; failed=1; }
exit $failed
