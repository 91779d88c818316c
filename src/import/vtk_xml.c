// SPDX-License-Identifier: MIT
// The points of VTK's XML files, and their arrays (VTP: PolyData; VTU: UnstructuredGrid; VTK file formats, "XML file
// formats").
//
// The reader evaluates only tags and attributes of the XML: the pieces, and in each piece the array of its points and
// those of its point data. Arrays may be text (format ascii), base64 between the tags (binary), or appended data, raw
// or base64; uncompressed or in zlib's blocks, in either byte order. Other compressors are refused. Blocks are unpacked
// a window at a time. All arrays together have to fit into the file, which is always so unless several refer to the
// same bytes: thus memory is limited to that of the numbers which the file really contains.

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/sized.h"
#include "import/cloud.h"

// A tag: its name, with a '/' before it if it ends an element, and the text after the name.
typedef struct vtk_tag {
    mote_token name;
    const char *attributes;
    size_t length;
} vtk_tag;

// What the tuples of an array are. The number of corners is known by the data alone.
typedef enum vtk_kind { KIND_POINTS, KIND_POINT_DATA, KIND_CORNERS, KIND_POLYGONS } vtk_kind;

static const char *const kind_nouns[] = {"points", "points", "corners", "polygons"};

// An array, and the position of its data.
typedef struct vtk_array {
    vtk_kind kind;
    uint64_t count;   // tuples; 0 for corners
    uint64_t offset;  // in the appended data
    size_t size;      // of a number
    size_t parts;     // numbers of a tuple
    size_t piece;     // of polygons
    size_t index;     // of the cloud's array
    mote_array_type type;
    mote_token name;
    uint32_t line;
} vtk_array;

// The elements whose arrays are read.
typedef enum vtk_section { SECTION_OTHER, SECTION_POINTS, SECTION_POINT_DATA, SECTION_POLYGONS } vtk_section;

typedef struct vtk_reader {
    const mote_source *source;
    mote_mesh_builder *builder;
    size_t at;
    uint32_t line;
    bool has_order, is_big, is_packed;
    size_t header;       // bytes of a number before the data
    bool is_base64;
    vtk_section section;
    mote_vtk_pieces *list;  // receives the pieces where polygons are read; NULL: points and their arrays are
    uint64_t count;      // points of the current piece
    uint64_t pieces;
    unsigned ways;       // in which arrays were given: 1 in place, 2 appended
    mote_buffer arrays;  // vtk_array[array_count]
    size_t array_count;
    mote_buffer window;  // unpacked bytes that are not yet points
    size_t held;         // number of these bytes
    mote_buffer plain;   // decoded base64
} vtk_reader;

// zlib's compression cannot expand a byte to more than 1,032 (Deutsch 1996; zlib technical details).
enum { MOST_UNPACKED = 1100, WINDOW = 1 << 16 };

// ------------------------------------------------------------------------------------------------------------- tags

static bool pass_to(vtk_reader *reader, const char *end)
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
static bool next_tag(vtk_reader *reader, vtk_tag *tag)
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
static mote_token attribute_of(const vtk_tag *tag, const char *name)
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

