// SPDX-License-Identifier: MIT
// Puts long motions of points into the forms that tests of boxes and triangles use, drops those that miss the tree, and
// sorts the others by octants; and lets them begin at a root of their own, which is here because this file has a form
// for AVX-512.
//
// No box that a motion meets is missed: see motion_descent.c. Ends of motions come in cells and within
// HITS_FLOAT_ERROR, as are all points between them; so boxes are enlarged by twice that. Motions may be longer than
// boxes, and begin far from them: boxes are enlarged by 2^-20 of that, too. That is more than four roundings of
// 2^-24 on the way to lengths and those of motion_descent.c, 2^-22, move a point by. Planes and beginnings are
// multiplied by 1/W before they are subtracted: 1/W, both products and the difference are rounded, which are four too,
// or one less (wide_multiply_subtract).

#include "base/wide.h"
#include "hits/motion_children.h"

_Static_assert(HITS_STREAM % WIDE == 0, "lines are stored by whole vectors");

// Motions parallel to an axis are tilted by this much, which is less than rounding errors.
#define LEAST_WAY 0x1p-30f
#define FAR_MARGIN 0x1p-20f

// Data shared by all motions: the conversion from cells to the tree's lengths, the root's box, and the margin of
// boxes.
typedef struct stream_frame {
    float edge, corner[3], half[3], margin;
} stream_frame;

static stream_frame make_stream_frame(const mote_hits *all)
{
    const hits_grid *grid = &all->grid;
    stream_frame frame = {.edge = (float)grid->edge};
    frame.margin = (float)(HITS_CAST_MARGIN + 2 * (double)HITS_FLOAT_ERROR * grid->edge);
    for (int k = 0; k < 3; ++k) {
        frame.corner[k] = (float)(grid->origin[k] - all->tree->origin[k]);
        frame.half[k] = (float)(all->tree->half[k] * (1 + 0x1p-20));
    }
    return frame;
}

// WIDE motions: their ways, and between which shares they are in the root's box.
typedef struct placed_ways {
    wide_f32 in_zero[4], out_zero[4], per_way[4], begin, end;
    wide_f32 from[3], to[3], reach[3];  // ends of the pieces, and how far boxes around them reach beyond
    wide_u32 octant;
    wide_mask is_small;
} placed_ways;

static inline void place_axis(const stream_frame *frame, const hits_march *march, size_t i, int k, placed_ways *placed)
{
    const wide_f32 from = wide_load(march->from[k] + i), to = wide_load(march->to[k] + i);
    const wide_f32 at = from * frame->edge + frame->corner[k], along = (to - from) * frame->edge;
    const wide_f32 margin = (wide_abs(at) + wide_abs(along)) * FAR_MARGIN + frame->margin;
    const wide_mask is_down = wide_less(along, wide_all(0));
    const wide_f32 before = wide_select(is_down, -margin, margin);
    const wide_f32 least = wide_select(is_down, wide_all(-LEAST_WAY), wide_all(LEAST_WAY));
    const wide_mask is_across = wide_less(wide_abs(along), wide_all(LEAST_WAY));
    const wide_f32 in = wide_select(is_down, wide_all(frame->half[k]), wide_all(-frame->half[k]));
    const wide_f32 per_way = 1.0f / wide_select(is_across, least, along);
    placed->per_way[k] = per_way;
    placed->from[k] = at + wide_load(march->first + i) * along;
    placed->to[k] = at + wide_load(march->last + i) * along;
    placed->reach[k] = 2 * margin;
    placed->in_zero[k] = (at + before) * per_way;
    placed->out_zero[k] = (at - before) * per_way;
    placed->begin = wide_greater(in * per_way - placed->in_zero[k], placed->begin);
    placed->end = wide_lesser(-in * per_way - placed->out_zero[k], placed->end);
    placed->octant = placed->octant | wide_select(is_down, wide_all_u32(1u << k), wide_all_u32(0));
    const wide_f32 reach = wide_all(HITS_FLOAT_REACH);  // beyond it, and what is not a number, is left out
    const wide_mask are_small = wide_both(wide_less(wide_abs(from), reach), wide_less(wide_abs(to), reach));
    placed->is_small = wide_both(placed->is_small, are_small);
}

// Sorts the motions that are kept by octants.
static void sort_ways(size_t kept, hits_ways *ways)
{
    size_t place[HITS_OCTANTS + 1] = {0};
    for (size_t n = 0; n < kept; ++n) ++place[ways->octant[n] + 1];
    for (size_t o = 0; o < HITS_OCTANTS; ++o) place[o + 1] += place[o];
    memcpy(ways->first, place, sizeof place);
    for (size_t n = 0; n < kept; ++n) ways->sorted[place[ways->octant[n]]++] = (uint16_t)ways->kept[n];
}

