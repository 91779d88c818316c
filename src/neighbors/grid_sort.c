// SPDX-License-Identifier: MIT
// Sorting points into cells.
//
// Dense boxes: two counting sorts, the most significant one first. The first one distributes whole records
// (position, index) over some hundred stretches of cells, so that the second one works on a stretch that fits the
// cache, and unordered input is read only once. If consecutive points are mostly in the same stretch, as on a
// lattice or after an earlier sort, the first one only records which runs of points belong to the stretch, and the
// second one reads them in place. Both are stable, and divide their work into blocks that do not depend on the
// threads. O(n + cells).
//
// Guests are sorted into the cells of another sort in the same way, but for those that lie outside its box or in a cell
// that has no points around: these are left out. A bit for every cell tells which these are.
//
// Sparse boxes (more than a few cells per point): the cell coordinates are radix-sorted, as one 64-bit key if they
// fit, otherwise axis by axis, and numbered; then the occupied cells are listed. Positions are gathered last: until
// then their arrays are used by the sort.
//
// A few points need not be sorted at all: one cell holds them all. To test each against all others, a vector at a time,
// takes less than to look into the cells around.

#include "neighbors/grid_sort.h"

#include <string.h>

#include "base/vector.h"
#include "base/order.h"
#include "cells/internal.h"
#include "neighbors/lanes.h"

enum {
    SLICE = 16384,            // points of a block in the passes over the input
    MAX_SLICES = 256,
    DENSE_CELLS_A_POINT = 4,  // with more, a dense box costs more than it saves
    DENSE_CELLS_AT_LEAST = 4096,
    STRETCH_POINTS = 2048,    // desired points per stretch of cells
    RUN_POINTS = 8,           // average points per run from which recording runs pays off
    MAX_STRETCHES = 512,
    SAMPLE = 4096,            // most points in the sample that measures crowding,
    SHARED = 64,              // and how many pairs of them share a cell where points just do not crowd
    RECORD_AHEAD = 96,        // bytes by which prefetching is ahead in each stretch: of records,
    KEY_AHEAD = 80,           // of their keys,
    PREFETCH_POINTS = 16,     // and how many numbers of points a line of the cache holds
    CROWD = 8,                // average number of other points that may share a point's enlarged cell
    MOST_DOUBLINGS = 64,
    ANCHORED_CELLS = 1 << 24, // most cells in a row for an anchored grid
    GUEST_CELLS = 8           // cells per guest from which on a table for them costs more than it saves
};

typedef struct point_record {
    float x, y, z;
    uint32_t index;
} point_record;

typedef struct sort_task {
    const mote_points *points;
    cell_sort *sort;
    dense_keys *find_keys;
    const uint64_t *near;    // guests: a bit for each cell that has points in or around it; else NULL
    uint32_t *keys;          // cell of each point, or of each record
    uint32_t *point_keys;    // cell of each point, until they are spread
    point_record *records;   // in stretch order; NULL: runs are used
    cell_run *runs;          // runs of points whose cells are in one stretch; in stretch order
    uint32_t run_count;
    uint32_t *counts, *run_counts;  // [stretch][slice], then offsets of its records and of its runs
    uint32_t slice_count;
    size_t slice_size;
    uint32_t stretch_count, stretch_shift;
    uint64_t *coordinates;   // sparse: the keys to sort by
    int axis;                // sparse: the axis whose keys are made; −1: all in one key
} sort_task;

cell_id mote_cell_of(const cell_sort *sort, float x, float y, float z)
{
    cell_id id;
    const double inverse_edge = sort->inverse_edge, *origin = sort->origin;
    id.at[0] = mote_cell_coordinate((double)x - origin[0], inverse_edge);
    id.at[1] = sort->dimensions > 1 ? mote_cell_coordinate((double)y - origin[1], inverse_edge) : 0;
    id.at[2] = sort->dimensions > 2 ? mote_cell_coordinate((double)z - origin[2], inverse_edge) : 0;
    return id;
}

// ------------------------------------------------------------------------------------------------------- dense

