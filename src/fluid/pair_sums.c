// SPDX-License-Identifier: MIT
// Sums over a particle's neighbours: density (Onderik & Ďurikovič 2008, eq. 7), pressure and viscosity (eq. 8).
//
// Each record is loaded as a whole, and four records are transposed into columns, so that a neighbour costs one
// cache line in every loop. The eight lanes that pair_sums.h promises are two sets of four; where twelve running
// sums would not fit the registers, the two sets are summed one after the other.

#include "base/wide4.h"
#include "fluid/pair_sums.h"

enum { LANES = 8, HALF = 4 };

// The indices of neighbours k … k + 3 of a row, filled up with `filler` at its end.
MOTE_INLINE const uint32_t *four_indices(mote_row row, uint32_t k, uint32_t filler, uint32_t spare[HALF])
{
    if (k + HALF <= row.count) return row.indices + k;
    for (uint32_t l = 0; l < HALF; ++l) spare[l] = k + l < row.count ? row.indices[k + l] : filler;
    return spare;
}

MOTE_INLINE void load_points(const mote_point_record *records, const uint32_t *at, mote_f4 columns[4])
{
    f4_load_columns(&records[at[0]].x, &records[at[1]].x, &records[at[2]].x, &records[at[3]].x, columns);
}

MOTE_INLINE mote_f4 dot(const mote_f4 a[3], const mote_f4 b[3])
{
    return f4_add(f4_add(f4_mul(a[0], b[0]), f4_mul(a[1], b[1])), f4_mul(a[2], b[2]));
}

MOTE_INLINE mote_f4 squared_length(const mote_f4 v[3])
{
    return dot(v, v);
}

// ----------------------------------------------------------------------------------------------------- density

// Adds four neighbours to a set of lanes.
MOTE_INLINE void add_densities(const mote_point_record *records, const uint32_t *at, const mote_f4 position[3],
                               mote_f4 scale, bool weighted, mote_f4 *sum)
{
    mote_f4 other[4], d[3];
    load_points(records, at, other);
    for (int c = 0; c < 3; ++c) d[c] = f4_sub(other[c], position[c]);
    mote_f4 q = f4_max(f4_sub(f4_set(1), f4_mul(squared_length(d), scale)), f4_set(0));
    mote_f4 term = f4_mul(f4_mul(q, q), q);
    *sum = f4_add(*sum, weighted ? f4_mul(term, other[3]) : term);
}

MOTE_INLINE float sum_density(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                              uint32_t filler, const mote_point_record *me, bool weighted)
{
    const mote_f4 position[3] = {f4_set(me->x), f4_set(me->y), f4_set(me->z)};
    const mote_f4 scale = f4_set(constants->inverse_h_squared);
    mote_f4 low = f4_set(0), high = f4_set(0);
    uint32_t k = 0, spare[HALF];
    for (; k + LANES <= row.count; k += LANES) {
        add_densities(records, row.indices + k, position, scale, weighted, &low);
        add_densities(records, row.indices + k + HALF, position, scale, weighted, &high);
    }
    if (k < row.count) add_densities(records, four_indices(row, k, filler, spare), position, scale, weighted, &low);
    if (k + HALF < row.count)
        add_densities(records, four_indices(row, k + HALF, filler, spare), position, scale, weighted, &high);
    return f4_sum(f4_add(low, high));
}

float mote_sum_density(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                       uint32_t filler, const mote_point_record *me)
{
    return sum_density(constants, row, records, filler, me, false);
}

float mote_sum_weighted_density(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                                uint32_t filler, const mote_point_record *me)
{
    return sum_density(constants, row, records, filler, me, true);
}

// ------------------------------------------------------------------------------------------------------ forces

// s = h − r, not below 0, and s²/r.
MOTE_INLINE void spiky_terms(const mote_pair_constants *constants, const mote_f4 d[3], mote_f4 *s,
                             mote_f4 *s_squared_by_r)
{
    mote_f4 r_squared = squared_length(d);
    mote_f4 inverse_r = f4_div(f4_set(1), f4_sqrt(f4_max(r_squared, f4_set(constants->tiny_squared))));
    *s = f4_max(f4_sub(f4_set(constants->h), f4_mul(r_squared, inverse_r)), f4_set(0));
    *s_squared_by_r = f4_mul(f4_mul(*s, inverse_r), *s);
}

