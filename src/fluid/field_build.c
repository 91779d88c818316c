// SPDX-License-Identifier: MIT
// Makes the field of a body (wall_field.c). The grid consists of blocks, two spacings wide, which are found by dividing
// the box around the body as an octree. Blocks that no particle can come to have no nodes. Each block is divided into
// cells, which have the volume of their part in the body (as density maps, Koschier & Bender 2017, integrate over it),
// and the sums of a node are those over the cells within reach. Cells and nodes of a block are computed by one thread
// in a fixed order, so that the bits do not depend on how many there are.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

enum { STEPS = FIELD_STEPS, SIDE = FIELD_SIDE, MOST_NODES = FIELD_NODES };
enum { MOST_AROUND = FIELD_MOST_AROUND };
static const double deepest = 1;  // spacings, of a particle in a body: guards hold it off; no step moves a wall farther
// Likewise, in 3D: the range of a kernel is then at most two blocks to each side (FIELD_MOST_AROUND).
static const double widest_support = 4;

static const double most_spacings = 1 << 20;  // of the edges of a body

typedef struct field_build {
    mote_fluid *fluid;
    wall_field *field;
    const void *body;
    mote_body_distance *distance;
    const mote_box *lattice;  // where particles may come, of a body of cubes; NULL: any body
    double half_diagonal, scale, filling_scale;
    int cells, range;     // cells along a block's edge; blocks to both sides that a kernel reaches
    mote_buffer filling;  // float[cells³]: their parts in the body
    mote_buffer at_places;  // uint32_t: the numbers of blocks at all places of the grid; none, if these are too many
    mote_buffer near;     // near_cell: cells of the blocks around one
    uint32_t near_first[MOST_AROUND + 1];  // of each of these blocks
    mote_buffer wholes;   // node_sums: of these blocks if they are all within the body
    mote_buffer firsts;   // uint32_t: of each nodes' array, the first block that has it
    mote_result result;
} field_build;

static double distance_of(const field_build *build, mote_vec3 place, double reach)
{
    double distance = HUGE_VAL;
    mote_vec3 normal;
    build->distance(build->body, place, reach, &distance, &normal);
    return distance;
}

// ------------------------------------------------------------------------------------------------------- the blocks

static mote_vec3 middle_of(const wall_field *field, const int32_t key[3], double size)
{
    const double half = size / 2;
    return mote_vec3_make(field->corner.x + field->edge * (key[0] + half),
                          field->is_flat ? 0 : field->corner.y + field->edge * (key[1] + half),
                          field->corner.z + field->edge * (key[2] + half));
}

// Whether a particle may come to a block.
static bool is_reachable(const field_build *build, const int32_t key[3], double distance)
{
    const double depth = deepest * build->fluid->def.spacing;
    if (distance < -(build->half_diagonal + depth)) return false;
    if (!build->lattice) return true;
    const mote_box block = {middle_of(build->field, key, 0), middle_of(build->field, key, 2)};
    return mote_box_overlaps(mote_box_grow(*build->lattice, depth), block, 0);
}

static void add_block(field_build *build, const int32_t key[3], double distance)
{
    wall_field *field = build->field;
    const bool has_nodes = is_reachable(build, key, distance);
    const field_block block = {{key[0], key[1], key[2]}, has_nodes ? field->node_blocks : UINT32_MAX, (float)distance,
                               false};
    if (field->block_count >= FIELD_MOST_BLOCKS) build->result = MOTE_ERROR_OUT_OF_MEMORY;
    else build->result = mote_field_put_block(build->fluid->context, field, &block);
    if (build->result == MOTE_OK) field->node_blocks += has_nodes;
}

