// SPDX-License-Identifier: MIT
// Mesh files: what is read, what is refused and how, and damaged files by the thousand.

#include <math.h>
#include <stdlib.h>

#include "base/tested.h"
#include "mote/import.h"
#include "mote/output.h"
#include "support/test.h"

typedef mote_result reader(mote_context *context, const char *name, const void *data, size_t size, mote_mesh **mesh,
                           mote_error *error);

static mote_mesh *read_text(reader *read, const char *text)
{
    mote_mesh *mesh = NULL;
    mote_error error = {0};
    mote_result result = read(NULL, "file", text, strlen(text), &mesh, &error);
    CHECK(result == MOTE_OK, "%s\n%s", error.text, text);
    return mesh;
}

static void expect_error(reader *read, const void *data, size_t size, const char *expected)
{
    mote_mesh *mesh = NULL;
    mote_error error = {0};
    mote_result result = read(NULL, "file", data, size, &mesh, &error);
    CHECK(result == MOTE_ERROR_FORMAT, "%s instead of: %s", mote_result_name(result), expected);
    CHECK(strcmp(error.text, expected) == 0, "\n  %s\ninstead of\n  %s", error.text, expected);
    assert_null(mesh);
}

typedef struct bad_text {
    const char *text, *error;
} bad_text;

// ----------------------------------------------------------------------------------------------------- numbers

static void numbers_are_rounded_correctly(void **state)
{
    (void)state;
    // strtod of the C locale, which these programs never leave, is the oracle.
    mote_random random = {1};
    char text[900];
    const int count = SANITIZED ? 10000 : getenv("MOTE_LONG_TESTS") ? 100000 : 40000;
    for (int i = 0; i < count; ++i) {
        uint64_t bits = mote_random_next(&random);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number)) continue;
        int kind = i % 4;
        if (kind == 0) snprintf(text, sizeof text, "%.17g", number);
        if (kind == 1) snprintf(text, sizeof text, "%.*e", (int)mote_random_below(&random, 30), number);
        if (kind == 2) snprintf(text, sizeof text, "%.6f", (double)(bits >> 44) / 1024);
        // Halfway between two doubles, all digits of it.
        if (kind == 3)
            snprintf(text, sizeof text, "%.780Le", ((long double)number + (long double)nextafter(number, 0)) / 2);
        double value = 0, expected = strtod(text, NULL);
        CHECK(mote_number_parse(text, strlen(text), &value), "%s", text);
        CHECK(memcmp(&value, &expected, sizeof value) == 0, "%s: %a, expected %a", text, value, expected);
    }
}

static void not_every_word_is_a_number(void **state)
{
    (void)state;
    const char *bad[] = {"",     "-",   ".",  "e5",  "1e",  "1e+",   "1x",   "inf",   "nan",
                         "-nan", "0x1", "1 ", "--1", "1,5", "1e5.0", "1..2", "1e400", "1e99999999999999999999"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        CHECK(!mote_number_parse(bad[i], strlen(bad[i]), &value), "took \"%s\"", bad[i]);
    const char *good[] = {
        "0", "-0", "+1", ".5", "5.", "1E+3", "1e-99999999999999999999", "4.9e-324", "1.7976931348623157e308",
        // About half the smallest double, where numbers are 0 at once from 10^-324 down.
        "2.4703282292062327e-324", "2.4703282292062328e-324", "24703282292062328e-340", "9.99e-325", "1e-324",
        "99e-326", "0.00001e-319", "123456789e-332", "1e-1199"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
        CHECK(mote_number_parse(good[i], strlen(good[i]), &value) && value == strtod(good[i], NULL), "\"%s\"", good[i]);
}

// --------------------------------------------------------------------------------------------------------- OBJ

static void obj_forms_of_faces(void **state)
{
    (void)state;
    mote_mesh *mesh = read_text(mote_import_obj, "# a comment\r\n"
                                                 "mtllib a b.mtl\ng one two\n\n"
                                                 "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5 # red\nv 0 \\\n 1 0\n"
                                                 "vt 0\nvt 0 1\nvt 0 1 0.5\nvn 0 0 1\ns off\nusemtl x\n"
                                                 "f 1 2 3\nf 1/1 2/2 3/3\n\tf 1//1 2//1 3//1\nf 1/1/1 2/2/1 3/3/1\n"
                                                 "f -4 -3 -2 -1\nf -4/-3/-1 -3/-1/-1 \\\n 4/1/1\nl 1 2 3\np 4");
    const uint32_t expected[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 1, 3};
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 7);
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    assert_true(mesh->vertices[2].x == 1 && mesh->vertices[2].y == 1 && mesh->vertices[3].y == 1);
    mote_mesh_destroy(mesh);
}

// Indices are absolute: they may lead to what stands further down. Those that count back know what stands above only.
static void obj_faces_before_their_vertices(void **state)
{
    (void)state;
    mote_mesh *mesh = read_text(mote_import_obj, "f 1/1 2/2 3/1\n"
                                                 "v 0 0 0\nf 1//1 3//1 4//1\nv 1 0 0\n"
                                                 "v 0 \\\n1 0\nf -1 -2 4\nv 0 0 1\nvt 0\nvt 1\nvn 0 0 1\n");
    const uint32_t expected[] = {0, 1, 2, 0, 2, 3, 2, 1, 3};
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 3);
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    mote_mesh_destroy(mesh);
}

