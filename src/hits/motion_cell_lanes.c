// SPDX-License-Identifier: MIT
// Finds the cells that short motions pass, and which parts of them. A group of motions goes through each stage
// together, so that memory accesses overlap. The stages find which of the cells around a motion are occupied, which of
// their slabs it crosses, and which parts of their nodes it passes.

#include "base/wide.h"
#include "hits/motion_lanes.h"

_Static_assert(HITS_GROUP % WIDE == 0 && WIDE <= 8, "columns have room for eight more");

// Parts of a node are enlarged by this [parts], which is more than the error of a motion's ends.
#define PART_SLACK (8 * HITS_FLOAT_ERROR)

// A group of motions while their visits are found. Motions are counted from the group's first, times two.
typedef struct cell_group {
    // Of each motion: from x, y, z, 0, to x, y, z, 0, from the corner of its lowest cell; and that cell.
    float end[HITS_GROUP][8];
    uint32_t low[3][HITS_GROUP];
    // Rows along x with occupied cells: their first cells, and bits: 0 and up: which cells are occupied; 8 and 16 up: y
    // and z beyond the lowest cell.
    uint32_t row_motion[HITS_ROWS + 8], row_cell[HITS_ROWS + 8], row_bits[HITS_ROWS + 8];
    size_t row_count;
    // Visits: the occupied cells, later those whose slabs are crossed: x, y, z beyond the lowest cell, a byte each; the
    // slab's normal, a byte each, and its bounds, low << 0 | high << 16; and ends from the cell's corner.
    uint32_t motion[HITS_VISITS], node[HITS_VISITS], place[HITS_VISITS], normal[HITS_VISITS], bounds[HITS_VISITS];
    float at[6][HITS_VISITS];
} cell_group;

// ------------------------------------------------------------------------------------------------- occupied cells

// The cells around WIDE motions.
typedef struct cells_around {
    wide_mask valid;
    wide_u32 first;      // the lowest one's number
    wide_i32 more[3];    // how many more there are along each axis
    int32_t most[3];     // maximum of `more`
} cells_around;

