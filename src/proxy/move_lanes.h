// SPDX-License-Identifier: MIT
// proxy/move_lanes.h: WIDE motions at once, as long as they have no collision and pass at most one face.
//
// Everything is in float. A lane is left to the walk in double where float's rounding could put a point into another
// leaf than double does, or a motion on the other side of a normal, and also if it passes several faces, meets a
// wall or sees both sides. The results of the other lanes are those of the walk.
#ifndef MOTE_PROXY_MOVE_LANES_H
#define MOTE_PROXY_MOVE_LANES_H

#include "base/wide.h"
#include "proxy/move.h"

// A motion against a normal by less than this share of both lengths is left to the walk.
#define MOTE_LANES_TANGENTIAL 1e-4f

// The leaves that hold cells: their kind, and for leaves with triangles the node.
typedef struct mote_lanes_spot {
    wide_u32 kind, height;
    wide_u32 node, packed, bits;
} mote_lanes_spot;

// A lane that is neither quiet nor hit is left to the walk.
typedef struct mote_lanes_result {
    wide_mask quiet;        // no collision
    wide_mask hit;          // collides with a normal
    wide_mask passed;       // passes a face
    wide_u32 labels;        // of lanes that are quiet or hit
    wide_u32 node, packed;  // of lanes that are hit: the leaf and its normal,
    wide_mask inside;       // whether no face was passed,
    wide_u32 axis, bound;   // and the face that was
} mote_lanes_result;

static inline wide_mask mote_lanes_equal(wide_u32 a, uint32_t b)
{
    return wide_equal(a, wide_all_u32(b));
}

// ---------------------------------------------------------------------------------------------------------- leaves

static inline wide_u32 mote_lanes_octant(const wide_u32 cell[3], uint32_t height)
{
    return (cell[0] >> height & 1) | (cell[1] >> height & 1) << 1 | (cell[2] >> height & 1) << 2;
}

// Number of bits set in the lowest byte; the others are 0.
static inline wide_u32 mote_lanes_count(wide_u32 bits)
{
    const wide_u32 pairs = bits - (bits >> 1 & 0x55), fours = (pairs & 0x33) + (pairs >> 2 & 0x33);
    return (fours + (fours >> 4)) & 0x0F;
}

// The table's entries for cells of the root.
static inline wide_u32 mote_lanes_entry(const mote_proxy *proxy, const wide_u32 cell[3])
{
    const uint32_t shift = (uint32_t)proxy->def.table_depth, height = (uint32_t)proxy->def.max_depth - shift;
    const wide_u32 row = (cell[2] >> height << 2 * shift) + (cell[1] >> height << shift);
    return wide_gather_u32(proxy->table, row + (cell[0] >> height));
}

_Static_assert(sizeof(mote_proxy_node) == 2 * sizeof(uint32_t) && offsetof(mote_proxy_node, bits) == sizeof(uint32_t),
               "nodes are gathered as pairs");

// The nodes' two words in the wanted lanes, and the first node's in the others.
static inline void mote_lanes_nodes(const mote_proxy *proxy, wide_u32 number, wide_mask wanted, wide_u32 *first,
                                    wide_u32 *bits)
{
    wide_u32 words[2];
    wide_gather_pairs(&proxy->nodes->first, wide_select(wanted, number, wide_all_u32(0)), words);
    *first = words[0];
    *bits = words[1];
}

// The leaves in the wanted lanes, as mote_proxy_find returns them; other lanes are undefined.
static inline mote_lanes_spot mote_lanes_find(const mote_proxy *proxy, const wide_u32 cell[3], wide_u32 entry,
                                              wide_mask wanted)
{
    const wide_u32 leaf = wide_all_u32(MOTE_PROXY_LEAF), inner = wide_all_u32(MOTE_PROXY_INNER);
    const uint32_t deepest = (uint32_t)proxy->def.max_depth;
    uint32_t height = deepest - (uint32_t)proxy->def.table_depth;
    mote_lanes_spot spot = {.kind = entry & 7, .node = entry >> 3};
    spot.height = (deepest - spot.node) & 31;
    wide_mask below = wide_both(wanted, wide_equal(spot.kind, inner));
    while (wide_any(below)) {
        wide_u32 first, bits;
        mote_lanes_nodes(proxy, spot.node, below, &first, &bits);
        const wide_u32 octant = mote_lanes_octant(cell, --height), mine = bits >> octant;
        const wide_u32 before = (wide_all_u32(1) << octant) - 1;
        const wide_u32 child = first + mote_lanes_count(bits & before);
        const wide_u32 empty = (mine >> 16 & 1) | (mine >> 23 & 2);
        const wide_u32 node = wide_select(mote_lanes_equal(mine >> 8 & 1, 1), inner, leaf);
        const wide_u32 kind = wide_select(mote_lanes_equal(mine & 1, 1), node, empty);
        spot.kind = wide_select(below, kind, spot.kind);
        spot.node = wide_select(below, child, spot.node);
        spot.height = wide_select(below, wide_all_u32(height), spot.height);
        below = wide_both(below, wide_equal(spot.kind, inner));
    }
    const wide_mask is_leaf = wide_both(wanted, wide_equal(spot.kind, leaf));
    if (wide_any(is_leaf)) {
        mote_lanes_nodes(proxy, spot.node, is_leaf, &spot.packed, &spot.bits);
        spot.height = wide_select(is_leaf, deepest - (spot.bits >> MOTE_PROXY_LEAF_DEPTH), spot.height);
    }
    return spot;
}

