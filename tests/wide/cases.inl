// SPDX-License-Identifier: MIT
// wide/cases.inl: every operation of base/wide.h, in the form that the including file chose.

#include <stdlib.h>

#include "base/tested.h"
#include "wide/cases.h"

static void *add_row(wide_output *out, const char *name, int type)
{
    if (out->row_count == WIDE_ROWS) abort();
    wide_row *row = &out->rows[out->row_count++];
    row->name = name;
    row->type = (__typeof__(row->type))type;
    row->results = calloc(WIDE_CASES + 64, sizeof(double));
    return row->results;
}

// A row whose results are vectors: `expression` at numbers k and following.
#define EACH_F32(name, expression)                                      \
    {                                                                   \
        float *to = add_row(out, name, WIDE_ROW_F32);                   \
        for (size_t k = 0; k < WIDE_CASES; k += WIDE) {                 \
            const wide_f32 a = wide_load(in->a + k), b = wide_load(in->b + k); \
            const wide_u32 u = wide_load(in->u + k), v = wide_load(in->v + k); \
            (void)a, (void)b, (void)u, (void)v;                         \
            wide_store(to + k, expression);                             \
        }                                                               \
    }
#define EACH_U32(name, expression)                                      \
    {                                                                   \
        uint32_t *to = add_row(out, name, WIDE_ROW_U32);                \
        for (size_t k = 0; k < WIDE_CASES; k += WIDE) {                 \
            const wide_f32 a = wide_load(in->a + k), b = wide_load(in->b + k); \
            const wide_u32 u = wide_load(in->u + k), v = wide_load(in->v + k); \
            (void)a, (void)b, (void)u, (void)v;                         \
            wide_store(to + k, expression);                             \
        }                                                               \
    }
// A row of masks: 0 or 1 for each number.
#define EACH_MASK(name, expression)                                     \
    {                                                                   \
        uint32_t *to = add_row(out, name, WIDE_ROW_U32);                \
        for (size_t k = 0; k < WIDE_CASES; k += WIDE) {                 \
            const wide_f32 a = wide_load(in->a + k), b = wide_load(in->b + k); \
            const wide_u32 u = wide_load(in->u + k), v = wide_load(in->v + k); \
            (void)a, (void)b, (void)u, (void)v;                         \
            const uint32_t found = wide_bits(expression);               \
            for (size_t l = 0; l < WIDE; ++l) to[k + l] = found >> l & 1; \
        }                                                               \
    }

