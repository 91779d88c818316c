// SPDX-License-Identifier: MIT
// Scene files: what a good one gives, the one line that each bad one gives, and that no text does harm.

#include "mote/scene.h"
#include "support/test.h"

static const char good[] =
    "{\n"
    "    \"title\": \"Säule\", \"dimensions\": 3,\n"
    "    \"end_time\": 1.5, \"frames\": 31, \"seed\": 7,\n"
    "    \"fluid\": {\"spacing\": 0.1, \"state_equation\": \"ideal_gas\", \"gravity\": [0, 0, -9.81]},\n"
    "    \"tank\": {\"min\": [0, 0, 0], \"max\": [2, 1, 1.5], \"open_z_max\": true},\n"
    "    \"blocks\": [\n"
    "        {\"min\": [0, 0, 0], \"max\": [0.5, 1, 1]},\n"
    "        {\"min\": [1, 0, 0], \"max\": [1.5, 1, 3], \"velocity\": [0, 0, -2]}\n"
    "    ],\n"
    "    \"solids\": [{\"name\": \"bunny\", \"mesh\": \"bunny.obj\", \"scale\": 2, \"translate\": [1, 2, 3]}],\n"
    "    \"picture\": {\"width\": 640, \"title\": \"x\"}\n"
    "}\n";

// A section that the scene module knows nothing of.
typedef struct picture {
    int32_t width, height;
    const char *title;
} picture;

static const mote_field picture_fields[] = {
    {.name = "width", .type = MOTE_FIELD_INT, .offset = offsetof(picture, width), .min = 16, .max = 8192,
     .initial = {1280}, .meaning = "in pixels"},
    {.name = "height", .type = MOTE_FIELD_INT, .offset = offsetof(picture, height), .min = 16, .max = 8192,
     .initial = {720}, .meaning = "in pixels"},
    {.name = "title", .type = MOTE_FIELD_TEXT, .offset = offsetof(picture, title), .meaning = "above it"},
};
static const mote_field_table picture_table = {"picture", "how frames are drawn", picture_fields, 3};

static mote_result parse(mote_context *context, const char *text, size_t length, mote_scene **scene, picture *into,
                         mote_error *error)
{
    mote_fields_set_defaults(&picture_table, into);
    mote_scene_section section = {"picture", &picture_table, into};
    return mote_scene_parse(context, text, length, &section, 1, scene, error);
}

// --------------------------------------------------------------------------------------------------- good ones

static void a_scene_becomes_settings(void **state)
{
    (void)state;
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, good, strlen(good), &scene, &shown, &error) == MOTE_OK, "%u:%u: %s", error.line, error.column,
          error.text);
    const mote_scene_settings *settings = mote_scene_get_settings(scene);
    const mote_simulation_def *def = &settings->simulation;
    assert_string_equal(settings->title, "Säule");
    assert_string_equal(settings->description, "");
    CHECK(settings->end_time == 1.5 && settings->frames == 31 && def->seed == 7, "settings of the run");
    CHECK(def->fluid.dimensions == 3 && def->fluid.spacing == 0.1, "fluid");
    CHECK(def->fluid.state_equation == MOTE_STATE_IDEAL_GAS, "a choice");
    CHECK(def->phase.rest_density == 1000 && isnan(def->fluid.support), "defaults");
    CHECK(def->has_tank && def->tank.max.z == 1.5 && def->tank.open_z_max && !def->tank.open_x_min, "tank");
    CHECK(def->block_count == 2 && def->blocks[1].velocity.z == -2 && def->blocks[0].velocity.z == 0, "blocks");
    CHECK(def->solid_count == 1 && def->solids[0].placement.scale == 2 && def->solids[0].placement.translate.z == 3,
          "solids");
    assert_string_equal(def->solids[0].mesh_file, "bunny.obj");
    CHECK(shown.width == 640 && shown.height == 720, "the picture's size");
    assert_string_equal(shown.title, "x");
    mote_scene_destroy(scene);
}

static void a_small_scene_has_defaults(void **state)
{
    (void)state;
    static const char text[] = "{\"end_time\": 1, \"dimensions\": 2e0, \"fluid\": {\"spacing\": 1},"
                               "\"blocks\": [{\"min\": [0, 5, 0], \"max\": [1, 5, 1]}]}";
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_OK, "%s", error.text);
    const mote_scene_settings *settings = mote_scene_get_settings(scene);
    CHECK(!settings->simulation.has_tank && settings->simulation.solid_count == 0, "nothing else");
    CHECK(settings->simulation.fluid.dimensions == 2 && settings->frames == 101, "2D needs no depth");
    CHECK(shown.width == 1280 && !shown.title, "the picture's defaults");
    mote_scene_destroy(scene);
}

