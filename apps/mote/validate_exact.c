// SPDX-License-Identifier: MIT
// Exact solutions of viscous and ideal flows, as series, by integration or as roots.

#include "validate_exact.h"

#include <complex.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

enum { SERIES_TERMS = 200, DROP_STEPS = 2000, NEWTON_STEPS = 50 };

double exact_poiseuille(double y, double t, double gap, double viscosity, double force)
{
    double u = force / (2 * viscosity) * y * (gap - y);
    for (int n = 0; n < SERIES_TERMS; ++n) {
        const double k = (2 * n + 1) * pi / gap;
        u -= 4 * force / (viscosity * k * k * k * gap) * sin(k * y) * exp(-viscosity * k * k * t);
    }
    return u;
}

double exact_couette(double y, double t, double gap, double viscosity, double speed)
{
    double u = speed * y / gap;
    for (int n = 1; n <= SERIES_TERMS; ++n) {
        const double k = n * pi / gap;
        u += 2 * speed / (n * pi) * (n % 2 ? -1 : 1) * sin(k * y) * exp(-viscosity * k * k * t);
    }
    return u;
}

double exact_taylor_green_rate(double viscosity)
{
    return -8 * pi * pi * viscosity;
}

void exact_taylor_green(double x, double z, double t, double viscosity, double velocity[2])
{
    const double speed = exp(exact_taylor_green_rate(viscosity) * t);
    velocity[0] = -speed * cos(2 * pi * x) * sin(2 * pi * z);
    velocity[1] = speed * sin(2 * pi * x) * cos(2 * pi * z);
}

// The derivatives of the rate A and of the semi-axes a, b. With p = K (1 − x²/a² − z²/b²) ρ/2 inside the patch, Euler's
// equations say A' + K/a² = A² and K/b² − A' = A².
static void drop_derivative(const double state[3], double derivative[3])
{
    const double rate = state[0], aa = state[1] * state[1], bb = state[2] * state[2];
    derivative[0] = rate * rate * (aa - bb) / (aa + bb);
    derivative[1] = -rate * state[1];
    derivative[2] = rate * state[2];
}

// One step of Runge and Kutta's method of fourth order.
static void drop_step(double state[3], double dt)
{
    static const double shift[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double slope[3] = {0}, sum[3] = {0};
    for (int stage = 0; stage < 4; ++stage) {
        double at[3];
        for (int k = 0; k < 3; ++k) at[k] = state[k] + shift[stage] * dt * slope[k];
        drop_derivative(at, slope);
        for (int k = 0; k < 3; ++k) sum[k] += weight[stage] / 6 * slope[k];
    }
    for (int k = 0; k < 3; ++k) state[k] += dt * sum[k];
}

void exact_drop(double rate, double t, double axes[2])
{
    double state[3] = {rate, 1, 1};
    for (int k = 0; k < DROP_STEPS; ++k) drop_step(state, t / DROP_STEPS);
    axes[0] = state[1];
    axes[1] = state[2];
}

exact_wave exact_standing_wave(double gravity, double depth, double wave_number, double viscosity, double amplitude)
{
    const double k = wave_number, q = viscosity * k * k, steepness = k * amplitude;
    const double linear = sqrt(gravity * k * tanh(k * depth));
    double complex n = -2 * q + I * linear;
    for (int step = 0; step < NEWTON_STEPS && q > 0; ++step) {
        const double complex root = csqrt(1 + n / q);
        const double complex value = (n + 2 * q) * (n + 2 * q) + linear * linear - 4 * q * q * root;
        n -= value / (2 * (n + 2 * q) - 2 * q / root);
    }
    return (exact_wave){linear * (1 - 0.124 * steepness * steepness), -creal(n)};
}
