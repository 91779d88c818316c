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

// Two solids in 2D: one along the floor, and one along a side, of kinds of boundaries; and how the side moves.
typedef struct inner_edge {
    int32_t kinds[2];
    bool is_engineering, is_turned;  // is_turned: the side is listed first
    const char *shift;               // of the side along x [m]; NULL: it is at rest
    mote_mesh *meshes[2];
    mote_simulation *simulation;
} inner_edge;

static void open_edge(inner_edge *edge)
{
    mote_simulation_def def = mote_simulation_default_def();
    const int32_t preset = edge->is_engineering ? MOTE_PRESET_ENGINEERING : MOTE_PRESET_FAST;
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, preset, NULL));
    def.fluid.spacing = spacing, def.fluid.dimensions = 2;
    def.has_tank = def.tank.open_z_max = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){2, 0, 2};
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){2, 0, 1.5};
    def.blocks = &block, def.block_count = 1;
    mote_solid_def solids[2] = {mote_solid_default_def(), mote_solid_default_def()};
    edge->meshes[0] = box_mesh((mote_vec3){-0.3, -0.5 * spacing, -0.3}, (mote_vec3){2.6, spacing, 0.51});
    edge->meshes[1] = box_mesh((mote_vec3){1.59, -0.5 * spacing, -0.3}, (mote_vec3){0.7, spacing, 2.6});
    for (int i = 0; i < 2; ++i) {
        mote_solid_def *solid = &solids[edge->is_turned ? 1 - i : i];
        solid->name = i ? "side" : "floor", solid->boundary = edge->kinds[i], solid->mesh = edge->meshes[i];
        if (i) solid->motion.shift_text[0] = edge->shift;
    }
    def.solids = solids, def.solid_count = 2;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &def, &edge->simulation, &error) == MOTE_OK, "%s", error.text);
}

static void close_edge(inner_edge *edge)
{
    mote_simulation_destroy(edge->simulation);
    for (int i = 0; i < 2; ++i) mote_mesh_destroy(edge->meshes[i]);
}

// How often walls of layers fill the place of the edge that is in both solids, three spacings wide. A field has none.
static double walls_in_both(const inner_edge *edge, double shift)
{
    double volume;
    const mote_vec3 low = {1.59 + shift, -1, 0.06}, high = {1.74 + shift, 1, 0.21};
    (void)count_walls(edge->simulation, low, high, &volume);
    return volume * spacing * spacing / (0.15 * 0.15);
}

// Water at rest starts there from rest, if it is pushed once. Returns the greatest speed within 0.1 s over sqrt(gH).
static double edge_start(const inner_edge *edge)
{
    double fastest = 0;
    while (mote_simulation_time(edge->simulation) < 0.1) {
        mote_fluid_totals totals;
        CHECK_OK(mote_simulation_step(edge->simulation, 1, NULL, NULL));
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(edge->simulation), &totals, NULL));
        fastest = fmax(fastest, totals.max_speed / mote_simulation_reference_speed(edge->simulation));
    }
    return fastest;
}

static const char *kind_name(int32_t kind)
{
    return mote_boundary_kind_at((size_t)kind)->about.name;
}

static const int32_t all_kinds[] = {MOTE_BOUNDARY_LAYERS, MOTE_BOUNDARY_FIELD, MOTE_BOUNDARY_SAMPLES};

// A place in both has walls once, whatever the kinds of the solids are and whichever is listed first.
static void overlapping_bodies_push_once(void **state)
{
    (void)state;
    for (int k = 0; k < 36; ++k) {
        inner_edge edge = {.kinds = {all_kinds[k % 3], all_kinds[k / 3 % 3]}, .is_engineering = k / 9 % 2,
                           .is_turned = k / 18};
        const bool has_layers = edge.kinds[0] == MOTE_BOUNDARY_LAYERS || edge.kinds[1] == MOTE_BOUNDARY_LAYERS;
        open_edge(&edge);
        const double walls = walls_in_both(&edge, 0), start = edge_start(&edge);
        const char *first = kind_name(edge.kinds[edge.is_turned]), *second = kind_name(edge.kinds[!edge.is_turned]);
        const bool has_field = edge.kinds[0] == MOTE_BOUNDARY_FIELD || edge.kinds[1] == MOTE_BOUNDARY_FIELD;
        CHECK(!has_layers || (has_field ? walls < 1.25 : fabs(walls - 1) < 0.25),
              "%d, %s and %s: there are walls %g times", k, first, second, walls);
        CHECK(start < 0.04, "%d, %s and %s: water at rest starts with %g sqrt(gH)", k, first, second, start);
        close_edge(&edge);
    }
}

