// SPDX-License-Identifier: MIT
// The points of VTK's legacy files and their arrays (VTK file formats, "Simple legacy formats"): data sets POLYDATA and
// UNSTRUCTURED_GRID, text or big-endian binary, versions 1 to 5.
//
// A file is a list of sections, each a line of keywords and then its numbers. Cells and their data are passed over.
// Arrays come after POINT_DATA: scalars, vectors, normals, tensors, texture coordinates, colours and fields.

#include <string.h>

#include "import/cloud.h"

typedef struct legacy_reader {
    const mote_source *source;
    mote_mesh_builder *builder;
    mote_scanner scanner;
    bool is_binary, has_points;
    bool in_point_data;  // arrays of points follow, or others
    uint64_t tuples;     // of the arrays that follow
} legacy_reader;

static const struct {
    const char *name;
    mote_array_type type;
} types[] = {{"float", MOTE_ARRAY_F32},          {"double", MOTE_ARRAY_F64},        {"int", MOTE_ARRAY_I32},
             {"unsigned_char", MOTE_ARRAY_U8},   {"char", MOTE_ARRAY_I8},           {"signed_char", MOTE_ARRAY_I8},
             {"short", MOTE_ARRAY_I16},          {"unsigned_short", MOTE_ARRAY_U16}, {"unsigned_int", MOTE_ARRAY_U32},
             {"long", MOTE_ARRAY_I64},           {"unsigned_long", MOTE_ARRAY_U64}, {"vtktypeint64", MOTE_ARRAY_I64},
             {"vtktypeuint64", MOTE_ARRAY_U64},  {"vtkIdType", MOTE_ARRAY_I32}};

// What becomes of the numbers of a section.
typedef struct section {
    mote_token name;
    mote_array_type type;
    size_t parts;
    uint64_t tuples;
    bool is_points, is_kept;
    size_t index;  // of the cloud's array
} section;

static mote_token next_word(legacy_reader *reader)
{
    mote_token token;
    do token = mote_scanner_next(&reader->scanner);
    while (token.kind == MOTE_TOKEN_LINE_END);
    return token;
}

static mote_result read_whole(legacy_reader *reader, const char *what, int64_t most, uint64_t *whole)
{
    const mote_token token = mote_scanner_next(&reader->scanner);
    int64_t value;
    *whole = 0;
    if (token.kind != MOTE_TOKEN_WORD || !mote_integer_parse(token.text, token.length, 0, most, &value))
        return mote_token_fail(reader->source, &token, what, "a whole number");
    *whole = (uint64_t)value;
    return MOTE_OK;
}

static mote_result read_type(legacy_reader *reader, mote_array_type *type)
{
    const mote_token token = mote_scanner_next(&reader->scanner);
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k)
        if (mote_token_is(&token, types[k].name)) {
            *type = types[k].type;
            return MOTE_OK;
        }
    return mote_token_fail(reader->source, &token, "type", "char ... double, or vtktypeint64");
}

static mote_result end_line(legacy_reader *reader)
{
    const mote_token token = mote_scanner_next(&reader->scanner);
    if (token.kind == MOTE_TOKEN_LINE_END) return MOTE_OK;
    return mote_token_fail(reader->source, &token, "after the section's head", "end of line");
}

// ---------------------------------------------------------------------------------------------------------- numbers

static mote_result take_point(legacy_reader *reader, const double at[3], uint64_t i)
{
    for (int k = 0; k < 3; ++k)
        if (at[k] - at[k] != 0)
            return mote_source_fail(reader->source, 0, 0, "point %llu (byte %zu): %c is not finite, expected a number",
                                    (unsigned long long)i, reader->scanner.at, "xyz"[k]);
    return mote_builder_vertex(reader->builder, (mote_vec3){at[0], at[1], at[2]});
}

static double read_big(const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; ++k) bits = bits << 8 | bytes[k];
    return mote_bits_number(bits, size);
}

static mote_result take_binary(legacy_reader *reader, const section *what)
{
    const size_t size = mote_array_type_bytes(what->type), each = what->parts * size;
    const size_t left = reader->source->size - reader->scanner.at;
    if (each && left / each < what->tuples)
        return mote_source_fail(reader->source, 0, 0, "byte %zu: %s has %llu tuples of %zu bytes, expected no more "
                                "than the %zu bytes that follow", reader->scanner.at,
                                mote_token_plain(&what->name).text, (unsigned long long)what->tuples, each, left);
    const unsigned char *bytes = (const unsigned char *)reader->source->data + reader->scanner.at;
    mote_result result = MOTE_OK;
    if (what->is_points) {
        result = mote_builder_expect(reader->builder, what->tuples);
        for (uint64_t i = 0; i < what->tuples && result == MOTE_OK; ++i, bytes += each) {
            double at[3];
            for (size_t k = 0; k < 3; ++k) at[k] = read_big(bytes + k * size, size);
            result = take_point(reader, at, i);
        }
    } else if (what->is_kept) {
        result = mote_cloud_take(reader->builder->cloud, what->index, bytes, (size_t)what->tuples * what->parts, true);
    }
    reader->scanner.at += (size_t)what->tuples * each;
    reader->scanner.line_start = reader->scanner.at;
    return result;
}

