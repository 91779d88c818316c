// SPDX-License-Identifier: MIT
// Finds which triangles of a cluster a long motion may hit, which of them it hits for certain, and when: WIDE at a
// time, in float.
//
// Everything is relative to the motion's start P, with D = Q - P: a triangle has the corner C and the edges E and F.
// Its barycentrics, times D·(E×F), are V = (C×D)·F, W = -(C×D)·E and U, the rest; the time is C·(E×F) / D·(E×F) (Möller
// & Trumbore 1997). The motion hits the triangle if these, and what is left to the end of the motion, are positive.
//
// Errors: let no coordinate of C exceed N, of D S, of edges L; and let M be the sum of what those of P and of corners
// do not exceed. With u = 2^-24, C is rounded by u·(M + N), D by u·S, edges by u·L. Then C×D is wrong by
// u·S·(2M + 8N), and V and W by u·S·L·(6M + 46N); E×F by 2u·L·L, C·(E×F) by u·L·L·(6M + 46N), and D·(E×F) by
// 46u·S·L·L. None is above the error u·(7M + 48·max(N, L))·L·max(S, L); sums and differences of three are wrong by less
// than four times as much. If the sign of D·(E×F) is wrong, all these numbers are within six times the error of 0.

#include "base/wide.h"
#include "hits/motion_stream.h"

#define FAR_ERROR (7 * 0x1p-24f)
#define NEAR_ERROR (48 * 0x1p-24f)
// What becomes of numbers that are too small for floats is less.
#define LEAST_ERROR 0x1p-100f

static inline wide_vec load_vectors(const float (*from)[HITS_LANES], uint32_t lane)
{
    return (wide_vec){wide_load(from[0] + lane), wide_load(from[1] + lane), wide_load(from[2] + lane)};
}

// Returns the bits of the triangles that the motion may hit, and between which shares of it; infinite ones where it is
// not certain that it does.
static inline uint32_t hit_faces(const hits_faces *faces, uint32_t lane, const hits_line *line, float latest,
                                 wide_f32 *least, wide_f32 *last)
{
    const float longest = faces->longest;
    const wide_vec way = {wide_all(line->way[0]), wide_all(line->way[1]), wide_all(line->way[2])};
    const wide_vec e = load_vectors(faces->along, lane), f = load_vectors(faces->beside, lane);
    wide_vec c = load_vectors(faces->corner, lane);
    c = (wide_vec){c.x - line->from[0], c.y - line->from[1], c.z - line->from[2]};
    const wide_f32 largest = wide_max(wide_max(wide_abs(c.x), wide_abs(c.y)), wide_abs(c.z));
    const wide_f32 spread = wide_max(largest, wide_all(longest)) * NEAR_ERROR + FAR_ERROR * line->farthest;
    const wide_f32 error = spread * (longest * MOTE_MAX(line->longest, longest)) + LEAST_ERROR;
    const wide_vec r = wide_rough_cross(c, way), n = load_vectors(faces->normal, lane);
    const wide_f32 whole = wide_rough_dot(way, n), per_whole = 1.0f / whole;
    const wide_mask is_behind = wide_less(whole, wide_all(0));
    const wide_f32 v = wide_rough_dot(r, f), minus_w = wide_rough_dot(r, e), time = wide_rough_dot(c, n);
    const wide_f32 u = (whole - v) + minus_w, left = whole - time;
    // All have the sign of `whole`, if they are not 0.
    const wide_f32 lowest = wide_min(wide_min(wide_min(u, v), wide_min(-minus_w, time)), left);
    const wide_f32 highest = wide_max(wide_max(wide_max(u, v), wide_max(-minus_w, time)), left);
    const wide_f32 inside = wide_select(is_behind, -highest, lowest);
    const wide_mask is_sure = wide_less(4 * error, inside);
    const wide_f32 share = time * per_whole, doubt = wide_abs(per_whole) * (3 * error) + 0x1p-20f;
    *least = wide_select(is_sure, share - doubt, wide_all(-HUGE_VALF));
    *last = wide_select(is_sure, share + doubt, wide_all(HUGE_VALF));
    return wide_bits(wide_both(wide_at_most(-6 * error, inside), wide_at_most(*least, wide_all(latest))));
}

MOTE_INLINE void prefetch_faces(const hits_faces *faces)
{
    for (size_t line = 0; line < sizeof *faces; line += 64) mote_prefetch((const char *)faces + line);
}

size_t WIDE_NAME(mote_hits_filter_leaves)(const mote_hits *hits, const hits_stream *stream, size_t begin, size_t end,
                                          hits_stream_candidates *found)
{
    enum { AHEAD = 2 };  // with 3 or 4 it takes as long or longer (docs/hits.md)
    const uint32_t *leaf = stream->leaf, *leaf_of = stream->leaf_of;
    size_t made = 0;
    prefetch_faces(&hits->tree->faces[leaf[MOTE_MIN(begin + 1, end - 1)]]);
    for (size_t n = begin; n < end; ++n) {
        const hits_faces *faces = &hits->tree->faces[leaf[n]];
        prefetch_faces(&hits->tree->faces[leaf[MOTE_MIN(n + AHEAD, end - 1)]]);
        const hits_stream_motion *motion = &stream->motion[leaf_of[n]];
        const uint32_t lanes = mote_hits_cluster_lanes(hits, leaf[n]);
        for (uint32_t i = 0; i < HITS_LANES; i += WIDE) {
            wide_f32 least, last;
            const uint32_t bits = hit_faces(faces, i, &motion->line, motion->way.last, &least, &last) &
                                  (lanes >> i) & ((1u << WIDE) - 1);
            wide_store_front(found->least + made, least, bits);
            wide_store_front(found->last + made, last, bits);
            wide_store_front(found->triangle + made, wide_lane_numbers() + (leaf[n] * HITS_LANES + i), bits);
            wide_store(found->of + made, wide_all_u32(leaf_of[n]));
            made += wide_bit_count(bits);
        }
    }
    return made;
}
