// SPDX-License-Identifier: MIT
// A k-d tree of boxes in the plane, as the document compares with: cells are cut where, by the lengths of the parts and
// the boxes in them, a point is expected to meet the fewest boxes (surface area heuristic), and a box lies in all
// leaves that it touches.
//
// A query reports a box in one of these leaves alone: where the larger of the two lower corners lies. Below a plane is
// what is less than it, so that this corner has one leaf.
#ifndef PAPERS_BOX_KD_TREE_H
#define PAPERS_BOX_KD_TREE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mote/broadphase.h"

enum { KD_LEAF = -1, KD_FEW = 2, KD_DEEPEST = 32 };

// What going down a level costs, in tests of boxes.
static const double kd_step = 2;

typedef struct kd_node {
    float plane;
    int32_t axis;           // KD_LEAF
    uint32_t first, count;  // leaf: of its items; else the children are nodes first and first + 1
} kd_node;

typedef struct kd_tree {
    const mote_bounds *boxes;
    kd_node *nodes;
    uint32_t *items;
    float *low, *high;  // edges, while a plane is sought
    size_t node_count, node_room, item_count, item_room;
    bool out_of_memory;
} kd_tree;

typedef struct kd_cell {
    float min[2], max[2];
} kd_cell;

static bool kd_grow(void **memory, size_t *room, size_t wanted, size_t bytes)
{
    if (wanted <= *room) return true;
    void *larger = realloc(*memory, 2 * wanted * bytes);
    if (!larger) return false;
    *memory = larger;
    *room = 2 * wanted;
    return true;
}

static int kd_by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void kd_make_leaf(kd_tree *tree, size_t node, const uint32_t *ids, size_t count)
{
    if (!kd_grow((void **)&tree->items, &tree->item_room, tree->item_count + count, sizeof *tree->items)) {
        tree->out_of_memory = true;
        return;
    }
    if (count) memcpy(tree->items + tree->item_count, ids, count * sizeof *ids);
    tree->nodes[node] = (kd_node){.axis = KD_LEAF, .first = (uint32_t)tree->item_count, .count = (uint32_t)count};
    tree->item_count += count;
}

typedef struct kd_cut {
    float plane;
    int axis;
    size_t below, above;  // boxes on both sides
    double cost;          // boxes that a point in the cell is expected to be tested against
} kd_cut;

// The best plane across an axis, if it is better than `best`: all edges are tried.
static void kd_try_axis(kd_tree *tree, const uint32_t *ids, size_t count, const kd_cell *cell, int axis, kd_cut *best)
{
    const double length = (double)cell->max[axis] - (double)cell->min[axis];
    for (size_t k = 0; k < count; ++k) {
        tree->low[k] = tree->boxes[ids[k]].min[axis];
        tree->high[k] = nextafterf(tree->boxes[ids[k]].max[axis], INFINITY);  // below this plane the box is whole
    }
    qsort(tree->low, count, sizeof *tree->low, kd_by_value);
    qsort(tree->high, count, sizeof *tree->high, kd_by_value);
    size_t begun = 0, ended = 0;  // low < plane, high <= plane
    while (ended < count) {
        const float plane = begun < count ? fminf(tree->low[begun], tree->high[ended]) : tree->high[ended];
        while (ended < count && tree->high[ended] <= plane) ++ended;
        if (plane > cell->min[axis] && plane < cell->max[axis]) {
            const double part = ((double)plane - (double)cell->min[axis]) / length;
            const double cost = kd_step + part * (double)begun + (1 - part) * (double)(count - ended);
            if (cost < best->cost) *best = (kd_cut){plane, axis, begun, count - ended, cost};
        }
        while (begun < count && tree->low[begun] <= plane) ++begun;
    }
}

