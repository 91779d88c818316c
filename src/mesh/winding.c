// SPDX-License-Identifier: MIT
// Generalised winding number: the solid angles of all triangles, over 4π (Jacobson et al. 2013, eq. 5). hits/winding.c
// computes it faster for many points.
//
// The solid angle Ω of a triangle is twice the argument of a complex number (van Oosterom & Strackee 1983, eq. 8).
// Multiplying complex numbers adds their arguments, so that one arctangent is enough for the whole mesh: the product
// is computed, and each time its argument passes ±π a full turn is counted.

#include "base/elementary.h"
#include "mesh/internal.h"

#define PI 3.14159265358979323846

typedef struct complex_number {
    double re, im;
} complex_number;

// Between these limits the squares of products of coordinates neither underflow nor overflow.
#define LEAST 0x1p-120
#define MOST 0x1p120

static double largest_of(mote_vec3 a, mote_vec3 b, mote_vec3 c)
{
    double largest = 0;
    const double all[9] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    for (int k = 0; k < 9; ++k) largest = fabs(all[k]) > largest ? fabs(all[k]) : largest;
    return largest;
}

// The power of two that makes the largest coordinate about 1.
static double scale_of(double largest)
{
    int exponent = 0;
    if (largest > 0 && isfinite(largest)) frexp(largest, &exponent);
    return ldexp(1, -exponent < 1022 ? -exponent : 1022);
}

static mote_triangle scaled(mote_triangle triangle, double scale)
{
    const mote_triangle result = {mote_vec3_scale(triangle.a, scale), mote_vec3_scale(triangle.b, scale),
                                  mote_vec3_scale(triangle.c, scale)};
    return result;
}

// Half the solid angle of the triangle as an argument, with length 1; {1, 0} where the point lies on a corner. A
// degenerate triangle (a line) has none, but rounding may give one if the point is on it.
static complex_number half_solid_angle(mote_triangle triangle, mote_vec3 point)
{
    mote_vec3 a = mote_vec3_sub(triangle.a, point), b = mote_vec3_sub(triangle.b, point),
              c = mote_vec3_sub(triangle.c, point);
    const double farthest = largest_of(a, b, c);
    if (!(farthest > LEAST && farthest < MOST)) {
        const double scale = scale_of(farthest);
        const mote_triangle apart = scaled((mote_triangle){a, b, c}, scale);
        a = apart.a, b = apart.b, c = apart.c;
        triangle = scaled(triangle, scale);
    }
    double la = mote_vec3_length(a), lb = mote_vec3_length(b), lc = mote_vec3_length(c);
    double im = mote_vec3_dot(a, mote_vec3_cross(b, c));
    double re = la * lb * lc + mote_vec3_dot(a, b) * lc + mote_vec3_dot(b, c) * la + mote_vec3_dot(c, a) * lb;
    double length = sqrt(re * re + im * im);
    complex_number one = {1, 0}, unit = {re / length, im / length};
    if (re <= 0x1p-30 * (la * lb * lc) && mote_triangle_is_line(triangle)) return one;
    return length > 0 ? unit : one;
}

static void turn(mote_winding *winding, complex_number factor)
{
    complex_number next = {winding->re * factor.re - winding->im * factor.im,
                           winding->re * factor.im + winding->im * factor.re};
    if (winding->im >= 0 && factor.im >= 0 && next.im < 0) winding->turns += 1;
    if (winding->im < 0 && factor.im < 0 && next.im >= 0) winding->turns -= 1;
    // One step of Newton's iteration for 1/length keeps the product at length 1.
    double scale = 1.5 - 0.5 * (next.re * next.re + next.im * next.im);
    winding->re = next.re * scale;
    winding->im = next.im * scale;
}

void mote_winding_add(mote_winding *winding, mote_triangle triangle, mote_vec3 point)
{
    turn(winding, half_solid_angle(triangle, point));
}

void mote_winding_join(mote_winding *winding, const mote_winding *other)
{
    complex_number factor = {other->re, other->im};
    turn(winding, factor);
    winding->turns += other->turns;
}

double mote_winding_number(const mote_winding *winding)
{
    return (mote_atan2(winding->im, winding->re) + 2 * PI * winding->turns) / (2 * PI);
}

double mote_mesh_winding_number(const mote_mesh *mesh, mote_vec3 point)
{
    if (!mesh) return 0;
    mote_winding winding = mote_winding_none();
    for (size_t t = 0; t < mesh->triangle_count; ++t) mote_winding_add(&winding, mote_mesh_triangle(mesh, t), point);
    return mote_winding_number(&winding);
}
