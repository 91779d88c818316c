// SPDX-License-Identifier: MIT
// Finds the cells around short motions, and the clusters in the parts of them that the motions pass. A group of
// motions goes through each stage together, so that memory accesses overlap. The stages find which cells are
// occupied, which of their slabs the motion crosses, which parts of their nodes it passes, and which clusters lie
// there.

#include "base/wide_compress.h"
#include "hits/motion_lanes.h"

// Parts of a node are enlarged by this [parts], which is more than the error of a motion's ends.
#define PART_SLACK (8 * HITS_FLOAT_ERROR)

// The clusters that were found last, indexed by the lowest bits of their numbers.
enum { SEEN = 256 };

// ---------------------------------------------------------------------------------------------------- both forms

// Finds the visits of a group of motions that pass non-empty parts.
typedef void visit_function(const hits_grid *grid, const hits_near_motions *near, size_t begin, size_t end,
                            hits_candidates *candidates);

// Lists the clusters of the visits that are left, as long as there is room; false if there is not. A cluster lies in
// several cells: it is skipped if the same motion has already found it, unless another cluster has replaced it in
// `seen`.
MOTE_INLINE bool list_clusters(const hits_grid *grid, uint64_t seen[SEEN + 1], hits_candidates *candidates)
{
    uint64_t *clusters = candidates->clusters;
    size_t found = candidates->cluster_count;
    for (; candidates->visit_at < candidates->visit_count; ++candidates->visit_at) {
        const hits_cell_visit visit = candidates->visits[candidates->visit_at];
        const hits_node *node = &grid->nodes[visit.node];
        if (node->count == 0 || node->count > HITS_SHORT_LISTS) {
            candidates->others[candidates->other_count++] = visit;
            continue;
        }
        if (found + node->count > HITS_JOBS) break;
        const uint64_t motion = (uint64_t)visit.motion << 32, mask = candidates->masks[candidates->visit_at];
        for (uint32_t r = node->first; r < node->first + node->count; ++r) {
            const uint64_t pair = motion | grid->clusters[r];
            const bool passes = (grid->masks[r] & mask) != 0;
            uint64_t *place = &seen[passes ? pair % SEEN : SEEN];
            clusters[found] = pair;
            found += passes & (*place != pair);
            *place = pair;
        }
    }
    candidates->cluster_count = found;
    return candidates->visit_at == candidates->visit_count;
}

MOTE_INLINE size_t find(const hits_grid *grid, const hits_near_motions *near, size_t begin, visit_function *visit,
                        hits_candidates *candidates)
{
    uint64_t seen[SEEN + 1];
    memset(seen, 0xFF, sizeof seen);
    candidates->cluster_count = candidates->other_count = 0;
    while (list_clusters(grid, seen, candidates)) {
        if (begin == near->count || candidates->other_count + HITS_VISITS > HITS_OTHERS) return begin;
        const size_t end = begin + HITS_GROUP < near->count ? begin + HITS_GROUP : near->count;
        candidates->visit_at = 0;
        visit(grid, near, begin, end, candidates);
        begin = end;
    }
    return begin;
}

// ------------------------------------------------------------------------------------------------------- scalar

// The cells around a motion; false if there are none.
static bool cells_around(const hits_grid *grid, const hits_near_motions *near, size_t motion, int16_t low[3],
                         int16_t high[3])
{
    for (int k = 0; k < 3; ++k) {
        const float from = near->end[k][motion], to = near->end[k + 3][motion], most = (float)grid->size[k];
        const float least = (from < to ? from : to) - HITS_FLOAT_ERROR;
        const float last = (from < to ? to : from) + HITS_FLOAT_ERROR;
        if (!(least < most) || !(last >= 0)) return false;
        low[k] = (int16_t)(least > 0 ? least : 0);
        high[k] = (int16_t)(last < most ? last : most - 1);
    }
    return true;
}

