// cell_grid: a uniform grid of cells, points sorted by cell. The default.
//
// The uniform grid of Green 2008 (sorted points, cell starts), walked a row of cells at a time. Along the row a window
// slides: the points of the rows around it, a column of cells after the other, copied side by side once, as far as the
// radius reaches from the points of the row in y and z. So each point meets its candidates in one loop over memory that
// stays in the first-level cache; those of its own row lie side by side anyway. Where occupied cells are few and far
// between, runs of points around each cell are met where they lie.
//
// Work is cut into stretches of sorted points, never of cells: points that crowd into one cell are shared out too.
// A row holds the points around by x, then z, then y of their cells, then those of its own row of cells; in sparse
// sets, and in rows of queries, all by z, y, x; within a cell by index.
//
// That is the fast path, of float points with one radius in an open space; cell_rows.c finds all other rows, and those
// of subsets. Half lists are filtered. For distances and differences the rows first hold places among the sorted
// points, where neighbours lie close together, and are then turned into indices.

#include <math.h>
#include <string.h>

#include "cells/internal.h"
#include "neighbors/cell_rows.h"
#include "neighbors/scan.h"

enum {
    STRETCH = 512,     // points of a block of work
    BATCH = 32,        // rows found in one go
    AHEAD = 24,        // points
    AROUND = 8,        // rows of cells around one
    RING = 4,          // columns whose place in the window is known
    WINDOW_MOVES = 512  // points that slid out of the window before it is moved back
};

// What a worker keeps.
typedef struct grid_worker {
    point_window window;
    mote_buffer spare;  // a row
    uint32_t hint[CELL_MAX_RUNS];
    char pad[64];
} grid_worker;

typedef struct cell_grid {
    cell_sort sort;
    mote_buffer workers;
    const scan_functions *functions;
    mote_buffer places;    // 0, 1, 2, …: for rows of places
    cell_rows general;     // what other searches, and subsets of points, are served by
    bool general_is_built;
} cell_grid;

// Whether the fast path serves the search, subsets apart.
static bool is_fast(const mote_neighbors *search)
{
    const uint32_t general =
        MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN;
    return !mote_search_has(search, general);
}

static bool wants_places(const mote_neighbors *search)
{
    return mote_search_has(search, MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES);
}

static mote_result build(mote_neighbors *search, const mote_points *points)
{
    cell_grid *grid = search->state;
    grid->general_is_built = !is_fast(search);
    if (!is_fast(search)) return mote_cell_rows_build(search, &grid->general);
    grid->functions = mote_scan_choose();
    double edge = mote_cell_edge(search->structure_radius);
    mote_result result = mote_cell_sort_build(search->context, &grid->sort, points, edge, &search->error);
    if (result != MOTE_OK || !wants_places(search)) return result;
    size_t count = points->count + CELL_PADDING, known = grid->places.bytes / sizeof(uint32_t);
    result = mote_buffer_reserve(search->context, &grid->places, mote_bytes(count, sizeof(uint32_t)), 0);
    uint32_t *places = grid->places.data;
    if (result == MOTE_OK && count > known)
        for (size_t k = 0; k < grid->places.bytes / sizeof(uint32_t); ++k) places[k] = (uint32_t)k;
    return result;
}

typedef struct find_task {
    mote_neighbors *search;
    const mote_points *queries;
    row_writer *writers;
} find_task;

// What a block of work needs at hand.
typedef struct find_block {
    const mote_context *context;
    const cell_sort *sort;
    const scan_functions *functions;
    grid_worker *here;
    row_writer *writer;
    float radius_squared;
    point_columns sorted;  // with places for indices where the rows are to hold these first
    bool has_places, half;
} find_block;

