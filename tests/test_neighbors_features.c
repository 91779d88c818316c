// SPDX-License-Identifier: MIT
// Neighbour search: everything that methods offer beyond plain lists, in generated combinations, against brute force
// that knows nothing of the library (support/cloud.h): the same neighbours with the same shifts and the same bits.

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/test.h"

// Per method.
static int seeds(void)
{
    return SEEKS_RACES ? 8 : SANITIZED ? 12 : getenv("MOTE_LONG_TESTS") ? 100 : 40;
}

enum { BUDGET = SANITIZED ? 8000 : 20000 };  // pairs of a search
enum { MANY = SANITIZED ? 300 : 800 };

// A search with what the test knows of it.
typedef struct setting {
    uint64_t seed;
    mote_neighbors_def def;
    mote_neighbors *search;
    cloud set;
    double largest;  // radius of any point or query
    brute_row brute, found;
} setting;

static bool has(const setting *s, uint32_t feature)
{
    return (s->def.features & feature) != 0;
}

// ------------------------------------------------------------------------------------------------ comparing rows

// The found row, with whatever columns it has; those that were asked for must be there, and no others.
static void take_row(setting *s, mote_row row)
{
    bool f64 = has(s, MOTE_NEIGHBORS_F64), squared = has(s, MOTE_NEIGHBORS_DISTANCES);
    bool differences = has(s, MOTE_NEIGHBORS_DIFFERENCES);
    CHECK(!row.count || (row.squared != NULL) == (squared && !f64), "seed %d", (int)s->seed);
    CHECK(!row.count || (row.squared_f64 != NULL) == (squared && f64), "seed %d", (int)s->seed);
    CHECK(!row.count || (row.differences != NULL) == (differences && !f64), "seed %d", (int)s->seed);
    CHECK(!row.count || (row.differences_f64 != NULL) == (differences && f64), "seed %d", (int)s->seed);
    CHECK(!row.count || (row.shifts != NULL) == has(s, MOTE_NEIGHBORS_PERIODIC), "seed %d", (int)s->seed);
    if (row.count > s->found.room) {
        s->found.room = 2 * (size_t)row.count;
        s->found.hits = realloc(s->found.hits, s->found.room * sizeof *s->found.hits);
    }
    s->found.count = row.count;
    for (size_t k = 0; k < row.count; ++k) {
        brute_hit hit = {.index = row.indices[k]};
        if (squared) hit.squared = f64 ? row.squared_f64[k] : (double)row.squared[k];
        for (size_t a = 0; a < 3; ++a) {
            if (differences) hit.d[a] = f64 ? row.differences_f64[3 * k + a] : (double)row.differences[3 * k + a];
            if (row.shifts) hit.shift[a] = row.shifts[3 * k + a];
        }
        s->found.hits[k] = hit;
    }
}

// Compares a row with what brute force found. `in_order`: the two must come in the same order.
static void check_row(setting *s, mote_row row, const char *what, bool in_order)
{
    take_row(s, row);
    const brute_row *expected = &s->brute, *found = &s->found;
    CHECK(found->count == expected->count, "%s, seed %d: %s: row %u has %zu neighbours, expected %zu", s->def.method,
          (int)s->seed, what, row.index, found->count, expected->count);
    if (!in_order && found->count) qsort(found->hits, found->count, sizeof *found->hits, brute_compare);
    for (size_t k = 0; k < found->count; ++k) {
        const brute_hit *a = &expected->hits[k], *b = &found->hits[k];
        bool same = brute_compare(a, b) == 0;
        if (has(s, MOTE_NEIGHBORS_DISTANCES)) same &= a->squared == b->squared;
        for (int n = 0; n < 3 && has(s, MOTE_NEIGHBORS_DIFFERENCES); ++n) same &= a->d[n] == b->d[n];
        CHECK(same, "%s, seed %d: %s: row %u at %zu: point %u (%d %d %d) at %.17g, expected %u (%d %d %d) at %.17g",
              s->def.method, (int)s->seed, what, row.index, k, b->index, (int)b->shift[0], (int)b->shift[1],
              (int)b->shift[2], b->squared, a->index, (int)a->shift[0], (int)a->shift[1], (int)a->shift[2],
              a->squared);
    }
}

