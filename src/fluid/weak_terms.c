// SPDX-License-Identifier: MIT
// Terms of the weakly compressible solver that are options. They are sums of their own, over the same loops
// (weak_pairs.c), so that they cost nothing where they are off. They need lists of neighbours (rows.c).
//
// Density diffusion with renormalised gradients (Antuono et al. 2012, eq. 6) takes from the difference of two particles
// what a linear change of density says it is:
//
//     D Σ Vj (δj − δi − ½ (∇δi + ∇δj)·(xj − xi)) 2 (xj − xi)·∇W/r²,   ∇δi = M⁻¹ Σ Vj (δj − δi) ∇W
//
// with M = Σ V ∇W⊗(xj − xi), all sums among fluid only. It needs no gravity, which Fourtakas et al. 2019 put in its
// place. Where M cannot be inverted, in spray, ∇δ is 0, which leaves the term of Molteni & Colagrossi 2009.
//
// Shifts move particles, but not what they carry. Consistent shifting (Sun et al. 2019, eq. 12) adds what the motion u
// besides the velocity carries past a particle; u is that of the last step, by which particles came where they are:
//
//     dδi/dt / (1 + δi)  −Σ Vj (uj − ui)·∇W + Σ Vj (uj + ui)·∇W
//     dvi/dt             −vi Σ Vj (uj − ui)·∇W + Σ Vj (vj uj·∇W + vi ui·∇W)
//
// among fluid only: walls are not shifted, and near them shifts go along them. Ratios of densities are left out here,
// which are 1 within the compression. Masses stay as they are.
//
// XSPH (Monaghan 1989) moves particles by ε Σ Vj (vj − vi) W besides their own velocity: closer to the mean of their
// neighbours, which keeps them in order. It changes no velocity.

#include <math.h>

#include "fluid/internal.h"

// M with a smaller determinant than that is not inverted; it is 1 inside the fluid.
static const double least_determinant = 0.05;

static weak_set half_set(const mote_fluid *fluid, const fluid_motion *motions)
{
    const weak_memory *weak = &fluid->weak;
    return (weak_set){weak->half_places.data, motions, NULL, (uint32_t)(fluid->particles.count + weak->image_count)};
}

// In 2D y is left out.
bool mote_weak_solve(const float m[6], const float b[3], int dimensions, double x[3])
{
    const double xx = (double)m[0], zz = (double)m[2], xz = (double)m[4];
    const double yy = dimensions == 2 ? 1 : (double)m[1];
    const double yz = dimensions == 2 ? 0 : (double)m[3], xy = dimensions == 2 ? 0 : (double)m[5];
    const double cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
    const double cyy = xx * zz - xz * xz, cyz = xy * xz - xx * yz, czz = xx * yy - xy * xy;
    const double determinant = xx * cxx + xy * cxy + xz * cxz;
    const double bx = (double)b[0], by = dimensions == 2 ? 0 : (double)b[1], bz = (double)b[2];
    if (!(determinant > least_determinant)) return false;
    x[0] = (cxx * bx + cxy * by + cxz * bz) / determinant;
    x[1] = (cxy * bx + cyy * by + cyz * bz) / determinant;
    x[2] = (cxz * bx + cyz * by + czz * bz) / determinant;
    return true;
}

// ∇δ of a block, in the middle of the last step.
static void find_gradients(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    weak_memory *weak = &fluid->weak;
    const weak_set around = half_set(fluid, weak->half_motions.data);
    fluid_motion *gradients = weak->gradients.data;
    for (size_t i = begin; i < end; ++i) {
        const fluid_row row = mote_fluid_row(&weak->lists[0], (uint32_t)i);
        weak_self self = {.place = around.places[i], .motion = around.motions[i]};
        weak_rates sums;
        weak_forces differences;
        double gradient[3];
        weak->lanes->rates(&weak->kernel, &around, row, &self, WEAK_SURFACE, &sums);
        self.motion.scalar = -self.motion.scalar;  // pushes are Σ V G (own + scalar_j) dx
        weak->lanes->forces(&weak->kernel, &around, row, &self, false, &differences);
        gradients[i] = (fluid_motion){0};
        if (mote_weak_solve(sums.spread, differences.push, fluid->def.dimensions, gradient))
            gradients[i] = (fluid_motion){(float)gradient[0], (float)gradient[1], (float)gradient[2], 0};
    }
}

bool mote_weak_has_gradients(const mote_fluid *fluid)
{
    return fluid->def.diffusion_model == MOTE_DIFFUSION_ANTUONO && fluid->diffusivity > 0;
}

void mote_weak_spread_to_images(const mote_fluid *fluid, fluid_motion *records)
{
    const weak_image *images = fluid->weak.images.data;
    const size_t count = fluid->particles.count, images_end = fluid->weak.image_count;
    for (size_t k = 0; k < images_end; ++k) records[count + k] = records[images[k].source];
    records[count + images_end] = (fluid_motion){0};
}

