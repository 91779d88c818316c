// SPDX-License-Identifier: MIT
// The header of a PLY file: format, elements and their properties, each on a line of its own.
//
// The header is checked for what vertices and faces need, and for counts that do not fit into the file, so that
// reading the data never allocates memory for counts of a damaged header.

#include "import/ply.h"

static const struct {
    const char *name, *other_name;
    size_t size;
} types[MOTE_PLY_TYPE_COUNT] = {
    [MOTE_PLY_INT8] = {"char", "int8", 1},        [MOTE_PLY_UINT8] = {"uchar", "uint8", 1},
    [MOTE_PLY_INT16] = {"short", "int16", 2},     [MOTE_PLY_UINT16] = {"ushort", "uint16", 2},
    [MOTE_PLY_INT32] = {"int", "int32", 4},       [MOTE_PLY_UINT32] = {"uint", "uint32", 4},
    [MOTE_PLY_FLOAT32] = {"float", "float32", 4}, [MOTE_PLY_FLOAT64] = {"double", "float64", 8},
};

size_t mote_ply_type_size(mote_ply_type type)
{
    return types[type].size;
}

bool mote_ply_type_is_integer(mote_ply_type type)
{
    return type < MOTE_PLY_FLOAT32;
}

const char *mote_ply_type_name(mote_ply_type type)
{
    return types[type].name;
}

typedef struct header_reader {
    mote_context *context;
    mote_scanner scanner;
    mote_ply_header *header;
} header_reader;

static mote_ply_element *elements_of(const mote_ply_header *header)
{
    return header->elements.data;
}

static mote_ply_property *properties_of(const mote_ply_header *header)
{
    return header->properties.data;
}

static mote_result expect_line_end(header_reader *reader)
{
    mote_token token = mote_scanner_next(&reader->scanner);
    if (token.kind == MOTE_TOKEN_LINE_END) return MOTE_OK;
    return mote_token_fail(reader->scanner.source, &token, "header: after the statement", "end of line");
}

static mote_result read_format(header_reader *reader)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const mote_source *source = reader->scanner.source;
    mote_token keyword = mote_scanner_next(&reader->scanner);
    if (!mote_token_is(&keyword, "format")) return mote_token_fail(source, &keyword, "header: keyword", "format");
    mote_token name = mote_scanner_next(&reader->scanner), version = mote_scanner_next(&reader->scanner);
    int format = 0;
    while (format < 3 && !mote_token_is(&name, names[format])) ++format;
    if (format == 3)
        return mote_token_fail(source, &name, "format", "ascii, binary_little_endian or binary_big_endian");
    if (!mote_token_is(&version, "1.0")) return mote_token_fail(source, &version, "format: version", "1.0");
    reader->header->format = (mote_ply_format)format;
    return expect_line_end(reader);
}

static mote_result read_type(header_reader *reader, mote_token token, bool integer, mote_ply_type *type)
{
    for (int k = 0; k < (integer ? MOTE_PLY_FLOAT32 : MOTE_PLY_TYPE_COUNT); ++k)
        if (mote_token_is(&token, types[k].name) || mote_token_is(&token, types[k].other_name)) {
            *type = (mote_ply_type)k;
            return MOTE_OK;
        }
    return mote_token_fail(reader->scanner.source, &token, "property: type",
                           integer ? "an integer type of PLY" : "a type of PLY (char ... double, int8 ... float64)");
}

static mote_result read_element(header_reader *reader)
{
    const mote_source *source = reader->scanner.source;
    mote_ply_header *header = reader->header;
    mote_token name = mote_scanner_next(&reader->scanner);
    if (name.kind != MOTE_TOKEN_WORD) return mote_token_fail(source, &name, "element: name", "a word");
    mote_token count = mote_scanner_next(&reader->scanner);
    int64_t value;
    if (count.kind != MOTE_TOKEN_WORD || !mote_integer_parse(count.text, count.length, 0, INT64_MAX, &value))
        return mote_token_fail(source, &count, "element: count", "an integer, 0 or more");

    size_t used = header->element_count * sizeof(mote_ply_element);
    mote_result result = mote_buffer_reserve(reader->context, &header->elements, used + sizeof(mote_ply_element), used);
    if (result != MOTE_OK) return mote_fail(source->error, result, 0, "%s: no memory for its header", source->name);
    elements_of(header)[header->element_count++] = (mote_ply_element){.name = name,
                                                                      .count = (uint64_t)value,
                                                                      .first = header->property_count,
                                                                      .is_vertex = mote_token_is(&name, "vertex"),
                                                                      .is_face = mote_token_is(&name, "face")};
    if (mote_token_is(&name, "vertex")) header->vertex_count = (uint64_t)value;
    return expect_line_end(reader);
}

