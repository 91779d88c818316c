// SPDX-License-Identifier: MIT
// Points with named arrays from files of other programs: VTK's own writers in all their forms, BGEO, tables, PLY; every
// file cut off anywhere; and faults that are named.

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "mote/import.h"
#include "mote/output.h"
#include "support/fuzz.h"
#include "support/test.h"

// ----------------------------------------------------------------------------------------------------------- helpers

static const mote_array *array_of(const mote_cloud_data *cloud, const char *name)
{
    for (size_t a = 0; a < cloud->array_count; ++a)
        if (strcmp(cloud->arrays[a].name, name) == 0) return &cloud->arrays[a];
    CHECK(false, "there is no array %s", name);
    return NULL;
}

static void check_array(const mote_cloud_data *cloud, const char *name, mote_array_type type, int components,
                        const void *expected)
{
    const mote_array *array = array_of(cloud, name);
    CHECK(array->type == type, "array %s is of type %d", name, array->type);
    assert_int_equal(array->components, components);
    const size_t bytes = cloud->points.count * mote_array_type_bytes(type) * (size_t)components;
    CHECK(memcmp(array->component[0], expected, bytes) == 0, "array %s has other numbers", name);
}

// Reads a file that is held in exactly as many bytes as it has, so that a sanitizer sees what lies beyond.
static mote_result read_exact(const char *format, const void *bytes, size_t size, mote_cloud_data *cloud,
                              mote_error *error)
{
    void *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    *error = (mote_error){0};
    const mote_result result = mote_import_cloud_memory(NULL, "file", format, exact, size, cloud, error);
    free(exact);
    return result;
}

// Every beginning of the file, up to `end`, is refused with one line that names the file.
static void cut_anywhere(const char *format, const unsigned char *bytes, size_t size, size_t end)
{
    mote_cloud_data cloud;
    mote_error error;
    CHECK(read_exact(format, bytes, size, &cloud, &error) == MOTE_OK, "%s", error.text);
    mote_cloud_data_release(&cloud);
    for (size_t cut = 0; cut < end; ++cut) {
        const mote_result result = read_exact(format, bytes, cut, &cloud, &error);
        CHECK(result == MOTE_ERROR_FORMAT, "%s cut at %zu of %zu: %s", format, cut, size, mote_result_name(result));
        CHECK(strncmp(error.text, "file:", 5) == 0 && !strchr(error.text, '\n'), "cut at %zu: %s", cut, error.text);
        assert_null(cloud.arrays);
    }
}

static void refuse(const char *format, const char *text, const char *expected)
{
    mote_cloud_data cloud;
    mote_error error;
    assert_int_equal(read_exact(format, text, strlen(text), &cloud, &error), MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, expected);
}

// --------------------------------------------------------------------------------------------------------------- VTK

