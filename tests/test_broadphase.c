// SPDX-License-Identifier: MIT
// Every method and every feature against brute force, on wild sets of boxes that come, move and go.

#include "support/boxes.h"
#include "support/test.h"

enum { SIZE = SANITIZED ? 150 : 500, STEPS = SANITIZED ? 8 : 16, QUERIES = SANITIZED ? 20 : 60 };

// A broad phase and the plain list that it must agree with.
typedef struct fixture {
    mote_context *context;
    size_t own_bytes;  // of the context itself
    mote_broadphase *broad;
    box_world world;
    box_kind kind;
    mote_random random;
    mote_pair *before;  // what the last events told of
    size_t before_count;
    char name[80];
} fixture;

static fixture *start_def(mote_broadphase_def def, box_kind kind, int dimensions, uint32_t threads, uint64_t seed)
{
    fixture *f = calloc(1, sizeof *f);
    f->kind = kind;
    f->world.dimensions = dimensions;
    f->random.state = seed;
    f->context = test_context_with_threads(threads);
    f->own_bytes = mote_context_byte_count(f->context);
    def.dimensions = dimensions;
    CHECK_OK(mote_broadphase_create(f->context, &def, &f->broad, NULL));
    snprintf(f->name, sizeof f->name, "%s, %s boxes in %dD, seed %d", def.method, box_kind_name(kind), dimensions,
             (int)seed);
    return f;
}

static fixture *start(const char *method, box_kind kind, int dimensions, uint32_t threads, uint64_t seed)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    return start_def(def, kind, dimensions, threads, seed);
}

static void stop(fixture *f)
{
    mote_broadphase_destroy(f->broad);
    size_t left = mote_context_byte_count(f->context);
    CHECK(left == f->own_bytes, "%s: %zu bytes are left", f->name, left - f->own_bytes);
    mote_context_destroy(f->context);
    free(f->before);
    free(f);
}

static void add_some(fixture *f, uint32_t count)
{
    mote_bounds *boxes = malloc(count * sizeof *boxes);
    uint32_t *ids = malloc(count * sizeof *ids);
    mote_filter filter = filter_random(&f->random);
    bool is_static = mote_random_below(&f->random, 3) == 0;
    for (uint32_t k = 0; k < count; ++k) boxes[k] = box_random(&f->random, f->kind, f->world.dimensions);
    CHECK_OK(mote_broadphase_add_many(f->broad, mote_boxes_bounds(boxes, count, f->world.dimensions),
                                      is_static ? MOTE_OBJECT_STATIC : MOTE_OBJECT_MOVING, filter, ids, NULL));
    for (uint32_t k = 0; k < count; ++k) {
        bool told = false;
        for (size_t p = 0; p < f->before_count; ++p) told |= f->before[p].a == ids[k] || f->before[p].b == ids[k];
        CHECK(!told, "%s: id %u is used again before its end was told", f->name, ids[k]);
        CHECK(ids[k] >= f->world.count || !f->world.objects[ids[k]].alive, "%s: id %u is in use", f->name, ids[k]);
        world_put(&f->world, ids[k], &boxes[k], filter, is_static);
    }
    free(boxes);
    free(ids);
}

// Any object, or MOTE_NO_OBJECT.
static uint32_t pick(fixture *f)
{
    for (int attempt = 0; attempt < 100 && f->world.count; ++attempt) {
        uint32_t id = mote_random_below(&f->random, f->world.count);
        if (f->world.objects[id].alive) return id;
    }
    return MOTE_NO_OBJECT;
}

static void change_some(fixture *f, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t id = pick(f), what = mote_random_below(&f->random, 10);
        if (id == MOTE_NO_OBJECT) return;
        world_object *object = &f->world.objects[id];
        if (what < 3) {
            CHECK_OK(mote_broadphase_remove(f->broad, id, NULL));
            object->alive = false;
        } else if (what == 3) {
            object->filter = filter_random(&f->random);
            CHECK_OK(mote_broadphase_set_filter(f->broad, id, object->filter, NULL));
        } else if (what == 4) {
            object->is_static = !object->is_static;
            CHECK_OK(mote_broadphase_set_kind(f->broad, id, object->is_static ? MOTE_OBJECT_STATIC : MOTE_OBJECT_MOVING,
                                              NULL));
        } else if (what < 8) {  // a little way, or in the twinkling of an eye to somewhere else
            for (int axis = 0; axis < f->world.dimensions; ++axis) {
                float by = (float)(0.2 * (mote_random_unit(&f->random) - 0.5));
                object->box.min[axis] += by;
                object->box.max[axis] += by;
            }
            CHECK_OK(mote_broadphase_move(f->broad, id, &object->box, NULL));
        } else {
            object->box = box_random(&f->random, f->kind, f->world.dimensions);
            CHECK_OK(mote_broadphase_move(f->broad, id, &object->box, NULL));
        }
    }
}

