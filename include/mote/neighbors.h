// SPDX-License-Identifier: MIT
/// mote/neighbors.h: fixed-radius neighbour search.
///
/// Finds, for each point of a set, all points within a radius. Several methods stand behind one interface. All exact
/// methods find the same neighbours, namely those that pass this test, computed in the precision of the points:
///
///     dx = xj − xi, …;   (dx*dx + dy*dy) + dz*dz <= radius*radius      (no fused multiply-add)
///
/// A point at exactly the radius is a neighbour, unless def.open_ball asks for < in place of <=. A point is not its own
/// neighbour, but two points at the same place are neighbours of each other. In a periodic box, every image of a point
/// that is fewer than 2^31 − 1 periods away counts. Its shift s is added to the difference, dx = (xj − xi) + sx, where
/// s is the sum of the periods, rounded once to the precision of the points. A point's own images count too, except for
/// the point itself. The test gives an answer for every finite input: where a difference or a square overflows, the two
/// points are infinitely far apart.
///
/// The result is one row for each point, which holds the indices of its neighbours. mote_neighbors_lists stores all
/// rows; mote_neighbors_visit passes them one at a time to a function of the caller and stores nothing.
///
/// The content and the order of a row never depend on the number of threads or on the instruction set. With
/// MOTE_NEIGHBORS_ASCENDING, rows ascend by index, then by shift, x first. Otherwise each method has an order of its
/// own:
///
///     all_pairs               always ascending
///     cell_grid               for points with one radius and no periodic box (double points: in a box of 2^16 radii
///                             at most): the points of the cells around, by z, then y, then x of their cells, and
///                             last those of the point's own cell; for queries all cells by z, y, x; within a cell by
///                             index. In all other cases: by radius class
///                             (powers of two), image in the box, z, y, x of the cell, then index. In a periodic box,
///                             points many periods away from the middle one follow the others, in classes of their own;
///                             last come those so many periods away from the row's point that rounding loses where they
///                             are to each other in the box, by index, then shift
///     cell_index, cell_hash, cell_hash_incremental
///                             by z, y, x of the cell, then by index
///     spatial_hash            by bucket, in the order in which the cells by z, y, x first meet it, then by index
///     spatial_hash_dynamic    the same, but descending by index
///     hierarchical_hash       points are inserted along a Z-curve through the finest cells, then by index. Without
///                             queries, subsets or radii: first the points inserted earlier, in the order of a walk
///                             from coarse to fine cells, then the later ones as they were inserted; else all by that
///                             walk
///     kd_tree                 by leaf, then by index
///     auto                    that of the method that it chose; of up to 256 points, in its wider cells of cell_grid
///
/// If a radius reaches more cells than there are points, the two spatial hashes and the two cell hashes order by index.
///
/// With a skin, rows have the order that the lists had at the last rebuild. The k nearest are ordered by squared
/// distance, then index, then shift. Half lists hold each pair once, in the row of the smaller index, or, with
/// `half_either`, in the row of either point, whichever is found faster: rows of the same points have the same pairs in
/// all calls until the next update. A point's own images in a periodic box come in opposite pairs; half lists hold the
/// one whose shift is lexicographically positive.
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
/// No row is ever cut short. To find overlapping boxes, use broadphase.h.
#ifndef MOTE_NEIGHBORS_H
#define MOTE_NEIGHBORS_H

