// SPDX-License-Identifier: MIT
// Winding numbers from a tree of moments (Barill et al. 2018), with a bound of the error.

#include "hits/closest.h"

#define FOUR_PI 12.566370614359172954

// Beyond this many of its radii the whole mesh is estimated from its area alone.
#define FARTHEST 0x1p19

static void clear(hits_winding_sum *sum)
{
    *sum = (hits_winding_sum){.re = {1, 1, 1, 1, 1, 1, 1, 1}};
}

static double number_of(const hits_winding_sum *sum, double *error)
{
    mote_winding near = mote_winding_none();
    double far = 0, off = 0;
    for (int i = 0; i < HITS_LANES; ++i) {
        const mote_winding lane = {sum->re[i], sum->im[i], sum->turns[i]};
        mote_winding_join(&near, &lane);
        far += sum->far[i];
        off += sum->error[i];
    }
    *error = off;
    return far + mote_winding_number(&near);
}

static bool is_line(const mote_hits *hits, size_t t)
{
    if (hits->closest->solid[t / HITS_LANES] >> t % HITS_LANES & 1) return false;
    mote_vec3 corner[3];
    mote_hits_corners(hits, (uint32_t)t, corner);
    return mote_triangle_is_line((mote_triangle){corner[0], corner[1], corner[2]});
}

static void add_cluster(const mote_hits *hits, size_t cluster, mote_vec3 point, hits_winding_sum *sum)
{
    const size_t begin = cluster * HITS_LANES, last = hits->triangle_count - 1;
    hits_corners corners;
    for (size_t i = 0; i < HITS_LANES; ++i) {
        // Past the last triangle a lane repeats one point, which adds nothing. So does the lane of a triangle that
        // is a line.
        const size_t t = MOTE_MIN(begin + i, last), step = begin + i <= last && !is_line(hits, t);
        const uint32_t *number = hits->triangles + 3 * t;
        for (size_t v = 0; v < 3; ++v) {
            const mote_vec3 at = mote_vec3_sub(hits->vertices[number[v * step]], point);
            corners.at[3 * v][i] = at.x;
            corners.at[3 * v + 1][i] = at.y;
            corners.at[3 * v + 2][i] = at.z;
        }
    }
    hits->closest->lanes->add_near(&corners, sum);
}

// Adds a node's children that are far. Returns the bits of the others.
static uint32_t add_far(const struct hits_closest *tree, const hits_far_children *far, mote_vec3 point,
                        hits_winding_reach reach, hits_winding_sum *sum)
{
    const float at[3] = {(float)((point.x - far->center[0]) * far->per_unit),
                         (float)((point.y - far->center[1]) * far->per_unit),
                         (float)((point.z - far->center[2]) * far->per_unit)};
    return tree->lanes->add_far(far, at, reach, sum);
}

// Whether the whole mesh is so far away that its winding number is 0 up to the error.
static bool is_far(const struct hits_closest *tree, mote_vec3 point, hits_winding_reach reach, double *error)
{
    const double *center = tree->far[tree->level[tree->level_count] - 1].center;
    const mote_vec3 apart = {point.x - center[0], point.y - center[1], point.z - center[2]};
    const double d = mote_vec3_length(apart), gap = d - tree->radius;
    if (!(d > FARTHEST * tree->radius)) return false;
    *error = tree->area / (FOUR_PI * gap * gap);
    return *error <= (double)reach.share || d > (double)reach.radii * tree->radius;
}

// A node that is still to be added.
typedef struct winding_entry {
    uint32_t level, number;
} winding_entry;

double mote_hits_winding_about(const mote_hits *hits, mote_vec3 point, hits_winding_reach reach, double *error)
{
    const struct hits_closest *tree = hits->closest;
    *error = 0;
    if (tree->level_count == 0 || is_far(tree, point, reach, error)) return 0;
    hits_winding_sum sum;
    clear(&sum);
    winding_entry stack[HITS_STACK];
    size_t count = 1;
    stack[0] = (winding_entry){tree->level_count, 0};
    while (count > 0) {
        const winding_entry place = stack[--count];
        const uint32_t begin = place.number * HITS_FAN;
        const size_t there = mote_hits_level_elements(hits, place.level - 1) - begin;
        const hits_far_children *far = &tree->far[tree->level[place.level - 1] + place.number];
        uint32_t bits = add_far(tree, far, point, reach, &sum);
        if (there < HITS_FAN) bits &= (UINT32_C(1) << there) - 1;
        for (; bits; bits &= bits - 1) {
            const uint32_t child = begin + mote_lowest_bit(bits);
            if (place.level == 1)
                add_cluster(hits, child, point, &sum);
            else
                stack[count++] = (winding_entry){place.level - 1, child};
        }
    }
    return number_of(&sum, error);
}

bool mote_hits_winding_is_inside(const mote_hits *hits, mote_vec3 point)
{
    static const float shares[] = {0x1p-8f, 0x1p-12f, 0x1p-16f, 0x1p-20f};
    const double rounding = 0x1p-30;
    double error;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i) {
        const hits_winding_reach reach = {HUGE_VALF, shares[i]};
        const double winding = mote_hits_winding_about(hits, point, reach, &error);
        if (fabs(winding - 0.5) > error + rounding) return winding > 0.5;
    }
    const hits_winding_reach all = {HUGE_VALF, -1};
    return mote_hits_winding_about(hits, point, all, &error) > 0.5;
}
