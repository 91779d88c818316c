// SPDX-License-Identifier: MIT
// Sorts queries by the leaf of a kd-tree that each is near.
//
// The leaf is the one on whose side of all splits the query is. Several queries go down the tree side by side, as each
// step waits for memory.

#include "neighbors/tree_nearest_order.h"

enum {
    BLOCK = 1024,
    ABREAST = 8
};

typedef struct order_task {
    const kd_tree *tree;
    const mote_points *queries;
    uint64_t *leaves;
    uint32_t *numbers;
} order_task;

static void find_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const order_task *task = data;
    const kd_tree *tree = task->tree;
    const kd_split *splits = tree->splits;
    for (size_t first = begin; first < end; first += ABREAST) {
        const size_t count = MOTE_MIN(end - first, (size_t)ABREAST);
        double at[ABREAST][3];
        uint32_t node[ABREAST];
        for (size_t q = 0; q < count; ++q) {
            for (int k = 0; k < 3; ++k) at[q][k] = mote_points_get(task->queries, first + q, k);
            node[q] = 1;
        }
        for (int level = 0; level < tree->levels; ++level)
            for (size_t q = 0; q < count; ++q)
                node[q] = 2 * node[q] + (at[q][splits[node[q]].axis] > splits[node[q]].at);
        for (size_t q = 0; q < count; ++q) {
            task->leaves[first + q] = node[q] - mote_kd_leaf_count(tree);
            task->numbers[first + q] = (uint32_t)(first + q);
        }
    }
}

mote_result mote_nearest_order(const mote_context *context, const kd_tree *tree, const mote_points *queries,
                               mote_buffer *memory, nearest_order *order)
{
    const size_t count = queries->count;
    mote_result result =
        mote_buffer_reserve(context, memory, mote_bytes(count, 2 * (sizeof(uint64_t) + sizeof(uint32_t))), 0);
    if (result != MOTE_OK) return result;
    uint64_t *leaves = memory->data;
    uint32_t *numbers = (uint32_t *)(leaves + 2 * count);
    order_task task = {tree, queries, leaves, numbers};
    mote_parallel_for(context, count, BLOCK, find_block, &task);
    *order = (nearest_order){leaves, numbers};
    return mote_sort_u64(context, leaves, numbers, leaves + count, numbers + count, count);
}
