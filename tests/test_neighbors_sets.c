// SPDX-License-Identifier: MIT
// Several sets of points in one search: every pair of sets against brute force that knows nothing of the library
// (support/cloud.h), and against a search of its own for each pair; sets that come and go, stay as they are, or are
// empty.

#include <stdatomic.h>

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/test.h"

enum { SEEDS = SANITIZED ? 80 : 400, STEPS = 4, MOST_SETS = 5, BUDGET = 1500 };  // pairs of points of two sets

typedef struct world {
    uint64_t seed;
    mote_neighbors_def def;
    int dimensions;
    uint32_t count;  // sets
    cloud sets[MOST_SETS];
    bool changed[MOST_SETS], active[MOST_SETS * MOST_SETS];
    double largest;  // radius of any point
    brute_row brute, found;
} world;

static bool has(const world *w, uint32_t feature)
{
    return (w->def.features & feature) != 0;
}

static bool is_active(const world *w, uint32_t s, uint32_t t)
{
    return w->active[s * w->count + t];
}

static void free_world(world *w)
{
    for (int s = 0; s < MOST_SETS; ++s) cloud_free(&w->sets[s]);
    free(w->brute.hits);
    free(w->found.hits);
}

static mote_result update(const world *w, mote_neighbors *search, const bool *changed, mote_error *error)
{
    mote_points sets[MOST_SETS];
    const void *radii[MOST_SETS];
    for (uint32_t s = 0; s < w->count; ++s) {
        sets[s] = w->sets[s].points;
        radii[s] = w->sets[s].own_radii;
    }
    if (!has(w, MOTE_NEIGHBORS_RADII)) return mote_neighbors_update_sets(search, sets, w->count, changed, error);
    const ptrdiff_t stride = cloud_radius_stride(&w->sets[0]);
    return mote_neighbors_update_sets_radii(search, sets, radii, stride, w->count, changed, error);
}

// ------------------------------------------------------------------------------------------------ comparing rows

static void take_row(world *w, mote_row row)
{
    const bool f64 = has(w, MOTE_NEIGHBORS_F64), squared = has(w, MOTE_NEIGHBORS_DISTANCES);
    const bool differences = has(w, MOTE_NEIGHBORS_DIFFERENCES);
    if (row.count > w->found.room) {
        w->found.room = 2 * (size_t)row.count;
        w->found.hits = realloc(w->found.hits, w->found.room * sizeof *w->found.hits);
    }
    w->found.count = row.count;
    for (size_t k = 0; k < row.count; ++k) {
        brute_hit hit = {.index = row.indices[k]};
        if (squared) hit.squared = f64 ? row.squared_f64[k] : (double)row.squared[k];
        for (size_t a = 0; a < 3; ++a) {
            if (differences) hit.d[a] = f64 ? row.differences_f64[3 * k + a] : (double)row.differences[3 * k + a];
            if (has(w, MOTE_NEIGHBORS_PERIODIC)) hit.shift[a] = row.shifts[3 * k + a];
        }
        w->found.hits[k] = hit;
    }
}

// Compares the row of point i of set s with its neighbours in set t.
static void check_row(world *w, mote_row row, uint32_t s, uint32_t i, uint32_t t)
{
    const cloud *from = &w->sets[s], *into = &w->sets[t];
    const double radius = has(w, MOTE_NEIGHBORS_RADII) ? from->radii[i] : w->def.radius;
    const uint32_t self = s == t ? i : UINT32_MAX;
    brute_find(&w->def, into, from->xyz + 3 * (size_t)i, radius, self, 0, 2 * w->largest, &w->brute);
    take_row(w, row);
    brute_row *found = &w->found;
    CHECK(found->count == w->brute.count, "seed %d: point %u of set %u has %zu neighbours in set %u, expected %zu",
          (int)w->seed, i, s, found->count, t, w->brute.count);
    if (!has(w, MOTE_NEIGHBORS_ASCENDING) && found->count)
        qsort(found->hits, found->count, sizeof *found->hits, brute_compare);
    for (size_t k = 0; k < found->count; ++k) {
        const brute_hit *a = &w->brute.hits[k], *b = &found->hits[k];
        bool same = brute_compare(a, b) == 0;
        if (has(w, MOTE_NEIGHBORS_DISTANCES)) same &= a->squared == b->squared;
        for (int n = 0; n < 3 && has(w, MOTE_NEIGHBORS_DIFFERENCES); ++n) same &= a->d[n] == b->d[n];
        CHECK(same, "seed %d: point %u of set %u at %zu: %u of set %u, expected %u", (int)w->seed, i, s, k, b->index, t,
              a->index);
    }
}

