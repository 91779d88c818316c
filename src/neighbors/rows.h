// SPDX-License-Identifier: MIT
// neighbors/rows.h: delivers rows to lists or to a visitor.
#ifndef MOTE_NEIGHBORS_ROWS_H
#define MOTE_NEIGHBORS_ROWS_H

#include "neighbors/list_memory.h"
#include "neighbors/row_writer.h"

// A sink with what the search's rows hold, and nothing to write them to.
row_sink mote_row_sink_make(const mote_neighbors *search, const row_request *request);
void mote_row_writer_release(const mote_context *context, row_writer *writer);

// The number of bytes of a neighbour in the lists.
size_t mote_neighbor_bytes(const mote_neighbors *search);

// The neighbours for which lists have room at first, if this many are expected in each row.
uint64_t mote_rows_first_room(const mote_neighbors *search, size_t rows, uint32_t each);

// Runs the method for all rows and passes them to lists in `memory`, or to the visitor. If there is no memory for the
// lists, the result is MOTE_ERROR_OUT_OF_MEMORY, and the error says how many neighbours they have.
mote_result mote_rows_store(mote_neighbors *search, const row_request *request, list_memory *memory, mote_lists *lists,
                            mote_error *error);
// The same in the search's own memory, or in the largest that was given back. Lists that were there are gone.
mote_result mote_rows_store_own(mote_neighbors *search, const row_request *request, mote_lists *lists,
                                mote_error *error);
mote_result mote_rows_visit(mote_neighbors *search, const row_request *request, mote_neighbors_visitor *visitor,
                            void *user_data, mote_error *error);
void mote_rows_release(mote_neighbors *search);
size_t mote_rows_byte_count(const mote_neighbors *search);

// The order in which the method finds the rows of all points, by which they can be numbered; NULL if it has none.
static inline const uint32_t *mote_search_order(const mote_neighbors *search)
{
    const neighbors_method *method = search->method;
    return search->has_points && !search->skin && method->order_of_rows ? method->order_of_rows(search) : NULL;
}

#endif
