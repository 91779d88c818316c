// SPDX-License-Identifier: MIT
// The innermost loops over boxes: the cells of many boxes, and one box against many.
//
// The vector form compares eight boxes with one by six comparisons; the indices of those that meet are moved to the
// front by a table of permutations and stored without a branch. The scalar form does the same one box after another.

#include "broadphase/box_lanes.h"

#include <math.h>

#include "base/compress.h"

enum { AHEAD = 16 };  // rows: how far ahead scattered entries are prefetched

// ------------------------------------------------------------------------------------------------------- scalar

static inline float longest_edge(const float low[3], const float high[3])
{
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    float longest = x > y ? x : y;
    return longest > z ? longest : z;
}

static inline bool is_box(const float low[3], const float high[3])
{
    return (low[0] <= high[0]) & (low[1] <= high[1]) & (low[2] <= high[2]);
}

// The bin of a box that belongs to no cell: its size class, or the bin of empty boxes.
static uint32_t class_of(const float low[3], const float high[3], const box_cells *cells)
{
    if (!is_box(low, high)) return cells->cell_count + BOX_CLASSES;
    uint32_t class = 0;
    const float edge = longest_edge(low, high);
    for (float limit = cells->large * 4; edge > limit && class < BOX_CLASSES - 1; limit *= 4) ++class;
    return cells->cell_count + class;
}

static inline uint32_t cell_of(const float low[3], const float high[3], const box_cells *cells)
{
    if (!is_box(low, high) || longest_edge(low, high) > cells->large) return class_of(low, high, cells);
    uint32_t number = 0;
    for (int k = 0; k < 3; ++k) {
        float at = ((low[k] + high[k]) - cells->origin[k]) * cells->scale[k];
        at = at > 0 ? at : 0;
        number += (uint32_t)(at < cells->most[k] ? at : cells->most[k]) * cells->stride[k];
    }
    return number;
}

static void number_boxes_plain(const mote_bounds *boxes, size_t count, const box_cells *cells, uint32_t *numbers,
                               uint32_t *histogram)
{
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = cell_of(boxes[i].min, boxes[i].max, cells);
        histogram[numbers[i]]++;
    }
}

static void number_records_plain(box_record *records, size_t count, const box_cells *cells, uint32_t *histogram)
{
    for (size_t i = 0; i < count; ++i) {
        records[i].cell = cell_of(records[i].low, records[i].high, cells);
        histogram[records[i].cell]++;
    }
}

static void move_boxes_plain(const mote_bounds *boxes, size_t count, uint32_t first_index, const uint32_t *numbers,
                             uint32_t *next, box_record *to)
{
    for (size_t i = 0; i < count; ++i) {
        box_record *record = to + next[numbers[i]]++;
        memcpy(record->low, boxes[i].min, sizeof record->low);
        memcpy(record->high, boxes[i].max, sizeof record->high);
        record->index = first_index + (uint32_t)i;
    }
}

static box_bounds bound_plain(const box_record *records, size_t count)
{
    box_bounds bounds = {{0}, {0}, {0}, {0}};
    for (int k = 0; k < 3; ++k) {
        float low = records[0].low[k], high = records[0].high[k], centre_low = low + high, centre_high = low + high;
        for (size_t i = 1; i < count; ++i) {
            const float centre = records[i].low[k] + records[i].high[k];
            low = records[i].low[k] < low ? records[i].low[k] : low;
            high = records[i].high[k] > high ? records[i].high[k] : high;
            centre_low = centre < centre_low ? centre : centre_low;
            centre_high = centre > centre_high ? centre : centre_high;
        }
        bounds.low[k] = low, bounds.high[k] = high;
        bounds.centre_low[k] = centre_low, bounds.centre_high[k] = centre_high;
    }
    return bounds;
}

static inline bool lane_meets(const box_block *block, size_t lane, const float low[3], const float high[3])
{
    bool meets = true;
    for (int k = 0; k < 3; ++k) meets &= (block->low[k][lane] <= high[k]) & (block->high[k][lane] >= low[k]);
    return meets;
}

static inline bool column_meets(const box_columns *columns, size_t at, const float low[3], const float high[3])
{
    bool meets = true;
    for (int k = 0; k < 3; ++k) meets &= (columns->low[k][at] <= high[k]) & (columns->high[k][at] >= low[k]);
    return meets;
}

