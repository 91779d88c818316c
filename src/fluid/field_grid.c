// SPDX-License-Identifier: MIT
// The sparse grid of a field (wall_field.c): blocks two spacings wide near the surface of a body, found by their place
// in a grid of numbers, or in a hash table where that would be too large, and the values of their nodes between which
// fields are linear.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/field_near.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

double mote_field_box_width(mote_box box, bool is_flat)
{
    const double width = MOTE_MAX(box.max.x - box.min.x, box.max.z - box.min.z);
    return is_flat ? width : MOTE_MAX(width, box.max.y - box.min.y);
}

int32_t mote_field_width(const wall_field *field)
{
    int32_t size = 1;
    while (size * field->edge < mote_field_box_width(field->reached, field->is_flat)) size *= 2;
    return size;
}

int mote_field_nodes_of_block(const wall_field *field)
{
    return field->is_flat ? FIELD_SIDE * FIELD_SIDE : FIELD_NODES;
}

int mote_field_blocks_around(const wall_field *field, int range)
{
    const int side = 2 * range + 1;
    return field->is_flat ? side * side : side * side * side;
}

void mote_field_block_around(const wall_field *field, int range, int k, int32_t away[3])
{
    const int side = 2 * range + 1;
    away[0] = k % side - range;
    away[1] = field->is_flat ? 0 : k / side % side - range;
    away[2] = (field->is_flat ? k / side : k / (side * side)) - range;
}

// At most 2^20, which are no fewer than the widest body has.
static uint32_t blocks_over(double length, double edge)
{
    return (uint32_t)MOTE_MIN(floor(length / edge) + 1, 1 << 20);
}

wall_field mote_field_empty(const mote_fluid *fluid, uint32_t boundary, mote_box box)
{
    const double h = fluid->def.support, edge = FIELD_BLOCK * fluid->def.spacing;
    const bool is_flat = fluid->def.dimensions == 2;
    const mote_vec3 size = mote_vec3_sub(box.max, box.min);
    return (wall_field){.boundary = boundary, .box = box, .reached = mote_box_grow(box, h),
                        .corner = {box.min.x - h, is_flat ? 0 : box.min.y - h, box.min.z - h},
                        .edge = edge, .per_edge = 1 / edge,
                        .most = {blocks_over(size.x + 2 * h, edge), is_flat ? 1 : blocks_over(size.y + 2 * h, edge),
                                 blocks_over(size.z + 2 * h, edge)},
                        .numbers = fluid->def.solver == MOTE_SOLVER_WEAK ? FIELD_NUMBERS : 3,
                        .is_flat = is_flat};
}

static bool is_block(const void *owner, uint32_t number, const void *key)
{
    const wall_field *field = owner;
    return memcmp(((const field_block *)field->blocks.data)[number].key, key, 3 * sizeof(int32_t)) == 0;
}

const field_block *mote_field_find_block(const wall_field *field, const int32_t key[3])
{
    const uint32_t hash = mote_table_hash((uint32_t)key[0], (uint32_t)key[1], (uint32_t)key[2]);
    const uint32_t number = mote_table_find(&field->table, hash, is_block, field, key);
    return number == MOTE_TABLE_NONE ? NULL : (const field_block *)field->blocks.data + number;
}

mote_result mote_field_put_block(mote_context *context, wall_field *field, const field_block *block)
{
    const uint32_t hash = mote_table_hash((uint32_t)block->key[0], (uint32_t)block->key[1], (uint32_t)block->key[2]);
    const size_t used = field->block_count * sizeof *block;
    mote_result result = MOTE_OK;
    if (used + sizeof *block > field->blocks.bytes)
        result = mote_buffer_reserve(context, &field->blocks, MOTE_MAX(2 * used, (size_t)4096), used);
    if (result == MOTE_OK) result = mote_table_reserve(context, &field->table, field->block_count + 1u);
    if (result != MOTE_OK) return result;
    ((field_block *)field->blocks.data)[field->block_count] = *block;
    mote_table_put(&field->table, hash, field->block_count++);
    return MOTE_OK;
}

