// SPDX-License-Identifier: MIT
// What right answers of the neighbour benchmarks are.
//
// Up to 20,000 points they come from all pairs. Above, rows of 1,000 sampled points are held against brute force, and
// an order-independent checksum of all rows against another search: for neighbours one whose cells are a quarter
// wider and whose candidates are filtered by the distance test, for nearest ones queries by radius that doubles until
// enough are within.

#include "checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000 };

mote_points bench_points_view(const bench_points *set)
{
    return set->dimensions == 2 ? mote_points_xy(set->xyz, set->count) : mote_points_xyz(set->xyz, set->count);
}

float bench_squared(const bench_points *set, size_t i, size_t j)
{
    const size_t width = (size_t)set->dimensions;
    const float *a = set->xyz + i * width, *b = set->xyz + j * width;
    float sum = 0;
    for (size_t k = 0; k < width; ++k) {
        float d = b[k] - a[k];
        sum = k == 0 ? d * d : sum + d * d;
    }
    return sum;
}

static bool is_near(const bench_points *set, size_t i, size_t j)
{
    return bench_squared(set, i, j) <= set->radius * set->radius;
}

// ----------------------------------------------------------------------------------------------- within a radius

uint64_t bench_lists_checksum(const mote_lists *lists)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) sum += bench_pair_hash(i, row.indices[k]);
    }
    return sum;
}

bool bench_samples_are_right(const bench_points *set, const mote_lists *lists)
{
    mote_random random = {99};
    unsigned char *seen = calloc(set->count ? set->count : 1, 1);
    bool right = seen != NULL;
    for (int s = 0; s < SAMPLES && right && set->count; ++s) {
        uint32_t i = mote_random_below(&random, (uint32_t)set->count);
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) seen[row.indices[k]] += 1;
        for (size_t j = 0; j < set->count; ++j) {
            unsigned char expected = j != i && is_near(set, i, j);
            right = right && seen[j] == expected;
            seen[j] = 0;
        }
    }
    free(seen);
    return right;
}

bool bench_is_subset(const bench_points *set, const mote_lists *lists)
{
    uint32_t *last_row = calloc(set->count ? set->count : 1, sizeof *last_row);  // that a point stood in, and one more
    bool right = last_row != NULL;
    for (uint32_t i = 0; i < lists->count && right; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count && right; ++k) {
            uint32_t j = row.indices[k];
            right = j != i && last_row[j] != i + 1 && is_near(set, i, j);
            last_row[j] = i + 1;
        }
    }
    free(last_row);
    return right;
}

typedef struct filter_task {
    const bench_points *set;
    uint64_t pairs[1024], checksum[1024];  // by worker
} filter_task;

static void filter_row(void *data, mote_row row, uint32_t worker)
{
    filter_task *task = data;
    for (uint32_t k = 0; k < row.count; ++k) {
        if (!is_near(task->set, row.index, row.indices[k])) continue;
        task->pairs[worker % 1024] += 1;
        task->checksum[worker % 1024] += bench_pair_hash(row.index, row.indices[k]);
    }
}

bool bench_find_reference(const bench_points *set, bench_reference *right)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    bool brute = set->count <= BENCH_BRUTE_FORCE_LIMIT;
    def.method = brute ? "all_pairs" : "cell_grid";
    def.radius = brute ? (double)set->radius : 1.25 * (double)set->radius;
    mote_context_def context_def = bench_context_def(1);
    mote_context *context;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return false;
    mote_neighbors *search;
    filter_task *task = calloc(1, sizeof *task);
    bool done = task && mote_neighbors_create(context, &def, &search, NULL) == MOTE_OK;
    if (done) {
        task->set = set;
        done = mote_neighbors_update(search, bench_points_view(set), NULL) == MOTE_OK &&
               mote_neighbors_visit(search, filter_row, task, NULL) == MOTE_OK;
        right->pairs = task->pairs[0];
        right->checksum = task->checksum[0];
        mote_neighbors_destroy(search);
    }
    free(task);
    mote_context_destroy(context);
    return done;
}

// --------------------------------------------------------------------------------------------------- density sums

static float weight(const bench_points *set, size_t i, size_t j)
{
    float rest = set->radius * set->radius - bench_squared(set, i, j);
    return rest * rest * rest;
}

bool bench_densities_are_right(const bench_points *set, const float *densities)
{
    mote_random random = {99};
    bool right = true;
    for (int s = 0; s < SAMPLES && right && set->count; ++s) {
        uint32_t i = mote_random_below(&random, (uint32_t)set->count);
        double sum = 0;
        for (size_t j = 0; j < set->count; ++j)
            if (is_near(set, i, j)) sum += (double)weight(set, i, j);
        right = fabs(sum - (double)densities[i]) <= 1e-4 * sum;
    }
    return right;
}

