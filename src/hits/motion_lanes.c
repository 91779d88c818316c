// SPDX-License-Identifier: MIT
// Reads motions, converts them to cells, and drops those that stay far from the surface.
//
// A motion is dropped by the ball around it: its midpoint lies in a cell whose centre is far enough from the
// surface. A midpoint outside the grid is moved onto the grid's rim, which brings it closer to everything inside.

#include "base/wide.h"
#include "hits/motion_points.h"
#include "hits/motion_stream.h"

void WIDE_NAME(mote_hits_unpack)(const float *xyz, size_t count, float *const column[3])
{
    enum { PART = MOTE_WIDE_MOST };
    size_t i = 0;
    for (; i + PART <= count; i += PART) {
        for (size_t line = 0; line < 3 * PART; line += 16) mote_prefetch(xyz + 3 * (i + HITS_MOTIONS) + line);
        for (size_t l = i; l < i + PART; l += WIDE) {
            wide_f32 axis[3];
            wide_load_xyz(xyz + 3 * l, axis);
            for (int k = 0; k < 3; ++k) wide_store(column[k] + l, axis[k]);
        }
    }
    for (; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) column[k][i] = xyz[3 * i + k];
}

// Loads records i and following of eight numbers, six coordinates and two more: the coordinates, and the last number.
// Lanes after the last record read that one.
static inline wide_u32 load_records(const float *records, size_t i, size_t count, wide_f32 ends[6])
{
    enum { AHEAD = 64, LINE = 64 / (8 * sizeof(float)) };
    uint32_t first[WIDE], second[WIDE];
    wide_f32 begin[4], end[4];
    const uint32_t most = (uint32_t)(count - 1 - i);
    records += 8 * i;
    for (uint32_t l = 0; l < WIDE; l += LINE) mote_prefetch(records + 8 * (size_t)MOTE_MIN(l + AHEAD, most));
    // Constants, unless there are fewer.
    for (uint32_t l = 0; l < WIDE; ++l) first[l] = 2 * (most + 1 >= WIDE ? l : MOTE_MIN(l, most));
    for (uint32_t l = 0; l < WIDE; ++l) second[l] = first[l] + 1;
    wide_load_columns(records, first, begin);
    wide_load_columns(records, second, end);
    for (int k = 0; k < 4; ++k) ends[k] = begin[k];
    for (int k = 0; k < 2; ++k) ends[4 + k] = end[k];
    return wide_bits_of(end[3]);
}

// The columns have room for MOTE_WIDE_MOST more.
void WIDE_NAME(mote_hits_unpack_records)(const float *records, size_t count, float *const column[6], uint32_t *last)
{
    for (size_t i = 0; i < count; i += WIDE) {
        wide_f32 ends[6];
        wide_store(last + i, load_records(records, i, count, ends));
        for (int k = 0; k < 6; ++k) wide_store(column[k] + i, ends[k]);
    }
}

// ---------------------------------------------------------------------------------------------- lengths to cells

// Converts the caller's coordinates to cells.
typedef struct cell_frame {
    double scale, origin[3], per_edge;
    // The same in float. The part of an origin that a float cannot hold is subtracted separately.
    float float_scale, high[3], low[3], float_per_edge;
} cell_frame;

static inline cell_frame make_cell_frame(const hits_grid *grid, double scale)
{
    cell_frame made = {.scale = scale, .per_edge = grid->per_edge};
    for (int k = 0; k < 3; ++k) {
        made.origin[k] = grid->origin[k];
        made.high[k] = (float)grid->origin[k];
        made.low[k] = (float)(grid->origin[k] - (double)made.high[k]);
    }
    made.float_scale = (float)scale;
    made.float_per_edge = (float)grid->per_edge;
    return made;
}

// Whether coordinates can be converted to cells in float, within HITS_FLOAT_ERROR: four roundings of numbers below
// 2^11 cells. Scaling is exact, except for numbers that end up far beyond the grid; so are differences of those near
// it.
static bool is_float_enough(const hits_grid *grid, double scale)
{
    bool is = scale > 0x1p-60 && scale < 0x1p60 && grid->per_edge < HITS_FLOAT_REACH;
    for (int k = 0; k < 3; ++k) is &= fabs(grid->origin[k]) < 0x1p16;
    return is;
}

static inline wide_f32 to_cells(wide_f32 at, int axis, const cell_frame *frame)
{
    return ((at * frame->float_scale - frame->high[axis]) - frame->low[axis]) * frame->float_per_edge;
}