static void arithmetic(const wide_input *in, wide_output *out)
{
    EACH_F32("a + b", a + b)
    EACH_F32("a - b", a - b)
    EACH_F32("a * b", a * b)
    EACH_F32("a / b", a / b)
    EACH_F32("a * 3 - b", a * 3.0f - b)
    EACH_F32("min", wide_min(a, b))
    EACH_F32("max", wide_max(a, b))
    EACH_F32("abs", wide_abs(a))
    EACH_F32("lesser", wide_lesser(a + 0.0f, wide_select(wide_equal(b, b), b, wide_all(1))) + 0.0f)
    EACH_F32("greater", wide_greater(a + 0.0f, wide_select(wide_equal(b, b), b, wide_all(1))) + 0.0f)
    EACH_U32("min, of integers", wide_min(u, v))
    EACH_U32("max, of integers", wide_max(u, v))
    EACH_U32("min, signed", wide_unsigned(wide_min(wide_signed(u), wide_signed(v))))
    EACH_U32("max, signed", wide_unsigned(wide_max(wide_signed(u), wide_signed(v))))
    EACH_F32("sqrt", wide_sqrt(a))
    EACH_F32("floor", wide_floor(a))
    EACH_F32("floor of small numbers", wide_floor(a * 0x1p-100f))
    EACH_F32("round", wide_round(a))
    EACH_F32("round halves", wide_round(wide_i32_to_f32(wide_signed(u >> 20)) * 0.5f - 400.0f))
    EACH_F32("integers to float", wide_i32_to_f32(wide_signed(u)))
    EACH_U32("float to integer", wide_unsigned(wide_f32_to_i32(wide_load(in->small_floats + k) * 1e9f)))
    EACH_U32("u & v | ~u ^ v", ((u & v) | (~u ^ v)))
    EACH_U32("shifts", (u << (v & 31)) + (u >> (v & 31)) + (u << 3) + (v >> 29))
    EACH_U32("signed shift", wide_unsigned(wide_signed(u) >> 7))
    EACH_U32("bytes", wide_load_u8((const uint8_t *)in->shorts + k))
    EACH_U32("select, of integers", wide_select(wide_less(a, b), u, v))
    EACH_U32("select, signed", wide_unsigned(wide_select(wide_mask_of(in->u[k / 16] >> k % 16), wide_signed(v),
                                                         wide_all_i32(-1))))
    EACH_U32("gather", wide_gather_u32(in->u, wide_load(in->record + k)))
    EACH_U32("gather of bytes", wide_gather_bytes(in->shorts, wide_load(in->record + k)))
    EACH_F32("-a", -a)
    EACH_F32("select", wide_select(wide_less(wide_signed(wide_load(in->u + k)), wide_all_i32(0)), a, b))
    EACH_F32("load of short integers", wide_load_i16(in->shorts + k))
    EACH_F32("length squared", wide_length_squared(a, b, a))
    EACH_F32("all", a + wide_all(in->b[k / 16]))
    EACH_U32("bits of", wide_bits_of(a))
    EACH_F32("with bits", wide_with_bits(wide_bits_of(a) + wide_all_u32(1)))
    EACH_U32("u + v", u + v)
    EACH_U32("u * v", u * v)
    EACH_U32("u - 7", u - 7)
    EACH_U32("lane numbers", (wide_lane_numbers() + (uint32_t)k) * u + wide_all_u32(in->v[k / 16]))
    EACH_U32("signed", wide_unsigned(wide_signed(u)) - v)
    EACH_U32("count", wide_count(u, wide_less(a, b)))
    EACH_U32("push", wide_push(u, wide_less(a, b)))
    // Of each sixteen the last eight are the first eight of `high`.
    EACH_F32("eights", wide_load_eights(k & 8 ? in->b + (k - 8) : in->a + k, in->b + k))
    EACH_F32("numbers in eights", wide_all_eights(k & 8 ? in->b[k / 16] : in->a[k / 16], in->b[k / 16]))
    EACH_U32("integers in eights", wide_all_eights_u32(k & 8 ? in->v[k / 16] : in->u[k / 16], in->v[k / 16]))
    // Number k of sixteen receives number k ^ by.
#define SWAPPED(from, by) wide_swap(wide_load((from) + (k ^ ((by) & (16 - WIDE)))), (by) & (WIDE - 1u))
    EACH_F32("swap", SWAPPED(in->a, in->bits[k / 16]))
    EACH_U32("swap of integers", SWAPPED(in->u, in->bits[k / 16]))
#undef SWAPPED
    // The products are whole numbers below 2^20: they are the same, rounded or not.
#define WHOLE(from) wide_i32_to_f32(wide_signed(wide_load((from) + k) & 0x3FF))
    EACH_F32("multiply, add", wide_multiply_add(WHOLE(in->u), WHOLE(in->v), a))
    EACH_F32("multiply, subtract", wide_multiply_subtract(WHOLE(in->u), WHOLE(in->v), a))
#define WHOLE_VEC ((wide_vec){WHOLE(in->u), WHOLE(in->v), WHOLE(in->record)})
#define OTHER_VEC ((wide_vec){WHOLE(in->v), WHOLE(in->record), WHOLE(in->u)})
    EACH_F32("rough dot", wide_rough_dot(WHOLE_VEC, OTHER_VEC))
    EACH_F32("rough cross, x", wide_rough_cross(WHOLE_VEC, OTHER_VEC).x)
    EACH_F32("rough cross, y", wide_rough_cross(WHOLE_VEC, OTHER_VEC).y)
    EACH_F32("rough cross, z", wide_rough_cross(WHOLE_VEC, OTHER_VEC).z)
#undef OTHER_VEC
#undef WHOLE_VEC
#undef WHOLE
#define VEC ((wide_vec){a, b, wide_load(in->small_floats + k)})
#define OTHER_VEC ((wide_vec){b, wide_load(in->small_floats + k), a})
    EACH_F32("dot", wide_dot(VEC, OTHER_VEC))
    EACH_F32("cross, x", wide_cross(VEC, OTHER_VEC).x)
    EACH_F32("cross, y", wide_cross(VEC, OTHER_VEC).y)
    EACH_F32("cross, z", wide_cross(VEC, OTHER_VEC).z)
#undef OTHER_VEC
#undef VEC
}

