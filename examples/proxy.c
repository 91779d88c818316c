// SPDX-License-Identifier: MIT
// A proxy: grains that are poured over a ball, whose triangles are not looked at any more.
//
// An octree stands for the mesh: its leaves hold a normal each. A particle's state is a byte, its side of the surface:
// stamped once at the start, kept by every move. Collisions are off by up to a leaf, but no particle changes sides.
// What holds grains besides, here a floor, is the caller's.
//
// Prints:
//     5120 triangles, a proxy of less than 1 MB
//     500 steps: 99375 collisions, 5000 of 5000 grains are outside of the ball

#include <stdio.h>

#include "mote/proxy.h"

enum { GRAINS = 5000, STEPS = 500 };

static float positions[3 * GRAINS], velocities[3 * GRAINS];
static uint8_t labels[GRAINS];

// Above the ball, in a square of 1.6 m.
static void place_grains(void)
{
    mote_random random = {1};
    for (int i = 0; i < GRAINS; ++i) {
        positions[3 * i] = (float)(1.6 * mote_random_unit(&random) - 0.8);
        positions[3 * i + 1] = (float)(1.6 * mote_random_unit(&random) - 0.8);
        positions[3 * i + 2] = (float)(1.1 + 2 * mote_random_unit(&random));
    }
}

// Gravity; on the floor, grains come to rest. (A grain that is put elsewhere has to be stamped again.)
static void push(float seconds)
{
    for (int i = 0; i < GRAINS; ++i) {
        float *velocity = velocities + 3 * i;
        velocity[2] -= 9.81f * seconds;
        if (positions[3 * i + 2] < -1.2f) velocity[0] = velocity[1] = velocity[2] = 0;
    }
}

// From the ball's centre [m^2].
static double squared_distance(const float *p)
{
    const double x = p[0], y = p[1], z = p[2];
    return x * x + y * y + z * z;
}

static mote_proxy *make_proxy(mote_error *error)
{
    const mote_sphere ball = {{0, 0, 0}, 1};
    mote_mesh *mesh;
    mote_proxy *proxy = NULL;
    if (mote_mesh_create_spheres(NULL, &ball, 1, 0.1, &mesh, error) != MOTE_OK) return NULL;
    const mote_mesh *meshes[] = {mesh};  // any number of them
    if (mote_proxy_create(NULL, NULL, meshes, 1, &proxy, error) == MOTE_OK)
        printf("%zu triangles, a proxy of %s than 1 MB\n", mesh->triangle_count,
               mote_proxy_byte_count(proxy) < 1000000 ? "less" : "more");
    mote_mesh_destroy(mesh);
    return proxy;
}

int main(void)
{
    mote_error error = {0};
    mote_proxy *proxy = make_proxy(&error);
    place_grains();
    const mote_proxy_particles grains = mote_proxy_particles_xyz(positions, velocities, labels, GRAINS);
    mote_result result = proxy ? mote_proxy_stamp(proxy, &grains, &error) : error.result;
    if (result == MOTE_OK) mote_proxy_drop_triangles(proxy);  // no grains are to come

    const mote_response response = mote_response_bounce(0.3, 0.2);
    mote_proxy_counters counters = {0};
    for (int step = 0; step < STEPS && result == MOTE_OK; ++step) {
        push(0.004f);
        result = mote_proxy_advance(proxy, &grains, 0.004, &response, &counters, &error);
    }
    if (result != MOTE_OK) {
        fprintf(stderr, "%s\n", error.text[0] ? error.text : mote_result_text(result));
        mote_proxy_destroy(proxy);
        return 1;
    }
    int outside = 0;
    for (int i = 0; i < GRAINS; ++i) outside += squared_distance(positions + 3 * i) > 0.95 * 0.95;
    printf("%d steps: %llu collisions, %d of %d grains are outside of the ball\n", STEPS,
           (unsigned long long)counters.bounces, outside, GRAINS);
    mote_proxy_destroy(proxy);
    return 0;
}
