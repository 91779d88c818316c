// SPDX-License-Identifier: MIT
// mote neighbors: the neighbours of a file's points: their number, the method and its time; lists of them; a check.

#include "neighbors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

enum { MOST_BARS = 16 };

typedef struct neighbors_command {
    const char *radius_text, *method, *lists_path, *periodic, *frame_text;
    int64_t threads, frame;
    bool check, json, f64;
    app_found own;
    double update_seconds, lists_seconds;
    size_t checked;
    int64_t wrong;  // the first row that is wrong; −1: none
} neighbors_command;

// ---------------------------------------------------------------------------------------------------------- input

// Reads a number that is a length. It does not depend on a locale: the program sets none.
static int read_radius(neighbors_command *self)
{
    self->own.radius = NAN;
    if (!self->radius_text && self->own.nearest) return APP_DONE;
    if (!self->radius_text) {
        app_complain("mote neighbors: neither --radius nor --nearest, expected one of them");
        return APP_BAD_INPUT;
    }
    if (self->own.nearest) {
        app_complain("mote neighbors: both --radius and --nearest, expected one of them");
        return APP_BAD_INPUT;
    }
    char *end;
    self->own.radius = strtod(self->radius_text, &end);
    if (*end == '\0' && self->own.radius > 0 && isfinite(self->own.radius)) return APP_DONE;
    app_complain("mote neighbors: --radius is %s, expected a number above 0", self->radius_text);
    return APP_BAD_INPUT;
}

// Reads which snapshot to use of a file with several.
static int read_frame(neighbors_command *self)
{
    static const int64_t most = (int64_t)1 << 53;
    const char *text = self->frame_text;
    self->frame = !text ? 0 : MOTE_FRAME_LAST;
    if (!text || strcmp(text, "last") == 0) return APP_DONE;
    char *end;
    errno = 0;
    self->frame = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && self->frame >= 0 && self->frame <= most) return APP_DONE;
    app_complain("mote neighbors: --frame is %s, expected a whole number from 0 on, or last", text);
    return APP_BAD_INPUT;
}

// Finds a coordinate that would be infinite as a float.
static int refuse_wide(const app_found *own)
{
    const double *at = own->data.xyz + 3 * own->data.wide;
    int axis = 0;
    while (axis < 2 && !isinf((float)at[axis])) ++axis;
    char place[64];
    if (own->data.wide_line > 0) snprintf(place, sizeof place, ":%u", own->data.wide_line);
    else snprintf(place, sizeof place, ": point %zu", own->data.wide);
    app_complain("%s%s: %c is %g, beyond what float points hold, expected at most 3.4e38 or the option --double",
                 own->path, place, "xyz"[axis], at[axis]);
    return APP_BAD_INPUT;
}

static int read_points(neighbors_command *self, mote_context *context)
{
    app_found *own = &self->own;
    mote_error error = {0};
    mote_result result = mote_import_points_frame(context, own->path, self->frame, &own->data, &error);
    if (result != MOTE_OK) {
        app_complain("%s", error.text);
        return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
    }
    const mote_point_data *data = &own->data;
    if (data->count == 0) {
        app_complain("%s: there is no point in it, expected at least one", own->path);
        return APP_BAD_INPUT;
    }
    if (data->wide < data->count && !self->f64) return refuse_wide(own);
    own->is_f64 = self->f64;
    own->points = mote_points_xyz_f64(data->xyz, data->count);
    if (!self->f64) {
        own->f32 = malloc((3 * data->count + 1) * sizeof *own->f32);
        if (!own->f32) {
            app_complain("%s: no memory for %zu points", own->path, data->count);
            return APP_FAILED;
        }
        for (size_t i = 0; i < 3 * data->count; ++i) own->f32[i] = (float)data->xyz[i];
        own->points = mote_points_xyz(own->f32, data->count);
    }
    own->points.dimensions = data->dimensions;
    return app_found_read_period(own, self->periodic);
}

static int check_method(const char *method)
{
    if (!method) return APP_DONE;
    const mote_neighbors_method_info *info;
    const char *names[64] = {0};
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL && m < 63; ++m) {
        if (strcmp(info->name, method) == 0) return APP_DONE;
        names[m] = info->name;
    }
    const char *nearest = mote_nearest_word(method, names);
    if (nearest) app_complain("mote neighbors: --method is %s, did you mean %s?", method, nearest);
    else app_complain("mote neighbors: --method is %s, expected one of those in mote neighbors --help", method);
    return APP_BAD_INPUT;
}

