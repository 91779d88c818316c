// SPDX-License-Identifier: MIT
// The innermost loops of neighbour search: gathering candidates, and testing points against all of them.
//
// The vector form computes eight distances at a time, compares them, and stores the hits through a table of
// permutations that compresses them in place: about two operations per candidate. The scalar form does the same
// without branches.

#include "neighbors/grid_scan.h"

#include <math.h>

#include "base/compress.h"
#include "neighbors/internal.h"

enum { LANES = 8 };

// ------------------------------------------------------------------------------------------------------- scalar

// Returns the difference along an axis between x and the nearest point of the interval; it is 0 inside.
static inline float outside(float x, float low, float high)
{
    float nearest = x > low ? x : low;
    return x - (nearest < high ? nearest : high);
}

static void bound_plain(const float *values, size_t count, float *low, float *high)
{
    *low = *high = values[0];
    for (size_t k = 1; k < count; ++k) {
        *low = values[k] < *low ? values[k] : *low;
        *high = values[k] > *high ? values[k] : *high;
    }
}

static size_t gather_plain(point_columns to, const group_scan *scan, const cell_run *runs, int run_count)
{
    const point_columns from = scan->sorted;
    float low[3], high[3];
    bound_plain(from.x + scan->first, scan->count, low + 0, high + 0);
    bound_plain(from.y + scan->first, scan->count, low + 1, high + 1);
    bound_plain(from.z + scan->first, scan->count, low + 2, high + 2);
    size_t at = 0;
    for (int r = 0; r < run_count; ++r)
        for (uint32_t k = runs[r].begin; k < runs[r].end; ++k) {
            to.x[at] = from.x[k];
            to.y[at] = from.y[k];
            to.z[at] = from.z[k];
            to.index[at] = from.index[k];
            at += mote_within(outside(from.x[k], low[0], high[0]), outside(from.y[k], low[1], high[1]),
                              outside(from.z[k], low[2], high[2]), scan->radius_squared);
        }
    for (size_t k = at; k < at + LANES; ++k) {
        to.x[k] = INFINITY;
        to.y[k] = to.z[k] = 0;
        to.index[k] = 0;
    }
    return at;
}

// Writes those of points begin … end − 1 that are within the radius of `point`, except the one at place `self`, to
// the hits from place `at` on. Returns the place after the last hit.
static size_t scan_run_plain(point_columns points, size_t begin, size_t end, const float point[3], size_t self,
                             float radius_squared, hit_columns to, size_t at)
{
    for (size_t k = begin; k < end; ++k) {
        const float dx = points.x[k] - point[0], dy = points.y[k] - point[1], dz = points.z[k] - point[2];
        to.indices[at] = points.index[k];
        if (to.squared) to.squared[at] = (dx * dx + dy * dy) + dz * dz;
        at += k != self && mote_within(dx, dy, dz, radius_squared);
    }
    return at;
}

static void scan_group_plain(const group_scan *scan, hit_columns rows, uint32_t *counts)
{
    const point_columns sorted = scan->sorted;
    size_t at = 0;
    for (size_t q = 0; q < scan->count; ++q) {
        const size_t self = scan->first + q, row = scan->stride ? q * scan->stride : at;
        const float point[3] = {sorted.x[self], sorted.y[self], sorted.z[self]};
        at = row;
        at = scan_run_plain(scan->gathered, 0, scan->gathered_count, point, SIZE_MAX, scan->radius_squared, rows, at);
        at = scan_run_plain(sorted, scan->own_begin, scan->own_end, point, self, scan->radius_squared, rows, at);
        counts[q] = (uint32_t)(at - row);
    }
}

static uint32_t scan_point_plain(const point_scan *scan, hit_columns row)
{
    size_t at = 0;
    for (int r = 0; r < scan->run_count; ++r)
        at = scan_run_plain(scan->from, scan->runs[r].begin, scan->runs[r].end, scan->point, scan->self,
                            scan->radius_squared, row, at);
    return (uint32_t)at;
}