// ------------------------------------------------------------------------------------------------------- checks

static void check_pairs(const char *what, const fixture *f, mote_pairs found, const mote_pair *expected, size_t count)
{
    for (size_t k = 0; k < found.count && k < count; ++k)
        CHECK(found.pairs[k].a == expected[k].a && found.pairs[k].b == expected[k].b,
              "%s: %s: place %zu has %u, %u, expected %u, %u", f->name, what, k, found.pairs[k].a, found.pairs[k].b,
              expected[k].a, expected[k].b);
    CHECK(found.count == count, "%s: %zu %s, expected %zu", f->name, found.count, what, count);
}

static int compare_pairs(const void *a, const void *b)
{
    const mote_pair *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b == y->b ? 0 : x->b < y->b ? -1 : 1;
}

static bool has_pair(const mote_pair *pairs, size_t count, mote_pair pair)
{
    return count && bsearch(&pair, pairs, count, sizeof pair, compare_pairs);
}

static void check_events(fixture *f)
{
    size_t count, parts[3] = {0, 0, 0};
    mote_pair *now = world_pairs(&f->world, &count);
    mote_pair *list[3];
    for (int k = 0; k < 3; ++k) list[k] = malloc((count + f->before_count + 1) * sizeof *now);
    for (size_t k = 0; k < count; ++k) {
        int part = has_pair(f->before, f->before_count, now[k]) ? 1 : 0;
        list[part][parts[part]++] = now[k];
    }
    for (size_t k = 0; k < f->before_count; ++k)
        if (!has_pair(now, count, f->before[k])) list[2][parts[2]++] = f->before[k];
    mote_pair_events events;
    CHECK_OK(mote_broadphase_events(f->broad, &events, NULL));
    check_pairs("begun", f, events.begun, list[0], parts[0]);
    check_pairs("stayed", f, events.stayed, list[1], parts[1]);
    check_pairs("ended", f, events.ended, list[2], parts[2]);
    for (int k = 0; k < 3; ++k) free(list[k]);
    free(f->before);
    f->before = now;
    f->before_count = count;
}

// How often a visitor saw each id, and when it is to stop.
typedef struct sightings {
    uint8_t seen[4096];
    uint32_t count, most;
} sightings;

static bool see(void *user_data, uint32_t id)
{
    sightings *s = user_data;
    s->seen[id] += 1;
    s->count += 1;
    return s->count < s->most;
}

typedef struct question {
    mote_bounds box;
    float a[3], b[3], radius;
    mote_filter filter;
} question;

enum { ASK_BOX, ASK_POINT, ASK_SPHERE, ASK_SEGMENT, ASK_SWEEP, SHAPES };
static const char *const shape_names[SHAPES] = {"box", "point", "sphere", "segment", "sweep"};

static question random_question(fixture *f)
{
    question q = {.filter = {UINT64_MAX, UINT64_MAX}};
    if (mote_random_below(&f->random, 3) == 0) q.filter = filter_random(&f->random);
    q.box = box_random(&f->random, f->kind, f->world.dimensions);
    mote_bounds other = box_random(&f->random, mote_random_below(&f->random, 4) ? f->kind : BOXES_MIXED,
                                   f->world.dimensions);
    for (int k = 0; k < f->world.dimensions; ++k) {
        q.a[k] = q.box.min[k];
        q.b[k] = mote_random_below(&f->random, 3) ? other.max[k] : q.box.min[k];
    }
    for (int k = f->world.dimensions; k < 3; ++k) q.a[k] = 3, q.b[k] = -2;
    q.radius = (float)ldexp(mote_random_unit(&f->random), 2 - (int)mote_random_below(&f->random, 10));
    if (mote_random_below(&f->random, 8) == 0) q.radius = 0;
    return q;
}

