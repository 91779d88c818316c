// SPDX-License-Identifier: MIT
// From particles to vertices: arrays and weights as means by V W (Shepard 1968), and normals from the gradient of c.
//
// Weights are those of Löschner et al. 2023, s(Σ(1 − r²/H²)/N) with s(x) = 6x⁵ − 15x⁴ + 10x³ of x ≤ 1: 1 inside a
// body, 0 for a lone drop, which smoothing then spares. N is the sum in a cubic lattice, without the particle itself.

#include <math.h>

#include "base/vector.h"
#include "surface/finish.h"
#include "surface/phases.h"

enum { MOST_COLUMNS = SURFACE_COLUMNS + 1 };  // with the sum of weights

typedef struct carry_task {
    surface_job *job;
    const mote_surface_cloud *cloud;
    surface_mesh *mesh;
    surface_finish *finish;
    float *weights;  // of particles, for smoothing; NULL: they are not asked for
    bool has_gradient, has_sums;
} carry_task;

static double lattice_sum(double support)
{
    const int reach = (int)support + 1;
    double sum = -1;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double part = 1 - (x * x + y * y + z * z) / (support * support);
                if (part > 0) sum += part;
            }
    return sum;
}

static float weight_of(float crowd)
{
    const float x = crowd < 1 ? MOTE_MAX(crowd, 0.0f) : 1;
    return x * x * x * (x * (x * 6 - 15) + 10);
}

// Subcells of the window along an axis within the support of a vertex.
static void range_of(const surface_scale *scale, const surface_window *window, const double at[3], surface_range *range)
{
    for (int k = 0; k < 3; ++k) {
        const int low = (int)floor((at[k] - (double)scale->reach) / scale->subcell) + scale->margin;
        const int high = (int)floor((at[k] + (double)scale->reach) / scale->subcell) + scale->margin;
        range->low[k] = MOTE_MAX(low, window->low[k]);
        range->high[k] = MOTE_MIN(high, window->high[k]);
    }
}

// What a particle adds to a vertex.
static void add_particle(const carry_task *task, const surface_window *window, uint32_t j, const double at[3],
                         double *sums, double gradient[3])
{
    const surface_job *job = task->job;
    const double d[3] = {at[0] - (double)window->x[j], at[1] - (double)window->y[j], at[2] - (double)window->z[j]};
    const double r = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    const double s = 1 - r * (double)job->scale->kernel.inverse_support, t = s > 0.5 ? s - 0.5 : 0;
    if (!(s > 0)) return;
    const double slope = r > 0 ? (double)window->volume[j] * (24 * t * t - 6 * s * s) / r : 0;
    const uint32_t number = window->number[j], index = job->sort->index[number];
    const bool is_fill = index >= job->own_count, is_own = !is_fill && mote_surface_has_phase(job->phases, index);
    for (int k = 0; k < 3; ++k) gradient[k] += is_fill || is_own ? slope * d[k] : -slope * d[k];
    if (!is_own) return;
    const double weight = (double)window->volume[j] * (2 * s * s * s - 8 * t * t * t);
    sums[0] += weight;
    size_t column = 1;
    for (size_t a = 0; a < task->finish->array_count; ++a)
        for (int k = 0; k < task->cloud->arrays[a].components; ++k)
            sums[column++] += weight * mote_surface_array_value(task->cloud->arrays + a, index, k);
}

// Sums of the nearest particle alone, where all others of the phase are beyond their support or have no volume.
static void take_nearest(const carry_task *task, const surface_window *window, const double at[3], double *sums)
{
    double least = HUGE_VAL;
    uint32_t nearest = UINT32_MAX;
    for (uint32_t j = 0; j < window->count; ++j) {
        const uint32_t index = task->job->sort->index[window->number[j]];
        if (index >= task->job->own_count || !mote_surface_has_phase(task->job->phases, index)) continue;
        const double d[3] = {at[0] - (double)window->x[j], at[1] - (double)window->y[j], at[2] - (double)window->z[j]};
        const double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        if (r2 < least) least = r2, nearest = index;
    }
    if (nearest == UINT32_MAX) return;
    sums[0] = 1;
    size_t column = 1;
    for (size_t a = 0; a < task->finish->array_count; ++a)
        for (int k = 0; k < task->cloud->arrays[a].components; ++k)
            sums[column++] = mote_surface_array_value(task->cloud->arrays + a, nearest, k);
}

