// Putting particles into (cell, id) order: neighbours in space become neighbours in memory.
//
// Cells of edge h along a Morton curve, ids where cells are equal. Ordering changes no physics; how sums are ordered
// follows from it, which is why it is done at fixed step numbers and depends on positions and ids alone.

#include <string.h>

#include "fluid/internal.h"

// Which of 2^21 cells along an axis, clamped at both ends: an order needs no exact cells.
static uint64_t cell_of(double offset, double inverse_edge)
{
    double cell = offset * inverse_edge + 0x1p20;
    if (!(cell > 0)) return 0;
    return cell < 0x1p21 ? (uint64_t)cell : 0x1FFFFF;
}

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const double *x = mote_fluid_doubles(fluid, FLUID_X), *y = mote_fluid_doubles(fluid, FLUID_Y);
    const double *z = mote_fluid_doubles(fluid, FLUID_Z);
    const uint32_t *order = fluid->order.data;
    uint64_t *keys = fluid->keys.data;
    double inverse_edge = 1 / fluid->def.support;
    for (size_t k = begin; k < end; ++k) {
        size_t i = order[k];
        keys[k] = mote_spread_bits(cell_of(x[i] - fluid->origin.x, inverse_edge)) |
                  mote_spread_bits(cell_of(y[i] - fluid->origin.y, inverse_edge)) << 1 |
                  mote_spread_bits(cell_of(z[i] - fluid->origin.z, inverse_edge)) << 2;
    }
}

typedef struct permute_task {
    const uint32_t *order;
    const void *from;
    void *to;
    size_t element;
} permute_task;

static void gather_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const permute_task *task = data;
    if (task->element == sizeof(uint64_t)) {
        const uint64_t *from = task->from;
        uint64_t *to = task->to;
        for (size_t k = begin; k < end; ++k) to[k] = from[task->order[k]];
    } else {
        const uint32_t *from = task->from;
        uint32_t *to = task->to;
        for (size_t k = begin; k < end; ++k) to[k] = from[task->order[k]];
    }
}

static void permute_all(mote_fluid *fluid)
{
    for (int a = 0; a < FLUID_ARRAY_COUNT; ++a) {
        size_t element = mote_fluid_element_bytes[a];
        permute_task task = {fluid->order.data, fluid->arrays[a].data, fluid->spare.data, element};
        mote_parallel_for(fluid->context, fluid->count, FLUID_COPY_BLOCK, gather_block, &task);
        memcpy(fluid->arrays[a].data, fluid->spare.data, fluid->count * element);
    }
}

mote_result mote_fluid_put_in_order(mote_fluid *fluid)
{
    size_t n = fluid->count;
    mote_buffer *wide[] = {&fluid->keys, &fluid->spare_keys, &fluid->spare};
    mote_buffer *narrow[] = {&fluid->order, &fluid->spare_order};
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < 3 && result == MOTE_OK; ++k)
        result = mote_buffer_reserve(fluid->context, wide[k], mote_bytes(n, sizeof(uint64_t)), 0);
    for (size_t k = 0; k < 2 && result == MOTE_OK; ++k)
        result = mote_buffer_reserve(fluid->context, narrow[k], mote_bytes(n, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    if (n == 0) return MOTE_OK;

    // Two stable sorts, the second by what counts first.
    uint32_t *order = fluid->order.data;
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
    memcpy(fluid->keys.data, mote_fluid_ids(fluid), n * sizeof(uint64_t));
    result = mote_sort_u64(fluid->context, fluid->keys.data, order, fluid->spare_keys.data, fluid->spare_order.data, n);
    if (result != MOTE_OK) return result;
    mote_parallel_for(fluid->context, n, 4096, make_keys, fluid);
    result = mote_sort_u64(fluid->context, fluid->keys.data, order, fluid->spare_keys.data, fluid->spare_order.data, n);
    if (result != MOTE_OK) return result;
    permute_all(fluid);
    return MOTE_OK;
}
