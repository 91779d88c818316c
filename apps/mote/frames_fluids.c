// SPDX-License-Identifier: MIT
// Surfaces of several fluids of a run: a mesh of each for pictures, and all in one for a file, with the number of its
// fluid at each vertex.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

size_t app_fluids_of(const app_object_surface *surface)
{
    return surface->surface && surface->object->group_count ? surface->object->group_count : 1;
}

mote_surface_view app_fluid_view(const app_object_surface *surface, size_t fluid)
{
    return surface->object->group_count ? mote_surface_get_phase_view(surface->surface, (int32_t)fluid) : surface->view;
}

// A gas lets one look through it: fluids that weigh less than a fiftieth of the heaviest one are not drawn.
bool app_fluid_is_gas(const mote_simulation_def *def, size_t fluid)
{
    double most = 0;
    for (size_t k = 0; k < def->fluid_count; ++k) most = fmax(most, def->fluids[k].phase.rest_density);
    return fluid < def->fluid_count && 50 * def->fluids[fluid].phase.rest_density < most;
}

// In water the first fluid that is no gas is clear, unless it has a colour; the others are seen through it.
bool app_fluid_is_clear(const mote_simulation_def *def, size_t fluid)
{
    if (def->fluid_count == 0) return true;
    for (size_t k = 0; k < fluid; ++k)
        if (!app_fluid_is_gas(def, k)) return false;
    return isnan(def->fluids[fluid].phase.color.x);
}

// ------------------------------------------------------------------------------------------------- all in one file

// Room for vertices with their normals, arrays and fluids, and for triangles.
static bool reserve(app_surface_join *join, size_t vertices, size_t triangles, size_t columns)
{
    join->vertices = app_memory_reserve(&join->memory[0], (vertices + 1) * sizeof *join->vertices);
    join->normals = app_memory_reserve(&join->memory[1], (vertices + 1) * sizeof *join->normals);
    join->triangles = app_memory_reserve(&join->memory[2], (triangles + 1) * sizeof(uint32_t[3]));
    join->values = app_memory_reserve(&join->memory[3], (vertices + 1) * (columns + 1) * sizeof *join->values);
    join->fluids = app_memory_reserve(&join->memory[4], vertices + 1);
    return join->vertices && join->normals && join->triangles && join->values && join->fluids;
}

// The arrays of a view are packed: each behind those before it.
static void add_arrays(const mote_surface_view *view, size_t begin, size_t vertices, float *values)
{
    for (size_t a = 0; a < view->array_count; ++a) {
        const size_t components = (size_t)view->arrays[a].components;
        memcpy(values + begin * components, view->arrays[a].component[0],
               view->vertex_count * components * sizeof *values);
        values += vertices * components;
    }
}

bool app_fluids_join(app_object_surface *surface)
{
    app_surface_join *join = &surface->join;
    const size_t fluids = app_fluids_of(surface);
    size_t vertices = 0, triangles = 0, columns = 0;
    const mote_surface_view first = app_fluid_view(surface, 0);
    for (size_t a = 0; a < first.array_count; ++a) columns += (size_t)first.arrays[a].components;
    for (size_t k = 0; k < fluids; ++k) {
        const mote_surface_view view = app_fluid_view(surface, k);
        vertices += view.vertex_count, triangles += view.triangle_count;
    }
    if (vertices > UINT32_MAX || !reserve(join, vertices, triangles, columns)) return false;
    size_t begin = 0, corner = 0;
    for (size_t k = 0; k < fluids; ++k) {
        const mote_surface_view view = app_fluid_view(surface, k);
        if (view.vertex_count == 0) continue;
        memcpy(join->vertices + begin, view.vertices, view.vertex_count * sizeof *view.vertices);
        memcpy(join->normals + begin, view.normals, view.vertex_count * sizeof *view.normals);
        memset(join->fluids + begin, (int)k, view.vertex_count);
        add_arrays(&view, begin, vertices, join->values);
        for (size_t c = 0; c < 3 * view.triangle_count; ++c)
            join->triangles[corner++] = (uint32_t)begin + view.triangles[c];
        begin += view.vertex_count;
    }
    float *values = join->values;
    for (size_t a = 0; a < first.array_count; ++a) {
        join->arrays[a] =
            mote_array_tuples(first.arrays[a].name, MOTE_ARRAY_F32, values, first.arrays[a].components);
        join->arrays[a].unit = first.arrays[a].unit;
        values += vertices * (size_t)first.arrays[a].components;
    }
    join->arrays[first.array_count] = mote_array_scalars("phase", MOTE_ARRAY_U8, join->fluids);
    surface->view = (mote_surface_view){.vertices = join->vertices,
                                        .triangles = join->triangles,
                                        .normals = join->normals,
                                        .arrays = join->arrays,
                                        .vertex_count = vertices,
                                        .triangle_count = triangles,
                                        .array_count = first.array_count + 1};
    return true;
}

void app_fluids_close(app_surface_join *join)
{
    for (size_t k = 0; k < sizeof join->memory / sizeof *join->memory; ++k) free(join->memory[k].data);
}
