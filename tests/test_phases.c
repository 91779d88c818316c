// SPDX-License-Identifier: MIT
// Several phases with the weakly compressible solver: sums against plain loops over all pairs, conservation, what is
// carried, bad input.

#include "fluid/tested.h"
#include "mote/tension.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

enum { PHASES = 3 };

// Fluids of different density, viscosity and speed of sound.
static void add_phases(mote_fluid *fluid, uint32_t count)
{
    static const double densities[PHASES] = {1000, 10, 300}, viscosities[PHASES] = {20, 1, 0};
    for (uint32_t k = 0; k < count; ++k) {
        mote_phase_def phase = mote_phase_default_def();
        uint32_t number;
        phase.rest_density = densities[k], phase.viscosity = viscosities[k];
        if (k == 0) phase.sound_speed = 10;
        CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
        assert_int_equal(number, k);
    }
}

// Particles of phases at random, with random velocities and pressures.
// @param sigma  of the tension between the first two
static mote_fluid *mixture_of(const mote_fluid_def *def, int n, const mote_period_def *period, double sigma)
{
    mote_tension_def tension = mote_tension_default_def();
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_create(NULL, def, &fluid, NULL));
    add_phases(fluid, PHASES);
    tension.sigma = sigma;
    CHECK_OK(mote_fluid_set_tension(fluid, 1, 0, &tension, NULL));
    if (period) CHECK_OK(mote_fluid_set_period(fluid, period, NULL));
    cloud block = block_of(def->dimensions, n, def->spacing, 0.3);
    mote_random random = {3};
    for (size_t i = 0; i < block.count; ++i) {
        const uint32_t phase = (uint32_t)(3 * mote_random_unit(&random)) % PHASES;
        CHECK_OK(mote_fluid_add(fluid, phase, block.x + 3 * i, block.v + 3 * i, 1, NULL));
    }
    set_random_pressures(fluid, block.count);
    free(block.x);
    return fluid;
}

// ---------------------------------------------------------------------------------------------------- all pairs

// −W'/r of Wendland's C2 kernel.
static double slope_over_r(const mote_fluid_def *def, double r)
{
    const double h = def->support / 2, q = r / h, pi = 3.14159265358979323846;
    const double alpha = def->dimensions == 2 ? 7 / (4 * pi * h * h) : 21 / (16 * pi * h * h * h);
    const double s = q < 2 ? 1 - q / 2 : 0;
    return 5 * alpha * s * s * s / (h * h);
}

static double harmonic(double a, double b)
{
    return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

// 2 (D + 2) times the viscosity along the line between particles, and 2 times that along their relative velocity.
static void viscosities_of(const mote_fluid_def *def, const mote_phase_def *phase, double *central, double *drag)
{
    const bool is_central = def->viscosity_model == MOTE_VISCOSITY_CENTRAL;
    const double D = def->dimensions;
    *central = phase->rest_density * def->viscosity_alpha * phase->sound_speed * def->support / 2;
    *central += is_central ? 2 * (D + 2) * phase->viscosity : 0;
    *drag = is_central ? 0 : 2 * phase->viscosity;
}

// The force of particle j on particle i.
// @param has_tension  the first two phases have a tension, so small that it changes the pressure between them only
static void pair_force(mote_fluid *fluid, const mote_fluid_view *view, const mote_period_def *period, bool has_tension,
                       size_t i, size_t j, double force[3])
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const uint32_t p[2] = {view->phase[i], view->phase[j]};
    const mote_phase_def phases[2] = {mote_fluid_resolved_phase(fluid, p[0]), mote_fluid_resolved_phase(fluid, p[1])};
    const double rho[2] = {(double)view->density[i], (double)view->density[j]};
    const double V[2] = {mote_fluid_phase_mass(fluid, p[0]) / rho[0], mote_fluid_phase_mass(fluid, p[1]) / rho[1]};
    const double P[2] = {(double)view->pressure[i] + def.background_pressure,
                         (double)view->pressure[j] + def.background_pressure};
    const double width = period->max.x - period->min.x;
    const double d[3] = {nearest_image(view->x[j] - view->x[i], period->x, width), view->y[j] - view->y[i],
                         view->z[j] - view->z[i]};
    const double u[3] = {(double)view->vx[j] - (double)view->vx[i], (double)view->vy[j] - (double)view->vy[i],
                         (double)view->vz[j] - (double)view->vz[i]};
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], g = slope_over_r(&def, sqrt(r2));
    const double along = (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) / (r2 + 1e-4 * def.support * def.support);
    double central[2], drag[2];
    for (int k = 0; k < 2; ++k) viscosities_of(&def, &phases[k], &central[k], &drag[k]);
    double push = V[0] * V[1] * (P[0] + P[1]);
    if (p[0] != p[1]) {
        const bool is_mean = has_tension && p[0] < 2 && p[1] < 2;
        const double between = is_mean ? (P[0] + P[1]) / 2 : (rho[1] * P[0] + rho[0] * P[1]) / (rho[0] + rho[1]);
        push = (V[0] * V[0] + V[1] * V[1]) * (between + def.interface_repulsion * (fabs(P[0]) + fabs(P[1])));
    }
    push -= V[0] * V[1] * harmonic(central[0], central[1]) * along;
    for (int k = 0; k < 3; ++k) force[k] = g * (V[0] * V[1] * harmonic(drag[0], drag[1]) * u[k] - push * d[k]);
}

