// SPDX-License-Identifier: MIT
// Surfaces of particles: their definition, and the steps of an update.

#include <math.h>

#include "base/vector.h"
#include "surface/finish.h"
#include "surface/phases.h"

struct mote_surface {
    mote_context *context;
    mote_surface_def def;
    surface_scale scale, wide;  // wide: of anisotropic kernels
    surface_forms forms;
    cube_table table;
    surface_sort sort;
    surface_grid grid;
    surface_phases phases;
    surface_part together;  // several phases, while they are smoothed
    surface_part *parts;    // of each phase; those behind `phases.count` are empty
    mote_buffer part_memory, worker_memory, plane_memory;
};

// ---------------------------------------------------------------------------------------------------------- fields

#define NUMBER(member, unit_text, low, high, start, flag_bits, text)                                                 \
    {                                                                                                                \
        .name = #member, .type = MOTE_FIELD_NUMBER, .unit = unit_text, .offset = offsetof(mote_surface_def, member), \
        .flags = flag_bits, .min = low, .max = high, .initial = {start}, .meaning = text                             \
    }
#define WHOLE(member, low, high, start, text)                                                                          \
    {                                                                                                                  \
        .name = #member, .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(mote_surface_def, member), .min = low, \
        .max = high, .initial = {start}, .meaning = text                                                               \
    }
#define TRUTH(member, text)                                                                                 \
    {                                                                                                       \
        .name = #member, .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(mote_surface_def, member), \
        .meaning = text                                                                                     \
    }

static const char *const kernel_names[] = {"isotropic", "anisotropic", NULL};
static const char *const normal_names[] = {"none", "angle", "field", NULL};

static const mote_field surface_fields[] = {
    NUMBER(spacing, "m", 0, 1e100, 0, MOTE_FIELD_REQUIRED | MOTE_FIELD_ABOVE_MIN,
           "spacing of the particles at rest"),
    NUMBER(cell, "m", 0, HUGE_VAL, 0, MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN,
           "edge of the cubes of marching cubes; default: half a spacing"),
    NUMBER(support, "m", 0, HUGE_VAL, 0, MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN,
           "support of the kernel; default: two spacings"),
    NUMBER(isovalue, "", 0, 1, 0, MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN | MOTE_FIELD_BELOW_MAX,
           "value of the field at the surface; default: that of a half space of lattice, half a spacing outside"),
    {.name = "kernel",
     .type = MOTE_FIELD_CHOICE,
     .unit = "",
     .offset = offsetof(mote_surface_def, kernel),
     .choices = kernel_names,
     .meaning = "kernels of the particles: isotropic, or as flat as their neighbourhood (Yu & Turk 2013)"},
    NUMBER(centering, "", 0, 1, 0.5, 0, "part of the way by which anisotropic kernels move to the mean of neighbours"),
    WHOLE(smooth, 0, 10000, 0, "rounds of Laplacian smoothing"),
    TRUTH(weighted, "smoothing spares vertices with few particles around (Löschner et al. 2023)"),
    {.name = "normals",
     .type = MOTE_FIELD_CHOICE,
     .unit = "",
     .offset = offsetof(mote_surface_def, normals),
     .choices = normal_names,
     .meaning = "normals at the vertices: none, by the angles of triangles, or of the field"},
    WHOLE(smooth_normals, 0, 10000, 0, "rounds in which normals become means over the vertices around"),
    TRUTH(cleanup, "merges slivers: vertices near the same node become one (Moore & Warren 1992)"),
    WHOLE(min_particles, 0, 2147483647, 0, "parts that hold fewer particles are left out"),
    WHOLE(block, 4, 16, 4, "nodes along a block of values: 4, 8 or 16"),
    TRUTH(full, "evaluates all nodes near particles, for tests"),
};
static const mote_field_table table = {"surface", "the surface of particles, by marching cubes", surface_fields,
                                       sizeof surface_fields / sizeof *surface_fields};

