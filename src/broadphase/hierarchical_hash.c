// SPDX-License-Identifier: MIT
// hierarchical_hash: nested cells in a hash table; a flag tells queries which areas are empty (Pouchol et al. 2009,
// section 3).
//
// An object lies in cells of about its own size, as in the multilevel hash, but each cell also stores whether
// anything lies in finer cells below it. A query goes down from the coarsest class and never searches below a cell
// without children. Children are counted, so that the flag becomes false again when they are removed
// (cells/hierarchy.h, which also says what became of eq. 4's keys). Listing 2 takes the corners of the query's box;
// here it is the intersection of the child cells' range with the query's, which misses nothing and never enters a
// pruned area again.
//
// Classes come from a preprocessing pass over all objects, as in Pouchol et al. An object whose own class is not
// among them goes to the next larger one; when many do, the next update makes another pass. An object above the
// largest class goes into all cells of that class that it covers, and if these are very many it is kept apart.
//
// Pairs: the cells above those of an object are the coarser cells that it covers, so the search follows parents and
// looks nothing up. Alternatively, as in listing 3 for particles, each object searches for the earlier ones when it
// is inserted.

#include "broadphase/cell_entries.h"
#include "broadphase/size_classes.h"
#include "cells/hierarchy.h"

enum { OBJECTS = 64, MISFITS_FEW = 16, APART = HIERARCHY_CLASSES };

typedef struct hierarchical_hash {
    size_classes classes;
    int32_t exponents[HIERARCHY_CLASSES];  // of a class's edge, 2^exponent
    cell_frame frame;                      // of the finest class
    cell_hierarchy cells;
    mote_buffer list_memory;
    cell_list *lists;  // by node
    entry_pool pool;
    cell_list apart;
    bool has_rim;             // objects lie, or lay, in cells at the edge of the grid
    uint32_t built, misfits;  // objects when classes were chosen; those put into another class since then
    pair_writer found;        // pairs found on insertion
} hierarchical_hash;

// The cells where an object lies: of one class, inclusive, as the hierarchy counts them.
typedef struct hierarchy_place {
    uint32_t class_number;  // APART: in none
    hierarchy_range cells;
} hierarchy_place;

// ------------------------------------------------------------------------------------------------------- places

static hierarchy_range range_of(const hierarchical_hash *hash, const mote_bounds *box)
{
    hierarchy_range range;
    for (int k = 0; k < 3; ++k) {
        range.low[k] = mote_hierarchy_coordinate(mote_frame_coordinate(&hash->frame, k, (double)box->min[k]));
        range.high[k] = mote_hierarchy_coordinate(mote_frame_coordinate(&hash->frame, k, (double)box->max[k]));
    }
    return range;
}

static hierarchy_range coarser(hierarchy_range range, uint32_t shift)
{
    for (int k = 0; k < 3; ++k) range.low[k] >>= shift, range.high[k] >>= shift;
    return range;
}

static hierarchy_place place_of(const hierarchical_hash *hash, const mote_bounds *box)
{
    const cell_hierarchy *cells = &hash->cells;
    const hierarchy_range range = range_of(hash, box);
    const int exponent = CLASS_MIN + (int)mote_class_of(&hash->classes, box);
    hierarchy_place place = {0, range};
    for (uint32_t c = 0; c < cells->class_count; ++c) {
        place = (hierarchy_place){c, coarser(range, cells->shift[c])};
        bool suits = hash->exponents[c] >= exponent;
        for (int k = 0; k < 3; ++k) suits &= place.cells.high[k] - place.cells.low[k] <= 1;
        if (suits) return place;
    }
    double covered = 1;
    for (int k = 0; k < 3; ++k) covered *= (double)(place.cells.high[k] - place.cells.low[k]) + 1;
    if (covered <= COVERED_MOST) return place;
    return (hierarchy_place){.class_number = APART};
}

// The axes on which a node is the lowest of a range of its class, as a mask.
static uint32_t lowest_axes(const hierarchy_node *node, const hierarchy_range *range)
{
    return (uint32_t)(node->at[0] == range->low[0]) | (uint32_t)(node->at[1] == range->low[1]) << 1 |
           (uint32_t)(node->at[2] == range->low[2]) << 2;
}