static void forces_equal_all_pairs(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int variant = 0; variant < 5; ++variant) {
            mote_fluid_def def = def_of(dimensions, 0.1);
            const bool has_tension = variant == 4;
            const int n = dimensions == 3 ? 8 : 16;
            mote_period_def period = mote_period_default_def();
            period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){n * def.spacing, 0, 0};
            period.x = variant & 1;
            def.viscosity_model = variant >> 1 & 1;
            def.viscosity_alpha = 0.05, def.interface_repulsion = variant & 1 ? 0.1 : 0;
            def.background_pressure = variant & 1 ? 0 : 100;
            def.shifting = MOTE_SHIFTING_NONE;
            mote_fluid *fluid = mixture_of(&def, n, &period, has_tension ? 1e-12 : 0);
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            double largest = 0, worst = 0, momentum[3] = {0}, size = 0;
            for (size_t i = 0; i < view.count; ++i) {
                const double mass = mote_fluid_phase_mass(fluid, view.phase[i]);
                const double found[3] = {(double)view.ax[i], (double)view.ay[i], (double)view.az[i]};
                double sum[3] = {0}, force[3];
                for (size_t j = 0; j < view.count; ++j) {
                    if (j == i) continue;
                    pair_force(fluid, &view, &period, has_tension, i, j, force);
                    for (int k = 0; k < 3; ++k) sum[k] += force[k];
                }
                for (int k = 0; k < 3; ++k) {
                    largest = fmax(largest, fabs(sum[k]));
                    worst = fmax(worst, fabs(sum[k] - mass * found[k]));
                    momentum[k] += mass * found[k], size += fabs(mass * found[k]);
                }
            }
            CHECK(worst < 1e-4 * largest, "%dD, variant %d: forces up to %g are off by %g", dimensions, variant,
                  largest, worst);
            for (int k = 0; k < 3; ++k)
                CHECK(fabs(momentum[k]) < 2e-6 * size, "%dD, variant %d: %g of %g is not conserved", dimensions,
                      variant, momentum[k], size);
            mote_fluid_destroy(fluid);
        }
}

