// SPDX-License-Identifier: MIT
// Particles sorted by chunk, subcell and coordinates.

#include <math.h>
#include <stdatomic.h>

#include "cells/internal.h"
#include "neighbors/sorted.h"
#include "surface/sort.h"

enum { KEY_BITS = 64 };
static const double most_cells = 0x1p32, most_units = 0x1p52;

typedef struct axis_task {
    const surface_scale *scale;
    const mote_points *sets;
    int axis;
    int64_t first;
    uint64_t *above;
} axis_task;

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    const surface_sort *sort = task->sort;
    int shift = 0;  // from units to subcells
    while ((int64_t)1 << shift < (int64_t)task->scale->unit * task->scale->subcell) ++shift;
    for (size_t i = begin; i < end; ++i) {
        double point[3];
        uint64_t subcell = 0;
        int32_t chunk[3];
        mote_surface_get_point(task->sets, i, point);
        for (int k = 2; k >= 0; --k) {
            const sort_place at = mote_surface_place_of(task->scale, point[k]);
            chunk[k] = at.chunk;
            subcell = subcell << task->subcell_bits | (uint64_t)(at.local >> shift);
        }
        task->keys[i] = mote_surface_pack(sort->axes, chunk) << 3 * task->subcell_bits | subcell;
        task->order[i] = (uint32_t)i;
    }
}

static void take_particles(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    surface_sort *sort = task->sort;
    const uint64_t mask = ((uint64_t)1 << 3 * task->subcell_bits) - 1;
    const float cells_of_unit = (float)(1 / task->scale->unit);
    for (size_t i = begin; i < end; ++i) {
        double point[3];
        mote_surface_get_point(task->sets, sort->index[i], point);
        for (int k = 0; k < 3; ++k)
            sort->at[k][i] = (float)mote_surface_place_of(task->scale, point[k]).local * cells_of_unit;
        sort->subcell[i] = (uint16_t)(task->keys[i] & mask);
    }
}

typedef struct sorted_particle {
    float at[3];
    uint32_t index;
} sorted_particle;

static sorted_particle load(const surface_sort *sort, uint32_t i)
{
    return (sorted_particle){{sort->at[0][i], sort->at[1][i], sort->at[2][i]}, sort->index[i]};
}

static void store(surface_sort *sort, uint32_t i, sorted_particle particle)
{
    for (int k = 0; k < 3; ++k) sort->at[k][i] = particle.at[k];
    sort->index[i] = particle.index;
}

static bool is_before(sorted_particle a, sorted_particle b)
{
    for (int k = 2; k >= 0; --k)
        if (a.at[k] != b.at[k]) return a.at[k] < b.at[k];
    return a.index < b.index;
}

// Orders the particles of a subcell by coordinates (Shell 1959, with the gaps of Knuth).
void mote_surface_order_subcell(surface_sort *sort, uint32_t begin, uint32_t end)
{
    uint32_t gap = 1;
    while (gap < (end - begin) / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t k = begin + gap; k < end; ++k) {
            const sorted_particle moved = load(sort, k);
            uint32_t to = k;
            for (; to >= begin + gap && is_before(moved, load(sort, to - gap)); to -= gap)
                store(sort, to, load(sort, to - gap));
            store(sort, to, moved);
        }
}

static void order_chunks(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    surface_sort *sort = task->sort;
    for (size_t c = begin; c < end; ++c) {
        for (uint32_t at = sort->chunks[c].begin, next = at; at < sort->chunks[c].end; at = next) {
            while (next < sort->chunks[c].end && sort->subcell[next] == sort->subcell[at]) ++next;
            if (next - at > 1) mote_surface_order_subcell(sort, at, next);
        }
        const int n = task->scale->subcells;
        if (sort->chunks[c].starts != NONE)
            mote_surface_fill_starts(sort, sort->chunks + c, n,
                                     sort->starts + (size_t)sort->chunks[c].starts * (size_t)(n * n * n + 1));
    }
}

