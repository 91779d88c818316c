// SPDX-License-Identifier: MIT
// neighbors/grid_worker.h: what the files that find rows and groups from sorted points share: how work is divided, and
// the memory of the workers.
#ifndef MOTE_NEIGHBORS_GRID_WORKER_H
#define MOTE_NEIGHBORS_GRID_WORKER_H

#include "neighbors/grid_find.h"

enum {
    // Points in a block of work. A cell that the end of a block cuts is gathered twice, so large sets get longer
    // blocks.
    GRID_STRETCH = 512, GRID_MAX_STRETCH = 4096,
    GRID_STRETCHES = 512  // desired number of stretches
};

// The memory of one worker.
typedef struct grid_worker {
    candidate_block gathered;
    mote_buffer kept;    // hits of a point: bits, and squared distances
    mote_buffer picked;  // the points of a part of a subset
    uint32_t hint[CELL_MAX_RUNS];
    char pad[64];
} grid_worker;

static inline size_t mote_grid_stretch(size_t count)
{
    return MOTE_MIN(MOTE_MAX(count / GRID_STRETCHES, (size_t)GRID_STRETCH), (size_t)GRID_MAX_STRETCH);
}

// Gives every worker as much scratch memory as any of them has needed so far: see rows.c.
mote_result mote_grid_level_workers(const mote_context *context, grid_points *grid);

// Tells whether the rows must first hold places among the sorted points.
static inline bool mote_grid_wants_places(const mote_neighbors *search)
{
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES)) return true;
    return mote_search_has(search, MOTE_NEIGHBORS_DISTANCES) &&
           (search->scalar == MOTE_F64 || mote_search_has(search, MOTE_NEIGHBORS_ASCENDING));
}

#endif
