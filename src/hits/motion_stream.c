// SPDX-License-Identifier: MIT
// Moves many motions of points down the tree together (ray streams: Barringer & Akenine-Möller 2014), those of an
// octant at a time. Each motion visits one node at a time, and while it waits for that node's memory the others are
// processed. Children of a node are pushed all at once, in the order that their slots have for the octant (Ylitie,
// Karras & Laine 2017), which is nearly that of their distances. No box that a motion meets is missed (motion_ways.c).

#include "base/wide.h"
#include "hits/motion_children.h"

// Replaces the node on top of a motion's stack by its children, the farthest first, and lists its child clusters from
// place `leaf` on. Returns the place behind them. The octant is a constant.
MOTE_INLINE size_t open_node(const hits_tree_node *node, uint32_t octant, uint32_t i, hits_stream *stream, size_t leaf)
{
    hits_pushing pushing = {i, stream->motion[i].way.count - 1, leaf};
    for (uint32_t place = 0; place < HITS_TREE_FAN; place += WIDE) {
        // The child at place p is that of slot p ^ 7 ^ octant: which vector of slots, and which lane of it.
        const uint32_t slot = (place ^ 7 ^ octant) & (HITS_TREE_FAN - WIDE), swap = (octant ^ 7) & (WIDE - 1);
        const float *in[3], *out[3];
        for (uint32_t k = 0; k < 3; ++k) {
            in[k] = node->plane[k + 3 * (octant >> k & 1)] + slot;
            out[k] = node->plane[k + 3 - 3 * (octant >> k & 1)] + slot;
        }
        mote_hits_push_children(in, out, node->child + slot, swap, stream, &pushing);
    }
    stream->motion[i].way.count = pushing.count;
    return pushing.leaf;
}

// Prefetches the node on top of a motion's stack.
MOTE_INLINE void prefetch_top(const hits_tree_node *nodes, const hits_stream_motion *motion)
{
    const uint32_t count = motion->way.count;
    const hits_tree_node *node = &nodes[motion->node[count ? count - 1 : 0] & ~HITS_TREE_NODE];
    for (size_t line = 0; line < sizeof *node; line += 64) mote_prefetch((const char *)node + line);
}

MOTE_INLINE void step_octant(const hits_tree_node *nodes, uint32_t octant, hits_stream *stream)
{
    enum { AHEAD = 8 };  // less than all of a round, which takes longer (docs/hits.md)
    size_t kept = 0, leaf_count = 0;
    const size_t active_count = stream->active_count;
    for (size_t a = 0; a < active_count; ++a) {
        const uint32_t i = stream->active[a];
        hits_stream_motion *motion = &stream->motion[i];
        const uint32_t top = motion->way.count - 1;
        // Stacks have become empty since hits were found, or are too small.
        if (top >= HITS_STREAM_STACK) {
            if (motion->way.count) stream->alone[stream->alone_count++] = (uint16_t)i;
            continue;
        }
        const hits_tree_node *node = &nodes[motion->node[top] & ~HITS_TREE_NODE];
        leaf_count = open_node(node, octant, i, stream, leaf_count);
        const uint32_t count = motion->way.count;
        stream->active[kept] = (uint16_t)i;
        kept += count > 0;
        // Near the end, what this motion visits in the next step.
        prefetch_top(nodes, &stream->motion[a + AHEAD < active_count ? stream->active[a + AHEAD] : i]);
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
