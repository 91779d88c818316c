// SPDX-License-Identifier: MIT
// test_wide for a system that an emulator runs (tests/checks/cross_compile.sh), where there is no cmocka.

#include <stdio.h>

#include "base/tested.h"
#include "wide/cases.h"

int main(void)
{
#if MOTE_HAVE_SIMD128
    const int unlike = wide_compare(wide_cases_128), four_unlike = wide_compare_four();
    printf("base/wide_128.h: %d operations differ from the plain form\n", unlike);
    printf("base/wide4.h: %s\n", four_unlike ? "an operation differs from one number at a time" : "as one at a time");
    return unlike != 0 || four_unlike != 0;
#else
    puts("no vectors of 128 bits");
    return 1;
#endif
}
