// SPDX-License-Identifier: MIT
// Moves many motions of points down the tree together (ray streams: Barringer & Akenine-Möller 2014): each motion
// visits one node at a time, and while it waits for that node's memory the others are processed. Children of a node
// are pushed all at once, in the order that their slots have for the motion's octant (Ylitie, Karras & Laine 2017),
// which is nearly that of their distances.
//
// No box that a motion meets is missed: see motion_descent.c. Ends of motions come from the march, in cells and within
// HITS_FLOAT_ERROR, as are all points between them; so boxes are enlarged by twice that.

#include "base/wide.h"
#include "hits/motion_stream.h"

// Motions parallel to an axis are tilted by this much, which is less than rounding errors.
#define LEAST_WAY 0x1p-30f

// Data shared by all motions: the conversion from cells to the tree's lengths along an axis, and the margin of
// boxes.
typedef struct stream_frame {
    float edge, corner[3], margin;
} stream_frame;

static stream_frame make_stream_frame(const mote_hits *all)
{
    const hits_grid *grid = &all->grid;
    stream_frame frame = {.edge = (float)grid->edge};
    frame.margin = (float)(HITS_CAST_MARGIN + 2 * (double)HITS_FLOAT_ERROR * grid->edge);
    for (int k = 0; k < 3; ++k) frame.corner[k] = (float)(grid->origin[k] - all->tree->origin[k]);
    return frame;
}

static void put_at_root(const hits_march *march, size_t first, hits_stream *stream)
{
    stream->first = first;
    stream->count = stream->active_count = MOTE_MIN(march->count - first, (size_t)HITS_STREAM);
    stream->alone_count = 0;
    for (size_t i = 0; i < stream->count; ++i) {
        stream->most[i] = 1;
        stream->stack_count[i] = 1;
        stream->active[i] = (uint16_t)i;
        stream->node[i][0] = 0;
        stream->enters[i][0] = 0;
    }
}

// Places axis k of WIDE motions from i on. Returns bit k of their octants.
static inline wide_u32 place_axis(const stream_frame *frame, const hits_march *march, size_t i, int k,
                                  hits_stream *stream)
{
    const size_t n = stream->first + i;
    const wide_f32 begin = wide_load(march->begin + n), length = (wide_load(march->last + n) - begin) * frame->edge;
    const wide_f32 way = wide_load(march->way[k] + n), along = length * way;
    const wide_mask is_down = wide_less(along, wide_all(0));
    const wide_f32 at = (wide_load(march->from[k] + n) + begin * way) * frame->edge + frame->corner[k];
    const wide_f32 before = wide_select(is_down, wide_all(-frame->margin), wide_all(frame->margin));
    const wide_f32 least = wide_select(is_down, wide_all(-LEAST_WAY), wide_all(LEAST_WAY));
    const wide_mask is_across = wide_less(wide_abs(along), wide_all(LEAST_WAY));
    wide_store(stream->per_way[k] + i, 1.0f / wide_select(is_across, least, along));
    wide_store(stream->in_from[k] + i, at + before);
    wide_store(stream->out_from[k] + i, at - before);
    return wide_select(is_down, wide_all_u32(1u << k), wide_all_u32(0));
}

void WIDE_NAME(mote_hits_stream_begin)(const mote_hits *all, const hits_march *march, size_t first, hits_stream *stream)
{
    const stream_frame frame = make_stream_frame(all);
    put_at_root(march, first, stream);
    // The march's columns have room for eight more.
    for (size_t i = 0; i < stream->count; i += WIDE) {
        const wide_u32 octant = place_axis(&frame, march, i, 0, stream) | place_axis(&frame, march, i, 1, stream);
        wide_store(stream->octant + i, octant | place_axis(&frame, march, i, 2, stream));
    }
}

// Pops a motion's next node that is not behind its first hit so far; false if there is none.
static inline bool pop_node(hits_stream *stream, size_t i, uint32_t *node)
{
    uint32_t count = stream->stack_count[i];
    const float most = stream->most[i];
    do {
        if (count == 0) return false;
        --count;
    } while (stream->enters[i][count] > most);
    stream->stack_count[i] = count;
    *node = stream->node[i][count];
    return true;
}

// Pushes the children of a node, the farthest first.
static inline void open_node(const hits_tree_node *node, hits_stream *stream, size_t i)
{
    const uint32_t octant = stream->octant[i];
    for (uint32_t place = 0; place < HITS_TREE_FAN; place += WIDE) {
        // The child at place p is that of slot p ^ 7 ^ octant: which vector of slots, and which lane of it.
        const uint32_t slot = (place ^ 7 ^ octant) & (HITS_TREE_FAN - WIDE), swap = (octant ^ 7) & (WIDE - 1);
        wide_f32 begin = wide_all(0), end = wide_all(stream->most[i]);
        for (uint32_t k = 0; k < 3; ++k) {
            const float *in = node->plane[k + 3 * (octant >> k & 1)], *out = node->plane[k + 3 - 3 * (octant >> k & 1)];
            const float per_way = stream->per_way[k][i];
            begin = wide_max((wide_load(in + slot) - stream->in_from[k][i]) * per_way, begin);
            end = wide_min((wide_load(out + slot) - stream->out_from[k][i]) * per_way, end);
        }
        begin = wide_swap(begin, swap);
        const wide_u32 child = wide_swap(wide_load(node->child + slot), swap);
        const uint32_t passed = wide_bits(wide_at_most(begin, wide_swap(end, swap)));
        const uint32_t is_node = wide_bits(wide_less(wide_signed(child), wide_all_i32(0)));
        const uint32_t nodes = passed & is_node, leaves = passed & ~is_node, count = stream->stack_count[i];
        const wide_u32 front = wide_front(child & ~HITS_TREE_NODE, nodes);
        wide_store_front(stream->enters[i] + count, begin, nodes);
        wide_store(stream->node[i] + count, front);
        stream->stack_count[i] = count + wide_bit_count(nodes);
        wide_store_front(stream->leaf + stream->leaf_count, child, leaves);
        wide_store(stream->leaf_of + stream->leaf_count, wide_all_u32((uint32_t)i));
        stream->leaf_count += wide_bit_count(leaves);
    }
}

void WIDE_NAME(mote_hits_stream_step)(const struct hits_tree *tree, hits_stream *stream)
{
    size_t kept = 0;
    stream->leaf_count = 0;
    for (size_t a = 0; a < stream->active_count; ++a) {
        const size_t i = stream->active[a];
        uint32_t at;
        if (!pop_node(stream, i, &at)) continue;
        open_node(&tree->nodes[at], stream, i);
        const uint32_t count = stream->stack_count[i];
        stream->active[kept] = (uint16_t)i;
        if (count > HITS_STREAM_STACK) {
            stream->alone[stream->alone_count++] = (uint16_t)i;
            continue;
        }
        kept += count > 0;
        const char *next = (const char *)&tree->nodes[stream->node[i][count ? count - 1 : 0]];
        for (size_t line = 0; line < sizeof(hits_tree_node); line += 64) mote_prefetch(next + line);
    }
    stream->active_count = kept;
}
