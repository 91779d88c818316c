// SPDX-License-Identifier: MIT
// GLB: binary glTF 2.0 (Khronos, glTF 2.0 specification, sections 3.6, 3.7 and 4.4).
//
// The file is a head of 12 bytes, a chunk of JSON and a chunk of numbers, both padded to four bytes. The numbers are
// four views after each other: positions, normals, colours, indices; every element begins at a multiple of four bytes.
// glTF's y is up: a node turns the mesh, and moves it to where it belongs, so that floats keep their digits far from
// the origin.

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "output/page.h"

enum {
    HEAD = 12,
    CHUNK_HEAD = 8,
    JSON_MOST = 4096,
    TYPE_FLOAT = 5126,
    TYPE_U16 = 5123,
    TYPE_U32 = 5125,
    TARGET_VERTICES = 34962,
    TARGET_INDICES = 34963
};
static const uint32_t magic = 0x46546C67, json_chunk = 0x4E4F534A, binary_chunk = 0x004E4942;

typedef struct json {
    char text[JSON_MOST];
    size_t length;
} json;

typedef struct glb {
    const mote_mesh_data *data;
    mote_vec3 middle;
    float min[3], max[3];  // of the positions as they are written
    uint64_t vertex_bytes, color_bytes, index_bytes, binary_bytes;
    json json;
} glb;

static bool is_empty(const glb *self)
{
    return self->data->mesh->triangle_count == 0;
}

// ------------------------------------------------------------------------------------------------------------ JSON

static void MOTE_PRINTF(2, 3) add(json *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    to->length += (size_t)vsnprintf(to->text + to->length, JSON_MOST - to->length, format, arguments);
    va_end(arguments);
}

static void add_vector(json *to, const char *name, double x, double y, double z)
{
    char text[3][32];
    mote_number_text(x, text[0], sizeof text[0]);
    mote_number_text(y, text[1], sizeof text[1]);
    mote_number_text(z, text[2], sizeof text[2]);
    add(to, ",\"%s\":[%s,%s,%s]", name, text[0], text[1], text[2]);
}

static void add_view(json *to, uint64_t offset, uint64_t bytes, int target)
{
    add(to, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":%d}", offset ? "," : "",
        (unsigned long long)offset, (unsigned long long)bytes, target);
}

static void add_views(glb *self)
{
    json *to = &self->json;
    uint64_t at = 0;
    add(to, ",\"bufferViews\":[");
    add_view(to, at, self->vertex_bytes, TARGET_VERTICES);
    at += self->vertex_bytes;
    if (self->data->normals) {
        add_view(to, at, self->vertex_bytes, TARGET_VERTICES);
        at += self->vertex_bytes;
    }
    if (self->data->colors) add_view(to, at, self->color_bytes, TARGET_VERTICES);
    at += self->color_bytes;
    add_view(to, at, self->index_bytes, TARGET_INDICES);
    add(to, "]");
}

static void add_accessors(glb *self)
{
    const mote_mesh_data *data = self->data;
    json *to = &self->json;
    const size_t count = data->mesh->vertex_count;
    int view = 0;
    add(to, ",\"accessors\":[{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"VEC3\"", view++,
        TYPE_FLOAT, count);
    add_vector(to, "min", (double)self->min[0], (double)self->min[1], (double)self->min[2]);
    add_vector(to, "max", (double)self->max[0], (double)self->max[1], (double)self->max[2]);
    add(to, "}");
    if (data->normals)
        add(to, ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"VEC3\"}", view++, TYPE_FLOAT, count);
    if (data->colors)
        add(to, ",{\"bufferView\":%d,\"componentType\":%d,\"normalized\":true,\"count\":%zu,\"type\":\"VEC4\"}", view++,
            TYPE_U16, count);
    add(to, ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}]", view, TYPE_U32,
        3 * data->mesh->triangle_count);
}

