// SPDX-License-Identifier: MIT
// Places in a field, WIDE at a time: the block and the cell that each is in, and the weights of the cell's corners. The
// corners themselves, four numbers each, are added place by place. All operations are those of mote_field_find.

#include "base/wide.h"
#include "base/wide4.h"
#include "fluid/field_lanes.h"

static const uint32_t field_lane_numbers[MOTE_WIDE_MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

MOTE_INLINE void field_place_of(const field_still *of, int axis, wide_f32 relative, wide_f64 at[WIDE_PARTS])
{
    wide_f32_to_f64(relative, at);
    for (int p = 0; p < WIDE_PARTS; ++p) at[p] = of->origin[axis] + at[p];
}

// The nodes' numbers of blocks with these keys; UINT32_MAX: it has none, there is no such block, or the lane is not
// wanted.
MOTE_INLINE wide_u32 field_nodes_at(const field_still *of, const wide_u32 key[3], wide_mask is_wanted)
{
    wide_u32 in_grid[3];
    for (int c = 0; c < 3; ++c) {
        in_grid[c] = wide_min_u32(key[c], wide_all_u32(of->size[c] - 1));
        is_wanted = wide_both(is_wanted, wide_equal(in_grid[c], key[c]));
    }
    const wide_u32 slab = in_grid[2] * wide_all_u32(of->size[1]) + in_grid[1];
    const wide_u32 found = wide_gather_u32(of->grid, slab * wide_all_u32(of->size[0]) + in_grid[0]);
    return wide_select(is_wanted, found, wide_all_u32(UINT32_MAX));
}

// Where WIDE places are: in which block and cell of it, how far from the cell's first corner, in its edges, and the
// number of the block's nodes. Places in the box are not before the field's corner, which is the box's, too; beyond the
// last block are no nodes.
typedef struct field_cells {
    wide_u32 cell[3];
    wide_f32 part[3];
    wide_u32 nodes;
} field_cells;

// Cells are counted from the corner of the field on. A block has a power of two of them, by which products are exact,
// and these are block, cell and part of mote_field_find.
MOTE_INLINE field_cells field_find_cells(const field_still *of, const wide_f32 relative[3], bool is_flat)
{
    field_cells cells;
    wide_mask_f64 is_in[WIDE_PARTS];
    wide_u32 key[3];
    const double per_cell = of->per_edge * FIELD_STEPS;
    for (int p = 0; p < WIDE_PARTS; ++p) is_in[p] = wide_at_most(wide_all_f64(0), wide_all_f64(0));
    for (int c = 0; c < 3; ++c) {
        wide_f64 at[WIDE_PARTS], whole[WIDE_PARTS];
        field_place_of(of, c, relative[c], at);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            is_in[p] = wide_both(is_in[p], wide_at_most(wide_all_f64(of->low[c]), at[p]));
            is_in[p] = wide_both(is_in[p], wide_at_most(at[p], wide_all_f64(of->high[c])));
        }
        if (is_flat && c == 1) {
            key[c] = cells.cell[c] = wide_all_u32(0), cells.part[c] = wide_all(0);
            continue;
        }
        for (int p = 0; p < WIDE_PARTS; ++p) at[p] = (at[p] - of->corner[c]) * per_cell;
        const wide_i32 count = wide_f64_to_i32(at);
        wide_i32_to_f64(count, whole);
        for (int p = 0; p < WIDE_PARTS; ++p) at[p] = at[p] - whole[p];
        cells.part[c] = wide_f64_to_f32(at);
        cells.cell[c] = wide_unsigned(count) & wide_all_u32(FIELD_STEPS - 1);
        key[c] = wide_unsigned(count) >> wide_all_u32(FIELD_STEP_BITS);
    }
    cells.nodes = field_nodes_at(of, key, wide_mask_from_f64(is_in));
    return cells;
}

// The lanes that are in cells where something is.
MOTE_INLINE wide_mask field_find_acting(const field_still *of, const field_cells *at, bool is_flat)
{
    const wide_mask has_none = wide_equal(at->nodes, wide_all_u32(UINT32_MAX));
    const wide_u32 side = wide_all_u32(FIELD_STEPS), last = wide_all_u32(31), one = wide_all_u32(1);
    const wide_u32 bit = (is_flat ? at->cell[2] : at->cell[2] * side + at->cell[1]) * side + at->cell[0];
    const wide_u32 index = at->nodes * wide_all_u32(FIELD_CELL_WORDS) + (bit >> wide_all_u32(5));
    const wide_u32 word = wide_gather_u32(of->cells, wide_select(has_none, wide_all_u32(0), index));
    return wide_except(wide_equal(word >> (bit & last) & one, one), has_none);
}