static void carry_to_vertex(const carry_task *task, const surface_worker *worker, const surface_chunk *chunk, size_t v)
{
    const surface_scale *scale = task->job->scale;
    const surface_window *window = &worker->window;
    surface_finish *finish = task->finish;
    const mote_vec3 place = task->mesh->vertices[v];
    const double at[3] = {place.x / scale->cell - (double)chunk->at[0] * CHUNK,
                          place.y / scale->cell - (double)chunk->at[1] * CHUNK,
                          place.z / scale->cell - (double)chunk->at[2] * CHUNK};
    double sums[MOST_COLUMNS] = {0}, gradient[3] = {0};
    surface_range range;
    range_of(scale, window, at, &range);
    for (int z = range.low[2]; z <= range.high[2]; ++z)
        for (int y = range.low[1]; y <= range.high[1] && range.low[0] <= range.high[0]; ++y) {
            const uint32_t *row = window->start + ((size_t)z * (size_t)window->size + (size_t)y) * (size_t)window->size;
            for (uint32_t j = row[range.low[0]]; j < row[range.high[0] + 1]; ++j)
                add_particle(task, window, j, at, sums, gradient);
        }
    if (!(sums[0] > 0) && finish->array_count) take_nearest(task, window, at, sums);
    const double total = sums[0] > 0 ? sums[0] : 1;
    size_t column = 1, before = 0;
    for (size_t a = 0; a < finish->array_count; ++a) {
        const size_t components = (size_t)finish->arrays[a].components;
        for (size_t k = 0; k < components; ++k)
            finish->values[before * task->mesh->vertex_count + v * components + k] = (float)(sums[column++] / total);
        before += components;
    }
    if (task->has_gradient) {
        const mote_vec3 n = {-gradient[0], -gradient[1], -gradient[2]};
        if (mote_vec3_length(n) > 0) finish->normals[v] = mote_vec3_unit(n);
    }
}

static void carry_weights(const carry_task *task, surface_worker *worker, const surface_chunk *chunk, size_t last)
{
    const surface_job *job = task->job;
    const surface_scale *scale = job->scale;
    const surface_window *window = &worker->window;
    for (uint32_t j = 0; j < window->count; ++j) {
        const uint32_t number = window->number[j];
        window->far[j] = job->sort->index[number] < job->own_count ? task->weights[number] : -1;
    }
    for (size_t first = chunk->first_vertex; first < last; first += TARGETS) {
        const size_t count = MOTE_MIN(last - first, (size_t)TARGETS);
        surface_targets targets = {.reach = scale->reach, .low = {CHUNK, CHUNK, CHUNK}};
        float means[TARGETS];
        surface_range range;
        for (size_t t = 0; t < TARGETS; ++t) {
            const mote_vec3 place = task->mesh->vertices[first + MOTE_MIN(t, count - 1)];
            const double at[3] = {place.x, place.y, place.z};
            for (int k = 0; k < 3; ++k) {
                targets.at[k][t] = (float)(at[k] / scale->cell - (double)chunk->at[k] * CHUNK);
                targets.low[k] = MOTE_MIN(targets.low[k], targets.at[k][t]);
                targets.high[k] = MOTE_MAX(targets.high[k], targets.at[k][t]);
            }
        }
        for (int k = 0; k < 3; ++k)
            mote_surface_range_of(scale, window, k, targets.low[k], targets.high[k], scale->reach, &range);
        job->lanes->sum_weights(&scale->kernel, window, &range, &targets, means);
        memcpy(task->finish->weights + first, means, count * sizeof *means);
    }
}

static void carry_to_chunks(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    const carry_task *task = data;
    surface_worker *worker = task->job->workers + worker_number;
    const surface_grid *grid = task->job->grid;
    for (size_t c = begin; c < end; ++c) {
        const surface_chunk *chunk = grid->chunks + c;
        const size_t last = c + 1 < grid->chunk_count ? chunk[1].first_vertex : task->mesh->vertex_count;
        if (chunk->first_vertex == last) continue;
        if (!mote_surface_gather_for(task->job, chunk, worker)) return;
        if (task->has_sums)
            for (size_t v = chunk->first_vertex; v < last; ++v) carry_to_vertex(task, worker, chunk, v);
        if (task->weights) carry_weights(task, worker, chunk, last);
    }
}

