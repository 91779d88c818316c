// SPDX-License-Identifier: MIT
// Sorts points along a Z-curve through their cells.

#include "neighbors/hash_order.h"

#include "neighbors/collect.h"

enum { BLOCK = 8192, AXIS_BITS = 21 };

typedef struct order_task {
    const mote_neighbors *search;
    const cell_frame *frame;
    grid_cell low;
    int shift;  // number of low bits of a coordinate that do not fit the key
    uint64_t *keys;
    uint32_t *points;
} order_task;

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const order_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        double at[3];
        mote_point_store_get(&task->search->points, (uint32_t)i, at);
        const grid_cell cell = mote_frame_cell(task->frame, at);
        task->keys[i] = 0;
        for (int k = 0; k < 3; ++k) {
            const uint64_t steps = (uint64_t)((int64_t)cell.at[k] - task->low.at[k]);
            task->keys[i] |= mote_spread_bits(steps >> task->shift) << k;
        }
        task->points[i] = (uint32_t)i;
    }
}

mote_result mote_near_order_make(const mote_neighbors *search, const cell_frame *frame, near_order *order)
{
    const size_t n = search->count;
    const mote_box *bounds = &search->points.bounds;
    order->points = NULL;
    mote_result result = mote_buffer_reserve(search->context, &order->memory, mote_bytes(n, 24), 0);
    if (result != MOTE_OK || n == 0) return result;
    const double low[3] = {bounds->min.x, bounds->min.y, bounds->min.z};
    const double high[3] = {bounds->max.x, bounds->max.y, bounds->max.z};
    order_task task = {.search = search, .frame = frame, .low = mote_frame_cell(frame, low)};
    const grid_cell last = mote_frame_cell(frame, high);
    for (int k = 0; k < 3; ++k)
        while (((int64_t)last.at[k] - task.low.at[k]) >> task.shift >> AXIS_BITS) task.shift += 1;
    task.keys = order->memory.data;
    task.points = (uint32_t *)(void *)(task.keys + 2 * n);
    mote_parallel_for(search->context, n, BLOCK, make_keys, &task);
    result = mote_sort_u64(search->context, task.keys, task.points, task.keys + n, task.points + n, n);
    if (result == MOTE_OK) order->points = task.points;
    return result;
}

void mote_near_order_find_rows(mote_neighbors *search, const row_request *request, row_writer *writers,
                               const cell_frame *frame, near_order *order)
{
    const bool is_needed = search->count && mote_request_is_whole(search, request);
    if (is_needed && !order->points) mote_near_order_make(search, frame, order);
    mote_rows_in_order(search, request, writers, order->points);
}
