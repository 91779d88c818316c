// SPDX-License-Identifier: MIT
// Rows from sorted points: the fast path of cell_grid.
//
// The candidates of all points of a cell are gathered once: from the runs of points in the surrounding cells, those
// within the radius of the box around the cell's points are copied side by side into memory that stays in the
// first-level cache. Then each point is tested against the gathered candidates, and against the points of its own cell
// in place. A point that is alone is tested against the runs directly.
//
// Work is divided into stretches of points, not of cells, so that points crowded into one cell are also divided. A row
// holds the points of the surrounding cells, ordered by z, then y, then x of their cells, and then those of its own
// cell. A row of a query holds all of them by z, y, x. Within a cell, points are ordered by index.
//
// Half lists are made by filtering, unless a pair may be in the row of either point: then a row has what comes after
// its point in the order of cells, and each pair is tested once. Squared distances of float points are computed
// together with the hits. For differences, for distances in ascending rows and for all columns of double points, the
// rows first hold places among the sorted points, where neighbours are close together in memory; the places are then
// converted to indices. A row of double points that floats do not decide is tested once more, as the definition says.

#include "neighbors/grid_worker.h"

#include "base/order.h"
#include "cells/internal.h"
#include "neighbors/collect.h"
#include "neighbors/lanes.h"

enum {
    BATCH = 32,       // rows found together
    FEW = 1,          // points of a group up to which gathering its candidates does not pay
    NEAR_CELLS = 8,   // cells that are looked through before one is looked up
    CROWDED = 14,     // points in a run from which on vectors of sixteen are faster than those of eight
    PLACES = 8,       // that are compared at once
    LINE = 16,        // indices in a cache line
    AHEAD = 1024,     // indices by which memory for rows is prefetched,
    BURST = 256       // so many at a time: how often this is done is easier to foresee
};

// ------------------------------------------------------------------------------------------------------------ rows

typedef struct find_task {
    const mote_neighbors *search;
    const grid_points *grid;
    const row_source *source;
    const row_request *request;
    row_writer *writers;
    const scan_lanes *wide, *narrow;  // for crowded cells, and for others
} find_task;

// The data that a block of work needs.
typedef struct find_block {
    const find_task *task;
    const mote_context *context;
    const cell_sort *sort;
    const row_source *source;
    grid_worker *here;
    uint32_t *hint;        // for look-ups of cells
    row_writer *writer;
    bool has_places, half, is_own;  // half: rows are filtered
    row_pairs *pairs;      // written as soon as their rows are found; NULL: they are not
    uint64_t cell;         // of the last group: among the source's cells if it has its own
    group_scan scan;       // what all groups have in common, and the own cell of the last one
    point_scan single;     // what all points have in common
    const uint32_t *ahead;  // memory for rows is prefetched up to here
    uint32_t doubts[BATCH];
} find_block;

static void start_block(find_block *block, const find_task *task, uint32_t worker)
{
    const grid_points *grid = task->grid;
    const row_source *source = task->source;
    *block = (find_block){.task = task, .context = task->search->context, .sort = &grid->sort, .source = source};
    block->writer = task->writers + worker;
    block->has_places = mote_grid_wants_places(task->search);
    block->is_own = !source->cells;
    block->pairs = task->request->pairs && task->request->pairs->is_whole ? task->request->pairs : NULL;
    const bool is_half = mote_search_has(task->search, MOTE_NEIGHBORS_HALF) && block->is_own;
    block->half = is_half && !task->search->def.half_either;
    group_scan *scan = &block->scan;
    scan->forward = is_half && !block->half;
    scan->sorted = mote_sorted_columns(block->sort);
    if (block->has_places) scan->sorted.index = grid->places.data;
    scan->points = source->points;
    scan->places = source->places;
    scan->radius_squared = grid->is_relative ? grid->frame.radius_squared : task->search->radius_squared;
    scan->sure_squared = grid->frame.sure_squared;
    scan->doubts = grid->is_relative ? block->doubts : NULL;
    block->single = (point_scan){.from = scan->sorted, .radius_squared = scan->radius_squared};
    block->single.sure_squared = scan->sure_squared;
    block->single.doubts = scan->doubts;
}

