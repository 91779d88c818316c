// The innermost loops of first hits.
//
// A motion is sorted out by the ball around it: its middle lies in a cell from whose centre the surface is far enough.
// A middle outside of the grid is moved onto its rim, which brings it closer to all that is inside.
//
// What is left comes to the cells of the grid around it, in stages of a group of motions each, so that memory is on its
// way meanwhile: which cells are occupied; which parts of their nodes the motion passes; which clusters lie there.
//
// A triangle is sorted out by the signs of volumes (Segura & Feito 2001): those that the motion spans with the edges
// differ, or both its ends lie on one side. Corners are rounded to quanta, so signs count only beyond an error bound.

#include "hits/first_lanes.h"

#include "base/compress.h"

// Parts of a node are larger by this, in parts, than they are: more than the error of a motion's ends.
#define PART_SLACK (8 * FIRST_FLOAT_ERROR)

// An occupied cell that a motion may pass.
typedef struct cell_visit {
    uint32_t motion, node;
    int16_t cell[4];
    uint64_t mask;
} cell_visit;

enum { GROUP = 64, VISITS = GROUP * FIRST_SHORT_CELLS };

// --------------------------------------------------------------------------------------------------- both forms

typedef uint64_t mask_function(const float from[3], const float to[3]);

// The cells around a motion.
typedef struct cell_box {
    int16_t low[3], more[3];  // `more` than one along each axis; below 0: there are none
} cell_box;

// False if the motion is too long.
MOTE_INLINE bool box_cells(const first_grid *grid, const first_near *near, size_t motion, cell_box *box)
{
    int32_t cells = 1;
    for (int k = 0; k < 3; ++k) {
        const float from = near->end[k][motion], to = near->end[k + 3][motion], most = (float)grid->size[k];
        float least = (from < to ? from : to) - FIRST_FLOAT_ERROR, last = (from < to ? to : from) + FIRST_FLOAT_ERROR;
        least = least > 0 ? least : 0;
        last = last < most ? last : most - FIRST_FLOAT_ERROR;
        // Also false where one is not a number.
        if (!(last - least < FIRST_SHORT_CELLS)) return false;
        const int32_t low = (int32_t)(least < most ? least : most), high = last < 0 ? -1 : (int32_t)last;
        box->low[k] = (int16_t)low;
        box->more[k] = (int16_t)(high < low ? -1 : high - low);
        cells *= box->more[k] + 1;
    }
    return cells <= FIRST_SHORT_CELLS;
}

MOTE_INLINE size_t cell_number(const first_grid *grid, const int16_t low[3])
{
    return ((size_t)low[2] * grid->size[1] + (size_t)low[1]) * grid->size[0] + (size_t)low[0];
}

// Those that are occupied.
MOTE_INLINE size_t visit_cells(const first_grid *grid, const cell_box *box, size_t motion, cell_visit *visits)
{
    const size_t corner = cell_number(grid, box->low), row = grid->size[0], layer = row * grid->size[1];
    size_t count = 0;
    for (int16_t z = 0; z <= box->more[2]; ++z)
        for (int16_t y = 0; y <= box->more[1]; ++y)
            for (int16_t x = 0; x <= box->more[0]; ++x) {
                const size_t at = corner + (size_t)z * layer + (size_t)y * row + (size_t)x;
                const uint32_t node = mote_first_rank(grid, at);
                cell_visit visit = {.motion = (uint32_t)motion, .node = node};
                visit.cell[0] = (int16_t)(box->low[0] + x);
                visit.cell[1] = (int16_t)(box->low[1] + y);
                visit.cell[2] = (int16_t)(box->low[2] + z);
                mote_prefetch(grid->nodes + node);
                visits[count] = visit;
                count += mote_first_is_occupied(grid, at);
            }
    return count;
}

