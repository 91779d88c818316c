// SPDX-License-Identifier: MIT
// Walls that are fields: Σ s²/r dx over a body, s = h − r, is found once at the nodes of a grid near its surface
// (field_build.c). It is the gradient of the spiky kernel but for a factor, so that it says from where and how strongly
// the body acts on a particle, at edges and curved surfaces, too. The other sums are those of a flat wall that acts as
// strongly (field_curves.c). Fields of the solver weak have the gradient of its own kernel, and Σ V W besides
// (weak_field.c).

#include <math.h>

#include "base/vector.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

float mote_field_length(const float v[3])
{
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return (float)sqrt(x * x + y * y + z * z);  // squares of floats may be too small for floats
}

// Σ s²/r dx at a place, linear between nodes, and its length; false where it is 0.
static bool find_first(const wall_field *field, mote_vec3 at, float first[FIELD_NUMBERS], float *size)
{
    if (!mote_field_find(field, at, first)) return false;
    *size = mote_field_length(first);
    return *size > 0;
}

// A curve where the first sum is so large. Beyond its value at a wall, as in an inner edge, it grows with it.
static float on_curve(const float *curve, float share)
{
    return field_on_curve(curve, share) * MOTE_MAX(share, 1);
}

mote_vec3 mote_field_place(const mote_fluid *fluid, const fluid_place *own)
{
    return mote_vec3_make(fluid->origin.x + (double)own->x, fluid->origin.y + (double)own->y,
                          fluid->origin.z + (double)own->z);
}

bool mote_field_reaches(const mote_fluid *fluid, const fluid_place *own)
{
    const mote_vec3 at = mote_field_place(fluid, own);
    for (uint32_t k = 0; k < fluid->field_count; ++k)
        if (mote_box_contains(((const wall_field *)fluid->fields.data)[k].reached, at)) return true;
    return false;
}

// What a field adds where its first sum is this.
static mote_wall_sums sums_where(const field_curves *curves, const float first[3], float size,
                                 const mote_wall_pressure *pressure)
{
    mote_wall_sums sums;
    const float share = size / (float)curves->full;
    const float across = on_curve(curves->across, share), along = on_curve(curves->along, share);
    float slope = 0;
    for (int c = 0; c < 3; ++c) slope += first[c] / size * pressure->slope[c];
    for (int c = 0; c < 3; ++c)
        sums.pressure[c] = pressure->both * first[c] + along * pressure->slope[c] +
                           (across - along) * slope * (first[c] / size);
    sums.drag = on_curve(curves->drag, share);
    return sums;
}

mote_wall_sums mote_field_sums_of(const mote_fluid *fluid, uint32_t number, const fluid_place *own,
                                  const mote_wall_pressure *pressure)
{
    const wall_field *field = (const wall_field *)fluid->fields.data + number;
    const mote_vec3 at = mote_field_place(fluid, own);
    float first[FIELD_NUMBERS], size;
    if (!mote_box_contains(field->reached, at) || !find_first(field, at, first, &size))
        return (mote_wall_sums){{0, 0, 0}, 0};
    return sums_where(fluid->field_curves.data, first, size, pressure);
}

mote_wall_sums mote_field_walls(const mote_fluid *fluid, const fluid_place *own, const float *known,
                                const mote_wall_pressure *pressure)
{
    mote_wall_sums all = {{0, 0, 0}, 0}, sums;
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        if (known) {
            const float *first = known + k * FIELD_STRIDE, size = mote_field_length(first);
            if (!(size > 0)) continue;
            sums = sums_where(fluid->field_curves.data, first, size, pressure);
        } else {
            sums = mote_field_sums_of(fluid, k, own, pressure);
        }
        for (int c = 0; c < 3; ++c) all.pressure[c] += sums.pressure[c];
        all.drag += sums.drag;
    }
    return all;
}

float mote_field_density(const mote_fluid *fluid, const fluid_place *own)
{
    const field_curves *curves = fluid->field_curves.data;
    float sum = 0, first[FIELD_NUMBERS], size;
    for (uint32_t k = 0; k < fluid->field_count; ++k)
        if (find_first((const wall_field *)fluid->fields.data + k, mote_field_place(fluid, own), first, &size))
            sum += on_curve(curves->density, size / (float)curves->full);
    return sum;
}
