// SPDX-License-Identifier: MIT
// Anisotropic kernels (Yu & Turk 2013, Reconstructing Surfaces of Particle-Based Fluids Using Anisotropic Kernels).
//
// A particle's kernel is an ellipsoid as long along each axis as the square root of the variance of its neighbours
// there, and lies λ of the way to their mean. Weights are 1 − (ρ/H)³, within the support H. Lengths are measured in
// those of an inner particle of a cubic lattice, whose variance is about 0.15 H²: so an inner particle has the
// isotropic kernel, and the paper's k_s, an inverse area of its scene, is 1/(0.15 H²). The isovalue is the mean in the
// plane where a half space of lattice ends, of isotropic kernels that are moved in the same way. With flat ones it
// would be lower, and spheres, whose surfaces are steps of a lattice, would be too large by 0.15 spacings. A particle
// with few neighbours has a round kernel, as wide as gives a lone drop the volume of a particle.

#include <math.h>

#include "surface/eigen.h"
#include "surface/finish.h"

enum { MOST_LAYERS = 12, FORM_BLOCK = 16384 };
static const double longest = 1.25;  // axes, in supports,
static const double flattest = 4;    // and the longest one over the shortest
static const double farthest = 0.5;  // that a kernel is moved, in supports
static const double few = 0.25;      // of the neighbours in a lattice, by weight

typedef struct moments {
    double weight, z, xx;  // mean, inwards, and variance along the layers
} moments;

// Of a particle `depth` layers below the end of a half space.
static moments moments_at(double support, int depth)
{
    const int reach = (int)ceil(support);
    moments m = {0};
    for (int z = -MOTE_MIN(depth, reach); z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double r = sqrt((double)(x * x + y * y + z * z)) / support, w = r < 1 ? 1 - r * r * r : 0;
                m.weight += w;
                m.z += w * z;
                m.xx += w * x * x;
            }
    m.z /= m.weight;
    m.xx /= m.weight;
    return m;
}

// The isovalue for kernels that lie `centering` of the way to the mean of their neighbours.
static double derive_isovalue(double support, double centering)
{
    double sink[MOST_LAYERS];
    const int layers = (int)ceil(support) + 1;
    MOTE_ASSERT(layers <= MOST_LAYERS);
    for (int k = 0; k < layers; ++k) sink[k] = centering * moments_at(support, k).z;
    return mote_surface_mean_at_end(support, sink);
}

// The axes, in supports, with which a lone particle has the volume of a cube of the spacing.
static double derive_lone(double support, double isovalue)
{
    const double radius = 0.62035049089940 / support;  // of a ball of volume 1
    double low = radius, high = MOTE_MIN(1.0, 2 * radius);
    for (int k = 0; k < 50; ++k) {
        const double middle = 0.5 * (low + high);
        if (mote_surface_shape(radius / middle) < isovalue * (middle * middle * middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

surface_forms mote_surface_forms(const mote_surface_def *def, surface_scale *scale, surface_scale *wide)
{
    surface_forms forms = {.centering = def->centering};
    const double support = def->support / def->spacing;
    const double isovalue = isnan(def->isovalue) ? derive_isovalue(support, def->centering) : def->isovalue;
    const moments full = moments_at(support, MOST_LAYERS);
    forms.lone = derive_lone(support, isovalue);
    forms.variance = full.xx * (scale->spacing / scale->cell) * (scale->spacing / scale->cell);
    forms.few = few * full.weight;
    mote_surface_def wider = *def;
    wider.isovalue = isovalue;
    *scale = mote_surface_scale(&wider);
    wider.support = longest * def->support;
    *wide = mote_surface_scale(&wider);
    wide->kernel.farthest = (float)(farthest * def->support / def->cell);
    return forms;
}

// ----------------------------------------------------------------------------------------------------- of particles

// The kernel of a particle from its moments: Σw, Σwd, Σwdd (xx, yy, zz, xy, xz, yz).
static surface_form make_form(const surface_forms *forms, const surface_scale *scale, const double sums[10],
                              double moved[3])
{
    double axes[3] = {forms->lone, forms->lone, forms->lone}, turned[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) moved[k] = 0;
    if (sums[0] >= forms->few) {
        const double m[3] = {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]};
        static const int place[3][3] = {{4, 7, 8}, {7, 5, 9}, {8, 9, 6}};
        double matrix[3][3], values[3], largest = 0;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) matrix[i][k] = sums[place[i][k]] / sums[0] - m[i] * m[k];
        mote_surface_eigen(matrix, values, turned);
        for (int k = 0; k < 3; ++k) {
            axes[k] = MOTE_MIN(sqrt(MOTE_MAX(values[k], 0.0) / forms->variance), longest);
            largest = MOTE_MAX(largest, axes[k]);
        }
        if (!(largest > 0)) largest = forms->lone;  // all in one place
        for (int k = 0; k < 3; ++k) axes[k] = MOTE_MAX(axes[k], largest / flattest);
        const double length = forms->centering * sqrt((m[0] * m[0] + m[1] * m[1]) + m[2] * m[2]);
        const double most = farthest * scale->support * (1 - 0x1p-16);
        const double part = forms->centering * (length > most ? most / length : 1);
        for (int k = 0; k < 3; ++k) moved[k] = part * m[k];
    }
    surface_form form;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; ++e) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) sum += turned[row[e]][k] * turned[column[e]][k] / axes[k];
        // A little less wide, as the isotropic kernel is.
        form.matrix[e] = (float)(sum * (1 + 0x1p-20) / scale->support);
    }
    form.volume = (float)(1 / (axes[0] * axes[1] * axes[2]));
    return form;
}

