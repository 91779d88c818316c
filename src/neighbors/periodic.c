// Periodic boxes by the fractions of their edges.
//
// A difference d has the fractions f = E⁻¹ d. Its image k lies within `reach` of 0 only if every |f + k| is at most
// reach / height: the height of an axis is the distance between the box's two faces that this axis joins, so that a
// ball of the reach spans that much of the axis, in slanted boxes too.

#include "neighbors/periodic.h"

#include <math.h>

#include "base/vector.h"

static bool is_finite(mote_vec3 v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

// Gives open axes unit vectors at right angles to the periodic ones.
static void complete(mote_vec3 edge[3], const bool periodic[3], int periodic_count)
{
    static const mote_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (periodic_count == 0) {
        for (int a = 0; a < 3; ++a) edge[a] = units[a];
    } else if (periodic_count == 1) {
        int along = periodic[0] ? 0 : periodic[1] ? 1 : 2;
        mote_vec3 unit = mote_vec3_unit(edge[along]);
        int least = 0;  // the unit vector that leans on it least
        for (int k = 1; k < 3; ++k)
            if (fabs(mote_vec3_dot(unit, units[k])) < fabs(mote_vec3_dot(unit, units[least]))) least = k;
        edge[(along + 1) % 3] = mote_vec3_unit(mote_vec3_cross(unit, units[least]));
        edge[(along + 2) % 3] = mote_vec3_cross(unit, edge[(along + 1) % 3]);
    } else if (periodic_count == 2) {
        int open = !periodic[0] ? 0 : !periodic[1] ? 1 : 2;
        edge[open] = mote_vec3_unit(mote_vec3_cross(mote_vec3_unit(edge[(open + 1) % 3]),
                                                    mote_vec3_unit(edge[(open + 2) % 3])));
    }
}

mote_result mote_periodic_box_make(const mote_vec3 period[3], mote_vec3 origin, periodic_box *box, mote_error *error)
{
    mote_vec3 edge[3] = {period[0], period[1], period[2]};
    int count = 0;
    for (int a = 0; a < 3; ++a) {
        if (!is_finite(edge[a]) || !is_finite(origin))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a, "period: edge %d or the origin is not finite", a);
        box->periodic[a] = edge[a].x != 0 || edge[a].y != 0 || edge[a].z != 0;
        count += box->periodic[a];
    }
    complete(edge, box->periodic, count);
    mote_vec3 unit[3] = {mote_vec3_unit(edge[0]), mote_vec3_unit(edge[1]), mote_vec3_unit(edge[2])};
    double volume = mote_vec3_dot(mote_vec3_cross(unit[0], unit[1]), unit[2]);
    if (!(fabs(volume) > 1e-6))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "period: the edges span no volume, expected independent ones");
    box->roundoff = 0x1p-48 / fabs(volume);
    for (int a = 0; a < 3; ++a) {
        // The row of E⁻¹: normal to the two other edges, with 1 along its own.
        mote_vec3 normal = mote_vec3_cross(unit[(a + 1) % 3], unit[(a + 2) % 3]);
        double along = mote_vec3_dot(normal, edge[a]);
        mote_vec3 row = mote_vec3_scale(normal, 1 / along);
        box->height[a] = 1 / mote_vec3_length(row);
        box->inverse[a][0] = row.x, box->inverse[a][1] = row.y, box->inverse[a][2] = row.z;
        box->edge[a][0] = edge[a].x, box->edge[a][1] = edge[a].y, box->edge[a][2] = edge[a].z;
        if (!(box->height[a] > 0 && box->height[a] - box->height[a] == 0))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a, "period: edge %d is out of range", a);
        if (!box->periodic[a]) box->edge[a][0] = box->edge[a][1] = box->edge[a][2] = 0;  // shifts nothing
    }
    box->origin[0] = origin.x, box->origin[1] = origin.y, box->origin[2] = origin.z;
    return MOTE_OK;
}

mote_result mote_periodic_box_check(const periodic_box *box, int dimensions, const mote_box *bounds, const char *what,
                                    mote_error *error)
{
    for (int a = 0; a < 3; ++a)
        for (int k = dimensions; k < 3; ++k)
            if (box->periodic[a] && box->edge[a][k] != 0)
                return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a,
                                 "period: edge %d leaves the space of the points, which have %d dimensions", a,
                                 dimensions);
    if (!(bounds->min.x <= bounds->max.x)) return MOTE_OK;
    for (int corner = 0; corner < 8; ++corner) {
        double at[3] = {corner & 1 ? bounds->max.x : bounds->min.x, corner & 2 ? bounds->max.y : bounds->min.y,
                        corner & 4 ? bounds->max.z : bounds->min.z};
        double fraction[3];
        for (int k = 0; k < 3; ++k) at[k] -= box->origin[k];
        mote_periodic_fractions(box, at, fraction);
        for (int a = 0; a < 3; ++a)
            if (box->periodic[a] && !(fabs(fraction[a]) < 0x1p29))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                                 "%s: more than 2^29 periods away from the box along edge %d", what, a);
    }
    return MOTE_OK;
}

mote_result mote_periodic_reach_check(const periodic_box *box, double reach, mote_error *error)
{
    for (int a = 0; a < 3; ++a)
        if (box->periodic[a] && !(reach / box->height[a] < 0x1p29))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, (uint64_t)a,
                             "radius: more than 2^29 periods of the box along edge %d", a);
    return MOTE_OK;
}

double mote_longest_edge(const periodic_box *box)
{
    double longest = 0;
    for (int a = 0; a < 3; ++a) {
        const double *e = box->edge[a];
        longest = MOTE_MAX(longest, sqrt((e[0] * e[0] + e[1] * e[1]) + e[2] * e[2]));
    }
    return longest;
}

double mote_periodic_open_distance(const periodic_box *box, const double d[3])
{
    double fraction[3], squared = 0;
    mote_periodic_fractions(box, d, fraction);
    for (int a = 0; a < 3; ++a)
        if (!box->periodic[a]) squared += fraction[a] * fraction[a];
    return sqrt(squared);
}

image_range mote_periodic_near(const periodic_box *box, const double d[3], double reach, mote_scalar scalar)
{
    double fraction[3], length = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    mote_periodic_fractions(box, d, fraction);
    // The test's differences and shifts are rounded: each about as long as d at most.
    double margin = ((scalar == MOTE_F32 ? 0x1p-20 : 0x1p-48) + box->roundoff) * (length + reach);
    // What the open axes leave of the reach: no image comes nearer along them.
    double open = mote_periodic_open_distance(box, d) - margin, whole = reach + margin;
    double rest = open > 0 ? sqrt(MOTE_MAX((whole - open) * (whole + open), 0.0)) : whole;
    image_range range;
    for (int a = 0; a < 3; ++a) {
        double span = (rest + margin) / box->height[a];
        range.low[a] = range.high[a] = 0;
        if (!box->periodic[a]) continue;
        range.low[a] = (int32_t)ceil(-fraction[a] - span - 1e-9);
        range.high[a] = (int32_t)floor(-fraction[a] + span + 1e-9);
    }
    return range;
}
