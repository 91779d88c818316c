// SPDX-License-Identifier: MIT
// hits/motion_stream.h: walks many motions of points down the tree together.
#ifndef MOTE_HITS_MOTION_STREAM_H
#define MOTE_HITS_MOTION_STREAM_H

#include "hits/motion_descent.h"

enum {
    HITS_STREAM = 64,        // motions at a time, all of the same octant
    HITS_STREAM_STACK = 48,  // nodes on a motion's stack; one with more is walked alone
    HITS_STREAM_ROOM = HITS_STREAM_STACK + HITS_TREE_FAN,
    HITS_STREAM_LEAVES = (HITS_STREAM + 1) * HITS_TREE_FAN,
    HITS_STREAM_FILTERED = 256,  // after so many clusters were filtered, the triangles that are left are tested
    HITS_STREAM_CANDIDATES = HITS_STREAM_FILTERED * HITS_LANES + 8,
    HITS_OCTANTS = 8
};

// A motion relative to the tree's origin, in the form that tests of boxes use. For each axis, `in` is the plane of a
// box that the motion passes first, `out` the other one: it passes the plane at `in` times per_way less in_zero, where
// in_zero is that of a plane at 0. Records of four numbers, for wide_load_columns.
typedef struct hits_way {
    float in_zero[3], most;    // nodes entered behind this share are skipped,
    float out_zero[3], first;  // and so are those left before this one
    float per_way[3];
    uint32_t count;  // of nodes on its stack
    // The first hit so far, if it is certain: its triangle, or UINT32_MAX, and between which shares it lies.
    float least, last;
    uint32_t triangle;
    uint16_t number;  // the motion's number in the block
    bool is_exact;    // hits are left to exact tests
    bool has_line;
} hits_way;
_Static_assert(sizeof(hits_way) == 64, "rows of wide_store_rows, and records of wide_load_columns");

// A motion from the tree's origin, each number rounded once, for tests of triangles.
typedef struct hits_line {
    float from[3], way[3];
    float farthest;  // at least as large as any coordinate of it and of the mesh
    float longest;   // that of `way`
} hits_line;

// Motions on their way down the tree, by octants. Bit k of an octant is set if its motions go down axis k.
typedef struct hits_ways {
    hits_way of[HITS_MOTIONS];
    size_t first[HITS_OCTANTS + 1];
    hits_way unsorted[HITS_ROOM];
    uint32_t kept[HITS_ROOM], octant[HITS_ROOM];
} hits_ways;

// A triangle that a motion may hit, between the shares `least` and `last`; infinite ones: it is not certain that it
// hits it.
typedef struct hits_stream_candidates {
    float least[HITS_STREAM_CANDIDATES], last[HITS_STREAM_CANDIDATES];
    uint32_t triangle[HITS_STREAM_CANDIDATES], of[HITS_STREAM_CANDIDATES];
} hits_stream_candidates;

// The nodes that a motion still has to visit, and the shares at which it enters them.
typedef struct hits_stream_stack {
    uint32_t node[HITS_STREAM_ROOM];
    float enters[HITS_STREAM_ROOM];
} hits_stream_stack;

// Some of the motions of an octant.
typedef struct hits_stream {
    hits_way *ways;
    uint32_t octant;
    size_t count;
    hits_stream_stack stack[HITS_STREAM];
    uint16_t active[HITS_STREAM], alone[HITS_STREAM];  // motions still under way; motions whose stacks overflowed
    size_t active_count, alone_count, leaf_count;
    size_t node_count;  // nodes tested near the top, by each motion
    // The clusters that were reached, and the motions that reached them.
    uint32_t leaf[HITS_STREAM_LEAVES], leaf_of[HITS_STREAM_LEAVES];
    // Lists of motions that enter children of the root, and what they enter of these children's children.
    uint32_t list[HITS_TREE_FAN][HITS_STREAM + 8];
    uint32_t entered[HITS_STREAM * HITS_TREE_FAN + 8], entered_by[HITS_STREAM * HITS_TREE_FAN + 8];
    float entered_at[HITS_STREAM * HITS_TREE_FAN + 8];
} hits_stream;

#endif
