// SPDX-License-Identifier: MIT
// output/internal.h: files that appear complete or not at all, and text in them that does not depend on the locale.
#ifndef MOTE_OUTPUT_INTERNAL_H
#define MOTE_OUTPUT_INTERNAL_H

#include <stdio.h>

#include "base/internal.h"
#include "mote/output.h"

// ------------------------------------------------------------------------------------------------------- files

// A file being written under a temporary name. The first failure is stored and later writes do nothing, so that
// writers check once, at the end.
typedef struct mote_file {
    const mote_context *context;
    mote_partial file;
    const char *path;  // the caller's
    mote_buffer name;  // the temporary one
    uint64_t position;
    int cause;  // errno of the first failure, 0 if there was none
} mote_file;

// Opens the temporary file. On failure nothing is left behind and mote_file_finish must not be called.
mote_result mote_file_create(const mote_context *context, const char *path, mote_file *file, mote_error *error);
void mote_file_write(mote_file *file, const void *data, size_t bytes);
void mote_file_text(mote_file *file, const char *text);
// For integers and strings only: printf writes numbers with the locale's decimal point.
void mote_file_print(mote_file *file, const char *format, ...) MOTE_PRINTF(2, 3);
// Overwrites the bytes at `position`, and returns to the end.
void mote_file_patch(mote_file *file, uint64_t position, const void *data, size_t bytes);
// Closes the file. If everything succeeded, including `result`, the file gets its final name; otherwise it is
// removed. Returns the first failure and fills `error` if it was the file's own (for a failed `result` it is already
// filled).
mote_result mote_file_finish(mote_file *file, mote_result result, mote_error *error);

// -------------------------------------------------------------------------------------------------------- text

// Writes a number with the fewest digits that are read back as the same number, in any locale.
void mote_file_number(mote_file *file, double value);

// Text as the value of an XML attribute.
void mote_file_xml(mote_file *file, const char *text);

// ------------------------------------------------------------------------------------------------------ meshes

// mote_obj_write with lines of two vertices each.
mote_result mote_obj_write_lines(mote_context *context, const char *path, const mote_mesh *mesh, const uint32_t *lines,
                                 size_t line_count, mote_error *error);

// mote_ply_write with colours, too.
mote_result mote_ply_write_data(mote_context *context, const char *path, const mote_mesh_data *data,
                                mote_error *error);

#endif
