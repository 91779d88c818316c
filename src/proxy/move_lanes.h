// SPDX-License-Identifier: MIT
// proxy/move_lanes.h: eight motions at once, as long as they have no collision and pass at most one face.
//
// Everything is in float. A lane is left to the scalar walk where float's rounding could put a point into another
// leaf than double does, or a motion on the other side of a normal, and also if it passes several faces, meets a
// wall or sees both sides. The results of the other lanes are those of the walk.
#ifndef MOTE_PROXY_MOVE_LANES_H
#define MOTE_PROXY_MOVE_LANES_H

#include "proxy/internal.h"

#if MOTE_HAVE_AVX2
#include <immintrin.h>

// A motion against a normal by less than this share of both lengths is left to the walk.
#define MOTE_LANES_TANGENTIAL 1e-4f

typedef struct mote_lanes_proxy {
    const mote_proxy *proxy;
    float origin[3], scale;  // finest leaves
    float slack;             // effect of rounding on coordinates in finest leaves
    float table_slack;       // the same in cells of the table
    bool usable;             // slack is small enough
} mote_lanes_proxy;

// Three coordinates of eight points.
typedef struct mote_lanes_vec {
    __m256 k[3];
} mote_lanes_vec;

// The leaves that hold eight cells: their kind, and for leaves with triangles the node. Masks are all ones or all
// zeros in each lane.
typedef struct mote_lanes_spot {
    __m256i kind, height;
    __m256i node, packed, bits;
} mote_lanes_spot;

// Results of eight motions, a bit for each lane. A lane that is neither quiet nor hit is left to the walk.
typedef struct mote_lanes_result {
    uint32_t quiet;        // no collision
    uint32_t hit;          // collides with a normal
    uint32_t passed;       // passes a face
    __m256i labels;        // of lanes that are quiet or hit
    __m256i node, packed;  // of lanes that are hit: the leaf and its normal,
    __m256i inside;        // all ones where no face was passed,
    __m256i axis, bound;   // and the face that was
} mote_lanes_result;

// Splits x, y, z, x, … into three vectors.
MOTE_TARGET_AVX2 static inline mote_lanes_vec mote_lanes_load_xyz(const float *xyz)
{
    const __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(xyz)), _mm_loadu_ps(xyz + 12), 1);
    const __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(xyz + 4)), _mm_loadu_ps(xyz + 16), 1);
    const __m256 c = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(xyz + 8)), _mm_loadu_ps(xyz + 20), 1);
    const __m256 xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2)),
                 yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));
    mote_lanes_vec v = {{_mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0)),
                         _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)),
                         _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1))}};
    return v;
}

MOTE_TARGET_AVX2 static inline __m256i mote_lanes_octant(const __m256i cell[3], __m256i height)
{
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i x = _mm256_and_si256(_mm256_srlv_epi32(cell[0], height), one),
                  y = _mm256_and_si256(_mm256_srlv_epi32(cell[1], height), one),
                  z = _mm256_and_si256(_mm256_srlv_epi32(cell[2], height), one);
    return _mm256_or_si256(x, _mm256_or_si256(_mm256_slli_epi32(y, 1), _mm256_slli_epi32(z, 2)));
}

// Number of bits set in the lowest byte.
MOTE_TARGET_AVX2 static inline __m256i mote_lanes_count(__m256i bits)
{
    const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
                                            2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi32(15);
    const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, nibble));
    const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi32(bits, 4), nibble));
    return _mm256_and_si256(_mm256_add_epi32(low, high), nibble);
}

// The table's entries for cells of the root.
MOTE_TARGET_AVX2 static inline __m256i mote_lanes_entry(const mote_proxy *proxy, const __m256i cell[3])
{
    const int shift = proxy->def.table_depth, height = proxy->def.max_depth - shift;
    const __m256i x = _mm256_srli_epi32(cell[0], height), y = _mm256_srli_epi32(cell[1], height),
                  z = _mm256_srli_epi32(cell[2], height);
    const __m256i index =
        _mm256_add_epi32(_mm256_slli_epi32(z, 2 * shift), _mm256_add_epi32(_mm256_slli_epi32(y, shift), x));
    return _mm256_i32gather_epi32((const int *)(const void *)proxy->table, index, 4);
}

