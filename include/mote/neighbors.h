// SPDX-License-Identifier: MIT
/// mote/neighbors.h: fixed-radius neighbour search.
///
/// Give a set of points, get for each the points within a radius. One interface over several methods; every exact
/// method finds the very same set, which is *defined* by one test in the points' own precision:
///
///     dx = xj − xi, …;   (dx*dx + dy*dy) + dz*dz <= radius*radius      (no fused multiply-add)
///
/// The ball is closed. A point is not its own neighbour; two points at the same place are each other's. In a periodic
/// box every image counts whose numbers of periods are below 2^31 − 1, its shift s added to the difference:
/// dx = (xj − xi) + sx, where s is the whole sum of periods, rounded once to the points' precision; of oneself only the
/// zero image is left out. Every finite input has its answer by that test, also where differences or squares overflow:
/// such a pair is infinitely far apart.
///
/// Results are rows: `first`, `count` and `indices`, one row a point, stored (mote_neighbors_lists) or handed over one
/// at a time without being stored (mote_neighbors_visit).
///
/// Order. A row's content and order never depend on the number of threads or the instruction set. On request
/// (MOTE_NEIGHBORS_ASCENDING) rows ascend by index, then by shift, x first; else they come as their method has them:
///
///     all_pairs               always ascending so
///     cell_grid               a point's row: the points of the cells around by z, then y, then x of their cells, then
///                             those of its own cell; a query's: all by z, y, x; within a cell by index. That is the
///                             fast path. Of double points, with radii or a periodic box, and in subsets: by radius
///                             class (powers of two), image in the box, z, y, x of the cell, then index; by index and
///                             shift where points lie so far off that rounding loses their place in the box
///     cell_index, cell_hash, cell_hash_incremental
///                             by z, y, x of the cell, then by index
///     spatial_hash            by bucket, as z, y, x of the cells first meet them, then ascending by index
///     spatial_hash_dynamic    by bucket likewise, then descending by index; these two and the cell_hashes by index
///                             where a radius reaches more cells than there are points
///     hierarchical_hash       points go in along a Z-curve through the finest cells, then by index. Without queries,
///                             subsets or radii: the points inserted earlier, as the walk from coarse to fine cells
///                             meets them, then the later ones as they went in; else all by that walk
///     kd_tree                 by leaf, then by index
///     auto                    as the method that it chose; so rows of other points may come in another order
///
/// With a skin rows, those of subsets too, are ordered as whole lists were at the last rebuild. The k nearest are
/// ordered by (squared distance, index, shift). Half lists hold each pair in the row of the smaller index; of a point's
/// own images in a periodic box, which come in opposite pairs, the one whose shift is lexicographically positive, x
/// first.
///
///     mote_neighbors_def def = mote_neighbors_default_def();
///     def.radius = 0.1;
///     mote_neighbors *search;
///     mote_error error;  // a call that fails says why in error.text
///     if (mote_neighbors_create(NULL, &def, &search, &error) != MOTE_OK) return 1;
///     mote_neighbors_update(search, mote_points_xyz(positions, count), &error);
///     mote_lists lists;
///     mote_neighbors_lists(search, &lists, &error);
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

/// What a method offers beyond full lists of float points in 1D, 2D and 3D; and what a def asks for. What is not asked
/// for costs nothing: a plain search keeps nothing but its structure.
enum {
    MOTE_NEIGHBORS_F64 = 1,             ///< double points, compared in double
    MOTE_NEIGHBORS_QUERY = 1 << 1,      ///< another set looks into this one
    MOTE_NEIGHBORS_SUBSET = 1 << 2,     ///< rows of some of the points; rows in chunks
    MOTE_NEIGHBORS_HALF = 1 << 3,       ///< each pair once, in the row of the smaller index
    MOTE_NEIGHBORS_ASCENDING = 1 << 4,  ///< rows ascending by index
    MOTE_NEIGHBORS_DISTANCES = 1 << 5,  ///< squared distances with the rows
    MOTE_NEIGHBORS_DIFFERENCES = 1 << 6,  ///< difference vectors with the rows
    MOTE_NEIGHBORS_RADII = 1 << 7,        ///< a radius per point
    MOTE_NEIGHBORS_PERIODIC = 1 << 8,     ///< periodic boxes
    MOTE_NEIGHBORS_SKIN = 1 << 9,         ///< rebuilt only when a point has moved half the skin
    MOTE_NEIGHBORS_PERMUTATION = 1 << 10,  ///< the order that sorts points by cell
    MOTE_NEIGHBORS_NEAREST = 1 << 11,      ///< k nearest
    MOTE_NEIGHBORS_GROUPS = 1 << 12        ///< float points of one radius in groups, with all that can be near them
};

