// SPDX-License-Identifier: MIT
// Every public call of simulations: with NULL for what it needs, and on objects in every state that they can be in.
// checks/called.sh sees that no call is forgotten.

#include "mote/opening.h"
#include "mote/simulation.h"
#include "support/calls.h"
#include "support/simulation.h"

static void simulations(void **state)
{
    (void)state;
    const mote_simulation_def sdef = mote_simulation_default_def();
    mote_simulation *simulation;
    double number;
    size_t size;
    mote_error error;
    CHECK(mote_tank_fields() && mote_block_fields() && mote_solid_fields() && mote_gauge_fields(), "fields");
    CHECK(isnan(mote_gauge_default_def().at.x), "places have no default");
    CHECK(mote_damping_fields() && isnan(mote_damping_default_def().strength), "strength has no default");
    CHECK(mote_gauge_kind_at(1000) == NULL, "a kind beyond the last");
    CHECK(isnan(mote_tank_default_def().min.x) && isnan(mote_block_default_def().max.z), "corners have no default");
    CHECK(mote_solid_default_def().placement.scale == 1, "a solid of its own size");
    ZERO(mote_simulation_resolve_spacing(NULL));
    REFUSED(mote_simulation_create(NULL, NULL, &simulation, &error));
    REFUSED(mote_simulation_create(NULL, &sdef, NULL, &error));
    mote_simulation_destroy(NULL);
    REFUSED(mote_simulation_step(NULL, 1, &number, &error));
    REFUSED(mote_simulation_run_until(NULL, 1, NULL, NULL, &error));
    REFUSED(mote_simulation_watch(NULL, &error));
    ZERO(mote_simulation_get_failure(NULL, NULL));
    REFUSED(mote_simulation_get_surroundings(NULL, (mote_vec3){0, 0, 0}, 1, NULL, &error));
    mote_surroundings_release(NULL);
    ZERO(mote_simulation_time(NULL));
    ZERO(mote_simulation_depth(NULL));
    ZERO(mote_simulation_reference_speed(NULL));
    ZERO(mote_simulation_usual_step(NULL));
    mote_simulation_resolve_def(NULL, NULL);
    ZERO(mote_simulation_fluid(NULL));
    ZERO(mote_simulation_grains(NULL));
    ZERO(mote_simulation_removed_count(NULL));
    ZERO(mote_simulation_object_count(NULL));
    mote_quantity quantities[MOTE_OBJECT_QUANTITIES];
    size_t told;
    REFUSED(mote_simulation_get_quantities(NULL, 0, quantities, &told, &error));
    ZERO(mote_simulation_get_counters(NULL).steps);
    REFUSED(mote_simulation_get_object(NULL, 0, NULL, &error));
    REFUSED(mote_simulation_get_array(NULL, 0, NULL, NULL, &error));
    ZERO(mote_simulation_gauge_count(NULL));
    REFUSED(mote_simulation_get_gauge(NULL, 0, NULL, &error));
    REFUSED(mote_simulation_validate(NULL, &error));
    REFUSED(mote_simulation_write(NULL, NULL, NULL, &error));
    REFUSED(mote_simulation_read(NULL, NULL, 0, &error));
    REFUSED(mote_simulation_read_start(NULL, NULL, 0, NULL, &error));
    ZERO(mote_simulation_byte_count(NULL));
    REFUSED(mote_simulation_count_escaped(NULL, &size, &size, &error));
}

// What there is in a simulation: water by the solver of Onderik and Durikovic, or by that for engineering with ends
// that are open and walls that move, grains beside a solid, or all of this that goes together.
enum { WATER, ENGINEERING, ONLY_GRAINS, BOTH, WORLDS };

// States of a simulation. One that is unstable has a fluid that is too fast for its speed of sound.
enum { MADE, UPDATED, OUT_OF_MEMORY, REFUSED_STATE, UNSTABLE, EMPTIED, STATES };

enum { GRAINS = 10 };

// What the def of a simulation points to.
typedef struct world {
    int kind;
    mote_mesh *mesh;
    mote_block_def block;
    mote_solid_def solid;
    mote_gauge_def gauge;
    mote_open_end inlet, outlet;
    mote_named_drain drain;
    mote_damping_def damping;
} world;

