// SPDX-License-Identifier: MIT
// checks.h: what right answers of the neighbour benchmarks are.
#ifndef MOTE_BENCH_CHECKS_H
#define MOTE_BENCH_CHECKS_H

#include "bench.h"
#include "mote/neighbors.h"

enum { BENCH_BRUTE_FORCE_LIMIT = 20000 };  // points: up to here all pairs are looked at

// All rows together: so many neighbours, and the sum of the pairs' hashes (bench_pair_hash), or for nearest ones of
// the distances' (bench_distance_hash), which ties do not change.
typedef struct bench_reference {
    uint64_t pairs, checksum;
} bench_reference;

mote_points bench_points_view(const bench_points *set);

// Squared distance of two points, by the very operations of the library's distance test.
float bench_squared(const bench_points *set, size_t i, size_t j);

// False when memory ran out.
bool bench_find_reference(const bench_points *set, bench_reference *right);
bool bench_find_nearest_reference(const bench_points *set, uint32_t k, bench_reference *right);

uint64_t bench_lists_checksum(const mote_lists *lists);
uint64_t bench_nearest_checksum(const bench_points *set, const mote_lists *lists);

// Compare the rows of sampled points with brute force.
bool bench_samples_are_right(const bench_points *set, const mote_lists *lists);
bool bench_nearest_samples_are_right(const bench_points *set, const mote_lists *lists, uint32_t k);

// Whether rows hold neighbours alone, each once: all that a method which is not exact promises.
bool bench_is_subset(const bench_points *set, const mote_lists *lists);

// Compares densities, sums of (r² − d²)³ over the neighbours and the point itself (poly6 without its factor), of
// sampled points with sums over all points in double.
bool bench_densities_are_right(const bench_points *set, const float *densities);

#endif