const scan_lanes mote_scan_plain = {gather_plain, scan_group_plain, scan_point_plain};

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

MOTE_TARGET_AVX2 static inline __m256 squared_length(__m256 dx, __m256 dy, __m256 dz)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz));
}

// The smallest and the largest of the values, in all lanes.
typedef struct wide_interval {
    __m256 low, high;
} wide_interval;

MOTE_TARGET_AVX2 static inline wide_interval bound_avx2(const float *values, size_t count)
{
    const __m256 first = _mm256_set1_ps(values[0]);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256 low = first, high = first;
    for (size_t k = 0; k < count; k += LANES) {
        __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)MOTE_MIN(count - k, (size_t)LANES)), lanes);
        __m256 x = _mm256_blendv_ps(first, _mm256_loadu_ps(values + k), _mm256_castsi256_ps(inside));
        low = _mm256_min_ps(low, x);
        high = _mm256_max_ps(high, x);
    }
    low = _mm256_min_ps(low, _mm256_permute2f128_ps(low, low, 1));
    high = _mm256_max_ps(high, _mm256_permute2f128_ps(high, high, 1));
    low = _mm256_min_ps(low, _mm256_permute_ps(low, 0x4E));
    high = _mm256_max_ps(high, _mm256_permute_ps(high, 0x4E));
    low = _mm256_min_ps(low, _mm256_permute_ps(low, 0xB1));
    high = _mm256_max_ps(high, _mm256_permute_ps(high, 0xB1));
    return (wide_interval){low, high};
}

MOTE_TARGET_AVX2 static inline __m256 outside_avx2(__m256 x, wide_interval interval)
{
    return _mm256_sub_ps(x, _mm256_min_ps(_mm256_max_ps(x, interval.low), interval.high));
}

MOTE_TARGET_AVX2 static size_t gather_avx2(point_columns to, const group_scan *scan, const cell_run *runs,
                                           int run_count)
{
    const point_columns from = scan->sorted;
    const wide_interval in_x = bound_avx2(from.x + scan->first, scan->count);
    const wide_interval in_y = bound_avx2(from.y + scan->first, scan->count);
    const wide_interval in_z = bound_avx2(from.z + scan->first, scan->count);
    const __m256 limit = _mm256_set1_ps(scan->radius_squared);
    size_t at = 0;
    for (int r = 0; r < run_count; ++r)
        for (size_t k = runs[r].begin, end = runs[r].end; k < end; k += LANES) {
            __m256 x = _mm256_loadu_ps(from.x + k), y = _mm256_loadu_ps(from.y + k), z = _mm256_loadu_ps(from.z + k);
            __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(from.index + k));
            __m256 squared = squared_length(outside_avx2(x, in_x), outside_avx2(y, in_y), outside_avx2(z, in_z));
            uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
            mask = _bzhi_u32(mask, (uint32_t)MOTE_MIN(end - k, (size_t)LANES));
            __m256i places = mote_compress_lanes(mask);
            _mm256_storeu_ps(to.x + at, _mm256_permutevar8x32_ps(x, places));
            _mm256_storeu_ps(to.y + at, _mm256_permutevar8x32_ps(y, places));
            _mm256_storeu_ps(to.z + at, _mm256_permutevar8x32_ps(z, places));
            _mm256_storeu_si256((__m256i *)(void *)(to.index + at), _mm256_permutevar8x32_epi32(index, places));
            at += (size_t)_mm_popcnt_u32(mask);
        }
    _mm256_storeu_ps(to.x + at, _mm256_set1_ps(INFINITY));
    _mm256_storeu_ps(to.y + at, _mm256_setzero_ps());
    _mm256_storeu_ps(to.z + at, _mm256_setzero_ps());
    _mm256_storeu_si256((__m256i *)(void *)(to.index + at), _mm256_setzero_si256());
    return at;
}

// A point, in all lanes.
typedef struct wide_point {
    __m256 x, y, z;
} wide_point;