static void meshes_are_handed_over(void **state)
{
    (void)state;
    mote_scene *scene;
    picture shown;
    CHECK_OK(parse(NULL, good, strlen(good), &scene, &shown, NULL));
    mote_mesh mesh = {0};
    CHECK(mote_scene_get_settings(scene)->simulation.solids[0].mesh == NULL, "none at first");
    mote_scene_set_mesh(scene, 0, &mesh);
    CHECK(mote_scene_get_settings(scene)->simulation.solids[0].mesh == &mesh, "then this one");
    mote_scene_destroy(scene);
}

static void blocks_have_shapes_and_expressions(void **state)
{
    (void)state;
    static const char text[] =
        "{\"end_time\": 1, \"fluid\": {\"spacing\": 0.1, \"gravity\": [0, 0, -9.81]}, \"blocks\": ["
        "{\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"velocity\": [\"-cos(2*pi*x)\", 0.5, \"1 +\\n z\"], "
        "\"pressure\": -250},"
        "{\"shape\": \"ball\", \"center\": [5, 0, 0], \"radius\": 1, \"pressure\": \"hydrostatic\", "
        "\"velocity\": {\"z\": \"x\", \"x\": 3}},"
        "{\"shape\": \"cylinder\", \"center\": [9, 0, 0], \"radius\": 1, \"height\": 2, \"pressure\": \"9*z\"},"
        "{\"shape\": \"points\", \"points\": \"drop.csv\"}]}";
    static const char *const printed[] = {"[\"-cos(2*pi*x)\", 0.5, \"1 +\\u000a z\"]", "\"-250\"", "\"hydrostatic\"",
                                          "\"9*z\""};
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_OK, "%s", error.text);
    const mote_block_def *blocks = mote_scene_get_settings(scene)->simulation.blocks;
    assert_string_equal(blocks[0].velocity_text[0], "-cos(2*pi*x)");
    CHECK(!blocks[0].velocity_text[1] && blocks[0].velocity.y == 0.5, "a number among expressions");
    assert_string_equal(blocks[0].velocity_text[2], "1 +\n z");
    assert_string_equal(blocks[1].velocity_text[2], "x");
    CHECK(!blocks[1].velocity_text[0] && blocks[1].velocity.x == 3 && blocks[1].velocity.y == 0, "components");
    assert_string_equal(blocks[0].pressure, "-250");
    assert_string_equal(blocks[3].pressure, "hydrostatic");
    CHECK(blocks[1].shape == MOTE_SHAPE_BALL && blocks[1].radius == 1 && blocks[1].center.x == 5, "a ball");
    CHECK(blocks[2].height == 2 && isnan(blocks[2].axis.x) && isnan(blocks[2].min.x), "a cylinder");
    assert_string_equal(blocks[3].points_file, "drop.csv");
    for (size_t k = 0; k < 4; ++k) {
        char value[128];
        const mote_field *field = mote_fields_find(mote_block_fields(), k ? "pressure" : "velocity");
        mote_field_value_text(field, &blocks[k ? k - 1 : 0], value, sizeof value);
        assert_string_equal(value, printed[k]);
    }
    const double points[3] = {1, 2, 3};
    mote_scene_set_points(scene, 3, points, 1);
    CHECK(blocks[3].points == points && blocks[3].point_count == 1, "the points");
    mote_scene_destroy(scene);
}

static void solids_have_looks(void **state)
{
    (void)state;
    static const char text[] =
        "{\"end_time\": 1, \"grains\": {\"count\": 1, \"min\": [0, 0, 0], \"max\": [1, 1, 1]}, \"solids\": ["
        "{\"name\": \"a\", \"mesh\": \"a.obj\"},"
        "{\"name\": \"b\", \"mesh\": \"b.obj\", \"color\": [0.1, 0.2, 0.3], \"opacity\": 0.25, \"crease_angle\": 60,"
        " \"visible\": false}]}";
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_OK, "%s", error.text);
    const mote_solid_def *solids = mote_scene_get_settings(scene)->simulation.solids;
    const mote_look_def plain = solids[0].look, set = solids[1].look, usual = mote_look_default_def();
    CHECK(isnan(plain.color.x) && plain.opacity == 1 && plain.crease_angle == 30 && plain.visible, "defaults");
    CHECK(isnan(usual.color.x) && usual.opacity == 1 && usual.crease_angle == 30 && usual.visible, "the API's");
    CHECK(set.color.x == 0.1 && set.color.z == 0.3 && set.opacity == 0.25 && set.crease_angle == 60 && !set.visible,
          "what is set");
    mote_scene_destroy(scene);
}

static void fields_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint32_t line, column;
    } cases[] = {
        {"fluid.spacing", 4, 26},      {"fluid.gamma is 3, expected 1 or 7", 4, 14},
        {"fluid: spacing is 3, expected", 4, 26}, {"fluid: too much of it", 4, 14},
        {"blocks[1].velocity", 8, 60}, {"blocks[0].max[2]", 7, 44},
        {"solids[0].mesh", 10, 42},    {"solids[0]", 10, 16},
        {"blocks[7]", 6, 15},          {"end_time", 3, 17},
        {"nothing.at.all", 0, 0},      {"", 0, 0},
    };
    mote_scene *scene;
    picture shown;
    CHECK_OK(parse(NULL, good, strlen(good), &scene, &shown, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t line, column;
        bool found = mote_scene_find_place(scene, cases[i].path, &line, &column);
        CHECK(line == cases[i].line && column == cases[i].column, "'%s' at %u:%u", cases[i].path, line, column);
        CHECK(found == (cases[i].line > 0), "'%s'", cases[i].path);
    }
    mote_scene_destroy(scene);
}

