// SPDX-License-Identifier: MIT
// Gathers candidates around a group of points and tests them.
//
// A candidate's position relative to the group fits a float for any precision of the points, any box and any image.
// The sieve in single precision leaves only a thin shell around the reach undecided, as wide as rounding can matter.
// The few candidates in it are passed to the test that defines neighbours; all others are decided eight at a time.

#include "neighbors/grid_sieve.h"

#include <math.h>
#include <string.h>

#include "base/compress.h"

enum { COLUMNS = 7 };

// ------------------------------------------------------------------------------------------------------- scalar

static float relative(const class_sort *sort, const sieve_frame *frame, const double shift[3], uint32_t place, int k)
{
    if (sort->at.f64[0]) return (float)((sort->at.f64[k][place] - (frame->center[k] - shift[k])) * frame->scale);
    return ((sort->at.f32[k][place] - (float)frame->center[k]) + (float)shift[k]) * (float)frame->scale;
}

static float scaled_radius(const class_sort *sort, const sieve_frame *frame, uint32_t place)
{
    if (sort->radii.f64) return (float)(sort->radii.f64[place] * frame->scale);
    return sort->radii.f32[place] * (float)frame->scale;
}

static void gather_plain(candidate_set *block, const class_sort *sort, const sieve_frame *frame,
                         const gather_span *span)
{
    size_t at = block->count;
    for (size_t r = 0; r < span->run_count; ++r)
        for (uint32_t p = span->runs[r].begin; p < span->runs[r].end; ++p) {
            float outside[3];
            for (int k = 0; k < 3; ++k) {
                float u = relative(sort, frame, span->shift, p, k), beyond = fabsf(u) - frame->half[k];
                block->u[k][at] = u;
                outside[k] = beyond > 0 ? beyond : 0;
            }
            if (span->wants_radius) block->radius[at] = scaled_radius(sort, frame, p);
            block->index[at] = sort->index[p];
            block->place[at] = p;
            at += mote_within(outside[0], outside[1], outside[2], span->limit);
        }
    block->count = at;
}

// The squared distances below which a candidate is certainly near, and above which it is certainly not.
static void find_limits(const sieve_query *query, float radius, float *inner, float *outer)
{
    float reach = query->radius;
    if (query->rule == SIEVE_LARGER) reach = reach > radius ? reach : radius;
    if (query->rule == SIEVE_SUM) reach = reach + radius;
    float sure = reach * query->shrink - query->slack;
    *inner = sure * fabsf(sure) - SIEVE_TINY;
    *outer = mote_sieve_outer(reach * query->grow + query->slack);
}

static size_t sieve_plain(const candidate_set *block, const sieve_query *query, const uint32_t *tags, uint32_t *row)
{
    float inner, outer;
    size_t count = 0;
    find_limits(query, 0, &inner, &outer);
    for (uint32_t slot = 0; slot < block->count; ++slot) {
        float dx = block->u[0][slot] - query->u[0], dy = block->u[1][slot] - query->u[1];
        float dz = block->u[2][slot] - query->u[2], squared = (dx * dx + dy * dy) + dz * dz;
        if (query->rule != SIEVE_ALIKE) find_limits(query, block->radius[slot], &inner, &outer);
        row[count] = tags[slot];
        if (!(squared <= outer)) continue;
        count += squared <= inner || query->is_near(query->data, slot);
    }
    return count;
}

const sieve_lanes mote_sieve_plain = {gather_plain, sieve_plain};

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

// Computes `relative` for four doubles.
MOTE_TARGET_AVX2 static inline __m128 relative_f64(const double *x, __m256d center, __m256d scale)
{
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(x), center), scale));
}

// Loads eight relative positions along an axis.
MOTE_TARGET_AVX2 MOTE_INLINE __m256 relative_avx2(const class_sort *sort, const sieve_frame *frame,
                                                  const double shift[3], size_t place, int k, const bool f64)
{
    if (!f64) {
        const __m256 center = _mm256_set1_ps((float)frame->center[k]), by = _mm256_set1_ps((float)shift[k]);
        __m256 from = _mm256_sub_ps(_mm256_loadu_ps(sort->at.f32[k] + place), center);
        return _mm256_mul_ps(_mm256_add_ps(from, by), _mm256_set1_ps((float)frame->scale));
    }
    const __m256d center = _mm256_set1_pd(frame->center[k] - shift[k]), scale = _mm256_set1_pd(frame->scale);
    const double *x = sort->at.f64[k] + place;
    return _mm256_set_m128(relative_f64(x + 4, center, scale), relative_f64(x, center, scale));
}

MOTE_TARGET_AVX2 MOTE_INLINE __m256 radius_avx2(const class_sort *sort, const sieve_frame *frame, size_t place)
{
    if (sort->radii.f32)
        return _mm256_mul_ps(_mm256_loadu_ps(sort->radii.f32 + place), _mm256_set1_ps((float)frame->scale));
    const __m256d scale = _mm256_set1_pd(frame->scale);
    const double *r = sort->radii.f64 + place;
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(r + 4), scale)),
                           _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_loadu_pd(r), scale)));
}

