// SPDX-License-Identifier: MIT
// The images of a pair of points that can be near each other.
//
// The difference d of the two points, moved by whole periods, must be no longer than `limit`. No period changes the
// part of d along open axes: the rest of the limit bounds the other part, and so the periods along every axis, by
// the heights of the box (periodic.c). These bounds include the rounding errors of the distance test, coordinate by
// coordinate, because a coordinate that no period changes, however large, adds no error to the others.
//
// Usually one or two images remain, and all of them are visited. If many remain, because the limit spans many
// periods or because the test, far away along an open axis, rounds whole periods away, a range of images is halved
// until all of it is on one side of the limit. Its bounds are computed with the test's own arithmetic, which is
// monotone, so they are exact.

#include <math.h>

#include "neighbors/collect.h"

enum { FEW_IMAGES = 256 };                    // with more, first checks that any is within the limit
static const double MANY_IMAGES = 0x1p20;     // from this number on, a region within the limit is searched for first

double mote_image_count(const image_range *range)
{
    double count = 1;
    for (int a = 0; a < 3; ++a) {
        const double size = (double)range->high[a] - (double)range->low[a] + 1;
        count *= MOTE_MAX(size, 0.0);
    }
    return count;
}

// --------------------------------------------------------------------------------------------------------- bounds

// Returns the length of the part of a difference that no image changes: the part at right angles to all periodic edges.
static double open_distance(const periodic_box *box, const double fraction[3])
{
    double largest = 0, sum = 0;
    for (int a = 0; a < 3; ++a)
        if (!box->periodic[a]) largest = fmax(largest, fabs(fraction[a]));
    if (!(largest > 0 && largest < (double)INFINITY)) return largest;
    for (int a = 0; a < 3; ++a) {
        const double share = box->periodic[a] ? 0 : fraction[a] / largest;
        sum += share * share;
    }
    return largest * sqrt(sum);
}

// Returns all images of the pair whose squared distance, as computed by the test, can be within the limit.
static image_range find_range(const image_walk *walk)
{
    const periodic_box *box = walk->box;
    const bool is_f32 = walk->scalar == MOTE_F32;
    const double unit = is_f32 ? 0x1p-24 : 0x1p-53;  // unit of rounding
    // Squares that underflow sum to less than the last term.
    const double reach = sqrt(walk->limit) * (1 + 8 * unit) + (is_f32 ? 0x1p-70 : 0x1p-530);
    double d[3], fraction[3], margin = 0, size = 0;
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        d[k] = walk->xj[k] - walk->xi[k];
        if (!box->is_shifted[k]) continue;
        margin += 4 * unit * (fabs(d[k]) + reach);  // of difference, shift (about as long) and sum
        size += fabs(d[k]);
    }
    mote_periodic_fractions_of_any(box, d, fraction);
    const double error = (0x1p-50 + box->roundoff) * size, open = open_distance(box, fraction) * (1 - 0x1p-48) - error;
    margin += error;
    const double whole = reach + margin;
    if (open > whole) range.low[0] = 1;
    const double rest = open > 0 && open <= whole ? sqrt(whole - open) * sqrt(whole + open) + 0x1p-40 * whole : whole;
    for (int a = 0; a < 3; ++a) {
        if (!box->periodic[a] || range.low[0] > range.high[0]) continue;
        const double span = (rest + margin) / box->height[a] + 1e-9;
        mote_image_range_set(&range, a, -fraction[a] - span, -fraction[a] + span);
    }
    return range;
}

