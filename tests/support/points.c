// SPDX-License-Identifier: MIT
#include "support/points.h"

#include <stdlib.h>

float *test_points_uniform(uint64_t seed, size_t count, int dimensions, double size)
{
    float *points = malloc((count * (size_t)dimensions + 1) * sizeof *points);
    mote_random random = {seed};
    for (size_t i = 0; i < count * (size_t)dimensions; ++i) points[i] = (float)(size * mote_random_unit(&random));
    return points;
}

float *test_points_clustered(uint64_t seed, size_t count)
{
    float *points = malloc((count * 3 + 1) * sizeof *points);
    mote_random random = {seed};
    double centre[10][3];
    for (int c = 0; c < 10; ++c)
        for (int k = 0; k < 3; ++k) centre[c][k] = mote_random_unit(&random);
    for (size_t i = 0; i < count; ++i) {
        uint32_t c = mote_random_below(&random, 12);
        for (int k = 0; k < 3; ++k)
            points[3 * i + (size_t)k] = (float)(c < 10 ? centre[c][k] + 0.003 * mote_random_gauss(&random)
                                                       : mote_random_unit(&random));
    }
    return points;
}

bool test_is_near(const float *xyz, uint32_t i, uint32_t j, double radius)
{
    float r = (float)radius;
    float dx = xyz[3 * (size_t)j] - xyz[3 * (size_t)i];
    float dy = xyz[3 * (size_t)j + 1] - xyz[3 * (size_t)i + 1];
    float dz = xyz[3 * (size_t)j + 2] - xyz[3 * (size_t)i + 2];
    return (dx * dx + dy * dy) + dz * dz <= r * r;
}

uint64_t test_pair_hash(uint32_t i, uint32_t j)
{
    uint64_t z = ((uint64_t)i << 32 | j) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
    return z ^ (z >> 32);
}
