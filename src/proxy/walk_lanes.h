// SPDX-License-Identifier: MIT
// proxy/walk_lanes.h: eight walks at once, as mote_walk_go does one: the same operations on the same doubles in the
// same order, so that all bits are the same.
//
// Rare cases are left to the scalar walk: particles that start outside the root, empty leaves that see both sides,
// particles that come to a leaf with triangles without a label.
#ifndef MOTE_PROXY_WALK_LANES_H
#define MOTE_PROXY_WALK_LANES_H

#include "proxy/move_lanes.h"
#include "proxy/walk.h"

#if MOTE_HAVE_AVX2

// Eight doubles, or masks.
typedef struct mote_wide {
    __m256d half[2];
} mote_wide;

// Eight walks. Masks are all ones or all zeros in each lane.
typedef struct mote_walks {
    const mote_proxy *proxy;
    response_law law;
    int32_t most_bounces;
    bool labelled, only_first;

    mote_wide at[3], velocity[3];  // finest leaves, a second
    mote_wide time;                // time left [s]
    mote_lanes_spot spot;          // current leaves
    __m256i low[3], high[3];
    __m256i label;
    __m256i going;                    // not over
    __m256i alone, outside, dropped;  // left to the scalar walk; beyond the root; at the limit of collisions
    __m256i bounces, walls, leaves;
    __m256i met;  // the leaf of the last collision
    mote_wide met_normal[3];
} mote_walks;

MOTE_TARGET_AVX2 static inline bool mote_any(__m256i mask)
{
    return !_mm256_testz_si256(mask, mask);
}

MOTE_TARGET_AVX2 static inline mote_wide mote_wide_mask(__m256i mask)
{
    mote_wide wide = {{_mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(mask))),
                       _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_extracti128_si256(mask, 1)))}};
    return wide;
}

MOTE_TARGET_AVX2 static inline __m256i mote_narrow_mask(mote_wide mask)
{
    const __m256 both =
        _mm256_shuffle_ps(_mm256_castpd_ps(mask.half[0]), _mm256_castpd_ps(mask.half[1]), _MM_SHUFFLE(2, 0, 2, 0));
    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), _MM_SHUFFLE(3, 1, 2, 0));
}

MOTE_TARGET_AVX2 static inline mote_wide mote_wide_from_ints(__m256i ints)
{
    mote_wide wide = {
        {_mm256_cvtepi32_pd(_mm256_castsi256_si128(ints)), _mm256_cvtepi32_pd(_mm256_extracti128_si256(ints, 1))}};
    return wide;
}

MOTE_TARGET_AVX2 static inline mote_wide mote_wide_from_floats(__m256 floats)
{
    mote_wide wide = {
        {_mm256_cvtps_pd(_mm256_castps256_ps128(floats)), _mm256_cvtps_pd(_mm256_extractf128_ps(floats, 1))}};
    return wide;
}

MOTE_TARGET_AVX2 static inline __m256 mote_wide_to_floats(mote_wide wide)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(wide.half[1]), _mm256_cvtpd_ps(wide.half[0]));
}

// Truncated.
MOTE_TARGET_AVX2 static inline __m256i mote_wide_to_ints(mote_wide wide)
{
    return _mm256_set_m128i(_mm256_cvttpd_epi32(wide.half[1]), _mm256_cvttpd_epi32(wide.half[0]));
}

MOTE_TARGET_AVX2 static inline mote_wide mote_wide_blend(mote_wide a, mote_wide b, mote_wide mask)
{
    mote_wide wide;
    for (int h = 0; h < 2; ++h) wide.half[h] = _mm256_blendv_pd(a.half[h], b.half[h], mask.half[h]);
    return wide;
}

// (x·x' + y·y') + z·z'
MOTE_TARGET_AVX2 static inline __m256d mote_dot4(const __m256d a[3], const __m256d b[3])
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])),
                         _mm256_mul_pd(a[2], b[2]));
}

// The three components of packed normals, as mote_normal_unpack makes them.
MOTE_TARGET_AVX2 static inline void mote_wide_normal(__m256i packed, __m256i back, mote_wide normal[3])
{
    const mote_wide flip = mote_wide_mask(back);
    for (int k = 0; k < 3; ++k) normal[k] = mote_wide_from_ints(mote_lanes_component(packed, k));
    for (int h = 0; h < 2; ++h) {
        const __m256d n[3] = {normal[0].half[h], normal[1].half[h], normal[2].half[h]};
        const __m256d length = _mm256_sqrt_pd(mote_dot4(n, n)), one = _mm256_set1_pd(1);
        const __m256d some = _mm256_cmp_pd(length, _mm256_setzero_pd(), _CMP_GT_OQ);
        const __m256d by = _mm256_blendv_pd(one, _mm256_div_pd(one, length), some);
        const __m256d sign = _mm256_and_pd(flip.half[h], _mm256_set1_pd(-0.0));
        for (int k = 0; k < 3; ++k) normal[k].half[h] = _mm256_xor_pd(_mm256_mul_pd(n[k], by), sign);
    }
}

