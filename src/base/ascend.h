// base/ascend.h: rows put into ascending order.
#ifndef MOTE_BASE_ASCEND_H
#define MOTE_BASE_ASCEND_H

#include "base/internal.h"

// Sorts the row by its entries, or if `keys` is not NULL by keys[entry]. No two are equal.
void mote_row_ascend(uint32_t *row, uint32_t count, const uint32_t *keys);

// The same by heap sort: some may be equal. O(n log n) whatever the row holds, in place.
void mote_row_heap_sort(uint32_t *row, uint32_t count, const uint32_t *keys);

#endif
