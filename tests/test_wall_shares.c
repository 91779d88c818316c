// SPDX-License-Identifier: MIT
// How much of a wall particle counts where solids overlap of which one moves (simulation/solid_overlaps.c,
// fluid/boundary_motion.c), against distances from boxes in closed form: of samples and layers in motion, of what a
// field that moves covers, of a tank's sides too, in 2D and 3D, across a periodic face; with the same bits on any
// number of threads and from a state on.

#include "fluid/tested.h"
#include "mote/simulation.h"
#include "simulation/tested.h"
#include "support/shapes.h"
#include "support/simulation.h"
#include "support/test.h"

static const double spacing = 0.05, length = 1.2, deep = 0.4;

// A floor at rest and a body that moves along x and overlaps it, in a tank or, periodic along x, without one.
typedef struct scene {
    int dimensions;
    bool is_periodic;
    int32_t floor_kind, body_kind;
    const char *shift;
    mote_box floor, body;  // where they are at the time 0
    mote_mesh *meshes[2];
    mote_simulation *simulation;
} scene;

static mote_mesh *box_mesh(mote_box box)
{
    mote_mesh *mesh = shape_cube(NULL, 1);
    for (size_t k = 0; k < mesh->vertex_count; ++k) {
        mote_vec3 *v = &mesh->vertices[k];
        *v = (mote_vec3){v->x > 0 ? box.max.x : box.min.x, v->y > 0 ? box.max.y : box.min.y,
                         v->z > 0 ? box.max.z : box.min.z};
    }
    return mesh;
}

static mote_box box_of(const scene *of, double left, double low, double right, double high)
{
    const double side = 0.5 * spacing;  // of a prism in 2D
    return of->dimensions == 2 ? (mote_box){{left, -side, low}, {right, side, high}}
                               : (mote_box){{left, -0.2, low}, {right, deep + 0.2, high}};
}

static void open_scene(mote_context *context, scene *of)
{
    mote_simulation_def def = mote_simulation_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.spacing = spacing, def.fluid.dimensions = of->dimensions;
    def.has_tank = def.tank.open_z_max = !of->is_periodic;
    const double y = of->dimensions == 3 ? deep : 0;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){length, y, 1.2};
    def.has_periodic = def.periodic.x = of->is_periodic;
    def.periodic.min = (mote_vec3){0, 0, 0}, def.periodic.max = (mote_vec3){length, y, 1.2};
    if (of->is_periodic) def.fluid.gravity.z = 0, def.phase.sound_speed = 20;
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){of->is_periodic ? 0.3 : 0, 0, of->is_periodic ? 0.45 : 0};
    block.max = (mote_vec3){of->is_periodic ? 0.8 : length, y, of->is_periodic ? 0.65 : 0.4};
    def.blocks = &block, def.block_count = 1;
    of->floor = of->is_periodic ? box_of(of, -0.25, 0, 0.25, 0.4) : box_of(of, -0.3, -0.3, length + 0.3, 0.21);
    of->body = of->is_periodic ? box_of(of, 0.82, 0.1, 1.12, 0.3) : box_of(of, 0.79, -0.13, length + 0.3, 0.8);
    mote_solid_def solids[2] = {mote_solid_default_def(), mote_solid_default_def()};
    for (int k = 0; k < 2; ++k) {
        of->meshes[k] = box_mesh(k ? of->body : of->floor);
        solids[k].name = k ? "body" : "floor", solids[k].mesh = of->meshes[k];
        solids[k].boundary = k ? of->body_kind : of->floor_kind;
    }
    solids[1].motion.shift_text[0] = of->shift;
    def.solids = solids, def.solid_count = 2;
    of->simulation = make_simulation(context, &def);
}

static void close_scene(scene *of)
{
    mote_simulation_destroy(of->simulation);
    for (int k = 0; k < 2; ++k) mote_mesh_destroy(of->meshes[k]);
}

// ----------------------------------------------------------------------------------------------------- the oracle