static void check_vtk(const char *path)
{
    static const double places[] = {0, 0, 0.1, 1, -0.5, 0.1, 2, -1, 0.1}, densities[] = {1000.5, 1e-3, 998};
    static const float velocities[] = {0, 0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, 4};
    static const int64_t ids[] = {7, -8, (int64_t)1 << 40};
    static const uint8_t kinds[] = {0, 255, 3};
    mote_cloud_data cloud;
    mote_error error = {0};
    CHECK(mote_import_cloud(NULL, path, NULL, &cloud, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(cloud.points.count, 3);
    for (int i = 0; i < 9; ++i) CHECK(cloud.points.xyz[i] == places[i], "%s: number %d", path, i);
    assert_int_equal(cloud.array_count, 4);
    check_array(&cloud, "velocity", MOTE_ARRAY_F32, 3, velocities);
    check_array(&cloud, "id", MOTE_ARRAY_I64, 1, ids);
    check_array(&cloud, "density", MOTE_ARRAY_F64, 1, densities);
    check_array(&cloud, "kind", MOTE_ARRAY_U8, 1, kinds);
    mote_cloud_data_release(&cloud);
    mote_point_data points;
    CHECK(mote_import_points(NULL, path, &points, &error) == MOTE_OK, "%s", error.text);
    assert_memory_equal(points.xyz, places, sizeof places);
    mote_point_data_release(&points);
}

// The beginning of a file gives points or one line that names the file, and nothing else. Some files end with what is
// not needed, and some texts may end anywhere.
static void cut_every_byte(const char *format, const void *bytes, size_t size, const char *what)
{
    mote_cloud_data cloud;
    mote_error error;
    for (size_t cut = 0; cut < size; cut += cut < 400 || size - cut < 400 ? 1 : 7) {
        const mote_result result = read_exact(format, bytes, cut, &cloud, &error);
        CHECK(result == MOTE_OK || result == MOTE_ERROR_FORMAT, "%s cut at %zu: %s", what, cut, error.text);
        CHECK(result == MOTE_OK || (strncmp(error.text, "file:", 5) == 0 && !strchr(error.text, '\n')), "%s",
              error.text);
        mote_cloud_data_release(&cloud);
    }
}

static void cut_vtk(const char *path)
{
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[1 << 16];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    cut_every_byte(strrchr(path, '.'), bytes, size, path);
}

static void files_of_vtk(void **state)
{
    (void)state;
    char folder[] = "/tmp/mote-cloud-XXXXXX", command[512], path[512];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/support/write_vtk.py %s", MOTE_SOURCE_DIR, folder);
    const int status = system(command);
    size_t count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_vtk(path);
        if (count % 13 == 0 || strstr(path, ".vtk")) cut_vtk(path);
        remove(path);
        ++count;
    }
    closedir(listing);
    rmdir(folder);
    if (status != 0) {
        print_message("skipped: VTK's writers are missing (Debian package python3-vtk9)\n");
        skip();
    }
    assert_int_equal(count, 104);
}

// What mote writes for particles.
static void files_of_mote(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static double xyz[3 * COUNT], density[COUNT];
    static uint64_t id[COUNT];
    mote_random random = {3};
    for (size_t i = 0; i < 3 * COUNT; ++i) xyz[i] = mote_random_gauss(&random);
    for (size_t i = 0; i < COUNT; ++i) density[i] = mote_random_unit(&random), id[i] = mote_random_next(&random);
    const mote_array arrays[] = {mote_array_scalars("id", MOTE_ARRAY_U64, id),
                                 mote_array_scalars("density", MOTE_ARRAY_F64, density)};
    const mote_vtp data = {.points = mote_points_xyz_f64(xyz, COUNT), .arrays = arrays, .array_count = 2, .time = 0.5};
    CHECK_OK(mote_vtp_write(NULL, "test_import_cloud.vtp", &data, NULL));
    mote_cloud_data cloud;
    mote_error error = {0};
    CHECK(mote_import_cloud(NULL, "test_import_cloud.vtp", NULL, &cloud, &error) == MOTE_OK, "%s", error.text);
    assert_memory_equal(cloud.points.xyz, xyz, sizeof xyz);
    check_array(&cloud, "id", MOTE_ARRAY_U64, 1, id);
    check_array(&cloud, "density", MOTE_ARRAY_F64, 1, density);
    mote_cloud_data_release(&cloud);
    remove("test_import_cloud.vtp");
}

static void faults_of_vtk_are_named(void **state)
{
    (void)state;
    refuse(".vtk", "# vtk DataFile Version 9.0\n\nASCII\n", "file:1: version is \"9.0\", expected 1.0 to 5.1");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nHEX\n", "file:3: kind of data is \"HEX\", expected ASCII or BINARY");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET STRUCTURED_GRID\n",
           "file:4: DATASET is \"STRUCTURED_GRID\", expected POLYDATA or UNSTRUCTURED_GRID");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 1 int\n1 2 3\n",
           "file:5: the type behind section is \"POINTS\", expected float or double");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n1 2 x\n",
           "file:6: coordinate is \"x\", expected a number of the section's type");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nBINARY\nDATASET POLYDATA\nPOINTS 9 float\n123",
           "file: byte 67: POINTS has 9 tuples of 12 bytes, expected no more than the 3 bytes that follow");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n1 2 3\nPOINT_DATA 2\n",
           "file:7: POINT_DATA is for 2 points, expected 1");
    refuse(".vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n1 2 3\nPOINT_DATA 1\n"
                   "SCALARS kind unsigned_char\n256\n",
           "file:9: kind is \"256\", expected a number of the section's type");
    refuse(".vtu", "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"1\">\n<PointData>\n"
                   "<DataArray type=\"Float16\" Name=\"a\" format=\"ascii\">1",
           "file:4: DataArray: type is \"Float16\", expected Int8 ... UInt64, Float32 or Float64");
    refuse(".vtu", "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"1\">\n<PointData>\n"
                   "<DataArray type=\"Int8\" Name=\"a\" NumberOfComponents=\"12\" format=\"ascii\">1",
           "file:4: DataArray: NumberOfComponents is \"12\", expected 1 to 9");
    refuse(".vtu", "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"2\">\n<PointData>\n"
                   "<DataArray type=\"Int8\" Name=\"a\" format=\"ascii\">1</DataArray>",
           "file:4: a: the numbers of 1 points, expected those of 2");
    refuse(".vtu", "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"1\">\n"
                   "<Points>\n<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">DAAAA!"
                   "</DataArray>",
           "file:4: Points: its base64 data are cut off");
    refuse(".vtu", "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"1\">\n<PointData>\n"
                   "<DataArray type=\"Int8\" Name=\"a\" format=\"ascii\">1</DataArray></PointData>",
           "file: array a has 1 tuples, expected 0, one for each point");
}