// All of a group of motions, in two stages, so that words are on their way.
MOTE_INLINE size_t visit_group(const first_grid *grid, const first_near *near, size_t begin, size_t end,
                               cell_visit *visits, first_finds *finds)
{
    cell_box boxes[GROUP];
    for (size_t i = begin; i < end; ++i) {
        cell_box *box = &boxes[i - begin];
        if (!box_cells(grid, near, i, box)) {
            finds->others[finds->other_count++] = (uint32_t)i;
            box->more[2] = -1;
        }
        if (box->more[0] < 0 || box->more[1] < 0 || box->more[2] < 0) continue;
        const size_t at = cell_number(grid, box->low);
        mote_prefetch(grid->words + at / 64);
    }
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        const cell_box *box = &boxes[i - begin];
        if (box->more[0] >= 0 && box->more[1] >= 0 && box->more[2] >= 0)
            count += visit_cells(grid, box, i, visits + count);
    }
    return count;
}

// Of the visits those whose motion does not stay on one side of the cell's slab.
MOTE_INLINE size_t cross_slabs(const first_grid *grid, const first_near *near, cell_visit *visits, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const cell_visit visit = visits[i];
        const first_node *node = &grid->nodes[visit.node];
        float from = 0, to = 0, slack = 1;
        for (int k = 0; k < 3; ++k) {
            const float normal = (float)node->normal[k] * FIRST_SLAB_PARTS, center = (float)visit.cell[k] + 0.5f;
            from += normal * (near->end[k][visit.motion] - center);
            to += normal * (near->end[k + 3][visit.motion] - center);
            slack += fabsf(normal) * FIRST_FLOAT_ERROR;
        }
        const float least = from < to ? from : to, most = from < to ? to : from;
        visits[kept] = visit;
        kept += !((most < (float)node->low - slack) | (least > (float)node->high + slack));
    }
    return kept;
}

// Of the visits those whose motion passes parts that hold something.
MOTE_INLINE size_t pass_parts(const first_grid *grid, const first_near *near, mask_function *mask_of,
                              cell_visit *visits, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        cell_visit visit = visits[i];
        float from[3], to[3];
        for (int k = 0; k < 3; ++k) {
            from[k] = (near->end[k][visit.motion] - (float)visit.cell[k]) * 4;
            to[k] = (near->end[k + 3][visit.motion] - (float)visit.cell[k]) * 4;
        }
        const first_node *node = &grid->nodes[visit.node];
        mote_prefetch(grid->masks + node->first);
        mote_prefetch(grid->clusters + node->first);
        visit.mask = mask_of(from, to) & node->mask;
        visits[kept] = visit;
        kept += visit.mask != 0;
    }
    return kept;
}

MOTE_INLINE void list_clusters(const first_grid *grid, const cell_visit *visits, size_t count, first_finds *finds)
{
    uint64_t *clusters = finds->clusters;
    size_t found = finds->cluster_count;
    for (size_t i = 0; i < count; ++i) {
        const first_node *node = &grid->nodes[visits[i].node];
        const uint64_t motion = (uint64_t)visits[i].motion << 32;
        for (uint32_t r = node->first; r < node->first + node->count; ++r) {
            clusters[found] = motion | grid->clusters[r];
            found += (grid->masks[r] & visits[i].mask) != 0;
        }
    }
    finds->cluster_count = found;
}

// Takes out the motions that come to a node with children or to a long list: they go the long way.
static size_t take_out(const first_grid *grid, cell_visit *visits, size_t count, first_finds *finds)
{
    size_t kept = 0;
    uint32_t out = UINT32_MAX;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t clusters = grid->nodes[visits[i].node].count;
        if ((clusters == 0 || clusters > FIRST_SHORT_LISTS) && visits[i].motion != out) {
            out = visits[i].motion;
            finds->others[finds->other_count++] = out;
            while (kept > 0 && visits[kept - 1].motion == out) --kept;
        }
        visits[kept] = visits[i];
        kept += visits[i].motion != out;
    }
    return kept;
}

// The visits of motions whose lists fit; the first motion whose do not, or `end`.
static size_t fit(const first_grid *grid, const cell_visit *visits, size_t *count, size_t end, first_finds *finds)
{
    size_t most = finds->cluster_count;
    for (size_t i = 0; i < *count; ++i) {
        most += grid->nodes[visits[i].node].count;
        if (most <= FIRST_JOBS) continue;
        end = visits[i].motion;
        while (i > 0 && visits[i - 1].motion == end) --i;
        *count = i;
        size_t kept = 0;
        for (size_t k = 0; k < finds->other_count; ++k)
            if (finds->others[k] < end) finds->others[kept++] = finds->others[k];
        finds->other_count = kept;
    }
    return end;
}

