// SPDX-License-Identifier: MIT
// The tree of boxes behind the default broad phase: rows and pairs against all boxes by brute force, over inputs that
// are meant to break it.

#include <float.h>

#include "broadphase/tested.h"
#include "support/test.h"

typedef struct box_set {
    const char *name;
    void (*make)(mote_random *random, size_t i, mote_bounds *box);
} box_set;

static float unit(mote_random *random)
{
    return (float)mote_random_unit(random);
}

// A box of edges up to `edge`, somewhere from `origin` to `origin` + `side`.
static void put_box(mote_random *random, float origin, float side, float edge, mote_bounds *box)
{
    for (int k = 0; k < 3; ++k) {
        box->min[k] = origin + side * unit(random);
        box->max[k] = box->min[k] + edge * unit(random);
    }
}

static void make_even(mote_random *random, size_t i, mote_bounds *box)
{
    (void)i;
    put_box(random, 0, 100, 12, box);
}

static void make_many_sizes(mote_random *random, size_t i, mote_bounds *box)
{
    put_box(random, -50, 100, ldexpf(1, (int)(i % 24) - 16), box);
}

static void make_points(mote_random *random, size_t i, mote_bounds *box)
{
    (void)i;
    for (int k = 0; k < 3; ++k) box->min[k] = box->max[k] = (float)mote_random_below(random, 8);
}

static void make_one_place(mote_random *random, size_t i, mote_bounds *box)
{
    (void)random, (void)i;
    for (int k = 0; k < 3; ++k) box->min[k] = 3, box->max[k] = 4;
}

static void make_flat(mote_random *random, size_t i, mote_bounds *box)
{
    make_even(random, i, box);
    box->min[2] = box->max[2] = 0;
}

static void make_line(mote_random *random, size_t i, mote_bounds *box)
{
    make_flat(random, i, box);
    box->min[0] = box->max[0] = -7;
}

static void make_clusters(mote_random *random, size_t i, mote_bounds *box)
{
    put_box(random, (float)(i % 5) * 1e5f, 1, i % 11 ? 0.02f : 0.5f, box);
}

static void make_outliers(mote_random *random, size_t i, mote_bounds *box)
{
    make_even(random, i, box);
    if (i % 50 == 7)
        for (int k = 0; k < 3; ++k) {
            const float far = (unit(random) - 0.5f) * ldexpf(1, (int)(i % 120));
            box->min[k] += far;
            box->max[k] += far;
        }
}

static void make_huge(mote_random *random, size_t i, mote_bounds *box)
{
    make_even(random, i, box);
    if (i % 40 == 0)
        for (int k = 0; k < 3; ++k) {
            box->min[k] -= unit(random) * FLT_MAX / 4;
            box->max[k] += unit(random) * FLT_MAX / 4;
        }
}

static void make_far(mote_random *random, size_t i, mote_bounds *box)
{
    (void)i;
    put_box(random, 1e7f, 40, 6, box);
}

static void make_endless(mote_random *random, size_t i, mote_bounds *box)
{
    make_even(random, i, box);
    if (i % 30 == 3) box->max[i % 3] = INFINITY;
    if (i % 30 == 4) box->min[i % 3] = -INFINITY;
    if (i % 60 == 5)
        for (int k = 0; k < 3; ++k) box->min[k] = -INFINITY, box->max[k] = INFINITY;
}

static void make_empty(mote_random *random, size_t i, mote_bounds *box)
{
    make_even(random, i, box);
    if (i % 3 == 0) box->min[i % 2] = INFINITY, box->max[i % 2] = -INFINITY;
    if (i % 7 == 0) box->max[2] = NAN;
}

static void make_nothing(mote_random *random, size_t i, mote_bounds *box)
{
    make_even(random, i, box);
    box->min[0] = box->max[0] + 1;
}

static const box_set sets[] = {
    {"even", make_even},         {"many sizes", make_many_sizes},
    {"points", make_points},     {"one place", make_one_place},
    {"flat", make_flat},         {"line", make_line},
    {"clusters", make_clusters}, {"outliers", make_outliers},
    {"huge", make_huge},         {"far", make_far},
    {"endless", make_endless},   {"empty", make_empty},
    {"nothing", make_nothing},
};
enum { SETS = sizeof sets / sizeof *sets };

