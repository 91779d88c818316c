// SPDX-License-Identifier: MIT
// Shortens long motions of points at both ends, as far as the grid's distances show that nothing is near: from a place
// on a motion, the next place to look at is as far away as the surface is at least (sphere tracing: Hart 1996). Most
// motions that meet nothing end here; the others descend the tree for a shorter way.

#include "base/wide.h"
#include "hits/motion_points.h"
#include "hits/motion_stream.h"

enum { MOST_STEPS = 5 };

// Places on motions are wrong by at most twice HITS_FLOAT_ERROR along each axis: ends by once that, and what is between
// them by three roundings of numbers below 2^13 cells more. Steps are shorter than what is free by more than that, and
// by more than what rounds shares.
#define STEP_SLACK 0x1p-7f
// Shorter steps [cells] do not pay.
#define SHORTEST_STEP 0.25f

// WIDE motions: in cells, and the share of each that is a cell long.
typedef struct march_lanes {
    wide_f32 from[3], way[3], per_cell;
    wide_mask is_small;
} march_lanes;

static inline march_lanes load_march(const hits_march *march, size_t i)
{
    march_lanes lanes = {.is_small = wide_not(wide_none())};
    for (int k = 0; k < 3; ++k) {
        const wide_f32 from = wide_load(march->from[k] + i), to = wide_load(march->to[k] + i);
        const wide_f32 farthest = wide_max(wide_abs(from), wide_abs(to));
        lanes.is_small = wide_both(lanes.is_small, wide_less(farthest, wide_all(HITS_FLOAT_REACH)));
        lanes.from[k] = from;
        lanes.way[k] = to - from;
    }
    lanes.per_cell = (1 - 0x1p-20f) / wide_sqrt(wide_length_squared(lanes.way[0], lanes.way[1], lanes.way[2]));
    return lanes;
}

// How far nothing is from the places at these shares, less the slack.
static inline wide_f32 clearance(const hits_grid *grid, const march_lanes *lanes, wide_f32 share)
{
    wide_f32 at[3];
    for (int k = 0; k < 3; ++k) at[k] = lanes->from[k] + share * lanes->way[k];
    const hits_point_cells cells = mote_hits_cells_at(grid, at);
    return (mote_hits_distances(grid, cells.number) - wide_sqrt(cells.squared)) - STEP_SLACK;
}

// Where motions may meet something: the shares between which they do, and which can still be shortened.
typedef struct march_piece {
    wide_f32 first, last;
    wide_mask goes_on;
} march_piece;

static inline march_piece begin_piece(const hits_march *march, size_t i, const march_lanes *lanes)
{
    march_piece piece = {.last = wide_load(march->last + i), .goes_on = lanes->is_small};
    piece.first = wide_select(lanes->is_small, wide_load(march->first + i), wide_all(2));
    return piece;
}

static inline void shorten_once(const hits_grid *grid, const march_lanes *lanes, march_piece *piece)
{
    const wide_f32 after = clearance(grid, lanes, piece->first), before = clearance(grid, lanes, piece->last);
    const wide_mask is_on_way = wide_less(piece->first, piece->last);
    const wide_mask goes_on = wide_both(is_on_way, wide_less(wide_all(SHORTEST_STEP), after));
    const wide_mask comes_back = wide_both(is_on_way, wide_less(wide_all(SHORTEST_STEP), before));
    piece->first = wide_select(goes_on, piece->first + after * lanes->per_cell, piece->first);
    piece->last = wide_select(comes_back, piece->last - before * lanes->per_cell, piece->last);
    piece->goes_on = wide_either(goes_on, comes_back);
}

// Keeps the motions that something may be near to. Returns how many are kept so far.
static inline size_t keep_piece(hits_march *march, size_t i, const march_lanes *lanes, const march_piece *piece,
                                size_t kept)
{
    const wide_u32 at = wide_load(march->at + i);
    const wide_mask is_near = wide_either(wide_at_most(piece->first, piece->last), wide_not(lanes->is_small));
    const uint32_t near = wide_first(wide_bits(is_near), march->count - i);
    for (int k = 0; k < 3; ++k) {
        const wide_f32 to = wide_load(march->to[k] + i);
        wide_store_front(march->from[k] + kept, lanes->from[k], near);
        wide_store_front(march->to[k] + kept, to, near);
    }
    wide_store_front(march->at + kept, at, near);
    wide_store_front(march->first + kept, wide_select(lanes->is_small, piece->first, wide_all(0)), near);
    wide_store_front(march->last + kept, wide_select(lanes->is_small, piece->last, wide_all(1)), near);
    return kept + wide_bit_count(near);
}

// A step waits for the distances that it looks up: two vectors of motions at a time take hardly longer than one.
void WIDE_NAME(mote_hits_march_shorten)(const hits_grid *grid, hits_march *march)
{
    size_t kept = 0;
    for (size_t i = 0; i < march->count; i += 2 * WIDE) {
        const size_t other = i + WIDE < march->count ? i + WIDE : i;
        const march_lanes lanes = load_march(march, i), others = load_march(march, other);
        march_piece piece = begin_piece(march, i, &lanes), piece_of_others = begin_piece(march, other, &others);
        for (uint32_t step = 0; step < MOST_STEPS; ++step) {
            shorten_once(grid, &lanes, &piece);
            shorten_once(grid, &others, &piece_of_others);
            if (!wide_any(wide_either(piece.goes_on, piece_of_others.goes_on))) break;
        }
        kept = keep_piece(march, i, &lanes, &piece, kept);
        if (other > i) kept = keep_piece(march, other, &others, &piece_of_others, kept);
    }
    march->count = kept;
}

void WIDE_NAME(mote_hits_march_place)(const hits_grid *grid, const hits_march *march, float per_box,
                                      const uint32_t boxes[3], hits_march_places *places)
{
    for (size_t i = 0; i < march->count; i += WIDE) {
        const wide_f32 first = wide_load(march->first + i), last = wide_load(march->last + i);
        wide_u32 box = wide_all_u32(0);
        for (int k = 2; k >= 0; --k) {
            const wide_f32 from = wide_load(march->from[k] + i), to = wide_load(march->to[k] + i);
            // NaN counts as 0.
            const wide_f32 at = wide_greater(from + first * (to - from), wide_all(0));
            const wide_f32 within = wide_lesser(at, wide_all((float)grid->size[k] - 1));
            box = box * boxes[k] + wide_unsigned(wide_f32_to_i32(within * per_box));
        }
        const wide_f32 end = last * (float)HITS_SHARES;
        const wide_i32 below = wide_f32_to_i32(end);
        wide_store(places->box + i, box);
        wide_store(places->first + i, wide_unsigned(wide_f32_to_i32(first * (float)HITS_SHARES)));
        wide_store(places->last + i, wide_count(wide_unsigned(below), wide_less(wide_i32_to_f32(below), end)));
    }
}
