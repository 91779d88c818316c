// SPDX-License-Identifier: MIT
// proxy/walk.h: a motion through the leaves of a proxy, with labels and collisions (Fan et al. 2013, section 4).
//
// Lengths are in finest leaves from the origin. A motion leaves leaves through one face after the other, even where
// it passes an edge: labels rely on that. Cases that the rules of Fan et al. 2013 do not cover are described under
// "Rules of a motion" in proxy.h.
#ifndef MOTE_PROXY_WALK_H
#define MOTE_PROXY_WALK_H

#include "proxy/internal.h"

typedef struct mote_walk {
    const mote_proxy *proxy;
    response_law law;
    uint32_t most_bounces;  // afterwards the rest of the step is dropped
    bool labelled;    // false: labels are not used
    bool only_first;  // stop at the first collision

    double at[3], velocity[3];  // finest leaves, a second
    double time;                // time left [s]
    mote_spot spot;             // the current leaf
    bool outside;               // outside the root: `spot` is not set
    uint8_t label;

    uint32_t bounces, walls, leaves;
    bool dropped;
    uint32_t met;  // the leaf of the last collision
    mote_vec3 met_normal, first_normal;  // of the last one, and of the first
} mote_walk;

// Below this share of the speed, a motion against a normal is only rounding from the previous collision.
#define MOTE_WALK_TANGENTIAL 1e-9

// Reflects the velocity at a normal. True if the walk is over.
static inline bool mote_walk_collide(mote_walk *w, mote_vec3 normal, double inward)
{
    w->met_normal = normal;
    if (w->bounces == 0) w->first_normal = normal;
    ++w->bounces;
    if (w->only_first) return true;
    const mote_vec3 velocity = {w->velocity[0], w->velocity[1], w->velocity[2]};
    const mote_vec3 after = mote_response_collide(w->law, velocity, normal, inward);
    w->velocity[0] = after.x;
    w->velocity[1] = after.y;
    w->velocity[2] = after.z;
    w->dropped = w->bounces >= w->most_bounces;
    return w->dropped;
}

// In a leaf with triangles: 1 after a collision, −1 if the walk is over, 0 if the motion leads away from the surface.
MOTE_INLINE int mote_walk_test_normal(mote_walk *w)
{
    const mote_proxy_node node = w->proxy->nodes[w->spot.node];
    if (node.bits & MOTE_PROXY_TWO_SIDED) return 0;
    const bool flip = w->labelled && w->label == MOTE_PROXY_BACK;
    double rough = 0;
    for (int k = 0; k < 3; ++k) {
        const int32_t component = (int32_t)(node.first << (22 - 10 * k)) >> 22;
        rough += (flip ? -component : component) * w->velocity[k];
    }
    if (rough >= 0) return 0;
    mote_vec3 unit = mote_normal_unpack(node.first);
    if (flip) unit = mote_vec3_scale(unit, -1);
    const mote_vec3 v = {w->velocity[0], w->velocity[1], w->velocity[2]};
    const double inward = mote_vec3_dot(unit, v);
    if (!(inward < 0) || inward * inward <= MOTE_WALK_TANGENTIAL * MOTE_WALK_TANGENTIAL * mote_vec3_dot(v, v)) return 0;
    w->met = w->spot.node;
    return mote_walk_collide(w, unit, inward) ? -1 : 1;
}

// The label of an empty leaf as stored for a face of a leaf with triangles; MOTE_PROXY_UNKNOWN if none is stored.
static inline uint8_t mote_walk_label_between(const mote_walk *w, const mote_spot *leaf, const mote_spot *empty,
                                              uint32_t face, const double at[3])
{
    if (empty->kind != 3) return (uint8_t)empty->kind;
    const uint32_t label = w->proxy->nodes[leaf->node].bits >> 2 * face & 3;
    if (label != 3) return (uint8_t)label;
    mote_leaf_view view;
    if (!mote_proxy_view(w->proxy, leaf->node, leaf->low, leaf->size, &view)) return MOTE_PROXY_UNKNOWN;
    return mote_view_side(&view, mote_vec3_make(at[0], at[1], at[2]));
}

static inline void mote_walk_stamp_inside(mote_walk *w)
{
    mote_leaf_view view;
    if (w->labelled && w->label == MOTE_PROXY_UNKNOWN &&
        mote_proxy_view(w->proxy, w->spot.node, w->spot.low, w->spot.size, &view))
        w->label = mote_view_side(&view, mote_vec3_make(w->at[0], w->at[1], w->at[2]));
}

// Makes this leaf the particle's current leaf.
MOTE_INLINE void mote_walk_enter(mote_walk *w, const mote_spot *spot)
{
    w->spot = *spot;
    ++w->leaves;
    if (spot->kind == MOTE_PROXY_FRONT || spot->kind == MOTE_PROXY_BACK) w->label = (uint8_t)spot->kind;
    if (spot->kind == MOTE_PROXY_LEAF && w->label == MOTE_PROXY_UNKNOWN) mote_walk_stamp_inside(w);
}

