// hits/first_lanes.h: the innermost loops of first hits, eight motions or eight triangles at a time.
#ifndef MOTE_HITS_FIRST_LANES_H
#define MOTE_HITS_FIRST_LANES_H

#include "hits/first.h"

enum {
    FIRST_MOTIONS = 1024,  // in a block
    FIRST_ROOM = FIRST_MOTIONS + 8,
    FIRST_JOBS = 4096,
    FIRST_SHORT_CELLS = 12,  // around what is at most FIRST_LENGTH long
    FIRST_SHORT_LISTS = 200,  // leaves with more clusters are looked at in double precision
    FIRST_GROUP = 64,         // motions that are found together
    FIRST_ROWS = FIRST_GROUP * 6,  // of cells along an axis that are around them
    FIRST_VISITS = FIRST_GROUP * FIRST_SHORT_CELLS + 8,
    FIRST_OTHERS = 2 * FIRST_VISITS
};

// Motions that are longer [cells] are cut into pieces, so long. Both below √2, for FIRST_SHORT_CELLS.
#define FIRST_LENGTH 1.375f
#define FIRST_PIECE 1.0f

// Coordinates of motions side by side: floats or doubles, with room for eight more.
typedef struct first_columns {
    void *axis[6];  // from x, y, z, to x, y, z
    mote_scalar scalar;
    size_t count;
} first_columns;

// What rounding to float does to a coordinate below 2^11 cells, or to a point between two such, and then some.
#define FIRST_FLOAT_ERROR 0x1p-10f
#define FIRST_FLOAT_REACH 0x1p11f

// Motions, or pieces of such, that come near the surface: their ends in cells, to within FIRST_FLOAT_ERROR.
typedef struct first_near {
    uint32_t at[FIRST_ROOM];  // number in the block; not of pieces
    float end[6][FIRST_ROOM];
    size_t count;
} first_near;

// Motions that are longer, on their way through the grid. Shares are those of a whole motion.
typedef struct first_trail {
    uint32_t at[FIRST_ROOM];  // number in the block
    float from[3][FIRST_ROOM], way[3][FIRST_ROOM];  // in cells
    float last[FIRST_ROOM], per_cell[FIRST_ROOM];  // the share at which it leaves the grid; that of a cell's length
    float begin[FIRST_ROOM], now[FIRST_ROOM];      // the shares at which the piece begins and ends that comes near
    size_t count;
    uint32_t alone[FIRST_ROOM];  // numbers of those that reach too far for floats
    size_t alone_count;
} first_trail;

// An occupied cell that a near motion may pass.
typedef struct first_visit {
    uint32_t motion, node;
    int16_t cell[4];
} first_visit;

// Clusters that motions may meet, as motion << 32 | cluster, the motion by its place among the near ones; and cells
// whose nodes have children or long lists.
typedef struct first_finds {
    uint64_t clusters[FIRST_JOBS];
    first_visit others[FIRST_OTHERS];
    size_t cluster_count, other_count;
    // What a group of motions visits, with the parts that each passes; what comes from `visit_at` on is not listed yet.
    first_visit visits[FIRST_VISITS];
    uint64_t masks[FIRST_VISITS];
    size_t visit_count, visit_at;
} first_finds;

struct first_walk;
struct first_stream;

// In a scalar and in a vector form. Both keep all that may matter; what they keep beyond it may differ, and has no
// influence on results.
typedef struct first_functions {
    // Takes x, y, z, x, y, z, … apart. Columns have room for eight more.
    void (*unpack)(const float *xyz, size_t count, float *const column[3]);
    // Picks the motions that may come within `reach` [cells] of the surface; long ones come to the trail, their ends
    // as `from` and `way`. The columns are lost.
    void (*pick)(const first_grid *grid, const first_columns *columns, double scale, float reach, first_near *near,
                 first_trail *trail);
    // Prepares a trail that was picked.
    void (*set_out)(const first_grid *grid, first_trail *trail);
    // Brings every motion of the trail to the next piece of it that may come near the surface, from where the last one
    // ended, and lists these pieces in the trail's order; drops motions that come to none.
    void (*advance)(const first_grid *grid, first_trail *trail, first_near *near);
    // Finds the clusters in the parts that near motions pass: of visits that are left, then of motions `begin` and
    // following, as long as there is room; answers the next motion.
    size_t (*find)(const first_grid *grid, const first_near *near, size_t begin, first_finds *finds);
    // Bits of the cluster's triangles that the motion may meet.
    uint32_t (*may_meet)(const first_cluster *cluster, const first_sight *sight);
    // The same for many: of sight << 32 | cluster the sight's ray << 32 | triangle; answers their number.
    size_t (*sift)(const mote_first_hits *first, const first_sight *sights, const uint64_t *pairs, size_t count,
                   uint64_t *triangles);
    // Brings the trail's motions from `first` on, as many as there is room for, to the root of the tree.
    void (*begin)(const mote_first_hits *all, const first_trail *trail, size_t first, struct first_stream *stream);
    // Brings many motions of points one node farther down the tree.
    void (*step)(const struct first_tree *tree, struct first_stream *stream);
    // Meets a point's motion, between two shares of it, with what it may meet first: down the tree.
    void (*cast)(const struct first_walk *walk, first_ray *ray, double begin, double end, double margin);
    // Meets the ray with a triangle, as mote_first_meet, to the same bits.
    void (*meet)(const mote_first_hits *first, first_ray *ray, uint32_t triangle);
} first_functions;

extern const struct first_functions mote_first_functions_plain;
// The fastest form that this processor runs.
const first_functions *mote_first_functions_choose(void);

// Bits of the triangles that a cluster has: all but the last have eight.
static inline uint32_t mote_first_lanes_of(const mote_first_hits *first, uint32_t cluster)
{
    const size_t left = first->triangle_count - (size_t)cluster * FIRST_LANES;
    return left >= FIRST_LANES ? 0xFF : (1u << left) - 1;
}

// Parts of the table above.
void mote_first_set_out_plain(const first_grid *grid, first_trail *trail);
void mote_first_advance_plain(const first_grid *grid, first_trail *trail, first_near *near);
size_t mote_first_find_plain(const first_grid *grid, const first_near *near, size_t begin, first_finds *finds);
uint32_t mote_first_may_meet_plain(const first_cluster *cluster, const first_sight *sight);
size_t mote_first_sift_plain(const mote_first_hits *first, const first_sight *sights, const uint64_t *pairs,
                             size_t count, uint64_t *triangles);
#if MOTE_HAVE_AVX2
void mote_first_set_out_avx2(const first_grid *grid, first_trail *trail);
void mote_first_advance_avx2(const first_grid *grid, first_trail *trail, first_near *near);
size_t mote_first_find_avx2(const first_grid *grid, const first_near *near, size_t begin, first_finds *finds);
uint32_t mote_first_may_meet_avx2(const first_cluster *cluster, const first_sight *sight);
void mote_first_meet_avx2(const mote_first_hits *first, first_ray *ray, uint32_t triangle);
size_t mote_first_sift_avx2(const mote_first_hits *first, const first_sight *sights, const uint64_t *pairs,
                            size_t count, uint64_t *triangles);
#endif

#endif
