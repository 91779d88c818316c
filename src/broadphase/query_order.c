// SPDX-License-Identifier: MIT
// Sorts queries along Morton's curve: the bits of their centres' coordinates are interleaved. The range of the curve
// is estimated from a sample, and queries outside it are moved to its edge.

#include "broadphase/query_order.h"

#include <float.h>

enum { FEW = 512, SAMPLE = 64, BLOCK = 4096, BITS_3D = 10, BITS_2D = 15 };

typedef struct order_task {
    query_reach *reach;
    const void *data;
    int dimensions;
    float low[3], scale[3];
    uint64_t *keys;
    uint32_t *order;
} order_task;

// Puts a zero after every bit.
static uint64_t spread_2d(uint64_t x)
{
    x = (x | x << 8) & 0x00FF00FFu;
    x = (x | x << 4) & 0x0F0F0F0Fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

// The halves are added, so that the result is finite.
static float centre(const mote_bounds *box, int axis)
{
    return box->min[axis] / 2 + box->max[axis] / 2;
}

static void look_at_sample(order_task *task, size_t count)
{
    bool any = false;
    float high[3] = {0, 0, 0};
    for (size_t s = 0; s < SAMPLE; ++s) {
        mote_bounds box;
        if (!task->reach(task->data, s * (count / SAMPLE), &box)) continue;
        for (int k = 0; k < task->dimensions; ++k) {
            const float x = centre(&box, k);
            task->low[k] = any && task->low[k] < x ? task->low[k] : x;
            high[k] = any && high[k] > x ? high[k] : x;
        }
        any = true;
    }
    const float cells = (float)(1 << (task->dimensions == 3 ? BITS_3D : BITS_2D));
    for (int k = 0; k < task->dimensions; ++k) {
        const float extent = high[k] / 2 - task->low[k] / 2;
        task->scale[k] = extent > 0 ? cells / extent : 0;
        if (task->scale[k] > FLT_MAX) task->scale[k] = 0;
    }
}

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const order_task *task = data;
    const float last = (float)((1 << (task->dimensions == 3 ? BITS_3D : BITS_2D)) - 1);
    for (size_t i = begin; i < end; ++i) {
        mote_bounds box;
        uint64_t cell[3] = {0, 0, 0};
        const bool fit = task->reach(task->data, i, &box);
        for (int k = 0; fit && k < task->dimensions; ++k) {
            const float at = (centre(&box, k) / 2 - task->low[k] / 2) * task->scale[k];
            cell[k] = at > last ? (uint64_t)last : at > 0 ? (uint64_t)at : 0;
        }
        if (task->dimensions == 3)
            task->keys[i] = mote_spread_bits(cell[0]) | mote_spread_bits(cell[1]) << 1 | mote_spread_bits(cell[2]) << 2;
        else
            task->keys[i] = spread_2d(cell[0]) | spread_2d(cell[1]) << 1;
        task->order[i] = (uint32_t)i;
    }
}

mote_result mote_query_order_make(const mote_context *context, query_order *self, size_t count, int dimensions,
                                  query_reach *reach, const void *data, const uint32_t **order)
{
    *order = NULL;
    if (count < FEW) return MOTE_OK;
    const size_t key_bytes = mote_bytes(count, sizeof(uint64_t)), bytes = mote_bytes(count, sizeof(uint32_t));
    mote_result result = mote_buffer_reserve(context, &self->keys, key_bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &self->spare, key_bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &self->order, bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &self->order_spare, bytes, 0);
    if (result != MOTE_OK) return result;
    order_task task = {.reach = reach, .data = data, .dimensions = dimensions, .keys = self->keys.data,
                       .order = self->order.data};
    look_at_sample(&task, count);
    mote_parallel_for(context, count, BLOCK, make_keys, &task);
    result = mote_sort_u64(context, task.keys, task.order, self->spare.data, self->order_spare.data, count);
    *order = task.order;
    return result;
}

void mote_query_order_release(const mote_context *context, query_order *self)
{
    mote_buffer *buffers[] = {&self->keys, &self->spare, &self->order, &self->order_spare};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_query_order_byte_count(const query_order *self)
{
    return self->keys.bytes + self->spare.bytes + self->order.bytes + self->order_spare.bytes;
}