// ---------------------------------------------------------------------------------------------------------- search

static int create(neighbors_command *self, mote_context *context)
{
    app_found *own = &self->own;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = own->nearest ? 1 : own->radius;
    // The tree does not support periodic boxes.
    def.method = !self->method && own->nearest && !own->is_periodic ? "kd_tree" : self->method;
    def.features = self->f64 ? MOTE_NEIGHBORS_F64 : 0u;
    if (own->nearest) def.features |= MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY;
    app_found_set_period(own, &def);
    mote_error error;
    mote_result result = mote_neighbors_create(context, &def, &own->search, &error);
    if (result == MOTE_OK) return APP_DONE;
    const bool is_named = strncmp(error.text, "neighbors: ", 11) == 0;
    app_complain("mote %s%s", is_named ? "" : "neighbors: ", error.text);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
}

static int find(neighbors_command *self, mote_context *context)
{
    mote_error error = {0};
    app_found *own = &self->own;
    int status = create(self, context);
    if (status != APP_DONE) return status;
    double start = app_clock();
    mote_result result = mote_neighbors_update(own->search, own->points, &error);
    if (result == MOTE_OK) status = app_found_check_reach(own);
    if (status != APP_DONE) return status;
    if (result == MOTE_OK && own->nearest) {  // some methods make their tree at the first query: it is counted
        mote_points nobody = own->points;
        nobody.count = 0;
        result = mote_neighbors_nearest(own->search, &nobody, 1, &own->lists, &error);
    }
    double updated = app_clock();
    if (result == MOTE_OK)
        result = own->nearest ? mote_neighbors_nearest(own->search, NULL, (uint32_t)own->nearest, &own->lists, &error)
                              : mote_neighbors_lists(own->search, &own->lists, &error);
    self->update_seconds = updated - start;
    self->lists_seconds = app_clock() - updated;
    if (result == MOTE_OK) return APP_DONE;
    const bool is_too_much = result == MOTE_ERROR_OUT_OF_MEMORY;
    const char *advice = own->nearest ? "; expected fewer points, or a smaller K"
                                      : "; expected fewer points, or a smaller radius";
    app_complain("%s: %s%s", own->path, error.text, is_too_much ? advice : "");
    return is_too_much ? APP_FAILED : APP_BAD_INPUT;
}

// Neighbours of a point: the least, the most, and how many points have how many.
typedef struct row_statistics {
    uint32_t least, most;
    double mean;
    uint32_t width;  // of a bar: so many counts share it
    size_t bars[MOST_BARS];
    int bar_count;
} row_statistics;

static row_statistics count_rows(const mote_lists *lists)
{
    row_statistics rows = {.least = lists->count ? UINT32_MAX : 0, .width = 1};
    for (size_t i = 0; i < lists->count; ++i) {
        rows.least = lists->counts[i] < rows.least ? lists->counts[i] : rows.least;
        rows.most = lists->counts[i] > rows.most ? lists->counts[i] : rows.most;
    }
    rows.width = (rows.most - rows.least) / MOST_BARS + 1;
    rows.bar_count = (int)((rows.most - rows.least) / rows.width) + 1;
    for (size_t i = 0; i < lists->count; ++i) ++rows.bars[(lists->counts[i] - rows.least) / rows.width];
    if (lists->count) rows.mean = (double)lists->total / (double)lists->count;
    return rows;
}

// ---------------------------------------------------------------------------------------------------------- output

static void print_histogram(const row_statistics *rows)
{
    size_t longest = 1;
    for (int b = 0; b < rows->bar_count; ++b) longest = rows->bars[b] > longest ? rows->bars[b] : longest;
    for (int b = 0; b < rows->bar_count; ++b) {
        char range[32];
        uint32_t first = rows->least + (uint32_t)b * rows->width, last = first + rows->width - 1;
        if (rows->width == 1) snprintf(range, sizeof range, "%u", first);
        else snprintf(range, sizeof range, "%u-%u", first, last < rows->most ? last : rows->most);
        app_bar_print(range, rows->bars[b], longest);
    }
}

