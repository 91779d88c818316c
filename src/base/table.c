// SPDX-License-Identifier: MIT
// An open-addressing hash table: room, insertion and removal (Knuth 1998, vol. 3, section 6.4).

#include "base/table.h"

#include <string.h>

enum { SMALLEST = 64 };
static const size_t largest = (size_t)1 << 31;

mote_result mote_table_reserve(const mote_context *context, mote_table *table, size_t count)
{
    if (count > largest / 2) return MOTE_ERROR_OUT_OF_MEMORY;
    size_t size = MOTE_MAX(table->size, (uint32_t)SMALLEST);
    while (size < 2 * count) size *= 2;
    if (size == table->size) return MOTE_OK;
    mote_table larger = {.size = (uint32_t)size};
    mote_result result = mote_buffer_reserve(context, &larger.memory, mote_bytes(size, sizeof *larger.slots), 0);
    if (result != MOTE_OK) return result;
    larger.slots = larger.memory.data;
    mote_table_clear(&larger);
    for (uint32_t place = 0; place < table->size; ++place)
        if (table->slots[place].number != MOTE_TABLE_NONE)
            mote_table_put(&larger, table->slots[place].hash, table->slots[place].number);
    mote_table_release(context, table);
    *table = larger;
    return MOTE_OK;
}

void mote_table_release(const mote_context *context, mote_table *table)
{
    mote_buffer_release(context, &table->memory);
    *table = (mote_table){0};
}

void mote_table_clear(mote_table *table)
{
    if (table->size) memset(table->slots, 0xFF, table->size * sizeof *table->slots);
}

void mote_table_put(mote_table *table, uint32_t hash, uint32_t number)
{
    const uint32_t mask = table->size - 1;
    uint32_t place = hash & mask;
    while (table->slots[place].number != MOTE_TABLE_NONE) place = (place + 1) & mask;
    table->slots[place] = (mote_table_slot){number, hash};
}

void mote_table_remove(mote_table *table, uint32_t hash, uint32_t number)
{
    const uint32_t mask = table->size - 1;
    uint32_t gap = hash & mask;
    while (table->slots[gap].number != number) gap = (gap + 1) & mask;
    for (uint32_t place = gap;;) {
        place = (place + 1) & mask;
        const mote_table_slot slot = table->slots[place];
        if (slot.number == MOTE_TABLE_NONE) break;
        if (((place - slot.hash) & mask) < ((place - gap) & mask)) continue;  // its home is after the gap
        table->slots[gap] = slot;
        gap = place;
    }
    table->slots[gap].number = MOTE_TABLE_NONE;
}