static mote_result take_text(legacy_reader *reader, const section *what)
{
    const char *name = what->is_points ? "coordinate" : mote_token_plain(&what->name).text;
    double at[3] = {0, 0, 0};
    for (uint64_t i = 0; i < what->tuples; ++i)
        for (size_t k = 0; k < what->parts; ++k) {
            const mote_token token = next_word(reader);
            mote_result result = MOTE_OK;
            uint64_t bits;
            if (what->is_points && mote_number_parse(token.text, token.length, &at[MOTE_MIN(k, 2)])) {
                reader->builder->line = token.line;
                if (k == 2) result = take_point(reader, at, i);
            } else if (what->is_points || !mote_cloud_parse(what->type, &token, &bits)) {
                result = mote_token_fail(reader->source, &token, name, "a number of the section's type");
            } else if (what->is_kept) {
                result = mote_cloud_put(reader->builder->cloud, what->index, bits);
            }
            if (result != MOTE_OK) return result;
        }
    return MOTE_OK;
}

static mote_result take(legacy_reader *reader, section *what)
{
    what->is_kept = !what->is_points && reader->in_point_data && reader->builder->cloud;
    mote_result result = MOTE_OK;
    if (what->is_kept)
        result = mote_cloud_declare(reader->builder->cloud, &what->name, what->type, (int)what->parts,
                                    what->name.line, &what->index);
    if (result != MOTE_OK) return result;
    return reader->is_binary ? take_binary(reader, what) : take_text(reader, what);
}

// --------------------------------------------------------------------------------------------------------- sections

static mote_result read_points(legacy_reader *reader, const mote_token *keyword)
{
    section what = {.name = *keyword, .parts = 3, .is_points = true};
    if (reader->has_points) return mote_token_fail(reader->source, keyword, "section", "POINTS only once");
    reader->has_points = true;
    mote_result result = read_whole(reader, "the number of points", UINT32_MAX - 1, &what.tuples);
    if (result == MOTE_OK) result = read_type(reader, &what.type);
    if (result == MOTE_OK && what.type != MOTE_ARRAY_F32 && what.type != MOTE_ARRAY_F64)
        return mote_token_fail(reader->source, keyword, "the type behind section", "float or double");
    if (result == MOTE_OK) result = end_line(reader);
    return result == MOTE_OK ? take(reader, &what) : result;
}

// CELLS, VERTICES and the like: until version 4 a list of whole numbers, since then two arrays.
static mote_result pass_cells(legacy_reader *reader, const mote_token *keyword)
{
    const bool is_types = mote_token_is(keyword, "CELL_TYPES");
    uint64_t counts[2] = {0, 0};
    mote_result result = read_whole(reader, "the number of cells", INT64_MAX / 64, &counts[0]);
    if (result == MOTE_OK && !is_types)
        result = read_whole(reader, "the size of the cells", INT64_MAX / 64, &counts[1]);
    if (result == MOTE_OK) result = end_line(reader);
    if (result != MOTE_OK) return result;
    mote_scanner before = reader->scanner;
    const mote_token word = mote_scanner_next(&reader->scanner);
    section what = {.name = *keyword, .type = MOTE_ARRAY_I32, .parts = 1, .tuples = is_types ? counts[0] : counts[1]};
    if (is_types || !mote_token_is(&word, "OFFSETS")) {
        reader->scanner = before;
        return take(reader, &what);
    }
    for (int k = 0; k < 2 && result == MOTE_OK; ++k) {
        if (k == 1) {
            const mote_token second = next_word(reader);
            if (!mote_token_is(&second, "CONNECTIVITY"))
                return mote_token_fail(reader->source, &second, "section", "CONNECTIVITY");
        }
        result = read_type(reader, &what.type);
        if (result == MOTE_OK) result = end_line(reader);
        what.tuples = counts[k];
        if (result == MOTE_OK) result = take(reader, &what);
    }
    return result;
}

// A name is written with its odd characters as %20 and the like, which stay.
static mote_result read_name(legacy_reader *reader, mote_token *name)
{
    *name = mote_scanner_next(&reader->scanner);
    if (name->kind == MOTE_TOKEN_WORD) return MOTE_OK;
    return mote_token_fail(reader->source, name, "name", "a word");
}

