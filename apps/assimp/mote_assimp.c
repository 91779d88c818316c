// SPDX-License-Identifier: MIT
// mote-assimp: a mesh file of any kind that Assimp reads, as a binary PLY file on standard output. Started by mote and
// mote-bench (mesh_file.c), which link no Assimp, for files that are not OBJ, PLY, STL or VTP.
// usage: mote-assimp SECONDS MEGABYTES FILE
// exit status: 0 the mesh is on standard output; 1 one line there says why there is none; 2 usage; 3 memory ran out
//
// It sets limits on itself before it reads the file, and gives up the right to open anything outside that file's
// folder. The mesh contains everything that the scene's nodes show, each with its transform: triangles are kept,
// Assimp cuts polygons into triangles, points and lines are left out. The pose is the one that the file stores,
// without animation. Vertices are in the file's axes as Assimp gives them.

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "sandbox.h"

enum { DONE = 0, REFUSED = 1, USAGE = 2, NO_MEMORY = 3 };

static int refuse(const char *why)
{
    printf("%s\n", why);
    return REFUSED;
}

static bool read_number(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value > 0 && *value <= most;
}

// -------------------------------------------------------------------------------------------------------- scene

// Row by row, without the last row, which is 0 0 0 1.
typedef struct transform {
    double m[3][4];
} transform;

static transform transform_of(const struct aiMatrix4x4 *a)
{
    return (transform){{{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4},
                        {(double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4},
                        {(double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}}};
}

static transform product(const transform *a, const transform *b)
{
    transform c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            c.m[i][j] = j == 3 ? a->m[i][3] : 0;
            for (int k = 0; k < 3; ++k) c.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    return c;
}

static bool is_mirror(const transform *t)
{
    const double(*m)[4] = t->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) < 0;
}

// The function that is called for each mesh that a node shows.
typedef const char *visitor(void *data, const struct aiMesh *mesh, const transform *place);

// NULL, or the reason why it ended.
static const char *visit(const struct aiScene *scene, const struct aiNode *node, const transform *above,
                         visitor *see, void *data)
{
    const transform own = transform_of(&node->mTransformation), place = product(above, &own);
    const char *fault = NULL;
    for (unsigned int k = 0; k < node->mNumMeshes && !fault; ++k) {
        if (node->mMeshes[k] >= scene->mNumMeshes) return "a node shows a mesh that is not there";
        fault = see(data, scene->mMeshes[node->mMeshes[k]], &place);
    }
    for (unsigned int k = 0; k < node->mNumChildren && !fault; ++k)
        fault = visit(scene, node->mChildren[k], &place, see, data);
    return fault;
}

static const char *visit_all(const struct aiScene *scene, visitor *see, void *data)
{
    const transform none = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    return scene->mRootNode ? visit(scene, scene->mRootNode, &none, see, data) : "there is nothing in it";
}

static void place_vertex(const transform *place, const struct aiVector3D *v, double p[3])
{
    for (int i = 0; i < 3; ++i) {
        const double *row = place->m[i];
        p[i] = row[0] * (double)v->x + row[1] * (double)v->y + row[2] * (double)v->z + row[3];
    }
}

// ------------------------------------------------------------------------------------------------------- checks

typedef struct totals {
    uint64_t vertices, triangles;
} totals;

static const char *count(void *data, const struct aiMesh *mesh, const transform *place)
{
    totals *all = data;
    if (!mesh->mVertices && mesh->mNumVertices > 0) return "a mesh in it has no vertices";
    all->vertices += mesh->mNumVertices;
    for (unsigned int v = 0; v < mesh->mNumVertices; ++v) {
        double p[3];
        place_vertex(place, &mesh->mVertices[v], p);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return "a vertex in it is infinite or not a number";
    }
    for (unsigned int f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices != 3) continue;
        ++all->triangles;
        for (int k = 0; k < 3; ++k)
            if (face->mIndices[k] >= mesh->mNumVertices) return "a triangle in it names a vertex that is not there";
    }
    // The largest number of triangles for which 32 bits can number the corners, three a triangle.
    return all->vertices < UINT32_MAX && all->triangles < UINT32_MAX / 3 ? NULL : "its mesh is too large";
}

// ---------------------------------------------------------------------------------------------------------- PLY

static const char *write_vertices(void *data, const struct aiMesh *mesh, const transform *place)
{
    (void)data;
    for (unsigned int v = 0; v < mesh->mNumVertices; ++v) {
        double p[3];
        place_vertex(place, &mesh->mVertices[v], p);
        if (fwrite(p, sizeof p, 1, stdout) != 1) return "";
    }
    return NULL;
}

static const char *write_triangles(void *data, const struct aiMesh *mesh, const transform *place)
{
    uint32_t *first = data;  // number of the mesh's first vertex
    // A mirroring transform turns triangles inside out; this is reversed.
    const int order[3] = {0, is_mirror(place) ? 2 : 1, is_mirror(place) ? 1 : 2};
    for (unsigned int f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices != 3) continue;
        uint32_t corners[3];
        for (int k = 0; k < 3; ++k) corners[k] = *first + face->mIndices[order[k]];
        if (putchar(3) == EOF || fwrite(corners, sizeof corners, 1, stdout) != 1) return "";
    }
    *first += mesh->mNumVertices;
    return NULL;
}

static int write_mesh(const struct aiScene *scene)
{
    totals all = {0, 0};
    const char *fault = visit_all(scene, count, &all);
    if (fault) return refuse(fault);
    if (all.triangles == 0) return refuse("there is no triangle in it");
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    printf("ply\nformat binary_%s_endian 1.0\nelement vertex %llu\nproperty double x\nproperty double y\n"
           "property double z\nelement face %llu\nproperty list uchar uint vertex_indices\nend_header\n",
           low ? "little" : "big", (unsigned long long)all.vertices, (unsigned long long)all.triangles);
    uint32_t first = 0;
    fault = visit_all(scene, write_vertices, NULL);
    if (!fault) fault = visit_all(scene, write_triangles, &first);
    return !fault && fflush(stdout) == 0 ? DONE : REFUSED;
}

// --------------------------------------------------------------------------------------------------------- main

static int fail_import(void)
{
    const char *why = aiGetErrorString();
    if (why && strstr(why, "bad_alloc")) return NO_MEMORY;
    printf("Assimp refuses it: %.300s\n", why && *why ? why : "no reason given");
    return REFUSED;
}

int main(int argc, char **argv)
{
    unsigned long long seconds, megabytes;
    if (argc != 4 || !read_number(argv[1], 1000000, &seconds) || !read_number(argv[2], 1000000000, &megabytes)) {
        fprintf(stderr, "usage: mote-assimp SECONDS MEGABYTES FILE\n");
        return USAGE;
    }
    sandbox_limit(seconds, megabytes);
    const char *slash = strrchr(argv[3], '/'), *ending = strrchr(slash ? slash : argv[3], '.');
    if (!ending || !aiIsExtensionSupported(ending)) return refuse("unknown kind of mesh, also to Assimp");
    folder_files files;
    if (!folder_files_open(&files, argv[3])) return refuse("it cannot be read");
    struct aiFileIO io = folder_files_io(&files);
    sandbox_enter();
    const struct aiScene *scene = aiImportFileEx(argv[3], aiProcess_Triangulate, &io);
    const int status = scene ? write_mesh(scene) : fail_import();
    if (scene) aiReleaseImport(scene);
    return fflush(stdout) == 0 ? status : REFUSED;
}
