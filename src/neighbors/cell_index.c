// SPDX-License-Identifier: MIT
// cell_index: points as sorted 64-bit keys of cell and index, walked once (Onderik & Ďurikovič 2008, section 4.2).
//
// The sorted keys are walked from cell to cell. Meanwhile the cells of the mask around the current cell advance
// through the same keys: each has an index that only moves forward, so no table and no search is needed. The
// paper keeps one index for every cell of the mask. Cells that are adjacent in x are also adjacent among the
// keys, so here each line of the mask has two indices, for its begin and its end. The walk is divided into stretches
// of points, and each stretch finds its own starting indices. Queries, subsets and points with individual radii find
// their cells one by one, by binary search; with varying support the mask is that of each point's reach.
//
// The mask (cells/mask.h) is exact. cell_index_approx uses Onderik's mask (eq. 16): edges of h/(2H + 1)
// and all offsets from −H to H. This is a cube as wide as the radius, which misses about 76 % of the neighbours in
// 3D for any H.
//
// Rows are ordered by cell (z, y, x), then by index.


#include "cells/cell_keys.h"
#include "cells/mask.h"
#include "neighbors/collect.h"
#include "neighbors/lanes.h"

enum {
    STRETCH = 512,  // points of a block of work
    MOST_H = 4,
    MOST_LINES = (2 * MOST_H + 1) * (2 * MOST_H + 1),
    LANES = 8
};

// The cells (−width … width, y, z) relative to the one in the middle.
typedef struct mask_line {
    int32_t y, z, width;
} mask_line;

typedef struct cell_index {
    cell_keys keys;
    bool is_approx;
    int64_t steps;  // steps of the approximate mask along each axis
    mask_line lines[MOST_LINES];  // the lines of the mask that all points share
    uint32_t line_count;
    const scan_lanes *lanes;
    mote_buffer blocks;  // a candidate_block for each worker
} cell_index;

// ----------------------------------------------------------------------------------------------------- the mask

// The number of cells that the mask of a reach (in edges) extends along an axis, and the width of its line at (y, z).
static int64_t mask_steps(const cell_index *index, double reach)
{
    return index->is_approx ? index->steps : mote_mask_steps(reach);
}

static int64_t mask_width(const cell_index *index, double reach, int64_t y, int64_t z)
{
    return index->is_approx ? index->steps : mote_mask_width(reach, y, z);
}

// Makes the mask of a search in which all points have the same radius.
static void make_lines(cell_index *index, double radius, int dimensions)
{
    double reach = mote_frame_reach(&index->keys.frame, radius);
    int32_t steps = (int32_t)mask_steps(index, reach);
    int32_t steps_y = dimensions > 1 ? steps : 0, steps_z = dimensions > 2 ? steps : 0;
    index->line_count = 0;
    for (int32_t z = -steps_z; z <= steps_z; ++z)
        for (int32_t y = -steps_y; y <= steps_y; ++y) {
            int32_t width = (int32_t)mask_width(index, reach, y, z);
            if (width >= 0) index->lines[index->line_count++] = (mask_line){y, z, width};
        }
}

static uint32_t mask_cells(const cell_index *index)
{
    uint32_t cells = 0;
    for (uint32_t l = 0; l < index->line_count; ++l) cells += 2 * (uint32_t)index->lines[l].width + 1;
    return cells;
}

// -------------------------------------------------------------------------------------------------------- build

static mote_result build_index(mote_neighbors *search, const mote_points *points, bool is_approx)
{
    cell_index *index = search->state;
    int h = search->def.subdivision;
    double radius = search->structure_radius > 0 ? search->structure_radius : 1;  // 0: an empty set with radii
    index->lanes = mote_neighbors_lanes_choose(search->context)->scan;
    index->is_approx = is_approx;
    index->steps = h;
    cell_frame frame = mote_frame_make(points, radius, is_approx ? 2 * h + 1 : h);
    mote_result result = mote_cell_keys_build(search->context, &index->keys, points, &frame, &search->points.bounds,
                                              (uint32_t)h + 1);
    if (result != MOTE_OK) return result;
    index->line_count = 0;
    if (!mote_search_has(search, MOTE_NEIGHBORS_RADII)) make_lines(index, radius, points->dimensions);
    return MOTE_OK;
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    return build_index(search, points, false);
}

static mote_result build_approx(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    return build_index(search, points, true);
}

