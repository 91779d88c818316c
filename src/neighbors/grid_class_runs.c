// SPDX-License-Identifier: MIT
// Finds the sorted points that lie in the cells around a box.
//
// If the points fill the box around their cells, a table holds the start of each cell's points. If they do not, a
// table holds the start of each row of cells, and cells are searched within the row. If even most rows are empty,
// cells are searched among all cells, starting where the last look-up ended.

#include "neighbors/grid_classes.h"

enum { ENTRIES_A_POINT = 2, ENTRIES_AT_LEAST = 64 };  // per class; with more, a table costs more than it saves

// ------------------------------------------------------------------------------------------------------- tables

static size_t width_of(const radius_class *class, int axis)
{
    return (size_t)((int64_t)class->bounds.high.at[axis] - class->bounds.low.at[axis]) + 1;
}

// Counts the entries of the class's tables: one per cell, or one per row of cells. 0 for a table that it does not have.
static void count_entries(const class_sort *sort, const radius_class *class, size_t *cells, size_t *rows)
{
    const double points = sort->start[class->cell_end] - sort->start[class->cell_begin];
    const double most = points * ENTRIES_A_POINT + ENTRIES_AT_LEAST;
    const double all_rows = (double)width_of(class, 1) * (double)width_of(class, 2);
    const double all_cells = (double)width_of(class, 0) * all_rows;
    *cells = all_cells <= most ? (size_t)all_cells + 1 : 0;
    *rows = all_cells > most && all_rows <= most ? (size_t)all_rows + 1 : 0;
}

// The number of the cell's row within the bounds.
static size_t row_of(const radius_class *class, grid_cell cell)
{
    const grid_cell low = class->bounds.low;
    return (size_t)(cell.at[2] - low.at[2]) * width_of(class, 1) + (size_t)(cell.at[1] - low.at[1]);
}

static void fill_starts(const class_sort *sort, const radius_class *class, size_t entries)
{
    const size_t width = width_of(class, 0);
    size_t next = 0;
    for (uint32_t c = class->cell_begin; c < class->cell_end; ++c) {
        const grid_cell cell = sort->cells[c];
        size_t key = row_of(class, cell) * width + (size_t)(cell.at[0] - class->bounds.low.at[0]);
        while (next <= key) class->starts[next++] = sort->start[c];
    }
    while (next < entries) class->starts[next++] = sort->start[class->cell_end];
}

static void fill_rows(const class_sort *sort, const radius_class *class, size_t entries)
{
    size_t next = 0;
    for (uint32_t c = class->cell_begin; c < class->cell_end; ++c) {
        size_t row = row_of(class, sort->cells[c]);
        while (next <= row) class->rows[next++] = c;
    }
    while (next < entries) class->rows[next++] = class->cell_end;
}

