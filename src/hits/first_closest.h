// hits/first_closest.h: a tree over the clusters of mote_first_hits, for what is asked at any distance.
//
// Clusters lie along a Morton curve: eight that follow each other are a node of level 1, eight of these one of level 2,
// and so on up to the root. Nodes need no pointers. Lengths are those of mote_first_hits.
#ifndef MOTE_HITS_FIRST_CLOSEST_H
#define MOTE_HITS_FIRST_CLOSEST_H

#include "hits/features.h"
#include "hits/first.h"

enum {
    FIRST_FAN = 8,           // children of a node
    FIRST_TREE_LEVELS = 12,  // more than 2^32 triangles need
    FIRST_STACK = FIRST_FAN * FIRST_TREE_LEVELS
};

// Boxes of a node's children, from the tree's origin, rounded outwards; of nothing: low is infinite.
typedef struct first_boxes {
    float low[3][FIRST_FAN], high[3][FIRST_FAN];
} first_boxes;

// A node's children for who is far from them: what their winding numbers are there, as a series about their centroids,
// and what it leaves out. Lengths are in units of the node's, from its centre; factors of the series are in it.
typedef struct first_far {
    double center[3], per_unit;
    float at[3][FIRST_FAN], radius[FIRST_FAN];  // no corner is farther from the centroid
    float zeroth[3][FIRST_FAN];                 // x, y, z
    float first[5][FIRST_FAN];                  // without a trace: xx, yy, xy, yz, zx
    float second[7][FIRST_FAN];                 // without a trace: xyy, xzz, yxx, yzz, zxx, zyy, xyz
    float rest[FIRST_FAN], rounding[FIRST_FAN];
} first_far;

// A winding number in the making, in eight lanes: what is far, how much that may be off, and the product of what is
// near, as in mote_winding.
typedef struct first_wound {
    double far[FIRST_LANES], error[FIRST_LANES];
    double re[FIRST_LANES], im[FIRST_LANES], turns[FIRST_LANES];
} first_wound;

// Corners of eight triangles, from a point: a.x, a.y, a.z, b.x, … of each.
typedef struct first_corners {
    double at[9][FIRST_LANES];
} first_corners;

// What serves for far: what is farther than so many of its radii, or adds no more than that to the error.
typedef struct first_reach {
    float radii, share;
} first_reach;

// In a scalar and in a vector form, with the same bits.
typedef struct first_closest_functions {
    // Bits of the children that are not farther than bound, as a square; and all squares.
    uint32_t (*near_boxes)(const first_boxes *boxes, const float at[3], float bound, float squared[FIRST_FAN]);
    // The same of a cluster's triangles, in its quanta. Squares are lower bounds for triangles of rounded corners.
    uint32_t (*near_triangles)(const first_cluster *cluster, const float at[3], float bound, float squared[FIRST_FAN]);
    // Adds the children that are far from a point; bits of those that are not.
    uint32_t (*add_far)(const first_far *far, const float at[3], first_reach reach, first_wound *sum);
    // Adds triangles as they are.
    void (*add_near)(const first_corners *corners, first_wound *sum);
} first_closest_functions;

struct first_closest {
    const first_closest_functions *functions;
    mote_features features;
    mote_box box;      // of the mesh
    mote_vec3 origin;  // amid it
    uint32_t level_count;  // of nodes; 0: there are no triangles with an area
    size_t level[FIRST_TREE_LEVELS + 1];  // first node of levels 1, 2, …; at last the number of nodes
    first_boxes *boxes;  // per node
    first_far *far;      // per node
    uint8_t *solid;      // per cluster: bits of triangles that have an area
    uint8_t *slivers;  // per cluster: likewise, whose normals doubles do not tell; behind solid
    double area, radius;  // of all; from the root's centre
    uint8_t *sides;       // two bits per cell of the grid; NULL: the mesh is not closed, or moves
    mote_buffer order;       // of a batch
};

// What is found where: level 0 are clusters.
typedef struct first_place {
    float key;
    uint32_t level, number;
} first_place;

extern const first_closest_functions mote_first_closest_plain;
const first_closest_functions *mote_first_closest_choose(void);