typedef struct form_task {
    surface_job *job;
    surface_forms *forms;
} form_task;

static void make_forms(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    const form_task *task = data;
    surface_job *job = task->job;
    const surface_sort *sort = job->sort;
    const surface_scale *scale = job->scale;
    surface_worker *worker = job->workers + worker_number;
    for (size_t c = begin; c < end; ++c) {
        const surface_chunk *chunk = sort->chunks + c;
        if (!mote_surface_gather_for(job, chunk, worker)) return;
        for (uint32_t first = chunk->begin; first < chunk->end; first += TARGETS) {
            const uint32_t count = MOTE_MIN(chunk->end - first, (uint32_t)TARGETS);
            surface_targets targets;
            surface_range range;
            float sums[10][TARGETS];
            uint32_t numbers[TARGETS];
            for (uint32_t t = 0; t < count; ++t) numbers[t] = first + t;
            mote_surface_take_targets(job, &worker->window, numbers, (int)count, &targets, &range);
            job->lanes->sum_moments(&scale->kernel, &worker->window, &range, &targets, sums);
            for (uint32_t t = 0; t < count; ++t) {
                const uint32_t i = first + t, index = sort->index[i];
                double own[10], moved[3];
                for (int k = 0; k < 10; ++k) own[k] = (double)sums[k][t];
                surface_form form = make_form(task->forms, scale, own, moved);
                form.volume *= sort->volumes[i];
                form.crowd = job->crowds ? job->crowds[i] : 0;
                for (int k = 0; k < 3; ++k) {
                    const double from = (double)sort->at[k][i];
                    const double to = ((double)chunk->at[k] * CHUNK + from + moved[k]) * scale->cell;
                    task->forms->places[3 * (size_t)index + (size_t)k] = to;
                    form.back[k] = (float)-moved[k];
                }
                task->forms->forms[index] = form;
            }
        }
    }
}

static void take_forms(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const form_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        const surface_form *form = task->forms->forms + task->job->sort->index[i];
        task->job->sort->volumes[i] = form->volume;
        if (task->job->crowds) task->job->crowds[i] = form->crowd;
    }
}

mote_result mote_surface_make_forms(surface_job *job, surface_forms *forms, const surface_scale *wide,
                                    const mote_surface_cloud *cloud, mote_error *error)
{
    const mote_context *context = job->context;
    const size_t n = job->sort->count, own = job->own_count;
    mote_result result = mote_buffer_reserve(context, &forms->place_memory, mote_bytes(n, sizeof(double[3])), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &forms->form_memory, mote_bytes(n, sizeof *forms->forms), 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    forms->places = forms->place_memory.data;
    forms->forms = forms->form_memory.data;
    form_task task = {job, forms};
    mote_parallel_for(context, job->sort->chunk_count, 1, make_forms, &task);
    if (atomic_load(&job->out_of_memory)) return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "surface");
    const mote_points sets[2] = {mote_points_xyz_f64(forms->places, own),
                                 mote_points_xyz_f64(forms->places + 3 * own, n - own)};
    result = mote_surface_sort(context, job->sort, wide, sets, NULL, error);
    if (result != MOTE_OK) return result;
    job->scale = wide;
    job->forms = forms->forms;
    result = mote_surface_list_chunks(context, job->grid, job->sort, wide);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "surface");
    mote_surface_order_coincident(job, cloud);
    mote_parallel_for(context, n, FORM_BLOCK, take_forms, &task);
    return MOTE_OK;
}