// -------------------------------------------------------------------------------------------------------- nearest

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

uint64_t bench_nearest_checksum(const bench_points *set, const mote_lists *lists)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) sum += bench_distance_hash(i, bench_squared(set, i, row.indices[k]));
    }
    return sum;
}

// Whether a comes before b in a row of i: nearer, or as near and of a smaller index.
static bool comes_before(const bench_points *set, uint32_t i, uint32_t a, uint32_t b)
{
    float to_a = bench_squared(set, i, a), to_b = bench_squared(set, i, b);
    return to_a != to_b ? to_a < to_b : a < b;
}

// Whether the row is that of the k nearest: in order, and no point that it leaves out comes before its last.
static bool is_nearest_row(const bench_points *set, uint32_t i, mote_row row, uint32_t k)
{
    size_t expected = set->count - 1 < k ? set->count - 1 : k, before = 0;
    if (row.count != expected) return false;
    if (expected == 0) return true;
    uint32_t last = row.indices[expected - 1];
    for (uint32_t n = 1; n < row.count; ++n)
        if (!comes_before(set, i, row.indices[n - 1], row.indices[n])) return false;
    for (uint32_t j = 0; j < set->count; ++j) before += j != i && comes_before(set, i, j, last);
    return before == expected - 1;
}

bool bench_nearest_samples_are_right(const bench_points *set, const mote_lists *lists, uint32_t k)
{
    mote_random random = {99};
    bool right = true;
    for (int s = 0; s < SAMPLES && right && set->count; ++s) {
        uint32_t i = mote_random_below(&random, (uint32_t)set->count);
        right = is_nearest_row(set, i, mote_lists_row(lists, i), k);
    }
    return right;
}

// The points whose rows are still open, and room for the distances of a row.
typedef struct nearest_task {
    const bench_points *set;
    uint32_t k;
    size_t open_count;
    uint32_t *open;
    float *positions;   // of the open ones
    float *distances;
    bench_reference *right;
} nearest_task;

// Ends the rows in which there are enough, or all that there are.
static void close_rows(nearest_task *task, const mote_lists *lists)
{
    size_t still_open = 0;
    for (uint32_t q = 0; q < lists->count; ++q) {
        mote_row row = mote_lists_row(lists, q);
        uint32_t i = task->open[q];
        if (row.count - 1 < task->k && row.count < task->set->count) {
            task->open[still_open++] = i;
            continue;
        }
        size_t found = 0;
        for (uint32_t n = 0; n < row.count; ++n)
            if (row.indices[n] != i) task->distances[found++] = bench_squared(task->set, i, row.indices[n]);
        qsort(task->distances, found, sizeof *task->distances, compare_floats);
        if (found > task->k) found = task->k;
        for (size_t n = 0; n < found; ++n) task->right->checksum += bench_distance_hash(i, task->distances[n]);
        task->right->pairs += found;
    }
    task->open_count = still_open;
}

// All open points look around with a radius.
static bool look_around(nearest_task *task, double radius)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = task->set->count <= BENCH_BRUTE_FORCE_LIMIT ? "all_pairs" : "cell_grid";
    def.features = MOTE_NEIGHBORS_QUERY;
    def.radius = radius;
    mote_neighbors *search;
    if (mote_neighbors_create(NULL, &def, &search, NULL) != MOTE_OK) return false;
    bench_points open = *task->set;
    open.count = task->open_count;
    open.xyz = task->positions;
    const size_t width = (size_t)open.dimensions;
    for (size_t q = 0; q < open.count; ++q)
        memcpy(open.xyz + q * width, task->set->xyz + task->open[q] * width, width * sizeof(float));
    mote_lists lists;
    bool done = mote_neighbors_update(search, bench_points_view(task->set), NULL) == MOTE_OK &&
                mote_neighbors_query(search, bench_points_view(&open), &lists, NULL) == MOTE_OK;
    if (done) close_rows(task, &lists);
    mote_neighbors_destroy(search);
    return done;
}

bool bench_find_nearest_reference(const bench_points *set, uint32_t k, bench_reference *right)
{
    const size_t room = set->count + 1;
    nearest_task task = {.set = set, .k = k, .open_count = set->count, .right = right};
    task.open = malloc(room * sizeof *task.open);
    task.positions = malloc(room * (size_t)set->dimensions * sizeof *task.positions);
    task.distances = malloc(room * sizeof *task.distances);
    bool done = task.open && task.positions && task.distances;
    *right = (bench_reference){0, 0};
    for (uint32_t i = 0; done && i < set->count; ++i) task.open[i] = i;
    for (double radius = (double)set->radius; done && task.open_count > 0; radius *= 2)
        done = look_around(&task, radius);
    free(task.open);
    free(task.positions);
    free(task.distances);
    return done;
}
