#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What COMMAND prints is what it printed when VALUES was written; with --update, VALUES is written anew. An exit status
# of 77 says that COMMAND is not to be run now, and is handed on: CTest calls the test skipped.
# usage: compare.sh [--update] VALUES COMMAND [ARGUMENT ...]
set -u
update=
if [ "$1" = --update ]; then update=1; shift; fi
values=$1
shift
found=$(mktemp)
trap 'rm -f "$found"' EXIT
"$@" >"$found" || exit
if [ "$update" ]; then
    cp "$found" "$values"
else
    diff "$values" "$found" || { echo "^ $values, and what $* finds"; exit 1; }
    echo "$(wc -l <"$values") checksums as in $values"
fi
