// SPDX-License-Identifier: MIT
// Sums over the rows of neighbours, for the weakly compressible solver: the hot loops of a step.
//
// The lanes of a row: row_lanes.h. Kernels in lanes: kernel_lanes.h.

#include "fluid/kernel_lanes.h"
#include "fluid/row_lanes.h"
#include "fluid/weak.h"

_Static_assert(sizeof(fluid_place) == 4 * sizeof(float) && sizeof(fluid_motion) == 4 * sizeof(float),
               "records are loaded as columns of four");

// WIDE neighbours: where they are seen from the particle, and their kernel.
typedef struct neighbors {
    wide_f32 dx, dy, dz, squared;
    wide_f32 shape, slope;  // W/α, where it is asked for; V g lean(s)
    wide_f32 volume;
} neighbors;

MOTE_INLINE neighbors load_places(const weak_kernel *kernel, mote_kernel_id id, bool has_shape, const weak_set *set,
                                  const uint32_t *at, const fluid_place *own)
{
    wide_f32 place[4];
    neighbors seen;
    wide_load_columns(&set->places->x, at, place);
    seen.dx = place[0] - own->x;
    seen.dy = place[1] - own->y;
    seen.dz = place[2] - own->z;
    seen.volume = place[3];
    seen.squared = wide_length_squared(seen.dx, seen.dy, seen.dz);
    const wide_f32 q = wide_sqrt(seen.squared) * kernel->inverse_support, s = wide_max(1.0f - q, wide_all(0));
    seen.slope = seen.volume * kernel->gradient * kernel_lean(id, s, q);
    if (has_shape) seen.shape = kernel_shape(id, s);
    return seen;
}

MOTE_INLINE wide_f32 dot(const neighbors *seen, wide_f32 x, wide_f32 y, wide_f32 z)
{
    return (seen->dx * x + seen->dy * y) + seen->dz * z;
}

// Rows are summed in parts of 64 neighbours: first where these are seen, with the root, then what they add. In a single
// loop eight neighbours wait for the root of the eight before, as a processor looks ahead by 250 instructions only.
enum { PART = 8 };

typedef struct neighbor_part {
    const uint32_t *at[PART][SETS];
    neighbors seen[PART][SETS];
    uint32_t spare[SETS][WIDE];  // of the end of a row
} neighbor_part;

MOTE_INLINE void load_blocks(const weak_kernel *kernel, mote_kernel_id id, bool has_shape, const weak_set *set,
                             fluid_row row, uint32_t begin, const fluid_place *own, int count, neighbor_part *part)
{
    for (int k = 0; k < count; ++k)
        for (int to = 0; to < SETS; ++to) {
            const uint32_t first = begin + (uint32_t)(k * LANES + to * WIDE);
            part->at[k][to] = indices_from(row, first, set->filler, part->spare[to]);
            part->seen[k][to] = load_places(kernel, id, has_shape, set, part->at[k][to], own);
        }
}

// From neighbour `begin` on; returns how many times LANES there are. Which kernel it is, is asked once for a part.
MOTE_INLINE int load_part(const weak_kernel *kernel, bool has_shape, const weak_set *set, fluid_row row, uint32_t begin,
                          const fluid_place *own, neighbor_part *part)
{
    const uint32_t left = (row.count - begin + LANES - 1) / LANES;
    const int count = left < PART ? (int)left : PART;
    switch (kernel->id) {
    case KERNEL_POLY6: load_blocks(kernel, KERNEL_POLY6, has_shape, set, row, begin, own, count, part); break;
    case KERNEL_SPIKY: load_blocks(kernel, KERNEL_SPIKY, has_shape, set, row, begin, own, count, part); break;
    case KERNEL_CUBIC: load_blocks(kernel, KERNEL_CUBIC, has_shape, set, row, begin, own, count, part); break;
    case KERNEL_QUINTIC: load_blocks(kernel, KERNEL_QUINTIC, has_shape, set, row, begin, own, count, part); break;
    case KERNEL_WENDLAND_C4:
        load_blocks(kernel, KERNEL_WENDLAND_C4, has_shape, set, row, begin, own, count, part);
        break;
    default: load_blocks(kernel, KERNEL_WENDLAND_C2, has_shape, set, row, begin, own, count, part); break;
    }
    return count;
}

