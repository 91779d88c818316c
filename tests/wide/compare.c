// SPDX-License-Identifier: MIT
// Compares a form of base/wide.h with the plain one, to the last bit, on a million numbers: random ones of all
// magnitudes, denormal ones, NaN, infinities, zeros of both signs, and ties of rounding.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tested.h"
#include "wide/cases.h"

static const float odd_floats[] = {
    0.0f, -0.0f, 1.0f, -1.0f, 0x1p-149f, -0x1p-149f, 0x1.fffffep-127f, 0x1p-126f, INFINITY, -INFINITY, NAN,
    0x1.fffffep127f, 0.5f, -0.5f, 1.5f, 2.5f, 8388608.5f, 16777216.0f};
// Most of these lie halfway between two floats, or beyond all of them.
static const double odd_doubles[] = {
    0.0, -0.0, 0x1p-1074, INFINITY, -INFINITY, NAN, 0x1.fffffefp127, 0x1.ffffffp127, 1 + 0x1p-24, 1 + 0x3p-24,
    0x1.8p-149, 0x1p-150, 0x1.000001p-150, -0x1p1023};

// A number with random bits: all magnitudes alike, and some NaN.
static float any_float(mote_random *random)
{
    const uint32_t bits = (uint32_t)mote_random_next(random);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double any_double(mote_random *random)
{
    const uint64_t bits = mote_random_next(random);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void fill(wide_input *in)
{
    mote_random random = {23};
    enum { ODD = sizeof odd_floats / sizeof *odd_floats, ODD_F64 = sizeof odd_doubles / sizeof *odd_doubles };
    for (size_t k = 0; k < WIDE_CASES + 64; ++k) {
        const uint64_t kind = mote_random_next(&random) % 8;
        in->a[k] = kind == 0 ? odd_floats[mote_random_below(&random, ODD)] : any_float(&random);
        in->b[k] = kind == 1 ? in->a[k] : kind == 2 ? odd_floats[mote_random_below(&random, ODD)] : any_float(&random);
        if (kind == 3) in->a[k] = odd_floats[k % ODD], in->b[k] = odd_floats[k / ODD % ODD];
        in->small_floats[k] = (float)mote_random_unit(&random) - 0.5f;
        in->c[k] = kind == 4 ? odd_doubles[mote_random_below(&random, ODD_F64)] : any_double(&random);
        in->d[k] = kind == 5 ? in->c[k] : kind == 6 ? 1.0 : (double)any_float(&random);
        in->small[k] = floor((mote_random_unit(&random) - 0.5) * 4e9 * (kind < 4 ? 1 : 1e-7));
        if (kind % 2) in->small[k] += 0.5;
        in->i[k] = (int32_t)mote_random_next(&random);
        in->shorts[k] = (int16_t)mote_random_next(&random);
        in->u[k] = (uint32_t)mote_random_next(&random);
        in->v[k] = kind == 7 ? in->u[k] : (uint32_t)mote_random_next(&random);
        in->record[k] = mote_random_below(&random, WIDE_CASES / 4);
    }
    for (size_t k = 0; k < WIDE_CASES / 16; ++k)
        in->bits[k] = (uint16_t)(k % 5 == 0 ? 0xFFFF : k % 7 == 0 ? 0 : mote_random_next(&random));
}

// NaN has many bit patterns, of which arithmetic may return any.
static bool is_alike(const wide_row *a, const wide_row *b, size_t k)
{
    if (a->type == WIDE_ROW_U32) return ((uint32_t *)a->results)[k] == ((uint32_t *)b->results)[k];
    if (a->type == WIDE_ROW_U64) return ((uint64_t *)a->results)[k] == ((uint64_t *)b->results)[k];
    if (a->type == WIDE_ROW_F32) {
        const float x = ((float *)a->results)[k], y = ((float *)b->results)[k];
        return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
    }
    const double x = ((double *)a->results)[k], y = ((double *)b->results)[k];
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

static void release(wide_output *out)
{
    for (int r = 0; r < out->row_count; ++r) free(out->rows[r].results);
}

// Says on which rows a form differs, and where first. Returns how many do.
static int count_unlike(const wide_output *plain, const wide_output *other)
{
    int unlike = plain->row_count != other->row_count;
    for (int r = 0; r < plain->row_count && r < other->row_count; ++r) {
        size_t k = 0;
        while (k < WIDE_CASES && is_alike(&plain->rows[r], &other->rows[r], k)) ++k;
        if (k < WIDE_CASES) printf("%s: number %zu differs\n", plain->rows[r].name, k);
        unlike += k < WIDE_CASES;
    }
    return unlike;
}

int wide_compare(wide_cases *cases)
{
    wide_input *in = calloc(1, sizeof *in);
    if (!in) return -1;
    fill(in);
    wide_output plain = {.row_count = 0}, other = {.row_count = 0};
    wide_cases_plain(in, &plain);
    cases(in, &other);
    const int unlike = count_unlike(&plain, &other);
    release(&plain);
    release(&other);
    free(in);
    return unlike;
}