static find_block start_block(const find_task *task, uint32_t worker)
{
    cell_grid *grid = task->search->state;
    find_block block = {.context = task->search->context, .sort = &grid->sort, .functions = grid->functions};
    block.here = (grid_worker *)grid->workers.data + worker;
    block.writer = task->writers + worker;
    block.radius_squared = task->search->radius_squared;
    block.sorted = mote_sorted_columns(&grid->sort);
    block.has_places = wants_places(task->search);
    if (block.has_places) block.sorted.index = grid->places.data;
    block.half = mote_search_has(task->search, MOTE_NEIGHBORS_HALF) && !task->queries;
    return block;
}

// ------------------------------------------------------------------------------------------------------ the window

// A row of cells while its points are walked.
typedef struct row_walk {
    uint32_t row;             // number of its first cell
    uint32_t around[AROUND];  // the same of the rows around it
    int around_count;
    strip_bounds bounds;      // of its points that are walked
    int64_t next_column;      // to be appended
    size_t column_begin[RING];
} row_walk;

// Moves what is still in use to the front.
static void move_window(point_window *window, row_walk *walk, int64_t first_column)
{
    size_t from = walk->column_begin[first_column & (RING - 1)], count = window->used - from;
    memmove(window->at.x, window->at.x + from, count * sizeof(float));
    memmove(window->at.y, window->at.y + from, count * sizeof(float));
    memmove(window->at.z, window->at.z + from, count * sizeof(float));
    memmove(window->at.index, window->at.index + from, count * sizeof(uint32_t));
    for (int64_t c = first_column; c < walk->next_column; ++c) walk->column_begin[c & (RING - 1)] -= from;
    window->used = count;
}

static bool append_column(const find_block *block, row_walk *walk)
{
    point_window *window = &block->here->window;
    const cell_sort *sort = block->sort;
    int64_t column = walk->next_column++;
    walk->column_begin[column & (RING - 1)] = window->used;
    bool is_inside = column >= 0 && column < (int64_t)sort->size[0];
    const int around = is_inside ? walk->around_count : 0;
    cell_run runs[AROUND];
    size_t most = 0;
    for (int r = 0; r < around; ++r) {
        const uint32_t *start = sort->start + walk->around[r] + column;
        runs[r] = (cell_run){start[0], start[1]};
        most += runs[r].end - runs[r].begin;
    }
    size_t room = window->used + most + 16;
    if (room > window->capacity && mote_window_reserve(block->context, window, 2 * room) != MOTE_OK) {
        atomic_store(&block->writer->sink->out_of_memory, true);
        return false;
    }
    window->used = block->functions->append(window->at, window->used, block->sorted, runs, around, &walk->bounds,
                                            block->radius_squared);
    return true;
}

// Brings the window to the column and those beside it.
static bool slide_window(const find_block *block, row_walk *walk, int64_t column)
{
    point_window *window = &block->here->window;
    if (walk->next_column < column - 1) {  // nothing of it is left in use
        walk->next_column = column - 1;
        window->used = 0;
    } else if (walk->column_begin[(column - 1) & (RING - 1)] > WINDOW_MOVES && walk->next_column > column - 1) {
        move_window(window, walk, column - 1);
    }
    while (walk->next_column <= column + 1)
        if (!append_column(block, walk)) return false;
    return true;
}

// ------------------------------------------------------------------------------------------------------ rows of cells

static void bound(const float *values, size_t count, float *low, float *high)
{
    float least = values[0], most = values[0];
    for (size_t k = 1; k < count; ++k) {
        least = values[k] < least ? values[k] : least;
        most = values[k] > most ? values[k] : most;
    }
    *low = least, *high = most;
}

static row_walk start_walk(const cell_sort *sort, cell_id id, uint32_t begin, uint32_t end)
{
    row_walk walk = {.row = mote_cell_row(sort, id.at[1], id.at[2]), .next_column = INT64_MIN};
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
            uint32_t row = mote_cell_row(sort, id.at[1] + dy, id.at[2] + dz);
            if (row == UINT32_MAX || row == walk.row || sort->start[row] == sort->start[row + sort->size[0]]) continue;
            walk.around[walk.around_count++] = row;
        }
    bound(sort->y + begin, end - begin, &walk.bounds.low[0], &walk.bounds.high[0]);
    bound(sort->z + begin, end - begin, &walk.bounds.low[1], &walk.bounds.high[1]);
    return walk;
}

