// SPDX-License-Identifier: MIT
// A tree of boxes, eight to a node: an implicit bounding-volume hierarchy (Wald, Benthin & Boulos 2008 have nodes as
// wide) whose order comes from sorting instead of from costs. Boxes are sorted by cells; the boxes of a cell are cut
// into slices, slices into columns, and these into leaves (Leutenegger, Lopez & Edgington 1997), so that leaves are
// full and as good as cubes. Small boxes come first, so that a few large ones do not enlarge the leaves of many
// small ones.
//
// When boxes move, the order stays and the boxes above them are recomputed, until the leaves have grown by a tenth.
// Other changes of a few boxes are made in box_change.c.

#include "broadphase/box_tree.h"
#include "base/elementary.h"

#include <float.h>
#include <math.h>

enum {
    SPARE_FROM = 64,  // boxes: for fewer the tree is simply rebuilt
    MOST_SPARE = 256, // places: a search looks at all that are in use
    CELL = 256,    // boxes in a cell of the sort
    BINS = 256,    // along an axis: boxes are sorted into these before they are cut
    FLAT = 8,      // a leaf this many times as long on another axis is flat
    RANGES = 4,    // ranges in a block of work
    BLOCK = 2048   // blocks of a level in a block of work
};

static const double large_in_cells = 0.125;  // edge of a box that would enlarge a leaf too much, in cells of the sort

// ------------------------------------------------------------------------------------------------------ leaves

static size_t leaves_of(size_t count)
{
    return (count + BOX_LANES - 1) / BOX_LANES;
}

// Cells along a single axis.
static box_cells bins_along(int axis, float low, float width, size_t bins)
{
    box_cells cells = {.cell_count = (uint32_t)bins, .large = INFINITY};
    cells.origin[axis] = low;
    cells.scale[axis] = MOTE_MIN((float)bins / width, FLT_MAX);
    cells.most[axis] = (float)(bins - 1);
    cells.stride[axis] = 1;
    return cells;
}

// Finds the longest axis of the centres' extent; returns the number of slices to cut it into so that leaves become
// cubes, or 0 if all centres lie in one point.
static size_t choose_slices(const float width[3], size_t leaves, int *axis)
{
    double volume = 1;
    int dimensions = 0;
    *axis = width[1] > width[0];
    if (width[2] > width[*axis]) *axis = 2;
    for (int k = 0; k < 3; ++k)
        if (width[k] > 0 && width[k] < INFINITY) volume *= (double)width[k], ++dimensions;
    if (!dimensions || !(width[*axis] < INFINITY)) return 0;
    const double a_leaf = volume / (double)leaves;
    const double edge = dimensions == 3 ? mote_cbrt(a_leaf) : dimensions == 2 ? sqrt(a_leaf) : a_leaf;
    const double slices = (double)width[*axis] / edge + 0.5;
    return slices < 2 ? 2 : slices < (double)leaves ? (size_t)slices : leaves;
}

// Orders records so that every eight consecutive ones make a good leaf. `other` has room for as many.
static void pack(const box_lanes *lanes, box_record *records, box_record *other, size_t count)
{
    const size_t leaves = leaves_of(count);
    if (leaves < 2) return;
    const box_bounds bounds = lanes->bound(records, count);
    float width[3];
    for (int k = 0; k < 3; ++k) width[k] = bounds.centre_high[k] - bounds.centre_low[k];
    int axis;
    const size_t slices = choose_slices(width, leaves, &axis);
    if (!slices) return;
    const size_t bins = MOTE_MIN(count, (size_t)BINS);
    const box_cells cells = bins_along(axis, bounds.centre_low[axis], width[axis], bins);
    uint32_t next[BINS + BOX_BINS] = {0};
    lanes->number_records(records, count, &cells, next);
    mote_prefix_sum_u32(next, bins + BOX_BINS);
    for (size_t i = 0; i < count; ++i) other[next[records[i].cell]++] = records[i];
    MOTE_ASSERT(next[bins + BOX_BINS - 1] == count);
    memcpy(records, other, count * sizeof *records);
    for (size_t s = 0; s < slices; ++s) {
        const size_t begin = s * leaves / slices * BOX_LANES, end = (s + 1) * leaves / slices * BOX_LANES;
        pack(lanes, records + begin, other, MOTE_MIN(end, count) - begin);
    }
}

