// SPDX-License-Identifier: MIT
// Candidates side by side, in memory that grows.

#include "neighbors/grid_scan.h"

enum { PAGE = 1024, QUARTER = PAGE / 4 };  // floats of the smallest pages that processors have, 4 KiB

mote_result mote_block_reserve(const mote_context *context, candidate_block *block, size_t room)
{
    if (room <= block->capacity) return MOTE_OK;
    // Vectors that are read begin at cache lines. Those that are stored begin anywhere. Columns begin at quarters of a
    // page, in pages of their own if they are longer, so that short groups store nothing across the end of a page:
    // where the memory happened to lie so that they did, gathering was seen to take a tenth to a quarter longer.
    // A capacity is rounded to itself, as that of one worker is what others are brought to.
    room = room <= QUARTER ? (size_t)QUARTER : (room - QUARTER + PAGE - 1) / PAGE * PAGE + QUARTER;
    block->capacity = 0;
    mote_result result =
        mote_buffer_reserve(context, &block->memory, mote_bytes(room, 4 * sizeof(float)) + PAGE * sizeof(float), 0);
    if (result != MOTE_OK) return result;
    const uintptr_t behind = (uintptr_t)block->memory.data % (PAGE * sizeof(float)) / sizeof(float);
    block->at.x = (float *)block->memory.data + (PAGE - behind) % PAGE;
    block->at.y = block->at.x + room;
    block->at.z = block->at.y + room;
    block->at.index = (uint32_t *)(void *)(block->at.z + room);
    block->capacity = room;
    return MOTE_OK;
}
