// SPDX-License-Identifier: MIT
// The fluid: densities, forces, walls, time integration, determinism, memory.

#include "fluid/tested.h"
#include "mote/neighbors.h"
#include "mote/walls.h"
#include "support/test.h"
#include "support/water.h"

// What make_fluid fills fluids with; small_def makes it water.
static mote_phase_def liquid;

static mote_fluid_def small_def(int dimensions)
{
    mote_fluid_def def = mote_fluid_default_def();
    def.dimensions = dimensions;
    def.spacing = 0.1;
    liquid = mote_phase_default_def();
    liquid.sound_speed = 10;
    def.gravity = (mote_vec3){0, 0, 0};
    return def;
}

static mote_fluid *make_fluid(mote_context *context, const mote_fluid_def *def)
{
    return fluid_of_phase(context, def, &liquid);
}

// A block of n particles an axis, jittered by a share of the spacing; in 2D a square.
static void add_block(mote_fluid *fluid, int n, double jitter, double compress, mote_vec3 at)
{
    mote_fluid_def def = mote_fluid_resolved_def(fluid);
    mote_random random = {3};
    int ny = def.dimensions == 3 ? n : 1;
    size_t count = (size_t)(n * ny * n), i = 0;
    double *p = malloc(count * 6 * sizeof *p), *v = p + 3 * count, d = def.spacing * compress;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < n; ++x)
                for (int k = 0; k < 3; ++k, ++i) {
                    double lattice = k == 0 ? x : k == 1 ? y : z, origin = k == 0 ? at.x : k == 1 ? at.y : at.z;
                    p[i] = origin + d * (lattice + 0.5 + jitter * (mote_random_unit(&random) - 0.5));
                    v[i] = jitter * (mote_random_unit(&random) - 0.5);
                }
    CHECK_OK(mote_fluid_add(fluid, 0, p, v, count, NULL));
    free(p);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    mote_fluid *fluid;
    mote_error error;
    mote_fluid_def def = {0};
    assert_int_equal(mote_fluid_create(NULL, &def, &fluid, &error), MOTE_ERROR_ARGUMENT);
    def = mote_fluid_default_def();
    assert_int_equal(mote_fluid_create(NULL, &def, &fluid, &error), MOTE_ERROR_ARGUMENT);  // no spacing
    def = small_def(2), def.gravity.y = 1;
    assert_int_equal(mote_fluid_create(NULL, &def, &fluid, &error), MOTE_ERROR_ARGUMENT);
    def = small_def(3), def.neighbors = "no_such_method";
    assert_int_equal(mote_fluid_create(NULL, &def, &fluid, &error), MOTE_ERROR_ARGUMENT);
    def = small_def(3), def.support = 0.05;
    assert_int_equal(mote_fluid_create(NULL, &def, &fluid, &error), MOTE_ERROR_ARGUMENT);

    def = small_def(3);
    fluid = make_fluid(NULL, &def);
    double bad[3] = {0, NAN, 0};
    assert_int_equal(mote_fluid_add(fluid, 0, bad, NULL, 1, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(mote_fluid_add_walls(fluid, bad, NULL, 1, &error), MOTE_ERROR_NOT_FINITE);
    mote_fluid_destroy(fluid);
}

static void nothing_is_a_fluid_too(void **state)
{
    (void)state;
    mote_fluid_def def = small_def(3);
    mote_fluid *fluid = make_fluid(NULL, &def);
    double dt;
    CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
    CHECK(dt > 0, "%g", dt);
    CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_validate(fluid, NULL));
    mote_fluid_totals totals;
    CHECK_OK(mote_fluid_get_totals(fluid, &totals, NULL));
    assert_true(totals.mass == 0 && totals.max_speed == 0);
    mote_fluid_destroy(fluid);
}

static void a_lattice_has_the_rest_density(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int far = 0; far < 2; ++far) {
            mote_fluid_def def = small_def(dimensions);
            def.density = MOTE_DENSITY_SUMMATION;
            mote_fluid *fluid = make_fluid(NULL, &def);
            mote_vec3 at = {far ? 1e6 : 0, 0, far ? -3e5 : 0};
            add_block(fluid, 9, 0, 1, at);
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            for (size_t i = 0; i < view.count; ++i) {
                double x = view.x[i] - at.x, z = view.z[i] - at.z, y = dimensions == 3 ? view.y[i] : x;
                if (x < 0.35 || x > 0.55 || y < 0.35 || y > 0.55 || z < 0.35 || z > 0.55) continue;
                CHECK(fabs((double)view.density[i] - 1000) < 0.01, "%dD: %g", dimensions, (double)view.density[i]);
            }
            mote_fluid_destroy(fluid);
        }
}