// Makes room for the arrays at the vertices, and describes them.
static mote_result reserve_arrays(const mote_context *context, const mote_surface_cloud *cloud,
                                  const surface_mesh *mesh, surface_finish *finish)
{
    size_t columns = 0;
    for (size_t a = 0; a < cloud->array_count; ++a) columns += (size_t)cloud->arrays[a].components;
    finish->columns = columns;
    mote_result result =
        mote_buffer_reserve(context, &finish->array_memory, mote_bytes(cloud->array_count, sizeof(mote_array)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &finish->value_memory,
                                     mote_bytes(mesh->vertex_count, columns * sizeof(float)), 0);
    if (result != MOTE_OK) return result;
    finish->arrays = finish->array_memory.data;
    finish->values = finish->value_memory.data;
    finish->array_count = cloud->array_count;
    return MOTE_OK;
}

// The arrays lie one after the other; their places follow from the number of vertices.
void mote_surface_place_arrays(const mote_surface_cloud *cloud, size_t vertex_count, surface_finish *finish)
{
    size_t before = 0;
    for (size_t a = 0; a < finish->array_count; ++a) {
        const mote_array *from = cloud->arrays + a;
        finish->arrays[a] =
            mote_array_tuples(from->name, MOTE_ARRAY_F32, finish->values + before * vertex_count, from->components);
        finish->arrays[a].unit = from->unit;
        before += (size_t)from->components;
    }
}

mote_result mote_surface_reserve_crowds(surface_job *job, const mote_surface_def *def, surface_finish *finish)
{
    job->crowds = NULL;
    if (!def->weighted || def->smooth == 0) return MOTE_OK;
    const mote_result result =
        mote_buffer_reserve(job->context, &finish->crowd_memory, mote_bytes(job->sort->count, sizeof(float)), 0);
    if (result == MOTE_OK) job->crowds = finish->crowd_memory.data;
    return result;
}

typedef struct weigh_task {
    float *weights, lattice_part;
} weigh_task;

static void weigh_particles(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const weigh_task *task = data;
    for (size_t i = begin; i < end; ++i) task->weights[i] = weight_of(task->weights[i] * task->lattice_part);
}

void mote_surface_weigh_particles(const surface_job *job, const mote_surface_def *def)
{
    if (!job->crowds) return;
    weigh_task task = {job->crowds, (float)(1 / lattice_sum(def->support / def->spacing))};
    mote_parallel_for(job->context, job->sort->count, 16384, weigh_particles, &task);
}

mote_result mote_surface_carry(surface_job *job, const mote_surface_def *def, const mote_surface_cloud *cloud,
                               surface_mesh *mesh, surface_finish *finish)
{
    const bool has_weights = def->weighted && def->smooth > 0;
    carry_task task = {.job = job,
                       .cloud = cloud,
                       .mesh = mesh,
                       .finish = finish,
                       .has_gradient = def->normals == MOTE_SURFACE_NORMALS_FIELD};
    mote_result result = reserve_arrays(job->context, cloud, mesh, finish);
    if (result == MOTE_OK && def->normals != MOTE_SURFACE_NORMALS_NONE)
        result = mote_buffer_reserve(job->context, &finish->normal_memory,
                                     mote_bytes(mesh->vertex_count, sizeof *finish->normals), 0);
    if (result == MOTE_OK && has_weights)
        result = mote_buffer_reserve(job->context, &finish->weight_memory,
                                     mote_bytes(mesh->vertex_count, sizeof *finish->weights), 0);
    if (result != MOTE_OK) return result;
    mote_surface_place_arrays(cloud, mesh->vertex_count, finish);
    finish->normals = def->normals != MOTE_SURFACE_NORMALS_NONE ? finish->normal_memory.data : NULL;
    finish->weights = has_weights ? finish->weight_memory.data : NULL;
    task.weights = has_weights ? job->crowds : NULL;
    task.has_sums = cloud->array_count || task.has_gradient;
    if (task.has_gradient) mote_surface_angle_normals(job->lanes, mesh, finish->normals);
    if (task.has_sums || has_weights)
        mote_parallel_for(job->context, job->grid->chunk_count, 1, carry_to_chunks, &task);
    return atomic_load(&job->out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}
