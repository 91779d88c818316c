// SPDX-License-Identifier: MIT
// mesh.h: declarations that the files of `mote mesh` share.
#ifndef MOTE_APP_MESH_H
#define MOTE_APP_MESH_H

#include "app.h"

// The files that -o writes.
enum { APP_SURFACE_FILES = 5 };

// A mesh of a file, and the results about it.
typedef struct app_surface {
    const char *path;
    mote_mesh *mesh;
    size_t merged;  // vertices that --weld has merged or dropped
    size_t dropped;  // triangles that --weld has dropped
    mote_mesh_report report;
    mote_mesh_crossings crossings;
    size_t unused;  // vertices that belong to no triangle
    size_t twins;   // vertices at exactly the position of an earlier one that is in use
    mote_box box;
    double area, volume, shortest, mean, longest;  // edges: those of triangles
    mote_proxy_def def;
    mote_proxy *proxy;   // NULL: none could be made
    char no_proxy[256];  // the reason
    mote_proxy_stats stats;
    app_cache cache;       // from which it was read, or in which it is kept
    bool no_cache;         // it must be built
    bool was_read;         // from the cache
    double proxy_seconds;  // time to read it, or the shortest of several times to build it
    const char *output;    // value of -o; NULL: nothing is written
    bool is_file;          // a mesh is written to it, otherwise it is a folder
    bool overwrite, no_images;
    const char *written[APP_SURFACE_FILES];
    size_t written_count;
} app_surface;

// Faults of all kinds.
size_t app_surface_faults(const app_surface *surface);

// Prints the results: as text, in the order in which they are found, or all of them as one JSON object.
void app_surface_print_mesh(const app_surface *surface);
void app_surface_print_proxy(const app_surface *surface);
void app_surface_print_json(const app_surface *surface);

// Refuses an output that already exists: a folder that holds files, or a file, unless they are to be overwritten.
// The file that is read is refused in any case.
// @return APP_DONE or APP_BAD_INPUT, after a line on standard error
int app_surface_check_output(app_surface *surface);

// Writes the mesh to the file. @return as app_surface_write
int app_surface_write_mesh(const app_surface *surface, mote_context *context);

// Writes the mesh, the proxy's leaves and their normals for ParaView, and pictures of mesh and leaves, and records
// their names. If pictures cannot be drawn, a line on standard error says so.
// @return APP_DONE, or a status after a line on standard error
int app_surface_write(app_surface *surface, mote_context *context);

#endif