static bool is_answer(const box_world *world, int shape, const question *q, uint32_t id)
{
    const world_object *object = &world->objects[id];
    if (!object->alive || !world_filters_meet(object->filter, q->filter)) return false;
    int dimensions = world->dimensions;
    mote_bounds point;
    memcpy(point.min, q->a, sizeof point.min);
    memcpy(point.max, q->a, sizeof point.max);
    switch (shape) {
    case ASK_BOX: return world_boxes_meet(&object->box, &q->box, dimensions);
    case ASK_POINT: return world_boxes_meet(&object->box, &point, dimensions);
    case ASK_SPHERE: return world_sphere_meets(&object->box, q->a, q->radius, dimensions);
    case ASK_SEGMENT: return world_segment_meets(&object->box, q->a, q->b, dimensions);
    default: return world_sweep_meets(&object->box, &q->box, q->b, dimensions);
    }
}

static void ask(const fixture *f, int shape, const question *q, sightings *s)
{
    const mote_broadphase *broad = f->broad;
    mote_result result = MOTE_OK;
    switch (shape) {
    case ASK_BOX: result = mote_broadphase_query_box(broad, &q->box, q->filter, see, s, NULL); break;
    case ASK_POINT: result = mote_broadphase_query_point(broad, q->a, q->filter, see, s, NULL); break;
    case ASK_SPHERE: result = mote_broadphase_query_sphere(broad, q->a, q->radius, q->filter, see, s, NULL); break;
    case ASK_SEGMENT: result = mote_broadphase_query_segment(broad, q->a, q->b, q->filter, see, s, NULL); break;
    default: result = mote_broadphase_query_sweep(broad, &q->box, q->b, q->filter, see, s, NULL); break;
    }
    CHECK(result == MOTE_OK, "%s: %s: %s", f->name, shape_names[shape], mote_result_name(result));
}

static void check_queries(fixture *f)
{
    for (int k = 0; k < QUERIES; ++k) {
        question q = random_question(f);
        int shape = k % SHAPES;
        sightings all = {.most = UINT32_MAX}, few = {.most = 3};
        uint32_t expected = 0;
        ask(f, shape, &q, &all);
        for (uint32_t id = 0; id < f->world.count; ++id) {
            bool meets = is_answer(&f->world, shape, &q, id);
            CHECK(all.seen[id] == (meets ? 1 : 0), "%s: %s: id %u was seen %d times", f->name, shape_names[shape], id,
                  all.seen[id]);
            expected += meets;
        }
        ask(f, shape, &q, &few);
        CHECK(few.count == (expected < 3 ? expected : 3), "%s: %s: stopped after %u of %u", f->name,
              shape_names[shape], few.count, expected);
    }
}

static void check_closest(fixture *f)
{
    for (int k = 0; k < QUERIES / 4; ++k) {
        question q = random_question(f);
        float distance = mote_random_below(&f->random, 2) ? INFINITY : q.radius;
        mote_closest_object best = {MOTE_NO_OBJECT, HUGE_VAL}, found;
        for (uint32_t id = 0; id < f->world.count; ++id) {
            const world_object *object = &f->world.objects[id];
            if (!object->alive || !world_filters_meet(object->filter, q.filter)) continue;
            double squared = world_squared_distance(&object->box, q.b, f->world.dimensions);
            if (squared < best.squared && squared <= (double)distance * (double)distance)
                best = (mote_closest_object){id, squared};
        }
        CHECK_OK(mote_broadphase_closest(f->broad, q.b, distance, q.filter, &found, NULL));
        CHECK(found.id == best.id && found.squared == best.squared, "%s: closest is %u at %g, expected %u at %g",
              f->name, found.id, found.squared, best.id, best.squared);
    }
}

static void check_rows(const fixture *f, int shape, const question *questions, uint32_t count, mote_id_rows rows)
{
    uint64_t total = 0;
    CHECK(rows.count == count, "%s: %zu rows", f->name, rows.count);
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t place = 0;
        const uint32_t *row = rows.ids + rows.first[k];
        question q = questions[k];
        q.filter = questions[0].filter;
        for (uint32_t id = 0; id < f->world.count; ++id) {
            if (!is_answer(&f->world, shape, &q, id)) continue;
            CHECK(place < rows.counts[k] && row[place] == id, "%s: row %u of %s queries lacks %u", f->name, k,
                  shape_names[shape], id);
            ++place;
        }
        CHECK(place == rows.counts[k], "%s: row %u of %s queries holds %u, expected %u", f->name, k,
              shape_names[shape], rows.counts[k], place);
        total += place;
    }
    CHECK(rows.total == total, "%s: %d of %d", f->name, (int)rows.total, (int)total);
}