static void sections_are_listed(void **state)
{
    (void)state;
    size_t count = 0;
    while (mote_simulation_part_at(count)) ++count;
    CHECK(count == 13, "%zu sections", count);
    for (size_t i = 0; i < count; ++i) CHECK(mote_simulation_part_at(i)->fields()->count > 0, "section %zu", i);
    CHECK(mote_fields_find(mote_scene_fields(), "end_time"), "end_time");
}

// ---------------------------------------------------------------------------------------------------- bad ones

// The good scene with `part` replaced (the first occurrence) gives exactly this line.
typedef struct fault {
    const char *part, *replacement, *expected;
} fault;

static const fault key_faults[] = {
    {"\"spacing\"", "\"spacin\"", "4:15: fluid has the unknown key \"spacin\", expected \"spacing\""},
    {"\"end_time\"", "\"end_tiem\"", "3:5: the scene has the unknown key \"end_tiem\", expected \"end_time\""},
    {"\"fluid\"", "\"flui\"", "4:5: the scene has the unknown key \"flui\", expected \"fluid\""},
    {"\"velocity\"", "\"speed\"",
     "8:48: blocks[1] has the unknown key \"speed\", expected one of min, max, velocity, pressure, "
     "shape, center, radius, axis, height, points, fluid"},
    {"\"width\"", "\"breadth\"",
     "11:17: picture has the unknown key \"breadth\", expected one of width, height, title"},
    {"\"scale\": 2", "\"colour\": 2", "10:55: solids[0] has the unknown key \"colour\", expected \"color\""},
    {"\"translate\"", "\"transl\\u0061t\"",
     "10:67: solids[0] has the unknown key \"transl\\u0061t\", expected \"translate\""},
    {"\"open_z_max\": true", "\"min\": [0, 0, 0]", "5:52: the key \"min\" stands twice, expected once"},
    {"\"seed\": 7", "\"frames\": 7", "3:36: the key \"frames\" stands twice, expected once"},
};

static const fault missing[] = {
    {"\"spacing\": 0.1, ", "", "4:14: fluid.spacing is missing, expected a number above 0 and at most 1000000 [m]"},
    {"\"end_time\": 1.5, ", "", "1:1: end_time is missing, expected a number above 0 [s]"},
    {", \"max\": [0.5, 1, 1]", "",
     "7:9: blocks[0].max is missing, expected three numbers, each from -1000000 to 1000000 [m]"},
    {"\"mesh\": \"bunny.obj\", ", "",
     "10:16: solids[0].mesh is missing, expected the name of a file, or a shape or spheres instead"},
};

static const fault type_faults[] = {
    {"\"spacing\": 0.1", "\"spacing\": \"fine\"",
     "4:26: fluid.spacing is \"fine\", expected a number above 0 and at most 1000000 [m]"},
    {"\"frames\": 31", "\"frames\": 31.5", "3:32: frames is 31.5, expected a whole number from 2 to 100000"},
    {"\"frames\": 31", "\"frames\": null", "3:32: frames is null, expected a whole number from 2 to 100000"},
    {"\"open_z_max\": true", "\"open_z_max\": 1", "5:66: tank.open_z_max is 1, expected true or false"},
    {"\"Säule\"", "{}", "2:14: title is {}, expected a text"},
    {"[0, 0, -9.81]", "[0, -9.81]",
     "4:73: fluid.gravity is [0, -9.81], expected three numbers, each from -1000000 to 1000000, or expressions in t "
     "[m/s^2]"},
    {"[0, 0, -9.81]", "[0,\n 0, [9]]",
     "4:73: fluid.gravity is [0, 0, [9]], expected three numbers, each from -1000000 to 1000000, or expressions in t "
     "[m/s^2]"},
    {"\"min\": [1, 0, 0]", "\"min\": [1,\n 0, \"0\"]",
     "8:17: blocks[1].min is [1, 0, \"0\"], expected three numbers, each from -1000000 to 1000000 [m]"},
    {"\"ideal_gas\"", "\"ideal_gaz\"",
     "4:49: fluid.state_equation is \"ideal_gaz\", expected \"tait\" or \"ideal_gas\"; did you mean \"ideal_gas\"?"},
    {"\"ideal_gas\"", "7", "4:49: fluid.state_equation is 7, expected \"tait\" or \"ideal_gas\""},
    {"{\"width\": 640, \"title\": \"x\"}", "[640]", "11:16: picture is [640], expected an object: {\"width\": …}"},
    {"{\"min\": [0, 0, 0], \"max\": [0.5, 1, 1]}", "0", "7:9: blocks[0] is 0, expected an object: {\"min\": …}"},
    {"\"scale\": 2", "\"color\": \"red\"",
     "10:64: solids[0].color is \"red\", expected three numbers, each from 0 to 1"},
    {"\"scale\": 2", "\"visible\": 0", "10:66: solids[0].visible is 0, expected true or false"},
    {"\"scale\": 2", "\"opacity\": \"half\"", "10:66: solids[0].opacity is \"half\", expected a number from 0 to 1"},
    {"[{\"name\"", "{\"name\"", "10:89: broken JSON: '}' expected near ']'"},
};

