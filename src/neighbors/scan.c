// The innermost loops of neighbour search: gathering candidates, and points against all of them.
//
// Vector form: eight distances at a time, a comparison, and a compressing store through a table of permutations,
// written in place: about two operations a candidate. The scalar form does the same without branches.

#include "neighbors/scan.h"

#include <math.h>
#include <string.h>

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

static size_t append_plain(point_columns to, size_t at, point_columns from, const cell_run *runs, int run_count,
                           const strip_bounds *bounds, float radius_squared)
{
    for (int r = 0; r < run_count; ++r)
        for (uint32_t k = runs[r].begin; k < runs[r].end; ++k) {
            to.x[at] = from.x[k];
            to.y[at] = from.y[k];
            to.z[at] = from.z[k];
            to.index[at] = from.index[k];
            at += mote_within(0, outside(from.y[k], bounds->low[0], bounds->high[0]),
                              outside(from.z[k], bounds->low[1], bounds->high[1]), radius_squared);
        }
    for (size_t k = at; k < at + LANES; ++k) {
        to.x[k] = INFINITY;
        to.y[k] = to.z[k] = 0;
        to.index[k] = 0;
    }
    return at;
}

// Appends to `row` the indices of points begin … end − 1 within the radius of `point`, but for the one at place `self`.
static uint32_t *scan_run_plain(point_columns points, size_t begin, size_t end, const float point[3], size_t self,
                                float radius_squared, uint32_t *row)
{
    for (size_t k = begin; k < end; ++k) {
        *row = points.index[k];
        row += k != self && mote_within(points.x[k] - point[0], points.y[k] - point[1], points.z[k] - point[2],
                                        radius_squared);
    }
    return row;
}

static void scan_group_plain(const group_scan *scan, uint32_t *rows, uint32_t *counts)
{
    const point_columns sorted = scan->sorted;
    uint32_t *out = rows;
    for (size_t q = 0; q < scan->count; ++q) {
        const size_t self = scan->first + q;
        const float point[3] = {sorted.x[self], sorted.y[self], sorted.z[self]};
        uint32_t *row = out;
        out = scan_run_plain(scan->window, scan->window_begin, scan->window_end, point, SIZE_MAX, scan->radius_squared,
                             out);
        out = scan_run_plain(sorted, scan->strip_begin, scan->strip_end, point, self, scan->radius_squared, out);
        counts[q] = (uint32_t)(out - row);
    }
}

static uint32_t scan_point_plain(const point_scan *scan, uint32_t *row)
{
    uint32_t *out = row;
    for (int r = 0; r < scan->run_count; ++r)
        out = scan_run_plain(scan->from, scan->runs[r].begin, scan->runs[r].end, scan->point, scan->self,
                             scan->radius_squared, out);
    return (uint32_t)(out - row);
}

const scan_functions mote_scan_plain = {append_plain, scan_group_plain, scan_point_plain};

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

// A run takes one vector as a rule: an empty one is not told apart, which no processor could foresee.
MOTE_TARGET_AVX2 static size_t append_avx2(point_columns to, size_t at, point_columns from, const cell_run *runs,
                                           int run_count, const strip_bounds *bounds, float radius_squared)
{
    const __m256 low_y = _mm256_set1_ps(bounds->low[0]), high_y = _mm256_set1_ps(bounds->high[0]);
    const __m256 low_z = _mm256_set1_ps(bounds->low[1]), high_z = _mm256_set1_ps(bounds->high[1]);
    const __m256 limit = _mm256_set1_ps(radius_squared);
    for (int r = 0; r < run_count; ++r) {
        size_t k = runs[r].begin, end = runs[r].end;
        do {
            __m256 x = _mm256_loadu_ps(from.x + k), y = _mm256_loadu_ps(from.y + k), z = _mm256_loadu_ps(from.z + k);
            __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(from.index + k));
            __m256 dy = outside_avx2(y, low_y, high_y), dz = outside_avx2(z, low_z, high_z);
            __m256 squared = _mm256_add_ps(_mm256_mul_ps(dy, dy), _mm256_mul_ps(dz, dz));
            uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
            mask = _bzhi_u32(mask, (uint32_t)MOTE_MIN(end - k, (size_t)LANES));
            __m256i places = compress_places_of(mask);
            _mm256_storeu_ps(to.x + at, _mm256_permutevar8x32_ps(x, places));
            _mm256_storeu_ps(to.y + at, _mm256_permutevar8x32_ps(y, places));
            _mm256_storeu_ps(to.z + at, _mm256_permutevar8x32_ps(z, places));
            _mm256_storeu_si256((__m256i *)(void *)(to.index + at), _mm256_permutevar8x32_epi32(index, places));
            at += (size_t)_mm_popcnt_u32(mask);
            k += LANES;
        } while (k < end);
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

// Which of eight candidates from place k on lie within the radius. Differences are taken the other way round than in
// the definition: their squares are the same bits, and loads become operands.
MOTE_TARGET_AVX2 static inline uint32_t hits_of(point_columns from, size_t k, wide_point point, __m256 limit)
{
    __m256 squared = squared_length(_mm256_sub_ps(point.x, _mm256_loadu_ps(from.x + k)),
                                    _mm256_sub_ps(point.y, _mm256_loadu_ps(from.y + k)),
                                    _mm256_sub_ps(point.z, _mm256_loadu_ps(from.z + k)));
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
}

// Writes the indices of the hits among the eight candidates from place k on; answers where the next goes.
MOTE_TARGET_AVX2 static inline uint32_t *put_hits(point_columns from, size_t k, uint32_t hits, uint32_t *out)
{
    __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(from.index + k));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(index, compress_places_of(hits)));
    return out + _mm_popcnt_u32(hits);
}

