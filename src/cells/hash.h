// SPDX-License-Identifier: MIT
// cells/hash.h: maps a cell to a bucket of a table (Teschner et al. 2003; Pouchol et al. 2009, eq. 1; Onderik &
// Ďurikovič 2008, eq. 15).
//
// The coordinates are multiplied by three large primes and combined by exclusive or or by a sum, in unsigned 32-bit
// arithmetic, so that negative coordinates work like others; then the remainder modulo the table's size is taken,
// exact for every size.
#ifndef MOTE_CELLS_HASH_H
#define MOTE_CELLS_HASH_H

#include "cells/frame.h"

typedef struct cell_hasher {
    uint32_t size;   // size of the table, at least 1
    uint64_t magic;  // ceil(2^64/size): the remainder takes two products instead of a division (Lemire et al. 2019)
    bool is_additive;
} cell_hasher;

// Returns the smallest prime at or above the power of two that is at least `count`. It is a prime because the low
// bits of a product depend only on the low bits of its factor: a power of two would discard the other bits. It is
// near a power of two so that the table keeps its size while the number of points changes slightly.
uint32_t mote_hash_table_size(size_t count);

// @param size  buckets, or 0: mote_hash_table_size(count)
static inline cell_hasher mote_hasher_make(bool is_additive, uint32_t size, size_t count)
{
    cell_hasher hasher = {.size = size ? size : mote_hash_table_size(count), .is_additive = is_additive};
    hasher.magic = UINT64_MAX / hasher.size + 1;
    return hasher;
}

// value mod hasher->size.
MOTE_INLINE uint32_t mote_hash_reduce(const cell_hasher *hasher, uint32_t value)
{
    uint64_t fraction = hasher->magic * value;
    uint64_t low = (fraction & UINT32_MAX) * hasher->size >> 32;
    return (uint32_t)(((fraction >> 32) * hasher->size + low) >> 32);
}

MOTE_INLINE uint32_t mote_hash_cell(const cell_hasher *hasher, grid_cell cell)
{
    uint32_t x = (uint32_t)cell.at[0] * 73856093u;
    uint32_t y = (uint32_t)cell.at[1] * 19349663u;
    uint32_t z = (uint32_t)cell.at[2] * 83492791u;
    return mote_hash_reduce(hasher, hasher->is_additive ? x + y + z : x ^ y ^ z);
}

#endif
