// SPDX-License-Identifier: MIT
// The k nearest of several queries that are near each other, among double points in an open space.
//
// Walking down the tree costs as much as testing points does, so a group of queries shares one walk. First, each query
// tests the points of a subtree around it that holds enough of them. The farthest of what all queries have found so far
// is a distance within which the group needs nothing more: the leaves that are nearer to the box around the queries
// are listed once. Then each query compares the boxes of the listed leaves with its own farthest neighbour, and tests
// the points of those that are nearer. Bounds are exact in the points' precision (tree.h).
//
// Boxes, points and the neighbours found are compared many at a time. The loops are compiled once for each form.

#include "base/wide.h"
#include "neighbors/tree_nearest_group.h"

#include <math.h>

enum {
    LISTED = 128,  // most leaves of a list
    LIST_ROOM = LISTED + MOTE_WIDE_MOST
};

typedef struct leaf_list {
    uint32_t count;
    uint32_t leaf[LISTED];
    double low[3][LIST_ROOM], high[3][LIST_ROOM];
} leaf_list;

// -------------------------------------------------------------------------------------------------- the best so far

// Tells which neighbours come after a new one.
static inline wide_mask_f64 come_after(wide_f64 squared, wide_f64 index, wide_f64 new_squared, wide_f64 new_index)
{
    return wide_either(wide_less(new_squared, squared),
                       wide_both(wide_equal(new_squared, squared), wide_less(new_index, index)));
}

// Inserts a neighbour: those that come after it move on by one place, and the last one is dropped. Nothing happens if
// the new one comes last. There are no branches, as prediction could not guess its place.
static inline void insert(double *squared, double *index, uint32_t room, double new_squared, double new_index)
{
    const wide_f64 s = wide_all_f64(new_squared), i = wide_all_f64(new_index);
    for (uint32_t at = room; at > 0;) {
        at -= WIDE_F64;
        const wide_f64 here_s = wide_load(squared + at), here_i = wide_load(index + at);
        const wide_f64 before_s = wide_load(squared + at - 1), before_i = wide_load(index + at - 1);
        const wide_mask_f64 moves = come_after(here_s, here_i, s, i), follows = come_after(before_s, before_i, s, i);
        wide_store(squared + at, wide_select(follows, before_s, wide_select(moves, s, here_s)));
        wide_store(index + at, wide_select(follows, before_i, wide_select(moves, i, here_i)));
    }
}

static inline uint32_t room_of(const nearest_group *group)
{
    return (group->wanted + WIDE_F64 - 1) / WIDE_F64 * WIDE_F64;
}

// The squared distance of the farthest.
static inline double limit_of(const nearest_group *group, uint32_t q)
{
    return group->squared[q][group->wanted];
}

// Starts as if infinitely distant points had been found: every point found comes before them.
static void begin_query(nearest_group *group, uint32_t q)
{
    group->squared[q][0] = -1, group->index[q][0] = 0;
    for (uint32_t k = 1; k <= room_of(group); ++k)
        group->squared[q][k] = HUGE_VAL, group->index[q][k] = (double)UINT32_MAX;
}

static inline void test_leaf(nearest_group *group, uint32_t q, uint32_t leaf)
{
    const kd_tree *tree = group->tree;
    const uint32_t begin = mote_kd_leaf_begin(tree, leaf), count = mote_kd_leaf_begin(tree, leaf + 1) - begin;
    const uint32_t *index = tree->index + begin, room = room_of(group);
    const double *x = tree->f64[0] + begin, *y = tree->f64[1] + begin, *z = tree->f64[2] + begin;
    const double *at = group->at[q];
    const wide_f64 limit = wide_all_f64(limit_of(group, q));
    double squared[KD_LEAF];
    uint32_t near = 0;
    for (uint32_t k = 0; k < KD_LEAF; k += WIDE_F64) {
        const wide_f64 dx = wide_load(x + k) - at[0], dy = wide_load(y + k) - at[1], dz = wide_load(z + k) - at[2];
        const wide_f64 sum = (dx * dx + dy * dy) + dz * dz;
        wide_store(squared + k, sum);
        near |= wide_bits(wide_at_most(sum, limit)) << k;
    }
    group->candidates += count;
    for (near &= (UINT32_C(1) << count) - 1; near; near &= near - 1) {
        const uint32_t k = mote_lowest_bit(near);
        if (squared[k] <= limit_of(group, q) && index[k] != group->self[q])
            insert(group->squared[q] + 1, group->index[q] + 1, room, squared[k], (double)index[k]);
    }
}

