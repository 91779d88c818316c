// SPDX-License-Identifier: MIT
// Sums over a particle's neighbours: density (Onderik & Ďurikovič 2008, eq. 7), pressure and viscosity (eq. 8).
//
// The lanes of a row: row_lanes.h. Names begin with pair_, as each lanes_*.c includes this file beside weak_pairs.c.

#include "fluid/pair_sums.h"
#include "fluid/row_lanes.h"

_Static_assert(sizeof(fluid_place) == 4 * sizeof(float) && sizeof(fluid_motion) == 4 * sizeof(float),
               "records are loaded as columns of four");

enum { PAIR_SUMS = 8 };  // room for sums, in fours (sum_lanes)

typedef struct pair_totals {
    wide_f32 of[PAIR_SUMS][SETS];
} pair_totals;

// A particle's own values, each repeated in all lanes; the last line is for approach only.
typedef struct pair_own {
    wide_f32 place[3], motion[3], extra;
    wide_f32 volume, largest_volume, flow_limit, steepest;
} pair_own;

MOTE_INLINE pair_own pair_spread(const fluid_place *own, const fluid_motion *motion, float extra)
{
    return (pair_own){.place = {wide_all(own->x), wide_all(own->y), wide_all(own->z)},
                      .motion = {wide_all(motion->x), wide_all(motion->y), wide_all(motion->z)},
                      .extra = wide_all(extra)};
}

// WIDE neighbours: where they are seen from the particle, and the kernel's terms s = h − r, not below 0, and s²/r.
typedef struct pair_neighbors {
    wide_f32 d[3], volume, s, slope;
} pair_neighbors;

MOTE_INLINE pair_neighbors pair_places(const mote_pair_constants *constants, const mote_pair_set *set,
                                       const uint32_t *at, const pair_own *own)
{
    wide_f32 place[4];
    pair_neighbors seen;
    wide_load_columns(&set->places->x, at, place);
    for (int c = 0; c < 3; ++c) seen.d[c] = place[c] - own->place[c];
    seen.volume = place[3];
    const wide_f32 squared = wide_length_squared(seen.d[0], seen.d[1], seen.d[2]);
    const wide_f32 inverse_r = 1.0f / wide_sqrt(wide_max(squared, wide_all(constants->tiny_squared)));
    seen.s = wide_max(constants->h - squared * inverse_r, wide_all(0));
    seen.slope = (seen.s * inverse_r) * seen.s;
    return seen;
}

