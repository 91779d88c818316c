// SPDX-License-Identifier: MIT
// Moves long motions through the grid, eight at a time: from one piece that may come near the surface to the next.
//
// The grid's distances give a radius around a point in which there is no surface (Hart 1996). The point used is the
// midpoint of the next piece. The motion skips the free length around it; if that is shorter than the piece, the
// piece is near the surface. Shares of motions are floats, and a piece begins at the same float where the previous
// one ends, so there are no gaps.

#include "base/wide_compress.h"
#include "hits/motion_lanes.h"

// Half a cell inside the grid's rim, and so half a cell outside everything that may be occupied.
#define RIM 0.5f
// Motions parallel to an axis are tilted by so many cells, which is less than rounding errors.
#define LEAST_STEP 0x1p-20f
// Subtracted from a free length, for the errors of the point and of shares; and a factor for those of the division.
#define LEAP_SLACK (2 * HITS_FLOAT_ERROR)
#define LEAP_SHARE (1 - 0x1p-20f)

// ------------------------------------------------------------------------------------------------------- scalar

// Copies motion i of the march to place k.
static void move_motion(hits_march *march, size_t k, size_t i)
{
    march->at[k] = march->at[i];
    for (int axis = 0; axis < 3; ++axis) {
        march->from[axis][k] = march->from[axis][i];
        march->way[axis][k] = march->way[axis][i];
    }
    march->last[k] = march->last[i];
    march->per_cell[k] = march->per_cell[i];
    march->begin[k] = march->begin[i];
    march->now[k] = march->now[i];
}

void mote_hits_march_begin_plain(const hits_grid *grid, hits_march *march)
{
    size_t kept = 0;
    march->alone_count = 0;
    for (size_t i = 0; i < march->count; ++i) {
        float first = 0, last = 1, length2 = 0;
        bool is_small = true;
        for (int k = 0; k < 3; ++k) {
            const float from = march->from[k][i], to = march->way[k][i], step = to - from;
            is_small &= fabsf(from) < HITS_FLOAT_REACH && fabsf(to) < HITS_FLOAT_REACH;
            const float tilted = fabsf(step) < LEAST_STEP ? LEAST_STEP : step;
            const float a = (RIM - from) / tilted, b = ((float)grid->size[k] - RIM - from) / tilted;
            first = fmaxf(first, fminf(a, b));
            last = fminf(last, fmaxf(a, b));
            length2 += step * step;
            march->way[k][i] = step;
        }
        march->now[i] = first;
        march->last[i] = last;
        march->per_cell[i] = 1 / sqrtf(length2);
        move_motion(march, kept, i);
        kept += is_small;
        if (!is_small) march->alone[march->alone_count++] = march->at[i];
    }
    march->count = kept;
}

// The radius [cells] around a point in which there is no surface.
static float clearance(const hits_grid *grid, const float point[3])
{
    float off2 = 0;
    size_t cell = 0, stride = 1;
    for (int k = 0; k < 3; ++k) {
        const float most = (float)grid->size[k], at = fminf(fmaxf(point[k], 0), most);
        const uint32_t place = MOTE_MIN((uint32_t)at, grid->size[k] - 1);
        const float off = at - ((float)place + 0.5f);
        off2 += off * off;
        cell += place * stride;
        stride *= grid->size[k];
    }
    return (float)grid->distance[cell] * (1.0f / HITS_DISTANCE_PARTS) - sqrtf(off2) - LEAP_SLACK;
}

void mote_hits_march_advance_plain(const hits_grid *grid, hits_march *march, hits_near_motions *near)
{
    size_t found = 0;
    for (size_t i = 0; i < march->count; ++i) {
        const float last = march->last[i], per_cell = march->per_cell[i];
        float now = march->now[i];
        while (now < last) {
            const float middle = fminf(now + HITS_PIECE / 2 * per_cell, last);
            float point[3];
            for (int k = 0; k < 3; ++k) point[k] = march->from[k][i] + middle * march->way[k][i];
            const float free = clearance(grid, point) * per_cell * LEAP_SHARE;
            if (!(free >= middle - now)) break;
            now = middle + free;
        }
        if (!(now < last)) continue;
        march->begin[i] = now;
        march->now[i] = fminf(now + HITS_PIECE * per_cell, last);
        move_motion(march, found, i);
        for (int k = 0; k < 3; ++k) {
            near->end[k][found] = march->from[k][found] + march->begin[found] * march->way[k][found];
            near->end[k + 3][found] = march->from[k][found] + march->now[found] * march->way[k][found];
        }
        ++found;
    }
    march->count = near->count = found;
}

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

// Stores the lanes in the given order at `to`.
MOTE_TARGET_AVX2 static inline void store_front(float *to, __m256 lanes, __m256i order)
{
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(lanes, order));
}

