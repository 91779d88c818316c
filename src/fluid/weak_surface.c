// SPDX-License-Identifier: MIT
// Where a free surface is, and how particles are spread evenly.
//
// The matrix M = Σ V ∇W⊗(xj − xi) is the unit matrix among evenly spread neighbours on all sides. Its smallest
// eigenvalue λ is about 0.5 on a flat free surface and near 0 in spray (Marrone et al. 2010). Particles with λ above
// 0.75 are inside. Walls are in the sum, and a lone particle on a wall would be part of a surface: drops have λ = 0.
//
// A drop of a few particles that hits a wall would bounce off it as off a spring, since nothing takes the energy of its
// compression: the first particle of a front that ran against a wall at 4.9 m/s came back at 4.3 m/s. Water does not
// bounce: what stops it is ρ c times its speed, and a wave carries this away. So drops push with ρ0 c (dδ/dt)/L besides
// their pressure; while they expand that takes from their pressure, but does not pull. For a speed u towards a wall
// dδ/dt is u L, with L = |Σ V ∇W|. Against a wall L H is about 3 trace(M)/D, and the trace does not vanish between a
// wall and other particles, as the sum in L does.
//
// Shifting moves particles towards sparser places (Sun et al. 2017):
//
//     u = −U H Σ V (1 + 0.2 (W/W(d))⁴) ∇W,   |u| ≤ U/2
//
// with the fluid's greatest speed U, the support H and the spacing d. Particles of a surface, and those that reach one,
// are not shifted: for all of them Σ V ∇W points away from the surface, and shifted by it a standing wave gains 5 % of
// its energy a second. Sun et al. leave out the part of u along the normal Σ V (λj − λi) ∇W alone. But in splashes,
// which have surfaces on all sides, shifts along them still fill the gaps, where there is no pressure, with water whose
// density does not know of it: where water had passed the box of SPHERIC's test 2, at 0.55/15 m, volumes inside of it
// were filled to 60 to 80 %, with a median of 72 %. Without shifts along surfaces it is 99 %, without any 100 %.
//
// Others that reach a wall shift along it only. Densities follow velocities, not shifts: what leaves a wall by shifting
// comes back by velocity, counts as compression and lifts the water, by 0.8 % within 11 s in a standing wave of 50 d.
//
// Without a free surface a background pressure p = ρ0 c² spreads them (Adami et al. 2013, eq. 13): within a step of
// length dt it moves particles by u dt, with u = −dt c² Σ V ∇W. It is part of the motion, but not of the velocity.

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "fluid/internal.h"

static const double least_trace = 0.1;  // of M: what is less is too far away to push

// With the mean q of the diagonal, p² the sum of squares of M − q over 6 and r = det(M − q)/(2 p³), the eigenvalues are
// q + 2 p cos(φ), cos(3 φ) = r (Smith 1961). The smallest one is q − 2 p cos(acos(−r)/3), or with v² = (1 − r)/2
// q − 2 p cos(2/3 acos(v)): of v = 0 … 1 this is smooth, and the polynomial is within 4e-9 of it. Among evenly spread
// neighbours all three are near 1, where Newton's steps would be many.
double mote_weak_least_eigenvalue(const float spread[6])
{
    const double xx = (double)spread[0], yy = (double)spread[1], zz = (double)spread[2];
    const double yz = (double)spread[3], xz = (double)spread[4], xy = (double)spread[5];
    const double q = (xx + yy + zz) / 3, x = xx - q, y = yy - q, z = zz - q;
    const double aside = (yz * yz + xz * xz) + xy * xy;
    const double squared = ((x * x + y * y) + (z * z + 2 * aside)) / 6, p = sqrt(squared);
    if (!(p > 1e-100)) return q;
    const double determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
    const double half = 0.5 - determinant / (4 * p * squared);
    const double v = sqrt(MOTE_MIN(MOTE_MAX(half, 0), 1)), v2 = v * v, v4 = v2 * v2;
    const double low = (0.5000000037 + 0.5773496614 * v) + (-0.1110944928 + 0.0532793508 * v) * v2;
    const double high = (-0.0319254121 + 0.0196003209 * v) + (-0.0102375083 + 0.0036541195 * v) * v2;
    return q - 2 * p * (low + (high + -0.0006260453 * v4) * v4);
}

