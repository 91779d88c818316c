// SPDX-License-Identifier: MIT
// A kd-tree built by median splits (Friedman, Bentley and Finkel 1977).
//
// Every node is split at its median along the widest side of the box around its points, in the order of (coordinate,
// index). That order has no ties, so the split never depends on how the median was found, and coincident points are
// split like any others, the smaller indices to the left. The first levels are built with several nodes in parallel,
// the trees below them by one thread each: with many threads, the first two or three medians limit the speed.

#include "neighbors/tree.h"

#include <math.h>
#include <string.h>

enum { SHARED_LEVELS = 6 };  // built level by level; below, 2^6 trees are built in parallel

// A point that is being moved to its leaf.
typedef struct item_f32 {
    float at[3];
    uint32_t index;
} item_f32;

typedef struct item_f64 {
    double at[3];
    uint64_t index;
} item_f64;

MOTE_INLINE double item_at(const void *items, size_t i, int axis, bool is_f64)
{
    return is_f64 ? ((const item_f64 *)items)[i].at[axis] : (double)((const item_f32 *)items)[i].at[axis];
}

MOTE_INLINE uint32_t item_index(const void *items, size_t i, bool is_f64)
{
    return is_f64 ? (uint32_t)((const item_f64 *)items)[i].index : ((const item_f32 *)items)[i].index;
}

MOTE_INLINE void item_swap(void *items, size_t i, size_t j, bool is_f64)
{
    if (is_f64) {
        item_f64 *all = items, swap = all[i];
        all[i] = all[j], all[j] = swap;
    } else {
        item_f32 *all = items, swap = all[i];
        all[i] = all[j], all[j] = swap;
    }
}

// ------------------------------------------------------------------------------------------------------- median

// The place of an item along an axis. No two items have the same place.
typedef struct item_place {
    double at;
    uint32_t index;
} item_place;

MOTE_INLINE item_place place_of(const void *items, size_t i, int axis, bool is_f64)
{
    item_place place = {item_at(items, i, axis, is_f64), item_index(items, i, is_f64)};
    return place;
}

MOTE_INLINE bool is_before(item_place a, item_place b)
{
    return (a.at < b.at) | ((a.at == b.at) & (a.index < b.index));
}

static item_place median_of_three(item_place a, item_place b, item_place c)
{
    if (is_before(b, a)) {
        item_place swap = a;
        a = b, b = swap;
    }
    return is_before(c, a) ? a : is_before(c, b) ? c : b;
}

// The median of a few items at random places, so that no order of the points is a bad case.
MOTE_INLINE item_place choose_pivot(const void *items, size_t first, size_t count, int axis, mote_random *random,
                                    bool is_f64)
{
    item_place three[3];
    int groups = count > 2048 ? 3 : 1;
    for (int g = 0; g < groups; ++g) {
        item_place some[3];
        for (int k = 0; k < 3; ++k)
            some[k] = place_of(items, first + mote_random_below(random, (uint32_t)count), axis, is_f64);
        three[g] = median_of_three(some[0], some[1], some[2]);
    }
    return groups == 1 ? three[0] : median_of_three(three[0], three[1], three[2]);
}

// Moves the items first … last − 1 that are before the pivot to the front; returns the end of this part. Every item
// is swapped, at least with itself, so that nothing waits for a comparison that branch prediction cannot guess.
MOTE_INLINE size_t partition_items(void *items, size_t first, size_t last, item_place pivot, int axis, bool is_f64)
{
    size_t front = first;
    for (size_t i = first; i < last; ++i) {
        const bool is_front = is_before(place_of(items, i, axis, is_f64), pivot);
        item_swap(items, i, front, is_f64);
        front += is_front;
    }
    return front;
}

// Moves the items first … last − 1 so that those before place `middle` are less than those from there on:
// quickselect (Hoare 1961) with one comparison per item (Lomuto). The pivot is the least item of the second part.
MOTE_INLINE void split_items(void *items, size_t first, size_t last, size_t middle, int axis, bool is_f64)
{
    mote_random random = {first};
    while (first < middle && middle < last) {
        item_place pivot = choose_pivot(items, first, last - first, axis, &random, is_f64);
        size_t front = partition_items(items, first, last, pivot, axis, is_f64);
        if (middle < front)
            last = front;
        else
            first = front;
    }
}