// The index of the source's point p, or UINT32_MAX if it does not belong to the set.
static inline uint32_t self_of(const find_block *block, size_t p)
{
    const uint32_t *places = block->source->places;
    return block->is_own ? block->sort->index[places ? places[p] : p] : UINT32_MAX;
}

// The source's point p in the points' precision.
static void exact_point(const find_block *block, size_t p, double at[3])
{
    const find_task *task = block->task;
    const row_source *source = block->source;
    const double *exact = task->grid->exact.data;
    if (!block->is_own)
        for (int k = 0; k < 3; ++k) at[k] = mote_points_get(task->request->queries, source->points.index[p], k);
    else if (block->has_places)
        memcpy(at, exact + 3 * (source->places ? source->places[p] : p), 3 * sizeof *at);
    else
        mote_point_store_get(&task->search->points, self_of(block, p), at);
}

// Drops the hits of a doubtful row that the exact test does not confirm.
static uint32_t confirm(const find_block *block, size_t p, uint32_t *row, uint32_t count)
{
    const mote_neighbors *search = block->task->search;
    const uint32_t *index = block->has_places ? block->sort->index : NULL;
    const double limit = mote_limit_squared(search, search->radius);
    double mine[3], other[3], d[3];
    uint32_t kept = 0;
    exact_point(block, p, mine);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t hit = row[k];
        mote_point_store_get(&search->points, index ? index[hit] : hit, other);
        row[kept] = hit;
        kept += mote_difference(MOTE_F64, mine, other, NULL, d) <= limit;
    }
    return kept;
}

// Writes the columns of a row, given as places among the sorted points.
static void fill_columns(const find_block *block, size_t p, const uint32_t *row, uint32_t count, const row_columns *to)
{
    const cell_sort *sort = block->sort;
    const point_columns points = block->source->points;
    const float x = points.x[p], y = points.y[p], z = points.z[p];
    float *squared = to->squared, *differences = to->differences;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t place = row[k];
        const float dx = sort->x[place] - x, dy = sort->y[place] - y, dz = sort->z[place] - z;
        to->indices[k] = sort->index[place];
        if (squared) squared[k] = (dx * dx + dy * dy) + dz * dz;
        if (differences) differences[3 * k] = dx, differences[3 * k + 1] = dy, differences[3 * k + 2] = dz;
    }
}

static void fill_columns_f64(const find_block *block, size_t p, const uint32_t *row, uint32_t count,
                             const row_columns *to)
{
    const double *exact = block->task->grid->exact.data;
    double mine[3], d[3];
    double *squared = to->squared, *differences = to->differences;
    exact_point(block, p, mine);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t place = row[k];
        const double from = mote_difference(MOTE_F64, mine, exact + 3 * (size_t)place, NULL, d);
        to->indices[k] = block->sort->index[place];
        if (squared) squared[k] = from;
        if (differences) memcpy(differences + 3 * k, d, sizeof d);
    }
}

// Reserves room for the output of the scan: final rows, or rows of places.
static inline bool begin_row(const find_block *block, size_t room, hit_columns *to)
{
    if (!block->has_places) return mote_row_begin_columns(block->writer, room, &to->indices, &to->squared);
    *to = (hit_columns){mote_row_begin(block->writer, room), NULL};
    return to->indices != NULL;
}

static uint32_t keep_half(const find_block *block, uint32_t self, hit_columns row, uint32_t count)
{
    const uint32_t *index = block->has_places ? block->sort->index : NULL;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t hit = row.indices[k];
        row.indices[kept] = hit;
        if (row.squared) row.squared[kept] = row.squared[k];
        kept += (index ? index[hit] : hit) > self;
    }
    return kept;
}

