// SPDX-License-Identifier: MIT
// hits/motion_lanes.h: the innermost loops of first hits, eight motions or eight triangles at a time.
#ifndef MOTE_HITS_MOTION_LANES_H
#define MOTE_HITS_MOTION_LANES_H

#include "hits/internal.h"

enum {
    HITS_MOTIONS = 1024,  // in a block
    HITS_ROOM = HITS_MOTIONS + 8,
    HITS_JOBS = 4096,
    HITS_SHORT_CELLS = 12,       // around what is at most HITS_LENGTH long
    HITS_SHORT_LISTS = 200,      // leaves with more clusters are looked at in double precision
    HITS_GROUP = 64,             // motions that are found together
    HITS_ROWS = HITS_GROUP * 6,  // of cells along an axis that are around them
    HITS_VISITS = HITS_GROUP * HITS_SHORT_CELLS + 8,
    HITS_OTHERS = 2 * HITS_VISITS
};

// Motions that are longer [cells] are cut into pieces, so long. Both below √2, for HITS_SHORT_CELLS.
#define HITS_LENGTH 1.375f
#define HITS_PIECE 1.0f

// Coordinates of motions side by side: floats or doubles, with room for eight more.
typedef struct hits_columns {
    void *axis[6];  // from x, y, z, to x, y, z
    mote_scalar scalar;
    size_t count;
} hits_columns;

// What rounding to float does to a coordinate below 2^11 cells, or to a point between two such, and then some.
#define HITS_FLOAT_ERROR 0x1p-10f
#define HITS_FLOAT_REACH 0x1p11f

// Motions, or pieces of such, that come near the surface: their ends in cells, to within HITS_FLOAT_ERROR.
typedef struct hits_near_motions {
    uint32_t at[HITS_ROOM];  // number in the block; not of pieces
    float end[6][HITS_ROOM];
    size_t count;
} hits_near_motions;

// Motions that are longer, on their way through the grid. Shares are those of a whole motion.
typedef struct hits_march {
    uint32_t at[HITS_ROOM];                       // number in the block
    float from[3][HITS_ROOM], way[3][HITS_ROOM];  // in cells
    float last[HITS_ROOM], per_cell[HITS_ROOM];   // the share at which it leaves the grid; that of a cell's length
    float begin[HITS_ROOM], now[HITS_ROOM];       // the shares at which the piece begins and ends that comes near
    size_t count;
    uint32_t alone[HITS_ROOM];  // numbers of those that reach too far for floats
    size_t alone_count;
} hits_march;

// An occupied cell that a near motion may pass.
typedef struct hits_cell_visit {
    uint32_t motion, node;
    int16_t cell[4];
} hits_cell_visit;

// Clusters that motions may meet, as motion << 32 | cluster, the motion by its place among the near ones; and cells
// whose nodes have children or long lists.
typedef struct hits_candidates {
    uint64_t clusters[HITS_JOBS];
    hits_cell_visit others[HITS_OTHERS];
    size_t cluster_count, other_count;
    // What a group of motions visits, with the parts that each passes; what comes from `visit_at` on is not listed yet.
    hits_cell_visit visits[HITS_VISITS];
    uint64_t masks[HITS_VISITS];
    size_t visit_count, visit_at;
} hits_candidates;

struct hits_walk;
struct hits_stream;

// In a scalar and in a vector form. Both keep all that may matter; what they keep beyond it may differ, and has no
// influence on results.
typedef struct hits_motion_lanes {
    // Takes x, y, z, x, y, z, … apart. Columns have room for eight more.
    void (*unpack)(const float *xyz, size_t count, float *const column[3]);
    // Picks the motions that may come within `reach` [cells] of the surface; long ones come to the march, their ends
    // as `from` and `way`. The columns are lost.
    void (*pick)(const hits_grid *grid, const hits_columns *columns, double scale, float reach, hits_near_motions *near,
                 hits_march *march);
    // Prepares a march that was picked.
    void (*begin_march)(const hits_grid *grid, hits_march *march);
    // Brings every motion of the march to the next piece of it that may come near the surface, from where the last one
    // ended, and lists these pieces in the march's order; drops motions that come to none.
    void (*advance_march)(const hits_grid *grid, hits_march *march, hits_near_motions *near);
    // Finds the clusters in the parts that near motions pass: of visits that are left, then of motions `begin` and
    // following, as long as there is room; answers the next motion.
    size_t (*find_cells)(const hits_grid *grid, const hits_near_motions *near, size_t begin,
                         hits_candidates *candidates);
    // Bits of the cluster's triangles that the motion may meet.
    uint32_t (*filter_cluster)(const hits_cluster *cluster, const hits_sheared_ray *sheared);
    // The same for many: of sheared ray << 32 | cluster its ray << 32 | triangle; answers their number.
    size_t (*filter_pairs)(const mote_hits *hits, const hits_sheared_ray *sheared, const uint64_t *pairs, size_t count,
                           uint64_t *triangles);
    // Brings the march's motions from `first` on, as many as there is room for, to the root of the tree.
    void (*begin_stream)(const mote_hits *all, const hits_march *march, size_t first, struct hits_stream *stream);
    // Brings many motions of points one node farther down the tree.
    void (*step_stream)(const struct hits_tree *tree, struct hits_stream *stream);
    // Meets a point's motion, between two shares of it, with what it may meet first: down the tree.
    void (*cast_tree)(const struct hits_walk *walk, hits_ray *ray, double begin, double end, double margin);
    // Meets the ray with a triangle, as mote_hits_meet_triangle, to the same bits.
    void (*meet_triangle)(const mote_hits *hits, hits_ray *ray, uint32_t triangle);
} hits_motion_lanes;

extern const hits_motion_lanes mote_hits_motion_plain;
#if MOTE_HAVE_AVX2
extern const hits_motion_lanes mote_hits_motion_avx2;
#endif

// Bits of the triangles that a cluster has: all but the last have eight.
static inline uint32_t mote_hits_cluster_lanes(const mote_hits *hits, uint32_t cluster)
{
    const size_t left = hits->triangle_count - (size_t)cluster * HITS_LANES;
    return left >= HITS_LANES ? 0xFF : (1u << left) - 1;
}

// Parts of the table above.
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