// The lanes whose octants, or the nearest ones, have something within a cell's edge; in floats, as that leaves room for
// rounding.
MOTE_INLINE wide_mask field_find_octants(const field_still *of, const wide_f32 relative[3])
{
    const wide_u32 one = wide_all_u32(1);
    wide_u32 index = wide_all_u32(0), bit = wide_all_u32(0);
    for (int c = 2; c >= 0; --c) {
        const wide_f32 at = (relative[c] - of->near_corner[c]) * of->octants_per_edge;
        const wide_f32 in_grid = wide_max(wide_min(at, wide_all(of->last_octant[c])), wide_all(0));
        const wide_u32 octant = wide_unsigned(wide_f32_to_i32(in_grid));
        index = index * wide_all_u32(of->size[c]) + (octant >> one);
        bit = bit + bit + (octant & one);
    }
    return wide_equal(wide_gather_bytes(of->octants, index) >> bit & one, one);
}

// The lanes that may be in the box, or whose other places may.
MOTE_INLINE wide_mask field_find_near(const field_still *of, const wide_f32 relative[3])
{
    wide_mask is_near = wide_not(wide_none());
    for (int c = 0; c < 3; ++c) {
        is_near = wide_both(is_near, wide_at_most(wide_all(of->near_low[c]), relative[c]));
        is_near = wide_both(is_near, wide_at_most(relative[c], wide_all(of->near_high[c])));
    }
    return is_near;
}

// Whether the places of records are no farther apart than octants allow for. What is not a number counts as close: it
// ends the run.
MOTE_INLINE bool field_are_close(const field_still *of, const fluid_place *places, const fluid_place *others,
                                 size_t count)
{
    wide_f32 apart[4];
    for (int k = 0; k < 4; ++k) apart[k] = wide_all(0);
    for (size_t i = 0; i < count; i += WIDE)
        for (int k = 0; k < 4; ++k) {
            const wide_f32 between = wide_load(&places[i].x + k * WIDE) - wide_load(&others[i].x + k * WIDE);
            apart[k] = wide_max(wide_abs(between), apart[k]);
        }
    wide_mask are_close = wide_not(wide_none());
    for (int k = 0; k < 4; ++k)
        are_close = wide_both(are_close, wide_at_most(apart[k], wide_load(of->farthest + k * WIDE)));
    return !wide_any(wide_not(are_close));
}

static void field_mark(const field_still *of, const fluid_place *places, const fluid_place *others, size_t count,
                       uint32_t *marks)
{
    for (size_t begin = 0; begin < count; begin += 32) {
        const size_t together = MOTE_MIN(count - begin, (size_t)32);
        uint32_t word = 0;
        if (!field_are_close(of, places + begin, others + begin, together)) {
            marks[begin / 32] |= UINT32_MAX >> (32 - together);
            continue;
        }
        for (size_t i = 0; i < together; i += WIDE) {
            wide_f32 column[4];
            wide_load_columns(&places[begin + i].x, field_lane_numbers, column);
            const wide_mask is_near = field_find_near(of, column);
            if (wide_any(is_near)) word |= wide_bits(wide_both(is_near, field_find_octants(of, column))) << i;
        }
        marks[begin / 32] |= word;
    }
}

// Of WIDE places: where the nodes of their cells begin, and corners' weights, in rows along x.
typedef struct field_corners {
    uint32_t first[WIDE];
    float low[4][WIDE], high[4][WIDE];
} field_corners;

