#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Counts the instructions that lists, pairs of boxes and first hits execute with vectors of four and in plain C, on
# emulated processors: NEON on arm64; and SIMD128 in node, as node's optimising compiler translates it for x86-64.
# usage: scripts/instructions.sh arm64|wasm      needs what scripts/setup.sh --long installs; takes minutes
#        CFLAGS=...                              for the compiler; without vectors in the plain form:
#                                                -fno-tree-vectorize (arm64), -fno-vectorize -fno-slp-vectorize (wasm)
# Two runs differ in their number of repetitions alone, so that the difference is that of warm repetitions. What each
# function executed in a run stays in build/counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=2
case ${1-} in
arm64)
    compiler="aarch64-linux-gnu-gcc ${CFLAGS-}"
    run=(qemu-aarch64 -plugin build/count.so build/bodies-arm64)
    ;;
wasm)
    compiler="clang --target=wasm32-wasi ${CFLAGS-}"
    export WASI_NAMES=1  # /tmp/perf-PROCESS.map then has where node keeps which function
    run=(qemu-x86_64 -plugin build/count.so "$(command -v node)" --no-warnings --experimental-wasi-unstable-preview1
        --no-liftoff --no-wasm-lazy-compilation --single-threaded --perf-basic-prof tests/checks/wasi.mjs
        build/bodies-wasm)
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
# "0x1a2b 17" becomes "function 17": addresses of blocks, by a map of node's functions. What node itself executes is
# left out: it differs from run to run by more than first hits take.
name_blocks() { # MAP
    python3 -c '
import bisect, collections, re, sys
places = sorted((int(start, 16), int(size, 16), name) for start, size, name in
                re.findall(r"^([0-9a-f]+) ([0-9a-f]+) (\S+)", open(sys.argv[1], errors="replace").read(), re.M))
sums = collections.Counter()
for name, count in re.findall(r"^(.+) (\d+)$", sys.stdin.buffer.read().decode(errors="replace"), re.M):
    if name.startswith("0x"):
        k = bisect.bisect(places, (int(name, 16), 1 << 64)) - 1
        is_known = k >= 0 and int(name, 16) < places[k][0] + places[k][1]
        name = is_known and re.match(r"JS:(.*)-\d+-turbofan", places[k][2])
        if name: sums[name[1]] += int(count)
for name, count in sums.items(): print(name, count)' "$1"
}

count() { # FORM BODY COUNT REPETITIONS      in a subshell
    local by_function=build/counts/$2-$1-$4
    MOTE_SIMD=$1 "${run[@]}" "${@:2}" 2>"$by_function.raw" >/dev/null &
    map=/tmp/perf-$!.map
    trap 'rm -f "$map"' EXIT
    wait $!
    if [ -e "$map" ]; then
        name_blocks "$map" <"$by_function.raw"
    else
        cat "$by_function.raw"
    fi | sort -k 2 -n >"$by_function"
    rm -f "$by_function.raw" isolate-*-v8.log
    awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$by_function"
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
