// SPDX-License-Identifier: MIT
// neighbors/lanes.h: the loops that are written twice, plainly and for AVX2: one table for each form, and the choice
// between them. Both forms have the same results.
#ifndef MOTE_NEIGHBORS_LANES_H
#define MOTE_NEIGHBORS_LANES_H

#include "neighbors/grid_filter.h"
#include "neighbors/grid_scan.h"
#include "neighbors/grid_sieve.h"
#include "neighbors/grid_sort.h"

// The keys of points whose cell coordinates fit 32 bits (grid_keys.c).
typedef void keys_lanes(const cell_sort *sort, const mote_points *points, size_t begin, size_t count, uint32_t *keys);
keys_lanes mote_near_keys_plain, mote_near_keys_avx2;

typedef struct neighbors_lanes {
    keys_lanes *keys;
    const scan_lanes *scan;
    const sieve_lanes *sieve;
    filter_lanes *filter;
} neighbors_lanes;

// The fastest form that this processor runs.
const neighbors_lanes *mote_neighbors_lanes_choose(void);

#endif