// A flat layer of samples, one spacing below the lattice, and layers of unit volume: both stand for more fluid.
static void a_flat_wall_one_spacing_away_gives_the_rest_density(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int layers = 0; layers <= 3; layers += 3) {
            mote_fluid_def def = small_def(dimensions);
            def.density = MOTE_DENSITY_SUMMATION;
            mote_fluid *fluid = make_fluid(NULL, &def);
            add_block(fluid, 15, 0, 1, (mote_vec3){0, 0, 0});
            double *p = calloc(3 * 3 * 25 * 25, sizeof *p), *volumes = calloc(3 * 25 * 25, sizeof *volumes);
            size_t count = 0;
            for (int k = 0; k < (layers ? layers : 1); ++k)
                for (int y = dimensions == 3 ? -5 : 0; y < (dimensions == 3 ? 20 : 1); ++y)
                    for (int x = -5; x < 20; ++x, ++count) {
                        p[3 * count] = 0.1 * (x + 0.5), p[3 * count + 1] = dimensions == 3 ? 0.1 * (y + 0.5) : 0;
                        p[3 * count + 2] = -0.1 * (k + 0.5);
                        volumes[count] = 1;
                    }
            CHECK_OK(mote_fluid_add_walls(fluid, p, layers ? volumes : NULL, count, NULL));
            free(p), free(volumes);
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            double lowest = 1e9, highest = 0;
            for (size_t i = 0; i < view.count; ++i) {
                double y = dimensions == 3 ? view.y[i] : view.x[i];
                if (view.z[i] > 0.1 || view.x[i] < 0.5 || view.x[i] > 1 || y < 0.5 || y > 1) continue;
                lowest = fmin(lowest, (double)view.density[i]), highest = fmax(highest, (double)view.density[i]);
            }
            CHECK(lowest > 990 && highest < 1010, "%dD, %d layers: %g to %g", dimensions, layers, lowest, highest);
            mote_fluid_destroy(fluid);
        }
}

// Newton's third law over all pairs: internal forces add up to rounding of the largest of them.
static void internal_forces_cancel(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        int dimensions = 2 + kind / 2;
        mote_fluid_def def = small_def(dimensions);
        def.density = kind % 2 ? MOTE_DENSITY_CONTINUITY : MOTE_DENSITY_SUMMATION;
        def.negative_pressure = true;
        mote_fluid *fluid = make_fluid(NULL, &def);
        add_block(fluid, 9, 0.8, 0.9, (mote_vec3){0, 0, 0});
        for (int k = 0; k < 3 && kind % 2; ++k) CHECK_OK(mote_fluid_advance(fluid, 0.002, NULL, NULL, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        double sum[3] = {0}, size = 0;
        for (size_t i = 0; i < view.count; ++i) {
            sum[0] += (double)view.ax[i], sum[1] += (double)view.ay[i], sum[2] += (double)view.az[i];
            size += fabs((double)view.ax[i]) + fabs((double)view.ay[i]) + fabs((double)view.az[i]);
        }
        for (int k = 0; k < 3; ++k)
            CHECK(fabs(sum[k]) < 2e-6 * size, "%dD, density %d, axis %d: %g of %g", dimensions, kind % 2, k, sum[k],
                  size);
        CHECK(size > 100, "%dD, density %d: nothing pushes: %g", dimensions, kind % 2, size);
        mote_fluid_destroy(fluid);
    }
}

static void coincident_particles_do_not_push(void **state)
{
    (void)state;
    mote_fluid_def def = small_def(3);
    def.negative_pressure = true;
    mote_fluid *fluid = make_fluid(NULL, &def);
    const double p[9] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    CHECK_OK(mote_fluid_add(fluid, 0, p, NULL, 3, NULL));
    CHECK_OK(mote_fluid_add_walls(fluid, p, NULL, 1, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < 3; ++i)
        assert_true(view.ax[i] == 0 && view.ay[i] == 0 && view.az[i] == 0 && isfinite(view.density[i]));
    mote_fluid_destroy(fluid);
}

static void state_equations(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        mote_fluid_def def = small_def(3);
        def.state_equation = kind == 2 ? MOTE_STATE_IDEAL_GAS : MOTE_STATE_TAIT;
        liquid.gamma = kind == 1 ? 1 : 7;
        def.negative_pressure = kind != 0;
        def.density = MOTE_DENSITY_SUMMATION;
        mote_fluid *fluid = make_fluid(NULL, &def);
        add_block(fluid, 6, 0.3, 0.98, (mote_vec3){0, 0, 0});
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        for (size_t i = 0; i < view.count; ++i) {
            double rho = (double)view.density[i],
                   p = kind == 0 ? 1e5 / 7 * (pow(rho / 1000, 7) - 1) : 100 * (rho - 1000);
            if (kind == 0 && p < 0) p = 0;
            CHECK(fabs((double)view.pressure[i] - p) < 0.05 + 1e-4 * fabs(p), "kind %d: %g, expected %g", kind,
                  (double)view.pressure[i], p);
        }
        mote_fluid_destroy(fluid);
    }
}

// Diffusion alone: particles at rest with densities of their own, away from walls, without gravity. Densities must not
// change before a first step, volumes add up to the same after it, and differences shrink.
static void density_diffusion_keeps_the_volume(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid_def def = small_def(dimensions);
        mote_fluid *fluid = make_fluid(NULL, &def);
        add_block(fluid, 9, 0, 1, (mote_vec3){0, 0, 0});
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        mote_random random = {11};
        double *pressures = malloc(view.count * sizeof *pressures);
        for (size_t i = 0; i < view.count; ++i) pressures[i] = 4000 * mote_random_unit(&random);
        CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
        free(pressures);
        double volume[2] = {0}, spread[2] = {0};
        for (int k = 0; k < 2; ++k) {
            if (k) CHECK_OK(mote_fluid_advance(fluid, 1e-7, NULL, NULL, NULL));
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            for (size_t i = 0; i < view.count; ++i) volume[k] += 1 / (double)view.density[i];
            for (size_t i = 0; i < view.count; ++i)
                spread[k] += pow((double)view.density[i] * volume[k] / (double)view.count - 1, 2);
        }
        CHECK(fabs(volume[1] / volume[0] - 1) < 1e-7, "%dD: volume changed by %g", dimensions,
              volume[1] / volume[0] - 1);
        CHECK(spread[1] < spread[0], "%dD: %g, then %g", dimensions, spread[0], spread[1]);
        mote_fluid_destroy(fluid);
    }
}

