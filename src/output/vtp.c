// SPDX-License-Identifier: MIT
// VTK XML PolyData: points with arrays, and either a vertex cell for each point, or polygons, which have arrays too.
//
// Format: VTK file formats, "XML file formats", version 1.0 with UInt64 headers. The XML part comes first and
// contains the offset of every array in the appended part. Offsets are known only after the previous arrays are
// compressed, so space for them is reserved and filled in at the end.

#include <math.h>
#include <string.h>

#include "output/array.h"
#include "output/blocks.h"

enum { OFFSET_DIGITS = 20 };

// Arrays besides the caller's: points, connectivity, offsets.
enum { OWN_ARRAYS = 5 };

typedef struct appended {
    mote_tuples tuples;
    uint64_t offset_at;  // where in the file its offset is to be written
} appended;

// Triangles or quads.
typedef struct polygons {
    const uint32_t *points;
    size_t count, corners;  // of each
} polygons;

typedef struct vtp_writer {
    mote_file file;
    mote_block_writer blocks;
    mote_buffer arrays;  // appended[…], in the order of the file
    size_t array_count;
    polygons faces, lines;
} vtp_writer;

// --------------------------------------------------------------------------------------------- sources of tuples

static void fill_array(const void *source, size_t begin, size_t end, unsigned char *out)
{
    const mote_array *array = source;
    size_t bytes = mote_array_type_bytes(array->type);
    for (size_t i = begin; i < end; ++i)
        for (int k = 0; k < array->components; ++k, out += bytes)
            memcpy(out, (const char *)array->component[k] + (ptrdiff_t)i * array->stride, bytes);
}

static void fill_points(const void *source, size_t begin, size_t end, unsigned char *out)
{
    const mote_points *points = source;
    size_t bytes = points->scalar == MOTE_F32 ? sizeof(float) : sizeof(double);
    for (size_t i = begin; i < end; ++i)
        for (int k = 0; k < 3; ++k, out += bytes) {
            if (k >= points->dimensions)
                memset(out, 0, bytes);
            else
                memcpy(out, (const char *)points->axis[k] + (ptrdiff_t)i * points->stride, bytes);
        }
}

static void put_int64(unsigned char **out, uint64_t value)
{
    memcpy(*out, &value, sizeof value);
    *out += sizeof value;
}

static void fill_vertex_connectivity(const void *source, size_t begin, size_t end, unsigned char *out)
{
    (void)source;
    for (size_t i = begin; i < end; ++i) put_int64(&out, i);
}

static void fill_vertex_offsets(const void *source, size_t begin, size_t end, unsigned char *out)
{
    (void)source;
    for (size_t i = begin; i < end; ++i) put_int64(&out, i + 1);
}

static polygons polygons_of(const mote_vtp *data)
{
    if (data->quads || data->quad_count) return (polygons){data->quads, data->quad_count, 4};
    return (polygons){data->triangles, data->triangle_count, 3};
}

static polygons lines_of(const mote_vtp *data)
{
    return (polygons){data->lines, data->line_count, 2};
}

static void fill_polygon_connectivity(const void *source, size_t begin, size_t end, unsigned char *out)
{
    const polygons *all = source;
    for (size_t i = all->corners * begin; i < all->corners * end; ++i) put_int64(&out, all->points[i]);
}

static void fill_polygon_offsets(const void *source, size_t begin, size_t end, unsigned char *out)
{
    const polygons *all = source;
    for (size_t i = begin; i < end; ++i) put_int64(&out, all->corners * (i + 1));
}

// ------------------------------------------------------------------------------------------------------- the XML

static const char *vtk_type(mote_array_type type)
{
    switch (type) {
    case MOTE_ARRAY_F32: return "Float32";
    case MOTE_ARRAY_F64: return "Float64";
    case MOTE_ARRAY_I8: return "Int8";
    case MOTE_ARRAY_U8: return "UInt8";
    case MOTE_ARRAY_I16: return "Int16";
    case MOTE_ARRAY_U16: return "UInt16";
    case MOTE_ARRAY_I32: return "Int32";
    case MOTE_ARRAY_U32: return "UInt32";
    case MOTE_ARRAY_I64: return "Int64";
    case MOTE_ARRAY_U64: return "UInt64";
    }
    return "";
}

static const char *byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? "LittleEndian" : "BigEndian";
}

static void declare(vtp_writer *writer, const char *type, const char *name, int components, mote_tuples tuples)
{
    mote_file *file = &writer->file;
    mote_file_print(file, "        <DataArray type=\"%s\" Name=\"", type);
    mote_file_xml(file, name);
    mote_file_print(file, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"", components);
    appended *array = (appended *)writer->arrays.data + writer->array_count++;
    *array = (appended){tuples, file->position};
    mote_file_print(file, "%0*d\"/>\n", OFFSET_DIGITS, 0);
}

static void declare_cells(vtp_writer *writer, const char *kind, mote_tuples connectivity, mote_tuples offsets)
{
    mote_file_print(&writer->file, "      <%s>\n", kind);
    declare(writer, "Int64", "connectivity", 1, connectivity);
    declare(writer, "Int64", "offsets", 1, offsets);
    mote_file_print(&writer->file, "      </%s>\n", kind);
}

static void declare_arrays(vtp_writer *writer, const char *kind, const mote_array *arrays, size_t count,
                           size_t tuples)
{
    // ParaView shades by an array only where it is named here.
    const char *shading = "";
    for (size_t a = 0; a < count; ++a)
        if (arrays[a].components == 3 && strcmp(arrays[a].name, "Normals") == 0) shading = " Normals=\"Normals\"";
    mote_file_print(&writer->file, "      <%s%s>\n", kind, shading);
    for (size_t a = 0; a < count; ++a) {
        const mote_array *array = &arrays[a];
        size_t bytes = mote_array_type_bytes(array->type) * (size_t)array->components;
        declare(writer, vtk_type(array->type), array->name, array->components,
                (mote_tuples){fill_array, array, tuples, bytes});
    }
    mote_file_print(&writer->file, "      </%s>\n", kind);
}

