// SPDX-License-Identifier: MIT
// From signs and values to vertices and triangles.
//
// A vertex belongs to the node at which its edge begins, a triangle to the node at which its cube begins. A chunk has
// the cut edges of its nodes as bits, and the number of a vertex is found by counting them. Chunks count, their numbers
// are summed, and each fills its own part of the arrays.

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

// The edges of a row's nodes that are cut, along one axis.
static uint32_t cuts_of(const surface_rows *rows, int axis, int z, int y)
{
    const uint32_t own = rows->at[z + 1][y + 1];
    const uint32_t next = axis == 0 ? own >> 1 : axis == 1 ? rows->at[z + 1][y + 2] : rows->at[z + 2][y + 1];
    return (own ^ next) >> 1 & UINT16_MAX;
}

// The cubes of a row with corners on both sides.
static uint32_t cut_cubes(const surface_rows *rows, int z, int y)
{
    const uint32_t a = rows->at[z + 1][y + 1], b = rows->at[z + 1][y + 2];
    const uint32_t c = rows->at[z + 2][y + 1], d = rows->at[z + 2][y + 2];
    const uint32_t any = a | b | c | d, all = a & b & c & d;
    return ((any | any >> 1) & ~(all & all >> 1)) >> 1 & UINT16_MAX;
}

static int case_of(const surface_rows *rows, int z, int y, int x)
{
    const int at = x + 1;
    return (int)((rows->at[z + 1][y + 1] >> at & 3) | (rows->at[z + 1][y + 2] >> at & 3) << 2 |
                 (rows->at[z + 2][y + 1] >> at & 3) << 4 | (rows->at[z + 2][y + 2] >> at & 3) << 6);
}

// ------------------------------------------------------------------------------------------------------- counting

