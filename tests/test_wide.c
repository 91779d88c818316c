// SPDX-License-Identifier: MIT
// The operations of base/wide.h: every form that this processor has gives what the plain one gives.

#include "base/tested.h"
#include "support/test.h"
#include "wide/cases.h"

static void avx2_is_plain(void **state)
{
    (void)state;
#if MOTE_HAVE_AVX2
    if (mote_cpu_has(MOTE_SIMD_AVX2)) assert_int_equal(wide_compare(wide_cases_avx2), 0);
#endif
}

static void avx512_is_plain(void **state)
{
    (void)state;
#if MOTE_HAVE_AVX2
    if (mote_cpu_has(MOTE_SIMD_AVX512)) assert_int_equal(wide_compare(wide_cases_avx512), 0);
#endif
}

static void simd128_is_plain(void **state)
{
    (void)state;
#if MOTE_HAVE_SIMD128
    assert_int_equal(wide_compare(wide_cases_128), 0);
#endif
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avx2_is_plain),
        cmocka_unit_test(avx512_is_plain),
        cmocka_unit_test(simd128_is_plain),
    };
    RUN_TESTS(tests, argc, argv);
}
