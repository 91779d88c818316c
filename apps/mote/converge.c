// SPDX-License-Identifier: MIT
// mote converge: a scene at three spacings; for every gauge and total at its end the observed order of convergence, the
// value that it tends to, and an error band (Roache 1994; Celik et al. 2008 for unequal ratios of spacings).

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate.h"

enum { SPACINGS = 3, ITERATIONS = 100 };
static const double safety = 1.25;  // of the band, for three grids (Roache 1994)

// A value of a gauge at the end of a run.
typedef struct gauge_value {
    char name[64];  // "energy.kinetic", as in gauges.csv
    const char *unit;
    double value;
} gauge_value;

typedef struct gauge_values {
    gauge_value *list;  // of malloc
    size_t count;
} gauge_values;

typedef struct converge_command {
    const char *path, *spacing_wish;
    int64_t threads;
    bool json;
    double spacings[SPACINGS];  // from the coarsest
    app_quantities totals[SPACINGS];
    gauge_values gauges[SPACINGS];
    double seconds[SPACINGS];
} converge_command;

// A quantity of all three runs.
typedef struct converge_row {
    char name[APP_QUANTITY_NAME];
    const char *unit;
    double values[SPACINGS];
} converge_row;

// What three values of a quantity say.
typedef struct convergence {
    double order, extrapolated, band;  // NaN: they do not converge monotonically; the band is a share of the finest
    bool oscillates;
} convergence;

// ---------------------------------------------------------------------------------------------------------- input

static int read_spacings(converge_command *self)
{
    const char *at = self->spacing_wish;
    char *end;
    for (int k = 0; at && k < SPACINGS; ++k) {
        self->spacings[k] = strtod(at, &end);
        const bool is_good = end != at && self->spacings[k] > 0 && isfinite(self->spacings[k]);
        at = is_good && *end == (k + 1 < SPACINGS ? ',' : '\0') ? end + 1 : NULL;
    }
    const double *d = self->spacings;
    if (at && d[0] > d[1] && d[1] > d[2]) return APP_DONE;
    app_complain("mote converge: --spacing is %s, expected three lengths above 0, from the largest: 0.02,0.01,0.005",
                 self->spacing_wish ? self->spacing_wish : "missing");
    return APP_BAD_INPUT;
}

// --------------------------------------------------------------------------------------------------------- runs

typedef struct converge_progress {
    app_stage stage;
    double end;
} converge_progress;

static bool look(void *user_data, const mote_simulation *simulation)
{
    converge_progress *progress = user_data;
    app_stage_show(&progress->stage, mote_simulation_time(simulation) / progress->end);
    return app_signal_caught() != 0;
}

// The last rows of all gauges.
static mote_result read_gauges(const mote_simulation *simulation, gauge_values *values)
{
    const size_t gauges = mote_simulation_gauge_count(simulation);
    values->list = malloc((gauges * MOTE_GAUGE_VALUES + 1) * sizeof *values->list);
    if (!values->list) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < gauges; ++k) {
        mote_gauge_view view;
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) != MOTE_OK) continue;
        for (size_t v = 0; v < view.kind->value_count; ++v) {
            const mote_gauge_value *one = &view.kind->values[v];
            gauge_value *to = &values->list[values->count++];
            snprintf(to->name, sizeof to->name, "%s%s%s", view.name, one->name[0] ? "." : "", one->name);
            to->unit = view.dimensions == 2 ? one->unit_2d : one->unit;
            to->value = view.values[v];
        }
    }
    return MOTE_OK;
}

static int run_to_end(converge_command *self, app_scene_file *file, int k)
{
    mote_error error = {0};
    converge_progress progress = {.end = file->settings->end_time};
    app_stage_begin(&progress.stage, self->path);
    mote_result result = mote_simulation_run_until(file->simulation, progress.end, look, &progress, &error);
    app_stage_end(&progress.stage);
    if (app_signal_caught()) return 128 + app_signal_caught();
    if (result == MOTE_OK) result = app_quantities_get(file->simulation, &self->totals[k], &error);
    if (result == MOTE_OK) result = read_gauges(file->simulation, &self->gauges[k]);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("%s: spacing %g: %s", self->path, self->spacings[k], error.text);
    return APP_FAILED;
}

