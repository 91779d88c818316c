// SPDX-License-Identifier: MIT
// Several phases with the solver onderik, by masses and by numbers: densities and forces against plain loops over all
// pairs, conservation, an interface at rest, bad input.

#include "mote/walls.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

enum { PHASES = 3 };
static const double pi = 3.14159265358979323846;
static const double densities[PHASES] = {1000, 10, 300};

static mote_fluid_def document(int dimensions, double spacing, int32_t density)
{
    mote_fluid_def def = def_of(dimensions, spacing);
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_DOCUMENT, NULL));
    def.density = density;
    return def;
}

static void add_phases(mote_fluid *fluid, uint32_t count)
{
    static const double viscosities[PHASES] = {20, 1, 0};
    for (uint32_t k = 0; k < count; ++k) {
        mote_phase_def phase = mote_phase_default_def();
        uint32_t number;
        phase.rest_density = densities[k], phase.viscosity = viscosities[k];
        if (k == 0) phase.sound_speed = 10;
        CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
    }
}

// -------------------------------------------------------------------------------------------------------- all pairs

static double poly6(int dimensions, double h, double r)
{
    const double q = r < h ? h * h - r * r : 0;
    return (dimensions == 2 ? 4 / (pi * pow(h, 8)) : 315 / (64 * pi * pow(h, 9))) * q * q * q;
}

static double spiky_slope(int dimensions, double h, double r)
{
    const double s = r < h ? h - r : 0;
    return -(dimensions == 2 ? 30 / (pi * pow(h, 5)) : 45 / (pi * pow(h, 6))) * s * s;
}

static double viscosity_laplacian(int dimensions, double h, double r)
{
    const double s = r < h ? h - r : 0;
    return (dimensions == 2 ? 40 / (pi * pow(h, 5)) : 45 / (pi * pow(h, 6))) * s;
}

// What the gradient of spiky makes of a gradient of 1 on the lattice, by which forces are divided.
static double lattice_gradient(const mote_fluid_def *def)
{
    const int reach = 7, ny = def->dimensions == 3 ? reach : 0;
    const double d = def->spacing;
    double sum = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -ny; y <= ny; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double r = d * sqrt(x * x + y * y + z * z);
                if (r > 0) sum -= r * spiky_slope(def->dimensions, def->support, r);
            }
    return pow(d, def->dimensions) * sum / def->dimensions;
}

static double distance(const mote_fluid_view *view, size_t i, size_t j, double d[3])
{
    d[0] = view->x[j] - view->x[i], d[1] = view->y[j] - view->y[i], d[2] = view->z[j] - view->z[i];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double density_at(mote_fluid *fluid, const mote_fluid_def *def, const mote_fluid_view *view, size_t i)
{
    const double own = mote_fluid_phase_mass(fluid, view->phase[i]);
    double sum = 0, d[3];
    for (size_t j = 0; j < view->count; ++j) {
        const double mass = def->density == MOTE_DENSITY_NUMBER ? own : mote_fluid_phase_mass(fluid, view->phase[j]);
        sum += mass * poly6(def->dimensions, def->support, distance(view, i, j, d));
    }
    return sum;
}

// The force of particle j on particle i.
static void pair_force(mote_fluid *fluid, const mote_fluid_def *def, const mote_fluid_view *view, double gradient,
                       size_t i, size_t j, double force[3])
{
    const size_t both[2] = {i, j};
    double V[2], P[2], mu[2], d[3];
    for (int k = 0; k < 2; ++k) {
        const uint32_t phase = view->phase[both[k]];
        V[k] = mote_fluid_phase_mass(fluid, phase) / (double)view->density[both[k]];
        P[k] = (double)view->pressure[both[k]];
        mu[k] = mote_fluid_resolved_phase(fluid, phase).viscosity;
    }
    const double r = distance(view, i, j, d);
    const double slope = spiky_slope(def->dimensions, def->support, r) / gradient;
    const double push =
        def->density == MOTE_DENSITY_NUMBER ? V[0] * V[0] * P[0] + V[1] * V[1] * P[1] : V[0] * V[1] * (P[0] + P[1]);
    const double drag = V[0] * V[1] * (mu[0] + mu[1]) / 2 * viscosity_laplacian(def->dimensions, def->support, r);
    const double u[3] = {(double)view->vx[j] - (double)view->vx[i], (double)view->vy[j] - (double)view->vy[i],
                         (double)view->vz[j] - (double)view->vz[i]};
    for (int k = 0; k < 3; ++k) force[k] = push * slope * d[k] / r + drag * u[k];
}

static void check_forces(mote_fluid *fluid, const mote_fluid_def *def, const mote_fluid_view *view)
{
    const double gradient = lattice_gradient(def);
    double largest = 0, worst = 0, momentum[3] = {0}, size = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double mass = mote_fluid_phase_mass(fluid, view->phase[i]);
        const double found[3] = {mass * (double)view->ax[i], mass * (double)view->ay[i], mass * (double)view->az[i]};
        double sum[3] = {0}, force[3];
        for (size_t j = 0; j < view->count; ++j) {
            if (j == i) continue;
            pair_force(fluid, def, view, gradient, i, j, force);
            for (int k = 0; k < 3; ++k) sum[k] += force[k];
        }
        for (int k = 0; k < 3; ++k) {
            largest = fmax(largest, fabs(sum[k])), worst = fmax(worst, fabs(sum[k] - found[k]));
            momentum[k] += found[k], size += fabs(found[k]);
        }
    }
    CHECK(largest > 0 && worst < 1e-4 * largest, "%dD, density %d: forces up to %g are off by %g", def->dimensions,
          (int)def->density, largest, worst);
    for (int k = 0; k < 3; ++k)
        CHECK(fabs(momentum[k]) < 2e-6 * size, "%dD, density %d: %g of %g is not conserved", def->dimensions,
              (int)def->density, momentum[k], size);
}

