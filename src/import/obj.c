// SPDX-License-Identifier: MIT
// Wavefront OBJ: vertices and polygons.
//
// Indices count from 1, and may refer to elements further down in the file; negative ones count back from the latest
// element. A face's corners are v, v/vt, v//vn or v/vt/vn, all of one form. Groups, materials, lines and points are
// skipped; free-form geometry and everything else is refused. The file is read twice: the first time counts how far
// indices may reach.

#include <string.h>

#include "import/internal.h"

// v, vt and vn.
enum { LISTS = 3 };
static const char *const list_names[LISTS] = {"vertex", "texture vertex", "normal"};
static const char *const list_keywords[LISTS] = {"v", "vt", "vn"};

typedef struct obj_reader {
    mote_mesh_builder builder;
    mote_scanner scanner;
    size_t totals[LISTS];  // in the whole file
    size_t counts[LISTS];  // so far
} obj_reader;

static mote_result expect_line_end(obj_reader *reader, const char *after)
{
    mote_token token = mote_scanner_next(&reader->scanner);
    if (token.kind != MOTE_TOKEN_WORD) return MOTE_OK;
    return mote_token_fail(reader->scanner.source, &token, after, "end of line");
}

// Reads min to max numbers, then the end of the line.
static mote_result read_numbers(obj_reader *reader, const char *what, int min, int max, double *values, int *count)
{
    for (*count = 0; *count < max; ++*count) {
        mote_scanner ahead = reader->scanner;
        if (*count >= min && mote_scanner_next(&ahead).kind != MOTE_TOKEN_WORD) break;
        mote_result result = mote_scanner_number(&reader->scanner, what, &values[*count]);
        if (result != MOTE_OK) return result;
    }
    char after[32] = "after the ";
    return expect_line_end(reader, strcat(after, what));
}

// Reads x y z, optionally with a weight or a colour or both.
static mote_result read_vertex(obj_reader *reader, uint32_t line)
{
    double values[7];
    int count;
    mote_result result = read_numbers(reader, "coordinate", 3, 7, values, &count);
    if (result != MOTE_OK) return result;
    if (count == 5)
        return mote_source_fail(reader->scanner.source, line, 1,
                                "v has 5 numbers, expected x y z, x y z w, x y z r g b or x y z w r g b");
    ++reader->counts[0];
    mote_vec3 vertex = {values[0], values[1], values[2]};
    return mote_builder_vertex(&reader->builder, vertex);
}

static mote_result read_checked_only(obj_reader *reader, int list, const char *what, int min)
{
    double values[3];
    int count;
    ++reader->counts[list];
    return read_numbers(reader, what, min, 3, values, &count);
}

// Reads one index of a corner: resolves negative ones, checks the range.
static mote_result read_index(const obj_reader *reader, const mote_token *corner, int list, const char *text,
                              size_t length, uint32_t *index)
{
    const int64_t count = (int64_t)reader->counts[list], total = (int64_t)reader->totals[list];
    int64_t value;
    bool fits = mote_integer_parse(text, length, -count, total, &value) && value != 0;
    const mote_source *source = reader->scanner.source;
    if (!fits && total == 0)
        return mote_source_fail(source, corner->line, corner->column,
                                "f: %s names a %s, expected none: the file has none", mote_token_quote(corner).text,
                                list_names[list]);
    if (!fits)
        return mote_source_fail(source, corner->line, corner->column,
                                "f: %s of %s is out of range, expected 1 ... %lld, or -1 ... -%lld", list_names[list],
                                mote_token_quote(corner).text, (long long)total, (long long)count);
    *index = (uint32_t)(value > 0 ? value - 1 : count + value);
    return MOTE_OK;
}

// Reads v, v/vt, v//vn or v/vt/vn. `form` receives which: bit 1 for vt, bit 2 for vn.
static mote_result read_corner(const obj_reader *reader, const mote_token *token, int *form, uint32_t *vertex)
{
    const char *at = token->text, *end = token->text + token->length;
    *form = 0;
    for (int list = 0; list < LISTS; ++list) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        const char *stop = slash ? slash : end;
        bool may_be_empty = list == 1 && slash;
        if (stop > at || !may_be_empty) {
            uint32_t index = 0;
            mote_result result = read_index(reader, token, list, at, (size_t)(stop - at), &index);
            if (result != MOTE_OK) return result;
            if (list == 0)
                *vertex = index;
            else
                *form |= list;
        }
        if (!slash) return MOTE_OK;
        at = slash + 1;
    }
    return mote_token_fail(reader->scanner.source, token, "f: a corner", "v, v/vt, v//vn or v/vt/vn");
}

