// SPDX-License-Identifier: MIT
// Sorts particles by (cell, id), so that neighbours in space become neighbours in memory.
//
// Cells are ordered along a Morton curve, and particles in the same cell by id. The order depends on positions and
// ids only, not on the previous order or on threads. It also determines the order of sums.
//
// Particles are nearly in order, as few of them have moved to another cell. So they are sorted by cell from where they
// are, and then those of each cell by id, most of which are in order already. A crowded cell that is not would take
// long in that way: all particles are then sorted by id first.

#include <stdatomic.h>
#include <string.h>

#include "particles/store.h"

enum {
    COPY_BLOCK = 8192,
    KEY_BLOCK = 1024,
    CROWDED = 64  // particles of a cell from which on they are not sorted by insertion
};

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

typedef struct cell_task {
    const uint64_t *keys, *ids;
    uint32_t *order;
    size_t count;
    atomic_bool is_crowded;  // there is a crowded cell that is not in order
} cell_task;

static bool is_in_order(const cell_task *task, size_t begin, size_t end)
{
    bool ascending = true;
    for (size_t k = begin + 1; k < end; ++k) ascending &= task->ids[task->order[k - 1]] < task->ids[task->order[k]];
    return ascending;
}

// Sorts the particles of each cell that begins in a block by id.
static void sort_cells(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    cell_task *task = data;
    const uint64_t *keys = task->keys, *ids = task->ids;
    uint32_t *order = task->order;
    size_t first = begin;
    while (first > 0 && first < end && keys[first] == keys[first - 1]) ++first;
    for (size_t last; first < end; first = last) {
        for (last = first + 1; last < task->count && keys[last] == keys[first];) ++last;
        if (is_in_order(task, first, last)) continue;
        if (last - first > CROWDED) {
            atomic_store_explicit(&task->is_crowded, true, memory_order_relaxed);
            return;
        }
        for (size_t k = first + 1; k < last; ++k) {
            const uint32_t moved = order[k];
            size_t at = k;
            for (; at > first && ids[order[at - 1]] > ids[moved]; --at) order[at] = order[at - 1];
            order[at] = moved;
        }
    }
}

// Sorts by key and, with the same key, as `order` is before.
static mote_result sort_by_cell(particle_store *store, key_task *task, size_t n)
{
    mote_parallel_for(store->context, n, KEY_BLOCK, make_keys, task);
    return mote_sort_u64(store->context, task->keys, store->order.data, store->spare_keys.data, store->spare_order.data,
                         n);
}

// Starts from the present order.
static void start_order(uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
}

static bool is_changed(const uint32_t *order, size_t n)
{
    size_t k = 0;
    while (k < n && order[k] == k) ++k;
    return k < n;
}

mote_result mote_particles_order(particle_store *store, const particle_places *places, const double origin[3],
                                 double edge)
{
    const size_t n = store->count - store->unordered;
    mote_result result = reserve(store);
    if (result != MOTE_OK || n == 0) return result;
    uint64_t *keys = store->keys.data;
    uint32_t *order = store->order.data;
    key_task task = {places, origin, 1 / edge, order, keys};
    start_order(order, n);
    result = sort_by_cell(store, &task, n);
    if (result != MOTE_OK) return result;
    cell_task cells = {.keys = keys, .ids = store->arrays[0].data, .order = order, .count = n};
    atomic_init(&cells.is_crowded, false);
    mote_parallel_for(store->context, n, KEY_BLOCK, sort_cells, &cells);
    if (atomic_load(&cells.is_crowded)) {
        // Two stable sorts; the more significant key comes second.
        start_order(order, n);
        memcpy(keys, store->arrays[0].data, n * sizeof *keys);
        result = mote_sort_u64(store->context, keys, order, store->spare_keys.data, store->spare_order.data, n);
        if (result == MOTE_OK) result = sort_by_cell(store, &task, n);
        if (result != MOTE_OK) return result;
    }
    if (is_changed(order, n)) permute(store, n);
    return MOTE_OK;
}
