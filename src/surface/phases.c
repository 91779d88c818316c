// SPDX-License-Identifier: MIT
// The phase of each node inside the body, and where two of them meet.
//
// Only near particles of two phases or more are there sums: elsewhere all nodes, and those next to them, belong to the
// one phase that is near. A sum over a phase is one over all particles around, where those of others have the volume 0
// and are too far away to have a g.

#include "surface/phases.h"

#include <math.h>

enum { GROUPS = CHUNK / (2 * CLUSTER) };  // groups of 2³ clusters, along the edge of a chunk

typedef struct phase_task {
    surface_job job;
    surface_phases *phases;
    surface_scale scale;  // with subcells around a chunk for one cell more
} phase_task;

static const float beyond_all = 1e30f;

void mote_surface_phases_release(const mote_context *context, surface_phases *phases)
{
    mote_buffer *buffers[] = {&phases->of_memory, &phases->chunk_memory, &phases->value_memory, &phases->number_memory,
                              &phases->junction_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
    mote_table_release(context, &phases->vertices);
}

size_t mote_surface_phases_byte_count(const surface_phases *phases)
{
    return phases->of_memory.bytes + phases->chunk_memory.bytes + phases->value_memory.bytes +
           phases->number_memory.bytes + phases->junction_memory.bytes + phases->vertices.memory.bytes;
}

mote_result mote_surface_take_phases(const mote_context *context, const mote_surface_cloud *cloud,
                                     surface_phases *phases, mote_error *error)
{
    const mote_array *given = &cloud->phases;
    phases->count = 1;
    memset(phases->particles, 0, sizeof phases->particles);
    phases->particles[0] = cloud->points.count;
    if (given->components < 1 || cloud->points.count == 0) return MOTE_OK;
    if (mote_array_type_bytes(given->type) == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "surface: the phases have no known type");
    if (!given->component[0]) return mote_fail_null(error, "surface", "the phases' component");
    const mote_result result = mote_buffer_reserve(context, &phases->of_memory, cloud->points.count, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    uint8_t *of = phases->of_memory.data;
    phases->particles[0] = 0;
    for (size_t i = 0; i < cloud->points.count; ++i) {
        const double phase = mote_surface_array_value(given, i, 0);
        if (!(phase >= 0 && phase < MOST_PHASES && phase == floor(phase)))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "surface: the phase of particle %zu is %g, expected a whole number from 0 to %d", i, phase,
                             MOST_PHASES - 1);
        of[i] = (uint8_t)phase;
        ++phases->particles[of[i]];
        phases->count = MOTE_MAX(phases->count, of[i] + 1);
    }
    phases->of = of;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------ phases of chunks

static void find_own(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const phase_task *task = data;
    const surface_sort *sort = task->job.sort;
    for (size_t c = begin; c < end; ++c) {
        const surface_chunk *chunk = task->job.grid->chunks + c;
        phase_chunk *to = task->phases->chunks + c;
        *to = (phase_chunk){.body = chunk->signs, .set = UINT32_MAX};
        for (uint32_t i = chunk->begin; i < chunk->end; ++i)
            if (sort->index[i] < task->job.own_count) to->own |= 1u << task->phases->of[sort->index[i]];
    }
}

// The ring around a chunk has all particles within reach of its nodes and of those next to them.
static void find_near(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const phase_task *task = data;
    const surface_grid *grid = task->job.grid;
    const int ring = task->scale.ring;
    for (size_t c = begin; c < end; ++c)
        for (int z = -ring; z <= ring; ++z)
            for (int y = -ring; y <= ring; ++y)
                for (int x = -ring; x <= ring; ++x) {
                    const int32_t *own = grid->chunks[c].at, at[3] = {own[0] + x, own[1] + y, own[2] + z};
                    const uint32_t other = mote_surface_find_chunk(grid, at);
                    if (other != MOTE_TABLE_NONE) task->phases->chunks[c].near |= task->phases->chunks[other].own;
                }
}

static int count_bits(uint32_t bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) ++count;
    return count;
}

// The set of a phase, which is among those near the chunk.
static size_t set_of(const phase_chunk *chunk, int phase)
{
    return chunk->set + (size_t)count_bits(chunk->near & ((1u << phase) - 1));
}

static mote_result reserve_sets(surface_job *job, surface_phases *phases)
{
    surface_grid *grid = job->grid;
    size_t count = 0;
    for (uint32_t c = 0; c < grid->chunk_count; ++c) {
        phase_chunk *chunk = phases->chunks + c;
        const int near = count_bits(chunk->near);
        if (near < 2 || chunk->body == ALL_OUTSIDE) continue;
        if (count > INT32_MAX / 2) return MOTE_ERROR_OUT_OF_MEMORY;
        chunk->set = (uint32_t)count;
        count += (size_t)near;
    }
    mote_result result = mote_buffer_reserve(job->context, &phases->value_memory,
                                             mote_bytes(count, CHUNK_NODES * sizeof *phases->values), 0);
    phases->values = phases->value_memory.data;
    phases->first_signs = grid->sign_sets;
    const size_t used = phases->first_signs * sizeof *grid->signs;
    if (result == MOTE_OK)
        result = mote_buffer_reserve(job->context, &grid->sign_memory,
                                     mote_bytes(phases->first_signs + count, sizeof *grid->signs), used);
    grid->signs = grid->sign_memory.data;
    return result;
}

// ------------------------------------------------------------------------------------------------- phases of nodes

static void take_nodes(const surface_grid *grid, const phase_chunk *chunk, surface_signs *body)
{
    if (chunk->body == ALL_INSIDE)
        memset(body, 0xFF, sizeof *body);
    else
        *body = grid->signs[chunk->body];
}

// The phases that have particles in each subcell of the window.
static bool mark_subcells(const phase_task *task, surface_worker *worker)
{
    const surface_window *window = &worker->window;
    const size_t cells = (size_t)window->size * (size_t)window->size * (size_t)window->size;
    if (mote_buffer_reserve(task->job.context, &worker->phase_memory, mote_bytes(cells, sizeof(uint32_t)), 0) !=
        MOTE_OK)
        return false;
    uint32_t *marks = worker->phase_memory.data;
    for (size_t s = 0; s < cells; ++s) {
        marks[s] = 0;
        for (uint32_t j = window->start[s]; j < window->start[s + 1]; ++j) {
            const uint32_t particle = task->job.sort->index[window->number[j]];
            if (particle < task->job.own_count) marks[s] |= 1u << task->phases->of[particle];
        }
    }
    return true;
}

// The phases within reach of a group's nodes and of those next to them.
static uint32_t phases_around(const phase_task *task, const surface_worker *worker, const int first[3])
{
    const surface_window *window = &worker->window;
    const uint32_t *marks = worker->phase_memory.data;
    const float reach = task->scale.reach + 1, size = 2 * CLUSTER - 1;
    uint32_t near = 0;
    surface_range range;
    for (int k = 0; k < 3; ++k)
        mote_surface_range_of(&task->scale, window, k, (float)first[k], (float)first[k] + size, reach, &range);
    for (int z = range.low[2]; z <= range.high[2]; ++z)
        for (int y = range.low[1]; y <= range.high[1]; ++y)
            for (int x = range.low[0]; x <= range.high[0]; ++x)
                near |= marks[((size_t)z * (size_t)window->size + (size_t)y) * (size_t)window->size + (size_t)x];
    return near;
}

// Leaves the particles of a phase alone with a volume and a g.
static void select_particles(const phase_task *task, surface_worker *worker, int phase)
{
    const surface_sort *sort = task->job.sort;
    surface_window *window = &worker->window;
    window->has_fill = true;
    for (uint32_t j = 0; j < window->count; ++j) {
        const uint32_t number = window->number[j], particle = sort->index[number];
        const bool is_own = particle < task->job.own_count && task->phases->of[particle] == phase;
        window->volume[j] = is_own ? sort->volumes[number] : 0;
        window->far[j] = is_own ? 0 : beyond_all;
    }
}

static void sum_group(const phase_task *task, surface_worker *worker, const int first[3], const surface_signs *body,
                      float *values)
{
    const surface_job *job = &task->job;
    const int more = 2 * CLUSTER - 1, last[3] = {first[0] + more, first[1] + more, first[2] + more};
    const uint32_t listed = mote_surface_list_block(job, worker, first, last, task->scale.reach, false);
    for (int k = 0; k < 8 && listed > 0; ++k) {
        const int cluster[3] = {first[0] / CLUSTER + (k & 1), first[1] / CLUSTER + (k >> 1 & 1),
                                first[2] / CLUSTER + (k >> 2)};
        const int x = CLUSTER * cluster[0], y = CLUSTER * cluster[1], z = CLUSTER * cluster[2];
        const int any = body->rows[z][y] | body->rows[z][y + 1] | body->rows[z + 1][y] | body->rows[z + 1][y + 1];
        if ((any >> x & 3) == 0) continue;
        float own[TARGETS];
        surface_targets targets;
        mote_surface_set_targets(&task->scale, cluster, &targets);
        job->lanes->sum_field(&task->scale.kernel, &worker->window, listed, &targets, false, own);
        worker->nodes += TARGETS;
        for (int pair = 0; pair < TARGETS / 2; ++pair)
            memcpy(values + ((z + pair / 2) * CHUNK + y + pair % 2) * CHUNK + x, own + 2 * pair, sizeof(float[2]));
    }
}

// The group of a node, and the first node of a group.
static int group_of(int x, int y, int z)
{
    const int edge = 2 * CLUSTER;
    return (z / edge * GROUPS + y / edge) * GROUPS + x / edge;
}

static void first_of(int group, int first[3])
{
    first[0] = group % GROUPS * 2 * CLUSTER;
    first[1] = group / GROUPS % GROUPS * 2 * CLUSTER;
    first[2] = group / (GROUPS * GROUPS) * 2 * CLUSTER;
}

// Gives each node inside the body to the phase that is strongest there.
static void divide_nodes(const phase_task *task, const phase_chunk *chunk, const surface_signs *body,
                         const uint32_t *near)
{
    const surface_phases *phases = task->phases;
    surface_signs *signs = task->job.grid->signs + phases->first_signs;
    memset(signs + chunk->set, 0, (size_t)count_bits(chunk->near) * sizeof *signs);
    for (int z = 0; z < CHUNK; ++z)
        for (int y = 0; y < CHUNK; ++y)
            for (uint32_t left = body->rows[z][y]; left; left &= left - 1) {
                const int x = (int)mote_lowest_bit(left), node = (z * CHUNK + y) * CHUNK + x;
                size_t best = SIZE_MAX;
                for (uint32_t some = near[group_of(x, y, z)]; some; some &= some - 1) {
                    const size_t set = set_of(chunk, (int)mote_lowest_bit(some));
                    const float *values = phases->values + (size_t)node;
                    if (best == SIZE_MAX || values[set * CHUNK_NODES] > values[best * CHUNK_NODES]) best = set;
                }
                MOTE_ASSERT(best != SIZE_MAX);
                signs[best].rows[z][y] |= (uint16_t)(1u << x);
            }
}

static void find_nodes(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    phase_task *task = data;
    surface_worker *worker = task->job.workers + worker_number;
    const surface_phases *phases = task->phases;
    for (size_t c = begin; c < end; ++c) {
        const phase_chunk *chunk = phases->chunks + c;
        if (chunk->set == UINT32_MAX) continue;
        if (!mote_surface_gather_for(&task->job, task->job.grid->chunks + c, worker)) return;
        if (!mark_subcells(task, worker)) {
            atomic_store(&task->job.out_of_memory, true);
            return;
        }
        uint32_t near[GROUPS * GROUPS * GROUPS];
        surface_signs body;
        int first[3];
        take_nodes(task->job.grid, chunk, &body);
        memset(phases->values + (size_t)chunk->set * CHUNK_NODES, 0,
               (size_t)count_bits(chunk->near) * CHUNK_NODES * sizeof *phases->values);
        for (int g = 0; g < GROUPS * GROUPS * GROUPS; ++g)
            first_of(g, first), near[g] = phases_around(task, worker, first);
        for (uint32_t left = chunk->near; left; left &= left - 1) {
            const int phase = (int)mote_lowest_bit(left);
            float *values = phases->values + set_of(chunk, phase) * CHUNK_NODES;
            select_particles(task, worker, phase);
            for (int g = 0; g < GROUPS * GROUPS * GROUPS; ++g)
                if (near[g] >> phase & 1 && near[g] & (near[g] - 1))
                    first_of(g, first), sum_group(task, worker, first, &body, values);
        }
        divide_nodes(task, chunk, &body, near);
    }
}

mote_result mote_surface_find_phases(surface_job *job)
{
    surface_phases *phases = job->phases;
    const size_t count = job->grid->chunk_count;
    mote_result result =
        mote_buffer_reserve(job->context, &phases->chunk_memory, mote_bytes(count, sizeof *phases->chunks), 0);
    if (result != MOTE_OK) return result;
    phases->chunks = phases->chunk_memory.data;
    phase_task task = {.job = *job, .phases = phases, .scale = *job->scale};
    task.job.scale = &task.scale;
    task.scale.margin = (int)ceil(((double)task.scale.reach + 1) / task.scale.subcell);
    mote_parallel_for(job->context, count, 16, find_own, &task);
    mote_parallel_for(job->context, count, 16, find_near, &task);
    result = reserve_sets(job, phases);
    if (result != MOTE_OK) return result;
    mote_parallel_for(job->context, count, 1, find_nodes, &task);
    return atomic_load(&task.job.out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

// --------------------------------------------------------------------------------------------------------- meshes

void mote_surface_choose_phase(surface_job *job, int phase)
{
    surface_phases *phases = job->phases;
    phases->chosen = phase;
    for (uint32_t c = 0; c < job->grid->chunk_count; ++c) {
        const phase_chunk *from = phases->chunks + c;
        surface_chunk *chunk = job->grid->chunks + c;
        const bool is_near = from->near >> phase & 1;
        chunk->is_alike = false;
        chunk->signs = !is_near || from->body == ALL_OUTSIDE ? ALL_OUTSIDE
                       : from->set == UINT32_MAX             ? from->body
                                                 : (int32_t)(phases->first_signs + (uint32_t)set_of(from, phase));
    }
}

// The chunk that a node is in; `own` is where in it.
static const surface_chunk *chunk_at(const surface_chunk *const next[8], const int at[3], int own[3])
{
    for (int k = 0; k < 3; ++k) own[k] = at[k] & (CHUNK - 1);
    return next[at[0] >> CHUNK_BITS | at[1] >> CHUNK_BITS << 1 | at[2] >> CHUNK_BITS << 2];
}

int mote_surface_phase_at(const surface_phases *phases, const surface_grid *grid, const surface_chunk *const next[8],
                          const int node[3])
{
    int at[3];
    const surface_chunk *in = chunk_at(next, node, at);
    if (!in) return -1;
    const phase_chunk *chunk = phases->chunks + (in - grid->chunks);
    if (chunk->body == ALL_OUTSIDE) return -1;
    if (chunk->body >= 0 && !(grid->signs[chunk->body].rows[at[2]][at[1]] >> at[0] & 1)) return -1;
    uint32_t left = chunk->near;
    for (; chunk->set != UINT32_MAX && left & (left - 1); left &= left - 1) {
        const size_t set = phases->first_signs + set_of(chunk, (int)mote_lowest_bit(left));
        if (grid->signs[set].rows[at[2]][at[1]] >> at[0] & 1) break;
    }
    return (int)mote_lowest_bit(left);
}

bool mote_surface_has_phases(const surface_phases *phases, const surface_grid *grid, const surface_chunk *const next[8])
{
    for (int k = 0; k < 8; ++k)
        if (next[k] && phases->chunks[next[k] - grid->chunks].set != UINT32_MAX) return true;
    return false;
}

static double value_of(const surface_phases *phases, const phase_chunk *chunk, int phase, const int at[3])
{
    if (chunk->set == UINT32_MAX || !(chunk->near >> phase & 1)) return 0;
    const size_t node = (size_t)((at[2] * CHUNK + at[1]) * CHUNK + at[0]);
    return (double)phases->values[set_of(chunk, phase) * CHUNK_NODES + node];
}

bool mote_surface_phase_cut(const surface_phases *phases, const surface_grid *grid, const surface_chunk *const next[8],
                            const int low[3], const int high[3], double *part)
{
    const int *ends[2] = {low, high};
    int phase[2];
    double lead[2];  // of the phase at the low end
    for (int e = 0; e < 2; ++e) {
        phase[e] = mote_surface_phase_at(phases, grid, next, ends[e]);
        if (phase[e] < 0) return false;
    }
    for (int e = 0; e < 2; ++e) {
        int at[3];
        const phase_chunk *chunk = phases->chunks + (chunk_at(next, ends[e], at) - grid->chunks);
        lead[e] = value_of(phases, chunk, phase[0], at) - value_of(phases, chunk, phase[1], at);
    }
    MOTE_ASSERT(lead[0] >= 0 && lead[1] <= 0 && lead[0] > lead[1]);
    *part = lead[0] / (lead[0] - lead[1]);
    return true;
}
