// SPDX-License-Identifier: MIT
// mote broadphase: overlapping boxes of a file: number, method and time; the best method; a check; cells.

#include "broadphase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

// A method is repeated until it has taken this long, or has run this often.
enum { MOST_RUNS = 25 };
static const double run_seconds = 0.3;

// Methods that were not asked for by name must not take longer than this.
static const double budget_seconds = 3;

typedef struct broadphase_command {
    const char *method_list;
    char *names;  // the list, cut at its commas
    const char *named[APP_METHODS];
    size_t named_count;
    int64_t threads;
    bool json, runs_all;
    app_overlaps all;
} broadphase_command;

// ---------------------------------------------------------------------------------------------------------- input

static int check_path(const char *option, const char *path, const char *ending)
{
    if (!path || app_ends_with(path, ending)) return APP_DONE;
    app_complain("mote broadphase: %s is %s, expected a name that ends with %s", option, path, ending);
    return APP_BAD_INPUT;
}

static int check_method(const char *method)
{
    const mote_broadphase_method_info *info;
    const char *names[APP_METHODS + 1] = {0};
    for (size_t m = 0; (info = mote_broadphase_method_at(m)) != NULL && m < APP_METHODS; ++m) {
        if (strcmp(info->name, method) == 0) return APP_DONE;
        names[m] = info->name;
    }
    const char *nearest = mote_nearest_word(method, names);
    if (nearest) app_complain("mote broadphase: --method is %s, did you mean %s?", method, nearest);
    else app_complain("mote broadphase: --method is %s, expected one of those in mote broadphase --help", method);
    return APP_BAD_INPUT;
}

// Cuts the list at its commas, and checks the names.
static int read_methods(broadphase_command *self)
{
    if (!self->method_list) return APP_DONE;
    self->names = app_text("%s", self->method_list);
    if (!self->names) return app_out_of_memory();
    int status = APP_DONE;
    for (char *name = self->names, *next; name && status == APP_DONE; name = next) {
        next = strchr(name, ',');
        if (next) *next++ = '\0';
        status = check_method(name);
        if (self->named_count < APP_METHODS) self->named[self->named_count++] = name;
    }
    return status;
}

static bool is_named(const broadphase_command *self, const char *method)
{
    for (size_t k = 0; k < self->named_count; ++k)
        if (strcmp(self->named[k], method) == 0) return true;
    return false;
}

// The method whose pairs are used as the result.
static const char *own_method(const broadphase_command *self)
{
    return self->named_count ? self->named[0] : mote_broadphase_method_at(0)->name;
}

// Cells are those of the method that was named. The default's are none for a few boxes and a tree's else: the hash
// shows more.
static int choose_cells(broadphase_command *self)
{
    app_overlaps *all = &self->all;
    if (!all->cells_path && !all->picture_path) return APP_DONE;
    const char *own = own_method(self);
    all->cells_method = strcmp(own, mote_broadphase_method_at(0)->name) != 0 ? own : "hierarchical_hash";
    if (strcmp(all->cells_method, "brute_force") != 0) return APP_DONE;
    app_complain("mote broadphase: --method is brute_force, which has no cells to write or draw, expected another one");
    return APP_BAD_INPUT;
}

static int check_options(broadphase_command *self)
{
    int status = read_methods(self);
    if (status == APP_DONE) status = check_path("--pairs", self->all.pairs_path, ".csv");
    if (status == APP_DONE) status = check_path("--cells", self->all.cells_path, ".vtp");
    if (status == APP_DONE) status = check_path("--picture", self->all.picture_path, ".png");
    return status == APP_DONE ? choose_cells(self) : status;
}

