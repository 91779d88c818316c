// SPDX-License-Identifier: MIT
// mote mesh: checks a mesh for errors, and builds the octree proxy that particles would collide with.

#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "mote/import.h"

// The proxy is built again until this has taken so long, or was done so often.
enum { MOST_RUNS = 15 };
static const double run_seconds = 0.5;

// From this number of triangles on, progress is shown.
enum { MANY_TRIANGLES = 500000 };

// Bytes that a proxy may take while it is built: so many in any case, for each triangle, and for each finest leaf of a
// face of its root. Others take a small part of that; triangles that lie on each other in every leaf take any amount.
enum { PROXY_BYTES = 256 << 20, BYTES_A_TRIANGLE = 1024, BYTES_A_LEAF = 4096 };

// Areas are squares of lengths, volumes cubes: beyond this limit their sums may not be finite.
static const double farthest = 1e90;

typedef struct mesh_command {
    const char *tolerance, *weld_text;
    double weld_tolerance;
    int64_t threads, min_depth, max_depth;
    bool weld, check, json;
    mote_context *proxy_context;  // with a byte budget of its own
    app_surface surface;
} mesh_command;

size_t app_surface_faults(const app_surface *surface)
{
    const mote_mesh_report *report = &surface->report;
    return report->open_edges + report->non_manifold_edges + report->flipped_edges + report->degenerate +
           report->duplicates + report->non_manifold_vertices + (size_t)surface->crossings.count;
}

// ---------------------------------------------------------------------------------------------------------- input

static int check_options(mesh_command *self)
{
    mote_proxy_def *def = &self->surface.def;
    *def = mote_proxy_default_def();
    def->max_depth = (int)self->max_depth;
    def->min_depth = (int)self->min_depth;
    if (def->min_depth >= def->max_depth) {
        app_complain("mote mesh: --min-depth is %d, expected less than --max-depth, which is %d", def->min_depth,
                     def->max_depth);
        return APP_BAD_INPUT;
    }
    if (self->tolerance) {
        char *end;
        def->tolerance = strtod(self->tolerance, &end);
        if (*end != '\0' || !(def->tolerance >= 0) || isinf(def->tolerance)) {
            app_complain("mote mesh: --tolerance is %s, expected a number from 0 on", self->tolerance);
            return APP_BAD_INPUT;
        }
    }
    if (self->weld_text) {
        char *end;
        self->weld_tolerance = strtod(self->weld_text, &end);
        if (*end != '\0' || !(self->weld_tolerance >= 0) || isinf(self->weld_tolerance)) {
            app_complain("mote mesh: --weld is %s, expected a number from 0 on, or nothing", self->weld_text);
            return APP_BAD_INPUT;
        }
    }
    return self->surface.output ? app_surface_check_output(&self->surface) : APP_DONE;
}

static int weld(mesh_command *self)
{
    app_surface *surface = &self->surface;
    const size_t vertices = surface->mesh->vertex_count, triangles = surface->mesh->triangle_count;
    if (mote_mesh_weld_within(surface->mesh, self->weld_tolerance, NULL) != MOTE_OK) return app_out_of_memory();
    surface->merged = vertices - surface->mesh->vertex_count;
    surface->dropped = triangles - surface->mesh->triangle_count;
    if (surface->mesh->triangle_count > 0) return APP_DONE;
    app_complain("%s: --weld=%s leaves no triangle of it, expected a smaller tolerance", surface->path,
                 self->weld_text ? self->weld_text : "0");
    return APP_BAD_INPUT;
}

