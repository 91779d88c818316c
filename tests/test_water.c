// SPDX-License-Identifier: MIT
// Pictures of water: lines behind a slab move as Snell says, colours fade as Lambert says, and pictures without water
// are what they were.
//
// The case a_tank_of_water leaves test_water.png in the build folder, for people to look at.

#include "mote/output.h"
#include "mote/render.h"
#include "support/render.h"

enum { WIDTH = 96, HEIGHT = 240 };
static const double degree = 3.14159265358979323846 / 180;
static const mote_vec3 grey = {0.3, 0.3, 0.3}, bright = {0.9, 0.9, 0.9}, white = {0.97, 0.97, 0.97};

// A closed slab [−2, 2]² × [low, high]: eight corners, twelve triangles, facing outwards.
typedef struct slab {
    float xyz[24];
    uint32_t triangles[36];
    mote_liquid liquid;
} slab;

static void make_slab(slab *made, double low, double high)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    // Normals across the edges would be means: the water has those of its flat top everywhere.
    static const mote_vec3 up[8] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1},
                                    {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    memcpy(made->triangles, faces, sizeof faces);
    for (int k = 0; k < 8; ++k) {
        made->xyz[3 * k] = k & 1 ? 2 : -2;
        made->xyz[3 * k + 1] = k & 2 ? 2 : -2;
        made->xyz[3 * k + 2] = (float)(k & 4 ? high : low);
    }
    made->liquid = mote_liquid_default();
    made->liquid.vertices = mote_points_xyz(made->xyz, 8);
    made->liquid.normals = up;
    made->liquid.triangles = made->triangles;
    made->liquid.triangle_count = 12;
    made->liquid.absorption = (mote_vec3){0, 0, 0};
}

// The floor: squares of a chequered board of edge 0.25, of one of two colours, in the plane z = 0.
static void add_squares(mote_render *render, int parity, mote_vec3 colour)
{
    enum { EACH = 16 };
    mote_vec3 vertices[4 * EACH * EACH];
    uint32_t triangles[6 * EACH * EACH];
    size_t count = 0;
    for (int j = 0; j < EACH; ++j)
        for (int i = 0; i < EACH; ++i) {
            if (((i + j) & 1) != parity) continue;
            for (size_t k = 0; k < 4; ++k)
                vertices[4 * count + k] =
                    (mote_vec3){-2 + 0.25 * (i + (int)(k & 1)), -2 + 0.25 * (j + (int)(k >> 1)), 0};
            const uint32_t first = (uint32_t)(4 * count), corners[6] = {0, 1, 2, 2, 1, 3};
            for (size_t k = 0; k < 6; ++k) triangles[6 * count + k] = first + corners[k];
            ++count;
        }
    mote_mesh *mesh;
    mote_look_def look = mote_look_default_def();
    look.color = colour;
    CHECK_OK(mote_mesh_create(NULL, vertices, 4 * count, triangles, 2 * count, &mesh, NULL));
    CHECK_OK(mote_render_add_mesh(render, mesh, &look, NULL, NULL));
    mote_mesh_destroy(mesh);
}

// A board seen from an elevation, in parallel rays; the middle of the picture looks at the origin.
static mote_render *make_board(double elevation, mote_vec3 dark, mote_vec3 light)
{
    mote_render_def def = mote_render_default_def();
    def.width = WIDTH, def.height = HEIGHT;
    def.floor = def.shadows = def.tank = def.text = false;
    def.box = (mote_box){{-1, -1, 0}, {1, 1, 1}};
    def.speed_max = 1;
    def.projection = MOTE_PROJECTION_ORTHOGRAPHIC;
    def.field_of_view = 20;
    def.eye = (mote_vec3){0.125, -6 * cos(elevation), 6 * sin(elevation)};
    def.target = (mote_vec3){0.125, 0, 0};
    mote_render *render = make_render(NULL, &def);
    add_squares(render, 0, dark);
    add_squares(render, 1, light);
    return render;
}

static void draw_liquids(mote_render *render, const mote_liquid *liquids, size_t count, uint8_t *rgb)
{
    mote_picture picture = mote_picture_default();
    picture.liquids = liquids, picture.liquid_count = count;
    mote_error error;
    CHECK(mote_render_frame(render, &picture, rgb, &error) == MOTE_OK, "%s", error.text);
}

static double linear(uint8_t value)
{
    return pow(value / 255.0, 2.2);
}

// ---------------------------------------------------------------------------------------------------------- Snell

