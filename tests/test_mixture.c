// SPDX-License-Identifier: MIT
// Several fluids in simulations: blocks that take the place of others, speeds of sound, pressures of the start, rest,
// and bad input.

#include "mote/simulation.h"
#include "support/test.h"

// Two layers in a tank, or a ball of the second fluid in the first.
typedef struct mixture {
    mote_simulation_def def;
    mote_named_phase fluids[2];
    mote_named_tension tensions[2];
    mote_block_def blocks[2];
} mixture;

static void make(mixture *made, bool has_ball)
{
    *made = (mixture){.def = mote_simulation_default_def()};
    mote_simulation_def *def = &made->def;
    static const char *const names[2] = {"water", "air"};
    CHECK_OK(mote_fluid_choose_preset(&def->fluid, MOTE_PRESET_ENGINEERING, NULL));
    def->fluid.dimensions = 2, def->fluid.spacing = 0.1;
    for (int k = 0; k < 2; ++k) {
        made->fluids[k] = (mote_named_phase){names[k], mote_phase_default_def()};
        made->fluids[k].phase.rest_density = k ? 10 : 1000;
        made->tensions[k] =
            (mote_named_tension){.between = {names[k], names[!k]}, .tension = mote_tension_default_def()};
        made->tensions[k].tension.sigma = 0.1;
        made->blocks[k] = mote_block_default_def();
        made->blocks[k].fluid = names[k];
        made->blocks[k].min = (mote_vec3){0, 0, k}, made->blocks[k].max = (mote_vec3){1, 0, k + 1};
    }
    if (has_ball) {
        made->blocks[0].max.z = 2;
        made->blocks[1].shape = MOTE_SHAPE_BALL;
        made->blocks[1].center = (mote_vec3){0.5, 0, 0.6}, made->blocks[1].radius = 0.3;
    }
    def->has_tank = true;
    def->tank.min = (mote_vec3){0, 0, 0}, def->tank.max = (mote_vec3){1, 0, 2}, def->tank.open_z_max = true;
    def->fluids = made->fluids, def->fluid_count = 2;
    def->tensions = made->tensions, def->tension_count = 1;
    def->blocks = made->blocks, def->block_count = 2;
}

static void a_ball_takes_the_place_of_water(void **state)
{
    (void)state;
    mixture made;
    mote_simulation *simulation;
    mote_fluid_view view;
    mote_error error = {0};
    make(&made, true);
    CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    assert_int_equal(view.count, 200);  // the lattices match
    size_t air = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const bool is_inside = hypot(view.x[i] - 0.5, view.z[i] - 0.6) < 0.3;
        CHECK(view.phase[i] == is_inside, "(%g, %g) is of phase %d", view.x[i], view.z[i], view.phase[i]);
        air += view.phase[i];
    }
    CHECK(air == 32, "%zu of air", air);
    mote_simulation_destroy(simulation);
}

// The background pressure [Pa] of a drop in a tank, by default.
static double background_of(bool is_open, double gravity, double width)
{
    mixture made;
    mote_simulation *simulation;
    mote_error error = {0};
    make(&made, true);
    made.def.fluid.gravity = (mote_vec3){0, 0, gravity};
    made.def.tank.open_z_max = is_open, made.def.tank.max.x = width;
    made.fluids[0].phase.sound_speed = 20;
    CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_OK, "%s", error.text);
    const mote_fluid_def def = mote_fluid_resolved_def(mote_simulation_fluid(simulation));
    mote_simulation_destroy(simulation);
    return def.background_pressure * def.support / 0.1;
}

// 3 σ/support where no free surface can be: in a closed tank that the fluid fills, where nothing pulls it down.
static void drops_in_closed_tanks_have_a_background_pressure(void **state)
{
    (void)state;
    assert_float_equal(background_of(false, 0, 1), 3, 1e-9);
    assert_float_equal(background_of(true, 0, 1), 0, 0);
    assert_float_equal(background_of(false, -9.81, 1), 0, 0);
    assert_float_equal(background_of(false, 0, 1.5), 0, 0);
}