// The shares of the motion at which it enters and leaves each of the four slabs of an axis. A motion parallel to a
// slab is tilted, by less than the slack.
static void slab_shares(float from, float to, float in[4], float out[4])
{
    float step = to - from;
    step = fabsf(step) < 0x1p-20f ? 0x1p-20f : step;
    for (int i = 0; i < 4; ++i) {
        const float a = ((float)i - PART_SLACK - from) / step, b = ((float)(i + 1) + PART_SLACK - from) / step;
        in[i] = a < b ? a : b;
        out[i] = a < b ? b : a;
    }
}

// The parts that the motion passes: those for which the share intervals of three slabs, and 0 … 1, overlap.
static uint64_t mask_plain(const float from[3], const float to[3])
{
    float in[3][4], out[3][4];
    for (int k = 0; k < 3; ++k) slab_shares(from[k], to[k], in[k], out[k]);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 64; ++part) {
        const uint32_t at[3] = {part & 3, part >> 2 & 3, part >> 4};
        float first = 0, last = 1;
        for (int k = 0; k < 3; ++k) {
            first = in[k][at[k]] > first ? in[k][at[k]] : first;
            last = out[k][at[k]] < last ? out[k][at[k]] : last;
        }
        mask |= (uint64_t)(first <= last) << part;
    }
    return mask;
}

// Whether the motion crosses the slab of the node's cell, or touches it: false if it stays on one side.
static bool crosses_slab(const hits_node *node, const float from[3], const float to[3])
{
    float start = 0, end = 0, slack = 1;
    for (int k = 0; k < 3; ++k) {
        const float normal = (float)node->normal[k] * HITS_SLAB_PARTS;
        start += normal * (from[k] - 0.5f);
        end += normal * (to[k] - 0.5f);
        slack += fabsf(normal) * HITS_FLOAT_ERROR;
    }
    const bool has_slab = node->normal[0] || node->normal[1] || node->normal[2];
    const float low = (float)node->low - slack, high = (float)node->high + slack;
    return !has_slab || !(fmaxf(start, end) < low || fminf(start, end) > high);
}

static void visit_cell(const hits_grid *grid, const hits_near_motions *near, size_t motion, const int16_t cell[3],
                       hits_candidates *candidates)
{
    const size_t at = ((size_t)cell[2] * grid->size[1] + (size_t)cell[1]) * grid->size[0] + (size_t)cell[0];
    if (!mote_hits_grid_is_occupied(grid, at)) return;
    const hits_cell_visit visit = {(uint32_t)motion, mote_hits_grid_rank(grid, at), {cell[0], cell[1], cell[2], 0}};
    float from[3], to[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = near->end[k][motion] - (float)cell[k];
        to[k] = near->end[k + 3][motion] - (float)cell[k];
    }
    if (!crosses_slab(&grid->nodes[visit.node], from, to)) return;
    for (int k = 0; k < 3; ++k) from[k] *= 4, to[k] *= 4;
    const uint64_t mask = mask_plain(from, to) & grid->nodes[visit.node].mask;
    candidates->visits[candidates->visit_count] = visit;
    candidates->masks[candidates->visit_count] = mask;
    candidates->visit_count += mask != 0;
}

static void visit_plain(const hits_grid *grid, const hits_near_motions *near, size_t begin, size_t end,
                        hits_candidates *candidates)
{
    candidates->visit_count = 0;
    for (size_t i = begin; i < end; ++i) {
        int16_t low[3], high[3], cell[3];
        if (!cells_around(grid, near, i, low, high)) continue;
        for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
            for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
                for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) visit_cell(grid, near, i, cell, candidates);
    }
}

size_t mote_hits_cells_find_plain(const hits_grid *grid, const hits_near_motions *near, size_t begin,
                                  hits_candidates *candidates)
{
    return find(grid, near, begin, visit_plain, candidates);
}

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