// Ends the row of the source's point p, which the scan has written.
static void end_row(const find_block *block, size_t p, hit_columns row, uint32_t count, bool is_doubtful)
{
    row_writer *writer = block->writer;
    const row_sink *sink = writer->sink;
    const uint32_t number = block->source->points.index[p];
    if (is_doubtful) count = confirm(block, p, row.indices, count);
    if (block->half) count = keep_half(block, self_of(block, p), row, count);
    if (!block->has_places) {
        mote_row_end(writer, number, row.indices, count);
        return;
    }
    row_columns to;
    if (sink->ascending) mote_row_ascend(sink->form, row.indices, count, block->sort->index);
    if (!mote_row_open(writer, count, &to)) return;
    if (sink->is_f64)
        fill_columns_f64(block, p, row.indices, count, &to);
    else
        fill_columns(block, p, row.indices, count, &to);
    mote_row_close(writer, number, &to, count);
}

// The loops for these candidates: short runs leave most lanes of the widest vectors empty.
static inline const scan_lanes *lanes_for(const find_block *block, const cell_runs *runs)
{
    const bool is_crowded = runs->points >= (size_t)runs->count * CROWDED;
    return is_crowded ? block->task->wide : block->task->narrow;
}

// ---------------------------------------------------------------------------------------------------------- groups

// Points p … end − 1 of the source lie in one cell; `runs` are around it. If that cell is not one of the runs, the
// block's scan has it. It is written there at once: copied from here, its begin and end would be read in one piece just
// after they were written one by one, for which processors have to wait.
typedef struct cell_group {
    size_t p, end;
    bool is_alone;  // one point, whose own cell holds no other
    cell_runs runs;
} cell_group;

// Goes on to the cell of a sorted point. Cells with wanted points are often near each other.
static inline void seek_cell(find_block *block, uint32_t place)
{
    const uint32_t *start = block->sort->start;
    for (int k = 0; k < NEAR_CELLS && start[block->cell + 1] <= place; ++k) ++block->cell;
    if (start[block->cell + 1] <= place) block->cell = mote_cell_number(block->sort, mote_cell_at(block->sort, place));
}

// The first of the ascending places p … end − 1 that is not below a limit. How many points of a cell are wanted cannot
// be foreseen: a branch for each of them would often go the wrong way.
static inline size_t first_behind(const uint32_t *places, size_t p, size_t end, uint32_t limit)
{
    for (; end - p >= PLACES; p += PLACES) {
        size_t count = 0;
        for (size_t k = 0; k < PLACES; ++k) count += places[p + k] < limit;
        if (count < PLACES) return p + count;
    }
    while (p < end && places[p] < limit) ++p;
    return p;
}

// Drops what lies before a place.
static void clip_runs(cell_runs *runs, size_t place)
{
    int kept = 0;
    runs->row_of = NULL;
    runs->points = 0;
    for (int r = 0; r < runs->count; ++r) {
        const cell_run run = {MOTE_MAX(runs->at[r].begin, (uint32_t)place), runs->at[r].end};
        if (run.begin >= run.end) continue;
        runs->at[kept++] = run;
        runs->points += run.end - run.begin;
    }
    runs->count = kept;
}

// The next group of points of the set, among all or some of them.
MOTE_INLINE void next_own_group(find_block *block, size_t p, size_t end, cell_group *group)
{
    const cell_sort *sort = block->sort;
    const uint32_t *start = sort->start, *places = block->source->places;
    const size_t place = places ? places[p] : p;
    if (!places)
        while (start[block->cell + 1] <= place) ++block->cell;
    else
        seek_cell(block, (uint32_t)place);
    const size_t cell_end = start[block->cell + 1];
    group->end = MOTE_MIN(cell_end, end);
    if (places)
        group->end = first_behind(places, p, end, (uint32_t)cell_end);
    block->scan.own_begin = start[block->cell], block->scan.own_end = cell_end;
    group->is_alone = cell_end - start[block->cell] == 1 && group->end - p == 1;
    if (block->scan.forward && sort->dense) {
        mote_cell_runs_behind(sort, block->cell, &group->runs);
        return;
    }
    mote_cell_runs_around(sort, block->cell, !group->is_alone, &group->runs, block->hint);
    if (block->scan.forward) clip_runs(&group->runs, cell_end);
}

