/// mote/neighbors.h: fixed-radius neighbour search.
///
/// Give a set of points, get for each the points within a radius. One interface over several methods; every exact
/// method finds the very same set, which is *defined* by one test in the points' own precision:
///
///     dx = xj − xi, …;   (dx*dx + dy*dy) + dz*dz <= radius*radius      (no fused multiply-add)
///
/// A point is not its own neighbour; two points at the same place are each other's.
///
/// Results are rows: `first`, `count` and `indices`, one row a point, stored (mote_neighbors_lists) or handed over one
/// at a time without being stored (mote_neighbors_visit). A row's content and order never depend on the number of
/// threads or the instruction set. Rows come in the method's own order (for cell_grid: by cell, then by index;
/// for all_pairs: by index), or ascending by index on request.
///
///     mote_neighbors_def def = mote_neighbors_default_def();
///     def.radius = 0.1;
///     mote_neighbors *search;
///     if (mote_neighbors_create(NULL, &def, &search) != MOTE_OK) return 1;
///     mote_neighbors_update(search, mote_points_xyz(positions, count));
///     mote_lists lists;
///     mote_neighbors_lists(search, &lists);
///     for (uint32_t i = 0; i < count; ++i) {
///         mote_row row = mote_lists_row(&lists, i);
///         for (uint32_t k = 0; k < row.count; ++k) interact(i, row.indices[k]);
///     }
///     mote_neighbors_destroy(search);
///
/// Nothing is ever capped or truncated. Boxes that overlap are broadphase.h's business, not this module's.
#ifndef MOTE_NEIGHBORS_H
#define MOTE_NEIGHBORS_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_neighbors mote_neighbors;

/// What a method offers beyond full lists of float points in 1D, 2D and 3D; and what a def may ask for.
enum {
    MOTE_NEIGHBORS_F64 = 1,           ///< double points, compared in double
    MOTE_NEIGHBORS_QUERY = 2,         ///< another set looks into this one
    MOTE_NEIGHBORS_HALF = 4,          ///< each pair once, in the row of the smaller index
    MOTE_NEIGHBORS_ASCENDING = 8,     ///< rows ascending by index
    MOTE_NEIGHBORS_DISTANCES = 16,    ///< squared distances with the lists
    MOTE_NEIGHBORS_RADII = 32,        ///< a radius per point
    MOTE_NEIGHBORS_PERIODIC = 64,     ///< periodic boxes
    MOTE_NEIGHBORS_SKIN = 128,        ///< rebuilt only when a point has moved half the skin
    MOTE_NEIGHBORS_PERMUTATION = 256  ///< the order that sorts points by cell
};

/// One search method. The table of all of them is for lists, tests and benchmarks to loop over.
typedef struct mote_neighbors_method_info {
    const char *name;
    const char *source;   ///< the document that it follows
    const char *meaning;  ///< what it is, in a line
    uint32_t features;    ///< MOTE_NEIGHBORS_… bits
    bool exact;
} mote_neighbors_method_info;

/// The methods, by index from 0; NULL beyond the last. The first is the default.
MOTE_API const mote_neighbors_method_info *mote_neighbors_method_at(size_t index);

/// How two radii make one when every point has its own.
typedef enum mote_radius_rule {
    MOTE_RADIUS_MINE,    ///< the radius of the point whose row it is
    MOTE_RADIUS_LARGER,  ///< the larger of the two
    MOTE_RADIUS_SUM      ///< their sum
} mote_radius_rule;

typedef struct mote_neighbors_def {
    double radius;       ///< support [m]. For float points it is rounded to float and must lie in 2^-50 … 2^63, so
                         ///< that radius² is a normal number and squares that decide never underflow
    const char *method;  ///< name of a method; NULL: the default
    uint32_t features;   ///< MOTE_NEIGHBORS_… bits wanted; what the method lacks is refused on creation
    double skin;         ///< with MOTE_NEIGHBORS_SKIN: added to the radius of the structure [m]
    mote_radius_rule radius_rule;    ///< with MOTE_NEIGHBORS_RADII
    mote_vec3 period[3];             ///< with MOTE_NEIGHBORS_PERIODIC: edge vectors of the box; a zero vector: open
    mote_vec3 period_origin;         ///< a corner of that box
    uint32_t cookie;
} mote_neighbors_def;

MOTE_API mote_neighbors_def mote_neighbors_default_def(void);

/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (radius, unknown method), MOTE_ERROR_UNSUPPORTED (a feature that the method
///         lacks), MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_neighbors_create(mote_context *context, const mote_neighbors_def *def,
                                           mote_neighbors **search);
