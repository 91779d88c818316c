// SPDX-License-Identifier: MIT
// The work of broad phases, by their counters: trees are repaired in the update that spoils them, whatever the shape of
// the boxes, and not for nothing; long motions through hashes look at few cells, and find all that they should.
//
// With MOTE_LONG_TESTS=1 a hundred thousand columns change places.

#include "broadphase/tested.h"
#include "support/boxes.h"
#include "support/test.h"

enum { COUNT = 4000 };

static float unit(mote_random *random)
{
    return (float)mote_random_unit(random);
}

static mote_broadphase *make(const char *method, const mote_bounds *boxes, size_t count)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    mote_broadphase *broad;
    CHECK_OK(mote_broadphase_create(NULL, &def, &broad, NULL));
    CHECK_OK(mote_broadphase_add_many(broad, mote_boxes_bounds(boxes, count, 3), MOTE_OBJECT_MOVING, mote_filter_all(),
                                      NULL, NULL));
    CHECK_OK(mote_broadphase_update(broad, NULL));
    return broad;
}

static uint64_t rebuilds(const mote_broadphase *broad)
{
    return mote_broadphase_get_counters(broad).rebuilds;
}

// The work of all pairs and of a query for every box, and a checksum of what they found.
typedef struct outcome {
    uint64_t work, found;
} outcome;

static outcome ask_all(mote_broadphase *broad, const mote_bounds *boxes, size_t count)
{
    mote_pairs pairs;
    mote_id_rows rows;
    outcome all = {0};
    CHECK_OK(mote_broadphase_pairs(broad, &pairs, NULL));
    mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
    all.work = counters.lookups + counters.candidates;
    for (size_t k = 0; k < pairs.count; ++k) all.found = all.found * 31 + pairs.pairs[k].a * 7u + pairs.pairs[k].b;
    CHECK_OK(mote_broadphase_query_boxes(broad, mote_boxes_bounds(boxes, count, 3), mote_filter_all(), &rows, NULL));
    counters = mote_broadphase_get_counters(broad);
    all.work += counters.lookups + counters.candidates;
    for (size_t i = 0; i < rows.count; ++i)
        for (size_t k = 0; k < rows.counts[i]; ++k) all.found = all.found * 31 + rows.ids[rows.first[i] + k];
    return all;
}

// -------------------------------------------------------------------------------------------------------- motion

// Boxes of a width of about a fifth of their distance, along the third axis of `height`, and some odd ones.
static void make_boxes(mote_bounds *boxes, size_t count, float height, bool has_huge)
{
    mote_random random = {7};
    const float size = 16 * sqrtf((float)count / COUNT);
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            boxes[i].min[k] = k == 2 && height > 1 ? unit(&random) : size * unit(&random);
            boxes[i].max[k] = boxes[i].min[k] + (k == 2 ? height : 0.2f);
        }
    if (has_huge) boxes[5] = (mote_bounds){{-1e7f, -1e7f, -1e7f}, {1e7f, 1e7f, 1e7f}};
}

static void shuffle(mote_bounds *boxes, size_t count)
{
    mote_random random = {9};
    for (size_t i = count - 1; i > 0; --i) {
        const size_t j = mote_random_below(&random, (uint32_t)i + 1);
        const mote_bounds swap = boxes[i];
        boxes[i] = boxes[j];
        boxes[j] = swap;
    }
}

// The work in one update after boxes changed places is that of a new tree, and what is found is the same.
static uint64_t check_places(const char *method, mote_bounds *boxes, size_t count, float height, bool has_huge,
                             size_t share)
{
    make_boxes(boxes, count, height, has_huge);
    mote_broadphase *broad = make(method, boxes, count);
    shuffle(boxes, count / share);
    CHECK_OK(mote_broadphase_move_many(broad, NULL, mote_boxes_bounds(boxes, count, 3), NULL));
    mote_broadphase *fresh = make(method, boxes, count);
    const outcome moved = ask_all(broad, boxes, count), least = ask_all(fresh, boxes, count);
    CHECK(moved.work <= 2 * least.work, "%s, height %g, huge %d, 1/%zu: %llu, a new one %llu", method, (double)height,
          has_huge, share, (unsigned long long)moved.work, (unsigned long long)least.work);
    CHECK(moved.found == least.found, "%s, height %g, huge %d, 1/%zu: not what a new one finds", method,
          (double)height, has_huge, share);
    mote_broadphase_destroy(broad);
    mote_broadphase_destroy(fresh);
    return moved.found;
}

