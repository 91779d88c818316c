// SPDX-License-Identifier: MIT
// Fluid at the start: shapes of blocks against the places that lie inside of them, overlaps against all pairs of
// particles, and velocities and pressures by expressions.
#include "base/tested.h"
#include "mote/simulation.h"
#include "support/test.h"

static const double slack = 1e-6;

static mote_simulation_def def_of(int dimensions, double spacing, const mote_block_def *blocks, size_t count)
{
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = dimensions;
    def.fluid.spacing = spacing;
    def.phase.sound_speed = 20;
    def.blocks = blocks;
    def.block_count = count;
    return def;
}

static mote_simulation *make(mote_context *context, const mote_simulation_def *def)
{
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(context, def, &simulation, &error) == MOTE_OK, "%s", error.text);
    return simulation;
}

static mote_fluid_view view_of(mote_simulation *simulation)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    return view;
}

static void refuse(const mote_simulation_def *def, const char *text)
{
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, def, &simulation, &error) == MOTE_ERROR_ARGUMENT, "taken, expected %s", text);
    CHECK(strcmp(error.text, text) == 0, "\"%s\", expected \"%s\"", error.text, text);
}

static mote_block_def ball_at(double x, double y, double z, double radius)
{
    mote_block_def block = mote_block_default_def();
    block.shape = MOTE_SHAPE_BALL;
    block.center = (mote_vec3){x, y, z};
    block.radius = radius;
    return block;
}

// ------------------------------------------------------------------------------------------------------- particles

// Whether a place is inside a shape that is larger by `margin`; by other arithmetic than the library's.
static bool is_in(const mote_block_def *block, double x, double y, double z, double margin)
{
    const double p[3] = {x - block->center.x, y - block->center.y, z - block->center.z}, r = block->radius + margin;
    if (block->shape == MOTE_SHAPE_BOX)
        return x > block->min.x - margin && x < block->max.x + margin && y > block->min.y - margin &&
               y < block->max.y + margin && z > block->min.z - margin && z < block->max.z + margin;
    if (block->shape == MOTE_SHAPE_BALL) return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= r * r;
    const double a[3] = {block->axis.x, block->axis.y, block->axis.z};
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double along = (p[0] * a[0] + p[1] * a[1] + p[2] * a[2]) / length;
    const double cross[3] = {p[1] * a[2] - p[2] * a[1], p[2] * a[0] - p[0] * a[2], p[0] * a[1] - p[1] * a[0]};
    const double off = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / length;
    return fabs(along) <= block->height / 2 + margin && off <= r;
}

// Every place of the lattice through the first particle that is inside has a particle, and no other place.
static void check_filled(const mote_block_def *block, int dimensions, double d)
{
    const mote_simulation_def def = def_of(dimensions, d, block, 1);
    mote_simulation *simulation = make(NULL, &def);
    const mote_fluid_view view = view_of(simulation);
    const mote_box box = mote_block_box(block, dimensions);
    const double base[3] = {view.x[0], view.y[0], view.z[0]};
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    int begin[3] = {0}, end[3] = {0};
    for (int k = 0; k < 3; ++k) {
        if (dimensions == 2 && k == 1) continue;
        begin[k] = (int)floor((low[k] - base[k]) / d) - 1;
        end[k] = (int)ceil((high[k] - base[k]) / d) + 1;
    }
    size_t sure = 0, most = 0;
    for (int k = begin[2]; k <= end[2]; ++k)
        for (int j = begin[1]; j <= end[1]; ++j)
            for (int i = begin[0]; i <= end[0]; ++i) {
                const double p[3] = {base[0] + i * d, base[1] + j * d, base[2] + k * d};
                // What is on the very edge may be inside or not.
                most += is_in(block, p[0], p[1], p[2], 2 * slack * d);
                sure += is_in(block, p[0], p[1], p[2], 0);
            }
    CHECK(view.count >= sure && view.count <= most, "%zu particles, expected %zu to %zu", view.count, sure, most);
    for (size_t i = 0; i < view.count; ++i)
        CHECK(is_in(block, view.x[i], view.y[i], view.z[i], 2 * slack * d), "(%g, %g, %g)", view.x[i], view.y[i],
              view.z[i]);
    mote_simulation_destroy(simulation);
}

