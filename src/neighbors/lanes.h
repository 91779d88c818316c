// SPDX-License-Identifier: MIT
// neighbors/lanes.h: the loops that are compiled once for each instruction set (base/wide.h): a table for each form.
// All forms give the same results.
#ifndef MOTE_NEIGHBORS_LANES_H
#define MOTE_NEIGHBORS_LANES_H

#include "neighbors/grid_filter.h"
#include "neighbors/grid_scan.h"
#include "neighbors/grid_sieve.h"
#include "neighbors/grid_sort.h"
#include "neighbors/pair_codes.h"
#include "neighbors/tree_nearest_group.h"

typedef struct neighbors_lanes {
    dense_keys *keys, *guest_keys;  // for cells whose coordinates fit 32 bits (grid_keys.c)
    const scan_lanes *scan;
    const sieve_lanes *sieve;
    filter_lanes *filter;
    nearest_lanes *nearest;
    coded_lanes *put_coded;
    index_lanes *put_indices;
} neighbors_lanes;

// The table of a form; NULL if this build does not have it.
const neighbors_lanes *mote_neighbors_lanes(mote_simd form);
// The form that the objects of this context use.
const neighbors_lanes *mote_neighbors_lanes_choose(const mote_context *context);

#endif
