// SPDX-License-Identifier: MIT
// The innermost loops over boxes: the cells of many boxes, and one box against many.
//
// WIDE boxes are compared with one by six comparisons, and the indices of those that meet it are stored side by side
// without a branch. What has only the three axes of a box to work on does so in four lanes.

#include "base/wide4.h"
#include "broadphase/box_lanes.h"
#include "broadphase/wide_box.h"

#include <math.h>

_Static_assert((int)BOX_LANES == (int)EIGHT, "blocks are compared as eight boxes");

enum { AHEAD = 16 };  // rows: how far ahead scattered entries are prefetched

// ------------------------------------------------------------------------------------------------ cells of boxes

// The corners of a box, each with a fourth number behind it.
typedef struct box_corners {
    mote_f4 low, high;
} box_corners;

static inline box_corners corners_of_box(const mote_bounds *box)
{
    return (box_corners){f4_load(box->min), f4_rotate(f4_load(box->min + 2))};  // does not read past the end of the box
}

static inline box_corners corners_of_record(const box_record *record)
{
    return (box_corners){f4_load(record->low), f4_load(record->high)};
}

static inline float longest_edge(box_corners at)
{
    const mote_f4 edge = f4_sub(at.high, at.low);
    const float x = f4_lane(edge, 0), y = f4_lane(edge, 1), z = f4_lane(edge, 2), longest = x > y ? x : y;
    return longest > z ? longest : z;
}

// One bit for each axis.
static inline uint32_t axes_at_most(mote_f4 a, mote_f4 b)
{
    return f4_at_most(a, b) & 7;
}

// The bin of a box that belongs to no cell: its size class, or the bin of empty boxes.
static uint32_t class_of(box_corners at, const box_cells *cells)
{
    if (axes_at_most(at.low, at.high) != 7) return cells->cell_count + BOX_CLASSES;
    uint32_t class = 0;
    const float edge = longest_edge(at);
    for (float limit = cells->large * 4; edge > limit && class < BOX_CLASSES - 1; limit *= 4) ++class;
    return cells->cell_count + class;
}

static inline uint32_t cell_of(box_corners at, const box_cells *cells)
{
    const mote_f4 edge = f4_sub(at.high, at.low);
    if ((axes_at_most(edge, f4_set(cells->large)) & axes_at_most(at.low, at.high)) != 7) return class_of(at, cells);
    mote_f4 place = f4_sub(f4_add(at.low, at.high), f4_load(cells->origin));
    place = f4_max(f4_mul(place, f4_load(cells->scale)), f4_set(0));  // NaN becomes 0
    place = f4_min(place, f4_load(cells->most));
    uint32_t number = 0;
    for (int k = 0; k < 3; ++k) number += (uint32_t)f4_whole(place, k) * cells->stride[k];
    return number;
}

static void number_boxes(const mote_bounds *boxes, size_t count, const box_cells *cells, uint32_t *numbers,
                         uint32_t *histogram)
{
    const box_cells own = *cells;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t number = cell_of(corners_of_box(boxes + i), &own);
        numbers[i] = number;
        histogram[number]++;
    }
}

static void number_records(box_record *records, size_t count, const box_cells *cells, uint32_t *histogram)
{
    const box_cells own = *cells;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t number = cell_of(corners_of_record(records + i), &own);
        records[i].cell = number;
        histogram[number]++;
    }
}

static void move_boxes(const mote_bounds *boxes, size_t count, uint32_t first_index, const uint32_t *numbers,
                       uint32_t *next, box_record *to)
{
    for (size_t i = 0; i < count; ++i) {
        const box_corners at = corners_of_box(boxes + i);
        box_record *record = to + next[numbers[i]]++;
        f4_store(record->low, f4_with_last(at.low, first_index + (uint32_t)i));  // and the index behind it
        f4_store(record->high, at.high);
    }
}

static box_bounds bound(const box_record *records, size_t count)
{
    box_corners at = corners_of_record(records), all = at, centre;
    centre.low = centre.high = f4_add(at.low, at.high);
    for (size_t i = 1; i < count; ++i) {
        at = corners_of_record(records + i);
        const mote_f4 middle = f4_add(at.low, at.high);
        all.low = f4_min(at.low, all.low);  // in this order the second operand is kept if the first is NaN
        all.high = f4_max(at.high, all.high);
        centre.low = f4_min(middle, centre.low);
        centre.high = f4_max(middle, centre.high);
    }
    box_bounds bounds;
    f4_store(bounds.low, all.low);
    f4_store(bounds.high, all.high);
    f4_store(bounds.centre_low, centre.low);
    f4_store(bounds.centre_high, centre.high);
    return bounds;
}

// --------------------------------------------------------------------------------------------- one box against many

static inline wide_mask columns_met(const box_columns *columns, size_t i, const wide_box *box)
{
    const float *const low[3] = {columns->low[0], columns->low[1], columns->low[2]};
    const float *const high[3] = {columns->high[0], columns->high[1], columns->high[2]};
    return mote_boxes_met(low, high, i, box);
}

// Which of WIDE boxes of the block, from this lane on, meet the box.
static inline wide_mask lanes_met(const box_block *block, uint32_t lane, const wide_box *box)
{
    const float *const low[3] = {block->low[0], block->low[1], block->low[2]};
    const float *const high[3] = {block->high[0], block->high[1], block->high[2]};
    return mote_boxes_met(low, high, lane, box);
}

