// SPDX-License-Identifier: MIT
// Pictures: where things are drawn, what hides what, and that a picture depends on nothing but what it shows.
//
// The case a_breaking_dam leaves test_render.png in the build folder, for people to look at.

#include "base/tested.h"
#include "mote/output.h"
#include "mote/render.h"
#include "render/tested.h"
#include "support/render.h"

// -------------------------------------------------------------------------------------------------------- helpers

static uint8_t *draw(mote_render *render, const mote_picture *picture)
{
    mote_render_def def = mote_render_resolved_def(render);
    size_t bytes = (size_t)(3 * def.width * def.height);
    uint8_t *rgb = malloc(bytes);
    mote_error error;
    memset(rgb, 0x5A, bytes);
    CHECK(mote_render_frame(render, picture, rgb, &error) == MOTE_OK, "%s", error.text);
    return rgb;
}

// A small picture of nothing but what is put into it.
static mote_render_def bare_def(void)
{
    mote_render_def def = mote_render_default_def();
    def.width = 200;
    def.height = 150;
    def.floor = def.shadows = def.tank = def.text = false;
    def.box = (mote_box){{-1, -1, -1}, {1, 1, 1}};
    def.speed_max = 1;
    return def;
}

static bool same_colour(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, 3) == 0;
}

// Red, green and blue of the pixel nearest to (x, y).
static const uint8_t *pixel(const uint8_t *rgb, const mote_render_def *def, double x, double y)
{
    return rgb + 3 * ((size_t)floor(y) * (size_t)def->width + (size_t)floor(x));
}

static bool is_blue(const uint8_t *p)
{
    return p[2] > p[0] + 40;
}

static bool is_clay(const uint8_t *p)
{
    return p[0] > p[2] + 25;
}

// --------------------------------------------------------------------------------------------------- exact places

// The camera of a resolved def: directions, and the ray through a place of the picture.
typedef struct view {
    mote_vec3 eye, right, up, back;
    double half_width, half_height;
    bool orthographic;
} view;

static view view_of(const mote_render_def *def)
{
    view v = {.eye = def->eye, .orthographic = def->projection == MOTE_PROJECTION_ORTHOGRAPHIC};
    v.back = mote_vec3_unit(mote_vec3_sub(def->eye, def->target));
    v.right = mote_vec3_unit(mote_vec3_cross(def->up, v.back));
    v.up = mote_vec3_cross(v.back, v.right);
    v.half_height = tan(def->field_of_view * 3.14159265358979 / 360);
    if (v.orthographic) v.half_height *= mote_vec3_length(mote_vec3_sub(def->eye, def->target));
    v.half_width = v.half_height * def->width / def->height;
    return v;
}

// Distance of the ray through (x, y) from a point, over the radius: below 1 the sphere is hit.
static double ray_distance(const mote_render_def *def, double x, double y, mote_vec3 centre, double radius)
{
    view v = view_of(def);
    double across = (2 * x / def->width - 1) * v.half_width, rise = (1 - 2 * y / def->height) * v.half_height;
    mote_vec3 start = v.eye, ray = mote_vec3_scale(v.back, -1);
    mote_vec3 *moved = v.orthographic ? &start : &ray;
    *moved = mote_vec3_add_scaled(mote_vec3_add_scaled(*moved, v.right, across), v.up, rise);
    mote_vec3 to = mote_vec3_sub(centre, start);
    mote_vec3 off = mote_vec3_sub(to, mote_vec3_scale(ray, mote_vec3_dot(to, ray) / mote_vec3_dot(ray, ray)));
    return mote_vec3_length(off) / radius;
}

