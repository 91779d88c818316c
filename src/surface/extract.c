// SPDX-License-Identifier: MIT
// From signs and values to vertices and triangles.
//
// A vertex belongs to the node at which its edge begins, a triangle to the node at which its cube begins. The signs of
// a row of nodes and of those beside it are bits, from which the cut edges follow, and the number of a vertex is found
// by counting these. Chunks count, their numbers are summed, and each fills its own part of the arrays.

#include <math.h>

#include "base/vector.h"
#include "surface/extract.h"
#include "surface/given.h"

// Counts the bits of a row, without the call that compilers make of it for every x86-64.
static uint32_t count_row(uint32_t bits)
{
    bits -= bits >> 1 & 0x5555;
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
    bits = (bits + (bits >> CHUNK_BITS)) & 0x0F0F;
    return (bits + (bits >> 8)) & 0x1F;
}

static uint32_t bits_below(uint32_t bits, int x)
{
    return count_row(bits & ((1u << x) - 1));
}

// The signs of a chunk's nodes and of two more along each axis: row at[z][y] has node x in bit x.
typedef struct node_rows {
    uint32_t at[CHUNK + 2][CHUNK + 2];
} node_rows;

// Rows of 16 bits of a chunk, of which all nodes may be on the same side.
static const uint16_t *sign_rows(const surface_grid *grid, const surface_chunk *chunk, int z)
{
    static const uint16_t outside[CHUNK] = {0}, inside[CHUNK] = {UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX,
                                                                 UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX,
                                                                 UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX,
                                                                 UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX};
    if (!chunk || chunk->signs == ALL_OUTSIDE) return outside;
    return chunk->signs == ALL_INSIDE ? inside : grid->signs[chunk->signs].rows[z];
}

// False, without rows, if all of these nodes are on the same side.
static bool take_rows(const surface_grid *grid, const surface_chunk *const next[8], node_rows *rows)
{
    bool has_inside = false, has_outside = false;
    for (int k = 0; k < 8; ++k) {
        has_inside |= next[k] && next[k]->signs != ALL_OUTSIDE;
        has_outside |= !next[k] || next[k]->signs != ALL_INSIDE;
    }
    if (!has_inside || !has_outside) return false;
    for (int z = 0; z < CHUNK + 2; ++z)
        for (int k = 0; k < 2; ++k) {
            const int row = k << 1 | z >> CHUNK_BITS << 2, count = k ? 2 : CHUNK;
            const uint16_t *own = sign_rows(grid, next[row], z & (CHUNK - 1));
            const uint16_t *beside = sign_rows(grid, next[row | 1], z & (CHUNK - 1));
            for (int y = 0; y < count; ++y) rows->at[z][k * CHUNK + y] = own[y] | (beside[y] & 3u) << CHUNK;
        }
    return true;
}

// The edges that begin at nodes 0 … 16 of a row and are cut, along each axis. False if there are none.
static bool take_cuts(const node_rows *rows, int z, int y, uint32_t cuts[3])
{
    static const uint32_t nodes = (UINT32_C(1) << (CHUNK + 1)) - 1;
    const uint32_t own = rows->at[z][y];
    cuts[0] = (own ^ own >> 1) & nodes;
    cuts[1] = (own ^ rows->at[z][y + 1]) & nodes;
    cuts[2] = (own ^ rows->at[z + 1][y]) & nodes;
    return (cuts[0] | cuts[1] | cuts[2]) != 0;
}

// The cubes of a row with corners on both sides.
static uint32_t cut_cubes(const node_rows *rows, int z, int y)
{
    const uint32_t a = rows->at[z][y], b = rows->at[z][y + 1], c = rows->at[z + 1][y], d = rows->at[z + 1][y + 1];
    const uint32_t any = a | b | c | d, all = a & b & c & d;
    return (any | any >> 1) & ~(all & all >> 1) & UINT16_MAX;
}

static int case_of(const node_rows *rows, int z, int y, int x)
{
    return (int)((rows->at[z][y] >> x & 3) | (rows->at[z][y + 1] >> x & 3) << 2 | (rows->at[z + 1][y] >> x & 3) << 4 |
                 (rows->at[z + 1][y + 1] >> x & 3) << 6);
}

// ------------------------------------------------------------------------------------------------------- counting