// Densities diffuse among equals only: a particle alone among others keeps its own at rest, whatever they have.
static void density_diffuses_among_equals(void **state)
{
    (void)state;
    mote_fluid_def def = def_of(2, 0.1);
    def.shifting = MOTE_SHIFTING_NONE;
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    add_phases(fluid, 2);
    cloud block = block_of(2, 9, 0.1, 0.2);
    double pressures[81] = {0};
    for (uint32_t i = 0; i < 81; ++i) CHECK_OK(mote_fluid_add(fluid, i == 40, block.x + 3 * i, NULL, 1, NULL));
    for (int i = 0; i < 81; ++i) pressures[i] = i % 7 * 100;
    CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
    CHECK_OK(mote_fluid_advance(fluid, 1e-9, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    mote_array rate;
    CHECK_OK(mote_fluid_get_array(fluid, "rate", &rate, NULL));
    const float *rates = rate.component[0];
    double largest = 0, lone = 0;
    for (size_t i = 0; i < view.count; ++i)
        if (view.phase[i] == 1) lone = fabs((double)rates[i]);
        else largest = fmax(largest, fabs((double)rates[i]));
    CHECK(largest > 0 && lone < 1e-4 * largest, "%g, others up to %g", lone, largest);
    mote_fluid_destroy(fluid);
    free(block.x);
}

// ------------------------------------------------------------------------------------------- one phase as two

// Two phases of the same material move as one, but for rounding and for density, which does not pass between them.
static void equal_phases_are_one(void **state)
{
    (void)state;
    double places[2][256][2];
    for (int k = 0; k < 2; ++k) {
        mote_fluid_def def = def_of(2, 0.1);
        def.shifting = MOTE_SHIFTING_NONE, def.density_diffusion = 0, def.viscosity_alpha = 0.02;
        mote_fluid *fluid;
        CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
        CHECK_OK(add_water(fluid, 10, NULL));
        if (k == 1) CHECK_OK(add_water(fluid, 10, NULL));
        cloud block = block_of(2, 16, 0.1, 0.2);
        for (uint32_t i = 0; i < 256; ++i)
            CHECK_OK(mote_fluid_add(fluid, k == 1 && i % 16 < 7, block.x + 3 * i, block.v + 3 * i, 1, NULL));
        for (int step = 0; step < 20; ++step) CHECK_OK(mote_fluid_advance(fluid, 1e-3, NULL, NULL, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        for (size_t i = 0; i < view.count; ++i)
            places[k][view.id[i]][0] = view.x[i], places[k][view.id[i]][1] = view.z[i];
        mote_fluid_destroy(fluid);
        free(block.x);
    }
    double worst = 0;
    for (int i = 0; i < 512; ++i) worst = fmax(worst, fabs(places[0][i / 2][i % 2] - places[1][i / 2][i % 2]));
    CHECK(worst < 1e-5, "places differ by %g", worst);
}

// ------------------------------------------------------------------------------------------------- what is carried

static bool keep(void *user_data, const void *bytes, size_t length)
{
    cloud *to = user_data;
    unsigned char *at = realloc(to->x, to->count + length);
    if (!at) return false;
    memcpy(at + to->count, bytes, length);
    to->x = (double *)(void *)at, to->count += length;
    return true;
}

// Particles keep their phases when they are sorted, removed, written and read; the bits do not depend on threads.
static void phases_are_carried(void **state)
{
    (void)state;
    float first[2][3] = {{0}};
    for (uint32_t threads = 1; threads <= 5; threads += 4) {
        mote_context_def options = mote_context_default_def();
        options.thread_count = threads;
        mote_context *context;
        CHECK_OK(mote_context_create(&options, &context, NULL));
        mote_fluid_def def = def_of(2, 0.1);
        mote_fluid *fluid, *other;
        CHECK_OK(mote_fluid_create(context, &def, &fluid, NULL));
        CHECK_OK(mote_fluid_create(context, &def, &other, NULL));
        add_phases(fluid, 3), add_phases(other, 3);
        cloud block = block_of(2, 30, 0.1, 0.2), bytes = {0};
        for (uint32_t i = 0; i < 900; ++i)
            CHECK_OK(mote_fluid_add(fluid, i * 7 % 3, block.x + 3 * i, block.v + 3 * i, 1, NULL));
        bool marked[900] = {false};
        for (int i = 0; i < 900; i += 11) marked[i] = true;
        CHECK_OK(mote_fluid_remove(fluid, marked, NULL));
        for (int step = 0; step < 20; ++step) CHECK_OK(mote_fluid_advance(fluid, 2e-4, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_write(fluid, keep, &bytes, NULL));
        CHECK_OK(mote_fluid_read(other, bytes.x, bytes.count, NULL));
        mote_fluid_view views[2];
        for (int k = 0; k < 2; ++k) {
            mote_fluid *of = k ? other : fluid;
            for (int step = 0; step < 10; ++step) CHECK_OK(mote_fluid_advance(of, 2e-4, NULL, NULL, NULL));
            CHECK_OK(mote_fluid_get_view(of, &views[k], NULL));
            CHECK_OK(mote_fluid_validate(of, NULL));
        }
        for (size_t i = 0; i < views[0].count; ++i) {
            const uint64_t phase = views[0].id[i] * 7 % 3;
            CHECK(views[0].phase[i] == phase, "particle %zu", i);
            CHECK(views[0].id[i] == views[1].id[i] && views[0].x[i] == views[1].x[i] &&
                      views[0].vz[i] == views[1].vz[i] && views[0].phase[i] == views[1].phase[i],
                  "particle %zu after reading", i);
        }
        float *sum = first[threads > 1];
        for (size_t i = 0; i < views[0].count; ++i) sum[0] += (float)views[0].x[i], sum[1] += views[0].vz[i];
        free(block.x), free(bytes.x);
        mote_fluid_destroy(fluid), mote_fluid_destroy(other);
        mote_context_destroy(context);
    }
    CHECK(first[0][0] == first[1][0] && first[0][1] == first[1][1], "bits depend on threads");
}

// ------------------------------------------------------------------------------------------------------- bad input

static void expect(mote_fluid_def def, mote_phase_def second, mote_result result, const char *words)
{
    mote_fluid *fluid;
    mote_error error = {0};
    uint32_t number = 9;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    assert_int_equal(mote_fluid_add_phase(fluid, &second, &number, &error), result);
    if (words) CHECK(strstr(error.text, words), "%s", error.text);
    assert_int_equal(mote_fluid_phase_count(fluid), result == MOTE_OK ? 2 : 1);
    const double at[3] = {0, 0, 0};
    CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, 1, NULL));
    CHECK_OK(mote_fluid_evaluate(fluid, NULL));  // it is as it was
    mote_fluid_destroy(fluid);
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    mote_fluid_def def = def_of(2, 0.1);
    mote_phase_def air = mote_phase_default_def();
    air.rest_density = 1;
    expect(def, air, MOTE_OK, NULL);
    air.rest_density = 0.09;
    expect(def, air, MOTE_ERROR_ARGUMENT, "rest_density is 0.09 beside 1000, expected a ratio of at most 10000");
    air.rest_density = 1;
    def.shifting = MOTE_SHIFTING_TRANSPORT;
    expect(def, air, MOTE_ERROR_UNSUPPORTED, "shifting is \"transport\"");
    def.shifting = MOTE_SHIFTING_FREE_SURFACE, def.consistent_shifting = true;
    expect(def, air, MOTE_ERROR_UNSUPPORTED, "consistent_shifting is true");
    def.consistent_shifting = false, def.diffusion_model = MOTE_DIFFUSION_ANTUONO;
    expect(def, air, MOTE_ERROR_UNSUPPORTED, "diffusion_model is \"antuono\"");
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_FAST, NULL));
    def.diffusion_model = MOTE_DIFFUSION_FOURTAKAS;
    expect(def, air, MOTE_ERROR_UNSUPPORTED, "expected one with solver \"onderik\" and density \"continuity\"");
}

static void phases_under_one_pressure_are_compressed_alike(void **state)
{
    (void)state;
    mote_fluid_def def = def_of(2, 0.1);
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    add_phases(fluid, 3);
    const double stiffness = 1000.0 * 10 * 10;
    for (uint32_t k = 0; k < 3; ++k) {
        const mote_phase_def phase = mote_fluid_resolved_phase(fluid, k);
        CHECK(fabs(phase.rest_density * phase.sound_speed * phase.sound_speed / stiffness - 1) < 1e-12, "phase %u", k);
        CHECK(fabs(mote_fluid_phase_mass(fluid, k) / (0.01 * phase.rest_density) - 1) < 1e-12, "phase %u", k);
    }
    CHECK(mote_fluid_phase_mass(fluid, 3) == 0 && mote_fluid_phase_count(NULL) == 0, "there is no such phase");
    mote_fluid_destroy(fluid);
}

// Tait's equation by its formula, for any exponent: pressures, the way back, what they are the slope of, and energy.
static void exponents_may_be_any(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {  // the second counts as 1, the third is the least that does not
        const double exponents[6] = {1, 1 + 1e-9, 1.0001, 1.4, 5.0 / 3, 7}, gamma = exponents[k];
        const double rounding = k == 1 ? 1e-11 : 1e-12;  // to take 1 + 1e-9 for 1 is as far off
        mote_fluid_def def = def_of(2, 0.1);
        mote_fluid *fluid;
        def.negative_pressure = true;
        mote_phase_def gas = mote_phase_default_def();
        gas.rest_density = 1.2, gas.sound_speed = 30, gas.gamma = gamma;
        uint32_t number;
        CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
        CHECK_OK(mote_fluid_add_phase(fluid, &gas, &number, NULL));
        const double full = 1.2 * 30 * 30 / gamma;
        for (double e = -0.1; e < 0.11; e += 0.04) {
            const double pressure = mote_fluid_pressure_at(fluid, &gas, e), exact = full * (pow(1 + e, gamma) - 1);
            CHECK(fabs(pressure - exact) < 1e-9 * full, "gamma %g: %.12g, not %.12g", gamma, pressure, exact);
            const double of = mote_fluid_pressure_of(fluid, &gas, 1.2 * (1 + e));
            CHECK(fabs(of - exact) < 1e-9 * full, "gamma %g: %.12g, not %.12g", gamma, of, exact);
            CHECK(fabs(mote_fluid_excess_at(fluid, &gas, exact) - e) < rounding, "gamma %g: the way back", gamma);
            const double s = 1e-5, more = full * (pow(1 + e + s, gamma) - 1), less = full * (pow(1 + e - s, gamma) - 1);
            const double slope = (more - less) / (1.2 * (1 + e) * 30 * 30);
            const double found =
                mote_fluid_enthalpy_at(fluid, &gas, e + s) - mote_fluid_enthalpy_at(fluid, &gas, e - s);
            CHECK(fabs(found / slope - 1) < 1e-3, "gamma %g: enthalpy grows by %g, not %g", gamma, found, slope);
            const double stored = mote_gauge_elastic_energy(&def, &gas, 1.2 * (1 + e + s)) -
                                  mote_gauge_elastic_energy(&def, &gas, 1.2 * (1 + e - s));
            const double work = 2 * s * exact / (1.2 * (1 + e) * (1 + e));
            CHECK(fabs(stored / work - 1) < 1e-4, "gamma %g: energy grows by %g, not %g", gamma, stored, work);
        }
        mote_fluid_destroy(fluid);
    }
}

// A gas at a pressure has it after evaluation, and is as dense as its exponent says.
static void gases_keep_their_pressures(void **state)
{
    (void)state;
    mote_fluid_def def = def_of(2, 0.1);
    mote_fluid *fluid;
    mote_phase_def gas = mote_phase_default_def();
    uint32_t number;
    gas.rest_density = 1, gas.gamma = 1.4;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    CHECK_OK(mote_fluid_add_phase(fluid, &gas, &number, NULL));
    const double at[6] = {0, 0, 0, 5, 0, 0}, pressures[2] = {5000, 5000}, full = 1000 * 10 * 10;
    CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, 1, NULL));
    CHECK_OK(mote_fluid_add(fluid, 1, at + 3, NULL, 1, NULL));
    CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
    CHECK_OK(mote_fluid_evaluate(fluid, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < 2; ++i) {
        const double gamma = view.phase[i] ? 1.4 : 7, rest = view.phase[i] ? 1 : 1000;
        const double density = rest * pow(1 + gamma * 5000 / full, 1 / gamma);
        CHECK(fabs((double)view.pressure[i] / 5000 - 1) < 1e-5, "pressure %g", (double)view.pressure[i]);
        CHECK(fabs((double)view.density[i] / density - 1) < 1e-6, "%.9g, not %.9g", (double)view.density[i], density);
    }
    mote_fluid_destroy(fluid);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_equal_all_pairs),
        cmocka_unit_test(density_diffuses_among_equals),
        cmocka_unit_test(equal_phases_are_one),
        cmocka_unit_test(phases_are_carried),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(phases_under_one_pressure_are_compressed_alike),
        cmocka_unit_test(exponents_may_be_any),
        cmocka_unit_test(gases_keep_their_pressures),
    };
    RUN_TESTS(tests, argc, argv);
}