// Pixels that lie wholly inside or outside the sphere's outline must be drawn so, whatever the projection.
static void check_outline(mote_render_def def, mote_vec3 centre, double radius)
{
    mote_render *render = make_render(NULL, &def);
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    uint8_t *empty = draw(render, &picture);
    const double xyz[] = {centre.x, centre.y, centre.z};
    layer.points = mote_points_xyz_f64(xyz, 1);
    layer.radius = radius;
    uint8_t *rgb = draw(render, &picture);
    def = mote_render_resolved_def(render);
    size_t inside = 0;
    for (int y = 0; y < def.height; ++y)
        for (int x = 0; x < def.width; ++x) {
            double nearest = HUGE_VAL, farthest = 0;
            for (int k = 0; k < 9; ++k) {
                double d = ray_distance(&def, x + 0.5 * (k % 3), y + 0.5 * (k / 3), centre, radius);
                nearest = MOTE_MIN(nearest, d);
                farthest = MOTE_MAX(farthest, d);
            }
            bool drawn = !same_colour(pixel(rgb, &def, x, y), pixel(empty, &def, x, y));
            CHECK(farthest > 0.999 || drawn, "pixel (%d, %d) is not drawn", x, y);
            CHECK(nearest < 1.001 || !drawn, "pixel (%d, %d) is drawn", x, y);
            inside += farthest <= 0.999;
        }
    CHECK(inside > 150, "%zu pixels", inside);
    free(empty), free(rgb);
    mote_render_destroy(render);
}

static void outline_in_perspective(void **state)
{
    (void)state;
    mote_render_def def = bare_def();
    def.eye = (mote_vec3){1.5, -2.5, 1};
    def.target = (mote_vec3){0, 0, 0};
    def.field_of_view = 70;  // so wide that outlines are far from circles
    check_outline(def, (mote_vec3){0, 0, 0}, 0.4);
    check_outline(def, (mote_vec3){-1.5, 0.2, 0.8}, 0.3);
    check_outline(def, (mote_vec3){1.2, -1.6, -0.3}, 0.25);
}

static void outline_without_perspective(void **state)
{
    (void)state;
    mote_render_def def = bare_def();
    def.projection = MOTE_PROJECTION_ORTHOGRAPHIC;
    check_outline(def, (mote_vec3){0.3, -0.2, 0.4}, 0.3);
    def.eye = (mote_vec3){1, -3, 2};
    check_outline(def, (mote_vec3){0.3, -0.2, 0.4}, 0.3);
}

static void two_dimensions_from_the_front(void **state)
{
    (void)state;
    mote_render_def def = bare_def();
    def.dimensions = 2;
    def.box = (mote_box){{0, 7, 0}, {4, 9, 2}};  // what it says of y is not looked at
    check_outline(def, (mote_vec3){3.5, 0, 1.7}, 0.25);
    mote_render *render = make_render(NULL, &def);
    def = mote_render_resolved_def(render);
    assert_int_equal(def.projection, MOTE_PROJECTION_ORTHOGRAPHIC);
    CHECK(def.eye.x == 2 && def.eye.y < 0 && def.eye.z == 1, "eye at %g %g %g", def.eye.x, def.eye.y, def.eye.z);
    mote_render_destroy(render);
}

// The box derived cameras frame: every corner in the picture, and two sides of the picture nearly touched.
static void box_fills_the_picture(void **state)
{
    (void)state;
    const mote_box boxes[] = {{{0, 0, 0}, {2, 1, 1}}, {{-5, -1, 3}, {-4, 1, 9}}, {{100, 100, 0}, {101, 109, 0.1}}};
    for (int i = 0; i < 3; ++i) {
        mote_render_def def = bare_def();
        def.box = boxes[i];
        mote_render *render = make_render(NULL, &def);
        def = mote_render_resolved_def(render);
        view v = view_of(&def);
        double largest = 0;
        for (int k = 0; k < 8; ++k) {
            mote_vec3 corner = {k & 1 ? def.box.min.x : def.box.max.x, k & 2 ? def.box.min.y : def.box.max.y,
                                k & 4 ? def.box.min.z : def.box.max.z};
            mote_vec3 d = mote_vec3_sub(corner, v.eye);
            double depth = -mote_vec3_dot(d, v.back);
            double x = fabs(mote_vec3_dot(d, v.right)) / (depth * v.half_width);
            double y = fabs(mote_vec3_dot(d, v.up)) / (depth * v.half_height);
            CHECK(depth > 0 && x < 0.96 && y < 0.96, "box %d corner %d at %g %g", i, k, x, y);
            largest = MOTE_MAX(largest, MOTE_MAX(x, y));
        }
        CHECK(largest > 0.9, "box %d reaches %g only", i, largest);
        mote_render_destroy(render);
    }
}

