// SPDX-License-Identifier: MIT
// Hashed cells of several sizes. The cells of cells/hierarchy.c also store what lies below them.

#include "broadphase/cell_levels.h"

enum { CELLS_MIN = 32, OBJECTS = 64 };

// -------------------------------------------------------------------------------------------------------- cells

static uint32_t hash_of(const int32_t at[3])
{
    return mote_table_hash((uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
}

MOTE_INLINE bool is_cell(const void *level, uint32_t cell, const void *key)
{
    const int32_t *its = ((const cell_level *)level)->cells[cell].at, *at = key;
    return its[0] == at[0] && its[1] == at[1] && its[2] == at[2];
}

static uint32_t look_up(const cell_level *level, const int32_t at[3])
{
    return mote_table_find(&level->table, hash_of(at), is_cell, level, at);
}

// Makes room for one more cell, also in the table.
static mote_result make_room(const mote_context *context, cell_level *level)
{
    const size_t room = level->cell_memory.bytes / sizeof *level->cells;
    if (level->free_cell == ENTRY_NONE && level->cell_end == room) {
        const size_t cells = MOTE_MAX(2 * room, (size_t)CELLS_MIN);
        mote_result result = mote_buffer_reserve(context, &level->cell_memory, mote_bytes(cells, sizeof *level->cells),
                                                 level->cell_memory.bytes);
        if (result != MOTE_OK) return result;
        level->cells = level->cell_memory.data;
    }
    return mote_table_reserve(context, &level->table, (size_t)level->cell_count + 1);
}

static mote_result find_or_make(const mote_context *context, cell_level *level, const int32_t at[3], uint32_t *cell)
{
    *cell = look_up(level, at);
    if (*cell != ENTRY_NONE) return MOTE_OK;
    mote_result result = make_room(context, level);
    if (result != MOTE_OK) return result;
    *cell = level->free_cell;
    if (*cell == ENTRY_NONE)
        *cell = level->cell_end++;
    else
        level->free_cell = level->cells[*cell].next;
    level->cells[*cell] = (level_cell){.at = {at[0], at[1], at[2]}, .next = level->first_cell,
                                       .previous = ENTRY_NONE};
    if (level->first_cell != ENTRY_NONE) level->cells[level->first_cell].previous = *cell;
    level->first_cell = *cell;
    level->cell_count += 1;
    mote_table_put(&level->table, hash_of(at), *cell);
    return MOTE_OK;
}

static void remove_cell(cell_level *level, uint32_t number)
{
    level_cell *cell = level->cells + number;
    mote_table_remove(&level->table, hash_of(cell->at), number);
    if (cell->next != ENTRY_NONE) level->cells[cell->next].previous = cell->previous;
    if (cell->previous != ENTRY_NONE)
        level->cells[cell->previous].next = cell->next;
    else
        level->first_cell = cell->next;
    cell->next = level->free_cell;
    level->free_cell = number;
    level->cell_count -= 1;
}

// ------------------------------------------------------------------------------------------------------- levels

static void reset_level(cell_level *level)
{
    level->cell_end = level->cell_count = level->objects = 0;
    level->has_rim = false;
    level->free_cell = level->first_cell = ENTRY_NONE;
    mote_table_clear(&level->table);
}

void mote_levels_reset(cell_levels *levels, uint32_t level_count)
{
    MOTE_ASSERT(level_count <= LEVELS_MOST);
    for (uint32_t k = 0; k < LEVELS_MOST; ++k) reset_level(levels->levels + k);
    mote_entries_reset(&levels->pool);
    levels->level_count = level_count;
    levels->active_count = 0;
}

static void set_active(cell_levels *levels, uint32_t level)
{
    uint32_t place = levels->active_count++;
    for (; place > 0 && levels->active[place - 1] > level; --place) levels->active[place] = levels->active[place - 1];
    levels->active[place] = (uint16_t)level;
}

static void set_inactive(cell_levels *levels, uint32_t level)
{
    uint32_t place = 0;
    while (levels->active[place] != level) ++place;
    levels->active_count -= 1;
    for (; place < levels->active_count; ++place) levels->active[place] = levels->active[place + 1];
}

// The level and the cells where an object with this box belongs.
static grid_range place_of(const cell_levels *levels, const mote_bounds *box, uint32_t *level)
{
    grid_range range = mote_level_range(levels->levels + *level, box);
    if (mote_range_cells(&range) <= COVERED_MOST) return range;
    *level = levels->level_count - 1;
    return mote_level_range(levels->levels + *level, box);
}

bool mote_levels_hold(const cell_levels *levels, uint32_t level, uint32_t id, const mote_bounds *box)
{
    const grid_range range = place_of(levels, box, &level);
    uint32_t count = 0, entry = mote_entries_of(&levels->pool, id);
    if (entry == ENTRY_NONE || levels->pool.records[entry].level != level) return false;
    for (; entry != ENTRY_NONE; entry = levels->pool.records[entry].sibling, ++count) {
        const level_cell *cell = levels->levels[level].cells + levels->pool.records[entry].cell;
        const int32_t *at = cell->at;
        for (int k = 0; k < 3; ++k)
            if (at[k] < range.low.at[k] || at[k] > range.high.at[k]) return false;
        const uint32_t beyond = mote_entries_beyond(&levels->pool, &cell->list, entry);
        if ((7u & ~mote_range_lowest(at, &range)) != beyond) return false;
    }
    return (double)count == mote_range_cells(&range);
}

static mote_result link_range(const mote_context *context, cell_levels *levels, uint32_t number, uint32_t id,
                              const grid_range *range)
{
    cell_level *level = levels->levels + number;
    int32_t at[3];
    for (at[2] = range->low.at[2]; at[2] <= range->high.at[2]; ++at[2])
        for (at[1] = range->low.at[1]; at[1] <= range->high.at[1]; ++at[1])
            for (at[0] = range->low.at[0]; at[0] <= range->high.at[0]; ++at[0]) {
                uint32_t cell;
                mote_result result = find_or_make(context, level, at, &cell);
                if (result != MOTE_OK) return result;
                const uint32_t beyond = 7u & ~mote_range_lowest(at, range);
                const cell_record record = {.cell = cell, .level = number};
                result = mote_entries_link(context, &levels->pool, &level->cells[cell].list, id, record, beyond);
                if (result == MOTE_OK) continue;
                if (level->cells[cell].list.count == 0) remove_cell(level, cell);
                return result;
            }
    return MOTE_OK;
}

mote_result mote_levels_insert(const mote_context *context, cell_levels *levels, uint32_t level, uint32_t id,
                               const mote_bounds *box)
{
    const grid_range range = place_of(levels, box, &level);
    mote_result result = mote_entries_reserve(context, &levels->pool, id + 1, (size_t)mote_range_cells(&range));
    if (result != MOTE_OK) return result;
    levels->levels[level].has_rim |= mote_range_is_at_rim(&range);
    if (levels->levels[level].objects++ == 0) set_active(levels, level);
    result = link_range(context, levels, level, id, &range);
    if (result == MOTE_OK) return result;
    if (mote_entries_of(&levels->pool, id) != ENTRY_NONE)
        mote_levels_remove(levels, id);
    else if (--levels->levels[level].objects == 0)
        set_inactive(levels, level);
    return result;
}

void mote_levels_remove(cell_levels *levels, uint32_t id)
{
    uint32_t entry = mote_entries_of(&levels->pool, id);
    if (entry == ENTRY_NONE) return;
    const uint32_t number = levels->pool.records[entry].level;
    cell_level *level = levels->levels + number;
    for (; entry != ENTRY_NONE; entry = mote_entries_of(&levels->pool, id)) {
        const uint32_t cell = levels->pool.records[entry].cell;
        mote_entries_unlink(&levels->pool, &level->cells[cell].list, id);
        if (level->cells[cell].list.count == 0) remove_cell(level, cell);
    }
    if (--level->objects == 0) set_inactive(levels, number);
}

mote_result mote_levels_update(mote_broadphase *broad, bool all, level_chooser *level_of)
{
    cell_levels *levels = broad->state;
    const object_store *store = &broad->store;
    const uint32_t count = all ? store->end : store->changed_count;
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < count && result == MOTE_OK; ++k) {
        const uint32_t id = all ? k : store->changed[k];
        if (!mote_store_has(store, id)) {
            mote_levels_remove(levels, id);
            continue;
        }
        const mote_bounds *box = store->boxes + id;
        const uint32_t level = level_of(levels, box);
        if (mote_levels_hold(levels, level, id, box)) continue;
        mote_levels_remove(levels, id);
        result = mote_levels_insert(broad->context, levels, level, id, box);
    }
    return result;
}

// ------------------------------------------------------------------------------------------------------ queries

// Takes an occupied cell of a range; returns whether to go on.
typedef bool cell_taker(void *data, const level_cell *cell, uint32_t lowest);

// Visits the occupied cells of a range: by their keys, or, if the range has more cells than are occupied, by going
// through all of these.
static bool visit_cells(const cell_level *level, const grid_range *range, cell_taker *take, void *data,
                        uint64_t *lookups)
{
    if (mote_range_cells(range) > level->cell_count) {
        for (uint32_t c = level->first_cell; c != ENTRY_NONE; c = level->cells[c].next) {
            const level_cell *cell = level->cells + c;
            *lookups += 1;
            bool meets = true;
            for (int k = 0; k < 3; ++k) meets &= cell->at[k] >= range->low.at[k] && cell->at[k] <= range->high.at[k];
            if (meets && !take(data, cell, mote_range_lowest(cell->at, range))) return false;
        }
        return true;
    }
    int32_t at[3];
    for (at[2] = range->low.at[2]; at[2] <= range->high.at[2]; ++at[2])
        for (at[1] = range->low.at[1]; at[1] <= range->high.at[1]; ++at[1])
            for (at[0] = range->low.at[0]; at[0] <= range->high.at[0]; ++at[0]) {
                const uint32_t cell = look_up(level, at);
                *lookups += 1;
                if (cell != ENTRY_NONE && !take(data, level->cells + cell, mote_range_lowest(at, range))) return false;
            }
    return true;
}

typedef struct offering {
    const entry_pool *pool;
    candidate_sink *sink;
} offering;

static bool offer_cell(void *data, const level_cell *cell, uint32_t lowest)
{
    const offering *to = data;
    return mote_entries_offer(to->pool, &cell->list, lowest, to->sink);
}

void mote_levels_candidates(const mote_broadphase *broad, candidate_sink *sink)
{
    const cell_levels *levels = broad->state;
    offering to = {&levels->pool, sink};
    for (uint32_t k = levels->active_count; k-- > 0;) {
        const cell_level *level = levels->levels + levels->active[k];
        const probed_cells cells = {level->inverse_edge, level->cell_count};
        probe_pieces pieces;
        mote_pieces_begin(&pieces, sink, &cells, level->inverse_edge > 0 && !level->has_rim);
        while (mote_pieces_next(&pieces, sink)) {
            const grid_range range = mote_level_range(level, &sink->probe->reach);
            visit_cells(level, &range, offer_cell, &to, &sink->lookups);
        }
        if (sink->stopped) return;
    }
}

typedef struct pairing {
    const mote_broadphase *broad;
    pair_writer *writers;
} pairing;

typedef struct pairing_object {
    const entry_pool *pool;
    pair_writer *writer;
    uint32_t id;
} pairing_object;

static bool pair_cell(void *data, const level_cell *cell, uint32_t lowest)
{
    const pairing_object *object = data;
    mote_entries_pair(object->pool, &cell->list, 0, lowest, object->id, object->writer);
    return !object->writer->has_ended;
}

// Finds an object's pairs with the objects of its own cells, and with all in coarser cells.
static void pair_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const pairing *task = data;
    const cell_levels *levels = task->broad->state;
    pairing_object object = {&levels->pool, task->writers + worker, (uint32_t)begin};
    for (; object.id < end && !object.writer->has_ended; ++object.id) {
        uint32_t record = mote_entries_of(&levels->pool, object.id);
        if (record == ENTRY_NONE) continue;
        const uint32_t own = levels->pool.records[record].level;
        for (; record != ENTRY_NONE; record = levels->pool.records[record].sibling) {
            const level_cell *cell = levels->levels[own].cells + levels->pool.records[record].cell;
            mote_entries_pair_behind(&levels->pool, &cell->list, record, object.id, object.writer);
        }
        for (uint32_t k = levels->active_count; k-- > 0 && levels->active[k] > own;) {
            const cell_level *level = levels->levels + levels->active[k];
            const grid_range range = mote_level_range(level, task->broad->store.boxes + object.id);
            visit_cells(level, &range, pair_cell, &object, &object.writer->lookups);
        }
    }
}

