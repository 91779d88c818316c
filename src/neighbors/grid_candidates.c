// SPDX-License-Identifier: MIT
// The candidates around a group of points, in memory that grows.

#include "neighbors/grid_sieve.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 7 };

mote_result mote_candidates_reserve(const mote_context *context, candidate_set *block, size_t more)
{
    size_t room = block->count + more + 2 * MOTE_WIDE_MOST;
    if (room <= block->room) return MOTE_OK;
    room = room + room / 2;
    mote_buffer grown = {0};
    mote_result result = mote_buffer_reserve(context, &grown, mote_bytes(room, COLUMNS * sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    float *to = grown.data;
    uint32_t *numbers = (uint32_t *)(void *)(to + 4 * room);
    const void *from[COLUMNS - 1] = {block->u[0],   block->u[1],  block->u[2],
                                     block->radius, block->index, block->place};
    for (size_t k = 0; k < COLUMNS - 1 && block->count; ++k)
        memcpy(to + k * room, from[k], block->count * sizeof(float));
    for (size_t k = 0; k < 3; ++k) block->u[k] = to + k * room;
    block->radius = to + 3 * room;
    block->index = numbers;
    block->place = numbers + room;
    block->slot = numbers + 2 * room;
    for (size_t k = 0; k < room; ++k) block->slot[k] = (uint32_t)k;
    mote_buffer_release(context, &block->memory);
    block->memory = grown;
    block->room = room;
    return MOTE_OK;
}

void mote_candidates_close(candidate_set *block)
{
    for (size_t k = block->count; k < block->count + MOTE_WIDE_MOST; ++k) {
        block->u[0][k] = INFINITY;
        block->u[1][k] = block->u[2][k] = block->radius[k] = 0;
        block->index[k] = block->place[k] = 0;
    }
}
