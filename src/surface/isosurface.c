// SPDX-License-Identifier: MIT
// Marching cubes on the values of a caller's grid, or of a function at its nodes.
//
// The nodes are those of chunks whose node 1, 1, 1 is the grid's first one, so that the nodes beyond the border are
// there. These are outside; or, where the border stays open, cubes with such a node are left out.

#include <math.h>

#include "base/vector.h"
#include "surface/finish.h"
#include "surface/given.h"

struct mote_isosurface {
    mote_context *context;
    surface_grid grid;
    surface_mesh mesh;
    bool open_border;
    mote_surface_stats stats;
};

enum { MOST_NODES = 1 << 24 };

typedef struct fill_task {
    const mote_isosurface_def *def;
    surface_grid *grid;
    const surface_lanes *lanes;
    float least;           // that is inside
    _Atomic uint64_t bad;  // the first node whose value is not a number
} fill_task;

mote_isosurface_def mote_isosurface_default_def(void)
{
    mote_isosurface_def def;
    memset(&def, 0, sizeof def);
    def.cell = 1;
    def.cookie = MOTE_COOKIE;
    return def;
}

static mote_result check_def(const mote_isosurface_def *def, mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "isosurface: the def was not made by mote_isosurface_default_def");
    if (!(def->cell > 0 && isfinite(def->cell)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "isosurface: cell is %g, expected a number above 0", def->cell);
    if (!isfinite(def->origin.x) || !isfinite(def->origin.y) || !isfinite(def->origin.z))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "isosurface: origin is (%g, %g, %g), expected finite numbers",
                         def->origin.x, def->origin.y, def->origin.z);
    if (!isfinite(def->isovalue))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "isosurface: isovalue is %g, expected a finite number",
                         def->isovalue);
    for (int k = 0; k < 3; ++k)
        if (def->size[k] < 1 || def->size[k] > MOST_NODES)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "isosurface: size is %d along %c, expected 1 to %d",
                             def->size[k], "xyz"[k], MOST_NODES);
    if (!def->values == !def->function)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "isosurface: %s, expected either values or a function",
                         def->values ? "both values and a function" : "neither values nor a function");
    return MOTE_OK;
}

// The least value that is inside: what is above the isovalue only grows with the value.
static float least_inside(const mote_isosurface_def *def)
{
    float least = (float)def->isovalue;
    while (!(mote_given_above(def, (double)least) >= 0)) least = nextafterf(least, INFINITY);
    for (;;) {
        const float below = nextafterf(least, -INFINITY);
        if (!(below < least && mote_given_above(def, (double)below) >= 0)) return least;
        least = below;
    }
}

static void note_bad(fill_task *task, uint64_t number)
{
    uint64_t bad = atomic_load(&task->bad);
    while (number < bad && !atomic_compare_exchange_weak(&task->bad, &bad, number)) continue;
}

// The value of the function at a node of the grid less the isovalue.
static float value_of(fill_task *task, const int64_t at[3])
{
    const mote_isosurface_def *def = task->def;
    const mote_vec3 place =
        mote_vec3_add_scaled(def->origin, mote_vec3_make((double)at[0], (double)at[1], (double)at[2]), def->cell);
    const double value = def->function(def->user_data, place);
    if (isnan(value)) note_bad(task, mote_given_number(def, at));
    return mote_given_above(def, value);
}

static void fill_by_function(fill_task *task, size_t c)
{
    for (int n = 0; n < CHUNK_NODES; ++n) {
        const int x = n % CHUNK, y = n / CHUNK % CHUNK, z = n / (CHUNK * CHUNK);
        int64_t at[3];
        mote_given_node(task->grid->chunks + c, x, y, z, at);
        float *value = task->grid->values + c * CHUNK_NODES + n;
        *value = mote_given_has(task->def, at) ? value_of(task, at) : -INFINITY;
        if (*value >= 0) task->grid->signs[c].rows[z][y] |= (uint16_t)(1u << x);
    }
}