void mote_levels_pairs(const mote_broadphase *broad, pair_writer *writers)
{
    pairing task = {broad, writers};
    mote_parallel_for(broad->context, broad->store.end, OBJECTS, pair_block, &task);
}

// --------------------------------------------------------------------------------------------------- inspection

void mote_levels_count(const mote_broadphase *broad, mote_broadphase_counters *counters)
{
    const cell_levels *levels = broad->state;
    for (uint32_t k = 0; k < levels->active_count; ++k)
        counters->cells += levels->levels[levels->active[k]].cell_count;
    counters->entries += levels->pool.used;
}

void mote_levels_show(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data)
{
    const cell_levels *levels = broad->state;
    for (uint32_t k = levels->active_count; k-- > 0;) {
        const cell_level *level = levels->levels + levels->active[k];
        for (uint32_t c = level->first_cell; c != ENTRY_NONE; c = level->cells[c].next) {
            const level_cell *cell = level->cells + c;
            mote_broadphase_cell shown = {.class_number = level->class_number, .objects = cell->list.count};
            for (int a = 0; a < 3; ++a) {
                const bool is_single = level->inverse_edge == 0;
                shown.min[a] = is_single ? -HUGE_VAL : cell->at[a] / level->inverse_edge;
                shown.max[a] = is_single ? HUGE_VAL : ((double)cell->at[a] + 1) / level->inverse_edge;
            }
            visitor(data, &shown);
        }
    }
}

