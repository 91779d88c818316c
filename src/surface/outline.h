// SPDX-License-Identifier: MIT
// surface/outline.h: the field of particles in the plane, on blocks of nodes near them.
#ifndef MOTE_SURFACE_OUTLINE_H
#define MOTE_SURFACE_OUTLINE_H

#include "surface/internal.h"

enum { PLANE_BLOCK = 16, PLANE_NODES = PLANE_BLOCK * PLANE_BLOCK };

// Coordinates are in cells from the origin. All arrays lie in `memory`.
typedef struct plane_field {
    const mote_context *context;
    double spacing, cell;  // of the caller's [m]
    double support;        // [cells]
    double isovalue, slope;
    size_t count;       // of particles, with fill points
    uint32_t own_count;
    double *x, *y;      // sorted by bins of the support's size, then by y and x
    double *volumes;
    uint64_t *bins;     // of each particle
    uint32_t *index;    // the caller's number
    uint64_t *keys;     // of blocks, ascending by y, x
    float *values;      // of the nodes of blocks, less the isovalue
    uint16_t (*rows)[PLANE_BLOCK];  // a bit for each node inside
    size_t block_count;
    const surface_cut *cut;  // NULL: nothing cuts
    mote_buffer memory[5];
} plane_field;

// The mean of c half a spacing outside of a half plane filled with a square lattice.
double mote_plane_derive_isovalue(double support);

// Finds the values of all nodes near particles. `field` has context, spacing, cell, support, isovalue and cut.
mote_result mote_plane_field_make(plane_field *field, const mote_surface_cloud *cloud, mote_error *error);
void mote_plane_field_release(plane_field *field);

static inline int64_t mote_plane_block_at(uint64_t key, int axis)
{
    return (int64_t)(axis ? key >> 32 : key & UINT32_MAX) - ((int64_t)1 << 31);
}

static inline uint64_t mote_plane_key(int64_t x, int64_t y)
{
    return (uint64_t)(y + ((int64_t)1 << 31)) << 32 | (uint64_t)(x + ((int64_t)1 << 31));
}

#endif
