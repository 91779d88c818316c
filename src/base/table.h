// SPDX-License-Identifier: MIT
// base/table.h: an open-addressing hash table of numbers; the caller stores their keys.
//
// A slot holds a number from the caller and the hash of its key, which rules out nearly all other keys without
// reading them. Collisions go to the next slot (linear probing). Removal closes the gap (Knuth 1998, vol. 3, section
// 6.4, algorithm R): there are no marks for deleted numbers, so that an emptied table is as fast as a new one. At
// most half of the slots are used.
#ifndef MOTE_BASE_TABLE_H
#define MOTE_BASE_TABLE_H

#include "base/internal.h"

#define MOTE_TABLE_NONE UINT32_MAX

typedef struct mote_table_slot {
    uint32_t number;  // MOTE_TABLE_NONE: free
    uint32_t hash;
} mote_table_slot;

// All zero bytes: a table without slots.
typedef struct mote_table {
    mote_buffer memory;
    mote_table_slot *slots;
    uint32_t size;  // a power of two, or 0
} mote_table;

// Mixes the high bits into the low ones, because only the low bits choose the slot.
static inline uint32_t mote_table_mix(uint32_t hash)
{
    hash ^= hash >> 16;
    hash *= 0x85EBCA6Bu;
    return hash ^ (hash >> 13);
}

// The hash of a cell, or of any three coordinates (the primes are those of Teschner et al. 2003).
static inline uint32_t mote_table_hash(uint32_t x, uint32_t y, uint32_t z)
{
    return mote_table_mix((x * 73856093u) ^ (y * 19349663u) ^ (z * 83492791u));
}

// Makes room for `count` numbers in all; those in the table stay. Cost O(1), or O(size) if it grows.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY (also beyond 2^30 numbers), which leaves the table unchanged
mote_result mote_table_reserve(const mote_context *context, mote_table *table, size_t count);
void mote_table_release(const mote_context *context, mote_table *table);
// Removes all numbers and keeps the slots.
void mote_table_clear(mote_table *table);

// Inserts a number that is not in the table; there must be room for it.
void mote_table_put(mote_table *table, uint32_t hash, uint32_t number);
// Removes a number that is in the table.
void mote_table_remove(mote_table *table, uint32_t hash, uint32_t number);

// Whether the owner stores this key under this number.
typedef bool mote_table_match(const void *owner, uint32_t number, const void *key);

// The number of a key, or MOTE_TABLE_NONE. Inline, so that `matches` is inlined as well.
MOTE_INLINE uint32_t mote_table_find(const mote_table *table, uint32_t hash, mote_table_match *matches,
                                     const void *owner, const void *key)
{
    if (table->size == 0) return MOTE_TABLE_NONE;
    const uint32_t mask = table->size - 1;
    for (uint32_t place = hash & mask;; place = (place + 1) & mask) {
        const mote_table_slot slot = table->slots[place];
        if (slot.number == MOTE_TABLE_NONE) return MOTE_TABLE_NONE;
        if (slot.hash == hash && matches(owner, slot.number, key)) return slot.number;
    }
}

#endif