// --------------------------------------------------------------------------------------------------- what hides what

static mote_mesh *make_plate(double y, double half)
{
    const mote_vec3 vertices[] = {{-half, y, -half}, {half, y, -half}, {-half, y, half}, {half, y, half}};
    const uint32_t triangles[] = {0, 1, 2, 2, 1, 3};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 4, triangles, 2, &mesh, NULL));
    return mesh;
}

static void nearer_hides_farther(void **state)
{
    (void)state;
    mote_render_def def = bare_def();
    def.eye = (mote_vec3){0, -5, 0};
    def.target = (mote_vec3){0, 0, 0};
    mote_render *render = make_render(NULL, &def);
    mote_mesh *plate = make_plate(0, 0.6), *moved = make_plate(-0.9, 0.6);
    uint32_t index;
    CHECK_OK(mote_render_add_mesh(render, plate, NULL, &index, NULL));

    // Before the plate, behind it, and stuck in it, in both orders: only the outermost 0.1 of the last one is seen.
    for (int order = 0; order < 2; ++order) {
        float xyz[] = {-0.4f, -0.5f, 0, 0.4f, 0.5f, 0, 0, 0.1f, 0.4f};
        if (order) xyz[0] = 0.4f, xyz[1] = 0.5f, xyz[3] = -0.4f, xyz[4] = -0.5f;
        mote_layer layer = mote_layer_default();
        mote_picture picture = mote_picture_default();
        picture.layers = &layer, picture.layer_count = 1;
        layer.points = mote_points_xyz(xyz, 3);
        layer.radius = 0.2;
        uint8_t *rgb = draw(render, &picture);
        double scale = def.height / 2 / (5 * tan(def.field_of_view * 3.14159265358979 / 360));
        CHECK(is_blue(pixel(rgb, &def, 100 - 0.4 * scale, 75)), "the near sphere is hidden");
        CHECK(is_clay(pixel(rgb, &def, 100 + 0.4 * scale, 75)), "the plate does not hide the far sphere");
        CHECK(is_blue(pixel(rgb, &def, 100, 75 - 0.4 * scale)), "the cap of the sphere in the plate is hidden");
        // The cap's radius is sqrt(0.2² − 0.1²) = 0.173: beyond it, still inside the outline, is the plate.
        CHECK(is_blue(pixel(rgb, &def, 100 + 0.150 * scale, 75 - 0.4 * scale)), "the cap is too small");
        CHECK(is_clay(pixel(rgb, &def, 100 + 0.192 * scale, 75 - 0.4 * scale)), "the cap is too large");
        free(rgb);
    }
    CHECK_OK(mote_render_update_mesh(render, index, moved, NULL));
    const float near[] = {-0.4f, -0.5f, 0};
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    layer.points = mote_points_xyz(near, 1);
    layer.radius = 0.2;
    uint8_t *rgb = draw(render, &picture);
    for (int i = 0; i < def.width * def.height; ++i) CHECK(!is_blue(rgb + 3 * i), "the moved plate hides nothing");
    assert_int_equal(mote_render_update_mesh(render, 1, moved, NULL), MOTE_ERROR_ARGUMENT);
    free(rgb);
    mote_mesh_destroy(plate), mote_mesh_destroy(moved);
    mote_render_destroy(render);
}

// ---------------------------------------------------------------------------------------------- nothing else counts

