// SPDX-License-Identifier: MIT
// Every reader of files, fed with what no writer would write (support/fuzz.h). A reader accepts or refuses with one
// line of text, takes memory in proportion to the file, releases all of it, and what it has accepted is consistent.

#include <math.h>
#include <zlib.h>

#include "base/tested.h"
#include "mote/import.h"
#include "mote/scene.h"
#include "proxy/tested.h"
#include "support/fuzz.h"
#include "support/shapes.h"
#include "support/test.h"

enum { MEMORY = 64 << 10 };  // that a reader may take for a file of no size

static fuzz_file text_file(const char *text)
{
    fuzz_file file = {.size = 0};
    fuzz_put_text(&file, text);
    return file;
}

// Good files are large for a stack.
static fuzz_file *make_files(size_t count)
{
    fuzz_file *files = calloc(count, sizeof *files);
    assert_non_null(files);
    return files;
}

// ---------------------------------------------------------------------------------------------------------- meshes

typedef mote_result mesh_reader(mote_context *context, const char *name, const void *data, size_t size,
                                mote_mesh **mesh, mote_error *error);

static void check_mesh(const mote_mesh *mesh)
{
    if (mesh->triangle_count == 0 || mesh->vertex_count == 0) fuzz_complain("a mesh of nothing");
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
        if (mesh->triangles[i] >= mesh->vertex_count) fuzz_complain("corner %zu is %u", i, mesh->triangles[i]);
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        if (!isfinite(mesh->vertices[v].x) || !isfinite(mesh->vertices[v].y) || !isfinite(mesh->vertices[v].z))
            fuzz_complain("vertex %zu is not finite", v);
}

static mote_result read_mesh(mesh_reader *read, mote_context *context, const void *bytes, size_t size,
                             mote_error *error)
{
    mote_mesh *mesh = NULL;
    const mote_result result = read(context, "file", bytes, size, &mesh, error);
    if ((result == MOTE_OK) != (mesh != NULL)) fuzz_complain("%s, but a mesh", mote_result_name(result));
    if (result == MOTE_OK) check_mesh(mesh);
    mote_mesh_destroy(mesh);
    return result;
}

static mote_result read_obj(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_mesh(mote_import_obj, context, bytes, size, error);
}

static mote_result read_stl(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_mesh(mote_import_stl, context, bytes, size, error);
}

static mote_result read_ply(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_mesh(mote_import_ply, context, bytes, size, error);
}

static void obj_files(void **state)
{
    (void)state;
    static const char *const words[] = {"v ", "vn ", "vt ", "f ", "\nf 1/1/1 2//2 3/3\n", "o x\n", "usemtl m\n", "\\\n",
                                        "f -1 -2 -3\n", "/", "//", "#", "l 1 2\n", NULL};
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "# a square\no a\nv 0 0 0\nv 1 0 0 1.0\nv 1 1e0 -0.5\nv 0 .5 0\nvn 0 0 1\nvt 0 0\n"
                         "s off\nf 1/1/1 2/1/1 -1/1/1\nf 1 2 \\\n3\n");
    fuzz_put_text(files + 1, "v 1 2 3\nv 4 5 6\nv 7 8 10\nf 1 2 3\n");
    fuzz_run(&(fuzz_target){.name = "obj", .files = files, .file_count = 2, .words = words, .read = read_obj,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 200000},
             MOTE_BINARY_DIR);
    free(files);
}

static mote_result read_vtp_mesh(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_mesh(mote_import_vtp, context, bytes, size, error);
}