/// The features by index from 0: one bit, its name ("periodic") and its meaning; NULL beyond the last.
typedef struct mote_neighbors_feature_info {
    uint32_t feature;
    const char *name;
    const char *meaning;
} mote_neighbors_feature_info;
MOTE_API const mote_neighbors_feature_info *mote_neighbors_feature_at(size_t index);

/// One search method. The table of all of them is for lists, tests and benchmarks to loop over.
typedef struct mote_neighbors_method_info {
    const char *name;
    const char *source;   ///< the document that it follows
    const char *meaning;  ///< what it is, in a line
    uint32_t features;    ///< MOTE_NEIGHBORS_… bits
    bool exact;           ///< false: it may miss neighbours, as its document has it
} mote_neighbors_method_info;

/// The methods, by index from 0; NULL beyond the last. The first is the default.
MOTE_API const mote_neighbors_method_info *mote_neighbors_method_at(size_t index);

/// How two radii make one when every point has its own. The rule's result, in the points' precision, takes the place
/// of the radius in the distance test.
typedef enum mote_radius_rule {
    MOTE_RADIUS_MINE,    ///< the radius of the point whose row it is: a row's neighbours need not have it in theirs
    MOTE_RADIUS_LARGER,  ///< the larger of the two
    MOTE_RADIUS_SUM      ///< their sum
} mote_radius_rule;

/// How the hashing methods turn a cell into a bucket.
typedef enum mote_cell_hash_function {
    MOTE_HASH_XOR,      ///< products with three large primes, exclusive or
    MOTE_HASH_ADDITIVE  ///< the same, added
} mote_cell_hash_function;

typedef struct mote_neighbors_def {
    double radius;       ///< support [m]. For float points it is rounded to float and must lie in 2^-50 … 2^63 (for
                         ///< double ones 2^-480 … 2^511), so that radius² is a normal number and squares that decide
                         ///< never underflow; with a skin, radius + skin must. With MOTE_NEIGHBORS_RADII: not used
    const char *method;  ///< name of a method; NULL: the default
    uint32_t features;   ///< MOTE_NEIGHBORS_… bits wanted; what the method lacks is refused on creation
    double skin;         ///< with MOTE_NEIGHBORS_SKIN: added to the radius of the structure [m]: 2^-50 … 2^62 for
                         ///< float points, 2^-480 … 2^510 for double ones, beside any legal radii. One that is
                         ///< lost in the rounding of the points rebuilds with every update. The structure then holds
                         ///< the lists of radius + skin, for visits and chunks too
    mote_radius_rule radius_rule;  ///< with MOTE_NEIGHBORS_RADII
    mote_vec3 period[3];           ///< with MOTE_NEIGHBORS_PERIODIC: edge vectors of the box; a zero vector: open
    mote_vec3 period_origin;       ///< a corner of that box; points may lie anywhere
    mote_cell_hash_function hash;  ///< hashing methods: XOR by default
    uint32_t table_size;           ///< hashing methods: buckets; 0: a prime near the number of points
    int subdivision;               ///< hashing methods, cell_index: cells along a radius, H = 1 … 4; by default 1
    int classes;                   ///< hierarchical_hash: nested sizes of cells, radius·2^k, 1 … 16, and as many more
                                   ///< as the points' radii need; by default 3. With 1 it is a uniform hash
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_neighbors_def;

MOTE_API mote_neighbors_def mote_neighbors_default_def(void);
MOTE_API const mote_field_table *mote_neighbors_fields(void);

/// @param search   receives the search; left alone on failure
/// @param error    may be NULL; its text names the field, its value and what was expected
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (radius, skin, period, unknown method, half lists of "mine"),
///         MOTE_ERROR_UNSUPPORTED (a feature that the method lacks), MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_neighbors_create(mote_context *context, const mote_neighbors_def *def,
                                           mote_neighbors **search, mote_error *error);