// -------------------------------------------------------------------------------------------------------- rates

enum { RATE_SUMS = 15 };

MOTE_INLINE void add_rates(const weak_kernel *kernel, const weak_set *set, const uint32_t *at, const neighbors *found,
                           const weak_self *self, weak_detail detail, wide_f32 sums[RATE_SUMS][SETS], int to)
{
    const neighbors seen = *found;
    wide_f32 motion[4];
    wide_load_columns(&set->motions->x, at, motion);
    const wide_f32 approach =
        dot(&seen, motion[0] - self->motion.x, motion[1] - self->motion.y, motion[2] - self->motion.z);
    sums[0][to] = sums[0][to] - seen.slope * approach;
    sums[1][to] = sums[1][to] + seen.slope * (motion[3] - self->motion.scalar);
    if (detail == WEAK_PLAIN) return;
    const wide_f32 x = seen.slope * seen.dx, y = seen.slope * seen.dy, z = seen.slope * seen.dz;
    sums[2][to] = sums[2][to] + x;
    sums[3][to] = sums[3][to] + y;
    sums[4][to] = sums[4][to] + z;
    const wide_f32 shape = seen.shape;
    sums[5][to] = sums[5][to] + seen.volume * shape;
    if (detail == WEAK_LEAN) return;
    sums[6][to] = sums[6][to] + x * seen.dx;
    sums[7][to] = sums[7][to] + y * seen.dy;
    sums[8][to] = sums[8][to] + z * seen.dz;
    sums[9][to] = sums[9][to] + y * seen.dz;
    sums[10][to] = sums[10][to] + x * seen.dz;
    sums[11][to] = sums[11][to] + x * seen.dy;
    const wide_f32 ratio = shape * kernel->lattice_value, ratio2 = ratio * ratio;
    const wide_f32 crowd = 1.0f + 0.2f * (ratio2 * ratio2);
    sums[12][to] = sums[12][to] + crowd * x;
    sums[13][to] = sums[13][to] + crowd * y;
    sums[14][to] = sums[14][to] + crowd * z;
}

MOTE_INLINE void sum_rates(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                           weak_detail detail, int count, float totals[RATE_SUMS])
{
    wide_f32 sums[RATE_SUMS][SETS];
    for (int c = 0; c < count; ++c)
        for (int to = 0; to < SETS; ++to) sums[c][to] = wide_all(0);
    for (uint32_t begin = 0; begin < row.count; begin += PART * LANES) {
        neighbor_part part;
        const int blocks = load_part(kernel, detail != WEAK_PLAIN, set, row, begin, &self->place, &part);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to)
                add_rates(kernel, set, part.at[k][to], &part.seen[k][to], self, detail, sums, to);
    }
    sum_lanes(sums, count, totals);
}

static void rates(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                  weak_detail detail, weak_rates *sums)
{
    float total[RATE_SUMS] = {0};
    switch (detail) {
    case WEAK_PLAIN: sum_rates(kernel, set, row, self, WEAK_PLAIN, 2, total); break;
    case WEAK_LEAN: sum_rates(kernel, set, row, self, WEAK_LEAN, 6, total); break;
    case WEAK_SURFACE: sum_rates(kernel, set, row, self, WEAK_SURFACE, RATE_SUMS, total); break;
    }
    sums->compression = total[0];
    sums->diffusion = total[1];
    for (int c = 0; c < 3; ++c) sums->lean[c] = total[2 + c], sums->crowding[c] = total[12 + c];
    for (int c = 0; c < 6; ++c) sums->spread[c] = total[6 + c];
    sums->filling = total[5];
}

// ------------------------------------------------------------------------------------------------------- forces

enum { FORCE_SUMS = 9 };