// Two pieces of polygons as text, and one whose numbers stand behind all tags.
static void vtp_meshes(void **state)
{
    (void)state;
    static const char *const words[] = {
        "<Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\">", "</Piece>", "<Polys>", "</Polys>", "Name=\"offsets\"",
        "Name=\"connectivity\"", "NumberOfStrips=\"1\"", "type=\"UInt8\"", "type=\"Int64\"", "-1", "<Points>",
        "offset=\"0\"", "format=\"binary\"", "compressor=\"vtkZLibDataCompressor\"", NULL};
    static const char points[] = "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 "
                                 "1 1 0 0 1 0</DataArray></Points>";
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "<VTKFile type='PolyData' byte_order='LittleEndian'><PolyData>");
    for (int piece = 0; piece < 2; ++piece) {
        fuzz_put_text(files, "<Piece NumberOfPoints='4' NumberOfPolys='2'>");
        fuzz_put_text(files, points);
        fuzz_put_text(files, "<Polys><DataArray type='Int32' Name='connectivity' format='ascii'>0 1 2 3 0 1 2"
                             "</DataArray><DataArray type='Int32' Name='offsets' format='ascii'>4 7</DataArray>"
                             "</Polys></Piece>");
    }
    fuzz_put_text(files, "</PolyData></VTKFile>");
    fuzz_put_text(files + 1, "<VTKFile type='PolyData' byte_order='LittleEndian'><PolyData><Piece NumberOfPoints='4' "
                             "NumberOfPolys='1'>");
    fuzz_put_text(files + 1, points);
    fuzz_put_text(files + 1, "<Polys><DataArray type='Int32' Name='connectivity' format='appended' offset='0'/>"
                             "<DataArray type='UInt8' Name='offsets' format='appended' offset='20'/></Polys></Piece>"
                             "</PolyData><AppendedData encoding='raw'>_");
    fuzz_put_word(files + 1, 16, 4, false);
    for (int k = 0; k < 4; ++k) fuzz_put_word(files + 1, (uint64_t)k, 4, false);
    fuzz_put_word(files + 1, 1, 4, false);
    fuzz_put_word(files + 1, 4, 1, false);
    fuzz_put_text(files + 1, "</AppendedData></VTKFile>");
    fuzz_run(&(fuzz_target){.name = "vtp_mesh", .files = files, .file_count = 2, .words = words, .read = read_vtp_mesh,
                            .bytes = 4 * MEMORY, .bytes_a_byte = 2200, .rounds = 100000},
             MOTE_BINARY_DIR);
    free(files);
}

static void put_stl_triangle(fuzz_file *file, float height)
{
    const float numbers[12] = {0, 0, 1, 0, 0, height, 1, 0, height, 0, 1, height};
    for (int k = 0; k < 12; ++k) fuzz_put_f32(file, numbers[k], false);
    fuzz_put_word(file, 0, 2, false);
}

static void stl_files(void **state)
{
    (void)state;
    static const char *const words[] = {"solid ", "endsolid", "facet normal 0 0 1\n", "outer loop\n", "vertex ",
                                        "endloop\n", "endfacet\n", NULL};
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                         "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\n"
                         "endloop\nendfacet\nendsolid a\n");
    const char head[80] = "binary";
    fuzz_put(files + 1, head, sizeof head);
    fuzz_put_word(files + 1, 3, 4, false);
    for (int k = 0; k < 3; ++k) put_stl_triangle(files + 1, (float)k);
    fuzz_run(&(fuzz_target){.name = "stl", .files = files, .file_count = 2, .words = words, .read = read_stl,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 300000},
             MOTE_BINARY_DIR);
    free(files);
}

static const char *const ply_words[] = {
    "element ",     "property ", "property list uchar int vertex_indices\n", "property float x\n", "uchar", "double",
    "list uint int ", "comment ",  "obj_info a\n", "end_header\n", "format binary_big_endian 1.0\n",
    "element vertex 4294967295\n", "element face 4294967295\n", "vertex_index", "element none 7\n", NULL};