static void check_own_row(setting *s, mote_row row, uint32_t i, const char *what)
{
    double radius = has(s, MOTE_NEIGHBORS_RADII) ? s->set.radii[i] : s->def.radius;
    brute_find(&s->def, &s->set, s->set.xyz + 3 * (size_t)i, radius, i, 0, s->largest, &s->brute);
    check_row(s, row, what, has(s, MOTE_NEIGHBORS_ASCENDING));
}

// ----------------------------------------------------------------------------------------------- the entrances

// Every pair of a full list also the other way round, with the opposite shift.
static void check_symmetry(setting *s, const mote_lists *lists)
{
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (size_t k = 0; k < row.count; ++k) {
            mote_row other = mote_lists_row(lists, row.indices[k]);
            size_t matches = 0;
            for (size_t m = 0; m < other.count; ++m) {
                bool match = other.indices[m] == i;
                for (size_t a = 0; a < 3 && row.shifts; ++a)
                    match &= row.shifts[3 * k + a] == -other.shifts[3 * m + a];
                matches += match;
            }
            CHECK(matches == 1, "%s, seed %d: %u sees %u, but not the other way round", s->def.method, (int)s->seed, i,
                  row.indices[k]);
        }
    }
}

static void check_lists(setting *s)
{
    mote_lists lists;
    CHECK_OK(mote_neighbors_lists(s->search, &lists, NULL));
    CHECK(lists.count == s->set.count, "seed %d: %zu rows", (int)s->seed, lists.count);
    uint64_t total = 0;
    for (uint32_t i = 0; i < lists.count; ++i) {
        check_own_row(s, mote_lists_row(&lists, i), i, "lists");
        total += s->brute.count;
    }
    CHECK(lists.total == total, "seed %d: %llu in all", (int)s->seed, (unsigned long long)lists.total);
    bool one_way = has(s, MOTE_NEIGHBORS_RADII) && s->def.radius_rule == MOTE_RADIUS_MINE;
    if (!has(s, MOTE_NEIGHBORS_HALF) && !one_way && total < 20000) check_symmetry(s, &lists);
}

// The columns of pairs, each as bytes; what is written beyond the pairs would show.
enum { COLUMNS = 7 };
typedef struct pair_bytes {
    unsigned char *column[COLUMNS];
    uint64_t count;
} pair_bytes;

static mote_pair_arrays make_columns(const setting *s, pair_bytes *bytes, uint64_t count, uint32_t form)
{
    bool measured = has(s, MOTE_NEIGHBORS_DISTANCES) || has(s, MOTE_NEIGHBORS_DIFFERENCES);
    for (int c = 0; c < COLUMNS; ++c) {
        bytes->column[c] = malloc(24 * (count + 1));
        memset(bytes->column[c], 0x5A, 24 * (count + 1));
    }
    mote_pair_arrays to = {.i = bytes->column[0], .j = bytes->column[1], .capacity = count};
    to.is_64 = form & 1, to.half = form & 2 && !has(s, MOTE_NEIGHBORS_HALF), to.ordered = form & 4;
    if (measured) to.distances = bytes->column[2], to.squared = bytes->column[3];
    if (has(s, MOTE_NEIGHBORS_DIFFERENCES)) to.differences = bytes->column[4];
    if (has(s, MOTE_NEIGHBORS_PERIODIC)) {
        to.shifts = (int32_t *)(void *)bytes->column[5];
        to.shifts_64 = (int64_t *)(void *)bytes->column[6];
    }
    return to;
}

