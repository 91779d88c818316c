#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone, without a warning, and is under 400 lines; and all of them do in one file.
# usage: headers_alone.sh ROOT COMPILER LANGUAGE STANDARD      such as: headers_alone.sh . g++ c++ c++17
set -u
cd "$1" || exit 2
compiler=$2 language=$3 standard=$4
failed=0
# Included, not compiled as it is: warnings about unused inline functions belong to main files. The declaration is for
# C, which takes no empty file.
compiles() { # INCLUDE-LINES
    printf '%s\nint mote_header_alone;\n' "$1" |
        "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -
}

all=
for header in include/mote/*.h; do
    line="#include \"${header#include/}\""
    all+=$line$'\n'
    compiles "$line" || {
        echo "$header does not compile alone"
        failed=1
    }
    lines=$(wc -l <"$header")
    if [ "$lines" -ge 400 ]; then
        echo "$header: $lines lines, expected fewer than 400"
        failed=1
    fi
done
compiles "$all" || {
    echo "the public headers do not compile together"
    failed=1
}
exit $failed
