// SPDX-License-Identifier: MIT
// Lists that are taken from a search: they hold what they held, whatever happens to the search; memory that is given
// back is used again. A twin of every search, which never gives its lists away, says what the lists should be.

#include <pthread.h>

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/test.h"

enum { SEQUENCES = SEEKS_RACES ? 300 : SANITIZED ? 450 : 1000, OPERATIONS = 40, POINTS = 60, MOST_KEPT = 4 };

// ------------------------------------------------------------------------------------------------- copies of lists

// All that lists hold, as bytes.
typedef struct copy {
    unsigned char *bytes;
    size_t count, room;
} copy;

static void append(copy *to, const void *data, size_t bytes)
{
    if (to->count + bytes > to->room) {
        to->room = 2 * (to->count + bytes);
        to->bytes = realloc(to->bytes, to->room);
    }
    if (data && bytes) {
        memcpy(to->bytes + to->count, data, bytes);
        to->count += bytes;
    }
}

static copy copy_lists(const mote_lists *lists)
{
    copy made = {0};
    append(&made, &lists->count, sizeof lists->count);
    append(&made, &lists->total, sizeof lists->total);
    for (uint32_t i = 0; i < lists->count; ++i) {
        const mote_row row = mote_lists_row(lists, i);
        append(&made, &row.count, sizeof row.count);
        append(&made, row.indices, row.count * sizeof *row.indices);
        append(&made, row.squared, row.count * sizeof *row.squared);
        append(&made, row.squared_f64, row.count * sizeof *row.squared_f64);
        append(&made, row.differences, 3 * row.count * sizeof *row.differences);
        append(&made, row.differences_f64, 3 * row.count * sizeof *row.differences_f64);
        append(&made, row.shifts, 3 * row.count * sizeof *row.shifts);
    }
    return made;
}

static bool is_copy_of(const copy *copied, const mote_lists *lists)
{
    copy now = copy_lists(lists);
    const bool same = now.count == copied->count && memcmp(now.bytes, copied->bytes, now.count) == 0;
    free(now.bytes);
    return same;
}

// ------------------------------------------------------------------------------------------------ random sequences

typedef struct kept_copy {
    mote_kept_lists *lists;
    copy copied;
    bool is_orphan;  // its search was destroyed
} kept_copy;

typedef struct sequence {
    int seed;
    mote_context *context;
    mote_random random;
    mote_neighbors_def def;
    mote_neighbors *search, *twin;
    bool has_points, has_lists;  // whether lists can be taken
    copy latest;
    kept_copy kept[MOST_KEPT];
    int count;
} sequence;

static bool has(const sequence *s, uint32_t feature)
{
    return (s->def.features & feature) != 0;
}

static void create_searches(sequence *s)
{
    CHECK_OK(mote_neighbors_create(s->context, &s->def, &s->search, NULL));
    CHECK_OK(mote_neighbors_create(s->context, &s->def, &s->twin, NULL));
    s->has_points = s->has_lists = false;
}

static void destroy_searches(sequence *s)
{
    mote_neighbors_destroy(s->search);
    mote_neighbors_destroy(s->twin);
}

