// SPDX-License-Identifier: MIT
// neighbors/grid_sieve.h: the candidates around a group of points, side by side as floats relative to the group, and
// the sieve that selects rows from them.
#ifndef MOTE_NEIGHBORS_GRID_SIEVE_H
#define MOTE_NEIGHBORS_GRID_SIEVE_H

#include <math.h>

#include "neighbors/grid_classes.h"

// Candidates in the order in which rows hold them. They are followed by padding for wide loads, which is never
// selected.
typedef struct candidate_set {
    mote_buffer memory;
    size_t count, room;
    float *u[3];      // positions relative to the frame's center, in units of its scale
    float *radius;    // in the same units; filled if the radii of both points count
    uint32_t *index;  // indices of the points
    uint32_t *place;  // their places among the sorted points
    uint32_t *slot;   // 0, 1, 2, …: the places in the block
} candidate_set;

// The frame of a group: u = ((x − center) + shift) · scale in float if the sorted points are floats, otherwise (x −
// (center − shift)) · scale in double.
typedef struct sieve_frame {
    double center[3], scale;
    float half[3];  // half extents of the group's box around the center
} sieve_frame;

// What is gathered: the sorted points in the runs that, moved by `shift`, are near the group's box.
typedef struct gather_span {
    const sorted_run *runs;
    size_t run_count;
    double shift[3];
    float limit;  // squared distance from the box
    bool wants_radius;
} gather_span;

// Which distance makes two points a pair.
typedef enum sieve_rule { SIEVE_ALIKE, SIEVE_LARGER, SIEVE_SUM } sieve_rule;

// A point for which a row is requested. A pair whose reach is R is certainly near up to R · shrink − slack, and
// certainly not near beyond R · grow + slack. Between these limits `is_near` decides.
typedef struct sieve_query {
    float u[3];
    float radius;
    float grow, shrink, slack;
    sieve_rule rule;
    bool (*is_near)(const void *data, uint32_t slot);
    const void *data;
} sieve_query;

// Neighbours of a double point that all have the same shift: number `begin` to `end` − 1 of a row, which has `count`.
typedef struct row_measures {
    const double *records;  // of the sorted points: x, y, z and a number that does not matter
    const uint32_t *place;  // of the candidate in each slot, among the sorted points
    const uint32_t *slots;  // of the row's neighbours, and of MOTE_WIDE_MOST candidates after them
    size_t begin, end, count;
    double at[3], shift[3];
    bool is_shifted;
    double *squared, *differences;  // of the row; NULL if not wanted
} row_measures;

// The loops, the same in every form.
typedef struct sieve_lanes {
    // Appends to the block, which has room for all the runs and MOTE_WIDE_MOST more.
    void (*gather)(candidate_set *block, const class_sort *sort, const sieve_frame *frame, const gather_span *span);

    // Writes the tags (a column of the block) of the point's neighbours to `row`, which has room for the whole block
    // and MOTE_WIDE_MOST more. Returns their number.
    size_t (*sieve)(const candidate_set *block, const sieve_query *query, const uint32_t *tags, uint32_t *row);

    // Writes differences and their squared lengths, exactly as the test computes them (mote_difference). What belongs
    // to the row's later neighbours may be overwritten.
    void (*measure)(const row_measures *row);
} sieve_lanes;

// Reserves room for `more` candidates.
mote_result mote_candidates_reserve(const mote_context *context, candidate_set *block, size_t more);
// Appends padding that is never near after the last candidate.
void mote_candidates_close(candidate_set *block);

// Excludes a candidate from all rows until it is restored with the value returned here.
static inline float mote_candidate_hide(candidate_set *block, uint32_t slot)
{
    const float x = block->u[0][slot];
    block->u[0][slot] = HUGE_VALF;
    return x;
}

static inline void mote_candidate_show(candidate_set *block, uint32_t slot, float x)
{
    block->u[0][slot] = x;
}

// A squared limit and the smallest float square that is reliable: below it, no pair is decided and none is lost.
#define SIEVE_TINY 0x1p-100f
static inline float mote_sieve_outer(float reach)
{
    return reach * reach + SIEVE_TINY;
}

#endif