static void find_keys_one_by_one(const cell_sort *sort, const mote_points *points, size_t begin, size_t count,
                                 uint32_t *keys)
{
    for (size_t i = 0; i < count; ++i) {
        float p[3];
        mote_cell_sort_position(points, begin + i, p);
        const cell_id id = mote_cell_of(sort, p[0], p[1], p[2]);
        bool is_inside = true;
        for (int k = 0; k < 3; ++k)
            is_inside &= id.at[k] >= sort->base[k] && (uint64_t)id.at[k] - (uint64_t)sort->base[k] < sort->size[k];
        keys[i] = is_inside ? mote_dense_key(sort, id) : NO_KEY;
    }
}

// Many at a time if cell coordinates fit 32 bits.
static dense_keys *choose_keys(const mote_context *context, const cell_sort *sort, bool guests)
{
    bool is_near = true;
    for (int k = 0; k < 3; ++k)
        is_near &= sort->base[k] > -(INT64_C(1) << 30) && sort->base[k] + sort->size[k] < INT64_C(1) << 30;
    const neighbors_lanes *lanes = mote_neighbors_lanes_choose(context);
    return !is_near ? find_keys_one_by_one : guests ? lanes->guest_keys : lanes->keys;
}

static inline bool bit_is_set(const uint64_t *bits, uint32_t k)
{
    return bits[k / 64] >> k % 64 & 1;
}

// Counts the points, and the runs of points, of each stretch. Guests that have no points around lose their keys.
MOTE_INLINE void count_keys(const sort_task *task, uint32_t *keys, size_t count, uint32_t *last, uint64_t *counts,
                            const bool guests)
{
    const uint32_t shift = task->stretch_shift;
    uint32_t before = *last;
    for (size_t i = 0; i < count; ++i) {
        if (guests && (keys[i] == NO_KEY || !bit_is_set(task->near, keys[i]))) {
            before = keys[i] = NO_KEY;
            continue;
        }
        const uint32_t stretch = keys[i] >> shift;
        counts[stretch] += 1 + ((uint64_t)(stretch != before) << 32);
        before = stretch;
    }
    *last = before;
}

static void count_slice(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    sort_task *task = data;
    uint64_t counts[MAX_STRETCHES] = {0};  // number of points, and, from bit 32 on, of runs
    uint32_t last = UINT32_MAX;
    for (size_t first = begin; first < end; first += KEY_BATCH) {
        const size_t count = MOTE_MIN(end - first, (size_t)KEY_BATCH);
        uint32_t *keys = task->point_keys + first;
        task->find_keys(task->sort, task->points, first, count, keys);
        if (task->near)
            count_keys(task, keys, count, &last, counts, true);
        else
            count_keys(task, keys, count, &last, counts, false);
    }
    const size_t slice = begin / task->slice_size;
    for (uint32_t s = 0; s < task->stretch_count; ++s) {
        task->counts[s * task->slice_count + slice] = (uint32_t)counts[s];
        task->run_counts[s * task->slice_count + slice] = (uint32_t)(counts[s] >> 32);
    }
}

static void begin_stretches(const sort_task *task, const uint32_t *table, size_t begin, uint32_t *offsets)
{
    const size_t slice = begin / task->slice_size;
    for (uint32_t s = 0; s < task->stretch_count; ++s) offsets[s] = table[s * task->slice_count + slice];
}

// Distributes records over the stretches. `guests`: some have no key.
MOTE_INLINE void spread_records(const sort_task *task, size_t begin, size_t end, uint32_t *offsets, const bool guests)
{
    const mote_points points = *task->points;  // which nothing that is written can change, and so on
    const uint32_t *const keys = task->point_keys, shift = task->stretch_shift;
    point_record *const records = task->records;
    uint32_t *const record_keys = task->keys;
    for (size_t i = begin; i < end; ++i) {
        float p[3];
        mote_cell_sort_position(&points, i, p);
        const uint32_t key = keys[i];
        if (guests && key == NO_KEY) continue;
        const uint32_t at = offsets[key >> shift]++;
        records[at] = (point_record){p[0], p[1], p[2], (uint32_t)i};
        record_keys[at] = key;
        mote_prefetch((const char *)(records + at) + RECORD_AHEAD);
        mote_prefetch((const char *)(record_keys + at) + KEY_AHEAD);
    }
}