// So it has if one of them moves, from the start on and wherever it goes.
static void moving_bodies_push_once(void **state)
{
    (void)state;
    for (int k = 0; k < 18; ++k) {
        inner_edge edge = {.kinds = {all_kinds[k % 3], all_kinds[k / 3 % 3]}, .is_engineering = true,
                           .is_turned = k / 9, .shift = "0*t"};
        const char *floor = kind_name(edge.kinds[0]), *side = kind_name(edge.kinds[1]);
        open_edge(&edge);
        const double start = edge_start(&edge);
        CHECK(start < 0.04, "%d, %s and %s: water at rest starts with %g sqrt(gH)", k, floor, side, start);
        close_edge(&edge);
        edge.shift = "-5*t*t";
        open_edge(&edge);
        const bool has_field = edge.kinds[1] == MOTE_BOUNDARY_FIELD;  // before which walls of the floor give way
        for (int look = 0; look < 4; ++look) {
            CHECK_OK(mote_simulation_run_until(edge.simulation, 0.05 * look, NULL, NULL, NULL));
            const double t = mote_simulation_time(edge.simulation);
            const double there = walls_in_both(&edge, -5 * t * t), ahead = walls_in_both(&edge, -0.4 - 5 * t * t);
            if (edge.kinds[0] != MOTE_BOUNDARY_LAYERS) continue;
            CHECK(has_field ? there < 0.05 : fabs(there - 1) < 0.25, "%s, %g s: there are walls %g times", side, t,
                  there);
            CHECK(fabs(ahead - 1) < 0.25, "%s, %g s: ahead of the body there are walls %g times", side, t, ahead);
        }
        close_edge(&edge);
    }
}

