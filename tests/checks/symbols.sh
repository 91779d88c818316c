#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every symbol that an archive shows to the linker begins with mote_, and none of its data can be written to: a library
# keeps no global state but the default context's pool of threads. Tables that hold addresses (.data.rel.ro) are
# constant once loaded. Nor does it need anybody else's threads: OpenMP's run times wait and hang where ours must not.
# Nor functions of the C library's mathematics that are right to the last bit on one processor and not on the next:
# base/elementary.h has them.
# usage: symbols.sh ARCHIVE...
set -eu
failed=0
inexact_names='(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p)?|pow|cbrt|hypot|erfc?|[lt]gamma)'

for archive in "$@"; do
    strangers=$(nm -A -g --defined-only "$archive" 2>/dev/null | awk 'NF && $NF !~ /^mote_/')
    if [ -n "$strangers" ]; then
        printf 'external symbols without mote_:\n%s\n' "$strangers"
        failed=1
    fi
    # objdump's columns: value, flags, section, size, name; a member is announced by a line "NAME.o: file format".
    writable=$(objdump -t "$archive" | awk '
        /file format/ { member = $1 }
        member == "parallel.c.o:" && $NF ~ /^default_(pool|threads)$/ { next }
        {
            for (k = 2; k < NF; ++k)
                if ($k ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $k !~ /^\.data\.rel\.ro/ && $NF !~ /^\./)
                    print member, $NF, "in", $k
        }')
    if [ -n "$writable" ]; then
        printf 'data that can be written to:\n%s\n' "$writable"
        failed=1
    fi
    openmp=$(nm -A -u "$archive" 2>/dev/null | grep -E ' U (GOMP|omp|__kmpc)_' || true)
    if [ -n "$openmp" ]; then
        printf 'needs OpenMP:\n%s\n' "$openmp"
        failed=1
    fi
    inexact=$(nm -A -u "$archive" 2>/dev/null | grep -E " U $inexact_names[fl]?$" || true)
    if [ -n "$inexact" ]; then
        printf 'results that differ by processor:\n%s\n' "$inexact"
        failed=1
    fi
    nm -g --defined-only "$archive" 2>/dev/null | grep -q ' T mote_' || { echo "$archive: no symbols"; failed=1; }
done
exit $failed