// Where nodes have three numbers, lanes read a fourth: of the last node, one behind the array.
mote_result mote_field_reserve_nodes(mote_context *context, wall_field *field, uint32_t blocks)
{
    const size_t of_block = field->numbers * (size_t)mote_field_nodes_of_block(field) * sizeof(float);
    const size_t bytes = mote_bytes(blocks, of_block);
    if (bytes > SIZE_MAX - sizeof(float)) return MOTE_ERROR_OUT_OF_MEMORY;
    const mote_result result = mote_buffer_reserve(context, &field->nodes, bytes + sizeof(float), 0);
    if (result == MOTE_OK) memset((char *)field->nodes.data + bytes, 0, sizeof(float));
    return result;
}

// The cells of a block where something is: those with a corner that is not 0.
static uint64_t cells_of_nodes(const float *nodes, uint32_t numbers, bool is_flat)
{
    const int deep = is_flat ? 0 : 1;
    uint32_t rows[FIELD_SIDE * FIELD_SIDE];  // bits of nodes along x, then of the cells between these
    uint64_t cells = 0;
    for (int r = 0; r < (is_flat ? FIELD_SIDE : FIELD_SIDE * FIELD_SIDE); ++r) {
        uint32_t bits = 0;
        for (int x = 0; x < FIELD_SIDE; ++x)
            for (uint32_t c = 0; c < numbers; ++c, ++nodes) bits |= (uint32_t)(*nodes < 0 || *nodes > 0) << x;
        rows[r] = (bits | bits >> 1) & ((1u << FIELD_STEPS) - 1);
    }
    for (int z = 0; z < FIELD_STEPS; ++z)
        for (int y = 0; y < (is_flat ? 1 : FIELD_STEPS); ++y) {
            const uint32_t *row = rows + (is_flat ? z : z * FIELD_SIDE + y), *behind = row + (is_flat ? 1 : FIELD_SIDE);
            const uint64_t found = row[0] | row[deep] | behind[0] | behind[deep];
            cells |= found << (is_flat ? z : z * FIELD_STEPS + y) * FIELD_STEPS;
        }
    return cells;
}

// Octants, -1 to 2 along each axis from a block on, to which the block's cells along that axis come within a cell.
enum { OCTANTS = 4 };
static const uint32_t near_octant[OCTANTS] = {1, 7, 14, 8};

// The bits of cells whose numbers along x, y and z are among these.
static uint64_t cells_among(uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t slab = 0, cells = 0;
    for (int k = 0; k < FIELD_STEPS; ++k)
        if (y >> k & 1) slab |= (uint64_t)x << k * FIELD_STEPS;
    for (int k = 0; k < FIELD_STEPS; ++k)
        if (z >> k & 1) cells |= slab << k * FIELD_STEPS * FIELD_STEPS;
    return cells;
}

// Sets the bits of all octants of blocks that are within a cell of these cells.
static void mark_octants(wall_field *field, const int32_t key[3], uint64_t cells,
                         const uint64_t among[OCTANTS * OCTANTS * OCTANTS])
{
    uint8_t *octants = field->octants.data;
    for (int k = 0; k < OCTANTS * OCTANTS * OCTANTS; ++k) {
        if (!(cells & among[k])) continue;
        const int32_t at[3] = {2 * key[0] + k % OCTANTS - 1, 2 * key[1] + k / OCTANTS % OCTANTS - 1,
                               2 * key[2] + k / (OCTANTS * OCTANTS) - 1};
        size_t index = 0;
        bool is_in = true;
        for (int c = 2; c >= 0; --c) {
            is_in = is_in && at[c] >= 0 && at[c] / 2 < (int32_t)field->most[c];
            index = index * field->most[c] + (is_in ? (uint32_t)at[c] / 2 : 0);
        }
        if (is_in) octants[index] |= (uint8_t)(1u << ((at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1)));
    }
}

