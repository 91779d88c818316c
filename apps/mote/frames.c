// SPDX-License-Identifier: MIT
// Frames: the particles of all objects at one time, as files for ParaView and as a picture.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

static const double fast_ratio = 2.2;  // of sqrt(gH); hardly any particle of a breaking dam is faster

static int complain_output(const mote_error *error, mote_result result)
{
    app_complain("mote run: %s", error->text[0] ? error->text : mote_result_text(result));
    return APP_FAILED;
}

// ------------------------------------------------------------------------------------- what does not change

// @param frame  of a mesh that moves; below 0: of one that does not
static mote_result write_mesh(const app_frames *frames, const char *name, int32_t frame, const mote_mesh *mesh,
                              mote_error *error)
{
    char *path = frame < 0 ? app_text("%s/mesh_%s.ply", frames->folder, name)
                           : app_text("%s/mesh_%s_%04d.ply", frames->folder, name, frame);
    mote_vec3 *normals = malloc(mesh->vertex_count * sizeof *normals);
    mote_result result = path && normals ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) {
        mote_mesh_vertex_normals(mesh, normals);
        result = mote_ply_write(frames->file->context, path, mesh, normals, error);
    }
    free(normals);
    free(path);
    return result;
}

static int create_series(const app_frames *frames, const char *what, mote_series **series)
{
    char *path = app_text("%s/%s.pvd", frames->folder, what);
    if (!path) return app_out_of_memory();
    mote_error error = {0};
    mote_result result = mote_series_create(frames->file->context, path, series, &error);
    free(path);
    return result == MOTE_OK ? APP_DONE : complain_output(&error, result);
}

// ---------------------------------------------------------------------------------------------------- pictures

static void drop_pictures(app_frames *frames)
{
    mote_render_destroy(frames->render);
    frames->render = NULL;
    free(frames->rgb);
    frames->rgb = NULL;
}