static mote_result read_whole_attribute(const vtk_reader *reader, const vtk_tag *tag, const char *name,
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
static mote_result read_either(const vtk_reader *reader, const vtk_tag *tag, const char *name, const char *first,
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

static double read_number(const vtk_reader *reader, const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits = bits << 8 | bytes[reader->is_big ? i : size - 1 - i];
    return mote_bits_number(bits, size);
}

static uint64_t read_header(const vtk_reader *reader, const unsigned char *bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < reader->header; ++i)
        value = value << 8 | bytes[reader->is_big ? i : reader->header - 1 - i];
    return value;
}

static uint64_t tuple_bytes(const vtk_array *array)
{
    return array->count * array->parts * array->size;
}

static mote_result fail_array(const vtk_reader *reader, const vtk_array *array, const char *what)
{
    return mote_source_fail(reader->source, array->line, 1, "%s: %s", mote_token_plain(&array->name).text, what);
}

static mote_result fail_bytes(const vtk_reader *reader, const vtk_array *array, const char *holder)
{
    return mote_source_fail(reader->source, array->line, 1, "%s: %s another number of bytes than its %s take",
                            mote_token_plain(&array->name).text, holder, kind_nouns[array->kind]);
}

// Says of a piece how many numbers an array of its polygons has.
static void count_numbers(const vtk_reader *reader, const vtk_array *array, uint64_t count)
{
    if (array->kind != KIND_CORNERS && array->kind != KIND_POLYGONS) return;
    mote_vtk_piece *piece = (mote_vtk_piece *)reader->list->memory.data + array->piece;
    *(array->kind == KIND_CORNERS ? &piece->corners : &piece->ends) += count;
}

static mote_result take_tuples(vtk_reader *reader, const vtk_array *array, const unsigned char *bytes, uint64_t count)
{
    count_numbers(reader, array, count);
    if (array->kind != KIND_POINTS)
        return mote_cloud_take(reader->builder->cloud, array->index, bytes, (size_t)count * array->parts,
                               reader->is_big);
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
static mote_result empty_window(vtk_reader *reader, const vtk_array *array)
{
    const size_t each = array->parts * array->size, whole = reader->held / each;
    unsigned char *bytes = reader->window.data;
    const mote_result result = take_tuples(reader, array, bytes, whole);
    reader->held -= whole * each;
    memmove(bytes, bytes + whole * each, reader->held);
    return result;
}

// Unpacks one block of exactly `room` bytes.
static mote_result unpack_block(vtk_reader *reader, const vtk_array *array, const unsigned char *packed, size_t size,
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
static mote_result take_packed(vtk_reader *reader, const vtk_array *array, const unsigned char *data, size_t size)
{
    const uint64_t h = reader->header;
    uint64_t bytes = tuple_bytes(array);
    if (size < 3 * h) return fail_array(reader, array, "its data are cut off by the end of the file");
    uint64_t blocks = read_header(reader, data), each = read_header(reader, data + h);
    uint64_t last = read_header(reader, data + 2 * h);
    if (blocks > size / h - 3) return fail_array(reader, array, "its data are cut off by the end of the file");
    last = blocks && last == 0 ? each : last;
    if (array->kind == KIND_CORNERS) {
        const uint64_t most = MOST_UNPACKED * (uint64_t)size;
        if (last > most) return fail_array(reader, array, "its blocks do not fit into the file");
        if (blocks && (each == 0 || last > each || blocks - 1 > most / each || (blocks - 1) * each > most - last))
            return fail_array(reader, array, "its blocks do not fit into the file");
        bytes = blocks ? (blocks - 1) * each + last : 0;
        if (bytes % array->size != 0) return fail_array(reader, array, "its blocks hold a part of a number");
    }
    if (blocks ? each == 0 || (blocks - 1) > bytes / each || (blocks - 1) * each + last != bytes : bytes != 0)
        return fail_bytes(reader, array, "its blocks hold");
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

// Checks that the file can contain all appended arrays, and allocates memory for the points.
static mote_result expect_points(vtk_reader *reader, size_t available)
{
    const vtk_array *arrays = reader->arrays.data;
    uint64_t bytes = 0, points = 0;
    if (reader->is_base64) available = available / 4 * 3;
    for (size_t a = 0; a < reader->array_count; ++a) {
        bytes += arrays[a].count * arrays[a].parts * arrays[a].size + (reader->is_packed ? 0 : reader->header);
        points += arrays[a].kind == KIND_POINTS ? arrays[a].count : 0;
        if ((reader->is_packed ? bytes / MOST_UNPACKED : bytes) > available)
            return mote_source_fail(reader->source, arrays[a].line, 1,
                                    "%s: its %s do not fit into the file, with those before it",
                                    mote_token_plain(&arrays[a].name).text, kind_nouns[arrays[a].kind]);
    }
    return mote_builder_expect(reader->builder, points);
}

static mote_result take_raw(vtk_reader *reader, const vtk_array *array, const unsigned char *data, size_t size)
{
    if (reader->is_packed) return take_packed(reader, array, data, size);
    vtk_array counted = *array;
    if (array->kind == KIND_CORNERS && size >= reader->header) {
        counted.count = read_header(reader, data) / array->size;
        array = &counted;
    }
    if (size < reader->header || (size - reader->header) / (array->parts * array->size) < array->count)
        return fail_array(reader, array, "its data are cut off by the end of the file");
    if (read_header(reader, data) != tuple_bytes(array)) return fail_bytes(reader, array, "it holds");
    return take_tuples(reader, array, data + reader->header, array->count);
}

// ----------------------------------------------------------------------------------------------------------- base64

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes a run that holds `bytes` bytes, padded to groups of four digits, and appends these to reader->plain.
static mote_result decode_run(vtk_reader *reader, const vtk_array *array, const char *text, size_t length,
                              uint64_t bytes, size_t *used)
{
    const uint64_t groups = (bytes + 2) / 3;
    if (groups > length / 4) return fail_array(reader, array, "its base64 data are cut off");
    unsigned char *to = (unsigned char *)reader->plain.data + *used;
    uint64_t left = bytes;
    for (uint64_t g = 0; g < groups; ++g, text += 4) {
        const size_t count = (size_t)MOTE_MIN(left, 3);
        uint32_t word = 0;
        for (size_t k = 0; k < 4; ++k) {
            const int digit = k <= count ? base64_digit(text[k]) : text[k] == '=' ? 0 : -1;
            if (digit < 0) return fail_array(reader, array, "its data are no base64 of the length that they announce");
            word = word << 6 | (uint32_t)digit;
        }
        for (size_t k = 0; k < count; ++k) *to++ = (unsigned char)(word >> (16 - 8 * k));
        left -= count;
    }
    *used += (size_t)bytes;
    return MOTE_OK;
}

static mote_result reserve_plain(vtk_reader *reader, uint64_t bytes, size_t held)
{
    if (mote_buffer_reserve(reader->builder->context, &reader->plain, (size_t)bytes, held) == MOTE_OK) return MOTE_OK;
    return mote_fail(reader->source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory to decode it",
                     reader->source->name);
}

// Decodes an array of blocks: its head, encoded by itself, and the blocks.
static mote_result decode_packed(vtk_reader *reader, const vtk_array *array, const char *text, size_t length,
                                 size_t *used)
{
    const size_t h = reader->header;
    size_t begun = 0;  // whole groups, as the head has three numbers at least
    mote_result result = decode_run(reader, array, text, length, (h + 2) / 3 * 3, &begun);
    if (result != MOTE_OK) return result;
    const uint64_t blocks = read_header(reader, reader->plain.data);
    if (blocks > length / h) return fail_array(reader, array, "its base64 data are cut off");
    const uint64_t head = (3 + blocks) * h;
    result = decode_run(reader, array, text, length, head, used);
    if (result != MOTE_OK) return result;
    uint64_t bytes = 0;
    for (uint64_t b = 0; b < blocks; ++b) {
        const uint64_t packed = read_header(reader, (const unsigned char *)reader->plain.data + (3 + b) * h);
        if (packed > length) return fail_array(reader, array, "its base64 data are cut off");
        bytes += packed;
    }
    const size_t at = (size_t)((head + 2) / 3 * 4);
    return decode_run(reader, array, text + at, length - at, bytes, used);
}

// Decodes the number of bytes before an array of corners. Its last group of digits may go on with the data, or be
// padded if there are none: its further digits are not looked at.
static mote_result decode_header(vtk_reader *reader, const vtk_array *array, const char *text, size_t length,
                                 uint64_t *bytes)
{
    const size_t digits = (4 * reader->header + 2) / 3, groups = (reader->header + 2) / 3;
    char head[12];
    size_t begun = 0;
    MOTE_ASSERT(4 * groups <= sizeof head);
    for (size_t k = 0; k < 4 * groups; ++k) head[k] = k < digits && k < length ? text[k] : '=';
    const mote_result result = decode_run(reader, array, head, MOTE_MIN(length, 4 * groups), reader->header, &begun);
    if (result != MOTE_OK) return result;
    *bytes = read_header(reader, reader->plain.data);
    return *bytes > length ? fail_array(reader, array, "its base64 data are cut off") : MOTE_OK;
}

static mote_result take_base64(vtk_reader *reader, const vtk_array *array, const char *text, size_t length)
{
    while (length && strchr(" \t\r\n", *text)) ++text, --length;
    size_t used = 0;
    mote_result result = reserve_plain(reader, length + 32, 0);
    if (result != MOTE_OK) return result;
    if (reader->is_packed)
        result = decode_packed(reader, array, text, length, &used);
    else {
        uint64_t bytes = tuple_bytes(array);
        if (array->kind == KIND_CORNERS) result = decode_header(reader, array, text, length, &bytes);
        if (result == MOTE_OK) result = decode_run(reader, array, text, length, reader->header + bytes, &used);
    }
    return result == MOTE_OK ? take_raw(reader, array, reader->plain.data, used) : result;
}

// ------------------------------------------------------------------------------------------------------------- arrays

static mote_result take_appended(vtk_reader *reader)
{
    const vtk_array *arrays = reader->arrays.data;
    while (reader->at < reader->source->size && reader->source->data[reader->at] != '_') ++reader->at;
    size_t begin = reader->at + 1;
    mote_result result = expect_points(reader, begin < reader->source->size ? reader->source->size - begin : 0);
    for (size_t a = 0; a < reader->array_count && result == MOTE_OK; ++a) {
        const vtk_array *array = &arrays[a];
        if (begin > reader->source->size || array->offset > reader->source->size - begin)
            return fail_array(reader, array, "its offset lies behind the end of the file");
        const char *data = reader->source->data + begin + array->offset;
        const size_t size = reader->source->size - begin - (size_t)array->offset;
        result = reader->is_base64 ? take_base64(reader, array, data, size)
                                   : take_raw(reader, array, (const unsigned char *)data, size);
    }
    return result;
}

// The text up to the next tag, which has to be that of this array.
static mote_source text_of(const vtk_reader *reader)
{
    mote_source text = *reader->source;
    const char *end = reader->at < text.size ? memchr(text.data + reader->at, '<', text.size - reader->at) : NULL;
    if (end) text.size = (size_t)(end - text.data);
    return text;
}

static mote_result take_inline(vtk_reader *reader, const vtk_array *array)
{
    const mote_source text = text_of(reader);
    // A tuple takes a digit at least.
    if (!reader->is_packed && array->count > text.size)
        return fail_array(reader, array, "its base64 data are cut off");
    const mote_result result = take_base64(reader, array, text.data + reader->at, text.size - reader->at);
    for (; reader->at < text.size; ++reader->at) reader->line += text.data[reader->at] == '\n';
    return result;
}

// The next word of a text of several lines.
static mote_token next_word(mote_scanner *scanner)
{
    mote_scanner before = *scanner;
    mote_token token;
    while ((token = mote_scanner_next(scanner)).kind == MOTE_TOKEN_LINE_END) before = *scanner;
    *scanner = before;
    return token;
}

static mote_result fail_count(const vtk_reader *reader, const vtk_array *array, const mote_token *token, uint64_t found,
                              bool is_more)
{
    return mote_source_fail(reader->source, token->line, token->column,
                            "%s: %sthe numbers of %llu %s, expected those of %llu", mote_token_plain(&array->name).text,
                            is_more ? "more than " : "", (unsigned long long)found, kind_nouns[array->kind],
                            (unsigned long long)array->count);
}

// The text of an array has no numbers but those of its tuples.
static mote_result expect_end(const vtk_reader *reader, const vtk_array *array, mote_scanner *scanner)
{
    const mote_token token = next_word(scanner);
    if (token.kind == MOTE_TOKEN_FILE_END) return MOTE_OK;
    return fail_count(reader, array, &token, array->count, true);
}

static mote_result take_text_array(vtk_reader *reader, const vtk_array *array, mote_scanner *scanner)
{
    const bool is_open = array->kind == KIND_CORNERS;
    for (uint64_t i = 0; is_open || i < array->count * array->parts; ++i) {
        const mote_token token = next_word(scanner);
        uint64_t bits;
        if (token.kind == MOTE_TOKEN_FILE_END && is_open) return MOTE_OK;
        if (token.kind == MOTE_TOKEN_FILE_END) return fail_count(reader, array, &token, i / array->parts, false);
        mote_scanner_next(scanner);
        if (!mote_cloud_parse(array->type, &token, &bits))
            return mote_token_fail(reader->source, &token, mote_token_plain(&array->name).text,
                                   "a number of the array's type");
        mote_result result = mote_cloud_put(reader->builder->cloud, array->index, bits);
        if (result != MOTE_OK) return result;
        count_numbers(reader, array, 1);
    }
    return expect_end(reader, array, scanner);
}

static mote_result take_text_points(vtk_reader *reader, const vtk_array *array, mote_scanner *scanner)
{
    for (uint64_t i = 0; i < reader->count; ++i) {
        double at[3];
        for (int k = 0; k < 3; ++k) {
            const mote_token token = next_word(scanner);
            if (token.kind == MOTE_TOKEN_FILE_END) return fail_count(reader, array, &token, i, false);
            mote_result result = mote_scanner_number(scanner, "coordinate", &at[k]);
            if (result != MOTE_OK) return result;
        }
        reader->builder->line = scanner->line;
        mote_result result = mote_builder_vertex(reader->builder, (mote_vec3){at[0], at[1], at[2]});
        if (result != MOTE_OK) return result;
    }
    return expect_end(reader, array, scanner);
}

static mote_result take_text(vtk_reader *reader, const vtk_array *array)
{
    const mote_source text = text_of(reader);
    mote_scanner scanner = {.source = &text, .at = reader->at, .line = reader->line, .line_start = reader->at};
    const mote_result result = array->kind == KIND_POINTS ? take_text_points(reader, array, &scanner)
                                                          : take_text_array(reader, array, &scanner);
    reader->at = scanner.at;
    reader->line = scanner.line;
    return result;
}

// -------------------------------------------------------------------------------------------------------- structure

static mote_result read_file_tag(vtk_reader *reader, const vtk_tag *tag)
{
    bool is_wide = true;
    mote_token type = attribute_of(tag, "type"), header = attribute_of(tag, "header_type");
    if (!mote_token_is(&type, "PolyData") && !mote_token_is(&type, "UnstructuredGrid"))
        return mote_token_fail(reader->source, &type, "VTKFile: type", "PolyData or UnstructuredGrid");
    if (reader->list && !mote_token_is(&type, "PolyData"))
        return mote_token_fail(reader->source, &type, "VTKFile: type", "PolyData");
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

static const struct {
    const char *name;
    mote_array_type type;
} types[] = {{"Float32", MOTE_ARRAY_F32}, {"Float64", MOTE_ARRAY_F64}, {"Int8", MOTE_ARRAY_I8},
             {"UInt8", MOTE_ARRAY_U8},    {"Int16", MOTE_ARRAY_I16},   {"UInt16", MOTE_ARRAY_U16},
             {"Int32", MOTE_ARRAY_I32},   {"UInt32", MOTE_ARRAY_U32},  {"Int64", MOTE_ARRAY_I64},
             {"UInt64", MOTE_ARRAY_U64}};

static mote_result read_points_type(const vtk_reader *reader, const vtk_tag *tag, vtk_array *array)
{
    mote_token components = attribute_of(tag, "NumberOfComponents");
    if (!mote_token_is(&components, "3"))
        return mote_token_fail(reader->source, &components, "Points: NumberOfComponents", "3");
    bool is_double;
    const mote_result result = read_either(reader, tag, "type", "Float32", "Float64", &is_double);
    array->name = (mote_token){MOTE_TOKEN_WORD, "Points", 6, tag->name.line, 1};
    array->size = is_double ? 8 : 4;
    array->parts = 3;
    array->kind = KIND_POINTS;
    return result;
}

// Reads name, type and components of an array of point data, and declares it.
static mote_result read_data_type(const vtk_reader *reader, const vtk_tag *tag, vtk_array *array)
{
    const mote_token type = attribute_of(tag, "type"), components = attribute_of(tag, "NumberOfComponents");
    array->name = attribute_of(tag, "Name");
    size_t k = 0;
    while (k < sizeof types / sizeof *types && !mote_token_is(&type, types[k].name)) ++k;
    if (k == sizeof types / sizeof *types)
        return mote_token_fail(reader->source, &type, "DataArray: type", "Int8 ... UInt64, Float32 or Float64");
    int64_t parts = 1;
    if (components.length &&
        !mote_integer_parse(components.text, components.length, 1, MOTE_ARRAY_COMPONENTS, &parts))
        return mote_token_fail(reader->source, &components, "DataArray: NumberOfComponents", "1 to 9");
    array->type = types[k].type;
    array->size = mote_array_type_bytes(array->type);
    array->parts = (size_t)parts;
    array->kind = KIND_POINT_DATA;
    return mote_cloud_declare(reader->builder->cloud, &array->name, array->type, (int)parts, tag->name.line,
                              &array->index);
}

static mote_result keep_array(vtk_reader *reader, const vtk_tag *tag, vtk_array *array)
{
    mote_result result = read_whole_attribute(reader, tag, "offset", &array->offset);
    if (result != MOTE_OK) return result;
    size_t used = reader->array_count * sizeof *array;
    result = mote_buffer_reserve(reader->builder->context, &reader->arrays, used + sizeof *array, used);
    if (result != MOTE_OK)
        return mote_fail(reader->source->error, result, 0, "%s: no memory for its pieces", reader->source->name);
    ((vtk_array *)reader->arrays.data)[reader->array_count++] = *array;
    return MOTE_OK;
}

// The same of the numbers of polygons: the corners of each, one after the other, or where each ends.
static mote_result read_polygons_type(const vtk_reader *reader, const vtk_tag *tag, vtk_array *array)
{
    const mote_token name = attribute_of(tag, "Name"), type = attribute_of(tag, "type");
    if (reader->list->count == 0)
        return mote_source_fail(reader->source, tag->name.line, 1, "Polys: there is no tag Piece around, expected one");
    const mote_result result = read_data_type(reader, tag, array);
    if (result != MOTE_OK) return result;
    array->piece = reader->list->count - 1;
    const mote_vtk_piece *piece = (const mote_vtk_piece *)reader->list->memory.data + array->piece;
    if (!piece->is_counted)
        return mote_source_fail(reader->source, piece->line, 1, "Piece has Polys, expected its NumberOfPolys, too");
    array->kind = mote_token_is(&name, "connectivity") ? KIND_CORNERS : KIND_POLYGONS;
    array->count = array->kind == KIND_CORNERS ? 0 : piece->polygons;
    const size_t bytes = array->size;
    if (array->parts != 1 || array->type == MOTE_ARRAY_F32 || array->type == MOTE_ARRAY_F64 || bytes == 2)
        return mote_token_fail(reader->source, &type, mote_token_plain(&name).text,
                               "one number each, of Int32, Int64, UInt32, UInt64, Int8 or UInt8");
    return MOTE_OK;
}

static mote_result read_array(vtk_reader *reader, const vtk_tag *tag)
{
    vtk_array array = {.count = reader->count, .line = tag->name.line};
    const mote_token format = attribute_of(tag, "format");
    mote_result result = reader->section == SECTION_POINTS     ? read_points_type(reader, tag, &array)
                         : reader->section == SECTION_POLYGONS ? read_polygons_type(reader, tag, &array)
                                                               : read_data_type(reader, tag, &array);
    if (result != MOTE_OK) return result;
    const bool is_appended = mote_token_is(&format, "appended"), is_inline = mote_token_is(&format, "binary");
    if (!is_appended && !is_inline && !mote_token_is(&format, "ascii"))
        return mote_token_fail(reader->source, &format, "format", "ascii, binary or appended");
    reader->ways |= is_appended ? 2 : 1;
    if (reader->ways == 3 && reader->pieces > 1)
        return mote_source_fail(reader->source, tag->name.line, 1, "some arrays of several pieces are appended and "
                                "others are not, expected one or the other");
    if (!is_appended && !is_inline) return take_text(reader, &array);
    if (!reader->has_order)
        return mote_source_fail(reader->source, tag->name.line, 1,
                                "format is \"%s\", expected a byte_order in the tag VTKFile, too",
                                is_inline ? "binary" : "appended");
    return is_inline ? take_inline(reader, &array) : keep_array(reader, tag, &array);
}

// An array of point data is read where arrays are wanted, and it is one of numbers that has a name.
static bool is_wanted(const vtk_reader *reader, const vtk_tag *tag)
{
    const mote_token type = attribute_of(tag, "type"), name = attribute_of(tag, "Name");
    switch (reader->section) {
    case SECTION_POINTS: return true;
    case SECTION_POINT_DATA:
        return !reader->list && reader->builder->cloud && name.length && !mote_token_is(&type, "String");
    case SECTION_POLYGONS:
        return reader->list && (mote_token_is(&name, "connectivity") || mote_token_is(&name, "offsets"));
    default: return false;
    }
}

// Adds a piece to the list.
static mote_result list_piece(vtk_reader *reader, const vtk_tag *tag)
{
    mote_vtk_pieces *list = reader->list;
    mote_vtk_piece piece = {.points = reader->count, .line = tag->name.line};
    uint64_t strips = 0;
    mote_result result = MOTE_OK;
    piece.is_counted = attribute_of(tag, "NumberOfPolys").length > 0;
    if (piece.is_counted) result = read_whole_attribute(reader, tag, "NumberOfPolys", &piece.polygons);
    if (result == MOTE_OK && attribute_of(tag, "NumberOfStrips").length)
        result = read_whole_attribute(reader, tag, "NumberOfStrips", &strips);
    if (result != MOTE_OK) return result;
    if (strips > 0)
        return mote_source_fail(reader->source, piece.line, 1, "NumberOfStrips is %llu, expected 0: polygons alone",
                                (unsigned long long)strips);
    if (piece.polygons > reader->source->size * (uint64_t)MOST_UNPACKED)
        return mote_source_fail(reader->source, piece.line, 1, "NumberOfPolys is %llu: they do not fit into the file",
                                (unsigned long long)piece.polygons);
    const size_t used = list->count * sizeof piece;
    if (used + sizeof piece > list->memory.bytes)
        result = mote_buffer_reserve(reader->builder->context, &list->memory, 2 * used + sizeof piece, used);
    if (result != MOTE_OK)
        return mote_fail(reader->source->error, result, 0, "%s: no memory for its pieces", reader->source->name);
    ((mote_vtk_piece *)list->memory.data)[list->count++] = piece;
    return MOTE_OK;
}

static mote_result read_piece(vtk_reader *reader, const vtk_tag *tag)
{
    mote_result result = read_whole_attribute(reader, tag, "NumberOfPoints", &reader->count);
    ++reader->pieces;
    if (result == MOTE_OK && reader->count < UINT32_MAX && reader->list) return list_piece(reader, tag);
    if (result != MOTE_OK || reader->count < UINT32_MAX) return result;
    return mote_source_fail(reader->source, tag->name.line, 1, "NumberOfPoints is %llu, expected at most 2^32 - 2",
                            (unsigned long long)reader->count);
}

// A tag like <PointData/>.
static bool ends_itself(const vtk_tag *tag)
{
    return tag->length && tag->attributes[tag->length - 1] == '/';
}

// Whether the tag begins or ends one of the sections.
static bool pass_section(vtk_reader *reader, const vtk_tag *tag)
{
    static const struct {
        const char *begin, *end;
        vtk_section section;
    } sections[] = {{"Points", "/Points", SECTION_POINTS},
                    {"PointData", "/PointData", SECTION_POINT_DATA},
                    {"Polys", "/Polys", SECTION_POLYGONS}};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; ++k) {
        const bool is_begin = mote_token_is(&tag->name, sections[k].begin);
        if (!is_begin && !mote_token_is(&tag->name, sections[k].end)) continue;
        reader->section = is_begin && !ends_itself(tag) ? sections[k].section : SECTION_OTHER;
        return true;
    }
    return false;
}

static mote_result read_tags(vtk_reader *reader)
{
    vtk_tag tag;
    bool is_vtk = false;
    while (next_tag(reader, &tag)) {
        mote_result result = MOTE_OK;
        bool is_ours = mote_token_is(&tag.name, "VTKFile");
        if (is_ours) result = read_file_tag(reader, &tag);
        else if (mote_token_is(&tag.name, "Piece")) result = read_piece(reader, &tag);
        else if (pass_section(reader, &tag)) continue;
        else if (mote_token_is(&tag.name, "DataArray") && is_wanted(reader, &tag)) result = read_array(reader, &tag);
        is_vtk = is_vtk || is_ours;
        if (result == MOTE_OK && is_vtk && mote_token_is(&tag.name, "AppendedData")) {
            mote_token encoding = attribute_of(&tag, "encoding");
            reader->is_base64 = mote_token_is(&encoding, "base64");
            if (reader->is_base64 || mote_token_is(&encoding, "raw")) return take_appended(reader);
            return mote_token_fail(reader->source, &encoding, "AppendedData: encoding", "raw or base64");
        }
        if (result != MOTE_OK) return result;
    }
    if (!is_vtk) return mote_source_fail(reader->source, reader->line, 1, "there is no tag VTKFile, expected one");
    if (reader->array_count == 0) return MOTE_OK;
    return mote_source_fail(reader->source, reader->line, 1, "there is no tag AppendedData, which its points refer to");
}

mote_result mote_vtk_xml_read(const mote_source *source, mote_mesh_builder *builder)
{
    return mote_vtk_xml_read_cells(source, builder, NULL);
}

mote_result mote_vtk_xml_read_cells(const mote_source *source, mote_mesh_builder *builder, mote_vtk_pieces *pieces)
{
    vtk_reader reader = {.source = source, .builder = builder, .line = 1, .list = pieces};
    mote_result result = read_tags(&reader);
    mote_buffer_release(builder->context, &reader.arrays);
    mote_buffer_release(builder->context, &reader.window);
    mote_buffer_release(builder->context, &reader.plain);
    return result;
}
