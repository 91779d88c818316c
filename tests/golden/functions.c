// SPDX-License-Identifier: MIT
// Elementary functions of numbers of every size.

#include <math.h>
#include <string.h>

#include "base/tested.h"
#include "golden.h"

enum { NUMBERS = 20000 };

static double draw(mote_random *random)
{
    const uint64_t bits = mote_random_next(random);
    const double unit = mote_random_unit(random);
    double any;
    memcpy(&any, &bits, sizeof any);
    return mote_random_below(random, 2) || !isfinite(any) ? 40 * unit - 20 : any;
}

// What is no number has one form here, whatever its bits.
static void mix(uint64_t *sum, double value)
{
    const double none = -123;
    golden_mix(sum, value != value ? &none : &value, sizeof value);
}

bool golden_functions(mote_context *context)
{
    static const char *const names[] = {"exp",  "ln",   "log2", "log10", "cbrt", "sinh",
                                        "cosh", "tanh", "sin",  "cos",   "tan"};
    double (*const functions[])(double) = {mote_exp,  mote_ln,   mote_log2, mote_log10, mote_cbrt, mote_sinh,
                                           mote_cosh, mote_tanh, mote_sin,  mote_cos,   mote_tan};
    (void)context;
    uint64_t power = GOLDEN_START, angle = GOLDEN_START;
    mote_random random = {83};
    for (size_t f = 0; f < sizeof names / sizeof *names; ++f) {
        uint64_t sum = GOLDEN_START;
        for (int i = 0; i < NUMBERS; ++i) mix(&sum, functions[f](draw(&random)));
        golden_print(names[f], NUMBERS, sum);
    }
    for (int i = 0; i < NUMBERS; ++i) {
        const double x = draw(&random), y = draw(&random);
        mix(&power, mote_pow(fabs(x), y));
        mix(&angle, mote_atan2(x, y));
    }
    golden_print("pow", NUMBERS, power);
    golden_print("atan2", NUMBERS, angle);
    return true;
}