MOTE_API void mote_neighbors_destroy(mote_neighbors *search);

/// What the search does with its points, and why, in a sentence: which method `auto` picked and for what reason, how
/// cells are kept, how many and how wide, or how a tree is cut. Without points: what the method is. Cost O(cells).
/// Owned by `search`, valid until this is called again.
MOTE_API const char *mote_neighbors_explain(mote_neighbors *search);

/// Takes in the points. The structure keeps its own sorted copy: the caller's array is read during this call only.
/// Cost O(n); no allocation once warm. After any failure the object is empty but valid: rows are to be had again after
/// the next update that succeeds.
/// @param points   float points, or double ones with MOTE_NEIGHBORS_F64; the number may change from call to call
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (with a periodic box also points or a radius of more than 2^29 periods),
///         MOTE_ERROR_UNSUPPORTED (coordinates of the other type; radii that the def does not ask for),
///         MOTE_ERROR_NOT_FINITE (the error's index is the first bad point's),
///         MOTE_ERROR_STATE (each point needs a radius: mote_neighbors_update_radii), MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_neighbors_update(mote_neighbors *search, mote_points points, mote_error *error);

/// The same with a radius for every point [m], in the points' own precision: 2^-50 … 2^62 for float points, 2^-480 …
/// 2^510 for double ones. Needs MOTE_NEIGHBORS_RADII.
/// @param radii   points.count of them, `stride` bytes from one to the next; read during this call only
/// @return as mote_neighbors_update; MOTE_ERROR_ARGUMENT for a bad radius, too (the error's index is its point's)
MOTE_API mote_result mote_neighbors_update_radii(mote_neighbors *search, mote_points points, const void *radii,
                                                 ptrdiff_t stride, mote_error *error);

/// Another periodic box. The object is then empty until the next update, which rebuilds. Needs MOTE_NEIGHBORS_PERIODIC.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (edges that are not finite or span no volume) or MOTE_ERROR_UNSUPPORTED, which
///         change nothing
MOTE_API mote_result mote_neighbors_set_period(mote_neighbors *search, const mote_vec3 period[3], mote_vec3 origin,
                                               mote_error *error);

/// A row: the neighbours of point `index`. With a periodic box a neighbour may stand in it several times, each time
/// with another shift; the point itself too, but for its zero shift.
typedef struct mote_row {
    uint32_t index;
    uint32_t count;
    const uint32_t *indices;        ///< `count` of them
    const float *squared;           ///< with MOTE_NEIGHBORS_DISTANCES: squared distances [m²], else NULL
    const double *squared_f64;      ///< the same for double points
    const float *differences;       ///< with MOTE_NEIGHBORS_DIFFERENCES: three per neighbour, xj − xi [m], else NULL
    const double *differences_f64;  ///< the same for double points
    const int32_t *shifts;          ///< with MOTE_NEIGHBORS_PERIODIC: three numbers of periods to add to the neighbour
} mote_row;

/// Rows of `count` points. Owned by the search until its next update, lists, subset, chunks, query or nearest call.
/// Row i is indices[first[i]] … indices[first[i] + counts[i] − 1]; rows need not be adjacent.
typedef struct mote_lists {
    size_t count;
    const uint64_t *first;
    const uint32_t *counts;
    const uint32_t *indices;
    const float *squared;
    const double *squared_f64;
    const float *differences;
    const double *differences_f64;
    const int32_t *shifts;
    uint64_t total;  ///< neighbours in all rows together
} mote_lists;

