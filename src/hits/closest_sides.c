// SPDX-License-Identifier: MIT
// Finds which cells of the grid are inside a closed mesh. This gives the sign of many points at once.
//
// The winding number of a closed mesh is an integer, and it is the same at both ends of any path without a hit. A
// cell is clear if its centre is farther from the surface than half an edge: then a clear neighbour's centre is on
// the same side. Runs of clear cells are joined, and one winding number serves for all cells that are joined.
//
// A point is on the side of its cell's centre if it is nearer to the centre than the surface is. Otherwise a path
// without a hit from the point to a clear cell gives its side. The path leads away from the closest point of the
// surface, where there is hardly ever anything between.

#include "hits/closest.h"

enum {
    CLEAR = HITS_DISTANCE_PARTS / 2 + 1,
    FEW_CELLS = 16,  // so few joined cells are not worth a winding number
    CELLS_A_BYTE = 4,
    RUNS_A_BLOCK = 64
};

// How far from the surface a path ends [cells].
#define WAY 1.5

// Consecutive clear cells in a row.
typedef struct first_run {
    uint32_t first, length;
    uint32_t parent;  // a run that it is joined to, finally the lowest of all; or itself
    uint32_t cells;   // number of cells in all joined runs; valid if it is its own parent
    hits_side side;
} first_run;

typedef struct side_build {
    const mote_hits *hits;
    uint32_t *row;  // first run of each row; the last entry is the number of runs
    mote_buffer memory;
    first_run *runs;  // in `memory`
    size_t row_count;
} side_build;

static bool is_clear(const hits_grid *grid, size_t cell)
{
    return grid->distance[cell] >= CLEAR;
}

static hits_side side_of_cell(const mote_hits *hits, size_t cell)
{
    return (hits_side)(hits->closest->sides[cell / CELLS_A_BYTE] >> cell % CELLS_A_BYTE * 2 & 3);
}

static mote_result find_runs(side_build *build)
{
    const hits_grid *grid = &build->hits->grid;
    const size_t length = grid->size[0], most = (length + 1) / 2;  // most: largest number of runs in a row
    uint32_t count = 0;
    for (size_t row = 0; row < build->row_count; ++row) {
        const mote_result result =
            mote_buffer_reserve(build->hits->context, &build->memory, mote_bytes(count + most, sizeof(first_run)),
                                count * sizeof(first_run));
        if (result != MOTE_OK) return result;
        first_run *runs = build->memory.data;
        const size_t begin = row * length, end = begin + length;
        build->row[row] = count;
        for (size_t cell = begin; cell < end; ++cell) {
            if (!is_clear(grid, cell)) continue;
            const size_t from = cell;
            while (cell < end && is_clear(grid, cell)) ++cell;
            const uint32_t cells = (uint32_t)(cell - from);
            runs[count] = (first_run){(uint32_t)from, cells, count, cells, HITS_SIDE_UNKNOWN};
            ++count;
        }
    }
    build->row[build->row_count] = count;
    build->runs = build->memory.data;
    return MOTE_OK;
}

static uint32_t root_of(first_run *runs, uint32_t run)
{
    for (; runs[run].parent != run; run = runs[run].parent) runs[run].parent = runs[runs[run].parent].parent;
    return run;
}

static void unite(first_run *runs, uint32_t a, uint32_t b)
{
    a = root_of(runs, a);
    b = root_of(runs, b);
    if (a == b) return;
    const uint32_t low = MOTE_MIN(a, b), high = MOTE_MAX(a, b);
    runs[high].parent = low;
    runs[low].cells += runs[high].cells;
}

// Joins neighbouring runs of two rows, whose cell numbers differ by `apart`.
static void unite_rows(const side_build *build, size_t row, size_t other, uint32_t apart)
{
    first_run *runs = build->runs;
    uint32_t a = build->row[row], b = build->row[other];
    while (a < build->row[row + 1] && b < build->row[other + 1]) {
        const uint32_t a_begin = runs[a].first, a_end = a_begin + runs[a].length;
        const uint32_t b_begin = runs[b].first + apart, b_end = b_begin + runs[b].length;
        if (a_begin < b_end && b_begin < a_end) unite(runs, a, b);
        if (a_end < b_end) ++a;
        else ++b;
    }
}