static mote_bounds *make_boxes(const box_set *set, uint64_t seed, size_t count)
{
    mote_bounds *boxes = malloc((count + 1) * sizeof *boxes);
    assert_non_null(boxes);
    mote_random random = {seed};
    for (size_t i = 0; i < count; ++i) set->make(&random, i, boxes + i);
    return boxes;
}

static bool meet(const mote_bounds *a, const mote_bounds *b)
{
    bool meet = true;
    for (int k = 0; k < 3; ++k) meet &= a->min[k] <= b->max[k] && b->min[k] <= a->max[k];
    for (int k = 0; k < 3; ++k) meet &= a->min[k] <= a->max[k] && b->min[k] <= b->max[k];
    return meet;
}

static void check_rows(const char *name, const mote_bounds *boxes, size_t count, const mote_bounds *queries,
                       size_t query_count, const box_rows *rows)
{
    CHECK(rows->count == query_count, "%s", name);
    uint64_t total = 0;
    for (size_t q = 0; q < query_count; ++q) {
        const uint32_t *row = rows->ids + rows->first[q];
        uint32_t found = 0;
        for (size_t i = 0; i < count; ++i) {
            if (!meet(boxes + i, queries + q)) continue;
            CHECK(found < rows->counts[q] && row[found] == i, "%s: query %zu of %zu misses %zu of %zu", name, q,
                  query_count, i, count);
            ++found;
        }
        CHECK(found == rows->counts[q], "%s: query %zu has %u, expected %u", name, q, rows->counts[q], found);
        total += found;
    }
    CHECK(total == rows->total, "%s", name);
}

static void check_pairs(const char *name, const mote_bounds *boxes, size_t count, const uint64_t *keys,
                        size_t pair_count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t j = i + 1; j < count; ++j) {
            if (!meet(boxes + i, boxes + j)) continue;
            CHECK(found < pair_count && keys[found] == ((uint64_t)i << 32 | j), "%s: pair %zu, %zu of %zu boxes", name,
                  i, j, count);
            ++found;
        }
    CHECK(found == pair_count, "%s: %zu pairs, expected %zu", name, pair_count, found);
}

// What all checks need, of one context.
typedef struct rig {
    mote_context *context;
    box_tree tree;
    box_search search;
    box_pairs pairs;
} rig;

static void release(rig *of)
{
    mote_box_tree_release(of->context, &of->tree);
    mote_box_search_release(of->context, &of->search);
    mote_box_pairs_release(of->context, &of->pairs);
    mote_context_destroy(of->context);
}

// The pairs of the tree, but counted alone.
static void check_count(const rig *with, size_t expected)
{
    pair_outcome counted;
    CHECK_OK(mote_box_pairs_count(with->context, &with->tree, expected, &counted));
    CHECK(counted.count == expected && !counted.refused, "%llu pairs, expected %zu", (unsigned long long)counted.count,
          expected);
    if (expected == 0) return;
    CHECK_OK(mote_box_pairs_count(with->context, &with->tree, expected - 1, &counted));
    CHECK(counted.count == expected && counted.refused && !counted.has_more, "%zu pairs are not refused", expected);
}

typedef struct visited {
    uint32_t *times;
    uint32_t count, enough;
} visited;

static bool visit(void *data, uint32_t index)
{
    visited *seen = data;
    seen->times[index] += 1;
    return ++seen->count < seen->enough;
}

// A visit of each of the first few queries against their rows, to the end and half-way.
static void check_visits(const char *name, const box_tree *tree, size_t count, const mote_bounds *queries,
                         const box_rows *rows)
{
    uint32_t *times = malloc((count + 1) * sizeof *times);
    assert_non_null(times);
    for (size_t q = 0; q < MOTE_MIN(rows->count, (size_t)40); ++q) {
        if (!meet(queries + q, queries + q)) continue;  // empty
        memset(times, 0, count * sizeof *times);
        visited all = {times, 0, UINT32_MAX}, some = {times, 0, rows->counts[q] / 2 + 1};
        CHECK(mote_box_tree_visit(tree, queries + q, visit, &all), "%s", name);
        CHECK(all.count == rows->counts[q], "%s: %u visits, expected %u", name, all.count, rows->counts[q]);
        for (uint32_t k = 0; k < all.count; ++k) CHECK(times[rows->ids[rows->first[q] + k]] == 1, "%s", name);
        CHECK(mote_box_tree_visit(tree, queries + q, visit, &some) == (all.count == 0), "%s", name);
        CHECK(some.count == MOTE_MIN(all.count, some.enough), "%s", name);
    }
    free(times);
}

