// SPDX-License-Identifier: MIT
// hits/sphere_separation.h: the distance between a ball and a triangle whose corners move, and for how long they are
// proven to stay apart.
//
// Coordinates are relative to the ball's centre: the ball stands still, and each corner moves along its own straight
// line from share 0 of the motion to share 1.
#ifndef MOTE_HITS_SPHERE_SEPARATION_H
#define MOTE_HITS_SPHERE_SEPARATION_H

#include "mesh/foot.h"

typedef struct hits_approach {
    mote_vec3 corner[2][3];  // at share 0 and at share 1
    double error;            // a bound of the error of all distances below
    double speed;            // speed of the fastest corner
    bool turns;              // whether corners move differently
} hits_approach;

// The triangle at a share of the motion.
typedef struct hits_separation {
    double share;
    mote_vec3 corner[3];
    mote_foot foot;       // the triangle's point that is closest to the centre, as computed
    mote_vec3 towards;    // unit vector from the centre to the foot; for a face its normal
    mote_vec3 normal;     // unit normal of the triangle, towards its front; 0 where it has no area
    mote_vec3 direction;  // that of `towards` and `normal` which gives the larger gap
    double gap;           // up to the error, no corner, and so no point, is nearer along the direction
} hits_separation;

hits_separation mote_hits_separation_at(const hits_approach *approach, double share);

// A share of the motion, from the look on, during which no point of the triangle comes nearer than `limit`. It is
// proven by directions along which all corners stay away: first fixed directions, then directions that turn with the
// triangle. A result below `least` may be returned as 0, and nothing above `enough` is searched for.
double mote_hits_separation_free_share(const hits_approach *approach, const hits_separation *look, double limit,
                                       double least, double enough);

#endif
