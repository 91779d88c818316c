// run.json: what a run was and what came out. All but the summary depends on the scene alone, not on the machine.

#include <math.h>
#include <stdlib.h>

#include "app.h"

// -------------------------------------------------------------------------------------------------------- JSON

static void put_number(FILE *out, const char *name, double value)
{
    char text[32];
    mote_number_text(value, text, sizeof text);
    fprintf(out, "\"%s\": %s", name, isfinite(value) ? text : "null");
}

static void put_text(FILE *out, const char *name, const char *text)
{
    const mote_field field = {.name = name, .type = MOTE_FIELD_TEXT};
    size_t length = mote_field_value_text(&field, &text, NULL, 0);
    char *quoted = malloc(length + 1);
    if (!quoted) return;
    mote_field_value_text(&field, &text, quoted, length + 1);
    fprintf(out, "\"%s\": %s", name, quoted);
    free(quoted);
}

// All fields of a struct, as an object in one line.
static void put_object(FILE *out, const mote_field_table *table, const void *object)
{
    fprintf(out, "{");
    for (size_t i = 0; i < table->count; ++i) {
        const mote_field *field = &table->fields[i];
        size_t length = mote_field_value_text(field, object, NULL, 0);
        char *value = malloc(length + 1);
        if (!value) return;
        mote_field_value_text(field, object, value, length + 1);
        fprintf(out, "%s\"%s\": %s", i ? ", " : "", field->name, value);
        free(value);
    }
    fprintf(out, "}");
}

static void put_list(FILE *out, const char *name, const mote_field_table *table, const void *objects, size_t size,
                     size_t count)
{
    fprintf(out, ",\n    \"%s\": [", name);
    for (size_t i = 0; i < count; ++i) {
        fprintf(out, "%s\n      ", i ? "," : "");
        put_object(out, table, (const char *)objects + i * size);
    }
    fprintf(out, "]");
}

// ------------------------------------------------------------------------------------------------------- parts

static void put_parameters(FILE *out, const app_report *report)
{
    const mote_scene_settings *settings = report->file->settings;
    const mote_simulation_def *def = &settings->simulation;
    fprintf(out, "  \"parameters\": {\n    \"scene\": ");
    put_object(out, mote_scene_fields(), settings);
    fprintf(out, ",\n    \"fluid\": ");
    put_object(out, mote_fluid_fields(), &report->fluid);
    if (def->has_tank) {
        fprintf(out, ",\n    \"tank\": ");
        put_object(out, mote_tank_fields(), &def->tank);
    }
    put_list(out, "blocks", mote_block_fields(), def->blocks, sizeof *def->blocks, def->block_count);
    put_list(out, "solids", mote_solid_fields(), def->solids, sizeof *def->solids, def->solid_count);
    fprintf(out, ",\n    \"picture\": ");
    put_object(out, mote_render_fields(), &report->file->picture);
    fprintf(out, "\n  },\n");
}

static void put_derived(FILE *out, const app_derived *derived)
{
    fprintf(out, "  \"derived\": {\"particles\": %zu, \"wall_particles\": %zu, \"removed\": %zu, ", derived->particles,
            derived->wall_particles, derived->removed);
    put_number(out, "particle_mass", derived->particle_mass);
    fprintf(out, ", ");
    put_number(out, "depth", derived->depth);
    fprintf(out, ", ");
    put_number(out, "reference_speed", derived->reference_speed);
    fprintf(out, "},\n");
}

static void put_record(FILE *out, const app_record *record, const app_derived *derived)
{
    const mote_fluid_totals *totals = &record->totals;
    fprintf(out, "    {\"frame\": %d, ", record->frame);
    put_number(out, "time", record->time);
    fprintf(out, ", \"steps\": %llu, \"particles\": %zu, ", (unsigned long long)record->steps, derived->particles);
    put_number(out, "max_speed", totals->max_speed);
    fprintf(out, ", ");
    put_number(out, "max_speed_ratio", totals->max_speed / derived->reference_speed);
    fprintf(out, ", \"fast_particles\": %llu, ", (unsigned long long)record->fast);
    put_number(out, "mean_compression", totals->mean_compression);
    fprintf(out, ", ");
    put_number(out, "max_compression", totals->max_compression);
    fprintf(out, ", ");
    put_number(out, "kinetic_energy", totals->kinetic_energy);
    fprintf(out, ", ");
    put_number(out, "potential_energy", totals->potential_energy);
    const mote_field momentum = {.name = "momentum", .type = MOTE_FIELD_VECTOR};
    char text[128];
    mote_field_value_text(&momentum, &totals->momentum, text, sizeof text);
    fprintf(out, ", \"momentum\": %s}", text);
}

static void put_summary(FILE *out, const app_report *report)
{
    const mote_fluid_counters *counters = &report->counters;
    fprintf(out, "  \"summary\": {\"frames\": %zu, \"steps\": %llu, \"particle_steps\": %llu, ", report->record_count,
            (unsigned long long)counters->steps, (unsigned long long)counters->particle_steps);
    put_number(out, "wall_seconds", report->seconds);
    fprintf(out, ", ");
    put_number(out, "solver_seconds", counters->total_seconds);
    fprintf(out, ", ");
    put_number(out, "particle_steps_per_second", (double)counters->particle_steps / counters->total_seconds);
    fprintf(out, ", ");
    put_number(out, "search_share", counters->search_seconds / counters->total_seconds);
    fprintf(out, ", \"removed\": %zu", report->derived.removed);
    if (report->has_checked) fprintf(out, ", \"inside_solids\": %zu, \"beyond_walls\": %zu", report->inside, report->beyond);
    fprintf(out, ", ");
    put_text(out, "drawn_by", report->pictures);
    fprintf(out, "}\n");
}

bool app_report_write(const app_report *report, const char *folder)
{
    app_file file;
    if (!app_file_open(&file, folder, "run.json")) return false;
    FILE *out = file.stream;
    fprintf(out, "{\n  ");
    put_text(out, "mote", mote_version());
    fprintf(out, ",\n  ");
    put_text(out, "name", report->file->name);
    fprintf(out, ",\n  ");
    put_text(out, "status", report->status);
    fprintf(out, ",\n  ");
    put_text(out, "message", report->message);
    fprintf(out, ",\n");
    put_parameters(out, report);
    put_derived(out, &report->derived);
    fprintf(out, "  \"frames\": [\n");
    for (size_t i = 0; i < report->record_count; ++i) {
        put_record(out, &report->records[i], &report->derived);
        fprintf(out, i + 1 < report->record_count ? ",\n" : "\n");
    }
    fprintf(out, "  ],\n");
    put_summary(out, report);
    fprintf(out, "}\n");
    return app_file_commit(&file);
}