#define OBJ_VERTICES "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void obj_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"", "file: there is no triangle in it, expected at least one"},
        {OBJ_VERTICES, "file: there is no triangle in it, expected at least one"},
        {"v 0 0\n", "file:1: coordinate is end of line, expected a finite number"},
        {"v 0 0 1,5\n", "file:1: coordinate is \"1,5\", expected a finite number"},
        {"v 0 0 nan\n", "file:1: coordinate is \"nan\", expected a finite number"},
        {"v 0 0 1e999\n", "file:1: coordinate is \"1e999\", expected a finite number"},
        {"v 0 0 1 2 3\n", "file:1: v has 5 numbers, expected x y z, x y z w, x y z r g b or x y z w r g b"},
        {"v 0 0 1 2 3 4 5 6\n", "file:1: after the coordinate is \"6\", expected end of line"},
        {"v 1 1 1\nvn 0 1\n", "file:2: normal is end of line, expected a finite number"},
        {OBJ_VERTICES "f 1 2\n", "file:4: f has 2 corners, expected at least 3"},
        {OBJ_VERTICES "f 1 2 4\n", "file:4: f: vertex of \"4\" is out of range, expected 1 ... 3, or -1 ... -3"},
        {OBJ_VERTICES "f 1 2 0\n", "file:4: f: vertex of \"0\" is out of range, expected 1 ... 3, or -1 ... -3"},
        {OBJ_VERTICES "f 1 2 -4\n", "file:4: f: vertex of \"-4\" is out of range, expected 1 ... 3, or -1 ... -3"},
        {OBJ_VERTICES "f 1 2 3.0\n", "file:4: f: vertex of \"3.0\" is out of range, expected 1 ... 3, or -1 ... -3"},
        {OBJ_VERTICES "f 1/1 2/1 3/1\n",
         "file:4: f: \"1/1\" names a texture vertex, expected none: the file has none"},
        {"v 0 0 0\nf 1 2 -2\nv 1 0 0\nv 0 1 0\n",
         "file:2: f: vertex of \"-2\" is out of range, expected 1 ... 3, or -1 ... -1"},
        {"f 1 2 3\nv 0 0 0\nv 1 0 0\n", "file:1: f: vertex of \"3\" is out of range, expected 1 ... 2, or -1 ... -0"},
        {OBJ_VERTICES "vn 0 0 1\nf 1//1 2//1 3\n",
         "file:5: f: a corner is \"3\", expected the same form as the first corner's"},
        {OBJ_VERTICES "vn 0 0 1\nf 1//1/1 2 3\n",
         "file:5: f: a corner is \"1//1/1\", expected v, v/vt, v//vn or v/vt/vn"},
        {OBJ_VERTICES "vt 0\nf 1/ 2/ 3/\n",
         "file:5: f: texture vertex of \"1/\" is out of range, expected 1 ... 1, or -1 ... -1"},
        {OBJ_VERTICES "\\\n\n\x01garbage\n",
         "file:6: keyword is \"?garbage\", expected one of OBJ's for polygons (v, vt, vn, f, g, ...)"},
        {"V 0 0 0\n", "file:1: keyword is \"V\", expected one of OBJ's for polygons (v, vt, vn, f, g, ...)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        expect_error(mote_import_obj, cases[i].text, strlen(cases[i].text), cases[i].error);
}

// --------------------------------------------------------------------------------------------------------- PLY

#define PLY_HEADER                                                                             \
    "comment made by hand\nobj_info x\nelement vertex 3\nproperty float x\nproperty float y\n" \
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define PLY_ASCII "ply\nformat ascii 1.0\n" PLY_HEADER

static void ply_text_in_any_order(void **state)
{
    (void)state;
    mote_mesh *mesh = read_text(mote_import_ply, PLY_ASCII "0 0 0\n1 0 0\n\n0 1.5e0 0\n3 0 1 2");
    assert_int_equal(mesh->vertex_count, 3);
    assert_true(mesh->vertices[2].y == 1.5);
    mote_mesh_destroy(mesh);

    // Faces first, coordinates between other properties and of other types, an element that nobody knows.
    mesh = read_text(mote_import_ply, "ply\r\nformat ascii 1.0\r\nelement face 2\r\nproperty uchar flag\r\n"
                                      "property list uint8 uint32 vertex_index\r\nelement strip 2\r\n"
                                      "property list int float w\r\nelement vertex 4\r\nproperty uchar red\r\n"
                                      "property double z\r\nproperty int16 x\r\nproperty list uchar short q\r\n"
                                      "property float y\r\nend_header\r\n"
                                      "255 4 0 1 2 3\r\n0 3 2 1 0\r\n0\r\n3 1 2.5 3\r\n"
                                      "1 0.5 0 0 0\r\n2 0.25 -1 1 7 0\r\n3 0 1 2 7 8 1\r\n4 0 0 0 1\r\n");
    const uint32_t expected[] = {0, 1, 2, 0, 2, 3, 2, 1, 0};
    assert_int_equal(mesh->triangle_count, 3);
    assert_memory_equal(mesh->triangles, expected, sizeof expected);
    assert_true(mesh->vertices[0].z == 0.5 && mesh->vertices[1].x == -1 && mesh->vertices[3].y == 1);
    mote_mesh_destroy(mesh);
}

