// SPDX-License-Identifier: MIT
#include "support/cloud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/wide_number.h"

// ------------------------------------------------------------------------------------------------------- points

cloud cloud_make(mote_scalar scalar, int dimensions, size_t count, double *xyz, double *radii)
{
    cloud made = {.scalar = scalar, .count = count, .xyz = xyz, .radii = radii};
    size_t size = scalar == MOTE_F32 ? sizeof(float) : sizeof(double);
    made.coordinates = malloc((3 * count + 1) * size);
    made.own_radii = malloc((count + 1) * size);
    for (int k = 0; k < 3; ++k) made.points.axis[k] = (char *)made.coordinates + (size_t)k * size;
    made.points.stride = 3 * (ptrdiff_t)size;
    made.points.count = count;
    made.points.scalar = scalar;
    made.points.dimensions = dimensions;
    cloud_refresh(&made);
    return made;
}

void cloud_free(cloud *points)
{
    free(points->xyz);
    free(points->radii);
    free(points->coordinates);
    free(points->own_radii);
}

static double store(mote_scalar scalar, void *array, size_t i, double value)
{
    if (scalar == MOTE_F64) return ((double *)array)[i] = value;
    return (double)(((float *)array)[i] = (float)value);
}

void cloud_refresh(cloud *points)
{
    for (size_t i = 0; i < 3 * points->count; ++i) {
        if ((int)(i % 3) >= points->points.dimensions) points->xyz[i] = 0;
        points->xyz[i] = store(points->scalar, points->coordinates, i, points->xyz[i]);
    }
    for (size_t i = 0; i < points->count; ++i)
        points->radii[i] = store(points->scalar, points->own_radii, i, points->radii[i]);
}

ptrdiff_t cloud_radius_stride(const cloud *points)
{
    return points->scalar == MOTE_F32 ? (ptrdiff_t)sizeof(float) : (ptrdiff_t)sizeof(double);
}

cloud cloud_random(mote_random *random, mote_scalar scalar, int dimensions, size_t count, double radius)
{
    enum { UNIFORM, CLUSTERED, LATTICE, COINCIDENT, OUTLIER, FAR_AWAY, KINDS };
    uint32_t kind = mote_random_below(random, KINDS);
    double *xyz = malloc((3 * count + 1) * sizeof *xyz), *radii = malloc((count + 1) * sizeof *radii);
    double offset = scalar == MOTE_F32 ? 1e3 : 1e7;
    for (size_t i = 0; i < count; ++i) {
        bool in_cluster = kind == CLUSTERED && i > 3 && mote_random_below(random, 8) > 0;
        for (size_t k = 0; k < 3; ++k) {
            double x = mote_random_unit(random);
            if (in_cluster) x = xyz[3 * (i % 4) + k] + 0.02 * mote_random_gauss(random);
            if (kind == LATTICE) x = radius * floor(x / radius * 2) / 2;
            if (kind == COINCIDENT && i > 4) x = xyz[3 * (i % 5) + k];
            if (kind == OUTLIER && i == count / 2) x = 8 * x - 4;
            if (kind == FAR_AWAY) x += k == 1 ? -offset : offset;
            xyz[3 * i + k] = scalar == MOTE_F32 ? (double)(float)x : x;
        }
        radii[i] = radius * ldexp(mote_random_below(random, 3) ? 1 : 0.5 + mote_random_unit(random),
                                  (int)mote_random_below(random, 5) - 3);
    }
    return cloud_make(scalar, dimensions, count, xyz, radii);
}

void cloud_random_box(mote_random *random, int dimensions, mote_vec3 period[3])
{
    bool slanted = mote_random_below(random, 2);
    double edge[3][3] = {{0}};
    for (int a = 0; a < dimensions; ++a) {
        if (mote_random_below(random, 4) == 0) continue;
        double length = ldexp(0.5 + mote_random_unit(random), -(int)mote_random_below(random, 2));
        for (int k = 0; k < dimensions; ++k)
            edge[a][k] = k == a ? length : slanted ? length * 0.6 * (mote_random_unit(random) - 0.5) : 0;
    }
    for (int a = 0; a < 3; ++a) period[a] = (mote_vec3){edge[a][0], edge[a][1], edge[a][2]};
}

