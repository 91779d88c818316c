// SPDX-License-Identifier: MIT
// raster.h: workloads of the benchmark of triangles and points that are near.
#ifndef MOTE_BENCH_RASTER_H
#define MOTE_BENCH_RASTER_H

#include "bench.h"

typedef struct bench_raster_workload {
    const char *name, *meaning;
    // Makes a mesh and points, x, y, z of each, to be freed. False without memory.
    bool (*make)(size_t count, mote_mesh **mesh, float **xyz);
    double thickness;  // [mean edges]
} bench_raster_workload;

extern const bench_raster_workload bench_raster_workloads[];
extern const size_t bench_raster_workload_count;

#endif
