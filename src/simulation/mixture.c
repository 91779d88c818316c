// SPDX-License-Identifier: MIT
// Several fluids in a simulation: their names, which block is of which, their speeds of sound, and what they weigh.
//
// Where blocks of different fluids overlap, the later one takes the place: a bubble is a ball behind the box of water
// around it. Unless a speed of sound is set, all fluids have the same ρ0 c²: under one pressure they are then
// compressed alike. It is that of the first fluid whose speed is set, or of the densest one with the speed that it
// would have alone.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/blocks.h"
#include "simulation/internal.h"

size_t mote_mixture_find(const mote_simulation_def *def, const char *name)
{
    for (size_t k = 0; name && k < def->fluid_count; ++k)
        if (def->fluids[k].name && strcmp(def->fluids[k].name, name) == 0) return k;
    return SIZE_MAX;
}

size_t mote_block_fluid(const mote_simulation_def *def, size_t k)
{
    return def->fluid_count == 0 ? 0 : mote_mixture_find(def, def->blocks[k].fluid);
}

mote_phase_def mote_mixture_phase(const mote_simulation_def *def, size_t fluid)
{
    mote_phase_def phase = def->fluid_count == 0 ? def->phase : def->fluids[fluid].phase;
    phase.cookie = MOTE_COOKIE;  // lists are filled field by field
    return phase;
}

// ------------------------------------------------------------------------------------------------------------ checks

static mote_result check_fluids(const mote_simulation_def *def, mote_error *error)
{
    if (def->fluid_count > MOTE_PHASES_MOST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluids: %zu of them, expected at most %d", def->fluid_count,
                         MOTE_PHASES_MOST);
    const bool is_weak = def->fluid.solver == MOTE_SOLVER_WEAK;
    if (def->fluid_count > 1 && !is_weak && def->fluid.density == MOTE_DENSITY_CONTINUITY)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 1,
                         "fluids[1] with fluid.density \"continuity\", expected a single fluid, or the preset "
                         "\"engineering\" or \"document\"");
    for (size_t k = 0; k < def->fluid_count; ++k) {
        const char *name = def->fluids[k].name;
        if (!name || !*name) return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "fluids[%zu].name is not set", k);
        if (mote_mixture_find(def, name) < k)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "fluids[%zu].name is \"%.64s\", expected another name than that of fluids[%zu]", k, name,
                             mote_mixture_find(def, name));
    }
    return MOTE_OK;
}

static mote_result check_blocks(const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->block_count; ++k) {
        const char *name = def->blocks[k].fluid;
        if (def->fluid_count == 0 && name && *name)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "blocks[%zu].fluid is \"%.64s\", expected a list of fluids with that name", k, name);
        if (mote_block_fluid(def, k) != SIZE_MAX) continue;
        if (!name || !*name)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "blocks[%zu].fluid is missing, expected the name of a fluid, as \"%.64s\"", k,
                             def->fluids[0].name);
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu].fluid is \"%.64s\", expected the name of a fluid, as \"%.64s\"", k, name,
                         def->fluids[0].name);
    }
    return MOTE_OK;
}

// The second fluid of a tension: a single name is that of a fluid with a free surface.
static const char *second_of(const mote_named_tension *tension)
{
    return tension->between[1] ? tension->between[1] : tension->between[0];
}

static mote_result check_tensions(const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->tension_count; ++k) {
        if (!def->tensions[k].between[0] || (def->tensions[k].between[1] && def->tensions[k].between[2]))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "tensions[%zu].between has %s, expected those of two fluids, or of one with a free "
                             "surface", k, def->tensions[k].between[0] ? "more than two names" : "no name");
        const char *const names[2] = {def->tensions[k].between[0], second_of(&def->tensions[k])};
        for (int side = 0; side < 2; ++side)
            if (mote_mixture_find(def, names[side]) == SIZE_MAX)
                return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                                 "tensions[%zu].between has \"%.64s\", expected the name of a fluid", k, names[side]);
        if (def->tensions[k].between[1] && strcmp(names[0], names[1]) == 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "tensions[%zu].between has \"%.64s\" twice, expected two fluids", k, names[0]);
        for (size_t other = 0; other < k; ++other) {
            const char *const its[2] = {def->tensions[other].between[0], second_of(&def->tensions[other])};
            const bool is_same = (strcmp(its[0], names[0]) == 0 && strcmp(its[1], names[1]) == 0) ||
                                 (strcmp(its[0], names[1]) == 0 && strcmp(its[1], names[0]) == 0);
            if (is_same)
                return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                                 "tensions[%zu].between has the fluids of tensions[%zu], expected a pair once", k,
                                 other);
        }
    }
    return MOTE_OK;
}

mote_result mote_mixture_check(const mote_simulation_def *def, mote_error *error)
{
    mote_result result = check_fluids(def, error);
    if (result == MOTE_OK) result = check_blocks(def, error);
    return result == MOTE_OK ? check_tensions(def, error) : result;
}

