// SPDX-License-Identifier: MIT
// density.h: a density sum as a user's solver has it, over rows of neighbours or over groups.
#ifndef MOTE_BENCH_DENSITY_H
#define MOTE_BENCH_DENSITY_H

#include "mote/neighbors.h"

enum { BENCH_WORKERS = 1024, BENCH_PADDING = 8 };  // workers, each counting on its own cache line

// Sums of (r² − d²)³ over the neighbours and the point itself.
typedef struct bench_density {
    float limit;  // r²
    float *densities;
    uint64_t pairs[BENCH_WORKERS * BENCH_PADDING];  // neighbours found, of rows alone
} bench_density;

// From the squared distances that rows bring.
void bench_sum_row(void *density, mote_row row, uint32_t worker);

// From the coordinates of the candidates, all of them: those beyond the radius add nothing.
void bench_sum_group(void *density, const mote_group *group, uint32_t worker);

#endif
