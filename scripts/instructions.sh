#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Counts the instructions that lists, pairs of boxes and first hits execute with vectors of four and in plain C, on
# emulated processors: NEON on arm64; and SIMD128 in node, as node's optimising compiler translates it for x86-64.
# usage: scripts/instructions.sh arm64|wasm      needs what scripts/setup.sh --long installs; takes minutes
# Two runs differ in their number of repetitions alone, so that the difference is that of warm repetitions. What each
# function of the arm64 program executed stays in build/counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=2
case ${1-} in
arm64)
    compiler=aarch64-linux-gnu-gcc
    run=(qemu-aarch64 -plugin build/count.so build/bodies-arm64)
    ;;
wasm)
    compiler='clang --target=wasm32-wasi'
    run=(qemu-x86_64 -plugin build/count.so "$(command -v node)" --no-warnings --experimental-wasi-unstable-preview1
        --no-liftoff --single-threaded tests/checks/wasi.mjs build/bodies-wasm)
    repetitions=5  # node itself executes a number that differs from run to run
    ;;
*)
    echo 'usage: scripts/instructions.sh arm64|wasm' >&2
    exit 2
    ;;
esac
mkdir -p build
bash tests/checks/cross_compile.sh "$compiler" . bodies "build/bodies-$1"
gcc -std=c17 -Wall -Wextra -O2 -shared -fPIC -o build/count.so bench/count_instructions.c

mkdir -p build/counts
count() { # FORM BODY COUNT REPETITIONS
    local by_function=build/counts/$2-$1-$4
    MOTE_SIMD=$1 "${run[@]}" "${@:2}" 2>&1 >/dev/null | sort -k 2 -n >"$by_function"
    awk '{ sum += $2 } END { printf "%.0f\n", sum }' "$by_function"
}

printf '%-16s %14s %14s %6s\n' body plain simd128 ratio
for body in 'lists 20000' 'lattice 20000' 'pairs 20000' 'hits 20000'; do
    read -ra what <<<"$body"
    each=()
    for form in plain simd128; do
        few=$(count $form "${what[@]}" 1)
        many=$(count $form "${what[@]}" $((1 + repetitions)))
        each+=($(((many - few) / repetitions)))
    done
    printf '%-16s %14d %14d %6s\n' "$body" "${each[@]}" "$((each[0] * 100 / each[1]))%"
done