_Static_assert(sizeof(mote_proxy_node) == 8, "gathered by AVX2 code");

// The nodes' two words in the wanted lanes; other lanes are undefined.
MOTE_TARGET_AVX2 static inline void mote_lanes_nodes(const mote_proxy *proxy, __m256i number, __m256i wanted,
                                                     __m256i *first, __m256i *bits)
{
    const long long *nodes = (const long long *)(const void *)proxy->nodes;
    const __m256i at = _mm256_and_si256(number, wanted);
    const __m256 low = _mm256_castsi256_ps(_mm256_i32gather_epi64(nodes, _mm256_castsi256_si128(at), 8));
    const __m256 high = _mm256_castsi256_ps(_mm256_i32gather_epi64(nodes, _mm256_extracti128_si256(at, 1), 8));
    const __m256 even = _mm256_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0));
    const __m256 odd = _mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1));
    *first = _mm256_permute4x64_epi64(_mm256_castps_si256(even), _MM_SHUFFLE(3, 1, 2, 0));
    *bits = _mm256_permute4x64_epi64(_mm256_castps_si256(odd), _MM_SHUFFLE(3, 1, 2, 0));
}

// The leaves in the wanted lanes, as mote_proxy_find returns them; other lanes are undefined.
MOTE_TARGET_AVX2 static inline mote_lanes_spot mote_lanes_find(const mote_proxy *proxy, const __m256i cell[3],
                                                               __m256i entry, __m256i wanted)
{
    const __m256i seven = _mm256_set1_epi32(7), one = _mm256_set1_epi32(1), inner = _mm256_set1_epi32(MOTE_PROXY_INNER);
    const __m256i leaf = _mm256_set1_epi32(MOTE_PROXY_LEAF), deepest = _mm256_set1_epi32(proxy->def.max_depth);
    mote_lanes_spot spot;
    spot.kind = _mm256_and_si256(entry, seven);
    spot.node = _mm256_srli_epi32(entry, 3);
    spot.packed = spot.bits = _mm256_setzero_si256();
    spot.height = _mm256_sub_epi32(deepest, _mm256_and_si256(spot.node, _mm256_set1_epi32(31)));
    __m256i below = _mm256_and_si256(wanted, _mm256_cmpeq_epi32(spot.kind, inner));
    __m256i height = _mm256_set1_epi32(proxy->def.max_depth - proxy->def.table_depth);
    while (!_mm256_testz_si256(below, below)) {
        __m256i first, bits;
        mote_lanes_nodes(proxy, spot.node, below, &first, &bits);
        height = _mm256_sub_epi32(height, one);
        const __m256i octant = mote_lanes_octant(cell, height), mine = _mm256_srlv_epi32(bits, octant);
        const __m256i before = _mm256_sub_epi32(_mm256_sllv_epi32(one, octant), one);
        const __m256i child = _mm256_add_epi32(first, mote_lanes_count(_mm256_and_si256(bits, before)));
        const __m256i exists = _mm256_cmpeq_epi32(_mm256_and_si256(mine, one), one);
        const __m256i is_inner = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_srli_epi32(mine, 8), one), one);
        __m256i kind = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(mine, 16), one),
                                       _mm256_and_si256(_mm256_srli_epi32(mine, 23), _mm256_set1_epi32(2)));
        kind = _mm256_blendv_epi8(kind, _mm256_blendv_epi8(leaf, inner, is_inner), exists);
        spot.kind = _mm256_blendv_epi8(spot.kind, kind, below);
        spot.node = _mm256_blendv_epi8(spot.node, child, below);
        spot.height = _mm256_blendv_epi8(spot.height, height, below);
        below = _mm256_and_si256(below, _mm256_cmpeq_epi32(spot.kind, inner));
    }
    const __m256i is_leaf = _mm256_and_si256(wanted, _mm256_cmpeq_epi32(spot.kind, leaf));
    if (!_mm256_testz_si256(is_leaf, is_leaf)) {
        mote_lanes_nodes(proxy, spot.node, is_leaf, &spot.packed, &spot.bits);
        const __m256i depth = _mm256_srli_epi32(spot.bits, MOTE_PROXY_LEAF_DEPTH);
        spot.height = _mm256_blendv_epi8(spot.height, _mm256_sub_epi32(deepest, depth), is_leaf);
    }
    return spot;
}