static void decide_sides(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const side_build *build = data;
    const hits_grid *grid = &build->hits->grid;
    for (size_t i = begin; i < end; ++i) {
        first_run *run = &build->runs[i];
        if (run->parent != i || run->cells < FEW_CELLS) continue;
        const uint32_t row = run->first / grid->size[0];
        const uint32_t cell[3] = {run->first % grid->size[0], row % grid->size[1], row / grid->size[1]};
        const bool inside = mote_hits_winding_is_inside(build->hits, mote_hits_cell_center(grid, cell));
        run->side = inside ? HITS_SIDE_INSIDE : HITS_SIDE_OUTSIDE;
    }
}

static void fill(const side_build *build, uint8_t *sides)
{
    for (uint32_t i = 0; i < build->row[build->row_count]; ++i) {
        const first_run run = build->runs[i];
        const unsigned side = build->runs[root_of(build->runs, i)].side;
        const size_t end = (size_t)run.first + run.length;
        for (size_t cell = run.first; cell < end;) {
            if (cell % CELLS_A_BYTE == 0 && end - cell >= CELLS_A_BYTE) {
                const size_t bytes = (end - cell) / CELLS_A_BYTE;
                memset(sides + cell / CELLS_A_BYTE, (int)(side * 0x55), bytes);
                cell += bytes * CELLS_A_BYTE;
            } else {
                sides[cell / CELLS_A_BYTE] |= (uint8_t)(side << cell % CELLS_A_BYTE * 2);
                ++cell;
            }
        }
    }
}

static mote_result decide(side_build *build, uint8_t *sides)
{
    const mote_hits *hits = build->hits;
    mote_result result = find_runs(build);
    if (result != MOTE_OK) return result;
    const uint32_t length = hits->grid.size[0], rows = hits->grid.size[1];
    for (size_t row = 0; row < build->row_count; ++row) {
        if (row % rows > 0) unite_rows(build, row, row - 1, length);
        if (row >= rows) unite_rows(build, row, row - rows, length * rows);
    }
    mote_parallel_for(hits->context, build->row[build->row_count], RUNS_A_BLOCK, decide_sides, build);
    fill(build, sides);
    return MOTE_OK;
}

size_t mote_hits_cell_sides_bytes(const mote_hits *hits)
{
    return hits->closest->sides ? (hits->grid.cell_count + CELLS_A_BYTE - 1) / CELLS_A_BYTE : 0;
}

mote_result mote_hits_cell_sides_build(mote_hits *hits)
{
    struct hits_closest *tree = hits->closest;
    // If the mesh moves, the grid's distances are not those at the start.
    if (!tree->features.closed || hits->ends || hits->triangle_count == 0) return MOTE_OK;
    const size_t bytes = (hits->grid.cell_count + CELLS_A_BYTE - 1) / CELLS_A_BYTE;
    side_build build = {.hits = hits, .row_count = (size_t)hits->grid.size[1] * hits->grid.size[2]};
    const size_t row_bytes = mote_bytes(build.row_count + 1, sizeof(uint32_t));
    tree->sides = mote_allocate(hits->context, bytes);
    build.row = mote_allocate(hits->context, row_bytes);
    mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    if (tree->sides && build.row) {
        memset(tree->sides, 0, bytes);
        result = decide(&build, tree->sides);
    }
    mote_buffer_release(hits->context, &build.memory);
    mote_release(hits->context, build.row, build.row ? row_bytes : 0);
    return result;
}

