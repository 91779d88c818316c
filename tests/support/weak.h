// SPDX-License-Identifier: MIT
// Fluids for tests of the weakly compressible solver: water in blocks whose particles lie a little beside a lattice.

#ifndef MOTE_TESTS_SUPPORT_WEAK_H
#define MOTE_TESTS_SUPPORT_WEAK_H

#include <stdlib.h>

#include "mote/fluid.h"
#include "support/test.h"
#include "support/water.h"

// What make_fluid fills fluids with; def_of makes it water.
static mote_phase_def liquid;

static inline mote_fluid_def def_of(int dimensions, double spacing)
{
    mote_fluid_def def = mote_fluid_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.dimensions = dimensions;
    def.spacing = spacing;
    liquid = mote_phase_default_def();
    liquid.sound_speed = 10;
    def.gravity = (mote_vec3){0, 0, 0};
    return def;
}

static inline mote_fluid *make_fluid(mote_context *context, const mote_fluid_def *def)
{
    return fluid_of_phase(context, def, &liquid);
}

typedef struct cloud {
    double *x, *v;
    size_t count;
} cloud;

// n particles an axis, jittered by a share of the spacing, with random velocities.
static inline cloud block_of(int dimensions, int n, double spacing, double jitter)
{
    mote_random random = {5};
    const int ny = dimensions == 3 ? n : 1;
    cloud made = {.count = (size_t)(n * ny * n)};
    made.x = malloc(made.count * 6 * sizeof *made.x);
    made.v = made.x + 3 * made.count;
    size_t i = 0;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < n; ++x)
                for (int k = 0; k < 3; ++k, ++i) {
                    const bool flat = dimensions == 2 && k == 1;
                    const double at = k == 0 ? x : k == 1 ? y : z;
                    made.x[i] = flat ? 0 : spacing * (at + 0.5 + jitter * (mote_random_unit(&random) - 0.5));
                    made.v[i] = flat ? 0 : 0.3 * (mote_random_unit(&random) - 0.5);
                }
    return made;
}

static inline void set_random_pressures(mote_fluid *fluid, size_t count)
{
    mote_random random = {9};
    double *pressures = malloc(count * sizeof *pressures);
    for (size_t i = 0; i < count; ++i) pressures[i] = 500 * mote_random_unit(&random);
    CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
    free(pressures);
}

// What a state is written to.
typedef struct bytes_taken {
    unsigned char *bytes;
    size_t count;
} bytes_taken;

static inline bool take(void *user_data, const void *bytes, size_t length)
{
    bytes_taken *to = user_data;
    unsigned char *at = realloc(to->bytes, to->count + length);
    if (!at) return false;
    memcpy(at + to->count, bytes, length);
    to->bytes = at, to->count += length;
    return true;
}

static inline double nearest_image(double difference, bool is_periodic, double length)
{
    if (is_periodic && difference > length / 2) return difference - length;
    if (is_periodic && difference < -length / 2) return difference + length;
    return difference;
}

#endif