// A tetrahedron, with a colour and an element that nobody needs.
static void put_binary_ply(fuzz_file *file, bool big)
{
    fuzz_put_text(file, big ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    fuzz_put_text(file, "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
                        "element other 1\nproperty list ushort double values\n"
                        "element face 4\nproperty list uchar int vertex_indices\nend_header\n");
    for (int v = 0; v < 4; ++v) {
        for (int k = 0; k < 3; ++k) fuzz_put_f32(file, v == k + 1 ? 1.0f : 0.0f, big);
        fuzz_put_word(file, 200, 1, big);
    }
    fuzz_put_word(file, 2, 2, big);
    fuzz_put_word(file, 0, 8, big);
    fuzz_put_word(file, 0, 8, big);
    const uint32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    for (int f = 0; f < 4; ++f) {
        fuzz_put_word(file, 3, 1, big);
        for (int k = 0; k < 3; ++k) fuzz_put_word(file, corners[f][k], 4, big);
    }
}

static fuzz_file *make_ply_files(void)
{
    fuzz_file *files = make_files(4);
    fuzz_put_text(files, "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty double x\n"
                         "property float y\nproperty int16 z\nelement face 2\n"
                         "property list uint8 int32 vertex_index\nproperty char a\nend_header\n"
                         "0 0 0\n1 0 0\n1.5 1e0 1\n0 1 -3\n4 0 1 2 3 7\n3 0 1 2 -8\n");
    put_binary_ply(files + 1, false);
    put_binary_ply(files + 2, true);
    fuzz_put_text(files + 3, "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty char x\n"
                             "property char y\nproperty char z\nelement face 1\n"
                             "property list uint uchar vertex_indices\nend_header\n");
    fuzz_put(files + 3, "\0\0\0\1\0\0\0\1\0", 9);
    fuzz_put_word(files + 3, 60, 4, false);
    for (int k = 0; k < 20; ++k) fuzz_put(files + 3, "\0\1\2", 3);
    return files;
}

static void ply_meshes(void **state)
{
    (void)state;
    fuzz_file *files = make_ply_files();
    fuzz_run(&(fuzz_target){.name = "ply", .files = files, .file_count = 4, .words = ply_words, .read = read_ply,
                            .bytes = MEMORY, .bytes_a_byte = 80, .rounds = 300000},
             MOTE_BINARY_DIR);
    free(files);
}

// ---------------------------------------------------------------------------------------------------------- points

typedef mote_result point_reader(mote_context *context, const char *name, const void *data, size_t size,
                                 mote_point_data *points, mote_error *error);

static void check_points(const mote_point_data *points)
{
    if (points->dimensions < 1 || points->dimensions > 3) fuzz_complain("%d dimensions", points->dimensions);
    if (points->wide > points->count) fuzz_complain("wide is %zu of %zu", points->wide, points->count);
    for (size_t i = 0; i < 3 * points->count; ++i) {
        if (!isfinite(points->xyz[i])) fuzz_complain("number %zu is not finite", i);
        if ((int)(i % 3) >= points->dimensions && points->xyz[i] != 0) fuzz_complain("number %zu is not 0", i);
    }
}

static mote_result read_points(point_reader *read, mote_context *context, const void *bytes, size_t size,
                               mote_error *error)
{
    mote_point_data points;
    const mote_result result = read(context, "file", bytes, size, &points, error);
    if (result == MOTE_OK) check_points(&points);
    mote_point_data_release(&points);
    return result;
}

static mote_result read_csv(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_points(mote_import_points_csv, context, bytes, size, error);
}

static mote_result read_xyz(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_points(mote_import_points_xyz, context, bytes, size, error);
}

static mote_result read_point_ply(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_points(mote_import_points_ply, context, bytes, size, error);
}

static mote_result read_vtp(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_points(mote_import_points_vtp, context, bytes, size, error);
}

// As a cloud, with its arrays.
static mote_result read_cloud(const char *format, mote_context *context, const void *bytes, size_t size,
                              mote_error *error)
{
    mote_cloud_data cloud;
    const mote_result result = mote_import_cloud_memory(context, "file", format, bytes, size, &cloud, error);
    if (result == MOTE_OK) check_points(&cloud.points);
    for (size_t a = 0; a < cloud.array_count; ++a) {
        const mote_array *array = &cloud.arrays[a];
        const size_t tuple = mote_array_type_bytes(array->type) * (size_t)array->components;
        if (!array->name || !*array->name || tuple == 0) fuzz_complain("array %zu is none", a);
        unsigned sum = 0;  // all of it can be read
        for (size_t i = 0; i < tuple * cloud.points.count; ++i) sum += ((const unsigned char *)array->component[0])[i];
        if (sum == UINT32_MAX) fuzz_complain("never");
    }
    mote_cloud_data_release(&cloud);
    return result;
}

static mote_result read_vtu(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_cloud(".vtu", context, bytes, size, error);
}

static mote_result read_vtk(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_cloud(".vtk", context, bytes, size, error);
}

static mote_result read_bgeo(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_cloud(".bgeo", context, bytes, size, error);
}

static mote_result read_raw(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_cloud(".raw", context, bytes, size, error);
}

static mote_result read_csv_cloud(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_cloud(".csv", context, bytes, size, error);
}

static mote_result read_ply_cloud(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_cloud(".ply", context, bytes, size, error);
}

static void csv_points(void **state)
{
    (void)state;
    static const char *const words[] = {"x", "\"y\"", "Points:0", ",", ";", "\t", "\n", "# a\n", "1,2,3\n", NULL};
    fuzz_file *files = make_files(3);
    fuzz_put_text(files, "id,x,\"y\",z\n# a\n1,0.5,1e-3,-2\n2,1,2,3\n\n3,1,2,3");
    fuzz_put_text(files + 1, "1;2\n3;4\n");
    fuzz_put_text(files + 2, "\"Points:0\",\"Points:1\",\"Points:2\"\r\n1e-1199,2,3\r\n4,5,1e38\r\n");
    fuzz_run(&(fuzz_target){.name = "csv", .files = files, .file_count = 3, .words = words, .read = read_csv,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 400000},
             MOTE_BINARY_DIR);
    free(files);
}

static void xyz_points(void **state)
{
    (void)state;
    static const char *const words[] = {"\n", "H ", " 1 2 3\n", "# a\n", "\t", NULL};
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "3\nwater\nO 0 0 0.1\nH 0 0.7 -0.5 charge\nH 0 -0.7 -0.5\n");
    fuzz_put_text(files + 1, "# plain\n1 2 3 4\n5 6 7\n");
    fuzz_run(&(fuzz_target){.name = "xyz", .files = files, .file_count = 2, .words = words, .read = read_xyz,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 400000},
             MOTE_BINARY_DIR);
    free(files);
}

