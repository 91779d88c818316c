// SPDX-License-Identifier: MIT
// The innermost loops of winding numbers: for eight children of a node that are far from a point, or for eight
// triangles near it.
//
// A triangle's share is the integral over it of n·g, g(z) = z/(4π|z|³), where z is relative to the point. About a
// centroid at the distance d, g's term of order k is at most (k + 1)·ρᵏ/(4πd²) at points within ρ·d of the centroid,
// because a derivative of order k + 1 of the harmonic 1/|z| is at most (k + 1)!/|z|^(k + 2) in any directions. The
// terms from the third order on add up to ρ³·(4 − 3ρ)/(1 − ρ)², which grows with ρ.
//
// Compilers turn these loops into vectors themselves. They are split where a single loop, with all that depends on its
// decisions, would not be vectorised.

#include "base/wide.h"
#include "hits/closest.h"

// Floats suffice for distances between these, in the node's units. These are the squares.
#define LEAST2 0x1p-20f
#define MOST2 0x1p40f

uint32_t WIDE_NAME(mote_hits_winding_add_far)(const hits_far_children *far, const float at[3],
                                              hits_winding_reach reach, hits_winding_sum *sum)
{
    static const float weights[HITS_FAN] = {1, 2, 4, 8, 16, 32, 64, 128};
    float value[HITS_FAN], error[HITS_FAN], gaps[HITS_FAN], beyond[HITS_FAN], square[HITS_FAN], is_far[HITS_FAN];
    for (int i = 0; i < HITS_FAN; ++i) {
        float x = far->at[0][i] - at[0], y = far->at[1][i] - at[1], z = far->at[2][i] - at[2];
        const float d2 = (x * x + y * y) + z * z, d = sqrtf(d2), per = 1 / d, radius = far->radius[i];
        x *= per;
        y *= per;
        z *= per;
        // The rounding error of the point's position, and so of d, is less than that.
        const float gap = (d - radius) - 0x1p-20f * (1 + d);
        const float rest = far->rest[i] * (4 - 3 * (radius * per)) * (per * per) * (per / (gap * gap));
        const float off = rest + far->rounding[i] * ((per * per) * (1 + per));
        const float xx = x * x, yy = y * y, zz = z * z;
        const float zeroth = (far->zeroth[0][i] * x + far->zeroth[1][i] * y) + far->zeroth[2][i] * z;
        const float first = (far->first[0][i] * (xx - zz) + far->first[1][i] * (yy - zz)) +
                            (far->first[2][i] * (x * y) + far->first[3][i] * (y * z) + far->first[4][i] * (z * x));
        const float second = (far->second[0][i] * (3 * yy - xx) + far->second[1][i] * (3 * zz - xx)) * x +
                             (far->second[2][i] * (3 * xx - yy) + far->second[3][i] * (3 * zz - yy)) * y +
                             (far->second[4][i] * (3 * xx - zz) + far->second[5][i] * (3 * yy - zz)) * z +
                             far->second[6][i] * (x * y * z);
        value[i] = ((second * per + first) * per + zeroth) * (per * per);
        error[i] = off;
        gaps[i] = gap;
        beyond[i] = d - reach.radii * radius;
        square[i] = d2;
    }
    for (int i = 0; i < HITS_FAN; ++i) {
        float serves = error[i] <= reach.share ? weights[i] : 0;
        serves = beyond[i] > 0 ? weights[i] : serves;
        serves = gaps[i] > 0 ? serves : 0;
        serves = square[i] > LEAST2 ? serves : 0;
        is_far[i] = square[i] < MOST2 ? serves : 0;
    }
    for (int i = 0; i < HITS_FAN; ++i) {
        value[i] = is_far[i] > 0 ? value[i] : 0;
        error[i] = is_far[i] > 0 ? error[i] : 0;
    }
    for (int i = 0; i < HITS_FAN; ++i) sum->far[i] += (double)value[i];
    for (int i = 0; i < HITS_FAN; ++i) sum->error[i] += (double)error[i];
    return 255 - (uint32_t)(((is_far[0] + is_far[1]) + (is_far[2] + is_far[3])) +
                            ((is_far[4] + is_far[5]) + (is_far[6] + is_far[7])));
}

// The same as mote_winding_add, for a product in each lane.
void WIDE_NAME(mote_hits_winding_add_near)(const hits_corners *corners, hits_winding_sum *sum)
{
    double length[HITS_LANES], re[HITS_LANES], im[HITS_LANES], up[HITS_LANES], down[HITS_LANES];
    for (int i = 0; i < HITS_LANES; ++i) {
        const double ax = corners->at[0][i], ay = corners->at[1][i], az = corners->at[2][i];
        const double bx = corners->at[3][i], by = corners->at[4][i], bz = corners->at[5][i];
        const double cx = corners->at[6][i], cy = corners->at[7][i], cz = corners->at[8][i];
        const double a = sqrt((ax * ax + ay * ay) + az * az), b = sqrt((bx * bx + by * by) + bz * bz),
                     c = sqrt((cx * cx + cy * cy) + cz * cz);
        const double ab = (ax * bx + ay * by) + az * bz, bc = (bx * cx + by * cy) + bz * cz,
                     ca = (cx * ax + cy * ay) + cz * az;
        const double wide = a * b * c + ab * c + bc * a + ca * b;
        const double tall = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
        length[i] = sqrt(wide * wide + tall * tall);
        const double per = 1 / length[i];
        re[i] = wide * per;
        im[i] = tall * per;
    }
    for (int i = 0; i < HITS_LANES; ++i) {
        re[i] = length[i] > 0 ? re[i] : 1;
        im[i] = length[i] > 0 ? im[i] : 0;
    }
    for (int i = 0; i < HITS_LANES; ++i) {
        const double old_im = sum->im[i];
        const double next_re = sum->re[i] * re[i] - old_im * im[i], next_im = sum->re[i] * im[i] + old_im * re[i];
        const double scale = 1.5 - 0.5 * (next_re * next_re + next_im * next_im);
        up[i] = ((old_im >= 0) & (im[i] >= 0) & (next_im < 0)) ? 1 : 0;
        down[i] = ((old_im < 0) & (im[i] < 0) & (next_im >= 0)) ? 1 : 0;
        sum->re[i] = next_re * scale;
        sum->im[i] = next_im * scale;
    }
    for (int i = 0; i < HITS_LANES; ++i) sum->turns[i] += up[i] - down[i];
}
