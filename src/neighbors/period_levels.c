// SPDX-License-Identifier: MIT
// Levels of points by the periods between them and the middle of their set.

#include "neighbors/period_levels.h"

#include <math.h>

enum {
    SAMPLE = 31,
    SHARE = 256,   // the reach of a search is so many times the margins of level 0,
    AT_LEAST = 8,  // which spans at least this many periods,
    AT_MOST = 1 << 30
};

static const double BLURRED = 0.5;           // of a period: with more, there are many images of each point
static const double MOST_LENGTH = 0x1p1010;  // sums of longer periods may overflow

// Finds the periods from the middle points to the box, along each axis, from a sample.
static image find_middle(const mote_neighbors *search)
{
    int32_t sample[3][SAMPLE];
    const uint32_t count = MOTE_MIN((uint32_t)search->count, (uint32_t)SAMPLE);
    image middle = {{0, 0, 0}};
    for (uint32_t s = 0; s < count; ++s) {
        double at[3];
        mote_point_store_get(&search->points, s * ((uint32_t)search->count / count), at);
        const image wrap = mote_periodic_wrap(&search->box, at);
        for (int a = 0; a < 3; ++a) {
            uint32_t place = s;
            for (; place > 0 && sample[a][place - 1] > wrap.shift[a]; --place) sample[a][place] = sample[a][place - 1];
            sample[a][place] = wrap.shift[a];
        }
    }
    for (int a = 0; a < 3 && count; ++a) middle.shift[a] = sample[a][count / 2];
    return middle;
}

period_levels mote_period_levels_make(const mote_neighbors *search, double reach)
{
    const periodic_box *box = &search->box;
    const double wrapping = mote_period_wrapping(search), rounding = mote_period_rounding(search) + wrapping;
    period_levels levels = {.middle = find_middle(search)};
    double extent[3];
    for (int k = 0; k < 3; ++k) {
        extent[k] = fabs(box->edge[0][k]) + fabs(box->edge[1][k]) + fabs(box->edge[2][k]);
        levels.longest = MOTE_MAX(levels.longest, extent[k]);
    }
    for (int a = 0; a < 3; ++a) {
        if (!box->periodic[a]) continue;
        double each = 0, fixed = 0;
        for (int k = 0; k < 3; ++k) {
            if (!box->is_shifted[k]) continue;
            const double inverse = fabs(box->inverse[a][k]);
            each += inverse * extent[k];
            fixed += inverse * (extent[k] + fabs(box->origin[k]));
            levels.weight[k] = MOTE_MAX(levels.weight[k], inverse);
        }
        levels.blur = MOTE_MAX(levels.blur, fixed * wrapping);
        levels.blur_each = MOTE_MAX(levels.blur_each, each * rounding);
    }
    for (int k = 0; k < 3; ++k) levels.weight[k] *= levels.blur_each > 0 ? wrapping / levels.blur_each : 0;
    const double small = reach / (SHARE * rounding * levels.longest), sharp = BLURRED / (64 * levels.blur_each);
    const double most = MOTE_MIN((double)AT_MOST, MOST_LENGTH / (8 * levels.longest));
    levels.first = MOTE_MAX((double)AT_LEAST, MOTE_MIN(MOTE_MIN(small, sharp), most));
    return levels;
}

bool mote_periods_are_blurred(const period_levels *levels, double periods)
{
    return !(levels->blur + levels->blur_each * periods < BLURRED && levels->longest * periods < MOST_LENGTH);
}
