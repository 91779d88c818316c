// SPDX-License-Identifier: MIT
// Trials for mote scene --estimate. Where particles come in while a run goes on, its first steps say nothing about the
// later ones: how many there will be depends on inlets, on falls, on when a drain is reached. Grains are there later,
// too, and each costs more once it meets a mesh; so does water that falls on solids. So a small copy of the scene is
// run to its end. With particles s times as large, a fluid in D dimensions has s^D times fewer, and makes s times fewer
// steps. Grains do not feel each other, so that a few of them tell what all will do.

#include <math.h>
#include <string.h>

#include "estimate.h"

// Copies are 16, 8, 4 and 2 times as coarse; of the grains they have about 500, 2,000, 8,000 and 32,000.
static const double coarsest = 16, fewest_grains = 500;

// Fewer particles of a fluid do not tell how much longer later steps take.
static const double fewest_wet = 100;

// Another copy is made if it can be expected to take at most this long; one that takes much longer is stopped [s].
static const double budget = 2, longest = 4;

bool app_trial_counts(const mote_simulation_def *def)
{
    return def->has_grains || def->inlet_count + def->outlet_count + def->drain_count > 0;
}

bool app_trial_is_due(const mote_simulation_def *def)
{
    return app_trial_counts(def) || (def->block_count > 0 && def->solid_count > 0);
}

// ----------------------------------------------------------------------------------------------------- a single copy

void app_steps_time(app_steps *steps, const double ends[APP_TIMED_STEPS + 1])
{
    double times[APP_TIMED_STEPS];
    for (int k = 0; k < APP_TIMED_STEPS; ++k) {
        const double time = ends[k + 1] - ends[k];
        int at = k;
        for (; at > 0 && times[at - 1] > time; --at) times[at] = times[at - 1];
        times[at] = time;
    }
    steps->seconds = (ends[APP_TIMED_STEPS] - ends[0]) / APP_TIMED_STEPS;
    steps->median = (times[APP_TIMED_STEPS / 2 - 1] + times[APP_TIMED_STEPS / 2]) / 2;
}

typedef struct trial_watch {
    app_trial *trial;
    double started, ends[APP_TIMED_STEPS + 1], warm_time, warm_particles;
} trial_watch;

// Looks at it after each step.
static bool watch(void *user_data, const mote_simulation *simulation)
{
    trial_watch *own = user_data;
    app_trial *trial = own->trial;
    const mote_simulation_counters counters = mote_simulation_get_counters(simulation);
    trial->time = mote_simulation_time(simulation);
    trial->seconds = app_clock() - own->started;
    trial->steps = (double)counters.steps;
    trial->particle_steps = (double)counters.particle_steps;
    if (counters.steps == APP_WARM_STEPS) {
        own->warm_time = trial->time;
        own->warm_particles = trial->particle_steps;
    }
    if (counters.steps >= APP_WARM_STEPS && counters.steps <= APP_WARM_STEPS + APP_TIMED_STEPS)
        own->ends[counters.steps - APP_WARM_STEPS] = trial->seconds;
    if (counters.steps == APP_WARM_STEPS + APP_TIMED_STEPS) {
        app_steps_time(&trial->first, own->ends);
        trial->first.dt = (trial->time - own->warm_time) / APP_TIMED_STEPS;
        trial->first.particles = (trial->particle_steps - own->warm_particles) / APP_TIMED_STEPS;
    }
    return trial->seconds > longest;
}

static bool has_fluid(const mote_simulation_def *def)
{
    return def->block_count > 0 || def->inlet_count > 0;
}

