// The innermost loops of neighbour search: gathering the candidates around a cell, and one point against all of them.
//
// Vector form: eight distances at a time, a comparison, and a compressing store through a table of permutations,
// written in place: about two operations a candidate. The scalar form does the same without branches. Candidates are
// thinned out once for all points of a cell: about half of those in the cells around are too far from all of them.

#include "neighbors/scan.h"

#include <math.h>

#include "neighbors/internal.h"

#if MOTE_HAVE_AVX2
#include <immintrin.h>
#endif

enum { LANES = 8 };

// ------------------------------------------------------------------------------------------------------- scalar

// Difference along an axis between x and the nearest point of the interval: 0 inside.
static inline float outside(float x, float low, float high)
{
    float nearest = x > low ? x : low;
    return x - (nearest < high ? nearest : high);
}

static uint32_t gather_plain(candidate_block *block, const cell_sort *sort, const cell_run *runs, int run_count,
                             const float low[3], const float high[3], float radius_squared, uint32_t self)
{
    uint32_t at = 0, place = UINT32_MAX;
    for (int r = 0; r < run_count; ++r)
        for (uint32_t k = runs[r].begin; k < runs[r].end; ++k) {
            block->x[at] = sort->x[k];
            block->y[at] = sort->y[k];
            block->z[at] = sort->z[k];
            block->index[at] = sort->index[k];
            if (k == self) place = at;
            at += mote_within(outside(sort->x[k], low[0], high[0]), outside(sort->y[k], low[1], high[1]),
                              outside(sort->z[k], low[2], high[2]), radius_squared);
        }
    block->count = at;
    return place;
}

static uint32_t scan_plain(const candidate_block *block, const float point[3], float radius_squared, uint32_t *row)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < block->count; ++k) {
        row[found] = block->index[k];
        found += mote_within(block->x[k] - point[0], block->y[k] - point[1], block->z[k] - point[2], radius_squared);
    }
    return found;
}

const scan_functions mote_scan_plain = {gather_plain, scan_plain};

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

// For each 8-bit mask the places of its set bits, a byte each, lowest first.
#define PLACE(mask, bit) (((mask) >> (bit)) & 1)
#define RANK(mask, bit)                                                                                     \
    (((bit) > 0 ? PLACE(mask, 0) : 0) + ((bit) > 1 ? PLACE(mask, 1) : 0) + ((bit) > 2 ? PLACE(mask, 2) : 0) + \
     ((bit) > 3 ? PLACE(mask, 3) : 0) + ((bit) > 4 ? PLACE(mask, 4) : 0) + ((bit) > 5 ? PLACE(mask, 5) : 0) + \
     ((bit) > 6 ? PLACE(mask, 6) : 0))
#define PUT(mask, bit) (PLACE(mask, bit) ? (uint64_t)(bit) << (8 * RANK(mask, bit)) : 0)
#define ROW1(mask)                                                                                        \
    (PUT(mask, 0) | PUT(mask, 1) | PUT(mask, 2) | PUT(mask, 3) | PUT(mask, 4) | PUT(mask, 5) | PUT(mask, 6) | \
     PUT(mask, 7))
#define ROW4(mask) ROW1(mask), ROW1((mask) + 1), ROW1((mask) + 2), ROW1((mask) + 3)
#define ROW16(mask) ROW4(mask), ROW4((mask) + 4), ROW4((mask) + 8), ROW4((mask) + 12)
#define ROW64(mask) ROW16(mask), ROW16((mask) + 16), ROW16((mask) + 32), ROW16((mask) + 48)
static const uint64_t compress_places[256] = {ROW64(0), ROW64(64), ROW64(128), ROW64(192)};

// Lanes of `mask` moved to the front, order kept.
MOTE_TARGET_AVX2 static inline __m256i compress_places_of(uint32_t mask)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(compress_places + mask)));
}

MOTE_TARGET_AVX2 static inline __m256 squared_length(__m256 dx, __m256 dy, __m256 dz)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz));
}

MOTE_TARGET_AVX2 static inline __m256 outside_avx2(__m256 x, __m256 low, __m256 high)
{
    return _mm256_sub_ps(x, _mm256_min_ps(_mm256_max_ps(x, low), high));
}

