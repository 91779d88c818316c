// SPDX-License-Identifier: MIT
// The weakly compressible solver: conservation, exact solutions, bits, memory, bad input.

#include "mote/fluid.h"
#include "mote/simulation.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

// --------------------------------------------------------------------------------------------------- conservation

// Without walls and shifting, forces are those of pairs along their line: momentum and angular momentum stay.
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid_def def = def_of(dimensions, 0.1);
        def.shifting = MOTE_SHIFTING_NONE;
        liquid.viscosity = 5;
        mote_fluid *fluid = make_fluid(NULL, &def);
        cloud block = block_of(dimensions, dimensions == 3 ? 8 : 16, 0.1, 0.2);
        CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
        set_random_pressures(fluid, block.count);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        double force[3] = {0}, torque = 0, size = 0;
        for (size_t i = 0; i < view.count; ++i) {
            const double a[3] = {(double)view.ax[i], (double)view.ay[i], (double)view.az[i]};
            for (int k = 0; k < 3; ++k) force[k] += a[k], size += fabs(a[k]);
            torque += view.x[i] * a[2] - view.z[i] * a[0];
        }
        for (int k = 0; k < 3; ++k) CHECK(fabs(force[k]) < 2e-6 * size, "%dD: %g of %g", dimensions, force[k], size);
        CHECK(fabs(torque) < 2e-6 * size, "%dD: torque %g of %g", dimensions, torque, size);
        mote_fluid_destroy(fluid);
        free(block.x);
    }
}

// The sum of the accelerations in a block that flies apart and is shifted, and their torque, as shares of their sizes.
static double sum_of_stretched(int dimensions, mote_steps steps, mote_tensile_model model, double *torque)
{
    mote_fluid_def def = def_of(dimensions, 0.1);
    def.tensile_model = (int32_t)model, def.steps = (int32_t)steps;
    mote_fluid *fluid = make_fluid(NULL, &def);
    cloud block = block_of(dimensions, dimensions == 3 ? 10 : 20, 0.1, 0.4);
    for (size_t i = 0; i < 3 * block.count; ++i) block.v[i] += block.x[i];
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
    for (int step = 0; step < 8; ++step) CHECK_OK(mote_fluid_advance(fluid, 1e-3, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    double force[3] = {0}, size = 0;
    *torque = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double a[3] = {(double)view.ax[i], (double)view.ay[i], (double)view.az[i]};
        for (int k = 0; k < 3; ++k) force[k] += a[k], size += fabs(a[k]);
        *torque += view.x[i] * a[2] - view.z[i] * a[0];
    }
    mote_fluid_destroy(fluid);
    free(block.x);
    *torque /= size;
    return sqrt((force[0] * force[0] + force[1] * force[1]) + force[2] * force[2]) / size;
}

// Under negative pressure, too, unless particles take theirs with the other sign; with individual steps while none
// sleeps, as at the end of a step of the fluid.
static void momentum_is_kept_under_negative_pressure(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3 * 3; k += SEEKS_RACES ? 5 : 1) {
        const int dimensions = 2 + k % 2, steps = k / 2 % 3, model = k / 6;
        double torque;
        const double force = sum_of_stretched(dimensions, (mote_steps)steps, (mote_tensile_model)model, &torque);
        const bool is_kept = force < 2e-6 && fabs(torque) < 2e-6;
        CHECK(is_kept == (model != MOTE_TENSILE_SWITCH), "%dD, steps %d, model %d: %g, torque %g", dimensions, steps,
              model, force, torque);
    }
}

// --------------------------------------------------------------------------------------------------- exact flows

static void step_until(mote_fluid *fluid, double from, double to)
{
    for (double t = from; t < to * (1 - 1e-12);) {
        double dt;
        CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
        dt = fmin(dt, to - t);
        CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
        t += dt;
    }
}