/// Row i of the lists; its `index` is i: the point's, the query's, or the place in a subset.
static inline mote_row mote_lists_row(const mote_lists *lists, uint32_t i)
{
    uint64_t first = lists->first[i];
    mote_row row;
    row.index = i;
    row.count = lists->counts[i];
    row.indices = lists->indices + first;
    row.squared = lists->squared ? lists->squared + first : NULL;
    row.squared_f64 = lists->squared_f64 ? lists->squared_f64 + first : NULL;
    row.differences = lists->differences ? lists->differences + 3 * first : NULL;
    row.differences_f64 = lists->differences_f64 ? lists->differences_f64 + 3 * first : NULL;
    row.shifts = lists->shifts ? lists->shifts + 3 * first : NULL;
    return row;
}

/// Finds, for every point of the set, all others within the radius. Cost O(n + pairs). Warm, a call allocates nothing
/// on one thread; on several, a worker may still grow its own scratch when it first meets a denser place.
/// @param lists    receives the rows; what the byte budget has no room for is counted, and the error says how many
/// @return MOTE_OK, MOTE_ERROR_STATE (no points yet), MOTE_ERROR_OUT_OF_MEMORY (the object stays valid, lists are gone)
MOTE_API mote_result mote_neighbors_lists(mote_neighbors *search, mote_lists *lists, mote_error *error);

/// Takes a point's whole row, whose arrays live until it returns.
/// @param worker   id of the calling worker, below mote_context_worker_count
typedef void mote_neighbors_visitor(void *user_data, mote_row row, uint32_t worker);

/// The same without storing: calls `visitor` once for every point of the set, different points concurrently. Order of
/// the calls: undefined.
/// @return as mote_neighbors_lists; when memory runs out, some rows may have been handed over
MOTE_API mote_result mote_neighbors_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data,
                                          mote_error *error);

/// Points that lie together, and all that can be near any of them: columns of float coordinates that stay in the
/// first-level cache. For solvers that would rather test eight candidates at a time than read rows: whoever is within
/// the radius of a point of the group is among the candidates, as are others and the point itself.
typedef struct mote_group {
    const float *x, *y, *z;   ///< behind the last stand eight more that are infinitely far away, in x
    const uint32_t *indices;
    uint32_t count;  ///< candidates
    uint32_t first;  ///< those from here on are the group's own points
} mote_group;

/// Takes a group, which lives until it returns.
typedef void mote_neighbors_group_visitor(void *user_data, const mote_group *group, uint32_t worker);

/// Hands over all points in groups, each point in one of them, different groups concurrently; order of the calls:
/// undefined. Groups and the order of their candidates do not depend on threads. Needs MOTE_NEIGHBORS_GROUPS.
/// @return as mote_neighbors_visit, or MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_neighbors_visit_groups(mote_neighbors *search, mote_neighbors_group_visitor *visitor,
                                                 void *user_data, mote_error *error);

/// Rows of some points of the set: row k is that of point points[k], with the neighbours that mote_neighbors_lists has.
/// Needs MOTE_NEIGHBORS_SUBSET. Of cell_grid (and `auto`) over float points with one radius, no box and no skin, the
/// first such call after an update, or the first chunks, build a second structure: about twice the time of an update,
/// some 30 bytes a point, which are kept and counted by mote_neighbors_byte_count. Everywhere else the structure of the
/// update serves, and the cost is that of the rows.
/// @return as mote_neighbors_lists; MOTE_ERROR_ARGUMENT (no such point: the error's index is its place in `points`),
///         MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_neighbors_subset(mote_neighbors *search, const uint32_t *points, size_t count,
                                           mote_lists *lists, mote_error *error);

/// Takes a chunk of rows, which live until it returns. Row i of the chunk is that of point first_point + i.
/// @return whether to go on
typedef bool mote_neighbors_chunk_visitor(void *user_data, const mote_lists *chunk, uint32_t first_point);

