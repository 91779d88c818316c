// SPDX-License-Identifier: MIT
// A camera that the def leaves open: what it frames is in the picture, whatever falls, splashes or moves.

#include "base/tested.h"
#include "mote/render.h"
#include "mote/simulation.h"
#include "support/render.h"
#include "support/shapes.h"
#include "support/test.h"

static mote_render_def small_def(mote_box box)
{
    mote_render_def def = mote_render_default_def();
    def.width = 160, def.height = 90;
    def.box = box;
    return def;
}

static uint8_t *draw(mote_render *render, const mote_picture *picture)
{
    const mote_render_def def = mote_render_resolved_def(render);
    uint8_t *rgb = malloc((size_t)(3 * def.width * def.height));
    mote_error error = {0};
    CHECK(mote_render_frame(render, picture, rgb, &error) == MOTE_OK, "%s", error.text);
    return rgb;
}

// How far from the middle of the latest picture a point is seen: 1 is the nearest edge, or above that beyond it.
static double place_of(const mote_render *render, mote_vec3 p)
{
    const mote_render_def def = mote_render_resolved_def(render);
    const mote_vec3 to = mote_vec3_sub(def.eye, def.target), back = mote_vec3_unit(to);
    const mote_vec3 right = mote_vec3_unit(mote_vec3_cross(def.up, back)), up = mote_vec3_cross(back, right);
    const mote_vec3 d = mote_vec3_sub(p, def.eye);
    const bool flat = def.projection == MOTE_PROJECTION_ORTHOGRAPHIC;
    const double depth = flat ? mote_vec3_length(to) : -mote_vec3_dot(d, back);
    const double half_height = depth * tan(def.field_of_view * 3.14159265358979 / 360);
    const double half_width = half_height * def.width / def.height;
    if (!(depth > 0)) return HUGE_VAL;
    return MOTE_MAX(fabs(mote_vec3_dot(d, right)) / half_width, fabs(mote_vec3_dot(d, up)) / half_height);
}

static void check_box(const mote_render *render, mote_box box, const char *what)
{
    for (int k = 0; k < 8; ++k) {
        const mote_vec3 p = {k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                             k & 4 ? box.max.z : box.min.z};
        CHECK(place_of(render, p) < 0.97, "corner %d of %s is seen at %g", k, what, place_of(render, p));
    }
}

// ------------------------------------------------------------------------------------------------------ fluids

// Runs a block of water without a tank and draws it as mote run does; every particle of every frame is in the picture,
// with all of its sphere.
static void follow_water(int dimensions, mote_vec3 velocity, const mote_mesh *below)
{
    enum { FRAMES = 12 };
    mote_simulation_def def = mote_simulation_default_def();
    const mote_block_def block = {.min = {0, 0, 0}, .max = {0.4, 0.4, 0.3}, .velocity = velocity};
    mote_solid_def solid = {.name = "below", .mesh = below, .look = mote_look_default_def()};
    def.fluid.dimensions = dimensions;
    def.fluid.spacing = 0.05;
    def.phase.sound_speed = 40;  // it falls for a second
    def.blocks = &block, def.block_count = 1;
    def.solids = &solid, def.solid_count = below ? 1 : 0;
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_OK, "%s", error.text);

    mote_render_def shown = small_def((mote_box){block.min, block.max});
    shown.dimensions = dimensions;
    mote_render *render = make_render(NULL, &shown);
    if (below) CHECK_OK(mote_render_add_mesh(render, below, NULL, NULL, NULL));
    mote_box seen = below ? mote_box_union(shown.box, mote_mesh_box(below)) : shown.box;
    double drop = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        CHECK_OK(mote_simulation_run_until(simulation, 0.1 * frame, NULL, NULL, &error));
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, &error));
        double *xyz = malloc(3 * view.count * sizeof *xyz);
        for (size_t i = 0; i < view.count; ++i)
            xyz[3 * i] = view.x[i], xyz[3 * i + 1] = view.y[i], xyz[3 * i + 2] = view.z[i];
        mote_layer layer = mote_layer_default();
        mote_picture picture = mote_picture_default();
        picture.layers = &layer, picture.layer_count = 1;
        layer.points = mote_points_xyz_f64(xyz, view.count);
        layer.radius = 0.025;
        picture.box = seen = mote_render_widen(seen, &picture);
        free(draw(render, &picture));
        for (size_t i = 0; i < view.count; ++i) {
            const mote_vec3 p = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
            const mote_vec3 edge[] = {{p.x, p.y, p.z - 0.025}, {p.x, p.y, p.z + 0.025}, {p.x - 0.025, p.y, p.z},
                                      {p.x + 0.025, p.y, p.z}};
            for (int k = 0; k < 4; ++k)
                CHECK(place_of(render, edge[k]) < 1, "frame %d: particle %zu is seen at %g", frame, i,
                      place_of(render, edge[k]));
            drop = MOTE_MIN(drop, p.z);
        }
        if (below) check_box(render, mote_mesh_box(below), "the solid");
        free(xyz);
    }
    CHECK(drop < -1, "the water has fallen to %g only", drop);
    mote_render_destroy(render);
    mote_simulation_destroy(simulation);
}

