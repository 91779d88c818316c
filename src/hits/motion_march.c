// SPDX-License-Identifier: MIT
// Moves long motions through the grid, from one piece that may come near the surface to the next.
//
// The grid's distances give a radius around a point in which there is no surface (Hart 1996). The point used is the
// midpoint of the next piece. The motion skips the free length around it; if that is shorter than the piece, the
// piece is near the surface. Shares of motions are floats, and a piece begins at the same float where the previous
// one ends, so there are no gaps.

#include "base/wide.h"
#include "hits/motion_lanes.h"
#include "hits/motion_points.h"

// Half a cell inside the grid's rim, and so half a cell outside everything that may be occupied.
#define RIM 0.5f
// Motions parallel to an axis are tilted by so many cells, which is less than rounding errors.
#define LEAST_STEP 0x1p-20f
// Subtracted from a free length, for the errors of the point and of shares; and a factor for those of the division.
#define LEAP_SLACK (2 * HITS_FLOAT_ERROR)
#define LEAP_SHARE (1 - 0x1p-20f)

void WIDE_NAME(mote_hits_march_begin)(const hits_grid *grid, hits_march *march)
{
    size_t kept = 0;
    march->alone_count = 0;
    for (size_t i = 0; i < march->count; i += WIDE) {
        wide_f32 first = wide_all(0), last = wide_all(1), length2 = wide_all(0), start[3], way[3];
        wide_mask is_small = wide_not(wide_none());
        for (int k = 0; k < 3; ++k) {
            const wide_f32 from = wide_load(march->from[k] + i), to = wide_load(march->way[k] + i), step = to - from;
            is_small = wide_both(is_small, wide_less(wide_abs(from), wide_all(HITS_FLOAT_REACH)));
            is_small = wide_both(is_small, wide_less(wide_abs(to), wide_all(HITS_FLOAT_REACH)));
            const wide_mask is_across = wide_less(wide_abs(step), wide_all(LEAST_STEP));
            const wide_f32 tilted = wide_select(is_across, wide_all(LEAST_STEP), step);
            const wide_f32 a = (RIM - from) / tilted, b = (((float)grid->size[k] - RIM) - from) / tilted;
            first = wide_max(first, wide_min(a, b));
            last = wide_min(last, wide_max(a, b));
            length2 += step * step;
            start[k] = from;
            way[k] = step;
        }
        const uint32_t small = wide_first(wide_bits(is_small), march->count - i);
        for (uint32_t odd = wide_first(wide_bits(wide_not(is_small)), march->count - i); odd; odd &= odd - 1)
            march->alone[march->alone_count++] = march->at[i + mote_lowest_bit(odd)];
        wide_store_front(march->at + kept, wide_load(march->at + i), small);
        for (int k = 0; k < 3; ++k) {
            wide_store_front(march->from[k] + kept, start[k], small);
            wide_store_front(march->way[k] + kept, way[k], small);
        }
        wide_store_front(march->now + kept, first, small);
        wide_store_front(march->last + kept, last, small);
        wide_store_front(march->per_cell + kept, 1.0f / wide_sqrt(length2), small);
        kept += wide_bit_count(small);
    }
    march->count = kept;
}

// The radius [cells] without a surface around points at shares of motions i and following. NaN, in lanes without a
// motion, is moved onto the rim.
static inline wide_f32 clearances(const hits_grid *grid, const hits_march *march, size_t i, wide_f32 share)
{
    wide_f32 point[3];
    for (int k = 0; k < 3; ++k) point[k] = wide_load(march->from[k] + i) + share * wide_load(march->way[k] + i);
    const hits_point_cells at = mote_hits_cells_at(grid, point);
    return (mote_hits_distances(grid, at.number) - wide_sqrt(at.squared)) - LEAP_SLACK;
}

// One leap of those of the motions from i on that may leap. Returns whether one of them may leap again. A motion that
// may not leap now may not leap the next time, either.
static inline bool leap(const hits_grid *grid, hits_march *march, size_t i)
{
    const wide_f32 last = wide_load(march->last + i), per_cell = wide_load(march->per_cell + i);
    wide_f32 now = wide_load(march->now + i);
    const wide_f32 middle = wide_min(now + per_cell * (HITS_PIECE / 2), last);
    const wide_f32 free = (clearances(grid, march, i, middle) * per_cell) * LEAP_SHARE;
    const wide_mask leaps = wide_both(wide_at_most(middle - now, free), wide_less(now, last));
    now = wide_select(leaps, middle + free, now);
    wide_store(march->now + i, now);
    return wide_any(wide_both(leaps, wide_less(now, last)));
}

// Moves all motions to their next near pieces, or to their ends. WIDE of them leap at a time, and then the next ones,
// so that many reads of distances overlap.
static void leap_all(const hits_grid *grid, hits_march *march)
{
    uint16_t firsts[HITS_MOTIONS / WIDE];
    size_t left = 0;
    // Lanes after the last motion are at their ends.
    wide_store(march->now + march->count, wide_all(1));
    wide_store(march->last + march->count, wide_all(0));
    for (size_t i = 0; i < march->count; i += WIDE) firsts[left++] = (uint16_t)i;
    while (left) {
        size_t kept = 0;
        for (size_t k = 0; k < left; ++k) {
            firsts[kept] = firsts[k];
            kept += leap(grid, march, firsts[k]);
        }
        left = kept;
    }
}

void WIDE_NAME(mote_hits_march_advance)(const hits_grid *grid, hits_march *march, hits_near_motions *near)
{
    const size_t count = march->count;
    size_t found = 0;
    leap_all(grid, march);
    for (size_t i = 0; i < count; i += WIDE) {
        const wide_f32 begin = wide_load(march->now + i), last = wide_load(march->last + i);
        const uint32_t bits = wide_bits(wide_less(begin, last));
        if (!bits) continue;
        const wide_f32 per_cell = wide_load(march->per_cell + i);
        const wide_f32 end = wide_min(begin + per_cell * HITS_PIECE, last);
        wide_store_front(march->at + found, wide_load(march->at + i), bits);
        for (int k = 0; k < 3; ++k) {
            const wide_f32 from = wide_load(march->from[k] + i), way = wide_load(march->way[k] + i);
            wide_store_front(march->from[k] + found, from, bits);
            wide_store_front(march->way[k] + found, way, bits);
            wide_store_front(near->end[k] + found, from + begin * way, bits);
            wide_store_front(near->end[k + 3] + found, from + end * way, bits);
        }
        wide_store_front(march->last + found, last, bits);
        wide_store_front(march->per_cell + found, per_cell, bits);
        wide_store_front(march->begin + found, begin, bits);
        wide_store_front(march->now + found, end, bits);
        found += wide_bit_count(bits);
    }
    march->count = near->count = found;
}