// Goes past a blank line, with which a section of names and units ends.
static void pass_metadata(legacy_reader *reader)
{
    mote_scanner_skip_line(&reader->scanner);
    mote_scanner_next(&reader->scanner);
    while (mote_scanner_next(&reader->scanner).kind == MOTE_TOKEN_WORD) {
        mote_scanner_skip_line(&reader->scanner);
        mote_scanner_next(&reader->scanner);
    }
}

// FIELD name count, then for each array: name, components, tuples, type, and the numbers.
static mote_result read_field(legacy_reader *reader)
{
    mote_token name;
    uint64_t count = 0, parts = 0;
    mote_result result = read_name(reader, &name);
    if (result == MOTE_OK) result = read_whole(reader, "the number of arrays", INT32_MAX, &count);
    if (result == MOTE_OK) result = end_line(reader);
    for (uint64_t a = 0; result == MOTE_OK && a < count; ++a) {
        section what = {.name = next_word(reader)};
        if (mote_token_is(&what.name, "METADATA")) {  // of the array before
            pass_metadata(reader);
            what.name = next_word(reader);
        }
        if (what.name.kind != MOTE_TOKEN_WORD) return mote_token_fail(reader->source, &what.name, "name", "a word");
        result = read_whole(reader, "the number of components", MOTE_ARRAY_COMPONENTS, &parts);
        if (result == MOTE_OK && parts == 0)
            return mote_token_fail(reader->source, &what.name, "without components the array", "1 to 9 of them");
        if (result == MOTE_OK) result = read_whole(reader, "the number of tuples", UINT32_MAX, &what.tuples);
        if (result == MOTE_OK) result = read_type(reader, &what.type);
        if (result == MOTE_OK) result = end_line(reader);
        what.parts = (size_t)parts;
        if (result == MOTE_OK) result = take(reader, &what);
    }
    return result;
}

// SCALARS name type [components], then LOOKUP_TABLE name.
static mote_result read_scalars(legacy_reader *reader)
{
    section what = {.tuples = reader->tuples, .parts = 1};
    mote_result result = read_name(reader, &what.name);
    if (result == MOTE_OK) result = read_type(reader, &what.type);
    if (result != MOTE_OK) return result;
    mote_token token = mote_scanner_next(&reader->scanner);
    int64_t parts;
    if (token.kind == MOTE_TOKEN_WORD) {
        if (!mote_integer_parse(token.text, token.length, 1, 4, &parts))
            return mote_token_fail(reader->source, &token, "the number of components", "1 to 4");
        what.parts = (size_t)parts;
        result = end_line(reader);
    } else if (token.kind != MOTE_TOKEN_LINE_END) {
        return mote_token_fail(reader->source, &token, "after the section's head", "end of line");
    }
    if (result != MOTE_OK) return result;
    mote_scanner before = reader->scanner;
    token = mote_scanner_next(&reader->scanner);
    if (mote_token_is(&token, "LOOKUP_TABLE")) {
        result = read_name(reader, &token);
        if (result == MOTE_OK) result = end_line(reader);
    } else {
        reader->scanner = before;
    }
    return result == MOTE_OK ? take(reader, &what) : result;
}

// VECTORS, NORMALS, TENSORS name type; TEXTURE_COORDINATES name components type.
static mote_result read_tuples(legacy_reader *reader, size_t parts)
{
    section what = {.tuples = reader->tuples, .parts = parts};
    uint64_t given = parts;
    mote_result result = read_name(reader, &what.name);
    if (result == MOTE_OK && parts == 0) result = read_whole(reader, "the number of components", 3, &given);
    if (result == MOTE_OK && given == 0)
        return mote_token_fail(reader->source, &what.name, "without components the array", "1 to 3 of them");
    if (result == MOTE_OK) result = read_type(reader, &what.type);
    if (result == MOTE_OK) result = end_line(reader);
    what.parts = (size_t)given;
    return result == MOTE_OK ? take(reader, &what) : result;
}

// COLOR_SCALARS name components; LOOKUP_TABLE name size: bytes, in text numbers from 0 to 1.
static mote_result read_colors(legacy_reader *reader, bool is_table)
{
    section what = {.tuples = reader->tuples, .type = reader->is_binary ? MOTE_ARRAY_U8 : MOTE_ARRAY_F32, .parts = 4};
    uint64_t count = 0;
    mote_result result = read_name(reader, &what.name);
    if (result == MOTE_OK)
        result = read_whole(reader, is_table ? "the size of the table" : "the number of components",
                            is_table ? INT32_MAX : 4, &count);
    if (result == MOTE_OK && count == 0 && !is_table)
        return mote_token_fail(reader->source, &what.name, "without components the array", "1 to 4 of them");
    if (result == MOTE_OK) result = end_line(reader);
    if (result != MOTE_OK) return result;
    if (is_table) what.tuples = count;
    else what.parts = (size_t)count;
    const bool was = reader->in_point_data;
    reader->in_point_data = was && !is_table;
    result = take(reader, &what);
    reader->in_point_data = was;
    return result;
}