static void layers_start_at_rest(void **state)
{
    (void)state;
    mixture made;
    mote_simulation *simulation;
    mote_fluid_view view;
    mote_fluid_totals totals;
    make(&made, false);
    CHECK_OK(mote_simulation_create(NULL, &made.def, &simulation, NULL));
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const double c = mote_fluid_resolved_phase(fluid, 0).sound_speed;
    CHECK(fabs(c / (10 * sqrt(9.81 * 2)) - 1) < 1e-9, "sound_speed %g", c);
    CHECK(fabs(mote_fluid_resolved_phase(fluid, 1).sound_speed / (10 * c) - 1) < 1e-9, "sound_speed of air");
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i) {
        const double z = view.z[i], expected = 9.81 * (z > 1 ? 10 * (2 - z) : 10 + 1000 * (1 - z));
        CHECK(fabs((double)view.pressure[i] - expected) < 0.01 * expected + 0.5, "pressure %g at %g, expected %g",
              (double)view.pressure[i], z, expected);
    }
    CHECK_OK(mote_simulation_run_until(simulation, 0.3, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_get_totals(fluid, &totals, NULL));
    CHECK(fabs(totals.mass / 1010 - 1) < 1e-9, "mass %g", totals.mass);
    CHECK(totals.max_speed < 0.05 * mote_simulation_reference_speed(simulation), "speed %g", totals.max_speed);
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i)
        CHECK(view.phase[i] ? view.z[i] > 0.95 : view.z[i] < 1.05, "phase %d at %g", view.phase[i], view.z[i]);
    mote_simulation_destroy(simulation);
}

static void refuses(const mixture *made, const char *words)
{
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    mote_simulation_def def = made->def;
    def.fluids = def.fluid_count ? made->fluids : NULL, def.tensions = made->tensions, def.blocks = made->blocks;
    const mote_result result = mote_simulation_create(NULL, &def, &simulation, &error);
    CHECK(result != MOTE_OK && !simulation && strstr(error.text, words), "%s", error.text);
}

static void bad_input(void **state)
{
    (void)state;
    mixture good, bad;
    make(&good, false);
    bad = good, bad.blocks[1].fluid = NULL;
    refuses(&bad, "blocks[1].fluid is missing, expected the name of a fluid, as \"water\"");
    bad = good, bad.blocks[1].fluid = "oil";
    refuses(&bad, "blocks[1].fluid is \"oil\"");
    bad = good, bad.def.fluid_count = 0, bad.def.tension_count = 0;
    refuses(&bad, "blocks[0].fluid is \"water\", expected a list of fluids");
    bad = good, bad.fluids[1].name = "water", bad.blocks[1].fluid = "water", bad.def.tension_count = 0;
    refuses(&bad, "fluids[1].name is \"water\", expected another name");
    bad = good, bad.fluids[1].phase.rest_density = 0.01;
    refuses(&bad, "fluids[1]: phase: rest_density is 0.01 beside 1000");
    bad = good, bad.tensions[0].between[1] = "oil";
    refuses(&bad, "tensions[0].between has \"oil\"");
    bad = good, bad.tensions[0].between[1] = NULL;
    refuses(&bad, "tensions[0]: tension: model is \"stress\" with a single phase");
    bad = good, bad.tensions[0].between[0] = NULL;
    refuses(&bad, "tensions[0].between has no name, expected those of two fluids, or of one");
    bad = good, bad.tensions[0].between[1] = "water";
    refuses(&bad, "tensions[0].between has \"water\" twice");
    bad = good, bad.def.tension_count = 2;
    refuses(&bad, "tensions[1].between has the fluids of tensions[0]");
    bad = good, bad.tensions[0].tension.sigma = -1;
    refuses(&bad, "tensions[0]: tension.sigma is -1");
    bad = good, bad.def.fluid.support = 0.3, bad.tensions[0].tension.model = MOTE_TENSION_CURVATURE;
    refuses(&bad, "tensions[0]: tension: model is \"curvature\"");
    bad = good;
    CHECK_OK(mote_fluid_choose_preset(&bad.def.fluid, MOTE_PRESET_FAST, NULL));
    refuses(&bad, "fluids[1] with fluid.density \"continuity\", expected a single fluid");
    bad = good, bad.blocks[1].min.z = 0.5, bad.blocks[1].fluid = "water";
    refuses(&bad, "blocks[1]: overlaps blocks[0]");
}

