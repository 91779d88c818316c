// SPDX-License-Identifier: MIT
// Boxes to measure broad phases with, the same on every machine: splitmix64, all in double, every corner rounded to a
// grid that is coarser than what libm's sin and cos may differ by, then cast to float, which holds it exactly.

#include <math.h>
#include <stdlib.h>

#include "bench.h"

static const double pi = 3.14159265358979323846;

// Objects of a few sizes, anywhere in a square or cube, and motions through it.
typedef struct size_class {
    double share;    // of the objects, with those of the classes before
    double average;  // edge
} size_class;

typedef struct mixture {
    int dimensions;
    double side, grid, longest_motion;
    uint64_t seed;
    size_class classes[3];
} mixture;

static const mixture mixture_a1 = {2, 8192, 0x1p-9, 16, 1, {{0.10, 1024}, {0.35, 64}, {1, 8}}};
static const mixture mixture_a2 = {3, 1024, 0x1p-12, 2, 2, {{0.01, 128}, {0.10, 16}, {1, 2}}};

static double on_grid(double value, double grid)
{
    return floor(value / grid + 0.5) * grid;
}

static bool allocate(bench_boxes *boxes, size_t count, int dimensions)
{
    boxes->count = count;
    boxes->dimensions = dimensions;
    boxes->corners = calloc(count ? count : 1, 6 * sizeof(float));
    return boxes->corners != NULL;
}

static void put(bench_boxes *boxes, size_t i, int axis, double low, double high, double grid)
{
    boxes->corners[6 * i + (size_t)axis] = (float)on_grid(low, grid);
    boxes->corners[6 * i + 3 + (size_t)axis] = (float)on_grid(high, grid);
}

// A uniformly random unit vector: an angle, in 3D after a height.
static void draw_direction(mote_random *random, int dimensions, double direction[3])
{
    double z = dimensions == 3 ? 2 * mote_random_unit(random) - 1 : 0;
    double a = 2 * pi * mote_random_unit(random), across = sqrt(1 - z * z);
    direction[0] = across * cos(a);
    direction[1] = across * sin(a);
    direction[2] = z;
}

static bool make_mixture(const mixture *of, size_t count, bench_boxes *boxes)
{
    if (!allocate(boxes, count, of->dimensions)) return false;
    mote_random random = {of->seed};
    for (size_t i = 0; i < count; ++i) {
        double pick = mote_random_unit(&random);
        const size_class *class = of->classes;
        while (pick >= class->share) ++class;
        for (int k = 0; k < of->dimensions; ++k) {
            double edge = class->average * (0.5 + mote_random_unit(&random));
            double centre = mote_random_unit(&random) * of->side;
            put(boxes, i, k, centre - edge / 2, centre + edge / 2, of->grid);
        }
    }
    return true;
}

// The boxes of motions: a length, where it starts, and its direction.
static bool make_motions(const mixture *of, size_t count, bench_boxes *boxes)
{
    if (!allocate(boxes, count, of->dimensions)) return false;
    mote_random random = {of->seed ^ 0xABCDEF};
    for (size_t i = 0; i < count; ++i) {
        double length = mote_random_unit(&random) * of->longest_motion, start[3] = {0, 0, 0}, direction[3];
        for (int k = 0; k < of->dimensions; ++k) start[k] = mote_random_unit(&random) * of->side;
        draw_direction(&random, of->dimensions, direction);
        for (int k = 0; k < of->dimensions; ++k) {
            double end = start[k] + length * direction[k];
            put(boxes, i, k, fmin(start[k], end), fmax(start[k], end), of->grid);
        }
    }
    return true;
}

static bool make_a1(size_t count, bench_boxes *boxes)
{
    return make_mixture(&mixture_a1, count, boxes);
}

static bool make_a1_motions(size_t count, bench_boxes *boxes)
{
    return make_motions(&mixture_a1, count, boxes);
}

