// SPDX-License-Identifier: MIT
// estimate.h: what an estimate consists of. estimate.c makes real steps and a real frame and prints, trial.c runs a
// small copy of the scene.
#ifndef MOTE_APP_ESTIMATE_H
#define MOTE_APP_ESTIMATE_H

#include "app.h"

// Real steps, made from the start of a simulation. The first ones allocate; particles are put in order every eighth, so
// that two rounds of those are timed.
enum { APP_WARM_STEPS = 4, APP_TIMED_STEPS = 16 };
typedef struct app_steps {
    double seconds;    // of a step, in the mean
    double median;     // of their seconds: whatever else the machine did in some of them is not in it
    double dt;         // their mean length [s]
    double particles;  // that a step moved, in the mean
} app_steps;

// @param ends  when each of the timed steps ended [s], behind the end of the one before them
void app_steps_time(app_steps *steps, const double ends[APP_TIMED_STEPS + 1]);

// A run of a small copy of the scene from the start: the fluid has larger particles, and there are fewer grains.
typedef struct app_trial {
    double time;            // until which it ran [s]; 0: there is none
    bool has_fluid;
    double particles;       // of the scene, for each of the copy
    double steps, particle_steps, seconds;  // until then
    app_steps first;        // its first steps
} app_trial;

// Runs copies, each finer than the one before, as long as the next can be expected to take seconds, and keeps the
// last. Its own fault is none: a copy that cannot be made or goes wrong is left out.
app_trial app_trial_run(const app_scene_file *file);

// Of the whole run.
typedef struct app_forecast {
    double dt;  // of a step, in the mean [s]
    double steps, particle_steps, seconds;
} app_forecast;

// Whether the number of particles changes while a run goes on: there are openings or grains. And whether a trial tells
// anything: if so, or what each has to do may change, as fluid meets solids.
bool app_trial_counts(const mote_simulation_def *def);
bool app_trial_is_due(const mote_simulation_def *def);
// How many times as long a step takes in the mean as a first one, if the particles stay the same; at least 1.
double app_trial_slowdown(const app_trial *trial);
// From the real first steps of the scene and its trial.
// @param end_time  of the run [s]
app_forecast app_trial_forecast(const app_trial *trial, const app_steps *real, double end_time);

#endif
