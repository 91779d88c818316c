// SPDX-License-Identifier: MIT
// bvh8: a tree of boxes with eight lanes per node, the usual method, for comparison.
//
// It is built by the surface area heuristic, in parallel. When an object moves, the boxes above it are updated. A
// new object goes into the lane that grows least; if that lane holds an object, the two share a new node. The tree
// is rebuilt when it has become worse, in the same update: when the surface of its inner boxes has grown by half, or
// the number of changes is many times the number of objects.

#include <math.h>

#include "broadphase/lanes.h"

enum { CHANGES_MOST = 16, FEW = 8 };

typedef struct bvh8 {
    bvh_tree tree;
    double built_area;    // of inner lanes, when the tree was built, per object
    uint64_t changes;     // since the tree was built
    uint64_t looked_at;   // number of changes when the area was last summed up
    uint32_t built;       // number of objects when the tree was built
} bvh8;

// -------------------------------------------------------------------------------------------------------- boxes

static bool lane_equals(const bvh_node *node, uint32_t lane, const mote_bounds *box)
{
    bool same = true;
    for (int k = 0; k < 3; ++k) same &= node->min[k][lane] == box->min[k] && node->max[k][lane] == box->max[k];
    return same;
}

// Updates the lanes above a node, as far as anything changes.
static void refit_above(bvh_tree *tree, uint32_t number)
{
    while (tree->nodes[number].parent != LANE_NONE) {
        const uint32_t place = tree->nodes[number].parent, above = place / LANES, lane = place % LANES;
        const mote_bounds box = mote_bvh_bounds(tree->nodes + number);
        if (lane_equals(tree->nodes + above, lane, &box)) return;
        mote_bvh_set_lane(tree->nodes + above, lane, &box);
        number = above;
    }
}

// Updates all lanes: nodes come after those above them.
static void refit_all(bvh_tree *tree)
{
    for (uint32_t number = tree->node_count; number-- > 1;) {
        const uint32_t place = tree->nodes[number].parent;
        const mote_bounds box = mote_bvh_bounds(tree->nodes + number);
        mote_bvh_set_lane(tree->nodes + place / LANES, place % LANES, &box);
    }
}

static double inner_area(const bvh_tree *tree)
{
    double area = 0;
    for (uint32_t number = 0; number < tree->node_count; ++number) {
        const bvh_node *node = tree->nodes + number;
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            if (!(node->nodes >> lane & 1) || !(node->min[0][lane] <= node->max[0][lane])) continue;
            const mote_bounds box = mote_bvh_lane(node, lane);
            area += mote_bounds_half_area(&box);
        }
    }
    return area;
}

// ------------------------------------------------------------------------------------------------------- update

// Room for one more node, and for the places of all ids.
static mote_result make_room(const mote_broadphase *broad, bvh_tree *tree)
{
    if (tree->node_count + 1 >= LANE_NONE / LANES) return MOTE_ERROR_OUT_OF_MEMORY;
    if (tree->node_count == tree->node_memory.bytes / sizeof(bvh_node)) {
        mote_result result = mote_buffer_reserve(broad->context, &tree->node_memory,
                                                 mote_bytes(2 * (size_t)tree->node_count + FEW, sizeof(bvh_node)),
                                                 tree->node_memory.bytes);
        if (result != MOTE_OK) return result;
        tree->nodes = tree->node_memory.data;
    }
    if (tree->place_count >= broad->store.end) return MOTE_OK;
    mote_result result = mote_buffer_reserve(broad->context, &tree->place_memory,
                                             mote_bytes(broad->store.capacity, sizeof(uint32_t)),
                                             tree->place_memory.bytes);
    if (result != MOTE_OK) return result;
    tree->places = tree->place_memory.data;
    for (; tree->place_count < broad->store.end; ++tree->place_count) tree->places[tree->place_count] = LANE_NONE;
    return MOTE_OK;
}

