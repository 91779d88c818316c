// SPDX-License-Identifier: MIT
// The jump of pressure that each model of surface tension makes across the surface of a drop, over σ/R.
//
// The drop is a disc or a ball of a frozen, jittered lattice of spacing 1: what accelerates is tension alone. At rest
// ∇p would balance it, so that the jump is −∫ f dr of its force density f, in the mean over all directions
// −Σ m a·r̂/A(r), where A(r) is the length 2π r of a circle or the area 4π r² of a sphere. The law has σ/R for
// discs and 2σ/R for balls.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mote/tension.h"

static const double pi = 3.14159265358979323846;

typedef struct drop {
    int32_t dimensions;
    double radius, support;  // in spacings
    double inside, outside;  // densities; outside 0: there is nothing
    int32_t model;
} drop;

static void must(mote_result result, const mote_error *error)
{
    if (result == MOTE_OK) return;
    fprintf(stderr, "onderik_tension: %s\n", error->text);
    exit(1);
}

static mote_fluid *fluid_of(const drop *of)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_tension_def tension = mote_tension_default_def();
    mote_error error;
    mote_fluid *fluid;
    must(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, &error), &error);
    def.dimensions = of->dimensions, def.spacing = 1, def.support = of->support, def.shifting = MOTE_SHIFTING_NONE;
    def.gravity = (mote_vec3){0, 0, 0};
    must(mote_fluid_create(NULL, &def, &fluid, &error), &error);
    for (int k = 0; k < 1 + (of->outside > 0); ++k) {
        mote_phase_def phase = mote_phase_default_def();
        uint32_t number;
        phase.rest_density = k ? of->outside : of->inside, phase.sound_speed = k ? NAN : 10;
        must(mote_fluid_add_phase(fluid, &phase, &number, &error), &error);
    }
    tension.sigma = 1, tension.model = of->model;
    must(mote_fluid_set_tension(fluid, 0, of->outside > 0, &tension, &error), &error);
    return fluid;
}

// The place of cube k of a lattice of `width` cubes along each side around the origin, moved by up to a tenth.
static double jittered(int k, int width, mote_random *random)
{
    return k % width + 0.5 + 0.2 * (mote_random_unit(random) - 0.5) - width / 2.0;
}

static void fill(mote_fluid *fluid, const drop *of, uint64_t seed)
{
    const int width = (int)(2 * of->radius + 4 * of->support), layers = of->dimensions == 3 ? width : 1;
    mote_random random = {seed};
    mote_error error;
    for (int k = 0; k < width * width * layers; ++k) {
        const double x = jittered(k, width, &random), z = jittered(k / width, width, &random);
        const double y = layers > 1 ? jittered(k / width / width, width, &random) : 0;
        const bool is_outside = sqrt(x * x + y * y + z * z) > of->radius;
        if (is_outside && of->outside == 0) continue;
        must(mote_fluid_add(fluid, is_outside, (double[3]){x, y, z}, NULL, 1, &error), &error);
    }
}

// The jump over that of the law, in the mean of three lattices.
static double jump_of(const drop *of)
{
    const bool is_ball = of->dimensions == 3;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        mote_fluid *fluid = fluid_of(of);
        mote_fluid_view view;
        mote_error error;
        fill(fluid, of, seed);
        must(mote_fluid_get_view(fluid, &view, &error), &error);
        for (size_t i = 0; i < view.count; ++i) {
            const double x = view.x[i], y = view.y[i], z = view.z[i], r = sqrt(x * x + y * y + z * z);
            if (r > of->radius + 1.8 * of->support) continue;  // the rim of the lattice
            const double outwards = (x * view.ax[i] + y * view.ay[i] + z * view.az[i]) / r;
            const double around = is_ball ? 4 * pi * r * r : 2 * pi * r;
            sum -= mote_fluid_phase_mass(fluid, view.phase[i]) * outwards / around;
        }
        mote_fluid_destroy(fluid);
    }
    return sum / 3 * of->radius / (is_ball ? 2 : 1);
}

// One row of the table: a drop of a model, at all radii.
static void measure(int32_t dimensions, int32_t model, int support, const double ratio[2], int least, int most)
{
    for (int radius = least; radius <= most; radius *= 2) {
        const drop of = {dimensions, radius, support, ratio[0], ratio[1], model};
        printf("%d,%s,%d,%g,%g,%d,%.3f\n", (int)dimensions, mote_tension_model_at((size_t)model)->name, support,
               ratio[0], ratio[1], radius, jump_of(&of));
        fflush(stdout);
    }
}

int main(void)
{
    static const double ratios[][2] = {{1, 1}, {1, 10}, {1, 1000}, {10, 1}, {1000, 1}, {1, 0}};
    puts("dimensions,model,support,inside,outside,radius,jump");
    for (int32_t dimensions = 2; dimensions <= 3; ++dimensions)
        for (int32_t k = 0; mote_tension_model_at((size_t)k); ++k)
            for (int support = dimensions == 2 ? 4 : 3; support >= 3; --support)
                for (size_t ratio = 0; ratio < sizeof ratios / sizeof *ratios; ++ratio) {
                    const bool is_document = k == MOTE_TENSION_DOCUMENT || k == MOTE_TENSION_DOCUMENT_CURVATURE;
                    const bool is_curvature = k == MOTE_TENSION_CURVATURE || k == MOTE_TENSION_PLAIN_CURVATURE;
                    // Cohesion acts within a fluid, and makes no jump across an interface.
                    if (k == MOTE_TENSION_COHESION) continue;
                    // In 2D curvatures are refused at support 3; the document's models look at no density.
                    if (is_curvature && dimensions == 2 && support == 3) continue;
                    if (is_document ? ratio > 0 && ratios[ratio][1] > 0 : ratios[ratio][1] == 0) continue;
                    if (dimensions == 2) measure(2, k, support, ratios[ratio], 10, 40);
                    else measure(3, k, support, ratios[ratio], 12, 12);
                }
    return 0;
}