static size_t expand_plain(const box_block *level, const uint32_t *list, size_t count, const mote_bounds *box,
                           size_t least, uint32_t *next)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t lane = 0; lane < BOX_LANES; ++lane) {
            size_t child = (size_t)list[i] * BOX_LANES + lane;
            next[found] = (uint32_t)child;
            found += child >= least && lane_meets(level + list[i], lane, box->min, box->max);
        }
    return found;
}

static size_t collect_plain(const box_block *leaves, const uint32_t *indices, const uint32_t *list, size_t count,
                            const mote_bounds *box, uint64_t *keys)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t lane = 0; lane < BOX_LANES; ++lane) {
            size_t place = (size_t)list[i] * BOX_LANES + lane;
            keys[found] = (uint64_t)indices[place] << 32 | place;
            found += lane_meets(leaves + list[i], lane, box->min, box->max);
        }
    return found;
}

static size_t filter_plain(const box_columns *from, const mote_bounds *box, const box_columns *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < from->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            to->low[k][kept] = from->low[k][i];
            to->high[k][kept] = from->high[k][i];
        }
        to->index[kept] = from->index[i];
        if (from->place) to->place[kept] = from->place[i];
        kept += column_meets(from, i, box->min, box->max);
    }
    return kept;
}

static size_t rows_plain(const box_record *records, size_t count, const box_columns *columns, box_row_target *target)
{
    const size_t room = columns->count + 2 * BOX_LANES;
    uint32_t *out = target->cursor;
    size_t done = 0;
    for (; done < count && (size_t)(target->end - out) >= room; ++done) {
        const box_record *record = records + done;
        uint32_t *row = out;
        for (size_t i = 0; i < columns->count; ++i) {
            *out = columns->index[i];
            out += column_meets(columns, i, record->low, record->high);
        }
        target->first[record->index] = (uint64_t)(row - target->indices);
        target->counts[record->index] = (uint32_t)(out - row);
    }
    target->cursor = out;
    return done;
}

static size_t pairs_plain(const box_block *block, const uint32_t *indices, uint32_t first_place, size_t begin,
                          size_t end, const box_columns *columns, box_pair_target *target)
{
    const size_t room = columns->count + 2 * BOX_LANES;
    uint64_t *out = target->cursor;
    size_t lane = begin;
    for (; lane < end && (size_t)(target->end - out) >= room; ++lane) {
        float low[3], high[3];
        for (int k = 0; k < 3; ++k) low[k] = block->low[k][lane], high[k] = block->high[k][lane];
        for (size_t i = 0; i < columns->count; ++i) {
            uint32_t a = indices[lane], b = columns->index[i];
            *out = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            out += columns->place[i] > first_place + lane && column_meets(columns, i, low, high);
        }
    }
    target->cursor = out;
    return lane;
}

const box_lanes mote_box_lanes_plain = {
    number_boxes_plain, number_records_plain, move_boxes_plain, bound_plain, expand_plain,
    collect_plain,      filter_plain,         rows_plain,       pairs_plain,
};

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