static void balls_and_cylinders_are_filled(void **state)
{
    (void)state;
    mote_random random = {11};
    for (int round = 0; round < 60; ++round) {
        const int dimensions = 2 + round % 2;
        mote_block_def block = ball_at(mote_random_gauss(&random), dimensions == 2 ? 0 : mote_random_gauss(&random),
                                       mote_random_gauss(&random), 0.1 + 0.3 * mote_random_unit(&random));
        check_filled(&block, dimensions, 0.05);
        block.shape = MOTE_SHAPE_CYLINDER;
        block.height = 0.1 + mote_random_unit(&random);
        block.axis = (mote_vec3){mote_random_gauss(&random), mote_random_gauss(&random), mote_random_gauss(&random)};
        if (round % 5 == 0) block.axis = (mote_vec3){(double)(round % 3 == 0), (double)(round % 3 == 1) * 7,
                                                     (double)(round % 3 == 2) * 1e-100};
        if (dimensions == 2 && block.axis.y != 0) block.axis = (mote_vec3){0, 1, 0};
        check_filled(&block, dimensions, 0.05);
    }
}

// A ball has the volume of a ball, and is symmetric; a cylinder that stands on a box is a spacing away from it.
static void volumes_are_right(void **state)
{
    (void)state;
    mote_block_def block = ball_at(1, 2, 3, 0.5);
    mote_simulation_def def = def_of(3, 0.025, &block, 1);
    mote_simulation *simulation = make(NULL, &def);
    mote_fluid_view view = view_of(simulation);
    const double volume = (double)view.count * 0.025 * 0.025 * 0.025, expected = 4.1887902047863905 * 0.125;
    CHECK(fabs(volume / expected - 1) < 0.01, "%g, expected %g", volume, expected);
    double sum[3] = {0};
    for (size_t i = 0; i < view.count; ++i) sum[0] += view.x[i] - 1, sum[1] += view.y[i] - 2, sum[2] += view.z[i] - 3;
    CHECK(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < 1e-9 * (double)view.count, "not around its middle");
    mote_simulation_destroy(simulation);

    block = mote_block_default_def();
    block.shape = MOTE_SHAPE_CYLINDER;
    block.radius = 0.4, block.height = 0.5;
    block.center = (mote_vec3){0, 0, 0.25};
    simulation = make(NULL, &def);
    view = view_of(simulation);
    double low = 1, high = 0;
    for (size_t i = 0; i < view.count; ++i) low = fmin(low, view.z[i]), high = fmax(high, view.z[i]);
    CHECK(fabs(low - 0.0125) < 1e-12 && fabs(high - 0.4875) < 1e-12, "from %g to %g", low, high);
    CHECK(fabs(mote_simulation_depth(simulation) - 0.5) < 1e-12, "depth %g", mote_simulation_depth(simulation));
    mote_simulation_destroy(simulation);
}

static void points_are_where_they_are(void **state)
{
    (void)state;
    const double points[12] = {0, 5, 0, 0.1, 5, 0, 0, 5, 0.1, 0.25, 5, 0.3};
    mote_block_def block = mote_block_default_def();
    block.shape = MOTE_SHAPE_POINTS;
    block.points = points;
    block.point_count = 4;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_simulation_def def = def_of(dimensions, 0.1, &block, 1);
        mote_simulation *simulation = make(NULL, &def);
        const mote_fluid_view view = view_of(simulation);
        assert_int_equal(view.count, 4);
        for (size_t i = 0; i < view.count; ++i) {
            const double *p = points + 3 * view.id[i];
            CHECK(view.x[i] == p[0] && view.y[i] == (dimensions == 2 ? 0 : 5) && view.z[i] == p[2], "point %zu", i);
            const double pressure = 1000 * 9.81 * (0.3 - p[2]);
            CHECK(fabs((double)view.pressure[i] - pressure) < 1 + 0.01 * pressure, "%g", (double)view.pressure[i]);
        }
        mote_simulation_destroy(simulation);
    }
}

// ------------------------------------------------------------------------------------------------------- overlaps

// What two blocks that are made one by one are to each other.
typedef struct nearness {
    double least;              // distance of their particles, in spacings
    bool is_inside, may_be;    // a particle is inside the other block; or on its very edge
} nearness;