// Whether an object's entries are where its box belongs, in cells that the table finds.
static bool object_fits(const cell_levels *levels, uint32_t id, const mote_bounds *box)
{
    uint32_t entry = mote_entries_of(&levels->pool, id);
    if (entry == ENTRY_NONE) return false;
    const uint32_t number = levels->pool.records[entry].level;
    const cell_level *level = levels->levels + number;
    if (!mote_levels_hold(levels, number, id, box)) return false;
    for (; entry != ENTRY_NONE; entry = levels->pool.records[entry].sibling) {
        const cell_record *record = levels->pool.records + entry;
        const level_cell *cell = level->cells + record->cell;
        const cell_item *item = levels->pool.items + cell->list.first + record->position;
        if (item->object != id || item->link >> 3 != entry || look_up(level, cell->at) != record->cell) return false;
    }
    return true;
}

mote_result mote_levels_validate(mote_broadphase *broad, mote_error *error)
{
    const cell_levels *levels = broad->state;
    uint64_t entries = 0, objects = 0;
    for (uint32_t id = 0; id < broad->store.end; ++id) {
        bool fits = mote_store_has(&broad->store, id) ? object_fits(levels, id, broad->store.boxes + id)
                                                      : mote_entries_of(&levels->pool, id) == ENTRY_NONE;
        if (!fits) return mote_fail(error, MOTE_ERROR_STATE, id, "broadphase: object %u lies in the wrong cells", id);
    }
    for (uint32_t k = 0; k < levels->active_count; ++k) {
        const cell_level *level = levels->levels + levels->active[k];
        uint32_t cells = 0;
        objects += level->objects;
        for (uint32_t c = level->first_cell; c != ENTRY_NONE; c = level->cells[c].next, ++cells) {
            entries += level->cells[c].list.count;
            if (level->cells[c].list.count == 0)
                return mote_fail(error, MOTE_ERROR_STATE, c, "broadphase: cell %u is empty", c);
        }
        if (cells != level->cell_count)
            return mote_fail(error, MOTE_ERROR_STATE, k, "broadphase: %u cells in a level that counts %u", cells,
                             level->cell_count);
    }
    if (entries == levels->pool.used && objects == broad->store.alive) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "broadphase: %llu entries in cells, %u in use",
                     (unsigned long long)entries, levels->pool.used);
}

void mote_levels_release(mote_broadphase *broad)
{
    cell_levels *levels = broad->state;
    for (uint32_t k = 0; k < LEVELS_MOST; ++k) {
        mote_buffer_release(broad->context, &levels->levels[k].cell_memory);
        mote_table_release(broad->context, &levels->levels[k].table);
    }
    mote_entries_release(broad->context, &levels->pool);
}

size_t mote_levels_byte_count(const mote_broadphase *broad)
{
    const cell_levels *levels = broad->state;
    size_t bytes = mote_entries_byte_count(&levels->pool);
    for (uint32_t k = 0; k < LEVELS_MOST; ++k)
        bytes += levels->levels[k].cell_memory.bytes + levels->levels[k].table.memory.bytes;
    return bytes;
}