// Moves from outside the root to where the motion enters it; false if it does not.
static inline bool mote_walk_reach_root(mote_walk *w)
{
    const double across = (double)(1u << w->proxy->def.max_depth);
    double enter = 0, leave = w->time;
    int axis = -1;
    for (int k = 0; k < 3; ++k) {
        const double v = w->velocity[k];
        if (v == 0 && !(w->at[k] >= 0 && w->at[k] < across)) return false;
        if (v == 0) continue;
        const double in = ((v > 0 ? 0 : across) - w->at[k]) / v, out = ((v > 0 ? across : 0) - w->at[k]) / v;
        if (in > enter) {
            enter = in;
            axis = k;
        }
        leave = MOTE_MIN(leave, out);
    }
    if (!(enter < leave)) return false;
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
        const double at = w->at[k] + w->velocity[k] * enter;
        w->at[k] = k == axis ? (w->velocity[k] > 0 ? 0 : across) : MOTE_MAX(0, MOTE_MIN(at, across));
        cell[k] = (uint32_t)MOTE_MIN(w->at[k], across - 1);
    }
    w->time -= enter;
    w->outside = false;
    const mote_spot spot = mote_proxy_find(w->proxy, cell);
    mote_walk_enter(w, &spot);
    return true;
}

// Where a walk leaves its cell: the time until then, the axis of the face, the place on the face, and the cell of the
// finest level behind it.
typedef struct mote_walk_exit {
    double time;
    int axis;
    bool up;
    double at[3];
    uint32_t cell[3];
} mote_walk_exit;

// False if the walk stays in its cell until its time is up.
MOTE_INLINE bool mote_walk_find_exit(const mote_walk *w, mote_walk_exit *exit)
{
    double soonest = w->time;
    int axis = -1;
    for (int k = 0; k < 3; ++k) {
        const double v = w->velocity[k];
        if (v == 0) continue;
        const double to = ((v > 0 ? w->spot.low[k] + w->spot.size : w->spot.low[k]) - w->at[k]) / v;
        if (to < soonest) {
            soonest = to;
            axis = k;
        }
    }
    if (axis < 0) return false;
    soonest = MOTE_MAX(soonest, 0);
    const bool up = w->velocity[axis] > 0;
    for (int k = 0; k < 3; ++k) {
        const double low = w->spot.low[k], high = low + w->spot.size, at = w->at[k] + w->velocity[k] * soonest;
        exit->at[k] = at < low ? low : (at > high ? high : at);
        const uint32_t whole = (uint32_t)exit->at[k], most = w->spot.low[k] + w->spot.size - 1;
        exit->cell[k] = whole < most ? whole : most;
    }
    const uint32_t low = w->spot.low[axis], high = low + w->spot.size;
    exit->at[axis] = up ? high : low;
    exit->cell[axis] = up ? high : low - 1;  // below 0 wraps: no cell of the root
    exit->time = soonest;
    exit->axis = axis;
    exit->up = up;
    return true;
}

// Whether the mesh lies between the cell and the one behind the exit: then the face is a wall.
MOTE_INLINE bool mote_walk_meets_wall(mote_walk *w, const mote_spot *next, const mote_walk_exit *exit)
{
    const uint32_t face = 2 * (uint32_t)exit->axis;
    if (next->kind == MOTE_PROXY_LEAF) {
        if (w->spot.kind == 3 && w->labelled) {
            const uint8_t label = mote_walk_label_between(w, next, &w->spot, face + !exit->up, exit->at);
            if (label != MOTE_PROXY_UNKNOWN) w->label = label;
        }
        return (w->proxy->nodes[next->node].bits & MOTE_PROXY_TWO_SIDED) != 0;
    }
    if (w->spot.kind != MOTE_PROXY_LEAF || !w->labelled || w->label == MOTE_PROXY_UNKNOWN) return false;
    const uint8_t label = mote_walk_label_between(w, &w->spot, next, face + exit->up, exit->at);
    return label != MOTE_PROXY_UNKNOWN && label != w->label;
}

// Moves until the time is up, the root is left or the walk is over. It starts from `at`, `velocity`, `time`, `spot`
// and `outside`; the start's leaf has been entered.
MOTE_INLINE void mote_walk_go(mote_walk *w)
{
    const uint32_t across = 1u << w->proxy->def.max_depth;
    if (w->outside && !mote_walk_reach_root(w)) return;
    for (;;) {
        if (w->spot.kind == MOTE_PROXY_LEAF) {
            const int met = mote_walk_test_normal(w);
            if (met < 0) return;
            if (met > 0) continue;
        }
        mote_walk_exit exit;
        if (!mote_walk_find_exit(w, &exit)) return;
        if (exit.cell[exit.axis] >= across) {
            w->outside = true;
            return;
        }
        const mote_spot next = mote_proxy_find(w->proxy, exit.cell);
        const bool wall = mote_walk_meets_wall(w, &next, &exit);
        memcpy(w->at, exit.at, sizeof w->at);
        w->time -= exit.time;
        if (!wall) {
            mote_walk_enter(w, &next);
            continue;
        }
        const double back = exit.up ? -1 : 1;
        const mote_vec3 normal = {exit.axis == 0 ? back : 0, exit.axis == 1 ? back : 0, exit.axis == 2 ? back : 0};
        w->met = next.kind == MOTE_PROXY_LEAF ? next.node : w->spot.node;
        ++w->walls;
        if (mote_walk_collide(w, normal, exit.up ? -w->velocity[exit.axis] : w->velocity[exit.axis])) return;
    }
}

#endif