// Water in free fall carries no pressure, and is not sorted as if it stood on something: no density changes.
static void falling_water_keeps_its_densities(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid_def def = small_def(dimensions);
        def.gravity.z = -9.81;
        mote_fluid *fluid = make_fluid(NULL, &def);
        add_block(fluid, 9, 0, 1, (mote_vec3){0, 0, 0});
        for (int k = 0; k < 100; ++k) CHECK_OK(mote_fluid_advance(fluid, 0.002, NULL, NULL, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        for (size_t i = 0; i < view.count; ++i)
            CHECK(fabs((double)view.density[i] - 1000) < 0.01, "%dD: %g", dimensions, (double)view.density[i]);
        mote_fluid_destroy(fluid);
    }
}

// −η ∇⁴v to the letter where a wave is long, and far more than viscosity's where neighbours go opposite ways; by
// continuity alone. Without viscosity and pressure nothing else acts.
static void hyperviscosity_damps_short_waves(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        const int nx = 11, ny = dimensions == 3 ? 11 : 1, nz = 41, length[2] = {20, 2};
        size_t count = (size_t)(nx * ny * nz);
        double *p = malloc(count * 6 * sizeof *p), *v = p + 3 * count, rate[2] = {0, 0};
        const double d = 0.1, pi = acos(-1);
        for (int wave = 0; wave < 3; ++wave) {
            mote_fluid_def def = small_def(dimensions);
            def.viscosity_alpha = 0;
            if (wave == 2) def.density = MOTE_DENSITY_SUMMATION, liquid.sound_speed = 1e-3;
            mote_fluid *fluid = make_fluid(NULL, &def);
            for (size_t i = 0; i < count; ++i) {
                size_t at[3] = {i % (size_t)nx, i / (size_t)nx % (size_t)ny, i / (size_t)(nx * ny)};
                for (int k = 0; k < 3; ++k) p[3 * i + (size_t)k] = d * (double)at[k], v[3 * i + (size_t)k] = 0;
                v[3 * i] = cos(2 * pi * (double)((int)at[2] - nz / 2) / length[wave % 2]);
            }
            CHECK_OK(mote_fluid_add(fluid, 0, p, v, count, NULL));
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            double acceleration = 0;
            for (size_t i = 0; i < count; ++i)
                if (view.id[i] == count / 2) acceleration = (double)view.ax[i];  // in the middle, at a crest
            if (wave < 2)
                rate[wave] = -acceleration;
            else
                CHECK(fabs(acceleration) < 1e-3, "%dD by summation: %g", dimensions, acceleration);
            mote_fluid_destroy(fluid);
        }
        double eta = mote_fluid_default_def().hyperviscosity * 10 * d * d * d, k = 2 * pi / (20 * d);
        CHECK(fabs(rate[0] / (eta * k * k * k * k) - 1) < 0.15, "%dD: %g, expected %g", dimensions, rate[0],
              eta * k * k * k * k);
        CHECK(rate[1] > 200 * rate[0], "%dD: %g against %g", dimensions, rate[1], rate[0]);
        free(p);
    }
}

// ------------------------------------------------------------------------------------------------------- in time