static const fault range_faults[] = {
    {"\"spacing\": 0.1", "\"spacing\": -1e-3",
     "4:26: fluid.spacing is -1e-3, expected a number above 0 and at most 1000000 [m]"},
    {"\"spacing\": 0.1", "\"spacing\": 0",
     "4:26: fluid.spacing is 0, expected a number above 0 and at most 1000000 [m]"},
    {"\"frames\": 31", "\"frames\": 1000000", "3:32: frames is 1000000, expected a whole number from 2 to 100000"},
    {"\"frames\": 31", "\"frames\": 1", "3:32: frames is 1, expected a whole number from 2 to 100000"},
    {"\"dimensions\": 3", "\"dimensions\": 4", "2:38: dimensions is 4, expected a whole number from 2 to 3"},
    {"\"seed\": 7", "\"seed\": -7", "3:44: seed is -7, expected a whole number from 0 to 9007199254740992"},
    {"\"width\": 640", "\"width\": 99999", "11:26: picture.width is 99999, expected a whole number from 16 to 8192"},
    {"\"scale\": 2", "\"weld\": -1",
     "10:63: solids[0].weld is -1, expected true, false or a number from 0 to 1000000 [m]"},
    {"\"scale\": 2", "\"weld\": \"yes\"",
     "10:63: solids[0].weld is \"yes\", expected true, false or a number from 0 to 1000000 [m]"},
    {"\"scale\": 2", "\"weld\": null",
     "10:63: solids[0].weld is null, expected true, false or a number from 0 to 1000000 [m]"},
    {"\"scale\": 2", "\"scale\": 0", "10:64: solids[0].scale is 0, expected a number above 0 and at most 1000000"},
    {"\"scale\": 2", "\"opacity\": 1.5", "10:66: solids[0].opacity is 1.5, expected a number from 0 to 1"},
    {"\"scale\": 2", "\"opacity\": -0.1", "10:66: solids[0].opacity is -0.1, expected a number from 0 to 1"},
    {"\"scale\": 2", "\"crease_angle\": 181",
     "10:71: solids[0].crease_angle is 181, expected a number from 0 to 180 [degree]"},
    {"\"scale\": 2", "\"color\": [0, 0.5, 255]",
     "10:64: solids[0].color is [0, 0.5, 255], expected three numbers, each from 0 to 1"},
};

static void missing_components_keep_their_defaults(void **state)
{
    (void)state;
    static const char text[] = "{\"end_time\": 1, \"fluid\": {\"spacing\": 0.1, \"gravity\": {\"x\": 1}}, \"blocks\": ["
                               "{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]}";
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_OK, "%s", error.text);
    const mote_vec3 gravity = mote_scene_get_settings(scene)->simulation.fluid.gravity;
    CHECK(gravity.x == 1 && gravity.y == 0 && gravity.z == -9.81, "(%g, %g, %g)", gravity.x, gravity.y, gravity.z);
    mote_scene_destroy(scene);
}

