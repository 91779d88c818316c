// SPDX-License-Identifier: MIT
// Blocks of a field that have the same around them have the same nodes, and share them. Of the walls of a tank nearly
// all are alike: a side 100 spacings wide has 2,500 columns of blocks, but no more nodes than at its edges and once
// between them.

#include <string.h>

#include "fluid/internal.h"
#include "fluid/wall_field.h"

#define NONE UINT32_MAX
enum { MOST_AROUND = FIELD_MOST_AROUND };

typedef struct field_alike {
    const wall_field *field;
    int range;             // how many blocks to each side of one count
    const float *filling;  // of the cells of each block
    size_t cells;
    // Of each place for a block, and `range` more at all ends: the first block that is filled as the one there.
    mote_buffer kinds;
    size_t size[3], around_count;
    ptrdiff_t away[MOST_AROUND];  // from a place to those around it
    mote_buffer around;  // uint32_t: of each nodes' array, the kinds of the blocks around one that has it
} field_alike;

static uint32_t hash_of(const void *words, size_t count)
{
    uint32_t hash = 0, word;
    for (size_t k = 0; k < count; ++k) {
        memcpy(&word, (const char *)words + k * sizeof word, sizeof word);
        hash = mote_table_mix(hash * 31 + word);
    }
    return hash;
}

static bool is_filled_so(const void *owner, uint32_t number, const void *key)
{
    const field_alike *alike = owner;
    return memcmp(alike->filling + number * alike->cells, key, alike->cells * sizeof *alike->filling) == 0;
}

static bool is_surrounded_so(const void *owner, uint32_t number, const void *key)
{
    const field_alike *alike = owner;
    const size_t bytes = alike->around_count * sizeof(uint32_t);
    return memcmp((const char *)alike->around.data + number * bytes, key, bytes) == 0;
}

static uint32_t *kind_at(const field_alike *alike, const int32_t key[3])
{
    size_t place = 0;
    for (int c = 2; c >= 0; --c) place = place * alike->size[c] + (size_t)(key[c] + alike->range);
    return (uint32_t *)alike->kinds.data + place;
}

static void find_away(field_alike *alike)
{
    const wall_field *field = alike->field;
    alike->around_count = (size_t)mote_field_blocks_around(field, alike->range);
    MOTE_ASSERT(alike->around_count <= MOST_AROUND);
    for (int c = 0; c < 3; ++c) alike->size[c] = (size_t)field->most[c] + 2 * (size_t)alike->range;
    for (size_t k = 0; k < alike->around_count; ++k) {
        int32_t away[3];
        mote_field_block_around(field, alike->range, (int)k, away);
        alike->away[k] = 0;
        for (int c = 2; c >= 0; --c) alike->away[k] = alike->away[k] * (ptrdiff_t)alike->size[c] + away[c];
    }
}

static mote_result find_kinds(mote_context *context, field_alike *alike, mote_table *table)
{
    const wall_field *field = alike->field;
    const size_t slab = mote_bytes(alike->size[0], alike->size[1] * sizeof(uint32_t));
    const size_t bytes = mote_bytes(alike->size[2], slab);
    mote_result result = mote_buffer_reserve(context, &alike->kinds, bytes, 0);
    if (result == MOTE_OK) result = mote_table_reserve(context, table, field->block_count);
    if (result == MOTE_OK) memset(alike->kinds.data, 0xff, bytes);  // NONE
    for (uint32_t b = 0; b < field->block_count && result == MOTE_OK; ++b) {
        const float *filling = alike->filling + b * alike->cells;
        const uint32_t hash = hash_of(filling, alike->cells);
        uint32_t kind = mote_table_find(table, hash, is_filled_so, alike, filling);
        if (kind == MOTE_TABLE_NONE) mote_table_put(table, hash, b), kind = b;
        *kind_at(alike, ((const field_block *)field->blocks.data)[b].key) = kind;
    }
    return result;
}

// Numbers nodes in the order of the first blocks that have them.
static mote_result number_nodes(mote_context *context, wall_field *field, field_alike *alike, mote_table *table)
{
    field_block *blocks = field->blocks.data;
    const size_t bytes = alike->around_count * sizeof(uint32_t);
    uint32_t count = 0;
    mote_table_clear(table);
    for (uint32_t b = 0; b < field->block_count; ++b) {
        const size_t used = count * bytes;
        if (blocks[b].nodes == NONE) continue;
        if (used + bytes > alike->around.bytes) {
            const mote_result result = mote_buffer_reserve(context, &alike->around, 2 * (used + bytes), used);
            if (result != MOTE_OK) return result;
        }
        uint32_t *own = (uint32_t *)alike->around.data + count * alike->around_count;
        const uint32_t *kind = kind_at(alike, blocks[b].key);
        for (size_t k = 0; k < alike->around_count; ++k) own[k] = kind[alike->away[k]];
        const uint32_t hash = hash_of(own, alike->around_count);
        blocks[b].nodes = mote_table_find(table, hash, is_surrounded_so, alike, own);
        if (blocks[b].nodes != MOTE_TABLE_NONE) continue;
        mote_table_put(table, hash, count);
        blocks[b].nodes = count++;
    }
    field->node_blocks = count;
    return MOTE_OK;
}

mote_result mote_field_share_nodes(mote_context *context, wall_field *field, const float *filling, size_t cells,
                                   int range)
{
    field_alike alike = {.field = field, .range = range, .filling = filling, .cells = cells};
    mote_table table = {.size = 0};
    find_away(&alike);
    mote_result result = find_kinds(context, &alike, &table);
    if (result == MOTE_OK) result = number_nodes(context, field, &alike, &table);
    mote_table_release(context, &table);
    mote_buffer_release(context, &alike.kinds);
    mote_buffer_release(context, &alike.around);
    return result;
}