MOTE_TARGET_AVX2 static inline __m256i mote_lanes_equal(__m256i a, int b)
{
    return _mm256_cmpeq_epi32(a, _mm256_set1_epi32(b));
}

// Ones where, with rounding, a coordinate may belong to the neighbouring finest leaf.
MOTE_TARGET_AVX2 static inline __m256 mote_lanes_near_face(const mote_lanes_proxy *p, __m256 at)
{
    const __m256 whole = _mm256_round_ps(at, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 off = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(at, whole));
    return _mm256_cmp_ps(off, _mm256_set1_ps(p->slack), _CMP_NGT_UQ);
}

// A component of packed normals, times 511.
MOTE_TARGET_AVX2 static inline __m256i mote_lanes_component(__m256i packed, int axis)
{
    return _mm256_srai_epi32(_mm256_slli_epi32(packed, 22 - 10 * axis), 22);
}

// A motion through leaves with triangles.
typedef struct mote_lanes_test {
    __m256i away, against;
} mote_lanes_test;

// Tests the normals of the leaves in the wanted lanes. Two-sided leaves and cases too near to decide get neither
// result.
MOTE_TARGET_AVX2 static inline mote_lanes_test mote_lanes_normals(const mote_lanes_spot *leaf, __m256i wanted,
                                                                  const mote_lanes_vec *motion, __m256i labels)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i two_sided = _mm256_and_si256(leaf->bits, _mm256_set1_epi32(MOTE_PROXY_TWO_SIDED));
    __m256 along = _mm256_setzero_ps(), length2 = along;
    for (int k = 0; k < 3; ++k) {
        const __m256 normal = _mm256_cvtepi32_ps(mote_lanes_component(leaf->packed, k));
        along = _mm256_add_ps(along, _mm256_mul_ps(normal, motion->k[k]));
        length2 = _mm256_add_ps(length2, _mm256_mul_ps(motion->k[k], motion->k[k]));
    }
    const __m256 back = _mm256_castsi256_ps(mote_lanes_equal(labels, MOTE_PROXY_BACK));
    along = _mm256_xor_ps(along, _mm256_and_ps(back, _mm256_set1_ps(-0.0f)));
    const float limit = 511 * MOTE_LANES_TANGENTIAL;
    const __m256 sure =
        _mm256_cmp_ps(_mm256_mul_ps(along, along), _mm256_mul_ps(length2, _mm256_set1_ps(limit * limit)), _CMP_GT_OQ);
    const __m256i usable = _mm256_and_si256(wanted, _mm256_cmpeq_epi32(two_sided, zero));
    const __m256i decided = _mm256_and_si256(usable, _mm256_castps_si256(sure));
    const __m256i negative = _mm256_castps_si256(_mm256_cmp_ps(along, _mm256_setzero_ps(), _CMP_LT_OQ));
    mote_lanes_test test = {_mm256_andnot_si256(negative, decided), _mm256_and_si256(negative, decided)};
    return test;
}

MOTE_TARGET_AVX2 static inline __m256i mote_lanes_stamp(__m256i labels, __m256i kind)
{
    const __m256i pure =
        _mm256_or_si256(mote_lanes_equal(kind, MOTE_PROXY_FRONT), mote_lanes_equal(kind, MOTE_PROXY_BACK));
    return _mm256_blendv_epi8(labels, kind, pure);
}

// The second leaf of motions that pass one face; `crossing` is set where this is so and no other leaf follows.
typedef struct mote_lanes_crossing {
    mote_lanes_spot to;
    __m256i crossing, axis, bound;
} mote_lanes_crossing;