static const fault formula_faults[] = {
    {"[0, 0, -9.81]", "{\"x\": 1, \"w\": 2}",
     "4:82: fluid.gravity has the unknown key \"w\", expected one of x, y, z"},
    {"[0, 0, -9.81]", "{\"z\": \"2*s\"}",
     "4:82: fluid.gravity.z is no expression: \"s\" at column 3, expected one of t, pi, sqrt, sin, cos, tan, exp, log, "
     "cosh, sinh, tanh, abs, min, max"},
    {"[0, 0, -9.81]", "{}",
     "4:73: fluid.gravity is {}, expected three numbers, each from -1000000 to 1000000, or expressions in t [m/s^2]"},
    {"[0, 0, -9.81]", "{\"x\": true}",
     "4:73: fluid.gravity is {\"x\": true}, expected three numbers, each from -1000000 to 1000000, or expressions in t "
     "[m/s^2]"},
    {"[0, 0, -2]", "[0, 0, \"1 + sine(x)\"]",
     "8:72: blocks[1].velocity[2] is no expression: \"sine\" at column 5, expected \"sin\""},
    {"[0, 0, -9.81]", "[0,\n \"2*s\", -9.81]",
     "5:5: fluid.gravity[1] is no expression: \"s\" at column 3, expected one of t, pi, sqrt, sin, cos, tan, exp, log, "
     "cosh, sinh, tanh, abs, min, max"},
    {"[0, 0, -2]", "[\"x +\\n  \\u00e4\", 0, 0]",
     "8:69: blocks[1].velocity[0] is no expression: \"ä\" at line 2, column 3, expected a number, a name or \"(\""},
    {"[0, 0, -2]", "[\"\\\"\", 0, 0]",
     "8:62: blocks[1].velocity[0] is no expression: \"\"\" at column 1, expected a number, a name or \"(\""},
    {"[0, 0, -2]", "[\"\", 0, 0]",
     "8:60: blocks[1].velocity is [\"\", 0, 0], expected three numbers, each from -1000000 to 1000000, or expressions "
     "in x, y, z [m/s]"},
    {"[0, 0, -2]", "[true, 0, 0]",
     "8:60: blocks[1].velocity is [true, 0, 0], expected three numbers, each from -1000000 to 1000000, or expressions "
     "in x, y, z [m/s]"},
    {"[0, 0, -2]", "[2e6, 0, \"x\"]",
     "8:60: blocks[1].velocity is [2e6, 0, \"x\"], expected three numbers, each from -1000000 to 1000000, or "
     "expressions in x, y, z [m/s]"},
    {"[0, 0, -2]", "[0, 0, 0], \"pressure\": \"10*(x\"",
     "8:89: blocks[1].pressure is no expression: the end at column 6, expected an operator or \")\""},
    {"[0, 0, -2]", "[0, 0, 0], \"pressure\": [1]",
     "8:83: blocks[1].pressure is [1], expected a number, \"hydrostatic\" or an expression in x, y, z [Pa]"},
    {"\"velocity\": [0, 0, -2]", "\"radius\": 1",
     "8:58: blocks[1].radius is 1, expected no such key, for the shape is \"box\""},
    {"\"velocity\": [0, 0, -2]", "\"shape\": \"ball\"",
     "8:17: blocks[1].min is [1, 0, 0], expected no such key, for the shape is \"ball\""},
    {"{\"min\": [0, 0, 0], \"max\": [0.5, 1, 1]}", "{\"shape\": \"ball\", \"center\": [0, 0, 0]}",
     "7:9: blocks[0].radius is missing, expected a number from 0 to 1000000 [m]"},
    {"{\"min\": [0, 0, 0], \"max\": [0.5, 1, 1]}", "{\"shape\": \"bal\"}",
     "7:19: blocks[0].shape is \"bal\", expected \"box\", \"ball\", \"cylinder\" or \"points\"; did you mean "
     "\"ball\"?"},
    {"{\"min\": [0, 0, 0], \"max\": [0.5, 1, 1]}",
     "{\"shape\": \"cylinder\", \"center\": [0, 0, 0], \"radius\": 1, \"height\": 1, \"axis\": [0, 0, 0]}",
     "7:86: blocks[0].axis is [0, 0, 0], expected a direction"},
};