static int read_boxes(app_overlaps *all, mote_context *context)
{
    mote_error error = {0};
    mote_result result = mote_import_boxes(context, all->path, &all->data, &error);
    if (result != MOTE_OK) {
        app_complain("%s", error.text);
        return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
    }
    const mote_box_data *data = &all->data;
    if (data->count == 0) {
        app_complain("%s: there is no box in it, expected at least one", all->path);
        return APP_BAD_INPUT;
    }
    const size_t d = (size_t)data->dimensions;
    for (size_t k = 0; k < d; ++k) {
        all->extents.min[k] = INFINITY;
        all->extents.max[k] = -INFINITY;
        for (size_t i = 0; i < data->count; ++i) {
            all->extents.min[k] = fmin(all->extents.min[k], (double)data->corners[2 * d * i + k]);
            all->extents.max[k] = fmax(all->extents.max[k], (double)data->corners[2 * d * i + d + k]);
        }
    }
    return APP_DONE;
}

// --------------------------------------------------------------------------------------------------------- methods

// Makes a structure of the boxes.
static mote_result build(const app_overlaps *all, mote_context *context, const char *method, mote_broadphase **broad,
                         mote_error *error)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    def.dimensions = all->data.dimensions;
    mote_result result = mote_broadphase_create(context, &def, broad, error);
    if (result != MOTE_OK) return result;
    mote_boxes boxes = mote_boxes_corners(all->data.corners, all->data.count, all->data.dimensions);
    result = mote_broadphase_add_many(*broad, boxes, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, error);
    if (result == MOTE_OK) result = mote_broadphase_update(*broad, error);
    if (result == MOTE_OK) return MOTE_OK;
    mote_broadphase_destroy(*broad);
    *broad = NULL;
    return result;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

// Builds the structure and finds all pairs, a few times over.
// @param broad  receives the last structure, NULL on failure
static void measure(const app_overlaps *all, mote_context *context, const char *method, app_method_row *row,
                    mote_broadphase **broad, mote_pairs *pairs, mote_error *error)
{
    *row = (app_method_row){.name = method, .build_seconds = INFINITY, .pairs_seconds = INFINITY};
    *broad = NULL;
    const double begin = app_clock();
    for (int run = 0; run < MOST_RUNS && (run == 0 || app_clock() - begin < run_seconds); ++run) {
        mote_broadphase_destroy(*broad);
        *broad = NULL;
        app_overlaps_say("building", method);
        const double start = app_clock();
        row->result = build(all, context, method, broad, error);
        if (row->result != MOTE_OK) return;
        const double built = app_clock();
        row->build_seconds = lesser(row->build_seconds, built - start);
        app_overlaps_say("finding pairs by", method);
        row->result = mote_broadphase_pairs(*broad, pairs, error);
        row->pairs_seconds = lesser(row->pairs_seconds, app_clock() - built);
        if (row->result == MOTE_OK) continue;
        mote_broadphase_destroy(*broad);
        *broad = NULL;
        return;
    }
    row->bytes = mote_broadphase_byte_count(*broad, &row->result_bytes);
    row->pair_count = pairs->count;
}

static bool same_pairs(mote_pairs a, mote_pairs b)
{
    return a.count == b.count && (a.count == 0 || memcmp(a.pairs, b.pairs, a.count * sizeof *a.pairs) == 0);
}

static int find(broadphase_command *self, mote_context *context)
{
    app_overlaps *all = &self->all;
    mote_error error = {0};
    measure(all, context, own_method(self), &all->own, &all->broad, &all->pairs, &error);
    if (all->own.result != MOTE_OK) {
        app_complain("%s: %s%s", all->path, error.text[0] ? error.text : mote_result_text(all->own.result),
                     all->own.result == MOTE_ERROR_OUT_OF_MEMORY ? "; expected fewer boxes, or smaller ones" : "");
        return APP_FAILED;
    }
    all->own.agrees = true;
    snprintf(all->explanation, sizeof all->explanation, "%s", mote_broadphase_explain(all->broad));
    return APP_DONE;
}

