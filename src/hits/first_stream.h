// hits/first_stream.h: many motions of points down the tree together.
#ifndef MOTE_HITS_FIRST_STREAM_H
#define MOTE_HITS_FIRST_STREAM_H

#include "hits/first_cast.h"

enum {
    FIRST_STREAM = 128,       // motions at a time
    FIRST_STREAM_STACK = 48,  // nodes that one of them leaves aside, at most
    FIRST_STREAM_ROOM = FIRST_STREAM_STACK + FIRST_TREE_FAN,
    FIRST_STREAM_LEAVES = (FIRST_STREAM + 1) * FIRST_TREE_FAN
};

// Pieces of motions of the trail, from the tree's origin, side by side: as a cast_way each. Node k of a stack is
// entered at share enters[k].
typedef struct first_stream {
    size_t first, count;  // the trail's
    float in_from[3][FIRST_STREAM], out_from[3][FIRST_STREAM], per_way[3][FIRST_STREAM], most[FIRST_STREAM];
    uint32_t octant[FIRST_STREAM];  // bit k: goes down axis k
    uint32_t stack_count[FIRST_STREAM];
    uint32_t node[FIRST_STREAM][FIRST_STREAM_ROOM];
    float enters[FIRST_STREAM][FIRST_STREAM_ROOM];
    uint16_t active[FIRST_STREAM], alone[FIRST_STREAM];  // those that are on their way; those that left too much aside
    size_t active_count, alone_count, leaf_count;
    // The clusters that are reached, and by whom.
    uint32_t leaf[FIRST_STREAM_LEAVES], leaf_of[FIRST_STREAM_LEAVES];
} first_stream;

// Brings the trail's motions from `first` on, as many as there is room for, to the root.
void mote_first_stream_begin_plain(const mote_first_hits *all, const first_trail *trail, size_t first,
                                   first_stream *stream);

// Every active motion comes to one node: its children are put aside, the clusters among them listed. Those that have
// nothing left drop out.
void mote_first_stream_step_plain(const struct first_tree *tree, first_stream *stream);
#if MOTE_HAVE_AVX2
void mote_first_stream_begin_avx2(const mote_first_hits *all, const first_trail *trail, size_t first,
                                  first_stream *stream);
void mote_first_stream_step_avx2(const struct first_tree *tree, first_stream *stream);
#endif

#endif