// Wall particles that are added to the fluid of a simulation in which a solid moves count in full.
static void walls_added_later_count_in_full(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    double *at = calloc(3 * COUNT, sizeof *at), *ones = calloc(COUNT, sizeof *ones);
    for (size_t i = 0; i < COUNT; ++i) at[3 * i] = 2.0 * (double)i / COUNT, at[3 * i + 2] = 1.9, ones[i] = 1;
    inner_edge edge = {.kinds = {MOTE_BOUNDARY_LAYERS, MOTE_BOUNDARY_LAYERS}, .is_engineering = true, .shift = "-t"};
    open_edge(&edge);
    mote_fluid *fluid = mote_simulation_fluid(edge.simulation);
    const double *volumes;
    size_t before, count;
    mote_fluid_get_walls(fluid, NULL, NULL, &before);
    CHECK_OK(mote_fluid_add_walls(fluid, at, ones, COUNT, NULL));
    CHECK_OK(mote_simulation_step(edge.simulation, 2, NULL, NULL));
    mote_fluid_get_walls(fluid, NULL, &volumes, &count);
    assert_int_equal(count, before + COUNT);
    for (size_t i = before; i < count; ++i) CHECK(volumes[i] == 1, "wall particle %zu has %g volumes", i, volumes[i]);
    close_edge(&edge);
    free(at);
    free(ones);
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

// ----------------------------------------------------------------------------------------------------------- shapes

static const double star_corners[] = {0, 0, 0.5, 0, 1, 0, 0.6, 0.5, 1, 1, 0, 1};

static mote_shape shape_of(mote_shape_kind kind)
{
    mote_shape shape = mote_solid_default_def().shape;
    shape.kind = (int32_t)kind;
    return shape;
}

static void check_volume(const mote_shape *shape, int dimensions, double volume)
{
    mote_mesh *mesh = NULL;
    mote_mesh_report report;
    mote_error error = {0};
    const mote_result result = mote_mesh_create_shape(NULL, shape, dimensions, 0.1, &mesh, &error);
    CHECK(result == MOTE_OK, "shape %d: %s", shape->kind, error.text);
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    CHECK(report.closed, "shape %d: is open", shape->kind);
    const double found = mote_mesh_volume(mesh);
    CHECK(fabs(found / volume - 1) < 1e-9, "shape %d: volume %g, expected %g", shape->kind, found, volume);
    mote_mesh_destroy(mesh);
}

// Meshes of shapes are closed, face outwards and have the right volume; polygons in either order.
static void shapes_are_closed(void **state)
{
    (void)state;
    const double pi = 3.14159265358979;
    double back[12];
    for (int k = 0; k < 12; ++k) back[k] = star_corners[2 * (5 - k / 2) + k % 2];
    mote_shape box = shape_of(MOTE_SOLID_BOX), ball = shape_of(MOTE_SOLID_BALL), disc = shape_of(MOTE_SOLID_DISC);
    mote_shape cylinder = shape_of(MOTE_SOLID_CYLINDER), star = shape_of(MOTE_SOLID_POLYGON);
    box.box = (mote_box){{0, 0, 0}, {1, 2, 3}};
    check_volume(&box, 3, 6);
    check_volume(&box, 2, 0.3);
    ball.center = (mote_vec3){3, 3, 3}, ball.radius = 1;
    check_volume(&ball, 3, 4 * pi / 3);
    cylinder.center = (mote_vec3){0, 0, 0}, cylinder.radius = 1, cylinder.height = 2;
    check_volume(&cylinder, 3, 2 * pi);
    cylinder.axis = (mote_vec3){1, 1, 0};
    check_volume(&cylinder, 3, 2 * pi);
    disc.center = (mote_vec3){3, 0, 3}, disc.radius = 1;
    check_volume(&disc, 2, 0.1 * pi);
    for (int k = 0; k < 2; ++k) {
        star.corners = (mote_corners){k ? back : star_corners, 6};
        check_volume(&star, 2, 0.1 * 0.8);
    }
}

static void bad_outlines_are_refused(void **state)
{
    (void)state;
    static const struct {
        double corners[8];
        size_t count;
        const char *text;
    } bad[] = {
        {{0, 0, 1, 1}, 2, "corners: 2 of them, expected at least 3"},
        {{0, 0, 1, 1, 1, 0, 0, 1}, 4, "the edges behind numbers 0 and 2 meet"},
        {{0, 0, 0, 0, 1, 1}, 3, "corners: numbers 0 and 1 are both [0, 0], expected different ones"},
        {{0, 0, 2, 0, 1, 0}, 3, "corners: at number 1, [2, 0], the outline runs back along itself"},
        {{0, 0, 2, 0, 2, 2, 1, 0}, 4, "corners: the edges behind numbers 0 and 2 meet"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        mote_shape shape = shape_of(MOTE_SOLID_POLYGON);
        shape.corners = (mote_corners){bad[k].corners, bad[k].count};
        mote_mesh *mesh;
        mote_error error = {0};
        CHECK(mote_mesh_create_shape(NULL, &shape, 2, 1, &mesh, &error) == MOTE_ERROR_ARGUMENT, "outline %zu", k);
        CHECK(strstr(error.text, bad[k].text), "%s, expected %s", error.text, bad[k].text);
    }
}

// In 2D: water that falls on bodies of each shape does not enter them. Their wall particles have their area.
static void flat_bodies_hold(void **state)
{
    (void)state;
    const double d = 0.04, area[] = {0.16 * 0.2, 3.14159265 * 0.1 * 0.1, 0.8 * 0.09};
    mote_solid_def solids[3];
    const char *const names[] = {"box", "disc", "star"};
    for (int k = 0; k < 3; ++k) solids[k] = mote_solid_default_def(), solids[k].name = names[k];
    solids[0].shape.kind = MOTE_SOLID_BOX;
    solids[0].shape.box = (mote_box){{0.1, 0, 0.1}, {0.26, 0, 0.3}};
    solids[1].shape.kind = MOTE_SOLID_DISC;
    solids[1].shape.center = (mote_vec3){0.5, 0, 0.3}, solids[1].shape.radius = 0.1;
    solids[2].shape.kind = MOTE_SOLID_POLYGON, solids[2].shape.corners = (mote_corners){star_corners, 6};
    solids[2].placement.scale = 0.3, solids[2].placement.translate = (mote_vec3){0.72, 0, 0.1};
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = 2;
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.spacing = d;
    def.has_tank = true;
    def.tank.max = (mote_vec3){1.12, 0, 1.4}, def.tank.min = (mote_vec3){0, 0, 0};
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){0, 0, 0.5}, block.max = (mote_vec3){1.12, 0, 0.9};
    def.blocks = &block, def.block_count = 1, def.solids = solids, def.solid_count = 3;
    mote_mesh *meshes[3];
    for (int k = 0; k < 3; ++k) {
        CHECK_OK(mote_mesh_create_shape(NULL, &solids[k].shape, 2, d, &meshes[k], NULL));
        mote_mesh_place(meshes[k], &solids[k].placement);
        solids[k].mesh = meshes[k];
    }
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_OK, "%s", error.text);
    for (int k = 0; k < 3; ++k) {
        const mote_box box = mote_mesh_box(meshes[k]);
        double volume;
        (void)count_walls(simulation, box.min, box.max, &volume);
        CHECK(fabs(volume * d * d / area[k] - 1) < 0.03, "%s: area %g, expected %g", names[k], volume * d * d, area[k]);
    }
    while (mote_simulation_time(simulation) < 0.4) CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
    size_t inside, beyond;
    CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
    CHECK(inside + beyond == 0, "%zu particles inside, %zu beyond", inside, beyond);
    mote_simulation_destroy(simulation);
    solids[0].mesh = shape_cube(NULL, 2);
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_ERROR_UNSUPPORTED, "a cube in 2D");
    mote_mesh_destroy((mote_mesh *)solids[0].mesh);
    for (int k = 0; k < 3; ++k) mote_mesh_destroy(meshes[k]);
}

