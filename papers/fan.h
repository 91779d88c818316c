// SPDX-License-Identifier: MIT
// papers/fan.h: what the experiments of Fan et al. 2013 share: meshes, and particles that are poured over them.
#ifndef PAPERS_FAN_H
#define PAPERS_FAN_H

#include <math.h>

#include "measure.h"
#include "mote/import.h"
#include "mote/proxy.h"

static inline mote_vec3 minus(mote_vec3 a, mote_vec3 b)
{
    mote_vec3 d = {a.x - b.x, a.y - b.y, a.z - b.z};
    return d;
}

// ------------------------------------------------------------------------------------------------------- meshes

// The longest side 0.9, centred on (0.5, 0.5, 0.5).
static inline void scale_mesh(mote_mesh *mesh)
{
    const mote_box box = mote_mesh_box(mesh);
    const mote_vec3 size = minus(box.max, box.min);
    const double by = 0.9 / fmax(size.x, fmax(size.y, size.z));
    const mote_placement placement = {by,
                                      {0, 0, 0},
                                      {0.5 - by * (box.min.x + size.x / 2), 0.5 - by * (box.min.y + size.y / 2),
                                       0.5 - by * (box.min.z + size.z / 2)}};
    mote_mesh_place(mesh, &placement);
}

// Scaled; NULL, with a line that says why, where it cannot be read.
static inline mote_mesh *read_mesh(const char *file)
{
    mote_mesh *mesh;
    mote_error error;
    char path[1024];
    if (mote_import_find(file, NULL, path, sizeof path, &error) != MOTE_OK ||
        mote_import_mesh(NULL, path, &mesh, &error) != MOTE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return NULL;
    }
    scale_mesh(mesh);
    return mesh;
}

// Its name without folders.
static inline const char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

// Arguments from this on are files of meshes; those before it are options and their values.
static inline int first_file(int count, char **arguments)
{
    int k = 1;
    while (k < count && arguments[k][0] == '-') k += 2;
    return k < count ? k : count;
}

// One thread, so that its time of the processor is the time of the work.
static inline mote_context *one_thread(void)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    mote_context *context;
    return mote_context_create(&def, &context, NULL) == MOTE_OK ? context : NULL;
}

// What an experiment with one mesh (the bunny unless it is named) begins with; the caller's to destroy.
// @return 0, or the program's exit status after a line that says why
static inline int begin_with_mesh(const char *program, int argc, char **argv, const argument *known, int most,
                                  mote_context **context, mote_mesh **mesh)
{
    const int first = first_file(argc, argv);
    if (!read_arguments(program, first, argv, known, most)) return 2;
    if (argc - first > 1) {
        fprintf(stderr, "%s: more than one mesh\n", program);
        return 2;
    }
    *mesh = read_mesh(first < argc ? argv[first] : "bunny.obj");
    if (!*mesh) return 1;
    *context = one_thread();
    if (!*context) mote_mesh_destroy(*mesh);
    return *context ? 0 : 1;
}

