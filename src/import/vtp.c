// SPDX-License-Identifier: MIT
// The points of a VTP file (VTK XML PolyData; VTK file formats, "XML file formats").
//
// The reader evaluates only tags and attributes of the XML: the pieces, and in each piece the array of its points.
// Arrays may be text (format ascii) or appended raw data, uncompressed or in zlib's blocks, in either byte order:
// the formats that mote and ParaView write. Text encodings of binary data (base64) and other compressors are
// refused. Blocks are unpacked a window at a time. All arrays together have to fit into the file, which is always so
// unless several refer to the same bytes: thus memory is limited to that of the points which the file really
// contains.

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/sized.h"
#include "import/points.h"

// A tag: its name, with a '/' before it if it ends an element, and the text after the name.
typedef struct vtp_tag {
    mote_token name;
    const char *attributes;
    size_t length;
} vtp_tag;

// An array of points, and the position of its data.
typedef struct vtp_array {
    uint64_t count;   // points
    uint64_t offset;  // in the appended data
    size_t size;      // of a number
    uint32_t line;
} vtp_array;

typedef struct vtp_reader {
    const mote_source *source;
    mote_mesh_builder *builder;
    size_t at;
    uint32_t line;
    bool has_order, is_big, is_packed;
    size_t header;       // bytes of a number before the data
    bool in_points;
    uint64_t count;      // points of the current piece
    mote_buffer arrays;  // vtp_array[array_count]
    size_t array_count;
    mote_buffer window;  // unpacked bytes that are not yet points
    size_t held;         // number of these bytes
} vtp_reader;

// zlib's compression cannot expand a byte to more than 1,032 (Deutsch 1996; zlib technical details).
enum { MOST_UNPACKED = 1100, WINDOW = 1 << 16 };

// ------------------------------------------------------------------------------------------------------------- tags

static bool pass_to(vtp_reader *reader, const char *end)
{
    size_t length = strlen(end);
    for (; reader->at + length <= reader->source->size; ++reader->at) {
        if (memcmp(reader->source->data + reader->at, end, length) == 0) {
            reader->at += length;
            return true;
        }
        reader->line += reader->source->data[reader->at] == '\n';
    }
    reader->at = reader->source->size;
    return false;
}

// The next tag; false at the end of the file.
static bool next_tag(vtp_reader *reader, vtp_tag *tag)
{
    const char *text = reader->source->data;
    const size_t size = reader->source->size;
    for (;;) {
        if (!pass_to(reader, "<")) return false;
        bool is_comment = size - reader->at > 2 && memcmp(text + reader->at, "!--", 3) == 0;
        if (!is_comment) break;
        if (!pass_to(reader, "-->")) return false;
    }
    size_t begin = reader->at, end = begin;
    uint32_t line = reader->line;
    if (!pass_to(reader, ">")) return false;
    size_t close = reader->at - 1;
    while (end < close && !strchr(" \t\r\n", text[end])) ++end;
    tag->name = (mote_token){MOTE_TOKEN_WORD, text + begin, end - begin, line, 1};
    tag->attributes = text + end;
    tag->length = close - end;
    return true;
}

// An attribute's value; an empty token if there is none.
static mote_token attribute_of(const vtp_tag *tag, const char *name)
{
    mote_token value = {MOTE_TOKEN_WORD, "", 0, tag->name.line, 1};
    const size_t length = strlen(name);
    for (size_t at = 1; at + length + 2 <= tag->length; ++at) {
        const char *here = tag->attributes + at;
        if (!strchr(" \t\r\n", here[-1]) || memcmp(here, name, length) != 0 || here[length] != '=') continue;
        char quote = here[length + 1];
        if (quote != '"' && quote != '\'') continue;
        value.text = here + length + 2;
        const char *end = tag->attributes + tag->length;
        while (value.text + value.length < end && value.text[value.length] != quote) ++value.length;
        return value;
    }
    return value;
}

static mote_result read_whole_attribute(const vtp_reader *reader, const vtp_tag *tag, const char *name,
                                        uint64_t *number)
{
    mote_token value = attribute_of(tag, name);
    int64_t whole;
    if (!mote_integer_parse(value.text, value.length, 0, INT64_MAX, &whole))
        return mote_token_fail(reader->source, &value, name, "a whole number");
    *number = (uint64_t)whole;
    return MOTE_OK;
}