// The search's own pairs are those of its lists, to the last bit, in every form, and however often they are asked for.
static void check_pairs(setting *s, mote_random *random)
{
    for (int turn = 0; turn < 3; ++turn) {
        const uint32_t form = turn == 0 ? 0 : mote_random_below(random, 8);
        mote_lists lists;
        pair_bytes expected, found;
        uint64_t counted = 0;
        CHECK_OK(mote_neighbors_lists(s->search, &lists, NULL));
        const uint64_t total = lists.total;
        const mote_pair_arrays to = make_columns(s, &expected, total, form);
        CHECK_OK(mote_lists_to_pairs(NULL, &lists, &to, &expected.count, NULL));
        const mote_pair_arrays own = make_columns(s, &found, total, form);
        if (turn < 2) CHECK_OK(mote_neighbors_pairs(s->search, NULL, &counted, NULL));
        CHECK(turn == 2 || counted == total, "seed %d: %llu counted", (int)s->seed, (unsigned long long)counted);
        for (int again = 0; again < 2; ++again) {
            CHECK_OK(mote_neighbors_pairs(s->search, &own, &found.count, NULL));
            CHECK(found.count == expected.count, "%s, seed %d: %llu pairs, expected %llu", s->def.method, (int)s->seed,
                  (unsigned long long)found.count, (unsigned long long)expected.count);
            for (int c = 0; c < COLUMNS; ++c)
                CHECK(memcmp(found.column[c], expected.column[c], 24 * (total + 1)) == 0,
                      "%s, seed %d, features %x, form %u: column %d", s->def.method, (int)s->seed, s->def.features,
                      form, c);
        }
        for (int c = 0; c < COLUMNS; ++c) {
            free(expected.column[c]);
            free(found.column[c]);
        }
    }
}

typedef struct visited {
    setting *setting;
    uint32_t rows;
} visited;

static void visit_row(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    visited *task = data;
    task->rows += 1;
    check_own_row(task->setting, row, row.index, "visitor");
}

static void check_subset(setting *s, mote_random *random)
{
    if (s->set.count == 0) return;
    uint32_t subset[40];
    for (int k = 0; k < 40; ++k) subset[k] = mote_random_below(random, (uint32_t)s->set.count);
    mote_lists lists;
    CHECK_OK(mote_neighbors_subset(s->search, subset, 40, &lists, NULL));
    CHECK(lists.count == 40, "%zu rows", lists.count);
    for (uint32_t k = 0; k < 40; ++k) check_own_row(s, mote_lists_row(&lists, k), subset[k], "subset");
}

typedef struct chunk_check {
    setting *setting;
    uint32_t next;
    size_t max_bytes;
} chunk_check;

static bool check_chunk(void *data, const mote_lists *chunk, uint32_t first_point)
{
    chunk_check *check = data;
    setting *s = check->setting;
    CHECK(first_point == check->next && chunk->count > 0, "seed %d: chunk from %u", (int)s->seed, first_point);
    for (uint32_t k = 0; k < chunk->count; ++k)
        check_own_row(s, mote_lists_row(chunk, k), first_point + k, "chunk");
    check->next += (uint32_t)chunk->count;
    size_t scalar = has(s, MOTE_NEIGHBORS_F64) ? sizeof(double) : sizeof(float), each = sizeof(uint32_t);
    if (has(s, MOTE_NEIGHBORS_DISTANCES)) each += scalar;
    if (has(s, MOTE_NEIGHBORS_DIFFERENCES)) each += 3 * scalar;
    if (has(s, MOTE_NEIGHBORS_PERIODIC)) each += 3 * sizeof(int32_t);
    CHECK(chunk->count == 1 || chunk->total * each <= check->max_bytes, "seed %d: %llu neighbours in a chunk",
          (int)s->seed, (unsigned long long)chunk->total);
    return true;
}

static void check_chunks(setting *s, mote_random *random)
{
    chunk_check check = {s, 0, (size_t)1 << mote_random_below(random, 20)};
    CHECK_OK(mote_neighbors_chunks(s->search, check.max_bytes, check_chunk, &check, NULL));
    CHECK(check.next == s->set.count, "seed %d: %u points in chunks", (int)s->seed, check.next);
    mote_lists lists;
    for (check.next = 0; check.next < s->set.count;) {
        const uint32_t first = check.next;
        CHECK_OK(mote_neighbors_chunk(s->search, first, check.max_bytes, &lists, NULL));
        check_chunk(&check, &lists, first);
    }
    CHECK_OK(mote_neighbors_chunk(s->search, check.next, check.max_bytes, &lists, NULL));
    CHECK(lists.count == 0, "seed %d: %zu rows behind the last point", (int)s->seed, lists.count);
    assert_int_equal(mote_neighbors_chunk(s->search, check.next + 1, check.max_bytes, &lists, NULL),
                     MOTE_ERROR_ARGUMENT);
}

