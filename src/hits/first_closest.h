// hits/first_closest.h: a tree over the clusters of mote_first_hits, for what is asked at any distance.
//
// Clusters lie along a Morton curve: eight that follow each other are a node of level 1, eight of these one of level 2,
// and so on up to the root. Nodes need no pointers. Lengths are those of mote_first_hits.
#ifndef MOTE_HITS_FIRST_CLOSEST_H
#define MOTE_HITS_FIRST_CLOSEST_H

#include "hits/first.h"
#include "hits/internal.h"

enum {
    FIRST_FAN = 8,           // children of a node
    FIRST_TREE_LEVELS = 12,  // more than 2^32 triangles need
    FIRST_STACK = FIRST_FAN * FIRST_TREE_LEVELS
};

// Boxes of a node's children, from the tree's origin, rounded outwards; of nothing: low is infinite.
typedef struct first_boxes {
    float low[3][FIRST_FAN], high[3][FIRST_FAN];
} first_boxes;

// What is left of some triangles for who is far from them: integrals over their area.
typedef struct first_moments {
    mote_vec3 center;    // the area's centroid
    double radius;       // no corner is farther from it
    mote_vec3 normal;    // of n
    double first[6];     // of n_i·(x − center)_j, symmetric: xx, yy, zz, xy, yz, zx
    double area, second;  // of 1, of |x − center|²
} first_moments;

// In a scalar and in a vector form, with the same bits.
typedef struct first_closest_functions {
    // Bits of the children that are not farther than bound, as a square; and all squares.
    uint32_t (*near_boxes)(const first_boxes *boxes, const float at[3], float bound, float squared[FIRST_FAN]);
    // The same of a cluster's triangles, in its quanta. Squares are lower bounds for triangles of rounded corners.
    uint32_t (*near_triangles)(const first_cluster *cluster, const float at[3], float bound, float squared[FIRST_FAN]);
} first_closest_functions;

struct first_closest {
    const first_closest_functions *functions;
    mote_features features;
    mote_vec3 origin;  // amid the mesh
    uint32_t level_count;  // of nodes; 0: there are no triangles with an area
    size_t level[FIRST_TREE_LEVELS + 1];  // first node of levels 1, 2, …; at last the number of nodes
    first_boxes *boxes;      // per node
    first_moments *moments;  // per cluster, then per node
    uint8_t *solid;          // per cluster: bits of triangles that have an area
    mote_buffer order;       // of a batch
};

// What is found where: level 0 are clusters.
typedef struct first_place {
    float key;
    uint32_t level, number;
} first_place;

extern const first_closest_functions mote_first_closest_plain;
const first_closest_functions *mote_first_closest_choose(void);

// Makes and lets go first->closest.
mote_result mote_first_closest_build(mote_first_hits *first);
void mote_first_closest_release(mote_first_hits *first);
size_t mote_first_closest_bytes(const mote_first_hits *first);
mote_result mote_first_closest_validate(const mote_first_hits *first, mote_error *error);

// Winding number about a point in our lengths: moments of what is farther than so many of its radii, or adds no more
// than `share` to the error. No farther from the sum over all triangles than `error` and rounding.
double mote_first_winding(const mote_first_hits *first, mote_vec3 point, double radii, double share, double *error);
// Whether the sum over all triangles is above 1/2.
bool mote_first_is_wound(const mote_first_hits *first, mote_vec3 point);

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

static inline first_moments *mote_first_moments(const mote_first_hits *first, uint32_t level, size_t number)
{
    const struct first_closest *tree = first->closest;
    return tree->moments + (level ? first->cluster_count + tree->level[level - 1] : 0) + number;
}

#endif
