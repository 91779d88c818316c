// SPDX-License-Identifier: MIT
// mote surface: the surfaces of the points in files: closed meshes, one for each file.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surfaces.h"

enum { MOST_INPUTS = 4096, MOST_ARRAYS = 32, BOX_NUMBERS = 6, MOST_PLANES = 12 };

typedef struct surface_command {
    const char *spacing, *radius, *cell, *support, *isovalue, *normals, *tank, *box, *cut, *format, *output, *arrays,
        *input_format, *picture_path, *kernel, *phase;
    const mote_mesh_format *writer;
    char *names;  // of arrays, which `name` points into
    const char *name[MOST_ARRAYS];
    size_t name_count;
    int64_t smooth, smooth_normals, min_particles, threads;
    bool weights, cleanup, check, json, raw;
    const char **given;  // names, patterns or a folder
    size_t given_count;
    app_surface_inputs inputs;
    mote_series *series;    // of a run's surfaces; NULL: none
    double started, reach;  // [s]; a kernel's support [m]
    mote_surface_def def;
    mote_surface_plane planes[MOST_PLANES];
    size_t plane_count;
    app_surface_picture *picture;  // NULL: none is wanted
    mote_context *context;
    mote_surface *surface;
    app_outline outline;  // of particles in 2D
    bool is_flat;         // those of the latest file are
    bool has_failed;      // a check of some file
    bool has_printed;     // something of the JSON array
} surface_command;

// ---------------------------------------------------------------------------------------------------------- options

// Reads a number above 0; NaN stays where the option was not given.
static int read_number(const char *option, const char *text, double *number)
{
    if (!text) return APP_DONE;
    char *end;
    *number = strtod(text, &end);
    if (end != text && *end == '\0' && *number > 0 && isfinite(*number)) return APP_DONE;
    app_complain("mote surface: %s is %s, expected a number above 0", option, text);
    return APP_BAD_INPUT;
}

// Adds the planes of a box: its floor, its four sides and, where it is closed, its top.
static int add_box(surface_command *self, const char *option, const char *given, bool is_closed)
{
    double at[BOX_NUMBERS];
    const char *text = given;
    bool is_right = true;
    for (int k = 0; k < BOX_NUMBERS && is_right; ++k) {
        char *end;
        at[k] = strtod(text, &end);
        is_right = end != text && isfinite(at[k]) && *end == (k + 1 < BOX_NUMBERS ? ',' : '\0');
        text = end + 1;
    }
    for (int k = 0; k < 3 && is_right; ++k) is_right = at[k] < at[k + 3];
    if (!is_right) {
        app_complain("mote surface: %s is %s, expected the lower and the upper corner, X,Y,Z,X,Y,Z", option, given);
        return APP_BAD_INPUT;
    }
    const mote_vec3 low = {at[0], at[1], at[2]}, high = {at[3], at[4], at[5]};
    const mote_surface_plane planes[6] = {{low, {1, 0, 0}},   {high, {-1, 0, 0}}, {low, {0, 1, 0}},
                                          {high, {0, -1, 0}}, {low, {0, 0, 1}},   {high, {0, 0, -1}}};
    for (size_t k = 0; k < (is_closed ? 6 : 5); ++k) self->planes[self->plane_count++] = planes[k];
    return APP_DONE;
}

// What cuts: a tank, the given one or that of the run, and a box.
static int read_planes(surface_command *self)
{
    int status = APP_DONE;
    if (self->tank) {
        status = add_box(self, "--tank", self->tank, false);
    } else {
        self->plane_count = self->inputs.plane_count;
        memcpy(self->planes, self->inputs.planes, sizeof self->inputs.planes);
    }
    if (status == APP_DONE && self->box) status = add_box(self, "--box", self->box, true);
    return status;
}

