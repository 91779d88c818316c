#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The check of include levels finds what it is there for: one planted violation after the other, in a small house.
set -u
check=$(dirname "$0")/include_levels.sh
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
failed=0

plant() { # FILE TEXT: a file whose second line is TEXT
    local first='#include "mote/base.h"'
    [ "${1##*/}" = tested.h ] && first='// the insides of a module'
    mkdir -p "$house/$(dirname "$1")"
    printf '%s\n%s\n' "$first" "$2" >"$house/$1"
}

expect_refused() { # FILE TEXT
    plant "$1" "$2"
    local answer
    if answer=$(bash "$check" "$house"); then
        echo "not found: $2 in $1"
        failed=1
    elif [ "${answer%%: *}" != "$1:2" ]; then
        echo "expected $1:2, found: $answer"
        failed=1
    fi
    rm "$house/$1"
}

plant src/base/a.c '#include <string.h>'
plant src/base/wide_avx2.h '#include <immintrin.h>'
plant src/base/wide_avx512.h 'inline __m512 wide_add(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }'
plant src/base/lanes_avx2.c '#include "base/a.c"'
plant src/base/b.c 'static uint32_t value_u32 = 0, vacant = 0;  // vacant_u32'
plant src/fluid/a.c '#include "neighbors/internal.h"'
plant src/scene/a.c '#include "mote/simulation.h"'
plant src/render/a.c '#include <epoxy/gl.h>'
plant include/mote/fluid.h '#include "mote/mesh.h"'
plant apps/mote/main.c '#include "options.h"'
plant src/hits/tested.h '#include "hits/internal.h"'
plant tests/test_a.c '#include "hits/tested.h"'
plant tests/support/a.c '#include "support/a.h"'
plant tests/test_b.c '#include <jansson.h>'
bash "$check" "$house" || { echo "a sound house was refused"; failed=1; }

expect_refused src/base/b.c '#include "cells/internal.h"'
expect_refused src/cells/b.c '#include "mote/neighbors.h"'
expect_refused src/fluid/b.c '#include "cloth/internal.h"'
expect_refused src/cloth/b.h '  #  include "mote/fluid.h"'
expect_refused src/neighbors/b.c '#include "broadphase/internal.h"'
expect_refused src/render/b.c '#include "mote/simulation.h"'
expect_refused src/output/b.c '#include "import/number.h"'
expect_refused src/scene/b.c '#include "mote/neighbors.h"'
expect_refused src/hits/b.c '#include "internal.h"'
expect_refused src/hits/b.c '#include "../mesh/internal.h"'
expect_refused src/mesh/b.c '#include <jansson.h>'
expect_refused src/mesh/b.c '#include FT_FREETYPE_H'
expect_refused include/mote/mesh.h '#include "base/internal.h"'
expect_refused apps/mote/b.c '#include "base/internal.h"'
expect_refused bench/b.cpp '#include "neighbors/internal.h"'
expect_refused examples/b.c '#include "cells/internal.h"'
expect_refused papers/figure/b.c '#include "fluid/internal.h"'
expect_refused src/neighbors/b.c '    if (mote_cpu_has(MOTE_SIMD_AVX2)) return find_avx2;'
expect_refused src/neighbors/b.c '#include <immintrin.h>'
expect_refused src/base/b.h '#include <arm_neon.h>'
expect_refused src/neighbors/b.c '    const wide_f32 sum = _mm256_add_ps(a, b);'
expect_refused src/neighbors/b.c '    return _mm_popcnt_u32(bits);'
expect_refused src/hits/b.c '    wide_bits((__mmask16)bits);'
expect_refused src/fluid/b.h 'typedef __m256i eight;'
expect_refused src/fluid/b.h 'typedef float32x4_t four;'
expect_refused src/proxy/b.c '    return vaddvq_u32(v);'
expect_refused src/proxy/b.c '    return wasm_i32x4_bitmask((v128_t)v);'
expect_refused src/base/b.c '    return __builtin_ia32_pmovmskb128(v);'
expect_refused src/neighbors/b.c '#include "neighbors/a.c"'
expect_refused src/neighbors/lanes_avx2.c '#include "cells/a.c"'
expect_refused src/hits/b.c '#include "hits/tested.h"'
expect_refused src/fluid/b.h '#include "hits/tested.h"'
expect_refused src/mesh/tested.h '#include "base/internal.h"'
expect_refused src/mesh/tested.h '#include "base/tested.h"'
expect_refused apps/mote/b.c '#include "base/tested.h"'
expect_refused include/mote/mesh.h '#include "mesh/tested.h"'
expect_refused tests/test_c.c '#include "base/internal.h"'
expect_refused tests/support/b.h '#include "hits/lanes.h"'
expect_refused tests/golden/b.c '#  include <base/order.h>'
expect_refused tests/test_c.c '#include "base/sorts.inl"'
expect_refused tests/test_c.c '#include "../src/base/order.h"'
exit $failed