// ---------------------------------------------------------------------------------------------- water around bodies

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The distances of the nearest particles from the middle of a disc, in spacings from its surface: their median.
static double gap_of_disc(mote_simulation *simulation, mote_vec3 middle, double radius, double d)
{
    enum { MOST = 1000 };
    double gaps[MOST];
    size_t count = 0;
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    for (size_t i = 0; i < view.count && count < MOST; ++i) {
        const double gap = (hypot(view.x[i] - middle.x, view.z[i] - middle.z) - radius) / d;
        if (gap < 1.1) gaps[count++] = gap;
    }
    CHECK(count > 10, "%zu particles around the disc", count);
    qsort(gaps, count, sizeof *gaps, compare_numbers);
    return gaps[count / 2];
}

// Around a body that is anywhere on the lattice: it displaces its volume, the water stays calm from the first step on,
// and the first particles are half a spacing from it, with layers and with samples.
static void water_fits_bodies(void **state)
{
    (void)state;
    const double d = 0.05, size = 36 * d, depth = 36 * d;
    for (int kind = 0; kind < 4; ++kind) {
        const bool is_disc = kind % 2;
        mote_simulation_def def = mote_simulation_default_def();
        def.fluid.dimensions = 2;
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, kind < 2 ? MOTE_PRESET_FAST : MOTE_PRESET_ENGINEERING, NULL));
        def.fluid.spacing = d;
        def.has_tank = true;
        def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){size, 0, size}, def.tank.open_z_max = true;
        mote_block_def block = mote_block_default_def();
        block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){size, 0, depth};
        def.blocks = &block, def.block_count = 1;
        mote_solid_def solid = mote_solid_default_def();
        solid.name = "body", solid.shape.kind = is_disc ? MOTE_SOLID_DISC : MOTE_SOLID_BOX;
        const double low = 8.3 * d, high = low + 20.5 * d;
        const mote_vec3 middle = {(low + high) / 2, 0, (low + high) / 2};
        if (is_disc) solid.shape.center = middle, solid.shape.radius = 10.25 * d;
        else solid.shape.box = (mote_box){{low, 0, low}, {high, 0, high}};
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 2, d, &mesh, NULL));
        solid.mesh = mesh, def.solids = &solid, def.solid_count = 1;
        mote_simulation *simulation;
        CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
        const double volume = 20.5 * 20.5 * (is_disc ? 3.14159265 / 4 : 1);
        const double removed = (double)mote_simulation_removed_count(simulation);
        CHECK(fabs(removed / volume - 1) < 0.01, "%d: %g particles removed, expected %g", kind, removed, volume);
        const double fastest = 0.05 * mote_simulation_reference_speed(simulation);
        mote_fluid_totals totals = {0};
        while (mote_simulation_time(simulation) < 0.1) {
            CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            CHECK(totals.max_speed < fastest, "%d: speed %g, expected less than %g", kind, totals.max_speed, fastest);
        }
        size_t inside, beyond;
        CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
        CHECK(inside + beyond == 0, "%d: %zu inside, %zu beyond", kind, inside, beyond);
        const double gap = is_disc ? gap_of_disc(simulation, middle, 10.25 * d, d) : 0.5;
        CHECK(gap > 0.4 && gap < 0.6, "%d: a gap of %g spacings", kind, gap);
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(mesh);
    }
}

