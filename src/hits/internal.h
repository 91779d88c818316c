// SPDX-License-Identifier: MIT
// hits/internal.h: the data of mote_hits, and the functions that its source files share.
//
// Internal lengths are the caller's lengths times a power of two, chosen so that the mesh is about 1 large. So
// nothing overflows, and scaling loses no bit. The grid on top has coordinates of its own: cells, counted from its
// corner.
#ifndef MOTE_HITS_INTERNAL_H
#define MOTE_HITS_INTERNAL_H

#include "base/internal.h"
#include "base/vector.h"
#include "mesh/internal.h"
#include "mote/hits.h"

enum {
    HITS_LANES = 8,            // triangles in a cluster
    HITS_QUANTA = 32767,       // corner coordinates are counted in such parts of a cluster's size
    HITS_DISTANCE_PARTS = 16,  // distances are counted in such parts of a cell
    HITS_MOST_LEVELS = 8,
    HITS_GRID_BUFFERS = 5,
    HITS_SLAB_PARTS = 64
};

// The structure reaches this much beyond the triangles that it holds, in cells of the grid. That is far more than
// the rounding errors of coordinates below HITS_FARTHEST cells.
#define HITS_MARGIN 0x1p-24
#define HITS_FARTHEST 0x1p23
// Smaller spheres count as points. Against a moving mesh a point counts as a sphere of this radius, or of a larger
// one where coordinates are so large that their rounding errors come close to it.
#define HITS_POINT_RADIUS 0x1p-40
// Larger spheres count as this large: from any position where hits are looked for they touch the whole mesh.
#define HITS_LARGEST_RADIUS 0x1p210

// Triangles 8c … 8c + 7 with corners rounded to few bits: enough to rule out most triangles that a motion misses.
typedef struct hits_cluster {
    double origin[3];
    float per_length;           // quanta in a length of 1
    float reach;                // no corner is farther from the origin [quanta]
    int16_t corner[9][HITS_LANES];  // a.x, a.y, a.z, b.x, … of each
} hits_cluster;

// A cell or part of a cell, divided into 4 x 4 x 4 parts. Part (x, y, z) has bit x + 4y + 16z.
typedef struct hits_node {
    uint64_t mask;   // parts that are not empty
    uint32_t first;  // leaf: its first reference; else its first child: one for each bit, in the order of bits
    uint32_t count;  // number of references; 0: the node has children
    // Cells only: a slab that contains all its triangles. Offsets are normal·(x − the cell's centre), in cells,
    // times HITS_SLAB_PARTS. A motion with both ends on the same side of the slab meets nothing.
    int8_t normal[4];  // x, y, z of any length, 0; all 0: there is no slab
    int16_t low, high;
} hits_node;

// 64 cells: which of them are occupied, and the number of occupied cells in the words before.
typedef struct hits_word {
    uint64_t bits;
    uint32_t rank, unused;
} hits_word;
_Static_assert(sizeof(hits_word) == 16, "gathered (motion_cell_lanes.c)");

typedef struct hits_grid {
    double origin[3], edge, per_edge;
    uint32_t size[3];
    size_t cell_count;
    uint8_t *distance;   // a lower bound for the distance of a cell's centre from the surface [parts of an edge]
    hits_word *words;    // bits of the occupied cells
    size_t word_count;
    hits_node *nodes;  // nodes of the occupied cells, in their order, then children
    size_t top_count, node_count;
    uint64_t *masks;     // per reference: parts of the leaf that contain a triangle of the cluster
    uint32_t *clusters;  // per reference
    size_t reference_count;
    mote_buffer memory[HITS_GRID_BUFFERS];  // the memory of the arrays, in the order above
} hits_grid;

// Counters of one step, through all its stages.
typedef struct hits_counters {
    uint64_t motions, near, nodes, clusters, triangles, hits;
} hits_counters;

// A worker's list of mote_contact.
typedef struct hits_contact_log {
    mote_context *context;
    mote_buffer memory;
    size_t count;
    bool failed;
} hits_contact_log;

// A worker's memory for its part of a batch.
typedef struct hits_worker {
    mote_buffer scratch, hits;
    size_t hit_count, left_count;  // in its list; left for when all hits are known (motion_place.c)
    hits_contact_log notes;
    hits_counters counters;
    bool failed, has_marks;
    uint8_t apart[64];  // keeps workers in different cache lines
} hits_worker;

// Whether batches are sorted. The results are the same.
typedef enum hits_sorting { HITS_SORT_WHERE_WORTH, HITS_SORT_ALWAYS, HITS_SORT_NEVER } hits_sorting;

struct mote_hits {
    mote_context *context;
    mote_hits_def def;
    double scale;            // internal length = scale · the caller's length
    mote_vec3 origin;        // internal, near the mesh: differences of vertices from it are exact
    double grain;            // rounding error of coordinates as large as the mesh's [internal]
    size_t vertex_count, triangle_count, cluster_count;
    mote_vec3 *vertices;     // internal, at the start of the step
    mote_vec3 *ends;         // at its end; NULL: the mesh is at rest
    uint32_t *vertex_order;  // the caller's number of each vertex
    uint32_t *triangles;     // in the order of clusters, with internal vertex numbers
    uint32_t *original;      // the caller's number of each triangle, among all meshes
    uint32_t *mesh_starts;   // if there are several meshes: the number of the first triangle of each
    size_t mesh_count;       // 0: there is one mesh
    hits_cluster *clusters;
    hits_grid grid;
    struct hits_tree *tree;
    struct hits_closest *closest;  // NULL: not built yet
    const struct hits_motion_lanes *motion_lanes;
    const struct hits_closest_lanes *closest_lanes;
    hits_sorting sorting;
    mote_buffer workers, lists, order, sorted, found, targets, answers, contact_memory;
    mote_contact_list contacts;  // contacts of the last advance
    uint32_t worker_count;
    hits_counters counters;
};

