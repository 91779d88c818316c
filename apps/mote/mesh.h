// SPDX-License-Identifier: MIT
// mesh.h: what the files of `mote mesh` share.
#ifndef MOTE_APP_MESH_H
#define MOTE_APP_MESH_H

#include "app.h"

// The files that -o writes.
enum { APP_SURFACE_FILES = 5 };

// A mesh of a file, and what was found out about it.
typedef struct app_surface {
    const char *path;
    mote_mesh *mesh;
    size_t merged;  // vertices that --weld has merged or dropped
    size_t dropped;  // triangles that it has dropped
    mote_mesh_report report;
    size_t unused;  // vertices of no triangle
    size_t twins;   // vertices at the very place of an earlier one that is in use
    mote_box box;
    double area, volume, shortest, mean, longest;  // edges: those of triangles
    mote_proxy_def def;
    mote_proxy *proxy;   // NULL: none could be made
    char no_proxy[256];  // why
    mote_proxy_stats stats;
    app_cache cache;       // that it was read from, or is kept in
    bool no_cache;         // it is to be built
    bool was_read;         // from there
    double proxy_seconds;  // to read it, or the least of some that it took to build it
    const char *output;    // what stands behind -o; NULL: nothing is written
    bool is_file;          // a mesh is written to it, else it is a folder
    bool overwrite, no_images;
    const char *written[APP_SURFACE_FILES];
    size_t written_count;
} app_surface;

// Faults of all kinds.
size_t app_surface_faults(const app_surface *surface);

// Prints what was found: as text, in the order in which it is, or all of it as one JSON object.
void app_surface_print_mesh(const app_surface *surface);
void app_surface_print_proxy(const app_surface *surface);
void app_surface_print_json(const app_surface *surface);

// Refuses an output that is in the way: a folder that holds files, or a file that is there, unless they are to be
// overwritten; the very file that is read in any case.
// @return APP_DONE or APP_BAD_INPUT, after a line on standard error
int app_surface_check_output(app_surface *surface);

// Writes the mesh to the file. @return as app_surface_write
int app_surface_write_mesh(const app_surface *surface, mote_context *context);

// Writes the mesh, the proxy's leaves and their normals for ParaView, and pictures of mesh and leaves, and notes their
// names. Where no picture can be drawn a line on standard error says so.
// @return APP_DONE, or a status after a line on standard error
int app_surface_write(app_surface *surface, mote_context *context);

#endif