// The highest particle [m].
static double top_of(mote_simulation *simulation)
{
    double top = 0;
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    for (size_t i = 0; i < view.count; ++i) top = fmax(top, view.z[i]);
    return top;
}

// Water that ends at a gate, which stands higher than the water: no surface lies there, so that its upper edge stays
// level and it stays calm. Behind a gap there is one: it may fall, but nothing stands above the surface.
static void water_that_ends_at_a_gate_stays(void **state)
{
    (void)state;
    static const double gaps[] = {0, 0, 0, 0, -1, 1, 2};  // between the water and the gate, in spacings
    enum { A = MOTE_BOUNDARY_LAYERS, B = MOTE_BOUNDARY_SAMPLES, C = MOTE_BOUNDARY_FIELD };
    static const int32_t boundaries[] = {A, B, C, A, A, A, A};
    const double d = 0.05, depth = 30 * d, at = 29 * d;
    for (int k = 0; k < 7; ++k) {
        mote_simulation_def def = mote_simulation_default_def();
        def.fluid.dimensions = 2;
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, k == 3 ? MOTE_PRESET_FAST : MOTE_PRESET_ENGINEERING, NULL));
        def.fluid.spacing = d;
        def.has_tank = true;
        def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){60 * d, 0, 40 * d};
        mote_block_def block = mote_block_default_def();
        block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){at - gaps[k] * d, 0, depth};
        def.blocks = &block, def.block_count = 1;
        mote_solid_def solid = mote_solid_default_def();
        solid.name = "gate", solid.shape.kind = MOTE_SOLID_BOX;
        solid.boundary = boundaries[k];
        solid.shape.box = (mote_box){{at, 0, 0}, {at + 4 * d, 0, 40 * d}};
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 2, d, &mesh, NULL));
        solid.mesh = mesh, def.solids = &solid, def.solid_count = 1;
        mote_simulation *simulation;
        CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
        const double top = top_of(simulation);
        CHECK(top < depth - 0.4 * d, "%d: %g spacings above the surface", k, (top - depth) / d);
        const double fastest = 0.05 * mote_simulation_reference_speed(simulation);
        mote_fluid_totals totals = {0};
        while (gaps[k] <= 0 && mote_simulation_time(simulation) < 0.1) {
            CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            CHECK(totals.max_speed < fastest, "%d: speed %g, expected less than %g", k, totals.max_speed, fastest);
        }
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(mesh);
    }
}

// The same in 3D, where particles stand in the corner of the gate and a side of the tank, which goes on behind the
// water: none slides up the side.
static void water_that_ends_between_sides_stays(void **state)
{
    (void)state;
    static const int32_t boundaries[] = {MOTE_BOUNDARY_LAYERS, MOTE_BOUNDARY_SAMPLES, MOTE_BOUNDARY_FIELD,
                                         MOTE_BOUNDARY_PROXY};
    const double d = 0.05, depth = 6 * d;
    for (int k = 0; k < 16; ++k) {
        mote_simulation_def def = mote_simulation_default_def();
        const bool is_fast = k / 4 % 2, is_high = k / 8;
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, is_fast ? MOTE_PRESET_FAST : MOTE_PRESET_ENGINEERING, NULL));
        def.fluid.spacing = d;
        def.has_tank = true;
        def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){12 * d, 6 * d, 12 * d};
        mote_block_def block = mote_block_default_def();
        block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){6 * d, 6 * d, depth};
        def.blocks = &block, def.block_count = 1;
        mote_solid_def solid = mote_solid_default_def();
        solid.name = "gate", solid.shape.kind = MOTE_SOLID_BOX, solid.boundary = boundaries[k % 4];
        solid.shape.box = (mote_box){{6 * d, 0, 0}, {10 * d, 6 * d, is_high ? 12 * d : depth}};
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 3, d, &mesh, NULL));
        solid.mesh = mesh, def.solids = &solid, def.solid_count = 1;
        mote_simulation *simulation;
        CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
        const double top = top_of(simulation), fastest = 0.05 * mote_simulation_reference_speed(simulation);
        CHECK(top < depth - 0.2 * d, "%d: %g spacings above the surface", k, (top - depth) / d);
        mote_fluid_totals totals = {0};
        while (mote_simulation_time(simulation) < 0.1) {
            CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            CHECK(totals.max_speed < fastest, "%d: speed %g, expected less than %g", k, totals.max_speed, fastest);
        }
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(mesh);
    }
}

