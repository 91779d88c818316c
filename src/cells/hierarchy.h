// SPDX-License-Identifier: MIT
// cells/hierarchy.h: nested grids of cells that record whether they are empty (Pouchol et al. 2009, section 3).
//
// There are classes of cells; each cell of a class consists of whole cells of the next finer class. Storing
// something in a cell creates that cell and all coarser ones around it. Each cell counts its children, the existing
// cells of the next finer class in it. A walk from the coarsest class down skips everything below a cell without
// children: this is Pouchol's hasChildren, which, as a count, can become false again.
//
// Cells are found by exact keys (class and coordinates) in an open-addressing table. Pouchol et al. sum hash values
// on the way down (eq. 4) and compare nothing else: then cells that merely have the same value share their contents,
// as those at (0, 0, 0) of all classes always do.
//
// The owner of the hierarchy keeps the stored elements itself: a cell has a number below `node_count` that does not
// change while the cell exists, so the owner can use it as an index into its own arrays.
#ifndef MOTE_CELLS_HIERARCHY_H
#define MOTE_CELLS_HIERARCHY_H

#include "base/table.h"
#include "cells/frame.h"

enum { HIERARCHY_CLASSES = 32 };  // most classes
#define HIERARCHY_NONE MOTE_TABLE_NONE

// An existing cell. Coordinates are unsigned: those of the frame plus 2^31, reduced to the bits of the class.
typedef struct hierarchy_node {
    uint32_t at[3];
    uint32_t class_number;  // 0: the finest
    uint32_t elements;      // elements stored in this cell itself
    uint32_t children;      // existing cells of the next finer class in it
    uint32_t parent;        // HIERARCHY_NONE in the coarsest class
    uint32_t first_child;
    uint32_t previous, next;  // siblings; free nodes are chained by `next`
} hierarchy_node;

typedef struct cell_hierarchy {
    mote_buffer node_memory;
    hierarchy_node *nodes;
    uint32_t node_count;  // numbers used so far
    uint32_t free_node;   // chain of free numbers
    mote_table table;     // the existing cells
    uint32_t class_count;
    uint32_t shift[HIERARCHY_CLASSES];       // number of bits that a class has less than the finest
    uint32_t class_cells[HIERARCHY_CLASSES]; // existing cells
    uint32_t first_top;                      // first cell of the coarsest class
} cell_hierarchy;

// The cells that a walk visits: of the finest class, inclusive.
typedef struct hierarchy_range {
    uint32_t low[3], high[3];
} hierarchy_range;

// Empties the hierarchy, for classes whose cells are 2^shift[k] finest cells wide, ascending from shift[0] = 0.
// Keeps the memory.
void mote_hierarchy_reset(cell_hierarchy *hierarchy, const uint32_t *shift, uint32_t class_count);
void mote_hierarchy_release(const mote_context *context, cell_hierarchy *hierarchy);
size_t mote_hierarchy_byte_count(const cell_hierarchy *hierarchy);

// Stores an element in the cell of a class that contains `cell` (of the finest class). Cost O(classes) at most, O(1)
// if that cell exists. On failure (MOTE_ERROR_OUT_OF_MEMORY; at most 2^30 cells are possible) nothing changes.
mote_result mote_hierarchy_insert(const mote_context *context, cell_hierarchy *hierarchy, grid_cell cell,
                                  uint32_t class_number, uint32_t *node);

// Removes an element from a node, and also the node and its ancestors if nothing is left in them.
void mote_hierarchy_remove(cell_hierarchy *hierarchy, uint32_t node);

// Returns the node of a cell (of the finest class) in a class, or HIERARCHY_NONE.
uint32_t mote_hierarchy_find(const cell_hierarchy *hierarchy, grid_cell cell, uint32_t class_number);

// Calls `visitor` for every node that has elements and meets the range of its class, coarse ones first, siblings in
// the order of their cells or of their creation: this order depends only on what was inserted and removed. Cost: the
// cells of the ranges or the existing cells, whichever are fewer, and the cells above them.
// @param ranges   one for each class; a finer class's range lies in the coarser ones'
// @param visitor  returns whether to go on
// @return the number of cells that were looked up or visited
typedef bool hierarchy_visitor(void *data, uint32_t node);
uint64_t mote_hierarchy_walk(const cell_hierarchy *hierarchy, const hierarchy_range *ranges,
                             hierarchy_visitor *visitor, void *data);

// Checks every invariant. Cost O(cells).
mote_result mote_hierarchy_validate(const cell_hierarchy *hierarchy, mote_error *error);

// Converts a coordinate of the frame to one of the hierarchy.
static inline uint32_t mote_hierarchy_coordinate(int32_t at)
{
    return (uint32_t)at + ((uint32_t)1 << 31);
}

#endif