static void check_set(rig *with, const box_lanes *lanes, const box_set *set, const box_set *asked, size_t count,
                      size_t query_count, uint64_t seed)
{
    mote_bounds *boxes = make_boxes(set, seed, count), *queries = make_boxes(asked, seed + 1, query_count);
    box_rows rows;
    const uint64_t *keys;
    pair_outcome outcome;
    CHECK_OK(mote_box_tree_build(with->context, &with->tree, lanes, boxes, count));
    CHECK_OK(mote_box_tree_validate(&with->tree));
    CHECK_OK(mote_box_search_run(with->context, &with->search, &with->tree, queries, query_count, &rows));
    check_rows(set->name, boxes, count, queries, query_count, &rows);
    check_visits(set->name, &with->tree, count, queries, &rows);
    CHECK_OK(mote_box_pairs_find(with->context, &with->pairs, &with->tree, 0, &keys, &outcome));
    check_pairs(set->name, boxes, count, keys, (size_t)outcome.count);
    check_count(with, (size_t)outcome.count);
    free(boxes);
    free(queries);
}

static void check_all_sets(const box_lanes *lanes, uint32_t threads)
{
    static const size_t counts[] = {0, 1, 7, 8, 9, 65, 300, SANITIZED ? 500 : 1500};
    rig here = {.context = test_context_with_threads(threads)};
    for (size_t s = 0; s < SETS; ++s)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
            check_set(&here, lanes, sets + s, sets + (s + c) % SETS, counts[c], counts[c] + 100, 10 * s + c);
    release(&here);
}

static void every_set_scalar(void **state)
{
    (void)state;
    check_all_sets(mote_broadphase_lanes(MOTE_SIMD_PLAIN)->boxes, 1);
}

static void every_set_vector(void **state)
{
    (void)state;
    check_all_sets(mote_broadphase_lanes_choose(NULL)->boxes, 1);
}

static void every_set_two_threads(void **state)
{
    (void)state;
    check_all_sets(mote_broadphase_lanes_choose(NULL)->boxes, 2);
}

static void every_set_five_threads(void **state)
{
    (void)state;
    check_all_sets(mote_broadphase_lanes_choose(NULL)->boxes, 5);
}

// Few boxes and many queries, of which cells crowd; and the other way round.
static void many_queries_of_few_boxes(void **state)
{
    (void)state;
    rig here = {.context = test_context_with_threads(2)};
    const size_t many = SANITIZED ? 3000 : 40000;
    for (size_t s = 0; s < SETS; ++s) {
        check_set(&here, mote_broadphase_lanes_choose(NULL)->boxes, sets, sets + s, 40, many, s);
        check_set(&here, mote_broadphase_lanes_choose(NULL)->boxes, sets + s, sets + s, 30, many, s);
    }
    release(&here);
}

static void few_queries_of_many_boxes(void **state)
{
    (void)state;
    rig here = {.context = test_context_with_threads(2)};
    const size_t many = SANITIZED ? 3000 : 60000;
    for (size_t s = 0; s < SETS; ++s) {
        mote_bounds *boxes = make_boxes(sets + s, s, many), *queries = make_boxes(sets + s, s + 1, 60);
        box_rows rows;
        CHECK_OK(mote_box_tree_build(here.context, &here.tree, mote_broadphase_lanes_choose(NULL)->boxes, boxes, many));
        CHECK_OK(mote_box_tree_validate(&here.tree));
        CHECK_OK(mote_box_search_run(here.context, &here.search, &here.tree, queries, 60, &rows));
        check_rows(sets[s].name, boxes, many, queries, 60, &rows);
        free(boxes);
        free(queries);
    }
    release(&here);
}