MOTE_TARGET_AVX2 static inline wide_point widen(const float *x, const float *y, const float *z)
{
    wide_point point = {_mm256_set1_ps(*x), _mm256_set1_ps(*y), _mm256_set1_ps(*z)};
    return point;
}

// Returns the squared distances of eight candidates from place k on. Differences have the opposite sign of those in
// the definition: their squares have the same bits, and the loads become operands of the subtraction.
MOTE_TARGET_AVX2 static inline __m256 squared_of(point_columns from, size_t k, wide_point point)
{
    return squared_length(_mm256_sub_ps(point.x, _mm256_loadu_ps(from.x + k)),
                          _mm256_sub_ps(point.y, _mm256_loadu_ps(from.y + k)),
                          _mm256_sub_ps(point.z, _mm256_loadu_ps(from.z + k)));
}

MOTE_TARGET_AVX2 static inline uint32_t hits_of(__m256 squared, __m256 limit)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
}

// Writes the hits among the eight candidates from place k on, and their squared distances if `with` is set. Returns
// the place after the last hit.
MOTE_TARGET_AVX2 static inline size_t put_hits(point_columns from, size_t k, uint32_t hits, __m256 squared, bool with,
                                               hit_columns to, size_t at)
{
    const __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(from.index + k));
    const __m256i places = mote_compress_lanes(hits);
    _mm256_storeu_si256((__m256i *)(void *)(to.indices + at), _mm256_permutevar8x32_epi32(index, places));
    if (with) _mm256_storeu_ps(to.squared + at, _mm256_permutevar8x32_ps(squared, places));
    return at + (size_t)_mm_popcnt_u32(hits);
}

// Scans a run of sorted points. Other points follow the run, and it may contain the point itself.
MOTE_TARGET_AVX2 static inline size_t scan_run(point_columns from, size_t begin, size_t end, wide_point point,
                                               size_t self, __m256 limit, bool with, hit_columns to, size_t at)
{
    for (size_t k = begin; k < end; k += LANES) {
        const __m256 squared = squared_of(from, k, point);
        uint32_t hits = _bzhi_u32(hits_of(squared, limit), (uint32_t)MOTE_MIN(end - k, (size_t)LANES));
        uint32_t is_here = self - k < LANES;
        hits &= ~(is_here << ((self - k) & (LANES - 1)));
        at = put_hits(from, k, hits, squared, with, to, at);
    }
    return at;
}

static inline hit_columns columns_from(hit_columns columns, size_t at)
{
    hit_columns behind = {columns.indices + at, columns.squared ? columns.squared + at : NULL};
    return behind;
}