// Adds the blocks of a cube that is `size` blocks wide, a power of two, as far as the surface is near.
static void divide(field_build *build, const int32_t key[3], int32_t size)
{
    const double reach = build->fluid->def.support + build->half_diagonal * size;
    for (int k = 0; k < 3; ++k)
        if (key[k] >= (int32_t)build->field->most[k]) return;
    const double distance = distance_of(build, middle_of(build->field, key, size), reach);
    if (build->result != MOTE_OK || !(fabs(distance) <= reach)) return;
    if (size == 1) {
        add_block(build, key, distance);
        return;
    }
    const int32_t half = size / 2;
    for (int k = 0; k < 8; ++k) {
        if (build->field->is_flat && k & 2) continue;
        const int32_t part[3] = {key[0] + (k & 1 ? half : 0), key[1] + (k & 2 ? half : 0), key[2] + (k & 4 ? half : 0)};
        divide(build, part, half);
    }
}

// -------------------------------------------------------------------------------------------------- cells and nodes

// From the lowest corner of its block.
static mote_vec3 cell_in_block(const field_build *build, int number)
{
    const int n = build->cells;
    const double step = build->field->edge / n;
    const bool is_flat = build->field->is_flat;
    return mote_vec3_make((number % n + 0.5) * step, is_flat ? 0 : (number / n % n + 0.5) * step,
                          ((is_flat ? number / n : number / (n * n)) + 0.5) * step);
}

static int cell_count(const field_build *build)
{
    return build->field->is_flat ? build->cells * build->cells : build->cells * build->cells * build->cells;
}

// The part of each cell that is in the body, as if the surface crossed it at a right angle to an edge. The distance of
// the block's middle tells this for most cells.
static void fill_cells(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const field_build *build = data;
    const int count = cell_count(build);
    const double step = build->field->edge / build->cells, slack = 1e-6 * step;
    for (size_t b = begin; b < end; ++b) {
        field_block *block = (field_block *)build->field->blocks.data + b;
        float *filling = (float *)build->filling.data + b * (size_t)count;
        const double of_middle = (double)block->distance;
        const mote_vec3 corner = middle_of(build->field, block->key, 0);
        const mote_vec3 middle = middle_of(build->field, block->key, 1);
        block->is_whole = true;
        for (int k = 0; k < count; ++k) {
            const mote_vec3 at = mote_vec3_add(corner, cell_in_block(build, k));
            const double clear = mote_vec3_length(mote_vec3_sub(at, middle)) + step / 2 + slack;
            const double distance = fabs(of_middle) >= clear ? of_middle : distance_of(build, at, step);
            filling[k] = (float)MOTE_MIN(MOTE_MAX(0.5 - distance / step, 0.0), 1.0);
            block->is_whole = block->is_whole && filling[k] == 1;
        }
    }
}

// A cell of a block around one, of which some nodes are within reach.
typedef struct near_cell {
    uint32_t number;   // among the cells of its block
    uint32_t reached;  // bit k: whether a kernel reaches one of the nodes FIELD_LANES k to FIELD_LANES (k + 1) − 1
    float x, y, z;     // from the first node
} near_cell;

// The sums of a block's nodes.
typedef struct node_sums {
    float of[FIELD_NUMBERS][MOST_NODES + FIELD_LANES];
} node_sums;

typedef struct block_nodes {
    float step, h, tiny;
    int count;
    float place[3][MOST_NODES + FIELD_LANES];
    node_sums sums;
} block_nodes;

// Many nodes at once, which the compiler puts into vector registers.
static void add_cell(block_nodes *nodes, float x, float y, float z, float weight, int begin, int end)
{
    const float h = nodes->h, tiny = nodes->tiny;
    for (int n = begin; n < end; ++n) {
        const float dx = x - nodes->place[0][n], dy = y - nodes->place[1][n], dz = z - nodes->place[2][n];
        const float r = sqrtf((dx * dx + dy * dy) + dz * dz + tiny), left = h - r, s = left > 0 ? left : 0;
        const float slope = weight * (s * s / r);
        nodes->sums.of[0][n] += slope * dx, nodes->sums.of[1][n] += slope * dy, nodes->sums.of[2][n] += slope * dz;
    }
}

