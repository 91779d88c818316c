// SPDX-License-Identifier: MIT
// The operations of base/wide.h: every form that this processor has gives what the plain one gives. Those of
// base/wide4.h give what one number at a time gives.

#include "base/tested.h"
#include "support/test.h"
#include "wide/cases.h"

// Forms that were not compiled have no cases: NULL.
#if MOTE_HAVE_AVX2
static wide_cases *const avx2 = wide_cases_avx2, *const avx512 = wide_cases_avx512;
#else
static wide_cases *const avx2 = NULL, *const avx512 = NULL;
#endif
#if MOTE_HAVE_SIMD128
static wide_cases *const simd128 = wide_cases_128;
#else
static wide_cases *const simd128 = NULL;
#endif

static void compare(mote_simd form, wide_cases *cases)
{
    if (!cases || !mote_cpu_has(form)) {
        print_message("not compared: this %s lacks %s\n", cases ? "processor" : "build", mote_simd_name(form));
        skip();
    }
    assert_int_equal(wide_compare(cases), 0);
}

static void avx2_is_plain(void **state)
{
    (void)state;
    compare(MOTE_SIMD_AVX2, avx2);
}

static void avx512_is_plain(void **state)
{
    (void)state;
    compare(MOTE_SIMD_AVX512, avx512);
}

static void simd128_is_plain(void **state)
{
    (void)state;
    compare(MOTE_SIMD_128, simd128);
}

static void four_are_single(void **state)
{
    (void)state;
    assert_int_equal(wide_compare_four(), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avx2_is_plain),
        cmocka_unit_test(avx512_is_plain),
        cmocka_unit_test(simd128_is_plain),
        cmocka_unit_test(four_are_single),
    };
    RUN_TESTS(tests, argc, argv);
}
