// SPDX-License-Identifier: MIT
// Fluids in pictures, drawn by their surface.

#include "app.h"

// Rounds that take the grain of single particles away, and leave waves.
enum { SMOOTH = 10 };

static mote_result create(mote_context *context, app_object_frames *object, mote_error *error)
{
    mote_surface_def def = mote_surface_default_def();
    def.spacing = object->size;
    def.smooth = SMOOTH;
    def.weighted = true;
    def.normals = MOTE_SURFACE_NORMALS_ANGLE;
    return mote_surface_create(context, &def, &object->surface, error);
}

mote_result app_surface_layer(mote_context *context, const mote_render_def *picture, app_object_frames *object,
                              mote_liquid *liquid, mote_error *error)
{
    mote_result result = object->surface ? MOTE_OK : create(context, object, error);
    if (result != MOTE_OK) return result;
    const mote_array speeds = mote_array_scalars("speed", MOTE_ARRAY_F32, object->speeds.data);
    mote_surface_cloud cloud =
        mote_surface_cloud_points(mote_points_xyz_f64(object->arrays[0].component[0], object->count));
    const bool is_clear = picture->style == MOTE_STYLE_WATER;
    if (!is_clear) cloud.arrays = &speeds, cloud.array_count = 1;
    result = mote_surface_update(object->surface, &cloud, error);
    if (result != MOTE_OK) return result;
    const mote_surface_view view = mote_surface_get_view(object->surface);
    *liquid = mote_liquid_default();
    if (view.triangle_count == 0) return MOTE_OK;
    liquid->vertices = mote_points_xyz_f64(&view.vertices->x, view.vertex_count);
    liquid->normals = view.normals;
    liquid->triangles = view.triangles;
    liquid->triangle_count = view.triangle_count;
    liquid->is_clear = is_clear;
    if (!is_clear && view.array_count) {
        liquid->scalars = view.arrays[0].component[0];
        liquid->scalar_stride = view.arrays[0].stride;
    }
    return MOTE_OK;
}