static void check_query(setting *s, const cloud *queries)
{
    mote_lists lists;
    bool radii = has(s, MOTE_NEIGHBORS_RADII);
    if (radii)
        CHECK_OK(mote_neighbors_query_radii(s->search, queries->points, queries->own_radii,
                                            cloud_radius_stride(queries), &lists, NULL));
    else
        CHECK_OK(mote_neighbors_query(s->search, queries->points, &lists, NULL));
    for (uint32_t k = 0; k < queries->count; ++k) {
        double radius = radii ? queries->radii[k] : s->def.radius;
        brute_find(&s->def, &s->set, queries->xyz + 3 * k, radius, UINT32_MAX, 0, 2 * s->largest, &s->brute);
        check_row(s, mote_lists_row(&lists, k), "query", has(s, MOTE_NEIGHBORS_ASCENDING));
    }
}

static void check_nearest(setting *s, const cloud *queries, mote_random *random)
{
    mote_lists lists;
    uint32_t k = 1 + mote_random_below(random, 4);
    const cloud *from = queries ? queries : &s->set;
    CHECK_OK(mote_neighbors_nearest(s->search, queries ? &queries->points : NULL, k, &lists, NULL));
    for (uint32_t i = 0; i < from->count; ++i) {
        uint32_t self = queries ? UINT32_MAX : i;
        brute_find(&s->def, &s->set, from->xyz + 3 * (size_t)i, 0, self, k, 4, &s->brute);  // twice the longest edge
        check_row(s, mote_lists_row(&lists, i), "nearest", true);
    }
}

// -------------------------------------------------------------------------------------------------- the matrix

static void update(setting *s)
{
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(mote_neighbors_update_radii(s->search, s->set.points, s->set.own_radii, cloud_radius_stride(&s->set),
                                             NULL));
    else
        CHECK_OK(mote_neighbors_update(s->search, s->set.points, NULL));
    CHECK_OK(mote_neighbors_validate(s->search, NULL));
}

// Points, about as many as brute force can take with so many images.
static size_t choose_count(mote_random *random, const setting *s, int dimensions)
{
    double images = 1;
    if (has(s, MOTE_NEIGHBORS_PERIODIC))
        for (int k = 0; k < dimensions; ++k)
            if (s->def.period[k].x != 0 || s->def.period[k].y != 0 || s->def.period[k].z != 0) images *= 5;
    double most = sqrt(BUDGET / images);
    return (size_t)(most * mote_random_unit(random));
}

static void round_radius(setting *s)
{
    if (!has(s, MOTE_NEIGHBORS_F64)) s->def.radius = (double)(float)s->def.radius;
}

static void check_everything(setting *s, mote_random *random)
{
    double reach = 0;
    for (size_t i = 0; i < s->set.count; ++i) reach = fmax(reach, s->set.radii[i]);
    s->largest = fmax(2 * reach, s->def.radius);
    update(s);
    check_lists(s);
    check_pairs(s, random);
    visited task = {s, 0};
    CHECK_OK(mote_neighbors_visit(s->search, visit_row, &task, NULL));
    CHECK(task.rows == s->set.count, "seed %d: %u rows visited", (int)s->seed, task.rows);
    if (has(s, MOTE_NEIGHBORS_SUBSET)) {
        check_subset(s, random);
        check_chunks(s, random);
    }
    if (has(s, MOTE_NEIGHBORS_NEAREST)) check_nearest(s, NULL, random);
    if (!has(s, MOTE_NEIGHBORS_QUERY)) return;
    cloud queries = cloud_random(random, s->set.scalar, s->set.points.dimensions, 12, fmax(reach, 0.01));
    for (size_t k = 0; k < 9 && s->set.count; ++k)  // some at the very places of points
        queries.xyz[k] = s->set.xyz[3 * mote_random_below(random, (uint32_t)s->set.count) + k % 3];
    cloud_refresh(&queries);
    check_query(s, &queries);
    if (has(s, MOTE_NEIGHBORS_NEAREST)) check_nearest(s, &queries, random);
    cloud_free(&queries);
}