static mote_result create_render(app_frames *frames, mote_error *error)
{
    const app_scene_file *file = frames->file;
    mote_result result = mote_render_create(file->context, &file->picture, &frames->render, error);
    for (size_t k = 0; k < mote_simulation_object_count(file->simulation) && result == MOTE_OK; ++k) {
        mote_object_view view;
        result = mote_simulation_get_object(file->simulation, k, &view, error);
        if (result == MOTE_OK && view.mesh)
            result = mote_render_add_mesh(frames->render, view.mesh, view.look, NULL, error);
    }
    if (result != MOTE_OK) return result;
    frames->picture = mote_render_resolved_def(frames->render);
    frames->rgb = malloc(3 * (size_t)frames->picture.width * (size_t)frames->picture.height);
    return frames->rgb ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

// Pictures are optional: if they cannot be drawn, the run continues without them. Wrong settings are an input error.
static int open_pictures(app_frames *frames, bool quiet)
{
    mote_error error = {0};
    mote_result result = create_render(frames, &error);
    if (result == MOTE_OK) {
        if (!quiet && !mote_render_has_text(frames->render))
            printf("note: no font was found, pictures have no title, time and legend (Debian: fonts-dejavu-core)\n");
        const bool has_none = frames->surfaces.count == 0 || frames->surfaces.is_flat;
        if (!quiet && frames->picture.style != MOTE_STYLE_PARTICLES && has_none)
            printf("note: pictures show particles: there are surfaces in 3D only\n");
        return APP_DONE;
    }
    drop_pictures(frames);
    if (result == MOTE_ERROR_ARGUMENT || result == MOTE_ERROR_FILE)  // a font that the scene names
        return app_scene_complain(frames->file, &error);
    if (!quiet) printf("note: no pictures: %s\n", error.text[0] ? error.text : mote_result_text(result));
    return APP_DONE;
}

static void draw(app_frames *frames, app_record *record)
{
    mote_picture picture = mote_picture_default();
    picture.layers = frames->layers;
    picture.layer_count = frames->layer_count;
    picture.liquids = frames->surfaces.liquids;
    if (frames->picture.style != MOTE_STYLE_PARTICLES && !frames->surfaces.is_flat)
        picture.liquid_count = frames->surfaces.liquid_count;
    picture.time = record->time;
    picture.label = frames->video.words;
    picture.box = frames->seen = app_frames_widen(frames, &picture);

    mote_error error = {0};
    char *path = app_text("%s/frames/%04d.png", frames->folder, record->frame);
    mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    if (path) result = mote_render_frame(frames->render, &picture, frames->rgb, &error);
    if (result == MOTE_OK)
        result = mote_png_write(frames->file->context, path, frames->rgb, (uint32_t)frames->picture.width,
                                (uint32_t)frames->picture.height, &error);
    free(path);
    frames->picture = mote_render_resolved_def(frames->render);
    record->has_picture = result == MOTE_OK;
    record->eye = frames->picture.eye;
    record->target = frames->picture.target;
    if (result == MOTE_OK) return;
    app_complain("note: no more pictures: %s", error.text[0] ? error.text : mote_result_text(result));
    drop_pictures(frames);
}

// --------------------------------------------------------------------------------------------------- particles

void *app_memory_reserve(app_memory_block *block, size_t bytes)
{
    if (bytes <= block->bytes) return block->data;
    free(block->data);
    block->bytes = bytes + bytes / 4;
    block->data = malloc(block->bytes);
    if (!block->data) block->bytes = 0;
    return block->data;
}

static const mote_array *find_array(const mote_object_view *view, const char *name)
{
    for (size_t a = 0; a < view->array_count; ++a)
        if (strcmp(view->arrays[a].name, name) == 0) return &view->arrays[a];
    return NULL;
}

static uint64_t id_at(const mote_array *ids, size_t i)
{
    uint64_t id;
    memcpy(&id, (const char *)ids->component[0] + (ptrdiff_t)i * ids->stride, sizeof id);
    return id;
}

// The order in which particles are written: by id, so that a row is the same particle in all frames as long as no
// particle is removed; particles without ids are in their own order. One pass over ids and one over all ids ever
// assigned.
static const uint32_t *find_order(app_object_frames *object, const mote_object_view *view)
{
    const mote_array *ids = find_array(view, "id");
    uint32_t *order = app_memory_reserve(&object->order, (view->count + 1) * sizeof *order);
    if (!order) return NULL;
    for (size_t i = 0; i < view->count && !ids; ++i) order[i] = (uint32_t)i;
    if (!ids || view->count == 0) return order;
    uint64_t last = 0;
    for (size_t i = 0; i < view->count; ++i) last = id_at(ids, i) > last ? id_at(ids, i) : last;
    const size_t bytes = last < SIZE_MAX / 8 ? ((size_t)last + 1) * sizeof(uint32_t) : SIZE_MAX;
    uint32_t *places = bytes < SIZE_MAX ? app_memory_reserve(&object->places, bytes) : NULL;
    if (!places) return NULL;
    memset(places, 0xFF, ((size_t)last + 1) * sizeof *places);
    for (size_t i = 0; i < view->count; ++i) places[id_at(ids, i)] = (uint32_t)i;
    size_t found = 0;
    for (size_t id = 0; id <= last; ++id)
        if (places[id] != UINT32_MAX) order[found++] = places[id];
    return found == view->count ? order : NULL;
}

// An array's tuples in that order, packed.
static bool pack(app_memory_block *block, const mote_array *from, const uint32_t *order, size_t count,
                 mote_array *packed)
{
    const size_t bytes = mote_array_type_bytes(from->type), tuple = bytes * (size_t)from->components;
    char *to = app_memory_reserve(block, count * tuple + 1);
    if (!to) return false;
    *packed = mote_array_tuples(from->name, from->type, to, from->components);
    packed->unit = from->unit;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < from->components; ++k, to += bytes)
            memcpy(to, (const char *)from->component[k] + (ptrdiff_t)order[i] * from->stride, bytes);
    return true;
}