// Returns the square of the smallest (or greatest) length of the differences of the images in a range, as computed
// by the test. If the difference of the two positions overflows, the differences of all images are infinite, or NaN
// if shifts overflow in the opposite direction: then the result is NaN too, and within no limit.
static double bound_range(const image_walk *walk, const image_range *range, bool is_greatest)
{
    static const double zero[3] = {0, 0, 0};
    double gap[3], same[3];
    for (int k = 0; k < 3; ++k) {
        int32_t low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            const bool falls = walk->box->edge[a][k] < 0;
            low[a] = falls ? range->high[a] : range->low[a];
            high[a] = falls ? range->low[a] : range->high[a];
        }
        const double from[3] = {walk->xi[k], walk->xi[k], 0}, to[3] = {walk->xj[k], walk->xj[k], 0};
        const double shift[3] = {mote_periodic_shift(walk->box, low, k, walk->scalar),
                                 mote_periodic_shift(walk->box, high, k, walk->scalar), 0};
        double d[3];
        mote_difference(walk->scalar, from, to, shift, d);
        gap[k] = is_greatest ? fmax(fabs(d[0]), fabs(d[1])) : d[0] > 0 ? d[0] : d[1] < 0 ? -d[1] : 0;
        const bool is_none[2] = {d[0] != d[0], d[1] != d[1]};  // ∞ − ∞
        if (is_none[0] || is_none[1])
            gap[k] = is_greatest || (is_none[0] && is_none[1]) ? (double)NAN : (double)INFINITY;
    }
    return mote_difference(walk->scalar, zero, gap, NULL, same);
}

// ----------------------------------------------------------------------------------------------------------- walks

static bool visit_image(image_walk *walk, const int32_t shift[3])
{
    double vector[3];
    mote_periodic_vector(walk->box, shift, walk->scalar, vector);
    return walk->visitor(walk, shift, vector);
}

static bool visit_all(image_walk *walk, const image_range *range)
{
    int32_t k[3];
    for (k[0] = range->low[0]; k[0] <= range->high[0]; ++k[0])
        for (k[1] = range->low[1]; k[1] <= range->high[1]; ++k[1])
            for (k[2] = range->low[2]; k[2] <= range->high[2]; ++k[2])
                if (!visit_image(walk, k)) return false;
    return true;
}

// Computes the lower and the upper half of a range along an axis.
static void halve(const image_range *range, int axis, image_range half[2])
{
    const int32_t middle = (int32_t)(((int64_t)range->low[axis] + range->high[axis]) >> 1);
    half[0] = half[1] = *range;
    half[0].high[axis] = middle;
    half[1].low[axis] = middle + 1;
}

// Tells whether the range has an image within the limit, by halving it along its longest side.
static bool has_any(const image_walk *walk, const image_range *range)
{
    if (!(bound_range(walk, range, false) <= walk->limit)) return false;
    if (bound_range(walk, range, true) <= walk->limit) return true;
    int longest = 0;
    double length = -1;
    for (int a = 0; a < 3; ++a) {
        const double side = ((double)range->high[a] - range->low[a]) * walk->box->height[a];
        if (walk->box->periodic[a] && side > length) longest = a, length = side;
    }
    if (!(length > 0)) return false;
    image_range half[2];
    halve(range, longest, half);
    return has_any(walk, half) || has_any(walk, half + 1);
}

static bool visit_range(image_walk *walk, const image_range *range)
{
    if (!(bound_range(walk, range, false) <= walk->limit)) return true;
    int axis = 0;
    while (axis < 3 && range->low[axis] == range->high[axis]) ++axis;
    if (axis == 3) return visit_image(walk, range->low);
    if (mote_image_count(range) > MANY_IMAGES && !has_any(walk, range)) return true;
    image_range half[2];
    halve(range, axis, half);
    return visit_range(walk, half) && visit_range(walk, half + 1);
}

void mote_images_walk(image_walk *walk)
{
    if (!(walk->limit >= 0)) return;
    const image_range range = find_range(walk);
    for (int a = 0; a < 3; ++a)
        if (range.low[a] > range.high[a]) return;
    if (mote_image_count(&range) <= FEW_IMAGES)
        visit_all(walk, &range);
    else
        visit_range(walk, &range);
}
