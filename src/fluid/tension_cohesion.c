// SPDX-License-Identifier: MIT
// Surface tension of one fluid by cohesion: neighbours attract each other, and those at the free surface are pulled
// inwards. With q = r/h, h the support, the force between two particles has the shape of Akinci et al. 2013:
//
//     F = S C(q),  C = (1 − q)³ q³ for q > ½, and 2 (1 − q)³ q³ − 1/64 nearer by
//
// Near particles repel each other, so that the attraction makes no clumps. Walls attract by
//
//     F = B w A(q),  A = (−4 q² + 6 q − 2)^¼ for q > ½
//
// with the volume w of the wall particle in units of d^D. Momentum is conserved to rounding; what walls do to the fluid
// is among the forces on boundaries.
//
// Strengths follow from lengths of the lattice. A surface across which pairs with the force F are cut has the tension
// (n the number of particles per volume; Fowler 1937 as an integral in 3D)
//
//     σ = n/(6π) Σ r² F in 2D, n/32 Σ r² F in 3D,
//
// the sum over the neighbours of a point of the lattice. The attraction presses the fluid together until its pressure
// bears it, and the forces of pressure, which repel, are cut by the surface as well. Both have the same virial Σ r F,
// so that with the slope of the kernel |W'| as their shape
//
//     σ = S (s₂(C) − s₂(W') s₁(C)/s₁(W')),  sₖ(f) ∝ Σ r^k f.
//
// Particles at a surface are not a cut lattice, and pressure falls to 0 there: what drops show is a share of σ that the
// table below has. It was found by test_tension (a_drop_swings_by_cohesion), from the time in which an ellipse first
// passes the circle, a quarter of the period of mode 2: at 4 d 1.14, 1.03, 1.20 for radii of 10, 15, 20 d in 2D, 1.13
// and 1.19 for 6 and 8 d in 3D. The attraction presses the fluid together with about 10 σ/d, under which particles come
// to lie on a lattice that holds the shape: with a support below 4 d drops do not become round at all, with 4 d they
// stop within a few per cent of it.

#include <math.h>

#include "fluid/tension.h"

static double cohesion_shape(double q)
{
    const double s = (1 - q) * q, bump = s * s * s;
    return q >= 1 || q <= 0 ? 0 : q > 0.5 ? bump : 2 * bump - 1.0 / 64;
}

static double adhesion_shape(double q)
{
    return q > 0.5 && q < 1 ? sqrt(sqrt(MOTE_MAX((6 - 4 * q) * q - 2, 0))) : 0;
}

// Σ r f(r) and Σ r² f(r) over the neighbours of a point of the lattice.
typedef struct lattice_moments {
    double first, second;
} lattice_moments;

typedef enum pair_shape { SHAPE_COHESION, SHAPE_ADHESION, SHAPE_PRESSURE } pair_shape;

static double shape_at(const mote_fluid *fluid, pair_shape shape, double r)
{
    const double h = fluid->def.support;
    if (shape == SHAPE_COHESION) return cohesion_shape(r / h);
    if (shape == SHAPE_ADHESION) return adhesion_shape(r / h);
    return -mote_kernels[fluid->weak.kernel.id]->slope(fluid->def.dimensions, h, r);
}

static lattice_moments moments_of(const mote_fluid *fluid, pair_shape shape)
{
    const double d = fluid->def.spacing, h = fluid->def.support;
    const int reach = (int)ceil(h / d), ny = fluid->def.dimensions == 3 ? reach : 0;
    lattice_moments sums = {0, 0};
    for (int z = -reach; z <= reach; ++z)
        for (int y = -ny; y <= ny; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double r = d * sqrt(x * x + y * y + z * z);
                if (r == 0 || r >= h) continue;
                const double f = shape_at(fluid, shape, r);
                sums.first += r * f, sums.second += r * r * f;
            }
    return sums;
}

typedef struct cohesion_row {
    int dimensions;
    double reach;  // support [spacings]
    double share;  // of σ in drops that swing, of what the sums say
} cohesion_row;

// By Wendland's C2 kernel.
static const cohesion_row table[] = {{2, 4, 1.12}, {2, 5, 0.75}, {3, 4, 1.15}};
enum { TABLE_ROWS = sizeof table / sizeof *table };

// Between rows linear; 0: out of the table.
static double share_of(const mote_fluid *fluid)
{
    const double reach = fluid->def.support / fluid->def.spacing, slack = 1e-6;
    if (fluid->weak.kernel.id != KERNEL_WENDLAND_C2) return 0;
    for (size_t k = 0; k < TABLE_ROWS; ++k) {
        const cohesion_row *row = &table[k], *next = row + 1;
        if (row->dimensions != fluid->def.dimensions) continue;
        if (fabs(reach - row->reach) < slack) return row->share;
        if (k + 1 == TABLE_ROWS || next->dimensions != row->dimensions) continue;
        if (reach > row->reach && reach < next->reach)
            return row->share + (next->share - row->share) * (reach - row->reach) / (next->reach - row->reach);
    }
    return 0;
}

static mote_result check(const mote_fluid *fluid, mote_error *error)
{
    if (share_of(fluid) > 0) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "tension: model is \"cohesion\" with kernel \"%s\" and a support of %g spacings in %dD, expected "
                     "wendland_c2 and 4 spacings (2D: to 5), for which it is calibrated",
                     mote_kernels[fluid->weak.kernel.id]->name, fluid->def.support / fluid->def.spacing,
                     fluid->def.dimensions);
}

