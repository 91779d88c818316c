// SPDX-License-Identifier: MIT
// Walks a motion through the cells of the grid and the parts of their nodes (Amanatides & Woo 1987) with bit masks:
// the parts of a node that the motion passes are a mask of 64 bits, which is compared with that of each cluster.
//
// Short motions of points visit the few cells around them. All others go down the tree over the clusters
// (sphere_descent.c), unless the grid's distances prove that they are free.

#include "hits/motion_descent.h"
#include "hits/sphere_sweep.h"

// Subtracted from free lengths for rounding errors [cells].
#define FREE_SLACK 0x1p-9

// ----------------------------------------------------------------------------------------------------- clusters

static void meet_cluster(const hits_walk *walk, hits_ray *ray, uint32_t cluster)
{
    const mote_hits *hits = walk->hits;
    uint32_t lanes = mote_hits_cluster_lanes(hits, cluster);
    walk->counters->clusters++;
    lanes &= hits->motion_lanes->filter_cluster(&hits->clusters[cluster], &ray->sheared);
    for (; lanes; lanes &= lanes - 1) mote_hits_test_triangle(walk, ray, cluster * HITS_LANES + mote_lowest_bit(lanes));
}

// -------------------------------------------------------------------------------------------------------- nodes

// A motion relative to a node's corner, in parts.
typedef struct part_way {
    double from[3], to[3];
} part_way;

static inline int32_t part_of(double at)
{
    return at < 0 ? 0 : at < 4 ? (int32_t)at : 3;
}

// Clips the motion to the node; false if it passes by. It uses up the slack with which triangles were registered.
static bool cut(const part_way *way, double *start, double *end)
{
    const double slack = 0x1p-24;
    double first = 0, last = 1;
    for (int k = 0; k < 3; ++k) {
        const double from = way->from[k], to = way->to[k], step = to - from;
        if (from >= 0 && from <= 4 && to >= 0 && to <= 4) continue;
        if ((from < -slack && to < -slack) || (from > 4 + slack && to > 4 + slack)) return false;
        if (step == 0) continue;
        double a = (-slack - from) / step, b = (4 + slack - from) / step;
        first = MOTE_MAX(first, MOTE_MIN(a, b));
        last = MOTE_MIN(last, MOTE_MAX(a, b));
    }
    *start = first;
    *end = last;
    return first <= last;
}

// The parts that the motion passes. Each step crosses the nearest plane of an axis that has not reached its end yet,
// so the walk always ends in the last part, despite rounding.
static uint64_t way_mask(const part_way *way)
{
    double start, end, next[3], per_part[3];
    if (!cut(way, &start, &end)) return 0;
    int32_t at[3], last[3], left = 0;
    for (int k = 0; k < 3; ++k) {
        const double step = way->to[k] - way->from[k];
        at[k] = part_of(start > 0 ? way->from[k] + start * step : way->from[k]);
        last[k] = part_of(end < 1 ? way->from[k] + end * step : way->to[k]);
        const int32_t apart = last[k] - at[k];
        left += apart < 0 ? -apart : apart;
        next[k] = HUGE_VAL;
        per_part[k] = 0;
        if (apart == 0) continue;
        per_part[k] = fabs(1 / step);
        next[k] = (at[k] + (apart > 0) - way->from[k]) / step;
    }
    uint32_t bit = (uint32_t)(at[0] | at[1] << 2 | at[2] << 4);
    uint64_t mask = UINT64_C(1) << bit;
    for (; left > 0; --left) {
        int k = next[0] < next[1] ? 0 : 1;
        k = next[k] < next[2] ? k : 2;
        const int32_t sign = at[k] < last[k] ? 1 : -1;
        at[k] += sign;
        bit += (uint32_t)(sign * (1 << (2 * k)));
        mask |= UINT64_C(1) << bit;
        next[k] = at[k] == last[k] ? HUGE_VAL : next[k] + per_part[k];
    }
    return mask;
}

static void visit_leaf(const hits_walk *walk, hits_ray *ray, const hits_node *node, uint64_t mask)
{
    const hits_grid *grid = &walk->hits->grid;
    const uint64_t *masks = grid->masks + node->first;
    const uint32_t *clusters = grid->clusters + node->first;
    for (uint32_t r = 0; r < node->count; ++r) {
        if (!(masks[r] & mask)) continue;
        meet_cluster(walk, ray, clusters[r]);
    }
}

static void visit_node(const hits_walk *walk, hits_ray *ray, uint32_t number, const part_way *way)
{
    const hits_grid *grid = &walk->hits->grid;
    const hits_node *node = &grid->nodes[number];
    uint64_t mask = way_mask(way) & node->mask;
    if (!mask) return;
    if (node->count) {
        visit_leaf(walk, ray, node, mask);
        return;
    }
    for (; mask; mask &= mask - 1) {
        const uint32_t part = mote_lowest_bit(mask);
        const uint64_t before = node->mask & ((UINT64_C(1) << part) - 1);
        const double low[3] = {(double)(part & 3), (double)(part >> 2 & 3), (double)(part >> 4)};
        part_way inside;
        for (int k = 0; k < 3; ++k) {
            inside.from[k] = (way->from[k] - low[k]) * 4;
            inside.to[k] = (way->to[k] - low[k]) * 4;
        }
        visit_node(walk, ray, node->first + mote_count_bits(before), &inside);
    }
}

