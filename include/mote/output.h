// SPDX-License-Identifier: MIT
/// mote/output.h: named arrays to files that other programs read.
///
/// ParaView's VTP (points, triangles or quads with any number of arrays) and PVD (a series of them), PLY, OBJ and STL
/// for meshes, PNG for pictures. Every file is written under a temporary name beside its place ("name.partial") and
/// renamed once it is whole: a reader never sees half a file, and whatever fails leaves the old file, if any, as it was
/// and nothing else behind. Links under the temporary name are not followed. A device or a pipe that has the name is
/// written to. The same input gives the same bytes, whatever the number of threads, the time or setlocale.
///
/// Nothing here makes folders, and nothing waits for the disk: a file is whole to other programs, not to a power cut.
///
/// All calls return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FILE (the error's text names the file and the cause) or
/// MOTE_ERROR_OUT_OF_MEMORY. The context and the error may always be NULL.
#ifndef MOTE_OUTPUT_H
#define MOTE_OUTPUT_H

#include <stdio.h>

#include "mote/base.h"
#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------- whole files

/// A file that is being written, as all files here are: for formats of one's own.
typedef struct mote_partial {
    FILE *stream;
    bool in_place;            ///< a device or a pipe, which nothing replaces
    uint64_t device, number;  ///< of the file, as the system counts them
} mote_partial;

/// Opens a new file under the name `partial`; what was there is removed, not followed if it is a link.
/// @return false, and why in errno
MOTE_API bool mote_partial_open(const char *path, const char *partial, mote_partial *file);

/// Closes it and, if all was written and `keep`, gives it the name `path`; else it is removed.
/// @return whether `path` is the new file; if not, why in errno (EBUSY: another process has written there meanwhile)
MOTE_API bool mote_partial_close(mote_partial *file, const char *path, const char *partial, bool keep);

// -------------------------------------------------------------------------------------------------------- VTP

/// What a VTP file holds. Without triangles and quads each point is a vertex cell of its own, so that ParaView shows it
/// at once.
typedef struct mote_vtp {
    mote_points points;        ///< written as they are, float or double; missing dimensions as 0
    const mote_array *arrays;  ///< of points.count tuples each
    size_t array_count;
    const uint32_t *triangles;  ///< three point indices each; NULL: none
    size_t triangle_count;
    const uint32_t *quads;  ///< four point indices each, around; instead of triangles
    size_t quad_count;
    const mote_array *cell_arrays;  ///< a tuple for each triangle or quad, else for each point
    size_t cell_array_count;
    double time;  ///< written as TimeValue [s] if finite
} mote_vtp;

/// Writes VTK XML PolyData, version 1.0: 64-bit headers, zlib blocks, appended raw. Blocks are compressed in parallel,
/// a few at a time: memory stays at some megabytes, however many points there are.
MOTE_API mote_result mote_vtp_write(mote_context *context, const char *path, const mote_vtp *data, mote_error *error);

// -------------------------------------------------------------------------------------------------------- PVD

/// Files and their times, as ParaView opens them: a PVD file that is whole at any moment. It names all files that were
/// added up to the 64th, then at least 64 of every 65, and all of them after mote_series_flush: a series of n files
/// costs O(n) bytes of writing.
typedef struct mote_series mote_series;

/// Writes an empty series to `path`.
MOTE_API mote_result mote_series_create(mote_context *context, const char *path, mote_series **series,
                                        mote_error *error);
MOTE_API void mote_series_destroy(mote_series *series);

/// Adds a file. On failure the series and its file are as they were. Cost O(1), averaged over all files.
/// @param time   [s], finite
/// @param file   relative to the folder of the series; copied
MOTE_API mote_result mote_series_add(mote_series *series, double time, const char *file, mote_error *error);

/// Sees to it that the PVD file names all files that were added.
MOTE_API mote_result mote_series_flush(mote_series *series, mote_error *error);

// ----------------------------------------------------------------------------------------------------- meshes

/// Writes a mesh as the name ends, in any case: .ply, .obj or .stl, as the three below.
MOTE_API mote_result mote_mesh_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);
/// Whether it ends so.
MOTE_API bool mote_output_knows_mesh(const char *path);

/// Writes a mesh as binary little-endian PLY, vertices in double, so that what is read back is what was there.
/// @param normals  one a vertex, written in float; NULL: none
MOTE_API mote_result mote_ply_write(mote_context *context, const char *path, const mote_mesh *mesh,
                                    const mote_vec3 *normals, mote_error *error);

/// Writes a mesh as OBJ: text, numbers by as few digits as read back to the very same.
MOTE_API mote_result mote_obj_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);

/// Writes a mesh as binary STL: its triangles alone, each with corners of its own, rounded to float. Whoever reads them
/// and welds them has the same mesh again, if its vertices are floats, each at a place of its own and in use.
/// @return MOTE_ERROR_ARGUMENT, too, where a coordinate is beyond what floats hold; the error's index is its vertex's
MOTE_API mote_result mote_stl_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);

// --------------------------------------------------------------------------------------------------------- PNG

/// Writes an 8-bit RGB picture.
/// @param rgb   3 · width · height bytes, sRGB, rows from the top down
MOTE_API mote_result mote_png_write(mote_context *context, const char *path, const uint8_t *rgb, uint32_t width,
                                    uint32_t height, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
