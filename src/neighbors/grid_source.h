// SPDX-License-Identifier: MIT
// neighbors/grid_source.h: the points whose rows are wanted, in the order of cells: all sorted points, some of them, or
// other points that look for these.
#ifndef MOTE_NEIGHBORS_GRID_SOURCE_H
#define MOTE_NEIGHBORS_GRID_SOURCE_H

#include "neighbors/grid_relative.h"
#include "neighbors/grid_scan.h"
#include "neighbors/internal.h"

typedef struct row_source {
    point_columns points;    // `index`: the numbers of their rows
    size_t count;
    const wanted_points *wanted;  // many of the points, by index; `count` is that of all places, and points are picked
                                  // from them part by part; else NULL
    const uint32_t *row_of;       // then: the row of each wanted point, by index; NULL: rows have the order of indices
    const uint32_t *places;  // a subset: places among the sorted points, ascending; else NULL
    const cell_sort *cells;  // guests: their own cells; NULL: the points belong to the set
} row_source;

// The memory of sources, kept from call to call. Zero-initialised, it is empty.
typedef struct source_memory {
    cell_sort guests;
    mote_buffer subset;    // keys and columns
    mote_buffer relative;  // guests as floats
} source_memory;

// All points of a sort.
row_source mote_source_all(const cell_sort *sort);

// Many of them, by index; false in `served` if they are few, or if a point occurs more than once.
mote_result mote_source_many(const mote_context *context, source_memory *memory, const cell_sort *sort,
                             const uint32_t *points, size_t count, row_source *source, bool *served);

// Any of them, by index.
// @param place_of  the place of each point among the sorted ones
mote_result mote_source_subset(const mote_context *context, source_memory *memory, const cell_sort *sort,
                               const uint32_t *place_of, const uint32_t *points, size_t count, row_source *source);

// The room of a column of points that are picked from so many places.
static inline size_t mote_source_pick_room(size_t places)
{
    return (places + 2 * CELL_PADDING - 1) / CELL_PADDING * CELL_PADDING;
}

// Picks the points that are wanted among places begin … end − 1.
// @param memory  five columns of the room
void mote_source_pick(const row_source *from, const cell_sort *sort, const scan_lanes *lanes, size_t begin, size_t end,
                      uint32_t *memory, row_source *picked);

// Lists rows in the order of places: `each` from the beginning of each of so many parts, as far as there are some.
void mote_source_sample(const row_source *source, const cell_sort *sort, uint32_t *rows, size_t windows, size_t each);

// Queries, which have been checked; those with no sorted point around are left out.
// @param frame    the frame of the sorted points; NULL: they are float points
// @param numbers  the row of each query; NULL: in their order
mote_result mote_source_queries(const mote_context *context, source_memory *memory, const cell_sort *sort,
                                const relative_frame *frame, const mote_points *queries, const uint32_t *numbers,
                                row_source *source);

void mote_source_release(const mote_context *context, source_memory *memory);
size_t mote_source_byte_count(const source_memory *memory);

#endif
