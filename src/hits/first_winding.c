// Winding numbers by a tree of moments (Barill et al. 2018), with a bound of what that leaves out.
//
// A triangle's share is the integral over it of n·g, g(x) = (x − q)/(4π|x − q|³), about the point q. Of a node that is
// far away g is expanded about the centre, up to the first order. The rest is half the second derivative of n·g in the
// direction x − center, somewhere between: a third derivative of the harmonic 1/(4π|x|), at most 6/(4π|x|⁴).

#include "hits/first_closest.h"

#define FOUR_PI 12.566370614359172954

// What a node may add to the error: so much that the sum of some hundred still tells 0 from 1.
static const double SHARE = 0x1p-9;

typedef struct winding_sum {
    double far, error;
    mote_winding near;
} winding_sum;

// Adds a node's moments; false if the point is too near.
static bool add_moments(const first_moments *m, mote_vec3 point, double radii, double share, winding_sum *sum)
{
    const mote_vec3 r = mote_vec3_sub(m->center, point);
    const double d2 = mote_vec3_dot(r, r);
    if (!(d2 > m->radius * m->radius)) return false;
    const double d = sqrt(d2), gap = d - m->radius, gap2 = gap * gap, error = 3 / FOUR_PI * m->second;
    if (!(gap > 0) || !(d > radii * m->radius || error <= share * (gap2 * gap2))) return false;
    const double trace = m->first[0] + m->first[1] + m->first[2];
    const double along = r.x * r.x * m->first[0] + r.y * r.y * m->first[1] + r.z * r.z * m->first[2] +
                         2 * (r.x * r.y * m->first[3] + r.y * r.z * m->first[4] + r.z * r.x * m->first[5]);
    sum->far += (mote_vec3_dot(m->normal, r) + trace - 3 * along / d2) / (FOUR_PI * d2 * d);
    sum->error += error / (gap2 * gap2);
    return true;
}

static void add_cluster(const mote_first_hits *first, size_t cluster, mote_vec3 point, mote_winding *winding)
{
    const size_t begin = cluster * FIRST_LANES, end = MOTE_MIN(begin + FIRST_LANES, first->triangle_count);
    for (size_t t = begin; t < end; ++t) {
        mote_vec3 corner[3];
        mote_first_corners(first, (uint32_t)t, corner);
        const mote_triangle triangle = {corner[0], corner[1], corner[2]};
        mote_winding_add(winding, triangle, point);
    }
}

double mote_first_winding(const mote_first_hits *first, mote_vec3 point, double radii, double share, double *error)
{
    const struct first_closest *tree = first->closest;
    winding_sum sum = {0, 0, mote_winding_none()};
    first_place stack[FIRST_STACK];
    size_t count = 0;
    if (tree->level_count) stack[count++] = (first_place){.level = tree->level_count};
    while (count > 0) {
        const first_place place = stack[--count];
        if (add_moments(mote_first_moments(first, place.level, place.number), point, radii, share, &sum)) continue;
        if (place.level == 0) {
            add_cluster(first, place.number, point, &sum.near);
            continue;
        }
        const size_t begin = (size_t)place.number * FIRST_FAN, below = mote_first_elements(first, place.level - 1);
        for (size_t child = MOTE_MIN(begin + FIRST_FAN, below); child-- > begin;)
            stack[count++] = (first_place){.level = place.level - 1, .number = (uint32_t)child};
    }
    *error = sum.error;
    return sum.far + mote_winding_number(&sum.near);
}

bool mote_first_is_wound(const mote_first_hits *first, mote_vec3 point)
{
    const double rounding = 0x1p-30;
    double error;
    for (double share = SHARE; share > SHARE * 0x1p-10; share /= 16) {
        const double winding = mote_first_winding(first, point, HUGE_VAL, share, &error);
        if (fabs(winding - 0.5) > error + rounding) return winding > 0.5;
    }
    return mote_first_winding(first, point, HUGE_VAL, -1, &error) > 0.5;
}
