// SPDX-License-Identifier: MIT
// Moves many motions of points down the tree together (ray streams: Barringer & Akenine-Möller 2014), those of an
// octant at a time. The root and its children are tested against many motions at a time, which finds the nodes below
// them that each motion enters. From there each motion visits one node at a time, and while it waits for that node's
// memory the others are processed. Children of a node are pushed all at once, in the order that their slots have for
// the octant (Ylitie, Karras & Laine 2017), which is nearly that of their distances.
//
// No box that a motion meets is missed: see motion_descent.c. Ends of motions come in cells and within
// HITS_FLOAT_ERROR, as are all points between them; so boxes are enlarged by twice that. Motions may be longer than
// boxes, and begin far from them: boxes are enlarged by 2^-20 of that, too. That is more than four roundings of
// 2^-24 on the way to lengths and those of motion_descent.c, 2^-22, move a point by. Planes and beginnings are
// multiplied by 1/W before they are subtracted: 1/W, both products and the difference are rounded, which are four too.

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

// Sorts the ways of the motions that are kept by octants.
static void sort_ways(const hits_march *march, size_t kept, hits_ways *ways)
{
    size_t place[HITS_OCTANTS + 1] = {0};
    for (size_t n = 0; n < kept; ++n) ++place[ways->octant[n] + 1];
    for (size_t o = 0; o < HITS_OCTANTS; ++o) place[o + 1] += place[o];
    memcpy(ways->first, place, sizeof place);
    for (size_t n = 0; n < kept; ++n) {
        const uint32_t i = ways->kept[n];
        hits_way *way = &ways->of[place[ways->octant[n]]++];
        *way = ways->unsorted[i];
        way->number = (uint16_t)march->at[i];
        way->count = 0;
        way->least = way->last = HUGE_VALF;
        way->triangle = UINT32_MAX;
        way->is_exact = false;
    }
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
        wide_store_rows(ways->unsorted[i].in_zero, sizeof(hits_way) / sizeof(float), placed.in_zero);
        wide_store_rows(ways->unsorted[i].out_zero, sizeof(hits_way) / sizeof(float), placed.out_zero);
        wide_store_rows(ways->unsorted[i].per_way, sizeof(hits_way) / sizeof(float), placed.per_way);
        const wide_mask passes = wide_both(placed.is_small, wide_at_most(placed.begin, placed.end));
        const uint32_t bits = wide_first(wide_bits(passes), march->count - i);
        wide_store_front(ways->kept + kept, wide_lane_numbers() + (uint32_t)i, bits);
        wide_store_front(ways->octant + kept, placed.octant, bits);
        kept += wide_bit_count(bits);
        for (uint32_t odd = wide_first(wide_bits(wide_not(placed.is_small)), march->count - i); odd; odd &= odd - 1)
            march->alone[march->alone_count++] = march->at[i + mote_lowest_bit(odd)];
    }
    sort_ways(march, kept, ways);
}

// ------------------------------------------------------------------------------------------- the top of the tree

static void put_at_root(hits_stream *stream)
{
    for (size_t i = 0; i < stream->count; ++i) {
        stream->motion[i].way.count = 1;
        stream->motion[i].node[0] = HITS_TREE_NODE;
        stream->motion[i].enters[0] = 0;
    }
}

// Whether all children of a node are nodes.
static bool is_inner(const hits_tree_node *node)
{
    bool is = true;
    for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) is &= (node->child[i] & HITS_TREE_NODE) != 0;
    return is;
}

// WIDE motions, in columns.
typedef struct way_columns {
    wide_f32 in_zero[4], out_zero[4], per_way[4];
} way_columns;

static inline void load_ways(const hits_stream *stream, const uint32_t at[WIDE], way_columns *columns)
{
    enum { RECORDS = sizeof(hits_stream_motion) / (4 * sizeof(float)) };
    const float *records = stream->motion[0].way.in_zero;
    uint32_t record[WIDE];
    for (int l = 0; l < WIDE; ++l) record[l] = RECORDS * at[l];
    wide_load_columns(records, record, columns->in_zero);
    wide_load_columns(records + 4, record, columns->out_zero);
    wide_load_columns(records + 8, record, columns->per_way);
}

// Returns which of WIDE motions pass the box of a node's child, and the shares at which they enter it.
static inline uint32_t pass_child(const hits_tree_node *node, uint32_t octant, uint32_t slot, const way_columns *ways,
                                  wide_f32 *enters)
{
    wide_f32 begin = ways->out_zero[3], end = ways->in_zero[3];
    for (uint32_t k = 0; k < 3; ++k) {
        const float in = node->plane[k + 3 * (octant >> k & 1)][slot],
                    out = node->plane[k + 3 - 3 * (octant >> k & 1)][slot];
        begin = wide_greater(in * ways->per_way[k] - ways->in_zero[k], begin);
        end = wide_lesser(out * ways->per_way[k] - ways->out_zero[k], end);
    }
    *enters = begin;
    return wide_bits(wide_at_most(begin, end));
}