// Where, from the top, the brightness along the middle column crosses the mean of its extremes, with its sign: the
// crossing nearest to `near`.
static double edge_near(const uint8_t *rgb, double near, int sign)
{
    double least = 1, most = 0, best = -1;
    for (int y = 0; y < HEIGHT; ++y) {
        const double value = linear(rgb[3 * (y * WIDTH + WIDTH / 2) + 1]);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    const double level = (least + most) / 2;
    for (int y = 1; y < HEIGHT; ++y) {
        const double above = linear(rgb[3 * ((y - 1) * WIDTH + WIDTH / 2) + 1]) - level;
        const double here = linear(rgb[3 * (y * WIDTH + WIDTH / 2) + 1]) - level;
        if ((here > 0 ? 1 : -1) != sign || (above > 0) == (here > 0)) continue;
        const double at = y - 0.5 + above / (above - here);
        if (best < 0 || fabs(at - near) < fabs(best - near)) best = at;
    }
    return best;
}

// A line of the board appears nearer by depth · (tan in air − tan in water), as the board is seen from its elevation.
static void lines_move_as_snell_says(void **state)
{
    (void)state;
    uint8_t *dry = malloc(3 * WIDTH * HEIGHT), *wet = malloc(3 * WIDTH * HEIGHT);
    for (int k = 0; k < 3; ++k) {
        const double elevation = (30 + 15 * k) * degree, depth = 0.2, index = 1.333;
        mote_render *render = make_board(elevation, grey, bright);
        slab water;
        make_slab(&water, 0.0005, depth);
        draw_liquids(render, NULL, 0, dry);
        draw_liquids(render, &water.liquid, 1, wet);
        const double in_air = 90 * degree - elevation, in_water = asin(sin(in_air) / index);
        const double pixel = 2 * 6 * tan(10 * degree) / HEIGHT;
        const double move = depth * (tan(in_air) - tan(in_water)) * sin(elevation) / pixel;
        const double from = edge_near(dry, HEIGHT / 2.0, 1), to = edge_near(wet, from - move, 1);
        print_message("%2.0f degrees: %.2f pixels, expected %.2f\n", elevation / degree, from - to, move);
        CHECK(fabs(from - to - move) < 0.1 * move, "%g degrees: a line moves by %g pixels, expected %g",
              elevation / degree, from - to, move);
        mote_render_destroy(render);
    }
    free(dry), free(wet);
}

// ------------------------------------------------------------------------------------------------------ absorption

// The floor through two depths of water, less what the water reflects, which black water shows.
static void colours_fade_as_lambert_says(void **state)
{
    (void)state;
    uint8_t *rgb = malloc(3 * WIDTH * HEIGHT);
    const size_t middle = 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
    const double elevation = 45 * degree, in_water = asin(sin(45 * degree) / 1.333);
    mote_render *render = make_board(elevation, white, white);
    const double absorption[3] = {2.5, 1.2, 0.6}, depths[3] = {0.1, 0.4, 0.4};
    double seen[3][3];
    for (int k = 0; k < 3; ++k) {
        slab water;
        make_slab(&water, 0.0005, depths[k]);
        water.liquid.absorption = k == 2 ? (mote_vec3){1e4, 1e4, 1e4}
                                         : (mote_vec3){absorption[0], absorption[1], absorption[2]};
        draw_liquids(render, &water.liquid, 1, rgb);
        for (size_t c = 0; c < 3; ++c) seen[k][c] = linear(rgb[middle + c]);
    }
    for (int c = 0; c < 3; ++c) {
        const double ratio = (seen[1][c] - seen[2][c]) / (seen[0][c] - seen[2][c]);
        const double expected = exp(-absorption[c] * (depths[1] - depths[0]) / cos(in_water));
        print_message("colour %d: ratio %.4f, expected %.4f\n", c, ratio, expected);
        CHECK(fabs(ratio - expected) < 0.02 * expected, "colour %d: ratio %g, expected %g", c, ratio, expected);
    }
    mote_render_destroy(render);
    free(rgb);
}

// Two slabs absorb as one that is as thick as both, if they absorb and refract alike.
static void liquids_add_up(void **state)
{
    (void)state;
    uint8_t *one = malloc(3 * WIDTH * HEIGHT), *two = malloc(3 * WIDTH * HEIGHT);
    mote_render *render = make_board(60 * degree, white, white);
    slab all, parts[2];
    make_slab(&all, 0.1, 0.3);
    make_slab(&parts[0], 0.1, 0.2);
    make_slab(&parts[1], 0.2, 0.3);
    const mote_vec3 absorption = {3, 2, 1};
    all.liquid.absorption = parts[0].liquid.absorption = parts[1].liquid.absorption = absorption;
    const mote_liquid both[2] = {parts[0].liquid, parts[1].liquid};
    draw_liquids(render, &all.liquid, 1, one);
    draw_liquids(render, both, 2, two);
    for (size_t i = 3 * WIDTH * (HEIGHT / 2); i < 3 * WIDTH * (HEIGHT / 2 + 1); ++i)
        CHECK(abs(one[i] - two[i]) <= 1, "byte %zu is %d, expected %d", i, two[i], one[i]);
    mote_render_destroy(render);
    free(one), free(two);
}

// A ball in the water is seen where refracted rays meet it. Where straight ones would, there is the floor behind as
// much water as without the ball, and no ghost of it.
static void a_ball_is_seen_where_rays_meet_it(void **state)
{
    (void)state;
    const double elevation = 45 * degree, depth = 0.4, height = 0.08, pixel = 2 * 6 * tan(10 * degree) / HEIGHT;
    const mote_sphere ball = {{0.125, 0, height}, 0.05};
    uint8_t *without = malloc(3 * WIDTH * HEIGHT), *with = malloc(3 * WIDTH * HEIGHT);
    mote_mesh *mesh;
    slab water;
    make_slab(&water, 0.0005, depth);
    water.liquid.absorption = (mote_vec3){2.5, 1.2, 0.6};
    CHECK_OK(mote_mesh_create_spheres(NULL, &ball, 1, 0.01, &mesh, NULL));
    for (int has_ball = 0; has_ball < 2; ++has_ball) {
        mote_render *render = make_board(elevation, white, white);
        mote_look_def look = mote_look_default_def();
        look.color = (mote_vec3){0.02, 0.02, 0.02};
        if (has_ball) CHECK_OK(mote_render_add_mesh(render, mesh, &look, NULL, NULL));
        draw_liquids(render, &water.liquid, 1, has_ball ? with : without);
        mote_render_destroy(render);
    }
    const double in_water = asin(sin(90 * degree - elevation) / 1.333), above = (depth - height) * tan(in_water);
    const int straight = (int)(HEIGHT / 2 - height * cos(elevation) / pixel);
    const int refracted = (int)(HEIGHT / 2 - (depth * cos(elevation) - above * sin(elevation)) / pixel);
    CHECK(straight - refracted > 7, "the images of the ball are %d pixels apart", straight - refracted);
    const size_t ghost = 3 * (size_t)(straight * WIDTH + WIDTH / 2), seen = 3 * (size_t)(refracted * WIDTH + WIDTH / 2);
    for (size_t c = 0; c < 3; ++c) {
        CHECK(abs(with[ghost + c] - without[ghost + c]) <= 6, "colour %zu of the ghost is %d, without the ball %d", c,
              with[ghost + c], without[ghost + c]);
        CHECK(without[seen + c] - with[seen + c] > 40, "colour %zu of the ball is %d, without it %d", c, with[seen + c],
              without[seen + c]);
    }
    mote_mesh_destroy(mesh);
    free(without), free(with);
}

// An open surface over the floor: the water goes on to the floor.
static void open_surfaces_have_water_below(void **state)
{
    (void)state;
    uint8_t *closed = malloc(3 * WIDTH * HEIGHT), *open = malloc(3 * WIDTH * HEIGHT);
    mote_render *render = make_board(60 * degree, white, white);
    slab water;
    make_slab(&water, 0, 0.3);
    water.liquid.absorption = (mote_vec3){3, 2, 1};
    draw_liquids(render, &water.liquid, 1, closed);
    water.liquid.triangles += 6;  // the top alone
    water.liquid.triangle_count = 2;
    draw_liquids(render, &water.liquid, 1, open);
    const size_t middle = 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
    for (size_t c = middle; c < middle + 3; ++c)
        CHECK(abs(closed[c] - open[c]) <= 1, "colour is %d, expected %d", open[c], closed[c]);
    mote_render_destroy(render);
    free(closed), free(open);
}

// ------------------------------------------------------------------------------------------- what remains as it was

static void pictures_without_water_stay_the_same(void **state)
{
    (void)state;
    const size_t bytes = 3 * WIDTH * HEIGHT;
    uint8_t *before = malloc(bytes), *wet = malloc(bytes), *after = malloc(bytes);
    mote_render *render = make_board(45 * degree, grey, bright);
    slab water;
    make_slab(&water, 0.1, 0.3);
    draw_liquids(render, NULL, 0, before);
    for (int is_clear = 0; is_clear < 2; ++is_clear) {
        water.liquid.is_clear = is_clear;
        draw_liquids(render, &water.liquid, 1, wet);
        assert_true(memcmp(before, wet, bytes) != 0);
        draw_liquids(render, &water.liquid, 1, after);
        assert_memory_equal(wet, after, bytes);  // twice the same
        draw_liquids(render, NULL, 0, after);
        assert_memory_equal(before, after, bytes);
    }
    water.liquid.is_clear = true;
    water.liquid.triangle_count = 0;
    draw_liquids(render, &water.liquid, 1, after);
    assert_memory_equal(before, after, bytes);
    mote_render_destroy(render);
    free(before), free(wet), free(after);
}

static void surfaces_take_colours_of_numbers(void **state)
{
    (void)state;
    uint8_t *rgb = malloc(3 * WIDTH * HEIGHT);
    const size_t middle = 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
    mote_render *render = make_board(60 * degree, grey, bright);
    slab body;
    make_slab(&body, 0.1, 0.3);
    const float slow[8] = {0}, fast[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    body.liquid.is_clear = false;
    body.liquid.color = (mote_vec3){0.8, 0.1, 0.1};
    draw_liquids(render, &body.liquid, 1, rgb);
    CHECK(rgb[middle] > rgb[middle + 2] + 60, "(%d, %d, %d) is not red", rgb[middle], rgb[middle + 1], rgb[middle + 2]);
    body.liquid.scalars = slow;
    draw_liquids(render, &body.liquid, 1, rgb);
    const int dark = rgb[middle];
    CHECK(rgb[middle + 2] > dark + 40, "(%d, %d, %d) is not blue", dark, rgb[middle + 1], rgb[middle + 2]);
    body.liquid.scalars = fast;
    draw_liquids(render, &body.liquid, 1, rgb);
    CHECK(rgb[middle] > dark + 80, "red is %d at the map's end, %d at its beginning", rgb[middle], dark);
    mote_render_destroy(render);
    free(rgb);
}

static void bad_liquids_are_refused(void **state)
{
    (void)state;
    uint8_t *rgb = malloc(3 * WIDTH * HEIGHT);
    mote_render *render = make_board(45 * degree, grey, bright);
    slab bad[6];
    for (int k = 0; k < 6; ++k) make_slab(&bad[k], 0, 1);
    bad[0].triangles[5] = 8;
    bad[1].xyz[4] = NAN;
    bad[2].liquid.refraction = 0.5;
    bad[3].liquid.absorption.y = -1;
    bad[4].liquid.triangles = NULL;
    bad[5].liquid.vertices.axis[1] = NULL;
    static const char *const expected[] = {"triangle 1 has vertex 8, expected below 8", "vertex 1 is not finite",
                                           "refraction is 0.5, expected 1 to 3", "absorption is (0, -1, 0)",
                                           "triangles is NULL", "vertices"};
    mote_picture picture = mote_picture_default();
    mote_error error;
    for (int k = 0; k < 6; ++k) {
        picture.liquids = &bad[k].liquid, picture.liquid_count = 1;
        const mote_result result = mote_render_frame(render, &picture, rgb, &error);
        assert_int_equal(result, k == 1 ? MOTE_ERROR_NOT_FINITE : MOTE_ERROR_ARGUMENT);
        CHECK(strstr(error.text, expected[k]), "\"%s\" lacks \"%s\"", error.text, expected[k]);
    }
    picture.liquids = NULL;
    assert_int_equal(mote_render_frame(render, &picture, rgb, &error), MOTE_ERROR_ARGUMENT);
    mote_render_destroy(render);
    free(rgb);
}

// --------------------------------------------------------------------------------------------- a picture to look at

static double wave(double x, double y)
{
    return 0.42 + 0.05 * sin(7 * x + 2 * y) + 0.03 * sin(13 * y - 5 * x) + 0.015 * sin(29 * x + 23 * y);
}

// Water with waves in a tank, [0, 2] × [0, 1], all of it closed.
static void make_waves(float *xyz, uint32_t *triangles, size_t *vertex_count, size_t *triangle_count)
{
    enum { X = 160, Y = 80, ROW = X + 1, LAYER = ROW * (Y + 1) };
    size_t v = 0, t = 0;
    for (int low = 0; low < 2; ++low)
        for (int j = 0; j <= Y; ++j)
            for (int i = 0; i <= X; ++i, v += 3) {
                xyz[v] = 2.0f * (float)i / X, xyz[v + 1] = (float)j / Y;
                xyz[v + 2] = low ? 0.002f : (float)wave(xyz[v], xyz[v + 1]);
            }
    for (uint32_t j = 0; j < Y; ++j)
        for (uint32_t i = 0; i < X; ++i) {
            const uint32_t a = j * ROW + i, b = a + 1, c = a + ROW, d = c + 1;
            const uint32_t both[] = {a, b, d, a, d, c,  // above, and below
                                     LAYER + a, LAYER + d, LAYER + b, LAYER + a, LAYER + c, LAYER + d};
            for (int k = 0; k < 12; ++k) triangles[t++] = both[k];
        }
    for (uint32_t k = 0; k < 2 * (X + Y); ++k) {  // around, counter-clockwise seen from above
        const uint32_t i = k < X ? k : k < X + Y ? X : k < 2 * X + Y ? 2 * X + Y - k : 0;
        const uint32_t j = k < X ? 0 : k < X + Y ? k - X : k < 2 * X + Y ? Y : 2 * (X + Y) - k;
        const uint32_t n = (k + 1) % (2 * (X + Y));
        const uint32_t p = n < X ? n : n < X + Y ? X : n < 2 * X + Y ? 2 * X + Y - n : 0;
        const uint32_t q = n < X ? 0 : n < X + Y ? n - X : n < 2 * X + Y ? Y : 2 * (X + Y) - n;
        const uint32_t a = j * ROW + i, b = q * ROW + p;
        const uint32_t side[] = {LAYER + a, LAYER + b, b, LAYER + a, b, a};
        for (int m = 0; m < 6; ++m) triangles[t++] = side[m];
    }
    *vertex_count = v / 3, *triangle_count = t / 3;
}

// The water's shadow lets light through: beside the tank the floor is darker than far away, and brighter than where a
// ball blocks the sun.
static void a_tank_of_water(void **state)
{
    (void)state;
    mote_render_def def = mote_render_default_def();
    def.box = (mote_box){{0, 0, 0}, {2, 1, 1}};
    def.width = 640, def.height = 360;
    mote_render *render = make_render(NULL, &def);
    const mote_sphere balls[2] = {{{0.6, 0.5, 0.42}, 0.15}, {{2.6, 0.5, 0.8}, 0.15}};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_spheres(NULL, balls, 2, 0.03, &mesh, NULL));
    CHECK_OK(mote_render_add_mesh(render, mesh, NULL, NULL, NULL));
    float *xyz = malloc(3 * sizeof(float) * 2 * 161 * 81);
    uint32_t *triangles = malloc(3 * sizeof(uint32_t) * 60000);
    size_t vertices, count;
    make_waves(xyz, triangles, &vertices, &count);
    mote_liquid water = mote_liquid_default();
    water.vertices = mote_points_xyz(xyz, vertices);
    water.triangles = triangles;
    water.triangle_count = count;
    uint8_t *dry = malloc(3 * 640 * 360), *wet = malloc(3 * 640 * 360);
    draw_liquids(render, NULL, 0, dry);
    draw_liquids(render, &water, 1, wet);
    size_t darker = 0, bluer = 0, least = 255;
    for (size_t i = 0; i < 640 * 360; ++i) {
        bluer += wet[3 * i + 2] > wet[3 * i] + 40;
        darker += i % 640 > 530 && wet[3 * i] < dry[3 * i];
        if (i % 640 > 530 && wet[3 * i] < dry[3 * i] && wet[3 * i] < least) least = wet[3 * i];
    }
    CHECK(bluer > 20000, "%zu pixels are blue", bluer);
    CHECK_OK(mote_png_write(NULL, "test_water.png", wet, 640, 360, NULL));
    CHECK(darker > 100 && least > 90, "%zu pixels are in the water's shadow, the darkest %zu", darker, least);
    free(dry), free(wet), free(xyz), free(triangles);
    mote_mesh_destroy(mesh);
    mote_render_destroy(render);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_move_as_snell_says),
        cmocka_unit_test(colours_fade_as_lambert_says),
        cmocka_unit_test(liquids_add_up),
        cmocka_unit_test(a_ball_is_seen_where_rays_meet_it),
        cmocka_unit_test(open_surfaces_have_water_below),
        cmocka_unit_test(pictures_without_water_stay_the_same),
        cmocka_unit_test(surfaces_take_colours_of_numbers),
        cmocka_unit_test(bad_liquids_are_refused),
        cmocka_unit_test(a_tank_of_water),
    };
    RUN_TESTS(tests, argc, argv);
}
