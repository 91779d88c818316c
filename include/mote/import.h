// SPDX-License-Identifier: MIT
/// mote/import.h: meshes from files: OBJ, PLY, STL and VTP; points from files, with arrays: VTP, VTU and legacy VTK,
/// PLY, CSV and other tables of text, XYZ, BGEO, raw floats, NPY and LAMMPS dumps; boxes: CSV and JSON.
///
/// The readers are strict. A file is read as its format defines it, or refused with one line that says where the fault
/// is (file and line, or element and byte for binary data), which field and value are wrong, and what was expected.
/// Numbers mean the same in every locale. Polygons become fans of triangles. Colours, materials, normals and texture
/// coordinates are checked but not kept. Faces of OBJ may refer to vertices further down. Free-form surfaces of OBJ and
/// triangle strips of PLY are not supported. For other formats the program mote uses Assimp.
///
/// This header belongs to libmote-io.
#ifndef MOTE_IMPORT_H
#define MOTE_IMPORT_H

#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a mesh from a file; the ending of its name decides on the format: .obj, .ply, .stl or .vtp, in any case.
/// Vertices of an STL file, where each triangle has its own, are merged; those of other formats are kept as they are.
/// @param mesh     receives a mesh with at least one triangle; released with mote_mesh_destroy
/// @param error    may be NULL; its text begins with the path, its line is that of the fault in a text file
/// @return MOTE_OK, MOTE_ERROR_FILE, MOTE_ERROR_FORMAT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_import_mesh(mote_context *context, const char *path, mote_mesh **mesh, mote_error *error);

/// Told how much of a file has been read, from 0 to 1, about a hundred times at most.
typedef void mote_import_watch(void *user_data, double share);

/// The same for large files, which may take seconds.
/// @param watch    called by the calling thread from time to time; may be NULL
MOTE_API mote_result mote_import_mesh_watched(mote_context *context, const char *path, mote_import_watch *watch,
                                              void *user_data, mote_mesh **mesh, mote_error *error);

/// Whether mote_import_mesh reads files with such an ending.
MOTE_API bool mote_import_knows(const char *path);

/// Reads a mesh from the `size` bytes of a file in memory. Uses at most a small multiple of `size` of memory, whatever
/// the data claims.
/// @param name     used for the file in the error's text
MOTE_API mote_result mote_import_obj(mote_context *context, const char *name, const void *data, size_t size,
                                     mote_mesh **mesh, mote_error *error);
MOTE_API mote_result mote_import_ply(mote_context *context, const char *name, const void *data, size_t size,
                                     mote_mesh **mesh, mote_error *error);
MOTE_API mote_result mote_import_stl(mote_context *context, const char *name, const void *data, size_t size,
                                     mote_mesh **mesh, mote_error *error);
/// VTK's XML files of PolyData: the polygons of all pieces. Lines and vertices are left out, triangle strips refused.
MOTE_API mote_result mote_import_vtp(mote_context *context, const char *name, const void *data, size_t size,
                                     mote_mesh **mesh, mote_error *error);

/// Points from a file.
typedef struct mote_point_data {
    size_t count;
    int dimensions;  ///< 1 or 2 if the file has so few columns, else 3
    double *xyz;     ///< three numbers a point, 0 beyond the dimensions
    size_t bytes;
    mote_context *context;
    size_t wide;         ///< the first point with a coordinate beyond the range of float; `count`: there is none
    uint32_t wide_line;  ///< the line of that point, from 1; 0 in binary data
    bool has_box;        ///< the file gives the box of its points, as LAMMPS dumps do
    mote_box box;
    bool has_periods;   ///< and says along which axes the box repeats
    bool periodic[3];
} mote_point_data;

/// The number of the last frame of a file, whatever it is.
#define MOTE_FRAME_LAST ((int64_t)-1)

/// Reads points from a file; the ending of its name, in any case, decides on the format:
/// .ply    the vertices; faces need not be there
/// .csv, .tsv, .txt, .dat
///         a table of numbers separated by ',', ';', tabs or blanks, as its first line shows; columns x, y, z (or
///         Points:0, …) where the first line, or a comment right before it with as many words, has names, else the
///         first three
/// .xyz    a point a line, what follows its three numbers is not looked at; or, after a line with their number and one
///         of comment, atoms: a name and three numbers
/// .vtp, .vtu
///         VTK XML, PolyData or UnstructuredGrid, its points: text, base64 within the tags, or appended data, raw or
///         base64; plain or in zlib's blocks
/// .vtk    VTK's legacy files, POLYDATA or UNSTRUCTURED_GRID, versions 1 to 5, text or binary: the points
/// .bgeo, .bgeo.gz
///         BGEO, version 5, plain or packed by gzip: the points
/// .raw, .f32
///         float32 x, y, z, little-endian, and nothing else
/// .npy    an array of NumPy's, versions 1 to 3, of shape (N, 2) or (N, 3), in the order of C or Fortran; float32,
///         float64 or integers, of either byte order
/// .lammpstrj, .dump
///         a LAMMPS dump as text, its first snapshot: columns x y z, xu yu zu, xs ys zs or xsu ysu zsu (the scaled ones
///         by the box), in the order of the file; the box comes along. Triclinic boxes are refused
/// Files with other endings, and tables of text, are also known by what they begin with: NPY's magic word, or "ITEM:",
/// as dumps do. Lines that begin with '#' are comments in tables and XYZ.
/// @param points   released with mote_point_data_release
/// @return as mote_import_mesh
MOTE_API mote_result mote_import_points(mote_context *context, const char *path, mote_point_data *points,
                                        mote_error *error);