static bool is_same_row(mote_row a, mote_row b, uint32_t offset)
{
    if (a.count != b.count) return false;
    for (uint32_t k = 0; k < a.count; ++k)
        if (a.indices[k] != b.indices[k] + offset) return false;
    const size_t n = a.count;
    if (n == 0) return true;
    if ((a.squared && memcmp(a.squared, b.squared, n * sizeof(float)) != 0) ||
        (a.squared_f64 && memcmp(a.squared_f64, b.squared_f64, n * sizeof(double)) != 0) ||
        (a.differences && memcmp(a.differences, b.differences, 3 * n * sizeof(float)) != 0) ||
        (a.differences_f64 && memcmp(a.differences_f64, b.differences_f64, 3 * n * sizeof(double)) != 0) ||
        (a.shifts && memcmp(a.shifts, b.shifts, 3 * n * sizeof(int32_t)) != 0))
        return false;
    return !a.squared == !b.squared && !a.squared_f64 == !b.squared_f64 && !a.shifts == !b.shifts;
}

// A pair's rows are those, in order and bits, of a search that knows only these two sets.
static void check_order(const world *w, mote_context *context, uint32_t s, uint32_t t, const mote_lists *lists)
{
    mote_neighbors *search;
    mote_lists own;
    const cloud *from = &w->sets[s], *into = &w->sets[t];
    const ptrdiff_t stride = cloud_radius_stride(from);
    const bool radii = has(w, MOTE_NEIGHBORS_RADII);
    CHECK_OK(mote_neighbors_create(context, &w->def, &search, NULL));
    if (radii)
        CHECK_OK(mote_neighbors_update_radii(search, into->points, into->own_radii, stride, NULL));
    else
        CHECK_OK(mote_neighbors_update(search, into->points, NULL));
    if (s == t)
        CHECK_OK(mote_neighbors_lists(search, &own, NULL));
    else if (radii)
        CHECK_OK(mote_neighbors_query_radii(search, from->points, from->own_radii, stride, &own, NULL));
    else
        CHECK_OK(mote_neighbors_query(search, from->points, &own, NULL));
    CHECK(own.count == lists->count && own.total == lists->total, "seed %d: %zu rows", (int)w->seed, lists->count);
    for (uint32_t i = 0; i < lists->count; ++i)
        CHECK(is_same_row(mote_lists_row(lists, i), mote_lists_row(&own, i), 0), "seed %d: row %u of pair %u %u",
              (int)w->seed, i, s, t);
    mote_neighbors_destroy(search);
}

static void check_pair(world *w, mote_context *context, uint32_t s, uint32_t t, const mote_lists *lists)
{
    if (!is_active(w, s, t)) {
        static const mote_lists none;
        CHECK(memcmp(lists, &none, sizeof none) == 0, "seed %d: lists of pair %u %u, which is not active",
              (int)w->seed, s, t);
        return;
    }
    CHECK(lists->count == w->sets[s].count, "seed %d: %zu rows of pair %u %u", (int)w->seed, lists->count, s, t);
    uint64_t total = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        check_row(w, mote_lists_row(lists, i), s, i, t);
        total += w->brute.count;
    }
    CHECK(lists->total == total, "seed %d: %llu in all", (int)w->seed, (unsigned long long)lists->total);
    if (!has(w, MOTE_NEIGHBORS_SKIN)) check_order(w, context, s, t, lists);  // else it is that of the last rebuild
}

// Rows as one are the rows of the pairs, one behind the other.
static void check_as_one(const world *w, const mote_lists *one, const mote_lists *pairs)
{
    uint32_t row = 0;
    uint64_t total = 0;
    for (uint32_t s = 0; s < w->count; ++s)
        for (uint32_t i = 0; i < w->sets[s].count; ++i, ++row) {
            mote_row joined = mote_lists_row(one, row);
            uint32_t at = 0, offset = 0;
            for (uint32_t t = 0; t < w->count; offset += (uint32_t)w->sets[t++].count) {
                if (!is_active(w, s, t)) continue;
                const mote_row own = mote_lists_row(&pairs[s * w->count + t], i);
                CHECK(at + own.count <= joined.count, "seed %d: row %u has %u", (int)w->seed, row, joined.count);
                mote_row part = joined;
                part.count = own.count;
                part.indices += at;
                if (part.squared) part.squared += at;
                if (part.squared_f64) part.squared_f64 += at;
                if (part.differences) part.differences += 3 * (size_t)at;
                if (part.differences_f64) part.differences_f64 += 3 * (size_t)at;
                if (part.shifts) part.shifts += 3 * (size_t)at;
                CHECK(is_same_row(part, own, offset), "seed %d: row %u, set %u", (int)w->seed, row, t);
                at += own.count;
            }
            CHECK(at == joined.count, "seed %d: row %u has %u, expected %u", (int)w->seed, row, joined.count, at);
            total += at;
        }
    CHECK(one->count == row && one->total == total, "seed %d: %zu rows", (int)w->seed, one->count);
}