static void ply_points(void **state)
{
    (void)state;
    fuzz_file *files = make_ply_files();
    fuzz_run(&(fuzz_target){.name = "point_ply", .files = files, .file_count = 4, .words = ply_words,
                            .read = read_point_ply, .bytes = MEMORY, .bytes_a_byte = 80, .rounds = 300000},
             MOTE_BINARY_DIR);
    free(files);
}

// Two pieces whose points stand behind all tags, as they are or in zlib's blocks.
static void put_vtp(fuzz_file *file, bool big, bool is_f64, bool is_packed)
{
    enum { POINTS = 5 };
    char head[1024];
    const char *type = is_f64 ? "Float64" : "Float32";
    const size_t number = is_f64 ? 8 : 4, bytes = 3 * POINTS * number;
    fuzz_file raw = {.size = 0};
    for (int i = 0; i < 3 * POINTS; ++i) {
        if (is_f64) fuzz_put_word(&raw, i % 2 ? 0x3FE0000000000000 : 0x4000000000000000, 8, big);
        else fuzz_put_f32(&raw, (float)i / 4, big);
    }
    fuzz_file data = {.size = 0};
    if (is_packed) {
        unsigned char packed[1024];
        uLongf length = sizeof packed;
        assert_int_equal(compress2(packed, &length, raw.bytes, bytes, 9), Z_OK);
        const uint64_t words[] = {1, bytes, bytes, length};
        for (int k = 0; k < 4; ++k) fuzz_put_word(&data, words[k], 4, big);
        fuzz_put(&data, packed, length);
    } else {
        fuzz_put_word(&data, bytes, 4, big);
        fuzz_put(&data, raw.bytes, bytes);
    }
    snprintf(head, sizeof head,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"%sEndian\" "
             "header_type=\"UInt32\"%s>\n<PolyData>\n"
             "<Piece NumberOfPoints=\"%d\"><Points><DataArray type=\"%s\" NumberOfComponents=\"3\" format=\"appended\" "
             "offset=\"0\"/></Points></Piece>\n"
             "<Piece NumberOfPoints=\"%d\"><Points><DataArray type=\"%s\" NumberOfComponents=\"3\" format=\"appended\" "
             "offset=\"%zu\"/></Points></Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">_",
             big ? "Big" : "Little", is_packed ? " compressor=\"vtkZLibDataCompressor\"" : "", POINTS, type, POINTS,
             type, data.size);
    fuzz_put_text(file, head);
    for (int piece = 0; piece < 2; ++piece) fuzz_put(file, data.bytes, data.size);
    fuzz_put_text(file, "</AppendedData></VTKFile>\n");
}

static void vtp_points(void **state)
{
    (void)state;
    static const char *const words[] = {
        "<Piece NumberOfPoints=\"2\">", "</Piece>", "<Points>", "</Points>", "format=\"ascii\"", "format=\"appended\"",
        "offset=\"0\"", "offset=\"4294967295\"", "NumberOfComponents=\"3\"", "type=\"Float64\"", "type=\"UInt8\"",
        "header_type=\"UInt64\"", "compressor=\"vtkZLibDataCompressor\"", "BigEndian",
        "<AppendedData encoding=\"raw\">_",
        "encoding=\"base64\"", "<!--", "-->", "&#65;", "/>", ">", "<DataArray ", NULL};
    fuzz_file *files = make_files(7);
    files[0] = text_file("<VTKFile type='PolyData' byte_order='LittleEndian'><PolyData><Piece NumberOfPoints='2'>"
                         "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>1 2 3\n4 5 6e0"
                         "</DataArray></Points></Piece></PolyData></VTKFile>");
    for (int k = 0; k < 6; ++k) put_vtp(files + 1 + k, k % 2, k % 3 == 0, k > 2);
    // What zlib unpacks is a thousand times what it was at most, and floats become doubles.
    fuzz_run(&(fuzz_target){.name = "vtp", .files = files, .file_count = 7, .words = words, .read = read_vtp,
                            .bytes = 4 * MEMORY, .bytes_a_byte = 2200, .rounds = 200000},
             MOTE_BINARY_DIR);
    free(files);
}

