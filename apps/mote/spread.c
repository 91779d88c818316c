// SPDX-License-Identifier: MIT
// Where most of many places are: the box that leaves out the outermost of them on each side, by quantiles of a sample.
// A camera that showed every drop would stand so far back that the rest is small.

#include <math.h>
#include <stdlib.h>

#include "app.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void app_spread_begin(app_spread *spread, size_t count)
{
    spread->step = count / APP_SPREAD_MOST + 1;
    spread->number = spread->used = 0;
}

void app_spread_add(app_spread *spread, double x, double y, double z)
{
    if (spread->number++ % spread->step != 0 || !isfinite(x + y + z)) return;
    spread->at[0][spread->used] = x, spread->at[1][spread->used] = y, spread->at[2][spread->used++] = z;
}

bool app_spread_inner(app_spread *spread, size_t part, mote_box *box)
{
    double low[3], high[3];
    if (spread->used == 0) return false;
    for (int k = 0; k < 3; ++k) {
        qsort(spread->at[k], spread->used, sizeof spread->at[k][0], by_size);
        low[k] = spread->at[k][spread->used / part];
        high[k] = spread->at[k][spread->used - 1 - spread->used / part];
    }
    *box = (mote_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return true;
}

double app_extent_of(mote_box box)
{
    return fmax(fmax(box.max.x - box.min.x, box.max.y - box.min.y), box.max.z - box.min.z);
}

mote_box app_join_within(mote_box before, mote_box inner, double margin, mote_box all)
{
    const double low[3] = {inner.min.x - margin, inner.min.y - margin, inner.min.z - margin};
    const double high[3] = {inner.max.x + margin, inner.max.y + margin, inner.max.z + margin};
    return (mote_box){{fmin(before.min.x, fmax(low[0], all.min.x)), fmin(before.min.y, fmax(low[1], all.min.y)),
                       fmin(before.min.z, fmax(low[2], all.min.z))},
                      {fmax(before.max.x, fmin(high[0], all.max.x)), fmax(before.max.y, fmin(high[1], all.max.y)),
                       fmax(before.max.z, fmin(high[2], all.max.z))}};
}
