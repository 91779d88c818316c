// SPDX-License-Identifier: MIT
// Sums over the rows of neighbours, for the weakly compressible solver: the hot loops of a step.
//
// The lanes of a row: row_lanes.h. Kernels in lanes: kernel_lanes.h.

#include "fluid/kernel_lanes.h"
#include "fluid/row_lanes.h"
#include "fluid/weak.h"

_Static_assert(sizeof(fluid_place) == 4 * sizeof(float) && sizeof(fluid_motion) == 4 * sizeof(float),
               "records are loaded as columns of four");

// A row whose neighbours are summed, and what some sums need besides.
typedef struct row_sum {
    const weak_kernel *kernel;
    const weak_set *set;
    fluid_row row;
    const weak_self *self;
    const weak_across *pair;
    float mass;
} row_sum;

// WIDE neighbours: where they are seen from the particle, their motions, and their kernel.
typedef struct neighbors {
    wide_f32 dx, dy, dz, squared;
    wide_f32 vx, vy, vz, scalar;
    wide_f32 volume;
    wide_f32 shape, slope;  // W/α; V g lean(s)
} neighbors;

// Rows are summed in parts of 64 neighbours: first these are loaded, then their kernels are found, then what they give
// is added. In a single loop eight neighbours wait for the roots of the eight before, as a processor looks ahead by 250
// instructions only, most of which load. Apart, the loops of kernels and those of sums are compiled once each, and not
// for every pair of them.
enum { PART = 8 };

typedef struct row_part {
    wide_f32 dx[PART][SETS], dy[PART][SETS], dz[PART][SETS], squared[PART][SETS];
    wide_f32 vx[PART][SETS], vy[PART][SETS], vz[PART][SETS], scalar[PART][SETS];
    wide_f32 volume[PART][SETS];
    wide_f32 shape[PART][SETS], slope[PART][SETS];  // of neighbors, once the kernel is found
} row_part;

// Both records are loaded side by side, as they have the same addresses up to their arrays'.
MOTE_INLINE void load_records(const row_sum *of, const uint32_t *at, row_part *part, int k, int to)
{
    const fluid_place *own = &of->self->place;
    wide_f32 place[4], motion[4];
    wide_load_columns(&of->set->places->x, at, place);
    wide_load_columns(&of->set->motions->x, at, motion);
    const wide_f32 dx = place[0] - own->x, dy = place[1] - own->y, dz = place[2] - own->z;
    part->dx[k][to] = dx;
    part->dy[k][to] = dy;
    part->dz[k][to] = dz;
    part->squared[k][to] = wide_length_squared(dx, dy, dz);
    part->volume[k][to] = place[3];
    part->vx[k][to] = motion[0];
    part->vy[k][to] = motion[1];
    part->vz[k][to] = motion[2];
    part->scalar[k][to] = motion[3];
}

// From neighbour `begin` on; returns how many times LANES there are.
MOTE_INLINE int load_part(const row_sum *of, uint32_t begin, row_part *part)
{
    const uint32_t left = (of->row.count - begin + LANES - 1) / LANES;
    const int blocks = left < PART ? (int)left : PART;
    for (int k = 0; k < blocks; ++k)
        for (int to = 0; to < SETS; ++to) {
            uint32_t spare[WIDE];
            const uint32_t first = begin + (uint32_t)(k * LANES + to * WIDE);
            load_records(of, indices_from(of->row, first, of->set->filler, spare), part, k, to);
        }
    return blocks;
}

// The polynomials of the kernel of samples.
MOTE_INLINE wide_f32 sample_lean(const weak_kernel *kernel, wide_f32 s)
{
    wide_f32 sum = wide_all(kernel->lean_terms[MOTE_SAMPLE_TERMS - 1]);
    for (int k = MOTE_SAMPLE_TERMS - 2; k >= 0; --k) sum = sum * s + kernel->lean_terms[k];
    return (s * s) * (s * sum);
}

MOTE_INLINE wide_f32 sample_shape(const weak_kernel *kernel, wide_f32 s)
{
    wide_f32 sum = wide_all(kernel->shape_terms[MOTE_SAMPLE_TERMS]);
    for (int k = MOTE_SAMPLE_TERMS - 1; k >= 0; --k) sum = sum * s + kernel->shape_terms[k];
    const wide_f32 s2 = s * s;
    return s2 * (s2 * sum);
}

