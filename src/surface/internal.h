// SPDX-License-Identifier: MIT
// surface/internal.h: particles sorted into chunks, the grid of values and signs, and the mesh made from it.
//
// A chunk is a cube of 16³ nodes, anchored at the origin of the coordinates. Particles are sorted by chunk, then by
// subcell (a cube of 2, 4, 8 or 16 nodes, about a spacing), then by coordinates; sums run in this order by z, y, x of
// the subcells. Coordinates are in cells, counted from the chunk's corner, and are multiples of a power of two so
// small that sums and differences with the nodes around are exact in float: what a node sees does not depend on the
// chunk from which it is looked at.
#ifndef MOTE_SURFACE_INTERNAL_H
#define MOTE_SURFACE_INTERNAL_H

#include <stdatomic.h>

#include "base/internal.h"
#include "base/table.h"
#include "mote/neighbors.h"
#include "mote/surface.h"
#include "surface/cubes.h"
#include "surface/field.h"

enum {
    CHUNK_BITS = 4,
    CHUNK = 1 << CHUNK_BITS,
    CHUNK_NODES = CHUNK * CHUNK * CHUNK,
    CLUSTER = 2,  // nodes are evaluated eight at a time, in cubes of 2³
    CLUSTERS = CHUNK / CLUSTER,
    ALL_OUTSIDE = -1,
    ALL_INSIDE = -2,
    NONE = -1
};
#define VERTEX_MARGIN 0x1p-10  // vertices stay this part of an edge away from its nodes,
#define CUT_MARGIN 0x1p-20     // those of planes and solids that cut this part

// Lengths in cells and what follows from them.
typedef struct surface_scale {
    double spacing, cell, support, isovalue;
    double unit;  // coordinates are multiples of 1/unit cells
    double chunks_of_unit;
    int subcell;   // nodes along the edge of a subcell
    int subcells;  // along the edge of a chunk
    float inverse_subcell;
    int margin;   // subcells around a chunk whose particles reach into it
    int ring;     // chunks around a chunk that have such particles
    float reach;  // the support, and a little more
    // How far particles are looked at to find that nodes are inside, and how far subcells are.
    float near, near_rows;
    float lone_more;  // what a lone particle's volume has beyond 1/ΣW, as a share of this
    surface_kernel kernel;
} surface_scale;

// Where a chunk lies, in chunks, and its particles.
typedef struct surface_chunk {
    int32_t at[3];
    uint32_t begin, end;
    int32_t signs;   // ALL_OUTSIDE, ALL_INSIDE or a number of a surface_signs
    int32_t slots;   // NONE or a number of a set of slots
    int32_t cuts;    // NONE or a number of a surface_cuts
    int32_t starts;  // NONE or a number of a table of its subcells
    uint32_t first_vertex, first_triangle;
    bool is_alike;  // known to have all nodes, and those next to it, on the same side
} surface_chunk;

// A bit for each node, set inside: a row along x for each z and y.
typedef struct surface_signs {
    uint16_t rows[CHUNK][CHUNK];
} surface_signs;

// The vertices of a chunk before those on edges that begin at the nodes of a row along x, for each z and y.
typedef struct surface_cuts {
    uint16_t before[CHUNK][CHUNK];
} surface_cuts;

// Chunks in a row along an axis near particles, and how many are numbered before them.
typedef struct surface_stretch {
    int64_t begin, number;
} surface_stretch;

// The numbers of chunks along an axis, and where they stand in a key.
typedef struct surface_axis {
    const surface_stretch *stretches;  // ascending, `count` of them
    uint32_t count;
    int shift;
} surface_axis;

// Particles in the order of chunks.
typedef struct surface_sort {
    size_t count;
    float *at[3];       // cells from the chunk's corner; MOTE_WIDE_MOST numbers beyond the end are readable
    float *volumes;     // times W(0)
    uint32_t *index;    // the caller's number; those of the fill points follow
    uint16_t *subcell;  // within the chunk: (z·subcells + y)·subcells + x
    surface_axis axes[3];
    surface_stretch whole[3];  // of axes without gaps
    surface_chunk *chunks;  // occupied ones
    uint32_t chunk_count;
    uint32_t *starts;  // where subcells begin, and the end: a table for each chunk with enough particles
    mote_buffer start_memory;
    mote_buffer particle_memory, value_memory, chunk_memory, stretch_memory;
    mote_buffer *key_memory;  // the grid's, for values: it has none of them yet while particles are sorted
} surface_sort;

