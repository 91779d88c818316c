// SPDX-License-Identifier: MIT
// Points of binary files: BGEO, version 5 (Houdini before 12, Partio), plain or packed by gzip; and raw floats.
//
// BGEO is big-endian: the head "BgeoV", the version, and eight counts of four bytes each; then the point attributes'
// names, sizes, types and defaults; then for each point x, y, z, w and its attributes. What follows (primitives) is not
// looked at.

#include <string.h>
#include <zlib.h>

#include "base/sized.h"
#include "import/cloud.h"

enum { MAGIC = 5, COUNTS = 8, VERSION = 5, POINT = 16, ATTRIBUTES_MOST = 1000 };

typedef enum bgeo_type { BGEO_FLOAT, BGEO_INT, BGEO_STRING, BGEO_MIXED, BGEO_INDEX, BGEO_VECTOR } bgeo_type;

typedef struct bgeo_attribute {
    size_t index;  // of the cloud's array
    size_t size;   // numbers
} bgeo_attribute;

typedef struct bgeo_reader {
    const mote_source *source;
    mote_mesh_builder *builder;
    size_t at;
    uint32_t points, attributes;
    size_t numbers;      // of all attributes of a point
    mote_buffer places;  // bgeo_attribute[attributes]
} bgeo_reader;

bool mote_bgeo_is(const mote_source *source)
{
    return source->size >= MAGIC && memcmp(source->data, "BgeoV", MAGIC) == 0;
}

static mote_result read_word(bgeo_reader *reader, const char *what, size_t size, uint32_t *word)
{
    *word = 0;
    if (reader->source->size - reader->at < size)
        return mote_source_fail(reader->source, 0, 0, "byte %zu: %s is cut off by the end of the file, expected %zu "
                                "bytes", reader->at, what, size);
    for (size_t k = 0; k < size; ++k) *word = *word << 8 | (unsigned char)reader->source->data[reader->at++];
    return MOTE_OK;
}

static mote_result skip(bgeo_reader *reader, const char *what, size_t size)
{
    if (reader->source->size - reader->at < size)
        return mote_source_fail(reader->source, 0, 0, "byte %zu: %s is cut off by the end of the file, expected %zu "
                                "bytes", reader->at, what, size);
    reader->at += size;
    return MOTE_OK;
}

static mote_result read_head(bgeo_reader *reader)
{
    static const char *const names[COUNTS] = {"the number of points", "the number of primitives",
                                              "the number of point groups", "the number of primitive groups",
                                              "the number of point attributes", "the number of vertex attributes",
                                              "the number of primitive attributes", "the number of attributes"};
    uint32_t version, counts[COUNTS];
    if (!mote_bgeo_is(reader->source))
        return mote_source_fail(reader->source, 0, 0, "byte 0: the file does not begin with \"BgeoV\", expected BGEO "
                                "version 5");
    reader->at = MAGIC;
    mote_result result = read_word(reader, "the version", 4, &version);
    if (result == MOTE_OK && version != VERSION)
        result = mote_source_fail(reader->source, 0, 0, "byte 5: the version is %u, expected 5", version);
    for (int k = 0; k < COUNTS && result == MOTE_OK; ++k) {
        result = read_word(reader, names[k], 4, &counts[k]);
        if (result == MOTE_OK && counts[k] > INT32_MAX)
            result = mote_source_fail(reader->source, 0, 0, "byte %zu: %s is %d, expected 0 or more", reader->at - 4,
                                      names[k], (int32_t)counts[k]);
    }
    if (result != MOTE_OK) return result;
    reader->points = counts[0];
    reader->attributes = counts[4];
    if (reader->attributes <= ATTRIBUTES_MOST) return MOTE_OK;
    return mote_source_fail(reader->source, 0, 0, "byte 25: the number of point attributes is %u, expected at most %d",
                            reader->attributes, ATTRIBUTES_MOST);
}

// The strings that an attribute's numbers stand for, or its default.
static mote_result skip_default(bgeo_reader *reader, uint32_t type, uint32_t size)
{
    if (type != BGEO_INDEX) return skip(reader, "the default of an attribute", 4 * (size_t)size);
    uint32_t count, length = 0;
    mote_result result = read_word(reader, "the number of strings", 4, &count);
    for (uint32_t k = 0; k < count && result == MOTE_OK; ++k) {
        result = read_word(reader, "the length of a string", 2, &length);
        if (result == MOTE_OK) result = skip(reader, "a string", length);
    }
    return result;
}

