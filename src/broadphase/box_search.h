// SPDX-License-Identifier: MIT
// broadphase/box_search.h: finds which boxes of a tree meet each of many query boxes.
#ifndef MOTE_BROADPHASE_BOX_SEARCH_H
#define MOTE_BROADPHASE_BOX_SEARCH_H

#include "broadphase/box_gather.h"

// Row i holds the indices ids[first[i]] … of the boxes that meet query i, ascending.
typedef struct box_rows {
    uint64_t *first;
    uint32_t *counts, *ids;
    size_t count;
    uint64_t total;
    uint64_t tested;  // vectors of eight boxes tested, except for the rows themselves
    uint64_t row_tests;  // vectors tested for the rows
} box_rows;

// The memory kept from call to call. Zeroed, it is empty.
typedef struct box_search {
    box_sort sort;
    mote_buffer first, counts, ids, workers;
} box_search;

// Finds the rows of `count` boxes, in parallel. They stay valid until the next call.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_box_search_run(const mote_context *context, box_search *search, const box_tree *tree,
                                const mote_bounds *boxes, size_t count, box_rows *rows);
void mote_box_search_release(const mote_context *context, box_search *search);
size_t mote_box_search_byte_count(const box_search *search);

#endif
