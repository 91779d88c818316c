// SPDX-License-Identifier: MIT
// Allocates blocks of one buffer.

#include "neighbors/hash_blocks.h"

#include <string.h>

static const uint32_t no_block = UINT32_MAX;

void mote_pool_clear(block_pool *pool, size_t unit_bytes)
{
    pool->unit_bytes = unit_bytes;
    pool->used = 0;
    for (int size = 0; size < MOTE_POOL_SIZES; ++size) pool->free[size] = no_block;
}

void mote_pool_release(const mote_context *context, block_pool *pool)
{
    mote_buffer_release(context, &pool->memory);
    pool->used = 0;
}

mote_result mote_pool_take(const mote_context *context, block_pool *pool, int size, uint32_t *block)
{
    if (size >= MOTE_POOL_SIZES) return MOTE_ERROR_OUT_OF_MEMORY;
    if (pool->free[size] != no_block) {
        *block = pool->free[size];
        memcpy(&pool->free[size], mote_pool_at(pool, *block), sizeof(uint32_t));
        return MOTE_OK;
    }
    const uint64_t end = pool->used + (UINT64_C(1) << size);
    if (end > no_block) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = mote_buffer_reserve(context, &pool->memory, mote_bytes((size_t)end, pool->unit_bytes),
                                             (size_t)pool->used * pool->unit_bytes);
    if (result != MOTE_OK) return result;
    *block = (uint32_t)pool->used;
    pool->used = end;
    return MOTE_OK;
}

void mote_pool_give(block_pool *pool, int size, uint32_t block)
{
    memcpy(mote_pool_at(pool, block), &pool->free[size], sizeof(uint32_t));
    pool->free[size] = block;
}

uint64_t mote_pool_count_free(const block_pool *pool)
{
    uint64_t units = 0;
    for (int size = 0; size < MOTE_POOL_SIZES; ++size)
        for (uint32_t block = pool->free[size]; block != no_block;) {
            units += UINT64_C(1) << size;
            memcpy(&block, mote_pool_at(pool, block), sizeof(uint32_t));
        }
    return units;
}