// Counts the triangles of a row of cubes and, in `junctions`, the vertices that are not on edges.
static uint32_t count_cubes(const extract_task *task, const surface_rows *rows, const surface_chunk *const next[8],
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

static bool has_phases_near(const extract_task *task, const surface_chunk *chunk, const surface_chunk *next[8])
{
    if (!task->phases) return false;
    mote_surface_find_next(task->grid, chunk, next);
    return mote_surface_has_phases(task->phases, task->grid, next);
}

static void count_chunk(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const extract_task *task = data;
    for (size_t c = begin; c < end; ++c) {
        surface_chunk *chunk = task->grid->chunks + c;
        const surface_chunk *next[8] = {NULL};
        surface_rows rows;
        uint32_t junctions = 0;
        chunk->first_vertex = chunk->first_triangle = 0;
        if (task->phases) task->phases->chunks[c].junction_count = 0;
        if (!mote_surface_rows(task->grid, chunk, &rows)) continue;
        const bool has_phases = has_phases_near(task, chunk, next);
        for (int z = 0; z < CHUNK; ++z)
            for (int y = 0; y < CHUNK; ++y) {
                for (int axis = 0; axis < 3; ++axis) chunk->first_vertex += count_row(cuts_of(&rows, axis, z, y));
                chunk->first_triangle += count_cubes(task, &rows, next, has_phases, z, y, &junctions);
            }
        chunk->first_vertex += junctions;
        if (task->phases) task->phases->chunks[c].junction_count = junctions;
    }
}

// The number of triangles falls with the square of the cell: the cell of which `part` times as many are left.
static double cell_for(double cell, double part)
{
    return 1.1 * cell / sqrt(part);
}

// Refuses what the numbers of vertices or the byte budget have no room for, before memory is asked for.
static mote_result check_size(const mote_context *context, const surface_mesh *mesh, uint64_t vertices,
                              uint64_t triangles, double cell, mote_error *error)
{
    static const double most = UINT32_MAX / 3;
    if (triangles > UINT32_MAX / 3 || vertices > UINT32_MAX - 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: %llu triangles, expected at most %u; a cell of %.3g would do",
                         (unsigned long long)triangles, UINT32_MAX / 3, cell_for(cell, most / (double)triangles));
    const size_t left = mote_budget_left(context), held = mesh->vertex_memory.bytes + mesh->triangle_memory.bytes;
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
    mote_result result = check_size(context, mesh, vertices, triangles, cell, error);
    if (result != MOTE_OK) return result;
    result = mote_buffer_reserve(context, &grid->cut_memory, mote_bytes((size_t)cuts, sizeof *grid->cuts), 0);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &mesh->vertex_memory, mote_bytes((size_t)vertices, sizeof *mesh->vertices), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &mesh->triangle_memory,
                                     mote_bytes((size_t)triangles, 3 * sizeof *mesh->triangles), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    grid->cuts = grid->cut_memory.data;
    mesh->vertices = mesh->vertex_memory.data;
    mesh->triangles = mesh->triangle_memory.data;
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
    const surface_chunk *around[27];
    mote_surface_find_around(grid, chunk, around);
    for (int k = 0; k < 8; ++k) next[k] = around[13 + (k & 1) + 3 * (k >> 1 & 1) + 9 * (k >> 2)];
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

// The vertex on a cut edge where nothing but the field cuts: what mote_surface_edge_vertex finds then. `low`: the value
// of the node at which the edge begins.
static mote_vec3 field_vertex(const extract_task *task, const surface_chunk *const next[8], int axis, const int at[3],
                              float low)
{
    int far[3] = {at[0], at[1], at[2]};
    ++far[axis];
    const float high = value_at(task->grid, next, far);
    const bool is_low_inside = low >= 0;
    const double inside = (double)(is_low_inside ? low : high), outside = (double)(is_low_inside ? high : low);
    double t = outside > -INFINITY ? inside / (inside - outside) : 0, node[3];
    t = MOTE_MIN(MOTE_MAX(t, VERTEX_MARGIN), 1 - VERTEX_MARGIN);
    for (int k = 0; k < 3; ++k) node[k] = (double)next[0]->at[k] * CHUNK + at[k] - task->place->shift;
    node[axis] += is_low_inside ? t : 1 - t;
    return place_at(task->place, node);
}

// Makes the vertices on edges that begin at the nodes of a row.
static void fill_row(const extract_task *task, const surface_cut *cut, const surface_chunk *const next[8],
                     const surface_cuts *cuts, int z, int y, uint32_t *number)
{
    const uint16_t row[3] = {cuts->rows[0][z][y], cuts->rows[1][z][y], cuts->rows[2][z][y]};
    const bool by_field = !task->phases && cut_count(cut) == 0;
    for (uint32_t any = row[0] | row[1] | row[2]; any; any &= any - 1) {
        const int at[3] = {(int)mote_lowest_bit(any), y, z};
        const float low = by_field ? value_at(task->grid, next, at) : 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (!(row[axis] >> at[0] & 1)) continue;
            const uint32_t v = next[0]->first_vertex + (*number)++;
            bool is_outer = true;
            task->mesh->vertices[v] = by_field ? field_vertex(task, next, axis, at, low)
                                               : mote_surface_edge_vertex(task, cut, next, axis, at, &is_outer);
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
        surface_rows rows;
        mote_surface_rows(task->grid, chunk, &rows);
        mote_surface_find_next(task->grid, chunk, next);
        surface_cut near = task->cut ? *task->cut : (surface_cut){0};
        if (near.distance && mote_surface_is_far(&near, chunk, task->place->cell)) near.distance = NULL;
        uint32_t number = 0, junctions = 0;
        const bool has_junctions = task->phases && task->phases->chunks[c].junction_count;
        for (int z = 0; z < CHUNK; ++z)
            for (int y = 0; y < CHUNK; ++y) {
                cuts->before[z][y] = (uint16_t)number;
                for (int axis = 0; axis < 3; ++axis) cuts->rows[axis][z][y] = (uint16_t)cuts_of(&rows, axis, z, y);
                fill_row(task, &near, next, cuts, z, y, &number);
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

uint32_t mote_surface_vertex_number(const surface_grid *grid, const surface_chunk *chunk, const int at[3], int axis)
{
    const surface_cuts *cuts = grid->cuts + chunk->cuts;
    uint32_t number = chunk->first_vertex + cuts->before[at[2]][at[1]];
    for (int k = 0; k < 3; ++k) {
        const uint32_t row = cuts->rows[k][at[2]][at[1]];
        number += bits_below(row, at[0]);
        if (k < axis) number += row >> at[0] & 1;
    }
    return number;
}

// The vertices on the edges that begin at the nodes of a layer, and of one more row and column.
typedef struct vertex_layer {
    uint32_t at[CHUNK + 1][CHUNK + 1][3];
} vertex_layer;

static void number_row(const surface_chunk *chunk, const surface_cuts *cuts, int y, int z, uint32_t among,
                       uint32_t to[][3])
{
    const uint32_t rows[3] = {cuts->rows[0][z][y], cuts->rows[1][z][y], cuts->rows[2][z][y]};
    uint32_t number = chunk->first_vertex + cuts->before[z][y];
    for (uint32_t any = (rows[0] | rows[1] | rows[2]) & among; any; any &= any - 1) {
        const uint32_t x = mote_lowest_bit(any);
        for (int axis = 0; axis < 3; ++axis)
            if (rows[axis] >> x & 1) to[x][axis] = number++;
    }
}

static void number_layer(const extract_task *task, const surface_chunk *const next[8], int z, vertex_layer *layer)
{
    for (int y = 0; y <= CHUNK; ++y) {
        const int row = y >> CHUNK_BITS << 1 | z >> CHUNK_BITS << 2;
        for (int beside = 0; beside < 2; ++beside) {
            const surface_chunk *chunk = next[row | beside];
            if (!chunk || chunk->cuts == NONE) continue;
            number_row(chunk, task->grid->cuts + chunk->cuts, y & (CHUNK - 1), z & (CHUNK - 1), beside ? 1 : UINT16_MAX,
                       layer->at[y] + CHUNK * beside);
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
        const bool has_phases = task->phases && mote_surface_has_phases(task->phases, task->grid, next);
        surface_rows rows;
        vertex_layer layers[2];
        mote_surface_rows(task->grid, chunk, &rows);
        number_layer(task, next, 0, &layers[0]);
        uint32_t *to = task->mesh->triangles + 3 * (size_t)chunk->first_triangle;
        for (int z = 0; z < CHUNK; ++z) {
            const vertex_layer *const pair[2] = {&layers[z & 1], &layers[(z + 1) & 1]};
            number_layer(task, next, z + 1, &layers[(z + 1) & 1]);
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

mote_result mote_surface_extract(const mote_context *context, surface_grid *grid, const cube_table *table,
                                 const surface_place *place, const surface_cut *cut, surface_phases *phases,
                                 surface_mesh *mesh, mote_error *error)
{
    extract_task task = {grid, table, place, cut, phases, mesh};
    mesh->vertex_count = mesh->triangle_count = 0;
    mote_parallel_for(context, grid->chunk_count, 4, count_chunk, &task);
    const mote_result result = number_chunks(context, grid, place->cell, phases, mesh, error);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, grid->chunk_count, 2, fill_vertices, &task);
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