// A group of motions while their visits are found.
typedef struct first_group {
    float end[HITS_GROUP][8];                             // from x, y, z, 0, to x, y, z, 0 of each motion
    uint64_t low[HITS_GROUP];                             // its lowest cell: x, y, z in 16 bits each
    uint32_t motion[HITS_ROWS + 8], cell[HITS_ROWS + 8];  // rows along x with occupied cells
    uint32_t bits[HITS_ROWS + 8];  // occupied: bit 0 and up; y, z beyond low: bit 16, 24 up
    size_t row_count;
} first_group;

// The cells of eight motions.
typedef struct cell_lanes {
    __m256i low[3], more[3], first;  // low: lowest cell; more: extra cells per axis; first: number of low
    __m256i valid;
    int32_t most[3];  // maximum of `more`
} cell_lanes;

MOTE_TARGET_AVX2 static inline int32_t greatest(__m256i lanes)
{
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4E));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xB1));
    return _mm_cvtsi128_si32(most);
}

// Finds the cells of eight motions from i on, up to `end`.
MOTE_TARGET_AVX2 static inline void find_cells(const hits_grid *grid, const hits_near_motions *near, size_t i,
                                               size_t end, cell_lanes *made)
{
    const __m256 zero = _mm256_setzero_ps(), error = _mm256_set1_ps(HITS_FLOAT_ERROR);
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i valid = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(end - i)), places);
    for (int k = 0; k < 3; ++k) {
        const __m256 from = _mm256_loadu_ps(near->end[k] + i), to = _mm256_loadu_ps(near->end[k + 3] + i);
        const __m256 most = _mm256_set1_ps((float)grid->size[k]);
        const __m256 least = _mm256_max_ps(_mm256_sub_ps(_mm256_min_ps(from, to), error), zero);
        const __m256 last = _mm256_min_ps(_mm256_add_ps(_mm256_max_ps(from, to), error), _mm256_sub_ps(most, error));
        made->low[k] = _mm256_cvttps_epi32(_mm256_min_ps(least, most));
        made->more[k] = _mm256_sub_epi32(_mm256_cvttps_epi32(_mm256_floor_ps(last)), made->low[k]);
        valid = _mm256_andnot_si256(_mm256_srai_epi32(made->more[k], 31), valid);
    }
    for (int k = 0; k < 3; ++k) made->most[k] = greatest(_mm256_and_si256(made->more[k], valid));
    const __m256i width = _mm256_set1_epi32((int)grid->size[0]), height = _mm256_set1_epi32((int)grid->size[1]);
    const __m256i row = _mm256_add_epi32(_mm256_mullo_epi32(made->low[2], height), made->low[1]);
    made->first = _mm256_add_epi32(_mm256_mullo_epi32(row, width), made->low[0]);
    made->valid = valid;
}

// Stores ends and lowest cells motion by motion.
MOTE_TARGET_AVX2 static inline void turn(const hits_near_motions *near, size_t i, const cell_lanes *cells,
                                         first_group *group, size_t at)
{
    __m256 half[2][4];
    for (int k = 0; k < 2; ++k) {
        const __m256 x = _mm256_loadu_ps(near->end[3 * k] + i), y = _mm256_loadu_ps(near->end[3 * k + 1] + i);
        const __m256 z = _mm256_loadu_ps(near->end[3 * k + 2] + i), zero = _mm256_setzero_ps();
        const __m256 xy = _mm256_unpacklo_ps(x, y), z0 = _mm256_unpacklo_ps(z, zero);
        const __m256 xy_high = _mm256_unpackhi_ps(x, y), z0_high = _mm256_unpackhi_ps(z, zero);
        half[k][0] = _mm256_shuffle_ps(xy, z0, 0x44);
        half[k][1] = _mm256_shuffle_ps(xy, z0, 0xEE);
        half[k][2] = _mm256_shuffle_ps(xy_high, z0_high, 0x44);
        half[k][3] = _mm256_shuffle_ps(xy_high, z0_high, 0xEE);
    }
    for (size_t m = 0; m < 4; ++m) {
        _mm256_storeu_ps(group->end[at + m], _mm256_permute2f128_ps(half[0][m], half[1][m], 0x20));
        _mm256_storeu_ps(group->end[at + 4 + m], _mm256_permute2f128_ps(half[0][m], half[1][m], 0x31));
    }
    const __m256i xy = _mm256_or_si256(cells->low[0], _mm256_slli_epi32(cells->low[1], 16));
    const __m256i low = _mm256_unpacklo_epi32(xy, cells->low[2]), high = _mm256_unpackhi_epi32(xy, cells->low[2]);
    __m256i *to = (__m256i *)(void *)(group->low + at);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
}

