// SPDX-License-Identifier: MIT
#include "support/winding.h"

#include <math.h>

#include "base/tested.h"
#include "support/test.h"

// At least 64 bits, where there is no wider one.
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
#define WIDE_ERROR 0x1p-100
#else
typedef long double wide;
#define WIDE_ERROR 0x1p-55
#endif

typedef struct wide3 {
    wide x, y, z;
} wide3;

static wide3 apart(mote_vec3 a, mote_vec3 from)
{
    const wide3 made = {(wide)a.x - from.x, (wide)a.y - from.y, (wide)a.z - from.z};
    return made;
}

static double size_of(mote_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

// The sign of det(a, b, c), all seen from `from`, where 1 and −1 are certain.
static int sign_of(mote_vec3 a, mote_vec3 b, mote_vec3 c, mote_vec3 from)
{
    const mote_vec3 u = mote_vec3_sub(a, from), v = mote_vec3_sub(b, from), w = mote_vec3_sub(c, from);
    const double size = size_of(u) * size_of(v) * size_of(w), value = mote_vec3_dot(u, mote_vec3_cross(v, w));
    if (fabs(value) > 0x1p-45 * size) return value > 0 ? 1 : -1;
    const wide3 x = apart(a, from), y = apart(b, from), z = apart(c, from);
    const wide det = x.x * (y.y * z.z - y.z * z.y) + x.y * (y.z * z.x - y.x * z.z) + x.z * (y.x * z.y - y.y * z.x);
    const wide error = (wide)WIDE_ERROR * size;
    return det > error ? 1 : det < -error ? -1 : 0;
}

// What the triangle adds to the number, of a line of sight to `end`; false where that is not certain.
static bool add_triangle(mote_vec3 point, mote_vec3 end, const mote_vec3 corner[3], int *sum, bool *on_surface)
{
    int sides[3], above = 0, below = 0;
    for (int k = 0; k < 3; ++k) {
        sides[k] = sign_of(end, corner[(k + 1) % 3], corner[(k + 2) % 3], point);
        above += sides[k] > 0;
        below += sides[k] < 0;
    }
    if (above && below) return true;
    if (above + below < 3) return false;
    // The line goes through: ahead, or behind.
    const int start = sign_of(corner[0], corner[1], corner[2], point);
    if (start == 0) *on_surface = true;
    if (start == 0) return true;
    if (start == (above ? 1 : -1)) *sum += start;
    return true;
}

int winding_exact(const mote_mesh *mesh, const mote_vec3 *vertices, mote_vec3 point)
{
    mote_random random = {11};
    mote_vec3 low = vertices[0], high = vertices[0];
    for (size_t v = 1; v < mesh->vertex_count; ++v) {
        low = mote_vec3_min(low, vertices[v]);
        high = mote_vec3_max(high, vertices[v]);
    }
    const double size = mote_vec3_length(mote_vec3_sub(high, low));
    for (int tries = 0; tries < 50; ++tries) {
        const mote_vec3 way = {size * (mote_random_unit(&random) - 0.5), size * (mote_random_unit(&random) - 0.5),
                               size * (mote_random_unit(&random) - 0.5)};
        const mote_vec3 end = mote_vec3_add(point, way);
        int sum = 0;
        bool on_surface = false, known = true;
        for (size_t t = 0; t < mesh->triangle_count && known; ++t) {
            mote_vec3 corner[3];
            for (size_t k = 0; k < 3; ++k) corner[k] = vertices[mesh->triangles[3 * t + k]];
            known = add_triangle(point, end, corner, &sum, &on_surface);
        }
        if (known) return on_surface ? WINDING_ON_SURFACE : sum;
    }
    return WINDING_ON_SURFACE;
}