MOTE_TARGET_AVX2 static uint32_t gather_avx2(candidate_block *block, const cell_sort *sort, const cell_run *runs,
                                             int run_count, const float low[3], const float high[3],
                                             float radius_squared, uint32_t self)
{
    const __m256 low_x = _mm256_set1_ps(low[0]), low_y = _mm256_set1_ps(low[1]), low_z = _mm256_set1_ps(low[2]);
    const __m256 high_x = _mm256_set1_ps(high[0]), high_y = _mm256_set1_ps(high[1]), high_z = _mm256_set1_ps(high[2]);
    const __m256 limit = _mm256_set1_ps(radius_squared);
    const float *from_x = sort->x, *from_y = sort->y, *from_z = sort->z;
    const uint32_t *from_index = sort->index;
    float *to_x = block->x, *to_y = block->y, *to_z = block->z;
    uint32_t *to_index = block->index;
    uint32_t at = 0, place = UINT32_MAX;
    for (int r = 0; r < run_count; ++r) {
        const uint32_t end = runs[r].end;
        for (uint32_t k = runs[r].begin; k < end; k += LANES) {
            __m256 x = _mm256_loadu_ps(from_x + k), y = _mm256_loadu_ps(from_y + k), z = _mm256_loadu_ps(from_z + k);
            __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(from_index + k));
            __m256 squared = squared_length(outside_avx2(x, low_x, high_x), outside_avx2(y, low_y, high_y),
                                            outside_avx2(z, low_z, high_z));
            uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
            mask &= 0xFFu >> (end - k < LANES ? LANES - (end - k) : 0);
            if (self - k < LANES) place = at + (uint32_t)_mm_popcnt_u32(mask & ((1u << (self - k)) - 1));
            __m256i places = compress_places_of(mask);
            _mm256_storeu_ps(to_x + at, _mm256_permutevar8x32_ps(x, places));
            _mm256_storeu_ps(to_y + at, _mm256_permutevar8x32_ps(y, places));
            _mm256_storeu_ps(to_z + at, _mm256_permutevar8x32_ps(z, places));
            _mm256_storeu_si256((__m256i *)(void *)(to_index + at), _mm256_permutevar8x32_epi32(index, places));
            at += (uint32_t)_mm_popcnt_u32(mask);
        }
    }
    block->count = at;
    return place;
}

// Differences are taken the other way round than in the definition: their squares are the same bits, and loads become
// operands.
MOTE_TARGET_AVX2 static uint32_t scan_avx2(const candidate_block *block, const float point[3], float radius_squared,
                                           uint32_t *row)
{
    const __m256 px = _mm256_set1_ps(point[0]), py = _mm256_set1_ps(point[1]), pz = _mm256_set1_ps(point[2]);
    const __m256 limit = _mm256_set1_ps(radius_squared);
    const float *x = block->x, *y = block->y, *z = block->z;
    const uint32_t *index = block->index;
    uint32_t *out = row;
    for (size_t k = 0, count = block->count; k < count; k += LANES) {
        __m256 squared = squared_length(_mm256_sub_ps(px, _mm256_loadu_ps(x + k)),
                                        _mm256_sub_ps(py, _mm256_loadu_ps(y + k)),
                                        _mm256_sub_ps(pz, _mm256_loadu_ps(z + k)));
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
        __m256i found = _mm256_loadu_si256((const __m256i *)(const void *)(index + k));
        _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(found, compress_places_of(mask)));
        out += _mm_popcnt_u32(mask);
    }
    return (uint32_t)(out - row);
}

static const scan_functions scan_functions_avx2 = {gather_avx2, scan_avx2};

#endif

// ------------------------------------------------------------------------------------------------------- public

const scan_functions *mote_scan_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &scan_functions_avx2;
#endif
    return &mote_scan_plain;
}

static void bounds(const float *values, uint32_t count, float *low, float *high)
{
    *low = *high = values[0];
    for (uint32_t k = 1; k < count; ++k) {
        *low = values[k] < *low ? values[k] : *low;
        *high = values[k] > *high ? values[k] : *high;
    }
}

mote_result mote_block_fill(const mote_context *context, const scan_functions *functions, candidate_block *block,
                            const cell_sort *sort, const cell_run *runs, int run_count, const point_group *group,
                            float radius_squared, uint32_t *self)
{
    size_t most = 0;
    for (int r = 0; r < run_count; ++r) most += runs[r].end - runs[r].begin;
    size_t room = (most + 3 * LANES) / LANES * LANES;  // stores reach a vector beyond the last candidate
    if (room * 16 > block->memory.bytes) {
        mote_result result = mote_buffer_reserve(context, &block->memory, room * 4 * sizeof(float), 0);
        if (result != MOTE_OK) return result;
    }
    block->x = block->memory.data;
    block->y = block->x + room;
    block->z = block->y + room;
    block->index = (uint32_t *)(void *)(block->z + room);

    float low[3], high[3];
    bounds(group->x, group->count, low + 0, high + 0);
    bounds(group->y, group->count, low + 1, high + 1);
    bounds(group->z, group->count, low + 2, high + 2);
    *self = functions->gather(block, sort, runs, run_count, low, high, radius_squared, *self);
    for (size_t k = block->count; k < block->count + LANES; ++k) {  // infinitely far from everything
        block->x[k] = INFINITY;
        block->y[k] = block->z[k] = 0;
        block->index[k] = 0;
    }
    return MOTE_OK;
}

void mote_block_release(const mote_context *context, candidate_block *block)
{
    mote_buffer_release(context, &block->memory);
}