// Numbers the tables of subcells: of chunks that have a particle for every eighth subcell. Those of others are made
// when they are looked at from the chunks around.
mote_result mote_surface_reserve_starts(const mote_context *context, surface_sort *sort, const surface_scale *scale)
{
    const size_t entries = (size_t)(scale->subcells * scale->subcells * scale->subcells) + 1;
    int32_t count = 0;
    for (uint32_t c = 0; c < sort->chunk_count; ++c)
        if ((sort->chunks[c].end - sort->chunks[c].begin) * 8u >= entries) sort->chunks[c].starts = count++;
    const mote_result result = mote_buffer_reserve(
        context, &sort->start_memory,
        mote_bytes((size_t)count, entries * sizeof *sort->starts) + MOTE_WIDE_MOST * sizeof *sort->starts, 0);
    sort->starts = sort->start_memory.data;
    return result;
}

static mote_result list_occupied(const mote_context *context, surface_sort *sort, const sort_task *task)
{
    const int shift = 3 * task->subcell_bits;
    uint32_t count = 0;
    for (size_t i = 0; i < sort->count; ++i) count += i == 0 || task->keys[i] >> shift != task->keys[i - 1] >> shift;
    const mote_result result =
        mote_buffer_reserve(context, &sort->chunk_memory, mote_bytes(count, sizeof *sort->chunks), 0);
    if (result != MOTE_OK) return result;
    sort->chunks = sort->chunk_memory.data;
    sort->chunk_count = 0;
    for (size_t i = 0; i < sort->count; ++i) {
        const uint64_t key = task->keys[i] >> shift;
        if (i > 0 && key == task->keys[i - 1] >> shift) continue;
        if (sort->chunk_count > 0) sort->chunks[sort->chunk_count - 1].end = (uint32_t)i;
        surface_chunk *chunk = sort->chunks + sort->chunk_count++;
        *chunk = (surface_chunk){.starts = NONE, .begin = (uint32_t)i, .end = (uint32_t)sort->count};
        mote_surface_unpack(sort->axes, key, chunk->at);
    }
    return MOTE_OK;
}

// How far a particle's chunk is behind the first one along an axis.
static void list_above(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const axis_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        double point[3];
        mote_surface_get_point(task->sets, i, point);
        task->above[i] = (uint64_t)(mote_surface_place_of(task->scale, point[task->axis]).chunk - task->first);
    }
}

// Leaves wide gaps between particles out of the keys. Needs a sort of the particles along each axis.
static mote_result leave_out_gaps(const mote_context *context, surface_sort *sort, const surface_scale *scale,
                                  const mote_points sets[2], const int64_t first[3], int64_t sizes[3])
{
    const size_t n = sets[0].count + sets[1].count;
    size_t used = 0, counts[3];
    mote_result result = mote_buffer_reserve(context, sort->key_memory, mote_bytes(n, 2 * sizeof(uint64_t)), 0);
    if (result != MOTE_OK) return result;
    for (int k = 0; k < 3; ++k) {
        axis_task task = {scale, sets, k, first[k], sort->key_memory->data};
        mote_parallel_for(context, n, SORT_BLOCK, list_above, &task);
        result = mote_sort_u64(context, task.above, NULL, task.above + n, NULL, n);
        if (result != MOTE_OK) return result;
        counts[k] = mote_surface_find_stretches(task.above, n, first[k], scale->ring, NULL, &sizes[k]);
        result =
            mote_buffer_reserve(context, &sort->stretch_memory, mote_bytes(used + counts[k], sizeof(surface_stretch)),
                                used * sizeof(surface_stretch));
        if (result != MOTE_OK) return result;
        surface_stretch *stretches = (surface_stretch *)sort->stretch_memory.data + used;
        mote_surface_find_stretches(task.above, n, first[k], scale->ring, stretches, &sizes[k]);
        used += counts[k];
    }
    const surface_stretch *stretches = sort->stretch_memory.data;
    for (int k = 0; k < 3; stretches += counts[k++])
        sort->axes[k] = (surface_axis){.stretches = stretches, .count = (uint32_t)counts[k]};
    return MOTE_OK;
}

// Gives each axis its bits of the keys. Returns how many are used.
static int set_shifts(surface_sort *sort, const int64_t sizes[3])
{
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        sort->axes[k].shift = sum;
        for (int64_t range = sizes[k] - 1; range; range >>= 1) ++sum;
    }
    return sum;
}