// Layers are drawn with their own radii: where no sphere is near another, as each alone.
static void layers_have_sizes_of_their_own(void **state)
{
    (void)state;
    mote_render_def def = bare_def();
    mote_render *render = make_render(NULL, &def);
    const float left[] = {-0.5f, 0, 0}, right[] = {0.5f, 0, 0}, value = 3;
    mote_layer layers[3] = {mote_layer_default(), mote_layer_default(), mote_layer_default()};
    layers[0].points = mote_points_xyz(left, 1), layers[0].radius = 0.3;
    layers[2].points = mote_points_xyz(right, 1), layers[2].radius = 0.1, layers[2].scalars = &value;
    mote_picture picture = mote_picture_default();
    picture.layers = layers, picture.layer_count = 3;
    uint8_t *both = draw(render, &picture);
    picture.layer_count = 1;
    uint8_t *first = draw(render, &picture);
    picture.layers = layers + 2;
    uint8_t *last = draw(render, &picture);
    CHECK(memcmp(both, first, (size_t)(3 * def.width * def.height)) != 0, "the last layer is missing");
    for (int y = 0; y < def.height; ++y)
        for (int x = 0; x < def.width; ++x) {
            const size_t at = 3 * ((size_t)y * (size_t)def.width + (size_t)x);
            const uint8_t *alone = 2 * x < def.width ? first : last;
            CHECK(memcmp(both + at, alone + at, 3) == 0, "pixel %d %d is not that of its layer", x, y);
        }
    layers[1].points = mote_points_xyz(left, 1);  // without a radius
    picture.layers = layers, picture.layer_count = 3;
    mote_error error;
    assert_int_equal(mote_render_frame(render, &picture, both, &error), MOTE_ERROR_ARGUMENT);
    CHECK(error.index == 1, "layer %zu is refused", error.index);
    picture.layers = NULL;
    assert_int_equal(mote_render_frame(render, &picture, both, &error), MOTE_ERROR_ARGUMENT);
    free(both), free(first), free(last);
    mote_render_destroy(render);
}

typedef struct cloud {
    size_t count;
    double *xyz;
    float *narrow, *speed;
    mote_layer layer;  // of the cloud's picture
} cloud;

// Random places that floats hold exactly.
static cloud make_cloud(size_t count)
{
    cloud made = {count, malloc(3 * count * sizeof(double)), malloc(3 * count * sizeof(float)),
                  malloc(count * sizeof(float)), mote_layer_default()};
    mote_random random = {5};
    for (size_t i = 0; i < 3 * count; ++i) {
        made.narrow[i] = (float)mote_random_below(&random, 1024) / 1024;
        made.xyz[i] = (double)made.narrow[i];
    }
    for (size_t i = 0; i < count; ++i) made.speed[i] = (float)mote_random_unit(&random);
    return made;
}

static void free_cloud(cloud *c)
{
    free(c->xyz), free(c->narrow), free(c->speed);
}

static mote_picture cloud_picture(cloud *c)
{
    mote_picture picture = mote_picture_default();
    picture.layers = &c->layer, picture.layer_count = 1;
    c->layer.points = mote_points_xyz_f64(c->xyz, c->count);
    c->layer.scalars = c->speed;
    c->layer.radius = 0.03;
    picture.time = 1.25;
    return picture;
}

static void check_same(const mote_render_def *def, uint8_t *a, uint8_t *b, const char *what)
{
    CHECK(memcmp(a, b, (size_t)(3 * def->width * def->height)) == 0, "%s changes the picture", what);
    free(b);
}

static void only_what_is_shown_counts(void **state)
{
    (void)state;
    cloud c = make_cloud(500);
    mote_render_def def = mote_render_default_def();
    def.width = 333, def.height = 201;
    mote_render *render = make_render(NULL, &def), *other = make_render(NULL, &def);
    mote_picture picture = cloud_picture(&c);
    uint8_t *rgb = draw(render, &picture);
    check_same(&def, rgb, draw(render, &picture), "drawing it again");
    check_same(&def, rgb, draw(other, &picture), "another renderer");
    mote_render_destroy(other);
    check_same(&def, rgb, draw(render, &picture), "destroying another renderer");
    c.layer.points = mote_points_xyz(c.narrow, c.count);
    check_same(&def, rgb, draw(render, &picture), "the type of the coordinates");

    // A million metres away, and back.
    const double far = 1 << 20;
    for (size_t i = 0; i < 3 * c.count; ++i) c.xyz[i] += far;
    picture = cloud_picture(&c);
    mote_render_def far_def = def;
    far_def.box = (mote_box){{far, far, far}, {far + 1, far + 1, far + 1}};
    other = make_render(NULL, &far_def);
    check_same(&def, rgb, draw(other, &picture), "the distance from the origin");
    mote_render_destroy(other);
    free(rgb);
    free_cloud(&c);
    mote_render_destroy(render);
}