static mote_ply_role role_of(const mote_ply_element *element, const mote_token *name)
{
    if (element->is_vertex && mote_token_is(name, "x")) return MOTE_PLY_X;
    if (element->is_vertex && mote_token_is(name, "y")) return MOTE_PLY_Y;
    if (element->is_vertex && mote_token_is(name, "z")) return MOTE_PLY_Z;
    bool corners = mote_token_is(name, "vertex_indices") || mote_token_is(name, "vertex_index");
    return element->is_face && corners ? MOTE_PLY_CORNERS : MOTE_PLY_SKIPPED;
}

static mote_result add_property(header_reader *reader, const mote_token *name, mote_ply_type count_type,
                                mote_ply_type type)
{
    const mote_source *source = reader->scanner.source;
    mote_ply_header *header = reader->header;
    mote_ply_element *element = &elements_of(header)[header->element_count - 1];
    if (name->kind != MOTE_TOKEN_WORD) return mote_token_fail(source, name, "property: name", "a word");
    mote_ply_role role = role_of(element, name);
    if (role == MOTE_PLY_CORNERS && (count_type == MOTE_PLY_NONE || !mote_ply_type_is_integer(type)))
        return mote_token_fail(source, name, "property", "of a face's corners, a list of integers");
    if (role >= MOTE_PLY_X && role <= MOTE_PLY_Z && count_type != MOTE_PLY_NONE)
        return mote_token_fail(source, name, "property", "of a vertex's coordinate, a single number");
    if (role == MOTE_PLY_CORNERS && element->has_corners)
        return mote_token_fail(source, name, "property: name", "each only once");
    size_t used = header->property_count * sizeof(mote_ply_property);
    mote_result result =
        mote_buffer_reserve(reader->context, &header->properties, used + sizeof(mote_ply_property), used);
    if (result != MOTE_OK) return mote_fail(source->error, result, 0, "%s: no memory for its header", source->name);
    properties_of(header)[header->property_count++] = (mote_ply_property){*name, count_type, type, role};
    element->has_corners |= role == MOTE_PLY_CORNERS;
    ++element->property_count;
    return expect_line_end(reader);
}

static mote_result read_property(header_reader *reader, const mote_token *keyword)
{
    if (reader->header->element_count == 0)
        return mote_token_fail(reader->scanner.source, keyword, "header: keyword",
                               "an element before its first property");
    mote_ply_type count_type = MOTE_PLY_NONE, type = MOTE_PLY_NONE;
    mote_token token = mote_scanner_next(&reader->scanner);
    mote_result result = MOTE_OK;
    if (mote_token_is(&token, "list")) {
        result = read_type(reader, mote_scanner_next(&reader->scanner), true, &count_type);
        if (result == MOTE_OK) token = mote_scanner_next(&reader->scanner);
    }
    if (result == MOTE_OK) result = read_type(reader, token, false, &type);
    if (result != MOTE_OK) return result;
    mote_token name = mote_scanner_next(&reader->scanner);
    return add_property(reader, &name, count_type, type);
}

// Statements up to end_header.
static mote_result read_statements(header_reader *reader)
{
    for (;;) {
        mote_token keyword = mote_scanner_next(&reader->scanner);
        mote_result result = MOTE_OK;
        if (mote_token_is(&keyword, "end_header")) return expect_line_end(reader);
        if (mote_token_is(&keyword, "comment") || mote_token_is(&keyword, "obj_info")) {
            mote_scanner_skip_line(&reader->scanner);
            result = expect_line_end(reader);
        } else if (mote_token_is(&keyword, "element")) {
            result = read_element(reader);
        } else if (mote_token_is(&keyword, "property")) {
            result = read_property(reader, &keyword);
        } else {
            result = mote_token_fail(reader->scanner.source, &keyword, "header: keyword",
                                     "comment, element, property or end_header");
        }
        if (result != MOTE_OK) return result;
    }
}

