// SPDX-License-Identifier: MIT
// Particles at the same place, in an order that does not depend on that of the input: by kernel, phase, volume and
// arrays.
//
// Places are equal where sums see them as equal, on 2^-19 of a cell. Sums then run in this order; particles that are
// alike in all add the same, whichever comes first.

#include <math.h>

#include "surface/internal.h"

typedef struct order_task {
    const surface_job *job;
    const mote_surface_cloud *cloud;
} order_task;

// By the first `components` numbers of an array; none are compared where there is no array.
static int compare_values(const mote_array *array, int components, uint32_t a, uint32_t b)
{
    for (int k = 0; k < components; ++k) {
        const double one = mote_surface_array_value(array, a, k), other = mote_surface_array_value(array, b, k);
        const int kinds = (int)isnan(one) - (int)isnan(other);  // NaN comes last
        if (kinds) return kinds;
        if (one < other || one > other) return one < other ? -1 : 1;
    }
    return 0;
}

// Fill points come last.
static bool is_before(const order_task *task, uint32_t a, uint32_t b)
{
    const mote_surface_cloud *cloud = task->cloud;
    const surface_form *forms = task->job->forms;
    const size_t own = cloud->points.count;
    if ((a < own) != (b < own)) return a < own;
    int order = forms ? memcmp(forms + a, forms + b, sizeof *forms) : 0;
    if (a < own && !order) {
        order = compare_values(&cloud->phases, cloud->phases.components > 0, a, b);
        if (!order) order = compare_values(&cloud->volumes, cloud->volumes.components > 0, a, b);
        for (size_t k = 0; k < cloud->array_count && !order; ++k)
            order = compare_values(cloud->arrays + k, cloud->arrays[k].components, a, b);
    }
    return order ? order < 0 : a < b;
}

// Sorts numbers (Shell 1959, with the gaps of Knuth).
static void order_run(const order_task *task, uint32_t *index, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t k = gap; k < count; ++k) {
            const uint32_t moved = index[k];
            uint32_t to = k;
            for (; to >= gap && is_before(task, moved, index[to - gap]); to -= gap) index[to] = index[to - gap];
            index[to] = moved;
        }
}

static void order_chunks(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const order_task *task = data;
    const surface_sort *sort = task->job->sort;
    float *const *at = sort->at;
    for (size_t c = begin; c < end; ++c) {
        const surface_chunk *chunk = task->job->grid->chunks + c;
        for (uint32_t first = chunk->begin, next; first < chunk->end; first = next) {
            next = first + 1;
            while (next < chunk->end && at[0][next] == at[0][first] && at[1][next] == at[1][first] &&
                   at[2][next] == at[2][first])
                ++next;
            if (next > first + 1) order_run(task, sort->index + first, next - first);
        }
    }
}

void mote_surface_order_coincident(const surface_job *job, const mote_surface_cloud *cloud)
{
    const bool are_alike = cloud->phases.components < 1 && cloud->volumes.components < 1 && cloud->array_count == 0;
    if (are_alike && !job->forms) return;
    order_task task = {job, cloud};
    mote_parallel_for(job->context, job->grid->chunk_count, 16, order_chunks, &task);
}
