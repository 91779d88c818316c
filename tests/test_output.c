// SPDX-License-Identifier: MIT
// Output: what is written is read back by VTK's own reader and by libpng, to the last bit; and files appear whole or
// not at all.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <png.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mote/output.h"
#include "support/test.h"

enum { PATH = 512 };

// ------------------------------------------------------------------------------------------------ a folder a test

static int make_folder(void **state)
{
    char *folder = malloc(PATH);
    snprintf(folder, PATH, "%s/mote-output-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    *state = folder;
    return mkdtemp(folder) ? 0 : -1;
}

static size_t count_files(const char *folder, bool and_remove)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char path[2 * PATH];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (and_remove) remove(path);
        ++count;
    }
    if (listing) closedir(listing);
    return count;
}

static int remove_folder(void **state)
{
    count_files(*state, true);
    rmdir(*state);
    free(*state);
    return 0;
}

static const char *in_folder(void **state, const char *name, char path[PATH])
{
    int length = snprintf(path, PATH, "%s/%s", (const char *)*state, name);
    assert_in_range(length, 1, PATH - 1);
    return path;
}

static char *read_whole(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*bytes + 1);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    text[*bytes] = '\0';
    fclose(file);
    return text;
}

static void check_same_files(const char *a, const char *b)
{
    size_t a_bytes, b_bytes;
    char *a_text = read_whole(a, &a_bytes), *b_text = read_whole(b, &b_bytes);
    CHECK(a_bytes == b_bytes && memcmp(a_text, b_text, a_bytes) == 0, "%s and %s differ", a, b);
    free(a_text);
    free(b_text);
}

// ------------------------------------------------------------------------------------------------------------ VTP

// Particles as a simulation has them: positions and velocities as axes, an id, a density; all bits random.
typedef struct particles {
    size_t count;
    double *position[3];
    float *velocity[3];
    uint64_t *id;
    double *density;
    int8_t *kind;
} particles;

static particles make_particles(size_t count)
{
    mote_random random = {count};
    particles made = {.count = count};
    for (int k = 0; k < 3; ++k) made.position[k] = calloc(count + 1, sizeof(double));
    for (int k = 0; k < 3; ++k) made.velocity[k] = calloc(count + 1, sizeof(float));
    made.id = calloc(count + 1, sizeof(uint64_t));
    made.density = calloc(count + 1, sizeof(double));
    made.kind = calloc(count + 1, sizeof(int8_t));
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) made.position[k][i] = mote_random_gauss(&random);
        for (int k = 0; k < 3; ++k) made.velocity[k][i] = (float)mote_random_gauss(&random);
        made.id[i] = mote_random_next(&random);
        made.density[i] = 1000 * mote_random_unit(&random);
        made.kind[i] = (int8_t)(i % 256);
    }
    return made;
}

static void free_particles(particles *p)
{
    for (int k = 0; k < 3; ++k) free(p->position[k]), free(p->velocity[k]);
    free(p->id), free(p->density), free(p->kind);
}

enum { PARTICLE_ARRAYS = 4 };

static mote_vtp particles_as_vtp(const particles *p, mote_array arrays[PARTICLE_ARRAYS])
{
    arrays[0] = mote_array_scalars("id", MOTE_ARRAY_U64, p->id);
    arrays[1] = mote_array_axes("velocity", MOTE_ARRAY_F32, p->velocity[0], p->velocity[1], p->velocity[2]);
    arrays[2] = mote_array_scalars("density <&\">", MOTE_ARRAY_F64, p->density);
    arrays[3] = mote_array_scalars("kind", MOTE_ARRAY_I8, p->kind);
    mote_vtp data = {.arrays = arrays, .array_count = PARTICLE_ARRAYS, .time = 0.1};
    data.points = (mote_points){
        {p->position[0], p->position[1], p->position[2]}, sizeof(double), p->count, MOTE_F64, 3};
    return data;
}