// ------------------------------------------------------------------------------------- rows one by one: queries

static void collect_cells(const cell_keys *keys, row_collector *collector, uint32_t begin, uint32_t end)
{
    for (uint32_t k = keys->first[begin]; k < keys->first[end]; ++k)
        mote_collect(collector, mote_cell_keys_index(keys, k));
}

// Used if the mask has more lines than there are cells: tests the cells against the mask instead.
static void collect_from_all(const cell_index *index, row_collector *collector, key_cell center, double reach)
{
    const cell_keys *keys = &index->keys;
    for (uint32_t c = 0; c < keys->cell_count; ++c) {
        key_cell cell = mote_cell_keys_unpack(keys, keys->cells[c]);
        int64_t x = cell.at[0] - center.at[0], y = cell.at[1] - center.at[1], z = cell.at[2] - center.at[2];
        int64_t width = mask_width(index, reach, y, z);
        if (x <= width && -x <= width) collect_cells(keys, collector, c, c + 1);
    }
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const cell_index *index = search->state;
    const cell_keys *keys = &index->keys;
    if (keys->count == 0) return;
    double radius = mote_query_reach(search, &collector->query, search->points.max_radius);
    double reach = mote_frame_reach(&keys->frame, radius);
    key_cell center = mote_cell_keys_locate(keys, collector->query.at);
    int64_t low[3], high[3], steps = mask_steps(index, reach);
    for (int k = 0; k < 3; ++k) {
        low[k] = MOTE_MAX(center.at[k] - steps, (int64_t)0);
        high[k] = MOTE_MIN(center.at[k] + steps, keys->last[k]);
        if (low[k] > high[k]) return;
    }
    if ((double)(high[1] - low[1] + 1) * (double)(high[2] - low[2] + 1) > keys->cell_count) {
        collect_from_all(index, collector, center, reach);
        return;
    }
    uint32_t from = 0;
    for (int64_t z = low[2]; z <= high[2]; ++z)
        for (int64_t y = low[1]; y <= high[1]; ++y) {
            int64_t width = mask_width(index, reach, y - center.at[1], z - center.at[2]);
            int64_t left = MOTE_MAX(center.at[0] - width, (int64_t)0);
            int64_t right = MOTE_MIN(center.at[0] + width, keys->last[0]);
            if (width < 0 || left > right) continue;
            uint64_t last = mote_cell_keys_pack(keys, right, y, z);
            uint32_t begin = mote_cell_keys_lower(keys, from, mote_cell_keys_pack(keys, left, y, z));
            for (from = begin; from < keys->cell_count && keys->cells[from] <= last;) ++from;
            if (begin < from) collect_cells(keys, collector, begin, from);
        }
}

// ------------------------------------------------------------------------------------- all rows: one walk

// The running indices of a line: of its first cell and of its end.
typedef struct line_walk {
    bool has_begun;
    uint32_t begin, end;
} line_walk;

// The candidates around a cell: keys begin … end.
typedef struct key_run {
    uint32_t begin, end;
} key_run;

typedef struct find_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
} find_task;

// Advances the running indices to the lines around `center`, and returns the keys of every line that is not empty.
static uint32_t move_on(const cell_index *index, line_walk *walks, key_cell center, key_run *runs)
{
    const cell_keys *keys = &index->keys;
    uint32_t count = 0;
    for (uint32_t l = 0; l < index->line_count; ++l) {
        const mask_line line = index->lines[l];
        line_walk *walk = walks + l;
        int64_t y = center.at[1] + line.y, z = center.at[2] + line.z;
        if (y < 0 || z < 0 || y > keys->last[1] || z > keys->last[2]) continue;
        int64_t left = MOTE_MAX(center.at[0] - line.width, (int64_t)0);
        int64_t right = MOTE_MIN(center.at[0] + line.width, keys->last[0]);
        uint64_t first = mote_cell_keys_pack(keys, left, y, z), last = mote_cell_keys_pack(keys, right, y, z);
        if (!walk->has_begun) {
            walk->has_begun = true;
            walk->begin = walk->end = mote_cell_keys_lower(keys, 0, first);
        }
        while (walk->begin < keys->cell_count && keys->cells[walk->begin] < first) ++walk->begin;
        while (walk->end < keys->cell_count && keys->cells[walk->end] <= last) ++walk->end;
        if (walk->begin < walk->end) runs[count++] = (key_run){keys->first[walk->begin], keys->first[walk->end]};
    }
    return count;
}

