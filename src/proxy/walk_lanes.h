// SPDX-License-Identifier: MIT
// proxy/walk_lanes.h: WIDE walks at once, as mote_walk_go does one: the same operations on the same doubles in the
// same order, so that all bits are the same.
//
// Rare cases are left to the scalar walk: particles that start outside the root, empty leaves that see both sides,
// particles that come to a leaf with triangles without a label.
#ifndef MOTE_PROXY_WALK_LANES_H
#define MOTE_PROXY_WALK_LANES_H

#include "proxy/move_lanes.h"

// --------------------------------------------------------------------------------------------------------- doubles

// As many masks of doubles as a vector of floats has lanes.
typedef struct mote_doubles_mask {
    wide_mask_f64 part[WIDE_PARTS];
} mote_doubles_mask;

static inline mote_doubles_mask mote_doubles_mask_of(wide_mask mask)
{
    mote_doubles_mask all;
    wide_mask_to_f64(mask, all.part);
    return all;
}

static inline wide_doubles mote_doubles_of_integers(wide_u32 v)
{
    wide_doubles all;
    wide_i32_to_f64(wide_signed(v), all.part);
    return all;
}

static inline wide_doubles mote_doubles_of_floats(wide_f32 v)
{
    wide_doubles all;
    wide_f32_to_f64(v, all.part);
    return all;
}

static inline wide_doubles mote_doubles_select(mote_doubles_mask mask, wide_doubles a, wide_doubles b)
{
    wide_doubles all;
    for (int p = 0; p < WIDE_PARTS; ++p) all.part[p] = wide_select(mask.part[p], a.part[p], b.part[p]);
    return all;
}

// (x·x' + y·y') + z·z', of a part
static inline wide_f64 mote_doubles_dot(const wide_doubles a[3], const wide_doubles b[3], int p)
{
    return (a[0].part[p] * b[0].part[p] + a[1].part[p] * b[1].part[p]) + a[2].part[p] * b[2].part[p];
}

// The three components of packed normals, times 511.
static inline void mote_doubles_components(wide_u32 packed, wide_doubles components[3])
{
    for (uint32_t k = 0; k < 3; ++k) wide_i32_to_f64(mote_lanes_component(packed, k), components[k].part);
}

// Unit normals as mote_normal_unpack makes them, turned around in the lanes of `back`.
static inline void mote_doubles_normal(wide_u32 packed, wide_mask back, wide_doubles normal[3])
{
    const mote_doubles_mask flip = mote_doubles_mask_of(back);
    mote_doubles_components(packed, normal);
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 one = wide_all_f64(1), length = wide_sqrt(mote_doubles_dot(normal, normal, p));
        const wide_f64 by = wide_select(wide_less(wide_all_f64(0), length), one / length, one);
        const wide_f64 turned = wide_select(flip.part[p], -by, by);
        for (int k = 0; k < 3; ++k) normal[k].part[p] *= turned;
    }
}

// ----------------------------------------------------------------------------------------------------------- walks

typedef struct mote_walks {
    const mote_proxy *proxy;
    response_law law;
    uint32_t most_bounces;
    bool labelled, only_first;

    wide_doubles at[3], velocity[3];  // finest leaves, a second
    wide_doubles time;                // time left [s]
    mote_lanes_spot spot;             // current leaves
    wide_u32 low[3], high[3];
    wide_u32 label;
    wide_mask going;                    // not over
    wide_mask alone, outside, dropped;  // left to the scalar walk; beyond the root; at the limit of collisions
    wide_u32 bounces, walls, leaves;
    wide_u32 met;  // the leaf of the last collision
    wide_doubles met_normal[3];
} mote_walks;