MOTE_TARGET_AVX2 static inline mote_lanes_crossing mote_lanes_cross(const mote_proxy *proxy,
                                                                    const mote_lanes_spot *from, const __m256i start[3],
                                                                    const __m256i end[3], __m256i moved[3],
                                                                    __m256i wanted)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
    mote_lanes_crossing c;
    // `moved` holds −1 for each axis along which the leaf is left.
    const __m256i count = _mm256_add_epi32(moved[0], _mm256_add_epi32(moved[1], moved[2]));
    c.crossing = _mm256_and_si256(wanted, mote_lanes_equal(count, -1));
    c.axis = c.bound = zero;
    if (_mm256_testz_si256(c.crossing, c.crossing)) return c;
    c.to = mote_lanes_find(proxy, end, mote_lanes_entry(proxy, end), c.crossing);
    const __m256i size = _mm256_sllv_epi32(one, from->height), to_size = _mm256_sllv_epi32(one, c.to.height);
    for (int k = 0; k < 3; ++k) {
        const __m256i low = _mm256_sllv_epi32(_mm256_srlv_epi32(start[k], from->height), from->height);
        const __m256i to_low = _mm256_sllv_epi32(_mm256_srlv_epi32(end[k], c.to.height), c.to.height);
        const __m256i up = _mm256_cmpgt_epi32(end[k], start[k]);
        const __m256i high = _mm256_add_epi32(low, size), to_high = _mm256_add_epi32(to_low, to_size);
        const __m256i bound = _mm256_blendv_epi8(low, high, up);
        const __m256i beside = _mm256_cmpeq_epi32(bound, _mm256_blendv_epi8(to_high, to_low, up));
        const __m256i within =
            _mm256_cmpeq_epi32(_mm256_srlv_epi32(_mm256_xor_si256(start[k], end[k]), c.to.height), zero);
        c.crossing = _mm256_and_si256(c.crossing, _mm256_blendv_epi8(within, beside, moved[k]));
        c.axis = _mm256_blendv_epi8(c.axis, _mm256_set1_epi32(k), moved[k]);
        c.bound = _mm256_blendv_epi8(c.bound, bound, moved[k]);
    }
    return c;
}

MOTE_TARGET_AVX2 static inline uint32_t mote_lanes_bits(__m256i mask)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(mask));
}

// Start and end of motions in finest leaves; usable where both lie in the root and not in a face of a leaf.
typedef struct mote_lanes_way {
    __m256i start[3], end[3];
    __m256i usable;
} mote_lanes_way;

MOTE_TARGET_AVX2 static inline mote_lanes_way mote_lanes_place(const mote_lanes_proxy *p, const mote_lanes_vec *from,
                                                               const mote_lanes_vec *to)
{
    const __m256 zero = _mm256_setzero_ps(), scale = _mm256_set1_ps(p->scale);
    const __m256 across = _mm256_set1_ps((float)(1u << p->proxy->def.max_depth));
    __m256 inside = _mm256_castsi256_ps(_mm256_set1_epi32(-1)), near = zero, at[3], then[3];
    for (int k = 0; k < 3; ++k) {
        const __m256 origin = _mm256_set1_ps(p->origin[k]);
        at[k] = _mm256_mul_ps(_mm256_sub_ps(from->k[k], origin), scale);
        then[k] = _mm256_mul_ps(_mm256_sub_ps(to->k[k], origin), scale);
        const __m256 least = _mm256_min_ps(at[k], then[k]), most = _mm256_max_ps(then[k], at[k]);
        inside = _mm256_and_ps(
            inside, _mm256_and_ps(_mm256_cmp_ps(least, zero, _CMP_GE_OQ), _mm256_cmp_ps(most, across, _CMP_LT_OQ)));
        near = _mm256_or_ps(near, _mm256_or_ps(mote_lanes_near_face(p, at[k]), mote_lanes_near_face(p, then[k])));
    }
    mote_lanes_way way;
    way.usable = _mm256_castps_si256(_mm256_andnot_ps(near, inside));
    for (int k = 0; k < 3; ++k) {
        way.start[k] = _mm256_and_si256(_mm256_cvttps_epi32(at[k]), way.usable);
        way.end[k] = _mm256_and_si256(_mm256_cvttps_epi32(then[k]), way.usable);
    }
    return way;
}

// Results of a single look-up in the table for eight motions, as mote_move_look does it for one.
typedef struct mote_lanes_look {
    __m256i clear;  // all ones where nothing is met,
    __m256i label;  // and only leaves with this label are passed
    __m256i entry;  // of the table; of its first cell for those that start outside the root
} mote_lanes_look;