MOTE_TARGET_AVX2 static inline __m256i load_u32(const uint32_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

MOTE_TARGET_AVX2 static inline void store(void *at, __m256i values)
{
    _mm256_storeu_si256((__m256i *)at, values);
}

// The corners of a box, each with a fourth number behind it.
typedef struct corners {
    __m128 low, high;
} corners;

MOTE_TARGET_AVX2 static inline corners corners_of_box(const mote_bounds *box)
{
    __m128 high = _mm_loadu_ps(box->min + 2);  // does not read past the end of the box
    return (corners){_mm_loadu_ps(box->min), _mm_shuffle_ps(high, high, _MM_SHUFFLE(0, 3, 2, 1))};
}

MOTE_TARGET_AVX2 static inline corners corners_of_record(const box_record *record)
{
    return (corners){_mm_loadu_ps(record->low), _mm_loadu_ps(record->high)};
}

// The parameters of the cells, one vector each.
typedef struct wide_cells {
    __m128 origin, scale, most, large;
} wide_cells;

MOTE_TARGET_AVX2 static inline wide_cells widen_cells(const box_cells *cells)
{
    return (wide_cells){_mm_loadu_ps(cells->origin), _mm_loadu_ps(cells->scale), _mm_loadu_ps(cells->most),
                        _mm_set1_ps(cells->large)};
}

MOTE_TARGET_AVX2 static inline uint32_t cell_of_avx2(corners at, const wide_cells *wide, const box_cells *cells)
{
    __m128 is_small = _mm_cmple_ps(_mm_sub_ps(at.high, at.low), wide->large);
    if ((_mm_movemask_ps(_mm_and_ps(is_small, _mm_cmple_ps(at.low, at.high))) & 7) != 7) {
        float low[4], high[4];
        _mm_storeu_ps(low, at.low);
        _mm_storeu_ps(high, at.high);
        return class_of(low, high, cells);
    }
    __m128 position = _mm_mul_ps(_mm_sub_ps(_mm_add_ps(at.low, at.high), wide->origin), wide->scale);
    position = _mm_min_ps(_mm_max_ps(position, _mm_setzero_ps()), wide->most);  // NaN becomes 0
    __m128i cell = _mm_cvttps_epi32(position);
    return (uint32_t)_mm_extract_epi32(cell, 0) * cells->stride[0] +
           (uint32_t)_mm_extract_epi32(cell, 1) * cells->stride[1] +
           (uint32_t)_mm_extract_epi32(cell, 2) * cells->stride[2];
}

MOTE_TARGET_AVX2 static void number_boxes_avx2(const mote_bounds *boxes, size_t count, const box_cells *cells,
                                               uint32_t *numbers, uint32_t *histogram)
{
    const wide_cells wide = widen_cells(cells);
    const box_cells own = *cells;
    for (size_t i = 0; i < count; ++i) {
        uint32_t number = cell_of_avx2(corners_of_box(boxes + i), &wide, &own);
        numbers[i] = number;
        histogram[number]++;
    }
}

MOTE_TARGET_AVX2 static void number_records_avx2(box_record *records, size_t count, const box_cells *cells,
                                                 uint32_t *histogram)
{
    const wide_cells wide = widen_cells(cells);
    const box_cells own = *cells;
    for (size_t i = 0; i < count; ++i) {
        uint32_t number = cell_of_avx2(corners_of_record(records + i), &wide, &own);
        records[i].cell = number;
        histogram[number]++;
    }
}

MOTE_TARGET_AVX2 static void move_boxes_avx2(const mote_bounds *boxes, size_t count, uint32_t first_index,
                                             const uint32_t *numbers, uint32_t *next, box_record *to)
{
    for (size_t i = 0; i < count; ++i) {
        const corners at = corners_of_box(boxes + i);
        const __m128i low = _mm_insert_epi32(_mm_castps_si128(at.low), (int32_t)(first_index + (uint32_t)i), 3);
        box_record *record = to + next[numbers[i]]++;
        _mm256_storeu_ps(record->low, _mm256_setr_m128(_mm_castsi128_ps(low), at.high));
    }
}

MOTE_TARGET_AVX2 static box_bounds bound_avx2(const box_record *records, size_t count)
{
    corners at = corners_of_record(records), all = at, centre;
    centre.low = centre.high = _mm_add_ps(at.low, at.high);
    for (size_t i = 1; i < count; ++i) {
        at = corners_of_record(records + i);
        __m128 middle = _mm_add_ps(at.low, at.high);
        all.low = _mm_min_ps(at.low, all.low);  // in this order the second operand is kept if the first is NaN
        all.high = _mm_max_ps(at.high, all.high);
        centre.low = _mm_min_ps(middle, centre.low);
        centre.high = _mm_max_ps(middle, centre.high);
    }
    box_bounds bounds;
    _mm_storeu_ps(bounds.low, all.low);
    _mm_storeu_ps(bounds.high, all.high);
    _mm_storeu_ps(bounds.centre_low, centre.low);
    _mm_storeu_ps(bounds.centre_high, centre.high);
    return bounds;
}

// A box, copied to all lanes.
typedef struct wide_box {
    __m256 low[3], high[3];
} wide_box;

MOTE_TARGET_AVX2 static inline wide_box widen(const float low[3], const float high[3])
{
    return (wide_box){{_mm256_set1_ps(low[0]), _mm256_set1_ps(low[1]), _mm256_set1_ps(low[2])},
                      {_mm256_set1_ps(high[0]), _mm256_set1_ps(high[1]), _mm256_set1_ps(high[2])}};
}

// The mask of those of eight boxes that meet the one box.
MOTE_TARGET_AVX2 static inline uint32_t hits_of(const float *low_x, const float *low_y, const float *low_z,
                                                const float *high_x, const float *high_y, const float *high_z,
                                                const wide_box *box)
{
    __m256 x = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(low_x), box->high[0], _CMP_LE_OQ),
                             _mm256_cmp_ps(_mm256_loadu_ps(high_x), box->low[0], _CMP_GE_OQ));
    __m256 y = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(low_y), box->high[1], _CMP_LE_OQ),
                             _mm256_cmp_ps(_mm256_loadu_ps(high_y), box->low[1], _CMP_GE_OQ));
    __m256 z = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(low_z), box->high[2], _CMP_LE_OQ),
                             _mm256_cmp_ps(_mm256_loadu_ps(high_z), box->low[2], _CMP_GE_OQ));
    return (uint32_t)_mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(x, y), z));
}

