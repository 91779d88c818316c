// neighbors/class_sort.h: points of any precision, radii and periodic box sorted by radius class and cell.
#ifndef MOTE_NEIGHBORS_CLASS_SORT_H
#define MOTE_NEIGHBORS_CLASS_SORT_H

#include "cells/frame.h"
#include "neighbors/internal.h"

enum { CLASS_HINTS = 16 };

// Points whose radii lie within a factor of two, in cells as wide as they reach.
typedef struct radius_class {
    cell_frame frame;
    double max_radius;  // 0 without radii, and where other points' radii play no part
    uint32_t cell_begin, cell_end;
    grid_range bounds;  // of its occupied cells
} radius_class;

// Sorted by class, then by z, y, x of the cell, then by index. `at` are the positions that were binned: in a periodic
// box those of the images in the box, which `wrap` leads to. Only occupied cells are kept.
typedef struct class_sort {
    uint32_t count;
    mote_buffer sorted, classes_memory, cells_memory, scratch;
    double *at[3];
    double *own[3];    // the positions as they were given: the same arrays without a periodic box
    int32_t *wrap[3];  // NULL without a periodic box
    uint32_t *index;
    radius_class *classes;
    uint32_t class_count;
    grid_cell *cells;
    uint32_t *start;  // of each cell, and one more
    uint32_t cell_count;
    double fraction_low[3], fraction_high[3];  // of the box's edges, over all points; with a periodic box
} class_sort;

typedef struct sorted_run {
    uint32_t begin, end;
} sorted_run;

// Sorts the search's own copy of its points. O(n). On failure the sort is empty.
mote_result mote_class_sort_build(const mote_neighbors *search, class_sort *sort);
void mote_class_sort_release(const mote_context *context, class_sort *sort);
size_t mote_class_sort_byte_count(const class_sort *sort);
mote_result mote_class_sort_validate(const class_sort *sort, mote_error *error);

// The runs of sorted points of a class that lie in cells which the box low … high touches, ascending, in `runs`. Where
// the box holds more rows of cells than there are occupied cells, those are gone through instead.
// @param hint   where earlier look-ups ended: CLASS_HINTS entries of any content
// @return false when memory ran out
bool mote_class_sort_runs(const mote_context *context, const class_sort *sort, const radius_class *class,
                          const double low[3], const double high[3], uint32_t *hint, mote_buffer *runs,
                          size_t *run_count);

#endif
