// SPDX-License-Identifier: MIT
/// mote/rows.h: what a neighbour search finds: rows of neighbours, and what can be done with them.
///
/// A row holds the neighbours of one point, lists hold the rows of many. They are found by the calls of neighbors.h.
#ifndef MOTE_ROWS_H
#define MOTE_ROWS_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_neighbors mote_neighbors;  // neighbors.h

/// A row: the neighbours of point `index`. In a periodic box a neighbour may occur several times, each time with
/// another shift. So may the point itself, but not with shift 0.
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

/// Rows of `count` points. Owned by the search until its next update, lists, pairs, subset, chunk, chunks, query or
/// nearest call, unless mote_neighbors_take_lists keeps them.
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

/// Copies the rows, one behind the other, into the caller's arrays: offsets (count + 1) and indices (lists->total).
MOTE_API void mote_lists_to_csr(const mote_lists *lists, uint64_t *offsets, uint32_t *indices);

/// Rows that were taken from their search: they stay as they are, whatever becomes of it.
typedef struct mote_kept_lists mote_kept_lists;

/// The rows, valid until `kept` is given back or destroyed. Any thread may read them while the search is in use.
MOTE_API const mote_lists *mote_kept_lists_get(const mote_kept_lists *kept);
MOTE_API size_t mote_kept_lists_byte_count(const mote_kept_lists *kept);

/// Frees lists that were not given back, also after their search, but not after its context. Any thread may do so.
MOTE_API void mote_kept_lists_destroy(mote_kept_lists *kept);

/// Where the pairs of lists go: arrays of the caller's, each for `capacity` pairs, or NULL if they are not wanted.
typedef struct mote_pair_arrays {
    void *i, *j;           ///< the point and its neighbour: uint32_t, or int64_t if `is_64`
    void *distances;       ///< [m], in the lists' scalar type; needs lists with squared distances or differences
    void *squared;         ///< squared distances [m²], likewise; the same bits from either
    void *differences;     ///< three per pair, xj − xi [m], in that type; needs lists with differences
    int32_t *shifts;       ///< three per pair; needs lists with shifts
    int64_t *shifts_64;    ///< the same in 64 bits
    const uint32_t *points;  ///< the point of each row: i; NULL: the number of the row
    uint64_t capacity;
    bool is_64;
    bool half;             ///< of full lists of all points: each pair once, j > i, and of a point's own images in a
                           ///< periodic box those whose shift is lexicographically positive
    bool ordered;          ///< i <= j: pairs whose row is that of the larger index are turned round, and so are their
                           ///< differences and shifts (half lists with `half_either`)
    bool any_order;        ///< for mote_neighbors_pairs, with `points` NULL: rows come in the order in which they are
                           ///< found, as from mote_neighbors_lists_in_order, and indices are written meanwhile
} mote_pair_arrays;

/// Writes rows as pairs, in the order of the rows and of their neighbours. In parallel.
/// Cost: what the pairs take is read once and written once.
/// @param count   receives the number of pairs; if no array is given, they are only counted
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (columns that the lists do not have; a capacity below `count`, which was set),
///         MOTE_ERROR_OUT_OF_MEMORY; after an error nothing has been written
MOTE_API mote_result mote_lists_to_pairs(mote_context *context, const mote_lists *lists, const mote_pair_arrays *to,
                                         uint64_t *count, mote_error *error);

/// All pairs of a search: those of mote_neighbors_lists and mote_lists_to_pairs, in their order, with the same bits.
/// The rows that are found serve further calls of this function until the next update or call that finds rows, so a
/// first call without arrays counts the pairs, and a second one writes them. They cannot be taken, and lists of an
/// earlier call end. With cell_grid, doubles in a periodic box, or with a radius each, whose def asks for distances or
/// differences have rows of 4 bytes a pair, and everything else is computed while it is written; not with half or
/// ascending rows, a skin, more than 2^25 points or neighbours more than two periods away, which take ordinary rows. So
/// do `half`, `ordered` and `points`, for which rows of 4 bytes are found once more.
/// With `any_order` and without `half`, with a method that has an order of rows and one thread, arrays of indices alone
/// are filled while rows are found, which saves waiting for memory. Room for how many there were last time, and a few
/// more, is a good guess; with too little, a second call writes from the rows. What lies behind the pairs, up to
/// `capacity`, may be overwritten, and after an error anything may have been written.
/// Cost: O(n + pairs) for the first call, that of mote_lists_to_pairs for further ones of the same kind.
/// @param to      where the pairs go; NULL, or no array: they are only counted
/// @param count   receives the number of pairs
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (columns that the def does not ask for; a capacity below `count`, which was
///         set), MOTE_ERROR_STATE (no points yet), MOTE_ERROR_OUT_OF_MEMORY; after an error nothing has been written,
///         unless `any_order` was asked for
MOTE_API mote_result mote_neighbors_pairs(mote_neighbors *search, const mote_pair_arrays *to, uint64_t *count,
                                          mote_error *error);

/// An order of points without a search: by cell of a cubic grid that begins at the corner of their box, first by z,
/// then y, then x of the cell, then by index. Points of neighbouring cells are near each other in memory afterwards, if
/// all arrays are brought into this order by mote_permute. Cost O(n), with 20 bytes a point for the time of the call.
/// @param edge   of the cells [m], best as long as the radius of the searches that follow: 2^-1000 … 2^1000
/// @param order  receives points.count indices: order[k] is the point that comes k-th
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE, MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_points_order_by_cell(mote_context *context, mote_points points, double edge, uint32_t *order,
                                               mote_error *error);

/// Brings an array into an order: element k becomes what element order[k] was. In parallel, with a copy of the array
/// for the time of the call.
/// @param order          each number below `count` once, as mote_points_order_by_cell and mote_neighbors_permutation
///                       give it; checked
/// @param element_bytes  from one element to the next; elements are moved whole
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (the error's index is the bad place in `order`), MOTE_ERROR_OUT_OF_MEMORY;
///         after an error the array is as it was
MOTE_API mote_result mote_permute(mote_context *context, const uint32_t *order, size_t count, void *data,
                                  size_t element_bytes, mote_error *error);

/// The memory that a thread needs for single rows of any searches of the same context.
typedef struct mote_row_scratch mote_row_scratch;
MOTE_API mote_result mote_row_scratch_create(mote_context *context, mote_row_scratch **scratch, mote_error *error);
MOTE_API void mote_row_scratch_destroy(mote_row_scratch *scratch);
MOTE_API size_t mote_row_scratch_byte_count(const mote_row_scratch *scratch);

#ifdef __cplusplus
}
#endif

#endif
