// SPDX-License-Identifier: MIT
// Finds which triangles of a cluster a long motion may hit, which of them it hits for certain, and when: WIDE at a
// time, in float; where vectors have more lanes than a cluster has triangles, those of two clusters.
//
// Everything is relative to the motion's start P, with D = Q - P: a triangle has the corner C and the edges E and F.
// Its barycentrics, times D·(E×F), are V = (C×D)·F, W = -(C×D)·E and U, the rest; the time is C·(E×F) / D·(E×F) (Möller
// & Trumbore 1997). The motion hits the triangle if these, and what is left to the end of the motion, are positive.
//
// Errors: let no coordinate of C exceed N, of D S, of edges L; and let M be the sum of what those of P and of corners
// do not exceed. With u = 2^-24, C is rounded by u·(M + N), D by u·S, edges by u·L. Then C×D is wrong by
// u·S·(2M + 8N), and V and W by u·S·L·(6M + 46N); E×F by 8u·L·L, C·(E×F) by u·L·L·(6M + 46N), and D·(E×F) by
// 46u·S·L·L. None is above the error u·(7M + 48·max(N, L))·L·max(S, L); sums and differences of three are wrong by less
// than four times as much. If the sign of D·(E×F) is wrong, all these numbers are within six times the error of 0.

#include "base/wide.h"
#include "hits/motion_stream.h"

#define FAR_ERROR (7 * 0x1p-24f)
#define NEAR_ERROR (48 * 0x1p-24f)
// What becomes of numbers that are too small for floats is less.
#define LEAST_ERROR 0x1p-100f

// Two clusters and the motions that reached them; forms of fewer than 16 lanes look at the first alone.
typedef struct face_pair {
    const hits_faces *faces[2];
    const hits_line *line[2];
    float last[2];
} face_pair;

static inline wide_vec load_vectors(const float (*low)[HITS_LANES], const float (*high)[HITS_LANES], uint32_t lane)
{
    return (wide_vec){wide_load_eights(low[0] + lane, high[0] + lane), wide_load_eights(low[1] + lane, high[1] + lane),
                      wide_load_eights(low[2] + lane, high[2] + lane)};
}

static inline wide_vec all_vectors(const float low[3], const float high[3])
{
    return (wide_vec){wide_all_eights(low[0], high[0]), wide_all_eights(low[1], high[1]),
                      wide_all_eights(low[2], high[2])};
}

// Returns the bits of the triangles that the motions may hit, and between which shares of them; infinite ones where it
// is not certain that they do.
static inline uint32_t hit_faces(const face_pair *pair, uint32_t lane, wide_f32 *least, wide_f32 *last)
{
    const hits_faces *low = pair->faces[0], *high = pair->faces[1];
    const hits_line *line = pair->line[0], *other = pair->line[1];
    const wide_f32 longest = wide_all_eights(low->longest, high->longest);
    const wide_f32 farthest = wide_all_eights(line->farthest, other->farthest);
    const wide_f32 latest = wide_all_eights(pair->last[0], pair->last[1]);
    const wide_vec from = all_vectors(line->from, other->from), way = all_vectors(line->way, other->way);
    const wide_vec e = load_vectors(low->along, high->along, lane), f = load_vectors(low->beside, high->beside, lane);
    wide_vec c = load_vectors(low->corner, high->corner, lane);
    c = (wide_vec){c.x - from.x, c.y - from.y, c.z - from.z};
    const wide_f32 largest = wide_max(wide_max(wide_abs(c.x), wide_abs(c.y)), wide_abs(c.z));
    const wide_f32 spread = wide_max(largest, longest) * NEAR_ERROR + FAR_ERROR * farthest;
    const wide_f32 size = longest * wide_max(wide_all_eights(line->longest, other->longest), longest);
    const wide_f32 error = spread * size + LEAST_ERROR;
    const wide_vec r = wide_rough_cross(c, way), n = wide_rough_cross(e, f);
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
    return wide_bits(wide_both(wide_at_most(-6 * error, inside), wide_at_most(*least, latest)));
}

MOTE_INLINE void prefetch_faces(const hits_faces *faces)
{
    for (size_t line = 0; line < sizeof *faces; line += 64) mote_prefetch((const char *)faces + line);
}

size_t WIDE_NAME(mote_hits_filter_leaves)(const mote_hits *hits, const hits_stream *stream, size_t begin, size_t end,
                                          hits_stream_candidates *found)
{
    enum { CLUSTERS = (int)WIDE > (int)HITS_LANES ? (int)WIDE / (int)HITS_LANES : 1 };
    enum { AHEAD = 2 };  // with 3 or 4 it takes as long or longer (docs/hits.md)
    _Static_assert((int)CLUSTERS <= 2, "pairs");
    _Static_assert((int)CLUSTERS + (int)AHEAD <= (int)HITS_STREAM_AFTER + 1, "what is prefetched is listed");
    const hits_faces *all = hits->tree->faces;
    const uint32_t *leaf = stream->leaf + begin, *leaf_of = stream->leaf_of + begin;
    const size_t count = end - begin;
    size_t made = 0;
    prefetch_faces(&all[leaf[1]]);
    for (size_t n = 0; n < count; n += CLUSTERS) {
        const size_t m = n + CLUSTERS - 1;
        for (size_t k = n; k <= m; ++k) prefetch_faces(&all[leaf[k + AHEAD]]);
        const face_pair pair = {{&all[leaf[n]], &all[leaf[m]]},
                                {&stream->line[leaf_of[n]], &stream->line[leaf_of[m]]},
                                {stream->last[leaf_of[n]], stream->last[leaf_of[m]]}};
        for (uint32_t i = 0; i < HITS_LANES; i += WIDE) {
            const size_t lane = n * HITS_LANES + i;
            wide_f32 least, last;
            const uint32_t bits = hit_faces(&pair, i, &least, &last);
            wide_store(found->least + lane, least);
            wide_store(found->last + lane, last);
            wide_store_front(found->lane + made, wide_lane_numbers() + (uint32_t)lane, bits);
            made += wide_bit_count(bits);
        }
    }
    // The second of a pair may be one that is not listed.
    while (CLUSTERS > 1 && made > 0 && found->lane[made - 1] >= count * HITS_LANES) --made;
    return made;
}