static int read_mesh(mesh_command *self, mote_context *context)
{
    app_surface *surface = &self->surface;
    const char *slash = strrchr(surface->path, '/');
    char *what = app_text("reading %s", slash ? slash + 1 : surface->path);
    if (!what) return app_out_of_memory();
    app_stage stage;
    app_stage_begin(&stage, what);
    mote_error error = {0};
    mote_result result =
        mote_import_knows(surface->path)
            ? mote_import_mesh_watched(context, surface->path, app_stage_show, &stage, &surface->mesh, &error)
            : app_mesh_read(context, surface->path, NULL, &surface->mesh, &error);
    app_stage_end(&stage);
    free(what);
    if (result != MOTE_OK) {
        app_complain("%s", error.text);
        return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
    }
    for (size_t v = 0; v < surface->mesh->vertex_count; ++v) {
        const mote_vec3 at = surface->mesh->vertices[v];
        if (fabs(at.x) <= farthest && fabs(at.y) <= farthest && fabs(at.z) <= farthest) continue;
        app_complain("%s: vertex %zu is (%g, %g, %g), expected coordinates of at most %g", surface->path, v + 1, at.x,
                     at.y, at.z, farthest);
        return APP_BAD_INPUT;
    }
    return self->weld ? weld(self) : APP_DONE;
}

// --------------------------------------------------------------------------------------------------------- finding

static double length_between(mote_vec3 a, mote_vec3 b)
{
    const double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    return sqrt(x * x + y * y + z * z);
}

static void measure_edges(app_surface *surface)
{
    const mote_mesh *mesh = surface->mesh;
    double sum = 0;
    surface->shortest = INFINITY;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const size_t next = i % 3 < 2 ? i + 1 : i - 2;
        const double length =
            length_between(mesh->vertices[mesh->triangles[i]], mesh->vertices[mesh->triangles[next]]);
        sum += length;
        surface->shortest = length < surface->shortest ? length : surface->shortest;
        surface->longest = length > surface->longest ? length : surface->longest;
    }
    surface->mean = sum / (3 * (double)mesh->triangle_count);
}

// Counts the vertices that a weld would merge, and those that no triangle uses.
static mote_result count_vertices(app_surface *surface, mote_context *context)
{
    const mote_mesh *mesh = surface->mesh;
    bool *is_used = calloc(mesh->vertex_count + 1, 1);
    if (!is_used) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) is_used[mesh->triangles[i]] = true;
    for (size_t v = 0; v < mesh->vertex_count; ++v) surface->unused += !is_used[v];
    free(is_used);

    mote_mesh *copy = NULL;
    mote_result result = mote_mesh_create(context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                          mesh->triangle_count, &copy, NULL);
    if (result == MOTE_OK) result = mote_mesh_weld(copy, NULL);
    if (result == MOTE_OK) surface->twins = mesh->vertex_count - surface->unused - copy->vertex_count;
    mote_mesh_destroy(copy);
    return result;
}

static mote_result examine(app_surface *surface, mote_context *context)
{
    const mote_mesh *mesh = surface->mesh;
    mote_result result = mote_mesh_examine(mesh, &surface->report, NULL);
    if (result == MOTE_OK) result = mote_mesh_find_crossings(mesh, &surface->crossings, NULL);
    if (result == MOTE_OK) result = count_vertices(surface, context);
    surface->box = mote_mesh_box(mesh);
    surface->area = mote_mesh_area(mesh);
    surface->volume = mote_mesh_volume(mesh);
    measure_edges(surface);
    return result;
}

static size_t proxy_budget(const app_surface *surface)
{
    const size_t most = SIZE_MAX / 4, leaves = (size_t)1 << 2 * surface->def.max_depth;
    const size_t triangles = surface->mesh->triangle_count;
    return PROXY_BYTES + (triangles < most / BYTES_A_TRIANGLE ? triangles * BYTES_A_TRIANGLE : most) +
           leaves * BYTES_A_LEAF;
}