// Rows that a visitor received: those of the lists, each once.
typedef struct visited_rows {
    const mote_lists *lists;
    atomic_size_t rows, entries, wrong;
} visited_rows;

static void compare_row(void *user_data, mote_row row, uint32_t worker)
{
    (void)worker;
    visited_rows *visited = user_data;
    const mote_row listed = mote_lists_row(visited->lists, row.index);
    bool same = row.count == listed.count;
    for (uint32_t k = 0; same && k < row.count; ++k) {
        same = row.indices[k] == listed.indices[k];
        for (uint32_t a = 0; same && row.shifts && a < 3; ++a)
            same = row.shifts[3 * k + a] == listed.shifts[3 * k + a];
    }
    atomic_fetch_add(&visited->rows, row.count > 0);
    atomic_fetch_add(&visited->entries, row.count);
    atomic_fetch_add(&visited->wrong, !same);
}

static void check_visit(const world *w, mote_neighbors *search, uint32_t s, uint32_t t, const mote_lists *lists)
{
    visited_rows visited = {.lists = lists};
    size_t rows = 0;
    CHECK_OK(mote_neighbors_visit_sets(search, s, t, compare_row, &visited, NULL));
    for (uint32_t i = 0; i < lists->count; ++i) rows += lists->counts[i] > 0;
    const size_t seen = atomic_load(&visited.rows), entries = atomic_load(&visited.entries);
    CHECK(seen == rows && entries == lists->total && atomic_load(&visited.wrong) == 0,
          "seed %d: set %u in set %u: visited %zu rows with %zu neighbours, listed %zu with %llu, %zu differ",
          (int)w->seed, s, t, seen, entries, rows, (unsigned long long)lists->total, atomic_load(&visited.wrong));
}

static void check_everything(world *w, mote_context *context, mote_neighbors *search, bool all)
{
    mote_lists lists[MOST_SETS * MOST_SETS], one;
    const size_t pairs = (size_t)w->count * w->count;
    for (size_t p = 0; p < pairs && all; ++p) w->active[p] = true;
    const bool *active = all ? NULL : w->active;
    CHECK_OK(mote_neighbors_validate(search, NULL));
    CHECK_OK(mote_neighbors_lists_of_sets(search, active, pairs, lists, NULL));
    for (uint32_t s = 0; s < w->count; ++s)
        for (uint32_t t = 0; t < w->count; ++t) check_pair(w, context, s, t, &lists[s * w->count + t]);
    CHECK_OK(mote_neighbors_lists_as_one(search, active, pairs, &one, NULL));
    // The memory of the pairs holds the same as before: their rows may lie elsewhere.
    CHECK_OK(mote_neighbors_lists_of_sets(search, active, pairs, lists, NULL));
    check_as_one(w, &one, lists);
    for (size_t p = 0; p < pairs; ++p)
        if (all || w->active[p]) check_visit(w, search, (uint32_t)(p / w->count), (uint32_t)(p % w->count), &lists[p]);
}

// ------------------------------------------------------------------------------------------------------ the matrix

