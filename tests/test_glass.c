// SPDX-License-Identifier: MIT
// How solids look: sharp edges, colours, glass that shows what is in it, and what is not drawn at all.

#include "base/tested.h"
#include "mote/render.h"
#include "support/render.h"
#include "support/shapes.h"
#include "support/test.h"

enum { WIDTH = 200, HEIGHT = 150, BYTES = 3 * WIDTH * HEIGHT };

static const mote_vec3 green = {0.2, 0.8, 0.3}, red = {0.9, 0.2, 0.2};

// Without perspective, straight from the front: 2.4 metres high.
static mote_render_def front_def(void)
{
    mote_render_def def = mote_render_default_def();
    def.width = WIDTH, def.height = HEIGHT;
    def.floor = def.shadows = def.tank = def.text = false;
    def.box = (mote_box){{-1, -1, -1}, {1, 1, 1}};
    def.projection = MOTE_PROJECTION_ORTHOGRAPHIC;
    def.eye = (mote_vec3){0, -5, 0};
    def.target = (mote_vec3){0, 0, 0};
    def.field_of_view = 2 * atan(1.2 / 5) * 180 / 3.14159265358979;
    def.speed_max = 1;
    return def;
}

static mote_look_def look_of(mote_vec3 color, double opacity)
{
    mote_look_def look = mote_look_default_def();
    look.color = color;
    look.opacity = opacity;
    return look;
}

static void add(mote_render *render, const mote_mesh *mesh, mote_look_def look)
{
    mote_error error = {0};
    CHECK(mote_render_add_mesh(render, mesh, &look, NULL, &error) == MOTE_OK, "%s", error.text);
}

// A picture with one sphere at (0, y, 0), or none where y is NaN.
static uint8_t *draw(mote_render *render, double y)
{
    const double xyz[] = {0, y, 0};
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    layer.points = mote_points_xyz_f64(xyz, isnan(y) ? 0u : 1u);
    layer.radius = 0.3;
    uint8_t *rgb = malloc(BYTES);
    mote_error error = {0};
    CHECK(mote_render_frame(render, &picture, rgb, &error) == MOTE_OK, "%s", error.text);
    return rgb;
}

static const uint8_t *pixel(const uint8_t *rgb, double x, double z)
{
    const double scale = HEIGHT / 2.4;
    return rgb + 3 * ((size_t)(HEIGHT / 2.0 - z * scale) * WIDTH + (size_t)(WIDTH / 2.0 + x * scale));
}

static double difference(const uint8_t *a, const uint8_t *b)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += fabs((double)a[k] - (double)b[k]);
    return sum;
}

// A cube around (0, y, 0) with edges of that size, turned about z.
static mote_mesh *make_cube(double y, double size, double turn)
{
    mote_mesh *cube = shape_cube(NULL, 1);
    mote_mesh_place(cube, &(mote_placement){size, {0, 0, 0}, {-size / 2, -size / 2, -size / 2}});
    mote_mesh_place(cube, &(mote_placement){1, {0, 0, turn}, {0, y, 0}});
    return cube;
}

// A plate in the plane y = 0, seen from its front or its back.
static mote_mesh *make_plate(bool from_behind)
{
    const mote_vec3 vertices[] = {{-0.8, 0, -0.8}, {0.8, 0, -0.8}, {-0.8, 0, 0.8}, {0.8, 0, 0.8}};
    const uint32_t front[] = {0, 1, 2, 2, 1, 3}, back[] = {0, 2, 1, 2, 3, 1};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 4, from_behind ? back : front, 2, &mesh, NULL));
    return mesh;
}

// ------------------------------------------------------------------------------------------------------- edges

// Two faces of a cube on edge: each of one colour up to the edge between them, and unlike the other. As a soup of
// triangles it looks the same.
static void faces_of_a_cube_are_flat(void **state)
{
    (void)state;
    mote_render_def def = front_def();
    mote_mesh *cube = make_cube(0, 1.2, 30), *soup;
    mote_vec3 vertices[36];
    uint32_t numbers[36];
    for (uint32_t c = 0; c < 36; ++c) vertices[c] = cube->vertices[cube->triangles[c]], numbers[c] = c;
    CHECK_OK(mote_mesh_create(NULL, vertices, 36, numbers, 12, &soup, NULL));
    mote_render *render = make_render(NULL, &def), *other = make_render(NULL, &def);
    add(render, cube, look_of(green, 1));
    add(other, soup, look_of(green, 1));
    uint8_t *rgb = draw(render, NAN), *of_soup = draw(other, NAN);
    CHECK(memcmp(rgb, of_soup, BYTES) == 0, "a soup of the same triangles looks different");
    // Seen from the front the edges stand at x = -0.82, -0.22 and 0.82.
    for (int face = 0; face < 2; ++face)
        for (int i = 0; i < 20; ++i) {
            const double x = face ? -0.1 + 0.8 * i / 19 : -0.75 + 0.4 * i / 19, z = -0.5 + 0.05 * i;
            const double off = difference(pixel(rgb, x, z), pixel(rgb, face ? 0.2 : -0.5, 0));
            CHECK(off <= 9, "face %d changes by %g at %g, %g", face, off, x, z);
        }
    CHECK(difference(pixel(rgb, 0.2, 0), pixel(rgb, -0.5, 0)) > 40, "the faces look alike");
    free(rgb), free(of_soup);
    mote_mesh_destroy(cube), mote_mesh_destroy(soup);
    mote_render_destroy(render), mote_render_destroy(other);
}

