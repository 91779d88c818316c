// SPDX-License-Identifier: MIT
// Points from files: what is read, and what is refused and how.

#include <math.h>
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
    mote_point_data_release(&points);
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

// Blanks, any number of them, and names in a comment.
static void tables_among_blanks(void **state)
{
    (void)state;
    static const double flat[] = {1, 2, 0, -4.5, 0.5, 0};
    reader *read = mote_import_points_csv;
    expect_points(read, "1 2 3\n-4.5 5e-1 6\n", 3, 2, two_points);
    expect_points(read, "  1   2\t3 9  \r\n\n\t-4.5 \t 5e-1 6 8 # the last\r\n", 3, 2, two_points);
    expect_points(read, "1 2\t3\n-4.5 .5\t6", 3, 2, two_points);
    expect_points(read, "   1.0\t   2.0\t   3.0\n  -4.5\t   0.5\t   6.0\n", 3, 2, two_points);
    expect_points(read, "id z y x\n7 3 2 1\n8 6 0.5 -4.5\n", 3, 2, two_points);
    expect_points(read, "\"a b\" x y\nq 1 2\nr -4.5 .5\n", 2, 2, flat);
    expect_points(read, "1 2\n-4.5 0.5\n", 2, 2, flat);
    expect_points(read, "# made today\n# id z y x\n7 3 2 1\n8 6 0.5 -4.5\n", 3, 2, two_points);
    expect_points(read, "#y,x\n2 1\n.5 -4.5\n", 2, 2, flat);
    expect_points(read, "# x is y, 3 words\n1 2 3\n# z y x\n-4.5 .5 6\n", 3, 2, two_points);
    expect_points(read, "# x x y\n1,2,3\n-4.5,.5,6\n", 3, 2, two_points);
    const bad_text cases[] = {
        {"1 2 3\n1 2\n", "file:2: 2 fields, expected 3 as in the first line"},
        {"1 2 3\n1 2 3 4\n", "file:2: 4 fields, expected 3 as in the first line"},
        {"1 2 3\n1 2,5 3\n", "file:2: y is \"2,5\", expected a finite number"},
        {"1 2 nan\n", "file:1: z is \"nan\", expected a finite number"},
        {"x y z\n1 \x1b[1m 3\n", "file:2: y is \"?[1m\", expected a finite number"},
        {"a b c\n1 2 3\n", "file:1: no column x, or z without y, expected columns x, y, z"},
    };
    expect_errors(read, cases, sizeof cases / sizeof *cases);
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
        mote_point_data_release(&points);
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
            mote_point_data_release(&points);
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
    mote_point_data_release(&points);
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
        {"<VTKFile type=\"ImageData\">",
         "file:1: VTKFile: type is \"ImageData\", expected PolyData or UnstructuredGrid"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" compressor=\"vtkLZ4DataCompressor\">",
         "file:1: compressor is \"vtkLZ4DataCompressor\", expected vtkZLibDataCompressor or none"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"-1\">",
         "file:2: NumberOfPoints is \"-1\", expected a whole number"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"1\">\n<Points>\n"
         "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"hex\">",
         "file:4: format is \"hex\", expected ascii, binary or appended"},
        {"<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<Piece NumberOfPoints=\"1\">\n<Points>\n"
         "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">1 2</DataArray>",
         "file:4: Points: the numbers of 0 points, expected those of 1"},
    };
    expect_errors(mote_import_points_vtp, cases, sizeof cases / sizeof *cases);
}

// -------------------------------------------------------------------------------------------------------- NPY

// A file of NumPy's: the version, the header's text and the data. @return its size
static size_t make_npy(char *file, int version, const char *header, const void *data, size_t size)
{
    const size_t begin = version == 1 ? 10 : 12, length = strlen(header);
    memset(file, 0, begin);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[8] = (char)(length & 255);
    file[9] = (char)(length >> 8);
    memcpy(file + begin, header, length);
    if (size) memcpy(file + begin + length, data, size);
    return begin + length + size;
}

