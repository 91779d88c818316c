// SPDX-License-Identifier: MIT
// The renderer: its creation, its solids, and a frame from particles to bytes.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/passes.h"

// Colours of solids, distinct from the blues of the colour map, also for colour-blind people: clay, sand, stone,
// plum.
static const mote_vec3 palette[] = {{0.86, 0.60, 0.42}, {0.88, 0.76, 0.50}, {0.66, 0.65, 0.62}, {0.66, 0.45, 0.55}};
enum { PALETTE_SIZE = sizeof palette / sizeof palette[0] };

static const double standard_gravity = 9.81;

// ---------------------------------------------------------------------------------------------------------- making

// Copies the def's strings, so that the def may be kept.
static mote_result copy_words(mote_render *render, mote_error *error)
{
    mote_render_def *def = &render->def;
    const char **const texts[] = {&def->title, &def->font, &def->scalar_name, &def->scalar_unit};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    size_t bytes = 0;
    for (int i = 0; i < COUNT; ++i) {
        if (!*texts[i]) *texts[i] = "";
        bytes += strlen(*texts[i]) + 1;
    }
    if (mote_buffer_reserve(render->context, &render->words, bytes, 0) != MOTE_OK)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for the texts of a picture");
    char *to = render->words.data;
    for (int i = 0; i < COUNT; ++i) {
        size_t length = strlen(*texts[i]) + 1;
        memcpy(to, *texts[i], length);
        *texts[i] = to;
        to += length;
    }
    return MOTE_OK;
}

static mote_result resolve(mote_render *render, mote_error *error)
{
    mote_render_def *def = &render->def;
    mote_result result = mote_fields_check(mote_render_fields(), def, error);
    if (result != MOTE_OK) return result;
    if (def->dimensions != 2 && def->dimensions != 3)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: dimensions is %d, expected 2 or 3", def->dimensions);
    if (mote_vec3_length(def->up) == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: up is [0, 0, 0], expected a direction");
    result = mote_camera_place(&render->camera, def, error);
    if (result != MOTE_OK) return result;
    if (def->dimensions == 2) def->floor = def->shadows = false;

    mote_vec3 diagonal = mote_vec3_sub(def->box.max, def->box.min);
    if (isnan(def->speed_max)) {
        double height = diagonal.z > 0 ? diagonal.z : mote_vec3_length(diagonal);
        def->speed_max = def->speed_min + mote_plain_number_above(sqrt(2 * standard_gravity * height));
    }
    if (def->speed_max > def->speed_min) return MOTE_OK;
    char min[32], max[32];
    mote_number_text(def->speed_min, min, sizeof min);
    mote_number_text(def->speed_max, max, sizeof max);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: speed_max is %s, expected above speed_min (%s)", max,
                     min);
}

// The sun is above the camera and to its left, so that shadows fall to the right, away from the viewer. In 2D
// nothing casts shadows: the sun is behind the viewer.
static void place_sun(mote_render *render)
{
    const mote_camera *camera = &render->camera;
    mote_vec3 sun = mote_vec3_scale(camera->right, -0.50);
    mote_vec3 level = {camera->back.x, camera->back.y, 0};
    sun = mote_vec3_add_scaled(sun, mote_vec3_unit(level), render->def.dimensions == 2 ? 1.8 : 0.35);
    sun.z += 0.85;
    render->sun = mote_vec3_unit(sun);
    mote_camera_from_light(&render->sun_camera, render->sun, render->middle, 1.1 * render->extent);
}

static double half_diagonal(mote_box box)
{
    return mote_vec3_length(mote_vec3_sub(box.max, box.min)) / 2;
}

// Adapts light, floor and occlusion to the box that the camera frames. The floor's lines are those of the def's box,
// or every second, fourth, … of them where they would be too close: when the camera widens, the visible lines stay
// in place.
static void lay_out(mote_render *render, mote_box box)
{
    render->framed = box;
    render->middle = mote_vec3_sub(mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5), render->camera.origin);
    render->extent = half_diagonal(box);
    render->reach = 0.045 * render->extent;
    render->grid = mote_plain_number_above(half_diagonal(render->def.box) / 6);
    while (render->extent > 12 * render->grid) render->grid *= 2;
    place_sun(render);
}

mote_result mote_render_check(const mote_render_def *def, mote_error *error)
{
    if (!def || def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: the def was not made by mote_render_default_def");
    mote_render unused = {.def = *def};
    return resolve(&unused, error);
}

static mote_result start_drawing(mote_render *render, mote_error *error)
{
    mote_gl_saved saved;
    mote_result result = mote_gl_context_create(&render->gl, error);
    if (result != MOTE_OK) return result;
    if (!mote_gl_context_enter(&render->gl, &saved))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "the OpenGL context cannot be used by this thread");
    snprintf(render->device, sizeof render->device, "%.100s, OpenGL %.50s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    int largest = MOTE_MAX(render->def.width, render->def.height) * render->def.samples;
    if (largest > limit)
        result = mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "picture: %d samples along an axis, OpenGL has at most %d",
                           largest, limit);
    else
        result = mote_passes_create(render, error);
    mote_gl_context_leave(&render->gl, &saved);
    return result;
}