// Counts the triangles of a row of cubes and, in `junctions`, the vertices that are not on edges.
static uint32_t count_cubes(const extract_task *task, const node_rows *rows, const surface_chunk *const next[8],
                            bool has_phases, int z, int y, uint32_t *junctions)
{
    uint32_t count = 0;
    for (uint32_t left = cut_cubes(rows, z, y); left; left &= left - 1) {
        const int at[3] = {(int)mote_lowest_bit(left), y, z};
        surface_junction junction;
        if (has_phases && mote_surface_take_junction(task, next, at, &junction)) {
            count += (uint32_t)junction.triangle_count;
            *junctions += mote_surface_junction_vertices(&junction);
        } else
            count += task->table->cases[case_of(rows, z, y, at[0])].count;
    }
    return count;
}

static bool has_phases_near(const extract_task *task, const surface_chunk *const next[8])
{
    return task->phases && mote_surface_has_phases(task->phases, task->grid, next);
}

static void count_chunk(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const extract_task *task = data;
    for (size_t c = begin; c < end; ++c) {
        surface_chunk *chunk = task->grid->chunks + c;
        const surface_chunk *next[8];
        node_rows rows;
        uint32_t vertices = 0, triangles = 0, junctions = 0;
        chunk->first_vertex = chunk->first_triangle = 0;
        if (task->phases) task->phases->chunks[c].junction_count = 0;
        if (chunk->is_alike) continue;
        mote_surface_find_next(task->grid, chunk, next);
        if (!take_rows(task->grid, next, &rows)) continue;
        const bool has_phases = has_phases_near(task, next);
        for (int z = 0; z < CHUNK; ++z)
            for (int y = 0; y < CHUNK; ++y) {
                uint32_t cuts[3];
                if (take_cuts(&rows, z, y, cuts))
                    for (int axis = 0; axis < 3; ++axis) vertices += count_row(cuts[axis] & UINT16_MAX);
                triangles += count_cubes(task, &rows, next, has_phases, z, y, &junctions);
            }
        chunk->first_vertex = vertices + junctions;
        chunk->first_triangle = triangles;
        if (task->phases) task->phases->chunks[c].junction_count = junctions;
    }
}

// The number of triangles falls with the square of the cell: the cell of which `part` times as many are left.
static double cell_for(double cell, double part)
{
    return 1.1 * cell / sqrt(part);
}

// Refuses what the numbers of vertices or the byte budget have no room for, before memory is asked for.
// @param lent  the mesh's memory for triangles, if something else is in it
static mote_result check_size(const mote_context *context, const surface_mesh *mesh, const mote_buffer *lent,
                              uint64_t vertices, uint64_t triangles, double cell, mote_error *error)
{
    static const double most = UINT32_MAX / 3;
    if (triangles > UINT32_MAX / 3 || vertices > UINT32_MAX - 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: %llu triangles, expected at most %u; a cell of %.3g would do",
                         (unsigned long long)triangles, UINT32_MAX / 3, cell_for(cell, most / (double)triangles));
    const size_t left = mote_budget_left(context);
    const size_t held = mesh->vertex_memory.bytes + (lent ? lent->bytes : mesh->triangle_memory.bytes);
    const double needed = (double)vertices * sizeof *mesh->vertices + (double)triangles * sizeof(uint32_t[3]);
    const double room = left < SIZE_MAX - held ? (double)left + (double)held : HUGE_VAL;
    if (needed <= room) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0,
                     "surface: %llu triangles need %.3g MB, expected at most %.3g MB of the byte budget; a cell of "
                     "%.3g would do",
                     (unsigned long long)triangles, needed / 1e6, room / 1e6, cell_for(cell, room / needed));
}

// Makes room for the vertices where three regions meet, which are the last ones of their chunks.
static mote_result number_junctions(const mote_context *context, const surface_grid *grid, surface_phases *phases,
                                    surface_mesh *mesh)
{
    size_t count = 0;
    for (uint32_t c = 0; c < grid->chunk_count; ++c) {
        phase_chunk *chunk = phases->chunks + c;
        const size_t end = c + 1 < grid->chunk_count ? grid->chunks[c + 1].first_vertex : mesh->vertex_count;
        chunk->first_junction = (uint32_t)count;
        chunk->junction_vertex = (uint32_t)end - chunk->junction_count;
        count += chunk->junction_count;
    }
    mote_result result =
        mote_buffer_reserve(context, &phases->junction_memory, mote_bytes(count, sizeof *phases->junctions), 0);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &mesh->kind_memory, mote_bytes(mesh->vertex_count, sizeof *mesh->kinds), 0);
    phases->junctions = phases->junction_memory.data;
    mesh->kinds = mesh->kind_memory.data;
    return result;
}