// One of the choices of a field of mote_surface_def; the default stays where the option was not given.
static int read_choice(const char *option, const char *text, const char *field_name, int32_t *choice)
{
    const mote_field *field = mote_fields_find(mote_surface_fields(), field_name);
    char all[96] = "";
    size_t used = 0;
    for (int32_t k = 0; text && field->choices[k]; ++k) {
        if (strcmp(text, field->choices[k]) == 0) {
            *choice = k;
            return APP_DONE;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", field->choices[k]);
    }
    if (!text) return APP_DONE;
    app_complain("mote surface: %s is %s, expected one of %s", option, text, all);
    return APP_BAD_INPUT;
}

// Pictures of several files need several names.
static int read_picture(const surface_command *self)
{
    if (!self->picture_path) return APP_DONE;
    if (!app_ends_with(self->picture_path, ".png")) {
        app_complain("mote surface: --picture is %s, expected a name that ends with .png", self->picture_path);
        return APP_BAD_INPUT;
    }
    if (self->inputs.count < 2 || strstr(self->picture_path, "{}")) return APP_DONE;
    app_complain("mote surface: --picture is %s for %zu files, expected a name with {} in place of theirs",
                 self->picture_path, self->inputs.count);
    return APP_BAD_INPUT;
}

// The endings of all formats: "ply, obj, …".
static void list_formats(char *text, size_t size)
{
    const mote_mesh_format *format;
    size_t used = 0;
    for (size_t k = 0; (format = mote_mesh_format_at(k)) != NULL && used < size; ++k)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", format->ending + 1);
}

// The format that --format names; without it that of the output's name, or VTP.
static int read_format(surface_command *self)
{
    const bool by_name = !self->format && self->output && self->inputs.count == 1 && !self->inputs.folder;
    char name[32], all[96];
    snprintf(name, sizeof name, ".%s", self->format ? self->format : "vtp");
    self->writer = mote_mesh_format_of(by_name ? self->output : name);
    if (self->writer) return APP_DONE;
    list_formats(all, sizeof all);
    if (by_name)
        app_complain("mote surface: --output is %s, expected a name with one of the endings %s", self->output, all);
    else
        app_complain("mote surface: the format is %s, expected one of %s", self->format, all);
    return APP_BAD_INPUT;
}

// The names in --arrays, in place: each ends with a zero.
static int read_arrays(surface_command *self)
{
    if (!self->arrays) return APP_DONE;
    self->names = app_text("%s", self->arrays);
    if (!self->names) return app_out_of_memory();
    for (char *at = self->names; at && self->name_count < MOST_ARRAYS;) {
        self->name[self->name_count++] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
        else return APP_DONE;
    }
    app_complain("mote surface: --arrays has more than %d names", MOST_ARRAYS);
    return APP_BAD_INPUT;
}

// Refuses options that would change nothing.
static int refuse_without_effect(const surface_command *self)
{
    const char *text = NULL;
    const bool takes_one = self->writer->has_colors && self->name_count == 1;
    if (self->arrays && !self->writer->has_arrays && !takes_one)
        text = self->writer->has_colors ? "--arrays with several names without --format vtp"
                                        : "--arrays without --format vtp";
    else if (self->weights && self->def.smooth == 0) text = "--weights without --smooth";
    else if (self->smooth_normals > 0 && self->def.normals == MOTE_SURFACE_NORMALS_NONE)
        text = "--smooth-normals without --normals";
    if (!text) return APP_DONE;
    app_complain("mote surface: %s, expected both", text);
    return APP_BAD_INPUT;
}

// Options that are given, over those of the run's scene or the defaults.
static int read_after(surface_command *self)
{
    mote_surface_def *def = &self->def;
    const mote_surface_def *own = &self->inputs.scene;
    const bool is_run = self->inputs.has_scene;
    def->smooth = (int32_t)(self->smooth >= 0 ? self->smooth : is_run ? own->smooth : 0);
    def->weighted = self->weights || (is_run && own->weighted);
    if (self->smooth_normals >= 0) def->smooth_normals = (int32_t)self->smooth_normals;
    else if (is_run) def->smooth_normals = own->smooth_normals;
    def->cleanup = self->cleanup || (is_run && own->cleanup && !self->phase);
    def->min_particles = (int32_t)(self->min_particles >= 0 ? self->min_particles : is_run ? own->min_particles : 0);
    return refuse_without_effect(self);
}

static int read_def(surface_command *self)
{
    mote_surface_def *def = &self->def;
    double radius = NAN, cell = NAN, support = NAN;
    *def = mote_surface_default_def();
    if (self->inputs.folder) def->spacing = self->inputs.spacing;
    if (!self->phase && self->inputs.has_fluids && !self->inputs.is_flat) self->phase = "phase";
    if (self->inputs.has_scene) {
        cell = self->inputs.scene.cell, support = self->inputs.scene.support;
        def->kernel = self->inputs.scene.kernel;
        def->normals = self->inputs.scene.normals;
    }
    if (self->spacing && self->radius ? true : !self->spacing && !self->radius && !self->inputs.folder) {
        app_complain("mote surface: %s, expected one of them",
                     self->spacing ? "both --spacing and --radius" : "neither --spacing nor --radius");
        return APP_BAD_INPUT;
    }
    int status = read_number("--spacing", self->spacing, &def->spacing);
    if (status == APP_DONE) status = read_number("--radius", self->radius, &radius);
    if (status == APP_DONE) status = read_number("--cell", self->cell, &cell);
    if (status == APP_DONE) status = read_number("--support", self->support, &support);
    if (status == APP_DONE) status = read_number("--isovalue", self->isovalue, &def->isovalue);
    if (status == APP_DONE) status = read_choice("--kernel", self->kernel, "kernel", &def->kernel);
    if (status == APP_DONE) status = read_choice("--normals", self->normals, "normals", &def->normals);
    if (status == APP_DONE) status = read_planes(self);
    if (status == APP_DONE) status = read_picture(self);
    if (status == APP_DONE) status = read_format(self);
    if (status == APP_DONE) status = read_arrays(self);
    if (self->radius) def->spacing = 2 * radius;
    def->cell = cell * def->spacing;
    def->support = support * def->spacing;
    self->reach = (isnan(support) ? 2 : support) * def->spacing;
    return status == APP_DONE ? read_after(self) : status;
}

// ------------------------------------------------------------------------------------------------------------ output

// The file of an input's mesh: what -o says, or beside the input. Those of a run are called as the run's own.
static char *whole_path_of(const surface_command *self, const char *input)
{
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input, *dot = strrchr(name, '.');
    const int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name), before = (int)(name - input);
    const char *ending = self->writer->ending, *folder = self->inputs.folder;
    const int stem = (int)strlen("particles");
    if (folder)
        return app_text("%s/surface%.*s%s", self->output ? self->output : folder, length - stem, name + stem, ending);
    if (self->output && self->inputs.count == 1) return app_text("%s", self->output);
    if (self->output) return app_text("%s/%.*s_surface%s", self->output, length, name, ending);
    return app_text("%.*s%.*s_surface%s", before, input, length, name, ending);
}