// ------------------------------------------------------------------------------------------------- steps by tension

static void keep_line(void *user_data, const char *text)
{
    snprintf(user_data, 256, "%s", text);
}

// The log has a line where tension sets the step; the run goes on.
static void tension_that_sets_the_step_is_told(void **state)
{
    (void)state;
    static const struct {
        double sigma;
        const char *words;  // NULL: nothing is said
    } cases[] = {{1e-4, NULL}, {1e4, "tension sets the time step, at most"}, {1e6, "less than a hundredth"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char line[256] = "";
        mote_context_def def = mote_context_default_def();
        mote_context *context;
        mote_simulation *simulation;
        mixture made;
        mote_error error = {0};
        def.thread_count = 1, def.log = (mote_log){keep_line, line};
        CHECK_OK(mote_context_create(&def, &context, NULL));
        make(&made, false);
        made.def.fluid.courant = 1, made.tensions[0].tension.sigma = cases[k].sigma;
        for (int p = 0; p < 2; ++p) made.fluids[p].phase.rest_density = 1, made.fluids[p].phase.sound_speed = 10;
        CHECK(mote_simulation_create(context, &made.def, &simulation, &error) == MOTE_OK, "%s", error.text);
        CHECK(cases[k].words ? strstr(line, cases[k].words) != NULL : !line[0], "sigma %g: %s", cases[k].sigma, line);
        if (k < 2)  // water is torn by the tension of the last case
            CHECK(mote_simulation_step(simulation, 1, NULL, &error) == MOTE_OK, "%s", error.text);
        mote_simulation_destroy(simulation);
        mote_context_destroy(context);
    }
}

// ------------------------------------------------------------------------------------------ the preset document

// The mean distance of the lowest air above the highest water, column by column [spacings].
static double gap_of(const mote_fluid_view *view, double spacing)
{
    double lowest[10], highest[10], sum = 0;
    for (int k = 0; k < 10; ++k) lowest[k] = 9, highest[k] = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const int k = (int)fmin(fmax(view->x[i] / spacing, 0), 9);
        if (view->phase[i] == 1)
            lowest[k] = fmin(lowest[k], view->z[i]);
        else
            highest[k] = fmax(highest[k], view->z[i]);
    }
    for (int k = 1; k < 9; ++k) sum += (lowest[k] - highest[k]) / spacing / 8;
    return sum;
}

// Under number densities two layers of 1000 and 10 kg/m³ stay as close as particles of one. By masses, air beside water
// has 31 times its density at once, and the run ends.
static void layers_stay_close_by_numbers(void **state)
{
    (void)state;
    static const int32_t kinds[] = {MOTE_DENSITY_SUMMATION, MOTE_DENSITY_NUMBER};
    for (int k = 0; k < 2; ++k) {
        mixture made;
        mote_simulation *simulation;
        mote_error error = {0};
        mote_fluid_view view;
        make(&made, false);
        CHECK_OK(mote_fluid_choose_preset(&made.def.fluid, MOTE_PRESET_DOCUMENT, NULL));
        made.def.fluid.density = kinds[k], made.def.tension_count = 0;
        CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_OK, "%s", error.text);
        const mote_result result = mote_simulation_run_until(simulation, 0.5, NULL, NULL, &error);
        CHECK(result == (k ? MOTE_OK : MOTE_ERROR_UNSTABLE), "%s: %s", mote_result_text(result), error.text);
        if (k == 1) {
            CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
            const double gap = gap_of(&view, 0.1);
            print_message("gap of %.3f spacings\n", gap);
            CHECK(gap > 0.8 && gap < 1.2, "gap of %g spacings", gap);
        }
        mote_simulation_destroy(simulation);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_takes_the_place_of_water),
        cmocka_unit_test(drops_in_closed_tanks_have_a_background_pressure),
        cmocka_unit_test(layers_start_at_rest),
        cmocka_unit_test(tension_that_sets_the_step_is_told),
        cmocka_unit_test(layers_stay_close_by_numbers),
        cmocka_unit_test(bad_input),
    };
    RUN_TESTS(tests, argc, argv);
}