// Has VTK read the file. False, with a message, where VTK is not installed.
static bool read_with_vtk(const char *path, char **text, char **binary, size_t *binary_bytes)
{
    char command[4 * PATH], name[2 * PATH];
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/support/read_vtp.py %s %s", MOTE_SOURCE_DIR, path,
             path);
    int status = system(command);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) {
        print_message("skipped: VTK's reader is missing (Debian package python3-vtk9)\n");
        return false;
    }
    CHECK(status == 0, "VTK does not read %s", path);
    size_t text_bytes;
    snprintf(name, sizeof name, "%s.txt", path);
    *text = read_whole(name, &text_bytes);
    snprintf(name, sizeof name, "%s.bin", path);
    *binary = read_whole(name, binary_bytes);
    return true;
}

static void check_bytes(const char **at, const void *expected, size_t bytes, const char *what)
{
    CHECK(memcmp(*at, expected, bytes) == 0, "%s is not what was written", what);
    *at += bytes;
}

static void check_axes(const char **at, const void *const axes[3], size_t bytes, size_t count, const char *what)
{
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) check_bytes(at, (const char *)axes[k] + i * bytes, bytes, what);
}

static void check_particles_through_vtk(void **state, size_t count)
{
    char path[PATH], expected[PATH], *text, *binary;
    size_t bytes;
    particles p = make_particles(count);
    mote_array arrays[PARTICLE_ARRAYS];
    mote_vtp data = particles_as_vtp(&p, arrays);
    CHECK_OK(mote_vtp_write(NULL, in_folder(state, "p.vtp", path), &data, NULL));
    if (!read_with_vtk(path, &text, &binary, &bytes)) {
        free_particles(&p);
        skip();
    }
    snprintf(expected, sizeof expected,
             "id u64 1 %zu\nvelocity f32 3 %zu\ndensity <&\"> f64 1 %zu\nkind i8 1 %zu\n"
             "Points f64 3 %zu\nverts %zu polys 0\ntime 0.1\n", count, count, count, count, count, count);
    assert_string_equal(text, expected);

    CHECK(bytes == count * (8 + 12 + 8 + 1 + 24 + 8) + (count ? (count + 1) * 8 : 0), "%zu bytes", bytes);
    const char *at = binary;
    check_bytes(&at, p.id, 8 * count, "id");
    check_axes(&at, (const void *const[]){p.velocity[0], p.velocity[1], p.velocity[2]}, 4, count, "velocity");
    check_bytes(&at, p.density, 8 * count, "density");
    check_bytes(&at, p.kind, count, "kind");
    check_axes(&at, (const void *const[]){p.position[0], p.position[1], p.position[2]}, 8, count, "points");
    for (uint64_t i = 0; i < count; ++i) check_bytes(&at, &i, 8, "connectivity");
    for (uint64_t i = 0; i < count + (count > 0); ++i) check_bytes(&at, &i, 8, "offsets");
    free(text), free(binary);
    free_particles(&p);
}

static void no_particles_through_vtk(void **state)
{
    check_particles_through_vtk(state, 0);
}

static void one_particle_through_vtk(void **state)
{
    check_particles_through_vtk(state, 1);
}

// A last block that is exactly full, and one with a single tuple.
static void block_bounds_through_vtk(void **state)
{
    check_particles_through_vtk(state, 16384);
    check_particles_through_vtk(state, 2 * 16384 + 1);
}

// More blocks than are in memory at a time.
static void many_particles_through_vtk(void **state)
{
    check_particles_through_vtk(state, SANITIZED ? 30000 : 300000);
}

static void triangles_through_vtk(void **state)
{
    const float xy[] = {0, 0, 1, 0, 0, 1, 1, 1};
    const float rest[] = {1, 2, 3, 4};
    const uint32_t triangles[] = {0, 1, 2, 2, 1, 3};
    mote_array array = mote_array_scalars("rest", MOTE_ARRAY_F32, rest);
    mote_vtp data = {.points = mote_points_xy(xy, 4), .arrays = &array, .array_count = 1, .triangles = triangles,
                     .triangle_count = 2, .time = NAN};
    char path[PATH], *text, *binary;
    size_t bytes;
    CHECK_OK(mote_vtp_write(NULL, in_folder(state, "t.vtp", path), &data, NULL));
    if (!read_with_vtk(path, &text, &binary, &bytes)) skip();
    assert_string_equal(text, "rest f32 1 4\nPoints f32 3 4\nverts 0 polys 2\n");
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const uint64_t cells[] = {0, 1, 2, 2, 1, 3, 0, 3, 6};
    const char *at = binary;
    check_bytes(&at, rest, sizeof rest, "rest");
    check_bytes(&at, points, sizeof points, "points");
    check_bytes(&at, cells, sizeof cells, "cells");
    assert_int_equal(at - binary, bytes);
    free(text), free(binary);
}

