// SPDX-License-Identifier: MIT
// hits/motion_children.h: which children of a node, or of a root, a motion of a stream passes: WIDE of them at a time.
#ifndef MOTE_HITS_MOTION_CHILDREN_H
#define MOTE_HITS_MOTION_CHILDREN_H

#include "base/wide.h"
#include "hits/motion_stream.h"

// One of the stream's motions, how many nodes its stack has so far, and how many clusters the stream lists.
typedef struct hits_pushing {
    uint32_t motion, count;
    size_t leaf;
} hits_pushing;

// Of WIDE children, puts the nodes that the motion passes on its stack, and lists the clusters.
// @param in,out   by axis, the planes of the children's boxes that the motion passes first, and last
// @param swap     a constant: the node in lane l is put on the stack at place l ^ swap of those that are passed
MOTE_INLINE void mote_hits_push_children(const float *const in[3], const float *const out[3], const uint32_t *children,
                                         uint32_t swap, hits_stream *stream, hits_pushing *pushing)
{
    hits_stream_motion *motion = &stream->motion[pushing->motion];
    const hits_way *way = &motion->way;
    wide_f32 begin = wide_all(way->first), end = wide_all(way->most);
    for (uint32_t k = 0; k < 3; ++k) {
        const wide_f32 per_way = wide_all(way->per_way[k]);
        const wide_f32 in_zero = wide_all(way->in_zero[k]), out_zero = wide_all(way->out_zero[k]);
        begin = wide_greater(wide_multiply_subtract(per_way, wide_load(in[k]), in_zero), begin);
        end = wide_lesser(wide_multiply_subtract(per_way, wide_load(out[k]), out_zero), end);
    }
    const wide_u32 child = wide_load(children);
    const uint32_t passed = wide_bits(wide_at_most(begin, end));
    const uint32_t is_node = wide_bits(wide_less(wide_signed(child), wide_all_i32(0)));
    const uint32_t inner = passed & is_node, outer = passed & ~is_node;
    const wide_f32 enters = swap ? wide_front_swapped(begin, inner, swap) : wide_front(begin, inner);
    wide_store(motion->enters + pushing->count, enters);
    wide_store(motion->node + pushing->count, swap ? wide_front_swapped(child, inner, swap) : wide_front(child, inner));
    pushing->count += wide_bit_count(inner);
    wide_store_front(stream->leaf + pushing->leaf, child, outer);
    wide_store(stream->leaf_of + pushing->leaf, wide_all_u32(pushing->motion));
    pushing->leaf += wide_bit_count(outer);
}

#endif
