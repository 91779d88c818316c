// SPDX-License-Identifier: MIT
// The H-mask of Onderik & Ďurikovič 2008: what finer cells cost and save, and what the document's own mask misses.
//
// Random points in a cube, as many as are asked for, at 30 neighbours each (a usual fluid) and at 436 (the support of
// the document's own simulations). For every H from 1 to 4: the exact mask with edges of h/H (methods with cells by
// mask), and the document's with edges of h/(2H + 1) (cell_index_approx). One line of CSV each: time of the build and
// of the lists (median of the repetitions), candidates and neighbours per point, and the share of neighbours missed.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "mote/neighbors.h"

enum { MOST_REPEATS = 101, MOST_H = 4 };

static const char *const methods[] = {"cell_index", "spatial_hash", "cell_index_approx"};
static const double neighbor_counts[] = {30, 436};

typedef struct settings {
    size_t count;
    int repeats;
    uint32_t threads;
    bool checks;
} settings;

// What a method did at one H.
typedef struct outcome {
    double build_ms, lists_ms;
    double candidates, neighbors;  // per point
} outcome;

static bool is_known(const char *name)
{
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        if (strcmp(info->name, name) == 0) return true;
    return false;
}

// Builds and lists, once to warm up and then `repeats` times.
static mote_result measure(mote_context *context, const settings *options, const float *xyz, double radius,
                           const char *method, int h, outcome *out)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = radius;
    def.method = method;
    def.subdivision = h;
    mote_neighbors *search;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    if (result != MOTE_OK) return result;
    double builds[MOST_REPEATS], finds[MOST_REPEATS];
    for (int turn = -1; turn < options->repeats && result == MOTE_OK; ++turn) {
        mote_lists lists;
        double start = milliseconds();
        result = mote_neighbors_update(search, mote_points_xyz(xyz, options->count), NULL);
        double built = milliseconds();
        if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, NULL);
        if (turn < 0) continue;
        builds[turn] = built - start;
        finds[turn] = milliseconds() - built;
    }
    if (result == MOTE_OK) {
        mote_neighbors_counters counters = mote_neighbors_get_counters(search);
        double n = (double)options->count;
        *out = (outcome){median(builds, options->repeats), median(finds, options->repeats),
                         (double)counters.candidates / n, (double)counters.hits / n};
    }
    mote_neighbors_destroy(search);
    return result;
}

// With --check: exact masks find as much as the first, the document's misses about what the geometry says.
static bool is_as_expected(const outcome *out, double truth, bool exact)
{
    double missed = 1 - out->neighbors / truth;
    return exact ? missed == 0 : missed > 0.70 && missed < 0.82;
}

static int run(const settings *options)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = options->threads;
    mote_context *context;
    float *xyz = malloc((3 * options->count + 1) * sizeof *xyz);
    if (!xyz || mote_context_create(&context_def, &context, NULL) != MOTE_OK) {
        fprintf(stderr, "onderik_h_mask: no memory for %zu points\n", options->count);
        free(xyz);
        return 1;
    }
    mote_random random = {1};
    for (size_t i = 0; i < 3 * options->count; ++i) xyz[i] = (float)mote_random_unit(&random);
    int status = 0;
    printf("neighbors,method,h,build_ms,lists_ms,candidates_per_point,neighbors_per_point,missed\n");
    for (size_t d = 0; d < sizeof neighbor_counts / sizeof *neighbor_counts; ++d) {
        const double ball = 4.18879020478639;  // of radius 1
        double radius = cbrt(neighbor_counts[d] / (ball * (double)options->count)), truth = 0;
        for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
            for (int h = 1; h <= MOST_H && is_known(methods[m]); ++h) {
                outcome out;
                mote_result result = measure(context, options, xyz, radius, methods[m], h, &out);
                if (result != MOTE_OK) {
                    fprintf(stderr, "onderik_h_mask: %s, H = %d: %s\n", methods[m], h, mote_result_name(result));
                    status = 1;
                    continue;
                }
                if (truth == 0) truth = out.neighbors;
                printf("%g,%s,%d,%.2f,%.2f,%.2f,%.3f,%.4f\n", neighbor_counts[d], methods[m], h, out.build_ms,
                       out.lists_ms, out.candidates, out.neighbors, 1 - out.neighbors / truth);
                if (options->checks && !is_as_expected(&out, truth, strstr(methods[m], "approx") == NULL)) status = 1;
            }
    }
    free(xyz);
    mote_context_destroy(context);
    return status;
}

int main(int argc, char **argv)
{
    settings options = {.count = 100000, .repeats = 5, .threads = 1};
    bool valid = true;
    for (int a = 1; a < argc && valid; ++a) {
        double value = a + 1 < argc ? atof(argv[a + 1]) : 0;
        if (strcmp(argv[a], "--check") == 0) {
            options.checks = true;
            continue;
        }
        valid = value >= 1 && value <= 1e9;
        if (strcmp(argv[a], "--count") == 0)
            options.count = (size_t)value;
        else if (strcmp(argv[a], "--repeat") == 0)
            options.repeats = value < MOST_REPEATS ? (int)value : MOST_REPEATS;
        else if (strcmp(argv[a], "--threads") == 0)
            options.threads = (uint32_t)value;
        else
            valid = false;
        ++a;
    }
    if (valid) return run(&options);
    fprintf(stderr, "usage: onderik_h_mask [--count N] [--repeat N] [--threads N] [--check]\n");
    return 2;
}