static mote_result begin_data(legacy_reader *reader, bool is_points)
{
    reader->in_point_data = is_points;
    mote_result result = read_whole(reader, "the number of tuples", INT64_MAX / 64, &reader->tuples);
    if (result == MOTE_OK && is_points && reader->tuples != reader->builder->vertex_count)
        return mote_source_fail(reader->source, reader->scanner.line, 1, "POINT_DATA is for %llu points, expected %zu",
                                (unsigned long long)reader->tuples, reader->builder->vertex_count);
    return result == MOTE_OK ? end_line(reader) : result;
}

static bool is_one_of(const mote_token *token, const char *const *words)
{
    while (*words && !mote_token_is(token, *words)) ++words;
    return *words != NULL;
}

static mote_result read_section(legacy_reader *reader, const mote_token *keyword)
{
    static const char *const cells[] = {"VERTICES", "LINES",      "POLYGONS", "TRIANGLE_STRIPS",
                                        "CELLS",    "CELL_TYPES", NULL};
    if (mote_token_is(keyword, "POINTS")) return read_points(reader, keyword);
    if (is_one_of(keyword, cells)) return pass_cells(reader, keyword);
    if (mote_token_is(keyword, "POINT_DATA")) return begin_data(reader, true);
    if (mote_token_is(keyword, "CELL_DATA")) return begin_data(reader, false);
    if (mote_token_is(keyword, "FIELD")) return read_field(reader);
    if (mote_token_is(keyword, "SCALARS")) return read_scalars(reader);
    if (mote_token_is(keyword, "VECTORS") || mote_token_is(keyword, "NORMALS")) return read_tuples(reader, 3);
    if (mote_token_is(keyword, "TENSORS")) return read_tuples(reader, 9);
    if (mote_token_is(keyword, "TEXTURE_COORDINATES")) return read_tuples(reader, 0);
    if (mote_token_is(keyword, "COLOR_SCALARS")) return read_colors(reader, false);
    if (mote_token_is(keyword, "LOOKUP_TABLE")) return read_colors(reader, true);
    if (mote_token_is(keyword, "METADATA")) {
        pass_metadata(reader);
        return MOTE_OK;
    }
    return mote_token_fail(reader->source, keyword, "section", "POINTS, cells, POINT_DATA, or an array");
}

static mote_result read_head(legacy_reader *reader)
{
    static const char magic[] = "# vtk DataFile Version ";
    const mote_source *source = reader->source;
    if (source->size < sizeof magic - 1 || memcmp(source->data, magic, sizeof magic - 1) != 0)
        return mote_source_fail(source, 1, 1, "the file does not begin with \"%s\", expected a legacy VTK file", magic);
    reader->scanner.at = sizeof magic - 1;
    const mote_token version = mote_scanner_next(&reader->scanner);
    if (version.kind != MOTE_TOKEN_WORD || version.length != 3 || version.text[0] < '1' || version.text[0] > '5' ||
        version.text[1] != '.')
        return mote_token_fail(source, &version, "version", "1.0 to 5.1");
    mote_scanner_skip_line(&reader->scanner);
    mote_scanner_next(&reader->scanner);
    mote_scanner_skip_line(&reader->scanner);  // the title
    mote_scanner_next(&reader->scanner);
    const mote_token kind = mote_scanner_next(&reader->scanner);
    reader->is_binary = mote_token_is(&kind, "BINARY");
    if (!reader->is_binary && !mote_token_is(&kind, "ASCII"))
        return mote_token_fail(source, &kind, "kind of data", "ASCII or BINARY");
    const mote_token keyword = next_word(reader), set = mote_scanner_next(&reader->scanner);
    if (!mote_token_is(&keyword, "DATASET")) return mote_token_fail(source, &keyword, "section", "DATASET");
    if (!mote_token_is(&set, "POLYDATA") && !mote_token_is(&set, "UNSTRUCTURED_GRID"))
        return mote_token_fail(source, &set, "DATASET", "POLYDATA or UNSTRUCTURED_GRID");
    return MOTE_OK;
}

mote_result mote_vtk_legacy_read(const mote_source *source, mote_mesh_builder *builder)
{
    legacy_reader reader = {.source = source, .builder = builder, .scanner = {.source = source, .line = 1}};
    mote_result result = read_head(&reader);
    while (result == MOTE_OK) {
        const mote_token keyword = next_word(&reader);
        if (keyword.kind == MOTE_TOKEN_FILE_END) break;
        result = read_section(&reader, &keyword);
    }
    if (result == MOTE_OK && !reader.has_points)
        result = mote_source_fail(source, reader.scanner.line, 1, "there is no section POINTS, expected one");
    return result;
}