static void quads_and_cell_arrays_through_vtk(void **state)
{
    const float xy[] = {0, 0, 1, 0, 1, 1, 0, 1, 2, 0, 2, 1};
    const uint32_t quads[] = {0, 1, 2, 3, 1, 4, 5, 2};
    const int32_t classes[] = {-3, 7};
    mote_array array = mote_array_scalars("class", MOTE_ARRAY_I32, classes);
    mote_vtp data = {.points = mote_points_xy(xy, 6), .quads = quads, .quad_count = 2, .cell_arrays = &array,
                     .cell_array_count = 1, .time = NAN};
    char path[PATH], *text, *binary;
    size_t bytes;
    CHECK_OK(mote_vtp_write(NULL, in_folder(state, "q.vtp", path), &data, NULL));
    if (!read_with_vtk(path, &text, &binary, &bytes)) skip();
    assert_string_equal(text, "Points f32 3 6\nclass i32 1 2\nverts 0 polys 2\n");
    const float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0, 2, 1, 0};
    const uint64_t cells[] = {0, 1, 2, 3, 1, 4, 5, 2, 0, 4, 8};
    const char *at = binary;
    check_bytes(&at, points, sizeof points, "points");
    check_bytes(&at, classes, sizeof classes, "classes");
    check_bytes(&at, cells, sizeof cells, "cells");
    assert_int_equal(at - binary, bytes);
    free(text), free(binary);
}

static void same_bytes_for_any_threads(void **state)
{
    particles p = make_particles(50000);
    mote_array arrays[PARTICLE_ARRAYS];
    mote_vtp data = particles_as_vtp(&p, arrays);
    char one[PATH], many[PATH];
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        mote_context *context = test_context_with_threads(threads);
        CHECK_OK(mote_vtp_write(context, in_folder(state, threads == 1 ? "1.vtp" : "n.vtp", many), &data, NULL));
        mote_context_destroy(context);
        if (threads > 1) check_same_files(in_folder(state, "1.vtp", one), many);
    }
    free_particles(&p);
}

static void bad_arrays_are_refused(void **state)
{
    char path[PATH];
    mote_error error;
    const float xyz[] = {0, 0, 0};
    const uint32_t triangle[] = {0, 0, 1};
    in_folder(state, "bad.vtp", path);
    mote_vtp data = {.points = mote_points_xyz(xyz, 1), .triangles = triangle, .triangle_count = 1, .time = NAN};
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "triangle 0: index 1, expected below 1");

    mote_array array = mote_array_tuples("wide", MOTE_ARRAY_F32, xyz, 10);
    data = (mote_vtp){.points = mote_points_xyz(xyz, 1), .arrays = &array, .array_count = 1, .time = NAN};
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "array wide: 10 components, expected 1 to 9");

    data = (mote_vtp){.points = mote_points_xyz(xyz, 1), .quads = triangle, .quad_count = 1, .triangles = triangle,
                      .time = NAN};
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "both triangles and quads, expected one of them");
    data = (mote_vtp){.points = mote_points_xyz(xyz, 1), .lines = triangle + 1, .line_count = 1, .time = NAN};
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "line 0: index 1, expected below 1");
    data = (mote_vtp){.points = mote_points_xyz(xyz, 1), .arrays = &array, .array_count = 1, .time = NAN};

    array = mote_array_scalars("gone", MOTE_ARRAY_F32, NULL);
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "array gone: component[0] is NULL");
    assert_int_equal(count_files(*state, false), 0);
}

