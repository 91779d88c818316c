// SPDX-License-Identifier: MIT
// Settings of the fluid: with each solver, each of them changes a run, or is refused, or the simulation says that it
// has no effect. A new setting that a solver forgets fails here.

#include "mote/simulation.h"
#include "support/simulation.h"
#include "support/test.h"

enum { STEPS = 12, BASES = 4, ALTERNATIVES = 7 };

// Settings that change the time or the memory of a run and by promise no bit, and those that make it another scene.
static const char *const left_out[] = {"neighbors", "neighbor_lists", "dimensions", "spacing", "preset", "solver"};

// A def with what it points to.
typedef struct scene {
    mote_simulation_def def;
    mote_block_def blocks[2];
    mote_named_phase fluids[2];
} scene;

// Water in 2D that is torn apart and runs along the floor, with each preset; or two viscous fluids.
static void make_scene(scene *of, int base)
{
    *of = (scene){.def = mote_simulation_default_def()};
    mote_simulation_def *def = &of->def;
    const bool has_fluids = base > MOTE_PRESET_ENGINEERING;
    CHECK_OK(mote_fluid_choose_preset(&def->fluid, has_fluids ? MOTE_PRESET_ENGINEERING : base, NULL));
    def->fluid.dimensions = 2, def->fluid.spacing = 0.05;
    def->phase.sound_speed = 30;
    def->has_tank = true;
    def->tank.min = (mote_vec3){0, 0, 0}, def->tank.max = (mote_vec3){1.2, 0, 1};
    for (int k = 0; k < 2; ++k) {
        of->blocks[k] = mote_block_default_def();
        of->blocks[k].velocity_text[0] = "4*(x - 0.3)";
        of->blocks[k].min = (mote_vec3){0, 0, k ? 0.6 : 0}, of->blocks[k].max = (mote_vec3){0.6, 0, k ? 0.8 : 0.6};
        of->fluids[k] = (mote_named_phase){k ? "oil" : "water", mote_phase_default_def()};
        of->fluids[k].phase.viscosity = 100;
        of->blocks[k].fluid = of->fluids[k].name;
    }
    of->fluids[0].phase.sound_speed = 30;
    def->blocks = of->blocks, def->block_count = has_fluids ? 2 : 1;
    def->fluids = of->fluids, def->fluid_count = has_fluids ? 2 : 0;
    if (!has_fluids) of->blocks[0].fluid = NULL;
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i) sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

// A checksum of the particles after some steps, and of the steps; 0: the def is refused, and `error` says why.
// @param field   receives in `*is_named` whether the simulation says that it has no effect
static uint64_t run(const scene *of, const char *field, bool *is_named, mote_error *error)
{
    mote_simulation *simulation = NULL;
    mote_fluid_view view;
    uint64_t sum = 0xcbf29ce484222325u;
    char name[64];
    if (mote_simulation_create(NULL, &of->def, &simulation, error) != MOTE_OK) return 0;
    snprintf(name, sizeof name, "fluid.%s", field);
    for (size_t k = 0; k < mote_simulation_object_count(simulation); ++k) {
        mote_object_view object;
        CHECK_OK(mote_simulation_get_object(simulation, k, &object, NULL));
        const char *found = object.remark ? strstr(object.remark, name) : NULL;
        if (found && (found[strlen(name)] == ',' || found[strlen(name)] == '\0')) *is_named = true;
    }
    for (int k = 0; k < STEPS; ++k) {
        double dt;
        CHECK_OK(mote_simulation_step(simulation, 1, &dt, NULL));
        sum = add_bytes(sum, &dt, sizeof dt);
    }
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    sum = add_bytes(add_bytes(sum, view.x, view.count * sizeof *view.x), view.z, view.count * sizeof *view.z);
    sum = add_bytes(add_bytes(sum, view.vx, view.count * sizeof *view.vx), view.vz, view.count * sizeof *view.vz);
    mote_simulation_destroy(simulation);
    return sum;
}

static int choice_count(const mote_field *field)
{
    int count = 0;
    while (field->type == MOTE_FIELD_CHOICE && field->choices[count]) ++count;
    return count;
}

// Gives a field its k-th other value. False: there is none, or it is out of range.
static bool change(mote_fluid_def *def, const mote_field *field, int k)
{
    static const double numbers[ALTERNATIVES] = {0.003, 0.02, 0.12, 0.17, 0.5, 100, 0};
    void *at = (char *)def + field->offset;
    if (field->type == MOTE_FIELD_NUMBER) *(double *)at = numbers[k];
    else if (field->type == MOTE_FIELD_BOOL) *(bool *)at = !*(bool *)at;
    else if (field->type == MOTE_FIELD_VECTOR) ((mote_vec3 *)at)->x = 1;
    else if (field->type == MOTE_FIELD_TEXT) *(const char **)at = "poly6";
    else if (k < choice_count(field)) *(int32_t *)at = k;
    else return false;
    return mote_fields_check(mote_fluid_fields(), def, NULL) == MOTE_OK;
}

// Whether a refusal names the field, and says that this cannot be had with the rest of the def: of a number it may only
// say that another one is expected.
static bool is_refused_for(const mote_error *error, const mote_field *field)
{
    const bool is_final = error->result == MOTE_ERROR_UNSUPPORTED || field->type != MOTE_FIELD_NUMBER;
    return is_final && strstr(error->text, field->name);
}

static bool is_left_out(const mote_field *field)
{
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; ++k)
        if (strcmp(left_out[k], field->name) == 0) return true;
    return false;
}

static void each_setting_acts_or_is_named(void **state)
{
    (void)state;
    const mote_field_table *table = mote_fluid_fields();
    for (int32_t solver = MOTE_SOLVER_ONDERIK; mote_fluid_solver_at((size_t)solver); ++solver)
        for (size_t f = 0; f < table->count; ++f) {
            const mote_field *field = &table->fields[f];
            bool acts = false, is_named = false;
            int tried = 0;
            if (is_left_out(field)) continue;
            for (int base = 0; base < BASES; ++base) {
                scene plain;
                mote_error error = {0};
                bool is_usual_named = false;
                make_scene(&plain, base);
                if (plain.def.fluid.solver != solver) continue;
                const uint64_t expected = run(&plain, field->name, &is_usual_named, &error);
                CHECK(expected != 0 && !is_usual_named, "scene %d, %s: %s", base, field->name, error.text);
                for (int k = 0; k < ALTERNATIVES && !acts && !is_named; ++k) {
                    scene other;
                    make_scene(&other, base);
                    if (!change(&other.def.fluid, field, k)) continue;
                    const uint64_t found = run(&other, field->name, &is_named, &error);
                    // What is out of range for other reasons says nothing about the solver.
                    if (found == 0 && !is_refused_for(&error, field)) continue;
                    ++tried;
                    acts = found != expected;
                }
            }
            CHECK(tried > 0 && acts != is_named, "solver %s, %s: %d values tried, %s, %s",
                  mote_fluid_solver_at((size_t)solver)->name, field->name, tried,
                  acts ? "it acts" : "no bit differs in any scene of this test",
                  is_named ? "it is said to have no effect" : "nobody says that it has no effect");
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_setting_acts_or_is_named)};
    RUN_TESTS(tests, argc, argv);
}