static void check_batches(fixture *f, uint32_t count)
{
    question *questions = malloc(count * sizeof *questions);
    mote_bounds *boxes = malloc(count * sizeof *boxes);
    float *a = malloc(3 * count * sizeof *a), *b = malloc(3 * count * sizeof *b);
    for (uint32_t k = 0; k < count; ++k) {
        questions[k] = random_question(f);
        boxes[k] = questions[k].box;
        memcpy(a + 3 * k, questions[k].a, sizeof questions[k].a);
        memcpy(b + 3 * k, questions[k].b, sizeof questions[k].b);
    }
    mote_points starts = mote_points_xyz(a, count), ends = mote_points_xyz(b, count);
    starts.dimensions = ends.dimensions = f->world.dimensions;
    mote_filter filter = questions[0].filter;
    mote_id_rows rows;
    mote_boxes view = mote_boxes_bounds(boxes, count, f->world.dimensions);
    CHECK_OK(mote_broadphase_query_boxes(f->broad, view, filter, &rows, NULL));
    check_rows(f, ASK_BOX, questions, count, rows);
    CHECK_OK(mote_broadphase_query_points(f->broad, starts, filter, &rows, NULL));
    check_rows(f, ASK_POINT, questions, count, rows);
    CHECK_OK(
        mote_broadphase_query_spheres(f->broad, starts, &questions[0].radius, sizeof *questions, filter, &rows, NULL));
    check_rows(f, ASK_SPHERE, questions, count, rows);
    CHECK_OK(mote_broadphase_query_segments(f->broad, starts, ends, filter, &rows, NULL));
    check_rows(f, ASK_SEGMENT, questions, count, rows);
    CHECK_OK(mote_broadphase_query_sweeps(f->broad, view, ends, filter, &rows, NULL));
    check_rows(f, ASK_SWEEP, questions, count, rows);
    free(questions);
    free(boxes);
    free(a);
    free(b);
}

static void check_all(fixture *f)
{
    mote_error error = {0};
    mote_pairs pairs;
    size_t count;
    CHECK_OK(mote_broadphase_update(f->broad, &error));
    CHECK(mote_broadphase_validate(f->broad, &error) == MOTE_OK, "%s: %s", f->name, error.text);
    mote_pair *expected = world_pairs(&f->world, &count);
    CHECK_OK(mote_broadphase_pairs(f->broad, &pairs, &error));
    check_pairs("pairs", f, pairs, expected, count);
    free(expected);
    check_queries(f);
    check_closest(f);
    check_batches(f, 60);
}

// A method through a random life, with every kind of boxes from `first` on in steps.
static void live(mote_broadphase_def def, int dimensions, int first, int step_of_kinds)
{
    for (int kind = first; kind < BOX_KINDS; kind += step_of_kinds) {
        fixture *f = start_def(def, (box_kind)kind, dimensions, 1, (uint64_t)kind + 100 * (uint64_t)dimensions);
        check_all(f);
        for (int step = 0; step < STEPS; ++step) {
            uint32_t many = step == 0 || step == STEPS / 2 ? SIZE : mote_random_below(&f->random, 20);
            if (many) add_some(f, many);
            change_some(f, step % 4 == 3 ? SIZE : mote_random_below(&f->random, 30));
            if (step % 3 == 1) check_events(f);
            if (step % 3 == 2 || step == 0) check_all(f);
        }
        for (uint32_t id = 0; id < f->world.count; ++id)
            if (f->world.objects[id].alive) {
                CHECK_OK(mote_broadphase_remove(f->broad, id, NULL));
                f->world.objects[id].alive = false;
            }
        check_all(f);
        check_events(f);
        stop(f);
    }
}

static void for_all_methods(int dimensions)
{
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        mote_broadphase_def def = mote_broadphase_default_def();
        def.method = mote_broadphase_method_at(m)->name;
        live(def, dimensions, 0, 1);
    }
}

static void all_methods_in_3d(void **state)
{
    (void)state;
    for_all_methods(3);
}

static void all_methods_in_2d(void **state)
{
    (void)state;
    for_all_methods(2);
}

