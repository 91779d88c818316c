// SPDX-License-Identifier: MIT
// neighbors/tree_nearest_order.h: an order of queries in which each finds its surroundings in the cache.
#ifndef MOTE_NEIGHBORS_TREE_NEAREST_ORDER_H
#define MOTE_NEIGHBORS_TREE_NEAREST_ORDER_H

#include "neighbors/internal.h"

// Queries by the leaf that each is near, then by number.
typedef struct nearest_order {
    const uint64_t *leaves;
    const uint32_t *queries;
} nearest_order;

// Sorts queries. The order lies in `memory`, which later calls use again.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_nearest_order(const mote_context *context, const kd_tree *tree, const mote_points *queries,
                               mote_buffer *memory, nearest_order *order);

#endif