MOTE_TARGET_AVX2 static inline __m256 square_outside(__m256 u, float half)
{
    __m256 beyond = _mm256_sub_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), u), _mm256_set1_ps(half));
    beyond = _mm256_max_ps(beyond, _mm256_setzero_ps());
    return _mm256_mul_ps(beyond, beyond);
}

// Gathers eight points from place p on, of which at most `most` may be taken; returns the place after the last one.
MOTE_TARGET_AVX2 MOTE_INLINE size_t gather_eight(const candidate_set *block, const class_sort *sort,
                                                 const sieve_frame *frame, const gather_span *span, size_t p,
                                                 uint32_t most, size_t at, const bool f64)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256 x = relative_avx2(sort, frame, span->shift, p, 0, f64);
    __m256 y = relative_avx2(sort, frame, span->shift, p, 1, f64);
    __m256 z = relative_avx2(sort, frame, span->shift, p, 2, f64);
    __m256 squared = _mm256_add_ps(square_outside(x, frame->half[0]), square_outside(y, frame->half[1]));
    squared = _mm256_add_ps(squared, square_outside(z, frame->half[2]));
    uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, _mm256_set1_ps(span->limit), _CMP_LE_OQ));
    mask = _bzhi_u32(mask, most);
    const __m256i places = mote_compress_lanes(mask), place = _mm256_add_epi32(_mm256_set1_epi32((int)p), lanes);
    _mm256_storeu_ps(block->u[0] + at, _mm256_permutevar8x32_ps(x, places));
    _mm256_storeu_ps(block->u[1] + at, _mm256_permutevar8x32_ps(y, places));
    _mm256_storeu_ps(block->u[2] + at, _mm256_permutevar8x32_ps(z, places));
    if (span->wants_radius)
        _mm256_storeu_ps(block->radius + at, _mm256_permutevar8x32_ps(radius_avx2(sort, frame, p), places));
    __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(sort->index + p));
    _mm256_storeu_si256((__m256i *)(void *)(block->index + at), _mm256_permutevar8x32_epi32(index, places));
    _mm256_storeu_si256((__m256i *)(void *)(block->place + at), _mm256_permutevar8x32_epi32(place, places));
    return at + (size_t)_mm_popcnt_u32(mask);
}

// This works on copies, because compilers must otherwise assume that stores change the values to be loaded.
MOTE_TARGET_AVX2 MOTE_INLINE void gather_avx2(candidate_set *block, const class_sort *sort,
                                              const sieve_frame *frame, const gather_span *span, const bool f64)
{
    const candidate_set to = *block;
    const class_sort from = *sort;
    const sieve_frame here = *frame;
    const gather_span what = *span;
    size_t at = block->count;
    for (size_t r = 0; r < what.run_count; ++r) {
        const size_t end = what.runs[r].end;
        for (size_t p = what.runs[r].begin; p < end; p += SIEVE_LANES)
            at = gather_eight(&to, &from, &here, &what, p, (uint32_t)MOTE_MIN(end - p, (size_t)SIEVE_LANES), at, f64);
    }
    block->count = at;
}

MOTE_TARGET_AVX2 static void gather_any_avx2(candidate_set *block, const class_sort *sort, const sieve_frame *frame,
                                             const gather_span *span)
{
    if (sort->at.f64[0])
        gather_avx2(block, sort, frame, span, true);
    else
        gather_avx2(block, sort, frame, span, false);
}

// Removes from the hits those `doubtful` candidates that the exact test finds too far.
static uint32_t decide(const sieve_query *query, size_t first, uint32_t hits, uint32_t doubtful)
{
    for (; doubtful; doubtful &= doubtful - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(doubtful);
        if (!query->is_near(query->data, (uint32_t)first + lane)) hits &= ~(1u << lane);
    }
    return hits;
}

