// SPDX-License-Identifier: MIT
// mesh_file.h: meshes of any kind, for all programs. OBJ, PLY and STL are read by libmote-io. What else Assimp knows is
// read by mote-assimp, a process of its own with limits of time and memory: a file that makes Assimp hang, crash or ask
// for all memory there is costs one line on the terminal.
#ifndef MOTE_APP_MESH_FILE_H
#define MOTE_APP_MESH_FILE_H

#include "mote/mesh.h"

// Where the running program lies.
bool app_program_folder(char *path, size_t size);

// Reads a mesh as the file's name ends. Limits are 60 s and 4096 MB, or what MOTE_IMPORT_SECONDS and
// MOTE_IMPORT_MEGABYTES say; mote-assimp is looked for beside the program, then where it is installed.
// @param stop     asked while it waits: not 0 ends that; NULL: nobody
// @param error    not NULL; its text begins with the path
// @return as mote_import_mesh
typedef int app_stop(void);
mote_result app_mesh_read(mote_context *context, const char *path, app_stop *stop, mote_mesh **mesh,
                          mote_error *error);

// How files of other kinds are read.
typedef struct app_mesh_reader {
    const char *program;  // mote-assimp's path
    double seconds;       // after which it is killed, above 0
    uint64_t megabytes;   // of its address space, and of what it gives; above 0
    app_stop *stop;       // as above
} app_mesh_reader;

// Has such a program read the file: `program SECONDS MEGABYTES FILE`, the seconds rounded up. What it prints is a
// binary PLY file if it exits with 0, one line that says why there is none if with 1; with 3 memory ran out. Vertices
// at the same place are merged. Whatever the program does, it is gone when this returns.
// @return MOTE_OK; MOTE_ERROR_FILE (no such file or program, a limit, an interruption); MOTE_ERROR_FORMAT (it was
//         refused, or Assimp crashed); MOTE_ERROR_OUT_OF_MEMORY
mote_result app_mesh_read_by(mote_context *context, const char *path, const app_mesh_reader *reader, mote_mesh **mesh,
                             mote_error *error);

#endif
