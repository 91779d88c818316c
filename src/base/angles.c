// SPDX-License-Identifier: MIT
// Sines, cosines, tangents, and angles of directions.
//
// An angle is reduced to within π/4 of a multiple of π/2, with an error of 2^-106. Up to 2^20 multiples of π/2 are
// subtracted in pieces that are exact (Cody & Waite 1980); larger angles are multiplied by as many bits of 2/π as
// matter (Payne & Hanek 1983). Then the series is evaluated, with its first terms added exactly. The angle of a
// direction is that of the nearest tangent in steps of 1/8, from a table, plus the series of the remainder.

#include <float.h>
#include <math.h>

#include "base/elementary.h"
#include "base/internal.h"
#include "base/series.h"
#include "base/twice.h"

static const mote_twice half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const mote_twice pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

// --------------------------------------------------------------------------------------------------- reduction

// π/2 in pieces of 33 bits.
static const double pieces[4] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                 0x1.b839a252049c1p-104};

// Finds the nearest multiple of π/2, modulo 4, and the remainder.
static int reduce_small(double x, mote_twice *left)
{
    const double k = floor(x * 0x1.45f306dc9c883p-1 + 0.5);
    *left = mote_twice_sum(x - k * pieces[0], -k * pieces[1]);
    for (int i = 2; i < 4; ++i) {
        const mote_twice piece = {-k * pieces[i], 0};
        *left = mote_twice_add(*left, piece);
    }
    return (int)((int64_t)k & 3);
}

// The bits of 2/π after the binary point, preceded by 64 zeros.
enum { ZEROS = 64, WORDS = 39, WINDOW = 6 };
static const uint32_t two_over_pi[WORDS] = {
    0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046};

// Returns 32 bits, starting at bit `at`.
static uint32_t bits_from(int at)
{
    const int word = at / 32, shift = at % 32;
    const uint64_t next = word + 1 < WORDS ? two_over_pi[word + 1] : 0;
    return (uint32_t)(((uint64_t)two_over_pi[word] << 32 | next) >> (32 - shift));
}

// The mantissa times a window of 2/π's bits; the bits before the window only add multiples of 8. The result has
// three bits before the binary point and 189 after it.
static void multiply_window(uint64_t mantissa, int exponent, uint32_t product[WINDOW])
{
    const uint64_t low = mantissa & 0xFFFFFFFF, high = mantissa >> 32;
    uint64_t carry = 0;
    for (int i = WINDOW - 1; i >= 0; --i) {
        const int at = ZEROS + exponent - 3 + 32 * i;
        const uint64_t here = low * bits_from(at), above = i < WINDOW - 1 ? high * bits_from(at + 32) : 0;
        const uint64_t sum = (here & 0xFFFFFFFF) + (above & 0xFFFFFFFF) + (carry & 0xFFFFFFFF);
        product[i] = (uint32_t)sum;
        carry = (here >> 32) + (above >> 32) + (carry >> 32) + (sum >> 32);
    }
}

// Returns 0.b₃b₄… from the fourth bit on as a sum; above a half it returns this minus 1, which is negative.
static int split_product(uint32_t product[WINDOW], mote_twice *share)
{
    const int whole = (int)(product[0] >> 29);
    const bool is_above = product[0] >> 28 & 1;
    if (is_above)
        for (int i = 0; i < WINDOW; ++i) product[i] = ~product[i];
    product[0] &= 0x1FFFFFFF;
    *share = (mote_twice){0, 0};
    for (int i = WINDOW - 1; i >= 0; --i) {
        const mote_twice word = {ldexp(product[i], 3 - 32 * (i + 1)), 0};
        *share = mote_twice_add(*share, word);
    }
    if (is_above) *share = mote_twice_negative(*share);
    return (whole + is_above) & 3;
}

static int reduce_large(double x, mote_twice *left)
{
    int exponent;
    uint32_t product[WINDOW];
    mote_twice share;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    multiply_window(mantissa, exponent - 53, product);
    const int quarter = split_product(product, &share);
    *left = mote_twice_multiply(share, half_pi);
    if (x > 0) return quarter;
    *left = mote_twice_negative(*left);
    return (4 - quarter) & 3;
}

static int reduce(double x, mote_twice *left)
{
    if (fabs(x) <= 0x1p20) return reduce_small(x, left);
    return reduce_large(x, left);
}

