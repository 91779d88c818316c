// SPDX-License-Identifier: MIT
// kd_tree: a tree as in Friedman, Bentley and Finkel 1977, with which Pouchol et al. 2009 compare (figure 5).
//
// A plain search finds the rows of a whole leaf together: one walk down the tree finds the leaves within the radius
// of the leaf's box; then each point skips those that are out of its own reach. Every other search walks once per
// row. Both visit the same leaves in the same order: rows are ordered by leaf (tree.h), then by index. With one
// radius per point, the largest radius below a node bounds the distance at which its points can be neighbours: if
// radii differ much, this is the one structure that does not suffer from the largest.

#include <math.h>

#include "neighbors/collect.h"

enum {
    LEAVES = 32,  // leaves of a block of work
    ROWS = 64     // rows of a block of work
};

typedef struct kd_state {
    kd_tree tree;
    mote_buffer leaves;  // for each worker, the leaves that are near
} kd_state;

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    (void)points;  // the search's own copy has the same points
    kd_state *state = search->state;
    return mote_kd_build(search->context, &state->tree, &search->points);
}

// ------------------------------------------------------------------------------------------------------ near leaves

// The largest squared distance from a query at which points below a node can be neighbours.
typedef struct kd_limit {
    const mote_neighbors *search;
    double squared;  // the same for all; NAN: it depends on the node's largest radius
    double mine;
} kd_limit;

static kd_limit limit_of(const mote_neighbors *search, const row_query *query)
{
    kd_limit limit = {.search = search, .mine = query->radius};
    bool alike = !mote_search_has(search, MOTE_NEIGHBORS_RADII) || search->def.radius_rule == MOTE_RADIUS_MINE;
    limit.squared = alike ? mote_limit_squared(search, query->radius) : (double)NAN;
    return limit;
}

static double limit_at(const kd_limit *limit, const kd_tree *tree, uint32_t node)
{
    if (limit->squared == limit->squared) return limit->squared;
    double radius = tree->radius ? tree->radius[node] : 0;
    return mote_limit_squared(limit->search, mote_pair_reach(limit->search, limit->mine, radius));
}

// A walk over the leaves that may hold a point within the limit of the query's box, ascending.
typedef struct leaf_walk {
    uint32_t stack[KD_MAX_LEVELS + 2];  // nodes still to be looked at; at first the root
    int depth;
} leaf_walk;

// Moves on to the next leaf; false after the last.
static inline bool next_leaf(leaf_walk *walk, const kd_tree *tree, const kd_query *query, const kd_limit *limit,
                             uint32_t *leaf)
{
    const uint32_t first_leaf = mote_kd_leaf_count(tree);
    while (walk->depth > 0) {
        const uint32_t node = walk->stack[--walk->depth];
        if (!(mote_kd_bound(tree, node, query, tree->is_f64) <= limit_at(limit, tree, node))) continue;
        *leaf = node - first_leaf;
        if (node >= first_leaf) return true;
        walk->stack[walk->depth++] = 2 * node + 1;
        walk->stack[walk->depth++] = 2 * node;
    }
    return false;
}

// Finds all these leaves. Returns their number.
static uint32_t find_leaves(const kd_tree *tree, const kd_query *query, const kd_limit *limit, uint32_t *leaves)
{
    leaf_walk walk = {{1}, 1};
    uint32_t count = 0;
    while (next_leaf(&walk, tree, query, limit, leaves + count)) ++count;
    return count;
}

// -------------------------------------------------------------------------------------------------------------- rows

typedef struct find_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
} find_task;

static uint32_t *leaves_of(const find_task *task, uint32_t worker)
{
    const kd_state *state = task->search->state;
    return (uint32_t *)state->leaves.data + (size_t)worker * mote_kd_leaf_count(&state->tree);
}

// Writes the row of a point of a plain search, from the points of the leaves. False when memory ran out.
static bool write_plain_row(const find_task *task, row_writer *writer, const row_query *query, const uint32_t *leaves,
                            uint32_t leaf_count)
{
    const kd_tree *tree = &((const kd_state *)task->search->state)->tree;
    const float *x = tree->f32[0], *y = tree->f32[1], *z = tree->f32[2], limit = task->search->radius_squared;
    const kd_query point = mote_kd_query_point(query->at);
    const float *at = point.low_f32;
    uint32_t *row = mote_row_begin(writer, (size_t)leaf_count * KD_LEAF + 1);
    if (!row) return false;
    uint32_t count = 0;
    for (uint32_t k = 0; k < leaf_count; ++k) {
        uint32_t node = mote_kd_leaf_count(tree) + leaves[k];
        if (!(mote_kd_bound(tree, node, &point, false) <= (double)limit)) continue;
        uint32_t begin = mote_kd_leaf_begin(tree, leaves[k]), end = mote_kd_leaf_begin(tree, leaves[k] + 1);
        for (uint32_t p = begin; p < end; ++p) {
            row[count] = tree->index[p];
            count += mote_within(x[p] - at[0], y[p] - at[1], z[p] - at[2], limit) & (tree->index[p] != query->self);
        }
        writer->candidates += end - begin;
    }
    mote_row_end(writer, query->row, row, count);
    return true;
}

