// SPDX-License-Identifier: MIT
// neighbors/periodic.h: periodic boxes: the images of points, and which of them can be near.
#ifndef MOTE_NEIGHBORS_PERIODIC_H
#define MOTE_NEIGHBORS_PERIODIC_H

#include <math.h>

#include "base/internal.h"
#include "mote/neighbors.h"

enum { EDGE_PARTS = 3 };

// Orthorhombic or triclinic; each axis is periodic or open. Open axes are completed by unit vectors at right angles.
typedef struct periodic_box {
    bool periodic[3];
    bool is_shifted[3];             // the coordinates that any period changes
    double origin[3];               // 0 in coordinates that no period changes, so that they do not overflow
    double edge[3][3];              // edge vectors; 0 for open axes
    double part[EDGE_PARTS][3][3];  // their sum is `edge`; products with 32-bit numbers are exact
    double inverse[3][3];           // fraction[a] = Σ inverse[a][k] (x[k] − origin[k])
    double height[3];               // distance of the two faces that an axis connects
    double roundoff;                // bound of the relative error of fractions; it grows with the flatness of the box
} periodic_box;

// Whole numbers of periods along each axis.
typedef struct image {
    int32_t shift[3];
} image;

// An inclusive range of images; it is empty if a low end exceeds the high one.
typedef struct image_range {
    int32_t low[3], high[3];
} image_range;

// @return MOTE_OK, or MOTE_ERROR_ARGUMENT: edges that are not finite or span no volume
mote_result mote_periodic_box_make(const mote_vec3 period[3], mote_vec3 origin, periodic_box *box, mote_error *error);

// Checks that the box suits points of this dimension and these bounds: its periods must not leave their space, and
// shifts must fit 32 bits with some room to spare.
mote_result mote_periodic_box_check(const periodic_box *box, int dimensions, const mote_box *bounds, const char *what,
                                    mote_error *error);

// Checks that a reach spans so few periods that shifts fit 32 bits.
mote_result mote_periodic_reach_check(const periodic_box *box, double reach, mote_error *error);

// Computes the fractions of the edges in a finite vector (a difference, so the origin is not used).
static inline void mote_periodic_fractions(const periodic_box *box, const double d[3], double fraction[3])
{
    for (int a = 0; a < 3; ++a)
        fraction[a] = (box->inverse[a][0] * d[0] + box->inverse[a][1] * d[1]) + box->inverse[a][2] * d[2];
}

// The same for the difference of two finite positions, which may overflow: a coordinate that has no component in an
// edge adds nothing to the sum.
static inline void mote_periodic_fractions_of_any(const periodic_box *box, const double d[3], double fraction[3])
{
    for (int a = 0; a < 3; ++a) {
        fraction[a] = 0;
        for (int k = 0; k < 3; ++k) fraction[a] += box->inverse[a][k] != 0 ? box->inverse[a][k] * d[k] : 0;
    }
}

// Returns a coordinate of an image's shift vector: the whole sum of periods, rounded once to `scalar`. It is
// monotone in every number of periods, in the direction of the edge's coordinate, and exactly opposite for opposite
// images.
double mote_periodic_shift(const periodic_box *box, const int32_t shift[3], int k, mote_scalar scalar);

// Computes the shift vector of an image.
static inline void mote_periodic_vector(const periodic_box *box, const int32_t shift[3], mote_scalar scalar,
                                        double vector[3])
{
    const bool is_zero = (shift[0] | shift[1] | shift[2]) == 0;  // true for most
    for (int k = 0; k < 3; ++k) vector[k] = is_zero ? 0 : mote_periodic_shift(box, shift, k, scalar);
}

// A cache of shift vectors: the images around a group of points are few, and each is needed often. A
// zero-initialised cache holds the vector of the zero image. It is valid for one box and one scalar.
enum { SHIFT_CACHE = 64 };
typedef struct shift_cache {
    image shifts[SHIFT_CACHE];
    double vectors[SHIFT_CACHE][3];
} shift_cache;