/// The same for one of several snapshots in a file, which only LAMMPS dumps have. Earlier ones are skipped and not
/// checked.
/// @param frame    from 0, or MOTE_FRAME_LAST
MOTE_API mote_result mote_import_points_frame(mote_context *context, const char *path, int64_t frame,
                                              mote_point_data *points, mote_error *error);
MOTE_API void mote_point_data_release(mote_point_data *points);

/// Points from a file with what belongs to each of them.
typedef struct mote_cloud_data {
    mote_point_data points;
    mote_array *arrays;  ///< of points.count tuples each, packed
    size_t array_count;
    void *storage;       ///< of the arrays' names and numbers, for mote_cloud_data_release
    size_t storage_bytes;
    mote_context *context;
} mote_cloud_data;

/// Reads points and their named arrays from any file that mote_import_points knows: from VTP, VTU and legacy VTK files
/// the point data, from PLY the other properties of vertices, from tables the other columns whose first field is a
/// number, from BGEO the attributes of points. Arrays of texts are left out. Numbers of binary data may be infinite or
/// NaN; those of text are finite.
/// @param format   an ending, with its dot: the file is read as one whose name ends so; NULL: as its name says
/// @param cloud    released with mote_cloud_data_release
/// @return as mote_import_mesh
MOTE_API mote_result mote_import_cloud(mote_context *context, const char *path, const char *format,
                                       mote_cloud_data *cloud, mote_error *error);
/// The same from the `size` bytes of a file in memory. Uses at most a small multiple of the file's size of memory, of
/// its unpacked size where it is packed, whatever the data claims.
MOTE_API mote_result mote_import_cloud_memory(mote_context *context, const char *name, const char *format,
                                              const void *data, size_t size, mote_cloud_data *cloud, mote_error *error);
MOTE_API void mote_cloud_data_release(mote_cloud_data *cloud);

/// The same from the `size` bytes of a file in memory.
MOTE_API mote_result mote_import_points_csv(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_point_data *points, mote_error *error);
MOTE_API mote_result mote_import_points_xyz(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_point_data *points, mote_error *error);
MOTE_API mote_result mote_import_points_ply(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_point_data *points, mote_error *error);
MOTE_API mote_result mote_import_points_vtp(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_point_data *points, mote_error *error);
MOTE_API mote_result mote_import_points_npy(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_point_data *points, mote_error *error);
MOTE_API mote_result mote_import_points_lammps(mote_context *context, const char *name, const void *data, size_t size,
                                               int64_t frame, mote_point_data *points, mote_error *error);

/// Boxes from a file, for mote_boxes_corners (broadphase.h).
typedef struct mote_box_data {
    size_t count;
    int dimensions;  ///< 2 or 3
    float *corners;  ///< min x, y, z, max x, y, z of a box, in 2D min x, y, max x, y; min <= max
    size_t bytes;
    mote_context *context;
} mote_box_data;

/// Reads boxes from a file; the ending of its name, in any case, decides on the format:
/// .csv    a table as points have it; columns min x, min y, min z, max x, … (also min_x, "xmin", …) where the first
///         line has names that are known, in any order and among others; else four columns (2D) or six, in this order
/// .json   an array of boxes: [min x, min y, min z, max x, max y, max z] or {"min": [x, y, z], "max": [x, y, z]}; in 2D
///         without z
/// Numbers are rounded to the nearest float.
/// @param boxes    released with mote_box_data_release
/// @return as mote_import_mesh
MOTE_API mote_result mote_import_boxes(mote_context *context, const char *path, mote_box_data *boxes,
                                       mote_error *error);
MOTE_API void mote_box_data_release(mote_box_data *boxes);

/// The same from the `size` bytes of a file in memory.
MOTE_API mote_result mote_import_boxes_csv(mote_context *context, const char *name, const void *data, size_t size,
                                           mote_box_data *boxes, mote_error *error);
MOTE_API mote_result mote_import_boxes_json(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_box_data *boxes, mote_error *error);

enum { MOTE_MOTION_NUMBERS = 5 };  ///< of a row: t [s], x, y, z [m], turn [degree]

/// A motion from a file, for mote_motion (boundary.h).
typedef struct mote_motion_data {
    double *rows;  ///< 5 · count
    size_t count;
    size_t bytes;
    mote_context *context;
} mote_motion_data;

/// Reads a motion from a table as points have it, whatever the ending of its name. The first line may name its columns,
/// in any order: t, and of x, y, z and turn those that there are; without names they are in this order. Times rise.
/// @param motion   released with mote_motion_data_release
/// @return as mote_import_mesh
MOTE_API mote_result mote_import_motion(mote_context *context, const char *path, mote_motion_data *motion,
                                        mote_error *error);
/// The same from the `size` bytes of a file in memory.
MOTE_API mote_result mote_import_motion_csv(mote_context *context, const char *name, const void *data, size_t size,
                                            mote_motion_data *motion, mote_error *error);
MOTE_API void mote_motion_data_release(mote_motion_data *motion);

/// Finds the file of a mesh. An absolute name is taken as it is. Others are searched for in the folder of the scene,
/// then in the folders of the environment variable MOTE_MESH_PATH (separated by ':'), then where Debian's packages have
/// models.
/// @param folder   the scene's; NULL: the working directory
/// @param path     receives the path, `size` bytes at most
/// @return MOTE_OK, or MOTE_ERROR_FILE; the error's text then says where it was looked for
MOTE_API mote_result mote_import_find(const char *name, const char *folder, char *path, size_t size, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
