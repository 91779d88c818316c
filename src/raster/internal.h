// SPDX-License-Identifier: MIT
// raster/internal.h: the contents of mote_raster: points sorted into cells, cells into rows along x, and rows into
// slices across z.
//
// A row is found by exact hashing of its y and z; its cells ascend by x, and the points of its cells are stored one
// after the other. A convex shape touches an interval of a row, hence one run of points: a row is looked up once,
// whatever the number of its cells.
#ifndef MOTE_RASTER_INTERNAL_H
#define MOTE_RASTER_INTERNAL_H

#include "base/internal.h"
#include "base/table.h"
#include "base/vector.h"
#include "cells/frame.h"
#include "mesh/internal.h"
#include "mote/raster.h"

// Largest magnitude of coordinates, thickness and cell edges; its inverse is the smallest edge. Sixth powers of
// lengths stay finite, and floats are always within the limit.
#define RASTER_MOST 0x1p160

// A row's cells begin … end − 1.
typedef struct raster_row {
    uint64_t key;
    uint32_t begin, end;
} raster_row;

typedef struct raster_slice {
    int32_t z;
    uint32_t first;  // row; the next slice's ends it
} raster_slice;

// Edges in the cells; the middles of their pieces are sorted.
typedef struct raster_edge_store {
    mote_vec3 (*ends)[2];
    uint32_t (*vertices)[2];
    uint32_t count;
    double half;  // no point of a piece is farther than this from its middle
    mote_buffer end_memory, vertex_memory, piece_memory;  // the last: scratch of updates
} raster_edge_store;

struct mote_raster {
    mote_context *context;
    double edge;  // as asked for; frame.edge is slightly larger
    cell_frame frame;
    bool has_edges;
    raster_edge_store edges;
    uint32_t count;   // of points, or pieces of edges
    uint32_t *ids;    // in the order of cells: number of the point or edge, ascending in a cell
    double (*at)[3];  // in the order of cells
    uint32_t cell_count, row_count, slice_count;
    int32_t *cell_x;       // of each cell
    uint32_t *cell_first;  // cell_count + 1: its first point
    raster_row *rows;      // ascending by key
    mote_table table;      // numbers of rows
    raster_slice *slices;  // slice_count + 1
    mote_buffer id_memory, point_memory, cell_memory, first_memory, row_memory, slice_memory;
    mote_buffer key_memory, order_memory;  // scratch of updates
};

static inline uint64_t mote_raster_row_key(int32_t y, int32_t z)
{
    return (uint64_t)((uint32_t)z ^ (uint32_t)1 << 31) << 32 | ((uint32_t)y ^ (uint32_t)1 << 31);
}

static inline int32_t mote_raster_row_y(uint64_t key)
{
    return (int32_t)((int64_t)(key & UINT32_MAX) - ((int64_t)1 << 31));
}

static inline int32_t mote_raster_row_z(uint64_t key)
{
    return (int32_t)((int64_t)(key >> 32) - ((int64_t)1 << 31));
}

static inline uint32_t mote_raster_row_hash(uint64_t key)
{
    return mote_table_hash(0, (uint32_t)key, (uint32_t)(key >> 32));
}

// Sorts points, which are finite, into cells. On failure there are none.
// @param box     around them
// @param owners  the numbers under which points are stored, ascending; NULL: the points' own numbers
mote_result mote_raster_sort(mote_raster *raster, const mote_points *points, const mote_box *box,
                             const uint32_t *owners);

// --------------------------------------------------------------------------------------------------------- walks

// The corners of a point, a segment or a triangle, and its reach [m].
typedef struct raster_shape {
    double corner[3][3];
    int count;
    double reach;
} raster_shape;

// The largest rounding error [m] for a shape with such corners: in the cells of points, in clipping, and in
// distances from the shape.
double mote_raster_margin(const mote_raster *raster, const raster_shape *shape);

