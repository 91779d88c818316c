// SPDX-License-Identifier: MIT
// Compares the rows of pairs of sets with brute force that knows nothing of the library (support/cloud.h), and with a
// search of its own for each pair.

#include <stdatomic.h>
#include <string.h>

#include "neighbors/tested.h"
#include "neighbors_sets/world.h"
#include "support/test.h"

static void take_row(world *w, mote_row row)
{
    const bool f64 = world_has(w, MOTE_NEIGHBORS_F64), squared = world_has(w, MOTE_NEIGHBORS_DISTANCES);
    const bool differences = world_has(w, MOTE_NEIGHBORS_DIFFERENCES);
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
            if (world_has(w, MOTE_NEIGHBORS_PERIODIC)) hit.shift[a] = row.shifts[3 * k + a];
        }
        w->found.hits[k] = hit;
    }
}

// Compares the row of point i of set s with its neighbours in set t.
static void check_row(world *w, mote_row row, uint32_t s, uint32_t i, uint32_t t)
{
    const cloud *from = &w->sets[s], *into = &w->sets[t];
    const double radius = world_has(w, MOTE_NEIGHBORS_RADII) ? from->radii[i] : w->def.radius;
    const uint32_t self = s == t ? i : UINT32_MAX;
    brute_find(&w->def, into, from->xyz + 3 * (size_t)i, radius, self, 0, 2 * w->largest, &w->brute);
    take_row(w, row);
    brute_row *found = &w->found;
    CHECK(found->count == w->brute.count, "seed %d: point %u of set %u has %zu neighbours in set %u, expected %zu",
          (int)w->seed, i, s, found->count, t, w->brute.count);
    if (!world_has(w, MOTE_NEIGHBORS_ASCENDING) && found->count)
        qsort(found->hits, found->count, sizeof *found->hits, brute_compare);
    for (size_t k = 0; k < found->count; ++k) {
        const brute_hit *a = &w->brute.hits[k], *b = &found->hits[k];
        bool same = brute_compare(a, b) == 0;
        if (world_has(w, MOTE_NEIGHBORS_DISTANCES)) same &= a->squared == b->squared;
        for (int n = 0; n < 3 && world_has(w, MOTE_NEIGHBORS_DIFFERENCES); ++n) same &= a->d[n] == b->d[n];
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

void world_check_order(const world *w, mote_context *context, uint32_t s, uint32_t t, const mote_lists *lists)
{
    mote_neighbors *search;
    mote_lists own;
    const cloud *from = &w->sets[s], *into = &w->sets[t];
    const ptrdiff_t stride = cloud_radius_stride(from);
    const bool radii = world_has(w, MOTE_NEIGHBORS_RADII);
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
    if (!world_pair_is_active(w, s, t)) {
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
    // With a skin it is that of the last rebuild.
    if (!world_has(w, MOTE_NEIGHBORS_SKIN)) world_check_order(w, context, s, t, lists);
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
                if (!world_pair_is_active(w, s, t)) continue;
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

// How often the row of each point was passed, and whether it was that of the lists.
typedef struct passed_rows {
    const mote_lists *lists;
    atomic_uchar *times;
    atomic_size_t wrong;
} passed_rows;

static void count_row(void *user_data, mote_row row, uint32_t worker)
{
    (void)worker;
    passed_rows *passed = user_data;
    const mote_row listed = mote_lists_row(passed->lists, row.index);
    const size_t bytes = listed.count * sizeof *row.indices;
    const bool same = row.count == listed.count && (bytes == 0 || memcmp(row.indices, listed.indices, bytes) == 0);
    atomic_fetch_add(&passed->times[row.index], 1);
    atomic_fetch_add(&passed->wrong, !same);
}

// A visit of some rows: those that are wanted once, others once at most.
static void check_visit_of_some(const world *w, mote_neighbors *search, uint32_t s, const mote_lists *lists)
{
    mote_random random = {(uint64_t)w->seed + s};
    const size_t count = mote_random_below(&random, (uint32_t)lists->count + 1);
    const uint32_t share = 1 + mote_random_below(&random, 30);
    uint8_t *flags = calloc(lists->count + 1, 1);
    for (size_t i = 0; i < count; ++i) flags[i] = mote_random_below(&random, share) == 0;
    for (int has_flags = 0; has_flags < 2; ++has_flags) {
        passed_rows passed = {.lists = lists, .times = calloc(lists->count + 1, 1)};
        size_t missed = 0, repeated = 0;
        CHECK_OK(mote_neighbors_visit_some(search, s, has_flags ? flags : NULL, count, count_row, &passed, NULL));
        for (size_t i = 0; i < lists->count; ++i) {
            const unsigned times = atomic_load(&passed.times[i]);
            missed += i < count && (flags[i] || !has_flags) && times == 0;
            repeated += times > 1;
        }
        CHECK(missed == 0 && repeated == 0 && atomic_load(&passed.wrong) == 0,
              "seed %d: set %u, %zu of %zu rows are wanted: %zu missed, %zu repeated, %zu differ", (int)w->seed, s,
              count, lists->count, missed, repeated, atomic_load(&passed.wrong));
        free((void *)passed.times);
    }
    free(flags);
}

void world_check(world *w, mote_context *context, mote_neighbors *search, bool all)
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
    for (uint32_t s = 0; s < w->count; ++s)
        if (all || w->active[s * w->count + s]) check_visit_of_some(w, search, s, &lists[s * w->count + s]);
}