// Among less than an eighth of the particles that the inside of the fluid has around one.
static bool is_drop(const mote_fluid *fluid, fluid_row row)
{
    const double pi = 3.14159265358979323846, reach = fluid->def.support / fluid->def.spacing;
    const double full = fluid->def.dimensions == 3 ? 4 * pi / 3 * reach * reach * reach : pi * reach * reach;
    return 8 * (double)row.count < full;
}

float mote_weak_surface(const mote_fluid *fluid, const weak_rates *sums, fluid_row row)
{
    const float *spread = sums->spread;
    const double xx = (double)spread[0], zz = (double)spread[2], xz = (double)spread[4];
    if (is_drop(fluid, row)) return -(float)(xx + (double)spread[1] + zz);
    if (fluid->def.dimensions == 3) return (float)MOTE_MAX(mote_weak_least_eigenvalue(spread), 0);
    const double half = (xx + zz) / 2, apart = (xx - zz) / 2;
    return (float)MOTE_MAX(half - sqrt(apart * apart + xz * xz), 0);
}

float mote_weak_push(const mote_fluid *fluid, const fluid_phase *of, float surface, float rate, float pressure)
{
    if (surface >= 0) return pressure;
    const mote_fluid_def *def = &fluid->def;
    const double trace = MOTE_MAX(-(double)surface, least_trace);
    const double along = 3 * trace / (def->dimensions * def->support);  // L
    const float extra = (float)(of->def.rest_density * of->def.sound_speed * (double)rate / along);
    return MOTE_MAX(pressure + extra, MOTE_MIN(pressure, 0));
}

static void shift_to_sparser_places(const mote_fluid *fluid, const weak_rates *sums, float surface, float shift[3])
{
    if (surface <= MOTE_WEAK_INSIDE) return;
    const float speed = sqrtf(fluid->limits.max_speed_squared);
    const float factor = -speed * (float)fluid->def.support;
    for (int k = 0; k < 3; ++k) shift[k] = factor * sums->crowding[k];
    const float length = sqrtf((shift[0] * shift[0] + shift[1] * shift[1]) + shift[2] * shift[2]);
    const float most = 0.5f * speed;
    for (int k = 0; k < 3 && length > most; ++k) shift[k] *= most / length;
}

void mote_weak_shift(const mote_fluid *fluid, const fluid_phase *of, const weak_rates *sums, float surface,
                     float shift[3])
{
    shift[0] = shift[1] = shift[2] = 0;
    if (fluid->def.shifting == MOTE_SHIFTING_FREE_SURFACE) shift_to_sparser_places(fluid, sums, surface, shift);
    if (fluid->def.shifting != MOTE_SHIFTING_TRANSPORT) return;
    const double c = of->def.sound_speed;
    const float factor = (float)(-fluid->previous_dt * c * c);
    for (int k = 0; k < 3; ++k) shift[k] = factor * sums->lean[k];
}

// ---------------------------------------------------------------------------------------------- near free surfaces

static bool spares_surfaces(const mote_fluid *fluid)
{
    return fluid->def.shifting == MOTE_SHIFTING_FREE_SURFACE;
}

void mote_weak_unmark_surface(mote_fluid *fluid)
{
    const size_t count = fluid->particles.count;
    if (spares_surfaces(fluid) && count > 0) memset(fluid->weak.near_surface.data, 0, count);
}

// Several may mark the same one at a time.
void mote_weak_mark_row(const mote_fluid *fluid, fluid_row row, uint32_t i, atomic_uchar *marks)
{
    const weak_image *images = fluid->weak.images.data;
    const size_t count = fluid->particles.count;
    atomic_store_explicit(&marks[i], 1, memory_order_relaxed);
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k], source = j < count ? j : images[j - count].source;
        atomic_store_explicit(&marks[source], 1, memory_order_relaxed);
    }
}

void mote_weak_mark_surface(mote_fluid *fluid, fluid_row row, uint32_t i, float surface)
{
    if (spares_surfaces(fluid) && surface <= MOTE_WEAK_INSIDE)
        mote_weak_mark_row(fluid, row, i, fluid->weak.near_surface.data);
}

