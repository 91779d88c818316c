// SPDX-License-Identifier: MIT
// hits/motion_lanes.h: the innermost loops of first hits, for many motions or triangles at a time.
#ifndef MOTE_HITS_MOTION_LANES_H
#define MOTE_HITS_MOTION_LANES_H

#include "hits/internal.h"

enum {
    HITS_MOTIONS = 1024,  // motions in a block
    HITS_ROOM = HITS_MOTIONS + MOTE_WIDE_MOST,
    HITS_JOBS = 4096,
    HITS_SHORT_CELLS = 12,       // cells around a motion that is at most HITS_LENGTH long
    HITS_SHORT_LISTS = 200,      // leaves with more clusters are tested in double precision
    HITS_GROUP = 64,             // motions that are processed together
    HITS_ROWS = HITS_GROUP * 6,  // rows of cells around them, along an axis
    HITS_VISITS = HITS_GROUP * HITS_SHORT_CELLS + 8,
    HITS_OTHERS = 2 * HITS_VISITS
};

// Motions longer than this [cells] go down the tree. It is below √2, for HITS_SHORT_CELLS.
#define HITS_LENGTH 1.375f

// Coordinates of motions in columns of floats or doubles, with room for MOTE_WIDE_MOST more.
typedef struct hits_columns {
    void *axis[6];  // from x, y, z, to x, y, z
    mote_scalar scalar;
    size_t count;
    bool are_picked;  // when they were sorted: all of them may hit something
} hits_columns;

// Rounding to float moves a coordinate below 2^11 cells, or a point between two such, by less than this.
#define HITS_FLOAT_ERROR 0x1p-10f
#define HITS_FLOAT_REACH 0x1p11f

// Short motions that come near the surface: their ends in cells, to within HITS_FLOAT_ERROR. Here and below, `unused`
// fills a line of memory, so that vectors of what comes next do not lie across two.
typedef struct hits_near_motions {
    uint32_t at[HITS_ROOM];  // number in the block
    float end[6][HITS_ROOM];
    size_t count, unused[7];
} hits_near_motions;

// Long motions that pass the grid.
typedef struct hits_march {
    uint32_t at[HITS_ROOM];                      // number in the block
    float from[3][HITS_ROOM], to[3][HITS_ROOM];  // in cells, to within HITS_FLOAT_ERROR
    float first[HITS_ROOM], last[HITS_ROOM];     // the shares between which they may meet something
    uint32_t alone[HITS_ROOM];  // numbers of those that reach too far for floats
    size_t count, alone_count, unused[6];
} hits_march;
_Static_assert(sizeof(size_t) < 8 || (sizeof(hits_near_motions) % 64 == 0 && sizeof(hits_march) % 64 == 0),
               "whole lines of memory");

// An occupied cell that a near motion may pass through.
typedef struct hits_cell_visit {
    uint32_t motion, node;
    int16_t cell[4];
} hits_cell_visit;

// Clusters that motions may meet, as motion << 32 | cluster, where motion is an index into the near motions; and
// cells whose nodes have children or long lists.
typedef struct hits_candidates {
    uint64_t clusters[HITS_JOBS];
    hits_cell_visit others[HITS_OTHERS];
    size_t cluster_count, other_count;
    // The visits of a group of motions, with the parts that each passes. Visits from `visit_at` on are not listed
    // yet.
    hits_cell_visit visits[HITS_VISITS];
    uint64_t masks[HITS_VISITS];
    size_t visit_count, visit_at;
} hits_candidates;

struct hits_walk;
struct hits_stream;
struct hits_ways;
struct hits_box;
struct hits_root;
struct hits_certain;
struct hits_ends;
struct hits_listing;
struct hits_stream_candidates;

// Splits x, y, z, x, y, z, … into columns, which have room for MOTE_WIDE_MOST more.
typedef void hits_unpack(const float *xyz, size_t count, float *const column[3]);
// Splits records of sorted motions: six coordinates, the number, and the shares.
typedef void hits_unpack_records(const float *records, size_t count, float *const column[6], uint32_t *shares);
// Puts records of sorted motions of points into the march, all of them. Returns false, with the march overwritten, if
// there are short ones among them, or if cells need doubles. Columns have room for MOTE_WIDE_MOST more.
typedef bool hits_march_records(const hits_grid *grid, double scale, const float *records, size_t count,
                                hits_march *march);
// Picks the motions that may come within `reach` [cells] of the surface. Long ones are put into the march, with their
// ends. The columns are overwritten.
typedef void hits_pick(const hits_grid *grid, const hits_columns *columns, double scale, float reach,
                       hits_near_motions *near, hits_march *march);