#include "mote/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Features that a def asks for, beyond full lists of float points in 1D, 2D and 3D. A feature that is not asked for
/// costs nothing. Not every method has every feature.
enum {
    MOTE_NEIGHBORS_F64 = 1,             ///< double points, compared in double
    MOTE_NEIGHBORS_QUERY = 1 << 1,      ///< the points of another set find their neighbours in this one
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

/// A search method. Lists, tests and benchmarks loop over the table of methods.
typedef struct mote_neighbors_method_info {
    const char *name;
    const char *source;   ///< the publication that it follows
    const char *meaning;  ///< what it is, in one line
    uint32_t features;    ///< MOTE_NEIGHBORS_… bits
    bool exact;           ///< false: it may miss neighbours, as its publication describes it
} mote_neighbors_method_info;

/// The methods, by index from 0; NULL beyond the last. The first is the default.
MOTE_API const mote_neighbors_method_info *mote_neighbors_method_at(size_t index);

/// Which radius the distance test uses when every point has its own.
typedef enum mote_radius_rule {
    MOTE_RADIUS_MINE,    ///< that of the point whose row it is; its neighbours need not have it in their rows
    MOTE_RADIUS_LARGER,  ///< the larger of the two
    MOTE_RADIUS_SUM      ///< the sum of both, rounded to the precision of the points
} mote_radius_rule;

/// How the hashing methods turn a cell into a bucket.
typedef enum mote_cell_hash_function {
    MOTE_HASH_XOR,      ///< products with three large primes, exclusive or
    MOTE_HASH_ADDITIVE  ///< the same, added
} mote_cell_hash_function;

typedef struct mote_neighbors_def {
    double radius;       ///< support [m]. For float points it is rounded to float and must lie in 2^-50 … 2^63 (for
                         ///< double points 2^-480 … 2^511), so that the squares that are compared never underflow;
                         ///< so must radius + skin. Not used with MOTE_NEIGHBORS_RADII
    bool open_ball;      ///< the squared distance must be less than the squared radius, both as rounded in the test:
                         ///< points at exactly the radius are not neighbours. The k nearest do not depend on it
    bool half_either;    ///< with MOTE_NEIGHBORS_HALF: a pair may be in the row of either point, not only in that of
                         ///< the smaller index. cell_grid then tests each pair once, and takes two thirds of the
                         ///< time of full lists; radii, skins, boxes and other methods ignore it
    const char *method;  ///< name of a method; NULL: the default
    uint32_t features;   ///< MOTE_NEIGHBORS_… bits wanted; what the method lacks is refused on creation
    double skin;         ///< with MOTE_NEIGHBORS_SKIN: added to the radius of the structure [m]: 2^-50 … 2^62 for
                         ///< float points, 2^-480 … 2^510 for double points. If coordinates are so large that
                         ///< rounding exceeds the skin, every update rebuilds. With a skin, lists of radius + skin are
                         ///< kept, also for visits and chunks
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

/// Says in a sentence what the search does with its present points and why: which method `auto` has chosen, how many
/// cells there are and how large they are, or how a tree is built. Before the first update it says what the method is.
/// Cost O(cells). The text is owned by `search` and valid until the next call of this function.
MOTE_API const char *mote_neighbors_explain(mote_neighbors *search);

/// Builds the structure for these points, or brings it up to date. The search keeps a sorted copy; the caller's array
/// is read during this call only. Cost O(n); once warm, it allocates nothing. After a failure the search is empty but
/// valid, and works again after the next update that succeeds.
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

/// Changes the periodic box. The search is then empty until the next update. Needs MOTE_NEIGHBORS_PERIODIC.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (edges that are not finite or span no volume) or MOTE_ERROR_UNSUPPORTED, which
///         change nothing
MOTE_API mote_result mote_neighbors_set_period(mote_neighbors *search, const mote_vec3 period[3], mote_vec3 origin,
                                               mote_error *error);

/// Changes the radius; its range is that of the def. The search is then empty until the next update and keeps all its
/// memory. Refused with MOTE_NEIGHBORS_RADII.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (radius) or MOTE_ERROR_UNSUPPORTED, which change nothing
MOTE_API mote_result mote_neighbors_set_radius(mote_neighbors *search, double radius, mote_error *error);

/// Finds, for every point of the set, all others within the radius. Cost O(n + pairs). Once warm, a call on one thread
/// allocates nothing; with several threads, a worker may need more scratch memory when it first meets a denser region.
/// @param lists    receives the rows; if they exceed the byte budget, the error says how many neighbours there are
/// @return MOTE_OK, MOTE_ERROR_STATE (no points yet), MOTE_ERROR_OUT_OF_MEMORY (the object stays valid, lists are gone)
MOTE_API mote_result mote_neighbors_lists(mote_neighbors *search, mote_lists *lists, mote_error *error);

/// The same rows in the order in which they are found, for those who go through all of them once: what is written and
/// read lies in one piece, also if the points come in random order. Row k is that of point order[k].
/// @param order    receives the points in this order, valid until the next update; NULL: it is that of the points
MOTE_API mote_result mote_neighbors_lists_in_order(mote_neighbors *search, mote_lists *lists, const uint32_t **order,
                                                   mote_error *error);

/// Receives the row of a point. Its arrays are valid until the function returns.
/// @param worker   id of the calling worker, below mote_context_worker_count
typedef void mote_neighbors_visitor(void *user_data, mote_row row, uint32_t worker);

/// The same without storing the rows: calls `visitor` once for every point of the set, in any order, and for several
/// points at once.
/// @return as mote_neighbors_lists; if memory runs out, some rows may have been passed to the visitor
MOTE_API mote_result mote_neighbors_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data,
                                          mote_error *error);

/// Points that lie together, and all points that can be near any of them, as arrays of float coordinates that stay in
/// the first-level cache. For solvers that test many candidates at a time instead of reading rows. The candidates
/// include all neighbours of the group's points, other points, and the group's points themselves.
typedef struct mote_group {
    const float *x, *y, *z;   ///< behind the last stand 16 more that are infinitely far away, in x
    const uint32_t *indices;
    uint32_t count;  ///< candidates
    uint32_t first;  ///< those from here on are the group's own points
} mote_group;

/// Receives a group, which is valid until the function returns.
typedef void mote_neighbors_group_visitor(void *user_data, const mote_group *group, uint32_t worker);

/// Passes all points to `visitor` in groups, each point in one group, in any order, and several groups at once. Groups
/// and the order of their candidates do not depend on the number of threads. Needs MOTE_NEIGHBORS_GROUPS.
/// @return as mote_neighbors_visit, or MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_neighbors_visit_groups(mote_neighbors *search, mote_neighbors_group_visitor *visitor,
                                                 void *user_data, mote_error *error);