// Cuts the cell where that helps.
static void kd_split(kd_tree *tree, size_t node, const uint32_t *ids, size_t count, kd_cell cell, int depth)
{
    const mote_bounds *boxes = tree->boxes;
    kd_cut cut = {.cost = (double)count};
    for (int axis = 0; axis < 2 && count > KD_FEW && depth < KD_DEEPEST; ++axis)
        kd_try_axis(tree, ids, count, &cell, axis, &cut);
    if (cut.cost >= (double)count) {
        kd_make_leaf(tree, node, ids, count);
        return;
    }
    uint32_t *parts = malloc((cut.below + cut.above + 1) * sizeof *parts);
    const size_t child = tree->node_count;
    if (!parts || !kd_grow((void **)&tree->nodes, &tree->node_room, child + 2, sizeof *tree->nodes)) {
        tree->out_of_memory = true;
        free(parts);
        return;
    }
    uint32_t *below = parts, *above = parts + cut.below;
    for (size_t k = 0; k < count; ++k) {
        if (boxes[ids[k]].min[cut.axis] < cut.plane) *below++ = ids[k];
        if (boxes[ids[k]].max[cut.axis] >= cut.plane) *above++ = ids[k];
    }
    tree->node_count += 2;
    tree->nodes[node] = (kd_node){.plane = cut.plane, .axis = cut.axis, .first = (uint32_t)child};
    kd_cell lower = cell, upper = cell;
    lower.max[cut.axis] = upper.min[cut.axis] = cut.plane;
    kd_split(tree, child, parts, cut.below, lower, depth + 1);
    kd_split(tree, child + 1, parts + cut.below, cut.above, upper, depth + 1);
    free(parts);
}

static void kd_release(kd_tree *tree)
{
    free(tree->nodes);
    free(tree->items);
}

// Answers whether memory sufficed. The boxes are the caller's, and lie between 0 and `side`, or beyond.
static bool kd_build(kd_tree *tree, const mote_bounds *boxes, size_t count, float side)
{
    *tree = (kd_tree){.boxes = boxes};
    uint32_t *ids = malloc((count + 1) * sizeof *ids);
    tree->low = malloc((count + 1) * sizeof *tree->low);
    tree->high = malloc((count + 1) * sizeof *tree->high);
    tree->out_of_memory = !ids || !tree->low || !tree->high ||
                          !kd_grow((void **)&tree->nodes, &tree->node_room, 1, sizeof *tree->nodes);
    if (!tree->out_of_memory) {
        for (size_t k = 0; k < count; ++k) ids[k] = (uint32_t)k;
        tree->node_count = 1;
        kd_split(tree, 0, ids, count, (kd_cell){{0, 0}, {side, side}}, 0);
    }
    free(ids);
    free(tree->low);
    free(tree->high);
    if (tree->out_of_memory) kd_release(tree);
    return !tree->out_of_memory;
}

typedef struct kd_work {
    uint64_t nodes, candidates;  // looked at
} kd_work;

static void kd_visit_leaf(const kd_tree *tree, const kd_node *leaf, const kd_cell *cell, const mote_bounds *query,
                          mote_broadphase_visitor *visitor, void *data)
{
    for (uint32_t k = 0; k < leaf->count; ++k) {
        const uint32_t id = tree->items[leaf->first + k];
        const mote_bounds *box = tree->boxes + id;
        bool found = true;
        for (int axis = 0; axis < 2; ++axis) {
            const float corner = fmaxf(box->min[axis], query->min[axis]);
            found &= corner <= box->max[axis] && corner <= query->max[axis];
            found &= corner >= cell->min[axis] && corner < cell->max[axis];
        }
        if (found) visitor(data, id);
    }
}

// All boxes that overlap the query.
static void kd_query(const kd_tree *tree, const mote_bounds *query, mote_broadphase_visitor *visitor, void *data,
                     kd_work *work)
{
    struct {
        uint32_t node;
        kd_cell cell;
    } stack[KD_DEEPEST + 2];
    size_t depth = 1;
    stack[0].node = 0;
    stack[0].cell = (kd_cell){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    while (depth-- > 0) {
        const kd_node *node = tree->nodes + stack[depth].node;
        const kd_cell cell = stack[depth].cell;
        work->nodes += 1;
        if (node->axis == KD_LEAF) {
            work->candidates += node->count;
            kd_visit_leaf(tree, node, &cell, query, visitor, data);
            continue;
        }
        const bool above = query->max[node->axis] >= node->plane, below = query->min[node->axis] < node->plane;
        if (above) {
            stack[depth].node = node->first + 1;
            stack[depth].cell = cell;
            stack[depth++].cell.min[node->axis] = node->plane;
        }
        if (below) {
            stack[depth].node = node->first;
            stack[depth].cell = cell;
            stack[depth++].cell.max[node->axis] = node->plane;
        }
    }
}

static size_t kd_byte_count(const kd_tree *tree, size_t count)
{
    return tree->node_count * sizeof *tree->nodes + tree->item_count * sizeof *tree->items +
           count * sizeof *tree->boxes;
}

#endif