// The same, or that of one phase of several: with the number before the ending.
static char *path_of(const surface_command *self, const char *input, int32_t phase)
{
    char *whole = whole_path_of(self, input);
    if (!whole || !self->phase) return whole;
    const char *slash = strrchr(whole, '/'), *dot = strrchr(whole, '.');
    const int length = dot && (!slash || dot > slash) ? (int)(dot - whole) : (int)strlen(whole);
    char *path = app_text("%.*s_%d%s", length, whole, (int)phase, whole + length);
    free(whole);
    return path;
}

// A file that is read or written, and the input that it is or is made of.
typedef struct named_file {
    char *path;
    char *place;  // the same for all ways to write a path
    const char *input;
    bool is_input;
} named_file;

static int compare_files(const void *a, const void *b)
{
    const named_file *one = a, *other = b;
    const int order = strcmp(one->place, other->place), kinds = (int)other->is_input - (int)one->is_input;
    return order ? order : kinds ? kinds : strcmp(one->input, other->input);
}

// Where a file is, whether it is there already or not; its path, if there is not even its folder. NULL: no memory.
static char *place_of(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole) return whole;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = slash ? app_text("%.*s", (int)(name - path), path) : app_text(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    char *place = !folder ? NULL : real ? app_text("%s/%s", real, name) : app_text("%s", path);
    free(folder);
    free(real);
    return place;
}

// @return APP_DONE or, if there is no memory, APP_FAILED
static int add_file(named_file *files, size_t *count, char *path, const char *input, bool is_input)
{
    files[*count] = (named_file){path, path ? place_of(path) : NULL, input, is_input};
    return files[(*count)++].place ? APP_DONE : app_out_of_memory();
}

// Refuses to write two meshes or pictures to one file, or over an input.
static int refuse_same_files(const surface_command *self)
{
    const size_t inputs = self->inputs.folder ? 0 : self->inputs.count, meshes = self->phase ? APP_SURFACE_PHASES : 1;
    named_file *files = calloc((meshes + 2) * inputs + 1, sizeof *files);
    if (!files) return app_out_of_memory();
    size_t count = 0;
    int status = APP_DONE;
    for (size_t k = 0; k < inputs && status == APP_DONE; ++k) {
        const char *input = self->inputs.files[k];
        status = add_file(files, &count, app_text("%s", input), input, true);
        for (size_t m = 0; m < meshes && status == APP_DONE; ++m)
            status = add_file(files, &count, path_of(self, input, (int32_t)m), input, false);
        if (status == APP_DONE && self->picture_path)
            status = add_file(files, &count, app_surface_picture_name(self->picture_path, input), input, false);
    }
    if (status == APP_DONE && count) qsort(files, count, sizeof *files, compare_files);
    for (size_t f = 1; f < count && status == APP_DONE; ++f) {
        if (files[f].is_input || strcmp(files[f - 1].place, files[f].place) != 0) continue;
        if (files[f - 1].is_input)
            app_complain("mote surface: %s is an INPUT, and would be written to for %s", files[f].path, files[f].input);
        else
            app_complain("mote surface: %s would be written to for both %s and %s, expected files with different names",
                         files[f].path, files[f - 1].input, files[f].input);
        status = APP_BAD_INPUT;
    }
    for (size_t f = 0; f < count; ++f) free(files[f].path), free(files[f].place);
    free(files);
    return status;
}

