// SPDX-License-Identifier: MIT
// hits/motion_stream.h: walks many motions of points down the tree together.
#ifndef MOTE_HITS_MOTION_STREAM_H
#define MOTE_HITS_MOTION_STREAM_H

#include "hits/motion_descent.h"

enum {
    HITS_STREAM = 64,        // motions at a time, all of the same octant
    HITS_STREAM_STACK = 56,  // nodes on a motion's stack; one with more is walked alone
    HITS_STREAM_ROOM = 64,   // room behind them for a node's children: four lines of memory
    HITS_ROOT = 16,  // children of the root that a stream has of its own
    HITS_STREAM_LEAVES = (HITS_STREAM + 1) * HITS_ROOT,
    HITS_STREAM_AFTER = 3,  // so many clusters may be read behind those listed: the last one is listed again
    HITS_STREAM_FILTERED = 256,  // after so many clusters were filtered, the triangles that are left are tested
    HITS_STREAM_CANDIDATES = HITS_STREAM_FILTERED * HITS_LANES + MOTE_WIDE_MOST,
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
    // The first hit so far, if it is certain: its triangle, or UINT32_MAX, and the least share at which it may lie.
    float least;
    uint32_t triangle, unused;
    uint16_t number;  // the motion's number in the block
    bool is_exact;    // hits are left to exact tests
} hits_way;
_Static_assert(sizeof(hits_way) == 64, "rows of wide_store_rows, and records of wide_load_columns");

// A motion from the tree's origin, each number rounded once, for tests of triangles.
typedef struct hits_line {
    float from[3], farthest;  // at least as large as any coordinate of it and of the mesh
    float way[3], longest;    // the largest coordinate of `way`
} hits_line;

// How far the mesh reaches from the tree's origin along an axis.
static inline float mote_hits_tree_half(const mote_hits *hits, int k)
{
    return (float)(hits->tree->half[k] * (1 + 0x1p-20));
}

// Relative to the tree's origin.
typedef struct hits_box {
    float low[3], high[3];
} hits_box;

// A node of more children than those of the tree have, for motions of one octant: by axis the planes that they pass
// first, and last; the farthest child first.
typedef struct hits_root {
    float in[3][HITS_ROOT], out[3][HITS_ROOT];
    uint32_t child[HITS_ROOT];
} hits_root;

// The ways of a march's motions; and which of them pass the tree, by octants. Bit k of an octant is set if its motions
// go down axis k.
typedef struct hits_ways {
    hits_way of[HITS_ROOM];
    uint32_t kept[HITS_ROOM], octant[HITS_ROOM];  // while they are sorted
    uint16_t sorted[HITS_MOTIONS];
    size_t first[HITS_OCTANTS + 1];  // of each octant, in `sorted`
    hits_box begins, ends;  // around where all of them begin, and where they end, with twice the margin of boxes
    uint8_t unused[8];
} hits_ways;

// A box around the block's motions of an octant: it is made of the ends of all of the block's motions.
static inline hits_box mote_hits_ways_box(const hits_ways *ways, uint32_t octant)
{
    hits_box box;
    for (uint32_t k = 0; k < 3; ++k) {
        const bool is_down = octant >> k & 1;
        box.low[k] = is_down ? ways->ends.low[k] : ways->begins.low[k];
        box.high[k] = is_down ? ways->begins.high[k] : ways->ends.high[k];
    }
    return box;
}

// What was found for the triangles of clusters, HITS_LANES numbers for each cluster: motions may hit them between the
// shares `least` and `last`; infinite ones: it is not certain that they do. `lane` lists which of them may be hit.
typedef struct hits_stream_candidates {
    float least[HITS_STREAM_CANDIDATES], last[HITS_STREAM_CANDIDATES];
    uint32_t lane[HITS_STREAM_CANDIDATES];
} hits_stream_candidates;

// A motion, and the nodes that it still has to visit, with the shares at which it enters them: an odd number of lines
// of memory, most often three of them in use.
typedef struct hits_stream_motion {
    hits_way way;
    uint32_t node[HITS_STREAM_ROOM];
    float enters[HITS_STREAM_ROOM];
} hits_stream_motion;
_Static_assert((int)HITS_STREAM_ROOM >= (int)HITS_STREAM_STACK + (int)HITS_TREE_FAN, "one node more is opened");

// Some of the motions of an octant.
typedef struct hits_stream {
    hits_stream_motion motion[HITS_STREAM + 8];
    hits_line line[HITS_STREAM + 8];
    float last[HITS_STREAM + 8];  // the first hit so far lies at this share at the latest
    uint32_t octant;
    size_t count;
    uint64_t cut;  // bit for each motion that may have nodes on its stack that it enters behind its first hit
    uint16_t active[HITS_STREAM], alone[HITS_STREAM];  // motions still under way; motions whose stacks overflowed
    size_t active_count, alone_count, leaf_count;
    // The clusters that were reached, and the motions that reached them.
    uint32_t leaf[HITS_STREAM_LEAVES], leaf_of[HITS_STREAM_LEAVES];
    uint8_t unused[48];
} hits_stream;

// Puts `count` motions at the tree's root, from place `begin` of the sorted ones on, all of the same octant.
void mote_hits_stream_begin(const hits_march *march, const hits_ways *ways, size_t begin, size_t count,
                            uint32_t octant, hits_stream *stream);

#endif
