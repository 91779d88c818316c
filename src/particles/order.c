// SPDX-License-Identifier: MIT
// Sorts particles by (cell, id), so that neighbours in space become neighbours in memory.
//
// Cells are ordered along a Morton curve, and particles in the same cell by id. The order depends on positions and
// ids only, not on the previous order or on threads. It also determines the order of sums.

#include <string.h>

#include "particles/store.h"

enum { COPY_BLOCK = 8192, KEY_BLOCK = 4096 };

// The cell along an axis, one of 2^21, clamped at both ends: the order does not need exact cells.
static uint64_t cell_of(double offset, double inverse_edge)
{
    double cell = offset * inverse_edge + 0x1p20;
    if (!(cell > 0)) return 0;
    return cell < 0x1p21 ? (uint64_t)cell : 0x1FFFFF;
}

typedef struct key_task {
    const particle_places *places;
    const double *origin;
    double inverse_edge;
    const uint32_t *order;
    uint64_t *keys;
} key_task;

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const key_task *task = data;
    for (size_t k = begin; k < end; ++k) {
        const size_t at = task->order[k] * task->places->stride;
        uint64_t key = 0;
        for (int d = 0; d < 3; ++d)
            key |= mote_spread_bits(cell_of(task->places->axis[d][at] - task->origin[d], task->inverse_edge)) << d;
        task->keys[k] = key;
    }
}

typedef struct permute_task {
    const uint32_t *order;
    const char *from;
    char *to;
    size_t bytes;  // per particle
} permute_task;

static void gather_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const permute_task *task = data;
    if (task->bytes == sizeof(uint64_t)) {
        const uint64_t *from = (const uint64_t *)(const void *)task->from;
        uint64_t *to = (uint64_t *)(void *)task->to;
        for (size_t k = begin; k < end; ++k) to[k] = from[task->order[k]];
    } else if (task->bytes == sizeof(uint32_t)) {
        const uint32_t *from = (const uint32_t *)(const void *)task->from;
        uint32_t *to = (uint32_t *)(void *)task->to;
        for (size_t k = begin; k < end; ++k) to[k] = from[task->order[k]];
    } else {
        const size_t bytes = task->bytes;
        for (size_t k = begin; k < end; ++k) memcpy(task->to + k * bytes, task->from + task->order[k] * bytes, bytes);
    }
}

static void permute(particle_store *store, size_t count)
{
    for (size_t a = 0; a < store->field_count; ++a) {
        const size_t bytes = mote_particle_bytes(&store->fields[a]);
        permute_task task = {store->order.data, store->arrays[a].data, store->spare.data, bytes};
        mote_parallel_for(store->context, count, COPY_BLOCK, gather_block, &task);
        memcpy(store->arrays[a].data, store->spare.data, count * bytes);
    }
}

static mote_result reserve(particle_store *store)
{
    size_t largest = 0;
    for (size_t a = 0; a < store->field_count; ++a) largest = MOTE_MAX(largest, mote_particle_bytes(&store->fields[a]));
    const struct {
        mote_buffer *buffer;
        size_t bytes;
    } all[] = {{&store->keys, sizeof(uint64_t)},
               {&store->spare_keys, sizeof(uint64_t)},
               {&store->spare, largest},
               {&store->order, sizeof(uint32_t)},
               {&store->spare_order, sizeof(uint32_t)}};
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && result == MOTE_OK; ++k)
        result = mote_buffer_reserve(store->context, all[k].buffer, mote_bytes(store->count, all[k].bytes), 0);
    return result;
}

mote_result mote_particles_order(particle_store *store, const particle_places *places, const double origin[3],
                                 double edge)
{
    const size_t n = store->count - store->unordered;
    mote_result result = reserve(store);
    if (result != MOTE_OK || n == 0) return result;
    // Two stable sorts; the more significant key comes second.
    uint64_t *keys = store->keys.data;
    uint32_t *order = store->order.data;
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
    memcpy(keys, store->arrays[0].data, n * sizeof *keys);
    result = mote_sort_u64(store->context, keys, order, store->spare_keys.data, store->spare_order.data, n);
    if (result != MOTE_OK) return result;
    key_task task = {places, origin, 1 / edge, order, keys};
    mote_parallel_for(store->context, n, KEY_BLOCK, make_keys, &task);
    result = mote_sort_u64(store->context, keys, order, store->spare_keys.data, store->spare_order.data, n);
    if (result == MOTE_OK) permute(store, n);
    return result;
}