mote_surface_def mote_surface_default_def(void)
{
    mote_surface_def def;
    memset(&def, 0, sizeof def);
    mote_fields_set_defaults(&table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

const mote_field_table *mote_surface_fields(void)
{
    return &table;
}

mote_surface_cloud mote_surface_cloud_points(mote_points points)
{
    mote_surface_cloud cloud;
    memset(&cloud, 0, sizeof cloud);
    cloud.points = points;
    return cloud;
}

// -------------------------------------------------------------------------------------------------------- creation

mote_result mote_surface_check_def(mote_surface_def *def, mote_error *error)
{
    static const double finest = 1.0 / 64, narrowest = 1, widest = 8;
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: the def was not made by mote_surface_default_def");
    const mote_result result = mote_fields_check(&table, def, error);
    if (result != MOTE_OK) return result;
    if (!isnan(def->isovalue) && !((float)def->isovalue > 0 && (float)def->isovalue < 1))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: isovalue is %.12g, expected a number between 0 and 1 in single precision, too",
                         def->isovalue);
    if (isnan(def->cell)) def->cell = 0.5 * def->spacing;
    if (isnan(def->support)) def->support = 2 * def->spacing;
    if (!(def->cell >= finest * def->spacing && def->cell <= widest * def->spacing))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: cell is %g, expected spacing/64 to 8 spacings, %g to %g", def->cell,
                         finest * def->spacing, widest * def->spacing);
    if (!(def->support >= narrowest * def->spacing))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: support is %g, expected at least the spacing, %g: no two neighbours would meet",
                         def->support, def->spacing);
    if (!(def->support <= widest * def->spacing))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: support is %g, expected at most 8 spacings, %g",
                         def->support, widest * def->spacing);
    if (def->kernel == MOTE_SURFACE_KERNEL_ANISOTROPIC && def->normals == MOTE_SURFACE_NORMALS_FIELD)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: normals of the field with anisotropic kernels, expected normals by angle");
    if (def->block != 4 && def->block != 8 && def->block != 16)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: block is %d, expected 4, 8 or 16", def->block);
    return MOTE_OK;
}

static size_t part_room(const mote_surface *surface)
{
    return surface->part_memory.bytes / sizeof *surface->parts;
}

static mote_result reserve_parts(mote_surface *surface, size_t count)
{
    mote_buffer *memory = &surface->part_memory;
    const size_t old = part_room(surface) * sizeof *surface->parts;
    const mote_result result =
        mote_buffer_reserve(surface->context, memory, mote_bytes(count, sizeof *surface->parts), old);
    if (result == MOTE_OK && part_room(surface) * sizeof *surface->parts > old)
        memset((char *)memory->data + old, 0, memory->bytes - old);
    surface->parts = memory->data;
    return result;
}

static void empty(mote_surface *surface)
{
    surface->sort.count = surface->sort.chunk_count = surface->grid.chunk_count = 0;
    atomic_store(&surface->grid.value_blocks, 0u);
    surface_worker *workers = surface->worker_memory.data;
    for (size_t w = 0; w < surface->worker_memory.bytes / sizeof *workers; ++w) workers[w].nodes = 0;
    for (size_t k = 0; k < part_room(surface); ++k) {
        surface_part *part = surface->parts + k;
        part->mesh.vertex_count = part->mesh.triangle_count = 0;
        part->finish.normals = NULL;
        part->finish.array_count = 0;
        part->stats = (mote_surface_stats){.isovalue = surface->scale.isovalue};
    }
}

mote_result mote_surface_create(mote_context *context, const mote_surface_def *def, mote_surface **surface,
                                mote_error *error)
{
    if (!surface) return mote_fail_null(error, "surface", "where to put the object");
    *surface = NULL;
    if (!def) return mote_fail_null(error, "surface", "the def");
    mote_surface_def checked = *def;
    const mote_result result = mote_surface_check_def(&checked, error);
    if (result != MOTE_OK) return result;
    mote_surface *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "surface");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = checked;
    made->scale = mote_surface_scale(&checked);
    if (checked.kernel == MOTE_SURFACE_KERNEL_ANISOTROPIC)
        made->forms = mote_surface_forms(&checked, &made->scale, &made->wide);
    made->sort.key_memory = &made->grid.value_memory;
    made->grid.block = checked.block;
    made->grid.blocks = CHUNK / checked.block;
    made->phases.count = 1;
    mote_cube_table_make(&made->table);
    const mote_result reserved = reserve_parts(made, 1);
    if (reserved != MOTE_OK) {
        mote_release(context, made, sizeof *made);
        return mote_pass_memory(error, reserved, "surface");
    }
    empty(made);
    *surface = made;
    return MOTE_OK;
}