// Reads an attribute that must be one of two words; it may be missing if the second is "". Receives which it is.
static mote_result read_either(const vtp_reader *reader, const vtp_tag *tag, const char *name, const char *first,
                               const char *second, bool *is_second)
{
    mote_token value = attribute_of(tag, name);
    char expected[80];
    *is_second = mote_token_is(&value, second);
    if (*is_second || mote_token_is(&value, first)) return MOTE_OK;
    snprintf(expected, sizeof expected, "%s or %s", first, *second ? second : "none");
    return mote_token_fail(reader->source, &value, name, expected);
}

// ------------------------------------------------------------------------------------------------------------- data

static double read_number(const vtp_reader *reader, const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits = bits << 8 | bytes[reader->is_big ? i : size - 1 - i];
    uint32_t low = (uint32_t)bits;
    float single;
    double number;
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return size == sizeof single ? (double)single : number;
}

static uint64_t read_header(const vtp_reader *reader, const unsigned char *bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < reader->header; ++i)
        value = value << 8 | bytes[reader->is_big ? i : reader->header - 1 - i];
    return value;
}

static mote_result fail_array(const vtp_reader *reader, const vtp_array *array, const char *what)
{
    return mote_source_fail(reader->source, array->line, 1, "Points: %s", what);
}

static mote_result take_points(vtp_reader *reader, const vtp_array *array, const unsigned char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i) {
        double at[3];
        for (int k = 0; k < 3; ++k, bytes += array->size) {
            at[k] = read_number(reader, bytes, array->size);
            if (at[k] - at[k] != 0) return fail_array(reader, array, "a coordinate is not finite, expected numbers");
        }
        mote_result result = mote_builder_vertex(reader->builder, (mote_vec3){at[0], at[1], at[2]});
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

static voidpf zlib_allocate(voidpf context, uInt count, uInt size)
{
    return mote_sized_allocate(context, mote_bytes(count, size));
}

static void zlib_release(voidpf context, voidpf memory)
{
    mote_sized_release(context, memory);
}

// Makes points of the bytes in the window; bytes of an incomplete point at its end are kept.
static mote_result empty_window(vtp_reader *reader, const vtp_array *array)
{
    const size_t each = 3 * array->size, whole = reader->held / each;
    unsigned char *bytes = reader->window.data;
    const mote_result result = take_points(reader, array, bytes, whole);
    reader->held -= whole * each;
    memmove(bytes, bytes + whole * each, reader->held);
    return result;
}

// Unpacks one block of exactly `room` bytes.
static mote_result unpack_block(vtp_reader *reader, const vtp_array *array, const unsigned char *packed, size_t size,
                                uint64_t room)
{
    z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = reader->builder->context};
    if (size > UINT32_MAX) return fail_array(reader, array, "a block is larger than 4 GB");
    if (inflateInit(&stream) != Z_OK)
        return mote_fail(reader->source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory to unpack it",
                         reader->source->name);
    stream.next_in = (unsigned char *)(uintptr_t)packed;  // zlib does not write to it
    stream.avail_in = (uInt)size;
    mote_result result = MOTE_OK;
    int answer = Z_OK;
    while (answer == Z_OK && result == MOTE_OK) {
        const uint64_t free_room = MOTE_MIN(room, WINDOW - reader->held);
        stream.next_out = (unsigned char *)reader->window.data + reader->held;
        stream.avail_out = (uInt)free_room;
        answer = inflate(&stream, Z_NO_FLUSH);
        const uint64_t made = free_room - stream.avail_out;
        room -= made;
        reader->held += (size_t)made;
        result = empty_window(reader, array);
    }
    inflateEnd(&stream);
    if (result != MOTE_OK) return result;
    return answer == Z_STREAM_END && room == 0 ? MOTE_OK : fail_array(reader, array, "a compressed block is damaged");
}

