// SPDX-License-Identifier: MIT
// Moments of triangles, which replace distant triangles, to the second order (Barill et al. 2018, section 3).
//
// Moments are taken about the centroid of the area, so that those of a node follow from its children's by shifting.
// Only their symmetric part counts: they are multiplied with derivatives of 1/|x|, whose order does not matter.
// Because these are harmonic, traces do not count either.

#include "hits/closest.h"

#define PER_FOUR_PI 0.079577471545947668

// Indices into moments of two and three indices.
static const uint8_t pairs[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
static const uint8_t triples[10][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                       {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};
enum { X3, Y3, Z3, X2Y, X2Z, Y2X, Y2Z, Z2X, Z2Y, XYZ };

// ------------------------------------------------------------------------------------------------------- moments

static void add_shifted(hits_moments *sum, const hits_moments *part)
{
    const mote_vec3 apart = mote_vec3_sub(part->center, sum->center);
    const double by[3] = {apart.x, apart.y, apart.z}, *n = part->normal, *first = part->first;
    for (int t = 0; t < 10; ++t) {
        const uint8_t i = triples[t][0], j = triples[t][1], k = triples[t][2];
        const double once = first[pairs[i][j]] * by[k] + first[pairs[j][k]] * by[i] + first[pairs[k][i]] * by[j];
        const double twice = n[i] * by[j] * by[k] + n[j] * by[k] * by[i] + n[k] * by[i] * by[j];
        sum->second[t] += part->second[t] + (2 * once + twice) / 3;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        sum->first[i] += first[i] + n[i] * by[i];
        sum->first[3 + i] += first[3 + i] + (n[i] * by[j] + n[j] * by[i]) / 2;
        sum->normal[i] += n[i];
    }
    sum->spread += part->spread + part->area * mote_vec3_dot(apart, apart);
}

hits_moments mote_hits_moments_join(const hits_moments *parts, size_t count)
{
    hits_moments sum = {.center = parts[0].center};
    mote_vec3 center = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        sum.area += parts[i].area;
        center = mote_vec3_add_scaled(center, parts[i].center, parts[i].area);
    }
    // Where there is almost no area, any of the centres will do.
    if (sum.area > 0x1p-900) sum.center = mote_vec3_scale(center, 1 / sum.area);
    for (size_t i = 0; i < count; ++i) add_shifted(&sum, &parts[i]);
    return sum;
}

hits_moments mote_hits_moments_of_triangle(const mote_vec3 corner[3])
{
    const mote_triangle triangle = {corner[0], corner[1], corner[2]};
    const mote_vec3 sum = mote_vec3_add(mote_vec3_add(corner[0], corner[1]), corner[2]);
    const mote_vec3 normal = mote_vec3_scale(mote_triangle_cross(triangle), 0.5);
    hits_moments of = {.center = mote_vec3_scale(sum, 1.0 / 3), .normal = {normal.x, normal.y, normal.z}};
    of.area = mote_vec3_length(normal);
    double square[6] = {0};  // the mean of (x − center)_i·(x − center)_j
    for (int v = 0; v < 3; ++v) {
        const mote_vec3 apart = mote_vec3_sub(corner[v], of.center);
        const double at[3] = {apart.x, apart.y, apart.z};
        for (int i = 0; i < 3; ++i) {
            square[i] += at[i] * at[i] / 12;
            square[3 + i] += at[i] * at[(i + 1) % 3] / 12;
        }
    }
    for (int t = 0; t < 10; ++t) {
        const uint8_t i = triples[t][0], j = triples[t][1], k = triples[t][2];
        const double *n = of.normal;
        of.second[t] = (n[i] * square[pairs[j][k]] + n[j] * square[pairs[k][i]] + n[k] * square[pairs[i][j]]) / 3;
    }
    of.spread = of.area * (square[0] + square[1] + square[2]);
    return of;
}

// ------------------------------------------------------------------------------------------------------ from afar

// A bound that stays a bound when it is rounded to float, or is part of a sum of floats.
static float rounded_up(double bound)
{
    return (float)(bound * (1 + 0x1p-8)) + 0x1p-100f;
}

// Removes traces: from the first moments a third each, from the second (of i with itself, and k) a fifth.
static void set_child(hits_far_children *far, size_t child, const hits_moments *of, double unit)
{
    const double *first = of->first, *second = of->second;
    const double trace = (first[0] + first[1] + first[2]) / 3;
    const double x = (second[X3] + second[Y2X] + second[Z2X]) / 5, y = (second[X2Y] + second[Y3] + second[Z2Y]) / 5,
                 z = (second[X2Z] + second[Y2Z] + second[Z3]) / 5;
    const double scale2 = PER_FOUR_PI / (unit * unit), scale3 = scale2 / unit, scale4 = scale3 / unit;
    for (int k = 0; k < 3; ++k) far->zeroth[k][child] = (float)(of->normal[k] * scale2);
    far->first[0][child] = (float)(-3 * (first[0] - trace) * scale3);
    far->first[1][child] = (float)(-3 * (first[1] - trace) * scale3);
    for (int k = 0; k < 3; ++k) far->first[2 + k][child] = (float)(-6 * first[3 + k] * scale3);
    const double pure[6] = {second[Y2X] - x, second[Z2X] - x, second[X2Y] - y,
                            second[Z2Y] - y, second[X2Z] - z, second[Y2Z] - z};
    for (int k = 0; k < 6; ++k) far->second[k][child] = (float)(7.5 * pure[k] * scale4);
    far->second[6][child] = (float)(45 * second[XYZ] * scale4);
    const mote_vec3 at = {of->center.x - far->center[0], of->center.y - far->center[1], of->center.z - far->center[2]};
    far->at[0][child] = (float)(at.x / unit);
    far->at[1][child] = (float)(at.y / unit);
    far->at[2][child] = (float)(at.z / unit);
    far->radius[child] = rounded_up(of->radius / unit);
    far->rest[child] = rounded_up(of->spread * of->radius * scale4 / unit);
    far->rounding[child] = rounded_up(of->area * scale2 * 0x1p-16);
}

void mote_hits_far_children_set(hits_far_children *far, const hits_moments *node, const hits_moments *children,
                                size_t count)
{
    // A power of two, large enough that the reciprocal of its powers does not overflow.
    int exponent;
    (void)frexp(node->radius, &exponent);
    const double unit = ldexp(1, MOTE_MAX(exponent, -200));
    memset(far, 0, sizeof *far);
    far->center[0] = node->center.x;
    far->center[1] = node->center.y;
    far->center[2] = node->center.z;
    far->per_unit = 1 / unit;
    for (size_t i = 0; i < count; ++i) set_child(far, i, &children[i], unit);
}