// Lists the motions that enter each of the root's children.
static inline void enter_root(const hits_tree_node *root, hits_stream *stream, size_t counts[HITS_TREE_FAN])
{
    memset(counts, 0, HITS_TREE_FAN * sizeof *counts);
    for (size_t i = 0; i < stream->count; i += WIDE) {
        way_columns ways;
        uint32_t at[WIDE];
        wide_store(at, wide_lane_numbers() + (uint32_t)i);
        // Lanes after the last motion read that one.
        for (int l = 0; l < WIDE; ++l) at[l] = MOTE_MIN(at[l], (uint32_t)stream->count - 1);
        load_ways(stream, at, &ways);
        for (uint32_t slot = 0; slot < HITS_TREE_FAN; ++slot) {
            wide_f32 enters;
            const uint32_t bits = wide_first(pass_child(root, stream->octant, slot, &ways, &enters), stream->count - i);
            wide_store_front(stream->list[slot] + counts[slot], wide_lane_numbers() + (uint32_t)i, bits);
            counts[slot] += wide_bit_count(bits);
        }
    }
}

// Lists what the motions of a list enter of a node's children, for each motion the farthest first.
static inline size_t enter_node(const hits_tree_node *node, hits_stream *stream, uint32_t *list, size_t count)
{
    size_t found = 0;
    for (size_t i = count; i < count + WIDE; ++i) list[i] = 0;
    for (size_t i = 0; i < count; i += WIDE) {
        way_columns ways;
        load_ways(stream, list + i, &ways);
        for (uint32_t place = 0; place < HITS_TREE_FAN; ++place) {
            const uint32_t slot = place ^ 7 ^ stream->octant;
            wide_f32 enters;
            const uint32_t bits = wide_first(pass_child(node, stream->octant, slot, &ways, &enters), count - i);
            wide_store_front(stream->entered_by + found, wide_load(list + i), bits);
            wide_store_front(stream->entered_at + found, enters, bits);
            wide_store(stream->entered + found, wide_all_u32(node->child[slot]));
            found += wide_bit_count(bits);
        }
    }
    return found;
}

static inline void push(hits_stream *stream, size_t i, uint32_t node, float enters)
{
    hits_stream_motion *motion = &stream->motion[i];
    const uint32_t count = motion->way.count;
    motion->node[count] = node;
    motion->enters[count] = enters;
    // What does not fit makes the stack overflow at the next step.
    motion->way.count = count + (count < HITS_STREAM_STACK + 1);
}

void WIDE_NAME(mote_hits_stream_begin)(const struct hits_tree *tree, hits_stream *stream)
{
    const hits_tree_node *root = &tree->nodes[0];
    stream->active_count = stream->count;
    stream->alone_count = stream->leaf_count = stream->node_count = 0;
    for (size_t i = 0; i < stream->count; ++i) stream->active[i] = (uint16_t)i;
    if (stream->count == 0) return;
    if (!is_inner(root)) {
        put_at_root(stream);
        return;
    }
    size_t counts[HITS_TREE_FAN];
    enter_root(root, stream, counts);
    stream->node_count = stream->count;
    for (uint32_t place = 0; place < HITS_TREE_FAN; ++place) {
        const uint32_t slot = place ^ 7 ^ stream->octant, child = root->child[slot];
        const hits_tree_node *node = &tree->nodes[child & ~HITS_TREE_NODE];
        const uint32_t *list = stream->list[slot];
        if (is_inner(node)) {
            const size_t found = enter_node(node, stream, stream->list[slot], counts[slot]);
            stream->node_count += counts[slot];
            for (size_t n = 0; n < found; ++n)
                push(stream, stream->entered_by[n], stream->entered[n], stream->entered_at[n]);
        } else {
            for (size_t n = 0; n < counts[slot]; ++n) push(stream, list[n], child, 0);
        }
    }
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
            const float per_way = way->per_way[k];
            begin = wide_greater(per_way * wide_load(in + slot) - way->in_zero[k], begin);
            end = wide_lesser(per_way * wide_load(out + slot) - way->out_zero[k], end);
        }
        begin = wide_swap(begin, swap);
        const wide_u32 child = wide_swap(wide_load(node->child + slot), swap);
        const uint32_t passed = wide_bits(wide_at_most(begin, wide_swap(end, swap)));
        const uint32_t is_node = wide_bits(wide_less(wide_signed(child), wide_all_i32(0)));
        const uint32_t inner = passed & is_node, outer = passed & ~is_node;
        wide_store_front(motion->enters + count, begin, inner);
        wide_store_front(motion->node + count, child, inner);
        count += wide_bit_count(inner);
        wide_store_front(stream->leaf + leaf, child, outer);
        wide_store(stream->leaf_of + leaf, wide_all_u32(i));
        leaf += wide_bit_count(outer);
    }
    motion->way.count = count;
    return leaf;
}

static inline void prefetch_node(const hits_tree_node *node)
{
    for (size_t line = 0; line < sizeof *node; line += 64) mote_prefetch((const char *)node + line);
}

MOTE_INLINE void step_octant(const hits_tree_node *nodes, uint32_t octant, hits_stream *stream)
{
    size_t waiting = 0, kept = 0, leaf_count = 0;
    // Stacks have become empty, or shorter, since hits were found.
    for (size_t a = 0; a < stream->active_count; ++a) {
        const uint16_t i = stream->active[a];
        stream->active[waiting] = i;
        waiting += stream->motion[i].way.count > 0;
    }
    for (size_t a = 0; a < waiting; ++a) {
        const uint32_t i = stream->active[a];
        hits_stream_motion *motion = &stream->motion[i];
        const uint32_t top = motion->way.count - 1;
        if (top >= HITS_STREAM_STACK) {
            stream->alone[stream->alone_count++] = (uint16_t)i;
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