static double component_at(const mote_array *array, int k, size_t i)
{
    const char *at = (const char *)array->component[k] + (ptrdiff_t)i * array->stride;
    float narrow = 0;
    double wide = 0;
    if (array->type == MOTE_ARRAY_F32) memcpy(&narrow, at, sizeof narrow);
    if (array->type == MOTE_ARRAY_F64) memcpy(&wide, at, sizeof wide);
    return array->type == MOTE_ARRAY_F32 ? (double)narrow : wide;
}

float app_array_length(const mote_array *velocity, size_t i)
{
    const double x = component_at(velocity, 0, i), y = component_at(velocity, 1, i), z = component_at(velocity, 2, i);
    if (velocity->type != MOTE_ARRAY_F32) return (float)sqrt(x * x + y * y + z * z);
    const float vx = (float)x, vy = (float)y, vz = (float)z;
    return sqrtf(vx * vx + vy * vy + vz * vz);
}

// Replaces arrays behind position and id by those that the scene asks for, of objects whose arrays can be chosen.
static mote_result choose_arrays(const app_frames *frames, size_t object, mote_object_view *view)
{
    const char *const *fields = frames->file->output.fields;
    mote_simulation *simulation = frames->file->simulation;
    if (!fields[0] || view->array_count == 0) return MOTE_OK;
    mote_array unused;
    mote_result result = mote_simulation_get_array(simulation, object, fields[0], &unused, NULL);
    if (result == MOTE_ERROR_UNSUPPORTED) return MOTE_OK;
    view->array_count = 2;
    for (size_t k = 0; k < MOTE_FIELD_WORDS_MOST && fields[k] && result == MOTE_OK; ++k) {
        if (strcmp(fields[k], "position") == 0 || strcmp(fields[k], "id") == 0) continue;
        result = mote_simulation_get_array(simulation, object, fields[k], &view->arrays[view->array_count], NULL);
        ++view->array_count;
    }
    return result;
}

// Copies an object's particles: their arrays in order, and their speeds.
static bool gather(app_frames *frames, app_object_frames *object, mote_object_view *view, app_record *record)
{
    const uint32_t *order = find_order(object, view);
    float *speeds = app_memory_reserve(&object->speeds, (view->count + 1) * sizeof *speeds);
    if (!order || !speeds) return false;
    const mote_array *velocity = find_array(view, "velocity");
    const double fast = frames->reference_speed > 0 ? fast_ratio * frames->reference_speed : HUGE_VAL;
    for (size_t i = 0; i < view->count; ++i) {
        speeds[i] = velocity ? app_array_length(velocity, order[i]) : 0;
        if ((double)speeds[i] > fast) ++record->fast;
    }
    if (!app_layers_gather(object, view, order)) return false;
    if (choose_arrays(frames, object->number, view) != MOTE_OK) return false;
    object->count = view->count;
    object->array_count = view->array_count;
    for (size_t a = 0; a < view->array_count; ++a)
        if (!pack(&object->memory[a], &view->arrays[a], order, view->count, &object->arrays[a])) return false;
    return true;
}

static mote_result write_particles(const app_frames *frames, const app_object_frames *object, const char *name,
                                   double time, mote_error *error)
{
    const mote_array *places = &object->arrays[0];
    mote_vtp data = {.points = mote_points_xyz_f64(places->component[0], object->count),
                     .arrays = object->arrays + 1,
                     .array_count = object->array_count - 1,
                     .time = time};
    char *path = app_text("%s/%s", frames->folder, name);
    mote_result result = path ? mote_vtp_write(frames->file->context, path, &data, error) : MOTE_ERROR_OUT_OF_MEMORY;
    free(path);
    return result;
}

static void name_frame(const app_object_frames *object, int32_t frame, char name[APP_OBJECT_NAME + 24])
{
    snprintf(name, APP_OBJECT_NAME + 24, "%s_%04d.vtp", object->name, frame);
}

// A frame of an object that may change. The series is told last: it never names a file that does not exist.
static mote_result write_frame(const app_frames *frames, const app_object_frames *object, const app_record *record,
                               mote_error *error)
{
    char name[APP_OBJECT_NAME + 24];
    name_frame(object, record->frame, name);
    const mote_result result = write_particles(frames, object, name, record->time, error);
    return result == MOTE_OK ? mote_series_add(object->series, record->time, name, error) : result;
}