/// Rows of some points of the set: row k is that of point points[k], with the neighbours that mote_neighbors_lists has.
/// Needs MOTE_NEIGHBORS_SUBSET. `points` may be in any order and name a point repeatedly. Cost O(rows); no second
/// structure is built. cell_grid also marks a bit a point, or, for less than a sixteenth of the points, notes in the
/// first such call after an update where each lies: O(points).
/// @return as mote_neighbors_lists; MOTE_ERROR_UNSUPPORTED, MOTE_ERROR_ARGUMENT (no such point: points[error->index])
MOTE_API mote_result mote_neighbors_subset(mote_neighbors *search, const uint32_t *points, size_t count,
                                           mote_lists *lists, mote_error *error);

/// Receives a chunk of rows, which are valid until the function returns. Row i of the chunk is that of point
/// first_point + i.
/// @return whether to go on
typedef bool mote_neighbors_chunk_visitor(void *user_data, const mote_lists *chunk, uint32_t first_point);

/// Finds all rows in chunks of consecutive points, so that the lists of a chunk take at most `max_bytes`, or hold a
/// single row that is larger. Chunks use the memory of lists, so that earlier lists are no longer valid. Needs
/// MOTE_NEIGHBORS_SUBSET.
/// @param chunk  called in order, from the calling thread
/// @return as mote_neighbors_lists, or MOTE_ERROR_UNSUPPORTED; MOTE_OK also if `chunk` ended the search early
MOTE_API mote_result mote_neighbors_chunks(mote_neighbors *search, size_t max_bytes,
                                           mote_neighbors_chunk_visitor *chunk, void *user_data, mote_error *error);

/// Finds a single chunk: the rows of consecutive points from `first_point` on, as many as `max_bytes` hold, or one that
/// is larger. Row i is that of point first_point + i, and the next chunk begins at first_point + lists->count. These
/// lists may be taken. From chunk to chunk as many rows are tried as fitted before. Needs MOTE_NEIGHBORS_SUBSET.
/// @return as mote_neighbors_lists; no rows behind the last point; MOTE_ERROR_ARGUMENT beyond, MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_neighbors_chunk(mote_neighbors *search, uint32_t first_point, size_t max_bytes,
                                          mote_lists *lists, mote_error *error);

/// Finds, for each query point, the points of the set within the radius. A query point does not belong to the set, so a
/// point at the same place is its neighbour, and half lists do not apply. Queries may come in any order: cell_grid
/// sorts them by cell, and leaves out those with no point in the cells around. Needs MOTE_NEIGHBORS_QUERY.
/// @return as mote_neighbors_update for the queries, whose errors say "queries"; the set stays as it is
MOTE_API mote_result mote_neighbors_query(mote_neighbors *search, mote_points queries, mote_lists *lists,
                                          mote_error *error);

/// The same when every point, and so every query, has its own radius. Also needs MOTE_NEIGHBORS_RADII.
/// @return as mote_neighbors_query
MOTE_API mote_result mote_neighbors_query_radii(mote_neighbors *search, mote_points queries, const void *radii,
                                                ptrdiff_t stride, mote_lists *lists, mote_error *error);

