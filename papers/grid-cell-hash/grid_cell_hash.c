// SPDX-License-Identifier: MIT
// Two lists against three, and building from scratch against keeping up: the spatial hash of buckets and particles
// beside that of buckets, cells and particles (the grid-cell-hash text).
//
// load.csv: uniform points, tables of ever fewer buckets; the load factor is occupied cells per bucket. moving.csv: a
// share of the points is sent to random places before every update, so that about so many change cell.
// Times are medians, in milliseconds; the number of pairs must be the same for all methods, or the run fails.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "mote/neighbors.h"

enum { MAX_REPEATS = 99 };

typedef struct options {
    const char *out;
    size_t count;
    int repeats;
    uint32_t threads;
} options;

typedef struct experiment {
    options chosen;
    mote_context *context;
    double radius;
    float *xyz;
    uint64_t random;
} experiment;

typedef struct measurement {
    double update_ms, lists_ms;
    uint64_t pairs;
    size_t bytes;
    mote_neighbors_counters counters;
} measurement;

static float random_unit(experiment *run)
{
    run->random = run->random * 6364136223846793005u + 1442695040888963407u;
    return (float)(run->random >> 40) * 0x1p-24f;
}

static void scatter(experiment *run, double share)
{
    for (size_t i = 0; i < run->chosen.count; ++i) {
        if ((double)random_unit(run) >= share) continue;
        for (int k = 0; k < 3; ++k) run->xyz[3 * i + (size_t)k] = random_unit(run);
    }
}

// Updates and lists, warm; a share of the points moves before every update.
static mote_result measure(experiment *run, const char *method, uint32_t table_size, double share,
                           measurement *found)
{
    mote_error error = {0};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = run->radius;
    def.table_size = table_size;
    mote_neighbors *search;
    mote_result result = mote_neighbors_create(run->context, &def, &search, &error);
    if (result != MOTE_OK) return result;
    double update[MAX_REPEATS], find[MAX_REPEATS];
    run->random = 1;
    scatter(run, 2);
    for (int k = -1; k < run->chosen.repeats && result == MOTE_OK; ++k) {
        if (k >= 0) scatter(run, share);
        mote_lists lists = {0};
        double start = milliseconds(), middle;
        result = mote_neighbors_update(search, mote_points_xyz(run->xyz, run->chosen.count), &error);
        middle = milliseconds();
        if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, &error);
        found->pairs = lists.total;
        if (k >= 0) update[k] = middle - start, find[k] = milliseconds() - middle;
    }
    if (result == MOTE_OK) result = mote_neighbors_validate(search, &error);
    if (result == MOTE_OK) {
        found->update_ms = median(update, run->chosen.repeats);
        found->lists_ms = median(find, run->chosen.repeats);
        found->counters = mote_neighbors_get_counters(search);
        found->bytes = mote_neighbors_byte_count(search, NULL);
    } else {
        fprintf(stderr, "grid_cell_hash: %s: %s\n", method, error.text);
    }
    mote_neighbors_destroy(search);
    return result;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    if (!stream) fprintf(stderr, "grid_cell_hash: %s cannot be written\n", path);
    return stream;
}

// Methods side by side over one parameter after the other; all must find the same pairs.
static bool compare(experiment *run, FILE *stream, const char *const *methods, size_t method_count, double parameter,
                    uint32_t table_size, double share)
{
    uint64_t pairs = 0;
    for (size_t m = 0; m < method_count; ++m) {
        measurement found;
        if (measure(run, methods[m], table_size, share, &found) != MOTE_OK) return false;
        if (m > 0 && found.pairs != pairs) {
            fprintf(stderr, "grid_cell_hash: %s finds %llu pairs, %s %llu\n", methods[m],
                    (unsigned long long)found.pairs, methods[0], (unsigned long long)pairs);
            return false;
        }
        pairs = found.pairs;
        const double cells = (double)found.counters.cells, n = (double)run->chosen.count;
        fprintf(stream, "%g,%s,%.4f,%.3f,%.3f,%.4f,%.1f\n", parameter, methods[m],
                (double)found.counters.collisions / cells, found.update_ms, found.lists_ms,
                (double)found.counters.moved / n, (double)found.bytes / n);
    }
    return true;
}

static bool run_all(experiment *run)
{
    static const char *const header = "parameter,method,colliding_cells,update_ms,lists_ms,moved,bytes_a_point\n";
    static const char *const all[] = {"spatial_hash", "spatial_hash_dynamic", "cell_hash", "cell_hash_incremental"};
    static const double loads[] = {0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32};
    static const double shares[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};
    measurement first;
    if (measure(run, "cell_hash", 0, 0, &first) != MOTE_OK) return false;
    FILE *stream = open_in(run->chosen.out, "load.csv");
    if (!stream) return false;
    fputs(header, stream);
    bool good = true;
    for (size_t k = 0; k < sizeof loads / sizeof *loads && good; ++k) {
        uint32_t size = (uint32_t)((double)first.counters.cells / loads[k]) | 1;
        good = compare(run, stream, all, 4, loads[k], size, 0);
    }
    good &= fclose(stream) == 0;
    stream = good ? open_in(run->chosen.out, "moving.csv") : NULL;
    if (!stream) return false;
    fputs(header, stream);
    for (size_t k = 0; k < sizeof shares / sizeof *shares && good; ++k)
        good = compare(run, stream, all, 4, shares[k], 0, shares[k]);
    return (fclose(stream) == 0) & good;
}

int main(int count, char **arguments)
{
    const char *out = ".";
    long long points = 200000, repeats = 5, threads = 1;
    const argument known[] = {
        {"--out", "FOLDER", .text = &out},
        {"--count", "N", .number = &points, .min = 100, .max = 100000000},
        {"--repeat", "N", .number = &repeats, .min = 1, .max = MAX_REPEATS},
        {"--threads", "N", .number = &threads, .min = 1, .max = 1024},
    };
    if (!read_arguments("grid_cell_hash", count, arguments, known, (int)(sizeof known / sizeof *known))) return 2;
    experiment run = {.chosen = {out, (size_t)points, (int)repeats, (uint32_t)threads}};
    mote_context_def def = mote_context_default_def();
    def.thread_count = run.chosen.threads;
    if (mote_context_create(&def, &run.context, NULL) != MOTE_OK) return 1;
    // 30 neighbours a point: 4/3 π r³ n = 30, found without a cube root of the C library.
    run.radius = 1;
    while (4.18879 * run.radius * run.radius * run.radius * (double)run.chosen.count > 30) run.radius *= 0.999;
    run.xyz = malloc(3 * run.chosen.count * sizeof *run.xyz);
    bool good = run.xyz && run_all(&run);
    free(run.xyz);
    mote_context_destroy(run.context);
    return good ? 0 : 1;
}