// Velocities after a collision with these normals, in the lanes of `turned`, as mote_response_collide computes them.
static inline void mote_walks_turn(mote_walks *w, wide_mask turned, const wide_doubles normal[3],
                                   const wide_doubles *inward)
{
    const mote_doubles_mask mask = mote_doubles_mask_of(turned);
    const double grip = w->law.friction * (1 + w->law.restitution);
    wide_doubles along[3];
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 one = wide_all_f64(1), in = inward->part[p], back = in * w->law.restitution;
        wide_f64 keep = one;
        for (int k = 0; k < 3; ++k) along[k].part[p] = w->velocity[k].part[p] - in * normal[k].part[p];
        if (w->law.friction > 0) {
            const wide_f64 speed = wide_sqrt(mote_doubles_dot(along, along, p)), loss = -in * grip;
            keep = wide_select(wide_less(loss, speed), one - loss / speed, wide_all_f64(0));
        }
        for (int k = 0; k < 3; ++k) {
            const wide_f64 now = keep * along[k].part[p] - back * normal[k].part[p];
            w->velocity[k].part[p] = wide_select(mask.part[p], now, w->velocity[k].part[p]);
        }
    }
}

// Reflects velocities at normals, in the lanes of `turned`, as mote_walk_collide does.
static inline void mote_walks_collide(mote_walks *w, wide_mask turned, const wide_doubles normal[3],
                                      const wide_doubles *inward, wide_u32 met)
{
    w->bounces = wide_count(w->bounces, turned);
    if (w->only_first) {
        const mote_doubles_mask mask = mote_doubles_mask_of(turned);
        w->met = wide_select(turned, met, w->met);
        for (int k = 0; k < 3; ++k) w->met_normal[k] = mote_doubles_select(mask, normal[k], w->met_normal[k]);
        w->going = wide_except(w->going, turned);
        return;
    }
    mote_walks_turn(w, turned, normal, inward);
    const wide_mask over = wide_except(turned, wide_less(w->bounces, wide_all_u32(w->most_bounces)));
    w->dropped = wide_either(w->dropped, over);
    w->going = wide_except(w->going, over);
}

// Lanes in leaves with triangles that collide with the normal, as mote_walk_test_normal does.
static inline wide_mask mote_walks_test_normals(mote_walks *w)
{
    const wide_mask one_sided = mote_lanes_equal(w->spot.bits & MOTE_PROXY_TWO_SIDED, 0);
    const wide_mask in_leaf = mote_lanes_equal(w->spot.kind, MOTE_PROXY_LEAF);
    const wide_mask tested = wide_both(wide_both(w->going, in_leaf), one_sided);
    if (!wide_any(tested)) return tested;
    const wide_f64 zero = wide_all_f64(0);
    const wide_mask back = w->labelled ? mote_lanes_equal(w->label, MOTE_PROXY_BACK) : wide_none();
    const mote_doubles_mask flip = mote_doubles_mask_of(back);
    mote_doubles_mask against = mote_doubles_mask_of(tested);
    wide_doubles normal[3], inward;
    mote_doubles_components(w->spot.packed, normal);
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 front = mote_doubles_dot(normal, w->velocity, p);
        const wide_f64 rough = wide_select(flip.part[p], -front, front);
        against.part[p] = wide_except(against.part[p], wide_at_most(zero, rough));
    }
    const wide_mask roughly = wide_mask_from_f64(against.part);
    if (!wide_any(roughly)) return roughly;
    mote_doubles_normal(w->spot.packed, back, normal);
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 in = mote_doubles_dot(normal, w->velocity, p);
        const wide_f64 least =
            mote_doubles_dot(w->velocity, w->velocity, p) * (MOTE_WALK_TANGENTIAL * MOTE_WALK_TANGENTIAL);
        const wide_mask_f64 enough = wide_except(wide_less(in, zero), wide_at_most(in * in, least));
        inward.part[p] = in;
        against.part[p] = wide_both(against.part[p], enough);
    }
    const wide_mask turned = wide_mask_from_f64(against.part);
    if (wide_any(turned)) mote_walks_collide(w, turned, normal, &inward, w->spot.node);
    return turned;
}