static bool is_placed(const hierarchical_hash *hash, uint32_t id, const hierarchy_place *place)
{
    uint32_t entry = mote_entries_of(&hash->pool, id);
    if (entry == ENTRY_NONE || hash->pool.records[entry].level != place->class_number) return false;
    if (place->class_number == APART) return true;
    double count = 1;
    for (int k = 0; k < 3; ++k) count *= (double)(place->cells.high[k] - place->cells.low[k]) + 1;
    for (; entry != ENTRY_NONE; entry = hash->pool.records[entry].sibling, --count) {
        const uint32_t number = hash->pool.records[entry].cell;
        const hierarchy_node *node = hash->cells.nodes + number;
        for (int k = 0; k < 3; ++k)
            if (node->at[k] < place->cells.low[k] || node->at[k] > place->cells.high[k]) return false;
        const uint32_t beyond = mote_entries_beyond(&hash->pool, hash->lists + number, entry);
        if ((7u & ~lowest_axes(node, &place->cells)) != beyond) return false;
    }
    return count == 0;
}

// ----------------------------------------------------------------------------------------------------- insertion

static void take_out(hierarchical_hash *hash, uint32_t id)
{
    uint32_t entry;
    while ((entry = mote_entries_of(&hash->pool, id)) != ENTRY_NONE) {
        const uint32_t node = hash->pool.records[entry].cell;
        const bool is_apart = hash->pool.records[entry].level == APART;
        mote_entries_unlink(&hash->pool, is_apart ? &hash->apart : hash->lists + node, id);
        if (!is_apart) mote_hierarchy_remove(&hash->cells, node);
    }
}

// Makes an entry in the cell with these coordinates of the class.
static mote_result insert_at(const mote_context *context, hierarchical_hash *hash, uint32_t id,
                             const hierarchy_place *place, const uint32_t at[3])
{
    const uint32_t shift = hash->cells.shift[place->class_number];
    grid_cell cell;
    for (int k = 0; k < 3; ++k) cell.at[k] = (int32_t)((int64_t)((uint64_t)at[k] << shift) - ((int64_t)1 << 31));
    uint32_t node;
    mote_result result = mote_hierarchy_insert(context, &hash->cells, cell, place->class_number, &node);
    if (result != MOTE_OK) return result;
    const size_t room = hash->cells.node_memory.bytes / sizeof(hierarchy_node);
    result = mote_buffer_reserve(context, &hash->list_memory, room * sizeof *hash->lists, hash->list_memory.bytes);
    if (result == MOTE_OK) {
        hash->lists = hash->list_memory.data;
        if (hash->cells.nodes[node].elements == 1) hash->lists[node] = (cell_list){0};
        const uint32_t beyond = 7u & ~lowest_axes(hash->cells.nodes + node, &place->cells);
        const cell_record record = {.cell = node, .level = place->class_number};
        result = mote_entries_link(context, &hash->pool, hash->lists + node, id, record, beyond);
    }
    if (result != MOTE_OK) mote_hierarchy_remove(&hash->cells, node);
    return result;
}

// On failure the object is in no cell.
static mote_result insert(const mote_context *context, hierarchical_hash *hash, uint32_t id,
                          const hierarchy_place *place)
{
    mote_result result = mote_entries_reserve(context, &hash->pool, id + 1, COVERED_MOST);
    if (result != MOTE_OK) return result;
    if (place->class_number == APART)
        return mote_entries_link(context, &hash->pool, &hash->apart, id, (cell_record){.level = APART}, 0);
    const uint32_t *low = place->cells.low, *high = place->cells.high;
    const uint32_t shift = hash->cells.shift[place->class_number];
    for (int k = 0; k < 3; ++k)
        hash->has_rim |= low[k] <= mote_hierarchy_coordinate(-MOTE_CELL_LIMIT) >> shift ||
                         high[k] >= mote_hierarchy_coordinate(MOTE_CELL_LIMIT) >> shift;
    uint32_t at[3];  // coordinates stay below 2^32 − 1, so that none overflows
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                result = insert_at(context, hash, id, place, at);
                if (result == MOTE_OK) continue;
                take_out(hash, id);
                return result;
            }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ queries

// A search, and the ranges of cells that it covers.
typedef struct looking {
    const hierarchical_hash *hash;
    hierarchy_range ranges[HIERARCHY_CLASSES];
    candidate_sink *sink;
    uint32_t self;  // on insertion: the new object
    pair_writer *writer;
} looking;

static void set_ranges(looking *look, const mote_bounds *reach)
{
    const hierarchy_range range = range_of(look->hash, reach);
    for (uint32_t c = 0; c < look->hash->cells.class_count; ++c) look->ranges[c] = range;
}

