// SPDX-License-Identifier: MIT
// broadphase/box_gather.h: collects all boxes of a tree that may meet any box of a group, side by side.
#ifndef MOTE_BROADPHASE_BOX_GATHER_H
#define MOTE_BROADPHASE_BOX_GATHER_H

#include "broadphase/box_tree.h"

enum { BOX_FILTERS = 4 };  // how deep columns may be filtered within columns

// The memory that a worker keeps. Zeroed, it is empty.
typedef struct box_gatherer {
    const mote_context *context;
    mote_buffer lists[2], keys, spare_keys, column_memory;
    size_t column_room;  // room in each column
    uint64_t tested;     // number of vectors of eight boxes
    bool out_of_memory;
    char pad[64];
} box_gatherer;

// Finds the boxes that meet `box`, by ascending index, as columns without places. Returns false if more than `limit`
// blocks of a level overlap `box`, or if memory ran out.
bool mote_box_gather_by_index(box_gatherer *gatherer, const box_tree *tree, const mote_bounds *box, size_t limit,
                              box_columns *columns);

// The same ordered by place, with places, starting at the place `least` (a multiple of BOX_LANES).
bool mote_box_gather_by_place(box_gatherer *gatherer, const box_tree *tree, const mote_bounds *box, size_t least,
                              size_t limit, box_columns *columns);

// Copies those of the columns that meet `box` behind `from`, where there is room for BOX_FILTERS nested filters. The
// result is valid until another filter writes to the same place.
box_columns mote_box_filter(box_gatherer *gatherer, const box_lanes *lanes, const box_columns *from,
                            const mote_bounds *box);

void mote_box_gatherer_release(box_gatherer *gatherer);
size_t mote_box_gatherer_byte_count(const box_gatherer *gatherer);

#endif
