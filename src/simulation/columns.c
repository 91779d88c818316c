// SPDX-License-Identifier: MIT
// Boxes of water at rest, whose particles carry their density: they lie closer by what the water above compresses.
//
// On an even lattice the sums do not hold water that has the densities of its depth: with the excess δ = P/(ρ0 c²),
// volumes of V0/(1 + δ) give 1/ρ Σ Vj (Pi + Pj) ∇W = (1 − 4δ) ∇P/ρ0. The column falls until its pressure is right for
// that, and swings about it with sound, with the period 4L/c, for seconds.
//
// At the height s of the even lattice, whose top is L, the pressure is ρ0 g (L − s). By Tait's equation the particle of
// the height s is therefore at
//
//     h = ∫ ds/(1 + δ) = (B^a − (B − γ k s)^a)/(k (γ − 1)),   k = g/c², B = 1 + γ k L, a = 1 − 1/γ
//
// and by the linear equation, γ = 1, at log((1 + k L)/(1 + k (L − s)))/k. Gravity that is slanted compresses along each
// axis by its part along that axis, so that faces of the box stay where walls are.

#include <math.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "simulation/blocks.h"

// Of k L, the share of the density at the bottom. Less is not seen, and would be lost to rounding; more is refused by
// the watch, with its advice.
static const double least = 1e-9, most = 0.5;
static const double linear = 1.0001;

mote_vec3 mote_gravity_at_rest(const mote_simulation_def *def)
{
    mote_vec3 gravity = def->fluid.gravity;
    if (def->has_periodic && def->periodic.x) gravity.x = 0;
    if (def->has_periodic && def->periodic.y) gravity.y = 0;
    if (def->has_periodic && def->periodic.z) gravity.z = 0;
    return gravity;
}

static bool is_compressed(const mote_simulation_def *def, size_t k)
{
    return def->fluid.density == MOTE_DENSITY_CONTINUITY && def->fluid_count <= 1 &&
           def->blocks[k].shape == MOTE_SHAPE_BOX && !mote_block_pressure_text(&def->blocks[k]);
}

block_columns mote_block_columns(const mote_simulation_def *def, size_t k, const mote_phase_def *water)
{
    const mote_vec3 gravity = mote_gravity_at_rest(def);
    const mote_box extent = mote_block_lattice(def, k).extent;
    const double along[3] = {gravity.x, gravity.y, gravity.z}, min[3] = {extent.min.x, extent.min.y, extent.min.z},
                 max[3] = {extent.max.x, extent.max.y, extent.max.z};
    block_columns made = {.gamma = def->fluid.state_equation == MOTE_STATE_IDEAL_GAS ? 1 : water->gamma};
    for (int a = 0; a < 3; ++a) {
        block_column *of = &made.along[a];
        *of = (block_column){.weight = fabs(along[a]), .bottom = along[a] > 0 ? max[a] : min[a],
                             .up = along[a] > 0 ? -1 : 1, .length = max[a] - min[a]};
        const double k_of = of->weight / (water->sound_speed * water->sound_speed);
        if (is_compressed(def, k) && k_of * of->length > least && k_of * of->length < most) of->k = k_of;
    }
    return made;
}

// Where a particle is whose height on the even lattice is s.
static double height_at(const block_column *of, double gamma, double s)
{
    const double k = of->k, left = k * (of->length - s), all = k * of->length, a = 1 - 1 / gamma;
    if (k == 0) return s;
    if (gamma < linear) return mote_ln((1 + all) / (1 + left)) / k;
    return (mote_pow(1 + gamma * all, a) - mote_pow(1 + gamma * left, a)) / (k * (gamma - 1));
}

// How deep it was on the even lattice: the other way round. Below 0: above the top.
static double depth_at(const block_column *of, double gamma, double height)
{
    const double k = of->k, all = k * of->length, a = 1 - 1 / gamma;
    if (k == 0) return of->length - height;
    if (gamma < linear) return ((1 + all) * mote_exp(-k * height) - 1) / k;
    const double power = mote_pow(1 + gamma * all, a) - k * (gamma - 1) * height;
    return (mote_pow(MOTE_MAX(power, 0.0), 1 / a) - 1) / (gamma * k);
}

void mote_columns_compress(const block_columns *columns, double *positions, size_t count)
{
    for (size_t i = 0; i < 3 * count; ++i) {
        const block_column *of = &columns->along[i % 3];
        if (of->k == 0) continue;
        const double height = height_at(of, columns->gamma, of->up * (positions[i] - of->bottom));
        positions[i] = of->bottom + of->up * height;
    }
}

double mote_columns_weight_above(const block_columns *columns, mote_vec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    double weight = 0;
    for (int a = 0; a < 3; ++a) {
        const block_column *of = &columns->along[a];
        if (of->weight > 0) weight += of->weight * depth_at(of, columns->gamma, of->up * (at[a] - of->bottom));
    }
    return MOTE_MAX(weight, 0.0);
}
