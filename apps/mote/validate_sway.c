// SPDX-License-Identifier: MIT
// Water in a tank that sways, as potential flow with the full conditions at its surface.
//
// In the tank's frame φ = Σ a_n cos(k_n x) cosh(k_n (z + H))/cosh(k_n H) with k_n = nπ/L has no flow through the floor
// and the sides. At the surface z = η(x, t), where φ has the values φs and the tank the acceleration X'',
//
//     η' = φz − φx ηx
//     φs' = −g η − (φx² + φz²)/2 + φz η' − (x − L/2) X''
//
// The a_n fit φs at POINTS places by least squares, and both equations advance by Runge and Kutta's method of fourth
// order. Modes near the last one are damped in every step: products of others would make them grow.

#include <math.h>

#include "validate_exact.h"

enum { MODES = 16, POINTS = 33 };

static const double pi = 3.14159265358979323846;
static const double longest_step = 0.005;  // [s]

// The surface at POINTS places: elevation and potential.
typedef struct surface {
    double height[POINTS], potential[POINTS];
} surface;

static double wave_number(const exact_sway *tank, int n)
{
    return n * pi / tank->length;
}

static double place_of(const exact_sway *tank, int i)
{
    return (i + 0.5) * tank->length / POINTS;
}

// The cosine series of values at the places.
static void find_series(const double values[POINTS], double series[MODES])
{
    for (int n = 0; n < MODES; ++n) {
        double sum = 0;
        for (int i = 0; i < POINTS; ++i) sum += values[i] * cos(n * pi * (i + 0.5) / POINTS);
        series[n] = sum * (n ? 2.0 : 1.0) / POINTS;
    }
}

// Solves the normal equations A a = b, symmetric and positive, by Cholesky's method.
static void solve(double a[MODES][MODES], double b[MODES])
{
    for (int n = 0; n < MODES; ++n) {
        for (int m = 0; m <= n; ++m) {
            double sum = a[n][m];
            for (int k = 0; k < m; ++k) sum -= a[n][k] * a[m][k];
            a[n][m] = n == m ? sqrt(sum) : sum / a[m][m];
        }
        for (int k = 0; k < n; ++k) b[n] -= a[n][k] * b[k];
        b[n] /= a[n][n];
    }
    for (int n = MODES - 1; n >= 0; --n) {
        for (int k = n + 1; k < MODES; ++k) b[n] -= a[k][n] * b[k];
        b[n] /= a[n][n];
    }
}

// The velocities at the surface.
static void find_velocities(const exact_sway *tank, const surface *at, double vx[POINTS], double vz[POINTS])
{
    double value[POINTS][MODES], along[POINTS][MODES], across[POINTS][MODES];
    double normal[MODES][MODES] = {{0}}, share[MODES] = {0};
    for (int i = 0; i < POINTS; ++i)
        for (int n = 0; n < MODES; ++n) {
            const double k = wave_number(tank, n), kx = k * place_of(tank, i);
            const double up = exp(k * at->height[i]), down = exp(-k * (at->height[i] + 2 * tank->depth));
            const double whole = 1 + exp(-2 * k * tank->depth);
            value[i][n] = cos(kx) * (up + down) / whole;
            along[i][n] = -k * sin(kx) * (up + down) / whole;
            across[i][n] = k * cos(kx) * (up - down) / whole;
        }
    for (int i = 0; i < POINTS; ++i)
        for (int n = 0; n < MODES; ++n) {
            share[n] += value[i][n] * at->potential[i];
            for (int m = 0; m < MODES; ++m) normal[n][m] += value[i][n] * value[i][m];
        }
    solve(normal, share);
    for (int i = 0; i < POINTS; ++i) {
        vx[i] = vz[i] = 0;
        for (int n = 0; n < MODES; ++n) vx[i] += along[i][n] * share[n], vz[i] += across[i][n] * share[n];
    }
}

static surface derivative(const exact_sway *tank, const surface *at, double time)
{
    const double omega = 2 * pi / tank->period;
    const double acceleration = -tank->amplitude * omega * omega * cos(omega * time);
    double vx[POINTS], vz[POINTS], series[MODES];
    surface rate;
    find_velocities(tank, at, vx, vz);
    find_series(at->height, series);
    for (int i = 0; i < POINTS; ++i) {
        const double x = place_of(tank, i);
        double slope = 0;
        for (int n = 0; n < MODES; ++n) slope -= series[n] * wave_number(tank, n) * sin(wave_number(tank, n) * x);
        rate.height[i] = vz[i] - vx[i] * slope;
        rate.potential[i] = -tank->gravity * at->height[i] - (vx[i] * vx[i] + vz[i] * vz[i]) / 2 +
                            vz[i] * rate.height[i] - (x - tank->length / 2) * acceleration;
    }
    return rate;
}

static void damp_last_modes(double values[POINTS])
{
    double series[MODES];
    find_series(values, series);
    for (int i = 0; i < POINTS; ++i) {
        values[i] = 0;
        for (int n = 0; n < MODES; ++n)
            values[i] += series[n] * exp(-pow(n / (0.8 * MODES), 8)) * cos(n * pi * (i + 0.5) / POINTS);
    }
}

static void step(const exact_sway *tank, surface *at, double time, double dt)
{
    static const double shift[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    const surface start = *at;
    surface slope = {{0}, {0}};
    for (int stage = 0; stage < 4; ++stage) {
        surface middle = start;
        for (int i = 0; i < POINTS; ++i) {
            middle.height[i] += shift[stage] * dt * slope.height[i];
            middle.potential[i] += shift[stage] * dt * slope.potential[i];
        }
        slope = derivative(tank, &middle, time + shift[stage] * dt);
        for (int i = 0; i < POINTS; ++i) {
            at->height[i] += weight[stage] / 6 * dt * slope.height[i];
            at->potential[i] += weight[stage] / 6 * dt * slope.potential[i];
        }
    }
    damp_last_modes(at->height);
    damp_last_modes(at->potential);
}

void exact_sway_elevation(const exact_sway *tank, double x, double interval, size_t count, double *elevation)
{
    const int steps = (int)ceil(interval / longest_step);
    surface at = {{0}, {0}};
    for (size_t k = 0; k < count; ++k) {
        for (int s = 0; s < steps; ++s)
            step(tank, &at, interval * ((double)k + (double)s / steps), interval / steps);
        double series[MODES];
        find_series(at.height, series);
        elevation[k] = 0;
        for (int n = 0; n < MODES; ++n) elevation[k] += series[n] * cos(wave_number(tank, n) * x);
    }
}
