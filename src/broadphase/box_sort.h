// SPDX-License-Identifier: MIT
// broadphase/box_sort.h: sorts boxes so that those near each other and of similar size are together.
#ifndef MOTE_BROADPHASE_BOX_SORT_H
#define MOTE_BROADPHASE_BOX_SORT_H

#include "broadphase/box_lanes.h"

enum { BOX_PARTS = 64 };  // most cells that a range is split into

// Records that lie together.
typedef struct box_range {
    size_t begin, count;
    bool is_class;  // holds boxes of similar size, larger than the cells that they were sorted by
} box_range;

// Zeroed, it is empty.
typedef struct box_sort {
    mote_buffer record_memory, spare, numbers, histograms, range_memory, spare_ranges;
    box_record *records;  // of all boxes; the empty ones come last
    box_range *ranges;    // small boxes first, along a curve through the cells; then larger ones
    size_t range_count, filled, empty;  // records of boxes, and of empty ones
} box_sort;

// Sorts boxes into cells that would hold `target` each if they were spread evenly. Boxes whose edge is longer than
// `large` cells come last. Where boxes crowd, cells are divided again.
mote_result mote_box_sort_build(const mote_context *context, box_sort *sort, const box_lanes *lanes,
                                const mote_bounds *boxes, size_t count, size_t target, double large);
void mote_box_sort_release(const mote_context *context, box_sort *sort);
size_t mote_box_sort_byte_count(const box_sort *sort);

// Splits records into up to BOX_PARTS cells, along a curve, with about `target` in each, and copies them to `to`.
// Part p starts at starts[p]. One part may have all the records, if they lie in one point.
// @param bounds  of these records
// @return the number of parts
size_t mote_box_split(const box_lanes *lanes, box_record *records, size_t count, const box_bounds *bounds,
                      size_t target, box_record *to, size_t starts[BOX_PARTS + BOX_BINS + 1]);

#endif