static void spread_slice(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    uint32_t offsets[MAX_STRETCHES];
    begin_stretches(task, task->counts, begin, offsets);
    if (task->near)
        spread_records(task, begin, end, offsets, true);
    else
        spread_records(task, begin, end, offsets, false);
}

// Records a slice's runs. The keys are moved away from the place of the sorted points' indices. `guests`: some have no
// key.
MOTE_INLINE void note_slice(const sort_task *task, size_t begin, size_t end, uint32_t *offsets, const bool guests)
{
    const uint32_t *const from = task->point_keys, shift = task->stretch_shift;
    uint32_t *const to = task->keys;
    for (size_t i = begin; i < end;) {
        if (guests && from[i] == NO_KEY) {
            ++i;
            continue;
        }
        const uint32_t stretch = from[i] >> shift;
        cell_run *run = &task->runs[offsets[stretch]++];
        run->begin = (uint32_t)i;
        for (; i < end && from[i] >> shift == stretch && !(guests && from[i] == NO_KEY); ++i) to[i] = from[i];
        run->end = (uint32_t)i;
    }
}

static void note_runs(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    uint32_t offsets[MAX_STRETCHES];
    begin_stretches(task, task->run_counts, begin, offsets);
    if (task->near)
        note_slice(task, begin, end, offsets, true);
    else
        note_slice(task, begin, end, offsets, false);
}

static uint32_t stretch_begin(const sort_task *task, const uint32_t *table, size_t stretch, uint32_t end)
{
    return stretch < task->stretch_count ? table[stretch * task->slice_count] : end;
}

// Puts the records of a run, or the points, into their cells, and advances the cells' entries of `start`.
MOTE_INLINE void put_run(const sort_task *task, cell_run run, bool from_records)
{
    const cell_sort *sort = task->sort;
    for (uint32_t i = run.begin; i < run.end; ++i) {
        const uint32_t at = sort->start[task->keys[i] + 1]++;
        point_record record;
        if (from_records) {
            record = task->records[i];
        } else {
            float p[3];
            mote_cell_sort_position(task->points, i, p);
            record = (point_record){p[0], p[1], p[2], i};
        }
        sort->x[at] = record.x;
        sort->y[at] = record.y;
        sort->z[at] = record.z;
        sort->index[at] = record.index;
    }
}

// Sorts the points of one stretch into cells and writes its part of `start`.
static void sort_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)end, (void)worker;
    sort_task *task = data;
    cell_sort *sort = task->sort;
    const size_t first_cell = begin << task->stretch_shift;
    const size_t end_cell = MOTE_MIN((begin + 1) << task->stretch_shift, (size_t)sort->cell_count);
    const uint32_t first = stretch_begin(task, task->counts, begin, 0);
    const cell_run records = {first, stretch_begin(task, task->counts, begin + 1, sort->count)};
    const cell_run *runs = &records;
    size_t run_count = 1;
    if (task->runs) {
        const uint32_t first_run = stretch_begin(task, task->run_counts, begin, 0);
        runs = task->runs + first_run;
        run_count = stretch_begin(task, task->run_counts, begin + 1, task->run_count) - first_run;
    }
    uint32_t *start = sort->start + 1;  // in the end every entry is the end of its cell, where the next one starts
    const uint32_t *keys = task->keys;
    memset(start + first_cell, 0, (end_cell - first_cell) * sizeof *start);
    for (size_t r = 0; r < run_count; ++r)
        for (uint32_t k = runs[r].begin; k < runs[r].end; ++k) start[keys[k]] += 1;
    for (uint32_t at = first; at < records.end; at += PREFETCH_POINTS) {
        mote_prefetch(sort->x + at), mote_prefetch(sort->y + at), mote_prefetch(sort->z + at);
        mote_prefetch(sort->index + at);
    }
    uint32_t sum = first;
    for (size_t c = first_cell; c < end_cell; ++c) {
        uint32_t count = start[c];
        start[c] = sum;
        sum += count;
    }
    for (size_t r = 0; r < run_count; ++r) {
        if (task->runs)
            put_run(task, runs[r], false);
        else
            put_run(task, runs[r], true);
    }
    MOTE_ASSERT(sum == records.end && start[end_cell - 1] == sum);
}