// Signs of the nodes alone: values stay in the caller's grid.
static void fill_by_values(fill_task *task, size_t c)
{
    const mote_isosurface_def *def = task->def;
    const surface_chunk *chunk = task->grid->chunks + c;
    int64_t at[3];
    mote_given_node(chunk, 0, 0, 0, at);
    const int first = at[0] < 0 ? (int)-at[0] : 0, end = (int)MOTE_MIN(def->size[0] - at[0], (int64_t)CHUNK);
    for (int z = 0; z < CHUNK && first < end; ++z)
        for (int y = 0; y < CHUNK; ++y) {
            mote_given_node(chunk, first, y, z, at);
            if (!mote_given_has(def, at)) continue;
            const uint64_t number = mote_given_number(def, at);
            const float *row = def->values + number;
            bool has_bad = false;
            const uint32_t bits = task->lanes->find_signs(row, (size_t)(end - first), task->least, &has_bad);
            task->grid->signs[c].rows[z][y] = (uint16_t)(bits << first);
            for (int x = 0; has_bad && x < end - first; ++x)
                if (isnan(row[x])) note_bad(task, number + (uint64_t)x);
        }
}

static void fill_chunks(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    fill_task *task = data;
    for (size_t c = begin; c < end; ++c) {
        memset(task->grid->signs + c, 0, sizeof *task->grid->signs);
        if (task->def->values)
            fill_by_values(task, c);
        else
            fill_by_function(task, c);
        uint32_t all = UINT16_MAX, any = 0;
        for (int r = 0; r < CHUNK * CHUNK; ++r) {
            all &= task->grid->signs[c].rows[r / CHUNK][r % CHUNK];
            any |= task->grid->signs[c].rows[r / CHUNK][r % CHUNK];
        }
        if (any == 0 || all == UINT16_MAX) task->grid->chunks[c].signs = any == 0 ? ALL_OUTSIDE : ALL_INSIDE;
    }
}

static mote_result make_chunks(mote_isosurface *made, const mote_isosurface_def *def)
{
    surface_grid *grid = &made->grid;
    int64_t count[3];
    uint64_t all = 1;
    for (int k = 0; k < 3; ++k) {
        count[k] = (def->size[k] + GIVEN_SHIFT + 1 + CHUNK - 1) / CHUNK;
        all = mote_bytes((size_t)all, (size_t)count[k]);
    }
    if (all > INT32_MAX) return MOTE_ERROR_OUT_OF_MEMORY;
    grid->block = CHUNK, grid->blocks = 1;
    mote_result result =
        mote_buffer_reserve(made->context, &grid->chunk_memory, mote_bytes((size_t)all, sizeof *grid->chunks), 0);
    if (result == MOTE_OK && def->function)
        result = mote_surface_grid_reserve(made->context, grid, (size_t)all);
    else if (result == MOTE_OK)
        result =
            mote_buffer_reserve(made->context, &grid->sign_memory, mote_bytes((size_t)all, sizeof *grid->signs), 0);
    if (result != MOTE_OK) return result;
    grid->chunks = grid->chunk_memory.data;
    grid->signs = grid->sign_memory.data;
    grid->given = def->values ? def : NULL;
    grid->chunk_count = (uint32_t)all;
    for (uint32_t c = 0; c < grid->chunk_count; ++c) {
        grid->chunks[c] = (surface_chunk){.signs = (int32_t)c, .slots = def->values ? NONE : (int32_t)c, .cuts = NONE};
        if (!def->values) grid->slots[c] = (int32_t)c;
        grid->chunks[c].at[0] = (int32_t)(c % count[0]);
        grid->chunks[c].at[1] = (int32_t)(c / count[0] % count[1]);
        grid->chunks[c].at[2] = (int32_t)(c / (count[0] * count[1]));
    }
    return mote_surface_fill_table(made->context, grid);
}

// Drops the triangles with a vertex beyond the border, and then the vertices that none has.
static mote_result open_border(mote_isosurface *made, const mote_isosurface_def *def)
{
    surface_mesh *mesh = &made->mesh;
    mote_buffer memory = {0};
    const mote_result result =
        mote_buffer_reserve(made->context, &memory, mote_bytes(mesh->vertex_count, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *number = memory.data;
    const double low[3] = {def->origin.x, def->origin.y, def->origin.z};
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const double at[3] = {mesh->vertices[v].x, mesh->vertices[v].y, mesh->vertices[v].z};
        number[v] = 0;
        for (int k = 0; k < 3; ++k) {
            const double node = (at[k] - low[k]) / def->cell;
            if (node < -0.5 * VERTEX_MARGIN || node > def->size[k] - 1 + 0.5 * VERTEX_MARGIN) number[v] = UINT32_MAX;
        }
    }
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        if (number[corner[0]] == UINT32_MAX || number[corner[1]] == UINT32_MAX || number[corner[2]] == UINT32_MAX)
            continue;
        memmove(mesh->triangles + 3 * kept++, corner, 3 * sizeof *corner);
    }
    mesh->triangle_count = kept;
    for (size_t k = 0; k < 3 * kept; ++k) number[mesh->triangles[k]] = 1;
    uint32_t count = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        if (number[v] == 1) mesh->vertices[count] = mesh->vertices[v], number[v] = count++;
    for (size_t k = 0; k < 3 * kept; ++k) mesh->triangles[k] = number[mesh->triangles[k]];
    mesh->vertex_count = count;
    mote_buffer_release(made->context, &memory);
    return MOTE_OK;
}