// The runs of points around any cell.
static void find_runs(const find_block *block, cell_id id, cell_runs *runs)
{
    runs->count = mote_cell_runs(block->sort, id, runs->at, block->hint);
    runs->row_of = NULL;
    runs->points = 0;
    for (int r = 0; r < runs->count; ++r) runs->points += runs->at[r].end - runs->at[r].begin;
}

// The next group of guests.
static void next_guests(find_block *block, size_t p, size_t end, cell_group *group)
{
    const cell_sort *guests = block->source->cells;
    while (guests->start[block->cell + 1] <= p) ++block->cell;
    group->end = MOTE_MIN((size_t)guests->start[block->cell + 1], end);
    group->is_alone = false;
    // Guests in a table lie in that of the points, some in its margin. What seems to be around a cell of the margin is
    // the margin of another row, and empty; but what would be around the first and last layers is outside the table.
    const cell_sort *sort = block->sort;
    const uint64_t layer = guests->dense ? (uint64_t)sort->row_step[sort->row_count - 1] + 1 : 0;
    if (guests->dense && block->cell >= layer && block->cell + layer < sort->cell_count)
        mote_cell_runs_around(sort, block->cell, false, &group->runs, block->hint);
    else
        find_runs(block, mote_cell_at(guests, (uint32_t)p), &group->runs);
}

// Finds the row of the source's point p from the runs, without gathering them.
MOTE_INLINE bool find_point(find_block *block, const cell_runs *runs, size_t p)
{
    const size_t room = runs->points + MOTE_WIDE_MOST;
    const point_columns points = block->source->points;
    hit_columns row;
    if (!begin_row(block, room, &row)) return false;
    point_scan *scan = &block->single;
    scan->runs = runs->at;
    scan->run_count = runs->count;
    scan->point[0] = points.x[p], scan->point[1] = points.y[p], scan->point[2] = points.z[p];
    scan->self = !block->is_own ? SIZE_MAX : block->source->places ? block->source->places[p] : p;
    const uint32_t count = lanes_for(block, runs)->scan_point(scan, row);
    const bool is_doubtful = scan->doubts && scan->doubts[0];
    if (block->half || block->has_places || is_doubtful)
        end_row(block, p, row, count, is_doubtful);
    else
        mote_row_end(block->writer, points.index[p], row.indices, count);
    block->writer->candidates += runs->points;
    return true;
}

// Finds the rows of a group of a few points.
static bool find_points(find_block *block, cell_group *group)
{
    cell_runs *runs = &group->runs;
    const uint32_t *places = block->source->places;
    size_t own_begin = block->scan.own_begin;
    const size_t own_end = block->scan.own_end;
    MOTE_ASSERT(!block->scan.forward || group->end - group->p == 1);
    if (block->scan.forward) own_begin = (places ? places[group->p] : group->p) + 1;
    if (!group->is_alone && own_end > own_begin) {
        runs->at[runs->count++] = (cell_run){(uint32_t)own_begin, (uint32_t)own_end};
        runs->points += own_end - own_begin;
    }
    for (size_t p = group->p; p < group->end; ++p)
        if (!find_point(block, runs, p)) return false;
    return true;
}

// Gathers the candidates of the scan's group.
static bool gather(const find_block *block, group_scan *scan, const cell_runs *runs)
{
    candidate_block *gathered = &block->here->gathered;
    const size_t most = runs->points + MOTE_WIDE_MOST;
    if (most > gathered->capacity && mote_block_reserve(block->context, gathered, most) != MOTE_OK) return false;
    scan->gathered = gathered->at;
    scan->gathered_count = lanes_for(block, runs)->gather(gathered->at, scan, runs->at, runs->count, runs->row_of);
    mote_buffer *kept = &block->here->kept;
    const size_t room = mote_kept_room(scan), bytes = mote_bytes(room, sizeof(uint32_t) + sizeof(float));
    if (bytes > kept->bytes && mote_buffer_reserve(block->context, kept, bytes, 0) != MOTE_OK) return false;
    scan->kept.squared = kept->data;
    scan->kept.hits = (uint32_t *)(void *)(scan->kept.squared + room);
    return true;
}