static void crease_angles_can_be_set(void **state)
{
    (void)state;
    mote_render_def def = front_def();
    mote_mesh *cube = make_cube(0, 1.2, 30);
    mote_render *render = make_render(NULL, &def);
    mote_look_def look = look_of(green, 1);
    look.crease_angle = 180;
    add(render, cube, look);
    uint8_t *rgb = draw(render, NAN);
    CHECK(difference(pixel(rgb, 0.2, 0.5), pixel(rgb, 0.2, -0.5)) > 30, "a smooth cube is flat");
    free(rgb);
    mote_mesh_destroy(cube);
    mote_render_destroy(render);
}

static void both_sides_are_lit(void **state)
{
    (void)state;
    mote_render_def def = front_def();
    for (int glass = 0; glass < 2; ++glass) {
        uint8_t *rgb[2];
        for (int behind = 0; behind < 2; ++behind) {
            mote_mesh *plate = make_plate(behind);
            mote_render *render = make_render(NULL, &def);
            add(render, plate, look_of(green, glass ? 0.5 : 1));
            rgb[behind] = draw(render, NAN);
            mote_mesh_destroy(plate);
            mote_render_destroy(render);
        }
        CHECK(memcmp(rgb[0], rgb[1], BYTES) == 0, "a plate looks different from behind, glass %d", glass);
        free(rgb[0]), free(rgb[1]);
    }
}

// ------------------------------------------------------------------------------------------------------- glass

// The colours at the middle of a cube of that opacity, with a sphere in it, before it or behind it, or none.
static void look_into_cube(double opacity, double sphere, uint8_t middle[3])
{
    mote_render_def def = front_def();
    mote_mesh *cube = make_cube(0, 1.2, 0);
    mote_render *render = make_render(NULL, &def);
    add(render, cube, look_of(green, opacity));
    uint8_t *rgb = draw(render, sphere), *again = draw(render, sphere);
    CHECK(memcmp(rgb, again, BYTES) == 0, "drawing it again changes the picture");
    memcpy(middle, pixel(rgb, 0, 0), 3);
    free(rgb), free(again);
    mote_mesh_destroy(cube);
    mote_render_destroy(render);
}

static void what_is_inside_shows(void **state)
{
    (void)state;
    const double places[] = {0, 0.95};  // in it, and behind it
    uint8_t with[3], without[3], solid[3], before[3];
    for (int i = 0; i < 2; ++i) {
        look_into_cube(1, places[i], with);
        look_into_cube(1, NAN, without);
        CHECK(difference(with, without) == 0, "an opaque cube shows the sphere at %g", places[i]);
        look_into_cube(0.3, places[i], with);
        look_into_cube(0.3, NAN, without);
        CHECK(difference(with, without) > 60, "glass does not show the sphere at %g", places[i]);
    }
    look_into_cube(0.3, -0.95, with);
    look_into_cube(0, -0.95, before);
    CHECK(difference(with, before) == 0, "glass hides what is before it");

    // The more opaque, the more like the solid.
    double last = HUGE_VAL;
    look_into_cube(1, NAN, solid);
    for (int i = 1; i < 10; i += SANITIZED ? 4 : 1) {
        look_into_cube(0.1 * i, 0, with);
        const double off = difference(with, solid);
        CHECK(off < last, "off by %g at opacity %g, by %g before", off, 0.1 * i, last);
        last = off;
    }
}

// With a floor and shadows, too.
static void what_is_invisible_leaves_no_trace(void **state)
{
    (void)state;
    mote_render_def def = front_def();
    def.floor = def.shadows = true;
    def.eye = (mote_vec3){0, -5, 3};
    mote_mesh *cube = make_cube(0, 1.2, 0);
    mote_render *empty = make_render(NULL, &def), *hidden = make_render(NULL, &def), *clear = make_render(NULL, &def);
    mote_look_def look = look_of(green, 1);
    look.visible = false;
    add(hidden, cube, look);
    add(clear, cube, look_of(green, 0));
    uint8_t *none = draw(empty, 0), *a = draw(hidden, 0), *b = draw(clear, 0);
    CHECK(memcmp(none, a, BYTES) == 0, "an invisible cube is seen");
    CHECK(memcmp(none, b, BYTES) == 0, "a cube of opacity 0 is seen");
    free(none), free(a), free(b);
    mote_mesh_destroy(cube);
    mote_render_destroy(empty), mote_render_destroy(hidden), mote_render_destroy(clear);
}