// Bits of three cells from `cell` on, if they lie in two words.
static uint32_t bits_across(const hits_grid *grid, uint32_t cell)
{
    const hits_word *word = &grid->words[cell / 64];
    return (uint32_t)(word->bits >> cell % 64 | word[1].bits << (64 - cell % 64));
}

// Adds the rows of eight motions from i on that have occupied cells.
MOTE_TARGET_AVX2 static inline void add_rows(const hits_grid *grid, const cell_lanes *cells, size_t i,
                                             first_group *group)
{
    const __m256i motions = _mm256_add_epi32(_mm256_set1_epi32((int)i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i wanted = _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(2), cells->more[0]),
                                            _mm256_set1_epi32(1));
    for (int32_t z = 0; z <= cells->most[2]; ++z)
        for (int32_t y = 0; y <= cells->most[1]; ++y) {
            const __m256i short_y = _mm256_cmpgt_epi32(_mm256_set1_epi32(y), cells->more[1]);
            const __m256i short_z = _mm256_cmpgt_epi32(_mm256_set1_epi32(z), cells->more[2]);
            const __m256i has = _mm256_andnot_si256(_mm256_or_si256(short_y, short_z), cells->valid);
            const int32_t offset = (z * (int32_t)grid->size[1] + y) * (int32_t)grid->size[0];
            const __m256i cell = _mm256_and_si256(_mm256_add_epi32(cells->first, _mm256_set1_epi32(offset)), has);
            // 32 bits, from the byte that contains the first cell.
            const __m256i low = _mm256_and_si256(cell, _mm256_set1_epi32(63));
            const __m256i byte = _mm256_add_epi32(_mm256_slli_epi32(_mm256_srli_epi32(cell, 6), 4),
                                                  _mm256_srli_epi32(low, 3));
            __m256i bits = _mm256_i32gather_epi32((const int *)(const void *)grid->words, byte, 1);
            bits = _mm256_srlv_epi32(bits, _mm256_and_si256(cell, _mm256_set1_epi32(7)));
            const __m256i across = _mm256_cmpgt_epi32(_mm256_add_epi32(low, cells->more[0]), _mm256_set1_epi32(63));
            uint32_t odd = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(across, has)));
            if (odd) {
                uint32_t numbers[8], fixed[8];
                _mm256_storeu_si256((__m256i *)(void *)numbers, cell);
                _mm256_storeu_si256((__m256i *)(void *)fixed, bits);
                for (; odd; odd &= odd - 1) {
                    const uint32_t lane = mote_lowest_bit(odd);
                    fixed[lane] = bits_across(grid, numbers[lane]);
                }
                bits = _mm256_loadu_si256((const __m256i *)(const void *)fixed);
            }
            bits = _mm256_and_si256(_mm256_and_si256(bits, wanted), has);
            const __m256i empty = _mm256_cmpeq_epi32(bits, _mm256_setzero_si256());
            const uint32_t lanes = ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(empty)) & 0xFF;
            const __m256i order = mote_compress_lanes(lanes), place = _mm256_set1_epi32(y << 16 | z << 24);
            const size_t at = group->row_count;
            _mm256_storeu_si256((__m256i *)(void *)(group->motion + at), _mm256_permutevar8x32_epi32(motions, order));
            _mm256_storeu_si256((__m256i *)(void *)(group->cell + at), _mm256_permutevar8x32_epi32(cell, order));
            _mm256_storeu_si256((__m256i *)(void *)(group->bits + at),
                                _mm256_permutevar8x32_epi32(_mm256_or_si256(bits, place), order));
            group->row_count += mote_count_bits(lanes);
        }
}

