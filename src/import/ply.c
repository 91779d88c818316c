// SPDX-License-Identifier: MIT
// The data of a PLY file: text, or binary of either byte order.
//
// Every property is read as described in the header; properties that are not needed are skipped. Coordinates may
// have any type, and the faces may come before the vertices, because their numbers are in the header.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/cloud.h"
#include "import/ply.h"

typedef struct ply_reader {
    const mote_source *source;
    mote_ply_header header;
    mote_scanner scanner;  // of text
    size_t at;             // of binary data
    mote_mesh_builder builder;
    const mote_ply_element *element;  // the current element, and the number of its item
    uint64_t item;
    double coordinates[3];
} ply_reader;

// A value: exact, as an integer, if its type is an integer type.
typedef struct ply_value {
    double number;
    int64_t integer;
} ply_value;

// "name:line: vertex 12: …" for text, "name: vertex 12 (byte 345): …" for binary data.
static mote_result fail_item(const ply_reader *reader, const mote_ply_property *property, const char *is,
                             const char *expected)
{
    const mote_quote element = mote_token_plain(&reader->element->name), field = mote_token_plain(&property->name);
    unsigned long long item = reader->item;
    if (reader->header.format == MOTE_PLY_ASCII)
        return mote_source_fail(reader->source, reader->scanner.line, 1, "%s %llu: %s is %s, expected %s", element.text,
                                item, field.text, is, expected);
    return mote_source_fail(reader->source, 0, 0, "%s %llu (byte %zu): %s is %s, expected %s", element.text, item,
                            reader->at, field.text, is, expected);
}

// ------------------------------------------------------------------------------------------------------ values

static mote_result read_text_value(ply_reader *reader, const mote_ply_property *property, mote_ply_type type,
                                   ply_value *value)
{
    static const int64_t limits[][2] = {{INT8_MIN, INT8_MAX}, {0, UINT8_MAX},         {INT16_MIN, INT16_MAX},
                                        {0, UINT16_MAX},      {INT32_MIN, INT32_MAX}, {0, UINT32_MAX}};
    // Reading the end of a line would move to the next line, and the message would then name that one.
    mote_scanner before = reader->scanner;
    mote_token token = mote_scanner_next(&reader->scanner);
    char expected[64] = "a finite number";
    bool good = token.kind == MOTE_TOKEN_WORD;
    if (mote_ply_type_is_integer(type)) {
        good = good && mote_integer_parse(token.text, token.length, limits[type][0], limits[type][1], &value->integer);
        snprintf(expected, sizeof expected, "an integer of type %s", mote_ply_type_name(type));
        value->number = good ? (double)value->integer : 0;
    } else {
        good = good && mote_number_parse(token.text, token.length, &value->number);
    }
    if (good) return MOTE_OK;
    reader->scanner = before;
    return fail_item(reader, property, mote_token_quote(&token).text, expected);
}

static uint64_t read_bits(const ply_reader *reader, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)reader->source->data + reader->at;
    bool big = reader->header.format == MOTE_PLY_BIG_ENDIAN;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits = bits << 8 | bytes[big ? i : size - 1 - i];
    return bits;
}

static ply_value decode(uint64_t bits, mote_ply_type type)
{
    ply_value value = {0, 0};
    uint32_t low = (uint32_t)bits;
    float single;
    switch (type) {
    case MOTE_PLY_INT8: value.integer = bits < 0x80 ? (int64_t)bits : (int64_t)bits - 0x100; break;
    case MOTE_PLY_INT16: value.integer = bits < 0x8000 ? (int64_t)bits : (int64_t)bits - 0x10000; break;
    case MOTE_PLY_INT32: value.integer = bits < 0x80000000 ? (int64_t)bits : (int64_t)bits - 0x100000000; break;
    case MOTE_PLY_FLOAT32:
        memcpy(&single, &low, sizeof single);
        value.number = (double)single;
        return value;
    case MOTE_PLY_FLOAT64: memcpy(&value.number, &bits, sizeof value.number); return value;
    default: value.integer = (int64_t)bits; break;
    }
    value.number = (double)value.integer;
    return value;
}