// An object that never changes, which has no time.
static mote_result write_fixed(app_frames *frames, app_object_frames *object, mote_error *error)
{
    char name[APP_OBJECT_NAME + 24];
    snprintf(name, sizeof name, "%s.vtp", object->name);
    mote_object_view view;
    app_record unused = {0};
    mote_result result = mote_simulation_get_object(frames->file->simulation, object->number, &view, error);
    if (result == MOTE_OK && !gather(frames, object, &view, &unused)) result = MOTE_ERROR_OUT_OF_MEMORY;
    return result == MOTE_OK ? write_particles(frames, object, name, NAN, error) : result;
}

// ----------------------------------------------------------------------------------------------------- frames

// The objects that have particles, and room for a layer of each.
static int open_objects(app_frames *frames)
{
    mote_simulation *simulation = frames->file->simulation;
    const size_t count = mote_simulation_object_count(simulation);
    frames->objects = calloc(count + 1, sizeof *frames->objects);
    if (!frames->objects) return app_out_of_memory();
    size_t layers = 0;
    for (size_t k = 0; k < count; ++k) {
        mote_object_view view;
        const mote_result result = mote_simulation_get_object(simulation, k, &view, NULL);
        if (result != MOTE_OK) {
            app_complain("mote run: the frames: %s", mote_result_text(result));
            return APP_FAILED;
        }
        if (view.array_count == 0) continue;
        app_object_frames *object = &frames->objects[frames->object_count++];
        object->number = k;
        object->is_fixed = view.is_fixed;
        object->role = view.role;
        object->size = view.particle_size;
        object->color = view.color;
        layers += app_layers_of(&view);
        snprintf(object->name, sizeof object->name, "%s", view.name);
    }
    frames->layers = calloc(layers + 1, sizeof *frames->layers);
    return frames->layers ? APP_DONE : app_out_of_memory();
}

int app_frames_open(app_frames *frames, const app_scene_file *file, const char *folder, const app_derived *derived,
                    bool pictures, bool quiet)
{
    *frames = (app_frames){.file = file, .folder = folder, .reference_speed = derived->reference_speed};
    frames->picture = file->picture;
    frames->video = app_video_of(file->settings);
    frames->seen = file->content;
    int status = open_objects(frames);
    mote_error error = {0};
    const mote_result result = status == APP_DONE ? app_frames_open_surfaces(frames, &error) : MOTE_OK;
    if (result != MOTE_OK) status = complain_output(&error, result);
    return status == APP_DONE && pictures ? open_pictures(frames, quiet) : status;
}

// Meshes that move, as they are now: a file for each frame, and their places in the picture.
static mote_result write_moving_meshes(const app_frames *frames, int32_t frame, mote_error *error)
{
    mote_simulation *simulation = frames->file->simulation;
    mote_result result = MOTE_OK;
    uint32_t index = 0;  // among the picture's meshes
    for (size_t k = 0; k < mote_simulation_object_count(simulation) && result == MOTE_OK; ++k) {
        mote_object_view view;
        result = mote_simulation_get_object(simulation, k, &view, error);
        if (result != MOTE_OK || !view.mesh) continue;
        if (view.mesh_moves) result = write_mesh(frames, view.name, frame, view.mesh, error);
        if (result == MOTE_OK && view.mesh_moves && frames->render)
            result = mote_render_update_mesh(frames->render, index, view.mesh, error);
        ++index;
    }
    return result;
}

// All meshes that do not move, named after their objects.
static int write_meshes(const app_frames *frames)
{
    int status = APP_DONE;
    for (size_t k = 0; k < mote_simulation_object_count(frames->file->simulation) && status == APP_DONE; ++k) {
        mote_object_view view;
        const mote_result result = mote_simulation_get_object(frames->file->simulation, k, &view, NULL);
        if (result != MOTE_OK || !view.mesh || view.mesh_moves) continue;
        mote_error error = {0};
        const mote_result written = write_mesh(frames, view.name, -1, view.mesh, &error);
        if (written != MOTE_OK) status = complain_output(&error, written);
    }
    return status;
}

