// SPDX-License-Identifier: MIT
// What mote scene --estimate makes of a small copy's steps and the scene's first ones: times of which each is known.

#include "estimate.h"

#include "support/test.h"

// Each step of the copy takes a while whatever it moves, and more for each particle [s]. So do those of the scene.
static const double fixed = 2e-5, each = 1e-6;

// A copy of 1,000 steps with so many particles in the first ones, and so many in the mean.
static app_trial make_trial(bool has_fluid, double first, double mean)
{
    const double steps = 1000, seconds = fixed + each * first;
    return (app_trial){.time = 1, .has_fluid = has_fluid, .particles = 100, .steps = steps,
                       .particle_steps = steps * mean, .seconds = steps * (fixed + each * mean),
                       .first = {.seconds = seconds, .median = seconds, .dt = 1e-3, .particles = first}};
}

static app_steps make_steps(double particles)
{
    const double seconds = fixed + each * particles;
    return (app_steps){.seconds = seconds, .median = seconds, .dt = 1e-3, .particles = particles};
}

// The seconds that a step is forecast to take in the mean, of a scene with a hundred times as many particles.
static double find_step(const app_trial *trial, double first)
{
    const app_steps real = make_steps(100 * first);
    const app_forecast forecast = app_trial_forecast(trial, &real, 1);
    CHECK(fabs(forecast.steps - 1000) < 1e-6, "%g steps", forecast.steps);
    return forecast.seconds / forecast.steps;
}

static void particles_that_come_in_take_their_time(void **state)
{
    (void)state;
    const double expected = fixed + each * 100 * 250;
    for (int has_fluid = 0; has_fluid < 2; ++has_fluid) {
        const app_trial trial = make_trial(has_fluid, 5, 250);
        const double step = find_step(&trial, 5);
        CHECK(fabs(step / expected - 1) < 0.01, "fluid %d: %g s, expected %g", has_fluid, step, expected);
    }
}

// A pause of the machine in one of the first steps is in their mean, and not in their median.
static void a_pause_in_the_first_steps_changes_nothing(void **state)
{
    (void)state;
    for (int has_fluid = 0; has_fluid < 2; ++has_fluid) {
        app_trial trial = make_trial(has_fluid, 5, 250);
        const double step = find_step(&trial, 5);
        trial.first.seconds = 1;
        CHECK(find_step(&trial, 5) == step, "fluid %d: %g s, without the pause %g", has_fluid, find_step(&trial, 5),
              step);
    }
}

// Whatever the copy did, a step of the scene takes as long as the first ones did.
static void steps_take_as_long_as_the_first_ones(void **state)
{
    (void)state;
    for (int has_fluid = 0; has_fluid < 2; ++has_fluid) {
        app_trial trial = make_trial(has_fluid, 5, 250);
        trial.first.median = 1;
        const double step = find_step(&trial, 5), expected = fixed + each * 500;
        CHECK(step > 0.999 * expected, "fluid %d: %g s, the first ones took %g", has_fluid, step, expected);
    }
}

// Grains that are all there from the start, and take twice as long once they meet a mesh.
static void grains_that_meet_a_mesh_take_longer(void **state)
{
    (void)state;
    app_trial trial = make_trial(false, 500, 500);
    trial.seconds += trial.particle_steps * each;
    const double step = find_step(&trial, 500), expected = fixed + 2 * each * 100 * 500;
    CHECK(fabs(step / expected - 1) < 0.01, "%g s, expected %g", step, expected);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_that_come_in_take_their_time),
        cmocka_unit_test(a_pause_in_the_first_steps_changes_nothing),
        cmocka_unit_test(steps_take_as_long_as_the_first_ones),
        cmocka_unit_test(grains_that_meet_a_mesh_take_longer),
    };
    RUN_TESTS(tests, argc, argv);
}
