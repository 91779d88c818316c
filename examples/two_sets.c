// SPDX-License-Identifier: MIT
// Two sets: sensors read the mean temperature of the particles around them.
//
// The search holds the particles; sensors are queries and need not be particles. Coordinates stand in three arrays
// here, as many programs keep them: mote_points says where coordinates lie, nothing is copied together for it.
//
// Prints:
//     z = 0.1 m: 227 particles, 21.0 degrees
//     z = 0.3 m: 226 particles, 23.0 degrees
//     z = 0.5 m: 194 particles, 25.0 degrees
//     z = 0.7 m: 187 particles, 27.0 degrees
//     z = 0.9 m: 214 particles, 29.1 degrees

#include <stdio.h>

#include "mote/neighbors.h"

enum { PARTICLES = 50000, SENSORS = 5 };

// Warm at the top: 20 degrees at z = 0, 30 at z = 1.
static float x[PARTICLES], y[PARTICLES], z[PARTICLES], temperature[PARTICLES];

static void place_particles(void)
{
    mote_random random = {3};
    for (int i = 0; i < PARTICLES; ++i) {
        x[i] = (float)mote_random_unit(&random);
        y[i] = (float)mote_random_unit(&random);
        z[i] = (float)mote_random_unit(&random);
        temperature[i] = 20 + 10 * z[i];
    }
}

static void print_sensor(const float *sensor, mote_row around)
{
    double sum = 0;
    for (uint32_t k = 0; k < around.count; ++k) sum += temperature[around.indices[k]];
    printf("z = %.1f m: %u particles, %.1f degrees\n", sensor[2], (unsigned)around.count, sum / around.count);
}

int main(void)
{
    mote_error error = {0};
    const float sensors[3 * SENSORS] = {.5f, .5f, .1f, .5f, .5f, .3f, .5f, .5f, .5f, .5f, .5f, .7f, .5f, .5f, .9f};
    place_particles();

    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.1;
    def.features = MOTE_NEIGHBORS_QUERY;
    mote_neighbors *search;
    if (mote_neighbors_create(NULL, &def, &search, &error) != MOTE_OK) return 1;

    mote_lists lists;
    mote_result result = mote_neighbors_update(search, mote_points_axes(x, y, z, PARTICLES), &error);
    if (result == MOTE_OK) result = mote_neighbors_query(search, mote_points_xyz(sensors, SENSORS), &lists, &error);
    if (result == MOTE_OK)
        for (uint32_t s = 0; s < SENSORS; ++s) print_sensor(sensors + 3 * s, mote_lists_row(&lists, s));
    else
        fprintf(stderr, "%s\n", error.text);
    mote_neighbors_destroy(search);
    return result == MOTE_OK ? 0 : 1;
}