int app_frames_begin(app_frames *frames)
{
    int status = write_meshes(frames);
    for (size_t k = 0; k < frames->object_count && status == APP_DONE; ++k) {
        app_object_frames *object = &frames->objects[k];
        mote_error error = {0};
        mote_result result = MOTE_OK;
        if (object->is_fixed)
            result = write_fixed(frames, object, &error);
        else
            status = create_series(frames, object->name, &object->series);
        if (result != MOTE_OK) status = complain_output(&error, result);
    }
    for (size_t k = 0; k < frames->surfaces.count && status == APP_DONE; ++k)
        if (app_frames_write_surfaces(frames))
            status = create_series(frames, "surface", &frames->surfaces.list[k].series);
    return status;
}

mote_result app_frames_write(app_frames *frames, app_record *record, mote_error *error)
{
    mote_simulation *simulation = frames->file->simulation;
    mote_result result = app_quantities_get(simulation, &record->quantities, error);
    record->steps = mote_simulation_get_counters(simulation).steps;
    record->fast = 0;
    frames->layer_count = 0;
    for (size_t k = 0; k < frames->object_count && result == MOTE_OK; ++k) {
        app_object_frames *object = &frames->objects[k];
        mote_object_view view;
        if (!object->is_fixed) {
            result = mote_simulation_get_object(simulation, object->number, &view, error);
            if (result == MOTE_OK && !gather(frames, object, &view, record)) result = MOTE_ERROR_OUT_OF_MEMORY;
            if (result == MOTE_OK) result = write_frame(frames, object, record, error);
        }
        if (result == MOTE_OK && object->size > 0 && !app_frames_has_surface(frames, object) &&
            !app_layers_add(frames, object))
            result = MOTE_ERROR_OUT_OF_MEMORY;
    }
    if (result == MOTE_OK) result = app_frames_make_surfaces(frames, record, error);
    if (result == MOTE_OK) result = write_moving_meshes(frames, record->frame, error);
    if (result == MOTE_OK && frames->render) draw(frames, record);
    return result;
}

mote_result app_frames_resume(app_frames *frames, const app_record *records, size_t count, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < frames->object_count; ++k)
        for (size_t i = 0; frames->objects[k].series && i < count && result == MOTE_OK; ++i) {
            char name[APP_OBJECT_NAME + 24];
            name_frame(&frames->objects[k], records[i].frame, name);
            result = mote_series_add(frames->objects[k].series, records[i].time, name, error);
        }
    for (size_t k = 0; k < frames->surfaces.count; ++k)
        for (size_t i = 0; frames->surfaces.list[k].series && i < count && result == MOTE_OK; ++i)
            result = app_frames_name_surface(&frames->surfaces.list[k], &records[i], error);
    return result;
}

mote_result app_frames_flush(app_frames *frames, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < frames->object_count && result == MOTE_OK; ++k)
        if (frames->objects[k].series) result = mote_series_flush(frames->objects[k].series, error);
    for (size_t k = 0; k < frames->surfaces.count && result == MOTE_OK; ++k)
        if (frames->surfaces.list[k].series) result = mote_series_flush(frames->surfaces.list[k].series, error);
    return result;
}

void app_frames_close(app_frames *frames)
{
    drop_pictures(frames);
    for (size_t k = 0; k < frames->object_count; ++k) {
        app_object_frames *object = &frames->objects[k];
        mote_series_destroy(object->series);
        for (size_t a = 0; a < MOTE_OBJECT_ARRAYS; ++a) free(object->memory[a].data);
        free(object->order.data), free(object->places.data), free(object->speeds.data);
        free(object->groups.data), free(object->grouped.data);
    }
    app_frames_close_surfaces(&frames->surfaces);
    free(frames->objects);
    free(frames->layers);
}