// Adds what a cell does to the nodes that a kernel reaches from there, and 0 to others beside these.
static void sum_nodes(const field_build *build, const near_cell *cell, float filling, block_nodes *nodes)
{
    node_sums *of = &nodes->sums;
    float *const sums[FIELD_NUMBERS] = {of->of[0], of->of[1], of->of[2], of->of[3]};
    const float *const places[3] = {nodes->place[0], nodes->place[1], nodes->place[2]};
    const mote_fluid *fluid = build->fluid;
    for (uint32_t left = cell->reached; left;) {
        const uint32_t first = mote_lowest_bit(left), count = mote_lowest_bit(~(left >> first));
        const int begin = (int)first * FIELD_LANES, end = begin + (int)count * FIELD_LANES;
        left &= ~(((1u << count) - 1) << first);
        if (build->field->numbers < FIELD_NUMBERS) {
            add_cell(nodes, cell->x, cell->y, cell->z, filling, begin, end);
            continue;
        }
        const fluid_place place = {cell->x, cell->y, cell->z, filling};
        fluid->weak.lanes->nodes(&fluid->weak.kernel, &place, places, begin, end, sums);
    }
}

// Where the nodes of a block are, relative to the first.
static void place_nodes(const field_build *build, block_nodes *nodes)
{
    const bool is_flat = build->field->is_flat;
    nodes->step = (float)(build->field->edge / STEPS);
    nodes->h = build->fluid->pair.h, nodes->tiny = build->fluid->pair.tiny_squared;
    nodes->count = mote_field_nodes_of_block(build->field);
    for (int n = nodes->count; n < nodes->count + FIELD_LANES; ++n)
        nodes->place[0][n] = nodes->place[1][n] = nodes->place[2][n] = MOTE_FAR_AWAY;
    for (int n = 0; n < nodes->count; ++n) {
        nodes->place[0][n] = nodes->step * (float)(n % SIDE);
        nodes->place[1][n] = is_flat ? 0 : nodes->step * (float)(n / SIDE % SIDE);
        nodes->place[2][n] = nodes->step * (float)(is_flat ? n / SIDE : n / (SIDE * SIDE));
    }
}

// How far a coordinate is from the block whose nodes are summed.
static double beside(const field_build *build, double at)
{
    return MOTE_MAX(MOTE_MAX(-at, at - build->field->edge), 0.0);
}

// The nodes, in groups of FIELD_LANES, that a kernel reaches from a place; none, if it does not reach the block.
static uint32_t find_reached(const field_build *build, const block_nodes *nodes, mote_vec3 at)
{
    const double h = build->fluid->def.support, more = h * (1 + 1e-6);  // than what single precision rounds
    const mote_vec3 clear = {beside(build, at.x), beside(build, at.y), beside(build, at.z)};
    uint32_t reached = 0;
    if (mote_vec3_dot(clear, clear) >= h * h) return 0;
    for (int n = 0; n < nodes->count; ++n) {
        const mote_vec3 node = {(double)nodes->place[0][n], (double)nodes->place[1][n], (double)nodes->place[2][n]};
        const mote_vec3 away = mote_vec3_sub(at, node);
        if (mote_vec3_dot(away, away) < more * more) reached |= 1u << n / FIELD_LANES;
    }
    return reached;
}

// Which cells around a block matter to its nodes is the same for all blocks.
static mote_result find_near_cells(field_build *build)
{
    const wall_field *field = build->field;
    const int around = mote_field_blocks_around(field, build->range);
    const double edge = field->edge;
    block_nodes nodes;
    uint32_t count = 0;
    MOTE_ASSERT(around <= MOST_AROUND);
    place_nodes(build, &nodes);
    const size_t bytes = mote_bytes((size_t)around, (size_t)cell_count(build) * sizeof(near_cell));
    const mote_result result = mote_buffer_reserve(build->fluid->context, &build->near, bytes, 0);
    if (result != MOTE_OK) return result;
    near_cell *near = build->near.data;
    for (int b = 0; b < around; ++b) {
        int32_t away[3];
        mote_field_block_around(field, build->range, b, away);
        const mote_vec3 block = {edge * away[0], edge * away[1], edge * away[2]};
        build->near_first[b] = count;
        for (int k = 0; k < cell_count(build); ++k) {
            const mote_vec3 at = mote_vec3_add(block, cell_in_block(build, k));
            const uint32_t reached = find_reached(build, &nodes, at);
            if (reached) near[count++] = (near_cell){(uint32_t)k, reached, (float)at.x, (float)at.y, (float)at.z};
        }
    }
    build->near_first[around] = count;
    return MOTE_OK;
}

