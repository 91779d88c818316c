// SPDX-License-Identifier: MIT
// Triangles against boxes: separating axes against clipping in long double.

#include "mesh/tested.h"
#include "support/test.h"

// ------------------------------------------------------------------------------------------------- triangle, box

typedef struct polygon {
    long double at[16][3];
    int count;
} polygon;

// Cuts away what lies beyond `bound` along the axis, upwards (sign 1) or downwards (−1) (Sutherland & Hodgman 1974).
static polygon cut(const polygon *from, int axis, long double bound, int sign)
{
    polygon kept = {.count = 0};
    for (int i = 0; i < from->count; ++i) {
        const long double *p = from->at[i], *q = from->at[(i + 1) % from->count];
        const long double dp = sign * (p[axis] - bound), dq = sign * (q[axis] - bound);
        if (dp <= 0) memcpy(kept.at[kept.count++], p, sizeof kept.at[0]);
        if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
            long double *r = kept.at[kept.count++];
            for (int k = 0; k < 3; ++k) r[k] = p[k] + (q[k] - p[k]) * (dp / (dp - dq));
            r[axis] = bound;
        }
    }
    return kept;
}

// Whether anything of the triangle is left inside the box grown by `by`.
static bool clipping_leaves_something(mote_triangle t, mote_vec3 center, mote_vec3 half, long double by)
{
    polygon left = {{{t.a.x, t.a.y, t.a.z}, {t.b.x, t.b.y, t.b.z}, {t.c.x, t.c.y, t.c.z}}, 3};
    const double c[3] = {center.x, center.y, center.z}, h[3] = {half.x, half.y, half.z};
    for (int axis = 0; axis < 3; ++axis) {
        left = cut(&left, axis, (long double)c[axis] + h[axis] + by, 1);
        left = cut(&left, axis, (long double)c[axis] - h[axis] - by, -1);
    }
    return left.count > 0;
}

static mote_vec3 random_vector(mote_random *random, double size)
{
    double x = mote_random_unit(random), y = mote_random_unit(random), z = mote_random_unit(random);
    return mote_vec3_make(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

// Triangles of kinds by turns: any, small, slivers, in a plane of the box's faces, on a lattice, without area.
static mote_triangle random_triangle(mote_random *random, int kind)
{
    mote_triangle t = {random_vector(random, 2), random_vector(random, 2), random_vector(random, 2)};
    if (kind == 1) {
        t.b = mote_vec3_add_scaled(t.a, t.b, 0.1);
        t.c = mote_vec3_add_scaled(t.a, t.c, 0.1);
    }
    if (kind == 2) t.c = mote_vec3_add_scaled(mote_vec3_scale(mote_vec3_add(t.a, t.b), 0.5), t.c, 1e-9);
    if (kind == 3) t.a.x = t.b.x = t.c.x = mote_random_below(random, 5) / 2.0 - 1;
    if (kind == 4) {
        mote_vec3 *corners[3] = {&t.a, &t.b, &t.c};
        for (int k = 0; k < 3; ++k)
            *corners[k] = mote_vec3_make(mote_random_below(random, 9) / 2.0 - 2, mote_random_below(random, 9) / 2.0 - 2,
                                         mote_random_below(random, 9) / 2.0 - 2);
    }
    if (kind == 5) t.c = mote_random_below(random, 2) ? t.a : mote_vec3_scale(mote_vec3_add(t.a, t.b), 0.5);
    return t;
}

static void triangle_box_agrees_with_clipping(void **state)
{
    (void)state;
    mote_random random = {17};
    const int tries = SANITIZED ? 60000 : 1200000;
    int meeting = 0, parted = 0;
    for (int i = 0; i < tries; ++i) {
        mote_triangle t = random_triangle(&random, i % 6);
        mote_vec3 half = {0.5, 0.5, 0.5}, center = {0, 0, 0};
        if (i / 6 % 3 == 1) half = mote_vec3_make(mote_random_unit(&random), mote_random_unit(&random), 0);
        if (i / 6 % 3 == 2) center = random_vector(&random, 0.5);
        const bool meets = mote_triangle_meets_box(t, center, half);
        if (meets)
            CHECK(clipping_leaves_something(t, center, half, 1e-12L), "try %d: found, and there is nothing", i);
        else
            CHECK(!clipping_leaves_something(t, center, half, 0), "try %d: missed", i);
        meeting += meets;
        parted += !meets;
    }
    CHECK(meeting > tries / 10 && parted > tries / 10, "%d meet, %d do not", meeting, parted);
}

// All that touches is found at any size and place: with coordinates that are exact, and after they were rounded.
static void touching_triangles_meet_the_box(void **state)
{
    (void)state;
    const mote_triangle touching[] = {
        {{0.5, 0.5, 0.5}, {2, 1, 1}, {1, 2, 3}},            // a corner on a corner
        {{0.5, 0.1, 0.2}, {2, 1, 1}, {1, 2, 3}},            // a corner on a face
        {{1.5, -0.5, 0.25}, {-0.5, 1.5, 0.25}, {4, 4, 4}},  // an edge across an edge
        {{0.5, -9, -9}, {0.5, 9, -9}, {0.5, 0, 9}},         // in the plane of a face
        {{1.5, 0, 0}, {0, 1.5, 0}, {0, 0, 1.5}},            // a plane through a corner
    };
    mote_random random = {5};
    for (int k = 0; k < 5; ++k)
        for (int i = 0; i < 20000; ++i) {
            const double size = i ? exp(20 * (mote_random_unit(&random) - 0.5)) : 1;
            const mote_vec3 shift = i ? random_vector(&random, 100 * size) : mote_vec3_make(0, 0, 0);
            mote_triangle t = {mote_vec3_add_scaled(shift, touching[k].a, size),
                               mote_vec3_add_scaled(shift, touching[k].b, size),
                               mote_vec3_add_scaled(shift, touching[k].c, size)};
            // Rounding has moved the corners by up to 2^-53 of the shift: the box is as much larger.
            const double half = 0.5 * size + (i ? 0x1p-51 * 100 * size : 0);
            CHECK(mote_triangle_meets_box(t, shift, mote_vec3_make(half, half, half)), "triangle %d, size %g", k, size);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle_box_agrees_with_clipping),
        cmocka_unit_test(touching_triangles_meet_the_box),
    };
    RUN_TESTS(tests, argc, argv);
}