// ------------------------------------------------------------------------------------------------------ PVD, PLY

static void series_is_whole_after_every_file(void **state)
{
    char path[PATH];
    mote_series *series;
    size_t bytes;
    in_folder(state, "run.pvd", path);
    CHECK_OK(mote_series_create(NULL, path, &series, NULL));
    setlocale(LC_ALL, "de_DE.UTF-8");  // a comma, where that locale is installed
    const double times[] = {0, 0.1, 1.0 / 3, 1e-300};
    const char *const printed[] = {"0", "0.1", "0.3333333333333333", "1e-300"};
    char expected[2000] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
    for (int i = 0; i < 4; ++i) {
        char name[32];
        snprintf(name, sizeof name, "a&b_%04d.vtp", i);
        CHECK_OK(mote_series_add(series, times[i], name, NULL));
        size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length,
                 "    <DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"a&amp;b_%04d.vtp\"/>\n", printed[i], i);
        char whole[2100];
        snprintf(whole, sizeof whole, "%s  </Collection>\n</VTKFile>\n", expected);
        char *text = read_whole(path, &bytes);
        assert_string_equal(text, whole);
        free(text);
    }
    setlocale(LC_ALL, "C");
    assert_int_equal(mote_series_add(series, NAN, "x.vtp", NULL), MOTE_ERROR_ARGUMENT);
    assert_int_equal(count_files(*state, false), 1);
    mote_series_destroy(series);
}

// A run of very many frames may not write its list of them again and again: what is written in all stays within a
// multiple of the list, which is whole at any moment and complete once it is flushed.
static void long_series_costs_its_length(void **state)
{
    enum { FILES = 4000 };
    char path[PATH];
    mote_series *series;
    struct stat status;
    in_folder(state, "long.pvd", path);
    CHECK_OK(mote_series_create(NULL, path, &series, NULL));
    size_t written = 0, named = 0, last_bytes = 0;
    for (size_t n = 1; n <= FILES; ++n) {
        CHECK_OK(mote_series_add(series, (double)n, "a.vtp", NULL));
        assert_int_equal(stat(path, &status), 0);
        if ((size_t)status.st_size == last_bytes) continue;
        last_bytes = (size_t)status.st_size;
        written += last_bytes;
        named = n;
        CHECK(n - named <= named / 64, "%zu files, but only %zu are named", n, named);
    }
    CHECK(written < 70 * last_bytes, "%zu bytes written for a list of %zu", written, last_bytes);
    CHECK_OK(mote_series_flush(series, NULL));
    size_t bytes, entries = 0;
    char *text = read_whole(path, &bytes);
    for (const char *at = text; (at = strstr(at, "<DataSet")); ++at) ++entries;
    assert_int_equal(entries, FILES);
    free(text);
    mote_series_destroy(series);
    assert_int_equal(mote_series_flush(NULL, NULL), MOTE_ERROR_ARGUMENT);
}

static void ply_is_as_specified(void **state)
{
    mote_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1.0 / 3}};
    uint32_t triangles[] = {0, 1, 2};
    mote_mesh mesh = {vertices, triangles, 3, 1, NULL};
    char path[PATH];
    size_t bytes;
    CHECK_OK(mote_ply_write(NULL, in_folder(state, "m.ply", path), &mesh, vertices, NULL));
    char *text = read_whole(path, &bytes);
    const char header[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
        "property double z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face 1\n"
        "property list uchar uint vertex_indices\nend_header\n";
    const size_t head = sizeof header - 1;
    assert_memory_equal(text, header, head);
    assert_int_equal(bytes, head + 3 * (24 + 12) + 13);
    const unsigned char third[] = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5, 0x3f, 0, 0, 0, 0, 0, 0, 0x80, 0x3f};
    assert_memory_equal(text + head + 2 * 36 + 16, third, sizeof third);
    const unsigned char face[] = {3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    assert_memory_equal(text + head + 3 * 36, face, sizeof face);
    free(text);
}