// -------------------------------------------------------------------------------------------------- what there is

size_t mote_mixture_reference(const mote_simulation_def *def)
{
    size_t densest = 0;
    for (size_t k = 0; k < def->fluid_count; ++k) {
        if (!isnan(def->fluids[k].phase.sound_speed)) return k;
        if (def->fluids[k].phase.rest_density > def->fluids[densest].phase.rest_density) densest = k;
    }
    return densest;
}

// The fluid's own words behind the element of the list that they are about.
static mote_result refuse(const char *list, size_t k, const mote_error *found, mote_result result, mote_error *error)
{
    return mote_fail(error, result, k, "%s[%zu]: %.220s", list, k, found->text);
}

mote_result mote_mixture_add(mote_fluid *fluid, const mote_simulation_def *def, double sound_speed, mote_error *error)
{
    uint32_t number;
    mote_error found = {0};
    const size_t reference = mote_mixture_reference(def);
    const double rest = mote_mixture_phase(def, reference).rest_density;
    for (size_t k = 0; k < MOTE_MAX(def->fluid_count, (size_t)1); ++k) {
        mote_phase_def phase = mote_mixture_phase(def, k);
        if (isnan(phase.sound_speed)) phase.sound_speed = sound_speed * sqrt(rest / phase.rest_density);
        if (k == reference) phase.sound_speed = sound_speed;
        if (def->fluid_count == 0) return mote_fluid_add_phase(fluid, &phase, &number, error);
        const mote_result result = mote_fluid_add_phase(fluid, &phase, &number, &found);
        if (result != MOTE_OK) return refuse("fluids", k, &found, result, error);
    }
    for (size_t k = 0; k < def->tension_count; ++k) {
        const mote_named_tension *of = &def->tensions[k];
        mote_tension_def tension = of->tension;
        tension.cookie = MOTE_COOKIE;
        const mote_result result = mote_fluid_set_tension(fluid, (uint32_t)mote_mixture_find(def, of->between[0]),
                                                          (uint32_t)mote_mixture_find(def, second_of(of)), &tension,
                                                          &found);
        if (result != MOTE_OK) return refuse("tensions", k, &found, result, error);
    }
    return MOTE_OK;
}

// Steps below this share of those that the speed of sound allows are hardly meant.
static const double tiny_step = 0.01;

void mote_mixture_tell_step(const mote_context *context, const mote_fluid *fluid)
{
    const double by_tension = mote_fluid_tension_step(fluid), by_sound = mote_courant_step(fluid, 0);
    if (!(by_tension < by_sound)) return;
    const char *more = by_tension < tiny_step * by_sound ? ": less than a hundredth; is sigma in N/m?" : "";
    mote_log_message(context,
                     "fluid: tension sets the time step, at most %.3g s, where the speed of sound allows %.3g s%s",
                     by_tension, by_sound, more);
}

bool mote_block_holds(const mote_simulation_def *def, size_t k, mote_vec3 p)
{
    const mote_block_def *block = &def->blocks[k];
    const double margin = block_slack * def->fluid.spacing;
    double span[2];
    if (block->shape == MOTE_SHAPE_POINTS) return false;
    if (block->shape != MOTE_SHAPE_BOX)
        return mote_shape_span(block, def->fluid.dimensions, margin, p.y, p.z, span) && span[0] <= p.x &&
               p.x <= span[1];
    mote_box box = mote_box_grow((mote_box){block->min, block->max}, margin);
    if (def->fluid.dimensions == 2) box.min.y = -1, box.max.y = 1;
    return mote_box_contains(box, p);
}

bool mote_block_is_replaced(const mote_simulation_def *def, size_t k, mote_vec3 p)
{
    for (size_t later = k + 1; later < def->block_count && def->fluid_count > 1; ++later)
        if (mote_block_fluid(def, later) != mote_block_fluid(def, k) && mote_block_holds(def, later, p)) return true;
    return false;
}

// Steps of a quarter of a spacing count what lies at their middles: between lattices they are exact.
double mote_mixture_weight_above(const mote_simulation_def *def, mote_vec3 p, mote_vec3 up)
{
    const double step = def->fluid.spacing / 4;
    double top = -HUGE_VAL, weight = 0;
    for (size_t k = 0; k < def->block_count; ++k)
        top = MOTE_MAX(top, mote_shape_reach(&def->blocks[k], def->fluid.dimensions, up));
    const double way = top - mote_vec3_dot(p, up);
    for (double at = step / 2; at < way; at += step) {
        const mote_vec3 place = mote_vec3_add_scaled(p, up, at);
        for (size_t k = def->block_count; k-- > 0;) {
            if (!mote_block_holds(def, k, place)) continue;
            weight += step * mote_mixture_phase(def, mote_block_fluid(def, k)).rest_density;
            break;
        }
    }
    return weight;
}