static mote_result read_attribute(bgeo_reader *reader, bgeo_attribute *attribute)
{
    uint32_t length, size = 0, type = 0;
    mote_result result = read_word(reader, "the length of a name", 2, &length);
    if (result != MOTE_OK) return result;
    const mote_token name = {MOTE_TOKEN_WORD, reader->source->data + reader->at, length, 0, 0};
    result = skip(reader, "the name of an attribute", length);
    if (result == MOTE_OK) result = read_word(reader, "the size of an attribute", 2, &size);
    if (result == MOTE_OK && (size < 1 || size > MOTE_ARRAY_COMPONENTS))
        return mote_source_fail(reader->source, 0, 0, "byte %zu: the size of attribute %s is %u, expected 1 to %d",
                                reader->at - 2, mote_token_plain(&name).text, size, MOTE_ARRAY_COMPONENTS);
    if (result == MOTE_OK) result = read_word(reader, "the type of an attribute", 4, &type);
    if (result == MOTE_OK && (type > BGEO_VECTOR || type == BGEO_STRING || type == BGEO_MIXED))
        return mote_source_fail(reader->source, 0, 0, "byte %zu: the type of attribute %s is %u, expected 0 (float), "
                                "1 (integer), 4 (strings) or 5 (vector)", reader->at - 4, mote_token_plain(&name).text,
                                type);
    if (result == MOTE_OK) result = skip_default(reader, type, size);
    if (result != MOTE_OK) return result;
    *attribute = (bgeo_attribute){0, size};
    reader->numbers += size;
    const mote_array_type kind = type == BGEO_INT || type == BGEO_INDEX ? MOTE_ARRAY_I32 : MOTE_ARRAY_F32;
    if (!reader->builder->cloud) return MOTE_OK;
    const size_t before = reader->builder->cloud->count;
    result = mote_cloud_declare(reader->builder->cloud, &name, kind, (int)size, 0, &attribute->index);
    if (result != MOTE_OK || attribute->index == before) return result;
    return mote_source_fail(reader->source, 0, 0, "byte %zu: attribute %s is there twice, expected each only once",
                            reader->at, mote_token_plain(&name).text);
}

static mote_result read_points(bgeo_reader *reader)
{
    const bgeo_attribute *attributes = reader->places.data;
    const size_t each = POINT + 4 * reader->numbers, left = reader->source->size - reader->at;
    if (left / each < reader->points)
        return mote_source_fail(reader->source, 0, 0, "byte %zu: %u points of %zu bytes each, expected no more than "
                                "the %zu bytes that follow", reader->at, reader->points, each, left);
    mote_result result = mote_builder_expect(reader->builder, reader->points);
    for (uint32_t i = 0; i < reader->points && result == MOTE_OK; ++i) {
        double at[3] = {0, 0, 0};
        for (int k = 0; k < 3 && result == MOTE_OK; ++k) {
            uint32_t bits;
            result = read_word(reader, "a coordinate", 4, &bits);
            at[k] = mote_bits_number(bits, 4);
            if (at[k] - at[k] != 0)
                result = mote_source_fail(reader->source, 0, 0, "point %u (byte %zu): %c is not finite, expected a "
                                          "number", i, reader->at - 4, "xyz"[k]);
        }
        reader->at += 4;  // w
        for (size_t a = 0; a < reader->attributes && result == MOTE_OK; ++a) {
            const unsigned char *bytes = (const unsigned char *)reader->source->data + reader->at;
            if (reader->builder->cloud)
                result =
                    mote_cloud_take(reader->builder->cloud, attributes[a].index, bytes, attributes[a].size, true);
            reader->at += 4 * attributes[a].size;
        }
        if (result == MOTE_OK) result = mote_builder_vertex(reader->builder, (mote_vec3){at[0], at[1], at[2]});
    }
    return result;
}

static mote_result read_plain(const mote_source *source, mote_mesh_builder *builder)
{
    bgeo_reader reader = {.source = source, .builder = builder};
    mote_result result = read_head(&reader);
    if (result == MOTE_OK) {
        const size_t bytes = mote_bytes(reader.attributes, sizeof(bgeo_attribute));
        result = mote_buffer_reserve(builder->context, &reader.places, bytes, 0);
        if (result != MOTE_OK)
            mote_fail(source->error, result, 0, "%s: no memory for its %u attributes", source->name,
                      reader.attributes);
    }
    for (uint32_t a = 0; a < reader.attributes && result == MOTE_OK; ++a)
        result = read_attribute(&reader, (bgeo_attribute *)reader.places.data + a);
    if (result == MOTE_OK) result = read_points(&reader);
    mote_buffer_release(builder->context, &reader.places);
    return result;
}

