// SPDX-License-Identifier: MIT
// Proves for how long a ball and a moving triangle stay apart.
//
// A direction d proves a distance: for |d| at most 1 the triangle is no nearer than the least d·corner. If d is
// fixed, d·corner changes linearly for each corner (Zhang, Lee & Kim 2006). If the triangle turns, such a proof ends
// soon, so d turns as well: along the face's normal, or from the centre to the nearest edge or vertex, as
// polynomials of time in Bernstein form. Then d·corner − limit·|d| is above 0 as long as the hull of its
// coefficients is, where |d| is bounded by the coefficients' lengths. The choice of d needs no accuracy: d is
// exactly what its coefficients define, and only products with it have an error.

#include "hits/sphere_separation.h"

enum { MOST_DEGREE = 3, QUARTERINGS = 20 };

// Error bound of a product of vectors, with room.
#define PRODUCT_ERROR 0x1p-49

// A direction over an interval of the motion.
typedef struct turning {
    mote_vec3 at[MOST_DEGREE + 1];
    int degree;
} turning;

// The corners at the ends of an interval.
typedef struct interval {
    mote_vec3 corner[2][3];
} interval;

// ---------------------------------------------------------------------------------------------------------- look

static double least_along(const mote_vec3 corner[3], mote_vec3 direction)
{
    const double a = mote_vec3_dot(direction, corner[0]), b = mote_vec3_dot(direction, corner[1]);
    const double c = mote_vec3_dot(direction, corner[2]);
    return MOTE_MIN(a, MOTE_MIN(b, c));
}

// The direction from the centre to the foot. Close to the surface the foot is mostly rounding error, so the
// direction of the edge or face itself is used as well.
static mote_vec3 towards_foot(const hits_separation *look)
{
    const mote_foot *foot = &look->foot;
    if (foot->feature == MOTE_FEATURE_FACE)
        return mote_vec3_scale(look->normal, mote_vec3_dot(foot->point, look->normal) < 0 ? -1 : 1);
    const mote_vec3 unit = mote_vec3_unit(foot->point);
    if (foot->feature == MOTE_FEATURE_VERTEX) return unit;
    const mote_vec3 *corner = look->corner;
    const mote_vec3 edge = mote_vec3_unit(mote_vec3_sub(corner[(foot->number + 1) % 3], corner[foot->number]));
    return mote_vec3_unit(mote_vec3_add_scaled(unit, edge, -mote_vec3_dot(unit, edge)));
}

static mote_vec3 unit_normal(const mote_vec3 corner[3])
{
    const mote_vec3 normal = mote_vec3_cross(mote_vec3_sub(corner[1], corner[0]), mote_vec3_sub(corner[2], corner[0]));
    const double largest = MOTE_MAX(fabs(normal.x), MOTE_MAX(fabs(normal.y), fabs(normal.z)));
    // Squares of the sides of small triangles must not underflow.
    return largest > 0 ? mote_vec3_unit(mote_vec3_scale(normal, 1 / largest)) : normal;
}

hits_separation mote_hits_separation_at(const hits_approach *approach, double share)
{
    hits_separation look = {.share = share};
    for (int k = 0; k < 3; ++k) {
        const mote_vec3 a = approach->corner[0][k], b = approach->corner[1][k];
        look.corner[k] = mote_vec3_add_scaled(a, mote_vec3_sub(b, a), share);
    }
    const mote_triangle triangle = {look.corner[0], look.corner[1], look.corner[2]};
    look.foot = mote_triangle_foot(triangle, mote_vec3_make(0, 0, 0));
    look.normal = unit_normal(look.corner);
    look.towards = look.direction = towards_foot(&look);
    look.gap = least_along(look.corner, look.direction);
    if (look.foot.feature == MOTE_FEATURE_FACE) return look;
    const mote_vec3 face = mote_vec3_scale(look.normal, mote_vec3_dot(look.foot.point, look.normal) < 0 ? -1 : 1);
    const double gap = least_along(look.corner, face);
    if (gap > look.gap) look.gap = gap, look.direction = face;
    return look;
}

// ------------------------------------------------------------------------------------------------ fixed directions

static double free_along(const hits_approach *approach, const hits_separation *look, mote_vec3 direction, double limit)
{
    double least = 1 - look->share;
    for (int k = 0; k < 3; ++k) {
        const double now = mote_vec3_dot(direction, look->corner[k]) - limit;
        const double then = mote_vec3_dot(direction, approach->corner[1][k]) - limit;
        if (now < 0) return 0;
        if (then < 0) least = MOTE_MIN(least, (1 - look->share) * (now / (now - then)));
    }
    return least;
}

// ---------------------------------------------------------------------------------------------- turning directions

// The face's normal: the product of two edges.
static turning along_face(const interval *over)
{
    mote_vec3 e[2], f[2];
    for (int i = 0; i < 2; ++i) {
        e[i] = mote_vec3_sub(over->corner[i][1], over->corner[i][0]);
        f[i] = mote_vec3_sub(over->corner[i][2], over->corner[i][0]);
    }
    const mote_vec3 mixed = mote_vec3_add(mote_vec3_cross(e[0], f[1]), mote_vec3_cross(e[1], f[0]));
    const turning made = {{mote_vec3_cross(e[0], f[0]), mote_vec3_scale(mixed, 0.5), mote_vec3_cross(e[1], f[1])}, 2};
    return made;
}

