// SPDX-License-Identifier: MIT
// hierarchical_hash: nested cells in a hash table, with a flag to skip empty areas (Pouchol et al. 2009).
//
// Classes of cells are nested; their sizes are the smallest radius times 2^k. (If instead the radius is independent
// of the powers of two, as in Pouchol et al., cells of one class straddle those of the next: its listing 3 then misses
// a fifth of the neighbours.) Every point is in the finest class whose cells are at least as wide as its radius.
// Cells with nothing below them are never entered.
//
// As in listing 3, neighbours are found while points are inserted: the cells around a point are searched, coarse to
// fine, for points inserted before it, then the point itself is inserted. So each pair is found once, by the later
// of its two points, and belongs to the rows of both: rows hold the earlier points, in the order of the walk, then
// the later ones, in the order of insertion. This form is used by searches for whole lists. If queries or subsets
// are requested, or points have individual radii, points are only inserted, and each row is a walk through the
// finished hierarchy.
//
// Points are inserted along a Z-curve through the finest cells, which suits nested cells: points near in space are
// then near in memory, for any order of the input. All arrays are indexed by the place in that order.
//
// The range of a point's cells is that of its position minus and plus its reach. Rounding is monotone, and so are
// cell coordinates: everything between the two positions is in the cells between the two cells.
//
// Walks visit cells by coordinates (z, y, x) or, if a range has more cells than exist, in the order of their
// creation; a cell's points come latest first. All of this depends only on the points.

#include <string.h>

#include "cells/hierarchy.h"
#include "neighbors/collect.h"
#include "neighbors/hash_order.h"

enum {
    ROWS = 256,                // rows of a block of work
    RADIUS_BITS = 14           // the finest cells are at least 2^-14 of the largest radius, however small others are
};

// The pairs found on insertion, by places: the earlier neighbours of each point, or the later ones.
typedef struct pair_rows {
    mote_buffer first_memory, points_memory;
    uint64_t *first;   // n + 1
    uint32_t *points;
} pair_rows;

typedef struct hierarchical_hash {
    cell_frame frame;
    cell_hierarchy cells;
    double below[HIERARCHY_CLASSES];  // largest radius of the points in a class and in all finer ones
    near_order order;      // order of insertion
    mote_buffer node_first_memory, chain_memory;
    uint32_t *node_first;  // by node: the place of its latest point
    chained_point *chain;  // by place: the place of the previous point in its cell, or HIERARCHY_NONE
    bool finds_on_insertion;
    pair_rows earlier, later;
    uint64_t tested;       // distances tested on insertion
} hierarchical_hash;

// ------------------------------------------------------------------------------------------------ sizes of cells

static double radius_of(const mote_neighbors *search, uint32_t i)
{
    return search->points.max_radius > 0 ? mote_point_store_radius(&search->points, i) : search->radius;
}

// Returns the finest class whose cells, base · 2^k wide, are at least as wide as the radius.
static uint32_t class_of(double base, double radius)
{
    uint32_t number = 0;
    for (; base < radius && number + 1 < HIERARCHY_CLASSES; base *= 2) ++number;
    return number;
}

// Chooses the classes and returns the radius of the finest.
static double choose_classes(mote_neighbors *search, hierarchical_hash *hash)
{
    double base = search->structure_radius > 0 ? search->structure_radius : 1, largest = base;
    for (uint32_t i = 0; search->points.max_radius > 0 && i < search->count; ++i)
        base = MOTE_MIN(base, radius_of(search, i));
    base = MOTE_MAX(base, largest / (1 << RADIUS_BITS));
    uint32_t shift[HIERARCHY_CLASSES], count = MOTE_MAX((uint32_t)search->def.classes, class_of(base, largest) + 1);
    for (uint32_t k = 0; k < count; ++k) shift[k] = k, hash->below[k] = 0;
    mote_hierarchy_reset(&hash->cells, shift, count);
    return base;
}

// Computes the cells that must be searched in each class for neighbours of a position.
static void ranges_around(const mote_neighbors *search, const row_query *query, hierarchy_range *ranges)
{
    const hierarchical_hash *hash = search->state;
    for (uint32_t c = 0; c < hash->cells.class_count; ++c) {
        double reach = mote_query_reach(search, query, hash->below[c]) * (1 + 0x1p-20);
        for (int k = 0; k < 3; ++k) {
            bool is_axis = k < hash->frame.dimensions;
            int32_t low = is_axis ? mote_frame_coordinate(&hash->frame, k, query->at[k] - reach) : 0;
            int32_t high = is_axis ? mote_frame_coordinate(&hash->frame, k, query->at[k] + reach) : 0;
            ranges[c].low[k] = mote_hierarchy_coordinate(low);
            ranges[c].high[k] = mote_hierarchy_coordinate(high);
        }
    }
}