static void ply_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"", "file:1: header: first word is end of file, expected ply"},
        {"ply\nformat ascii 2.0\n", "file:2: format: version is \"2.0\", expected 1.0"},
        {"ply\nformat text 1.0\n",
         "file:2: format is \"text\", expected ascii, binary_little_endian or binary_big_endian"},
        {"ply\nformat ascii 1.0\nelement vertex -1\n",
         "file:3: element: count is \"-1\", expected an integer, 0 or more"},
        {"ply\nformat ascii 1.0\nproperty int x\n",
         "file:3: header: keyword is \"property\", expected an element before its first property"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n",
         "file:4: property: type is \"real\", expected a type of PLY (char ... double, int8 ... float64)"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty int x\n",
         "file:5: property: name is \"x\", expected each only once"},
        {"ply\nformat ascii 1.0\nelement a 0\nelement b 0\nelement vertex 0\nelement b 0\nelement a 0\n",
         "file:6: element: name is \"b\", expected each only once"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nelement vertex 1 2\n",
         "file:5: element: name is \"vertex\", expected each only once"},
        {"ply\nformat ascii 1.0\nelement a 0\nproperty int x\nelement b 0\nproperty int x\nproperty int x\nno\n",
         "file:7: property: name is \"x\", expected each only once"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\n"
         "property list uchar int vertex_indices\n",
         "file:5: property: name is \"vertex_indices\", expected each only once"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\n",
         "file:4: property: type is \"float\", expected an integer type of PLY"},
        {"ply\nformat ascii 1.0\nelement face 1\nproperty list uchar float vertex_indices\n",
         "file:4: property is \"vertex_indices\", expected of a face's corners, a list of integers"},
        {"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nend_header\n",
         "file:3: element vertex lacks a coordinate, expected properties x, y and z"},
        {"ply\nformat ascii 1.0\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n",
         "file:5: header: there is no element vertex, expected vertex and face"},
        {"ply\nformat ascii 1.0\nelement empty 4000000000\nend_header\n",
         "file:3: element empty has no property, expected at least one"},
        {"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n1234",
         "file:3: element vertex: 4000000000 of at least 12 bytes each do not fit into the 4 bytes of data"},
        {"ply\nformat ascii 1.0\nelement \x1b[31mRED\x7f 5\nend_header\n",
         "file:3: element ?[31mRED? has no property, expected at least one"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int \x1b[31mx\nproperty int x\nproperty int y\n"
         "property int z\nelement face 1\nproperty list uchar int vertex_index\nend_header\nx\n",
         "file:11: vertex 0: ?[31mx is \"x\", expected an integer of type int"},
        {"ply\nformat ascii 1.0\nelement vertex 3\n", "file:4: header: keyword is end of file, expected comment, "
                                                      "element, property or end_header"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1\n3 0 1 2\n", "file:14: vertex 2: z is end of line, expected a finite number"},
        {PLY_ASCII "0 0 0\n1 0 0 0\n0 1 0\n3 0 1 2\n",
         "file:13: after the last property is \"0\", expected end of line"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
         "file:15: face 0: vertex_indices is 3, expected a vertex, 0 ... 2"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
         "file:15: face 0: vertex_indices is -1, expected a vertex, 0 ... 2"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n2 0 1 2\n",
         "file:15: face 0: vertex_indices is a list of 2, expected at least 3"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n300 0 1 2\n",
         "file:15: face 0: vertex_indices is \"300\", expected an integer of type uchar"},
        {PLY_ASCII "0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", "file:13: vertex 1: z is \"inf\", expected a finite number"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n",
         "file:16: after the last element is \"3\", expected end of file"},
        {PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n3 0 1\n",
         "file:15: face 0: vertex_indices is end of line, expected an integer of type int"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        expect_error(mote_import_ply, cases[i].text, strlen(cases[i].text), cases[i].error);
}

// A header of `count` names of seven digits, scattered, each once but the last, which is the first.
static char *make_names(const char *line, int count, size_t *length)
{
    enum { LONGEST_LINE = 32 };
    char *text = malloc((size_t)(count + 8) * LONGEST_LINE);
    *length = (size_t)sprintf(text, "ply\nformat ascii 1.0\nelement vertex 0\n");
    for (int i = 0; i < count; ++i)
        *length += (size_t)sprintf(text + *length, line, (int)((int64_t)(i % (count - 1)) * 7654321 % 10000000));
    *length += (size_t)sprintf(text + *length, "end_header\n");
    return text;
}

// Each name is compared with few others: with all before it the elements would take more than the half hour after which
// a test is given up.
static void ply_headers_of_many_names(void **state)
{
    (void)state;
    const struct {
        const char *line, *what;
        int count;
    } cases[] = {
        {"element %07d 0\n", "element", SANITIZED ? 100000 : getenv("MOTE_LONG_TESTS") ? 1200000 : 400000},
        {"property char %07d\n", "property", 100000},
    };
    for (size_t k = 0; k < 2; ++k) {
        size_t length;
        char *text = make_names(cases[k].line, cases[k].count, &length), expected[128];
        snprintf(expected, sizeof expected, "file:%d: %s: name is \"0000000\", expected each only once",
                 cases[k].count + 3, cases[k].what);
        expect_error(mote_import_ply, text, length, expected);
        free(text);
    }
}

// A file in memory that is put together from bits.
typedef struct memory_file {
    unsigned char bytes[4096];
    size_t size;
} memory_file;

static void put_text(memory_file *file, const char *text)
{
    memcpy(file->bytes + file->size, text, strlen(text));
    file->size += strlen(text);
}

static void put_bits(memory_file *file, uint64_t bits, size_t size, bool big)
{
    for (size_t i = 0; i < size; ++i) file->bytes[file->size++] = (unsigned char)(bits >> 8 * (big ? size - 1 - i : i));
}

static void put_float(memory_file *file, float number, bool big)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_bits(file, bits, sizeof bits, big);
}

// A pyramid over a square, with a colour and an element to pass over; extra: bytes that are too many.
static memory_file binary_ply(bool big)
{
    memory_file made = {.size = 0};
    put_text(&made, big ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    put_text(&made, "element vertex 5\nproperty short id\nproperty float x\nproperty double y\nproperty float z\n"
                    "property uchar red\nelement other 2\nproperty list ushort double values\n"
                    "element face 5\nproperty list uchar uint vertex_indices\nproperty char flag\nend_header\n");
    const float places[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5f, 0.25f, -1}};
    for (int i = 0; i < 5; ++i) {
        double y = (double)places[i][1];
        uint64_t bits;
        memcpy(&bits, &y, sizeof bits);
        put_bits(&made, (uint16_t)-i, 2, big);
        put_float(&made, places[i][0], big);
        put_bits(&made, bits, 8, big);
        put_float(&made, places[i][2], big);
        put_bits(&made, 255, 1, big);
    }
    put_bits(&made, 0, 2, big);
    put_bits(&made, 1, 2, big);
    put_bits(&made, 12345, 8, big);
    const uint32_t faces[5][5] = {{4, 0, 1, 2, 3}, {3, 0, 4, 1}, {3, 1, 4, 2}, {3, 2, 4, 3}, {3, 3, 4, 0}};
    for (int i = 0; i < 5; ++i) {
        put_bits(&made, faces[i][0], 1, big);
        for (uint32_t k = 1; k <= faces[i][0]; ++k) put_bits(&made, faces[i][k], 4, big);
        put_bits(&made, 0x80, 1, big);
    }
    return made;
}

static void ply_binary_of_both_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; ++big) {
        memory_file made = binary_ply(big);
        mote_mesh *mesh;
        mote_mesh_report report;
        CHECK_OK(mote_import_ply(NULL, "file", made.bytes, made.size, &mesh, NULL));
        CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
        assert_true(report.closed);
        assert_int_equal(mesh->vertex_count, 5);
        assert_int_equal(mesh->triangle_count, 6);
        assert_true(mesh->vertices[4].x == 0.5 && mesh->vertices[4].y == 0.25 && mesh->vertices[4].z == -1);
        mote_mesh_destroy(mesh);
        // Whatever is cut off is missed, whatever is added is noticed.
        for (size_t size = 0; size < made.size; ++size)
            assert_int_equal(mote_import_ply(NULL, "file", made.bytes, size, &mesh, NULL), MOTE_ERROR_FORMAT);
        assert_int_equal(mote_import_ply(NULL, "file", made.bytes, made.size + 1, &mesh, NULL), MOTE_ERROR_FORMAT);
    }
}