// Adds the cells of the k-th of the blocks around one.
// @param filling  the parts of its cells in the body; NULL: they are all within
static void add_block_sums(const field_build *build, int k, const float *filling, block_nodes *nodes)
{
    const near_cell *near = build->near.data;
    for (uint32_t c = build->near_first[k]; c < build->near_first[k + 1]; ++c) {
        const float part = filling ? filling[near[c].number] : 1;
        if (part > 0) sum_nodes(build, near + c, part, nodes);
    }
}

// The sums over blocks that are all within a body are the same everywhere.
static void fill_wholes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const field_build *build = data;
    block_nodes nodes;
    place_nodes(build, &nodes);
    for (size_t k = begin; k < end; ++k) {
        memset(&nodes.sums, 0, sizeof nodes.sums);
        add_block_sums(build, (int)k, NULL, &nodes);
        ((node_sums *)build->wholes.data)[k] = nodes.sums;
    }
}

static void add_sums(uint32_t numbers, const node_sums *more, node_sums *to)
{
    for (uint32_t c = 0; c < numbers; ++c)
        for (int n = 0; n < MOST_NODES + FIELD_LANES; ++n) to->of[c][n] += more->of[c][n];
}

// Blocks are looked up as often as each is near another: a grid of all places spares the search in the table.
static mote_result number_blocks(field_build *build)
{
    const wall_field *field = build->field;
    const uint32_t *most = field->most;
    const double places = (double)most[0] * most[1] * most[2];
    if (places > FIELD_MOST_PLACES) return MOTE_OK;
    const size_t bytes = mote_bytes((size_t)places, sizeof(uint32_t));
    const mote_result result = mote_buffer_reserve(build->fluid->context, &build->at_places, bytes, 0);
    if (result != MOTE_OK) return result;
    memset(build->at_places.data, 0xff, bytes);
    for (uint32_t b = 0; b < field->block_count; ++b) {
        const int32_t *key = ((const field_block *)field->blocks.data)[b].key;
        const size_t row = (size_t)key[2] * most[1] + (size_t)key[1];
        ((uint32_t *)build->at_places.data)[row * most[0] + (size_t)key[0]] = b;
    }
    return MOTE_OK;
}

// The number of the block at a place; UINT32_MAX: there is none.
static uint32_t find_number(const field_build *build, const int32_t key[3])
{
    const wall_field *field = build->field;
    const uint32_t x = (uint32_t)key[0], y = (uint32_t)key[1], z = (uint32_t)key[2];  // below 0: too large
    if (!build->at_places.data) {
        const field_block *block = mote_field_find_block(field, key);
        return block ? (uint32_t)(block - (const field_block *)field->blocks.data) : UINT32_MAX;
    }
    if (x >= field->most[0] || y >= field->most[1] || z >= field->most[2]) return UINT32_MAX;
    return ((const uint32_t *)build->at_places.data)[((size_t)z * field->most[1] + y) * field->most[0] + x];
}

// What the body does to the nodes of a block.
static void find_block_sums(const field_build *build, const field_block *block, block_nodes *nodes)
{
    const wall_field *field = build->field;
    const float *filling[MOST_AROUND];  // of blocks of which only a part is in the body
    memset(&nodes->sums, 0, sizeof nodes->sums);
    for (int k = 0; k < mote_field_blocks_around(field, build->range); ++k) {
        int32_t away[3];
        mote_field_block_around(field, build->range, k, away);
        const int32_t key[3] = {block->key[0] + away[0], block->key[1] + away[1], block->key[2] + away[2]};
        const uint32_t other = find_number(build, key);
        filling[k] = NULL;
        if (other == UINT32_MAX) continue;
        if (((const field_block *)field->blocks.data)[other].is_whole)
            add_sums(field->numbers, (const node_sums *)build->wholes.data + k, &nodes->sums);
        else
            filling[k] = (const float *)build->filling.data + (size_t)other * (size_t)cell_count(build);
    }
    for (int k = 0; k < mote_field_blocks_around(field, build->range); ++k)
        if (filling[k]) add_block_sums(build, k, filling[k], nodes);
}

