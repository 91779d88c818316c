// SPDX-License-Identifier: MIT
// Surfaces of a run's liquids: the mesh around the particles of each frame, for pictures and for files.
//
// A surface lies flush against walls: wall particles continue the liquid behind them, and the body is then cut with the
// sides of the tank and with the solids. Of a tank that moves the sides are not known here; there the surface ends a
// kernel's width from the liquid's outermost particles, as at the air. Several fluids have a mesh each, which touch
// (frames_fluids.c).

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

// ---------------------------------------------------------------------------------------------------- what cuts it

static void add_plane(app_surfaces_made *made, mote_vec3 point, double x, double y, double z)
{
    made->planes[made->plane_count++] = (mote_surface_plane){point, {x, y, z}};
}

// The closed sides of a tank that stays where it is.
static void find_planes(app_surfaces_made *made, const mote_simulation_def *def)
{
    const mote_tank_def *tank = &def->tank;
    if (!def->has_tank) return;
    if (!tank->open_x_min) add_plane(made, tank->min, 1, 0, 0);
    if (!tank->open_x_max) add_plane(made, tank->max, -1, 0, 0);
    if (!tank->open_y_min) add_plane(made, tank->min, 0, 1, 0);
    if (!tank->open_y_max) add_plane(made, tank->max, 0, -1, 0);
    if (!tank->open_z_min) add_plane(made, tank->min, 0, 0, 1);
    if (!tank->open_z_max) add_plane(made, tank->max, 0, 0, -1);
}

// The solids of a simulation, where they are now. Meshes with holes have no inside, and cut nothing.
static mote_result find_solids(app_frames *frames, mote_error *error)
{
    app_surfaces_made *made = &frames->surfaces;
    mote_simulation *simulation = frames->file->simulation;
    const size_t count = mote_simulation_object_count(simulation);
    const mote_mesh **meshes = malloc((count + 1) * sizeof *meshes);
    size_t found = 0;
    mote_result result = meshes ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < count && result == MOTE_OK; ++k) {
        mote_object_view view;
        result = mote_simulation_get_object(simulation, k, &view, error);
        if (result != MOTE_OK || !view.mesh) continue;
        meshes[found++] = view.mesh;
        made->solids_move |= view.mesh_moves;
    }
    app_cut_close(&made->cut);
    if (result == MOTE_OK) result = app_cut_open(&made->cut, frames->file->context, meshes, found, error);
    free(meshes);
    return result;
}

// -------------------------------------------------------------------------------------------------------- set-up

static mote_result create_surface(const app_frames *frames, app_object_surface *surface, mote_error *error)
{
    const app_liquid_surface *wanted = &frames->file->surface;
    const app_object_frames *object = surface->object;
    mote_surface_def def = mote_surface_default_def();
    def.spacing = object->size;
    def.cell = wanted->cell * object->size;
    def.support = wanted->support * object->size;
    def.kernel = wanted->kernel;
    def.smooth = wanted->smooth;
    def.weighted = wanted->weighted;
    def.cleanup = wanted->cleanup;
    def.smooth_normals = wanted->smooth_normals;
    def.min_particles = wanted->min_particles;
    def.normals = MOTE_SURFACE_NORMALS_ANGLE;
    surface->def = def;
    if (frames->surfaces.is_flat) return MOTE_OK;
    return mote_surface_create(frames->file->context, &def, &surface->surface, error);
}

mote_result app_frames_open_surfaces(app_frames *frames, mote_error *error)
{
    app_surfaces_made *made = &frames->surfaces;
    const mote_simulation_def *def = &frames->file->settings->simulation;
    const bool for_pictures = frames->file->picture.style != MOTE_STYLE_PARTICLES;
    made->is_flat = def->fluid.dimensions == 2;
    if (!frames->file->surface.is_wanted && (!for_pictures || made->is_flat)) return MOTE_OK;
    made->list = calloc(frames->object_count + 1, sizeof *made->list);
    made->liquids = calloc(frames->object_count * MOTE_OBJECT_GROUPS + 1, sizeof *made->liquids);
    if (!made->list || !made->liquids) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < frames->object_count && result == MOTE_OK; ++k) {
        const app_object_frames *object = &frames->objects[k];
        if (object->role != MOTE_PARTICLES_LIQUID || !(object->size > 0)) continue;
        app_object_surface *surface = &made->list[made->count++];
        surface->object = object;
        result = create_surface(frames, surface, error);
    }
    if (result == MOTE_OK && made->count && !made->is_flat) result = find_solids(frames, error);
    if (!mote_motion_is_set(&def->tank.motion)) find_planes(made, def);
    return result;
}