// A particle's own values, each repeated in four lanes; the second line is for approach only.
typedef struct own_state {
    mote_f4 place[3], motion[3], extra;
    mote_f4 volume, largest_volume, flow_limit, steepest;
} own_state;

MOTE_INLINE own_state spread(const mote_force_record *me, float extra)
{
    return (own_state){.place = {f4_set(me->x), f4_set(me->y), f4_set(me->z)},
                       .motion = {f4_set(me->vx), f4_set(me->vy), f4_set(me->vz)},
                       .extra = f4_set(extra)};
}

// Four neighbours: their positions and velocities relative to the particle, and the kernel's terms.
typedef struct neighbor_four {
    mote_f4 d[3], dv[3], volume, extra, s, slope;
} neighbor_four;

MOTE_INLINE neighbor_four load_neighbors(const mote_pair_constants *constants, const mote_force_record *records,
                                         const uint32_t *at, const own_state *own)
{
    const mote_force_record *a = records + at[0], *b = records + at[1], *c = records + at[2], *e = records + at[3];
    mote_f4 place[4], motion[4];
    neighbor_four four;
    f4_load_columns(&a->x, &b->x, &c->x, &e->x, place);
    for (int i = 0; i < 3; ++i) four.d[i] = f4_sub(place[i], own->place[i]);
    spiky_terms(constants, four.d, &four.s, &four.slope);
    f4_load_columns(&a->vx, &b->vx, &c->vx, &e->vx, motion);
    for (int i = 0; i < 3; ++i) four.dv[i] = f4_sub(motion[i], own->motion[i]);
    four.volume = place[3];
    four.extra = motion[3];
    return four;
}

// Adds the contributions of four neighbours to up to six sums.
typedef void add_four(const neighbor_four *four, const own_state *own, mote_f4 sums[6]);

MOTE_INLINE void add_forces(const neighbor_four *four, const own_state *own, mote_f4 sums[6])
{
    mote_f4 push = f4_mul(four->slope, f4_add(f4_mul(four->volume, own->extra), four->extra));
    mote_f4 drag = f4_mul(four->s, four->volume);
    for (int c = 0; c < 3; ++c) {
        sums[c] = f4_add(sums[c], f4_mul(push, four->d[c]));
        sums[3 + c] = f4_add(sums[3 + c], f4_mul(drag, four->dv[c]));
    }
}

MOTE_INLINE void add_approach(const neighbor_four *four, const own_state *own, mote_f4 sums[6])
{
    const mote_f4 zero = f4_set(0);
    mote_f4 limit = f4_mul(own->flow_limit, f4_sub(own->volume, f4_min(four->volume, own->largest_volume)));
    mote_f4 flow = f4_sub(four->extra, own->extra);
    flow = f4_max(f4_min(flow, f4_max(limit, zero)), f4_min(limit, zero));
    flow = f4_mul(flow, f4_min(four->slope, own->steepest));
    mote_f4 gain = f4_sub(flow, f4_mul(four->slope, dot(four->d, four->dv)));
    sums[0] = f4_add(sums[0], f4_mul(four->volume, gain));
    mote_f4 weight = f4_mul(four->s, four->volume);
    for (int c = 0; c < 3; ++c) sums[1 + c] = f4_add(sums[1 + c], f4_mul(weight, four->dv[c]));
}

MOTE_INLINE void add_pressures(const neighbor_four *four, const own_state *own, mote_f4 sums[6])
{
    (void)own;
    sums[0] = f4_add(sums[0], f4_mul(four->s, four->volume));
    sums[1] = f4_add(sums[1], f4_mul(four->s, four->extra));
}

