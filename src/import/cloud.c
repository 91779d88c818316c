// SPDX-License-Identifier: MIT
// Points with named arrays: the arrays while they are read, and the reader of files of any kind.

#include <string.h>

#include "import/cloud.h"
#include "import/ply.h"
#include "import/points.h"

enum { ARRAYS_MOST = 1000 };

static mote_result no_memory(const mote_cloud_builder *cloud)
{
    return mote_fail(cloud->source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory for its arrays",
                     cloud->source->name);
}

static mote_cloud_array *arrays_of(const mote_cloud_builder *cloud)
{
    return cloud->arrays.data;
}

static mote_result add(mote_cloud_builder *cloud, const mote_token *name, mote_array_type type, int components)
{
    const size_t held = cloud->count * sizeof(mote_cloud_array);
    mote_result result =
        mote_buffer_reserve(cloud->context, &cloud->arrays, held + sizeof(mote_cloud_array), held);
    if (result != MOTE_OK) return no_memory(cloud);
    mote_cloud_array *array = &arrays_of(cloud)[cloud->count];
    *array = (mote_cloud_array){.type = type, .components = components};
    if (mote_buffer_reserve(cloud->context, &array->name, name->length + 1, 0) != MOTE_OK) return no_memory(cloud);
    memcpy(array->name.data, name->text, name->length);
    ((char *)array->name.data)[name->length] = '\0';
    ++cloud->count;
    return MOTE_OK;
}

mote_result mote_cloud_declare(mote_cloud_builder *cloud, const mote_token *name, mote_array_type type, int components,
                               uint32_t line, size_t *index)
{
    if (name->length == 0 || memchr(name->text, 0, name->length))
        return mote_source_fail(cloud->source, line, 1, "an array has no name, expected one");
    for (*index = 0; *index < cloud->count; ++*index) {
        const mote_cloud_array *array = &arrays_of(cloud)[*index];
        const char *text = array->name.data;
        if (strlen(text) != name->length || memcmp(text, name->text, name->length) != 0) continue;
        if (array->type == type && array->components == components) return MOTE_OK;
        return mote_source_fail(cloud->source, line, 1, "array %s is there already, with numbers of another kind",
                                mote_token_plain(name).text);
    }
    if (cloud->count == ARRAYS_MOST)
        return mote_source_fail(cloud->source, line, 1, "more than %d arrays, expected at most as many", ARRAYS_MOST);
    return add(cloud, name, type, components);
}

static unsigned char *room_for(mote_cloud_builder *cloud, mote_cloud_array *array, size_t bytes)
{
    const size_t needed = array->used + bytes;
    if (needed > array->data.bytes &&
        mote_buffer_reserve(cloud->context, &array->data, MOTE_MAX(2 * array->used, needed), array->used) != MOTE_OK)
        return NULL;
    unsigned char *room = (unsigned char *)array->data.data + array->used;
    array->used = needed;
    return room;
}

static void store(unsigned char *to, uint64_t bits, size_t size)
{
    const uint8_t b = (uint8_t)bits;
    const uint16_t s = (uint16_t)bits;
    const uint32_t w = (uint32_t)bits;
    memcpy(to, size == 1 ? (const void *)&b : size == 2 ? (const void *)&s : size == 4 ? (const void *)&w
                                                                                          : (const void *)&bits, size);
}

mote_result mote_cloud_put(mote_cloud_builder *cloud, size_t index, uint64_t bits)
{
    mote_cloud_array *array = &arrays_of(cloud)[index];
    const size_t size = mote_array_type_bytes(array->type);
    unsigned char *to = room_for(cloud, array, size);
    if (!to) return no_memory(cloud);
    store(to, bits, size);
    return MOTE_OK;
}

static uint64_t bits_of_number(mote_array_type type, double number)
{
    const float narrow = (float)number;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&bits, &number, sizeof bits);
    return type == MOTE_ARRAY_F32 ? low : bits;
}

mote_result mote_cloud_put_number(mote_cloud_builder *cloud, size_t index, double number)
{
    return mote_cloud_put(cloud, index, bits_of_number(arrays_of(cloud)[index].type, number));
}

mote_result mote_cloud_take(mote_cloud_builder *cloud, size_t index, const unsigned char *bytes, size_t count,
                            bool is_big)
{
    mote_cloud_array *array = &arrays_of(cloud)[index];
    const size_t size = mote_array_type_bytes(array->type);
    if (count == 0) return MOTE_OK;
    unsigned char *to = room_for(cloud, array, count * size);
    if (!to) return no_memory(cloud);
    for (size_t i = 0; i < count; ++i, to += size) {
        uint64_t bits = 0;
        for (size_t k = 0; k < size; ++k) bits = bits << 8 | bytes[i * size + (is_big ? k : size - 1 - k)];
        store(to, bits, size);
    }
    return MOTE_OK;
}

