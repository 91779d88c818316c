// SPDX-License-Identifier: MIT
// Proxies as they are written to files, particles moved on them, and what they meet first.

#include <stdio.h>
#include <string.h>

#include "golden.h"

enum { PARTICLES = 5000, STEPS = 3 };

// Particles around a unit sphere, and where they are going.
typedef struct crowd {
    float positions[3 * PARTICLES], velocities[3 * PARTICLES];
    uint8_t labels[PARTICLES];
} crowd;

static void fill(crowd *all)
{
    mote_random random = {41};
    for (size_t i = 0; i < 3 * PARTICLES; ++i) {
        all->positions[i] = (float)(2.2 * mote_random_unit(&random) - 1.1);
        all->velocities[i] = (float)(2 * mote_random_unit(&random) - 1);
    }
}

static bool mix_bytes(void *user_data, const void *bytes, size_t count)
{
    golden_mix(user_data, bytes, count);
    return true;
}

static bool print_moves(const mote_proxy *proxy, const char *name)
{
    static crowd all;
    static mote_proxy_hit hits[PARTICLES];
    static mote_proxy_triangle_hit triangles[PARTICLES];
    char what[96];
    uint64_t sum = GOLDEN_START;
    mote_error error = {0};
    mote_proxy_counters counters = {0};
    const mote_response response = mote_response_bounce(0.5, 0.25);
    fill(&all);
    const mote_proxy_particles particles =
        mote_proxy_particles_xyz(all.positions, all.velocities, all.labels, PARTICLES);
    snprintf(what, sizeof what, "moves on %s", name);
    mote_result result = mote_proxy_stamp(proxy, &particles, &error);
    if (result == MOTE_OK) result = mote_proxy_hits(proxy, &particles, 0.2, hits, &error);
    if (result == MOTE_OK) result = mote_proxy_first_triangles(proxy, &particles, 0.2, triangles, &error);
    for (int step = 0; step < STEPS && result == MOTE_OK; ++step)
        result = mote_proxy_advance(proxy, &particles, 0.2, &response, &counters, &error);
    if (!golden_is_ok(what, result, &error)) return false;
    for (size_t i = 0; i < PARTICLES; ++i) {
        golden_mix(&sum, &hits[i].time, sizeof hits[i].time);
        if (hits[i].time <= 1) golden_mix(&sum, hits[i].normal, sizeof hits[i].normal);
        golden_mix(&sum, &triangles[i].time, sizeof triangles[i].time);
        if (triangles[i].time <= 1) golden_mix(&sum, &triangles[i].triangle, sizeof triangles[i].triangle);
    }
    golden_mix(&sum, &all, sizeof all);
    golden_print(what, (size_t)counters.bounces, sum);
    return true;
}

static bool print_proxy(mote_context *context, const mote_mesh *mesh, int depth)
{
    char name[64];
    uint64_t sum = GOLDEN_START;
    mote_proxy *proxy;
    mote_error error = {0};
    mote_proxy_def def = mote_proxy_default_def();
    def.max_depth = depth;
    snprintf(name, sizeof name, "a proxy %d deep", depth);
    if (!golden_is_ok(name, mote_proxy_create(context, &def, &mesh, 1, &proxy, &error), &error)) return false;
    mote_proxy_write(proxy, mix_bytes, &sum, &error);
    golden_print(name, mote_proxy_get_arrays(proxy).node_count, sum);
    const bool done = print_moves(proxy, name);
    mote_proxy_destroy(proxy);
    return done;
}

bool golden_proxies(mote_context *context)
{
    mote_mesh *mesh = golden_sphere();
    const bool done = mesh && print_proxy(context, mesh, 4) && print_proxy(context, mesh, 7);
    mote_mesh_destroy(mesh);
    return done;
}