static nearness compare(const mote_block_def blocks[2], int dimensions, double d)
{
    mote_simulation *one[2];
    mote_fluid_view views[2];
    for (int k = 0; k < 2; ++k) {
        const mote_simulation_def def = def_of(dimensions, d, &blocks[k], 1);
        one[k] = make(NULL, &def);
        views[k] = view_of(one[k]);
    }
    double least = HUGE_VAL;
    nearness found = {0, false, false};
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < views[k].count; ++i) {
            const mote_block_def *other = &blocks[1 - k];
            const double margin = other->shape == MOTE_SHAPE_BOX ? -d : -2 * slack * d;  // of a box less may be filled
            found.is_inside |= is_in(other, views[k].x[i], views[k].y[i], views[k].z[i], margin);
            found.may_be |= is_in(other, views[k].x[i], views[k].y[i], views[k].z[i], slack * d);
        }
    for (size_t i = 0; i < views[0].count; ++i)
        for (size_t j = 0; j < views[1].count; ++j) {
            const double x = views[0].x[i] - views[1].x[j], y = views[0].y[i] - views[1].y[j];
            const double z = views[0].z[i] - views[1].z[j];
            least = fmin(least, x * x + y * y + z * z);
        }
    for (int k = 0; k < 2; ++k) mote_simulation_destroy(one[k]);
    found.least = sqrt(least) / d;
    return found;
}

static mote_block_def random_block(mote_random *random, int dimensions)
{
    mote_block_def block = ball_at(mote_random_unit(random), dimensions == 2 ? 0 : mote_random_unit(random),
                                   mote_random_unit(random), 0.1 + 0.3 * mote_random_unit(random));
    block.shape = (int32_t)mote_random_below(random, 3);
    if (block.shape == MOTE_SHAPE_CYLINDER) {
        block.height = 0.2 + 0.5 * mote_random_unit(random);
        block.axis = (mote_vec3){mote_random_gauss(random), 0, mote_random_gauss(random)};
        if (dimensions == 3) block.axis.y = mote_random_gauss(random);
    } else if (block.shape == MOTE_SHAPE_BOX) {
        const mote_vec3 c = block.center;
        block.min = (mote_vec3){c.x - block.radius, c.y - block.radius, c.z - 0.15};
        block.max = (mote_vec3){c.x + block.radius, c.y + block.radius, c.z + 0.15};
    }
    return block;
}

static void overlaps_are_found(void **state)
{
    (void)state;
    mote_random random = {17};
    int taken = 0, refused = 0;
    for (int round = 0; round < (SLOW_BUILD ? 150 : 400); ++round) {
        const int dimensions = 2 + round % 2;
        const double d = 0.08;
        mote_block_def blocks[2] = {random_block(&random, dimensions), random_block(&random, dimensions)};
        if (blocks[0].shape == MOTE_SHAPE_BOX && blocks[1].shape == MOTE_SHAPE_BOX) continue;
        const mote_simulation_def def = def_of(dimensions, d, blocks, 2);
        mote_simulation *simulation;
        mote_error error = {0};
        const mote_result result = mote_simulation_create(NULL, &def, &simulation, &error);
        const nearness found = compare(blocks, dimensions, d);
        if (result == MOTE_OK) {
            CHECK(found.least >= 0.75 - 1e-9 && !found.is_inside, "round %d: taken at %g", round, found.least);
            mote_simulation_destroy(simulation);
            ++taken;
            continue;
        }
        CHECK(strncmp(error.text, "blocks[1]: overlaps blocks[0] at (", 34) == 0, "%s", error.text);
        CHECK(found.least < 0.75 + 1e-9 || found.may_be, "round %d: refused at %g", round, found.least);
        ++refused;
    }
    CHECK(taken > 20 && refused > 20, "%d taken, %d refused", taken, refused);
}