static void add_open_ends(world *of, mote_simulation_def *def)
{
    of->inlet = of->outlet = mote_open_end_default();
    of->inlet.name = "in", of->outlet.name = "out";
    of->inlet.face.normal = of->outlet.face.normal = (mote_vec3){1, 0, 0};
    of->inlet.face.center = (mote_vec3){0, 0, 0.25}, of->outlet.face.center = (mote_vec3){1, 0, 0.5};
    of->inlet.face.width = 0.5, of->outlet.face.width = 1;
    of->inlet.velocity = 0.5;
    of->drain = (mote_named_drain){"hole", mote_drain_default()};
    of->drain.drain.center = (mote_vec3){0.3, 0, 0.1}, of->drain.drain.radius = 0.1;
    of->damping = mote_damping_default_def();
    of->damping.min = (mote_vec3){0.5, 0, 0}, of->damping.max = (mote_vec3){1, 0, 1};
    def->inlets = &of->inlet, def->outlets = &of->outlet, def->drains = &of->drain, def->damping = &of->damping;
    def->inlet_count = def->outlet_count = def->drain_count = def->damping_count = 1;
    def->tank.pistons[5].text = "0.1*t";  // the lid
}

static mote_simulation_def describe(world *of, int kind, bool is_unstable)
{
    mote_simulation_def def = mote_simulation_default_def();
    of->kind = kind;
    of->mesh = kind == WATER || kind == ENGINEERING ? NULL : tetrahedron();
    if (kind == ENGINEERING) CHECK_OK(mote_fluid_choose_preset(&def.fluid, MOTE_PRESET_ENGINEERING, NULL));
    def.fluid.spacing = 0.1;
    def.fluid.dimensions = of->mesh ? 3 : 2;
    def.phase.sound_speed = 10;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1, 1, 1};
    of->block = mote_block_default_def();
    of->block.min = (mote_vec3){0, 0, 0}, of->block.max = (mote_vec3){0.4, 0.4, 0.4};
    if (is_unstable) of->block.velocity.x = 6;
    of->gauge = mote_gauge_default_def();
    of->gauge.name = "energy", of->gauge.kind = MOTE_GAUGE_ENERGY;
    if (kind != ONLY_GRAINS) def.blocks = &of->block, def.block_count = 1, def.gauges = &of->gauge, def.gauge_count = 1;
    if (kind == ENGINEERING) add_open_ends(of, &def);
    if (!of->mesh) return def;
    for (size_t v = 0; v < of->mesh->vertex_count; ++v) {
        mote_vec3 *at = &of->mesh->vertices[v];
        *at = (mote_vec3){0.6 + 0.3 * at->x, 0.5 + 0.3 * at->y, 0.1 + 0.3 * at->z};
    }
    of->solid = mote_solid_default_def();
    of->solid.name = "rock", of->solid.mesh = of->mesh;
    def.solids = &of->solid, def.solid_count = 1;
    def.has_grains = true;
    def.grains.count = GRAINS, def.grains.duration = 0.02, def.grains.size = 0.05;
    def.grains.min = (mote_vec3){0.6, 0.5, 0.8}, def.grains.max = (mote_vec3){0.9, 0.8, 0.9};
    return def;
}

static void write_simulation(const mote_simulation *simulation, written *to)
{
    mote_error error;
    to->length = 0;
    GIVES(MOTE_OK, mote_simulation_write(simulation, keep_bytes, to, &error));
}

static void check_simulation(mote_simulation *simulation, const written *expected, const char *what)
{
    static written now;
    write_simulation(simulation, &now);
    CHECK(are_same(&now, expected), "%s changes the simulation", what);
    CHECK_OK(mote_simulation_validate(simulation, NULL));
}

typedef struct asked_simulation {
    mote_simulation *simulation;
    const world *of;
    bool has_memory, is_sound;
} asked_simulation;