MOTE_INLINE void find_kernel_of(const weak_kernel *kernel, mote_kernel_id id, bool has_shape, row_part *part,
                                int blocks)
{
    for (int k = 0; k < blocks; ++k)
        for (int to = 0; to < SETS; ++to) {
            const wide_f32 q = wide_sqrt(part->squared[k][to]) * kernel->inverse_support;
            const wide_f32 s = wide_max(1.0f - q, wide_all(0));
            const bool is_samples = id == KERNEL_SAMPLES;
            const wide_f32 lean = is_samples ? sample_lean(kernel, s) : kernel_lean(id, s, q);
            part->slope[k][to] = part->volume[k][to] * kernel->gradient * lean;
            if (has_shape) part->shape[k][to] = is_samples ? sample_shape(kernel, s) : kernel_shape(id, s);
        }
}

// The loop of a kernel: which one it is, is asked once for a part.
MOTE_INLINE void find_kernel(const weak_kernel *kernel, bool has_shape, row_part *part, int blocks)
{
    switch (kernel->id) {
    case KERNEL_POLY6: find_kernel_of(kernel, KERNEL_POLY6, has_shape, part, blocks); break;
    case KERNEL_SPIKY: find_kernel_of(kernel, KERNEL_SPIKY, has_shape, part, blocks); break;
    case KERNEL_CUBIC: find_kernel_of(kernel, KERNEL_CUBIC, has_shape, part, blocks); break;
    case KERNEL_QUINTIC: find_kernel_of(kernel, KERNEL_QUINTIC, has_shape, part, blocks); break;
    case KERNEL_WENDLAND_C4: find_kernel_of(kernel, KERNEL_WENDLAND_C4, has_shape, part, blocks); break;
    case KERNEL_SAMPLES: find_kernel_of(kernel, KERNEL_SAMPLES, has_shape, part, blocks); break;
    default: find_kernel_of(kernel, KERNEL_WENDLAND_C2, has_shape, part, blocks); break;
    }
}

static void find_slopes(const weak_kernel *kernel, row_part *part, int blocks)
{
    find_kernel(kernel, false, part, blocks);
}

static void find_slopes_and_shapes(const weak_kernel *kernel, row_part *part, int blocks)
{
    find_kernel(kernel, true, part, blocks);
}

MOTE_INLINE neighbors see(const row_part *part, bool has_shape, int k, int to)
{
    return (neighbors){.dx = part->dx[k][to],
                       .dy = part->dy[k][to],
                       .dz = part->dz[k][to],
                       .squared = part->squared[k][to],
                       .vx = part->vx[k][to],
                       .vy = part->vy[k][to],
                       .vz = part->vz[k][to],
                       .scalar = part->scalar[k][to],
                       .volume = part->volume[k][to],
                       .shape = has_shape ? part->shape[k][to] : wide_all(0),
                       .slope = part->slope[k][to]};
}

MOTE_INLINE wide_f32 dot(const neighbors *seen, wide_f32 x, wide_f32 y, wide_f32 z)
{
    return (seen->dx * x + seen->dy * y) + seen->dz * z;
}

enum { MOST_SUMS = 12 };  // a multiple of four, as sum_lanes writes totals

// Adds WIDE neighbours, of which the first one is neighbour `first` of the row, to the sums of register `to`.
typedef void add_function(const row_sum *of, const neighbors *seen, uint32_t first, wide_f32 sums[MOST_SUMS][SETS],
                          int to);

MOTE_INLINE void sum_row(const row_sum *of, bool has_shape, add_function *add, int count, float *totals)
{
    wide_f32 sums[MOST_SUMS][SETS];
    start_lanes(sums, count);
    for (uint32_t begin = 0; begin < of->row.count; begin += PART * LANES) {
        row_part part;
        const int blocks = load_part(of, begin, &part);
        if (has_shape)
            find_slopes_and_shapes(of->kernel, &part, blocks);
        else
            find_slopes(of->kernel, &part, blocks);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) {
                const neighbors seen = see(&part, has_shape, k, to);
                add(of, &seen, begin + (uint32_t)(k * LANES + to * WIDE), sums, to);
            }
    }
    sum_lanes(sums, count, totals);
}

// -------------------------------------------------------------------------------------------------------- rates

MOTE_INLINE void add_change(const row_sum *of, const neighbors *seen, wide_f32 sums[][SETS], int to)
{
    const fluid_motion *own = &of->self->motion;
    const wide_f32 approach = dot(seen, seen->vx - own->x, seen->vy - own->y, seen->vz - own->z);
    sums[0][to] = sums[0][to] - seen->slope * approach;
    sums[1][to] = sums[1][to] + seen->slope * (seen->scalar - own->scalar);
}