// The labels after particles have come into leaves of this kind.
static inline wide_u32 mote_lanes_stamp(wide_u32 labels, wide_u32 kind)
{
    const wide_mask pure =
        wide_either(mote_lanes_equal(kind, MOTE_PROXY_FRONT), mote_lanes_equal(kind, MOTE_PROXY_BACK));
    return wide_select(pure, kind, labels);
}

// A component of packed normals, times 511.
static inline wide_i32 mote_lanes_component(wide_u32 packed, uint32_t axis)
{
    return wide_signed(packed << (22 - 10 * axis)) >> 22;
}

// ------------------------------------------------------------------------------------------------- a single look-up

// Results of a single look-up in the table, as mote_move_look does it for one motion.
typedef struct mote_lanes_look {
    wide_mask clear;  // nothing is met,
    wide_u32 label;   // and only leaves with this label are passed
    wide_u32 entry;   // of the table; of its first cell for those that start outside the root
} mote_lanes_look;

// @param shift  of the entries' clearance: MOTE_PROXY_SAME_SHIFT or MOTE_PROXY_CLEAR_SHIFT; labels are then undefined
static inline mote_lanes_look mote_lanes_look_up(const mote_move_task *task, const wide_f32 from[3],
                                                 const wide_f32 motion[3], uint32_t shift)
{
    const mote_proxy *proxy = task->proxy;
    const wide_f32 zero = wide_all(0), across = wide_all((float)(1u << proxy->def.max_depth));
    const uint32_t height = (uint32_t)(proxy->def.max_depth - proxy->def.table_depth);
    const float in_cells = 1 / (float)(1u << height);
    wide_mask inside = wide_not(wide_none()), away = wide_none(), finite = inside;
    wide_f32 at[3], then[3];
    for (int k = 0; k < 3; ++k) {
        const wide_f32 by = motion[k] * task->scale;
        at[k] = (from[k] - task->origin[k]) * task->scale;
        then[k] = at[k] + by;
        inside = wide_both(inside, wide_both(wide_at_most(zero, at[k]), wide_less(at[k], across)));
        away = wide_either(away, wide_less(wide_max(at[k], then[k]), wide_all(-task->slack)));
        away = wide_either(away, wide_less(across + task->slack, wide_min(at[k], then[k])));
        finite = wide_both(finite, wide_at_most(wide_abs(at[k]) + wide_abs(by), wide_all(MOTE_PROXY_LONGEST)));
    }
    wide_u32 cell[3];
    for (int k = 0; k < 3; ++k) cell[k] = wide_unsigned(wide_f32_to_i32(wide_select(inside, at[k], zero)));
    const wide_u32 entry = mote_lanes_entry(proxy, cell), kind = entry & 7;
    const wide_u32 rings = entry >> shift & MOTE_PROXY_RINGS;
    const wide_f32 room = wide_i32_to_f32(wide_signed(rings)) + 0.5F - task->table_slack;
    wide_mask within = wide_both(inside, wide_less(wide_signed(kind), wide_all_i32(MOTE_PROXY_LEAF)));
    for (int k = 0; k < 3; ++k) {
        const wide_f32 middle = wide_i32_to_f32(wide_signed(cell[k] >> height)) + 0.5F;
        // The second operand may be NaN: then the maximum of both is NaN, too.
        const wide_f32 farthest = wide_max(wide_abs(at[k] * in_cells - middle), wide_abs(then[k] * in_cells - middle));
        within = wide_both(within, wide_at_most(farthest, room));
    }
    // No motion that starts inside is away.
    return (mote_lanes_look){wide_either(within, wide_both(finite, away)), wide_select(inside, kind, wide_all_u32(0)),
                             entry};
}