// Moves the lanes of a mask into the leaves that hold their cells.
static inline void mote_walks_enter(mote_walks *w, wide_mask lanes, const mote_lanes_spot *spot,
                                    const wide_u32 cell[3])
{
    const wide_u32 size = wide_all_u32(1) << spot->height;
    for (int k = 0; k < 3; ++k) {
        const wide_u32 low = cell[k] >> spot->height << spot->height;
        w->low[k] = wide_select(lanes, low, w->low[k]);
        w->high[k] = wide_select(lanes, low + size, w->high[k]);
    }
    w->spot.kind = wide_select(lanes, spot->kind, w->spot.kind);
    w->spot.node = wide_select(lanes, spot->node, w->spot.node);
    w->spot.packed = wide_select(lanes, spot->packed, w->spot.packed);
    w->spot.bits = wide_select(lanes, spot->bits, w->spot.bits);
    w->leaves = wide_count(w->leaves, lanes);
    if (!w->labelled) return;
    w->label = wide_select(lanes, mote_lanes_stamp(w->label, spot->kind), w->label);
    const wide_mask in_leaf = mote_lanes_equal(spot->kind, MOTE_PROXY_LEAF);
    const wide_mask lost = wide_both(in_leaf, mote_lanes_equal(w->label, MOTE_PROXY_UNKNOWN));
    w->alone = wide_either(w->alone, wide_both(lanes, lost));
    w->going = wide_except(w->going, w->alone);
}

// ----------------------------------------------------------------------------------------------- from leaf to leaf

// Where walks leave their leaves.
typedef struct mote_walks_exit {
    wide_doubles at[3], soonest;
    mote_doubles_mask axis[3];  // the lanes that pass a face along this axis
    wide_doubles face[3];       // the faces ahead
    mote_doubles_mask up[3];    // whether these are the upper ones
    wide_u32 cell[3];           // of the next leaf
} mote_walks_exit;

// Finds the faces that walks reach first, and when; after its time a walk reaches none.
static inline void mote_walks_reach(const mote_walks *w, mote_walks_exit *e)
{
    const wide_f64 zero = wide_all_f64(0);
    // Part by part: a struct is copied in other pieces than it is read in, and then the reads wait for memory.
    for (int p = 0; p < WIDE_PARTS; ++p) e->soonest.part[p] = w->time.part[p];
    for (int k = 0; k < 3; ++k) {
        const wide_doubles low = mote_doubles_of_integers(w->low[k]), high = mote_doubles_of_integers(w->high[k]);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            const wide_f64 v = w->velocity[k].part[p];
            const wide_mask_f64 up = wide_less(zero, v);
            const wide_f64 face = wide_select(up, high.part[p], low.part[p]), to = (face - w->at[k].part[p]) / v;
            const wide_mask_f64 sooner = wide_except(wide_less(to, e->soonest.part[p]), wide_equal(v, zero));
            e->soonest.part[p] = wide_select(sooner, to, e->soonest.part[p]);
            for (int j = 0; j < k; ++j) e->axis[j].part[p] = wide_except(e->axis[j].part[p], sooner);
            e->axis[k].part[p] = sooner;
            e->face[k].part[p] = face;
            e->up[k].part[p] = up;
        }
    }
    for (int p = 0; p < WIDE_PARTS; ++p) e->soonest.part[p] = wide_max(e->soonest.part[p], zero);
}

