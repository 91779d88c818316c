// SPDX-License-Identifier: MIT
// base/order.h: numbers put into ascending order, in place.
#ifndef MOTE_BASE_ORDER_H
#define MOTE_BASE_ORDER_H

#include "base/internal.h"

// Sorts a row by its entries, or if `keys` is not NULL by keys[entry]. No two may be equal. The fastest for rows of a
// few dozen.
void mote_row_ascend(uint32_t *row, uint32_t count, const uint32_t *keys);

// Some may be equal.
void mote_sort_numbers(uint32_t *numbers, size_t count);
void mote_sort_doubles(double *numbers, size_t count);

// Puts `number` into `order`, which holds `count` numbers k in the order of distances[k], behind its equals.
void mote_insert_by_distance(uint32_t *order, uint32_t count, uint32_t number, const double *distances);

#endif
