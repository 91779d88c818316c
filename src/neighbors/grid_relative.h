// SPDX-License-Identifier: MIT
// neighbors/grid_relative.h: double points as floats, relative to the middle of their box, in a unit near the radius.
//
// Rows of double points are found among such floats, which take half the memory and half the work. Two floats whose
// distance differs from the radius by more than their rounding decide as the doubles do. The others, about one in ten
// thousand where points fill a cube of a hundred radii, are left to the exact test.
#ifndef MOTE_NEIGHBORS_GRID_RELATIVE_H
#define MOTE_NEIGHBORS_GRID_RELATIVE_H

#include "base/internal.h"

typedef struct relative_frame {
    double middle[3];
    double scale;          // a power of two: the radius times the scale is 1 … 2
    double radius;         // in the frame's unit; the doubles' neighbours are at most this far apart as floats
    float radius_squared;  // its square, rounded up
    float sure_squared;    // floats at most this far apart are neighbours as doubles
} relative_frame;

// Makes a frame for points in this box. False if the box is so large that floats would leave too much undecided.
bool mote_relative_frame_make(const mote_box *box, double radius, relative_frame *frame);

// A coordinate as a float. Coordinates far beyond the frame's points are brought nearer, but not to within the radius.
static inline float mote_relative(const relative_frame *frame, double x, int axis)
{
    const double far = 0x1p18;
    const double u = (x - frame->middle[axis]) * frame->scale;
    return (float)(u < -far ? -far : u > far ? far : u);
}

// The same for a box: the bounds of points as floats, as rounding keeps their order.
mote_box mote_relative_box(const relative_frame *frame, const mote_box *box);

// Writes the points' coordinates as floats, x, y, z one behind the other, into `memory`. Axes beyond the points'
// dimensions are left out of `relative`, which refers to the memory.
// @param are_inside  no point lies outside the frame's box
mote_result mote_relative_points(const mote_context *context, const relative_frame *frame, const mote_points *points,
                                 bool are_inside, mote_buffer *memory, mote_points *relative);

#endif