mote_result mote_render_create(mote_context *context, const mote_render_def *def, mote_render **render,
                               mote_error *error)
{
    if (!render) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: nowhere to put the renderer");
    mote_result result = mote_render_check(def, error);
    if (result != MOTE_OK) return result;
    mote_render *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for a renderer");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    made->frames_box = isnan(def->eye.x) && isnan(def->target.x);
    result = resolve(made, error);
    if (result == MOTE_OK) result = copy_words(made, error);
    if (result == MOTE_OK && made->def.text) result = mote_text_create(context, made->def.font, &made->text, error);
    if (result == MOTE_OK) {
        lay_out(made, made->def.box);
        result = start_drawing(made, error);
    }
    if (result == MOTE_OK)
        *render = made;
    else
        mote_render_destroy(made);
    return result;
}

void mote_render_destroy(mote_render *render)
{
    if (!render) return;
    mote_gl_saved saved;
    if (render->gl.context && mote_gl_context_enter(&render->gl, &saved)) {
        mote_passes_destroy(render);
        mote_gl_context_leave(&render->gl, &saved);
    }
    mote_gl_context_destroy(&render->gl);
    mote_text_destroy(render->text);
    mote_context *context = render->context;
    mote_buffer_release(context, &render->words);
    mote_buffer_release(context, &render->solids);
    mote_buffer_release(context, &render->walls);
    mote_release(context, render, sizeof *render);
}

mote_render_def mote_render_resolved_def(const mote_render *render)
{
    if (!render) return (mote_render_def){0};
    return render->def;
}

const char *mote_render_device(const mote_render *render)
{
    return render ? render->device : "";
}

bool mote_render_has_text(const mote_render *render)
{
    if (!render) return false;
    return render->text != NULL;
}

// ---------------------------------------------------------------------------------------------------------- solids

static mote_result upload_solid(mote_render *render, mote_solid *solid, const mote_mesh *mesh, mote_error *error)
{
    mote_gl_saved saved;
    render->still_is_drawn = false;
    if (!mote_gl_context_enter(&render->gl, &saved))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "the OpenGL context cannot be used by this thread");
    mote_result result = mote_solid_upload(solid, render->context, render->camera.origin, mesh, error);
    mote_gl_context_leave(&render->gl, &saved);
    return result;
}

// Room for one more solid, and for its two walls if it is of glass.
static mote_result reserve_solid(mote_render *render)
{
    const size_t held = render->solid_count * sizeof(mote_solid), count = render->solid_count + 1;
    mote_result result =
        mote_buffer_reserve(render->context, &render->solids, mote_bytes(count, sizeof(mote_solid)), held);
    if (result != MOTE_OK) return result;
    return mote_buffer_reserve(render->context, &render->walls, mote_bytes(2 * count, sizeof(mote_wall)), 0);
}

mote_result mote_render_add_mesh(mote_render *render, const mote_mesh *mesh, const mote_look_def *look, uint32_t *index,
                                 mote_error *error)
{
    if (!render || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "render or mesh is NULL");
    mote_look_def own = look ? *look : mote_look_default_def();
    mote_result result = mote_fields_check(mote_look_fields(), &own, error);
    if (result != MOTE_OK) return result;
    if (isnan(own.color.x)) own.color = palette[render->solid_count % PALETTE_SIZE];
    if (reserve_solid(render) != MOTE_OK)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for one more mesh");
    mote_solid *solid = (mote_solid *)render->solids.data + render->solid_count;
    *solid = (mote_solid){.look = own};
    render->solid_count += 1;
    result = upload_solid(render, solid, mesh, error);
    if (result == MOTE_OK) {
        if (index) *index = (uint32_t)(render->solid_count - 1);
    } else {
        mote_gl_saved saved;
        if (mote_gl_context_enter(&render->gl, &saved)) {
            mote_solid_destroy(solid);
            mote_gl_context_leave(&render->gl, &saved);
        }
        render->solid_count -= 1;
    }
    return result;
}

mote_result mote_render_update_mesh(mote_render *render, uint32_t index, const mote_mesh *mesh, mote_error *error)
{
    if (!render || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "render or mesh is NULL");
    if (index >= render->solid_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, index, "there is no mesh %u, expected below %zu", index,
                         render->solid_count);
    return upload_solid(render, (mote_solid *)render->solids.data + index, mesh, error);
}

// ----------------------------------------------------------------------------------------------------------- frames