// Lists the occupied cells of all rows, with their nodes.
MOTE_TARGET_AVX2 static inline size_t visit_rows(const hits_grid *grid, const first_group *group, size_t begin,
                                                 hits_cell_visit *visits)
{
    const __m128i next = _mm_set_epi64x(1, (int64_t)1 << 32);
    size_t count = 0;
    for (size_t r = 0; r < group->row_count; ++r) {
        const uint32_t motion = group->motion[r], cell = group->cell[r], bits = group->bits[r];
        const uint64_t place = (bits & 0xFF0000) | (uint64_t)(bits >> 24) << 32;
        const uint64_t corner = group->low[motion - begin] + place;
        __m128i visit = _mm_set_epi64x((int64_t)corner, (int64_t)((uint64_t)cell << 32 | motion));
        for (uint32_t x = 0; x < 3; ++x) {
            _mm_storeu_si128((__m128i *)(void *)(visits + count), visit);
            visit = _mm_add_epi64(visit, next);
            count += bits >> x & 1;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        visits[i].node = mote_hits_grid_rank(grid, visits[i].node);
        mote_prefetch(grid->nodes + visits[i].node);
    }
    return count;
}

// A motion's ends, from x, y, z, 0, to x, y, z, 0, relative to the corner of the cell.
MOTE_TARGET_AVX2 static inline __m256 ends_in_cell(const first_group *group, size_t motion, const int16_t cell[4])
{
    const __m128i whole = _mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)cell));
    const __m128 corner = _mm_cvtepi32_ps(whole);
    return _mm256_sub_ps(_mm256_loadu_ps(group->end[motion]), _mm256_set_m128(corner, corner));
}

static inline int32_t load_four(const void *bytes)
{
    int32_t four;
    memcpy(&four, bytes, sizeof four);
    return four;
}

// Products whose sums, four at a time, are the offsets of a motion's ends along the normal of a visit's slab.
MOTE_TARGET_AVX2 static inline __m256 along_normal(const first_group *group, size_t begin, const hits_cell_visit *visit,
                                                   const hits_node *node)
{
    const __m256 middle = _mm256_setr_ps(0.5f, 0.5f, 0.5f, 0, 0.5f, 0.5f, 0.5f, 0);
    const __m256 ends = _mm256_sub_ps(ends_in_cell(group, visit->motion - begin, visit->cell), middle);
    // The byte after the normal is multiplied by 0.
    const __m128 normal = _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(load_four(node->normal))));
    return _mm256_mul_ps(ends, _mm256_set_m128(normal, normal));
}