// Diffusion leaves the densities of water at rest as they are: its enthalpy c² ((1 + δ)^6 − 1)/6 is linear in depth.
// The excess is not: diffusion of it would change it here by 5 D (g/c²)² = 0.0048 a second.
static void water_at_rest_keeps_its_densities(void **state)
{
    (void)state;
    enum { N = 24 };
    static double pressures[N * N], before[N * N];
    const double d = 0.05, g = 9.81, c = 10, dt = 4e-4;
    mote_fluid_def def = def_of(2, d);
    def.gravity.z = -g;
    def.shifting = MOTE_SHIFTING_NONE;
    mote_fluid *fluid = make_fluid(NULL, &def);
    cloud block = block_of(2, N, d, 0);
    memset(block.v, 0, 3 * block.count * sizeof *block.v);
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
    for (size_t i = 0; i < block.count; ++i) {
        const double depth = N * d - block.x[3 * i + 2], q = pow(1 + 6 * g * depth / (c * c), 7.0 / 6);
        pressures[i] = liquid.rest_density * c * c / 7 * (q - 1);
    }
    CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i) before[view.id[i]] = (double)view.density[i];
    CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    double rate = 0, counted = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double margin = 5 * d, x = view.x[i], z = view.z[i];
        if (fmin(x, z) < margin || fmax(x, z) > N * d - margin) continue;
        rate += ((double)view.density[i] - before[view.id[i]]) / liquid.rest_density / dt;
        counted += 1;
    }
    CHECK(counted > 100 && fabs(rate / counted) < 0.0015, "the excess changes by %g a second", rate / counted);
    mote_fluid_destroy(fluid);
    free(block.x);
}

// Vortices that fade: kinetic energy decays as exp(−16 π² t/Re) (Taylor & Green 1937).
static void vortices_fade_at_the_right_rate(void **state)
{
    (void)state;
    enum { N = 32 };
    const double pi = 3.14159265358979323846, reynolds = 100, end = 0.4;
    mote_fluid_def def = def_of(2, 1.0 / N);
    liquid.viscosity = 1000 / reynolds;
    def.viscosity_model = MOTE_VISCOSITY_LAPLACIAN;
    def.shifting = MOTE_SHIFTING_TRANSPORT;
    mote_fluid *fluid = make_fluid(NULL, &def);
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){1, 0, 1}, period.x = period.z = true;
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    double x[3 * N * N] = {0}, v[3 * N * N] = {0}, p[N * N];
    for (int i = 0; i < N * N; ++i) {
        x[3 * i] = (i % N + 0.5) / N, x[3 * i + 2] = (i / N + 0.5) / N;
        v[3 * i] = -cos(2 * pi * x[3 * i]) * sin(2 * pi * x[3 * i + 2]);
        v[3 * i + 2] = sin(2 * pi * x[3 * i]) * cos(2 * pi * x[3 * i + 2]);
        p[i] = -250 * (cos(4 * pi * x[3 * i]) + cos(4 * pi * x[3 * i + 2]));
    }
    CHECK_OK(mote_fluid_add(fluid, 0, x, v, N * N, NULL));
    CHECK_OK(mote_fluid_set_pressures(fluid, p, NULL));
    mote_fluid_totals before, after;
    CHECK_OK(mote_fluid_get_totals(fluid, &before, NULL));
    step_until(fluid, 0, end);
    CHECK_OK(mote_fluid_get_totals(fluid, &after, NULL));
    const double rate = log(after.kinetic_energy / before.kinetic_energy) / end, exact = -16 * pi * pi / reynolds;
    CHECK(fabs(rate / exact - 1) < 0.12, "decays at %g, expected %g", rate, exact);
    CHECK_OK(mote_fluid_validate(fluid, NULL));
    mote_fluid_destroy(fluid);
}

// ------------------------------------------------------------------------------------------------------- bits

typedef struct run_choice {
    uint32_t threads;
    mote_simd simd;
    int dimensions;
    int32_t shifting, model;
    bool is_periodic;
    double smagorinsky;
    bool is_resumed;  // the fluid is written in the middle of the run, and another one reads it
} run_choice;

static bool is_stretched(const run_choice *choice)
{
    return choice->shifting == MOTE_SHIFTING_FREE_SURFACE;
}