static void boxes_that_change_places(void **state)
{
    (void)state;
    enum { COLUMNS = 100000 };
    static const float heights[] = {0.2f, 2e4f, 2e10f};
    mote_bounds *boxes = malloc(COLUMNS * sizeof *boxes);
    assert_non_null(boxes);
    for (size_t h = 0; h < 3; ++h)
        for (int huge = 0; huge < 2; ++huge)
            for (size_t share = 1; share <= 20; share += 19) {
                const size_t count = h == 1 && test_is_long() ? COLUMNS : COUNT;
                const uint64_t found = check_places("auto", boxes, count, heights[h], huge, share);
                CHECK(check_places("bvh8", boxes, count, heights[h], huge, share) == found,
                      "height %g, huge %d, 1/%zu: auto and bvh8 differ", (double)heights[h], huge, share);
            }
    free(boxes);
}

// A few boxes at a time, so that no update sees them all move.
static void columns_that_go_one_by_one(void **state)
{
    (void)state;
    mote_bounds boxes[COUNT], to[COUNT];
    make_boxes(boxes, COUNT, 2e4f, false);
    memcpy(to, boxes, sizeof to);
    shuffle(to, COUNT);
    mote_broadphase *broad = make("auto", boxes, COUNT);
    for (uint32_t id = 0; id < COUNT; ++id) {
        CHECK_OK(mote_broadphase_move(broad, id, to + id, NULL));
        CHECK_OK(mote_broadphase_update(broad, NULL));
    }
    mote_broadphase *fresh = make("auto", to, COUNT);
    const outcome moved = ask_all(broad, to, COUNT), least = ask_all(fresh, to, COUNT);
    CHECK(moved.work <= 2 * least.work, "%llu, a new one %llu", (unsigned long long)moved.work,
          (unsigned long long)least.work);
    CHECK(moved.found == least.found, "not what a new one finds");
    CHECK(rebuilds(broad) < COUNT / 10, "%d rebuilds", (int)rebuilds(broad));
    mote_broadphase_destroy(broad);
    mote_broadphase_destroy(fresh);
}

// Ways in which boxes move, with how often a tree may be built for 40 steps of them.
static void drift(mote_bounds *box, size_t i, int step, mote_random *random)
{
    (void)i, (void)step, (void)random;
    for (int k = 0; k < 3; ++k) box->min[k] += 0.05f, box->max[k] += 0.05f;
}

static void wander(mote_bounds *box, size_t i, int step, mote_random *random)
{
    (void)i, (void)step;
    for (int k = 0; k < 3; ++k) {
        const float by = 0.02f * (unit(random) - 0.5f);
        box->min[k] += by;
        box->max[k] += by;
    }
}

static void wander_flat(mote_bounds *box, size_t i, int step, mote_random *random)
{
    wander(box, i, step, random);
    box->min[2] = box->max[2] = 0;
}

// A tenth of them leave the floor for a step.
static void hop(mote_bounds *box, size_t i, int step, mote_random *random)
{
    const float size = box->max[2] - box->min[2];
    box->min[2] = (i + 7 * (size_t)step) % 100 < 10 ? 0.05f * unit(random) : 0;
    box->max[2] = box->min[2] + size;
}

static const struct motion {
    const char *name;
    float height;
    bool floor;  // they stand on it
    void (*move)(mote_bounds *box, size_t i, int step, mote_random *random);
    uint64_t builds;
} motions[] = {
    {"drift", 0.2f, false, drift, 1},           {"wander", 0.2f, false, wander, 2},
    {"columns drift", 2e4f, false, drift, 1},   {"columns wander", 2e4f, false, wander, 2},
    {"flat boxes", 0, true, wander_flat, 2},    {"hop on a floor", 0.2f, true, hop, 2},
    {"hop without a size", 0, true, hop, 3},
};

