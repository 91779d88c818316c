// SPDX-License-Identifier: MIT
// Stable parallel radix sort of 64-bit keys with 32-bit values, least significant digit first
// (Knuth 1998, vol. 3, section 5.2.5).
//
// One pass over the keys finds the bits in which they differ at all; the digits then cover only those bits: each
// starts at the lowest differing bit that is not yet covered. So keys packed from few bits of x, y and z cost as
// many passes as their differing bits need, wherever those bits are. Keys already in order cost only that first
// pass.
//
// A digit has 8 bits: 256 open ends of keys and of values are 512 cache lines, which a first-level cache holds while
// the second-level TLB holds their pages; 11 bits would save one pass in four, but spread each over eight times as
// many lines. Keys alone have as many lines with 9 bits.
//
// Blocks depend on the count alone and each writes where its elements belong, so the result does not depend on
// threads.

#include <string.h>

#include "base/internal.h"

enum {
    DIGIT_BITS = 8,
    BUCKETS = 2 << DIGIT_BITS,  // for keys without values
    BLOCK_MIN = 16384,  // keys in a block, at least: up to here the whole sort is serial and needs no memory
    BLOCKS_MAX = 256    // at most: bounds the histograms (a row per block) to a megabyte
};

typedef struct radix_sort {
    const mote_context *context;
    uint64_t *keys, *keys_to;      // this pass moves from keys to keys_to
    uint32_t *values, *values_to;  // NULL if there are none
    size_t count, block_size;
    int shift, bits;  // of the digit
    size_t buckets;
    size_t (*histograms)[BUCKETS];  // per block: how many keys of each digit, then where the next of them goes
} radix_sort;

// The result of the first pass for a block.
typedef struct key_survey {
    uint64_t differing;  // bits in which any key differs from the first of all
    bool ascending;
} key_survey;

static void survey_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const radix_sort *sort = data;
    const uint64_t *keys = sort->keys;
    uint64_t first = keys[0], differing = 0, previous = begin ? keys[begin - 1] : 0;
    bool ascending = true;
    for (size_t i = begin; i < end; ++i) {
        differing |= keys[i] ^ first;
        ascending &= previous <= keys[i];
        previous = keys[i];
    }
    // A block's row of histograms is not in use yet and has room for the result.
    key_survey survey = {differing, ascending};
    memcpy(sort->histograms[begin / sort->block_size], &survey, sizeof survey);
}

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const radix_sort *sort = data;
    size_t *histogram = sort->histograms[begin / sort->block_size];
    const size_t mask = sort->buckets - 1;
    memset(histogram, 0, sizeof(size_t) * sort->buckets);
    for (size_t i = begin; i < end; ++i) histogram[(sort->keys[i] >> sort->shift) & mask]++;
}

static void scatter_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const radix_sort *sort = data;
    size_t *next = sort->histograms[begin / sort->block_size];
    const uint64_t *keys = sort->keys;
    uint64_t *keys_to = sort->keys_to;
    const int shift = sort->shift;
    const size_t mask = sort->buckets - 1;
    if (!sort->values) {
        for (size_t i = begin; i < end; ++i) keys_to[next[(keys[i] >> shift) & mask]++] = keys[i];
        return;
    }
    const uint32_t *values = sort->values;
    uint32_t *values_to = sort->values_to;
    for (size_t i = begin; i < end; ++i) {
        size_t at = next[(keys[i] >> shift) & mask]++;
        keys_to[at] = keys[i];
        values_to[at] = values[i];
    }
}

static void copy_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const radix_sort *sort = data;
    memcpy(sort->keys_to + begin, sort->keys + begin, (end - begin) * sizeof *sort->keys);
    if (sort->values) memcpy(sort->values_to + begin, sort->values + begin, (end - begin) * sizeof *sort->values);
}

// Turns counts into positions: a digit's keys follow those of all smaller digits, and among them a block's keys follow
// those of the blocks before it, which is what makes the sort stable.
static void histograms_to_positions(const radix_sort *sort)
{
    uint32_t blocks = mote_block_count(sort->count, sort->block_size);
    size_t next[BUCKETS] = {0};
    for (uint32_t b = 0; b < blocks; ++b)
        for (size_t digit = 0; digit < sort->buckets; ++digit) next[digit] += sort->histograms[b][digit];
    size_t sum = 0;
    for (size_t digit = 0; digit < sort->buckets; ++digit) {
        size_t count = next[digit];
        next[digit] = sum;
        sum += count;
    }
    MOTE_ASSERT(sum == sort->count);
    for (uint32_t b = 0; b < blocks; ++b)
        for (size_t digit = 0; digit < sort->buckets; ++digit) {
            size_t count = sort->histograms[b][digit];
            sort->histograms[b][digit] = next[digit];
            next[digit] += count;
        }
}

static void for_blocks(radix_sort *sort, mote_range_task *task)
{
    if (sort->count <= sort->block_size)
        task(sort, 0, sort->count, 0);
    else
        mote_parallel_for(sort->context, sort->count, sort->block_size, task, sort);
}

static key_survey survey_keys(radix_sort *sort)
{
    for_blocks(sort, survey_block);
    key_survey all = {0, true};
    uint32_t blocks = mote_block_count(sort->count, sort->block_size);
    for (uint32_t b = 0; b < blocks; ++b) {
        key_survey block;
        memcpy(&block, sort->histograms[b], sizeof block);
        all.differing |= block.differing;
        all.ascending &= block.ascending;
    }
    return all;
}

static void swap_sides(radix_sort *sort)
{
    uint64_t *keys = sort->keys;
    uint32_t *values = sort->values;
    sort->keys = sort->keys_to;
    sort->values = sort->values_to;
    sort->keys_to = keys;
    sort->values_to = values;
}

static void sort_by_digits(radix_sort *sort)
{
    uint64_t *result = sort->keys;
    key_survey survey = survey_keys(sort);
    if (survey.ascending) return;

    uint64_t open = survey.differing;  // bits not yet covered by a digit, shifted down
    sort->shift = 0;
    while (open) {
        for (; !(open & 1); open >>= 1) ++sort->shift;
        for_blocks(sort, count_block);
        histograms_to_positions(sort);
        for_blocks(sort, scatter_block);
        swap_sides(sort);
        open >>= sort->bits;
        sort->shift += sort->bits;
    }
    if (sort->keys != result) for_blocks(sort, copy_block);
}

mote_result mote_sort_u64(const mote_context *context, uint64_t *keys, uint32_t *values, uint64_t *keys_spare,
                          uint32_t *values_spare, size_t count)
{
    if (count < 2) return MOTE_OK;
    radix_sort sort = {.context = context, .keys = keys, .keys_to = keys_spare, .count = count};
    if (values) {
        sort.values = values;
        sort.values_to = values_spare;
    }
    sort.bits = values ? DIGIT_BITS : DIGIT_BITS + 1;
    sort.buckets = (size_t)1 << sort.bits;
    sort.block_size = MOTE_MAX((count + BLOCKS_MAX - 1) / BLOCKS_MAX, (size_t)BLOCK_MIN);

    uint32_t blocks = mote_block_count(count, sort.block_size);
    if (blocks == 1) {
        size_t histogram[1][BUCKETS];
        sort.histograms = histogram;
        sort_by_digits(&sort);
        return MOTE_OK;
    }
    size_t bytes = blocks * sizeof *sort.histograms;
    sort.histograms = mote_allocate(context, bytes);
    if (!sort.histograms) return MOTE_ERROR_OUT_OF_MEMORY;
    sort_by_digits(&sort);
    mote_release(context, sort.histograms, bytes);
    return MOTE_OK;
}