// ---------------------------------------------------------------------------------------------------- BGEO, gzip, raw

static void put_name(fuzz_file *file, const char *name)
{
    fuzz_put_word(file, strlen(name), 2, true);
    fuzz_put_text(file, name);
}

// Two points with velocity, id and a name, as Partio writes them; then its primitive.
static size_t put_bgeo(fuzz_file *file)
{
    static const uint32_t counts[8] = {2, 1, 0, 0, 3, 0, 1, 0};
    fuzz_put_text(file, "BgeoV");
    fuzz_put_word(file, 5, 4, true);
    for (int k = 0; k < 8; ++k) fuzz_put_word(file, counts[k], 4, true);
    put_name(file, "v");
    fuzz_put_word(file, 3, 2, true);
    fuzz_put_word(file, 5, 4, true);
    for (int k = 0; k < 3; ++k) fuzz_put_f32(file, 0, true);
    put_name(file, "id");
    fuzz_put_word(file, 1, 2, true);
    fuzz_put_word(file, 1, 4, true);
    fuzz_put_word(file, 0, 4, true);
    put_name(file, "material");
    fuzz_put_word(file, 1, 2, true);
    fuzz_put_word(file, 4, 4, true);
    fuzz_put_word(file, 2, 4, true);
    put_name(file, "water");
    put_name(file, "oil");
    for (uint32_t i = 0; i < 2; ++i) {
        for (uint32_t k = 0; k < 3; ++k) fuzz_put_f32(file, (float)(i + k) + 0.5f, true);
        fuzz_put_f32(file, 1, true);
        for (uint32_t k = 0; k < 3; ++k) fuzz_put_f32(file, (float)(3 * i + k), true);
        fuzz_put_word(file, 0xFFFFFFF0 + i, 4, true);
        fuzz_put_word(file, i, 4, true);
    }
    const size_t end = file->size;
    fuzz_put_word(file, 0x8000, 4, true);
    fuzz_put_word(file, 0x00FF, 2, true);
    return end;
}

