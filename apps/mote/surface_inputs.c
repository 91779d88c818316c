// SPDX-License-Identifier: MIT
// What mote surface works on: files, patterns of files, or the folder of a run with its spacing, tank and solids.

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "surfaces.h"

static bool is_folder(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

// Whether a file is not there. One that cannot be read for another reason is refused where it is read.
static bool is_missing(const char *path)
{
    struct stat state;
    return stat(path, &state) != 0 && errno == ENOENT;
}

static int add_file(app_surface_inputs *inputs, const char *path)
{
    char **grown = realloc(inputs->files, (inputs->count + 1) * sizeof *grown);
    if (!grown) return app_out_of_memory();
    inputs->files = grown;
    inputs->files[inputs->count] = app_text("%s", path);
    if (!inputs->files[inputs->count]) return app_out_of_memory();
    ++inputs->count;
    return APP_DONE;
}

// -------------------------------------------------------------------------------------------------------- patterns

// By number, which is as long as the text is: leading zeros aside, longer ones are larger.
static int compare_names(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    const size_t long_one = strlen(one), long_other = strlen(other);
    if (long_one != long_other) return long_one < long_other ? -1 : 1;
    return strcmp(one, other);
}

// Whether a name is that of the pattern, with digits in place of {}.
static bool fits(const char *name, const char *before, size_t length, const char *after)
{
    if (strncmp(name, before, length) != 0) return false;
    const size_t digits = strspn(name + length, "0123456789");
    return digits > 0 && strcmp(name + length + digits, after) == 0;
}

static int add_pattern(app_surface_inputs *inputs, const char *pattern)
{
    const char *hole = strstr(pattern, "{}"), *slash = hole;
    while (slash > pattern && slash[-1] != '/') --slash;
    char *folder = slash > pattern ? app_text("%.*s", (int)(slash - pattern), pattern) : app_text("./");
    if (!folder) return app_out_of_memory();
    DIR *entries = opendir(folder);
    const size_t first = inputs->count;
    int status = APP_DONE;
    if (!entries) {
        app_complain("%s: its folder cannot be read: %s", pattern, strerror(errno));
        status = APP_BAD_INPUT;
    }
    const struct dirent *entry;
    while (entries && status == APP_DONE && (entry = readdir(entries))) {
        if (!fits(entry->d_name, slash, (size_t)(hole - slash), hole + 2)) continue;
        const long long number = strtoll(entry->d_name + (hole - slash), NULL, 10);
        if (number < inputs->start || number > inputs->end) continue;
        char *path = app_text("%.*s%s", (int)(slash - pattern), pattern, entry->d_name);
        status = path ? add_file(inputs, path) : app_out_of_memory();
        free(path);
    }
    if (entries) closedir(entries);
    free(folder);
    if (status == APP_DONE && inputs->count == first) {
        if (inputs->end < INT64_MAX)
            app_complain("%s: there is no such file with a number from %lld to %lld in place of {}", pattern,
                         (long long)inputs->start, (long long)inputs->end);
        else if (inputs->start > 0)
            app_complain("%s: there is no such file with a number of %lld or more in place of {}", pattern,
                         (long long)inputs->start);
        else
            app_complain("%s: there is no such file, expected some with a number in place of {}", pattern);
        status = APP_BAD_INPUT;
    }
    if (inputs->count > first)
        qsort(inputs->files + first, inputs->count - first, sizeof *inputs->files, compare_names);
    return status;
}

// ------------------------------------------------------------------------------------------------ a run's folder

static int refuse_run(const app_surface_inputs *inputs, const char *text)
{
    app_complain("%s: %s", inputs->folder, text);
    return APP_BAD_INPUT;
}

static mote_vec3 vector_of(const json_t *value)
{
    return (mote_vec3){json_number_value(json_array_get(value, 0)), json_number_value(json_array_get(value, 1)),
                       json_number_value(json_array_get(value, 2))};
}

// Whether a value of run.json is 0, a list of zeros or an empty text. Expressions are not.
static bool is_nothing(const json_t *value)
{
    if (json_is_string(value)) return !*json_string_value(value);
    if (!json_is_array(value)) return !value || (json_is_number(value) && json_number_value(value) == 0);
    for (size_t k = 0; k < json_array_size(value); ++k)
        if (!is_nothing(json_array_get(value, k))) return false;
    return true;
}

// The closed sides of the tank, unless it moves.
static void find_sides(app_surface_inputs *inputs, const json_t *tank)
{
    static const char *const moving[] = {"motion", "turn", "motion_table", "motion_x_min", "motion_x_max",
                                         "motion_y_min", "motion_y_max", "motion_z_min", "motion_z_max"};
    static const char *const open[6] = {"open_x_min", "open_x_max", "open_y_min",
                                        "open_y_max", "open_z_min", "open_z_max"};
    if (!tank) return;
    for (size_t k = 0; k < sizeof moving / sizeof *moving; ++k)
        if (!is_nothing(json_object_get(tank, moving[k]))) return;
    const mote_vec3 low = vector_of(json_object_get(tank, "min")), high = vector_of(json_object_get(tank, "max"));
    for (int side = 0; side < 6; ++side) {
        if (json_is_true(json_object_get(tank, open[side]))) continue;
        double normal[3] = {0, 0, 0};
        normal[side / 2] = side % 2 ? -1 : 1;
        inputs->planes[inputs->plane_count++] =
            (mote_surface_plane){side % 2 ? high : low, {normal[0], normal[1], normal[2]}};
    }
}

// A mesh that the command names. One with holes has no inside, and could not cut.
static int read_cut(app_surface_inputs *inputs, mote_context *context, const char *path)
{
    mote_error error = {0};
    mote_mesh_report report;
    mote_mesh *mesh = NULL;
    mote_result result = mote_import_mesh(context, path, &mesh, &error);
    if (result == MOTE_OK) inputs->meshes[inputs->mesh_count++] = mesh;
    if (result == MOTE_OK) result = mote_mesh_examine(mesh, &report, &error);
    if (result != MOTE_OK) {
        app_complain("%s%s%s", strstr(error.text, path) ? "" : path, strstr(error.text, path) ? "" : ": ",
                     error.text[0] ? error.text : mote_result_text(result));
        return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
    }
    if (report.closed) return APP_DONE;
    app_complain("%s: it has %zu open edges, %zu non-manifold and %zu flipped ones, expected a closed mesh to cut with",
                 path, report.open_edges, report.non_manifold_edges, report.flipped_edges);
    return APP_BAD_INPUT;
}

// Solids that do not move; those that do are cut by nothing here.
static int find_solids(app_surface_inputs *inputs, mote_context *context, const json_t *solids)
{
    mote_error error = {0};
    inputs->meshes = calloc(json_array_size(solids) + 2, sizeof *inputs->meshes);
    if (!inputs->meshes) return app_out_of_memory();
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < json_array_size(solids) && result == MOTE_OK; ++k) {
        const json_t *solid = json_array_get(solids, k);
        const char *name = json_string_value(json_object_get(solid, "name"));
        const bool moves = !is_nothing(json_object_get(solid, "motion")) ||
                           !is_nothing(json_object_get(solid, "turn")) ||
                           !is_nothing(json_object_get(solid, "motion_table"));
        if (!name || moves) continue;
        char *path = app_text("%s/mesh_%s.ply", inputs->folder, name);
        if (!path) return app_out_of_memory();
        result = mote_import_mesh(context, path, &inputs->meshes[inputs->mesh_count], &error);
        inputs->mesh_count += result == MOTE_OK;
        free(path);
    }
    return result == MOTE_OK ? APP_DONE
                             : refuse_run(inputs, error.text[0] ? error.text : mote_result_text(result));
}