static void fill_nodes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const field_build *build = data;
    const wall_field *field = build->field;
    block_nodes nodes;
    place_nodes(build, &nodes);
    for (size_t k = begin; k < end; ++k) {
        const field_block *block = (const field_block *)field->blocks.data + ((const uint32_t *)build->firsts.data)[k];
        find_block_sums(build, block, &nodes);
        float *to = (float *)field->nodes.data + k * field->numbers * (size_t)nodes.count;
        for (int n = 0; n < nodes.count; ++n)
            for (uint32_t c = 0; c < field->numbers; ++c)
                *to++ = (float)(c < 3 ? build->scale : build->filling_scale) * nodes.sums.of[c][n];
    }
}

// ---------------------------------------------------------------------------------------------------------- building

// Arrays of nodes are numbered in the order of the first blocks that have them.
static mote_result find_firsts(field_build *build)
{
    const wall_field *field = build->field;
    const field_block *blocks = field->blocks.data;
    const size_t bytes = mote_bytes(field->node_blocks, sizeof(uint32_t));
    const mote_result result = mote_buffer_reserve(build->fluid->context, &build->firsts, bytes, 0);
    uint32_t *firsts = build->firsts.data, found = 0;
    for (uint32_t b = 0; b < field->block_count && result == MOTE_OK; ++b)
        if (blocks[b].nodes == found) firsts[found++] = b;
    return result;
}

static mote_result build_field(field_build *build)
{
    wall_field *field = build->field;
    mote_context *context = build->fluid->context;
    const int32_t first[3] = {0, 0, 0};
    divide(build, first, mote_field_width(field));
    if (build->result != MOTE_OK) return build->result;
    const size_t cells = (size_t)cell_count(build), around = (size_t)mote_field_blocks_around(field, build->range);
    const size_t filling = mote_bytes(field->block_count, cells * sizeof(float));
    mote_result result = mote_buffer_reserve(context, &build->filling, filling, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &build->wholes, mote_bytes(around, sizeof(node_sums)), 0);
    if (result == MOTE_OK) result = find_near_cells(build);
    if (result == MOTE_OK) result = number_blocks(build);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, around, 1, fill_wholes, build);
    mote_parallel_for(context, field->block_count, 16, fill_cells, build);
    if (build->lattice) result = mote_field_share_nodes(context, field, build->filling.data, cells, build->range);
    if (result == MOTE_OK) result = find_firsts(build);
    if (result == MOTE_OK) result = mote_field_reserve_nodes(context, field, field->node_blocks);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, field->node_blocks, 16, fill_nodes, build);
    return mote_field_finish(context, field);
}

// Cells along a block's edge, and the edge of a cell in spacings.
static int cells_of(const mote_fluid *fluid)
{
    return fluid->def.dimensions == 2 ? 4 : 3;
}

static double cell_of(const mote_fluid *fluid, const wall_field *field)
{
    return field->edge / fluid->def.spacing / cells_of(fluid);
}

// The curves of flat walls, which all fields of a fluid share.
static mote_result prepare_curves(mote_fluid *fluid, const wall_field *field)
{
    const double d = fluid->def.spacing, cell = cell_of(fluid, field), node = field->edge / d / STEPS;
    const bool is_weak = fluid->def.solver == MOTE_SOLVER_WEAK;
    if (fluid->field_curves.data) return MOTE_OK;
    const size_t bytes = is_weak ? sizeof(weak_field_curves) : sizeof(field_curves);
    const mote_result result = mote_buffer_reserve(fluid->context, &fluid->field_curves, bytes, 0);
    if (result != MOTE_OK) return result;
    // Means over cells are smoother by e²/24, lines between nodes by twice that in the mean.
    if (is_weak) mote_weak_find_curves(fluid, (cell * cell + 2 * node * node) * d * d / 24, fluid->field_curves.data);
    else mote_field_find_curves(fluid->def.dimensions, fluid->def.support, d, fluid->field_curves.data);
    return MOTE_OK;
}