// The numbers of the chunks around a chunk, by (dz + 1)·9 + (dy + 1)·3 + dx + 1; MOTE_TABLE_NONE: there is none.
typedef struct surface_around {
    uint32_t numbers[27];
} surface_around;

// The chunks near particles, their signs and the values that are needed.
typedef struct surface_grid {
    surface_chunk *chunks;  // ascending by z, y, x
    uint32_t chunk_count;
    surface_around *around;  // of each chunk
    mote_table table;
    int block, blocks;  // nodes along a block, blocks along a chunk
    float *values;      // value − isovalue, in blocks
    int32_t *slots;     // of each block of a chunk: NONE or the number of its values
    surface_signs *signs;
    surface_cuts *cuts;
    bool has_lent;      // values are in the memory of the mesh's triangles, which are made last
    const mote_isosurface_def *given;  // values are those of a caller's grid, and stay there; NULL: they are here
    atomic_uint value_blocks, slot_sets, sign_sets;  // in use
    mote_buffer chunk_memory, value_memory, slot_memory, sign_memory, cut_memory, key_memory,
        around_memory;
} surface_grid;

static inline void mote_surface_swap_memory(mote_buffer *a, mote_buffer *b)
{
    const mote_buffer held = *a;
    *a = *b;
    *b = held;
}

typedef enum surface_vertex_kind {
    VERTEX_ON_RIM,  // of what is between two phases, at the air
    VERTEX_AT_AIR,
    VERTEX_INSIDE,  // between phases
} surface_vertex_kind;

typedef struct surface_mesh {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
    uint8_t *kinds;  // of phases: a surface_vertex_kind for each vertex
    // Of phases together: vertices on rims come first, then others at the air, then those between phases.
    size_t rim_vertices, outer_vertices, outer_triangles;
    mote_buffer vertex_memory, triangle_memory, kind_memory;
} surface_mesh;

// What cuts the body: planes with unit normals, and a function.
typedef struct surface_cut {
    const mote_surface_plane *planes;  // normals have length 1
    size_t plane_count;
    mote_surface_distance *distance;
    void *distance_data;
} surface_cut;

// Particles around a chunk, in rows of subcells: what a worker evaluates.
typedef struct surface_worker {
    surface_window window;
    mote_buffer window_memory, list_memory, table_memory, phase_memory;
    uint64_t nodes;  // that were summed in full
} surface_worker;

// -------------------------------------------------------------------------------------------------------- parts

// The cubic spline at q supports from its centre, where it is 1.
static inline double mote_surface_shape(double q)
{
    const double s = q < 1 ? 1 - q : 0, t = s > 0.5 ? s - 0.5 : 0;
    return 2 * (s * s * s) - 8 * (t * t * t);
}

surface_scale mote_surface_scale(const mote_surface_def *def);
double mote_surface_derive_isovalue(double support);  // in spacings
// The mean of c in the plane where a half space of lattice ends, if the kernels of layer k lie sink[k] deeper than it.
double mote_surface_mean_at_end(double support, const double *sink);

// Sorts the particles and finds the occupied chunks.
// @param search  holds the points of the first set, or NULL: with it this takes less time, and the result is the same
mote_result mote_surface_sort(const mote_context *context, surface_sort *sort, const surface_scale *scale,
                              const mote_points given[2], const mote_neighbors *search, mote_error *error);
// The key of a chunk that is in one of the stretches along each axis, and the way back.
uint64_t mote_surface_pack(const surface_axis axes[3], const int32_t at[3]);
void mote_surface_unpack(const surface_axis axes[3], uint64_t key, int32_t at[3]);
// Finds the stretches of an axis for occupied chunks, given by how far they are behind the first, ascending.
// @param stretches written if not NULL
// @param[out] size chunks in all of them
// @return how many there are
size_t mote_surface_find_stretches(const uint64_t *above, size_t count, int64_t first, int ring,
                                   surface_stretch *stretches, int64_t *size);
// Writes where the subcells of a chunk begin among the sorted particles, and where the last one ends.
void mote_surface_fill_starts(const surface_sort *sort, const surface_chunk *chunk, int subcells, uint32_t *start);
void mote_surface_sort_release(const mote_context *context, surface_sort *sort);
size_t mote_surface_sort_byte_count(const surface_sort *sort);

