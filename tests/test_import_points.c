// Points from files: what is read, and what is refused and how.

#include <stdlib.h>

#include <zlib.h>

#include "mote/import.h"
#include "mote/output.h"
#include "support/test.h"

typedef mote_result reader(mote_context *context, const char *name, const void *data, size_t size,
                           mote_point_data *points, mote_error *error);

static void expect_points(reader *read, const char *text, int dimensions, size_t count, const double *xyz)
{
    mote_point_data points;
    mote_error error = {0};
    mote_result result = read(NULL, "file", text, strlen(text), &points, &error);
    CHECK(result == MOTE_OK, "%s\n%s", error.text, text);
    CHECK(points.count == count && points.dimensions == dimensions, "%zu points in %dD of\n%s", points.count,
          points.dimensions, text);
    for (size_t i = 0; i < 3 * count; ++i) CHECK(points.xyz[i] == xyz[i], "number %zu of\n%s", i, text);
    mote_point_data_release(NULL, &points);
}

typedef struct bad_text {
    const char *text, *error;
} bad_text;

static void expect_errors(reader *read, const bad_text *cases, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        mote_point_data points;
        mote_error error = {0};
        mote_result result = read(NULL, "file", cases[k].text, strlen(cases[k].text), &points, &error);
        CHECK(result == MOTE_ERROR_FORMAT, "%s instead of: %s", mote_result_name(result), cases[k].error);
        CHECK(strcmp(error.text, cases[k].error) == 0, "\n  %s\ninstead of\n  %s", error.text, cases[k].error);
        assert_null(points.xyz);
    }
}

static const double two_points[] = {1, 2, 3, -4.5, 5e-1, 6};

static void csv_with_and_without_names(void **state)
{
    (void)state;
    static const double flat[] = {1, 2, 0, -4.5, 0.5, 0};
    reader *read = mote_import_points_csv;
    expect_points(read, "1,2,3\n-4.5,5e-1,6\n", 3, 2, two_points);
    expect_points(read, "\xEF\xBB\xBF# a comment\r\n\r\n1;2;3;9\r\n-4.5 ; 5e-1 ; 6;8", 3, 2, two_points);
    expect_points(read, "id\tz\ty\tx\n7\t3\t2\t1\n\n8\t6\t0.5\t-4.5\n", 3, 2, two_points);
    expect_points(read, "\"a, b\",\"Points:0\",\"Points:1\",\"Points:2\"\n\"q,\",1,2,3\n,-4.5,.5,\"6\"\n", 3, 2,
                  two_points);
    expect_points(read, "x,y\n1,2\n-4.5,0.5\n", 2, 2, flat);
    expect_points(read, "", 3, 0, NULL);
    expect_points(read, "x,y,z\n", 3, 0, NULL);
}

static void csv_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"a,b\n1,2\n", "file:1: no column x, or z without y, expected columns x, y, z"},
        {"x,z\n1,2\n", "file:1: no column x, or z without y, expected columns x, y, z"},
        {"x,y,x\n1,2,3\n", "file:1: column is \"x\", expected each of x, y, z only once"},
        {"x,y,z\n1,2,3\n1,2\n", "file:3: 2 fields, expected 3 as in the first line"},
        {"1,2,3\r\n\r\n# no\r\n1,2,3,4\r\n", "file:4: 4 fields, expected 3 as in the first line"},
        {"x,y,z\n1,nan,3\n", "file:2: y is \"nan\", expected a finite number"},
        {"1,2,3\n1,2,\n", "file:2: z is \"\", expected a finite number"},
    };
    expect_errors(mote_import_points_csv, cases, sizeof cases / sizeof *cases);
}

static void xyz_of_both_kinds(void **state)
{
    (void)state;
    reader *read = mote_import_points_xyz;
    expect_points(read, "# points\n1 2 3 0.5 red\n\n  -4.5\t5e-1 6\n", 3, 2, two_points);
    expect_points(read, "2\n# water, or so\nH 1 2 3\nO -4.5 0.5 6 0.1\n\n", 3, 2, two_points);
    expect_points(read, "0\n\n", 3, 0, NULL);
    expect_points(read, "", 3, 0, NULL);
}

static void xyz_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"1 2\n", "file:1: z is end of line, expected a finite number"},
        {"1 2 3\nH 1 2 3\n", "file:2: x is \"H\", expected a finite number"},
        {"2\n\nH 1 2 3\n", "file:4: atom is end of file, expected a name"},
        {"1\n\nH 1 2 3\nH 1 2 3\n", "file:4: after the last atom is \"H\", expected end of file"},
        {"1 2 3\n4\n", "file:2: y is end of line, expected a finite number"},
    };
    expect_errors(mote_import_points_xyz, cases, sizeof cases / sizeof *cases);
}

