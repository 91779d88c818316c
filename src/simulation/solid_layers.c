// SPDX-License-Identifier: MIT
// Layers of wall particles inside a body, as thick as the kernel's support: what solvers need whose walls take their
// state from the fluid (Adami et al. 2012). One layer of samples on the surface lacks the volume behind it.
//
// The box around the body is cut into cubes of one spacing. A cube that lies within the body gives a wall particle in
// its middle; of a cube that the surface cuts, the particle has the volume of the part within the body, and is at that
// part's centre of mass. So a box on the lattice has the layers of a tank, and other bodies are as smooth as a spacing
// allows. A body in which no cube's middle is about a spacing deep is too thin for that: fluid on its two sides would
// see no wall, and it keeps samples of its surface, whose volumes make one layer do for all.

#include <math.h>
#include <string.h>

#include "simulation/internal.h"

static const double thick = 0.9;  // the depth from which a body is thick, in spacings

// A cube's wall particle. Its volume is in units of a cube; 0: there is none.
typedef struct layer_cell {
    mote_vec3 place;
    double volume, depth;
} layer_cell;

typedef struct layer_task {
    const mote_hits *hits;
    int dimensions;
    double spacing, support;
    mote_vec3 corner;    // of the box [m]
    size_t nx, ny, slab;  // cubes along x and y; which layer of cubes along z
    layer_cell *cells;   // of the slab
} layer_task;

static double distance_of(const void *body, mote_vec3 place, double reach)
{
    const mote_hits *hits = body;
    mote_closest closest;
    bool is_inside = false;
    mote_hits_closest(hits, place, reach, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle != UINT32_MAX) return closest.distance;
    mote_hits_is_inside(hits, place, &is_inside, NULL);
    return is_inside ? -HUGE_VAL : HUGE_VAL;
}

static void fill_cells(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const layer_task *task = data;
    const double d = task->spacing, half_diagonal = 0.5 * sqrt(3) * d;
    const double slack = 1e-9 * d;  // of a cube whose corner is on the surface but for rounding
    for (size_t i = begin; i < end; ++i) {
        layer_cell *cell = &task->cells[i];
        const mote_vec3 middle = {task->corner.x + d * ((double)(i % task->nx) + 0.5),
                                  task->corner.y + d * ((double)(i / task->nx) + 0.5),
                                  task->corner.z + d * ((double)task->slab + 0.5)};
        *cell = (layer_cell){middle, 0, -HUGE_VAL};
        mote_closest closest;
        mote_hits_closest(task->hits, middle, task->support + slack, MOTE_SIGN_NORMAL, &closest, NULL);
        if (closest.triangle == UINT32_MAX) continue;  // far outside, or deeper than any kernel reaches
        cell->depth = -closest.distance;
        if (cell->depth >= half_diagonal)
            cell->volume = 1;
        else if (cell->depth > -half_diagonal)
            cell->volume = mote_cube_share(distance_of, task->hits, middle, d, task->dimensions, &cell->place);
    }
}

static mote_result add_cell(mote_context *context, const layer_cell *cell, point_list *walls)
{
    const size_t used = walls->count, bytes = used * 3 * sizeof(double);
    if (bytes + sizeof cell->place > walls->positions.bytes) {
        const size_t room = MOTE_MAX(2 * used, (size_t)1024);
        const size_t wanted = mote_bytes(room, 3 * sizeof(double));
        mote_result result = mote_buffer_reserve(context, &walls->positions, wanted, bytes);
        if (result == MOTE_OK)
            result = mote_buffer_reserve(context, &walls->volumes, mote_bytes(room, sizeof(double)),
                                         used * sizeof(double));
        if (result != MOTE_OK) return result;
    }
    memcpy((double *)walls->positions.data + 3 * used, &cell->place, sizeof cell->place);
    ((double *)walls->volumes.data)[used] = cell->volume;
    walls->count = used + 1;
    return MOTE_OK;
}

// The cubes that it takes to cover a length.
static size_t cubes_over(double length, double spacing)
{
    return (size_t)MOTE_MIN(MOTE_MAX(ceil(length / spacing - 1e-9), 1.0), 0x1p31);
}

bool mote_solid_may_have_walls(const mote_simulation *simulation, const wall_request *request, const point_list *walls,
                               mote_vec3 place)
{
    const bool *through = walls->through;
    if (!through[0] && !through[1] && !through[2]) return mote_obstacles_contain(simulation, place);
    if (!request->tank) return true;
    const mote_tank_def open = mote_tank_open_along(request->tank, walls->through);
    return mote_tank_contains(&open, request->dimensions, place);
}

mote_result mote_solid_make_layers(mote_simulation *simulation, const mote_hits *hits, mote_box box,
                                   const wall_request *request, point_list *walls, bool *is_thick)
{
    const double d = request->spacing;
    if (request->dimensions == 2) box.min.y = -d / 2, box.max.y = d / 2;
    layer_task task = {.hits = hits, .dimensions = request->dimensions, .spacing = d, .support = request->support,
                       .corner = box.min,
                       .nx = cubes_over(box.max.x - box.min.x, d), .ny = cubes_over(box.max.y - box.min.y, d)};
    const size_t nz = cubes_over(box.max.z - box.min.z, d), slab = task.nx * task.ny;
    const size_t bytes = mote_bytes(slab, sizeof(layer_cell));
    task.cells = mote_allocate(simulation->context, bytes);
    if (!task.cells) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = MOTE_OK;
    double deepest = 0;
    for (task.slab = 0; task.slab < nz && result == MOTE_OK; ++task.slab) {
        mote_parallel_for(simulation->context, slab, 64, fill_cells, &task);
        for (size_t i = 0; i < slab && result == MOTE_OK; ++i) {
            const layer_cell *cell = &task.cells[i];
            deepest = MOTE_MAX(deepest, cell->depth);
            if (cell->volume > 0 && mote_solid_may_have_walls(simulation, request, walls, cell->place))
                result = add_cell(simulation->context, cell, walls);
        }
    }
    mote_release(simulation->context, task.cells, bytes);
    *is_thick = deepest >= thick * d;
    return result;
}
