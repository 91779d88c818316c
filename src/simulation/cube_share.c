// SPDX-License-Identifier: MIT
// How much of a cube lies in a body: it is cut into smaller ones, of each of which the part is that of a cube whose
// faces are parallel to the surface. So it is exact where a face of the body is parallel to one of the cube.
//
// Smaller cubes of an eighth of the cube that the surface does not come near are all within the body or all without it,
// as one distance tells.

#include <math.h>

#include "simulation/internal.h"

enum { POINTS = 4 };  // smaller cubes along an edge
static const double slack = 1e-6;  // of distances that decide for others, in smaller cubes

typedef struct cube_sum {
    cube_distance *distance;
    const void *body;
    double step;  // of smaller cubes
    bool is_flat;
    double filled;
    mote_vec3 center;
} cube_sum;

static void add_part(cube_sum *sum, mote_vec3 at, double distance)
{
    const double share = MOTE_MAX(0.0, MOTE_MIN(0.5 - distance / sum->step, 1.0));
    sum->filled += share;
    sum->center.x += share * at.x, sum->center.y += share * at.y, sum->center.z += share * at.z;
}

// The distance of the middle of an eighth of the cube, in 2D of a quarter, where all its smaller cubes are as much on
// one side of the surface as this; else NaN.
static double distance_for_all(const cube_sum *sum, mote_vec3 middle)
{
    const double reach = (0.5 * sqrt(sum->is_flat ? 2 : 3) + 0.5 + slack) * sum->step;
    const double distance = sum->distance(sum->body, middle, reach);
    return fabs(distance) >= reach ? distance : NAN;
}

double mote_cube_share(cube_distance *distance, const void *body, mote_vec3 middle, double edge, int dimensions,
                       mote_vec3 *center)
{
    const bool is_flat = dimensions == 2;
    cube_sum sum = {distance, body, edge / POINTS, is_flat, 0, {0, 0, 0}};
    const double step = sum.step;
    double of_parts[8];
    for (int k = 0; k < (is_flat ? 4 : 8); ++k) {
        const mote_vec3 at = {middle.x + step * (k & 1 ? 1 : -1), is_flat ? 0 : middle.y + step * (k & 4 ? 1 : -1),
                              middle.z + step * (k & 2 ? 1 : -1)};
        of_parts[k] = distance_for_all(&sum, at);
    }
    const int count = is_flat ? POINTS * POINTS : POINTS * POINTS * POINTS;
    for (int k = 0; k < count; ++k) {
        const int x = k % POINTS, z = k / POINTS % POINTS, y = k / (POINTS * POINTS);
        const double known = of_parts[(x >= POINTS / 2) + 2 * (z >= POINTS / 2) + 4 * (y >= POINTS / 2)];
        const mote_vec3 at = {middle.x + step * (x + 0.5 - 0.5 * POINTS),
                              is_flat ? 0 : middle.y + step * (y + 0.5 - 0.5 * POINTS),
                              middle.z + step * (z + 0.5 - 0.5 * POINTS)};
        add_part(&sum, at, isnan(known) ? distance(body, at, step) : known);
    }
    const double filled = sum.filled;
    if (center && filled > 0)
        *center = (mote_vec3){sum.center.x / filled, sum.center.y / filled, sum.center.z / filled};
    return filled / count;
}
