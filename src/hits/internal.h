// SPDX-License-Identifier: MIT
// hits/internal.h: what mote_hits holds, and how its parts talk to each other.
//
// Lengths are scaled by a power of two, so that the mesh is about 1 large: nothing overflows, and no bit changes. The
// grid on top counts in cells of its own, from its own corner.
#ifndef MOTE_HITS_INTERNAL_H
#define MOTE_HITS_INTERNAL_H

#include "base/internal.h"
#include "base/vector.h"
#include "mesh/internal.h"
#include "mote/hits.h"

enum {
    HITS_LANES = 8,            // triangles in a cluster
    HITS_QUANTA = 32767,       // corners are counted in such parts of a cluster's size
    HITS_DISTANCE_PARTS = 16,  // distances are counted in such parts of a cell
    HITS_MOST_LEVELS = 8,
    HITS_GRID_BUFFERS = 5,
    HITS_SLAB_PARTS = 64
};

// How far the structure reaches beyond what it holds, in cells of the grid: far more than what rounding does to
// coordinates below HITS_FARTHEST cells.
#define HITS_MARGIN 0x1p-24
#define HITS_FARTHEST 0x1p23
// Smaller spheres count as points, and points as that large where the mesh moves; more where coordinates are so large
// that rounding them is not far below.
#define HITS_POINT_RADIUS 0x1p-40
// Larger spheres count as that large: from wherever they are looked at they touch all of the mesh.
#define HITS_LARGEST_RADIUS 0x1p210

// Triangles 8c … 8c + 7, their corners rounded to few bits: enough to tell most that are not met.
typedef struct hits_cluster {
    double origin[3];
    float per_length;           // quanta in a length of 1
    float reach;                // no corner is farther from the origin [quanta]
    int16_t corner[9][HITS_LANES];  // a.x, a.y, a.z, b.x, … of each
} hits_cluster;

// A cell or part of one, cut into 4 x 4 x 4. Part (x, y, z) has bit x + 4y + 16z.
typedef struct hits_node {
    uint64_t mask;   // parts that hold something
    uint32_t first;  // leaf: its first reference; else the first child: there is one for each bit, in their order
    uint32_t count;  // of references; 0: has children
    // Of a cell: a slab that holds all its triangles whole. Offsets are normal·(x − the cell's centre), in cells, times
    // HITS_SLAB_PARTS. A motion with both ends on one side of it meets nothing.
    int8_t normal[3];  // of any length; 0: there is no slab
    int16_t low, high;
} hits_node;

// 64 cells: which are occupied, and how many in the words before.
typedef struct hits_word {
    uint64_t bits;
    uint32_t rank, unused;
} hits_word;
_Static_assert(sizeof(hits_word) == 16, "gathered by AVX2 code (motion_cells.c)");

typedef struct hits_grid {
    double origin[3], edge, per_edge;
    uint32_t size[3];
    size_t cell_count;
    uint8_t *distance;   // of a cell's centre from the surface, at most [parts of an edge]
    hits_word *words;    // of occupied cells
    size_t word_count;
    hits_node *nodes;  // those of occupied cells, in their order, then children
    size_t top_count, node_count;
    uint64_t *masks;     // per reference: parts of the leaf that hold a triangle of the cluster
    uint32_t *clusters;  // per reference
    size_t reference_count;
    mote_buffer memory[HITS_GRID_BUFFERS];  // what the arrays lie in, in the order above
} hits_grid;

// What a step through all the stages counts.
typedef struct hits_counters {
    uint64_t motions, near, nodes, clusters, triangles, hits;
} hits_counters;

// Who met what: a worker's list of mote_contact.
typedef struct hits_contact_log {
    mote_context *context;
    mote_buffer memory;
    size_t count;
    bool failed;
} hits_contact_log;

// Room for a worker's part of a batch.
typedef struct hits_worker {
    mote_buffer scratch, hits;
    size_t hit_count;
    hits_contact_log notes;
    hits_counters counters;
    bool failed;
    uint8_t apart[64];  // from the next worker's
} hits_worker;

// Whether batches are sorted: results are the same.
typedef enum hits_sorting { HITS_SORT_WHERE_WORTH, HITS_SORT_ALWAYS, HITS_SORT_NEVER } hits_sorting;

