// SPDX-License-Identifier: MIT
// What a flat wall does, as functions of the distance from it. The wall is made of the layers that a tank has behind
// its sides, so that water stands before a field as before layers.

#include <math.h>

#include "fluid/internal.h"
#include "fluid/wall_field.h"

enum { DISTANCES = 256, RULE = 200, FINER = 8 };

typedef struct plane_sums {
    double first, across, along, drag, density;
} plane_sums;

// Adds the particles of a lattice in a plane that is dz away.
static void add_plane(int dimensions, double h, double d, double dz, plane_sums *sums)
{
    const int reach = (int)ceil(h / d), depth = dimensions == 3 ? reach : 0;
    for (int j = -depth; j <= depth; ++j)
        for (int i = -reach; i <= reach; ++i) {
            const double dx = i * d, dy = j * d, squared = dx * dx + dy * dy + dz * dz, r = sqrt(squared), s = h - r;
            if (!(s > 0) || r == 0) continue;
            const double slope = s * s / r, q = 1 - squared / (h * h);
            sums->first += slope * dz;
            sums->across += slope * dz * dz;
            sums->along += slope * dx * dx;
            sums->drag += s;
            sums->density += q * q * q;
        }
}

static plane_sums sums_at(int dimensions, double h, double d, double distance)
{
    plane_sums sums = {0, 0, 0, 0, 0};
    for (int k = 0; distance + (k + 0.5) * d < h; ++k) add_plane(dimensions, h, d, distance + (k + 0.5) * d, &sums);
    return sums;
}

void mote_field_find_curves(int dimensions, double h, double spacing, field_curves *curves)
{
    curves->full = sums_at(dimensions, h, spacing, 0).first;
    curves->middle = sums_at(dimensions, h, spacing, spacing / 2).first;
    plane_sums far = {0, 0, 0, 0, 0};
    int share = 0;
    for (int k = DISTANCES; k >= 0; --k) {
        const plane_sums near = sums_at(dimensions, h, spacing, h * k / DISTANCES);
        for (; share <= FIELD_CURVE && (k == 0 || curves->full * share / FIELD_CURVE <= near.first); ++share) {
            const double span = near.first - far.first, wanted = curves->full * share / FIELD_CURVE;
            const double part = span > 0 ? (wanted - far.first) / span : 0;
            curves->across[share] = (float)(far.across + part * (near.across - far.across));
            curves->along[share] = (float)(far.along + part * (near.along - far.along));
            curves->drag[share] = (float)(far.drag + part * (near.drag - far.drag));
            curves->density[share] = (float)(far.density + part * (near.density - far.density));
        }
        far = near;
    }
}

double mote_field_half_space(int dimensions, double h, double spacing)
{
    const double t = spacing / 2, dz = (h - t) / RULE;
    double sum = 0;
    for (int k = 0; k < RULE; ++k) {
        const double z = t + (k + 0.5) * dz;
        if (dimensions == 3) {  // in the plane the area is 2π r dr
            sum += 2 * 3.14159265358979323846 * z * (h - z) * (h - z) * (h - z) / 3 * dz;
            continue;
        }
        const double width = sqrt(h * h - z * z), dx = width / RULE;
        for (int i = 0; i < RULE; ++i) {
            const double x = (i + 0.5) * dx, r = sqrt(x * x + z * z), s = h - r;
            sum += 2 * s * s / r * z * dx * dz;
        }
    }
    return sum / (dimensions == 3 ? spacing * spacing * spacing : spacing * spacing);
}

// ---------------------------------------------------------------------------------------------------- the solver weak

typedef struct weak_sums {
    double lean, filling, crowding, curves[WEAK_CROWDING];
} weak_sums;

