// SPDX-License-Identifier: MIT
// neighbors/period_levels.h: how many periods away points lie, in a few levels.
//
// The more periods lie between two points, the more rounding blurs where they are to each other in the box, and the
// wider the margins of a search must be. Points are therefore put into levels by their distance from the middle of
// their set, so that a few points far away widen no margins but their own.
#ifndef MOTE_NEIGHBORS_PERIOD_LEVELS_H
#define MOTE_NEIGHBORS_PERIOD_LEVELS_H

#include "neighbors/internal.h"

enum { PERIOD_LEVELS = 11, PERIOD_LEVEL_STEP = 8 };

typedef struct period_levels {
    image middle;      // the periods from the middle point to the box
    double first;      // level 0 reaches so many periods from there, each further level 8 times as far, the last all
    double weight[3];  // periods whose rounding is that of a position in the box, for each unit of its coordinates
    double blur;       // of a place in the box, in periods, whatever the level,
    double blur_each;  // and for each period between two points
    double longest;    // length of a period along any axis of coordinates
} period_levels;

// Makes the levels for the search's own points in its periodic box. Margins of level 0 are small compared with `reach`.
period_levels mote_period_levels_make(const mote_neighbors *search, double reach);

// Returns the periods whose rounding is that of a position in the box.
static inline double mote_period_magnitude(const period_levels *levels, const double at[3])
{
    return (levels->weight[0] * fabs(at[0]) + levels->weight[1] * fabs(at[1])) + levels->weight[2] * fabs(at[2]);
}

// Returns the level of a point, which `wrap` moves to `at` in the box.
static inline uint32_t mote_period_level(const period_levels *levels, const image *wrap, const double at[3])
{
    double periods = mote_period_magnitude(levels, at);
    for (int a = 0; a < 3; ++a) {
        const double away = fabs((double)wrap->shift[a] - (double)levels->middle.shift[a]);
        periods = MOTE_MAX(periods, away);
    }
    uint32_t level = 0;
    for (double most = levels->first; periods > most && level < PERIOD_LEVELS - 1; most *= PERIOD_LEVEL_STEP) ++level;
    return level;
}

// Tells whether rounding blurs where two points are to each other in the box, so many periods apart, by so much of a
// period that cells say little about which points are near.
bool mote_periods_are_blurred(const period_levels *levels, double periods);

// The bounds of the relative rounding errors of the distance test, and of positions moved into the box.
static inline double mote_period_rounding(const mote_neighbors *search)
{
    return search->scalar == MOTE_F32 ? 0x1p-20 : 0x1p-49;
}

static inline double mote_period_wrapping(const mote_neighbors *search)
{
    return 0x1p-46 + search->box.roundoff;
}

#endif
