// SPDX-License-Identifier: MIT
// Nested grids of cells in one hash table (Pouchol et al. 2009, listings 1 and 2).
//
// Insertion goes from the cell up, not down as in listing 1: if a cell exists, all coarser ones do, so insertion
// ends at the first existing one. Walks go down integer ranges of cells: the children's range is intersected with
// the query's (listing 2 uses eight corners, which misses cells in between).

#include "cells/hierarchy.h"

#include <string.h>

enum { NODES_MIN = 32 };

// ----------------------------------------------------------------------------------------------------- the table

// Products with primes as in eq. 1, including the class.
static uint32_t hash_of(const uint32_t at[3], uint32_t class_number)
{
    return mote_table_mix((at[0] * 73856093u) ^ (at[1] * 19349663u) ^ (at[2] * 83492791u) ^
                          (class_number * 2654435761u));
}

typedef struct node_key {
    const uint32_t *at;
    uint32_t class_number;
} node_key;

MOTE_INLINE bool is_node(const void *nodes, uint32_t number, const void *wanted)
{
    const hierarchy_node *node = (const hierarchy_node *)nodes + number;
    const node_key *key = wanted;
    const uint32_t *at = key->at;
    return node->at[0] == at[0] && node->at[1] == at[1] && node->at[2] == at[2] &&
           node->class_number == key->class_number;
}

MOTE_INLINE uint32_t look_up(const cell_hierarchy *hierarchy, const uint32_t at[3], uint32_t class_number)
{
    const node_key key = {at, class_number};
    return mote_table_find(&hierarchy->table, hash_of(at, class_number), is_node, hierarchy->nodes, &key);
}

static uint32_t cell_count(const cell_hierarchy *hierarchy)
{
    uint32_t cells = 0;
    for (uint32_t c = 0; c < hierarchy->class_count; ++c) cells += hierarchy->class_cells[c];
    return cells;
}

// Reserves room for `more` nodes, also in the table.
static mote_result make_room(const mote_context *context, cell_hierarchy *hierarchy, uint32_t more)
{
    const size_t nodes = (size_t)hierarchy->node_count + more;
    mote_buffer *memory = &hierarchy->node_memory;
    if (nodes * sizeof(hierarchy_node) > memory->bytes) {
        size_t room = MOTE_MAX(nodes, 2 * (memory->bytes / sizeof(hierarchy_node)));
        size_t bytes = mote_bytes(MOTE_MAX(room, (size_t)NODES_MIN), sizeof(hierarchy_node));
        mote_result result = mote_buffer_reserve(context, memory, bytes, memory->bytes);
        if (result != MOTE_OK) return result;
        hierarchy->nodes = memory->data;
    }
    return mote_table_reserve(context, &hierarchy->table, (size_t)cell_count(hierarchy) + more);
}

// --------------------------------------------------------------------------------------------------------- nodes

// Returns the head of the list that contains a node's siblings.
static uint32_t *siblings_of(cell_hierarchy *hierarchy, const hierarchy_node *node)
{
    return node->parent == HIERARCHY_NONE ? &hierarchy->first_top : &hierarchy->nodes[node->parent].first_child;
}

// Makes a node that is in the table, but has no parent yet.
static uint32_t make_node(cell_hierarchy *hierarchy, const uint32_t at[3], uint32_t class_number)
{
    uint32_t number = hierarchy->free_node;
    if (number == HIERARCHY_NONE)
        number = hierarchy->node_count++;
    else
        hierarchy->free_node = hierarchy->nodes[number].next;
    hierarchy->nodes[number] = (hierarchy_node){
        .at = {at[0], at[1], at[2]}, .class_number = class_number, .parent = HIERARCHY_NONE,
        .first_child = HIERARCHY_NONE, .previous = HIERARCHY_NONE, .next = HIERARCHY_NONE};
    hierarchy->class_cells[class_number] += 1;
    mote_table_put(&hierarchy->table, hash_of(at, class_number), number);
    return number;
}

static void join_siblings(cell_hierarchy *hierarchy, uint32_t number, uint32_t parent)
{
    hierarchy_node *node = hierarchy->nodes + number;
    node->parent = parent;
    if (parent != HIERARCHY_NONE) hierarchy->nodes[parent].children += 1;
    uint32_t *first = siblings_of(hierarchy, node);
    node->next = *first;
    if (*first != HIERARCHY_NONE) hierarchy->nodes[*first].previous = number;
    *first = number;
}

static void remove_node(cell_hierarchy *hierarchy, uint32_t number)
{
    hierarchy_node *node = hierarchy->nodes + number;
    mote_table_remove(&hierarchy->table, hash_of(node->at, node->class_number), number);
    if (node->next != HIERARCHY_NONE) hierarchy->nodes[node->next].previous = node->previous;
    if (node->previous != HIERARCHY_NONE)
        hierarchy->nodes[node->previous].next = node->next;
    else
        *siblings_of(hierarchy, node) = node->next;
    if (node->parent != HIERARCHY_NONE) hierarchy->nodes[node->parent].children -= 1;
    hierarchy->class_cells[node->class_number] -= 1;
    node->next = hierarchy->free_node;
    hierarchy->free_node = number;
}