// Adds the points of a lattice of edge e in a plane that is dz away. Volumes are in units of d^D.
static void add_weak_plane(const mote_fluid *fluid, double e, double dz, weak_sums *sums)
{
    const weak_kernel *kernel = &fluid->weak.kernel;
    const mote_kernel *of = mote_kernels[kernel->id];
    const double h = fluid->def.support, share = e / fluid->def.spacing;
    const double volume = fluid->def.dimensions == 3 ? share * share * share : share * share;
    const int reach = (int)ceil(h / e), depth = fluid->def.dimensions == 3 ? reach : 0;
    for (int j = -depth; j <= depth; ++j)
        for (int i = -reach; i <= reach; ++i) {
            const double dx = i * e, dy = j * e, squared = dx * dx + dy * dy + dz * dz, s = 1 - sqrt(squared) / h;
            if (!(s > 0)) continue;
            const double slope = volume * (double)kernel->gradient * of->lean(s), shape = of->shape(s);
            const double ratio = shape * (double)kernel->lattice_value;
            const double stiff = slope * dz / (squared + (double)kernel->tiny);
            sums->lean += slope * dz;
            sums->filling += volume * shape;
            sums->crowding += slope * dz * (1 + 0.2 * ratio * ratio * ratio * ratio);
            sums->curves[WEAK_ACROSS] += slope * dz * dz, sums->curves[WEAK_ALONG] += slope * dx * dx;
            sums->curves[WEAK_STIFF_ACROSS] += stiff * dz * dz, sums->curves[WEAK_STIFF_ALONG] += stiff * dx * dx;
        }
}

static weak_sums weak_sums_at(const mote_fluid *fluid, double e, double distance)
{
    weak_sums sums = {0};
    for (int k = 0; distance + (k + 0.5) * e < fluid->def.support; ++k)
        add_weak_plane(fluid, e, distance + (k + 0.5) * e, &sums);
    return sums;
}

// The sums of a wall that is not made of layers, half a spacing from it, as smooth as a field has them.
static weak_sums smooth_sums(const mote_fluid *fluid, double smoothing)
{
    const double e = fluid->def.spacing / FINER, at = fluid->def.spacing / 2, step = fluid->def.spacing / 4;
    const weak_sums there = weak_sums_at(fluid, e, at), near = weak_sums_at(fluid, e, at - step);
    const weak_sums far = weak_sums_at(fluid, e, at + step);
    weak_sums sums = there;
    sums.lean += smoothing * (near.lean + far.lean - 2 * there.lean) / (step * step);
    sums.filling += smoothing * (near.filling + far.filling - 2 * there.filling) / (step * step);
    return sums;
}

void mote_weak_find_curves(const mote_fluid *fluid, double smoothing, weak_field_curves *curves)
{
    const double d = fluid->def.spacing, h = fluid->def.support;
    const double cell = fluid->def.dimensions == 3 ? d * d * d : d * d;
    const weak_sums wall = weak_sums_at(fluid, d, d / 2), whole = smooth_sums(fluid, smoothing);
    curves->lean_scale = cell * wall.lean / whole.lean;
    curves->filling_scale = cell * wall.filling / whole.filling;
    curves->full = cell * weak_sums_at(fluid, d, 0).filling;
    weak_sums far = {0};
    int share = 0;
    for (int k = DISTANCES; k >= 0; --k) {
        const weak_sums near = weak_sums_at(fluid, d, h * k / DISTANCES);
        for (; share <= FIELD_CURVE && (k == 0 || curves->full * share / FIELD_CURVE <= cell * near.filling); ++share) {
            const double span = near.filling - far.filling, wanted = curves->full * share / FIELD_CURVE / cell;
            const double part = span > 0 ? (wanted - far.filling) / span : 0;
            for (int c = 0; c < WEAK_CROWDING; ++c)
                curves->at[c][share] = (float)(cell * (far.curves[c] + part * (near.curves[c] - far.curves[c])));
            curves->at[WEAK_CROWDING][share] = near.lean > 0 ? (float)(near.crowding / near.lean) : 1;
            curves->at[WEAK_DISTANCE][share] = (float)(h * (k + 1 - part) / DISTANCES);
        }
        far = near;
    }
}