static void moving_boxes_keep_all_pairs(void **state)
{
    (void)state;
    enum { COUNT = 400, STEPS = 30 };
    rig here = {.context = test_context_with_threads(2)};
    mote_bounds *boxes = make_boxes(sets, 5, COUNT);
    mote_random random = {6};
    CHECK_OK(mote_box_tree_build(here.context, &here.tree, mote_broadphase_lanes_choose(NULL)->boxes, boxes, COUNT));
    for (int step = 0; step < STEPS; ++step) {
        for (size_t i = 0; i < COUNT; ++i)
            for (int k = 0; k < 3; ++k) {
                const float by = (unit(&random) - 0.5f) * (step % 10 == 9 ? 100 : 1);
                boxes[i].min[k] += by;
                boxes[i].max[k] += by;
            }
        const uint64_t *keys;
        pair_outcome outcome;
        CHECK_OK(mote_box_tree_update(here.context, &here.tree, boxes));
        CHECK_OK(mote_box_tree_validate(&here.tree));
        CHECK_OK(mote_box_pairs_find(here.context, &here.pairs, &here.tree, 0, &keys, &outcome));
        check_pairs("moving", boxes, COUNT, keys, (size_t)outcome.count);
        check_count(&here, (size_t)outcome.count);
    }
    free(boxes);
    release(&here);
}

// Boxes that come, go and move, mostly a few at a time, against brute force after every step.
static void change_boxes(const box_lanes *lanes, const box_set *set, uint64_t seed)
{
    enum { MOST = 700, START = 400, NAMED = 200, STEPS = SEEKS_RACES ? 3 : SANITIZED ? 8 : 24 };
    rig here = {.context = test_context_with_threads(2)};
    mote_bounds *boxes = make_boxes(set, seed, MOST), *queries = make_boxes(set, seed + 1, 50);
    uint32_t ids[NAMED];
    bool is_named[MOST];
    size_t end = START;
    mote_random random = {seed};
    CHECK_OK(mote_box_tree_build(here.context, &here.tree, lanes, boxes, end));
    for (int step = 0; step < STEPS; ++step) {
        const uint32_t wanted = step % 8 == 7 || (SEEKS_RACES && step == 1) ? NAMED : 1 + mote_random_below(&random, 8);
        size_t count = 0;
        memset(is_named, 0, sizeof is_named);
        for (uint32_t k = 0; k < wanted; ++k) {
            const uint32_t what = mote_random_below(&random, 8);
            const uint32_t id = what < 2 && end < MOST ? (uint32_t)end++ : mote_random_below(&random, (uint32_t)end);
            mote_bounds *box = boxes + id;
            if (is_named[id]) continue;
            is_named[id] = true;
            ids[count++] = id;
            if (what == 2 || what == 3) box->min[0] = INFINITY, box->max[0] = -INFINITY;
            else if (what < 6) set->make(&random, id, box);
            else if (box->min[0] <= box->max[0]) box->min[1] = box->max[1];
        }
        box_rows rows;
        const uint64_t *keys;
        pair_outcome outcome;
        CHECK_OK(mote_box_tree_change(here.context, &here.tree, boxes, end, ids, count));
        CHECK(mote_box_tree_validate(&here.tree) == MOTE_OK, "%s, step %d", set->name, step);
        CHECK_OK(mote_box_pairs_find(here.context, &here.pairs, &here.tree, 0, &keys, &outcome));
        check_pairs(set->name, boxes, end, keys, (size_t)outcome.count);
        check_count(&here, (size_t)outcome.count);
        CHECK_OK(mote_box_search_run(here.context, &here.search, &here.tree, queries, 50, &rows));
        check_rows(set->name, boxes, end, queries, 50, &rows);
        check_visits(set->name, &here.tree, end, queries, &rows);
    }
    free(boxes);
    free(queries);
    release(&here);
}

static void few_boxes_change(void **state)
{
    (void)state;
    for (size_t s = 0; s < SETS; ++s) {
        change_boxes(mote_broadphase_lanes_choose(NULL)->boxes, sets + s, s);
        change_boxes(mote_broadphase_lanes(MOTE_SIMD_PLAIN)->boxes, sets + s, s + 50);
    }
}

