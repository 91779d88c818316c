// SPDX-License-Identifier: MIT
// hits/closest.h: what closest points, their signs and winding numbers need besides the tree of boxes
// (structure_tree.h): normals of edges and vertices, sides of the grid's cells, and a tree of moments for winding
// numbers (Barill et al. 2018).
//
// The tree of moments has a shape of its own, because the bits of a sum depend on which triangles are summed together.
// Clusters lie along a Morton curve: eight consecutive clusters form a node of level 1, eight consecutive nodes a node
// of level 2, and so on up to the root. So nodes need no pointers. Lengths are the internal ones of mote_hits.
#ifndef MOTE_HITS_CLOSEST_H
#define MOTE_HITS_CLOSEST_H

#include "hits/closest_normals.h"
#include "hits/internal.h"
#include "hits/structure_tree.h"

enum {
    HITS_FAN = 8,           // children of a node
    HITS_TREE_LEVELS = 12,  // more than 2^32 triangles need
    HITS_STACK = HITS_FAN * HITS_TREE_LEVELS
};

// A node's children as seen by distant points: series about their centroids that approximate their winding numbers,
// with bounds of the error. Lengths are in the node's unit, relative to its centre. Factors of the series are
// included.
typedef struct hits_far_children {
    double center[3], per_unit;
    float at[3][HITS_FAN], radius[HITS_FAN];  // no corner is farther from the centroid
    float zeroth[3][HITS_FAN];                // x, y, z
    float first[5][HITS_FAN];                 // without a trace: xx, yy, xy, yz, zx
    float second[7][HITS_FAN];                // without a trace: xyy, xzz, yxx, yzz, zxx, zyy, xyz
    float rest[HITS_FAN], rounding[HITS_FAN];
} hits_far_children;

// A winding number while it is summed, in eight lanes: the part from far children, a bound of its error, and the
// product over near triangles, as in mote_winding.
typedef struct hits_winding_sum {
    double far[HITS_LANES], error[HITS_LANES];
    double re[HITS_LANES], im[HITS_LANES], turns[HITS_LANES];
} hits_winding_sum;

// Corners of eight triangles, relative to a point: a.x, a.y, a.z, b.x, … of each.
typedef struct hits_corners {
    double at[9][HITS_LANES];
} hits_corners;

// A child counts as far if its distance is above `radii` of its radii, or if it adds at most `share` to the error.
typedef struct hits_winding_reach {
    float radii, share;
} hits_winding_reach;

// Adds the children that are far from a point. Returns the bits of those that are not.
typedef uint32_t hits_add_far(const hits_far_children *far, const float at[3], hits_winding_reach reach,
                              hits_winding_sum *sum);
// Adds triangles exactly, without a series.
typedef void hits_add_near(const hits_corners *corners, hits_winding_sum *sum);

// A form of the innermost loops. All forms give the same bits.
typedef struct hits_closest_lanes {
    // Returns the bits of the children that are within `bound` (a squared distance), and all squared distances.
    uint32_t (*near_boxes)(const hits_tree_node *node, const float at[3], float bound, float squared[HITS_FAN]);
    // The same for a cluster's triangles, in its quanta. The squares are lower bounds, for triangles of rounded
    // corners.
    uint32_t (*near_triangles)(const hits_cluster *cluster, const float at[3], float bound, float squared[HITS_FAN]);
    hits_add_far *add_far;
    hits_add_near *add_near;
} hits_closest_lanes;

struct hits_closest {
    const hits_closest_lanes *lanes;
    mote_features features;
    mote_box box;      // box of the mesh
    mote_vec3 origin;  // near the middle of the mesh
    uint32_t level_count;  // levels of nodes; 0: there are no triangles with an area
    size_t level[HITS_TREE_LEVELS + 1];  // first node of levels 1, 2, …; the last entry is the number of nodes
    hits_far_children *far;              // per node
    struct hits_tree *resting;  // if the mesh moves: hits->tree with the boxes at the start of the step; else NULL
    uint8_t *solid;             // per cluster: bits of triangles that have an area
    uint8_t *slivers;  // per cluster: bits of triangles whose normals are uncertain in double; stored behind solid
    double area, radius;  // of all triangles; seen from the root's centre
    uint8_t *sides;       // two bits per cell of the grid; NULL: the mesh is not closed, or moves
    mote_buffer order;    // the order of a batch
};

