// SPDX-License-Identifier: MIT
// files.h: the files that Assimp may open.
#ifndef MOTE_ASSIMP_FILES_H
#define MOTE_ASSIMP_FILES_H

#include <assimp/cfileio.h>
#include <stdbool.h>

// The named file, and the folder that contains it.
typedef struct folder_files {
    const char *named;
    int named_handle, folder_handle;
    size_t folder_length;  // of the part of `named` before the last slash; 0 without one
} folder_files;

// Opens both. @return false if the file cannot be read
bool folder_files_open(folder_files *files, const char *path);

// The functions with which Assimp opens files: the named file, and regular files in its folder or below, for
// reading. No link is followed and no pipe is waited for; any other file is reported as missing.
struct aiFileIO folder_files_io(folder_files *files);

#endif
