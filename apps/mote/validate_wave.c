// SPDX-License-Identifier: MIT
// A standing wave over a floor with free slip: its frequency, and how viscosity lets it fade.

#include <math.h>

#include "validate.h"
#include "validate_exact.h"

static const double gravity = 9.81, depth = 1, wave_number = 3.14159265358979323846, amplitude = 0.05;
static const double interval = 0.02, last = 11;  // of samples, and of all [s]
enum { SAMPLES = 550, MOST_EXTREMA = 64 };

enum { FREQUENCY, DECAY, OWN_DECAY, FALLING, CHECK_COUNT };
#define FREQUENCY_CHECK(quick_set, full_set)                                                              \
    {.quantity = "frequency [rad/s]", .kind = VALIDATE_RELATIVE, .quick = quick_set, .full = full_set,    \
     .source = "Tadjbakhsh & Keller 1960: 5.541 (1 - 0.124 (kA)^2)"}
#define DECAY_CHECK(quick_set, full_set)                                                                  \
    {.quantity = "decay rate of the energy [1/s]", .kind = VALIDATE_RELATIVE, .quick = quick_set,         \
     .full = full_set, .source = "Lamb 1932, section 349, exact root"}
// Other motions, such as streaming, are in the kinetic energy, but not in the linear wave's share of it.
#define OWN_DECAY_CHECK                                                                                   \
    {.quantity = "the same, of the wave's own energy [1/s]", .kind = VALIDATE_RELATIVE, .quick = NAN,     \
     .full = NAN, .source = "Lamb 1932, section 349, exact root"}
static const validate_check checks_re500[] = {
    [FREQUENCY] = FREQUENCY_CHECK(0.015, 0.01),
    [DECAY] = DECAY_CHECK(0.25, 0.1),
    [OWN_DECAY] = OWN_DECAY_CHECK,
};
static const validate_check checks_re2500[CHECK_COUNT] = {
    [FREQUENCY] = FREQUENCY_CHECK(NAN, 0.01),
    [DECAY] = DECAY_CHECK(NAN, 0.25),
    [OWN_DECAY] = OWN_DECAY_CHECK,
    [FALLING] = {.quantity = "decay error / that at twice d", .kind = VALIDATE_AT_MOST, .quick = NAN, .full = 1,
                 .is_across = true, .source = "it is to fall with d"},
};

// How much of the linear wave is in the velocities, relative to its own: a cosine of time that fades.
static double mode_share(const mote_fluid_view *view, double *energy)
{
    double with = 0, own = 0;
    *energy = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double kx = wave_number * view->x[i], kz = wave_number * view->z[i];
        const double u = sin(kx) * cosh(kz), w = -cos(kx) * sinh(kz);
        const double vx = (double)view->vx[i], vz = (double)view->vz[i];
        with += vx * u + vz * w;
        own += u * u + w * w;
        *energy += (vx * vx + vz * vz) / 2 / (double)view->count;
    }
    return with / own;
}

// The frequency of a signal from its first and last zeros.
static double frequency_of(const double *share, size_t count)
{
    double first = NAN, zero = NAN;
    int zeros = 0;
    for (size_t k = 1; k < count; ++k) {
        if ((share[k] > 0) == (share[k - 1] > 0)) continue;
        zero = interval * ((double)k - share[k] / (share[k] - share[k - 1]));
        if (zeros++ == 0) first = zero;
    }
    return wave_number * (zeros - 1) / (zero - first);
}

// The decay rate from the maxima of an energy, each that of a parabola through three samples.
static double decay_of(const double *energy, size_t count)
{
    double time[MOST_EXTREMA], logarithm[MOST_EXTREMA];
    size_t maxima = 0;
    for (size_t k = 2; k + 2 < count && maxima < MOST_EXTREMA; ++k) {
        const double e = energy[k], before = energy[k - 1], after = energy[k + 1];
        if (!(e > before && e >= after && e > energy[k - 2] && e > energy[k + 2])) continue;
        const double bend = before - 2 * e + after, shift = (before - after) / (2 * bend);
        if (maxima && interval * (double)k - time[maxima - 1] < 0.3) continue;  // noise on the same crest
        time[maxima] = interval * ((double)k + shift);
        logarithm[maxima++] = log(e - (before - after) * shift / 4);
    }
    return -validate_fit_line(time, logarithm, maxima).slope;
}

static bool measure(validate_run *run)
{
    static double share[SAMPLES + 1], energy[SAMPLES + 1], own[SAMPLES + 1];
    const double viscosity = depth * sqrt(gravity * depth) / run->scene->number;
    const exact_wave wave = exact_standing_wave(gravity, depth, wave_number, viscosity, amplitude);
    run->end = last;
    validate_curve(run, "time,share,energy,exact_envelope");
    for (size_t k = 0; k <= SAMPLES; ++k) {
        mote_fluid_view view;
        const double time = interval * (double)k;
        if ((k && !validate_advance(run, time)) || !validate_view(run, &view)) return false;
        share[k] = mode_share(&view, &energy[k]);
        own[k] = share[k] * share[k];
        validate_point(run, 4, (double[]){time, share[k], energy[k], energy[0] * exp(-2 * wave.decay * time)});
    }
    validate_report(run, FREQUENCY, frequency_of(share, SAMPLES + 1), wave.frequency);
    validate_report(run, DECAY, decay_of(energy, SAMPLES + 1), 2 * wave.decay);
    validate_report(run, OWN_DECAY, decay_of(own, SAMPLES + 1), 2 * wave.decay);
    return true;
}

static void compare(validate_run *run, const validate_found *found, size_t count)
{
    if (run->scene->check_count < CHECK_COUNT) return;
    const double exact = run->references[DECAY];
    validate_report(run, FALLING,
                    fabs(found[count - 1].values[DECAY] - exact) / fabs(found[count - 2].values[DECAY] - exact), NAN);
}

static const validate_scene scenes[] = {
    {"wave-re500", 1, 500, {{25, false, VALIDATE_TOLD}, {50, true, VALIDATE_QUICK}, {100, false, VALIDATE_FULL}},
     checks_re500, sizeof checks_re500 / sizeof *checks_re500},
    {"wave-re2500", 1, 2500, {{50, false, VALIDATE_TOLD}, {100, false, VALIDATE_TOLD}, {200, false, VALIDATE_FULL}},
     checks_re2500, CHECK_COUNT},
};

const validate_case validate_wave = {
    .name = "wave",
    .meaning = "a standing wave that viscosity lets fade",
    .scenes = scenes,
    .scene_count = sizeof scenes / sizeof *scenes,
    .measure = measure,
    .compare = compare,
};