MOTE_INLINE size_t find(const first_grid *grid, const first_near *near, size_t begin, mask_function *mask_of,
                        first_finds *finds)
{
    cell_visit visits[VISITS + FIRST_SHORT_CELLS];
    finds->cluster_count = finds->other_count = 0;
    while (begin < near->count) {
        const size_t last = begin + GROUP < near->count ? begin + GROUP : near->count;
        size_t count = visit_group(grid, near, begin, last, visits, finds);
        count = cross_slabs(grid, near, visits, count);
        count = pass_parts(grid, near, mask_of, visits, count);
        count = take_out(grid, visits, count, finds);
        begin = fit(grid, visits, &count, last, finds);
        list_clusters(grid, visits, count, finds);
        if (begin < last) break;
    }
    return begin;
}

// ------------------------------------------------------------------------------------------------------- scalar

static inline double column_at(const first_columns *columns, int axis, size_t i)
{
    if (columns->scalar == MOTE_F32) return (double)((const float *)columns->axis[axis])[i];
    return ((const double *)columns->axis[axis])[i];
}

static void unpack_plain(const float *xyz, size_t count, float *const column[3])
{
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) column[k][i] = xyz[3 * i + k];
}

static bool is_near(const first_grid *grid, const float end[6], float reach)
{
    float half2 = 0, off2 = 0;
    size_t cell = 0, stride = 1;
    for (int k = 0; k < 3; ++k) {
        float half = (end[k + 3] - end[k]) * 0.5f, middle = (end[k + 3] + end[k]) * 0.5f, most = (float)grid->size[k];
        if (!(fabsf(middle) <= 3e38f)) return true;
        middle = middle > 0 ? middle : 0;
        middle = middle < most ? middle : most;
        uint32_t at = (uint32_t)middle;
        at = at < grid->size[k] ? at : grid->size[k] - 1;
        float off = middle - ((float)at + 0.5f);
        half2 += half * half;
        off2 += off * off;
        cell += at * stride;
        stride *= grid->size[k];
    }
    float clearance = (float)grid->distance[cell] * (1.0f / FIRST_DISTANCE_PARTS) - reach - FIRST_FLOAT_ERROR;
    return !(sqrtf(half2) + sqrtf(off2) < clearance);
}

static void pick_plain(const first_grid *grid, const first_columns *columns, double scale, float reach,
                       first_near *near)
{
    size_t found = 0;
    for (size_t i = 0; i < columns->count; ++i) {
        float end[6];
        for (int k = 0; k < 6; ++k) {
            end[k] = (float)((column_at(columns, k, i) * scale - grid->origin[k % 3]) * grid->per_edge);
            near->end[k][found] = end[k];
        }
        near->at[found] = (uint32_t)i;
        found += is_near(grid, end, reach);
    }
    near->count = found;
}

// The shares of the motion at which it is in each of the four slabs of an axis. A motion along a slab is tilted, by
// less than the slack.
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

// Parts that the motion passes: where the shares of three slabs, and 0 … 1, have some in common.
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

static size_t find_plain(const first_grid *grid, const first_near *near, size_t begin, first_finds *finds)
{
    return find(grid, near, begin, mask_plain, finds);
}