static inline const double *mote_shift_cache_get(shift_cache *cache, const periodic_box *box, const int32_t shift[3],
                                                 mote_scalar scalar)
{
    const uint32_t place = ((uint32_t)shift[0] + 5 * (uint32_t)shift[1] + 25 * (uint32_t)shift[2]) % SHIFT_CACHE;
    int32_t *const kept = cache->shifts[place].shift;
    if (kept[0] != shift[0] || kept[1] != shift[1] || kept[2] != shift[2]) {
        for (int a = 0; a < 3; ++a) kept[a] = shift[a];
        mote_periodic_vector(box, shift, scalar, cache->vectors[place]);
    }
    return cache->vectors[place];
}

// The same in double, but rounded more than once: only for deciding where to search, not for the distance test.
static inline void mote_periodic_offset(const periodic_box *box, const int32_t shift[3], double offset[3])
{
    for (int k = 0; k < 3; ++k)
        offset[k] = ((double)shift[0] * box->edge[0][k] + (double)shift[1] * box->edge[1][k]) +
                    (double)shift[2] * box->edge[2][k];
}

// Returns the periods to add to a point to bring it into the box (or, by rounding, next to it), and computes the
// fractions of the unmoved point. The point has passed mote_periodic_box_check.
static inline image mote_periodic_locate(const periodic_box *box, const double at[3], double fraction[3])
{
    double from_origin[3];
    image wrap = {{0, 0, 0}};
    for (int k = 0; k < 3; ++k) from_origin[k] = at[k] - box->origin[k];
    mote_periodic_fractions(box, from_origin, fraction);
    for (int a = 0; a < 3; ++a) {
        const bool is_inside = fraction[a] >= 0 && fraction[a] < 1;  // true for most, which skip the rounding
        if (box->periodic[a] && !is_inside) wrap.shift[a] = -(int32_t)floor(fraction[a]);
    }
    return wrap;
}

// Returns only the periods.
static inline image mote_periodic_wrap(const periodic_box *box, const double at[3])
{
    double fraction[3];
    return mote_periodic_locate(box, at, fraction);
}

static inline bool mote_image_is_zero(const image *at)
{
    return (at->shift[0] | at->shift[1] | at->shift[2]) == 0;
}

// Tells whether any axis is periodic.
static inline bool mote_box_is_periodic(const periodic_box *box)
{
    return box->periodic[0] || box->periodic[1] || box->periodic[2];
}

// The largest number of periods in a shift, so that a loop over all of them ends.
enum { MOST_PERIODS = INT32_MAX - 1 };

// Sets an axis to the whole numbers from `low` to `high`, within the limits of shifts; the range is empty if there
// are none.
static inline void mote_image_range_set(image_range *range, int axis, double low, double high)
{
    const double most = MOST_PERIODS;
    low = ceil(low), high = floor(high);
    range->low[axis] = low > -most ? (int32_t)MOTE_MIN(low, most) : -MOST_PERIODS;
    range->high[axis] = high < most ? (int32_t)MOTE_MAX(high, -most) : MOST_PERIODS;
    if (low > most || high < -most) range->low[axis] = 1, range->high[axis] = 0;
}

// Returns the number of images; it is a double because there may be 2^96.
double mote_image_count(const image_range *range);

// ------------------------------------------------------------------------------------------------ images of a pair

// A walk through the images of point j, seen from point i, that the distance test may find within a limit, in the
// order of their shifts: a superset for any rounding. Cost: about the number of visited images if these fill a ball,
// or if rounding, far away along an open axis, gives a large region equal distances.
typedef struct image_walk image_walk;
typedef bool image_visitor(image_walk *walk, const int32_t shift[3], const double vector[3]);
struct image_walk {
    const periodic_box *box;
    mote_scalar scalar;
    double xi[3], xj[3];
    double limit;            // limit of squared distances, for the test; the visitor may lower it
    image_visitor *visitor;  // returns whether to go on
    void *data;
};
void mote_images_walk(image_walk *walk);

#endif