MOTE_TARGET_AVX2 static inline uint32_t block_hits(const box_block *block, const wide_box *box)
{
    return hits_of(block->low[0], block->low[1], block->low[2], block->high[0], block->high[1], block->high[2], box);
}

MOTE_TARGET_AVX2 static inline uint32_t column_hits(const box_columns *columns, size_t at, const wide_box *box)
{
    return hits_of(columns->low[0] + at, columns->low[1] + at, columns->low[2] + at, columns->high[0] + at,
                   columns->high[1] + at, columns->high[2] + at, box);
}

MOTE_TARGET_AVX2 static size_t expand_avx2(const box_block *level, const uint32_t *list, size_t count,
                                           const mote_bounds *box, size_t least, uint32_t *next)
{
    const wide_box wide = widen(box->min, box->max);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t first = (size_t)list[i] * BOX_LANES;
        uint32_t hits = block_hits(level + list[i], &wide);
        if (first < least) hits = least - first < BOX_LANES ? hits >> (least - first) << (least - first) : 0;
        store(next + found, _mm256_add_epi32(mote_compress_lanes(hits), _mm256_set1_epi32((int32_t)(uint32_t)first)));
        found += (size_t)_mm_popcnt_u32(hits);
    }
    return found;
}

// Stores eight 64-bit numbers made of upper and lower halves.
MOTE_TARGET_AVX2 static inline void store_halves(uint64_t *at, __m256i upper, __m256i lower)
{
    __m256i even = _mm256_unpacklo_epi32(lower, upper), odd = _mm256_unpackhi_epi32(lower, upper);
    store(at, _mm256_permute2x128_si256(even, odd, 0x20));
    store(at + 4, _mm256_permute2x128_si256(even, odd, 0x31));
}

MOTE_TARGET_AVX2 static size_t collect_avx2(const box_block *leaves, const uint32_t *indices, const uint32_t *list,
                                            size_t count, const mote_bounds *box, uint64_t *keys)
{
    const wide_box wide = widen(box->min, box->max);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t first = (size_t)list[i] * BOX_LANES;
        uint32_t hits = block_hits(leaves + list[i], &wide);
        __m256i lanes = mote_compress_lanes(hits);
        __m256i places = _mm256_add_epi32(lanes, _mm256_set1_epi32((int32_t)(uint32_t)first));
        store_halves(keys + found, _mm256_permutevar8x32_epi32(load_u32(indices + first), lanes), places);
        found += (size_t)_mm_popcnt_u32(hits);
    }
    return found;
}

MOTE_TARGET_AVX2 static inline void move_floats(const float *from, size_t at, __m256i lanes, float *to)
{
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + at), lanes));
}

MOTE_TARGET_AVX2 static size_t filter_avx2(const box_columns *from, const mote_bounds *box, const box_columns *to)
{
    const wide_box wide = widen(box->min, box->max);
    const box_columns in = *from, out = *to;
    size_t kept = 0;
    for (size_t i = 0; i < in.count; i += BOX_LANES) {
        uint32_t hits = column_hits(&in, i, &wide);
        __m256i lanes = mote_compress_lanes(hits);
        move_floats(in.low[0], i, lanes, out.low[0] + kept);
        move_floats(in.low[1], i, lanes, out.low[1] + kept);
        move_floats(in.low[2], i, lanes, out.low[2] + kept);
        move_floats(in.high[0], i, lanes, out.high[0] + kept);
        move_floats(in.high[1], i, lanes, out.high[1] + kept);
        move_floats(in.high[2], i, lanes, out.high[2] + kept);
        store(out.index + kept, _mm256_permutevar8x32_epi32(load_u32(in.index + i), lanes));
        if (in.place) store(out.place + kept, _mm256_permutevar8x32_epi32(load_u32(in.place + i), lanes));
        kept += (size_t)_mm_popcnt_u32(hits);
    }
    return kept;
}

