// SPDX-License-Identifier: MIT
// import/cloud.h: named arrays of points while they are read.
#ifndef MOTE_IMPORT_CLOUD_H
#define MOTE_IMPORT_CLOUD_H

#include "import/internal.h"

// An array as it grows: packed tuples in the machine's byte order.
typedef struct mote_cloud_array {
    mote_buffer name, data;
    size_t used;  // bytes of data
    mote_array_type type;
    int components;
} mote_cloud_array;

struct mote_cloud_builder {
    mote_context *context;
    const mote_source *source;
    mote_buffer arrays;  // mote_cloud_array[count]
    size_t count;
};

// Declares an array, or finds the one of that name, which must then be of the same kind.
// @param line   of the file, for errors; 0: binary data
mote_result mote_cloud_declare(mote_cloud_builder *cloud, const mote_token *name, mote_array_type type, int components,
                               uint32_t line, size_t *index);
// Appends a number: an integer's bits, sign-extended, or those of a double, which become those of the array's type.
mote_result mote_cloud_put(mote_cloud_builder *cloud, size_t index, uint64_t bits);
mote_result mote_cloud_put_number(mote_cloud_builder *cloud, size_t index, double number);
// Appends `count` numbers as they are in a file.
mote_result mote_cloud_take(mote_cloud_builder *cloud, size_t index, const unsigned char *bytes, size_t count,
                            bool is_big);
void mote_cloud_release(mote_cloud_builder *cloud);
// A number of that type from a text. False if it is none, or out of the type's range.
bool mote_cloud_parse(mote_array_type type, const mote_token *token, uint64_t *bits);
// Whether numbers of a file are as the machine has them.
double mote_bits_number(uint64_t bits, size_t size);

// The readers of files that hold arrays. Without a cloud in the builder they read points alone.
mote_result mote_vtk_xml_read(const mote_source *source, mote_mesh_builder *builder);

// A piece of PolyData, and how many numbers its arrays of polygons have.
typedef struct mote_vtk_piece {
    uint64_t points, polygons;
    uint64_t corners, ends;
    uint32_t line;
    bool is_counted;  // the file says how many polygons there are
} mote_vtk_piece;

typedef struct mote_vtk_pieces {
    mote_buffer memory;  // mote_vtk_piece[count]
    size_t count;
} mote_vtk_pieces;

// The same with polygons: their arrays, connectivity and offsets, come into the builder's cloud, piece by piece, and
// nothing else does.
mote_result mote_vtk_xml_read_cells(const mote_source *source, mote_mesh_builder *builder, mote_vtk_pieces *pieces);
mote_result mote_vtk_legacy_read(const mote_source *source, mote_mesh_builder *builder);
mote_result mote_bgeo_read(const mote_source *source, mote_mesh_builder *builder);
mote_result mote_raw_read(const mote_source *source, mote_mesh_builder *builder);
bool mote_bgeo_is(const mote_source *source);

// Unpacks gzip into the buffer, which the caller releases in any case; several members follow each other.
mote_result mote_gzip_unpack(mote_context *context, const mote_source *source, mote_buffer *buffer, size_t *size);
bool mote_gzip_is(const mote_source *source);

#endif
