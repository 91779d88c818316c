// SPDX-License-Identifier: MIT
// Lists of objects, stored in pieces of one pool whose sizes are powers of two.

#include "broadphase/cell_entries.h"

enum { ROOM_BITS_MAX = 30, RECORD_BITS = 29 };

void mote_entries_reset(entry_pool *pool)
{
    if (pool->objects) memset(pool->first_of, 0xFF, pool->objects * sizeof *pool->first_of);
    memset(pool->free_lists, 0xFF, sizeof pool->free_lists);
    pool->record_end = pool->used = pool->item_end = 0;
    pool->free_record = ENTRY_NONE;
}

void mote_entries_release(const mote_context *context, entry_pool *pool)
{
    mote_buffer_release(context, &pool->item_memory);
    mote_buffer_release(context, &pool->record_memory);
    mote_buffer_release(context, &pool->object_memory);
}

size_t mote_entries_byte_count(const entry_pool *pool)
{
    return pool->item_memory.bytes + pool->record_memory.bytes + pool->object_memory.bytes;
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
    const size_t wanted = pool->used + more;  // free ones are used first
    if (wanted >> RECORD_BITS) return MOTE_ERROR_OUT_OF_MEMORY;
    const size_t room = pool->record_memory.bytes / sizeof *pool->records;
    if (wanted <= room) return MOTE_OK;
    const size_t bytes = mote_bytes(MOTE_MAX(wanted, 2 * room), sizeof *pool->records);
    mote_result result = mote_buffer_reserve(context, &pool->record_memory, bytes, pool->record_memory.bytes);
    if (result == MOTE_OK) pool->records = pool->record_memory.data;
    return result;
}

// Takes a piece for 2^room_bits items.
static mote_result take_piece(const mote_context *context, entry_pool *pool, uint32_t room_bits, uint32_t *first)
{
    if (room_bits > ROOM_BITS_MAX) return MOTE_ERROR_OUT_OF_MEMORY;
    *first = pool->free_lists[room_bits];
    if (*first != ENTRY_NONE) {
        pool->free_lists[room_bits] = pool->items[*first].object;
        return MOTE_OK;
    }
    const size_t end = (size_t)pool->item_end + ((size_t)1 << room_bits);
    const size_t room = pool->item_memory.bytes / sizeof(cell_item);
    if (end >= ENTRY_NONE) return MOTE_ERROR_OUT_OF_MEMORY;
    if (end > room) {
        const size_t bytes = mote_bytes(MOTE_MAX(end, 2 * room), sizeof(cell_item));
        mote_result result = mote_buffer_reserve(context, &pool->item_memory, bytes, pool->item_memory.bytes);
        if (result != MOTE_OK) return result;
        pool->items = pool->item_memory.data;
    }
    *first = pool->item_end;
    pool->item_end = (uint32_t)end;
    return MOTE_OK;
}

static void give_piece(entry_pool *pool, uint32_t first, uint32_t room_bits)
{
    pool->items[first].object = pool->free_lists[room_bits];
    pool->free_lists[room_bits] = first;
}

// Makes room for one more item.
static mote_result grow(const mote_context *context, entry_pool *pool, cell_list *list)
{
    if (list->count && list->count < (uint32_t)1 << list->room_bits) return MOTE_OK;
    const uint32_t room_bits = list->count ? list->room_bits + 1 : 0;
    uint32_t first;
    mote_result result = take_piece(context, pool, room_bits, &first);
    if (result != MOTE_OK) return result;
    if (list->count) {
        memcpy(pool->items + first, pool->items + list->first, list->count * sizeof *pool->items);
        give_piece(pool, list->first, list->room_bits);
    }
    list->first = first;
    list->room_bits = room_bits;
    return MOTE_OK;
}

mote_result mote_entries_link(const mote_context *context, entry_pool *pool, cell_list *list, uint32_t object,
                              cell_record record, uint32_t beyond)
{
    mote_result result = grow(context, pool, list);
    if (result != MOTE_OK) return result;
    uint32_t number = pool->free_record;
    if (number == ENTRY_NONE)
        number = pool->record_end++;
    else
        pool->free_record = pool->records[number].sibling;
    pool->used += 1;
    record.position = list->count++;
    record.sibling = pool->first_of[object];
    pool->records[number] = record;
    pool->first_of[object] = number;
    pool->items[list->first + record.position] = (cell_item){object, number << 3 | beyond};
    return MOTE_OK;
}

void mote_entries_unlink(entry_pool *pool, cell_list *list, uint32_t object)
{
    const uint32_t number = pool->first_of[object], position = pool->records[number].position;
    const cell_item last = pool->items[list->first + --list->count];
    pool->items[list->first + position] = last;
    pool->records[last.link >> 3].position = position;
    if (list->count == 0) give_piece(pool, list->first, list->room_bits);
    pool->first_of[object] = pool->records[number].sibling;
    pool->records[number].sibling = pool->free_record;
    pool->free_record = number;
    pool->used -= 1;
}