static size_t expand(const box_block *level, const uint32_t *list, size_t count, const mote_bounds *box, size_t least,
                     uint32_t *next)
{
    const wide_box wide = mote_widen_box(box->min, box->max);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        const box_block *block = level + list[i];
        const uint32_t first = list[i] * BOX_LANES;
        for (uint32_t lane = 0; lane < BOX_LANES; lane += WIDE) {
            const wide_u32 below = wide_lane_numbers() + (first + lane);
            wide_mask met = lanes_met(block, lane, &wide);
            if (first < least) met = wide_except(met, wide_less(below, wide_all_u32((uint32_t)least)));
            const wide_hits hits = wide_hits_of(met);
            wide_store_front(next + found, below, hits);
            found += wide_hit_count(hits);
        }
    }
    return found;
}

static size_t collect(const box_block *leaves, const uint32_t *indices, const uint32_t *list, size_t count,
                      const mote_bounds *box, uint64_t *keys)
{
    const wide_box wide = mote_widen_box(box->min, box->max);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        const box_block *leaf = leaves + list[i];
        const uint32_t first = list[i] * BOX_LANES;
        for (uint32_t lane = 0; lane < BOX_LANES; lane += WIDE) {
            const wide_hits hits = wide_hits_of(lanes_met(leaf, lane, &wide));
            const wide_u32 places = wide_front_lanes(hits) + (first + lane);
            wide_store_u64(keys + found, wide_front(wide_load(indices + first + lane), hits), places);
            found += wide_hit_count(hits);
        }
    }
    return found;
}

static size_t filter(const box_columns *from, const mote_bounds *box, const box_columns *to)
{
    const wide_box wide = mote_widen_box(box->min, box->max);
    const box_columns in = *from, out = *to;
    size_t kept = 0;
    for (size_t i = 0; i < in.count; i += WIDE) {
        const wide_hits hits = wide_hits_of(columns_met(&in, i, &wide));
        for (int k = 0; k < 3; ++k) {
            wide_store_front(out.low[k] + kept, wide_load(in.low[k] + i), hits);
            wide_store_front(out.high[k] + kept, wide_load(in.high[k] + i), hits);
        }
        wide_store_front(out.index + kept, wide_load(in.index + i), hits);
        if (in.place) wide_store_front(out.place + kept, wide_load(in.place + i), hits);
        kept += wide_hit_count(hits);
    }
    return kept;
}

// Rows against so many columns, a multiple of BOX_LANES; the commonest numbers are passed as constants.
MOTE_INLINE size_t rows_of(const box_record *records, size_t count, const box_columns *columns, size_t column_count,
                           box_row_target *target)
{
    const box_columns in = *columns;
    const size_t room = column_count + BOX_LANES;
    uint32_t *const indices = target->indices, *const counts = target->counts, *const end = target->end;
    uint64_t *const first = target->first;
    uint32_t *out = target->cursor;
    size_t done = 0;
    for (; done < count && (size_t)(end - out) >= room; ++done) {
        const box_record *record = records + done;
        const uint32_t ahead = records[MOTE_MIN(done + AHEAD, count - 1)].index;
        mote_prefetch(first + ahead);
        mote_prefetch(counts + ahead);
        const wide_box box = mote_widen_box(record->low, record->high);
        uint32_t *row = out;
        for (size_t i = 0; i < column_count; i += WIDE) {
            const wide_hits hits = wide_hits_of(columns_met(&in, i, &box));
            wide_store_front(out, wide_load(in.index + i), hits);
            out = wide_past(out, hits);
        }
        first[record->index] = (uint64_t)(row - indices);
        counts[record->index] = (uint32_t)(out - row);
    }
    target->cursor = out;
    return done;
}

static size_t rounded(size_t column_count)
{
    return (column_count + BOX_LANES - 1) / BOX_LANES * BOX_LANES;
}

static size_t rows(const box_record *records, size_t count, const box_columns *columns, box_row_target *target)
{
    const size_t column_count = rounded(columns->count);
    if (column_count == BOX_LANES) return rows_of(records, count, columns, BOX_LANES, target);
    if (column_count == 2 * BOX_LANES) return rows_of(records, count, columns, 2 * BOX_LANES, target);
    return rows_of(records, count, columns, column_count, target);
}

static size_t pairs(const box_block *block, const uint32_t *indices, uint32_t first_place, size_t begin, size_t end,
                    const box_columns *columns, box_pair_target *target)
{
    const box_columns in = *columns;
    const size_t column_count = rounded(in.count), room = column_count + BOX_LANES;
    uint64_t *out = target->cursor;
    size_t lane = begin;
    for (; lane < end && (size_t)(target->end - out) >= room; ++lane) {
        const float low[3] = {block->low[0][lane], block->low[1][lane], block->low[2][lane]};
        const float high[3] = {block->high[0][lane], block->high[1][lane], block->high[2][lane]};
        const wide_box box = mote_widen_box(low, high);
        const wide_u32 own = wide_all_u32(indices[lane]), place = wide_all_u32(first_place + (uint32_t)lane);
        for (size_t i = 0; i < column_count; i += WIDE) {
            const wide_mask is_behind = wide_less(place, wide_load(in.place + i));
            const wide_hits hits = wide_hits_of(wide_both(columns_met(&in, i, &box), is_behind));
            const wide_u32 other = wide_front(wide_load(in.index + i), hits);
            wide_store_u64(out, wide_min(own, other), wide_max(own, other));
            out += wide_hit_count(hits);
        }
    }
    target->cursor = out;
    return lane;
}

const box_lanes WIDE_NAME(mote_box_lanes) = {
    number_boxes, number_records, move_boxes, bound, expand, collect, filter, rows, pairs,
};