// Leap-frog of second order is exact for a parabola under any steps; a first-order kick is not.
static void free_fall_is_exact_under_varying_steps(void **state)
{
    (void)state;
    mote_fluid_def def = small_def(3);
    def.gravity = (mote_vec3){0.5, 0, -9.81};
    mote_fluid *fluid = make_fluid(NULL, &def);
    const double p[3] = {0, 0, 0}, v[3] = {1, 2, 3};
    CHECK_OK(mote_fluid_add(fluid, 0, p, v, 1, NULL));
    double t = 0;
    for (int k = 0; k < 40; ++k) {
        double dt = k % 3 ? 0.003 : 0.011;
        CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
        t += dt;
    }
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK(fabs(view.x[0] - (t + 0.25 * t * t)) < 1e-6 && fabs(view.z[0] - (3 * t - 4.905 * t * t)) < 1e-6, "(%g, %g)",
          view.x[0], view.z[0]);
    CHECK(fabs((double)view.vz[0] - (3 - 9.81 * t)) < 1e-5, "%g", (double)view.vz[0]);
    mote_fluid_destroy(fluid);
}

// A block out of its lattice swings, with pressure of either sign: the solver's own kick and drift under steps that
// alternate 1 : 3. Returns a sum over the positions that no symmetry keeps and every single motion changes.
static const double swing_time = 0.02;