static void obj_is_as_specified(void **state)
{
    mote_vec3 vertices[] = {{0, -0.5, 1e-7}, {1e300, 0, 0}, {0.1, 1, 1.0 / 3}};
    uint32_t triangles[] = {0, 1, 2, 2, 1, 0};
    const mote_mesh mesh = {vertices, triangles, 3, 2, NULL};
    char path[PATH];
    size_t bytes;
    CHECK_OK(mote_mesh_write(NULL, in_folder(state, "m.Obj", path), &mesh, NULL));
    char *text = read_whole(path, &bytes);
    const char expected[] = "v 0 -0.5 1e-07\nv 1e+300 0 0\nv 0.1 1 0.3333333333333333\nf 1 2 3\nf 3 2 1\n"
                            "l 1 3\nl 3 2\n";
    const size_t without_lines = sizeof expected - 1 - strlen("l 1 3\nl 3 2\n");
    assert_int_equal(bytes, without_lines);
    assert_memory_equal(text, expected, bytes);
    free(text);
    const uint32_t lines[] = {0, 2, 2, 1};
    mote_mesh_data data = mote_mesh_data_default();
    data.mesh = &mesh;
    data.lines = lines;
    data.line_count = 2;
    CHECK_OK(mote_mesh_data_write(NULL, path, &data, NULL));
    text = read_whole(path, &bytes);
    assert_int_equal(bytes, sizeof expected - 1);
    assert_memory_equal(text, expected, bytes);
    free(text);
}

static void stl_is_as_specified(void **state)
{
    mote_vec3 vertices[] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 1e39, 0}};
    uint32_t triangles[] = {0, 1, 2, 1, 1, 2};
    mote_mesh mesh = {vertices, triangles, 3, 2, NULL};
    char path[PATH];
    size_t bytes;
    CHECK_OK(mote_stl_write(NULL, in_folder(state, "m.stl", path), &mesh, NULL));
    unsigned char *text = (unsigned char *)read_whole(path, &bytes);
    assert_int_equal(bytes, 84 + 2 * 50);
    assert_true(memcmp(text, "solid", 5) != 0);
    const unsigned char count[] = {2, 0, 0, 0}, one[] = {0, 0, 0x80, 0x3f}, two[] = {0, 0, 0, 0x40};
    assert_memory_equal(text + 80, count, 4);
    assert_memory_equal(text + 84 + 8, one, 4);  // the normal's z
    assert_memory_equal(text + 84 + 24, two, 4);  // the second corner's x
    assert_memory_equal(text + 84 + 40, one, 4);  // the third corner's y
    const unsigned char flat[12] = {0};  // the normal of a triangle without area
    assert_memory_equal(text + 84 + 50, flat, sizeof flat);
    free(text);
    mesh.vertex_count = 4;
    mote_error error = {0};
    assert_int_equal(mote_stl_write(NULL, path, &mesh, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(error.index, 3);
    assert_non_null(strstr(error.text, "vertex 3 is (0, 1e+39, 0), beyond what the floats of STL hold"));
    assert_int_equal(mote_mesh_write(NULL, "m.off", &mesh, &error), MOTE_ERROR_ARGUMENT);
    assert_string_equal(error.text, "m.off: unknown kind of mesh, expected .ply, .obj, .stl, .vtp or .glb");
    assert_true(mote_output_knows_mesh("A.STL") && !mote_output_knows_mesh("stl") && !mote_output_knows_mesh(NULL));
}

// A pyramid far from the origin, with all that belongs to a mesh.
typedef struct pyramid {
    mote_vec3 vertices[4], normals[4];
    uint32_t triangles[12];
    uint8_t colors[12];
    double heights[4];
    mote_array arrays[1];
    mote_mesh mesh;
    mote_mesh_data data;
} pyramid;

static void make_pyramid(pyramid *made)
{
    *made = (pyramid){.vertices = {{1e6, 0, 0}, {1e6 + 1, 0, 0}, {1e6, 1, 0}, {1e6, 0, 0.25}},
                      .normals = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
                      .colors = {255, 0, 188, 0, 0, 0, 1, 2, 3, 4, 5, 6},
                      .heights = {0, 0, 0, 0.25}};
    made->mesh = (mote_mesh){made->vertices, made->triangles, 4, 4, NULL};
    made->arrays[0] = mote_array_scalars("height", MOTE_ARRAY_F64, made->heights);
    made->data = mote_mesh_data_default();
    made->data.mesh = &made->mesh;
    made->data.normals = made->normals;
    made->data.colors = made->colors;
    made->data.arrays = made->arrays;
    made->data.array_count = 1;
}

// Runs the checker on the file. @return what it printed; NULL: there is no Python
static char *check_glb(void **state, const char *path)
{
    char command[4 * PATH], text_path[PATH];
    size_t bytes;
    if (access("/usr/bin/python3", X_OK) != 0) return NULL;
    in_folder(state, "glb.txt", text_path);
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/support/check_glb.py %s > %s", MOTE_SOURCE_DIR, path,
             text_path);
    CHECK(system(command) == 0, "%s fails", command);
    return read_whole(text_path, &bytes);
}