/// All rows, a chunk of consecutive points at a time, so that the lists of a chunk hold at most `max_bytes`, or a
/// single row that is larger. Needs MOTE_NEIGHBORS_SUBSET. Chunks stand where lists do: those handed out before are
/// gone. Builds what mote_neighbors_subset does.
/// @param chunk  called in order, from the calling thread
/// @return as mote_neighbors_lists, or MOTE_ERROR_UNSUPPORTED; MOTE_OK also where `chunk` did not want to go on
MOTE_API mote_result mote_neighbors_chunks(mote_neighbors *search, size_t max_bytes,
                                           mote_neighbors_chunk_visitor *chunk, void *user_data, mote_error *error);

/// Another set looks into this one: a row for every query point; indices are those of the updated set. A query point
/// is no member, so nothing is left out for being "itself", and rows are full ones. Fast when the queries come roughly
/// in cell order. Needs MOTE_NEIGHBORS_QUERY.
/// @return as mote_neighbors_update for the queries, whose errors say "queries"; the points stay in any case
MOTE_API mote_result mote_neighbors_query(mote_neighbors *search, mote_points queries, mote_lists *lists,
                                          mote_error *error);

/// The same where every point has a radius: so has every query. Needs MOTE_NEIGHBORS_RADII, too.
/// @return as mote_neighbors_query
MOTE_API mote_result mote_neighbors_query_radii(mote_neighbors *search, mote_points queries, const void *radii,
                                                ptrdiff_t stride, mote_lists *lists, mote_error *error);

/// The k nearest points (or periodic images), however far, in rows ordered by (squared distance, index, shift): fewer
/// than k only where there are no more. So far off along an open axis that whole periods are lost in the rounding of
/// the distance, all these images tie, and those of the least shifts come first: such a query costs O(points). Radii
/// play no part. Memory goes with the rows found, not with k: without periods these have at most as many entries as
/// there are points. Of cell_grid the first call after an update builds a k-d tree beside the structure: O(n log n),
/// three to ten times as long as the update, and some 40 bytes a point that are kept (70 of double points, 130 in
/// periodic boxes where points lie well outside), counted by mote_neighbors_byte_count. Needs MOTE_NEIGHBORS_NEAREST.
/// @param queries  points that look in (then MOTE_NEIGHBORS_QUERY is needed, too); NULL: the set's own, each itself
///                 excluded
/// @return as mote_neighbors_lists, with `queries` also as mote_neighbors_query; MOTE_ERROR_ARGUMENT (k is 0),
///         MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_neighbors_nearest(mote_neighbors *search, const mote_points *queries, uint32_t k,
                                            mote_lists *lists, mote_error *error);

/// Offsets (count + 1) and indices (lists->total) in the caller's arrays, rows one behind the other in index order.
MOTE_API void mote_lists_to_csr(const mote_lists *lists, uint64_t *offsets, uint32_t *indices);

/// The points sorted by cell, then by index: order[k] is the index of the k-th. Of all_pairs, which has no cells (and
/// which `auto` chooses for a few points): by index. Needs MOTE_NEIGHBORS_PERMUTATION. Owned by `search`, valid until
/// its next update.
/// @return MOTE_OK, MOTE_ERROR_UNSUPPORTED, MOTE_ERROR_STATE (no points yet)
MOTE_API mote_result mote_neighbors_permutation(mote_neighbors *search, const uint32_t **order, mote_error *error);

/// What the structure looks like, and the work of the last lists, visit, subset, query or nearest call.
typedef struct mote_neighbors_counters {
    uint64_t cells;       ///< occupied cells of the structure, counted when asked for: O(cells)
    uint64_t candidates;  ///< distances of single points tested, those of a cell's candidates from its box left out
    uint64_t hits;        ///< of them within the radius
    uint64_t collisions;  ///< hashing methods: occupied cells that share a bucket with another one
    uint64_t rebuilds;    ///< structures built so far; with a skin, fewer than updates
    uint64_t moved;       ///< methods kept up incrementally: points relocated by the last update
} mote_neighbors_counters;
MOTE_API mote_neighbors_counters mote_neighbors_get_counters(const mote_neighbors *search);

/// Bytes held by the structure, and by the lists.
MOTE_API size_t mote_neighbors_byte_count(const mote_neighbors *search, size_t *list_bytes);

/// Checks every invariant of the structure (O(n)). MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_neighbors_validate(mote_neighbors *search, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