MOTE_INLINE void add_plain_rates(const row_sum *of, const neighbors *seen, uint32_t first,
                                 wide_f32 sums[MOST_SUMS][SETS], int to)
{
    (void)first;
    add_change(of, seen, sums, to);
}

MOTE_INLINE void add_lean_rates(const row_sum *of, const neighbors *seen, uint32_t first,
                                wide_f32 sums[MOST_SUMS][SETS], int to)
{
    (void)first;
    add_change(of, seen, sums, to);
    sums[2][to] = sums[2][to] + seen->slope * seen->dx;
    sums[3][to] = sums[3][to] + seen->slope * seen->dy;
    sums[4][to] = sums[4][to] + seen->slope * seen->dz;
    sums[5][to] = sums[5][to] + seen->volume * seen->shape;
}

enum { SURFACE_SUMS = 9 };

// Below it 1 + 0.2 ratio⁴ is 1. Without it the powers of neighbours at the rim of the kernel, of which a lattice has
// many, are too small for normal numbers, and processors take ten times as long for these.
#define LEAST_RATIO 1e-3f

MOTE_INLINE wide_f32 crowding(const row_sum *of, wide_f32 shape)
{
    const wide_f32 ratio = wide_max(shape * of->kernel->lattice_value, wide_all(LEAST_RATIO));
    const wide_f32 ratio2 = ratio * ratio;
    return 1.0f + 0.2f * (ratio2 * ratio2);
}

// Σ V ∇W⊗(xj − xi): xx, yy, zz, yz, xz, xy.
MOTE_INLINE void add_spread(const neighbors *seen, wide_f32 sums[][SETS], int to)
{
    const wide_f32 x = seen->slope * seen->dx, y = seen->slope * seen->dy, z = seen->slope * seen->dz;
    sums[0][to] = sums[0][to] + x * seen->dx;
    sums[1][to] = sums[1][to] + y * seen->dy;
    sums[2][to] = sums[2][to] + z * seen->dz;
    sums[3][to] = sums[3][to] + y * seen->dz;
    sums[4][to] = sums[4][to] + x * seen->dz;
    sums[5][to] = sums[5][to] + x * seen->dy;
}

MOTE_INLINE void add_surface(const row_sum *of, const neighbors *seen, wide_f32 sums[SURFACE_SUMS][SETS], int to)
{
    const wide_f32 crowd = crowding(of, seen->shape);
    const wide_f32 x = seen->slope * seen->dx, y = seen->slope * seen->dy, z = seen->slope * seen->dz;
    add_spread(seen, sums, to);
    sums[6][to] = sums[6][to] + crowd * x;
    sums[7][to] = sums[7][to] + crowd * y;
    sums[8][to] = sums[8][to] + crowd * z;
}

// With spread and crowding there are more sums than registers: a loop adds the changes, and another one these.
static void sum_surface(const row_sum *of, float *change, float *totals)
{
    wide_f32 first[2][SETS], sums[SURFACE_SUMS][SETS];
    start_lanes(first, 2);
    start_lanes(sums, SURFACE_SUMS);
    for (uint32_t begin = 0; begin < of->row.count; begin += PART * LANES) {
        row_part part;
        const int blocks = load_part(of, begin, &part);
        find_slopes_and_shapes(of->kernel, &part, blocks);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) {
                const neighbors seen = see(&part, false, k, to);
                add_change(of, &seen, first, to);
            }
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) {
                const neighbors seen = see(&part, true, k, to);
                add_surface(of, &seen, sums, to);
            }
    }
    sum_lanes(first, 2, change);
    sum_lanes(sums, SURFACE_SUMS, totals);
}

static void rates(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                  weak_detail detail, weak_rates *sums)
{
    const row_sum of = {.kernel = kernel, .set = set, .row = row, .self = self};
    float change[MOST_SUMS] = {0}, surface[MOST_SUMS] = {0};
    switch (detail) {
    case WEAK_PLAIN: sum_row(&of, false, add_plain_rates, 2, change); break;
    case WEAK_LEAN: sum_row(&of, true, add_lean_rates, 6, change); break;
    case WEAK_SURFACE: sum_surface(&of, change, surface); break;
    }
    sums->compression = change[0];
    sums->diffusion = change[1];
    for (int c = 0; c < 3; ++c) sums->lean[c] = change[2 + c], sums->crowding[c] = surface[6 + c];
    for (int c = 0; c < 6; ++c) sums->spread[c] = surface[c];
    sums->filling = change[5];
}

