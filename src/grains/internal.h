// SPDX-License-Identifier: MIT
// grains/internal.h: declarations that the files of the grains share.
#ifndef MOTE_GRAINS_INTERNAL_H
#define MOTE_GRAINS_INTERNAL_H

#include "base/internal.h"
#include "mote/hits.h"
#include "mote/grains.h"
#include "particles/store.h"

// start.c: where grains start, and which of them would start inside a solid.

// The start position of a grain, by its number: 3 doubles.
void mote_grains_place(const mote_grains_def *def, size_t number, double *at);
// @param buried   receives for each grain by number whether it would start inside a closed mesh
// @param removed  receives how many these are
mote_result mote_grains_find_buried(mote_context *context, const mote_grains_def *def, const mote_mesh *const *meshes,
                                    size_t mesh_count, uint8_t *buried, uint64_t *removed, mote_error *error);

#endif