// The distance of a place from a box, below 0 inside.
static double distance_of_box(const scene *of, mote_box box, mote_vec3 p)
{
    const double low[3] = {box.min.x - p.x, box.min.y - p.y, box.min.z - p.z};
    const double high[3] = {p.x - box.max.x, p.y - box.max.y, p.z - box.max.z};
    double squares = 0, nearest = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        if (of->dimensions == 2 && k == 1) continue;
        const double beyond = fmax(low[k], high[k]);
        nearest = fmax(nearest, beyond);
        squares += beyond > 0 ? beyond * beyond : 0;
    }
    return nearest > 0 ? sqrt(squares) : nearest;
}

// That of a box or, in a periodic one, of the nearest of its images.
static double distance_of_images(const scene *of, mote_box box, double shift, mote_vec3 p)
{
    double nearest = HUGE_VAL;
    for (int image = of->is_periodic ? -2 : 0; image <= (of->is_periodic ? 2 : 0); ++image) {
        const mote_vec3 at = {p.x - shift + image * length, p.y, p.z};
        nearest = fmin(nearest, distance_of_box(of, box, at));
    }
    return nearest;
}

static double beyond_tank(const scene *of, mote_vec3 p)
{
    double most = fmax(fmax(-p.x, p.x - length), -p.z);
    if (of->dimensions == 3) most = fmax(most, fmax(-p.y, p.y - deep));
    return most;
}

typedef enum wall_owner { OF_TANK, OF_FLOOR, OF_BODY, OWNERS } wall_owner;

static wall_owner owner_of(const scene *of, uint32_t boundary)
{
    const mote_simulation *simulation = of->simulation;
    wall_owner found = OF_TANK, next = OF_FLOOR;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        if (simulation->objects[k].kind != &mote_kind_solid) continue;
        if (simulation->objects[k].boundary == boundary) found = next;
        next = OF_BODY;
    }
    return found;
}

// How much of a wall particle is to count.
static double share_wanted(const scene *of, wall_owner owner, double shift, mote_vec3 p)
{
    const bool is_moving_field = of->body_kind == MOTE_BOUNDARY_FIELD && of->floor_kind != MOTE_BOUNDARY_FIELD;
    double nearest = HUGE_VAL;
    if (owner == OF_BODY) nearest = distance_of_images(of, of->floor, 0, p);
    else if (is_moving_field) nearest = distance_of_images(of, of->body, shift, p);
    if (!of->is_periodic && (owner == OF_BODY || (owner == OF_FLOOR && is_moving_field)))
        nearest = fmin(nearest, -beyond_tank(of, p));
    return fmin(fmax(0.5 + nearest / spacing, 0), 1);
}

// Checks the volumes of all walls. Counts those of each owner that do not count, and those that count in part.
static void check_volumes(const scene *of, double shift, size_t none[OWNERS], size_t part[OWNERS])
{
    const mote_fluid *fluid = mote_simulation_fluid(of->simulation);
    const double *at, *volumes, *full = fluid->wall_full_volumes.data;
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    size_t count;
    mote_fluid_get_walls(fluid, &at, &volumes, &count);
    assert_int_equal(count, fluid->shared_count);
    for (int k = 0; k < OWNERS; ++k) none[k] = part[k] = 0;
    for (size_t i = 0; i < count; ++i) {
        const wall_owner owner = owner_of(of, boundaries[i]);
        const double share = share_wanted(of, owner, shift, mote_vec3_make(at[3 * i], at[3 * i + 1], at[3 * i + 2]));
        CHECK(full[i] > 0 && fabs(volumes[i] - full[i] * share) < 1e-6 * full[i],
              "wall particle %zu of %d at (%g, %g, %g) has %g of its volume, expected %g", i, owner, at[3 * i],
              at[3 * i + 1], at[3 * i + 2], volumes[i] / full[i], share);
        none[owner] += share == 0, part[owner] += share > 0 && share < 1;
    }
}

