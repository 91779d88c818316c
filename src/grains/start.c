// SPDX-License-Identifier: MIT
// The places where grains start: at random in a box, each determined by the grain's number. Grains that would start
// inside a closed mesh, where the winding number is above 1/2 (Jacobson et al. 2013), are left out: they could never
// get out. A cavity within walls is not inside, and open meshes have no inside.

#include <math.h>
#include <string.h>

#include "grains/internal.h"

enum { BATCH = 65536 };

void mote_grains_place(const mote_grains_def *def, size_t number, double *at)
{
    mote_random random = {def->seed ^ (number + 1) * 0xD1B54A32D192ED03u};
    at[0] = def->min.x + (def->max.x - def->min.x) * mote_random_unit(&random);
    at[1] = def->min.y + (def->max.y - def->min.y) * mote_random_unit(&random);
    at[2] = def->min.z + (def->max.z - def->min.z) * mote_random_unit(&random);
}

// ------------------------------------------------------------------------------------------------ inside solids

static bool meets(const mote_grains_def *def, const mote_mesh *mesh)
{
    const mote_box box = mote_mesh_box(mesh);
    return box.min.x <= def->max.x && def->min.x <= box.max.x && box.min.y <= def->max.y && def->min.y <= box.max.y &&
           box.min.z <= def->max.z && def->min.z <= box.max.z;
}

// Chooses the closed meshes inside which grains may start.
static mote_result choose(const mote_grains_def *def, const mote_mesh *const *meshes, size_t mesh_count,
                          const mote_mesh **chosen, size_t *chosen_count)
{
    *chosen_count = 0;
    for (size_t m = 0; m < mesh_count; ++m) {
        mote_mesh_report report;
        if (meshes[m]->triangle_count == 0 || !meets(def, meshes[m])) continue;
        const mote_result result = mote_mesh_examine(meshes[m], &report, NULL);
        if (result != MOTE_OK) return result;
        if (report.closed) chosen[(*chosen_count)++] = meshes[m];
    }
    return MOTE_OK;
}

typedef struct batch {
    double positions[3 * BATCH];
    mote_closest closest[BATCH];
} batch;

static mote_result ask(mote_hits *hits, const mote_grains_def *def, batch *memory, uint8_t *buried, uint64_t *removed)
{
    const size_t count = (size_t)def->count;
    for (size_t begin = 0; begin < count; begin += BATCH) {
        const size_t n = MOTE_MIN(count - begin, (size_t)BATCH);
        for (size_t i = 0; i < n; ++i) mote_grains_place(def, begin + i, memory->positions + 3 * i);
        const mote_points points = mote_points_xyz_f64(memory->positions, n);
        const mote_result result =
            mote_hits_closest_all(hits, &points, HUGE_VAL, MOTE_SIGN_WINDING, memory->closest, NULL);
        if (result != MOTE_OK) return result;
        for (size_t i = 0; i < n; ++i) {
            buried[begin + i] = memory->closest[i].distance < 0;
            *removed += buried[begin + i];
        }
    }
    return MOTE_OK;
}

static mote_result ask_meshes(mote_context *context, const mote_grains_def *def, const mote_mesh *const *closed,
                              size_t closed_count, uint8_t *buried, uint64_t *removed)
{
    mote_hits *hits = NULL;
    batch *memory = mote_allocate(context, sizeof *memory);
    mote_result result = memory ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) result = mote_hits_create_many(context, NULL, closed, closed_count, &hits, NULL);
    if (result == MOTE_OK) result = ask(hits, def, memory, buried, removed);
    mote_hits_destroy(hits);
    mote_release(context, memory, sizeof *memory);
    return result;
}

mote_result mote_grains_find_buried(mote_context *context, const mote_grains_def *def, const mote_mesh *const *meshes,
                                    size_t mesh_count, uint8_t *buried, uint64_t *removed, mote_error *error)
{
    memset(buried, 0, (size_t)def->count);
    *removed = 0;
    if (def->start_inside || mesh_count == 0) return MOTE_OK;
    const size_t bytes = mote_bytes(mesh_count, sizeof(const mote_mesh *));
    const mote_mesh **closed = mote_allocate(context, bytes);
    size_t closed_count = 0;
    mote_result result = closed ? choose(def, meshes, mesh_count, closed, &closed_count) : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK && closed_count > 0)
        result = ask_meshes(context, def, closed, closed_count, buried, removed);
    mote_release(context, closed, bytes);
    if (result == MOTE_OK && *removed == (uint64_t)def->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "grains: all of them would start inside a closed mesh, expected some outside, or "
                         "\"start_inside\": true for a hollow one");
    return result;
}