static void ply_needs_no_faces(void **state)
{
    (void)state;
    expect_points(mote_import_points_ply,
                  "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty double y\nproperty int z\n"
                  "end_header\n1 2 3\n-4.5 0.5 6\n",
                  3, 2, two_points);
    const bad_text cases[] = {
        {"ply\nformat ascii 1.0\nelement lamp 0\nproperty int x\nend_header\n",
         "file:5: header: there is no element vertex, expected vertex"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "end_header\n1 2 3\n4 5\n", "file:9: vertex 1: z is end of line, expected a finite number"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "end_header\n1 2 3\n", "file:9: vertex 1: x is end of file, expected a finite number"},
    };
    expect_errors(mote_import_points_ply, cases, sizeof cases / sizeof *cases);
}

// The first coordinate that a float cannot hold, and its line.
static void wide_points_are_told(void **state)
{
    (void)state;
    static const struct {
        reader *read;
        const char *text;
        size_t wide;
        uint32_t line;
    } cases[] = {
        {mote_import_points_csv, "x,y,z\n1,2,3\n\n1,-1e39,3\n1,1e300,3\n", 1, 4},
        {mote_import_points_xyz, "# a\n1 2 3\n1 2 1e300\n", 1, 3},
        {mote_import_points_xyz, "1\n\nH 1e300 2 3\n", 0, 3},
        {mote_import_points_ply, "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty double y\n"
                                 "property int z\nend_header\n1 2 3\n-4.5 1e300 6\n", 1, 9},
        {mote_import_points_csv, "3.4e38,-3.4e38,0\n", 1, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        mote_point_data points;
        CHECK_OK(cases[k].read(NULL, "file", cases[k].text, strlen(cases[k].text), &points, NULL));
        CHECK(points.wide == cases[k].wide && points.wide_line == cases[k].line, "point %zu on line %u of\n%s",
              points.wide, points.wide_line, cases[k].text);
        mote_point_data_release(NULL, &points);
    }
}

static mote_result read_back(const char *path, mote_point_data *points, mote_error *error)
{
    return mote_import_points(NULL, path, points, error);
}

static void vtp_as_mote_writes_it(void **state)
{
    (void)state;
    enum { COUNT = 40000 };  // several blocks
    double *xyz = malloc(3 * COUNT * sizeof *xyz);
    float *xyz32 = malloc(3 * COUNT * sizeof *xyz32);
    mote_random random = {5};
    for (int i = 0; i < 3 * COUNT; ++i) xyz32[i] = (float)(xyz[i] = mote_random_unit(&random) - 0.5);
    for (int is_f64 = 0; is_f64 < 2; ++is_f64)
        for (size_t count = 0; count <= COUNT; count += COUNT / 2) {
            mote_array array = mote_array_tuples("velocity", MOTE_ARRAY_F64, xyz, 3);
            mote_vtp data = {.arrays = &array, .array_count = 1, .time = 0.5};
            data.points = is_f64 ? mote_points_xyz_f64(xyz, count) : mote_points_xyz(xyz32, count);
            mote_point_data points;
            mote_error error = {0};
            CHECK_OK(mote_vtp_write(NULL, "test_points.vtp", &data, NULL));
            CHECK(read_back("test_points.vtp", &points, &error) == MOTE_OK, "%s", error.text);
            assert_int_equal(points.count, count);
            for (size_t i = 0; i < 3 * count; ++i)
                CHECK(points.xyz[i] == (is_f64 ? xyz[i] : (double)xyz32[i]), "number %zu", i);
            mote_point_data_release(NULL, &points);
        }
    remove("test_points.vtp");
    free(xyz);
    free(xyz32);
}

static void vtp_as_text_and_in_pieces(void **state)
{
    (void)state;
    expect_points(mote_import_points_vtp,
                  "<?xml version='1.0'?>\n<!-- a > b -->\n<VTKFile type=\"PolyData\">\n"
                  "<PolyData><Piece NumberOfPoints=\"1\"><PointData><DataArray type=\"Int8\" format=\"ascii\">9"
                  "</DataArray></PointData><Points>\n<DataArray type=\"Float32\" NumberOfComponents=\"3\"\n"
                  " format=\"ascii\">\n1 2\n3\n</DataArray></Points></Piece>\n<Piece NumberOfPoints=\"1\"><Points>"
                  "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">-4.5 0.5 6"
                  "</DataArray></Points></Piece></PolyData></VTKFile>\n",
                  3, 2, two_points);
}

// The 24 bytes of a point behind a header of 4 bytes, in the order of a big-endian machine.
static void vtp_appended_plain(void **state)
{
    (void)state;
    static const char text[] = "<VTKFile type=\"PolyData\" byte_order=\"BigEndian\">"
                               "<Piece NumberOfPoints=\"1\"><Points>"
                               "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>"
                               "</Points><AppendedData encoding=\"raw\">\n_";
    static const unsigned char data[28] = {0, 0, 0, 24, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0x40};
    static const double expected[] = {1, 2, 0};
    char file[sizeof text - 1 + sizeof data];
    memcpy(file, text, sizeof text - 1);
    memcpy(file + sizeof text - 1, data, sizeof data);
    mote_point_data points;
    mote_error error = {0};
    mote_result result = mote_import_points_vtp(NULL, "file", file, sizeof file, &points, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    assert_memory_equal(points.xyz, expected, sizeof expected);
    mote_point_data_release(NULL, &points);
    for (size_t size = 0; size < sizeof file; ++size) {  // cut off anywhere
        char *exact = malloc(size + 1);
        memcpy(exact, file, size);
        exact = realloc(exact, size ? size : 1);
        result = mote_import_points_vtp(NULL, "file", exact, size, &points, &error);
        CHECK(result == MOTE_ERROR_FORMAT || points.count == 0, "cut at %zu: %s", size, mote_result_name(result));
        free(exact);
    }
}

static void vtp_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"x", "file:1: there is no tag VTKFile, expected one"},
        {"<VTKFile type=\"ImageData\">", "file:1: VTKFile: type is \"ImageData\", expected PolyData"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" compressor=\"vtkLZ4DataCompressor\">",
         "file:1: compressor is \"vtkLZ4DataCompressor\", expected vtkZLibDataCompressor or none"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"-1\">",
         "file:2: NumberOfPoints is \"-1\", expected a whole number"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"1\">\n<Points>\n"
         "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">",
         "file:4: format is \"binary\", expected ascii or appended"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"1\">\n<Points>\n"
         "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">1 2</DataArray>",
         "file:4: Points: the numbers of 0 points, expected those of 1"},
    };
    expect_errors(mote_import_points_vtp, cases, sizeof cases / sizeof *cases);
}

