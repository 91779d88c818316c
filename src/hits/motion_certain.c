// SPDX-License-Identifier: MIT
// The hits of motions whose first triangles are certain, WIDE_F64 at a time: the arithmetic of motion_triangle.c and
// motion_result.c, operation by operation, for hits inside of a face whose signs and errors need nothing exact. The
// others are left to these.

#include "base/wide.h"
#include "hits/motion_certain.h"

typedef struct wide_vec64 {
    wide_f64 x, y, z;
} wide_vec64;

static inline wide_vec64 load_points(const hits_certain *motions, size_t which)
{
    wide_f64 columns[4];
    uint32_t record[WIDE_F64];
    for (uint32_t l = 0; l < WIDE_F64; ++l) record[l] = HITS_CERTAIN_RECORDS * l;
    wide_load_columns_f64(motions->point[which], record, columns);
    return (wide_vec64){columns[0], columns[1], columns[2]};
}

static inline wide_vec64 sub(wide_vec64 a, wide_vec64 b)
{
    return (wide_vec64){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline wide_vec64 scaled(wide_vec64 a, wide_f64 s)
{
    return (wide_vec64){a.x * s, a.y * s, a.z * s};
}

static inline wide_f64 dot_64(wide_vec64 a, wide_vec64 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline wide_vec64 cross_64(wide_vec64 a, wide_vec64 b)
{
    return (wide_vec64){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline wide_f64 largest(wide_vec64 v)
{
    return wide_max(wide_abs(v.x), wide_max(wide_abs(v.y), wide_abs(v.z)));
}

// Motions and their triangles.
typedef struct certain_motions {
    wide_vec64 from, to, way, corner[3], e, f, normal;  // edges from the first corner; their product
} certain_motions;

typedef struct certain_hits {
    wide_f64 time, time_error, weight[3];
    wide_vec64 point, normal;
    wide_f64 side;
    wide_mask_f64 is_known;  // whether nothing exact is needed
} certain_hits;

static inline certain_motions load_motions(const hits_certain *motions)
{
    certain_motions of = {.from = load_points(motions, 0), .to = load_points(motions, 1)};
    of.way = sub(of.to, of.from);
    for (size_t k = 0; k < 3; ++k) of.corner[k] = load_points(motions, 2 + k);
    of.e = sub(of.corner[1], of.corner[0]);
    of.f = sub(of.corner[2], of.corner[0]);
    of.normal = cross_64(of.e, of.f);
    return of;
}

// The crossings: times and barycentrics.
static inline void cross_planes(const certain_motions *of, certain_hits *made)
{
    wide_vec64 apart[3];
    wide_f64 size[3], value[3], error[3];
    for (int k = 0; k < 3; ++k) {
        apart[k] = sub(of->corner[k], of->from);
        size[k] = largest(apart[k]);
    }
    const wide_f64 way_error = HITS_VOLUME_ERROR * largest(of->way);
    wide_f64 start = wide_all_f64(0);
    wide_mask_f64 is_clear = wide_less(start, wide_all_f64(1));
    for (int k = 0; k < 3; ++k) {
        const wide_vec64 normal = cross_64(apart[(k + 1) % 3], apart[(k + 2) % 3]);
        error[k] = way_error * size[(k + 1) % 3] * size[(k + 2) % 3];
        value[k] = dot_64(of->way, normal);
        is_clear = wide_both(is_clear, wide_less(error[k], wide_abs(value[k])));
        if (k == 0) start = dot_64(apart[0], normal);
    }
    const wide_f64 start_error = HITS_VOLUME_ERROR * size[0] * size[1] * size[2];
    const wide_f64 under = (value[0] + value[1]) + value[2], edges = (error[0] + error[1]) + error[2];
    const wide_mask_f64 is_good = wide_at_most(edges, HITS_TOLERABLE_ERROR * wide_abs(under));
    const wide_f64 end = start - under;
    const wide_f64 errors = ((start_error + error[0]) + error[1]) + error[2];
    const wide_f64 end_error = errors + 0x1p-51 * (wide_abs(start) + wide_abs(under));
    const wide_mask_f64 has_ends =
        wide_both(wide_less(start_error, wide_abs(start)), wide_less(end_error, wide_abs(end)));
    made->time_error = 2 * errors / wide_abs(under) + 0x1p-50;
    made->time = wide_min(wide_max(start / under, wide_all_f64(0)), wide_all_f64(1));
    for (int k = 0; k < 3; ++k) made->weight[k] = value[k] / under;
    made->side = wide_select(wide_less(start, wide_all_f64(0)), wide_all_f64(1), wide_all_f64(-1));
    made->is_known = wide_both(wide_both(is_clear, is_good), has_ends);
}

// As mote_twice_sum.
static inline wide_f64 two_sum(wide_f64 a, wide_f64 b, wide_f64 *low)
{
    const wide_f64 sum = a + b, virtual_b = sum - a, virtual_a = sum - virtual_b;
    *low = (a - virtual_a) + (b - virtual_b);
    return sum;
}

typedef struct split_f64 {
    wide_f64 high, low;
} split_f64;

// Two halves of at most 26 bits each (Dekker 1971), as in mote_twice_product.
static inline split_f64 split(wide_f64 a)
{
    const wide_f64 c = (0x1p27 + 1) * a, high = c - (c - a);
    return (split_f64){high, a - high};
}

// As component_from_corner in motion_result.c.
static inline wide_f64 component_from_corner(wide_f64 from, wide_f64 to, wide_f64 corner, wide_f64 time,
                                             const split_f64 *halves)
{
    wide_f64 way_low, apart_low;
    const wide_f64 way = two_sum(to, -from, &way_low), apart = two_sum(corner, -from, &apart_low), gone = way * time;
    const split_f64 parts = split(way);
    const wide_f64 error =
        ((gone - parts.high * halves->high) - parts.low * halves->high) - parts.high * halves->low;
    const wide_f64 gone_low = parts.low * halves->low - error;
    return (gone - apart) + ((gone_low - apart_low) + way_low * time);
}

// Where times and barycentrics are not accurate enough: those relative to the triangle, as in motion_result.c.
static inline void place_by_plane(const certain_motions *of, certain_hits *made)
{
    const wide_mask_f64 is_good = wide_at_most(made->time_error, wide_all_f64(HITS_PLACE_ERROR / 2));
    if (wide_bits(is_good) == (1u << WIDE_F64) - 1) return;
    const wide_vec64 apart = sub(of->corner[0], of->from);
    const wide_f64 under = dot_64(of->way, of->normal), area2 = dot_64(of->normal, of->normal);
    const wide_f64 size = wide_max(largest(of->e), largest(of->f)), product = HITS_PLANE_ERROR * size * size;
    const wide_f64 length = largest(of->way), distance = largest(apart);
    const wide_f64 first = dot_64(apart, of->normal) / under;
    const split_f64 halves = split(first);
    const wide_vec64 from = of->from, to = of->to, corner = of->corner[0];
    wide_vec64 at = {component_from_corner(from.x, to.x, corner.x, first, &halves),
                     component_from_corner(from.y, to.y, corner.y, first, &halves),
                     component_from_corner(from.z, to.z, corner.z, first, &halves)};
    const wide_f64 left = dot_64(at, of->normal) / under;
    at = sub(at, scaled(of->way, left));
    const wide_f64 time = wide_min(wide_max(first - left, wide_all_f64(0)), wide_all_f64(1));
    const wide_f64 second = dot_64(of->normal, cross_64(at, of->f)) / area2;
    const wide_f64 third = dot_64(of->normal, cross_64(of->e, at)) / area2;
    const wide_f64 steep = product * length / wide_abs(under);
    const wide_f64 at_error = HITS_PLACE_ROUNDING * size + HITS_FAR_ROUNDING * (distance + length) + steep * size;
    const wide_f64 error = steep * (distance / length + 1) +
                           3 * (at_error * size / wide_sqrt(area2) + product * size * size / area2);
    made->time = wide_select(is_good, made->time, time);
    made->weight[0] = wide_select(is_good, made->weight[0], 1 - second - third);
    made->weight[1] = wide_select(is_good, made->weight[1], second);
    made->weight[2] = wide_select(is_good, made->weight[2], third);
    const wide_mask_f64 is_placed = wide_either(is_good, wide_at_most(error, wide_all_f64(HITS_PLACE_ERROR)));
    made->is_known = wide_both(made->is_known, is_placed);
}

static inline void place(const certain_motions *of, double unscale, certain_hits *made)
{
    const wide_f64 zero = wide_all_f64(0);
    wide_vec64 point = {zero, zero, zero};
    for (int k = 0; k < 3; ++k) {
        const wide_vec64 part = scaled(of->corner[k], made->weight[k]);
        point = (wide_vec64){point.x + part.x, point.y + part.y, point.z + part.z};
    }
    made->point = scaled(point, wide_all_f64(unscale));
    const wide_vec64 normal = scaled(of->normal, 1 / wide_max(largest(of->normal), wide_all_f64(0x1p-1000)));
    const wide_f64 length = wide_sqrt(dot_64(normal, normal));
    made->is_known = wide_both(made->is_known, wide_less(zero, length));
    made->normal = scaled(scaled(normal, 1 / length), made->side);
}

static inline void store_vectors(double to[3][WIDE_F64], wide_vec64 v)
{
    wide_store(to[0], v.x);
    wide_store(to[1], v.y);
    wide_store(to[2], v.z);
}

// A hit is put together where it is in the cache, and stored as a whole.
typedef union hit_record {
    mote_hit hit;
    double part[sizeof(mote_hit) / sizeof(double)];
} hit_record;
_Static_assert(sizeof(mote_hit) == 16 * sizeof(double), "two lines of memory");

enum { RECORD_PARTS = sizeof(hit_record) / sizeof(double) };

static inline void store_record(const hit_record *record, mote_hit *hit, bool past_caches)
{
    if (!past_caches) {
        *hit = record->hit;
        return;
    }
    for (size_t k = 0; k < RECORD_PARTS; k += WIDE_F64) wide_stream((double *)hit + k, wide_load(record->part + k));
}

// Puts together the hits of WIDE_F64 motions.
static inline void make_records(const mote_hits *hits, const hits_certain *motions, size_t count, double unscale,
                                hit_record *records)
{
    const certain_motions of = load_motions(motions);
    certain_hits made;
    double time[WIDE_F64], weight[3][WIDE_F64], point[3][WIDE_F64], normal[3][WIDE_F64], side[WIDE_F64];
    cross_planes(&of, &made);
    place_by_plane(&of, &made);
    place(&of, unscale, &made);
    wide_store(time, made.time);
    wide_store(side, made.side);
    for (int k = 0; k < 3; ++k) wide_store(weight[k], made.weight[k]);
    store_vectors(point, made.point);
    store_vectors(normal, made.normal);
    const uint32_t known = wide_bits(made.is_known);
    for (size_t l = 0; l < count; ++l) {
        const hits_certain *motion = &motions[l];
        mote_hit *hit = &records[l].hit;
        records[l].part[RECORD_PARTS - 1] = 0;  // the bytes behind its last number
        if (!(known >> l & 1)) {
            mote_hits_certain_alone(hits, motion, hit);
            continue;
        }
        hit->time = time[l];
        hit->point = (mote_vec3){point[0][l], point[1][l], point[2][l]};
        hit->normal = (mote_vec3){normal[0][l], normal[1][l], normal[2][l]};
        hit->velocity = (mote_vec3){0, 0, 0};
        for (int k = 0; k < 3; ++k) hit->barycentric[k] = weight[k][l];
        hit->particle = motion->particle;
        hit->side = (int32_t)side[l];
        hit->feature = MOTE_FEATURE_FACE;
        mote_hits_name_triangle(hits, hits->original[motion->triangle], &hit->mesh, &hit->triangle);
    }
}

// Records are stored one vector of motions later than they are made: what was stored in parts just before is slow to
// load as a whole.
void WIDE_NAME(mote_hits_certain_results)(const mote_hits *hits, const hits_certain *motions, size_t count,
                                          bool past_caches, mote_hit *found)
{
    const double unscale = 1 / hits->scale;
    hit_record records[2][WIDE_F64];
    for (size_t n = 0; n < count + WIDE_F64; n += WIDE_F64) {
        if (n < count)
            make_records(hits, motions + n, MOTE_MIN(count - n, (size_t)WIDE_F64), unscale, records[n / WIDE_F64 % 2]);
        if (n == 0) continue;
        const size_t before = n - WIDE_F64;
        for (size_t l = 0; l < WIDE_F64 && before + l < count; ++l)
            store_record(&records[before / WIDE_F64 % 2][l], &found[motions[before + l].place], past_caches);
    }
    if (past_caches) wide_end_stream();
}
