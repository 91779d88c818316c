// SPDX-License-Identifier: MIT
// Eddy viscosity of the weakly compressible solver: (C d)² |S| in linear flows, free of walls and along walls of layers
// and of fields; 0 in water that moves as a body; momentum, time steps, memory, what is refused.

#include "fluid/tested.h"
#include "support/field.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

static const double spacing = 0.1, constant = 0.3;

typedef enum flow { SHEAR, SHEAR_ACROSS, STRETCH, ROTATION, TRANSLATION, FLOW_COUNT } flow;

// The velocity of a flow, with |S| = 2/s, or 0.
static void set_velocity(flow which, int dimensions, const double x[3], double v[3])
{
    v[0] = v[1] = v[2] = 0;
    switch (which) {
    case SHEAR: v[0] = 2 * x[2]; break;
    case SHEAR_ACROSS: v[2] = 2 * x[dimensions == 3 ? 1 : 0]; break;
    case STRETCH: v[0] = x[0], v[2] = -x[2]; break;
    case ROTATION: v[0] = 2 * x[2], v[2] = -2 * x[0]; break;
    default: v[0] = 3, v[2] = -1; break;
    }
}

static mote_fluid_def turbulent_def(int dimensions)
{
    mote_fluid_def def = def_of(dimensions, spacing);
    def.viscosity_alpha = 0;
    def.smagorinsky = constant;
    return def;
}

static void fill(mote_fluid *fluid, int dimensions, flow which)
{
    cloud block = block_of(dimensions, dimensions == 3 ? 9 : 20, spacing, 0.2);
    for (size_t i = 0; i < block.count; ++i) set_velocity(which, dimensions, block.x + 3 * i, block.v + 3 * i);
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
    free(block.x);
}

// The least and the greatest eddy viscosity, as shares of (C d)² |S| with |S| = 2/s; but for the corners of a block in
// 3D, where M cannot be inverted.
static void range_of(mote_fluid *fluid, double range[2])
{
    mote_fluid_view view;
    size_t none = 0;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    range[0] = HUGE_VAL, range[1] = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double length = constant * spacing, eddy = (double)mote_fluid_floats(fluid, FLUID_EDDY)[i];
        const double is = eddy / (length * length * 2);
        none += !(eddy > 0);
        if (eddy > 0) range[0] = fmin(range[0], is), range[1] = fmax(range[1], is);
    }
    if (none == view.count) range[0] = 0;
    CHECK(none <= view.count / 40 || none == view.count, "%zu of %zu have none", none, view.count);
}

// Everywhere, also at free surfaces.
static void linear_flows_have_their_viscosity(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int which = 0; which < FLOW_COUNT; ++which) {
            const mote_fluid_def def = turbulent_def(dimensions);
            mote_fluid *fluid = make_fluid(NULL, &def);
            double range[2];
            fill(fluid, dimensions, (flow)which);
            range_of(fluid, range);
            const double expected = which < ROTATION;
            CHECK(fabs(range[0] - expected) < 1e-4 && fabs(range[1] - expected) < 1e-4, "%dD, flow %d: %g to %g",
                  dimensions, which, range[0], range[1]);
            mote_fluid_destroy(fluid);
        }
}

// A floor below z = 0, for the shear along it: layers, a field, and a floor that slips.
static void add_floor(mote_fluid *fluid, int dimensions, bool is_field, bool slip)
{
    mote_boundary_def def = mote_boundary_default_def();
    uint32_t number;
    mote_box box = {{-1, -1, -1}, {3, 3, 0}};
    if (dimensions == 2) box.min.y = -10, box.max.y = 10;
    def.slip = slip;
    CHECK_OK(mote_fluid_add_boundary(fluid, &def, &number, NULL));
    if (is_field) {
        CHECK_OK(mote_fluid_add_field(fluid, number, box, field_distance_from_box, &box, NULL, NULL));
        return;
    }
    for (int z = 0; z < 4; ++z)
        for (int y = dimensions == 3 ? -5 : 0; y < (dimensions == 3 ? 15 : 1); ++y)
            for (int x = -5; x < 25; ++x) {
                const double at[3] = {spacing * (x + 0.5), dimensions == 3 ? spacing * (y + 0.5) : 0,
                                      -spacing * (z + 0.5)};
                CHECK_OK(mote_fluid_add_boundary_walls(fluid, at, (double[]){1}, &number, 1, NULL));
            }
}