// Appended data in a file of one piece that names them `arrays` times.
static size_t make_shared_vtp(char *file, unsigned points, int arrays, const char *compressor, const void *data,
                              size_t size)
{
    size_t at = (size_t)sprintf(file, "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt32\"%s>"
                                      "<Piece NumberOfPoints=\"%u\"><Points>", compressor, points);
    for (int a = 0; a < arrays; ++a)
        at += (size_t)sprintf(file + at, "<DataArray NumberOfComponents=\"3\" type=\"Float32\" format=\"appended\" "
                                         "offset=\"0\"/>");
    at += (size_t)sprintf(file + at, "</Points></Piece><AppendedData encoding=\"raw\">_");
    memcpy(file + at, data, size);
    return at + size;
}

// A file cannot take more memory than the points that are in it: bytes that several arrays share are refused, and
// blocks are unpacked a piece at a time.
static void vtp_takes_the_memory_of_its_points(void **state)
{
    (void)state;
    enum { POINTS = 1000000, BYTES = 12 * POINTS };
    mote_point_data points;
    mote_error error;
    char *file = malloc(1 << 20);
    uint32_t few[13] = {48};  // four points at 0
    size_t size = make_shared_vtp(file, 4, 1, "", few, sizeof few);
    CHECK_OK(mote_import_points_vtp(NULL, "file", file, size, &points, &error));
    assert_int_equal(points.count, 4);
    mote_point_data_release(NULL, &points);
    size = make_shared_vtp(file, 4, 2, "", few, sizeof few);
    assert_int_equal(mote_import_points_vtp(NULL, "file", file, size, &points, &error), MOTE_ERROR_FORMAT);
    CHECK(strstr(error.text, "its points do not fit into the file, with those before it"), "%s", error.text);

    unsigned char *zeros = calloc(1, BYTES), *packed = malloc(BYTES);
    uLongf length = BYTES - 16;
    assert_int_equal(compress2(packed + 16, &length, zeros, BYTES, 9), Z_OK);
    const uint32_t head[4] = {1, BYTES, BYTES, (uint32_t)length};
    memcpy(packed, head, sizeof head);
    mote_context_def def = mote_context_default_def();
    def.max_bytes = POINTS * sizeof(mote_vec3) + (200 << 10);
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context));
    static const char compressor[] = " compressor=\"vtkZLibDataCompressor\"";
    size = make_shared_vtp(file, POINTS, 1, compressor, packed, length + 16);
    const mote_result result = mote_import_points_vtp(context, "file", file, size, &points, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    assert_int_equal(points.count, POINTS);
    mote_point_data_release(context, &points);
    size = make_shared_vtp(file, POINTS, 20, compressor, packed, length + 16);
    assert_int_equal(mote_import_points_vtp(context, "file", file, size, &points, &error), MOTE_ERROR_FORMAT);
    mote_context_destroy(context);
    free(packed);
    free(zeros);
    free(file);
}