// Where something is in the blocks, for field_lanes.c, by their grid.
static mote_result find_cells(mote_context *context, wall_field *field, size_t grid_count)
{
    const size_t of_block = field->numbers * (size_t)mote_field_nodes_of_block(field);
    const size_t bytes = mote_bytes(MOTE_MAX(field->node_blocks, 1u), FIELD_CELL_WORDS * sizeof(uint32_t));
    const size_t octants = mote_bytes(grid_count + FIELD_OCTANTS_BEHIND, 1);
    uint64_t among[OCTANTS * OCTANTS * OCTANTS];
    mote_result result = mote_buffer_reserve(context, &field->cells, bytes, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &field->octants, octants, 0);
    if (result != MOTE_OK) return result;
    memset(field->cells.data, 0, bytes);
    memset(field->octants.data, 0, octants);
    for (int k = 0; k < OCTANTS * OCTANTS * OCTANTS; ++k) {
        const uint32_t x = near_octant[k % OCTANTS], y = near_octant[k / OCTANTS % OCTANTS];
        const uint32_t z = near_octant[k / (OCTANTS * OCTANTS)];
        among[k] = field->is_flat ? cells_among(x, z, 1) : cells_among(x, y, z);
    }
    for (uint32_t b = 0; b < field->block_count; ++b) {
        const field_block *block = (const field_block *)field->blocks.data + b;
        const float *nodes = (const float *)field->nodes.data + block->nodes * of_block;
        const uint64_t cells = cells_of_nodes(nodes, field->numbers, field->is_flat);
        uint32_t *words = (uint32_t *)field->cells.data + (size_t)block->nodes * FIELD_CELL_WORDS;
        words[0] = (uint32_t)cells, words[1] = (uint32_t)(cells >> 32);
        mark_octants(field, block->key, cells, among);
    }
    return MOTE_OK;
}

static mote_result make_grid(mote_context *context, wall_field *field)
{
    const double count = (double)field->most[0] * field->most[1] * field->most[2];
    const uint32_t *size = field->most;
    if (!(count <= FIELD_MOST_PLACES)) return MOTE_OK;
    const size_t bytes = mote_bytes((size_t)count, sizeof(uint32_t));
    const mote_result result = mote_buffer_reserve(context, &field->grid, bytes, 0);
    if (result != MOTE_OK) return result;
    uint32_t *grid = field->grid.data;
    memset(grid, 0xff, bytes);
    for (uint32_t b = 0; b < field->block_count; ++b) {
        const field_block *block = (const field_block *)field->blocks.data + b;
        const uint32_t x = (uint32_t)block->key[0], y = (uint32_t)block->key[1], z = (uint32_t)block->key[2];
        MOTE_ASSERT(x < size[0] && y < size[1] && z < size[2]);
        grid[((size_t)z * size[1] + y) * size[0] + x] = block->nodes;
    }
    memcpy(field->size, size, sizeof field->size);
    return find_cells(context, field, (size_t)count);
}

static mote_result drop_blocks(mote_context *context, wall_field *field)
{
    field_block *blocks = field->blocks.data;
    uint32_t kept = 0;
    for (uint32_t b = 0; b < field->block_count; ++b)
        if (blocks[b].nodes != UINT32_MAX) blocks[kept++] = blocks[b];
    MOTE_ASSERT(kept >= field->node_blocks);
    field->block_count = kept;
    mote_table_clear(&field->table);
    for (uint32_t b = 0; b < kept; ++b) {
        const int32_t *key = blocks[b].key;
        mote_table_put(&field->table, mote_table_hash((uint32_t)key[0], (uint32_t)key[1], (uint32_t)key[2]), b);
    }
    // While blocks were added there was room for twice as many.
    mote_buffer exact = {NULL, 0};
    const mote_result result = mote_buffer_reserve(context, &exact, kept * sizeof *blocks, 0);
    if (result != MOTE_OK) return result;
    if (kept > 0) memcpy(exact.data, blocks, kept * sizeof *blocks);
    mote_buffer_release(context, &field->blocks);
    field->blocks = exact;
    return MOTE_OK;
}

