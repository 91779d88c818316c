// SPDX-License-Identifier: MIT
// Groups of points with their candidates: every method that offers them against all pairs.

#include "mote/neighbors.h"
#include "support/points.h"
#include "support/test.h"

#include <stdatomic.h>

typedef struct group_log {
    const float *xyz;
    float radius;
    atomic_uint *visits;   // of each point, as one of a group's own
    atomic_uint *pairs;    // neighbours of each point
    uint64_t *signatures;  // of its candidates, in their order
    atomic_bool broken;
} group_log;

static void take_group(void *data, const mote_group *group, uint32_t worker)
{
    (void)worker;
    group_log *log = data;
    bool right = group->first < group->count;
    uint64_t signature = 1469598103934665603u;
    for (uint32_t k = 0; k < group->count; ++k) {
        const float *at = log->xyz + 3 * (size_t)group->indices[k];
        right &= group->x[k] == at[0] && group->y[k] == at[1] && group->z[k] == at[2];
        signature = (signature ^ group->indices[k]) * 1099511628211u;
    }
    for (uint32_t k = group->count; k < group->count + 8; ++k)
        right &= isinf(group->x[k]) && group->y[k] == 0 && group->z[k] == 0;
    for (uint32_t i = group->first; i < group->count; ++i) {
        const uint32_t me = group->indices[i];
        unsigned found = 0;
        for (uint32_t k = 0; k < group->count; ++k) {
            const float dx = group->x[k] - group->x[i], dy = group->y[k] - group->y[i], dz = group->z[k] - group->z[i];
            found += k != i && (dx * dx + dy * dy) + dz * dz <= log->radius * log->radius;
        }
        atomic_fetch_add(log->visits + me, 1);
        atomic_store(log->pairs + me, found);
        log->signatures[me] = signature;
    }
    if (!right) atomic_store(&log->broken, true);
}

static group_log make_log(const float *xyz, float radius, size_t n)
{
    group_log log = {.xyz = xyz, .radius = radius};
    log.visits = calloc(n + 1, sizeof *log.visits);
    log.pairs = calloc(n + 1, sizeof *log.pairs);
    log.signatures = calloc(n + 1, sizeof *log.signatures);
    CHECK(log.visits && log.pairs && log.signatures, "no memory");
    return log;
}

static void free_log(group_log *log)
{
    free(log->visits);
    free(log->pairs);
    free(log->signatures);
}

static mote_neighbors *make_search(mote_context *context, const char *method, float radius)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = (double)radius;
    def.features = MOTE_NEIGHBORS_GROUPS;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    return search;
}

// Groups of these points by every method that offers them, on several threads.
static void check_points(const char *what, const float *xyz, size_t n, float radius)
{
    static const uint32_t threads[] = {1, 2, 5};
    mote_neighbors *oracle = make_search(NULL, "all_pairs", radius);
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(oracle, mote_points_xyz(xyz, n), NULL));
    CHECK_OK(mote_neighbors_lists(oracle, &lists, NULL));
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!(info->features & MOTE_NEIGHBORS_GROUPS)) continue;
        group_log logs[3];
        for (int t = 0; t < 3; ++t) {
            mote_context *context = test_context_with_threads(threads[t]);
            mote_neighbors *search = make_search(context, info->name, radius);
            logs[t] = make_log(xyz, radius, n);
            CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, n), NULL));
            CHECK_OK(mote_neighbors_visit_groups(search, take_group, &logs[t], NULL));
            CHECK(!logs[t].broken, "%s: %s: a group holds what it should not", what, info->name);
            for (size_t i = 0; i < n; ++i)
                CHECK(logs[t].visits[i] == 1 && logs[t].pairs[i] == lists.counts[i] &&
                          logs[t].signatures[i] == logs[0].signatures[i],
                      "%s: %s: point %zu of %zu: in %u groups, %u neighbours instead of %u", what, info->name, i, n,
                      logs[t].visits[i], logs[t].pairs[i], lists.counts[i]);
            mote_neighbors_destroy(search);
            mote_context_destroy(context);
        }
        for (int t = 0; t < 3; ++t) free_log(&logs[t]);
    }
    mote_neighbors_destroy(oracle);
}

