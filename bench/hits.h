// SPDX-License-Identifier: MIT
// hits.h: what the benchmark of first hits works on: meshes, motions, and brute force to check by.
#ifndef MOTE_BENCH_HITS_H
#define MOTE_BENCH_HITS_H

#include "bench.h"

// ------------------------------------------------------------------------------------------------------- meshes

// The mesh of the options, else the bunny, else a sphere with bumps; scaled to 0.9, centred on (0.5, 0.5, 0.5), and cut
// finer as often as the options say. NULL after a line on standard error, or without memory.
mote_mesh *bench_hit_mesh(const bench_options *options);
// The sphere with bumps, of about so many triangles, scaled likewise.
mote_mesh *bench_bumps(size_t triangles);
// Every triangle cut into four by its edges' middles. Releases the old mesh; NULL without memory.
mote_mesh *bench_subdivide(mote_mesh *mesh);

// ------------------------------------------------------------------------------------------------------ motions

// Motions, packed: x, y, z of each. Released by bench_motions_release.
typedef struct bench_motions {
    float *from, *to;
    size_t count;
} bench_motions;

typedef struct bench_hit_workload {
    const char *name, *meaning;
    bool near;  // starts near the surface; else anywhere in the unit cube
    uint64_t seed;
    double length;  // of each motion
} bench_hit_workload;

extern const bench_hit_workload bench_hit_workloads[];
extern const size_t bench_hit_workload_count;

// False without memory; released in any case.
bool bench_motions_make(const mote_mesh *mesh, const bench_hit_workload *workload, size_t count, bench_motions *made);
void bench_motions_release(bench_motions *motions);

// Motions in the Morton order of where they start, to 1/1024 of the unit cube, and the memory to sort them in.
typedef struct bench_sorted {
    bench_motions motions;
    uint64_t *keys, *swapped;  // key << 32 | number
} bench_sorted;
bool bench_sorted_allocate(size_t count, bench_sorted *sorted);
void bench_sorted_release(bench_sorted *sorted);
void bench_sort_motions(const bench_motions *motions, bench_sorted *sorted);

// ------------------------------------------------------------------------------------------------------- checks

// Compares the first triangles (UINT32_MAX: none) of a thousand motions, half of them hits, with brute force.
// @param hits     particles with a hit
bool bench_hit_samples_are_right(const mote_mesh *mesh, const bench_motions *motions, const uint32_t *triangles,
                                 const uint32_t *hits, size_t hit_count);

#endif