// Finds the cells around motions i and following, up to `end`, and puts these motions into the group.
static inline void find_cells(const hits_grid *grid, const hits_near_motions *near, size_t i, size_t end,
                              cells_around *made, cell_group *group, size_t at)
{
    wide_f32 from[4], to[4];
    wide_i32 low[3];
    wide_mask valid = wide_less(wide_signed(wide_lane_numbers()), wide_all_i32((int32_t)(end - i)));
    for (int k = 0; k < 3; ++k) {
        const float most = (float)grid->size[k];
        from[k] = wide_load(near->end[k] + i);
        to[k] = wide_load(near->end[k + 3] + i);
        const wide_f32 least = wide_greater(wide_lesser(from[k], to[k]) - HITS_FLOAT_ERROR, wide_all(0));
        const wide_f32 rim = wide_all(most - HITS_FLOAT_ERROR);
        const wide_f32 last = wide_lesser(wide_greater(from[k], to[k]) + HITS_FLOAT_ERROR, rim);
        low[k] = wide_f32_to_i32(wide_lesser(least, wide_all(most)));
        made->more[k] = wide_f32_to_i32(wide_floor(wide_greater(last, wide_all(-1)))) - low[k];
        valid = wide_except(valid, wide_less(made->more[k], wide_all_i32(0)));
        from[k] -= wide_i32_to_f32(low[k]);
        to[k] -= wide_i32_to_f32(low[k]);
        wide_store(group->low[k] + at, wide_unsigned(low[k]));
    }
    from[3] = to[3] = wide_all(0);
    wide_store_rows(group->end[at], 8, from);
    wide_store_rows(group->end[at] + 4, 8, to);
    for (int k = 0; k < 3; ++k) {
        made->more[k] = wide_select(valid, made->more[k], wide_all_i32(0));
        made->most[k] = (int32_t)wide_greatest(wide_i32_to_f32(made->more[k]));
    }
    const wide_u32 row = wide_unsigned(low[2]) * grid->size[1] + wide_unsigned(low[1]);
    made->first = wide_select(valid, row * grid->size[0] + wide_unsigned(low[0]), wide_all_u32(0));
    made->valid = valid;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { HAS_LOW_BYTE_FIRST = 0 };
#else
enum { HAS_LOW_BYTE_FIRST = 1 };
#endif

// Bits of three cells from `cell` on, which may lie in two words.
static uint32_t bits_across(const hits_grid *grid, uint32_t cell)
{
    const hits_word *word = &grid->words[cell / 64];
    const uint32_t at = cell % 64;
    return (uint32_t)(word->bits >> at | (at ? word[1].bits << (64 - at) : 0));
}

// The bits of cells and of those that follow them along x. `across`: bits of the lanes whose cells lie in two words.
static inline wide_u32 occupied_bits(const hits_grid *grid, wide_u32 cell, uint32_t across)
{
    // 32 bits, from the byte that contains the first cell.
    const wide_u32 byte = ((cell >> 6) << 4) + ((cell & 63) >> 3);
    const wide_u32 bits = wide_gather_bytes(grid->words, byte) >> (cell & 7);
    if (!HAS_LOW_BYTE_FIRST) across = (1u << WIDE) - 1;
    if (!across) return bits;
    uint32_t cells[WIDE], corrected[WIDE];
    wide_store(cells, cell);
    wide_store(corrected, bits);
    for (; across; across &= across - 1)
        corrected[mote_lowest_bit(across)] = bits_across(grid, cells[mote_lowest_bit(across)]);
    return wide_load(corrected);
}

// Adds the rows of WIDE motions, the first of which is number `motion` of the group, that have occupied cells.
static inline void add_rows(const hits_grid *grid, const cells_around *cells, size_t motion, cell_group *group)
{
    const wide_u32 motions = (wide_lane_numbers() + (uint32_t)motion) * 2;
    const wide_u32 wanted = (wide_all_u32(2) << wide_unsigned(cells->more[0])) - 1;
    for (int32_t z = 0; z <= cells->most[2]; ++z)
        for (int32_t y = 0; y <= cells->most[1]; ++y) {
            const wide_mask ends = wide_either(wide_less(cells->more[1], wide_all_i32(y)),
                                               wide_less(cells->more[2], wide_all_i32(z)));
            const wide_mask has = wide_except(cells->valid, ends);
            const uint32_t offset = ((uint32_t)z * grid->size[1] + (uint32_t)y) * grid->size[0];
            const wide_u32 cell = wide_select(has, cells->first + offset, wide_all_u32(0));
            const wide_mask is_across = wide_less(wide_all_i32(63), wide_signed(cell & 63) + cells->more[0]);
            wide_u32 bits = occupied_bits(grid, cell, wide_bits(wide_both(has, is_across)));
            bits = wide_select(has, bits & wanted, wide_all_u32(0));
            const uint32_t occupied = wide_bits(wide_less(wide_all_i32(0), wide_signed(bits)));
            wide_store_front(group->row_motion + group->row_count, motions, occupied);
            wide_store_front(group->row_cell + group->row_count, cell, occupied);
            bits = bits | ((uint32_t)y << 8 | (uint32_t)z << 16);
            wide_store_front(group->row_bits + group->row_count, bits, occupied);
            group->row_count += wide_bit_count(occupied);
        }
}

static void find_rows(const hits_grid *grid, const hits_near_motions *near, size_t begin, size_t end, cell_group *group)
{
    cells_around cells[HITS_GROUP / WIDE];
    for (size_t i = begin; i < end; i += WIDE) {
        cells_around *made = &cells[(i - begin) / WIDE];
        uint32_t first[WIDE];
        find_cells(grid, near, i, end, made, group, i - begin);
        wide_store(first, made->first);
        for (int l = 0; l < WIDE; ++l) {
            mote_prefetch(grid->words + first[l] / 64);
            mote_prefetch(grid->words + (first[l] + grid->size[0] * grid->size[1]) / 64);
        }
    }
    group->row_count = 0;
    for (size_t i = begin; i < end; i += WIDE) add_rows(grid, &cells[(i - begin) / WIDE], i - begin, group);
}

// Makes visits of the occupied cells of all rows. Returns their number.
static size_t visit_rows(const hits_grid *grid, cell_group *group)
{
    size_t count = 0;
    for (size_t r = 0; r < group->row_count; ++r) {
        const uint32_t motion = group->row_motion[r], cell = group->row_cell[r], bits = group->row_bits[r];
        for (uint32_t x = 0; x < 3; ++x) {
            group->motion[count] = motion;
            group->node[count] = cell + x;
            group->place[count] = (bits & 0xFFFF00) + x;
            count += bits >> x & 1;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        group->node[i] = mote_hits_grid_rank(grid, group->node[i]);
        mote_prefetch(grid->nodes + group->node[i]);
    }
    // Vectors at the end read what follows the last one.
    wide_store(group->motion + count, wide_all_u32(0));
    return count;
}

// ---------------------------------------------------------------------------------------------------------- slabs

static void load_slabs(const hits_grid *grid, size_t count, cell_group *group)
{
    for (size_t i = 0; i < count; ++i) {
        const hits_node *node = &grid->nodes[group->node[i]];
        // Compilers make one load of all four bytes.
        const uint8_t *normal = (const uint8_t *)node->normal;
        group->normal[i] = normal[0] | (uint32_t)normal[1] << 8 | (uint32_t)normal[2] << 16 | (uint32_t)normal[3] << 24;
        group->bounds[i] = (uint32_t)(uint16_t)node->low | (uint32_t)(uint16_t)node->high << 16;
        mote_prefetch(grid->masks + node->first);
        mote_prefetch(grid->clusters + node->first);
    }
}

// The byte or the two bytes of each number whose highest bit is bit `top`.
static inline wide_f32 signed_part(wide_u32 v, int top, int bits)
{
    return wide_i32_to_f32(wide_signed(v << (31 - top)) >> (32 - bits));
}

// Whether motions cross the slabs of cells, or touch them: not those that stay on one side.
static inline wide_mask crosses_slabs(wide_u32 normals, wide_u32 bounds, const wide_f32 from[3], const wide_f32 to[3])
{
    const wide_f32 x = signed_part(normals, 7, 8), y = signed_part(normals, 15, 8), z = signed_part(normals, 23, 8);
    const wide_f32 size = (wide_abs(x) + wide_abs(y)) + wide_abs(z);
    const wide_f32 start = (((from[0] - 0.5f) * x + (from[1] - 0.5f) * y) + (from[2] - 0.5f) * z) * HITS_SLAB_PARTS;
    const wide_f32 end = (((to[0] - 0.5f) * x + (to[1] - 0.5f) * y) + (to[2] - 0.5f) * z) * HITS_SLAB_PARTS;
    const wide_f32 slack = size * (HITS_SLAB_PARTS * HITS_FLOAT_ERROR) + 1;
    const wide_mask reaches_low = wide_at_most(signed_part(bounds, 15, 16) - slack, wide_greater(start, end));
    const wide_mask reaches_high = wide_at_most(wide_lesser(start, end), signed_part(bounds, 31, 16) + slack);
    return wide_either(wide_equal(size, wide_all(0)), wide_both(reaches_low, reaches_high));
}

// Keeps the visits whose slabs are crossed, and computes their ends.
static size_t cross_slabs(size_t count, cell_group *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i += WIDE) {
        const wide_u32 place = wide_load(group->place + i);
        wide_f32 from[4], to[4];
        wide_load_columns(group->end[0], group->motion + i, from);
        wide_load_columns(group->end[0] + 4, group->motion + i, to);
        for (int k = 0; k < 3; ++k) {
            const wide_f32 corner = wide_i32_to_f32(wide_signed(place >> (8 * k) & 0xFF));
            from[k] -= corner;
            to[k] -= corner;
        }
        const wide_mask crosses = crosses_slabs(wide_load(group->normal + i), wide_load(group->bounds + i), from, to);
        const uint32_t bits = wide_first(wide_bits(crosses), count - i);
        wide_store_front(group->motion + kept, wide_load(group->motion + i), bits);
        wide_store_front(group->node + kept, wide_load(group->node + i), bits);
        wide_store_front(group->place + kept, place, bits);
        for (int k = 0; k < 3; ++k) {
            wide_store_front(group->at[k] + kept, from[k], bits);
            wide_store_front(group->at[k + 3] + kept, to[k], bits);
        }
        kept += wide_bit_count(bits);
    }
    return kept;
}

// ---------------------------------------------------------------------------------------------------------- parts

// The shares of motions at which they enter and leave each of four layers of parts.
typedef struct layer_shares {
    wide_f32 in[4], out[4];
} layer_shares;

// A motion parallel to a layer is tilted, by less than the slack.
static inline layer_shares shares_of(wide_f32 from, wide_f32 to)
{
    const wide_f32 least = wide_all(0x1p-20f), step = to - from;
    const wide_f32 per_step = 1.0f / wide_select(wide_less(wide_abs(step), least), least, step);
    layer_shares made;
    for (int p = 0; p < 4; ++p) {
        const wide_f32 a = (((float)p - PART_SLACK) - from) * per_step;
        const wide_f32 b = (((float)(p + 1) + PART_SLACK) - from) * per_step;
        made.in[p] = wide_lesser(a, b);
        made.out[p] = wide_greater(a, b);
    }
    return made;
}

// The parts that motions pass: those for which the share intervals of three layers, and 0 … 1, overlap. They are bits
// of two numbers.
static inline void parts_passed(const wide_f32 from[3], const wide_f32 to[3], wide_u32 parts[2])
{
    const layer_shares x = shares_of(from[0], to[0]), y = shares_of(from[1], to[1]), z = shares_of(from[2], to[2]);
    for (int half = 0; half < 2; ++half) {
        parts[half] = wide_all_u32(0);
        for (int row = 7; row >= 0; --row) {
            const int at_z = 2 * half + row / 4;
            const wide_f32 in = wide_greater(wide_greater(z.in[at_z], wide_all(0)), y.in[row % 4]);
            const wide_f32 out = wide_lesser(wide_lesser(z.out[at_z], wide_all(1)), y.out[row % 4]);
            for (int p = 3; p >= 0; --p) {
                const wide_mask passes = wide_at_most(wide_greater(x.in[p], in), wide_lesser(x.out[p], out));
                parts[half] = wide_push(parts[half], passes);
            }
        }
    }
}

// Lists the visits that pass non-empty parts of their cells, with these parts.
static void pass_parts(const hits_grid *grid, const cell_group *group, size_t begin, size_t count,
                       hits_candidates *candidates)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i += WIDE) {
        wide_f32 from[3], to[3];
        wide_u32 parts[2];
        for (int k = 0; k < 3; ++k) {
            from[k] = wide_load(group->at[k] + i) * 4;
            to[k] = wide_load(group->at[k + 3] + i) * 4;
        }
        parts_passed(from, to, parts);
        wide_store_u64(candidates->masks + i, parts[1], parts[0]);
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t motion = group->motion[i] / 2, node = group->node[i], place = group->place[i];
        const uint64_t mask = candidates->masks[i] & grid->nodes[node].mask;
        hits_cell_visit *visit = &candidates->visits[kept];
        visit->motion = (uint32_t)begin + motion;
        visit->node = node;
        for (int k = 0; k < 3; ++k) visit->cell[k] = (int16_t)(group->low[k][motion] + (place >> 8 * k & 0xFF));
        candidates->masks[kept] = mask;
        kept += mask != 0;
    }
    candidates->visit_count = kept;
}

void WIDE_NAME(mote_hits_cells_visit)(const hits_grid *grid, const hits_near_motions *near, size_t begin, size_t end,
                                      hits_candidates *candidates)
{
    cell_group group;
    find_rows(grid, near, begin, end, &group);
    const size_t count = visit_rows(grid, &group);
    load_slabs(grid, count, &group);
    pass_parts(grid, &group, begin, cross_slabs(count, &group), candidates);
}