// Fills in the row of a method. For the default it also stores the explanation of which method it chooses.
// @param slab  NULL: run the method however long it takes
static void measure_row(app_overlaps *all, mote_context *context, const char *method, const app_slab *slab,
                        app_method_row *row)
{
    mote_broadphase *broad = NULL;
    const bool is_own = strcmp(method, all->own.name) == 0;
    if (is_own) {
        *row = all->own;
    } else {
        app_overlaps_say("trying", method);
        const double expected = slab ? app_slab_predict(slab, context, method) : 0;
        if (expected > budget_seconds) {
            *row = (app_method_row){.name = method, .agrees = true, .skipped_seconds = expected};
            return;
        }
        mote_pairs pairs;
        mote_error error;
        measure(all, context, method, row, &broad, &pairs, &error);
        row->agrees = row->result == MOTE_OK && same_pairs(pairs, all->pairs);
    }
    if (strcmp(method, mote_broadphase_method_at(0)->name) == 0 && row->result == MOTE_OK)
        snprintf(all->suits, sizeof all->suits, "%s", is_own ? all->explanation : mote_broadphase_explain(broad));
    mote_broadphase_destroy(broad);
}

// Runs the named methods, or all that are not expected to take too long. Some take long where others are fast: text
// shows each row as soon as it is known.
static int compare_methods(broadphase_command *self, mote_context *context)
{
    app_overlaps *all = &self->all;
    app_slab slab = {0};
    const bool is_tried = !self->runs_all && self->named_count == 0;
    if (is_tried && !app_slab_take(&slab, &all->data)) return app_out_of_memory();
    const mote_broadphase_method_info *info;
    for (size_t m = 0; (info = mote_broadphase_method_at(m)) != NULL && m < APP_METHODS; ++m) {
        if (self->named_count && !self->runs_all && !is_named(self, info->name)) continue;
        app_method_row *row = &all->rows[all->row_count++];
        measure_row(all, context, info->name, is_tried ? &slab : NULL, row);
        app_overlaps_say(NULL, NULL);
        if (!self->json) app_overlaps_print_row(row);
    }
    app_slab_release(&slab);
    return APP_DONE;
}

// ---------------------------------------------------------------------------------------------------------- output

// The cells of the method that was chosen to show them, which need not be the one that found the pairs.
static int collect_cells(app_overlaps *all, mote_context *context, app_cells *cells)
{
    mote_broadphase *broad = all->broad;
    mote_error error = {0};
    const bool is_own = strcmp(all->cells_method, all->own.name) == 0;
    if (!is_own && build(all, context, all->cells_method, &broad, &error) != MOTE_OK) {
        app_complain("%s: %s", all->path, error.text);
        return APP_FAILED;
    }
    cells->are_nodes = strcmp(all->cells_method, "bvh8") == 0 || strcmp(all->cells_method, "box_join") == 0;
    int status = app_cells_collect(cells, broad);
    if (!is_own) mote_broadphase_destroy(broad);
    return status;
}

static int write_files(app_overlaps *all, mote_context *context, app_cells *cells)
{
    int status = all->cells_method ? collect_cells(all, context, cells) : APP_DONE;
    if (status == APP_DONE && all->pairs_path) status = app_pairs_write(all->pairs, all->pairs_path);
    if (status == APP_DONE && all->cells_path) status = app_cells_write(cells, context, all->cells_path);
    if (status == APP_DONE && all->picture_path)
        status = app_cells_draw(cells, &all->data, context, all->picture_path);
    return status;
}

// What must not be: a line on standard error for it.
static int judge(const app_overlaps *all)
{
    int status = APP_DONE;
    if (all->has_checked && all->wrong >= 0) {
        app_complain("mote broadphase: the pairs of box %lld are not as brute force has them", (long long)all->wrong);
        status = APP_FAILED;
    }
    for (size_t m = 0; m < all->row_count; ++m)
        if (all->rows[m].result == MOTE_OK && !all->rows[m].agrees) {
            app_complain("mote broadphase: %s finds other pairs than %s", all->rows[m].name, all->own.name);
            status = APP_FAILED;
        }
    return status;
}

