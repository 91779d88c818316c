// SPDX-License-Identifier: MIT
// How far collisions with the octree proxy of Fan et al. 2013 lie from exact ones: the error that the document does not
// give.
//
// Meshes are scaled to a longest side of 0.9. Motions of length 0.1 in random directions start within 0.05 of the
// surface, on either side, with their labels. The exact hit is the first triangle, by the general octree; the proxy's
// is where it first collides. Distances are along the motion, in finest leaves. CSV on standard output, a row for each
// mesh and largest depth.

#include "fan.h"

static const double length = 0.1, offset = 0.05, pi = 3.14159265358979323846;
enum { LEAST_DEPTH = 4, MOST_DEPTH = 8 };

typedef struct motions {
    float *from, *by;
    uint8_t *labels;
    size_t count;
    mote_proxy_particles particles;
} motions;

// Starts are spread evenly over the surface (every so many samples) and moved off it along the triangle's normal.
static int make_motions(const mote_mesh *mesh, size_t count, motions *made)
{
    mote_mesh_samples samples;
    const double spacing = sqrt(mote_mesh_area(mesh) / (double)count);
    if (mote_mesh_sample(mesh, spacing, 1, &samples, NULL) != MOTE_OK) return 0;
    made->count = samples.count;
    made->from = calloc(3 * samples.count, sizeof *made->from);
    made->by = calloc(3 * samples.count, sizeof *made->by);
    made->labels = calloc(samples.count, 1);
    mote_random random = {2};
    for (size_t i = 0; made->from && made->by && i < samples.count; ++i) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)samples.triangles[i];
        const mote_vec3 e = minus(mesh->vertices[corner[1]], mesh->vertices[corner[0]]),
                        f = minus(mesh->vertices[corner[2]], mesh->vertices[corner[0]]);
        const double n[3] = {e.y * f.z - e.z * f.y, e.z * f.x - e.x * f.z, e.x * f.y - e.y * f.x};
        const double away =
            offset * (2 * mote_random_unit(&random) - 1) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const double z = 2 * mote_random_unit(&random) - 1, angle = 2 * pi * mote_random_unit(&random);
        const double way[3] = {sqrt(1 - z * z) * cos(angle), sqrt(1 - z * z) * sin(angle), z};
        for (size_t k = 0; k < 3; ++k) {
            made->from[3 * i + k] = (float)(samples.points[3 * i + k] + away * n[k]);
            made->by[3 * i + k] = (float)(length * way[k]);
        }
    }
    mote_mesh_samples_release(&samples);
    made->particles = mote_proxy_particles_xyz(made->from, made->by, made->labels, made->count);
    return made->from && made->by && made->labels;
}

static void release_motions(motions *made)
{
    free(made->from);
    free(made->by);
    free(made->labels);
}

// Writes the row of one depth.
static int compare(const char *name, const mote_mesh *mesh, int depth, const motions *made)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.max_depth = depth;
    def.min_depth = depth - 2;
    mote_proxy *proxy;
    mote_error error;
    if (mote_proxy_create(NULL, &def, &mesh, 1, &proxy, &error) != MOTE_OK) {
        fprintf(stderr, "%s: %s\n", name, error.text);
        return 0;
    }
    mote_proxy_hit *near = calloc(made->count, sizeof *near);
    mote_proxy_triangle_hit *exact = calloc(made->count, sizeof *exact);
    double *early = calloc(made->count, sizeof *early);
    int good = near && exact && early && mote_proxy_stamp(proxy, &made->particles, &error) == MOTE_OK &&
               mote_proxy_hits(proxy, &made->particles, 1, near, NULL) == MOTE_OK &&
               mote_proxy_first_triangles(proxy, &made->particles, 1, exact, NULL) == MOTE_OK;
    size_t exact_hits = 0, missed = 0, extra = 0;
    int both = 0;
    double sum = 0;
    const double leaf = mote_proxy_get_arrays(proxy).leaf;
    for (size_t i = 0; good && i < made->count; ++i) {
        const int hit = exact[i].time <= 1, met = near[i].time <= 1;
        exact_hits += (size_t)hit;
        missed += (size_t)(hit && !met);
        extra += (size_t)(met && !hit);
        if (!hit || !met) continue;
        early[both] = (exact[i].time - (double)near[i].time) * length / leaf;
        sum += early[both++];
    }
    if (good && both > 0) {
        const mote_proxy_stats stats = mote_proxy_get_stats(proxy);
        const double middle = median(early, both);
        printf("%s,%zu,%d,%zu,%zu,%zu,%.4f,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f\n", name, mesh->triangle_count, depth,
               stats.node_bytes, made->count, exact_hits, (double)missed / (double)exact_hits,
               (double)extra / (double)exact_hits, sum / both, early[both / 20], middle, early[both - 1 - both / 20],
               early[both - 1]);
    }
    free(near);
    free(exact);
    free(early);
    mote_proxy_destroy(proxy);
    return good && both > 0;
}

static int measure_mesh(const char *file, size_t count)
{
    mote_mesh *mesh = read_mesh(file);
    if (!mesh) return 0;
    motions made = {0};
    int good = make_motions(mesh, count, &made);
    for (int depth = LEAST_DEPTH; good && depth <= MOST_DEPTH; ++depth)
        good = compare(name_of(file), mesh, depth, &made);
    release_motions(&made);
    mote_mesh_destroy(mesh);
    return good;
}

int main(int argc, char **argv)
{
    size_t count = 20000;
    int files = 0, good = 1;
    printf("mesh,triangles,max_depth,node_bytes,motions,exact_hits,missed,extra,mean,p5,median,p95,most\n");
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--motions") == 0 && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            count = (size_t)atoi(argv[++i]);
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "usage: fan_deviation [--motions N] [MESH]...\n");
            return 2;
        } else {
            ++files;
            good &= measure_mesh(argv[i], count);
        }
    }
    if (files == 0) good = measure_mesh("bunny.obj", count);
    return good ? 0 : 1;
}