MOTE_INLINE void add_forces(const weak_kernel *kernel, const weak_set *set, const uint32_t *at, const neighbors *found,
                            const weak_self *self, bool is_central, bool has_drag, bool has_stress,
                            wide_f32 sums[FORCE_SUMS][SETS], int to)
{
    const neighbors seen = *found;
    wide_f32 motion[4];
    wide_load_columns(&set->motions->x, at, motion);
    const wide_f32 vx = motion[0] - self->motion.x, vy = motion[1] - self->motion.y, vz = motion[2] - self->motion.z;
    wide_f32 push = motion[3] + self->motion.scalar;
    if (is_central) push = push - self->central * dot(&seen, vx, vy, vz) / (seen.squared + kernel->tiny);
    push = push * seen.slope;
    sums[0][to] = sums[0][to] + push * seen.dx;
    sums[1][to] = sums[1][to] + push * seen.dy;
    sums[2][to] = sums[2][to] + push * seen.dz;
    if (has_drag) {
        sums[3][to] = sums[3][to] + seen.slope * vx;
        sums[4][to] = sums[4][to] + seen.slope * vy;
        sums[5][to] = sums[5][to] + seen.slope * vz;
    }
    if (!has_stress) return;
    wide_f32 shift[4];
    wide_load_columns(&set->shifts->x, at, shift);
    const wide_f32 theirs = seen.slope * dot(&seen, shift[0], shift[1], shift[2]);
    const wide_f32 own =
        seen.slope * dot(&seen, wide_all(self->shift.x), wide_all(self->shift.y), wide_all(self->shift.z));
    sums[6][to] = sums[6][to] + (own * self->motion.x + theirs * motion[0]);
    sums[7][to] = sums[7][to] + (own * self->motion.y + theirs * motion[1]);
    sums[8][to] = sums[8][to] + (own * self->motion.z + theirs * motion[2]);
}

MOTE_INLINE void sum_forces(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                            bool is_central, bool has_drag, bool has_stress, weak_forces *forces)
{
    wide_f32 sums[FORCE_SUMS][SETS];
    float total[FORCE_SUMS];
    for (int c = 0; c < FORCE_SUMS; ++c)
        for (int to = 0; to < SETS; ++to) sums[c][to] = wide_all(0);
    for (uint32_t begin = 0; begin < row.count; begin += PART * LANES) {
        neighbor_part part;
        const int blocks = load_part(kernel, false, set, row, begin, &self->place, &part);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to)
                add_forces(kernel, set, part.at[k][to], &part.seen[k][to], self, is_central, has_drag, has_stress, sums,
                           to);
    }
    for (int c = 0; c < FORCE_SUMS; ++c) total[c] = 0;
    sum_lanes(sums, has_stress ? 9 : has_drag ? 6 : 3, total);
    for (int c = 0; c < 3; ++c) {
        forces->push[c] = total[c];
        forces->drag[c] = total[3 + c];
        forces->stress[c] = total[6 + c];
    }
}

static void forces(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self, bool has_drag,
                   weak_forces *sums)
{
    const bool is_central = self->central != 0;
    if (set->shifts)
        sum_forces(kernel, set, row, self, true, true, true, sums);
    else if (is_central && has_drag)
        sum_forces(kernel, set, row, self, true, true, false, sums);
    else if (is_central)
        sum_forces(kernel, set, row, self, true, false, false, sums);
    else if (has_drag)
        sum_forces(kernel, set, row, self, false, true, false, sums);
    else
        sum_forces(kernel, set, row, self, false, false, false, sums);
}

// ----------------------------------------------------------------------------------------------------- averages

enum { AVERAGE_SUMS = 8 };

MOTE_INLINE void add_averages(const weak_set *set, const uint32_t *at, const neighbors *found, float mass,
                              wide_f32 sums[AVERAGE_SUMS][SETS], int to)
{
    const neighbors seen = *found;
    wide_f32 motion[4];
    wide_load_columns(&set->motions->x, at, motion);
    const wide_f32 shape = seen.shape, weight = seen.volume * shape;
    const wide_f32 heavy = mass * shape;  // ρ V W
    sums[0][to] = sums[0][to] + weight;
    sums[1][to] = sums[1][to] + weight * motion[3];
    sums[2][to] = sums[2][to] + heavy * seen.dx;
    sums[3][to] = sums[3][to] + heavy * seen.dy;
    sums[4][to] = sums[4][to] + heavy * seen.dz;
    sums[5][to] = sums[5][to] + weight * motion[0];
    sums[6][to] = sums[6][to] + weight * motion[1];
    sums[7][to] = sums[7][to] + weight * motion[2];
}