static void release_workers(mote_surface *surface)
{
    surface_worker *workers = surface->worker_memory.data;
    for (size_t w = 0; w < surface->worker_memory.bytes / sizeof *workers; ++w) {
        mote_buffer_release(surface->context, &workers[w].window_memory);
        mote_buffer_release(surface->context, &workers[w].list_memory);
        mote_buffer_release(surface->context, &workers[w].table_memory);
        mote_buffer_release(surface->context, &workers[w].phase_memory);
    }
    mote_buffer_release(surface->context, &surface->worker_memory);
}

static void release_part(mote_context *context, surface_part *part)
{
    mote_surface_finish_release(context, &part->finish);
    mote_buffer_release(context, &part->mesh.vertex_memory);
    mote_buffer_release(context, &part->mesh.triangle_memory);
    mote_buffer_release(context, &part->mesh.kind_memory);
}

void mote_surface_destroy(mote_surface *surface)
{
    if (!surface) return;
    mote_context *context = surface->context;
    mote_surface_sort_release(context, &surface->sort);
    mote_surface_grid_release(context, &surface->grid);
    mote_surface_phases_release(context, &surface->phases);
    for (size_t k = 0; k < part_room(surface); ++k) release_part(context, surface->parts + k);
    release_part(context, &surface->together);
    mote_buffer_release(context, &surface->part_memory);
    mote_buffer_release(context, &surface->plane_memory);
    mote_buffer_release(context, &surface->forms.place_memory);
    mote_buffer_release(context, &surface->forms.form_memory);
    release_workers(surface);
    mote_release(context, surface, sizeof *surface);
}

// ---------------------------------------------------------------------------------------------------------- update

static mote_result check_set(const mote_points *points, const char *what, mote_error *error)
{
    if (points->count == 0) return MOTE_OK;
    const mote_result result = mote_points_check(*points, what, error);
    if (result != MOTE_OK || points->dimensions == 3) return result;
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "surface: %s have %d dimensions, expected 3", what,
                     points->dimensions);
}

static mote_result check_arrays(const mote_surface_cloud *cloud, mote_error *error)
{
    if (cloud->array_count && !cloud->arrays) return mote_fail_null(error, "surface", "the arrays");
    for (size_t a = 0; a < cloud->array_count; ++a) {
        const mote_array *array = cloud->arrays + a;
        const char *name = array->name ? array->name : "";
        if (mote_array_type_bytes(array->type) == 0 || array->components < 1 ||
            array->components > MOTE_ARRAY_COMPONENTS)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, a,
                             "surface: array %zu \"%s\" has no known type, or %d components", a, name,
                             array->components);
        for (int k = 0; k < array->components; ++k)
            if (!array->component[k] && cloud->points.count)
                return mote_fail(error, MOTE_ERROR_ARGUMENT, a, "surface: component %d of array %zu \"%s\" is NULL", k,
                                 a, name);
    }
    size_t columns = 0;
    for (size_t a = 0; a < cloud->array_count; ++a) columns += (size_t)cloud->arrays[a].components;
    if (columns > SURFACE_COLUMNS)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: arrays of %zu numbers in all, expected at most %d",
                         columns, SURFACE_COLUMNS);
    return MOTE_OK;
}

mote_result mote_surface_check_volumes(const mote_surface_cloud *cloud, mote_error *error)
{
    const mote_array *volumes = &cloud->volumes;
    if (volumes->components < 1 || cloud->points.count == 0) return MOTE_OK;
    if (mote_array_type_bytes(volumes->type) == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: the volumes have no known type");
    if (!volumes->component[0]) return mote_fail_null(error, "surface", "the volumes' component");
    for (size_t i = 0; i < cloud->points.count; ++i) {
        const double volume = mote_surface_array_value(volumes, i, 0);
        if (!isfinite(volume))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, i, "surface: the volume of particle %zu is %g", i, volume);
        if (volume < 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "surface: the volume of particle %zu is %g, expected 0 or more", i, volume);
    }
    return MOTE_OK;
}