static int run_at(converge_command *self, mote_context *context, int k)
{
    app_scene_file written, file = {0};
    const double started = app_clock();
    int status = app_scene_open(&written, context, self->path);
    char *text = status == APP_DONE ? validate_scene_text(self->path, self->spacings[k], NULL) : NULL;
    if (status == APP_DONE && !text) {
        app_complain("%s: it has no \"fluid\", expected one whose spacing can be changed", self->path);
        status = APP_BAD_INPUT;
    }
    if (status == APP_DONE) status = app_scene_open_changed(&file, &written, text, strlen(text));
    free(text);
    if (status == APP_DONE) status = app_scene_fill(&file);
    if (status == APP_DONE) status = run_to_end(self, &file, k);
    app_scene_close(&file);
    app_scene_close(&written);
    self->seconds[k] = app_clock() - started;
    return status;
}

// ------------------------------------------------------------------------------------------------------ analysis

// The order p solves p = |ln|e32/e21| + ln((r21^p − s)/(r32^p − s))| / ln r21 (Celik et al. 2008, eqs. 3 and 4), where
// e are differences of values, r ratios of spacings, from the finest, and s is 1 where the differences agree in sign.
static convergence analyse(const double spacings[SPACINGS], const double values[SPACINGS])
{
    const double e21 = values[1] - values[2], e32 = values[0] - values[1];
    const double r21 = spacings[1] / spacings[2], r32 = spacings[0] / spacings[1];
    convergence found = {NAN, NAN, NAN, e21 * e32 < 0};
    if (e21 == 0 || e32 == 0 || found.oscillates) return found;
    double order = log(fabs(e32 / e21)) / log(r21);
    for (int k = 0; k < ITERATIONS; ++k)
        order = fabs(log(fabs(e32 / e21)) + log((pow(r21, order) - 1) / (pow(r32, order) - 1))) / log(r21);
    if (!(fabs(e21) < fabs(e32)) || !isfinite(order)) return found;  // it does not converge
    const double factor = pow(r21, order) - 1;
    found.order = order;
    found.extrapolated = values[2] - e21 / factor;
    found.band = safety * fabs(e21 / values[2]) / factor;
    return found;
}

// Row k: of the gauges, which are the same in all runs, then of the totals that all runs have and that change in a run.
// False: this total is not one of those.
static bool find_row(const converge_command *self, size_t k, converge_row *row)
{
    const size_t gauges = self->gauges[0].count;
    if (k < gauges) {
        snprintf(row->name, sizeof row->name, "%s", self->gauges[0].list[k].name);
        row->unit = self->gauges[0].list[k].unit;
        for (int run = 0; run < SPACINGS; ++run) row->values[run] = self->gauges[run].list[k].value;
        return true;
    }
    k -= gauges;
    const mote_quantity *first = &self->totals[0].list[k];
    if (first->is_fixed || !first->unit || first->components != 1) return false;
    app_quantity_name(first, row->name);
    row->unit = first->unit;
    for (int run = 0; run < SPACINGS; ++run) {
        if (k >= self->totals[run].count || strcmp(self->totals[run].list[k].name, first->name) != 0) return false;
        row->values[run] = self->totals[run].list[k].value[0];
    }
    return true;
}

static size_t row_count(const converge_command *self)
{
    return self->gauges[0].count + self->totals[0].count;
}

// -------------------------------------------------------------------------------------------------------- output

static void print_number(double value, bool is_percent)
{
    if (isnan(value)) printf(" %12s", "-");
    else if (is_percent) printf(" %10.3g %%", 100 * value);
    else printf(" %12.5g", value);
}

// What is to be said where there is no order.
static const char *remark_on(const converge_row *row, const convergence *found)
{
    if (!isfinite(row->values[0] + row->values[1] + row->values[2])) return "  not measured in all runs";
    if (row->values[0] == row->values[1] && row->values[1] == row->values[2]) return "  equal";
    if (found->oscillates) return "  oscillates";
    return isnan(found->order) ? "  does not converge" : "";
}

