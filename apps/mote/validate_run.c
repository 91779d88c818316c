// SPDX-License-Identifier: MIT
// A run of a case: its scene at a resolution and with a preset, advanced while somebody measures.

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate.h"

enum { FORECAST_STEPS = 20 };

static const double long_work = 20;  // runs that take longer are forecast [s]

// ----------------------------------------------------------------------------------------------------- the scene

// What a preset decides, and a scene may set for its own preset only.
static const char *const numerics[] = {"kernel", "support", "viscosity_model", "shifting", "density_diffusion"};

char *validate_scene_text(const char *path, double spacing, const char *preset)
{
    json_t *scene = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    json_t *fluid = json_object_get(scene, "fluid");
    char *text = NULL;
    if (fluid) {
        const char *own = json_string_value(json_object_get(fluid, "preset"));
        const bool is_other = preset && !(own && strcmp(own, preset) == 0);
        json_object_set_new(fluid, "spacing", json_real(spacing));
        if (is_other) json_object_set_new(fluid, "preset", json_string(preset));
        for (size_t k = 0; is_other && k < sizeof numerics / sizeof *numerics; ++k)
            json_object_del(fluid, numerics[k]);
        text = json_dumps(scene, JSON_INDENT(4) | JSON_REAL_PRECISION(17));
    }
    json_decref(scene);
    return text;
}

// The scene as it is in its file is opened first, so that messages have lines of that file.
static int open_scene(validate_run *run, const char *path)
{
    app_scene_file written;
    int status = app_scene_open(&written, run->context, path);
    char *text = status == APP_DONE ? validate_scene_text(path, run->spacing, run->preset) : NULL;
    if (status == APP_DONE && !text) {
        app_complain("%s: it has no \"fluid\", expected one whose spacing can be changed", path);
        status = APP_BAD_INPUT;
    }
    if (status == APP_DONE) status = app_scene_open_changed(&run->file, &written, text, strlen(text));
    free(text);
    if (status == APP_DONE) status = app_scene_fill(&run->file);
    run->file.written = NULL;
    app_scene_close(&written);
    return status;
}

int validate_run_open(validate_run *run, const char *scenes, bool is_quiet)
{
    run->started = app_clock();
    run->spacing = run->scene->length / run->resolution->cells;
    for (size_t k = 0; k < VALIDATE_CHECKS; ++k) run->values[k] = run->references[k] = NAN;
    run->folder = app_text("%s/%s", scenes, run->of->name);
    char *path = run->folder ? app_text("%s/%s.json", run->folder, run->scene->name) : NULL;
    if (!path) return app_out_of_memory();
    const int status = open_scene(run, path);
    if (status == APP_DONE) {
        run->simulation = run->file.simulation;
        run->fluid = mote_simulation_fluid(run->simulation);
        run->def = mote_fluid_resolved_def(run->fluid);
        run->end = run->file.settings->end_time;
    }
    free(path);
    app_stage_begin(&run->stage, run->scene->name);
    if (is_quiet) run->stage.live = false;
    return status;
}

void validate_run_close(validate_run *run)
{
    app_stage_end(&run->stage);
    run->seconds = app_clock() - run->started;
    if (run->curve) fclose(run->curve);
    app_scene_close(&run->file);
    free(run->folder);
}

// ---------------------------------------------------------------------------------------------------- in the run

static bool look(void *user_data, const mote_simulation *simulation)
{
    validate_run *run = user_data;
    app_stage_show(&run->stage, mote_simulation_time(simulation) / run->end);
    return app_signal_caught() != 0;
}

bool validate_forecast(validate_run *run, double *seconds, double *steps)
{
    const double started = app_clock(), before = mote_simulation_time(run->simulation);
    for (int k = 0; k < FORECAST_STEPS; ++k)
        if (mote_simulation_step(run->simulation, run->end / 1000, NULL, &run->error) != MOTE_OK) return false;
    const double share = (mote_simulation_time(run->simulation) - before) / run->end;
    *seconds = (app_clock() - started) / share;
    *steps = FORECAST_STEPS / share;
    return true;
}

// Tells on standard error how long the whole run will take if that is long.
static bool forecast(validate_run *run)
{
    char duration[32];
    double seconds, steps;
    run->is_forecast = false;
    if (!validate_forecast(run, &seconds, &steps)) return false;
    if (seconds < long_work) return true;
    app_duration_text(seconds, duration, sizeof duration);
    fprintf(stderr, "%s, %s, %d: about %s for %.3g steps\n", run->scene->name, run->preset, run->resolution->cells,
            duration, steps);
    return true;
}

bool validate_advance(validate_run *run, double time)
{
    if (run->is_forecast && !forecast(run)) return false;
    const mote_result result = mote_simulation_run_until(run->simulation, time, look, run, &run->error);
    if (result == MOTE_OK && app_signal_caught()) snprintf(run->error.text, sizeof run->error.text, "interrupted");
    return result == MOTE_OK && !app_signal_caught();
}

bool validate_view(validate_run *run, mote_fluid_view *view)
{
    return mote_fluid_get_view(run->fluid, view, &run->error) == MOTE_OK;
}

void validate_report(validate_run *run, size_t check, double value, double reference)
{
    run->values[check] = value;
    run->references[check] = reference;
}

// -------------------------------------------------------------------------------------------------------- tables

void validate_curve(validate_run *run, const char *columns)
{
    if (!run->out) return;
    char *path =
        app_text("%s/%s-%s-%d.csv", run->out, run->scene->name, run->preset, run->resolution->cells);
    run->curve = path ? fopen(path, "w") : NULL;
    if (run->curve) {
        setvbuf(run->curve, NULL, _IOLBF, BUFSIZ);  // long runs can be looked at while they last
        fprintf(run->curve, "%s\n", columns);
    } else app_complain("mote validate: %s cannot be written: %s", path ? path : run->out, strerror(errno));
    free(path);
}

void validate_point(validate_run *run, size_t count, const double *numbers)
{
    for (size_t k = 0; run->curve && k < count; ++k)
        fprintf(run->curve, "%s%.8g", k ? "," : "", numbers[k]);
    if (run->curve) fprintf(run->curve, "\n");
}

// Reads the numbers that a line begins with. @return how many there are, at most `most`
static size_t read_numbers(const char *line, double *numbers, size_t most)
{
    size_t count = 0;
    char *end;
    while (count < most) {
        numbers[count] = strtod(line, &end);
        if (end == line) break;
        ++count;
        line = end + (*end == ',');
    }
    return count;
}

double *validate_table_read(validate_run *run, const char *name, size_t columns, size_t *rows)
{
    char line[512], *path = app_text("%s/%s", run->folder, name);
    FILE *stream = path ? fopen(path, "r") : NULL;
    if (!stream) snprintf(run->error.text, sizeof run->error.text, "%s cannot be read: %s", name, strerror(errno));
    free(path);
    if (!stream) return NULL;
    double *table = NULL;
    size_t count = 0;
    while (fgets(line, sizeof line, stream)) {
        double *grown = realloc(table, (count + 1) * columns * sizeof *grown);
        if (!grown) break;
        table = grown;
        count += read_numbers(line, table + count * columns, columns) == columns;
    }
    const bool is_whole = !ferror(stream) && feof(stream) && count > 0;
    fclose(stream);
    if (!is_whole) {
        snprintf(run->error.text, sizeof run->error.text, "%s: no lines of %zu numbers could be read", name, columns);
        free(table);
        return NULL;
    }
    *rows = count;
    return table;
}
