// SPDX-License-Identifier: MIT
// Solids in the fluid of the engineering preset: layers of wall particles inside of them, still water around them, and
// that nothing enters them.

#include "mote/simulation.h"
#include "support/shapes.h"
#include "support/test.h"

static const double spacing = 0.05;

// A box [0, 1]³ scaled to a size, about a place.
static mote_mesh *box_mesh(mote_vec3 min, mote_vec3 size)
{
    mote_mesh *mesh = shape_cube(NULL, 1);
    for (size_t k = 0; k < mesh->vertex_count; ++k) {
        mote_vec3 *v = &mesh->vertices[k];
        *v = (mote_vec3){min.x + size.x * v->x, min.y + size.y * v->y, min.z + size.z * v->z};
    }
    return mesh;
}

static mote_mesh *ball_mesh(mote_vec3 middle, double radius)
{
    mote_mesh *mesh = shape_sphere(NULL, 3);
    const mote_placement placement = {.scale = radius, .translate = middle};
    mote_mesh_place(mesh, &placement);
    return mesh;
}

// Water in a tank of 0.8 × 0.8 m, from z = bottom on, with a solid.
static mote_simulation *make(mote_context *context, const mote_mesh *mesh, double bottom, double top,
                             const mote_gauge_def *gauges, size_t gauge_count)
{
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.spacing = spacing;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){0.8, 0.8, 1.2};
    def.tank.open_z_max = true;
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){0, 0, bottom}, block.max = (mote_vec3){0.8, 0.8, top};
    def.blocks = &block, def.block_count = 1;
    mote_solid_def solid = mote_solid_default_def();
    solid.name = "body", solid.mesh = mesh;
    def.solids = &solid, def.solid_count = 1;
    def.gauges = gauges, def.gauge_count = gauge_count;
    mote_simulation *simulation;
    mote_error error = {0};
    const mote_result result = mote_simulation_create(context, &def, &simulation, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    return simulation;
}

// Wall particles within a box, and the sum of their volumes in units of a cube.
static size_t count_walls(mote_simulation *simulation, mote_vec3 min, mote_vec3 max, double *volume)
{
    const double *at, *volumes;
    size_t count, found = 0;
    mote_fluid_get_walls(mote_simulation_fluid(simulation), &at, &volumes, &count);
    *volume = 0;
    for (size_t k = 0; k < count; ++k, at += 3) {
        if (at[0] < min.x || at[0] > max.x || at[1] < min.y || at[1] > max.y) continue;
        if (at[2] < min.z || at[2] > max.z) continue;
        ++found;
        *volume += volumes[k];
    }
    return found;
}

static void layers_fill_a_support(void **state)
{
    (void)state;
    const mote_vec3 low = {0.1, 0.1, 0.1}, high = {0.7, 0.7, 0.7};
    double volume;
    mote_mesh *cube = box_mesh((mote_vec3){0.2, 0.2, 0.2}, (mote_vec3){0.4, 0.4, 0.4});
    mote_simulation *simulation = make(NULL, cube, 0, 0.1, NULL, 0);
    const size_t count = count_walls(simulation, low, high, &volume);
    CHECK(count == 8 * 8 * 8 - 2 * 2 * 2 && fabs(volume - 504) < 1e-9, "%zu particles, %g of them", count, volume);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(cube);
    // A size that is no multiple of the spacing: the volume is right all the same, to a part of a layer's.
    cube = box_mesh((mote_vec3){0.21, 0.22, 0.2}, (mote_vec3){0.287, 0.287, 0.287});
    simulation = make(NULL, cube, 0, 0.1, NULL, 0);
    (void)count_walls(simulation, low, high, &volume);
    const double exact = 5.74 * 5.74 * 5.74;
    CHECK(fabs(volume / exact - 1) < 0.05, "volume %g, expected %g", volume, exact);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(cube);
    mote_mesh *ball = ball_mesh((mote_vec3){0.4, 0.4, 0.4}, 0.14);
    simulation = make(NULL, ball, 0, 0.1, NULL, 0);
    (void)count_walls(simulation, low, high, &volume);
    const double ball_volume = mote_mesh_volume(ball) / (spacing * spacing * spacing);
    CHECK(fabs(volume / ball_volume - 1) < 0.01, "volume %g, expected %g", volume, ball_volume);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(ball);
}

