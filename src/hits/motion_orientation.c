// SPDX-License-Identifier: MIT
// Exact determinants by adaptive precision (Shewchuk 1997). Floating point with an error bound decides almost all
// signs. The others are computed from expansions: sums of doubles that do not overlap, smallest first, which are
// exact.

#include "hits/motion_orientation.h"

#include "base/internal.h"
#include "base/twice.h"

enum {
    DETERMINANT_TERMS = 192,  // for a determinant of differences of two terms each
    SHORT_TERMS = 64,         // after compression: neighbours are 2^53 apart, and doubles span 2^2100
    PRODUCT_TERMS = 2 * SHORT_TERMS * SHORT_TERMS
};

// Relative to the sum of the products' magnitudes (Shewchuk 1997, o3derrboundA).
#define ORIENT_ERROR (8 * 0x1p-53)

// ------------------------------------------------------------------------------------------------- expansions

static inline double two_sum(double a, double b, double *tail)
{
    const mote_twice sum = mote_twice_sum(a, b);
    *tail = sum.low;
    return sum.high;
}

static inline double fast_two_sum(double a, double b, double *tail)
{
    double sum = a + b;
    *tail = b - (sum - a);
    return sum;
}

static inline double two_product(double a, double b, double *tail)
{
    const mote_twice product = mote_twice_product(a, b);
    *tail = product.low;
    return product.high;
}

// h = e + f, without zeros. h has room for both and does not overlap them in memory.
static int add(int e_count, const double *e, int f_count, const double *f, double *h)
{
    int i = 0, k = 0, count = 0;
    double sum = 0, tail;
    while (i < e_count || k < f_count) {
        const bool from_e = k == f_count || (i < e_count && fabs(e[i]) < fabs(f[k]));
        sum = two_sum(sum, from_e ? e[i++] : f[k++], &tail);
        if (tail != 0) h[count++] = tail;
    }
    if (sum != 0) h[count++] = sum;
    return count;
}

// h = b · e, without zeros; h has room for twice as many terms.
static int scale(int count, const double *e, double b, double *h)
{
    int made = 0;
    double sum = 0, tail;
    for (int i = 0; i < count; ++i) {
        double low, high = two_product(e[i], b, &low);
        sum = two_sum(sum, low, &tail);
        if (tail != 0) h[made++] = tail;
        sum = fast_two_sum(high, sum, &tail);
        if (tail != 0) h[made++] = tail;
    }
    if (sum != 0) h[made++] = sum;
    return made;
}

// Rewrites the same value in as few terms as possible, in place.
static int compress(int count, double *e)
{
    if (count == 0) return 0;
    double sum = e[count - 1], tail;
    int bottom = count - 1;
    for (int i = count - 2; i >= 0; --i) {
        sum = fast_two_sum(sum, e[i], &tail);
        if (tail == 0) continue;
        e[bottom--] = sum;
        sum = tail;
    }
    int top = 0;
    for (int i = bottom + 1; i < count; ++i) {
        double larger = fast_two_sum(e[i], sum, &tail);
        if (tail != 0) e[top++] = tail;
        sum = larger;
    }
    e[top++] = sum;
    return top;
}

static int difference(double a, double b, double e[2])
{
    double tail, high = two_sum(a, -b, &tail);
    int count = 0;
    if (tail != 0) e[count++] = tail;
    if (high != 0) e[count++] = high;
    return count;
}

static int multiply(int e_count, const double *e, int f_count, const double *f, double *h, double *scaled,
                    double *spare)
{
    int count = 0;
    for (int i = 0; i < f_count; ++i) {
        int terms = scale(e_count, e, f[i], scaled);
        count = add(count, h, terms, scaled, spare);
        memcpy(h, spare, (size_t)count * sizeof *h);
    }
    return count;
}

// A difference, as at most two terms.
typedef struct short_number {
    double terms[2];
    int count;
} short_number;

// h = a·d − b·c
static int minor(const short_number *a, const short_number *b, const short_number *c, const short_number *d,
                 double h[16])
{
    double scaled[4], spare[8], ad[8], bc[8];
    int ad_count = multiply(a->count, a->terms, d->count, d->terms, ad, scaled, spare);
    int bc_count = multiply(b->count, b->terms, c->count, c->terms, bc, scaled, spare);
    for (int i = 0; i < bc_count; ++i) bc[i] = -bc[i];
    return add(ad_count, ad, bc_count, bc, h);
}

// det(x, y, z) of three vectors of differences, with at most DETERMINANT_TERMS terms.
static int determinant(const short_number x[3], const short_number y[3], const short_number z[3], double *h)
{
    double parts[3][64], scaled[32], spare[64], pair[128], two[16];
    int counts[3];
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        int count = minor(&y[l], &y[m], &z[l], &z[m], two);
        counts[k] = multiply(count, two, x[k].count, x[k].terms, parts[k], scaled, spare);
    }
    int pairs = add(counts[0], parts[0], counts[1], parts[1], pair);
    return add(pairs, pair, counts[2], parts[2], h);
}

