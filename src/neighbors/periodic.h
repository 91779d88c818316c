// neighbors/periodic.h: periodic boxes: images of points and which of them can be near.
#ifndef MOTE_NEIGHBORS_PERIODIC_H
#define MOTE_NEIGHBORS_PERIODIC_H

#include <math.h>

#include "base/internal.h"
#include "mote/neighbors.h"

// Orthorhombic or triclinic, each axis periodic or open. Open axes are completed by unit vectors at right angles.
typedef struct periodic_box {
    bool periodic[3];
    double origin[3];
    double edge[3][3];     // edge vectors
    double inverse[3][3];  // fraction[a] = Σ inverse[a][k] (x[k] − origin[k])
    double height[3];      // distance of the two faces that an axis leads from and to
    double roundoff;       // bound of the relative error of fractions: the flatter the box, the larger
} periodic_box;

// Whole periods along each axis.
typedef struct image {
    int32_t shift[3];
} image;

// An inclusive range of images.
typedef struct image_range {
    int32_t low[3], high[3];
} image_range;

// @return MOTE_OK, or MOTE_ERROR_ARGUMENT: edges that are not finite or span no volume
mote_result mote_periodic_box_make(const mote_vec3 period[3], mote_vec3 origin, periodic_box *box, mote_error *error);

// Whether the box suits points of so many dimensions and so far away: its periods must not leave their space, and
// shifts must fit 32 bits with room to spare.
mote_result mote_periodic_box_check(const periodic_box *box, int dimensions, const mote_box *bounds,
                                    const char *what, mote_error *error);

// Whether a reach spans so few periods that shifts fit 32 bits.
mote_result mote_periodic_reach_check(const periodic_box *box, double reach, mote_error *error);

// Length of the longest periodic edge; 0 without one.
double mote_longest_edge(const periodic_box *box);

// Fractions of the edges in a vector (a difference: the origin plays no part).
static inline void mote_periodic_fractions(const periodic_box *box, const double d[3], double fraction[3])
{
    for (int a = 0; a < 3; ++a)
        fraction[a] = (box->inverse[a][0] * d[0] + box->inverse[a][1] * d[1]) + box->inverse[a][2] * d[2];
}

// The shift vector of an image, rounded once to `scalar`: exactly opposite for opposite images.
static inline void mote_periodic_vector(const periodic_box *box, const int32_t shift[3], mote_scalar scalar,
                                        double vector[3])
{
    for (int k = 0; k < 3; ++k) {
        double sum = ((double)shift[0] * box->edge[0][k] + (double)shift[1] * box->edge[1][k]) +
                     (double)shift[2] * box->edge[2][k];
        vector[k] = scalar == MOTE_F32 ? mote_as_f32(sum) : sum;
    }
}

// The periods to add to a point to bring it into the box (or next to it, by rounding), and the point's fractions as it
// stands.
static inline image mote_periodic_locate(const periodic_box *box, const double at[3], double fraction[3])
{
    double from_origin[3];
    image wrap = {{0, 0, 0}};
    for (int k = 0; k < 3; ++k) from_origin[k] = at[k] - box->origin[k];
    mote_periodic_fractions(box, from_origin, fraction);
    for (int a = 0; a < 3; ++a) {
        const bool is_inside = fraction[a] >= 0 && fraction[a] < 1;  // as most are: they are spared the rounding
        if (box->periodic[a] && !is_inside) wrap.shift[a] = -(int32_t)floor(fraction[a]);
    }
    return wrap;
}

// The periods alone.
static inline image mote_periodic_wrap(const periodic_box *box, const double at[3])
{
    double fraction[3];
    return mote_periodic_locate(box, at, fraction);
}

static inline bool mote_image_is_zero(const image *at)
{
    return (at->shift[0] | at->shift[1] | at->shift[2]) == 0;
}

// How long the part of a difference is that no image changes: at right angles to all periodic edges.
double mote_periodic_open_distance(const periodic_box *box, const double d[3]);

// All images of the difference d = xj − xi that can lie within `reach` of 0: a superset whatever the rounding of the
// distance test in `scalar`.
image_range mote_periodic_near(const periodic_box *box, const double d[3], double reach, mote_scalar scalar);

#endif
