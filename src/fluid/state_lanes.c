// SPDX-License-Identifier: MIT
// What a step does with each particle for itself, WIDE particles at a time: the records in the middle of the step,
// densities and pressures that follow from the continuity equation, the kick, and the drift; and who of its neighbours
// is of a phase.
//
// Particles here are whole vectors: callers give those that are left over to the plain form. All operations are those
// of the scalar algorithm, so all forms have the same bits.

#include "base/wide.h"
#include "fluid/state_lanes.h"

// The numbers of WIDE consecutive records.
static const uint32_t state_numbers[MOTE_WIDE_MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void state_middle(const fluid_middle *constants, const fluid_state *of, size_t begin, size_t end,
                         fluid_place *places, fluid_motion *motions)
{
    const float half_step = constants->half_step, *drift = constants->drift;
    for (size_t i = begin; i < end; i += WIDE) {
        wide_f32 at[4], motion[4], place[4];
        wide_load_columns(&of->places[i].x, state_numbers, at);
        for (int k = 0; k < 3; ++k) {
            motion[k] = wide_load(of->velocity[k] + i);
            place[k] = at[k] - half_step * motion[k];
        }
        const wide_f32 at_rest = (drift[0] * place[0] + drift[1] * place[1]) + drift[2] * place[2];
        const wide_f32 before = wide_load(of->excess + i);
        const wide_f32 middle = before + (1.0f + before) * (half_step * wide_load(of->rate + i));
        place[3] = constants->rest_volume / (1.0f + middle);
        motion[3] = constants->diffusivity * wide_max(middle, wide_all(constants->least_excess)) - at_rest;
        wide_store_rows(&places[i].x, 4, place);
        wide_store_rows(&motions[i].x, 4, motion);
    }
}

// Of WIDE_F64 particles: the new δ, density, pressure, volume and V·P.
typedef struct state_density {
    wide_f64 excess, density, pressure, volume, energy, rate;
} state_density;

MOTE_INLINE state_density state_advance_density(const fluid_advance *constants, wide_f64 excess, wide_f64 among)
{
    state_density next = {.rate = constants->factor * among};
    if (constants->moves) {
        const wide_f64 half = constants->half_step * next.rate;
        excess = excess + (1.0 + excess) * (2.0 * half / (1.0 - half));  // ρ (1 + half)/(1 − half): second order
    }
    const wide_f64 e = next.excess = excess, ratio = 1.0 + e;
    next.density = constants->rest_density * ratio;
    next.pressure = constants->stiffness * e;
    if (!constants->is_linear)  // (1 + δ)^7 − 1 without the cancellation of 1
        next.pressure = next.pressure * (7.0 + e * (21.0 + e * (35.0 + e * (35.0 + e * (21.0 + e * (7.0 + e))))));
    if (!constants->may_be_negative) next.pressure = wide_max(next.pressure, wide_all_f64(0));
    next.volume = constants->rest_volume / ratio;
    next.energy = next.volume * next.pressure;
    return next;
}

static void state_advance(const fluid_advance *constants, const fluid_state *of, size_t begin, size_t end,
                          const double *among)
{
    for (size_t i = begin; i < end; i += WIDE) {
        wide_f64 excess[WIDE_PARTS], density[WIDE_PARTS], pressure[WIDE_PARTS], volume[WIDE_PARTS];
        wide_f64 energy[WIDE_PARTS], rate[WIDE_PARTS];
        wide_f32_to_f64(wide_load(of->excess + i), excess);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            const state_density next =
                state_advance_density(constants, excess[p], wide_load(among + (i - begin) + p * WIDE_F64));
            excess[p] = next.excess, density[p] = next.density, pressure[p] = next.pressure;
            volume[p] = next.volume, energy[p] = next.energy, rate[p] = next.rate;
        }
        if (constants->moves) wide_store(of->rate + i, wide_f64_to_f32(rate));
        wide_store(of->excess + i, wide_f64_to_f32(excess));
        wide_store(of->density + i, wide_f64_to_f32(density));
        wide_store(of->pressure + i, wide_f64_to_f32(pressure));
        float volumes[WIDE];
        wide_store(volumes, wide_f64_to_f32(volume));
        for (int l = 0; l < WIDE; ++l) of->places[i + (size_t)l].volume = volumes[l];

        // u at this instant, with bends that are extrapolated from the middles of the last two steps
        wide_f32 middle[4], u[4];
        wide_load_columns(&of->motions[i].x, state_numbers, middle);
        for (int k = 0; k < 3; ++k) {
            const wide_f32 bend = wide_load(of->bend[k] + i);
            u[k] = constants->kinematic *
                   (wide_load(of->velocity[k] + i) + constants->trend * wide_load(of->acceleration[k] + i));
            u[k] = u[k] - constants->hyper * (middle[k] + constants->onward * (middle[k] - bend));
            wide_store(of->bend[k] + i, middle[k]);
        }
        u[3] = wide_f64_to_f32(energy);
        wide_store_rows(&of->motions[i].x, 4, u);
    }
}

