// SPDX-License-Identifier: MIT
// broadphase/cell_entries.h: which objects lie in which cells, for any kind of cells.
//
// A cell stores its objects side by side, so that reading it waits for memory once. An object has a record for each
// cell that it lies in, so that removing it costs time proportional to the number of its cells.
//
// No marks are needed for objects that were met before. Two overlapping ranges of cells have exactly one cell in
// common that is the lowest common one: on every axis it has the larger of the two lower ends. An item stores on
// which axes its cell is not the lowest of its object, and that is sufficient to recognise this cell.
#ifndef MOTE_BROADPHASE_CELL_ENTRIES_H
#define MOTE_BROADPHASE_CELL_ENTRIES_H

#include "broadphase/internal.h"
#include "cells/frame.h"

#define ENTRY_NONE UINT32_MAX

// The most cells that an object's range may cover; an object with more is kept apart from the cells.
enum { COVERED_MOST = 512 };

// An object in a cell.
typedef struct cell_item {
    uint32_t object;
    uint32_t link;  // record · 8, and bit k is set if on axis k the cell is not the object's lowest
} cell_item;

// The objects of a cell: a piece of the pool. Zero-initialised is empty.
typedef struct cell_list {
    uint32_t first, count;
    uint32_t room_bits;  // room for 2^room_bits items; no room if count is 0
} cell_list;

// One cell of an object.
typedef struct cell_record {
    uint32_t cell, level;  // for the owner's use
    uint32_t position;     // in the cell's list
    uint32_t sibling;      // the object's next record; links free records, too
} cell_record;

typedef struct entry_pool {
    mote_buffer item_memory, record_memory, object_memory;
    cell_item *items;
    cell_record *records;
    uint32_t *first_of;       // by id: the object's first record, or ENTRY_NONE
    uint32_t objects;         // number of ids that first_of has room for
    uint32_t record_end, free_record, used;
    uint32_t item_end;
    uint32_t free_lists[32];  // by size: free pieces, linked by their first item's object
} entry_pool;

void mote_entries_reset(entry_pool *pool);
void mote_entries_release(const mote_context *context, entry_pool *pool);
size_t mote_entries_byte_count(const entry_pool *pool);

// Makes room for `more` records of objects with ids below `ids`; must be called before objects are linked.
mote_result mote_entries_reserve(const mote_context *context, entry_pool *pool, uint32_t ids, size_t more);

// Adds an object to a list. On failure (MOTE_ERROR_OUT_OF_MEMORY) nothing changes.
mote_result mote_entries_link(const mote_context *context, entry_pool *pool, cell_list *list, uint32_t object,
                              cell_record record, uint32_t beyond);
// Removes the object's first record from its list; the next record becomes its first.
void mote_entries_unlink(entry_pool *pool, cell_list *list, uint32_t object);

static inline uint32_t mote_entries_of(const entry_pool *pool, uint32_t object)
{
    return object < pool->objects ? pool->first_of[object] : ENTRY_NONE;
}

static inline uint32_t mote_entries_beyond(const entry_pool *pool, const cell_list *list, uint32_t record)
{
    return pool->items[list->first + pool->records[record].position].link & 7;
}

// Whether a range ends in the cells at the edge of the grid, which also hold everything beyond.
static inline bool mote_range_is_at_rim(const grid_range *range)
{
    bool is_at_rim = false;
    for (int k = 0; k < 3; ++k)
        is_at_rim |= range->low.at[k] <= -MOTE_CELL_LIMIT || range->high.at[k] >= MOTE_CELL_LIMIT;
    return is_at_rim;
}

// The axes on which a cell is the lowest of a range, as a mask.
MOTE_INLINE uint32_t mote_range_lowest(const int32_t at[3], const grid_range *range)
{
    return (uint32_t)(at[0] == range->low.at[0]) | (uint32_t)(at[1] == range->low.at[1]) << 1 |
           (uint32_t)(at[2] == range->low.at[2]) << 2;
}

// Offers those objects of a cell to the sink that are to be reported in this cell.
static inline bool mote_entries_offer(const entry_pool *pool, const cell_list *list, uint32_t lowest,
                                      candidate_sink *sink)
{
    const cell_item *items = pool->items + list->first;
    const uint32_t elsewhere = 7u & ~lowest;
    for (uint32_t k = 0; k < list->count; ++k)
        if (!(items[k].link & elsewhere) && !mote_sink_offer(sink, items[k].object)) return false;
    return true;
}

// Offers the pairs of an object with such objects, from position `from` of the list on.
static inline void mote_entries_pair(const entry_pool *pool, const cell_list *list, uint32_t from, uint32_t lowest,
                                     uint32_t object, pair_writer *writer)
{
    const cell_item *items = pool->items + list->first;
    const uint32_t elsewhere = 7u & ~lowest;
    for (uint32_t k = from; k < list->count; ++k)
        if (!(items[k].link & elsewhere)) mote_pair_offer(writer, object, items[k].object);
}

// Offers the pairs of an object with those behind it in one of its own cells.
static inline void mote_entries_pair_behind(const entry_pool *pool, const cell_list *list, uint32_t record,
                                            uint32_t object, pair_writer *writer)
{
    mote_entries_pair(pool, list, pool->records[record].position + 1, ~mote_entries_beyond(pool, list, record), object,
                      writer);
}

#endif
