#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libmote compiles without a warning for a system that is not this one; with "link", a program with it links, too; with
# "run", an emulator runs that system's programs, and all that is found there has the bits of tests/golden/values.txt,
# with vectors and without. With "bodies", what is made is bench/bodies.c for that system, optimised, as FILE.
# usage: cross_compile.sh COMPILER ROOT [link | run EMULATOR | bodies FILE]      COMPILER and EMULATOR may have options
set -u
read -ra compiler <<<"$1"
root=$(realpath "$2") mode=${3-} emulator=() optimise=-O1
case $mode in
run) read -ra emulator <<<"$4" ;;
bodies)
    optimise=-O3
    made=$(realpath "$4")
    ;;
esac
for program in "${compiler[0]}" ${emulator[0]+"${emulator[0]}"}; do
    command -v "$program" >/dev/null || { echo "$program is not there"; exit 1; }
done
forms=(simd128 plain) options=() linking=(-static)
case $1 in
*emcc)
    options=(-msimd128) linking=(-sSINGLE_FILE=1 -sALLOW_MEMORY_GROWTH=1)
    forms=(best)  # its programs see no environment
    ;;
*wasm32-wasi*) options=(-msimd128) linking=() ;;
esac
warnings=(-Wall -Wextra -Wpedantic)
case ${compiler[0]} in
*mingw32*) ;;  # its isnan() converts
*) warnings+=(-Wshadow -Wconversion) ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 2
modules=$(tr '\n' ' ' <CMakeLists.txt | sed -n 's/.*set(library_modules *\([^)]*\)).*/\1/p')
[ -n "$modules" ] || { echo 'CMakeLists.txt names no library_modules'; exit 2; }
[ "$mode" != bodies ] || modules='base cells mesh neighbors broadphase response hits'
flags=(-std=c17 "$optimise" -ffp-contract=off -fno-math-errno "${options[@]}" -Iinclude -Isrc)

compile() { # FOLDER
    local module file compiled
    mkdir "$1"
    for module in $modules; do
        for file in src/"$module"/*.c; do
            [ -e "$file" ] || continue  # a module to come
            printf '%s\0%s\0' "$file" "$1/$module-$(basename "$file" .c).o"
        done
    done | xargs -0 -n 2 -P "$(nproc)" bash -c \
        'file=${*: -2:1} object=${*: -1}; set -- "${@:1:$#-2}"; exec "$@" -c "$file" -o "$object"' compile \
        "${compiler[@]}" "${flags[@]}" "${warnings[@]}" -Werror || return
    compiled=$(find "$1" -name '*.o' | wc -l)
    echo "${compiler[*]}: $compiled files"
    [ "$compiled" -gt 20 ]
}

link() { # PROGRAM FOLDER SOURCE... [OPTION...]
    "${compiler[@]}" "${flags[@]}" "${@:3}" "$2"/*.o -lm "${linking[@]}" -o "$1"
}

compile "$work/there" || exit 1
case $mode in
'') ;;
link)
    linking=()
    link "$work/program" "$work/there" tests/consumers/main.c || exit 1
    ;;
run)
    link "$work/program" "$work/there" tests/wide/{plain,128,compare,emulated}.c -Itests || exit 1
    "${emulator[@]}" "$work/program" || exit 1
    link "$work/program" "$work/there" tests/golden/*.c || exit 1
    for form in "${forms[@]}"; do
        MOTE_SIMD=$form "${emulator[@]}" "$work/program" 2 >"$work/bits" || exit 1
        diff tests/golden/values.txt "$work/bits" || { echo "^ values.txt, ${compiler[*]}'s program, $form"; exit 1; }
        echo "${compiler[*]}, $form: $(wc -l <"$work/bits") checksums of what is found as here"
    done
    ;;
bodies) link "$made" "$work/there" bench/{bodies,workloads,box_workloads,hit_workloads}.c -Ibench || exit 1 ;;
*)
    echo "cross_compile.sh: '$mode' is none of link, run, bodies" >&2
    exit 2
    ;;
esac
