// SPDX-License-Identifier: MIT
// Computes the distances of the grid's cell centres from the surface, rounded down.
//
// A cell that is neither occupied nor beside an occupied one gets the distance from the nearest occupied cell: an
// exact Euclidean distance transform, axis by axis (Saito & Toriwaki 1994), of gaps between cells, in halves of an
// edge. Other cells get a lower bound of the distance from triangles with rounded corners, eight at a time. A
// cluster is tested only if one of its parts is nearer than the distance found so far. The first cluster tested is
// the one that was nearest to the previous cell: it is hardly ever far from the nearest one now. Where vertices
// move, only parts are used.

#include "hits/lanes.h"

enum {
    MOST = 255,          // [parts]
    NEAR_PARTS = 24,     // a cell and a half: what is not in the cells around is at least as far
    NEIGHBOURS = 27,
    NEAR_HALVES2 = 3,    // for cells beside an occupied one
    FAR_CELLS = 17,      // gaps to these are at least MOST
    FAR_HALVES2 = (2 * FAR_CELLS - 1) * (2 * FAR_CELLS - 1),
    CELLS_AT_ONCE = 256,
    SEEN = 64
};

// One of the cells around a cell, or the cell itself.
typedef struct neighbour {
    int32_t x, y, z;
    ptrdiff_t apart;  // difference of their numbers
    // For each bound [parts]: the cell's parts that are nearer.
    uint64_t within[NEAR_PARTS + 1];
} neighbour;

// Data shared by all cells.
typedef struct measuring {
    const mote_hits *hits;
    const hits_grid *grid;
    const hits_lanes *lanes;
    neighbour neighbours[NEIGHBOURS];  // offset (x, y, z) has index x + 1 + 3(y + 1) + 9(z + 1)
    int16_t halves2[FAR_CELLS + 1];    // per steps of a cell along an axis: squared gap [half edges²]
    uint8_t parts[FAR_HALVES2 + 1];    // per squared gap [half edges²]: the distance
    int16_t *along_row, *along_layer;  // per cell: least square so far, of one axis and two
} measuring;

// ------------------------------------------------------------------------------------------------------- tables

// The distance along an axis [parts] from the middle of a cell to one of four slabs of a cell `apart` cells away.
static int32_t slab_gap(int32_t apart, int32_t slab)
{
    const int32_t quarter = HITS_DISTANCE_PARTS / 4, middle = 2 * quarter;
    const int32_t low = (4 * apart + slab) * quarter, high = low + quarter;
    return middle < low ? low - middle : middle > high ? middle - high : 0;
}

// The squared distance [parts²] of a part from the middle of the cell.
static int32_t part_gap2(const neighbour *cell, uint32_t part)
{
    const int32_t x = slab_gap(cell->x, (int32_t)(part & 3)), y = slab_gap(cell->y, (int32_t)(part >> 2 & 3)),
                  z = slab_gap(cell->z, (int32_t)(part >> 4));
    return x * x + y * y + z * z;
}

static neighbour make_neighbour(const hits_grid *grid, int32_t x, int32_t y, int32_t z)
{
    neighbour cell = {.x = x, .y = y, .z = z};
    cell.apart = ((ptrdiff_t)z * (ptrdiff_t)grid->size[1] + y) * (ptrdiff_t)grid->size[0] + x;
    for (uint32_t part = 0; part < 64; ++part) {
        const int32_t gap2 = part_gap2(&cell, part);
        for (int32_t bound = NEAR_PARTS; bound * bound > gap2; --bound) cell.within[bound] |= UINT64_C(1) << part;
    }
    return cell;
}

// Rounds down to parts, after subtracting a little for the margin of registered triangles.
static uint8_t rounded_down(double parts)
{
    parts -= 0x1p-10;
    return (uint8_t)(parts < 0 ? 0 : parts > MOST ? MOST : parts);
}

