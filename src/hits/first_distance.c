// How far the centres of the grid's cells are from the surface, never too far: exact to parts of cells that hold
// something within two cells; beyond, counted in cells (chessboard distance, Rosenfeld & Pfaltz 1968).

#include "hits/first.h"

enum { NEAR_CELLS = 2, MOST = 255 };

// The squared distance, in quarters of a cell, from (x, y, z) to a part: halves are doubled away.
static inline uint32_t gap2(int32_t doubled_center, int32_t part)
{
    const int32_t low = 2 * part, high = low + 2;
    const int32_t gap = doubled_center < low ? low - doubled_center : doubled_center > high ? doubled_center - high : 0;
    return (uint32_t)(gap * gap);
}

// The least squared distance [(1/8 cell)²] from the centre of a cell to parts of a node that lies `apart` cells away.
static uint32_t nearest_part(const first_node *node, const int32_t apart[3], uint32_t least)
{
    uint32_t gaps[3][4];
    for (int k = 0; k < 3; ++k)
        for (int32_t part = 0; part < 4; ++part) gaps[k][part] = gap2(4, 4 * apart[k] + part);
    for (uint64_t bits = node->mask; bits; bits &= bits - 1) {
        const uint32_t bit = mote_lowest_bit(bits);
        const uint32_t squared = gaps[0][bit & 3] + gaps[1][bit >> 2 & 3] + gaps[2][bit >> 4];
        least = MOTE_MIN(least, squared);
    }
    return least;
}

static bool is_occupied(const first_grid *grid, size_t cell)
{
    return grid->occupied[cell / 64] >> cell % 64 & 1;
}

// The least squared distance to what lies in the cells around.
static uint32_t look_around(const first_grid *grid, const int32_t cell[3])
{
    uint32_t least = (2 * NEAR_CELLS + 1) * 4 * ((2 * NEAR_CELLS + 1) * 4);
    int32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = MOTE_MAX(cell[k] - NEAR_CELLS, 0);
        high[k] = MOTE_MIN(cell[k] + NEAR_CELLS, (int32_t)grid->size[k] - 1);
    }
    for (int32_t z = low[2]; z <= high[2]; ++z)
        for (int32_t y = low[1]; y <= high[1]; ++y)
            for (int32_t x = low[0]; x <= high[0]; ++x) {
                const size_t at = ((size_t)z * grid->size[1] + (size_t)y) * grid->size[0] + (size_t)x;
                if (!is_occupied(grid, at)) continue;
                const int32_t apart[3] = {x - cell[0], y - cell[1], z - cell[2]};
                least = nearest_part(&grid->nodes[mote_first_rank(grid, at)], apart, least);
            }
    return least;
}

// Rounded down to parts, less a bit for the margin of what is registered.
static uint8_t rounded_down(double parts)
{
    parts -= 0x1p-10;
    return (uint8_t)(parts < 0 ? 0 : parts > MOST ? MOST : parts);
}

static void measure_layer(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const first_grid *grid = data;
    for (size_t z = begin; z < end; ++z)
        for (uint32_t y = 0; y < grid->size[1]; ++y)
            for (uint32_t x = 0; x < grid->size[0]; ++x) {
                const size_t at = (z * grid->size[1] + y) * grid->size[0] + x;
                // With s cells to the nearest occupied one, s − 1 whole ones and a half lie between.
                const uint32_t steps = grid->distance[at];
                double parts = (steps - 0.5) * FIRST_DISTANCE_PARTS;
                const int32_t cell[3] = {(int32_t)x, (int32_t)y, (int32_t)z};
                if (steps <= NEAR_CELLS) parts = sqrt((double)look_around(grid, cell));
                grid->distance[at] = rounded_down(parts);
            }
}

// One sweep of the two that find chessboard distances: looks at the 13 neighbours behind (or before) each cell.
static void sweep(const first_grid *grid, bool forward)
{
    const int64_t w = grid->size[0], h = grid->size[1], d = grid->size[2], sign = forward ? -1 : 1;
    for (int64_t i = 0; i < w * h * d; ++i) {
        const int64_t at = forward ? i : w * h * d - 1 - i, x = at % w, y = at / w % h, z = at / w / h;
        uint32_t least = grid->distance[at];
        if (least == 0) continue;
        const bool has_x = x + sign >= 0 && x + sign < w, has_back = x - sign >= 0 && x - sign < w;
        const bool has_y = y + sign >= 0 && y + sign < h, has_under = y - sign >= 0 && y - sign < h;
        const bool has_z = z + sign >= 0 && z + sign < d;
        const uint8_t *here = grid->distance + at;
#define LOOK(offset) least = MOTE_MIN(least, here[sign * (offset)] + 1u)
        if (has_x) LOOK(1);
        if (has_y) {
            LOOK(w);
            if (has_x) LOOK(w + 1);
            if (has_back) LOOK(w - 1);
        }
        for (int row = -1; has_z && row <= 1; ++row) {
            if ((row < 0 && !has_under) || (row > 0 && !has_y)) continue;
            LOOK(w * h + row * w);
            if (has_x) LOOK(w * h + row * w + 1);
            if (has_back) LOOK(w * h + row * w - 1);
        }
#undef LOOK
        grid->distance[at] = (uint8_t)least;
    }
}

void mote_first_measure(const mote_first_hits *first, first_grid *grid)
{
    for (size_t at = 0; at < grid->cell_count; ++at) grid->distance[at] = is_occupied(grid, at) ? 0 : MOST - 1;
    memset(grid->distance + grid->cell_count, 0, 8);
    sweep(grid, true);
    sweep(grid, false);
    mote_parallel_for(first->context, grid->size[2], 1, measure_layer, grid);
}
