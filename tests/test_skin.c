// SPDX-License-Identifier: MIT
// Searches with a skin: everything that could make their rows stale, against brute force after every step.

#include "mote/neighbors.h"
#include "support/cloud.h"
#include "support/test.h"

enum { SEEDS = SANITIZED ? 6 : 24, STEPS = 16 };

typedef struct setting {
    uint64_t seed;
    mote_neighbors_def def;
    mote_neighbors *search;
    cloud set;
    brute_row brute;
    int step;
} setting;

static bool has(const setting *s, uint32_t feature)
{
    return (s->def.features & feature) != 0;
}

static void update(setting *s)
{
    if (has(s, MOTE_NEIGHBORS_RADII))
        CHECK_OK(mote_neighbors_update_radii(s->search, s->set.points, s->set.own_radii, cloud_radius_stride(&s->set),
                                             NULL));
    else
        CHECK_OK(mote_neighbors_update(s->search, s->set.points, NULL));
    CHECK_OK(mote_neighbors_validate(s->search, NULL));
}

static uint64_t rebuilds(const setting *s)
{
    return mote_neighbors_get_counters(s->search).rebuilds;
}

// Rows ascend: compared place by place.
static void check_row(const setting *s, mote_row row)
{
    CHECK(row.count == s->brute.count, "%s, seed %d, step %d: row %u has %u neighbours, expected %zu", s->def.method,
          (int)s->seed, s->step, row.index, row.count, s->brute.count);
    for (size_t k = 0; k < row.count; ++k) {
        bool same = row.indices[k] == s->brute.hits[k].index;
        for (size_t a = 0; a < 3 && row.shifts; ++a) same &= row.shifts[3 * k + a] == s->brute.hits[k].shift[a];
        CHECK(same, "%s, seed %d, step %d: row %u differs at %zu", s->def.method, (int)s->seed, s->step, row.index, k);
    }
}

static void check_rows(setting *s)
{
    mote_lists lists;
    CHECK_OK(mote_neighbors_lists(s->search, &lists, NULL));
    bool radii = has(s, MOTE_NEIGHBORS_RADII);
    for (uint32_t i = 0; i < s->set.count; ++i) {
        double radius = radii ? s->set.radii[i] : s->def.radius;
        brute_find(&s->def, &s->set, s->set.xyz + 3 * (size_t)i, radius, i, 0, 1, &s->brute);
        check_row(s, mote_lists_row(&lists, i));
    }
    if (radii)  // the set looks into itself
        CHECK_OK(mote_neighbors_query_radii(s->search, s->set.points, s->set.own_radii, cloud_radius_stride(&s->set),
                                            &lists, NULL));
    else
        CHECK_OK(mote_neighbors_query(s->search, s->set.points, &lists, NULL));
    for (uint32_t i = 0; i < s->set.count; ++i) {
        double radius = radii ? s->set.radii[i] : s->def.radius;
        brute_find(&s->def, &s->set, s->set.xyz + 3 * (size_t)i, radius, UINT32_MAX, 0, 1, &s->brute);
        check_row(s, mote_lists_row(&lists, i));
    }
}

// Something that may make the rows stale.
static void disturb(setting *s, mote_random *random)
{
    size_t n = s->set.count, some = 3 * mote_random_below(random, (uint32_t)n);
    switch (mote_random_below(random, 7)) {
    case 0:  // all a little
        for (size_t k = 0; k < 3 * n; ++k) s->set.xyz[k] += 0.2 * s->def.skin * (mote_random_unit(random) - 0.5);
        break;
    case 1:  // one creeps
        s->set.xyz[some] += 0.2 * s->def.skin;
        break;
    case 2:  // one jumps
        s->set.xyz[some] = mote_random_unit(random);
        break;
    case 3:  // to another image of itself
        s->set.xyz[some] += s->def.period[0].x;
        s->set.xyz[some + 1] += s->def.period[0].y;
        break;
    case 4:  // another box
        if (!has(s, MOTE_NEIGHBORS_PERIODIC)) break;
        s->def.period[0].x *= 1 + 0.01 * mote_random_unit(random);
        CHECK_OK(mote_neighbors_set_period(s->search, s->def.period, s->def.period_origin, NULL));
        break;
    case 5:  // fewer points
        if (n < 10) break;
        s->set.count = s->set.points.count = n - 1;
        break;
    default:  // another radius
        s->set.radii[some / 3] *= 1.5;
        break;
    }
    cloud_refresh(&s->set);
}