static void look_at_objects(const asked_simulation *ask)
{
    mote_error error;
    mote_simulation *simulation = ask->simulation;
    mote_quantity quantities[MOTE_OBJECT_QUANTITIES];
    mote_object_view view;
    mote_array array;
    size_t count;
    const size_t objects = mote_simulation_object_count(simulation);
    for (size_t k = 0; k < objects; ++k) {
        GIVES_WITH(ask->has_memory, MOTE_OK, mote_simulation_get_object(simulation, k, &view, &error));
        const bool is_seen = error.result == MOTE_OK, is_fluid = is_seen && strcmp(view.kind, "fluid") == 0;
        GIVES_WITH(ask->has_memory, MOTE_OK,
                   mote_simulation_get_quantities(simulation, k, quantities, &count, &error));
        for (size_t a = 0; is_seen && a < view.array_count; ++a)
            GIVES_WITH(ask->has_memory, is_fluid ? MOTE_OK : MOTE_ERROR_UNSUPPORTED,
                       mote_simulation_get_array(simulation, k, view.arrays[a].name, &array, &error));
        ANSWERS(mote_simulation_get_array(simulation, k, "nothing", &array, &error));
        CHECK(error.result == (is_fluid ? MOTE_ERROR_ARGUMENT : MOTE_ERROR_UNSUPPORTED) || !is_seen, "%s", error.text);
        REFUSED(mote_simulation_get_object(simulation, k, NULL, &error));
        REFUSED(mote_simulation_get_quantities(simulation, k, NULL, &count, &error));
        REFUSED(mote_simulation_get_quantities(simulation, k, quantities, NULL, &error));
        REFUSED(mote_simulation_get_array(simulation, k, NULL, &array, &error));
        REFUSED(mote_simulation_get_array(simulation, k, "pressure", NULL, &error));
    }
    REFUSED(mote_simulation_get_object(simulation, objects, &view, &error));
    REFUSED(mote_simulation_get_quantities(simulation, objects, quantities, &count, &error));
    REFUSED(mote_simulation_get_array(simulation, objects, "pressure", &array, &error));
    mote_gauge_view gauge;
    const size_t gauges = mote_simulation_gauge_count(simulation);
    CHECK(gauges == (ask->of->kind != ONLY_GRAINS), "%zu gauges", gauges);
    for (size_t k = 0; k < gauges; ++k) GIVES(MOTE_OK, mote_simulation_get_gauge(simulation, k, &gauge, &error));
    REFUSED(mote_simulation_get_gauge(simulation, gauges, &gauge, &error));
    REFUSED(mote_simulation_get_gauge(simulation, 0, NULL, &error));
}

// All calls that leave the simulation as it is.
static void look_at_simulation(const asked_simulation *ask)
{
    mote_error error;
    mote_simulation *simulation = ask->simulation;
    mote_surroundings surroundings;
    const mote_vec3 corner = {0, 0, 0};
    mote_failure failure;
    size_t inside, beyond;
    const bool has_water = ask->of->kind != ONLY_GRAINS, has_grains = ask->of->mesh;
    CHECK(mote_simulation_time(simulation) >= 0, "time");
    CHECK(mote_simulation_depth(simulation) >= 0, "depth");
    CHECK(mote_simulation_reference_speed(simulation) >= 0, "speed");
    CHECK(mote_simulation_usual_step(simulation) > 0, "step");
    CHECK(mote_simulation_fluid(simulation), "no fluid");
    CHECK(!mote_simulation_grains(simulation) == !has_grains, "grains");
    ZERO(mote_simulation_removed_count(simulation));
    CHECK(mote_simulation_byte_count(simulation) > 0, "no bytes");
    (void)mote_simulation_get_counters(simulation);
    mote_simulation_def def = mote_simulation_default_def();
    mote_simulation_resolve_def(simulation, &def);
    CHECK(def.fluid.support > 0, "support %g", def.fluid.support);
    mote_simulation_resolve_def(simulation, NULL);
    look_at_objects(ask);
    GIVES_WITH(ask->has_memory, ask->is_sound ? MOTE_OK : MOTE_ERROR_UNSTABLE,
               mote_simulation_watch(simulation, &error));
    const bool is_told = error.result == MOTE_ERROR_UNSTABLE;
    if (ask->is_sound) ZERO(mote_simulation_get_failure(simulation, &failure));
    if (is_told) CHECK(mote_simulation_get_failure(simulation, &failure) && failure.speed > 5, "no failure");
    ZERO(mote_simulation_get_failure(simulation, NULL));
    for (int k = 0; k < 3; ++k) {
        const double reach = k == 0 ? 0 : k == 1 ? 0.3 : HUGE_VAL;
        GIVES_WITH(ask->has_memory, MOTE_OK,
                   mote_simulation_get_surroundings(simulation, corner, reach, &surroundings, &error));
        CHECK(k == 0 || !has_water || error.result != MOTE_OK || surroundings.count > 0, "no walls nearby");
        mote_surroundings_release(&surroundings);
    }
    REFUSED(mote_simulation_get_surroundings(simulation, corner, 1, NULL, &error));
    GIVES_WITH(ask->has_memory, MOTE_OK, mote_simulation_count_escaped(simulation, &inside, &beyond, &error));
    if (error.result == MOTE_OK) CHECK(inside == 0 && beyond == 0, "%zu inside, %zu beyond", inside, beyond);
    REFUSED(mote_simulation_count_escaped(simulation, NULL, &beyond, &error));
    REFUSED(mote_simulation_count_escaped(simulation, &inside, NULL, &error));
    CHECK_OK(mote_simulation_validate(simulation, &error));
}