// Looks at the start and twice on the way.
static void check_scene(scene *of, size_t none[OWNERS], size_t part[OWNERS])
{
    open_scene(NULL, of);
    for (int look = 0; look < 3; ++look) {
        CHECK_OK(mote_simulation_run_until(of->simulation, 0.03 * look, NULL, NULL, NULL));
        const double t = mote_simulation_time(of->simulation);
        check_volumes(of, (of->is_periodic ? 20 : -20) * t * t, none, part);
    }
    close_scene(of);
}

// ---------------------------------------------------------------------------------------------------------- tests

// What is in the floor, or beyond the tank, does not count; in 2D and 3D.
static void bodies_that_move_give_way(void **state)
{
    (void)state;
    static const int32_t kinds[] = {MOTE_BOUNDARY_LAYERS, MOTE_BOUNDARY_SAMPLES, MOTE_BOUNDARY_FIELD};
    for (int k = 0; k < 12; ++k) {
        scene of = {.dimensions = k < 6 ? 2 : 3, .floor_kind = kinds[k % 3], .body_kind = kinds[k / 3 % 2],
                    .shift = "-20*t*t"};
        size_t none[OWNERS], part[OWNERS];
        check_scene(&of, none, part);
        CHECK(none[OF_BODY] > 5 && part[OF_BODY] > 1, "%d: %zu of the body's do not count, %zu in part", k,
              none[OF_BODY], part[OF_BODY]);
    }
}

// So does a field that moves where there is another field: it is made of layers.
static void fields_that_move_into_fields_give_way(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        scene of = {.dimensions = k == 1 ? 3 : 2, .is_periodic = k == 2, .floor_kind = MOTE_BOUNDARY_FIELD,
                    .body_kind = MOTE_BOUNDARY_FIELD, .shift = k == 2 ? "20*t*t" : "-20*t*t"};
        size_t none[OWNERS], part[OWNERS];
        check_scene(&of, none, part);
        CHECK(none[OF_BODY] > 5 && part[OF_BODY] > 0, "%d: %zu of the body's do not count, %zu in part", k,
              none[OF_BODY], part[OF_BODY]);
    }
}

// Two fields, which are boxes in 2D: each is where its corners are, or shifts along x, or turns about its center.
typedef struct two_fields {
    const char *name;
    double corners[2][4];  // left, low, right, high
    const char *shifts[2], *turns[2];
    bool is_periodic, has_layers[2];
} two_fields;

static void check_kinds(const two_fields *of)
{
    mote_simulation_def def = mote_simulation_default_def();
    mote_solid_def solids[2];
    mote_mesh *meshes[2];
    CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.spacing = spacing, def.fluid.dimensions = 2, def.phase.sound_speed = 20;
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){length, 0, 0.2};
    def.blocks = &block, def.block_count = 1;
    def.has_periodic = def.periodic.x = of->is_periodic;
    def.periodic.min = (mote_vec3){0, 0, 0}, def.periodic.max = (mote_vec3){length, 0, 1};
    for (int k = 0; k < 2; ++k) {
        const double *at = of->corners[k];
        const mote_box box = {{at[0], -spacing / 2, at[1]}, {at[2], spacing / 2, at[3]}};
        meshes[k] = box_mesh(box);
        solids[k] = mote_solid_default_def();
        solids[k].name = k ? "second" : "first", solids[k].mesh = meshes[k];
        solids[k].boundary = MOTE_BOUNDARY_FIELD;
        solids[k].motion.shift_text[0] = of->shifts[k], solids[k].motion.turn_text = of->turns[k];
        solids[k].motion.axis = (mote_vec3){0, 1, 0};
        solids[k].motion.center = mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5);
    }
    def.solids = solids, def.solid_count = 2;
    mote_simulation *simulation = make_simulation(NULL, &def);
    for (size_t k = 0, number = 0; k < mote_simulation_object_count(simulation); ++k) {
        mote_object_view view;
        CHECK_OK(mote_simulation_get_object(simulation, k, &view, NULL));
        if (strcmp(view.kind, "solid") != 0) continue;
        const bool has_layers = strcmp(view.boundary, "layers") == 0;
        CHECK(has_layers == of->has_layers[number] && has_layers == (view.remark != NULL),
              "%s: the %s has %s, and it says %s", of->name, view.name, view.boundary,
              view.remark ? view.remark : "nothing");
        char told[96];
        snprintf(told, sizeof told, "solids[%zu] (%s) has layers: it may move into solids[%zu] (%s)", number,
                 number ? "second" : "first", 1 - number, number ? "first" : "second");
        CHECK(!has_layers || strstr(view.remark, told), "%s: it says %s", of->name, view.remark);
        ++number;
    }
    mote_simulation_destroy(simulation);
    for (int k = 0; k < 2; ++k) mote_mesh_destroy(meshes[k]);
}