static size_t node_bytes(const wall_field *field)
{
    return field->node_blocks * (size_t)mote_field_nodes_of_block(field) * field->numbers * sizeof(float);
}

mote_result mote_field_finish(mote_context *context, wall_field *field)
{
    mote_result result = drop_blocks(context, field);
    if (result == MOTE_OK) result = make_grid(context, field);
    if (result != MOTE_OK) return result;
    if (field->size[0] > 0) mote_table_release(context, &field->table);
    uint64_t sum = mote_checksum(MOTE_CHECKSUM_START, &field->corner, sizeof field->corner);
    const bool are_shared = field->node_blocks < field->block_count;
    for (uint32_t b = 0; b < field->block_count; ++b) {
        const field_block *block = (const field_block *)field->blocks.data + b;
        sum = mote_checksum(sum, block->key, 3 * sizeof(int32_t));
        if (are_shared) sum = mote_checksum(sum, &block->nodes, sizeof block->nodes);
    }
    field->checksum = mote_checksum(sum, field->nodes.data, node_bytes(field));
    return MOTE_OK;
}

uint64_t mote_field_checksum(const mote_fluid *fluid, uint64_t sum)
{
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const uint64_t own = ((const wall_field *)fluid->fields.data)[k].checksum;
        sum = mote_checksum(sum, &own, sizeof own);
    }
    return sum;
}

void mote_field_release(mote_context *context, wall_field *field)
{
    mote_table_release(context, &field->table);
    mote_buffer_release(context, &field->blocks);
    mote_buffer_release(context, &field->nodes);
    mote_buffer_release(context, &field->grid);
    mote_buffer_release(context, &field->cells);
    mote_buffer_release(context, &field->octants);
}

void mote_fluid_release_fields(mote_fluid *fluid)
{
    for (uint32_t k = 0; k < fluid->field_count; ++k)
        mote_field_release(fluid->context, (wall_field *)fluid->fields.data + k);
    mote_buffer_release(fluid->context, &fluid->fields);
    mote_buffer_release(fluid->context, &fluid->field_curves);
    mote_buffer_release(fluid->context, &fluid->near_fields.marks);
    mote_buffer_release(fluid->context, &fluid->near_fields.firsts);
    mote_buffer_release(fluid->context, &fluid->near_fields.numbers);
    mote_buffer_release(fluid->context, &fluid->near_fields.values);
}

uint32_t mote_fluid_field_count(const mote_fluid *fluid)
{
    return fluid->field_count;
}

size_t mote_fluid_field_bytes(const mote_fluid *fluid)
{
    size_t bytes = fluid->fields.bytes + fluid->field_curves.bytes + mote_field_near_bytes(fluid);
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const wall_field *field = (const wall_field *)fluid->fields.data + k;
        bytes += field->table.memory.bytes + field->blocks.bytes + field->nodes.bytes + field->grid.bytes +
                 field->cells.bytes + field->octants.bytes;
    }
    return bytes;
}

// ---------------------------------------------------------------------------------------------------------- its values

// The nodes of a block; UINT32_MAX: it has none. A grid of all blocks spares particles that are near a body, but not
// near enough, the search in the table.
static uint32_t find_nodes(const wall_field *field, const int32_t key[3])
{
    if (field->size[0] == 0) {
        const field_block *block = mote_field_find_block(field, key);
        return block ? block->nodes : UINT32_MAX;
    }
    const uint32_t x = (uint32_t)key[0], y = (uint32_t)key[1], z = (uint32_t)key[2];  // below 0: too large
    if (x >= field->size[0] || y >= field->size[1] || z >= field->size[2]) return UINT32_MAX;
    return ((const uint32_t *)field->grid.data)[((size_t)z * field->size[1] + y) * field->size[0] + x];
}

