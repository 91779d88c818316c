// PLY, binary little-endian, whatever the machine's own byte order.

#include <string.h>

#include "output/internal.h"

// Numbers are gathered here and written a page at a time.
typedef struct page {
    mote_file *file;
    size_t used;
    unsigned char bytes[1 << 14];
} page;

static void flush(page *out)
{
    mote_file_write(out->file, out->bytes, out->used);
    out->used = 0;
}

static void put(page *out, uint64_t bits, size_t bytes)
{
    if (out->used + bytes > sizeof out->bytes) flush(out);
    for (size_t k = 0; k < bytes; ++k) out->bytes[out->used++] = (unsigned char)(bits >> (8 * k));
}

static void put_double(page *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, bits, sizeof bits);
}

static void put_float(page *out, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put(out, bits, sizeof bits);
}

static void write_header(mote_file *file, const mote_mesh *mesh, bool normals)
{
    mote_file_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n", mesh->vertex_count);
    mote_file_text(file, "property double x\nproperty double y\nproperty double z\n");
    if (normals) mote_file_text(file, "property float nx\nproperty float ny\nproperty float nz\n");
    mote_file_print(file, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
                    mesh->triangle_count);
}

mote_result mote_ply_write(mote_context *context, const char *path, const mote_mesh *mesh, const mote_vec3 *normals,
                           mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or mesh is NULL");
    mote_file file;
    mote_result result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;
    write_header(&file, mesh, normals != NULL);

    page out = {.file = &file};
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        put_double(&out, mesh->vertices[v].x);
        put_double(&out, mesh->vertices[v].y);
        put_double(&out, mesh->vertices[v].z);
        if (!normals) continue;
        put_float(&out, normals[v].x);
        put_float(&out, normals[v].y);
        put_float(&out, normals[v].z);
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        put(&out, 3, 1);
        for (size_t k = 0; k < 3; ++k) put(&out, mesh->triangles[3 * t + k], sizeof(uint32_t));
    }
    flush(&out);
    return mote_file_finish(&file, MOTE_OK, error);
}