static bool make_a2(size_t count, bench_boxes *boxes)
{
    return make_mixture(&mixture_a2, count, boxes);
}

static bool make_a2_motions(size_t count, bench_boxes *boxes)
{
    return make_motions(&mixture_a2, count, boxes);
}

static bool make_a3(size_t count, bench_boxes *boxes)
{
    if (!allocate(boxes, count, 3)) return false;
    mote_random random = {3};
    for (size_t i = 0; i < count; ++i) {
        double radius = (1.0 / 16 + 3.0 / 16 * mote_random_unit(&random)) / 2;
        for (int k = 0; k < 3; ++k) {
            double centre = mote_random_unit(&random);
            put(boxes, i, k, centre - radius, centre + radius, 0x1p-20);
        }
    }
    return true;
}

// The boxes that particles of a diameter of 1/64 sweep.
static bool make_a3_motions(size_t count, bench_boxes *boxes)
{
    if (!allocate(boxes, count, 3)) return false;
    const double radius = 1.0 / 128;
    mote_random random = {33};
    for (size_t i = 0; i < count; ++i) {
        double length = mote_random_unit(&random) / 64, direction[3];
        draw_direction(&random, 3, direction);
        for (int k = 0; k < 3; ++k) {
            double start = mote_random_unit(&random), end = start + length * direction[k];
            put(boxes, i, k, fmin(start, end) - radius, fmax(start, end) + radius, 0x1p-20);
        }
    }
    return true;
}

// Every object of A2 has a velocity of 0.5, and turns round where its centre would leave the cube.
static void make_a4_velocities(const bench_boxes *boxes, float *velocities)
{
    mote_random random = {mixture_a2.seed ^ 0x777};
    for (size_t i = 0; i < boxes->count; ++i) {
        double direction[3];
        draw_direction(&random, 3, direction);
        for (size_t k = 0; k < 3; ++k) velocities[3 * i + k] = (float)on_grid(0.5 * direction[k], mixture_a2.grid);
    }
}

static void move_a4(bench_boxes *boxes, float *velocities)
{
    for (size_t i = 0; i < boxes->count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            float *low = boxes->corners + 6 * i + k, *high = low + 3, *velocity = velocities + 3 * i + k;
            double next = ((double)*low + (double)*high) / 2 + (double)*velocity;
            if (next < 0 || next > mixture_a2.side) *velocity = -*velocity;
            *low += *velocity;
            *high += *velocity;
        }
    }
}

const bench_box_workload bench_box_workloads[] = {
    {"A1", "a square, three sizes in the ratio 1 : 8 : 128, short motions", true, 1000, 1000000, make_a1,
     make_a1_motions, NULL, NULL},
    {"A1", NULL, false, 4000, 1000000, make_a1, make_a1_motions, NULL, NULL},
    {"A1", NULL, true, 16000, 1000000, make_a1, make_a1_motions, NULL, NULL},
    {"A1", NULL, false, 64000, 1000000, make_a1, make_a1_motions, NULL, NULL},
    {"A2", "a cube, three sizes in the ratio 1 : 8 : 64, short motions", true, 100000, 1000000, make_a2,
     make_a2_motions, NULL, NULL},
    {"A2", NULL, false, 1000, 1000000, make_a2, make_a2_motions, NULL, NULL},
    {"A2", NULL, false, 10000, 1000000, make_a2, make_a2_motions, NULL, NULL},
    {"A3", "particles that move among 2,000 spheres", true, 2000, 1000000, make_a3, make_a3_motions, NULL, NULL},
    {"A3", NULL, false, 2000, 100000, make_a3, make_a3_motions, NULL, NULL},
    {"A4", "all pairs of the objects of A2, which move", true, 100000, 0, make_a2, NULL, make_a4_velocities, move_a4},
    {"A4", NULL, false, 10000, 0, make_a2, NULL, make_a4_velocities, move_a4},
};
const size_t bench_box_workload_count = sizeof bench_box_workloads / sizeof *bench_box_workloads;
