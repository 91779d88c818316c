// SPDX-License-Identifier: MIT
// The kernel of samples of a surface: by it a single layer pushes, at every distance, as much as all layers of a
// lattice that goes on behind the surface.
//
// By the fluid's kernel it cannot: the slope of a kernel that is smooth in its middle vanishes there, so that a layer
// pushes less the nearer a particle is. What a flat layer does depends on its kernel's integrals over planes alone, and
// there is a kernel for any such integrals (in 3D K(r) = −F'(r)/(2πr) has the integrals F, in 2D Abel's inversion has
// it). Here it is −K'/r = g Σ c_k s^(3+k), s = 1 − r/H, with c_k by least squares over the distances from the surface
// at which particles are, for samples half a spacing behind it. At half a spacing, where water rests, the push is that
// of the lattice exactly; elsewhere to a few per cent of that (test_kernels). The sums of places times slopes, by which
// hydrostatic pressure acts, are those of the half space as well: along the surface by parts, across it since the
// middle of what is behind is half a spacing deep as seen from where particles rest.
//
// Volumes are those of Akinci et al. 2012 (walls.c), and then corrected for the shape of the body: above each sample,
// where particles rest, the push is to be the integral of W n over the surface around, which is that of the gradient
// over the body behind it (Gauss). So columns that narrow behind a convex surface count less, others more. Only the
// other face of a plate is left out, as if the plate were thick: there may be no water behind it that would push, too.
//
// In a plate that is thinner than a spacing the samples of both faces are in its middle, less deep than they should be.
// No volume makes their push right at all distances: it falls too little with the distance, and near the plate not at
// all. What has to be right is its integral from half a spacing on, ∫W over the plane, by which pressure that grows
// with the depth holds water up along the plate: if that is too large, water rises there. The push at half a spacing is
// then up to three tenths smaller than that of water, and the guard (simulation/solids.c), which is nearly there, does
// the rest. With onderik the same holds for plates up to two spacings thick, whose volumes count the other face's
// samples as neighbours.

#include <math.h>

#include "base/vector.h"
#include "fluid/internal.h"

enum { DISTANCES = 24, STEPS = 64, LEAST_POWER = 3 };
static const double depth = 0.5;  // of samples, in spacings
// With onderik, whose samples have the kernel of all, 0.375 holds water at rest 0.54 to 0.62 spacings off, and 0.4375
// 0.5 to 0.6.
static const double onderik_depth = 0.4375;

typedef struct plane_sum {
    const mote_kernel *kernel;  // NULL: of the power
    int dimensions, power;
    double support;
} plane_sum;

static double lean_of(const plane_sum *of, double s)
{
    if (of->kernel) return of->kernel->lean(s);
    double product = 1;
    for (int k = 0; k < of->power; ++k) product *= s;
    return product;
}

// z ∫ lean over a plane at the distance z (2D: a line), by the rule of midpoints.
static double integral(const plane_sum *of, double z)
{
    const double h = of->support;
    if (z >= h) return 0;
    const double rim = sqrt(h * h - z * z), step = rim / STEPS, two_pi = 6.28318530717958647692;
    double sum = 0;
    for (int k = 0; k < STEPS; ++k) {
        const double t = (k + 0.5) * step;
        const double term = lean_of(of, MOTE_MAX(1 - sqrt(z * z + t * t) / h, 0));
        sum += of->dimensions == 3 ? two_pi * t * term : 2 * term;
    }
    return z * sum * step;
}

// What all layers of a lattice behind a surface push at a distance from it.
static double push_of_layers(const plane_sum *of, double z, double spacing)
{
    double sum = 0;
    for (double at = z + spacing / 2; at < of->support; at += spacing) sum += integral(of, at);
    return sum;
}

