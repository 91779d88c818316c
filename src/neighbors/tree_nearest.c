// SPDX-License-Identifier: MIT
// The k nearest points, ordered by (squared distance, index, shift), by a kd-tree.
//
// In an open space, queries that are near each other are served one after the other, as they read the same leaves: the
// set's own points in the order of the leaves, others sorted by the leaf that they are near (tree_nearest_order.c).
// Queries that are near each other are searched in groups (tree_nearest_group.c). Queries that this leaves, rows of
// some of the points, and more neighbours than it is made for are searched one by one: float points by
// tree_nearest_floats.c; of double points the nearer leaves are visited first, until none can hold a point before the
// k-th. At equal distance a subtree is visited if it contains a smaller index, so ties are decided by index, and sets
// of coincident points cost no more than others.
//
// All rows then have the same length, so each has its place in the lists, and the lists are in the order of the rows.
//
// In a periodic box, images of the points are searched as well (tree_nearest_box.c). If the points lie in the box, they
// are first searched as in an open space, in groups or one by one, and most queries need no other image. Bounds are
// exact in the points' precision everywhere (tree.h).

#include <math.h>
#include <string.h>

#include "neighbors/lanes.h"
#include "neighbors/tree_nearest_box.h"
#include "neighbors/tree_nearest_floats.h"
#include "neighbors/tree_nearest_order.h"

enum {
    ROWS = 64,
    GROUP_ROWS = 512,
    AHEAD = 16,        // queries by which prefetching is ahead
    SORTED_LEAST = 32  // queries from which on sorting them pays
};

typedef struct nearest_task {
    mote_neighbors *search;
    const nearest_index *index;  // NULL: an open space
    const kd_tree *tree;
    const row_request *request;
    nearest_order order;  // of queries; NULL: as they come
    nearest_lanes *group;
    row_writer *writers;
} nearest_task;

// ---------------------------------------------------------------------------------------------------- an open space

static void test_leaf_f64(const kd_tree *tree, uint32_t leaf, const row_query *query, best_hits *best)
{
    const double *x = tree->f64[0], *y = tree->f64[1], *z = tree->f64[2];
    uint32_t end = mote_kd_leaf_begin(tree, leaf + 1);
    for (uint32_t p = mote_kd_leaf_begin(tree, leaf); p < end; ++p) {
        double dx = x[p] - query->at[0], dy = y[p] - query->at[1], dz = z[p] - query->at[2];
        double squared = (dx * dx + dy * dy) + dz * dz;
        if (squared > best->limit || tree->index[p] == query->self) continue;
        row_hit hit = {tree->index[p], {0, 0, 0}, {dx, dy, dz}, squared};
        mote_best_add(best, &hit);
    }
}

static void find_in_open_space(const nearest_task *task, const row_query *query, best_hits *best)
{
    const kd_tree *tree = task->tree;
    kd_walk walk;
    uint32_t leaf;
    mote_kd_walk_begin(&walk, tree, query->at);
    while (!best->failed && mote_kd_walk_next(&walk, best->limit, best->last, &leaf)) {
        test_leaf_f64(tree, leaf, query, best);
        best->writer->candidates += mote_kd_leaf_begin(tree, leaf + 1) - mote_kd_leaf_begin(tree, leaf);
    }
}

// ------------------------------------------------------------------------------------------------------------- rows

static row_hit hit_of_point(const mote_neighbors *search, const row_query *query, uint32_t index)
{
    row_hit hit = {.index = index};
    double other[3];
    mote_point_store_get(&search->points, index, other);
    hit.squared = mote_difference(search->scalar, query->at, other, NULL, hit.d);
    return hit;
}

// Writes a row of points, the nearest first.
static bool write_points(const mote_neighbors *search, row_writer *writer, const row_query *query,
                         const uint32_t *points, size_t count)
{
    if (search->is_plain && !writer->sink->ascending) {
        uint32_t *indices = mote_row_begin(writer, count);
        if (!indices) return false;
        if (count) memcpy(indices, points, count * sizeof *indices);
        mote_row_end(writer, query->row, indices, (uint32_t)count);
        return true;
    }
    if (mote_buffer_reserve(search->context, &writer->hits, mote_bytes(count + 1, sizeof(row_hit)), 0) != MOTE_OK) {
        atomic_store(&writer->sink->out_of_memory, true);
        return false;
    }
    row_hit *hits = writer->hits.data;
    for (size_t k = 0; k < count; ++k) hits[k] = hit_of_point(search, query, points[k]);
    mote_row_write_hits(writer, query->row, hits, count, (uint32_t)count);
    return true;
}