// -------------------------------------------------------------------------------------------------------- cells

static void visit_cell(const hits_walk *walk, hits_ray *ray, const int32_t cell[3])
{
    const hits_grid *grid = &walk->hits->grid;
    const size_t at = ((size_t)cell[2] * grid->size[1] + (size_t)cell[1]) * grid->size[0] + (size_t)cell[0];
    if (!mote_hits_grid_is_occupied(grid, at)) return;
    part_way way;
    for (int k = 0; k < 3; ++k) {
        way.from[k] = (ray->start[k] - cell[k]) * 4;
        way.to[k] = (ray->end[k] - cell[k]) * 4;
    }
    visit_node(walk, ray, mote_hits_grid_rank(grid, at), &way);
}

static int32_t cell_of(const hits_grid *grid, int k, double at)
{
    const double most = (double)grid->size[k] - 1;
    return at <= 0 ? 0 : at < most ? (int32_t)at : (int32_t)most;
}

// The range of cells around the motion; false if the motion misses the grid.
static bool cells_around(const hits_grid *grid, const hits_ray *ray, int32_t low[3], int32_t high[3])
{
    for (int k = 0; k < 3; ++k) {
        const double least = MOTE_MIN(ray->start[k], ray->end[k]) - ray->reach - HITS_MARGIN;
        const double most = MOTE_MAX(ray->start[k], ray->end[k]) + ray->reach + HITS_MARGIN;
        if (!(least < (double)grid->size[k]) || !(most > 0)) return false;
        low[k] = cell_of(grid, k, least);
        high[k] = cell_of(grid, k, most);
    }
    return true;
}

static void visit_box(const hits_walk *walk, hits_ray *ray, const int32_t low[3], const int32_t high[3])
{
    int32_t cell[3];
    for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) visit_cell(walk, ray, cell);
}

// The radius [cells] around a point in the cell in which there is no surface.
static double clearance(const hits_grid *grid, const int32_t cell[3], const double at[3])
{
    const size_t number = ((size_t)cell[2] * grid->size[1] + (size_t)cell[1]) * grid->size[0] + (size_t)cell[0];
    double off2 = 0;
    for (int k = 0; k < 3; ++k) {
        const double off = at[k] - (cell[k] + 0.5);
        off2 += off * off;
    }
    return grid->distance[number] * (1.0 / HITS_DISTANCE_PARTS) - sqrt(off2) - FREE_SLACK;
}

// Whether there is no surface in the ball around the motion.
static bool is_free(const hits_grid *grid, const hits_ray *ray)
{
    int32_t cell[3];
    double middle[3], half2 = 0;
    for (int k = 0; k < 3; ++k) {
        const double half = (ray->end[k] - ray->start[k]) * 0.5, most = (double)grid->size[k];
        half2 += half * half;
        // Outside the grid: the nearest point of the grid is nearer to everything inside.
        middle[k] = MOTE_MIN(MOTE_MAX(ray->start[k] + half, 0.0), most);
        cell[k] = cell_of(grid, k, middle[k]);
    }
    return sqrt(half2) + ray->reach < clearance(grid, cell, middle);
}

// Sets the fields of the ray that only walks need.
static void place(const mote_hits *hits, hits_ray *ray)
{
    const hits_grid *grid = &hits->grid;
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z}, to[3] = {ray->to.x, ray->to.y, ray->to.z};
    for (int k = 0; k < 3; ++k) {
        ray->start[k] = (from[k] - grid->origin[k]) * grid->per_edge;
        ray->end[k] = (to[k] - grid->origin[k]) * grid->per_edge;
    }
    mote_hits_ray_shear(ray, 0, 1, &ray->sheared);
}

void mote_hits_walk(const hits_walk *walk, hits_ray *ray)
{
    const hits_grid *grid = &walk->hits->grid;
    int32_t low[3], high[3];
    double farthest = 0;
    place(walk->hits, ray);
    for (int k = 0; k < 3; ++k) farthest = MOTE_MAX(farthest, MOTE_MAX(fabs(ray->start[k]), fabs(ray->end[k])));
    // Beyond this distance cells cannot be told apart.
    const bool is_near = farthest < HITS_FARTHEST;
    if (is_near && (is_free(grid, ray) || !cells_around(grid, ray, low, high))) return;
    if (is_near && ray->reach == 0) {
        const int64_t cells = ((int64_t)high[0] - low[0] + 1) * ((int64_t)high[1] - low[1] + 1) *
                              ((int64_t)high[2] - low[2] + 1);
        if (cells <= HITS_SHORT_CELLS) {
            visit_box(walk, ray, low, high);
            return;
        }
    }
    mote_hits_tree_descend(walk, ray);
}

void mote_hits_walk_cell(const hits_walk *walk, hits_ray *ray, const int16_t cell[3])
{
    const int32_t at[3] = {cell[0], cell[1], cell[2]};
    place(walk->hits, ray);
    visit_cell(walk, ray, at);
}
