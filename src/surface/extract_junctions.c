// SPDX-License-Identifier: MIT
// The vertices where three regions meet: on faces, and in the middle of cubes. They are numbered behind those on the
// edges of their chunk, in the order of their nodes; a key says which one a vertex is.

#include "base/vector.h"
#include "surface/extract.h"

enum { KINDS = 4, CENTERS = 3 };  // of keys: three faces at a node, and centres of its cube

static uint16_t key_of(const int at[3], int kind)
{
    return (uint16_t)(KINDS * ((at[2] * CHUNK + at[1]) * CHUNK + at[0]) + kind);
}

bool mote_surface_take_junction(const extract_task *task, const surface_chunk *const next[8], const int at[3],
                                surface_junction *to)
{
    int8_t labels[8];
    for (int k = 0; k < 8; ++k) {
        const int node[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
        labels[k] = (int8_t)mote_surface_phase_at(task->phases, task->grid, next, node);
    }
    if (!mote_surface_has_junction(labels)) return false;
    mote_surface_make_junction(labels, (int8_t)task->phases->chosen, to);
    return true;
}

uint32_t mote_surface_junction_vertices(const surface_junction *junction)
{
    uint32_t count = (uint32_t)junction->center_count;
    for (int axis = 0; axis < 3; ++axis) count += junction->used >> (FIRST_JUNCTION + 2 * axis) & 1;
    return count;
}

// ------------------------------------------------------------------------------------------------------- places

typedef struct cube_places {
    const extract_task *task;
    const surface_cut *cut;
    const surface_chunk *const *next;
    const int *at;
    const int8_t *labels;
} cube_places;

static mote_vec3 place_of_edge(const cube_places *cube, int edge)
{
    const int corner = mote_cube_corner(edge);
    const int node[3] = {cube->at[0] + (corner & 1), cube->at[1] + (corner >> 1 & 1), cube->at[2] + (corner >> 2)};
    bool is_outer;
    return mote_surface_edge_vertex(cube->task, cube->cut, cube->next, edge / 4, node, &is_outer);
}

// On the line of the body's surface in this face, opposite to where the phases meet at an edge; where there is no air,
// in the middle.
static mote_vec3 place_of_junction(const cube_places *cube, int face, bool *is_on_rim)
{
    static const double margin = 0.125;  // from the ends of the line
    junction_edges edges;
    mote_surface_junction_edges(cube->labels, face, &edges);
    mote_vec3 mean = {0, 0, 0};
    for (int k = 0; k < edges.other_count; ++k) mean = mote_vec3_add(mean, place_of_edge(cube, edges.others[k]));
    mean = mote_vec3_scale(mean, 1.0 / edges.other_count);
    *is_on_rim = edges.between[0] >= 0;
    if (!*is_on_rim) return mean;
    const mote_vec3 begin = place_of_edge(cube, edges.between[0]);
    const mote_vec3 line = mote_vec3_sub(place_of_edge(cube, edges.between[1]), begin);
    const double part = mote_vec3_dot(mote_vec3_sub(mean, begin), line) / mote_vec3_dot(line, line);
    return mote_vec3_add(begin, mote_vec3_scale(line, MOTE_MIN(MOTE_MAX(part, margin), 1 - margin)));
}

static mote_vec3 place_of_center(const cube_places *cube, uint32_t around)
{
    mote_vec3 sum = {0, 0, 0};
    int count = 0;
    for (uint32_t left = around; left; left &= left - 1, ++count) {
        const int vertex = (int)mote_lowest_bit(left);
        bool is_on_rim;
        sum = mote_vec3_add(sum, vertex < FIRST_JUNCTION
                                     ? place_of_edge(cube, vertex)
                                     : place_of_junction(cube, vertex - FIRST_JUNCTION, &is_on_rim));
    }
    return mote_vec3_scale(sum, 1.0 / count);
}

void mote_surface_fill_junction(const extract_task *task, const surface_cut *cut, const surface_chunk *const next[8],
                                const int at[3], const surface_junction *junction, uint32_t *number)
{
    const phase_chunk *chunk = task->phases->chunks + (next[0] - task->grid->chunks);
    uint16_t *keys = task->phases->junctions + chunk->first_junction;
    mote_vec3 *vertices = task->mesh->vertices + chunk->junction_vertex;
    uint8_t *kinds = task->mesh->kinds + chunk->junction_vertex;
    const cube_places cube = {task, cut, next, at, junction->labels};
    for (int axis = 0; axis < 3; ++axis) {
        if (!(junction->used >> (FIRST_JUNCTION + 2 * axis) & 1)) continue;
        bool is_on_rim;
        vertices[*number] = place_of_junction(&cube, 2 * axis, &is_on_rim);
        kinds[*number] = is_on_rim ? VERTEX_ON_RIM : VERTEX_INSIDE;
        keys[(*number)++] = key_of(at, axis);
    }
    for (int k = 0; k < junction->center_count; ++k) {
        vertices[*number] = place_of_center(&cube, junction->around[k]);
        kinds[*number] = junction->on_rim >> k & 1   ? VERTEX_ON_RIM
                         : junction->at_air >> k & 1 ? VERTEX_AT_AIR
                                                     : VERTEX_INSIDE;
        keys[(*number)++] = key_of(at, CENTERS);
    }
}

// ------------------------------------------------------------------------------------------------------ numbers

uint32_t mote_surface_junction_number(const extract_task *task, const surface_chunk *const next[8], const int at[3],
                                      int vertex)
{
    const bool is_center = vertex >= FIRST_CENTER;
    const int face = vertex - FIRST_JUNCTION;
    int node[3] = {at[0], at[1], at[2]};
    if (!is_center) node[face / 2] += face % 2;
    const int beside = node[0] >> CHUNK_BITS | node[1] >> CHUNK_BITS << 1 | node[2] >> CHUNK_BITS << 2;
    for (int k = 0; k < 3; ++k) node[k] &= CHUNK - 1;
    const phase_chunk *chunk = task->phases->chunks + (next[beside] - task->grid->chunks);
    const uint16_t *keys = task->phases->junctions + chunk->first_junction;
    const uint16_t key = key_of(node, is_center ? CENTERS : face / 2);
    uint32_t low = 0, high = chunk->junction_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    MOTE_ASSERT(low < chunk->junction_count && keys[low] == key);
    return chunk->junction_vertex + low + (is_center ? (uint32_t)(vertex - FIRST_CENTER) : 0);
}