// Lays out the keys of chunks for particles in the box.
static mote_result lay_out(const mote_context *context, sort_task *task, const mote_box *box, mote_error *error)
{
    surface_sort *sort = task->sort;
    const surface_scale *scale = task->scale;
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    const double farthest = MOTE_MIN(most_cells, most_units / scale->unit);
    int64_t *first = task->first, sizes[3];
    for (int k = 0; k < 3; ++k) {
        const double far = MOTE_MAX(fabs(low[k]), fabs(high[k])) / scale->cell;
        if (!(far < farthest))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "surface: particles are %g cells from the origin along %c, expected fewer than %g", far,
                             "xyz"[k], farthest);
        first[k] = mote_surface_place_of(scale, low[k]).chunk;
        sort->whole[k] = (surface_stretch){first[k] - scale->ring, 0};
        sort->axes[k] = (surface_axis){sort->whole + k, 1, 0};
        task->size[k] = mote_surface_place_of(scale, high[k]).chunk - first[k] + 1;
        sizes[k] = task->size[k] + 2 * scale->ring;
    }
    const int bits = KEY_BITS - 3 * task->subcell_bits;
    if (set_shifts(sort, sizes) <= bits) return MOTE_OK;
    const mote_result result = leave_out_gaps(context, sort, scale, task->sets, first, sizes);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    if (set_shifts(sort, sizes) <= bits) return MOTE_OK;
    return mote_fail(
        error, MOTE_ERROR_ARGUMENT, 0,
        "surface: particles span %g x %g x %g cells, in more stretches than can be numbered: expected fewer than 2^%d "
        "cubes of 16^3 cells around them, without wide gaps",
        (high[0] - low[0]) / scale->cell, (high[1] - low[1]) / scale->cell, (high[2] - low[2]) / scale->cell, bits);
}

static mote_result find_box(const mote_context *context, const mote_points sets[2], mote_box *box, mote_error *error)
{
    static const char *const names[2] = {"points", "fill points"};
    bool is_first = true;
    for (int s = 0; s < 2; ++s) {
        if (sets[s].count == 0) continue;
        mote_box own;
        const mote_result result = mote_points_bounds(context, &sets[s], names[s], &own, error);
        if (result != MOTE_OK) return result;
        if (is_first) *box = own;
        box->min = (mote_vec3){MOTE_MIN(box->min.x, own.min.x), MOTE_MIN(box->min.y, own.min.y),
                               MOTE_MIN(box->min.z, own.min.z)};
        box->max = (mote_vec3){MOTE_MAX(box->max.x, own.max.x), MOTE_MAX(box->max.y, own.max.y),
                               MOTE_MAX(box->max.z, own.max.z)};
        is_first = false;
    }
    return MOTE_OK;
}

// Room for the keys: two for each particle, and behind them the table of chunks.
static mote_result reserve_keys(const mote_context *context, const sort_task *task)
{
    const size_t keys = mote_bytes(task->sort->count, 2 * sizeof(uint64_t)), table = mote_surface_count_bytes(task);
    return mote_buffer_reserve(context, task->sort->key_memory, keys > SIZE_MAX - table ? SIZE_MAX : keys + table, 0);
}

static mote_result reserve(const mote_context *context, surface_sort *sort)
{
    const size_t n = sort->count;
    mote_result result = mote_buffer_reserve(context, &sort->value_memory, mote_bytes(n, 2 * sizeof(uint32_t)), 0);
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &sort->particle_memory, mote_bytes(n + MOTE_WIDE_MOST, sizeof(float[4])), 0);
    if (result != MOTE_OK) return result;
    float *columns = sort->particle_memory.data;
    for (size_t k = 0; k < 3; ++k) sort->at[k] = columns + k * (n + MOTE_WIDE_MOST);
    sort->volumes = columns + 3 * (n + MOTE_WIDE_MOST);
    sort->index = sort->value_memory.data;
    sort->subcell = (uint16_t *)(void *)(sort->index + n);  // after the sort
    return MOTE_OK;
}

// The caller's numbers of the particles, once they are sorted by those of the search.
static void number_particles(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_task *task = data;
    uint32_t *index = task->sort->index;
    for (size_t i = begin; i < end; ++i)
        if (index[i] < task->sets[0].count) index[i] = task->numbers[index[i]];
}

static mote_result sort_by_keys(const mote_context *context, sort_task *task)
{
    surface_sort *sort = task->sort;
    const size_t n = sort->count;
    task->keys = sort->key_memory->data;
    mote_parallel_for(context, n, SORT_BLOCK, make_keys, task);
    mote_result result = mote_sort_u64(context, task->keys, task->order, task->keys + n, task->order + n, n);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, n, SORT_BLOCK, take_particles, task);
    result = list_occupied(context, sort, task);
    if (result == MOTE_OK) result = mote_surface_reserve_starts(context, sort, task->scale);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, sort->chunk_count, 16, order_chunks, task);
    if (task->numbers) mote_parallel_for(context, n, SORT_BLOCK, number_particles, task);
    return MOTE_OK;
}