// Arrays as VTK writes them: text, base64, plain or packed.
static void vtu_clouds(void **state)
{
    (void)state;
    static const char *const words[] = {"<PointData>", "</PointData>", "format=\"binary\"", "format=\"ascii\"",
                                        "type=\"Int64\"", "NumberOfComponents=\"9\"", "AAAA", "====", "/////w",
                                        "compressor=\"vtkZLibDataCompressor\"", "Name=\"a\"", NULL};
    fuzz_file *files = make_files(3);
    files[0] = text_file("<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><Piece NumberOfPoints='1'>"
                         "<PointData><DataArray type='Int8' Name='a' NumberOfComponents='2' format='ascii'>1 -2"
                         "</DataArray></PointData><Points><DataArray type='Float32' NumberOfComponents='3' "
                         "format='ascii'>1 2 3</DataArray></Points></Piece></VTKFile>");
    files[1] = text_file("<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><Piece NumberOfPoints='1'>"
                         "<PointData><DataArray type='Int8' Name='a' format='binary'>AQAAAAc=</DataArray></PointData>"
                         "<Points><DataArray type='Float32' NumberOfComponents='3' format='binary'>"
                         "DAAAAAAAgD8AAABAAABAQA==</DataArray></Points></Piece></VTKFile>");
    files[2] = text_file("<VTKFile type='UnstructuredGrid' byte_order='LittleEndian' "
                         "compressor='vtkZLibDataCompressor'><Piece NumberOfPoints='3'><PointData><DataArray "
                         "type='Float32' Name='v' NumberOfComponents='3' format='binary'>"
                         "AQAAAACAAAAkAAAAIQAAAA==eF5jYAADewaGBiA+AMQMDgwMCkDsAMQJQNzgAABC2QR+</DataArray></PointData>"
                         "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>1 2 3 4 5 6 7 8 9"
                         "</DataArray></Points></Piece></VTKFile>");
    fuzz_run(&(fuzz_target){.name = "vtu", .files = files, .file_count = 3, .words = words, .read = read_vtu,
                            .bytes = 4 * MEMORY, .bytes_a_byte = 2200, .rounds = 20000},
             MOTE_BINARY_DIR);
    free(files);
}

static void vtk_clouds(void **state)
{
    (void)state;
    static const char *const words[] = {"POINTS 1 float\n", "POINT_DATA 2\n", "CELL_DATA 2\n", "SCALARS a int 2\n",
                                        "LOOKUP_TABLE default\n", "FIELD f 4294967295\n", "VECTORS v double\n",
                                        "METADATA\n", "OFFSETS vtktypeint64\n", "BINARY\n", "ASCII\n", "\n\n", NULL};
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD f 1\nt 1 1 "
                         "double\n0.5\nPOINTS 2 float\n1 2 3 4 5 6\nMETADATA\nINFORMATION 0\n\nCELLS 2 1\nOFFSETS "
                         "vtktypeint64\n0 1\nCONNECTIVITY vtktypeint64\n0\nCELL_TYPES 1\n1\nPOINT_DATA 2\nSCALARS s "
                         "int 1\nLOOKUP_TABLE default\n1 2\nVECTORS v float\n1 2 3 4 5 6\n");
    fuzz_put_text(files + 1, "# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET POLYDATA\nPOINTS 2 float\n");
    for (int k = 0; k < 6; ++k) fuzz_put_f32(files + 1, (float)k, true);
    fuzz_put_text(files + 1, "\nVERTICES 1 2\n");
    fuzz_put_word(files + 1, 1, 8, true);
    fuzz_put_text(files + 1, "\nPOINT_DATA 2\nFIELD f 2\na 1 2 unsigned_char\nxy\nb 2 2 short\n");
    fuzz_put_word(files + 1, 0x0001000200030004, 8, true);
    fuzz_run(&(fuzz_target){.name = "vtk", .files = files, .file_count = 2, .words = words, .read = read_vtk,
                            .bytes = MEMORY, .bytes_a_byte = 80, .rounds = 20000},
             MOTE_BINARY_DIR);
    free(files);
}

static void bgeo_clouds(void **state)
{
    (void)state;
    static const char *const words[] = {"BgeoV", "\x1f\x8b", "\1", "\5", "\4", NULL};
    fuzz_file *file = make_files(1);
    static const uint32_t head[9] = {5, 2, 0, 0, 0, 2, 0, 0, 0};
    fuzz_put_text(file, "BgeoV");
    for (int k = 0; k < 9; ++k) fuzz_put_word(file, head[k], 4, true);
    fuzz_put(file, "\0\1v\0\2\0\0\0\5\0\0\0\0\0\0\0", 17);
    fuzz_put(file, "\0\1s\0\1\0\0\0\4\0\0\0\1\0\1a", 16);
    for (int k = 0; k < 2 * 7; ++k) fuzz_put_f32(file, (float)k, true);
    fuzz_run(&(fuzz_target){.name = "bgeo", .files = file, .file_count = 1, .words = words, .read = read_bgeo,
                            .bytes = 4 * MEMORY, .bytes_a_byte = 2200, .rounds = 20000},
             MOTE_BINARY_DIR);
    free(file);
}