// A search of the method with features, points and a box that follow from the seed.
static void check_seed(mote_context *context, const mote_neighbors_method_info *info, uint64_t seed, uint32_t features)
{
    mote_random random = {seed};
    setting s = {.seed = seed, .def = mote_neighbors_default_def()};
    int dimensions = 1 + (int)mote_random_below(&random, 3);
    s.def.method = info->name;
    s.def.features = features;
    s.def.radius_rule = (mote_radius_rule)mote_random_below(&random, 3);
    if (has(&s, MOTE_NEIGHBORS_HALF) && s.def.radius_rule == MOTE_RADIUS_MINE) s.def.radius_rule = MOTE_RADIUS_SUM;
    if (has(&s, MOTE_NEIGHBORS_PERIODIC)) cloud_random_box(&random, dimensions, s.def.period);
    s.def.period_origin = (mote_vec3){mote_random_unit(&random), -0.5, 0};
    size_t count = choose_count(&random, &s, dimensions);
    s.def.radius = (0.2 + mote_random_unit(&random)) * pow((double)count + 1, -1.0 / dimensions);
    if (mote_random_below(&random, 8) == 0) s.def.radius = 1 + mote_random_unit(&random);  // beyond boxes and sets
    s.def.skin = 0.3 * s.def.radius;
    s.def.subdivision = 1 + (int)mote_random_below(&random, 3);
    s.def.open_ball = seed % 3 == 1;
    round_radius(&s);
    CHECK_OK(mote_neighbors_create(context, &s.def, &s.search, NULL));
    s.set = cloud_random(&random, has(&s, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32, dimensions, count,
                         s.def.radius / (has(&s, MOTE_NEIGHBORS_RADII) ? 2 : 1));
    check_everything(&s, &random);
    if (has(&s, MOTE_NEIGHBORS_SKIN) || seed % 4 == 0) {  // and again, after small moves
        for (size_t i = 0; i < 3 * s.set.count; ++i) s.set.xyz[i] += 0.05 * s.def.radius * mote_random_unit(&random);
        cloud_refresh(&s.set);
        check_everything(&s, &random);
    }
    cloud_free(&s.set);
    free(s.brute.hits);
    free(s.found.hits);
    mote_neighbors_destroy(s.search);
}

// Drawn from those that go together with all others: groups, which do not, have their own tests (test_groups.c).
static uint32_t draw_features(mote_random *random, const mote_neighbors_method_info *info)
{
    return (uint32_t)mote_random_next(random) & info->features & ~(uint32_t)MOTE_NEIGHBORS_GROUPS;
}

static void check_methods(uint32_t always, uint64_t first_seed, int seeds)
{
    mote_context *context = test_context_with_threads(1);  // the checks of a visitor's rows share memory
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        if (!info->exact || (info->features & always) != always) continue;
        for (int k = 0; k < seeds; ++k) {
            mote_random random = {first_seed + (uint64_t)k};
            check_seed(context, info, first_seed + (uint64_t)k,
                       draw_features(&random, info) | always);
        }
    }
    mote_context_destroy(context);
}

static void any_features_together(void **state)
{
    (void)state;
    check_methods(0, 1000, seeds());
}

static void each_feature_alone(void **state)
{
    (void)state;
    mote_context *context = test_context_with_threads(1);
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (uint32_t feature = 1; feature <= MOTE_NEIGHBORS_NEAREST; feature *= 2)
            for (uint64_t seed = 1; seed <= 6 && info->exact && (info->features & feature); ++seed)
                check_seed(context, info, seed, feature);
    mote_context_destroy(context);
}

static void periodic_boxes(void **state)
{
    (void)state;
    check_methods(MOTE_NEIGHBORS_PERIODIC, 3000, seeds() / 2);
}

static void radii_of_their_own(void **state)
{
    (void)state;
    check_methods(MOTE_NEIGHBORS_RADII, 4000, seeds() / 2);
}