static void make_tables(measuring *m)
{
    for (int32_t i = 0; i < NEIGHBOURS; ++i)
        m->neighbours[i] = make_neighbour(m->grid, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    for (int32_t step = 0; step <= FAR_CELLS; ++step)
        m->halves2[step] = (int16_t)(step ? (2 * step - 1) * (2 * step - 1) : 0);
    for (int32_t square = 0; square <= FAR_HALVES2; ++square)
        m->parts[square] = rounded_down(sqrt(square) * (HITS_DISTANCE_PARTS / 2));
}

// --------------------------------------------------------------------------------------------------- cells beside

// A cell while its distance is computed.
typedef struct probing {
    const measuring *m;
    int32_t cell[3];
    double center[3];        // internal
    double least;            // [parts]
    uint32_t nearest;        // the cluster at that distance; UINT32_MAX: none
    uint64_t seen[SEEN];     // tested clusters as cell << 32 | cluster, by last bits
    uint64_t number;         // number of the cell, from 1
} probing;

// The least of the squared distances of some parts.
static double nearest_part2(const neighbour *cell, uint64_t parts)
{
    int32_t least = INT32_MAX;
    for (; parts; parts &= parts - 1) {
        const int32_t gap2 = part_gap2(cell, mote_lowest_bit(parts));
        least = MOTE_MIN(least, gap2);
    }
    return least;
}

// A lower bound for the distance of the cluster [parts].
static double cluster_distance(const probing *probe, const hits_cluster *cluster)
{
    const double per_length = (double)cluster->per_length;
    const double parts = probe->m->grid->per_edge * HITS_DISTANCE_PARTS / per_length;  // parts per quantum
    double from[3], far2 = 0, blur = 1;  // √3/2 quanta for rounded corners, plus float errors
    float at[3], squared[HITS_LANES];
    for (int k = 0; k < 3; ++k) {
        from[k] = (probe->center[k] - cluster->origin[k]) * per_length;
        at[k] = (float)from[k];
        far2 += from[k] * from[k];
        blur += fabs(from[k]) * 0x1p-20;
    }
    // From far away the cluster is nearly a point, and squares would overflow.
    if (far2 > 0x1p80) return (sqrt(far2) * (1 - 0x1p-40) - (double)cluster->reach) * parts;
    probe->m->lanes->closest->near_triangles(cluster, at, HUGE_VALF, squared);
    float least = squared[0];
    for (int lane = 1; lane < HITS_LANES; ++lane) least = MOTE_MIN(least, squared[lane]);
    return (sqrt((double)least) * (1 - 0x1p-18) - blur) * parts;
}

static void look_at_cluster(probing *probe, uint32_t cluster)
{
    uint64_t *seen = &probe->seen[cluster % SEEN];
    const uint64_t mark = probe->number << 32 | cluster;
    if (*seen == mark) return;
    *seen = mark;
    const double distance = cluster_distance(probe, &probe->m->hits->clusters[cluster]);
    if (distance >= probe->least) return;
    probe->least = MOTE_MAX(distance, 0);
    probe->nearest = cluster;
}

static void look_into_cell(probing *probe, const neighbour *cell, const hits_node *node)
{
    const hits_grid *grid = probe->m->grid;
    uint64_t within = cell->within[(int)ceil(probe->least)];
    if (!(node->mask & within)) return;
    if (node->count == 0 || probe->m->hits->ends) {
        const double distance = sqrt(nearest_part2(cell, node->mask & within));
        probe->least = MOTE_MIN(probe->least, distance);
        return;
    }
    for (uint32_t r = node->first; r < node->first + node->count; ++r) {
        if (!(grid->masks[r] & within)) continue;
        look_at_cluster(probe, grid->clusters[r]);
        within = cell->within[(int)ceil(probe->least)];
    }
}

// Bits of three consecutive cells.
static uint32_t three_cells(const hits_grid *grid, size_t first)
{
    const hits_word *word = &grid->words[first / 64];
    uint64_t bits = word->bits >> first % 64;
    if (first % 64 > 61) bits |= word[1].bits << (64 - first % 64);
    return (uint32_t)(bits & 7);
}

// Bits of the occupied cells among those around a cell, in the order of their numbers.
static uint32_t occupied_around(const measuring *m, const int32_t at[3], size_t number)
{
    const hits_grid *grid = m->grid;
    bool is_inner = true;
    uint32_t bits = 0;
    for (int k = 0; k < 3; ++k) is_inner &= at[k] > 0 && at[k] + 1 < (int64_t)grid->size[k];
    for (uint32_t i = 0; is_inner && i < NEIGHBOURS; i += 3)
        bits |= three_cells(grid, number + (size_t)m->neighbours[i].apart) << i;
    for (uint32_t i = 0; !is_inner && i < NEIGHBOURS; ++i) {
        const neighbour *cell = &m->neighbours[i];
        const int64_t x = at[0] + cell->x, y = at[1] + cell->y, z = at[2] + cell->z;
        if (x < 0 || y < 0 || z < 0 || x >= grid->size[0] || y >= grid->size[1] || z >= grid->size[2]) continue;
        bits |= (uint32_t)mote_hits_grid_is_occupied(grid, number + (size_t)cell->apart) << i;
    }
    return bits;
}

// The distance of what lies in the cells around, at most NEAR_PARTS. First the cell itself is visited, then the
// cells at its faces, its edges and its corners.
static double look_around(probing *probe, size_t number)
{
    static const uint32_t by_axes[4] = {0x2000, 0x415410, 0x2AA8AAA, 0x5140145};
    static const double gaps[4] = {0, HITS_DISTANCE_PARTS * 0.5, HITS_DISTANCE_PARTS * 0.7071,
                                   HITS_DISTANCE_PARTS * 0.866};
    const measuring *m = probe->m;
    const uint32_t occupied = occupied_around(m, probe->cell, number);
    probe->least = NEAR_PARTS;
    probe->number = number + 1;
    for (int k = 0; k < 3; ++k) probe->center[k] = m->grid->origin[k] + (probe->cell[k] + 0.5) * m->grid->edge;
    if (probe->nearest != UINT32_MAX) look_at_cluster(probe, probe->nearest);
    for (int axes = 0; axes <= 3 && gaps[axes] < probe->least; ++axes)
        for (uint32_t bits = occupied & by_axes[axes]; bits; bits &= bits - 1) {
            const neighbour *cell = &m->neighbours[mote_lowest_bit(bits)];
            const size_t beside = number + (size_t)cell->apart;
            look_into_cell(probe, cell, &m->grid->nodes[mote_hits_grid_rank(m->grid, beside)]);
        }
    return probe->least;
}

// ------------------------------------------------------------------------------------------- distance transform

// Computes the steps to the nearest occupied cell of the row, on both sides.
static void measure_row(const measuring *m, size_t first, int16_t *row)
{
    const size_t length = m->grid->size[0];
    int16_t steps = FAR_CELLS;
    for (size_t x = 0; x < length; ++x) {
        steps = (int16_t)MOTE_MIN(steps + 1, FAR_CELLS);
        if (mote_hits_grid_is_occupied(m->grid, first + x)) steps = 0;
        row[x] = steps;
    }
    steps = FAR_CELLS;
    for (size_t x = length; x-- > 0;) {
        steps = (int16_t)MOTE_MIN(steps + 1, row[x]);
        row[x] = m->halves2[steps];
    }
}

// Takes the least over the cells along one more axis, for a run of `count` consecutive cells: they have index `at`
// of `length` along that axis, and neighbours along it are `stride` apart.
static void lower_along(const measuring *m, const int16_t *from, size_t at, size_t length, size_t stride, size_t count,
                        int16_t *least)
{
    memcpy(least, from, count * sizeof *least);
    for (size_t step = 1; step < FAR_CELLS; ++step) {
        const bool has_before = step <= at, has_behind = at + step < length;
        if (!has_before && !has_behind) return;
        const int16_t *before = from - (has_before ? step * stride : 0);
        const int16_t *behind = from + (has_behind ? step * stride : 0);
        m->lanes->lower(least, has_before ? before : behind, has_behind ? behind : before, count, m->halves2[step]);
    }
}

static void measure_layers(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const measuring *m = data;
    const size_t length = m->grid->size[0], rows = m->grid->size[1];
    for (size_t z = begin; z < end; ++z) {
        const size_t first = z * rows * length;
        for (size_t y = 0; y < rows; ++y) measure_row(m, first + y * length, m->along_row + first + y * length);
        for (size_t y = 0; y < rows; ++y)
            lower_along(m, m->along_row + first + y * length, y, rows, length, length,
                        m->along_layer + first + y * length);
    }
}

static void measure_cells(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const measuring *m = data;
    const hits_grid *grid = m->grid;
    const size_t length = grid->size[0], rows = grid->size[1], layer = length * rows;
    probing probe = {.m = m, .nearest = UINT32_MAX};
    int16_t squares[CELLS_AT_ONCE];
    for (size_t line = begin * rows; line < end * rows; ++line)
        for (size_t from = 0; from < length; from += CELLS_AT_ONCE) {
            const size_t at = line * length + from, count = MOTE_MIN(length - from, CELLS_AT_ONCE);
            lower_along(m, m->along_layer + at, line / rows, grid->size[2], layer, count, squares);
            for (size_t i = 0; i < count; ++i) {
                if (squares[i] > NEAR_HALVES2) {
                    grid->distance[at + i] = m->parts[MOTE_MIN(squares[i], FAR_HALVES2)];
                    continue;
                }
                probe.cell[0] = (int32_t)(from + i);
                probe.cell[1] = (int32_t)(line % rows);
                probe.cell[2] = (int32_t)(line / rows);
                grid->distance[at + i] = rounded_down(look_around(&probe, at + i));
            }
        }
}

mote_result mote_hits_grid_measure(const mote_hits *hits, hits_grid *grid)
{
    mote_buffer memory = {0};
    mote_result result =
        mote_buffer_reserve(hits->context, &memory, mote_bytes(grid->cell_count, 2 * sizeof(int16_t)), 0);
    if (result != MOTE_OK) return result;
    measuring m = {
        .hits = hits, .grid = grid, .lanes = mote_hits_lanes_choose(hits->context), .along_row = memory.data};
    m.along_layer = m.along_row + grid->cell_count;
    make_tables(&m);
    memset(grid->distance + grid->cell_count, 0, 8);
    mote_parallel_for(hits->context, grid->size[2], 1, measure_layers, &m);
    mote_parallel_for(hits->context, grid->size[2], 1, measure_cells, &m);
    mote_buffer_release(hits->context, &memory);
    return result;
}