static void other_clouds(void **state)
{
    (void)state;
    static const char *const words[] = {"x", "p", ",", "1e400", "\n", NULL};
    fuzz_file *files = make_files(2);
    for (int k = 0; k < 6; ++k) fuzz_put_f32(files, (float)k, false);
    fuzz_put_text(files + 1, "x,y,z,p,name\n1,2,3,4,a\n5,6,7,8,b\n");
    fuzz_run(&(fuzz_target){.name = "raw", .files = files, .file_count = 1, .words = words, .read = read_raw,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 20000},
             MOTE_BINARY_DIR);
    fuzz_run(&(fuzz_target){.name = "csv_cloud", .files = files + 1, .file_count = 1, .words = words,
                            .read = read_csv_cloud, .bytes = MEMORY, .bytes_a_byte = 400, .rounds = 20000},
             MOTE_BINARY_DIR);
    free(files);
    files = make_ply_files();
    fuzz_run(&(fuzz_target){.name = "ply_cloud", .files = files, .file_count = 4, .words = ply_words,
                            .read = read_ply_cloud, .bytes = MEMORY, .bytes_a_byte = 200, .rounds = 20000},
             MOTE_BINARY_DIR);
    free(files);
}

// ----------------------------------------------------------------------------------------------------------- boxes

typedef mote_result box_reader(mote_context *context, const char *name, const void *data, size_t size,
                               mote_box_data *boxes, mote_error *error);

static mote_result read_boxes(box_reader *read, mote_context *context, const void *bytes, size_t size,
                              mote_error *error)
{
    mote_box_data boxes;
    const mote_result result = read(context, "file", bytes, size, &boxes, error);
    const size_t d = result == MOTE_OK ? (size_t)boxes.dimensions : 2;
    if (d < 2 || d > 3) fuzz_complain("%zu dimensions", d);
    for (size_t i = 0; result == MOTE_OK && i < boxes.count; ++i)
        for (size_t k = 0; k < d; ++k) {
            const float low = boxes.corners[2 * d * i + k], high = boxes.corners[2 * d * i + d + k];
            if (!isfinite(low) || !isfinite(high) || low > high) fuzz_complain("box %zu: %g to %g", i, low, high);
        }
    mote_box_data_release(&boxes);
    return result;
}

static mote_result read_box_csv(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_boxes(mote_import_boxes_csv, context, bytes, size, error);
}

static mote_result read_box_json(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    return read_boxes(mote_import_boxes_json, context, bytes, size, error);
}

static void csv_boxes(void **state)
{
    (void)state;
    static const char *const words[] = {"min_x", "xmax", "\"max y\"", ",", ";", "\n", "0,0,1,1\n", "# a\n", NULL};
    fuzz_file *files = make_files(3);
    fuzz_put_text(files, "name,min_x,min_y,min_z,max_x,max_y,max_z\na,0,0,0,1,1,1\nb,-1,2e0,3,4,5,6\n");
    fuzz_put_text(files + 1, "0;0;1;1\n# a\n0.5;0.5;2;2\n");
    fuzz_put_text(files + 2, "xmax,xmin,\"max y\",\"min y\"\r\n2,1,4,3\r\n");
    fuzz_run(&(fuzz_target){.name = "box_csv", .files = files, .file_count = 3, .words = words, .read = read_box_csv,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 300000},
             MOTE_BINARY_DIR);
    free(files);
}

static mote_result read_motion(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    mote_motion_data motion;
    const mote_result result = mote_import_motion_csv(context, "file", bytes, size, &motion, error);
    for (size_t i = 0; result == MOTE_OK && i < MOTE_MOTION_NUMBERS * motion.count; ++i)
        if (!isfinite(motion.rows[i])) fuzz_complain("number %zu: %g", i, motion.rows[i]);
    mote_motion_data_release(&motion);
    return result;
}

static void csv_motions(void **state)
{
    (void)state;
    static const char *const words[] = {"t", "x", "turn", ",", ";", "\n", "9,1\n", "# a\n", NULL};
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "t,x,turn\n0,1,2\n0.5,2,3\n");
    fuzz_put_text(files + 1, "0;0;1;1\n# a\n0.5;0.5;2;2\n");
    fuzz_run(&(fuzz_target){.name = "motion_csv", .files = files, .file_count = 2, .words = words,
                            .read = read_motion, .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 50000},
             MOTE_BINARY_DIR);
    free(files);
}

