// SPDX-License-Identifier: MIT
// Boxes of water at rest, whose particles carry their density: they lie closer by what the water above compresses.
//
// On an even lattice the sums do not hold water that has the densities of its depth: with the excess δ = ρ/ρ0 − 1,
// volumes of V0/(1 + δ) give 1/ρ Σ Vj (Pi + Pj) ∇W = (1 − 4δ) ∇P/ρ0, to the first order. The column falls until its
// pressure is right for that, and swings about it with sound, with the period 4L/c, for seconds.
//
// At the height s of the even lattice, whose top is L, the pressure is ρ0 g (L − s). By Tait's equation the particle of
// the height s is therefore at
//
//     h = ∫ ds/(1 + δ) = (B^a − (B − γ k s)^a)/(k (γ − 1)),   k = g/c², B = 1 + γ k L, a = 1 − 1/γ
//
// and by the linear equation at log((1 + k L)/(1 + k (L − s)))/k. Gravity that is slanted compresses along each axis by
// its part along that axis, so that the faces of the box towards gravity stay where walls are.

#include <math.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/blocks.h"

// Of k L, the share by which the bottom is denser. Less is not seen, and rounding would come near to it; more is
// refused by the watch, with its advice.
static const double least_compression = 1e-6, most_compression = 0.5;

mote_vec3 mote_gravity_at_rest(const mote_simulation_def *def)
{
    mote_vec3 gravity = def->fluid.gravity;
    if (def->has_periodic && def->periodic.x) gravity.x = 0;
    if (def->has_periodic && def->periodic.y) gravity.y = 0;
    if (def->has_periodic && def->periodic.z) gravity.z = 0;
    return gravity;
}

// One that is thrown is not at rest. Velocities that are expressions are waves.
static bool is_at_rest(const mote_simulation_def *def, const mote_block_def *block)
{
    const bool has_text = block->velocity_text[0] || block->velocity_text[1] || block->velocity_text[2];
    return def->fluid.density == MOTE_DENSITY_CONTINUITY && def->fluid_count <= 1 && block->shape == MOTE_SHAPE_BOX &&
           !mote_block_pressure_text(block) && (has_text || mote_vec3_length(block->velocity) == 0);
}

// Whether the top, which compression lowers, is at a side of the tank that is to stay wet.
static bool is_under_lid(const mote_simulation_def *def, int axis, const block_axis *of)
{
    const mote_tank_def *tank = &def->tank;
    const double min[3] = {tank->min.x, tank->min.y, tank->min.z}, max[3] = {tank->max.x, tank->max.y, tank->max.z};
    const bool open[3][2] = {{tank->open_x_min, tank->open_x_max},
                             {tank->open_y_min, tank->open_y_max},
                             {tank->open_z_min, tank->open_z_max}};
    const double lid = of->up > 0 ? max[axis] : min[axis], top = of->bottom + of->up * of->length;
    return def->has_tank && !open[axis][of->up > 0] && fabs(top - lid) < def->fluid.spacing / 2;
}

block_columns mote_block_columns(const mote_simulation_def *def, size_t k, const mote_phase_def *water)
{
    const mote_vec3 gravity = mote_gravity_at_rest(def);
    const mote_box extent = mote_block_lattice(def, k).extent;
    const double along[3] = {gravity.x, gravity.y, gravity.z}, min[3] = {extent.min.x, extent.min.y, extent.min.z},
                 max[3] = {extent.max.x, extent.max.y, extent.max.z};
    block_columns made = {.extent = extent, .gamma = water->gamma,
                          .is_linear = mote_fluid_is_linear(&def->fluid, water),
                          .is_still = is_at_rest(def, &def->blocks[k])};
    for (int a = 0; a < 3; ++a) {
        block_axis *of = &made.axes[a];
        *of = (block_axis){.gravity = fabs(along[a]), .bottom = along[a] > 0 ? max[a] : min[a],
                           .up = along[a] > 0 ? -1 : 1, .length = max[a] - min[a]};
        if (made.is_still) of->rate = of->gravity / (water->sound_speed * water->sound_speed);
        of->is_under_lid = is_under_lid(def, a, of);
    }
    return made;
}

static bool is_compressed(const block_axis *of)
{
    const double share = of->rate * of->length;
    return share > least_compression && share < most_compression && !of->is_under_lid;
}

// Where a particle is whose height on the even lattice is s.
static double height_at(const block_columns *columns, const block_axis *of, double s)
{
    const double k = of->rate, here = k * (of->length - s), bottom = k * of->length;
    const double gamma = columns->gamma, a = 1 - 1 / gamma;
    if (columns->is_linear) return mote_ln((1 + bottom) / (1 + here)) / k;
    return (mote_pow(1 + gamma * bottom, a) - mote_pow(1 + gamma * here, a)) / (k * (gamma - 1));
}

// How deep it was on the even lattice: the other way round. Below 0: above the top.
static double depth_at(const block_columns *columns, const block_axis *of, double height)
{
    const double k = of->rate, bottom = k * of->length, gamma = columns->gamma, a = 1 - 1 / gamma;
    if (!is_compressed(of)) return of->length - height;
    if (columns->is_linear) return ((1 + bottom) * mote_exp(-k * height) - 1) / k;
    const double power = mote_pow(1 + gamma * bottom, a) - k * (gamma - 1) * height;
    return (mote_pow(MOTE_MAX(power, 0.0), 1 / a) - 1) / (gamma * k);
}

void mote_columns_compress(const block_columns *columns, double position[3])
{
    for (int a = 0; a < 3; ++a) {
        const block_axis *of = &columns->axes[a];
        if (is_compressed(of))
            position[a] = of->bottom + of->up * height_at(columns, of, of->up * (position[a] - of->bottom));
    }
}

mote_vec3 mote_columns_even_place(const block_columns *columns, mote_vec3 p)
{
    double at[3] = {p.x, p.y, p.z};
    for (int a = 0; a < 3; ++a) {
        const block_axis *of = &columns->axes[a];
        if (is_compressed(of))
            at[a] = of->bottom + of->up * (of->length - depth_at(columns, of, of->up * (at[a] - of->bottom)));
    }
    return mote_vec3_make(at[0], at[1], at[2]);
}

double mote_columns_pressure(const block_columns *columns, mote_vec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    double pressure = 0;
    for (int a = 0; a < 3; ++a) {
        const block_axis *of = &columns->axes[a];
        if (of->gravity > 0) pressure += of->gravity * depth_at(columns, of, of->up * (at[a] - of->bottom));
    }
    return MOTE_MAX(pressure, 0.0);
}