// A block on walls; one that is stretched flies apart.
static mote_fluid *fluid_of_run(mote_context *context, const run_choice *choice)
{
    mote_fluid_def def = def_of(choice->dimensions, 0.1);
    const int n = choice->dimensions == 3 ? 10 : 30;
    def.gravity = (mote_vec3){0.5, 0, -9.81};
    def.shifting = choice->shifting;
    def.viscosity_model = choice->model;
    def.smagorinsky = choice->smagorinsky;
    if (is_stretched(choice)) def.diffusion_model = MOTE_DIFFUSION_ANTUONO, def.xsph = 0.2;
    liquid.viscosity = 1;
    mote_fluid *fluid = make_fluid(context, &def);
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){0.1 * n, 0.1 * n, 0.1 * n};
    period.x = choice->is_periodic;
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    cloud block = block_of(choice->dimensions, n, 0.1, 0.3);
    for (size_t i = 0; i < 3 * block.count && is_stretched(choice); ++i) block.v[i] += block.x[i];
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
    free(block.x);
    mote_boundary_def belt = mote_boundary_default_def(), slip = belt;
    belt.velocity.x = 1, slip.slip = true;
    uint32_t boundaries[60], first, second;
    CHECK_OK(mote_fluid_add_boundary(fluid, &belt, &first, NULL));
    CHECK_OK(mote_fluid_add_boundary(fluid, &slip, &second, NULL));
    double wall[3 * 60], volumes[60];
    for (int k = 0; k < 60; ++k) {
        wall[3 * k] = 0.1 * (k % 30) + 0.05, wall[3 * k + 1] = choice->dimensions == 3 ? 0.45 : 0;
        wall[3 * k + 2] = -0.05 - 0.1 * (k / 30);
        volumes[k] = 1;
        boundaries[k] = k % 3 == 0 ? 0 : k % 3 == 1 ? first : second;
    }
    CHECK_OK(mote_fluid_add_boundary_walls(fluid, wall, volumes, boundaries, 60, NULL));
    return fluid;
}

static mote_fluid *read_again(mote_fluid *fluid, mote_context *context, const run_choice *choice)
{
    bytes_taken file = {0};
    CHECK_OK(mote_fluid_write(fluid, take, &file, NULL));
    mote_fluid_destroy(fluid);
    mote_fluid *other = fluid_of_run(context, choice);
    CHECK_OK(mote_fluid_read(other, file.bytes, file.count, NULL));
    free(file.bytes);
    return other;
}

static uint64_t bits_of_run(const run_choice *choice)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = choice->threads;
    context_def.simd = choice->simd;
    mote_context *context;
    CHECK_OK(mote_context_create(&context_def, &context, NULL));
    mote_fluid *fluid = fluid_of_run(context, choice);
    for (int k = 0; k < 12; ++k) {
        double dt;
        if (k == 6 && choice->is_resumed) fluid = read_again(fluid, context, choice);
        CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
        CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    }
    CHECK(!is_stretched(choice) || count_stretched(fluid) > 0, "%dD: none is stretched", choice->dimensions);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    uint64_t bits = 0;
    for (size_t i = 0; i < view.count; ++i) {
        uint64_t word[4] = {view.id[i]};
        memcpy(&word[1], &view.z[i], 8);
        memcpy(&word[2], &view.vx[i], 4);
        memcpy(&word[3], &view.density[i], 4);
        for (int k = 0; k < 4; ++k) bits = (bits ^ word[k]) * 0x100000001B3u + (bits >> 29);
    }
    mote_fluid_destroy(fluid);
    mote_context_destroy(context);
    return bits;
}