// Builds the proxy several times. If it cannot be built, the report says why.
static mote_result make_proxy(app_surface *surface, mote_context *context)
{
    const mote_mesh *meshes[] = {surface->mesh};
    mote_error error = {0};
    surface->proxy_seconds = INFINITY;
    const double begin = app_clock();
    for (int run = 0; run < MOST_RUNS && (run == 0 || app_clock() - begin < run_seconds); ++run) {
        mote_proxy_destroy(surface->proxy);
        surface->proxy = NULL;
        const double start = app_clock();
        mote_result result = mote_proxy_create(context, &surface->def, meshes, 1, &surface->proxy, &error);
        const double seconds = app_clock() - start;
        surface->proxy_seconds = seconds < surface->proxy_seconds ? seconds : surface->proxy_seconds;
        if (result == MOTE_OK) continue;
        if (result == MOTE_ERROR_OUT_OF_MEMORY)
            snprintf(surface->no_proxy, sizeof surface->no_proxy,
                     "it would take more than %.0f MB; expected fewer triangles in the same place",
                     1e-6 * (double)proxy_budget(surface));
        else
            snprintf(surface->no_proxy, sizeof surface->no_proxy, "%s",
                     error.text[0] ? error.text : mote_result_text(result));
        return MOTE_OK;
    }
    return MOTE_OK;
}