// Anchors the grid just below the box's corner: if the spacing of a lattice divides the edge, cells anchored there
// are filled evenly, while cells anchored elsewhere may cut through the lattice's layers. If a row of cells would be
// so long that rounding matters (see cells/internal.h), the anchor is 0.
static void anchor(cell_sort *sort, const mote_box *box)
{
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    const double below = 1 / (16 * sort->inverse_edge);  // so that rounding of the layers moves none across a face
    bool is_short = true;
    for (int k = 0; k < 3; ++k) is_short &= (high[k] - low[k]) * sort->inverse_edge < ANCHORED_CELLS;
    for (int k = 0; k < 3; ++k) sort->origin[k] = is_short ? low[k] - below : 0;
}

// Returns the number of cells of the box, or 0 if they are too many for a dense table.
static uint64_t dense_cell_count(cell_sort *sort, const mote_box *box)
{
    anchor(sort, box);
    uint64_t most = MOTE_MAX((uint64_t)sort->count * DENSE_CELLS_A_POINT, (uint64_t)DENSE_CELLS_AT_LEAST);
    cell_id low = mote_cell_of(sort, (float)box->min.x, (float)box->min.y, (float)box->min.z);
    cell_id high = mote_cell_of(sort, (float)box->max.x, (float)box->max.y, (float)box->max.z);
    uint64_t cells = 1;
    for (int k = 0; k < 3; ++k) {
        int margin = k < sort->dimensions;
        uint64_t size = (uint64_t)high.at[k] - (uint64_t)low.at[k] + 1;
        if (size > most) return 0;
        size += 2 * (uint64_t)margin;
        if (cells > most / size) return 0;
        cells *= size;
        sort->base[k] = low.at[k] - margin;
        sort->size[k] = (uint32_t)size;
    }
    const int wide_y = sort->dimensions > 1, wide_z = sort->dimensions > 2;
    sort->row_count = 0;
    for (int dz = -wide_z; dz <= wide_z; ++dz)
        for (int dy = -wide_y; dy <= wide_y; ++dy)
            sort->row_step[sort->row_count++] = (dz * (int64_t)sort->size[1] + dy) * (int64_t)sort->size[0];
    return cells < UINT32_MAX ? cells : 0;
}

// Tells whether few points share a cell of the dense table, from a sample at regular intervals.
static bool is_roomy(const cell_sort *sort, const mote_points *points)
{
    uint32_t keys[SAMPLE];
    const double wanted = sqrt(2.0 * SHARED / CROWD * (double)sort->count);
    const size_t sampled = MOTE_MIN((size_t)sort->count, MOTE_MIN((size_t)wanted + 1, (size_t)SAMPLE));
    for (size_t k = 0; k < sampled; ++k) {
        float p[3];
        mote_cell_sort_position(points, (size_t)((uint64_t)k * sort->count / sampled), p);
        keys[k] = mote_dense_key(sort, mote_cell_of(sort, p[0], p[1], p[2]));
    }
    mote_sort_numbers(keys, sampled);
    double shared = 0;  // pairs in one cell
    for (size_t k = 1, same = 0; k < sampled; ++k) {
        same = keys[k] == keys[k - 1] ? same + 1 : 0;
        shared += (double)same;
    }
    return shared / (double)sampled * (double)sort->count / (double)sampled <= CROWD / 2.0;
}

// If points are so few that most cells of this edge would be empty, cells are enlarged until a dense table can hold
// them, unless points would crowd in some. Returns the number of cells of the table, or 0 with the edge unchanged.
static uint64_t choose_dense_cells(cell_sort *sort, const mote_points *points, const mote_box *box)
{
    const double finest = sort->inverse_edge;
    uint64_t cells = dense_cell_count(sort, box);
    if (cells > 0) return cells;
    for (int k = 0; k < MOST_DOUBLINGS && cells == 0; ++k) {
        sort->inverse_edge *= 0.5;
        cells = dense_cell_count(sort, box);
    }
    if (cells > 0 && is_roomy(sort, points)) return cells;
    sort->inverse_edge = finest;
    anchor(sort, box);
    return 0;
}

