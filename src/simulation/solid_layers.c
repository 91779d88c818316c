// SPDX-License-Identifier: MIT
// Layers of wall particles inside a body, as thick as the kernel's support: what solvers need whose walls take their
// state from the fluid (Adami et al. 2012). One layer of samples on the surface lacks the volume behind it.
//
// The box around the body is cut into cubes of one spacing. A cube that lies within the body gives a wall particle in
// its middle; of a cube that the surface cuts, the particle has the volume of the part within the body, and is at that
// part's centre of mass. So a box on the lattice has the layers of a tank, and other bodies are as smooth as a spacing
// allows. A body that is nowhere two spacings thick, so that no place in it is a spacing deep, is too thin for that:
// fluid on its two sides would see no wall, and it keeps samples of its surface, whose volumes make one layer do.
//
// No place need be the middle of a cube. Wherever a place is a spacing deep, a cube's middle is less than half a cube's
// diagonal away. From there it is found by projecting to each face that is too near in turn (Agmon 1954): on a plate at
// once, in the corner of a box after a face for each axis, and in the limit wherever the body is convex.
//
// Cubes are looked at by the 64: one distance often tells that all are far from the surface, or all within.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/internal.h"

enum { DEEP = 4 };  // cubes along an edge of a larger one of which one distance may tell all; a power of two
static const double thick = 1 - 1e-6;  // the depth from which a body is thick, in spacings, but for rounding
enum { PROJECTIONS = 12 };             // from a cube's middle

// A cube's wall particle. Its volume is in units of a cube; 0: there is none.
typedef struct layer_cell {
    mote_vec3 place;
    double volume, depth;
} layer_cell;

