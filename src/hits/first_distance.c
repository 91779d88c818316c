// How far the centres of the grid's cells are from the surface, never too far: exact within a cell (to parts of cells
// that hold something, where vertices move); beyond, counted in cells (chessboard distance, Rosenfeld & Pfaltz 1968).

#include <stdlib.h>

#include "hits/first.h"
#include "hits/internal.h"

enum { NEAR_CELLS = 1, MOST = 255, FARTHEST2 = INT32_MAX };

typedef struct measuring {
    const mote_first_hits *first;
    const first_grid *grid;
} measuring;

// The squared distance along an axis [parts²] from the middle of a cell to one of four slabs, counted on beyond it.
static inline uint32_t gap2(int32_t slab)
{
    const int32_t quarter = FIRST_DISTANCE_PARTS / 4, middle = 2 * quarter, low = slab * quarter, high = low + quarter;
    const int32_t gap = middle < low ? low - middle : middle > high ? middle - high : 0;
    return (uint32_t)(gap * gap);
}

// The least squared distance [parts²] from the centre of a cell to the parts of a mask that lies `apart` cells away.
static uint32_t nearest_part(uint64_t mask, const int32_t apart[3], uint32_t least)
{
    uint32_t gaps[3][4];
    for (int k = 0; k < 3; ++k)
        for (int32_t part = 0; part < 4; ++part) gaps[k][part] = gap2(4 * apart[k] + part);
    for (uint64_t bits = mask; bits; bits &= bits - 1) {
        const uint32_t bit = mote_lowest_bit(bits);
        const uint32_t squared = gaps[0][bit & 3] + gaps[1][bit >> 2 & 3] + gaps[2][bit >> 4];
        least = MOTE_MIN(least, squared);
    }
    return least;
}

typedef struct probing {
    const mote_first_hits *first;
    const first_grid *grid;
    mote_vec3 center;
    double least;  // [parts]
} probing;

// Most triangles are sorted out by a corner: no point of them is farther from it than their longest edge.
static void probe_triangle(probing *probe, uint32_t number)
{
    mote_vec3 corner[3];
    mote_first_corners(probe->first, number, corner);
    const mote_triangle triangle = {corner[0], corner[1], corner[2]};
    const mote_vec3 apart = mote_vec3_sub(corner[0], probe->center);
    const double longest = sqrt(mote_triangle_longest2(triangle));
    const double limit = probe->least / FIRST_DISTANCE_PARTS * probe->grid->edge + longest * (1 + 0x1p-15);
    if (mote_vec3_dot(apart, apart) > limit * limit) return;
    // What rounding may add to a sliver's distance is taken off.
    double distance = sqrt(mote_triangle_foot(triangle, probe->center).distance2) - longest * 0x1p-15;
    probe->least = MOTE_MIN(probe->least, distance * probe->grid->per_edge * FIRST_DISTANCE_PARTS);
}

// Looks at the triangles of those clusters in a node whose parts are nearer than what was found.
static void probe_node(probing *probe, const first_node *node, const int32_t apart[3])
{
    const uint32_t whole = nearest_part(node->mask, apart, FARTHEST2);
    if ((double)whole >= probe->least * probe->least) return;
    if (node->count == 0 || probe->first->ends) {
        probe->least = sqrt((double)whole);
        return;
    }
    for (uint32_t r = node->first; r < node->first + node->count; ++r) {
        if ((double)nearest_part(probe->grid->masks[r], apart, FARTHEST2) >= probe->least * probe->least) continue;
        const size_t begin = (size_t)probe->grid->clusters[r] * FIRST_LANES;
        const size_t end = MOTE_MIN(begin + FIRST_LANES, probe->first->triangle_count);
        for (size_t t = begin; t < end; ++t) probe_triangle(probe, (uint32_t)t);
    }
}

// The distance to what lies in the cells around, ring by ring: at most that to what may lie beyond.
static double look_around(const mote_first_hits *first, const first_grid *grid, const int32_t cell[3])
{
    probing probe = {first, grid, {0, 0, 0}, (NEAR_CELLS + 0.5) * FIRST_DISTANCE_PARTS};
    probe.center = mote_vec3_make(grid->origin[0] + (cell[0] + 0.5) * grid->edge,
                                  grid->origin[1] + (cell[1] + 0.5) * grid->edge,
                                  grid->origin[2] + (cell[2] + 0.5) * grid->edge);
    for (int32_t ring = 0; ring <= NEAR_CELLS; ++ring)
        for (int32_t z = -ring; z <= ring; ++z)
            for (int32_t y = -ring; y <= ring; ++y)
                for (int32_t x = -ring; x <= ring; ++x) {
                    const bool is_inside = abs(x) < ring && abs(y) < ring && abs(z) < ring;
                    const int64_t at[3] = {cell[0] + x, cell[1] + y, cell[2] + z};
                    bool is_cell = true;
                    for (int k = 0; k < 3; ++k) is_cell &= at[k] >= 0 && at[k] < grid->size[k];
                    if (is_inside || !is_cell) continue;
                    const size_t row = (size_t)at[2] * grid->size[1] + (size_t)at[1];
                    const size_t number = row * grid->size[0] + (size_t)at[0];
                    const int32_t apart[3] = {x, y, z};
                    if (mote_first_is_occupied(grid, number))
                        probe_node(&probe, &grid->nodes[mote_first_rank(grid, number)], apart);
                }
    return probe.least;
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
    const measuring *m = data;
    const first_grid *grid = m->grid;
    for (size_t z = begin; z < end; ++z)
        for (uint32_t y = 0; y < grid->size[1]; ++y)
            for (uint32_t x = 0; x < grid->size[0]; ++x) {
                const size_t at = (z * grid->size[1] + y) * grid->size[0] + x;
                // With s cells to the nearest occupied one, s − 1 whole ones and a half lie between.
                const uint32_t steps = grid->distance[at];
                double parts = (steps - 0.5) * FIRST_DISTANCE_PARTS;
                const int32_t cell[3] = {(int32_t)x, (int32_t)y, (int32_t)z};
                if (steps <= NEAR_CELLS) parts = look_around(m->first, grid, cell);
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
    for (size_t at = 0; at < grid->cell_count; ++at)
        grid->distance[at] = mote_first_is_occupied(grid, at) ? 0 : MOST - 1;
    memset(grid->distance + grid->cell_count, 0, 8);
    sweep(grid, true);
    sweep(grid, false);
    measuring m = {first, grid};
    mote_parallel_for(first->context, grid->size[2], 1, measure_layer, &m);
}
