// SPDX-License-Identifier: MIT
// neighbors/grid_classes.h: points of any precision, radii and periodic box, sorted by radius class and cell.
#ifndef MOTE_NEIGHBORS_GRID_CLASSES_H
#define MOTE_NEIGHBORS_GRID_CLASSES_H

#include "cells/frame.h"
#include "neighbors/internal.h"
#include "neighbors/period_levels.h"

enum { CLASS_HINTS = 16, CLASS_PADDING = 16 };

// Points whose radii are within a factor of two, and which are about as many periods away, in cells as wide as their
// reach.
typedef struct radius_class {
    cell_frame frame;
    uint32_t level;     // of the periods; 0 without a box
    double max_radius;  // 0 without radii, and if other points' radii do not matter
    uint32_t cell_begin, cell_end;
    grid_range bounds;  // range of its occupied cells
    uint32_t *starts;   // the start of each cell's points, for all cells of the bounds, x first, and one more entry;
                        // NULL if most of these cells are empty; `rows` is then used:
    uint32_t *rows;     // the first cell of each row of cells (z, y), and one more; NULL if most rows are empty
} radius_class;

// Positions in sorted order, in one of the two precisions. All columns are readable CLASS_PADDING elements past the
// end.
typedef struct sorted_axes {
    float *f32[3];
    double *f64[3];
} sorted_axes;

// The points of a level: the range of the periods in `wrap`.
typedef struct level_range {
    image low, high;
    bool is_empty;
} level_range;

// Sorted by class (level, then radius), then by z, y, x of the cell, then by index. `at` holds the binned positions:
// for points outside a periodic box, these are the positions of their images inside it, in double; `wrap` holds the
// periods in between.
typedef struct class_sort {
    uint32_t count;
    mote_buffer sorted, classes_memory, cells_memory, tables, surveys;
    sorted_axes at;
    sorted_axes own;  // the original positions: the same arrays if every point lies in the box
    image *wrap;      // NULL in that case
    double *records;  // double points whose rows have differences or distances: x, y, z and the
                      // bits of the index as a 64-bit number; or NULL
    struct {
        float *f32;
        double *f64;
    } radii;  // in the points' precision; NULL without radii
    uint32_t *index;
    radius_class *classes;
    uint32_t class_count;
    grid_cell *cells;
    uint32_t *start;  // start of each cell, and one more entry
    uint32_t cell_count;
    double fraction_low[3], fraction_high[3];  // fractions of the box's edges, over all points; for a periodic box
    period_levels periods;                     // for a periodic box
    uint32_t level_end;                        // one more than the highest level of a point
    level_range levels[PERIOD_LEVELS];
} class_sort;

typedef struct sorted_run {
    uint32_t begin, end;
} sorted_run;

static inline void mote_sorted_get(const sorted_axes *axes, size_t place, double at[3])
{
    for (int k = 0; k < 3; ++k) at[k] = axes->f64[0] ? axes->f64[k][place] : (double)axes->f32[k][place];
}

static inline double mote_sorted_radius(const class_sort *sort, size_t place)
{
    return sort->radii.f64 ? sort->radii.f64[place] : (double)sort->radii.f32[place];
}

// Sorts the search's own copy of the points. O(n). On failure the sort is empty.
mote_result mote_class_sort_build(const mote_neighbors *search, class_sort *sort);
void mote_class_sort_release(const mote_context *context, class_sort *sort);
size_t mote_class_sort_byte_count(const class_sort *sort);
mote_result mote_class_sort_validate(const class_sort *sort, mote_error *error);

// Makes the tables of the classes' cells for look-ups (grid_class_runs.c); this is a part of building.
mote_result mote_class_tables_make(const mote_context *context, class_sort *sort);

// Writes to `runs`, ascending, the runs of sorted points of a class in the cells that the box low … high touches. If
// the box holds more rows of cells than there are occupied cells, the occupied cells are searched instead.
// @param hint   where earlier look-ups ended: CLASS_HINTS entries of any content
// @return false when memory ran out
bool mote_class_sort_runs(const mote_context *context, const class_sort *sort, const radius_class *class,
                          const double low[3], const double high[3], uint32_t *hint, mote_buffer *runs,
                          size_t *run_count);

#endif
