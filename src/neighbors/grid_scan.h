// SPDX-License-Identifier: MIT
// neighbors/grid_scan.h: the innermost loops of neighbour search: candidates side by side in memory, and the test of
// points against all of them.
#ifndef MOTE_NEIGHBORS_GRID_SCAN_H
#define MOTE_NEIGHBORS_GRID_SCAN_H

#include "neighbors/grid_sort.h"

// Arrays of points: those of a cell sort, or candidates copied from them.
typedef struct point_columns {
    float *x, *y, *z;
    uint32_t *index;
} point_columns;

static inline point_columns mote_sorted_columns(const cell_sort *sort)
{
    point_columns columns = {sort->x, sort->y, sort->z, sort->index};
    return columns;
}

// Candidates side by side, in memory that grows. A zero-initialised block is empty.
typedef struct candidate_block {
    mote_buffer memory;
    point_columns at;
    size_t capacity;
} candidate_block;

// Reserves room for this many candidates; the contents of the block are lost.
mote_result mote_block_reserve(const mote_context *context, candidate_block *block, size_t room);

// Where hits are written: their indices, and, unless NULL, their squared distances at the same places.
typedef struct hit_columns {
    uint32_t *indices;
    float *squared;
} hit_columns;

// The hits of a vector of candidates as a number, and their squared distances as a vector, for all vectors of a point;
// or, in forms with short vectors, the indices of hits and their squared distances.
typedef struct kept_hits {
    uint32_t *hits;
    float *squared;
} kept_hits;

// Points of one cell whose rows are found together, and all their candidates: the gathered ones, followed by
// MOTE_WIDE_MOST entries that are never hit, and a run of sorted points, which holds the group if its points are
// sorted ones.
typedef struct group_scan {
    point_columns gathered;
    size_t gathered_count;
    point_columns sorted;
    size_t own_begin, own_end;
    bool forward;            // of the run, a row has only what follows its point
    point_columns points;    // points first … first + count − 1 of these are the group
    const uint32_t *places;  // where they are among the sorted points; NULL: `points` are the sorted points
    size_t first, count;
    float radius_squared;
    float sure_squared;  // neighbours up to this squared distance are certain,
    uint32_t *doubts;    // and rows with others are marked here, 0 or 1 for each row; then squared distances are not
                         // written. NULL: all are certain
    size_t stride;       // from the start of a row to that of the next; 0: rows follow each other without a gap
    kept_hits kept;      // room for mote_kept_room of each
} group_scan;

// A point and the runs of points that can be near it.
typedef struct point_scan {
    point_columns from;
    const cell_run *runs;
    int run_count;
    float point[3];
    size_t self;  // the point's own place among them, or SIZE_MAX
    float radius_squared, sure_squared;
    uint32_t *doubts;  // as in a group_scan
} point_scan;

// Which of 32 points with consecutive indices are wanted, a bit for each, and how many before them are.
typedef struct wanted_points {
    uint32_t bits, before;
} wanted_points;

// Copies to `to` those points of the runs that are no farther from the box around the group than the radius. It uses
// the same operations as the distance test, whose rounding is monotone, so no neighbour is lost. It appends
// MOTE_WIDE_MOST entries that are never hit. Returns the number of points, without these.
// @param row_of  as in cell_runs
typedef size_t gather_lanes(point_columns to, const group_scan *scan, const cell_run *runs, int run_count,
                            const row_side *row_of);

// The loops, the same in every form.
typedef struct scan_lanes {
    gather_lanes *gather;

    // Writes the points within the radius of each point of the group, without the point itself, to `rows`, one row
    // after the other, and their numbers to `counts`. A row has the gathered points first, then those of the run,
    // each in their order. `rows` has room for as many candidates (mote_group_room, at most the stride) as there are
    // points.
    void (*scan_group)(const group_scan *scan, hit_columns rows, uint32_t *counts);

    // The same for a single point and the runs. `row` has room for all their points and MOTE_WIDE_MOST more; so many
    // elements beyond the last are readable. Returns the number of neighbours.
    uint32_t (*scan_point)(const point_scan *scan, hit_columns row);

    // Copies those of `count` sorted points from place `first` on that are wanted: their coordinates, as their index
    // that of their row (NULL: the number of wanted points with a lower index), and their places. Returns how many they
    // are. Overwrites what follows them, up to a vector.
    size_t (*pick)(point_columns from, size_t first, size_t count, const wanted_points *wanted, const uint32_t *rows,
                   point_columns to, uint32_t *places);
} scan_lanes;

// The room that the hits of a point need while they are kept: vectors of two arrays, both rounded up.
static inline size_t mote_kept_room(const group_scan *scan)
{
    return scan->gathered_count + (scan->own_end - scan->own_begin) + 2 * MOTE_WIDE_MOST;
}

// The room that a row of the group needs while it is written.
static inline size_t mote_group_room(const group_scan *scan)
{
    return scan->gathered_count + (scan->own_end - scan->own_begin) + MOTE_WIDE_MOST;
}

#endif
