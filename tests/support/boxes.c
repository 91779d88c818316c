// SPDX-License-Identifier: MIT
#include "support/boxes.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------------------------------------------- making

const char *box_kind_name(box_kind kind)
{
    static const char *const names[] = {"mixed", "uniform", "grid", "coincident", "flat", "far", "outlier", "clusters"};
    return names[kind];
}

mote_bounds box_random(mote_random *random, box_kind kind, int dimensions)
{
    mote_bounds box = {{7, 7, 7}, {-7, -7, -7}};  // what 2D must not look at
    uint32_t rare = mote_random_below(random, 150), spot = mote_random_below(random, 5);
    double size = 0.3 * ldexp(1, -(int)mote_random_below(random, 20));
    for (int k = 0; k < dimensions; ++k) {
        double at = 10 * (mote_random_unit(random) - 0.5), edge = size * (0.5 + mote_random_unit(random));
        switch (kind) {
        case BOXES_MIXED:
        case BOX_KINDS: break;
        case BOXES_UNIFORM: edge = 0.4 + 0.4 * mote_random_unit(random); break;
        case BOXES_GRID:
            at = (double)mote_random_below(random, 17) / 2 - 4;
            edge = ldexp(mote_random_below(random, 3), -(int)mote_random_below(random, 3));
            break;
        case BOXES_COINCIDENT:
            at = (double)spot;
            edge = spot;
            break;
        case BOXES_FLAT:
            at = floor(4 * at) / 4;
            edge = mote_random_below(random, 3) ? 0 : edge;
            break;
        case BOXES_FAR:
            at += k == 1 ? -1e6 : 1e6;
            edge *= 4;
            break;
        case BOXES_OUTLIER:
            if (rare == 0) at = k == 0 ? 1e30 : -1e30;
            if (rare == 1) at = -1e30, edge = 2.5e30;
            if (rare == 2) at = -3e38, edge = 6e38;
            if (rare == 3) edge = ldexp(1, -140), at = 0;
            break;
        case BOXES_CLUSTERS:
            at = 3 * (double)spot - 6 + 0.05 * mote_random_gauss(random);
            edge *= 0.1;
            break;
        }
        box.min[k] = (float)at;
        box.max[k] = (float)(at + edge);
    }
    return box;
}

mote_filter filter_random(mote_random *random)
{
    mote_filter filter = {(uint64_t)1 << (20 * mote_random_below(random, 4)), UINT64_MAX};
    if (mote_random_below(random, 3) == 0) filter.mask = mote_random_next(random);
    return filter;
}

void world_put(box_world *world, uint32_t id, const mote_bounds *box, mote_filter filter, bool is_static)
{
    if (id >= sizeof world->objects / sizeof *world->objects) abort();
    world->objects[id] = (world_object){*box, filter, true, is_static};
    if (id >= world->count) world->count = id + 1;
}

// ------------------------------------------------------------------------------------------------- brute force

bool world_boxes_meet(const mote_bounds *a, const mote_bounds *b, int dimensions)
{
    for (int k = 0; k < dimensions; ++k)
        if (a->min[k] > b->max[k] || b->min[k] > a->max[k]) return false;
    return true;
}

bool world_filters_meet(mote_filter a, mote_filter b)
{
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

double world_squared_distance(const mote_bounds *box, const float at[3], int dimensions)
{
    double d[3] = {0, 0, 0};
    for (int k = 0; k < dimensions; ++k) {
        if (at[k] < box->min[k]) d[k] = (double)box->min[k] - (double)at[k];
        if (at[k] > box->max[k]) d[k] = (double)at[k] - (double)box->max[k];
    }
    double xx = d[0] * d[0], yy = d[1] * d[1], zz = d[2] * d[2], sum = xx + yy;
    return sum + zz;
}

bool world_sphere_meets(const mote_bounds *box, const float at[3], float radius, int dimensions)
{
    return world_squared_distance(box, at, dimensions) <= (double)radius * (double)radius;
}

// The tests of the two axes that a moving box's separating axis lies across.
static bool crosses_meet(const double m[3], const double v[3], const double e[3], int dimensions)
{
    static const int axes[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    for (int p = 0; p < (dimensions == 3 ? 3 : 1); ++p) {
        int x = axes[p][0], y = axes[p][1];
        double left = m[x] * v[y], right = m[y] * v[x], reach = e[x] * fabs(v[y]), other = e[y] * fabs(v[x]);
        if (fabs(left - right) > reach + other) return false;
    }
    return true;
}

bool world_segment_meets(const mote_bounds *box, const float a[3], const float b[3], int dimensions)
{
    double m[3], v[3], e[3];
    for (int k = 0; k < dimensions; ++k) {
        if ((a[k] < b[k] ? a[k] : b[k]) > box->max[k] || (a[k] > b[k] ? a[k] : b[k]) < box->min[k]) return false;
        v[k] = (double)b[k] - (double)a[k];
        m[k] = (2 * (double)a[k] + v[k]) - ((double)box->min[k] + (double)box->max[k]);
        e[k] = (double)box->max[k] - (double)box->min[k];
    }
    return crosses_meet(m, v, e, dimensions);
}

bool world_sweep_meets(const mote_bounds *box, const mote_bounds *moving, const float motion[3], int dimensions)
{
    double m[3], v[3], e[3];
    for (int k = 0; k < dimensions; ++k) {
        double min = (double)moving->min[k], max = (double)moving->max[k];
        v[k] = (double)motion[k];
        if (v[k] < 0 ? min + v[k] > (double)box->max[k] || max < (double)box->min[k]
                     : min > (double)box->max[k] || max + v[k] < (double)box->min[k])
            return false;
        m[k] = ((min + max) + v[k]) - ((double)box->min[k] + (double)box->max[k]);
        e[k] = (max - min) + ((double)box->max[k] - (double)box->min[k]);
    }
    return crosses_meet(m, v, e, dimensions);
}

bool world_pair_meets(const box_world *world, uint32_t a, uint32_t b)
{
    const world_object *x = &world->objects[a], *y = &world->objects[b];
    return x->alive && y->alive && !(x->is_static && y->is_static) && world_filters_meet(x->filter, y->filter) &&
           world_boxes_meet(&x->box, &y->box, world->dimensions);
}

mote_pair *world_pairs(const box_world *world, size_t *count)
{
    size_t room = 1024, found = 0;
    mote_pair *pairs = malloc(room * sizeof *pairs);
    for (uint32_t a = 0; a < world->count; ++a)
        for (uint32_t b = a + 1; b < world->count; ++b) {
            if (!world_pair_meets(world, a, b)) continue;
            if (found == room) pairs = realloc(pairs, (room *= 2) * sizeof *pairs);
            pairs[found++] = (mote_pair){a, b};
        }
    *count = found;
    return pairs;
}
