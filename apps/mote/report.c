// SPDX-License-Identifier: MIT
// run.json: the settings of a run, the quantities that its objects report in every frame (object_kind in
// simulation/internal.h), and a summary. All but the summary depends only on the scene, not on the
// machine, with one exception: camera positions are included only if pictures could be drawn.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

// -------------------------------------------------------------------------------------------------------- JSON

// A writer that keeps track of whether the next member needs a comma.
typedef struct json {
    FILE *out;
    bool follows;  // something stands before in this object or list
} json;

// The comma, and the member's name unless it is NULL, as in lists. A member on a line of its own is indented.
static void begin(json *to, const char *name, int indent)
{
    fprintf(to->out, "%s", to->follows ? "," : "");
    if (indent > 0) fprintf(to->out, "\n%*s", indent, "");
    else if (to->follows) fprintf(to->out, " ");
    if (name) fprintf(to->out, "\"%s\": ", name);
    to->follows = true;
}

static void open_with(json *to, const char *name, char bracket, int indent)
{
    begin(to, name, indent);
    fprintf(to->out, "%c", bracket);
    to->follows = false;
}

static void close_with(json *to, char bracket, int indent)
{
    if (indent > 0) fprintf(to->out, "\n%*s", indent, "");
    fprintf(to->out, "%c", bracket);
    to->follows = true;
}

static void put_number(json *to, const char *name, double value)
{
    char text[32];
    mote_number_text(value, text, sizeof text);
    begin(to, name, 0);
    fprintf(to->out, "%s", isfinite(value) ? text : "null");
}

static void put_count(json *to, const char *name, uint64_t value)
{
    begin(to, name, 0);
    fprintf(to->out, "%" PRIu64, value);
}

static void put_field(json *to, const mote_field *field, const void *object, int indent)
{
    size_t length = mote_field_value_text(field, object, NULL, 0);
    char *value = malloc(length + 1);
    begin(to, field->name, indent);
    if (value) mote_field_value_text(field, object, value, length + 1);
    fprintf(to->out, "%s", value ? value : "null");
    free(value);
}

static void put_text(json *to, const char *name, const char *text, int indent)
{
    const mote_field field = {.name = name, .type = MOTE_FIELD_TEXT};
    put_field(to, &field, &text, indent);
}

// All fields of a struct, as an object in one line.
static void put_object(json *to, const char *name, const mote_field_table *table, const void *object)
{
    open_with(to, name, '{', name ? 4 : 6);
    for (size_t i = 0; i < table->count; ++i) put_field(to, &table->fields[i], object, 0);
    close_with(to, '}', 0);
}

// A part of the simulation's def: a struct, or a list of them.
static void put_part(json *to, const mote_simulation_def *def, const mote_simulation_part *part)
{
    size_t count;
    const char *at = mote_simulation_part_structs(def, part, &count);
    if (!part->count_offset) {
        if (count) put_object(to, part->name, part->fields(), at);
        return;
    }
    open_with(to, part->name, '[', 4);
    for (size_t i = 0; i < count; ++i) put_object(to, NULL, part->fields(), at + i * part->size);
    close_with(to, ']', 0);
}

// ------------------------------------------------------------------------------------------------------- parts

static void put_parameters(json *to, const app_report *report)
{
    open_with(to, "parameters", '{', 2);
    put_object(to, "scene", mote_scene_fields(), report->file->settings);
    const mote_simulation_part *part;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k) put_part(to, &report->resolved, part);
    put_object(to, "picture", mote_render_fields(), &report->file->picture);
    put_object(to, "checkpoints", app_checkpoint_fields(), &report->file->checkpoints);
    if (report->file->output.fields[0]) put_object(to, "output", app_output_fields(), &report->file->output);
    if (report->file->surface.is_wanted) put_object(to, "surface", app_surface_fields(), &report->file->surface);
    close_with(to, '}', 2);
}

// Those that are fixed, or those that change.
static void put_quantities(json *to, const app_quantities *quantities, bool fixed)
{
    for (size_t k = 0; k < quantities->count; ++k) {
        const mote_quantity *one = &quantities->list[k];
        char name[APP_QUANTITY_NAME];
        app_quantity_name(one, name);
        const mote_field vector = {.name = name, .type = MOTE_FIELD_VECTOR};
        const mote_vec3 value = {one->value[0], one->value[1], one->value[2]};
        if (one->is_fixed != fixed) continue;
        if (one->components == 1)
            put_number(to, name, one->value[0]);
        else
            put_field(to, &vector, &value, 0);
    }
}

