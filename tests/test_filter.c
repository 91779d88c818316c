// SPDX-License-Identifier: MIT
// The filter of rows with a skin: its vector form takes what the scalar form takes, in the same order.

#include "base/tested.h"
#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { POINTS = 300, MOST = 70 };

static void compare_forms(mote_simd form, const filter_list *list)
{
    for (int wants_places = 0; wants_places < 2; ++wants_places) {
        uint32_t plain[MOST + MOTE_WIDE_MOST], vector[MOST + MOTE_WIDE_MOST];
        size_t expected = mote_neighbors_lanes(MOTE_SIMD_PLAIN)->filter(list, wants_places != 0, plain);
        size_t found = mote_neighbors_lanes(form)->filter(list, wants_places != 0, vector);
        CHECK(found == expected, "%u listed: %zu and %zu", list->count, found, expected);
        CHECK(list->count < 20 || (found > 0 && found < list->count), "%zu of %u", found, list->count);
        assert_memory_equal(plain, vector, found * sizeof *plain);
    }
}

static void compare_with(mote_simd form)
{
    static placed_point f32[POINTS];
    static placed_point_f64 f64[POINTS];
    mote_random random = {1};
    for (uint32_t i = 0; i < POINTS; ++i) {
        f64[i].index = 7000 + i, f32[i].index = 7000 + i;
        for (int k = 0; k < 3; ++k) f64[i].at[k] = mote_random_unit(&random), f32[i].at[k] = (float)f64[i].at[k];
    }
    for (uint32_t count = 0; count < MOST; ++count) {
        uint32_t *places = malloc(count * sizeof *places + 1);  // just as many: sanitizers see what lies behind
        for (uint32_t n = 0; n < count; ++n) places[n] = mote_random_below(&random, POINTS);
        filter_list list = {.points = {.f32 = f32}, .places = places, .count = count, .at = {0.5, 0.5, 0.5}};
        list.limit = 0.25;
        compare_forms(form, &list);
        list.points = (placed_points){.f64 = f64};
        compare_forms(form, &list);
        free(places);
    }
}

static void vector_forms_equal_scalar(void **state)
{
    (void)state;
    for (mote_simd form = MOTE_SIMD_AVX2; form <= MOTE_SIMD_128; ++form)
        if (mote_cpu_has(form)) compare_with(form);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_forms_equal_scalar),
    };
    RUN_TESTS(tests, argc, argv);
}
