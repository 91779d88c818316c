// SPDX-License-Identifier: MIT
// Outlines of particles in 2D, as meshes with lines: those of runs lie in the plane y = 0, with z up.

#include <math.h>
#include <stdlib.h>

#include "app.h"

void app_outline_close(app_outline *outline)
{
    mote_outline_destroy(outline->outline);
    free(outline->vertices);
    *outline = (app_outline){0};
}

static mote_points flatten(mote_points points, bool is_upright)
{
    if (is_upright) points.axis[1] = points.axis[2];
    points.dimensions = 2;
    return points;
}

// Planes in the coordinates of the plane; those along it cut nothing.
static size_t flatten_planes(const mote_surface_cloud *cloud, bool is_upright, mote_surface_plane *to)
{
    size_t count = 0;
    for (size_t k = 0; k < cloud->plane_count; ++k) {
        const mote_vec3 p = cloud->planes[k].point, n = cloud->planes[k].normal;
        const mote_surface_plane flat = is_upright ? (mote_surface_plane){{p.x, p.z, 0}, {n.x, n.z, 0}}
                                                   : (mote_surface_plane){{p.x, p.y, 0}, {n.x, n.y, 0}};
        if (fabs(flat.normal.x) + fabs(flat.normal.y) > 0) to[count++] = flat;
    }
    return count;
}

mote_result app_outline_make(app_outline *outline, mote_context *context, const mote_surface_def *def,
                             const mote_surface_cloud *cloud, bool is_upright, mote_surface_view *view,
                             mote_error *error)
{
    app_outline_close(outline);
    mote_surface_plane *planes = malloc((cloud->plane_count + 1) * sizeof *planes);
    if (!planes) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_surface_cloud flat = mote_surface_cloud_points(flatten(cloud->points, is_upright));
    flat.fill = flatten(cloud->fill, is_upright);
    flat.planes = planes;
    flat.plane_count = flatten_planes(cloud, is_upright, planes);
    mote_result result = mote_outline_create(context, def, &flat, &outline->outline, error);
    free(planes);
    if (result != MOTE_OK) return result;
    const mote_outline_view made = mote_outline_get_view(outline->outline);
    outline->vertices = malloc((made.vertex_count + 1) * sizeof *outline->vertices);
    if (!outline->vertices) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t v = 0; v < made.vertex_count; ++v) {
        const mote_vec3 at = made.vertices[v];
        outline->vertices[v] = is_upright ? (mote_vec3){at.x, 0, at.y} : at;
    }
    outline->lines = made.segments;
    outline->line_count = made.segment_count;
    *view = (mote_surface_view){.vertices = outline->vertices,
                                .triangles = made.triangles,
                                .vertex_count = made.vertex_count,
                                .triangle_count = made.triangle_count};
    view->stats.area = made.stats.area;
    return MOTE_OK;
}
