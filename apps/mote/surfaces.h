// SPDX-License-Identifier: MIT
// surfaces.h: the inputs of mote surface.
#ifndef MOTE_APP_SURFACES_H
#define MOTE_APP_SURFACES_H

#include "app.h"

// Files of particles, and what a run's folder says of their surroundings.
typedef struct app_surface_inputs {
    char **files;  // in the order in which they are made
    size_t count;
    const char *folder;  // of the run; NULL: files alone
    double spacing;      // of the run [m]
    double *times;       // of the run's files [s]
    mote_surface_plane planes[6];
    size_t plane_count;
    mote_cloud_data walls;  // wall particles; none without sides that are known
    mote_mesh **meshes;     // of solids
    size_t mesh_count;
    app_cut cut;
} app_surface_inputs;

// Finds all files: names, patterns with {} in place of a number, in ascending order of that, or one folder of a run.
// @return an exit status, after a line on standard error if it is not APP_DONE. Close it in any case
int app_surface_inputs_open(app_surface_inputs *inputs, mote_context *context, const char *const *names, size_t count);
void app_surface_inputs_close(app_surface_inputs *inputs);

#endif
