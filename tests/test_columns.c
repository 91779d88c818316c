// SPDX-License-Identifier: MIT
// Water at rest starts where its weight compresses it: its places and pressures are those of a column, along each axis
// and with each equation of state; it does not swing, as it does on an even lattice; all else starts on that.

#include "mote/simulation.h"
#include "simulation/tested.h"
#include "support/shapes.h"
#include "support/test.h"

// Water in 2D, 16 by 24 spacings, in one box or several, and the tank around it.
enum { MOST_BOXES = 5 };
typedef struct pool {
    mote_block_def block, boxes[MOST_BOXES];
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

// Boxes instead: left, low, right, high of each, in spacings.
static void divide(pool *made, const double corners[][4], size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        const double *at = corners[k];
        made->boxes[k] = made->block;
        made->boxes[k].min = (mote_vec3){at[0] * d, 0, at[1] * d};
        made->boxes[k].max = (mote_vec3){at[2] * d, 0, at[3] * d};
    }
    made->def.blocks = made->boxes, made->def.block_count = count;
}

// Where a particle, and in which box it, is where nothing is compressed. In a box ids are along x, then along z.
static size_t even_place(const pool *made, uint64_t id, double place[2])
{
    for (size_t k = 0;; ++k) {
        const mote_block_def *block = &made->def.blocks[k];
        const uint64_t nx = (uint64_t)((block->max.x - block->min.x) / d + 1e-6),
                       nz = (uint64_t)((block->max.z - block->min.z) / d + 1e-6);
        place[0] = block->min.x + ((double)(id % nx) + 0.5) * d;
        place[1] = block->min.z + ((double)(id / nx) + 0.5) * d;
        if (id < nx * nz) return k;
        id -= nx * nz;
    }
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
    for (size_t i = 0; i < view.count; ++i) {
        const double at[2] = {view.x[i], view.z[i]};
        double pressure = 0, even[2];
        (void)even_place(made, view.id[i], even);
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

// Four boxes around a fifth one: along both axes columns go on through two or three of them.
static const double pinwheel[][4] = {{0, 0, 10, 8}, {10, 0, 16, 16}, {6, 16, 16, 24}, {0, 8, 6, 24}, {6, 8, 10, 16}};

// Around the water the tank is wider: no side holds it, and none is a lid. Half of the cases have several boxes.
static void places_are_those_of_a_column(void **state)
{
    (void)state;
    static const mote_vec3 gravities[] = {{0, 0, -9.81}, {0, 0, 9.81}, {4, 0, -9}, {-4, 0, -9}, {6, 0, 0}, {0, 0, 0}};
    static const int32_t presets[] = {MOTE_PRESET_FAST, MOTE_PRESET_ENGINEERING};
    for (int k = 0; k < 24; k += SANITIZED ? 5 : 1) {
        pool made;
        fill(&made, presets[k % 2]);
        if (k >= 12) divide(&made, pinwheel, sizeof pinwheel / sizeof *pinwheel);
        made.def.tank.min = (mote_vec3){-4 * d, 0, -4 * d}, made.def.tank.max.x = across + 4 * d;
        made.def.fluid.gravity = gravities[k / 2 % 6];
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

// A box, and one on it: from where to where their columns go, left and right of the middle.
typedef struct stack {
    const char *name;
    double corners[2][4];    // left, low, right, high of the lower box and the upper one, in spacings
    double columns[2][2][2];  // of each box, on each side: the bottom, and the length that is compressed
    double lid;              // 0: there is none
    bool is_thrown, has_pressure;
} stack;

static void columns_go_on_through_boxes(void **state)
{
    (void)state;
    static const stack all[] = {
        {"one on the other", {{0, 0, 16, 12}, {0, 12, 16, 24}}, {{{0, 24}, {0, 24}}, {{0, 24}, {0, 24}}}, .lid = 0},
        {"on a half", {{0, 0, 16, 12}, {0, 12, 8, 24}}, {{{0, 24}, {0, 12}}, {{0, 24}, {0, 24}}}, .lid = 0},
        {"half held", {{0, 0, 8, 12}, {0, 12, 16, 24}}, {{{0, 24}, {0, 24}}, {{0, 24}, {12, 12}}}, .lid = 0},
        {"a gap", {{0, 0, 16, 12.7}, {0, 12.7, 16, 24.7}}, {{{0, 24}, {0, 24}}, {{.7, 24}, {.7, 24}}}, .lid = 0},
        {"far", {{0, 0, 16, 12}, {0, 13.1, 16, 25.1}}, {{{0, 12}, {0, 12}}, {{13.1, 12}, {13.1, 12}}}, .lid = 0},
        {"thrown", {{0, 0, 16, 12}, {0, 12, 16, 24}}, {{{0, 12}, {0, 12}}, {{12, 0}, {12, 0}}}, .is_thrown = true},
        {"pressure", {{0, 0, 16, 12}, {0, 12, 16, 24}}, {{{0, 12}, {0, 12}}, {{12, 0}, {12, 0}}}, .has_pressure = true},
        {"a lid", {{0, 0, 16, 12}, {0, 12, 16, 24}}, {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}}, .lid = 24},
        {"half a lid", {{0, 0, 16, 12}, {0, 12, 8, 24}}, {{{0, 0}, {0, 12}}, {{0, 0}, {0, 0}}}, .lid = 24},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        const stack *of = &all[k];
        const double c = 25;
        pool made;
        mote_fluid_view view;
        fill(&made, MOTE_PRESET_ENGINEERING);
        divide(&made, of->corners, 2);
        made.def.phase.sound_speed = c;
        if (of->lid > 0) made.def.tank.max.z = of->lid * d, made.def.tank.open_z_max = false;
        if (of->is_thrown) made.boxes[1].velocity = (mote_vec3){0, 0, -1};
        if (of->has_pressure) made.boxes[1].pressure = "0";
        mote_simulation *simulation = make(&made, &view);
        for (size_t i = 0; i < view.count; ++i) {
            double even[2];
            const size_t box = even_place(&made, view.id[i], even);
            const double *column = of->columns[box][even[0] > 8 * d], bottom = column[0] * d, length = column[1] * d;
            // In the upper one its part of the column begins where the lower one ends on the even lattice.
            const double s = even[1] - bottom;
            const double z = length > 0 ? bottom + height_of(s, length, 9.81, c, 7) : even[1];
            CHECK(fabs(view.z[i] - z) < 1e-7 * d, "%s, box %zu at (%g, %g): %.9g, expected %.9g", of->name, box,
                  even[0], even[1], view.z[i], z);
            const double pressure = 9810 * (length - s);
            CHECK(!(length > 0) || fabs((double)view.pressure[i] - pressure) < 2e-5 * 9810 * depth,
                  "%s, box %zu at (%g, %g): %g Pa, expected %g", of->name, box, even[0], even[1],
                  (double)view.pressure[i], pressure);
        }
        mote_simulation_destroy(simulation);
    }
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

// The greatest error of pressure, as a root mean square over the floor's, and the greatest speed over sqrt(gH).
typedef struct swing {
    double pressure, speed;
} swing;

static swing swing_of(const pool *made, double duration)
{
    mote_fluid_view view;
    swing most = {0, 0};
    mote_simulation *simulation = make(made, &view);
    for (int look = 0; 0.005 * look < duration + 0.001; ++look) {
        double squares = 0, top = 0;
        CHECK_OK(mote_simulation_run_until(simulation, 0.005 * look, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        for (size_t i = 0; i < view.count; ++i) top = MOTE_MAX(top, view.z[i] + d / 2);
        for (size_t i = 0; i < view.count; ++i) {
            const double error = ((double)view.pressure[i] / (9.81 * 1000) - (top - view.z[i])) / depth;
            squares += error * error;
            most.speed = MOTE_MAX(most.speed, hypot(view.vx[i], view.vz[i]) / sqrt(9.81 * depth));
        }
        most.pressure = MOTE_MAX(most.pressure, sqrt(squares / (double)view.count));
    }
    mote_simulation_destroy(simulation);
    return most;
}

// Returns the greatest error of pressure in 0.2 s.
static double swing_in_pool(int32_t preset, const char *pressure, bool has_body)
{
    pool made;
    fill(&made, preset);
    made.block.pressure = pressure;
    if (has_body) add_disc(&made, 8, 4);
    const swing most = swing_of(&made, 0.2);
    mote_mesh_destroy(made.mesh);
    return most.pressure;
}

// Beside a body, where places have settled, volumes are those that the solver has.
static void water_at_rest_does_not_swing(void **state)
{
    (void)state;
    static const int32_t presets[] = {MOTE_PRESET_FAST, MOTE_PRESET_ENGINEERING};
    for (int k = 0; k < 2; ++k) {
        const double most = swing_in_pool(presets[k], "hydrostatic", false),
                     even = swing_in_pool(presets[k], "9810*(1.2 - z)", false);
        CHECK(even > 0.018 && most < 0.01, "%d: pressures are off by %g, on an even lattice by %g", k, most, even);
        const double beside = swing_in_pool(presets[k], "hydrostatic", true);
        CHECK(beside < 0.0125, "%d: beside a disc they are off by %g", k, beside);
    }
}

// A box on the floor of the tank, up to half the height of the water.
static void add_step(pool *made)
{
    made->body = mote_solid_default_def();
    made->body.shape.kind = MOTE_SOLID_BOX, made->body.boundary = MOTE_BOUNDARY_LAYERS;
    made->body.shape.box = (mote_box){{8 * d, 0, -4 * d}, {20 * d, 0, 12 * d}};
    CHECK_OK(mote_mesh_create_shape(NULL, &made->body.shape, 2, d, &made->mesh, NULL));
    made->body.mesh = made->mesh;
    made->def.solids = &made->body, made->def.solid_count = 1;
}

// Water at rest in two boxes is as still as in one, also where the upper one stands on a step beside the lower one.
static void stacked_water_is_as_still(void **state)
{
    (void)state;
    static const double full[][4] = {{0, 0, 16, 12}, {0, 12, 16, 24}}, half[][4] = {{0, 0, 8, 12}, {0, 12, 16, 24}};
    static const int32_t presets[] = {MOTE_PRESET_FAST, MOTE_PRESET_ENGINEERING};
    for (int k = 0; k < 4; k += SANITIZED ? 3 : 1) {
        swing most[2];
        for (int is_stacked = 0; is_stacked < 2; ++is_stacked) {
            pool made;
            fill(&made, presets[k % 2]);
            if (is_stacked) divide(&made, k / 2 ? half : full, 2);
            if (k / 2) add_step(&made);
            most[is_stacked] = swing_of(&made, 0.5);
            mote_mesh_destroy(made.mesh);
        }
        // On the step a single box is compressed as if there were water in it, too.
        const double least = k / 2 ? 0 : 0.99, greatest = k / 2 ? 1.1 : 1.01;
        const double pressures = most[1].pressure / most[0].pressure, speeds = most[1].speed / most[0].speed;
        CHECK(pressures > least && pressures < greatest && speeds > least && speeds < greatest,
              "%d: pressures are off by %g and speeds are %g, in a single box %g and %g", k, most[1].pressure,
              most[1].speed, most[0].pressure, most[0].speed);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_a_column),
        cmocka_unit_test(columns_of_boxes_are_their_own),
        cmocka_unit_test(columns_go_on_through_boxes),
        cmocka_unit_test(others_are_even),
        cmocka_unit_test(pressures_inside_of_bodies_do_not_matter),
        cmocka_unit_test(water_at_rest_does_not_swing),
        cmocka_unit_test(stacked_water_is_as_still),
    };
    RUN_TESTS(tests, argc, argv);
}
