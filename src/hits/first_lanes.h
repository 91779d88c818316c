// hits/first_lanes.h: the innermost loops of first hits, eight motions or eight triangles at a time.
#ifndef MOTE_HITS_FIRST_LANES_H
#define MOTE_HITS_FIRST_LANES_H

#include "hits/first.h"

enum {
    FIRST_MOTIONS = 1024,  // in a block
    FIRST_JOBS = 4096,
    FIRST_SHORT_CELLS = 12,    // motions that are surrounded by more cells are long
    FIRST_SHORT_LISTS = 200    // and those that come to leaves with more clusters are treated alike
};

// Coordinates of motions side by side: floats or doubles, with room for eight more.
typedef struct first_columns {
    void *axis[6];  // from x, y, z, to x, y, z
    mote_scalar scalar;
    size_t count;
} first_columns;

// Motions that come near the surface: their numbers, and their ends in cells, to within FIRST_FLOAT_ERROR where they
// are in the grid.
typedef struct first_near {
    uint32_t at[FIRST_MOTIONS + 8];
    float end[6][FIRST_MOTIONS + 8];
    size_t count;
} first_near;

// What rounding to float does to a coordinate below 2^12 cells, and then some.
#define FIRST_FLOAT_ERROR 0x1p-10f

// Clusters that motions may meet, as motion << 32 | cluster, the motion by its place among the near ones; and motions
// that have to go the long way. Ascending by motion.
typedef struct first_finds {
    uint64_t clusters[FIRST_JOBS];
    uint32_t others[FIRST_JOBS];
    size_t cluster_count, other_count;
} first_finds;

// A motion as a cluster sees it, in its quanta, and how far from 0 a volume's sign is certain.
typedef struct first_probe {
    float from[3], way[3];
    float edge_error, plane_error;
} first_probe;

// In a scalar and in a vector form. Both keep all that may matter; what they keep beyond it may differ, and has no
// influence on results.
typedef struct first_functions {
    // Takes x, y, z, x, y, z, … apart. Columns have room for eight more.
    void (*unpack)(const float *xyz, size_t count, float *const column[3]);
    // Picks the motions that may come within `reach` [cells] of the surface. The columns are lost.
    void (*pick)(const first_grid *grid, const first_columns *columns, double scale, float reach, first_near *near);
    // Finds the clusters in the parts that near motions `begin` and following pass, as long as there is room; answers
    // the next motion.
    size_t (*find)(const first_grid *grid, const first_near *near, size_t begin, first_finds *finds);
    // Bits of the cluster's triangles that the motion may meet.
    uint32_t (*may_meet)(const first_cluster *cluster, const first_probe *probe);
} first_functions;

extern const struct first_functions mote_first_functions_plain;
// The fastest form that this processor runs.
const first_functions *mote_first_functions_choose(void);

#endif
