// SPDX-License-Identifier: MIT
// proxy/internal.h: the contents of a proxy, and how its leaves are found.
#ifndef MOTE_PROXY_INTERNAL_H
#define MOTE_PROXY_INTERNAL_H

#include "proxy/octree.h"
#include "response/internal.h"

// A list of triangles in a leaf, and the leaf's box.
typedef struct mote_leaf_view {
    const mote_triangle *triangles;
    const uint32_t *list;
    size_t count;
    uint32_t low[3], size;
} mote_leaf_view;

// Triangles of leaves, in finest leaves from the origin. If there are no lists, all pointers are NULL.
typedef struct mote_leaf_lists {
    uint32_t *list_of;     // per node: the number of its list, or MOTE_NO_LIST
    uint64_t *first;       // count + 1
    uint32_t *references;  // numbers of triangles
    mote_triangle *triangles;
    size_t count, node_count, triangle_count;
} mote_leaf_lists;

struct mote_proxy {
    mote_context *context;
    mote_proxy_def def;
    uint64_t key[2];  // of the meshes and the def from which it was made
    mote_vec3 origin;
    double leaf, scale;  // edge of a finest leaf, and its reciprocal
    mote_proxy_node *nodes;
    size_t node_count;
    mote_buffer node_memory;
    uint32_t *table;
    mote_proxy_stats stats;
    mote_leaf_lists all, rims;  // all leaves' (if kept), and those that the motion of particles needs
};

#define MOTE_NO_LIST UINT32_MAX
// A motion longer than this many finest leaves, or with a length that is NaN, is never treated as clear.
#define MOTE_PROXY_LONGEST 1e30f

// The def, or the default if it is NULL, with the depths that follow from other values.
mote_proxy_def mote_proxy_resolve(const mote_proxy_def *def);
mote_result mote_proxy_check_def(const mote_proxy_def *def, mote_error *error);

// Computes what follows from the nodes: counts of leaves and labels, and the look-up table.
mote_proxy_stats mote_proxy_count(const mote_proxy *proxy, uint64_t references);
mote_result mote_proxy_build_table(mote_proxy *proxy);

// MOTE_OK, or MOTE_ERROR_STATE with the condition that does not hold. The first function checks the nodes, of which
// there must be at least one, and `all.list_of`; it never reads beyond the nodes, whatever they contain.
mote_result mote_proxy_validate_nodes(const mote_proxy *proxy, mote_error *error);
mote_result mote_proxy_validate_lists(const mote_leaf_lists *lists, mote_error *error);

// The number of mote_proxy_key, for a def whose depths are all resolved.
void mote_proxy_make_key(const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *def, uint64_t key[2]);

// Places the root of the proxy, whose def is set, around all meshes.
mote_result mote_proxy_place_root(mote_proxy *proxy, const mote_mesh *const *meshes, size_t mesh_count,
                                  mote_error *error);

// The last two words of a proxy's file, computed from the `words` words before them.
void mote_proxy_checksum(const void *bytes, size_t words, uint64_t checksum[2]);

// Writes the labels of all empty leaves that touch leaves with triangles, and the labels stored for the latter's
// faces.
// @param open_edge    per triangle: that it has an edge which is not shared by exactly two, running opposite ways
// @param closed       a mesh without such edges, of all triangles there are, or NULL: where it cuts through itself,
//                     winding numbers decide
// @param proxy        with the position of the tree
mote_result mote_proxy_label(const mote_proxy *proxy, mote_octree *tree, const bool *open_edge,
                             const mote_mesh *closed);

// The side on which a point of the closed leaf lies, by the first triangle seen: MOTE_PROXY_FRONT or MOTE_PROXY_BACK,
// or MOTE_PROXY_UNKNOWN if every line of sight passes an edge between triangles that face opposite ways.
uint8_t mote_view_side(const mote_leaf_view *view, mote_vec3 point);

// The same, only along the line of sight to `anchor`, a point on one of the triangles.
uint8_t mote_view_along(const mote_leaf_view *view, mote_vec3 point, mote_vec3 anchor);
// A point of the triangle in the leaf; false if rounding leaves nothing of it there.
bool mote_view_anchor(const mote_leaf_view *view, uint32_t triangle, mote_vec3 *anchor);

// Hits are not distinguished if they are this near to an edge (share of the triangle) or to each other (of the
// line).
#define MOTE_VIEW_NEAR_EDGE 1e-9
#define MOTE_VIEW_NEAR_TIE 1e-9

// The nearest hit on a line of sight so far; triangles are tested in the order of the leaf's list.
typedef struct mote_gaze {
    double nearest;  // share of the line; HUGE_VAL: nothing
    bool front, back;
} mote_gaze;

// @param facing  above 0: the front is seen
static inline void mote_gaze_meet(mote_gaze *gaze, double time, double facing)
{
    if (time > gaze->nearest + MOTE_VIEW_NEAR_TIE) return;
    if (time < gaze->nearest - MOTE_VIEW_NEAR_TIE) gaze->front = gaze->back = false;
    gaze->nearest = MOTE_MIN(gaze->nearest, time);
    gaze->front |= facing > 0;
    gaze->back |= facing < 0;
}