// ---------------------------------------------------------------------------------------------------- the leaf list

// The smallest subtree around a leaf, but for the leaf alone, that has more points than are wanted.
static uint32_t find_start(const nearest_group *group, uint32_t leaf, uint32_t *first, uint32_t *last)
{
    const kd_tree *tree = group->tree;
    uint32_t node = mote_kd_leaf_count(tree) + leaf, leaves = 1;
    *first = leaf;
    do {
        if (node == 1) break;
        node /= 2, leaves *= 2;
        *first = *first / leaves * leaves;
    } while (mote_kd_leaf_begin(tree, *first + leaves) - mote_kd_leaf_begin(tree, *first) <= group->wanted);
    *last = *first + leaves;
    return node;
}

static bool list_leaf(leaf_list *list, const kd_tree *tree, uint32_t node)
{
    if (list->count == LISTED) return false;
    const double *box = tree->boxes_f64 + 6 * (size_t)node;
    for (int k = 0; k < 3; ++k) list->low[k][list->count] = box[k], list->high[k][list->count] = box[3 + k];
    list->leaf[list->count++] = node - mote_kd_leaf_count(tree);
    return true;
}

// Lists the leaves below a node that are within the squared distance. False if there are too many.
static bool list_below(leaf_list *list, const kd_tree *tree, uint32_t top, const kd_query *box, double limit)
{
    uint32_t stack[KD_MAX_LEVELS + 2];
    int depth = 0;
    stack[depth++] = top;
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        if (mote_kd_bound(tree, node, box, true) > limit) continue;
        if (node < mote_kd_leaf_count(tree))
            stack[depth++] = 2 * node + 1, stack[depth++] = 2 * node;
        else if (!list_leaf(list, tree, node))
            return false;
    }
    return true;
}

// Lists all leaves that are within the farthest distance of the queries' neighbours, except for those below `start`.
static bool list_leaves(leaf_list *list, const nearest_group *group, uint32_t start)
{
    kd_query box = mote_kd_query_point(group->at[0]);
    double limit = 0;
    for (uint32_t q = 0; q < group->count; ++q) {
        limit = MOTE_MAX(limit, limit_of(group, q));
        for (int k = 0; k < 3; ++k) {
            box.low[k] = MOTE_MIN(box.low[k], group->at[q][k]);
            box.high[k] = MOTE_MAX(box.high[k], group->at[q][k]);
        }
    }
    list->count = 0;
    for (uint32_t node = start; node > 1; node /= 2)
        if (!list_below(list, group->tree, node ^ 1, &box, limit)) return false;
    for (int k = 0; k < 3; ++k)
        for (uint32_t n = list->count; n < list->count + MOTE_WIDE_MOST; ++n) list->low[k][n] = list->high[k][n] = 0;
    return true;
}

// The distance along an axis between x and the boxes from place n of the list on; 0 inside.
static inline wide_f64 gap_of(const leaf_list *list, uint32_t n, int axis, double x)
{
    const wide_f64 above = wide_load(list->low[axis] + n) - x, below = x - wide_load(list->high[axis] + n);
    return wide_max(wide_max(above, below), wide_all_f64(0));
}

static void test_listed(nearest_group *group, uint32_t q, const leaf_list *list)
{
    const double *at = group->at[q];
    for (uint32_t n = 0; n < list->count; n += WIDE_F64) {
        const wide_f64 dx = gap_of(list, n, 0, at[0]), dy = gap_of(list, n, 1, at[1]), dz = gap_of(list, n, 2, at[2]);
        const wide_f64 sum = (dx * dx + dy * dy) + dz * dz;
        uint32_t near = wide_bits(wide_at_most(sum, wide_all_f64(limit_of(group, q))));
        if (!near) continue;
        double bound[WIDE_F64];
        wide_store(bound, sum);
        for (; near; near &= near - 1) {
            const uint32_t k = mote_lowest_bit(near);
            if (n + k < list->count && bound[k] <= limit_of(group, q)) test_leaf(group, q, list->leaf[n + k]);
        }
    }
}

bool WIDE_NAME(mote_nearest_group)(nearest_group *group, uint32_t leaf)
{
    leaf_list list;
    uint32_t first, last;
    const uint32_t start = find_start(group, leaf, &first, &last);
    for (uint32_t q = 0; q < group->count; ++q) {
        begin_query(group, q);
        for (uint32_t near = first; near < last; ++near) test_leaf(group, q, near);
    }
    if (!list_leaves(&list, group, start)) return false;
    for (uint32_t q = 0; q < group->count; ++q) test_listed(group, q, &list);
    return true;
}
