// SPDX-License-Identifier: MIT
// neighbors/points.h: the search's own copy of its points, by index, in the form that the distance test reads.
#ifndef MOTE_NEIGHBORS_POINTS_H
#define MOTE_NEIGHBORS_POINTS_H

#include "base/internal.h"

// Positions and radii in the points' own precision; the arrays of the other precision are NULL. Axes beyond the
// set's dimensions hold 0.
typedef struct point_store {
    mote_buffer memory;
    mote_scalar scalar;
    int dimensions;
    uint32_t count;
    const float *f32[3];
    const double *f64[3];
    const float *radii_f32;  // NULL without radii
    const double *radii_f64;
    mote_box bounds;
    double max_radius;  // 0 without radii
} point_store;

// The radii of points: `stride` bytes from one to the next. `first` NULL: no radii.
typedef struct point_radii {
    const void *first;
    ptrdiff_t stride;
    bool is_enlarged;  // legal radii to which a skin was added: the squares of their sums are finite, too
} point_radii;

// Copies points whose struct was checked. Rejects coordinates that are not finite, and radii that are not legal
// unless they are enlarged ones.
mote_result mote_point_store_fill(const mote_context *context, point_store *store, const mote_points *points,
                                  point_radii radii, mote_error *error);
void mote_point_store_release(const mote_context *context, point_store *store);

static inline void mote_point_store_get(const point_store *store, uint32_t i, double at[3])
{
    for (int k = 0; k < 3; ++k) at[k] = store->f64[0] ? store->f64[k][i] : (double)store->f32[k][i];
}

static inline double mote_point_store_radius(const point_store *store, uint32_t i)
{
    return store->radii_f64 ? store->radii_f64[i] : (double)store->radii_f32[i];
}

// Returns the stored points, and their radii, as a call of the library takes them.
mote_points mote_point_store_view(const point_store *store);
point_radii mote_point_store_radii(const point_store *store);

// Returns the quantile `share` (0 … 1) of the radii, from a sample that is evenly distributed over the points. There
// must be radii and at least one point.
double mote_point_store_radius_quantile(const point_store *store, double share);

static inline double mote_radii_get(point_radii radii, size_t i, mote_scalar scalar)
{
    const void *at = (const char *)radii.first + (ptrdiff_t)i * radii.stride;
    return scalar == MOTE_F32 ? (double)mote_load_f32(at) : mote_load_f64(at);
}

// Tells whether radius² is normal and finite, with room below: a difference whose square decides is then far from
// underflow, so hosts that flush subnormal numbers to zero find the same neighbours. Sums of two radii have room above.
static inline bool mote_radius_is_legal(double radius, mote_scalar scalar, bool per_point)
{
    double share = per_point ? 0.5 : 1;
    if (scalar == MOTE_F64) return radius >= 0x1p-480 && radius <= 0x1p511 * share;
    return radius >= 0x1p-50 && radius <= 0x1p63 * share;
}

// The error's text begins with `what`.
mote_result mote_radii_check(point_radii radii, size_t count, mote_scalar scalar, const char *what, mote_error *error);

#endif
