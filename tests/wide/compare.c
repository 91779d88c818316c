// SPDX-License-Identifier: MIT
// Compares a form of base/wide.h with the plain one, and base/wide4.h with one number at a time, to the last bit, on a
// million numbers: random ones of all magnitudes, denormal ones, NaN, infinities, zeros of both signs, and ties of
// rounding.

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
static bool is_same_f32(float x, float y)
{
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

static bool is_alike(const wide_row *a, const wide_row *b, size_t k)
{
    if (a->type == WIDE_ROW_U32) return ((uint32_t *)a->results)[k] == ((uint32_t *)b->results)[k];
    if (a->type == WIDE_ROW_U64) return ((uint64_t *)a->results)[k] == ((uint64_t *)b->results)[k];
    if (a->type == WIDE_ROW_F32) return is_same_f32(((float *)a->results)[k], ((float *)b->results)[k]);
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

// Four results and what one number at a time gives.
typedef struct four_row {
    const char *name;
    mote_f4 found;
    float expected[4];
} four_row;

// Every operation of base/wide4.h at numbers k … k + 3. Returns the name of the first that differs, or NULL.
static const char *four_unlike(const wide_input *in, size_t k)
{
    const float *p = in->a + k, *q = in->b + k;
    const mote_f4 a = f4_load(p), b = f4_load(q);
#define LANES(expression) {LANE(0, expression), LANE(1, expression), LANE(2, expression), LANE(3, expression)}
#define LANE(l, expression) expression(p[l], q[l])
#define SUM(x, y) ((x) + (y))
#define DIFFERENCE(x, y) ((x) - (y))
#define PRODUCT(x, y) ((x) * (y))
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
    const four_row rows[] = {
        {"f4_set", f4_set(p[1]), {p[1], p[1], p[1], p[1]}},
        {"f4_add", f4_add(a, b), LANES(SUM)},
        {"f4_sub", f4_sub(a, b), LANES(DIFFERENCE)},
        {"f4_mul", f4_mul(a, b), LANES(PRODUCT)},
        {"f4_min", f4_min(a, b), LANES(SMALLER)},
        {"f4_max", f4_max(a, b), LANES(LARGER)},
        {"f4_rotate", f4_rotate(a), {p[1], p[2], p[3], p[0]}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        float stored[4];
        f4_store(stored, rows[r].found);
        for (int l = 0; l < 4; ++l) {
            if (!is_same_f32(stored[l], rows[r].expected[l])) return rows[r].name;
            if (!is_same_f32(f4_lane(rows[r].found, l), stored[l])) return "f4_lane";
        }
    }
    uint32_t last;
    float lanes[4];
    f4_store(lanes, f4_with_last(a, in->u[k]));
    memcpy(&last, &lanes[3], sizeof last);
    if (last != in->u[k] || memcmp(lanes, p, 3 * sizeof *lanes) != 0) return "f4_with_last";
    uint32_t bits = 0;
    for (int l = 0; l < 4; ++l) bits |= (uint32_t)(p[l] <= q[l]) << l;
    if (f4_at_most(a, b) != bits) return "f4_at_most";
    const mote_f4 wholes = f4_mul(f4_load(in->small_floats + k), f4_set(1e9f));
    for (int l = 0; l < 4; ++l)
        if (f4_whole(wholes, l) != (int32_t)(in->small_floats[k + (size_t)l] * 1e9f)) return "f4_whole";
    return NULL;
}

int wide_compare_four(void)
{
    wide_input *in = calloc(1, sizeof *in);
    if (!in) return -1;
    fill(in);
    const char *unlike = NULL;
    size_t k = 0;
    while (k < WIDE_CASES && !(unlike = four_unlike(in, k))) k += 4;
    if (unlike) printf("%s: numbers from %zu on differ\n", unlike, k);
    free(in);
    return unlike != NULL;
}
