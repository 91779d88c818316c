// SPDX-License-Identifier: MIT
// Pictures of the surfaces that mote surface makes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surfaces.h"

struct app_surface_picture {
    mote_context *context;
    const char *path;
    const app_surface_inputs *inputs;
    mote_render *render;  // NULL before the first picture that shows something
    uint8_t *rgb;
    mote_box seen;
};

static int complain(const mote_error *error, mote_result result)
{
    app_complain("mote surface: the picture: %s", error->text[0] ? error->text : mote_result_text(result));
    return APP_FAILED;
}

int app_surface_picture_open(app_surface_picture **picture, mote_context *context, const char *path,
                             const app_surface_inputs *inputs)
{
    *picture = calloc(1, sizeof **picture);
    if (!*picture) return app_out_of_memory();
    **picture = (app_surface_picture){.context = context, .path = path, .inputs = inputs};
    return APP_DONE;
}

// The first picture places the camera: it shows all vertices, and later pictures show more.
static mote_result create_render(app_surface_picture *self, mote_error *error)
{
    mote_render_def def = mote_render_default_def();
    def.box = self->seen;
    def.style = MOTE_STYLE_WATER;
    def.tank = false;
    mote_result result = mote_render_create(self->context, &def, &self->render, error);
    for (size_t k = 0; k < self->inputs->mesh_count && result == MOTE_OK; ++k)
        result = mote_render_add_mesh(self->render, self->inputs->meshes[k], NULL, NULL, error);
    if (result != MOTE_OK) return result;
    self->rgb = malloc(3 * (size_t)def.width * (size_t)def.height);
    return self->rgb ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
}

char *app_surface_picture_name(const char *path, const char *input)
{
    const char *hole = strstr(path, "{}"), *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    const char *dot = strrchr(name, '.');
    const int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    if (!hole) return app_text("%s", path);
    return app_text("%.*s%.*s%s", (int)(hole - path), path, length, name, hole + 2);
}

// The meshes that have triangles, as liquids: one alone is clear, several are opaque, in colours of their own.
static size_t list_liquids(const mote_surface_view *views, size_t count, mote_liquid liquids[APP_SURFACE_PHASES])
{
    size_t used = 0;
    for (size_t k = 0; k < count; ++k) {
        const mote_surface_view *view = views + k;
        if (view->vertex_count == 0) continue;
        mote_liquid *liquid = liquids + used++;
        *liquid = mote_liquid_default();
        liquid->vertices = mote_points_xyz_f64(&view->vertices->x, view->vertex_count);
        liquid->normals = view->normals;
        liquid->triangles = view->triangles;
        liquid->triangle_count = view->triangle_count;
        liquid->is_clear = count == 1;
        liquid->color = app_group_color(k);
    }
    return used;
}

// The box of the vertices but for the outermost twentieth on each side.
static mote_box inner_box(const mote_surface_view *views, size_t count)
{
    app_spread spread;
    mote_box box = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    size_t vertices = 0;
    for (size_t k = 0; k < count; ++k) vertices += views[k].vertex_count;
    app_spread_begin(&spread, vertices);
    for (size_t k = 0; k < count; ++k)
        for (size_t v = 0; v < views[k].vertex_count; ++v) {
            const mote_vec3 place = views[k].vertices[v];
            app_spread_add(&spread, place.x, place.y, place.z);
        }
    app_spread_inner(&spread, 20, &box);
    return box;
}

// What the camera shows: all, unless a few drops are so far away that the rest would be a dot.
static mote_box box_of(const app_surface_picture *self, const mote_picture *picture, const mote_surface_view *views,
                       size_t count)
{
    static const double most = 4;  // times the extent of the inner box
    const mote_box nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}, inner = inner_box(views, count);
    const mote_box all = mote_render_widen(nothing, picture), before = self->render ? self->seen : nothing;
    if (app_extent_of(all) <= most * app_extent_of(inner)) return mote_render_widen(before, picture);
    return app_join_within(before, inner, 0.5 * app_extent_of(inner), all);
}

int app_surface_picture_draw(app_surface_picture *self, const char *input, double time, const mote_surface_view *views,
                             size_t count)
{
    mote_error error = {0};
    mote_liquid liquids[APP_SURFACE_PHASES];
    mote_picture picture = mote_picture_default();
    picture.liquids = liquids;
    picture.liquid_count = list_liquids(views, count, liquids);
    if (picture.liquid_count == 0) {
        fprintf(stderr, "note: %s: there is no surface, and so no picture\n", input);
        return APP_DONE;
    }
    picture.time = time;
    picture.box = self->seen = box_of(self, &picture, views, count);
    mote_result result = self->render ? MOTE_OK : create_render(self, &error);
    if (result == MOTE_OK) result = mote_render_frame(self->render, &picture, self->rgb, &error);
    char *path = result == MOTE_OK ? app_surface_picture_name(self->path, input) : NULL;
    if (result == MOTE_OK && !path) return app_out_of_memory();
    const mote_render_def def = mote_render_default_def();
    if (path)
        result = mote_png_write(self->context, path, self->rgb, (uint32_t)def.width, (uint32_t)def.height, &error);
    free(path);
    return result == MOTE_OK ? APP_DONE : complain(&error, result);
}

void app_surface_picture_close(app_surface_picture *picture)
{
    if (!picture) return;
    mote_render_destroy(picture->render);
    free(picture->rgb);
    free(picture);
}