// The series of a run's surfaces, which ParaView opens. Those of phases are several at a time, and are in none.
static int open_series(surface_command *self)
{
    if (self->phase || !self->inputs.folder || strcmp(self->writer->ending, ".vtp") != 0) return APP_DONE;
    mote_error error = {0};
    char *path = app_text("%s/surface.pvd", self->output ? self->output : self->inputs.folder);
    if (!path) return app_out_of_memory();
    const mote_result result = mote_series_create(self->context, path, &self->series, &error);
    free(path);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("mote surface: %s", error.text[0] ? error.text : mote_result_text(result));
    return APP_FAILED;
}

static int complain(const mote_error *error, mote_result result)
{
    app_complain("mote surface: %s", error->text[0] ? error->text : mote_result_text(result));
    return APP_FAILED;
}

// A number of an array of floats, or the length of its vector.
static double length_of(const mote_array *array, size_t v)
{
    double first = 0, squared = 0;
    for (int k = array->components - 1; k >= 0; --k) {
        float number;
        memcpy(&number, (const char *)array->component[k] + (ptrdiff_t)v * array->stride, sizeof number);
        first = (double)number;
        squared += first * first;
    }
    return array->components == 1 ? first : sqrt(squared);
}

// Colours by an array of the vertices: its numbers, or the lengths of its vectors, from the least to the greatest.
static uint8_t *make_colors(const mote_array *array, size_t count)
{
    uint8_t *colors = malloc(3 * count + 1);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t v = 0; v < count; ++v) low = fmin(low, length_of(array, v)), high = fmax(high, length_of(array, v));
    for (size_t v = 0; v < count && colors; ++v) {
        double rgb[3];
        mote_colormap_surf(high > low ? (length_of(array, v) - low) / (high - low) : 0, rgb);
        for (int k = 0; k < 3; ++k) colors[3 * v + (size_t)k] = (uint8_t)(255 * rgb[k] + 0.5);
    }
    return colors;
}

// A file whose format has no place for normals or arrays is written without them; one array may be its colours.
static int write_mesh(const surface_command *self, const char *path, double time, const mote_mesh *mesh,
                      const mote_surface_view *view)
{
    mote_mesh_data data = mote_mesh_data_default();
    data.mesh = mesh;
    data.time = time;
    data.normals = view->normals;
    data.arrays = view->arrays;
    data.array_count = view->array_count;
    if (self->is_flat) data.lines = self->outline.lines, data.line_count = self->outline.line_count;
    uint8_t *colors = NULL;
    if (view->array_count == 1 && !self->writer->has_arrays) {
        data.colors = colors = make_colors(view->arrays, view->vertex_count);
        if (!colors) return app_out_of_memory();
    }
    mote_error error = {0};
    const mote_result result = self->writer->write(self->context, path, &data, &error);
    free(colors);
    return result == MOTE_OK ? APP_DONE : complain(&error, result);
}

static int check_mesh(const char *input, const mote_mesh *mesh, bool *holds)
{
    mote_mesh_report report;
    mote_mesh_crossings crossings;
    mote_error error = {0};
    mote_result result = mote_mesh_examine(mesh, &report, &error);
    if (result == MOTE_OK) result = mote_mesh_find_crossings(mesh, &crossings, &error);
    if (result != MOTE_OK) return complain(&error, result);
    const bool is_closed = report.closed || mesh->triangle_count == 0;  // also where nothing is left
    if (is_closed && report.degenerate + report.non_manifold_vertices + crossings.count == 0) return APP_DONE;
    app_complain("%s: its mesh has %zu open, %zu non-manifold and %zu flipped edges, %zu non-manifold vertices, %zu "
                 "degenerate triangles and %llu pairs of triangles that cut through each other, expected none",
                 input, report.open_edges, report.non_manifold_edges, report.flipped_edges,
                 report.non_manifold_vertices, report.degenerate, (unsigned long long)crossings.count);
    *holds = false;
    return APP_DONE;
}