struct mote_hits {
    mote_context *context;
    mote_hits_def def;
    double scale;            // from the caller's lengths to ours
    mote_vec3 origin;        // ours, near the mesh: differences of vertices from it are exact
    double grain;            // what rounding does to coordinates as large as the mesh's [ours]
    size_t vertex_count, triangle_count, cluster_count;
    mote_vec3 *vertices;     // ours, at the start of the step
    mote_vec3 *ends;         // at its end; NULL: the mesh is at rest
    uint32_t *vertex_order;  // the caller's number of each vertex
    uint32_t *triangles;     // sorted into clusters, of our vertices
    uint32_t *original;      // the caller's number of each triangle, among all
    uint32_t *mesh_starts;   // of several meshes: the number of the first triangle of each
    size_t mesh_count;       // 0: there is one
    hits_cluster *clusters;
    hits_grid grid;
    struct hits_tree *tree;
    struct hits_closest_tree *closest;  // NULL: not asked for so far
    const struct hits_motion_lanes *motion_lanes;
    const struct hits_closest_lanes *closest_lanes;
    hits_sorting sorting;
    mote_buffer workers, lists, order, sorted, found, targets, answers, contact_memory;
    mote_contact_list contacts;  // of the last advance
    uint32_t worker_count;
    hits_counters counters;
};

// Brings triangles and vertices into their order; makes the clusters from them; makes the grid.
mote_result mote_hits_clusters_sort(mote_hits *hits, const mote_mesh *mesh);
void mote_hits_clusters_make(mote_hits *hits);
mote_result mote_hits_grid_build(const mote_hits *hits, hits_grid *made);
void mote_hits_grid_release(const mote_context *context, hits_grid *grid);
// Fills the grid's distances. MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY.
mote_result mote_hits_grid_measure(const mote_hits *hits, hits_grid *grid);

// The node of an occupied cell.
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

static inline void mote_hits_corners(const mote_hits *hits, uint32_t triangle, mote_vec3 corner[3])
{
    for (int k = 0; k < 3; ++k) corner[k] = hits->vertices[hits->triangles[3 * (size_t)triangle + (size_t)k]];
}

// A coordinate's share of a Morton number of 63 bits.
static inline uint64_t mote_hits_morton(double from_min, double extent)
{
    const double most = 0x1FFFFF;
    const double share = extent > 0 ? from_min / extent * most : 0;
    return mote_spread_bits((uint64_t)MOTE_MIN(MOTE_MAX(share, 0), most));
}

// ----------------------------------------------------------------------------------------------------- motions

// A motion or a piece of one, as clusters are asked about it: axes in an order that ends with the longest.
typedef struct hits_sheared_ray {
    double from[3];   // where it begins, by these axes
    double way;       // along the last one
    double shear[2];  // of the others to that
    double blur;      // how far the beginning may be off
    uint32_t ray;     // its number
    uint8_t axis[3];
} hits_sheared_ray;

// A motion, and the best that was found for it.
typedef struct hits_ray {
    mote_vec3 from, to;      // ours
    // For walks: its ends in cells, and the whole of it.
    double start[3], end[3];
    hits_sheared_ray sheared;
    double radius;           // ours; of a point that meets a moving mesh at least HITS_POINT_RADIUS
    double reach;            // of what the particle is thickened by, in cells
    double begin;            // when the motion begins, of the step in which the mesh moves; it ends with the step
    uint32_t particle;
    int32_t side;
    uint32_t triangle;  // UINT32_MAX: none yet
    double time, time_error;
    double weight[3], under;  // barycentrics times `under`; of what is at rest
    int32_t from_side;
    uint8_t zero;  // bits of weights that are exactly 0
    // With a stored side: the triangles at whose edges or vertices it lies at the start, the first two and their
    // number; the lowest of those that it goes through, and one that it does not.
    uint32_t touch[2], touch_count, goes, stays;
    bool at_vertex;
    // Of sweeps: the shares of the motion that are near the mesh, and where it is then, from the mesh's origin.
    double share[2];
    mote_vec3 local[2];
    double error, near;  // of a distance, at most; how near counts as touching
    double time_parts;   // times are told apart by so many parts of the motion
    struct hits_near_triangles *contacts;  // not NULL: no motion, but a list of what is near its start
} hits_ray;

// Meets the ray with a triangle, and keeps it if it is the first. At rest, of points: exact.
void mote_hits_meet_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle);
// The same by conservative advancement.
void mote_hits_sweep_triangle(const mote_hits *hits, hits_ray *ray, uint32_t triangle);
// When all triangles were met: decides about those that meet at the start.
void mote_hits_ray_settle(const mote_hits *hits, hits_ray *ray);
// Both make the hit of a ray that has met a triangle, in the caller's lengths.
void mote_hits_meet_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit);
// The first hit of one motion that begins at that share of the step.
bool mote_hits_find_one(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, int side, double begin,
                        mote_hit *hit);
void mote_hits_sweep_result(const mote_hits *hits, const hits_ray *ray, mote_hit *hit);

// The caller's names of a triangle, by its number among all.
void mote_hits_name_triangle(const mote_hits *hits, uint32_t number, uint32_t *mesh, uint32_t *triangle);

static inline bool mote_hits_is_swept(const mote_hits *hits, const hits_ray *ray)
{
    return hits->ends || ray->radius > 0;
}

#endif
