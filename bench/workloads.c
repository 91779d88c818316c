// SPDX-License-Identifier: MIT
// Point sets to measure with, the same to the last bit on every machine: splitmix64, all in double, then cast to float.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { FULL_COUNT = 1000000 };

static bool allocate(bench_points *points, size_t count, int dimensions)
{
    points->count = count;
    points->dimensions = dimensions;
    points->xyz = malloc((count ? count : 1) * (size_t)dimensions * sizeof(float));
    return points->xyz != NULL;
}

// A radius given for 10^6 points, scaled so that a point keeps as many neighbours.
static float scaled_radius(double radius, size_t count, int dimensions)
{
    double ratio = (double)FULL_COUNT / (double)(count ? count : 1);
    return count == FULL_COUNT ? (float)radius : (float)(radius * (dimensions == 3 ? cbrt(ratio) : sqrt(ratio)));
}

static bool make_uniform(size_t count, bench_points *points)
{
    if (!allocate(points, count, 3)) return false;
    points->radius = scaled_radius(0.0194172226, count, 3);
    mote_random random = {1};
    for (size_t i = 0; i < 3 * count; ++i) points->xyz[i] = (float)mote_random_unit(&random);
    return true;
}

// The smallest cube of at least `count` points, x fastest, cut to the first `count`.
static bool make_lattice(size_t count, bench_points *points)
{
    if (!allocate(points, count, 3)) return false;
    points->radius = 2;
    size_t side = 0;
    while (side * side * side < count) ++side;
    mote_random random = {2};
    for (size_t i = 0; i < count; ++i) {
        double at[3] = {(double)(i % side), (double)(i / side % side), (double)(i / side / side)};
        for (int k = 0; k < 3; ++k)
            points->xyz[3 * i + (size_t)k] = (float)(at[k] + 0.2 * mote_random_unit(&random) - 0.1);
    }
    return true;
}

static bool make_shuffled(size_t count, bench_points *points)
{
    if (!make_lattice(count, points)) return false;
    mote_random random = {3};
    for (size_t i = count; i-- > 1;) {
        size_t j = mote_random_below(&random, (uint32_t)i + 1);
        float swap[3];
        memcpy(swap, points->xyz + 3 * i, sizeof swap);
        memcpy(points->xyz + 3 * i, points->xyz + 3 * j, sizeof swap);
        memcpy(points->xyz + 3 * j, swap, sizeof swap);
    }
    return true;
}

static bool make_clustered(size_t count, bench_points *points)
{
    enum { CENTRES = 200 };
    if (!allocate(points, count, 3)) return false;
    points->radius = scaled_radius(0.0123, count, 3);
    mote_random random = {4};
    double centres[CENTRES][3];
    for (int c = 0; c < CENTRES; ++c)
        for (int k = 0; k < 3; ++k) centres[c][k] = mote_random_unit(&random);
    const double pi = 3.14159265358979323846;
    double sigma = cbrt(2500 / (pow(4 * pi, 1.5) * 30 * 5e5));
    for (size_t i = 0; i < count; ++i) {
        bool clustered = mote_random_unit(&random) < 0.5;
        const double *centre = clustered ? centres[mote_random_below(&random, CENTRES)] : NULL;
        for (int k = 0; k < 3; ++k)
            points->xyz[3 * i + (size_t)k] =
                (float)(centre ? centre[k] + sigma * mote_random_gauss(&random) : mote_random_unit(&random));
    }
    return true;
}

static bool make_sparse2d(size_t count, double radius, bench_points *points)
{
    if (!allocate(points, count, 2)) return false;
    points->radius = scaled_radius(radius, count, 2);
    mote_random random = {5};
    for (size_t i = 0; i < 2 * count; ++i) points->xyz[i] = (float)(mote_random_unit(&random) * 0x1p20);
    return true;
}

static bool make_sparse2d_1(size_t count, bench_points *points)
{
    return make_sparse2d(count, 591.737671, points);
}

static bool make_sparse2d_5(size_t count, bench_points *points)
{
    return make_sparse2d(count, 1323.55786, points);
}

static bool make_sparse2d_40(size_t count, bench_points *points)
{
    return make_sparse2d(count, 3747.26538, points);
}

// Uniform points whose radius holds so many others on average.
static bool make_crowd(size_t count, double neighbors, bench_points *points)
{
    if (!make_uniform(count, points)) return false;
    points->radius = (float)cbrt(neighbors / (4.1887902047863905 * (double)(count ? count : 1)));
    return true;
}

static bool make_crowd_4(size_t count, bench_points *points)
{
    return make_crowd(count, 4, points);
}

static bool make_crowd_16(size_t count, bench_points *points)
{
    return make_crowd(count, 16, points);
}

static bool make_crowd_64(size_t count, bench_points *points)
{
    return make_crowd(count, 64, points);
}

static bool make_crowd_256(size_t count, bench_points *points)
{
    return make_crowd(count, 256, points);
}

// Every point moves 0.05 in a direction drawn by rejection in the unit ball.
static void move_points(uint32_t step, bench_points *points)
{
    mote_random random = {1000 + (uint64_t)step};
    for (size_t i = 0; i < points->count; ++i) {
        double v[3], squared;
        do {
            for (int k = 0; k < 3; ++k) v[k] = 2 * mote_random_unit(&random) - 1;
            squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        } while (squared > 1 || squared == 0);
        float *at = points->xyz + 3 * i;
        for (int k = 0; k < 3; ++k) at[k] = (float)((double)at[k] + 0.05 / sqrt(squared) * v[k]);
    }
}

const bench_workload bench_point_workloads[] = {
    {"lattice", "a jittered cubic lattice, in order", true, false, make_lattice, NULL},
    {"uniform", "uniformly random in a cube", true, false, make_uniform, NULL},
    {"shuffled", "the lattice in random order", false, false, make_shuffled, NULL},
    {"moving", "the lattice, every point moves 0.05 before every update", false, false, make_lattice, move_points},
    {"clustered", "half of the points in 200 clusters", false, false, make_clustered, NULL},
    {"sparse2d_1", "a square, one neighbour per point", false, false, make_sparse2d_1, NULL},
    {"sparse2d_5", "a square, five neighbours per point", false, false, make_sparse2d_5, NULL},
    {"sparse2d_40", "a square, forty neighbours per point", false, false, make_sparse2d_40, NULL},
    {"crowd_4", "uniform in a cube, 4 neighbours per point", false, true, make_crowd_4, NULL},
    {"crowd_16", "the same, 16", false, true, make_crowd_16, NULL},
    {"crowd_64", "the same, 64", false, true, make_crowd_64, NULL},
    {"crowd_256", "the same, 256", false, true, make_crowd_256, NULL},
};
const size_t bench_point_workload_count = sizeof bench_point_workloads / sizeof *bench_point_workloads;