static void sums_equal_all_pairs(void **state)
{
    (void)state;
    static const int32_t kinds[] = {MOTE_DENSITY_SUMMATION, MOTE_DENSITY_NUMBER};
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int kind = 0; kind < 2; ++kind)
            for (uint32_t phases = 1; phases <= PHASES; phases += 2) {
                mote_fluid_def def = document(dimensions, 0.1, kinds[kind]);
                def.negative_pressure = true;
                mote_fluid *fluid;
                mote_random random = {3};
                CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
                add_phases(fluid, phases);
                def = mote_fluid_resolved_def(fluid);
                cloud block = block_of(dimensions, dimensions == 3 ? 8 : 16, 0.1, 0.3);
                for (size_t i = 0; i < block.count; ++i) {
                    const uint32_t phase = (uint32_t)((double)phases * mote_random_unit(&random)) % phases;
                    CHECK_OK(mote_fluid_add(fluid, phase, block.x + 3 * i, block.v + 3 * i, 1, NULL));
                }
                mote_fluid_view view;
                CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
                float *summed = malloc(view.count * sizeof *summed);
                CHECK_OK(mote_fluid_sum_densities(fluid, summed, NULL));
                for (size_t i = 0; i < view.count; ++i) {
                    const double exact = density_at(fluid, &def, &view, i);
                    CHECK(fabs((double)view.density[i] / exact - 1) < 1e-5, "%dD, density %d: %g instead of %g",
                          dimensions, (int)def.density, (double)view.density[i], exact);
                    CHECK(fabs((double)summed[i] / exact - 1) < 1e-5, "%g, and %g", (double)summed[i], exact);
                }
                check_forces(fluid, &def, &view);
                free(summed), free(block.x);
                mote_fluid_destroy(fluid);
            }
}

// -------------------------------------------------------------------------------------------------- walls and layers