static void masks(const wide_input *in, wide_output *out)
{
    EACH_MASK("less", wide_less(a, b))
    EACH_MASK("less, of integers", wide_less(wide_signed(u), wide_signed(v)))
    EACH_MASK("less than one", wide_less(wide_signed(u), wide_all_i32(in->i[k / 16])))
    EACH_MASK("less, unsigned", wide_less(u, v))
    EACH_MASK("at most", wide_at_most(a, b))
    EACH_MASK("both", wide_both(wide_less(a, b), wide_less(wide_signed(u), wide_signed(v))))
    EACH_MASK("either", wide_either(wide_less(a, b), wide_less(wide_signed(u), wide_signed(v))))
    EACH_MASK("except", wide_except(wide_less(a, b), wide_less(wide_signed(u), wide_signed(v))))
    EACH_MASK("none", wide_none())
    EACH_MASK("not", wide_not(wide_less(a, b)))
    EACH_MASK("equal", wide_equal(a, b))
    EACH_MASK("equal, of integers", wide_equal(u, v))
    EACH_MASK("equal, signed", wide_equal(wide_signed(u), wide_signed(v)))
    EACH_MASK("mask of bits", wide_mask_of(in->u[k / 16] >> k % 16))
    uint32_t *to = add_row(out, "at most, of doubles", WIDE_ROW_U32);
    for (size_t k = 0; k < WIDE_CASES; k += WIDE_F64) {
        const uint32_t found = wide_bits(wide_at_most(wide_load(in->c + k), wide_load(in->d + k)));
        for (size_t l = 0; l < WIDE_F64; ++l) to[k + l] = found >> l & 1;
    }
    // The first of every sixteen, as many as their bits say.
    to = add_row(out, "first", WIDE_ROW_U32);
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        const size_t wanted = in->bits[k / 16] % 18, before = k % 16, left = wanted > before ? wanted - before : 0;
        const uint32_t found = wide_first(wide_bits(wide_at_most(wide_load(in->a + k), wide_load(in->b + k))), left);
        for (size_t l = 0; l < WIDE; ++l) to[k + l] = found >> l & 1;
    }
}

// A row of doubles: `expression` of the parts of c and d.
#define EACH_F64(name, expression)                                       \
    {                                                                    \
        double *to = add_row(out, name, WIDE_ROW_F64);                   \
        for (size_t k = 0; k < WIDE_CASES; k += WIDE_F64) {              \
            const wide_f64 c = wide_load(in->c + k), d = wide_load(in->d + k); \
            (void)d;                                                     \
            wide_store(to + k, expression);                              \
        }                                                                \
    }
#define EACH_MASK_F64(name, expression)                                  \
    {                                                                    \
        uint32_t *to = add_row(out, name, WIDE_ROW_U32);                 \
        for (size_t k = 0; k < WIDE_CASES; k += WIDE_F64) {              \
            const wide_f64 c = wide_load(in->c + k), d = wide_load(in->d + k); \
            const uint32_t found = wide_bits(expression);                \
            for (size_t l = 0; l < WIDE_F64; ++l) to[k + l] = found >> l & 1; \
        }                                                                \
    }

static void of_doubles(const wide_input *in, wide_output *out)
{
    EACH_F64("(c + d) * c - d", (c + d) * c - d)
    EACH_F64("c / d", c / d)
    EACH_F64("-c", -c)
    EACH_F64("min, of doubles", wide_min(c, d))
    EACH_F64("max, of doubles", wide_max(c, d))
    EACH_F64("abs, of doubles", wide_abs(c))
    EACH_F64("sqrt, of doubles", wide_sqrt(c))
    EACH_F64("select, of doubles", wide_select(wide_less(c, d), c, d))
    EACH_MASK_F64("less, of doubles", wide_less(c, d))
    EACH_MASK_F64("equal, of doubles", wide_equal(c, d))
    EACH_MASK_F64("both, of doubles", wide_both(wide_less(c, d), wide_less(-c, d)))
    EACH_MASK_F64("either, of doubles", wide_either(wide_less(c, d), wide_less(-c, d)))
    EACH_MASK_F64("except, of doubles", wide_except(wide_less(c, d), wide_less(-c, d)))
    EACH_MASK_F64("not, of doubles", wide_not(wide_less(c, d)))
}