// The first sorts triangles and vertices, the second makes clusters from them, the third makes the grid.
mote_result mote_hits_clusters_sort(mote_hits *hits, const mote_mesh *mesh);
void mote_hits_clusters_make(mote_hits *hits);
mote_result mote_hits_grid_build(const mote_hits *hits, hits_grid *made);
void mote_hits_grid_release(const mote_context *context, hits_grid *grid);
// Computes the grid's distances. Returns MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_hits_grid_measure(const mote_hits *hits, hits_grid *grid);

// The number of the node of an occupied cell.
static inline uint32_t mote_hits_grid_rank(const hits_grid *grid, uint64_t cell)
{
    const hits_word *word = &grid->words[cell / 64];
    return word->rank + mote_count_bits(word->bits & ((UINT64_C(1) << cell % 64) - 1));
}

static inline bool mote_hits_grid_is_occupied(const hits_grid *grid, uint64_t cell)
{
    return grid->words[cell / 64].bits >> cell % 64 & 1;
}

static inline mote_vec3 mote_hits_lerp(mote_vec3 a, mote_vec3 b, double t)
{
    return mote_vec3_make(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z));
}

static inline double mote_hits_largest(mote_vec3 v)
{
    return MOTE_MAX(fabs(v.x), MOTE_MAX(fabs(v.y), fabs(v.z)));
}

static inline void mote_hits_corners(const mote_hits *hits, uint32_t triangle, mote_vec3 corner[3])
{
    for (int k = 0; k < 3; ++k) corner[k] = hits->vertices[hits->triangles[3 * (size_t)triangle + (size_t)k]];
}

// The bits that one coordinate contributes to a Morton number of 63 bits.
static inline uint64_t mote_hits_morton(double from_min, double extent)
{
    const double most = 0x1FFFFF;
    const double share = extent > 0 ? from_min / extent * most : 0;
    return mote_spread_bits((uint64_t)MOTE_MIN(MOTE_MAX(share, 0), most));
}

// ----------------------------------------------------------------------------------------------------- motions

// A motion or a piece of one, in the form that cluster tests use: axes in an order that ends with the longest.
typedef struct hits_sheared_ray {
    double from[3];   // where it begins, in these axes
    double way;       // component along the last axis
    double shear[2];  // the other components per unit of the last
    double blur;      // a bound of the error of the beginning
    uint32_t ray;     // the ray's number
    uint8_t axis[3];
} hits_sheared_ray;

// A motion, and the first hit found for it so far.
typedef struct hits_ray {
    mote_vec3 from, to;      // internal
    // For walks through the grid: the ends of the whole motion in cells.
    double start[3], end[3];
    hits_sheared_ray sheared;
    double radius;           // internal; for a point that meets a moving mesh at least HITS_POINT_RADIUS
    double reach;            // how much the particle's size thickens the motion, in cells
    double begin;            // share of the step at which the motion begins; it ends with the step
    uint32_t particle;
    int32_t side;
    uint32_t triangle;  // UINT32_MAX: none yet
    double time, time_error;
    double weight[3], under;  // barycentrics times `under`; for triangles at rest
    int32_t from_side;
    uint8_t zero;  // bits of the weights that are exactly 0
    // If the particle has a stored side: the triangles on whose edges or vertices it lies at the start (the first
    // two, and how many there are), the lowest of those that it goes through, and one that it does not go through.
    uint32_t touch[2], touch_count, goes, stays;
    bool at_vertex;
    // Sweeps only: the shares of the motion between which it is near the mesh, and its positions there, from the
    // mesh's origin.
    double share[2];
    mote_vec3 local[2];
    double error, near;  // bound of the error of a distance; distance that counts as touching
    double time_parts;   // times in the same of so many parts of the motion count as equal
    struct hits_near_triangles *contacts;  // not NULL: only lists triangles near the start
} hits_ray;

// Tests the ray against a triangle, and keeps the hit if it is the first, by conservative advancement.
void mote_hits_sweep_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle);
// Call it after all triangles were tested: decides about triangles that are touched at the start.
void mote_hits_ray_settle(const mote_hits *hits, hits_ray *ray);
// This and mote_hits_sweep_result make the mote_hit of a ray that has hit a triangle, in the caller's lengths.
void mote_hits_meet_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit);
// The first hit of one motion that begins at the share `begin` of the step.
bool mote_hits_find_one(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, int side, double begin,
                        mote_hit *hit);
void mote_hits_sweep_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit);

// The caller's mesh and triangle numbers of a triangle, from its number among all.
void mote_hits_name_triangle(const mote_hits *hits, uint32_t number, uint32_t *mesh, uint32_t *triangle);

static inline bool mote_hits_is_swept(const mote_hits *hits, const hits_ray *ray)
{
    return hits->ends || ray->radius > 0;
}

#endif