static void ply_binary_faults_are_named(void **state)
{
    (void)state;
    memory_file made = binary_ply(false);
    size_t data = (size_t)((unsigned char *)strstr((char *)made.bytes, "end_header\n") - made.bytes) + 11;
    memory_file bad = made;
    memset(bad.bytes + data + 19 + 2, 0xFF, 4);
    char expected[256];
    snprintf(expected, sizeof expected,
             "file: vertex 1 (byte %zu): x is infinite or not a number, expected a finite number", data + 25);
    expect_error(mote_import_ply, bad.bytes, bad.size, expected);
    bad = made;
    bad.bytes[bad.size - 3] = 1;  // the highest byte of the last corner is two from the end
    snprintf(expected, sizeof expected, "file: face 4 (byte %zu): vertex_indices is 65536, expected a vertex, 0 ... 4",
             made.size - 1);
    expect_error(mote_import_ply, bad.bytes, bad.size, expected);
}

// --------------------------------------------------------------------------------------------------------- STL

static const char stl_tetrahedron[] =
    "solid a name of words\n"
    "facet normal 0 0 -1\n outer loop\n vertex 0 0 0\n vertex 0 1 0\n vertex 1 0 0\n endloop\nendfacet\n"
    "facet normal 0 -1 0\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 0 1\n endloop\nendfacet\n"
    "FACET NORMAL -1 0 0\n OUTER LOOP\n VERTEX 0 0 0\n VERTEX 0 0 1\n VERTEX 0 1 0\n ENDLOOP\nENDFACET\n"
    "facet normal 1 1 1\n outer loop\n vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n endloop\nendfacet\n"
    "endsolid a name of words\n";

