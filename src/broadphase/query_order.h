// SPDX-License-Identifier: MIT
// broadphase/query_order.h: an order of many queries in which neighbours follow each other.
//
// A query then finds in the cache what the one before it has fetched from memory: on a million boxes that saves
// several times the cost of the sort.
#ifndef MOTE_BROADPHASE_QUERY_ORDER_H
#define MOTE_BROADPHASE_QUERY_ORDER_H

#include "base/internal.h"
#include "mote/broadphase.h"

// Computes the reach of query k; returns false if the query is invalid.
typedef bool query_reach(const void *data, size_t k, mote_bounds *reach);

typedef struct query_order {
    mote_buffer keys, spare, order, order_spare;
} query_order;

// @param order  receives the queries' numbers sorted along Morton's curve; NULL for so few that it does not pay. Owned
//               by `self` until the next call
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY. Cost O(count)
mote_result mote_query_order_make(const mote_context *context, query_order *self, size_t count, int dimensions,
                                  query_reach *reach, const void *data, const uint32_t **order);
void mote_query_order_release(const mote_context *context, query_order *self);
size_t mote_query_order_byte_count(const query_order *self);

#endif