// Numbers the chunks that have any, and turns counts into first numbers.
static mote_result number_chunks(const mote_context *context, surface_grid *grid, double cell, surface_phases *phases,
                                 surface_mesh *mesh, mote_error *error)
{
    uint64_t vertices = 0, triangles = 0;
    int32_t cuts = 0;
    for (uint32_t c = 0; c < grid->chunk_count; ++c) {
        surface_chunk *chunk = grid->chunks + c;
        const uint32_t own_vertices = chunk->first_vertex, own_triangles = chunk->first_triangle;
        chunk->cuts = own_vertices || own_triangles ? cuts++ : NONE;
        chunk->first_vertex = (uint32_t)vertices;
        chunk->first_triangle = (uint32_t)triangles;
        vertices += own_vertices;
        triangles += own_triangles;
    }
    mote_result result = check_size(context, mesh, grid->has_lent ? &grid->value_memory : NULL, vertices, triangles,
                                    cell, error);
    if (result != MOTE_OK) return result;
    result = mote_buffer_reserve(context, &grid->cut_memory, mote_bytes((size_t)cuts, sizeof *grid->cuts), 0);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &mesh->vertex_memory, mote_bytes((size_t)vertices, sizeof *mesh->vertices), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    grid->cuts = grid->cut_memory.data;
    mesh->vertices = mesh->vertex_memory.data;
    mesh->vertex_count = (size_t)vertices;
    mesh->triangle_count = (size_t)triangles;
    mesh->outer_vertices = mesh->outer_triangles = SIZE_MAX / 3;
    mesh->rim_vertices = 0;
    mesh->kinds = NULL;
    if (phases) result = number_junctions(context, grid, phases, mesh);
    if (result != MOTE_OK) mesh->vertex_count = mesh->triangle_count = 0;
    return mote_pass_memory(error, result, "surface");
}

// ------------------------------------------------------------------------------------------------------- vertices

static mote_vec3 place_at(const surface_place *place, const double node[3])
{
    return mote_vec3_make(place->origin.x + node[0] * place->cell, place->origin.y + node[1] * place->cell,
                          place->origin.z + node[2] * place->cell);
}

void mote_surface_find_next(const surface_grid *grid, const surface_chunk *chunk, const surface_chunk *next[8])
{
    const uint32_t *numbers = grid->around[chunk - grid->chunks].numbers;
    for (int k = 0; k < 8; ++k) {
        const uint32_t number = numbers[13 + (k & 1) + 3 * (k >> 1 & 1) + 9 * (k >> 2)];
        next[k] = number == MOTE_TABLE_NONE ? NULL : grid->chunks + number;
    }
}

// The value of a node of a chunk or, at 16, of one of the next.
static float value_at(const surface_grid *grid, const surface_chunk *const next[8], const int at[3])
{
    const surface_chunk *chunk = next[at[0] >> CHUNK_BITS | at[1] >> CHUNK_BITS << 1 | at[2] >> CHUNK_BITS << 2];
    if (!chunk) return -INFINITY;  // beyond a caller's grid
    const int x = at[0] & (CHUNK - 1), y = at[1] & (CHUNK - 1), z = at[2] & (CHUNK - 1);
    if (grid->given) return mote_given_value(grid->given, chunk, x, y, z);
    const float *value = mote_surface_value(grid, chunk, x, y, z);
    return value ? *value : -INFINITY;
}

static size_t cut_count(const surface_cut *cut)
{
    return cut ? cut->plane_count + (cut->distance != NULL) : 0;
}

double mote_surface_cut_at(const surface_cut *cut, double inside, double outside, mote_vec3 from, mote_vec3 to,
                           int *by)
{
    double t = 2;
    *by = -1;
    if (outside < 0) t = outside > -INFINITY ? inside / (inside - outside) : 0;
    for (size_t k = 0; k < cut_count(cut); ++k) {
        const double beyond = mote_surface_cut_distance(cut, k, to);
        if (beyond >= 0) continue;
        const double before = mote_surface_cut_distance(cut, k, from), own = before / (before - beyond);
        if (own < t) t = own, *by = (int)k;
    }
    return t;
}

