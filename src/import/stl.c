// SPDX-License-Identifier: MIT
// STL: a soup of triangles, as text or binary.
//
// A binary file is recognised by its size, which follows from its triangle count: 84 bytes, and 50 per triangle. Its
// first bytes are no criterion: many begin with "solid", as text files do. A file whose size fits no count is text
// if it begins so and has no zero bytes near its start; otherwise it is a binary file of the wrong size.

#include <math.h>
#include <string.h>

#include "import/internal.h"

enum { HEADER = 84, RECORD = 50, LOOKED_AT = 512 };

static uint32_t read_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char *bytes)
{
    uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static mote_result read_binary(mote_mesh_builder *builder)
{
    static const char axes[] = "xyz";
    const mote_source *source = builder->source;
    uint32_t count = read_u32(source->data + HEADER - 4);
    for (uint32_t t = 0; t < count; ++t) {
        mote_builder_watch(builder, (double)t / count);
        for (uint32_t k = 0; k < 3; ++k) {
            size_t at = HEADER + (size_t)t * RECORD + 12 + 12 * k;
            double p[3];
            for (size_t axis = 0; axis < 3; ++axis) {
                p[axis] = read_f32(source->data + at + 4 * axis);
                if (!isfinite(p[axis]))
                    return mote_source_fail(source, 0, 0,
                                            "triangle %u (byte %zu): %c of corner %u is infinite or not a number, "
                                            "expected a finite number",
                                            t, at + 4 * axis, axes[axis], k);
            }
            mote_vec3 vertex = {p[0], p[1], p[2]};
            mote_result result = mote_builder_vertex(builder, vertex);
            if (result == MOTE_OK) result = mote_builder_corner(builder, k, (uint32_t)(builder->vertex_count - 1));
            if (result != MOTE_OK) return result;
        }
    }
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- text

static mote_token next_word(mote_scanner *scanner)
{
    mote_token token = mote_scanner_next(scanner);
    while (token.kind == MOTE_TOKEN_LINE_END) token = mote_scanner_next(scanner);
    return token;
}

// Keywords may be in upper or lower case.
static bool is_keyword(const mote_token *token, const char *word)
{
    if (token->kind != MOTE_TOKEN_WORD || token->length != strlen(word)) return false;
    for (size_t i = 0; i < token->length; ++i)
        if ((token->text[i] | 0x20) != word[i]) return false;
    return true;
}

static mote_result expect(mote_scanner *scanner, const char *word)
{
    mote_token token = next_word(scanner);
    return is_keyword(&token, word) ? MOTE_OK : mote_token_fail(scanner->source, &token, "keyword", word);
}

// Reads the rest of a "facet": normal, loop and three vertices, up to "endfacet".
static mote_result read_facet(mote_mesh_builder *builder, mote_scanner *scanner)
{
    double p[3];
    mote_result result = expect(scanner, "normal");
    for (int k = 0; k < 3 && result == MOTE_OK; ++k) result = mote_scanner_number(scanner, "normal", &p[k]);
    if (result == MOTE_OK) result = expect(scanner, "outer");
    if (result == MOTE_OK) result = expect(scanner, "loop");
    for (uint32_t corner = 0; corner < 3 && result == MOTE_OK; ++corner) {
        result = expect(scanner, "vertex");
        for (int k = 0; k < 3 && result == MOTE_OK; ++k) result = mote_scanner_number(scanner, "coordinate", &p[k]);
        mote_vec3 vertex = {p[0], p[1], p[2]};
        if (result == MOTE_OK) result = mote_builder_vertex(builder, vertex);
        if (result == MOTE_OK) result = mote_builder_corner(builder, corner, (uint32_t)(builder->vertex_count - 1));
    }
    if (result == MOTE_OK) result = expect(scanner, "endloop");
    return result == MOTE_OK ? expect(scanner, "endfacet") : result;
}

// Reads one or several solids; the rest of a solid's first line is its name.
static mote_result read_text(mote_mesh_builder *builder)
{
    mote_scanner scanner = {.source = builder->source, .line = 1};
    for (mote_token token = next_word(&scanner); token.kind != MOTE_TOKEN_FILE_END; token = next_word(&scanner)) {
        if (!is_keyword(&token, "solid")) return mote_token_fail(builder->source, &token, "keyword", "solid");
        mote_scanner_skip_line(&scanner);
        for (token = next_word(&scanner); is_keyword(&token, "facet"); token = next_word(&scanner)) {
            mote_result result = read_facet(builder, &scanner);
            if (result != MOTE_OK) return result;
            mote_builder_watch(builder, (double)scanner.at / (double)scanner.source->size);
        }
        if (!is_keyword(&token, "endsolid"))
            return mote_token_fail(builder->source, &token, "keyword", "facet or endsolid");
        mote_scanner_skip_line(&scanner);
    }
    return MOTE_OK;
}

static bool looks_like_text(const mote_source *source)
{
    mote_scanner scanner = {.source = source, .line = 1};
    mote_token first = next_word(&scanner);
    return is_keyword(&first, "solid") && !memchr(source->data, 0, MOTE_MIN(source->size, LOOKED_AT));
}

static mote_result read_either(mote_mesh_builder *builder)
{
    const mote_source *source = builder->source;
    uint64_t count = source->size >= HEADER ? read_u32(source->data + HEADER - 4) : 0;
    if (source->size >= HEADER && source->size == HEADER + count * RECORD) return read_binary(builder);
    if (looks_like_text(source)) return read_text(builder);
    if (source->size < HEADER)
        return mote_source_fail(source, 0, 0, "%zu bytes, expected a text that begins with solid, or at least 84 bytes",
                                source->size);
    return mote_source_fail(source, 0, 0, "%zu bytes, expected %llu for the %llu triangles that byte 80 announces",
                            source->size, (unsigned long long)(HEADER + count * RECORD), (unsigned long long)count);
}

mote_result mote_stl_read_mesh(mote_context *context, const mote_source *source, mote_mesh **mesh)
{
    mote_mesh_builder builder = {.context = context, .source = source};
    mote_mesh *made = NULL;
    mote_result result = mote_builder_finish(&builder, read_either(&builder), &made);
    if (result != MOTE_OK) return result;
    result = mote_mesh_weld(made, NULL);
    if (result != MOTE_OK) {
        mote_mesh_destroy(made);
        return mote_fail(source->error, result, 0, "%s: no memory to weld its vertices", source->name);
    }
    *mesh = made;
    return MOTE_OK;
}

mote_result mote_import_stl(mote_context *context, const char *name, const void *data, size_t size, mote_mesh **mesh,
                            mote_error *error)
{
    if (!mesh || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the mesh");
    const mote_source source = mote_source_make(name, data, size, error);
    return mote_stl_read_mesh(context, &source, mesh);
}
