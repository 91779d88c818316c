// The innermost loop of neighbour search: one point against the candidates around its cell.
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

mote_result mote_block_gather(const mote_context *context, candidate_block *block, const cell_sort *sort,
                              const cell_run *runs, int run_count)
{
    size_t count = 0;
    for (int r = 0; r < run_count; ++r) count += runs[r].end - runs[r].begin;
    // Copies run over a run's end by up to a vector, and a vector of non-hits follows the last.
    size_t room = (count + 3 * LANES) / LANES * LANES;
    if (room * 16 > block->memory.bytes) {
        mote_result result = mote_buffer_reserve(context, &block->memory, room * 4 * sizeof(float), 0);
        if (result != MOTE_OK) return result;
    }
    block->x = block->memory.data;
    block->y = block->x + room;
    block->z = block->y + room;
    block->index = (uint32_t *)(void *)(block->z + room);

    size_t at = 0;
    for (int r = 0; r < run_count; ++r) {
        size_t begin = runs[r].begin, length = runs[r].end - runs[r].begin;
        for (size_t k = 0; k < length; k += LANES) {  // whole vectors: sorted arrays are padded behind the last point
            memcpy(block->x + at + k, sort->x + begin + k, LANES * sizeof(float));
            memcpy(block->y + at + k, sort->y + begin + k, LANES * sizeof(float));
            memcpy(block->z + at + k, sort->z + begin + k, LANES * sizeof(float));
            memcpy(block->index + at + k, sort->index + begin + k, LANES * sizeof(uint32_t));
        }
        at += length;
    }
    for (size_t k = at; k < at + LANES; ++k) {  // infinitely far from everything
        block->x[k] = INFINITY;
        block->y[k] = block->z[k] = 0;
        block->index[k] = 0;
    }
    block->count = (uint32_t)count;
    return MOTE_OK;
}

void mote_block_release(const mote_context *context, candidate_block *block)
{
    mote_buffer_release(context, &block->memory);
}

uint32_t mote_scan_plain(const candidate_block *block, const float point[3], float radius_squared, uint32_t self,
                         uint32_t *row)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < block->count; ++k) {
        row[found] = block->index[k];
        found += mote_within(block->x[k] - point[0], block->y[k] - point[1], block->z[k] - point[2], radius_squared) &
                 (k != self);
    }
    return found;
}

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

MOTE_TARGET_AVX2 static uint32_t scan_avx2(const candidate_block *block, const float point[3], float radius_squared,
                                           uint32_t self, uint32_t *row)
{
    const __m256 px = _mm256_set1_ps(point[0]), py = _mm256_set1_ps(point[1]), pz = _mm256_set1_ps(point[2]);
    const __m256 limit = _mm256_set1_ps(radius_squared);
    const uint32_t self_vector = self / LANES * LANES, self_bit = 1u << (self % LANES);
    const float *x = block->x, *y = block->y, *z = block->z;
    const uint32_t *index = block->index;
    uint32_t *out = row;
    for (uint32_t k = 0; k < block->count; k += LANES) {
        __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(x + k), px);
        __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(y + k), py);
        __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(z + k), pz);
        __m256 squared = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                       _mm256_mul_ps(dz, dz));
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
        mask &= ~(k == self_vector ? self_bit : 0);
        __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(compress_places + mask)));
        __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)(index + k));
        __m256i hits = _mm256_permutevar8x32_epi32(all, places);
        _mm256_storeu_si256((__m256i *)(void *)out, hits);
        out += _mm_popcnt_u32(mask);
    }
    return (uint32_t)(out - row);
}

#endif

scan_function *mote_scan_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return scan_avx2;
#endif
    return mote_scan_plain;
}