// Only where they may come to overlap.
static void only_fields_that_may_overlap_have_layers(void **state)
{
    (void)state;
    static const two_fields all[] = {
        {"at rest", {{0, 0.3, 1, 0.6}, {0.4, 0.4, 0.8, 0.8}}, {NULL}, {NULL}, false, {false, false}},
        {"one shifts", {{0, 0.3, 1, 0.6}, {0.4, 0.4, 0.8, 0.8}}, {NULL, "t"}, {NULL}, false, {false, true}},
        {"the first one shifts", {{0, 0.3, 1, 0.6}, {0.4, 0.4, 0.8, 0.8}}, {"t"}, {NULL}, false, {true, false}},
        {"both shift", {{0, 0.3, 1, 0.6}, {0.4, 0.4, 0.8, 0.8}}, {"t", "-t"}, {NULL}, false, {false, true}},
        {"it comes later", {{0, 0.3, 0.4, 0.6}, {0.8, 0.4, 1, 0.8}}, {NULL, "-t"}, {NULL}, false, {false, true}},
        {"above", {{0, 0.3, 1, 0.6}, {0.4, 0.6, 0.8, 0.8}}, {NULL, "t"}, {NULL}, false, {false, false}},
        {"turns into it", {{0, 0.3, 1, 0.6}, {0.4, 0.65, 0.8, 0.8}}, {NULL}, {NULL, "9*t"}, false, {false, true}},
        {"turns above it", {{0, 0.3, 1, 0.4}, {0.4, 0.65, 0.8, 0.8}}, {NULL}, {NULL, "9*t"}, false, {false, false}},
        {"is turned into", {{0.4, 0.65, 0.8, 0.8}, {0, 0.3, 1, 0.6}}, {NULL}, {"9*t", NULL}, false, {true, false}},
        {"across a face", {{0.1, 0.3, 0.3, 0.6}, {1.1, 0.4, 1.4, 0.8}}, {NULL, "0*t"}, {NULL}, true, {false, true}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) check_kinds(&all[k]);
}

// Walls of a floor and of a tank's sides give way to a field that moves.
static void sides_give_way_to_fields(void **state)
{
    (void)state;
    for (int k = 0; k < (SEEKS_RACES ? 2 : 4); ++k) {
        scene of = {.dimensions = k < 2 ? 2 : 3, .body_kind = MOTE_BOUNDARY_FIELD, .shift = "-20*t*t",
                    .floor_kind = k % 2 ? MOTE_BOUNDARY_SAMPLES : MOTE_BOUNDARY_LAYERS};
        size_t none[OWNERS], part[OWNERS];
        check_scene(&of, none, part);
        CHECK(none[OF_FLOOR] > 2 && part[OF_FLOOR] > 0, "%d: %zu of the floor's do not count, %zu in part", k,
              none[OF_FLOOR], part[OF_FLOOR]);
        CHECK(none[OF_TANK] > 5 && part[OF_TANK] > 0, "%d: %zu of the tank's do not count, %zu in part", k,
              none[OF_TANK], part[OF_TANK]);
    }
}

// A body that goes on into what lies across a periodic face leaves that to it.
static void images_count(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        scene of = {.dimensions = 2, .is_periodic = true, .shift = "20*t*t",
                    .floor_kind = k % 2 ? MOTE_BOUNDARY_SAMPLES : MOTE_BOUNDARY_LAYERS,
                    .body_kind = k / 2 ? MOTE_BOUNDARY_SAMPLES : MOTE_BOUNDARY_LAYERS};
        size_t none[OWNERS], part[OWNERS];
        check_scene(&of, none, part);
        CHECK(none[OF_BODY] > 5 && part[OF_BODY] > 0, "%d: %zu of the body's do not count, %zu in part", k,
              none[OF_BODY], part[OF_BODY]);
    }
}