static void glb_is_as_specified(void **state)
{
    pyramid it;
    char path[PATH];
    make_pyramid(&it);
    in_folder(state, "m.glb", path);
    static const char positions[] = "4 4\n-0.5 -0.5 -0.125\n0.5 -0.5 -0.125\n-0.5 0.5 -0.125\n-0.5 -0.5 0.125\n";
    for (int kind = 0; kind < 4; ++kind) {
        it.data.normals = kind & 1 ? it.normals : NULL;
        it.data.colors = kind & 2 ? it.colors : NULL;
        CHECK_OK(mote_mesh_data_write(NULL, path, &it.data, NULL));
        char *text = check_glb(state, path), expected[512];
        snprintf(expected, sizeof expected, "translation 1000000.5 0.125 -0.5\n%s%s",
                 kind & 2 ? "color 65535 0 32957 65535\n" : "", positions);
        if (text) assert_string_equal(text, expected);
        free(text);
    }
    it.mesh.triangle_count = 0;
    CHECK_OK(mote_glb_write(NULL, path, &it.data, NULL));
    char *text = check_glb(state, path);
    if (text) assert_string_equal(text, "empty\n");
    free(text);
}

static void glb_takes_what_floats_hold(void **state)
{
    pyramid it;
    char path[PATH];
    mote_error error = {0};
    make_pyramid(&it);
    it.vertices[2].z = 1e300;
    assert_int_equal(mote_glb_write(NULL, in_folder(state, "m.glb", path), &it.data, &error), MOTE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "vertex 0 is (1e+06, 0, 0), beyond what the floats of glTF hold"));
    assert_int_equal(count_files(*state, false), 0);
}

// Every format takes the same data, and programs find all of them in the table.
static void all_formats_write_the_same_data(void **state)
{
    pyramid it;
    char path[PATH], name[32];
    make_pyramid(&it);
    size_t count = 0;
    for (const mote_mesh_format *format; (format = mote_mesh_format_at(count)); ++count) {
        snprintf(name, sizeof name, "all%s", format->ending);
        CHECK_OK(mote_mesh_data_write(NULL, in_folder(state, name, path), &it.data, NULL));
        assert_ptr_equal(mote_mesh_format_of(path), format);
        size_t bytes;
        char *text = read_whole(path, &bytes);
        if (format->has_arrays) assert_true(strstr(text, "Name=\"height\"") && strstr(text, "Name=\"Colors\""));
        if (format->has_colors && strcmp(format->ending, ".ply") == 0) assert_non_null(strstr(text, "uchar red"));
        free(text);
    }
    assert_int_equal(count, 5);
    it.mesh.triangle_count = it.mesh.vertex_count = 0;
    it.data.array_count = 0;
    for (size_t i = 0; i < count; ++i) {
        snprintf(name, sizeof name, "none%s", mote_mesh_format_at(i)->ending);
        CHECK_OK(mote_mesh_data_write(NULL, in_folder(state, name, path), &it.data, NULL));
    }
}

// ------------------------------------------------------------------------------------------------------------ PNG

