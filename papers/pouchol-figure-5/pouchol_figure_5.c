// SPDX-License-Identifier: MIT
// Figure 5 of Pouchol et al. 2009: neighbour search among random points in a square of side 2^20, by a uniform hash,
// the hierarchical hash and a k-d tree, against the largest number of neighbours that a point has.
//
// The document does not say which classes of cells stand beside the radius: they are swept, and with one class the
// hierarchical hash is a uniform one. Each of them runs twice: neighbours found while points are inserted (its listing
// 3), and by a query for every point once all are in. One line of CSV for each radius and contender, on standard
// output; times are medians, warm. All must find the same pairs, or the run fails.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "mote/neighbors.h"

enum { MOST_REPEATS = 101 };

typedef struct settings {
    size_t count;
    int repeats;
    uint32_t threads;
} settings;

typedef struct contender {
    const char *name, *method;
    int classes;        // of the hierarchical hash
    uint32_t features;  // subsets make it answer queries instead of finding neighbours on insertion
} contender;

static const contender contenders[] = {
    {"queries", "hierarchical_hash", 1, MOTE_NEIGHBORS_SUBSET},
    {"queries", "hierarchical_hash", 2, MOTE_NEIGHBORS_SUBSET},
    {"queries", "hierarchical_hash", 3, MOTE_NEIGHBORS_SUBSET},
    {"queries", "hierarchical_hash", 5, MOTE_NEIGHBORS_SUBSET},
    {"queries", "hierarchical_hash", 8, MOTE_NEIGHBORS_SUBSET},
    {"insertion", "hierarchical_hash", 1, 0},
    {"insertion", "hierarchical_hash", 3, 0},
    {"insertion", "hierarchical_hash", 8, 0},
    {"queries", "spatial_hash", 0, 0},
    {"queries", "spatial_hash_dynamic", 0, 0},
    {"queries", "kd_tree", 0, 0},
};

// Neighbours a point has on average.
static const double mean_neighbors[] = {0.02, 0.1, 0.3, 1, 3, 10, 30};

typedef struct outcome {
    double build_ms, lists_ms;
    uint64_t pairs, cells;
    uint32_t most;  // neighbours of one point
    size_t bytes;
} outcome;

static void read_lists(const mote_lists *lists, outcome *found)
{
    found->pairs = lists->total;
    found->most = 0;
    for (size_t i = 0; i < lists->count; ++i)
        if (lists->counts[i] > found->most) found->most = lists->counts[i];
}

static bool measure(const settings *chosen, mote_context *context, const contender *who, double radius,
                    const float *xy, outcome *found)
{
    mote_error error = {0};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = who->method;
    def.radius = radius;
    def.features = who->features;
    if (who->classes) def.classes = who->classes;
    mote_neighbors *search;
    if (mote_neighbors_create(context, &def, &search, &error) != MOTE_OK) return false;
    double build[MOST_REPEATS], find[MOST_REPEATS];
    mote_result result = MOTE_OK;
    for (int k = -1; k < chosen->repeats && result == MOTE_OK; ++k) {
        mote_lists lists = {0};
        double start = milliseconds();
        result = mote_neighbors_update(search, mote_points_xy(xy, chosen->count), &error);
        double middle = milliseconds();
        if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, &error);
        if (k >= 0) build[k] = middle - start, find[k] = milliseconds() - middle;
        if (result == MOTE_OK) read_lists(&lists, found);
    }
    if (result == MOTE_OK) {
        found->build_ms = median(build, chosen->repeats);
        found->lists_ms = median(find, chosen->repeats);
        found->cells = mote_neighbors_get_counters(search).cells;
        found->bytes = mote_neighbors_byte_count(search, NULL);
    } else {
        fprintf(stderr, "pouchol_figure_5: %s: %s\n", who->method, error.text);
    }
    mote_neighbors_destroy(search);
    return result == MOTE_OK;
}

// All contenders with one radius.
static bool compare(const settings *chosen, mote_context *context, double mean, const float *xy)
{
    const double radius = 0x1p20 * sqrt(mean / (3.14159265358979324 * (double)chosen->count));
    uint64_t pairs = 0;
    for (size_t c = 0; c < sizeof contenders / sizeof *contenders; ++c) {
        const contender *who = contenders + c;
        outcome found = {0};
        if (!measure(chosen, context, who, radius, xy, &found)) return false;
        if (c > 0 && found.pairs != pairs) {
            fprintf(stderr, "pouchol_figure_5: %s finds %llu pairs, %s %llu\n", who->method,
                    (unsigned long long)found.pairs, contenders[0].method, (unsigned long long)pairs);
            return false;
        }
        pairs = found.pairs;
        printf("%g,%u,%s,%d,%s,%.1f,%.1f,%.1f,%.4f,%.2f\n", mean, found.most, who->method, who->classes, who->name,
               found.build_ms, found.lists_ms, found.build_ms + found.lists_ms,
               (double)found.cells / (double)chosen->count, (double)found.bytes / (double)chosen->count);
        fflush(stdout);
    }
    return true;
}

static bool run_all(const settings *chosen)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = chosen->threads;
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return false;
    float *xy = malloc(2 * chosen->count * sizeof *xy);
    bool good = xy != NULL;
    mote_random random = {5};
    for (size_t k = 0; good && k < 2 * chosen->count; ++k) xy[k] = (float)(mote_random_unit(&random) * 0x1p20);
    puts("mean_neighbors,most_neighbors,method,classes,form,build_ms,lists_ms,total_ms,cells_a_point,bytes_a_point");
    for (size_t m = 0; good && m < sizeof mean_neighbors / sizeof *mean_neighbors; ++m)
        good = compare(chosen, context, mean_neighbors[m], xy);
    free(xy);
    mote_context_destroy(context);
    return good;
}

int main(int count, char **arguments)
{
    long long points = 1000000, repeats = 3, threads = 1;
    const argument known[] = {
        {"--count", "N", .number = &points, .min = 100, .max = 100000000},
        {"--repeat", "N", .number = &repeats, .min = 1, .max = MOST_REPEATS},
        {"--threads", "N", .number = &threads, .min = 1, .max = 1024},
    };
    if (!read_arguments("pouchol_figure_5", count, arguments, known, (int)(sizeof known / sizeof *known))) return 2;
    const settings chosen = {(size_t)points, (int)repeats, (uint32_t)threads};
    return run_all(&chosen) && fflush(stdout) == 0 ? 0 : 1;
}
