// SPDX-License-Identifier: MIT
// PVD: a list of files and their times, as ParaView reads it.
//
// The file is always rewritten as a whole, so that it is valid at any moment. So that n files do not cost n^2 bytes,
// it is rewritten only after 1/64 more files were added than it names: at most 65 entries are written for each file.

#include <math.h>
#include <string.h>

#include "output/internal.h"

struct mote_series {
    mote_context *context;
    mote_buffer path;
    mote_buffer files;  // names, each ended by 0
    mote_buffer times;  // a double each
    size_t files_bytes;
    size_t count, written;  // files that were added, and those that the file on disk names
};

static mote_result write_series(mote_series *series, mote_error *error)
{
    mote_file file;
    mote_result result = mote_file_create(series->context, series->path.data, &file, error);
    if (result != MOTE_OK) return result;
    mote_file_text(&file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n");
    const char *name = series->files.data;
    const double *times = series->times.data;
    for (size_t i = 0; i < series->count; ++i) {
        mote_file_text(&file, "    <DataSet timestep=\"");
        mote_file_number(&file, times[i]);
        mote_file_text(&file, "\" group=\"\" part=\"0\" file=\"");
        mote_file_xml(&file, name);
        mote_file_text(&file, "\"/>\n");
        name += strlen(name) + 1;
    }
    mote_file_text(&file, "  </Collection>\n</VTKFile>\n");
    result = mote_file_finish(&file, MOTE_OK, error);
    if (result == MOTE_OK) series->written = series->count;
    return result;
}

static mote_result out_of_memory(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for a series of files");
}

mote_result mote_series_create(mote_context *context, const char *path, mote_series **series, mote_error *error)
{
    if (!path || !series) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or series is NULL");
    mote_series *made = mote_allocate(context, sizeof *made);
    if (!made) return out_of_memory(error);
    *made = (mote_series){.context = context};
    size_t length = strlen(path) + 1;
    mote_result result = mote_buffer_reserve(context, &made->path, length, 0);
    if (result == MOTE_OK) {
        memcpy(made->path.data, path, length);
        result = write_series(made, error);
    } else {
        out_of_memory(error);
    }
    if (result == MOTE_OK)
        *series = made;
    else
        mote_series_destroy(made);
    return result;
}

void mote_series_destroy(mote_series *series)
{
    if (!series) return;
    mote_context *context = series->context;
    mote_buffer_release(context, &series->path);
    mote_buffer_release(context, &series->files);
    mote_buffer_release(context, &series->times);
    mote_release(context, series, sizeof *series);
}

mote_result mote_series_add(mote_series *series, double time, const char *file, mote_error *error)
{
    if (!series || !file) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "series or file is NULL");
    if (!isfinite(time)) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: its time is not finite", file);
    size_t length = strlen(file) + 1;
    size_t held = series->files_bytes, times_held = series->count * sizeof(double);
    if (mote_buffer_reserve(series->context, &series->files, held + length, held) != MOTE_OK ||
        mote_buffer_reserve(series->context, &series->times, times_held + sizeof time, times_held) != MOTE_OK)
        return out_of_memory(error);
    memcpy((char *)series->files.data + series->files_bytes, file, length);
    ((double *)series->times.data)[series->count] = time;
    series->files_bytes += length;
    series->count += 1;
    if (series->count - series->written <= series->written / 64) return MOTE_OK;

    mote_result result = write_series(series, error);
    if (result == MOTE_OK) return MOTE_OK;
    series->files_bytes -= length;
    series->count -= 1;
    return result;
}

mote_result mote_series_flush(mote_series *series, mote_error *error)
{
    if (!series) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "series is NULL");
    return series->written == series->count ? MOTE_OK : write_series(series, error);
}