MOTE_TARGET_AVX2 static inline void store_numbers(uint32_t *to, const uint32_t *from, __m256i order)
{
    const __m256i numbers = _mm256_loadu_si256((const __m256i *)(const void *)from);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(numbers, order));
}

// Bits of those of eight lanes, from i on, that contain motions.
static inline uint32_t lanes_left(size_t i, size_t count)
{
    return count - i < 8 ? (1u << (count - i)) - 1 : 0xFF;
}

MOTE_TARGET_AVX2 void mote_hits_march_begin_avx2(const hits_grid *grid, hits_march *march)
{
    const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1), sign = _mm256_set1_ps(-0.0f);
    const __m256 rim = _mm256_set1_ps(RIM), reach = _mm256_set1_ps(HITS_FLOAT_REACH);
    const __m256 least = _mm256_set1_ps(LEAST_STEP);
    size_t kept = 0;
    march->alone_count = 0;
    for (size_t i = 0; i < march->count; i += 8) {
        __m256 first = zero, last = one, length2 = zero, is_small = _mm256_cmp_ps(zero, zero, _CMP_EQ_OQ);
        __m256 start[3], way[3];
        for (int k = 0; k < 3; ++k) {
            const __m256 from = _mm256_loadu_ps(march->from[k] + i), to = _mm256_loadu_ps(march->way[k] + i);
            const __m256 far = _mm256_set1_ps((float)grid->size[k] - RIM), step = _mm256_sub_ps(to, from);
            const __m256 size = _mm256_andnot_ps(sign, step);
            is_small = _mm256_and_ps(is_small, _mm256_cmp_ps(_mm256_andnot_ps(sign, from), reach, _CMP_LT_OQ));
            is_small = _mm256_and_ps(is_small, _mm256_cmp_ps(_mm256_andnot_ps(sign, to), reach, _CMP_LT_OQ));
            const __m256 tilted = _mm256_blendv_ps(step, least, _mm256_cmp_ps(size, least, _CMP_LT_OQ));
            const __m256 a = _mm256_div_ps(_mm256_sub_ps(rim, from), tilted);
            const __m256 b = _mm256_div_ps(_mm256_sub_ps(far, from), tilted);
            first = _mm256_max_ps(first, _mm256_min_ps(a, b));
            last = _mm256_min_ps(last, _mm256_max_ps(a, b));
            length2 = _mm256_add_ps(length2, _mm256_mul_ps(step, step));
            start[k] = from;
            way[k] = step;
        }
        const uint32_t lanes = lanes_left(i, march->count), small = (uint32_t)_mm256_movemask_ps(is_small);
        for (uint32_t odd = lanes & ~small; odd; odd &= odd - 1)
            march->alone[march->alone_count++] = march->at[i + mote_lowest_bit(odd)];
        const __m256i order = mote_compress_lanes(lanes & small);
        store_numbers(march->at + kept, march->at + i, order);
        for (int k = 0; k < 3; ++k) {
            store_front(march->from[k] + kept, start[k], order);
            store_front(march->way[k] + kept, way[k], order);
        }
        store_front(march->now + kept, first, order);
        store_front(march->last + kept, last, order);
        store_front(march->per_cell + kept, _mm256_div_ps(one, _mm256_sqrt_ps(length2)), order);
        kept += mote_count_bits(lanes & small);
    }
    march->count = kept;
}

// The radius [cells] without a surface around eight points, at shares of motions i and following.
MOTE_TARGET_AVX2 static inline __m256 clearances(const hits_grid *grid, const hits_march *march, size_t i, __m256 share)
{
    const __m256 zero = _mm256_setzero_ps(), half = _mm256_set1_ps(0.5f);
    __m256 off2 = zero;
    __m256i cell = _mm256_setzero_si256();
    uint32_t stride = 1;
    for (int k = 0; k < 3; ++k) {
        const __m256 from = _mm256_loadu_ps(march->from[k] + i), way = _mm256_loadu_ps(march->way[k] + i);
        __m256 at = _mm256_add_ps(from, _mm256_mul_ps(share, way));
        // NaN, in lanes without a motion, becomes 0.
        at = _mm256_min_ps(_mm256_max_ps(at, zero), _mm256_set1_ps((float)grid->size[k]));
        const __m256i place = _mm256_min_epi32(_mm256_cvttps_epi32(at), _mm256_set1_epi32((int)grid->size[k] - 1));
        const __m256 off = _mm256_sub_ps(at, _mm256_add_ps(_mm256_cvtepi32_ps(place), half));
        off2 = _mm256_add_ps(off2, _mm256_mul_ps(off, off));
        cell = _mm256_add_epi32(cell, _mm256_mullo_epi32(place, _mm256_set1_epi32((int)stride)));
        stride *= grid->size[k];
    }
    // The gather reads three bytes beyond the last cell's.
    __m256i bytes = _mm256_i32gather_epi32((const int *)(const void *)grid->distance, cell, 1);
    __m256 distance = _mm256_cvtepi32_ps(_mm256_and_si256(bytes, _mm256_set1_epi32(0xFF)));
    distance = _mm256_mul_ps(distance, _mm256_set1_ps(1.0f / HITS_DISTANCE_PARTS));
    return _mm256_sub_ps(_mm256_sub_ps(distance, _mm256_sqrt_ps(off2)), _mm256_set1_ps(LEAP_SLACK));
}

