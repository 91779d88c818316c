// SPDX-License-Identifier: MIT
// Candidates side by side, in memory that grows.

#include "neighbors/grid_scan.h"

mote_result mote_block_reserve(const mote_context *context, candidate_block *block, size_t room)
{
    if (room <= block->capacity) return MOTE_OK;
    room = (room + CELL_PADDING - 1) / CELL_PADDING * CELL_PADDING;  // no vector of a column crosses a cache line
    block->capacity = 0;
    mote_result result = mote_buffer_reserve(context, &block->memory, mote_bytes(room, 4 * sizeof(float)), 0);
    if (result != MOTE_OK) return result;
    block->at.x = block->memory.data;
    block->at.y = block->at.x + room;
    block->at.z = block->at.y + room;
    block->at.index = (uint32_t *)(void *)(block->at.z + room);
    block->capacity = room;
    return MOTE_OK;
}