static void differences(mote_vec3 a, mote_vec3 b, short_number d[3])
{
    d[0].count = difference(a.x, b.x, d[0].terms);
    d[1].count = difference(a.y, b.y, d[1].terms);
    d[2].count = difference(a.z, b.z, d[2].terms);
}

static first_volume exact_orient(mote_vec3 x, mote_vec3 y, mote_vec3 z, mote_vec3 r)
{
    short_number from_r[3][3];
    double terms[DETERMINANT_TERMS];
    differences(x, r, from_r[0]);
    differences(y, r, from_r[1]);
    differences(z, r, from_r[2]);
    int count = compress(determinant(from_r[0], from_r[1], from_r[2], terms), terms);
    double value = count ? terms[count - 1] : 0;
    first_volume volume = {value, fabs(value) * 0x1p-52, (value > 0) - (value < 0)};
    return volume;
}

// ------------------------------------------------------------------------------------------------- predicates

first_volume mote_hits_orient(mote_vec3 x, mote_vec3 y, mote_vec3 z, mote_vec3 r)
{
    const mote_vec3 a = mote_vec3_sub(x, r), b = mote_vec3_sub(y, r), c = mote_vec3_sub(z, r);
    double bycz = b.y * c.z, bzcy = b.z * c.y, bzcx = b.z * c.x, bxcz = b.x * c.z, bxcy = b.x * c.y, bycx = b.y * c.x;
    double value = a.x * (bycz - bzcy) + a.y * (bzcx - bxcz) + a.z * (bxcy - bycx);
    double size = fabs(a.x) * (fabs(bycz) + fabs(bzcy)) + fabs(a.y) * (fabs(bzcx) + fabs(bxcz)) +
                  fabs(a.z) * (fabs(bxcy) + fabs(bycx));
    first_volume volume = {value, ORIENT_ERROR * size, (value > 0) - (value < 0)};
    if (fabs(value) > volume.error) return volume;
    return exact_orient(x, y, z, r);
}

// The numerator and denominator of a crossing's time: det(a − P, b − P, c − P) and det(Q − P, b − a, c − a).
static void exact_time(mote_vec3 from, mote_vec3 to, const mote_vec3 t[3], double *over, int *over_count, double *under,
                       int *under_count)
{
    short_number a[3], b[3], c[3];
    differences(t[0], from, a);
    differences(t[1], from, b);
    differences(t[2], from, c);
    *over_count = compress(determinant(a, b, c, over), over);
    differences(to, from, a);
    differences(t[1], t[0], b);
    differences(t[2], t[0], c);
    *under_count = compress(determinant(a, b, c, under), under);
}

int mote_hits_compare_times(mote_vec3 from, mote_vec3 to, const mote_vec3 a[3], const mote_vec3 b[3])
{
    double over[2][DETERMINANT_TERMS], under[2][DETERMINANT_TERMS];
    int over_count[2], under_count[2];
    exact_time(from, to, a, over[0], &over_count[0], under[0], &under_count[0]);
    exact_time(from, to, b, over[1], &over_count[1], under[1], &under_count[1]);
    for (int k = 0; k < 2; ++k)
        MOTE_ASSERT(over_count[k] <= SHORT_TERMS && under_count[k] > 0 && under_count[k] <= SHORT_TERMS);
    double left[PRODUCT_TERMS], right[PRODUCT_TERMS], scaled[2 * SHORT_TERMS], spare[2 * PRODUCT_TERMS];
    int left_count = multiply(over_count[0], over[0], under_count[1], under[1], left, scaled, spare);
    int right_count = multiply(over_count[1], over[1], under_count[0], under[0], right, scaled, spare);
    for (int i = 0; i < right_count; ++i) right[i] = -right[i];
    int count = add(left_count, left, right_count, right, spare);
    int sign = count ? (spare[count - 1] > 0) - (spare[count - 1] < 0) : 0;
    for (int k = 0; k < 2; ++k)
        if (under[k][under_count[k] - 1] < 0) sign = -sign;
    return sign;
}

// Adds the smallest terms first: what is lost is far below the last bit of the sum.
static double sum_of(const double *terms, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += terms[i];
    return sum;
}

double mote_hits_exact_crossing(mote_vec3 from, mote_vec3 to, const mote_vec3 t[3], double barycentric[3])
{
    double over[DETERMINANT_TERMS], under[DETERMINANT_TERMS];
    int over_count, under_count;
    short_number way[3], corner[3][3];
    exact_time(from, to, t, over, &over_count, under, &under_count);
    const double whole = sum_of(under, under_count), time = sum_of(over, over_count) / whole;
    differences(to, from, way);
    for (int k = 0; k < 3; ++k) differences(t[k], from, corner[k]);
    for (int k = 0; k < 3; ++k) {
        const int count = compress(determinant(way, corner[(k + 1) % 3], corner[(k + 2) % 3], over), over);
        barycentric[k] = sum_of(over, count) / whole;
    }
    return time;
}