/// Finds the row of one point of the set: that of mote_neighbors_lists, in the same order. Any number of threads may
/// call this and mote_neighbors_row_at at the same time for one search, each with a scratch of its own, as long as no
/// other call changes the search. Cost O(row), O(points) for the first after an update and those at the same time; no
/// allocation once warm. mote_neighbors_subset finds many rows several times faster. Needs MOTE_NEIGHBORS_SUBSET.
/// @param row   receives the row, whose arrays are owned by the scratch and valid until its next use
/// @return MOTE_OK, MOTE_ERROR_STATE (no points yet), MOTE_ERROR_ARGUMENT (no such point), MOTE_ERROR_UNSUPPORTED,
///         MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_neighbors_row_of(const mote_neighbors *search, uint32_t point, mote_row_scratch *scratch,
                                           mote_row *row, mote_error *error);

/// The same for a place: the row that mote_neighbors_query would find there. Needs MOTE_NEIGHBORS_QUERY.
/// @param at      [m]; rounded to float if the points are floats; coordinates beyond their dimensions are not read
/// @param radius  [m] with MOTE_NEIGHBORS_RADII, as of mote_neighbors_query_radii; otherwise 0
/// @return as mote_neighbors_row_of; MOTE_ERROR_NOT_FINITE, and MOTE_ERROR_ARGUMENT also for a bad radius
MOTE_API mote_result mote_neighbors_row_at(const mote_neighbors *search, const double at[3], double radius,
                                           mote_row_scratch *scratch, mote_row *row, mote_error *error);

/// Several sets of points in one search, such as fluids, walls and probes. Each set keeps a structure of its own. A
/// search holds either points (mote_neighbors_update) or sets, whichever came last; calls for the other kind return
/// MOTE_ERROR_STATE. The search keeps what it needs of the points: the caller's arrays are read during this call only.
/// Cost O(points of the sets that have changed); once warm, it allocates nothing.
/// @param sets     `count` of them: all of the search's type and of the same dimension, which sets without points need
///                 not have; the number of sets may change from call to call
/// @param changed  `count` flags, or NULL: all have changed. False: the set has the same points as at the last call,
///                 and its structure is kept. A set that the last call did not have is built whatever its flag says.
///                 Debug builds of the library refuse a set that did change, all builds one of another number of points
/// @return as mote_neighbors_update; the error's text names the set. If arguments are refused (MOTE_ERROR_ARGUMENT,
///         MOTE_ERROR_UNSUPPORTED, MOTE_ERROR_STATE), the search is as it was, unless points do not fit the periodic
///         box. After any other failure it is empty, and the next call builds all sets, whatever `changed` says
MOTE_API mote_result mote_neighbors_update_sets(mote_neighbors *search, const mote_points *sets, uint32_t count,
                                                const bool *changed, mote_error *error);

/// The same with a radius for every point. Needs MOTE_NEIGHBORS_RADII.
/// @param radii   an array for each set that has points, changed or not, as mote_neighbors_update_radii takes it
MOTE_API mote_result mote_neighbors_update_sets_radii(mote_neighbors *search, const mote_points *sets,
                                                      const void *const *radii, ptrdiff_t stride, uint32_t count,
                                                      const bool *changed, mote_error *error);

/// Finds the lists of pairs of sets: entry s * sets + t has a row for each point of set s, with its neighbours in set
/// t. If s is t, these are the rows of mote_neighbors_lists; else those of mote_neighbors_query, which need
/// MOTE_NEIGHBORS_QUERY (half lists do not apply to them). Each pair keeps its memory from call to call.
/// @param active      a flag for each pair, or NULL: all pairs
/// @param pair_count  number of flags and of lists: sets * sets; any other number is MOTE_ERROR_ARGUMENT
/// @param lists       receives the lists, those of inactive pairs all zero. All stay valid together, also through
///                    updates, until the next call of this function or of mote_neighbors_lists_as_one
/// @return as mote_neighbors_lists, or MOTE_ERROR_UNSUPPORTED; after a failure all lists are zero, the sets are still
///         held, and the call may be repeated
MOTE_API mote_result mote_neighbors_lists_of_sets(mote_neighbors *search, const bool *active, size_t pair_count,
                                                  mote_lists *lists, mote_error *error);

/// Passes the rows of set s in set t to `visitor`, stores nothing, and leaves lists alone. If the sets differ, rows
/// without neighbours may be left out. Returns as mote_neighbors_visit; MOTE_ERROR_ARGUMENT, MOTE_ERROR_UNSUPPORTED.
MOTE_API mote_result mote_neighbors_visit_sets(mote_neighbors *search, uint32_t s, uint32_t t,
                                               mote_neighbors_visitor *visitor, void *user_data, mote_error *error);