typedef struct search_check {
    const mote_points *points, *sorted;
    const uint32_t *numbers;
    _Atomic size_t first;  // in the search's order, of those that differ
} search_check;

static bool is_searched(const search_check *check, size_t p, int axis)
{
    return (float)mote_points_get(check->points, check->numbers[p], axis) ==
           (float)mote_points_get(check->sorted, p, axis);
}

static void find_other(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    search_check *check = data;
    size_t p = begin, first = atomic_load(&check->first);
    while (p < end && is_searched(check, p, 0) && is_searched(check, p, 1) && is_searched(check, p, 2)) ++p;
    while (p < end && p < first && !atomic_compare_exchange_weak(&check->first, &first, p)) continue;
}

// Whether a search holds these points, rounded to floats.
static mote_result check_search(const mote_context *context, const mote_points *points, const mote_points *sorted,
                                const uint32_t *numbers, mote_error *error)
{
    if (sorted->count != points->count || sorted->dimensions != 3)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "surface: the search holds %zu points in %dD, expected the cloud's %zu in 3D", sorted->count,
                         sorted->dimensions, points->count);
    search_check check = {.points = points, .sorted = sorted, .numbers = numbers, .first = SIZE_MAX};
    mote_parallel_for(context, sorted->count, SORT_BLOCK, find_other, &check);
    const size_t p = check.first;
    if (p == SIZE_MAX) return MOTE_OK;
    int k = 0;
    while (k < 2 && is_searched(&check, p, k)) ++k;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, numbers[p],
                     "surface: the search has %c = %.9g of point %u, expected the cloud's, %.9g", "xyz"[k],
                     mote_points_get(sorted, p, k), numbers[p], mote_points_get(points, numbers[p], k));
}

static mote_result sort_in_box(const mote_context *context, sort_task *task, const mote_box *box, mote_error *error)
{
    task->order = task->sort->index;
    mote_result result = lay_out(context, task, box, error);
    if (result != MOTE_OK) return result;
    result = reserve_keys(context, task);
    if (result == MOTE_OK)
        result =
            mote_surface_count_bytes(task) ? mote_surface_sort_by_counting(context, task) : sort_by_keys(context, task);
    return mote_pass_memory(error, result, "surface");
}

mote_result mote_surface_sort(const mote_context *context, surface_sort *sort, const surface_scale *scale,
                              const mote_points given[2], const mote_neighbors *search, mote_error *error)
{
    sort->count = sort->chunk_count = 0;
    if (given[0].count + given[1].count == 0) return MOTE_OK;
    mote_points sets[2] = {given[0], given[1]};
    sort_task task = {.sort = sort, .scale = scale, .sets = sets};
    mote_points sorted;
    const uint32_t *numbers;
    if (mote_neighbors_sorted_points(search, &sorted, &numbers)) {
        const mote_result result = check_search(context, &given[0], &sorted, numbers, error);
        if (result != MOTE_OK) return result;
        // The search's floats stand for floats only: doubles would have another mesh.
        if (given[0].scalar == MOTE_F32) sets[0] = sorted, task.numbers = numbers;
    }
    while (1 << task.subcell_bits < scale->subcells) ++task.subcell_bits;
    mote_box box = {0};
    mote_result result = find_box(context, sets, &box, error);
    if (result != MOTE_OK) return result;
    sort->count = sets[0].count + sets[1].count;
    result = reserve(context, sort);
    result = result == MOTE_OK ? sort_in_box(context, &task, &box, error) : mote_pass_memory(error, result, "surface");
    if (result != MOTE_OK) sort->count = sort->chunk_count = 0;
    return result;
}

void mote_surface_sort_release(const mote_context *context, surface_sort *sort)
{
    mote_buffer *buffers[] = {&sort->particle_memory, &sort->value_memory, &sort->chunk_memory, &sort->start_memory,
                              &sort->stretch_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_surface_sort_byte_count(const surface_sort *sort)
{
    return sort->particle_memory.bytes + sort->value_memory.bytes + sort->chunk_memory.bytes +
           sort->start_memory.bytes + sort->stretch_memory.bytes;
}
