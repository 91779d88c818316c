#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An example ends well and prints what its opening comment says that it prints.
# usage: example.sh PROGRAM SOURCE_FILE
set -u
program=$1 source=$2
expected=$(sed -n '/^\/\/ Prints:$/,/^$/ s/^\/\/     //p' "$source")
[ -n "$expected" ] || { echo "$source: no comment says what it prints"; exit 1; }
printed=$("$program") || { echo "$program exits with $?"; exit 1; }
diff <(printf '%s\n' "$expected") <(printf '%s\n' "$printed") || { echo "^ $source: said, printed"; exit 1; }