// Turns a row of places into hits and writes it.
static void end_row_of_places(const find_block *block, const float point[3], uint32_t self, uint32_t row_number,
                              const uint32_t *row, uint32_t count)
{
    const cell_sort *sort = block->sort;
    row_writer *writer = block->writer;
    size_t bytes = mote_bytes((size_t)count + 1, sizeof(row_hit)), kept = 0;
    if (mote_buffer_reserve(block->context, &writer->hits, bytes, 0) != MOTE_OK) {
        atomic_store(&writer->sink->out_of_memory, true);
        return;
    }
    row_hit *hits = writer->hits.data;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t place = row[k], index = sort->index[place];
        if (block->half && index < self) continue;
        const float dx = sort->x[place] - point[0], dy = sort->y[place] - point[1], dz = sort->z[place] - point[2];
        row_hit hit = {.index = index, .d = {(double)dx, (double)dy, (double)dz}};
        hit.squared = (double)((dx * dx + dy * dy) + dz * dz);
        hits[kept++] = hit;
    }
    mote_row_write_hits(writer, row_number, hits, kept, 0);
}

// Ends a row that the scan has written: of indices, or of places. `self`: the point's index, or UINT32_MAX.
static inline void end_row(const find_block *block, const float point[3], uint32_t self, uint32_t row_number,
                           uint32_t *row, uint32_t count)
{
    if (block->has_places) {
        end_row_of_places(block, point, self, row_number, row, count);
        return;
    }
    if (block->half) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; ++k) {
            row[kept] = row[k];
            kept += row[k] > self;
        }
        count = kept;
    }
    mote_row_end(block->writer, row_number, row, count);
}

// Finds the rows of the scan's group, which lies in one cell.
static bool find_cell(const find_block *block, group_scan *scan)
{
    row_writer *writer = block->writer;
    const uint32_t *index = block->sort->index + scan->first;
    const size_t count = scan->count, room = mote_group_room(scan);
    if (room * sizeof(uint32_t) > block->here->spare.bytes) {
        if (mote_buffer_reserve(block->context, &block->here->spare, room * sizeof(uint32_t), 0) != MOTE_OK) {
            atomic_store(&writer->sink->out_of_memory, true);
            return false;
        }
    }
    scan->spare = block->here->spare.data;
    for (size_t done = 0; done < count; done += scan->count, scan->first += scan->count) {
        uint32_t counts[BATCH], *row = mote_row_begin(writer, room);
        if (!row) return false;
        size_t fitting = writer->in_scratch ? 1 : (size_t)(writer->end - row) / room;
        scan->count = MOTE_MIN(MOTE_MIN(count - done, (size_t)BATCH), fitting);
        block->functions->scan_group(scan, row, counts);
        for (size_t k = 0; k < scan->count; row += counts[k++]) {
            const size_t place = scan->first + k;
            const float point[3] = {scan->sorted.x[place], scan->sorted.y[place], scan->sorted.z[place]};
            end_row(block, point, index[done + k], index[done + k], row, counts[k]);
        }
    }
    writer->candidates += count * (room - 16);
    return true;
}

