// SPDX-License-Identifier: MIT
// neighbors/hash_order.h: an order of points in which points near in space are mostly near in the order. It serves
// methods whose own order follows the input or a hash.
#ifndef MOTE_NEIGHBORS_HASH_ORDER_H
#define MOTE_NEIGHBORS_HASH_ORDER_H

#include "cells/frame.h"
#include "neighbors/internal.h"

typedef struct near_order {
    mote_buffer memory;  // 24 bytes per point, mostly for sorting
    uint32_t *points;    // every index once
} near_order;

// Orders the search's points, which it must keep, by their cells along a Z-curve (Morton 1966), and by index within
// a cell. Cost O(points · digits). On failure there is no order.
mote_result mote_near_order_make(const mote_neighbors *search, const cell_frame *frame, near_order *order);

// Finds rows like mote_rows_in_order, in this order if all points are requested: points near each other visit the
// same buckets. Makes the order then, if its `points` are NULL; without the memory for it, rows are found by index.
void mote_near_order_find_rows(mote_neighbors *search, const row_request *request, row_writer *writers,
                               const cell_frame *frame, near_order *order);

#endif