static mote_result read_value(ply_reader *reader, const mote_ply_property *property, mote_ply_type type,
                              ply_value *value)
{
    if (reader->header.format == MOTE_PLY_ASCII) return read_text_value(reader, property, type, value);
    size_t size = mote_ply_type_size(type);
    if (reader->source->size - reader->at < size)
        return fail_item(reader, property, "cut off by the end of the file", "the data that the header announces");
    *value = decode(read_bits(reader, size), type);
    reader->at += size;
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------- properties

static mote_result read_coordinate(ply_reader *reader, const mote_ply_property *property)
{
    ply_value value;
    mote_result result = read_value(reader, property, property->type, &value);
    if (result != MOTE_OK) return result;
    if (!isfinite(value.number)) return fail_item(reader, property, "infinite or not a number", "a finite number");
    reader->coordinates[property->role - MOTE_PLY_X] = value.number;
    return MOTE_OK;
}

static mote_result read_corner(ply_reader *reader, const mote_ply_property *property, uint64_t k, int64_t corner)
{
    if (corner >= 0 && (uint64_t)corner < reader->header.vertex_count)
        return mote_builder_corner(&reader->builder, k, (uint32_t)corner);
    char is[32], expected[48];
    snprintf(is, sizeof is, "%lld", (long long)corner);
    snprintf(expected, sizeof expected, "a vertex, 0 ... %lld", (long long)reader->header.vertex_count - 1);
    return fail_item(reader, property, is, expected);
}

static mote_result read_list(ply_reader *reader, const mote_ply_property *property)
{
    ply_value count, value;
    mote_result result = read_value(reader, property, property->count_type, &count);
    if (result != MOTE_OK) return result;
    bool corners = property->role == MOTE_PLY_CORNERS;
    if (count.integer < (corners ? 3 : 0)) {
        char is[48];
        snprintf(is, sizeof is, "a list of %lld", (long long)count.integer);
        return fail_item(reader, property, is, corners ? "at least 3" : "0 or more");
    }
    for (int64_t k = 0; k < count.integer; ++k) {
        result = read_value(reader, property, property->type, &value);
        if (result == MOTE_OK && corners) result = read_corner(reader, property, (uint64_t)k, value.integer);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

// A property of a vertex becomes an array of its name.
static mote_result keep_value(ply_reader *reader, const mote_ply_property *property, const ply_value *value)
{
    static const mote_array_type types[] = {
        [MOTE_PLY_INT8] = MOTE_ARRAY_I8,      [MOTE_PLY_UINT8] = MOTE_ARRAY_U8,     [MOTE_PLY_INT16] = MOTE_ARRAY_I16,
        [MOTE_PLY_UINT16] = MOTE_ARRAY_U16,   [MOTE_PLY_INT32] = MOTE_ARRAY_I32,    [MOTE_PLY_UINT32] = MOTE_ARRAY_U32,
        [MOTE_PLY_FLOAT32] = MOTE_ARRAY_F32,  [MOTE_PLY_FLOAT64] = MOTE_ARRAY_F64};
    mote_cloud_builder *cloud = reader->builder.cloud;
    size_t index;
    const mote_result result =
        mote_cloud_declare(cloud, &property->name, types[property->type], 1, property->name.line, &index);
    if (result != MOTE_OK) return result;
    if (mote_ply_type_is_integer(property->type)) return mote_cloud_put(cloud, index, (uint64_t)value->integer);
    return mote_cloud_put_number(cloud, index, value->number);
}

static mote_result read_property(ply_reader *reader, const mote_ply_property *property)
{
    ply_value value;
    if (property->count_type != MOTE_PLY_NONE) return read_list(reader, property);
    if (property->role != MOTE_PLY_SKIPPED) return read_coordinate(reader, property);
    const mote_result result = read_value(reader, property, property->type, &value);
    if (result != MOTE_OK || !reader->element->is_vertex || !reader->builder.cloud) return result;
    return keep_value(reader, property, &value);
}

// In text each item is on a line of its own; blank lines are skipped.
static void begin_line(ply_reader *reader)
{
    mote_scanner ahead = reader->scanner;
    while (mote_scanner_next(&ahead).kind == MOTE_TOKEN_LINE_END) reader->scanner = ahead;
}

static mote_result end_line(ply_reader *reader)
{
    mote_token token = mote_scanner_next(&reader->scanner);
    if (token.kind != MOTE_TOKEN_WORD) return MOTE_OK;
    return mote_token_fail(reader->source, &token, "after the last property", "end of line");
}

static mote_result read_item(ply_reader *reader)
{
    const bool text = reader->header.format == MOTE_PLY_ASCII;
    const mote_ply_property *properties = reader->header.properties.data;
    mote_result result = MOTE_OK;
    if (text) begin_line(reader);
    for (size_t i = 0; i < reader->element->property_count && result == MOTE_OK; ++i)
        result = read_property(reader, &properties[reader->element->first + i]);
    if (text && result == MOTE_OK) result = end_line(reader);
    if (result != MOTE_OK || !reader->element->is_vertex) return result;
    if (text) reader->builder.line = reader->scanner.line - (reader->scanner.at == reader->scanner.line_start);
    mote_vec3 vertex = {reader->coordinates[0], reader->coordinates[1], reader->coordinates[2]};
    return mote_builder_vertex(&reader->builder, vertex);
}

static mote_result expect_end(ply_reader *reader)
{
    if (reader->header.format == MOTE_PLY_ASCII) {
        begin_line(reader);
        mote_token token = mote_scanner_next(&reader->scanner);
        if (token.kind == MOTE_TOKEN_FILE_END) return MOTE_OK;
        return mote_token_fail(reader->source, &token, "after the last element", "end of file");
    }
    if (reader->at == reader->source->size) return MOTE_OK;
    return mote_source_fail(reader->source, 0, 0, "byte %zu: %zu bytes follow the last element, expected end of file",
                            reader->at, reader->source->size - reader->at);
}

static mote_result read_data(ply_reader *reader)
{
    const mote_ply_element *elements = reader->header.elements.data;
    for (size_t i = 0; i < reader->header.element_count; ++i) {
        reader->element = &elements[i];
        for (reader->item = 0; reader->item < reader->element->count; ++reader->item) {
            mote_result result = read_item(reader);
            if (result != MOTE_OK) return result;
            const size_t at = reader->header.format == MOTE_PLY_ASCII ? reader->scanner.at : reader->at;
            mote_builder_watch(&reader->builder, (double)at / (double)reader->source->size);
        }
    }
    return expect_end(reader);
}

mote_result mote_ply_read(const mote_source *source, bool needs_faces, mote_mesh_builder *builder)
{
    ply_reader reader = {.source = source, .builder = *builder};
    mote_result result = mote_ply_header_read(builder->context, source, needs_faces, &reader.header);
    if (result == MOTE_OK) {
        reader.at = reader.header.data;
        reader.scanner = (mote_scanner){
            .source = source, .at = reader.at, .line = reader.header.data_line, .line_start = reader.at};
        result = read_data(&reader);
    }
    mote_ply_header_release(builder->context, &reader.header);
    *builder = reader.builder;
    return result;
}

mote_result mote_ply_read_mesh(mote_context *context, const mote_source *source, mote_mesh **mesh)
{
    mote_mesh_builder builder = {.context = context, .source = source};
    mote_result result = mote_ply_read(source, true, &builder);
    return mote_builder_finish(&builder, result, mesh);
}

mote_result mote_import_ply(mote_context *context, const char *name, const void *data, size_t size, mote_mesh **mesh,
                            mote_error *error)
{
    if (!mesh || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the mesh");
    const mote_source source = mote_source_make(name, data, size, error);
    return mote_ply_read_mesh(context, &source, mesh);
}
