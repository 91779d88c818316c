// SPDX-License-Identifier: MIT
// hits/motion_orientation.h: exact predicates: on which side of a plane a point lies, and which of two triangles a
// segment hits first.
#ifndef MOTE_HITS_MOTION_ORIENTATION_H
#define MOTE_HITS_MOTION_ORIENTATION_H

#include "base/vector.h"

// A determinant of coordinate differences: its exact sign, and its value to within `error`.
typedef struct first_volume {
    double value, error;
    int sign;
} first_volume;

// det(x − r, y − r, z − r): six times the volume of the tetrahedron. Exact for coordinates whose differences lie
// between 2^-300 and 2^300.
first_volume mote_hits_orient(mote_vec3 x, mote_vec3 y, mote_vec3 z, mote_vec3 r);

// The exact sign of the difference of the times at which a segment crosses the planes of triangles a and b. It must
// cross both.
int mote_hits_compare_times(mote_vec3 from, mote_vec3 to, const mote_vec3 a[3], const mote_vec3 b[3]);

// The time and barycentrics at which the segment crosses the triangle's plane, each correct to a few units in its
// last place. It must cross the plane.
double mote_hits_exact_crossing(mote_vec3 from, mote_vec3 to, const mote_vec3 t[3], double barycentric[3]);

#endif