static mote_result make(mote_isosurface *made, const mote_isosurface_def *def, mote_error *error)
{
    mote_result result = make_chunks(made, def);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "isosurface");
    fill_task task = {.def = def, .grid = &made->grid, .bad = UINT64_MAX};
    task.lanes = mote_surface_lanes_choose(made->context);
    task.least = least_inside(def);
    mote_parallel_for(made->context, made->grid.chunk_count, 1, fill_chunks, &task);
    const uint64_t bad = atomic_load(&task.bad);
    if (bad != UINT64_MAX)
        return mote_fail(error, MOTE_ERROR_NOT_FINITE, bad, "isosurface: the value of node %llu is not a number",
                         (unsigned long long)bad);
    cube_table table;
    mote_cube_table_make(&table);
    const surface_place place = {def->origin, def->cell, GIVEN_SHIFT};
    result = mote_surface_extract(made->context, &made->grid, &table, &place, NULL, NULL, &made->mesh, error);
    if (result == MOTE_OK && def->open_border) result = mote_pass_memory(error, open_border(made, def), "isosurface");
    mote_surface_grid_release(made->context, &made->grid);
    memset(&made->grid, 0, sizeof made->grid);
    if (result == MOTE_OK) mote_surface_measure(&made->mesh, &made->stats.volume, &made->stats.area);
    return result;
}

mote_result mote_isosurface_create(mote_context *context, const mote_isosurface_def *def, mote_isosurface **isosurface,
                                   mote_error *error)
{
    if (!isosurface) return mote_fail_null(error, "isosurface", "where to put the object");
    *isosurface = NULL;
    if (!def) return mote_fail_null(error, "isosurface", "the def");
    mote_result result = check_def(def, error);
    if (result != MOTE_OK) return result;
    mote_isosurface *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "isosurface");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->stats.isovalue = def->isovalue;
    made->open_border = def->open_border;
    result = make(made, def, error);
    if (result == MOTE_OK)
        *isosurface = made;
    else
        mote_isosurface_destroy(made);
    return result;
}

void mote_isosurface_destroy(mote_isosurface *isosurface)
{
    if (!isosurface) return;
    mote_surface_grid_release(isosurface->context, &isosurface->grid);
    mote_buffer_release(isosurface->context, &isosurface->mesh.vertex_memory);
    mote_buffer_release(isosurface->context, &isosurface->mesh.triangle_memory);
    mote_release(isosurface->context, isosurface, sizeof *isosurface);
}

mote_surface_view mote_isosurface_get_view(const mote_isosurface *isosurface)
{
    if (!isosurface) return (mote_surface_view){0};
    return (mote_surface_view){.vertices = isosurface->mesh.vertices,
                               .triangles = isosurface->mesh.triangles,
                               .vertex_count = isosurface->mesh.vertex_count,
                               .triangle_count = isosurface->mesh.triangle_count,
                               .stats = isosurface->stats};
}

mote_surface_stats mote_isosurface_get_stats(const mote_isosurface *isosurface)
{
    return isosurface ? isosurface->stats : (mote_surface_stats){0};
}

mote_result mote_isosurface_validate(const mote_isosurface *isosurface, mote_error *error)
{
    if (!isosurface) return mote_fail_null(error, "isosurface", "the object");
    return mote_surface_check_mesh(isosurface->context, &isosurface->mesh, isosurface->open_border, error);
}

size_t mote_isosurface_byte_count(const mote_isosurface *isosurface)
{
    if (!isosurface) return 0;
    return sizeof *isosurface + isosurface->mesh.vertex_memory.bytes + isosurface->mesh.triangle_memory.bytes;
}
