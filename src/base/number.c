// SPDX-License-Identifier: MIT
// Decimal text to double, correctly rounded and independent of any locale.
//
// Most numbers in files have few digits: mantissa and power of ten are then exact doubles, and one
// multiplication or division rounds once (Clinger 1990, the fast path). All others are computed with exact integers:
// the digits are multiplied or divided by the power of ten, the leading bits are kept, and the rest decides the
// rounding.

#include <math.h>
#include <string.h>

#include "base/number.h"

// Digits beyond the 770th can only break a tie between two doubles (at most 767 decide it): they are combined into
// one. A number of 10^MAX_EXPONENT or more is infinite; one below 10^MIN_EXPONENT is nearer to 0 than to the
// smallest double, 4.9·10^-324. Neither is examined further.
enum { MAX_DIGITS = 770, MAX_EXPONENT = 400, MIN_EXPONENT = -324, WORDS = 220 };

// digits · 10^exponent
typedef struct decimal {
    bool negative;
    uint64_t leading;  // value of the first up to 19 digits
    char digits[MAX_DIGITS + 1];
    int digit_count;
    int64_t exponent;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Leading zeros do not count as digits; of digits beyond MAX_DIGITS it only matters whether one of them is not 0.
static void add_digit(decimal *number, char digit, bool fraction)
{
    if (number->digit_count == 0 && digit == '0') {
        number->exponent -= fraction;
        return;
    }
    if (number->digit_count < MAX_DIGITS) {
        if (number->digit_count < 19) number->leading = number->leading * 10 + (uint64_t)(digit - '0');
        number->digits[number->digit_count++] = digit;
        number->exponent -= fraction;
        return;
    }
    number->exponent += !fraction;
    if (digit != '0') number->digits[MAX_DIGITS] = '1';
}

static bool split(const char *text, size_t length, decimal *number)
{
    const char *at = text, *end = text + length;
    number->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) ++at;

    bool any = false;
    for (; at < end && is_digit(*at); ++at, any = true) add_digit(number, *at, false);
    if (at < end && *at == '.')
        for (++at; at < end && is_digit(*at); ++at, any = true) add_digit(number, *at, true);
    if (!any) return false;

    if (at < end && (*at == 'e' || *at == 'E')) {
        int64_t exponent = 0;
        bool minus = ++at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) ++at;
        if (at == end) return false;
        for (; at < end && is_digit(*at); ++at)
            if (exponent < INT64_MAX / 100) exponent = exponent * 10 + (*at - '0');
        number->exponent += minus ? -exponent : exponent;
    }
    if (number->digit_count == MAX_DIGITS && number->digits[MAX_DIGITS]) {
        ++number->digit_count;
        --number->exponent;
    }
    return at == end;
}

// A natural number, least significant word first.
typedef struct natural {
    uint32_t words[WORDS];
    int count;
} natural;

static void multiply_add(natural *n, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    for (int i = 0; i < n->count; ++i, sum >>= 32) {
        sum += (uint64_t)n->words[i] * factor;
        n->words[i] = (uint32_t)sum;
    }
    if (sum) n->words[n->count++] = (uint32_t)sum;
}

static uint32_t divide(natural *n, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = n->count - 1; i >= 0; --i) {
        rest = rest << 32 | n->words[i];
        n->words[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (n->count > 0 && n->words[n->count - 1] == 0) --n->count;
    return (uint32_t)rest;
}

static void shift_words(natural *n, int words)
{
    memmove(n->words + words, n->words, (size_t)n->count * sizeof n->words[0]);
    memset(n->words, 0, (size_t)words * sizeof n->words[0]);
    n->count += words;
}

// n · 2^exponent, plus a little if `sticky`, to the nearest double.
static double round_natural(const natural *n, int exponent, bool sticky)
{
    int top = n->count - 1, length = 32 * n->count;
    for (uint32_t word = n->words[top]; !(word & 0x80000000u); word <<= 1) --length;

    int drop = length - 53 > -1074 - exponent ? length - 53 : -1074 - exponent;
    if (drop > length + 1) return 0;
    uint64_t kept = 0;
    bool half = false;
    for (int bit = length - 1; bit >= 0; --bit) {
        bool set = n->words[bit / 32] >> bit % 32 & 1;
        if (bit >= drop)
            kept = kept << 1 | set;
        else if (bit == drop - 1)
            half = set;
        else
            sticky |= set;
    }
    if (drop > 0 && half && (sticky || (kept & 1)))
        ++kept;
    else if (drop < 0)
        kept <<= -drop;
    return ldexp((double)kept, exponent + drop);
}

static double convert_exactly(const decimal *number)
{
    natural n = {{0}, 0};
    for (int i = 0; i < number->digit_count; ++i) multiply_add(&n, 10, (uint32_t)(number->digits[i] - '0'));

    bool sticky = false;
    int shift = 0;
    int64_t exponent = number->exponent;
    if (exponent < 0) {
        // The number of words with which the quotient keeps more than 64 bits: 10^9 is less than 2^30.
        shift = (int)((-exponent * 30 / 9 + 64 + 31) / 32) + 1;
        shift_words(&n, shift);
    }
    for (; exponent >= 9; exponent -= 9) multiply_add(&n, 1000000000, 0);
    for (; exponent > 0; --exponent) multiply_add(&n, 10, 0);
    for (; exponent <= -9; exponent += 9) sticky |= divide(&n, 1000000000) != 0;
    for (; exponent < 0; ++exponent) sticky |= divide(&n, 10) != 0;
    return round_natural(&n, -32 * shift, sticky);
}

bool mote_number_parse(const char *text, size_t length, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal number;
    number.leading = 0;
    number.digit_count = 0;
    number.digits[MAX_DIGITS] = 0;
    number.exponent = 0;
    if (!split(text, length, &number)) return false;

    double magnitude;
    if (number.digit_count == 0 || number.exponent + number.digit_count <= MIN_EXPONENT)
        magnitude = 0;
    else if (number.digit_count <= 19 && number.leading <= UINT64_C(1) << 53 && number.exponent >= -22 &&
             number.exponent <= 22)
        magnitude = number.exponent < 0 ? (double)number.leading / powers[-number.exponent]
                                        : (double)number.leading * powers[number.exponent];
    else if (number.exponent + number.digit_count > MAX_EXPONENT)
        return false;
    else
        magnitude = convert_exactly(&number);
    if (isinf(magnitude)) return false;
    *value = number.negative ? -magnitude : magnitude;
    return true;
}

bool mote_integer_parse(const char *text, size_t length, int64_t min, int64_t max, int64_t *value)
{
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    bool negative = at && text[0] == '-';
    if (at == length) return false;
    int64_t sum = 0;
    for (; at < length; ++at) {
        if (!is_digit(text[at])) return false;
        int digit = text[at] - '0';
        if (sum > (INT64_MAX - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *value = negative ? -sum : sum;
    return *value >= min && *value <= max;
}