static void periodic_boxes_and_radii(void **state)
{
    (void)state;
    check_methods(MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_RADII, 5000, seeds() / 2);
}

// ------------------------------------------------------------------------------------------------------ promises

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x9E3779B97F4A7C15u + (sum >> 29);
}

// Content and order of all rows, all columns.
static uint64_t checksum(const mote_lists *lists)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        sum = mix(sum, row.count);
        for (size_t k = 0; k < row.count; ++k) {
            sum = mix(sum, row.indices[k]);
            uint64_t bits = 0;
            if (row.squared) memcpy(&bits, row.squared + k, sizeof(float));
            if (row.squared_f64) memcpy(&bits, row.squared_f64 + k, sizeof(double));
            sum = mix(sum, bits);
            for (size_t a = 0; a < 3 && row.shifts; ++a) sum = mix(sum, (uint32_t)row.shifts[3 * k + a]);
        }
    }
    return sum;
}

static mote_result update_and_list(mote_neighbors *search, const cloud *set, mote_lists *lists, bool radii)
{
    mote_result result =
        radii ? mote_neighbors_update_radii(search, set->points, set->own_radii, cloud_radius_stride(set), NULL)
              : mote_neighbors_update(search, set->points, NULL);
    return result == MOTE_OK ? mote_neighbors_lists(search, lists, NULL) : result;
}

static uint64_t checksum_of_method(const char *method, uint32_t features, uint64_t seed, uint64_t *total)
{
    mote_random random = {seed};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.features = features;
    def.radius = 0.02 + 0.1 * mote_random_unit(&random);
    def.skin = 0.01;
    def.radius_rule = MOTE_RADIUS_LARGER;
    cloud_random_box(&random, 3, def.period);
    cloud set = cloud_random(&random, features & MOTE_NEIGHBORS_F64 ? MOTE_F64 : MOTE_F32, 3, MANY, def.radius / 2);
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    CHECK_OK(update_and_list(search, &set, &lists, features & MOTE_NEIGHBORS_RADII));
    CHECK_OK(mote_neighbors_validate(search, NULL));
    uint64_t sum = checksum(&lists);
    *total = lists.total;
    mote_neighbors_destroy(search);
    cloud_free(&set);
    return sum;
}

// Sets too large for brute force, against all_pairs, which brute force has checked on small ones.
static void many_points_as_all_pairs_has_them(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {
        MOTE_NEIGHBORS_HALF, MOTE_NEIGHBORS_F64, MOTE_NEIGHBORS_RADII, MOTE_NEIGHBORS_PERIODIC,
        MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_HALF, MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_F64,
        MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_RADII};
    const mote_neighbors_method_info *info;
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; ++w)
        for (uint64_t seed = 900; seed < 903; ++seed) {
            uint32_t features = wanted[w] | MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES;
            uint64_t expected_total, total;
            uint64_t expected = checksum_of_method("all_pairs", features, seed + 10 * w, &expected_total);
            for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
                if (!info->exact || (info->features & features) != features) continue;
                uint64_t sum = checksum_of_method(info->name, features, seed + 10 * w, &total);
                CHECK(sum == expected && total == expected_total, "%s, features %x, seed %d: %llu pairs, expected %llu",
                      info->name, features, (int)seed, (unsigned long long)total, (unsigned long long)expected_total);
            }
        }
}

static void same_rows_for_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    static const uint32_t wanted[] = {
        MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_DISTANCES, MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DISTANCES,
        MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES,
        MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_F64};
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; ++w) {
            if ((info->features & wanted[w]) != wanted[w] || (SEEKS_RACES && (m + w) % 2)) continue;
            uint64_t sums[3];
            for (int t = SEEKS_RACES; t < 3; ++t) {
                mote_random random = {77 + w};
                mote_context *context = test_context_with_threads(threads[t]);
                mote_neighbors_def def = mote_neighbors_default_def();
                def.method = info->name;
                def.features = wanted[w];
                def.radius = 0.1;
                def.skin = 0.01;
                def.radius_rule = MOTE_RADIUS_LARGER;
                for (int a = 0; a < 2; ++a) ((double *)&def.period[a])[a] = 0.9;
                cloud set = cloud_random(&random, wanted[w] & MOTE_NEIGHBORS_F64 ? MOTE_F64 : MOTE_F32, 3, 1200, 0.1);
                mote_neighbors *search;
                mote_lists lists;
                CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
                CHECK_OK(update_and_list(search, &set, &lists, wanted[w] & MOTE_NEIGHBORS_RADII));
                sums[t] = checksum(&lists);
                mote_neighbors_destroy(search);
                cloud_free(&set);
                mote_context_destroy(context);
            }
            CHECK((SEEKS_RACES || sums[0] == sums[1]) && sums[1] == sums[2], "%s: rows depend on threads", info->name);
        }
}

