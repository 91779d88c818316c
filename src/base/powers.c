// SPDX-License-Identifier: MIT
// Exponentials, logarithms, and functions made from them.
//
// exp: x = k·ln 2 + r, |r| ≤ ln 2 / 2 (Cody & Waite 1980); the series of e^r, of which 1 + r is added exactly.
// log: x = 2^k·m, m between √½ and √2; log m = 2·artanh((m − 1)/(m + 1)), its first terms to 106 bits, so that pow has
// what it needs: an error of 2^-68 of the logarithm, which may be as large as 745.

#include <float.h>
#include <math.h>

#include "base/elementary.h"
#include "base/series.h"
#include "base/twice.h"

// ln 2 to 32 bits, so that multiples of it are exact, and the remainder; also ln 2 to 106 bits.
static const double ln2_high = 0x1.62e42fee00000p-1, ln2_rest = 0x1.a39ef35793c76p-33, per_ln2 = 0x1.71547652b82fep+0;
static const mote_twice ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const mote_twice third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
static const mote_twice fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};

// Beyond these limits e^x is too large for a double, or too small.
static const double most = 710, least = -746;

// e^(x + low)·2^shift, where `low` is a rounding error of x. For x between `least` and `most`.
static double exp_of(double x, double low, int shift)
{
    static const double series[12] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                      1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                      1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    const double k = floor(x * per_ln2 + 0.5);
    const mote_twice r = mote_twice_sum(x - k * ln2_high, -k * ln2_rest), sum = mote_twice_sum(1, r.high);
    const double bend = r.high * r.high * mote_sum_series(series, 12, r.high);
    const double rest = (r.low + low) * (sum.high + bend);
    return ldexp(sum.high + (sum.low + (bend + rest)), (int)k + shift);
}

double mote_exp(double x)
{
    if (x != x) return x;
    if (x > most) return HUGE_VAL;
    return x < least ? 0 : exp_of(x, 0, 0);
}

// -------------------------------------------------------------------------------------------------- logarithms

// The logarithm of a finite number above 0, within 2^-68.
static mote_twice log_of(double x)
{
    // 1/7, 1/9, … 1/27.
    static const double series[11] = {1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                      1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27};
    int k;
    double m = frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --k;
    const mote_twice above = {m - 1, 0};
    const mote_twice s = mote_twice_divide(above, mote_twice_sum(m, 1)), square = mote_twice_multiply(s, s);
    const mote_twice tail = {square.high * mote_sum_series(series, 11, square.high), 0};
    mote_twice sum = mote_twice_multiply(square, mote_twice_add(fifth, tail));
    sum = mote_twice_multiply(square, mote_twice_add(third, sum));
    const mote_twice one = {1, 0}, twofold = {2 * s.high, 2 * s.low}, times = {k, 0};
    sum = mote_twice_multiply(twofold, mote_twice_add(one, sum));
    return k ? mote_twice_add(mote_twice_multiply(times, ln2), sum) : sum;
}

// Handles arguments without an ordinary logarithm: 0, negative numbers, infinity and not-a-number.
static bool is_odd(double x, double *log)
{
    if (x > 0 && x <= DBL_MAX) return false;
    *log = x == 0 ? -HUGE_VAL : x > 0 ? HUGE_VAL : x != x ? x : (x - x) / 0.0;
    return true;
}

double mote_ln(double x)
{
    double odd;
    return is_odd(x, &odd) ? odd : log_of(x).high;
}

double mote_log2(double x)
{
    static const mote_twice scale = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};  // 1/ln 2
    double odd;
    int k;
    if (is_odd(x, &odd)) return odd;
    if (frexp(x, &k) == 0.5) return k - 1;
    return mote_twice_multiply(log_of(x), scale).high;
}

double mote_log10(double x)
{
    static const mote_twice scale = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};  // 1/ln 10
    double odd;
    return is_odd(x, &odd) ? odd : mote_twice_multiply(log_of(x), scale).high;
}

// ------------------------------------------------------------------------------------------------------- powers

static bool is_integer(double y)
{
    return floor(y) == y;
}

static bool is_uneven(double y)
{
    return is_integer(y) && fabs(y) < 0x1p53 && !is_integer(y / 2);
}

