// SPDX-License-Identifier: MIT
// The layers of a picture of particles: one of each object, and of an object whose particles are told apart, as those
// of a fluid's phases, one of each group in a colour of its own.

#include <math.h>
#include <string.h>

#include "app.h"

mote_vec3 app_group_color(size_t group)
{
    static const mote_vec3 colors[] = {{0.30, 0.55, 0.80}, {0.90, 0.62, 0.20}, {0.40, 0.68, 0.42},
                                       {0.76, 0.40, 0.56}, {0.55, 0.50, 0.80}, {0.62, 0.60, 0.38}};
    return colors[group % (sizeof colors / sizeof *colors)];
}

size_t app_layers_of(const mote_object_view *view)
{
    return view->group_count ? view->group_count : 1;
}

bool app_layers_gather(app_object_frames *object, const mote_object_view *view, const uint32_t *order)
{
    object->group_count = view->group_count;
    if (view->group_count == 0) return true;
    uint8_t *groups = app_memory_reserve(&object->groups, view->count + 1);
    if (!groups) return false;
    for (size_t i = 0; i < view->count; ++i) groups[i] = view->groups[order[i]];
    for (size_t k = 0; k < view->group_count; ++k)
        object->group_colors[k] = isnan(view->group_colors[k].x) ? app_group_color(k) : view->group_colors[k];
    return true;
}

static mote_layer *next_layer(app_frames *frames, const app_object_frames *object)
{
    mote_layer *layer = &frames->layers[frames->layer_count++];
    *layer = mote_layer_default();
    layer->radius = 0.5 * object->size;
    return layer;
}

// Brings the places of each group together, and makes a layer of them.
static bool add_groups(app_frames *frames, app_object_frames *object)
{
    const double *places = object->arrays[0].component[0];
    const uint8_t *groups = object->groups.data;
    double *grouped = app_memory_reserve(&object->grouped, 3 * (object->count + 1) * sizeof *grouped);
    if (!grouped) return false;
    size_t end = 0;
    for (size_t k = 0; k < object->group_count; ++k) {
        const size_t begin = end;
        for (size_t i = 0; i < object->count; ++i)
            if (groups[i] == k) memcpy(grouped + 3 * end++, places + 3 * i, 3 * sizeof *places);
        mote_layer *layer = next_layer(frames, object);
        layer->points = mote_points_xyz_f64(grouped + 3 * begin, end - begin);
        layer->color = object->group_colors[k];
    }
    return true;
}

bool app_layers_add(app_frames *frames, app_object_frames *object)
{
    if (object->group_count) return add_groups(frames, object);
    mote_layer *layer = next_layer(frames, object);
    layer->points = mote_points_xyz_f64(object->arrays[0].component[0], object->count);
    layer->scalars = object->speeds.data;
    layer->color = object->color;
    return true;
}
