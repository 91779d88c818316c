// SPDX-License-Identifier: MIT
// surfaces.h: the inputs of mote surface.
#ifndef MOTE_APP_SURFACES_H
#define MOTE_APP_SURFACES_H

#include "app.h"

enum { APP_SURFACE_PHASES = 32 };

// Files of particles, and what a run's folder says of their surroundings.
typedef struct app_surface_inputs {
    char **files;  // in the order in which they are made
    size_t count;
    int64_t start, end;  // numbers of the files of a series that are wanted; set by the caller
    const char *folder;  // of the run; NULL: files alone
    double spacing;      // of the run [m]
    bool is_flat;        // the run is in 2D
    bool has_fluids;     // the run has several, whose particles are told apart by the array "phase"
    bool has_scene;      // the run's scene has the section "surface":
    mote_surface_def scene;  // lengths in spacings
    double *times;           // of the run's files [s]
    mote_surface_plane planes[6];
    size_t plane_count;
    mote_cloud_data walls;  // wall particles; none without sides that are known
    mote_mesh **meshes;     // of solids
    size_t mesh_count;
    app_cut cut;
} app_surface_inputs;

typedef struct app_surface_picture app_surface_picture;

// Finds all files: names, patterns with {} in place of a number, in ascending order of that, or one folder of a run.
// @param cut  the file of a closed mesh that cuts, besides a run's own; NULL: none
// @return an exit status, after a line on standard error if it is not APP_DONE. Close it in any case
int app_surface_inputs_open(app_surface_inputs *inputs, mote_context *context, const char *const *names, size_t count,
                            const char *cut);
void app_surface_inputs_close(app_surface_inputs *inputs);

// Pictures of surfaces, as those of a run: water, with the meshes that cut it, by a camera that widens from picture to
// picture.
// @param path  of the pictures; {} stands for the name of the file that one is of, without its ending
// @return an exit status, after a line on standard error
int app_surface_picture_open(app_surface_picture **picture, mote_context *context, const char *path,
                             const app_surface_inputs *inputs);
// The picture's file: {} becomes the input's name without folder and ending. To be freed; NULL without memory.
char *app_surface_picture_name(const char *path, const char *input);
// @param views  of all phases
int app_surface_picture_draw(app_surface_picture *picture, const char *input, double time,
                             const mote_surface_view *views, size_t count);
void app_surface_picture_close(app_surface_picture *picture);

#endif
