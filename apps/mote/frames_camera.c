// SPDX-License-Identifier: MIT
// What the camera of a run shows, where the scene leaves that open.
//
// A camera that the scene does not set widens frame by frame with the extent of the particles. To see everything from
// the start it would have to know the future: how far water splashes, or how long a fall lasts. The largest possible
// extent is so much larger than the real one that pictures would show dots. A camera that followed the particles would
// move with every splash, and would not show a fall, since nothing in the picture stays in place. And one that showed
// every drop would draw far back for a few that fly high: of each group of particles the outermost on each side do not
// move it.

#include <math.h>

#include "app.h"

enum { ONE_IN = 200 };               // of a group's particles, on each side
static const double margin = 1.0 / 16;  // of the extent of the others, that is shown, too

static mote_box join(mote_box a, mote_box b)
{
    return (mote_box){{fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)},
                      {fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z)}};
}

// Adds what is shown of a group of an object's particles; of those that never move all are.
static void add_group(const app_object_frames *object, size_t group, mote_box *shown)
{
    const double *places = object->arrays[0].component[0];
    const uint8_t *groups = object->group_count ? object->groups.data : NULL;
    const size_t part = object->is_fixed ? SIZE_MAX : ONE_IN;
    app_spread spread;
    mote_box inner, all = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    size_t count = 0;
    for (size_t i = 0; i < object->count; ++i) count += !groups || groups[i] == group;
    app_spread_begin(&spread, count);
    for (size_t i = 0; i < object->count; ++i) {
        if (groups && groups[i] != group) continue;
        const mote_vec3 at = {places[3 * i], places[3 * i + 1], places[3 * i + 2]};
        app_spread_add(&spread, at.x, at.y, at.z);
        all = join(all, (mote_box){at, at});
    }
    if (!app_spread_inner(&spread, part, &inner)) return;
    *shown = object->is_fixed ? join(*shown, all) : app_join_within(*shown, inner, margin * app_extent_of(inner), all);
}

mote_box app_frames_widen(const app_frames *frames, const mote_picture *picture)
{
    mote_box shown = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    for (size_t k = 0; k < frames->object_count; ++k) {
        const app_object_frames *object = frames->objects + k;
        if (object->size <= 0) continue;
        for (size_t g = 0; g < (object->group_count ? object->group_count : 1); ++g) add_group(object, g, &shown);
    }
    // Surfaces reach a little beyond their particles: no farther than there are any.
    const mote_box nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}, all = mote_render_widen(nothing, picture);
    if (isnan(shown.min.x) || isnan(all.min.x)) return frames->seen;
    return app_join_within(frames->seen, shown, 0, all);
}
