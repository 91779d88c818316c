// SPDX-License-Identifier: MIT
// broadphase/cell_entries.h: which objects lie in which cells, whatever the cells are.
//
// A cell has its objects side by side, so that a look into it waits for memory once. An object has a record for each
// cell that it lies in, so that it is taken out again at a cost of the cells that it covers.
//
// Nothing marks objects that were met before. Two ranges of cells meet in one cell above all: that which has the larger
// of the two lower ends on every axis. An item remembers on which axes its cell is not the lowest of its object: that
// is all one needs to know.
#ifndef MOTE_BROADPHASE_CELL_ENTRIES_H
#define MOTE_BROADPHASE_CELL_ENTRIES_H

#include "broadphase/internal.h"
#include "cells/frame.h"

#define ENTRY_NONE UINT32_MAX

// What an object's range may cover before it is kept apart from the cells.
enum { COVERED_MOST = 512 };

// An object in a cell.
typedef struct cell_item {
    uint32_t object;
    uint32_t link;  // record · 8, and bit k: on axis k the cell is not the object's lowest
} cell_item;

// The objects of a cell: a piece of the pool. Zero-initialised is empty.
typedef struct cell_list {
    uint32_t first, count;
    uint32_t room_bits;  // room for 2^room_bits items, if it has ever had any: count is 0 only without room
} cell_list;

// A cell of an object.
typedef struct cell_record {
    uint32_t cell, level;  // of use to the owner
    uint32_t position;     // in the cell's list
    uint32_t sibling;      // the object's next record; free ones are chained by it
} cell_record;

typedef struct entry_pool {
    mote_buffer item_memory, record_memory, object_memory;
    cell_item *items;
    cell_record *records;
    uint32_t *first_of;       // by id: the object's first record, or ENTRY_NONE
    uint32_t objects;         // ids that first_of reaches to
    uint32_t record_end, free_record, used;
    uint32_t item_end;
    uint32_t free_lists[32];  // by size: pieces that are free, chained by their first item's object
} entry_pool;

void mote_entries_reset(entry_pool *pool);
void mote_entries_release(const mote_context *context, entry_pool *pool);
size_t mote_entries_byte_count(const entry_pool *pool);

// Makes room for `more` records of objects below `ids`; needed before objects are linked.
mote_result mote_entries_reserve(const mote_context *context, entry_pool *pool, uint32_t ids, size_t more);

// Adds an object to a list. On failure (MOTE_ERROR_OUT_OF_MEMORY) all is as it was.
mote_result mote_entries_link(const mote_context *context, entry_pool *pool, cell_list *list, uint32_t object,
                              cell_record record, uint32_t beyond);
// Takes the object's first record out of its list; the next one becomes its first.
void mote_entries_unlink(entry_pool *pool, cell_list *list, uint32_t object);

static inline uint32_t mote_entries_of(const entry_pool *pool, uint32_t object)
{
    return object < pool->objects ? pool->first_of[object] : ENTRY_NONE;
}

static inline uint32_t mote_entries_beyond(const entry_pool *pool, const cell_list *list, uint32_t record)
{
    return pool->items[list->first + pool->records[record].position].link & 7;
}

// Whether a range ends in the cells at the rim, which hold whatever lies beyond.
static inline bool mote_range_is_at_rim(const grid_range *range)
{
    bool is_at_rim = false;
    for (int k = 0; k < 3; ++k)
        is_at_rim |= range->low.at[k] <= -MOTE_CELL_LIMIT || range->high.at[k] >= MOTE_CELL_LIMIT;
    return is_at_rim;
}

// The axes on which a cell is the lowest of a range.
MOTE_INLINE uint32_t mote_range_lowest(const int32_t at[3], const grid_range *range)
{
    return (uint32_t)(at[0] == range->low.at[0]) | (uint32_t)(at[1] == range->low.at[1]) << 1 |
           (uint32_t)(at[2] == range->low.at[2]) << 2;
}

// Offers the objects of a cell to the sink that are to be met there.
static inline bool mote_entries_offer(const entry_pool *pool, const cell_list *list, uint32_t lowest,
                                      candidate_sink *sink)
{
    const cell_item *items = pool->items + list->first;
    const uint32_t elsewhere = 7u & ~lowest;
    for (uint32_t k = 0; k < list->count; ++k)
        if (!(items[k].link & elsewhere) && !mote_sink_offer(sink, items[k].object)) return false;
    return true;
}

// The same to the pairs of an object, from a position of the list on.
static inline void mote_entries_pair(const entry_pool *pool, const cell_list *list, uint32_t from, uint32_t lowest,
                                     uint32_t object, pair_writer *writer)
{
    const cell_item *items = pool->items + list->first;
    const uint32_t elsewhere = 7u & ~lowest;
    for (uint32_t k = from; k < list->count; ++k)
        if (!(items[k].link & elsewhere)) mote_pair_offer(writer, object, items[k].object);
}

// The pairs of an object with those behind it in one of its own cells.
static inline void mote_entries_pair_behind(const entry_pool *pool, const cell_list *list, uint32_t record,
                                            uint32_t object, pair_writer *writer)
{
    mote_entries_pair(pool, list, pool->records[record].position + 1, ~mote_entries_beyond(pool, list, record), object,
                      writer);
}

#endif