// @param shift  of the entries' clearance: MOTE_PROXY_SAME_SHIFT or MOTE_PROXY_CLEAR_SHIFT; labels are then
// undefined
MOTE_TARGET_AVX2 static inline mote_lanes_look mote_lanes_look_up(const mote_lanes_proxy *p, const mote_lanes_vec *from,
                                                                  const mote_lanes_vec *motion, int shift)
{
    const __m256 zero = _mm256_setzero_ps(), scale = _mm256_set1_ps(p->scale), sign = _mm256_set1_ps(-0.0f);
    const __m256 across = _mm256_set1_ps((float)(1u << p->proxy->def.max_depth));
    const __m256 below = _mm256_set1_ps(-p->slack), above = _mm256_add_ps(across, _mm256_set1_ps(p->slack));
    const int height = p->proxy->def.max_depth - p->proxy->def.table_depth;
    const __m256 in_cells = _mm256_set1_ps(1 / (float)(1u << height)), half = _mm256_set1_ps(0.5f);
    __m256 inside = _mm256_castsi256_ps(_mm256_set1_epi32(-1)), finite = inside, away = zero, at[3], then[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = _mm256_mul_ps(_mm256_sub_ps(from->k[k], _mm256_set1_ps(p->origin[k])), scale);
        const __m256 by = _mm256_mul_ps(motion->k[k], scale);
        then[k] = _mm256_add_ps(at[k], by);
        inside = _mm256_and_ps(
            inside, _mm256_and_ps(_mm256_cmp_ps(at[k], zero, _CMP_GE_OQ), _mm256_cmp_ps(at[k], across, _CMP_LT_OQ)));
        away = _mm256_or_ps(away, _mm256_cmp_ps(_mm256_max_ps(at[k], then[k]), below, _CMP_LT_OQ));
        away = _mm256_or_ps(away, _mm256_cmp_ps(_mm256_min_ps(at[k], then[k]), above, _CMP_GT_OQ));
        const __m256 farthest = _mm256_add_ps(_mm256_andnot_ps(sign, at[k]), _mm256_andnot_ps(sign, by));
        finite = _mm256_and_ps(finite, _mm256_cmp_ps(farthest, _mm256_set1_ps(MOTE_PROXY_LONGEST), _CMP_LE_OQ));
    }
    __m256i cell[3];
    for (int k = 0; k < 3; ++k) cell[k] = _mm256_cvttps_epi32(_mm256_and_ps(at[k], inside));
    const __m256i entry = mote_lanes_entry(p->proxy, cell), kind = _mm256_and_si256(entry, _mm256_set1_epi32(7));
    const __m256i rings = _mm256_and_si256(_mm256_srli_epi32(entry, shift), _mm256_set1_epi32(MOTE_PROXY_RINGS));
    const __m256 room = _mm256_sub_ps(_mm256_add_ps(_mm256_cvtepi32_ps(rings), half), _mm256_set1_ps(p->table_slack));
    __m256 within = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(MOTE_PROXY_LEAF), kind));
    for (int k = 0; k < 3; ++k) {
        const __m256 middle = _mm256_add_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(cell[k], height)), half);
        const __m256 a = _mm256_andnot_ps(sign, _mm256_sub_ps(_mm256_mul_ps(at[k], in_cells), middle));
        const __m256 b = _mm256_andnot_ps(sign, _mm256_sub_ps(_mm256_mul_ps(then[k], in_cells), middle));
        // The second operand may be NaN: then the maximum of both is NaN, too.
        within = _mm256_and_ps(within, _mm256_cmp_ps(_mm256_max_ps(a, b), room, _CMP_LE_OQ));
    }
    const __m256 clear = _mm256_blendv_ps(_mm256_and_ps(finite, away), within, inside);
    mote_lanes_look look = {_mm256_castps_si256(clear), _mm256_and_si256(kind, _mm256_castps_si256(inside)), entry};
    return look;
}