mote_vec3 mote_surface_edge_vertex(const extract_task *task, const surface_cut *cut,
                                   const surface_chunk *const next[8], int axis, const int at[3], bool *is_outer)
{
    const surface_chunk *chunk = next[0];
    int far[3] = {at[0], at[1], at[2]};
    ++far[axis];
    double node[3], end[3], t;
    for (int k = 0; k < 3; ++k) {
        node[k] = (double)chunk->at[k] * CHUNK + at[k] - task->place->shift;
        end[k] = node[k] + (k == axis);
    }
    *is_outer = !task->phases || !mote_surface_phase_cut(task->phases, task->grid, next, at, far, &t);
    if (!*is_outer) {
        node[axis] += MOTE_MIN(MOTE_MAX(t, VERTEX_MARGIN), 1 - VERTEX_MARGIN);
        return place_at(task->place, node);
    }
    const float low = value_at(task->grid, next, at), high = value_at(task->grid, next, far);
    const mote_vec3 from = place_at(task->place, node), to = place_at(task->place, end);
    bool is_low_inside = low >= 0;
    if (high >= 0)  // of two nodes inside the field one is cut off
        for (size_t k = 0; k < cut_count(cut); ++k) is_low_inside &= mote_surface_cut_distance(cut, k, from) >= 0;
    int by;
    t = is_low_inside ? mote_surface_cut_at(cut, (double)low, (double)high, from, to, &by)
                      : mote_surface_cut_at(cut, (double)high, (double)low, to, from, &by);
    // Where something cuts, vertices lie on it to a millionth of a cell, also where it runs through nodes.
    const double margin = by >= 0 ? CUT_MARGIN : VERTEX_MARGIN;
    t = MOTE_MIN(MOTE_MAX(t, margin), 1 - margin);
    node[axis] += is_low_inside ? t : 1 - t;
    return place_at(task->place, node);
}

// The vertex on a cut edge where nothing but the field cuts, from the values of both nodes: what
// mote_surface_edge_vertex finds then.
static mote_vec3 field_vertex(const extract_task *task, const surface_chunk *const next[8], int axis, const int at[3],
                              float low, float high)
{
    const bool is_low_inside = low >= 0;
    const double inside = (double)(is_low_inside ? low : high), outside = (double)(is_low_inside ? high : low);
    double t = outside > -INFINITY ? inside / (inside - outside) : 0, node[3];
    t = MOTE_MIN(MOTE_MAX(t, VERTEX_MARGIN), 1 - VERTEX_MARGIN);
    for (int k = 0; k < 3; ++k) node[k] = (double)next[0]->at[k] * CHUNK + at[k] - task->place->shift;
    node[axis] += is_low_inside ? t : 1 - t;
    return place_at(task->place, node);
}

// The values of a caller's grid from a row's first node on, and how far it is to the next ones; NULL where the row and
// those beside it are not all in the grid.
static const float *given_row(const surface_grid *grid, const surface_chunk *chunk, int z, int y, size_t steps[3])
{
    const mote_isosurface_def *def = grid->given;
    int64_t first[3], last[3];
    mote_given_node(chunk, 0, y, z, first);
    mote_given_node(chunk, CHUNK, y + 1, z + 1, last);
    if (!mote_given_has(def, first) || !mote_given_has(def, last)) return NULL;
    steps[0] = 1;
    steps[1] = (size_t)def->size[0];
    steps[2] = steps[1] * (size_t)def->size[1];
    return def->values + mote_given_number(def, first);
}

// The values of a row of nodes along x: those of node x are at `values` + the number of its block's first value +
// x within the block.
typedef struct value_row {
    const int32_t *slots;  // of the blocks along the row; NULL: no value is known
    const float *values;
    int shift;
} value_row;