static mote_scalar scalar_of(const world *w)
{
    return has(w, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32;
}

// Points, about as many as brute force can take with so many images; none at all now and then.
static size_t choose_count(const world *w, mote_random *random)
{
    double images = 1;
    for (int k = 0; k < w->dimensions && has(w, MOTE_NEIGHBORS_PERIODIC); ++k)
        if (w->def.period[k].x != 0 || w->def.period[k].y != 0 || w->def.period[k].z != 0) images *= 5;
    return mote_random_below(random, 5) == 0 ? 0 : (size_t)(2 * sqrt(BUDGET / images) * mote_random_unit(random));
}

// Another set in place of one, or the same with its points a little elsewhere.
static void change_set(world *w, mote_random *random, uint32_t s)
{
    cloud *set = &w->sets[s];
    w->changed[s] = true;
    if (set->xyz && mote_random_below(random, 2)) {
        for (size_t i = 0; i < 3 * set->count; ++i) set->xyz[i] += 0.05 * w->def.radius * mote_random_unit(random);
        cloud_refresh(set);
        return;
    }
    cloud_free(set);
    const double radius = w->def.radius / (has(w, MOTE_NEIGHBORS_RADII) ? 2 : 1);
    *set = cloud_random(random, scalar_of(w), w->dimensions, choose_count(w, random), radius);
    for (size_t i = 0; i < set->count; ++i) w->largest = fmax(w->largest, 2 * set->radii[i]);
}

static void check_seed(mote_context *context, const mote_neighbors_method_info *info, uint64_t seed)
{
    const uint32_t apart = MOTE_NEIGHBORS_GROUPS | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_SUBSET;
    mote_random random = {seed};
    world w = {.seed = seed, .def = mote_neighbors_default_def()};
    w.dimensions = 1 + (int)mote_random_below(&random, 3);
    w.def.method = info->name;
    w.def.features = MOTE_NEIGHBORS_QUERY;
    if (mote_random_below(&random, 4))  // else what most have: floats, one radius, indices
        w.def.features |= (uint32_t)mote_random_next(&random) & info->features & ~apart;
    w.def.radius_rule = (mote_radius_rule)mote_random_below(&random, 3);
    if (has(&w, MOTE_NEIGHBORS_HALF) && w.def.radius_rule == MOTE_RADIUS_MINE) w.def.radius_rule = MOTE_RADIUS_LARGER;
    if (has(&w, MOTE_NEIGHBORS_PERIODIC)) cloud_random_box(&random, w.dimensions, w.def.period);
    w.def.radius = (double)(float)((0.2 + mote_random_unit(&random)) * pow(40, -1.0 / w.dimensions));
    w.def.skin = 0.3 * w.def.radius;
    w.largest = w.def.radius;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    for (int step = 0; step < STEPS; ++step) {
        const uint32_t former = w.count;
        mote_error error = {.text = ""};
        w.count = 1 + mote_random_below(&random, MOST_SETS);
        for (uint32_t s = 0; s < w.count; ++s) {
            w.changed[s] = false;
            if (s >= former || mote_random_below(&random, 2)) change_set(&w, &random, s);
            if (s >= former) w.changed[s] = mote_random_below(&random, 2);  // no matter: it was not there
        }
        for (uint32_t p = 0; p < w.count * w.count; ++p) w.active[p] = mote_random_below(&random, 3) > 0;
        const bool all = mote_random_below(&random, 4) == 0;
        CHECK(update(&w, search, all ? NULL : w.changed, &error) == MOTE_OK, "seed %d: %s", (int)seed, error.text);
        check_everything(&w, context, search, all);
    }
    mote_neighbors_destroy(search);
    free_world(&w);
}

static void pairs_equal_brute_force(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    const mote_neighbors_method_info *info;
    for (uint64_t seed = 1; seed <= SEEDS; ++seed)
        for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
            if (info->exact && (m == 0 || seed % 16 == m % 16)) check_seed(context, info, seed);
    mote_context_destroy(context);
}

// ---------------------------------------------------------------------------------------------- threads, memory

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x9E3779B97F4A7C15u + (sum >> 29);
}

static uint64_t sum_lists(uint64_t sum, const mote_lists *lists)
{
    sum = mix(sum, lists->total);
    for (uint32_t i = 0; i < lists->count; ++i) {
        const mote_row row = mote_lists_row(lists, i);
        sum = mix(sum, row.count);
        for (uint32_t k = 0; k < row.count; ++k) {
            uint32_t bits = 0;
            if (row.squared) memcpy(&bits, &row.squared[k], sizeof bits);
            sum = mix(sum, row.indices[k] | (uint64_t)bits << 32);
        }
    }
    return sum;
}

// Three sets of float points in the unit cube.
static world make_three(uint32_t features, size_t count, uint64_t seed)
{
    mote_random random = {seed};
    world w = {.seed = seed, .def = mote_neighbors_default_def(), .dimensions = 3, .count = 3};
    w.def.features = features;
    w.def.radius = 1.5 * pow((double)count, -1.0 / 3);
    for (uint32_t s = 0; s < 3; ++s) {
        const size_t n = count >> s;
        double *xyz = malloc((3 * n + 1) * sizeof *xyz), *radii = malloc((n + 1) * sizeof *radii);
        for (size_t k = 0; k < 3 * n; ++k) xyz[k] = mote_random_unit(&random);
        for (size_t i = 0; i < n; ++i) radii[i] = w.def.radius * (0.5 + 0.5 * mote_random_unit(&random));
        w.sets[s] = cloud_make(scalar_of(&w), 3, n, xyz, radii);
    }
    return w;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {MOTE_NEIGHBORS_QUERY,
                                     MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_HALF,
                                     MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_ASCENDING};
    static const uint32_t threads[] = {1, 2, 5};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        uint64_t expected = 0;
        world w = make_three(kinds[k], SANITIZED ? 2000 : 8000, 5 + k);
        for (size_t n = 0; n < 3; ++n) {
            mote_context *context = test_context_with_threads(threads[n]);
            mote_neighbors *search;
            mote_lists lists[9], one;
            uint64_t sum = 0;
            CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
            CHECK_OK(update(&w, search, NULL, NULL));
            CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
            for (int p = 0; p < 9; ++p) sum = sum_lists(sum, &lists[p]);
            CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
            sum = sum_lists(sum, &one);
            CHECK(one.total > 9 * 1000, "only %llu neighbours", (unsigned long long)one.total);
            if (n == 0) expected = sum;
            CHECK(sum == expected, "kind %zu: %u threads find others", k, threads[n]);
            mote_neighbors_destroy(search);
            mote_context_destroy(context);
        }
        free_world(&w);
    }
}