/// The same as one: rows of all points, set after set, and indices that number the points in this way, too. A row has
/// the neighbours in set 0, then those in set 1, and so on. Takes the memory of mote_neighbors_lists besides.
/// @return as mote_neighbors_lists_of_sets; MOTE_ERROR_ARGUMENT also if there are more than 2^32 - 2 points
MOTE_API mote_result mote_neighbors_lists_as_one(mote_neighbors *search, const bool *active, size_t pair_count,
                                                 mote_lists *lists, mote_error *error);

/// The search of one set, for const calls such as mote_neighbors_row_at; NULL if there is none. Owned by `search`,
/// valid until its next update.
MOTE_API const mote_neighbors *mote_neighbors_search_of_set(const mote_neighbors *search, uint32_t set);

/// Finds the k nearest points (or periodic images) however far they are, in rows ordered by squared distance, then
/// index, then shift. A row has fewer than k entries only if there are no more points. Radii are not used. Memory
/// depends on the rows found, not on k. Needs MOTE_NEIGHBORS_NEAREST. With cell_grid, the first call after an update
/// builds a k-d tree. That takes O(n log n), three to ten times as long as the update, and 42 bytes a point (72 for
/// double points, 130 in periodic boxes if points lie well outside), and 24 a query in an open space, all of it in
/// mote_neighbors_byte_count. If a query is so far away along an open axis that rounding swallows whole periods, all
/// images are equally far, those with the smallest shifts come first, and the query costs O(points).
/// @param queries  query points, which also need MOTE_NEIGHBORS_QUERY; NULL: the points of the set, each without itself
/// @return as mote_neighbors_lists, with `queries` also as mote_neighbors_query; MOTE_ERROR_ARGUMENT (k is 0),
///         MOTE_ERROR_UNSUPPORTED
MOTE_API mote_result mote_neighbors_nearest(mote_neighbors *search, const mote_points *queries, uint32_t k,
                                            mote_lists *lists, mote_error *error);

/// Hands over the memory of the lists that the latest lists, subset, chunk, query, nearest or lists_as_one call found.
/// Nothing is copied, and pointers into the lists stay valid. The search goes on with memory that was given back, if
/// there is any. Cost O(lists given back); allocates only if none were.
/// @param kept   receives the lists, to be given back or destroyed; left alone on failure
/// @return MOTE_OK; MOTE_ERROR_STATE (the latest call found no lists or failed, they are taken already, or an update,
///         chunks or another period came after) or MOTE_ERROR_OUT_OF_MEMORY, which change nothing
MOTE_API mote_result mote_neighbors_take_lists(mote_neighbors *search, mote_kept_lists **kept, mote_error *error);

/// Gives the memory back, so that later calls use it, the largest first. `kept` then belongs to the search, which may
/// hand it over again or free it.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (lists of another search) or MOTE_ERROR_STATE (given back already), which
///         change nothing
MOTE_API mote_result mote_neighbors_give_lists(mote_neighbors *search, mote_kept_lists *kept, mote_error *error);

/// The points sorted by cell, then by index: order[k] is the index of the k-th point. all_pairs has no cells (`auto`
/// takes it for a few points). Needs MOTE_NEIGHBORS_PERMUTATION. Owned by `search`, valid until its next update.
/// @return MOTE_OK, MOTE_ERROR_UNSUPPORTED, MOTE_ERROR_STATE (no points yet)
MOTE_API mote_result mote_neighbors_permutation(mote_neighbors *search, const uint32_t **order, mote_error *error);

/// The same for the points of a set. MOTE_ERROR_ARGUMENT: there is no such set.
MOTE_API mote_result mote_neighbors_permutation_of_set(mote_neighbors *search, uint32_t set, const uint32_t **order,
                                                       mote_error *error);

/// What the structure looks like, and the work of the last lists, visit, subset, query or nearest call.
typedef struct mote_neighbors_counters {
    uint64_t cells;       ///< occupied cells of the structure, counted when asked for: O(cells)
    uint64_t candidates;  ///< pairs of points whose distance was tested
    uint64_t hits;        ///< of them, pairs within the radius
    uint64_t collisions;  ///< hashing methods: occupied cells that share a bucket with another one
    uint64_t rebuilds;    ///< structures built so far; with a skin, fewer than updates
    uint64_t moved;       ///< methods kept up incrementally: points relocated by the last update
} mote_neighbors_counters;
MOTE_API mote_neighbors_counters mote_neighbors_get_counters(const mote_neighbors *search);

/// Bytes held by the structure, and by the lists, including what was given back.
MOTE_API size_t mote_neighbors_byte_count(const mote_neighbors *search, size_t *list_bytes);

/// Checks every invariant of the structure (O(n)). MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_neighbors_validate(mote_neighbors *search, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
