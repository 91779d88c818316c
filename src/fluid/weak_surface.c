// SPDX-License-Identifier: MIT
// Where a free surface is, and how particles are spread evenly.
//
// The matrix M = Σ V ∇W⊗(xj − xi) is the unit matrix among evenly spread neighbours on all sides. Its smallest
// eigenvalue λ is about 0.5 on a flat free surface and near 0 in spray (Marrone et al. 2010). Particles with λ above
// 0.75 are inside.
//
// Shifting moves particles towards sparser places (Sun et al. 2017):
//
//     u = −U H Σ V (1 + 0.2 (W/W(d))⁴) ∇W,   |u| ≤ U/2
//
// with the fluid's greatest speed U, the support H and the spacing d. Near a free surface particles only shift along
// it: the part of u along the normal, −Σ V ∇W normalised, is left out. On the surface itself and in spray they stay.
//
// Without a free surface a background pressure p = ρ0 c² spreads them (Adami et al. 2013, eq. 13): within a step of
// length dt it moves particles by u dt, with u = −dt c² Σ V ∇W. It is part of the motion, but not of the velocity.

#include <math.h>

#include "fluid/internal.h"

static const float inside = 0.75f, outside = 0.4f;  // λ

// The smallest root of λ³ − t λ² + m λ − d, the eigenvalues of a symmetric matrix: Newton's steps from below all
// eigenvalues rise to the smallest one.
static double smallest_root(double t, double m, double d, double below)
{
    double root = below;
    for (int k = 0; k < 40; ++k) {
        const double value = ((root - t) * root + m) * root - d, slope = (3 * root - 2 * t) * root + m;
        if (!(slope > 0)) break;
        const double next = root - value / slope;
        if (!(next > root)) break;
        root = next;
    }
    return root;
}

float mote_weak_surface(const weak_rates *sums, int dimensions)
{
    const double xx = (double)sums->spread[0], yy = (double)sums->spread[1], zz = (double)sums->spread[2];
    const double yz = (double)sums->spread[3], xz = (double)sums->spread[4], xy = (double)sums->spread[5];
    if (dimensions == 2) {
        const double half = (xx + zz) / 2, apart = (xx - zz) / 2;
        return (float)(half - sqrt(apart * apart + xz * xz));
    }
    const double minors = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz);
    const double determinant =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    const double spread = fabs(xy) + fabs(xz) + fabs(yz);
    const double below = MOTE_MIN(xx, MOTE_MIN(yy, zz)) - spread;  // Gershgorin
    return (float)smallest_root(xx + yy + zz, minors, determinant, below);
}

static void shift_along_surfaces(const mote_fluid *fluid, const weak_rates *sums, float surface, float shift[3])
{
    if (surface < outside) return;
    const float speed = sqrtf(fluid->limits.max_speed_squared);
    const float factor = -speed * (float)fluid->def.support;
    for (int k = 0; k < 3; ++k) shift[k] = factor * sums->crowding[k];
    if (surface < inside) {
        const float *n = sums->lean;
        const float squared = (n[0] * n[0] + n[1] * n[1]) + n[2] * n[2];
        const float along = (n[0] * shift[0] + n[1] * shift[1]) + n[2] * shift[2];
        for (int k = 0; k < 3 && squared > 0; ++k) shift[k] -= along / squared * n[k];
    }
    const float length = sqrtf((shift[0] * shift[0] + shift[1] * shift[1]) + shift[2] * shift[2]);
    const float most = 0.5f * speed;
    for (int k = 0; k < 3 && length > most; ++k) shift[k] *= most / length;
}

void mote_weak_shift(const mote_fluid *fluid, const weak_rates *sums, float surface, float shift[3])
{
    shift[0] = shift[1] = shift[2] = 0;
    if (fluid->def.shifting == MOTE_SHIFTING_FREE_SURFACE) shift_along_surfaces(fluid, sums, surface, shift);
    if (fluid->def.shifting != MOTE_SHIFTING_TRANSPORT) return;
    const double c = fluid->def.sound_speed;
    const float factor = (float)(-fluid->previous_dt * c * c);
    for (int k = 0; k < 3; ++k) shift[k] = factor * sums->lean[k];
}
