// SPDX-License-Identifier: MIT
// validate_exact.h: exact solutions that runs are compared with. They need nothing but the C library.
#ifndef MOTE_VALIDATE_EXACT_H
#define MOTE_VALIDATE_EXACT_H

#include <stddef.h>

// The velocity [m/s] at height y [m] and time t [s] between plates at 0 and `gap`, from rest (Morris et al. 1997, eqs.
// 21 and 22): driven by an acceleration `force` [m/s²], or by the upper plate, which moves at `speed` [m/s].
double exact_poiseuille(double y, double t, double gap, double viscosity, double force);
double exact_couette(double y, double t, double gap, double viscosity, double speed);

// The velocity of Taylor and Green's vortices in a periodic unit square [m/s], of speed 1 at the start.
void exact_taylor_green(double x, double z, double t, double viscosity, double velocity[2]);
// Its decay rate [1/s].
double exact_taylor_green_rate(double viscosity);

// The semi-axes [m] of a round patch of radius 1 m at time t [s] that starts with the velocity (−A x, A z)
// (Monaghan 1994).
void exact_drop(double rate, double t, double axes[2]);

// A standing wave of wave number k in water of depth H with kinematic viscosity ν: its frequency [1/s] and the rate at
// which its amplitude decays [1/s].
typedef struct exact_wave {
    double frequency, decay;
} exact_wave;
// Linear waves in an ideal fluid have ω0² = g k tanh(k H); those of amplitude A are slower by 0.124 (k A)²
// (Tadjbakhsh & Keller 1960, at k H = π). The decay is the root n of (n + 2νk²)² + ω0² = 4ν²k⁴ sqrt(1 + n/(νk²))
// (Lamb 1932, § 349).
exact_wave exact_standing_wave(double gravity, double depth, double wave_number, double viscosity, double amplitude);

// A tank of water of this depth that sways from rest at t = 0, by A cos(2πt/T) (validate_sway.c).
typedef struct exact_sway {
    double length, depth, gravity, amplitude, period;
} exact_sway;
// The elevations [m] of its surface at a distance x from its left side, `count` of them at t = interval, 2 interval, …
void exact_sway_elevation(const exact_sway *tank, double x, double interval, size_t count, double *elevation);

#endif