static memory_file binary_stl(const char *header)
{
    static const float places[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                       {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                       {0, 0, 0, 0, 0, 1, 0, 1, 0},
                                       {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memory_file made = {.size = 0};
    put_text(&made, header);
    made.size = 80;
    put_bits(&made, 4, 4, false);
    for (int t = 0; t < 4; ++t) {
        for (int k = 0; k < 3; ++k) put_float(&made, (float)NAN, false);  // normals are not looked at
        for (int k = 0; k < 9; ++k) put_float(&made, places[t][k], false);
        put_bits(&made, 0, 2, false);
    }
    return made;
}

static void stl_of_both_kinds_is_welded(void **state)
{
    (void)state;
    memory_file plain = binary_stl("made by hand"), liar = binary_stl("solid as many begin");
    const struct {
        const void *data;
        size_t size;
    } files[] = {{stl_tetrahedron, strlen(stl_tetrahedron)}, {plain.bytes, plain.size}, {liar.bytes, liar.size}};
    for (int i = 0; i < 3; ++i) {
        mote_mesh *mesh;
        mote_mesh_report report;
        mote_error error;
        CHECK(mote_import_stl(NULL, "file", files[i].data, files[i].size, &mesh, &error) == MOTE_OK, "%s", error.text);
        CHECK_OK(mote_mesh_examine(mesh, &report, &error));
        CHECK(report.closed && mesh->vertex_count == 4 && mesh->triangle_count == 4, "file %d", i);
        CHECK(fabs(mote_mesh_volume(mesh) - 1.0 / 6) < 1e-12, "file %d", i);
        mote_mesh_destroy(mesh);
    }
}

static void stl_faults_are_named(void **state)
{
    (void)state;
    const bad_text cases[] = {
        {"", "file: 0 bytes, expected a text that begins with solid, or at least 84 bytes"},
        {"solid\nendsolid\n", "file: there is no triangle in it, expected at least one"},
        {"solid\n", "file:2: keyword is end of file, expected facet or endsolid"},
        {"solid\nfacet normal 0 0\n", "file:2: normal is end of line, expected a finite number"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
         "file:6: keyword is \"endloop\", expected vertex"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e39999\n",
         "file:4: coordinate is \"1e39999\", expected a finite number"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0 0\n", "file:4: keyword is \"0\", expected vertex"},
        {"solid\nendsolid\nmore\n", "file:3: keyword is \"more\", expected solid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        expect_error(mote_import_stl, cases[i].text, strlen(cases[i].text), cases[i].error);

    memory_file made = binary_stl("solid, but cut");
    expect_error(mote_import_stl, made.bytes, made.size - 1,
                 "file: 283 bytes, expected 284 for the 4 triangles that byte 80 announces");
    made.bytes[83] = 0xFF;
    expect_error(mote_import_stl, made.bytes, made.size,
                 "file: 284 bytes, expected 213909504284 for the 4278190084 triangles that byte 80 announces");
    made = binary_stl("");
    memset(made.bytes + 84 + 50 + 12 + 16, 0xFF, 4);
    expect_error(mote_import_stl, made.bytes, made.size,
                 "file: triangle 1 (byte 162): y of corner 1 is infinite or not a number, expected a finite number");
}

// -------------------------------------------------------------------------------------------------------- fuzz

// Changes, inserts or deletes a few bytes, or cuts the file. What is read then must be a valid mesh.
static void fuzz(reader *read, const void *data, size_t size, uint64_t seed)
{
    mote_random random = {seed};
    const int rounds = SANITIZED ? 2000 : 10000;
    static const char likely[] = "0123456789-+.eE/ \n\\#vfn\t\r";
    int good = 0;
    for (int i = 0; i < rounds; ++i) {
        size_t length = size;
        unsigned char *bytes = malloc(size + 8);
        memcpy(bytes, data, size);
        for (uint32_t k = mote_random_below(&random, 4) + 1; k > 0 && length > 0; --k) {
            size_t at = mote_random_below(&random, (uint32_t)length);
            uint32_t kind = mote_random_below(&random, 5);
            unsigned char byte = kind == 0 ? (unsigned char)mote_random_below(&random, 256)
                                           : (unsigned char)likely[mote_random_below(&random, sizeof likely - 1)];
            if (kind <= 1) bytes[at] = byte;
            if (kind == 2) memmove(bytes + at + 1, bytes + at, length++ - at), bytes[at] = byte;
            if (kind == 3) memmove(bytes + at, bytes + at + 1, --length - at);
            if (kind == 4 && mote_random_below(&random, 4) == 0) length = at;
        }
        // A block of its own size, so that the sanitizer sees the first byte beyond.
        unsigned char *exact = malloc(length ? length : 1);
        memcpy(exact, bytes, length);
        mote_mesh *mesh = NULL;
        mote_error error = {0};
        mote_result result = read(NULL, "fuzzed", exact, length, &mesh, &error);
        CHECK(result == MOTE_OK || result == MOTE_ERROR_FORMAT, "round %d: %s", i, mote_result_name(result));
        if (result == MOTE_OK) {
            ++good;
            for (size_t t = 0; t < 3 * mesh->triangle_count; ++t) assert_true(mesh->triangles[t] < mesh->vertex_count);
            for (size_t v = 0; v < mesh->vertex_count; ++v) assert_true(isfinite(mesh->vertices[v].x));
            mote_mesh_destroy(mesh);
        } else {
            CHECK(strncmp(error.text, "fuzzed", 6) == 0 && !strchr(error.text, '\n'), "round %d: \"%s\"", i,
                  error.text);
            CHECK(strstr(error.text, "expected") || strstr(error.text, "do not fit"), "round %d: \"%s\"", i,
                  error.text);
        }
        free(exact);
        free(bytes);
    }
    CHECK(good > 0 && good < rounds, "%d of %d files were read", good, rounds);
}

static void damaged_obj_files(void **state)
{
    (void)state;
    const char text[] = "# cube\nmtllib a.mtl\nv 0 0 0\nv 1.25 0 0\nv 1 1e0 0\nv 0 1 0 1\nvt 0 0\nvn 0 0 1\n"
                        "f 1/1/1 2/1/1 3/1/1\nf 1 -2 \\\n -1\nf 1//1 2//1 3//1 4//1\n";
    fuzz(mote_import_obj, text, strlen(text), 1);
}

static void damaged_ply_files(void **state)
{
    (void)state;
    const char text[] = PLY_ASCII "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    fuzz(mote_import_ply, text, strlen(text), 2);
    memory_file little = binary_ply(false), big = binary_ply(true);
    fuzz(mote_import_ply, little.bytes, little.size, 3);
    fuzz(mote_import_ply, big.bytes, big.size, 4);
}

static void damaged_stl_files(void **state)
{
    (void)state;
    memory_file binary = binary_stl("fuzz me");
    fuzz(mote_import_stl, stl_tetrahedron, strlen(stl_tetrahedron), 5);
    fuzz(mote_import_stl, binary.bytes, binary.size, 6);
}

static mote_result read_each(mote_context *context, void *data)
{
    (void)data;
    memory_file binary = binary_stl(""), ply = binary_ply(true);
    const char obj[] = OBJ_VERTICES "f 1 2 3\n";
    mote_mesh *mesh;
    mote_result result = mote_import_stl(context, "file", binary.bytes, binary.size, &mesh, NULL);
    if (result != MOTE_OK) return result;
    mote_mesh_destroy(mesh);
    result = mote_import_ply(context, "file", ply.bytes, ply.size, &mesh, NULL);
    if (result != MOTE_OK) return result;
    mote_mesh_destroy(mesh);
    result = mote_import_obj(context, "file", obj, strlen(obj), &mesh, NULL);
    if (result == MOTE_OK) mote_mesh_destroy(mesh);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(read_each, NULL);
}

// ------------------------------------------------------------------------------------------------------- files

static void write_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream, "%s", path);
    fputs(text, stream);
    fclose(stream);
}

static void files_are_found_and_read(void **state)
{
    (void)state;
    char path[1024], folder[] = "/tmp/mote-test-XXXXXX", other[] = "/tmp/mote-test-XXXXXX", list[256];
    assert_non_null(mkdtemp(folder));
    assert_non_null(mkdtemp(other));
    snprintf(path, sizeof path, "%s/in-folder.OBJ", folder);
    write_file(path, OBJ_VERTICES "f 1 2 3\n");
    snprintf(path, sizeof path, "%s/in-path.obj", other);
    write_file(path, OBJ_VERTICES "f 1 2 5\n");
    snprintf(list, sizeof list, "/nowhere::%s", other);
    setenv("MOTE_MESH_PATH", list, 1);

    mote_mesh *mesh;
    mote_error error;
    CHECK_OK(mote_import_find("in-folder.OBJ", folder, path, sizeof path, &error));
    CHECK_OK(mote_import_mesh(NULL, path, &mesh, &error));
    assert_int_equal(mesh->triangle_count, 1);
    mote_mesh_destroy(mesh);
    char absolute[1024];
    CHECK_OK(mote_import_find(path, "/nowhere", absolute, sizeof absolute, &error));
    assert_string_equal(absolute, path);
    remove(path);

    CHECK_OK(mote_import_find("in-path.obj", folder, path, sizeof path, &error));
    assert_int_equal(mote_import_mesh(NULL, path, &mesh, &error), MOTE_ERROR_FORMAT);
    char expected[1200];
    snprintf(expected, sizeof expected, "%s:4: f: vertex of \"5\" is out of range, expected 1 ... 3, or -1 ... -3",
             path);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 7);
    remove(path);

    assert_int_equal(mote_import_mesh(NULL, path, &mesh, &error), MOTE_ERROR_FILE);
    assert_non_null(strstr(error.text, "there is no such file"));
    assert_int_equal(mote_import_mesh(NULL, "mesh.off", &mesh, &error), MOTE_ERROR_FORMAT);
    assert_string_equal(error.text, "mesh.off: unknown kind of mesh, expected .obj, .ply, .stl or .vtp");
    snprintf(path, sizeof path, "%s.obj", folder);
    assert_int_equal(rename(folder, path), 0);
    assert_int_equal(mote_import_mesh(NULL, path, &mesh, &error), MOTE_ERROR_FILE);
    assert_non_null(strstr(error.text, "it is a folder"));
    remove(path);
    remove(other);
}

static void hear_share(void *user_data, double share)
{
    double *shares = user_data;  // how often, the last
    CHECK(share >= shares[1] && share <= 1, "%g after %g", share, shares[1]);
    shares[0] += 1;
    shares[1] = share;
}

// Shares grow to the end, and are not told for every line.
static void shares_of_long_files_are_told(void **state)
{
    (void)state;
    enum { TRIANGLES = 20000 };
    const char *const paths[] = {"long.obj", "long.ply", "long.stl"};
    FILE *files[3];
    for (int k = 0; k < 3; ++k) files[k] = fopen(paths[k], "wb");
    assert_true(files[0] && files[1] && files[2]);
    fprintf(files[1], "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
                      "property float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n",
            3 * TRIANGLES, TRIANGLES);
    fprintf(files[2], "solid\n");
    for (int t = 0; t < 3 * TRIANGLES; ++t) {
        const int x = t % 7, y = t % 11, z = t;
        fprintf(files[0], "v %d %d %d\n", x, y, z);
        fprintf(files[1], "%d %d %d\n", x, y, z);
        if (t % 3 == 0) fprintf(files[2], "facet normal 0 0 1\nouter loop\n");
        fprintf(files[2], "vertex %d %d %d\n", x, y, z);
        if (t % 3 == 2) fprintf(files[2], "endloop\nendfacet\n");
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        fprintf(files[0], "f %d %d %d\n", 3 * t + 1, 3 * t + 2, 3 * t + 3);
        fprintf(files[1], "3 %d %d %d\n", 3 * t, 3 * t + 1, 3 * t + 2);
    }
    fprintf(files[2], "endsolid\n");
    for (int k = 0; k < 3; ++k) {
        fclose(files[k]);
        double shares[2] = {0, 0};
        mote_mesh *mesh;
        CHECK_OK(mote_import_mesh_watched(NULL, paths[k], hear_share, shares, &mesh, NULL));
        CHECK(mesh->triangle_count == TRIANGLES && shares[0] > 100 && shares[0] < 300 && shares[1] > 0.98,
              "%s: %zu triangles, %g shares, the last %g", paths[k], mesh->triangle_count, shares[0], shares[1]);
        mote_mesh_destroy(mesh);
        remove(paths[k]);
    }
}

static void missing_file_says_where_it_was_looked_for(void **state)
{
    (void)state;
    char path[1024];
    mote_error error;
    setenv("MOTE_MESH_PATH", "/nowhere:/else", 1);
    assert_int_equal(mote_import_find("no.obj", "scenes", path, sizeof path, &error), MOTE_ERROR_FILE);
    assert_string_equal(error.text, "no.obj: not found; looked in scenes, /nowhere, /else, /usr/share/glmark2/models");
    assert_int_equal(mote_import_find("no/bunny.obj", NULL, path, sizeof path, &error), MOTE_ERROR_FILE);
    assert_non_null(strstr(error.text, "Debian's package glmark2-data has it"));
    assert_int_equal(mote_import_find("no.obj", NULL, path, 3, &error), MOTE_ERROR_FILE);
}

// PLY and OBJ give back the very same arrays; STL, whose triangles are welded, those of a mesh of floats whose vertices
// are all in use, in the order in which they are.
static void written_meshes_are_read_back(void **state)
{
    (void)state;
    static const char *const names[] = {"test_mesh.ply", "test_mesh.obj", "test_mesh.stl", "test_mesh.vtp"};
    enum { VERTICES = 300, TRIANGLES = 700 };
    mote_vec3 vertices[VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    mote_random random = {4};
    for (int kind = 0; kind < 4; ++kind) {
        for (uint32_t v = 0; v < VERTICES; ++v) {
            double at[3];
            for (int k = 0; k < 3; ++k) {
                at[k] = ldexp(mote_random_unit(&random) - 0.5, (int)mote_random_below(&random, 200) - 100);
                if (kind == 2) at[k] = (double)(float)at[k];
            }
            vertices[v] = (mote_vec3){at[0], at[1], at[2]};
        }
        for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
            triangles[i] = i < VERTICES ? i : mote_random_below(&random, VERTICES);
        const mote_mesh mesh = {vertices, triangles, VERTICES, TRIANGLES, NULL};
        mote_mesh *back;
        mote_error error = {0};
        CHECK(mote_mesh_write(NULL, names[kind], &mesh, &error) == MOTE_OK, "%s", error.text);
        CHECK(mote_import_mesh(NULL, names[kind], &back, &error) == MOTE_OK, "%s", error.text);
        assert_int_equal(back->vertex_count, VERTICES);
        assert_int_equal(back->triangle_count, TRIANGLES);
        assert_memory_equal(back->vertices, vertices, sizeof vertices);
        assert_memory_equal(back->triangles, triangles, sizeof triangles);
        mote_mesh_destroy(back);
        remove(names[kind]);
    }
}

static void bunny_is_read(void **state)
{
    (void)state;
    char path[1024];
    unsetenv("MOTE_MESH_PATH");
    if (mote_import_find("bunny.obj", NULL, path, sizeof path, NULL) != MOTE_OK) {
        print_message("bunny.obj is not there (Debian's package glmark2-data has it): skipped\n");
        skip();
    }
    mote_mesh *mesh;
    mote_error error;
    mote_mesh_report report;
    CHECK(mote_import_mesh(NULL, path, &mesh, &error) == MOTE_OK, "%s", error.text);
    CHECK_OK(mote_mesh_examine(mesh, &report, &error));
    assert_int_equal(mesh->triangle_count, 69666);
    assert_true(report.closed);
    assert_int_equal(report.components, 1);

    mote_mesh_samples samples;
    const double spacing = 0.08;
    CHECK_OK(mote_mesh_sample(mesh, spacing, 1, &samples, &error));
    double density = (double)samples.count * spacing * spacing / mote_mesh_area(mesh);
    print_message("bunny: %zu samples, density %.3f\n", samples.count, density);
    CHECK(fabs(density - 1) < 0.04, "density %g", density);
    mote_mesh_samples_release(&samples);
    mote_mesh_destroy(mesh);
}

// ------------------------------------------------------------------------------------------------------------- VTP

#define VTP(piece, cells)                                                                                          \
    "<VTKFile type='PolyData' byte_order='LittleEndian' header_type='UInt32'><PolyData>\n<Piece " piece "><Points>"  \
    "<DataArray type='Float32' NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>\n" \
    "<Polys>" cells "</Polys></Piece></PolyData></VTKFile>"
#define NUMBERS(name, type, format, numbers) \
    "<DataArray type='" type "' Name='" name "' format='" format "'>" numbers "</DataArray>"

static void polygons_of_vtp_are_read(void **state)
{
    (void)state;
    const char *good[] = {
        VTP("NumberOfPoints='4' NumberOfPolys='1'",
            NUMBERS("connectivity", "Int64", "ascii", "3 2 1 0") NUMBERS("offsets", "UInt8", "ascii", "4")),
        VTP("NumberOfPoints='4' NumberOfPolys='2'",  // 12 bytes: 3, 2, 1, then 3, 1, 0
            NUMBERS("connectivity", "UInt8", "binary", "BgAAAAMCAQMBAA==") NUMBERS("offsets", "Int32", "ascii", "3 6")),
        VTP("NumberOfPoints='4' NumberOfPolys='1'",  // a piece without polygons follows
            NUMBERS("connectivity", "Int64", "ascii", "3 2 1 0") NUMBERS("offsets", "Int64", "ascii", "4")
            "</Polys></Piece><Piece NumberOfPoints='0' NumberOfPolys='0'><Polys>"
            NUMBERS("connectivity", "Int64", "binary", "AAAAAA==") NUMBERS("offsets", "Int64", "binary", "AAAAAA=="))};
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
        mote_mesh *mesh = read_text(mote_import_vtp, good[k]);
        assert_int_equal(mesh->vertex_count, 4);
        assert_int_equal(mesh->triangle_count, 2);
        const uint32_t expected[6] = {3, 2, 1, 3, 1, 0};
        assert_memory_equal(mesh->triangles, expected, sizeof expected);
        mote_mesh_destroy(mesh);
    }
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 4") NUMBERS("offsets", "Int64", "ascii", "3")),
         "file:2: connectivity: polygon 0 has point 4, expected one of the 4 from 0 on"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",
             NUMBERS("connectivity", "Int8", "ascii", "0 -1 2") NUMBERS("offsets", "Int64", "ascii", "3")),
         "file:2: connectivity: polygon 0 has point -1, expected one of the 4 from 0 on"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",
             NUMBERS("connectivity", "UInt64", "ascii", "0 1 18446744073709551615")
                 NUMBERS("offsets", "Int64", "ascii", "3")),
         "file:2: connectivity: polygon 0 has point 18446744073709551615, expected one of the 4 from 0 on"},
        {VTP("NumberOfPoints='4' NumberOfPolys='2'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2 0 2") NUMBERS("offsets", "Int64", "ascii", "3 5")),
         "file:2: offsets: polygon 1 has 2 corners, expected at least 3"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2 3") NUMBERS("offsets", "Int64", "ascii", "3")),
         "file:2: connectivity has 4 corners, expected those of the polygons, which end at 3"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2 0 2 3") NUMBERS("offsets", "Int64", "ascii", "3\n6")),
         "file:4: offsets: more than the numbers of 1 polygons, expected those of 1"},
        {VTP("NumberOfPoints='4' NumberOfPolys='3'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2 0 2 3") NUMBERS("offsets", "Int64", "ascii", "3\n6\n")),
         "file:5: offsets: the numbers of 2 polygons, expected those of 3"},
        {VTP("NumberOfPoints='4'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2") NUMBERS("offsets", "Int64", "ascii", "3")),
         "file:2: Piece has Polys, expected its NumberOfPolys, too"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",  // it announces two bytes
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2 0 2 3")
                 NUMBERS("offsets", "UInt8", "binary", "AgAAAAM=")),
         "file:3: offsets: it holds another number of bytes than its polygons take"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'",
             NUMBERS("connectivity", "Int64", "ascii", "0 1 2") NUMBERS("offsets", "Int64", "ascii", "4")),
         "file:2: offsets: polygon 0 ends at corner 4, expected 0 to 3"},
        {VTP("NumberOfPoints='4' NumberOfPolys='1'", NUMBERS("connectivity", "Int64", "ascii", "0 1 2")),
         "file:2: NumberOfPolys is 1, expected the number of the offsets, which is 0"},
        {VTP("NumberOfPoints='4' NumberOfStrips='2' NumberOfPolys='0'", ""),
         "file:2: NumberOfStrips is 2, expected 0: polygons alone"},
        {VTP("NumberOfPoints='4' NumberOfPolys='0'", ""), "file: there is no triangle in it, expected at least one"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        expect_error(mote_import_vtp, bad[k].text, strlen(bad[k].text), bad[k].expected);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_correctly),
        cmocka_unit_test(not_every_word_is_a_number),
        cmocka_unit_test(obj_forms_of_faces),
        cmocka_unit_test(obj_faces_before_their_vertices),
        cmocka_unit_test(obj_faults_are_named),
        cmocka_unit_test(ply_text_in_any_order),
        cmocka_unit_test(ply_faults_are_named),
        cmocka_unit_test(ply_headers_of_many_names),
        cmocka_unit_test(ply_binary_of_both_orders),
        cmocka_unit_test(ply_binary_faults_are_named),
        cmocka_unit_test(stl_of_both_kinds_is_welded),
        cmocka_unit_test(stl_faults_are_named),
        cmocka_unit_test(damaged_obj_files),
        cmocka_unit_test(damaged_ply_files),
        cmocka_unit_test(damaged_stl_files),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(files_are_found_and_read),
        cmocka_unit_test(shares_of_long_files_are_told),
        cmocka_unit_test(missing_file_says_where_it_was_looked_for),
        cmocka_unit_test(written_meshes_are_read_back),
        cmocka_unit_test(polygons_of_vtp_are_read),
        cmocka_unit_test(bunny_is_read),
    };
    RUN_TESTS(tests, argc, argv);
}