static void what_is_not_finite_is_left_out(void **state)
{
    (void)state;
    cloud c = make_cloud(20);
    mote_render_def def = bare_def();
    mote_render *render = make_render(NULL, &def);
    mote_picture picture = cloud_picture(&c);
    c.layer.points.count = 17;
    uint8_t *rgb = draw(render, &picture);
    c.layer.points.count = 20;
    c.xyz[3 * 17] = NAN, c.xyz[3 * 18 + 1] = -INFINITY, c.xyz[3 * 19 + 2] = 1e300;
    check_same(&def, rgb, draw(render, &picture), "a point that is nowhere");
    free(rgb);
    c.speed[0] = NAN;
    free(draw(render, &picture));
    free_cloud(&c);
    mote_render_destroy(render);
}

// ------------------------------------------------------------------------------------------------------------ texts

static size_t count_differences(const uint8_t *a, const uint8_t *b, const mote_render_def *def, int left, int top,
                                int right, int bottom)
{
    size_t count = 0;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) count += !same_colour(pixel(a, def, x, y), pixel(b, def, x, y));
    return count;
}

static void title_time_and_legend(void **state)
{
    (void)state;
    cloud c = make_cloud(1);
    mote_render_def def = bare_def();
    def.width = 640, def.height = 360;
    mote_render *render = make_render(NULL, &def);
    mote_picture picture = cloud_picture(&c);
    uint8_t *plain = draw(render, &picture);
    def.eye = mote_render_resolved_def(render).eye;  // text makes room for itself above the box
    def.target = mote_render_resolved_def(render).target;
    def.text = true;
    def.title = "Title";
    mote_render_destroy(render);
    render = make_render(NULL, &def);
    if (!mote_render_has_text(render)) {
        print_message("skipped: no font (Debian package fonts-dejavu-core)\n");
        free(plain), free_cloud(&c), mote_render_destroy(render);
        skip();
    }
    uint8_t *rgb = draw(render, &picture);
    CHECK(count_differences(rgb, plain, &def, 0, 0, 200, 30) > 100, "no title");
    CHECK(count_differences(rgb, plain, &def, 0, 30, 200, 60) > 100, "no time");
    CHECK(count_differences(rgb, plain, &def, 0, 60, 640, 360) == 0, "text elsewhere");
    // Somewhere to the right there is a row that runs through all of the colour map.
    size_t found = 0;
    for (int y = 0; y < 60; ++y)
        for (int k = 0, x = 320; x < 640 && k < 11; ++x) {
            double expected[3];
            mote_colormap_surf(k / 10.0, expected);
            const uint8_t *p = pixel(rgb, &def, x, y);
            double off = 0;
            for (int j = 0; j < 3; ++j) off = MOTE_MAX(off, fabs(p[j] / 255.0 - expected[j]));
            if (off < 0.03) ++k;
            found += k == 11;
        }
    CHECK(found > 3, "no legend");
    free(plain), free(rgb), free_cloud(&c);
    mote_render_destroy(render);
}

