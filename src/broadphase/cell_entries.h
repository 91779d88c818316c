// broadphase/cell_entries.h: which objects lie in which cells, whatever the cells are.
//
// A cell leads to a chain of entries, an object to its own entries; both ways, so that an object is taken out at a cost
// of the cells that it covers.
//
// Nothing marks objects that were met before. Two ranges of cells meet in one cell above all: that which has the larger
// of the two lower ends on every axis. An entry remembers on which axes its cell is not the lowest of its object: that
// is all one needs to know.
#ifndef MOTE_BROADPHASE_CELL_ENTRIES_H
#define MOTE_BROADPHASE_CELL_ENTRIES_H

#include "broadphase/internal.h"
#include "cells/frame.h"

#define ENTRY_NONE UINT32_MAX

// What an object's range may cover before it is kept apart from the cells.
enum { COVERED_MOST = 512 };

// Of an object in a cell.
typedef struct cell_entry {
    uint32_t object, cell;
    uint32_t next, previous;  // in the cell; free ones are chained by `next`
    uint32_t sibling;         // the object's next entry
    uint16_t level;           // whose cell it is; of use to the owner
    uint16_t beyond;          // bit k: on axis k the cell is not the object's lowest
} cell_entry;

typedef struct entry_pool {
    mote_buffer memory, object_memory;
    cell_entry *entries;
    uint32_t *first_of;  // by id: the object's first entry, or ENTRY_NONE
    uint32_t objects;    // ids that first_of reaches to
    uint32_t end, free_entry, used;
} entry_pool;

void mote_entries_reset(entry_pool *pool);
void mote_entries_release(const mote_context *context, entry_pool *pool);
size_t mote_entries_byte_count(const entry_pool *pool);

// Makes sure that linking `more` entries of objects below `ids` cannot fail.
mote_result mote_entries_reserve(const mote_context *context, entry_pool *pool, uint32_t ids, size_t more);

// Adds an entry to the chain that begins at *head.
void mote_entries_link(entry_pool *pool, uint32_t *head, uint32_t object, uint32_t cell, uint32_t level,
                       uint32_t beyond);
// Takes the object's first entry out of its chain, which `head` begins; the next one becomes its first.
void mote_entries_unlink(entry_pool *pool, uint32_t *head, uint32_t object);

static inline uint32_t mote_entries_of(const entry_pool *pool, uint32_t object)
{
    return object < pool->objects ? pool->first_of[object] : ENTRY_NONE;
}

// The axes on which a cell is the lowest of a range.
MOTE_INLINE uint32_t mote_range_lowest(const int32_t at[3], const grid_range *range)
{
    return (uint32_t)(at[0] == range->low.at[0]) | (uint32_t)(at[1] == range->low.at[1]) << 1 |
           (uint32_t)(at[2] == range->low.at[2]) << 2;
}

// Offers the objects of a chain to the sink that are to be met in this cell.
static inline bool mote_entries_offer(const entry_pool *pool, uint32_t head, uint32_t lowest, candidate_sink *sink)
{
    for (uint32_t e = head; e != ENTRY_NONE; e = pool->entries[e].next)
        if (!(pool->entries[e].beyond & ~lowest) && !mote_sink_offer(sink, pool->entries[e].object)) return false;
    return true;
}

// The same to the pairs of an object.
static inline void mote_entries_pair(const entry_pool *pool, uint32_t head, uint32_t lowest, uint32_t object,
                                     pair_writer *writer)
{
    for (uint32_t e = head; e != ENTRY_NONE; e = pool->entries[e].next)
        if (!(pool->entries[e].beyond & ~lowest)) mote_pair_offer(writer, object, pool->entries[e].object);
}

// The pairs of an object with those behind it in its own cells.
static inline void mote_entries_pair_own(const entry_pool *pool, uint32_t object, pair_writer *writer)
{
    for (uint32_t e = mote_entries_of(pool, object); e != ENTRY_NONE; e = pool->entries[e].sibling)
        mote_entries_pair(pool, pool->entries[e].next, ~(uint32_t)pool->entries[e].beyond, object, writer);
}

#endif