// What they consist of for winding numbers.
uint32_t mote_first_add_far_plain(const first_far *far, const float at[3], first_reach reach, first_wound *sum);
void mote_first_add_near_plain(const first_corners *corners, first_wound *sum);
#if MOTE_HAVE_AVX2
uint32_t mote_first_add_far_avx2(const first_far *far, const float at[3], first_reach reach, first_wound *sum);
void mote_first_add_near_avx2(const first_corners *corners, first_wound *sum);
#endif

// Some triangles as they are from afar, while the tree is made: integrals over their area.
typedef struct first_moments {
    mote_vec3 center;    // the area's centroid
    double radius;       // no corner is farther from it
    double normal[3];    // of n
    double first[6];     // of n_i·y_j, y = x − center, symmetric: xx, yy, zz, xy, yz, zx
    double second[10];   // of n_i·y_j·y_k, symmetric: xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz
    double area, spread;  // of 1, of |y|²
} first_moments;

// All but the radius.
first_moments mote_first_triangle_moments(const mote_vec3 corner[3]);
first_moments mote_first_join(const first_moments *parts, size_t count);
void mote_first_set_far(first_far *far, const first_moments *node, const first_moments *children, size_t count);

// Makes and lets go first->closest.
mote_result mote_first_closest_build(mote_first_hits *first);
void mote_first_closest_release(mote_first_hits *first);
size_t mote_first_closest_bytes(const mote_first_hits *first);
mote_result mote_first_closest_validate(const mote_first_hits *first, mote_error *error);

// Winding number about a point in our lengths. No farther from the sum over all triangles than `error` and rounding.
double mote_first_winding(const mote_first_hits *first, mote_vec3 point, first_reach reach, double *error);
// Whether the sum over all triangles is above 1/2.
bool mote_first_is_wound(const mote_first_hits *first, mote_vec3 point);

typedef enum first_side { FIRST_SIDE_UNKNOWN, FIRST_SIDE_OUTSIDE, FIRST_SIDE_INSIDE } first_side;

// Finds the sides of the grid's cells where the mesh has an inside. MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_first_sides_build(mote_first_hits *first);
size_t mote_first_sides_bytes(const mote_first_hits *first);
mote_result mote_first_sides_validate(const mote_first_hits *first, mote_error *error);
// The side of a point that is so near the centre of a clear cell that nothing is between. All in our lengths.
first_side mote_first_side_in_cell(const mote_first_hits *first, mote_vec3 point);
// How far the surface is at least, by the grid and the mesh's box; 0 where these do not tell. In our lengths.
double mote_first_clearance(const mote_first_hits *first, mote_vec3 point);
// Whether a point is so far away that it has no closest point. In our lengths.
bool mote_first_is_far(const mote_first_hits *first, mote_vec3 point);
// Finds the closest point of the surface, with the sign of its pseudonormal, if it is within reach. In our lengths.
bool mote_first_find_closest(const mote_first_hits *first, mote_vec3 point, double reach, mote_closest *closest);
// Whether the sum over all triangles is above 1/2, if the grid can tell. All in our lengths.
// @param closest  of the point; its distance is not 0
first_side mote_first_side(const mote_first_hits *first, mote_vec3 point, const mote_closest *closest);

static inline mote_vec3 mote_first_center(const first_grid *grid, const uint32_t cell[3])
{
    const double *origin = grid->origin, edge = grid->edge;
    return mote_vec3_make(origin[0] + (cell[0] + 0.5) * edge, origin[1] + (cell[1] + 0.5) * edge,
                          origin[2] + (cell[2] + 0.5) * edge);
}

static inline mote_mesh mote_first_mesh(const mote_first_hits *first)
{
    const mote_mesh mesh = {first->vertices, first->triangles, first->vertex_count, first->triangle_count,
                            first->context};
    return mesh;
}

// Children of node i of a level: elements 8i … of the level below, as many as there are.
static inline size_t mote_first_elements(const mote_first_hits *first, uint32_t level)
{
    const struct first_closest *tree = first->closest;
    return level ? tree->level[level] - tree->level[level - 1] : first->cluster_count;
}

#endif