typedef struct layer_task {
    const mote_hits *hits;
    int dimensions;
    double spacing, support;
    mote_vec3 corner;        // of the box [m]
    size_t nx, ny, nz, first;  // cubes along the axes; the first of DEEP layers along z whose cells are there
    bool only_thickness;       // no cube is to give a wall particle
    const earlier_bodies *earlier;  // NULL: none
    bool is_thick;             // this is known already
    layer_cell *cells;
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

// The distance from what is left of a body by earlier ones.
static double distance_left(const void *data, mote_vec3 place, double reach)
{
    const layer_task *task = data;
    const double own = distance_of(task->hits, place, reach);
    return task->earlier ? MOTE_MAX(own, -mote_earlier_distance(task->earlier, place, reach)) : own;
}

static mote_vec3 middle_of(const layer_task *task, const size_t key[3], size_t size)
{
    const double d = task->spacing, half = 0.5 * (double)size;
    return mote_vec3_make(task->corner.x + d * ((double)key[0] + half),
                          task->corner.y + d * ((double)key[1] + (task->dimensions == 2 ? 0.5 : half)),
                          task->corner.z + d * ((double)key[2] + half));
}

static layer_cell *cell_at(const layer_task *task, const size_t key[3])
{
    return &task->cells[((key[2] - task->first) * task->ny + key[1]) * task->nx + key[0]];
}

// The greatest depth that is found from a place in the body by going to where faces that are nearer than a spacing are
// one away.
static double depth_near(const layer_task *task, const mote_closest *from)
{
    const double d = task->spacing;
    mote_closest closest = *from;
    double deepest = -from->distance;
    for (int k = 0; k < PROJECTIONS && deepest < thick * d; ++k) {
        const mote_vec3 place = mote_vec3_add_scaled(closest.point, closest.normal, -d);
        mote_hits_closest(task->hits, place, task->support, MOTE_SIGN_NORMAL, &closest, NULL);
        if (closest.triangle == UINT32_MAX) break;
        deepest = MOTE_MAX(deepest, -closest.distance);
    }
    return deepest;
}

static void fill_cube(const layer_task *task, const size_t key[3])
{
    const double half_diagonal = 0.5 * sqrt(3) * task->spacing;
    const double slack = 1e-9 * task->spacing;  // of a cube whose corner is on the surface but for rounding
    layer_cell *cell = cell_at(task, key);
    mote_closest closest;
    mote_hits_closest(task->hits, cell->place, task->support + slack, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle == UINT32_MAX) return;  // far outside, or deeper than any kernel reaches
    const double depth = -closest.distance;
    cell->depth = depth;
    if (!task->is_thick && cell->depth > thick * task->spacing - half_diagonal)
        cell->depth = depth_near(task, &closest);
    if (task->only_thickness) return;
    double left = depth;
    if (task->earlier) left = MOTE_MIN(left, mote_earlier_distance(task->earlier, cell->place, half_diagonal + slack));
    if (left >= half_diagonal)
        cell->volume = 1;
    else if (left > -half_diagonal)
        cell->volume =
            mote_cube_share(distance_left, task, cell->place, task->spacing, task->dimensions, &cell->place);
}

// Whether all cubes of a larger one are known: not near the surface, or within the body and all near enough to it.
static bool is_decided(const layer_task *task, const size_t key[3], size_t size, double *depth)
{
    const double d = task->spacing, apart = 0.5 * sqrt(3) * d * (double)(size - 1), half_diagonal = 0.5 * sqrt(3) * d;
    const double slack = 1e-6 * d;
    const mote_vec3 middle = middle_of(task, key, size);
    *depth = -HUGE_VAL;
    if (task->is_thick && task->only_thickness) return true;
    mote_closest closest;
    mote_hits_closest(task->hits, middle, task->support + apart + slack, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle == UINT32_MAX || closest.distance >= apart + half_diagonal + slack) return true;
    *depth = -closest.distance;
    if (task->only_thickness || task->earlier) return false;
    return *depth >= apart + half_diagonal + slack && *depth + apart <= task->support - slack;
}

static bool has_cube(const layer_task *task, const size_t key[3])
{
    return key[0] < task->nx && key[1] < task->ny && key[2] < task->nz;
}

// The k-th of the cubes into which a larger one is cut.
static void part_of(const size_t key[3], size_t k, size_t along, size_t edge, size_t part[3])
{
    part[0] = key[0] + edge * (k % along);
    part[1] = key[1] + edge * (k / along % along);
    part[2] = key[2] + edge * (k / (along * along));
}

static void fill_whole(const layer_task *task, const size_t key[3], size_t size, double depth)
{
    for (size_t k = 0; k < size * size * size; ++k) {
        size_t cube[3];
        part_of(key, k, size, 1, cube);
        if (has_cube(task, cube)) cell_at(task, cube)->volume = 1, cell_at(task, cube)->depth = depth;
    }
}

// Fills the cells of a cube that is `size` of them wide, a power of two.
static void fill_part(const layer_task *task, const size_t key[3], size_t size)
{
    double depth;
    if (!has_cube(task, key)) return;
    if (size == 1) {
        fill_cube(task, key);
    } else if (is_decided(task, key, size, &depth)) {
        if (depth > 0) fill_whole(task, key, size, depth);
    } else {
        for (size_t k = 0; k < 8; ++k) {
            size_t part[3];
            part_of(key, k, 2, size / 2, part);
            fill_part(task, part, size / 2);
        }
    }
}

static void fill_blocks(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const layer_task *task = data;
    const size_t blocks = (task->nx + DEEP - 1) / DEEP;
    for (size_t i = begin; i < end; ++i) {
        const size_t key[3] = {i % blocks * DEEP, i / blocks * DEEP, task->first};
        for (size_t k = 0; k < DEEP * DEEP * DEEP; ++k) {
            size_t cube[3];
            part_of(key, k, DEEP, 1, cube);
            if (has_cube(task, cube)) *cell_at(task, cube) = (layer_cell){middle_of(task, cube, 1), 0, -HUGE_VAL};
        }
        fill_part(task, key, DEEP);
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
                       .corner = box.min, .only_thickness = request->only_thickness, .earlier = request->earlier,
                       .nx = cubes_over(box.max.x - box.min.x, d), .ny = cubes_over(box.max.y - box.min.y, d),
                       .nz = cubes_over(box.max.z - box.min.z, d)};
    const size_t slab = task.nx * task.ny, bytes = mote_bytes(mote_bytes(slab, DEEP), sizeof(layer_cell));
    const size_t blocks = ((task.nx + DEEP - 1) / DEEP) * ((task.ny + DEEP - 1) / DEEP);
    task.cells = mote_allocate(simulation->context, bytes);
    if (!task.cells) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = MOTE_OK;
    for (; task.first < task.nz && result == MOTE_OK; task.first += DEEP) {
        double deepest = 0;
        mote_parallel_for(simulation->context, blocks, 1, fill_blocks, &task);
        for (size_t i = 0; i < slab * MOTE_MIN((size_t)DEEP, task.nz - task.first) && result == MOTE_OK; ++i) {
            const layer_cell *cell = &task.cells[i];
            deepest = MOTE_MAX(deepest, cell->depth);
            if (cell->volume > 0 && mote_solid_may_have_walls(simulation, request, walls, cell->place))
                result = add_cell(simulation->context, cell, walls);
        }
        task.is_thick |= deepest >= thick * d;
    }
    mote_release(simulation->context, task.cells, bytes);
    *is_thick = task.is_thick;
    return result;
}