static void cell_of(const cell_hierarchy *hierarchy, grid_cell cell, uint32_t class_number, uint32_t at[3])
{
    for (int k = 0; k < 3; ++k) at[k] = mote_hierarchy_coordinate(cell.at[k]) >> hierarchy->shift[class_number];
}

// ---------------------------------------------------------------------------------------------------------- walk

typedef struct hierarchy_walk {
    const cell_hierarchy *hierarchy;
    const hierarchy_range *ranges;
    hierarchy_visitor *visitor;
    void *data;
    uint64_t looked;
} hierarchy_walk;

static bool visit(hierarchy_walk *walk, uint32_t number);

// Visits the cells low … high of a class: by their keys, or, if there are fewer existing cells, those in the list
// from `first` on. Returns whether to go on.
static bool visit_cells(hierarchy_walk *walk, uint32_t class_number, const uint32_t low[3], const uint32_t high[3],
                        uint32_t first, uint32_t existing)
{
    const cell_hierarchy *hierarchy = walk->hierarchy;
    double cells = 1;
    for (int k = 0; k < 3; ++k) {
        if (low[k] > high[k]) return true;
        cells *= (double)(high[k] - low[k]) + 1;
    }
    if (cells > existing) {
        for (uint32_t number = first; number != HIERARCHY_NONE; number = hierarchy->nodes[number].next) {
            const uint32_t *at = hierarchy->nodes[number].at;
            bool meets = true;
            walk->looked += 1;
            for (int k = 0; k < 3; ++k) meets &= at[k] >= low[k] && at[k] <= high[k];
            if (meets && !visit(walk, number)) return false;
        }
        return true;
    }
    uint32_t at[3];  // the cells are fewer than 2^32: no coordinate overflows
    for (at[2] = low[2]; at[2] - low[2] <= high[2] - low[2]; ++at[2])
        for (at[1] = low[1]; at[1] - low[1] <= high[1] - low[1]; ++at[1])
            for (at[0] = low[0]; at[0] - low[0] <= high[0] - low[0]; ++at[0]) {
                uint32_t number = look_up(hierarchy, at, class_number);
                walk->looked += 1;
                if (number != HIERARCHY_NONE && !visit(walk, number)) return false;
            }
    return true;
}

// Visits a node that meets its range: first what is stored there, then what is below it.
static bool visit(hierarchy_walk *walk, uint32_t number)
{
    const cell_hierarchy *hierarchy = walk->hierarchy;
    const hierarchy_node *node = hierarchy->nodes + number;
    if (node->elements && !walk->visitor(walk->data, number)) return false;
    if (node->children == 0) return true;
    uint32_t below = node->class_number - 1, low[3], high[3];
    uint32_t step = hierarchy->shift[node->class_number] - hierarchy->shift[below];
    for (int k = 0; k < 3; ++k) {
        uint32_t first = node->at[k] << step, last = first | (((uint32_t)1 << step) - 1);
        low[k] = MOTE_MAX(first, walk->ranges[below].low[k] >> hierarchy->shift[below]);
        high[k] = MOTE_MIN(last, walk->ranges[below].high[k] >> hierarchy->shift[below]);
    }
    return visit_cells(walk, below, low, high, node->first_child, node->children);
}

uint64_t mote_hierarchy_walk(const cell_hierarchy *hierarchy, const hierarchy_range *ranges,
                             hierarchy_visitor *visitor, void *data)
{
    uint32_t top = hierarchy->class_count - 1, low[3], high[3];
    hierarchy_walk walk = {hierarchy, ranges, visitor, data, 0};
    for (int k = 0; k < 3; ++k) {
        low[k] = ranges[top].low[k] >> hierarchy->shift[top];
        high[k] = ranges[top].high[k] >> hierarchy->shift[top];
    }
    visit_cells(&walk, top, low, high, hierarchy->first_top, hierarchy->class_cells[top]);
    return walk.looked;
}

// -------------------------------------------------------------------------------------------------------- public

void mote_hierarchy_reset(cell_hierarchy *hierarchy, const uint32_t *shift, uint32_t class_count)
{
    hierarchy->node_count = 0;
    hierarchy->free_node = hierarchy->first_top = HIERARCHY_NONE;
    hierarchy->class_count = class_count;
    memcpy(hierarchy->shift, shift, class_count * sizeof *shift);
    memset(hierarchy->class_cells, 0, sizeof hierarchy->class_cells);
    mote_table_clear(&hierarchy->table);
}

void mote_hierarchy_release(const mote_context *context, cell_hierarchy *hierarchy)
{
    mote_buffer_release(context, &hierarchy->node_memory);
    mote_table_release(context, &hierarchy->table);
}

