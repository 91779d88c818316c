// SPDX-License-Identifier: MIT
// mesh_file.h: reads meshes of any format, for all programs. libmote-io reads OBJ, PLY, STL and VTP. The other formats
// that Assimp knows are read by mote-assimp, a separate process with limits of time and memory: a file that makes
// Assimp hang, crash or use all memory only causes an error message of one line.
#ifndef MOTE_APP_MESH_FILE_H
#define MOTE_APP_MESH_FILE_H

#include "mote/mesh.h"

// The folder of the running program.
bool app_program_folder(char *path, size_t size);

// Reads a mesh as the file's name ends. Limits are 60 s and 4096 MB, or what MOTE_IMPORT_SECONDS and
// MOTE_IMPORT_MEGABYTES say; mote-assimp is looked for beside the program, then where it is installed.
// @param stop     called while waiting: a result other than 0 ends the wait; may be NULL
// @param error    not NULL; its text begins with the path
// @return as mote_import_mesh
typedef int app_stop(void);
mote_result app_mesh_read(mote_context *context, const char *path, app_stop *stop, mote_mesh **mesh,
                          mote_error *error);

// How files of other formats are read.
typedef struct app_mesh_reader {
    const char *program;  // mote-assimp's path
    double seconds;       // after which it is killed, above 0
    uint64_t megabytes;   // of its address space, and of what it gives; above 0
    app_stop *stop;       // as above
} app_mesh_reader;

// Reads the file with such a program: `program SECONDS MEGABYTES FILE`, the seconds rounded up. Its output is a
// binary PLY file if it exits with 0, or one line with the reason if it exits with 1; with 3 memory ran out.
// Vertices at the same place are merged. The program has always ended when this function returns.
// @return MOTE_OK; MOTE_ERROR_FILE (no such file or program, a limit, an interruption); MOTE_ERROR_FORMAT (it was
//         refused, or Assimp crashed); MOTE_ERROR_OUT_OF_MEMORY
mote_result app_mesh_read_by(mote_context *context, const char *path, const app_mesh_reader *reader, mote_mesh **mesh,
                             mote_error *error);

#endif
