// SPDX-License-Identifier: MIT
// mote scene: checks a scene file and prints the values that result; --help lists all fields of scenes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

// -------------------------------------------------------------------------------------------------------- help

// Writes "; default 0.1", or "; required", or nothing.
static void write_default(const mote_field *field, char *text, size_t size)
{
    snprintf(text, size, "%s", field->flags & MOTE_FIELD_REQUIRED ? "; required" : "");
    if (field->flags & (MOTE_FIELD_REQUIRED | MOTE_FIELD_DERIVED | MOTE_FIELD_OPTIONAL)) return;
    // The field's default, in a struct that consists of this field alone.
    union {
        char bytes[sizeof(const char *) * MOTE_FIELD_WORDS_MOST];
        double alignment;
    } object = {{0}};
    mote_field alone = *field;
    alone.offset = 0;
    const mote_field_table table = {"", "", &alone, 1};
    char value[200];
    mote_fields_set_defaults(&table, &object);
    mote_field_value_text(&alone, &object, value, sizeof value);
    if (field->type == MOTE_FIELD_WORDS) return;
    bool empty = field->type == MOTE_FIELD_TEXT && (strcmp(value, "null") == 0 || strcmp(value, "\"\"") == 0);
    if (!empty) snprintf(text, size, "; default %s", value);
}

// Prints words in lines of at most 110 letters, `used` of which the first has already. The others are indented.
static void print_words(const char *text, int used, int indent)
{
    bool starts = true;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (!starts && used + 1 + length > 110) {
            used = printf("\n%*s", indent, "") - 1;
            starts = true;
        }
        used += printf("%s%.*s", starts ? "" : " ", length, word);
        starts = false;
        word += length;
        while (*word == ' ') ++word;
    }
    printf("\n");
}

static void print_wrapped(const char *text, int indent)
{
    print_words(text, printf("%*s", indent, ""), indent);
}

static void print_fields(const app_style *style, const mote_field_table *table)
{
    for (size_t i = 0; i < table->count; ++i) {
        const mote_field *field = &table->fields[i];
        if (field->flags & MOTE_FIELD_SHARED) continue;
        char text[512];
        mote_field_expected_text(field, text, sizeof text - 256);
        write_default(field, text + strlen(text), 256);
        printf("  %s%-18s%s ", style->bold, field->name, style->reset);
        print_words(text, 21, 21);
        print_wrapped(field->meaning, 21);
    }
}

static void print_section(const app_style *style, const char *name, const mote_field_table *table, const char *kind)
{
    printf("\n%s\"%s\"%s  %s; %s\n", style->bold, name, style->reset, table->meaning, kind);
    print_fields(style, table);
}

// The fields of a kind: "at", "min, max".
static void print_names(const char *label, const char *const *names)
{
    for (size_t k = 0; names[k]; ++k) printf("%s%s", k == 0 ? label : ", ", names[k]);
}

// What the kinds of gauges need and measure, below the fields of a gauge.
static void print_gauge_kinds(const app_style *style)
{
    const mote_gauge_kind_info *kind;
    printf("  kinds of gauges, and their columns in gauges.csv:\n");
    for (size_t k = 0; (kind = mote_gauge_kind_at(k)) != NULL; ++k) {
        printf("  %s%-18s%s ", style->bold, kind->name, style->reset);
        for (size_t v = 0; v < kind->value_count; ++v) {
            const mote_gauge_value *value = &kind->values[v];
            printf("%s%s%s[%s]", v ? ", " : "", value->name, *value->name ? " " : "",
                   *value->unit ? value->unit : "1");
        }
        print_names("; needs ", kind->needs);
        print_names("; takes ", kind->takes);
        printf("\n");
        print_wrapped(kind->meaning, 21);
    }
}

// What kinds of boundaries there are for tanks, or for solids, below their fields.
static void print_boundary_kinds(const app_style *style, bool is_tank)
{
    const mote_boundary_kind_info *kind;
    printf("  kinds of boundaries:\n");
    for (size_t k = 0; (kind = mote_boundary_kind_at(k)) != NULL; ++k) {
        if (!(is_tank ? kind->for_tank : kind->for_solid)) continue;
        printf("  %s%-18s%s %s", style->bold, kind->about.name, style->reset, kind->about.meaning);
        const mote_fluid_choice *solver;
        for (size_t s = 0; (solver = mote_fluid_solver_at(s)) != NULL; ++s)
            if (!(kind->solvers & 1u << s)) printf("; not for solver %s", solver->name);
        printf("\n");
        if (*kind->about.source) print_wrapped(kind->about.source, 21);
    }
}