// Reflects velocities at normals, in the lanes of `turned`, as mote_walk_collide does.
MOTE_TARGET_AVX2 static inline void mote_walks_collide(mote_walks *w, __m256i turned, const mote_wide normal[3],
                                                       const mote_wide *inward, __m256i met)
{
    w->bounces = _mm256_sub_epi32(w->bounces, turned);
    const mote_wide mask = mote_wide_mask(turned);
    if (w->only_first) {
        w->met = _mm256_blendv_epi8(w->met, met, turned);
        for (int k = 0; k < 3; ++k) w->met_normal[k] = mote_wide_blend(w->met_normal[k], normal[k], mask);
        w->going = _mm256_andnot_si256(turned, w->going);
        return;
    }
    const __m256d one = _mm256_set1_pd(1), sign = _mm256_set1_pd(-0.0);
    const __m256d restitution = _mm256_set1_pd(w->law.restitution);
    const __m256d grip = _mm256_set1_pd(w->law.friction * (1 + w->law.restitution));
    for (int h = 0; h < 2; ++h) {
        const __m256d in = inward->half[h];
        __m256d along[3], keep = one;
        for (int k = 0; k < 3; ++k)
            along[k] = _mm256_sub_pd(w->velocity[k].half[h], _mm256_mul_pd(in, normal[k].half[h]));
        if (w->law.friction > 0) {
            const __m256d speed = _mm256_sqrt_pd(mote_dot4(along, along));
            const __m256d loss = _mm256_mul_pd(grip, _mm256_xor_pd(in, sign));
            keep =
                _mm256_and_pd(_mm256_sub_pd(one, _mm256_div_pd(loss, speed)), _mm256_cmp_pd(speed, loss, _CMP_GT_OQ));
        }
        const __m256d back = _mm256_mul_pd(restitution, in);
        for (int k = 0; k < 3; ++k) {
            const __m256d now = _mm256_sub_pd(_mm256_mul_pd(keep, along[k]), _mm256_mul_pd(back, normal[k].half[h]));
            w->velocity[k].half[h] = _mm256_blendv_pd(w->velocity[k].half[h], now, mask.half[h]);
        }
    }
    const __m256i over =
        _mm256_and_si256(turned, _mm256_cmpgt_epi32(w->bounces, _mm256_set1_epi32(w->most_bounces - 1)));
    w->dropped = _mm256_or_si256(w->dropped, over);
    w->going = _mm256_andnot_si256(over, w->going);
}

// Lanes in leaves with triangles that collide with the normal, as mote_walk_test_normal does: all ones.
MOTE_TARGET_AVX2 static inline __m256i mote_walks_test_normals(mote_walks *w)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i two_sided = _mm256_and_si256(w->spot.bits, _mm256_set1_epi32(MOTE_PROXY_TWO_SIDED));
    const __m256i tested = _mm256_and_si256(_mm256_and_si256(w->going, mote_lanes_equal(w->spot.kind, MOTE_PROXY_LEAF)),
                                            _mm256_cmpeq_epi32(two_sided, zero));
    if (!mote_any(tested)) return zero;
    const __m256i back = w->labelled ? mote_lanes_equal(w->label, MOTE_PROXY_BACK) : zero;
    const mote_wide flip = mote_wide_mask(back);
    mote_wide normal[3], inward, against = mote_wide_mask(tested);
    for (int k = 0; k < 3; ++k) normal[k] = mote_wide_from_ints(mote_lanes_component(w->spot.packed, k));
    for (int h = 0; h < 2; ++h) {
        const __m256d n[3] = {normal[0].half[h], normal[1].half[h], normal[2].half[h]};
        const __m256d v[3] = {w->velocity[0].half[h], w->velocity[1].half[h], w->velocity[2].half[h]};
        const __m256d rough = _mm256_xor_pd(mote_dot4(n, v), _mm256_and_pd(flip.half[h], _mm256_set1_pd(-0.0)));
        const __m256d away = _mm256_cmp_pd(rough, _mm256_setzero_pd(), _CMP_GE_OQ);
        against.half[h] = _mm256_andnot_pd(away, against.half[h]);
    }
    if (!mote_any(mote_narrow_mask(against))) return zero;
    mote_wide_normal(w->spot.packed, back, normal);
    for (int h = 0; h < 2; ++h) {
        const __m256d n[3] = {normal[0].half[h], normal[1].half[h], normal[2].half[h]};
        const __m256d v[3] = {w->velocity[0].half[h], w->velocity[1].half[h], w->velocity[2].half[h]};
        const __m256d in = mote_dot4(n, v), least = _mm256_set1_pd(MOTE_WALK_TANGENTIAL * MOTE_WALK_TANGENTIAL);
        const __m256d enough = _mm256_cmp_pd(_mm256_mul_pd(in, in), _mm256_mul_pd(least, mote_dot4(v, v)), _CMP_NLE_UQ);
        inward.half[h] = in;
        against.half[h] =
            _mm256_and_pd(against.half[h], _mm256_and_pd(enough, _mm256_cmp_pd(in, _mm256_setzero_pd(), _CMP_LT_OQ)));
    }
    const __m256i turned = mote_narrow_mask(against);
    if (mote_any(turned)) mote_walks_collide(w, turned, normal, &inward, w->spot.node);
    return turned;
}

