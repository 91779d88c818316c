// SPDX-License-Identifier: MIT
// Exact first hits: where motions meet a mesh, how far away its surface is, and particles that bounce inside of it.
//
// A motion is a segment from where a particle is to where it would be. A batch tells the first triangle that each
// meets; mote_hits_advance moves particles, answers their hits and goes on with what is left of the step. Its
// particles have a position and a velocity, nothing else, and none ever gets through, however fast it is.
//
// Prints:
//     rays from the centre: 1000 of 1000 hit, all from behind
//     400 steps: 500 of 500 particles are inside
//     the closest point to (0, 0, 3): 2.000 away; to the centre: -1.00, inside

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mote/hits.h"

enum { RAYS = 1000, PARTICLES = 500, STEPS = 400 };

static void fail(const char *what, const mote_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    exit(1);
}

// From the centre of the ball through its surface.
static void look_around(mote_hits *hits)
{
    static float from[3 * RAYS], to[3 * RAYS];
    mote_random random = {1};
    for (int i = 0; i < RAYS; ++i) {
        const double u = mote_random_unit(&random), v = mote_random_unit(&random);
        const float corner[3] = {(float)(4 * u - 2), (float)(4 * v - 2), i % 2 ? 2 : -2};
        for (int k = 0; k < 3; ++k) to[3 * i + k] = corner[(k + i) % 3];
    }
    const mote_motions motions = {.from = mote_points_xyz(from, RAYS), .to = mote_points_xyz(to, RAYS)};
    mote_hit_list list;
    mote_error error = {0};
    if (mote_hits_query(hits, &motions, &list, &error) != MOTE_OK) fail("rays", &error);
    size_t behind = 0;
    for (size_t k = 0; k < list.count; ++k) behind += list.hits[k].side < 0;  // hits[k].particle says whose
    printf("rays from the centre: %zu of %d hit, %s from behind\n", list.count, RAYS,
           behind == list.count ? "all" : "not all");
}

// Gravity, and bounces with 0.9 of the velocity.
static void bounce(mote_hits *hits)
{
    static double positions[3 * PARTICLES], velocities[3 * PARTICLES];
    mote_random random = {2};
    for (int i = 0; i < 3 * PARTICLES; ++i) {
        positions[i] = mote_random_unit(&random) - 0.5;
        velocities[i] = 20 * mote_random_unit(&random) - 10;
    }
    mote_response response = mote_response_default();
    response.restitution = 0.9;
    const mote_particles particles = {.positions = positions, .velocities = velocities, .count = PARTICLES};
    mote_error error = {0};
    for (int step = 0; step < STEPS; ++step) {
        for (int i = 0; i < PARTICLES; ++i) velocities[3 * i + 2] -= 9.81 * 0.01;
        if (mote_hits_advance(hits, &response, &particles, 0.01, NULL, &error) != MOTE_OK) fail("advance", &error);
    }
    static mote_closest closest[PARTICLES];  // what is negative is inside
    const mote_points points = mote_points_xyz_f64(positions, PARTICLES);
    if (mote_hits_closest_all(hits, &points, HUGE_VAL, MOTE_SIGN_WINDING, closest, &error) != MOTE_OK)
        fail("closest points", &error);
    int inside = 0;
    for (int i = 0; i < PARTICLES; ++i) inside += closest[i].distance < 0;
    printf("%d steps: %d of %d particles are inside\n", STEPS, inside, PARTICLES);
}

int main(void)
{
    const mote_sphere ball = {{0, 0, 0}, 1};
    mote_mesh *mesh;
    if (mote_mesh_create_spheres(NULL, &ball, 1, 0.2, &mesh, NULL) != MOTE_OK) return 1;
    mote_hits *hits;
    mote_error error = {0};
    if (mote_hits_create(NULL, NULL, mesh, &hits, &error) != MOTE_OK) fail("mesh", &error);
    mote_mesh_destroy(mesh);  // a copy was made

    look_around(hits);
    bounce(hits);

    mote_closest above = {0}, centre = {0};  // closest_all above has prepared what they need
    if (mote_hits_closest(hits, (mote_vec3){0, 0, 3}, HUGE_VAL, MOTE_SIGN_NORMAL, &above, &error) != MOTE_OK ||
        mote_hits_closest(hits, (mote_vec3){0, 0, 0}, HUGE_VAL, MOTE_SIGN_NORMAL, &centre, &error) != MOTE_OK)
        fail("closest points", &error);
    printf("the closest point to (0, 0, 3): %.3f away; to the centre: %.2f, inside\n", above.distance, centre.distance);
    mote_hits_destroy(hits);
    return 0;
}