// Finds the nearest points of a tree of floats, as keys; NULL when memory ran out.
static uint64_t *find_keys(const nearest_task *task, const row_query *query, uint32_t leaf, size_t wanted,
                           row_writer *writer)
{
    mote_buffer *keys = &writer->keys;
    const size_t bytes = mote_bytes(wanted + 1, sizeof(uint64_t));
    if (mote_buffer_reserve(task->search->context, keys, bytes, 0) != MOTE_OK) {
        atomic_store(&writer->sink->out_of_memory, true);
        return NULL;
    }
    if (wanted) writer->candidates += mote_nearest_keys_find(task->tree, query, leaf, keys->data, wanted);
    return keys->data;
}

// The place of a row in an open space: all of them have the same length.
static row_columns open_columns(const nearest_task *task, row_writer *writer, uint32_t row, size_t count)
{
    row_sink *sink = writer->sink;
    const uint64_t at = (uint64_t)row * task->request->nearest;
    const size_t scalar = sink->is_f64 ? sizeof(double) : sizeof(float);
    MOTE_ASSERT(!sink->visitor && at + count <= sink->capacity);
    sink->first[row] = count ? at : 0;
    sink->counts[row] = (uint32_t)count;
    writer->hit_count += count;
    return (row_columns){.indices = sink->indices + at,
                         .squared = sink->wants_squared ? (char *)sink->squared + at * scalar : NULL,
                         .differences = sink->wants_differences ? (char *)sink->differences + 3 * at * scalar : NULL,
                         .shifts = sink->wants_shifts ? sink->shifts + 3 * at : NULL};
}

// Writes the columns that follow from the indices of a row.
static void put_rest(const nearest_task *task, const row_query *query, const row_columns *columns, size_t count)
{
    const mote_scalar scalar = task->search->scalar;
    if (columns->shifts) memset(columns->shifts, 0, count * 3 * sizeof *columns->shifts);
    if (!columns->differences) return;
    for (size_t k = 0; k < count; ++k) {
        double other[3], d[3];
        mote_point_store_get(&task->search->points, columns->indices[k], other);
        mote_difference(scalar, query->at, other, NULL, d);
        for (size_t a = 0; a < 3; ++a) {
            if (scalar == MOTE_F64)
                ((double *)columns->differences)[3 * k + a] = d[a];
            else
                ((float *)columns->differences)[3 * k + a] = (float)d[a];
        }
    }
}

static bool find_floats(const nearest_task *task, const row_query *query, uint32_t leaf, size_t wanted,
                        row_writer *writer)
{
    const uint64_t *keys = find_keys(task, query, leaf, wanted, writer);
    if (!keys) return false;
    const row_columns columns = open_columns(task, writer, query->row, wanted);
    for (size_t k = 0; k < wanted; ++k) columns.indices[k] = (uint32_t)keys[k];
    for (size_t k = 0; columns.squared && k < wanted; ++k)
        ((float *)columns.squared)[k] = (float)mote_nearest_key_squared(keys[k]);
    put_rest(task, query, &columns, wanted);
    return true;
}

static bool find_doubles(const nearest_task *task, const row_query *query, size_t wanted, row_writer *writer)
{
    best_hits best;
    if (!mote_best_begin(&best, task->search, writer, wanted)) return false;
    if (wanted) find_in_open_space(task, query, &best);
    if (best.failed) return false;
    const row_columns columns = open_columns(task, writer, query->row, wanted);
    mote_row_fill(writer->sink, &columns, 0, mote_best_sorted(&best), wanted);
    return true;
}

// Finds a row in an open space.
static bool find_alone(const nearest_task *task, const row_query *query, uint32_t leaf, size_t wanted,
                       row_writer *writer)
{
    if (task->tree->is_f64) return find_doubles(task, query, wanted, writer);
    return find_floats(task, query, leaf, wanted, writer);
}

// Completes a row in a periodic box by what is nearer among other images.
// @param near   the nearest points as in an open space, `count` of them; NULL: they are not known
// @param limit  the squared distance of the last of them
static bool complete_in_box(const nearest_task *task, const box_query *in_box, const uint32_t *near, size_t count,
                            double limit, row_writer *writer)
{
    const mote_neighbors *search = task->search;
    const nearest_index *index = task->index;
    const row_query *query = in_box->query;
    const size_t wanted = search->count ? task->request->nearest : 0;
    best_hits best;
    if (near && count == wanted &&
        (!count || (mote_box_query_is_inner(in_box, limit) &&
                    !mote_best_has_any(search, query, index->far, index->far_count, limit))))
        return write_points(search, writer, query, near, count);
    if (!mote_best_begin(&best, search, writer, wanted)) return false;
    for (size_t k = near ? count : 0; k > 0 && !best.failed; --k) {  // the farthest first, which stays at the root
        const row_hit hit = hit_of_point(search, query, near[k - 1]);
        mote_best_add(&best, &hit);
    }
    if (wanted) mote_box_query_find(in_box, near != NULL, &best);
    return mote_best_end(&best, query->row);
}