static void stand_on_walls(int32_t kind, uint32_t phase, bool is_pressed)
{
    mote_fluid_def def = document(2, 0.1, kind);
    mote_fluid *fluid;
    double walls[3 * 96], volumes[96];
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    add_phases(fluid, 2);
    for (int k = 0; k < 96; ++k) {
        walls[3 * k] = 0.1 * (k % 32 - 7.5), walls[3 * k + 1] = 0, walls[3 * k + 2] = -0.1 * (k / 32 + 0.5);
        volumes[k] = 1;
    }
    CHECK_OK(mote_fluid_add_walls(fluid, walls, volumes, 96, NULL));
    cloud block = block_of(2, 16, 0.1, 0);
    for (size_t i = 0; i < block.count && is_pressed; ++i) block.x[3 * i + 2] *= 0.9;
    CHECK_OK(mote_fluid_add(fluid, phase, block.x, NULL, block.count, NULL));
    mote_fluid_view view;
    mote_vec3 force;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK_OK(mote_fluid_boundary_force(fluid, 0, &force, NULL, NULL));
    double push = 0;
    for (size_t i = 0; i < view.count; ++i) {
        push += mote_fluid_phase_mass(fluid, phase) * (double)view.az[i];
        if (is_pressed || view.z[i] > 0.1 || view.x[i] < 0.4 || view.x[i] > 1.2) continue;
        CHECK(fabs((double)view.density[i] / densities[phase] - 1) < 0.01, "density %d, phase %u: %g", (int)kind,
              (unsigned)phase, (double)view.density[i]);
    }
    CHECK(!is_pressed || force.z < -1, "a pressed block pushes the wall by %g", force.z);
    CHECK(fabs(push + force.z) < 1e-3 * fabs(force.z) + 1e-3, "%g on the fluid, %g on the wall", push, force.z);
    mote_fluid_destroy(fluid);
    free(block.x);
}

// A wall is made of what it touches: under either sum each phase has its density there, and forces on the wall are
// those on the fluid.
static void walls_are_of_the_phase_they_touch(void **state)
{
    (void)state;
    static const int32_t kinds[] = {MOTE_DENSITY_SUMMATION, MOTE_DENSITY_NUMBER};
    for (int k = 0; k < 8; ++k) stand_on_walls(kinds[k & 1], (uint32_t)(k >> 1 & 1), k & 4);
}

// Two layers of 1000 and 10 kg/m³: next to the interface number densities are those of the phases, sums of masses are
// not.
static void numbers_keep_an_interface(void **state)
{
    (void)state;
    double worst[2];
    static const int32_t kinds[] = {MOTE_DENSITY_SUMMATION, MOTE_DENSITY_NUMBER};
    for (int kind = 0; kind < 2; ++kind) {
        mote_fluid_def def = document(2, 0.1, kinds[kind]);
        mote_fluid *fluid;
        CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
        add_phases(fluid, 2);
        cloud block = block_of(2, 16, 0.1, 0);
        for (size_t i = 0; i < block.count; ++i)
            CHECK_OK(mote_fluid_add(fluid, block.x[3 * i + 2] > 0.8, block.x + 3 * i, NULL, 1, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        worst[kind] = 0;
        for (size_t i = 0; i < view.count; ++i)
            if (view.x[i] > 0.4 && view.x[i] < 1.2 && fabs(view.z[i] - 0.8) < 0.3)
                worst[kind] = fmax(worst[kind], fabs((double)view.density[i] / densities[view.phase[i]] - 1));
        for (int step = 0; step < 3; ++step) CHECK_OK(mote_fluid_advance(fluid, 1e-4, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_validate(fluid, NULL));
        mote_fluid_destroy(fluid);
        free(block.x);
    }
    CHECK(worst[0] > 10 && worst[1] < 1e-4, "%g by masses, %g by numbers", worst[0], worst[1]);
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    mote_fluid_def def = document(2, 0.1, MOTE_DENSITY_CONTINUITY);
    mote_fluid *fluid;
    mote_error error;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    assert_int_equal(add_water(fluid, 10, &error), MOTE_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "density \"summation\" or \"number\""), "%s", error.text);
    mote_fluid_destroy(fluid);
    def = def_of(2, 0.1), def.density = MOTE_DENSITY_NUMBER;
    assert_int_equal(mote_fluid_create(NULL, &def, &fluid, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "density is \"number\""), "%s", error.text);
    def = document(2, 0.1, MOTE_DENSITY_NUMBER);
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    const double at[3] = {0, 0, 0}, pressure = 0;
    CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, 1, NULL));
    assert_int_equal(mote_fluid_set_pressures(fluid, &pressure, &error), MOTE_ERROR_STATE);
    mote_fluid_destroy(fluid);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_equal_all_pairs),
        cmocka_unit_test(walls_are_of_the_phase_they_touch),
        cmocka_unit_test(numbers_keep_an_interface),
        cmocka_unit_test(refuses_what_makes_no_sense),
    };
    RUN_TESTS(tests, argc, argv);
}