// Where walks leave their leaves.
typedef struct mote_walks_exit {
    mote_wide at[3], soonest, axis[3];
    __m256i cell[3];  // of the next leaf
} mote_walks_exit;

// Moves the lanes in `lanes` into the leaves that hold their cells.
MOTE_TARGET_AVX2 static inline void mote_walks_enter(mote_walks *w, __m256i lanes, const mote_lanes_spot *spot,
                                                     const __m256i cell[3])
{
    const __m256i size = _mm256_sllv_epi32(_mm256_set1_epi32(1), spot->height);
    for (int k = 0; k < 3; ++k) {
        const __m256i low = _mm256_sllv_epi32(_mm256_srlv_epi32(cell[k], spot->height), spot->height);
        w->low[k] = _mm256_blendv_epi8(w->low[k], low, lanes);
        w->high[k] = _mm256_blendv_epi8(w->high[k], _mm256_add_epi32(low, size), lanes);
    }
    w->spot.kind = _mm256_blendv_epi8(w->spot.kind, spot->kind, lanes);
    w->spot.node = _mm256_blendv_epi8(w->spot.node, spot->node, lanes);
    w->spot.packed = _mm256_blendv_epi8(w->spot.packed, spot->packed, lanes);
    w->spot.bits = _mm256_blendv_epi8(w->spot.bits, spot->bits, lanes);
    w->leaves = _mm256_sub_epi32(w->leaves, lanes);
    if (!w->labelled) return;
    w->label = _mm256_blendv_epi8(w->label, mote_lanes_stamp(w->label, spot->kind), lanes);
    const __m256i lost =
        _mm256_and_si256(mote_lanes_equal(spot->kind, MOTE_PROXY_LEAF), mote_lanes_equal(w->label, MOTE_PROXY_UNKNOWN));
    w->alone = _mm256_or_si256(w->alone, _mm256_and_si256(lanes, lost));
    w->going = _mm256_andnot_si256(w->alone, w->going);
}