static bool any(const uint32_t *doubts, size_t count)
{
    uint32_t found = 0;
    for (size_t k = 0; k < count; ++k) found |= doubts[k];
    return found != 0;
}

// Finds the rows of the scan's group and stores them.
static bool store_group(const find_block *block, const scan_lanes *lanes, group_scan *scan)
{
    row_writer *writer = block->writer;
    const bool is_plain = !block->half && !block->has_places;
    const uint32_t *numbers = block->source->points.index;
    const size_t end = scan->first + scan->count, room = mote_group_room(scan);
    writer->candidates += scan->count * (room - MOTE_WIDE_MOST);
    for (; scan->first < end; scan->first += scan->count) {
        uint32_t counts[BATCH];
        hit_columns row;
        if (!begin_row(block, room, &row)) return false;
        scan->count = MOTE_MIN(end - scan->first, (size_t)BATCH);
        const size_t left = writer->in_scratch ? room : (size_t)(writer->end - row.indices);
        if (scan->count * room > left) scan->count = left / room;  // rarely: dividing takes long
        lanes->scan_group(scan, row, counts);
        if (is_plain && !(scan->doubts && any(scan->doubts, scan->count))) {
            mote_rows_end(writer, numbers + scan->first, counts, scan->count, row.indices);
            continue;
        }
        for (size_t k = 0; k < scan->count; ++k) {
            end_row(block, scan->first + k, row, counts[k], scan->doubts && scan->doubts[k]);
            row.indices += counts[k];
            if (row.squared) row.squared += counts[k];
        }
    }
    return true;
}

// Passes up to BATCH rows to the visitor where they are; they are `stride` apart. All of them are assembled before
// the first one is copied: a copy that reads data just written in parts would have to wait for these writes.
static void hand_rows(row_writer *writer, const uint32_t *numbers, hit_columns rows, size_t stride,
                      const uint32_t *counts, size_t count)
{
    const row_sink *sink = writer->sink;
    mote_row handed[BATCH];
    for (size_t k = 0; k < count; ++k) {
        handed[k] = (mote_row){.index = numbers[k], .count = counts[k], .indices = rows.indices + k * stride};
        if (rows.squared) handed[k].squared = rows.squared + k * stride;
        writer->hit_count += counts[k];
    }
    for (size_t k = 0; k < count; ++k) sink->visitor(sink->user_data, handed[k], writer->worker);
}

// Like store_group, but for a visitor, which receives the rows where they were written, each at a place of its own.
static bool visit_group(const find_block *block, const scan_lanes *lanes, group_scan *scan)
{
    row_writer *writer = block->writer;
    const bool is_plain = !block->half && !block->has_places && !writer->sink->ascending;
    const uint32_t *numbers = block->source->points.index;
    const size_t end = scan->first + scan->count, room = mote_group_room(scan);
    const size_t at_once = MOTE_MIN(scan->count, (size_t)BATCH);
    hit_columns rows;
    if (!begin_row(block, at_once * room, &rows)) return false;
    writer->candidates += scan->count * (room - MOTE_WIDE_MOST);
    scan->stride = room;
    for (; scan->first < end; scan->first += scan->count) {
        uint32_t counts[BATCH];
        scan->count = MOTE_MIN(end - scan->first, at_once);
        lanes->scan_group(scan, rows, counts);
        if (is_plain && !(scan->doubts && any(scan->doubts, scan->count))) {
            hand_rows(writer, numbers + scan->first, rows, room, counts, scan->count);
            continue;
        }
        hit_columns row = rows;
        for (size_t k = 0; k < scan->count; ++k) {
            end_row(block, scan->first + k, row, counts[k], scan->doubts && scan->doubts[k]);
            row.indices += room;
            if (row.squared) row.squared += room;
        }
    }
    scan->stride = 0;
    return true;
}

