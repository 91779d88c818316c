// SPDX-License-Identifier: MIT
// support/points.h: point sets for tests, and the distance test in its plainest form.
#ifndef MOTE_TEST_POINTS_H
#define MOTE_TEST_POINTS_H

#include "mote/base.h"

// `count` points of that many dimensions in [0, size)^D, interleaved; released with free.
float *test_points_uniform(uint64_t seed, size_t count, int dimensions, double size);
// Points in the unit cube, most of them in a few tight clusters.
float *test_points_clustered(uint64_t seed, size_t count);

// Neighbours by definition: (dx*dx + dy*dy) + dz*dz <= r*r in float.
bool test_is_near(const float *xyz, uint32_t i, uint32_t j, double radius);

// A directed pair's share of an order-independent checksum.
uint64_t test_pair_hash(uint32_t i, uint32_t j);

#endif