bool app_frames_write_surfaces(const app_frames *frames)
{
    const app_liquid_surface *wanted = &frames->file->surface;
    return frames->surfaces.count > 0 && wanted->is_wanted && wanted->files == APP_SURFACE_VTP;
}

bool app_frames_has_surface(const app_frames *frames, const app_object_frames *object)
{
    if (frames->picture.style == MOTE_STYLE_PARTICLES || frames->surfaces.is_flat) return false;
    for (size_t k = 0; k < frames->surfaces.count; ++k)
        if (frames->surfaces.list[k].object == object) return true;
    return false;
}

// ---------------------------------------------------------------------------------------------------- each frame

// The places of wall particles, unless the tank's sides are not known.
static mote_result find_walls(const app_frames *frames, mote_points *walls, mote_error *error)
{
    *walls = (mote_points){.dimensions = 3};
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < frames->object_count && result == MOTE_OK; ++k) {
        mote_object_view view;
        if (frames->objects[k].role != MOTE_PARTICLES_WALL) continue;
        result = mote_simulation_get_object(frames->file->simulation, frames->objects[k].number, &view, error);
        if (result == MOTE_OK) *walls = mote_points_xyz_f64(view.arrays[0].component[0], view.count);
    }
    return result;
}

static mote_result update(app_frames *frames, app_object_surface *surface, mote_points walls, mote_error *error)
{
    app_surfaces_made *made = &frames->surfaces;
    const app_object_frames *object = surface->object;
    mote_array arrays[MOTE_OBJECT_ARRAYS];
    mote_surface_cloud cloud =
        mote_surface_cloud_points(mote_points_xyz_f64(object->arrays[0].component[0], object->count));
    for (size_t a = 1; a < object->array_count; ++a)
        if (object->arrays[a].type == MOTE_ARRAY_F32 || object->arrays[a].type == MOTE_ARRAY_F64)
            arrays[cloud.array_count++] = object->arrays[a];
    if (object->group_count && !made->is_flat)
        cloud.phases = mote_array_scalars("phase", MOTE_ARRAY_U8, object->groups.data);
    cloud.arrays = made->is_flat ? NULL : arrays;
    if (made->is_flat) cloud.array_count = 0;
    cloud.planes = made->planes;
    cloud.plane_count = made->plane_count;
    cloud.fill = walls;
    made->cut.reach = APP_CUT_REACH * frames->file->surface.support * object->size;
    if (made->cut.solids) cloud.distance = app_cut_distance, cloud.distance_data = &made->cut;
    if (made->is_flat)
        return app_outline_make(&surface->outline, frames->file->context, &surface->def, &cloud, true, &surface->view,
                                error);
    const mote_result result = mote_surface_update(surface->surface, &cloud, error);
    surface->view = mote_surface_get_view(surface->surface);
    return result;
}

mote_result app_frames_name_surface(app_object_surface *surface, const app_record *record, mote_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "surface_%04d.vtp", record->frame);
    return mote_series_add(surface->series, record->time, name, error);
}

static mote_result write_surface(const app_frames *frames, app_object_surface *surface, const app_record *record,
                                 mote_error *error)
{
    if (app_fluids_of(surface) > 1 && !app_fluids_join(surface)) return MOTE_ERROR_OUT_OF_MEMORY;
    const mote_surface_view view = surface->view;
    mote_array arrays[MOTE_OBJECT_ARRAYS + 2];
    size_t count = 0;
    if (view.normals) arrays[count++] = mote_array_tuples("normal", MOTE_ARRAY_F64, view.normals, 3);
    for (size_t a = 0; a < view.array_count; ++a) arrays[count++] = view.arrays[a];
    static const uint32_t none[3] = {0};
    const mote_vtp data = {
        .points = mote_points_xyz_f64(view.vertex_count ? &view.vertices->x : NULL, view.vertex_count),
        .arrays = arrays,
        .array_count = count,
        .triangles = view.triangle_count ? view.triangles : none,
        .triangle_count = view.triangle_count,
        .lines = surface->outline.lines,
        .line_count = surface->outline.line_count,
        .time = record->time};
    char *path = app_text("%s/surface_%04d.vtp", frames->folder, record->frame);
    mote_result result = path ? mote_vtp_write(frames->file->context, path, &data, error) : MOTE_ERROR_OUT_OF_MEMORY;
    free(path);
    return result == MOTE_OK ? app_frames_name_surface(surface, record, error) : result;
}

