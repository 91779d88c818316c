// SPDX-License-Identifier: MIT
// The hits of motions whose first triangles are certain, WIDE_F64 at a time: the arithmetic of motion_triangle.c and
// motion_result.c, operation by operation, for hits inside of a face whose signs and errors need nothing exact. The
// others are left to these.

#include "base/wide.h"
#include "hits/motion_certain.h"

// There is to be one copy of these functions: loops that contain them are written out in several.
#if defined(__GNUC__) || defined(__clang__)
#define APART static __attribute__((noinline))
#else
#define APART static
#endif

typedef struct wide_vec64 {
    wide_f64 x, y, z;
} wide_vec64;

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
    wide_mask_f64 is_front;  // whether they come from in front of the triangle
    wide_mask_f64 is_known;  // whether nothing exact is needed
} certain_hits;

// The ends of WIDE motions.
typedef struct certain_ends {
    wide_f64 from[3][WIDE_PARTS], to[3][WIDE_PARTS];
} certain_ends;

static inline void load_record_ends(const mote_hits *hits, const float *records, const uint32_t at[WIDE],
                                    certain_ends *loaded)
{
    uint32_t record[2][WIDE];
    wide_f32 column[2][4];
    for (uint32_t l = 0; l < WIDE; ++l) record[1][l] = (record[0][l] = 2 * at[l]) + 1;
    for (int half = 0; half < 2; ++half) wide_load_columns(records, record[half], column[half]);
    for (int k = 0; k < 3; ++k) {
        wide_f32_to_f64(column[0][k], loaded->from[k]);
        wide_f32_to_f64(k ? column[1][k - 1] : column[0][3], loaded->to[k]);
        for (int p = 0; p < WIDE_PARTS; ++p) {
            loaded->from[k][p] = loaded->from[k][p] * hits->scale;
            loaded->to[k][p] = loaded->to[k][p] * hits->scale;
        }
    }
}

// Loads the ends of WIDE motions, and their triangles. Lanes behind `count` are those of the last motion.
APART void load_ends(const mote_hits *hits, const hits_ends *ends, const hits_certain *motions, size_t count,
                     uint32_t triangle[WIDE], certain_ends *loaded)
{
    uint32_t at[WIDE];
    for (size_t l = 0; l < WIDE; ++l) {
        triangle[l] = motions->triangle;
        at[l] = motions->at;
        motions += l + 1 < count;
    }
    if (ends->records) {
        load_record_ends(hits, ends->records, at, loaded);
        return;
    }
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const double *row[2][WIDE_F64];
        wide_f64 column[2][4];
        for (int l = 0; l < WIDE_F64; ++l) row[1][l] = (row[0][l] = ends->points[at[p * WIDE_F64 + l]]) + 4;
        for (int half = 0; half < 2; ++half) wide_load_rows_f64(row[half], column[half]);
        for (int k = 0; k < 3; ++k) {
            loaded->from[k][p] = column[0][k];
            loaded->to[k][p] = column[1][k];
        }
    }
}

// Part p of these motions, and their triangles.
static inline certain_motions load_motions(const mote_hits *hits, const certain_ends *ends, size_t p,
                                           const uint32_t triangle[WIDE_F64])
{
    certain_motions of = {.from = {ends->from[0][p], ends->from[1][p], ends->from[2][p]},
                          .to = {ends->to[0][p], ends->to[1][p], ends->to[2][p]}};
    of.way = sub(of.to, of.from);
    for (size_t k = 0; k < 3; ++k) {
        const double *row[WIDE_F64];
        wide_f64 column[4];
        for (int l = 0; l < WIDE_F64; ++l)
            row[l] = &hits->vertices[hits->triangles[3 * (size_t)triangle[l] + k]].x;
        wide_load_rows_f64(row, column);
        of.corner[k] = (wide_vec64){column[0], column[1], column[2]};
    }
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
    made->is_front = wide_less(start, wide_all_f64(0));
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
    const wide_f64 side = wide_select(made->is_front, wide_all_f64(1), wide_all_f64(-1));
    made->normal = scaled(scaled(normal, 1 / length), side);
}

// ---------------------------------------------------------------------------------------------------------- records

// A mote_hit as doubles: three of the last four hold whole numbers.
enum { PARTS = sizeof(mote_hit) / sizeof(double), NAMES = 13 };
_Static_assert(PARTS == 16 && offsetof(mote_hit, triangle) == NAMES * sizeof(double), "two lines of memory");
_Static_assert(PARTS % WIDE_F64 == 0, "whole vectors");

// What hits are named by, in the place of doubles (mote_hits_name_certain).
typedef union certain_names {
    uint32_t pair[HITS_CERTAIN_NAMES][WIDE_F64][2];
    double part[HITS_CERTAIN_NAMES][WIDE_F64];
} certain_names;