static void print_all_fields(void)
{
    app_style style = app_style_of(stdout);
    printf("\n%sFields of a scene%s\n", style.bold, style.reset);
    print_fields(&style, mote_scene_fields());
    const mote_simulation_part *part;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k) {
        char kind[96];
        snprintf(kind, sizeof kind, "%s%s%s%s%s", part->count_offset ? "a list of objects" : "an object",
                 part->is_required ? "; required unless there are \"grains\"" : "", part->instead ? " or \"" : "",
                 part->instead ? part->instead : "", part->instead ? "\"" : "");
        print_section(&style, part->name, part->fields(), kind);
        if (part->fields() == mote_gauge_fields()) print_gauge_kinds(&style);
        if (part->fields() == mote_tank_fields()) print_boundary_kinds(&style, true);
        if (part->fields() == mote_solid_fields()) print_boundary_kinds(&style, false);
    }
    mote_render_def picture = mote_render_default_def();
    app_checkpoints checkpoints;
    app_output output;
    app_liquid_surface surface;
    mote_scene_section further[APP_SECTIONS];
    app_scene_sections(&picture, &checkpoints, &output, &surface, further);
    for (size_t i = 0; i < APP_SECTIONS; ++i) print_section(&style, further[i].name, further[i].table, "an object");
}

// ------------------------------------------------------------------------------------------------------- values

// Whether a value is the word that a formula has instead of a number or an expression.
static bool is_default_word(const mote_field *field, const char *value)
{
    if (!(field->flags & MOTE_FIELD_FORMULA) || !field->initial_text) return false;
    const size_t length = strlen(field->initial_text);
    return strlen(value) == length + 2 && strncmp(value + 1, field->initial_text, length) == 0;
}

static void print_values(const app_style *style, const char *title, const mote_field_table *table, const void *object)
{
    printf("%s%s%s\n", style->bold, title, style->reset);
    for (size_t i = 0; i < table->count; ++i) {
        const mote_field *field = &table->fields[i];
        if (field->flags & MOTE_FIELD_SHARED) continue;
        char value[1024];
        mote_field_value_text(field, object, value, sizeof value);
        bool unset = strcmp(value, "null") == 0 || strncmp(value, "[null", 5) == 0;
        const bool is_word = strcmp(value, "true") == 0 || strcmp(value, "false") == 0 || is_default_word(field, value);
        const char *unit = unset || is_word || !field->unit ? "" : field->unit, *none = "none";
        if (field->flags & MOTE_FIELD_DERIVED) none = "default";
        printf("  %-18s %s%s%s\n", field->name, unset ? none : value, *unit ? " " : "", unit);
    }
}

// @param fluid   the one that was made, which knows what its phases got; NULL: there is none
static void print_part(const app_style *style, const mote_simulation_def *def, const mote_simulation_part *part,
                       const mote_fluid *fluid)
{
    size_t count;
    const char *at = mote_simulation_part_structs(def, part, &count);
    for (size_t i = 0; i < count; ++i) {
        char title[64];
        if (part->count_offset)
            snprintf(title, sizeof title, "%s[%zu]", part->name, i);
        else
            snprintf(title, sizeof title, "%s", part->name);
        if (fluid && part->fields() == mote_named_phase_fields()) {
            mote_named_phase phase = *(const mote_named_phase *)(const void *)(at + i * part->size);
            phase.phase = mote_fluid_resolved_phase(fluid, (uint32_t)i);
            print_values(style, title, part->fields(), &phase);
        } else {
            print_values(style, title, part->fields(), at + i * part->size);
        }
    }
}

static void print_quantity(const char *name, double value, const char *unit)
{
    printf("  %-18s %.6g%s%s\n", name, value, *unit ? " " : "", unit);
}

// Whether the required parts are left out because a part that stands alone is there.
static bool is_alone(const mote_simulation_def *def)
{
    bool is_alone = false;
    const mote_simulation_part *part;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k) {
        size_t count;
        mote_simulation_part_structs(def, part, &count);
        if (part->is_required && part->count_offset && count > 0) return false;
        if (part->stands_alone && count > 0) is_alone = true;
    }
    return is_alone;
}

// The gravity of "fluid" also applies to parts that stand alone.
static void print_gravity(const mote_fluid_def *fluid)
{
    const mote_field *field = mote_fields_find(mote_fluid_fields(), "gravity");
    char value[128];
    mote_field_value_text(field, fluid, value, sizeof value);
    printf("  %-18s %s %s, as \"fluid\" has it\n", field->name, value, field->unit);
}