static const fault misfits[] = {
    {"\"max\": [2, 1, 1.5]", "\"max\": [2, 0, 1.5]",
     "5:39: tank.max is [2, 0, 1.5], expected more than tank.min along y"},
    {"\"max\": [0.5, 1, 1]", "\"max\": [0.5, 1, 0.05]",
     "7:35: blocks[0].max is [0.5, 1, 0.05], expected at least fluid.spacing more than blocks[0].min along z"},
    {"\"max\": [1.5, 1, 3]", "\"max\": [2.5, 1, 3]",
     "8:35: blocks[1].max is [2.5, 1, 3], expected a block inside the tank: at most 2 along x"},
    {"{\"min\": [0, 0, 0], \"max\": [0.5, 1, 1]}", "{\"min\": [0, -0.5, 0], \"max\": [0.5, 1, 1]}",
     "7:17: blocks[0].min is [0, -0.5, 0], expected a block inside the tank: at least 0 along y"},
    {"\"min\": [1, 0, 0]", "\"min\": [0.4, 0, 0]",
     "8:9: blocks[1] is {\"min\": [0.4, 0, 0], \"max\": [1.5, 1, 3], \"velocity\":…, expected a block that does not "
     "overlap blocks[0]"},
    {"\"spacing\": 0.1", "\"spacing\": 1e-6",
     "4:26: fluid.spacing is 1e-6, expected at most 4294967294 particles in all blocks, not 2e+18"},
    {"\"scale\": 2", "\"shape\": \"box\"", "10:42: solids[0].mesh is \"bunny.obj\", expected none beside a shape"},
    {"\"mesh\": \"bunny.obj\"", "\"shape\": \"box\", \"min\": [0, 0, 0]",
     "10:16: solids[0].max is missing, expected that of shape \"box\""},
    {"\"mesh\": \"bunny.obj\"", "\"shape\": \"box\", \"min\": [0, 0, 0], \"max\": [1, 0, 1]",
     "10:75: solids[0].max is [1, 0, 1], expected more than min along each axis"},
    {"\"mesh\": \"bunny.obj\"", "\"shape\": \"ball\", \"center\": [0, 0, 0], \"radius\": 0",
     "10:82: solids[0].radius is 0, expected a number above 0"},
    {"\"mesh\": \"bunny.obj\"", "\"shape\": \"ball\", \"center\": [0, 0, 0], \"radius\": 1, \"height\": 1",
     "10:95: solids[0].height is 1, expected none with shape \"ball\""},
    {"\"mesh\": \"bunny.obj\"", "\"shape\": \"disc\", \"center\": [0, 0, 0], \"radius\": 1",
     "10:43: solids[0].shape is \"disc\", expected \"box\", \"ball\", \"cylinder\" or a mesh in 3D"},
    {"\"mesh\": \"bunny.obj\"", "\"shape\": \"polygon\", \"corners\": [[0, 0], [1, 0], [1, \"a\"]]",
     "10:65: solids[0].corners is [[0, 0], [1, 0], [1, \"a\"]], expected a list of at least 3 corners [x, z], numbers "
     "from -1000000 to 1000000 [m]"},
    {"\"scale\": 2", "\"spheres\": 2", "10:66: solids[0].spheres is 2, expected 0, or no mesh beside them"},
    {"\"mesh\": \"bunny.obj\"", "\"spheres\": 2, \"weld\": 0.1",
     "10:56: solids[0].weld is 0.1, expected false, for spheres have no vertices to merge"},
    {"\"mesh\": \"bunny.obj\"", "\"spheres\": 2, \"radius_min\": 0.2",
     "10:16: solids[0] is {\"name\": \"bunny\", \"spheres\": 2, \"radius_min\": 0.2, \"…, expected at least "
     "radius_min"},
    {"\"mesh\": \"bunny.obj\"", "\"spheres\": 2, \"box_max\": [1, 0.1, 1]",
     "10:59: solids[0].box_max is [1, 0.1, 1], expected more than box_min along y, by 2 radius_max at least"},
    {"\"scale\": 2", "\"cut_point\": [0, 0, 1]",
     "10:68: solids[0].cut_point is [0, 0, 1], expected a cut_normal beside it that is not 0"},
    {"\"blocks\"", "\"grains\": {\"count\": 5, \"min\": [0, -0.1, 0], \"max\": [1, 1, 1]},\n    \"blocks\"",
     "6:35: grains.min is [0, -0.1, 0], expected a box inside the tank: at least 0 along y"},
    {"\"blocks\"", "\"grains\": {\"count\": 5, \"min\": [0, 0, 0], \"max\": [3, 1, 1]},\n    \"blocks\"",
     "6:53: grains.max is [3, 1, 1], expected a box inside the tank: at most 2 along x"},
    {"\"bunny\"", "\"../bunny\"",
     "10:25: solids[0].name is \"../bunny\", expected 1 to 64 of the characters a–z, A–Z, 0–9, _ and -"},
    {"}],\n    \"picture\"", "}, {\"name\": \"bunny\", \"mesh\": \"b.obj\"}],\n    \"picture\"",
     "10:101: solids[1].name is \"bunny\", expected another name than that of solids[0]"},
};

static const fault broken[] = {
    {"\"frames\": 31,", "\"frames\": 31", "3:35: broken JSON: '}' expected near '\"seed\"'"},
    {"\"frames\": 31", "\"frames\": 031", "3:32: broken JSON: invalid token near '0'"},
    {"\"Säule\"", "\"S\xFFule\"", "2:14: broken JSON: unable to decode byte 0xff near '\"S'"},
    {"\"end_time\": 1.5", "\"end_time\": 1e999", "3:17: broken JSON: real number overflow near '1e999'"},
    {"\"end_time\": 1.5", "\"end_time\": NaN", "3:17: broken JSON: invalid token near 'NaN'"},
    {"\n}\n", "", "11:44: broken JSON: '}' expected near end of file"},
    {"{\n", "// water\n{\n", "1:1: broken JSON: '[' or '{' expected near '/'"},
};

static char *replaced(const fault *change)
{
    const char *at = strstr(good, change->part);
    CHECK(at, "the good scene has no '%s'", change->part);
    size_t before = (size_t)(at - good);
    char *text = malloc(strlen(good) + strlen(change->replacement) + 1);
    memcpy(text, good, before);
    strcpy(text + before, change->replacement);
    strcat(text, at + strlen(change->part));
    return text;
}

static void check_faults(const fault *faults, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        char *text = replaced(&faults[i]);
        mote_scene *scene = NULL;
        picture shown;
        mote_error error = {0};
        char line[320] = "accepted";
        if (parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_OK) mote_scene_destroy(scene);
        else snprintf(line, sizeof line, "%u:%u: %s", error.line, error.column, error.text);
        if (strcmp(line, faults[i].expected) != 0) {
            print_error("'%s' for '%s' gave\n    %s\nexpected\n    %s\n", faults[i].replacement, faults[i].part, line,
                        faults[i].expected);
            ++wrong;
        }
        CHECK(parse(NULL, text, strlen(text), &scene, &shown, NULL) != MOTE_OK, "accepted without an error");
        free(text);
    }
    CHECK(wrong == 0, "%d lines differ", wrong);
}