// Rows against this many vectors of columns; the commonest numbers are passed as constants.
MOTE_TARGET_AVX2 static inline __attribute__((always_inline)) size_t rows_of(const box_record *records, size_t count,
                                                                             const box_columns *columns,
                                                                             size_t vectors, box_row_target *target)
{
    const box_columns in = *columns;
    const size_t room = (vectors + 1) * BOX_LANES;
    uint32_t *const indices = target->indices, *const counts = target->counts, *const end = target->end;
    uint64_t *const first = target->first;
    uint32_t *out = target->cursor;
    size_t done = 0;
    for (; done < count && (size_t)(end - out) >= room; ++done) {
        const box_record *record = records + done;
        const uint32_t ahead = records[MOTE_MIN(done + AHEAD, count - 1)].index;
        mote_prefetch(first + ahead);
        mote_prefetch(counts + ahead);
        const wide_box box = widen(record->low, record->high);
        uint32_t *row = out;
        for (size_t i = 0; i < vectors * BOX_LANES; i += BOX_LANES) {
            uint32_t hits = column_hits(&in, i, &box);
            store(out, _mm256_permutevar8x32_epi32(load_u32(in.index + i), mote_compress_lanes(hits)));
            out += _mm_popcnt_u32(hits);
        }
        first[record->index] = (uint64_t)(row - indices);
        counts[record->index] = (uint32_t)(out - row);
    }
    target->cursor = out;
    return done;
}

MOTE_TARGET_AVX2 static size_t rows_avx2(const box_record *records, size_t count, const box_columns *columns,
                                         box_row_target *target)
{
    size_t vectors = (columns->count + BOX_LANES - 1) / BOX_LANES;
    if (vectors == 1) return rows_of(records, count, columns, 1, target);
    if (vectors == 2) return rows_of(records, count, columns, 2, target);
    return rows_of(records, count, columns, vectors, target);
}

MOTE_TARGET_AVX2 static size_t pairs_avx2(const box_block *block, const uint32_t *indices, uint32_t first_place,
                                          size_t begin, size_t end, const box_columns *columns,
                                          box_pair_target *target)
{
    const box_columns in = *columns;
    const size_t vectors = (in.count + BOX_LANES - 1) / BOX_LANES, room = (vectors + 1) * BOX_LANES;
    const __m256i flip = _mm256_set1_epi32(INT32_MIN);  // turns the signed comparison into an unsigned one
    uint64_t *out = target->cursor;
    size_t lane = begin;
    for (; lane < end && (size_t)(target->end - out) >= room; ++lane) {
        const float low[3] = {block->low[0][lane], block->low[1][lane], block->low[2][lane]};
        const float high[3] = {block->high[0][lane], block->high[1][lane], block->high[2][lane]};
        const wide_box box = widen(low, high);
        const __m256i own = _mm256_set1_epi32((int32_t)indices[lane]);
        const __m256i place = _mm256_xor_si256(_mm256_set1_epi32((int32_t)(first_place + (uint32_t)lane)), flip);
        for (size_t i = 0; i < vectors * BOX_LANES; i += BOX_LANES) {
            __m256i behind = _mm256_cmpgt_epi32(_mm256_xor_si256(load_u32(in.place + i), flip), place);
            uint32_t hits = column_hits(&in, i, &box) & (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(behind));
            __m256i other = _mm256_permutevar8x32_epi32(load_u32(in.index + i), mote_compress_lanes(hits));
            store_halves(out, _mm256_min_epu32(own, other), _mm256_max_epu32(own, other));
            out += _mm_popcnt_u32(hits);
        }
    }
    target->cursor = out;
    return lane;
}

const box_lanes mote_box_lanes_avx2 = {
    number_boxes_avx2, number_records_avx2, move_boxes_avx2, bound_avx2, expand_avx2,
    collect_avx2,      filter_avx2,         rows_avx2,       pairs_avx2,
};

#endif