double mote_pow(double x, double y)
{
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    const double size = fabs(x);
    if (fabs(y) > DBL_MAX) return size == 1 ? 1 : (size > 1) == (y > 0) ? HUGE_VAL : 0;
    const double sign = is_uneven(y) && (x < 0 || (x == 0 && 1 / x < 0)) ? -1 : 1;
    if (size == 0) return y < 0 ? sign * HUGE_VAL : sign * 0.0;
    if (size > DBL_MAX) return y > 0 ? sign * HUGE_VAL : sign * 0.0;
    if (x < 0 && !is_integer(y)) return (x - x) / 0.0;
    const mote_twice log = log_of(size);
    // The logarithm of a number other than 1 is at least 2^-53 in size.
    if (fabs(y) > 0x1p70) return log.high == 0 ? sign : (log.high > 0) == (y > 0) ? sign * HUGE_VAL : sign * 0.0;
    const mote_twice factor = {y, 0}, power = mote_twice_multiply(factor, log);
    if (power.high > most) return sign * HUGE_VAL;
    return power.high < least ? sign * 0.0 : sign * exp_of(power.high, power.low, 0);
}

double mote_cbrt(double x)
{
    if (x == 0 || x != x || fabs(x) > DBL_MAX) return x;
    int k;
    double m = frexp(fabs(x), &k);
    const int over = ((k % 3) + 3) % 3;
    m = ldexp(m, over - 3);  // 1/16 … 1/2
    // Newton's method, starting from a line; the last step uses the cube to 106 bits.
    double root = 0.35 + 0.95 * m;
    for (int i = 0; i < 5; ++i) root = (2 * root + m / (root * root)) / 3;
    const mote_twice at = {root, 0}, less = {-m, 0};
    const mote_twice cube = mote_twice_multiply(mote_twice_multiply(at, at), at);
    root -= mote_twice_add(cube, less).high / (3 * root * root);
    root = ldexp(root, (k - over) / 3 + 1);
    return x < 0 ? -root : root;
}

// --------------------------------------------------------------------------------------------------- hyperbolic

// For |x| < 1.
static mote_twice small_sinh(double x)
{
    static const double series[9] = {1.0 / 6,          1.0 / 120,           1.0 / 5040,
                                     1.0 / 362880,     1.0 / 39916800,      1.0 / 6227020800,
                                     1.0 / 1307674368e3, 1.0 / 355687428096e3, 1.0 / 121645100408832e3};
    return mote_twice_sum(x, x * x * x * mote_sum_series(series, 9, x * x));
}

static mote_twice small_cosh(double x)
{
    static const double series[9] = {1.0 / 24,           1.0 / 720,           1.0 / 40320,
                                     1.0 / 3628800,      1.0 / 479001600,     1.0 / 87178291200,
                                     1.0 / 20922789888e3, 1.0 / 6402373705728e3, 1.0 / 2432902008176640e3};
    const double square = x * x;
    const mote_twice sum = mote_twice_sum(1, 0.5 * square);
    return mote_twice_sum(sum.high, sum.low + square * square * mote_sum_series(series, 9, square));
}

double mote_sinh(double x)
{
    const double size = fabs(x);
    if (x != x || size > DBL_MAX) return x;
    if (size < 1) return small_sinh(x).high;
    const double half = size > most + 1 ? HUGE_VAL : exp_of(size, 0, -1), result = half - 0.25 / half;
    return x < 0 ? -result : result;
}

double mote_cosh(double x)
{
    const double size = fabs(x);
    if (x != x) return x;
    if (size < 1) return small_cosh(x).high;
    const double half = size > most + 1 ? HUGE_VAL : exp_of(size, 0, -1);
    return half + 0.25 / half;
}

double mote_tanh(double x)
{
    const double size = fabs(x);
    if (x != x) return x;
    if (size < 0x1p-27) return x;
    if (size < 0.55) return mote_twice_divide(small_sinh(x), small_cosh(x)).high;
    const double result = size > 20 ? 1 : 1 - 2 / (exp_of(2 * size, 0, 0) + 1);
    return x < 0 ? -result : result;
}
