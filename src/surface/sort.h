// SPDX-License-Identifier: MIT
// surface/sort.h: where particles lie among chunks, and what the two ways to bring them into the order of chunks share:
// counting, where a table of all chunks in the box around the particles is small, and a radix sort of keys elsewhere.
#ifndef MOTE_SURFACE_SORT_H
#define MOTE_SURFACE_SORT_H

#include "surface/internal.h"

enum { SORT_BLOCK = 16384 };  // particles of a block of work

typedef struct sort_task {
    surface_sort *sort;
    const surface_scale *scale;
    const mote_points *sets;
    uint64_t *keys;
    uint32_t *order;          // of the particles, while keys are sorted
    const uint32_t *numbers;  // the caller's number of each particle of the first set; NULL: it is in that order
    int subcell_bits;
    int64_t first[3];  // the first chunk with particles along each axis,
    int64_t size[3];   // and how many chunks there are up to the last one
} sort_task;

// A coordinate, by the chunk in which it lies.
typedef struct sort_place {
    int32_t chunk;
    int32_t local;  // units from the chunk's corner
} sort_place;

// Coordinates are below 2^52 units, so that what is subtracted and divided here by powers of two is exact.
static inline sort_place mote_surface_place_of(const surface_scale *scale, double x)
{
    const double units = x / scale->cell * scale->unit + 0.5;
    const double chunks = units * scale->chunks_of_unit;
    int32_t chunk = (int32_t)chunks;
    chunk -= (double)chunk > chunks;
    return (sort_place){chunk, (int32_t)(units - (double)chunk * (scale->unit * CHUNK))};
}

// Point i of both sets.
static inline void mote_surface_get_point(const mote_points sets[2], size_t i, double at[3])
{
    const mote_points *set = i < sets[0].count ? &sets[0] : &sets[1];
    if (i >= sets[0].count) i -= sets[0].count;
    const ptrdiff_t offset = (ptrdiff_t)i * set->stride;
    if (set->scalar == MOTE_F32)
        for (int k = 0; k < 3; ++k) at[k] = (double)mote_load_f32((const char *)set->axis[k] + offset);
    else
        for (int k = 0; k < 3; ++k) at[k] = mote_load_f64((const char *)set->axis[k] + offset);
}

// Orders the particles of a subcell by coordinates.
void mote_surface_order_subcell(surface_sort *sort, uint32_t begin, uint32_t end);
// Numbers the tables of subcells, and makes room for them.
mote_result mote_surface_reserve_starts(const mote_context *context, surface_sort *sort, const surface_scale *scale);

// Bytes of the table of chunks; 0 where it would be too large.
size_t mote_surface_count_bytes(const sort_task *task);
// Sorts by counting, with room for the table behind that for two keys of each particle.
mote_result mote_surface_sort_by_counting(const mote_context *context, const sort_task *task);

#endif