// A small cube in a large one, and a third behind both: whoever comes first, the picture is the same, and what is
// farther away looks more like what is before it.
static void the_order_of_adding_does_not_count(void **state)
{
    (void)state;
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    mote_render_def def = front_def();
    mote_mesh *cubes[] = {make_cube(-0.2, 1.4, 10), make_cube(-0.2, 0.5, 20), make_cube(1.6, 0.8, 0)};
    const mote_vec3 colors[] = {green, red, {0.2, 0.3, 0.9}};
    uint8_t *first = NULL;
    for (int order = 0; order < 6; ++order) {
        mote_render *render = make_render(NULL, &def);
        for (int k = 0; k < 3; ++k) add(render, cubes[orders[order][k]], look_of(colors[orders[order][k]], 0.6));
        uint8_t *rgb = draw(render, NAN);
        if (!first) first = rgb;
        CHECK(memcmp(first, rgb, BYTES) == 0, "order %d changes the picture", order);
        if (first != rgb) free(rgb);
        mote_render_destroy(render);
    }
    const uint8_t *p = pixel(first, 0, 0);
    CHECK(p[1] > p[2], "the farthest cube covers the nearest: %d %d %d", p[0], p[1], p[2]);
    free(first);
    for (int k = 0; k < 3; ++k) mote_mesh_destroy(cubes[k]);
}

// A shadow that is neither that of a solid nor none.
static void glass_casts_a_light_shadow(void **state)
{
    (void)state;
    mote_render_def def = front_def();
    def.floor = def.shadows = true;
    def.eye = (mote_vec3){0, -5, 3};
    mote_mesh *cube = make_cube(0, 0.8, 0);
    double darkest[3];
    for (int i = 0; i < 3; ++i) {
        mote_render *render = make_render(NULL, &def);
        add(render, cube, look_of(green, 0.5 * i));
        uint8_t *rgb = draw(render, NAN);
        darkest[i] = 255;  // of the floor to the right, where the shadow falls
        for (double x = 0.65; x < 0.9; x += 0.02) {
            const uint8_t *p = pixel(rgb, x, -0.75);
            darkest[i] = MOTE_MIN(darkest[i], (double)(p[0] + p[1] + p[2]) / 3);
        }
        free(rgb);
        mote_render_destroy(render);
    }
    CHECK(darkest[0] > darkest[1] + 5 && darkest[1] > darkest[2] + 5, "%g, %g and %g", darkest[0], darkest[1],
          darkest[2]);
    mote_mesh_destroy(cube);
}

// ------------------------------------------------------------------------------------------------------ faults

static void check_refused(mote_render *render, mote_look_def look, const char *expected)
{
    mote_mesh *plate = make_plate(false);
    mote_error error = {0};
    assert_int_equal(mote_render_add_mesh(render, plate, &look, NULL, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strcmp(error.text, expected) == 0, "\"%s\", expected \"%s\"", error.text, expected);
    mote_mesh_destroy(plate);
}

static void bad_looks_are_refused(void **state)
{
    (void)state;
    mote_render_def def = front_def();
    mote_render *render = make_render(NULL, &def);
    check_refused(render, look_of(green, 1.5), "look.opacity is 1.5, expected a number from 0 to 1");
    check_refused(render, look_of(green, NAN), "look.opacity is not set, expected a number from 0 to 1");
    check_refused(render, look_of((mote_vec3){0, 2, 0}, 1),
                  "look.color is [0, 2, 0], expected three numbers, each from 0 to 1");
    mote_look_def look = mote_look_default_def();
    look.crease_angle = -1;
    check_refused(render, look, "look.crease_angle is -1, expected a number from 0 to 180 [degree]");
    mote_render_destroy(render);
}

static mote_result draw_glass(mote_context *context, void *data)
{
    const mote_mesh *cube = data;
    mote_render_def def = front_def();
    mote_render *render = NULL;
    mote_look_def look = look_of(green, 0.5);
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    uint8_t *rgb = malloc(BYTES);
    mote_result result = mote_render_create(context, &def, &render, NULL);
    if (result == MOTE_ERROR_UNSUPPORTED) {
        free(rgb);
        return MOTE_OK;
    }
    for (int i = 0; i < 3 && result == MOTE_OK; ++i) result = mote_render_add_mesh(render, cube, &look, NULL, NULL);
    if (result == MOTE_OK) result = mote_render_frame(render, &picture, rgb, NULL);
    mote_render_destroy(render);
    free(rgb);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    mote_mesh *cube = shape_cube(NULL, 1);
    test_failing_allocations(draw_glass, cube);
    mote_mesh_destroy(cube);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_of_a_cube_are_flat),
        cmocka_unit_test(crease_angles_can_be_set),
        cmocka_unit_test(both_sides_are_lit),
        cmocka_unit_test(what_is_inside_shows),
        cmocka_unit_test(what_is_invisible_leaves_no_trace),
        cmocka_unit_test(the_order_of_adding_does_not_count),
        cmocka_unit_test(glass_casts_a_light_shadow),
        cmocka_unit_test(bad_looks_are_refused),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