// A number as `size` bytes of that kind.
static void put_number(char *to, double number, char kind, size_t size, bool is_big)
{
    uint64_t bits = (uint64_t)(int64_t)number;
    const float single = (float)number;
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    if (kind == 'f' && size == 4) bits = low;
    if (kind == 'f' && size == 8) memcpy(&bits, &number, sizeof bits);
    for (size_t k = 0; k < size; ++k) to[is_big ? size - 1 - k : k] = (char)(bits >> (8 * k));
}

static void npy_of_all_types(void **state)
{
    (void)state;
    enum { ROWS = 5 };
    static const struct {
        const char *type;
        double least;
    } types[] = {{"<f4", -2.5}, {">f4", -2.5}, {"<f8", -2.5}, {">f8", -2.5}, {"|i1", -100}, {"|u1", 200}, {"<i2", -3e4},
                 {">u2", 6e4},  {"<i4", -2e9}, {">i4", -2e9}, {"<u4", 4e9},  {"<i8", -4e15}, {">i8", -4e15},
                 {"<u8", 7}};
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t)
        for (int columns = 2; columns <= 3; ++columns)
            for (int fortran = 0; fortran < 2; ++fortran) {
                const size_t size = (size_t)(types[t].type[2] - '0');
                char data[ROWS * 3 * 8], header[128], file[512];
                double expected[ROWS * 3] = {0};
                for (int i = 0; i < ROWS * columns; ++i) {
                    const int row = i / columns, column = i % columns;
                    const int place = fortran ? column * ROWS + row : i;
                    expected[3 * row + column] = types[t].least + i;
                    put_number(data + (size_t)place * size, types[t].least + i, types[t].type[1], size,
                               types[t].type[0] == '>');
                }
                snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }   \n",
                         types[t].type, fortran ? "True" : "False", ROWS, columns);
                size_t length = make_npy(file, 1 + (int)t % 3, header, data, (size_t)(ROWS * columns) * size);
                mote_point_data points;
                mote_error error = {0};
                CHECK(mote_import_points_npy(NULL, "file", file, length, &points, &error) == MOTE_OK, "%s", error.text);
                CHECK(points.count == ROWS && points.dimensions == columns, "%s", header);
                for (int i = 0; i < 3 * ROWS; ++i) CHECK(points.xyz[i] == expected[i], "number %d of %s", i, header);
                mote_point_data_release(&points);
            }
}

static void expect_npy_error(int version, const char *header, size_t size, const char *expected)
{
    char file[512];
    const double data[6] = {1, 2, 3, 4, (double)INFINITY, 6};
    const size_t length = make_npy(file, version, header, data, size);
    char *exact = malloc(length);
    memcpy(exact, file, length);
    mote_point_data points;
    mote_error error = {0};
    CHECK(mote_import_points_npy(NULL, "file", exact, length, &points, &error) == MOTE_ERROR_FORMAT, "%s", header);
    CHECK(strcmp(error.text, expected) == 0, "\n  %s\ninstead of\n  %s", error.text, expected);
    free(exact);
}