// A life of growing sets, for every place where memory can fail.
typedef struct growth {
    world steps[3];
    uint64_t expected[3];
    bool is_known;
} growth;

static mote_result live(mote_context *context, void *data)
{
    growth *g = data;
    const int steps = SANITIZED ? 2 : 3;
    mote_neighbors *search = NULL;
    mote_result result = mote_neighbors_create(context, &g->steps[0].def, &search, NULL);
    if (result != MOTE_OK) return result;
    for (int step = 0; step < steps; ++step) {
        const world *w = &g->steps[step];
        const bool changed[3] = {true, false, step % 2 == 0};  // set 1 stays; what was lost is built all the same
        mote_lists lists[9], one;
        const size_t pairs = (size_t)w->count * w->count;
        result = update(w, search, step ? changed : NULL, NULL);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) {
            CHECK_OK(mote_neighbors_validate(search, NULL));
            result = update(w, search, changed, NULL);
        }
        CHECK_OK(result);
        result = mote_neighbors_lists_of_sets(search, NULL, pairs, lists, NULL);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) {
            for (size_t p = 0; p < pairs; ++p) CHECK(!lists[p].first && !lists[p].count, "lists after a failure");
            result = mote_neighbors_lists_of_sets(search, NULL, pairs, lists, NULL);
        }
        CHECK_OK(result);
        uint64_t sum = 0;
        for (size_t p = 0; p < pairs; ++p) sum = sum_lists(sum, &lists[p]);
        result = mote_neighbors_lists_as_one(search, NULL, pairs, &one, NULL);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) {
            CHECK(!one.first && !one.count, "rows as one after a failure");
            result = mote_neighbors_lists_as_one(search, NULL, pairs, &one, NULL);
        }
        CHECK_OK(result);
        sum = sum_lists(sum, &one);
        if (!g->is_known) g->expected[step] = sum;
        CHECK(sum == g->expected[step], "step %d finds other rows", step);
    }
    mote_neighbors_destroy(search);
    return MOTE_OK;
}

static void memory_fails_anywhere(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {MOTE_NEIGHBORS_QUERY, MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_F64 |
                                     MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES,
                                     MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_RADII, MOTE_NEIGHBORS_QUERY |
                                     MOTE_NEIGHBORS_PERIODIC, MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SKIN};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        growth g = {.is_known = false};
        for (int step = 0; step < 3; ++step) {
            g.steps[step] = make_three(kinds[k], 60 + 40 * (size_t)step, 3);
            g.steps[step].count = step == 0 ? 2 : 3;
            g.steps[step].def.radius = 0.1 + 0.1 * step;
            g.steps[step].def.skin = 0.01;
            g.steps[step].def.period[0].x = 0.9;
            if (step == 0) continue;
            cloud_free(&g.steps[step].sets[1]);  // the set that stays
            const cloud *first = &g.steps[0].sets[1];
            double *xyz = malloc((3 * first->count + 1) * sizeof *xyz);
            double *radii = malloc((first->count + 1) * sizeof *radii);
            memcpy(xyz, first->xyz, 3 * first->count * sizeof *xyz);
            memcpy(radii, first->radii, first->count * sizeof *radii);
            g.steps[step].sets[1] = cloud_make(first->scalar, 3, first->count, xyz, radii);
        }
        mote_context *context = test_context_with_threads(1);
        CHECK_OK(live(context, &g));
        mote_context_destroy(context);
        g.is_known = true;
        test_failing_allocations(live, &g);
        for (int step = 0; step < 3; ++step) free_world(&g.steps[step]);
    }
}

static void warm_calls_allocate_nothing(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    world w = make_three(MOTE_NEIGHBORS_QUERY, 3000, 11);
    mote_neighbors *search;
    mote_lists lists[9], one;
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    uint64_t allocations = 0;
    size_t bytes = 0;
    for (uint32_t step = 0; step < 12; ++step) {
        bool active[9];
        for (uint32_t p = 0; p < 9; ++p) active[p] = step < 4 || (step + p) % 3 != 0;
        const bool changed[3] = {true, step % 2 == 0, step % 4 == 3};
        w.count = step % 5 == 4 ? 2 : 3;
        const size_t pairs = (size_t)w.count * w.count;
        CHECK_OK(update(&w, search, changed, NULL));
        CHECK_OK(mote_neighbors_lists_of_sets(search, step % 2 ? active : NULL, pairs, lists, NULL));
        CHECK_OK(mote_neighbors_lists_as_one(search, active, pairs, &one, NULL));
        if (step == 3) {
            allocations = mote_context_allocation_count(context);
            bytes = mote_context_byte_count(context);
        }
    }
    CHECK(mote_context_allocation_count(context) == allocations, "%llu allocations when warm",
          (unsigned long long)(mote_context_allocation_count(context) - allocations));
    // The search counts the bytes that the context gave it, but for those that round blocks up.
    size_t list_bytes, own = mote_neighbors_byte_count(search, &list_bytes);
    CHECK(mote_context_byte_count(context) == bytes, "%zu bytes when warm", mote_context_byte_count(context));
    mote_neighbors_destroy(search);
    const size_t held = bytes - mote_context_byte_count(context), counted = own + list_bytes;
    CHECK(counted <= held && held - counted < 64 * 64, "%zu bytes counted, %zu held", counted, held);
    free_world(&w);
    mote_context_destroy(context);
}