static void ignore_row(void *data, mote_row row, uint32_t worker)
{
    (void)data, (void)row, (void)worker;
}

static bool ignore_chunk(void *data, const mote_lists *chunk, uint32_t first_point)
{
    (void)data, (void)chunk, (void)first_point;
    return true;
}

// Everything that a search with these features can be asked for.
static mote_result use_everything(mote_neighbors *search, const cloud *set, uint32_t features)
{
    mote_lists lists;
    bool radii = features & MOTE_NEIGHBORS_RADII;
    mote_result result = update_and_list(search, set, &lists, radii);
    if (result == MOTE_OK) result = mote_neighbors_visit(search, ignore_row, NULL, NULL);
    uint32_t subset[2] = {1, 0};
    if (result == MOTE_OK && (features & MOTE_NEIGHBORS_SUBSET))
        result = mote_neighbors_subset(search, subset, 2, &lists, NULL);
    if (result == MOTE_OK && (features & MOTE_NEIGHBORS_SUBSET))
        result = mote_neighbors_chunks(search, 1000, ignore_chunk, NULL, NULL);
    if (result == MOTE_OK && (features & MOTE_NEIGHBORS_QUERY))
        result = radii ? mote_neighbors_query_radii(search, set->points, set->own_radii, cloud_radius_stride(set),
                                                    &lists, NULL)
                       : mote_neighbors_query(search, set->points, &lists, NULL);
    if (result == MOTE_OK && (features & MOTE_NEIGHBORS_NEAREST))
        result = mote_neighbors_nearest(search, NULL, 3, &lists, NULL);
    return result;
}

typedef struct failing_case {
    const char *method;
    uint32_t features;
} failing_case;

static mote_result try_everything(mote_context *context, void *data)
{
    const failing_case *task = data;
    mote_random random = {5};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = task->method;
    def.features = task->features;
    def.radius = 0.3;
    def.skin = 0.1;
    def.radius_rule = MOTE_RADIUS_LARGER;
    def.period[0].x = 1.5;
    cloud set = cloud_random(&random, def.features & MOTE_NEIGHBORS_F64 ? MOTE_F64 : MOTE_F32, 3, 60, 0.3);
    mote_neighbors *search = NULL;
    mote_result result = mote_neighbors_create(context, &def, &search, NULL);
    if (result == MOTE_OK) {
        result = use_everything(search, &set, def.features);
        if (result != MOTE_OK) {  // the object is valid: it works once memory is back
            CHECK_OK(mote_neighbors_validate(search, NULL));
            CHECK_OK(use_everything(search, &set, def.features));
        }
    }
    mote_neighbors_destroy(search);
    cloud_free(&set);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m) {
        const uint32_t all = info->features & ~(uint32_t)MOTE_NEIGHBORS_GROUPS;
        const uint32_t rest = all & ~(uint32_t)(MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_PERIODIC);
        failing_case cases[] = {{info->name, all}, {info->name, rest}};
        for (int c = 0; c < 2; ++c) test_failing_allocations(try_everything, cases + c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_feature_alone),  // one thread
        cmocka_unit_test(any_features_together),  // one thread
        cmocka_unit_test(periodic_boxes),
        cmocka_unit_test(radii_of_their_own),  // one thread
        cmocka_unit_test(periodic_boxes_and_radii),  // one thread
        cmocka_unit_test(many_points_as_all_pairs_has_them),
        cmocka_unit_test(same_rows_for_any_threads),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
