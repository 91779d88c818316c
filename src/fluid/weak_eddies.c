// SPDX-License-Identifier: MIT
// Turbulence that particles are too coarse for, in the weakly compressible solver: the eddy viscosity of Smagorinsky
// 1963, as in Lo & Shao 2002 and Dalrymple & Rogers 2006, who call it sub-particle scale,
//
//     ν_t = (C_s d)² |S|,   |S| = sqrt(2 Σ S_ab S_ab),   S = (∇v + ∇vᵀ)/2,   ∇v = Σ Vj (vj − vi)⊗∇W M⁻¹
//
// with M = Σ V ∇W⊗(xj − xi), so that ∇v is that of linear flows everywhere, and ν_t is 0 in water that turns as a body.
// Where M cannot be inverted, in spray, ν_t is 0. The sums contain walls without free slip, whose particles have the
// velocity that makes that of the wall (weak_walls.c). The isotropic part of turbulent stresses, which is a pressure,
// is left out.
//
// Viscosity of a pair is central, with ν + (ν_t,i + ν_t,j)/2; towards a wall, with ν + ν_t,i. Momentum is kept. The
// friction of a wall is then ρ ν_t times twice the speed over d: this is no law of the wall, and much for a smooth one.
//
// ν_t is kept with the particles, as a resumed run needs it for the length of its first step, before it finds ν_t.

#include <math.h>

#include "fluid/field_near.h"
#include "fluid/internal.h"

static void add_gradients(weak_gradients *to, const weak_gradients *more)
{
    for (int c = 0; c < 9; ++c) to->velocity[c] += more->velocity[c];
    for (int c = 0; c < 6; ++c) to->spread[c] += more->spread[c];
}

static weak_gradients gradients_of(const mote_fluid *fluid, uint32_t i)
{
    const weak_memory *weak = &fluid->weak;
    const weak_set around = {weak->places.data, weak->motions.data, NULL,
                             (uint32_t)(fluid->particles.count + weak->image_count)};
    const weak_self self = {.place = around.places[i], .motion = around.motions[i]};
    weak_gradients sums, at_walls;
    weak->lanes->gradients(&weak->kernel, &around, mote_fluid_row(&weak->lists[0], i), &self, &sums);
    for (int w = 0; w < WEAK_WALLS; ++w) {
        const weak_walls *walls = &weak->walls[w];
        if (walls->count == 0 || mote_weak_is_slip(w)) continue;
        const fluid_row row = mote_fluid_row(&weak->lists[1 + w], i);
        if (row.count == 0) continue;
        const weak_set set = {walls->places.data, walls->states.data, NULL,
                              (uint32_t)(walls->count + walls->image_count)};
        weak->lanes->gradients(mote_weak_kernel_of(weak, w), &set, row, &self, &at_walls);
        add_gradients(&sums, &at_walls);
    }
    if (fluid->field_count > 0 && mote_field_may_act(fluid, i)) mote_weak_add_field_gradients(fluid, &self, &sums);
    return sums;
}

static double strain_rate(const mote_fluid *fluid, const weak_gradients *sums)
{
    double gradient[3][3], sum = 0;
    for (int a = 0; a < 3; ++a)
        if (!mote_weak_solve(sums->spread, &sums->velocity[3 * a], fluid->def.dimensions, gradient[a])) return 0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            const double twice = gradient[a][b] + gradient[b][a];
            sum += twice * twice / 2;
        }
    return sqrt(sum);
}

static void find_eddies(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const double length = fluid->def.smagorinsky * fluid->def.spacing;
    float *eddies = mote_fluid_floats(fluid, FLUID_EDDY);
    fluid_motion *shifts = fluid->weak.shifts.data;
    for (size_t i = begin; i < end; ++i) {
        const bool is_own = i < mote_fluid_own_count(fluid);
        double rate = 0;
        if (is_own) {
            const weak_gradients sums = gradients_of(fluid, (uint32_t)i);
            rate = strain_rate(fluid, &sums);
        }
        eddies[i] = (float)(length * length * rate);
        if (!mote_weak_may_exchange(fluid)) shifts[i] = (fluid_motion){0};
        shifts[i].scalar = eddies[i];
    }
}

void mote_weak_find_eddies(mote_fluid *fluid)
{
    if (!mote_weak_has_eddies(fluid)) return;
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, find_eddies, fluid);
    mote_weak_spread_to_images(fluid, fluid->weak.shifts.data);
}

void mote_weak_see_eddies(const mote_fluid *fluid, uint32_t i, weak_set *around, weak_self *self)
{
    if (!mote_weak_has_eddies(fluid)) return;
    around->shifts = fluid->weak.shifts.data;
    self->shift = around->shifts[i];
    self->eddies = (float)((fluid->def.dimensions + 2) * mote_fluid_phase_of(fluid, i)->def.rest_density);
}
