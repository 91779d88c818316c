// SPDX-License-Identifier: MIT
// Moves points' motions down the tree, to the boxes of all children at once (slabs: Kay & Kajiya 1986), the nearest
// child first. Children that begin behind the first hit so far are skipped (as in Embree: Wald et al. 2014).
//
// A piece of a motion is P + s·W, 0 <= s <= 1, relative to the tree's origin, in float; boxes are enlarged by a
// margin. No box that the piece passes is missed. Proof: let the piece be at x = P + s·W, exactly, in the box's slab
// along an axis, low <= x <= high. The code computes A = (low - P - margin)/W and B = (high - P + margin)/W, for W >
// 0, with A <= s <= B:
// - P and W are rounded to float, which moves x by less than 2^-24·(|P| + |W|); if |W| is less than LEAST_WAY it is
//   set to LEAST_WAY, which moves x by less than that;
// - an end of the slab with its margin, its difference from P, 1/W and the product are rounded: four roundings of
//   2^-24 each, which together move x by less than 2^-22·(|low| + |P| + margin).
// With boxes no larger than 1 and pieces not much larger, all this is below 2^-20: half of HITS_CAST_MARGIN. So s
// lies between A and B of all three axes, and the piece enters the box no later than at s. Children are skipped only
// if they begin behind a bound that exceeds the best share by as much.

#include "base/wide.h"
#include "hits/motion_descent.h"

#define LEAST_WAY 0x1p-30f

// A piece of a motion in the form that node tests use. For each axis, `in` is the number of the box's plane that the
// piece passes first, `out` that of the other one.
typedef struct cast_way {
    float in_from[3], out_from[3], per_way[3];
    uint32_t in[3], out[3];
    float most;         // children entered behind this share are skipped
    double begin, per_length;  // convert shares of the motion to shares of the piece
} cast_way;

static void set_most(const hits_ray *ray, cast_way *way)
{
    if (ray->triangle == UINT32_MAX) return;
    const double share = (ray->time + ray->time_error - way->begin) * way->per_length;
    way->most = share < 1 ? (float)(share + 0x1p-20) : 1;
}

static cast_way make_way(const hits_walk *walk, const hits_ray *ray, double begin, double end, double margin)
{
    const struct hits_tree *tree = walk->hits->tree;
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z}, to[3] = {ray->to.x, ray->to.y, ray->to.z};
    cast_way way = {.most = 1, .begin = begin, .per_length = 1 / (end - begin)};
    for (uint32_t k = 0; k < 3; ++k) {
        const double step = to[k] - from[k];
        const float at = (float)(from[k] + begin * step - tree->origin[k]), along = (float)((end - begin) * step);
        const float least = along < 0 ? -LEAST_WAY : LEAST_WAY, before = (float)(along < 0 ? -margin : margin);
        way.per_way[k] = 1 / (fabsf(along) < LEAST_WAY ? least : along);
        way.in_from[k] = at + before;
        way.out_from[k] = at - before;
        way.in[k] = along < 0 ? k + 3 : k;
        way.out[k] = along < 0 ? k : k + 3;
    }
    set_most(ray, &way);
    return way;
}

// Returns the bits of the children that the piece passes before its end, and the shares at which it enters each
// child.
static inline uint32_t enter_children(const hits_tree_node *node, const cast_way *way, float enters[HITS_TREE_FAN])
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < HITS_TREE_FAN; i += WIDE) {
        wide_f32 begin = wide_all(0), end = wide_all(way->most);
        for (int k = 0; k < 3; ++k) {
            begin = wide_greater((wide_load(node->plane[way->in[k]] + i) - way->in_from[k]) * way->per_way[k], begin);
            end = wide_lesser((wide_load(node->plane[way->out[k]] + i) - way->out_from[k]) * way->per_way[k], end);
        }
        wide_store(enters + i, begin);
        bits |= wide_bits(wide_at_most(begin, end)) << i;
    }
    return bits;
}

// The children still to be visited, and the shares at which they are entered; the nearest of each node is on top.
typedef struct cast_stack {
    uint32_t child[HITS_TREE_STACK];
    float enters[HITS_TREE_STACK];
    size_t count;
} cast_stack;

static inline void push_children(const hits_tree_node *node, uint32_t bits, const float enters[HITS_TREE_FAN],
                               cast_stack *stack)
{
    const size_t bottom = stack->count;
    for (; bits; bits &= bits - 1) {
        const uint32_t i = mote_lowest_bit(bits);
        size_t at = stack->count++;
        for (; at > bottom && stack->enters[at - 1] < enters[i]; --at) {
            stack->child[at] = stack->child[at - 1];
            stack->enters[at] = stack->enters[at - 1];
        }
        stack->child[at] = node->child[i];
        stack->enters[at] = enters[i];
    }
}

void WIDE_NAME(mote_hits_tree_cast)(const hits_walk *walk, hits_ray *ray, double begin, double end, double margin)
{
    const mote_hits *hits = walk->hits;
    const hits_tree_node *nodes = hits->tree->nodes;
    cast_way way = make_way(walk, ray, begin, end, margin);
    cast_stack stack;
    stack.count = 0;
    uint64_t node_count = 0, cluster_count = 0;
    uint32_t at = HITS_TREE_NODE;
    mote_hits_ray_shear(ray, begin, end, &ray->sheared);
    for (;;) {
        if (at & HITS_TREE_NODE) {
            float enters[HITS_TREE_FAN];
            const hits_tree_node *node = &nodes[at & ~HITS_TREE_NODE];
            const uint32_t bits = enter_children(node, &way, enters);
            ++node_count;
            push_children(node, bits, enters, &stack);
        } else {
            uint32_t lanes = WIDE_NAME(mote_hits_filter_cluster)(&hits->clusters[at], &ray->sheared) &
                             mote_hits_cluster_lanes(hits, at);
            ++cluster_count;
            for (; lanes; lanes &= lanes - 1)
                mote_hits_test_triangle(walk, ray, at * HITS_LANES + mote_lowest_bit(lanes));
            set_most(ray, &way);
        }
        do {
            if (stack.count == 0) goto done;
            at = stack.child[--stack.count];
        } while (stack.enters[stack.count] > way.most);
    }
done:
    walk->counters->nodes += node_count;
    walk->counters->clusters += cluster_count;
}
