// SPDX-License-Identifier: MIT
// Hash tables of Pouchol et al. 2009 taken at their word: a bucket holds whatever has its number, and nothing tells
// what cell that came from. By eq. 3 a cell's number is that of its coordinates, whatever its class, in one table for
// all; by eq. 4 numbers of the cells around it are added, and buckets have the flag hasChildren. As a third, numbers
// are added that mix class and coordinates well, to tell chance from what the equations themselves bring together.
//
// Classes are doublings of the finest edge. An object goes to the class of its longest edge, or the next one that holds
// it in two cells an axis; queries visit all cells of a class that they cover, under eq. 4 those below flagged buckets.
#ifndef PAPERS_BARE_HASH_H
#define PAPERS_BARE_HASH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mote/broadphase.h"

#define BARE_NONE UINT32_MAX

typedef enum bare_kind { BARE_EQ_3, BARE_EQ_4, BARE_MIXED } bare_kind;

typedef struct bare_entry {
    uint32_t object, next;
} bare_entry;

typedef struct bare_hash {
    const mote_bounds *boxes;
    bare_kind kind;
    double finest;
    int classes;
    uint64_t size;   // buckets
    uint32_t *heads;
    uint8_t *has_children;
    bare_entry *entries;
    size_t entry_count, entry_room;
    uint32_t *stamps;  // of the last query that met an object
    uint32_t stamp;
} bare_hash;

typedef struct bare_range {
    int64_t low[3], high[3];
} bare_range;

typedef struct bare_work {
    uint64_t lookups, retrieved, candidates;  // buckets, their entries, objects among these
} bare_work;

static bare_range bare_range_of(const bare_hash *hash, const mote_bounds *box, int class_number)
{
    const double edge = ldexp(hash->finest, class_number);
    bare_range range;
    for (int k = 0; k < 3; ++k) {
        range.low[k] = (int64_t)floor((double)box->min[k] / edge);
        range.high[k] = (int64_t)floor((double)box->max[k] / edge);
    }
    return range;
}

// Eq. 3, with the primes of Teschner et al. 2003; or splitmix64's finish (Steele, Lea & Flood 2014), number by number.
static uint64_t bare_key(const bare_hash *hash, const int64_t at[3], int class_number)
{
    if (hash->kind == BARE_MIXED) {
        mote_random random = {(uint64_t)class_number};
        for (int k = 0; k < 3; ++k) random.state = mote_random_next(&random) ^ (uint64_t)at[k];
        return mote_random_next(&random) % hash->size;
    }
    const uint64_t mixed = (uint64_t)at[0] * 73856093 ^ (uint64_t)at[1] * 19349663 ^ (uint64_t)at[2] * 83492791;
    return mixed % hash->size;
}

static int bare_class_of(const bare_hash *hash, const mote_bounds *box)
{
    double longest = 0;
    for (int k = 0; k < 3; ++k) longest = fmax(longest, (double)box->max[k] - (double)box->min[k]);
    int number = 0;
    for (; number + 1 < hash->classes; ++number) {
        const bare_range range = bare_range_of(hash, box, number);
        bool suits = ldexp(hash->finest, number) >= longest;
        for (int k = 0; k < 3; ++k) suits &= range.high[k] - range.low[k] <= 1;
        if (suits) break;
    }
    return number;
}

// Listing 1: flags on the way down, then an entry.
static bool bare_insert_at(bare_hash *hash, uint32_t object, const int64_t at[3], int class_number)
{
    uint64_t key = 0;
    for (int c = hash->classes - 1; hash->kind != BARE_EQ_3 && c > class_number; --c) {
        const int64_t width = (int64_t)1 << (c - class_number);
        int64_t above[3];
        for (int k = 0; k < 3; ++k) above[k] = (at[k] - (at[k] % width + width) % width) / width;
        key = (key + bare_key(hash, above, c)) % hash->size;
        hash->has_children[key] = 1;
    }
    key = (key + bare_key(hash, at, class_number)) % hash->size;
    if (hash->entry_count == hash->entry_room) {
        const size_t room = 2 * hash->entry_room + 1024;
        bare_entry *larger = realloc(hash->entries, room * sizeof *larger);
        if (!larger) return false;
        hash->entries = larger;
        hash->entry_room = room;
    }
    hash->entries[hash->entry_count] = (bare_entry){object, hash->heads[key]};
    hash->heads[key] = (uint32_t)hash->entry_count++;
    return true;
}