static void keys_that_are_wrong_have_their_line(void **state)
{
    (void)state;
    check_faults(key_faults, sizeof key_faults / sizeof key_faults[0]);
}

static void what_is_missing_has_its_line(void **state)
{
    (void)state;
    check_faults(missing, sizeof missing / sizeof missing[0]);
}

static void types_that_are_wrong_have_their_line(void **state)
{
    (void)state;
    check_faults(type_faults, sizeof type_faults / sizeof type_faults[0]);
}

static void values_out_of_range_have_their_line(void **state)
{
    (void)state;
    check_faults(range_faults, sizeof range_faults / sizeof range_faults[0]);
}

static void expressions_that_are_wrong_have_their_place(void **state)
{
    (void)state;
    check_faults(formula_faults, sizeof formula_faults / sizeof formula_faults[0]);
}

static void what_does_not_fit_together_has_its_line(void **state)
{
    (void)state;
    check_faults(misfits, sizeof misfits / sizeof misfits[0]);
}

static void broken_json_has_its_line(void **state)
{
    (void)state;
    check_faults(broken, sizeof broken / sizeof broken[0]);
}

static void expect_refusal(const char *text, const char *expected)
{
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_ERROR_FORMAT, "accepted '%s'", text);
    CHECK(strcmp(error.text, expected) == 0, "'%s', expected '%s'", error.text, expected);
}

static void texts_that_are_no_scene_are_refused(void **state)
{
    (void)state;
    expect_refusal("", "broken JSON: '[' or '{' expected near end of file");
    expect_refusal("[]", "the scene is [], expected an object: {\"title\": …}");
    expect_refusal("{\"end_time\": 1}",
                   "fluid is missing, expected the fluid's resolution, material and time steps; or grains "
                   "alone");
    expect_refusal("{\"end_time\": 1, \"fluid\": {\"spacing\": 1}, \"blocks\": []}",
                   "blocks is [], expected at least one block of fluid, or an inlet");
    expect_refusal("{\"end_time\": 1, \"dimensions\": 2, \"fluid\": {\"spacing\": 1},"
                   "\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 0, 1], \"velocity\": [0, 1, 0]}]}",
                   "blocks[0].velocity is [0, 1, 0], expected 0 along y in 2D");
}

// Dimensions belong to the run, though the fluid's def has them; and a list of keys ends where the line does.
static void shared_fields_are_unknown_in_sections(void **state)
{
    (void)state;
    static const char text[] = "{\"end_time\": 1, \"fluid\": {\"spacing\": 1, \"dimensions\": 2}, \"blocks\": []}";
    static const char expected[] = "fluid has the unknown key \"dimensions\", expected one of spacing, support, ";
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_ERROR_FORMAT, "accepted");
    CHECK(strncmp(error.text, expected, strlen(expected)) == 0, "'%s'", error.text);
    CHECK(strstr(error.text, ", …"), "'%s'", error.text);
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    mote_scene *scene;
    mote_error error = {0};
    CHECK(mote_scene_load(NULL, "no/such/scene.json", NULL, 0, &scene, &error) == MOTE_ERROR_FILE, "a missing file");
    assert_string_equal(error.text, "cannot be opened: there is no such file");
    CHECK(mote_scene_load(NULL, "/", NULL, 0, &scene, &error) == MOTE_ERROR_FILE, "a folder");
    assert_string_equal(error.text, "cannot be read: it is a folder, expected a file");
}

static void scenes_of_the_tests_are_good(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/scenes/drop.json", "scenes/dam-break-2d.json",
                                        "scenes/ball-drop-2d.json", "scenes/sloshing-2d.json"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", MOTE_SOURCE_DIR, files[i]);
        mote_scene *scene;
        mote_error error = {0};
        CHECK(mote_scene_load(NULL, path, NULL, 0, &scene, &error) == MOTE_OK, "%s:%u:%u: %s", files[i], error.line,
              error.column, error.text);
        mote_scene_destroy(scene);
    }
}

// ------------------------------------------------------------------------------------------------- ill will

enum { MUTANT_SIZE = 4096 };

// One random change: a byte, a piece cut out, or a piece copied elsewhere.
static size_t mutate(char *text, size_t length, mote_random *random)
{
    uint32_t from = mote_random_below(random, (uint32_t)length), to = mote_random_below(random, (uint32_t)length);
    size_t size = 1 + mote_random_below(random, 24);
    switch (mote_random_below(random, 4)) {
    case 0: text[from] = (char)mote_random_below(random, 256); return length;
    case 1: text[from] = "{}[]\",:0-.eE\\tnu \n"[mote_random_below(random, 18)]; return length;
    case 2:
        if (from + size >= length) return length;
        memmove(text + from, text + from + size, length - from - size);
        return length - size;
    default:
        if (from + size >= length || length + size > MUTANT_SIZE) return length;
        memmove(text + to + size, text + to, length - to);
        memmove(text + to, text + (from < to ? from : from + size <= length ? from : 0), size);
        return length + size;
    }
}