static void falling_water_stays_in_the_picture(void **state)
{
    (void)state;
    if (!SANITIZED) follow_water(3, (mote_vec3){0, 0, 0}, NULL);
    follow_water(3, (mote_vec3){4, -2, 3}, NULL);
}

static void so_it_does_in_two_dimensions(void **state)
{
    (void)state;
    follow_water(2, (mote_vec3){-3, 0, 1}, NULL);
}

static void splashing_water_stays_in_the_picture(void **state)
{
    (void)state;
    mote_mesh *ball = shape_sphere(NULL, 2);
    mote_mesh_place(ball, &(mote_placement){0.2, {0, 0, 0}, {0.25, 0.2, -0.6}});
    follow_water(3, (mote_vec3){0, 0, -1}, ball);
    mote_mesh_destroy(ball);
}

// -------------------------------------------------------------------------------------------------------- texts

// Title, time and label end above the upper side of a tank that is as high as the picture has room for.
static void texts_do_not_touch_the_box(void **state)
{
    (void)state;
    enum { WIDTH = 640, HEIGHT = 360 };
    mote_render_def def = mote_render_default_def();
    def.width = WIDTH, def.height = HEIGHT;
    def.dimensions = 2;
    def.box = (mote_box){{0, 0, 0}, {3, 0, 1.5}};
    def.title = "A title with g and y";
    uint8_t *rgb[2];
    double top = 0;
    for (int k = 0; k < 2; ++k) {
        mote_render *render = make_render(NULL, &def);
        if (k == 0 && !mote_render_has_text(render)) {
            mote_render_destroy(render);
            skip();
        }
        mote_picture picture = mote_picture_default();
        picture.time = 1, picture.label = "a label with g and y";
        rgb[k] = malloc((size_t)(3 * WIDTH * HEIGHT));
        CHECK_OK(mote_render_frame(render, &picture, rgb[k], NULL));
        top = (1 - place_of(render, (mote_vec3){1.5, 0, 1.5})) / 2 * HEIGHT;
        const mote_render_def resolved = mote_render_resolved_def(render);
        def.eye = resolved.eye, def.target = resolved.target, def.text = false;  // the same picture without texts
        mote_render_destroy(render);
    }
    int last = 0;
    for (int row = 0; row < HEIGHT; ++row)
        if (memcmp(rgb[0] + 3 * WIDTH * row, rgb[1] + 3 * WIDTH * row, 3 * WIDTH) != 0) last = row;
    CHECK(last > 0 && last + 2 < top, "texts end in row %d, the box begins in row %.1f", last, top);
    free(rgb[0]), free(rgb[1]);
}

// ------------------------------------------------------------------------------------------------------- solids

static void moving_meshes_stay_in_the_picture(void **state)
{
    (void)state;
    mote_mesh *cube = shape_cube(NULL, 1);
    mote_render_def def = small_def(mote_mesh_box(cube));
    mote_render *render = make_render(NULL, &def);
    uint32_t index;
    CHECK_OK(mote_render_add_mesh(render, cube, NULL, &index, NULL));
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    picture.box = mote_mesh_box(cube);
    for (int frame = 0; frame < 12; ++frame) {
        mote_mesh_place(cube, &(mote_placement){1, {5, 0, 9}, {0.7, -0.4, frame < 6 ? 0.8 : -1.5}});
        CHECK_OK(mote_render_update_mesh(render, index, cube, NULL));
        picture.box = mote_box_union(picture.box, mote_mesh_box(cube));
        free(draw(render, &picture));
        check_box(render, mote_mesh_box(cube), "the cube");
        check_box(render, def.box, "its start");
    }
    mote_mesh_destroy(cube);
    mote_render_destroy(render);
}

// ------------------------------------------------------------------------------------------- nothing else counts

static bool same_camera(const mote_render_def *a, const mote_render_def *b)
{
    return memcmp(&a->eye, &b->eye, sizeof a->eye) == 0 && memcmp(&a->target, &b->target, sizeof a->target) == 0;
}