// Finds where walks leave their leaves. Walks whose time ends earlier or that leave the root are over.
static inline mote_walks_exit mote_walks_leave(mote_walks *w)
{
    mote_walks_exit e;
    mote_walks_reach(w, &e);
    wide_mask crossing = wide_none(), leaving = crossing;
    const wide_u32 below = wide_all_u32(UINT32_MAX), across = wide_all_u32(1u << w->proxy->def.max_depth);
    for (int k = 0; k < 3; ++k) {
        const wide_doubles low = mote_doubles_of_integers(w->low[k]), high = mote_doubles_of_integers(w->high[k]);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            const wide_f64 at = w->at[k].part[p] + w->velocity[k].part[p] * e.soonest.part[p];
            e.at[k].part[p] = wide_max(low.part[p], wide_min(at, high.part[p]));
        }
        const wide_u32 inside = wide_min(wide_unsigned(wide_f64_to_i32(e.at[k].part)), w->high[k] - 1);
        const wide_mask is_up = wide_mask_from_f64(e.up[k].part), is_axis = wide_mask_from_f64(e.axis[k].part);
        const wide_u32 beyond = wide_select(is_up, w->high[k], w->low[k] - 1);
        const wide_mask at_end = wide_equal(beyond, wide_select(is_up, across, below));
        e.cell[k] = wide_select(is_axis, beyond, inside);
        e.at[k] = mote_doubles_select(e.axis[k], e.face[k], e.at[k]);
        crossing = wide_either(crossing, is_axis);
        leaving = wide_either(leaving, wide_both(is_axis, at_end));
    }
    w->outside = wide_either(w->outside, wide_both(w->going, leaving));
    w->going = wide_both(w->going, wide_except(crossing, leaving));
    for (int k = 0; k < 3; ++k) e.cell[k] = wide_select(w->going, e.cell[k], wide_all_u32(0));
    return e;
}

// Lanes that collide with the face between their leaf and the next.
static inline wide_mask mote_walks_walls(const mote_walks *w, const mote_lanes_spot *next)
{
    const wide_mask to_leaf = mote_lanes_equal(next->kind, MOTE_PROXY_LEAF);
    const wide_mask solid = wide_except(to_leaf, mote_lanes_equal(next->bits & MOTE_PROXY_TWO_SIDED, 0));
    if (!w->labelled) return wide_both(w->going, solid);
    const wide_mask from_leaf = mote_lanes_equal(w->spot.kind, MOTE_PROXY_LEAF);
    const wide_mask unlabelled = wide_either(mote_lanes_equal(w->label, MOTE_PROXY_UNKNOWN),
                                             mote_lanes_equal(next->kind, MOTE_PROXY_EMPTY));
    const wide_mask alike = wide_either(unlabelled, wide_equal(w->label, next->kind));
    const wide_mask opposite = wide_except(wide_except(from_leaf, to_leaf), alike);
    return wide_both(w->going, wide_either(solid, opposite));
}

// Lanes whose labels depend on which side a leaf with triangles stores for one of its faces.
static inline wide_mask mote_walks_at_rim(const mote_walks *w, const mote_lanes_spot *next)
{
    const wide_mask to_leaf =
        wide_both(mote_lanes_equal(next->kind, MOTE_PROXY_LEAF), mote_lanes_equal(w->spot.kind, 3));
    const wide_mask from_leaf =
        wide_both(mote_lanes_equal(w->spot.kind, MOTE_PROXY_LEAF), mote_lanes_equal(next->kind, 3));
    return wide_both(w->going, wide_either(to_leaf, from_leaf));
}

// Collides with the faces between leaves, in the lanes of `wall`. A face's normal points against the motion.
static inline void mote_walks_collide_walls(mote_walks *w, wide_mask wall, const mote_walks_exit *e,
                                            const mote_lanes_spot *next)
{
    const wide_f64 zero = wide_all_f64(0), one = wide_all_f64(1);
    wide_doubles normal[3], inward;
    for (int p = 0; p < WIDE_PARTS; ++p) {
        wide_f64 speed = zero;
        for (int k = 0; k < 3; ++k) {
            const wide_f64 v = w->velocity[k].part[p], against = wide_select(wide_less(zero, v), -one, one);
            normal[k].part[p] = wide_select(e->axis[k].part[p], against, zero);
            speed = wide_select(e->axis[k].part[p], v, speed);
        }
        inward.part[p] = -wide_abs(speed);
    }
    const wide_mask to_leaf = mote_lanes_equal(next->kind, MOTE_PROXY_LEAF);
    w->walls = wide_count(w->walls, wall);
    mote_walks_collide(w, wall, normal, &inward, wide_select(to_leaf, next->node, w->spot.node));
}

