#!/usr/bin/env bash
# libmote compiles without a warning for a system that is not this one; with "link", a program with it links, too; with
# "run", an emulator runs that system's programs, and every row of neighbours there has the bits that it has here.
# usage: cross_compile.sh COMPILER ROOT [link | run EMULATOR]
set -u
compiler=$1 root=$(realpath "$2") mode=${3-} emulator=${4-}
for program in "$compiler" ${emulator:+"$emulator"}; do
    command -v "$program" >/dev/null || { echo "$program is not there"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 2
modules=$(sed -n 's/^set(library_modules \(.*\))$/\1/p' CMakeLists.txt)
[ -n "$modules" ] || { echo 'CMakeLists.txt names no library_modules'; exit 2; }

compile() { # COMPILER FOLDER
    local module file failed=0 compiled=0
    mkdir "$2"
    for module in $modules; do
        for file in src/"$module"/*.c; do
            [ -e "$file" ] || continue  # a module to come
            "$1" -std=c17 -O1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -Iinclude -Isrc -c "$file" \
                -o "$2/$module-$(basename "$file" .c).o" || failed=1
            compiled=$((compiled + 1))
        done
    done
    echo "$1: $compiled files"
    [ $compiled -gt 20 ] && [ $failed -eq 0 ]
}

link() { # COMPILER FOLDER SOURCE OPTION...
    "$1" -std=c17 -O1 -ffp-contract=off -Iinclude "$3" "$2"/*.o -lm -o "$2/program" "${@:4}"
}

compile "$compiler" "$work/there" || exit 1
case $mode in
'') ;;
link) link "$compiler" "$work/there" tests/consumers/main.c || exit 1 ;;
run)
    link "$compiler" "$work/there" tests/checks/bits.c -static || exit 1
    "$emulator" "$work/there/program" >"$work/there/bits" || exit 1
    if ! compile cc "$work/here" || ! link cc "$work/here" tests/checks/bits.c; then exit 1; fi
    "$work/here/program" >"$work/here/bits" || exit 1
    diff "$work/here/bits" "$work/there/bits" || { echo "^ cc's program, $compiler's"; exit 1; }
    echo "$compiler: $(wc -l <"$work/there/bits") checksums of rows as here"
    ;;
*)
    echo "cross_compile.sh: '$mode' is neither link nor run" >&2
    exit 2
    ;;
esac