// @param near   guests: which cells have points around; else NULL
static mote_result build_dense(const mote_context *context, cell_sort *sort, const mote_points *points,
                               const uint64_t *near)
{
    const size_t n = points->count;
    sort_task task = {.points = points, .sort = sort, .find_keys = choose_keys(context, sort, near != NULL)};
    task.near = near;
    task.slice_size = MOTE_MAX((n + MAX_SLICES - 1) / MAX_SLICES, (size_t)SLICE);
    task.slice_count = mote_block_count(n, task.slice_size);
    uint64_t wanted = MOTE_MIN(n / STRETCH_POINTS + 1, (uint64_t)MAX_STRETCHES);
    while (((sort->cell_count - 1) >> task.stretch_shift) + 1 > wanted) task.stretch_shift += 1;
    task.stretch_count = (uint32_t)((sort->cell_count - 1) >> task.stretch_shift) + 1;

    const size_t entries = (size_t)task.stretch_count * task.slice_count;
    size_t bytes = n * (sizeof(point_record) + sizeof(uint32_t)) + 2 * entries * sizeof(uint32_t);
    mote_result result = mote_buffer_reserve(context, &sort->scratch, bytes, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &sort->starts,
                                     mote_bytes((size_t)sort->cell_count + 1, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    task.keys = (uint32_t *)(void *)((point_record *)sort->scratch.data + n);
    task.counts = task.keys + n;
    task.run_counts = task.counts + entries;
    task.point_keys = sort->index;  // not used until the points are put there
    sort->start = sort->starts.data;

    mote_parallel_for(context, n, task.slice_size, count_slice, &task);
    sort->count = (uint32_t)mote_prefix_sum_u32(task.counts, entries);
    MOTE_ASSERT(near ? sort->count <= n : sort->count == n);
    task.run_count = (uint32_t)mote_prefix_sum_u32(task.run_counts, entries);
    MOTE_ASSERT(task.run_count <= n);
    if (task.run_count <= n / RUN_POINTS) {
        task.runs = sort->scratch.data;
        mote_parallel_for(context, n, task.slice_size, note_runs, &task);
    } else {
        task.records = sort->scratch.data;
        mote_parallel_for(context, n, task.slice_size, spread_slice, &task);
    }
    sort->start[0] = 0;
    mote_parallel_for(context, task.stretch_count, 1, sort_stretch, &task);
    return MOTE_OK;
}

// The table of points that all lie in one cell, and of the empty cells around it.
static mote_result build_single_cell(const mote_context *context, cell_sort *sort, const mote_points *points)
{
    const size_t cells = (size_t)sort->cell_count, own = cells / 2;
    const mote_result result = mote_buffer_reserve(context, &sort->starts, (cells + 1) * sizeof(uint32_t), 0);
    if (result != MOTE_OK) return result;
    sort->start = sort->starts.data;
    for (size_t c = 0; c <= cells; ++c) sort->start[c] = c > own ? sort->count : 0;
    for (uint32_t i = 0; i < sort->count; ++i) {
        float p[3];
        mote_cell_sort_position(points, i, p);
        sort->x[i] = p[0], sort->y[i] = p[1], sort->z[i] = p[2];
        sort->index[i] = i;
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ sparse

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    sort_task *task = data;
    const cell_sort *sort = task->sort;
    for (size_t i = begin; i < end; ++i) {
        float p[3];
        mote_cell_sort_position(task->points, sort->index[i], p);
        cell_id id = mote_cell_of(sort, p[0], p[1], p[2]);
        if (task->axis >= 0)
            task->coordinates[i] = (uint64_t)id.at[task->axis] - (uint64_t)sort->low[task->axis];
        else
            task->coordinates[i] = mote_sparse_key(sort, id);
    }
}

// Adds the coordinates of the axis that was sorted by last to the points' keys: numbered from 2 on, so that
// neighbouring coordinates differ by 1 and others by 2. The numbers are few, however far the points lie apart.
static void number_axis(sort_task *task, uint64_t *keys, unsigned *shift)
{
    cell_sort *sort = task->sort;
    uint64_t number = 2;
    for (size_t i = 0; i < sort->count; ++i) {
        const uint64_t step = i > 0 ? task->coordinates[i] - task->coordinates[i - 1] : 0;
        number += MOTE_MIN(step, (uint64_t)2);
        if (*shift < 64) keys[sort->index[i]] |= number << *shift;
    }
    sort->bits[task->axis] = 0;
    for (uint64_t last = number + 1; last > 0; last >>= 1) sort->bits[task->axis] += 1;
    *shift += sort->bits[task->axis];
}

static void gather_points(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    sort_task *task = data;
    cell_sort *sort = task->sort;
    for (size_t i = begin; i < end; ++i) {
        float p[3];
        mote_cell_sort_position(task->points, sort->index[i], p);
        sort->x[i] = p[0], sort->y[i] = p[1], sort->z[i] = p[2];
    }
}

// Lists the occupied cells of the sorted points; their keys, if any, are moved to the front of the points' keys.
static mote_result list_cells(const mote_context *context, cell_sort *sort)
{
    for (int pass = 0; pass < 2; ++pass) {  // count, then fill
        uint64_t cells = 0;
        cell_id last = {{0, 0, 0}};
        uint64_t last_key = UINT64_MAX;
        for (uint32_t i = 0; i < sort->count; ++i) {
            if (sort->keys) {
                if (sort->keys[i] == last_key) continue;
                last_key = sort->keys[i];
                if (pass == 1) sort->keys[cells] = last_key;
            } else {
                cell_id id = mote_cell_at(sort, i);
                if (i > 0 && mote_cell_id_equal(id, last)) continue;
                last = id;
            }
            if (pass == 1) sort->start[cells] = i;
            cells += 1;
        }
        sort->cell_count = cells;
        if (pass == 1) break;
        const size_t bytes = mote_bytes((size_t)cells + 1, sizeof(uint32_t));
        mote_result result = mote_buffer_reserve(context, &sort->starts, bytes, 0);
        if (result != MOTE_OK) return result;
        sort->start = sort->starts.data;
    }
    sort->start[sort->cell_count] = sort->count;
    return MOTE_OK;
}

// Sorts those points that sort->index lists, sort->count of them, whose cells lie between `low` and `high`.
static mote_result build_sparse(const mote_context *context, cell_sort *sort, const mote_points *points, cell_id low,
                                cell_id high)
{
    const size_t n = sort->count;
    unsigned bits = 0;
    for (int k = 0; k < 3; ++k) {
        sort->low[k] = low.at[k], sort->high[k] = high.at[k], sort->bits[k] = 0;
        if (k >= sort->dimensions) continue;
        for (uint64_t extent = (uint64_t)high.at[k] - (uint64_t)low.at[k] + 4; extent > 0; extent >>= 1)
            sort->bits[k] += 1;
        bits += sort->bits[k];
    }
    // Numbers are kept by point: where guests were dropped they have no keys, and their cells are compared themselves.
    const bool is_packed = bits < 64, is_numbered = !is_packed && n == points->count;
    const size_t words = mote_bytes(n + 1, (is_numbered ? 2 : 1) * sizeof(uint64_t));
    mote_result result = mote_buffer_reserve(context, &sort->scratch, words, 0);
    if (result != MOTE_OK) return result;
    sort_task task = {.points = points, .sort = sort, .coordinates = sort->scratch.data};
    uint64_t *spare = sort->sorted.data;  // the place of x and y later
    uint32_t *index_spare = (uint32_t *)(void *)sort->z;
    uint64_t *numbers = is_numbered ? task.coordinates + n + 1 : NULL;
    if (is_numbered) memset(numbers, 0, n * sizeof *numbers), bits = 0;

    for (int k = is_packed ? -1 : 0; k < (is_packed ? 0 : sort->dimensions); ++k) {
        task.axis = k;
        mote_parallel_for(context, n, SLICE, make_keys, &task);
        result = mote_sort_u64(context, task.coordinates, sort->index, spare, index_spare, n);
        if (result != MOTE_OK) return result;
        if (is_numbered) number_axis(&task, numbers, &bits);
    }
    mote_parallel_for(context, n, SLICE, gather_points, &task);
    sort->has_numbers = is_numbered && bits <= 64;
    for (size_t i = 0; sort->has_numbers && i < n; ++i) task.coordinates[i] = numbers[sort->index[i]];
    sort->keys = is_packed || sort->has_numbers ? task.coordinates : NULL;
    return list_cells(context, sort);
}

static mote_result build_sparse_box(const mote_context *context, cell_sort *sort, const mote_points *points,
                                    const mote_box *box)
{
    const cell_id low = mote_cell_of(sort, (float)box->min.x, (float)box->min.y, (float)box->min.z);
    const cell_id high = mote_cell_of(sort, (float)box->max.x, (float)box->max.y, (float)box->max.z);
    for (uint32_t i = 0; i < sort->count; ++i) sort->index[i] = i;
    return build_sparse(context, sort, points, low, high);
}

// ------------------------------------------------------------------------------------------------------ guests

// 64 bits of a bitmap from any bit on; bits outside the map are 0.
static inline uint64_t bits_from(const uint64_t *bits, size_t words, int64_t first)
{
    const int64_t shift = first & 63, word = (first - shift) / 64;
    const uint64_t low = word >= 0 && word < (int64_t)words ? bits[word] : 0;
    const uint64_t high = word + 1 >= 0 && word + 1 < (int64_t)words ? bits[word + 1] : 0;
    return shift ? low >> shift | high << (64 - shift) : low;
}

// Marks the cells of a dense host that have points in or around them: each row of cells is widened by a cell at both
// ends, then every cell takes over the bits of the rows around it. The box has an empty margin, so that no bit is
// carried from the end of a row to an occupied cell of the next.
static mote_result mark_near_cells(const mote_context *context, cell_sort *sort, const cell_sort *host,
                                   const uint64_t **near)
{
    const size_t cells = (size_t)host->cell_count, words = cells / 64 + 1;
    mote_result result = mote_buffer_reserve(context, &sort->near, mote_bytes(words, 3 * sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    uint64_t *occupied = sort->near.data, *widened = occupied + words, *around = widened + words;
    for (size_t w = 0; w < words; ++w) {
        const size_t first = w * 64, end = MOTE_MIN(first + 64, cells);
        uint64_t bits = 0;
        for (size_t c = first; c < end; ++c) bits |= (uint64_t)(host->start[c + 1] > host->start[c]) << (c - first);
        occupied[w] = bits;
    }
    for (size_t w = 0; w < words; ++w) {
        const int64_t first = (int64_t)(w * 64);
        widened[w] = occupied[w] | bits_from(occupied, words, first - 1) | bits_from(occupied, words, first + 1);
    }
    for (size_t w = 0; w < words; ++w) {
        around[w] = 0;
        for (int r = 0; r < host->row_count; ++r)
            around[w] |= bits_from(widened, words, (int64_t)(w * 64) + host->row_step[r]);
    }
    *near = around;
    return MOTE_OK;
}

// Sorts guests into the host's own table.
static mote_result sort_into_table(const mote_context *context, cell_sort *sort, const mote_points *guests,
                                   const cell_sort *host)
{
    const uint64_t *near;
    mote_result result = mark_near_cells(context, sort, host, &near);
    if (result != MOTE_OK) return result;
    sort->dense = true;
    for (int k = 0; k < 3; ++k) sort->base[k] = host->base[k], sort->size[k] = host->size[k];
    sort->row_count = host->row_count;
    memcpy(sort->row_step, host->row_step, sizeof sort->row_step);
    sort->cell_count = host->cell_count;
    return build_dense(context, sort, guests, near);
}

// Sorts those guests that lie in the host's box, widened by a cell.
static mote_result sort_sparsely(const mote_context *context, cell_sort *sort, const mote_points *guests,
                                 const cell_sort *host)
{
    cell_id low, high, from = {{INT64_MAX, INT64_MAX, INT64_MAX}}, to = {{INT64_MIN, INT64_MIN, INT64_MIN}};
    for (int k = 0; k < 3; ++k) {
        const int margin = k < sort->dimensions;
        low.at[k] = host->dense ? host->base[k] : host->low[k] - margin;
        high.at[k] = host->dense ? host->base[k] + (int64_t)host->size[k] - 1 : host->high[k] + margin;
    }
    sort->dense = false;
    for (size_t i = 0; i < guests->count; ++i) {
        float p[3];
        mote_cell_sort_position(guests, i, p);
        const cell_id id = mote_cell_of(sort, p[0], p[1], p[2]);
        bool is_inside = true;
        for (int k = 0; k < 3; ++k) is_inside &= id.at[k] >= low.at[k] && id.at[k] <= high.at[k];
        if (!is_inside) continue;
        for (int k = 0; k < 3; ++k) {
            from.at[k] = MOTE_MIN(from.at[k], id.at[k]);
            to.at[k] = MOTE_MAX(to.at[k], id.at[k]);
        }
        sort->index[sort->count++] = (uint32_t)i;
    }
    return sort->count ? build_sparse(context, sort, guests, from, to) : MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- public

// Makes room for the sorted points, and no cells: those of earlier points are invalid.
static mote_result begin_sort(const mote_context *context, cell_sort *sort, const mote_points *points)
{
    sort->count = 0;
    sort->cell_count = 0;
    const size_t padded = (points->count + CELL_PADDING + 15) / 16 * 16;
    mote_result result =
        mote_buffer_reserve(context, &sort->sorted, padded * (3 * sizeof(float) + sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    sort->x = sort->sorted.data;
    sort->y = sort->x + padded;
    sort->z = sort->y + padded;
    sort->index = (uint32_t *)(void *)(sort->z + padded);
    sort->dimensions = points->dimensions;
    sort->dense = true;
    for (int k = 0; k < 3; ++k) sort->base[k] = sort->size[k] = 0;
    return MOTE_OK;
}

// Fills the padding that wide loads read, but that never counts as points.
static mote_result end_sort(cell_sort *sort, mote_result result)
{
    if (result != MOTE_OK) sort->count = 0, sort->cell_count = 0;
    for (size_t i = sort->count; i < sort->count + (size_t)CELL_PADDING; ++i) {
        sort->x[i] = sort->y[i] = sort->z[i] = 0;
        sort->index[i] = 0;
    }
    return result;
}

mote_result mote_cell_sort_build(const mote_context *context, cell_sort *sort, const mote_points *points,
                                 const mote_box *box, double edge, bool in_one_cell, mote_error *error)
{
    mote_box bounds;
    sort->count = 0;
    mote_result result = box ? MOTE_OK : mote_points_bounds(context, points, "points", &bounds, error);
    if (!box) box = &bounds;
    if (result == MOTE_OK) result = begin_sort(context, sort, points);
    if (result != MOTE_OK) return result;
    sort->inverse_edge = 1 / edge;
    if (points->count == 0) return MOTE_OK;
    if (in_one_cell) {
        const double x = box->max.x - box->min.x, y = box->max.y - box->min.y, z = box->max.z - box->min.z;
        sort->inverse_edge = 1 / MOTE_MAX(edge, 2 * MOTE_MAX(x, MOTE_MAX(y, z)));
    }
    sort->count = (uint32_t)points->count;
    sort->cell_count = choose_dense_cells(sort, points, box);
    sort->dense = sort->cell_count > 0;
    if (in_one_cell) return end_sort(sort, build_single_cell(context, sort, points));
    return end_sort(sort, sort->dense ? build_dense(context, sort, points, NULL)
                                      : build_sparse_box(context, sort, points, box));
}

mote_result mote_cell_sort_guests(const mote_context *context, cell_sort *sort, const mote_points *guests,
                                  const cell_sort *host)
{
    mote_result result = begin_sort(context, sort, guests);
    if (result != MOTE_OK || guests->count == 0 || host->count == 0) return result;
    sort->inverse_edge = host->inverse_edge;
    for (int k = 0; k < 3; ++k) sort->origin[k] = host->origin[k];
    const bool table_pays = host->dense && guests->count >= host->cell_count / GUEST_CELLS;
    return end_sort(sort, table_pays ? sort_into_table(context, sort, guests, host)
                                     : sort_sparsely(context, sort, guests, host));
}

void mote_cell_sort_release(const mote_context *context, cell_sort *sort)
{
    mote_buffer_release(context, &sort->sorted);
    mote_buffer_release(context, &sort->starts);
    mote_buffer_release(context, &sort->scratch);
    mote_buffer_release(context, &sort->near);
}

size_t mote_cell_sort_byte_count(const cell_sort *sort)
{
    return sort->sorted.bytes + sort->starts.bytes + sort->scratch.bytes + sort->near.bytes;
}
