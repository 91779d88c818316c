// SPDX-License-Identifier: MIT
// Normals of triangles and the angles at their corners, many at a time.

#include "base/wide.h"
#include "surface/field.h"

// The arc cosine to 2e-8: Abramowitz & Stegun 1964, 4.4.46.
MOTE_INLINE wide_f64 arc_cosine(wide_f64 x)
{
    const wide_f64 a = wide_min(wide_abs(x), wide_all_f64(1));
    wide_f64 sum = wide_all_f64(-0.0012624911);
    sum = sum * a + 0.0066700901;
    sum = sum * a - 0.0170881256;
    sum = sum * a + 0.0308918810;
    sum = sum * a - 0.0501743046;
    sum = sum * a + 0.0889789874;
    sum = sum * a - 0.2145988016;
    sum = sum * a + 1.5707963050;
    const wide_f64 angle = wide_sqrt(1.0 - a) * sum;
    return wide_select(wide_less(x, wide_all_f64(0)), 3.14159265358979323846 - angle, angle);
}

MOTE_INLINE wide_f64 dot(const wide_f64 a[3], const wide_f64 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A divisor, or 1 for 0: triangles without area and unused places raise no exception of floating point.
MOTE_INLINE wide_f64 divisor(wide_f64 x)
{
    return wide_select(wide_equal(x, wide_all_f64(0)), wide_all_f64(1), x);
}

void WIDE_NAME(mote_surface_weigh_corners)(surface_corners *corners)
{
    for (size_t t = 0; t < CORNERS_AT_ONCE; t += WIDE_F64) {
        wide_f64 edge[3][3], length[3], cross[3];
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a)
                edge[k][a] = wide_load((const double *)corners->at[(k + 1) % 3][a] + t) -
                             wide_load((const double *)corners->at[k][a] + t);
        for (int k = 0; k < 3; ++k) length[k] = wide_sqrt(dot(edge[k], edge[k]));
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            cross[a] = edge[0][b] * edge[1][c] - edge[0][c] * edge[1][b];
            wide_store(corners->cross[a] + t, cross[a]);
        }
        const wide_f64 twice = wide_sqrt(dot(cross, cross));
        wide_store(corners->twice + t, twice);
        for (int k = 0; k < 3; ++k) {
            const int before = (k + 2) % 3;
            const wide_f64 cosine = -dot(edge[k], edge[before]) / divisor(length[k] * length[before]);
            wide_store(corners->weights[k] + t, arc_cosine(cosine) / divisor(twice));
        }
    }
}