// Finds a row in a periodic box: first the points that are near without periods, then images that are nearer.
static bool find_in_box(const nearest_task *task, const row_query *query, uint32_t leaf, size_t others,
                        row_writer *writer)
{
    const size_t count = MOTE_MIN((size_t)task->request->nearest, others);
    const box_query in_box = mote_box_query_make(task->search, task->index, query);
    if (task->tree->is_f64 || !mote_image_is_zero(&in_box.wrap))
        return complete_in_box(task, &in_box, NULL, 0, 0, writer);
    uint64_t *keys = find_keys(task, query, leaf, count, writer);
    if (!keys) return false;
    const double limit = count ? mote_nearest_key_squared(keys[count - 1]) : 0;
    for (size_t k = 0; k < count; ++k) {  // points take the place of keys
        const uint32_t point = (uint32_t)keys[k];
        memcpy((char *)keys + k * sizeof point, &point, sizeof point);
    }
    return complete_in_box(task, &in_box, (const uint32_t *)(const void *)keys, count, limit, writer);
}

// Tells whether a point is tested one by one.
static bool is_far_point(const nearest_task *task, uint32_t point)
{
    const nearest_index *index = task->index;
    for (uint32_t n = 0; index && n < index->far_count; ++n)
        if (index->far[n] == point) return true;
    return false;
}

// Rows of the set's own points are found in leaf order, so that neighbouring rows visit the same leaves.
static void find_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const nearest_task *task = data;
    const row_request *request = task->request;
    const kd_tree *tree = task->tree;
    const bool is_own = !request->queries && !request->subset;
    uint32_t leaf = is_own && begin < tree->count ? mote_kd_leaf_of(tree, (uint32_t)begin) : UINT32_MAX;
    for (size_t k = begin; k < end; ++k) {
        const bool is_far = is_own && k >= tree->count;
        size_t point = k;
        if (is_far)
            point = task->index->far[k - tree->count];
        else if (is_own)
            point = tree->index[k];
        else if (task->order.queries)
            point = task->order.queries[k];
        const row_query query = mote_request_get(task->search, request, point);
        const bool is_in_tree = query.self != UINT32_MAX && !is_far_point(task, query.self);
        const size_t others = tree->count - (size_t)is_in_tree;
        while (is_own && !is_far && mote_kd_leaf_begin(tree, leaf + 1) <= k) ++leaf;
        if (is_far) leaf = UINT32_MAX;
        if (task->order.queries) leaf = (uint32_t)task->order.leaves[k];
        const bool is_done = task->index ? find_in_box(task, &query, leaf, others, task->writers + worker)
                                         : find_alone(task, &query, leaf, MOTE_MIN((size_t)request->nearest, others),
                                                      task->writers + worker);
        if (!is_done) return;
    }
}

// Finds a row of a group in a periodic box.
static bool finish_in_box(const nearest_task *task, const nearest_group *group, uint32_t q, const row_query *query,
                          uint32_t leaf, row_writer *writer)
{
    const box_query in_box = mote_box_query_make(task->search, task->index, query);
    if (!group->is_found[q] || !mote_image_is_zero(&in_box.wrap))
        return find_in_box(task, query, leaf, task->tree->count - (size_t)(query->self != UINT32_MAX), writer);
    const double limit = group->squared[q][group->wanted - 1];
    return complete_in_box(task, &in_box, group->index[q], group->wanted, limit, writer);
}

// Finds the rows of a group.
static bool find_group(const nearest_task *task, nearest_group *group, const uint32_t *rows, uint32_t leaf,
                       row_writer *writer)
{
    group->candidates = 0;
    task->group(group, leaf);
    writer->candidates += group->candidates;
    for (uint32_t q = 0; q < group->count; ++q) {
        row_query query = {.row = rows[q], .self = group->self[q]};
        for (int k = 0; k < 3; ++k) query.at[k] = group->at[q][k];
        if (task->index) {
            if (!finish_in_box(task, group, q, &query, leaf, writer)) return false;
            continue;
        }
        if (!group->is_found[q]) {
            if (!find_alone(task, &query, leaf, group->wanted, writer)) return false;
            continue;
        }
        const row_columns columns = open_columns(task, writer, query.row, group->wanted);
        for (uint32_t k = 0; k < group->wanted; ++k) columns.indices[k] = group->index[q][k];
        if (columns.squared && task->tree->is_f64)
            memcpy(columns.squared, group->squared[q], group->wanted * sizeof(double));
        else if (columns.squared)
            for (uint32_t k = 0; k < group->wanted; ++k) ((float *)columns.squared)[k] = (float)group->squared[q][k];
        put_rest(task, &query, &columns, group->wanted);
    }
    return true;
}

