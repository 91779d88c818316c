// SPDX-License-Identifier: MIT
// Signs of determinants (Shewchuk 1997): in doubles where the sign is certain, else by sums of doubles that do not
// overlap (expansions), which are exact.

#include <math.h>

#include "base/twice.h"
#include "mesh/exact.h"

// Rounding unit, and bounds of the errors relative to the sums of magnitudes (Shewchuk 1997, section 4.3).
static const double epsilon = 0x1p-53;

// An exact sum: its parts grow in size, and do not overlap.
typedef struct expansion {
    double parts[192];
    int count;
} expansion;

// Adds a number (Shewchuk 1997, figure 6, without zeros).
static void grow(expansion *sum, double number)
{
    int count = 0;
    for (int i = 0; i < sum->count; ++i) {
        const mote_twice both = mote_twice_sum(number, sum->parts[i]);
        number = both.high;
        if (both.low != 0) sum->parts[count++] = both.low;
    }
    if (number != 0) sum->parts[count++] = number;
    sum->count = count;
}

// Adds a · b · sign for expansions a and b.
static void add_product(expansion *sum, const expansion *a, const expansion *b, double sign)
{
    for (int i = 0; i < a->count; ++i)
        for (int k = 0; k < b->count; ++k) {
            const mote_twice product = mote_twice_product(a->parts[i], b->parts[k]);
            grow(sum, sign * product.low);
            grow(sum, sign * product.high);
        }
}

static expansion difference(double a, double b)
{
    const mote_twice both = mote_twice_sum(a, -b);
    expansion made;
    made.count = 0;
    if (both.low != 0) made.parts[made.count++] = both.low;
    if (both.high != 0) made.parts[made.count++] = both.high;
    return made;
}

// The largest part decides.
static int sign_of(const expansion *sum)
{
    if (sum->count == 0) return 0;
    return sum->parts[sum->count - 1] > 0 ? 1 : -1;
}

static int exact_side_of_plane(const double rows[3][3], const double d[3])
{
    expansion off[3][3], sum;
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) off[r][k] = difference(rows[r][k], d[k]);
    sum.count = 0;
    for (int r = 0; r < 3; ++r) {
        const int p = (r + 1) % 3, q = (r + 2) % 3;
        expansion minor;
        minor.count = 0;
        add_product(&minor, &off[p][0], &off[q][1], 1);
        add_product(&minor, &off[p][1], &off[q][0], -1);
        add_product(&sum, &minor, &off[r][2], 1);
    }
    return sign_of(&sum);
}

int mote_side_of_plane(mote_vec3 a, mote_vec3 b, mote_vec3 c, mote_vec3 d)
{
    const double ax = a.x - d.x, ay = a.y - d.y, az = a.z - d.z;
    const double bx = b.x - d.x, by = b.y - d.y, bz = b.z - d.z;
    const double cx = c.x - d.x, cy = c.y - d.y, cz = c.z - d.z;
    const double determinant = az * (bx * cy - by * cx) + bz * (cx * ay - cy * ax) + cz * (ax * by - ay * bx);
    const double size = fabs(az) * (fabs(bx * cy) + fabs(by * cx)) + fabs(bz) * (fabs(cx * ay) + fabs(cy * ax)) +
                        fabs(cz) * (fabs(ax * by) + fabs(ay * bx));
    const double bound = (7 + 56 * epsilon) * epsilon * size;
    if (determinant > bound) return 1;
    if (determinant < -bound) return -1;
    const double rows[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}, last[3] = {d.x, d.y, d.z};
    return exact_side_of_plane(rows, last);
}

int mote_side_of_line(mote_vec3 a, mote_vec3 b, mote_vec3 c, int u, int v)
{
    const double at[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
    const double left = (at[0][u] - at[2][u]) * (at[1][v] - at[2][v]);
    const double right = (at[0][v] - at[2][v]) * (at[1][u] - at[2][u]);
    const double determinant = left - right, bound = (3 + 16 * epsilon) * epsilon * (fabs(left) + fabs(right));
    if (determinant > bound) return 1;
    if (determinant < -bound) return -1;
    const expansion au = difference(at[0][u], at[2][u]), bu = difference(at[1][u], at[2][u]);
    const expansion av = difference(at[0][v], at[2][v]), bv = difference(at[1][v], at[2][v]);
    expansion sum;
    sum.count = 0;
    add_product(&sum, &au, &bv, 1);
    add_product(&sum, &av, &bu, -1);
    return sign_of(&sum);
}