// The tension of a surface that cuts pairs with this Σ r² F.
static double tension_of(const mote_fluid *fluid, double second)
{
    const double pi = 3.14159265358979323846, d = fluid->def.spacing;
    return fluid->def.dimensions == 3 ? second / (32 * d * d * d) : second / (6 * pi * d * d);
}

static void prepare(const mote_fluid *fluid, fluid_tension *tension)
{
    const lattice_moments pull = moments_of(fluid, SHAPE_COHESION), push = moments_of(fluid, SHAPE_PRESSURE);
    const lattice_moments walls = moments_of(fluid, SHAPE_ADHESION);
    const double net = pull.second - push.second * pull.first / push.first;
    tension->strength = tension->sigma / (tension_of(fluid, net) * share_of(fluid));
    // The work of separating a unit of surface is twice a tension.
    if (walls.second > 0) tension->wall_strength = tension->adhesion / (2 * tension_of(fluid, walls.second));
}

// Adds a pair's force from `from` towards `to`.
static void add_pull(const fluid_place *from, const fluid_place *to, double support, double (*shape)(double q),
                     double strength, double force[3])
{
    const double d[3] = {(double)(to->x - from->x), (double)(to->y - from->y), (double)(to->z - from->z)};
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(r > 0)) return;
    const double pull = strength * shape(r / support) / r;
    for (int k = 0; k < 3; ++k) force[k] += pull * d[k];
}

static fluid_row wall_row_of(const mote_fluid *fluid, uint32_t i, int set)
{
    const fluid_row none = {0};
    return fluid->weak.walls[set].count ? mote_fluid_row(&fluid->weak.lists[1 + set], i) : none;
}

// Of a wall particle, by its volume.
static double wall_strength(const mote_fluid *fluid, const fluid_tension *tension, const fluid_place *wall)
{
    return tension->wall_strength * (double)wall->volume / fluid->cell_volume;
}

static void add_walls(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, double force[3])
{
    const fluid_place *own = (const fluid_place *)fluid->weak.places.data + i;
    for (int set = 0; set < WEAK_WALLS && tension->wall_strength > 0; ++set) {
        const fluid_place *walls = fluid->weak.walls[set].places.data;
        const fluid_row row = wall_row_of(fluid, i, set);
        for (uint32_t k = 0; k < row.count; ++k) {
            const fluid_place *wall = &walls[row.indices[k]];
            add_pull(own, wall, fluid->def.support, adhesion_shape, wall_strength(fluid, tension, wall), force);
        }
    }
}

// The same with the other sign, wall particle by wall particle.
static void add_wall_reactions(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, double *sums)
{
    const fluid_place *own = (const fluid_place *)fluid->weak.places.data + i;
    for (int set = 0; set < WEAK_WALLS; ++set) {
        const weak_walls *walls = &fluid->weak.walls[set];
        const uint32_t *owners = walls->owners.data, *sources = walls->sources.data;
        const fluid_row row = wall_row_of(fluid, i, set);
        for (uint32_t k = 0; k < row.count; ++k) {
            const fluid_place *wall = (const fluid_place *)walls->places.data + row.indices[k];
            double force[3] = {0, 0, 0};
            add_pull(wall, own, fluid->def.support, adhesion_shape, wall_strength(fluid, tension, wall), force);
            mote_fluid_add_reaction(fluid, sources[owners[row.indices[k]]], force, sums);
        }
    }
}

void mote_weak_add_adhesion_reactions(const mote_fluid *fluid, uint32_t i, double *sums)
{
    const uint32_t phase = mote_fluid_phase_numbers(fluid)[i];
    for (uint32_t k = 0; k < fluid->tension_count; ++k) {
        const fluid_tension *tension = &fluid->tensions[k];
        if (tension->wall_strength > 0 && phase == tension->phases[0]) add_wall_reactions(fluid, tension, i, sums);
    }
}

static void accelerate(const mote_fluid *fluid, const fluid_tension *tension, uint32_t i, fluid_row row, float a[3])
{
    const fluid_place *places = fluid->weak.places.data;
    const double h = fluid->def.support, mass = mote_fluid_phase_of(fluid, i)->mass;
    const uint32_t phase = tension->phases[0];
    double force[3] = {0, 0, 0};
    if (mote_fluid_phase_numbers(fluid)[i] != phase) return;
    for (uint32_t k = 0; k < row.count; ++k)
        if (fluid->phase_count < 2 || mote_fluid_phase_of_record(fluid, row.indices[k]) == phase)
            add_pull(&places[i], &places[row.indices[k]], h, cohesion_shape, tension->strength, force);
    add_walls(fluid, tension, i, force);
    for (int k = 0; k < 3; ++k) a[k] += (float)(force[k] / mass);
}

const tension_model mote_tension_cohesion = {
    .about = {"cohesion", "Akinci et al. 2013", "attraction between the particles of one fluid: for water without air"},
    .solvers = TENSION_WEAK,
    .is_of_one = true,
    .is_of_one_alone = true,
    .check = check,
    .prepare = prepare,
    .accelerate = accelerate,
};
