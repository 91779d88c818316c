// SPDX-License-Identifier: MIT
// Moves many motions of points down the tree together (ray streams: Barringer & Akenine-Möller 2014), those of an
// octant at a time. Each motion visits one node at a time, and while it waits for that node's memory the others are
// processed. Children of a node are pushed all at once, in the order that their slots have for the octant (Ylitie,
// Karras & Laine 2017), which is nearly that of their distances.
//
// No box that a motion meets is missed: see motion_descent.c. Ends of motions come in cells and within
// HITS_FLOAT_ERROR, as are all points between them; so boxes are enlarged by twice that. Motions may be longer than
// boxes, and begin far from them: boxes are enlarged by 2^-20 of that, too. That is more than four roundings of
// 2^-24 on the way to lengths and those of motion_descent.c, 2^-22, move a point by. Planes and beginnings are
// multiplied by 1/W before they are subtracted: 1/W, both products and the difference are rounded, which are four too,
// or one less (wide_multiply_subtract).

#include "base/wide.h"
#include "hits/motion_stream.h"

// Motions parallel to an axis are tilted by this much, which is less than rounding errors.
#define LEAST_WAY 0x1p-30f
#define FAR_MARGIN 0x1p-20f

// ----------------------------------------------------------------------------------------------------- beginning

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
    placed->in_zero[k] = (at + before) * per_way;
    placed->out_zero[k] = (at - before) * per_way;
    placed->begin = wide_greater(in * per_way - placed->in_zero[k], placed->begin);
    placed->end = wide_lesser(-in * per_way - placed->out_zero[k], placed->end);
    placed->octant = placed->octant | wide_select(is_down, wide_all_u32(1u << k), wide_all_u32(0));
    placed->is_small =
        wide_both(placed->is_small, wide_less(wide_max(wide_abs(from), wide_abs(to)), wide_all(HITS_FLOAT_REACH)));
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
    size_t kept = 0;
    march->alone_count = 0;
    // The march's columns have room for eight more.
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
        const wide_mask passes = wide_both(placed.is_small, wide_at_most(placed.begin, placed.end));
        const uint32_t bits = wide_first(wide_bits(passes), march->count - i);
        wide_store_front(ways->kept + kept, wide_lane_numbers() + (uint32_t)i, bits);
        wide_store_front(ways->octant + kept, placed.octant, bits);
        kept += wide_bit_count(bits);
        for (uint32_t odd = wide_first(wide_bits(wide_not(placed.is_small)), march->count - i); odd; odd &= odd - 1)
            march->alone[march->alone_count++] = march->at[i + mote_lowest_bit(odd)];
    }
    sort_ways(kept, ways);
}

// ----------------------------------------------------------------------------------------------------------- steps

// Replaces the node on top of a motion's stack by its children, the farthest first, and lists its child clusters from
// place `leaf` on. Returns the number of clusters listed. The octant is a constant.
MOTE_INLINE size_t open_node(const hits_tree_node *node, uint32_t octant, uint32_t i, hits_stream_motion *motion,
                             hits_stream *stream, size_t leaf)
{
    const hits_way *way = &motion->way;
    uint32_t count = way->count - 1;
    for (uint32_t place = 0; place < HITS_TREE_FAN; place += WIDE) {
        // The child at place p is that of slot p ^ 7 ^ octant: which vector of slots, and which lane of it.
        const uint32_t slot = (place ^ 7 ^ octant) & (HITS_TREE_FAN - WIDE), swap = (octant ^ 7) & (WIDE - 1);
        wide_f32 begin = wide_all(way->first), end = wide_all(way->most);
        for (uint32_t k = 0; k < 3; ++k) {
            const float *in = node->plane[k + 3 * (octant >> k & 1)], *out = node->plane[k + 3 - 3 * (octant >> k & 1)];
            const wide_f32 per_way = wide_all(way->per_way[k]);
            const wide_f32 in_zero = wide_all(way->in_zero[k]), out_zero = wide_all(way->out_zero[k]);
            begin = wide_greater(wide_multiply_subtract(per_way, wide_load(in + slot), in_zero), begin);
            end = wide_lesser(wide_multiply_subtract(per_way, wide_load(out + slot), out_zero), end);
        }
        const wide_u32 child = wide_load(node->child + slot);
        const uint32_t passed = wide_bits(wide_at_most(begin, end));
        const uint32_t is_node = wide_bits(wide_less(wide_signed(child), wide_all_i32(0)));
        const uint32_t inner = passed & is_node, outer = passed & ~is_node;
        wide_store(motion->enters + count, wide_front_swapped(begin, inner, swap));
        wide_store(motion->node + count, wide_front_swapped(child, inner, swap));
        count += wide_bit_count(inner);
        wide_store_front(stream->leaf + leaf, child, outer);
        wide_store(stream->leaf_of + leaf, wide_all_u32(i));
        leaf += wide_bit_count(outer);
    }
    motion->way.count = count;
    return leaf;
}

MOTE_INLINE void prefetch_node(const hits_tree_node *node)
{
    for (size_t line = 0; line < sizeof *node; line += 64) mote_prefetch((const char *)node + line);
}

MOTE_INLINE void step_octant(const hits_tree_node *nodes, uint32_t octant, hits_stream *stream)
{
    size_t kept = 0, leaf_count = 0;
    for (size_t a = 0; a < stream->active_count; ++a) {
        const uint32_t i = stream->active[a];
        hits_stream_motion *motion = &stream->motion[i];
        const uint32_t top = motion->way.count - 1;
        // Stacks have become empty since hits were found, or are too small.
        if (top >= HITS_STREAM_STACK) {
            if (motion->way.count) stream->alone[stream->alone_count++] = (uint16_t)i;
            continue;
        }
        const hits_tree_node *node = &nodes[motion->node[top] & ~HITS_TREE_NODE];
        leaf_count = open_node(node, octant, i, motion, stream, leaf_count);
        const uint32_t count = motion->way.count;
        stream->active[kept] = (uint16_t)i;
        kept += count > 0;
        prefetch_node(&nodes[motion->node[count ? count - 1 : 0] & ~HITS_TREE_NODE]);
    }
    stream->active_count = kept;
    stream->leaf_count = leaf_count;
}

void WIDE_NAME(mote_hits_stream_step)(const struct hits_tree *tree, hits_stream *stream)
{
    switch (stream->octant) {
    case 0: step_octant(tree->nodes, 0, stream); break;
    case 1: step_octant(tree->nodes, 1, stream); break;
    case 2: step_octant(tree->nodes, 2, stream); break;
    case 3: step_octant(tree->nodes, 3, stream); break;
    case 4: step_octant(tree->nodes, 4, stream); break;
    case 5: step_octant(tree->nodes, 5, stream); break;
    case 6: step_octant(tree->nodes, 6, stream); break;
    default: step_octant(tree->nodes, 7, stream); break;
    }
}

void WIDE_NAME(mote_hits_stream_cut)(hits_stream *stream)
{
    for (; stream->cut; stream->cut &= stream->cut - 1) {
        hits_stream_motion *motion = &stream->motion[mote_lowest_bit(stream->cut)];
        const uint32_t count = motion->way.count;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; k += WIDE) {
            const wide_f32 enters = wide_load(motion->enters + k);
            const wide_u32 node = wide_load(motion->node + k);
            const uint32_t bits = wide_first(wide_bits(wide_at_most(enters, wide_all(motion->way.most))), count - k);
            wide_store_front(motion->enters + kept, enters, bits);
            wide_store_front(motion->node + kept, node, bits);
            kept += wide_bit_count(bits);
        }
        motion->way.count = kept;
    }
}