// "x 0 to 10, y open, z -1 to 1"
static void print_box(const app_found *own, const app_style *style)
{
    printf("%sbox%s         periodic: ", style->bold, style->reset);
    for (int k = 0; k < own->data.dimensions; ++k) {
        char low[32], high[32];
        mote_number_text(own->low[k], low, sizeof low);
        mote_number_text(own->low[k] + own->length[k], high, sizeof high);
        printf("%s%c ", k ? ", " : "", "xyz"[k]);
        if (own->length[k] > 0) printf("%s to %s", low, high);
        else printf("open");
    }
    printf("\n");
}

static void print_text(const neighbors_command *self)
{
    app_style style = app_style_of(stdout);
    const app_found *own = &self->own;
    row_statistics rows = count_rows(&own->lists);
    size_t list_bytes, bytes = mote_neighbors_byte_count(own->search, &list_bytes);
    printf("%spoints%s      %zu in %dD, %s\n", style.bold, style.reset, own->data.count, own->data.dimensions,
           own->is_f64 ? "double" : "float");
    if (own->is_periodic) print_box(own, &style);
    printf("%smethod%s      %s\n", style.bold, style.reset, mote_neighbors_explain(own->search));
    printf("%sneighbours%s  %llu in all; %u to %u per point, mean %.4g\n", style.bold, style.reset,
           (unsigned long long)own->lists.total, rows.least, rows.most, rows.mean);
    if (own->data.count) print_histogram(&rows);
    printf("%stime%s        %.3g ms for the structure, %.3g ms for the lists\n", style.bold, style.reset,
           1e3 * self->update_seconds, 1e3 * self->lists_seconds);
    printf("%smemory%s      %.3g MB for the structure, %.3g MB for the lists\n", style.bold, style.reset,
           1e-6 * (double)bytes, 1e-6 * (double)list_bytes);
    if (self->lists_path) app_line_put("lists", self->lists_path);
    if (self->check && self->wrong < 0)
        printf("%scheck%s       %sholds%s: %zu rows are as brute force has them\n", style.bold, style.reset,
               style.green, style.reset, self->checked);
}

static void print_json(const neighbors_command *self)
{
    const app_found *own = &self->own;
    row_statistics rows = count_rows(&own->lists);
    size_t list_bytes, bytes = mote_neighbors_byte_count(own->search, &list_bytes);
    printf("{\"mote\": \"%s\", \"file\": ", mote_version());
    app_json_print(own->path);
    printf(", \"points\": %zu, \"dimensions\": %d, ", own->data.count, own->data.dimensions);
    if (own->nearest) printf("\"nearest\": %lld, ", (long long)own->nearest);
    else printf("\"radius\": %.17g, ", own->radius);
    if (own->is_periodic) {
        printf("\"periodic\": [");
        for (int k = 0; k < own->data.dimensions; ++k) {
            if (own->length[k] > 0) printf("%s%.17g", k ? ", " : "", own->length[k]);
            else printf("%snull", k ? ", " : "");
        }
        printf("], ");
    }
    printf("\"explain\": ");
    app_json_print(mote_neighbors_explain(own->search));
    printf(", \"neighbors\": %llu, \"least\": %u, \"most\": %u, \"mean\": %.17g, \"histogram\": [",
           (unsigned long long)own->lists.total, rows.least, rows.most, rows.mean);
    for (int b = 0; own->data.count && b < rows.bar_count; ++b)
        printf("%s{\"from\": %u, \"points\": %zu}", b ? ", " : "", rows.least + (uint32_t)b * rows.width, rows.bars[b]);
    printf("], \"update_ms\": %.6g, \"lists_ms\": %.6g, \"bytes\": %zu, \"list_bytes\": %zu",
           1e3 * self->update_seconds, 1e3 * self->lists_seconds, bytes, list_bytes);
    if (self->check) printf(", \"checked\": %zu, \"holds\": %s", self->checked, self->wrong < 0 ? "true" : "false");
    printf("}\n");
}

static int report(neighbors_command *self)
{
    self->wrong = -1;
    if (self->check) self->wrong = app_found_check(&self->own, &self->checked);
    if (self->wrong == APP_FOUND_UNCHECKED) {
        app_complain("mote neighbors: no memory to check %zu rows", self->checked);
        return APP_FAILED;
    }
    int status = self->lists_path ? app_found_write(&self->own, self->lists_path) : APP_DONE;
    if (status != APP_DONE) return status;
    if (self->json) print_json(self);
    else print_text(self);
    if (self->wrong < 0) return APP_DONE;
    app_complain("mote neighbors: the row of point %lld is not as brute force has it", (long long)self->wrong);
    return APP_FAILED;
}

