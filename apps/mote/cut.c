// SPDX-License-Identifier: MIT
// Solids that cut the surface of a liquid: the distance from the nearest of them.

#include <math.h>
#include <stdlib.h>

#include "app.h"

mote_result app_cut_open(app_cut *cut, mote_context *context, const mote_mesh *const *meshes, size_t count,
                         mote_error *error)
{
    const mote_mesh **closed = malloc((count + 1) * sizeof *closed);
    size_t found = 0;
    mote_result result = closed ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < count && result == MOTE_OK; ++k) {
        mote_mesh_report report;
        result = mote_mesh_examine(meshes[k], &report, error);
        if (result == MOTE_OK && report.closed) closed[found++] = meshes[k];
    }
    if (result == MOTE_OK && found) {
        result = mote_hits_create_many(context, NULL, closed, found, &cut->solids, error);
        if (result == MOTE_OK) result = mote_hits_prepare_closest(cut->solids, error);
    }
    free(closed);
    return result;
}

double app_cut_distance(void *cut, mote_vec3 at)
{
    const app_cut *self = cut;
    mote_closest closest = {.distance = self->reach};
    mote_hits_closest(self->solids, at, self->reach, MOTE_SIGN_NORMAL, &closest, NULL);
    return fmin(closest.distance, self->reach);
}

void app_cut_close(app_cut *cut)
{
    mote_hits_destroy(cut->solids);
    cut->solids = NULL;
}