// ------------------------------------------------------------------------------------------------------- series

// For angles within π/4.
static mote_twice small_sin(mote_twice x)
{
    static const double series[8] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                                     -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368e3, 1.0 / 355687428096e3};
    const double square = x.high * x.high, bend = x.high * square * mote_sum_series(series, 8, square);
    return mote_twice_sum(x.high, bend + x.low * (1 - 0.5 * square));
}

static mote_twice small_cos(mote_twice x)
{
    static const double series[8] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
                                     1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888e3, -1.0 / 6402373705728e3};
    const mote_twice square = mote_twice_product(x.high, x.high);
    const mote_twice sum = mote_twice_sum(1, -0.5 * square.high);
    const double bend = square.high * square.high * mote_sum_series(series, 8, square.high);
    return mote_twice_sum(sum.high, sum.low + ((bend - 0.5 * square.low) - x.high * x.low));
}

// The sine and cosine of the angle follow from those of the remainder, by quarter turns.
static double turned(double x, int by)
{
    mote_twice left;
    if (x != x || fabs(x) > DBL_MAX) return x - x;
    if (by == 0 && fabs(x) < 0x1p-27) return x;
    const int quarter = (reduce(x, &left) + by) & 3;
    const double value = quarter % 2 ? small_cos(left).high : small_sin(left).high;
    return quarter >= 2 ? -value : value;
}

double mote_sin(double x)
{
    return turned(x, 0);
}

double mote_cos(double x)
{
    return turned(x, 1);
}

double mote_tan(double x)
{
    mote_twice left;
    if (x != x || fabs(x) > DBL_MAX) return x - x;
    if (fabs(x) < 0x1p-27) return x;
    const int quarter = reduce(x, &left);
    const mote_twice sine = small_sin(left), cosine = small_cos(left);
    if (quarter % 2 == 0) return mote_twice_divide(sine, cosine).high;
    return -mote_twice_divide(cosine, sine).high;
}

// --------------------------------------------------------------------------------------------------- directions

// The angles whose tangents are 0, 1/8, … 1.
static const mote_twice angles[9] = {{0, 0},
                                     {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                     {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                     {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                     {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                     {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                     {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                     {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                     {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// The angle of (x, y) for 0 ≤ y ≤ x, neither very large nor very small.
static mote_twice angle_in_octant(double y, double x)
{
    static const double series[6] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
    const double ratio = y / x;
    if (ratio < 0x1p-60) return (mote_twice){ratio, 0};
    const int eighth = (int)(8 * ratio + 0.5);
    const double tangent = 0.125 * eighth;
    const mote_twice rise = {y, 0}, run = {x, 0};
    const mote_twice above = mote_twice_add(rise, mote_twice_product(-tangent, x));
    const mote_twice share = mote_twice_divide(above, mote_twice_add(run, mote_twice_product(tangent, y)));
    const double square = share.high * share.high, bend = share.high * square * mote_sum_series(series, 6, square);
    const mote_twice rest = {share.high, share.low + bend};
    return mote_twice_add(angles[eighth], rest);
}

double mote_atan2(double y, double x)
{
    if (x != x || y != y) return x + y;
    double across = fabs(y), along = fabs(x);
    const bool is_steep = across > along, is_back = x < 0 || (x == 0 && 1 / x < 0);
    const double larger = is_steep ? across : along, smaller = is_steep ? along : across;
    mote_twice angle = {0, 0};
    if (smaller > DBL_MAX) {
        angle = angles[8];
    } else if (larger > 0 && larger <= DBL_MAX) {
        const double scale = larger > 0x1p900 ? 0x1p-100 : larger < 0x1p-900 ? 0x1p150 : 1;
        // The error from scaling, or from small numbers, is far below what matters.
        angle = angle_in_octant(smaller * scale, larger * scale);
        if (!is_steep && !is_back && angle.high < 0x1p-900) angle = (mote_twice){smaller / larger, 0};
    }
    if (is_steep) angle = mote_twice_add(half_pi, mote_twice_negative(angle));
    if (is_back) angle = mote_twice_add(pi, mote_twice_negative(angle));
    return y < 0 || (y == 0 && 1 / y < 0) ? -angle.high : angle.high;
}
