// SPDX-License-Identifier: MIT
// Surface tension between two phases, or at the free surface of one: which models there are, and the gradients of
// colour that some are made of.
//
// The colour of a particle is 0 for its own phase and 1 for the other one. Its gradient, Σ Vj ∇W over neighbours of the
// other phase, points from either side into the other. With weights of density (Adami et al. 2010) a neighbour counts
// 2 ρi/(ρi + ρj) times, so that the force of both sides of an interface gives them the same acceleration. Only
// particles that reach the other phase have a gradient.

#include <math.h>
#include <string.h>

#include "fluid/tension.h"

static const tension_model *const models[] = {
    [MOTE_TENSION_STRESS] = &mote_tension_stress,
    [MOTE_TENSION_CURVATURE] = &mote_tension_curvature,
    [MOTE_TENSION_WEIGHTED_STRESS] = &mote_tension_weighted_stress,
    [MOTE_TENSION_DOCUMENT] = &mote_tension_document,
    [MOTE_TENSION_DOCUMENT_CURVATURE] = &mote_tension_document_curvature,
    [MOTE_TENSION_COHESION] = &mote_tension_cohesion,
    [MOTE_TENSION_PLAIN_CURVATURE] = &mote_tension_plain_curvature,
};

const mote_fluid_choice *mote_tension_model_at(size_t index)
{
    return index < sizeof models / sizeof *models ? &models[index]->about : NULL;
}

// --------------------------------------------------------------------------------------------------- from the def on

static mote_result check_tension(const mote_fluid *fluid, uint32_t first, uint32_t second, const mote_tension_def *def,
                                 mote_error *error)
{
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "tension: the def was not made by mote_tension_default_def");
    const mote_result result = mote_fields_check(mote_tension_fields(), def, error);
    if (result != MOTE_OK) return result;
    const tension_model *model = models[def->model];
    if (!(model->solvers >> fluid->def.solver & 1))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "tension: model is \"%s\", expected another one with solver \"%s\", as \"document\"",
                         model->about.name, fluid->solver->about.name);
    if (first == second && first < fluid->phase_count && !model->is_of_one)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "tension: model is \"%s\" with a single phase, expected two phases: it acts between them",
                         model->about.name);
    if (first != second && model->is_of_one_alone)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "tension: model is \"%s\" between two phases, expected a single one: it acts within it",
                         model->about.name);
    if (first >= fluid->phase_count || second >= fluid->phase_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "tension: between phases %u and %u, expected two of the %u",
                         (unsigned)first, (unsigned)second, (unsigned)fluid->phase_count);
    if (fluid->particles.count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "tension: the fluid has particles already");
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        const uint32_t *of = fluid->tensions[k].phases;
        if ((of[0] == first && of[1] == second) || (of[0] == second && of[1] == first))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "tension: phases %u and %u have one already, expected one",
                             (unsigned)first, (unsigned)second);
    }
    const double reach = fluid->def.support / fluid->def.spacing;
    if (fluid->def.dimensions == 2 && reach < model->least_support_2d * (1 - 1e-9))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "tension: model is \"%s\" with a support of %g spacings in 2D, expected \"stress\", or a "
                         "support of %g or more: it errs by up to a half otherwise",
                         model->about.name, reach, model->least_support_2d);
    if (def->adhesion > 0 && !model->is_of_one_alone)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "tension.adhesion is %g with model \"%s\", expected 0, or model \"cohesion\"", def->adhesion,
                         model->about.name);
    return model->check ? model->check(fluid, error) : MOTE_OK;
}

mote_result mote_fluid_set_tension(mote_fluid *fluid, uint32_t first, uint32_t second, const mote_tension_def *def,
                                   mote_error *error)
{
    if (!fluid || !def) return mote_fail_null(error, "tension", fluid ? "an argument" : "the object");
    const mote_result result = check_tension(fluid, first, second, def, error);
    if (result != MOTE_OK || def->sigma == 0) return result;
    fluid_tension *made = &fluid->tensions[fluid->tension_count++];
    memset(made, 0, sizeof *made);
    made->phases[0] = first, made->phases[1] = second;
    made->sigma = def->sigma, made->adhesion = def->adhesion;
    made->model = models[def->model];
    if (made->model->prepare) made->model->prepare(fluid, made);
    mote_fluid_resolve_background(fluid);
    return MOTE_OK;
}

static double tension_step(const mote_fluid *fluid, const fluid_tension *of)
{
    const double h = fluid->def.support / 2, pi = 3.14159265358979323846;
    const double mean =
        (fluid->phases[of->phases[0]].def.rest_density + fluid->phases[of->phases[1]].def.rest_density) / 2;
    return 0.25 * sqrt(mean * h * h * h / (2 * pi * of->sigma));
}

double mote_fluid_tension_step(const mote_fluid *fluid)
{
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < fluid->tension_count; ++k)
        least = MOTE_MIN(least, tension_step(fluid, &fluid->tensions[k]));
    return least;
}

double mote_fluid_tension_step_of(const mote_fluid *fluid, uint32_t phase)
{
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        const uint32_t *phases = fluid->tensions[k].phases;
        if (phases[0] == phase || phases[1] == phase)
            least = MOTE_MIN(least, tension_step(fluid, &fluid->tensions[k]));
    }
    return least;
}

// --------------------------------------------------------------------------------------------------------- gradients