static void colours_are_even(void **state)
{
    (void)state;
    double before = 0, rgb[3];
    for (int i = 0; i <= 100; ++i) {
        mote_colormap_surf(i / 100.0, rgb);
        double linear[3];
        for (int k = 0; k < 3; ++k) {
            CHECK(rgb[k] > 0 && rgb[k] < 1, "component %d at %d %% is %g: outside sRGB", k, i, rgb[k]);
            linear[k] = rgb[k] <= 0.04045 ? rgb[k] / 12.92 : pow((rgb[k] + 0.055) / 1.055, 2.4);
        }
        double l = cbrt(0.4122214708 * linear[0] + 0.5363325363 * linear[1] + 0.0514459929 * linear[2]);
        double m = cbrt(0.2119034982 * linear[0] + 0.6806995451 * linear[1] + 0.1073969566 * linear[2]);
        double s = cbrt(0.0883024619 * linear[0] + 0.2817188376 * linear[1] + 0.6299787005 * linear[2]);
        double lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
        double rise = lightness - before;
        CHECK(i == 0 || fabs(rise - 0.0058) < 1e-5, "lightness rises by %g at %d %%", rise, i);
        before = lightness;
    }
    mote_colormap_surf(NAN, rgb);
    CHECK(rgb[0] == rgb[1] && rgb[1] == rgb[2], "not a number is not grey");
}

// ----------------------------------------------------------------------------------------------------------- faults

static void check_refused(const mote_render_def *def, const char *expected)
{
    mote_render *render = NULL;
    mote_error error = {0};
    mote_result result = mote_render_create(NULL, def, &render, &error);
    assert_null(render);
    CHECK(result == MOTE_ERROR_ARGUMENT || result == MOTE_ERROR_FILE, "%s", mote_result_name(result));
    CHECK(strstr(error.text, expected), "\"%s\", expected \"%s\"", error.text, expected);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    mote_render_def def = mote_render_default_def();
    def.width = 0;
    check_refused(&def, "width");
    def = mote_render_default_def();
    def.speed_min = 2, def.speed_max = 1.5;
    check_refused(&def, "speed_max is 1.5, expected above speed_min (2)");
    def = mote_render_default_def();
    def.box.max.x = NAN;
    check_refused(&def, "the box to be framed is empty or not finite");
    def = mote_render_default_def();
    def.eye = def.target = (mote_vec3){1, 2, 3};
    check_refused(&def, "eye and target are the same point");
    def = mote_render_default_def();
    def.up = (mote_vec3){0, 0, 0};
    check_refused(&def, "up is [0, 0, 0]");
    def = mote_render_default_def();
    def.font = "/nowhere/font.ttf";
    check_refused(&def, "picture: font is \"/nowhere/font.ttf\", expected a TrueType file");
    def.cookie = 0;
    check_refused(&def, "mote_render_default_def");
}

static void bad_pictures_are_refused(void **state)
{
    (void)state;
    mote_render_def def = bare_def();
    mote_render *render = make_render(NULL, &def);
    uint8_t *rgb = malloc(3 * 200 * 150);
    const float xyz[] = {0, 0, 0};
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    layer.points = mote_points_xyz(xyz, 1);
    mote_error error;
    assert_int_equal(mote_render_frame(render, &picture, rgb, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "radius"), "%s", error.text);
    layer.points.axis[1] = NULL;
    assert_int_equal(mote_render_frame(render, &picture, rgb, &error), MOTE_ERROR_ARGUMENT);
    free(rgb);
    mote_render_destroy(render);
}

static mote_result make_and_draw(mote_context *context, void *data)
{
    const mote_mesh *plate = data;
    mote_render_def def = mote_render_default_def();
    def.width = def.height = 32;
    def.text = false;
    mote_render *render = NULL;
    const float xyz[] = {0.5f, 0.5f, 0.5f}, speed = 1;
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    layer.points = mote_points_xyz(xyz, 1);
    layer.scalars = &speed;
    layer.radius = 0.1;
    const uint32_t triangle[3] = {0, 0, 0};
    mote_liquid liquid = mote_liquid_default();
    liquid.vertices = layer.points;
    liquid.triangles = triangle, liquid.triangle_count = 1;
    picture.liquids = &liquid, picture.liquid_count = 1;
    uint8_t rgb[3 * 32 * 32];
    mote_result result = mote_render_create(context, &def, &render, NULL);
    if (result == MOTE_ERROR_UNSUPPORTED)
        result = MOTE_OK;
    else if (result == MOTE_OK) {
        result = mote_render_add_mesh(render, plate, NULL, NULL, NULL);
        if (result == MOTE_OK) result = mote_render_frame(render, &picture, rgb, NULL);
    }
    mote_render_destroy(render);
    return result;
}