// @param from, to, motion  metres; `to` as it will be stored
// @param entry             of the table, where they start
MOTE_TARGET_AVX2 static inline mote_lanes_result mote_lanes_go(const mote_lanes_proxy *p, const mote_lanes_vec *from,
                                                               const mote_lanes_vec *to, const mote_lanes_vec *motion,
                                                               __m256i labels, __m256i entry, bool labelled)
{
    const mote_proxy *proxy = p->proxy;
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi32(-1);
    const mote_lanes_way way = mote_lanes_place(p, from, to);
    mote_lanes_result r;
    r.quiet = r.hit = r.passed = 0;
    r.labels = labels;
    r.node = r.packed = r.inside = r.axis = r.bound = zero;
    if (_mm256_testz_si256(way.usable, way.usable)) return r;

    const mote_lanes_spot spot = mote_lanes_find(proxy, way.start, entry, way.usable);
    const __m256i in_leaf = mote_lanes_equal(spot.kind, MOTE_PROXY_LEAF);
    __m256i moved[3], same = ones;
    for (int k = 0; k < 3; ++k) {
        const __m256i stays =
            _mm256_cmpeq_epi32(_mm256_srlv_epi32(_mm256_xor_si256(way.start[k], way.end[k]), spot.height), zero);
        moved[k] = _mm256_xor_si256(stays, ones);
        same = _mm256_and_si256(same, stays);
    }
    __m256i now = labelled ? _mm256_blendv_epi8(labels, mote_lanes_stamp(labels, spot.kind), way.usable) : zero;
    __m256i known = labelled ? _mm256_xor_si256(mote_lanes_equal(now, MOTE_PROXY_UNKNOWN), ones) : ones;

    // The start: an empty leaf, or one whose normal is tested.
    const __m256i starts = _mm256_and_si256(way.usable, _mm256_and_si256(in_leaf, known));
    __m256i go_on = _mm256_andnot_si256(in_leaf, way.usable);
    if (!_mm256_testz_si256(starts, starts)) {
        const mote_lanes_test test = mote_lanes_normals(&spot, starts, motion, now);
        go_on = _mm256_or_si256(go_on, test.away);
        r.hit = mote_lanes_bits(test.against);
        r.inside = test.against;
        r.node = spot.node;
        r.packed = spot.packed;
    }
    __m256i quiet = _mm256_and_si256(go_on, same);

    // The end, if that is in another leaf.
    const mote_lanes_crossing c =
        mote_lanes_cross(proxy, &spot, way.start, way.end, moved, _mm256_andnot_si256(same, go_on));
    if (!_mm256_testz_si256(c.crossing, c.crossing)) {
        const __m256i to_leaf = mote_lanes_equal(c.to.kind, MOTE_PROXY_LEAF);
        const __m256i to_empty = _mm256_andnot_si256(to_leaf, c.crossing);
        const __m256i then = mote_lanes_stamp(now, c.to.kind);
        // From a leaf with triangles a motion may pass only into an empty leaf with the particle's own label.
        __m256i allowed = _mm256_andnot_si256(in_leaf, to_empty);
        allowed = _mm256_or_si256(allowed,
                                  labelled ? _mm256_and_si256(to_empty, _mm256_cmpeq_epi32(now, c.to.kind)) : to_empty);
        quiet = _mm256_or_si256(quiet, allowed);
        const __m256i sees_both = labelled ? mote_lanes_equal(spot.kind, 3) : zero;
        const __m256i tested =
            _mm256_and_si256(_mm256_and_si256(c.crossing, to_leaf), _mm256_andnot_si256(sees_both, known));
        if (!_mm256_testz_si256(tested, tested)) {
            const mote_lanes_test test = mote_lanes_normals(&c.to, tested, motion, now);
            quiet = _mm256_or_si256(quiet, test.away);
            r.hit |= mote_lanes_bits(test.against);
            r.node = _mm256_blendv_epi8(r.node, c.to.node, test.against);
            r.packed = _mm256_blendv_epi8(r.packed, c.to.packed, test.against);
        }
        now = _mm256_blendv_epi8(now, then, allowed);
        r.passed = mote_lanes_bits(c.crossing);
        r.axis = c.axis;
        r.bound = c.bound;
    }
    r.labels = now;
    r.quiet = mote_lanes_bits(quiet);
    return r;
}

#endif
#endif