// zlib's blocks: their number, the unpacked sizes of each block and of the last one, then their packed sizes.
static mote_result take_packed(vtp_reader *reader, const vtp_array *array, const unsigned char *data, size_t size)
{
    const uint64_t bytes = array->count * 3 * array->size, h = reader->header;
    if (size < 3 * h) return fail_array(reader, array, "its data are cut off by the end of the file");
    uint64_t blocks = read_header(reader, data), each = read_header(reader, data + h);
    uint64_t last = read_header(reader, data + 2 * h);
    if (blocks > size / h - 3) return fail_array(reader, array, "its data are cut off by the end of the file");
    last = blocks && last == 0 ? each : last;
    if (blocks ? each == 0 || (blocks - 1) > bytes / each || (blocks - 1) * each + last != bytes : bytes != 0)
        return fail_array(reader, array, "its blocks hold another number of bytes than its points take");
    if (mote_buffer_reserve(reader->builder->context, &reader->window, WINDOW, 0) != MOTE_OK)
        return mote_fail(reader->source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory to unpack it",
                         reader->source->name);
    reader->held = 0;
    uint64_t at = (3 + blocks) * h;
    for (uint64_t b = 0; b < blocks; ++b) {
        uint64_t packed = read_header(reader, data + (3 + b) * h);
        if (packed > size - at) return fail_array(reader, array, "its data are cut off by the end of the file");
        mote_result result =
            unpack_block(reader, array, data + at, (size_t)packed, b + 1 < blocks ? each : last);
        if (result != MOTE_OK) return result;
        at += packed;
    }
    return MOTE_OK;
}

// Checks that the file can contain the points of all arrays, and allocates memory for them.
static mote_result expect_points(vtp_reader *reader, size_t available)
{
    const vtp_array *arrays = reader->arrays.data;
    uint64_t bytes = 0, points = 0;
    for (size_t a = 0; a < reader->array_count; ++a) {
        bytes += arrays[a].count * 3 * arrays[a].size + (reader->is_packed ? 0 : reader->header);
        points += arrays[a].count;
        if ((reader->is_packed ? bytes / MOST_UNPACKED : bytes) > available)
            return fail_array(reader, &arrays[a], "its points do not fit into the file, with those before it");
    }
    return mote_builder_expect(reader->builder, points);
}