// Least squares by Gram and Schmidt: the columns become orthonormal.
static void solve(double columns[MOTE_SAMPLE_TERMS][DISTANCES], double target[DISTANCES],
                  double found[MOTE_SAMPLE_TERMS])
{
    double upper[MOTE_SAMPLE_TERMS][MOTE_SAMPLE_TERMS] = {{0}}, along[MOTE_SAMPLE_TERMS] = {0};
    for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) {
        for (int j = 0; j < k; ++j) {
            for (int i = 0; i < DISTANCES; ++i) upper[j][k] += columns[j][i] * columns[k][i];
            for (int i = 0; i < DISTANCES; ++i) columns[k][i] -= upper[j][k] * columns[j][i];
        }
        double squares = 0;
        for (int i = 0; i < DISTANCES; ++i) squares += columns[k][i] * columns[k][i];
        upper[k][k] = sqrt(squares);
        for (int i = 0; i < DISTANCES; ++i) columns[k][i] /= upper[k][k];
        for (int i = 0; i < DISTANCES; ++i) along[k] += columns[k][i] * target[i];
        for (int i = 0; i < DISTANCES; ++i) target[i] -= along[k] * columns[k][i];
    }
    for (int k = MOTE_SAMPLE_TERMS - 1; k >= 0; --k) {
        found[k] = along[k];
        for (int j = k + 1; j < MOTE_SAMPLE_TERMS; ++j) found[k] -= upper[k][j] * found[j];
        found[k] /= upper[k][k];
    }
}

void mote_sample_terms(const mote_kernel *kernel, int dimensions, double support, double spacing,
                       double terms[MOTE_SAMPLE_TERMS])
{
    const double d = spacing;
    const plane_sum layers = {kernel, dimensions, 0, support};
    plane_sum powers[MOTE_SAMPLE_TERMS];
    double columns[MOTE_SAMPLE_TERMS][DISTANCES], target[DISTANCES], at_rest = 0;
    for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) powers[k] = (plane_sum){NULL, dimensions, LEAST_POWER + k, support};
    for (int i = 0; i < DISTANCES; ++i) {
        const double z = (i + 0.5) / DISTANCES * (support - depth * d);
        target[i] = push_of_layers(&layers, z, d);
        for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) columns[k][i] = integral(&powers[k], z + depth * d);
    }
    solve(columns, target, terms);
    for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) at_rest += terms[k] * integral(&powers[k], (0.5 + depth) * d);
    const double scale = push_of_layers(&layers, 0.5 * d, d) / at_rest;
    for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) terms[k] *= scale;
}

double mote_sample_lean(const double terms[MOTE_SAMPLE_TERMS], double s)
{
    double sum = 0;
    for (int k = MOTE_SAMPLE_TERMS - 1; k >= 0; --k) sum = sum * s + terms[k];
    return s * s * s * sum;
}

double mote_sample_depth(int32_t solver)
{
    return solver == MOTE_SOLVER_WEAK ? depth : onderik_depth;
}

void mote_weak_find_sample_kernel(mote_fluid *fluid)
{
    weak_kernel *kernel = &fluid->weak.sample_kernel;
    const mote_kernel *base = mote_kernels[fluid->kernel];
    const double d = fluid->def.spacing, h = fluid->def.support;
    double *terms = fluid->weak.sample_terms, shape[MOTE_SAMPLE_TERMS + 1] = {0};
    mote_sample_terms(base, fluid->def.dimensions, h, d, terms);
    *kernel = fluid->weak.kernel;
    kernel->id = KERNEL_SAMPLES;
    // W = ∫ −K' dr from r to H, with r dr = −H² (1 − s) ds.
    for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) {
        terms[k] /= fluid->sample_volume;
        kernel->lean_terms[k] = (float)terms[k];
        shape[k] += base->steepness * terms[k] / (LEAST_POWER + k + 1);
        shape[k + 1] -= base->steepness * terms[k] / (LEAST_POWER + k + 2);
    }
    for (int k = 0; k <= MOTE_SAMPLE_TERMS; ++k) kernel->shape_terms[k] = (float)shape[k];
    const double s = MOTE_MAX(1 - d / h, 0);
    double at_spacing = 0;
    for (int k = MOTE_SAMPLE_TERMS; k >= 0; --k) at_spacing = at_spacing * s + shape[k];
    at_spacing *= s * s * s * s;
    kernel->lattice_value = at_spacing > 0 ? (float)(1 / at_spacing) : 0;
}

