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

/// Copies the rows, one behind the other, into the caller's arrays: offsets (count + 1) and indices (lists->total).
MOTE_API void mote_lists_to_csr(const mote_lists *lists, uint64_t *offsets, uint32_t *indices);

/// The memory that a thread needs for single rows of any searches of the same context.
typedef struct mote_row_scratch mote_row_scratch;
MOTE_API mote_result mote_row_scratch_create(mote_context *context, mote_row_scratch **scratch, mote_error *error);
MOTE_API void mote_row_scratch_destroy(mote_row_scratch *scratch);
MOTE_API size_t mote_row_scratch_byte_count(const mote_row_scratch *scratch);

#ifdef __cplusplus
}
#endif

#endif