// Masks and whole numbers, as floats and as doubles.
static void turned(const wide_input *in, wide_output *out)
{
    double *whole = add_row(out, "integers to double", WIDE_ROW_F64);
    uint32_t *integers = add_row(out, "double to integer", WIDE_ROW_U32);
    uint32_t *there = add_row(out, "masks to double", WIDE_ROW_U32), *back = add_row(out, "and back", WIDE_ROW_U32);
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        wide_doubles v;
        wide_i32_to_f64(wide_signed(wide_load(in->u + k)), v.part);
        for (int p = 0; p < WIDE_PARTS; ++p) wide_store(whole + k + p * WIDE_F64, v.part[p]);
        for (int p = 0; p < WIDE_PARTS; ++p) v.part[p] = wide_load(in->small + k + p * WIDE_F64);
        wide_store(integers + k, wide_unsigned(wide_f64_to_i32(v.part)));
        wide_mask_f64 masks[WIDE_PARTS];
        wide_mask_to_f64(wide_less(wide_load(in->a + k), wide_load(in->b + k)), masks);
        uint32_t bits = 0;
        for (int p = 0; p < WIDE_PARTS; ++p) bits |= wide_bits(masks[p]) << p * WIDE_F64;
        for (size_t l = 0; l < WIDE; ++l) there[k + l] = bits >> l & 1;
        bits = wide_bits(wide_mask_from_f64(masks));
        for (size_t l = 0; l < WIDE; ++l) back[k + l] = bits >> l & 1;
    }
}

static void doubles(const wide_input *in, wide_output *out)
{
    double *wide = add_row(out, "to double", WIDE_ROW_F64);
    float *narrow = add_row(out, "to float", WIDE_ROW_F32);
    uint32_t *whole = add_row(out, "floor of doubles", WIDE_ROW_U32), *low = add_row(out, "low halves", WIDE_ROW_U32);
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        wide_f64 part[WIDE_PARTS];
        wide_f32_to_f64(wide_load(in->a + k), part);
        _Alignas(64) double streamed[WIDE];
        for (int p = 0; p < WIDE_PARTS; ++p) wide_stream(streamed + p * WIDE_F64, part[p]);
        wide_end_stream();
        memcpy(wide + k, streamed, sizeof streamed);
        for (int p = 0; p < WIDE_PARTS; ++p) part[p] = wide_load(in->c + k + p * WIDE_F64) * wide_all_f64(in->d[k / 16]);
        wide_store(narrow + k, wide_f64_to_f32(part));
        for (int p = 0; p < WIDE_PARTS; ++p) part[p] = wide_load(in->d + k + p * WIDE_F64);
        wide_store(low + k, wide_low_halves(part));
        for (int p = 0; p < WIDE_PARTS; ++p) part[p] = wide_load(in->small + k + p * WIDE_F64);
        wide_store(whole + k, wide_unsigned(wide_floor_i32(part)));
    }
}

// Of every sixteen numbers those whose bits are set, in the order of their numbers ^ by: for the widest form at once, for
// others vector by vector.
static void fronts(const wide_input *in, wide_output *out)
{
    float *front = add_row(out, "front swapped", WIDE_ROW_F32);
    uint32_t *integers = add_row(out, "front swapped, integers", WIDE_ROW_U32);
    size_t at = 0;
    for (size_t k = 0; k < WIDE_CASES; k += 16) {
        const uint32_t by = in->u[k] % 16, bits = in->bits[k / 16];
        for (uint32_t v = 0; v < 16; v += WIDE) {
            const uint32_t from = (v ^ by) & (16 - WIDE), own = bits >> from & ((1u << WIDE) - 1);
            wide_store(front + at, wide_front_swapped(wide_load(in->a + k + from), own, by & (WIDE - 1u)));
            wide_store(integers + at, wide_front_swapped(wide_load(in->u + k + from), own, by & (WIDE - 1u)));
            at += wide_bit_count(own);
        }
    }
    // What follows the last is not defined.
    memset(front + at, 0, 64 * sizeof *front);
    memset(integers + at, 0, 64 * sizeof *integers);
}