// One by one, boxes come, move and go without a new tree each time, down to none at all.
static void single_changes_build_nothing(void **state)
{
    (void)state;
    enum { START = 1000, COME = 25 };
    rig here = {.context = test_context_with_threads(1)};
    mote_bounds *boxes = make_boxes(sets, 9, START + COME);
    CHECK_OK(mote_box_tree_build(here.context, &here.tree, mote_broadphase_lanes_choose(NULL)->boxes, boxes, START));
    for (uint32_t id = START; id < START + COME; ++id) {
        CHECK_OK(mote_box_tree_change(here.context, &here.tree, boxes, id + 1, &id, 1));
        boxes[id - START].max[0] += 0.01f;
        const uint32_t moved = id - START;
        CHECK_OK(mote_box_tree_change(here.context, &here.tree, boxes, id + 1, &moved, 1));
    }
    assert_int_equal(here.tree.builds, 1);
    for (uint32_t id = 0; id < START + COME; ++id) {
        boxes[id].min[0] = INFINITY, boxes[id].max[0] = -INFINITY;
        CHECK_OK(mote_box_tree_change(here.context, &here.tree, boxes, START + COME, &id, 1));
        CHECK_OK(mote_box_tree_validate(&here.tree));
    }
    CHECK(here.tree.builds < 15, "%d builds", (int)here.tree.builds);
    const uint64_t *keys;
    pair_outcome outcome;
    CHECK_OK(mote_box_pairs_find(here.context, &here.pairs, &here.tree, 0, &keys, &outcome));
    assert_int_equal(outcome.count, 0);
    free(boxes);
    release(&here);
}

static void warm_calls_allocate_nothing(void **state)
{
    (void)state;
    rig here = {.context = test_context_with_threads(1)};
    mote_bounds *boxes = make_boxes(sets, 1, 2000);
    uint64_t allocations = 0;
    for (int round = 0; round < 3; ++round) {
        box_rows rows;
        const uint64_t *keys;
        pair_outcome outcome;
        if (round == 2) allocations = mote_context_allocation_count(here.context);
        CHECK_OK(mote_box_tree_build(here.context, &here.tree, mote_broadphase_lanes_choose(NULL)->boxes, boxes, 2000));
        CHECK_OK(mote_box_search_run(here.context, &here.search, &here.tree, boxes, 2000, &rows));
        CHECK_OK(mote_box_pairs_find(here.context, &here.pairs, &here.tree, 0, &keys, &outcome));
    }
    assert_int_equal(mote_context_allocation_count(here.context), allocations);
    assert_true(mote_box_tree_byte_count(&here.tree) + mote_box_search_byte_count(&here.search) +
                    mote_box_pairs_byte_count(&here.pairs) <= mote_context_byte_count(here.context));
    free(boxes);
    release(&here);
}

static mote_result use_everything(mote_context *context, void *data)
{
    const mote_bounds *boxes = data;
    box_tree tree = {0};
    box_search search = {0};
    box_pairs pairs = {0};
    box_rows rows;
    const uint64_t *keys;
    pair_outcome outcome;
    mote_result result = mote_box_tree_build(context, &tree, mote_broadphase_lanes_choose(NULL)->boxes, boxes, 600);
    const uint32_t last = 600;
    if (result == MOTE_OK) result = mote_box_tree_change(context, &tree, boxes, 601, &last, 1);
    if (result == MOTE_OK) result = mote_box_search_run(context, &search, &tree, boxes, 600, &rows);
    if (result == MOTE_OK) result = mote_box_pairs_find(context, &pairs, &tree, 0, &keys, &outcome);
    if (result == MOTE_OK) check_pairs("after failures", boxes, 601, keys, (size_t)outcome.count);
    mote_box_tree_release(context, &tree);
    mote_box_search_release(context, &search);
    mote_box_pairs_release(context, &pairs);
    return result;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    mote_bounds *boxes = make_boxes(sets + 1, 3, 601);
    test_failing_allocations(use_everything, boxes);
    free(boxes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_scalar),  // one thread
        cmocka_unit_test(every_set_vector),  // one thread
        cmocka_unit_test(every_set_two_threads),
        cmocka_unit_test(every_set_five_threads),
        cmocka_unit_test(many_queries_of_few_boxes),
        cmocka_unit_test(few_queries_of_many_boxes),
        cmocka_unit_test(moving_boxes_keep_all_pairs),  // one thread
        cmocka_unit_test(few_boxes_change),
        cmocka_unit_test(single_changes_build_nothing),
        cmocka_unit_test(warm_calls_allocate_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    RUN_TESTS(tests, argc, argv);
}
