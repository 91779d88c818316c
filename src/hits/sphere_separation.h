// SPDX-License-Identifier: MIT
// hits/sphere_separation.h: how far a ball is from a triangle whose corners move, and for how long that is proven.
//
// Everything is seen from the ball's centre: it stands still, and each corner moves along a straight line of its own
// from share 0 of the motion to share 1.
#ifndef MOTE_HITS_SPHERE_SEPARATION_H
#define MOTE_HITS_SPHERE_SEPARATION_H

#include "mesh/foot.h"

typedef struct hits_approach {
    mote_vec3 corner[2][3];  // at share 0 and at share 1
    double error;            // no distance below is off by more
    double speed;            // of the fastest corner
    bool turns;              // whether corners move differently
} hits_approach;

// The triangle at a share of the motion.
typedef struct hits_separation {
    double share;
    mote_vec3 corner[3];
    mote_foot foot;       // its point that is closest to the centre, as computed
    mote_vec3 towards;    // unit, from the centre to the foot; a face's is its normal
    mote_vec3 normal;     // unit, of the triangle, towards its front; 0 where it has no area
    mote_vec3 direction;  // the one of both that tells most
    double gap;           // no corner is nearer along it, but for the error: so no point of the triangle is
} hits_separation;

hits_separation mote_hits_separation_at(const hits_approach *approach, double share);

// A share of the motion, from the look on, during which no point of the triangle comes nearer than `limit`: by
// directions along which all corners stay away, at first fixed ones, then such that turn with the triangle. Less than
// `least` may be told as 0; more than `enough` is not looked for.
double mote_hits_separation_free_share(const hits_approach *approach, const hits_separation *look, double limit,
                                       double least, double enough);

#endif
