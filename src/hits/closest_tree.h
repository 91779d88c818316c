// SPDX-License-Identifier: MIT
// hits/closest_tree.h: a tree over the clusters of mote_hits, for what is asked at any distance.
//
// Clusters lie along a Morton curve: eight that follow each other are a node of level 1, eight of these one of level 2,
// and so on up to the root. Nodes need no pointers. Lengths are those of mote_hits.
#ifndef MOTE_HITS_CLOSEST_TREE_H
#define MOTE_HITS_CLOSEST_TREE_H

#include "hits/closest_normals.h"
#include "hits/internal.h"

enum {
    HITS_FAN = 8,           // children of a node
    HITS_TREE_LEVELS = 12,  // more than 2^32 triangles need
    HITS_STACK = HITS_FAN * HITS_TREE_LEVELS
};

// Boxes of a node's children, from the tree's origin, rounded outwards; of nothing: low is infinite.
typedef struct hits_child_boxes {
    float low[3][HITS_FAN], high[3][HITS_FAN];
} hits_child_boxes;

// A node's children for who is far from them: what their winding numbers are there, as a series about their centroids,
// and what it leaves out. Lengths are in units of the node's, from its centre; factors of the series are in it.
typedef struct hits_far_children {
    double center[3], per_unit;
    float at[3][HITS_FAN], radius[HITS_FAN];  // no corner is farther from the centroid
    float zeroth[3][HITS_FAN];                // x, y, z
    float first[5][HITS_FAN];                 // without a trace: xx, yy, xy, yz, zx
    float second[7][HITS_FAN];                // without a trace: xyy, xzz, yxx, yzz, zxx, zyy, xyz
    float rest[HITS_FAN], rounding[HITS_FAN];
} hits_far_children;

// A winding number in the making, in eight lanes: what is far, how much that may be off, and the product of what is
// near, as in mote_winding.
typedef struct hits_winding_sum {
    double far[HITS_LANES], error[HITS_LANES];
    double re[HITS_LANES], im[HITS_LANES], turns[HITS_LANES];
} hits_winding_sum;

// Corners of eight triangles, from a point: a.x, a.y, a.z, b.x, … of each.
typedef struct hits_corners {
    double at[9][HITS_LANES];
} hits_corners;

// What serves for far: what is farther than so many of its radii, or adds no more than that to the error.
typedef struct hits_winding_reach {
    float radii, share;
} hits_winding_reach;

// In a scalar and in a vector form, with the same bits.
typedef struct hits_closest_lanes {
    // Bits of the children that are not farther than bound, as a square; and all squares.
    uint32_t (*near_boxes)(const hits_child_boxes *boxes, const float at[3], float bound, float squared[HITS_FAN]);
    // The same of a cluster's triangles, in its quanta. Squares are lower bounds for triangles of rounded corners.
    uint32_t (*near_triangles)(const hits_cluster *cluster, const float at[3], float bound, float squared[HITS_FAN]);
    // Adds the children that are far from a point; bits of those that are not.
    uint32_t (*add_far)(const hits_far_children *far, const float at[3], hits_winding_reach reach,
                        hits_winding_sum *sum);
    // Adds triangles as they are.
    void (*add_near)(const hits_corners *corners, hits_winding_sum *sum);
} hits_closest_lanes;

struct hits_closest_tree {
    const hits_closest_lanes *lanes;
    mote_features features;
    mote_box box;      // of the mesh
    mote_vec3 origin;  // amid it
    uint32_t level_count;  // of nodes; 0: there are no triangles with an area
    size_t level[HITS_TREE_LEVELS + 1];  // first node of levels 1, 2, …; at last the number of nodes
    hits_child_boxes *boxes;             // per node
    hits_far_children *far;              // per node
    uint8_t *solid;      // per cluster: bits of triangles that have an area
    uint8_t *slivers;  // per cluster: likewise, whose normals doubles do not tell; behind solid
    double area, radius;  // of all; from the root's centre
    uint8_t *sides;       // two bits per cell of the grid; NULL: the mesh is not closed, or moves
    mote_buffer order;       // of a batch
};

// What is found where: level 0 are clusters.
typedef struct hits_closest_entry {
    float key;
    uint32_t level, number;
} hits_closest_entry;

extern const hits_closest_lanes mote_hits_closest_plain;
#if MOTE_HAVE_AVX2
extern const hits_closest_lanes mote_hits_closest_avx2;
#endif