// ----------------------------------------------------------------------------------------------------- insertion

static mote_result insert_point(mote_neighbors *search, uint32_t place, double base)
{
    hierarchical_hash *hash = search->state;
    const uint32_t i = hash->order.points[place];
    double at[3], radius = radius_of(search, i);
    mote_point_store_get(&search->points, i, at);
    uint32_t node, class_number = MOTE_MIN(class_of(base, radius), hash->cells.class_count - 1);
    mote_result result = mote_hierarchy_insert(search->context, &hash->cells, mote_frame_cell(&hash->frame, at),
                                               class_number, &node);
    if (result != MOTE_OK) return result;
    size_t room = hash->cells.node_memory.bytes / sizeof(hierarchy_node);
    result = mote_buffer_reserve(search->context, &hash->node_first_memory, room * sizeof(uint32_t),
                                 hash->node_first_memory.bytes);
    if (result != MOTE_OK) return result;
    hash->node_first = hash->node_first_memory.data;
    bool is_first = hash->cells.nodes[node].elements == 1;
    const placed_point point = mote_point_place(&search->points, i);
    memcpy(hash->chain[place].at, point.at, sizeof point.at);
    hash->chain[place].next = is_first ? HIERARCHY_NONE : hash->node_first[node];
    hash->node_first[node] = place;
    for (uint32_t c = class_number; c < hash->cells.class_count; ++c)
        hash->below[c] = MOTE_MAX(hash->below[c], radius);
    return MOTE_OK;
}

// A point that is being inserted, and the earlier points that are its neighbours.
typedef struct newcomer {
    const mote_neighbors *search;
    double at[3];
    float point[3];
    double limit;       // limit of squared distances
    uint64_t tested;
    uint64_t count;     // number of pairs of all points so far
    pair_rows *pairs;
    mote_result result;
} newcomer;

static void add_pair(newcomer *self, uint32_t j)
{
    pair_rows *pairs = self->pairs;
    size_t room = pairs->points_memory.bytes / sizeof(uint32_t);
    if (self->count == room && self->result == MOTE_OK) {
        size_t bytes = mote_bytes(MOTE_MAX(2 * room, (size_t)256), sizeof(uint32_t));
        self->result = mote_buffer_reserve(self->search->context, &pairs->points_memory, bytes,
                                           (size_t)self->count * sizeof(uint32_t));
        pairs->points = pairs->points_memory.data;
    }
    if (self->result == MOTE_OK) pairs->points[self->count++] = j;
}

static bool meet_node(void *data, uint32_t node)
{
    newcomer *self = data;
    const point_store *points = &self->search->points;
    const hierarchical_hash *hash = self->search->state;
    for (uint32_t j = hash->node_first[node]; j != HIERARCHY_NONE; j = hash->chain[j].next) {
        self->tested += 1;
        bool near;
        if (points->f32[0]) {
            const float *at = hash->chain[j].at;
            near = mote_within(at[0] - self->point[0], at[1] - self->point[1], at[2] - self->point[2],
                               (float)self->limit);
        } else {
            double at[3], d[3];
            mote_point_store_get(points, hash->order.points[j], at);
            near = mote_difference(MOTE_F64, self->at, at, NULL, d) <= self->limit;
        }
        if (near) add_pair(self, j);
    }
    return self->result == MOTE_OK;
}