// The row at y, z of a chunk or, at 16, of one of the next.
static value_row take_values(const surface_grid *grid, const surface_chunk *const next[8], int z, int y)
{
    const surface_chunk *chunk = next[y >> CHUNK_BITS << 1 | z >> CHUNK_BITS << 2];
    const int shift = mote_surface_block_bits(grid), mask = grid->block - 1, n = grid->blocks;
    if (!chunk || chunk->slots == NONE) return (value_row){.shift = shift};
    y &= CHUNK - 1, z &= CHUNK - 1;
    return (value_row){grid->slots + (size_t)chunk->slots * (size_t)mote_surface_slots(grid) +
                           (size_t)(((z >> shift) * n + (y >> shift)) * n),
                       grid->values + (size_t)(((z & mask) << shift | (y & mask)) << shift), shift};
}

// The value of node x, which is below 16.
static float value_in(const value_row *row, int x)
{
    const int32_t slot = row->slots ? row->slots[x >> row->shift] : NONE;
    if (slot == NONE) return -INFINITY;
    return row->values[((size_t)slot << 3 * row->shift) + (size_t)(x & ((1 << row->shift) - 1))];
}

// Makes the vertices on edges that begin at the nodes of a row.
static void fill_row(const extract_task *task, const surface_cut *cut, const surface_chunk *const next[8],
                     const uint32_t row[3], int z, int y, uint32_t *number)
{
    const surface_grid *grid = task->grid;
    const bool by_field = !task->phases && cut_count(cut) == 0;
    size_t steps[3];
    const float *given = by_field && grid->given ? given_row(grid, next[0], z, y, steps) : NULL;
    const bool is_own = by_field && !grid->given;
    value_row rows[3] = {{0}};  // this one, and those beside it along y and z
    for (int k = 0; k < 3 && is_own; ++k) rows[k] = take_values(grid, next, z + (k == 2), y + (k == 1));
    for (uint32_t any = (row[0] | row[1] | row[2]) & UINT16_MAX; any; any &= any - 1) {
        const int at[3] = {(int)mote_lowest_bit(any), y, z};
        float low = 0;
        if (given)
            low = mote_given_above(grid->given, (double)given[at[0]]);
        else if (by_field)
            low = is_own ? value_in(&rows[0], at[0]) : value_at(grid, next, at);
        for (int axis = 0; axis < 3; ++axis) {
            if (!(row[axis] >> at[0] & 1)) continue;
            const uint32_t v = next[0]->first_vertex + (*number)++;
            bool is_outer = true;
            if (by_field) {
                const int far[3] = {at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2)};
                float high;
                if (given)
                    high = mote_given_above(grid->given, (double)given[(size_t)at[0] + steps[axis]]);
                else
                    high = is_own && far[0] < CHUNK ? value_in(&rows[axis], far[0]) : value_at(grid, next, far);
                task->mesh->vertices[v] = field_vertex(task, next, axis, at, low, high);
            } else
                task->mesh->vertices[v] = mote_surface_edge_vertex(task, cut, next, axis, at, &is_outer);
            if (task->mesh->kinds) task->mesh->kinds[v] = is_outer ? VERTEX_AT_AIR : VERTEX_INSIDE;
        }
    }
}

static void fill_vertices(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const extract_task *task = data;
    for (size_t c = begin; c < end; ++c) {
        const surface_chunk *chunk = task->grid->chunks + c, *next[8];
        if (chunk->cuts == NONE) continue;
        surface_cuts *cuts = task->grid->cuts + chunk->cuts;
        node_rows rows;
        mote_surface_find_next(task->grid, chunk, next);
        take_rows(task->grid, next, &rows);
        surface_cut near = task->cut ? *task->cut : (surface_cut){0};
        if (near.distance && mote_surface_is_far(&near, chunk, task->place->cell)) near.distance = NULL;
        uint32_t number = 0, junctions = 0;
        const bool has_junctions = task->phases && task->phases->chunks[c].junction_count;
        for (int z = 0; z < CHUNK; ++z)
            for (int y = 0; y < CHUNK; ++y) {
                uint32_t row[3];
                cuts->before[z][y] = (uint16_t)number;
                if (take_cuts(&rows, z, y, row)) fill_row(task, &near, next, row, z, y, &number);
                for (uint32_t left = has_junctions ? cut_cubes(&rows, z, y) : 0; left; left &= left - 1) {
                    const int at[3] = {(int)mote_lowest_bit(left), y, z};
                    surface_junction junction;
                    if (mote_surface_take_junction(task, next, at, &junction))
                        mote_surface_fill_junction(task, &near, next, at, &junction, &junctions);
                }
            }
    }
}