// One leap of those of eight motions that may leap. Returns whether one of them may leap again. A motion that may
// not leap now may not leap the next time, either.
MOTE_TARGET_AVX2 static inline bool leap(const hits_grid *grid, hits_march *march, size_t i)
{
    const __m256 last = _mm256_loadu_ps(march->last + i), per_cell = _mm256_loadu_ps(march->per_cell + i);
    const __m256 half = _mm256_mul_ps(per_cell, _mm256_set1_ps(HITS_PIECE / 2)), share = _mm256_set1_ps(LEAP_SHARE);
    __m256 now = _mm256_loadu_ps(march->now + i);
    const __m256 middle = _mm256_min_ps(_mm256_add_ps(now, half), last);
    const __m256 free = _mm256_mul_ps(_mm256_mul_ps(clearances(grid, march, i, middle), per_cell), share);
    __m256 leaps = _mm256_cmp_ps(free, _mm256_sub_ps(middle, now), _CMP_GE_OQ);
    leaps = _mm256_and_ps(leaps, _mm256_cmp_ps(now, last, _CMP_LT_OQ));
    now = _mm256_blendv_ps(now, _mm256_add_ps(middle, free), leaps);
    _mm256_storeu_ps(march->now + i, now);
    return _mm256_movemask_ps(_mm256_and_ps(leaps, _mm256_cmp_ps(now, last, _CMP_LT_OQ))) != 0;
}

// Moves all motions to their next near pieces, or to their ends. Groups of eight leap in turns, so that many reads
// of distances overlap.
MOTE_TARGET_AVX2 static void leap_all(const hits_grid *grid, hits_march *march)
{
    uint16_t eights[HITS_MOTIONS / 8];
    size_t left = 0;
    // Lanes after the last motion are at their ends.
    _mm256_storeu_ps(march->now + march->count, _mm256_set1_ps(1));
    _mm256_storeu_ps(march->last + march->count, _mm256_setzero_ps());
    for (size_t i = 0; i < march->count; i += 8) eights[left++] = (uint16_t)i;
    while (left) {
        size_t kept = 0;
        for (size_t k = 0; k < left; ++k) {
            eights[kept] = eights[k];
            kept += leap(grid, march, eights[k]);
        }
        left = kept;
    }
}

MOTE_TARGET_AVX2 void mote_hits_march_advance_avx2(const hits_grid *grid, hits_march *march, hits_near_motions *near)
{
    const __m256 whole = _mm256_set1_ps(HITS_PIECE);
    const size_t count = march->count;
    size_t found = 0;
    leap_all(grid, march);
    for (size_t i = 0; i < count; i += 8) {
        const __m256 begin = _mm256_loadu_ps(march->now + i), last = _mm256_loadu_ps(march->last + i);
        const uint32_t lanes = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(begin, last, _CMP_LT_OQ));
        if (!lanes) continue;
        const __m256 per_cell = _mm256_loadu_ps(march->per_cell + i);
        const __m256 end = _mm256_min_ps(_mm256_add_ps(begin, _mm256_mul_ps(per_cell, whole)), last);
        const __m256i order = mote_compress_lanes(lanes);
        store_numbers(march->at + found, march->at + i, order);
        for (int k = 0; k < 3; ++k) {
            const __m256 from = _mm256_loadu_ps(march->from[k] + i), way = _mm256_loadu_ps(march->way[k] + i);
            store_front(march->from[k] + found, from, order);
            store_front(march->way[k] + found, way, order);
            store_front(near->end[k] + found, _mm256_add_ps(from, _mm256_mul_ps(begin, way)), order);
            store_front(near->end[k + 3] + found, _mm256_add_ps(from, _mm256_mul_ps(end, way)), order);
        }
        store_front(march->last + found, last, order);
        store_front(march->per_cell + found, per_cell, order);
        store_front(march->begin + found, begin, order);
        store_front(march->now + found, end, order);
        found += mote_count_bits(lanes);
    }
    march->count = near->count = found;
}

#endif