static inline void cross_plain(const float a[3], const float b[3], float c[3])
{
    for (int k = 0; k < 3; ++k) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline float dot_plain(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint32_t may_meet_plain(const first_cluster *cluster, const first_probe *probe)
{
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < FIRST_LANES; ++lane) {
        float corner[3][3], normal[3][3], edge[3];
        for (int v = 0; v < 3; ++v)
            for (int k = 0; k < 3; ++k) corner[v][k] = (float)cluster->corner[3 * v + k][lane] - probe->from[k];
        for (int v = 0; v < 3; ++v) {
            cross_plain(corner[(v + 1) % 3], corner[(v + 2) % 3], normal[v]);
            edge[v] = dot_plain(probe->way, normal[v]);
        }
        float start = dot_plain(corner[0], normal[0]), end = start - (edge[0] + edge[1] + edge[2]);
        float least = fminf(edge[0], fminf(edge[1], edge[2])), most = fmaxf(edge[0], fmaxf(edge[1], edge[2]));
        bool misses = least < -probe->edge_error && most > probe->edge_error;
        misses |= start > probe->plane_error && end > probe->plane_error;
        misses |= start < -probe->plane_error && end < -probe->plane_error;
        mask |= (uint32_t)!misses << lane;
    }
    return mask;
}

const first_functions mote_first_functions_plain = {unpack_plain, pick_plain, find_plain, may_meet_plain};

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

// Eight points at a time: three times four numbers of the first half, and of the second (Intel's way).
MOTE_TARGET_AVX2 static void unpack_avx2(const float *xyz, size_t count, float *const column[3])
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const float *at = xyz + 3 * i;
        mote_prefetch(at + 3 * FIRST_MOTIONS);
        mote_prefetch(at + 3 * FIRST_MOTIONS + 16);
        const __m256 a = _mm256_set_m128(_mm_loadu_ps(at + 12), _mm_loadu_ps(at));
        const __m256 b = _mm256_set_m128(_mm_loadu_ps(at + 16), _mm_loadu_ps(at + 4));
        const __m256 c = _mm256_set_m128(_mm_loadu_ps(at + 20), _mm_loadu_ps(at + 8));
        const __m256 xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2));
        const __m256 yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1));
        _mm256_storeu_ps(column[0] + i, _mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0)));
        _mm256_storeu_ps(column[1] + i, _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)));
        _mm256_storeu_ps(column[2] + i, _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1)));
    }
    for (; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) column[k][i] = xyz[3 * i + k];
}

// Eight coordinates in cells.
MOTE_TARGET_AVX2 static inline __m256 load_cells(const void *column, mote_scalar scalar, size_t i, __m256d scale,
                                                 __m256d origin, __m256d per_edge)
{
    __m256d low, high;
    if (scalar == MOTE_F32) {
        const float *at = (const float *)column + i;
        low = _mm256_cvtps_pd(_mm_loadu_ps(at));
        high = _mm256_cvtps_pd(_mm_loadu_ps(at + 4));
    } else {
        const double *at = (const double *)column + i;
        low = _mm256_loadu_pd(at);
        high = _mm256_loadu_pd(at + 4);
    }
    low = _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(low, scale), origin), per_edge);
    high = _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(high, scale), origin), per_edge);
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

// Of eight lanes those of the mask, in order, to `to`; the lanes behind them are overwritten.
MOTE_TARGET_AVX2 static inline void store_lanes(float *to, __m256 lanes, __m256i order)
{
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(lanes, order));
}

// The first pass: ends in cells, in place of what was there; and each motion's cell, and the clearance that it needs.
MOTE_TARGET_AVX2 static void place_avx2(const first_grid *grid, const first_columns *columns, double scale, float reach,
                                        uint32_t *cells, float *needs)
{
    const __m256d scales = _mm256_set1_pd(scale), per_edge = _mm256_set1_pd(grid->per_edge);
    const __m256 half_one = _mm256_set1_ps(0.5f), zero = _mm256_setzero_ps(), sign = _mm256_set1_ps(-0.0f);
    const __m256 slack = _mm256_set1_ps(reach + FIRST_FLOAT_ERROR), endless = _mm256_set1_ps(HUGE_VALF);
    for (size_t i = 0; i < columns->count; i += 8) {
        __m256 half2 = zero, off2 = zero, finite = _mm256_cmp_ps(zero, zero, _CMP_EQ_OQ);
        __m256i cell = _mm256_setzero_si256();
        uint32_t stride = 1;
        for (int k = 0; k < 3; ++k) {
            const __m256d origin = _mm256_set1_pd(grid->origin[k]);
            __m256 from = load_cells(columns->axis[k], columns->scalar, i, scales, origin, per_edge);
            __m256 to = load_cells(columns->axis[k + 3], columns->scalar, i, scales, origin, per_edge);
            _mm256_storeu_ps((float *)columns->axis[k] + i, from);
            _mm256_storeu_ps((float *)columns->axis[k + 3] + i, to);
            __m256 half = _mm256_mul_ps(_mm256_sub_ps(to, from), half_one);
            __m256 middle = _mm256_mul_ps(_mm256_add_ps(to, from), half_one), size = _mm256_andnot_ps(sign, middle);
            finite = _mm256_and_ps(finite, _mm256_cmp_ps(size, _mm256_set1_ps(3e38f), _CMP_LE_OQ));
            middle = _mm256_min_ps(_mm256_max_ps(middle, zero), _mm256_set1_ps((float)grid->size[k]));
            __m256i place = _mm256_min_epi32(_mm256_cvttps_epi32(middle), _mm256_set1_epi32((int)grid->size[k] - 1));
            __m256 off = _mm256_sub_ps(middle, _mm256_add_ps(_mm256_cvtepi32_ps(place), half_one));
            half2 = _mm256_add_ps(half2, _mm256_mul_ps(half, half));
            off2 = _mm256_add_ps(off2, _mm256_mul_ps(off, off));
            cell = _mm256_add_epi32(cell, _mm256_mullo_epi32(place, _mm256_set1_epi32((int)stride)));
            stride *= grid->size[k];
        }
        __m256 needed = _mm256_add_ps(_mm256_add_ps(_mm256_sqrt_ps(half2), _mm256_sqrt_ps(off2)), slack);
        _mm256_storeu_ps(needs + i, _mm256_blendv_ps(endless, needed, finite));
        _mm256_storeu_si256((__m256i *)(void *)(cells + i), cell);
        for (size_t k = i; k < i + 8; ++k) mote_prefetch(grid->distance + cells[k]);
    }
}