static void add_mesh(glb *self)
{
    const mote_mesh_data *data = self->data;
    json *to = &self->json;
    int accessor = 0;
    add(to, ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d", accessor++);
    if (data->normals) add(to, ",\"NORMAL\":%d", accessor++);
    if (data->colors) add(to, ",\"COLOR_0\":%d", accessor++);
    add(to, "},\"indices\":%d,\"material\":0,\"mode\":4}]}]", accessor);
    add(to, ",\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s,1],\"metallicFactor\":0,"
            "\"roughnessFactor\":0.2},\"doubleSided\":true}]",
        data->colors ? "1,1,1" : "0.15,0.4,0.7");
}

static void write_json(glb *self)
{
    json *to = &self->json;
    add(to, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"mote\"},\"scene\":0,\"scenes\":[{");
    if (!is_empty(self)) {
        // The quarter turn that takes z to y. Its node's translation is in glTF's axes.
        add(to, "\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"rotation\":[-0.7071067811865476,0,0,0.7071067811865476]");
        add_vector(to, "translation", self->middle.x, self->middle.z, -self->middle.y + 0.0);
        add(to, "}],\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)self->binary_bytes);
        add_views(self);
        add_accessors(self);
        add_mesh(self);
        add(to, "}");
    } else {
        add(to, "}]}");
    }
    while (to->length % 4) add(to, " ");
    MOTE_ASSERT(to->length < JSON_MOST);
}

// --------------------------------------------------------------------------------------------------------- numbers

static void position_of(const glb *self, size_t v, float at[3])
{
    const mote_vec3 off = mote_vec3_sub(self->data->mesh->vertices[v], self->middle);
    at[0] = (float)off.x, at[1] = (float)off.y, at[2] = (float)off.z;
}

static mote_result measure(glb *self, const char *path, mote_error *error)
{
    const mote_mesh *mesh = self->data->mesh;
    const mote_box box = mote_mesh_box(mesh);
    self->middle = mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        float at[3];
        position_of(self, v, at);
        for (int k = 0; k < 3; ++k) {
            if (isinf(at[k]) || isnan(at[k]))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, v, "%s: vertex %zu is (%g, %g, %g), beyond what the "
                                 "floats of glTF hold; PLY and OBJ hold it", path, v, mesh->vertices[v].x,
                                 mesh->vertices[v].y, mesh->vertices[v].z);
            self->min[k] = v ? MOTE_MIN(self->min[k], at[k]) : at[k];
            self->max[k] = v ? MOTE_MAX(self->max[k], at[k]) : at[k];
        }
    }
    self->vertex_bytes = (uint64_t)mesh->vertex_count * 3 * sizeof(float);
    self->color_bytes = self->data->colors ? (uint64_t)mesh->vertex_count * 4 * sizeof(uint16_t) : 0;
    self->index_bytes = (uint64_t)mesh->triangle_count * 3 * sizeof(uint32_t);
    self->binary_bytes = self->vertex_bytes * (self->data->normals ? 2 : 1) + self->color_bytes + self->index_bytes;
    if (self->binary_bytes + JSON_MOST + HEAD + 2 * CHUNK_HEAD <= UINT32_MAX) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: %llu bytes of vertices and triangles, expected below 4 GiB, "
                     "the most that a GLB file holds; PLY holds them", path, (unsigned long long)self->binary_bytes);
}

// A vertex without a direction gets one, for glTF allows unit vectors alone.
static void put_normals(mote_page *out, const mote_mesh_data *data)
{
    for (size_t v = 0; v < data->mesh->vertex_count; ++v) {
        mote_vec3 n = mote_vec3_unit(data->normals[v]);
        if (!(mote_vec3_length(n) > 0.5)) n = mote_vec3_make(0, 0, 1);
        mote_page_put_f32(out, n.x);
        mote_page_put_f32(out, n.y);
        mote_page_put_f32(out, n.z);
    }
}

// sRGB to linear light (IEC 61966-2-1), which glTF's colours are.
static void put_colors(mote_page *out, const mote_mesh_data *data)
{
    uint16_t linear[256];
    for (int i = 0; i < 256; ++i) {
        const double c = i / 255.0, light = c <= 0.04045 ? c / 12.92 : mote_pow((c + 0.055) / 1.055, 2.4);
        linear[i] = (uint16_t)(light * UINT16_MAX + 0.5);
    }
    for (size_t v = 0; v < data->mesh->vertex_count; ++v) {
        for (size_t k = 0; k < 3; ++k) mote_page_put(out, linear[data->colors[3 * v + k]], sizeof(uint16_t));
        mote_page_put(out, UINT16_MAX, sizeof(uint16_t));
    }
}

static void put_numbers(mote_page *out, const glb *self)
{
    const mote_mesh *mesh = self->data->mesh;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        float at[3];
        position_of(self, v, at);
        for (int k = 0; k < 3; ++k) mote_page_put_f32(out, (double)at[k]);
    }
    if (self->data->normals) put_normals(out, self->data);
    if (self->data->colors) put_colors(out, self->data);
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) mote_page_put(out, mesh->triangles[i], sizeof(uint32_t));
}

mote_result mote_glb_write(mote_context *context, const char *path, const mote_mesh_data *data, mote_error *error)
{
    if (!path || !data || !data->mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    glb self = {.data = data};
    mote_result result = is_empty(&self) ? MOTE_OK : measure(&self, path, error);
    if (result != MOTE_OK) return result;
    write_json(&self);
    mote_file file;
    result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;
    mote_page out = {.file = &file};
    const uint64_t binary = is_empty(&self) ? 0 : CHUNK_HEAD + self.binary_bytes;
    mote_page_put(&out, magic, sizeof magic);
    mote_page_put(&out, 2, sizeof(uint32_t));
    mote_page_put(&out, HEAD + CHUNK_HEAD + self.json.length + binary, sizeof(uint32_t));
    mote_page_put(&out, self.json.length, sizeof(uint32_t));
    mote_page_put(&out, json_chunk, sizeof json_chunk);
    for (size_t i = 0; i < self.json.length; ++i) mote_page_put(&out, (unsigned char)self.json.text[i], 1);
    if (binary) {
        mote_page_put(&out, self.binary_bytes, sizeof(uint32_t));
        mote_page_put(&out, binary_chunk, sizeof binary_chunk);
        put_numbers(&out, &self);
    }
    mote_page_flush(&out);
    return mote_file_finish(&file, MOTE_OK, error);
}
