// SPDX-License-Identifier: MIT
// fluid/kernel_lanes.h: kernels in the lanes of a sum: their shapes W/W(0), and −W'/r less its factors, by s = 1 − r/H,
// which is not below 0. kernels.c has the same in double; test_kernels compares.
//
// No kernel divides by 0, and the powers of a Wendland kernel need no division at all.
#ifndef MOTE_FLUID_KERNEL_LANES_H
#define MOTE_FLUID_KERNEL_LANES_H

#include "base/wide.h"
#include "fluid/kernels.h"

// Σ of the truncated powers of a quintic spline, (1 − q)^n − 6 (2/3 − q)^n + 15 (1/3 − q)^n, n = 4 and 5.
MOTE_INLINE void quintic_lanes(wide_f32 s, wide_f32 *four, wide_f32 *five)
{
    const wide_f32 t = wide_max(s - 1 / 3.0f, wide_all(0)), u = wide_max(s - 2 / 3.0f, wide_all(0));
    const wide_f32 s2 = s * s, t2 = t * t, u2 = u * u;
    const wide_f32 s4 = s2 * s2, t4 = t2 * t2, u4 = u2 * u2;
    *four = s4 - 6.0f * t4 + 15.0f * u4;
    *five = s4 * s - 6.0f * (t4 * t) + 15.0f * (u4 * u);
}

MOTE_INLINE wide_f32 kernel_shape(mote_kernel_id kernel, wide_f32 s)
{
    const wide_f32 s2 = s * s;
    switch (kernel) {
    case KERNEL_POLY6: {
        const wide_f32 q = s * (2.0f - s);
        return q * q * q;
    }
    case KERNEL_SPIKY: return s2 * s;
    case KERNEL_CUBIC: {
        const wide_f32 half = wide_max(s - 0.5f, wide_all(0));
        return 2.0f * (s2 * s) - 8.0f * (half * half * half);
    }
    case KERNEL_QUINTIC: {
        wide_f32 four, five;
        quintic_lanes(s, &four, &five);
        return 81 / 22.0f * five;  // 1 at r = 0
    }
    case KERNEL_WENDLAND_C4: {
        const wide_f32 q = 1.0f - s;
        return s2 * s2 * s2 * (1.0f + q * (6.0f + 35 / 3.0f * q));
    }
    default: return s2 * s2 * (5.0f - 4.0f * s);  // Wendland's C2: s⁴ (1 + 4 r/H)
    }
}

// By q = r/H, too, which may be greater than 1.
MOTE_INLINE wide_f32 kernel_lean(mote_kernel_id kernel, wide_f32 s, wide_f32 q)
{
    const wide_f32 s2 = s * s;
    switch (kernel) {
    case KERNEL_POLY6: {
        const wide_f32 inner = s * (2.0f - s);
        return inner * inner;
    }
    case KERNEL_SPIKY: return s2 / wide_max(q, wide_all(KERNEL_LEAST_DISTANCE));
    case KERNEL_CUBIC:
        return wide_select(wide_less(wide_all(0.5f), s), 18.0f * s - 6.0f, 6.0f * s2 / wide_max(q, wide_all(0.5f)));
    case KERNEL_QUINTIC: {
        wide_f32 four, five;
        quintic_lanes(s, &four, &five);
        const wide_f32 third = wide_all(1 / 3.0f);
        return wide_select(wide_less(q, third), 8 / 9.0f - q * q * (8.0f - 10.0f * q), four / wide_max(q, third));
    }
    case KERNEL_WENDLAND_C4: return s2 * s2 * s * (1.0f + 5.0f * q);
    default: return s * s * s;
    }
}

#endif