// Fluid above floor k of 8, in a flow.
typedef struct floored {
    int dimensions;
    bool is_field, slip;
    mote_fluid *fluid;
} floored;

static floored make_floored(int k, flow which)
{
    floored made = {.dimensions = 2 + k % 2, .is_field = k / 2 % 2, .slip = k / 4};
    const mote_fluid_def def = turbulent_def(made.dimensions);
    made.fluid = make_fluid(NULL, &def);
    add_floor(made.fluid, made.dimensions, made.is_field, made.slip);
    fill(made.fluid, made.dimensions, which);
    return made;
}

// Water that moves as a whole along a floor at rest is sheared beside it, unless the floor slips.
static void walls_shear_water_that_moves(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k += SEEKS_RACES ? 3 : 1) {
        const floored made = make_floored(k, TRANSLATION);
        mote_fluid_view view;
        double most = 0;
        CHECK_OK(mote_fluid_get_view(made.fluid, &view, NULL));
        for (size_t i = 0; i < view.count; ++i)
            most = fmax(most, (double)mote_fluid_floats(made.fluid, FLUID_EDDY)[i] / pow(constant * spacing, 2));
        CHECK(made.slip ? most < 1e-4 : most > 1, "%dD, field %d, slip %d: up to %g/s", made.dimensions, made.is_field,
              made.slip, most);
        mote_fluid_destroy(made.fluid);
    }
}

// Along a wall that does not slip the shear goes on in it; one that slips is not there.
static void walls_continue_the_shear(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k += SEEKS_RACES ? 3 : 1) {
        const floored made = make_floored(k, SHEAR);
        double range[2];
        range_of(made.fluid, range);
        const double slack = made.slip ? 1e-4 : 0.2;
        CHECK(range[0] > 1 - slack && range[1] < 1 + slack, "%dD, field %d, slip %d: %g to %g", made.dimensions,
              made.is_field, made.slip, range[0], range[1]);
        mote_fluid_destroy(made.fluid);
    }
}

static void sum_up(mote_fluid *fluid, double force[3], double *torque, double *size)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    force[0] = force[1] = force[2] = *torque = *size = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const double a[3] = {(double)view.ax[i], (double)view.ay[i], (double)view.az[i]};
        for (int k = 0; k < 3; ++k) force[k] += a[k], *size += fabs(a[k]);
        *torque += view.x[i] * a[2] - view.z[i] * a[0];
    }
}

// Random velocities, whose eddies differ from particle to particle; nothing else acts.
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid_def def = turbulent_def(dimensions);
        double force[3], torque, size;
        def.shifting = MOTE_SHIFTING_NONE;
        mote_fluid *fluid = make_fluid(NULL, &def);
        cloud block = block_of(dimensions, dimensions == 3 ? 9 : 20, spacing, 0.2);
        CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
        sum_up(fluid, force, &torque, &size);
        CHECK(size > 0.1, "%dD: no forces, %g", dimensions, size);
        for (int k = 0; k < 3; ++k) CHECK(fabs(force[k]) < 2e-6 * size, "%dD: %g of %g", dimensions, force[k], size);
        CHECK(fabs(torque) < 2e-6 * size, "%dD: torque %g of %g", dimensions, torque, size);
        mote_fluid_destroy(fluid);
        free(block.x);
    }
}