static void ordinary_motion_builds_nothing(void **state)
{
    (void)state;
    mote_bounds boxes[COUNT];
    for (size_t m = 0; m < sizeof motions / sizeof *motions; ++m) {
        const struct motion *motion = motions + m;
        mote_random random = {3};
        make_boxes(boxes, COUNT, motion->height, false);
        for (size_t i = 0; i < COUNT && motion->floor; ++i) boxes[i].min[2] = 0, boxes[i].max[2] = motion->height;
        mote_broadphase *broad = make("box_join", boxes, COUNT);
        for (int step = 0; step < 40; ++step) {
            for (size_t i = 0; i < COUNT; ++i) motion->move(boxes + i, i, step, &random);
            CHECK_OK(mote_broadphase_move_many(broad, NULL, mote_boxes_bounds(boxes, COUNT, 3), NULL));
            CHECK_OK(mote_broadphase_update(broad, NULL));
        }
        CHECK(rebuilds(broad) <= motion->builds, "%s: %d builds", motion->name, (int)rebuilds(broad));
        mote_broadphase_destroy(broad);
    }
}

// ------------------------------------------------------------------------------------------------------ segments

static const char *const hashes[] = {"uniform_hash", "multilevel_hash", "hierarchical_hash"};

// Boxes of sizes of their own, of which some are much longer than others, and maybe one beyond all cells.
static void make_crowd(mote_bounds *boxes, float size, float origin, bool is_mixed, bool has_giant)
{
    mote_random random = {11};
    for (size_t i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) {
            const float edge = is_mixed ? ldexpf(size, -(int)(i % 9)) * unit(&random) : size;
            boxes[i].min[k] = origin + 16 * unit(&random);
            boxes[i].max[k] = boxes[i].min[k] + edge;
        }
    if (has_giant) boxes[3] = (mote_bounds){{origin + 8.1f, origin + 7.7f, origin + 9}, {1e30f, 1e30f, 1e30f}};
}

typedef struct segments {
    float a[COUNT / 8][3], b[COUNT / 8][3];
    mote_bounds boxes[COUNT / 8];  // that are moved by b − a
    float motions[COUNT / 8][3];
} segments;

// Some along an axis or a diagonal, or beyond all boxes.
static void make_segments(segments *s, float origin, float length)
{
    mote_random random = {12};
    for (size_t q = 0; q < COUNT / 8; ++q)
        for (int k = 0; k < 3; ++k) {
            const float way = q % 5 == 0 ? (float)(k == (int)(q % 3)) : q % 5 == 1 ? 1 : 2 * unit(&random) - 1;
            s->a[q][k] = origin + 16 * unit(&random);
            s->b[q][k] = s->a[q][k] + (q % 50 == 7 ? 100 : 1) * length * way;
            s->motions[q][k] = s->b[q][k] - s->a[q][k];
            s->boxes[q].min[k] = s->a[q][k] - 0.01f;
            s->boxes[q].max[k] = s->a[q][k] + 0.01f;
        }
}

static void ask(mote_broadphase *broad, const segments *s, bool is_sweep, mote_id_rows *rows)
{
    const size_t count = COUNT / 8;
    if (is_sweep)
        CHECK_OK(mote_broadphase_query_sweeps(broad, mote_boxes_bounds(s->boxes, count, 3),
                                              mote_points_xyz(s->motions[0], count), mote_filter_all(), rows, NULL));
    else
        CHECK_OK(mote_broadphase_query_segments(broad, mote_points_xyz(s->a[0], count), mote_points_xyz(s->b[0], count),
                                                mote_filter_all(), rows, NULL));
}

static void compare_with_all(const char *method, const mote_bounds *boxes, const segments *s)
{
    mote_broadphase *broad = make(method, boxes, COUNT), *all = make("brute_force", boxes, COUNT);
    for (int is_sweep = 0; is_sweep < 2; ++is_sweep) {
        mote_id_rows found, expected;
        ask(broad, s, is_sweep, &found);
        ask(all, s, is_sweep, &expected);
        for (size_t q = 0; q < found.count; ++q)
            CHECK(found.counts[q] == expected.counts[q] &&
                      (found.counts[q] == 0 || memcmp(found.ids + found.first[q], expected.ids + expected.first[q],
                             found.counts[q] * sizeof *found.ids) == 0),
                  "%s: %s %zu finds %u, expected %u", method, is_sweep ? "sweep" : "segment", q, found.counts[q],
                  expected.counts[q]);
    }
    mote_broadphase_destroy(broad);
    mote_broadphase_destroy(all);
}