mote_result mote_bgeo_read(const mote_source *source, mote_mesh_builder *builder)
{
    if (!mote_gzip_is(source)) return read_plain(source, builder);
    mote_buffer buffer = {0};
    mote_source plain = *source;
    mote_result result = mote_gzip_unpack(builder->context, source, &buffer, &plain.size);
    plain.data = plain.size ? buffer.data : "";
    if (result == MOTE_OK) result = read_plain(&plain, builder);
    mote_buffer_release(builder->context, &buffer);
    return result;
}

// ------------------------------------------------------------------------------------------------------------- gzip

bool mote_gzip_is(const mote_source *source)
{
    return source->size >= 2 && memcmp(source->data, "\x1F\x8B", 2) == 0;
}

static voidpf zlib_allocate(voidpf context, uInt count, uInt size)
{
    return mote_sized_allocate(context, mote_bytes(count, size));
}

static void zlib_release(voidpf context, voidpf memory)
{
    mote_sized_release(context, memory);
}

mote_result mote_gzip_unpack(mote_context *context, const mote_source *source, mote_buffer *buffer, size_t *size)
{
    enum { GZIP = 16 + MAX_WBITS, STEP = 1 << 16 };
    z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = context};
    *size = 0;
    if (inflateInit2(&stream, GZIP) != Z_OK)
        return mote_fail(source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory to unpack it", source->name);
    size_t taken = 0;
    int answer = Z_OK;
    mote_result result = MOTE_OK;
    while (result == MOTE_OK && answer == Z_OK) {
        if (*size == buffer->bytes)
            result = mote_buffer_reserve(context, buffer, MOTE_MAX(2 * *size, (size_t)STEP), *size);
        if (result != MOTE_OK) {
            mote_fail(source->error, result, 0, "%s: no memory to unpack it", source->name);
            break;
        }
        const size_t given = MOTE_MIN(source->size - taken, (size_t)STEP), room = MOTE_MIN(buffer->bytes - *size, STEP);
        stream.next_in = (unsigned char *)(uintptr_t)(source->data + taken);  // zlib does not write to it
        stream.avail_in = (uInt)given;
        stream.next_out = (unsigned char *)buffer->data + *size;
        stream.avail_out = (uInt)room;
        answer = inflate(&stream, Z_NO_FLUSH);
        taken += given - stream.avail_in;
        *size += room - stream.avail_out;
        if (answer == Z_STREAM_END && taken < source->size) answer = inflateReset(&stream);
    }
    inflateEnd(&stream);
    if (result != MOTE_OK || answer == Z_STREAM_END) return result;
    return mote_source_fail(source, 0, 0, "byte %zu: its gzip data are damaged or cut off", taken);
}

// -------------------------------------------------------------------------------------------------------------- raw

// Nothing but x, y, z in little-endian floats.
mote_result mote_raw_read(const mote_source *source, mote_mesh_builder *builder)
{
    enum { EACH = 12 };
    if (source->size % EACH)
        return mote_source_fail(source, 0, 0, "byte %zu: %zu bytes of a point, expected 12: the file is %zu bytes of "
                                "float32 x, y, z", source->size - source->size % EACH, source->size % EACH,
                                source->size);
    mote_result result = mote_builder_expect(builder, source->size / EACH);
    for (size_t i = 0; i < source->size / EACH && result == MOTE_OK; ++i) {
        double at[3];
        for (size_t k = 0; k < 3; ++k) {
            const unsigned char *b = (const unsigned char *)source->data + EACH * i + 4 * k;
            at[k] = mote_bits_number((uint64_t)b[3] << 24 | (uint64_t)b[2] << 16 | (uint64_t)b[1] << 8 | b[0], 4);
            if (at[k] - at[k] != 0)
                return mote_source_fail(source, 0, 0, "point %zu (byte %zu): %c is not finite, expected a number", i,
                                        EACH * i + 4 * k, "xyz"[k]);
        }
        result = mote_builder_vertex(builder, (mote_vec3){at[0], at[1], at[2]});
    }
    return result;
}
