// SPDX-License-Identifier: MIT
// fluid/rigid.h: the arithmetic of rigid motions. A body's points keep the places that they had at home; its pose says
// where these are now. Without turning, the operations are those of a mere shift.
#ifndef MOTE_FLUID_RIGID_H
#define MOTE_FLUID_RIGID_H

#include <math.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "mote/walls.h"

typedef struct rigid_pose {
    double turn[3][3];     // matrix of the rotation, if it turns
    mote_vec3 center;      // about which it turns, at home [m]
    mote_vec3 place;       // how far the center is from home [m]
    bool turns;
} rigid_pose;

static inline mote_vec3 mote_rigid_rotate(const rigid_pose *pose, mote_vec3 v)
{
    const double(*r)[3] = pose->turn;
    if (!pose->turns) return v;
    return mote_vec3_make(r[0][0] * v.x + r[0][1] * v.y + r[0][2] * v.z, r[1][0] * v.x + r[1][1] * v.y + r[1][2] * v.z,
                          r[2][0] * v.x + r[2][1] * v.y + r[2][2] * v.z);
}

static inline mote_vec3 mote_rigid_rotate_back(const rigid_pose *pose, mote_vec3 v)
{
    const double(*r)[3] = pose->turn;
    if (!pose->turns) return v;
    return mote_vec3_make(r[0][0] * v.x + r[1][0] * v.y + r[2][0] * v.z, r[0][1] * v.x + r[1][1] * v.y + r[2][1] * v.z,
                          r[0][2] * v.x + r[1][2] * v.y + r[2][2] * v.z);
}

// Where a point of the body is that has this place at home; and the reverse.
static inline mote_vec3 mote_rigid_from_home(const rigid_pose *pose, mote_vec3 home)
{
    if (!pose->turns) return mote_vec3_add(home, pose->place);
    const mote_vec3 turned = mote_rigid_rotate(pose, mote_vec3_sub(home, pose->center));
    return mote_vec3_add(mote_vec3_add(pose->center, turned), pose->place);
}

static inline mote_vec3 mote_rigid_to_home(const rigid_pose *pose, mote_vec3 at)
{
    if (!pose->turns) return mote_vec3_sub(at, pose->place);
    const mote_vec3 turned = mote_vec3_sub(mote_vec3_sub(at, pose->place), pose->center);
    return mote_vec3_add(pose->center, mote_rigid_rotate_back(pose, turned));
}

// The pose of a motion, by the formula of Rodrigues.
static inline rigid_pose mote_rigid_pose_of(const mote_boundary_motion *motion)
{
    rigid_pose pose = {.center = motion->center, .place = motion->place};
    const double angle = mote_vec3_length(motion->rotation), spin = mote_vec3_length(motion->spin);
    pose.turns = angle > 0 || spin > 0;
    if (!pose.turns) return pose;
    const mote_vec3 axis = angle > 0 ? mote_vec3_scale(motion->rotation, 1 / angle) : motion->rotation;
    const double s = mote_sin(angle), c = mote_cos(angle), u[3] = {axis.x, axis.y, axis.z};
    const double cross[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            pose.turn[row][column] = (row == column ? c : 0) + s * cross[row][column] + (1 - c) * u[row] * u[column];
    return pose;
}

// The arm of a place, from the center as it is now.
static inline mote_vec3 mote_rigid_arm(const mote_boundary_motion *motion, mote_vec3 at)
{
    return mote_vec3_sub(at, mote_vec3_add(motion->center, motion->place));
}

// At a place, the velocity [m/s] of the surface of the body, with that along itself like a belt, and the acceleration
// [m/s²] of the body: a belt's own is along the surface, where friction bears it and no pressure.
static inline mote_vec3 mote_rigid_velocity(const mote_boundary_motion *motion, mote_vec3 at)
{
    const mote_vec3 spin = motion->spin, velocity = mote_vec3_add(motion->velocity, motion->belt);
    if (spin.x == 0 && spin.y == 0 && spin.z == 0) return velocity;
    return mote_vec3_add(velocity, mote_vec3_cross(spin, mote_rigid_arm(motion, at)));
}

static inline mote_vec3 mote_rigid_acceleration(const mote_boundary_motion *motion, mote_vec3 at)
{
    const mote_vec3 spin = motion->spin, rate = motion->spin_rate, shift = motion->acceleration;
    if (spin.x == 0 && spin.y == 0 && spin.z == 0 && rate.x == 0 && rate.y == 0 && rate.z == 0) return shift;
    const mote_vec3 arm = mote_rigid_arm(motion, at);
    const mote_vec3 inwards = mote_vec3_cross(spin, mote_vec3_cross(spin, arm));
    return mote_vec3_add(shift, mote_vec3_add(mote_vec3_cross(rate, arm), inwards));
}

#endif
