// SPDX-License-Identifier: MIT
// cells/hierarchy.h: nested grids of cells that know whether anything lies in them (Pouchol et al. 2009, section 3).
//
// Classes of cells, each class's cells made of whole cells of the next finer one. What is stored in a cell makes that
// cell and all coarser ones around it exist; each counts its children, the cells of the next finer class in it. A walk
// from the coarsest class down leaves out whatever lies under a cell without children: the document's hasChildren,
// which as a count becomes false again.
//
// Cells are found by exact keys (class and coordinates) in an open-addressing table. The document adds up hash values
// along the way down (eq. 4) and compares nothing else: then cells that only share a value share their contents, as
// those at (0, 0, 0) of all classes always do.
//
// What is stored is the owner's business: a cell has a number that stays while it exists, below `node_count`, so that
// the owner keeps arrays beside.
#ifndef MOTE_CELLS_HIERARCHY_H
#define MOTE_CELLS_HIERARCHY_H

#include "base/table.h"
#include "cells/frame.h"

enum { HIERARCHY_CLASSES = 32 };  // at most
#define HIERARCHY_NONE MOTE_TABLE_NONE

// A cell that exists. Coordinates are unsigned: those of the frame plus 2^31, cut to the class's bits.
typedef struct hierarchy_node {
    uint32_t at[3];
    uint32_t class_number;  // 0: the finest
    uint32_t elements;      // stored in this very cell
    uint32_t children;      // cells of the next finer class in it that exist
    uint32_t parent;        // HIERARCHY_NONE in the coarsest class
    uint32_t first_child;
    uint32_t previous, next;  // siblings; those that do not exist are chained by `next`
} hierarchy_node;

typedef struct cell_hierarchy {
    mote_buffer node_memory;
    hierarchy_node *nodes;
    uint32_t node_count;  // numbers given out so far
    uint32_t free_node;   // chain of numbers that are free again
    mote_table table;     // of cells that exist
    uint32_t class_count;
    uint32_t shift[HIERARCHY_CLASSES];       // bits that a class has less than the finest
    uint32_t class_cells[HIERARCHY_CLASSES]; // cells that exist
    uint32_t first_top;                      // of the coarsest class
} cell_hierarchy;

// Cells that a walk looks at: of the finest class, inclusive.
typedef struct hierarchy_range {
    uint32_t low[3], high[3];
} hierarchy_range;

// Empties it, for classes whose cells are 2^shift[k] finest cells wide, ascending from shift[0] = 0. Keeps the memory.
void mote_hierarchy_reset(cell_hierarchy *hierarchy, const uint32_t *shift, uint32_t class_count);
void mote_hierarchy_release(const mote_context *context, cell_hierarchy *hierarchy);
size_t mote_hierarchy_byte_count(const cell_hierarchy *hierarchy);

// Stores an element in the cell of a class that holds `cell` (of the finest class). Cost O(classes) at most, O(1) where
// that cell exists. On failure (MOTE_ERROR_OUT_OF_MEMORY; 2^30 cells are the most) all is as it was.
mote_result mote_hierarchy_insert(const mote_context *context, cell_hierarchy *hierarchy, grid_cell cell,
                                  uint32_t class_number, uint32_t *node);

// Takes an element out of a node, and the node and its ancestors with it if nothing is left in them.
void mote_hierarchy_remove(cell_hierarchy *hierarchy, uint32_t node);

// The node of a cell (of the finest class) in a class, or HIERARCHY_NONE.
uint32_t mote_hierarchy_find(const cell_hierarchy *hierarchy, grid_cell cell, uint32_t class_number);

// Calls `visitor` for every node that has elements and meets the range of its class, coarse ones first, siblings in the
// order of their cells or of their making: an order that depends on what was inserted and removed alone.
// Cost: cells of the ranges or cells that exist, whichever are fewer, and what lies above them.
// @param ranges   one for each class; a finer class's range lies in the coarser ones'
// @param visitor  answers whether to go on
// @return how many cells were looked for or at
typedef bool hierarchy_visitor(void *data, uint32_t node);
uint64_t mote_hierarchy_walk(const cell_hierarchy *hierarchy, const hierarchy_range *ranges,
                             hierarchy_visitor *visitor, void *data);

// Checks every invariant. Cost O(cells).
mote_result mote_hierarchy_validate(const cell_hierarchy *hierarchy, mote_error *error);

// A coordinate of the frame as the hierarchy has it.
static inline uint32_t mote_hierarchy_coordinate(int32_t at)
{
    return (uint32_t)at + ((uint32_t)1 << 31);
}

#endif