// A run of sorted points behind which others follow, and in which the point itself may stand.
MOTE_TARGET_AVX2 static inline uint32_t *scan_run(point_columns from, size_t begin, size_t end, wide_point point,
                                                  size_t self, __m256 limit, uint32_t *out)
{
    for (size_t k = begin; k < end; k += LANES) {
        uint32_t hits = _bzhi_u32(hits_of(from, k, point, limit), (uint32_t)MOTE_MIN(end - k, (size_t)LANES));
        uint32_t is_here = self - k < LANES;
        hits &= ~(is_here << ((self - k) & (LANES - 1)));
        out = put_hits(from, k, hits, out);
    }
    return out;
}

// Two points at a time share the loads of the candidates. The second one's row waits in the spare one.
MOTE_TARGET_AVX2 static void scan_group_avx2(const group_scan *scan, uint32_t *rows, uint32_t *counts)
{
    const point_columns window = scan->window, sorted = scan->sorted;
    const size_t window_begin = scan->window_begin, window_end = scan->window_end, count = scan->count;
    const size_t strip_begin = scan->strip_begin, strip_end = scan->strip_end, first = scan->first;
    const __m256 limit = _mm256_set1_ps(scan->radius_squared);
    uint32_t *const spare = scan->spare, *out = rows;
    size_t q = 0;
    for (; q + 1 < count; q += 2) {
        const size_t me = first + q;
        const wide_point a = widen(sorted.x + me, sorted.y + me, sorted.z + me);
        const wide_point b = widen(sorted.x + me + 1, sorted.y + me + 1, sorted.z + me + 1);
        uint32_t *row = out, *other = spare;
        for (size_t k = window_begin; k < window_end; k += LANES) {
            uint32_t hits = hits_of(window, k, a, limit), other_hits = hits_of(window, k, b, limit);
            out = put_hits(window, k, hits, out);
            other = put_hits(window, k, other_hits, other);
        }
        for (size_t k = strip_begin; k < strip_end; k += LANES) {
            uint32_t own = (uint32_t)(me - k < LANES) << ((me - k) & (LANES - 1));
            uint32_t next = (uint32_t)(me + 1 - k < LANES) << ((me + 1 - k) & (LANES - 1));
            uint32_t inside = (uint32_t)MOTE_MIN(strip_end - k, (size_t)LANES);
            uint32_t hits = hits_of(sorted, k, a, limit), other_hits = hits_of(sorted, k, b, limit);
            out = put_hits(sorted, k, _bzhi_u32(hits & ~own, inside), out);
            other = put_hits(sorted, k, _bzhi_u32(other_hits & ~next, inside), other);
        }
        counts[q] = (uint32_t)(out - row);
        counts[q + 1] = (uint32_t)(other - spare);
        for (size_t k = 0; k < counts[q + 1]; k += LANES)
            _mm256_storeu_si256((__m256i *)(void *)(out + k),
                                _mm256_loadu_si256((const __m256i *)(const void *)(spare + k)));
        out += counts[q + 1];
    }
    if (q < count) {
        const size_t me = first + q;
        const wide_point a = widen(sorted.x + me, sorted.y + me, sorted.z + me);
        uint32_t *row = out;
        for (size_t k = window_begin; k < window_end; k += LANES)
            out = put_hits(window, k, hits_of(window, k, a, limit), out);
        out = scan_run(sorted, strip_begin, strip_end, a, me, limit, out);
        counts[q] = (uint32_t)(out - row);
    }
}

MOTE_TARGET_AVX2 static uint32_t scan_point_avx2(const point_scan *scan, uint32_t *row)
{
    const point_columns from = scan->from;
    const wide_point point = widen(scan->point, scan->point + 1, scan->point + 2);
    const __m256 limit = _mm256_set1_ps(scan->radius_squared);
    uint32_t *out = row;
    for (int r = 0; r < scan->run_count; ++r)
        out = scan_run(from, scan->runs[r].begin, scan->runs[r].end, point, scan->self, limit, out);
    return (uint32_t)(out - row);
}

static const scan_functions scan_functions_avx2 = {append_avx2, scan_group_avx2, scan_point_avx2};

#endif

// ------------------------------------------------------------------------------------------------------- public

mote_result mote_window_reserve(const mote_context *context, point_window *window, size_t room)
{
    if (room <= window->capacity) return MOTE_OK;
    mote_buffer grown = {0};
    mote_result result = mote_buffer_reserve(context, &grown, mote_bytes(room, 4 * sizeof(float)), 0);
    if (result != MOTE_OK) return result;
    point_columns at = {grown.data, NULL, NULL, NULL};
    at.y = at.x + room;
    at.z = at.y + room;
    at.index = (uint32_t *)(void *)(at.z + room);
    if (window->used) {
        memcpy(at.x, window->at.x, window->used * sizeof(float));
        memcpy(at.y, window->at.y, window->used * sizeof(float));
        memcpy(at.z, window->at.z, window->used * sizeof(float));
        memcpy(at.index, window->at.index, window->used * sizeof(uint32_t));
    }
    mote_buffer_release(context, &window->memory);
    window->memory = grown;
    window->at = at;
    window->capacity = room;
    return MOTE_OK;
}

const scan_functions *mote_scan_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &scan_functions_avx2;
#endif
    return &mote_scan_plain;
}