static double swing(mote_fluid_density density, int steps)
{
    mote_fluid_def def = small_def(3);
    def.density = (int32_t)density;
    def.state_equation = MOTE_STATE_IDEAL_GAS;
    def.negative_pressure = true;
    mote_fluid *fluid = make_fluid(NULL, &def);
    // By continuity the start is at the rest density: motion must be there to make a difference.
    add_block(fluid, 6, density == MOTE_DENSITY_CONTINUITY ? 0.5 : 0.1, 0.95, (mote_vec3){0, 0, 0});
    for (int k = 0; k < steps; ++k)
        CHECK_OK(mote_fluid_advance(fluid, (k % 2 ? 1.5 : 0.5) * swing_time / steps, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    double sum = 0;
    for (size_t i = 0; i < view.count; ++i) sum += view.x[i] * (double)(view.id[i] % 7) / (double)view.count;
    mote_fluid_destroy(fluid);
    return sum;
}

static void leap_frog_is_of_order_two_under_varying_steps(void **state)
{
    (void)state;
    static const mote_fluid_density densities[] = {MOTE_DENSITY_SUMMATION, MOTE_DENSITY_CONTINUITY};
    for (int d = 0; d < 2; ++d) {
        double exact = swing(densities[d], 512), error[3];
        for (int k = 0; k < 3; ++k) error[k] = fabs(swing(densities[d], 8 << k) - exact);
        for (int k = 0; k < 2; ++k) {
            double order = log2(error[k] / error[k + 1]);
            CHECK(order > 1.8 && order < 2.3, "density %d: errors %g, %g: order %.2f", d, error[k], error[k + 1],
                  order);
        }
    }
}

// Adding or removing particles on the way brings velocities to the instant: nobody's path bends.
static void adding_on_the_way_changes_no_path(void **state)
{
    (void)state;
    mote_fluid_def def = small_def(3);
    def.gravity = (mote_vec3){0, 0, -10};
    mote_fluid *fluid = make_fluid(NULL, &def);
    const double p[3] = {0, 0, 0}, far[6] = {5, 0, 0, 9, 0, 0};
    CHECK_OK(mote_fluid_add(fluid, 0, p, NULL, 1, NULL));
    for (int k = 0; k < 10; ++k) CHECK_OK(mote_fluid_advance(fluid, 0.01, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_add(fluid, 0, far, NULL, 2, NULL));
    for (int k = 0; k < 10; ++k) CHECK_OK(mote_fluid_advance(fluid, 0.02, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    bool marked[3];
    for (size_t i = 0; i < 3; ++i) {
        double t = view.id[i] == 0 ? 0.3 : 0.2;
        CHECK(fabs(view.z[i] + 5 * t * t) < 1e-7, "id %d: %g", (int)view.id[i], view.z[i]);
        marked[i] = view.id[i] == 1;
    }
    CHECK_OK(mote_fluid_remove(fluid, marked, NULL));
    CHECK_OK(mote_fluid_advance(fluid, 0.05, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    assert_int_equal(view.count, 2);
    for (size_t i = 0; i < 2; ++i) {
        double t = view.id[i] == 0 ? 0.35 : 0.25;
        CHECK(view.id[i] != 1 && fabs(view.z[i] + 5 * t * t) < 1e-7, "id %d: %g", (int)view.id[i], view.z[i]);
    }
    mote_fluid_destroy(fluid);
}

static void send_away(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    (void)user_data, (void)from, (void)velocity;
    if (position->x > 0.5) position->x = NAN;
}

static void a_lost_particle_is_unstable(void **state)
{
    mote_error error = {0};
    (void)state;
    mote_fluid_def def = small_def(2);
    mote_fluid *fluid = make_fluid(NULL, &def);
    add_block(fluid, 6, 0, 1, (mote_vec3){0, 0, 0});
    assert_int_equal(mote_fluid_advance(fluid, 1e-3, send_away, NULL, &error), MOTE_ERROR_UNSTABLE);
    assert_int_equal(error.index % 6, 5);
    mote_fluid_destroy(fluid);
}

// ------------------------------------------------------------------------------------------------- determinism

// Bits of a fluid after some steps: positions, velocities and densities by id.
static uint64_t run_bits(uint32_t threads, const char *method, int dimensions, int32_t density, double *height)
{
    mote_context *context = test_context_with_threads(threads);
    mote_fluid_def def = small_def(dimensions);
    def.gravity.z = -9.81;
    def.neighbors = method;
    def.density = density;
    mote_fluid *fluid = make_fluid(context, &def);
    add_block(fluid, dimensions == 3 ? 11 : 34, 0.2, 0.97, (mote_vec3){0, 0, 0});
    double wall[3 * 40];
    for (int k = 0; k < 40; ++k)
        wall[3 * k] = 0.1 * k, wall[3 * k + 1] = 0.5 * (dimensions == 3), wall[3 * k + 2] = -0.1;
    CHECK_OK(mote_fluid_add_walls(fluid, wall, NULL, 40, NULL));
    for (int k = 0; k < (SEEKS_RACES ? 6 : 20); ++k) {
        double dt;
        CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
        CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    }
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK_OK(mote_fluid_validate(fluid, NULL));
    uint64_t bits = 0;
    *height = 0;
    for (size_t i = 0; i < view.count; ++i) {
        uint64_t word[3] = {view.id[i], 0, 0};
        memcpy(&word[1], &view.z[i], 8);
        memcpy(&word[2], &view.vx[i], 4);
        for (int k = 0; k < 3; ++k) bits = (bits ^ word[k]) * 0x100000001B3u + (bits >> 29);
        *height += view.z[i] / (double)view.count;
    }
    mote_fluid_destroy(fluid);
    mote_context_destroy(context);
    return bits;
}

static void same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int32_t density = 0; density < 2; ++density) {
            double height;
            uint64_t one = run_bits(1, NULL, dimensions, density, &height);
            assert_int_equal(one, run_bits(2, NULL, dimensions, density, &height));
            assert_int_equal(one, run_bits(5, NULL, dimensions, density, &height));
        }
}

static void any_search_method_serves(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    double first = 0, height;
    for (size_t k = 0; (info = mote_neighbors_method_at(k)) != NULL; ++k) {
        if (!info->exact || !(info->features & MOTE_NEIGHBORS_QUERY)) continue;
        run_bits(2, info->name, 2, MOTE_DENSITY_CONTINUITY, &height);
        if (k == 0) first = height;
        CHECK(fabs(height - first) < 1e-6 * fabs(first), "%s: mean height %.12g, %.12g", info->name, height, first);
    }
}

// ------------------------------------------------------------------------------------------------------ memory

static mote_result live_a_little(mote_context *context, void *data)
{
    mote_error error = {0};
    (void)data;
    mote_fluid_def def = small_def(3);
    mote_fluid *fluid = NULL;
    mote_result result = mote_fluid_create(context, &def, &fluid, &error);
    if (result != MOTE_OK) return result;
    CHECK_OK(add_water(fluid, 10, NULL));
    double p[3 * 27], wall[3 * 9], unit[9];
    for (int k = 0; k < 27; ++k)
        p[3 * k] = 0.1 * (k % 3), p[3 * k + 1] = 0.1 * (k / 3 % 3), p[3 * k + 2] = 0.1 * (k / 9);
    for (int k = 0; k < 9; ++k)
        wall[3 * k] = 0.1 * (k % 3), wall[3 * k + 1] = 0.1 * (k / 3), wall[3 * k + 2] = -0.1, unit[k] = 1;
    result = mote_fluid_add(fluid, 0, p, NULL, 27, &error);
    if (result == MOTE_OK) result = mote_fluid_add_walls(fluid, wall, NULL, 9, &error);
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
    mote_fluid_def def = small_def(3);
    mote_fluid *fluid = make_fluid(context, &def);
    add_block(fluid, 10, 0.1, 1, (mote_vec3){0, 0, 0});
    const double wall[3] = {0.5, 0.5, -0.1};
    CHECK_OK(mote_fluid_add_walls(fluid, wall, NULL, 1, NULL));
    for (int k = 0; k < 10; ++k) CHECK_OK(mote_fluid_advance(fluid, 1e-4, NULL, NULL, NULL));
    uint64_t before = mote_context_allocation_count(context);
    for (int k = 0; k < 20; ++k) CHECK_OK(mote_fluid_advance(fluid, 1e-4, NULL, NULL, NULL));
    assert_int_equal(mote_context_allocation_count(context), before);
    CHECK(mote_fluid_byte_count(fluid) <= mote_context_byte_count(context), "counts more than there is");
    mote_fluid_destroy(fluid);
    mote_context_destroy(context);
}

// Bad materials are refused, and change nothing; a good one decides about masses, limits and viscosity.
static void a_phase_is_the_material(void **state)
{
    (void)state;
    for (int32_t preset = 0; preset <= MOTE_PRESET_ENGINEERING; ++preset) {
        mote_fluid_def def = mote_fluid_default_def();
        CHECK_OK(mote_fluid_choose_preset(&def, preset, NULL));
        def.spacing = 0.1;
        mote_fluid *fluid;
        mote_error error;
        uint32_t phase = 7;
        const double at[6] = {0, 0, 0, 0.05, 0, 0.05};
        CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
        CHECK(mote_fluid_resolved_phase(fluid, 0).rest_density == 0, "a phase before there is one");
        assert_int_equal(mote_fluid_add(fluid, 0, at, NULL, 2, &error), MOTE_ERROR_ARGUMENT);
        CHECK(strstr(error.text, "no phase 0"), "%s", error.text);
        CHECK_OK(mote_fluid_set_gravity(fluid, (mote_vec3){0, 0, -1}, NULL));
        mote_phase_def material = mote_phase_default_def();
        assert_int_equal(mote_fluid_add_phase(fluid, &material, &phase, &error), MOTE_ERROR_ARGUMENT);
        CHECK(strstr(error.text, "sound_speed is not set"), "%s", error.text);
        material.rest_density = 800, material.viscosity = 3, material.sound_speed = 20, material.gamma = 3;
        if (def.solver == MOTE_SOLVER_ONDERIK && def.density == MOTE_DENSITY_CONTINUITY) {
            assert_int_equal(mote_fluid_add_phase(fluid, &material, &phase, &error), MOTE_ERROR_ARGUMENT);
            CHECK(strstr(error.text, "gamma is 3, expected 7 or 1 with solver \"onderik\""), "%s", error.text);
        }
        material.gamma = 0.9;
        assert_int_equal(mote_fluid_add_phase(fluid, &material, &phase, &error), MOTE_ERROR_ARGUMENT);
        CHECK(strstr(error.text, "gamma is 0.9, expected a number from 1 to 7"), "%s", error.text);
        material.gamma = 1;
        CHECK_OK(mote_fluid_add_phase(fluid, &material, &phase, NULL));
        assert_int_equal(phase, 0);
        if (def.solver == MOTE_SOLVER_ONDERIK && def.density == MOTE_DENSITY_CONTINUITY)
            assert_int_equal(mote_fluid_add_phase(fluid, &material, &phase, &error), MOTE_ERROR_UNSUPPORTED);
        const mote_phase_def found = mote_fluid_resolved_phase(fluid, 0);
        CHECK(found.viscosity == 3 && found.rest_density == 800, "viscosity %g", found.viscosity);
        CHECK(found.sound_speed == 20 && found.gamma == 1, "sound_speed %g", found.sound_speed);
        CHECK(mote_fluid_resolved_def(fluid).gravity.z == -1, "gravity is forgotten");
        CHECK(fabs(mote_fluid_particle_mass(fluid) / 0.8 - 1) < 0.02, "mass %g", mote_fluid_particle_mass(fluid));
        assert_int_equal(mote_fluid_add(fluid, 1, at, NULL, 2, &error), MOTE_ERROR_ARGUMENT);
        assert_int_equal(mote_fluid_phase_count(fluid), 1);
        CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, 2, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        if (def.density == MOTE_DENSITY_CONTINUITY) CHECK(view.density[0] == 800, "%g", (double)view.density[0]);
        mote_fluid_destroy(fluid);
    }
}

static void exponents_are_free_where_densities_are_sums(void **state)
{
    (void)state;
    mote_fluid_def def = mote_fluid_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_DOCUMENT, NULL));
    def.spacing = 0.1;
    mote_phase_def material = mote_phase_default_def();
    material.sound_speed = 20, material.gamma = 3;
    mote_fluid *fluid;
    uint32_t phase;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(mote_fluid_add_phase(fluid, &material, &phase, NULL));
    CHECK(mote_fluid_resolved_phase(fluid, 0).gamma == 3, "gamma %g", mote_fluid_resolved_phase(fluid, 0).gamma);
    mote_fluid_destroy(fluid);
}

// What the tables list is what a fluid has.
static void tables_are_complete(void **state)
{
    (void)state;
    const char *const *presets = mote_fields_find(mote_fluid_fields(), "preset")->choices;
    const char *const *solvers = mote_fields_find(mote_fluid_fields(), "solver")->choices;
    size_t k = 0;
    for (; mote_fluid_preset_at(k); ++k) assert_string_equal(mote_fluid_preset_at(k)->name, presets[k]);
    CHECK(!presets[k], "%zu presets", k);
    for (k = 0; mote_fluid_solver_at(k); ++k) assert_string_equal(mote_fluid_solver_at(k)->name, solvers[k]);
    CHECK(!solvers[k], "%zu solvers", k);
    for (int32_t preset = 0; preset <= MOTE_PRESET_ENGINEERING; ++preset) {
        mote_fluid_def def = mote_fluid_default_def();
        CHECK_OK(mote_fluid_choose_preset(&def, preset, NULL));
        def.spacing = 0.1;
        mote_fluid *fluid;
        CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
        CHECK_OK(add_water(fluid, 7, NULL));
        const double at[3] = {1, 2, 3}, v[3] = {4, 5, 6};
        CHECK_OK(mote_fluid_add(fluid, 0, at, v, 1, NULL));
        const mote_fluid_attribute *one;
        for (k = 0; (one = mote_fluid_attribute_at(k)) != NULL; ++k) {
            mote_array array;
            const mote_result result = mote_fluid_get_array(fluid, one->name, &array, NULL);
            CHECK((result == MOTE_OK) == (one->solvers >> def.solver & 1), "%s: %s", one->name,
                  mote_result_name(result));
            if (result != MOTE_OK) continue;
            CHECK(array.component[0] && array.components == one->components && array.type == one->type, "%s",
                  one->name);
            if (strcmp(one->name, "position") == 0)
                for (int c = 0; c < 3; ++c) CHECK(*(const double *)array.component[c] == at[c], "place");
            if (strcmp(one->name, "velocity") == 0)
                for (int c = 0; c < 3; ++c) CHECK((double)*(const float *)array.component[c] == v[c], "velocity");
        }
        mote_fluid_destroy(fluid);
    }
}

// ---------------------------------------------------------------------------------------- what the mover is asked

enum { BODIES = 6, CROWD = 9 * 9 * 9 };

typedef struct asking {
    double from[3][CROWD];
    uint8_t times[CROWD];  // that the mover was asked about a particle
    size_t count, unknown;
} asking;

// Called concurrently, but for another particle each.
static void note_asked(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    (void)position, (void)velocity;
    asking *asked = user_data;
    for (size_t i = 0; i < asked->count; ++i)
        if (asked->from[0][i] == from.x && asked->from[1][i] == from.y && asked->from[2][i] == from.z) {
            ++asked->times[i];
            return;
        }
    asked->unknown = 1;
}

static const double *column(const mote_fluid_view *view, int k)
{
    return k == 0 ? view->x : k == 1 ? view->y : view->z;
}

static void get_ready(mote_fluid *fluid, asking *asked)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    memset(asked, 0, sizeof *asked);
    asked->count = view.count;
    for (int k = 0; k < 3; ++k) memcpy(asked->from[k], column(&view, k), view.count * sizeof(double));
}

// A box beside a random particle, or with a side that is at the particle's place.
static mote_box body_near(mote_random *random, const asking *asked, int dimensions)
{
    const size_t i = mote_random_below(random, (uint32_t)asked->count);
    mote_box box;
    double *low = &box.min.x, *high = &box.max.x;
    for (int k = 0; k < 3; ++k) {
        const double size = 0.15 * mote_random_unit(random), at = asked->from[k][i];
        const uint32_t side = mote_random_below(random, 6);
        low[k] = side == 0 ? at : side == 1 ? at - size : at + 0.2 * (mote_random_unit(random) - 0.5);
        high[k] = side == 1 ? at : low[k] + size;
        if (dimensions == 2 && k == 1) low[k] = -1, high[k] = 1;
    }
    return box;
}

static bool is_beside(const mote_box *body, const double from[3], const double to[3])
{
    const double *low = &body->min.x, *high = &body->max.x;
    bool is = false;
    for (int k = 0; k < 3; ++k) is |= fmax(from[k], to[k]) < low[k] || fmin(from[k], to[k]) > high[k];
    return is;
}

// Told of up to six bodies, the mover is asked about all particles whose ways are not beside each of them, and about no
// more than those that are not beside the first three or the box around the others. Nobody else moves otherwise, and
// the next step knows nothing of it.
static void ways_beside_several_bodies_are_free(void **state)
{
    (void)state;
    asking asked, all;
    size_t asked_count = 0, free_count = 0, for_union = 0;
    mote_random random = {31};
    for (int trial = 0; trial < 40; ++trial) {
        const int dimensions = 2 + trial % 2, told = trial < 4 ? 0 : 1 + trial % BODIES;
        const double dt = 0.05, limit = 0.07;
        mote_fluid_def def = small_def(dimensions);
        mote_fluid *fluid = make_fluid(NULL, &def), *other = make_fluid(NULL, &def);
        add_block(fluid, 9, 0.8, 1, (mote_vec3){0, 0, 0});
        add_block(other, 9, 0.8, 1, (mote_vec3){0, 0, 0});
        get_ready(fluid, &asked), get_ready(other, &all);
        const mote_box home = {{limit, dimensions == 2 ? -1 : limit, limit}, {2, 2, 2}};
        mote_box bodies[BODIES];
        mote_fluid_leave_alone(fluid, home);
        for (int b = 0; b < told; ++b) {
            bodies[b] = body_near(&random, &asked, dimensions);
            mote_fluid_leave_alone_beside(fluid, bodies[b]);
        }
        CHECK_OK(mote_fluid_advance(fluid, dt, note_asked, &asked, NULL));
        CHECK_OK(mote_fluid_advance(other, dt, note_asked, &all, NULL));
        CHECK(!asked.unknown && !all.unknown, "trial %d: a way begins where no particle was", trial);
        const mote_fluid_view view = mote_fluid_peek(fluid), same = mote_fluid_peek(other);
        mote_box rest = mote_box_empty();
        for (int b = FLUID_BODIES - 1; b < told; ++b) rest = mote_box_union(rest, bodies[b]);
        for (size_t i = 0; i < view.count; ++i) {
            double from[3], to[3];
            bool is_free = true, is_told_free = true;
            for (int k = 0; k < 3; ++k) {
                from[k] = asked.from[k][i], to[k] = column(&view, k)[i];
                CHECK(to[k] == column(&same, k)[i], "trial %d: particle %zu is at %.17g, expected %.17g", trial, i,
                      to[k], column(&same, k)[i]);
                is_free &= to[k] >= (&home.min.x)[k] && to[k] <= (&home.max.x)[k];
            }
            is_told_free = is_free;
            for (int b = 0; b < told; ++b) {
                is_free &= is_beside(&bodies[b], from, to);
                if (b < FLUID_BODIES - 1) is_told_free &= is_beside(&bodies[b], from, to);
            }
            if (told >= FLUID_BODIES) is_told_free &= is_beside(&rest, from, to);
            CHECK(is_free || asked.times[i] == 1,
                  "trial %d, %d bodies: particle %zu from (%g, %g, %g) to (%g, %g, %g) "
                  "is not free, but the mover was asked %d times, expected once",
                  trial, told, i, from[0], from[1], from[2], to[0], to[1], to[2], asked.times[i]);
            CHECK(asked.times[i] == !is_told_free && all.times[i] == 1,
                  "trial %d, %d bodies: the mover was asked about particle %zu %d times, expected %d; untold %d", trial,
                  told, i, asked.times[i], !is_told_free, all.times[i]);
            asked_count += asked.times[i], free_count += is_told_free, for_union += is_free && !is_told_free;
        }
        get_ready(fluid, &asked);
        CHECK_OK(mote_fluid_advance(fluid, dt, note_asked, &asked, NULL));
        for (size_t i = 0; i < asked.count; ++i)
            CHECK(asked.times[i] == 1, "trial %d: particle %zu is asked about %d times in the next step, expected once",
                  trial, i, asked.times[i]);
        mote_fluid_destroy(fluid);
        mote_fluid_destroy(other);
    }
    CHECK(asked_count > 1000 && free_count > 1000 && for_union > 100, "%zu, %zu, %zu", asked_count, free_count,
          for_union);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phase_is_the_material),
        cmocka_unit_test(exponents_are_free_where_densities_are_sums),
        cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(nothing_is_a_fluid_too),
        cmocka_unit_test(a_lattice_has_the_rest_density),
        cmocka_unit_test(a_flat_wall_one_spacing_away_gives_the_rest_density),
        cmocka_unit_test(internal_forces_cancel),
        cmocka_unit_test(coincident_particles_do_not_push),
        cmocka_unit_test(state_equations),
        cmocka_unit_test(density_diffusion_keeps_the_volume),
        cmocka_unit_test(falling_water_keeps_its_densities),
        cmocka_unit_test(hyperviscosity_damps_short_waves),
        cmocka_unit_test(free_fall_is_exact_under_varying_steps),
        cmocka_unit_test(leap_frog_is_of_order_two_under_varying_steps),
        cmocka_unit_test(adding_on_the_way_changes_no_path),
        cmocka_unit_test(a_lost_particle_is_unstable),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(any_search_method_serves),
        cmocka_unit_test(ways_beside_several_bodies_are_free),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(a_warm_step_allocates_nothing),
    };
    RUN_TESTS(tests, argc, argv);
}