// Two points at a time share the loads of the candidates. Without a stride, the second point's row is first written
// to the spare one.
MOTE_TARGET_AVX2 MOTE_INLINE void scan_group_any(const group_scan *scan, hit_columns rows, uint32_t *counts, bool with)
{
    const point_columns gathered = scan->gathered, sorted = scan->sorted;
    const size_t gathered_count = scan->gathered_count, first = scan->first, count = scan->count;
    const size_t own_begin = scan->own_begin, own_end = scan->own_end;
    const __m256 limit = _mm256_set1_ps(scan->radius_squared);
    size_t q = 0, at = 0;
    for (; q + 1 < count; q += 2) {
        const size_t me = first + q, row = scan->stride ? q * scan->stride : at;
        const hit_columns next_row = scan->stride ? columns_from(rows, row + scan->stride) : scan->spare;
        const wide_point a = widen(sorted.x + me, sorted.y + me, sorted.z + me);
        const wide_point b = widen(sorted.x + me + 1, sorted.y + me + 1, sorted.z + me + 1);
        size_t other = 0;
        at = row;
        for (size_t k = 0; k < gathered_count; k += LANES) {
            const __m256 squared = squared_of(gathered, k, a), other_squared = squared_of(gathered, k, b);
            const uint32_t hits = hits_of(squared, limit), other_hits = hits_of(other_squared, limit);
            at = put_hits(gathered, k, hits, squared, with, rows, at);
            other = put_hits(gathered, k, other_hits, other_squared, with, next_row, other);
        }
        for (size_t k = own_begin; k < own_end; k += LANES) {
            const uint32_t own = (uint32_t)(me - k < LANES) << ((me - k) & (LANES - 1));
            const uint32_t next = (uint32_t)(me + 1 - k < LANES) << ((me + 1 - k) & (LANES - 1));
            const uint32_t inside = (uint32_t)MOTE_MIN(own_end - k, (size_t)LANES);
            const __m256 squared = squared_of(sorted, k, a), other_squared = squared_of(sorted, k, b);
            const uint32_t hits = hits_of(squared, limit), other_hits = hits_of(other_squared, limit);
            at = put_hits(sorted, k, _bzhi_u32(hits & ~own, inside), squared, with, rows, at);
            other = put_hits(sorted, k, _bzhi_u32(other_hits & ~next, inside), other_squared, with, next_row, other);
        }
        counts[q] = (uint32_t)(at - row);
        counts[q + 1] = (uint32_t)other;
        if (scan->stride) continue;
        for (size_t k = 0; k < other; k += LANES) {
            _mm256_storeu_si256((__m256i *)(void *)(rows.indices + at + k),
                                _mm256_loadu_si256((const __m256i *)(const void *)(next_row.indices + k)));
            if (with) _mm256_storeu_ps(rows.squared + at + k, _mm256_loadu_ps(next_row.squared + k));
        }
        at += other;
    }
    if (q < count) {
        const size_t me = first + q, row = scan->stride ? q * scan->stride : at;
        at = row;
        const wide_point a = widen(sorted.x + me, sorted.y + me, sorted.z + me);
        for (size_t k = 0; k < gathered_count; k += LANES) {
            const __m256 squared = squared_of(gathered, k, a);
            at = put_hits(gathered, k, hits_of(squared, limit), squared, with, rows, at);
        }
        at = scan_run(sorted, own_begin, own_end, a, me, limit, with, rows, at);
        counts[q] = (uint32_t)(at - row);
    }
}

MOTE_TARGET_AVX2 static void scan_group_avx2(const group_scan *scan, hit_columns rows, uint32_t *counts)
{
    if (rows.squared)
        scan_group_any(scan, rows, counts, true);
    else
        scan_group_any(scan, rows, counts, false);
}

MOTE_TARGET_AVX2 MOTE_INLINE uint32_t scan_point_any(const point_scan *scan, hit_columns row, bool with)
{
    const wide_point point = widen(scan->point, scan->point + 1, scan->point + 2);
    const __m256 limit = _mm256_set1_ps(scan->radius_squared);
    size_t at = 0;
    for (int r = 0; r < scan->run_count; ++r)
        at = scan_run(scan->from, scan->runs[r].begin, scan->runs[r].end, point, scan->self, limit, with, row, at);
    return (uint32_t)at;
}

MOTE_TARGET_AVX2 static uint32_t scan_point_avx2(const point_scan *scan, hit_columns row)
{
    return row.squared ? scan_point_any(scan, row, true) : scan_point_any(scan, row, false);
}

const scan_lanes mote_scan_avx2 = {gather_avx2, scan_group_avx2, scan_point_avx2};

#endif

// ------------------------------------------------------------------------------------------------------- public

mote_result mote_block_reserve(const mote_context *context, candidate_block *block, size_t room)
{
    if (room <= block->capacity) return MOTE_OK;
    block->capacity = 0;
    mote_result result = mote_buffer_reserve(context, &block->memory, mote_bytes(room, 4 * sizeof(float)), 0);
    if (result != MOTE_OK) return result;
    block->at.x = block->memory.data;
    block->at.y = block->at.x + room;
    block->at.z = block->at.y + room;
    block->at.index = (uint32_t *)(void *)(block->at.z + room);
    block->capacity = room;
    return MOTE_OK;
}
