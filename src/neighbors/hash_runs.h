// SPDX-License-Identifier: MIT
// neighbors/hash_runs.h: points sorted by cell, cells sorted by bucket (the three lists of the grid-cell-hash text).
#ifndef MOTE_NEIGHBORS_HASH_RUNS_H
#define MOTE_NEIGHBORS_HASH_RUNS_H

#include "neighbors/hash_space.h"

// An occupied cell: its points are order[first] … order[first + count − 1], ascending by index.
typedef struct cell_run {
    grid_cell at;
    uint32_t first, count;
} cell_run;

// Bucket b has the cells runs[bucket_first[b]] … runs[bucket_first[b + 1] − 1], ascending by z, y and x. A
// zero-initialised object is empty. The other buffers are scratch memory for sorting.
typedef struct cell_runs {
    uint32_t count;  // number of cells
    mote_buffer bucket_first, runs, order;
    mote_buffer unsorted, keys, keys_spare, order_spare;
} cell_runs;

// O(n · bytes in which coordinates differ + buckets). On failure the lists are invalid, but can be made again.
mote_result mote_cell_runs_make(const mote_context *context, cell_runs *runs, const grid_cell *cells, size_t n,
                                const cell_hasher *hasher);
void mote_cell_runs_release(const mote_context *context, cell_runs *runs);
size_t mote_cell_runs_byte_count(const cell_runs *runs);

#endif