// Sorted points begin … end − 1, which lie in one row of cells.
static bool walk_row(const find_block *block, cell_id id, uint32_t begin, uint32_t end)
{
    const cell_sort *sort = block->sort;
    const uint32_t last = sort->count - 1;
    row_walk walk = start_walk(sort, id, begin, end);
    const uint32_t *start = sort->start + walk.row;  // by column
    const int64_t columns = (int64_t)sort->size[0];
    block->here->window.used = 0;
    int64_t column = id.at[0] - sort->base[0];
    walk.next_column = column - 1;
    group_scan scan = {.sorted = block->sorted, .radius_squared = block->radius_squared};
    for (uint32_t p = begin; p < end;) {
        while (start[column + 1] <= p) ++column;
        uint32_t group_end = MOTE_MIN(start[column + 1], end);
        // Rows of points in random order are scattered: their entries are fetched a little ahead.
        for (uint32_t k = p; k < group_end; ++k)
            mote_row_prefetch(block->writer, sort->index[MOTE_MIN(k + AHEAD, last)]);
        if (!slide_window(block, &walk, column)) return false;
        scan.window = block->here->window.at;
        scan.window_begin = walk.column_begin[(column - 1) & (RING - 1)];
        scan.window_end = block->here->window.used;
        scan.strip_begin = start[MOTE_MAX(column - 1, 0)];
        scan.strip_end = start[MOTE_MIN(column + 2, columns)];
        scan.first = p;
        scan.count = group_end - p;
        if (!find_cell(block, &scan)) return false;
        p = group_end;
    }
    return true;
}

static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_block block = start_block(data, worker);
    const cell_sort *sort = block.sort;
    for (uint32_t p = (uint32_t)begin; p < end;) {
        cell_id id = mote_cell_of(sort, sort->x[p], sort->y[p], sort->z[p]);
        uint32_t row = mote_cell_row(sort, id.at[1], id.at[2]);
        uint32_t row_end = MOTE_MIN(sort->start[row + sort->size[0]], (uint32_t)end);
        if (!walk_row(&block, id, p, row_end)) return;
        p = row_end;
    }
}

// -------------------------------------------------------------------------------------------- points one at a time

// Finds a row among the runs around a cell.
static bool find_point(const find_block *block, const cell_run *runs, int run_count, const float point[3], size_t self,
                       uint32_t row_number)
{
    size_t room = 8;
    for (int r = 0; r < run_count; ++r) room += runs[r].end - runs[r].begin;
    uint32_t *row = mote_row_begin(block->writer, room);
    if (!row) return false;
    point_scan scan = {.from = block->sorted, .runs = runs, .run_count = run_count};
    for (int k = 0; k < 3; ++k) scan.point[k] = point[k];
    scan.self = self;
    scan.radius_squared = block->radius_squared;
    uint32_t count = block->functions->scan_point(&scan, row);
    end_row(block, point, self == SIZE_MAX ? UINT32_MAX : row_number, row_number, row, count);
    block->writer->candidates += room - 8;
    return true;
}

// Sorted points of a sparse set into their own set.
static void find_sparse_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_block block = start_block(data, worker);
    const cell_sort *sort = block.sort;
    const uint32_t last = sort->count - 1;
    cell_run runs[CELL_MAX_RUNS];
    int run_count = 0;
    cell_id cell = {{0, 0, 0}};
    for (uint32_t p = (uint32_t)begin; p < end; ++p) {
        cell_id id = mote_cell_of(sort, sort->x[p], sort->y[p], sort->z[p]);
        if (p == begin || !mote_cell_id_equal(id, cell)) run_count = mote_cell_runs(sort, id, runs, block.here->hint);
        cell = id;
        mote_row_prefetch(block.writer, sort->index[MOTE_MIN(p + AHEAD, last)]);
        const float point[3] = {sort->x[p], sort->y[p], sort->z[p]};
        if (!find_point(&block, runs, run_count, point, p, sort->index[p])) return;
    }
}

// Another set's points: those that follow each other in one cell share its runs.
static void find_for_queries(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const find_block block = start_block(task, worker);
    cell_run runs[CELL_MAX_RUNS];
    int run_count = 0;
    cell_id cell = {{0, 0, 0}};
    for (size_t i = begin; i < end; ++i) {
        float point[3];
        for (int k = 0; k < 3; ++k) point[k] = (float)mote_points_get(task->queries, i, k);
        cell_id id = mote_cell_of(block.sort, point[0], point[1], point[2]);
        if (i == begin || !mote_cell_id_equal(id, cell))
            run_count = mote_cell_runs(block.sort, id, runs, block.here->hint);
        cell = id;
        if (!find_point(&block, runs, run_count, point, SIZE_MAX, (uint32_t)i)) return;
    }
}

