// SPDX-License-Identifier: MIT
// fluid/gauge.h: what gauges measure in a fluid: means at a place, surfaces, totals and extreme values.
//
// Every function measures the fluid as mote_fluid_get_view shows it, and evaluates it first if necessary. Results have
// the same bits for any number of threads: particles are found in the order of the view, and sums are joined in the
// order of blocks.
#ifndef MOTE_FLUID_GAUGE_H
#define MOTE_FLUID_GAUGE_H

#include "base/internal.h"
#include "mote/fluid.h"

// Memory that a gauge keeps from one measurement to the next, so that later ones allocate nothing. Zero-initialised is
// empty.
typedef struct gauge_scratch {
    mote_buffer found, blocks, walls, order, sums;
} gauge_scratch;
void mote_gauge_scratch_release(const mote_context *context, gauge_scratch *scratch);
size_t mote_gauge_scratch_bytes(const gauge_scratch *scratch);

// The part of space that a gauge looks at: the closed box, and in it where direction·x is at least `least`. Of a
// particle in a periodic fluid it sees the image that is nearest to the box's middle, along axes that have one.
typedef struct gauge_region {
    mote_box box;
    mote_vec3 direction;
    double least;
    double period[3], middle[3];  // period: 0 along other axes
} gauge_region;
gauge_region mote_gauge_region_of(const mote_fluid *fluid, mote_box box);  // the whole box
mote_box mote_gauge_everywhere(void);                                      // the box without ends
mote_vec3 mote_gauge_image(const gauge_region *region, mote_vec3 place);
// The lengths of the fluid's periods; 0 along axes that are not periodic.
void mote_gauge_periods(const mote_fluid *fluid, double periods[3]);

// Means of the particles within the kernel's support, weighted by Wendland's C2 kernel W (Shepard's interpolation):
// Σ W a / Σ W. It is 0 if there are none; then `weight` is 0, too.
typedef struct gauge_mean {
    double weight;
    double pressure;     // [Pa]
    mote_vec3 velocity;  // [m/s]
} gauge_mean;
mote_result mote_gauge_find_mean(const mote_context *context, mote_fluid *fluid, mote_vec3 place,
                                 gauge_scratch *scratch, gauge_mean *mean, mote_error *error);

// The mean pressure of the wall particles within 1.5 spacings of a place, each continued to that place: P + ρ0 g·(place
// − x). Those that no fluid reaches do not count; 0 if there are no others.
// @param walls   receives how many wall particles are within 1.5 spacings
mote_result mote_gauge_find_wall_pressure(const mote_context *context, mote_fluid *fluid, mote_vec3 place,
                                          gauge_scratch *scratch, double *pressure, size_t *walls, mote_error *error);

// The height of the surface in a column around a vertical line [m]. A cell of one spacing that moves down along the
// line has its filling: the share of the column's cross-section times one spacing that particles fill, each a cube (in
// 2D a square) of one spacing around its place. The surface is where the filling first reaches one half, which a drop
// of a few particles never does.
// @param column  the cross-section in x and, in 3D, y; its z is not used
// @param height  unchanged if nothing fills a half
mote_result mote_gauge_find_height(const mote_context *context, mote_fluid *fluid, mote_box column,
                                   gauge_scratch *scratch, double *height, mote_error *error);

// The furthest place along a direction of length 1 that fluid in a box reaches [m]: half a spacing beyond the furthest
// particle that hangs together with enough others. Particles hang together if they are at most 2 spacings apart;
// enough are 16 in 2D and 64 in 3D. Smaller drops do not count.
// @param front   unchanged if there is no such particle
mote_result mote_gauge_find_front(const mote_context *context, mote_fluid *fluid, mote_box box, mote_vec3 direction,
                                  gauge_scratch *scratch, double *front, mote_error *error);

// Energies of the particles in a box [J], in 2D [J/m]. The elastic energy is what compression stores: m ∫ P/ρ² dρ from
// the rest density on.
typedef struct gauge_energies {
    double kinetic, potential, elastic;
} gauge_energies;
mote_result mote_gauge_find_energies(const mote_context *context, mote_fluid *fluid, mote_box box,
                                     gauge_scratch *scratch, gauge_energies *energies, mote_error *error);
// Of a particle, for each kilogram [J/kg].
double mote_gauge_elastic_energy(const mote_fluid_def *def, const mote_phase_def *phase, double density);

// Extreme values of the particles in a box; all are 0 if there are none.
typedef struct gauge_extremes {
    double max_speed;    // [m/s]
    double compression;  // greatest ρ/ρ0 − 1
    double expansion;    // greatest 1 − ρ/ρ0
} gauge_extremes;
mote_result mote_gauge_find_extremes(const mote_context *context, mote_fluid *fluid, mote_box box,
                                     gauge_scratch *scratch, gauge_extremes *extremes, mote_error *error);

// Finds the points in a region. `scratch->found` receives their indices (uint32_t), ascending.
// @param points  of doubles, in 3 dimensions
mote_result mote_gauge_find(const mote_context *context, mote_points points, const gauge_region *region,
                            gauge_scratch *scratch, size_t *count, mote_error *error);

// wall_state.c: pressures of wall particles, extrapolated from the fluid.
// @param walls      indices of wall particles near `place`, `count` of them
// @param pressures  receives one for each [Pa]; NaN where no fluid is within the kernel's support
mote_result mote_fluid_wall_pressures(const mote_context *context, mote_fluid *fluid, mote_vec3 place,
                                      const uint32_t *walls, size_t count, gauge_scratch *scratch, double *pressures,
                                      mote_error *error);

// Whether walls may have negative pressures.
bool mote_gauge_walls_pull(const mote_fluid_def *def);

// Wendland's C2 kernel without its factor, which means do not need, at a squared distance: (1 − q)⁴ (1 + 4 q), q =
// r/h; 0 from the support h on.
double mote_gauge_kernel(double distance_squared, double support);

// Positions of the view as points.
mote_points mote_gauge_points(const mote_fluid_view *view);

#endif