MOTE_TARGET_AVX2 static void pick_avx2(const first_grid *grid, const first_columns *columns, double scale, float reach,
                                       first_near *near)
{
    uint32_t cells[FIRST_MOTIONS + 8];
    float needs[FIRST_MOTIONS + 8];
    place_avx2(grid, columns, scale, reach, cells, needs);
    const __m256 part = _mm256_set1_ps(1.0f / FIRST_DISTANCE_PARTS);
    size_t found = 0;
    for (size_t i = 0; i < columns->count; i += 8) {
        // Three bytes beyond the last cell's are read along.
        const __m256i cell = _mm256_loadu_si256((const __m256i *)(const void *)(cells + i));
        __m256i bytes = _mm256_i32gather_epi32((const int *)(const void *)grid->distance, cell, 1);
        __m256 distance = _mm256_cvtepi32_ps(_mm256_and_si256(bytes, _mm256_set1_epi32(0xFF)));
        __m256 is_free = _mm256_cmp_ps(_mm256_loadu_ps(needs + i), _mm256_mul_ps(distance, part), _CMP_LT_OQ);
        uint32_t mask = ~(uint32_t)_mm256_movemask_ps(is_free) & 0xFF;
        if (i + 8 > columns->count) mask &= (1u << (columns->count - i)) - 1;
        if (!mask) continue;
        const __m256i order = mote_compress_lanes(mask);
        const __m256i numbers = _mm256_add_epi32(_mm256_set1_epi32((int)i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        _mm256_storeu_si256((__m256i *)(void *)(near->at + found), _mm256_permutevar8x32_epi32(numbers, order));
        for (int k = 0; k < 6; ++k)
            store_lanes(near->end[k] + found, _mm256_loadu_ps((const float *)columns->axis[k] + i), order);
        found += (size_t)__builtin_popcount(mask);
    }
    near->count = found;
}

// Four planes at a time: each slab's lower ones, then its upper ones.
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

MOTE_TARGET_AVX2 static inline uint64_t mask_avx2(const float from[3], const float to[3])
{
    const __m128 start = _mm_setr_ps(from[0], from[1], from[2], 0);
    __m128 step = _mm_sub_ps(_mm_setr_ps(to[0], to[1], to[2], 1), start);
    const __m128 least = _mm_set1_ps(0x1p-20f), size = _mm_andnot_ps(_mm_set1_ps(-0.0f), step);
    step = _mm_blendv_ps(step, least, _mm_cmplt_ps(size, least));
    const __m128 per_step = _mm_div_ps(_mm_set1_ps(1), step);
    __m128 x_in, x_out, y_in, y_out, z_in, z_out;
    shares_avx2(SPREAD(start, 0), SPREAD(per_step, 0), &x_in, &x_out);
    shares_avx2(SPREAD(start, 1), SPREAD(per_step, 1), &y_in, &y_out);
    shares_avx2(SPREAD(start, 2), SPREAD(per_step, 2), &z_in, &z_out);
    // Rows y = 0 and 1, and 2 and 3, of four x each.
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
            const __m256 end = _mm256_min_ps(last, TWICE(layer_out[z]));
            const uint32_t parts = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(begin, end, _CMP_LE_OQ));
            mask |= (uint64_t)parts << (16 * z + 8 * half);
        }
    }
    return mask;
}

