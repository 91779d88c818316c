// SPDX-License-Identifier: MIT
// A row of the window: where its subcells begin, and its particles. Whole vectors are written in ascending order, so
// that what is too much is overwritten.

#include "base/wide.h"
#include "surface/window.h"

static const float beyond_all = 1e30f;

// Copies a run of sorted particles, seen from `way` chunks away.
MOTE_INLINE void copy_run(const surface_gather *g, uint32_t begin, uint32_t count, const int way[3], uint32_t to)
{
    surface_window *window = g->window;
    const float *const *from = g->sorted;
    const float shift[3] = {(float)(g->chunk * way[0]), (float)(g->chunk * way[1]), (float)(g->chunk * way[2])};
    for (uint32_t k = 0; k < count; k += WIDE) {
        wide_store(window->x + to + k, wide_load(from[0] + begin + k) + shift[0]);
        wide_store(window->y + to + k, wide_load(from[1] + begin + k) + shift[1]);
        wide_store(window->z + to + k, wide_load(from[2] + begin + k) + shift[2]);
        if (from[3]) wide_store(window->volume + to + k, wide_load(from[3] + begin + k));
        if (g->has_numbers) wide_store(window->number + to + k, wide_lane_numbers() + (begin + k));
    }
    if (window->has_fill)
        for (uint32_t k = 0; k < count; ++k) window->far[to + k] = g->index[begin + k] < g->own_count ? 0 : beyond_all;
}

MOTE_INLINE void enlarge(surface_window *window, int first, int last, int y, int z)
{
    const int low[3] = {first, y, z}, high[3] = {last, y, z};
    for (int k = 0; k < 3; ++k) {
        window->low[k] = MOTE_MIN(window->low[k], low[k]);
        window->high[k] = MOTE_MAX(window->high[k], high[k]);
    }
}

// Whether no chunk of a row along x has particles.
MOTE_INLINE bool is_row_empty(const surface_gather *g, int cy, int cz)
{
    const uint32_t *const *tables = (const uint32_t *const *)g->tables + (cz * g->chunks + cy) * g->chunks;
    for (int cx = 0; cx < g->chunks; ++cx)
        if (tables[cx]) return false;
    return true;
}

static uint32_t gather_row(const surface_gather *g, int y, int z, uint32_t count)
{
    surface_window *window = g->window;
    const int n = g->subcells, first = g->ring * n - g->margin;
    const int cy = (y + first) >> g->shift, cz = (z + first) >> g->shift, begun = first & (n - 1);
    const int row = (((z + first) & (n - 1)) << g->shift | ((y + first) & (n - 1))) << g->shift;
    uint32_t *start = window->start + ((size_t)z * (size_t)window->size + (size_t)y) * (size_t)window->size;
    for (int x = 0, cx = first >> g->shift; x < window->size; ++cx) {
        const int low = x == 0 ? begun : 0, length = MOTE_MIN(n - low, window->size - x);
        const uint32_t *table = g->tables[(cz * g->chunks + cy) * g->chunks + cx];
        if (!table) {
            for (int s = 0; s < length; s += WIDE) wide_store(start + x + s, wide_all_u32(count));
            x += length;
            continue;
        }
        table += row + low;
        const uint32_t begin = table[0], end = table[length];
        for (int s = 0; s < length; s += WIDE) wide_store(start + x + s, wide_load(table + s) + (count - begin));
        if (begin < end) {
            const int way[3] = {cx - g->ring, cy - g->ring, cz - g->ring};
            copy_run(g, begin, end - begin, way, count);
            int least = 0, most = length - 1;
            if (end - begin < (uint32_t)length) {  // with fewer it is worth to know which subcells have none
                while (table[least + 1] == begin) ++least;
                while (table[most] == end) --most;
            }
            enlarge(window, x + least, x + most, y, z);
        }
        count += end - begin;
        x += length;
    }
    return count;
}

void WIDE_NAME(mote_surface_gather_rows)(const surface_gather *g)
{
    surface_window *window = g->window;
    const int size = window->size, n = g->subcells, first = g->ring * n - g->margin;
    window->count = 0;
    for (int z = 0; z < size; ++z)
        for (int y = 0, rows; y < size; y += rows) {
            const int cy = (y + first) >> g->shift, cz = (z + first) >> g->shift;
            rows = MOTE_MIN((cy + 1) * n - first, size) - y;
            if (is_row_empty(g, cy, cz)) {
                uint32_t *start = window->start + (size_t)(z * size + y) * (size_t)size;
                for (int s = 0; s < rows * size; s += WIDE) wide_store(start + s, wide_all_u32(window->count));
                continue;
            }
            for (int k = 0; k < rows; ++k) window->count = gather_row(g, y + k, z, window->count);
        }
    window->start[(size_t)size * (size_t)size * (size_t)size] = window->count;
}