// ------------------------------------------------------------------------------------------------ at most one face

// Start and end of motions in finest leaves; usable where both lie in the root and not in a face of a leaf.
typedef struct mote_lanes_way {
    wide_u32 start[3], end[3];
    wide_mask usable;
} mote_lanes_way;

// How far coordinates are from the nearest whole number: where finest leaves touch.
static inline wide_f32 mote_lanes_off_face(wide_f32 at)
{
    return wide_abs(at - wide_round(at));
}

static inline mote_lanes_way mote_lanes_place(const mote_move_task *task, const wide_f32 from[3], const wide_f32 to[3])
{
    const wide_f32 across = wide_all((float)(1u << task->proxy->def.max_depth));
    wide_mask inside = wide_not(wide_none());
    wide_f32 at[3], then[3], off = wide_all(1);
    for (int k = 0; k < 3; ++k) {
        at[k] = (from[k] - task->origin[k]) * task->scale;
        then[k] = (to[k] - task->origin[k]) * task->scale;
        const wide_f32 least = wide_min(at[k], then[k]), most = wide_max(then[k], at[k]);
        inside = wide_both(inside, wide_both(wide_at_most(wide_all(0), least), wide_less(most, across)));
        off = wide_min(off, wide_min(mote_lanes_off_face(at[k]), mote_lanes_off_face(then[k])));
    }
    mote_lanes_way way;
    // Less than the slack beside a face, a coordinate may, rounded, belong to the neighbouring leaf.
    way.usable = wide_both(inside, wide_less(wide_all(task->slack), off));
    for (int k = 0; k < 3; ++k) {
        way.start[k] = wide_select(way.usable, wide_unsigned(wide_f32_to_i32(at[k])), wide_all_u32(0));
        way.end[k] = wide_select(way.usable, wide_unsigned(wide_f32_to_i32(then[k])), wide_all_u32(0));
    }
    return way;
}

// A motion through leaves with triangles.
typedef struct mote_lanes_test {
    wide_mask away, against;
} mote_lanes_test;

// Tests the normals of the leaves in the wanted lanes. Two-sided leaves and cases too near to decide get neither
// result.
static inline mote_lanes_test mote_lanes_normals(const mote_lanes_spot *leaf, wide_mask wanted,
                                                 const wide_f32 motion[3], wide_u32 labels)
{
    wide_f32 along = wide_all(0), length2 = along;
    for (uint32_t k = 0; k < 3; ++k) {
        along += wide_i32_to_f32(mote_lanes_component(leaf->packed, k)) * motion[k];
        length2 += motion[k] * motion[k];
    }
    along = wide_select(mote_lanes_equal(labels, MOTE_PROXY_BACK), -along, along);
    const float limit = 511 * MOTE_LANES_TANGENTIAL;
    const wide_mask sure = wide_less(length2 * (limit * limit), along * along);
    const wide_mask one_sided = mote_lanes_equal(leaf->bits & MOTE_PROXY_TWO_SIDED, 0);
    const wide_mask decided = wide_both(wide_both(wanted, one_sided), sure);
    const wide_mask negative = wide_less(along, wide_all(0));
    return (mote_lanes_test){wide_except(decided, negative), wide_both(decided, negative)};
}

// The second leaf of motions that pass one face; `crossing` is set where this is so and no other leaf follows.
typedef struct mote_lanes_crossing {
    mote_lanes_spot to;
    wide_mask crossing;
    wide_u32 axis, bound;
} mote_lanes_crossing;

// @param moved  the axes along which the motions leave their leaves
static inline mote_lanes_crossing mote_lanes_cross(const mote_proxy *proxy, const mote_lanes_spot *from,
                                                   const mote_lanes_way *way, const wide_mask moved[3],
                                                   wide_mask wanted)
{
    const wide_u32 zero = wide_all_u32(0), one = wide_all_u32(1);
    mote_lanes_crossing c = {.axis = zero, .bound = zero};
    const wide_u32 count = wide_count(wide_count(wide_count(zero, moved[0]), moved[1]), moved[2]);
    c.crossing = wide_both(wanted, wide_equal(count, one));
    if (!wide_any(c.crossing)) return c;
    c.to = mote_lanes_find(proxy, way->end, mote_lanes_entry(proxy, way->end), c.crossing);
    const wide_u32 size = one << from->height, to_size = one << c.to.height;
    for (int k = 0; k < 3; ++k) {
        const wide_u32 start = way->start[k], end = way->end[k];
        const wide_u32 low = start >> from->height << from->height, to_low = end >> c.to.height << c.to.height;
        const wide_mask up = wide_less(wide_signed(start), wide_signed(end));
        const wide_u32 bound = wide_select(up, low + size, low);
        const wide_mask beside = wide_equal(bound, wide_select(up, to_low, to_low + to_size));
        const wide_mask within = wide_equal((start ^ end) >> c.to.height, zero);
        const wide_mask next = wide_either(wide_both(moved[k], beside), wide_except(within, moved[k]));
        c.crossing = wide_both(c.crossing, next);
        c.axis = wide_select(moved[k], wide_all_u32((uint32_t)k), c.axis);
        c.bound = wide_select(moved[k], bound, c.bound);
    }
    return c;
}