size_t mote_hierarchy_byte_count(const cell_hierarchy *hierarchy)
{
    return hierarchy->node_memory.bytes + hierarchy->table.memory.bytes;
}

mote_result mote_hierarchy_insert(const mote_context *context, cell_hierarchy *hierarchy, grid_cell cell,
                                  uint32_t class_number, uint32_t *node)
{
    uint32_t at[3];
    cell_of(hierarchy, cell, class_number, at);
    uint32_t number = look_up(hierarchy, at, class_number);
    if (number == HIERARCHY_NONE) {
        mote_result result = make_room(context, hierarchy, hierarchy->class_count - class_number);
        if (result != MOTE_OK) return result;
        number = make_node(hierarchy, at, class_number);
        uint32_t child = number, parent = HIERARCHY_NONE;
        for (uint32_t above = class_number + 1; above < hierarchy->class_count; ++above, child = parent) {
            cell_of(hierarchy, cell, above, at);
            parent = look_up(hierarchy, at, above);
            bool exists = parent != HIERARCHY_NONE;
            if (!exists) parent = make_node(hierarchy, at, above);
            join_siblings(hierarchy, child, parent);
            if (exists) break;
        }
        if (hierarchy->nodes[child].class_number + 1 == hierarchy->class_count)
            join_siblings(hierarchy, child, HIERARCHY_NONE);
    }
    hierarchy->nodes[number].elements += 1;
    *node = number;
    return MOTE_OK;
}

void mote_hierarchy_remove(cell_hierarchy *hierarchy, uint32_t node)
{
    hierarchy->nodes[node].elements -= 1;
    while (node != HIERARCHY_NONE && hierarchy->nodes[node].elements == 0 && hierarchy->nodes[node].children == 0) {
        uint32_t parent = hierarchy->nodes[node].parent;
        remove_node(hierarchy, node);
        node = parent;
    }
}

uint32_t mote_hierarchy_find(const cell_hierarchy *hierarchy, grid_cell cell, uint32_t class_number)
{
    uint32_t at[3];
    cell_of(hierarchy, cell, class_number, at);
    return look_up(hierarchy, at, class_number);
}

// Checks a node from the table: its place in the hierarchy, and the list of its children.
static mote_result validate_node(const cell_hierarchy *hierarchy, uint32_t number, mote_error *error)
{
    const hierarchy_node *node = hierarchy->nodes + number;
    if (look_up(hierarchy, node->at, node->class_number) != number)
        return mote_fail(error, MOTE_ERROR_STATE, number, "hierarchy: cell %u is not found by its key", number);
    if (node->elements == 0 && node->children == 0)
        return mote_fail(error, MOTE_ERROR_STATE, number, "hierarchy: cell %u is empty", number);
    bool is_top = node->class_number + 1 == hierarchy->class_count;
    if (is_top != (node->parent == HIERARCHY_NONE))
        return mote_fail(error, MOTE_ERROR_STATE, number, "hierarchy: cell %u of class %u has a wrong parent", number,
                         node->class_number);
    uint32_t children = 0, previous = HIERARCHY_NONE;
    for (uint32_t child = node->first_child; child != HIERARCHY_NONE; child = hierarchy->nodes[child].next) {
        const hierarchy_node *inner = hierarchy->nodes + child;
        bool fits = inner->parent == number && inner->previous == previous &&
                    inner->class_number + 1 == node->class_number && ++children <= node->children;
        for (int k = 0; fits && k < 3; ++k)
            fits = inner->at[k] >> (hierarchy->shift[node->class_number] - hierarchy->shift[inner->class_number]) ==
                   node->at[k];
        if (!fits)
            return mote_fail(error, MOTE_ERROR_STATE, child, "hierarchy: cell %u is no child of %u", child, number);
        previous = child;
    }
    if (children == node->children) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, number, "hierarchy: cell %u counts %u children, but has %u", number,
                     node->children, children);
}

mote_result mote_hierarchy_validate(const cell_hierarchy *hierarchy, mote_error *error)
{
    uint32_t cells[HIERARCHY_CLASSES] = {0}, children = 0, tops = 0;
    for (uint32_t place = 0; place < hierarchy->table.size; ++place) {
        uint32_t number = hierarchy->table.slots[place].number;
        if (number == HIERARCHY_NONE) continue;
        mote_result result = validate_node(hierarchy, number, error);
        if (result != MOTE_OK) return result;
        cells[hierarchy->nodes[number].class_number] += 1;
        children += hierarchy->nodes[number].children;
    }
    for (uint32_t top = hierarchy->first_top; top != HIERARCHY_NONE; top = hierarchy->nodes[top].next) ++tops;
    bool counted = hierarchy->class_count == 0 || tops == hierarchy->class_cells[hierarchy->class_count - 1];
    for (uint32_t c = 0; c < hierarchy->class_count; ++c) counted &= cells[c] == hierarchy->class_cells[c];
    counted &= children + tops == cell_count(hierarchy);
    if (counted) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "hierarchy: a class counts other cells than it has");
}
