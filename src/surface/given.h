// SPDX-License-Identifier: MIT
// surface/given.h: the values of a caller's grid, which stay where they are.
#ifndef MOTE_SURFACE_GIVEN_H
#define MOTE_SURFACE_GIVEN_H

#include <float.h>
#include <math.h>

#include "surface/internal.h"

enum { GIVEN_SHIFT = 1 };  // nodes of chunks before the first one of the grid

// The node of the grid at a node of a chunk.
static inline void mote_given_node(const surface_chunk *chunk, int x, int y, int z, int64_t at[3])
{
    const int own[3] = {x, y, z};
    for (int k = 0; k < 3; ++k) at[k] = (int64_t)chunk->at[k] * CHUNK + own[k] - GIVEN_SHIFT;
}

static inline bool mote_given_has(const mote_isosurface_def *def, const int64_t at[3])
{
    for (int k = 0; k < 3; ++k)
        if (at[k] < 0 || at[k] >= def->size[k]) return false;
    return true;
}

static inline uint64_t mote_given_number(const mote_isosurface_def *def, const int64_t at[3])
{
    return ((uint64_t)at[2] * (uint64_t)def->size[1] + (uint64_t)at[1]) * (uint64_t)def->size[0] + (uint64_t)at[0];
}

// A value less the isovalue.
static inline float mote_given_above(const mote_isosurface_def *def, double value)
{
    const float above = (float)(value - def->isovalue);
    return above < FLT_MAX ? above : FLT_MAX;
}

// The value of the grid at a node of a chunk less the isovalue; −INFINITY beyond the border.
static inline float mote_given_value(const mote_isosurface_def *def, const surface_chunk *chunk, int x, int y, int z)
{
    int64_t at[3];
    mote_given_node(chunk, x, y, z, at);
    return mote_given_has(def, at) ? mote_given_above(def, (double)def->values[mote_given_number(def, at)]) : -INFINITY;
}

#endif