// Called with the points begin … end − 1, in the order of cells: all points of some adjacent cells.
typedef void raster_visitor(void *data, uint32_t begin, uint32_t end);

// Visits every occupied cell that the box-shaped neighbourhood of the shape touches: all points no farther than
// shape->reach along each axis from some point of the shape, and possibly a few more because of rounding. Each cell
// is visited once, in the order of cells.
void mote_raster_walk(const mote_raster *raster, const raster_shape *shape, raster_visitor *visit, void *data,
                      mote_raster_counters *counters);

// Visits the occupied cells that contain the scan line's samples of a triangle, each once, in the order of cells.
// @param memory  scratch
// @return MOTE_OK, MOTE_ERROR_UNSUPPORTED (more than RASTER_SAMPLES samples) or MOTE_ERROR_OUT_OF_MEMORY
enum { RASTER_SAMPLES = 1 << 24 };
mote_result mote_raster_scan(const mote_raster *raster, const raster_shape *triangle, mote_buffer *memory,
                             raster_visitor *visit, void *data, mote_raster_counters *counters);

// The cell's number, or UINT32_MAX if it is empty.
uint32_t mote_raster_find_cell(const mote_raster *raster, grid_cell cell);

// ------------------------------------------------------------------------------------------------------- queries

// A worker of a query: the numbers that the current shape meets, and the pairs of all the worker's blocks.
typedef struct raster_worker {
    mote_buffer found, pairs, scratch;
    uint32_t found_count;
    size_t pair_count;
    uint64_t left_out;  // pairs that were counted, but not kept
    bool is_counting;   // pairs are only counted from now on
    bool out_of_memory;
    const mote_context *context;
    mote_raster_counters counters;
} raster_worker;

typedef struct raster_task raster_task;
struct raster_task {
    const mote_raster *raster;
    const mote_raster_query *query;
    const mote_mesh *mesh;              // of triangles
    const mote_raster_edge_set *edges;  // or edges
    // Collects the numbers that a shape meets, with mote_raster_take.
    // @return MOTE_OK, or the reason why the query fails at this shape
    mote_result (*meet)(const raster_task *task, uint32_t shape, raster_worker *worker);
    // Fills in the error. @return the same result
    mote_result (*fail)(const raster_task *task, uint32_t shape, mote_result result, mote_error *error);
    raster_worker *workers;
    struct raster_block *blocks;
    struct raster_tally *tally;
    struct raster_memory *memory;
    mote_raster_pair *pairs;
};

// Sorts numbers into ascending order and removes duplicates. @return how many are left
uint32_t mote_raster_order(uint32_t *numbers, uint32_t count);

// Records a number that the current shape meets.
void mote_raster_take(raster_worker *worker, uint32_t number);

// Empties the pairs, so that none are left of an earlier query if this one is refused. MOTE_OK if the query is
// valid.
mote_result mote_raster_begin_query(const mote_raster_query *query, mote_raster_pairs *pairs, mote_error *error);

// Finds the pairs of every shape, and joins them.
mote_result mote_raster_run(raster_task *task, size_t shape_count, mote_raster_pairs *pairs, mote_error *error);

// Whether a vector is finite, and no coordinate larger than RASTER_MOST.
static inline bool mote_raster_is_legal(mote_vec3 v)
{
    return fabs(v.x) <= RASTER_MOST && fabs(v.y) <= RASTER_MOST && fabs(v.z) <= RASTER_MOST;
}

// The error for a vertex that is not; its text begins with `what`.
mote_result mote_raster_fail_vertex(mote_error *error, const char *what, size_t index, uint32_t vertex, mote_vec3 at);

// ----------------------------------------------------------------------------------------------------- distances

// Squares of distances, between points and segments p q, and of two segments.
double mote_raster_point_segment2(mote_vec3 point, mote_vec3 p, mote_vec3 q);
double mote_raster_segments2(mote_vec3 p, mote_vec3 q, mote_vec3 r, mote_vec3 s);

#endif
