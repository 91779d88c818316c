#!/usr/bin/env bash
# The library's sources compile with no flags but the include paths: they can be dropped into any build.
# usage: bare_compile.sh COMPILER SOURCE_DIR FILE...
set -u
compiler=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0
for file in "$@"; do
    "$compiler" -c "$file" "-I$source/include" "-I$source/src" -o file.o || failed=1
done
exit $failed
