// SPDX-License-Identifier: MIT
// Where a free surface is, and how particles are spread evenly.
//
// The matrix M = Σ V ∇W⊗(xj − xi) is the unit matrix among evenly spread neighbours on all sides. Its smallest
// eigenvalue λ is about 0.5 on a flat free surface and near 0 in spray (Marrone et al. 2010). Particles with λ above
// 0.75 are inside.
//
// Shifting moves particles towards sparser places (Sun et al. 2017):
//
//     u = −U H Σ V (1 + 0.2 (W/W(d))⁴) ∇W,   |u| ≤ U/2
//
// with the fluid's greatest speed U, the support H and the spacing d. In spray, λ < 0.4, particles stay. Those that
// reach a particle of the surface shift along it only: the part of u along the normal Σ V (λj − λi) ∇W is left out. For
// all of them Σ V ∇W points away from the surface; shifted by it, a standing wave gains 5 % of its energy a second.
//
// Without a free surface a background pressure p = ρ0 c² spreads them (Adami et al. 2013, eq. 13): within a step of
// length dt it moves particles by u dt, with u = −dt c² Σ V ∇W. It is part of the motion, but not of the velocity.

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "fluid/internal.h"

static const float inside = 0.75f, outside = 0.4f;  // λ

// The smallest root of λ³ − t λ² + m λ − d, the eigenvalues of a symmetric matrix: Newton's steps from below all
// eigenvalues rise to the smallest one.
static double smallest_root(double t, double m, double d, double below)
{
    double root = below;
    for (int k = 0; k < 40; ++k) {
        const double value = ((root - t) * root + m) * root - d, slope = (3 * root - 2 * t) * root + m;
        if (!(slope > 0)) break;
        const double next = root - value / slope;
        if (!(next > root)) break;
        root = next;
    }
    return root;
}

float mote_weak_surface(const weak_rates *sums, int dimensions)
{
    const double xx = (double)sums->spread[0], yy = (double)sums->spread[1], zz = (double)sums->spread[2];
    const double yz = (double)sums->spread[3], xz = (double)sums->spread[4], xy = (double)sums->spread[5];
    if (dimensions == 2) {
        const double half = (xx + zz) / 2, apart = (xx - zz) / 2;
        return (float)(half - sqrt(apart * apart + xz * xz));
    }
    const double minors = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz);
    const double determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    const double spread = fabs(xy) + fabs(xz) + fabs(yz);
    const double below = MOTE_MIN(xx, MOTE_MIN(yy, zz)) - spread;  // Gershgorin
    return (float)smallest_root(xx + yy + zz, minors, determinant, below);
}

static void shift_to_sparser_places(const mote_fluid *fluid, const weak_rates *sums, float surface, float shift[3])
{
    if (surface < outside) return;
    const float speed = sqrtf(fluid->limits.max_speed_squared);
    const float factor = -speed * (float)fluid->def.support;
    for (int k = 0; k < 3; ++k) shift[k] = factor * sums->crowding[k];
    const float length = sqrtf((shift[0] * shift[0] + shift[1] * shift[1]) + shift[2] * shift[2]);
    const float most = 0.5f * speed;
    for (int k = 0; k < 3 && length > most; ++k) shift[k] *= most / length;
}

void mote_weak_shift(const mote_fluid *fluid, const weak_rates *sums, float surface, float shift[3])
{
    shift[0] = shift[1] = shift[2] = 0;
    if (fluid->def.shifting == MOTE_SHIFTING_FREE_SURFACE) shift_to_sparser_places(fluid, sums, surface, shift);
    if (fluid->def.shifting != MOTE_SHIFTING_TRANSPORT) return;
    const double c = fluid->def.sound_speed;
    const float factor = (float)(-fluid->previous_dt * c * c);
    for (int k = 0; k < 3; ++k) shift[k] = factor * sums->lean[k];
}

// ---------------------------------------------------------------------------------------------- near free surfaces

// Marks the particles of a surface and all that they reach. Several may mark the same one at a time.
static void mark_neighbors(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    weak_memory *weak = &fluid->weak;
    const weak_image *images = weak->images.data;
    const float *surface = mote_fluid_floats(fluid, FLUID_SURFACE);
    weak_motion *values = weak->half_motions.data;
    atomic_uchar *marks = weak->near_surface.data;
    for (size_t i = begin; i < end; ++i) {
        values[i].scalar = surface[i];
        if (surface[i] > inside) continue;
        const mote_row row = mote_lists_row(&weak->lists[0], (uint32_t)i);
        atomic_store_explicit(&marks[i], 1, memory_order_relaxed);
        for (uint32_t k = 0; k < row.count; ++k) {
            const uint32_t j = row.indices[k];
            const uint32_t source = j < fluid->particles.count ? j : images[j - fluid->particles.count].source;
            atomic_store_explicit(&marks[source], 1, memory_order_relaxed);
        }
    }
}

// Takes from the shifts of marked particles what is along Σ V (λj − λi) ∇W.
static void keep_depths(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const weak_memory *weak = &fluid->weak;
    const weak_set set = {weak->places.data, weak->half_motions.data, NULL,
                          (uint32_t)(fluid->particles.count + weak->image_count)};
    const atomic_uchar *marks = weak->near_surface.data;
    for (size_t i = begin; i < end; ++i) {
        if (!atomic_load_explicit(&marks[i], memory_order_relaxed)) continue;
        weak_self self = {.place = set.places[i], .motion = set.motions[i]};
        self.motion.scalar = -self.motion.scalar;
        weak_forces sums;
        weak->lanes->forces(&weak->kernel, &set, mote_lists_row(&weak->lists[0], (uint32_t)i), &self, false, &sums);
        const float *n = sums.push;
        const float squared = (n[0] * n[0] + n[1] * n[1]) + n[2] * n[2];
        if (!(squared > 0)) continue;
        float *shift[3], along = 0;
        for (int k = 0; k < 3; ++k) {
            shift[k] = &mote_fluid_floats(fluid, FLUID_SHIFT_X + k)[i];
            along += n[k] * *shift[k];
        }
        for (int k = 0; k < 3; ++k) *shift[k] -= along / squared * n[k];
    }
}

void mote_weak_shift_along_surfaces(mote_fluid *fluid)
{
    if (fluid->def.shifting != MOTE_SHIFTING_FREE_SURFACE) return;
    weak_memory *weak = &fluid->weak;
    const size_t count = fluid->particles.count;
    memset(weak->near_surface.data, 0, count);
    mote_parallel_for(fluid->context, count, FLUID_BLOCK, mark_neighbors, fluid);
    weak_motion *values = weak->half_motions.data;
    const weak_image *images = weak->images.data;
    for (size_t k = 0; k < weak->image_count; ++k) values[count + k].scalar = values[images[k].source].scalar;
    mote_parallel_for(fluid->context, count, FLUID_BLOCK, keep_depths, fluid);
}