static int check_outline(const surface_command *self, const char *input, bool *holds)
{
    mote_error error = {0};
    const mote_result result = mote_outline_validate(self->outline.outline, &error);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("%s: %s", input, error.text[0] ? error.text : mote_result_text(result));
    *holds = false;
    return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_DONE;
}

static void report_json(surface_command *self, size_t number, const char *path, int32_t phase, size_t particles,
                        double seconds, const mote_surface_view *view)
{
    char text[3][32];
    mote_number_text(view->stats.volume, text[0], sizeof text[0]);
    mote_number_text(view->stats.area, text[1], sizeof text[1]);
    mote_number_text(seconds, text[2], sizeof text[2]);
    printf("%s{\"input\": ", self->has_printed ? ",\n " : "[");
    self->has_printed = true;
    app_json_print(self->inputs.files[number]);
    printf(", \"file\": ");
    app_json_print(path);
    printf(", \"particles\": %zu, \"vertices\": %zu, \"triangles\": %zu", particles, view->vertex_count,
           view->triangle_count);
    if (self->phase) printf(", \"phase\": %d", (int)phase);
    if (self->is_flat) printf(", \"lines\": %zu", self->outline.line_count);
    else printf(", \"volume\": %s", text[0]);
    printf(", \"area\": %s, \"seconds\": %s", text[1], text[2]);
    if (self->min_particles > 0)
        printf(", \"parts\": %llu, \"left_out_particles\": %llu", (unsigned long long)view->stats.parts,
               (unsigned long long)view->stats.left_out_particles);
    if (self->check) printf(", \"closed\": true");
    printf("}");
}

static void report_text(const surface_command *self, size_t number, const char *path, size_t particles, double seconds,
                        const mote_surface_view *view)
{
    const double spacing = self->def.spacing, n = (double)particles;
    const double expected = self->is_flat ? n * (spacing * spacing) : n * (spacing * spacing * spacing);
    const double size = self->is_flat ? view->stats.area : view->stats.volume;
    app_text_put(stdout, path);
    if (particles == 0) {
        printf(": no particles, an empty mesh\n");
        return;
    }
    printf(": %zu vertices, %zu triangles, ", view->vertex_count, view->triangle_count);
    if (self->is_flat) printf("%zu lines, ", self->outline.line_count);
    printf("%s %.6g m^%d (%+.2f %% of particles x spacing^%d), %.2f s", self->is_flat ? "area" : "volume", size,
           self->is_flat ? 2 : 3, 100 * (size / expected - 1), self->is_flat ? 2 : 3, seconds);
    if (view->stats.left_out_parts > 0)
        printf(", left out %llu part%s of %llu particle%s", (unsigned long long)view->stats.left_out_parts,
               view->stats.left_out_parts == 1 ? "" : "s", (unsigned long long)view->stats.left_out_particles,
               view->stats.left_out_particles == 1 ? "" : "s");
    if (self->check) printf(", closed");
    const size_t left = self->inputs.count - number - 1;
    if (left) printf(", ETA %.0f s", (app_clock() - self->started) / (double)(number + 1) * (double)left);
    printf("\n");
}

// --------------------------------------------------------------------------------------------------------------- run

// What a file of points is refused with: its own line and words.
static int complain_of(const char *input, mote_result result, const mote_error *error)
{
    const bool names_it = strncmp(error->text, input, strlen(input)) == 0;
    if (names_it)
        app_complain("%s", error->text);
    else
        app_complain("%s: %s", input, error->text[0] ? error->text : mote_result_text(result));
    return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
}

// The array of a file with this name.
static int find_array(const char *input, const char *name, const mote_cloud_data *data, mote_array *array)
{
    size_t k = 0;
    while (k < data->array_count && strcmp(data->arrays[k].name, name) != 0) ++k;
    if (k < data->array_count) {
        *array = data->arrays[k];
        return APP_DONE;
    }
    char all[512] = "none";
    size_t used = 0;
    for (k = 0; k < data->array_count && used < sizeof all; ++k)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", data->arrays[k].name);
    app_complain("%s: it has no array %s, expected one of its arrays: %s", input, name, all);
    return APP_BAD_INPUT;
}