static void put_object(bvh_tree *tree, uint32_t number, uint32_t lane, uint32_t id, const mote_bounds *box)
{
    bvh_node *node = tree->nodes + number;
    mote_bvh_set_lane(node, lane, box);
    node->child[lane] = id;
    node->objects |= (uint8_t)(1u << lane);
    tree->places[id] = number * LANES + lane;
}

// The lane in use whose box grows least if it takes in `box`; among equal lanes the first from `start` on.
static uint32_t best_lane(const bvh_node *node, const mote_bounds *box, uint32_t start)
{
    uint32_t best = LANES;
    double least = HUGE_VAL, smallest = HUGE_VAL;
    for (uint32_t k = 0; k < LANES; ++k) {
        const uint32_t lane = (start + k) % LANES;
        if (!((node->objects | node->nodes) >> lane & 1)) continue;
        const mote_bounds its = mote_bvh_lane(node, lane), both = mote_bounds_union(&its, box);
        const double area = mote_bounds_half_area(&both);
        const bool is_empty = !(its.min[0] <= its.max[0]);
        const double growth = is_empty ? area : area - mote_bounds_half_area(&its);
        if (best < LANES && (growth > least || (growth == least && area >= smallest))) continue;
        best = lane;
        least = growth;
        smallest = area;
    }
    return best;
}

// Goes down to a free lane, or to an object that then shares a new node with this one. Needs room for a node. Boxes
// at the same place are separated by the digits of their ids, so that they do not form a chain of nodes.
static void insert(bvh_tree *tree, uint32_t id, const mote_bounds *box)
{
    if (tree->node_count == 0) tree->nodes[tree->node_count++] = mote_bvh_node_empty(LANE_NONE);
    for (uint32_t number = 0, digits = id;; digits = digits / LANES | digits % LANES << 29) {
        bvh_node *node = tree->nodes + number;
        const uint32_t used = node->objects | node->nodes, lane = best_lane(node, box, digits % LANES);
        if (used != 0xFF && (node->nodes == 0 || !(node->nodes >> lane & 1))) {
            uint32_t free_lane = 0;
            while (used >> free_lane & 1) ++free_lane;
            put_object(tree, number, free_lane, id, box);
            refit_above(tree, number);
            return;
        }
        if (node->nodes >> lane & 1) {
            number = node->child[lane];
            continue;
        }
        const uint32_t other = node->child[lane], made = tree->node_count++;
        const mote_bounds its = mote_bvh_lane(node, lane);
        tree->nodes[made] = mote_bvh_node_empty(number * LANES + lane);
        node->objects &= (uint8_t)~(1u << lane);
        node->nodes |= (uint8_t)(1u << lane);
        node->child[lane] = made;
        put_object(tree, made, 0, other, &its);
        put_object(tree, made, 1, id, box);
        refit_above(tree, made);
        return;
    }
}

static void take_out(bvh_tree *tree, uint32_t id)
{
    const mote_bounds empty = mote_bounds_empty();
    const uint32_t place = tree->places[id], number = place / LANES, lane = place % LANES;
    mote_bvh_set_lane(tree->nodes + number, lane, &empty);
    tree->nodes[number].objects &= (uint8_t)~(1u << lane);
    tree->places[id] = LANE_NONE;
    refit_above(tree, number);
}

static bool is_in(const bvh_tree *tree, uint32_t id)
{
    return id < tree->place_count && tree->places[id] != LANE_NONE;
}

// Whether so many objects were added and removed that a rebuild is better than applying the changes.
static bool is_outgrown(const mote_broadphase *broad, const bvh8 *tree)
{
    const uint64_t alive = broad->store.alive;
    uint64_t strangers = 0;
    for (uint32_t k = 0; k < broad->store.changed_count; ++k)
        strangers += mote_store_has(&broad->store, broad->store.changed[k]) !=
                     is_in(&tree->tree, broad->store.changed[k]);
    return strangers > alive / 4 + FEW || alive > 2 * (uint64_t)tree->built + FEW || 2 * alive + FEW < tree->built ||
           tree->changes > CHANGES_MOST * alive;
}