// --------------------------------------------------------------------------------------------------- inspection

static void unchanged_sets_keep_their_structure(void **state)
{
    (void)state;
    world w = make_three(MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_PERMUTATION, 1000, 3);
    mote_neighbors *search;
    mote_lists lists[9];
    const uint32_t *order;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK(!mote_neighbors_search_of_set(search, 0), "a set that is not there");
    CHECK_OK(update(&w, search, NULL, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 3);
    const bool first[3] = {true, false, false}, none[3] = {false, false, false};
    CHECK_OK(update(&w, search, first, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 4);
    CHECK_OK(update(&w, search, none, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 4);
    w.count = 2;
    CHECK_OK(update(&w, search, none, NULL));
    w.count = 3;  // the third is there again, and built whatever is said
    CHECK_OK(update(&w, search, none, NULL));
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 5);
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
    const mote_neighbors_counters counters = mote_neighbors_get_counters(search);
    uint64_t total = 0;
    for (int p = 0; p < 9; ++p) total += lists[p].total;
    CHECK(counters.hits == total && counters.candidates >= total && counters.cells > 3, "counters");
    const char *text = mote_neighbors_explain(search);
    CHECK(strncmp(text, "3 sets; set 0: auto", 19) == 0, "says: %s", text);

    CHECK_OK(mote_neighbors_permutation_of_set(search, 2, &order, NULL));
    bool seen[1000] = {false};
    for (size_t k = 0; k < w.sets[2].count; ++k) {
        CHECK(order[k] < w.sets[2].count && !seen[order[k]], "no permutation");
        seen[order[k]] = true;
    }
    const mote_neighbors *inner = mote_neighbors_search_of_set(search, 2);
    CHECK(inner && mote_neighbors_get_counters(inner).rebuilds == 2, "the search of set 2");
    CHECK(!mote_neighbors_search_of_set(search, 3), "a set that is not there");
    mote_neighbors_destroy(search);
    free_world(&w);
}

static void lists_stay_valid_through_updates(void **state)
{
    (void)state;
    world w = make_three(MOTE_NEIGHBORS_QUERY, 600, 3), other = make_three(MOTE_NEIGHBORS_QUERY, 900, 4);
    mote_neighbors *search;
    mote_lists lists[9], more[9], own;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    w.count = 2;
    CHECK_OK(update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 4, lists, NULL));
    uint64_t sum = 0, now = 0;
    for (int p = 0; p < 4; ++p) sum = sum_lists(sum, &lists[p]);
    CHECK_OK(update(&other, search, NULL, NULL));  // more and larger sets
    CHECK_OK(mote_neighbors_update(search, other.sets[0].points, NULL));
    CHECK_OK(mote_neighbors_lists(search, &own, NULL));
    CHECK_OK(update(&other, search, NULL, NULL));
    for (int p = 0; p < 4; ++p) now = sum_lists(now, &lists[p]);
    CHECK(now == sum && lists[0].total > 0, "the lists hold something else");
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, more, NULL));
    mote_neighbors_destroy(search);
    free_world(&w);
    free_world(&other);
}

static void points_and_sets_take_turns(void **state)
{
    (void)state;
    world w = make_three(MOTE_NEIGHBORS_QUERY, 200, 3);
    mote_neighbors *search;
    mote_lists lists[9], own;
    mote_error error = {.text = ""};
    const bool none[3] = {false, false, false};
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, &error) == MOTE_ERROR_STATE, "lists of no sets");
    assert_string_equal(error.text, "neighbors: no sets yet, expected mote_neighbors_update_sets before");
    CHECK_OK(update(&w, search, none, NULL));
    CHECK(mote_neighbors_lists(search, &own, &error) == MOTE_ERROR_STATE, "lists of points");
    assert_string_equal(error.text, "neighbors: the search holds 3 sets, expected a call for sets, or "
                                    "mote_neighbors_update before");
    CHECK_OK(mote_neighbors_update(search, w.sets[0].points, NULL));
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL) == MOTE_ERROR_STATE, "lists of former sets");
    CHECK_OK(mote_neighbors_lists(search, &own, NULL));
    const uint64_t total = own.total;
    CHECK_OK(update(&w, search, none, NULL));  // all are built: they were forgotten
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL));
    CHECK(lists[0].total == total && total > 0, "%llu neighbours", (unsigned long long)lists[0].total);
    CHECK_OK(mote_neighbors_update_sets(search, NULL, 0, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_of_sets(search, NULL, 0, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 0, &own, NULL));
    CHECK(own.count == 0 && own.total == 0, "rows of no sets");
    mote_neighbors_destroy(search);
    free_world(&w);
}