// Prefetches the memory that the next rows are written to. Stores end in order: those of gathered candidates, which are
// in the first-level cache, would wait behind those of rows, which are not.
static inline void prefetch_rows(find_block *block)
{
    const row_writer *writer = block->writer;
    const size_t left = (size_t)(writer->end - writer->cursor);
    const uintptr_t ahead = (uintptr_t)block->ahead - (uintptr_t)writer->cursor;
    if (left == 0) return;  // also for visitors
    const uint32_t *const until = writer->cursor + MOTE_MIN(left, (size_t)AHEAD);
    const uint32_t *at = ahead <= AHEAD * sizeof *at ? block->ahead : writer->cursor;
    for (; until - at >= BURST; at += BURST)
        for (size_t k = 0; k < BURST; k += LINE) mote_prefetch(at + k);
    block->ahead = at;
}

// Finds the rows of a group of several points.
static bool find_group(find_block *block, const cell_group *group)
{
    group_scan *scan = &block->scan;
    prefetch_rows(block);
    scan->first = group->p, scan->count = group->end - group->p;
    if (!gather(block, scan, &group->runs)) {
        atomic_store(&block->writer->sink->out_of_memory, true);
        return false;
    }
    const scan_lanes *lanes = lanes_for(block, &group->runs);
    return block->writer->sink->visitor ? visit_group(block, lanes, scan) : store_group(block, lanes, scan);
}

// Writes the pairs of the rows begin … end − 1, which were found just now.
static void write_group_pairs(const find_block *block, size_t begin, size_t end)
{
    row_pairs *pairs = block->pairs;
    const row_sink *sink = block->writer->sink;
    const mote_lists lists = {.first = sink->first, .counts = sink->counts, .indices = sink->indices};
    pairs->is_whole &= pairs->next == begin && !atomic_load_explicit(&sink->overflowed, memory_order_relaxed);
    if (!pairs->is_whole) return;
    uint64_t count = 0;
    for (size_t r = begin; r < end; ++r) count += lists.counts[r];
    pairs->next = end;
    pairs->is_whole = count <= pairs->to->capacity - pairs->count;
    if (pairs->is_whole) pairs->put(&lists, pairs->to, begin, end, pairs->count, pairs->to->capacity);
    pairs->count += count;
}

// Whether any row of a group is wanted.
static bool has_wanted(const find_block *block, const row_filter *filter, const cell_group *group)
{
    const uint32_t *index = block->sort->index;
    for (size_t p = group->p; p < group->end; ++p)
        if (index[p] < filter->count && (!filter->flags || filter->flags[index[p]])) return true;
    return false;
}

// Finds the rows of a stretch of the source, one cell at a time.
static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    find_block block;
    start_block(&block, data, worker);
    block.here = (grid_worker *)block.task->grid->workers.data + worker;
    block.hint = block.here->hint;
    row_source picked;
    if (block.source->wanted) {
        mote_source_pick(block.source, block.sort, block.task->wide, begin, end, block.here->picked.data, &picked);
        if (picked.count == 0) return;
        block.source = &picked;
        block.scan.points = picked.points, block.scan.places = picked.places;
        begin = 0, end = picked.count;
    }
    const row_source *source = block.source;
    const row_filter *filter = block.task->request->filter;
    MOTE_ASSERT(!filter || (!source->places && !source->cells));
    const cell_sort *cells = source->cells ? source->cells : block.sort;
    const uint32_t first = source->places ? source->places[begin] : (uint32_t)begin;
    block.cell = mote_cell_number(cells, mote_cell_at(cells, first));
    cell_group group;
    for (group.p = begin; group.p < end; group.p = group.end) {
        if (source->cells)
            next_guests(&block, group.p, end, &group);
        else
            next_own_group(&block, group.p, end, &group);
        if (filter && !has_wanted(&block, filter, &group)) continue;
        const bool are_few = group.end - group.p <= FEW;
        if (!(are_few ? find_points(&block, &group) : find_group(&block, &group))) return;
        if (block.pairs) write_group_pairs(&block, group.p, group.end);
    }
}

