// SPDX-License-Identifier: MIT
// neighbors/grid_rows.h: rows with all features from a grid of cells: the general path of cell_grid.
#ifndef MOTE_NEIGHBORS_GRID_ROWS_H
#define MOTE_NEIGHBORS_GRID_ROWS_H

#include "neighbors/grid_classes.h"
#include "neighbors/row_writer.h"

typedef struct cell_rows {
    class_sort sort;
    mote_buffer workers;
    mote_buffer subset;  // the last request's subset, in sorted order
    bool has_told;       // the warning that rows are found one by one was given
} cell_rows;

mote_result mote_cell_rows_build(const mote_neighbors *search, cell_rows *rows);
// Like find_rows of a method. Rows are ordered by radius class, image in the box, cell (z, y, x), then index.
void mote_cell_rows_find(mote_neighbors *search, cell_rows *rows, const row_request *request, row_writer *writers);
// Like find_row of a method, with memory that mote_cell_rows_release_memory releases.
void mote_cell_rows_find_row(const mote_neighbors *search, const cell_rows *rows, const row_request *request,
                             row_writer *writer, mote_buffer *memory);
void mote_cell_rows_release_memory(const mote_context *context, mote_buffer *memory);
size_t mote_cell_rows_memory_bytes(const mote_buffer *memory);
void mote_cell_rows_release(const mote_context *context, cell_rows *rows);
size_t mote_cell_rows_byte_count(const cell_rows *rows);

#endif