// --------------------------------------------------------------------------------------------------------- command

static int run(neighbors_command *self)
{
    int status = read_radius(self);
    if (status == APP_DONE) status = read_frame(self);
    if (status == APP_DONE) status = check_method(self->method);
    if (status == APP_DONE && self->lists_path) status = app_found_check_path(self->lists_path);
    if (status != APP_DONE) return status;
    mote_context *context = app_context_create(self->threads);
    if (!context) return APP_FAILED;
    status = read_points(self, context);
    if (status == APP_DONE) status = find(self, context);
    if (status == APP_DONE) status = report(self);
    mote_neighbors_destroy(self->own.search);
    mote_point_data_release(&self->own.data);
    free(self->own.f32);
    mote_context_destroy(context);
    return status;
}

static void print_methods(void)
{
    app_style style = app_style_of(stdout);
    const mote_neighbors_method_info *info;
    printf("\n%sMethods%s\n", style.bold, style.reset);
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        printf("  %s%-22s%s %s\n", style.bold, info->name, style.reset, info->meaning);
}

int app_neighbors(int argc, char **argv)
{
    neighbors_command self = {0};
    const app_option options[] = {
        {.name = "--radius", .letter = 'r', .value = "R", .text = &self.radius_text,
         .meaning = "find all neighbours within distance R, in the file's length unit"},
        {.name = "--nearest", .letter = 'k', .value = "K", .whole = &self.own.nearest, .min = 1, .max = 1000000,
         .meaning = "find the K nearest points instead"},
        {.name = "--periodic", .value = "BOX", .text = &self.periodic,
         .meaning = "periodic box LX,LY,LZ; each a length, MIN:MAX, or - (not periodic); file: the box in the file"},
        {.name = "--frame", .value = "N", .text = &self.frame_text,
         .meaning = "frame of a LAMMPS dump, counted from 0, or last; default: 0"},
        {.name = "--method", .value = "NAME", .text = &self.method,
         .meaning = "search method; default: auto; for --nearest without --periodic: kd_tree"},
        {.name = "--threads", .value = "N", .whole = &self.threads, .min = 1, .max = 4096,
         .meaning = "number of threads; default: all processors of this process or container"},
        {.name = "--double", .flag = &self.f64, .meaning = "use double coordinates instead of float"},
        {.name = "--lists", .value = "FILE", .text = &self.lists_path,
         .meaning = "write all pairs (point, neighbour), counted from 0, to FILE.csv or FILE.npy"},
        {.name = "--check", .flag = &self.check,
         .meaning = "compare with brute force: all points if at most 20000, else 1000 of them"},
        {.name = "--json", .flag = &self.json, .meaning = "print one JSON object instead of text"},
    };
    const app_usage usage = {
        "neighbors", "FILE", 1, "Finds all neighbours of the points in a file and counts them.",
        "FILE is one of\n"
        "  .csv .tsv .txt .dat   a table separated by ',', ';', tabs or spaces; columns x, y, z if a header line (or\n"
        "                        a comment above the data) names columns, else the first three; two columns are 2D\n"
        "  .xyz                  one point per line; or number of atoms, comment line, and one named atom per line\n"
        "  .npy                  a NumPy array of shape (N, 2) or (N, 3): float32, float64 or integers\n"
        "  .lammpstrj .dump      a LAMMPS text dump: columns x y z, xu yu zu, xs ys zs or xsu ysu zsu\n"
        "  .ply                  its vertices\n"
        "  .vtp .vtu .vtk        VTK's files, also the old ones: the points\n"
        "  .bgeo .bgeo.gz        BGEO version 5, as Partio, SPlisHSPlasH and Houdini write it: the points\n"
        "  .raw .f32             float32 x, y, z, and nothing else\n"
        "NPY and BGEO files and LAMMPS dumps are also recognised by their first bytes. --periodic file takes the box\n"
        "of a dump; axes marked pp are periodic. Points may lie outside the box, and the radius may exceed it: every\n"
        "image of a point counts, including the point's own. --lists then has three more columns: the number of\n"
        "periods to add to the neighbour's x, y and z.\n"
        "Exit status: 0 success, 1 a check failed or a file cannot be written, 2 bad input or usage.\n",
        options, sizeof options / sizeof *options, false};
    int status = app_options_read(&usage, argc, argv, &self.own.path);
    if (status == APP_DONE) print_methods();
    return status == APP_GO_ON ? run(&self) : status;
}