// Whatever is done to a file, it is read or refused, and nothing else.
static void damaged_tables(void **state)
{
    (void)state;
    static const char *const texts[] = {"x,\"y\";z\n1,2,3\n# c\n4,5,6\n", "2\nwater\nH 1 2 3\nO 4 5 6\n",
                                        "1 2 3\n4 5 6\n",
                                        "<VTKFile type='PolyData' byte_order='LittleEndian'><Piece NumberOfPoints='1'>"
                                        "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>"
                                        "1 2 3</DataArray></Points></Piece></VTKFile>"};
    mote_random random = {3};
    for (int round = 0; round < (SANITIZED ? 3000 : 20000); ++round) {
        char text[256];
        size_t size = strlen(texts[round % 4]);
        memcpy(text, texts[round % 4], size);
        for (uint32_t hits = 1 + mote_random_below(&random, 3); hits > 0; --hits)
            text[mote_random_below(&random, (uint32_t)size)] = ",;\t \n\r\"#1e.-x\0"[mote_random_below(&random, 15)];
        size -= mote_random_below(&random, 4);
        char *exact = malloc(size);  // so that sanitizers see what is read beyond
        memcpy(exact, text, size);
        reader *readers[] = {mote_import_points_csv, mote_import_points_xyz, mote_import_points_vtp};
        for (int r = 0; r < 3; ++r) {
            mote_point_data points;
            mote_error error = {0};
            mote_result result = readers[r](NULL, "file", exact, size, &points, &error);
            CHECK(result == MOTE_OK || (result == MOTE_ERROR_FORMAT && error.text[0]), "%s", mote_result_name(result));
            mote_point_data_release(NULL, &points);
        }
        free(exact);
    }
}

static mote_result read_many(mote_context *context, void *data)
{
    mote_point_data points;
    mote_result result = mote_import_points_csv(context, "file", data, strlen(data), &points, NULL);
    mote_point_data_release(context, &points);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    enum { LINES = 2000 };
    char *text = calloc(LINES, 8);
    for (int i = 0; i < LINES; ++i) strcpy(text + 6 * i, "1,2,3\n");
    test_failing_allocations(read_many, text);
    free(text);
}

static void files_by_their_ending(void **state)
{
    (void)state;
    mote_point_data points;
    mote_error error = {0};
    FILE *file = fopen("test_points.XYZ", "wb");
    assert_non_null(file);
    fputs("1 2 3\n-4.5 0.5 6\n", file);
    fclose(file);
    CHECK_OK(mote_import_points(NULL, "test_points.XYZ", &points, &error));
    assert_int_equal(points.count, 2);
    mote_point_data_release(NULL, &points);
    remove("test_points.XYZ");
    assert_int_equal(mote_import_points(NULL, "none.csv", &points, &error), MOTE_ERROR_FILE);
    assert_string_equal(error.text, "none.csv: there is no such file");
    assert_int_equal(mote_import_points(NULL, "a.obj", &points, &error), MOTE_ERROR_FORMAT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_with_and_without_names),
        cmocka_unit_test(csv_faults_are_named),
        cmocka_unit_test(xyz_of_both_kinds),
        cmocka_unit_test(xyz_faults_are_named),
        cmocka_unit_test(ply_needs_no_faces),
        cmocka_unit_test(wide_points_are_told),
        cmocka_unit_test(vtp_as_mote_writes_it),
        cmocka_unit_test(vtp_as_text_and_in_pieces),
        cmocka_unit_test(vtp_appended_plain),
        cmocka_unit_test(vtp_faults_are_named),
        cmocka_unit_test(vtp_takes_the_memory_of_its_points),
        cmocka_unit_test(damaged_tables),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(files_by_their_ending),
    };
    RUN_TESTS(tests, argc, argv);
}