typedef struct pack_task {
    box_tree *tree;
    box_record *spare;  // room for the largest range, for each worker
    size_t largest;
} pack_task;

static void pack_ranges(void *data, size_t begin, size_t end, uint32_t worker)
{
    const pack_task *task = data;
    const box_sort *sort = &task->tree->sort;
    for (size_t r = begin; r < end; ++r)
        pack(task->tree->lanes, sort->records + sort->ranges[r].begin, task->spare + worker * task->largest,
             sort->ranges[r].count);
}

// Sorts the boxes and gives every range leaves of its own.
static mote_result order_boxes(const mote_context *context, box_tree *tree, const mote_bounds *boxes)
{
    box_sort *sort = &tree->sort;
    mote_result result = mote_box_sort_build(context, sort, tree->lanes, boxes, tree->count, CELL, large_in_cells);
    if (result != MOTE_OK) return result;
    pack_task task = {.tree = tree};
    for (size_t r = 0; r < sort->range_count; ++r) task.largest = MOTE_MAX(task.largest, sort->ranges[r].count);
    const size_t spare = mote_context_worker_count(context) * task.largest;
    result = mote_buffer_reserve(context, &tree->worker_memory, mote_bytes(spare, sizeof(box_record)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &tree->leaf_memory,
                                     mote_bytes(sort->range_count + 1, sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    task.spare = tree->worker_memory.data;
    mote_parallel_for(context, sort->range_count, RANGES, pack_ranges, &task);
    uint64_t *first_leaf = tree->leaf_memory.data;
    first_leaf[sort->range_count] = 0;
    for (size_t r = 0; r < sort->range_count; ++r) first_leaf[r] = leaves_of(sort->ranges[r].count);
    mote_prefix_sum_u64(first_leaf, sort->range_count + 1);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ blocks

// About the square root of the number of boxes: then a rebuild costs little for each of them.
static size_t spare_leaves(size_t filled)
{
    if (filled < SPARE_FROM) return 0;
    return leaves_of(MOTE_MIN((size_t)sqrt((double)filled), (size_t)MOST_SPARE));
}

static void lay_out(box_tree *tree)
{
    const uint64_t *first_leaf = tree->leaf_memory.data;
    size_t at = 0, blocks = (size_t)first_leaf[tree->sort.range_count];
    tree->filled = tree->sort.filled;
    tree->first_spare = tree->next_spare = blocks * BOX_LANES;
    blocks += spare_leaves(tree->filled);
    tree->level_count = 0;
    while (blocks > 0) {
        tree->level_begin[tree->level_count] = at;
        tree->level_size[tree->level_count++] = blocks;
        at += blocks;
        blocks = blocks > 1 ? leaves_of(blocks) : 0;
    }
}

typedef struct fill_task {
    box_tree *tree;
    const mote_bounds *boxes;  // boxes that have moved; NULL: leaves are new
    int level;
    double *growths;  // growth of the leaves of each block of work
} fill_task;

static void empty_lanes(box_block *block, size_t from)
{
    for (size_t lane = from; lane < BOX_LANES; ++lane) mote_box_empty_lane(block, lane);
}

static void fill_spare(box_tree *tree)
{
    for (size_t leaf = tree->first_spare / BOX_LANES; leaf < tree->level_size[0]; ++leaf) {
        empty_lanes(tree->blocks + leaf, 0);
        for (size_t lane = 0; lane < BOX_LANES; ++lane) tree->indices[leaf * BOX_LANES + lane] = UINT32_MAX;
    }
}

// Fills the leaves of the sort's ranges.
static void fill_ranges(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const fill_task *task = data;
    const box_tree *tree = task->tree;
    const uint64_t *first_leaf = tree->leaf_memory.data;
    for (size_t r = begin; r < end; ++r) {
        const box_range range = tree->sort.ranges[r];
        const box_record *records = tree->sort.records + range.begin;
        box_block *blocks = tree->blocks + first_leaf[r];
        uint32_t *indices = tree->indices + first_leaf[r] * BOX_LANES;
        for (size_t i = 0; i < range.count; ++i) {
            mote_box_put_lane(blocks + i / BOX_LANES, i % BOX_LANES, records[i].low, records[i].high);
            indices[i] = records[i].index;
        }
        const size_t lanes = range.count % BOX_LANES;
        if (!lanes) continue;
        empty_lanes(blocks + range.count / BOX_LANES, lanes);
        for (size_t i = range.count; i % BOX_LANES; ++i) indices[i] = UINT32_MAX;
    }
}

// Fills the same leaves with boxes that have moved.
static void refill_leaves(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const fill_task *task = data;
    const box_tree *tree = task->tree;
    const size_t places = tree->level_size[0] * BOX_LANES;
    for (size_t place = begin * BOX_LANES; place < end * BOX_LANES; ++place) {
        const uint32_t index = tree->indices[place], soon = tree->indices[MOTE_MIN(place + 24, places - 1)];
        if (soon != UINT32_MAX) mote_prefetch(task->boxes + soon);
        if (index == UINT32_MAX) continue;
        const mote_bounds *box = task->boxes + index;
        mote_box_put_lane(tree->blocks + place / BOX_LANES, place % BOX_LANES, box->min, box->max);
    }
}

// The length by which the growth of a block's leaves is measured, on each axis: their mean size or a quarter of the
// size of all of them together; where they are flat, the whole of that size. Flat leaves that grow do not meet more
// other leaves until they leave their layer.
static box_size scale_of(const float mean[3], const mote_bounds *around)
{
    float size[3], largest = 0;
    box_size scale;
    int axes = 0;
    for (int k = 0; k < 3; ++k) {
        size[k] = fmaxf(mean[k], (around->max[k] - around->min[k]) / 4);
        if (size[k] < INFINITY) largest = fmaxf(largest, size[k]);
        axes += size[k] > 0 && size[k] < INFINITY;
    }
    for (int k = 0; k < 3; ++k) {
        if (size[k] < largest / FLAT) size[k] = fmaxf(size[k], around->max[k] - around->min[k]);
        scale.along[k] = 1 / (size[k] * (float)axes);
        if (!(scale.along[k] < INFINITY)) scale.along[k] = 0;
    }
    return scale;
}

// Stores how large the new leaves of a block are.
static void note_sizes(const box_tree *tree, size_t block, const box_block *leaves)
{
    const mote_bounds around = mote_box_around(leaves);
    box_size *sizes = tree->sizes + block * BOX_LANES;
    float mean[3] = {0};
    const size_t count = MOTE_MIN(tree->level_size[0] - block * BOX_LANES, (size_t)BOX_LANES);
    size_t filled = 0;
    for (size_t lane = 0; lane < count; ++lane) {
        for (int k = 0; k < 3; ++k) sizes[lane].along[k] = leaves->high[k][lane] - leaves->low[k][lane];
        if (!(leaves->low[0][lane] <= leaves->high[0][lane])) continue;
        for (int k = 0; k < 3; ++k) mean[k] += sizes[lane].along[k];
        ++filled;
    }
    for (int k = 0; k < 3; ++k) mean[k] /= (float)MOTE_MAX(filled, (size_t)1);
    tree->scales[block] = scale_of(mean, &around);
}

static void bound_level(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const fill_task *task = data;
    const box_tree *tree = task->tree;
    const size_t below = tree->level_size[task->level - 1];
    const box_block *from = tree->blocks + tree->level_begin[task->level - 1];
    box_block *to = tree->blocks + tree->level_begin[task->level];
    double growth = 0;
    for (size_t b = begin; b < end; ++b) {
        const size_t first = b * BOX_LANES, lanes = MOTE_MIN(below - first, (size_t)BOX_LANES);
        for (size_t lane = 0; lane < lanes; ++lane) {
            const mote_bounds box = mote_box_around(from + first + lane);
            mote_box_put_lane(to + b, lane, box.min, box.max);
            if (task->level == 1 && task->boxes) growth += mote_box_leaf_growth(tree, first + lane, &box);
        }
        empty_lanes(to + b, lanes);
        if (task->level == 1 && !task->boxes) note_sizes(tree, b, to + b), growth += (double)lanes;
    }
    task->growths[begin / BLOCK] = growth;
}

static mote_result reserve_blocks(const mote_context *context, box_tree *tree)
{
    const size_t last = (size_t)tree->level_count - 1;
    const size_t blocks = tree->level_begin[last] + tree->level_size[last];
    mote_result result = mote_buffer_reserve(context, &tree->block_memory, mote_bytes(blocks, sizeof(box_block)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &tree->index_memory,
                                     mote_bytes(tree->level_size[0], BOX_LANES * sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &tree->size_memory, mote_bytes(tree->level_size[0], sizeof(box_size)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &tree->scale_memory,
                                     mote_bytes(leaves_of(tree->level_size[0]), sizeof(box_size)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &tree->worker_memory,
                                     mote_block_count(tree->level_size[0], BLOCK) * sizeof(double), 0);
    tree->blocks = tree->block_memory.data;
    tree->indices = tree->index_memory.data;
    tree->sizes = tree->size_memory.data;
    tree->scales = tree->scale_memory.data;
    return result;
}

// Computes all levels above the leaves.
static void bound_levels(const mote_context *context, fill_task *task)
{
    box_tree *tree = task->tree;
    task->growths = tree->worker_memory.data;
    for (task->level = 1; task->level < tree->level_count; ++task->level) {
        const size_t size = tree->level_size[task->level];
        mote_parallel_for(context, size, BLOCK, bound_level, task);
        if (task->level > 1) continue;
        double sum = 0;
        for (size_t k = 0; k < mote_block_count(size, BLOCK); ++k) sum += task->growths[k];
        tree->growth = sum / (double)tree->level_size[0];
    }
}

// ------------------------------------------------------------------------------------------------------ public

mote_result mote_box_tree_build(const mote_context *context, box_tree *tree, const box_lanes *lanes,
                                const mote_bounds *boxes, size_t count)
{
    tree->lanes = lanes;
    tree->count = count;
    tree->placed = 0;
    tree->builds += 1;
    mote_result result = order_boxes(context, tree, boxes);
    if (result == MOTE_OK) lay_out(tree);
    if (result == MOTE_OK && tree->level_count) result = reserve_blocks(context, tree);
    if (result != MOTE_OK) {
        tree->count = 0;
        tree->level_count = 0;
        return result;
    }
    fill_task task = {.tree = tree};
    mote_parallel_for(context, tree->sort.range_count, RANGES, fill_ranges, &task);
    fill_spare(tree);
    tree->growth = 1;
    bound_levels(context, &task);
    return MOTE_OK;
}

mote_result mote_box_tree_update(const mote_context *context, box_tree *tree, const mote_bounds *boxes)
{
    if (tree->level_count) {
        fill_task task = {.tree = tree, .boxes = boxes};
        mote_parallel_for(context, tree->level_size[0], BLOCK, refill_leaves, &task);
        bound_levels(context, &task);
    }
    if (tree->growth <= BOX_GROWTH_LIMIT) return MOTE_OK;
    return mote_box_tree_build(context, tree, tree->lanes, boxes, tree->count);
}

static mote_result validate_block(const box_tree *tree, int level, size_t b)
{
    const box_block *above = tree->blocks + tree->level_begin[level] + b;
    const box_block *below = tree->blocks + tree->level_begin[level - 1];
    for (size_t lane = 0; lane < BOX_LANES; ++lane) {
        const size_t child = b * BOX_LANES + lane;
        if (child >= tree->level_size[level - 1]) continue;
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < BOX_LANES; ++i)
                if (below[child].low[k][i] < above->low[k][lane] || below[child].high[k][i] > above->high[k][lane])
                    return MOTE_ERROR_STATE;
    }
    return MOTE_OK;
}

mote_result mote_box_tree_validate(const box_tree *tree)
{
    if (tree->level_count == 0) return tree->filled && tree->count ? MOTE_ERROR_STATE : MOTE_OK;
    size_t filled = 0;
    for (size_t place = 0; place < tree->level_size[0] * BOX_LANES; ++place) {
        const box_block *block = tree->blocks + place / BOX_LANES;
        const bool is_box = block->low[0][place % BOX_LANES] <= block->high[0][place % BOX_LANES];
        if (is_box != (tree->indices[place] != UINT32_MAX)) return MOTE_ERROR_STATE;
        if (is_box && tree->indices[place] >= tree->count) return MOTE_ERROR_STATE;
        if (is_box && tree->placed && ((const uint32_t *)tree->place_memory.data)[tree->indices[place]] != place)
            return MOTE_ERROR_STATE;
        filled += is_box;
    }
    mote_result result = filled == tree->filled ? MOTE_OK : MOTE_ERROR_STATE;
    for (int level = 1; level < tree->level_count; ++level)
        for (size_t b = 0; b < tree->level_size[level] && result == MOTE_OK; ++b)
            result = validate_block(tree, level, b);
    return result;
}

// Visits the boxes of `count` leaves.
static bool visit_leaves(const box_tree *tree, const uint32_t *leaves, size_t count, const mote_bounds *box,
                         box_visitor *visitor, void *data)
{
    enum { AT_ONCE = 8 };
    uint64_t keys[(AT_ONCE + 1) * BOX_LANES];
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t found = tree->lanes->collect(tree->blocks, tree->indices, leaves + done,
                                                  MOTE_MIN(count - done, (size_t)AT_ONCE), box, keys);
        for (size_t i = 0; i < found; ++i)
            if (!visitor(data, (uint32_t)(keys[i] >> 32))) return false;
    }
    return true;
}

// Visits one block after another, for boxes that meet much of the tree.
static bool visit_in_depth(const box_tree *tree, const mote_bounds *box, box_visitor *visitor, void *data)
{
    uint32_t left[BOX_LEVELS][2 * BOX_LANES];  // blocks to visit on each level; vectors write more than they find
    size_t counts[BOX_LEVELS] = {0};
    int level = tree->level_count - 1;
    left[level][0] = 0;
    for (counts[level] = 1; level < tree->level_count;) {
        if (counts[level] == 0) {
            ++level;
            continue;
        }
        const uint32_t block = left[level][--counts[level]];
        if (level == 0) {
            if (!visit_leaves(tree, &block, 1, box, visitor, data)) return false;
            continue;
        }
        const box_block *from = tree->blocks + tree->level_begin[level];
        --level;
        counts[level] = tree->lanes->expand(from, &block, 1, box, 0, left[level]);
    }
    return true;
}

bool mote_box_tree_visit(const box_tree *tree, const mote_bounds *box, box_visitor *visitor, void *data)
{
    enum { LIST = 64 };
    uint32_t lists[2][(LIST + 1) * BOX_LANES], *list = lists[0], *next = lists[1];
    size_t count = 1;
    if (tree->level_count == 0) return true;
    list[0] = 0;
    for (int level = tree->level_count - 1; level > 0; --level) {
        count = tree->lanes->expand(tree->blocks + tree->level_begin[level], list, count, box, 0, next);
        if (count > LIST) return visit_in_depth(tree, box, visitor, data);
        uint32_t *swap = list;
        list = next;
        next = swap;
    }
    return visit_leaves(tree, list, count, box, visitor, data);
}

void mote_box_tree_release(const mote_context *context, box_tree *tree)
{
    mote_box_sort_release(context, &tree->sort);
    mote_buffer *buffers[] = {&tree->block_memory, &tree->index_memory, &tree->leaf_memory, &tree->size_memory,
                              &tree->scale_memory, &tree->worker_memory, &tree->place_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_box_tree_byte_count(const box_tree *tree)
{
    return mote_box_sort_byte_count(&tree->sort) + tree->block_memory.bytes + tree->index_memory.bytes +
           tree->leaf_memory.bytes + tree->size_memory.bytes + tree->scale_memory.bytes +
           tree->worker_memory.bytes + tree->place_memory.bytes;
}