// What they consist of for winding numbers.
uint32_t mote_hits_winding_add_far_plain(const hits_far_children *far, const float at[3], hits_winding_reach reach,
                                         hits_winding_sum *sum);
void mote_hits_winding_add_near_plain(const hits_corners *corners, hits_winding_sum *sum);
#if MOTE_HAVE_AVX2
uint32_t mote_hits_winding_add_far_avx2(const hits_far_children *far, const float at[3], hits_winding_reach reach,
                                        hits_winding_sum *sum);
void mote_hits_winding_add_near_avx2(const hits_corners *corners, hits_winding_sum *sum);
#endif

// Some triangles as they are from afar, while the tree is made: integrals over their area.
typedef struct hits_moments {
    mote_vec3 center;    // the area's centroid
    double radius;       // no corner is farther from it
    double normal[3];    // of n
    double first[6];     // of n_i·y_j, y = x − center, symmetric: xx, yy, zz, xy, yz, zx
    double second[10];   // of n_i·y_j·y_k, symmetric: xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz
    double area, spread;  // of 1, of |y|²
} hits_moments;

// All but the radius.
hits_moments mote_hits_moments_of_triangle(const mote_vec3 corner[3]);
hits_moments mote_hits_moments_join(const hits_moments *parts, size_t count);
void mote_hits_far_children_set(hits_far_children *far, const hits_moments *node, const hits_moments *children,
                                size_t count);

// Makes and lets go first->closest.
mote_result mote_hits_closest_tree_build(mote_hits *hits);
void mote_hits_closest_tree_release(mote_hits *hits);
size_t mote_hits_closest_tree_bytes(const mote_hits *hits);
mote_result mote_hits_closest_tree_validate(const mote_hits *hits, mote_error *error);

// Winding number about a point in our lengths. No farther from the sum over all triangles than `error` and rounding.
double mote_hits_winding_about(const mote_hits *hits, mote_vec3 point, hits_winding_reach reach, double *error);
// Whether the sum over all triangles is above 1/2.
bool mote_hits_winding_is_inside(const mote_hits *hits, mote_vec3 point);

typedef enum hits_side { HITS_SIDE_UNKNOWN, HITS_SIDE_OUTSIDE, HITS_SIDE_INSIDE } hits_side;

// Finds the sides of the grid's cells where the mesh has an inside. MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_hits_cell_sides_build(mote_hits *hits);
size_t mote_hits_cell_sides_bytes(const mote_hits *hits);
mote_result mote_hits_cell_sides_validate(const mote_hits *hits, mote_error *error);
// The side of a point that is so near the centre of a clear cell that nothing is between. All in our lengths.
hits_side mote_hits_cell_side(const mote_hits *hits, mote_vec3 point);
// How far the surface is at least, by the grid and the mesh's box; 0 where these do not tell. In our lengths.
double mote_hits_clearance(const mote_hits *hits, mote_vec3 point);
// Whether a point is so far away that it has no closest point. In our lengths.
bool mote_hits_is_out_of_range(const mote_hits *hits, mote_vec3 point);
// Finds the closest point of the surface, with the sign of its pseudonormal, if it is within reach. In our lengths.
bool mote_hits_find_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest);
// Whether the sum over all triangles is above 1/2, if the grid can tell. All in our lengths.
// @param closest  of the point; its distance is not 0
hits_side mote_hits_winding_side(const mote_hits *hits, mote_vec3 point, const mote_closest *closest);

static inline mote_vec3 mote_hits_cell_center(const hits_grid *grid, const uint32_t cell[3])
{
    const double *origin = grid->origin, edge = grid->edge;
    return mote_vec3_make(origin[0] + (cell[0] + 0.5) * edge, origin[1] + (cell[1] + 0.5) * edge,
                          origin[2] + (cell[2] + 0.5) * edge);
}

static inline mote_mesh mote_hits_as_mesh(const mote_hits *hits)
{
    const mote_mesh mesh = {hits->vertices, hits->triangles, hits->vertex_count, hits->triangle_count, hits->context};
    return mesh;
}

// Children of node i of a level: elements 8i … of the level below, as many as there are.
static inline size_t mote_hits_level_elements(const mote_hits *hits, uint32_t level)
{
    const struct hits_closest_tree *tree = hits->closest;
    return level ? tree->level[level] - tree->level[level - 1] : hits->cluster_count;
}

#endif