// -------------------------------------------------------------------------------------------------- brute force

static double dot(mote_vec3 a, mote_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static mote_vec3 cross(mote_vec3 a, mote_vec3 b)
{
    return (mote_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// For each edge a vector at right angles to the other edges, of length 1: how far it leads along that vector is the
// distance of the two faces that the edge joins. 0 for open axes.
static void find_normals(const mote_vec3 edge[3], mote_vec3 normal[3])
{
    for (int a = 0; a < 3; ++a) {
        mote_vec3 n = edge[a], b = edge[(a + 1) % 3], c = edge[(a + 2) % 3];
        bool has_b = dot(b, b) > 0, has_c = dot(c, c) > 0;
        if (has_b && has_c) n = cross(b, c);
        if (has_b != has_c) {
            mote_vec3 other = has_b ? b : c;
            double share = dot(n, other) / dot(other, other);
            n = (mote_vec3){n.x - share * other.x, n.y - share * other.y, n.z - share * other.z};
        }
        double length = sqrt(dot(n, n));
        if (dot(edge[a], edge[a]) > 0) normal[a] = (mote_vec3){n.x / length, n.y / length, n.z / length};
    }
}

// Images of a difference that can lie within `reach`, with one to spare at either end.
static void find_images(const mote_vec3 edge[3], const mote_vec3 normal[3], const double *xi, const double *xj,
                        double reach, int32_t low[3], int32_t high[3])
{
    mote_vec3 d = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
    for (int a = 0; a < 3; ++a) {
        double height = dot(edge[a], normal[a]);
        low[a] = high[a] = 0;
        if (height == 0) continue;
        double at = -dot(d, normal[a]) / height, span = reach / fabs(height);
        low[a] = (int32_t)floor(at - span) - 1;
        high[a] = (int32_t)ceil(at + span) + 1;
    }
}

// A coordinate of a shift: the whole sum of periods, rounded once to the scalar. Where a sum in the next wider type
// leaves open what that is, the widest has products and sums as they are.
static double find_shift(mote_scalar scalar, const double edge[3], const int32_t k[3])
{
    const double x = k[0] * edge[0], y = k[1] * edge[1], z = k[2] * edge[2];
    if (scalar == MOTE_F64 && (x != 0) + (y != 0) + (z != 0) < 2) return (x + y) + z;
    if (scalar == MOTE_F32) {
        const double sum = (x + y) + z, error = ((fabs(x) + fabs(y)) + fabs(z)) * 0x1p-50;
        if ((float)(sum - error) == (float)(sum + error)) return (double)(float)sum;
    } else {
        typedef long double longer;
        const longer sum = ((longer)k[0] * edge[0] + (longer)k[1] * edge[1]) + (longer)k[2] * edge[2];
        const longer error = (longer)((fabs(x) + fabs(y)) + fabs(z)) * LDBL_EPSILON * 4;
        if ((double)(sum - error) == (double)(sum + error)) return (double)sum;
    }
    const wide_number sum =
        ((wide_number)k[0] * edge[0] + (wide_number)k[1] * edge[1]) + (wide_number)k[2] * edge[2];
    return scalar == MOTE_F32 ? (double)(float)sum : (double)sum;
}

// xj − xi plus the shift, and its squared length, in the scalar.
static double difference(mote_scalar scalar, const double *xi, const double *xj, const double *shift, double d[3])
{
    if (scalar == MOTE_F64) {
        for (int k = 0; k < 3; ++k) d[k] = (xj[k] - xi[k]) + shift[k];
        return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
    float f[3];
    for (int k = 0; k < 3; ++k) {
        f[k] = (float)xj[k] - (float)xi[k];
        f[k] = f[k] + (float)shift[k];
        d[k] = (double)f[k];
    }
    float xx = f[0] * f[0], yy = f[1] * f[1], zz = f[2] * f[2], sum = xx + yy;
    return (double)(sum + zz);
}

static double limit_of(const mote_neighbors_def *def, mote_scalar scalar, double mine, double other)
{
    double reach = mine;
    if (def->features & MOTE_NEIGHBORS_RADII) {
        if (def->radius_rule == MOTE_RADIUS_LARGER && other > mine) reach = other;
        if (def->radius_rule == MOTE_RADIUS_SUM)
            reach = scalar == MOTE_F32 ? (double)((float)mine + (float)other) : mine + other;
    }
    if (scalar == MOTE_F64) return reach * reach;
    float single = (float)reach;
    return (double)(single * single);
}

static int compare_places(const brute_hit *x, const brute_hit *y)
{
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (x->shift[k] != y->shift[k]) return x->shift[k] < y->shift[k] ? -1 : 1;
    return 0;
}

int brute_compare(const void *a, const void *b)
{
    return compare_places(a, b);
}

static int compare_distances(const void *a, const void *b)
{
    const brute_hit *x = a, *y = b;
    if (x->squared != y->squared) return x->squared < y->squared ? -1 : 1;
    return compare_places(x, y);
}

// Whether a row may hold image `shift` of point j at all.
static bool is_wanted(bool half, uint32_t self, uint32_t j, const int32_t shift[3])
{
    if (j != self) return !half || self == UINT32_MAX || j > self;
    int sign = 0;
    for (int k = 2; k >= 0; --k)
        if (shift[k]) sign = shift[k] < 0 ? -1 : 1;
    return half ? sign > 0 : sign != 0;
}

static void add_hit(brute_row *row, brute_hit hit)
{
    if (row->count == row->room) {
        row->room = 2 * row->room + 64;
        row->hits = realloc(row->hits, row->room * sizeof *row->hits);
    }
    row->hits[row->count++] = hit;
}

void brute_find(const mote_neighbors_def *def, const cloud *set, const double at[3], double radius, uint32_t self,
                uint32_t nearest, double reach, brute_row *row)
{
    bool half = (def->features & MOTE_NEIGHBORS_HALF) && !nearest;
    mote_vec3 edge[3] = {{0, 0, 0}}, normal[3] = {{0, 0, 0}};
    if (def->features & MOTE_NEIGHBORS_PERIODIC) memcpy(edge, def->period, sizeof edge);
    find_normals(edge, normal);
    const double along[3][3] = {{edge[0].x, edge[1].x, edge[2].x},
                                {edge[0].y, edge[1].y, edge[2].y},
                                {edge[0].z, edge[1].z, edge[2].z}};
    row->count = 0;
    for (uint32_t j = 0; j < set->count; ++j) {
        const double *xj = set->xyz + 3 * (size_t)j;
        double limit = nearest ? (double)INFINITY : limit_of(def, set->scalar, radius, set->radii[j]);
        int32_t low[3], high[3], k[3];
        find_images(edge, normal, at, xj, reach, low, high);
        for (k[0] = low[0]; k[0] <= high[0]; ++k[0])
            for (k[1] = low[1]; k[1] <= high[1]; ++k[1])
                for (k[2] = low[2]; k[2] <= high[2]; ++k[2]) {
                    brute_hit hit = {.index = j, .shift = {k[0], k[1], k[2]}};
                    double s[3];
                    for (int n = 0; n < 3; ++n) s[n] = find_shift(set->scalar, along[n], k);
                    hit.squared = difference(set->scalar, at, xj, s, hit.d);
                    const bool is_near = def->open_ball && !nearest ? hit.squared < limit : hit.squared <= limit;
                    if (is_near && is_wanted(half, self, j, k)) add_hit(row, hit);
                }
    }
    if (!nearest) return;
    if (row->count) qsort(row->hits, row->count, sizeof *row->hits, compare_distances);
    row->count = row->count > nearest ? nearest : row->count;
}