// What makes sums over cells those of layers. Cells of one spacing are these layers.
static void find_scales(field_build *build)
{
    const mote_fluid *fluid = build->fluid;
    const double cell = cell_of(fluid, build->field), d = fluid->def.spacing, h = fluid->def.support;
    const double volume = fluid->def.dimensions == 3 ? cell * cell * cell : cell * cell;  // in units of d^D
    if (build->lattice) {
        const bool is_weak = fluid->def.solver == MOTE_SOLVER_WEAK;
        build->scale = build->filling_scale = !is_weak ? 1 : fluid->def.dimensions == 3 ? d * d * d : d * d;
        return;
    }
    if (fluid->def.solver == MOTE_SOLVER_WEAK) {
        const weak_field_curves *curves = fluid->field_curves.data;
        build->scale = volume * curves->lean_scale, build->filling_scale = volume * curves->filling_scale;
        return;
    }
    const field_curves *curves = fluid->field_curves.data;
    build->scale = volume * curves->middle / mote_field_half_space(fluid->def.dimensions, h, d);
}

mote_result mote_field_begin(mote_fluid *fluid, uint32_t boundary, mote_box box, wall_field **field, mote_error *error)
{
    MOTE_ASSERT(boundary < fluid->boundary_count);
    const double d = fluid->def.spacing, h = fluid->def.support;
    if (fluid->def.dimensions == 3 && h > widest_support * d * (1 + 1e-9))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "fluid.support is %g, expected at most %g spacings of %g with walls that are fields in 3D", h,
                         widest_support, d);
    const double width = mote_field_box_width(box, fluid->def.dimensions == 2);
    if (!(width < most_spacings * d))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "boundary \"field\" of a body %g m wide, expected less than %g spacings of %g m", width,
                         most_spacings, d);
    const wall_field empty = mote_field_empty(fluid, boundary, box);
    const size_t used = fluid->field_count * sizeof(wall_field);
    mote_result result = mote_buffer_reserve(fluid->context, &fluid->fields, used + sizeof(wall_field), used);
    if (result == MOTE_OK) result = prepare_curves(fluid, &empty);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "the field of a wall", error);
    *field = (wall_field *)fluid->fields.data + fluid->field_count++;
    **field = empty;
    fluid->evaluated = fluid->has_rows = false;
    return MOTE_OK;
}

mote_result mote_fluid_add_field(mote_fluid *fluid, uint32_t boundary, mote_box box, mote_body_distance *distance,
                                 const void *body, const mote_box *lattice, mote_error *error)
{
    field_build build = {.fluid = fluid, .body = body, .distance = distance, .lattice = lattice,
                         .cells = lattice ? (int)FIELD_BLOCK : cells_of(fluid)};
    mote_result result = mote_field_begin(fluid, boundary, box, &build.field, error);
    if (result != MOTE_OK) return result;
    build.half_diagonal = sqrt(fluid->def.dimensions) / 2 * build.field->edge;
    build.range = (int)ceil(fluid->def.support / build.field->edge - 1e-9);
    find_scales(&build);
    result = build_field(&build);
    mote_buffer_release(fluid->context, &build.filling);
    mote_buffer_release(fluid->context, &build.firsts);
    mote_buffer_release(fluid->context, &build.wholes);
    mote_buffer_release(fluid->context, &build.near);
    mote_buffer_release(fluid->context, &build.at_places);
    return result == MOTE_OK ? MOTE_OK : mote_fluid_out_of_memory(fluid, "the field of a wall", error);
}
