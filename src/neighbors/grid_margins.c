// SPDX-License-Identifier: MIT
// Margins around groups of points: upper bounds of rounding errors, and the images of the box that they admit.

#include "neighbors/grid_margins.h"

#include <math.h>

double mote_margin_grow(const mote_neighbors *search)
{
    if (!mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) return 0x1p-16;
    return 0x1p-16 + (mote_period_rounding(search) + mote_period_wrapping(search));
}

uint32_t mote_margin_blurred(const mote_neighbors *search, const class_sort *sort, const image *wrap,
                             const double at[3], double reach)
{
    const periodic_box *box = &search->box;
    uint32_t blurred = 0;
    double span = 0;
    for (int a = 0; a < 3; ++a)
        if (box->periodic[a]) span = MOTE_MAX(span, reach / box->height[a]);
    const double least = span + mote_period_magnitude(&sort->periods, at) + 3;
    for (uint32_t l = 0; l < sort->level_end; ++l) {
        double most = 0;
        for (int a = 0; a < 3; ++a) {
            const double low = sort->levels[l].low.shift[a], high = sort->levels[l].high.shift[a], own = wrap->shift[a];
            most = MOTE_MAX(most, MOTE_MAX(high - own, own - low));
        }
        if (!sort->levels[l].is_empty && mote_periods_are_blurred(&sort->periods, least + most)) blurred |= 1u << l;
    }
    return blurred;
}

bool mote_margin_is_sharp(const mote_neighbors *search, const class_sort *sort, double reach)
{
    const periodic_box *box = &search->box;
    double span = 0;
    if (sort->level_end > 1) return false;
    for (int a = 0; a < 3; ++a)
        if (box->periodic[a]) span = MOTE_MAX(span, reach / box->height[a]);
    // In level 0 the magnitude of a position, and the periods from the middle point, are at most `first`. So three of
    // these would do, but for rounding.
    return !mote_periods_are_blurred(&sort->periods, span + 4 * sort->periods.first + 3);
}

// Lengths along an axis of coordinates: `between`, an upper bound of how far periods may have moved the images of
// neighbours, using all periods between two points; `moved`, of how far points were moved to be binned.
typedef struct period_lengths {
    double between, moved;
} period_lengths;

static period_lengths measure_shifts(const periodic_box *box, const class_sort *sort, const group_bounds *group,
                                     const level_range *range, int k)
{
    period_lengths lengths = {0, 0};
    for (int a = 0; a < 3; ++a) {
        if (box->edge[a][k] == 0) continue;
        const double low = range->low.shift[a], high = range->high.shift[a];
        const double group_low = group->wrap_low.shift[a], group_high = group->wrap_high.shift[a];
        double periods = MOTE_MAX(0.0, MOTE_MAX(high - group_low, group_high - low));
        periods += (sort->fraction_high[a] - sort->fraction_low[a]) + 2 + group->max_reach / box->height[a];
        lengths.between += fabs(box->edge[a][k]) * periods;
        lengths.moved +=
            fabs(box->edge[a][k]) * (MOTE_MAX(fabs(low), fabs(high)) + MOTE_MAX(fabs(group_low), fabs(group_high)));
    }
    return lengths;
}

// This is done axis by axis, as a coordinate that no period changes, however large, adds no error to the others.
level_margin mote_margin_of_level(const mote_neighbors *search, const class_sort *sort, const group_bounds *group,
                                  uint32_t level)
{
    const periodic_box *box = &search->box;
    const bool periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    const double rounding = mote_period_rounding(search), wrapping = mote_period_wrapping(search);
    level_margin margin = {.slack = 0};
    double size = 0;  // of the group
    for (int k = 0; k < 3; ++k) size = MOTE_MAX(size, group->high[k] - group->low[k]);
    margin.slack = 0x1p-20 * size;
    for (int k = 0; k < 3; ++k) {
        const double magnitude = MOTE_MAX(fabs(group->low[k]), fabs(group->high[k]));
        if (periodic && box->is_shifted[k]) {
            const period_lengths lengths = measure_shifts(box, sort, group, &sort->levels[level], k);
            margin.along[k] = rounding * lengths.between + 0x1p-50 * lengths.moved;
            margin.along[k] += wrapping * (lengths.between + magnitude + fabs(box->origin[k]));
        }
        margin.slack += margin.along[k];
        margin.along[k] += 0x1p-50 * magnitude;
    }
    return margin;
}

image_range mote_margin_images(const mote_neighbors *search, const group_bounds *group, const level_margin *margin,
                               double reach, const double low[3], const double high[3])
{
    const periodic_box *box = &search->box;
    double middle[3], half[3], fraction[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * group->low[k] + 0.5 * group->high[k];
        half[k] = MOTE_MAX(middle[k] - group->low[k], group->high[k] - middle[k]) + margin->along[k];
        middle[k] -= box->origin[k];
    }
    mote_periodic_fractions(box, middle, fraction);
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < 3; ++a) {
        if (!box->periodic[a]) continue;
        double span = reach / box->height[a] + 1e-9;
        for (int k = 0; k < 3; ++k) span += box->is_shifted[k] ? fabs(box->inverse[a][k]) * half[k] : 0;
        mote_image_range_set(&range, a, fraction[a] - high[a] - span, fraction[a] - low[a] + span);
    }
    return range;
}