static void print_table(const converge_command *self)
{
    const app_style style = app_style_of(stdout);
    printf("%s%-24s %-8s", style.bold, "quantity at the end", "unit");
    for (int run = 0; run < SPACINGS; ++run) printf(" %12g", self->spacings[run]);
    printf(" %12s %12s %12s%s\n", "order", "extrapolated", "error band", style.reset);
    for (size_t k = 0; k < row_count(self); ++k) {
        converge_row row;
        if (!find_row(self, k, &row)) continue;
        const convergence found = analyse(self->spacings, row.values);
        printf("%-24s %-8s", row.name, row.unit);
        for (int run = 0; run < SPACINGS; ++run) print_number(row.values[run], false);
        print_number(found.order, false);
        print_number(found.extrapolated, false);
        print_number(found.band, true);
        printf("%s\n", remark_on(&row, &found));
    }
    printf("%-33s", "seconds");
    for (int run = 0; run < SPACINGS; ++run) printf(" %12.1f", self->seconds[run]);
    printf("\n");
}

static void json_number(const char *key, double value)
{
    if (isfinite(value)) printf(", \"%s\": %.9g", key, value);
    else printf(", \"%s\": null", key);
}

static void print_json(const converge_command *self)
{
    bool is_first = true;
    printf("{\"mote\": \"%s\", \"scene\": ", mote_version());
    app_json_print(self->path);
    printf(", \"spacings\": [%.17g, %.17g, %.17g], \"rows\": [", self->spacings[0], self->spacings[1],
           self->spacings[2]);
    for (size_t k = 0; k < row_count(self); ++k) {
        converge_row row;
        if (!find_row(self, k, &row)) continue;
        const convergence found = analyse(self->spacings, row.values);
        printf("%s\n{\"quantity\": ", is_first ? "" : ",");
        app_json_print(row.name);
        printf(", \"unit\": ");
        app_json_print(row.unit);
        printf(", \"values\": [");
        for (int run = 0; run < SPACINGS; ++run)
            printf(isfinite(row.values[run]) ? "%s%.9g" : "%snull", run ? ", " : "", row.values[run]);
        printf("]");
        json_number("order", found.order);
        json_number("extrapolated", found.extrapolated);
        json_number("band", found.band);
        printf(", \"oscillates\": %s}", found.oscillates ? "true" : "false");
        is_first = false;
    }
    printf("]}\n");
}

int app_converge(int argc, char **argv)
{
    converge_command self = {0};
    const app_option options[] = {
        {"--spacing", "A,B,C", "three spacings [m], from the largest", 0, .text = &self.spacing_wish},
        {"--json", NULL, "print one JSON object", 0, .flag = &self.json},
        {"--threads", "N", "number of threads; default: all processors of this process or container", 0,
         .whole = &self.threads, .min = 1, .max = 4096},
    };
    const app_usage usage = {
        .command = "converge",
        .arguments = "SCENE",
        .argument_count = 1,
        .summary = "Runs a scene at three spacings to its end, and says how its gauges and totals converge.",
        .details = "For every value of a gauge and every total at the end: its values, the observed order, the value\n"
                   "that it tends to, and an error band of the finest run (Roache 1994, safety factor 1.25). No files\n"
                   "are written.\n",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options_read(&usage, argc, argv, &self.path);
    if (status != APP_GO_ON) return status;
    status = read_spacings(&self);
    if (status != APP_DONE) return status;
    mote_context *context = app_context_create(self.threads);
    if (!context) return APP_FAILED;
    app_signals_catch();
    for (int k = 0; k < SPACINGS && status == APP_DONE; ++k) status = run_at(&self, context, k);
    if (status == APP_DONE && self.json) print_json(&self);
    else if (status == APP_DONE) print_table(&self);
    for (int k = 0; k < SPACINGS; ++k) free(self.totals[k].list), free(self.gauges[k].list);
    mote_context_destroy(context);
    return status;
}