// The arrays to carry over: those that are named, or none; and the phases.
static int choose_arrays(const surface_command *self, const char *input, const mote_cloud_data *data,
                         mote_array chosen[MOST_ARRAYS], mote_array *phases)
{
    int status = APP_DONE;
    for (size_t n = 0; n < self->name_count && status == APP_DONE; ++n)
        status = find_array(input, self->name[n], data, &chosen[n]);
    if (status == APP_DONE && self->phase && data->points.count) status = find_array(input, self->phase, data, phases);
    return status;
}

// Outlines have no normals and arrays, are not smoothed, have round kernels, and are cut by planes alone.
static int refuse_in_plane(const surface_command *self, const char *input)
{
    const char *option = self->smooth > 0                     ? "--smooth"
                         : self->weights                      ? "--weights"
                         : self->cleanup                      ? "--cleanup"
                         : self->min_particles > 0            ? "--min-particles"
                         : self->name_count                   ? "--arrays"
                         : self->cut                          ? "--cut"
                         : self->picture_path                 ? "--picture"
                         : self->phase                        ? "--phase"
                         : self->kernel && self->def.kernel   ? "--kernel anisotropic"
                         : self->normals && self->def.normals ? "--normals"
                         : self->smooth_normals > 0           ? "--smooth-normals"
                                                              : NULL;
    if (!option) return APP_DONE;
    app_complain("%s: its particles are in 2D, expected 3D for %s", input, option);
    return APP_BAD_INPUT;
}

// @param data  what was read; the names of arrays are in it
static int update(surface_command *self, const char *input, mote_cloud_data *data, double *seconds,
                  mote_surface_view *view)
{
    mote_error error = {0};
    mote_array arrays[MOST_ARRAYS];
    mote_result result = mote_import_cloud(self->context, input, self->input_format, data, &error);
    if (result != MOTE_OK) return complain_of(input, result, &error);
    const mote_point_data *points = &data->points;
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz_f64(points->xyz, points->count));
    self->is_flat = self->inputs.is_flat || (points->dimensions == 2 && points->count > 0);
    cloud.planes = self->planes;
    cloud.plane_count = self->plane_count;
    cloud.arrays = arrays;
    cloud.array_count = self->name_count;
    const mote_point_data *walls = &self->inputs.walls.points;
    if (!self->tank && walls->count) cloud.fill = mote_points_xyz_f64(walls->xyz, walls->count);
    self->inputs.cut.reach = APP_CUT_REACH * self->reach;
    if (self->inputs.cut.solids) cloud.distance = app_cut_distance, cloud.distance_data = &self->inputs.cut;
    int status = self->is_flat ? refuse_in_plane(self, input) : choose_arrays(self, input, data, arrays, &cloud.phases);
    const double start = app_clock();
    if (status == APP_DONE && self->is_flat) {
        result =
            app_outline_make(&self->outline, self->context, &self->def, &cloud, self->inputs.is_flat, view, &error);
    } else if (status == APP_DONE) {
        result = mote_surface_update(self->surface, &cloud, &error);
        *view = mote_surface_get_view(self->surface);
    }
    *seconds = app_clock() - start;
    return result == MOTE_OK ? status : complain_of(input, result, &error);
}

static int add_to_series(surface_command *self, size_t number, const char *path)
{
    mote_error error = {0};
    const mote_result result =
        mote_series_add(self->series, self->inputs.times[number], strrchr(path, '/') + 1, &error);
    return result == MOTE_OK ? APP_DONE : complain(&error, result);
}

// Examines, writes and reports one mesh. A check that does not hold ends the work on this mesh alone.
static int finish_one(surface_command *self, size_t number, int32_t phase, size_t particles, double seconds,
                      const mote_surface_view *view)
{
    const char *input = self->inputs.files[number];
    mote_mesh *mesh = NULL;
    mote_error error = {0};
    bool holds = true;
    int status = APP_DONE;
    char *path = path_of(self, input, phase);
    const mote_result result = mote_mesh_create(self->context, view->vertices, view->vertex_count, view->triangles,
                                                view->triangle_count, &mesh, &error);
    if (!path) status = app_out_of_memory();
    else if (result != MOTE_OK) status = complain(&error, result);
    if (status == APP_DONE && self->check)
        status = self->is_flat ? check_outline(self, input, &holds) : check_mesh(input, mesh, &holds);
    self->has_failed |= !holds;
    const double time = self->inputs.times ? self->inputs.times[number] : NAN;
    if (status == APP_DONE && holds) status = write_mesh(self, path, time, mesh, view);
    mote_mesh_destroy(mesh);
    if (status == APP_DONE && holds && self->series) status = add_to_series(self, number, path);
    if (status == APP_DONE && holds && self->json)
        report_json(self, number, path, phase, particles, seconds, view);
    else if (status == APP_DONE && holds)
        report_text(self, number, path, particles, seconds, view);
    free(path);
    return status;
}