// The number of the chunk, or MOTE_TABLE_NONE.
uint32_t mote_surface_find_chunk(const surface_grid *grid, const int32_t at[3]);
// The chunks around a chunk, by (dz + 1)·9 + (dy + 1)·3 + dx + 1, itself in the middle; NULL: there is none.
void mote_surface_find_around(const surface_grid *grid, const surface_chunk *chunk, const surface_chunk *around[27]);
// Lists all chunks with nodes that the particles reach.
mote_result mote_surface_list_chunks(const mote_context *context, surface_grid *grid, const surface_sort *sort,
                                     const surface_scale *scale);
mote_result mote_surface_fill_table(const mote_context *context, surface_grid *grid);
void mote_surface_grid_release(const mote_context *context, surface_grid *grid);
size_t mote_surface_grid_byte_count(const surface_grid *grid);
// Makes room for the values, slots and signs of that many more chunks.
mote_result mote_surface_grid_reserve(const mote_context *context, surface_grid *grid, size_t chunks);

static inline int mote_surface_slots(const surface_grid *grid)
{
    return grid->blocks * grid->blocks * grid->blocks;
}

// Nodes of a block along an axis, as a power of two.
static inline int mote_surface_block_bits(const surface_grid *grid)
{
    return grid->block == 4 ? 2 : grid->block == 8 ? 3 : 4;
}

// The place of a node's value; NULL where there is none.
static inline float *mote_surface_value(const surface_grid *grid, const surface_chunk *chunk, int x, int y, int z)
{
    const int shift = mote_surface_block_bits(grid), n = grid->blocks, mask = grid->block - 1;
    if (chunk->slots == NONE) return NULL;
    const int32_t slot = grid->slots[(size_t)chunk->slots * (size_t)mote_surface_slots(grid) +
                                     (size_t)(((z >> shift) * n + (y >> shift)) * n + (x >> shift))];
    if (slot == NONE) return NULL;
    return grid->values + ((size_t)slot << 3 * shift) +
           (size_t)(((z & mask) << shift | (y & mask)) << shift | (x & mask));
}

// Makes room for a block's values; all are INFINITY, which stands for "not known".
void mote_surface_open_block(surface_grid *grid, surface_chunk *chunk, int block);

// Brings the particles around a chunk into the worker's window; false if memory ran out.
bool mote_surface_gather(const mote_context *context, const surface_sort *sort, const surface_grid *grid,
                         const surface_scale *scale, const surface_chunk *chunk, uint32_t own_count, bool has_volumes,
                         bool has_numbers, const surface_lanes *lanes, const surface_form *forms,
                         surface_worker *worker);

// The subcells within `reach` of low … high along an axis that hold particles.
static inline void mote_surface_range_of(const surface_scale *scale, const surface_window *window, int axis, float low,
                                         float high, float reach, surface_range *range)
{
    // Truncated from above 0, which rounds down.
    const int shift = scale->margin + 1;
    const int begin = (int)((low - reach) * scale->inverse_subcell + (float)shift) - shift;
    const int end = (int)((high + reach) * scale->inverse_subcell + (float)shift) - shift;
    range->low[axis] = MOTE_MAX(begin + scale->margin, window->low[axis]);
    range->high[axis] = MOTE_MIN(end + scale->margin, window->high[axis]);
}

typedef struct surface_phases surface_phases;  // phases.h

typedef struct surface_job {
    const mote_context *context;
    surface_sort *sort;
    surface_grid *grid;
    const surface_scale *scale;
    const surface_lanes *lanes;
    const surface_cut *cut;  // NULL: nothing cuts
    surface_phases *phases;  // NULL: there is one
    surface_worker *workers;
    const surface_form *forms;  // NULL: kernels are isotropic
    uint32_t own_count;         // particles that are not fill points
    bool full;
    bool skips_numbers;  // windows need not say which particles they hold
    size_t first;      // chunk of the batch that is evaluated
    float *crowds;     // Σ(1 − r²/support²) over each particle's neighbours; NULL: they are not needed
    bool has_volumes;  // while volumes are computed there are none yet
    atomic_bool out_of_memory;
} surface_job;

// Anisotropic kernels of particles, by the caller's numbers.
typedef struct surface_forms {
    double centering, lone, few,
        variance;    // axes of a lone one; the least weight of neighbours; of a full one, in cells²
    double *places;  // where kernels have their centres [m]
    surface_form *forms;
    mote_buffer place_memory, form_memory;
} surface_forms;
// Derives what anisotropic kernels need. `scale` receives the isovalue; `wide` is that of the sums over these kernels.
surface_forms mote_surface_forms(const mote_surface_def *def, surface_scale *scale, surface_scale *wide);
// Makes the kernels of particles whose volumes are known, sorts these anew by the kernels' centres, and lists chunks.
mote_result mote_surface_make_forms(surface_job *job, surface_forms *forms, const surface_scale *wide,
                                    const mote_surface_cloud *cloud, mote_error *error);
