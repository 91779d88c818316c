// Chains of entries, in one pool.

#include "broadphase/cell_entries.h"

void mote_entries_reset(entry_pool *pool)
{
    if (pool->objects) memset(pool->first_of, 0xFF, pool->objects * sizeof *pool->first_of);
    pool->end = pool->used = 0;
    pool->free_entry = ENTRY_NONE;
}

void mote_entries_release(const mote_context *context, entry_pool *pool)
{
    mote_buffer_release(context, &pool->memory);
    mote_buffer_release(context, &pool->object_memory);
}

size_t mote_entries_byte_count(const entry_pool *pool)
{
    return pool->memory.bytes + pool->object_memory.bytes;
}

mote_result mote_entries_reserve(const mote_context *context, entry_pool *pool, uint32_t ids, size_t more)
{
    if (ids > pool->objects) {
        mote_result result = mote_buffer_reserve(context, &pool->object_memory, mote_bytes(ids, sizeof(uint32_t)),
                                                 pool->object_memory.bytes);
        if (result != MOTE_OK) return result;
        pool->first_of = pool->object_memory.data;
        const size_t room = MOTE_MIN(pool->object_memory.bytes / sizeof(uint32_t), (size_t)UINT32_MAX);
        memset(pool->first_of + pool->objects, 0xFF, (room - pool->objects) * sizeof(uint32_t));
        pool->objects = (uint32_t)room;
    }
    const size_t wanted = pool->used + more;  // those that are free are used first
    if (wanted >= ENTRY_NONE) return MOTE_ERROR_OUT_OF_MEMORY;
    const size_t room = pool->memory.bytes / sizeof *pool->entries;
    if (wanted <= room) return MOTE_OK;
    const size_t bytes = mote_bytes(MOTE_MAX(wanted, 2 * room), sizeof *pool->entries);
    mote_result result = mote_buffer_reserve(context, &pool->memory, bytes, pool->memory.bytes);
    if (result == MOTE_OK) pool->entries = pool->memory.data;
    return result;
}

void mote_entries_link(entry_pool *pool, uint32_t *head, uint32_t object, uint32_t cell, uint32_t level,
                       uint32_t beyond)
{
    uint32_t number = pool->free_entry;
    if (number == ENTRY_NONE)
        number = pool->end++;
    else
        pool->free_entry = pool->entries[number].next;
    pool->used += 1;
    pool->entries[number] = (cell_entry){.object = object, .cell = cell, .next = *head, .previous = ENTRY_NONE,
                                         .sibling = pool->first_of[object], .level = (uint16_t)level,
                                         .beyond = (uint16_t)beyond};
    if (*head != ENTRY_NONE) pool->entries[*head].previous = number;
    *head = number;
    pool->first_of[object] = number;
}

void mote_entries_unlink(entry_pool *pool, uint32_t *head, uint32_t object)
{
    const uint32_t number = pool->first_of[object];
    cell_entry *entry = pool->entries + number;
    if (entry->next != ENTRY_NONE) pool->entries[entry->next].previous = entry->previous;
    if (entry->previous != ENTRY_NONE)
        pool->entries[entry->previous].next = entry->next;
    else
        *head = entry->next;
    pool->first_of[object] = entry->sibling;
    entry->next = pool->free_entry;
    pool->free_entry = number;
    pool->used -= 1;
}
