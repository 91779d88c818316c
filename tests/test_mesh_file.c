// SPDX-License-Identifier: MIT
// Meshes through mote-assimp: what comes of good files, and that bad files and bad programs cost one line.

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mesh_file.h"
#include "support/test.h"

static const char helper[] = MOTE_BINARY_DIR "/bin/mote-assimp";
static const app_mesh_reader usual = {helper, 60, 4096, NULL};

// Files of a test lie in a folder of its own.
static char folder[] = "/tmp/mote-test-XXXXXX", path[64];

static void put(const char *name, const void *data, size_t size, mode_t mode)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    CHECK(stream, "%s", path);
    CHECK(fwrite(data, 1, size, stream) == size, "%s", path);
    fclose(stream);
    CHECK(chmod(path, mode) == 0, "%s", path);
}

static void make_folder(void)
{
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    static const char *const names[] = {"program",        "mesh.off", "mesh.gltf", "mesh.dae", "mesh.fbx", "mesh.3mf",
                                        "mesh.unknown",   "mesh.stl", "data.bin",  "link.bin", "linked",   "pipe.bin",
                                        "below/inner.bin", "below"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

static void skip_without_assimp(void)
{
    if (access(helper, X_OK) == 0) return;
    print_message("%s is not there: built without Assimp\n", helper);
    skip();
}

// Reads `path`. Neither a child nor a file stays open, and an error is one line that begins with the path.
static mote_result read_file(const app_mesh_reader *reader, mote_mesh **mesh, mote_error *error)
{
    const int before = dup(0);
    *mesh = NULL;
    const mote_result result = app_mesh_read_by(NULL, path, reader, mesh, error);
    const int after = dup(0);
    assert_int_equal(after, before + 1);
    close(before);
    close(after);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child is left");
    if (result == MOTE_OK) {
        assert_non_null(*mesh);
        return result;
    }
    assert_null(*mesh);
    CHECK(strncmp(error->text, path, strlen(path)) == 0 && !strchr(error->text, '\n'), "'%s'", error->text);
    return result;
}

static void expect_error(const app_mesh_reader *reader, mote_result expected, const char *text)
{
    mote_mesh *mesh;
    mote_error error;
    const mote_result result = read_file(reader, &mesh, &error);
    CHECK(result == expected, "%s: '%s', expected '%s'", mote_result_name(result), error.text, text);
    CHECK(strstr(error.text, text), "'%s', expected '%s'", error.text, text);
}

static mote_mesh *expect_mesh(size_t triangles)
{
    mote_mesh *mesh;
    mote_error error;
    CHECK(read_file(&usual, &mesh, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(mesh->triangle_count, triangles);
    return mesh;
}

// ------------------------------------------------------------------------------------------------------- programs

static const char ply[] = "printf 'ply\\nformat ascii 1.0\\nelement vertex 3\\nproperty double x\\nproperty double y\\n"
                          "property double z\\nelement face 1\\nproperty list uchar uint vertex_indices\\n"
                          "end_header\\n0 0 0\\n1 0 0\\n0 1 0\\n'; ";

// Made of pieces of shell: whatever the program does, the answer is one line.
static void bad_programs_cost_one_line(void **state)
{
    (void)state;
    make_folder();
    static const struct {
        const char *script;
        double seconds;
        mote_result result;
        const char *text;
    } cases[] = {
        {"exec sleep 30", 0.2, MOTE_ERROR_FILE, "Assimp takes longer than 0.2 s to read it (MOTE_IMPORT_SECONDS)"},
        {"exec sleep 30 >&-", 0.2, MOTE_ERROR_FILE, "Assimp takes longer than 0.2 s"},
        {"printf x; exec sleep 30", 0.2, MOTE_ERROR_FILE, "Assimp takes longer than 0.2 s"},
        {"while :; do :; done", 0.2, MOTE_ERROR_FILE, "Assimp takes longer than 0.2 s"},
        {"kill -XCPU $$", 20, MOTE_ERROR_FILE, "Assimp takes longer than 20 s"},
        {"exec cat /dev/zero", 20, MOTE_ERROR_FILE, "Assimp takes more than 3 MB to read it (MOTE_IMPORT_MEGABYTES)"},
        {"exit 3", 20, MOTE_ERROR_FILE, "Assimp takes more than 3 MB"},
        {"kill -SEGV $$", 20, MOTE_ERROR_FORMAT, "Assimp crashed while it read it (signal 11)"},
        {"echo half; kill -ABRT $$", 20, MOTE_ERROR_FORMAT, "Assimp crashed while it read it (signal 6)"},
        {"kill -INT $$", 20, MOTE_ERROR_FILE, "reading it was interrupted"},
        {"exit 7", 20, MOTE_ERROR_FILE, "does not work (exit status 7)"},
        {"printf 'this\\nis\\twhy\\n\\n'; exit 1", 20, MOTE_ERROR_FORMAT, ": this is why"},
        {"exit 1", 20, MOTE_ERROR_FORMAT, ": it does not say why"},
        {"head -c 70000 /dev/zero | tr '\\0' x; exit 1", 20, MOTE_ERROR_FORMAT, ": xxxx"},
        {"", 20, MOTE_ERROR_FORMAT, "what mote-assimp makes of it is no mesh"},
        {"echo hello", 20, MOTE_ERROR_FORMAT, "what mote-assimp makes of it is no mesh"},
        {ply, 20, MOTE_ERROR_FORMAT, "what mote-assimp makes of it is no mesh"},
    };
    char program[64], script[512];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const int length = snprintf(script, sizeof script, "#!/bin/sh\n%s\n", cases[k].script);
        put("program", script, (size_t)length, 0700);
        memcpy(program, path, sizeof program);
        put("mesh.off", "OFF\n", 4, 0600);
        const app_mesh_reader reader = {program, cases[k].seconds, 3, NULL};
        expect_error(&reader, cases[k].result, cases[k].text);
    }
    const app_mesh_reader none = {"/nowhere/mote-assimp", 20, 3, NULL};
    expect_error(&none, MOTE_ERROR_FILE, "/nowhere/mote-assimp cannot be started: No such file or directory");
    remove_folder();
}

static void a_good_program_gives_a_mesh(void **state)
{
    (void)state;
    make_folder();
    char program[64], script[512];
    // Words as promised, and nothing on the other streams that are open here.
    const int length = snprintf(script, sizeof script,
                                "#!/bin/sh\n[ \"$1 $2\" = '3 8' ] && [ -f \"$3\" ] && ! read line || exit 9\n"
                                "echo noise >&2\n%sprintf '3 0 1 2\\n'\n", ply);
    put("program", script, (size_t)length, 0700);
    memcpy(program, path, sizeof program);
    put("mesh.off", "OFF\n", 4, 0600);
    const app_mesh_reader reader = {program, 2.5, 8, NULL};
    mote_mesh *mesh;
    mote_error error;
    CHECK(read_file(&reader, &mesh, &error) == MOTE_OK, "%s", error.text);
    assert_int_equal(mesh->triangle_count, 1);
    mote_mesh_destroy(mesh);
    remove_folder();
}

static int always(void)
{
    return 1;
}

static void waiting_can_be_interrupted(void **state)
{
    (void)state;
    make_folder();
    char program[64];
    static const char script[] = "#!/bin/sh\nexec sleep 30\n";
    put("program", script, strlen(script), 0700);
    memcpy(program, path, sizeof program);
    put("mesh.off", "OFF\n", 4, 0600);
    const app_mesh_reader reader = {program, 20, 8, always};
    expect_error(&reader, MOTE_ERROR_FILE, "reading it was interrupted");
    remove_folder();
}

static void what_is_no_file_is_not_read(void **state)
{
    (void)state;
    make_folder();
    put("mesh.off", "OFF\n", 4, 0000);
    if (access(path, R_OK) != 0) expect_error(&usual, MOTE_ERROR_FILE, "reading it is not permitted");
    remove(path);
    expect_error(&usual, MOTE_ERROR_FILE, "there is no such file");
    snprintf(path, sizeof path, "%s", folder);
    expect_error(&usual, MOTE_ERROR_FILE, "it is a folder, expected a file");
    snprintf(path, sizeof path, "%s/mesh.off", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_error(&usual, MOTE_ERROR_FILE, "it is no ordinary file");
    remove_folder();
}

// --------------------------------------------------------------------------------------------------------- kinds

static void expect_box(const mote_mesh *mesh, mote_box expected)
{
    const mote_box box = mote_mesh_box(mesh);
    const double found[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    const double right[6] = {expected.min.x, expected.min.y, expected.min.z,
                             expected.max.x, expected.max.y, expected.max.z};
    for (int k = 0; k < 6; ++k) CHECK(fabs(found[k] - right[k]) < 1e-6, "%d: %g, expected %g", k, found[k], right[k]);
}

static void expect_closed(const mote_mesh *mesh, double volume)
{
    mote_mesh_report report;
    CHECK_OK(mote_mesh_examine(mesh, &report, NULL));
    CHECK(report.closed && fabs(mote_mesh_volume(mesh) - volume) < 1e-6, "volume %g", mote_mesh_volume(mesh));
}

// A house: two pentagons and five squares.
static const char house_off[] = "OFF\n10 7 0\n0 0 0\n1 0 0\n1 1 0\n0.5 1.5 0\n0 1 0\n"
                                "0 0 1\n1 0 1\n1 1 1\n0.5 1.5 1\n0 1 1\n"
                                "5 4 3 2 1 0\n5 5 6 7 8 9\n4 0 1 6 5\n4 1 2 7 6\n4 2 3 8 7\n4 3 4 9 8\n4 4 0 5 9\n";

static void off_files_are_read(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    put("mesh.off", house_off, strlen(house_off), 0600);
    mote_mesh *mesh = expect_mesh(16);
    assert_int_equal(mesh->vertex_count, 10);
    expect_closed(mesh, 1.25);
    mote_mesh_destroy(mesh);
    remove_folder();
}

static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint16_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void write_base64(const unsigned char *bytes, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3, text += 4) {  // a multiple of three
        const uint32_t bits = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; ++k) text[k] = digits[bits >> (18 - 6 * k) & 63];
    }
    *text = '\0';
}

enum { GLTF_BYTES = 72 };

static void make_gltf_bytes(unsigned char bytes[GLTF_BYTES])
{
    memcpy(bytes, corners, sizeof corners);
    memcpy(bytes + sizeof corners, tetrahedron, sizeof tetrahedron);
}

// A tetrahedron shown twice, by nodes below one that is moved: twice as large, and mirrored; its edges as lines, too.
// @param uri   where its numbers are; NULL: in the text itself
static size_t make_gltf_of(const char *uri, char *text, size_t size)
{
    static const char inside[] = "data:application/octet-stream;base64,";
    unsigned char bytes[GLTF_BYTES];
    char base64[97] = "";
    make_gltf_bytes(bytes);
    if (!uri) write_base64(bytes, sizeof bytes, base64);
    const int length = snprintf(
        text, size,
        "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],\n"
        " \"nodes\": [{\"translation\": [1, 2, 3], \"children\": [1, 2]}, {\"mesh\": 0, \"scale\": [2, 2, 2]},\n"
        "           {\"mesh\": 0, \"scale\": [-1, 1, 1], \"translation\": [-1, 0, 0]}],\n"
        " \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1},\n"
        "                             {\"attributes\": {\"POSITION\": 0}, \"mode\": 1}]}],\n"
        " \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\",\n"
        "                \"min\": [0, 0, 0], \"max\": [1, 1, 1]},\n"
        "               {\"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\"}],\n"
        " \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48},\n"
        "                 {\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 24}],\n"
        " \"buffers\": [{\"byteLength\": 72, \"uri\": \"%s%s\"}]}\n",
        uri ? uri : inside, base64);
    CHECK(length > 0 && (size_t)length < size, "%d", length);
    return (size_t)length;
}

static size_t make_gltf(char *text, size_t size)
{
    return make_gltf_of(NULL, text, size);
}

static void gltf_nodes_are_placed_and_joined(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    char text[2048];
    put("mesh.gltf", text, make_gltf(text, sizeof text), 0600);
    mote_mesh *mesh = expect_mesh(8);
    assert_int_equal(mesh->vertex_count, 8);
    expect_box(mesh, (mote_box){{-1, 2, 3}, {3, 4, 5}});
    expect_closed(mesh, 1.5);  // the mirrored one faces outwards, too
    mote_mesh_destroy(mesh);
    remove_folder();
}

// What a mesh names further is read where it lies in the mesh's own folder or below, as a regular file, and nothing
// else is: whoever wrote the file could name any on the machine. No pipe is waited for.
static void files_beside_a_mesh_are_read_and_no_others(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    unsigned char bytes[GLTF_BYTES];
    char text[2048], uri[256], other[256];
    make_gltf_bytes(bytes);
    snprintf(other, sizeof other, "%s/below", folder);
    assert_int_equal(mkdir(other, 0700), 0);
    put("below/inner.bin", bytes, sizeof bytes, 0600);
    put("data.bin", bytes, sizeof bytes, 0600);
    snprintf(other, sizeof other, "%s/link.bin", folder);
    assert_int_equal(symlink("data.bin", other), 0);
    snprintf(other, sizeof other, "%s/linked", folder);
    assert_int_equal(symlink("below", other), 0);
    snprintf(other, sizeof other, "%s/pipe.bin", folder);
    assert_int_equal(mkfifo(other, 0600), 0);

    static const char *const good[] = {"data.bin", "below/inner.bin", "./data.bin"};
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
        put("mesh.gltf", text, make_gltf_of(good[k], text, sizeof text), 0600);
        mote_mesh *mesh = expect_mesh(8);
        expect_box(mesh, (mote_box){{-1, 2, 3}, {3, 4, 5}});
        mote_mesh_destroy(mesh);
    }
    // (Assimp itself then looks for a file of that name beside the mesh: so none has one.)
    static const char *const bad[] = {"link.bin", "linked/inner.bin", "pipe.bin", "below", "missing.bin",
                                      "../%s/below/inner.bin", "%s/below/inner.bin", "/etc/hostname",
                                      "../../../../../../../../etc/hostname"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const char *base = strrchr(folder, '/') + 1, *by = k == 5 ? base : folder;
        const char *slot = strstr(bad[k], "%s");
        if (slot) snprintf(uri, sizeof uri, "%.*s%s%s", (int)(slot - bad[k]), bad[k], by, slot + 2);
        else snprintf(uri, sizeof uri, "%s", bad[k]);
        put("mesh.gltf", text, make_gltf_of(uri, text, sizeof text), 0600);
        expect_error(&usual, MOTE_ERROR_FORMAT, "could not open referenced file");
    }
    remove_folder();
}

// In centimetres, z up: metres, y up.
static const char collada[] =
    "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
    "<asset><unit name=\"centimeter\" meter=\"0.01\"/><up_axis>Z_UP</up_axis></asset>\n"
    "<library_geometries><geometry id=\"g\"><mesh>\n"
    "<source id=\"p\"><float_array id=\"a\" count=\"12\">0 0 0 100 0 0 0 200 0 0 0 300</float_array>\n"
    "<technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/>\n"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\n"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>\n"
    "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>\n</mesh></geometry></library_geometries>\n"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><translate>1000 0 0</translate>\n"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";

static void collada_comes_in_metres_y_up(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    put("mesh.dae", collada, strlen(collada), 0600);
    mote_mesh *mesh = expect_mesh(4);
    expect_box(mesh, (mote_box){{10, 0, -2}, {11, 3, 0}});
    expect_closed(mesh, 1);
    mote_mesh_destroy(mesh);
    remove_folder();
}

// A tetrahedron in metres, z up, which its node moves.
static const char fbx[] =
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
    "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",2\n"
    "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n\t}\n}\n"
    "Objects:  {\n\tGeometry: 1, \"Geometry::\", \"Mesh\" {\n\t\tVertices: *12 {\n\t\t\ta: 0,0,0,1,0,0,0,2,0,0,0,3\n"
    "\t\t}\n\t\tPolygonVertexIndex: *12 {\n\t\t\ta: 0,2,-2,0,1,-4,0,3,-3,1,2,-4\n\t\t}\n\t}\n"
    "\tModel: 2, \"Model::\", \"Mesh\" {\n\t\tProperties70:  {\n"
    "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,0,0\n\t\t}\n\t}\n}\n"
    "Connections:  {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n}\n";

static void fbx_keeps_its_units_and_axes(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    put("mesh.fbx", fbx, strlen(fbx), 0600);
    mote_mesh *mesh = expect_mesh(4);
    expect_box(mesh, (mote_box){{10, 0, 0}, {11, 2, 3}});
    expect_closed(mesh, 1);
    mote_mesh_destroy(mesh);
    remove_folder();
}

// A ZIP archive: files as they are, and then where they lie.
typedef struct archive {
    unsigned char bytes[4096], directory[1024];
    size_t size, directory_size;
    unsigned int count;
} archive;

// Lowest byte first.
static void put_numbers(unsigned char *to, size_t *size, const uint32_t (*numbers)[2], size_t count)
{
    for (size_t k = 0; k < count; ++k)
        for (uint32_t byte = 0; byte < numbers[k][1]; ++byte)
            to[(*size)++] = (unsigned char)(numbers[k][0] >> 8 * byte);
}

static uint32_t checksum_of(const char *text)
{
    uint32_t sum = UINT32_MAX;
    for (; *text; ++text) {
        sum ^= (unsigned char)*text;
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return ~sum;
}

static void add_file(archive *a, const char *name, const char *text)
{
    const uint32_t sum = checksum_of(text), size = (uint32_t)strlen(text), length = (uint32_t)strlen(name);
    const uint32_t at = (uint32_t)a->size, day = 0x21;  // the first that there is
    const uint32_t local[][2] = {{0x04034b50, 4}, {20, 2}, {0, 4}, {0, 2}, {day, 2}, {sum, 4}, {size, 4}, {size, 4},
                                 {length, 2},     {0, 2}};
    const uint32_t entry[][2] = {{0x02014b50, 4}, {20, 2}, {20, 2},     {0, 4}, {0, 2}, {day, 2}, {sum, 4}, {size, 4},
                                 {size, 4},       {length, 2}, {0, 4}, {0, 4}, {0, 4}, {at, 4}};
    assert_true(a->size + length + size + 100 < sizeof a->bytes);
    put_numbers(a->bytes, &a->size, local, sizeof local / sizeof *local);
    memcpy(a->bytes + a->size, name, length);
    memcpy(a->bytes + a->size + length, text, size);
    a->size += length + size;
    put_numbers(a->directory, &a->directory_size, entry, sizeof entry / sizeof *entry);
    memcpy(a->directory + a->directory_size, name, length);
    a->directory_size += length;
    ++a->count;
}

static void end_archive(archive *a)
{
    const uint32_t at = (uint32_t)a->size, size = (uint32_t)a->directory_size;
    const uint32_t end[][2] = {{0x06054b50, 4}, {0, 4}, {a->count, 2}, {a->count, 2}, {size, 4}, {at, 4}, {0, 2}};
    assert_true(a->size + a->directory_size + 100 < sizeof a->bytes);
    memcpy(a->bytes + a->size, a->directory, a->directory_size);
    a->size += a->directory_size;
    put_numbers(a->bytes, &a->size, end, sizeof end / sizeof *end);
}

// In millimetres: a tetrahedron, once as it is and once moved, both of them twice as large.
static void make_3mf(archive *a)
{
    *a = (archive){.size = 0};
    add_file(a, "[Content_Types].xml",
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
             "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
             "<Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>"
             "</Types>\n");
    add_file(a, "_rels/.rels",
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
             "Target=\"/3D/3dmodel.model\" Id=\"a\" "
             "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>\n");
    add_file(a, "3D/3dmodel.model",
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"millimeter\" "
             "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>\n"
             "<object id=\"1\" type=\"model\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/>"
             "<vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"2\" z=\"0\"/>"
             "<vertex x=\"0\" y=\"0\" z=\"3\"/></vertices><triangles>"
             "<triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" v3=\"3\"/>"
             "<triangle v1=\"0\" v2=\"3\" v3=\"2\"/><triangle v1=\"1\" v2=\"2\" v3=\"3\"/>"
             "</triangles></mesh></object>\n"
             "<object id=\"2\" type=\"model\"><components><component objectid=\"1\"/>"
             "<component objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 5 0 0\"/></components></object></resources>\n"
             "<build><item objectid=\"2\" transform=\"2 0 0 0 2 0 0 0 2 10 20 30\"/></build></model>\n");
    end_archive(a);
}

static void parts_of_3mf_files_are_placed(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    archive a;
    make_3mf(&a);
    put("mesh.3mf", a.bytes, a.size, 0600);
    mote_mesh *mesh = expect_mesh(8);
    expect_box(mesh, (mote_box){{10, 20, 30}, {22, 24, 36}});
    expect_closed(mesh, 16);
    mote_mesh_destroy(mesh);
    remove_folder();
}

// --------------------------------------------------------------------------------------------------- broken files

static void broken_files_are_refused(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    put("mesh.unknown", "what?", 5, 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "unknown kind of mesh, also to Assimp");
    put("mesh.off", "", 0, 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "Assimp refuses it: ");
    put("mesh.gltf", "{\"asset\": {", 11, 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "Assimp refuses it: ");
    put("mesh.dae", "<COLLADA", 8, 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "Assimp refuses it: ");
    static const char points[] = "OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n";
    put("mesh.off", points, strlen(points), 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "Assimp refuses it: ");
    put("mesh.fbx", "x", 1, 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "Assimp refuses it: ");
    put("mesh.3mf", "x", 1, 0600);
    expect_error(&usual, MOTE_ERROR_FORMAT, "Assimp refuses it: ");
    remove_folder();
}

// Forty nodes that each have the next one twice: a kilobyte that stands for 2^40 nodes. A line after a second, or as
// soon as the memory granted is used up.
static void nodes_without_end_cost_one_line(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, "
                                                        "\"scenes\": [{\"nodes\": [0]}], \"nodes\": [");
    for (int k = 1; k <= 40; ++k)
        length += (size_t)snprintf(text + length, sizeof text - length, "{\"children\": [%d, %d]}, ", k, k);
    length += (size_t)snprintf(text + length, sizeof text - length, "{}]}");
    put("mesh.gltf", text, length, 0600);
    const app_mesh_reader hasty = {helper, 1, 1024, NULL};
    mote_mesh *mesh;
    mote_error error;
    const mote_result result = read_file(&hasty, &mesh, &error);
    CHECK(result != MOTE_OK && error.text[0], "%s", mote_result_name(result));
    remove_folder();
}

// Cut short, and with bytes that chance has changed: a mesh or one line, in time.
static void damage(const char *name, const char *whole, size_t size, uint64_t seed)
{
    const app_mesh_reader hasty = {helper, SANITIZED ? 4 : 1, 1024, NULL};
    mote_random random = {seed};
    char *copy = malloc(size);
    for (int k = 0; k < (SANITIZED ? 6 : 24); ++k) {
        memcpy(copy, whole, size);
        const uint32_t length = k % 2 ? (uint32_t)size : mote_random_below(&random, (uint32_t)size);
        for (int change = 0; k % 2 && change < 1 + k / 6; ++change)
            copy[mote_random_below(&random, (uint32_t)size)] = (char)mote_random_below(&random, 256);
        put(name, copy, length, 0600);
        mote_mesh *mesh;
        mote_error error;
        if (read_file(&hasty, &mesh, &error) == MOTE_OK) mote_mesh_destroy(mesh);
    }
    free(copy);
}

static void damaged_files_bring_nothing_down(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    char text[2048];
    damage("mesh.off", house_off, strlen(house_off), 1);
    damage("mesh.gltf", text, make_gltf(text, sizeof text), 2);
    damage("mesh.dae", collada, strlen(collada), 3);
    damage("mesh.fbx", fbx, strlen(fbx), 4);
    archive a;
    make_3mf(&a);
    damage("mesh.3mf", (const char *)a.bytes, a.size, 5);
    remove_folder();
}

// A grid of triangles: more than the limits let through.
static void limits_hold(void **state)
{
    (void)state;
    skip_without_assimp();
    make_folder();
    enum { SIDE = 400 };
    char *text = malloc(SIDE * SIDE * 64), *at = text;
    at += sprintf(at, "OFF\n%d %d 0\n", SIDE * SIDE, 2 * (SIDE - 1) * (SIDE - 1));
    for (int i = 0; i < SIDE * SIDE; ++i) at += sprintf(at, "%d %d 0\n", i % SIDE, i / SIDE);
    for (int i = 0; i < SIDE * (SIDE - 1); ++i)
        if (i % SIDE < SIDE - 1)
            at += sprintf(at, "3 %d %d %d\n3 %d %d %d\n", i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE);
    put("mesh.off", text, (size_t)(at - text), 0600);
    free(text);
    const app_mesh_reader hasty = {helper, 0.001, 4096, NULL}, narrow = {helper, 60, 1, NULL};
    expect_error(&hasty, MOTE_ERROR_FILE, "Assimp takes longer than 0.001 s");
    expect_error(&narrow, MOTE_ERROR_FILE, "Assimp takes more than 1 MB");
    mote_mesh_destroy(expect_mesh(2 * (SIDE - 1) * (SIDE - 1)));
    remove_folder();
}

// --------------------------------------------------------------------------------------------------- any kind

static void own_readers_come_first(void **state)
{
    (void)state;
    make_folder();
    static const char stl[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                              "endloop\nendfacet\nendsolid a\n";
    mote_mesh *mesh = NULL;
    mote_error error;
    put("mesh.stl", stl, strlen(stl), 0600);
    CHECK_OK(app_mesh_read(NULL, path, NULL, &mesh, &error));
    mote_mesh_destroy(mesh);
    put("mesh.stl", stl, 60, 0600);
    assert_int_equal(app_mesh_read(NULL, path, NULL, &mesh, &error), MOTE_ERROR_FORMAT);
    put("mesh.off", "", 0, 0600);
    static const char *const bad[] = {"x", "-1", "0", "nan", "1e99", "5s"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        setenv("MOTE_IMPORT_SECONDS", bad[k], 1);
        assert_int_equal(app_mesh_read(NULL, path, NULL, &mesh, &error), MOTE_ERROR_ARGUMENT);
        CHECK(strncmp(error.text, "MOTE_IMPORT_SECONDS is ", 23) == 0, "%s", error.text);
    }
    unsetenv("MOTE_IMPORT_SECONDS");
    setenv("MOTE_IMPORT_MEGABYTES", "0.5", 1);
    assert_int_equal(app_mesh_read(NULL, path, NULL, &mesh, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strncmp(error.text, "MOTE_IMPORT_MEGABYTES is ", 25) == 0, "%s", error.text);
    unsetenv("MOTE_IMPORT_MEGABYTES");
    remove_folder();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_programs_cost_one_line),
        cmocka_unit_test(a_good_program_gives_a_mesh),
        cmocka_unit_test(waiting_can_be_interrupted),
        cmocka_unit_test(what_is_no_file_is_not_read),
        cmocka_unit_test(off_files_are_read),
        cmocka_unit_test(gltf_nodes_are_placed_and_joined),
        cmocka_unit_test(files_beside_a_mesh_are_read_and_no_others),
        cmocka_unit_test(collada_comes_in_metres_y_up),
        cmocka_unit_test(fbx_keeps_its_units_and_axes),
        cmocka_unit_test(parts_of_3mf_files_are_placed),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(nodes_without_end_cost_one_line),
        cmocka_unit_test(damaged_files_bring_nothing_down),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(own_readers_come_first),
    };
    RUN_TESTS(tests, argc, argv);
}