// Numbers of nodes have 32 bits (FIELD_MOST_BLOCKS).
// @return the bits of lanes that are in cells where something is
MOTE_INLINE uint32_t field_find_corners(const field_still *of, const wide_f32 relative[3], size_t width, bool is_flat,
                                        field_corners *corners)
{
    const field_cells at = field_find_cells(of, relative, is_flat);
    const wide_u32 side = wide_all_u32(FIELD_SIDE), deep = at.cell[2];
    const wide_u32 of_block = wide_all_u32(is_flat ? FIELD_SIDE * FIELD_SIDE : FIELD_NODES);
    const wide_u32 row = is_flat ? deep : deep * side + at.cell[1];
    const wide_u32 node = at.nodes * of_block + row * side + at.cell[0];
    wide_store(corners->first, node * wide_all_u32((uint32_t)width));
    for (int r = 0; r < (is_flat ? 2 : 4); ++r) {
        const wide_f32 z = (is_flat ? r : r / 2) ? at.part[2] : 1.0f - at.part[2];
        const wide_f32 weight = is_flat ? z : (r % 2 ? at.part[1] : 1.0f - at.part[1]) * z;
        wide_store(corners->low[r], weight * (1.0f - at.part[0]));
        wide_store(corners->high[r], weight * at.part[0]);
    }
    return wide_bits(field_find_acting(of, &at, is_flat));
}

// What is at the lanes that have bits. `width` and `is_flat` are constants where this is called in 3D.
MOTE_INLINE void field_add_corners(const float *nodes, size_t width, bool is_flat, const field_corners *corners,
                                   uint32_t bits, float *values, size_t stride)
{
    const size_t row = width * FIELD_SIDE;
    const size_t rows[4] = {0, row, row * (is_flat ? 1 : FIELD_SIDE), row * (FIELD_SIDE + 1)};
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t l = mote_lowest_bit(bits);
        const float *from = nodes + corners->first[l];
        mote_f4 sum = f4_set(0);
        for (int r = 0; r < (is_flat ? 2 : 4); ++r) {
            const float *node = from + rows[r];
            const mote_f4 low = f4_mul(f4_set(corners->low[r][l]), f4_load(node));
            const mote_f4 high = f4_mul(f4_set(corners->high[r][l]), f4_load(node + width));
            sum = f4_add(sum, f4_add(low, high));
        }
        f4_store(values + l * stride, sum);
    }
}

MOTE_INLINE void field_prefetch_corners(const float *nodes, size_t width, bool is_flat, const field_corners *corners,
                                        uint32_t bits)
{
    const size_t row = width * FIELD_SIDE;
    for (; bits != 0; bits &= bits - 1) {
        const float *from = nodes + corners->first[mote_lowest_bit(bits)];
        mote_prefetch(from);
        mote_prefetch(from + row);
        if (is_flat) continue;
        mote_prefetch(from + row * FIELD_SIDE);
        mote_prefetch(from + row * (FIELD_SIDE + 1));
    }
}

// Nodes of some places are prefetched while those of the places before them are added.
static void field_look(const field_still *of, const fluid_place *places, const uint32_t *numbers, size_t count,
                       float *values, size_t stride, uint32_t *acts)
{
    const float *nodes = of->nodes;
    const size_t width = of->width;
    const bool is_flat = of->is_flat;
    field_corners corners[2];
    uint32_t next = 0;
    for (size_t i = 0; i < count + WIDE; i += WIDE) {
        const uint32_t bits = next;
        const field_corners *found = &corners[(i / WIDE + 1) % 2];
        if (i < count) {
            wide_f32 column[4];
            wide_load_columns(&places->x, numbers + i, column);
            next = field_find_corners(of, column, width, is_flat, &corners[i / WIDE % 2]);
            field_prefetch_corners(nodes, width, is_flat, &corners[i / WIDE % 2], next);
            acts[i / 32] |= next << i % 32;
        }
        if (i == 0) continue;
        for (size_t l = 0; l < WIDE && bits != (1u << WIDE) - 1; ++l) f4_store(values + l * stride, f4_set(0));
        if (is_flat) field_add_corners(nodes, width, true, found, bits, values, stride);
        else if (width == 4) field_add_corners(nodes, 4, false, found, bits, values, stride);
        else field_add_corners(nodes, 3, false, found, bits, values, stride);
        values += WIDE * stride;
    }
}

// ------------------------------------------------------------------------------- accelerations of the solver onderik

MOTE_INLINE wide_f32 field_gather(const float *at, wide_u32 index)
{
    return wide_with_bits(wide_gather_u32((const uint32_t *)(const void *)at, index));
}

// As wall_field.c's on_curve has it.
MOTE_INLINE wide_f32 field_on_curves(const float *curve, wide_f32 share)
{
    const wide_mask is_last = wide_at_most(wide_all(1), share);
    const wide_f32 at = wide_select(is_last, wide_all(0), share * (float)FIELD_CURVE);
    const wide_i32 k = wide_f32_to_i32(at);
    const wide_f32 first = field_gather(curve, wide_unsigned(k));
    const wide_f32 next = field_gather(curve + 1, wide_unsigned(k));
    const wide_f32 between = first + (at - wide_i32_to_f32(k)) * (next - first);
    return wide_select(is_last, wide_all(curve[FIELD_CURVE]), between) * wide_max(share, wide_all(1));
}