static void averages(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self, float mass,
                     weak_averages *averages)
{
    wide_f32 sums[AVERAGE_SUMS][SETS];
    for (int c = 0; c < AVERAGE_SUMS; ++c)
        for (int to = 0; to < SETS; ++to) sums[c][to] = wide_all(0);
    for (uint32_t begin = 0; begin < row.count; begin += PART * LANES) {
        neighbor_part part;
        const int blocks = load_part(kernel, true, set, row, begin, &self->place, &part);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) add_averages(set, part.at[k][to], &part.seen[k][to], mass, sums, to);
    }
    float total[AVERAGE_SUMS];
    sum_lanes(sums, AVERAGE_SUMS, total);
    averages->weight = total[0];
    averages->scalar = total[1];
    for (int c = 0; c < 3; ++c) {
        averages->offset[c] = total[2 + c];
        averages->velocity[c] = total[5 + c];
    }
}

// ------------------------------------------------------------------------------------------------ between phases

enum { ACROSS_SUMS = 6 };

// ρj = mj/Vj, but the filling record has no volume: densities are multiplied by Vj.
MOTE_INLINE void add_across(const weak_kernel *kernel, const weak_set *set, const uint32_t *at, const neighbors *found,
                            const weak_self *self, const weak_across *pair, wide_f32 sums[ACROSS_SUMS][SETS], int to)
{
    const neighbors seen = *found;
    wide_f32 motion[4];
    wide_load_columns(&set->motions->x, at, motion);
    const wide_f32 vx = motion[0] - self->motion.x, vy = motion[1] - self->motion.y, vz = motion[2] - self->motion.z;
    const float own = self->place.volume, density = pair->mass / own, pressure = self->motion.scalar;
    const wide_f32 heavy = density * seen.volume;
    wide_f32 both = (pair->other_mass * pressure + heavy * motion[3]) / (heavy + pair->other_mass);
    both = both + pair->mean * (0.5f * (motion[3] + pressure) - both);
    both = both + pair->repulsion * (wide_abs(motion[3]) + wide_abs(wide_all(pressure)));
    const wide_f32 squares = own * own / wide_max(seen.volume, wide_all(0.01f * own)) + seen.volume;  // over Vj
    const wide_f32 along = dot(&seen, vx, vy, vz) / (seen.squared + kernel->tiny);
    const wide_f32 push = seen.slope * (squares * both - own * pair->central * along);
    const wide_f32 drag = seen.slope * (own * pair->drag);
    sums[0][to] = sums[0][to] + push * seen.dx;
    sums[1][to] = sums[1][to] + push * seen.dy;
    sums[2][to] = sums[2][to] + push * seen.dz;
    sums[3][to] = sums[3][to] + drag * vx;
    sums[4][to] = sums[4][to] + drag * vy;
    sums[5][to] = sums[5][to] + drag * vz;
}

static void across(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                   const weak_across *pair, weak_forces *forces)
{
    wide_f32 sums[ACROSS_SUMS][SETS];
    for (int c = 0; c < ACROSS_SUMS; ++c)
        for (int to = 0; to < SETS; ++to) sums[c][to] = wide_all(0);
    for (uint32_t begin = 0; begin < row.count; begin += PART * LANES) {
        neighbor_part part;
        const int blocks = load_part(kernel, false, set, row, begin, &self->place, &part);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to)
                add_across(kernel, set, part.at[k][to], &part.seen[k][to], self, pair, sums, to);
    }
    float total[ACROSS_SUMS];
    sum_lanes(sums, ACROSS_SUMS, total);
    for (int c = 0; c < 3; ++c) forces->push[c] = total[c], forces->drag[c] = total[3 + c], forces->stress[c] = 0;
}