bool mote_weak_has_surface(const mote_fluid *fluid)
{
    if (!spares_surfaces(fluid)) return false;
    const float *surface = mote_fluid_floats(fluid, FLUID_SURFACE);
    float least = 1;
    for (size_t i = 0; i < fluid->particles.count; ++i) least = MOTE_MIN(least, surface[i]);
    return least <= MOTE_WEAK_INSIDE;
}

void mote_weak_look_for_surface(mote_fluid *fluid, fluid_row row, uint32_t i)
{
    const weak_image *images = fluid->weak.images.data;
    const size_t count = fluid->particles.count;
    const float *surface = mote_fluid_floats(fluid, FLUID_SURFACE);
    bool is_near = surface[i] <= MOTE_WEAK_INSIDE;
    for (uint32_t k = 0; k < row.count && !is_near; ++k) {
        const uint32_t j = row.indices[k];
        is_near = surface[j < count ? j : images[j - count].source] <= MOTE_WEAK_INSIDE;
    }
    ((uint8_t *)fluid->weak.near_surface.data)[i] = is_near;
}

// The normal of walls, Σ V ∇W over their particles; 0 where there are none.
static void find_wall_normal(const mote_fluid *fluid, uint32_t i, const weak_fields_here *here, float n[3])
{
    const weak_memory *weak = &fluid->weak;
    const weak_self self = {.place = ((const fluid_place *)weak->places.data)[i]};
    n[0] = n[1] = n[2] = 0;
    for (int w = 0; w < WEAK_WALLS; ++w) {
        const weak_walls *walls = &weak->walls[w];
        if (walls->count == 0) continue;
        const fluid_row row = mote_fluid_row(&weak->lists[1 + w], i);
        if (row.count == 0) continue;
        const weak_set set = {walls->places.data, walls->motions.data, NULL,
                              (uint32_t)(walls->count + walls->image_count)};
        weak_rates sums;
        weak->lanes->rates(mote_weak_kernel_of(weak, w), &set, row, &self, WEAK_LEAN, &sums);
        for (int k = 0; k < 3; ++k) n[k] += sums.lean[k];
    }
    if (here->count > 0 || here->next < fluid->field_count) mote_weak_add_field_leans(fluid, &self.place, here, n);
}

// The excess of a shift is all of it if the particle is marked; what it has along the normal of the interface if the
// particle reaches another phase, which would be mixed in otherwise; or else along that of walls.
void mote_weak_find_excess_shift(mote_fluid *fluid, fluid_row row, uint32_t i, const weak_fields_here *here)
{
    if (!spares_surfaces(fluid)) return;
    const atomic_uchar *marks = fluid->weak.near_surface.data;
    fluid_place *excess = (fluid_place *)fluid->weak.half_places.data + i;
    *excess = (fluid_place){0};
    float n[3], shift[3];
    for (int k = 0; k < 3; ++k) shift[k] = mote_fluid_floats(fluid, FLUID_SHIFT_X + k)[i];
    if (atomic_load_explicit(&marks[i], memory_order_relaxed)) {
        *excess = (fluid_place){shift[0], shift[1], shift[2], 0};
        return;
    }
    if (mote_weak_is_mixed(fluid, i))
        mote_weak_find_interface_normal(fluid, row, i, n);
    else
        find_wall_normal(fluid, i, here, n);
    const float squared = (n[0] * n[0] + n[1] * n[1]) + n[2] * n[2];
    if (!(squared > 0)) return;
    float along = 0;
    for (int k = 0; k < 3; ++k) along += n[k] * shift[k];
    *excess = (fluid_place){along / squared * n[0], along / squared * n[1], along / squared * n[2], 0};
}

static void take_excess_shifts(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const fluid_place *excess = fluid->weak.half_places.data;
    float *shift[3];
    for (int k = 0; k < 3; ++k) shift[k] = mote_fluid_floats(fluid, FLUID_SHIFT_X + k);
    for (size_t i = begin; i < end; ++i) {
        if (mote_steps_is_asleep(&fluid->levels, i)) continue;
        shift[0][i] -= excess[i].x;
        shift[1][i] -= excess[i].y;
        shift[2][i] -= excess[i].z;
    }
}

void mote_weak_take_excess_shifts(mote_fluid *fluid)
{
    if (spares_surfaces(fluid))
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_COPY_BLOCK, take_excess_shifts, fluid);
}