static void refuse_what_is_wrong(const asked_simulation *ask, const written *state)
{
    mote_error error;
    mote_simulation *simulation = ask->simulation;
    GIVES(MOTE_ERROR_FILE, mote_simulation_write(simulation, refuse_bytes, NULL, &error));
    REFUSED(mote_simulation_write(simulation, NULL, NULL, &error));
    REFUSED(mote_simulation_step(simulation, 0, NULL, &error));
    REFUSED(mote_simulation_step(simulation, NAN, NULL, &error));
    REFUSED(mote_simulation_run_until(simulation, NAN, NULL, NULL, &error));
    REFUSED(mote_simulation_run_until(simulation, HUGE_VAL, NULL, NULL, &error));
    REFUSED(mote_simulation_read(simulation, NULL, 7, &error));
    REFUSED(mote_simulation_read_start(simulation, NULL, 7, NULL, &error));
    for (size_t length = 0; length < state->length; length += 1 + state->length / 7) {
        GIVES(MOTE_ERROR_FORMAT, mote_simulation_read(simulation, state->bytes, length, &error));
        GIVES(MOTE_ERROR_FORMAT, mote_simulation_read_start(simulation, state->bytes, length, NULL, &error));
    }
}

static bool stop_at_once(void *user_data, const mote_simulation *simulation)
{
    (void)user_data;
    return mote_simulation_time(simulation) >= 0;
}

// All calls. Afterwards the simulation has its state again, unless there is no memory.
static void ask_simulation(const asked_simulation *ask)
{
    mote_error error;
    static written state;
    mote_simulation *simulation = ask->simulation;
    const mote_result sound = ask->is_sound ? MOTE_OK : MOTE_ERROR_UNSTABLE;
    double dt = 0;
    write_simulation(simulation, &state);
    refuse_what_is_wrong(ask, &state);
    check_simulation(simulation, &state, "what was refused");
    look_at_simulation(ask);
    write_simulation(simulation, &state);  // forces are known now
    GIVES_WITH(ask->has_memory, sound, mote_simulation_step(simulation, 1e-4, &dt, &error));
    CHECK(error.result != MOTE_OK || (dt > 0 && dt <= 1e-4), "a step of %g s", dt);
    if (error.result == MOTE_ERROR_UNSTABLE) check_simulation(simulation, &state, "a step that is refused");
    const double time = mote_simulation_time(simulation) + 1e-4;
    GIVES_WITH(ask->has_memory, sound, mote_simulation_run_until(simulation, time, NULL, NULL, &error));
    CHECK((error.result == MOTE_OK) == (mote_simulation_time(simulation) == time), "%s", error.text);
    GIVES_WITH(ask->has_memory, sound, mote_simulation_run_until(simulation, 1e3, stop_at_once, NULL, &error));
    GIVES(MOTE_OK, mote_simulation_run_until(simulation, 0, NULL, NULL, &error));
    CHECK_OK(mote_simulation_validate(simulation, &error));
    GIVES_WITH(ask->has_memory, MOTE_OK, mote_simulation_read(simulation, state.bytes, state.length, &error));
    if (error.result == MOTE_OK) check_simulation(simulation, &state, "reading its state");
}

static void empty_fluid(mote_simulation *simulation)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    bool *all = malloc(view.count + 1);
    memset(all, true, view.count + 1);
    CHECK_OK(mote_fluid_remove(mote_simulation_fluid(simulation), all, NULL));
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    ZERO(view.count);
    free(all);
}

static void bring_to_state(const asked_simulation *ask, int step, scarce_memory *memory)
{
    mote_error error;
    static written start;
    mote_simulation *simulation = ask->simulation;
    write_simulation(simulation, &start);
    if (step == UPDATED || step == EMPTIED) GIVES(MOTE_OK, mote_simulation_step(simulation, 0.005, NULL, &error));
    memory->is_scarce = step == OUT_OF_MEMORY;
    if (step == OUT_OF_MEMORY && ask->of->kind != ONLY_GRAINS)
        GIVES(MOTE_ERROR_OUT_OF_MEMORY, mote_simulation_step(simulation, 1, NULL, &error));
    if (step == REFUSED_STATE) GIVES(MOTE_ERROR_FORMAT, mote_simulation_read(simulation, "nothing", 7, &error));
    if (step == UNSTABLE) GIVES(MOTE_ERROR_UNSTABLE, mote_simulation_step(simulation, 1, NULL, &error));
    if (step != EMPTIED) return;
    if (ask->of->mesh) CHECK(mote_grains_get_view(mote_simulation_grains(simulation)).count > 0, "no grains yet");
    GIVES(MOTE_OK, mote_simulation_read(simulation, start.bytes, start.length, &error));
    if (ask->of->mesh) ZERO(mote_grains_get_view(mote_simulation_grains(simulation)).count);
    empty_fluid(simulation);
}