static mote_result write_words(mote_context *context, void *data)
{
    (void)data;
    mote_text *text = NULL;
    uint8_t rgb[3 * 64 * 32] = {0};
    const mote_image image = {rgb, 64, 32};
    const mote_render_def def = mote_render_default_def();
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    picture.time = 0.5;
    mote_result result = mote_text_create(context, NULL, &text, NULL);
    if (text) result = mote_overlay_draw(text, &image, &def, &picture, NULL);
    mote_text_destroy(text);
    return result;
}

static void failing_allocations_of_texts(void **state)
{
    (void)state;
    test_failing_allocations(write_words, NULL);
}

static void failing_allocations(void **state)
{
    (void)state;
    mote_mesh *plate = make_plate(0, 1);
    test_failing_allocations(make_and_draw, plate);
    mote_mesh_destroy(plate);
}

// ------------------------------------------------------------------------------------------------ a picture to look at

// The bunny of Debian's glmark2-data where it is installed, turned upright; else a ball. Its height is 0.5.
static mote_mesh *make_solid(mote_vec3 at)
{
    enum { ROOM = 100000, RINGS = 60 };
    mote_vec3 *vertices = malloc(ROOM * sizeof *vertices);
    uint32_t *triangles = malloc(3 * ROOM * sizeof *triangles);
    size_t vertex_count = 0, triangle_count = 0;
    FILE *file = fopen("/usr/share/glmark2/models/bunny.obj", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file) && vertex_count < ROOM && triangle_count < ROOM) {
        double x, y, z;
        char *corner = line + 1;
        if (sscanf(line, "v %lf %lf %lf", &x, &y, &z) == 3) vertices[vertex_count++] = (mote_vec3){x, -z, y};
        if (line[0] != 'f') continue;
        for (size_t k = 0; k < 3; ++k) {
            triangles[3 * triangle_count + k] = (uint32_t)strtoul(corner, &corner, 10) - 1;
            corner += strcspn(corner, " \n");
        }
        ++triangle_count;
    }
    if (file) fclose(file);
    for (int j = 0; j <= RINGS && !file; ++j)
        for (int i = 0; i < RINGS; ++i) {
            double a = 2 * 3.14159265358979 * i / RINGS, b = 3.14159265358979 * j / RINGS;
            vertices[vertex_count++] = (mote_vec3){sin(b) * cos(a), sin(b) * sin(a), -cos(b)};
            uint32_t k = (uint32_t)(j * RINGS + i), right = (uint32_t)(j * RINGS + (i + 1) % RINGS);
            const uint32_t quad[] = {k, right, k + RINGS, k + RINGS, right, right + RINGS};
            if (j < RINGS) memcpy(triangles + 3 * triangle_count, quad, sizeof quad), triangle_count += 2;
        }
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < vertex_count; ++v) box = mote_box_add_point(box, vertices[v]);
    mote_vec3 foot = {(box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, box.min.z};
    double scale = 0.5 / (box.max.z - box.min.z);
    for (size_t v = 0; v < vertex_count; ++v)
        vertices[v] = mote_vec3_add_scaled(at, mote_vec3_sub(vertices[v], foot), scale);
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, vertex_count, triangles, triangle_count, &mesh, NULL));
    free(vertices), free(triangles);
    return mesh;
}

