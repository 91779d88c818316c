// SPDX-License-Identifier: MIT
// Updates a tree when a few boxes were added, removed or moved: for each one its own lane and those above it change.
//
// An added box takes the next place in the spare leaves. These are in no useful order: every search looks at nearly
// all that are in use, and when none is left the tree is rebuilt. A box that moves so far that its leaf would become
// much larger goes to a spare leaf as well. A removed box leaves its lane empty.

#include "broadphase/lanes.h"
#include "broadphase/box_tree.h"

enum { FEW = 64 };  // at most one in this many boxes may change

static const double swelling = 2;  // growth of a leaf: a box that causes more than this moves to a spare leaf
static const uint32_t nowhere = UINT32_MAX;

// Finds the place of each box, and makes room for more boxes.
static mote_result know_places(const mote_context *context, box_tree *tree, size_t count)
{
    const size_t known = tree->placed;
    if (known && known >= count) return MOTE_OK;
    mote_result result = mote_buffer_reserve(context, &tree->place_memory, mote_bytes(count, sizeof(uint32_t)),
                                             known * sizeof(uint32_t));
    if (result != MOTE_OK) return result;
    uint32_t *places = tree->place_memory.data;
    for (size_t i = known; i < count; ++i) places[i] = nowhere;
    if (!known)
        for (size_t place = 0; place < tree->next_spare; ++place)
            if (tree->indices[place] != nowhere) places[tree->indices[place]] = (uint32_t)place;
    tree->placed = count;
    return MOTE_OK;
}

// Puts a box into a place; NULL empties the place.
static void put(const box_tree *tree, size_t place, const mote_bounds *box)
{
    box_block *block = tree->blocks + place / BOX_LANES;
    if (box) mote_box_put_lane(block, place % BOX_LANES, box->min, box->max);
    else mote_box_empty_lane(block, place % BOX_LANES);
}

// Recomputes the boxes around a place, up to the root.
static void bound_above(box_tree *tree, size_t place)
{
    const size_t leaf = place / BOX_LANES;
    const box_block *above = tree->blocks + tree->level_begin[1] + leaf / BOX_LANES;
    mote_bounds before, box;
    for (int k = 0; k < 3; ++k) {
        before.min[k] = above->low[k][leaf % BOX_LANES];
        before.max[k] = above->high[k][leaf % BOX_LANES];
    }
    size_t block = leaf;
    for (int level = 1; level < tree->level_count; ++level) {
        box = mote_box_around(tree->blocks + tree->level_begin[level - 1] + block);
        if (level == 1)
            tree->growth += (mote_box_leaf_growth(tree, leaf, &box) -
                             mote_box_leaf_growth(tree, leaf, &before)) / (double)tree->level_size[0];
        mote_box_put_lane(tree->blocks + tree->level_begin[level] + block / BOX_LANES, block % BOX_LANES, box.min,
                          box.max);
        block /= BOX_LANES;
    }
}

// Returns false if no spare place is left.
static bool take_spare(box_tree *tree, uint32_t id, size_t *place)
{
    if (tree->next_spare == tree->level_size[0] * BOX_LANES) return false;
    *place = tree->next_spare++;
    tree->indices[*place] = id;
    ((uint32_t *)tree->place_memory.data)[id] = (uint32_t)*place;
    return true;
}

static void leave(box_tree *tree, uint32_t id, size_t place)
{
    put(tree, place, NULL);
    tree->indices[place] = nowhere;
    ((uint32_t *)tree->place_memory.data)[id] = nowhere;
}

// Whether the leaf around the place would become much larger with this box in it.
static bool swells(const box_tree *tree, size_t place, const mote_bounds *box)
{
    const size_t leaf = place / BOX_LANES;
    box_block block = tree->blocks[leaf];
    mote_box_put_lane(&block, place % BOX_LANES, box->min, box->max);
    const mote_bounds around = mote_box_around(&block);
    return mote_box_leaf_growth(tree, leaf, &around) > swelling;
}

// Adds, moves or removes one box. With `is_few` it also updates the boxes above; otherwise the caller does that for
// all boxes afterwards.
static bool take_in(box_tree *tree, uint32_t id, const mote_bounds *box, bool is_few)
{
    const uint32_t known = ((const uint32_t *)tree->place_memory.data)[id];
    const bool is_there = box->min[0] <= box->max[0];
    size_t place = known;
    if (known == nowhere) {
        if (!is_there) return true;
        if (!take_spare(tree, id, &place)) return false;
        tree->filled += 1;
    } else if (!is_there) {
        leave(tree, id, place);
        tree->filled -= 1;
    } else if (is_few && swells(tree, place, box)) {
        leave(tree, id, place);
        bound_above(tree, place);
        if (!take_spare(tree, id, &place)) return false;
    }
    if (is_there) put(tree, place, box);
    if (is_few) bound_above(tree, place);
    return true;
}

bool mote_box_tree_is_few(const box_tree *tree, size_t id_count)
{
    return tree->level_count > 1 && id_count < tree->count / FEW;
}

mote_result mote_box_tree_change(const mote_context *context, box_tree *tree, const mote_bounds *boxes, size_t count,
                                 const uint32_t *ids, size_t id_count)
{
    const bool is_few = mote_box_tree_is_few(tree, id_count);
    bool fits = tree->level_count > 1;
    mote_result result = fits ? know_places(context, tree, count) : MOTE_OK;
    if (result != MOTE_OK) return result;
    for (size_t k = 0; k < id_count && fits; ++k) fits = take_in(tree, ids[k], boxes + ids[k], is_few);
    tree->count = count;
    fits &= tree->filled >= tree->sort.filled / 2;  // otherwise too many lanes are empty
    if (fits && !is_few) return mote_box_tree_update(context, tree, boxes);
    if (fits && tree->growth <= BOX_GROWTH_LIMIT) return MOTE_OK;
    const box_lanes *lanes = tree->lanes ? tree->lanes : mote_broadphase_lanes_choose(context)->boxes;
    return mote_box_tree_build(context, tree, lanes, boxes, count);
}
