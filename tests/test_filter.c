// SPDX-License-Identifier: MIT
// The filter of rows with a skin: its vector form takes what the scalar form takes, in the same order.

#include "neighbors/tested.h"
#include "support/points.h"
#include "support/test.h"

enum { POINTS = 300, MOST = 70 };

static void compare_forms(const filter_list *list)
{
    for (int wants_places = 0; wants_places < 2; ++wants_places) {
        uint32_t plain[MOST + 8], vector[MOST + 8];
        size_t expected = mote_filter_plain(list, wants_places != 0, plain);
        size_t found = mote_neighbors_lanes_choose()->filter(list, wants_places != 0, vector);
        CHECK(found == expected, "%u listed: %zu and %zu", list->count, found, expected);
        CHECK(list->count < 20 || (found > 0 && found < list->count), "%zu of %u", found, list->count);
        assert_memory_equal(plain, vector, found * sizeof *plain);
    }
}

static void vector_forms_equal_scalar(void **state)
{
    (void)state;
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
        compare_forms(&list);
        list.points = (placed_points){.f64 = f64};
        compare_forms(&list);
        free(places);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_forms_equal_scalar),
    };
    RUN_TESTS(tests, argc, argv);
}
