// SPDX-License-Identifier: MIT
// Broad phases whose memory runs out at any place, with results that grow from call to call: nothing is written to what
// was given back, work ends soon, and the next call answers rightly, events with all that has changed since the last
// that were told.

#include "support/boxes.h"
#include "support/test.h"

#include <pthread.h>

// ------------------------------------------------------------------------------------------------------- memory

enum { GRAVES = 1024, POISON = 0xDD };

// Keeps what is given back, poisoned, and refuses allocations from the n-th on.
typedef struct graveyard {
    pthread_mutex_t mutex;
    struct grave {
        unsigned char *memory;
        size_t bytes;
    } graves[GRAVES];
    size_t count;
    long left;     // allocations to come; below 0: any number
    long refused;  // so far
} graveyard;

static void *yard_allocate(void *user_data, size_t bytes, size_t alignment)
{
    graveyard *yard = user_data;
    pthread_mutex_lock(&yard->mutex);
    const bool is_refused = yard->left == 0;
    yard->refused += is_refused;
    yard->left -= yard->left > 0;
    pthread_mutex_unlock(&yard->mutex);
    return is_refused ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void yard_release(void *user_data, void *memory, size_t bytes)
{
    graveyard *yard = user_data;
    memset(memory, POISON, bytes);
    pthread_mutex_lock(&yard->mutex);
    CHECK(yard->count < GRAVES, "more is given back than expected");
    yard->graves[yard->count].memory = memory;
    yard->graves[yard->count++].bytes = bytes;
    pthread_mutex_unlock(&yard->mutex);
}

// Nobody has written to what was given back; then it is gone for good.
static void clear_yard(graveyard *yard, const char *what)
{
    for (size_t k = 0; k < yard->count; ++k) {
        const struct grave *grave = yard->graves + k;
        for (size_t b = 0; b < grave->bytes; ++b)
            CHECK(grave->memory[b] == POISON, "%s: byte %zu of %zu was written after its release", what, b,
                  grave->bytes);
        free(grave->memory);
    }
    yard->count = 0;
}

// -------------------------------------------------------------------------------------------------------- calls

enum { BOXES = 90, MOST = 4096 };

// A broad phase, and what its results must be.
typedef struct rig {
    graveyard yard;
    mote_context *context;
    mote_broadphase *broad, *other;
    mote_bounds boxes[BOXES];
    box_world *world;
    mote_pair told[MOST];  // by the last events that succeeded
    size_t told_count;
} rig;

static void check_rows(const rig *with, const mote_id_rows *rows, const char *what,
                       bool (*meets)(const mote_bounds *object, const mote_bounds *asked))
{
    CHECK(rows->count == BOXES, "%s: %zu rows", what, rows->count);
    for (size_t q = 0; q < BOXES; ++q) {
        const uint32_t *row = rows->ids + rows->first[q];
        uint32_t found = 0;
        for (uint32_t id = 0; id < BOXES; ++id) {
            if (!meets(&with->world->objects[id].box, with->boxes + q)) continue;
            CHECK(found < rows->counts[q] && row[found] == id, "%s: query %zu misses %u", what, q, id);
            ++found;
        }
        CHECK(found == rows->counts[q], "%s: query %zu has %u, expected %u", what, q, rows->counts[q], found);
    }
}

static bool meets_box(const mote_bounds *object, const mote_bounds *asked)
{
    return world_boxes_meet(object, asked, 3);
}

static bool meets_point(const mote_bounds *object, const mote_bounds *asked)
{
    const mote_bounds point = {{asked->min[0], asked->min[1], asked->min[2]},
                               {asked->min[0], asked->min[1], asked->min[2]}};
    return world_boxes_meet(object, &point, 3);
}

static bool meets_sphere(const mote_bounds *object, const mote_bounds *asked)
{
    return world_sphere_meets(object, asked->min, asked->max[0] - asked->min[0], 3);
}

static bool meets_segment(const mote_bounds *object, const mote_bounds *asked)
{
    return world_segment_meets(object, asked->min, asked->max, 3);
}

static bool meets_sweep(const mote_bounds *object, const mote_bounds *asked)
{
    return world_sweep_meets(object, asked, asked->max, 3);
}

static mote_points corners(const rig *with, const float *first)
{
    mote_points points = mote_points_xyz(first, BOXES);
    points.stride = sizeof *with->boxes;
    return points;
}

static mote_result call_update(rig *with)
{
    return mote_broadphase_update(with->broad, NULL);
}

static void check_pairs(const rig *with, const mote_pairs *pairs)
{
    size_t count;
    mote_pair *expected = world_pairs(with->world, &count);
    CHECK(pairs->count == count && memcmp(pairs->pairs, expected, count * sizeof *expected) == 0,
          "%zu pairs, expected %zu", pairs->count, count);
    free(expected);
}

static mote_result call_pairs(rig *with)
{
    mote_pairs pairs;
    mote_result result = mote_broadphase_pairs(with->broad, &pairs, NULL);
    if (result == MOTE_OK) check_pairs(with, &pairs);
    return result;
}

static mote_result call_between(rig *with)
{
    mote_pairs pairs;
    mote_result result = mote_broadphase_pairs_between(with->broad, with->other, &pairs, NULL);
    size_t found = 0;
    for (uint32_t a = 0; result == MOTE_OK && a < BOXES; ++a)
        for (uint32_t b = 0; b < BOXES; ++b) {
            if (!world_boxes_meet(with->boxes + a, with->boxes + b, 3)) continue;
            CHECK(found < pairs.count && pairs.pairs[found].a == a && pairs.pairs[found].b == b, "pair %u, %u", a, b);
            ++found;
        }
    CHECK(result != MOTE_OK || found == pairs.count, "%zu pairs, expected %zu", pairs.count, found);
    return result;
}

static int compare_pairs(const void *x, const void *y)
{
    const mote_pair *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool has_pair(const mote_pair *pairs, size_t count, mote_pair pair)
{
    return bsearch(&pair, pairs, count, sizeof pair, compare_pairs) != NULL;
}

// All that begins, stays and ends since the last events that were told.
static mote_result call_events(rig *with)
{
    mote_pair_events events;
    mote_result result = mote_broadphase_events(with->broad, &events, NULL);
    if (result != MOTE_OK) return result;
    size_t count, stayed = 0;
    mote_pair *now = world_pairs(with->world, &count);
    for (size_t k = 0; k < count; ++k) {
        const bool was = has_pair(with->told, with->told_count, now[k]);
        const mote_pairs *list = was ? &events.stayed : &events.begun;
        CHECK(has_pair(list->pairs, list->count, now[k]), "pair %u, %u is not told of", now[k].a, now[k].b);
        stayed += was;
    }
    CHECK(events.stayed.count == stayed && events.begun.count == count - stayed, "%zu begun", events.begun.count);
    CHECK(events.ended.count == with->told_count - stayed, "%zu ended", events.ended.count);
    for (size_t k = 0; k < events.ended.count; ++k)
        CHECK(has_pair(with->told, with->told_count, events.ended.pairs[k]), "an end without a begin");
    memcpy(with->told, now, count * sizeof *now);
    with->told_count = count;
    free(now);
    return result;
}

static mote_result call_boxes(rig *with)
{
    mote_id_rows rows;
    mote_result result = mote_broadphase_query_boxes(with->broad, mote_boxes_bounds(with->boxes, BOXES, 3),
                                                     mote_filter_all(), &rows, NULL);
    if (result == MOTE_OK) check_rows(with, &rows, "boxes", meets_box);
    return result;
}

static mote_result call_points(rig *with)
{
    mote_id_rows rows;
    mote_result result =
        mote_broadphase_query_points(with->broad, corners(with, with->boxes->min), mote_filter_all(), &rows, NULL);
    if (result == MOTE_OK) check_rows(with, &rows, "points", meets_point);
    return result;
}

static mote_result call_spheres(rig *with)
{
    float radii[BOXES];
    for (size_t k = 0; k < BOXES; ++k) radii[k] = with->boxes[k].max[0] - with->boxes[k].min[0];
    mote_id_rows rows;
    mote_result result = mote_broadphase_query_spheres(with->broad, corners(with, with->boxes->min), radii,
                                                       sizeof *radii, mote_filter_all(), &rows, NULL);
    if (result == MOTE_OK) check_rows(with, &rows, "spheres", meets_sphere);
    return result;
}

static mote_result call_segments(rig *with)
{
    mote_id_rows rows;
    mote_result result = mote_broadphase_query_segments(
        with->broad, corners(with, with->boxes->min), corners(with, with->boxes->max), mote_filter_all(), &rows, NULL);
    if (result == MOTE_OK) check_rows(with, &rows, "segments", meets_segment);
    return result;
}

static mote_result call_sweeps(rig *with)
{
    mote_id_rows rows;
    mote_result result = mote_broadphase_query_sweeps(with->broad, mote_boxes_bounds(with->boxes, BOXES, 3),
                                                      corners(with, with->boxes->max), mote_filter_all(), &rows, NULL);
    if (result == MOTE_OK) check_rows(with, &rows, "sweeps", meets_sweep);
    return result;
}

static const struct call {
    const char *name;
    mote_result (*run)(rig *with);
} calls[] = {
    {"update", call_update},   {"pairs", call_pairs},       {"pairs_between", call_between},
    {"events", call_events},   {"query_boxes", call_boxes}, {"query_points", call_points},
    {"query_spheres", call_spheres}, {"query_segments", call_segments}, {"query_sweeps", call_sweeps},
};

// ---------------------------------------------------------------------------------------------------------- runs

// Gives all objects of both sets the boxes of the rig.
static void place(rig *with)
{
    CHECK_OK(mote_broadphase_move_many(with->broad, NULL, mote_boxes_bounds(with->boxes, BOXES, 3), NULL));
    CHECK_OK(mote_broadphase_move_many(with->other, NULL, mote_boxes_bounds(with->boxes, BOXES, 3), NULL));
    for (uint32_t id = 0; id < BOXES; ++id) world_put(with->world, id, with->boxes + id, mote_filter_all(), false);
}

// A row of boxes of which only neighbours touch.
static void spread(rig *with)
{
    for (uint32_t id = 0; id < BOXES; ++id)
        for (int k = 0; k < 3; ++k) {
            with->boxes[id].min[k] = k ? 0 : (float)(id % 2 ? 3 * id - 2 : 3 * id);
            with->boxes[id].max[k] = with->boxes[id].min[k] + 1;
        }
}

// The same with so many of them in one place.
static void gather(rig *with, uint32_t count)
{
    for (uint32_t id = 0; id < count; ++id) with->boxes[id] = (mote_bounds){{0, 0, 0}, {1, 1, 1}};
}

static void start(rig *with, const char *method, uint32_t threads)
{
    mote_context_def context_def = mote_context_default_def();
    mote_broadphase_def def = mote_broadphase_default_def();
    memset(&with->yard, 0, sizeof with->yard);
    pthread_mutex_init(&with->yard.mutex, NULL);
    with->yard.left = -1;
    with->told_count = 0;
    context_def.allocator = (mote_allocator){yard_allocate, yard_release, &with->yard};
    context_def.thread_count = threads;
    def.method = method;
    CHECK_OK(mote_context_create(&context_def, &with->context, NULL));
    CHECK_OK(mote_broadphase_create(with->context, &def, &with->broad, NULL));
    CHECK_OK(mote_broadphase_create(with->context, &def, &with->other, NULL));
    with->world->dimensions = 3;
    spread(with);
    const mote_boxes boxes = mote_boxes_bounds(with->boxes, BOXES, 3);
    CHECK_OK(mote_broadphase_add_many(with->broad, boxes, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL));
    CHECK_OK(mote_broadphase_add_many(with->other, boxes, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL));
    place(with);
}

static void stop(rig *with, const char *what)
{
    mote_broadphase_destroy(with->broad);
    mote_broadphase_destroy(with->other);
    mote_context_destroy(with->context);
    clear_yard(&with->yard, what);
    pthread_mutex_destroy(&with->yard.mutex);
}

// One call with few results, then with more, while allocations are refused from the n-th on. Answers whether one was.
static bool run_call(rig *with, const char *method, const struct call *call, uint32_t threads, long n)
{
    enum { REFUSED_MOST = 16 };  // by a call that stops soon
    bool was_refused = false;
    start(with, method, threads);
    CHECK_OK(call->run(with));
    for (uint32_t crowd = 7; crowd <= BOXES; crowd += 41) {
        gather(with, crowd);
        place(with);
        with->yard.left = n;
        with->yard.refused = 0;
        const mote_result result = call->run(with);
        with->yard.left = -1;
        was_refused |= with->yard.refused > 0;
        CHECK(result == MOTE_OK || (result == MOTE_ERROR_OUT_OF_MEMORY && with->yard.refused), "%s, %s: %s", method,
              call->name, mote_result_name(result));
        CHECK(with->yard.refused <= REFUSED_MOST * (long)threads, "%s, %s: asked %ld times more", method, call->name,
              with->yard.refused);
        clear_yard(&with->yard, call->name);
        CHECK_OK(mote_broadphase_validate(with->broad, NULL));
        CHECK_OK(call->run(with));
        CHECK_OK(mote_broadphase_validate(with->broad, NULL));
    }
    stop(with, call->name);
    return was_refused;
}

static void run_calls(uint32_t threads)
{
    rig *with = calloc(1, sizeof *with);
    assert_non_null(with);
    with->world = calloc(1, sizeof *with->world);
    assert_non_null(with->world);
    for (size_t m = 0; mote_broadphase_method_at(m); ++m)
        for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) {
            long n = 0;
            while (run_call(with, mote_broadphase_method_at(m)->name, calls + c, threads, n)) ++n;
        }
    free(with->world);
    free(with);
}

static void refused_growth_writes_to_nothing_released(void **state)
{
    (void)state;
    run_calls(1);
}

static void refused_growth_with_two_threads(void **state)
{
    (void)state;
    run_calls(2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_growth_writes_to_nothing_released),
        cmocka_unit_test(refused_growth_with_two_threads),
    };
    RUN_TESTS(tests, argc, argv);
}