static void put_derived(json *to, const app_report *report)
{
    const app_derived *derived = &report->derived;
    const app_video video = app_video_of(report->file->settings);
    open_with(to, "derived", '{', 2);
    put_quantities(to, &derived->quantities, true);
    put_number(to, "depth", derived->depth);
    put_number(to, "reference_speed", derived->reference_speed);
    put_number(to, "video_speed", video.speed);
    put_number(to, "video_frame_rate", video.rate);
    close_with(to, '}', 0);
}

static void put_record(json *to, const app_record *record)
{
    static const mote_field eye = {.name = "eye", .type = MOTE_FIELD_VECTOR};
    static const mote_field target = {.name = "target", .type = MOTE_FIELD_VECTOR};
    open_with(to, NULL, '{', 4);
    put_count(to, "frame", (uint64_t)record->frame);
    put_number(to, "time", record->time);
    put_count(to, "steps", record->steps);
    put_quantities(to, &record->quantities, false);
    put_count(to, "fast_particles", record->fast);
    if (record->has_picture) put_field(to, &eye, &record->eye, 0);
    if (record->has_picture) put_field(to, &target, &record->target, 0);
    close_with(to, '}', 0);
}

static void put_summary(json *to, const app_report *report)
{
    const mote_simulation_counters *counters = &report->counters;
    open_with(to, "summary", '{', 2);
    put_count(to, "frames", report->record_count);
    put_count(to, "steps", counters->steps);
    put_count(to, "particle_steps", counters->particle_steps);
    put_number(to, "wall_seconds", report->seconds);
    put_number(to, "solver_seconds", counters->total_seconds);
    put_number(to, "particle_steps_per_second", (double)counters->particle_steps / counters->total_seconds);
    put_number(to, "search_share", counters->search_seconds / counters->total_seconds);
    if (report->has_checked) put_count(to, "inside_solids", report->inside);
    if (report->has_checked) put_count(to, "beyond_walls", report->beyond);
    put_text(to, "drawn_by", report->pictures, 0);
    close_with(to, '}', 0);
}

static void put_origin(json *to, const app_origin *origin)
{
    open_with(to, "from", '{', 2);
    put_text(to, "folder", origin->folder, 0);
    if (origin->frame >= 0) put_count(to, "frame", (uint64_t)origin->frame);
    put_number(to, "time", origin->time);
    close_with(to, '}', 0);
}

static void put_made(json *to, const app_made *made)
{
    open_with(to, "files", '[', 2);
    for (size_t f = 0; f < made->count; ++f) {
        const app_made_family *family = &made->families[f];
        char *name = family->count < 0 ? app_text("%s%s", family->prefix, family->ending) : NULL;
        if (name) {
            put_text(to, NULL, name, 0);
        } else {
            open_with(to, NULL, '[', 0);
            put_text(to, NULL, family->prefix, 0);
            put_count(to, NULL, (uint64_t)family->count);
            put_text(to, NULL, family->ending, 0);
            close_with(to, ']', 0);
        }
        free(name);
    }
    close_with(to, ']', 0);
}

bool app_report_write(const app_report *report, const char *folder)
{
    app_file file;
    char key[APP_SCENE_KEY];
    size_t length;
    const char *text = mote_scene_text(report->file->scene, &length);
    app_made_scene_key(text, length, key);
    if (!app_file_open(&file, folder, "run.json")) return false;
    json to = {file.stream, false};
    fprintf(to.out, "{");
    put_text(&to, "mote", mote_version(), 2);
    put_text(&to, "name", report->file->name, 2);
    put_text(&to, "scene_key", key, 2);
    put_text(&to, "status", report->status, 2);
    put_text(&to, "message", report->message, 2);
    if (report->origin.folder) put_origin(&to, &report->origin);
    put_made(&to, &report->made);
    put_parameters(&to, report);
    put_derived(&to, report);
    open_with(&to, "frames", '[', 2);
    for (size_t i = 0; i < report->record_count; ++i) put_record(&to, &report->records[i]);
    close_with(&to, ']', 2);
    put_summary(&to, report);
    fprintf(to.out, "\n}\n");
    return app_file_commit(&file);
}

void app_report_amend(const char *folder)
{
    enum { HEAD = 1024 };  // what stands before the status is short
    static const char running[] = "\"status\": \"running\"", failed[] = "\"status\": \"failed\" ";
    _Static_assert(sizeof running == sizeof failed, "one takes the other's place");
    char *path = app_text("%s/run.json", folder), head[HEAD + 1];
    FILE *file = path ? fopen(path, "r+b") : NULL;
    free(path);
    if (!file) return;
    head[fread(head, 1, HEAD, file)] = '\0';
    const char *at = strstr(head, running);
    if (at && fseek(file, (long)(at - head), SEEK_SET) == 0) fwrite(failed, 1, sizeof failed - 1, file);
    fclose(file);
}