// Finds the visits of the near motions begin … end - 1, at most HITS_GROUP, with the parts that each passes.
typedef void hits_cells_visit(const hits_grid *grid, const hits_near_motions *near, size_t begin, size_t end,
                              hits_candidates *candidates);
// Returns the bits of the cluster's triangles that the motion may hit.
typedef uint32_t hits_filter_cluster(const hits_cluster *cluster, const hits_sheared_ray *sheared);
// The same for many pairs: makes ray << 32 | triangle from sheared ray << 32 | cluster. Returns the number made.
typedef size_t hits_filter_pairs(const mote_hits *hits, const hits_sheared_ray *sheared, const uint64_t *pairs,
                                 size_t count, uint64_t *triangles);
// Finds the shares between which the march's motions may meet something, and drops those that meet nothing.
typedef void hits_march_shorten(const hits_grid *grid, hits_march *march);
// Where sorted motions begin: the box of cells, and the shares between which they may meet something, in parts of
// HITS_SHARES, rounded outwards.
typedef struct hits_march_places {
    uint32_t box[HITS_ROOM], first[HITS_ROOM], last[HITS_ROOM];
} hits_march_places;
#define HITS_SHARES 65535
// Finds that for the march's motions.
// @param per_box   a power of two: boxes in a cell, along each axis
// @param boxes     numbers of boxes along the axes
typedef void hits_march_place(const hits_grid *grid, const hits_march *march, float per_box, const uint32_t boxes[3],
                              hits_march_places *places);
// Makes the ways of those of the march's motions that pass the tree's box.
typedef void hits_stream_place(const mote_hits *all, hits_march *march, struct hits_ways *ways);
// Computes the hits of motions whose first triangles are certain.
typedef void hits_certain_results(const mote_hits *hits, const struct hits_ends *ends,
                                  const struct hits_certain *motions, size_t count);
// Lists the motions of a block whose first triangles are certain, and prefetches what names these triangles. Returns
// their number.
typedef size_t hits_list_firsts(const mote_hits *hits, const struct hits_listing *of, struct hits_certain *list);
// Finds the triangles of clusters that a stream's motions may hit before their first hits so far. Returns their number.
// @param begin,end   which of the clusters that the stream lists; HITS_STREAM_AFTER more are listed behind them
typedef size_t hits_filter_leaves(const mote_hits *hits, const struct hits_stream *stream, size_t begin, size_t end,
                                  struct hits_stream_candidates *found);
// Makes the lines of a stream's motions from records of six coordinates and two more numbers.
// @param records   of the motions of the stream's block
typedef void hits_stream_lines(const mote_hits *hits, const float *records, struct hits_stream *stream);
// Drops the nodes that motions enter behind their first hits, from the stacks of the motions in stream->cut.
typedef void hits_stream_cut(struct hits_stream *stream);
// Makes a root for motions of an octant in a box. Returns how many nodes' children were tested against the box.
typedef uint32_t hits_stream_root(const struct hits_tree *tree, const struct hits_box *box, uint32_t octant,
                              struct hits_root *root);
// As hits_stream_step, from a root of the stream's own.
typedef void hits_stream_enter(const struct hits_root *root, struct hits_stream *stream);
// Processes one node for every active motion: puts its child nodes on the stack, and lists its child clusters. Motions
// with an empty stack become inactive.
typedef void hits_stream_step(const struct hits_tree *tree, struct hits_stream *stream);
// Finds the first hit of a point's motion, between two shares of it, with a mesh at rest, by walking down the tree.
// That piece of the motion lies in the tree's box, or hardly beyond it.
// @param margin   HITS_CAST_MARGIN plus the error of a position on the motion
typedef void hits_tree_cast(const struct hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
// Tests the ray of a point against a triangle at rest, and keeps the hit if it is the first: exactly.
typedef void hits_meet_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle);

// A form of these loops. All keep everything that may be hit.
typedef struct hits_motion_lanes {
    hits_unpack *unpack;
    hits_unpack_records *unpack_records;
    hits_march_records *march_records;
    hits_pick *pick;
    hits_cells_visit *visit_cells;
    hits_filter_cluster *filter_cluster;
    hits_filter_pairs *filter_pairs;
    hits_march_shorten *shorten_march;
    hits_march_place *place_march;
    hits_stream_place *place_stream;
    hits_stream_step *step_stream;
    hits_stream_cut *cut_stream;
    hits_stream_lines *make_lines;
    hits_stream_root *make_root;
    hits_stream_enter *enter_stream;
    hits_filter_leaves *filter_leaves;
    hits_certain_results *certain_results;
    hits_list_firsts *list_firsts;
    hits_tree_cast *cast_tree;
    hits_meet_triangle *meet_triangle;
} hits_motion_lanes;