static mote_result take_appended(vtp_reader *reader)
{
    const vtp_array *arrays = reader->arrays.data;
    while (reader->at < reader->source->size && reader->source->data[reader->at] != '_') ++reader->at;
    size_t begin = reader->at + 1;
    mote_result expected = expect_points(reader, begin < reader->source->size ? reader->source->size - begin : 0);
    if (expected != MOTE_OK) return expected;
    for (size_t a = 0; a < reader->array_count; ++a) {
        const vtp_array *array = &arrays[a];
        if (begin > reader->source->size || array->offset > reader->source->size - begin)
            return fail_array(reader, array, "its offset lies behind the end of the file");
        const unsigned char *data = (const unsigned char *)reader->source->data + begin + array->offset;
        size_t size = reader->source->size - begin - (size_t)array->offset;
        mote_result result;
        if (reader->is_packed)
            result = take_packed(reader, array, data, size);
        else if (size < reader->header || (size - reader->header) / (3 * array->size) < array->count)
            result = fail_array(reader, array, "its data are cut off by the end of the file");
        else if (read_header(reader, data) != array->count * 3 * array->size)
            result = fail_array(reader, array, "it holds another number of bytes than its points take");
        else
            result = take_points(reader, array, data + reader->header, array->count);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

static mote_result take_text(vtp_reader *reader)
{
    mote_source text = *reader->source;  // up to the next tag
    const char *end = reader->at < text.size ? memchr(text.data + reader->at, '<', text.size - reader->at) : NULL;
    if (end) text.size = (size_t)(end - text.data);
    mote_scanner scanner = {.source = &text, .at = reader->at, .line = reader->line, .line_start = reader->at};
    for (uint64_t i = 0; i < reader->count; ++i) {
        double at[3];
        for (int k = 0; k < 3; ++k) {
            mote_scanner before = scanner;
            mote_token token;
            while ((token = mote_scanner_next(&scanner)).kind == MOTE_TOKEN_LINE_END) before = scanner;
            scanner = before;
            if (token.kind == MOTE_TOKEN_FILE_END)
                return mote_source_fail(reader->source, token.line, token.column,
                                        "Points: the numbers of %llu points, expected those of %llu",
                                        (unsigned long long)i, (unsigned long long)reader->count);
            mote_result result = mote_scanner_number(&scanner, "coordinate", &at[k]);
            if (result != MOTE_OK) return result;
        }
        reader->builder->line = scanner.line;
        mote_result result = mote_builder_vertex(reader->builder, (mote_vec3){at[0], at[1], at[2]});
        if (result != MOTE_OK) return result;
    }
    reader->at = scanner.at;
    reader->line = scanner.line;
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- structure

static mote_result read_file_tag(vtp_reader *reader, const vtp_tag *tag)
{
    bool is_wide = true;
    mote_token type = attribute_of(tag, "type"), header = attribute_of(tag, "header_type");
    if (!mote_token_is(&type, "PolyData")) return mote_token_fail(reader->source, &type, "VTKFile: type", "PolyData");
    mote_token order = attribute_of(tag, "byte_order");  // text has no byte order
    mote_result result = MOTE_OK;
    reader->has_order = order.length > 0;
    if (reader->has_order)
        result = read_either(reader, tag, "byte_order", "LittleEndian", "BigEndian", &reader->is_big);
    if (result == MOTE_OK && header.length)
        result = read_either(reader, tag, "header_type", "UInt32", "UInt64", &is_wide);
    reader->header = header.length && is_wide ? 8 : 4;
    if (result == MOTE_OK) result = read_either(reader, tag, "compressor", "vtkZLibDataCompressor", "", &is_wide);
    reader->is_packed = !is_wide;
    return result;
}

static mote_result read_array(vtp_reader *reader, const vtp_tag *tag)
{
    mote_token components = attribute_of(tag, "NumberOfComponents");
    if (!mote_token_is(&components, "3"))
        return mote_token_fail(reader->source, &components, "Points: NumberOfComponents", "3");
    bool is_appended, is_double;
    mote_result result = read_either(reader, tag, "type", "Float32", "Float64", &is_double);
    if (result == MOTE_OK) result = read_either(reader, tag, "format", "ascii", "appended", &is_appended);
    if (result != MOTE_OK || !is_appended) return result == MOTE_OK ? take_text(reader) : result;
    if (!reader->has_order)
        return mote_source_fail(reader->source, tag->name.line, 1,
                                "format is \"appended\", expected a byte_order in the tag VTKFile, too");

    vtp_array array = {.count = reader->count, .size = is_double ? 8 : 4, .line = tag->name.line};
    result = read_whole_attribute(reader, tag, "offset", &array.offset);
    if (result != MOTE_OK) return result;
    size_t used = reader->array_count * sizeof array;
    result = mote_buffer_reserve(reader->builder->context, &reader->arrays, used + sizeof array, used);
    if (result != MOTE_OK)
        return mote_fail(reader->source->error, result, 0, "%s: no memory for its pieces", reader->source->name);
    ((vtp_array *)reader->arrays.data)[reader->array_count++] = array;
    return MOTE_OK;
}

static mote_result read_piece(vtp_reader *reader, const vtp_tag *tag)
{
    mote_result result = read_whole_attribute(reader, tag, "NumberOfPoints", &reader->count);
    if (result != MOTE_OK || reader->count < UINT32_MAX) return result;
    return mote_source_fail(reader->source, tag->name.line, 1, "NumberOfPoints is %llu, expected at most 2^32 - 2",
                            (unsigned long long)reader->count);
}

static mote_result read_tags(vtp_reader *reader)
{
    vtp_tag tag;
    bool is_vtk = false;
    while (next_tag(reader, &tag)) {
        mote_result result = MOTE_OK;
        bool is_ours = mote_token_is(&tag.name, "VTKFile");
        if (is_ours) result = read_file_tag(reader, &tag);
        else if (mote_token_is(&tag.name, "Piece")) result = read_piece(reader, &tag);
        else if (mote_token_is(&tag.name, "Points")) reader->in_points = true;
        else if (mote_token_is(&tag.name, "/Points")) reader->in_points = false;
        else if (mote_token_is(&tag.name, "DataArray") && reader->in_points) result = read_array(reader, &tag);
        is_vtk = is_vtk || is_ours;
        if (result == MOTE_OK && is_vtk && mote_token_is(&tag.name, "AppendedData")) {
            mote_token encoding = attribute_of(&tag, "encoding");
            if (mote_token_is(&encoding, "raw")) return take_appended(reader);
            return mote_token_fail(reader->source, &encoding, "AppendedData: encoding", "raw");
        }
        if (result != MOTE_OK) return result;
    }
    if (!is_vtk) return mote_source_fail(reader->source, reader->line, 1, "there is no tag VTKFile, expected one");
    if (reader->array_count == 0) return MOTE_OK;
    return mote_source_fail(reader->source, reader->line, 1, "there is no tag AppendedData, which its points refer to");
}

mote_result mote_vtp_read(const mote_source *source, mote_mesh_builder *builder)
{
    vtp_reader reader = {.source = source, .builder = builder, .line = 1};
    mote_result result = read_tags(&reader);
    mote_buffer_release(builder->context, &reader.arrays);
    mote_buffer_release(builder->context, &reader.window);
    return result;
}