// OpenGL stores rows from the bottom up.
static void turn_rows(const mote_image *image)
{
    size_t row_bytes = 3 * (size_t)image->width;
    uint8_t piece[1024];
    for (int y = 0; y < image->height / 2; ++y) {
        uint8_t *above = image->rgb + (size_t)y * row_bytes;
        uint8_t *below = image->rgb + (size_t)(image->height - 1 - y) * row_bytes;
        for (size_t at = 0; at < row_bytes; at += sizeof piece) {
            size_t bytes = MOTE_MIN(row_bytes - at, sizeof piece);
            memcpy(piece, above + at, bytes);
            memcpy(above + at, below + at, bytes);
            memcpy(below + at, piece, bytes);
        }
    }
}

// How far a side of the framed box lies beyond that of the def's box, if centres reach `beyond` it: farther by the
// spheres' radius, which is added gradually so that the picture does not jump when the first centre gets there.
static double room_beyond(double beyond, double radius)
{
    return beyond > 0 ? beyond + (radius > 0 ? MOTE_MIN(beyond, radius) : 0) : 0;
}

static mote_box box_to_frame(const mote_render *render, const mote_picture *picture, double radius)
{
    mote_box box = render->def.box;
    const mote_box more = picture->box;
    if (isnan(more.min.x)) return box;
    box.max.x += room_beyond(more.max.x - box.max.x, radius), box.min.x -= room_beyond(box.min.x - more.min.x, radius);
    box.max.y += room_beyond(more.max.y - box.max.y, radius), box.min.y -= room_beyond(box.min.y - more.min.y, radius);
    box.max.z += room_beyond(more.max.z - box.max.z, radius), box.min.z -= room_beyond(box.min.z - more.min.z, radius);
    if (render->def.dimensions == 2) box.min.y = box.max.y = 0;
    return box;
}

// Makes the camera frame the def's box and what this picture adds to it.
static mote_result frame_box(mote_render *render, const mote_picture *picture, double radius, mote_error *error)
{
    if (!render->frames_box) return MOTE_OK;
    const mote_box box = box_to_frame(render, picture, radius);
    if (memcmp(&box, &render->framed, sizeof box) == 0) return MOTE_OK;
    if (!mote_camera_can_frame(box))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: the box to be framed is empty or not finite");
    mote_camera_move(&render->camera, &render->def, box);
    lay_out(render, box);
    mote_passes_aim(render);
    return MOTE_OK;
}

static mote_result draw(mote_render *render, const mote_picture *picture, uint8_t *rgb, mote_error *error)
{
    mote_result result =
        mote_spheres_upload(&render->spheres, render->context, &render->camera, &render->def, picture, error);
    if (result == MOTE_OK)
        result =
            mote_liquids_upload(&render->liquids, render->context, &render->camera, &render->def, picture, error);
    if (result != MOTE_OK) return result;
    mote_passes_draw(render);
    glBindFramebuffer(GL_FRAMEBUFFER, render->to_picture);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, render->def.width, render->def.height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    return mote_gl_check("drawing a picture", error);
}

static mote_result check_layers(const mote_render_def *def, const mote_picture *picture, double *largest,
                                mote_error *error)
{
    if (!picture->layers && picture->layer_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: the layers are NULL");
    for (size_t k = 0; k < picture->layer_count; ++k) {
        const mote_layer *layer = &picture->layers[k];
        const double radius = mote_layer_radius(def, layer);
        mote_result result = mote_points_check(layer->points, "points", error);
        if (result != MOTE_OK) return result;
        if (layer->points.count && !(radius > 0 && isfinite(radius)))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "picture: the particles' radius is not a number above 0");
        if (layer->points.count) *largest = MOTE_MAX(*largest, radius);
    }
    return MOTE_OK;
}

mote_result mote_render_frame(mote_render *render, const mote_picture *picture, uint8_t *rgb, mote_error *error)
{
    if (!render || !picture || !rgb) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "render, picture or rgb is NULL");
    double radius = 0;  // of the largest spheres
    mote_result result = check_layers(&render->def, picture, &radius, error);
    if (result == MOTE_OK) result = mote_liquids_check(picture, error);
    if (result != MOTE_OK) return result;

    mote_gl_saved saved;
    if (!mote_gl_context_enter(&render->gl, &saved))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "the OpenGL context cannot be used by this thread");
    result = frame_box(render, picture, radius, error);
    if (result == MOTE_OK) result = draw(render, picture, rgb, error);
    mote_gl_context_leave(&render->gl, &saved);
    if (result != MOTE_OK) return result;

    mote_image image = {rgb, render->def.width, render->def.height};
    turn_rows(&image);
    return render->text ? mote_overlay_draw(render->text, &image, &render->def, picture, error) : MOTE_OK;
}
