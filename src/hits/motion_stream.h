// SPDX-License-Identifier: MIT
// hits/motion_stream.h: many motions of points down the tree together.
#ifndef MOTE_HITS_MOTION_STREAM_H
#define MOTE_HITS_MOTION_STREAM_H

#include "hits/motion_tree.h"

enum {
    HITS_STREAM = 128,       // motions at a time
    HITS_STREAM_STACK = 48,  // nodes that one of them leaves aside, at most
    HITS_STREAM_ROOM = HITS_STREAM_STACK + HITS_TREE_FAN,
    HITS_STREAM_LEAVES = (HITS_STREAM + 1) * HITS_TREE_FAN
};

// Pieces of motions of the march, from the tree's origin, side by side: as a cast_way each. Node k of a stack is
// entered at share enters[k].
typedef struct hits_stream {
    size_t first, count;  // the march's
    float in_from[3][HITS_STREAM], out_from[3][HITS_STREAM], per_way[3][HITS_STREAM], most[HITS_STREAM];
    uint32_t octant[HITS_STREAM];  // bit k: goes down axis k
    uint32_t stack_count[HITS_STREAM];
    uint32_t node[HITS_STREAM][HITS_STREAM_ROOM];
    float enters[HITS_STREAM][HITS_STREAM_ROOM];
    uint16_t active[HITS_STREAM], alone[HITS_STREAM];  // those that are on their way; those that left too much aside
    size_t active_count, alone_count, leaf_count;
    // The clusters that are reached, and by whom.
    uint32_t leaf[HITS_STREAM_LEAVES], leaf_of[HITS_STREAM_LEAVES];
} hits_stream;

// Brings the march's motions from `first` on, as many as there is room for, to the root.
void mote_hits_stream_begin_plain(const mote_hits *all, const hits_march *march, size_t first, hits_stream *stream);

// Every active motion comes to one node: its children are put aside, the clusters among them listed. Those that have
// nothing left drop out.
void mote_hits_stream_step_plain(const struct hits_tree *tree, hits_stream *stream);
#if MOTE_HAVE_AVX2
void mote_hits_stream_begin_avx2(const mote_hits *all, const hits_march *march, size_t first, hits_stream *stream);
void mote_hits_stream_step_avx2(const struct hits_tree *tree, hits_stream *stream);
#endif

#endif
