// SPDX-License-Identifier: MIT
// neighbors/hash_blocks.h: lists that stay contiguous as they grow, in blocks of 1, 2, 4, … units of one buffer.
//
// A block is identified by its first unit, because the buffer moves when it grows. Released blocks are reused for
// lists of the same size.
#ifndef MOTE_NEIGHBORS_HASH_BLOCKS_H
#define MOTE_NEIGHBORS_HASH_BLOCKS_H

#include "base/internal.h"

enum { MOTE_POOL_SIZES = 32 };

typedef struct block_pool {
    mote_buffer memory;
    size_t unit_bytes;  // at least 4
    uint64_t used;      // units in use, from the buffer's start
    uint32_t free[MOTE_POOL_SIZES];  // by log2 of the size: a free block, or UINT32_MAX; the first number in
                                     // a free block is the next free block
} block_pool;

// Releases all blocks. The memory is kept.
void mote_pool_clear(block_pool *pool, size_t unit_bytes);
void mote_pool_release(const mote_context *context, block_pool *pool);

// Takes a block of 2^size units. Returns MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, which changes nothing.
mote_result mote_pool_take(const mote_context *context, block_pool *pool, int size, uint32_t *block);
void mote_pool_give(block_pool *pool, int size, uint32_t block);

// Returns the number of units of all free blocks.
uint64_t mote_pool_count_free(const block_pool *pool);

static inline void *mote_pool_at(const block_pool *pool, uint32_t block)
{
    return (char *)pool->memory.data + block * pool->unit_bytes;
}

// log2 of the smallest size, in units of `unit` elements, that holds `count` elements.
static inline int mote_pool_size_for(uint32_t count, uint32_t unit)
{
    int size = 0;
    while ((uint64_t)unit << size < count) ++size;
    return size;
}

#endif
