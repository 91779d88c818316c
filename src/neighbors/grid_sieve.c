// SPDX-License-Identifier: MIT
// Gathers candidates around a group of points and tests them.
//
// A candidate's position relative to the group fits a float for any precision of the points, any box and any image.
// The sieve in single precision leaves only a thin shell around the reach undecided, as wide as rounding can matter.
// The few candidates in it are passed to the test that defines neighbours; all others are decided WIDE at a time.

#include <string.h>

#include "base/wide.h"
#include "neighbors/grid_sieve.h"

// Reads doubles, less `minus` and times `scale`.
static inline wide_f32 load_scaled(const double *at, double minus, double scale)
{
    wide_f64 part[WIDE_PARTS];
    for (int k = 0; k < WIDE_PARTS; ++k) part[k] = (wide_load(at + k * WIDE_F64) - minus) * scale;
    return wide_f64_to_f32(part);
}

// Positions along an axis relative to the frame, of the points from `place` on.
MOTE_INLINE wide_f32 relative(const class_sort *sort, const sieve_frame *frame, const double shift[3], size_t place,
                              int k, const bool f64)
{
    if (f64) return load_scaled(sort->at.f64[k] + place, frame->center[k] - shift[k], frame->scale);
    return ((wide_load(sort->at.f32[k] + place) - (float)frame->center[k]) + (float)shift[k]) * (float)frame->scale;
}

MOTE_INLINE wide_f32 scaled_radius(const class_sort *sort, const sieve_frame *frame, size_t place)
{
    if (sort->radii.f32) return wide_load(sort->radii.f32 + place) * (float)frame->scale;
    return load_scaled(sort->radii.f64 + place, 0, frame->scale);
}

static inline wide_f32 outside_half(wide_f32 u, float half)
{
    return wide_max(wide_abs(u) - half, wide_all(0));
}

// Gathers WIDE points from place p on, of which the first `count` may be taken. Returns the place after the last one.
MOTE_INLINE size_t gather_some(const candidate_set *block, const class_sort *sort, const sieve_frame *frame,
                               const gather_span *span, size_t p, size_t count, size_t at, const bool f64)
{
    const wide_f32 x = relative(sort, frame, span->shift, p, 0, f64);
    const wide_f32 y = relative(sort, frame, span->shift, p, 1, f64);
    const wide_f32 z = relative(sort, frame, span->shift, p, 2, f64);
    const wide_f32 squared = wide_length_squared(outside_half(x, frame->half[0]), outside_half(y, frame->half[1]),
                                                 outside_half(z, frame->half[2]));
    const wide_hits near = wide_hits_within(wide_at_most(squared, wide_all(span->limit)), count);
    wide_store_front(block->u[0] + at, x, near);
    wide_store_front(block->u[1] + at, y, near);
    wide_store_front(block->u[2] + at, z, near);
    if (span->wants_radius) wide_store_front(block->radius + at, scaled_radius(sort, frame, p), near);
    wide_store_front(block->index + at, wide_load(sort->index + p), near);
    wide_store_front(block->place + at, wide_lane_numbers() + (uint32_t)p, near);
    return at + wide_hit_count(near);
}

// This works on copies, because compilers must otherwise assume that stores change the values to be loaded.
MOTE_INLINE void gather_spans(candidate_set *block, const class_sort *sort, const sieve_frame *frame,
                              const gather_span *span, const bool f64)
{
    const candidate_set to = *block;
    const class_sort from = *sort;
    const sieve_frame here = *frame;
    const gather_span what = *span;
    size_t at = block->count;
    for (size_t r = 0; r < what.run_count; ++r)
        for (size_t p = what.runs[r].begin, end = what.runs[r].end; p < end; p += WIDE)
            at = gather_some(&to, &from, &here, &what, p, end - p, at, f64);
    block->count = at;
}

static void gather_candidates(candidate_set *block, const class_sort *sort, const sieve_frame *frame,
                              const gather_span *span)
{
    if (sort->at.f64[0])
        gather_spans(block, sort, frame, span, true);
    else
        gather_spans(block, sort, frame, span, false);
}

// The squared distances below which a candidate is certainly near, and above which it is certainly not.
typedef struct sieve_limits {
    wide_f32 inner, outer;
} sieve_limits;

static inline sieve_limits limits_of(const sieve_query *query, wide_f32 reach)
{
    const wide_f32 sure = reach * query->shrink - query->slack, most = reach * query->grow + query->slack;
    return (sieve_limits){sure * wide_abs(sure) - SIEVE_TINY, most * most + SIEVE_TINY};
}

// Removes from the hits those `doubtful` candidates that the exact test finds too far.
static uint32_t decide(const sieve_query *query, size_t first, uint32_t hits, uint32_t doubtful)
{
    for (; doubtful; doubtful &= doubtful - 1) {
        const uint32_t lane = mote_lowest_bit(doubtful);
        if (!query->is_near(query->data, (uint32_t)first + lane)) hits &= ~(1u << lane);
    }
    return hits;
}