// ------------------------------------------------------------------------------------------------------ thin plates

// ∫ over a plane at the distance z (2D: a line), of a kernel's shape or, without a kernel, of that of samples.
static double shape_over_plane(const mote_fluid *fluid, const mote_kernel *kernel, double z)
{
    const double h = fluid->def.support;
    const float *terms = fluid->weak.sample_kernel.shape_terms;
    if (z >= h) return 0;
    const double step = sqrt(h * h - z * z) / STEPS;
    double sum = 0;
    for (int k = 0; k < STEPS; ++k) {
        const double t = (k + 0.5) * step, s = MOTE_MAX(1 - sqrt(z * z + t * t) / h, 0);
        double shape = 0;
        for (int n = MOTE_SAMPLE_TERMS; n >= 0 && !kernel; --n) shape = shape * s + (double)terms[n];
        sum += (fluid->def.dimensions == 3 ? t : 1) * (kernel ? kernel->shape(s) : s * s * s * s * shape);
    }
    return sum * step;
}

// What a plane of samples pushes at a distance from it.
static double push_of_samples(const mote_fluid *fluid, double z)
{
    double sum = 0;
    for (int k = 0; k < MOTE_SAMPLE_TERMS; ++k) {
        const plane_sum of = {NULL, fluid->def.dimensions, LEAST_POWER + k, fluid->def.support};
        sum += fluid->weak.sample_terms[k] * integral(&of, z);
    }
    return sum;
}

// The volumes of all samples are such that those of a plate push at half a spacing as a half space does.
static double share_by_weak(const mote_fluid *fluid, const fluid_sample *sample)
{
    const double d = fluid->def.spacing, rest = (0.5 + sample->depth) * d, usual = (0.5 + depth) * d;
    if (sample->depth >= depth) return 1;
    const double push = push_of_samples(fluid, usual) / push_of_samples(fluid, rest);
    if (!(sample->thickness < HUGE_VAL)) return push;
    // What a plate pushes has been made right where its samples are: this takes it back.
    return shape_over_plane(fluid, NULL, usual) / shape_over_plane(fluid, NULL, rest) / push;
}

// Volumes are found with the samples of the other face as neighbours, which makes them smaller by as much, however far
// away that face is; and both faces lift.
static double share_by_onderik(const mote_fluid *fluid, const fluid_sample *sample)
{
    const double d = fluid->def.spacing, rest = (0.5 + sample->depth) * d;
    const double usual = (0.5 + mote_sample_depth(MOTE_SOLVER_ONDERIK)) * d;
    const double apart = MOTE_MAX(sample->thickness - 2 * sample->depth, 0.0) * d;
    const mote_kernel *volumes = &mote_kernel_poly6, *pushes = &mote_kernel_spiky;
    if (!(apart < fluid->def.support)) return 1;
    const double smaller = 1 + shape_over_plane(fluid, volumes, apart) / shape_over_plane(fluid, volumes, 0);
    const double lift = shape_over_plane(fluid, pushes, rest) + shape_over_plane(fluid, pushes, rest + apart);
    return smaller * shape_over_plane(fluid, pushes, usual) / lift;
}

double mote_fluid_sample_share(const mote_fluid *fluid, const fluid_sample *sample)
{
    return fluid->def.solver == MOTE_SOLVER_WEAK ? share_by_weak(fluid, sample) : share_by_onderik(fluid, sample);
}

// ------------------------------------------------------------------------------------------------ curved surfaces