MOTE_INLINE wide_f32 pair_dot(const wide_f32 a[3], const wide_f32 b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Adds WIDE neighbours to the sums of register `to`.
typedef void pair_add(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                      const pair_own *own, pair_totals *sums, int to);

// The loop that all sums share.
MOTE_INLINE void pair_row(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                          const pair_own *own, pair_add *add, int count, float results[PAIR_SUMS])
{
    pair_totals sums;
    start_lanes(sums.of, count);
    for (uint32_t k = 0; k < row.count; k += LANES)
        for (int to = 0; to < SETS; ++to) {
            uint32_t spare[WIDE];
            add(constants, set, indices_from(row, k + (uint32_t)to * WIDE, set->filler, spare), own, &sums, to);
        }
    sum_lanes(sums.of, count, results);
}

// ----------------------------------------------------------------------------------------------------- density

MOTE_INLINE wide_f32 pair_poly6(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                const pair_own *own, wide_f32 *volume)
{
    wide_f32 place[4], d[3];
    wide_load_columns(&set->places->x, at, place);
    for (int c = 0; c < 3; ++c) d[c] = place[c] - own->place[c];
    *volume = place[3];
    const wide_f32 squared = wide_length_squared(d[0], d[1], d[2]);
    const wide_f32 q = wide_max(1.0f - squared * constants->inverse_h_squared, wide_all(0));
    return (q * q) * q;
}

MOTE_INLINE void pair_add_density(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                  const pair_own *own, pair_totals *sums, int to)
{
    wide_f32 volume;
    sums->of[0][to] = sums->of[0][to] + pair_poly6(constants, set, at, own, &volume);
}

MOTE_INLINE void pair_add_weighted(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                   const pair_own *own, pair_totals *sums, int to)
{
    wide_f32 volume;
    const wide_f32 term = pair_poly6(constants, set, at, own, &volume);
    sums->of[0][to] = sums->of[0][to] + term * volume;
}

static const fluid_motion pair_at_rest;

static float pair_density(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                          const fluid_place *me, bool weighted)
{
    const pair_own own = pair_spread(me, &pair_at_rest, 0);
    float sums[PAIR_SUMS];
    if (weighted)
        pair_row(constants, row, set, &own, pair_add_weighted, 1, sums);
    else
        pair_row(constants, row, set, &own, pair_add_density, 1, sums);
    return sums[0];
}

// ------------------------------------------------------------------------------------------------------ forces

MOTE_INLINE void pair_motions(const mote_pair_set *set, const uint32_t *at, const pair_own *own, wide_f32 dv[3],
                              wide_f32 *extra)
{
    wide_f32 motion[4];
    wide_load_columns(&set->motions->x, at, motion);
    for (int c = 0; c < 3; ++c) dv[c] = motion[c] - own->motion[c];
    *extra = motion[3];
}

MOTE_INLINE void pair_add_force_terms(const mote_pair_constants *constants, const mote_pair_set *set,
                                      const uint32_t *at, const pair_own *own, pair_totals *sums, int to,
                                      bool of_numbers)
{
    const pair_neighbors seen = pair_places(constants, set, at, own);
    wide_f32 du[3], extra;
    pair_motions(set, at, own, du, &extra);
    const wide_f32 both = of_numbers ? own->extra + extra * seen.volume : seen.volume * own->extra + extra;
    const wide_f32 push = seen.slope * both, drag = seen.s * seen.volume;
    for (int c = 0; c < 3; ++c) {
        sums->of[c][to] = sums->of[c][to] + push * seen.d[c];
        sums->of[3 + c][to] = sums->of[3 + c][to] + drag * du[c];
    }
}

MOTE_INLINE void pair_add_forces(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                 const pair_own *own, pair_totals *sums, int to)
{
    pair_add_force_terms(constants, set, at, own, sums, to, false);
}

MOTE_INLINE void pair_add_number_forces(const mote_pair_constants *constants, const mote_pair_set *set,
                                        const uint32_t *at, const pair_own *own, pair_totals *sums, int to)
{
    pair_add_force_terms(constants, set, at, own, sums, to, true);
}

// Asks for the indices of the row that is a few rows ahead: rows lie where the search found them, in another order than
// the particles.
MOTE_INLINE void pair_prefetch(const mote_pair_rows *of, uint32_t k)
{
    enum { AHEAD = 4, LINE = 16 };  // rows; indices in a cache line
    const uint32_t next = MOTE_MIN(k + AHEAD, of->count - 1);
    mote_prefetch(of->rows[next].indices);
    mote_prefetch(of->rows[next].indices + LINE);
}

static void pair_forces(const mote_pair_constants *constants, const mote_pair_rows *of, const mote_pair_set *set,
                        const float *pressures, mote_force_sums *found)
{
    for (uint32_t k = 0; k < of->count; ++k) {
        pair_prefetch(of, k);
        const pair_own own = pair_spread(&of->own[k], &of->motions[k], pressures[k]);
        float sums[PAIR_SUMS];
        pair_row(constants, of->rows[k], set, &own, pair_add_forces, 6, sums);
        found[k] = (mote_force_sums){{sums[0], sums[1], sums[2]}, {sums[3], sums[4], sums[5]}};
    }
}

static mote_force_sums pair_number_forces(const mote_pair_constants *constants, fluid_row row,
                                          const mote_pair_set *set, const fluid_place *me, const fluid_motion *motion,
                                          float pressure)
{
    const pair_own own = pair_spread(me, motion, pressure);
    float sums[PAIR_SUMS];
    pair_row(constants, row, set, &own, pair_add_number_forces, 6, sums);
    return (mote_force_sums){{sums[0], sums[1], sums[2]}, {sums[3], sums[4], sums[5]}};
}

MOTE_INLINE void pair_add_approach(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                   const pair_own *own, pair_totals *sums, int to)
{
    const pair_neighbors seen = pair_places(constants, set, at, own);
    const wide_f32 zero = wide_all(0);
    wide_f32 dv[3], extra;
    pair_motions(set, at, own, dv, &extra);
    const wide_f32 limit = own->flow_limit * (own->volume - wide_min(seen.volume, own->largest_volume));
    wide_f32 flow = extra - own->extra;
    flow = wide_max(wide_min(flow, wide_max(limit, zero)), wide_min(limit, zero));
    flow = flow * wide_min(seen.slope, own->steepest);
    const wide_f32 gain = flow - seen.slope * pair_dot(seen.d, dv), weight = seen.s * seen.volume;
    sums->of[0][to] = sums->of[0][to] + seen.volume * gain;
    for (int c = 0; c < 3; ++c) sums->of[1 + c][to] = sums->of[1 + c][to] + weight * dv[c];
}

static void pair_approach(const mote_pair_constants *constants, const mote_pair_rows *of, const mote_pair_set *set,
                          mote_approach_sums *found)
{
    for (uint32_t k = 0; k < of->count; ++k) {
        pair_prefetch(of, k);
        pair_own own = pair_spread(&of->own[k], &of->motions[k], of->motions[k].scalar);
        own.steepest = wide_all(MOTE_STEEPEST * constants->h);
        own.largest_volume = wide_all(constants->largest_volume);
        own.volume = wide_min(wide_all(of->own[k].volume), own.largest_volume);
        own.flow_limit = wide_all(constants->flow_limit);
        float sums[PAIR_SUMS];
        pair_row(constants, of->rows[k], set, &own, pair_add_approach, 4, sums);
        found[k] = (mote_approach_sums){sums[0], {sums[1], sums[2], sums[3]}};
    }
}

MOTE_INLINE void pair_add_pressures(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                    const pair_own *own, pair_totals *sums, int to)
{
    const pair_neighbors seen = pair_places(constants, set, at, own);
    wide_f32 du[3], extra;
    pair_motions(set, at, own, du, &extra);
    sums->of[0][to] = sums->of[0][to] + seen.s * seen.volume;
    sums->of[1][to] = sums->of[1][to] + seen.s * extra;
}

static mote_pressure_sums pair_pressures(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                                         const fluid_place *me)
{
    const pair_own own = pair_spread(me, &pair_at_rest, 0);
    float sums[PAIR_SUMS];
    pair_row(constants, row, set, &own, pair_add_pressures, 2, sums);
    return (mote_pressure_sums){sums[0], sums[1]};
}

// Here `motion` holds the slope, and `extra` the sum of pressures.
MOTE_INLINE void pair_add_walls(const mote_pair_constants *constants, const mote_pair_set *set, const uint32_t *at,
                                const pair_own *own, pair_totals *sums, int to)
{
    const pair_neighbors seen = pair_places(constants, set, at, own);
    const wide_f32 push = (seen.slope * seen.volume) * (own->extra + pair_dot(own->motion, seen.d));
    for (int c = 0; c < 3; ++c) sums->of[c][to] = sums->of[c][to] + push * seen.d[c];
    sums->of[3][to] = sums->of[3][to] + seen.s * seen.volume;
}

static mote_wall_sums pair_walls(const mote_pair_constants *constants, fluid_row row, const mote_pair_set *set,
                                 const fluid_place *me, const mote_wall_pressure *pressure)
{
    const fluid_motion slope = {pressure->slope[0], pressure->slope[1], pressure->slope[2], 0};
    const pair_own own = pair_spread(me, &slope, pressure->both);
    float sums[PAIR_SUMS];
    pair_row(constants, row, set, &own, pair_add_walls, 4, sums);
    return (mote_wall_sums){{sums[0], sums[1], sums[2]}, sums[3]};
}

const mote_pair_lanes WIDE_NAME(mote_pair_lanes) = {
    pair_density, pair_forces, pair_number_forces, pair_approach, pair_pressures, pair_walls};
