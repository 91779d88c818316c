// SPDX-License-Identifier: MIT
// neighbors/grid_sort.h: points sorted into the cells of a uniform grid, and the runs of sorted points around a cell.
#ifndef MOTE_NEIGHBORS_GRID_SORT_H
#define MOTE_NEIGHBORS_GRID_SORT_H

#include "base/internal.h"

enum {
    CELL_MAX_RUNS = 9,    // rows of three cells along x around a cell
    CELL_MAX_PARTS = 10,  // the same without the central cell
    CELL_PADDING = 16     // readable elements after the last point of every sorted array
};

// Cell coordinates, x first. Coordinates beyond the set's dimensions are 0.
typedef struct cell_id {
    int64_t at[3];
} cell_id;

// Points in cell order: by z, then y, then x of their cells, then by index.
//
// Dense: `start` has an entry for every cell of the box around the points and of a margin of one empty cell, so that
// every occupied cell has all its neighbours. Sparse, used if that box would be mostly empty: only occupied cells,
// in order. Neighbouring rows are found by search among keys of 64 bits, which hold the coordinates if these fit, else
// their numbers: neighbouring coordinates differ by 1 and others by 2. Cells whose numbers are not known, and all cells
// if not even the numbers fit, are searched for among the cells of the points themselves.
typedef struct cell_sort {
    int dimensions;
    double inverse_edge;
    double origin[3];       // where cell 0, 0, 0 begins
    uint32_t count;
    mote_buffer sorted;     // x, y, z, index, each count + CELL_PADDING
    float *x, *y, *z;
    uint32_t *index;

    bool dense;
    int64_t base[3];        // dense: cell coordinates of the box's corner
    uint32_t size[3];       // dense: cells along each axis
    int row_count;          // dense: rows of cells around a cell, including its own,
    int64_t row_step[CELL_MAX_RUNS];  // and the difference between the number of a cell there and its own
    mote_buffer starts;     // dense: uint32_t for each cell and one more; sparse: the same for occupied cells
    uint32_t *start;
    uint64_t cell_count;    // entries of start, minus one
    uint64_t *keys;         // sparse: keys of the occupied cells, in the scratch memory; NULL if they do not fit
    bool has_numbers;       // sparse: the keys hold numbers
    int64_t low[3], high[3];  // sparse: range of the cell coordinates
    unsigned bits[3];       // sparse: bits of each coordinate, or number, in a key

    mote_buffer scratch;    // used by the sort
    mote_buffer near;       // guests: two bits for every cell of the host
} cell_sort;

// Consecutive points, usually sorted ones.
typedef struct cell_run {
    uint32_t begin, end;
} cell_run;

// Sorts the points (float) into cells of at least `edge`, or puts them into one cell.
// @param box  the smallest around the points, which are finite; NULL: is found, and whether they are
mote_result mote_cell_sort_build(const mote_context *context, cell_sort *sort, const mote_points *points,
                                 const mote_box *box, double edge, bool in_one_cell, mote_error *error);
// Sorts other points into the cells of a sort, the host: guests, which look for its points. Those that have none of
// them in the cells around are left out: sort->count is the number of the others. The guests' coordinates are finite.
mote_result mote_cell_sort_guests(const mote_context *context, cell_sort *sort, const mote_points *guests,
                                  const cell_sort *host);
void mote_cell_sort_release(const mote_context *context, cell_sort *sort);
size_t mote_cell_sort_byte_count(const cell_sort *sort);
mote_result mote_cell_sort_validate(const cell_sort *sort, mote_error *error);

static inline bool mote_cell_id_equal(cell_id a, cell_id b)
{
    return a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2];
}

cell_id mote_cell_of(const cell_sort *sort, float x, float y, float z);

// Returns a point as floats.
static inline void mote_cell_sort_position(const mote_points *points, size_t i, float p[3])
{
    for (int k = 0; k < 3; ++k) {
        p[k] = 0;
        if (k < points->dimensions)
            p[k] = mote_load_f32((const char *)points->axis[k] + (ptrdiff_t)i * points->stride);
    }
}

// Dense: the number of a cell of the box, which is its key.
static inline uint32_t mote_dense_key(const cell_sort *sort, cell_id id)
{
    uint32_t x = (uint32_t)(id.at[0] - sort->base[0]);
    uint32_t y = (uint32_t)(id.at[1] - sort->base[1]);
    uint32_t z = (uint32_t)(id.at[2] - sort->base[2]);
    return (z * sort->size[1] + y) * sort->size[0] + x;
}

