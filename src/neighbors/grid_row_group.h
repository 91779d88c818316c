// SPDX-License-Identifier: MIT
// neighbors/grid_row_group.h: groups of rows that grid_rows.c finds together, and their candidates. Each step has a
// file: grid_row_group.c forms groups, grid_row_gather.c gathers their candidates, grid_row_find.c finds the rows.
#ifndef MOTE_NEIGHBORS_GRID_ROW_GROUP_H
#define MOTE_NEIGHBORS_GRID_ROW_GROUP_H

#include "neighbors/grid_margins.h"
#include "neighbors/grid_rows.h"
#include "neighbors/grid_sieve.h"
#include "neighbors/pair_codes.h"
#include "neighbors/period_levels.h"
#include "neighbors/periodic.h"
#include "neighbors/row_writer.h"

enum { ROW_GROUP = 64 };  // most rows of a group

// Consecutive candidates that are all shifted by the same number of periods from the original points.
typedef struct shift_span {
    uint32_t begin, end;  // slots
    image shift;
} shift_span;

// The candidates of a level of periods.
typedef struct level_segment {
    size_t begin, end;  // slots
    double slack;
} level_segment;

// The memory of one worker.
typedef struct rows_worker {
    candidate_set block;
    mote_buffer runs, slots;
    mote_buffer codes;        // of the block's candidates, for the first entry of the group
    mote_buffer span_memory;  // only for periodic boxes
    size_t span_count;
    level_segment segments[PERIOD_LEVELS];
    uint32_t segment_count;
    mote_buffer blurred;  // the points that are tested one by one
    size_t blurred_count;
    uint32_t hint[CLASS_HINTS];
    shift_cache shifts;
    char pad[64];
} rows_worker;

// A row of the request and the place of its point among the sorted ones.
typedef struct subset_row {
    uint32_t row, place;
} subset_row;

typedef struct rows_task {
    const mote_neighbors *search;
    const cell_rows *rows;
    const row_request *request;
    row_writer *writers;
    const sieve_lanes *lanes;
    const subset_row *subset;  // the request's rows in sorted order; NULL: in the given order
    bool periodic, half;
    bool indices_only;  // rows hold only indices
    bool is_sharp;      // all points are in level 0, and rounding blurs no place of theirs
    sieve_rule rule;
    atomic_uint_least64_t *blurred;  // pairs of points that were tested one by one
} rows_task;

// A point for which a row is requested, with its binned position.
typedef struct group_entry {
    row_query query;
    double at[3];
    image wrap;
} group_entry;

typedef struct row_group {
    group_entry entries[ROW_GROUP];
    uint32_t count;
    uint32_t place;  // of the first entry among the sorted points; UINT32_MAX: not a run of sorted points
    group_bounds bounds;
    double max_radius;
    sieve_frame frame;
    double grow;  // rounding can matter between reach · (1 ± grow) ± slack
    level_margin margins[PERIOD_LEVELS];
} row_group;

// Returns an upper bound of the distances at which the test may still find neighbours in a level.
static inline double mote_row_group_widen(const row_group *group, double reach, uint32_t level)
{
    return reach * (1 + group->grow) + group->margins[level].slack;
}

static inline bool mote_row_group_is_blurred(const row_group *group, uint32_t level)
{
    return (group->bounds.blurred >> level & 1) != 0;
}

// Reserves twice the memory if there is not enough; `keep` elements remain.
static inline bool mote_cell_rows_reserve(const rows_task *task, mote_buffer *buffer, size_t count, size_t size,
                                          size_t keep)
{
    size_t bytes = mote_bytes(count, size);
    if (bytes <= buffer->bytes) return true;
    return mote_buffer_reserve(task->search->context, buffer, mote_bytes(bytes, 2), keep * size) == MOTE_OK;
}

// Makes a group of sorted points from `begin` on: those of a cell, and of the next cells while the group is small.
// The outermost cells of a grid also hold everything beyond it; there, only points near each other form a group.
// @param cell   in and out: a cell at or before that of the first point
void mote_row_group_take_sorted(const rows_task *task, uint32_t begin, uint32_t end, uint32_t *cell, row_group *group,
                                const row_writer *writer);

// The same for a subset in sorted order.
void mote_row_group_take_subset(const rows_task *task, size_t begin, size_t end, row_group *group,
                                const row_writer *writer);

// Makes a group of the request's rows from `begin` on.
void mote_row_group_take_requested(const rows_task *task, size_t begin, size_t end, row_group *group);

// Computes what depends on the group's box.
void mote_row_group_close(const rows_task *task, row_group *group);

// Gathers the candidates of all levels, as segments.
bool mote_row_group_gather(const rows_task *task, const row_group *group, rows_worker *worker);

// Lists the points whose places relative to the group are blurred.
bool mote_row_group_gather_blurred(const rows_task *task, const row_group *group, rows_worker *worker);

// Returns the slot of the group's first point if the group is a run of sorted points; the slots of its other points
// follow.
uint32_t mote_row_group_first_slot(const rows_task *task, const row_group *group, const rows_worker *worker);

// Finds the rows of a group.
bool mote_row_group_find(const rows_task *task, const row_group *group, rows_worker *worker, row_writer *writer);

#endif
