// The innermost loops of cell_grid: their vector form gives what the scalar form gives, to the last index.

#include "neighbors/scan.h"
#include "support/points.h"
#include "support/test.h"

static void vector_form_equals_scalar(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 70; ++count)
        for (int self = 0; self < 2; ++self) {
            float *xyz = test_points_uniform(count, count + 64, 3, 1);
            mote_points points = mote_points_xyz(xyz, count + 64);
            cell_sort sort = {0};
            CHECK_OK(mote_cell_sort_build(NULL, &sort, &points, 2, NULL));
            cell_run runs[2] = {{3, 3 + count / 3}, {30, 30 + (count - count / 3)}};
            point_group group = {sort.x + 4, sort.y + 4, sort.z + 4, 3};
            const scan_functions *forms[2] = {&mote_scan_plain, mote_scan_choose()};
            candidate_block blocks[2] = {{{0}, 0, 0, 0, 0, 0}, {{0}, 0, 0, 0, 0, 0}};
            uint32_t rows[2][128], found[2], places[2];
            for (int f = 0; f < 2; ++f) {
                places[f] = self && count ? runs[1].begin : UINT32_MAX;
                CHECK_OK(mote_block_fill(NULL, forms[f], blocks + f, &sort, runs, 2, &group, 0.2f, places + f));
                const float point[3] = {0.5f, 0.5f, 0.5f};
                if (places[f] != UINT32_MAX) mote_block_take_out(blocks + f, places[f]);
                found[f] = forms[f]->scan(blocks + f, point, 0.2f, rows[f]);
            }
            CHECK(blocks[0].count == blocks[1].count, "%u and %u candidates", blocks[0].count, blocks[1].count);
            CHECK(places[0] == places[1], "places %u and %u", places[0], places[1]);
            assert_memory_equal(blocks[0].index, blocks[1].index, blocks[0].count * sizeof(uint32_t));
            CHECK(found[0] == found[1], "%u candidates: %u and %u", count, found[0], found[1]);
            assert_memory_equal(rows[0], rows[1], found[0] * sizeof(uint32_t));
            for (int f = 0; f < 2; ++f) mote_block_release(NULL, blocks + f);
            mote_cell_sort_release(NULL, &sort);
            free(xyz);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_form_equals_scalar),
    };
    RUN_TESTS(tests, argc, argv);
}