// Every triangle cut into four by the middles of its edges, which bear the same bits from either side and so can be
// welded. Releases the old mesh; NULL without memory.
static inline mote_mesh *subdivide(mote_mesh *mesh)
{
    const size_t n = mesh->triangle_count, old = mesh->vertex_count;
    mote_vec3 *vertices = malloc((old + 3 * n) * sizeof *vertices + 1);
    uint32_t *triangles = malloc(12 * n * sizeof *triangles + 1);
    mote_mesh *made = NULL;
    if (vertices && triangles) {
        memcpy(vertices, mesh->vertices, old * sizeof *vertices);
        for (size_t t = 0; t < n; ++t) {
            uint32_t corner[6];
            for (size_t k = 0; k < 3; ++k) {
                const mote_vec3 a = mesh->vertices[mesh->triangles[3 * t + k]],
                                b = mesh->vertices[mesh->triangles[3 * t + (k + 1) % 3]];
                corner[k] = mesh->triangles[3 * t + k];
                corner[3 + k] = (uint32_t)(old + 3 * t + k);
                vertices[corner[3 + k]] = (mote_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
            }
            static const int parts[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
            for (size_t k = 0; k < 12; ++k) triangles[12 * t + k] = corner[parts[k]];
        }
        if (mote_mesh_create(NULL, vertices, old + 3 * n, triangles, 4 * n, &made, NULL) != MOTE_OK) made = NULL;
        if (made && mote_mesh_weld(made, NULL) != MOTE_OK) {
            mote_mesh_destroy(made);
            made = NULL;
        }
    }
    free(vertices);
    free(triangles);
    mote_mesh_destroy(mesh);
    return made;
}

// ---------------------------------------------------------------------------------------------------- particles

// Particles in random order, let fall from above the mesh's box, over all of it. Those that have fallen past the mesh
// are put above it again, so that some always fall while others lie and slide.
typedef struct pour {
    float *at, *velocities;
    uint8_t *labels;
    size_t count;
    mote_box box;  // of the mesh
    mote_random random;
    mote_proxy_particles particles;
} pour;

static const double pour_step = 1.0 / 60, pour_gravity = 9.81, pour_height = 0.5, pour_below = 0.1;

static inline void pour_place(pour *p, size_t i)
{
    const double x = mote_random_unit(&p->random), y = mote_random_unit(&p->random), z = mote_random_unit(&p->random);
    p->at[3 * i] = (float)(p->box.min.x + x * (p->box.max.x - p->box.min.x));
    p->at[3 * i + 1] = (float)(p->box.max.y + y * pour_height);
    p->at[3 * i + 2] = (float)(p->box.min.z + z * (p->box.max.z - p->box.min.z));
    for (size_t k = 0; k < 3; ++k) p->velocities[3 * i + k] = 0;
    p->labels[i] = MOTE_PROXY_UNKNOWN;
}

static inline void pour_release(pour *p)
{
    free(p->at);
    free(p->velocities);
    free(p->labels);
    *p = (pour){0};
}

// Particles without places yet. False without memory.
static inline bool pour_allocate(pour *p, size_t count)
{
    *p = (pour){.at = calloc(3 * count, sizeof *p->at),
                .velocities = calloc(3 * count, sizeof *p->velocities),
                .labels = calloc(count, 1),
                .count = count};
    p->particles = mote_proxy_particles_xyz(p->at, p->velocities, p->labels, count);
    if (p->at && p->velocities && p->labels) return true;
    pour_release(p);
    return false;
}

// Always the same particles. False without memory.
static inline bool pour_start(pour *p, const mote_mesh *mesh, size_t count)
{
    if (!pour_allocate(p, count)) return false;
    p->box = mote_mesh_box(mesh);
    p->random.state = 2013;
    for (size_t i = 0; i < count; ++i) pour_place(p, i);
    return true;
}

// False without memory.
static inline bool pour_copy(pour *copy, const pour *p)
{
    if (!pour_allocate(copy, p->count)) return false;
    memcpy(copy->at, p->at, 3 * p->count * sizeof *p->at);
    memcpy(copy->velocities, p->velocities, 3 * p->count * sizeof *p->velocities);
    memcpy(copy->labels, p->labels, p->count);
    copy->box = p->box;
    copy->random = p->random;
    return true;
}

// What precedes the collisions of a frame.
static inline void pour_push(pour *p)
{
    for (size_t i = 0; i < p->count; ++i) {
        if (p->at[3 * i + 1] < p->box.min.y - pour_below) pour_place(p, i);
        p->velocities[3 * i + 1] -= (float)(pour_gravity * pour_step);
    }
}

static inline bool pour_move(pour *p, const mote_proxy *proxy, mote_proxy_counters *counters)
{
    const mote_response sand = mote_response_bounce(0.3, 0.2);
    return mote_proxy_advance(proxy, &p->particles, pour_step, &sand, counters, NULL) == MOTE_OK;
}

// Leaves the particles with the motions of the frame after so many, not made yet.
static inline bool pour_until(pour *p, const mote_proxy *proxy, int frames)
{
    for (int f = 0; f < frames; ++f) {
        pour_push(p);
        if (!pour_move(p, proxy, NULL)) return false;
    }
    pour_push(p);
    return true;
}

#endif