MOTE_TARGET_AVX2 static size_t find_avx2(const first_grid *grid, const first_near *near, size_t begin,
                                         first_finds *finds)
{
    return find(grid, near, begin, mask_avx2, finds);
}

typedef struct lanes3 {
    __m256 x, y, z;
} lanes3;

MOTE_TARGET_AVX2 static inline __m256 corner_lanes(const int16_t corner[FIRST_LANES], float from)
{
    __m256i whole = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)corner));
    return _mm256_sub_ps(_mm256_cvtepi32_ps(whole), _mm256_set1_ps(from));
}

MOTE_TARGET_AVX2 static inline lanes3 load_corner(const first_cluster *cluster, int v, const float from[3])
{
    lanes3 corner = {corner_lanes(cluster->corner[3 * v], from[0]), corner_lanes(cluster->corner[3 * v + 1], from[1]),
                     corner_lanes(cluster->corner[3 * v + 2], from[2])};
    return corner;
}

MOTE_TARGET_AVX2 static inline lanes3 cross_lanes(lanes3 a, lanes3 b)
{
    lanes3 c = {_mm256_sub_ps(_mm256_mul_ps(a.y, b.z), _mm256_mul_ps(a.z, b.y)),
                _mm256_sub_ps(_mm256_mul_ps(a.z, b.x), _mm256_mul_ps(a.x, b.z)),
                _mm256_sub_ps(_mm256_mul_ps(a.x, b.y), _mm256_mul_ps(a.y, b.x))};
    return c;
}

MOTE_TARGET_AVX2 static inline __m256 dot_lanes(lanes3 a, lanes3 b)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y)), _mm256_mul_ps(a.z, b.z));
}

MOTE_TARGET_AVX2 static inline __m256 both_above(__m256 a, __m256 b, __m256 limit)
{
    return _mm256_cmp_ps(_mm256_min_ps(a, b), limit, _CMP_GT_OQ);
}

MOTE_TARGET_AVX2 static uint32_t may_meet_avx2(const first_cluster *cluster, const first_probe *probe)
{
    const lanes3 a = load_corner(cluster, 0, probe->from), b = load_corner(cluster, 1, probe->from),
                 c = load_corner(cluster, 2, probe->from);
    const lanes3 way = {_mm256_set1_ps(probe->way[0]), _mm256_set1_ps(probe->way[1]), _mm256_set1_ps(probe->way[2])};
    const lanes3 bc = cross_lanes(b, c);
    const __m256 u = dot_lanes(way, bc), v = dot_lanes(way, cross_lanes(c, a)), w = dot_lanes(way, cross_lanes(a, b));
    const __m256 start = dot_lanes(a, bc), end = _mm256_sub_ps(start, _mm256_add_ps(_mm256_add_ps(u, v), w));
    const __m256 edge_error = _mm256_set1_ps(probe->edge_error), plane_error = _mm256_set1_ps(probe->plane_error);
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 least = _mm256_min_ps(u, _mm256_min_ps(v, w)), most = _mm256_max_ps(u, _mm256_max_ps(v, w));
    __m256 misses = both_above(_mm256_xor_ps(least, sign), most, edge_error);
    misses = _mm256_or_ps(misses, both_above(start, end, plane_error));
    misses = _mm256_or_ps(misses, both_above(_mm256_xor_ps(start, sign), _mm256_xor_ps(end, sign), plane_error));
    return ~(uint32_t)_mm256_movemask_ps(misses) & 0xFF;
}

static const first_functions functions_avx2 = {unpack_avx2, pick_avx2, find_avx2, may_meet_avx2};

#endif

const first_functions *mote_first_functions_choose(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &functions_avx2;
#endif
    return &mote_first_functions_plain;
}
