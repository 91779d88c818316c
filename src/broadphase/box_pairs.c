// SPDX-License-Identifier: MIT
// Finds the pairs of overlapping boxes in a tree by joining it with itself.
//
// Eight leaves with the same parent node are a group: the boxes that overlap the group and come after it in the tree
// are gathered once and filtered for each leaf, and each box of the leaf is tested against the rest. Small boxes
// come first in the tree, so small boxes search for large ones and not the reverse. Pairs are found in any order and
// then sorted.

#include "broadphase/box_pairs.h"

#include "broadphase/box_count.h"

#include <math.h>

enum {
    GROUPS = 16,          // groups in a block of work
    LIMIT_OF_GROUP = 256, // most blocks of a level that a group may meet; beyond it each leaf searches alone
    LIMIT_OF_LEAF = 64,
    MANY_PAIRS = 64       // pairs per box, on average
};

typedef struct pair_worker {
    box_gatherer gatherer;
    pair_list list;
    box_pair_target target;
    char pad[64];
} pair_worker;

typedef struct pair_task {
    const box_tree *tree;
    pair_worker *workers;
} pair_task;

static size_t pair_count(const pair_worker *worker)
{
    return worker->list.memory.data ? (size_t)(worker->target.cursor - (uint64_t *)worker->list.memory.data) : 0;
}

static bool grow(pair_worker *worker, size_t room)
{
    box_pair_target *target = &worker->target;
    size_t count = pair_count(worker);
    const bool has_room = mote_pair_list_grow(&worker->list, &count, room);
    uint64_t *keys = worker->list.memory.data;
    target->cursor = keys ? keys + count : NULL;
    target->end = keys ? keys + worker->list.memory.bytes / sizeof *keys : NULL;
    worker->gatherer.out_of_memory |= !has_room;
    return has_room;
}

// Writes the pairs of a leaf's boxes begin … end − 1 with those columns that come after them.
static void write_pairs(const pair_task *task, pair_worker *worker, size_t leaf, size_t begin, size_t end,
                        const box_columns *columns)
{
    const box_tree *tree = task->tree;
    const size_t first = leaf * BOX_LANES;
    worker->gatherer.tested += (end - begin) * ((columns->count + BOX_LANES - 1) / BOX_LANES);
    for (size_t lane = begin;;) {
        lane = tree->lanes->pairs(tree->blocks + leaf, tree->indices + first, (uint32_t)first, lane, end, columns,
                                  &worker->target);
        if (lane == end || !grow(worker, columns->count + 4 * BOX_LANES)) return;
    }
}

static mote_bounds lane_of(const box_block *block, size_t lane)
{
    mote_bounds box;
    for (int k = 0; k < 3; ++k) box.min[k] = block->low[k][lane], box.max[k] = block->high[k][lane];
    return box;
}