static inline uint8_t mote_gaze_side(const mote_gaze *gaze)
{
    if (gaze->front == gaze->back) return MOTE_PROXY_UNKNOWN;
    return gaze->front ? MOTE_PROXY_FRONT : MOTE_PROXY_BACK;
}

// MOTE_OK if the arrays that a call needs are set; labels may be NULL.
mote_result mote_proxy_check_arrays(const mote_proxy *proxy, const mote_proxy_particles *particles, bool moving,
                                    mote_error *error);
// Checks everything about a motion that is not checked for each particle; labels may be NULL.
mote_result mote_proxy_check_motion(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                                    mote_error *error);
// Moves one particle, in front of all surfaces, by `way`, with collisions, as mote_proxy_advance does in a second.
// It runs no tasks, so that tasks may call it. False, and nothing changes: it meets nothing, or is not finite.
// @param normal   receives that of the first surface that it meets
bool mote_proxy_move_one(const mote_proxy *proxy, const mote_response *response, mote_vec3 *position, mote_vec3 *way,
                         mote_vec3 *normal);
// MOTE_ERROR_NOT_FINITE for particle i, MOTE_OK for SIZE_MAX.
// @param dt  below 0: velocities are not used
mote_result mote_proxy_report_unfit(const mote_proxy_particles *particles, size_t i, double dt, mote_error *error);

static inline bool mote_proxy_view(const mote_proxy *proxy, uint32_t node, const uint32_t low[3], uint32_t size,
                                   mote_leaf_view *view)
{
    const mote_leaf_lists *lists = proxy->all.count ? &proxy->all : &proxy->rims;
    if (lists->count == 0 || lists->list_of[node] == MOTE_NO_LIST) return false;
    const uint32_t list = lists->list_of[node];
    *view = (mote_leaf_view){lists->triangles,
                             lists->references + lists->first[list],
                             (size_t)(lists->first[list + 1] - lists->first[list]),
                             {low[0], low[1], low[2]},
                             size};
    return true;
}

// The finest cell that holds a coordinate, in leaves from the origin; false outside the root.
MOTE_INLINE bool mote_proxy_cell_1(const mote_proxy *proxy, double in_leaves, uint32_t *cell)
{
    const bool inside = in_leaves >= 0 && in_leaves < (double)(1u << proxy->def.max_depth);
    *cell = inside ? (uint32_t)in_leaves : 0;
    return inside;
}

static inline bool mote_proxy_cell(const mote_proxy *proxy, mote_vec3 p, uint32_t cell[3])
{
    const bool x = mote_proxy_cell_1(proxy, (p.x - proxy->origin.x) * proxy->scale, cell);
    const bool y = mote_proxy_cell_1(proxy, (p.y - proxy->origin.y) * proxy->scale, cell + 1);
    const bool z = mote_proxy_cell_1(proxy, (p.z - proxy->origin.z) * proxy->scale, cell + 2);
    return x && y && z;
}

// A leaf, with or without triangles.
typedef struct mote_spot {
    uint32_t low[3], size;
    uint32_t kind;   // MOTE_PROXY_LEAF, or the labels of an empty leaf
    uint32_t node;   // of a leaf with triangles
    uint32_t entry;  // of the table
} mote_spot;

MOTE_INLINE void mote_spot_box(mote_spot *spot, const uint32_t cell[3], uint32_t height)
{
    for (int k = 0; k < 3; ++k) spot->low[k] = cell[k] >> height << height;
    spot->size = 1u << height;
}

// The leaf that holds a finest cell of the root.
MOTE_INLINE mote_spot mote_proxy_find(const mote_proxy *proxy, const uint32_t cell[3])
{
    const uint32_t deepest = (uint32_t)proxy->def.max_depth, table = (uint32_t)proxy->def.table_depth;
    uint32_t height = deepest - table;
    mote_spot spot;
    spot.entry = proxy->table[((size_t)(cell[2] >> height) << 2 * table) + ((size_t)(cell[1] >> height) << table) +
                              (cell[0] >> height)];
    spot.kind = spot.entry & 7;
    spot.node = spot.entry >> 3;
    if (spot.kind < MOTE_PROXY_LEAF) {
        mote_spot_box(&spot, cell, deepest - (spot.node & 31));
        return spot;
    }
    if (spot.kind == MOTE_PROXY_LEAF) {
        mote_spot_box(&spot, cell, deepest - (proxy->nodes[spot.node].bits >> MOTE_PROXY_LEAF_DEPTH));
        return spot;
    }
    for (;;) {
        --height;
        const mote_proxy_node node = proxy->nodes[spot.node];
        const uint32_t octant = (cell[0] >> height & 1) | (cell[1] >> height & 1) << 1 | (cell[2] >> height & 1) << 2;
        const uint32_t bits = node.bits >> octant;
        if (!(bits & 1)) {
            spot.kind = (bits >> 16 & 1) | (bits >> 23 & 2);
            break;
        }
        spot.node = mote_octree_child(&node, octant);
        if (!(bits >> 8 & 1)) {
            spot.kind = MOTE_PROXY_LEAF;
            break;
        }
    }
    mote_spot_box(&spot, cell, height);
    return spot;
}

#endif
