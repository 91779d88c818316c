// SPDX-License-Identifier: MIT
// Rows in chunks, for lists that would not fit into memory.
//
// A chunk is a range of consecutive points, found like a subset, with lists that must not exceed the limit. A chunk
// that does not fit is halved and found again; later chunks grow with the room that the previous ones left free. So
// no row is ever split; a single row that is larger than the limit is delivered alone.

#include "neighbors/kept_lists.h"
#include "neighbors/rows.h"

enum { ROWS_AT_FIRST = 64 };

// Finds the lists of `rows` points from `first` on.
static mote_result find_rows(mote_neighbors *search, size_t first, size_t rows, uint64_t most, mote_lists *lists,
                             mote_error *error)
{
    mote_buffer *points = &search->chunk_points;
    mote_result result = mote_buffer_reserve(search->context, points, mote_bytes(rows, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *subset = points->data;
    for (size_t k = 0; k < rows; ++k) subset[k] = (uint32_t)(first + k);
    row_request request = {.subset = subset, .count = rows, .most = rows > 1 ? most : 0};
    return mote_rows_store(search, &request, &search->lists, lists, error);
}

// Finds the chunk that begins with point `first`, and how many rows to try next.
static mote_result find_chunk(mote_neighbors *search, size_t first, size_t max_bytes, mote_lists *lists,
                              mote_error *error)
{
    const size_t row_bytes = sizeof(uint64_t) + 2 * sizeof(uint32_t), each = mote_neighbor_bytes(search);
    if (first == 0 || search->chunk_rows == 0) search->chunk_rows = ROWS_AT_FIRST;
    size_t rows = MOTE_MIN(search->chunk_rows, search->count - first);
    for (;; rows /= 2) {
        while (rows > 1 && rows * row_bytes > max_bytes / 2) rows /= 2;
        const uint64_t most = (max_bytes - MOTE_MIN(rows * row_bytes, max_bytes)) / each;
        mote_error why = {0};  // a chunk that does not fit is no error
        mote_result result = find_rows(search, first, rows, MOTE_MAX(most, (uint64_t)1), lists, &why);
        if (result == MOTE_ERROR_OUT_OF_MEMORY && rows > 1) continue;
        search->chunk_rows = result == MOTE_OK && lists->total < most / 4 ? 2 * rows : rows;
        if (result == MOTE_OK) return result;
        if (result == MOTE_ERROR_OUT_OF_MEMORY)
            return mote_fail(error, result, 0, "neighbors: no memory for the lists of a single point");
        if (error) *error = why;
        return result;
    }
}

// Checks that points are set and subsets are supported; lists of the call before are gone.
static mote_result begin_chunks(mote_neighbors *search, mote_lists *lists, mote_error *error)
{
    mote_result result = mote_neighbors_subset(search, NULL, 0, lists, error);
    mote_latest_lists_forget(search);
    return result;
}

mote_result mote_neighbors_chunk(mote_neighbors *search, uint32_t first_point, size_t max_bytes, mote_lists *lists,
                                 mote_error *error)
{
    if (!search || !lists) return mote_fail_null(error, "neighbors", search ? "lists" : "the object");
    mote_result result = begin_chunks(search, lists, error);
    if (result != MOTE_OK) return result;
    if (first_point > search->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, first_point, "chunk: first point %u, expected at most %llu",
                         first_point, (unsigned long long)search->count);
    if (first_point < search->count) {
        mote_kept_memory_use(search);
        mote_error why = {0};
        result = find_chunk(search, first_point, max_bytes, lists, &why);
        if (result == MOTE_ERROR_OUT_OF_MEMORY && mote_kept_memory_drop(search))  // it may be what is lacking
            result = find_chunk(search, first_point, max_bytes, lists, &why);
        if (result != MOTE_OK) *lists = (mote_lists){0};
        if (result != MOTE_OK && error) *error = why;
    }
    if (result == MOTE_OK) mote_latest_lists_note(search, lists);
    return result;
}

mote_result mote_neighbors_chunks(mote_neighbors *search, size_t max_bytes, mote_neighbors_chunk_visitor *chunk,
                                  void *user_data, mote_error *error)
{
    if (!search || !chunk) return mote_fail_null(error, "neighbors", search ? "chunk" : "the object");
    mote_lists lists;
    mote_result result = begin_chunks(search, &lists, error);  // the memory goes from chunk to chunk
    for (size_t first = 0; result == MOTE_OK && first < search->count; first += lists.count) {
        result = find_chunk(search, first, max_bytes, &lists, error);
        if (result == MOTE_OK && !chunk(user_data, &lists, (uint32_t)first)) break;
    }
    mote_buffer_release(search->context, &search->chunk_points);
    return result;
}
