// SPDX-License-Identifier: MIT
// neighbors/hash_order.h: an order of points in which what is near in space is mostly near in the order, for methods
// whose own order follows the input or a hash.
#ifndef MOTE_NEIGHBORS_HASH_ORDER_H
#define MOTE_NEIGHBORS_HASH_ORDER_H

#include "cells/frame.h"
#include "neighbors/internal.h"

typedef struct near_order {
    mote_buffer memory;  // 24 bytes a point, most of which the sort needs
    uint32_t *points;    // every index once
} near_order;

// Puts the search's points, which it keeps, in the order of their cells along a Z-curve (Morton 1966), within a cell by
// index. Cost O(points · digits). On failure there is no order.
mote_result mote_near_order_make(const mote_neighbors *search, const cell_frame *frame, near_order *order);

// Finds rows as mote_rows_in_order does, those of all points in this order: points that are near look into the same
// buckets. Makes it where its `points` are NULL; without the memory for it, by index.
void mote_near_order_find_rows(mote_neighbors *search, const row_request *request, row_writer *writers,
                               const cell_frame *frame, near_order *order);

#endif
