// SPDX-License-Identifier: MIT
// The table of search methods. The first is the default.

#include "neighbors/internal.h"

const neighbors_method *const mote_neighbors_method_table[] = {
    &mote_neighbors_auto,
    &mote_neighbors_cell_grid,
    &mote_neighbors_all_pairs,
    &mote_neighbors_spatial_hash,
    &mote_neighbors_spatial_hash_dynamic,
    &mote_neighbors_cell_hash,
    &mote_neighbors_cell_hash_incremental,
    &mote_neighbors_cell_index,
    &mote_neighbors_cell_index_approx,
    &mote_neighbors_hierarchical_hash,
    &mote_neighbors_kd_tree,
};
const size_t mote_neighbors_method_count = sizeof mote_neighbors_method_table / sizeof *mote_neighbors_method_table;