MOTE_API void mote_neighbors_destroy(mote_neighbors *search);

/// What went wrong in the last call on this object that did not return MOTE_OK.
MOTE_API const mote_error *mote_neighbors_error(const mote_neighbors *search);

/// Takes in the points. The structure keeps its own sorted copy: the caller's array is read during this call only.
/// Cost O(n); no allocation once warm. After a failure the object is empty but valid.
/// @param points   float points, or double ones with MOTE_NEIGHBORS_F64; the number may change from call to call
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE (the error's index is the first bad point's),
///         MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_neighbors_update(mote_neighbors *search, mote_points points);

/// A row: the neighbours of point `index`.
typedef struct mote_row {
    uint32_t index;
    uint32_t count;
    const uint32_t *indices;   ///< `count` of them
    const float *squared;      ///< with MOTE_NEIGHBORS_DISTANCES: squared distances [m²], else NULL
    const double *squared_f64; ///< the same for double points
    const int32_t *shifts;     ///< with MOTE_NEIGHBORS_PERIODIC: three whole periods per neighbour, to be added to it
} mote_row;

/// Rows of `count` points. Owned by the search until its next update, lists or query call.
/// Row i is indices[first[i]] … indices[first[i] + counts[i] − 1]; rows need not be adjacent.
typedef struct mote_lists {
    size_t count;
    const uint64_t *first;
    const uint32_t *counts;
    const uint32_t *indices;
    const float *squared;
    const double *squared_f64;
    const int32_t *shifts;
    uint64_t total;  ///< neighbours in all rows together
} mote_lists;

static inline mote_row mote_lists_row(const mote_lists *lists, uint32_t i)
{
    uint64_t first = lists->first[i];
    mote_row row;
    row.index = i;
    row.count = lists->counts[i];
    row.indices = lists->indices + first;
    row.squared = lists->squared ? lists->squared + first : NULL;
    row.squared_f64 = lists->squared_f64 ? lists->squared_f64 + first : NULL;
    row.shifts = lists->shifts ? lists->shifts + 3 * first : NULL;
    return row;
}

/// Finds, for every point of the set, all others within the radius. Cost O(n + pairs). Warm, a call allocates nothing
/// on one thread; on several, a worker may still grow its own scratch when it first meets a denser place.
/// @param lists    receives the rows
/// @return MOTE_OK, MOTE_ERROR_STATE (no points yet), MOTE_ERROR_OUT_OF_MEMORY (the object stays valid, lists are gone)
MOTE_API mote_result mote_neighbors_lists(mote_neighbors *search, mote_lists *lists);

/// The same without storing: calls `visitor` once for every point of the set, with its whole row, different points
/// concurrently. The row's arrays live until the visitor returns. Order of the calls: undefined.
/// @param visitor  worker: id of the calling worker, below mote_context_worker_count
typedef void mote_neighbors_visitor(void *user_data, mote_row row, uint32_t worker);
MOTE_API mote_result mote_neighbors_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data);

/// Another set looks into this one: a row for every query point; indices are those of the updated set. A query point
/// is no member, so nothing is left out for being "itself". Fast when the queries come roughly in cell order.
/// Needs MOTE_NEIGHBORS_QUERY. The rows are owned by `search` until its next update, lists or query call.
MOTE_API mote_result mote_neighbors_query(mote_neighbors *search, mote_points queries, mote_lists *lists);

/// Offsets (count + 1) and indices (lists->total) in the caller's arrays, rows one behind the other in index order.
MOTE_API void mote_lists_to_csr(const mote_lists *lists, uint64_t *offsets, uint32_t *indices);

/// The points sorted by cell, then by index: order[k] is the index of the k-th. Needs MOTE_NEIGHBORS_PERMUTATION.
/// Owned by `search`, valid until its next update.
MOTE_API mote_result mote_neighbors_permutation(const mote_neighbors *search, const uint32_t **order);

/// What the structure looks like, and the work of the last lists, visit or query call.
typedef struct mote_neighbors_counters {
    uint64_t cells;       ///< occupied cells of the structure, counted when asked for: O(cells)
    uint64_t candidates;  ///< distances of single points tested, those of a cell's candidates from its box left out
    uint64_t hits;        ///< of them within the radius
} mote_neighbors_counters;
MOTE_API mote_neighbors_counters mote_neighbors_get_counters(const mote_neighbors *search);

/// Bytes held by the structure, and by the lists.
MOTE_API size_t mote_neighbors_byte_count(const mote_neighbors *search, size_t *list_bytes);

/// Checks every invariant of the structure (O(n)). MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_neighbors_validate(mote_neighbors *search);

#ifdef __cplusplus
}
#endif

#endif
