// SPDX-License-Identifier: MIT
// Water at rest starts where its weight compresses it: its places and pressures are those of a column, along each axis
// and with each equation of state; it does not swing, as it does on an even lattice; all else starts on that.

#include "mote/simulation.h"
#include "simulation/tested.h"
#include "support/shapes.h"
#include "support/test.h"

// Water in 2D, 16 by 24 spacings, and the tank around it.
typedef struct pool {
    mote_block_def block;
    mote_solid_def body;
    mote_mesh *mesh;
    mote_simulation_def def;
} pool;

static const double d = 0.05, across = 16 * 0.05, depth = 24 * 0.05;

static void fill(pool *made, int32_t preset)
{
    memset(made, 0, sizeof *made);
    made->block = mote_block_default_def();
    made->block.min = (mote_vec3){0, 0, 0}, made->block.max = (mote_vec3){across, 0, depth};
    made->def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&made->def.fluid, preset, NULL));
    made->def.fluid.dimensions = 2;
    made->def.fluid.spacing = d;
    made->def.has_tank = true;
    made->def.tank.min = (mote_vec3){0, 0, 0}, made->def.tank.max = (mote_vec3){across, 0, depth + 4 * d};
    made->def.tank.open_z_max = true;
    made->def.blocks = &made->block, made->def.block_count = 1;
}

// A disc in it, so many spacings high. Its mesh is to be destroyed.
static void add_disc(pool *made, double height, double radius)
{
    made->body = mote_solid_default_def();
    made->body.shape.kind = MOTE_SOLID_DISC;
    made->body.shape.center = (mote_vec3){8 * d, 0, height * d}, made->body.shape.radius = radius * d;
    CHECK_OK(mote_mesh_create_shape(NULL, &made->body.shape, 2, d, &made->mesh, NULL));
    made->body.mesh = made->mesh;
    made->def.solids = &made->body, made->def.solid_count = 1;
}

static mote_simulation *make(const pool *made, mote_fluid_view *view)
{
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &made->def, &simulation, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), view, NULL));
    return simulation;
}

// The height of the particle whose height is s where nothing is compressed, by adding up what is above the floor.
static double height_of(double s, double length, double g, double c, double gamma)
{
    enum { PARTS = 2000 };
    double height = 0;
    for (int k = 0; k < PARTS; ++k) {
        const double share = g * (length - s * (k + 0.5) / PARTS) / (c * c);  // P over rho0 c^2
        height += s / PARTS / (gamma == 1 ? 1 + share : pow(1 + gamma * share, 1 / gamma));
    }
    return height;
}

// Places and pressures of all particles. Gravity may point along both axes, and up.
static void check_columns(const pool *made, double gamma)
{
    mote_fluid_view view;
    mote_simulation *simulation = make(made, &view);
    const double c = mote_fluid_resolved_phase(mote_simulation_fluid(simulation), 0).sound_speed;
    const double g[2] = {made->def.fluid.gravity.x, made->def.fluid.gravity.z}, length[2] = {across, depth};
    assert_int_equal(view.count, 16 * 24);
    for (size_t i = 0; i < view.count; ++i) {  // ids along x, then along z
        const double at[2] = {view.x[i], view.z[i]};
        const double even[2] = {((double)(view.id[i] % 16) + 0.5) * d, ((double)(view.id[i] / 16) + 0.5) * d};
        double pressure = 0;
        for (int a = 0; a < 2; ++a) {
            const double s = g[a] > 0 ? length[a] - even[a] : even[a];
            const double height = height_of(s, length[a], fabs(g[a]), c, gamma);
            const double place = g[a] > 0 ? length[a] - height : height;
            CHECK(fabs(at[a] - place) < 1e-7 * d, "axis %d of %d: %.9g, expected %.9g", a, (int)i, at[a], place);
            pressure += 1000 * fabs(g[a]) * (length[a] - s);
        }
        CHECK(fabs((double)view.pressure[i] - pressure) < 2e-5 * 9810 * depth, "%g Pa, expected %g",
              (double)view.pressure[i], pressure);
    }
    mote_simulation_destroy(simulation);
}

