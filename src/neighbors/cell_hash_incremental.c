// SPDX-License-Identifier: MIT
// cell_hash_incremental: the three lists of cell_hash, maintained from update to update (the grid-cell-hash text).
//
// The cells of a bucket, ascending by z, y and x, and the points of a cell, ascending by index, are contiguous. They
// are stored in blocks with room for 2 cells or 8 points; a full block is doubled. An update relocates only the
// points that changed cell, were added or were removed: it takes O(points) to check all of them and to write their
// positions, and O(movers + points of their cells) to relocate some. Rows are those of cell_hash, in the same order,
// whatever the earlier updates were. Everything is rebuilt when the grid gets another edge or anchor (cells/frame.h)
// or the table another size.

#include <string.h>

#include "neighbors/hash_blocks.h"
#include "neighbors/hash_runs.h"

enum {
    BLOCK = 8192,
    CELLS_A_UNIT = 2,  // c in the text
    POINTS_A_UNIT = 8  // g in the text
};

typedef struct kept_cell {
    grid_cell at;
    uint32_t block, count;
    uint32_t sorted;  // number of sorted points; the current update appended the others
    int8_t size;      // size of the block
    bool is_sifted;   // the current update has removed the points that left
} kept_cell;

typedef struct kept_bucket {
    uint32_t block, count;
    int32_t size;  // size of the block; −1: none
} kept_bucket;

// A point that has changed cell, was added (index ≥ the old count) or was removed (index ≥ the new one).
typedef struct mover {
    uint32_t index;
    grid_cell from;
} mover;

typedef struct cell_hash_incremental {
    hashed_space space;
    bool is_whole;   // the lists are valid for the points below
    uint32_t count;  // number of points
    uint64_t cell_count;
    mote_buffer point_cells, buckets;
    block_pool cells, points;
    mote_buffer movers, mover_counts, tail;
    mote_buffer order;  // the order in which rows are found
} cell_hash_incremental;

// ----------------------------------------------------------------------------------------------------------- cells

static inline kept_cell *cells_of(const cell_hash_incremental *hash, const kept_bucket *bucket)
{
    return mote_pool_at(&hash->cells, bucket->block);
}

static inline kept_bucket *bucket_of(const cell_hash_incremental *hash, grid_cell at)
{
    return (kept_bucket *)hash->buckets.data + mote_hash_cell(&hash->space.hasher, at);
}