// ------------------------------------------------------------------------------------------------------- forces

enum { FORCE_SUMS = 9 };

MOTE_INLINE void add_force_terms(const row_sum *of, const neighbors *seen, uint32_t first,
                                 wide_f32 sums[MOST_SUMS][SETS], int to, bool is_central, bool has_drag,
                                 bool has_stress, bool has_exchange)
{
    const weak_self *self = of->self;
    const wide_f32 vx = seen->vx - self->motion.x, vy = seen->vy - self->motion.y, vz = seen->vz - self->motion.z;
    wide_f32 push = seen->scalar + self->motion.scalar, shift[4];
    if (has_stress || has_exchange) {
        uint32_t spare[WIDE];
        wide_load_columns(&of->set->shifts->x, indices_from(of->row, first, of->set->filler, spare), shift);
    }
    if (is_central) {
        wide_f32 strength = wide_all(self->central);
        if (has_exchange) strength = strength + self->eddies * (shift[3] + self->shift.scalar);
        wide_f32 along = strength * dot(seen, vx, vy, vz);
        if (has_exchange)
            along = along + self->exchange * dot(seen, self->shift.x - shift[0], self->shift.y - shift[1],
                                                 self->shift.z - shift[2]);
        push = push - along / (seen->squared + of->kernel->tiny);
    }
    push = push * seen->slope;
    sums[0][to] = sums[0][to] + push * seen->dx;
    sums[1][to] = sums[1][to] + push * seen->dy;
    sums[2][to] = sums[2][to] + push * seen->dz;
    if (has_drag) {
        sums[3][to] = sums[3][to] + seen->slope * vx;
        sums[4][to] = sums[4][to] + seen->slope * vy;
        sums[5][to] = sums[5][to] + seen->slope * vz;
    }
    if (!has_stress) return;
    const wide_f32 theirs = seen->slope * dot(seen, shift[0], shift[1], shift[2]);
    const wide_f32 own =
        seen->slope * dot(seen, wide_all(self->shift.x), wide_all(self->shift.y), wide_all(self->shift.z));
    sums[6][to] = sums[6][to] + (own * self->motion.x + theirs * seen->vx);
    sums[7][to] = sums[7][to] + (own * self->motion.y + theirs * seen->vy);
    sums[8][to] = sums[8][to] + (own * self->motion.z + theirs * seen->vz);
}

#define DEFINE_FORCES(name, is_central, has_drag, has_stress, has_exchange)                                         \
    MOTE_INLINE void name(const row_sum *of, const neighbors *seen, uint32_t first, wide_f32 sums[MOST_SUMS][SETS], \
                          int to)                                                                                   \
    {                                                                                                               \
        add_force_terms(of, seen, first, sums, to, is_central, has_drag, has_stress, has_exchange);                 \
    }
DEFINE_FORCES(add_push, false, false, false, false)
DEFINE_FORCES(add_push_drag, false, true, false, false)
DEFINE_FORCES(add_central_push, true, false, false, false)
DEFINE_FORCES(add_central_push_drag, true, true, false, false)
DEFINE_FORCES(add_all_forces, true, true, true, false)
DEFINE_FORCES(add_exchanged_push_drag, true, true, false, true)
#undef DEFINE_FORCES

static void forces(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self, bool has_drag,
                   weak_forces *sums)
{
    const row_sum of = {.kernel = kernel, .set = set, .row = row, .self = self};
    const bool is_central = self->central != 0;
    float total[MOST_SUMS] = {0};
    if (self->exchange != 0 || self->eddies != 0)  // rare, so that the two share a loop
        sum_row(&of, false, add_exchanged_push_drag, 6, total);
    else if (set->shifts)
        sum_row(&of, false, add_all_forces, 9, total);
    else if (is_central && has_drag)
        sum_row(&of, false, add_central_push_drag, 6, total);
    else if (is_central)
        sum_row(&of, false, add_central_push, 3, total);
    else if (has_drag)
        sum_row(&of, false, add_push_drag, 6, total);
    else
        sum_row(&of, false, add_push, 3, total);
    for (int c = 0; c < 3; ++c) {
        sums->push[c] = total[c];
        sums->drag[c] = total[3 + c];
        sums->stress[c] = total[6 + c];
    }
}

