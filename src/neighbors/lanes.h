// SPDX-License-Identifier: MIT
// neighbors/lanes.h: the loops that exist in a plain and an AVX2 form: one table for each form, and the choice
// between them. Both forms give the same results.
#ifndef MOTE_NEIGHBORS_LANES_H
#define MOTE_NEIGHBORS_LANES_H

#include "neighbors/grid_filter.h"
#include "neighbors/grid_scan.h"
#include "neighbors/grid_sieve.h"
#include "neighbors/grid_sort.h"

// Computes the keys of points whose cell coordinates fit 32 bits (grid_keys.c).
typedef void keys_lanes(const cell_sort *sort, const mote_points *points, size_t begin, size_t count, uint32_t *keys);
keys_lanes mote_near_keys_plain, mote_near_keys_avx2;

typedef struct neighbors_lanes {
    keys_lanes *keys;
    const scan_lanes *scan;
    const sieve_lanes *sieve;
    filter_lanes *filter;
} neighbors_lanes;

// Returns the fastest form that this processor supports.
const neighbors_lanes *mote_neighbors_lanes_choose(void);

#endif