// Around the water the tank is wider: no side holds it, and none is a lid.
static void places_are_those_of_a_column(void **state)
{
    (void)state;
    static const mote_vec3 gravities[] = {{0, 0, -9.81}, {0, 0, 9.81}, {4, 0, -9}, {-4, 0, -9}, {6, 0, 0}, {0, 0, 0}};
    static const int32_t presets[] = {MOTE_PRESET_FAST, MOTE_PRESET_ENGINEERING};
    for (int k = 0; k < 12; ++k) {
        pool made;
        fill(&made, presets[k % 2]);
        made.def.tank.min = (mote_vec3){-4 * d, 0, -4 * d}, made.def.tank.max.x = across + 4 * d;
        made.def.fluid.gravity = gravities[k / 2];
        made.def.phase.sound_speed = 25;
        check_columns(&made, 7);
        made.def.phase.gamma = 1;
        check_columns(&made, 1);
        if (k % 2) made.def.phase.gamma = 1.4, check_columns(&made, 1.4);
        made.def.phase.gamma = 7, made.def.phase.sound_speed = 5;  // 1.5 times the speed of the water's fall
        check_columns(&made, 7);
        made.def.fluid.state_equation = MOTE_STATE_IDEAL_GAS;
        check_columns(&made, 1);
    }
}

// In 3D, two boxes side by side far from the origin, which are periodic along x, where gravity drives a flow.
static void columns_of_boxes_are_their_own(void **state)
{
    (void)state;
    pool made;
    fill(&made, MOTE_PRESET_ENGINEERING);
    const double left = 7, length[2] = {depth, depth / 2}, c = 25;
    mote_block_def blocks[2] = {made.block, made.block};
    for (int b = 0; b < 2; ++b) {
        blocks[b].min = (mote_vec3){left + b * 8 * d, 0, 0};
        blocks[b].max = (mote_vec3){left + (b + 1) * 8 * d, 8 * d, length[b]};
    }
    made.def.blocks = blocks, made.def.block_count = 2;
    made.def.fluid.dimensions = 3;
    made.def.fluid.gravity = (mote_vec3){3, 0, -9.81};
    made.def.phase.sound_speed = c;
    made.def.has_periodic = made.def.periodic.x = true;
    made.def.periodic.min = (mote_vec3){left, 0, 0}, made.def.periodic.max = (mote_vec3){left + across, 0, 0};
    made.def.tank.min = (mote_vec3){left, 0, 0}, made.def.tank.max = (mote_vec3){left + across, 8 * d, depth + 4 * d};
    made.def.tank.open_x_min = made.def.tank.open_x_max = true;
    mote_fluid_view view;
    mote_simulation *simulation = make(&made, &view);
    assert_int_equal(view.count, 8 * 8 * (24 + 12));
    for (size_t i = 0; i < view.count; ++i) {
        const int b = view.id[i] >= 8 * 8 * 24;
        const double layer = (double)(view.id[i] % (8 * 8 * 24) / 64), x = (view.x[i] - left) / d - 0.5;
        const double z = height_of((layer + 0.5) * d, length[b], 9.81, c, 7);
        CHECK(fabs(view.z[i] - z) < 1e-7 * d, "box %d: %.9g, expected %.9g", b, view.z[i], z);
        CHECK(fabs(x - floor(x + 0.5)) < 1e-9, "x is %g", view.x[i]);
    }
    mote_simulation_destroy(simulation);
}