// What is twice a pressure, and its slope in the walls around (wall_pressure of onderik_walls.c).
MOTE_INLINE wide_f32 field_wall_pressure(const field_push *of, wide_f32 inside, wide_f32 slope[3])
{
    wide_f64 own[WIDE_PARTS];
    wide_f32_to_f64(inside, own);
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 most = wide_all_f64(of->support_pressure);
        const wide_f64 share = wide_select(wide_less(own[p], most), own[p] / most, wide_all_f64(1));
        own[p] = of->rest_density * share;
    }
    const wide_f32 rise = wide_f64_to_f32(own);
    for (int c = 0; c < 3; ++c) slope[c] = rise * of->g[c];
    return 2.0f * inside;
}

// Adds what a field does to the sums of pressure and drag (sums_where of wall_field.c).
MOTE_INLINE void field_add_sums(const field_push *of, const wide_f32 first[3], wide_f32 both, const wide_f32 slope[3],
                                wide_f32 sums[4])
{
    wide_f64 squared[WIDE_PARTS];
    for (int c = 0; c < 3; ++c) {
        wide_f64 part[WIDE_PARTS];
        wide_f32_to_f64(first[c], part);
        for (int p = 0; p < WIDE_PARTS; ++p) squared[p] = c ? squared[p] + part[p] * part[p] : part[p] * part[p];
    }
    for (int p = 0; p < WIDE_PARTS; ++p) squared[p] = wide_sqrt(squared[p]);
    const wide_f32 size = wide_f64_to_f32(squared), share = size / of->full;
    const wide_mask acts = wide_less(wide_all(0), size);
    const wide_f32 across = field_on_curves(of->across, share), along = field_on_curves(of->along, share);
    wide_f32 part[3], steep = wide_all(0);
    for (int c = 0; c < 3; ++c) part[c] = first[c] / size, steep = steep + part[c] * slope[c];
    for (int c = 0; c < 3; ++c) {
        const wide_f32 pressure = both * first[c] + along * slope[c] + (across - along) * steep * part[c];
        sums[c] = sums[c] + wide_select(acts, pressure, wide_all(0));
    }
    sums[3] = sums[3] + wide_select(acts, field_on_curves(of->drag, share), wide_all(0));
}

static void field_find_push(const field_push *of, const uint32_t *numbers, size_t count, const float *values,
                            size_t stride, float *found)
{
    uint32_t rows[WIDE];
    for (size_t l = 0; l < WIDE; ++l) rows[l] = (uint32_t)(l * (stride / 4));
    for (size_t i = 0; i < count; i += WIDE, values += WIDE * stride, found += WIDE * stride) {
        const wide_u32 who = wide_load(numbers + i);
        wide_f32 slope[3], sums[4], a[4];
        const wide_f32 both = field_wall_pressure(of, field_gather(of->pressure, who), slope);
        for (int c = 0; c < 4; ++c) sums[c] = wide_all(0);
        for (uint32_t k = 0; k < of->field_count; ++k) {
            wide_f32 first[4];
            wide_load_columns(values + k * FIELD_STRIDE, rows, first);
            field_add_sums(of, first, both, slope, sums);
        }
        wide_f64 density[WIDE_PARTS], push[WIDE_PARTS], viscous[WIDE_PARTS];
        wide_f32_to_f64(field_gather(of->density, who), density);
        for (int p = 0; p < WIDE_PARTS; ++p) push[p] = of->push / density[p], viscous[p] = of->viscous / density[p];
        const wide_f32 wall_push = wide_f64_to_f32(push);
        const wide_f32 wall_drag = wide_f64_to_f32(viscous) * of->wall_drag * sums[3];
        for (int c = 0; c < 3; ++c) {
            const wide_f32 predicted =
                field_gather(of->velocity[c], who) + of->half_step * field_gather(of->acceleration[c], who);
            a[c] = wall_push * sums[c] - wall_drag * predicted;
        }
        a[3] = wide_all(0);
        wide_store_rows(found, stride, a);
    }
}

const field_lanes WIDE_NAME(mote_field_lanes) = {WIDE, field_mark, field_look, field_find_push};