static setting make(const mote_neighbors_method_info *info, uint64_t seed, uint32_t features, mote_random *random)
{
    setting s = {.seed = seed, .def = mote_neighbors_default_def()};
    s.def.method = info->name;
    s.def.features = features | MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_ASCENDING;
    s.def.radius = (double)0.15f;
    s.def.skin = (double)(mote_random_below(random, 4) ? 0.04f : 1e-9f);  // one that is lost in rounding, too
    s.def.radius_rule = (mote_radius_rule)(1 + mote_random_below(random, 2));
    s.def.period[0] = (mote_vec3){0.8, 0.1, 0};
    s.def.period[2] = (mote_vec3){0, 0, 0.7};
    CHECK_OK(mote_neighbors_create(NULL, &s.def, &s.search, NULL));
    s.set = cloud_random(random, has(&s, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32, 3, 60, 0.07);
    return s;
}

static void discard(setting *s)
{
    mote_neighbors_destroy(s->search);
    cloud_free(&s->set);
    free(s->brute.hits);
}

static void rows_never_go_stale(void **state)
{
    (void)state;
    const uint32_t choice = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        for (uint64_t seed = 0; seed < SEEDS && (info->features & MOTE_NEIGHBORS_SKIN); ++seed) {
            mote_random random = {seed};
            setting s = make(info, seed, (uint32_t)mote_random_next(&random) & choice & info->features, &random);
            for (s.step = 0; s.step < STEPS; ++s.step) {
                update(&s);
                check_rows(&s);
                disturb(&s, &random);
            }
            discard(&s);
        }
}

static void points_may_move_half_the_skin(void **state)
{
    (void)state;
    for (uint32_t features = 0; features <= MOTE_NEIGHBORS_F64; features += MOTE_NEIGHBORS_F64) {
        mote_random random = {3};
        setting s = make(mote_neighbors_method_at(0), 3, features, &random);
        discard(&s);
        s.def.skin = 0.04;
        CHECK_OK(mote_neighbors_create(NULL, &s.def, &s.search, NULL));
        s.set = cloud_random(&random, features ? MOTE_F64 : MOTE_F32, 3, 60, 0.1);
        s.brute = (brute_row){0};
        update(&s);
        assert_int_equal(rebuilds(&s), 1);
        for (s.step = 0; s.step < 6; ++s.step) {  // 0.48, then 0.72 of the skin: every third step rebuilds
            s.set.xyz[33] += 0.24 * s.def.skin;
            cloud_refresh(&s.set);
            update(&s);
            check_rows(&s);
            CHECK(rebuilds(&s) == 1 + (uint64_t)(s.step + 1) / 3, "step %d: %llu", s.step,
                  (unsigned long long)rebuilds(&s));
        }
        discard(&s);
    }
}

// Two points that come towards each other as far as each may.
static void pairs_meet_within_the_skin(void **state)
{
    (void)state;
    float xyz[6] = {0, 0, 0, 1.0999f, 0, 0};
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_SKIN;
    def.radius = 1;
    def.skin = 0.1;
    mote_neighbors *search;
    mote_lists lists;
    CHECK_OK(mote_neighbors_create(NULL, &def, &search, NULL));
    for (int step = 0; step < 3; ++step) {
        CHECK_OK(mote_neighbors_update(search, mote_points_xyz(xyz, 2), NULL));
        CHECK_OK(mote_neighbors_lists(search, &lists, NULL));
        CHECK(lists.total == (step == 2 ? 2 : 0), "step %d: %d neighbours", step, (int)lists.total);
        xyz[0] += 0.02498f;
        xyz[3] -= 0.02498f;
    }
    assert_int_equal(mote_neighbors_get_counters(search).rebuilds, 1);
    mote_neighbors_destroy(search);
}

static void bad_skins_are_refused(void **state)
{
    (void)state;
    static const double skins[] = {0, -1, NAN, INFINITY, 1e-30};
    mote_neighbors_def def = mote_neighbors_default_def();
    mote_neighbors *search;
    def.features = MOTE_NEIGHBORS_SKIN;
    def.radius = 1;
    for (int k = 0; k < 5; ++k) {
        def.skin = skins[k];
        CHECK(mote_neighbors_create(NULL, &def, &search, NULL) == MOTE_ERROR_ARGUMENT, "skin %g", skins[k]);
    }
}

static void count_message(void *user_data, const char *text)
{
    CHECK(strstr(text, "every update rebuilds") != NULL, "%s", text);
    *(int *)user_data += 1;
}

static void a_skin_of_no_use_is_told_once(void **state)
{
    (void)state;
    int count = 0;
    mote_context_def context_def = mote_context_default_def();
    context_def.log = (mote_log){count_message, &count};
    mote_context *context;
    CHECK_OK(mote_context_create(&context_def, &context, NULL));
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1e6;
    def.skin = 1;  // the distances' rounding is more than half of it
    def.features = MOTE_NEIGHBORS_SKIN;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    const float points[6] = {0, 0, 0, 1, 1, 1};
    for (int k = 0; k < 3; ++k) CHECK_OK(mote_neighbors_update(search, mote_points_xyz(points, 2), NULL));
    CHECK(count == 1, "told %d times", count);
    mote_neighbors_destroy(search);
    mote_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_never_go_stale),
        cmocka_unit_test(points_may_move_half_the_skin),
        cmocka_unit_test(pairs_meet_within_the_skin),
        cmocka_unit_test(bad_skins_are_refused),
        cmocka_unit_test(a_skin_of_no_use_is_told_once),
    };
    RUN_TESTS(tests, argc, argv);
}
