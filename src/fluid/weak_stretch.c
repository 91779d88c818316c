// SPDX-License-Identifier: MIT
// What keeps particles apart where the pressure is below 0 inside the fluid. The sum over pairs with Pi + Pj draws them
// together there, into clumps. Sun et al. 2018 take Pj − Pi instead for such a particle: besides what pairs do, a force
//
//     ei = 2 Pi Vi Σ Vj ∇W
//
// acts on it, away from where its neighbours are crowded, and nothing feels the opposite: momentum is not kept.
//
// By default such forces are exchanged between neighbours instead. With the densities e/V of these forces, which are 0
// for all other particles, the force on i is
//
//     Vi Σ Vj κ G ((ei/Vi − ej/Vj)·dx) dx/r²,    G dx = ∇W,  dx = xj − xi,  κ = D/Σ V G of evenly spread neighbours
//
// Among these κ Σ V G dx⊗dx/r² is the unit matrix, so that a particle gets e less the mean e around it: what is the
// same for all drops out, and what differs from particle to particle stays, which is what clumps would grow from.
// Forces of pairs are opposite and along their line: momentum and angular momentum are kept to rounding, with walls,
// too, whose particles push with Pi + Pw as ever. This form is ours. In ei the sum is that of shifting, walls included,
// Σ Vj (1 + 0.2 (W/W(d))⁴) ∇W (weak_surface.c), and it is of the middle of the last step, as nobody finds a later one.
//
// Only those who reach such a particle do more work: these are marked.

#include <stdatomic.h>
#include <string.h>

#include "fluid/internal.h"

static bool may_stretch(const mote_fluid *fluid)
{
    return fluid->def.shifting == MOTE_SHIFTING_FREE_SURFACE && fluid->phase_count < 2;
}

bool mote_weak_may_exchange(const mote_fluid *fluid)
{
    return fluid->def.tensile_model == MOTE_TENSILE_EXCHANGE && may_stretch(fluid);
}

// With individual steps nobody knows ei of particles that sleep: in evaluations that find any, the switch acts.
bool mote_weak_exchanges(const mote_fluid *fluid)
{
    return mote_weak_may_exchange(fluid) && !fluid->levels.has_sleepers;
}

bool mote_weak_is_switched(const mote_fluid *fluid, float pressure, float surface)
{
    return pressure < 0 && surface > MOTE_WEAK_INSIDE && fluid->def.tensile_model != MOTE_TENSILE_NONE &&
           may_stretch(fluid) && !mote_weak_exchanges(fluid);
}

float mote_weak_stretch_share(const mote_kernel *kernel, int dimensions, double support, double peak)
{
    enum { PARTS = 1000 };
    double sum = 0;  // ∫ lean(1 − q) q^(D − 1) dq
    for (int k = 0; k < PARTS; ++k) {
        const double q = (k + 0.5) / PARTS;
        sum += kernel->lean(1 - q) * (dimensions == 3 ? q * q : q) / PARTS;
    }
    const double pi = 3.14159265358979323846, sphere = dimensions == 3 ? 4 * pi : 2 * pi;
    const double gradient = kernel->steepness * peak / (support * support);
    return (float)(dimensions / (gradient * sphere * sum * (dimensions == 3 ? support : 1) * support * support));
}

void mote_weak_unmark_stretched(mote_fluid *fluid)
{
    const size_t count = fluid->particles.count;
    if (mote_weak_exchanges(fluid) && count > 0) memset(fluid->weak.near_stretched.data, 0, count);
}

// Pressures are those in the middle of the step.
void mote_weak_find_stretch(mote_fluid *fluid, fluid_row row, uint32_t i, float surface, const float crowding[3])
{
    if (!mote_weak_exchanges(fluid)) return;
    fluid_motion *stretch = (fluid_motion *)fluid->weak.shifts.data + i;
    *stretch = (fluid_motion){0};
    const double volume = (double)((const fluid_place *)fluid->weak.half_places.data)[i].volume;
    const double background = fluid->def.background_pressure;
    if (surface <= MOTE_WEAK_INSIDE || (volume <= fluid->cell_volume && background >= 0)) return;
    const mote_phase_def *phase = &mote_fluid_phase_of(fluid, i)->def;
    const double pressure = mote_fluid_pressure_at(fluid, phase, fluid->cell_volume / volume - 1) + background;
    if (!(pressure < 0)) return;
    const float twice = (float)(2 * pressure);
    *stretch = (fluid_motion){twice * crowding[0], twice * crowding[1], twice * crowding[2], 0};
    mote_weak_mark_row(fluid, row, i, fluid->weak.near_stretched.data);
}

void mote_weak_see_stretched(const mote_fluid *fluid, uint32_t i, weak_set *around, weak_self *self)
{
    const weak_memory *weak = &fluid->weak;
    const atomic_uchar *marks = weak->near_stretched.data;
    if (!mote_weak_exchanges(fluid) || !atomic_load_explicit(&marks[i], memory_order_relaxed)) return;
    around->shifts = weak->shifts.data;
    self->shift = around->shifts[i];
    self->exchange = weak->kernel.stretch_share;
}