static void the_greatest_viscosity_limits_steps(void **state)
{
    (void)state;
    mote_fluid_def def = turbulent_def(3);
    double dt;
    def.viscous_limit = 1e-4;
    liquid.viscosity = 10;
    mote_fluid *fluid = make_fluid(NULL, &def);
    fill(fluid, 3, SHEAR);
    CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
    const double most = 0.01 + 2 * constant * constant * spacing * spacing, h = 3 * spacing;
    CHECK(fabs(dt * most / (1e-4 * h * h) - 1) < 1e-4, "%g, expected %g", dt, 1e-4 * h * h / most);
    mote_fluid_destroy(fluid);
}

static mote_result live_a_little(mote_context *context, void *data)
{
    (void)data;
    mote_error error = {0};
    mote_fluid_def def = turbulent_def(2);
    mote_fluid *fluid = NULL;
    mote_result result = mote_fluid_create(context, &def, &fluid, &error);
    if (result != MOTE_OK) return result;
    CHECK_OK(add_water(fluid, 10, NULL));
    double x[3 * 16], wall[3] = {0.2, 0, -0.1}, one = 1;
    for (int k = 0; k < 16; ++k) x[3 * k] = 0.1 * (k % 4), x[3 * k + 1] = 0, x[3 * k + 2] = 0.1 * (k / 4);
    result = mote_fluid_add(fluid, 0, x, NULL, 16, &error);
    if (result == MOTE_OK) result = mote_fluid_add_walls(fluid, wall, &one, 1, &error);
    for (int k = 0; k < 2 && result == MOTE_OK; ++k) result = mote_fluid_advance(fluid, 1e-4, NULL, NULL, &error);
    CHECK_OK(mote_fluid_validate(fluid, NULL));
    mote_fluid_destroy(fluid);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(live_a_little, NULL);
}

static void expect_refusal(const mote_fluid_def *def, mote_result result, const char *words)
{
    mote_error error = {0};
    mote_fluid *fluid = NULL;
    const mote_result found = mote_fluid_create(NULL, def, &fluid, &error);
    CHECK(found == result && strstr(error.text, words), "%s: %s", words, error.text);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    mote_error error = {0};
    uint32_t number;
    mote_fluid_def def = turbulent_def(2);
    def.smagorinsky = -0.1;
    expect_refusal(&def, MOTE_ERROR_ARGUMENT, "smagorinsky is -0.1, expected a number from 0 to 1");
    def = turbulent_def(2), def.viscosity_model = MOTE_VISCOSITY_LAPLACIAN;
    expect_refusal(&def, MOTE_ERROR_UNSUPPORTED, "smagorinsky is 0.3, expected 0 with viscosity_model \"laplacian\"");
    def = turbulent_def(2), def.shifting = MOTE_SHIFTING_TRANSPORT;
    expect_refusal(&def, MOTE_ERROR_UNSUPPORTED, "smagorinsky is 0.3, expected 0 with shifting \"transport\"");
    def = turbulent_def(2), def.consistent_shifting = true;
    expect_refusal(&def, MOTE_ERROR_UNSUPPORTED, "smagorinsky is 0.3, expected 0 with consistent_shifting");
    def = turbulent_def(2), def.steps = MOTE_STEPS_INDIVIDUAL;
    expect_refusal(&def, MOTE_ERROR_UNSUPPORTED, "smagorinsky is above 0, expected 0 with steps \"individual\"");
    def = turbulent_def(2);
    mote_fluid *fluid = make_fluid(NULL, &def);
    CHECK(mote_fluid_add_phase(fluid, &liquid, &number, &error) == MOTE_ERROR_UNSUPPORTED, "accepted");
    CHECK(strstr(error.text, "smagorinsky is above 0, expected 0 with several fluids"), "%s", error.text);
    mote_fluid_destroy(fluid);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_flows_have_their_viscosity),
        cmocka_unit_test(walls_shear_water_that_moves),
        cmocka_unit_test(walls_continue_the_shear),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(the_greatest_viscosity_limits_steps),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(bad_input_is_refused),
    };
    RUN_TESTS(tests, argc, argv);
}