static void same_bits_for_any_threads_and_instructions(void **state)
{
    (void)state;
    const mote_simd forms[] = {MOTE_SIMD_PLAIN, MOTE_SIMD_AVX2, MOTE_SIMD_AVX512, MOTE_SIMD_128};
    mote_context_def def = mote_context_default_def();
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int32_t kind = 0; kind < 4; kind += SEEKS_RACES ? 3 : 1) {
            const int32_t shifting = kind < 3 ? kind : MOTE_SHIFTING_FREE_SURFACE;
            const double smagorinsky = kind < 3 ? 0 : 0.3;
            run_choice choice = {1, MOTE_SIMD_PLAIN, dimensions, shifting, shifting % 2, shifting > 0, smagorinsky,
                                 false};
            const uint64_t plain = bits_of_run(&choice);
            // Half of them where bad memory is sought, the other half with the next kind.
            const size_t first = SANITIZED && !SEEKS_RACES ? (size_t)kind % 2 : 0;
            for (size_t k = first; k < sizeof forms / sizeof *forms; k += SEEKS_RACES ? 3 : SANITIZED ? 2 : 1) {
                mote_context *context;
                def.simd = choice.simd = forms[k];
                if (mote_context_create(&def, &context, NULL) != MOTE_OK) continue;  // not this processor
                mote_context_destroy(context);
                choice.threads = k % 2 ? 5 : 2, choice.is_resumed = k % 2;
                CHECK(bits_of_run(&choice) == plain, "%dD, shifting %d, C %g, form %d", dimensions,
                      (int)shifting, smagorinsky, (int)forms[k]);
            }
        }
}

// ------------------------------------------------------------------------------------------------------ memory

static mote_result live_a_little(mote_context *context, void *data)
{
    mote_error error = {0};
    (void)data;
    mote_fluid_def def = def_of(3, 0.1);
    def.shifting = MOTE_SHIFTING_TRANSPORT;
    mote_fluid *fluid = NULL;
    mote_result result = mote_fluid_create(context, &def, &fluid, &error);
    if (result != MOTE_OK) return result;
    CHECK_OK(add_water(fluid, 10, NULL));
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){0.7, 0, 0}, period.x = true;
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    double p[3 * 27], wall[3 * 9], unit[9];
    for (int k = 0; k < 27; ++k)
        p[3 * k] = 0.1 * (k % 3), p[3 * k + 1] = 0.1 * (k / 3 % 3), p[3 * k + 2] = 0.1 * (k / 9);
    for (int k = 0; k < 9; ++k)
        wall[3 * k] = 0.1 * (k % 3), wall[3 * k + 1] = 0.1 * (k / 3), wall[3 * k + 2] = -0.1, unit[k] = 1;
    result = mote_fluid_add(fluid, 0, p, NULL, 27, &error);
    if (result == MOTE_OK) result = mote_fluid_add_walls(fluid, wall, unit, 9, &error);
    if (result == MOTE_OK) result = mote_fluid_advance(fluid, 1e-4, NULL, NULL, &error);
    if (result == MOTE_OK) result = mote_fluid_add(fluid, 0, p, NULL, 27, &error);
    mote_fluid_view view;
    if (result == MOTE_OK) result = mote_fluid_get_view(fluid, &view, &error);
    if (mote_fluid_validate(fluid, &error) != MOTE_OK)
        FAIL("not valid after %s: %s", mote_result_name(result), error.text);
    mote_fluid_destroy(fluid);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(live_a_little, NULL);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(2);
    mote_fluid_def def = def_of(3, 0.1);
    mote_fluid *fluid = make_fluid(context, &def);
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){1, 0, 0}, period.x = true;
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    cloud block = block_of(3, 10, 0.1, 0.1);
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, NULL, block.count, NULL));
    free(block.x);
    const double wall[3] = {0.5, 0.5, -0.1};
    CHECK_OK(mote_fluid_add_walls(fluid, wall, NULL, 1, NULL));
    for (int k = 0; k < 10; ++k) CHECK_OK(mote_fluid_advance(fluid, 1e-4, NULL, NULL, NULL));
    const uint64_t before = mote_context_allocation_count(context);
    for (int k = 0; k < 20; ++k) CHECK_OK(mote_fluid_advance(fluid, 1e-4, NULL, NULL, NULL));
    assert_int_equal(mote_context_allocation_count(context), before);
    CHECK(mote_fluid_byte_count(fluid) <= mote_context_byte_count(context), "counts more than there is");
    mote_fluid_destroy(fluid);
    mote_context_destroy(context);
}