static void npy_faults_are_named(void **state)
{
    (void)state;
    static const char good[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
    static const char form[] = "{'descr': %s, 'fortran_order': False, 'shape': %s}";
    static const struct {
        const char *type, *shape, *error;
    } cases[] = {
        {"'<c8'", "(2, 3)", "file: descr is \"<c8\", expected <f4, <f8, >f4, >f8 or integers (i, u) of 1 to 8 bytes"},
        {"'|O'", "(2, 3)", "file: descr is \"|O\", expected <f4, <f8, >f4, >f8 or integers (i, u) of 1 to 8 bytes"},
        {"'|f8'", "(2, 3)", "file: descr is \"|f8\", expected <f4, <f8, >f4, >f8 or integers (i, u) of 1 to 8 bytes"},
        {"'\x1b\"f8'", "(2, 3)",
         "file: descr is \"?\"f8\", expected <f4, <f8, >f4, >f8 or integers (i, u) of 1 to 8 bytes"},
        {"[('x', '<f8')]", "(2,)",
         "file: descr is a list, as structured arrays have it, expected plain numbers: <f4, <f8 or integers"},
        {"'<f8'", "(6,)", "file: shape is \"(6,)\", expected (N, 2) or (N, 3): a row a point"},
        {"'<f8'", "()", "file: shape is \"()\", expected (N, 2) or (N, 3): a row a point"},
        {"'<f8'", "(3, 2, 1)", "file: shape is \"(3, 2, 1)\", expected (N, 2) or (N, 3): a row a point"},
        {"'<f8'", "(3, 100)", "file: shape is \"(3, 100)\", expected (N, 2) or (N, 3): a row a point"},
        {"'<f8'", "(9223372036854775807, 3)",
         "file: shape is \"(9223372036854775807, 3)\", expected at most 2^32 - 2 points"},
        {"'<f8'", "(4294967294, 3)",
         "file: 48 bytes of data, expected 103079215056 for shape \"(4294967294, 3)\" of \"<f8\""},
        {"'<f8'", "(1, 3)", "file: 48 bytes of data, expected 24 for shape \"(1, 3)\" of \"<f8\""},
        {"'<f8'", "(-2, 3)", "file: header: there is \"-2, 3)}\", expected the shape: a tuple as (100, 3)"},
        {"'<f8'", "(99999999999999999999, 3)",
         "file: header: there is \", 3)}\", expected the shape: a tuple as (100, 3)"},
        {"'<f8'", "(2, 3", "file: header: there is \"}\", expected the shape: a tuple as (100, 3)"},
        {"'<f8'", "(2, 3), 'extra': 1",
         "file: header: the key is \"extra\", expected descr, fortran_order or shape"},
        {"'<f8", "(2, 3)", "file: header: there is \"fortran_order': False, 'shape': ...\", expected , or }"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char header[256];
        snprintf(header, sizeof header, form, cases[k].type, cases[k].shape);
        expect_npy_error(1, header, 48, cases[k].error);
    }
    expect_npy_error(1, good, 48, "file: point 1 (byte 102): y is infinite or not a number, expected a finite number");
    expect_npy_error(1, good, 47, "file: 47 bytes of data, expected 48 for shape \"(2, 3)\" of \"<f8\"");
    expect_npy_error(4, good, 48, "file: version is 4, expected 1, 2 or 3");
    expect_npy_error(1, "{'descr': '<f8', 'shape': (2, 3)}", 48,
                     "file: header: there is no fortran_order, expected one");
    expect_npy_error(1, "", 0, "file: header: there is \"\", expected {");
    mote_point_data points;
    mote_error error = {0};
    assert_int_equal(mote_import_points_npy(NULL, "file", "NUMPY", 5, &points, &error), MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "file: it does not begin as NPY files do, expected \\x93NUMPY");
    char file[512];  // cut off anywhere
    const double data[6] = {1, 2, 3, 4, 5, 6};
    const size_t length = make_npy(file, 2, good, data, sizeof data);
    for (size_t size = 0; size < length; ++size) {
        char *exact = malloc(size + 1);
        memcpy(exact, file, size);
        exact = realloc(exact, size ? size : 1);
        assert_int_equal(mote_import_points_npy(NULL, "file", exact, size, &points, &error), MOTE_ERROR_FORMAT);
        free(exact);
    }
}

// ------------------------------------------------------------------------------------------------------- LAMMPS

#define DUMP_HEAD "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp fs mm\n-5 5\n0 2\n0 1e1\n"

static mote_result read_dump(mote_context *context, const char *name, const void *data, size_t size,
                             mote_point_data *points, mote_error *error)
{
    return mote_import_points_lammps(context, name, data, size, 0, points, error);
}

static void lammps_columns_of_all_kinds(void **state)
{
    (void)state;
    static const double flat[] = {1, 2, 0, -4.5, 0.5, 0};
    static const double atoms[] = {1, 2, 3, -4.5, 0.5, 6};
    expect_points(read_dump, DUMP_HEAD "ITEM: ATOMS id type x y z\n9 1 1 2 3\n3 1 -4.5 0.5 6\n", 3, 2, atoms);
    expect_points(read_dump, DUMP_HEAD "ITEM: ATOMS zu vx yu xu xs\r\n3 0 2 1 q\r\n6 0 .5 -4.5 q\r\n\r\n", 3, 2,
                  atoms);
    expect_points(read_dump, DUMP_HEAD "ITEM: ATOMS xs ys zs \n.6 1 .3 \n.05 .25 .6 \n", 3, 2, atoms);
    expect_points(read_dump, DUMP_HEAD "ITEM: ATOMS ysu xsu zsu\n1 .6 .3\n.25 .05 .6", 3, 2, atoms);
    expect_points(read_dump, DUMP_HEAD "ITEM: ATOMS xu y x yu id\n0 2 1 0 0\n0 .5 -4.5 0 0\n", 2, 2, flat);
    expect_points(read_dump, "ITEM: UNITS\nlj\nITEM: TIME\n0.5\n" DUMP_HEAD "ITEM: ATOMS x y z\n1 2 3\n-4.5 .5 6\n"
                  DUMP_HEAD "ITEM: ATOMS x y z\n7 7 7\n", 3, 2, atoms);
    expect_points(read_dump, "ITEM: NUMBER OF ATOMS\n0\nITEM: ATOMS x y z\n", 3, 0, NULL);
}

static void lammps_box_and_frames(void **state)
{
    (void)state;
    static const char text[] = DUMP_HEAD "ITEM: ATOMS x y z\n1 2 3\n4 5 6\n"
                               "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS\n0 1\n0 1\n0 1\n"
                               "ITEM: ATOMS id\n1\n"
                               "ITEM: TIMESTEP\n20\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS xu yu zu\n7 8 9\n\n";
    mote_point_data points;
    mote_error error = {0};
    CHECK_OK(mote_import_points_lammps(NULL, "file", text, sizeof text - 1, 0, &points, &error));
    assert_true(points.count == 2 && points.has_box && points.has_periods);
    assert_true(points.periodic[0] && !points.periodic[1] && !points.periodic[2]);
    assert_true(points.box.min.x == -5 && points.box.max.x == 5 && points.box.max.z == 10);
    mote_point_data_release(&points);
    const int64_t last[2] = {2, MOTE_FRAME_LAST};
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(mote_import_points_lammps(NULL, "file", text, sizeof text - 1, last[k], &points, &error));
        assert_true(points.count == 1 && points.xyz[2] == 9 && !points.has_box);
        mote_point_data_release(&points);
    }
    assert_int_equal(mote_import_points_lammps(NULL, "file", text, sizeof text - 1, 3, &points, &error),
                     MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "file: there is no frame 3, for it holds 3, expected 0 to 2");
    assert_int_equal(mote_import_points_lammps(NULL, "file", text, sizeof text - 1, 1, &points, &error),
                     MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "file:20: no columns x y z, xu yu zu, xs ys zs or xsu ysu zsu, expected those of "
                                    "one kind");
}

static void lammps_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"", "file:1: end of file, expected ITEM: ATOMS"},
        {"TIMESTEP\n", "file:1: line is \"TIMESTEP\", expected ITEM: ..."},
        {"ITEM: TIMESTEP\nsoon\n", "file:2: the time step is \"soon\", expected a whole number"},
        {"ITEM: NUMBER OF ATOMS\n-1\n", "file:2: the number of atoms is \"-1\", expected a whole number from 0 to "
                                        "4294967294"},
        {"ITEM: NUMBER OF ATOMS\n1e300\n", "file:2: the number of atoms is \"1e300\", expected a whole number from 0 "
                                           "to 4294967294"},
        {"ITEM: ATOMS x y z\n1 2 3\n", "file:1: ITEM: ATOMS without their number, expected ITEM: NUMBER OF ATOMS "
                                       "before it"},
        {"ITEM: BOX BOUNDS xy xz yz pp pp pp\n", "file:1: the box is triclinic: its first word is \"xy\", expected one "
                                                "with right angles: pp, ff, ..."},
        {"ITEM: BOX BOUNDS pp pp\n", "file:1: a side of the box is end of line, expected pp, or two of the letters "
                                    "f, s, m"},
        {"ITEM: BOX BOUNDS pf pp pp\n",
         "file:1: a side of the box is \"pf\", expected pp, or two of the letters f, s, m"},
        {"ITEM: BOX BOUNDS\n0 1\n2 1\n", "file:3: the box is 2 to 1 along y, expected a low end and a high one"},
        {"ITEM: BOX BOUNDS\n0 1 0.5\n",
         "file:2: behind the ends of the box (a tilt?) is \"0.5\", expected end of line"},
        {"ITEM: BOX BOUNDS\n0\n", "file:2: the high end of the box is end of line, expected a finite number"},
        {"ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS xs ys zs\n.5 .5 .5\n",
         "file:3: columns xs and on are scaled by a box, expected ITEM: BOX BOUNDS before them"},
        {DUMP_HEAD "ITEM: ATOMS x y\n1 2\n", "file:11: end of file after 1 of the 2 atoms that line 4 announces"},
        {DUMP_HEAD "ITEM: ATOMS x y\n1 2\n3\n", "file:11: 1 field, expected 2 as ITEM: ATOMS names them"},
        {DUMP_HEAD "ITEM: ATOMS x y\n1 2\n3 nan\n", "file:11: y is \"nan\", expected a finite number"},
        {DUMP_HEAD "ITEM: ATOMS x y\n1 2\n3 4 5\n", "file:11: behind the last column is \"5\", expected end of line"},
        {DUMP_HEAD "ITEM: ATOMS x y\n1 2\n3 4\n5 6\n", "file:12: after the last atom is \"5\", expected ITEM: or end "
                                                       "of file"},
        {DUMP_HEAD "ITEM: ATOMS xs ys\n1 2\n3 1e308\n", NULL},
    };
    expect_errors(read_dump, cases, sizeof cases / sizeof *cases - 1);
    mote_point_data points;
    const char *far = cases[sizeof cases / sizeof *cases - 1].text;
    CHECK(read_dump(NULL, "file", far, strlen(far), &points, NULL) == MOTE_ERROR_FORMAT, "beyond what doubles hold");
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
    mote_point_data_release(&points);
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
    CHECK_OK(mote_context_create(&def, &context, &error));
    static const char compressor[] = " compressor=\"vtkZLibDataCompressor\"";
    size = make_shared_vtp(file, POINTS, 1, compressor, packed, length + 16);
    const mote_result result = mote_import_points_vtp(context, "file", file, size, &points, &error);
    CHECK(result == MOTE_OK, "%s", error.text);
    assert_int_equal(points.count, POINTS);
    mote_point_data_release(&points);
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
                                        "1 2 3</DataArray></Points></Piece></VTKFile>",
                                        DUMP_HEAD "ITEM: ATOMS x y z\n1 2 3\n4 5 6\n", "# y x\n 1 2\n3\t4\n",
                                        "\x93NUMPY\1\1>\1{'descr':'<u1','fortran_order':False,'shape':(2,2)}abcd"};
    mote_random random = {3};
    for (int round = 0; round < (SANITIZED ? 3000 : 20000); ++round) {
        char text[256];
        const char *whole = texts[(size_t)round % (sizeof texts / sizeof *texts)];
        size_t size = strlen(whole);
        memcpy(text, whole, size);
        for (uint32_t hits = 1 + mote_random_below(&random, 3); hits > 0; --hits)
            text[mote_random_below(&random, (uint32_t)size)] = ",;\t \n\r\"#1e.-x\0"[mote_random_below(&random, 15)];
        size -= mote_random_below(&random, 4);
        char *exact = malloc(size);  // so that sanitizers see what is read beyond
        memcpy(exact, text, size);
        reader *readers[] = {mote_import_points_csv, mote_import_points_xyz, mote_import_points_vtp,
                             mote_import_points_npy, read_dump};
        for (int r = 0; r < 5; ++r) {
            mote_point_data points;
            mote_error error = {0};
            mote_result result = readers[r](NULL, "file", exact, size, &points, &error);
            CHECK(result == MOTE_OK || (result == MOTE_ERROR_FORMAT && error.text[0]), "%s", mote_result_name(result));
            mote_point_data_release(&points);
        }
        free(exact);
    }
}