static void json_boxes(void **state)
{
    (void)state;
    static const char *const words[] = {"[0,0,1,1]", "[0,0,0,1,1,1]", "{\"min\":[0,0],\"max\":[1,1]}", "\"min\":",
                                        "null", "true", ",", "\\u0000", "\"", NULL};
    fuzz_file *files = make_files(2);
    fuzz_put_text(files, "[\n [0, 0, 0, 1, 1, 1],\n {\"min\": [0, -1, 2], \"max\": [1, 2, 3.5e0]}\n]\n");
    fuzz_put_text(files + 1, "[[0,0,1,1],{\"max\":[1,1],\"min\":[0,0]}]");
    fuzz_run(&(fuzz_target){.name = "box_json", .files = files, .file_count = 2, .words = words, .read = read_box_json,
                            .bytes = MEMORY, .bytes_a_byte = 64, .rounds = 300000},
             MOTE_BINARY_DIR);
    free(files);
}

// ---------------------------------------------------------------------------------------------------------- scenes

static mote_result read_scene(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    mote_scene *scene = NULL;
    const mote_result result = mote_scene_parse(context, (const char *)bytes, size, NULL, 0, &scene, error);
    if (result != MOTE_OK) return result;
    const mote_scene_settings *settings = mote_scene_get_settings(scene);
    if (!(settings->end_time > 0) || !isfinite(settings->end_time)) fuzz_complain("end_time is %g", settings->end_time);
    if (settings->frames < 1) fuzz_complain("%d frames", (int)settings->frames);
    static const char *const paths[] = {"fluid.spacing", "blocks[1].min", "solids[0].name", "end_time is", "", "x[9"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; ++k) {
        uint32_t line, column;
        const bool found = mote_scene_find_place(scene, paths[k], &line, &column);
        if (found != (line > 0) || found != (column > 0)) fuzz_complain("%s at %u:%u", paths[k], line, column);
    }
    mote_scene_destroy(scene);
    return result;
}

static void scenes(void **state)
{
    (void)state;
    static const char *const words[] = {
        "\"fluid\":", "\"spacing\":", "\"blocks\":", "\"min\":", "\"max\":", "\"solids\":", "\"mesh\":", "\"name\":",
        "\"spheres\":", "\"tank\":", "\"grains\":", "\"end_time\":", "\"frames\":", "\"seed\":", "\"dimensions\":", "2",
        "[0,0,0]", "{}", "[]", "null", "true", "\\u001b", "\\ud800", "\\u0000", "//", ",", NULL};
    fuzz_file *files = make_files(3);
    fuzz_put_text(files,
                  "{\n\"title\": \"a\\u00e9\\n\", \"end_time\": 1, \"frames\": 11, \"seed\": 7,\n"
                  "\"fluid\": {\"spacing\": 0.05, \"density\": \"summation\"},\n"
                  "\"tank\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"open_z_max\": true},\n"
                  "\"blocks\": [{\"min\": [0.1, 0.1, 0.1], \"max\": [0.5, 0.5, 0.5], \"velocity\": [0, 0, 1]},\n"
                  "            {\"min\": [0.6, 0.6, 0.1], \"max\": [0.9, 0.9, 0.4]}],\n"
                  "\"solids\": [{\"name\": \"s\", \"mesh\": \"s.obj\", \"scale\": 2, \"rotate\": [90, 0, 0]}]}\n");
    fuzz_put_text(files + 1, "{\"end_time\":2,\"dimensions\":2,\"fluid\":{\"spacing\":0.1},"
                             "\"blocks\":[{\"min\":[0,0,0],\"max\":[1,0,1]}]}");
    fuzz_put_text(files + 2, "{\"end_time\":1,\"fluid\":{\"spacing\":0.1},\"blocks\":[{\"min\":[0,0,0],"
                             "\"max\":[1,1,1]}],\"solids\":[{\"name\":\"a\",\"spheres\":3}]}");
    fuzz_run(&(fuzz_target){.name = "scene", .files = files, .file_count = 3, .words = words, .read = read_scene,
                            .bytes = 4 * MEMORY, .bytes_a_byte = 200, .rounds = 100000},
             MOTE_BINARY_DIR);
    free(files);
}

// --------------------------------------------------------------------------------------------------------- proxies

static bool put_bytes(void *user_data, const void *bytes, size_t size)
{
    fuzz_put(user_data, bytes, size);
    return true;
}

static bool ignore_bytes(void *user_data, const void *bytes, size_t size)
{
    (void)user_data, (void)bytes, (void)size;
    return true;
}

static mote_result read_proxy(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    mote_proxy *proxy = NULL;
    const mote_result result = mote_proxy_read(context, bytes, size, &proxy, error);
    if (result != MOTE_OK) return result;
    mote_error broken;
    if (mote_proxy_validate(proxy, &broken) != MOTE_OK) fuzz_complain("%s", broken.text);
    if (mote_proxy_write(proxy, ignore_bytes, NULL, error) != MOTE_OK) fuzz_complain("it cannot be written");
    for (int k = 0; k < 8; ++k) mote_proxy_locate(proxy, mote_vec3_make(0.3 * k - 1, 0.2 * k - 0.5, 0.1 * k));
    mote_proxy_destroy(proxy);
    return result;
}

