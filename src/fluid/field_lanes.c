// SPDX-License-Identifier: MIT
// Places in a field, WIDE at a time: the block and the cell that each is in, and the weights of the cell's corners. The
// corners themselves, four numbers each, are added place by place. All operations are those of mote_field_find.

#include "base/wide.h"
#include "base/wide4.h"
#include "fluid/field_lanes.h"

static const uint32_t field_lane_numbers[MOTE_WIDE_MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Where places are along an axis, in edges of a block from the corner on.
MOTE_INLINE void field_in_blocks(const field_still *of, int axis, const wide_f64 at[WIDE_PARTS], wide_f64 u[WIDE_PARTS])
{
    for (int p = 0; p < WIDE_PARTS; ++p) u[p] = (at[p] - of->corner[axis]) * of->per_edge;
}

MOTE_INLINE void field_place_of(const field_still *of, int axis, wide_f32 relative, wide_f64 at[WIDE_PARTS])
{
    wide_f32_to_f64(relative, at);
    for (int p = 0; p < WIDE_PARTS; ++p) at[p] = of->origin[axis] + at[p];
}

// The nodes' numbers of blocks with these keys; UINT32_MAX: it has none, or there is no such block.
MOTE_INLINE wide_u32 field_nodes_at(const field_still *of, const wide_i32 key[3])
{
    const wide_u32 none = wide_all_u32(UINT32_MAX);
    wide_u32 k[3];
    wide_mask is_in = wide_not(wide_none());
    for (int c = 0; c < 3; ++c) {
        k[c] = wide_unsigned(key[c]);
        is_in = wide_both(is_in, wide_less(k[c], wide_all_u32(of->size[c])));
    }
    const wide_u32 index = (k[2] * wide_all_u32(of->size[1]) + k[1]) * wide_all_u32(of->size[0]) + k[0];
    const wide_u32 found = wide_gather_u32(of->grid, wide_select(is_in, index, wide_all_u32(0)));
    return wide_select(is_in, found, none);
}

static void field_mark(const field_still *of, const fluid_place *places, size_t count, uint32_t *marks)
{
    for (size_t i = 0; i < count; i += WIDE) {
        wide_f32 column[4];
        wide_load_columns(&places[i].x, field_lane_numbers, column);
        wide_mask is_near = wide_not(wide_none());
        for (int c = 0; c < 3; ++c) {
            is_near = wide_both(is_near, wide_at_most(wide_all(of->near_low[c]), column[c]));
            is_near = wide_both(is_near, wide_at_most(column[c], wide_all(of->near_high[c])));
        }
        if (!wide_any(is_near)) continue;
        wide_i32 key[3];
        for (int c = 0; c < 3; ++c) {
            wide_f64 at[WIDE_PARTS], u[WIDE_PARTS];
            field_place_of(of, c, column[c], at);
            field_in_blocks(of, c, at, u);
            key[c] = wide_f64_to_i32(u);
        }
        if (of->is_flat) key[1] = wide_all_i32(0);
        const wide_mask has_none = wide_equal(field_nodes_at(of, key), wide_all_u32(UINT32_MAX));
        marks[i / 32] |= wide_bits(wide_except(is_near, has_none)) << i % 32;
    }
}

// Of WIDE places: the nodes' numbers of their blocks, the first corners within, and corners' weights, in rows along x.
// Places in the box are not before the field's corner, which is the box's, too; beyond the last block are no nodes.
typedef struct field_corners {
    uint32_t nodes[WIDE], first[WIDE];
    float low[4][WIDE], high[4][WIDE];
} field_corners;

MOTE_INLINE void field_find_corners(const field_still *of, const wide_f32 relative[3], field_corners *corners)
{
    wide_mask_f64 is_in[WIDE_PARTS];
    wide_i32 key[3], cell[3];
    wide_f32 part[3];
    for (int p = 0; p < WIDE_PARTS; ++p) is_in[p] = wide_at_most(wide_all_f64(0), wide_all_f64(0));
    for (int c = 0; c < 3; ++c) {
        wide_f64 at[WIDE_PARTS], u[WIDE_PARTS], whole[WIDE_PARTS], inside[WIDE_PARTS];
        field_place_of(of, c, relative[c], at);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            is_in[p] = wide_both(is_in[p], wide_at_most(wide_all_f64(of->low[c]), at[p]));
            is_in[p] = wide_both(is_in[p], wide_at_most(at[p], wide_all_f64(of->high[c])));
        }
        if (of->is_flat && c == 1) {
            key[c] = cell[c] = wide_all_i32(0), part[c] = wide_all(0);
            continue;
        }
        field_in_blocks(of, c, at, u);
        key[c] = wide_f64_to_i32(u);
        wide_i32_to_f64(key[c], whole);
        for (int p = 0; p < WIDE_PARTS; ++p) inside[p] = (u[p] - whole[p]) * FIELD_STEPS;
        cell[c] = wide_min(wide_f64_to_i32(inside), wide_all_i32(FIELD_STEPS - 1));
        wide_i32_to_f64(cell[c], whole);
        for (int p = 0; p < WIDE_PARTS; ++p) inside[p] = inside[p] - whole[p];
        part[c] = wide_f64_to_f32(inside);
    }
    const wide_u32 found = field_nodes_at(of, key);
    wide_store(corners->nodes, wide_select(wide_mask_from_f64(is_in), found, wide_all_u32(UINT32_MAX)));
    const wide_u32 side = wide_all_u32(FIELD_SIDE), deep = wide_unsigned(cell[2]);
    const wide_u32 row = of->is_flat ? deep : deep * side + wide_unsigned(cell[1]);
    wide_store(corners->first, row * side + wide_unsigned(cell[0]));
    for (int r = 0; r < (of->is_flat ? 2 : 4); ++r) {
        const wide_f32 z = (of->is_flat ? r : r / 2) ? part[2] : 1.0f - part[2];
        const wide_f32 weight = of->is_flat ? z : (r % 2 ? part[1] : 1.0f - part[1]) * z;
        wide_store(corners->low[r], weight * (1.0f - part[0]));
        wide_store(corners->high[r], weight * part[0]);
    }
}

static void field_look(const field_still *of, const fluid_place *places, const uint32_t *numbers, size_t count,
                       float *values, size_t stride)
{
    const size_t width = of->width, row = width * FIELD_SIDE;
    const size_t rows[4] = {0, row, row * (of->is_flat ? 1 : FIELD_SIDE), row * (FIELD_SIDE + 1)};
    for (size_t i = 0; i < count; i += WIDE) {
        wide_f32 column[4];
        field_corners corners;
        wide_load_columns(&places->x, numbers + i, column);
        field_find_corners(of, column, &corners);
        for (size_t l = 0; l < WIDE; ++l) {
            mote_f4 sum = f4_set(0);
            if (corners.nodes[l] != UINT32_MAX) {
                const float *from = of->nodes + corners.nodes[l] * of->of_block + width * corners.first[l];
                for (int r = 0; r < (of->is_flat ? 2 : 4); ++r) {
                    const float *node = from + rows[r];
                    const mote_f4 low = f4_mul(f4_set(corners.low[r][l]), f4_load(node));
                    const mote_f4 high = f4_mul(f4_set(corners.high[r][l]), f4_load(node + width));
                    sum = f4_add(sum, f4_add(low, high));
                }
            }
            f4_store(values + (i + l) * stride, sum);
        }
    }
}

const field_lanes WIDE_NAME(mote_field_lanes) = {WIDE, field_mark, field_look};
