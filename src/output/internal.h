// SPDX-License-Identifier: MIT
// output/internal.h: files that appear whole or not at all, and text in them that no locale changes.
#ifndef MOTE_OUTPUT_INTERNAL_H
#define MOTE_OUTPUT_INTERNAL_H

#include <stdio.h>

#include "base/internal.h"
#include "mote/output.h"

// ------------------------------------------------------------------------------------------------------- files

// A file being written under a temporary name. The first failure is remembered and later writes do nothing, so that
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
// Integers and strings only: printf writes numbers with a point as the locale has it.
void mote_file_print(mote_file *file, const char *format, ...) MOTE_PRINTF(2, 3);
// Writes over what stands at `position`, and comes back to the end.
void mote_file_patch(mote_file *file, uint64_t position, const void *data, size_t bytes);
// Closes. When all went well, `result` among it, the file takes its place; else it is removed. Returns what went wrong
// first and fills `error` with the file's own failure (a `result` that is passed in has its error filled already).
mote_result mote_file_finish(mote_file *file, mote_result result, mote_error *error);

// -------------------------------------------------------------------------------------------------------- text

// A number by as few digits as read back to the very same, whatever the locale.
void mote_file_number(mote_file *file, double value);

// Text as the value of an XML attribute.
void mote_file_xml(mote_file *file, const char *text);

#endif