// Orders particles at the same place by their kernels and what is told of them, so that their order in the input does
// not matter.
void mote_surface_order_coincident(const surface_job *job, const mote_surface_cloud *cloud);
// Places of up to eight sorted particles, and the subcells around.
void mote_surface_take_targets(const surface_job *job, const surface_window *window, const uint32_t *numbers, int count,
                               surface_targets *targets, surface_range *range);

// The places of a cluster's nodes.
void mote_surface_set_targets(const surface_scale *scale, const int cluster[3], surface_targets *targets);
// Lists the particles within `reach` of nodes low … high; their number, or 0 where the nodes are known to be outside.
uint32_t mote_surface_list_block(const surface_job *job, const surface_worker *worker, const int low[3],
                                 const int high[3], float reach, bool may_skip);
// Gathers around a chunk; false if memory ran out now or before.
bool mote_surface_gather_for(surface_job *job, const surface_chunk *chunk, surface_worker *worker);
// Computes V = 1/ΣW of all particles, and their crowds.
mote_result mote_surface_volumes(surface_job *job);
// Finds the signs of all nodes and the values of those at cut edges.
mote_result mote_surface_evaluate(surface_job *job);

// The signs of a chunk and of one more node all around: rows[z + 1][y + 1] has node x in bit x + 1.
typedef struct surface_rows {
    uint32_t at[CHUNK + 2][CHUNK + 2];
} surface_rows;
// False, without rows, if they are all the same.
bool mote_surface_rows(const surface_grid *grid, const surface_chunk *chunk, surface_rows *rows);

// Distance from what cuts: of a plane, or (k = plane_count) of the function.
double mote_surface_cut_distance(const surface_cut *cut, size_t k, mote_vec3 at);

// Whether the solids of the function are so far away that they cut no edge that begins in the chunk.
bool mote_surface_is_far(const surface_cut *cut, const surface_chunk *chunk, double cell);

// Where the surface cuts an edge, as a part of it from its end inside: the first place where the field or something
// that cuts has its 0, each along a line between the ends. `by`: what that is; −1: the field.
double mote_surface_cut_at(const surface_cut *cut, double inside, double outside, mote_vec3 from, mote_vec3 to,
                           int *by);

// Checks a def, and fills in lengths that depend on others.
mote_result mote_surface_check_def(mote_surface_def *def, mote_error *error);
// Copies the planes with unit normals to the buffer, and says what cuts.
mote_result mote_surface_take_planes(const mote_context *context, mote_buffer *memory, const mote_surface_cloud *cloud,
                                     surface_cut *cut, mote_error *error);
// Whether the caller's volumes, if there are any, can be read, are finite and not below 0.
mote_result mote_surface_check_volumes(const mote_surface_cloud *cloud, mote_error *error);
// A number of an array, as a double.
double mote_surface_array_value(const mote_array *array, size_t i, int component);

typedef struct surface_place {
    mote_vec3 origin;
    double cell;
    int32_t shift;  // nodes by which chunks are numbered higher than the grid
} surface_place;

// Makes the mesh of a grid whose signs and values are known.
// @param cut     NULL: nothing cuts
// @param phases  NULL: there is one
mote_result mote_surface_extract(const mote_context *context, surface_grid *grid, const cube_table *table,
                                 const surface_place *place, const surface_cut *cut, surface_phases *phases,
                                 surface_mesh *mesh, mote_error *error);
// The vertex on the cut edge that begins at this node of the chunk, once vertices are made.
uint32_t mote_surface_vertex_number(const surface_grid *grid, const surface_chunk *chunk, const int at[3], int axis);
// The edges along x that begin at the nodes of a row and are cut, a bit each.
uint32_t mote_surface_cuts_along_x(const surface_grid *grid, const surface_chunk *chunk, int z, int y);
// Takes the memory of a mesh's triangles for values, and gives it back.
void mote_surface_lend_memory(surface_grid *grid, surface_mesh *mesh);
void mote_surface_return_memory(surface_grid *grid, surface_mesh *mesh);
void mote_surface_measure(const surface_mesh *mesh, double *volume, double *area);

#endif