// The loop that all sums over fluid neighbours share: the low lanes first, then the high ones.
MOTE_INLINE void sum_neighbors(const mote_pair_constants *constants, mote_row row, const mote_force_record *records,
                               uint32_t filler, const own_state *own, add_four *add, int count, float *results)
{
    mote_f4 total[6];
    for (uint32_t half = 0; half < LANES; half += HALF) {
        mote_f4 sums[6];
        for (int c = 0; c < count; ++c) sums[c] = f4_set(0);
        uint32_t k = half, spare[HALF];
        for (; k + HALF <= row.count; k += LANES) {
            neighbor_four four = load_neighbors(constants, records, row.indices + k, own);
            add(&four, own, sums);
        }
        if (k < row.count) {
            neighbor_four four = load_neighbors(constants, records, four_indices(row, k, filler, spare), own);
            add(&four, own, sums);
        }
        for (int c = 0; c < count; ++c) total[c] = half ? f4_add(total[c], sums[c]) : sums[c];
    }
    for (int c = 0; c < count; ++c) results[c] = f4_sum(total[c]);
}

mote_force_sums mote_sum_forces(const mote_pair_constants *constants, mote_row row, const mote_force_record *records,
                                uint32_t filler, const mote_force_record *me, float pressure)
{
    own_state own = spread(me, pressure);
    float sums[6];
    sum_neighbors(constants, row, records, filler, &own, add_forces, 6, sums);
    return (mote_force_sums){{sums[0], sums[1], sums[2]}, {sums[3], sums[4], sums[5]}};
}

mote_approach_sums mote_sum_approach(const mote_pair_constants *constants, mote_row row,
                                     const mote_force_record *records, uint32_t filler, const mote_force_record *me)
{
    own_state own = spread(me, me->extra);
    own.steepest = f4_set(MOTE_STEEPEST * constants->h);
    own.largest_volume = f4_set(constants->largest_volume);
    own.volume = f4_min(f4_set(me->volume), own.largest_volume);
    own.flow_limit = f4_set(constants->flow_limit);
    float sums[4];
    sum_neighbors(constants, row, records, filler, &own, add_approach, 4, sums);
    return (mote_approach_sums){sums[0], {sums[1], sums[2], sums[3]}};
}

mote_pressure_sums mote_sum_pressures(const mote_pair_constants *constants, mote_row row,
                                      const mote_force_record *records, uint32_t filler, const mote_force_record *me)
{
    own_state own = spread(me, 0);
    float sums[2];
    sum_neighbors(constants, row, records, filler, &own, add_pressures, 2, sums);
    return (mote_pressure_sums){sums[0], sums[1]};
}

mote_wall_sums mote_sum_walls(const mote_pair_constants *constants, mote_row row, const mote_point_record *records,
                              uint32_t filler, const mote_force_record *me, const mote_wall_pressure *pressure)
{
    const mote_f4 position[3] = {f4_set(me->x), f4_set(me->y), f4_set(me->z)};
    const mote_f4 both = f4_set(pressure->both);
    const mote_f4 slope[3] = {f4_set(pressure->slope[0]), f4_set(pressure->slope[1]), f4_set(pressure->slope[2])};
    mote_f4 lanes[2][4];
    for (int c = 0; c < 4; ++c) lanes[0][c] = lanes[1][c] = f4_set(0);
    for (uint32_t k = 0; k < row.count; k += HALF) {
        uint32_t spare[HALF];
        mote_f4 other[4], d[3], s, near;
        load_points(records, four_indices(row, k, filler, spare), other);
        for (int c = 0; c < 3; ++c) d[c] = f4_sub(other[c], position[c]);
        spiky_terms(constants, d, &s, &near);
        mote_f4 push = f4_mul(f4_mul(near, other[3]), f4_add(both, dot(slope, d)));
        mote_f4 *sum = lanes[k / HALF % 2];
        for (int c = 0; c < 3; ++c) sum[c] = f4_add(sum[c], f4_mul(push, d[c]));
        sum[3] = f4_add(sum[3], f4_mul(s, other[3]));
    }
    mote_wall_sums sums;
    for (int c = 0; c < 3; ++c) sums.pressure[c] = f4_sum(f4_add(lanes[0][c], lanes[1][c]));
    sums.drag = f4_sum(f4_add(lanes[0][3], lanes[1][3]));
    return sums;
}
