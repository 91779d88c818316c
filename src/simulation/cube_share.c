// SPDX-License-Identifier: MIT
// How much of a cube lies in a body: it is cut into smaller ones, of each of which the part is that of a cube whose
// faces are parallel to the surface. So it is exact where a face of the body is parallel to one of the cube.

#include "simulation/internal.h"

enum { POINTS = 4 };  // smaller cubes along an edge

double mote_cube_share(cube_distance *distance, const void *body, mote_vec3 middle, double edge, int dimensions,
                       mote_vec3 *center)
{
    const double step = edge / POINTS;
    const bool is_flat = dimensions == 2;
    const int count = is_flat ? POINTS * POINTS : POINTS * POINTS * POINTS;
    double filled = 0;
    mote_vec3 sum = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
        const mote_vec3 at = {middle.x + step * (k % POINTS + 0.5 - 0.5 * POINTS),
                              is_flat ? 0 : middle.y + step * (k / (POINTS * POINTS) + 0.5 - 0.5 * POINTS),
                              middle.z + step * (k / POINTS % POINTS + 0.5 - 0.5 * POINTS)};
        const double share = MOTE_MAX(0.0, MOTE_MIN(0.5 - distance(body, at, step) / step, 1.0));
        filled += share;
        sum.x += share * at.x, sum.y += share * at.y, sum.z += share * at.z;
    }
    if (center && filled > 0) *center = (mote_vec3){sum.x / filled, sum.y / filled, sum.z / filled};
    return filled / count;
}
