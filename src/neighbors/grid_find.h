// SPDX-License-Identifier: MIT
// neighbors/grid_find.h: rows of points with one radius in an open space, from sorted points: the fast path of
// cell_grid.
#ifndef MOTE_NEIGHBORS_GRID_FIND_H
#define MOTE_NEIGHBORS_GRID_FIND_H

#include <stdatomic.h>

#include "neighbors/grid_source.h"
#include "neighbors/row_writer.h"

// The sorted points of a search, and what rows of them need.
typedef struct grid_points {
    cell_sort sort;
    bool is_relative;        // double points, as floats in a frame
    relative_frame frame;
    mote_buffer relative;    // these floats by index, for the time of a build
    mote_buffer places;      // 0, 1, 2, …: for rows of places, and rows numbered by place
    mote_buffer place_of;    // the place of each point, if rows of some may be wanted: room, filled when one is
    atomic_int place_state;  // of that: a place_state
    mote_buffer exact;       // double points by place, if rows have columns
    mote_buffer workers;
} grid_points;

// Sorts the points. False in `served` if the search needs the general path: double points too far apart for floats.
mote_result mote_grid_build(mote_neighbors *search, grid_points *grid, const mote_points *points, bool *served,
                            mote_error *error);

// The places of all points.
const uint32_t *mote_grid_places(const mote_context *context, grid_points *grid);
// The place of one. Any number of threads may ask at once.
uint32_t mote_grid_place_of(const grid_points *grid, uint32_t point);

// Numbers the rows of a source, which are those of all points, in the order of cells.
mote_result mote_grid_number_rows(const mote_context *context, grid_points *grid, row_source *source);

// Writes the rows of a source. If memory runs out, the sink records it.
void mote_grid_find(mote_neighbors *search, grid_points *grid, const row_source *source, const row_request *request,
                    row_writer *writers);

// The same for a single row, without writing to anything but the writer.
void mote_grid_find_row(const mote_neighbors *search, const grid_points *grid, const row_request *request,
                        row_writer *writer);

mote_result mote_grid_visit_groups(mote_neighbors *search, grid_points *grid, mote_neighbors_group_visitor *visitor,
                                   void *user_data);

void mote_grid_release(const mote_context *context, grid_points *grid);
size_t mote_grid_byte_count(const grid_points *grid);

#endif
