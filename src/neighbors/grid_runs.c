// SPDX-License-Identifier: MIT
// The runs of sorted points around a cell: read from the table of a dense sort, searched for in a sparse one.

#include "neighbors/grid_sort.h"

const row_side mote_rows_apart[4][CELL_MAX_PARTS + 3] = {
    {{0, 0}},
    {{0, 0}},
    {{-1, 0}, {0, 0}, {0, 0}, {1, 0}},
    {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}},
};

static inline int compare_cells(cell_id a, cell_id b)
{
    for (int k = 2; k >= 0; --k)
        if (a.at[k] != b.at[k]) return a.at[k] < b.at[k] ? -1 : 1;
    return 0;
}

// A cell with which others are compared.
typedef struct cell_target {
    cell_id id;
    uint64_t key;
    bool has_key;
} cell_target;

// The cell `x`, y, z, where y and z belong to cells that may be occupied.
static cell_target target_of(const cell_sort *sort, int64_t x, int64_t y, int64_t z)
{
    x = MOTE_MIN(MOTE_MAX(x, sort->low[0] - 2), sort->high[0] + 2);
    cell_target target = {{{x, y, z}}, 0, sort->keys && !sort->has_numbers};
    if (target.has_key) target.key = mote_sparse_key(sort, target.id);
    return target;
}

static inline bool comes_before(const cell_sort *sort, uint64_t cell, const cell_target *target)
{
    if (target->has_key) return sort->keys[cell] < target->key;
    return compare_cells(mote_cell_at(sort, sort->start[cell]), target->id) < 0;
}

