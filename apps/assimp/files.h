// SPDX-License-Identifier: MIT
// files.h: the files that Assimp may open.
#ifndef MOTE_ASSIMP_FILES_H
#define MOTE_ASSIMP_FILES_H

#include <assimp/cfileio.h>
#include <stdbool.h>

// The file that was named, and the folder that it lies in.
typedef struct folder_files {
    const char *named;
    int named_handle, folder_handle;
    size_t folder_length;  // of the part of `named` before the last slash; 0 without one
} folder_files;

// Opens both. @return false if the file is none that can be read
bool folder_files_open(folder_files *files, const char *path);

// What Assimp opens files by: the named file, and regular files in its folder or below, to be read; no link is
// followed, no pipe waited for, and whatever else is asked for is not there.
struct aiFileIO folder_files_io(folder_files *files);

#endif