// Loads coordinates of motions i and following, in cells.
static inline wide_f32 load_floats(const hits_columns *columns, int column, size_t i, const cell_frame *frame)
{
    return to_cells(wide_load((const float *)columns->axis[column] + i), column % 3, frame);
}

static inline wide_f32 load_doubles(const hits_columns *columns, int column, size_t i, const cell_frame *frame)
{
    wide_doubles at;
    if (columns->scalar == MOTE_F32)
        wide_f32_to_f64(wide_load((const float *)columns->axis[column] + i), at.part);
    else
        for (int p = 0; p < WIDE_PARTS; ++p)
            at.part[p] = wide_load((const double *)columns->axis[column] + i + p * WIDE_F64);
    for (int p = 0; p < WIDE_PARTS; ++p)
        at.part[p] = (at.part[p] * frame->scale - frame->origin[column % 3]) * frame->per_edge;
    return wide_f64_to_f32(at.part);
}

// ---------------------------------------------------------------------------------------------------------- picking

// The square of half a motion's length; above it the motion is long.
#define HALF_LENGTH2 (HITS_LENGTH * HITS_LENGTH / 4)

// The first pass: replaces the columns by ends in cells, and computes each motion's cell and the clearance that it
// needs, which is below 0 if it is long.
MOTE_INLINE void place_motions(const hits_grid *grid, const hits_columns *columns, const cell_frame *frame,
                               bool in_float, float reach, uint32_t *cells, float *needs)
{
    const float slack = reach + HITS_FLOAT_ERROR;
    for (size_t i = 0; i < columns->count; i += WIDE) {
        wide_f32 half2 = wide_all(0), middle[3];
        wide_mask is_finite = wide_not(wide_none());
        for (int k = 0; k < 3; ++k) {
            const wide_f32 from = in_float ? load_floats(columns, k, i, frame) : load_doubles(columns, k, i, frame);
            const wide_f32 to =
                in_float ? load_floats(columns, k + 3, i, frame) : load_doubles(columns, k + 3, i, frame);
            wide_store((float *)columns->axis[k] + i, from);
            wide_store((float *)columns->axis[k + 3] + i, to);
            const wide_f32 half = (to - from) * 0.5f;
            half2 += half * half;
            middle[k] = (to + from) * 0.5f;
            is_finite = wide_both(is_finite, wide_at_most(wide_abs(middle[k]), wide_all(3e38f)));
        }
        const wide_mask is_short = wide_at_most(half2, wide_all(HALF_LENGTH2));
        if (columns->are_picked) {
            wide_store(needs + i, wide_select(wide_both(is_finite, is_short), wide_all(1), wide_all(-1)));
            continue;
        }
        const hits_point_cells at = mote_hits_cells_at(grid, middle);
        const wide_f32 needed = (wide_sqrt(half2) + wide_sqrt(at.squared)) + slack;
        wide_store(needs + i, wide_select(is_finite, wide_select(is_short, needed, -needed), wide_all(-HUGE_VALF)));
        wide_store(cells + i, at.number);
        for (size_t l = i; l < i + WIDE; ++l) mote_prefetch(grid->distance + cells[l]);
    }
}

// Half a cell inside the grid's rim, and so half a cell outside everything that may be occupied.
#define RIM 0.5f
// Motions parallel to an axis are tilted by so many cells, which is less than rounding errors.
#define LEAST_STEP 0x1p-20f

// The bits of the long motions from i on that pass the grid, and between which shares; or that reach too far for this
// to be told.
static inline uint32_t pass_grid(const hits_grid *grid, const hits_columns *columns, size_t i, wide_f32 shares[2])
{
    wide_f32 first = wide_all(0), last = wide_all(1);
    wide_mask is_small = wide_not(wide_none());
    for (int k = 0; k < 3; ++k) {
        const wide_f32 from = wide_load((const float *)columns->axis[k] + i);
        const wide_f32 to = wide_load((const float *)columns->axis[k + 3] + i), step = to - from;
        const wide_mask is_across = wide_less(wide_abs(step), wide_all(LEAST_STEP));
        const wide_f32 per_step = 1.0f / wide_select(is_across, wide_all(LEAST_STEP), step);
        const wide_f32 a = (RIM - from) * per_step, b = (((float)grid->size[k] - RIM) - from) * per_step;
        first = wide_max(first, wide_min(a, b));
        last = wide_min(last, wide_max(a, b));
        is_small = wide_both(is_small, wide_less(wide_max(wide_abs(from), wide_abs(to)), wide_all(HITS_FLOAT_REACH)));
    }
    shares[0] = first;
    shares[1] = last;
    return wide_bits(wide_either(wide_at_most(first, last), wide_not(is_small)));
}

