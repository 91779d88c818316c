// SPDX-License-Identifier: MIT
// The rows of the window: where their subcells begin, and their particles. Whole vectors are written in ascending
// order, so that what is too much is overwritten. Runs are a few particles long: what a run needs stands in variables,
// as compilers read again what lies in memory after each store.

#include "base/wide.h"
#include "surface/window.h"

static const float beyond_all = 1e30f;

// What is copied of particles from a row of chunks along x, and how far these are away.
typedef struct copy_task {
    const float *from[4];
    float *to[4], shift[3];
} copy_task;

// Copies particles begin … begin + count − 1. `shift_x`: how far their chunk is away along x.
MOTE_INLINE void copy_run(const copy_task *task, bool has_volumes, uint32_t begin, uint32_t count, float shift_x,
                          uint32_t to)
{
    for (uint32_t k = 0; k < count; k += WIDE) {
        wide_store(task->to[0] + to + k, wide_load(task->from[0] + begin + k) + shift_x);
        wide_store(task->to[1] + to + k, wide_load(task->from[1] + begin + k) + task->shift[1]);
        wide_store(task->to[2] + to + k, wide_load(task->from[2] + begin + k) + task->shift[2]);
        if (has_volumes) wide_store(task->to[3] + to + k, wide_load(task->from[3] + begin + k));
    }
}

// What else may be asked for: numbers, and which particles are fill.
static void copy_numbers(const surface_gather *g, uint32_t begin, uint32_t count, uint32_t to)
{
    surface_window *window = g->window;
    for (uint32_t k = 0; k < count; ++k) {
        if (g->has_numbers) window->number[to + k] = begin + k;
        if (window->has_fill) window->far[to + k] = g->index[begin + k] < g->own_count ? 0 : beyond_all;
    }
}

// The first and last subcell along x that hold particles, over all rows.
typedef struct row_bounds {
    int low, high;
} row_bounds;

// Widens the bounds by those subcells of a run, which begins at subcell x, that hold particles.
static void widen(const uint32_t *table, int x, int length, row_bounds *bounds)
{
    const uint32_t begin = table[0], end = table[length];
    int least = 0, most = length - 1;
    while (table[least + 1] == begin) ++least;
    while (table[most] == end) --most;
    bounds->low = MOTE_MIN(bounds->low, x + least);
    bounds->high = MOTE_MAX(bounds->high, x + most);
}

// Gathers a row; `row`: of its subcells within each of the chunks, whose tables these are. Returns the count with its
// particles.
MOTE_INLINE uint32_t gather_row(const surface_gather *g, const copy_task *task, bool has_volumes, bool has_more,
                                const uint32_t *const *tables, int row, uint32_t *start, uint32_t count,
                                row_bounds *bounds)
{
    const int n = g->subcells, size = g->window->size, first = g->ring * n - g->margin;
    int cx = first >> g->shift, low = first & (n - 1);
    for (int x = 0, length; x < size; x += length, low = 0, ++cx) {
        const uint32_t *table = tables[cx];
        length = MOTE_MIN(n - low, size - x);
        if (!table) {
            for (int s = 0; s < length; s += WIDE) wide_store(start + x + s, wide_all_u32(count));
            continue;
        }
        table += row + low;
        const uint32_t begin = table[0], own = table[length] - begin;
        for (int s = 0; s < length; s += WIDE) wide_store(start + x + s, wide_load(table + s) + (count - begin));
        if (own == 0) continue;
        copy_run(task, has_volumes, begin, own, (float)(g->chunk * (cx - g->ring)), count);
        if (has_more) copy_numbers(g, begin, own, count);
        if (x < bounds->low || x + length - 1 > bounds->high) widen(table, x, length, bounds);
        count += own;
    }
    return count;
}

// Whether no chunk of a row along x has particles.
MOTE_INLINE bool is_row_empty(const uint32_t *const *tables, int chunks)
{
    for (int cx = 0; cx < chunks; ++cx)
        if (tables[cx]) return false;
    return true;
}

MOTE_INLINE void gather_rows(const surface_gather *given, bool has_volumes, bool has_more)
{
    const surface_gather own = *given, *g = &own;
    surface_window *window = g->window;
    const int size = window->size, n = g->subcells, first = g->ring * n - g->margin;
    uint32_t *start = window->start, count = 0;
    copy_task task = {.from = {g->sorted[0], g->sorted[1], g->sorted[2], g->sorted[3]},
                      .to = {window->x, window->y, window->z, window->volume}};
    row_bounds bounds = {window->low[0], window->high[0]};
    for (int z = 0; z < size; ++z)
        for (int y = 0, rows; y < size; y += rows) {
            const int cy = (y + first) >> g->shift, cz = (z + first) >> g->shift;
            const uint32_t *const *tables = (const uint32_t *const *)g->tables + (cz * g->chunks + cy) * g->chunks;
            rows = MOTE_MIN((cy + 1) * n - first, size) - y;
            if (is_row_empty(tables, g->chunks)) {
                for (int s = 0; s < rows * size; s += WIDE) wide_store(start + s, wide_all_u32(count));
                start += rows * size;
                continue;
            }
            task.shift[1] = (float)(g->chunk * (cy - g->ring));
            task.shift[2] = (float)(g->chunk * (cz - g->ring));
            for (int k = y; k < y + rows; ++k, start += size) {
                const int row = (((z + first) & (n - 1)) << g->shift | ((k + first) & (n - 1))) << g->shift;
                const uint32_t before = count;
                count = gather_row(g, &task, has_volumes, has_more, tables, row, start, count, &bounds);
                if (count == before) continue;
                window->low[1] = MOTE_MIN(window->low[1], k);
                window->high[1] = MOTE_MAX(window->high[1], k);
                window->low[2] = MOTE_MIN(window->low[2], z);
                window->high[2] = z;
            }
        }
    *start = window->count = count;
    window->low[0] = bounds.low;
    window->high[0] = bounds.high;
}

void WIDE_NAME(mote_surface_gather_rows)(const surface_gather *g)
{
    if (g->has_numbers || g->window->has_fill)
        gather_rows(g, g->sorted[3] != NULL, true);
    else if (g->sorted[3])
        gather_rows(g, true, false);
    else
        gather_rows(g, false, false);
}