// Water that ends at a plate, or a quarter of a spacing before it; and half a spacing before a thick body.
static void water_that_ends_at_a_plate_stays(void **state)
{
    (void)state;
    static const double thicknesses[] = {0.2, 0.6, 0.9, 1.8, 4};  // in spacings
    const double d = 0.05, depth = 10 * d;
    for (int k = 0; k < 20; ++k) {
        mote_simulation_def def = mote_simulation_default_def();
        const double thickness = thicknesses[k % 5] * d, gap = k / 10 % 2 ? (thickness > 2 * d ? 0.5 : 0.25) * d : 0;
        const bool is_fast = k / 5 % 2;
        if (is_fast && thickness > 2 * d) continue;
        def.fluid.dimensions = 2;
        CHECK_OK(mote_fluid_choose_preset(&def.fluid, is_fast ? MOTE_PRESET_FAST : MOTE_PRESET_ENGINEERING, NULL));
        def.fluid.spacing = d;
        def.has_tank = true;
        def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){20 * d, 0, 15 * d};
        mote_block_def block = mote_block_default_def();
        block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){10 * d, 0, depth};
        def.blocks = &block, def.block_count = 1;
        mote_solid_def solid = mote_solid_default_def();
        solid.name = "plate", solid.shape.kind = MOTE_SOLID_BOX;
        solid.shape.box = (mote_box){{10 * d + gap, 0, -2 * d}, {10 * d + gap + thickness, 0, 17 * d}};
        mote_mesh *mesh;
        CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 2, d, &mesh, NULL));
        solid.mesh = mesh, def.solids = &solid, def.solid_count = 1;
        mote_simulation *simulation;
        CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
        const double fastest = 0.05 * mote_simulation_reference_speed(simulation);
        mote_fluid_totals totals = {0};
        while (mote_simulation_time(simulation) < 0.1) {
            CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
            CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
            CHECK(totals.max_speed < fastest, "%d: speed %g, expected less than %g", k, totals.max_speed, fastest);
        }
        mote_fluid_view view;
        double nearest = HUGE_VAL;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        for (size_t i = 0; i < view.count; ++i) nearest = fmin(nearest, 10 * d + gap - view.x[i]);
        const double least = thickness < 0.8 * d ? 0.44 : 0;  // others stop particles a quarter of a spacing off
        CHECK(nearest > least * d && nearest < 0.75 * d, "%d: the nearest particle is %g d off", k, nearest / d);
        mote_simulation_destroy(simulation);
        mote_mesh_destroy(mesh);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_fill_a_support),
        cmocka_unit_test(overlapping_bodies_push_once),
        cmocka_unit_test(moving_bodies_push_once),
        cmocka_unit_test(walls_added_later_count_in_full),
        cmocka_unit_test(still_water_lifts_a_body),
        cmocka_unit_test(nothing_enters),
        cmocka_unit_test(shapes_are_closed),
        cmocka_unit_test(bad_outlines_are_refused),
        cmocka_unit_test(flat_bodies_hold),
        cmocka_unit_test(water_fits_bodies),
        cmocka_unit_test(water_that_ends_at_a_gate_stays),
        cmocka_unit_test(water_that_ends_between_sides_stays),
        cmocka_unit_test(water_that_ends_at_a_plate_stays),
    };
    RUN_TESTS(tests, argc, argv);
}
