// SPDX-License-Identifier: MIT
// Finds the cells of many points in a dense table: the result of mote_dense_key for mote_cell_of, WIDE at a time.
//
// Coordinates are subtracted, multiplied in double and rounded down, as in these functions, so every form gives the
// same keys. Cell coordinates must fit 32 bits.

#include "base/wide.h"
#include "neighbors/grid_sort.h"

// Tells whether the points are x, y, z, x, y, z, … without gaps.
static bool is_packed(const mote_points *points)
{
    const char *const *axis = (const char *const *)points->axis;
    return points->dimensions == 3 && points->stride == 12 && axis[1] == axis[0] + 4 && axis[2] == axis[0] + 8 &&
           (uintptr_t)axis[0] % sizeof(float) == 0;
}

// Loads WIDE points from point i on; if fewer are left, the last one several times.
static inline void load_points(const mote_points *points, size_t i, size_t left, bool packed, wide_f32 at[3])
{
    if (packed && left >= WIDE) {
        wide_load_xyz((const float *)points->axis[0] + 3 * i, at);
        return;
    }
    for (int k = 0; k < points->dimensions; ++k) {
        float lane[WIDE];
        const char *from = (const char *)points->axis[k] + (ptrdiff_t)i * points->stride;
        if (points->stride == sizeof(float) && (uintptr_t)from % sizeof(float) == 0 && left >= WIDE) {
            at[k] = wide_load((const float *)(const void *)from);
            continue;
        }
        for (size_t l = 0; l < WIDE; ++l) {
            lane[l] = mote_load_f32(from);
            if (l + 1 < left) from += points->stride;
        }
        at[k] = wide_load(lane);
    }
}

// @param guests   points may lie outside the box, and then have NO_KEY
MOTE_INLINE wide_u32 find_keys(const cell_sort *sort, const wide_f32 at[3], const bool guests)
{
    wide_u32 keys = wide_all_u32(0);
    wide_mask outside = wide_none();
    uint32_t step = 1;  // step of the key from one cell to the next along the axis
    for (int k = 0; k < sort->dimensions; ++k) {
        const double least = (double)sort->base[k] - 1, most = (double)sort->base[k] + sort->size[k];
        wide_f64 part[WIDE_PARTS];
        wide_f32_to_f64(at[k], part);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            part[p] = (part[p] - sort->origin[k]) * sort->inverse_edge;
            if (guests) part[p] = wide_min(wide_max(part[p], wide_all_f64(least)), wide_all_f64(most));
        }
        const wide_u32 cell = wide_unsigned(wide_floor_i32(part)) - (uint32_t)sort->base[k];
        if (guests) outside = wide_either(outside, wide_not(wide_less(cell, wide_all_u32(sort->size[k]))));
        keys += cell * step;
        step *= sort->size[k];
    }
    return guests ? wide_select(outside, wide_all_u32(NO_KEY), keys) : keys;
}

MOTE_INLINE void find_all_keys(const cell_sort *sort, const mote_points *points, size_t begin, size_t count,
                               uint32_t *keys, const bool guests)
{
    const bool packed = is_packed(points);
    for (size_t done = 0; done < count; done += WIDE) {
        const size_t left = count - done;
        wide_f32 at[3];
        load_points(points, begin + done, left, packed, at);
        uint32_t last[WIDE];
        wide_store(left < WIDE ? last : keys + done, find_keys(sort, at, guests));
        if (left < WIDE) memcpy(keys + done, last, left * sizeof *keys);
    }
}

void WIDE_NAME(mote_near_keys)(const cell_sort *sort, const mote_points *points, size_t begin, size_t count,
                               uint32_t *keys)
{
    find_all_keys(sort, points, begin, count, keys, false);
}

void WIDE_NAME(mote_guest_keys)(const cell_sort *sort, const mote_points *points, size_t begin, size_t count,
                                uint32_t *keys)
{
    find_all_keys(sort, points, begin, count, keys, true);
}