static mote_result read_many(mote_context *context, void *data)
{
    mote_point_data points;
    mote_result result = mote_import_points_csv(context, "file", data, strlen(data), &points, NULL);
    mote_point_data_release(&points);
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
    mote_point_data_release(&points);
    remove("test_points.XYZ");
    assert_int_equal(mote_import_points(NULL, "none.csv", &points, &error), MOTE_ERROR_FILE);
    assert_string_equal(error.text, "none.csv: there is no such file");
    assert_int_equal(mote_import_points(NULL, "a.obj", &points, &error), MOTE_ERROR_FORMAT);
    assert_int_equal(mote_import_points(NULL, "none.what", &points, &error), MOTE_ERROR_FILE);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// Dumps have any name; so have arrays.
static void files_by_their_first_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"test_points.what", "test_points.txt", "test_points.DUMP"};
    mote_point_data points;
    mote_error error = {0};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        write_text(names[k], DUMP_HEAD "ITEM: ATOMS x y z\n1 2 3\n4 5 6\n");
        CHECK_OK(mote_import_points(NULL, names[k], &points, &error));
        assert_true(points.count == 2 && points.has_box);
        mote_point_data_release(&points);
        assert_int_equal(mote_import_points_frame(NULL, names[k], 1, &points, &error), MOTE_ERROR_FORMAT);
        remove(names[k]);
    }
    write_text("test_points.txt", "1 2 3\n-4.5 .5 6\n");
    CHECK_OK(mote_import_points_frame(NULL, "test_points.txt", MOTE_FRAME_LAST, &points, &error));
    assert_int_equal(points.count, 2);
    mote_point_data_release(&points);
    assert_int_equal(mote_import_points_frame(NULL, "test_points.txt", -2, &points, &error), MOTE_ERROR_ARGUMENT);
    remove("test_points.txt");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_with_and_without_names),
        cmocka_unit_test(tables_among_blanks),
        cmocka_unit_test(csv_faults_are_named),
        cmocka_unit_test(xyz_of_both_kinds),
        cmocka_unit_test(xyz_faults_are_named),
        cmocka_unit_test(ply_needs_no_faces),
        cmocka_unit_test(wide_points_are_told),
        cmocka_unit_test(vtp_as_mote_writes_it),
        cmocka_unit_test(vtp_as_text_and_in_pieces),
        cmocka_unit_test(vtp_appended_plain),
        cmocka_unit_test(vtp_faults_are_named),
        cmocka_unit_test(npy_of_all_types),
        cmocka_unit_test(npy_faults_are_named),
        cmocka_unit_test(lammps_columns_of_all_kinds),
        cmocka_unit_test(lammps_box_and_frames),
        cmocka_unit_test(lammps_faults_are_named),
        cmocka_unit_test(vtp_takes_the_memory_of_its_points),
        cmocka_unit_test(damaged_tables),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(files_by_their_ending),
        cmocka_unit_test(files_by_their_first_bytes),
    };
    RUN_TESTS(tests, argc, argv);
}