// In 3D samples lie at random, and few of them are in folds: their volumes change more than those of an even row.
enum { ROUNDS_2D = 4, ROUNDS_3D = 8 };
static const double least_factor = 0.4, most_factor_2d = 1.3, most_factor_3d = 2;  // of a volume: at sharp edges
static const double opposite = -0.8;   // cosine of the angle between normals, below which a face is the other one
static const double area_reach = 1.5;  // in spacings: how far neighbours lie that tell a sample's area in 3D

typedef struct shape_task {
    const mote_fluid *fluid;
    const fluid_sample *samples;
    const fluid_place *above, *on, *inside;  // half a spacing above the surface, on it, and the samples
    const mote_lists *to_surface, *to_samples;
    double scale;  // of a lattice's push over that of a body without grain
} shape_task;

static mote_vec3 way_between(const fluid_place *from, const fluid_place *to)
{
    return mote_vec3_make((double)(to->x - from->x), (double)(to->y - from->y), (double)(to->z - from->z));
}

// ∫ W/α n over the surface around a place above a sample, along its normal: what its body pushes (Gauss).
static double push_wanted(const shape_task *task, const double *areas, uint32_t i)
{
    const mote_row row = mote_lists_row(task->to_surface, i);
    const double h = task->fluid->def.support;
    double sum = 0;
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        const mote_vec3 way = way_between(&task->above[i], &task->on[j]);
        const double cosine = mote_vec3_dot(task->samples[j].normal, task->samples[i].normal);
        if (cosine < opposite && mote_vec3_dot(way, task->samples[j].normal) >= 0) continue;
        const double s = MOTE_MAX(1 - mote_vec3_length(way) / h, 0);
        sum += areas[j] * mote_kernels[task->fluid->kernel]->shape(s) * cosine;
    }
    return sum * task->scale;
}

static double push_found(const shape_task *task, const double *volumes, uint32_t i)
{
    const mote_row row = mote_lists_row(task->to_samples, i);
    const double h = task->fluid->def.support, d = task->fluid->def.spacing;
    double sum = 0;
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        const mote_vec3 way = way_between(&task->above[i], &task->inside[j]);
        const double s = MOTE_MAX(1 - mote_vec3_length(way) / h, 0);
        const double lean = mote_sample_lean(task->fluid->weak.sample_terms, s);
        sum -= volumes[j] * lean * mote_vec3_dot(way, task->samples[i].normal);
    }
    return sum * mote_kernels[task->fluid->kernel]->steepness * d / (h * h);
}

// The push of a flat body without grain, per d^(D−1), at half a spacing.
static double flat_push(const mote_fluid *fluid, bool of_lattice)
{
    const double d = fluid->def.spacing, h = fluid->def.support;
    const mote_kernel *kernel = mote_kernels[fluid->kernel];
    const plane_sum layers = {kernel, fluid->def.dimensions, 0, h};
    if (of_lattice) return push_of_layers(&layers, 0.5 * d, d) * kernel->steepness * d / (h * h);
    double sum = 0;
    enum { FINE = 40 };
    const double step = (h - 0.5 * d) / FINE;
    for (int k = 0; k < FINE; ++k) sum += integral(&layers, 0.5 * d + (k + 0.5) * step);
    return sum * kernel->steepness * step / (h * h);
}