// Finds the set's own rows, those of a leaf together.
static void find_for_leaves(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const kd_tree *tree = &((const kd_state *)task->search->state)->tree;
    const kd_limit limit = {.search = task->search, .squared = (double)task->search->radius_squared};
    uint32_t *leaves = leaves_of(task, worker);
    for (size_t leaf = begin; leaf < end; ++leaf) {
        size_t box = 6 * ((size_t)mote_kd_leaf_count(tree) + leaf);
        kd_query group = {.low_f32 = {0, 0, 0}};
        for (size_t k = 0; k < 3; ++k) {
            group.low_f32[k] = tree->boxes_f32[box + k];
            group.high_f32[k] = tree->boxes_f32[box + 3 + k];
        }
        uint32_t count = find_leaves(tree, &group, &limit, leaves);
        uint32_t p = mote_kd_leaf_begin(tree, (uint32_t)leaf);
        for (; p < mote_kd_leaf_begin(tree, (uint32_t)leaf + 1); ++p) {
            uint32_t i = tree->index[p];
            row_query query = {i, i, {(double)tree->f32[0][p], (double)tree->f32[1][p], (double)tree->f32[2][p]}, 0};
            if (!write_plain_row(task, task->writers + worker, &query, leaves, count)) return;
        }
    }
}

static bool collect_row(const find_task *task, row_writer *writer, const row_query *query, const uint32_t *leaves,
                        uint32_t leaf_count)
{
    const kd_tree *tree = &((const kd_state *)task->search->state)->tree;
    row_collector collector;
    if (!mote_collect_begin(&collector, task->search, query, writer)) return false;
    for (uint32_t k = 0; k < leaf_count; ++k) {
        uint32_t end = mote_kd_leaf_begin(tree, leaves[k] + 1);
        for (uint32_t p = mote_kd_leaf_begin(tree, leaves[k]); p < end; ++p) mote_collect(&collector, tree->index[p]);
    }
    return mote_collect_end(&collector);
}

// Finds rows one by one. The set's own rows are found in leaf order, so that neighbouring rows visit the same leaves.
static void find_one_by_one(void *data, size_t begin, size_t end, uint32_t worker)
{
    const find_task *task = data;
    const row_request *request = task->request;
    const kd_tree *tree = &((const kd_state *)task->search->state)->tree;
    const bool own = !request->queries && !request->subset;
    uint32_t *leaves = leaves_of(task, worker);
    row_writer *writer = task->writers + worker;
    for (size_t k = begin; k < end; ++k) {
        row_query query = mote_request_get(task->search, request, own ? tree->index[k] : k);
        kd_query point = mote_kd_query_point(query.at);
        kd_limit limit = limit_of(task->search, &query);
        uint32_t count = find_leaves(tree, &point, &limit, leaves);
        bool done = task->search->is_plain ? write_plain_row(task, writer, &query, leaves, count)
                                           : collect_row(task, writer, &query, leaves, count);
        if (!done) return;
    }
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    kd_state *state = search->state;
    size_t workers = mote_context_worker_count(search->context), leaf_count = mote_kd_leaf_count(&state->tree);
    size_t bytes = mote_bytes(mote_bytes(workers, leaf_count), sizeof(uint32_t));
    if (mote_buffer_reserve(search->context, &state->leaves, bytes, 0) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    find_task task = {search, request, writers};
    if (search->is_plain && !request->queries && !request->subset)
        mote_parallel_for(search->context, leaf_count, LEAVES, find_for_leaves, &task);
    else
        mote_parallel_for(search->context, request->count, ROWS, find_one_by_one, &task);
}

// For single rows: all others are found from lists of leaves.
static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const kd_tree *tree = &((const kd_state *)search->state)->tree;
    const kd_query point = mote_kd_query_point(collector->query.at);
    const kd_limit limit = limit_of(search, &collector->query);
    leaf_walk walk = {{1}, 1};
    for (uint32_t leaf; tree->count && next_leaf(&walk, tree, &point, &limit, &leaf);) {
        const uint32_t end = mote_kd_leaf_begin(tree, leaf + 1);
        for (uint32_t p = mote_kd_leaf_begin(tree, leaf); p < end; ++p) mote_collect(collector, tree->index[p]);
    }
}

static void find_nearest(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    const kd_state *state = search->state;
    mote_nearest_in_tree(search, &state->tree, request, writers);
}

// ------------------------------------------------------------------------------------------------------------ table

static void release(mote_neighbors *search)
{
    kd_state *state = search->state;
    mote_buffer_release(search->context, &state->leaves);
    mote_kd_release(search->context, &state->tree);
}

static size_t byte_count(const mote_neighbors *search)
{
    const kd_state *state = search->state;
    return mote_kd_byte_count(&state->tree) + state->leaves.bytes;
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const kd_state *state = search->state;
    return mote_kd_validate(&state->tree, &search->points, error);
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const kd_state *state = search->state;
    counters->cells = state->tree.count ? mote_kd_leaf_count(&state->tree) : 0;
}

static void explain(mote_neighbors *search, char *text, size_t size)
{
    const kd_tree *tree = &((const kd_state *)search->state)->tree;
    mote_print(text, size, "%u points in %u leaves of at most %d, %d levels", tree->count,
               mote_kd_leaf_count(tree), KD_LEAF, tree->levels);
}

const neighbors_method mote_neighbors_kd_tree = {
    .info = {"kd_tree", "Friedman et al. 1977", "balanced k-d tree: points in leaves, a bounding box per node",
             MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_HALF |
                 MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES |
                 MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_NEAREST,
             true},
    .state_bytes = sizeof(kd_state),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .find_nearest = find_nearest,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
};