static double value_of(const mote_simulation *simulation, size_t gauge, size_t value)
{
    mote_gauge_view view;
    CHECK_OK(mote_simulation_get_gauge(simulation, gauge, &view, NULL));
    return view.values[value];
}

// The pressure beside a body is that of its depth, and the water lifts it by the weight that it displaces (Archimedes).
static void still_water_lifts_a_body(void **state)
{
    (void)state;
    mote_mesh *cube = box_mesh((mote_vec3){0.25, 0.25, 0.2}, (mote_vec3){0.3, 0.3, 0.3});
    mote_gauge_def gauges[3];
    for (int k = 0; k < 3; ++k) gauges[k] = mote_gauge_default_def();
    gauges[0].name = "lift", gauges[0].kind = MOTE_GAUGE_FORCE, gauges[0].of = "body", gauges[0].every = 0.1;
    gauges[1].name = "side", gauges[1].kind = MOTE_GAUGE_WALL_PRESSURE, gauges[1].at = (mote_vec3){0.25, 0.4, 0.35};
    gauges[2].name = "below", gauges[2].kind = MOTE_GAUGE_WALL_PRESSURE, gauges[2].at = (mote_vec3){0.4, 0.4, 0.2};
    mote_simulation *simulation = make(NULL, cube, 0, 0.7, gauges, 3);
    double side = 0, below = 0;
    int rows = 0;
    while (mote_simulation_time(simulation) < 0.1) {
        CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        side += value_of(simulation, 1, 0), below += value_of(simulation, 2, 0), ++rows;
    }
    const double lift = 9810 * 0.027, whole = 9810 * 0.7;
    const double found = value_of(simulation, 0, 2);
    CHECK(fabs(found - lift) < 0.1 * lift, "lift %g, expected %g", found, lift);
    CHECK(fabs(value_of(simulation, 0, 0)) < 0.02 * lift, "sideways %g", value_of(simulation, 0, 0));
    CHECK(fabs(side / rows - 9810 * 0.35) < 0.02 * whole, "pressure %g, expected %g", side / rows, 9810 * 0.35);
    CHECK(fabs(below / rows - 9810 * 0.5) < 0.02 * whole, "pressure %g, expected %g", below / rows, 9810 * 0.5);
    size_t inside, beyond;
    CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
    CHECK(inside + beyond == 0, "%zu particles inside, %zu beyond", inside, beyond);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(cube);
}

// Water that falls on bodies that are thick and thin does not enter them, nor pass them.
static void nothing_enters(void **state)
{
    (void)state;
    for (int is_thin = 0; is_thin < 2; ++is_thin) {
        const double height = is_thin ? 0.02 : 0.3, top = 0.4;
        mote_mesh *plate = box_mesh((mote_vec3){-0.1, -0.1, top - height}, (mote_vec3){1, 1, height});
        mote_simulation *simulation = make(NULL, plate, 0.5, 0.8, NULL, 0);
        while (mote_simulation_time(simulation) < 0.25) CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        size_t inside, beyond, below = 0;
        CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        for (size_t i = 0; i < view.count; ++i) below += view.z[i] < top;
        CHECK(inside + beyond + below == 0, "%d: %zu inside, %zu beyond, %zu below the top of the plate", is_thin,
              inside, beyond, below);
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(plate);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_fill_a_support),
        cmocka_unit_test(still_water_lifts_a_body),
        cmocka_unit_test(nothing_enters),
    };
    RUN_TESTS(tests, argc, argv);
}