// By what the tank and the solids hold the fluid back, and what is to be known about them and the fluid.
static void print_boundaries(mote_simulation *simulation)
{
    for (size_t k = 0; k < mote_simulation_object_count(simulation); ++k) {
        mote_object_view view;
        if (mote_simulation_get_object(simulation, k, &view, NULL) != MOTE_OK) continue;
        const bool is_tank = strcmp(view.kind, "tank") == 0;
        if (view.boundary) printf("  %-18s %s: %s\n", "boundary", is_tank ? "tank" : view.name, view.boundary);
        if (view.remark && !view.boundary) printf("  note\n");
        if (view.remark) print_wrapped(view.remark, 21);
    }
}

static void print_derived(const app_style *style, const app_scene_file *file, const app_derived *derived)
{
    printf("%sderived%s\n", style->bold, style->reset);
    for (size_t k = 0; k < derived->quantities.count; ++k) {
        const mote_quantity *one = &derived->quantities.list[k];
        char name[64];
        snprintf(name, sizeof name, "%s", one->name);
        for (char *c = name; *c; ++c) *c = *c == '_' ? ' ' : *c;
        if (!one->is_fixed) continue;
        if (one->unit) print_quantity(name, one->value[0], one->unit);
        else printf("  %-18s %.0f\n", name, one->value[0]);
    }
    if (derived->reference_speed > 0) {
        print_quantity("depth H", derived->depth, "m");
        print_quantity("sqrt(gH)", derived->reference_speed, "m/s");
    }
    print_boundaries(file->simulation);
    print_quantity("frame interval", file->settings->end_time / (file->settings->frames - 1), "s");
    const app_video video = app_video_of(file->settings);
    printf("  %-18s %s, %.4g frames/s%s\n", "video", video.words, video.rate,
           video.is_slowed ? " (slow motion: more are not shown)" : "");
    printf("  %-18s about %.3g s\n", "time step", derived->time_step);
    printf("  %-18s about %.3g, that is %.3g particle-steps\n", "steps", derived->steps,
           derived->steps * derived->particles);
    printf("  %-18s %.1f MB so far\n", "memory", 1e-6 * (double)mote_context_byte_count(file->context));
}

static void print_scene(const app_scene_file *file)
{
    app_style style = app_style_of(stdout);
    const mote_scene_settings *settings = file->settings;
    mote_simulation_def resolved;
    app_derived derived = app_scene_derive(file, &resolved);
    const bool alone = is_alone(&resolved);
    print_values(&style, "scene", mote_scene_fields(), settings);
    const mote_simulation_part *part;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k)
        if (!alone || !part->is_required) print_part(&style, &resolved, part, mote_simulation_fluid(file->simulation));
    if (alone) print_gravity(&resolved.fluid);
    print_values(&style, "picture", mote_render_fields(), &file->picture);
    print_values(&style, "checkpoints", app_checkpoint_fields(), &file->checkpoints);
    if (file->output.fields[0]) print_values(&style, "output", app_output_fields(), &file->output);
    if (file->surface.is_wanted) print_values(&style, "surface", app_surface_fields(), &file->surface);
    print_derived(&style, file, &derived);
    free(derived.quantities.list);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

int app_scene(int argc, char **argv)
{
    const char *path;
    bool estimate = false, no_images = false;
    int64_t threads = 0;
    const app_option options[] = {
        {"--estimate", NULL, "try some steps, frames and small copies, and print what a run will take: memory, time",
         0, .flag = &estimate},
        {"--threads", "N", "number of threads of that run; default: all processors of this process or container", 0,
         .whole = &threads, .min = 1, .max = 4096},
        {"--no-images", NULL, "that run has no pictures and no video", 0, .flag = &no_images},
    };
    const app_usage usage = {
        "scene", "FILE", 1, "Checks a scene and prints all its parameters, defaults included, and derived quantities.",
        "A scene is a JSON object; units are SI, z points up. Meshes are searched for next to the scene file, in the\n"
        "folders in MOTE_MESH_PATH, and where Debian's packages install models; mote mesh --help lists the formats.\n"
        "Where a format has y up, \"rotate\": [90, 0, 0] turns it.\n", options,
        sizeof options / sizeof options[0], false};
    int status = app_options_read(&usage, argc, argv, &path);
    if (status == APP_DONE && asks_for_help(argc, argv)) print_all_fields();
    if (status != APP_GO_ON) return status;

    mote_context *context = app_context_create(threads);
    if (!context) return APP_FAILED;
    app_scene_file file;
    status = app_scene_open(&file, context, path);
    if (status == APP_DONE) status = app_scene_fill(&file);
    if (status == APP_DONE && estimate) status = app_scene_estimate(&file, !no_images);
    else if (status == APP_DONE) print_scene(&file);
    app_scene_close(&file);
    mote_context_destroy(context);
    return status;
}