// -------------------------------------------------------------------------------------------------------- nodes

typedef struct build_task {
    kd_tree *tree;
    const point_store *points;
    void *items;
    int level;  // level that is built, or from which the trees below are built
} build_task;

// Returns where the range of items below a node of a level begins.
static size_t node_begin(const kd_tree *tree, uint64_t number, int level)
{
    return (size_t)(((uint64_t)tree->count * number) >> level);
}

// Stores the box around a node's items; returns its widest side.
MOTE_INLINE int store_box(kd_tree *tree, uint32_t node, const void *items, size_t first, size_t last, bool is_f64)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = first; i < last; ++i)
        for (int k = 0; k < 3; ++k) {
            double x = item_at(items, i, k, is_f64);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    for (int k = 0; k < 3; ++k) {
        size_t at = 6 * (size_t)node + (size_t)k;
        if (is_f64)
            tree->boxes_f64[at] = low[k], tree->boxes_f64[at + 3] = high[k];
        else
            tree->boxes_f32[at] = (float)low[k], tree->boxes_f32[at + 3] = (float)high[k];
    }
    int widest = 0;
    double width = high[0] / 2 - low[0] / 2;  // halved because the full width may overflow
    for (int k = 1; k < 3; ++k)
        if (high[k] / 2 - low[k] / 2 > width) widest = k, width = high[k] / 2 - low[k] / 2;
    return widest;
}

// Stores a leaf's points, ascending by index, in their final place.
MOTE_INLINE void store_leaf(const build_task *task, uint32_t node, size_t first, size_t last, bool is_f64)
{
    kd_tree *tree = task->tree;
    for (size_t i = first + 1; i < last; ++i)
        for (size_t k = i; k > first; --k) {
            if (item_index(task->items, k - 1, is_f64) < item_index(task->items, k, is_f64)) break;
            item_swap(task->items, k - 1, k, is_f64);
        }
    tree->least[node] = first < last ? item_index(task->items, first, is_f64) : UINT32_MAX;
    if (tree->radius) tree->radius[node] = 0;
    for (size_t i = first; i < last; ++i) {
        tree->index[i] = item_index(task->items, i, is_f64);
        for (int k = 0; k < 3; ++k) {
            if (is_f64)
                tree->f64[k][i] = item_at(task->items, i, k, true);
            else
                tree->f32[k][i] = (float)item_at(task->items, i, k, false);
        }
        if (!tree->radius) continue;
        double radius = mote_point_store_radius(task->points, tree->index[i]);
        tree->radius[node] = MOTE_MAX(tree->radius[node], radius);
    }
}

MOTE_INLINE void build_node(const build_task *task, uint32_t number, int level, bool is_f64)
{
    kd_tree *tree = task->tree;
    uint32_t node = ((uint32_t)1 << level) + number;
    size_t first = node_begin(tree, number, level), last = node_begin(tree, (uint64_t)number + 1, level);
    int axis = store_box(tree, node, task->items, first, last, is_f64);
    if (level == tree->levels)
        store_leaf(task, node, first, last, is_f64);
    else
        split_items(task->items, first, last, node_begin(tree, 2 * (uint64_t)number + 1, level + 1), axis, is_f64);
}

static void build_any_node(const build_task *task, uint32_t number, int level)
{
    if (task->tree->is_f64)
        build_node(task, number, level, true);
    else
        build_node(task, number, level, false);
}

static void build_level(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build_task *task = data;
    for (size_t k = begin; k < end; ++k) build_any_node(task, (uint32_t)k, task->level);
}

static void build_below(const build_task *task, uint32_t number, int level)
{
    build_any_node(task, number, level);
    if (level == task->tree->levels) return;
    build_below(task, 2 * number, level + 1);
    build_below(task, 2 * number + 1, level + 1);
}

static void build_trees(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build_task *task = data;
    for (size_t k = begin; k < end; ++k) build_below(task, (uint32_t)k, task->level);
}

static void load_items(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const build_task *task = data;
    const point_store *points = task->points;
    for (size_t i = begin; i < end; ++i) {
        if (task->tree->is_f64) {
            item_f64 item = {{points->f64[0][i], points->f64[1][i], points->f64[2][i]}, i};
            ((item_f64 *)task->items)[i] = item;
        } else {
            item_f32 item = {{points->f32[0][i], points->f32[1][i], points->f32[2][i]}, (uint32_t)i};
            ((item_f32 *)task->items)[i] = item;
        }
    }
}

