// SPDX-License-Identifier: MIT
// neighbors/hash_blocks.h: lists that stay contiguous while they grow: blocks of 1, 2, 4, … units out of one buffer.
//
// A block is named by the unit that it starts at, for the buffer moves when it grows. Blocks given back are handed out
// again for lists of the same size.
#ifndef MOTE_NEIGHBORS_HASH_BLOCKS_H
#define MOTE_NEIGHBORS_HASH_BLOCKS_H

#include "base/internal.h"

enum { MOTE_POOL_SIZES = 32 };

typedef struct block_pool {
    mote_buffer memory;
    size_t unit_bytes;  // at least 4
    uint64_t used;      // units, of the buffer's start
    uint32_t free[MOTE_POOL_SIZES];  // by log2 of the size: a free block, which starts with the next one's unit, or
                                     // UINT32_MAX
} block_pool;

// Gives all blocks back. Memory stays.
void mote_pool_clear(block_pool *pool, size_t unit_bytes);
void mote_pool_release(const mote_context *context, block_pool *pool);

// A block of 2^size units. MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, which changes nothing.
mote_result mote_pool_take(const mote_context *context, block_pool *pool, int size, uint32_t *block);
void mote_pool_give(block_pool *pool, int size, uint32_t block);

// Units of all blocks that lie free.
uint64_t mote_pool_count_free(const block_pool *pool);

static inline void *mote_pool_at(const block_pool *pool, uint32_t block)
{
    return (char *)pool->memory.data + block * pool->unit_bytes;
}

// log2 of the smallest size, in units of `unit` elements, that holds `count` of them.
static inline int mote_pool_size_for(uint32_t count, uint32_t unit)
{
    int size = 0;
    while ((uint64_t)unit << size < count) ++size;
    return size;
}

#endif