static mote_result check_cloud(const mote_surface_cloud *cloud, mote_error *error)
{
    mote_result result = check_set(&cloud->points, "points", error);
    if (result == MOTE_OK) result = check_set(&cloud->fill, "fill points", error);
    if (result == MOTE_OK) result = check_arrays(cloud, error);
    if (result == MOTE_OK) result = mote_surface_check_volumes(cloud, error);
    if (result != MOTE_OK) return result;
    if (cloud->points.count + cloud->fill.count > UINT32_MAX - 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: %zu points and %zu fill points, expected at most %u",
                         cloud->points.count, cloud->fill.count, UINT32_MAX - 1);
    return MOTE_OK;
}

mote_result mote_surface_take_planes(const mote_context *context, mote_buffer *memory, const mote_surface_cloud *cloud,
                                     surface_cut *cut, mote_error *error)
{
    if (cloud->plane_count && !cloud->planes) return mote_fail_null(error, "surface", "the planes");
    const mote_result result =
        mote_buffer_reserve(context, memory, mote_bytes(cloud->plane_count, sizeof *cloud->planes), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    mote_surface_plane *planes = memory->data;
    for (size_t k = 0; k < cloud->plane_count; ++k) {
        const mote_vec3 n = cloud->planes[k].normal, p = cloud->planes[k].point;
        const double length = mote_vec3_length(n);
        if (!(length > 0 && isfinite(length) && isfinite(p.x) && isfinite(p.y) && isfinite(p.z)))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "surface: plane %zu has the normal (%g, %g, %g), expected a finite one that is not 0", k,
                             n.x, n.y, n.z);
        planes[k] = (mote_surface_plane){p, mote_vec3_scale(n, 1 / length)};
    }
    *cut = (surface_cut){planes, cloud->plane_count, cloud->distance, cloud->distance_data};
    return MOTE_OK;
}

// Gives every worker as much memory as any has needed so far: the schedule decides which one gets a dense place.
static mote_result level_workers(mote_surface *surface)
{
    mote_result result = mote_buffer_reserve_workers(surface->context, &surface->worker_memory, sizeof(surface_worker));
    surface_worker *workers = surface->worker_memory.data;
    const size_t count = surface->worker_memory.bytes / sizeof *workers;
    size_t window = 0, list = 0, tables = 0, marks = 0;
    for (size_t w = 0; w < count; ++w) {
        marks = MOTE_MAX(marks, workers[w].phase_memory.bytes);
        window = MOTE_MAX(window, workers[w].window_memory.bytes);
        list = MOTE_MAX(list, workers[w].list_memory.bytes);
        tables = MOTE_MAX(tables, workers[w].table_memory.bytes);
        workers[w].nodes = 0;
    }
    for (size_t w = 0; w < count && result == MOTE_OK; ++w) {
        result = mote_buffer_level(surface->context, &workers[w].window_memory, window);
        if (result == MOTE_OK) result = mote_buffer_level(surface->context, &workers[w].list_memory, list);
        if (result == MOTE_OK) result = mote_buffer_level(surface->context, &workers[w].table_memory, tables);
        if (result == MOTE_OK) result = mote_buffer_level(surface->context, &workers[w].phase_memory, marks);
    }
    return result;
}

// Replaces V = 1/ΣW by the caller's volumes.
static void take_volumes(mote_surface *surface, const mote_surface_cloud *cloud)
{
    static const double pi = 3.14159265358979323846, most = 1e28;  // sums of 2^32 of them are finite floats
    if (cloud->volumes.components < 1) return;
    const double h = surface->def.support, center = 8 / (pi * h * h * h);
    for (size_t i = 0; i < surface->sort.count; ++i)
        if (surface->sort.index[i] < cloud->points.count)
            surface->sort.volumes[i] =
                (float)MOTE_MIN(center * mote_surface_array_value(&cloud->volumes, surface->sort.index[i], 0), most);
}

