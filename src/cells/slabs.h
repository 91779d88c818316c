// SPDX-License-Identifier: MIT
// cells/slabs.h: the cell coordinates of one axis, numbered so that they fit few bits.
//
// The occupied cells are few, but the range that they span may be huge. A numbering maps coordinates to numbers that
// start at 0, in the same order, such that two coordinates s apart have numbers at most s apart. So a search for
// neighbours up to H cells away finds them among the numbers up to H away: no neighbour is lost, however numbers
// were saved. They are saved in two ways: a gap between occupied coordinates counts as at most `gap`, and
// neighbouring coordinates with few points share a number, as a slab of at least `population` points.
#ifndef MOTE_CELLS_SLABS_H
#define MOTE_CELLS_SLABS_H

#include "base/internal.h"

// An occupied coordinate with its number, ascending. While the axis is being built, `number` holds the count of points.
typedef struct slab_entry {
    int32_t at;
    uint32_t number;
} slab_entry;

typedef struct slab_axis {
    slab_entry *entries;
    uint32_t count;
} slab_axis;

// Records the occupied coordinates and their point counts. `sorted` holds the coordinates, each offset by 2^31,
// ascending; axis->entries has room for as many entries as there are points.
void mote_slabs_count(slab_axis *axis, const uint64_t *sorted, size_t count);

// Returns the largest number that mote_slabs_number would assign, without assigning any.
uint64_t mote_slabs_last(const slab_axis *axis, uint32_t population, uint32_t gap);

// Assigns the numbers; the largest must fit 32 bits.
void mote_slabs_number(slab_axis *axis, uint32_t population, uint32_t gap);

// Returns the number of any coordinate; for those before the first or after the last entry, the numbers continue
// below 0 or above all others. Cost O(log count). The axis must have at least one entry.
int64_t mote_slabs_find(const slab_axis *axis, int32_t at);

#endif