// ----------------------------------------------------------------------------------------------------- averages

MOTE_INLINE void add_averages(const row_sum *of, const neighbors *seen, uint32_t first, wide_f32 sums[MOST_SUMS][SETS],
                              int to)
{
    (void)first;
    const wide_f32 weight = seen->volume * seen->shape;
    const wide_f32 heavy = of->mass * seen->shape;  // ρ V W
    sums[0][to] = sums[0][to] + weight;
    sums[1][to] = sums[1][to] + weight * seen->scalar;
    sums[2][to] = sums[2][to] + heavy * seen->dx;
    sums[3][to] = sums[3][to] + heavy * seen->dy;
    sums[4][to] = sums[4][to] + heavy * seen->dz;
    sums[5][to] = sums[5][to] + weight * seen->vx;
    sums[6][to] = sums[6][to] + weight * seen->vy;
    sums[7][to] = sums[7][to] + weight * seen->vz;
}

static void averages(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self, float mass,
                     weak_averages *averages)
{
    const row_sum of = {.kernel = kernel, .set = set, .row = row, .self = self, .mass = mass};
    float total[MOST_SUMS];
    sum_row(&of, true, add_averages, 8, total);
    averages->weight = total[0];
    averages->scalar = total[1];
    for (int c = 0; c < 3; ++c) {
        averages->offset[c] = total[2 + c];
        averages->velocity[c] = total[5 + c];
    }
}

// ------------------------------------------------------------------------------------------- gradients of velocity

MOTE_INLINE void add_velocity_gradient(const row_sum *of, const neighbors *seen, wide_f32 sums[9][SETS], int to)
{
    const fluid_motion *own = &of->self->motion;
    const wide_f32 x = seen->slope * seen->dx, y = seen->slope * seen->dy, z = seen->slope * seen->dz;
    const wide_f32 v[3] = {seen->vx - own->x, seen->vy - own->y, seen->vz - own->z};
    for (int c = 0; c < 3; ++c) {
        sums[3 * c][to] = sums[3 * c][to] + v[c] * x;
        sums[3 * c + 1][to] = sums[3 * c + 1][to] + v[c] * y;
        sums[3 * c + 2][to] = sums[3 * c + 2][to] + v[c] * z;
    }
}

// More sums than registers: two loops, as of surfaces.
static void gradients(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                      weak_gradients *totals)
{
    const row_sum of = {.kernel = kernel, .set = set, .row = row, .self = self};
    wide_f32 velocity[9][SETS], spread[6][SETS];
    float of_velocity[MOST_SUMS], of_spread[MOST_SUMS];
    start_lanes(velocity, 9);
    start_lanes(spread, 6);
    for (uint32_t begin = 0; begin < row.count; begin += PART * LANES) {
        row_part part;
        const int blocks = load_part(&of, begin, &part);
        find_slopes(kernel, &part, blocks);
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) {
                const neighbors seen = see(&part, false, k, to);
                add_velocity_gradient(&of, &seen, velocity, to);
            }
        for (int k = 0; k < blocks; ++k)
            for (int to = 0; to < SETS; ++to) {
                const neighbors seen = see(&part, false, k, to);
                add_spread(&seen, spread, to);
            }
    }
    sum_lanes(velocity, 9, of_velocity);
    sum_lanes(spread, 6, of_spread);
    for (int c = 0; c < 9; ++c) totals->velocity[c] = of_velocity[c];
    for (int c = 0; c < 6; ++c) totals->spread[c] = of_spread[c];
}

// ------------------------------------------------------------------------------------------------ between phases