static void count_work(mote_surface *surface)
{
    const surface_worker *workers = surface->worker_memory.data;
    size_t bytes = mote_surface_byte_count(surface);
    uint64_t nodes = 0;
    for (size_t w = 0; w < surface->worker_memory.bytes / sizeof *workers; ++w) nodes += workers[w].nodes;
    for (size_t k = 0; k < part_room(surface); ++k) {  // less the meshes
        const surface_mesh *mesh = &surface->parts[k].mesh;
        bytes -= mesh->vertex_count * sizeof *mesh->vertices + mesh->triangle_count * 3 * sizeof *mesh->triangles;
    }
    for (int k = 0; k < surface->phases.count; ++k) {
        mote_surface_stats *stats = &surface->parts[k].stats;
        stats->particles = surface->phases.particles[k];
        stats->chunks = surface->grid.chunk_count;
        stats->blocks = surface->grid.value_blocks;
        stats->nodes = nodes;
        stats->bytes = bytes;
        mote_surface_measure(&surface->parts[k].mesh, &stats->volume, &stats->area);
    }
}

// Sorts particles and finds their volumes and kernels.
static mote_result prepare(mote_surface *surface, const mote_surface_cloud *cloud, surface_job *job, mote_error *error)
{
    const mote_points sets[2] = {cloud->points, cloud->fill};
    mote_result result =
        mote_surface_sort(surface->context, &surface->sort, &surface->scale, sets, cloud->search, error);
    if (result != MOTE_OK || surface->sort.count == 0) return result;
    result = mote_surface_list_chunks(surface->context, &surface->grid, &surface->sort, &surface->scale);
    if (result == MOTE_OK) mote_surface_order_coincident(job, cloud);
    if (result == MOTE_OK) result = level_workers(surface);
    job->workers = surface->worker_memory.data;
    if (result == MOTE_OK) result = mote_surface_reserve_crowds(job, &surface->def, &surface->parts->finish);
    if (result == MOTE_OK) result = mote_surface_volumes(job);
    if (result == MOTE_OK) take_volumes(surface, cloud);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    if (surface->def.kernel != MOTE_SURFACE_KERNEL_ANISOTROPIC) return MOTE_OK;
    return mote_surface_make_forms(job, &surface->forms, &surface->wide, cloud, error);
}

// The meshes of all phases, from signs and values.
static mote_result extract(mote_surface *surface, const mote_surface_cloud *cloud, surface_job *job, mote_error *error)
{
    const surface_place place = {{0, 0, 0}, surface->scale.cell, 0};
    mote_result result = MOTE_OK;
    mote_surface_weigh_particles(job, &surface->def);
    if (job->phases) result = mote_surface_find_phases(job);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    for (int k = 0; k < surface->phases.count; ++k) {
        surface_part *part = surface->parts + k;
        if (job->phases) mote_surface_choose_phase(job, k);
        result = mote_surface_extract(surface->context, &surface->grid, &surface->table, &place, job->cut, job->phases,
                                      &part->mesh, error);
        if (result != MOTE_OK) return result;
        result = mote_surface_complete(job, &surface->def, cloud, part);
        if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    }
    result = mote_surface_round_off(job, &surface->def, surface->parts, (size_t)surface->phases.count,
                                    &surface->together);
    return mote_pass_memory(error, result, "surface");
}

static mote_result make_meshes(mote_surface *surface, const mote_surface_cloud *cloud, mote_error *error)
{
    surface_cut cut;
    mote_result result = mote_surface_take_planes(surface->context, &surface->plane_memory, cloud, &cut, error);
    if (result == MOTE_OK) result = mote_surface_take_phases(surface->context, cloud, &surface->phases, error);
    if (result != MOTE_OK) return result;
    if (surface->phases.count > 1 && surface->def.cleanup)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: cleanup with %d phases, expected one of the two",
                         surface->phases.count);
    result = reserve_parts(surface, (size_t)surface->phases.count);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    empty(surface);
    surface_job job = {.context = surface->context,
                       .sort = &surface->sort,
                       .grid = &surface->grid,
                       .scale = &surface->scale,
                       .lanes = mote_surface_lanes_choose(surface->context),
                       .cut = cut.plane_count || cut.distance ? &cut : NULL,
                       .phases = surface->phases.count > 1 ? &surface->phases : NULL,
                       .own_count = (uint32_t)cloud->points.count,
                       .full = surface->def.full};
    // Values of several phases are needed until the last mesh is made.
    if (!job.phases) mote_surface_lend_memory(&surface->grid, &surface->parts->mesh);
    result = prepare(surface, cloud, &job, error);
    if (result == MOTE_OK && surface->sort.count > 0)
        result = mote_pass_memory(error, mote_surface_evaluate(&job), "surface");
    if (result == MOTE_OK && surface->sort.count > 0) result = extract(surface, cloud, &job, error);
    mote_surface_return_memory(&surface->grid, &surface->parts->mesh);
    return result;
}