// Along a periodic axis gravity drives a flow. Other shapes, several fluids, a pressure of one's own, densities that
// follow from places, water that is thrown or reaches a lid lie on an even lattice, and so does water that its weight
// would compress by half.
static void others_are_even(void **state)
{
    (void)state;
    enum { PERIODIC, BALL, PRESSURE, SUMMATION, MIXTURE, THROWN, LID, SOFT, CASES };
    for (int k = 0; k < CASES; ++k) {
        pool made;
        fill(&made, k == SUMMATION ? MOTE_PRESET_DOCUMENT : MOTE_PRESET_ENGINEERING);
        made.def.phase.sound_speed = k == SOFT ? 4 : 25;
        mote_named_phase fluids[2];
        mote_block_def blocks[2];
        if (k == PERIODIC) {
            made.def.has_periodic = made.def.periodic.x = true;
            made.def.tank.open_x_min = made.def.tank.open_x_max = true;
            made.def.periodic.min = (mote_vec3){0, 0, 0}, made.def.periodic.max = (mote_vec3){across, 0, 1};
            made.def.fluid.gravity = (mote_vec3){3, 0, 0};
        }
        if (k == BALL) {
            made.block.shape = MOTE_SHAPE_BALL;
            made.block.center = (mote_vec3){8 * d, 0, 8 * d}, made.block.radius = 8 * d;
        }
        if (k == PRESSURE) made.block.pressure = "9810*(1.2 - z)";
        if (k == MIXTURE) {
            for (int f = 0; f < 2; ++f) {
                fluids[f] = (mote_named_phase){.name = f ? "oil" : "water", .phase = made.def.phase};
                blocks[f] = made.block, blocks[f].fluid = fluids[f].name;
            }
            blocks[0].max.z = blocks[1].min.z = depth / 2;
            made.def.fluids = fluids, made.def.fluid_count = 2;
            made.def.blocks = blocks, made.def.block_count = 2;
        }
        if (k == THROWN) made.block.velocity = (mote_vec3){1, 0, 0};
        if (k == LID) made.def.tank.max.z = depth, made.def.tank.open_z_max = false;
        mote_fluid_view view;
        mote_simulation *simulation = make(&made, &view);
        for (size_t i = 0; i < view.count; ++i) {
            const double x = view.x[i] / d - 0.5, z = view.z[i] / d - 0.5;
            CHECK(fabs(x - floor(x + 0.5)) < 1e-9 && fabs(z - floor(z + 0.5)) < 1e-9, "case %d: %g, %g", k, x, z);
        }
        mote_simulation_destroy(simulation);
    }
}

// A flow around a disc, whose pressure has no value in the middle of it.
static void pressures_inside_of_bodies_do_not_matter(void **state)
{
    (void)state;
    pool made;
    mote_fluid_view view;
    fill(&made, MOTE_PRESET_ENGINEERING);
    made.def.phase.sound_speed = 20;
    made.block.pressure = "-20/(((x - 0.4)^2 + (z - 0.6)^2)^2)";
    add_disc(&made, 12, 4.5);
    mote_simulation *simulation = make(&made, &view);
    for (size_t i = 0; i < view.count; ++i) {
        const double x = view.x[i] - 8 * d, z = view.z[i] - 12 * d, square = x * x + z * z;
        const double pressure = -20 / (square * square);
        CHECK(fabs((double)view.pressure[i] - pressure) < 1e-4 * -pressure, "%g Pa, expected %g",
              (double)view.pressure[i], pressure);
    }
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(made.mesh);
}

// Returns the greatest error of pressure in 0.2 s, as a root mean square over the floor's.
static double swing(int32_t preset, const char *pressure, bool has_body)
{
    pool made;
    mote_fluid_view view;
    double most = 0;
    fill(&made, preset);
    made.block.pressure = pressure;
    if (has_body) add_disc(&made, 8, 4);
    mote_simulation *simulation = make(&made, &view);
    for (int look = 0; look <= 40; ++look) {
        double squares = 0, top = 0;
        CHECK_OK(mote_simulation_run_until(simulation, 0.005 * look, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        for (size_t i = 0; i < view.count; ++i) top = MOTE_MAX(top, view.z[i] + d / 2);
        for (size_t i = 0; i < view.count; ++i) {
            const double error = ((double)view.pressure[i] / (9.81 * 1000) - (top - view.z[i])) / depth;
            squares += error * error;
        }
        most = MOTE_MAX(most, sqrt(squares / (double)view.count));
    }
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(made.mesh);
    return most;
}

// Beside a body, where places have settled, volumes are those that the solver has.
static void water_at_rest_does_not_swing(void **state)
{
    (void)state;
    static const int32_t presets[] = {MOTE_PRESET_FAST, MOTE_PRESET_ENGINEERING};
    for (int k = 0; k < 2; ++k) {
        const double most = swing(presets[k], "hydrostatic", false),
                     even = swing(presets[k], "9810*(1.2 - z)", false);
        CHECK(even > 0.018 && most < 0.01, "%d: pressures are off by %g, on an even lattice by %g", k, most, even);
        const double beside = swing(presets[k], "hydrostatic", true);
        CHECK(beside < 0.0125, "%d: beside a disc they are off by %g", k, beside);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_a_column),
        cmocka_unit_test(columns_of_boxes_are_their_own),
        cmocka_unit_test(others_are_even),
        cmocka_unit_test(pressures_inside_of_bodies_do_not_matter),
        cmocka_unit_test(water_at_rest_does_not_swing),
    };
    RUN_TESTS(tests, argc, argv);
}