// q (u·w) − ((q·u) w + (q·w) u)/2. For u = w this is the part of q perpendicular to them, times their square.
static mote_vec3 across(mote_vec3 q, mote_vec3 u, mote_vec3 w)
{
    const mote_vec3 along = mote_vec3_add(mote_vec3_scale(w, mote_vec3_dot(q, u)),
                                          mote_vec3_scale(u, mote_vec3_dot(q, w)));
    return mote_vec3_add_scaled(mote_vec3_scale(q, mote_vec3_dot(u, w)), along, -0.5);
}

// The direction from the centre to the nearest point of an edge's line. It is computed relative to the foot, which
// is near, so that the part along the edge is far less than relative to a corner.
static turning along_edge(const interval *over, const mote_foot *foot)
{
    const int from = foot->number, to = (from + 1) % 3;
    mote_vec3 q[2], u[2];
    for (int i = 0; i < 2; ++i) {
        u[i] = mote_vec3_sub(over->corner[i][to], over->corner[i][from]);
        q[i] = mote_vec3_add_scaled(over->corner[i][from], u[i], foot->barycentric[to]);
    }
    turning made = {.degree = 3};
    made.at[0] = across(q[0], u[0], u[0]);
    made.at[1] = mote_vec3_add_scaled(across(q[1], u[0], u[0]), across(q[0], u[0], u[1]), 2);
    made.at[2] = mote_vec3_add_scaled(across(q[0], u[1], u[1]), across(q[1], u[0], u[1]), 2);
    made.at[3] = across(q[1], u[1], u[1]);
    for (int i = 1; i < 3; ++i) made.at[i] = mote_vec3_scale(made.at[i], 1.0 / 3);
    return made;
}

static turning along_vertex(const interval *over, int number)
{
    const turning made = {{over->corner[0][number], over->corner[1][number]}, 1};
    return made;
}

// Given the Bernstein coefficients of a function that begins above 0: the share for which their hull stays above 0.
static double hull_stays_above(const double *b, int degree)
{
    double share = 1;
    for (int i = 0; i < degree; ++i)
        for (int k = i + 1; k <= degree; ++k)
            if (b[i] >= 0 && b[k] < 0) share = MOTE_MIN(share, (i + (k - i) * (b[i] / (b[i] - b[k]))) / degree);
    return share;
}

// The share of the interval during which the direction proves that no corner is nearer than the limit.
static double turning_share(const interval *over, const turning *direction, double sign, double limit)
{
    const int degree = direction->degree + 1;
    double length[MOST_DEGREE + 1], longest = 0, farthest = 0, share = 1;
    for (int i = 0; i < degree; ++i) {
        length[i] = mote_vec3_length(direction->at[i]) * (1 + 0x1p-50);
        longest = MOTE_MAX(longest, length[i]);
    }
    for (int k = 0; k < 6; ++k)
        farthest = MOTE_MAX(farthest, mote_vec3_length(over->corner[k / 3][k % 3]));
    const double error = PRODUCT_ERROR * longest * farthest;
    for (int k = 0; k < 3; ++k) {
        double b[MOST_DEGREE + 2];
        for (int i = 0; i <= degree; ++i) {
            double product = 0, norm = 0;
            if (i < degree) {
                product += (degree - i) * mote_vec3_dot(direction->at[i], over->corner[0][k]);
                norm += (degree - i) * length[i];
            }
            if (i > 0) {
                product += i * mote_vec3_dot(direction->at[i - 1], over->corner[1][k]);
                norm += i * length[i - 1];
            }
            b[i] = (sign * product - limit * norm) / degree - error;
        }
        if (!(b[0] > 0)) return 0;
        share = MOTE_MIN(share, hull_stays_above(b, degree));
    }
    return share;
}

static turning choose(const interval *over, const hits_separation *look, bool face)
{
    if (face || look->foot.feature == MOTE_FEATURE_FACE) return along_face(over);
    if (look->foot.feature == MOTE_FEATURE_EDGE) return along_edge(over, &look->foot);
    return along_vertex(over, look->foot.number);
}

// The hull is wide over long intervals: shorter ones are tried as long as they may prove more.
static double free_turning(const hits_approach *approach, const hits_separation *look, bool face, double limit,
                           double least)
{
    double best = 0, span = 1 - look->share;
    interval over;
    for (int k = 0; k < 3; ++k) over.corner[0][k] = look->corner[k];
    for (int quartered = 0; quartered < QUARTERINGS && span > best && span >= least; ++quartered, span *= 0.25) {
        for (int k = 0; k < 3; ++k) {
            const mote_vec3 a = look->corner[k], b = approach->corner[1][k];
            over.corner[1][k] = mote_vec3_add_scaled(a, mote_vec3_sub(b, a), span / (1 - look->share));
        }
        const turning direction = choose(&over, look, face);
        const double side = mote_vec3_dot(direction.at[0], look->corner[0]);
        const double share = turning_share(&over, &direction, side < 0 ? -1 : 1, limit);
        if (share == 0 && quartered > 2) break;
        best = MOTE_MAX(best, share * span);
    }
    return best;
}

// ----------------------------------------------------------------------------------------------------------- both

double mote_hits_separation_free_share(const hits_approach *approach, const hits_separation *look, double limit,
                                       double least, double enough)
{
    const double left = 1 - look->share;
    double best = free_along(approach, look, look->direction, limit);
    if (best >= left || best > enough || !approach->turns) return best;
    // Where the triangle is still far away, a better proof is not worth its time.
    if (best * approach->speed > 0.25 * limit && best > 0.125 * left) return best;
    if (look->foot.feature != MOTE_FEATURE_FACE)
        best = MOTE_MAX(best, free_turning(approach, look, false, limit, least));
    if (best >= left) return best;
    return MOTE_MAX(best, free_turning(approach, look, true, limit, least));
}