mote_result mote_class_tables_make(const mote_context *context, class_sort *sort)
{
    size_t entries = 0, cells, rows;
    for (uint32_t c = 0; c < sort->class_count; ++c) {
        count_entries(sort, &sort->classes[c], &cells, &rows);
        entries += cells + rows;
    }
    mote_result result = mote_buffer_reserve(context, &sort->tables, mote_bytes(entries, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *next = sort->tables.data;
    for (uint32_t c = 0; c < sort->class_count; ++c) {
        radius_class *class = &sort->classes[c];
        count_entries(sort, class, &cells, &rows);
        class->starts = cells ? next : NULL;
        class->rows = rows ? next : NULL;
        if (cells) fill_starts(sort, class, cells);
        if (rows) fill_rows(sort, class, rows);
        if (cells + rows) next += cells + rows;  // if there is no table, there is no memory either
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ look-ups

// Returns the first cell of the class that is not less than `cell`; the search steps double, starting at `from`.
static uint32_t lower_bound(const class_sort *sort, const radius_class *class, grid_cell cell, uint32_t from)
{
    if (from < class->cell_begin || from > class->cell_end) from = class->cell_begin;
    if (from > class->cell_begin && !mote_cell_is_less(sort->cells[from - 1], cell)) from = class->cell_begin;
    uint64_t low = from, step = 1;
    while (low + step <= class->cell_end && mote_cell_is_less(sort->cells[low + step - 1], cell)) {
        low += step;
        step *= 2;
    }
    uint64_t high = MOTE_MIN(low + step - 1, (uint64_t)class->cell_end);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (mote_cell_is_less(sort->cells[middle], cell))
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static bool add_run(const mote_context *context, mote_buffer *runs, size_t *count, sorted_run run)
{
    sorted_run *all = runs->data;
    if (*count && all[*count - 1].end == run.begin) {
        all[*count - 1].end = run.end;
        return true;
    }
    size_t bytes = (*count + 1) * sizeof run;
    if (runs->bytes < bytes &&
        mote_buffer_reserve(context, runs, 2 * bytes, *count * sizeof run) != MOTE_OK)
        return false;
    all = runs->data;
    all[(*count)++] = run;
    return true;
}

// Tests all occupied cells of the class against the range.
static bool scan_cells(const mote_context *context, const class_sort *sort, const radius_class *class,
                       const grid_range *range, mote_buffer *runs, size_t *count)
{
    for (uint32_t c = class->cell_begin; c < class->cell_end; ++c) {
        bool inside = true;
        for (int k = 0; k < 3; ++k)
            inside &= sort->cells[c].at[k] >= range->low.at[k] && sort->cells[c].at[k] <= range->high.at[k];
        if (inside && !add_run(context, runs, count, (sorted_run){sort->start[c], sort->start[c + 1]})) return false;
    }
    return true;
}

// Adds the rows of cells of a range that lies in the bounds, using the table of starts.
static void add_by_starts(const radius_class *class, const grid_range *range, sorted_run *next, size_t *count)
{
    const size_t width = width_of(class, 0), height = width_of(class, 1);
    const size_t depth_of_range = (size_t)(range->high.at[2] - range->low.at[2]) + 1;
    const size_t height_of_range = (size_t)(range->high.at[1] - range->low.at[1]) + 1;
    const uint32_t *from = class->starts + (size_t)(range->low.at[0] - class->bounds.low.at[0]);
    const uint32_t *to = class->starts + (size_t)(range->high.at[0] - class->bounds.low.at[0]) + 1;
    sorted_run *const first = next;
    const size_t corner = row_of(class, range->low);
    for (size_t z = 0; z < depth_of_range; ++z)
        for (size_t y = 0; y < height_of_range; ++y) {
            const size_t row = (corner + z * height + y) * width;
            *next = (sorted_run){from[row], to[row]};
            next += next->begin < next->end;
        }
    *count = (size_t)(next - first);
}

// The same, using the table of rows.
static void add_by_rows(const class_sort *sort, const radius_class *class, const grid_range *range, sorted_run *next,
                        size_t *count)
{
    const int32_t low = range->low.at[0], high = range->high.at[0];
    const size_t height = width_of(class, 1), corner = row_of(class, range->low);
    sorted_run *const first = next;
    for (int32_t z = range->low.at[2]; z <= range->high.at[2]; ++z)
        for (int32_t y = range->low.at[1]; y <= range->high.at[1]; ++y) {
            const size_t row = corner + (size_t)(z - range->low.at[2]) * height + (size_t)(y - range->low.at[1]);
            uint32_t begin = class->rows[row], end = class->rows[row + 1];
            const uint32_t row_end = end;
            while (begin < end) {
                uint32_t middle = begin + (end - begin) / 2;
                if (sort->cells[middle].at[0] < low)
                    begin = middle + 1;
                else
                    end = middle;
            }
            while (end < row_end && sort->cells[end].at[0] <= high) ++end;
            *next = (sorted_run){sort->start[begin], sort->start[end]};
            next += begin < end;
        }
    *count = (size_t)(next - first);
}

bool mote_class_sort_runs(const mote_context *context, const class_sort *sort, const radius_class *class,
                          const double low[3], const double high[3], uint32_t *hint, mote_buffer *runs,
                          size_t *run_count)
{
    grid_range range = class->bounds;
    *run_count = 0;
    for (int k = 0; k < class->frame.dimensions; ++k) {
        range.low.at[k] = MOTE_MAX(range.low.at[k], mote_frame_coordinate(&class->frame, k, low[k]));
        range.high.at[k] = MOTE_MIN(range.high.at[k], mote_frame_coordinate(&class->frame, k, high[k]));
        if (range.low.at[k] > range.high.at[k]) return true;
    }
    uint64_t height = (uint64_t)((int64_t)range.high.at[1] - range.low.at[1] + 1);
    uint64_t depth = (uint64_t)((int64_t)range.high.at[2] - range.low.at[2] + 1);
    if (height * depth > class->cell_end - class->cell_begin)
        return scan_cells(context, sort, class, &range, runs, run_count);
    if (class->starts || class->rows) {
        const size_t bytes = mote_bytes((size_t)(height * depth), sizeof(sorted_run));
        if (runs->bytes < bytes && mote_buffer_reserve(context, runs, bytes, 0) != MOTE_OK) return false;
        if (class->starts)
            add_by_starts(class, &range, runs->data, run_count);
        else
            add_by_rows(sort, class, &range, runs->data, run_count);
        return true;
    }
    uint32_t row = 0;
    for (int32_t z = range.low.at[2]; z <= range.high.at[2]; ++z)
        for (int32_t y = range.low.at[1]; y <= range.high.at[1]; ++y, ++row) {
            grid_cell left = {{range.low.at[0], y, z}};
            uint32_t first = lower_bound(sort, class, left, hint[row % CLASS_HINTS]), end = first;
            hint[row % CLASS_HINTS] = first;
            while (end < class->cell_end && sort->cells[end].at[2] == z && sort->cells[end].at[1] == y &&
                   sort->cells[end].at[0] <= range.high.at[0])
                ++end;
            if (end == first) continue;
            if (!add_run(context, runs, run_count, (sorted_run){sort->start[first], sort->start[end]})) return false;
        }
    return true;
}