// ρj = mj/Vj, but the filling record has no volume: densities are multiplied by Vj.
MOTE_INLINE void add_across(const row_sum *of, const neighbors *seen, uint32_t first, wide_f32 sums[MOST_SUMS][SETS],
                            int to)
{
    (void)first;
    const weak_self *self = of->self;
    const weak_across *pair = of->pair;
    const wide_f32 vx = seen->vx - self->motion.x, vy = seen->vy - self->motion.y, vz = seen->vz - self->motion.z;
    const float own = self->place.volume, density = pair->mass / own, pressure = self->motion.scalar;
    const wide_f32 heavy = density * seen->volume;
    wide_f32 both = (pair->other_mass * pressure + heavy * seen->scalar) / (heavy + pair->other_mass);
    both = both + pair->mean * (0.5f * (seen->scalar + pressure) - both);
    both = both + pair->repulsion * (wide_abs(seen->scalar) + wide_abs(wide_all(pressure)));
    const wide_f32 squares = own * own / wide_max(seen->volume, wide_all(0.01f * own)) + seen->volume;  // over Vj
    const wide_f32 along = dot(seen, vx, vy, vz) / (seen->squared + of->kernel->tiny);
    const wide_f32 push = seen->slope * (squares * both - own * pair->central * along);
    const wide_f32 drag = seen->slope * (own * pair->drag);
    sums[0][to] = sums[0][to] + push * seen->dx;
    sums[1][to] = sums[1][to] + push * seen->dy;
    sums[2][to] = sums[2][to] + push * seen->dz;
    sums[3][to] = sums[3][to] + drag * vx;
    sums[4][to] = sums[4][to] + drag * vy;
    sums[5][to] = sums[5][to] + drag * vz;
}

static void across(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                   const weak_across *pair, weak_forces *forces)
{
    const row_sum of = {.kernel = kernel, .set = set, .row = row, .self = self, .pair = pair};
    float total[MOST_SUMS];
    sum_row(&of, false, add_across, 6, total);
    for (int c = 0; c < 3; ++c) forces->push[c] = total[c], forces->drag[c] = total[3 + c], forces->stress[c] = 0;
}

// ------------------------------------------------------------------------------------------------------ tension

MOTE_INLINE void add_stress(const row_sum *of, const neighbors *seen, uint32_t first, wide_f32 sums[MOST_SUMS][SETS],
                            int to)
{
    (void)first;
    const fluid_motion own = of->self->motion;
    const wide_f32 theirs = dot(seen, seen->vx, seen->vy, seen->vz) * seen->scalar;
    const wide_f32 ours = dot(seen, wide_all(own.x), wide_all(own.y), wide_all(own.z)) * own.scalar;
    const float length = ((own.x * own.x + own.y * own.y) + own.z * own.z) * own.scalar;
    const wide_f32 both = wide_length_squared(seen->vx, seen->vy, seen->vz) * seen->scalar + length;
    sums[0][to] = sums[0][to] + seen->slope * (both * seen->dx - (theirs * seen->vx + ours * own.x));
    sums[1][to] = sums[1][to] + seen->slope * (both * seen->dy - (theirs * seen->vy + ours * own.y));
    sums[2][to] = sums[2][to] + seen->slope * (both * seen->dz - (theirs * seen->vz + ours * own.z));
}

static void stress(const weak_kernel *kernel, const weak_set *set, fluid_row row, const weak_self *self,
                   float totals[3])
{
    const row_sum of = {.kernel = kernel, .set = set, .row = row, .self = self};
    float total[MOST_SUMS];
    sum_row(&of, false, add_stress, 3, total);
    for (int c = 0; c < 3; ++c) totals[c] = total[c];
}

// ------------------------------------------------------------------------------------------------ walls as fields

MOTE_INLINE void add_cell(const weak_kernel *kernel, mote_kernel_id id, const fluid_place *cell,
                          const float *const places[3], int begin, int end, float *const sums[4])
{
    // In variables: after a store, compilers must read memory again.
    const float *const px = places[0], *const py = places[1], *const pz = places[2];
    float *const sx = sums[0], *const sy = sums[1], *const sz = sums[2], *const shapes = sums[3];
    const float x = cell->x, y = cell->y, z = cell->z, volume = cell->volume;
    const float inverse_support = kernel->inverse_support, gradient = volume * kernel->gradient;
    for (int n = begin; n < end; n += WIDE) {
        const wide_f32 dx = x - wide_load(px + n), dy = y - wide_load(py + n), dz = z - wide_load(pz + n);
        const wide_f32 q = wide_sqrt(wide_length_squared(dx, dy, dz)) * inverse_support;
        const wide_f32 s = wide_max(1.0f - q, wide_all(0)), slope = gradient * kernel_lean(id, s, q);
        wide_store(sx + n, wide_load(sx + n) + slope * dx);
        wide_store(sy + n, wide_load(sy + n) + slope * dy);
        wide_store(sz + n, wide_load(sz + n) + slope * dz);
        wide_store(shapes + n, wide_load(shapes + n) + volume * kernel_shape(id, s));
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

const weak_lanes WIDE_NAME(mote_weak) = {rates, forces, averages, across, stress, nodes, gradients};