static cloud random_cloud(sequence *s)
{
    const size_t count = mote_random_below(&s->random, 8) == 0 ? 0 : 1 + mote_random_below(&s->random, POINTS);
    return cloud_random(&s->random, has(s, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32, 3, count, s->def.radius);
}

static mote_result update_one(const sequence *s, mote_neighbors *search, const cloud *set)
{
    if (!has(s, MOTE_NEIGHBORS_RADII)) return mote_neighbors_update(search, set->points, NULL);
    return mote_neighbors_update_radii(search, set->points, set->own_radii, cloud_radius_stride(set), NULL);
}

static void update(sequence *s)
{
    cloud set = random_cloud(s);
    const mote_result result = update_one(s, s->search, &set), expected = update_one(s, s->twin, &set);
    CHECK(result == expected, "seed %d: %s", s->seed, mote_result_name(result));
    s->has_points = result == MOTE_OK;
    s->has_lists = false;
    cloud_free(&set);
}

enum { LISTS, SUBSET, QUERY, NEAREST, CALLS };

static mote_result call(const sequence *s, mote_neighbors *search, int what, const cloud *queries, uint32_t number,
                        mote_lists *lists)
{
    const uint32_t subset[3] = {number % 3, 0, number % 7};  // which the set may not have
    if (what == SUBSET) return mote_neighbors_subset(search, subset, 3, lists, NULL);
    if (what == QUERY && has(s, MOTE_NEIGHBORS_RADII))
        return mote_neighbors_query_radii(search, queries->points, queries->own_radii, cloud_radius_stride(queries),
                                          lists, NULL);
    if (what == QUERY) return mote_neighbors_query(search, queries->points, lists, NULL);
    if (what == NEAREST) return mote_neighbors_nearest(search, NULL, number % 5, lists, NULL);
    return mote_neighbors_lists(search, lists, NULL);
}

static void find_lists(sequence *s)
{
    cloud queries = random_cloud(s);
    const uint32_t number = mote_random_below(&s->random, 1000);
    const int what = (int)mote_random_below(&s->random, CALLS);
    mote_lists found, expected;
    const mote_result result = call(s, s->search, what, &queries, number, &found);
    CHECK(result == call(s, s->twin, what, &queries, number, &expected), "seed %d: call %d: %s", s->seed, what,
          mote_result_name(result));
    free(s->latest.bytes);
    s->latest = copy_lists(&expected);
    CHECK(is_copy_of(&s->latest, &found), "%s, seed %d: call %d finds other rows", s->def.method, s->seed, what);
    s->has_lists = result == MOTE_OK;
    cloud_free(&queries);
}

static void ignore_row(void *data, mote_row row, uint32_t worker)
{
    (void)data, (void)row, (void)worker;
}

static bool ignore_chunk(void *data, const mote_lists *chunk, uint32_t first)
{
    (void)data, (void)chunk, (void)first;
    return true;
}

static void take(sequence *s)
{
    if (s->count == MOST_KEPT) return;
    kept_copy *at = &s->kept[s->count];
    *at = (kept_copy){.lists = NULL};
    const mote_result result = mote_neighbors_take_lists(s->search, &at->lists, NULL);
    CHECK(result == (s->has_lists ? MOTE_OK : MOTE_ERROR_STATE), "seed %d: %s", s->seed, mote_result_name(result));
    CHECK((result == MOTE_OK) == (at->lists != NULL), "seed %d", s->seed);
    if (result != MOTE_OK) return;
    s->has_lists = false;
    at->copied = s->latest;
    s->latest = (copy){0};
    s->count += 1;
}

static void check_kept(const sequence *s, const kept_copy *at)
{
    CHECK(is_copy_of(&at->copied, mote_kept_lists_get(at->lists)), "%s, seed %d: kept rows changed", s->def.method,
          s->seed);
}

// Gives one of the kept lists back, or destroys it.
static void end_one(sequence *s, bool gives)
{
    if (s->count == 0) return;
    const uint32_t place = mote_random_below(&s->random, (uint32_t)s->count);
    kept_copy *at = &s->kept[place];
    if (gives) {
        const mote_result result = mote_neighbors_give_lists(s->search, at->lists, NULL);
        CHECK(result == (at->is_orphan ? MOTE_ERROR_ARGUMENT : MOTE_OK), "seed %d: %s", s->seed,
              mote_result_name(result));
        if (result != MOTE_OK) return;
        CHECK(mote_neighbors_give_lists(s->search, at->lists, NULL) == MOTE_ERROR_STATE, "seed %d: twice", s->seed);
    }
    mote_kept_lists_destroy(at->lists);  // does nothing if it was given back
    free(at->copied.bytes);
    *at = s->kept[--s->count];
}

static void operate(sequence *s)
{
    const uint32_t what = mote_random_below(&s->random, 32);
    if (what < 5)
        update(s);
    else if (what < 15)
        find_lists(s);
    else if (what < 22)
        take(s);
    else if (what < 27)
        end_one(s, true);
    else if (what < 29)
        end_one(s, false);
    else if (what == 29 && s->has_points)  // visits leave lists alone
        CHECK_OK(mote_neighbors_visit(s->search, ignore_row, NULL, NULL));
    else if (what == 30) {
        const mote_result result = mote_neighbors_chunks(s->search, 500, ignore_chunk, NULL, NULL);
        CHECK((result == MOTE_OK) == (s->has_points && has(s, MOTE_NEIGHBORS_SUBSET)), "seed %d", s->seed);
        s->has_lists = false;
    } else if (what == 31 && mote_random_below(&s->random, 3) == 0) {
        destroy_searches(s);
        create_searches(s);
        for (int k = 0; k < s->count; ++k) s->kept[k].is_orphan = true;
    }
    for (int k = 0; k < s->count; ++k) check_kept(s, &s->kept[k]);
}

static void run_sequence(mote_context *context, int seed)
{
    sequence s = {.seed = seed, .context = context, .random = {(uint64_t)seed}, .def = mote_neighbors_default_def()};
    size_t methods = 0;
    while (mote_neighbors_method_at(methods)) ++methods;
    const mote_neighbors_method_info *info = mote_neighbors_method_at((size_t)seed / 3 % methods);
    const uint32_t random = (uint32_t)mote_random_next(&s.random) | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY;
    s.def.method = info->name;
    s.def.features = random & info->features & ~(uint32_t)MOTE_NEIGHBORS_GROUPS;  // which do without other features
    s.def.radius = 0.15;
    s.def.skin = 0.02;
    s.def.radius_rule = MOTE_RADIUS_LARGER;
    s.def.period[0].x = 0.9;
    s.def.period[1].y = 1.1;
    create_searches(&s);
    for (int k = 0; k < OPERATIONS; ++k) operate(&s);
    destroy_searches(&s);
    for (int k = 0; k < s.count; ++k) check_kept(&s, &s.kept[k]);
    for (int k = 0; k < s.count; ++k) {
        mote_kept_lists_destroy(s.kept[k].lists);
        free(s.kept[k].copied.bytes);
    }
    free(s.latest.bytes);
}

static void kept_rows_hold_what_they_held(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    for (int t = 0; t < 3; ++t) {
        mote_context *context = test_context_with_threads(threads[t]);
        const size_t empty = mote_context_byte_count(context);
        for (int seed = t; seed < SEQUENCES; seed += 3) run_sequence(context, seed);
        CHECK(mote_context_byte_count(context) == empty, "%u threads: %zu bytes left", threads[t],
              mote_context_byte_count(context) - empty);
        mote_context_destroy(context);
    }
}

// ---------------------------------------------------------------------------------------------------------- memory

static const uint32_t all_columns = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC |
                                    MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_NEAREST;

static mote_neighbors *create(mote_context *context, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.2;
    def.skin = 0.02;
    def.features = features;
    def.period[0].x = 1.3;
    mote_neighbors *search = NULL;
    const mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    CHECK(result == MOTE_OK || result == MOTE_ERROR_OUT_OF_MEMORY, "%s", mote_result_name(result));
    return search;
}

// Points uniform in a cube of that edge.
static cloud make_cube(uint64_t seed, mote_scalar scalar, size_t count, double edge)
{
    mote_random random = {seed};
    double *xyz = malloc((3 * count + 1) * sizeof *xyz), *radii = calloc(count + 1, sizeof *radii);
    for (size_t k = 0; k < 3 * count; ++k) xyz[k] = edge * mote_random_unit(&random);
    return cloud_make(scalar, 3, count, xyz, radii);
}

// One round of a program that keeps the lists of its last steps.
static void warm_round(mote_neighbors *search, const cloud *set, mote_kept_lists *held[3], int round)
{
    const uint32_t subset[] = {3, 1, 2};
    mote_lists lists;
    CHECK_OK(mote_neighbors_update(search, set->points, NULL));
    CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
    for (int k = 0; k < 3; ++k) {
        mote_kept_lists **at = &held[(round + k) % 3];
        if (k == 1) CHECK_OK(mote_neighbors_subset(search, subset, 3, &lists, NULL));
        if (k == 2) CHECK_OK(mote_neighbors_query(search, set->points, &lists, NULL));
        if (*at && (round + k) % 2) {  // given back before or after the lists are taken
            CHECK_OK(mote_neighbors_give_lists(search, *at, NULL));
            *at = NULL;
        }
        mote_kept_lists *taken;
        CHECK_OK(mote_neighbors_take_lists(search, &taken, NULL));
        if (*at) CHECK_OK(mote_neighbors_give_lists(search, *at, NULL));
        *at = taken;
    }
}

static void warm_nothing_is_allocated(void **state)
{
    (void)state;
    static const uint32_t features[] = {0, MOTE_NEIGHBORS_SKIN, MOTE_NEIGHBORS_F64};
    enum { KINDS = 3, WARM = 24, ROUNDS = 72 };
    for (int f = 0; f < KINDS; ++f)
        for (uint32_t threads = 1; threads <= 2; ++threads) {
            mote_context *context = test_context_with_threads(threads);
            mote_neighbors *search = create(context, features[f] | all_columns);
            const mote_scalar scalar = features[f] & MOTE_NEIGHBORS_F64 ? MOTE_F64 : MOTE_F32;
            cloud sets[4];
            for (int k = 0; k < 4; ++k) sets[k] = make_cube((uint64_t)k, scalar, 300 + 50 * (size_t)k, 1);
            mote_kept_lists *held[3] = {NULL, NULL, NULL};
            uint64_t allocations = 0;
            for (int round = 0; round < ROUNDS; ++round) {
                warm_round(search, &sets[round % 4], held, round);
                if (round < WARM) allocations = mote_context_allocation_count(context);
            }
            CHECK(mote_context_allocation_count(context) == allocations, "kind %d, %u threads: %d allocations", f,
                  threads, (int)(mote_context_allocation_count(context) - allocations));
            size_t list_bytes, bytes = mote_neighbors_byte_count(search, &list_bytes) + list_bytes;
            for (int k = 0; k < 3; ++k) bytes += mote_kept_lists_byte_count(held[k]);
            const size_t all = mote_context_byte_count(context);
            CHECK(bytes <= all && bytes > all - 4096, "%zu of %zu bytes", bytes, all);
            mote_neighbors_destroy(search);
            for (int k = 0; k < 3; ++k) mote_kept_lists_destroy(held[k]);
            for (int k = 0; k < 4; ++k) cloud_free(&sets[k]);
            mote_context_destroy(context);
        }
}

// Lists move without a copy, and of what was given back the largest is used first.
static void the_largest_is_used_first(void **state)
{
    (void)state;
    cloud set = make_cube(3, MOTE_F32, 3000, 1);
    mote_neighbors *search = create(NULL, all_columns);
    mote_lists lists;
    mote_kept_lists *kept[3];
    static const size_t counts[] = {100, 3000, 1000};
    size_t bytes[3], list_bytes, list_bytes_before;
    for (int k = 0; k < 3; ++k) {
        mote_points points = set.points;
        points.count = counts[k];
        CHECK_OK(mote_neighbors_update(search, points, NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        CHECK_OK(mote_neighbors_take_lists(search, &kept[k], NULL));
        const mote_lists *same = mote_kept_lists_get(kept[k]);
        CHECK(same->indices == lists.indices && same->first == lists.first && same->counts == lists.counts &&
              same->squared == lists.squared && same->differences == lists.differences &&
              same->shifts == lists.shifts && same->total == lists.total && same->count == counts[k], "a copy");
        bytes[k] = mote_kept_lists_byte_count(kept[k]);
    }
    mote_neighbors_byte_count(search, &list_bytes_before);
    for (int k = 0; k < 3; ++k) {
        CHECK_OK(mote_neighbors_give_lists(search, kept[k], NULL));
        CHECK(mote_kept_lists_get(kept[k])->count == 0 && mote_kept_lists_get(kept[k])->indices == NULL, "still there");
    }
    mote_neighbors_byte_count(search, &list_bytes);
    CHECK(list_bytes == list_bytes_before + bytes[0] + bytes[1] + bytes[2], "%zu bytes", list_bytes);
    static const int expected[] = {1, 2, 0};
    for (int k = 0; k < 3; ++k) {
        CHECK_OK(mote_neighbors_update(search, (mote_points){.count = 0, .scalar = MOTE_F32, .dimensions = 3}, NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        CHECK_OK(mote_neighbors_take_lists(search, &kept[k], NULL));
        CHECK(mote_kept_lists_byte_count(kept[k]) == bytes[expected[k]], "place %d: %zu bytes, expected %zu", k,
              mote_kept_lists_byte_count(kept[k]), bytes[expected[k]]);
    }
    mote_neighbors_destroy(search);
    for (int k = 0; k < 3; ++k) mote_kept_lists_destroy(kept[k]);
    cloud_free(&set);
}

// Finds lists of the first `count` points.
static mote_result list_first(mote_neighbors *search, const cloud *set, size_t count, mote_lists *lists,
                              mote_error *error)
{
    mote_points points = set->points;
    points.count = count;
    CHECK_OK(mote_neighbors_update(search, points, NULL));
    return mote_neighbors_lists(search, lists, error);
}

static mote_context *context_with_budget(size_t bytes)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    if (bytes) def.max_bytes = bytes;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    return context;
}

// Memory that lies idle does not keep lists from being found that fit into the byte budget without it.
static void idle_memory_makes_room(void **state)
{
    (void)state;
    enum { COUNT = 3000, SOME = 1000 };
    cloud set = make_cube(5, MOTE_F32, COUNT, 0.5);
    mote_lists lists;
    mote_error error = {0};
    mote_context *context = context_with_budget(0);
    mote_neighbors *search = create(context, 0);
    CHECK_OK(list_first(search, &set, COUNT, &lists, NULL));
    copy all = copy_lists(&lists);
    const size_t needed = mote_context_byte_count(context);
    mote_neighbors_destroy(search);
    mote_context_destroy(context);

    context = context_with_budget(needed + needed / 16);
    search = create(context, 0);
    mote_kept_lists *kept[2];
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(list_first(search, &set, SOME, &lists, NULL));
        CHECK_OK(mote_neighbors_take_lists(search, &kept[k], NULL));
    }
    CHECK(list_first(search, &set, COUNT, &lists, &error) == MOTE_ERROR_OUT_OF_MEMORY, "all fits");
    CHECK(strstr(error.text, "neighbors: no memory for the lists") != NULL, "%s", error.text);
    mote_kept_lists *none = NULL;
    CHECK(mote_neighbors_take_lists(search, &none, NULL) == MOTE_ERROR_STATE && !none, "taken after a failure");
    for (int k = 0; k < 2; ++k) CHECK_OK(mote_neighbors_give_lists(search, kept[k], NULL));
    error = (mote_error){0};
    CHECK_OK(list_first(search, &set, COUNT, &lists, &error));
    CHECK(error.result == MOTE_OK && !error.text[0], "%s", error.text);
    CHECK(is_copy_of(&all, &lists), "other rows");
    mote_neighbors_destroy(search);
    mote_context_destroy(context);
    free(all.bytes);
    cloud_free(&set);
}

// A life in which each call is made again if it failed; kept lists and those not yet taken survive the failure.
typedef struct life {
    mote_neighbors *search;
    mote_kept_lists *kept[3];
    copy copied[3];
    int failures;
} life;

static void survive(life *l, mote_result result)
{
    CHECK(result == MOTE_ERROR_OUT_OF_MEMORY, "%s", mote_result_name(result));
    l->failures += 1;
    CHECK_OK(mote_neighbors_validate(l->search, NULL));
    for (int k = 0; k < 3; ++k)
        if (l->kept[k]) CHECK(is_copy_of(&l->copied[k], mote_kept_lists_get(l->kept[k])), "kept lists changed");
}

// Updates, finds lists and takes them as number k.
static void live_step(life *l, const cloud *set, int k)
{
    mote_lists lists;
    mote_result result = mote_neighbors_update(l->search, set->points, NULL);
    if (result != MOTE_OK) {
        survive(l, result);
        CHECK_OK(mote_neighbors_update(l->search, set->points, NULL));
    }
    result = mote_neighbors_lists(l->search, &lists, NULL);
    if (result != MOTE_OK) {
        survive(l, result);
        CHECK(mote_neighbors_take_lists(l->search, &l->kept[k], NULL) == MOTE_ERROR_STATE, "lists of a failed call");
        CHECK_OK(mote_neighbors_lists(l->search, &lists, NULL));
    }
    l->copied[k] = copy_lists(&lists);
    mote_kept_lists *taken = NULL;
    result = mote_neighbors_take_lists(l->search, &taken, NULL);
    if (result != MOTE_OK) {
        survive(l, result);
        CHECK(taken == NULL && is_copy_of(&l->copied[k], &lists), "lists are gone for want of a handle");
        CHECK_OK(mote_neighbors_take_lists(l->search, &taken, NULL));
    }
    l->kept[k] = taken;
}

static void give_back(life *l, int k)
{
    CHECK_OK(mote_neighbors_give_lists(l->search, l->kept[k], NULL));
    l->kept[k] = NULL;
    free(l->copied[k].bytes);
}

static mote_result live(mote_context *context, void *data)
{
    const uint32_t features = *(const uint32_t *)data;
    const mote_scalar scalar = features & MOTE_NEIGHBORS_F64 ? MOTE_F64 : MOTE_F32;
    life l = {.search = create(context, features)};
    if (!l.search) return MOTE_ERROR_OUT_OF_MEMORY;
    cloud small = make_cube(1, scalar, 40, 1), large = make_cube(2, scalar, 160, 0.3);
    live_step(&l, &small, 0);
    live_step(&l, &small, 1);
    live_step(&l, &large, 2);
    give_back(&l, 0);
    give_back(&l, 1);
    live_step(&l, &large, 0);  // a memory that was given back has to grow
    live_step(&l, &large, 1);
    for (int k = 0; k < 3; ++k) CHECK(is_copy_of(&l.copied[k], mote_kept_lists_get(l.kept[k])), "kept lists changed");
    give_back(&l, 1);
    mote_neighbors_destroy(l.search);
    for (int k = 0; k < 3; k += 2) {
        CHECK(is_copy_of(&l.copied[k], mote_kept_lists_get(l.kept[k])), "kept lists changed with the search's end");
        mote_kept_lists_destroy(l.kept[k]);
        free(l.copied[k].bytes);
    }
    cloud_free(&small);
    cloud_free(&large);
    return l.failures ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

static void memory_fails(void **state)
{
    (void)state;
    const uint32_t features[] = {0, all_columns, all_columns | MOTE_NEIGHBORS_F64, MOTE_NEIGHBORS_SKIN};
    for (size_t k = 0; k < sizeof features / sizeof *features; ++k)
        test_failing_allocations(live, (void *)(uintptr_t)&features[k]);
}

// --------------------------------------------------------------------------------------------------------- threads

typedef struct reader {
    pthread_t thread;
    mote_kept_lists *kept;
    copy copied;
    bool is_same;
} reader;

static void *read_and_destroy(void *data)
{
    reader *r = data;
    r->is_same = is_copy_of(&r->copied, mote_kept_lists_get(r->kept));
    mote_kept_lists_destroy(r->kept);
    return NULL;
}

// Other threads read and destroy kept lists while the search goes on, and while it is destroyed.
static void other_threads_end_lists(void **state)
{
    (void)state;
    enum { ROUNDS = 12 };
    mote_context *context = test_context_with_threads(2);
    mote_neighbors *search = create(context, all_columns);
    reader readers[ROUNDS];
    for (int k = 0; k < ROUNDS; ++k) {
        cloud set = make_cube((uint64_t)k, MOTE_F32, 500, 1);
        mote_lists lists;
        CHECK_OK(mote_neighbors_update(search, set.points, NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        readers[k].copied = copy_lists(&lists);
        CHECK_OK(mote_neighbors_take_lists(search, &readers[k].kept, NULL));
        CHECK(pthread_create(&readers[k].thread, NULL, read_and_destroy, &readers[k]) == 0, "no thread");
        cloud_free(&set);
    }
    mote_neighbors_destroy(search);
    for (int k = 0; k < ROUNDS; ++k) {
        pthread_join(readers[k].thread, NULL);
        CHECK(readers[k].is_same, "round %d: kept rows changed", k);
        free(readers[k].copied.bytes);
    }
    mote_context_destroy(context);
}

// ---------------------------------------------------------------------------------------------------------- errors

static void check_text(mote_result result, mote_result expected, const mote_error *error, const char *text, int line)
{
    CHECK(result == expected && error->result == expected && strcmp(error->text, text) == 0,
          "line %d: %s: %s", line, mote_result_name(result), error->text);
}

#define CHECK_TEXT(call, expected, text)                                \
    do {                                                                \
        error = (mote_error){0};                                        \
        const mote_result result = (call);                              \
        check_text(result, expected, &error, text, __LINE__);           \
    } while (0)

static const char nothing_to_take[] =
    "neighbors: no lists to take, expected a lists, subset, query or nearest call just before";
static const char given_already[] = "kept: lists that were given back already, expected lists that "
                                    "mote_neighbors_take_lists has handed over since";
static const char of_another[] = "kept: lists of another search, expected those that mote_neighbors_take_lists handed "
                                 "over from this one";

static bool take_in_chunk(void *data, const mote_lists *chunk, uint32_t first)
{
    mote_error error;
    mote_kept_lists *kept = NULL;
    (void)first;
    CHECK(chunk->count > 0, "no rows");
    CHECK_TEXT(mote_neighbors_take_lists(data, &kept, &error), MOTE_ERROR_STATE, nothing_to_take);
    return true;
}

// What leaves no lists that could be taken.
static void lists_that_cannot_be_taken(void **state)
{
    (void)state;
    mote_error error;
    cloud set = make_cube(1, MOTE_F32, 50, 1);
    mote_neighbors *search = create(NULL, all_columns);
    mote_kept_lists *kept = NULL, *other;
    mote_lists lists;
    const uint32_t beyond = 50;
    const mote_vec3 period[3] = {{2, 0, 0}, {0, 0, 0}, {0, 0, 0}}, origin = {0, 0, 0};
    CHECK_TEXT(mote_neighbors_take_lists(NULL, &kept, &error), MOTE_ERROR_ARGUMENT, "neighbors: the object is NULL");
    CHECK_TEXT(mote_neighbors_take_lists(search, NULL, &error), MOTE_ERROR_ARGUMENT, "neighbors: kept is NULL");
    CHECK_TEXT(mote_neighbors_take_lists(search, &kept, &error), MOTE_ERROR_STATE, nothing_to_take);
    for (int k = 0; k < 6; ++k) {
        CHECK_OK(mote_neighbors_update(search, set.points, NULL));
        if (k == 0) CHECK_TEXT(mote_neighbors_take_lists(search, &kept, &error), MOTE_ERROR_STATE, nothing_to_take);
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        if (k == 0) CHECK_OK(mote_neighbors_update(search, set.points, NULL));
        if (k == 1) CHECK_OK(mote_neighbors_chunks(search, 1000, take_in_chunk, search, NULL));
        if (k == 2) CHECK_OK(mote_neighbors_set_period(search, period, origin, NULL));
        if (k == 3) assert_int_equal(mote_neighbors_subset(search, &beyond, 1, &lists, NULL), MOTE_ERROR_ARGUMENT);
        if (k == 4) assert_int_equal(mote_neighbors_nearest(search, NULL, 0, &lists, NULL), MOTE_ERROR_ARGUMENT);
        if (k == 5) CHECK_OK(mote_neighbors_take_lists(search, &other, NULL));
        CHECK_TEXT(mote_neighbors_take_lists(search, &kept, &error), MOTE_ERROR_STATE, nothing_to_take);
        CHECK(kept == NULL, "something was taken");
    }
    assert_int_equal(mote_neighbors_take_lists(search, &kept, NULL), MOTE_ERROR_STATE);
    mote_neighbors_destroy(search);
    CHECK(mote_kept_lists_get(other)->count == 50, "rows are gone");
    mote_kept_lists_destroy(other);
    cloud_free(&set);
}

static void lists_that_cannot_be_given(void **state)
{
    (void)state;
    mote_error error;
    cloud set = make_cube(1, MOTE_F32, 50, 1);
    mote_neighbors *search = create(NULL, all_columns), *second = create(NULL, all_columns);
    mote_kept_lists *kept, *orphan;
    mote_lists lists;
    CHECK_OK(list_first(search, &set, 50, &lists, NULL));
    copy copied = copy_lists(&lists);
    CHECK_OK(mote_neighbors_take_lists(search, &kept, NULL));
    CHECK_TEXT(mote_neighbors_give_lists(NULL, kept, &error), MOTE_ERROR_ARGUMENT, "neighbors: the object is NULL");
    CHECK_TEXT(mote_neighbors_give_lists(search, NULL, &error), MOTE_ERROR_ARGUMENT, "neighbors: kept is NULL");
    CHECK_TEXT(mote_neighbors_give_lists(second, kept, &error), MOTE_ERROR_ARGUMENT, of_another);
    CHECK_OK(list_first(second, &set, 20, &lists, NULL));
    CHECK_OK(mote_neighbors_take_lists(second, &orphan, NULL));
    CHECK_TEXT(mote_neighbors_give_lists(second, kept, &error), MOTE_ERROR_ARGUMENT, of_another);
    CHECK(is_copy_of(&copied, mote_kept_lists_get(kept)), "refused lists changed");
    CHECK_OK(mote_neighbors_give_lists(search, kept, &error));
    CHECK_TEXT(mote_neighbors_give_lists(search, kept, &error), MOTE_ERROR_STATE, given_already);
    CHECK_TEXT(mote_neighbors_give_lists(second, kept, &error), MOTE_ERROR_ARGUMENT, of_another);
    mote_kept_lists_destroy(kept);  // the search's: nothing happens
    CHECK_OK(list_first(search, &set, 50, &lists, NULL));  // the memory is in use, the handle is not
    CHECK_TEXT(mote_neighbors_give_lists(search, kept, &error), MOTE_ERROR_STATE, given_already);
    CHECK(is_copy_of(&copied, &lists), "other rows");

    // A search at the place of one that was destroyed is another search, if it has no more than its address.
    mote_neighbors_destroy(second);
    second = create(NULL, all_columns);
    CHECK_TEXT(mote_neighbors_give_lists(second, orphan, &error), MOTE_ERROR_ARGUMENT, of_another);
    CHECK_OK(list_first(second, &set, 20, &lists, NULL));
    CHECK_OK(mote_neighbors_take_lists(second, &kept, NULL));
    CHECK_TEXT(mote_neighbors_give_lists(second, orphan, &error), MOTE_ERROR_ARGUMENT, of_another);
    CHECK_OK(mote_neighbors_give_lists(second, kept, NULL));
    CHECK(mote_kept_lists_get(orphan)->count == 20, "rows are gone");
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(second);
    mote_kept_lists_destroy(orphan);
    free(copied.bytes);
    cloud_free(&set);
}

// Rows as one of several sets are taken like others; an update of sets ends what could be taken.
static void rows_of_sets_are_kept(void **state)
{
    (void)state;
    const float xyz[12] = {0, 0, 0, 0.5f, 0, 0, 1, 0, 0, 5, 5, 5};
    const mote_points sets[2] = {mote_points_xyz(xyz, 2), mote_points_xyz(xyz + 6, 2)};
    mote_neighbors_def def = mote_neighbors_default_def();
    mote_neighbors *search;
    mote_kept_lists *kept;
    mote_lists lists;
    mote_error error;
    def.radius = 0.75;
    def.features = MOTE_NEIGHBORS_QUERY;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(mote_neighbors_update_sets(search, sets, 2, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 4, &lists, NULL));
    CHECK_OK(mote_neighbors_take_lists(search, &kept, NULL));
    assert_int_equal(mote_neighbors_take_lists(search, &kept, &error), MOTE_ERROR_STATE);
    CHECK_OK(mote_neighbors_update_sets(search, sets, 1, NULL, NULL));
    CHECK_OK(mote_neighbors_lists_as_one(search, NULL, 1, &lists, NULL));
    assert_int_equal(lists.total, 2);
    CHECK_OK(mote_neighbors_update_sets(search, sets, 2, NULL, NULL));
    mote_kept_lists *none = NULL;
    assert_int_equal(mote_neighbors_take_lists(search, &none, &error), MOTE_ERROR_STATE);
    mote_neighbors_destroy(search);
    const mote_lists *held = mote_kept_lists_get(kept);
    assert_int_equal(held->total, 4);  // 0 and 1, 1 and 2, both ways
    assert_int_equal(held->count, 4);
    assert_int_equal(mote_lists_row(held, 1).count, 2);
    assert_int_equal(mote_lists_row(held, 2).indices[0], 1);
    mote_kept_lists_destroy(kept);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_rows_hold_what_they_held),
        cmocka_unit_test(warm_nothing_is_allocated),
        cmocka_unit_test(the_largest_is_used_first),
        cmocka_unit_test(idle_memory_makes_room),
        cmocka_unit_test(memory_fails),  // one thread
        cmocka_unit_test(other_threads_end_lists),
        cmocka_unit_test(lists_that_cannot_be_taken),
        cmocka_unit_test(lists_that_cannot_be_given),
        cmocka_unit_test(rows_of_sets_are_kept),
    };
    RUN_TESTS(tests, argc, argv);
}