mote_result mote_hits_cell_sides_validate(const mote_hits *hits, mote_error *error)
{
    const hits_grid *grid = &hits->grid;
    if (!hits->closest->sides) return MOTE_OK;
    for (size_t cell = 0; cell < grid->cell_count; ++cell) {
        const hits_side side = side_of_cell(hits, cell);
        if (side == HITS_SIDE_UNKNOWN) continue;
        if (side > HITS_SIDE_INSIDE || !is_clear(grid, cell))
            return mote_fail(error, MOTE_ERROR_STATE, cell, "hits: cell %zu has side %d, %d/%d from the surface", cell,
                             (int)side, grid->distance[cell], HITS_DISTANCE_PARTS);
        if (cell % grid->size[0] && is_clear(grid, cell - 1) && side_of_cell(hits, cell - 1) != side)
            return mote_fail(error, MOTE_ERROR_STATE, cell, "hits: cells %zu and %zu are on different sides", cell - 1,
                             cell);
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- points

// Finds the cell that contains a point; false outside the grid.
static bool find_cell(const hits_grid *grid, mote_vec3 point, uint32_t cell[3], size_t *number)
{
    const double at[3] = {(point.x - grid->origin[0]) * grid->per_edge, (point.y - grid->origin[1]) * grid->per_edge,
                          (point.z - grid->origin[2]) * grid->per_edge};
    for (int k = 0; k < 3; ++k) {
        if (!(at[k] >= 0 && at[k] < grid->size[k])) return false;
        cell[k] = (uint32_t)at[k];
    }
    *number = ((size_t)cell[2] * grid->size[1] + cell[1]) * grid->size[0] + cell[0];
    return true;
}

// The side of a clear cell's centre that the point reaches without a hit, off its foot on the surface along
// `normal`.
static hits_side side_at_end(const mote_hits *hits, mote_vec3 point, mote_vec3 foot, mote_vec3 normal)
{
    const hits_grid *grid = &hits->grid;
    uint32_t cell[3];
    size_t number;
    const mote_vec3 end = mote_vec3_add_scaled(foot, normal, WAY * grid->edge);
    if (!find_cell(grid, end, cell, &number)) return HITS_SIDE_UNKNOWN;
    const hits_side side = side_of_cell(hits, number);
    if (side == HITS_SIDE_UNKNOWN) return side;
    // First hits take the caller's lengths, which differ from internal ones by a power of two.
    const mote_vec3 from = mote_vec3_scale(point, 1 / hits->scale);
    const mote_vec3 to = mote_vec3_scale(mote_hits_cell_center(grid, cell), 1 / hits->scale);
    mote_hit hit;
    return mote_hits_find_one(hits, from, to, 0, 0, 0, &hit) ? HITS_SIDE_UNKNOWN : side;
}

// A lower bound for the distance of the surface from a point in a cell, given the point's distance from the cell's
// centre.
static double clearance_in_cell(const hits_grid *grid, mote_vec3 point, const uint32_t cell[3], size_t number)
{
    const double from_center = grid->distance[number] * grid->edge * (1.0 / HITS_DISTANCE_PARTS) * (1 - 0x1p-20);
    return from_center - mote_vec3_length(mote_vec3_sub(point, mote_hits_cell_center(grid, cell)));
}

double mote_hits_clearance(const mote_hits *hits, mote_vec3 point)
{
    uint32_t cell[3];
    size_t number;
    const mote_box box = hits->closest->box;
    const mote_vec3 below = mote_vec3_sub(box.min, point), above = mote_vec3_sub(point, box.max);
    const mote_vec3 beyond = mote_vec3_max(mote_vec3_max(below, above), mote_vec3_make(0, 0, 0));
    const double squared = mote_vec3_dot(beyond, beyond);
    if (squared > 0x1p-900 && squared < 0x1p900) return sqrt(squared);
    if (beyond.x > 0 || beyond.y > 0 || beyond.z > 0) return mote_vec3_length_of_any(beyond);
    // If the mesh moves, the grid's distances are not those at the start.
    if (hits->ends || !find_cell(&hits->grid, point, cell, &number)) return 0;
    return MOTE_MAX(clearance_in_cell(&hits->grid, point, cell, number), 0);
}

hits_side mote_hits_cell_side(const mote_hits *hits, mote_vec3 point)
{
    uint32_t cell[3];
    size_t number;
    if (!hits->closest->sides) return HITS_SIDE_UNKNOWN;
    if (!find_cell(&hits->grid, point, cell, &number)) return HITS_SIDE_OUTSIDE;  // the grid contains the whole mesh
    const hits_side side = side_of_cell(hits, number);
    return clearance_in_cell(&hits->grid, point, cell, number) > 0 ? side : HITS_SIDE_UNKNOWN;
}

hits_side mote_hits_winding_side(const mote_hits *hits, mote_vec3 point, const mote_closest *closest)
{
    if (!hits->closest->sides) return HITS_SIDE_UNKNOWN;
    const hits_side side = mote_hits_cell_side(hits, point);
    if (side != HITS_SIDE_UNKNOWN) return side;
    return side_at_end(hits, point, closest->point, mote_vec3_scale(closest->normal, closest->distance < 0 ? -1 : 1));
}