// ------------------------------------------------------------------------------------------------------ tension

MOTE_INLINE void add_stress(const weak_set *set, const uint32_t *at, const neighbors *found, const weak_self *self,
                            wide_f32 sums[3][SETS], int to)
{
    const neighbors seen = *found;
    const fluid_motion own = self->motion;
    wide_f32 other[4];
    wide_load_columns(&set->motions->x, at, other);
    const wide_f32 theirs = dot(&seen, other[0], other[1], other[2]) * other[3];
    const wide_f32 ours = dot(&seen, wide_all(own.x), wide_all(own.y), wide_all(own.z)) * own.scalar;
    const float length = ((own.x * own.x + own.y * own.y) + own.z * own.z) * own.scalar;
    const wide_f32 both = wide_length_squared(other[0], other[1], other[2]) * other[3] + length;
    sums[0][to] = sums[0][to] + seen.slope * (both * seen.dx - (theirs * other[0] + ours * own.x));
    sums[1][to] = sums[1][to] + seen.slope * (both * seen.dy - (theirs * other[1] + ours * own.y));
    sums[2][to] = sums[2][to] + seen.slope * (both * seen.dz - (theirs * other[2] + ours * own.z));
}

static void stress(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                   float totals[3])
{
    wide_f32 sums[3][SETS];
    for (int c = 0; c < 3; ++c)
        for (int to = 0; to < SETS; ++to) sums[c][to] = wide_all(0);
    for (uint32_t begin = 0; begin < row.count; begin += PART * LANES) {
        neighbor_part part;
        const int blocks = load_part(kernel, false, set, row, begin, &self->place, &part);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) add_stress(set, part.at[k][to], &part.seen[k][to], self, sums, to);
    }
    sum_lanes(sums, 3, totals);
}

// ------------------------------------------------------------------------------------------------ walls as fields

MOTE_INLINE void add_cell(const weak_kernel *kernel, mote_kernel_id id, const fluid_place *cell,
                          const float *const places[3], int begin, int end, float *const sums[4])
{
    for (int n = begin; n < end; n += WIDE) {
        const wide_f32 dx = cell->x - wide_load(places[0] + n), dy = cell->y - wide_load(places[1] + n);
        const wide_f32 dz = cell->z - wide_load(places[2] + n);
        const wide_f32 q = wide_sqrt(wide_length_squared(dx, dy, dz)) * kernel->inverse_support;
        const wide_f32 s = wide_max(1.0f - q, wide_all(0));
        const wide_f32 slope = cell->volume * kernel->gradient * kernel_lean(id, s, q);
        wide_store(sums[0] + n, wide_load(sums[0] + n) + slope * dx);
        wide_store(sums[1] + n, wide_load(sums[1] + n) + slope * dy);
        wide_store(sums[2] + n, wide_load(sums[2] + n) + slope * dz);
        wide_store(sums[3] + n, wide_load(sums[3] + n) + cell->volume * kernel_shape(id, s));
    }
}

static void nodes(const weak_kernel *kernel, const fluid_place *cell, const float *const places[3], int begin, int end,
                  float *const sums[4])
{
    switch (kernel->id) {
    case KERNEL_POLY6: add_cell(kernel, KERNEL_POLY6, cell, places, begin, end, sums); break;
    case KERNEL_SPIKY: add_cell(kernel, KERNEL_SPIKY, cell, places, begin, end, sums); break;
    case KERNEL_CUBIC: add_cell(kernel, KERNEL_CUBIC, cell, places, begin, end, sums); break;
    case KERNEL_QUINTIC: add_cell(kernel, KERNEL_QUINTIC, cell, places, begin, end, sums); break;
    case KERNEL_WENDLAND_C4: add_cell(kernel, KERNEL_WENDLAND_C4, cell, places, begin, end, sums); break;
    case KERNEL_WENDLAND_C2: add_cell(kernel, KERNEL_WENDLAND_C2, cell, places, begin, end, sums); break;
    default: MOTE_ASSERT(false); break;
    }
}

const weak_lanes WIDE_NAME(mote_weak) = {rates, forces, averages, across, stress, nodes};