// Moves walks from leaf to leaf, until all are over, or until lanes whose walks are over have idled for more than
// `most_idle` steps, summed over the lanes.
static inline void mote_walks_go(mote_walks *w, uint32_t most_idle)
{
    for (uint32_t idle = 0;;) {
        while (wide_any(mote_walks_test_normals(w))) continue;
        if (!wide_any(w->going)) return;
        const mote_walks_exit e = mote_walks_leave(w);
        if (!wide_any(w->going)) return;
        const mote_lanes_spot next = mote_lanes_find(w->proxy, e.cell, mote_lanes_entry(w->proxy, e.cell), w->going);
        if (w->labelled) {
            w->alone = wide_either(w->alone, mote_walks_at_rim(w, &next));
            w->going = wide_except(w->going, w->alone);
        }
        const wide_mask wall = mote_walks_walls(w, &next), passing = wide_except(w->going, wall);
        const mote_doubles_mask going = mote_doubles_mask_of(w->going);
        for (int k = 0; k < 3; ++k) w->at[k] = mote_doubles_select(going, e.at[k], w->at[k]);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            const wide_f64 rest = w->time.part[p] - e.soonest.part[p];
            w->time.part[p] = wide_select(going.part[p], rest, w->time.part[p]);
        }
        if (wide_any(wall)) mote_walks_collide_walls(w, wall, &e, &next);
        mote_walks_enter(w, passing, &next, e.cell);
        idle += WIDE - wide_bit_count(wide_bits(w->going));
        if (idle > most_idle) return;
    }
}

// Starts walks of particles in the lanes of `wanted`; the others go on.
// @param from, velocity  metres, metres a second
static inline void mote_walks_begin(mote_walks *w, const wide_doubles from[3], const wide_doubles velocity[3],
                                    wide_u32 labels, double dt, wide_mask wanted)
{
    const mote_proxy *proxy = w->proxy;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    const wide_f64 zero = wide_all_f64(0), none = wide_all_f64(HUGE_VAL);
    const wide_f64 across = wide_all_f64((double)(1u << proxy->def.max_depth));
    const wide_u32 nothing = wide_all_u32(0);
    const mote_doubles_mask begins = mote_doubles_mask_of(wanted);
    mote_doubles_mask fit = begins;
    for (int k = 0; k < 3; ++k)
        for (int p = 0; p < WIDE_PARTS; ++p) {
            const wide_f64 at = (from[k].part[p] - origin[k]) * proxy->scale, v = velocity[k].part[p] * proxy->scale;
            const wide_mask_f64 inside = wide_both(wide_at_most(zero, at), wide_less(at, across));
            const wide_mask_f64 finite = wide_less(wide_abs(v * dt), none);
            fit.part[p] = wide_both(fit.part[p], wide_both(finite, inside));
            w->at[k].part[p] = wide_select(begins.part[p], at, w->at[k].part[p]);
            w->velocity[k].part[p] = wide_select(begins.part[p], v, w->velocity[k].part[p]);
        }
    const wide_mask begun = wide_mask_from_f64(fit.part);
    w->going = wide_either(wide_except(w->going, wanted), begun);
    w->alone = wide_either(wide_except(w->alone, wanted), wide_except(wanted, begun));
    w->outside = wide_except(w->outside, wanted);
    w->dropped = wide_except(w->dropped, wanted);
    w->bounces = wide_select(wanted, nothing, w->bounces);
    w->walls = wide_select(wanted, nothing, w->walls);
    w->leaves = wide_select(wanted, nothing, w->leaves);
    w->label = wide_select(wanted, w->labelled ? labels : nothing, w->label);
    for (int p = 0; p < WIDE_PARTS; ++p)
        w->time.part[p] = wide_select(begins.part[p], wide_all_f64(dt), w->time.part[p]);
    wide_u32 cell[3];
    for (int k = 0; k < 3; ++k)
        cell[k] = wide_select(begun, wide_unsigned(wide_f64_to_i32(w->at[k].part)), nothing);
    const mote_lanes_spot spot = mote_lanes_find(proxy, cell, mote_lanes_entry(proxy, cell), begun);
    mote_walks_enter(w, begun, &spot, cell);
}

#endif
