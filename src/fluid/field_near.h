// SPDX-License-Identifier: MIT
// fluid/field_near.h: what fields do to the particles near them, looked up before the loops over neighbours.
#ifndef MOTE_FLUID_FIELD_NEAR_H
#define MOTE_FLUID_FIELD_NEAR_H

#include "fluid/internal.h"

enum { FIELD_ACTS_NOT = UINT16_MAX };
enum { FIELD_AHEAD = 2 };  // values are prefetched for the number that is so many further
_Static_assert((int)FLUID_BLOCK < (int)FIELD_ACTS_NOT, "numbers within a block are smaller");

// Looks up what fields do to the particles near them at both places, for this evaluation, if lanes can do that.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_field_look_up(mote_fluid *fluid, const fluid_place *places, const fluid_place *half_places);
// Replaces what was looked up at the places of the middle by the particles' accelerations by all fields, after
// densities and pressures are known.
void mote_field_push_near(mote_fluid *fluid, const field_push *of);
// The memory that this holds.
size_t mote_field_near_bytes(const mote_fluid *fluid);

// Whether a field may act on a particle.
static inline bool mote_field_may_act(const mote_fluid *fluid, size_t i)
{
    const fluid_near_fields *near = &fluid->near_fields;
    return !near->is_known || ((const uint16_t *)near->numbers.data)[i] != FIELD_ACTS_NOT;
}

// How far apart the values of two particles are.
static inline size_t mote_field_stride(const mote_fluid *fluid)
{
    return (size_t)fluid->field_count * FIELD_STRIDE;
}

// What was looked up for the first particle of a block of FLUID_BLOCK that has a number; others follow by theirs.
static inline const float *mote_field_known_of_block(const mote_fluid *fluid, size_t block, int place)
{
    const fluid_near_fields *near = &fluid->near_fields;
    const size_t before = ((const uint32_t *)near->firsts.data)[block];
    return (const float *)near->values.data + before * mote_field_stride(fluid) + place * FIELD_VALUES;
}

// What was looked up for a particle on which one may act, of the first field; NULL: nothing was. Values of the next
// particles are prefetched: a loop over rows reads so much before it comes to them that they have left the caches.
static inline const float *mote_field_known(const mote_fluid *fluid, size_t i, int place)
{
    const fluid_near_fields *near = &fluid->near_fields;
    if (!near->is_known) return NULL;
    const size_t number = ((const uint16_t *)near->numbers.data)[i], stride = mote_field_stride(fluid);
    const float *known = mote_field_known_of_block(fluid, i / FLUID_BLOCK, place) + number * stride;
    mote_prefetch(known + FIELD_AHEAD * stride);
    return known;
}

#endif
