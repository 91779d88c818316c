// SPDX-License-Identifier: MIT
// The particles around a chunk, brought side by side in rows of subcells.
//
// Of each chunk around there is a table of where its subcells begin: kept from the sort if it has many particles, else
// made here. So a row of the window is at most a few runs of sorted particles.

#include "surface/internal.h"
#include "surface/window.h"

void mote_surface_fill_starts(const surface_sort *sort, const surface_chunk *chunk, int subcells, uint32_t *start)
{
    const int count = subcells * subcells * subcells;
    int done = 0;
    for (uint32_t i = chunk->begin; i < chunk->end; ++i)
        while (done <= sort->subcell[i]) start[done++] = i;
    while (done <= count) start[done++] = chunk->end;
}

// Makes room for as many particles as there are in the chunks around.
static bool reserve_lists(const mote_context *context, size_t most, surface_worker *worker)
{
    surface_window *window = &worker->window;
    const size_t room = most + MOTE_WIDE_MOST, columns = 6;
    if (mote_buffer_reserve(context, &worker->list_memory, mote_bytes(room, (3 * columns + 1) * sizeof(float)), 0) !=
        MOTE_OK)
        return false;
    float *at = worker->list_memory.data;
    float **arrays[] = {&window->x, &window->y, &window->z, &window->volume, &window->far, &window->rank};
    for (size_t k = 0; k < columns; ++k) {
        *arrays[k] = at + k * room;
        window->list[k] = at + (columns + k) * room;
        window->block[k] = at + (2 * columns + k) * room;
    }
    window->number = (uint32_t *)(void *)(at + 3 * columns * room);
    return true;
}

static const surface_chunk *chunk_at(const surface_grid *grid, const int32_t at[3])
{
    const uint32_t number = mote_surface_find_chunk(grid, at);
    return number == MOTE_TABLE_NONE ? NULL : grid->chunks + number;
}

// Finds the chunks around and the tables of their subcells. `most`: their particles.
static bool find_tables(const mote_context *context, surface_gather *g, const surface_sort *sort,
                        const surface_grid *grid, const surface_chunk *chunk, surface_worker *worker, size_t *most)
{
    const size_t all = (size_t)(g->chunks * g->chunks * g->chunks), n = (size_t)g->subcells;
    const size_t entries = n * n * n + 1;
    if (mote_buffer_reserve(context, &worker->table_memory,
                            mote_bytes(all, sizeof *g->tables + entries * sizeof(uint32_t)) +
                                MOTE_WIDE_MOST * sizeof(uint32_t),
                            0) != MOTE_OK)
        return false;
    g->tables = worker->table_memory.data;
    uint32_t *made = (uint32_t *)(void *)(g->tables + all);
    const surface_chunk *around[27];
    if (g->ring == 1) mote_surface_find_around(grid, chunk, around);
    for (size_t k = 0; k < all; ++k) {
        const int c = g->chunks, number_of[3] = {(int)k % c, (int)k / c % c, (int)k / (c * c)};
        int32_t at[3];
        for (int a = 0; a < 3; ++a) at[a] = chunk->at[a] + number_of[a] - g->ring;
        const surface_chunk *from = g->ring == 1 ? around[k] : chunk_at(grid, at);
        g->tables[k] = NULL;
        if (!from || from->begin == from->end) continue;
        *most += from->end - from->begin;
        if (from->starts != NONE) {
            g->tables[k] = sort->starts + (size_t)from->starts * entries;
            continue;
        }
        mote_surface_fill_starts(sort, from, g->subcells, made);
        g->tables[k] = made;
        made += entries;
    }
    return true;
}

bool mote_surface_gather(const mote_context *context, const surface_sort *sort, const surface_grid *grid,
                         const surface_scale *scale, const surface_chunk *chunk, uint32_t own_count, bool has_volumes,
                         bool has_numbers, const surface_lanes *lanes, const surface_form *forms,
                         surface_worker *worker)
{
    surface_window *window = &worker->window;
    const int size = scale->subcells + 2 * scale->margin;
    const size_t cells = (size_t)size * (size_t)size * (size_t)size;
    if (mote_buffer_reserve(context, &worker->window_memory, mote_bytes(cells + 1 + MOTE_WIDE_MOST, sizeof(uint32_t)),
                            0) != MOTE_OK)
        return false;
    window->size = size;
    window->start = worker->window_memory.data;
    window->has_fill = own_count < sort->count;
    window->forms = forms;
    window->index = sort->index;
    window->count = 0;
    for (int k = 0; k < 3; ++k) window->low[k] = size, window->high[k] = -1;
    surface_gather g = {.sorted = {sort->at[0], sort->at[1], sort->at[2], has_volumes ? sort->volumes : NULL},
                        .index = sort->index,
                        .window = window,
                        .own_count = own_count,
                        .has_numbers = has_numbers,
                        .subcells = scale->subcells,
                        .margin = scale->margin,
                        .chunk = CHUNK};
    while (1 << g.shift < g.subcells) ++g.shift;
    g.ring = (scale->margin + scale->subcells - 1) / scale->subcells;
    g.chunks = 2 * g.ring + 1;
    size_t most = 0;
    if (!find_tables(context, &g, sort, grid, chunk, worker, &most)) return false;
    if (most == 0) return true;
    if (!reserve_lists(context, most, worker)) return false;
    lanes->gather_rows(&g);
    if (forms)
        for (uint32_t j = 0; j < window->count; ++j) memcpy(&window->rank[j], &j, sizeof j);
    return true;
}