// --------------------------------------------------------------------------------------------------- bad input

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_error error;
    mote_fluid *fluid;
    mote_fluid_def def = def_of(2, 0.1);
    def.support = 0.11;
    CHECK(mote_fluid_create(NULL, &def, &fluid, &error) == MOTE_ERROR_ARGUMENT, "accepted");
    CHECK(strstr(error.text, "1.2 to 6 spacings"), "%s", error.text);
    def = def_of(2, 0.1), def.density = MOTE_DENSITY_SUMMATION;
    CHECK(mote_fluid_create(NULL, &def, &fluid, &error) == MOTE_ERROR_ARGUMENT, "accepted");
    CHECK(strstr(error.text, "summation"), "%s", error.text);
    def = def_of(2, 0.1), def.tensile_model = MOTE_TENSILE_SWITCH, def.shifting = MOTE_SHIFTING_NONE;
    CHECK(mote_fluid_create(NULL, &def, &fluid, &error) == MOTE_ERROR_ARGUMENT, "accepted");
    CHECK(strstr(error.text, "tensile_model is \"switch\", expected \"none\" unless"), "%s", error.text);
    def.shifting = MOTE_SHIFTING_FREE_SURFACE;
    fluid = make_fluid(NULL, &def);
    uint32_t number;
    CHECK(mote_fluid_add_phase(fluid, &liquid, &number, &error) == MOTE_ERROR_UNSUPPORTED, "accepted");
    CHECK(strstr(error.text, "expected \"none\" with several fluids"), "%s", error.text);
    mote_fluid_destroy(fluid);
    def = def_of(2, 0.1);
    fluid = make_fluid(NULL, &def);
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){0.5, 0, 1}, period.x = true;
    CHECK(mote_fluid_set_period(fluid, &period, &error) == MOTE_ERROR_ARGUMENT, "accepted");
    CHECK(strstr(error.text, "0.5 wide along x"), "%s", error.text);
    period.max.x = 1, period.y = true;
    CHECK(mote_fluid_set_period(fluid, &period, &error) == MOTE_ERROR_ARGUMENT, "accepted");
    mote_fluid_destroy(fluid);
}

// Particles that leave a periodic box come in on the other side, and flow on as before.
static void particles_come_in_on_the_other_side(void **state)
{
    (void)state;
    mote_fluid_def def = def_of(2, 0.1);
    def.shifting = MOTE_SHIFTING_TRANSPORT;
    mote_fluid *fluid = make_fluid(NULL, &def);
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){-1, 0, -1}, period.max = (mote_vec3){1, 0, 1}, period.x = period.z = true;
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    double x[3 * 400], v[3 * 400];
    for (int i = 0; i < 400; ++i) {
        x[3 * i] = -0.95 + 0.1 * (i % 20), x[3 * i + 1] = 0, x[3 * i + 2] = -0.95 + 0.1 * (i / 20);
        v[3 * i] = 3, v[3 * i + 1] = 0, v[3 * i + 2] = -1;
    }
    CHECK_OK(mote_fluid_add(fluid, 0, x, v, 400, NULL));
    step_until(fluid, 0, 1);
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i) {
        CHECK(view.x[i] >= -1 && view.x[i] < 1 && view.z[i] >= -1 && view.z[i] < 1, "at %g, %g", view.x[i], view.z[i]);
        CHECK(fabs((double)view.vx[i] - 3) < 1e-3 && fabs((double)view.vz[i] + 1) < 1e-3, "moves at %g, %g",
              (double)view.vx[i], (double)view.vz[i]);
        const double *from = x + 3 * view.id[i];
        const double moved = nearest_image(view.x[i] - from[0] - 1, true, 2);  // 3 is 1 and a period
        CHECK(fabs(moved) < 1e-3, "particle %llu moved by %g", (unsigned long long)view.id[i], moved);
    }
    mote_fluid_destroy(fluid);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(momentum_is_kept_under_negative_pressure),
        cmocka_unit_test(water_at_rest_keeps_its_densities),
        cmocka_unit_test(vortices_fade_at_the_right_rate),
        cmocka_unit_test(particles_come_in_on_the_other_side),
        cmocka_unit_test(same_bits_for_any_threads_and_instructions),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(a_warm_step_allocates_nothing),
    };
    RUN_TESTS(tests, argc, argv);
}