// @param divisor   1, 2, 4 …: how much finer than the coarsest
// @param created   receives the seconds that it took to make the copy
static bool run_copy(const app_scene_file *file, double divisor, app_trial *trial, double *created)
{
    const mote_scene_settings *settings = file->settings;
    mote_simulation_def def = settings->simulation;
    const double all = def.has_grains ? (double)def.grains.count : 0, coarseness = coarsest / divisor;
    const bool is_wet = has_fluid(&def);
    *trial = (app_trial){.has_fluid = is_wet,
                         .particles = is_wet ? pow(coarseness, def.fluid.dimensions)
                                             : fmax(all / (fewest_grains * divisor * divisor), 1)};
    if (is_wet) def.fluid.spacing *= coarseness, def.fluid.support *= coarseness;
    def.grains.count = (int32_t)fmax(all / trial->particles, 1);
    def.grains.proxy = file->proxy;
    def.gauge_count = 0;
    mote_simulation *copy = NULL;
    const double start = app_clock();
    mote_result result = mote_simulation_create(file->context, &def, &copy, NULL);
    trial_watch seen = {.trial = trial, .started = app_clock()};
    *created = seen.started - start;
    for (int32_t k = 1; k < settings->frames && result == MOTE_OK && trial->seconds <= longest; ++k) {
        const double time = settings->end_time * k / (settings->frames - 1);
        result = mote_simulation_run_until(copy, time, watch, &seen, NULL);
    }
    mote_simulation_destroy(copy);
    return result == MOTE_OK && trial->first.dt > 0 && trial->particle_steps > 0;
}

app_trial app_trial_run(const app_scene_file *file)
{
    const mote_scene_settings *settings = file->settings;
    const mote_simulation_def *def = &settings->simulation;
    const bool is_wet = has_fluid(def);
    const double growth = is_wet ? pow(2, def->fluid.dimensions + 1) : 4;
    app_trial best = {0};
    for (size_t k = 0; k < def->block_count; ++k)
        if (def->blocks[k].shape == MOTE_SHAPE_POINTS) return best;  // particles that are given have their size
    for (double divisor = 1; divisor < coarsest; divisor *= 2) {
        app_trial trial;
        double created;
        const bool holds = run_copy(file, divisor, &trial, &created);
        // One that was stopped early tells less than a coarser one that was not.
        if (holds && (trial.seconds <= longest || trial.time > best.time / 2)) best = trial;
        if (trial.particles <= 1 || created > budget || trial.seconds * growth > budget) break;
    }
    return best;
}

// ----------------------------------------------------------------------------------------------------- of the scene

// What a trial that was stopped would have come to. Its particles go on to become more as they did in the mean.
static void extend(app_trial *trial, double end_time)
{
    const double more = end_time / trial->time, before = trial->first.particles;
    const double mean = trial->particle_steps / trial->steps, later = fmax(before + (mean - before) * more, mean / 2);
    trial->seconds *= more * later / mean;
    trial->particle_steps *= more * later / mean;
    trial->steps *= more;
    trial->time = end_time;
}

double app_trial_slowdown(const app_trial *trial)
{
    const app_steps *first = &trial->first;
    return first->particles < fewest_wet ? 1 : fmax(trial->seconds / trial->steps / first->median, 1);
}

app_forecast app_trial_forecast(const app_trial *of, const app_steps *real, double end_time)
{
    app_trial trial = *of;
    const app_steps *first = &trial.first;
    if (trial.time < end_time) extend(&trial, end_time);
    app_forecast forecast = {.steps = trial.steps * first->dt / real->dt};
    const double mean = trial.particle_steps / trial.steps, particles = mean * trial.particles;
    forecast.particle_steps = forecast.steps * particles;
    forecast.dt = end_time / forecast.steps;
    // What was there from the start takes what real steps took, walls, for example. What steps take longer later is
    // due to particles that came in or, of grains, also to a mesh that they met. Each grain of the copy stands for as
    // many of the scene; particles of a fluid are counted.
    const double longer = fmax(trial.seconds / trial.steps - first->median, 0);
    const double each = mean > 2 * first->particles ? longer / (mean - first->particles)
                                                    : trial.seconds / trial.particle_steps;
    const double more = trial.has_fluid ? each * fmax(particles - real->particles, 0) : longer * trial.particles;
    forecast.seconds = forecast.steps * (real->median + more);
    return forecast;
}