void mote_weak_find_gradients(mote_fluid *fluid)
{
    if (!mote_weak_has_gradients(fluid)) return;
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, find_gradients, fluid);
    mote_weak_spread_to_images(fluid, fluid->weak.gradients.data);
}

float mote_weak_linear_flow(const mote_fluid *fluid, uint32_t i)
{
    const weak_memory *weak = &fluid->weak;
    const weak_set around = half_set(fluid, weak->gradients.data);
    const fluid_motion own = around.motions[i];
    const weak_self self = {.place = around.places[i], .motion = {-own.x, -own.y, -own.z, 0}};
    weak_rates sums;
    weak->lanes->rates(&weak->kernel, &around, mote_fluid_row(&weak->lists[0], i), &self, WEAK_PLAIN, &sums);
    return -0.5f * sums.compression;  // Σ V G ½ (∇δi + ∇δj)·dx
}

bool mote_weak_carries(const mote_fluid *fluid)
{
    return fluid->def.consistent_shifting && fluid->def.shifting == MOTE_SHIFTING_FREE_SURFACE;
}

static void copy_shifts(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    fluid_motion *carried = fluid->weak.carried.data;
    const float *u[3];
    for (int k = 0; k < 3; ++k) u[k] = mote_fluid_floats(fluid, FLUID_SHIFT_X + k);
    for (size_t i = begin; i < end; ++i) carried[i] = (fluid_motion){u[0][i], u[1][i], u[2][i], 0};
}

void mote_weak_keep_shifts(mote_fluid *fluid)
{
    if (!mote_weak_carries(fluid)) return;
    const weak_memory *weak = &fluid->weak;
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_COPY_BLOCK, copy_shifts, fluid);
    mote_weak_spread_to_images(fluid, weak->carried.data);
}

// −Σ V (uj − ui)·∇W at places, and with the sign of ui turned −Σ V (uj + ui)·∇W.
static float carried_sum(const mote_fluid *fluid, const fluid_place *places, fluid_row row, uint32_t i, float sign)
{
    const weak_memory *weak = &fluid->weak;
    const fluid_motion *carried = weak->carried.data;
    const weak_set around = {places, carried, NULL, (uint32_t)(fluid->particles.count + weak->image_count)};
    const weak_self self = {.place = places[i],
                            .motion = {sign * carried[i].x, sign * carried[i].y, sign * carried[i].z, 0}};
    weak_rates sums;
    weak->lanes->rates(&weak->kernel, &around, row, &self, WEAK_PLAIN, &sums);
    return sums.compression;
}

double mote_weak_carried_density(const mote_fluid *fluid, fluid_row row, uint32_t i)
{
    if (!mote_weak_carries(fluid)) return 0;
    const fluid_place *places = fluid->weak.half_places.data;
    return (double)carried_sum(fluid, places, row, i, 1) - (double)carried_sum(fluid, places, row, i, -1);
}

void mote_weak_carry_velocity(const mote_fluid *fluid, fluid_row row, uint32_t i, float a[3])
{
    if (!mote_weak_carries(fluid)) return;
    const weak_memory *weak = &fluid->weak;
    const fluid_place *places = weak->places.data;
    const fluid_motion *motions = weak->motions.data, *carried = weak->carried.data;
    const weak_set around = {places, motions, carried, (uint32_t)(fluid->particles.count + weak->image_count)};
    const weak_self self = {.place = places[i], .motion = motions[i], .shift = carried[i]};
    const float own[3] = {motions[i].x, motions[i].y, motions[i].z};
    weak_forces sums;
    weak->lanes->forces(&weak->kernel, &around, row, &self, true, &sums);
    const float spread = carried_sum(fluid, places, row, i, 1);
    for (int k = 0; k < 3; ++k) a[k] += own[k] * spread + sums.stress[k];
}

static void add_smoothing(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const weak_memory *weak = &fluid->weak;
    const fluid_motion *motions = weak->motions.data;
    const fluid_place *places = weak->places.data;
    const weak_set around = {places, motions, NULL, (uint32_t)(fluid->particles.count + weak->image_count)};
    const float factor = (float)(fluid->def.xsph * (double)weak->kernel.value);
    for (size_t i = begin; i < MOTE_MIN(end, mote_fluid_own_count(fluid)); ++i) {
        const weak_self self = {.place = places[i]};
        const float own[3] = {motions[i].x, motions[i].y, motions[i].z};
        weak_averages sums;
        weak->lanes->averages(&weak->kernel, &around, mote_fluid_row(&weak->lists[0], (uint32_t)i), &self, 1, &sums);
        for (int k = 0; k < 3; ++k)
            mote_fluid_floats(fluid, FLUID_SHIFT_X + k)[i] += factor * (sums.velocity[k] - own[k] * sums.weight);
    }
}

void mote_weak_smooth_motion(mote_fluid *fluid)
{
    if (fluid->def.xsph > 0)
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, add_smoothing, fluid);
}
