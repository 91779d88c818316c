// SPDX-License-Identifier: MIT
// The chunks near particles, and where their values and signs are kept.

#include <math.h>

#include "surface/internal.h"

enum { LOOK_UPS = 256 };  // chunks of a block of work

static uint32_t hash_of(const int32_t at[3])
{
    return mote_table_hash((uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
}

static bool is_chunk(const void *owner, uint32_t number, const void *key)
{
    return memcmp(((const surface_grid *)owner)->chunks[number].at, key, sizeof(int32_t[3])) == 0;
}

uint32_t mote_surface_find_chunk(const surface_grid *grid, const int32_t at[3])
{
    return mote_table_find(&grid->table, hash_of(at), is_chunk, grid, at);
}

static uint32_t number_at(const surface_grid *grid, uint32_t number, const int32_t at[3])
{
    if (number >= grid->chunk_count) return MOTE_TABLE_NONE;
    return memcmp(grid->chunks[number].at, at, sizeof grid->chunks->at) == 0 ? number : MOTE_TABLE_NONE;
}

// Looks up the chunks around chunks begin … end − 1. Chunks ascend by x within a row: once one of a row is found, the
// next one is beside it.
static void look_around(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    static const int order[3] = {0, -1, 1};  // the middle first
    const surface_grid *grid = data;
    for (size_t c = begin; c < end; ++c)
        for (int row = 0; row < 9; ++row) {
            const int32_t *own = grid->chunks[c].at;
            uint32_t middle = MOTE_TABLE_NONE;
            for (int k = 0; k < 3; ++k) {
                const int dx = order[k];
                const int32_t at[3] = {own[0] + dx, own[1] + row % 3 - 1, own[2] + row / 3 - 1};
                const uint32_t number =
                    middle == MOTE_TABLE_NONE ? mote_surface_find_chunk(grid, at) : middle + (uint32_t)dx;
                if (dx == 0) middle = number;
                grid->around[c].numbers[3 * row + 1 + dx] = number_at(grid, number, at);
            }
        }
}

void mote_surface_find_around(const surface_grid *grid, const surface_chunk *chunk, const surface_chunk *around[27])
{
    // Chunks of the sort are found by their place.
    const uintptr_t first = (uintptr_t)grid->chunks, end = (uintptr_t)(grid->chunks + grid->chunk_count);
    const bool is_of_grid = (uintptr_t)chunk >= first && (uintptr_t)chunk < end;
    const uint32_t own = is_of_grid ? (uint32_t)(chunk - grid->chunks) : mote_surface_find_chunk(grid, chunk->at);
    MOTE_ASSERT(own != MOTE_TABLE_NONE);
    const uint32_t *numbers = grid->around[own].numbers;
    for (int k = 0; k < 27; ++k) around[k] = numbers[k] == MOTE_TABLE_NONE ? NULL : grid->chunks + numbers[k];
}

mote_result mote_surface_fill_table(const mote_context *context, surface_grid *grid)
{
    mote_table_clear(&grid->table);
    mote_result result = mote_table_reserve(context, &grid->table, grid->chunk_count);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &grid->around_memory, mote_bytes(grid->chunk_count, sizeof *grid->around), 0);
    if (result != MOTE_OK) return result;
    grid->around = grid->around_memory.data;
    for (uint32_t c = 0; c < grid->chunk_count; ++c) mote_table_put(&grid->table, hash_of(grid->chunks[c].at), c);
    mote_parallel_for(context, grid->chunk_count, LOOK_UPS, look_around, grid);
    return MOTE_OK;
}

typedef struct bounds {
    float low[3], high[3];
} bounds;

static bounds bounds_of(const surface_sort *sort, const surface_chunk *chunk)
{
    bounds box = {{CHUNK, CHUNK, CHUNK}, {0, 0, 0}};
    for (uint32_t i = chunk->begin; i < chunk->end; ++i) {
        for (int k = 0; k < 3; ++k) {
            box.low[k] = MOTE_MIN(box.low[k], sort->at[k][i]);
            box.high[k] = MOTE_MAX(box.high[k], sort->at[k][i]);
        }
    }
    return box;
}

// The chunks whose nodes, or the nodes next to them, are within reach of the box, along one axis.
static void reach_of(const bounds *box, int axis, const surface_scale *scale, int range[2])
{
    range[0] = -scale->ring, range[1] = scale->ring;
    while ((float)(CHUNK * (range[0] + 1)) + scale->reach < box->low[axis]) ++range[0];
    while ((float)(CHUNK * range[1]) - scale->reach > box->high[axis]) --range[1];
}

// Writes the keys of the chunks around an occupied one, or only counts them.
static size_t spread(const surface_sort *sort, const surface_scale *scale, const surface_chunk *chunk, uint64_t *keys)
{
    const bounds box = bounds_of(sort, chunk);
    int range[3][2];
    for (int k = 0; k < 3; ++k) reach_of(&box, k, scale, range[k]);
    size_t count = 0;
    for (int z = range[2][0]; z <= range[2][1]; ++z)
        for (int y = range[1][0]; y <= range[1][1]; ++y)
            for (int x = range[0][0]; x <= range[0][1]; ++x) {
                const int32_t at[3] = {chunk->at[0] + x, chunk->at[1] + y, chunk->at[2] + z};
                if (keys) keys[count] = mote_surface_pack(sort->axes, at);
                ++count;
            }
    return count;
}

mote_result mote_surface_list_chunks(const mote_context *context, surface_grid *grid, const surface_sort *sort,
                                     const surface_scale *scale)
{
    size_t count = 0, own = 0;
    for (uint32_t c = 0; c < sort->chunk_count; ++c) count += spread(sort, scale, sort->chunks + c, NULL);
    mote_result result = mote_buffer_reserve(context, &grid->key_memory, mote_bytes(count, 2 * sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = grid->key_memory.data;
    size_t at = 0;
    for (uint32_t c = 0; c < sort->chunk_count; ++c) at += spread(sort, scale, sort->chunks + c, keys + at);
    result = mote_sort_u64(context, keys, NULL, keys + count, NULL, count);
    if (result != MOTE_OK) return result;
    size_t kept = 0;
    for (size_t k = 0; k < count; ++k)
        if (k == 0 || keys[k] != keys[k - 1]) keys[kept++] = keys[k];
    if (kept >= UINT32_MAX / 2) return MOTE_ERROR_OUT_OF_MEMORY;
    result = mote_buffer_reserve(context, &grid->chunk_memory, mote_bytes(kept, sizeof *grid->chunks), 0);
    if (result != MOTE_OK) return result;
    grid->chunks = grid->chunk_memory.data;
    grid->chunk_count = (uint32_t)kept;
    for (size_t k = 0; k < kept; ++k) {
        surface_chunk *chunk = grid->chunks + k;
        *chunk = (surface_chunk){.signs = ALL_OUTSIDE, .slots = NONE, .cuts = NONE, .starts = NONE};
        mote_surface_unpack(sort->axes, keys[k], chunk->at);
        if (own == sort->chunk_count || memcmp(sort->chunks[own].at, chunk->at, sizeof chunk->at) != 0) continue;
        chunk->begin = sort->chunks[own].begin;
        chunk->starts = sort->chunks[own].starts;
        chunk->end = sort->chunks[own++].end;
    }
    MOTE_ASSERT(own == sort->chunk_count);
    return mote_surface_fill_table(context, grid);
}

mote_result mote_surface_grid_reserve(const mote_context *context, surface_grid *grid, size_t chunks)
{
    const size_t block_bytes = (size_t)(grid->block * grid->block * grid->block) * sizeof *grid->values;
    const size_t slot_bytes = (size_t)mote_surface_slots(grid) * sizeof *grid->slots;
    const size_t blocks = grid->value_blocks, sets = grid->slot_sets, signs = grid->sign_sets;
    const struct {
        mote_buffer *buffer;
        size_t used, more, size;
    } needs[] = {{&grid->value_memory, blocks, mote_bytes(chunks, (size_t)mote_surface_slots(grid)), block_bytes},
                 {&grid->slot_memory, sets, chunks, slot_bytes},
                 {&grid->sign_memory, signs, chunks, sizeof *grid->signs}};
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < sizeof needs / sizeof *needs && result == MOTE_OK; ++k) {
        const size_t most = mote_bytes(needs[k].used + needs[k].more, needs[k].size);
        if (most <= needs[k].buffer->bytes) continue;
        result = mote_buffer_reserve(context, needs[k].buffer, most, needs[k].used * needs[k].size);
    }
    grid->values = grid->value_memory.data;
    grid->slots = grid->slot_memory.data;
    grid->signs = grid->sign_memory.data;
    return result;
}

void mote_surface_open_block(surface_grid *grid, surface_chunk *chunk, int block)
{
    const size_t slots = (size_t)mote_surface_slots(grid);
    const size_t nodes = (size_t)(grid->block * grid->block * grid->block);
    if (chunk->slots == NONE) {
        chunk->slots = (int32_t)atomic_fetch_add(&grid->slot_sets, 1u);
        for (size_t k = 0; k < slots; ++k) grid->slots[(size_t)chunk->slots * slots + k] = NONE;
    }
    int32_t *slot = grid->slots + (size_t)chunk->slots * slots + block;
    if (*slot != NONE) return;
    *slot = (int32_t)atomic_fetch_add(&grid->value_blocks, 1u);
    float *values = grid->values + (size_t)*slot * nodes;
    for (size_t k = 0; k < nodes; ++k) values[k] = INFINITY;
}

void mote_surface_grid_release(const mote_context *context, surface_grid *grid)
{
    mote_buffer *buffers[] = {&grid->chunk_memory, &grid->value_memory, &grid->slot_memory,  &grid->sign_memory,
                              &grid->cut_memory,   &grid->key_memory,   &grid->around_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
    mote_table_release(context, &grid->table);
}

size_t mote_surface_grid_byte_count(const surface_grid *grid)
{
    return grid->chunk_memory.bytes + grid->value_memory.bytes + grid->slot_memory.bytes + grid->sign_memory.bytes +
           grid->cut_memory.bytes + grid->key_memory.bytes + grid->around_memory.bytes + grid->table.memory.bytes;
}