static void memory(const wide_input *in, wide_output *out)
{
    float *first = add_row(out, "load first", WIDE_ROW_F32), *least = add_row(out, "least", WIDE_ROW_F32);
    float *greatest = add_row(out, "greatest", WIDE_ROW_F32), *front = add_row(out, "store front", WIDE_ROW_F32);
    uint32_t *listed = add_row(out, "load first integers", WIDE_ROW_U32);
    uint32_t *integers = add_row(out, "store front integers", WIDE_ROW_U32);
    double *halves = add_row(out, "front", WIDE_ROW_U64);
    uint64_t *pairs = (uint64_t *)(void *)halves;
    size_t at = 0;
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        const size_t wanted = in->bits[k / 16] % 18, before = k % 16, left = wanted > before ? wanted - before : 0;
        const float known[2] = {wide_least(wide_abs(wide_load_first(in->small_floats + k, left, 1))),
                                wide_greatest(wide_load_first(in->small_floats + k, left, -1))};
        wide_store(first + k, wide_load_first(in->a + k, left, 7));
        wide_store(listed + k, wide_load_first_u32(in->u + k, left));
        const size_t group = k / 16;
        least[group] = before ? MOTE_MIN(least[group], known[0]) : known[0];
        greatest[group] = before ? MOTE_MAX(greatest[group], known[1]) : known[1];
        const uint32_t bits = (uint32_t)in->bits[group] >> before & ((1u << WIDE) - 1);
        wide_store_front(front + at, wide_load(in->a + k), bits);
        wide_store_front(integers + at, wide_load(in->u + k), bits);
        wide_store_u64(pairs + at, wide_front(wide_load(in->u + k), bits), wide_front_lanes(bits) + (uint32_t)k);
        at += wide_bit_count(bits);
    }
    // What follows the last is not defined.
    memset(front + at, 0, 64 * sizeof *front);
    memset(integers + at, 0, 64 * sizeof *integers);
    memset(pairs + at, 0, 64 * sizeof *pairs);
}

// The numbers that are less than others, side by side: all of them, and those of the first of every sixteen.
static void hits(const wide_input *in, wide_output *out)
{
    float *const floats = add_row(out, "hits", WIDE_ROW_F32), *at = floats;
    uint32_t *const integers = add_row(out, "hits among the first", WIDE_ROW_U32), *end = integers;
    uint32_t *counts = add_row(out, "number of hits", WIDE_ROW_U32);
    uint32_t *any = add_row(out, "any, of doubles", WIDE_ROW_U32);
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        const size_t wanted = in->bits[k / 16] % 18, before = k % 16, left = wanted > before ? wanted - before : 0;
        const wide_mask is_less = wide_less(wide_load(in->u + k), wide_load(in->v + k));
        const wide_hits all = wide_hits_of(is_less), first = wide_hits_within(is_less, left);
        wide_store_front(at, wide_load(in->a + k), all);
        at = wide_past(at, all);
        wide_store(end, wide_front_lanes(first) + (uint32_t)k);
        end = wide_past(end, first);
        counts[k / 16] += (uint32_t)(wide_hit_count(all) + 16 * wide_hit_count(first));
        for (size_t p = k; p < k + WIDE; p += WIDE_F64)
            any[k / 16] |= wide_any(wide_less(wide_load(in->c + p), wide_all_f64(-0x1p900)));
    }
    // What follows the last is not defined.
    memset(at, 0, 64 * sizeof *at);
    memset(end, 0, 64 * sizeof *end);
}