// Returns the place of the first cell of the bucket that is not less than `at`.
static inline uint32_t find_place(const cell_hash_incremental *hash, const kept_bucket *bucket, grid_cell at)
{
    uint32_t low = 0, high = bucket->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (mote_cell_is_less(cells_of(hash, bucket)[middle].at, at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns NULL if there is no such cell.
static inline kept_cell *find_cell(const cell_hash_incremental *hash, grid_cell at)
{
    const kept_bucket *bucket = bucket_of(hash, at);
    uint32_t place = find_place(hash, bucket, at);
    if (place == bucket->count) return NULL;
    kept_cell *cell = cells_of(hash, bucket) + place;
    return mote_cells_are_equal(cell->at, at) ? cell : NULL;
}

// Moves a list into a block of another size; `size` is −1 if the list had no block.
static mote_result change_block(const mote_context *context, block_pool *pool, uint32_t *block, int size, int wanted)
{
    uint32_t larger;
    mote_result result = mote_pool_take(context, pool, wanted, &larger);
    if (result != MOTE_OK) return result;
    if (size >= 0) {
        memcpy(mote_pool_at(pool, larger), mote_pool_at(pool, *block), pool->unit_bytes << size);
        mote_pool_give(pool, size, *block);
    }
    *block = larger;
    return MOTE_OK;
}

// Inserts an empty cell with room for `room` points at its place in the bucket.
static mote_result insert_cell(const mote_context *context, cell_hash_incremental *hash, grid_cell at, uint32_t room,
                               kept_cell **inserted)
{
    kept_bucket *bucket = bucket_of(hash, at);
    kept_cell cell = {.at = at, .size = (int8_t)mote_pool_size_for(room, POINTS_A_UNIT)};
    if (bucket->size < 0 || bucket->count == (uint64_t)CELLS_A_UNIT << bucket->size) {
        mote_result result = change_block(context, &hash->cells, &bucket->block, bucket->size, bucket->size + 1);
        if (result != MOTE_OK) return result;
        bucket->size += 1;
    }
    mote_result result = mote_pool_take(context, &hash->points, cell.size, &cell.block);
    if (result != MOTE_OK) return result;
    uint32_t place = find_place(hash, bucket, at);
    kept_cell *cells = cells_of(hash, bucket);
    memmove(cells + place + 1, cells + place, (bucket->count - place) * sizeof *cells);
    cells[place] = cell;
    bucket->count += 1;
    hash->cell_count += 1;
    *inserted = cells + place;
    return MOTE_OK;
}

static void remove_cell(cell_hash_incremental *hash, const kept_cell *cell)
{
    kept_bucket *bucket = bucket_of(hash, cell->at);
    kept_cell *cells = cells_of(hash, bucket);
    const size_t place = (size_t)(cell - cells);
    mote_pool_give(&hash->points, cell->size, cell->block);
    memmove(cells + place, cells + place + 1, (bucket->count - place - 1) * sizeof *cells);
    bucket->count -= 1;
    hash->cell_count -= 1;
    if (bucket->count > 0) return;
    mote_pool_give(&hash->cells, bucket->size, bucket->block);
    bucket->size = -1;
}

// ---------------------------------------------------------------------------------------------------- from scratch

static mote_result fill_cells(const mote_context *context, cell_hash_incremental *hash, const cell_runs *runs)
{
    const cell_run *run = runs->runs.data;
    const uint32_t *order = runs->order.data;
    for (uint32_t r = 0; r < runs->count; ++r) {
        kept_cell *cell;
        mote_result result = insert_cell(context, hash, run[r].at, run[r].count, &cell);
        if (result != MOTE_OK) return result;
        cell->count = cell->sorted = run[r].count;
        placed_point *points = mote_pool_at(&hash->points, cell->block);
        for (uint32_t k = 0; k < run[r].count; ++k) points[k].index = order[run[r].first + k];
    }
    return MOTE_OK;
}

static mote_result build_anew(mote_neighbors *search, cell_hash_incremental *hash)
{
    const mote_context *context = search->context;
    const size_t n = search->count, size = hash->space.hasher.size;
    mote_pool_clear(&hash->cells, CELLS_A_UNIT * sizeof(kept_cell));
    mote_pool_clear(&hash->points, POINTS_A_UNIT * sizeof(placed_point));
    hash->cell_count = 0;
    mote_result result = mote_buffer_reserve(context, &hash->buckets, mote_bytes(size, sizeof(kept_bucket)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &hash->point_cells, mote_bytes(n, sizeof(grid_cell)), 0);
    if (result != MOTE_OK) return result;
    kept_bucket *buckets = hash->buckets.data;
    for (size_t b = 0; b < size; ++b) buckets[b] = (kept_bucket){.size = -1};
    mote_hashed_find_cells(search, &hash->space.frame, hash->point_cells.data);

    cell_runs runs = {0};
    result = mote_cell_runs_make(context, &runs, hash->point_cells.data, n, &hash->space.hasher);
    if (result == MOTE_OK) result = fill_cells(context, hash, &runs);
    mote_cell_runs_release(context, &runs);
    search->counters.moved = n;
    return result;
}

// ---------------------------------------------------------------------------------------------------------- movers

typedef struct movers_task {
    const mote_neighbors *search;
    const cell_frame *frame;
    grid_cell *cells;   // the cells of the points at the last update, then the current ones
    uint32_t old_count;
    uint32_t *counts;   // per block: the number of its movers, then the number before it
    mover *movers;
    uint32_t mover_count;
} movers_task;

static bool has_moved(const movers_task *task, uint32_t i, grid_cell *now)
{
    if (i >= task->search->count) return true;
    *now = mote_hashed_cell_of(task->search, task->frame, i);
    return i >= task->old_count || !mote_cells_are_equal(task->cells[i], *now);
}

static void count_movers(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const movers_task *task = data;
    uint32_t count = 0;
    grid_cell now;
    for (size_t i = begin; i < end; ++i) count += has_moved(task, (uint32_t)i, &now);
    task->counts[begin / BLOCK] = count;
}

static void list_movers(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const movers_task *task = data;
    mover *next = task->movers + task->counts[begin / BLOCK];
    for (size_t i = begin; i < end; ++i) {
        grid_cell now = {{0, 0, 0}};
        if (!has_moved(task, (uint32_t)i, &now)) continue;
        *next = (mover){.index = (uint32_t)i};
        if (i < task->old_count) next->from = task->cells[i];
        ++next;
        task->cells[i] = now;
    }
    const bool is_last = end == MOTE_MAX(task->search->count, (size_t)task->old_count);
    MOTE_ASSERT((size_t)(next - task->movers) == (is_last ? task->mover_count : task->counts[begin / BLOCK + 1]));
}

// Lists the movers, ascending by index, and stores the new cells of the points.
static mote_result find_movers(mote_neighbors *search, cell_hash_incremental *hash, uint32_t *mover_count)
{
    const mote_context *context = search->context;
    const size_t most = MOTE_MAX(search->count, (size_t)hash->count);
    mote_result result = mote_buffer_reserve(context, &hash->point_cells, mote_bytes(most, sizeof(grid_cell)),
                                             hash->count * sizeof(grid_cell));
    if (result != MOTE_OK) return result;
    movers_task task = {.search = search, .frame = &hash->space.frame, .cells = hash->point_cells.data,
                        .old_count = hash->count, .counts = hash->mover_counts.data};
    mote_parallel_for(context, most, BLOCK, count_movers, &task);
    *mover_count = (uint32_t)mote_prefix_sum_u32(task.counts, mote_block_count(most, BLOCK));
    result = mote_buffer_reserve(context, &hash->movers, mote_bytes(*mover_count, sizeof(mover)), 0);
    if (result != MOTE_OK) return result;
    task.movers = hash->movers.data;
    task.mover_count = *mover_count;
    if (*mover_count) mote_parallel_for(context, most, BLOCK, list_movers, &task);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ relocation

// Removes from a cell all points that have left it.
static void sift_cell(const mote_neighbors *search, cell_hash_incremental *hash, kept_cell *cell)
{
    const grid_cell *cells = hash->point_cells.data;
    placed_point *points = mote_pool_at(&hash->points, cell->block);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < cell->count; ++k)
        if (points[k].index < search->count && mote_cells_are_equal(cells[points[k].index], cell->at))
            points[kept++].index = points[k].index;
    cell->count = cell->sorted = kept;
    cell->is_sifted = true;
}

// Appends a point to the points of its new cell.
static mote_result append_point(const mote_context *context, cell_hash_incremental *hash, uint32_t index)
{
    const grid_cell at = ((const grid_cell *)hash->point_cells.data)[index];
    kept_cell *cell = find_cell(hash, at);
    mote_result result = MOTE_OK;
    if (!cell) {
        result = insert_cell(context, hash, at, 1, &cell);
    } else if (cell->count == (uint64_t)POINTS_A_UNIT << cell->size) {
        result = change_block(context, &hash->points, &cell->block, cell->size, cell->size + 1);
        cell->size = (int8_t)(cell->size + (result == MOTE_OK));
    }
    if (result != MOTE_OK) return result;
    ((placed_point *)mote_pool_at(&hash->points, cell->block))[cell->count++].index = index;
    return MOTE_OK;
}

// Merges the appended points, which are ascending, with the earlier ones.
static mote_result merge_tail(const mote_context *context, cell_hash_incremental *hash, kept_cell *cell)
{
    placed_point *points = mote_pool_at(&hash->points, cell->block);
    uint32_t left = cell->sorted, appended = cell->count - cell->sorted;
    cell->sorted = cell->count;
    if (appended == 0 || left == 0 || points[left - 1].index < points[left].index) return MOTE_OK;
    mote_result result = mote_buffer_reserve(context, &hash->tail, mote_bytes(appended, sizeof *points), 0);
    if (result != MOTE_OK) return result;
    placed_point *tail = hash->tail.data;
    memcpy(tail, points + left, appended * sizeof *points);
    for (uint32_t k = cell->count; appended > 0; --k) {
        bool takes_left = left > 0 && points[left - 1].index > tail[appended - 1].index;
        points[k - 1] = takes_left ? points[--left] : tail[--appended];
    }
    return MOTE_OK;
}

static mote_result relocate(mote_neighbors *search, cell_hash_incremental *hash)
{
    uint32_t mover_count;
    mote_result result = find_movers(search, hash, &mover_count);
    if (result != MOTE_OK) return result;
    const mover *movers = hash->movers.data;
    const grid_cell *cells = hash->point_cells.data;
    for (uint32_t m = 0; m < mover_count; ++m) {
        kept_cell *cell = movers[m].index < hash->count ? find_cell(hash, movers[m].from) : NULL;
        if (cell && !cell->is_sifted) sift_cell(search, hash, cell);
    }
    for (uint32_t m = 0; m < mover_count && result == MOTE_OK; ++m)
        if (movers[m].index < search->count) result = append_point(search->context, hash, movers[m].index);
    for (uint32_t m = 0; m < mover_count && result == MOTE_OK; ++m)
        if (movers[m].index < search->count)
            result = merge_tail(search->context, hash, find_cell(hash, cells[movers[m].index]));
    for (uint32_t m = 0; m < mover_count && result == MOTE_OK; ++m) {
        kept_cell *cell = movers[m].index < hash->count ? find_cell(hash, movers[m].from) : NULL;
        if (!cell) continue;
        cell->is_sifted = false;
        if (cell->count == 0) remove_cell(hash, cell);
    }
    search->counters.moved = mover_count;
    return result;
}

// Updates all positions, as every point may have moved within its cell.
static void place_points_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_neighbors *search = data;
    const cell_hash_incremental *hash = search->state;
    const kept_bucket *buckets = hash->buckets.data;
    for (size_t b = begin; b < end; ++b)
        for (uint32_t c = 0; c < buckets[b].count; ++c) {
            const kept_cell *cell = cells_of(hash, buckets + b) + c;
            placed_point *points = mote_pool_at(&hash->points, cell->block);
            for (uint32_t k = 0; k < cell->count; ++k)
                points[k] = mote_point_place(&search->points, points[k].index);
        }
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    cell_hash_incremental *hash = search->state;
    const bool was_whole = hash->is_whole;
    hash->is_whole = false;
    search->counters.moved = hash->count;  // the set has become empty: all points are removed
    if (search->count == 0) {
        hash->count = 0;
        return MOTE_OK;
    }
    const hashed_space space = mote_hashed_space_make(search, points);
    const bool fits = was_whole && space.hasher.size == hash->space.hasher.size &&
                      mote_frames_are_equal(&space.frame, &hash->space.frame);
    hash->space = space;
    const size_t blocks = mote_block_count(MOTE_MAX(search->count, (size_t)hash->count), BLOCK);
    mote_result result =
        mote_buffer_reserve(search->context, &hash->mover_counts, mote_bytes(blocks, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = fits ? relocate(search, hash) : build_anew(search, hash);
    hash->is_whole = result == MOTE_OK;
    if (hash->is_whole) mote_parallel_for(search->context, space.hasher.size, BLOCK, place_points_block, search);
    hash->count = hash->is_whole ? (uint32_t)search->count : 0;
    return result;
}

// --------------------------------------------------------------------------------------------------------- looking

typedef struct cell_walk {
    const cell_hash_incremental *hash;
    row_collector *collector;
} cell_walk;

static void visit_cell(void *data, grid_cell at)
{
    const cell_walk *walk = data;
    const kept_cell *cell = find_cell(walk->hash, at);
    if (!cell) return;
    const placed_point *points = mote_pool_at(&walk->hash->points, cell->block);
    for (uint32_t k = 0; k < cell->count; ++k) mote_collect_at(walk->collector, points[k].index, points[k].at);
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const cell_hash_incremental *hash = search->state;
    cell_walk walk = {hash, collector};
    if (search->count) mote_mask_walk(search, &hash->space, collector, visit_cell, &walk);
}

// Finds all rows cell by cell; some of them, or without memory for that order, as they are asked for.
static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_hash_incremental *hash = search->state;
    const size_t bytes = mote_bytes(search->count, sizeof(uint32_t));
    uint32_t *order = NULL, *end;
    const bool is_whole = mote_request_is_whole(search, request);
    if (is_whole && mote_buffer_reserve(search->context, &hash->order, bytes, 0) == MOTE_OK) order = hash->order.data;
    end = order;
    const kept_bucket *buckets = hash->buckets.data;
    for (uint32_t b = 0; order && search->count && b < hash->space.hasher.size; ++b)
        for (uint32_t k = 0; k < buckets[b].count; ++k) {
            const kept_cell *cell = cells_of(hash, buckets + b) + k;
            const placed_point *points = mote_pool_at(&hash->points, cell->block);
            for (uint32_t p = 0; p < cell->count; ++p) *end++ = points[p].index;
        }
    mote_rows_in_order(search, request, writers, order);
}

// ------------------------------------------------------------------------------------------------------ inspection

static void release(mote_neighbors *search)
{
    cell_hash_incremental *hash = search->state;
    mote_buffer *buffers[] = {&hash->point_cells, &hash->buckets, &hash->movers, &hash->mover_counts,
                              &hash->tail,        &hash->order};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(search->context, buffers[k]);
    mote_pool_release(search->context, &hash->cells);
    mote_pool_release(search->context, &hash->points);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_hash_incremental *hash = search->state;
    return hash->point_cells.bytes + hash->buckets.bytes + hash->movers.bytes + hash->mover_counts.bytes +
           hash->tail.bytes + hash->order.bytes + hash->cells.memory.bytes + hash->points.memory.bytes;
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_hash_incremental *hash = search->state;
    const kept_bucket *buckets = hash->buckets.data;
    if (search->count == 0) return;
    counters->cells = hash->cell_count;
    for (uint32_t b = 0; b < hash->space.hasher.size; ++b)
        if (buckets[b].count > 1) counters->collisions += buckets[b].count;
}

// Returns what is wrong with a cell, or NULL.
static const char *fault_of_cell(const mote_neighbors *search, const kept_bucket *bucket, uint32_t place)
{
    const cell_hash_incremental *hash = search->state;
    const kept_cell *cell = cells_of(hash, bucket) + place;
    const placed_point *points = mote_pool_at(&hash->points, cell->block);
    if (bucket_of(hash, cell->at) != bucket) return "is not in its bucket";
    if (place > 0 && !mote_cell_is_less(cell[-1].at, cell->at)) return "does not follow the one before it";
    if (cell->count == 0) return "is empty";
    if (cell->count > (uint64_t)POINTS_A_UNIT << cell->size) return "has more points than room";
    if (cell->sorted != cell->count || cell->is_sifted) return "was left half updated";
    for (uint32_t k = 0; k < cell->count; ++k) {
        const uint32_t index = points[k].index;
        if (index >= search->count || (k > 0 && points[k - 1].index >= index)) return "does not ascend";
        if (!mote_cells_are_equal(mote_hashed_cell_of(search, &hash->space.frame, index), cell->at))
            return "has a point of another cell";
        const placed_point now = mote_point_place(&search->points, index);
        if (memcmp(&now, points + k, sizeof now) != 0) return "has a point that lies elsewhere now";
    }
    return NULL;
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const cell_hash_incremental *hash = search->state;
    const kept_bucket *buckets = hash->buckets.data;
    uint64_t points = 0, cells = 0, cell_units = 0, point_units = 0;
    if (search->count == 0) return MOTE_OK;
    for (uint32_t b = 0; b < hash->space.hasher.size; ++b) {
        if (buckets[b].size >= 0) cell_units += UINT64_C(1) << buckets[b].size;
        for (uint32_t k = 0; k < buckets[b].count; ++k, ++cells) {
            const kept_cell *cell = cells_of(hash, buckets + b) + k;
            const char *fault = fault_of_cell(search, buckets + b, k);
            if (fault)
                return mote_fail(error, MOTE_ERROR_STATE, k, "cell_hash_incremental: cell (%d, %d, %d) of bucket %u %s",
                                 cell->at.at[0], cell->at.at[1], cell->at.at[2], b, fault);
            points += cell->count;
            point_units += UINT64_C(1) << cell->size;
        }
    }
    const bool adds_up = points == search->count && cells == hash->cell_count &&
                         cell_units + mote_pool_count_free(&hash->cells) == hash->cells.used &&
                         point_units + mote_pool_count_free(&hash->points) == hash->points.used;
    if (adds_up) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0,
                     "cell_hash_incremental: %llu points of %llu, %llu cells of %llu, or blocks that are lost",
                     (unsigned long long)points, (unsigned long long)search->count, (unsigned long long)cells,
                     (unsigned long long)hash->cell_count);
}

const neighbors_method mote_neighbors_cell_hash_incremental = {
    .info = {"cell_hash_incremental", "the grid-cell-hash text",
             "cell_hash, updated in place: only points that change their cell are moved", MOTE_HASHED_FEATURES,
             true},
    .state_bytes = sizeof(cell_hash_incremental),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
};