extern const hits_closest_lanes mote_hits_closest_plain, mote_hits_closest_avx2, mote_hits_closest_128;

// The parts of these tables that compute winding numbers.
hits_add_far mote_hits_winding_add_far_plain, mote_hits_winding_add_far_avx2, mote_hits_winding_add_far_128;
hits_add_near mote_hits_winding_add_near_plain, mote_hits_winding_add_near_avx2, mote_hits_winding_add_near_128;

// Moments of some triangles, used while the tree is made: integrals over their area.
typedef struct hits_moments {
    mote_vec3 center;    // the area's centroid
    double radius;       // no corner is farther from it
    double normal[3];    // integral of n
    double first[6];     // of n_i·y_j, y = x − center, symmetric: xx, yy, zz, xy, yz, zx
    double second[10];   // of n_i·y_j·y_k, symmetric: xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz
    double area, spread;  // integrals of 1 and of |y|²
} hits_moments;

// These compute everything but the radius.
hits_moments mote_hits_moments_of_triangle(const mote_vec3 corner[3]);
hits_moments mote_hits_moments_join(const hits_moments *parts, size_t count);
void mote_hits_far_children_set(hits_far_children *far, const hits_moments *node, const hits_moments *children,
                                size_t count);

// Make and release hits->closest.
mote_result mote_hits_closest_build(mote_hits *hits);
void mote_hits_closest_release(mote_hits *hits);
size_t mote_hits_closest_bytes(const mote_hits *hits);
mote_result mote_hits_closest_validate(const mote_hits *hits, mote_error *error);

// Winding number about a point (internal). It differs from the sum over all triangles by at most `error` and
// rounding.
double mote_hits_winding_about(const mote_hits *hits, mote_vec3 point, hits_winding_reach reach, double *error);
// Whether the sum over all triangles is above 1/2.
bool mote_hits_winding_is_inside(const mote_hits *hits, mote_vec3 point);

typedef enum hits_side { HITS_SIDE_UNKNOWN, HITS_SIDE_OUTSIDE, HITS_SIDE_INSIDE } hits_side;

// Finds the sides of the grid's cells if the mesh has an inside. Returns MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_hits_cell_sides_build(mote_hits *hits);
size_t mote_hits_cell_sides_bytes(const mote_hits *hits);
mote_result mote_hits_cell_sides_validate(const mote_hits *hits, mote_error *error);
// The side of a point that is so near the centre of a clear cell that no surface is between them. Internal lengths.
hits_side mote_hits_cell_side(const mote_hits *hits, mote_vec3 point);
// A lower bound for the distance from the surface, from the grid and the mesh's box; 0 if these give none. Internal.
double mote_hits_clearance(const mote_hits *hits, mote_vec3 point);
// Whether a point is so far away that it has no closest point. Internal lengths.
bool mote_hits_is_out_of_range(const mote_hits *hits, mote_vec3 point);
// Finds the closest point of the surface, signed by its pseudonormal, if it is within reach. Internal lengths.
bool mote_hits_find_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest);
// Whether the sum over all triangles is above 1/2, if the grid can decide it. All in internal lengths.
// @param closest  the closest point; its distance is not 0
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

// Number of elements that a level's nodes have as children: node i has elements 8i … of the level below.
static inline size_t mote_hits_level_elements(const mote_hits *hits, uint32_t level)
{
    const struct hits_closest *tree = hits->closest;
    return level ? tree->level[level] - tree->level[level - 1] : hits->cluster_count;
}

#endif