static void columns(const wide_input *in, wide_output *out)
{
    static const char *const names[3][4] = {{"column 0", "column 1", "column 2", "column 3"},
                                            {"double column 0", "double column 1", "double column 2", "double column 3"},
                                            {"x", "y", "z", ""}};
    float *f32[4], *xyz[3];
    double *f64[4];
    for (int c = 0; c < 4; ++c) {
        f32[c] = add_row(out, names[0][c], WIDE_ROW_F32);
        f64[c] = add_row(out, names[1][c], WIDE_ROW_F64);
        if (c < 3) xyz[c] = add_row(out, names[2][c], WIDE_ROW_F32);
    }
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        wide_f32 column[4];
        wide_load_columns(in->a, in->record + k, column);
        for (int c = 0; c < 4; ++c) wide_store(f32[c] + k, column[c]);
        for (size_t p = k; p < k + WIDE; p += WIDE_F64) {
            wide_f64 part[4];
            wide_load_columns_f64(in->c, in->record + p, part);
            for (int c = 0; c < 4; ++c) memcpy(f64[c] + p, &part[c], sizeof part[c]);
        }
        if (3 * (k + WIDE) > WIDE_CASES) continue;
        wide_load_xyz(in->a + 3 * k, column);
        for (int c = 0; c < 3; ++c) wide_store(xyz[c] + k, column[c]);
    }
    for (int c = 0; c < 3; ++c) memset(xyz[c] + WIDE_CASES / 3 / 16 * 16, 0, 64 * sizeof(float));
    float *points = add_row(out, "store of points", WIDE_ROW_F32);
    for (size_t k = 0; k < WIDE_CASES / 48 * 16; k += WIDE) {
        const wide_f32 column[3] = {wide_load(in->a + k), wide_load(in->b + k), wide_load(in->small_floats + k)};
        wide_store_xyz(points + 3 * k, column);
    }
    double *doubles = add_row(out, "store of points in double", WIDE_ROW_F64);
    for (size_t k = 0; k < WIDE_CASES / 48 * 16; k += WIDE_F64) {
        const wide_f64 column[3] = {wide_load(in->c + k), wide_load(in->d + k), wide_load(in->d + WIDE_CASES / 2 + k)};
        wide_store_xyz_f64(doubles + 3 * k, column);
    }
    double *sums = add_row(out, "sums of rows", WIDE_ROW_F64);
    for (size_t k = 0; k < WIDE_CASES; k += WIDE_F64) {
        const double *row[WIDE_F64];
        wide_f64 column[4];
        for (size_t l = 0; l < WIDE_F64; ++l) row[l] = in->small + in->record[k + l];
        wide_load_rows_f64(row, column);
        wide_store(sums + k, (column[0] + 2 * column[1]) + (4 * column[2] + 8 * column[3]));
    }
    // Eight rows of eight numbers, block by block.
    double *turned = add_row(out, "columns and rows", WIDE_ROW_F64);
    for (size_t k = 0; k + 64 <= WIDE_CASES; k += 64)
        for (size_t block = 0; block < 64 / (WIDE_F64 * WIDE_F64); ++block) {
            const size_t down = block * WIDE_F64 / 8 * WIDE_F64, along = block * WIDE_F64 % 8;
            wide_f64 column[WIDE_F64], row[WIDE_F64];
            for (size_t l = 0; l < WIDE_F64; ++l) column[l] = wide_load(in->c + k + 8 * (down + l) + along);
            wide_transpose_f64(column, row);
            for (size_t l = 0; l < WIDE_F64; ++l) memcpy(turned + k + 8 * (along + l) + down, &row[l], sizeof row[l]);
        }
}

// Sums of sixteen numbers, records of two, bytes and rows stored.
static void stored(const wide_input *in, wide_output *out)
{
    uint32_t *sums = add_row(out, "sum", WIDE_ROW_U32), *bytes = add_row(out, "store of bytes", WIDE_ROW_U32);
    uint32_t *any = add_row(out, "any", WIDE_ROW_U32);
    uint32_t *pair[2] = {add_row(out, "first of a pair", WIDE_ROW_U32), add_row(out, "second of a pair", WIDE_ROW_U32)};
    float *rows = add_row(out, "rows", WIDE_ROW_F32);
    enum { STRIDE = 5 };
    for (size_t k = 0; k < WIDE_CASES; k += WIDE) {
        wide_u32 columns[2];
        sums[k / 16] += wide_sum(wide_load(in->u + k));
        any[k / 16] |= wide_any(wide_less(wide_load(in->u + k), wide_all_u32(0x10000000)));
        wide_store_u8((uint8_t *)bytes + k, wide_load(in->u + k) & 0xFF);
        wide_gather_pairs(in->v, wide_load(in->record + k), columns);
        for (int c = 0; c < 2; ++c) wide_store(pair[c] + k, columns[c]);
        if (STRIDE * (k + WIDE) > WIDE_CASES) continue;
        const wide_f32 values[4] = {wide_load(in->a + k), wide_load(in->b + k), wide_load(in->small_floats + k),
                                    wide_load(in->a + k + 1)};
        wide_store_rows(rows + STRIDE * k, STRIDE, values);
    }
    memset(rows + WIDE_CASES / STRIDE / 16 * 16 * STRIDE, 0, (size_t)STRIDE * 16 * sizeof *rows);
}

void WIDE_NAME(wide_cases)(const wide_input *in, wide_output *out)
{
    arithmetic(in, out);
    masks(in, out);
    of_doubles(in, out);
    turned(in, out);
    stored(in, out);
    doubles(in, out);
    memory(in, out);
    fronts(in, out);
    hits(in, out);
    columns(in, out);
}
