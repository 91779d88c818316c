// The innermost loop of cell_grid: its vector form gives the scalar form's row, to the last index.

#include "neighbors/scan.h"
#include "support/points.h"
#include "support/test.h"

static void vector_form_equals_scalar(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 70; ++count)
        for (int self = 0; self < 2; ++self) {
            float *xyz = test_points_uniform(count, count + 64, 3, 1);
            cell_sort sort = {0};
            CHECK_OK(mote_cell_sort_build(
                NULL, &sort, &(mote_points){{xyz, xyz + 1, xyz + 2}, 12, count + 64, MOTE_F32, 3}, 2, NULL));
            cell_run runs[2] = {{3, 3 + count / 3}, {20, 20 + (count - count / 3)}};
            candidate_block block = {0};
            CHECK_OK(mote_block_gather(NULL, &block, &sort, runs, 2));
            CHECK(block.count == count, "%u of %u", block.count, count);
            uint32_t a[128], b[128];
            const float point[3] = {0.5f, 0.5f, 0.5f};
            uint32_t left_out = self && count ? count / 2 : UINT32_MAX;
            uint32_t found_a = mote_scan_plain(&block, point, 0.2f, left_out, a);
            uint32_t found_b = mote_scan_choose()(&block, point, 0.2f, left_out, b);
            CHECK(found_a == found_b, "%u candidates: %u and %u", count, found_a, found_b);
            assert_memory_equal(a, b, found_a * sizeof *a);
            mote_block_release(NULL, &block);
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