bool mote_cloud_parse(mote_array_type type, const mote_token *token, uint64_t *bits)
{
    double number;
    int64_t whole = 0;
    if (token->kind != MOTE_TOKEN_WORD) return false;
    if (type == MOTE_ARRAY_F32 || type == MOTE_ARRAY_F64) {
        if (!mote_number_parse(token->text, token->length, &number)) return false;
        *bits = bits_of_number(type, number);
        return true;
    }
    if (type == MOTE_ARRAY_U64) {  // beyond what int64_t holds
        if (token->length == 0 || token->length > 20) return false;
        *bits = 0;
        for (size_t i = 0; i < token->length; ++i) {
            const uint64_t digit = (uint64_t)(unsigned char)token->text[i] - '0';
            if (digit > 9 || *bits > (UINT64_MAX - digit) / 10) return false;
            *bits = *bits * 10 + digit;
        }
        return true;
    }
    static const int64_t limits[][2] = {
        [MOTE_ARRAY_I8] = {INT8_MIN, INT8_MAX},    [MOTE_ARRAY_U8] = {0, UINT8_MAX},
        [MOTE_ARRAY_I16] = {INT16_MIN, INT16_MAX}, [MOTE_ARRAY_U16] = {0, UINT16_MAX},
        [MOTE_ARRAY_I32] = {INT32_MIN, INT32_MAX}, [MOTE_ARRAY_U32] = {0, UINT32_MAX},
        [MOTE_ARRAY_I64] = {INT64_MIN, INT64_MAX}};
    if (!mote_integer_parse(token->text, token->length, limits[type][0], limits[type][1], &whole)) return false;
    *bits = (uint64_t)whole;
    return true;
}

double mote_bits_number(uint64_t bits, size_t size)
{
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double number;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&number, &bits, sizeof number);
    return size == sizeof narrow ? (double)narrow : number;
}

// ----------------------------------------------------------------------------------------------------------- result

static void release_arrays(mote_context *context, mote_buffer *arrays, size_t count)
{
    mote_cloud_array *all = arrays->data;
    for (size_t a = 0; a < count; ++a) {
        mote_buffer_release(context, &all[a].name);
        mote_buffer_release(context, &all[a].data);
    }
    mote_buffer_release(context, arrays);
}

// Hands the arrays over, if all of them have a tuple for each point.
static mote_result finish(mote_cloud_builder *cloud, mote_result result, mote_cloud_data *data)
{
    const size_t count = result == MOTE_OK ? data->points.count : 0;
    for (size_t a = 0; a < cloud->count && result == MOTE_OK; ++a) {
        const mote_cloud_array *array = &arrays_of(cloud)[a];
        const size_t tuple = mote_array_type_bytes(array->type) * (size_t)array->components;
        const mote_token name = {MOTE_TOKEN_WORD, array->name.data, strlen(array->name.data), 0, 0};
        if (array->used != count * tuple)
            result = mote_source_fail(cloud->source, 0, 0, "array %s has %zu tuples, expected %zu, one for each point",
                                      mote_token_plain(&name).text, array->used / tuple, count);
    }
    const size_t bytes = mote_bytes(cloud->count, sizeof(mote_array));
    mote_array *arrays = result == MOTE_OK && cloud->count ? mote_allocate(cloud->context, bytes) : NULL;
    if (result == MOTE_OK && cloud->count && !arrays) result = no_memory(cloud);
    if (result != MOTE_OK) {
        release_arrays(cloud->context, &cloud->arrays, cloud->count);
        mote_point_data_release(&data->points);
        memset(data, 0, sizeof *data);
        return result;
    }
    for (size_t a = 0; a < cloud->count; ++a) {
        const mote_cloud_array *array = &arrays_of(cloud)[a];
        static const uint64_t nothing = 0;
        const void *first = array->data.data ? array->data.data : &nothing;
        arrays[a] = mote_array_tuples(array->name.data, array->type, first, array->components);
    }
    data->arrays = arrays;
    data->array_count = cloud->count;
    data->storage = cloud->arrays.data;
    data->storage_bytes = cloud->arrays.bytes;
    data->context = cloud->context;
    return MOTE_OK;
}

void mote_cloud_data_release(mote_cloud_data *cloud)
{
    if (!cloud) return;
    mote_buffer storage = {.data = cloud->storage, .bytes = cloud->storage_bytes};
    release_arrays(cloud->context, &storage, cloud->array_count);
    mote_release(cloud->context, cloud->arrays, cloud->array_count * sizeof(mote_array));
    mote_point_data_release(&cloud->points);
    memset(cloud, 0, sizeof *cloud);
}

void mote_cloud_release(mote_cloud_builder *cloud)
{
    release_arrays(cloud->context, &cloud->arrays, cloud->count);
}

// ------------------------------------------------------------------------------------------------------------ files

mote_result mote_import_cloud_memory(mote_context *context, const char *name, const char *format, const void *data,
                                     size_t size, mote_cloud_data *cloud, mote_error *error)
{
    if (!name || !cloud || (!data && size)) return mote_fail_null(error, "import", "the name, the data, or the cloud");
    memset(cloud, 0, sizeof *cloud);
    const mote_source source = mote_source_make(name, data, size, error);
    mote_cloud_builder builder = {.context = context, .source = &source};
    const mote_result result = mote_points_read(context, &source, format, 0, &builder, &cloud->points);
    return finish(&builder, result, cloud);
}

mote_result mote_import_cloud(mote_context *context, const char *path, const char *format, mote_cloud_data *cloud,
                              mote_error *error)
{
    if (!path || !cloud) return mote_fail_null(error, "import", "the path or the cloud");
    memset(cloud, 0, sizeof *cloud);
    mote_buffer buffer = {0};
    size_t size;
    mote_result result = mote_file_load(context, path, &buffer, &size, error);
    if (result == MOTE_OK)
        result = mote_import_cloud_memory(context, path, format, buffer.data, size, cloud, error);
    mote_buffer_release(context, &buffer);
    return result;
}