// The least number of bytes of an item of the element: in text a digit for each value and a separator.
static uint64_t least_bytes(const mote_ply_header *header, const mote_ply_element *element)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < element->property_count; ++i) {
        const mote_ply_property *property = &properties_of(header)[element->first + i];
        mote_ply_type type = property->count_type == MOTE_PLY_NONE ? property->type : property->count_type;
        bytes += header->format == MOTE_PLY_ASCII ? 2 : mote_ply_type_size(type);
    }
    return bytes;
}

static mote_result check_element(const mote_source *source, const mote_ply_header *header,
                                 const mote_ply_element *element, uint64_t *room)
{
    const mote_quote name = mote_token_plain(&element->name);
    unsigned roles = 0;
    for (size_t i = 0; i < element->property_count; ++i) roles |= 1u << properties_of(header)[element->first + i].role;
    const unsigned coordinates = 1u << MOTE_PLY_X | 1u << MOTE_PLY_Y | 1u << MOTE_PLY_Z;
    if (element->is_vertex && (roles & coordinates) != coordinates)
        return mote_source_fail(source, element->name.line, 1,
                                "element vertex lacks a coordinate, expected properties x, y and z");
    if (element->is_face && !(roles & 1u << MOTE_PLY_CORNERS))
        return mote_source_fail(source, element->name.line, 1,
                                "element face lacks its corners, expected a list vertex_indices");
    if (element->property_count == 0 && element->count)
        return mote_source_fail(source, element->name.line, 1, "element %s has no property, expected at least one",
                                name.text);
    uint64_t least = least_bytes(header, element);
    // For text, the line where the file ends too early is the better message.
    const bool is_short = header->format != MOTE_PLY_ASCII && element->count * least > *room;
    if (element->count > UINT32_MAX - 1 || is_short)
        return mote_source_fail(source, element->name.line, 1,
                                "element %s: %llu of at least %llu bytes each do not fit into the %llu bytes of data",
                                name.text, (unsigned long long)element->count, (unsigned long long)least,
                                (unsigned long long)(source->size - header->data));
    *room -= MOTE_MIN(element->count * least, *room);
    return MOTE_OK;
}

static mote_result check_elements(const mote_source *source, bool needs_faces, const mote_ply_header *header)
{
    bool has_vertex = false, has_face = false;
    // The last item of a text may have no line end.
    uint64_t room = source->size - header->data + (header->format == MOTE_PLY_ASCII);
    for (size_t i = 0; i < header->element_count; ++i) {
        const mote_ply_element *element = &elements_of(header)[i];
        mote_result result = check_element(source, header, element, &room);
        if (result != MOTE_OK) return result;
        has_vertex = has_vertex || element->is_vertex;
        has_face = has_face || element->is_face;
    }
    if (!has_vertex || (needs_faces && !has_face))
        return mote_source_fail(source, header->data_line - 1, 1, "header: there is no element %s, expected vertex%s",
                                has_vertex ? "face" : "vertex", needs_faces ? " and face" : "");
    return MOTE_OK;
}

mote_result mote_ply_header_read(mote_context *context, const mote_source *source, bool needs_faces,
                                 mote_ply_header *header)
{
    header_reader reader = {.context = context, .scanner = {.source = source, .line = 1}, .header = header};
    *header = (mote_ply_header){0};
    mote_token magic = mote_scanner_next(&reader.scanner);
    if (!mote_token_is(&magic, "ply")) return mote_token_fail(source, &magic, "header: first word", "ply");
    mote_result result = expect_line_end(&reader);
    if (result == MOTE_OK) result = read_format(&reader);
    if (result == MOTE_OK) result = read_statements(&reader);
    // A repeated name is reported before other errors: reading stopped there.
    if (result == MOTE_OK || result == MOTE_ERROR_FORMAT) {
        const mote_result unique = mote_ply_names_check(context, source, header);
        if (unique != MOTE_OK) result = unique;
    }
    header->data = reader.scanner.at;
    header->data_line = reader.scanner.line;
    return result == MOTE_OK ? check_elements(source, needs_faces, header) : result;
}

void mote_ply_header_release(mote_context *context, mote_ply_header *header)
{
    mote_buffer_release(context, &header->elements);
    mote_buffer_release(context, &header->properties);
}