// Whether the applied changes have made the tree bad. Checks when there are as many changes as nodes.
static bool is_worn(const mote_broadphase *broad, bvh8 *tree)
{
    if (tree->changes < tree->looked_at + tree->tree.node_count) return false;
    tree->looked_at = tree->changes;
    return inner_area(&tree->tree) > 1.5 * tree->built_area * (double)broad->store.alive;
}

static mote_result rebuild_tree(mote_broadphase *broad, bvh8 *tree)
{
    mote_result result = mote_bvh_build(broad, &tree->tree);
    if (result != MOTE_OK) return result;
    broad->counters.rebuilds += 1;
    tree->built = broad->store.alive;
    tree->built_area = inner_area(&tree->tree) / MOTE_MAX(tree->built, 1u);
    tree->changes = tree->looked_at = 0;
    return MOTE_OK;
}

static mote_result update(mote_broadphase *broad, bool rebuild, mote_error *error)
{
    (void)error;
    bvh8 *self = broad->state;
    bvh_tree *tree = &self->tree;
    const object_store *store = &broad->store;
    tree->lanes = mote_broadphase_lanes_choose(broad->context);
    if (rebuild || is_outgrown(broad, self)) return rebuild_tree(broad, self);
    const bool many = store->changed_count > tree->node_count;
    for (uint32_t k = 0; k < store->changed_count; ++k) {
        const uint32_t id = store->changed[k];
        mote_result result = make_room(broad, tree);
        if (result != MOTE_OK) return result;
        if (is_in(tree, id) && mote_store_has(store, id)) {
            const uint32_t place = tree->places[id];
            mote_bvh_set_lane(tree->nodes + place / LANES, place % LANES, store->boxes + id);
            if (!many) refit_above(tree, place / LANES);
        } else if (is_in(tree, id)) {
            take_out(tree, id);
        } else if (mote_store_has(store, id)) {
            insert(tree, id, store->boxes + id);
        }
    }
    if (many) refit_all(tree);
    self->changes += store->changed_count;
    return is_worn(broad, self) ? rebuild_tree(broad, self) : MOTE_OK;
}

// --------------------------------------------------------------------------------------------------- inspection

static void candidates(const mote_broadphase *broad, candidate_sink *sink)
{
    const bvh8 *self = broad->state;
    mote_bvh_candidates(&self->tree, sink);
}

static void pairs(const mote_broadphase *broad, pair_writer *writers)
{
    const bvh8 *self = broad->state;
    mote_bvh_pairs(&self->tree, broad->context, writers);
}

static void closest(const mote_broadphase *broad, const double at[3], mote_filter filter, mote_closest_object *found)
{
    const bvh8 *self = broad->state;
    mote_bvh_closest(&self->tree, &broad->store, at, filter, found);
}

static void release(mote_broadphase *broad)
{
    bvh8 *self = broad->state;
    mote_buffer_release(broad->context, &self->tree.node_memory);
    mote_buffer_release(broad->context, &self->tree.place_memory);
}

static size_t byte_count(const mote_broadphase *broad)
{
    const bvh8 *self = broad->state;
    return self->tree.node_memory.bytes + self->tree.place_memory.bytes;
}

static mote_result validate_node(const bvh_tree *tree, uint32_t number, mote_error *error)
{
    const bvh_node *node = tree->nodes + number;
    bool fits = !(node->objects & node->nodes) && (number == 0) == (node->parent == LANE_NONE);
    for (uint32_t lane = 0; lane < LANES && fits; ++lane) {
        if (!(node->nodes >> lane & 1)) continue;
        const uint32_t below = node->child[lane];
        fits = below > number && below < tree->node_count && tree->nodes[below].parent == number * LANES + lane;
        if (!fits) break;
        const mote_bounds box = mote_bvh_bounds(tree->nodes + below);
        fits = lane_equals(node, lane, &box);
    }
    return fits ? MOTE_OK : mote_fail(error, MOTE_ERROR_STATE, number, "broadphase: node %u does not fit", number);
}

