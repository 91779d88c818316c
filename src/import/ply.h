// SPDX-License-Identifier: MIT
// import/ply.h: a PLY file's header, for the reader of its data.
#ifndef MOTE_IMPORT_PLY_H
#define MOTE_IMPORT_PLY_H

#include "import/internal.h"

typedef enum mote_ply_format { MOTE_PLY_ASCII, MOTE_PLY_LITTLE_ENDIAN, MOTE_PLY_BIG_ENDIAN } mote_ply_format;

typedef enum mote_ply_type {
    MOTE_PLY_INT8,
    MOTE_PLY_UINT8,
    MOTE_PLY_INT16,
    MOTE_PLY_UINT16,
    MOTE_PLY_INT32,
    MOTE_PLY_UINT32,
    MOTE_PLY_FLOAT32,
    MOTE_PLY_FLOAT64,
    MOTE_PLY_TYPE_COUNT,
    MOTE_PLY_NONE = MOTE_PLY_TYPE_COUNT
} mote_ply_type;

typedef enum mote_ply_role { MOTE_PLY_SKIPPED, MOTE_PLY_X, MOTE_PLY_Y, MOTE_PLY_Z, MOTE_PLY_CORNERS } mote_ply_role;

typedef struct mote_ply_property {
    mote_token name;
    mote_ply_type count_type;  // of a list; MOTE_PLY_NONE: a single value
    mote_ply_type type;
    mote_ply_role role;
} mote_ply_property;

typedef struct mote_ply_element {
    mote_token name;
    uint64_t count;
    size_t first, property_count;  // its properties
    bool is_vertex, is_face, has_corners;
} mote_ply_element;

typedef struct mote_ply_header {
    mote_ply_format format;
    mote_buffer elements, properties;
    size_t element_count, property_count;
    uint64_t vertex_count;
    size_t data;         // where the data begin
    uint32_t data_line;  // its line, for text
} mote_ply_header;

// Reads and checks the header. Call mote_ply_header_release in any case.
// @param needs_faces  whether a file with vertices only is refused
mote_result mote_ply_header_read(mote_context *context, const mote_source *source, bool needs_faces,
                                 mote_ply_header *header);
void mote_ply_header_release(mote_context *context, mote_ply_header *header);

// Fails at the first name that an earlier element, or an earlier property of the same element, already has. A header
// that was only partly read is sufficient. The cost is O(n log n) comparisons of names.
mote_result mote_ply_names_check(mote_context *context, const mote_source *source, const mote_ply_header *header);

// Reads a whole file into a builder, which the caller finishes or releases.
mote_result mote_ply_read(const mote_source *source, bool needs_faces, mote_mesh_builder *builder);

size_t mote_ply_type_size(mote_ply_type type);
bool mote_ply_type_is_integer(mote_ply_type type);
const char *mote_ply_type_name(mote_ply_type type);

#endif