static void check_bgeo(const unsigned char *bytes, size_t size)
{
    static const double places[] = {0.5, 1.5, 2.5, 1.5, 2.5, 3.5};
    static const float velocities[] = {0, 1, 2, 3, 4, 5};
    static const int32_t ids[] = {-16, -15}, materials[] = {0, 1};
    mote_cloud_data cloud;
    mote_error error;
    CHECK(read_exact(".bgeo", bytes, size, &cloud, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(cloud.points.count, 2);
    assert_memory_equal(cloud.points.xyz, places, sizeof places);
    check_array(&cloud, "v", MOTE_ARRAY_F32, 3, velocities);
    check_array(&cloud, "id", MOTE_ARRAY_I32, 1, ids);
    check_array(&cloud, "material", MOTE_ARRAY_I32, 1, materials);
    mote_cloud_data_release(&cloud);
}

static size_t pack(const fuzz_file *file, unsigned char *packed, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)file->bytes;
    stream.avail_in = (unsigned)file->size;
    stream.next_out = packed;
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t size = stream.total_out;
    deflateEnd(&stream);
    return size;
}

static void bgeo_plain_and_packed(void **state)
{
    (void)state;
    fuzz_file *file = calloc(1, sizeof *file);
    unsigned char packed[4096];
    const size_t end = put_bgeo(file), size = (check_bgeo(file->bytes, file->size), pack(file, packed, sizeof packed));
    check_bgeo(packed, size);
    cut_anywhere(".bgeo", file->bytes, file->size, end);
    cut_anywhere(".bgeo", packed, size, size);
    free(file);
}

// Every field of the head and of the attributes, with each of its bytes set to 0xFF.
static void bgeo_heads_that_are_damaged(void **state)
{
    (void)state;
    fuzz_file *file = calloc(1, sizeof *file);
    put_bgeo(file);
    for (size_t at = 0; at < file->size - 90; ++at) {
        const unsigned char kept = file->bytes[at];
        mote_cloud_data cloud;
        mote_error error;
        file->bytes[at] = 0xFF;
        const mote_result result = read_exact(".bgeo", file->bytes, file->size, &cloud, &error);
        CHECK(result == MOTE_OK || strstr(error.text, "expected") || strstr(error.text, "damaged"), "byte %zu: %s", at,
              error.text);
        mote_cloud_data_release(&cloud);
        file->bytes[at] = kept;
    }
    file->bytes[8] = 6;
    mote_cloud_data cloud;
    mote_error error;
    assert_int_equal(read_exact(".bgeo", file->bytes, file->size, &cloud, &error), MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "file: byte 5: the version is 6, expected 5");
    file->bytes[8] = 5;
    file->bytes[9] = 0x10;
    assert_int_equal(read_exact(".bgeo", file->bytes, file->size, &cloud, &error), MOTE_ERROR_FORMAT);
    CHECK(strstr(error.text, "268435458 points of 36 bytes each"), "%s", error.text);
    free(file);
}

static void raw_floats(void **state)
{
    (void)state;
    fuzz_file *file = calloc(1, sizeof *file);
    for (int k = 0; k < 6; ++k) fuzz_put_f32(file, (float)k - 2.5f, false);
    mote_cloud_data cloud;
    mote_error error;
    CHECK(read_exact(".raw", file->bytes, 24, &cloud, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(cloud.points.count, 2);
    for (int k = 0; k < 6; ++k) assert_true(cloud.points.xyz[k] == k - 2.5);
    mote_cloud_data_release(&cloud);
    assert_int_equal(read_exact(".raw", file->bytes, 23, &cloud, &error), MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "file: byte 12: 11 bytes of a point, expected 12: the file is 23 bytes of float32 "
                                    "x, y, z");
    fuzz_put_f32(file, NAN, false), fuzz_put_f32(file, 0, false), fuzz_put_f32(file, 0, false);
    assert_int_equal(read_exact(".f32", file->bytes, 36, &cloud, &error), MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "file: point 2 (byte 24): x is not finite, expected a number");
    free(file);
}

// ------------------------------------------------------------------------------------------------------- tables, PLY

static void tables_have_arrays(void **state)
{
    (void)state;
    static const char text[] = "id,x,y,z,name,density\n1,0,0,0,a,1000\n2,1,2,3,b,999.5\n";
    static const char comment[] = "# x y z p\n0 0 0 5\n1 1 1 6\n", nameless[] = "1 2 3 4\n5 6 7 8\n";
    static const double ids[] = {1, 2}, densities[] = {1000, 999.5}, pressures[] = {5, 6}, fourth[] = {4, 8};
    mote_cloud_data cloud;
    mote_error error;
    CHECK(read_exact(".csv", text, sizeof text - 1, &cloud, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(cloud.array_count, 2);
    check_array(&cloud, "id", MOTE_ARRAY_F64, 1, ids);
    check_array(&cloud, "density", MOTE_ARRAY_F64, 1, densities);
    mote_cloud_data_release(&cloud);
    CHECK(read_exact(".txt", comment, sizeof comment - 1, &cloud, &error) == MOTE_OK, "%s", error.text);
    check_array(&cloud, "p", MOTE_ARRAY_F64, 1, pressures);
    mote_cloud_data_release(&cloud);
    CHECK(read_exact(".dat", nameless, sizeof nameless - 1, &cloud, &error) == MOTE_OK, "%s", error.text);
    check_array(&cloud, "column 4", MOTE_ARRAY_F64, 1, fourth);
    mote_cloud_data_release(&cloud);
    refuse(".csv", "x,y,z,p\n1,2,3,4\n1,2,3,a\n",
           "file:3: field is \"a\", expected a finite number, as this column began with one");
    refuse(".csv", "x,y,z,p,p\n1,2,3,4,5\n", "file:1: column is \"p\", expected each name only once");
}

static void ply_has_arrays(void **state)
{
    (void)state;
    static const char text[] = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                               "property uchar kind\nproperty float z\nproperty double p\nend_header\n"
                               "0 1 200 2 0.5\n3 4 7 5 -1e300\n";
    static const uint8_t kinds[] = {200, 7};
    static const double pressures[] = {0.5, -1e300};
    mote_cloud_data cloud;
    mote_error error;
    CHECK(read_exact(".ply", text, sizeof text - 1, &cloud, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(cloud.array_count, 2);
    check_array(&cloud, "kind", MOTE_ARRAY_U8, 1, kinds);
    check_array(&cloud, "p", MOTE_ARRAY_F64, 1, pressures);
    mote_cloud_data_release(&cloud);
}

// Small files that need no other program to write them, cut at each byte. What has a header that says how much follows
// is refused at each; a text may be whole before its last digit, or its last line.
static void beginnings_of_files(void **state)
{
    (void)state;
    static const char csv[] = "id,x,y,z,density\n1,0,0,0,1000\n2,1,2,3,999.5\n";
    static const char head[] = "comment mote\nelement vertex 2\nproperty float x\nproperty float y\n"
                               "property float z\nproperty uchar kind\nend_header\n";
    static const char vtk[] = "# vtk DataFile Version 3.0\npoints\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n"
                              "0 1 2 3 4 5\nPOINT_DATA 2\nSCALARS p double 1\nLOOKUP_TABLE default\n6 7.5\n";
    char text[512];
    cut_every_byte(".csv", csv, sizeof csv - 1, "csv");
    snprintf(text, sizeof text, "ply\nformat ascii 1.0\n%s0 1 2 7\n3 4 5 8\n", head);
    cut_every_byte(".ply", text, strlen(text), "ascii ply");
    cut_every_byte(".vtk", vtk, sizeof vtk - 1, "ascii vtk");
    for (int big = 0; big < 2; ++big) {
        const size_t length = (size_t)snprintf(text, sizeof text, "ply\nformat binary_%s_endian 1.0\n%s",
                                               big ? "big" : "little", head);
        memset(text + length, 0, 26);
        cut_anywhere(".ply", (const unsigned char *)text, length + 26, length + 26);
    }
}

static void calls_are_checked(void **state)
{
    (void)state;
    mote_cloud_data cloud;
    mote_error error;
    assert_int_equal(mote_import_cloud(NULL, NULL, NULL, &cloud, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_import_cloud(NULL, "x.vtp", NULL, NULL, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_import_cloud(NULL, "there is no such file.vtp", NULL, &cloud, &error), MOTE_ERROR_FILE);
    assert_int_equal(mote_import_cloud_memory(NULL, "file", ".off", "", 0, &cloud, &error), MOTE_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "unknown kind of points"));
    mote_cloud_data_release(&cloud);
    mote_cloud_data_release(NULL);
}

static mote_result read_with_arrays(mote_context *context, void *data)
{
    const fuzz_file *file = data;
    mote_cloud_data cloud;
    mote_error error = {0};
    mote_result result =
        mote_import_cloud_memory(context, "file", ".bgeo", file->bytes, file->size, &cloud, &error);
    mote_cloud_data_release(&cloud);
    static const char text[] = "x,y,z,p\n1,2,3,4\n";
    if (result != MOTE_OK) return result;
    result = mote_import_cloud_memory(context, "file", ".csv", text, sizeof text - 1, &cloud, &error);
    mote_cloud_data_release(&cloud);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    fuzz_file *file = calloc(2, sizeof *file);
    put_bgeo(file);
    file[1].size = pack(file, file[1].bytes, FUZZ_LARGEST);
    test_failing_allocations(read_with_arrays, file + 1);
    free(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_vtk),
        cmocka_unit_test(files_of_mote),
        cmocka_unit_test(faults_of_vtk_are_named),
        cmocka_unit_test(bgeo_plain_and_packed),
        cmocka_unit_test(bgeo_heads_that_are_damaged),
        cmocka_unit_test(raw_floats),
        cmocka_unit_test(tables_have_arrays),
        cmocka_unit_test(ply_has_arrays),
        cmocka_unit_test(beginnings_of_files),
        cmocka_unit_test(calls_are_checked),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