// The surface of each sample [m^(D−1)]. Neighbours count by (1 − r²/R²)³. In 3D R is small: where the surface is
// rough, or folded, those that are farther away lie on parts of it that have another direction. In 2D samples are in a
// row, a spacing apart.
static void find_areas(const shape_task *task, const mote_lists *rows, size_t count, double *areas)
{
    const double d = task->fluid->def.spacing, h = task->fluid->def.support, d3 = task->fluid->cell_volume;
    const bool is_flat = task->fluid->def.dimensions == 2;
    const double reach = is_flat ? h : MOTE_MIN(area_reach * d, h), pi = 3.14159265358979323846;
    const double peak = mote_kernel_poly6.value(task->fluid->def.dimensions, h, 0);
    const double row = task->fluid->surface_gamma / (peak * task->fluid->sample_volume * d3);  // ΣW of one
    const double unit = is_flat ? row : pi / 4 * reach * reach / (d * d);                      // ∫ over a plane
    for (uint32_t i = 0; i < count; ++i) {
        const mote_row near = mote_lists_row(rows, i);
        double sum = 1;
        for (uint32_t k = 0; k < near.count; ++k) {
            const uint32_t j = near.indices[k];
            const mote_vec3 way = way_between(&task->on[i], &task->on[j]);
            const double q = MOTE_MAX(1 - mote_vec3_dot(way, way) / (reach * reach), 0);
            if (j != i && mote_vec3_dot(task->samples[i].normal, task->samples[j].normal) > 0) sum += q * q * q;
        }
        areas[i] = unit / sum * d3 / d;
    }
}

mote_result mote_weak_shape_samples(mote_fluid *fluid, const double *positions, const fluid_sample *samples,
                                    size_t count, double *volumes)
{
    const size_t places = mote_bytes(3 * (count + 1), sizeof(fluid_place));
    const size_t bytes = places + mote_bytes(3 * count, sizeof(double));
    double *areas = mote_allocate(fluid->context, bytes);
    if (!areas) return MOTE_ERROR_OUT_OF_MEMORY;
    double *found = areas + count, *first = found + count;
    fluid_place *above = (fluid_place *)(first + count), *on = above + count, *inside = on + count;
    const double d = fluid->def.spacing, d3 = fluid->cell_volume;
    const bool is_flat = fluid->def.dimensions == 2;
    const double most_factor = is_flat ? most_factor_2d : most_factor_3d;
    for (size_t i = 0; i < count; ++i) {
        const mote_vec3 p = samples[i].place, q = mote_vec3_add_scaled(p, samples[i].normal, 0.5 * d);
        above[i] = mote_fluid_make_record(fluid, q.x, q.y, q.z, 0);
        on[i] = mote_fluid_make_record(fluid, p.x, p.y, p.z, 0);
        inside[i] = mote_fluid_make_record(fluid, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], 0);
    }
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = fluid->def.support;
    def.method = fluid->def.neighbors;
    def.features = MOTE_NEIGHBORS_QUERY;
    mote_neighbors *search = NULL;
    mote_lists lists[9];
    const mote_points sets[3] = {mote_fluid_record_points(fluid, above, count),
                                 mote_fluid_record_points(fluid, on, count),
                                 mote_fluid_record_points(fluid, inside, count)};
    const bool changed[3] = {true, true, true}, active[9] = {[1] = true, [2] = true, [4] = true};
    mote_result result = mote_neighbors_create(fluid->context, &def, &search, NULL);
    if (result == MOTE_OK) result = mote_neighbors_update_sets(search, sets, 3, changed, NULL);
    if (result == MOTE_OK) result = mote_neighbors_lists_of_sets(search, active, 9, lists, NULL);
    const shape_task task = {fluid, samples, above, on, inside, &lists[1], &lists[2],
                             flat_push(fluid, true) / flat_push(fluid, false)};
    if (result == MOTE_OK) find_areas(&task, &lists[4], count, areas);
    for (size_t i = 0; i < count; ++i) first[i] = volumes[i];
    for (int round = 0; round < (is_flat ? ROUNDS_2D : ROUNDS_3D) && result == MOTE_OK; ++round) {
        for (uint32_t i = 0; i < count; ++i) {
            const double wanted = push_wanted(&task, areas, i) * d / d3, pushed = push_found(&task, volumes, i);
            found[i] = wanted > 0 && pushed > 0 ? wanted / pushed : 1;
        }
        for (size_t i = 0; i < count; ++i)
            volumes[i] = MOTE_MIN(MOTE_MAX(volumes[i] * found[i], least_factor * first[i]), most_factor * first[i]);
    }
    mote_neighbors_destroy(search);
    mote_release(fluid->context, areas, bytes);
    return result;
}
