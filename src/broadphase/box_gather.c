// SPDX-License-Identifier: MIT
// Gathers all boxes of a tree that may overlap any box of a group.
//
// The tree is searched once, level by level, for the box around the whole group: from a list of blocks comes the
// list of the blocks below that overlap it, without a branch per box. The boxes found are copied side by side, and
// smaller groups within the group then search these copies only.

#include "broadphase/box_gather.h"

#include <math.h>

enum { FEW_KEYS = 32 };

#define SORT_TYPE uint64_t
#define SORT_BEFORE(data, a, b) ((a) < (b))
#define SORT_NAME(verb) keys_##verb
#include "base/sorts.inl"

static bool reserve(box_gatherer *gatherer, mote_buffer *buffer, size_t bytes, size_t keep)
{
    if (mote_buffer_reserve(gatherer->context, buffer, bytes, keep) == MOTE_OK) return true;
    gatherer->out_of_memory = true;
    return false;
}

// Finds the boxes that meet `box` and stores them in gatherer->keys as index << 32 | place, ordered by place.
static bool find_keys(box_gatherer *gatherer, const box_tree *tree, const mote_bounds *box, size_t least, size_t limit,
                      size_t *found)
{
    mote_buffer *lists = gatherer->lists;
    if (!reserve(gatherer, lists, BOX_LANES * sizeof(uint32_t), 0)) return false;
    ((uint32_t *)lists[0].data)[0] = 0;
    size_t count = tree->level_count > 0;
    for (int level = tree->level_count - 1; level > 0; --level) {
        const size_t room = (count + 1) * BOX_LANES;
        if (!reserve(gatherer, lists + 1, mote_bytes(room, sizeof(uint32_t)), 0)) return false;
        gatherer->tested += count;
        count = tree->lanes->expand(tree->blocks + tree->level_begin[level], lists[0].data, count, box,
                                    least >> 3 * level, lists[1].data);
        if (count > limit) return false;
        mote_buffer swap = lists[0];
        lists[0] = lists[1];
        lists[1] = swap;
    }
    if (!reserve(gatherer, &gatherer->keys, mote_bytes((count + 1) * BOX_LANES, sizeof(uint64_t)), 0)) return false;
    gatherer->tested += count;
    *found = tree->lanes->collect(tree->blocks, tree->indices, lists[0].data, count, box, gatherer->keys.data);
    return true;
}

// Sorts the keys by index.
static bool sort_keys(box_gatherer *gatherer, size_t found)
{
    uint64_t *keys = gatherer->keys.data;
    if (found <= FEW_KEYS) {
        keys_sort(NULL, keys, found);
        return true;
    }
    if (!reserve(gatherer, &gatherer->spare_keys, found * sizeof *keys, 0)) return false;
    uint64_t *to = gatherer->spare_keys.data, differing = 0;
    for (size_t i = 1; i < found; ++i) differing |= keys[i] ^ keys[0];
    for (int shift = 32; shift < 64 && differing >> shift; shift += 8) {
        uint32_t next[256] = {0}, sum = 0;
        for (size_t i = 0; i < found; ++i) next[keys[i] >> shift & 255]++;
        for (int digit = 0; digit < 256; ++digit) {
            uint32_t own = next[digit];
            next[digit] = sum;
            sum += own;
        }
        MOTE_ASSERT(sum == found);
        for (size_t i = 0; i < found; ++i) to[next[keys[i] >> shift & 255]++] = keys[i];
        MOTE_ASSERT(next[255] == found);
        uint64_t *swap = keys;
        keys = to;
        to = swap;
    }
    if (keys != gatherer->keys.data) memcpy(gatherer->keys.data, keys, found * sizeof *keys);
    return true;
}

