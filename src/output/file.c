// SPDX-License-Identifier: MIT
// The file that the writers of this module use: it appears when it is complete (partial.c), and it remembers its first
// failure.
//
// The temporary name is derived from the final one, so that the next run removes a file that a killed run has left.

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "output/internal.h"

static const char suffix[] = ".partial";

// Of long paths the end is kept: there must be space for the cause in the error's text.
static mote_result fail_with_cause(mote_error *error, const char *path, const char *what, int cause)
{
    enum { SHOWN = 150 };
    size_t length = strlen(path);
    const char *shown = length > SHOWN ? path + (length - SHOWN) : path;
    return mote_fail(error, MOTE_ERROR_FILE, 0, "%s%s: %s: %s", shown == path ? "" : "...", shown, what,
                     strerror(cause));
}

mote_result mote_file_create(const mote_context *context, const char *path, mote_file *file, mote_error *error)
{
    *file = (mote_file){.context = context, .path = path};
    size_t length = strlen(path);
    if (mote_buffer_reserve(context, &file->name, length + sizeof suffix, 0) != MOTE_OK)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for the name of a file");
    char *name = file->name.data;
    memcpy(name, path, length);
    memcpy(name + length, suffix, sizeof suffix);

    errno = 0;
    if (mote_partial_open(path, name, &file->file)) return MOTE_OK;
    int cause = errno ? errno : EIO;
    mote_buffer_release(context, &file->name);
    return fail_with_cause(error, path, "cannot be created", cause);
}

static void remember(mote_file *file)
{
    if (!file->cause) file->cause = errno ? errno : EIO;
}

void mote_file_write(mote_file *file, const void *data, size_t bytes)
{
    if (file->cause || bytes == 0) return;
    errno = 0;
    if (fwrite(data, 1, bytes, file->file.stream) != bytes) remember(file);
    file->position += bytes;
}

void mote_file_text(mote_file *file, const char *text)
{
    mote_file_write(file, text, strlen(text));
}

void mote_file_print(mote_file *file, const char *format, ...)
{
    if (file->cause) return;
    va_list arguments;
    va_start(arguments, format);
    errno = 0;
    int length = vfprintf(file->file.stream, format, arguments);
    va_end(arguments);
    if (length < 0)
        remember(file);
    else
        file->position += (uint64_t)length;
}

void mote_file_patch(mote_file *file, uint64_t position, const void *data, size_t bytes)
{
    if (file->cause) return;
    errno = 0;
    // Offsets beyond a long are reached in steps: fseek takes no larger ones, and fseeko is not available
    // everywhere.
    if (fseek(file->file.stream, 0, SEEK_SET) != 0) remember(file);
    const uint64_t stride = 1u << 30;
    for (uint64_t left = position; left > 0 && !file->cause; left -= MOTE_MIN(left, stride))
        if (fseek(file->file.stream, (long)MOTE_MIN(left, stride), SEEK_CUR) != 0) remember(file);
    if (!file->cause && fwrite(data, 1, bytes, file->file.stream) != bytes) remember(file);
    if (!file->cause && fseek(file->file.stream, 0, SEEK_END) != 0) remember(file);
}

mote_result mote_file_finish(mote_file *file, mote_result result, mote_error *error)
{
    const bool keep = result == MOTE_OK && !file->cause;
    if (file->cause) errno = file->cause;
    const bool is_there = mote_partial_close(&file->file, file->path, file->name.data, keep);
    if (result == MOTE_OK && !is_there) result = fail_with_cause(error, file->path, "cannot be written", errno);
    mote_buffer_release(file->context, &file->name);
    return result;
}