static bool bare_insert(bare_hash *hash, uint32_t object)
{
    const int number = bare_class_of(hash, hash->boxes + object);
    const bare_range range = bare_range_of(hash, hash->boxes + object, number);
    int64_t at[3];
    for (at[2] = range.low[2]; at[2] <= range.high[2]; ++at[2])
        for (at[1] = range.low[1]; at[1] <= range.high[1]; ++at[1])
            for (at[0] = range.low[0]; at[0] <= range.high[0]; ++at[0])
                if (!bare_insert_at(hash, object, at, number)) return false;
    return true;
}

static void bare_release(bare_hash *hash)
{
    free(hash->heads);
    free(hash->has_children);
    free(hash->entries);
    free(hash->stamps);
}

// Memory for `size` buckets; boxes are the caller's. Answers whether memory sufficed; bare_release in any case.
static bool bare_create(bare_hash *hash, bare_kind kind, uint64_t size, double finest, int classes,
                        const mote_bounds *boxes, size_t count)
{
    *hash = (bare_hash){.boxes = boxes, .kind = kind, .finest = finest, .classes = classes, .size = size};
    hash->heads = malloc(size * sizeof *hash->heads);
    hash->has_children = malloc(size);
    hash->stamps = calloc(count + 1, sizeof *hash->stamps);
    return hash->heads && hash->has_children && hash->stamps;
}

// Empties the table and inserts all.
static bool bare_build(bare_hash *hash, size_t count)
{
    memset(hash->heads, 0xff, hash->size * sizeof *hash->heads);
    memset(hash->has_children, 0, hash->size);
    hash->entry_count = 0;
    bool good = true;
    for (uint32_t object = 0; object < count && good; ++object) good = bare_insert(hash, object);
    return good;
}

typedef struct bare_query {
    bare_hash *hash;
    const mote_bounds *box;
    mote_broadphase_visitor *visitor;
    void *data;
    bare_work *work;
} bare_query;

// Objects in a bucket that the query has not met yet, tested.
static void bare_retrieve(const bare_query *query, uint64_t key)
{
    bare_hash *hash = query->hash;
    query->work->lookups += 1;
    for (uint32_t entry = hash->heads[key]; entry != BARE_NONE; entry = hash->entries[entry].next) {
        const uint32_t object = hash->entries[entry].object;
        query->work->retrieved += 1;
        if (hash->stamps[object] == hash->stamp) continue;
        hash->stamps[object] = hash->stamp;
        query->work->candidates += 1;
        const mote_bounds *box = hash->boxes + object;
        bool meets = true;
        for (int k = 0; k < 3; ++k)
            meets &= box->min[k] <= query->box->max[k] && query->box->min[k] <= box->max[k];
        if (meets) query->visitor(query->data, object);
    }
}

// Cells of a class in a range; but for eq. 3 those below flagged buckets, too (listing 2, no area being entered twice).
static void bare_descend(const bare_query *query, bare_range range, int class_number, uint64_t key_above)
{
    const bare_hash *hash = query->hash;
    int64_t at[3];
    for (at[2] = range.low[2]; at[2] <= range.high[2]; ++at[2])
        for (at[1] = range.low[1]; at[1] <= range.high[1]; ++at[1])
            for (at[0] = range.low[0]; at[0] <= range.high[0]; ++at[0]) {
                const uint64_t key = (key_above + bare_key(hash, at, class_number)) % hash->size;
                bare_retrieve(query, key);
                if (class_number == 0 || hash->kind == BARE_EQ_3 || !hash->has_children[key]) continue;
                bare_range below = bare_range_of(hash, query->box, class_number - 1);
                for (int k = 0; k < 3; ++k) {
                    if (below.low[k] < 2 * at[k]) below.low[k] = 2 * at[k];
                    if (below.high[k] > 2 * at[k] + 1) below.high[k] = 2 * at[k] + 1;
                }
                bare_descend(query, below, class_number - 1, key);
            }
}

static void bare_query_box(bare_hash *hash, const mote_bounds *box, mote_broadphase_visitor *visitor, void *data,
                           bare_work *work)
{
    const bare_query query = {hash, box, visitor, data, work};
    hash->stamp += 1;
    for (int c = hash->classes - 1; c >= 0; --c) {
        bare_descend(&query, bare_range_of(hash, box, c), c, 0);
        if (hash->kind != BARE_EQ_3) break;
    }
}

static size_t bare_byte_count(const bare_hash *hash, size_t count)
{
    const size_t bucket = sizeof *hash->heads + (hash->kind == BARE_EQ_3 ? 0 : sizeof *hash->has_children);
    return hash->size * bucket + hash->entry_count * sizeof *hash->entries +
           count * (sizeof *hash->boxes + sizeof *hash->stamps);
}

#endif