// Returns a bit for each of four visits: set unless the motion stays on one side of the cell's slab.
MOTE_TARGET_AVX2 static inline uint32_t cross_four(const hits_grid *grid, const first_group *group, size_t begin,
                                                   const hits_cell_visit visits[4])
{
    const hits_node *node[4];
    __m256 along[4];
    for (int k = 0; k < 4; ++k) {
        node[k] = &grid->nodes[visits[k].node];
        along[k] = along_normal(group, begin, &visits[k], node[k]);
        mote_prefetch(grid->masks + node[k]->first);
        mote_prefetch(grid->clusters + node[k]->first);
    }
    __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(along[0], along[1]), _mm256_hadd_ps(along[2], along[3]));
    sums = _mm256_mul_ps(sums, _mm256_set1_ps(HITS_SLAB_PARTS));
    const __m128 from = _mm256_castps256_ps128(sums), to = _mm256_extractf128_ps(sums, 1);
    __m128i normals = _mm_setr_epi32(load_four(node[0]->normal), load_four(node[1]->normal),
                                     load_four(node[2]->normal), load_four(node[3]->normal));
    normals = _mm_abs_epi8(_mm_and_si128(normals, _mm_set1_epi32(0xFFFFFF)));
    const __m128i sizes = _mm_madd_epi16(_mm_maddubs_epi16(normals, _mm_set1_epi8(1)), _mm_set1_epi16(1));
    __m128 slack = _mm_mul_ps(_mm_cvtepi32_ps(sizes), _mm_set1_ps(HITS_SLAB_PARTS * HITS_FLOAT_ERROR));
    slack = _mm_add_ps(slack, _mm_set1_ps(1));
    const __m128i bounds = _mm_setr_epi32(load_four(&node[0]->low), load_four(&node[1]->low), load_four(&node[2]->low),
                                          load_four(&node[3]->low));
    const __m128 low = _mm_sub_ps(_mm_cvtepi32_ps(_mm_srai_epi32(_mm_slli_epi32(bounds, 16), 16)), slack);
    const __m128 high = _mm_add_ps(_mm_cvtepi32_ps(_mm_srai_epi32(bounds, 16)), slack);
    const __m128 under = _mm_cmplt_ps(_mm_max_ps(from, to), low), over = _mm_cmpgt_ps(_mm_min_ps(from, to), high);
    const __m128 no_slab = _mm_castsi128_ps(_mm_cmpeq_epi32(sizes, _mm_setzero_si128()));
    return ~(uint32_t)_mm_movemask_ps(_mm_andnot_ps(no_slab, _mm_or_ps(under, over)));
}

MOTE_TARGET_AVX2 static inline size_t cross_slabs(const hits_grid *grid, const first_group *group, size_t begin,
                                                  hits_cell_visit *visits, size_t count)
{
    size_t kept = 0;
    for (size_t k = count; k % 4; ++k) visits[k] = visits[0];
    for (size_t i = 0; i < count; i += 4) {
        uint32_t bits = cross_four(grid, group, begin, visits + i);
        if (i + 4 > count) bits &= (1u << (count - i)) - 1;
        for (uint32_t k = 0; k < 4; ++k) {
            visits[kept] = visits[i + k];
            kept += bits >> k & 1;
        }
    }
    return kept;
}

// Four planes at a time: the lower plane of each slab, then the upper ones.
#define SPREAD(lanes, k) _mm_shuffle_ps(lanes, lanes, (k) * 0x55)
#define TWICE(lanes) _mm256_set_m128(lanes, lanes)

MOTE_TARGET_AVX2 static inline void shares_avx2(__m128 from, __m128 per_step, __m128 *in, __m128 *out)
{
    const __m128 lower = _mm_setr_ps(-PART_SLACK, 1 - PART_SLACK, 2 - PART_SLACK, 3 - PART_SLACK);
    const __m128 upper = _mm_setr_ps(1 + PART_SLACK, 2 + PART_SLACK, 3 + PART_SLACK, 4 + PART_SLACK);
    const __m128 a = _mm_mul_ps(_mm_sub_ps(lower, from), per_step), b = _mm_mul_ps(_mm_sub_ps(upper, from), per_step);
    *in = _mm_min_ps(a, b);
    *out = _mm_max_ps(a, b);
}

