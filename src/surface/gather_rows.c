// SPDX-License-Identifier: MIT
// A row of the window: where its subcells begin, and its particles. Whole vectors are written in ascending order, so
// that what is too much is overwritten.

#include "base/wide.h"
#include "surface/window.h"

static const float beyond_all = 1e30f;

MOTE_INLINE void copy_shifted(float *to, const float *from, uint32_t count, float shift)
{
    for (uint32_t k = 0; k < count; k += WIDE) wide_store(to + k, wide_load(from + k) + shift);
}

// Copies a run of sorted particles, seen from `way` chunks away.
MOTE_INLINE void copy_run(const surface_gather *g, uint32_t begin, uint32_t count, const int way[3], uint32_t to)
{
    surface_window *window = g->window;
    copy_shifted(window->x + to, g->sorted[0] + begin, count, (float)(g->chunk * way[0]));
    copy_shifted(window->y + to, g->sorted[1] + begin, count, (float)(g->chunk * way[1]));
    copy_shifted(window->z + to, g->sorted[2] + begin, count, (float)(g->chunk * way[2]));
    for (uint32_t k = 0; k < count; k += WIDE) wide_store(window->number + to + k, wide_lane_numbers() + (begin + k));
    if (g->sorted[3])
        for (uint32_t k = 0; k < count; k += WIDE)
            wide_store(window->volume + to + k, wide_load(g->sorted[3] + begin + k));
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

static uint32_t gather_row(const surface_gather *g, int y, int z, uint32_t count)
{
    surface_window *window = g->window;
    const int n = g->subcells, first = g->ring * n - g->margin;
    const int cy = (y + first) / n, cz = (z + first) / n, row = ((z + first) % n * n + (y + first) % n) * n;
    uint32_t *start = window->start + ((size_t)z * (size_t)window->size + (size_t)y) * (size_t)window->size;
    for (int x = 0, cx = first / n; x < window->size; ++cx) {
        const int low = x == 0 ? first % n : 0, length = MOTE_MIN(n - low, window->size - x);
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
            while (table[least + 1] == begin) ++least;
            while (table[most] == end) --most;
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
    const int size = window->size;
    window->count = 0;
    for (int z = 0; z < size; ++z)
        for (int y = 0; y < size; ++y) window->count = gather_row(g, y, z, window->count);
    window->start[(size_t)size * (size_t)size * (size_t)size] = window->count;
}
