// SPDX-License-Identifier: MIT
/// mote/output.h: writes files that other programs read.
///
/// VTP files for ParaView (points, triangles or quads with any number of arrays), PVD files (a series of VTP files),
/// PLY, OBJ, STL and GLB files for meshes, and PNG files for pictures. Every file is written under a temporary name
/// ("name.partial") and renamed when it is complete. So a reader never sees half a file, and after a failure the old
/// file is still there and nothing else is left. Links under the temporary name are not followed. Devices and pipes are
/// written to directly. The same input gives the same bytes, whatever the number of threads, the time or the locale.
///
/// No call makes folders, and none waits until the data is on the disk.
///
/// All calls return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FILE (the error's text names the file and the cause) or
/// MOTE_ERROR_OUT_OF_MEMORY. This header belongs to libmote-io.
#ifndef MOTE_OUTPUT_H
#define MOTE_OUTPUT_H

#include <stdio.h>

#include "mote/base.h"
#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------- whole files

/// A file that is being written in this way, for formats of the caller's.
typedef struct mote_partial {
    FILE *stream;
    bool in_place;            ///< a device or a pipe, which is not replaced
    uint64_t device, number;  ///< of the file, as the system counts them
} mote_partial;

/// Opens a new file under the name `partial`; what was there is removed, not followed if it is a link.
/// @return false, and why in errno
MOTE_API bool mote_partial_open(const char *path, const char *partial, mote_partial *file);

/// Closes the file. If everything was written and `keep` is true, it gets the name `path`; otherwise it is removed.
/// @return whether `path` is the new file; if not, why in errno (EBUSY: another process has written there meanwhile)
MOTE_API bool mote_partial_close(mote_partial *file, const char *path, const char *partial, bool keep);

// -------------------------------------------------------------------------------------------------------- VTP

/// The content of a VTP file. Without triangles and quads each point becomes a vertex cell, so that ParaView shows it.
typedef struct mote_vtp {
    mote_points points;        ///< written as they are, float or double; missing dimensions as 0
    const mote_array *arrays;  ///< of points.count tuples each
    size_t array_count;
    const uint32_t *triangles;  ///< three point indices each; NULL: none
    size_t triangle_count;
    const uint32_t *quads;  ///< four point indices each, around; instead of triangles
    size_t quad_count;
    const uint32_t *lines;  ///< two point indices each, besides triangles or quads; NULL: none
    size_t line_count;
    const mote_array *cell_arrays;  ///< a tuple for each line, then for each triangle or quad; else for each point
    size_t cell_array_count;
    double time;  ///< written as TimeValue [s] if finite
} mote_vtp;

/// Writes VTK XML PolyData, version 1.0: 64-bit headers, zlib blocks, appended raw. Blocks are compressed in parallel,
/// a few at a time: memory stays at some megabytes, however many points there are.
MOTE_API mote_result mote_vtp_write(mote_context *context, const char *path, const mote_vtp *data, mote_error *error);

// -------------------------------------------------------------------------------------------------------- PVD

/// A PVD file: a list of files and their times, which ParaView opens. It is complete at any moment, but may lack the
/// latest files until mote_series_flush: it names all of the first 64 files, and later at least 64 of every 65, so that
/// a series of n files costs O(n) bytes of writing.
typedef struct mote_series mote_series;

/// Writes an empty series to `path`.
MOTE_API mote_result mote_series_create(mote_context *context, const char *path, mote_series **series,
                                        mote_error *error);
MOTE_API void mote_series_destroy(mote_series *series);

/// Adds a file. On failure the series and its file are as they were. Cost O(1), averaged over all files.
/// @param time   [s], finite
/// @param file   relative to the folder of the series; copied
MOTE_API mote_result mote_series_add(mote_series *series, double time, const char *file, mote_error *error);

/// Brings the PVD file up to date, so that it names all files.
MOTE_API mote_result mote_series_flush(mote_series *series, mote_error *error);

// ----------------------------------------------------------------------------------------------------- meshes

/// A mesh and what belongs to its vertices. What a format has no place for is left out.
typedef struct mote_mesh_data {
    const mote_mesh *mesh;
    const mote_vec3 *normals;  ///< unit vectors, one a vertex; NULL: none
    const uint8_t *colors;     ///< red, green, blue of each vertex, sRGB; NULL: none
    const mote_array *arrays;  ///< of vertex_count tuples each
    size_t array_count;
    const uint32_t *lines;  ///< two vertices each, written to OBJ and VTP; NULL: none
    size_t line_count;
    double time;  ///< [s]; NaN: none
} mote_mesh_data;
MOTE_API mote_mesh_data mote_mesh_data_default(void);

/// A format of meshes. Programs that offer a choice of formats loop over all of them.
typedef struct mote_mesh_format {
    const char *ending;  ///< ".glb"
    const char *meaning;
    bool has_normals, has_colors, has_arrays, has_time;  ///< whether it has a place for them
    mote_result (*write)(mote_context *context, const char *path, const mote_mesh_data *data, mote_error *error);
} mote_mesh_format;

/// The formats .ply, .obj, .stl, .vtp and .glb, in this order; NULL behind the last.
MOTE_API const mote_mesh_format *mote_mesh_format_at(size_t index);
/// The format that the ending of a file's name says, in any case; NULL: none.
MOTE_API const mote_mesh_format *mote_mesh_format_of(const char *path);

/// Writes a mesh with normals, colours and arrays in the format that the ending of the name says.
MOTE_API mote_result mote_mesh_data_write(mote_context *context, const char *path, const mote_mesh_data *data,
                                          mote_error *error);
/// The same for a mesh alone.
MOTE_API mote_result mote_mesh_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);
/// Whether mote_mesh_write knows the ending.
MOTE_API bool mote_output_knows_mesh(const char *path);

/// Writes a mesh as binary little-endian PLY, with vertices in double, so that nothing is lost.
/// @param normals  one a vertex, written in float; NULL: none
MOTE_API mote_result mote_ply_write(mote_context *context, const char *path, const mote_mesh *mesh,
                                    const mote_vec3 *normals, mote_error *error);

/// Writes a mesh as OBJ, with as few digits as are needed to read back the same numbers.
MOTE_API mote_result mote_obj_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);

/// Writes a mesh as binary STL: only its triangles, each with its own corners, rounded to float.
/// @return also MOTE_ERROR_ARGUMENT if a coordinate is beyond the range of float; the error's index is its vertex
MOTE_API mote_result mote_stl_write(mote_context *context, const char *path, const mote_mesh *mesh, mote_error *error);

/// Writes a mesh as binary glTF 2.0, which browsers, Blender and Windows open: positions in float about the middle of
/// the mesh, normals, and colours as linear light. z stays up. A mesh without triangles becomes an empty scene.
/// @return also MOTE_ERROR_ARGUMENT where the file would be 4 GiB or more, or a coordinate is beyond the range of float
MOTE_API mote_result mote_glb_write(mote_context *context, const char *path, const mote_mesh_data *data,
                                    mote_error *error);

// --------------------------------------------------------------------------------------------------------- PNG

/// Writes an 8-bit RGB picture.
/// @param rgb   3 · width · height bytes, sRGB, rows from the top down
MOTE_API mote_result mote_png_write(mote_context *context, const char *path, const uint8_t *rgb, uint32_t width,
                                    uint32_t height, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