// Makes the rows of the later points from those of the earlier ones.
static mote_result turn_pairs(const mote_context *context, const pair_rows *earlier, pair_rows *later, size_t n)
{
    size_t pairs = (size_t)earlier->first[n];
    mote_result result = mote_buffer_reserve(context, &later->first_memory, mote_bytes(n + 1, sizeof(uint64_t)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &later->points_memory, mote_bytes(pairs + 1, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    later->first = later->first_memory.data;
    later->points = later->points_memory.data;
    memset(later->first, 0, (n + 1) * sizeof(uint64_t));
    uint64_t *place = later->first + 1;  // place[j] ends up as the end of row j, which is the start of row j + 1
    for (size_t k = 0; k < pairs; ++k) place[earlier->points[k]] += 1;
    mote_prefix_sum_u64(place, n);
    for (size_t i = 0; i < n; ++i)
        for (uint64_t k = earlier->first[i]; k < earlier->first[i + 1]; ++k)
            later->points[place[earlier->points[k]]++] = (uint32_t)i;
    MOTE_ASSERT(later->first[n] == pairs);
    return MOTE_OK;
}

// Listing 3: for every point, finds the points before it, then inserts the point itself.
static mote_result insert_and_find(mote_neighbors *search, double base)
{
    hierarchical_hash *hash = search->state;
    const size_t n = search->count;
    pair_rows *earlier = &hash->earlier;
    mote_result result =
        mote_buffer_reserve(search->context, &earlier->first_memory, mote_bytes(n + 1, sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    earlier->first = earlier->first_memory.data;
    earlier->points = earlier->points_memory.data;
    newcomer self = {.search = search, .pairs = earlier, .limit = mote_limit_squared(search, search->radius)};
    for (uint32_t place = 0; place < n && result == MOTE_OK; ++place) {
        row_query query = {.radius = search->radius};
        hierarchy_range ranges[HIERARCHY_CLASSES];
        mote_point_store_get(&search->points, hash->order.points[place], query.at);
        for (int k = 0; k < 3; ++k) self.at[k] = query.at[k], self.point[k] = (float)query.at[k];
        earlier->first[place] = self.count;
        ranges_around(search, &query, ranges);
        mote_hierarchy_walk(&hash->cells, ranges, meet_node, &self);
        result = self.result == MOTE_OK ? insert_point(search, place, base) : self.result;
    }
    earlier->first[n] = self.count;
    hash->tested = self.tested;
    return result == MOTE_OK ? turn_pairs(search->context, earlier, &hash->later, n) : result;
}

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    (void)error;
    hierarchical_hash *hash = search->state;
    const uint32_t walks = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_RADII;
    hash->finds_on_insertion = !mote_search_has(search, walks);
    double base = choose_classes(search, hash);
    hash->frame = mote_frame_make(points, base, 1);
    mote_result result = mote_buffer_reserve(search->context, &hash->chain_memory,
                                             mote_bytes(search->count + 1, sizeof(chained_point)), 0);
    if (result == MOTE_OK) result = mote_near_order_make(search, &hash->frame, &hash->order);
    if (result != MOTE_OK) return result;
    hash->chain = hash->chain_memory.data;
    if (hash->finds_on_insertion) return insert_and_find(search, base);
    for (uint32_t place = 0; place < search->count && result == MOTE_OK; ++place)
        result = insert_point(search, place, base);
    return result;
}

// ---------------------------------------------------------------------------------------------------------- rows

typedef struct gathering {
    const hierarchical_hash *hash;
    row_collector *collector;
} gathering;

static bool gather_node(void *data, uint32_t node)
{
    const gathering *gather = data;
    const hierarchical_hash *hash = gather->hash;
    for (uint32_t j = hash->node_first[node]; j != HIERARCHY_NONE; j = hash->chain[j].next)
        mote_collect_at(gather->collector, hash->order.points[j], hash->chain[j].at);
    return true;
}

static void candidates(const mote_neighbors *search, row_collector *collector)
{
    const hierarchical_hash *hash = search->state;
    if (search->count == 0) return;
    hierarchy_range ranges[HIERARCHY_CLASSES];
    gathering gather = {hash, collector};
    ranges_around(search, &collector->query, ranges);
    mote_hierarchy_walk(&hash->cells, ranges, gather_node, &gather);
}

typedef struct hand_out_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
} hand_out_task;

// Appends the points at the places to a row; returns its new end.
static uint32_t *append_points(const hierarchical_hash *hash, const pair_rows *pairs, uint32_t place, uint32_t *row)
{
    for (uint64_t k = pairs->first[place]; k < pairs->first[place + 1]; ++k)
        *row++ = hash->order.points[pairs->points[k]];
    return row;
}

// Writes a row of indices only.
static bool hand_out_plain(const hierarchical_hash *hash, row_writer *writer, uint32_t place)
{
    const pair_rows *earlier = &hash->earlier, *later = &hash->later;
    const uint64_t before = earlier->first[place + 1] - earlier->first[place];
    const uint64_t after = later->first[place + 1] - later->first[place];
    uint32_t *row = mote_row_begin(writer, (size_t)(before + after));
    if (!row) return false;
    append_points(hash, later, place, append_points(hash, earlier, place, row));
    mote_row_end(writer, hash->order.points[place], row, (uint32_t)(before + after));
    return true;
}

static void collect_points(const hierarchical_hash *hash, const pair_rows *pairs, uint32_t place,
                           row_collector *collector)
{
    for (uint64_t k = pairs->first[place]; k < pairs->first[place + 1]; ++k)
        mote_collect(collector, hash->order.points[pairs->points[k]]);
}

// Writes a row with all features.
static bool hand_out_general(const hand_out_task *task, row_writer *writer, uint32_t place)
{
    const hierarchical_hash *hash = task->search->state;
    row_collector collector;
    row_query query = mote_request_get(task->search, task->request, hash->order.points[place]);
    if (!mote_collect_begin(&collector, task->search, &query, writer)) return false;
    collect_points(hash, &hash->earlier, place, &collector);
    collect_points(hash, &hash->later, place, &collector);
    return mote_collect_end(&collector);
}

static void hand_out_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const hand_out_task *task = data;
    row_writer *writer = task->writers + worker;
    for (size_t place = begin; place < end; ++place) {
        bool done = task->search->is_plain ? hand_out_plain(task->search->state, writer, (uint32_t)place)
                                           : hand_out_general(task, writer, (uint32_t)place);
        if (!done) return;
    }
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    const hierarchical_hash *hash = search->state;
    if (!hash->finds_on_insertion) {
        mote_rows_in_order(search, request, writers, hash->order.points);
        return;
    }
    hand_out_task task = {search, request, writers};
    if (search->is_plain) writers->candidates += hash->tested;
    mote_parallel_for(search->context, request->count, ROWS, hand_out_block, &task);
}

// -------------------------------------------------------------------------------------------------------- public

static void release(mote_neighbors *search)
{
    hierarchical_hash *hash = search->state;
    mote_buffer *buffers[] = {&hash->order.memory,         &hash->node_first_memory,     &hash->chain_memory,
                              &hash->earlier.first_memory, &hash->earlier.points_memory,
                              &hash->later.first_memory,   &hash->later.points_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(search->context, buffers[k]);
    mote_hierarchy_release(search->context, &hash->cells);
}

static size_t byte_count(const mote_neighbors *search)
{
    const hierarchical_hash *hash = search->state;
    const size_t pairs = hash->earlier.first_memory.bytes + hash->earlier.points_memory.bytes +
                         hash->later.first_memory.bytes + hash->later.points_memory.bytes;
    return mote_hierarchy_byte_count(&hash->cells) + hash->order.memory.bytes + hash->node_first_memory.bytes +
           hash->chain_memory.bytes + pairs;
}

// Checks that every cell's list holds as many points as the cell counts, all of them in that cell, and that the
// lists together hold every point.
static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const hierarchical_hash *hash = search->state;
    mote_result result = mote_hierarchy_validate(&hash->cells, error);
    if (result != MOTE_OK) return result;
    uint64_t elements = 0;
    for (uint32_t node = 0; node < hash->cells.node_count; ++node) {
        const hierarchy_node *cell = hash->cells.nodes + node;
        elements += cell->elements;
        uint32_t points = 0;
        if (cell->elements == 0) continue;
        for (uint32_t place = hash->node_first[node]; place != HIERARCHY_NONE; place = hash->chain[place].next) {
            const uint32_t i = hash->order.points[place];
            double at[3];
            mote_point_store_get(&search->points, i, at);
            grid_cell home = mote_frame_cell(&hash->frame, at);
            bool fits = ++points <= cell->elements;
            if (!fits || mote_hierarchy_find(&hash->cells, home, cell->class_number) != node)
                return mote_fail(error, MOTE_ERROR_STATE, i,
                                 "hierarchical_hash: point %u stands in a "
                                 "wrong cell",
                                 i);
        }
        if (points != cell->elements)
            return mote_fail(error, MOTE_ERROR_STATE, node,
                             "hierarchical_hash: cell %u counts %u points, "
                             "but has %u",
                             node, cell->elements, points);
    }
    if (elements == search->count) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "hierarchical_hash: cells hold %llu points of %llu",
                     (unsigned long long)elements, (unsigned long long)search->count);
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const hierarchical_hash *hash = search->state;
    for (uint32_t c = 0; c < hash->cells.class_count; ++c) counters->cells += hash->cells.class_cells[c];
}

static void explain(mote_neighbors *search, char *text, size_t size)
{
    const hierarchical_hash *hash = search->state;
    const cell_hierarchy *cells = &hash->cells;
    if (search->count == 0) {
        mote_print(text, size, "no points");
        return;
    }
    uint32_t top = cells->class_count - 1;
    mote_print(text, size, "%u levels of cells, smallest edge %.4g, %u cells on the finest, %u on the coarsest; %s",
               cells->class_count, hash->frame.edge, cells->class_cells[0], cells->class_cells[top],
               hash->finds_on_insertion ? "neighbours found during insertion" : "rows found one by one");
}

const neighbors_method mote_neighbors_hierarchical_hash = {
    .info = {"hierarchical_hash", "Pouchol et al. 2009",
             "hash table of nested cells, neighbours found during insertion",
             MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_HALF |
                 MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES |
                 MOTE_NEIGHBORS_RADII,
             true},
    .state_bytes = sizeof(hierarchical_hash),
    .keeps_points = true,
    .build = build,
    .candidates = candidates,
    .find_rows = find_rows,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
};