static void declare_all(vtp_writer *writer, const mote_vtp *data)
{
    mote_file *file = &writer->file;
    size_t count = data->points.count;
    mote_file_print(file,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
                    "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n  <PolyData>\n",
                    byte_order());
    if (isfinite(data->time)) {
        mote_file_text(file, "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                             "NumberOfTuples=\"1\" format=\"ascii\">");
        mote_file_number(file, data->time);
        mote_file_text(file, "</DataArray>\n    </FieldData>\n");
    }
    const polygons *faces = &writer->faces;
    const polygons *lines = &writer->lines;
    bool vertices = !faces->points && !lines->points;
    mote_file_print(file,
                    "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                    "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
                    count, vertices ? count : 0, lines->count, faces->count);

    declare_arrays(writer, "PointData", data->arrays, data->array_count, count);
    if (data->cell_array_count)
        declare_arrays(writer, "CellData", data->cell_arrays, data->cell_array_count,
                       vertices ? count : lines->count + faces->count);
    mote_file_text(file, "      <Points>\n");
    bool single = data->points.scalar == MOTE_F32;
    declare(writer, single ? "Float32" : "Float64", "Points", 3,
            (mote_tuples){fill_points, &data->points, count, 3 * (single ? sizeof(float) : sizeof(double))});
    mote_file_text(file, "      </Points>\n");
    if (vertices)
        declare_cells(writer, "Verts", (mote_tuples){fill_vertex_connectivity, NULL, count, 8},
                      (mote_tuples){fill_vertex_offsets, NULL, count, 8});
    if (lines->points)
        declare_cells(writer, "Lines",
                      (mote_tuples){fill_polygon_connectivity, lines, lines->count, 8 * lines->corners},
                      (mote_tuples){fill_polygon_offsets, lines, lines->count, 8});
    if (faces->points)
        declare_cells(writer, "Polys",
                      (mote_tuples){fill_polygon_connectivity, faces, faces->count, 8 * faces->corners},
                      (mote_tuples){fill_polygon_offsets, faces, faces->count, 8});
    mote_file_text(file, "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_");
}

static mote_result write_all(vtp_writer *writer, const mote_vtp *data, mote_error *error)
{
    declare_all(writer, data);
    uint64_t origin = writer->file.position;
    for (size_t a = 0; a < writer->array_count; ++a) {
        const appended *array = (const appended *)writer->arrays.data + a;
        char offset[OFFSET_DIGITS + 1];
        snprintf(offset, sizeof offset, "%0*llu", OFFSET_DIGITS, (unsigned long long)(writer->file.position - origin));
        mote_file_patch(&writer->file, array->offset_at, offset, OFFSET_DIGITS);
        mote_result result = mote_blocks_write(&writer->blocks, &writer->file, &array->tuples, error);
        if (result != MOTE_OK) return result;
    }
    mote_file_text(&writer->file, "\n  </AppendedData>\n</VTKFile>\n");
    return MOTE_OK;
}

static mote_result check_corners(const polygons *cells, const char *kind, size_t points, mote_error *error)
{
    if (cells->count && !cells->points)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%ss is NULL, expected %zu of them", kind, cells->count);
    for (size_t i = 0; i < cells->corners * cells->count; ++i)
        if (cells->points[i] >= points)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i / cells->corners, "%s %zu: index %u, expected below %zu",
                             kind, i / cells->corners, cells->points[i], points);
    return MOTE_OK;
}

static mote_result check(const mote_vtp *data, mote_error *error)
{
    if ((data->quads || data->quad_count) && (data->triangles || data->triangle_count))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "both triangles and quads, expected one of them");
    const polygons faces = polygons_of(data), lines = lines_of(data);
    const bool has_cells = faces.points || lines.points;
    const size_t cells = has_cells ? lines.count + faces.count : data->points.count;
    mote_result result = mote_points_check(data->points, "points", error);
    for (size_t a = 0; a < data->array_count && result == MOTE_OK; ++a)
        result = mote_array_check(&data->arrays[a], a, data->points.count, error);
    for (size_t a = 0; a < data->cell_array_count && result == MOTE_OK; ++a)
        result = mote_array_check(&data->cell_arrays[a], a, cells, error);
    if (result == MOTE_OK)
        result = check_corners(&faces, faces.corners == 4 ? "quad" : "triangle", data->points.count, error);
    return result == MOTE_OK ? check_corners(&lines, "line", data->points.count, error) : result;
}

mote_result mote_vtp_write(mote_context *context, const char *path, const mote_vtp *data, mote_error *error)
{
    if (!path || !data) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or data is NULL");
    mote_result result = check(data, error);
    if (result != MOTE_OK) return result;

    vtp_writer writer = {.blocks = {.context = context}, .faces = polygons_of(data), .lines = lines_of(data)};
    size_t bytes = mote_bytes(data->array_count + data->cell_array_count + OWN_ARRAYS, sizeof(appended));
    if (mote_buffer_reserve(context, &writer.arrays, bytes, 0) != MOTE_OK)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for a list of %zu arrays", data->array_count);
    result = mote_file_create(context, path, &writer.file, error);
    if (result == MOTE_OK) {
        result = write_all(&writer, data, error);
        result = mote_file_finish(&writer.file, result, error);
    }
    mote_block_writer_release(&writer.blocks);
    mote_buffer_release(context, &writer.arrays);
    return result;
}