static void state_kick(const fluid_kick *kick, size_t begin, size_t end, fluid_limits *limits)
{
    wide_f32 speed = wide_all(limits->max_speed_squared), strength = wide_all(limits->max_acceleration_squared);
    if (begin == end) return;
    for (size_t i = begin; i < end; i += WIDE) {
        wide_f32 a[4], v[3];
        wide_load_columns(&kick->found[i].x, state_numbers, a);
        for (int k = 0; k < 3; ++k) {
            v[k] = wide_load(kick->velocity[k] + i) + kick->half_step * a[k];
            wide_store(kick->velocity[k] + i, v[k]);
            wide_store(kick->acceleration[k] + i, a[k]);
        }
        speed = wide_max(wide_length_squared(v[0], v[1], v[2]), speed);
        strength = wide_max(wide_length_squared(a[0], a[1], a[2]), strength);
    }
    *limits = (fluid_limits){wide_greatest(speed), wide_greatest(strength)};
}

// Whether each way is beyond one side of a body's box.
MOTE_INLINE bool state_is_beside(const fluid_free_drift *drift, int body, wide_f64 from[3][WIDE_PARTS],
                                 wide_f64 to[3][WIDE_PARTS])
{
    bool is_beside = true;
    for (int p = 0; p < WIDE_PARTS; ++p) {
        wide_mask_f64 beside = wide_less(wide_all_f64(0), wide_all_f64(0));
        for (int k = 0; k < 3; ++k) {
            const wide_mask_f64 below =
                wide_less(wide_max(from[k][p], to[k][p]), wide_all_f64(drift->body_low[body][k]));
            const wide_mask_f64 above =
                wide_less(wide_all_f64(drift->body_high[body][k]), wide_min(from[k][p], to[k][p]));
            beside = wide_either(beside, wide_either(below, above));
        }
        is_beside &= !wide_any(wide_not(beside));
    }
    return is_beside;
}

static size_t state_drift(const fluid_free_drift *drift, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i += WIDE) {
        wide_f32 velocity[3];
        wide_f64 from[3][WIDE_PARTS], to[3][WIDE_PARTS];
        bool is_free = true;
        for (int k = 0; k < 3; ++k) {
            velocity[k] =
                wide_load(drift->velocity[k] + i) + drift->half_step * wide_load(drift->acceleration[k] + i);
            wide_f64 v[WIDE_PARTS], shift[WIDE_PARTS];
            wide_f32_to_f64(velocity[k], v);
            if (drift->shift[k]) wide_f32_to_f64(wide_load(drift->shift[k] + i), shift);
            for (int p = 0; p < WIDE_PARTS; ++p) {
                if (drift->shift[k]) v[p] = v[p] + shift[p];
                from[k][p] = wide_load(drift->position[k] + i + p * WIDE_F64);
                to[k][p] = from[k][p] + drift->dt * v[p];
                const wide_mask_f64 inside = wide_both(wide_at_most(wide_all_f64(drift->low[k]), to[k][p]),
                                                       wide_at_most(to[k][p], wide_all_f64(drift->high[k])));
                is_free &= !wide_any(wide_not(inside));
            }
        }
        for (int b = 0; b < drift->body_count && is_free; ++b) is_free = state_is_beside(drift, b, from, to);
        if (!is_free) return i;
        for (int k = 0; k < 3; ++k) {
            wide_store(drift->velocity[k] + i, velocity[k]);
            for (int p = 0; p < WIDE_PARTS; ++p) wide_store(drift->position[k] + i + p * WIDE_F64, to[k][p]);
        }
    }
    return end;
}

// ------------------------------------------------------------------------------------------- neighbours of a phase

// Those that are left over are looked at one by one, without a branch for each: near an interface nobody can foretell
// which way it goes.
static bool state_all_of(const uint8_t *phases, fluid_row row, uint32_t phase)
{
    const wide_u32 wanted = wide_all_u32(phase), low = wide_all_u32(0xff);
    uint32_t k = 0, others = 0;
    for (; k + WIDE <= row.count; k += WIDE) {
        const wide_u32 found = wide_gather_bytes(phases, wide_load(row.indices + k)) & low;
        if (wide_any(wide_not(wide_equal(found, wanted)))) return false;
    }
    for (; k < row.count; ++k) others |= phases[row.indices[k]] ^ phase;
    return others == 0;
}

static uint32_t state_choose(const uint8_t *phases, fluid_row row, uint32_t phase, uint32_t *at, uint32_t most,
                             uint32_t *chosen)
{
    const wide_u32 wanted = wide_all_u32(phase), low = wide_all_u32(0xff);
    uint32_t *out = chosen, k = *at;
    for (; k + WIDE <= row.count && (size_t)(out - chosen) + WIDE <= most; k += WIDE) {
        const wide_u32 indices = wide_load(row.indices + k);
        const wide_hits hits = wide_hits_of(wide_equal(wide_gather_bytes(phases, indices) & low, wanted));
        wide_store_front(out, indices, hits);
        out = wide_past(out, hits);
    }
    uint32_t count = (uint32_t)(out - chosen);
    for (; k < row.count && count < most; ++k) {
        chosen[count] = row.indices[k];
        count += phases[row.indices[k]] == phase;
    }
    *at = k;
    return count;
}

const fluid_state_lanes WIDE_NAME(mote_state_lanes) = {WIDE,        state_middle, state_advance, state_kick,
                                                       state_drift, state_all_of, state_choose};
