// SPDX-License-Identifier: MIT
// hits/motion_lanes.h: the innermost loops of first hits, for eight motions or eight triangles at a time.
#ifndef MOTE_HITS_MOTION_LANES_H
#define MOTE_HITS_MOTION_LANES_H

#include "hits/internal.h"

enum {
    HITS_MOTIONS = 1024,  // motions in a block
    HITS_ROOM = HITS_MOTIONS + 8,
    HITS_JOBS = 4096,
    HITS_SHORT_CELLS = 12,       // cells around a motion that is at most HITS_LENGTH long
    HITS_SHORT_LISTS = 200,      // leaves with more clusters are tested in double precision
    HITS_GROUP = 64,             // motions that are processed together
    HITS_ROWS = HITS_GROUP * 6,  // rows of cells around them, along an axis
    HITS_VISITS = HITS_GROUP * HITS_SHORT_CELLS + 8,
    HITS_OTHERS = 2 * HITS_VISITS
};

// Motions longer than HITS_LENGTH [cells] are cut into pieces of HITS_PIECE. Both are below √2, for
// HITS_SHORT_CELLS.
#define HITS_LENGTH 1.375f
#define HITS_PIECE 1.0f

// Coordinates of motions in columns of floats or doubles, with room for eight more.
typedef struct hits_columns {
    void *axis[6];  // from x, y, z, to x, y, z
    mote_scalar scalar;
    size_t count;
} hits_columns;

// Rounding to float moves a coordinate below 2^11 cells, or a point between two such, by less than this.
#define HITS_FLOAT_ERROR 0x1p-10f
#define HITS_FLOAT_REACH 0x1p11f

// Motions, or pieces of them, that come near the surface: their ends in cells, to within HITS_FLOAT_ERROR.
typedef struct hits_near_motions {
    uint32_t at[HITS_ROOM];  // number in the block; unused for pieces
    float end[6][HITS_ROOM];
    size_t count;
} hits_near_motions;

// Longer motions on their way through the grid. A share is a fraction of the whole motion.
typedef struct hits_march {
    uint32_t at[HITS_ROOM];                       // number in the block
    float from[3][HITS_ROOM], way[3][HITS_ROOM];  // in cells
    float last[HITS_ROOM], per_cell[HITS_ROOM];   // share where it leaves the grid; share per cell of length
    float begin[HITS_ROOM], now[HITS_ROOM];       // shares where the current near piece begins and ends
    size_t count;
    uint32_t alone[HITS_ROOM];  // numbers of those that reach too far for floats
    size_t alone_count;
} hits_march;

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

// These functions have a scalar and a vector form. Both keep everything that may be hit. They may keep different
// things beyond that, which does not change results.
typedef struct hits_motion_lanes {
    // Splits x, y, z, x, y, z, … into columns, which have room for eight more.
    void (*unpack)(const float *xyz, size_t count, float *const column[3]);
    // Picks the motions that may come within `reach` [cells] of the surface. Long ones are put into the march, with
    // their ends in `from` and `way`. The columns are overwritten.
    void (*pick)(const hits_grid *grid, const hits_columns *columns, double scale, float reach, hits_near_motions *near,
                 hits_march *march);
    // Prepares a march whose motions have been picked.
    void (*begin_march)(const hits_grid *grid, hits_march *march);
    // Moves every motion of the march to its next piece that may come near the surface, from the end of the last
    // one, and lists these pieces in the march's order. Drops motions that have no such piece.
    void (*advance_march)(const hits_grid *grid, hits_march *march, hits_near_motions *near);
    // Finds the clusters in the parts that near motions pass: first for visits that are left, then for motions from
    // `begin` on, as long as there is room. Returns the next motion.
    size_t (*find_cells)(const hits_grid *grid, const hits_near_motions *near, size_t begin,
                         hits_candidates *candidates);
    // Bits of the cluster's triangles that the motion may hit.
    uint32_t (*filter_cluster)(const hits_cluster *cluster, const hits_sheared_ray *sheared);
    // The same for many pairs: makes ray << 32 | triangle from sheared ray << 32 | cluster. Returns the number made.
    size_t (*filter_pairs)(const mote_hits *hits, const hits_sheared_ray *sheared, const uint64_t *pairs, size_t count,
                           uint64_t *triangles);
    // Puts the march's motions from `first` on, as many as there is room for, at the root of the tree.
    void (*begin_stream)(const mote_hits *all, const hits_march *march, size_t first, struct hits_stream *stream);
    // Moves many motions of points one node farther down the tree.
    void (*step_stream)(const struct hits_tree *tree, struct hits_stream *stream);
    // Finds the first hit of a point's motion between two shares of it, by walking down the tree.
    void (*cast_tree)(const struct hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
    // Tests the ray against a triangle. The result has the same bits as that of mote_hits_meet_triangle.
    void (*meet_triangle)(const mote_hits *hits, hits_ray *ray, uint32_t triangle);
} hits_motion_lanes;

extern const hits_motion_lanes mote_hits_motion_plain;
#if MOTE_HAVE_AVX2
extern const hits_motion_lanes mote_hits_motion_avx2;
#endif

// Bits of the triangles that a cluster has: all clusters but the last have eight.
static inline uint32_t mote_hits_cluster_lanes(const mote_hits *hits, uint32_t cluster)
{
    const size_t left = hits->triangle_count - (size_t)cluster * HITS_LANES;
    return left >= HITS_LANES ? 0xFF : (1u << left) - 1;
}

// Functions that the tables above contain.
void mote_hits_march_begin_plain(const hits_grid *grid, hits_march *march);
void mote_hits_march_advance_plain(const hits_grid *grid, hits_march *march, hits_near_motions *near);
size_t mote_hits_cells_find_plain(const hits_grid *grid, const hits_near_motions *near, size_t begin,
                                  hits_candidates *candidates);
uint32_t mote_hits_filter_cluster_plain(const hits_cluster *cluster, const hits_sheared_ray *sheared);
size_t mote_hits_filter_pairs_plain(const mote_hits *hits, const hits_sheared_ray *sheared, const uint64_t *pairs,
                                    size_t count, uint64_t *triangles);
#if MOTE_HAVE_AVX2
void mote_hits_march_begin_avx2(const hits_grid *grid, hits_march *march);
void mote_hits_march_advance_avx2(const hits_grid *grid, hits_march *march, hits_near_motions *near);
size_t mote_hits_cells_find_avx2(const hits_grid *grid, const hits_near_motions *near, size_t begin,
                                 hits_candidates *candidates);
uint32_t mote_hits_filter_cluster_avx2(const hits_cluster *cluster, const hits_sheared_ray *sheared);
void mote_hits_meet_triangle_avx2(const mote_hits *hits, hits_ray *ray, uint32_t triangle);
size_t mote_hits_filter_pairs_avx2(const mote_hits *hits, const hits_sheared_ray *sheared, const uint64_t *pairs,
                                   size_t count, uint64_t *triangles);
#endif

#endif