bool mote_fluid_is_pulled_alike(const mote_fluid *fluid, const fluid_phase *first, const fluid_phase *second)
{
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        const fluid_tension *of = &fluid->tensions[k];
        const fluid_phase *a = &fluid->phases[of->phases[0]], *b = &fluid->phases[of->phases[1]];
        if ((a == first && b == second) || (a == second && b == first)) return !of->model->is_weighted;
    }
    return false;
}

mote_result mote_fluid_reserve_tensions(mote_fluid *fluid, size_t bytes)
{
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < fluid->tension_count && result == MOTE_OK; ++k)
        if (fluid->tensions[k].model->has_gradients)
            result = mote_buffer_reserve(fluid->context, &fluid->tensions[k].gradients, bytes,
                                         fluid->tensions[k].gradients.bytes);  // those that sleep keep theirs
    return result;
}

void mote_fluid_release_tensions(mote_fluid *fluid)
{
    for (uint32_t k = 0; k < fluid->tension_count; ++k)
        mote_buffer_release(fluid->context, &fluid->tensions[k].gradients);
}

size_t mote_fluid_tension_bytes(const mote_fluid *fluid)
{
    size_t bytes = 0;
    for (uint32_t k = 0; k < fluid->tension_count; ++k) bytes += fluid->tensions[k].gradients.bytes;
    return bytes;
}

// The gradient of a particle, and the inverse of its length; all 0 if it has none.
static fluid_motion gradient_of(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row)
{
    const uint32_t own = mote_fluid_phase_numbers(fluid)[i], *phases = tension->phases;
    if (!mote_weak_is_mixed(fluid, i) || (own != phases[0] && own != phases[1])) return (fluid_motion){0};
    const uint32_t other = own == phases[0] ? phases[1] : phases[0];
    const double rest[2] = {fluid->phases[own].def.rest_density, fluid->phases[other].def.rest_density};
    const float weight = tension->model->is_weighted ? (float)(2 * rest[0] / (rest[0] + rest[1])) : 1;
    float g[3];
    mote_weak_sum_normal(fluid, row, i, other, g);
    for (int k = 0; k < 3; ++k) g[k] *= weight;
    const float length = sqrtf((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]);
    const float least = (float)(tension->model->least_gradient / (fluid->def.support / 2));
    if (!(length > least)) return (fluid_motion){0};
    return (fluid_motion){g[0], g[1], g[2], 1 / length};
}

static void find_gradients(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    for (uint32_t t = 0; t < fluid->tension_count; ++t) {
        const fluid_tension *tension = &fluid->tensions[t];
        fluid_motion *gradients = tension->gradients.data;
        if (!gradients) continue;
        for (uint32_t k = 0; k < count; ++k) gradients[first + k] = gradient_of(fluid, tension, first + k, rows[k]);
    }
}

static void find_gradients_awake(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    for (size_t i = begin; i < end; ++i) {
        const fluid_row row = mote_fluid_row(&fluid->weak.lists[0], (uint32_t)i);
        if (!mote_steps_is_asleep(&fluid->levels, i)) find_gradients(fluid, (uint32_t)i, &row, 1);
    }
}

static bool has_gradients(const mote_fluid *fluid)
{
    bool has = false;
    for (uint32_t k = 0; k < fluid->tension_count; ++k) has = has || fluid->tensions[k].model->has_gradients;
    return has;
}

static void spread_gradients(mote_fluid *fluid)
{
    for (uint32_t k = 0; k < fluid->tension_count; ++k)
        if (fluid->tensions[k].gradients.data) mote_weak_spread_to_images(fluid, fluid->tensions[k].gradients.data);
}

static void clear_gradients(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        fluid_motion *gradients = fluid->tensions[k].gradients.data;
        if (gradients) memset(gradients + begin, 0, (end - begin) * sizeof *gradients);
    }
}

// Most particles reach no other phase: where rows are found again, cells without any that does are left out.
mote_result mote_weak_find_colors(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    if (!has_gradients(fluid)) return MOTE_OK;
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_COPY_BLOCK, clear_gradients, fluid);
    const mote_result result = mote_fluid_each_row(fluid, weak->search, &weak->lists[0], weak->mixed.data,
                                                   find_gradients, &fluid->counters.force_seconds, error);
    if (result == MOTE_OK) spread_gradients(fluid);
    return result;
}

void mote_weak_find_colors_awake(mote_fluid *fluid)
{
    if (!has_gradients(fluid)) return;
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, find_gradients_awake, fluid);
    spread_gradients(fluid);
}

static bool is_near_interface(const mote_fluid *fluid, uint32_t i, fluid_row row)
{
    if (fluid->def.solver == MOTE_SOLVER_WEAK)
        return fluid->phase_count > 1 && mote_weak_is_near_interface(fluid, i, row);
    return mote_fluid_phases_in(fluid, row) & ~(1u << mote_fluid_phase_numbers(fluid)[i]);
}

void mote_fluid_add_tension(const mote_fluid *fluid, uint32_t i, fluid_row row, float a[3])
{
    if (fluid->tension_count == 0) return;
    const bool is_near = is_near_interface(fluid, i, row);
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        const fluid_tension *tension = &fluid->tensions[k];
        if (is_near || tension->phases[0] == tension->phases[1]) tension->model->accelerate(fluid, tension, i, row, a);
    }
}