void WIDE_NAME(mote_hits_stream_place)(const mote_hits *all, hits_march *march, hits_ways *ways)
{
    const stream_frame frame = make_stream_frame(all);
    const wide_f32 far = wide_all(HUGE_VALF);
    wide_f32 low[2][3] = {{far, far, far}, {far, far, far}}, high[2][3] = {{-far, -far, -far}, {-far, -far, -far}};
    size_t kept = 0;
    march->alone_count = 0;
    // The march's columns have room for MOTE_WIDE_MOST more.
    for (size_t i = 0; i < march->count; i += WIDE) {
        const wide_f32 first = wide_load(march->first + i), last = wide_load(march->last + i);
        placed_ways placed = {.begin = first, .end = last, .octant = wide_all_u32(0)};
        placed.is_small = wide_not(wide_none());
        for (int k = 0; k < 3; ++k) place_axis(&frame, march, i, k, &placed);
        placed.in_zero[3] = last;
        placed.out_zero[3] = first;
        placed.per_way[3] = wide_all(0);
        wide_store_rows(ways->of[i].in_zero, sizeof(hits_way) / sizeof(float), placed.in_zero);
        wide_store_rows(ways->of[i].out_zero, sizeof(hits_way) / sizeof(float), placed.out_zero);
        wide_store_rows(ways->of[i].per_way, sizeof(hits_way) / sizeof(float), placed.per_way);
        const wide_i32 lane = wide_signed(wide_lane_numbers() + (uint32_t)i);
        const wide_mask is_there = wide_less(lane, wide_all_i32((int32_t)march->count));
        const wide_mask is_on_way = wide_both(placed.is_small, wide_at_most(placed.begin, placed.end));
        const wide_mask passes = wide_both(is_there, is_on_way);
        const uint32_t bits = wide_bits(passes);
        // Lanes that do not pass may hold anything.
        for (int k = 0; k < 3; ++k) {
            const wide_f32 from = placed.from[k], to = placed.to[k], reach = placed.reach[k];
            low[0][k] = wide_lesser(wide_select(passes, from - reach, far), low[0][k]);
            high[0][k] = wide_greater(wide_select(passes, from + reach, -far), high[0][k]);
            low[1][k] = wide_lesser(wide_select(passes, to - reach, far), low[1][k]);
            high[1][k] = wide_greater(wide_select(passes, to + reach, -far), high[1][k]);
        }
        wide_store_front(ways->kept + kept, wide_lane_numbers() + (uint32_t)i, bits);
        wide_store_front(ways->octant + kept, placed.octant, bits);
        kept += wide_bit_count(bits);
        for (uint32_t odd = wide_first(wide_bits(wide_not(placed.is_small)), march->count - i); odd; odd &= odd - 1)
            march->alone[march->alone_count++] = march->at[i + mote_lowest_bit(odd)];
    }
    for (int k = 0; k < 3; ++k) {
        ways->begins.low[k] = wide_least(low[0][k]);
        ways->begins.high[k] = wide_greatest(high[0][k]);
        ways->ends.low[k] = wide_least(low[1][k]);
        ways->ends.high[k] = wide_greatest(high[1][k]);
    }
    sort_ways(kept, ways);
}

// ----------------------------------------------------------------------------------------------------------- lines

// A coordinate of WIDE motions: where they begin, from the tree's origin, and how far they go.
static inline void place_lines(const mote_hits *hits, int k, wide_f32 from, wide_f32 to, wide_f32 *at, wide_f32 *way)
{
    wide_f64 from_parts[WIDE_PARTS], to_parts[WIDE_PARTS];
    wide_f32_to_f64(from, from_parts);
    wide_f32_to_f64(to, to_parts);
    for (int p = 0; p < WIDE_PARTS; ++p) {
        to_parts[p] = (to_parts[p] - from_parts[p]) * hits->scale;
        from_parts[p] = from_parts[p] * hits->scale - hits->tree->origin[k];
    }
    *at = wide_f64_to_f32(from_parts);
    *way = wide_f64_to_f32(to_parts);
}

void WIDE_NAME(mote_hits_stream_lines)(const mote_hits *hits, const float *records, hits_stream *stream)
{
    enum { STRIDE = sizeof(hits_line) / sizeof(float) };
    for (size_t i = 0; i < stream->count; i += WIDE) {
        uint32_t first[WIDE], second[WIDE];
        wide_f32 begin[4], end[4], from[4], way[4];
        for (size_t l = 0; l < WIDE; ++l) {
            first[l] = 2u * stream->motion[MOTE_MIN(i + l, stream->count - 1)].way.number;
            second[l] = first[l] + 1;
        }
        wide_load_columns(records, first, begin);
        wide_load_columns(records, second, end);
        from[3] = way[3] = wide_all(0);
        for (int k = 0; k < 3; ++k) {
            place_lines(hits, k, begin[k], k ? end[k - 1] : begin[3], &from[k], &way[k]);
            from[3] = wide_max(from[3], wide_abs(from[k]) + mote_hits_tree_half(hits, k));
            way[3] = wide_max(way[3], wide_abs(way[k]));
        }
        wide_store_rows(stream->line[i].from, STRIDE, from);
        wide_store_rows(stream->line[i].way, STRIDE, way);
    }
}

// ----------------------------------------------------------------------------------------------------------- roots

void WIDE_NAME(mote_hits_stream_enter)(const hits_root *root, hits_stream *stream)
{
    size_t kept = 0;
    hits_pushing pushing = {0, 0, 0};
    for (uint32_t i = 0; i < stream->count; ++i) {
        pushing.motion = i;
        pushing.count = 0;
        for (uint32_t place = 0; place < HITS_ROOT; place += WIDE) {
            const float *const in[3] = {root->in[0] + place, root->in[1] + place, root->in[2] + place};
            const float *const out[3] = {root->out[0] + place, root->out[1] + place, root->out[2] + place};
            mote_hits_push_children(in, out, root->child + place, 0, stream, &pushing);
        }
        stream->motion[i].way.count = pushing.count;
        stream->active[kept] = (uint16_t)i;
        kept += pushing.count > 0;
    }
    stream->active_count = kept;
    stream->leaf_count = pushing.leaf;
}