static void long_motions_find_all(void **state)
{
    (void)state;
    static const float sizes[] = {0, 0.01f, 0.5f}, origins[] = {-8, 3e4f}, lengths[] = {2, 20};
    mote_bounds boxes[COUNT];
    segments *s = malloc(sizeof *s);
    assert_non_null(s);
    for (size_t h = 0; h < 3; ++h)
        for (size_t k = 0; k < 3; ++k)
            for (unsigned kind = 0; kind < (SLOW_BUILD ? 2 : 4); ++kind) {
                make_crowd(boxes, sizes[k], origins[kind / 2], kind & 1, kind & 1);
                make_segments(s, origins[kind / 2], lengths[kind % 2]);
                compare_with_all(hashes[h], boxes, s);
            }
    free(s);
}

// Cells along the way, a few dozen of the finest size, and those next to them: not the thousands that exist.
static void long_segments_look_at_few_cells(void **state)
{
    (void)state;
    static const float sizes[] = {0, 0.01f, 0.2f};
    mote_bounds boxes[COUNT];
    segments *s = malloc(sizeof *s);
    assert_non_null(s);
    make_segments(s, 0, 4);
    for (size_t h = 0; h < 3; ++h)
        for (size_t k = 0; k < 3; ++k) {
            make_crowd(boxes, sizes[k], 0, false, false);
            mote_broadphase *broad = make(hashes[h], boxes, COUNT);
            mote_id_rows rows;
            ask(broad, s, false, &rows);
            const mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
            const uint64_t work = (counters.lookups + counters.candidates) / rows.count;
            CHECK(work < 800, "%s, boxes of %g: %d cells and boxes a segment", hashes[h], (double)sizes[k], (int)work);
            mote_broadphase_destroy(broad);
        }
    free(s);
}

// Whatever the test of a moving box accepts, by however little, overlaps pieces, and these follow each other.
static void pieces_cover_the_way(void **state)
{
    (void)state;
    mote_random random = {13};
    uint32_t accepted = 0;
    for (int round = 0; round < (SLOW_BUILD ? 30000 : 100000); ++round) {
        float a[3], b[3];
        mote_bounds box;
        broadphase_probe probe;
        const float scale = ldexpf(1, (int)mote_random_below(&random, 60) - 30), offset = round % 3 ? 0 : 1e5f * scale;
        const float at = unit(&random);
        for (int k = 0; k < 3; ++k) {
            a[k] = offset + scale * (2 * unit(&random) - 1);
            b[k] = offset + scale * (2 * unit(&random) - 1);
            const float touched = a[k] + at * (b[k] - a[k]);  // a corner of the box lies about here
            const float edge = scale * unit(&random) * (round % 2 ? 0 : 0.1f);
            box.min[k] = mote_random_below(&random, 2) ? touched : touched - edge;
            box.max[k] = box.min[k] + edge;
        }
        CHECK(mote_probe_segment(&probe, 3, a, b), "a segment");
        if (!mote_bounds_overlap(&probe.reach, &box) || !mote_probe_meets(&probe, &box)) continue;
        ++accepted;
        const uint32_t count = 2 + mote_random_below(&random, 40);
        const double largest = (double)offset + 4 * (double)scale;
        uint32_t runs = 0;
        bool was_met = false;
        for (uint32_t p = 0; p < count; ++p) {
            const mote_bounds piece = mote_probe_piece(&probe, p, count, largest);
            const bool is_met = mote_bounds_overlap(&piece, &box);
            runs += is_met && !was_met;
            was_met = is_met;
        }
        CHECK(runs == 1, "round %d: %u runs of %u pieces", round, runs, count);
    }
    CHECK(accepted > 1000, "%u", accepted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_change_places),
        cmocka_unit_test(columns_that_go_one_by_one),
        cmocka_unit_test(ordinary_motion_builds_nothing),
        cmocka_unit_test(long_motions_find_all),
        cmocka_unit_test(long_segments_look_at_few_cells),
        cmocka_unit_test(pieces_cover_the_way),
    };
    RUN_TESTS(tests, argc, argv);
}