// Copies the candidates side by side and returns their number, or 0 when memory ran out.
static uint32_t fill_block(const mote_neighbors *search, candidate_block *block, const key_run *runs,
                           uint32_t run_count)
{
    const point_store *points = &search->points;
    const cell_keys *keys = &((const cell_index *)search->state)->keys;
    size_t room = MOTE_WIDE_MOST;
    for (uint32_t r = 0; r < run_count; ++r) room += runs[r].end - runs[r].begin;
    if (mote_block_reserve(search->context, block, room) != MOTE_OK) return 0;
    uint32_t at = 0;
    for (uint32_t r = 0; r < run_count; ++r)
        for (uint32_t k = runs[r].begin; k < runs[r].end; ++k, ++at) {
            uint32_t j = mote_cell_keys_index(keys, k);
            block->at.x[at] = points->f32[0][j];
            block->at.y[at] = points->f32[1][j];
            block->at.z[at] = points->f32[2][j];
            block->at.index[at] = j;
        }
    return at;
}

// Returns the place in the block of key `begin`, whose cell is among the runs.
static uint32_t place_in_block(const key_run *runs, uint32_t run_count, uint32_t begin)
{
    uint32_t place = 0;
    for (uint32_t r = 0; r < run_count; ++r) {
        if (begin >= runs[r].begin && begin < runs[r].end) return place + begin - runs[r].begin;
        place += runs[r].end - runs[r].begin;
    }
    return place;
}

// Finds the rows of the points with keys begin … end, all in one cell; false when memory ran out. This is the plain
// form, which tests against the block.
static bool find_plain(const find_task *task, row_writer *writer, uint32_t begin, uint32_t end, const key_run *runs,
                       uint32_t run_count)
{
    const mote_neighbors *search = task->search;
    const cell_index *index = search->state;
    candidate_block *block = (candidate_block *)index->blocks.data + writer->worker;
    const uint32_t count = fill_block(search, block, runs, run_count);
    if (count == 0) {  // the cell's own points are among them
        atomic_store(&writer->sink->out_of_memory, true);
        return false;
    }
    const cell_run all = {0, count};
    point_scan scan = {.from = block->at, .runs = &all, .run_count = 1, .radius_squared = search->radius_squared};
    scan.self = place_in_block(runs, run_count, begin);
    for (uint32_t k = begin; k < end; ++k, ++scan.self) {
        const hit_columns row = {mote_row_begin(writer, (size_t)count + MOTE_WIDE_MOST), NULL};
        if (!row.indices) return false;
        scan.point[0] = block->at.x[scan.self];
        scan.point[1] = block->at.y[scan.self];
        scan.point[2] = block->at.z[scan.self];
        const uint32_t found = index->lanes->scan_point(&scan, row);
        mote_row_end(writer, block->at.index[scan.self], row.indices, found);
    }
    writer->candidates += (uint64_t)(end - begin) * (count - 1);
    return true;
}

// Like find_plain, but with all features that rows can have.
static bool find_general(const find_task *task, row_writer *writer, uint32_t begin, uint32_t end, const key_run *runs,
                         uint32_t run_count)
{
    const mote_neighbors *search = task->search;
    const cell_keys *keys = &((const cell_index *)search->state)->keys;
    for (uint32_t k = begin; k < end; ++k) {
        row_collector collector;
        row_query query = mote_request_get(search, task->request, mote_cell_keys_index(keys, k));
        if (!mote_collect_begin(&collector, search, &query, writer)) return false;
        for (uint32_t r = 0; r < run_count; ++r)
            for (uint32_t j = runs[r].begin; j < runs[r].end; ++j)
                mote_collect(&collector, mote_cell_keys_index(keys, j));
        if (!mote_collect_end(&collector)) return false;
    }
    return true;
}