static void node_box(const kd_tree *tree, uint32_t node, double low[3], double high[3])
{
    for (size_t k = 0; k < 3; ++k) {
        size_t at = 6 * (size_t)node + k;
        low[k] = tree->is_f64 ? tree->boxes_f64[at] : (double)tree->boxes_f32[at];
        high[k] = tree->is_f64 ? tree->boxes_f64[at + 3] : (double)tree->boxes_f32[at + 3];
    }
}

// Returns the split between a node's children, along the axis on which they are farthest apart.
static kd_split find_split(const kd_tree *tree, uint32_t node)
{
    double left_low[3], left_high[3], right_low[3], right_high[3], widest = -HUGE_VAL;
    kd_split split = {0, 0};
    node_box(tree, 2 * node, left_low, left_high);
    node_box(tree, 2 * node + 1, right_low, right_high);
    for (int k = 0; k < 3; ++k) {
        const double gap = right_low[k] / 2 - left_high[k] / 2;  // halved because it may overflow
        if (gap > widest) widest = gap, split.axis = k;
    }
    const double below = left_high[split.axis], above = right_low[split.axis];
    split.at = MOTE_MIN(MOTE_MAX(below / 2 + above / 2, below), above);  // halves of tiny numbers are rounded
    return split;
}

// ------------------------------------------------------------------------------------------------------- public

// Lays out the tree's arrays, one after the other, the widest elements first.
static mote_result reserve(const mote_context *context, kd_tree *tree, const point_store *points)
{
    size_t n = points->count, scalar = points->scalar == MOTE_F64 ? sizeof(double) : sizeof(float);
    size_t nodes = (size_t)2 << tree->levels, inner = nodes / 2;
    bool has_radii = points->max_radius > 0;
    size_t bytes = nodes * (6 * scalar + sizeof(uint32_t) + (has_radii ? sizeof(double) : 0));
    bytes += inner * sizeof(kd_split);
    mote_result result = mote_buffer_reserve(context, &tree->items, mote_bytes(n + 1, 4 * scalar), 0);
    if (result == MOTE_OK) {
        size_t all = mote_bytes(n + KD_LEAF, 3 * scalar + sizeof(uint32_t));
        result = mote_buffer_reserve(context, &tree->memory, all == SIZE_MAX ? all : all + bytes, 0);
    }
    if (result != MOTE_OK) return result;

    char *at = tree->memory.data;
    tree->splits = (kd_split *)(void *)at;
    at += inner * sizeof(kd_split);
    tree->radius = has_radii ? (double *)(void *)at : NULL;
    at += has_radii ? nodes * sizeof(double) : 0;
    tree->boxes_f64 = (double *)(void *)at;
    tree->boxes_f32 = (float *)(void *)at;
    at += 6 * nodes * scalar;
    for (int k = 0; k < 3; ++k) {
        tree->f64[k] = tree->is_f64 ? (double *)(void *)at : NULL;
        tree->f32[k] = tree->is_f64 ? NULL : (float *)(void *)at;
        at += (n + KD_LEAF) * scalar;
    }
    tree->index = (uint32_t *)(void *)at;
    tree->least = tree->index + n + KD_LEAF;
    return MOTE_OK;
}

mote_result mote_kd_build(const mote_context *context, kd_tree *tree, const point_store *points)
{
    tree->count = 0;
    tree->levels = 0;
    tree->is_f64 = points->scalar == MOTE_F64;
    while ((points->count >> tree->levels) + 1 > KD_LEAF) ++tree->levels;
    mote_result result = reserve(context, tree, points);
    if (result != MOTE_OK) {
        mote_kd_release(context, tree);
        return result;
    }
    tree->count = points->count;
    build_task task = {.tree = tree, .points = points, .items = tree->items.data};
    mote_parallel_for(context, tree->count, 16384, load_items, &task);
    int shared = MOTE_MIN(tree->levels, (int)SHARED_LEVELS);
    for (task.level = 0; task.level < shared; ++task.level)
        mote_parallel_for(context, (size_t)1 << task.level, 1, build_level, &task);
    mote_parallel_for(context, (size_t)1 << shared, 1, build_trees, &task);
    for (uint32_t node = mote_kd_leaf_count(tree) - 1; node > 0; --node) {
        tree->least[node] = MOTE_MIN(tree->least[2 * node], tree->least[2 * node + 1]);
        tree->splits[node] = find_split(tree, node);
        if (tree->radius) tree->radius[node] = MOTE_MAX(tree->radius[2 * node], tree->radius[2 * node + 1]);
    }
    return MOTE_OK;
}