// Sparse: the key of a cell whose coordinates are at most two beyond those of the points; keys have the same order as
// cells.
static inline uint64_t mote_sparse_key(const cell_sort *sort, cell_id id)
{
    uint64_t key = 0;
    for (int k = sort->dimensions - 1; k >= 0; --k)
        key = (key << sort->bits[k]) | ((uint64_t)id.at[k] - (uint64_t)sort->low[k] + 2);
    return key;
}

enum { KEY_BATCH = 512 };  // most points whose keys are found together
#define NO_KEY UINT32_MAX  // the key of a guest outside the box

// Dense: finds the keys of points begin … begin + count − 1, which all lie in the box unless they are guests.
typedef void dense_keys(const cell_sort *sort, const mote_points *points, size_t begin, size_t count, uint32_t *keys);

// Returns the number of an occupied cell: the index of its entry in `start`.
uint64_t mote_cell_number(const cell_sort *sort, cell_id id);

// Returns the cell of a sorted point.
static inline cell_id mote_cell_at(const cell_sort *sort, uint32_t place)
{
    return mote_cell_of(sort, sort->x[place], sort->y[place], sort->z[place]);
}

// Finds the non-empty runs of sorted points in `id` and the cells around it, ascending. `id` need not be occupied,
// nor lie in the box.
// @param hint  sparse: where earlier look-ups of a nearby cell ended, possibly among other points; CELL_MAX_RUNS
// entries, initially zero
// @return      the number of runs
int mote_cell_runs(const cell_sort *sort, cell_id id, cell_run runs[CELL_MAX_RUNS], uint32_t hint[CELL_MAX_RUNS]);

// Where a row of cells lies, seen from a cell: -1, 0 or 1 along each axis. All points of a row below are below those of
// the cell, as the coordinate of a cell never falls where that of the point rises.
typedef struct row_side {
    int8_t y, z;
} row_side;

// The runs around an occupied cell; some may be empty.
typedef struct cell_runs {
    cell_run at[CELL_MAX_PARTS + 3];  // room for three more
    int count;
    size_t points;         // total number of points in the runs
    const row_side *row_of;  // of each run; NULL: not known. What is appended is in the cell's own row.
} cell_runs;

extern const row_side mote_rows_apart[4][CELL_MAX_PARTS + 3];

void mote_cell_runs_sparse(const cell_sort *sort, uint64_t cell, bool apart, cell_runs *runs,
                           uint32_t hint[CELL_MAX_RUNS]);

static inline void mote_cell_runs_around(const cell_sort *sort, uint64_t cell, bool apart, cell_runs *runs,
                                         uint32_t hint[CELL_MAX_RUNS])
{
    if (!sort->dense) {
        mote_cell_runs_sparse(sort, cell, apart, runs, hint);
        return;
    }
    const uint32_t *start = sort->start + cell;
    const int own = apart ? sort->row_count / 2 : sort->row_count;
    cell_run *to = runs->at;
    size_t points = 0;
    for (int r = 0; r < sort->row_count; ++r) {
        const uint32_t *row = start + sort->row_step[r];
        cell_run run = {row[-1], row[2]};
        points += run.end - run.begin;
        if (r == own) {
            *to++ = (cell_run){run.begin, start[0]};
            points -= start[1] - start[0];
            run.begin = start[1];
        }
        *to++ = run;
    }
    runs->count = (int)(to - runs->at);
    runs->points = points;
    runs->row_of = apart ? mote_rows_apart[sort->dimensions] : NULL;
}

// Dense: those of the runs that follow the cell.
static inline void mote_cell_runs_behind(const cell_sort *sort, uint64_t cell, cell_runs *runs)
{
    const uint32_t *start = sort->start + cell;
    cell_run *to = runs->at;
    size_t points = 0;
    for (int r = sort->row_count / 2; r < sort->row_count; ++r) {
        const uint32_t *row = start + sort->row_step[r];
        const cell_run run = {to == runs->at ? row[1] : row[-1], row[2]};  // the first row is the cell's own
        points += run.end - run.begin;
        *to++ = run;
    }
    runs->count = (int)(to - runs->at);
    runs->points = points;
    runs->row_of = NULL;
}

#endif