static void no_text_does_harm(void **state)
{
    (void)state;
    const uint64_t seed = 20;
    const int rounds = SANITIZED ? 4000 : 30000;
    mote_random random = {seed};
    int accepted = 0;
    for (int round = 0; round < rounds; ++round) {
        char *text = malloc(MUTANT_SIZE);
        size_t length = strlen(good);
        memcpy(text, good, length);
        for (uint32_t n = 1 + mote_random_below(&random, 4); n > 0; --n) length = mutate(text, length, &random);
        text = realloc(text, length);  // so that a byte too far is seen
        mote_scene *scene;
        picture shown;
        mote_error error = {0};
        mote_result result = parse(NULL, text, length, &scene, &shown, &error);
        if (result == MOTE_OK) {
            ++accepted;
            mote_scene_destroy(scene);
        } else {
            CHECK(result == MOTE_ERROR_FORMAT, "round %d: %s", round, mote_result_name(result));
            CHECK(error.line > 0 && error.column > 0 && error.text[0], "round %d: no place in '%s'", round, error.text);
            CHECK(!strchr(error.text, '\n'), "round %d: two lines", round);
        }
        free(text);
    }
    CHECK(accepted > 0 && accepted < rounds, "%d accepted", accepted);
}

static mote_result parse_and_destroy(mote_context *context, void *data)
{
    (void)data;
    mote_scene *scene;
    picture shown;
    mote_error error;
    mote_result result = parse(context, good, strlen(good), &scene, &shown, &error);
    if (result == MOTE_OK) mote_scene_destroy(scene);
    return result;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    test_failing_allocations(parse_and_destroy, NULL);
}

// Of several solids with names of earlier ones the first is named, and the first that has its name.
static void the_first_namesake_is_named(void **state)
{
    (void)state;
    static const char text[] =
        "{\"end_time\":1,\"fluid\":{\"spacing\":0.1},\"blocks\":[{\"min\":[0,0,0],\"max\":[1,1,1]}],\"solids\":["
        "{\"name\":\"c\",\"spheres\":1},{\"name\":\"b\",\"spheres\":1},{\"name\":\"d\",\"spheres\":1},"
        "{\"name\":\"b\",\"spheres\":1},{\"name\":\"a\",\"spheres\":1},{\"name\":\"a\",\"spheres\":1},"
        "{\"name\":\"b\",\"spheres\":1}]}";
    mote_scene *scene;
    picture shown;
    mote_error error = {0};
    CHECK(parse(NULL, text, strlen(text), &scene, &shown, &error) == MOTE_ERROR_FORMAT, "accepted");
    assert_string_equal(error.text, "solids[3].name is \"b\", expected another name than that of solids[1]");
}

static void messages_cannot_drive_a_terminal(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"desc\x7fription\":1}", "{\"fluid\xc2\x9b\":{}}", "{\"end_time\": \x7f}",
                                        "{\"a\x7f\":1,\"a\x7f\":1}"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        mote_scene *scene;
        picture shown;
        mote_error error = {0};
        CHECK(parse(NULL, texts[k], strlen(texts[k]), &scene, &shown, &error) == MOTE_ERROR_FORMAT, "text %zu", k);
        CHECK(error.text[0] && !strpbrk(error.text, "\x7f\x1b\n\x9b"), "text %zu: %s", k, error.text);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 1);
    memset(text, '[', DEPTH);
    text[DEPTH] = '\0';
    expect_refusal(text, "broken JSON: maximum parsing depth reached near '['");
    free(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_components_keep_their_defaults),
        cmocka_unit_test(a_scene_becomes_settings),
        cmocka_unit_test(a_small_scene_has_defaults),
        cmocka_unit_test(meshes_are_handed_over),
        cmocka_unit_test(blocks_have_shapes_and_expressions),
        cmocka_unit_test(solids_have_looks),
        cmocka_unit_test(fields_have_places),
        cmocka_unit_test(sections_are_listed),
        cmocka_unit_test(keys_that_are_wrong_have_their_line),
        cmocka_unit_test(what_is_missing_has_its_line),
        cmocka_unit_test(types_that_are_wrong_have_their_line),
        cmocka_unit_test(values_out_of_range_have_their_line),
        cmocka_unit_test(expressions_that_are_wrong_have_their_place),
        cmocka_unit_test(what_does_not_fit_together_has_its_line),
        cmocka_unit_test(broken_json_has_its_line),
        cmocka_unit_test(texts_that_are_no_scene_are_refused),
        cmocka_unit_test(shared_fields_are_unknown_in_sections),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(scenes_of_the_tests_are_good),
        cmocka_unit_test(no_text_does_harm),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(the_first_namesake_is_named),
        cmocka_unit_test(messages_cannot_drive_a_terminal),
        cmocka_unit_test(deep_nesting_is_refused),
    };
    RUN_TESTS(tests, argc, argv);
}