static mote_result read_face(obj_reader *reader, uint32_t line)
{
    int first_form = 0;
    for (uint64_t k = 0;; ++k) {
        mote_token token = mote_scanner_next(&reader->scanner);
        if (token.kind != MOTE_TOKEN_WORD) {
            if (k >= 3) return MOTE_OK;
            return mote_source_fail(reader->scanner.source, line, 1, "f has %llu corners, expected at least 3",
                                    (unsigned long long)k);
        }
        int form;
        uint32_t vertex = 0;
        mote_result result = read_corner(reader, &token, &form, &vertex);
        if (result != MOTE_OK) return result;
        if (k == 0) first_form = form;
        if (form != first_form)
            return mote_token_fail(reader->scanner.source, &token, "f: a corner",
                                   "the same form as the first corner's");
        result = mote_builder_corner(&reader->builder, k, vertex);
        if (result != MOTE_OK) return result;
    }
}

static bool is_passed_over(const mote_token *keyword)
{
    static const char *const keywords[] = {"g",      "o",        "s",        "usemtl", "mtllib",     "usemap",
                                           "maplib", "mg",       "bevel",    "lod",    "shadow_obj", "trace_obj",
                                           "vp",     "c_interp", "d_interp", "p",      "l"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; ++i)
        if (mote_token_is(keyword, keywords[i])) return true;
    return false;
}

// Skips a line, word by word, because it may continue on the next.
static void pass_line(mote_scanner *scanner)
{
    while (mote_scanner_next(scanner).kind == MOTE_TOKEN_WORD) {
    }
}

static mote_result read_statement(obj_reader *reader, const mote_token *keyword)
{
    if (mote_token_is(keyword, "v")) return read_vertex(reader, keyword->line);
    if (mote_token_is(keyword, "f")) return read_face(reader, keyword->line);
    if (mote_token_is(keyword, "vt")) return read_checked_only(reader, 1, "coordinate", 1);
    if (mote_token_is(keyword, "vn")) return read_checked_only(reader, 2, "normal", 3);
    if (!is_passed_over(keyword))
        return mote_token_fail(reader->scanner.source, keyword, "keyword",
                               "one of OBJ's for polygons (v, vt, vn, f, g, ...)");
    pass_line(&reader->scanner);
    return MOTE_OK;
}

// Counting takes about this share of the reading time.
static const double counting = 0.3;

static void count_lists(obj_reader *reader)
{
    mote_scanner ahead = reader->scanner;
    for (;;) {
        mote_builder_watch(&reader->builder, counting * (double)ahead.at / (double)ahead.source->size);
        mote_token token = mote_scanner_next(&ahead);
        if (token.kind == MOTE_TOKEN_FILE_END) return;
        if (token.kind == MOTE_TOKEN_LINE_END) continue;
        for (int list = 0; list < LISTS; ++list) reader->totals[list] += mote_token_is(&token, list_keywords[list]);
        pass_line(&ahead);
    }
}

mote_result mote_obj_read_mesh(mote_context *context, const mote_source *source, mote_mesh **mesh)
{
    obj_reader reader = {.builder = {.context = context, .source = source},
                         .scanner = {.source = source, .line = 1, .comment = '#', .continues = true}};
    count_lists(&reader);
    mote_result result = MOTE_OK;
    while (result == MOTE_OK) {
        mote_token token = mote_scanner_next(&reader.scanner);
        if (token.kind == MOTE_TOKEN_FILE_END) break;
        if (token.kind == MOTE_TOKEN_WORD) result = read_statement(&reader, &token);
        const double share = (double)reader.scanner.at / (double)source->size;
        mote_builder_watch(&reader.builder, counting + (1 - counting) * share);
    }
    return mote_builder_finish(&reader.builder, result, mesh);
}

mote_result mote_import_obj(mote_context *context, const char *name, const void *data, size_t size, mote_mesh **mesh,
                            mote_error *error)
{
    if (!mesh || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the mesh");
    const mote_source source = mote_source_make(name, data, size, error);
    return mote_obj_read_mesh(context, &source, mesh);
}