MOTE_INLINE void prefetch_query(const mote_points *queries, size_t q)
{
    for (int k = 0; k < queries->dimensions; ++k)
        mote_prefetch((const char *)queries->axis[k] + (ptrdiff_t)q * queries->stride);
}

// Consecutive queries that are near the same leaf form a group.
static void find_groups(void *data, size_t begin, size_t end, uint32_t worker)
{
    const nearest_task *task = data;
    const kd_tree *tree = task->tree;
    const uint32_t *order = task->order.queries;
    nearest_group group = {.tree = tree};
    uint32_t rows[NEAREST_GROUP], leaf = order ? 0 : mote_kd_leaf_of(tree, (uint32_t)begin);
    group.wanted = (uint32_t)MOTE_MIN((size_t)task->request->nearest, tree->count - (size_t)!order);
    for (size_t k = begin; k < end;) {
        if (order) leaf = (uint32_t)task->order.leaves[k];
        while (!order && mote_kd_leaf_begin(tree, leaf + 1) <= k) ++leaf;
        for (group.count = 0; k < end && group.count < NEAREST_GROUP; ++k) {
            if (order && k + AHEAD < end) prefetch_query(task->request->queries, order[k + AHEAD]);
            if (order ? task->order.leaves[k] != leaf : k >= mote_kd_leaf_begin(tree, leaf + 1)) break;
            const row_query query = mote_request_get(task->search, task->request, order ? order[k] : tree->index[k]);
            rows[group.count] = query.row, group.self[group.count] = query.self;
            for (int a = 0; a < 3; ++a) group.at[group.count][a] = query.at[a];
            group.count += 1;
        }
        if (!find_group(task, &group, rows, leaf, task->writers + worker)) return;
    }
}

// @param index  NULL: an open space
static void find_in_tree(mote_neighbors *search, const nearest_index *index, const kd_tree *tree,
                         const row_request *request, row_writer *writers)
{
    nearest_task task = {.search = search, .index = index, .tree = tree, .request = request, .writers = writers};
    const bool is_own = !request->queries && !request->subset;
    // In a periodic box, as long as the tree has all points where they are.
    const bool is_whole = !index || (!index->wraps && index->far_count == 0);
    const bool sorts = request->queries && request->count >= SORTED_LEAST && tree->levels > 0 && is_whole;
    if (sorts && mote_nearest_order(search->context, tree, request->queries, &search->nearest.order, &task.order) !=
                     MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    const size_t others = tree->count - (size_t)(is_own && tree->count > 0);
    task.group = mote_neighbors_lanes_choose(search->context)->nearest;
    // Without vectors, floats are found faster one by one.
    const bool pays = tree->is_f64 || task.group != mote_neighbors_lanes(MOTE_SIMD_PLAIN)->nearest;
    const bool is_enough = index ? others >= request->nearest && request->nearest > 0 : others > 0;
    const bool forms_groups = pays && is_whole && (is_own || sorts) && request->nearest <= NEAREST_FEW && is_enough;
    mote_parallel_for(search->context, request->count, forms_groups ? GROUP_ROWS : ROWS,
                      forms_groups ? find_groups : find_block, &task);
}

void mote_nearest_in_tree(mote_neighbors *search, const kd_tree *tree, const row_request *request, row_writer *writers)
{
    find_in_tree(search, NULL, tree, request, writers);
}

void mote_nearest_find(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    nearest_index *index = &search->nearest;
    const bool is_periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC) && mote_box_is_periodic(&search->box);
    if (!index->is_built) {
        mote_result result = is_periodic ? mote_nearest_box_build(search, index)
                                         : mote_kd_build(search->context, &index->tree, &search->points);
        if (result != MOTE_OK) {
            atomic_store(&writers->sink->out_of_memory, true);
            return;
        }
        index->is_built = true;
    }
    find_in_tree(search, is_periodic ? index : NULL, &index->tree, request, writers);
}

void mote_nearest_release(mote_neighbors *search)
{
    mote_kd_release(search->context, &search->nearest.tree);
    mote_buffer_release(search->context, &search->nearest.wrapped);
    mote_buffer_release(search->context, &search->nearest.leaves);
    mote_buffer_release(search->context, &search->nearest.parts);
    mote_buffer_release(search->context, &search->nearest.order);
}

size_t mote_nearest_byte_count(const mote_neighbors *search)
{
    const nearest_index *index = &search->nearest;
    return mote_kd_byte_count(&index->tree) + index->wrapped.bytes + index->leaves.bytes + index->parts.bytes +
           index->order.bytes;
}