static void points_may_not_coincide(void **state)
{
    (void)state;
    const double points[9] = {0, 0, 0, 1, 0, 0, 1.02, 0, 0}, others[3] = {0.07, 0, 0};
    mote_block_def blocks[2] = {mote_block_default_def(), mote_block_default_def()};
    for (int k = 0; k < 2; ++k) {
        blocks[k].shape = MOTE_SHAPE_POINTS;
        blocks[k].points = k ? others : points;
        blocks[k].point_count = k ? 1 : 2;
    }
    mote_simulation_def def = def_of(3, 0.1, blocks, 2);
    refuse(&def, "blocks[1].points: point 0 lies at point 0 of blocks[0], expected one at least 0.75 spacings away");
    def.block_count = 1;
    blocks[0].point_count = 3;
    refuse(&def, "blocks[0].points: point 2 lies at point 1 of blocks[0], expected one at least 0.25 spacings away");
    blocks[0].point_count = 2;
    def.block_count = 2;
    blocks[1] = ball_at(1, 0, 0, 0.2);
    refuse(&def, "blocks[1]: overlaps blocks[0] at (1, 0, 0), expected blocks whose particles are at least 0.75 "
                 "spacings apart");
    blocks[1] = ball_at(0.5, 0, 0, 0.2);
    mote_simulation_destroy(make(NULL, &def));
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    mote_block_def block = ball_at(0.5, 0.5, 0.5, 0.04);
    mote_simulation_def def = def_of(3, 0.1, &block, 1);
    def.has_tank = true;
    def.tank.max = (mote_vec3){1, 1, 1};
    def.tank.min = (mote_vec3){0, 0, 0};
    refuse(&def, "blocks[0]: from (0.46, 0.46, 0.46) to (0.54, 0.54, 0.54), expected at least one spacing of 0.1 each "
                 "way");
    block.radius = 0.6;
    refuse(&def, "blocks[0]: from (-0.1, -0.1, -0.1) to (1.1, 1.1, 1.1), expected a block inside the tank");
    block.radius = NAN;
    refuse(&def, "blocks[0].radius is 0 or not set, expected that of a ball");
    block.shape = 9;
    refuse(&def, "block.shape is 9, expected \"box\", \"ball\", \"cylinder\" or \"points\"");
    block = mote_block_default_def();
    refuse(&def, "blocks[0].min is 0 or not set, expected that of a box");
    block.shape = MOTE_SHAPE_POINTS;
    refuse(&def, "blocks[0].points is 0 or not set, expected that of a block of points");
    const double points[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 2};
    block.points = points, block.point_count = 2;
    refuse(&def, "blocks[0].points: point 1 is (0.5, 0.5, 2), expected a point inside the tank");
    block = ball_at(0, 0, 0, 1e5);
    def.has_tank = false;
    mote_simulation *simulation;
    CHECK(mote_simulation_create(NULL, &def, &simulation, NULL) == MOTE_ERROR_ARGUMENT, "10^18 particles");
}

// ------------------------------------------------------------------------------------------ velocities and pressures

static void expressions_set_the_start(void **state)
{
    (void)state;
    mote_block_def blocks[2] = {mote_block_default_def(), ball_at(2, 0, 0.5, 0.3)};
    blocks[0].min = (mote_vec3){0, 0, 0}, blocks[0].max = (mote_vec3){1, 0, 1};
    blocks[0].velocity = (mote_vec3){7, 0, -0.5};
    blocks[0].velocity_text[0] = "2*x + z^2";
    blocks[0].pressure = "100*(1 + x)";
    mote_simulation_def def = def_of(2, 0.1, blocks, 2);
    def.phase.sound_speed = NAN;
    mote_simulation *simulation = make(NULL, &def);
    const mote_fluid_view view = view_of(simulation);
    double fastest = sqrt(9.81 * 1);
    for (size_t i = 0; i < view.count; ++i) {
        const bool in_box = view.x[i] < 1;
        const double u = in_box ? 2 * view.x[i] + view.z[i] * view.z[i] : 0, w = in_box ? -0.5 : 0;
        CHECK(fabs((double)view.vx[i] - u) < 1e-6 && fabs((double)view.vz[i] - w) < 1e-6, "velocity %zu", i);
        fastest = fmax(fastest, sqrt(u * u + w * w));
        // In the ball, of the water above.
        const double up = view.z[i] - 0.5, off = view.x[i] - 2;
        const double depth = in_box ? 0 : sqrt(fmax(0.09 - off * off, 0)) - up;
        const double pressure = in_box ? 100 * (1 + view.x[i]) : 1000 * 9.81 * depth;
        CHECK(fabs((double)view.pressure[i] - pressure) < 1 + 0.01 * pressure, "(%g, %g): %g, expected %g", view.x[i],
              view.z[i], (double)view.pressure[i], pressure);
    }
    const double speed = mote_fluid_resolved_phase(mote_simulation_fluid(simulation), 0).sound_speed;
    CHECK(fabs(speed - 10 * fastest) < 1e-9, "%g, expected %g", speed, 10 * fastest);
    mote_simulation_destroy(simulation);
}