// Decides about motions that pass one face by the leaf behind it.
static inline void mote_lanes_arrive(const mote_lanes_crossing *c, const mote_lanes_spot *from,
                                     const wide_f32 motion[3], bool labelled, mote_lanes_result *r)
{
    const wide_mask from_leaf = mote_lanes_equal(from->kind, MOTE_PROXY_LEAF);
    const wide_mask to_leaf = mote_lanes_equal(c->to.kind, MOTE_PROXY_LEAF);
    const wide_mask to_empty = wide_except(c->crossing, to_leaf);
    wide_mask allowed = to_empty, tested = wide_both(c->crossing, to_leaf);
    if (labelled) {
        // From a leaf with triangles a motion may pass only into an empty leaf with the particle's own label.
        allowed = wide_except(to_empty, wide_except(from_leaf, wide_equal(r->labels, c->to.kind)));
        tested = wide_except(tested, mote_lanes_equal(r->labels, MOTE_PROXY_UNKNOWN));
        tested = wide_except(tested, mote_lanes_equal(from->kind, 3));
    }
    r->quiet = wide_either(r->quiet, allowed);
    if (wide_any(tested)) {
        const mote_lanes_test test = mote_lanes_normals(&c->to, tested, motion, r->labels);
        r->quiet = wide_either(r->quiet, test.away);
        r->hit = wide_either(r->hit, test.against);
        r->node = wide_select(test.against, c->to.node, r->node);
        r->packed = wide_select(test.against, c->to.packed, r->packed);
    }
    if (labelled) r->labels = wide_select(allowed, mote_lanes_stamp(r->labels, c->to.kind), r->labels);
    r->passed = c->crossing;
    r->axis = c->axis;
    r->bound = c->bound;
}

// @param from, to, motion  metres; `to` as it will be stored
// @param entry             of the table, where they start
static inline mote_lanes_result mote_lanes_go(const mote_move_task *task, const wide_f32 from[3], const wide_f32 to[3],
                                              const wide_f32 motion[3], wide_u32 labels, wide_u32 entry, bool labelled)
{
    const wide_u32 zero = wide_all_u32(0);
    const mote_lanes_way way = mote_lanes_place(task, from, to);
    mote_lanes_result r = {.labels = labels};
    if (!wide_any(way.usable)) return r;

    const mote_lanes_spot spot = mote_lanes_find(task->proxy, way.start, entry, way.usable);
    wide_mask moved[3];
    for (int k = 0; k < 3; ++k)
        moved[k] = wide_not(wide_equal((way.start[k] ^ way.end[k]) >> spot.height, zero));
    const wide_mask leaves = wide_either(moved[0], wide_either(moved[1], moved[2]));

    // The start: an empty leaf, or one whose normal is tested.
    const wide_mask in_leaf = mote_lanes_equal(spot.kind, MOTE_PROXY_LEAF);
    wide_mask go_on = wide_except(way.usable, in_leaf), tested = wide_both(way.usable, in_leaf);
    r.labels = zero;
    if (labelled) {
        r.labels = wide_select(way.usable, mote_lanes_stamp(labels, spot.kind), labels);
        tested = wide_except(tested, mote_lanes_equal(r.labels, MOTE_PROXY_UNKNOWN));
    }
    if (wide_any(tested)) {
        const mote_lanes_test test = mote_lanes_normals(&spot, tested, motion, r.labels);
        go_on = wide_either(go_on, test.away);
        r.hit = r.inside = test.against;
        r.node = spot.node;
        r.packed = spot.packed;
    }
    r.quiet = wide_except(go_on, leaves);

    // The end, if that is in another leaf.
    const mote_lanes_crossing c = mote_lanes_cross(task->proxy, &spot, &way, moved, wide_both(go_on, leaves));
    if (wide_any(c.crossing)) mote_lanes_arrive(&c, &spot, motion, labelled, &r);
    return r;
}

#endif