static int read_walls(app_surface_inputs *inputs, mote_context *context)
{
    mote_error error = {0};
    struct stat state;
    char *path = app_text("%s/boundary.vtp", inputs->folder);
    if (!path) return app_out_of_memory();
    mote_result result = MOTE_OK;
    if (stat(path, &state) == 0) result = mote_import_cloud(context, path, NULL, &inputs->walls, &error);
    free(path);
    return result == MOTE_OK ? APP_DONE : refuse_run(inputs, error.text);
}

// The time of each frame that has a file.
static int find_times(app_surface_inputs *inputs, const json_t *frames)
{
    inputs->times = calloc(inputs->count + 1, sizeof *inputs->times);
    if (!inputs->times) return app_out_of_memory();
    for (size_t k = 0; k < inputs->count; ++k) {
        const json_int_t number = strtoll(strrchr(inputs->files[k], '_') + 1, NULL, 10);
        size_t f = 0;
        while (f < json_array_size(frames) &&
               json_integer_value(json_object_get(json_array_get(frames, f), "frame")) != number)
            ++f;
        inputs->times[k] = json_number_value(json_object_get(json_array_get(frames, f), "time"));
    }
    return APP_DONE;
}

// The scene's section "surface", as mote run takes it.
static void find_scene(app_surface_inputs *inputs, const json_t *section)
{
    if (!section) return;
    mote_surface_def *def = &inputs->scene;
    *def = mote_surface_default_def();
    def->cell = json_number_value(json_object_get(section, "cell"));
    def->support = json_number_value(json_object_get(section, "support"));
    def->smooth = (int32_t)json_integer_value(json_object_get(section, "smooth"));
    def->smooth_normals = (int32_t)json_integer_value(json_object_get(section, "smooth_normals"));
    def->min_particles = (int32_t)json_integer_value(json_object_get(section, "min_particles"));
    def->weighted = json_is_true(json_object_get(section, "weighted"));
    def->cleanup = json_is_true(json_object_get(section, "cleanup"));
    def->normals = MOTE_SURFACE_NORMALS_ANGLE;
    const char *kernel = json_string_value(json_object_get(section, "kernel"));
    if (kernel && strcmp(kernel, "anisotropic") == 0) def->kernel = MOTE_SURFACE_KERNEL_ANISOTROPIC;
    inputs->has_scene = def->cell > 0 && def->support > 0;
}

