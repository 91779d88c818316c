// SPDX-License-Identifier: MIT
// cells/slabs.h: the cell coordinates of one axis, numbered so that they fit few bits.
//
// Cells that are occupied are few; the range that they span may be huge. A numbering maps coordinates to numbers that
// start at 0, so that two coordinates s apart have numbers at most s apart, in the same order. Whatever looks for
// neighbours up to H cells away therefore finds them among the numbers up to H away: nothing is lost, however numbers
// were saved. They are saved in two ways: a gap between occupied coordinates counts as `gap` at most, and neighbouring
// coordinates with few points share a number, as a slab of at least `population` points.
#ifndef MOTE_CELLS_SLABS_H
#define MOTE_CELLS_SLABS_H

#include "base/internal.h"

// An occupied coordinate with its number, ascending. While an axis is being made, `number` counts points.
typedef struct slab_entry {
    int32_t at;
    uint32_t number;
} slab_entry;

typedef struct slab_axis {
    slab_entry *entries;
    uint32_t count;
} slab_axis;

// Notes the occupied coordinates and their points. `sorted` are the coordinates, each offset by 2^31, ascending;
// axis->entries has room for as many as there are points.
void mote_slabs_count(slab_axis *axis, const uint64_t *sorted, size_t count);

// The largest number that mote_slabs_number would give, which it leaves undone.
uint64_t mote_slabs_last(const slab_axis *axis, uint32_t population, uint32_t gap);

// Gives the numbers; the largest must fit 32 bits.
void mote_slabs_number(slab_axis *axis, uint32_t population, uint32_t gap);

// The number of any coordinate; those before the first or behind the last go on from there, below 0 or above all.
// Cost O(log count). The axis has an entry at least.
int64_t mote_slabs_find(const slab_axis *axis, int32_t at);

#endif
