// SPDX-License-Identifier: MIT
// import/internal.h: declarations that the readers share: the source and its errors, tokens of text, and the mesh
// builder.
#ifndef MOTE_IMPORT_INTERNAL_H
#define MOTE_IMPORT_INTERNAL_H

#include "base/internal.h"
#include "base/number.h"
#include "mote/import.h"

// A file in memory, where its errors go, and the callback for the progress of reading.
typedef struct mote_source {
    const char *name;
    const char *data;
    size_t size;
    mote_error *error;
    mote_import_watch *watch;  // may be NULL
    void *watch_data;
} mote_source;

static inline mote_source mote_source_make(const char *name, const void *data, size_t size, mote_error *error)
{
    mote_source source = {name ? name : "mesh", size ? data : "", size, error, NULL, NULL};
    return source;
}

// MOTE_ERROR_FORMAT, with "name:line: …" for text and "name: …" where line is 0.
mote_result mote_source_fail(const mote_source *source, uint32_t line, uint32_t column, const char *format, ...)
    MOTE_PRINTF(4, 5);

// Reads a file into the buffer, which the caller releases in any case.
mote_result mote_file_load(mote_context *context, const char *path, mote_buffer *buffer, size_t *size,
                           mote_error *error);

// ------------------------------------------------------------------------------------------------------ tokens

typedef enum mote_token_kind { MOTE_TOKEN_WORD, MOTE_TOKEN_LINE_END, MOTE_TOKEN_FILE_END } mote_token_kind;

// A word of a text, or the end of a line.
typedef struct mote_token {
    mote_token_kind kind;
    const char *text;
    size_t length;
    uint32_t line, column;  // from 1
} mote_token;

typedef struct mote_scanner {
    const mote_source *source;
    size_t at;
    uint32_t line;
    size_t line_start;
    char comment;    // begins a comment that runs to the end of the line; 0: none
    bool continues;  // a backslash at the end of a line joins the next
} mote_scanner;

mote_token mote_scanner_next(mote_scanner *scanner);
// Goes to the end of the current line, which becomes the next token.
void mote_scanner_skip_line(mote_scanner *scanner);

// The next token as a finite number; `what` names the field in the error.
mote_result mote_scanner_number(mote_scanner *scanner, const char *what, double *value);

bool mote_token_is(const mote_token *token, const char *word);

// The token as text for a message: in quotes, cut, without control characters; or "end of line", "end of file".
typedef struct mote_quote {
    char text[48];
} mote_quote;
mote_quote mote_token_quote(const mote_token *token);
// The same for a word, but without the quotes.
mote_quote mote_token_plain(const mote_token *token);

// MOTE_ERROR_FORMAT at a token: "name:line: what is "token", expected …".
mote_result mote_token_fail(const mote_source *source, const mote_token *token, const char *what, const char *expected);

// -------------------------------------------------------------------------------------------------------- mesh

typedef struct mote_cloud_builder mote_cloud_builder;

// Vertices and triangles while they are read.
typedef struct mote_mesh_builder {
    mote_context *context;
    mote_cloud_builder *cloud;  // receives named arrays of the vertices; NULL: they are not kept
    const mote_source *source;
    mote_buffer vertices, triangles;
    size_t vertex_count, triangle_count;
    uint32_t corners[2];  // the first and the last corner of the current polygon
    uint32_t line;        // for text, the line of the next vertex; 0: not known
    bool has_wide;        // a vertex beyond the range of floats was read: which and where
    size_t wide;
    uint32_t wide_line;
    double watched;  // the share of the file at which progress is reported next
} mote_mesh_builder;

// Reports how far the file has been read.
static inline void mote_builder_watch(mote_mesh_builder *builder, double share)
{
    static const double interval = 1.0 / 256;
    if (!builder->source->watch || !(share >= builder->watched)) return;
    builder->watched = share + interval;
    builder->source->watch(builder->source->watch_data, MOTE_MIN(share, 1));
}

// Makes room for `count` more vertices.
mote_result mote_builder_expect(mote_mesh_builder *builder, uint64_t count);
mote_result mote_builder_vertex(mote_mesh_builder *builder, mote_vec3 vertex);

// Adds corner number `k` of a polygon: from the third on, each makes a triangle.
mote_result mote_builder_corner(mote_mesh_builder *builder, uint64_t k, uint32_t vertex);

// Makes the mesh if `result` is MOTE_OK, and releases the builder in any case.
mote_result mote_builder_finish(mote_mesh_builder *builder, mote_result result, mote_mesh **mesh);

// The readers of whole files.
typedef mote_result mote_source_reader(mote_context *context, const mote_source *source, mote_mesh **mesh);
mote_source_reader mote_obj_read_mesh, mote_ply_read_mesh, mote_stl_read_mesh, mote_vtp_read_mesh;

#endif