static void png_is_read_back(void **state)
{
    enum { WIDTH = 257, HEIGHT = 31 };
    uint8_t rgb[3 * WIDTH * HEIGHT], back[3 * WIDTH * HEIGHT];
    char path[PATH], again[PATH];
    mote_random random = {1};
    for (size_t i = 0; i < sizeof rgb; ++i) rgb[i] = (uint8_t)mote_random_next(&random);
    CHECK_OK(mote_png_write(NULL, in_folder(state, "a.png", path), rgb, WIDTH, HEIGHT, NULL));
    CHECK_OK(mote_png_write(NULL, in_folder(state, "b.png", again), rgb, WIDTH, HEIGHT, NULL));
    check_same_files(path, again);

    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    image.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(rgb, back, sizeof rgb);
    assert_int_equal(mote_png_write(NULL, path, rgb, 0, 1, NULL), MOTE_ERROR_ARGUMENT);
}

// ---------------------------------------------------------------------------------------------------------- faults

static void folder_that_is_missing(void **state)
{
    char path[PATH];
    mote_error error;
    mote_series *series = NULL;
    const float xyz[] = {0, 0, 0};
    mote_vtp data = {.points = mote_points_xyz(xyz, 1), .time = NAN};
    in_folder(state, "missing/a.vtp", path);
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_FILE);
    CHECK(strstr(error.text, "missing/a.vtp: cannot be created: No such file or directory"), "%s", error.text);
    assert_int_equal(mote_png_write(NULL, path, (const uint8_t *)"abc", 1, 1, &error), MOTE_ERROR_FILE);
    assert_int_equal(mote_series_create(NULL, path, &series, &error), MOTE_ERROR_FILE);
    assert_null(series);
    assert_int_equal(count_files(*state, false), 0);
}

