// SPDX-License-Identifier: MIT
// bodies: runs the loops for vector registers on a system that has no mote-bench, such as WebAssembly, or an emulator
// that counts instructions: lists of points, pairs of boxes, first hits.
// usage: bodies lists|lattice|pairs|hits COUNT REPEAT       MOTE_SIMD in the environment: whose loops run
// Prints the form, how much was found and the least time of a repetition; one more comes first, which warms up.
// exit status: 77 if this processor or this build does not have the form

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hits.h"
#include "mote/broadphase.h"
#include "mote/hits.h"
#include "mote/neighbors.h"

// What a repetition works on, and how much the last one found.
typedef struct job {
    mote_context *context;
    size_t count;
    uint64_t found;
    bench_points points;
    mote_neighbors *search;
    bench_boxes boxes;
    float *velocities;
    void (*move)(bench_boxes *boxes, float *velocities);
    mote_broadphase *broad;
    bench_motions motions;
    mote_hits *hits;
} job;

typedef struct body {
    const char *name, *workload;
    bool (*prepare)(job *job, const char *workload);
    bool (*repeat)(job *job);
} body;

static bool prepare_lists(job *job, const char *workload)
{
    for (size_t w = 0; w < bench_point_workload_count; ++w)
        if (strcmp(bench_point_workloads[w].name, workload) == 0) {
            if (!bench_point_workloads[w].make(job->count, &job->points)) return false;
            mote_neighbors_def def = mote_neighbors_default_def();
            def.method = "cell_grid";
            def.radius = job->points.radius;
            return mote_neighbors_create(job->context, &def, &job->search, NULL) == MOTE_OK;
        }
    return false;
}

// Structure and lists.
static bool repeat_lists(job *job)
{
    mote_lists lists;
    const mote_points points = mote_points_xyz(job->points.xyz, job->count);
    if (mote_neighbors_update(job->search, points, NULL) != MOTE_OK) return false;
    if (mote_neighbors_lists(job->search, &lists, NULL) != MOTE_OK) return false;
    job->found = lists.total;
    return true;
}

static bool prepare_pairs(job *job, const char *workload)
{
    const bench_box_workload *from = bench_box_workloads;
    while (strcmp(from->name, workload) != 0) ++from;
    mote_broadphase_def def = mote_broadphase_default_def();
    job->velocities = malloc(3 * job->count * sizeof *job->velocities + 1);
    if (!job->velocities || !from->make(job->count, &job->boxes)) return false;
    from->make_velocities(&job->boxes, job->velocities);
    job->move = from->move;
    return mote_broadphase_create(job->context, &def, &job->broad, NULL) == MOTE_OK &&
           mote_broadphase_add_many(job->broad, mote_boxes_corners(job->boxes.corners, job->count, 3),
                                    MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL) == MOTE_OK;
}

// A step of the boxes, and all pairs after it.
static bool repeat_pairs(job *job)
{
    mote_pairs pairs;
    job->move(&job->boxes, job->velocities);
    const mote_boxes boxes = mote_boxes_corners(job->boxes.corners, job->count, 3);
    if (mote_broadphase_move_many(job->broad, NULL, boxes, NULL) != MOTE_OK) return false;
    if (mote_broadphase_pairs(job->broad, &pairs, NULL) != MOTE_OK) return false;
    job->found = pairs.count;
    return true;
}

static bool prepare_hits(job *job, const char *workload)
{
    const bench_hit_workload *from = bench_hit_workloads;
    while (strcmp(from->name, workload) != 0) ++from;
    mote_mesh *mesh = bench_bumps(70000);
    const bool done = mesh && bench_motions_make(mesh, from, job->count, &job->motions) &&
                      mote_hits_create(job->context, NULL, mesh, &job->hits, NULL) == MOTE_OK;
    mote_mesh_destroy(mesh);
    return done;
}

static bool repeat_hits(job *job)
{
    mote_hit_list list;
    const mote_motions motions = {.from = mote_points_xyz(job->motions.from, job->count),
                                  .to = mote_points_xyz(job->motions.to, job->count)};
    if (mote_hits_query(job->hits, &motions, &list, NULL) != MOTE_OK) return false;
    job->found = list.count;
    return true;
}

static const body bodies[] = {
    {"lists", "uniform", prepare_lists, repeat_lists},
    {"lattice", "lattice", prepare_lists, repeat_lists},
    {"pairs", "A4", prepare_pairs, repeat_pairs},
    {"hits", "surface", prepare_hits, repeat_hits},
};

static void release(job *job)
{
    mote_neighbors_destroy(job->search);
    mote_broadphase_destroy(job->broad);
    mote_hits_destroy(job->hits);
    mote_context_destroy(job->context);
    bench_motions_release(&job->motions);
    free(job->points.xyz);
    free(job->boxes.corners);
    free(job->velocities);
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const body *body = NULL;
    for (size_t b = 0; argc == 4 && b < sizeof bodies / sizeof *bodies; ++b)
        if (strcmp(argv[1], bodies[b].name) == 0) body = &bodies[b];
    if (!body) {
        fprintf(stderr, "usage: bodies lists|lattice|pairs|hits COUNT REPEAT\n");
        return 2;
    }
    job job = {.count = strtoul(argv[2], NULL, 10)};
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    def.simd = bench_wanted_simd();
    if (mote_context_create(&def, &job.context, NULL) != MOTE_OK) return 77;
    bool done = body->prepare(&job, body->workload) && body->repeat(&job);
    double least = 1e9;
    for (unsigned long r = strtoul(argv[3], NULL, 10); done && r > 0; --r) {
        const double start = seconds();
        done = body->repeat(&job);
        const double took = seconds() - start;
        if (took < least) least = took;
    }
    if (done)
        printf("%s %s: %llu found, %.2f ms\n", body->name, mote_simd_name(mote_context_simd(job.context)),
               (unsigned long long)job.found, 1e3 * least);
    release(&job);
    return done ? 0 : 1;
}