MOTE_TARGET_AVX2 static inline uint64_t mask_avx2(__m128 start, __m128 end)
{
    __m128 step = _mm_sub_ps(end, start);
    const __m128 least = _mm_set1_ps(0x1p-20f), size = _mm_andnot_ps(_mm_set1_ps(-0.0f), step);
    step = _mm_blendv_ps(step, least, _mm_cmplt_ps(size, least));
    const __m128 per_step = _mm_div_ps(_mm_set1_ps(1), step);
    __m128 x_in, x_out, y_in, y_out, z_in, z_out;
    shares_avx2(SPREAD(start, 0), SPREAD(per_step, 0), &x_in, &x_out);
    shares_avx2(SPREAD(start, 1), SPREAD(per_step, 1), &y_in, &y_out);
    shares_avx2(SPREAD(start, 2), SPREAD(per_step, 2), &z_in, &z_out);
    // Rows y = 0 and 1, then 2 and 3, with four x each.
    const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1);
    const __m256 row_in[2] = {_mm256_set_m128(SPREAD(y_in, 1), SPREAD(y_in, 0)),
                              _mm256_set_m128(SPREAD(y_in, 3), SPREAD(y_in, 2))};
    const __m256 row_out[2] = {_mm256_set_m128(SPREAD(y_out, 1), SPREAD(y_out, 0)),
                               _mm256_set_m128(SPREAD(y_out, 3), SPREAD(y_out, 2))};
    const __m128 layer_in[4] = {SPREAD(z_in, 0), SPREAD(z_in, 1), SPREAD(z_in, 2), SPREAD(z_in, 3)};
    const __m128 layer_out[4] = {SPREAD(z_out, 0), SPREAD(z_out, 1), SPREAD(z_out, 2), SPREAD(z_out, 3)};
    uint64_t mask = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256 first = _mm256_max_ps(_mm256_max_ps(TWICE(x_in), row_in[half]), zero);
        const __m256 last = _mm256_min_ps(_mm256_min_ps(TWICE(x_out), row_out[half]), one);
        for (int z = 0; z < 4; ++z) {
            const __m256 begin = _mm256_max_ps(first, TWICE(layer_in[z]));
            const __m256 end_share = _mm256_min_ps(last, TWICE(layer_out[z]));
            const uint32_t parts = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(begin, end_share, _CMP_LE_OQ));
            mask |= (uint64_t)parts << (16 * z + 8 * half);
        }
    }
    return mask;
}

// Keeps the visits whose motion passes non-empty parts, with the masks of these parts.
MOTE_TARGET_AVX2 static inline size_t pass_parts(const hits_grid *grid, const first_group *group, size_t begin,
                                                 hits_cell_visit *visits, uint64_t *masks, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const hits_cell_visit visit = visits[i];
        const __m256 ends = _mm256_mul_ps(ends_in_cell(group, visit.motion - begin, visit.cell), _mm256_set1_ps(4));
        const uint64_t mask = mask_avx2(_mm256_castps256_ps128(ends), _mm256_extractf128_ps(ends, 1));
        masks[kept] = mask & grid->nodes[visit.node].mask;
        visits[kept] = visit;
        kept += masks[kept] != 0;
    }
    return kept;
}

MOTE_TARGET_AVX2 static void visit_avx2(const hits_grid *grid, const hits_near_motions *near, size_t begin, size_t end,
                                        hits_candidates *candidates)
{
    first_group group;
    cell_lanes cells[HITS_GROUP / 8];
    group.row_count = 0;
    for (size_t i = begin; i < end; i += 8) {
        cell_lanes *made = &cells[(i - begin) / 8];
        find_cells(grid, near, i, end, made);
        turn(near, i, made, &group, i - begin);
        uint32_t first[8];
        _mm256_storeu_si256((__m256i *)(void *)first, _mm256_and_si256(made->first, made->valid));
        for (int k = 0; k < 8; ++k) {
            mote_prefetch(grid->words + first[k] / 64);
            mote_prefetch(grid->words + (first[k] + grid->size[0] * grid->size[1]) / 64);
        }
    }
    for (size_t i = begin; i < end; i += 8) add_rows(grid, &cells[(i - begin) / 8], i, &group);
    size_t count = visit_rows(grid, &group, begin, candidates->visits);
    count = cross_slabs(grid, &group, begin, candidates->visits, count);
    candidates->visit_count = pass_parts(grid, &group, begin, candidates->visits, candidates->masks, count);
}

MOTE_TARGET_AVX2 size_t mote_hits_cells_find_avx2(const hits_grid *grid, const hits_near_motions *near, size_t begin,
                                                  hits_candidates *candidates)
{
    return find(grid, near, begin, visit_avx2, candidates);
}

#endif
