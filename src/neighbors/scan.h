// neighbors/scan.h: candidates around a cell side by side in memory, and the test of a point against all of them.
#ifndef MOTE_NEIGHBORS_SCAN_H
#define MOTE_NEIGHBORS_SCAN_H

#include <math.h>

#include "neighbors/cell_sort.h"

// Points of one cell (or queries that lie in it), whose rows are found together.
typedef struct point_group {
    const float *x, *y, *z;
    uint32_t count;
} point_group;

// Copies of those points around a cell that can be neighbours of a group at all, eight to a vector; behind the last
// stand seven or more that are never hit.
typedef struct candidate_block {
    mote_buffer memory;
    float *x, *y, *z;
    uint32_t *index;
    uint32_t count;
} candidate_block;

// The two inner loops, in a scalar and in a vector form that give the same results.
typedef struct scan_functions {
    // Fills the block with the points of the runs, but for those farther than the radius from the box low … high of the
    // group: by the very operations of the distance test, whose rounding is monotone, so that no neighbour is lost.
    // Returns the place in the block of sorted point `self`, if it is among them, or UINT32_MAX. The block has room for
    // all points of the runs and a vector more.
    uint32_t (*gather)(candidate_block *block, const cell_sort *sort, const cell_run *runs, int run_count,
                       const float low[3], const float high[3], float radius_squared, uint32_t self);

    // Writes the indices of candidates within the radius of a point to `row`, in the block's order, and returns their
    // number. `row` has room for count + 8.
    uint32_t (*scan)(const candidate_block *block, const float point[3], float radius_squared, uint32_t *row);
} scan_functions;

extern const scan_functions mote_scan_plain;
// The fastest form that this processor runs.
const scan_functions *mote_scan_choose(void);

// Takes a candidate out of the block for a while: it is infinitely far away until it is put back.
static inline float mote_block_take_out(candidate_block *block, uint32_t place)
{
    float x = block->x[place];
    block->x[place] = INFINITY;
    return x;
}

static inline void mote_block_put_back(candidate_block *block, uint32_t place, float x)
{
    block->x[place] = x;
}

// Fills the block with what can be near the group.
// @param self  a sorted point of the group, or UINT32_MAX; receives its place in the block
mote_result mote_block_fill(const mote_context *context, const scan_functions *functions, candidate_block *block,
                            const cell_sort *sort, const cell_run *runs, int run_count, const point_group *group,
                            float radius_squared, uint32_t *self);
void mote_block_release(const mote_context *context, candidate_block *block);

#endif