static void groups_hold_all_neighbors(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 24, 25, 333, SANITIZED ? 900 : 2000};
    static const float radii[] = {0.01f, 0.1f, 0.3f, 3};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (size_t r = 0; r < sizeof radii / sizeof *radii; r += SEEKS_RACES ? 2 : 1) {
            float *xyz = test_points_uniform(c + 1, counts[c], 3, 1);
            check_points("uniform", xyz, counts[c], radii[r]);
            free(xyz);
        }
}

static void crowds_and_outliers(void **state)
{
    (void)state;
    enum { COUNT = SANITIZED ? 900 : 1500 };
    float *xyz = test_points_uniform(5, COUNT, 3, 1);
    for (size_t i = 0; i < COUNT / 2; ++i) xyz[3 * i] = xyz[3 * i + 1] = xyz[3 * i + 2] = 0.25f;  // one place
    xyz[3 * COUNT - 1] = 1e6f;
    check_points("a crowd and an outlier", xyz, COUNT, 0.05f);
    for (size_t i = 0; i < COUNT; ++i) xyz[3 * i + 2] = 0;
    check_points("a plane", xyz, COUNT, 0.05f);
    for (size_t i = 0; i < 3 * COUNT; ++i) xyz[i] *= 1e-3f;
    check_points("all in one cell", xyz, COUNT, 0.05f);
    free(xyz);
}

static void what_has_no_groups_says_so(void **state)
{
    (void)state;
    static const uint32_t beside[] = {MOTE_NEIGHBORS_F64, MOTE_NEIGHBORS_RADII, MOTE_NEIGHBORS_PERIODIC,
                                      MOTE_NEIGHBORS_SKIN};
    mote_neighbors *search;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = def.skin = 1;
    for (size_t k = 0; k < sizeof beside / sizeof *beside; ++k) {
        mote_error error;
        def.features = MOTE_NEIGHBORS_GROUPS | beside[k];
        CHECK(mote_neighbors_create(NULL, &def, &search, &error) == MOTE_ERROR_UNSUPPORTED, "%u", beside[k]);
        CHECK(strncmp(error.text, "neighbors: groups are of float points with one radius", 53) == 0, "%s", error.text);
    }
    def.features = 0;
    float point[3] = {0, 0, 0};
    group_log log = make_log(point, 1, 1);
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK(mote_neighbors_visit_groups(search, take_group, &log, NULL) == MOTE_ERROR_UNSUPPORTED, "not asked for");
    mote_neighbors_destroy(search);
    search = make_search(NULL, NULL, 1);
    CHECK(mote_neighbors_visit_groups(search, take_group, &log, NULL) == MOTE_ERROR_STATE, "no points yet");
    CHECK(mote_neighbors_visit_groups(search, NULL, &log, NULL) == MOTE_ERROR_ARGUMENT, "no visitor");
    mote_neighbors_destroy(search);
    free_log(&log);
}

static void ignore_group(void *data, const mote_group *group, uint32_t worker)
{
    (void)data, (void)group, (void)worker;
}

typedef struct attempt_data {
    const char *method;
    const float *xyz;
    size_t count;
} attempt_data;

static mote_result visit_in(mote_context *context, void *data)
{
    const attempt_data *task = data;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = task->method;
    def.radius = 0.2;
    def.features = MOTE_NEIGHBORS_GROUPS;
    mote_neighbors *search;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    if (result != MOTE_OK) return result;
    result = mote_neighbors_update(search, mote_points_xyz(task->xyz, task->count), NULL);
    if (result == MOTE_OK) result = mote_neighbors_visit_groups(search, ignore_group, NULL, NULL);
    mote_neighbors_destroy(search);
    return result;
}

static void memory_runs_out(void **state)
{
    (void)state;
    enum { COUNT = 900 };
    float *xyz = test_points_uniform(9, COUNT, 3, 1);
    attempt_data all_pairs = {"all_pairs", xyz, COUNT}, cell_grid = {"cell_grid", xyz, COUNT};
    test_failing_allocations(visit_in, &all_pairs);
    test_failing_allocations(visit_in, &cell_grid);
    free(xyz);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_hold_all_neighbors),
        cmocka_unit_test(crowds_and_outliers),
        cmocka_unit_test(what_has_no_groups_says_so),
        cmocka_unit_test(memory_runs_out),
    };
    RUN_TESTS(tests, argc, argv);
}