static int add_run(app_surface_inputs *inputs, mote_context *context, const char *folder)
{
    inputs->folder = folder;
    char *path = app_text("%s/run.json", folder), *pattern = app_text("%s/particles_{}.vtp", folder);
    json_t *report = path ? json_load_file(path, 0, NULL) : NULL;
    const json_t *parameters = json_object_get(report, "parameters"), *fluid = json_object_get(parameters, "fluid");
    const json_t *dimensions = json_object_get(json_object_get(parameters, "scene"), "dimensions");
    inputs->spacing = json_number_value(json_object_get(fluid, "spacing"));
    int status = path && pattern ? APP_DONE : app_out_of_memory();
    if (status == APP_DONE && !(inputs->spacing > 0))
        status = refuse_run(inputs, "it has no run.json of a run with a fluid, expected the folder of such a run");
    inputs->is_flat = json_integer_value(dimensions) == 2;
    inputs->has_fluids = json_array_size(json_object_get(parameters, "fluids")) > 1;
    if (status == APP_DONE) status = add_pattern(inputs, pattern);
    if (status == APP_DONE) status = find_times(inputs, json_object_get(report, "frames"));
    if (status == APP_DONE) find_scene(inputs, json_object_get(parameters, "surface"));
    if (status == APP_DONE) find_sides(inputs, json_object_get(parameters, "tank"));
    if (status == APP_DONE && inputs->plane_count) status = read_walls(inputs, context);
    if (status == APP_DONE && !inputs->is_flat)
        status = find_solids(inputs, context, json_object_get(parameters, "solids"));
    json_decref(report);
    free(path);
    free(pattern);
    return status;
}

// Whether a file of particles lies in the folder of a 2D run, whose points have three coordinates.
static bool is_of_flat_run(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    if (strncmp(name, "particles_", strlen("particles_")) != 0) return false;
    char *path = app_text("%.*srun.json", (int)(name - file), file);
    json_t *report = path ? json_load_file(path, 0, NULL) : NULL;
    const json_t *scene = json_object_get(json_object_get(report, "parameters"), "scene");
    const bool is_flat = json_integer_value(json_object_get(scene, "dimensions")) == 2;
    json_decref(report);
    free(path);
    return is_flat;
}

// ------------------------------------------------------------------------------------------------------------ all

// Prepares all that cuts for distances from it.
static int open_cut(app_surface_inputs *inputs, mote_context *context, const char *path)
{
    mote_error error = {0};
    if (!inputs->meshes) inputs->meshes = calloc(2, sizeof *inputs->meshes);
    if (!inputs->meshes) return app_out_of_memory();
    const int status = path ? read_cut(inputs, context, path) : APP_DONE;
    if (status != APP_DONE || inputs->mesh_count == 0) return status;
    const mote_result result =
        app_cut_open(&inputs->cut, context, (const mote_mesh *const *)inputs->meshes, inputs->mesh_count, &error);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("mote surface: %s", error.text[0] ? error.text : mote_result_text(result));
    return APP_FAILED;
}

int app_surface_inputs_open(app_surface_inputs *inputs, mote_context *context, const char *const *names, size_t count,
                            const char *cut)
{
    int status = APP_DONE;
    bool is_series = false;
    for (size_t k = 0; k < count && status == APP_DONE; ++k) {
        is_series |= is_folder(names[k]) || strstr(names[k], "{}");
        if (is_folder(names[k]) && count > 1) {
            app_complain("mote surface: %s is a folder, expected it to be the only INPUT", names[k]);
            status = APP_BAD_INPUT;
        } else if (is_folder(names[k])) {
            status = add_run(inputs, context, names[k]);
        } else if (strstr(names[k], "{}")) {
            status = add_pattern(inputs, names[k]);
        } else if (is_missing(names[k])) {
            app_complain("%s: there is no such file or folder", names[k]);
            status = APP_BAD_INPUT;
        } else {
            status = add_file(inputs, names[k]);
        }
        if (status == APP_DONE && !inputs->folder && is_of_flat_run(names[k])) inputs->is_flat = true;
    }
    if (status == APP_DONE && !is_series && (inputs->start > 0 || inputs->end < INT64_MAX)) {
        app_complain("mote surface: --start and --end choose files of a series, expected a name with {} or a run's "
                     "folder");
        status = APP_BAD_INPUT;
    }
    return status == APP_DONE ? open_cut(inputs, context, cut) : status;
}

void app_surface_inputs_close(app_surface_inputs *inputs)
{
    app_cut_close(&inputs->cut);
    for (size_t k = 0; k < inputs->mesh_count; ++k) mote_mesh_destroy(inputs->meshes[k]);
    mote_cloud_data_release(&inputs->walls);
    for (size_t k = 0; k < inputs->count; ++k) free(inputs->files[k]);
    free(inputs->meshes);
    free(inputs->times);
    free(inputs->files);
}