static int make_one(surface_command *self, size_t number)
{
    const char *input = self->inputs.files[number];
    mote_cloud_data data = {0};
    double seconds;
    mote_surface_view views[APP_SURFACE_PHASES] = {0};
    int status = update(self, input, &data, &seconds, views);
    const size_t count = self->is_flat || status != APP_DONE ? 1 : (size_t)mote_surface_phase_count(self->surface);
    for (size_t k = 0; k < count && status == APP_DONE; ++k) {
        if (count > 1) views[k] = mote_surface_get_phase_view(self->surface, (int32_t)k);
        const size_t particles = count > 1 ? (size_t)views[k].stats.particles : data.points.count;
        if (count == 1 || particles > 0) status = finish_one(self, number, (int32_t)k, particles, seconds, &views[k]);
    }
    const double time = self->inputs.times ? self->inputs.times[number] : NAN;
    if (status == APP_DONE && self->picture)
        status = app_surface_picture_draw(self->picture, input, time, views, count);
    mote_cloud_data_release(&data);
    return status;
}

static int make_all(surface_command *self)
{
    mote_error error = {0};
    mote_result result = mote_surface_create(self->context, &self->def, &self->surface, &error);
    if (result != MOTE_OK) {
        const char *field = strncmp(error.text, "surface.", 8) == 0 ? error.text + 8 : NULL;
        if (field) app_complain("mote surface: --%s", field);
        else app_complain("mote %s", error.text);
        return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
    }
    int status = open_series(self);
    if (status == APP_DONE && self->picture_path)
        status = app_surface_picture_open(&self->picture, self->context, self->picture_path, &self->inputs);
    self->started = app_clock();
    size_t made = 0;
    while (made < self->inputs.count && status == APP_DONE) {
        status = make_one(self, made);
        made += status == APP_DONE;
        fflush(stdout);
    }
    if (self->json) puts(self->has_printed ? "]" : "[]");
    result = self->series ? mote_series_flush(self->series, &error) : MOTE_OK;
    if (result != MOTE_OK && status == APP_DONE) status = complain(&error, result);
    return status == APP_DONE && self->has_failed ? APP_FAILED : status;
}

// The folder that --output names, where it names one.
static int make_output_folder(const surface_command *self)
{
    if (!self->output || (self->inputs.count == 1 && !self->inputs.folder) || app_folder_create(self->output))
        return APP_DONE;
    app_complain("%s: the folder cannot be made: %s", self->output, strerror(errno));
    return APP_FAILED;
}

static int run(surface_command *self)
{
    self->context = app_context_create(self->threads);
    if (!self->context) return APP_FAILED;
    int status = app_surface_inputs_open(&self->inputs, self->context, self->given, self->given_count, self->cut);
    if (status == APP_DONE) status = read_def(self);
    if (status == APP_DONE) status = refuse_same_files(self);
    if (status == APP_DONE) status = make_output_folder(self);
    if (status == APP_DONE) status = make_all(self);
    app_outline_close(&self->outline);
    app_surface_picture_close(self->picture);
    mote_series_destroy(self->series);
    mote_surface_destroy(self->surface);
    app_surface_inputs_close(&self->inputs);
    mote_context_destroy(self->context);
    return status;
}