// Cells far too small or too large, too few classes, classes that do not fit: dear, but right.
static void odd_cells(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double cell_size, finest;
        int32_t classes;
        bool fixed, on_insertion;
    } odd[] = {
        {"uniform_hash", 1e-3, 0, 0, false, false},      {"uniform_hash", 1e30, 0, 0, false, false},
        {"uniform_hash", 0.7, 0, 0, false, false},       {"multilevel_hash", 0, 0, 2, false, false},
        {"multilevel_hash", 0, 0, 0, true, false},       {"multilevel_hash", 0, 0.3, 0, false, false},
        {"multilevel_hash", 0, 0.01, 3, false, false},   {"multilevel_hash", 0, 1e30, 1, false, false},
        {"hierarchical_hash", 0, 0, 0, false, true},     {"hierarchical_hash", 0, 0, 1, false, false},
        {"hierarchical_hash", 0, 1e-5, 2, false, true},  {"hierarchical_hash", 0, 0.1, 5, false, false},
        {"hierarchical_hash", 0, 1e-30, 0, false, false}};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; ++k) {
        mote_broadphase_def def = mote_broadphase_default_def();
        def.method = odd[k].method;
        def.cell_size = odd[k].cell_size;
        def.finest = odd[k].finest;
        def.classes = odd[k].classes;
        def.fixed_classes = odd[k].fixed;
        def.pairs_on_insertion = odd[k].on_insertion;
        live(def, k % 3 == 0 ? 2 : 3, (int)k % 3, 3);
    }
}

static void all_methods_on_two_threads(void **state)
{
    (void)state;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        fixture *f = start(mote_broadphase_method_at(m)->name, BOXES_MIXED, 3, 2, 77);
        for (int k = 0; k < (SEEKS_RACES ? 3 : 6); ++k) add_some(f, SIZE / 2);
        check_all(f);
        check_events(f);
        change_some(f, SIZE);
        check_events(f);
        check_all(f);
        check_batches(f, 1200);  // so many that they are sorted
        stop(f);
    }
}

// ------------------------------------------------------------------------------------------------ set against set

static void sets_against_each_other(void **state)
{
    (void)state;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        const char *method = mote_broadphase_method_at(m)->name;
        fixture *f = start(method, BOXES_MIXED, 3, 2, 5), *g = start(method, BOXES_UNIFORM, 3, 1, 6);
        add_some(f, SIZE / 2);
        add_some(f, SIZE / 2);
        add_some(g, SIZE / 2);
        add_some(g, SIZE / 2);
        change_some(f, 50);
        change_some(g, 50);
        mote_pairs pairs;
        CHECK_OK(mote_broadphase_pairs_between(f->broad, g->broad, &pairs, NULL));
        size_t place = 0;
        for (uint32_t a = 0; a < f->world.count; ++a)
            for (uint32_t b = 0; b < g->world.count; ++b) {
                const world_object *x = &f->world.objects[a], *y = &g->world.objects[b];
                if (!x->alive || !y->alive || (x->is_static && y->is_static)) continue;
                if (!world_filters_meet(x->filter, y->filter) || !world_boxes_meet(&x->box, &y->box, 3)) continue;
                CHECK(place < pairs.count && pairs.pairs[place].a == a && pairs.pairs[place].b == b,
                      "%s: pair %zu is not %u, %u", f->name, place, a, b);
                ++place;
            }
        CHECK(place == pairs.count, "%s: %zu pairs, expected %zu", f->name, pairs.count, place);
        stop(f);
        stop(g);
    }
}

static uint64_t sum_rows(const mote_id_rows *rows)
{
    uint64_t sum = rows->total;
    for (size_t i = 0; i < rows->count; ++i)
        for (uint32_t k = 0; k < rows->counts[i]; ++k)
            sum = (sum ^ rows->ids[rows->first[i] + k]) * 0x9E3779B97F4A7C15u + rows->counts[i];
    return sum;
}

// Rows that were handed out stay while the object is asked for pairs with another one, by either of the two.
static void rows_stay_while_sets_meet(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    mote_bounds boxes[COUNT];
    mote_random random = {8};
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) {
            boxes[i].min[k] = (float)mote_random_unit(&random);
            boxes[i].max[k] = boxes[i].min[k] + 0.2f;
        }
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        mote_broadphase_def def = mote_broadphase_default_def();
        def.method = mote_broadphase_method_at(m)->name;
        mote_broadphase *broad[2];
        mote_id_rows rows[2];
        mote_pairs pairs;
        uint64_t sums[2];
        for (int b = 0; b < 2; ++b) {
            const mote_boxes all = mote_boxes_bounds(boxes + (b ? COUNT / 2 : 0), COUNT / 2, 3);
            CHECK_OK(mote_broadphase_create(NULL, &def, &broad[b], NULL));
            CHECK_OK(mote_broadphase_add_many(broad[b], all, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL));
            CHECK_OK(mote_broadphase_query_boxes(broad[b], all, mote_filter_all(), &rows[b], NULL));
            sums[b] = sum_rows(&rows[b]);
        }
        for (int b = 0; b < 2; ++b) {
            CHECK_OK(mote_broadphase_pairs_between(broad[b], broad[!b], &pairs, NULL));
            CHECK(pairs.count > COUNT, "%s: %zu pairs", def.method, pairs.count);
            for (int r = 0; r < 2; ++r) CHECK(sum_rows(&rows[r]) == sums[r], "%s: rows of set %d", def.method, r);
        }
        for (int b = 0; b < 2; ++b) mote_broadphase_destroy(broad[b]);
    }
}