static uint32_t lowest_of_query(const looking *look, uint32_t node)
{
    const hierarchy_node *at = look->hash->cells.nodes + node;
    const hierarchy_range range = coarser(look->ranges[0], look->hash->cells.shift[at->class_number]);
    return lowest_axes(at, &range);
}

static bool offer_node(void *data, uint32_t node)
{
    const looking *look = data;
    return mote_entries_offer(&look->hash->pool, look->hash->lists + node, lowest_of_query(look, node), look->sink);
}

static void candidates(const mote_broadphase *broad, candidate_sink *sink)
{
    const hierarchical_hash *hash = broad->state;
    if (!mote_entries_offer(&hash->pool, &hash->apart, 7, sink)) return;
    looking look = {.hash = hash, .sink = sink};
    probed_cells cells[HIERARCHY_CLASSES];
    const bool may_cut = sink->probe->shape == PROBE_SWEEP && !hash->has_rim;
    const uint32_t classes = may_cut ? hash->cells.class_count : 0;
    for (uint32_t c = 0; c < classes; ++c)
        cells[c] = (probed_cells){ldexp(1, -hash->exponents[c]), hash->cells.class_cells[c]};
    probe_pieces pieces;
    mote_pieces_begin(&pieces, sink, cells, classes);
    while (mote_pieces_next(&pieces, sink)) {
        set_ranges(&look, &sink->probe->reach);
        sink->lookups += mote_hierarchy_walk(&hash->cells, look.ranges, offer_node, &look);
    }
}

// -------------------------------------------------------------------------------------------------------- pairs

// Whether this cell is the lowest of an object's own cells in the node above them, so that the node is met only
// once.
static bool is_first_below(const hierarchy_node *own, const hierarchy_node *above, uint32_t shift, uint32_t beyond)
{
    for (int k = 0; k < 3; ++k)
        if ((beyond >> k & 1) && own->at[k] != above->at[k] << shift) return false;
    return true;
}

// Finds an object's pairs with those behind it in its own cells, and with all in the cells above.
static void pair_object(const hierarchical_hash *hash, uint32_t id, pair_writer *writer)
{
    const cell_hierarchy *cells = &hash->cells;
    uint32_t record = mote_entries_of(&hash->pool, id);
    if (hash->pool.records[record].level == APART) {
        mote_entries_pair_behind(&hash->pool, &hash->apart, record, id, writer);
        return;
    }
    mote_entries_pair(&hash->pool, &hash->apart, 0, 7, id, writer);
    const hierarchy_range range = range_of(hash, writer->store->boxes + id);
    for (; record != ENTRY_NONE; record = hash->pool.records[record].sibling) {
        const uint32_t number = hash->pool.records[record].cell;
        const hierarchy_node *own = cells->nodes + number;
        const uint32_t beyond = mote_entries_beyond(&hash->pool, hash->lists + number, record);
        mote_entries_pair_behind(&hash->pool, hash->lists + number, record, id, writer);
        for (uint32_t above = own->parent; above != HIERARCHY_NONE; above = cells->nodes[above].parent) {
            const hierarchy_node *node = cells->nodes + above;
            const uint32_t shift = cells->shift[node->class_number];
            writer->lookups += 1;
            if (!is_first_below(own, node, shift - cells->shift[own->class_number], beyond)) break;
            if (node->elements == 0) continue;
            const hierarchy_range there = coarser(range, shift);
            mote_entries_pair(&hash->pool, hash->lists + above, 0, lowest_axes(node, &there), id, writer);
        }
    }
}

typedef struct pairing {
    const mote_broadphase *broad;
    pair_writer *writers;
} pairing;

static void pair_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const pairing *task = data;
    const hierarchical_hash *hash = task->broad->state;
    pair_writer *writer = task->writers + worker;
    for (uint32_t id = (uint32_t)begin; id < end && !writer->has_ended; ++id)
        if (mote_entries_of(&hash->pool, id) != ENTRY_NONE) pair_object(hash, id, writer);
}

static void pairs(const mote_broadphase *broad, pair_writer *writers)
{
    const hierarchical_hash *hash = broad->state;
    if (!broad->def.pairs_on_insertion) {
        pairing task = {broad, writers};
        mote_parallel_for(broad->context, broad->store.end, OBJECTS, pair_block, &task);
        return;
    }
    for (size_t k = 0; k < hash->found.count && !writers->has_ended; ++k) {
        const uint32_t a = (uint32_t)(hash->found.keys[k] >> 32), b = (uint32_t)hash->found.keys[k];
        if (mote_pair_may_meet(&broad->store, a, b)) mote_pair_add(writers, a, b);
    }
    writers->lookups += hash->found.lookups;
    writers->candidates += hash->found.candidates;
}