// The loops for few candidates.
static const scan_lanes *narrow_lanes(const mote_context *context)
{
    const neighbors_lanes *lanes = mote_neighbors_lanes_choose(context);
    const bool is_widest = mote_context_simd(context) == MOTE_SIMD_AVX512;
    return is_widest ? mote_neighbors_lanes(MOTE_SIMD_AVX2)->scan : lanes->scan;
}

// Gives every worker memory for the points of a part of a subset.
static bool reserve_picked(const mote_context *context, grid_points *grid, size_t stretch)
{
    grid_worker *workers = grid->workers.data;
    const size_t bytes = 5 * mote_source_pick_room(stretch) * sizeof(uint32_t);
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w)
        if (mote_buffer_reserve(context, &workers[w].picked, bytes, 0) != MOTE_OK) return false;
    return true;
}

void mote_grid_find(mote_neighbors *search, grid_points *grid, const row_source *source, const row_request *request,
                    row_writer *writers)
{
    row_sink *sink = writers->sink;
    if (mote_grid_level_workers(search->context, grid) != MOTE_OK) {
        atomic_store(&sink->out_of_memory, true);
        return;
    }
    if (source->count < sink->row_count) mote_rows_clear(sink);
    const scan_lanes *lanes = mote_neighbors_lanes_choose(search->context)->scan;
    const size_t stretch = mote_grid_stretch(source->count);
    find_task task = {search, grid, source, request, writers, lanes, narrow_lanes(search->context)};
    if (!source->wanted) {
        mote_rows_end_in_order(search, writers, source->points.index, source->count);
    } else if (!reserve_picked(search->context, grid, stretch)) {
        atomic_store(&sink->out_of_memory, true);
        return;
    } else {
        uint32_t sample[SPAN_WINDOWS * SPAN_WINDOW];
        mote_source_sample(source, &grid->sort, sample, SPAN_WINDOWS, SPAN_WINDOW);
        mote_rows_end_in_order(search, writers, sample, sizeof sample / sizeof *sample);
    }
    if (request->pairs) {
        request->pairs->is_whole = mote_context_worker_count(search->context) == 1 && !sink->piles.spans;
        request->pairs->count = request->pairs->next = 0;
    }
    mote_parallel_for(search->context, source->count, stretch, find_stretch, &task);
    if (request->pairs) request->pairs->is_whole &= request->pairs->next == source->count;
}

void mote_grid_find_row(const mote_neighbors *search, const grid_points *grid, const row_request *request,
                        row_writer *writer)
{
    const cell_sort *sort = &grid->sort;
    const relative_frame *frame = grid->is_relative ? &grid->frame : NULL;
    uint32_t number = 0, place = 0, hint[CELL_MAX_RUNS] = {0};
    float at[3] = {0, 0, 0};
    if (request->queries) {
        const row_query query = mote_request_get(search, request, 0);
        for (int k = 0; k < sort->dimensions; ++k)
            at[k] = frame ? mote_relative(frame, query.at[k], k) : (float)query.at[k];
    } else {
        place = mote_grid_place_of(grid, request->subset[0]);
        at[0] = sort->x[place], at[1] = sort->y[place], at[2] = sort->z[place];
    }
    const row_source source = {.points = {at, at + 1, at + 2, &number}, .count = 1,
                               .places = request->queries ? NULL : &place, .cells = request->queries ? sort : NULL};
    const scan_lanes *lanes = mote_neighbors_lanes_choose(search->context)->scan;
    const find_task task = {search, grid, &source, request, writer, lanes, narrow_lanes(search->context)};
    cell_group group = {.p = 0, .end = 1};
    find_block block;
    start_block(&block, &task, 0);
    block.hint = hint;
    if (!request->queries) {
        block.cell = mote_cell_number(sort, mote_cell_at(sort, place));
        next_own_group(&block, 0, 1, &group);
    } else if (sort->count > 0) {
        find_runs(&block, mote_cell_of(sort, at[0], at[1], at[2]), &group.runs);
    }
    find_points(&block, &group);
}
