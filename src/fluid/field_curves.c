// SPDX-License-Identifier: MIT
// What a flat wall does, as functions of the distance from it. The wall is made of the layers that a tank has behind
// its sides, so that water stands before a field as before layers.

#include <math.h>

#include "base/internal.h"
#include "fluid/wall_field.h"

enum { DISTANCES = 256, RULE = 200 };

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