typedef struct bytes {
    unsigned char *data;
    size_t length;
} bytes;

static bool append(void *to, const void *from, size_t count)
{
    bytes *all = to;
    all->data = realloc(all->data, all->length + count);
    if (!all->data) return false;
    memcpy(all->data + all->length, from, count);
    all->length += count;
    return true;
}

// Walls and particles of two simulations have the same bits.
static void check_same(const scene *a, const scene *b, const char *what)
{
    const scene *both[2] = {a, b};
    bytes states[2] = {{NULL, 0}, {NULL, 0}};
    const double *volumes[2];
    size_t counts[2], none[OWNERS], part[OWNERS];
    for (int k = 0; k < 2; ++k) {
        const double t = mote_simulation_time(both[k]->simulation);
        check_volumes(both[k], -20 * t * t, none, part);
        CHECK(none[OF_BODY] > 5 && part[OF_BODY] > 0, "%s: all walls count", what);
        mote_fluid_get_walls(mote_simulation_fluid(both[k]->simulation), NULL, &volumes[k], &counts[k]);
        CHECK_OK(mote_simulation_write(both[k]->simulation, append, &states[k], NULL));
    }
    CHECK(counts[0] == counts[1] && memcmp(volumes[0], volumes[1], counts[0] * sizeof(double)) == 0,
          "%s: volumes differ", what);
    CHECK(states[0].length == states[1].length && memcmp(states[0].data, states[1].data, states[0].length) == 0,
          "%s: states differ", what);
    free(states[0].data), free(states[1].data);
}

static void threads_and_states_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mote_context *contexts[2] = {test_context_with_threads(1), test_context_with_threads(3)};
        scene scenes[3];
        bytes middle = {NULL, 0};
        for (int n = 0; n < 3; ++n) {
            scenes[n] = (scene){.dimensions = 2, .shift = "-20*t*t", .floor_kind = MOTE_BOUNDARY_LAYERS,
                                .body_kind = k ? MOTE_BOUNDARY_LAYERS : MOTE_BOUNDARY_SAMPLES};
            open_scene(contexts[n % 2], &scenes[n]);
        }
        for (int n = 0; n < 2; ++n) CHECK_OK(mote_simulation_run_until(scenes[n].simulation, 0.04, NULL, NULL, NULL));
        check_same(&scenes[0], &scenes[1], "threads");
        CHECK_OK(mote_simulation_write(scenes[0].simulation, append, &middle, NULL));
        CHECK_OK(mote_simulation_read(scenes[2].simulation, middle.data, middle.length, NULL));
        check_same(&scenes[0], &scenes[2], "a state");
        for (int n = 0; n < 3; ++n) CHECK_OK(mote_simulation_run_until(scenes[n].simulation, 0.08, NULL, NULL, NULL));
        check_same(&scenes[0], &scenes[1], "threads, later");
        check_same(&scenes[0], &scenes[2], "from a state on");
        free(middle.data);
        for (int n = 0; n < 3; ++n) close_scene(&scenes[n]);
        for (int n = 0; n < 2; ++n) mote_context_destroy(contexts[n]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_move_give_way),
        cmocka_unit_test(fields_that_move_into_fields_give_way),
        cmocka_unit_test(only_fields_that_may_overlap_have_layers),
        cmocka_unit_test(sides_give_way_to_fields),
        cmocka_unit_test(images_count),
        cmocka_unit_test(threads_and_states_give_the_same_bits),
    };
    RUN_TESTS(tests, argc, argv);
}