// `decides`: calls the exact test for undecided candidates. Otherwise it counts them as near and returns SIZE_MAX:
// rows rarely have undecided candidates, and a loop without calls can keep its values in registers.
MOTE_TARGET_AVX2 MOTE_INLINE size_t sieve_avx2(const candidate_set *block, const sieve_query *query,
                                               const uint32_t *tags, uint32_t *row, const sieve_rule rule,
                                               const bool decides)
{
    const float *const ux = block->u[0], *const uy = block->u[1], *const uz = block->u[2], *const radii = block->radius;
    const size_t count = block->count;
    const __m256 x = _mm256_set1_ps(query->u[0]), y = _mm256_set1_ps(query->u[1]), z = _mm256_set1_ps(query->u[2]);
    const __m256 radius = _mm256_set1_ps(query->radius), tiny = _mm256_set1_ps(SIEVE_TINY);
    const __m256 grow = _mm256_set1_ps(query->grow), shrink = _mm256_set1_ps(query->shrink);
    const __m256 slack = _mm256_set1_ps(query->slack);
    float least, most;
    find_limits(query, 0, &least, &most);
    __m256 inner = _mm256_set1_ps(least), outer = _mm256_set1_ps(most);
    __m256 doubts = _mm256_setzero_ps();
    uint32_t *out = row;
    for (size_t k = 0; k < count; k += SIEVE_LANES) {
        __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(ux + k), x);
        __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(uy + k), y);
        __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(uz + k), z);
        __m256 squared = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                       _mm256_mul_ps(dz, dz));
        if (rule != SIEVE_ALIKE) {
            __m256 reach = _mm256_loadu_ps(radii + k);
            reach = rule == SIEVE_SUM ? _mm256_add_ps(radius, reach) : _mm256_max_ps(radius, reach);
            __m256 sure = _mm256_sub_ps(_mm256_mul_ps(reach, shrink), slack);
            inner = _mm256_sub_ps(_mm256_mul_ps(sure, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), sure)), tiny);
            reach = _mm256_add_ps(_mm256_mul_ps(reach, grow), slack);
            outer = _mm256_add_ps(_mm256_mul_ps(reach, reach), tiny);
        }
        const __m256 may_be = _mm256_cmp_ps(squared, outer, _CMP_LE_OQ);
        const __m256 open = _mm256_andnot_ps(_mm256_cmp_ps(squared, inner, _CMP_LE_OQ), may_be);
        uint32_t hits = (uint32_t)_mm256_movemask_ps(may_be);
        if (decides)
            hits = decide(query, k, hits, (uint32_t)_mm256_movemask_ps(open));
        else
            doubts = _mm256_or_ps(doubts, open);
        __m256i tag = _mm256_loadu_si256((const __m256i *)(const void *)(tags + k));
        _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(tag, mote_compress_lanes(hits)));
        out += _mm_popcnt_u32(hits);
    }
    return _mm256_movemask_ps(doubts) ? SIZE_MAX : (size_t)(out - row);
}

#define DEFINE_SIEVE(name, rule, decides)                                                                       \
    MOTE_TARGET_AVX2 static size_t name(const candidate_set *block, const sieve_query *query,                   \
                                        const uint32_t *tags, uint32_t *row)                                    \
    {                                                                                                           \
        return sieve_avx2(block, query, tags, row, rule, decides);                                              \
    }
DEFINE_SIEVE(sieve_alike, SIEVE_ALIKE, false)
DEFINE_SIEVE(sieve_larger, SIEVE_LARGER, false)
DEFINE_SIEVE(sieve_sum, SIEVE_SUM, false)
DEFINE_SIEVE(decide_alike, SIEVE_ALIKE, true)
DEFINE_SIEVE(decide_larger, SIEVE_LARGER, true)
DEFINE_SIEVE(decide_sum, SIEVE_SUM, true)

typedef size_t sieve_function(const candidate_set *, const sieve_query *, const uint32_t *, uint32_t *);

static size_t sieve_any_avx2(const candidate_set *block, const sieve_query *query, const uint32_t *tags,
                             uint32_t *row)
{
    static sieve_function *const functions[3] = {sieve_alike, sieve_larger, sieve_sum};
    static sieve_function *const deciding[3] = {decide_alike, decide_larger, decide_sum};
    size_t count = functions[query->rule](block, query, tags, row);
    return count == SIZE_MAX ? deciding[query->rule](block, query, tags, row) : count;
}

const sieve_lanes mote_sieve_avx2 = {gather_any_avx2, sieve_any_avx2};

#endif

// ------------------------------------------------------------------------------------------------------- public

mote_result mote_candidates_reserve(const mote_context *context, candidate_set *block, size_t more)
{
    size_t room = block->count + more + 2 * SIEVE_LANES;
    if (room <= block->room) return MOTE_OK;
    room = room + room / 2;
    mote_buffer grown = {0};
    mote_result result = mote_buffer_reserve(context, &grown, mote_bytes(room, COLUMNS * sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    float *to = grown.data;
    uint32_t *numbers = (uint32_t *)(void *)(to + 4 * room);
    const void *from[COLUMNS - 1] = {block->u[0],   block->u[1],  block->u[2],
                                     block->radius, block->index, block->place};
    for (size_t k = 0; k < COLUMNS - 1 && block->count; ++k)
        memcpy(to + k * room, from[k], block->count * sizeof(float));
    for (size_t k = 0; k < 3; ++k) block->u[k] = to + k * room;
    block->radius = to + 3 * room;
    block->index = numbers;
    block->place = numbers + room;
    block->slot = numbers + 2 * room;
    for (size_t k = 0; k < room; ++k) block->slot[k] = (uint32_t)k;
    mote_buffer_release(context, &block->memory);
    block->memory = grown;
    block->room = room;
    return MOTE_OK;
}

void mote_candidates_close(candidate_set *block)
{
    for (size_t k = block->count; k < block->count + SIEVE_LANES; ++k) {
        block->u[0][k] = INFINITY;
        block->u[1][k] = block->u[2][k] = block->radius[k] = 0;
        block->index[k] = block->place[k] = 0;
    }
}