// "hydrostatic", nothing and a struct of zeros are the same; "0" is none.
static void water_at_rest_is_the_default(void **state)
{
    (void)state;
    const char *const pressures[] = {NULL, "hydrostatic", "0"};
    float first = 0;
    for (int k = 0; k < 3; ++k) {
        mote_block_def block = {.max = {1, 0, 1}};
        block.pressure = pressures[k];
        const mote_simulation_def def = def_of(2, 0.1, &block, 1);
        mote_simulation *simulation = make(NULL, &def);
        const mote_fluid_view view = view_of(simulation);
        float most = 0;
        for (size_t i = 0; i < view.count; ++i) most = view.pressure[i] > most ? view.pressure[i] : most;
        if (k == 0) first = most;
        CHECK(k == 2 ? most == 0 : most == first && most > 9000, "%g Pa", (double)most);
        mote_simulation_destroy(simulation);
    }
    assert_string_equal(mote_block_default_def().pressure, "hydrostatic");
}

static void bad_expressions_are_refused(void **state)
{
    (void)state;
    mote_block_def block = {.max = {1, 1, 1}};
    mote_simulation_def def = def_of(3, 0.25, &block, 1);
    block.velocity_text[1] = "sin(x";
    refuse(&def, "blocks[0].velocity[1] is no expression: the end at column 6, expected an operator or \")\"");
    block.velocity_text[1] = "t";
    refuse(&def, "blocks[0].velocity[1] is no expression: \"t\" at column 1, expected one of x, y, z, pi, sqrt, sin, "
                 "cos, tan, exp, log, cosh, sinh, tanh, abs, min, max");
    block.velocity_text[1] = "1/(x - 0.375)", block.pressure = "0";
    refuse(&def, "blocks[0].velocity[1] is inf for the particle at (0.375, 0.125, 0.125), expected a number from "
                 "-1000000 to 1000000");
    block.velocity_text[1] = NULL;
    block.pressure = "sqrt(z - 0.5)";
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_ARGUMENT, "taken");
    CHECK(strstr(error.text, "blocks[0].pressure is ") && strstr(error.text, "expected a finite number"), "%s",
          error.text);
    block.pressure = "-1 - x";
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_ARGUMENT, "taken");
    CHECK(strstr(error.text, "blocks[0].pressure for the particle at (") && strstr(error.text, "or more [Pa]"), "%s",
          error.text);
    def.fluid.density = MOTE_DENSITY_SUMMATION;
    refuse(&def, "blocks[0].pressure is given, expected none where densities follow from positions: \"density\": "
                 "\"summation\"");
    def.fluid.dimensions = 2;
    block.pressure = NULL;
    block.velocity_text[1] = "x";
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_ARGUMENT, "y in 2D");
    CHECK(strstr(error.text, "expected 0 in 2D"), "%s", error.text);
}

// ------------------------------------------------------------------------------------------------------- memory

static mote_result create_all(mote_context *context, void *data)
{
    (void)data;
    static const double points[6] = {2, 0, 0, 2, 0, 0.3};
    mote_block_def blocks[3] = {mote_block_default_def(), ball_at(1, 0, 0.5, 0.3), mote_block_default_def()};
    blocks[0].max = (mote_vec3){0.3, 0, 0.3}, blocks[0].min = (mote_vec3){0, 0, 0};
    blocks[0].velocity_text[0] = "x*z";
    blocks[1].pressure = "10";
    blocks[2].shape = MOTE_SHAPE_POINTS;
    blocks[2].points = points, blocks[2].point_count = 2;
    mote_simulation_def def = def_of(2, 0.1, blocks, 3);
    def.phase.sound_speed = NAN;
    mote_simulation *simulation;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(context, &def, &simulation, &error);
    if (result == MOTE_OK) mote_simulation_destroy(simulation);
    else CHECK(error.text[0] && error.result == result, "%s", mote_result_name(result));
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(create_all, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_and_cylinders_are_filled),
        cmocka_unit_test(volumes_are_right),
        cmocka_unit_test(points_are_where_they_are),
        cmocka_unit_test(overlaps_are_found),
        cmocka_unit_test(points_may_not_coincide),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(expressions_set_the_start),
        cmocka_unit_test(water_at_rest_is_the_default),
        cmocka_unit_test(bad_expressions_are_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