// ------------------------------------------------------------------------------------------------------ triangles

// The edges that begin at the nodes of a row and are cut, along each axis.
static void cuts_of_row(const surface_grid *grid, const surface_chunk *const next[8], int z, int y, uint32_t cuts[3])
{
    const int below = y == CHUNK - 1 ? 2 : 0, above = z == CHUNK - 1 ? 4 : 0;
    const uint32_t own = sign_rows(grid, next[0], z)[y], beside = sign_rows(grid, next[1], z)[y] & 1u;
    cuts[0] = (own ^ (own >> 1 | beside << (CHUNK - 1))) & UINT16_MAX;
    cuts[1] = own ^ sign_rows(grid, next[below], z)[(y + 1) & (CHUNK - 1)];
    cuts[2] = own ^ sign_rows(grid, next[above], (z + 1) & (CHUNK - 1))[y];
}

uint32_t mote_surface_cuts_along_x(const surface_grid *grid, const surface_chunk *chunk, int z, int y)
{
    const surface_chunk *next[8];
    uint32_t cuts[3];
    mote_surface_find_next(grid, chunk, next);
    cuts_of_row(grid, next, z, y, cuts);
    return cuts[0];
}

uint32_t mote_surface_vertex_number(const surface_grid *grid, const surface_chunk *chunk, const int at[3], int axis)
{
    const surface_chunk *next[8];
    uint32_t cuts[3], number = chunk->first_vertex + grid->cuts[chunk->cuts].before[at[2]][at[1]];
    mote_surface_find_next(grid, chunk, next);
    cuts_of_row(grid, next, at[2], at[1], cuts);
    for (int k = 0; k < 3; ++k) {
        number += bits_below(cuts[k], at[0]);
        if (k < axis) number += cuts[k] >> at[0] & 1;
    }
    return number;
}

// The vertices on the edges that begin at the nodes of a layer, and of one more row and column.
typedef struct vertex_layer {
    uint32_t at[CHUNK + 1][CHUNK + 1][3];
} vertex_layer;

static void number_layer(const extract_task *task, const surface_chunk *const next[8], const node_rows *rows, int z,
                         vertex_layer *layer)
{
    for (int y = 0; y <= CHUNK; ++y) {
        uint32_t cuts[3];
        if (!take_cuts(rows, z, y, cuts)) continue;
        const int row = y >> CHUNK_BITS << 1 | z >> CHUNK_BITS << 2;
        const uint32_t any = cuts[0] | cuts[1] | cuts[2], nodes[2] = {UINT16_MAX, UINT32_C(1) << CHUNK};
        for (int beside = 0; beside < 2; ++beside) {
            const surface_chunk *chunk = next[row | beside];
            if (!(any & nodes[beside]) || !chunk || chunk->cuts == NONE) continue;
            const surface_cuts *before = task->grid->cuts + chunk->cuts;
            uint32_t number = chunk->first_vertex + before->before[z & (CHUNK - 1)][y & (CHUNK - 1)];
            for (uint32_t left = any & nodes[beside]; left; left &= left - 1) {
                const uint32_t x = mote_lowest_bit(left);
                for (int axis = 0; axis < 3; ++axis)
                    if (cuts[axis] >> x & 1) layer->at[y][x][axis] = number++;
            }
        }
    }
}

static void fill_cube(const cube_table *table, const vertex_layer *const layers[2], int inside, int x, int y,
                      uint32_t *to)
{
    const cube_case *own = table->cases + inside;
    for (int k = 0; k < 3 * own->count; ++k) {
        const int edge = own->edges[k], corner = table->corner[edge];
        to[k] = layers[corner >> 2]->at[y + (corner >> 1 & 1)][x + (corner & 1)][edge / 4];
    }
}

// The same where three regions meet; false if they do not.
static bool fill_junction(const extract_task *task, const surface_chunk *const next[8],
                          const vertex_layer *const layers[2], const int at[3], uint32_t **to)
{
    surface_junction junction;
    if (!mote_surface_take_junction(task, next, at, &junction)) return false;
    for (int k = 0; k < 3 * junction.triangle_count; ++k) {
        const int vertex = junction.corners[k], corner = vertex < CUBE_EDGES ? mote_cube_corner(vertex) : 0;
        *(*to)++ = vertex < CUBE_EDGES
                       ? layers[corner >> 2]->at[at[1] + (corner >> 1 & 1)][at[0] + (corner & 1)][vertex / 4]
                       : mote_surface_junction_number(task, next, at, vertex);
    }
    return true;
}

