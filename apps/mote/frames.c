// Frames: the particles and grains of a moment as files for ParaView and as a picture.

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

static int write_boundary(const app_frames *frames)
{
    const double *positions, *volumes;
    size_t count;
    mote_fluid_get_walls(mote_simulation_fluid(frames->file->simulation), &positions, &volumes, &count);
    mote_array volume = mote_array_scalars("volume", MOTE_ARRAY_F64, volumes);
    mote_vtp data = {.points = mote_points_xyz_f64(positions, count), .arrays = &volume, .array_count = 1, .time = NAN};
    char *path = app_text("%s/boundary.vtp", frames->folder);
    if (!path) return app_out_of_memory();
    mote_error error = {0};
    mote_result result = mote_vtp_write(frames->file->context, path, &data, &error);
    free(path);
    return result == MOTE_OK ? APP_DONE : complain_output(&error, result);
}

static int write_mesh(const app_frames *frames, size_t i)
{
    const mote_mesh *mesh = frames->file->meshes[i];
    const char *name = frames->file->settings->simulation.solids[i].name;
    char *path = app_text("%s/mesh_%s.ply", frames->folder, name);
    mote_vec3 *normals = malloc(mesh->vertex_count * sizeof *normals);
    int status = path && normals ? APP_DONE : app_out_of_memory();
    if (status == APP_DONE) {
        mote_mesh_vertex_normals(mesh, normals);
        mote_error error = {0};
        mote_result result = mote_ply_write(frames->file->context, path, mesh, normals, &error);
        if (result != MOTE_OK) status = complain_output(&error, result);
    }
    free(normals);
    free(path);
    return status;
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
    const mote_simulation_def *def = &file->settings->simulation;
    for (size_t i = 0; i < def->solid_count && result == MOTE_OK; ++i)
        result = mote_render_add_mesh(frames->render, file->meshes[i], &def->solids[i].look, NULL, error);
    if (result != MOTE_OK) return result;
    frames->picture = mote_render_resolved_def(frames->render);
    frames->rgb = malloc(3 * (size_t)frames->picture.width * (size_t)frames->picture.height);
    return frames->rgb ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

// Pictures are extra: where they cannot be drawn the run goes on without. Settings that are wrong are bad input.
static int open_pictures(app_frames *frames, bool quiet)
{
    mote_error error = {0};
    mote_result result = create_render(frames, &error);
    if (result == MOTE_OK) {
        if (!quiet && !mote_render_has_text(frames->render))
            printf("note: no font was found, pictures have no title, time and legend (Debian: fonts-dejavu-core)\n");
        return APP_DONE;
    }
    drop_pictures(frames);
    if (result == MOTE_ERROR_ARGUMENT || result == MOTE_ERROR_FILE)  // a font that the scene names
        return app_scene_complain(frames->file, &error);
    if (!quiet) printf("note: no pictures: %s\n", error.text[0] ? error.text : mote_result_text(result));
    return APP_DONE;
}

// A camera that the scene leaves open widens with what happens, frame by frame. One that saw the whole way from the
// start would have to know it: how far water splashes, or for how long nothing stops a fall. All that could happen is
// so much more than what does that pictures would show dots. One that followed what moves would swing with every
// splash, and show no fall for want of anything that stays.
static void draw(app_frames *frames, app_record *record)
{
    mote_picture picture = mote_picture_default();
    picture.points = mote_points_xyz_f64(frames->positions, frames->count + frames->grain_count);
    picture.scalars = frames->speeds;
    picture.scalar_stride = sizeof *frames->speeds;
    picture.radius = 0.5 * frames->spacing;  // of grains alone that is their size
    picture.time = record->time;
    picture.label = frames->video.words;
    picture.box = frames->seen = mote_render_widen(frames->seen, &picture);

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

static int compare_ids(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

// Makes room for the particles, which stay the same for the whole run, and gives each its row: by id.
static bool allocate_particles(app_frames *frames, const mote_fluid_view *view)
{
    const mote_simulation_def *def = &frames->file->settings->simulation;
    size_t room = view->count + (def->has_grains ? (size_t)def->grains.count : 0);
    room += room == 0;
    frames->count = view->count;
    frames->positions = calloc(room, 3 * sizeof *frames->positions);
    frames->velocities = calloc(room, 3 * sizeof *frames->velocities);
    frames->densities = calloc(room, sizeof *frames->densities);
    frames->pressures = calloc(room, sizeof *frames->pressures);
    frames->speeds = calloc(room, sizeof *frames->speeds);
    frames->ids = calloc(room, sizeof *frames->ids);
    if (!frames->positions || !frames->velocities || !frames->densities || !frames->pressures || !frames->speeds ||
        !frames->ids)
        return false;
    if (view->count == 0) return true;

    memcpy(frames->ids, view->id, view->count * sizeof *frames->ids);
    qsort(frames->ids, view->count, sizeof *frames->ids, compare_ids);
    frames->row_count = (size_t)frames->ids[view->count - 1] + 1;
    frames->rows = calloc(frames->row_count, sizeof *frames->rows);
    for (size_t row = 0; frames->rows && row < view->count; ++row) frames->rows[frames->ids[row]] = (uint32_t)row;
    return frames->rows != NULL;
}

// Copies the particles into their rows.
static bool gather(app_frames *frames, const mote_fluid_view *view, app_record *record)
{
    if (view->count != frames->count) return false;
    record->fast = 0;
    for (size_t i = 0; i < view->count; ++i) {
        if (view->id[i] >= frames->row_count) return false;
        size_t row = frames->rows[view->id[i]];
        float *velocity = frames->velocities + 3 * row;
        double *position = frames->positions + 3 * row;
        position[0] = view->x[i], position[1] = view->y[i], position[2] = view->z[i];
        velocity[0] = view->vx[i], velocity[1] = view->vy[i], velocity[2] = view->vz[i];
        frames->densities[row] = view->density[i];
        frames->pressures[row] = view->pressure[i];
        frames->speeds[row] = sqrtf(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
        if ((double)frames->speeds[row] > fast_ratio * frames->reference_speed) ++record->fast;
    }
    return true;
}

static mote_result write_particles(const app_frames *frames, const app_record *record, mote_error *error)
{
    const mote_array arrays[] = {
        mote_array_scalars("id", MOTE_ARRAY_U64, frames->ids),
        mote_array_tuples("velocity", MOTE_ARRAY_F32, frames->velocities, 3),
        mote_array_scalars("density", MOTE_ARRAY_F32, frames->densities),
        mote_array_scalars("pressure", MOTE_ARRAY_F32, frames->pressures),
    };
    mote_vtp data = {.points = mote_points_xyz_f64(frames->positions, frames->count),
                     .arrays = arrays,
                     .array_count = sizeof arrays / sizeof arrays[0],
                     .time = record->time};
    char *path = app_text("%s/particles_%04d.vtp", frames->folder, record->frame);
    mote_result result = path ? mote_vtp_write(frames->file->context, path, &data, error) : MOTE_ERROR_OUT_OF_MEMORY;
    free(path);
    return result;
}

// ----------------------------------------------------------------------------------------------------- grains

// Copies the grains behind the particles, for pictures.
static void gather_grains(app_frames *frames, const mote_grains_view *view)
{
    memcpy(frames->positions + 3 * frames->count, view->positions, 3 * view->count * sizeof *view->positions);
    for (size_t i = 0; i < view->count; ++i) {
        const double *v = view->velocities + 3 * i;
        frames->speeds[frames->count + i] = (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    frames->grain_count = view->count;
}

static mote_result write_grains(app_frames *frames, app_record *record, mote_error *error)
{
    const mote_grains *grains = mote_simulation_grains(frames->file->simulation);
    if (!grains) return MOTE_OK;
    const mote_grains_view view = mote_grains_get_view(grains);
    gather_grains(frames, &view);
    record->grains = view.count;
    record->grain_bounces = mote_grains_get_stats(grains).bounces;
    const mote_array velocity = mote_array_tuples("velocity", MOTE_ARRAY_F64, view.velocities, 3);
    mote_vtp data = {.points = mote_points_xyz_f64(view.positions, view.count), .arrays = &velocity,
                     .array_count = 1, .time = record->time};
    char name[40];
    snprintf(name, sizeof name, "grains_%04d.vtp", record->frame);
    char *path = app_text("%s/%s", frames->folder, name);
    mote_result result = path ? mote_vtp_write(frames->file->context, path, &data, error) : MOTE_ERROR_OUT_OF_MEMORY;
    free(path);
    return result == MOTE_OK ? mote_series_add(frames->grain_series, record->time, name, error) : result;
}

// ----------------------------------------------------------------------------------------------------- frames

int app_frames_open(app_frames *frames, const app_scene_file *file, const char *folder, const app_derived *derived,
                    bool pictures, bool quiet)
{
    *frames = (app_frames){.file = file, .folder = folder, .reference_speed = derived->reference_speed};
    frames->spacing = file->settings->simulation.fluid.spacing;
    frames->picture = file->picture;
    frames->video = app_video_of(file->settings);
    frames->seen = file->content;
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(mote_simulation_fluid(file->simulation), &view);
    if (result == MOTE_OK && !allocate_particles(frames, &view)) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result != MOTE_OK) {
        app_complain("mote run: the frames: %s", mote_result_text(result));
        return APP_FAILED;
    }
    return pictures ? open_pictures(frames, quiet) : APP_DONE;
}

// Grains alone meet the meshes themselves.
bool app_frames_have_fluid(const app_frames *frames)
{
    return frames->count > 0 || !frames->file->settings->simulation.has_grains;
}

int app_frames_begin(app_frames *frames)
{
    const bool has_grains = frames->file->settings->simulation.has_grains, has_fluid = app_frames_have_fluid(frames);
    int status = has_fluid ? write_boundary(frames) : APP_DONE;
    for (size_t i = 0; i < frames->file->settings->simulation.solid_count && status == APP_DONE; ++i)
        status = write_mesh(frames, i);
    if (status == APP_DONE && has_fluid) status = create_series(frames, "particles", &frames->series);
    if (status == APP_DONE && has_grains)
        status = create_series(frames, "grains", &frames->grain_series);
    return status;
}

mote_result app_frames_write(app_frames *frames, app_record *record, mote_error *error)
{
    mote_fluid *fluid = mote_simulation_fluid(frames->file->simulation);
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view);
    if (result == MOTE_OK) result = mote_fluid_get_totals(fluid, &record->totals);
    record->steps = mote_fluid_get_counters(fluid).steps;
    if (result == MOTE_OK && !gather(frames, &view, record)) result = MOTE_ERROR_STATE;
    if (result == MOTE_OK && frames->series) result = write_particles(frames, record, error);
    if (result == MOTE_OK) result = write_grains(frames, record, error);
    if (result == MOTE_OK && frames->render) draw(frames, record);
    if (result != MOTE_OK || !frames->series) return result;
    char name[40];
    snprintf(name, sizeof name, "particles_%04d.vtp", record->frame);
    return mote_series_add(frames->series, record->time, name, error);  // last: it never names what is not there
}

mote_result app_frames_flush(app_frames *frames, mote_error *error)
{
    mote_result result = frames->series ? mote_series_flush(frames->series, error) : MOTE_OK;
    if (result == MOTE_OK && frames->grain_series) result = mote_series_flush(frames->grain_series, error);
    return result;
}

void app_frames_close(app_frames *frames)
{
    drop_pictures(frames);
    mote_series_destroy(frames->series);
    mote_series_destroy(frames->grain_series);
    free(frames->positions);
    free(frames->velocities);
    free(frames->densities);
    free(frames->pressures);
    free(frames->speeds);
    free(frames->ids);
    free(frames->rows);
}
