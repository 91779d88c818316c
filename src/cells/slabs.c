// SPDX-License-Identifier: MIT
// Numbers the occupied cell coordinates of an axis.

#include "cells/slabs.h"

void mote_slabs_count(slab_axis *axis, const uint64_t *sorted, size_t count)
{
    axis->count = 0;
    for (size_t i = 0; i < count; ++i) {
        int32_t at = (int32_t)((int64_t)sorted[i] - ((int64_t)1 << 31));
        if (i > 0 && sorted[i] == sorted[i - 1])
            axis->entries[axis->count - 1].number += 1;
        else
            axis->entries[axis->count++] = (slab_entry){at, 1};
    }
}

// One walk for both purposes: assigning the numbers, and only determining the largest.
static uint64_t walk(const slab_axis *axis, uint32_t population, uint32_t gap, bool assigns)
{
    uint64_t number = 0;
    uint32_t points = 0;
    for (uint32_t m = 0; m < axis->count; ++m) {
        slab_entry *entry = axis->entries + m;
        if (m > 0 && points >= population) {
            int64_t distance = (int64_t)entry->at - entry[-1].at;
            number += (uint64_t)MOTE_MIN(distance, (int64_t)gap);
            points = 0;
        }
        points += entry->number;
        if (assigns) entry->number = (uint32_t)number;
    }
    return number;
}

uint64_t mote_slabs_last(const slab_axis *axis, uint32_t population, uint32_t gap)
{
    return walk(axis, population, gap, false);
}

void mote_slabs_number(slab_axis *axis, uint32_t population, uint32_t gap)
{
    walk(axis, population, gap, true);
}

int64_t mote_slabs_find(const slab_axis *axis, int32_t at)
{
    const slab_entry *entries = axis->entries;
    if (at < entries[0].at) return (int64_t)at - entries[0].at;
    uint32_t low = 0, high = axis->count;  // the last entry at or below `at` is in [low, high)
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (entries[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    int64_t number = (int64_t)entries[low].number + at - entries[low].at;
    if (low + 1 == axis->count || number <= entries[low + 1].number) return number;
    return entries[low + 1].number;
}