// Tests boxes only, because filters and kinds may change before pairs are asked for.
static void meet(const looking *look, uint32_t id)
{
    const mote_bounds *boxes = look->writer->store->boxes;
    look->writer->candidates += 1;
    if (mote_bounds_overlap(boxes + look->self, boxes + id)) mote_pair_add(look->writer, look->self, id);
}

static bool meet_node(void *data, uint32_t node)
{
    const looking *look = data;
    const uint32_t elsewhere = 7u & ~lowest_of_query(look, node);
    const cell_list *list = look->hash->lists + node;
    const cell_item *items = look->hash->pool.items + list->first;
    for (uint32_t k = 0; k < list->count; ++k)
        if (!(items[k].link & elsewhere)) meet(look, items[k].object);
    return !look->writer->has_ended;
}

// Listing 3: finds the earlier objects whose boxes overlap the object's.
static mote_result find_earlier(const mote_broadphase *broad, hierarchical_hash *hash, uint32_t id)
{
    looking look = {.hash = hash, .self = id, .writer = &hash->found};
    set_ranges(&look, broad->store.boxes + id);
    for (uint32_t k = 0; k < hash->apart.count; ++k) meet(&look, hash->pool.items[hash->apart.first + k].object);
    hash->found.lookups += mote_hierarchy_walk(&hash->cells, look.ranges, meet_node, &look);
    return hash->found.has_ended ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- update

// The classes of the hierarchy are those in use, up to 31 doublings.
static void choose_classes(const mote_broadphase *broad, hierarchical_hash *hash)
{
    mote_classes_choose(broad, &hash->classes);
    uint32_t first = 0, shift[HIERARCHY_CLASSES], count = 0;
    while (!hash->classes.in_use[first]) ++first;
    for (uint32_t k = first; k < CLASSES; ++k) {
        if (!hash->classes.in_use[k]) continue;
        const bool is_beyond = k - first >= HIERARCHY_CLASSES;
        shift[count] = is_beyond ? HIERARCHY_CLASSES - 1 : k - first;
        if (!is_beyond || count == 0 || shift[count - 1] < shift[count]) ++count;
        if (is_beyond) break;
    }
    for (uint32_t c = 0; c < count; ++c) hash->exponents[c] = CLASS_MIN + (int32_t)(first + shift[c]);
    hash->frame = (cell_frame){.dimensions = 3, .inverse_edge = mote_class_inverse_edge(first)};
    mote_hierarchy_reset(&hash->cells, shift, count);
}

static void start_anew(mote_broadphase *broad, hierarchical_hash *hash)
{
    choose_classes(broad, hash);
    mote_entries_reset(&hash->pool);
    hash->apart = (cell_list){0};
    hash->has_rim = false;
    hash->misfits = 0;
    hash->built = broad->store.alive;
    mote_pair_list_begin(&hash->found.list, broad->context, NULL);
    hash->found.store = &broad->store;
    hash->found.count = 0;
    hash->found.lookups = hash->found.candidates = 0;
    hash->found.has_ended = false;
    broad->counters.rebuilds += 1;
}

static mote_result update(mote_broadphase *broad, bool rebuild, mote_error *error)
{
    (void)error;
    hierarchical_hash *hash = broad->state;
    const object_store *store = &broad->store;
    const bool on_insertion = broad->def.pairs_on_insertion;
    const bool has_misfits = !hash->classes.are_given && hash->misfits > MISFITS_FEW + store->alive / 8;
    const bool all = rebuild || on_insertion || has_misfits ||
                     mote_classes_are_outgrown(broad, &hash->classes, hash->built);
    if (all) start_anew(broad, hash);
    const uint32_t count = all ? store->end : store->changed_count;
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < count && result == MOTE_OK; ++k) {
        const uint32_t id = all ? k : store->changed[k];
        if (!mote_store_has(store, id)) {
            take_out(hash, id);
            continue;
        }
        const hierarchy_place place = place_of(hash, store->boxes + id);
        if (is_placed(hash, id, &place)) continue;
        take_out(hash, id);
        hash->misfits += !hash->classes.in_use[mote_class_of(&hash->classes, store->boxes + id)];
        if (on_insertion) result = find_earlier(broad, hash, id);
        if (result == MOTE_OK) result = insert(broad->context, hash, id, &place);
    }
    return result;
}