static mote_result validate(mote_broadphase *broad, mote_error *error)
{
    const bvh8 *self = broad->state;
    const bvh_tree *tree = &self->tree;
    uint32_t objects = 0;
    for (uint32_t id = 0; id < broad->store.end; ++id) {
        const bool has = mote_store_has(&broad->store, id);
        bool fits = has == is_in(tree, id);
        if (fits && has) {
            const uint32_t number = tree->places[id] / LANES, lane = tree->places[id] % LANES;
            const bvh_node *node = tree->nodes + number;
            fits = number < tree->node_count && (node->objects >> lane & 1) && node->child[lane] == id &&
                   lane_equals(node, lane, broad->store.boxes + id);
        }
        if (!fits) return mote_fail(error, MOTE_ERROR_STATE, id, "broadphase: object %u lies in a wrong lane", id);
    }
    for (uint32_t number = 0; number < tree->node_count; ++number) {
        mote_result result = validate_node(tree, number, error);
        if (result != MOTE_OK) return result;
        for (uint32_t bits = tree->nodes[number].objects; bits; bits &= bits - 1) ++objects;
    }
    if (objects == broad->store.alive) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "broadphase: %u objects in the tree, %u there are", objects,
                     broad->store.alive);
}

static void count(const mote_broadphase *broad, mote_broadphase_counters *counters)
{
    const bvh8 *self = broad->state;
    counters->cells = self->tree.node_count;
    counters->entries = broad->store.alive;
}

typedef void cell_visitor(void *data, const mote_broadphase_cell *cell);

// Shows the nodes of a depth below this one; returns whether there are any.
static bool show_depth(const bvh_tree *tree, uint32_t number, int32_t depth, int32_t wanted, cell_visitor *visitor,
                       void *data)
{
    const bvh_node *node = tree->nodes + number;
    if (depth == wanted) {
        const mote_bounds box = mote_bvh_bounds(node);
        mote_broadphase_cell shown = {.class_number = depth, .has_children = node->nodes != 0};
        for (int k = 0; k < 3; ++k) shown.min[k] = (double)box.min[k], shown.max[k] = (double)box.max[k];
        for (uint32_t bits = node->objects; bits; bits &= bits - 1) ++shown.objects;
        if (shown.min[0] <= shown.max[0]) visitor(data, &shown);
        return true;
    }
    bool any = false;
    for (uint32_t lane = 0; lane < LANES; ++lane)
        if (node->nodes >> lane & 1) any |= show_depth(tree, node->child[lane], depth + 1, wanted, visitor, data);
    return any;
}

static void cells(const mote_broadphase *broad, cell_visitor *visitor, void *data)
{
    const bvh8 *self = broad->state;
    for (int32_t depth = 0; self->tree.node_count; ++depth)
        if (!show_depth(&self->tree, 0, 0, depth, visitor, data)) return;
}

static void explain(const mote_broadphase *broad, char *text, size_t size)
{
    const bvh8 *self = broad->state;
    mote_print(text, size, "%u nodes of 8 children with %u objects, built for %u objects %llu changes ago",
               self->tree.node_count, broad->store.alive, self->built, (unsigned long long)self->changes);
}

const broadphase_method mote_broadphase_bvh8 = {
    .info = {"bvh8", "Wald 2007", "bounding volume hierarchy, eight children per node, surface area heuristic"},
    .state_bytes = sizeof(bvh8),
    .update = update,
    .candidates = candidates,
    .pairs = pairs,
    .closest = closest,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
    .cells = cells,
};