// Makes records of the hits: row l of each vector of columns is that part of lane l's record.
static inline void make_rows(const certain_hits *made, const certain_names *names,
                             wide_f64 rows[PARTS / WIDE_F64][WIDE_F64])
{
    const wide_f64 zero = wide_all_f64(0), front = wide_load(names->part[1]), back = wide_load(names->part[2]);
    const wide_f64 columns[PARTS] = {
        made->time, made->point.x, made->point.y, made->point.z, made->normal.x, made->normal.y, made->normal.z,
        zero, zero, zero, made->weight[0], made->weight[1], made->weight[2], wide_load(names->part[0]),
        wide_select(made->is_front, front, back), wide_load(names->part[3])};
    for (size_t k = 0; k < PARTS / WIDE_F64; ++k) wide_transpose_f64(columns + k * WIDE_F64, rows[k]);
}

static inline void store_row(wide_f64 rows[PARTS / WIDE_F64][WIDE_F64], size_t l, bool past_caches,
                             mote_hit *hit)
{
    double *to = &hit->time;
    for (size_t k = 0; k < PARTS / WIDE_F64; ++k) {
        if (past_caches) wide_stream(to + k * WIDE_F64, rows[k][l]);
        else wide_store(to + k * WIDE_F64, rows[k][l]);
    }
}

// Makes records of WIDE_F64 hits. Returns the bits of those that nothing exact is needed for.
// @param motions,left   the motions, and how many there are
APART uint32_t make_hits(const mote_hits *hits, const hits_certain *motions, size_t left, const certain_ends *ends,
                         size_t part, const uint32_t triangle[WIDE_F64], wide_f64 rows[PARTS / WIDE_F64][WIDE_F64])
{
    certain_names names;
    certain_hits made;
    mote_hits_name_certain(hits, motions, left, WIDE_F64, names.pair[0][0]);
    const certain_motions of = load_motions(hits, ends, part, triangle);
    cross_planes(&of, &made);
    place_by_plane(&of, &made);
    place(&of, 1 / hits->scale, &made);
    make_rows(&made, &names, rows);
    return wide_bits(made.is_known);
}

static void store_alone(const mote_hits *hits, const hits_certain *motion, const certain_ends *ends, size_t part,
                        size_t l, mote_hit *found)
{
    double end[6][WIDE_F64];
    for (size_t k = 0; k < 6; ++k) wide_store(end[k], k < 3 ? ends->from[k][part] : ends->to[k - 3][part]);
    const mote_vec3 from = {end[0][l], end[1][l], end[2][l]}, to = {end[3][l], end[4][l], end[5][l]};
    mote_hits_certain_alone(hits, motion, from, to, &found[motion->place]);
}

void WIDE_NAME(mote_hits_certain_results)(const mote_hits *hits, const hits_ends *ends, const hits_certain *motions,
                                          size_t count)
{
    uint32_t triangle[WIDE];
    certain_ends loaded;
    for (size_t n = 0; n < count; n += WIDE_F64) {
        const size_t part = n / WIDE_F64 % WIDE_PARTS, left = MOTE_MIN(count - n, (size_t)WIDE_F64);
        if (part == 0) load_ends(hits, ends, motions + n, count - n, triangle, &loaded);
        wide_f64 rows[PARTS / WIDE_F64][WIDE_F64];
        const uint32_t all = (1u << left) - 1;
        const uint32_t known = make_hits(hits, motions + n, left, &loaded, part, triangle + part * WIDE_F64, rows);
        for (size_t l = 0; l < left; ++l)
            if (known >> l & 1) store_row(rows, l, ends->past_caches, &ends->found[motions[n + l].place]);
        for (uint32_t bits = all & ~known; bits; bits &= bits - 1) {
            const uint32_t l = mote_lowest_bit(bits);
            store_alone(hits, &motions[n + l], &loaded, part, l, ends->found);
        }
    }
    if (ends->past_caches) wide_end_stream();
}

size_t WIDE_NAME(mote_hits_list_firsts)(const mote_hits *hits, const hits_listing *of, hits_certain *list)
{
    enum { AHEAD = 16 };
    uint32_t at[HITS_ROOM];
    size_t listed = 0;
    for (size_t i = 0; i < of->count; i += WIDE) {
        const wide_u32 triangle = wide_load_first_u32(of->firsts + i, of->count - i);
        const uint32_t bits = wide_bits(wide_not(wide_equal(triangle, wide_all_u32(UINT32_MAX))));
        const uint32_t certain = wide_first(bits, of->count - i);
        wide_store_front(at + listed, wide_lane_numbers() + (uint32_t)i, certain);
        listed += wide_bit_count(certain);
    }
    for (size_t n = 0; n < listed; ++n) {
        const uint32_t triangle = of->firsts[at[n]];
        uint32_t particle;
        memcpy(&particle, of->numbers + at[n] * of->stride, sizeof particle);
        if (n + AHEAD < listed) mote_prefetch(of->numbers + at[n + AHEAD] * of->stride);
        mote_prefetch(hits->triangles + 3 * (size_t)triangle);
        mote_prefetch(hits->original + triangle);
        const uint64_t before = of->bits[particle / 64] & ((UINT64_C(1) << particle % 64) - 1);
        list[n] = (hits_certain){triangle, particle, of->ranks[particle / 64] + mote_count_bits(before), at[n]};
    }
    return listed;
}

#undef APART