static void period_reaches_every_set(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    world w = make_three(MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_PERIODIC, 30, 3);
    const bool none[3] = {false, false, false};
    mote_neighbors *search;
    mote_lists lists[9];
    w.def.period[0].x = w.def.period[1].y = 1;
    w.largest = w.def.radius;
    CHECK_OK(mote_neighbors_create(context, &w.def, &search, NULL));
    CHECK_OK(update(&w, search, NULL, NULL));
    check_everything(&w, context, search, true);
    w.def.period[0].x = 0.7;
    w.def.period[2].z = 1.5;
    CHECK_OK(mote_neighbors_set_period(search, w.def.period, w.def.period_origin, NULL));
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL) == MOTE_ERROR_STATE, "sets of another box");
    CHECK_OK(update(&w, search, none, NULL));
    check_everything(&w, context, search, true);
    mote_neighbors_destroy(search);
    free_world(&w);
    mote_context_destroy(context);
}

// ------------------------------------------------------------------------------------------------------- errors

// Expects a refusal with this text, after which the search holds what it held.
static void expect_refused(const world *w, mote_neighbors *search, const bool *changed, mote_result expected,
                           const char *text, uint64_t total)
{
    mote_error error = {.text = ""};
    mote_lists one;
    const mote_result result = update(w, search, changed, &error);
    CHECK(result == expected, "%s: %s", mote_result_name(result), error.text);
    assert_string_equal(error.text, text);
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours after the refusal, expected %llu", (unsigned long long)one.total,
          (unsigned long long)total);
}