// Reads its own state as that of another one, which is refused if there is nothing in it to begin with.
static void start_anew(const asked_simulation *ask)
{
    mote_error error;
    static written state;
    mote_simulation *simulation = ask->simulation;
    mote_simulation_origin origin = {0};
    mote_fluid_view water;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &water, NULL));
    const bool is_empty = water.count + mote_grains_get_view(mote_simulation_grains(simulation)).count == 0;
    write_simulation(simulation, &state);
    GIVES(is_empty ? MOTE_ERROR_FORMAT : MOTE_OK,
          mote_simulation_read_start(simulation, state.bytes, state.length, &origin, &error));
    if (is_empty) check_simulation(simulation, &state, "a start that was refused");
    CHECK(is_empty == (origin.particles + origin.grains == 0), "nothing was taken over");
    CHECK_OK(mote_simulation_validate(simulation, NULL));
    if (ask->is_sound) GIVES(MOTE_OK, mote_simulation_step(simulation, 1e-4, NULL, &error));
}

static void simulation_states(void **state)
{
    (void)state;
    mote_error error;
    for (int run = 0; run < STATES * WORLDS; ++run) {
        const int step = run % STATES, kind = run / STATES;
        if (step == UNSTABLE && kind == ONLY_GRAINS) continue;
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        const size_t bytes = mote_context_byte_count(context);
        world of;
        const mote_simulation_def def = describe(&of, kind, step == UNSTABLE);
        asked_simulation ask = {.of = &of, .has_memory = true, .is_sound = step != UNSTABLE};
        memory.is_scarce = true;
        GIVES(MOTE_ERROR_OUT_OF_MEMORY, mote_simulation_create(context, &def, &ask.simulation, &error));
        memory.is_scarce = false;
        GIVES(MOTE_OK, mote_simulation_create(context, &def, &ask.simulation, &error));
        bring_to_state(&ask, step, &memory);
        ask.has_memory = !memory.is_scarce;
        ask_simulation(&ask);
        memory.is_scarce = false;
        ask.has_memory = true;
        ask_simulation(&ask);
        start_anew(&ask);
        mote_simulation_destroy(ask.simulation);
        CHECK(mote_context_byte_count(context) == bytes, "a simulation leaves bytes");
        mote_context_destroy(context);
        mote_mesh_destroy(of.mesh);
    }
}

// Wherever memory runs out in a step, the simulation can read a state, and then goes on with the same bits as one that
// always had memory.
static void simulations_without_memory(void **state)
{
    (void)state;
    mote_error error;
    static written start, end;
    for (int kind = 0; kind < WORLDS; ++kind) {
        world of;
        mote_simulation_def def = describe(&of, kind, false);
        def.grains.duration = 0;  // all are there in the first step, and need memory, too
        mote_simulation *undisturbed = make_simulation(NULL, &def);
        write_simulation(undisturbed, &start);
        for (int k = 0; k < 3; ++k) CHECK_OK(mote_simulation_step(undisturbed, 0.005, NULL, NULL));
        write_simulation(undisturbed, &end);
        bool has_run_out = true;
        for (size_t blocks = 0; has_run_out; ++blocks) {
            scarce_memory memory = {false};
            mote_context *context = scarce_context(&memory);
            mote_simulation *simulation = make_simulation(context, &def);
            memory = (scarce_memory){true, blocks};
            GIVES_WITH(false, MOTE_OK, mote_simulation_step(simulation, 0.005, NULL, &error));
            has_run_out = error.result != MOTE_OK;
            memory.is_scarce = false;
            CHECK_OK(mote_simulation_validate(simulation, NULL));
            GIVES(MOTE_OK, mote_simulation_read(simulation, start.bytes, start.length, &error));
            check_simulation(simulation, &start, "a step without memory");
            for (int k = 0; k < 3; ++k) GIVES(MOTE_OK, mote_simulation_step(simulation, 0.005, NULL, &error));
            check_simulation(simulation, &end, "a step without memory");
            mote_simulation_destroy(simulation);
            mote_context_destroy(context);
        }
        mote_simulation_destroy(undisturbed);
        mote_mesh_destroy(of.mesh);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations),
        cmocka_unit_test(simulation_states),
        cmocka_unit_test(simulations_without_memory),
    };
    RUN_TESTS(tests, argc, argv);
}
