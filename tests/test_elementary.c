// SPDX-License-Identifier: MIT
// Elementary functions of our own, against those of the C library in extended precision: on numbers of every size, near
// their turning points, and where the result is no number. Where the C library has nothing finer, only the latter.
#include <float.h>
#include <math.h>

#include "base/tested.h"
#include "mote/base.h"
#include "support/test.h"

enum { DRAWS = 200000 };

typedef struct unary {
    const char *name;
    double (*ours)(double);
    long double (*theirs)(long double);
    double low, high;  // where its results are numbers, neither too large nor 0
    double most_ulps;
} unary;

static const unary functions[] = {
    {"exp", mote_exp, expl, -744, 709.7, 1},     {"ln", mote_ln, logl, 0x1p-1074, DBL_MAX, 0.6},
    {"log2", mote_log2, log2l, 0x1p-1074, DBL_MAX, 0.6}, {"log10", mote_log10, log10l, 0x1p-1074, DBL_MAX, 0.6},
    {"cbrt", mote_cbrt, cbrtl, -DBL_MAX, DBL_MAX, 0.6},  {"sinh", mote_sinh, sinhl, -710.4, 710.4, 2},
    {"cosh", mote_cosh, coshl, -710.4, 710.4, 2}, {"tanh", mote_tanh, tanhl, -DBL_MAX, DBL_MAX, 2},
    {"sin", mote_sin, sinl, -DBL_MAX, DBL_MAX, 1},       {"cos", mote_cos, cosl, -DBL_MAX, DBL_MAX, 1},
    {"tan", mote_tan, tanl, -DBL_MAX, DBL_MAX, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// How many units in the last place of a double the result is off.
static double ulps_off(double found, long double expected)
{
    const double rounded = (double)expected;
    if (isinf(rounded) || rounded == 0) return found == rounded ? 0 : HUGE_VAL;
    int exponent;
    (void)frexp(rounded, &exponent);
    const int last = exponent - 53 > -1074 ? exponent - 53 : -1074;
    return (double)(fabsl((long double)found - expected) / ldexpl(1, last));
}

// Any finite double but for its sign: of bits.
static double of_any_size(mote_random *random)
{
    const uint64_t bits = mote_random_next(random) >> 1;
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 1;
}

// Numbers of every size, of the size of 1, near 1, of the size of the ends, and near multiples of an eighth of π.
static double draw(mote_random *random, double low, double high)
{
    const double sign = mote_random_below(random, 2) ? 1 : -1, unit = mote_random_unit(random);
    double value;
    switch (mote_random_below(random, 6)) {
    case 0: value = sign * of_any_size(random); break;
    case 1: value = sign * 4 * unit; break;
    case 2: value = 1 + sign * unit * ldexp(1, -(int)mote_random_below(random, 50)); break;
    case 3: value = (mote_random_below(random, 2) ? low : high) * unit; break;
    case 4: value = sign * 1000 * unit; break;
    default: {
        const uint32_t eighths = mote_random_below(random, 1u << mote_random_below(random, 30));
        const double multiple = 0x1.921fb54442d18p-2 * (double)eighths;
        value = sign * multiple * (1 + unit * ldexp(1, -(int)mote_random_below(random, 54)));
    }
    }
    return value >= low && value <= high ? value : draw(random, low, high);
}

static void results_are_rounded(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    for (size_t f = 0; f < FUNCTIONS; ++f) {
        const unary *of = &functions[f];
        mote_random random = {f};
        double most = 0, worst = 0;
        for (int i = 0; i < DRAWS; ++i) {
            const double x = draw(&random, of->low, of->high), off = ulps_off(of->ours(x), of->theirs((long double)x));
            if (!(off <= most)) most = off, worst = x;
        }
        CHECK(most <= of->most_ulps, "%s(%a) is off by %g units, expected %g at most", of->name, worst, most,
              of->most_ulps);
    }
}

static void powers_are_rounded(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    mote_random random = {77};
    double most = 0, worst[2] = {0, 0};
    for (int i = 0; i < 2 * DRAWS; ++i) {
        const double x = fabs(draw(&random, -DBL_MAX, DBL_MAX)), y = draw(&random, -1000, 1000);
        const long double expected = powl((long double)x, (long double)y);
        // Extended precision has a 2^-64 of y·ln x, which may be 11,000: it tells nothing about what is larger.
        if (fabsl((long double)y * logl((long double)x)) > 745) continue;
        const double off = ulps_off(mote_pow(x, y), expected);
        if (!(off <= most)) most = off, worst[0] = x, worst[1] = y;
    }
    CHECK(most <= 1, "pow(%a, %a) is off by %g units", worst[0], worst[1], most);
}

static void directions_are_rounded(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    mote_random random = {78};
    double most = 0, worst[2] = {0, 0};
    for (int i = 0; i < 2 * DRAWS; ++i) {
        const double x = draw(&random, -DBL_MAX, DBL_MAX);
        const double y = i % 2 ? draw(&random, -DBL_MAX, DBL_MAX) : x * draw(&random, -2, 2);
        const double off = ulps_off(mote_atan2(y, x), atan2l((long double)y, (long double)x));
        if (!(off <= most)) most = off, worst[0] = y, worst[1] = x;
    }
    CHECK(most <= 1, "atan2(%a, %a) is off by %g units", worst[0], worst[1], most);
}

// The same number, sign of zero included, or both no number.
static bool is_same(double a, double b)
{
    return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

static void ends_are_those_of_the_standard(void **state)
{
    (void)state;
    const double odd[] = {0,    -0.0, 1,   -1,      0.5,       -0.5,          2,    -2,   3,         -3,
                          1.5,  -1.5, 710, -746,    1e300,     -1e300,        0x1p53, 0x1p52 + 1, 0x1p-1074, -0x1p-1074,
                          DBL_MAX, -DBL_MAX, HUGE_VAL, -HUGE_VAL, (double)NAN, DBL_MIN};
    enum { ODD = sizeof odd / sizeof *odd };
    double (*const theirs[FUNCTIONS])(double) = {exp, log, log2, log10, cbrt, sinh, cosh, tanh, sin, cos, tan};
    for (size_t i = 0; i < ODD; ++i) {
        for (size_t f = 0; f < FUNCTIONS; ++f) {
            const double expected = theirs[f](odd[i]), found = functions[f].ours(odd[i]);
            const bool is_number = isfinite(expected) && expected != 0;
            CHECK(is_number ? fabs(found - expected) <= 4 * DBL_EPSILON * fabs(expected) + 0x1p-1074
                            : is_same(found, expected),
                  "%s(%a) is %a, expected %a", functions[f].name, odd[i], found, expected);
        }
        for (size_t k = 0; k < ODD; ++k) {
            const double power = pow(odd[i], odd[k]), angle = atan2(odd[i], odd[k]);
            const double found = mote_pow(odd[i], odd[k]), turn = mote_atan2(odd[i], odd[k]);
            const bool is_number = isfinite(power) && power != 0 && power != 1;
            CHECK(is_number ? fabs(found - power) <= 4 * DBL_EPSILON * fabs(power) + 0x1p-1074 : is_same(found, power),
                  "pow(%a, %a) is %a, expected %a", odd[i], odd[k], found, power);
            CHECK(is_same(turn, angle) || fabs(turn - angle) <= 2 * DBL_EPSILON * fabs(angle) + 0x1p-1074,
                  "atan2(%a, %a) is %a, expected %a", odd[i], odd[k], turn, angle);
        }
    }
}

// What doubles hold exactly comes out so.
static void whole_powers_are_whole(void **state)
{
    (void)state;
    double ten = 1;
    for (int k = 0; k <= 22; ++k, ten *= 10) {
        CHECK(mote_pow(10, k) == ten, "10 to the power of %d is %a, expected %a", k, mote_pow(10, k), ten);
        CHECK(mote_log10(ten) == k, "the logarithm of %g is %a, expected %d", ten, mote_log10(ten), k);
    }
    for (int x = 1; x < 1000; ++x) {
        const double cube = (double)x * x * x;
        CHECK(mote_pow(x, 2) == (double)x * x && mote_pow(x, 3) == cube, "powers of %d are not whole", x);
        CHECK(mote_cbrt(cube) == x && mote_pow((double)x * x, 0.5) == x, "roots of powers of %d are not whole", x);
        CHECK(mote_pow(2, x) == ldexp(1, x), "2 to the power of %d is %a", x, mote_pow(2, x));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_rounded),
        cmocka_unit_test(powers_are_rounded),
        cmocka_unit_test(directions_are_rounded),
        cmocka_unit_test(ends_are_those_of_the_standard),
        cmocka_unit_test(whole_powers_are_whole),
    };
    RUN_TESTS(tests, argc, argv);
}
