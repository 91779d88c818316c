#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libmote compiles without a warning for a system that is not this one; with "link", a program with it links, too; with
# "run", an emulator runs that system's programs, and all that is found there has the bits of tests/golden/values.txt,
# with vectors and without.
# usage: cross_compile.sh COMPILER ROOT [link | run EMULATOR]
set -u
compiler=$1 root=$(realpath "$2") mode=${3-} emulator=${4-}
for program in "$compiler" ${emulator:+"$emulator"}; do
    command -v "$program" >/dev/null || { echo "$program is not there"; exit 1; }
done
forms=(simd128 plain) options=() linking=(-static)
case $compiler in
*emcc)
    options=(-msimd128) linking=(-sSINGLE_FILE=1 -sALLOW_MEMORY_GROWTH=1)
    forms=(best)  # its programs see no environment
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 2
modules=$(tr '\n' ' ' <CMakeLists.txt | sed -n 's/.*set(library_modules *\([^)]*\)).*/\1/p')
[ -n "$modules" ] || { echo 'CMakeLists.txt names no library_modules'; exit 2; }

compile() { # COMPILER FOLDER
    local module file failed=0 compiled=0
    mkdir "$2"
    for module in $modules; do
        for file in src/"$module"/*.c; do
            [ -e "$file" ] || continue  # a module to come
            "$1" -std=c17 -O1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off "${options[@]}" -Iinclude -Isrc \
                -c "$file" \
                -o "$2/$module-$(basename "$file" .c).o" || failed=1
            compiled=$((compiled + 1))
        done
    done
    echo "$1: $compiled files"
    [ $compiled -gt 20 ] && [ $failed -eq 0 ]
}

link() { # COMPILER FOLDER SOURCE... [OPTION...]
    "$1" -std=c17 -O1 -ffp-contract=off "${options[@]}" -Iinclude -Isrc "${@:3}" "$2"/*.o -lm -o "$2/program"
}

compile "$compiler" "$work/there" || exit 1
case $mode in
'') ;;
link) link "$compiler" "$work/there" tests/consumers/main.c || exit 1 ;;
run)
    link "$compiler" "$work/there" tests/wide/{plain,128,compare,emulated}.c -Itests "${linking[@]}" || exit 1
    "$emulator" "$work/there/program" || exit 1
    link "$compiler" "$work/there" tests/golden/*.c "${linking[@]}" || exit 1
    for form in "${forms[@]}"; do
        MOTE_SIMD=$form "$emulator" "$work/there/program" 2 >"$work/there/bits" || exit 1
        diff tests/golden/values.txt "$work/there/bits" || { echo "^ values.txt, $compiler's program, $form"; exit 1; }
        echo "$compiler, $form: $(wc -l <"$work/there/bits") checksums of what is found as here"
    done
    ;;
*)
    echo "cross_compile.sh: '$mode' is neither link nor run" >&2
    exit 2
    ;;
esac
