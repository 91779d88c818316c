// SPDX-License-Identifier: MIT
// test_wide for a system that an emulator runs (tests/checks/cross_compile.sh), where there is no cmocka.

#include <stdio.h>

#include "base/tested.h"
#include "wide/cases.h"

int main(void)
{
#if MOTE_HAVE_SIMD128
    const int unlike = wide_compare(wide_cases_128);
    printf("base/wide_128.h: %d operations differ from the plain form\n", unlike);
    return unlike != 0;
#else
    puts("no vectors of 128 bits");
    return 1;
#endif
}