// The checksum holds for most files, so that the rest is looked at.
static void sign(fuzz_file *file)
{
    const size_t words = file->size / 8;
    if (words < 3 || file->bytes[file->size / 2] % 16 == 0) return;
    uint64_t checksum[2];
    mote_proxy_checksum(file->bytes, words - 2, checksum);
    for (size_t k = 0; k < 16; ++k)
        file->bytes[8 * (words - 2) + k] = (unsigned char)(checksum[k / 8] >> 8 * (k % 8));
}

static void proxies(void **state)
{
    (void)state;
    static const char *const words[] = {NULL};
    enum { FILES = 4 };
    fuzz_file *files = make_files(FILES);
    for (int k = 0; k < FILES; ++k) {
        mote_mesh *mesh = k % 2 ? shape_soup(NULL, 4) : shape_spike(NULL);
        mote_proxy_def def = mote_proxy_default_def();
        def.min_depth = 0;
        def.max_depth = 2;
        def.table_depth = 1;
        def.keep_triangles = k > 1;
        const mote_mesh *meshes[] = {mesh};
        mote_proxy *proxy;
        CHECK_OK(mote_proxy_create(NULL, &def, meshes, 1, &proxy, NULL));
        CHECK_OK(mote_proxy_write(proxy, put_bytes, files + k, NULL));
        mote_proxy_destroy(proxy);
        mote_mesh_destroy(mesh);
    }
    // The table of a few nodes takes 8 MB at most.
    fuzz_run(&(fuzz_target){.name = "proxy", .files = files, .file_count = FILES, .words = words, .read = read_proxy,
                            .repair = sign, .bytes = (8 << 20) + MEMORY, .bytes_a_byte = 160, .rounds = 200000},
             MOTE_BINARY_DIR);
    free(files);
}

// --------------------------------------------------------------------------------------------------------- numbers

// A text of numbers, each against the C library's own reader.
static mote_result read_numbers(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error)
{
    (void)context;
    const char *text = (const char *)bytes;
    for (size_t begin = 0, end; begin < size; begin = end + 1) {
        for (end = begin; end < size && text[end] != ' '; ++end) continue;
        char *copy = calloc(end - begin + 1, 1), *rest;
        memcpy(copy, text + begin, end - begin);
        double value = NAN;
        const bool accepted = mote_number_parse(text + begin, end - begin, &value);
        const double expected = strtod(copy, &rest);
        const bool is_same = memcmp(&value, &expected, sizeof value) == 0 && rest == copy + (end - begin);
        if (accepted && !is_same) fuzz_complain("\"%s\" is %.17g, expected %.17g", copy, value, expected);
        free(copy);
        if (accepted) continue;
        error->result = MOTE_ERROR_FORMAT;
        snprintf(error->text, sizeof error->text, "number at %zu", begin);
        return MOTE_ERROR_FORMAT;
    }
    return MOTE_OK;
}

static void texts_of_numbers(void **state)
{
    (void)state;
    static const char *const words[] = {" ", "e", "e-", ".", "e+308 ", "e-320 ", "00000000000000000000",
                                        "9007199254740993 ",
                                        "2.2250738585072011e-308 ", "4.9406564584124654e-324 ", NULL};
    fuzz_file *files = make_files(1);
    fuzz_put_text(files, "0 -0 1 0.1 12345678901234567890 1e22 1e23 8.5e-310 1.7976931348623157e308 4.9e-324 "
                         "123456789012345678901234567890e-40 .5 5. +1 0.000000000000000000000000000001e300 3e-5");
    fuzz_run(&(fuzz_target){.name = "number", .files = files, .file_count = 1, .words = words, .read = read_numbers,
                            .bytes = MEMORY, .rounds = 60000},
             MOTE_BINARY_DIR);
    free(files);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_files),
        cmocka_unit_test(stl_files),
        cmocka_unit_test(vtp_meshes),
        cmocka_unit_test(ply_meshes),
        cmocka_unit_test(csv_points),
        cmocka_unit_test(xyz_points),
        cmocka_unit_test(ply_points),
        cmocka_unit_test(vtp_points),
        cmocka_unit_test(vtu_clouds),
        cmocka_unit_test(vtk_clouds),
        cmocka_unit_test(bgeo_clouds),
        cmocka_unit_test(other_clouds),
        cmocka_unit_test(csv_boxes),
        cmocka_unit_test(json_boxes),
        cmocka_unit_test(csv_motions),
        cmocka_unit_test(scenes),
        cmocka_unit_test(proxies),
        cmocka_unit_test(texts_of_numbers),
    };
    RUN_TESTS(tests, argc, argv);
}