// As much scratch memory for every worker as any of them has needed so far: see rows.c.
static mote_result level_workers(const mote_context *context, cell_grid *grid)
{
    mote_result result = mote_workers_reserve(context, &grid->workers, sizeof(grid_worker));
    grid_worker *workers = grid->workers.data;
    size_t count = grid->workers.bytes / sizeof *workers, most = 0, most_spare = 0;
    for (size_t w = 0; w < count; ++w) {
        most = MOTE_MAX(most, workers[w].window.capacity);
        most_spare = MOTE_MAX(most_spare, workers[w].spare.bytes);
        workers[w].window.used = 0;
    }
    for (size_t w = 0; w < count && result == MOTE_OK; ++w) {
        result = mote_buffer_level(context, &workers[w].spare, most_spare);
        if (result == MOTE_OK) result = mote_window_reserve(context, &workers[w].window, most);
    }
    return result;
}

static void find_general_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_grid *grid = search->state;
    if (!grid->general_is_built && mote_cell_rows_build(search, &grid->general) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    grid->general_is_built = true;
    mote_cell_rows_find(search, &grid->general, request, writers);
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_grid *grid = search->state;
    if (!is_fast(search) || request->subset) {
        find_general_rows(search, request, writers);
        return;
    }
    if (level_workers(search->context, grid) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    find_task task = {search, request->queries, writers};
    if (request->queries)
        mote_parallel_for(search->context, request->count, STRETCH, find_for_queries, &task);
    else
        mote_parallel_for(search->context, search->count, STRETCH,
                          grid->sort.dense ? find_stretch : find_sparse_stretch, &task);
}

// ------------------------------------------------------------------------------------------------------------ rest

static void release(mote_neighbors *search)
{
    cell_grid *grid = search->state;
    grid_worker *workers = grid->workers.data;
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w) {
        mote_buffer_release(search->context, &workers[w].window.memory);
        mote_buffer_release(search->context, &workers[w].spare);
    }
    mote_buffer_release(search->context, &grid->workers);
    mote_cell_sort_release(search->context, &grid->sort);
    mote_buffer_release(search->context, &grid->places);
    mote_cell_rows_release(search->context, &grid->general);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    const grid_worker *workers = grid->workers.data;
    size_t bytes = mote_cell_sort_byte_count(&grid->sort) + grid->workers.bytes;
    bytes += grid->places.bytes + mote_cell_rows_byte_count(&grid->general);
    for (size_t w = 0; w < grid->workers.bytes / sizeof *workers; ++w)
        bytes += workers[w].window.memory.bytes + workers[w].spare.bytes;
    return bytes;
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->sort;
    if (!is_fast(search)) counters->cells = grid->general.sort.cell_count;
    for (uint64_t c = 0; c < sort->cell_count; ++c) counters->cells += sort->start[c + 1] > sort->start[c];
}

static mote_result validate(mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    if (grid->general_is_built) {
        mote_result result = mote_class_sort_validate(&grid->general.sort, &search->error);
        if (result != MOTE_OK || !is_fast(search)) return result;
    }
    return mote_cell_sort_validate(&grid->sort, &search->error);
}

static const uint32_t *permutation(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return is_fast(search) ? grid->sort.index : grid->general.sort.index;
}

const neighbors_method mote_neighbors_cell_grid = {
    .info = {"cell_grid", "Green 2008", "points sorted into cells as wide as the radius",
             CELL_GRID_FEATURES, true},
    .state_bytes = sizeof(cell_grid),
    .build = build,
    .find_rows = find_rows,
    .find_nearest = mote_nearest_find,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .permutation = permutation,
};
