// SPDX-License-Identifier: MIT
// box_join: `auto`, the default, chooses it for more than a few objects. A tree of boxes with eight boxes per node,
// built from a sort by cells (box_tree.h). Batches of query boxes are sorted in the same way and joined with the
// tree one group at a time (box_search.h), and so are the objects themselves to find all pairs (box_pairs.h).
// Neighbouring queries share nearly all of the search, and this shared part is done once.
//
// Objects that moved keep their places in the tree and the boxes around them are recomputed, which costs less than a
// tenth of building the tree. If only a few objects moved, were added or were removed, they are updated one by one,
// and new ones go into spare leaves behind the others. The tree is rebuilt when its leaves have grown, or when the
// spare leaves are full.

#include "base/order.h"
#include "broadphase/lanes.h"
#include "broadphase/box_pairs.h"
#include "broadphase/box_search.h"
#include "broadphase/internal.h"

typedef struct box_join {
    box_tree tree;
    box_search search;
    box_search between;  // for searches with another object's boxes: the rows of batches stay where they are
    box_pairs pairs;
} box_join;

static mote_result update(mote_broadphase *broad, bool rebuild, mote_error *error)
{
    (void)error;
    box_join *self = broad->state;
    box_tree *tree = &self->tree;
    const object_store *store = &broad->store;
    mote_result result;
    if (rebuild)
        result =
            mote_box_tree_build(broad->context, tree, mote_broadphase_lanes_choose(broad->context)->boxes,
                                store->boxes, store->end);
    else if (store->reshaped || mote_box_tree_is_few(tree, store->changed_count))
        result = mote_box_tree_change(broad->context, tree, store->boxes, store->end, store->changed,
                                      store->changed_count);
    else
        result = mote_box_tree_update(broad->context, tree, store->boxes);
    broad->counters.rebuilds = tree->builds;
    return result;
}

static bool offer(void *sink, uint32_t id)
{
    return mote_sink_offer(sink, id);
}

static void candidates(const mote_broadphase *broad, candidate_sink *sink)
{
    const box_join *self = broad->state;
    mote_box_tree_visit(&self->tree, &sink->probe->reach, offer, sink);
}

static mote_result box_rows_of(mote_broadphase *broad, const mote_bounds *boxes, size_t count, bool is_batch,
                               box_rows *rows)
{
    box_join *self = broad->state;
    box_search *search = is_batch ? &self->search : &self->between;
    mote_result result = mote_box_search_run(broad->context, search, &self->tree, boxes, count, rows);
    broad->counters.lookups = rows->tested;
    broad->counters.candidates = rows->row_tests * BOX_LANES;
    return result;
}

static mote_result sorted_pairs(mote_broadphase *broad, size_t held, const uint64_t **keys, pair_outcome *outcome)
{
    box_join *self = broad->state;
    mote_result result = mote_box_pairs_find(broad->context, &self->pairs, &self->tree, held, keys, outcome);
    broad->counters.lookups = self->pairs.tested;
    broad->counters.candidates = self->pairs.tested * BOX_LANES;
    return result;
}

// Visits near lanes first. A lane farther than the best is skipped; one at the same distance is not, as its id may
// be lower.
static void approach(const mote_broadphase *broad, int level, size_t number, const double at[3], mote_filter filter,
                     mote_closest_object *found)
{
    const box_tree *tree = &((const box_join *)broad->state)->tree;
    const box_block *block = tree->blocks + tree->level_begin[level] + number;
    double distances[BOX_LANES];
    uint32_t order[BOX_LANES], count = 0;
    for (uint32_t lane = 0; lane < BOX_LANES; ++lane) {
        mote_bounds box;
        for (int k = 0; k < 3; ++k) box.min[k] = block->low[k][lane], box.max[k] = block->high[k][lane];
        if (!(box.min[0] <= box.max[0])) continue;
        distances[lane] = mote_bounds_squared_distance(&box, at);
        mote_insert_by_distance(order, count++, lane, distances);
    }
    for (size_t k = 0; k < count && distances[order[k]] <= found->squared; ++k) {
        const size_t below = number * BOX_LANES + order[k];
        const double squared = distances[order[k]];
        if (level > 0) {
            approach(broad, level - 1, below, at, filter, found);
            continue;
        }
        const uint32_t id = tree->indices[below];
        const bool is_closer = squared < found->squared || id < found->id;
        if (is_closer && mote_filters_meet(filter, broad->store.filters[id]))
            *found = (mote_closest_object){id, squared};
    }
}