// Rows as the method has them: the same ids in some order, the same one for any number of threads.
static void rows_without_order(void **state)
{
    (void)state;
    enum { COUNT = 700 };
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) {
        mote_broadphase_def def = mote_broadphase_default_def();
        def.method = mote_broadphase_method_at(m)->name;
        mote_id_rows rows[3];
        fixture *f[3];
        mote_bounds boxes[COUNT];
        for (int k = 0; k < 3; ++k) {
            def.unordered_rows = k > 0;
            f[k] = start_def(def, BOXES_MIXED, 3, k == 2 ? 2 : 1, 31);
            add_some(f[k], COUNT);
            for (int q = 0; q < COUNT; ++q) boxes[q] = box_random(&f[k]->random, BOXES_UNIFORM, 3);
            mote_boxes view = mote_boxes_bounds(boxes, COUNT, 3);
            mote_filter all = {UINT64_MAX, UINT64_MAX};
            CHECK_OK(mote_broadphase_query_boxes(f[k]->broad, view, all, &rows[k], NULL));
        }
        for (int q = 0; q < COUNT; ++q) {
            const uint32_t count = rows[0].counts[q], *row = rows[1].ids + rows[1].first[q];
            CHECK(rows[1].counts[q] == count && rows[2].counts[q] == count, "%s: row %d", def.method, q);
            CHECK(memcmp(row, rows[2].ids + rows[2].first[q], count * sizeof *row) == 0, "%s: row %d on two threads",
                  def.method, q);
            for (uint32_t k = 0; k < count; ++k) {
                uint32_t times = 0;
                for (uint32_t j = 0; j < count; ++j) times += row[j] == rows[0].ids[rows[0].first[q] + k];
                CHECK(times == 1, "%s: row %d has an id %u times", def.method, q, times);
            }
        }
        for (int k = 0; k < 3; ++k) stop(f[k]);
    }
}

static void note_depth(void *data, const mote_broadphase_cell *cell)
{
    int32_t *deepest = data;
    if (cell->class_number > *deepest) *deepest = cell->class_number;
}

// One at a time, so that nothing builds the tree anew for them.
static void boxes_at_one_place_make_no_chain(void **state)
{
    (void)state;
    enum { COUNT = 3000, DEEPEST = 16 };
    const mote_bounds box = {{1, 2, 3}, {2, 3, 4}};
    fixture *f = start("bvh8", BOXES_UNIFORM, 3, 1, 1);
    int32_t deepest = 0;
    for (uint32_t k = 0; k < COUNT; ++k) {
        uint32_t id;
        CHECK_OK(mote_broadphase_add(f->broad, &box, MOTE_OBJECT_MOVING, (mote_filter){1, 1}, &id, NULL));
        CHECK_OK(mote_broadphase_update(f->broad, NULL));
        if (k % 100 == 99) CHECK_OK(mote_broadphase_cells(f->broad, note_depth, &deepest, NULL));
    }
    CHECK_OK(mote_broadphase_validate(f->broad, NULL));
    CHECK(deepest > 0 && deepest <= DEEPEST, "%d nodes deep", deepest);
    stop(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_in_3d),  // one thread
        cmocka_unit_test(all_methods_in_2d),  // one thread
        cmocka_unit_test(odd_cells),  // one thread
        cmocka_unit_test(all_methods_on_two_threads),
        cmocka_unit_test(sets_against_each_other),
        cmocka_unit_test(rows_stay_while_sets_meet),
        cmocka_unit_test(rows_without_order),
        cmocka_unit_test(boxes_at_one_place_make_no_chain),  // one thread
    };
    RUN_TESTS(tests, argc, argv);
}
