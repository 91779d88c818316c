// SPDX-License-Identifier: MIT
// A density sum as a user's solver has it. Compiled as such a solver would be: sums may run in any order, and for AVX2
// or AVX-512 where the machine has it (see CMakeLists.txt).

#include "density.h"

#if defined(__x86_64__) && defined(__gnu_linux__)
#define BENCH_VECTORS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define BENCH_VECTORS
#endif

BENCH_VECTORS static float sum_row(const float *restrict squared, uint32_t count, float limit)
{
    float sum = limit * limit * limit;  // the point itself
    for (uint32_t k = 0; k < count; ++k) {
        const float rest = limit - squared[k];
        sum += rest * rest * rest;
    }
    return sum;
}

BENCH_VECTORS static void sum_group(const mote_group *group, float limit, float *restrict densities)
{
    const float *restrict x = group->x, *restrict y = group->y, *restrict z = group->z;
    const uint32_t count = (group->count + 7) / 8 * 8;  // those behind the last are far away; 16 of them can be read
    for (uint32_t i = group->first; i < group->count; ++i) {
        const float at[3] = {x[i], y[i], z[i]};
        float sum = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const float dx = x[k] - at[0], dy = y[k] - at[1], dz = z[k] - at[2];
            const float rest = limit - ((dx * dx + dy * dy) + dz * dz), inside = rest > 0 ? rest : 0;
            sum += inside * inside * inside;
        }
        densities[group->indices[i]] = sum;
    }
}

void bench_sum_row(void *density, mote_row row, uint32_t worker)
{
    bench_density *task = density;
    task->densities[row.index] = sum_row(row.squared, row.count, task->limit);
    task->pairs[worker % BENCH_WORKERS * BENCH_PADDING] += row.count;
}

void bench_sum_group(void *density, const mote_group *group, uint32_t worker)
{
    (void)worker;
    const bench_density *task = density;
    sum_group(group, task->limit, task->densities);
}