// --------------------------------------------------------------------------------------------------- inspection

static void release(mote_broadphase *broad)
{
    hierarchical_hash *hash = broad->state;
    mote_hierarchy_release(broad->context, &hash->cells);
    mote_entries_release(broad->context, &hash->pool);
    mote_buffer_release(broad->context, &hash->list_memory);
    mote_buffer_release(broad->context, &hash->found.list.memory);
}

static size_t byte_count(const mote_broadphase *broad)
{
    const hierarchical_hash *hash = broad->state;
    return mote_hierarchy_byte_count(&hash->cells) + mote_entries_byte_count(&hash->pool) +
           hash->list_memory.bytes + hash->found.list.memory.bytes;
}

static mote_result validate(mote_broadphase *broad, mote_error *error)
{
    const hierarchical_hash *hash = broad->state;
    const object_store *store = &broad->store;
    uint64_t elements = hash->apart.count;
    if (hash->cells.class_count == 0) return MOTE_OK;  // no objects yet
    for (uint32_t id = 0; id < store->end; ++id) {
        bool fits = mote_entries_of(&hash->pool, id) == ENTRY_NONE;
        if (mote_store_has(store, id)) {
            const hierarchy_place place = place_of(hash, store->boxes + id);
            fits = is_placed(hash, id, &place);
        }
        if (!fits) return mote_fail(error, MOTE_ERROR_STATE, id, "broadphase: object %u lies in the wrong cells", id);
    }
    for (uint32_t place = 0; place < hash->cells.table.size; ++place)
        if (hash->cells.table.slots[place].number != HIERARCHY_NONE)
            elements += hash->cells.nodes[hash->cells.table.slots[place].number].elements;
    if (elements == hash->pool.used) return mote_hierarchy_validate(&hash->cells, error);
    return mote_fail(error, MOTE_ERROR_STATE, 0, "broadphase: cells count %llu objects, entries are %u",
                     (unsigned long long)elements, hash->pool.used);
}

static uint32_t cell_count(const hierarchical_hash *hash)
{
    uint32_t cells = 0;
    for (uint32_t c = 0; c < hash->cells.class_count; ++c) cells += hash->cells.class_cells[c];
    return cells;
}

static void count(const mote_broadphase *broad, mote_broadphase_counters *counters)
{
    const hierarchical_hash *hash = broad->state;
    counters->cells = cell_count(hash);
    counters->entries = hash->pool.used;
}

static void show_node(const hierarchical_hash *hash, const hierarchy_node *node,
                      void (*visitor)(void *, const mote_broadphase_cell *), void *data)
{
    const double edge = ldexp(1, hash->exponents[node->class_number]);
    mote_broadphase_cell shown = {.class_number = hash->exponents[node->class_number], .objects = node->elements,
                                  .has_children = node->children > 0};
    for (int k = 0; k < 3; ++k) {
        const double at = (double)node->at[k] - ldexp(1, 31 - (int)hash->cells.shift[node->class_number]);
        shown.min[k] = at * edge;
        shown.max[k] = (at + 1) * edge;
    }
    visitor(data, &shown);
}

static void cells(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data)
{
    const hierarchical_hash *hash = broad->state;
    for (uint32_t c = hash->cells.class_count; c-- > 0;)
        for (uint32_t place = 0; place < hash->cells.table.size; ++place) {
            const uint32_t node = hash->cells.table.slots[place].number;
            if (node != HIERARCHY_NONE && hash->cells.nodes[node].class_number == c)
                show_node(hash, hash->cells.nodes + node, visitor, data);
        }
}

static void explain(const mote_broadphase *broad, char *text, size_t size)
{
    const hierarchical_hash *hash = broad->state;
    const uint32_t classes = hash->cells.class_count;
    mote_print(text, size, "%u cells on %u nested levels, edges from %g to %g, %u on the coarsest, with %u entries "
               "for %u objects; %u larger objects in a list", cell_count(hash), classes, ldexp(1, hash->exponents[0]),
               ldexp(1, hash->exponents[classes - 1]), hash->cells.class_cells[classes - 1], hash->pool.used,
               broad->store.alive, hash->apart.count);
}

const broadphase_method mote_broadphase_hierarchical_hash = {
    .info = {"hierarchical_hash", "Pouchol et al. 2009, section 3",
             "hash table of nested cells; empty branches are skipped"},
    .state_bytes = sizeof(hierarchical_hash),
    .update = update,
    .candidates = candidates,
    .pairs = pairs,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .explain = explain,
    .cells = cells,
};