static void fill_triangles(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const extract_task *task = data;
    for (size_t c = begin; c < end; ++c) {
        const surface_chunk *chunk = task->grid->chunks + c, *next[8];
        if (chunk->cuts == NONE) continue;
        mote_surface_find_next(task->grid, chunk, next);
        const bool has_phases = has_phases_near(task, next);
        node_rows rows;
        vertex_layer layers[2];
        take_rows(task->grid, next, &rows);
        number_layer(task, next, &rows, 0, &layers[0]);
        uint32_t *to = task->mesh->triangles + 3 * (size_t)chunk->first_triangle;
        for (int z = 0; z < CHUNK; ++z) {
            const vertex_layer *const pair[2] = {&layers[z & 1], &layers[(z + 1) & 1]};
            number_layer(task, next, &rows, z + 1, &layers[(z + 1) & 1]);
            for (int y = 0; y < CHUNK; ++y)
                for (uint32_t left = cut_cubes(&rows, z, y); left; left &= left - 1) {
                    const int x = (int)mote_lowest_bit(left), inside = case_of(&rows, z, y, x), at[3] = {x, y, z};
                    if (has_phases && fill_junction(task, next, pair, at, &to)) continue;
                    fill_cube(task->table, pair, inside, x, y, to);
                    to += 3 * task->table->cases[inside].count;
                }
        }
    }
}

void mote_surface_lend_memory(surface_grid *grid, surface_mesh *mesh)
{
    MOTE_ASSERT(!grid->has_lent);
    mote_surface_swap_memory(&grid->value_memory, &mesh->triangle_memory);
    grid->has_lent = true;
}

void mote_surface_return_memory(surface_grid *grid, surface_mesh *mesh)
{
    if (!grid->has_lent) return;
    mote_surface_swap_memory(&grid->value_memory, &mesh->triangle_memory);
    grid->has_lent = false;
}

// Makes room for the triangles, in place of values that are in their memory and no longer needed.
static mote_result reserve_triangles(const mote_context *context, surface_grid *grid, surface_mesh *mesh)
{
    mote_surface_return_memory(grid, mesh);
    const mote_result result = mote_buffer_reserve(context, &mesh->triangle_memory,
                                                   mote_bytes(mesh->triangle_count, 3 * sizeof *mesh->triangles), 0);
    mesh->triangles = mesh->triangle_memory.data;
    if (result != MOTE_OK) mesh->vertex_count = mesh->triangle_count = 0;
    return result;
}

mote_result mote_surface_extract(const mote_context *context, surface_grid *grid, const cube_table *table,
                                 const surface_place *place, const surface_cut *cut, surface_phases *phases,
                                 surface_mesh *mesh, mote_error *error)
{
    extract_task task = {grid, table, place, cut, phases, mesh};
    mesh->vertex_count = mesh->triangle_count = 0;
    mote_parallel_for(context, grid->chunk_count, 4, count_chunk, &task);
    mote_result result = number_chunks(context, grid, place->cell, phases, mesh, error);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, grid->chunk_count, 2, fill_vertices, &task);
    result = reserve_triangles(context, grid, mesh);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    mote_parallel_for(context, grid->chunk_count, 2, fill_triangles, &task);
    return MOTE_OK;
}

void mote_surface_measure(const surface_mesh *mesh, double *volume, double *area)
{
    double six = 0, twice = 0;
    const mote_vec3 origin = mesh->vertex_count ? mesh->vertices[0] : (mote_vec3){0, 0, 0};
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        const mote_vec3 a = mote_vec3_sub(mesh->vertices[corner[0]], origin);
        const mote_vec3 b = mote_vec3_sub(mesh->vertices[corner[1]], mesh->vertices[corner[0]]);
        const mote_vec3 c = mote_vec3_sub(mesh->vertices[corner[2]], mesh->vertices[corner[0]]);
        const mote_vec3 normal = mote_vec3_cross(b, c);
        six += mote_vec3_dot(a, normal);  // far from the origin as exact as near to it: edges are short
        twice += mote_vec3_length(normal);
    }
    *volume = six / 6;
    *area = twice / 2;
}