// What is framed already moves nothing, nor do points that are nowhere; where the camera was before leaves no trace.
static void only_what_is_beyond_moves_the_camera(void **state)
{
    (void)state;
    const mote_box tank = {{0, 0, 0}, {2, 1, 1}};
    const double inside[] = {0, 0, 0, 2, 1, 1, NAN, 0, 9, 1e300, 0, 0}, beyond[] = {1, 0.5, 3};
    mote_render_def def = small_def(tank);
    mote_render *render = make_render(NULL, &def);
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    layer.radius = 0.1;
    layer.points = mote_points_xyz_f64(inside, 4);
    uint8_t *plain = draw(render, &picture);
    const mote_render_def start = mote_render_resolved_def(render);
    picture.box = mote_render_widen(picture.box, &picture);
    CHECK(picture.box.min.x == 0 && picture.box.max.x == 2 && picture.box.max.z == 1, "what is nowhere widens the box");
    uint8_t *same = draw(render, &picture);
    const mote_render_def then = mote_render_resolved_def(render);
    CHECK(same_camera(&start, &then) && memcmp(plain, same, 3 * 160 * 90) == 0, "the camera moved for nothing");

    mote_layer beyond_layer = layer;
    beyond_layer.points = mote_points_xyz_f64(beyond, 1);
    mote_picture far = picture;
    far.layers = &beyond_layer;
    far.box = mote_render_widen(picture.box, &far);
    uint8_t *widened = draw(render, &far);
    const mote_render_def wide = mote_render_resolved_def(render);
    CHECK(!same_camera(&start, &wide), "the camera did not move");
    uint8_t *back = draw(render, &picture);
    CHECK(memcmp(plain, back, 3 * 160 * 90) == 0, "an earlier picture left a trace");
    mote_render *other = make_render(NULL, &def);
    uint8_t *alone = draw(other, &far);
    CHECK(memcmp(widened, alone, 3 * 160 * 90) == 0, "an earlier picture counts");
    free(plain), free(same), free(widened), free(back), free(alone);
    mote_render_destroy(render), mote_render_destroy(other);
}

// A little beyond moves it a little.
static void the_camera_does_not_jump(void **state)
{
    (void)state;
    mote_render_def def = small_def((mote_box){{0, 0, 0}, {2, 1, 1}});
    mote_render *render = make_render(NULL, &def);
    mote_vec3 last = mote_render_resolved_def(render).eye;
    for (int i = 0; i <= 100; ++i) {
        mote_layer layer = mote_layer_default();
        mote_picture picture = mote_picture_default();
        picture.layers = &layer, picture.layer_count = 1;
        layer.radius = 0.2;
        picture.box = (mote_box){{1, 0.5, 0.5}, {1, 0.5, 0.995 + 0.005 * i}};
        const float middle[] = {1, 0.5f, 0.5f};
        layer.points = mote_points_xyz(middle, 1);
        free(draw(render, &picture));
        const mote_vec3 eye = mote_render_resolved_def(render).eye;
        const double step = mote_vec3_length(mote_vec3_sub(eye, last));
        CHECK(step < 0.06, "the eye moves by %g at step %d", step, i);
        last = eye;
    }
    mote_render_destroy(render);
}

static void a_camera_of_ones_own_stays(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mote_render_def def = small_def((mote_box){{0, 0, 0}, {2, 1, 1}});
        if (k == 0) def.eye = (mote_vec3){1, -5, 2};
        else def.target = (mote_vec3){1, 0, 0};
        mote_render *render = make_render(NULL, &def);
        const mote_render_def start = mote_render_resolved_def(render);
        const float xyz[] = {1, 0.5f, -20};
        mote_layer layer = mote_layer_default();
        mote_picture picture = mote_picture_default();
        picture.layers = &layer, picture.layer_count = 1;
        layer.points = mote_points_xyz(xyz, 1);
        layer.radius = 0.1;
        uint8_t *plain = draw(render, &picture);
        picture.box = mote_render_widen(picture.box, &picture);
        uint8_t *rgb = draw(render, &picture);
        const mote_render_def then = mote_render_resolved_def(render);
        CHECK(same_camera(&start, &then), "the camera moved, case %d", k);
        CHECK(memcmp(plain, rgb, 3 * 160 * 90) == 0, "the picture changed, case %d", k);
        free(plain), free(rgb);
        mote_render_destroy(render);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_water_stays_in_the_picture),
        cmocka_unit_test(so_it_does_in_two_dimensions),
        cmocka_unit_test(splashing_water_stays_in_the_picture),
        cmocka_unit_test(texts_do_not_touch_the_box),
        cmocka_unit_test(moving_meshes_stay_in_the_picture),
        cmocka_unit_test(only_what_is_beyond_moves_the_camera),
        cmocka_unit_test(the_camera_does_not_jump),
        cmocka_unit_test(a_camera_of_ones_own_stays),
    };
    RUN_TESTS(tests, argc, argv);
}