static int report(broadphase_command *self, mote_context *context)
{
    app_overlaps *all = &self->all;
    all->wrong = -1;
    if (all->has_checked) all->wrong = app_pairs_check(&all->data, all->pairs, &all->checked);
    if (all->wrong == APP_PAIRS_UNCHECKED) return app_out_of_memory();
    app_cells cells = {.dimensions = all->data.dimensions, .extents = all->extents};
    int status = write_files(all, context, &cells);
    if (status == APP_DONE) {
        if (!self->json) app_overlaps_print(all, all->cells_method ? &cells : NULL);
        status = compare_methods(self, context);
    }
    if (status == APP_DONE) {
        if (self->json) app_overlaps_print_json(all);
        else app_overlaps_print_choice(all);
        status = judge(all);
    }
    app_cells_release(&cells);
    return status;
}

// --------------------------------------------------------------------------------------------------------- command

static int run(broadphase_command *self)
{
    mote_context *context = app_context_create(self->threads);
    if (!context) return APP_FAILED;
    app_overlaps_say("reading", self->all.path);
    int status = read_boxes(&self->all, context);
    if (status == APP_DONE) status = find(self, context);
    app_overlaps_say(NULL, NULL);
    if (status == APP_DONE) status = report(self, context);
    mote_broadphase_destroy(self->all.broad);
    mote_box_data_release(&self->all.data);
    mote_context_destroy(context);
    return status;
}

static void print_methods(void)
{
    app_style style = app_style_of(stdout);
    const mote_broadphase_method_info *info;
    printf("\n%sMethods%s\n", style.bold, style.reset);
    for (size_t m = 0; (info = mote_broadphase_method_at(m)) != NULL; ++m)
        printf("  %s%-22s%s %s\n", style.bold, info->name, style.reset, info->meaning);
}

int app_broadphase(int argc, char **argv)
{
    broadphase_command self = {0};
    app_overlaps *all = &self.all;
    const app_option options[] = {
        {.name = "--method", .value = "A,B", .text = &self.method_list,
         .meaning = "methods to run; the first gives the pairs; default: auto, then all others for comparison"},
        {.name = "--all", .flag = &self.runs_all, .meaning = "also run methods that take long"},
        {.name = "--threads", .value = "N", .whole = &self.threads, .min = 1, .max = 4096,
         .meaning = "number of threads; default: all processors of this process or container"},
        {.name = "--pairs", .value = "FILE", .text = &all->pairs_path,
         .meaning = "write all pairs (a, b), counted from 0, to FILE.csv"},
        {.name = "--check", .flag = &all->has_checked,
         .meaning = "compare with brute force: all boxes if at most 20000, else 1000 of them"},
        {.name = "--cells", .value = "FILE", .text = &all->cells_path,
         .meaning = "write the cells of --method (default: hierarchical_hash) to FILE.vtp"},
        {.name = "--picture", .value = "FILE", .text = &all->picture_path,
         .meaning = "draw boxes and cells to FILE.png; 3D as seen from above"},
        {.name = "--json", .flag = &self.json, .meaning = "print one JSON object instead of text"},
    };
    const app_usage usage = {
        "broadphase", "FILE", 1, "Finds all overlapping boxes in a file, and compares the methods that can find them.",
        "FILE is one of\n"
        "  .csv    columns min_x, min_y, min_z, max_x, max_y, max_z, in this order unless a header line names them\n"
        "  .json   an array of [min_x, min_y, min_z, max_x, max_y, max_z] or {\"min\": [x, y, z], \"max\": [x, y, z]}\n"
        "In 2D the z values are left out. The pairs of all methods are compared. Methods that would take more than\n"
        "about 3 s are skipped, unless --method names them or --all is given.\n"
        "Exit status: 0 success, 1 a check failed or a file cannot be written, 2 bad input or usage.\n",
        options, sizeof options / sizeof *options, false};
    int status = app_options_read(&usage, argc, argv, &all->path);
    if (status == APP_DONE) print_methods();
    if (status != APP_GO_ON) return status;
    status = check_options(&self);
    if (status == APP_DONE) status = run(&self);
    free(self.names);
    return status;
}