// The mean of the corners of a cell, in 2D of a face, by where in it a place is. `width` and `is_flat` are constants
// where this is called, for which the compiler writes loops of their own.
MOTE_INLINE void add_corners(const float *nodes, size_t width, bool is_flat, const float part[3],
                             float values[FIELD_NUMBERS])
{
    const size_t row = width * FIELD_SIDE, slab = is_flat ? row : row * FIELD_SIDE;
    float sums[FIELD_NUMBERS] = {0};
    for (size_t l = 0; l < 2; ++l)
        for (size_t j = 0; j < (is_flat ? 1 : 2); ++j) {
            const float *node = nodes + l * slab + j * row;
            const float wy = is_flat ? 1 : j ? part[1] : 1 - part[1], weight = wy * (l ? part[2] : 1 - part[2]);
            const float low = weight * (1 - part[0]), high = weight * part[0];
            for (size_t c = 0; c < width; ++c) sums[c] += low * node[c] + high * node[width + c];
        }
    memcpy(values, sums, sizeof sums);
}

bool mote_field_find(const wall_field *field, mote_vec3 at, float values[FIELD_NUMBERS])
{
    const bool is_flat = field->is_flat;
    const double u[3] = {(at.x - field->corner.x) * field->per_edge,
                         is_flat ? 0 : (at.y - field->corner.y) * field->per_edge,
                         (at.z - field->corner.z) * field->per_edge};
    int32_t key[3], cell[3];
    float part[3];
    for (int k = 0; k < 3; ++k) {
        if (!(u[k] >= 0 && u[k] < field->most[k])) return false;
        key[k] = (int32_t)u[k];
        const double inside = (u[k] - key[k]) * FIELD_STEPS;
        cell[k] = MOTE_MIN((int32_t)inside, FIELD_STEPS - 1);
        part[k] = (float)(inside - cell[k]);
    }
    const uint32_t number = find_nodes(field, key);
    if (number == UINT32_MAX) return false;
    const size_t width = field->numbers, of_block = width * (size_t)mote_field_nodes_of_block(field);
    const int32_t row = is_flat ? cell[2] : cell[2] * FIELD_SIDE + cell[1];
    const size_t first = width * (size_t)(row * FIELD_SIDE + cell[0]);
    const float *nodes = (const float *)field->nodes.data + number * of_block + first;
    if (width == FIELD_NUMBERS && !is_flat) add_corners(nodes, FIELD_NUMBERS, false, part, values);
    else if (width == FIELD_NUMBERS) add_corners(nodes, FIELD_NUMBERS, true, part, values);
    else add_corners(nodes, 3, is_flat, part, values);
    return true;
}

// -------------------------------------------------------------------------------------------------------- its checks

static mote_result refuse(uint32_t number, uint32_t block, const char *what, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_STATE, number, "fluid: field %u: block %u %s", (unsigned)number, (unsigned)block,
                     what);
}

mote_result mote_field_validate(const mote_fluid *fluid, mote_error *error)
{
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const wall_field *field = (const wall_field *)fluid->fields.data + k;
        const size_t width = (size_t)mote_field_nodes_of_block(field) * field->numbers;
        for (uint32_t b = 0; b < field->block_count; ++b) {
            const field_block *block = (const field_block *)field->blocks.data + b;
            if (block->nodes >= field->node_blocks) return refuse(k, b, "has no nodes", error);
            const float *nodes = (const float *)field->nodes.data + block->nodes * width;
            if (find_nodes(field, block->key) != block->nodes) return refuse(k, b, "is not found at its place", error);
            for (size_t n = 0; n < width; ++n)
                if (!(nodes[n] - nodes[n] == 0)) return refuse(k, b, "has a node that is not finite", error);
        }
    }
    return MOTE_OK;
}