static void place_that_is_taken_by_a_folder(void **state)
{
    char path[PATH];
    mote_error error;
    in_folder(state, "taken.png", path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(mote_png_write(NULL, path, (const uint8_t *)"abc", 1, 1, &error), MOTE_ERROR_FILE);
    CHECK(strstr(error.text, "taken.png: cannot be created: Is a directory"), "%s", error.text);
    assert_int_equal(count_files(*state, false), 1);
}

static void full_disk_leaves_the_old_file(void **state)
{
    char path[PATH];
    size_t bytes;
    mote_error error;
    in_folder(state, "full.vtp", path);
    const float xyz[] = {0, 0, 0};
    mote_vtp data = {.points = mote_points_xyz(xyz, 1), .time = NAN};
    CHECK_OK(mote_vtp_write(NULL, path, &data, NULL));
    char *before = read_whole(path, &bytes);
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = (struct rlimit){65536, limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    particles p = make_particles(50000);
    mote_array arrays[PARTICLE_ARRAYS];
    data = particles_as_vtp(&p, arrays);
    assert_int_equal(mote_vtp_write(NULL, path, &data, &error), MOTE_ERROR_FILE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK(strstr(error.text, "full.vtp: cannot be written: File too large"), "%s", error.text);
    size_t after_bytes;
    char *after = read_whole(path, &after_bytes);
    CHECK(after_bytes == bytes && memcmp(before, after, bytes) == 0, "the old file has changed");
    assert_int_equal(count_files(*state, false), 1);
    free(before), free(after);
    free_particles(&p);
}

// A link under the temporary name, which somebody may have laid there: what it leads to stays as it is.
static void links_are_not_followed(void **state)
{
    char path[PATH], victim[PATH], partial[PATH];
    in_folder(state, "victim", victim);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    fputs("precious", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(symlink(victim, in_folder(state, "linked.png.partial", partial)), 0);
    in_folder(state, "linked.png", path);
    CHECK_OK(mote_png_write(NULL, path, (const uint8_t *)"abc", 1, 1, NULL));
    size_t bytes;
    char *text = read_whole(victim, &bytes);
    CHECK(bytes == 8 && memcmp(text, "precious", 8) == 0, "the victim was written to");
    free(text);
    assert_int_equal(access(partial, F_OK), -1);
    assert_int_equal(unlink(victim), 0);
}

// A pipe that has the name is written to, and still there afterwards; a device that is full tells so.
static void pipes_and_devices_are_written_to(void **state)
{
    char path[PATH];
    mote_error error;
    in_folder(state, "pipe.png", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reading = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reading >= 0);
    CHECK_OK(mote_png_write(NULL, path, (const uint8_t *)"abc", 1, 1, NULL));
    char bytes[8];
    assert_int_equal(read(reading, bytes, 8), 8);
    CHECK(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0, "no picture came through the pipe");
    close(reading);
    struct stat is;
    assert_int_equal(lstat(path, &is), 0);
    assert_true(S_ISFIFO(is.st_mode));
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(mote_png_write(NULL, "/dev/full", (const uint8_t *)"abc", 1, 1, &error), MOTE_ERROR_FILE);
    CHECK(strstr(error.text, "/dev/full: cannot be written: No space left on device"), "%s", error.text);
}

// Another process that writes to the same place takes the temporary name away: the first one's end is no success, and
// touches nothing.
static void of_two_writers_the_second_wins(void **state)
{
    char path[PATH], partial[PATH];
    mote_partial first, second;
    in_folder(state, "both", path), in_folder(state, "both.partial", partial);
    assert_true(mote_partial_open(path, partial, &first));
    fputs("first", first.stream);
    assert_true(mote_partial_open(path, partial, &second));
    fputs("second", second.stream);
    errno = 0;
    assert_false(mote_partial_close(&first, path, partial, true));
    assert_int_equal(errno, EBUSY);
    assert_true(mote_partial_close(&second, path, partial, true));
    size_t bytes;
    char *text = read_whole(path, &bytes);
    CHECK(bytes == 6 && memcmp(text, "second", 6) == 0, "%.6s", text);
    free(text);
}

static mote_result write_everything(mote_context *context, void *folder)
{
    char path[PATH];
    const float xyz[] = {0, 0, 0, 1, 1, 1};
    mote_vtp data = {.points = mote_points_xyz(xyz, 2), .time = 1};
    mote_series *series = NULL;
    void *state = folder;
    mote_result result = mote_vtp_write(context, in_folder(&state, "a.vtp", path), &data, NULL);
    if (result == MOTE_OK)
        result = mote_png_write(context, in_folder(&state, "a.png", path), (const uint8_t *)"abc", 1, 1, NULL);
    if (result == MOTE_OK) result = mote_series_create(context, in_folder(&state, "a.pvd", path), &series, NULL);
    for (int i = 0; i < 20 && result == MOTE_OK; ++i) result = mote_series_add(series, i, "a file of a series", NULL);
    mote_series_destroy(series);
    CHECK(count_files(folder, false) <= 3, "a temporary file is left");
    return result;
}

static void failing_allocations(void **state)
{
    test_failing_allocations(write_everything, *state);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particles_through_vtk),
        cmocka_unit_test(one_particle_through_vtk),
        cmocka_unit_test(block_bounds_through_vtk),
        cmocka_unit_test(many_particles_through_vtk),
        cmocka_unit_test(triangles_through_vtk),
        cmocka_unit_test(quads_and_cell_arrays_through_vtk),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(series_is_whole_after_every_file),
        cmocka_unit_test(long_series_costs_its_length),
        cmocka_unit_test(ply_is_as_specified),
        cmocka_unit_test(obj_is_as_specified),
        cmocka_unit_test(stl_is_as_specified),
        cmocka_unit_test(glb_is_as_specified),
        cmocka_unit_test(glb_takes_what_floats_hold),
        cmocka_unit_test(all_formats_write_the_same_data),
        cmocka_unit_test(png_is_read_back),
        cmocka_unit_test(folder_that_is_missing),
        cmocka_unit_test(place_that_is_taken_by_a_folder),
        cmocka_unit_test(full_disk_leaves_the_old_file),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(pipes_and_devices_are_written_to),
        cmocka_unit_test(of_two_writers_the_second_wins),
        cmocka_unit_test(failing_allocations),
    };
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
        tests[i].setup_func = make_folder;
        tests[i].teardown_func = remove_folder;
    }
    RUN_TESTS(tests, argc, argv);
}
