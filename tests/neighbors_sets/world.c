// SPDX-License-Identifier: MIT
// Sets of points for the tests of several sets in one search.

#include "neighbors_sets/world.h"

#include "support/test.h"

bool world_pair_is_active(const world *w, uint32_t s, uint32_t t)
{
    return w->active[s * w->count + t];
}

void world_free(world *w)
{
    for (int s = 0; s < MOST_SETS; ++s) cloud_free(&w->sets[s]);
    free(w->brute.hits);
    free(w->found.hits);
}

mote_result world_update(const world *w, mote_neighbors *search, const bool *changed, mote_error *error)
{
    mote_points sets[MOST_SETS];
    const void *radii[MOST_SETS];
    for (uint32_t s = 0; s < w->count; ++s) {
        sets[s] = w->sets[s].points;
        radii[s] = w->sets[s].own_radii;
    }
    if (!world_has(w, MOTE_NEIGHBORS_RADII)) return mote_neighbors_update_sets(search, sets, w->count, changed, error);
    const ptrdiff_t stride = cloud_radius_stride(&w->sets[0]);
    return mote_neighbors_update_sets_radii(search, sets, radii, stride, w->count, changed, error);
}

world world_make_three(uint32_t features, size_t count, uint64_t seed)
{
    mote_random random = {seed};
    world w = {.seed = seed, .def = mote_neighbors_default_def(), .dimensions = 3, .count = 3};
    w.def.features = features;
    w.def.radius = 1.5 * pow((double)count, -1.0 / 3);
    for (uint32_t s = 0; s < 3; ++s) {
        const size_t n = count >> s;
        double *xyz = malloc((3 * n + 1) * sizeof *xyz), *radii = malloc((n + 1) * sizeof *radii);
        for (size_t k = 0; k < 3 * n; ++k) xyz[k] = mote_random_unit(&random);
        for (size_t i = 0; i < n; ++i) radii[i] = w.def.radius * (0.5 + 0.5 * mote_random_unit(&random));
        w.sets[s] = cloud_make(world_scalar(&w), 3, n, xyz, radii);
    }
    return w;
}
