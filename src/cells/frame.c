// SPDX-License-Identifier: MIT
// The origin of an unbounded grid.

#include <math.h>

#include "base/order.h"
#include "cells/frame.h"
#include "cells/internal.h"

enum { SAMPLE = 63 };  // points at regular intervals over the set

// Returns the median of a sample of one axis: far outliers do not affect it as long as they are few.
static double sample_median(const mote_points *points, int axis)
{
    double sample[SAMPLE];
    size_t count = MOTE_MIN(points->count, (size_t)SAMPLE);
    for (size_t s = 0; s < count; ++s) sample[s] = mote_points_get(points, s * (points->count / count), axis);
    mote_sort_doubles(sample, count);
    return count ? sample[count / 2] : 0;
}

cell_frame mote_frame_make(const mote_points *points, double radius, int subdivision)
{
    cell_frame frame = {.dimensions = points->dimensions};
    frame.edge = mote_cell_edge(radius / subdivision, MOTE_MARGIN_CLAMPED);
    frame.inverse_edge = 1 / frame.edge;
    const double step = frame.edge * 0x1p29;
    for (int k = 0; k < frame.dimensions; ++k) {
        double median = sample_median(points, k), steps = floor(median / step + 0.5);
        frame.anchor[k] = fabs(steps) < 0x1p52 ? steps * step : median;
    }
    return frame;
}

void mote_frame_anchor(cell_frame *frame, const double low[3], const double high[3])
{
    const double below = frame->edge / 16;  // so that rounding of cells and layers moves none across a face
    for (int k = 0; k < frame->dimensions; ++k)
        if ((high[k] - low[k] + below) * frame->inverse_edge < MOTE_CELL_LIMIT) frame->anchor[k] = low[k] - below;
}