// Water that stands on the left, runs down to the right around the solid, and sprays.
static cloud make_dam(double spacing, size_t room, size_t spray)
{
    cloud c = {0, NULL, malloc(3 * (room + spray) * sizeof(float)), malloc((room + spray) * sizeof(float)),
               mote_layer_default()};
    mote_random random = {7};
    for (double z = spacing / 2; z < 0.8; z += spacing)
        for (double y = spacing / 2; y < 1; y += spacing)
            for (double x = spacing / 2; x < 2 && c.count < room; x += spacing) {
                double slope = 0.755 * exp(-1.6 * (x - 0.5)) + 0.03 * sin(7 * x + 3 * y);
                double surface = x < 0.5 ? 0.78 - 0.1 * x * x : slope;
                double u = (x - 1.5) / 0.28, v = (y - 0.5) / 0.24, w = z / 0.42;
                if (z > surface || u * u + v * v + w * w < 1) continue;
                double disorder = x > 0.5 ? 0.35 * spacing : 0.05 * spacing, place[3] = {x, y, z};
                for (size_t k = 0; k < 3; ++k)
                    c.narrow[3 * c.count + k] = (float)(place[k] + disorder * (mote_random_unit(&random) - 0.5));
                c.speed[c.count++] = (float)(0.3 + x * x + 0.8 * z * (x > 0.6) + 0.3 * mote_random_unit(&random));
            }
    for (size_t i = 0; i < spray; ++i) {
        double height = mote_random_unit(&random) * mote_random_unit(&random);
        c.narrow[3 * c.count] = (float)(1.1 + 0.5 * mote_random_unit(&random));
        c.narrow[3 * c.count + 1] = (float)mote_random_unit(&random);
        c.narrow[3 * c.count + 2] = (float)(0.3 + 0.5 * height);
        c.speed[c.count++] = (float)(3 + 1.5 * mote_random_unit(&random));
    }
    return c;
}

static void a_breaking_dam(void **state)
{
    (void)state;
    double spacing = SANITIZED ? 0.05 : 0.02;
    cloud c = make_dam(spacing, 100000, SANITIZED ? 40 : 600);
    CHECK(SANITIZED || c.count > 60000, "%zu particles", c.count);
    mote_render_def def = mote_render_default_def();
    if (SANITIZED) def.width = 320, def.height = 180;
    def.box = (mote_box){{0, 0, 0}, {2, 1, 1}};
    def.title = "Breaking dam over the Stanford bunny";
    mote_render *render = make_render(NULL, &def);
    mote_mesh *solid = make_solid((mote_vec3){1.5, 0.5, 0});
    CHECK_OK(mote_render_add_mesh(render, solid, NULL, NULL, NULL));
    mote_layer layer = mote_layer_default();
    mote_picture picture = mote_picture_default();
    picture.layers = &layer, picture.layer_count = 1;
    layer.points = mote_points_xyz(c.narrow, c.count);
    layer.scalars = c.speed;
    layer.radius = spacing / 2;
    picture.time = 0.42;
    uint8_t *rgb = draw(render, &picture);

    size_t pixels = (size_t)(def.width * def.height), blue = 0, clay = 0;
    for (size_t i = 0; i < pixels; ++i) blue += is_blue(rgb + 3 * i), clay += is_clay(rgb + 3 * i);
    CHECK(blue > pixels / 8 && blue < pixels / 2, "%zu of %zu pixels show water", blue, pixels);
    CHECK(clay > pixels / 200 && clay < pixels / 10, "%zu of %zu pixels show the solid", clay, pixels);
    check_same(&def, rgb, draw(render, &picture), "drawing it again");
    mote_error error;
    CHECK(mote_png_write(NULL, MOTE_BINARY_DIR "/test_render.png", rgb, (uint32_t)def.width, (uint32_t)def.height,
                         &error) == MOTE_OK,
          "%s", error.text);
    free(rgb), free_cloud(&c);
    mote_mesh_destroy(solid);
    mote_render_destroy(render);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outline_in_perspective),
        cmocka_unit_test(outline_without_perspective),
        cmocka_unit_test(two_dimensions_from_the_front),
        cmocka_unit_test(box_fills_the_picture),
        cmocka_unit_test(nearer_hides_farther),
        cmocka_unit_test(layers_have_sizes_of_their_own),
        cmocka_unit_test(only_what_is_shown_counts),
        cmocka_unit_test(what_is_not_finite_is_left_out),
        cmocka_unit_test(title_time_and_legend),
        cmocka_unit_test(colours_are_even),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(bad_pictures_are_refused),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(failing_allocations_of_texts),
        cmocka_unit_test(a_breaking_dam),
    };
    RUN_TESTS(tests, argc, argv);
}
