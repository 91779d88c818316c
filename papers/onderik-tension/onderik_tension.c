// SPDX-License-Identifier: MIT
// The jump of pressure that each model of surface tension makes across the surface of a drop, over σ/R.
//
// The drop is a disc of a frozen, jittered lattice of spacing 1: what accelerates is tension alone. At rest ∇p would
// balance it, so that the jump is −∫ f dr of its force density f, in the mean over all directions −Σ m a·r̂/(2π r).

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mote/tension.h"

static const double pi = 3.14159265358979323846;

typedef struct drop {
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
    def.dimensions = 2, def.spacing = 1, def.support = of->support, def.shifting = MOTE_SHIFTING_NONE;
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

static void fill(mote_fluid *fluid, const drop *of, uint64_t seed)
{
    const int width = (int)(2 * of->radius + 4 * of->support);
    mote_random random = {seed};
    mote_error error;
    for (int k = 0; k < width * width; ++k) {
        const double x = k % width + 0.5 + 0.2 * (mote_random_unit(&random) - 0.5) - width / 2.0;
        const double z = k / width + 0.5 + 0.2 * (mote_random_unit(&random) - 0.5) - width / 2.0;
        const bool is_outside = hypot(x, z) > of->radius;
        if (is_outside && of->outside == 0) continue;
        must(mote_fluid_add(fluid, is_outside, (double[3]){x, 0, z}, NULL, 1, &error), &error);
    }
}

// The jump over σ/R, in the mean of three lattices.
static double jump_of(const drop *of)
{
    double sum = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        mote_fluid *fluid = fluid_of(of);
        mote_fluid_view view;
        mote_error error;
        fill(fluid, of, seed);
        must(mote_fluid_get_view(fluid, &view, &error), &error);
        for (size_t i = 0; i < view.count; ++i) {
            const double r = hypot(view.x[i], view.z[i]);
            if (r > of->radius + 3 * of->support) continue;  // the rim of the lattice
            const double outwards = (view.x[i] * (double)view.ax[i] + view.z[i] * (double)view.az[i]) / r;
            sum -= mote_fluid_phase_mass(fluid, view.phase[i]) * outwards / (2 * pi * r);
        }
        mote_fluid_destroy(fluid);
    }
    return sum / 3 * of->radius;
}

int main(void)
{
    static const double ratios[][2] = {{1, 1}, {1, 10}, {1, 1000}, {10, 1}, {1000, 1}, {1, 0}};
    puts("model,support,inside,outside,radius,jump");
    for (size_t k = 0; mote_tension_model_at(k); ++k)
        for (int support = 4; support >= 3; --support)
            for (size_t ratio = 0; ratio < sizeof ratios / sizeof *ratios; ++ratio)
                for (int radius = 10; radius <= 40; radius *= 2) {
                    const bool is_document = k == MOTE_TENSION_DOCUMENT || k == MOTE_TENSION_DOCUMENT_CURVATURE;
                    const bool is_curvature = k == MOTE_TENSION_CURVATURE || k == MOTE_TENSION_PLAIN_CURVATURE;
                    const drop of = {radius, support, ratios[ratio][0], ratios[ratio][1], (int32_t)k};
                    // Cohesion acts within a fluid, and makes no jump across an interface.
                    if (k == MOTE_TENSION_COHESION) continue;
                    // In 2D curvatures are refused at support 3; the document's models look at no density.
                    if (is_curvature && support == 3) continue;
                    if (is_document ? ratio > 0 && of.outside > 0 : of.outside == 0) continue;
                    printf("%s,%d,%g,%g,%d,%.3f\n", mote_tension_model_at(k)->name, support, of.inside, of.outside,
                           radius, jump_of(&of));
                }
    return 0;
}