static void closest(const mote_broadphase *broad, const double at[3], mote_filter filter, mote_closest_object *found)
{
    const box_join *self = broad->state;
    if (self->tree.level_count) approach(broad, self->tree.level_count - 1, 0, at, filter, found);
}

static void release(mote_broadphase *broad)
{
    box_join *self = broad->state;
    mote_box_tree_release(broad->context, &self->tree);
    mote_box_search_release(broad->context, &self->search);
    mote_box_search_release(broad->context, &self->between);
    mote_box_pairs_release(broad->context, &self->pairs);
}

static size_t byte_count(const mote_broadphase *broad)
{
    const box_join *self = broad->state;
    return mote_box_tree_byte_count(&self->tree);
}

static size_t result_bytes(const mote_broadphase *broad)
{
    const box_join *self = broad->state;
    return mote_box_search_byte_count(&self->search) + mote_box_search_byte_count(&self->between) +
           mote_box_pairs_byte_count(&self->pairs);
}

static mote_result validate(mote_broadphase *broad, mote_error *error)
{
    const box_join *self = broad->state;
    if (mote_box_tree_validate(&self->tree) == MOTE_OK) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "box_join: a box lies outside those above it");
}

static void count(const mote_broadphase *broad, mote_broadphase_counters *counters)
{
    const box_join *self = broad->state;
    for (int level = 0; level < self->tree.level_count; ++level) counters->cells += self->tree.level_size[level];
    counters->entries = broad->store.alive;
}

static void explain(const mote_broadphase *broad, char *text, size_t size)
{
    const box_join *self = broad->state;
    const box_tree *tree = &self->tree;
    const unsigned long long leaves = tree->first_spare / BOX_LANES, added = tree->next_spare - tree->first_spare;
    mote_print(text, size, "%u objects in %llu leaves of at most 8, %d levels; builds: %llu, objects added since: %llu",
               broad->store.alive, leaves, tree->level_count, (unsigned long long)tree->builds, added);
}

// Shows the nodes, by depth.
static void cells(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data)
{
    const box_join *self = broad->state;
    const box_tree *tree = &self->tree;
    for (int level = tree->level_count - 1; level >= 0; --level)
        for (size_t b = 0; b < tree->level_size[level]; ++b) {
            const box_block *block = tree->blocks + tree->level_begin[level] + b;
            mote_broadphase_cell shown = {.class_number = tree->level_count - 1 - level, .has_children = level > 0};
            for (int lane = 0; lane < BOX_LANES; ++lane) {
                if (!(block->low[0][lane] <= block->high[0][lane])) continue;
                for (int k = 0; k < 3; ++k) {
                    const double low = (double)block->low[k][lane], high = (double)block->high[k][lane];
                    shown.min[k] = shown.objects ? MOTE_MIN(shown.min[k], low) : low;
                    shown.max[k] = shown.objects ? MOTE_MAX(shown.max[k], high) : high;
                }
                shown.objects += 1;
            }
            const bool is_empty = shown.objects == 0;
            if (level > 0) shown.objects = 0;  // objects are only in the leaves
            if (!is_empty) visitor(data, &shown);
        }
}

const broadphase_method mote_broadphase_box_join = {
    .info = {"box_join", "mote", "tree of boxes, packed in cell order; groups of queries descend it together"},
    .state_bytes = sizeof(box_join),
    .update = update,
    .candidates = candidates,
    .box_rows = box_rows_of,
    .sorted_pairs = sorted_pairs,
    .closest = closest,
    .release = release,
    .byte_count = byte_count,
    .result_bytes = result_bytes,
    .validate = validate,
    .count = count,
    .explain = explain,
    .cells = cells,
};