// Columns that begin at byte `offset` of the memory.
static box_columns columns_at(const box_gatherer *gatherer, size_t offset, bool with_places)
{
    float *memory = gatherer->column_memory.data;
    const size_t room = gatherer->column_room;
    box_columns columns = {.count = 0};
    for (size_t k = 0; k < 3; ++k) {
        columns.low[k] = memory + k * room + offset;
        columns.high[k] = memory + (k + 3) * room + offset;
    }
    columns.index = (uint32_t *)(void *)(memory + 6 * room + offset);
    if (with_places) columns.place = (uint32_t *)(void *)(memory + 7 * room + offset);
    return columns;
}

// Appends lanes that meet nothing to the columns.
static void end_columns(box_columns *columns, size_t count)
{
    columns->count = count;
    for (size_t i = count; i < count + BOX_LANES; ++i) columns->low[0][i] = NAN;
}

// Makes room for columns of `count` boxes and for the filters of them.
static bool reserve_columns(box_gatherer *gatherer, size_t count)
{
    const size_t room = (count + 3 * BOX_LANES) * (BOX_FILTERS + 1);
    if (room <= gatherer->column_room) return true;
    gatherer->column_room = 0;
    const size_t roomy = room + room / 4;
    if (!reserve(gatherer, &gatherer->column_memory, mote_bytes(roomy, 8 * sizeof(float)), 0)) return false;
    gatherer->column_room = roomy;
    return true;
}

// Copies the boxes that the keys name side by side.
static bool copy_boxes(box_gatherer *gatherer, const box_tree *tree, size_t found, bool with_places,
                       box_columns *columns)
{
    if (!reserve_columns(gatherer, found)) return false;
    const uint64_t *keys = gatherer->keys.data;
    const box_columns to = columns_at(gatherer, 0, with_places);
    for (size_t i = 0; i < found; ++i) {
        const uint32_t place = (uint32_t)keys[i], lane = place % BOX_LANES;
        const box_block *block = tree->blocks + place / BOX_LANES;
        for (int k = 0; k < 3; ++k) {
            to.low[k][i] = block->low[k][lane];
            to.high[k][i] = block->high[k][lane];
        }
        to.index[i] = (uint32_t)(keys[i] >> 32);
        if (with_places) to.place[i] = place;
    }
    *columns = to;
    end_columns(columns, found);
    return true;
}

bool mote_box_gather_by_index(box_gatherer *gatherer, const box_tree *tree, const mote_bounds *box, size_t limit,
                              box_columns *columns)
{
    size_t found;
    return find_keys(gatherer, tree, box, 0, limit, &found) && sort_keys(gatherer, found) &&
           copy_boxes(gatherer, tree, found, false, columns);
}

bool mote_box_gather_by_place(box_gatherer *gatherer, const box_tree *tree, const mote_bounds *box, size_t least,
                              size_t limit, box_columns *columns)
{
    size_t found;
    return find_keys(gatherer, tree, box, least, limit, &found) &&
           copy_boxes(gatherer, tree, found, true, columns);
}

box_columns mote_box_filter(box_gatherer *gatherer, const box_lanes *lanes, const box_columns *from,
                            const mote_bounds *box)
{
    const size_t begin = (size_t)(from->low[0] - (float *)gatherer->column_memory.data);
    const size_t offset = begin + (from->count + 2 * BOX_LANES) / BOX_LANES * BOX_LANES;
    box_columns to = columns_at(gatherer, offset, from->place != NULL);
    gatherer->tested += (from->count + BOX_LANES - 1) / BOX_LANES;
    end_columns(&to, lanes->filter(from, box, &to));
    return to;
}

void mote_box_gatherer_release(box_gatherer *gatherer)
{
    mote_buffer *buffers[] = {gatherer->lists, gatherer->lists + 1, &gatherer->keys, &gatherer->spare_keys,
                              &gatherer->column_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(gatherer->context, buffers[k]);
    gatherer->column_room = 0;
}

size_t mote_box_gatherer_byte_count(const box_gatherer *gatherer)
{
    return gatherer->lists[0].bytes + gatherer->lists[1].bytes + gatherer->keys.bytes + gatherer->spare_keys.bytes +
           gatherer->column_memory.bytes;
}