static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const cell_index *index = task->search->state;
    const cell_keys *keys = &index->keys;
    line_walk walks[MOST_LINES];
    for (uint32_t l = 0; l < index->line_count; ++l) walks[l].has_begun = false;
    uint32_t at = (uint32_t)begin;
    uint32_t cell = mote_cell_keys_lower(keys, 0, keys->keys[at] >> keys->index_bits);
    for (; at < end; ++cell) {
        key_run runs[MOST_LINES];
        uint32_t cell_end = MOTE_MIN(keys->first[cell + 1], (uint32_t)end);
        uint32_t run_count = move_on(index, walks, mote_cell_keys_unpack(keys, keys->cells[cell]), runs);
        bool (*find)(const find_task *, row_writer *, uint32_t, uint32_t, const key_run *, uint32_t) =
            task->search->is_plain ? find_plain : find_general;
        if (!find(task, task->writers + worker, at, cell_end, runs, run_count)) return;
        at = cell_end;
    }
}

// Gives every worker as large a block as any of them has needed so far: the schedule decides which worker gets a
// dense place.
static mote_result level_blocks(const mote_context *context, cell_index *index)
{
    mote_result result = mote_buffer_reserve_workers(context, &index->blocks, sizeof(candidate_block));
    candidate_block *blocks = index->blocks.data;
    size_t count = index->blocks.bytes / sizeof *blocks, most = 0;
    for (size_t w = 0; w < count; ++w) most = MOTE_MAX(most, blocks[w].capacity);
    for (size_t w = 0; w < count && result == MOTE_OK; ++w)
        result = mote_block_reserve(context, blocks + w, most);
    return result;
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_index *index = search->state;
    if (request->queries || request->subset || mote_search_has(search, MOTE_NEIGHBORS_RADII)) {
        mote_rows_by_candidates(search, request, writers);
        return;
    }
    if (level_blocks(search->context, index) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    find_task task = {search, request, writers};
    mote_parallel_for(search->context, search->count, STRETCH, find_stretch, &task);
}

// ------------------------------------------------------------------------------------------------------- public

static void release(mote_neighbors *search)
{
    cell_index *index = search->state;
    candidate_block *blocks = index->blocks.data;
    for (size_t w = 0; w < index->blocks.bytes / sizeof *blocks; ++w)
        mote_buffer_release(search->context, &blocks[w].memory);
    mote_buffer_release(search->context, &index->blocks);
    mote_cell_keys_release(search->context, &index->keys);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_index *index = search->state;
    const candidate_block *blocks = index->blocks.data;
    size_t bytes = mote_cell_keys_byte_count(&index->keys) + index->blocks.bytes;
    for (size_t w = 0; w < index->blocks.bytes / sizeof *blocks; ++w) bytes += blocks[w].memory.bytes;
    return bytes;
}

static void position_of(const void *data, uint32_t i, double at[3])
{
    mote_point_store_get(data, i, at);
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const cell_index *index = search->state;
    if (index->keys.count != search->count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "cell_index: keys for %u points of %llu", index->keys.count,
                         (unsigned long long)search->count);
    return mote_cell_keys_validate(&index->keys, position_of, &search->points, error);
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_index *index = search->state;
    counters->cells = index->keys.cell_count;
}

static void explain(mote_neighbors *search, char *text, size_t size)
{
    const cell_index *index = search->state;
    const cell_keys *keys = &index->keys;
    char mask[64] = "a mask per radius";
    if (index->line_count)
        mote_print(mask, sizeof mask, "H-mask of %u cells, H = %d", mask_cells(index), search->def.subdivision);
    int cell_bits[3] = {keys->shift[1], keys->shift[2] - keys->shift[1], 0};
    for (int64_t last = keys->last[2]; last; last >>= 1) ++cell_bits[2];
    mote_print(text, size, "keys of %d bits for the index and %d + %d + %d bits for the cell%s, %s", keys->index_bits,
               cell_bits[0], cell_bits[1], cell_bits[2],
               keys->uses_slabs ? " (renumbered, as coordinates need more bits)" : "", mask);
}

enum {
    FEATURES = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_HALF |
               MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES
};

const neighbors_method mote_neighbors_cell_index = {
    .info = {"cell_index", "Onderik & Ďurikovič 2008", "sorted cell keys, walked once with the exact H-mask",
             (uint32_t)FEATURES | MOTE_NEIGHBORS_RADII, true},
    .state_bytes = sizeof(cell_index),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
};

const neighbors_method mote_neighbors_cell_index_approx = {
    .info = {"cell_index_approx", "Onderik & Ďurikovič 2008",
             "cell_index with the paper's own H-mask, which misses most neighbours", FEATURES, false},
    .state_bytes = sizeof(cell_index),
    .keeps_points = true,
    .build = build_approx,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
};
