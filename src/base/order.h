// SPDX-License-Identifier: MIT
// base/order.h: sorts numbers in ascending order, in place.
#ifndef MOTE_BASE_ORDER_H
#define MOTE_BASE_ORDER_H

#include "base/internal.h"

// Sorts a row by its entries, or by keys[entry] if `keys` is not NULL. No two may be equal. The fastest for rows of
// a few dozen entries, by the loops of this form.
void mote_row_ascend(mote_simd form, uint32_t *row, uint32_t count, const uint32_t *keys);

// Entries may be equal.
void mote_sort_numbers(uint32_t *numbers, size_t count);
void mote_sort_doubles(double *numbers, size_t count);

// Inserts `number` into `order`, which holds `count` numbers k in the order of distances[k], after those with an
// equal distance.
void mote_insert_by_distance(uint32_t *order, uint32_t count, uint32_t number, const double *distances);

#endif
