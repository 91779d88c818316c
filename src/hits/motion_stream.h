// SPDX-License-Identifier: MIT
// hits/motion_stream.h: walks many motions of points down the tree together.
#ifndef MOTE_HITS_MOTION_STREAM_H
#define MOTE_HITS_MOTION_STREAM_H

#include "hits/motion_descent.h"

enum {
    HITS_STREAM = 128,       // motions at a time
    HITS_STREAM_STACK = 48,  // nodes on a motion's stack; one with more is walked alone
    HITS_STREAM_ROOM = HITS_STREAM_STACK + HITS_TREE_FAN,
    HITS_STREAM_LEAVES = (HITS_STREAM + 1) * HITS_TREE_FAN
};

// Pieces of the march's motions, relative to the tree's origin, in columns: the fields of a cast_way. A motion
// enters node k of its stack at share enters[k].
typedef struct hits_stream {
    size_t first, count;  // motions of the march
    float in_from[3][HITS_STREAM], out_from[3][HITS_STREAM], per_way[3][HITS_STREAM], most[HITS_STREAM];
    uint32_t octant[HITS_STREAM];  // bit k: the motion goes down axis k
    uint32_t stack_count[HITS_STREAM];
    uint32_t node[HITS_STREAM][HITS_STREAM_ROOM];
    float enters[HITS_STREAM][HITS_STREAM_ROOM];
    uint16_t active[HITS_STREAM], alone[HITS_STREAM];  // motions still under way; motions whose stacks overflowed
    size_t active_count, alone_count, leaf_count;
    // The clusters that were reached, and the motions that reached them.
    uint32_t leaf[HITS_STREAM_LEAVES], leaf_of[HITS_STREAM_LEAVES];
} hits_stream;

#endif