// Stores the numbers and ends of those of the motions from i on whose bits are set. Overwrites what follows them.
static inline void store_motions(const hits_columns *columns, size_t i, uint32_t bits, uint32_t *at,
                                 float *const end[6])
{
    wide_store_front(at, wide_lane_numbers() + (uint32_t)i, bits);
    for (int k = 0; k < 6; ++k) wide_store_front(end[k], wide_load((const float *)columns->axis[k] + i), bits);
}

void WIDE_NAME(mote_hits_pick)(const hits_grid *grid, const hits_columns *columns, double scale, float reach,
                               hits_near_motions *near, hits_march *march)
{
    uint32_t cells[HITS_ROOM];
    float needs[HITS_ROOM];
    const cell_frame frame = make_cell_frame(grid, scale);
    if (columns->scalar == MOTE_F32 && is_float_enough(grid, scale))
        place_motions(grid, columns, &frame, true, reach, cells, needs);
    else
        place_motions(grid, columns, &frame, false, reach, cells, needs);
    size_t short_count = 0, long_count = 0;
    for (size_t i = 0; i < columns->count; i += WIDE) {
        const wide_f32 need = wide_load(needs + i);
        wide_mask is_near = wide_not(wide_none());
        if (!columns->are_picked)
            is_near = wide_at_most(mote_hits_distances(grid, wide_load(cells + i)), wide_abs(need));
        const uint32_t near_bits = wide_first(wide_bits(is_near), columns->count - i);
        uint32_t longs = near_bits & wide_bits(wide_less(need, wide_all(0)));
        const uint32_t shorts = near_bits & ~longs;
        if (shorts) {
            float *const end[6] = {near->end[0] + short_count, near->end[1] + short_count, near->end[2] + short_count,
                                   near->end[3] + short_count, near->end[4] + short_count, near->end[5] + short_count};
            store_motions(columns, i, shorts, near->at + short_count, end);
            short_count += wide_bit_count(shorts);
        }
        wide_f32 shares[2] = {wide_all(0), wide_all(1)};
        if (longs && reach == 0 && !columns->are_picked) longs &= pass_grid(grid, columns, i, shares);
        if (longs) {
            float *const end[6] = {march->from[0] + long_count, march->from[1] + long_count,
                                   march->from[2] + long_count, march->to[0] + long_count,
                                   march->to[1] + long_count,   march->to[2] + long_count};
            store_motions(columns, i, longs, march->at + long_count, end);
            wide_store_front(march->first + long_count, shares[0], longs);
            wide_store_front(march->last + long_count, shares[1], longs);
            long_count += wide_bit_count(longs);
        }
    }
    near->count = short_count;
    march->count = long_count;
}

// ---------------------------------------------------------------------------------------------------- sorted motions

// The same as unpacking, picking and setting the shares, in one pass, without short motions to be told apart.
bool WIDE_NAME(mote_hits_march_records)(const hits_grid *grid, double scale, const float *records, size_t count,
                                        hits_march *march)
{
    const cell_frame frame = make_cell_frame(grid, scale);
    if (!is_float_enough(grid, scale)) return false;
    for (size_t i = 0; i < count; i += WIDE) {
        wide_f32 ends[6], half2 = wide_all(0);
        const wide_u32 shares = load_records(records, i, count, ends);
        for (int k = 0; k < 3; ++k) {
            const wide_f32 from = to_cells(ends[k], k, &frame), to = to_cells(ends[k + 3], k, &frame);
            const wide_f32 half = (to - from) * 0.5f;
            half2 += half * half;
            wide_store(march->from[k] + i, from);
            wide_store(march->to[k] + i, to);
        }
        // What is not a number is not short.
        if (wide_first(wide_bits(wide_at_most(half2, wide_all(HALF_LENGTH2))), count - i)) return false;
        const wide_f32 first = wide_i32_to_f32(wide_signed(shares & HITS_SHARES)) * (1.0f / HITS_SHARES);
        const wide_f32 last = wide_i32_to_f32(wide_signed(shares >> 16)) * (1.0f / HITS_SHARES);
        wide_store(march->first + i, first * (1 - 0x1p-20f));
        wide_store(march->last + i, last * (1 + 0x1p-20f));
        wide_store(march->at + i, wide_lane_numbers() + (uint32_t)i);
    }
    march->count = count;
    return true;
}