void mote_kd_release(const mote_context *context, kd_tree *tree)
{
    mote_buffer_release(context, &tree->memory);
    mote_buffer_release(context, &tree->items);
    memset(tree, 0, sizeof *tree);
}

size_t mote_kd_byte_count(const kd_tree *tree)
{
    return tree->memory.bytes + tree->items.bytes;
}

// ----------------------------------------------------------------------------------------------------- validate

// Returns a hash of an index: sums over all points are equal only if each index occurs once, except for one case in
// 2^64. This needs no allocated memory.
static uint64_t mark_of(uint32_t index)
{
    mote_random random = {index};
    return mote_random_next(&random);
}

// Returns what is wrong with a leaf, or NULL. Adds up the marks of its points.
static const char *check_leaf(const kd_tree *tree, const point_store *points, uint32_t leaf, uint64_t *marks)
{
    uint32_t node = mote_kd_leaf_count(tree) + leaf, begin = mote_kd_leaf_begin(tree, leaf);
    double low[3], high[3], at[3];
    node_box(tree, node, low, high);
    for (uint32_t p = begin; p < mote_kd_leaf_begin(tree, leaf + 1); ++p) {
        uint32_t i = tree->index[p];
        if (i >= points->count) return "holds no point";
        *marks += mark_of(i);
        if (p > begin && tree->index[p - 1] >= i) return "is not ascending by index";
        mote_point_store_get(points, i, at);
        for (int k = 0; k < 3; ++k) {
            double kept = tree->is_f64 ? tree->f64[k][p] : (double)tree->f32[k][p];
            if (kept != at[k]) return "holds a point at another place";
            if (!(at[k] >= low[k] && at[k] <= high[k])) return "has a point outside its box";
        }
        if (tree->least[node] > i) return "has a point below its smallest index";
        if (tree->radius && tree->radius[node] < mote_point_store_radius(points, i))
            return "has a point with a radius above its largest";
    }
    return NULL;
}

// Returns what is wrong between an inner node and its children, or NULL.
static const char *check_node(const kd_tree *tree, uint32_t node)
{
    double low[3], high[3], child_low[3], child_high[3];
    const kd_split split = tree->splits[node];
    node_box(tree, node, low, high);
    for (uint32_t child = 2 * node; child <= 2 * node + 1; ++child) {
        node_box(tree, child, child_low, child_high);
        for (int k = 0; k < 3; ++k)
            if (child_low[k] < low[k] || child_high[k] > high[k]) return "does not hold its child's box";
        if (child == 2 * node ? child_high[split.axis] > split.at : child_low[split.axis] < split.at)
            return "has a point on the wrong side of its split";
        if (tree->least[child] < tree->least[node]) return "has another smallest index than its children";
        if (tree->radius && tree->radius[child] > tree->radius[node]) return "has a largest radius below its child's";
    }
    return NULL;
}

mote_result mote_kd_validate(const kd_tree *tree, const point_store *points, mote_error *error)
{
    if (tree->count != points->count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "kd_tree: %u points of %u", tree->count, points->count);
    uint64_t marks = 0, expected = 0;
    const char *wrong = NULL;
    uint32_t number = 0;
    for (uint32_t leaf = 0; leaf < mote_kd_leaf_count(tree) && !wrong; ++leaf)
        wrong = check_leaf(tree, points, number = leaf, &marks);
    const char *kind = wrong ? "leaf" : "node";
    for (uint32_t node = 1; node < mote_kd_leaf_count(tree) && !wrong; ++node)
        wrong = check_node(tree, number = node);
    for (uint32_t i = 0; i < tree->count; ++i) expected += mark_of(i);
    if (!wrong && marks != expected)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "kd_tree: a point is in no leaf, or in two");
    return wrong ? mote_fail(error, MOTE_ERROR_STATE, number, "kd_tree: %s %u %s", kind, number, wrong) : MOTE_OK;
}