// Finds the faces through which walks leave their leaves. Walks whose time ends earlier or that leave the root are
// over.
MOTE_TARGET_AVX2 static inline mote_walks_exit mote_walks_leave(mote_walks *w)
{
    const __m256d zero = _mm256_setzero_pd();
    mote_walks_exit e;
    mote_wide face[3], up[3];
    for (int k = 0; k < 3; ++k) {
        const mote_wide low = mote_wide_from_ints(w->low[k]), high = mote_wide_from_ints(w->high[k]);
        for (int h = 0; h < 2; ++h) {
            const __m256d v = w->velocity[k].half[h], before = k ? e.soonest.half[h] : w->time.half[h];
            up[k].half[h] = _mm256_cmp_pd(v, zero, _CMP_GT_OQ);
            face[k].half[h] = _mm256_blendv_pd(low.half[h], high.half[h], up[k].half[h]);
            const __m256d to = _mm256_div_pd(_mm256_sub_pd(face[k].half[h], w->at[k].half[h]), v);
            const __m256d sooner =
                _mm256_and_pd(_mm256_cmp_pd(v, zero, _CMP_NEQ_UQ), _mm256_cmp_pd(to, before, _CMP_LT_OQ));
            e.soonest.half[h] = _mm256_blendv_pd(before, to, sooner);
            for (int j = 0; j < k; ++j) e.axis[j].half[h] = _mm256_andnot_pd(sooner, e.axis[j].half[h]);
            e.axis[k].half[h] = sooner;
        }
    }
    for (int h = 0; h < 2; ++h) e.soonest.half[h] = _mm256_max_pd(e.soonest.half[h], zero);

    __m256i crossing = _mm256_setzero_si256(), leaving = crossing;
    const __m256i ones = _mm256_set1_epi32(-1), across = _mm256_set1_epi32(1 << w->proxy->def.max_depth);
    for (int k = 0; k < 3; ++k) {
        const mote_wide low = mote_wide_from_ints(w->low[k]), high = mote_wide_from_ints(w->high[k]);
        for (int h = 0; h < 2; ++h) {
            const __m256d moved = _mm256_mul_pd(w->velocity[k].half[h], e.soonest.half[h]);
            const __m256d at = _mm256_add_pd(w->at[k].half[h], moved);
            e.at[k].half[h] = _mm256_max_pd(low.half[h], _mm256_min_pd(high.half[h], at));
        }
        const __m256i inside = _mm256_min_epi32(mote_wide_to_ints(e.at[k]), _mm256_add_epi32(w->high[k], ones));
        const __m256i is_up = mote_narrow_mask(up[k]), is_axis = mote_narrow_mask(e.axis[k]);
        const __m256i beyond = _mm256_blendv_epi8(_mm256_add_epi32(w->low[k], ones), w->high[k], is_up);
        const __m256i end = _mm256_blendv_epi8(ones, across, is_up);
        e.cell[k] = _mm256_blendv_epi8(inside, beyond, is_axis);
        e.at[k] = mote_wide_blend(e.at[k], face[k], e.axis[k]);
        crossing = _mm256_or_si256(crossing, is_axis);
        leaving = _mm256_or_si256(leaving, _mm256_and_si256(is_axis, _mm256_cmpeq_epi32(beyond, end)));
    }
    w->outside = _mm256_or_si256(w->outside, _mm256_and_si256(w->going, leaving));
    w->going = _mm256_and_si256(w->going, _mm256_andnot_si256(leaving, crossing));
    for (int k = 0; k < 3; ++k) e.cell[k] = _mm256_and_si256(e.cell[k], w->going);
    return e;
}

// Lanes that collide with the face between their leaf and the next.
MOTE_TARGET_AVX2 static inline __m256i mote_walks_walls(const mote_walks *w, const mote_lanes_spot *next)
{
    const __m256i zero = _mm256_setzero_si256(), to_leaf = mote_lanes_equal(next->kind, MOTE_PROXY_LEAF);
    const __m256i two_sided = _mm256_and_si256(next->bits, _mm256_set1_epi32(MOTE_PROXY_TWO_SIDED));
    const __m256i solid = _mm256_andnot_si256(_mm256_cmpeq_epi32(two_sided, zero), to_leaf);
    if (!w->labelled) return _mm256_and_si256(w->going, solid);
    const __m256i from_leaf = mote_lanes_equal(w->spot.kind, MOTE_PROXY_LEAF);
    const __m256i unlike = _mm256_or_si256(
        _mm256_or_si256(mote_lanes_equal(w->label, MOTE_PROXY_UNKNOWN), mote_lanes_equal(next->kind, MOTE_PROXY_EMPTY)),
        _mm256_cmpeq_epi32(w->label, next->kind));
    const __m256i opposite = _mm256_andnot_si256(unlike, _mm256_andnot_si256(to_leaf, from_leaf));
    return _mm256_and_si256(w->going, _mm256_or_si256(solid, opposite));
}

// Lanes whose labels depend on which side a leaf with triangles stores for one of its faces.
MOTE_TARGET_AVX2 static inline __m256i mote_walks_at_rim(const mote_walks *w, const mote_lanes_spot *next)
{
    const __m256i to_leaf =
        _mm256_and_si256(mote_lanes_equal(next->kind, MOTE_PROXY_LEAF), mote_lanes_equal(w->spot.kind, 3));
    const __m256i from_leaf =
        _mm256_and_si256(mote_lanes_equal(w->spot.kind, MOTE_PROXY_LEAF), mote_lanes_equal(next->kind, 3));
    return _mm256_and_si256(w->going, _mm256_or_si256(to_leaf, from_leaf));
}