// The box around the leaf.
static mote_bounds leaf_box(const box_tree *tree, size_t leaf)
{
    if (tree->level_count > 1) return lane_of(tree->blocks + tree->level_begin[1] + leaf / BOX_LANES, leaf % BOX_LANES);
    return (mote_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

// Searches for one leaf alone, or for each of its boxes alone.
static void find_leaf(const pair_task *task, pair_worker *worker, size_t leaf)
{
    const box_tree *tree = task->tree;
    box_gatherer *gatherer = &worker->gatherer;
    const size_t first = leaf * BOX_LANES;
    const mote_bounds around = leaf_box(tree, leaf);
    box_columns columns;
    if (mote_box_gather_by_place(gatherer, tree, &around, first, LIMIT_OF_LEAF, &columns)) {
        write_pairs(task, worker, leaf, 0, BOX_LANES, &columns);
        return;
    }
    for (size_t lane = 0; lane < BOX_LANES && !gatherer->out_of_memory; ++lane) {
        if (tree->indices[first + lane] == UINT32_MAX) continue;
        const mote_bounds box = lane_of(tree->blocks + leaf, lane);
        if (mote_box_gather_by_place(gatherer, tree, &box, first, SIZE_MAX, &columns))
            write_pairs(task, worker, leaf, lane, lane + 1, &columns);
    }
}

static void find_group(const pair_task *task, pair_worker *worker, size_t first_leaf, size_t end_leaf)
{
    const box_tree *tree = task->tree;
    box_gatherer *gatherer = &worker->gatherer;
    mote_bounds around = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t leaf = first_leaf; leaf < end_leaf; ++leaf) {
        const mote_bounds box = leaf_box(tree, leaf);
        for (int k = 0; k < 3; ++k) {  // NaN, from an empty leaf, changes nothing
            around.min[k] = MOTE_MIN(box.min[k], around.min[k]);
            around.max[k] = MOTE_MAX(box.max[k], around.max[k]);
        }
    }
    if (!(around.min[0] <= around.max[0])) return;
    box_columns columns;
    if (!mote_box_gather_by_place(gatherer, tree, &around, first_leaf * BOX_LANES, LIMIT_OF_GROUP, &columns)) {
        for (size_t leaf = first_leaf; leaf < end_leaf && !gatherer->out_of_memory; ++leaf)
            find_leaf(task, worker, leaf);
        return;
    }
    for (size_t leaf = first_leaf; leaf < end_leaf && !gatherer->out_of_memory; ++leaf) {
        const mote_bounds box = leaf_box(tree, leaf);
        const box_columns near = mote_box_filter(gatherer, tree->lanes, &columns, &box);
        write_pairs(task, worker, leaf, 0, BOX_LANES, &near);
    }
}

static void find_groups(void *data, size_t begin, size_t end, uint32_t number)
{
    const pair_task *task = data;
    pair_worker *worker = task->workers + number;
    const size_t leaves = task->tree->level_size[0];
    for (size_t group = begin; group < end && !worker->gatherer.out_of_memory; ++group)
        find_group(task, worker, group * BOX_LANES, MOTE_MIN((group + 1) * BOX_LANES, leaves));
}

// ------------------------------------------------------------------------------------------------------ public

static mote_result start_workers(const mote_context *context, box_pairs *pairs)
{
    const uint32_t count = mote_context_worker_count(context);
    mote_result result = mote_buffer_reserve_workers(context, &pairs->workers, sizeof(pair_worker));
    if (result != MOTE_OK) return result;
    pair_worker *workers = pairs->workers.data;
    for (uint32_t w = 0; w < count; ++w) {
        pair_worker *worker = workers + w;
        worker->gatherer.context = context;
        worker->gatherer.out_of_memory = false;
        worker->gatherer.tested = 0;
        mote_pair_list_begin(&worker->list, context, &pairs->tally);
        worker->target.cursor = worker->list.memory.data;
        worker->target.end = worker->target.cursor + worker->list.memory.bytes / sizeof *worker->target.cursor;
    }
    return MOTE_OK;
}

// Adds up the results of the workers. @return whether all of them finished
static bool sum_up(const mote_context *context, box_pairs *pairs, size_t *count)
{
    const pair_worker *workers = pairs->workers.data;
    bool is_whole = true;
    *count = 0;
    for (uint32_t w = 0; w < mote_context_worker_count(context); ++w) {
        is_whole &= !workers[w].gatherer.out_of_memory;
        *count += pair_count(workers + w);
        pairs->tested += workers[w].gatherer.tested;
    }
    return is_whole;
}

// Copies the keys of all workers into pairs->keys.
static mote_result collect(const mote_context *context, box_pairs *pairs, size_t count)
{
    const uint32_t worker_count = mote_context_worker_count(context);
    const pair_worker *workers = pairs->workers.data;
    const size_t bytes = mote_bytes(count, sizeof(uint64_t));
    mote_result result = mote_buffer_reserve(context, &pairs->keys, bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &pairs->spare, bytes, 0);
    if (result != MOTE_OK) return result;
    uint64_t *to = pairs->keys.data;
    for (uint32_t w = 0; w < worker_count; to += pair_count(workers + w++))
        if (pair_count(workers + w)) memcpy(to, workers[w].list.memory.data, pair_count(workers + w) * sizeof *to);
    return MOTE_OK;
}

static void release_lists(const mote_context *context, box_pairs *pairs)
{
    pair_worker *workers = pairs->workers.data;
    for (size_t w = 0; w < pairs->workers.bytes / sizeof *workers; ++w)
        mote_buffer_release(context, &workers[w].list.memory);
}

// @param pause  number of pairs after which the search stops
// @return whether all pairs are in the workers' lists
static bool find_all(const mote_context *context, box_pairs *pairs, const box_tree *tree, uint64_t pause, size_t *count)
{
    pairs->tally.pause = pause;
    pairs->tally.enough = 0;  // mote_box_pairs_count is faster than counting during the search
    pairs->tested = 0;
    if (start_workers(context, pairs) != MOTE_OK) return false;
    pair_task task = {tree, pairs->workers.data};
    const size_t groups = (tree->level_size[0] + BOX_LANES - 1) / BOX_LANES;
    mote_parallel_for(context, groups, GROUPS, find_groups, &task);
    return sum_up(context, pairs, count);
}

// Finds all pairs in the workers' lists. If there are many for each box, and more than a sixteenth of what the
// budget has room for, they are counted before more of them are stored.
static mote_result find_or_count(const mote_context *context, box_pairs *pairs, const box_tree *tree, size_t held,
                                 pair_outcome *outcome)
{
    mote_pair_tally_begin(&pairs->tally, context, held + mote_box_pairs_byte_count(pairs));
    const uint64_t most = pairs->tally.most, pause = MOTE_MAX(most / 16, MANY_PAIRS * (uint64_t)tree->count);
    size_t count = 0;
    bool is_whole = find_all(context, pairs, tree, pause, &count);
    if (!is_whole) {
        release_lists(context, pairs);
        mote_result result = mote_box_pairs_count(context, tree, most, outcome);
        const bool has_paused = atomic_load(&pairs->tally.found) > pause;
        if (result != MOTE_OK || outcome->refused || !has_paused) return MOTE_ERROR_OUT_OF_MEMORY;
        atomic_store(&pairs->tally.found, 0);
        is_whole = find_all(context, pairs, tree, UINT64_MAX, &count);
    }
    if (is_whole) outcome->count = count;
    return is_whole ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

mote_result mote_box_pairs_find(const mote_context *context, box_pairs *pairs, const box_tree *tree, size_t held,
                                const uint64_t **keys, pair_outcome *outcome)
{
    *keys = NULL;
    *outcome = (pair_outcome){0};
    pairs->tested = 0;
    if (tree->level_count == 0) return MOTE_OK;
    mote_result result = find_or_count(context, pairs, tree, held, outcome);
    const size_t count = (size_t)outcome->count;
    if (result == MOTE_OK) result = collect(context, pairs, count);
    if (result == MOTE_OK)
        result = mote_sort_u64(context, pairs->keys.data, NULL, pairs->spare.data, NULL, count);
    if (result == MOTE_OK) *keys = pairs->keys.data;
    else release_lists(context, pairs);
    return result;
}

void mote_box_pairs_release(const mote_context *context, box_pairs *pairs)
{
    pair_worker *workers = pairs->workers.data;
    for (size_t w = 0; w < pairs->workers.bytes / sizeof *workers; ++w) {
        mote_box_gatherer_release(&workers[w].gatherer);
        mote_buffer_release(context, &workers[w].list.memory);
    }
    mote_buffer *buffers[] = {&pairs->workers, &pairs->keys, &pairs->spare};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_box_pairs_byte_count(const box_pairs *pairs)
{
    const pair_worker *workers = pairs->workers.data;
    size_t bytes = pairs->workers.bytes + pairs->keys.bytes + pairs->spare.bytes;
    for (size_t w = 0; w < pairs->workers.bytes / sizeof *workers; ++w)
        bytes += mote_box_gatherer_byte_count(&workers[w].gatherer) + workers[w].list.memory.bytes;
    return bytes;
}