extern const hits_motion_lanes mote_hits_motion_plain;

// The functions of these tables (lanes.c). Many motions at a time:
hits_unpack mote_hits_unpack_plain, mote_hits_unpack_avx2, mote_hits_unpack_avx512, mote_hits_unpack_128;
hits_unpack_records mote_hits_unpack_records_plain, mote_hits_unpack_records_avx2,
    mote_hits_unpack_records_avx512, mote_hits_unpack_records_128;
hits_march_records mote_hits_march_records_plain, mote_hits_march_records_avx2, mote_hits_march_records_avx512,
    mote_hits_march_records_128;
hits_pick mote_hits_pick_plain, mote_hits_pick_avx2, mote_hits_pick_avx512, mote_hits_pick_128;
hits_march_shorten mote_hits_march_shorten_plain, mote_hits_march_shorten_avx2,
    mote_hits_march_shorten_avx512, mote_hits_march_shorten_128;
hits_march_place mote_hits_march_place_plain, mote_hits_march_place_avx2,
    mote_hits_march_place_avx512, mote_hits_march_place_128;
hits_stream_place mote_hits_stream_place_plain, mote_hits_stream_place_avx2,
    mote_hits_stream_place_avx512, mote_hits_stream_place_128;
hits_certain_results mote_hits_certain_results_plain, mote_hits_certain_results_avx2,
    mote_hits_certain_results_avx512, mote_hits_certain_results_128;
hits_list_firsts mote_hits_list_firsts_plain, mote_hits_list_firsts_avx2, mote_hits_list_firsts_avx512,
    mote_hits_list_firsts_128;
hits_stream_lines mote_hits_stream_lines_plain, mote_hits_stream_lines_avx2, mote_hits_stream_lines_avx512,
    mote_hits_stream_lines_128;
hits_stream_enter mote_hits_stream_enter_plain, mote_hits_stream_enter_avx2, mote_hits_stream_enter_avx512,
    mote_hits_stream_enter_128;
// The eight triangles of a cluster, or those of two:
hits_filter_leaves mote_hits_filter_leaves_plain, mote_hits_filter_leaves_avx2, mote_hits_filter_leaves_avx512,
    mote_hits_filter_leaves_128;
// The eight triangles of a cluster or the eight children of a node at a time:
hits_filter_cluster mote_hits_filter_cluster_plain, mote_hits_filter_cluster_avx2, mote_hits_filter_cluster_128;
hits_cells_visit mote_hits_cells_visit_plain, mote_hits_cells_visit_avx2, mote_hits_cells_visit_128;
hits_filter_pairs mote_hits_filter_pairs_plain, mote_hits_filter_pairs_avx2, mote_hits_filter_pairs_128;
hits_stream_root mote_hits_stream_root_plain, mote_hits_stream_root_avx2, mote_hits_stream_root_128;
hits_stream_step mote_hits_stream_step_plain, mote_hits_stream_step_avx2, mote_hits_stream_step_128;
hits_stream_cut mote_hits_stream_cut_plain, mote_hits_stream_cut_avx2, mote_hits_stream_cut_128;
hits_tree_cast mote_hits_tree_cast_plain, mote_hits_tree_cast_avx2, mote_hits_tree_cast_128;
hits_meet_triangle mote_hits_meet_triangle_plain, mote_hits_meet_triangle_avx2, mote_hits_meet_triangle_128;

static inline void mote_hits_meet_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle)
{
    hits->motion_lanes->meet_triangle(hits, ray, triangle);
}

// Finds the clusters in the parts that near motions pass: first for visits that are left, then for motions from
// `begin` on, as long as there is room. Returns the next motion.
size_t mote_hits_cells_find(const mote_hits *hits, const hits_near_motions *near, size_t begin,
                            hits_candidates *candidates);

// Bits of the triangles that a cluster has: all clusters but the last have eight.
static inline uint32_t mote_hits_cluster_lanes(const mote_hits *hits, uint32_t cluster)
{
    const size_t left = hits->triangle_count - (size_t)cluster * HITS_LANES;
    return left >= HITS_LANES ? 0xFF : (1u << left) - 1;
}

#endif