// Moves walks from leaf to leaf, until all are over.
MOTE_TARGET_AVX2 static inline void mote_walks_go(mote_walks *w)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    for (;;) {
        while (mote_any(mote_walks_test_normals(w))) continue;
        if (!mote_any(w->going)) return;
        const mote_walks_exit e = mote_walks_leave(w);
        if (!mote_any(w->going)) return;
        const mote_lanes_spot next = mote_lanes_find(w->proxy, e.cell, mote_lanes_entry(w->proxy, e.cell), w->going);
        if (w->labelled) {
            w->alone = _mm256_or_si256(w->alone, mote_walks_at_rim(w, &next));
            w->going = _mm256_andnot_si256(w->alone, w->going);
        }
        const __m256i wall = mote_walks_walls(w, &next), passing = _mm256_andnot_si256(wall, w->going);
        const mote_wide going = mote_wide_mask(w->going);
        for (int k = 0; k < 3; ++k) w->at[k] = mote_wide_blend(w->at[k], e.at[k], going);
        for (int h = 0; h < 2; ++h) {
            const __m256d rest = _mm256_sub_pd(w->time.half[h], e.soonest.half[h]);
            w->time.half[h] = _mm256_blendv_pd(w->time.half[h], rest, going.half[h]);
        }
        if (mote_any(wall)) {
            // The normal points against the motion along the axis.
            mote_wide normal[3], inward;
            for (int h = 0; h < 2; ++h) {
                __m256d speed = _mm256_setzero_pd();
                for (int k = 0; k < 3; ++k) {
                    const __m256d v = w->velocity[k].half[h], against = _mm256_andnot_pd(v, sign);
                    normal[k].half[h] = _mm256_and_pd(e.axis[k].half[h], _mm256_or_pd(_mm256_set1_pd(1), against));
                    speed = _mm256_or_pd(speed, _mm256_and_pd(e.axis[k].half[h], v));
                }
                inward.half[h] = _mm256_or_pd(speed, sign);
            }
            const __m256i to_leaf = mote_lanes_equal(next.kind, MOTE_PROXY_LEAF);
            w->walls = _mm256_sub_epi32(w->walls, wall);
            mote_walks_collide(w, wall, normal, &inward, _mm256_blendv_epi8(w->spot.node, next.node, to_leaf));
        }
        mote_walks_enter(w, passing, &next, e.cell);
    }
}

// Starts the walks of the particles in the lanes of `wanted`.
// @param from, velocity  metres, metres a second
MOTE_TARGET_AVX2 static inline void mote_walks_begin(mote_walks *w, const mote_wide from[3],
                                                     const mote_wide velocity[3], __m256i labels, double dt,
                                                     __m256i wanted)
{
    const mote_proxy *proxy = w->proxy;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    const __m256d scale = _mm256_set1_pd(proxy->scale), zero = _mm256_setzero_pd(), sign = _mm256_set1_pd(-0.0);
    const __m256d across = _mm256_set1_pd((double)(1u << proxy->def.max_depth)), none = _mm256_set1_pd(HUGE_VAL);
    mote_wide fit = mote_wide_mask(wanted);
    for (int k = 0; k < 3; ++k) {
        for (int h = 0; h < 2; ++h) {
            const __m256d at = _mm256_mul_pd(_mm256_sub_pd(from[k].half[h], _mm256_set1_pd(origin[k])), scale);
            const __m256d v = _mm256_mul_pd(velocity[k].half[h], scale), way = _mm256_mul_pd(v, _mm256_set1_pd(dt));
            __m256d fine = _mm256_cmp_pd(_mm256_andnot_pd(sign, way), none, _CMP_LT_OQ);
            fine = _mm256_and_pd(fine, _mm256_cmp_pd(at, zero, _CMP_GE_OQ));
            fine = _mm256_and_pd(fine, _mm256_cmp_pd(at, across, _CMP_LT_OQ));
            fit.half[h] = _mm256_and_pd(fit.half[h], fine);
            w->at[k].half[h] = at;
            w->velocity[k].half[h] = v;
        }
    }
    const __m256i nothing = _mm256_setzero_si256();
    w->going = mote_narrow_mask(fit);
    w->alone = _mm256_andnot_si256(w->going, wanted);
    w->outside = w->dropped = w->bounces = w->walls = w->leaves = w->met = nothing;
    w->spot.kind = w->spot.height = w->spot.node = w->spot.packed = w->spot.bits = nothing;
    w->label = w->labelled ? labels : nothing;
    w->time.half[0] = w->time.half[1] = _mm256_set1_pd(dt);
    __m256i cell[3];
    for (int k = 0; k < 3; ++k) {
        cell[k] = _mm256_and_si256(mote_wide_to_ints(w->at[k]), w->going);
        // Lanes that are not active keep these values, which are not used, like the normal before a collision.
        w->low[k] = w->high[k] = cell[k];
        w->met_normal[k] = w->velocity[k];
    }
    const mote_lanes_spot spot = mote_lanes_find(proxy, cell, mote_lanes_entry(proxy, cell), w->going);
    mote_walks_enter(w, w->going, &spot, cell);
}

#endif
#endif