// Returns the first occupied cell in [from, cell_count) that is not before the target. Steps double, starting at
// `from`, so this is O(1) if the target is close to the previous one.
static uint64_t lower_bound(const cell_sort *sort, const cell_target *target, uint64_t from)
{
    uint64_t low = from, step = 1;
    while (low + step <= sort->cell_count && comes_before(sort, low + step - 1, target)) {
        low += step;
        step *= 2;
    }
    uint64_t high = MOTE_MIN(low + step - 1, sort->cell_count);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (comes_before(sort, middle, target))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The first of the keys from `from` on that is not below `least`, and the first of those behind it that is not below
// `end`: at most three are between them.
typedef struct key_range {
    uint64_t first, end;
} key_range;

// Most ranges begin a few keys from where they are looked for. No processor foresees how many, so there keys are
// counted, which takes no branch.
static inline key_range keys_between(const cell_sort *sort, uint64_t from, uint64_t least, uint64_t end)
{
    enum { NEAR = 4, MOST = 3 };
    const uint64_t *keys = sort->keys, *near = keys + from;
    if (from + (NEAR + MOST) <= sort->cell_count && near[NEAR - 1] >= least) {
        const uint64_t skipped = (uint64_t)(near[0] < least) + (near[1] < least) + (near[2] < least);
        const uint64_t *first = near + skipped;
        const uint64_t count = (uint64_t)(first[0] < end) + (first[1] < end) + (first[2] < end);
        return (key_range){from + skipped, from + skipped + count};
    }
    const cell_target target = {.key = least, .has_key = true};
    key_range range = {.first = lower_bound(sort, &target, from)};
    for (range.end = range.first; range.end < sort->cell_count && keys[range.end] < end;) ++range.end;
    return range;
}

// The runs around a cell whose key is `key`. From one row of cells to the next all keys differ by the same step. Who
// asks for one cell after the other finds a row's run a few keys behind the one before.
static int keyed_runs(const cell_sort *sort, uint64_t key, cell_run *runs, uint32_t *hint)
{
    const uint64_t *keys = sort->keys, count = sort->cell_count;
    const uint64_t step_y = UINT64_C(1) << sort->bits[0], step_z = step_y << sort->bits[1];
    const int wide_y = sort->dimensions > 1, wide_z = sort->dimensions > 2;
    int found = 0, row = 0;
    for (int dz = -wide_z; dz <= wide_z; ++dz)
        for (int dy = -wide_y; dy <= wide_y; ++dy, ++row) {
            const uint64_t own = key + (uint64_t)dz * step_z + (uint64_t)dy * step_y, least = own - 1;
            uint64_t from = hint[row];
            if (from > count || (from > 0 && keys[from - 1] >= least)) from = 0;
            const key_range range = keys_between(sort, from, least, own + 2);
            hint[row] = (uint32_t)range.first;
            runs[found] = (cell_run){sort->start[range.first], sort->start[range.end]};
            found += range.end > range.first;
        }
    return found;
}

static int sparse_runs(const cell_sort *sort, cell_id id, cell_run *runs, uint32_t *hint)
{
    int found = 0, row = 0;
    int wide_y = sort->dimensions > 1, wide_z = sort->dimensions > 2;
    for (int dz = -wide_z; dz <= wide_z; ++dz)
        for (int dy = -wide_y; dy <= wide_y; ++dy, ++row) {
            const int64_t y = id.at[1] + dy, z = id.at[2] + dz;
            if (y < sort->low[1] || y > sort->high[1] || z < sort->low[2] || z > sort->high[2]) continue;
            const cell_target left = target_of(sort, id.at[0] - 1, y, z);
            const cell_target behind = target_of(sort, id.at[0] + 2, y, z);
            uint64_t from = hint[row];
            // The target is before the hint, or the cells have changed since the previous look-up.
            if (from > sort->cell_count || (from > 0 && !comes_before(sort, from - 1, &left))) from = 0;
            uint64_t first = lower_bound(sort, &left, from), end = first;
            hint[row] = (uint32_t)first;
            while (end < sort->cell_count && comes_before(sort, end, &behind)) ++end;
            if (end > first) runs[found++] = (cell_run){sort->start[first], sort->start[end]};
        }
    return found;
}

void mote_cell_runs_sparse(const cell_sort *sort, uint64_t cell, bool apart, cell_runs *runs,
                           uint32_t hint[CELL_MAX_RUNS])
{
    const uint32_t begin = sort->start[cell], end = sort->start[cell + 1];
    cell_run *at = runs->at;
    runs->count = sort->keys ? keyed_runs(sort, sort->keys[cell], at, hint)
                             : sparse_runs(sort, mote_cell_at(sort, begin), at, hint);
    if (apart) {
        int own = 0;
        while (at[own].end <= begin) ++own;
        for (int r = runs->count++; r > own; --r) at[r] = at[r - 1];
        at[own].end = begin;
        at[own + 1].begin = end;
    }
    runs->row_of = NULL;
    runs->points = 0;
    for (int r = 0; r < runs->count; ++r) runs->points += at[r].end - at[r].begin;
}

uint64_t mote_cell_number(const cell_sort *sort, cell_id id)
{
    if (sort->dense) return mote_dense_key(sort, id);
    const cell_target target = target_of(sort, id.at[0], id.at[1], id.at[2]);
    return lower_bound(sort, &target, 0);
}

int mote_cell_runs(const cell_sort *sort, cell_id id, cell_run runs[CELL_MAX_RUNS], uint32_t hint[CELL_MAX_RUNS])
{
    if (!sort->dense) return sparse_runs(sort, id, runs, hint);
    int found = 0;
    int64_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        int wide = k < sort->dimensions;
        low[k] = MOTE_MAX(id.at[k] - wide, sort->base[k]);
        high[k] = MOTE_MIN(id.at[k] + wide, sort->base[k] + (int64_t)sort->size[k] - 1);
    }
    if (low[0] > high[0]) return 0;
    for (int64_t z = low[2]; z <= high[2]; ++z)
        for (int64_t y = low[1]; y <= high[1]; ++y) {
            cell_id left = {{low[0], y, z}};
            uint32_t key = mote_dense_key(sort, left);
            cell_run run = {sort->start[key], sort->start[key + (uint32_t)(high[0] - low[0]) + 1]};
            if (run.end > run.begin) runs[found++] = run;
        }
    return found;
}

mote_result mote_cell_sort_validate(const cell_sort *sort, mote_error *error)
{
    for (uint64_t c = 0; c < sort->cell_count; ++c)
        if (sort->start[c] > sort->start[c + 1])
            return mote_fail(error, MOTE_ERROR_STATE, c, "cell_grid: cell %llu ends before it begins",
                             (unsigned long long)c);
    cell_id last = {{0, 0, 0}};
    for (uint32_t i = 0; i < sort->count; ++i) {
        cell_id id = mote_cell_at(sort, i);
        int order = i > 0 ? compare_cells(last, id) : -1;
        if (order > 0 || (order == 0 && sort->index[i - 1] >= sort->index[i]) || sort->index[i] >= sort->count)
            return mote_fail(error, MOTE_ERROR_STATE, i, "cell_grid: sorted point %u is out of order", i);
        uint64_t cell = mote_cell_number(sort, id);
        if (cell >= sort->cell_count || sort->start[cell] > i || sort->start[cell + 1] <= i)
            return mote_fail(error, MOTE_ERROR_STATE, i, "cell_grid: sorted point %u is outside its cell", i);
        last = id;
    }
    return MOTE_OK;
}
