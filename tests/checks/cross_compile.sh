#!/usr/bin/env bash
# libmote compiles without a warning for a system that is not this one; with "link", a program with it links, too.
# usage: cross_compile.sh COMPILER ROOT [link]      such as: cross_compile.sh x86_64-w64-mingw32-gcc . link
set -u
compiler=$1 root=$(realpath "$2") link=${3-}
command -v "$compiler" >/dev/null || { echo "$compiler is not there"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 2
modules=$(sed -n 's/^set(library_modules \(.*\))$/\1/p' CMakeLists.txt)
[ -n "$modules" ] || { echo 'CMakeLists.txt names no library_modules'; exit 2; }
failed=0 compiled=0
for module in $modules; do
    for file in src/"$module"/*.c; do
        [ -e "$file" ] || continue  # a module to come
        "$compiler" -std=c17 -O1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -Iinclude -Isrc -c "$file" \
            -o "$work/$module-$(basename "$file" .c).o" || failed=1
        compiled=$((compiled + 1))
    done
done
echo "$compiler: $compiled files"
[ $compiled -gt 20 ] || failed=1
if [ "$link" ] && [ $failed -eq 0 ]; then
    "$compiler" -std=c17 -Iinclude tests/consumers/main.c "$work"/*.o -lm -o "$work/consumer" || failed=1
fi
exit $failed