static int read_command_line(surface_command *self, int argc, char **argv)
{
    const app_option options[] = {
        {"--spacing", "D", "spacing of the particles at rest, in the file's length unit", 'd', .text = &self->spacing},
        {"--radius", "R", "their radius instead: half a spacing", 'r', .text = &self->radius},
        {"--cell", "C", "edge of a cube [spacings]; default: 0.5", 0, .text = &self->cell},
        {"--support", "H", "support of the kernel [spacings]; default: 2", 0, .text = &self->support},
        {"--isovalue", "V", "value of the field at the surface, 0 to 1; default: derived", 0, .text = &self->isovalue},
        {"--smooth", "N", "rounds of Laplacian smoothing; default: 0", 0, .whole = &self->smooth, .min = 0,
         .max = 10000},
        {"--weights", NULL, "smoothing spares drops (Löschner et al. 2023)", 0, .flag = &self->weights},
        {"--kernel", "KIND", "isotropic, or anisotropic (Yu & Turk 2013); default: isotropic", 0,
         .text = &self->kernel},
        {"--normals", "KIND", "write normals to VTP, PLY and GLB: none, angle or field; default: none", 0,
         .text = &self->normals},
        {"--smooth-normals", "N", "rounds of smoothing of the normals; default: 0", 0, .whole = &self->smooth_normals,
         .min = 0, .max = 10000},
        {"--cleanup", NULL, "merge slivers, about half of the triangles (Moore & Warren 1992)", 0,
         .flag = &self->cleanup},
        {"--arrays", "A,B", "arrays of the file to carry over to the vertices, for VTP; one is colours in PLY and GLB",
         0, .text = &self->arrays},
        {"--min-particles", "N", "leave out parts that hold fewer particles", 0, .whole = &self->min_particles,
         .min = 0, .max = INT32_MAX},
        {"--tank", "BOX", "cut by a tank's floor and sides: X,Y,Z,X,Y,Z of its two corners", 0, .text = &self->tank},
        {"--cut", "MESH", "cut by a solid: a file with a closed mesh", 0, .text = &self->cut},
        {"--box", "BOX", "keep what is in a box: X,Y,Z,X,Y,Z of its two corners", 0, .text = &self->box},
        {"--phase", "NAME", "array of the file with the fluid of each particle, 0 to 31: a mesh for each", 0,
         .text = &self->phase},
        {"--start", "N", "of a series or run, the first file's number; default: 0", 0, .whole = &self->inputs.start,
         .min = 0, .max = INT64_MAX},
        {"--end", "N", "of a series or run, the last file's number; default: that of the last one", 0,
         .whole = &self->inputs.end, .min = 0, .max = INT64_MAX},
        {"--read-as", "ENDING", "read INPUT as a file with this ending, such as .raw: floats x, y, z", 0,
         .text = &self->input_format},
        {"--raw", NULL, "the same as --read-as .raw", 0, .flag = &self->raw},
        {"--format", "KIND", "vtp, ply, obj, stl or glb; default: the ending of -o, else vtp", 0,
         .text = &self->format},
        {"--output", "PATH", "the mesh's file, or for several or a run a folder; default: INPUT_surface beside INPUT",
         'o', .text = &self->output},
        {"--picture", "FILE.png", "draw 3D surfaces as water; {} stands for the name of the file that one is of", 0,
         .text = &self->picture_path},
        {"--check", NULL, "examine each mesh: closed, manifold, no triangles that cut through each other", 0,
         .flag = &self->check},
        {"--json", NULL, "print a JSON array instead of text", 0, .flag = &self->json},
        {"--threads", "N", "number of threads; default: all processors of this process or container", 0,
         .whole = &self->threads, .min = 1, .max = 4096},
    };
    const app_usage usage = {
        "surface",
        "INPUT…",
        MOST_INPUTS,
        "Makes the surface of the particles in each file: a closed triangle mesh; in 2D, outlines and their fill.",
        "INPUT is any file of points that mote neighbors reads; a name with {} in place of a number, for a series;\n"
        "or the folder of a run: its spacing, tank and solids are then known, the defaults are those of the scene's\n"
        "section \"surface\", and surface_NNNN.vtp and surface.pvd go beside the particles, or to -o. Of several\n"
        "fluids each has a mesh, surface_NNNN_0.vtp and so on.\n"
        "Prints a line for each file.\n"
        "Exit status: 0 success, 1 a check failed or a file cannot be written, 2 bad input or usage.\n",
        options,
        sizeof options / sizeof *options,
        true};
    return app_options_read(&usage, argc, argv, self->given);
}

int app_surfaces(int argc, char **argv)
{
    surface_command self = {.given = calloc(MOST_INPUTS, sizeof *self.given),
                            .inputs.end = INT64_MAX,
                            .smooth = -1,  // not given
                            .smooth_normals = -1,
                            .min_particles = -1};
    if (!self.given) return app_out_of_memory();
    int status = read_command_line(&self, argc, argv);
    while (status == APP_GO_ON && self.given_count < MOST_INPUTS && self.given[self.given_count]) ++self.given_count;
    if (status == APP_GO_ON && self.given_count == 0) {
        app_complain("mote surface: no INPUT, see mote surface --help");
        status = APP_BAD_INPUT;
    }
    if (status == APP_GO_ON && self.raw && self.input_format) {
        app_complain("mote surface: both --raw and --read-as, expected one of them");
        status = APP_BAD_INPUT;
    }
    if (self.raw) self.input_format = ".raw";
    if (status == APP_GO_ON) status = run(&self);
    free(self.names);
    free((void *)self.given);
    return status;
}
