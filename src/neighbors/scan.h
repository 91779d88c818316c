// neighbors/scan.h: candidates of a cell side by side in memory, and the test of a point against all of them.
#ifndef MOTE_NEIGHBORS_SCAN_H
#define MOTE_NEIGHBORS_SCAN_H

#include "neighbors/cell_sort.h"

// Copies of the points around a cell, eight to a vector; behind the last stand seven or more that are never hit.
typedef struct candidate_block {
    mote_buffer memory;
    float *x, *y, *z;
    uint32_t *index;
    uint32_t count;
} candidate_block;

// The function that tests one point against a block: writes the indices of those within the radius to `row`, in the
// block's order, and returns their number. `row` has room for count + 8 indices. `self`: place in the block that is
// left out, or UINT32_MAX. Scalar and vector forms give the same row.
typedef uint32_t scan_function(const candidate_block *block, const float point[3], float radius_squared, uint32_t self,
                               uint32_t *row);

uint32_t mote_scan_plain(const candidate_block *block, const float point[3], float radius_squared, uint32_t self,
                         uint32_t *row);
// The fastest form that this processor runs.
scan_function *mote_scan_choose(void);

// Fills the block with the points of the runs, in order.
mote_result mote_block_gather(const mote_context *context, candidate_block *block, const cell_sort *sort,
                              const cell_run *runs, int run_count);
void mote_block_release(const mote_context *context, candidate_block *block);

#endif
