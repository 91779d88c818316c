#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles libmote to WebAssembly (wasm32, WASI, SIMD128) by Debian's clang and runs it in node: all operations of
# vectors against plain C, then the checksums of tests/golden with vectors and without.
# usage: scripts/wasm.sh [--time]      --time: also lists, pairs of boxes and first hits, in node and natively
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# node 20's threads that compile made every other run crash at its end.
compiler='clang --target=wasm32-wasi' node='node --no-warnings --experimental-wasi-unstable-preview1 --single-threaded'
case ${1-} in
'' | --time) ;;
*)
    echo 'usage: scripts/wasm.sh [--time]' >&2
    exit 2
    ;;
esac
scripts/setup.sh --wasm
bash tests/checks/cross_compile.sh "$compiler" . run "$node tests/checks/wasi.mjs"
[ "${1-}" ] || exit 0

mkdir -p build
bash tests/checks/cross_compile.sh "$compiler" . bodies build/bodies-wasm
bash tests/checks/cross_compile.sh clang . bodies build/bodies-here
for body in 'lists 200000 9' 'lattice 200000 9' 'pairs 50000 9' 'hits 200000 9'; do
    read -ra what <<<"$body"
    echo "here: $(build/bodies-here "${what[@]}")"
    for form in plain simd128; do
        # Compiled by node's optimising compiler before they start, loops need no warm-up.
        echo "node: $(MOTE_SIMD=$form $node --no-liftoff tests/checks/wasi.mjs build/bodies-wasm "${what[@]}")"
    done
done