// Speeds at the vertices, for surfaces that are coloured; of those that are not, none.
static const float *find_speeds(app_frames *frames, const mote_surface_view *view)
{
    app_memory_block *memory = &frames->surfaces.speeds;
    const mote_array *velocity = NULL;
    for (size_t a = 0; a < view->array_count; ++a)
        if (strcmp(view->arrays[a].name, "velocity") == 0) velocity = &view->arrays[a];
    if (!velocity || frames->picture.style != MOTE_STYLE_SURFACE) return NULL;
    float *speeds = app_memory_reserve(memory, (view->vertex_count + 1) * sizeof *speeds);
    for (size_t i = 0; speeds && i < view->vertex_count; ++i) speeds[i] = app_array_length(velocity, i);
    return speeds;
}

static mote_liquid *next_liquid(app_surfaces_made *made, const mote_surface_view *view)
{
    mote_liquid *liquid = &made->liquids[made->liquid_count++];
    *liquid = mote_liquid_default();
    liquid->vertices = mote_points_xyz_f64(view->vertex_count ? &view->vertices->x : NULL, view->vertex_count);
    liquid->normals = view->normals;
    liquid->triangles = view->triangles;
    liquid->triangle_count = view->triangle_count;
    return liquid;
}

static void show(app_frames *frames, const app_object_surface *surface)
{
    const mote_simulation_def *def = &frames->file->settings->simulation;
    const bool is_water = frames->picture.style == MOTE_STYLE_WATER;
    const size_t groups = surface->object->group_count;
    for (size_t k = 0; k < groups; ++k) {
        const mote_surface_view view = app_fluid_view(surface, k);
        if (app_fluid_is_gas(def, k)) continue;
        mote_liquid *liquid = next_liquid(&frames->surfaces, &view);
        liquid->is_clear = is_water && app_fluid_is_clear(def, k);
        liquid->color = surface->object->group_colors[k];
    }
    if (groups) return;
    mote_liquid *liquid = next_liquid(&frames->surfaces, &surface->view);
    liquid->is_clear = is_water;
    liquid->scalars = find_speeds(frames, &surface->view);
    liquid->scalar_stride = sizeof(float);
}

mote_result app_frames_make_surfaces(app_frames *frames, const app_record *record, mote_error *error)
{
    app_surfaces_made *made = &frames->surfaces;
    const bool are_seen = frames->render && frames->picture.style != MOTE_STYLE_PARTICLES && !made->is_flat;
    mote_points walls = {.dimensions = 3};
    mote_result result = MOTE_OK;
    if (made->count == 0 || (!are_seen && !made->list[0].series)) return MOTE_OK;
    if (made->plane_count) result = find_walls(frames, &walls, error);
    if (result == MOTE_OK && made->solids_move) result = find_solids(frames, error);
    made->liquid_count = 0;
    for (size_t k = 0; k < made->count && result == MOTE_OK; ++k) {
        result = update(frames, &made->list[k], walls, error);
        if (result == MOTE_OK && made->list[k].series) result = write_surface(frames, &made->list[k], record, error);
        if (result == MOTE_OK && !made->is_flat) show(frames, &made->list[k]);
    }
    return result;
}

void app_frames_close_surfaces(app_surfaces_made *made)
{
    for (size_t k = 0; k < made->count; ++k) {
        mote_surface_destroy(made->list[k].surface);
        app_outline_close(&made->list[k].outline);
        app_fluids_close(&made->list[k].join);
        mote_series_destroy(made->list[k].series);
    }
    app_cut_close(&made->cut);
    free(made->list);
    free(made->liquids);
    free(made->speeds.data);
}
