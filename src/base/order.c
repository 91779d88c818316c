// SPDX-License-Identifier: MIT
// Sorts numbers. Short rows without equal numbers are sorted by their ranks.
//
// The rank of an entry is the number of entries that are less. Finding all ranks takes count² comparisons, but eight
// at a time and without branches: for the rows of fixed-radius searches, a few dozen entries long, that is faster
// than a sort with branches.

#include "base/order.h"

#include <string.h>

#if MOTE_HAVE_AVX2
#include <immintrin.h>
#endif

enum { RANKED = 256 };  // most entries of a row that is sorted by ranks

typedef void rank_function(const int32_t *values, uint32_t count, int32_t *ranks);

static void find_ranks(const int32_t *values, uint32_t count, int32_t *ranks)
{
    for (uint32_t k = 0; k < count; ++k) {
        ranks[k] = 0;
        for (uint32_t other = 0; other < count; ++other) ranks[k] += values[other] < values[k];
    }
}

#if MOTE_HAVE_AVX2
// Writes up to seven values and ranks past the last one.
MOTE_TARGET_AVX2 static void find_ranks_avx2(const int32_t *values, uint32_t count, int32_t *ranks)
{
    for (uint32_t k = 0; k < count; k += 8) {
        const __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)(values + k));
        __m256i rank = _mm256_setzero_si256();
        for (uint32_t other = 0; other < count; ++other)
            rank = _mm256_sub_epi32(rank, _mm256_cmpgt_epi32(here, _mm256_set1_epi32(values[other])));
        _mm256_storeu_si256((__m256i *)(void *)(ranks + k), rank);
    }
}
#endif

static rank_function *choose_ranks(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return find_ranks_avx2;
#endif
    return find_ranks;
}

static inline uint32_t key_of(uint32_t entry, const uint32_t *keys)
{
    return keys ? keys[entry] : entry;
}

#define SORT_TYPE uint32_t
#define SORT_BEFORE(data, a, b) (key_of(a, data) < key_of(b, data))
#define SORT_NAME(verb) by_key_##verb
#include "base/sorts.inl"

static void sort_by_rank(uint32_t *row, uint32_t count, const uint32_t *keys)
{
    uint32_t entries[RANKED];
    int32_t values[RANKED + 8] = {0}, ranks[RANKED + 8];
    memcpy(entries, row, count * sizeof *row);
    for (uint32_t k = 0; k < count; ++k)  // the signed order of these is the unsigned order of the keys
        values[k] = (int32_t)(key_of(entries[k], keys) - 0x80000000u);
    choose_ranks()(values, count, ranks);
    for (uint32_t k = 0; k < count; ++k) row[ranks[k]] = entries[k];
}

void mote_row_ascend(uint32_t *row, uint32_t count, const uint32_t *keys)
{
    if (count <= RANKED)
        sort_by_rank(row, count, keys);
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