// Reads the proxy of an earlier run, or builds one to be kept for later runs.
static mote_result find_proxy(app_surface *surface, mote_context *context)
{
    const mote_mesh *meshes[] = {surface->mesh};
    if (!surface->no_cache) {
        const double start = app_clock();
        app_cache_open(&surface->cache, meshes, 1, &surface->def);
        surface->proxy = app_cache_read(&surface->cache, meshes, 1, &surface->def, context);
        surface->proxy_seconds = app_clock() - start;
    }
    surface->was_read = surface->proxy != NULL;
    mote_result result = surface->was_read ? MOTE_OK : make_proxy(surface, context);
    if (result != MOTE_OK || !surface->proxy) return result;
    if (!surface->was_read) app_cache_write(&surface->cache, surface->proxy);
    surface->def = mote_proxy_resolved_def(surface->proxy);
    surface->stats = mote_proxy_get_stats(surface->proxy);
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------------- command

// Work whose progress is not known.
static void begin_stage(app_stage *stage, const app_surface *surface, const char *what)
{
    app_stage_begin(stage, what);
    if (surface->mesh->triangle_count >= MANY_TRIANGLES) app_stage_show(stage, -1);
}

static int report(mesh_command *self, mote_context *context)
{
    app_surface *surface = &self->surface;
    app_stage stage;
    begin_stage(&stage, surface, "looking for what is wrong");
    mote_result result = examine(surface, context);
    app_stage_end(&stage);
    if (result == MOTE_OK && !self->json) app_surface_print_mesh(surface);
    begin_stage(&stage, surface, "building its proxy");
    if (result == MOTE_OK) result = find_proxy(surface, self->proxy_context);
    app_stage_end(&stage);
    if (result != MOTE_OK) return app_out_of_memory();
    if (surface->is_file) {
        const int status = app_surface_write_mesh(surface, context);
        if (status != APP_DONE) return status;
    } else if (surface->output) {
        int lock, status = app_folder_take(surface->output, surface->overwrite, &lock);
        if (status != APP_DONE) return status;
        status = app_surface_write(surface, context);
        app_folder_unlock(lock);
        if (status != APP_DONE) return status;
    }
    if (self->json) app_surface_print_json(surface);
    else app_surface_print_proxy(surface);
    const size_t faults = app_surface_faults(surface);
    if (!self->check || faults == 0) return APP_DONE;
    app_complain("mote mesh: %s has %zu fault%s", surface->path, faults, app_plural(faults));
    return APP_FAILED;
}

static int run(mesh_command *self)
{
    int status = check_options(self);
    if (status != APP_DONE) return status;
    mote_context *context = app_context_create(self->threads);
    if (!context) return APP_FAILED;
    status = read_mesh(self, context);
    if (status == APP_DONE) {
        self->proxy_context = app_context_create_within(self->threads, proxy_budget(&self->surface));
        status = self->proxy_context ? report(self, context) : APP_FAILED;
    }
    mote_proxy_destroy(self->surface.proxy);
    mote_context_destroy(self->proxy_context);
    app_cache_close(&self->surface.cache);
    mote_mesh_destroy(self->surface.mesh);
    mote_context_destroy(context);
    return status;
}

int app_mesh(int argc, char **argv)
{
    mesh_command self = {.min_depth = MOTE_PROXY_FOLLOWS, .max_depth = mote_proxy_default_def().max_depth};
    app_surface *surface = &self.surface;
    const app_option options[] = {
        {.name = "--output", .letter = 'o', .value = "OUT", .text = &surface->output,
         .meaning = "OUT.ply, .obj, .stl, .vtp or .glb: write the mesh; any other OUT is a folder, which gets the\n"
                    "                         mesh and its proxy for ParaView, and pictures"},
        {.name = "--overwrite", .flag = &surface->overwrite,
         .meaning = "allow OUT to exist and replace its files"},
        {.name = "--no-images", .flag = &surface->no_images, .meaning = "write no pictures"},
        {.name = "--max-depth", .value = "N", .whole = &self.max_depth, .min = 2, .max = MOTE_PROXY_DEEPEST,
         .meaning = "largest depth of the proxy's leaves; default: 6, that is 64 leaves along the longest side"},
        {.name = "--min-depth", .value = "N", .whole = &self.min_depth, .min = 0, .max = MOTE_PROXY_DEEPEST - 1,
         .meaning = "leaves that hold triangles are deeper than N; default: 4, or less if --max-depth is small"},
        {.name = "--tolerance", .value = "X", .text = &self.tolerance,
         .meaning = "leaves whose normals vary less than X are not split; default: 0.01"},
        {.name = "--no-cache", .flag = &surface->no_cache,
         .meaning = "build the proxy even if it is cached"},
        {.name = "--weld", .value = "X", .flag = &self.weld, .text = &self.weld_text,
         .meaning = "merge vertices with equal coordinates, or within distance X"},
        {.name = "--check", .flag = &self.check, .meaning = "exit with status 1 if the mesh has faults"},
        {.name = "--threads", .value = "N", .whole = &self.threads, .min = 1, .max = 4096,
         .meaning = "number of threads; default: all processors of this process or container"},
        {.name = "--json", .flag = &self.json, .meaning = "print one JSON object instead of text"},
    };
    const app_usage usage = {
        "mesh", "FILE", 1,
        "Checks a mesh, builds its octree proxy, and welds or converts it.",
        "FILE is .obj, .ply, .vtp, .stl (always welded), or, if mote was built with Assimp, any format that it reads\n"
        "(.glb, .gltf, .fbx, .dae, .3mf, .off, …): all meshes of the file's scene, placed and welded, in the file's\n"
        "axes. Assimp may take 60 s and 4096 MB; MOTE_IMPORT_SECONDS and MOTE_IMPORT_MEGABYTES change that.\n"
        "Faults: edges with one triangle (open), with more than two (non-manifold), or with two that face opposite\n"
        "sides (flipped); triangles without area (degenerate) or with the vertices of an earlier one (duplicate). A\n"
        "mesh whose edges have no faults is closed: it has an inside and a volume.\n"
        "PLY (binary, double) and OBJ store coordinates exactly, STL in float. --weld=X moves no vertex farther than\n"
        "X and drops triangles that lose a corner.\n"
        "Files in a folder: mesh.vtp; leaves.vtp, the proxy's cubes with depth, number and two-sidedness;\n"
        "normals.vtp, a point with a normal per leaf (ParaView: Glyph); mesh.png; leaves.png, coloured by depth.\n"
        "The proxy is cached in $XDG_CACHE_HOME/mote, or $HOME/.cache/mote.\n"
        "Exit status: 0 success, 1 --check found faults or a file cannot be written, 2 bad input or usage.\n",
        options, sizeof options / sizeof *options, false};
    int status = app_options_read(&usage, argc, argv, &surface->path);
    return status == APP_GO_ON ? run(&self) : status;
}