mote_result mote_surface_update(mote_surface *surface, const mote_surface_cloud *cloud, mote_error *error)
{
    if (!surface) return mote_fail_null(error, "surface", "the object");
    empty(surface);
    surface->phases.count = 1;
    mote_result result = cloud ? check_cloud(cloud, error) : mote_fail_null(error, "surface", "the cloud");
    if (result == MOTE_OK) result = make_meshes(surface, cloud, error);
    if (result == MOTE_OK)
        count_work(surface);
    else {
        surface->phases.count = 1;
        empty(surface);
    }
    return result;
}

// ------------------------------------------------------------------------------------------------------ inspection

int32_t mote_surface_phase_count(const mote_surface *surface)
{
    return surface ? surface->phases.count : 0;
}

mote_surface_view mote_surface_get_phase_view(const mote_surface *surface, int32_t phase)
{
    if (!surface || phase < 0 || phase >= surface->phases.count) return (mote_surface_view){0};
    const surface_part *part = surface->parts + phase;
    return (mote_surface_view){.vertices = part->mesh.vertices,
                               .triangles = part->mesh.triangles,
                               .normals = part->finish.normals,
                               .arrays = part->finish.arrays,
                               .vertex_count = part->mesh.vertex_count,
                               .triangle_count = part->mesh.triangle_count,
                               .array_count = part->finish.array_count,
                               .stats = part->stats};
}

mote_surface_view mote_surface_get_view(const mote_surface *surface)
{
    return mote_surface_get_phase_view(surface, 0);
}

mote_surface_stats mote_surface_get_stats(const mote_surface *surface)
{
    return mote_surface_get_view(surface).stats;
}

static size_t bytes_of(const surface_part *part)
{
    return mote_surface_finish_byte_count(&part->finish) + part->mesh.vertex_memory.bytes +
           part->mesh.triangle_memory.bytes + part->mesh.kind_memory.bytes;
}

size_t mote_surface_byte_count(const mote_surface *surface)
{
    if (!surface) return 0;
    size_t bytes = sizeof *surface + mote_surface_sort_byte_count(&surface->sort) +
                   mote_surface_grid_byte_count(&surface->grid) + mote_surface_phases_byte_count(&surface->phases) +
                   bytes_of(&surface->together) + surface->part_memory.bytes +
                   surface->worker_memory.bytes + surface->plane_memory.bytes + surface->forms.place_memory.bytes +
                   surface->forms.form_memory.bytes;
    for (size_t k = 0; k < part_room(surface); ++k) bytes += bytes_of(surface->parts + k);
    const surface_worker *workers = surface->worker_memory.data;
    for (size_t w = 0; w < surface->worker_memory.bytes / sizeof *workers; ++w)
        bytes += workers[w].window_memory.bytes + workers[w].list_memory.bytes + workers[w].table_memory.bytes +
                 workers[w].phase_memory.bytes;
    return bytes;
}

mote_result mote_surface_validate(const mote_surface *surface, mote_error *error)
{
    if (!surface) return mote_fail_null(error, "surface", "the object");
    for (size_t i = 0; i < surface->sort.count; ++i)
        if (surface->sort.index[i] >= surface->sort.count)
            return mote_fail(error, MOTE_ERROR_STATE, i, "surface: sorted particle %zu has the number %u", i,
                             surface->sort.index[i]);
    for (uint32_t c = 0; c < surface->grid.chunk_count; ++c)
        if (mote_surface_find_chunk(&surface->grid, surface->grid.chunks[c].at) != c)
            return mote_fail(error, MOTE_ERROR_STATE, c, "surface: chunk %u is not found", c);
    mote_result result = MOTE_OK;
    for (int k = 0; k < surface->phases.count && result == MOTE_OK; ++k)
        result = mote_surface_check_mesh(surface->context, &surface->parts[k].mesh, false, error);
    return result;
}