// `decides`: calls the exact test for undecided candidates. Otherwise it counts them as near and returns SIZE_MAX:
// rows rarely have undecided candidates, and a loop without calls can keep its values in registers.
MOTE_INLINE size_t sieve_some(const candidate_set *block, const sieve_query *from, const uint32_t *tags, uint32_t *row,
                              const sieve_rule rule, const bool decides)
{
    const float *const ux = block->u[0], *const uy = block->u[1], *const uz = block->u[2], *const radii = block->radius;
    const size_t count = block->count;
    const sieve_query query = *from;
    const wide_f32 x = wide_all(query.u[0]), y = wide_all(query.u[1]), z = wide_all(query.u[2]);
    const wide_f32 radius = wide_all(query.radius);
    sieve_limits limits = limits_of(&query, radius);
    wide_mask doubts = wide_none();
    uint32_t *out = row;
    for (size_t k = 0; k < count; k += WIDE) {
        const wide_f32 dx = wide_load(ux + k) - x, dy = wide_load(uy + k) - y, dz = wide_load(uz + k) - z;
        const wide_f32 squared = wide_length_squared(dx, dy, dz);
        if (rule != SIEVE_ALIKE) {
            const wide_f32 other = wide_load(radii + k);
            limits = limits_of(&query, rule == SIEVE_SUM ? radius + other : wide_max(radius, other));
        }
        wide_mask near = wide_at_most(squared, limits.outer);
        const wide_mask open = wide_except(near, wide_at_most(squared, limits.inner));
        if (decides)
            near = wide_mask_of(decide(from, k, wide_bits(near), wide_bits(open)));
        else
            doubts = wide_either(doubts, open);
        const wide_hits hits = wide_hits_of(near);
        wide_store_front(out, wide_load(tags + k), hits);
        out = wide_past(out, hits);
    }
    return wide_any(doubts) ? SIZE_MAX : (size_t)(out - row);
}

#define DEFINE_SIEVE(name, rule, decides)                                                         \
    static size_t name(const candidate_set *block, const sieve_query *query, const uint32_t *tags, \
                       uint32_t *row)                                                             \
    {                                                                                             \
        return sieve_some(block, query, tags, row, rule, decides);                                \
    }
DEFINE_SIEVE(sieve_alike, SIEVE_ALIKE, false)
DEFINE_SIEVE(sieve_larger, SIEVE_LARGER, false)
DEFINE_SIEVE(sieve_sum, SIEVE_SUM, false)
DEFINE_SIEVE(decide_alike, SIEVE_ALIKE, true)
DEFINE_SIEVE(decide_larger, SIEVE_LARGER, true)
DEFINE_SIEVE(decide_sum, SIEVE_SUM, true)

typedef size_t sieve_function(const candidate_set *, const sieve_query *, const uint32_t *, uint32_t *);

static size_t sieve(const candidate_set *block, const sieve_query *query, const uint32_t *tags, uint32_t *row)
{
    static sieve_function *const functions[3] = {sieve_alike, sieve_larger, sieve_sum};
    static sieve_function *const deciding[3] = {decide_alike, decide_larger, decide_sum};
    const size_t count = functions[query->rule](block, query, tags, row);
    return count == SIZE_MAX ? deciding[query->rule](block, query, tags, row) : count;
}

// Writes the first `count` of the lanes' measures, but no more than the row's memory has.
static inline void put_some(const wide_f64 d[3], wide_f64 lengths, size_t count, double *squared, double *differences)
{
    double few[4 * WIDE_F64];
    wide_store_xyz_f64(few, d);
    wide_store(few + 3 * WIDE_F64, lengths);
    if (differences) memcpy(differences, few, 3 * count * sizeof *few);
    if (squared) memcpy(squared, few + 3 * WIDE_F64, count * sizeof *few);
}

// Compiled for each of its cases.
MOTE_INLINE void measure_some(const row_measures *row, const bool is_shifted)
{
    const row_measures of = *row;
    for (size_t n = of.begin; n < of.end; n += WIDE_F64) {
        uint32_t places[WIDE_F64];
        wide_f64 at[4], d[3];
        for (size_t l = 0; l < WIDE_F64; ++l) places[l] = of.place[of.slots[n + l]];
        wide_load_columns_f64(of.records, places, at);
        for (int k = 0; k < 3; ++k) d[k] = is_shifted ? (at[k] - of.at[k]) + of.shift[k] : at[k] - of.at[k];
        const wide_f64 lengths = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        double *const squared = of.squared ? of.squared + n : NULL;
        double *const differences = of.differences ? of.differences + 3 * n : NULL;
        if (n + WIDE_F64 > of.count) {
            put_some(d, lengths, of.count - n, squared, differences);
            continue;
        }
        if (differences) wide_store_xyz_f64(differences, d);
        if (squared) wide_store(squared, lengths);
    }
}

static void measure(const row_measures *row)
{
    if (row->is_shifted)
        measure_some(row, true);
    else
        measure_some(row, false);
}

const sieve_lanes WIDE_NAME(mote_sieve) = {gather_candidates, sieve, measure};