static void arguments_are_refused(void **state)
{
    (void)state;
    world w = make_three(MOTE_NEIGHBORS_QUERY, 100, 3);
    const bool none[3] = {false, false, false};
    mote_neighbors *search;
    mote_lists one, lists[9];
    mote_error error;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    const uint64_t total = one.total;

    const mote_points kept = w.sets[1].points;
    w.sets[1].points.dimensions = 2;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT, "set 1: 2 dimensions, expected 3 as set 0 has", total);
    w.sets[1].points.dimensions = 7;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT, "set 1: dimensions is 7, expected 1, 2 or 3", total);
    w.sets[1].points = kept;
    w.sets[1].points.scalar = MOTE_F64;
    expect_refused(&w, search, NULL, MOTE_ERROR_UNSUPPORTED, "set 1: double coordinates, expected float ones", total);
    w.sets[1].points = kept;
    w.sets[1].points.axis[2] = NULL;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT, "set 1: axis[2] is NULL, expected an array", total);
    w.sets[1].points = kept;
    w.sets[1].points.count = 49;
    expect_refused(&w, search, none, MOTE_ERROR_ARGUMENT,
                   "set 1: said to be unchanged with 49 points, expected the 50 that it had", total);
    for (int s = 0; s < 3; ++s) w.sets[s].points.dimensions = 2;
    w.sets[1].points.count = 50;
    expect_refused(&w, search, none, MOTE_ERROR_ARGUMENT,
                   "set 0: said to be unchanged with 2 dimensions, expected the 3 that it had", total);
    for (int s = 0; s < 3; ++s) w.sets[s].points.dimensions = 3;
    w.def.features |= MOTE_NEIGHBORS_RADII;  // update gives radii
    expect_refused(&w, search, NULL, MOTE_ERROR_UNSUPPORTED,
                   "set 0: a radius each, expected MOTE_NEIGHBORS_RADII in the def's features", total);
    w.def.features &= ~(uint32_t)MOTE_NEIGHBORS_RADII;

    // An empty set has no dimension or type to disagree with.
    w.sets[1].points = (mote_points){.count = 0};
    CHECK_OK(update(&w, search, NULL, NULL));
    w.sets[1].points = kept;
    CHECK_OK(update(&w, search, NULL, NULL));

    CHECK(mote_neighbors_lists_of_sets(search, NULL, 4, lists, &error) == MOTE_ERROR_ARGUMENT, "a table of 4");
    assert_string_equal(error.text, "neighbors: a table of 4 pairs, expected 9 for 3 sets");
    CHECK(mote_neighbors_lists_as_one(search, NULL, 10, &one, &error) == MOTE_ERROR_ARGUMENT, "a table of 10");
    assert_string_equal(error.text, "neighbors: a table of 10 pairs, expected 9 for 3 sets");
    const uint32_t *order;
    CHECK(mote_neighbors_permutation_of_set(search, 3, &order, &error) == MOTE_ERROR_ARGUMENT, "set 3");
    assert_string_equal(error.text, "neighbors: set is 3, expected one below 3");

    // What is only found while a set is built leaves an empty search.
    ((float *)w.sets[2].coordinates)[4] = (float)INFINITY;
    CHECK(update(&w, search, NULL, &error) == MOTE_ERROR_NOT_FINITE, "infinite");
    CHECK(strncmp(error.text, "set 2: ", 7) == 0 && error.index == 1, "%s", error.text);
    CHECK(mote_neighbors_lists_of_sets(search, NULL, 9, lists, NULL) == MOTE_ERROR_STATE, "lists of no sets");
    CHECK(mote_neighbors_lists(search, &one, NULL) == MOTE_ERROR_STATE, "lists of no points");
    cloud_refresh(&w.sets[2]);
    CHECK_OK(update(&w, search, none, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours", (unsigned long long)one.total);
    mote_neighbors_destroy(search);
    free_world(&w);
}

static void queries_need_the_feature(void **state)
{
    (void)state;
    world w = make_three(0, 100, 3);
    mote_neighbors *search;
    mote_lists lists[9];
    mote_error error;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(update(&w, search, NULL, NULL));
    const bool own[9] = {true, false, false, false, true, false, false, false, true};
    CHECK_OK(mote_neighbors_lists_of_sets(search, own, 9, lists, NULL));
    CHECK(lists[4].count == 50 && lists[5].count == 0, "%zu rows", lists[4].count);
    const bool more[9] = {true, false, false, false, true, true};
    CHECK(mote_neighbors_lists_of_sets(search, more, 9, lists, &error) == MOTE_ERROR_UNSUPPORTED, "a query");
    assert_string_equal(error.text, "neighbors: set 1 looks into set 2, expected MOTE_NEIGHBORS_QUERY in the def's "
                                    "features");
    mote_neighbors_destroy(search);
    free_world(&w);
}

static void bad_radii_are_refused(void **state)
{
    (void)state;
    world w = make_three(MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_RADII, 100, 3);
    mote_neighbors *search;
    mote_lists one;
    mote_points sets[3];
    mote_error error;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    const uint64_t total = one.total;
    ((float *)w.sets[2].own_radii)[7] = -1;
    expect_refused(&w, search, NULL, MOTE_ERROR_ARGUMENT,
                   "radii of set 2: radius of point 7 is -1, expected 2^-50 to 2^62", total);
    cloud_refresh(&w.sets[2]);
    for (int s = 0; s < 3; ++s) sets[s] = w.sets[s].points;
    CHECK(mote_neighbors_update_sets(search, sets, 3, NULL, &error) == MOTE_ERROR_STATE, "no radii");
    assert_string_equal(error.text, "set 0: no radii, expected one for every point");
    const void *radii[3] = {w.sets[0].own_radii, NULL, w.sets[2].own_radii};
    CHECK(mote_neighbors_update_sets_radii(search, sets, radii, sizeof(float), 3, NULL, &error) ==
          MOTE_ERROR_ARGUMENT, "radii of two sets");
    assert_string_equal(error.text, "radii of set 1: NULL, expected an array of 50");
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours", (unsigned long long)one.total);
    mote_neighbors_destroy(search);
    free_world(&w);
}

// Only debug builds look.
static void changed_sets_are_noticed(void **state)
{
    (void)state;
    world w = make_three(MOTE_NEIGHBORS_QUERY, 100, 3);
    const bool none[3] = {false, false, false};
    mote_neighbors *search;
    mote_lists one;
    CHECK_OK(mote_neighbors_create(NULL, &w.def, &search, NULL));
    CHECK_OK(update(&w, search, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    const uint64_t total = one.total;
    w.sets[1].xyz[3] += 0.25;
    cloud_refresh(&w.sets[1]);
#if defined(MOTE_DEBUG)
    expect_refused(&w, search, none, MOTE_ERROR_ARGUMENT,
                   "set 1: said to be unchanged, but its 50 points are not those that it had", total);
#else
    CHECK_OK(update(&w, search, none, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 9, &one, NULL));
    CHECK(one.total == total, "%llu neighbours", (unsigned long long)one.total);
#endif
    CHECK_OK(update(&w, search, NULL, NULL));
    mote_neighbors_destroy(search);
    free_world(&w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_brute_force),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(memory_fails_anywhere),
        cmocka_unit_test(warm_calls_allocate_nothing),
        cmocka_unit_test(unchanged_sets_keep_their_structure),
        cmocka_unit_test(lists_stay_valid_through_updates),
        cmocka_unit_test(points_and_sets_take_turns),
        cmocka_unit_test(period_reaches_every_set),
        cmocka_unit_test(arguments_are_refused),
        cmocka_unit_test(queries_need_the_feature),
        cmocka_unit_test(bad_radii_are_refused),
        cmocka_unit_test(changed_sets_are_noticed),
    };
    RUN_TESTS(tests, argc, argv);
}
