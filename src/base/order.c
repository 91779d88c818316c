// SPDX-License-Identifier: MIT
// Sorts numbers. Short rows without equal numbers are sorted by their ranks.
//
// The rank of an entry is the number of entries that are less (ranks.c). Finding all ranks takes count² comparisons,
// but many at a time and without branches: for the rows of fixed-radius searches, a few dozen entries long, that is
// faster than a sort with branches.

#include "base/ranks.h"
#include "base/order.h"

#include <string.h>

enum { RANKED = 256 };  // most entries of a row that is sorted by ranks

static inline uint32_t key_of(uint32_t entry, const uint32_t *keys)
{
    return keys ? keys[entry] : entry;
}

#define SORT_TYPE uint32_t
#define SORT_BEFORE(data, a, b) (key_of(a, data) < key_of(b, data))
#define SORT_NAME(verb) by_key_##verb
#include "base/sorts.inl"

static rank_function *choose_ranks(mote_simd form)
{
    switch (form) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2: return mote_ranks_avx2;
    case MOTE_SIMD_AVX512: return mote_ranks_avx512;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return mote_ranks_128;
#endif
    default: return mote_ranks_plain;
    }
}

static void sort_by_rank(mote_simd form, uint32_t *row, uint32_t count, const uint32_t *keys)
{
    uint32_t entries[RANKED];
    uint32_t values[RANKED + MOTE_WIDE_MOST] = {0}, ranks[RANKED + MOTE_WIDE_MOST];
    memcpy(entries, row, count * sizeof *row);
    for (uint32_t k = 0; k < count; ++k)  // the signed order of these is the unsigned order of the keys
        values[k] = key_of(entries[k], keys) - 0x80000000u;
    choose_ranks(form)(values, count, ranks);
    for (uint32_t k = 0; k < count; ++k) row[ranks[k]] = entries[k];
}

void mote_row_ascend(mote_simd form, uint32_t *row, uint32_t count, const uint32_t *keys)
{
    if (count <= RANKED)
        sort_by_rank(form, row, count, keys);
    else
        by_key_sort(keys, row, count);
}

#define SORT_TYPE uint32_t
#define SORT_BEFORE(data, a, b) ((a) < (b))
#define SORT_NAME(verb) numbers_##verb
#include "base/sorts.inl"

void mote_sort_numbers(uint32_t *numbers, size_t count)
{
    numbers_sort(NULL, numbers, count);
}

#define SORT_TYPE double
#define SORT_BEFORE(data, a, b) ((a) < (b))
#define SORT_NAME(verb) doubles_##verb
#include "base/sorts.inl"

void mote_sort_doubles(double *numbers, size_t count)
{
    doubles_sort(NULL, numbers, count);
}

static inline bool is_nearer(const double *distances, uint32_t a, uint32_t b)
{
    return distances[a] < distances[b];
}

#define SORT_TYPE uint32_t
#define SORT_BEFORE(data, a, b) is_nearer(data, a, b)
#define SORT_NAME(verb) by_distance_##verb
#include "base/sorts.inl"

void mote_insert_by_distance(uint32_t *order, uint32_t count, uint32_t number, const double *distances)
{
    by_distance_insert(distances, order, count, number);
}
