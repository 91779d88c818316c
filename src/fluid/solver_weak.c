// SPDX-License-Identifier: MIT
// The weakly compressible solver for engineering: what SPH specialists call δ-SPH, by default with Wendland's C2
// kernel.
//
// With volumes V = m/ρ, excess δ = ρ/ρ0 − 1, ∇W the gradient at i, sums over all neighbours j (walls included, unless
// something else is said):
//
//     dδi/dt = (1 + δi) Σ Vj (vi − vj)·∇W + D Σ Vj (wj − wi − g·(xj − xi)/c²) 2 (xj − xi)·∇W/r²
//     dvi/dt = −1/ρi Σ Vj (Pj + Pi) ∇W + viscosity + g
//
// The second sum of the first line, among fluid only, smooths the noise of densities (Molteni & Colagrossi 2009), but
// not what belongs to water at rest (Fourtakas et al. 2019; weak_terms.c has another form): D = δ_D c H/2 with δ_D =
// density_diffusion and the support H, twice the smoothing length. The enthalpy c² w = ∫ dp/ρ is linear in the depth of
// water at rest; δ is so with γ = 1 only: to smooth δ instead raises the pressure at the floor by 3 % where c² is
// 100 g H. Where Pi < 0 inside the fluid, particles would clump: weak_stretch.c. Viscosity with ν = μ/ρ0 is
//
//     laplacian   2 ν Σ Vj (vj − vi) (xj − xi)·∇W/r²                         (Morris et al. 1997)
//     central     2 (D + 2) ν Σ Vj (vj − vi)·(xj − xi)/r² ∇W                  (Monaghan & Gingold 1983, D dimensions)
//
// and artificial viscosity is central, among fluid only, with ν = α c H/2 / (2 (D + 2)). Walls: weak_walls.c, shifting:
// weak_surface.c, images across periodic faces: period.c.
//
// Time: velocities live at half steps (step.c). Densities advance by the rate in the middle of the step, from positions
// and velocities of that instant, so that compression returns what pressure takes from the motion. Both loops use the
// rows of the present positions: at half a step's distance the kernel's rim, which is all that could be missed, is
// almost 0. Viscosity uses the predicted velocity v(t − ½dt) + ½dt a(t − dt).

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "fluid/field_near.h"
#include "fluid/internal.h"

static const particle_field weak_fields[FLUID_EDDIES_ARRAY_COUNT] = {
    FLUID_SHARED_FIELDS
    [FLUID_SHIFT_X] = FLUID_FIELD("shift_x", "m/s", F32),
    [FLUID_SHIFT_Y] = FLUID_FIELD("shift_y", "m/s", F32),
    [FLUID_SHIFT_Z] = FLUID_FIELD("shift_z", "m/s", F32),
    [FLUID_SURFACE] = FLUID_FIELD("surface", "", F32),
    [FLUID_SPAN] = FLUID_FIELD("span", "s", F64),
    [FLUID_LIMIT] = FLUID_FIELD("limit", "s", F32),
    [FLUID_EDDY] = FLUID_FIELD("eddy_viscosity", "m^2/s", F32),
};

static const double settling_rate = 0.3;  // of c/H

// ------------------------------------------------------------------------------------------- from the def on

static void resolve_kernel(mote_fluid *fluid)
{
    const mote_fluid_def *def = &fluid->def;
    const mote_kernel *of = mote_kernels[fluid->kernel];
    const double h = def->support, d = def->spacing, value = mote_kernel_peak(of, def->dimensions, h);
    const double at_spacing = of->shape(1 - d / h);
    weak_kernel *kernel = &fluid->weak.kernel;
    kernel->id = fluid->kernel;
    kernel->inverse_support = (float)(1 / h);
    kernel->value = (float)value;
    kernel->gradient = (float)(of->steepness * value / (h * h));
    kernel->tiny = (float)(1e-4 * h * h);
    kernel->stretch_share = mote_weak_stretch_share(of, def->dimensions, h, value);
    kernel->lattice_value = at_spacing > 0 ? (float)(1 / at_spacing) : 0;
}

// Artificial viscosity is there unless the phase has its own; with several always, as the lighter ones have next to
// none: noise of their pressure, which they share with heavy neighbours, would throw these about.
static void resolve_alpha(mote_fluid *fluid)
{
    bool is_given = false;
    for (uint32_t k = 0; k < MOTE_MAX(fluid->phase_count, 1u); ++k)
        is_given = is_given || !isnan(fluid->phases[k].given.viscosity);
    if (!isnan(fluid->def.viscosity_alpha)) return;
    fluid->def.viscosity_alpha = fluid->phase_count > 1 ? 0.05 : is_given ? 0 : 0.02;
}

static void resolve_phase(const mote_fluid *fluid, fluid_phase *phase)
{
    const mote_fluid_def *def = &fluid->def;
    phase->def = phase->given;
    if (isnan(phase->def.viscosity)) phase->def.viscosity = 0;
    const double c = phase->def.sound_speed, h = def->support;
    const double kinematic = phase->def.viscosity / phase->def.rest_density, central = 2 * (def->dimensions + 2);
    const bool is_central = def->viscosity_model == MOTE_VISCOSITY_CENTRAL;
    phase->diffusivity = def->density_diffusion * h * c;
    phase->mass = phase->def.rest_density * fluid->cell_volume;
    phase->central = is_central ? central * kinematic : 0;
    phase->drag = is_central ? 0 : 2 * kinematic;
    phase->artificial = def->viscosity_alpha * c * h / 2;
}

// Refuses options whose sums know one phase only, or need all particles at the same instant.
static mote_result check_sums(const mote_fluid *fluid, mote_error *error)
{
    const mote_fluid_def *def = &fluid->def;
    const bool has_phases = fluid->phase_count > 1, has_levels = mote_steps_are_used(def);
    const char *field = NULL, *expected = NULL;
    if (def->diffusion_model == MOTE_DIFFUSION_ANTUONO)
        field = "diffusion_model is \"antuono\"", expected = "\"fourtakas\" or \"molteni\"";
    if (def->consistent_shifting) field = "consistent_shifting is true", expected = "false";
    if (def->shifting == MOTE_SHIFTING_TRANSPORT)
        field = "shifting is \"transport\"", expected = "\"free_surface\" or \"none\"";
    if (def->smagorinsky > 0) field = "smagorinsky is above 0", expected = "0";
    if (has_levels && def->xsph > 0) field = "xsph is above 0", expected = "0";
    if (!field || !(has_phases || has_levels)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "fluid.%s, expected %s with %s", field, expected,
                     has_levels ? "steps \"individual\"" : "several fluids");
}

// Eddy viscosity is central, and stands where shifting velocities do.
static mote_result check_eddies(const mote_fluid_def *def, mote_error *error)
{
    const char *other = NULL;
    if (def->viscosity_model != MOTE_VISCOSITY_CENTRAL) other = "viscosity_model \"laplacian\"";
    if (def->shifting == MOTE_SHIFTING_TRANSPORT) other = "shifting \"transport\"";
    if (def->consistent_shifting) other = "consistent_shifting";
    if (!other || !(def->smagorinsky > 0)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "fluid.smagorinsky is %g, expected 0 with %s", def->smagorinsky,
                     other);
}

static mote_result resolve(mote_fluid *fluid, mote_error *error)
{
    mote_fluid_def *def = &fluid->def;
    const int dimensions = def->dimensions;
    const double d = def->spacing;
    const double h = def->support = mote_fluid_support_of(def);
    if (h < 1.2 * d || h > 6 * d)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: support is %g, expected 1.2 to 6 spacings of %g", h, d);
    if (def->density != MOTE_DENSITY_CONTINUITY)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: density is \"%s\", expected \"continuity\" with solver \"weak\"",
                         def->density == MOTE_DENSITY_NUMBER ? "number" : "summation");
    if (def->consistent_shifting && def->shifting != MOTE_SHIFTING_FREE_SURFACE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid.consistent_shifting is true, expected false unless shifting is \"free_surface\"");
    mote_result result = check_sums(fluid, error);
    if (result == MOTE_OK) result = check_eddies(def, error);
    if (result != MOTE_OK) return result;
    if (def->tensile_model == MOTE_TENSILE_SWITCH && def->shifting != MOTE_SHIFTING_FREE_SURFACE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid.tensile_model is \"switch\", expected \"none\" unless shifting is \"free_surface\"");
    if (def->tensile_model == MOTE_TENSILE_SWITCH && fluid->phase_count > 1)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "fluid.tensile_model is \"switch\", expected \"none\" with several fluids");
    resolve_alpha(fluid);
    fluid->cell_volume = dimensions == 3 ? d * d * d : d * d;
    for (uint32_t k = 0; k < MOTE_MAX(fluid->phase_count, 1u); ++k) resolve_phase(fluid, &fluid->phases[k]);
    fluid->phase = fluid->phases[0].def;
    fluid->viscosity = fluid->phase.viscosity;
    fluid->diffusivity = fluid->phases[0].diffusivity;
    fluid->mass = fluid->phases[0].mass;
    // In samples' volumes (walls.c); how they push: samples.c.
    fluid->surface_gamma = mote_kernel_surface_gamma(mote_kernels[fluid->kernel], dimensions, h, d);
    fluid->sample_volume = mote_kernel_sample_volume(mote_kernels[fluid->kernel], dimensions, h, d);
    fluid->pair.h = (float)h;
    fluid->pair.inverse_h_squared = (float)(1 / (h * h));

    resolve_kernel(fluid);
    mote_weak_find_sample_kernel(fluid);
    return MOTE_OK;
}

static mote_result create(mote_fluid *fluid, mote_error *error)
{
    fluid->weak.lanes = mote_weak_lanes(mote_context_simd(fluid->context));
    return mote_fluid_create_search(fluid, &fluid->weak.search, error);
}

enum { OF_WALLS = 9, OWN = 11, BUFFERS = OWN + OF_WALLS * WEAK_WALLS };

static void own_buffers(mote_fluid *fluid, mote_buffer *buffers[BUFFERS])
{
    weak_memory *weak = &fluid->weak;
    mote_buffer *all[BUFFERS] = {&weak->places,  &weak->half_places, &weak->half_motions,
                                 &weak->motions, &weak->shifts,      &weak->images,
                                 &weak->gradients, &weak->near_surface, &weak->carried, &weak->mixed,
                                 &weak->near_stretched};
    for (int k = 0; k < WEAK_WALLS; ++k) {
        weak_walls *walls = &weak->walls[k];
        mote_buffer *of_walls[OF_WALLS] = {&walls->places,      &walls->motions,      &walls->states,
                                           &walls->sources,     &walls->owners,       &walls->half_places,
                                           &walls->half_motions, &walls->positions,   &walls->images};
        memcpy(all + OWN + OF_WALLS * k, of_walls, sizeof of_walls);
    }
    memcpy(buffers, all, sizeof all);
}

static void destroy(mote_fluid *fluid)
{
    mote_neighbors_destroy(fluid->weak.search);
    mote_fluid_release_tensions(fluid);
    mote_buffer *buffers[BUFFERS];
    own_buffers(fluid, buffers);
    for (int k = 0; k < BUFFERS; ++k) mote_buffer_release(fluid->context, buffers[k]);
}

// ------------------------------------------------------------------------------------------------------ records

static bool has_shift(const mote_fluid *fluid)
{
    return fluid->def.shifting != MOTE_SHIFTING_NONE || fluid->def.xsph > 0;
}

static bool has_stress(const mote_fluid *fluid)
{
    return fluid->def.shifting == MOTE_SHIFTING_TRANSPORT;
}

size_t mote_weak_record_count(const mote_fluid *fluid)
{
    return fluid->particles.count + fluid->weak.image_count;
}

static void make_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const double *x = mote_fluid_doubles(fluid, FLUID_X), *y = mote_fluid_doubles(fluid, FLUID_Y);
    const double *z = mote_fluid_doubles(fluid, FLUID_Z);
    fluid_place *places = fluid->weak.places.data;
    for (size_t i = begin; i < end; ++i) places[i] = mote_fluid_make_record(fluid, x[i], y[i], z[i], 0);
}

// g/c², by which the excess of water at rest changes along each axis [1/m]. Along a periodic axis nothing rests.
void mote_weak_find_drift(const mote_fluid *fluid, const fluid_phase *of, float drift[3])
{
    const double c2 = of->def.sound_speed * of->def.sound_speed;
    mote_vec3 g = fluid->def.gravity;
    if (fluid->def.diffusion_model != MOTE_DIFFUSION_FOURTAKAS) g = mote_vec3_make(0, 0, 0);
    drift[0] = fluid->period.x ? 0 : (float)(g.x / c2);
    drift[1] = fluid->period.y ? 0 : (float)(g.y / c2);
    drift[2] = fluid->period.z ? 0 : (float)(g.z / c2);
}

// The state in the middle of the last step. The scalar is w less that of water at rest, from the excess that the
// rate of the step before leads to.
static void make_half_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const fluid_place *places = fluid->weak.places.data;
    fluid_place *half_places = fluid->weak.half_places.data;
    fluid_motion *half_motions = fluid->weak.half_motions.data;
    const float *v[3], *shift[3] = {0};
    for (int k = 0; k < 3; ++k) v[k] = mote_fluid_floats(fluid, FLUID_VX + k);
    for (int k = 0; k < 3 && has_shift(fluid); ++k) shift[k] = mote_fluid_floats(fluid, FLUID_SHIFT_X + k);
    const float *excess = mote_fluid_floats(fluid, FLUID_EXCESS), *rate = mote_fluid_floats(fluid, FLUID_RATE);
    const float half_step = (float)(fluid->previous_dt / 2), volume = (float)fluid->cell_volume;
    float drifts[FLUID_PHASES][3];
    for (uint32_t k = 0; k < fluid->phase_count; ++k) mote_weak_find_drift(fluid, &fluid->phases[k], drifts[k]);
    for (size_t i = begin; i < end; ++i) {
        const uint8_t number = mote_fluid_phase_numbers(fluid)[i];
        const float *drift = drifts[number];
        float moved[3];
        for (int k = 0; k < 3; ++k) moved[k] = half_step * (shift[k] ? v[k][i] + shift[k][i] : v[k][i]);
        const float x = places[i].x - moved[0], y = places[i].y - moved[1], z = places[i].z - moved[2];
        const float middle = excess[i] + half_step * rate[i] * (1 + excess[i]);
        half_places[i] = (fluid_place){x, y, z, volume / (1 + middle)};
        const float enthalpy = (float)mote_fluid_enthalpy_at(fluid, &fluid->phases[number].def, (double)middle);
        half_motions[i] =
            (fluid_motion){v[0][i], v[1][i], v[2][i], enthalpy - ((drift[0] * x + drift[1] * y) + drift[2] * z)};
    }
}

// Copies records to the images, and sets the filling record behind them.
void mote_weak_refresh_images(mote_fluid *fluid, fluid_place *places, fluid_motion *motions)
{
    const weak_image *images = fluid->weak.images.data;
    const size_t count = fluid->particles.count, images_end = fluid->weak.image_count;
    for (size_t k = 0; k < images_end; ++k) {
        const double *by = images[k].offset;
        fluid_place place = places[images[k].source];
        place.x += (float)by[0], place.y += (float)by[1], place.z += (float)by[2];
        places[count + k] = place;
        if (motions) motions[count + k] = motions[images[k].source];
    }
    places[count + images_end] = (fluid_place){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    if (motions) motions[count + images_end] = (fluid_motion){0};
}

static mote_result reserve(mote_fluid *fluid)
{
    mote_context *context = fluid->context;
    weak_memory *weak = &fluid->weak;
    const size_t n = fluid->particles.count, blocks = mote_block_count(n, FLUID_BLOCK);
    const size_t places = mote_bytes(mote_weak_record_count(fluid) + 1, sizeof(fluid_place));
    const size_t motions = mote_bytes(mote_weak_record_count(fluid) + 1, sizeof(fluid_motion));
    mote_result result = mote_buffer_reserve(context, &weak->places, places, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &weak->half_places, places, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &weak->half_motions, motions, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &weak->motions, motions, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &weak->near_surface, mote_bytes(n, 1), 0);
    if (result == MOTE_OK && mote_weak_may_exchange(fluid))
        result = mote_buffer_reserve(context, &weak->near_stretched, mote_bytes(n, 1), 0);
    if (result == MOTE_OK && fluid->phase_count > 1)
        result = mote_buffer_reserve(context, &weak->mixed, mote_bytes(n, 1), 0);
    if (result == MOTE_OK) result = mote_fluid_reserve_tensions(fluid, motions);
    if (result == MOTE_OK && (has_stress(fluid) || mote_weak_may_exchange(fluid) || mote_weak_has_eddies(fluid)))
        result = mote_buffer_reserve(context, &weak->shifts, motions, 0);
    if (result == MOTE_OK && mote_weak_has_gradients(fluid))
        result = mote_buffer_reserve(context, &weak->gradients, motions, 0);
    if (result == MOTE_OK && mote_weak_carries(fluid))
        result = mote_buffer_reserve(context, &weak->carried, motions, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &fluid->partial, mote_bytes(blocks, sizeof(fluid_limits)),
                                     fluid->partial.bytes);  // kept if it cannot grow: a step may need it
    return result;
}

// --------------------------------------------------------------------------------------------------------- rows

// The rows of fluid among fluid, fluid among walls, and walls among fluid.
static mote_result find_rows(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    mote_result result = mote_weak_prepare_walls(fluid, error);
    if (result != MOTE_OK) return result;
    mote_points sets[WEAK_SETS] = {mote_fluid_record_points(fluid, weak->places.data, mote_weak_record_count(fluid))};
    bool changed[WEAK_SETS] = {true}, active[WEAK_SETS * WEAK_SETS] = {mote_fluid_keeps_lists(fluid)};
    for (int k = 1; k < WEAK_MIRRORS; ++k) {
        const weak_walls *walls = &weak->walls[k - 1];
        sets[k] = mote_fluid_record_points(fluid, walls->places.data, walls->count + walls->image_count);
        changed[k] = mote_weak_is_moving(k - 1) ? !weak->moving_ready : !weak->walls_ready;
        active[k] = active[WEAK_SETS * k] = walls->count > 0;
    }
    sets[WEAK_MIRRORS] = mote_fluid_record_points(fluid, fluid->open.mirrors.data, mote_fluid_mirror_count(fluid));
    changed[WEAK_MIRRORS] = true;
    active[WEAK_SETS * WEAK_MIRRORS] = mote_fluid_mirror_count(fluid) > 0;
    const double start = mote_clock_seconds();
    result = mote_neighbors_update_sets(weak->search, sets, WEAK_SETS, changed, error);
    weak->walls_ready = weak->moving_ready = result == MOTE_OK;
    if (result == MOTE_OK)
        result = mote_neighbors_lists_of_sets(weak->search, active, WEAK_SETS * WEAK_SETS, weak->lists, error);
    fluid->counters.search_seconds += mote_clock_seconds() - start;
    return result;
}

// ---------------------------------------------------------------------------------------------------- densities

static void add_rates(weak_rates *to, const weak_rates *more)
{
    to->compression += more->compression;
    to->filling += more->filling;
    for (int k = 0; k < 3; ++k) to->lean[k] += more->lean[k], to->crowding[k] += more->crowding[k];
    for (int k = 0; k < 6; ++k) to->spread[k] += more->spread[k];
}

// Sums over fluid and walls; density does not diffuse into walls.
static weak_rates rates_of(const mote_fluid *fluid, uint32_t i, fluid_row row, weak_detail detail)
{
    const weak_memory *weak = &fluid->weak;
    const weak_set around = {weak->half_places.data, weak->half_motions.data, NULL,
                             (uint32_t)mote_weak_record_count(fluid)};
    const weak_self self = {.place = around.places[i], .motion = around.motions[i]};
    weak_rates sums, at_walls;
    mote_weak_sum_rates(fluid, i, row, &around, &self, detail, &sums);
    for (int k = 0; k < WEAK_WALLS; ++k) {
        const weak_walls *walls = &weak->walls[k];
        if (walls->count == 0) continue;
        const fluid_row among_walls = mote_fluid_row(&weak->lists[1 + k], i);
        if (among_walls.count == 0) continue;
        const bool moves = mote_weak_is_moving(k);
        const weak_set set = {moves ? walls->half_places.data : walls->places.data,
                              moves ? walls->half_motions.data : walls->motions.data, NULL,
                              (uint32_t)(walls->count + walls->image_count)};
        weak->lanes->rates(mote_weak_kernel_of(weak, k), &set, among_walls, &self, detail, &at_walls);
        add_rates(&sums, &at_walls);
    }
    if (fluid->field_count > 0 && mote_field_may_act(fluid, i))
        mote_weak_add_field_rates(fluid, i, &self, detail, &sums);
    return sums;
}

static weak_detail detail_of(const mote_fluid *fluid)
{
    switch (fluid->def.shifting) {
    case MOTE_SHIFTING_FREE_SURFACE: return WEAK_SURFACE;
    case MOTE_SHIFTING_TRANSPORT: return WEAK_LEAN;
    default: return WEAK_PLAIN;
    }
}

// Shifting moves particles without changing their densities, which then drift away from what the positions say: by 3 %
// within twelve turnovers of a lid-driven cavity, with sources and sinks at its corners. Where there is no free surface
// Σ V W, i included, is 1 for evenly spread particles of the densities that they carry. What is missing from it is
// made up for at the rate of a few supports' travel of sound.
static double settling(const mote_fluid *fluid, const weak_rates *sums, size_t i)
{
    if (!has_stress(fluid)) return 0;
    const weak_memory *weak = &fluid->weak;
    const fluid_place *places = weak->half_places.data;
    const double filling = ((double)sums->filling + (double)places[i].volume) * (double)weak->kernel.value;
    return settling_rate * mote_fluid_phase_of(fluid, i)->def.sound_speed / fluid->def.support * (filling - 1);
}

// How fast a particle's density changes, how it is to be shifted, and where surfaces are. This waits in the records
// from which forces are computed, as memory may run out before all rows are found.
void mote_weak_find_rates(mote_fluid *fluid, uint32_t i, fluid_row row)
{
    if (i >= mote_fluid_own_count(fluid)) {  // in a buffer, which nothing changes but hold_buffers
        ((fluid_place *)fluid->weak.places.data)[i].volume = 0;
        ((fluid_motion *)fluid->weak.motions.data)[i] = (fluid_motion){0, 0, 0, 1};
        if (mote_weak_exchanges(fluid)) ((fluid_motion *)fluid->weak.shifts.data)[i] = (fluid_motion){0};
        if (fluid->phase_count > 1) ((uint8_t *)fluid->weak.mixed.data)[i] = 0;
        return;
    }
    const weak_detail detail = detail_of(fluid);
    weak_rates sums = rates_of(fluid, i, row, detail);
    if (mote_weak_has_gradients(fluid)) sums.diffusion -= mote_weak_linear_flow(fluid, i);
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    const double flow = (double)((float)of->diffusivity * sums.diffusion);
    const float surface = detail == WEAK_SURFACE ? mote_weak_surface(fluid, &sums, row) : 1;
    float shift[3];
    mote_weak_shift(fluid, of, &sums, surface, shift);
    ((fluid_place *)fluid->weak.places.data)[i].volume =
        (float)((double)sums.compression + flow + settling(fluid, &sums, i) + mote_weak_carried_density(fluid, row, i));
    ((fluid_motion *)fluid->weak.motions.data)[i] = (fluid_motion){shift[0], shift[1], shift[2], surface};
    mote_weak_mark_surface(fluid, row, i, surface);
    mote_weak_find_stretch(fluid, row, i, surface, sums.crowding);
}

// The arrays that densities are made of.
typedef struct density_arrays {
    float *excess, *rate, *density, *pressure, *surface, *shift[3];
    const float *v[3], *a[3];
    fluid_place *places;
    fluid_motion *motions, *shifts;
    float background;
} density_arrays;

static density_arrays density_arrays_of(const mote_fluid *fluid)
{
    const weak_memory *weak = &fluid->weak;
    density_arrays of = {.excess = mote_fluid_floats(fluid, FLUID_EXCESS),
                         .rate = mote_fluid_floats(fluid, FLUID_RATE),
                         .density = mote_fluid_floats(fluid, FLUID_DENSITY),
                         .pressure = mote_fluid_floats(fluid, FLUID_PRESSURE),
                         .surface = mote_fluid_floats(fluid, FLUID_SURFACE),
                         .places = weak->places.data,
                         .motions = weak->motions.data,
                         .shifts = has_stress(fluid) ? weak->shifts.data : NULL,
                         .background = (float)fluid->def.background_pressure};
    for (int k = 0; k < 3; ++k) {
        of.shift[k] = mote_fluid_floats(fluid, FLUID_SHIFT_X + k);
        of.v[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        of.a[k] = mote_fluid_floats(fluid, FLUID_AX + k);
    }
    return of;
}

// Density and pressure of a particle, and its records from which forces are computed.
static inline void advance_density(const mote_fluid *fluid, const density_arrays *of, size_t i, float half_step,
                                   float rest)
{
    const fluid_motion found = of->motions[i];
    const fluid_phase *phase = mote_fluid_phase_of(fluid, i);
    if (half_step > 0) {
        of->rate[i] = of->places[i].volume;
        const double e = (double)of->excess[i], half = (double)half_step * (double)of->rate[i];
        of->excess[i] = (float)(e + (1 + e) * (2 * half / (1 - half)));  // second order
    }
    of->surface[i] = MOTE_MAX(found.scalar, 0);
    of->shift[0][i] = found.x, of->shift[1][i] = found.y, of->shift[2][i] = found.z;
    if (of->shifts) of->shifts[i] = (fluid_motion){found.x, found.y, found.z, 0};
    const double excess = (double)of->excess[i];
    of->density[i] = (float)(phase->def.rest_density * (1 + excess));
    of->pressure[i] = (float)mote_fluid_pressure_at(fluid, &phase->def, excess);
    of->places[i].volume = (float)(fluid->cell_volume / (1 + excess));
    const float push = mote_weak_push(fluid, phase, found.scalar, of->rate[i], of->pressure[i]);
    of->motions[i] = (fluid_motion){of->v[0][i] + rest * of->a[0][i], of->v[1][i] + rest * of->a[1][i],
                                    of->v[2][i] + rest * of->a[2][i], push + of->background};
}

static void advance_densities(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const density_arrays of = density_arrays_of(fluid);
    const float half_step = (float)(fluid->previous_dt / 2);
    for (size_t i = begin; i < end; ++i) advance_density(fluid, &of, i, half_step, half_step);
}

void mote_weak_advance_density(const mote_fluid *fluid, size_t i, float half_step, float rest)
{
    const density_arrays of = density_arrays_of(fluid);
    advance_density(fluid, &of, i, half_step, rest);
}

// ------------------------------------------------------------------------------------------------------- forces

weak_self mote_weak_self(const mote_fluid *fluid, uint32_t i)
{
    const weak_memory *weak = &fluid->weak;
    const fluid_place *places = weak->places.data;
    const fluid_motion *motions = weak->motions.data, *shifts = weak->shifts.data;
    weak_self self = {.place = places[i], .motion = motions[i]};
    if (has_stress(fluid)) self.shift = shifts[i];
    const float surface = mote_fluid_floats(fluid, FLUID_SURFACE)[i];
    if (mote_weak_is_switched(fluid, self.motion.scalar, surface)) self.motion.scalar = -self.motion.scalar;
    return self;
}

// It waits in the record of the middle of the step.
void mote_weak_find_acceleration(mote_fluid *fluid, uint32_t i, fluid_row row)
{
    const weak_memory *weak = &fluid->weak;
    const bool has_fields = fluid->field_count > 0 && mote_field_may_act(fluid, i);
    weak_fields_here here;
    here.count = 0, here.next = fluid->field_count;
    if (has_fields) mote_weak_find_fields(fluid, i, &here);
    mote_weak_find_excess_shift(fluid, row, i, &here);
    if (i >= mote_fluid_own_count(fluid)) {
        ((fluid_motion *)fluid->weak.half_motions.data)[i] = (fluid_motion){0};
        return;
    }
    weak_set around = {weak->places.data, weak->motions.data, has_stress(fluid) ? weak->shifts.data : NULL,
                       (uint32_t)mote_weak_record_count(fluid)};
    const float density = mote_fluid_floats(fluid, FLUID_DENSITY)[i];
    weak_self self = mote_weak_self(fluid, i);
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    self.central = (float)(of->def.rest_density * (of->central + of->artificial));
    mote_weak_see_stretched(fluid, i, &around, &self);
    mote_weak_see_eddies(fluid, i, &around, &self);
    const bool has_drag = of->drag > 0;
    const float push = -1 / density, drag = (float)(of->drag * of->def.rest_density / (double)density);
    weak_forces sums;
    float a[3];
    if (mote_weak_is_mixed(fluid, i)) {
        mote_weak_accelerate_mixed(fluid, i, row, &around, &self, a);
    } else {
        weak->lanes->forces(&weak->kernel, &around, row, &self, has_drag, &sums);
        for (int k = 0; k < 3; ++k) a[k] = push * sums.push[k] + drag * sums.drag[k] + sums.stress[k];
    }
    self.exchange = self.eddies = 0;
    const float own_pressure = self.motion.scalar;
    mote_weak_carry_velocity(fluid, row, i, a);
    mote_fluid_add_tension(fluid, i, row, a);
    for (int w = 0; w < WEAK_WALLS; ++w) {
        const weak_walls *walls = &weak->walls[w];
        if (walls->count == 0) continue;
        const fluid_row among_walls = mote_fluid_row(&weak->lists[1 + w], i);
        if (among_walls.count == 0) continue;
        const bool slip = mote_weak_is_slip(w);
        const weak_set set = {walls->places.data, walls->states.data, NULL,
                              (uint32_t)(walls->count + walls->image_count)};
        self.central = slip ? 0 : (float)(of->def.rest_density * mote_weak_central_at_walls(fluid, i));
        self.motion.scalar = own_pressure;
        self.motion.scalar = mote_weak_pressure_at(fluid, &self, around.motions[i].scalar, w);
        weak->lanes->forces(mote_weak_kernel_of(weak, w), &set, among_walls, &self, has_drag && !slip, &sums);
        for (int k = 0; k < 3; ++k) a[k] += push * sums.push[k] + drag * sums.drag[k];
    }
    self.motion.scalar = own_pressure;
    if (has_fields) mote_weak_add_field_forces(fluid, i, &self, &here, a);
    const mote_vec3 g = fluid->def.gravity;
    const bool is_flat = fluid->def.dimensions == 2;
    ((fluid_motion *)fluid->weak.half_motions.data)[i] =
        (fluid_motion){a[0] + (float)g.x, is_flat ? 0 : a[1] + (float)g.y, a[2] + (float)g.z, 0};
}

// Records at the present positions; and rows.
mote_result mote_weak_prepare_records(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    const size_t n = fluid->particles.count;
    mote_fluid_resolve_background(fluid);
    mote_fluid_wrap(fluid);
    mote_result result = mote_fluid_put_in_order(fluid);
    const image_sources particles = {
        {mote_fluid_doubles(fluid, FLUID_X), mote_fluid_doubles(fluid, FLUID_Y), mote_fluid_doubles(fluid, FLUID_Z)},
        1,
        n};
    if (result == MOTE_OK) result = mote_fluid_find_images(fluid, &particles, &weak->images, &weak->image_count);
    if (result == MOTE_OK) result = reserve(fluid);
    if (result == MOTE_OK) result = mote_fluid_number_records(fluid);
    if (result == MOTE_OK) result = mote_fluid_place_mirrors(fluid);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "a step", error);
    mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, make_places, fluid);
    mote_weak_refresh_images(fluid, weak->places.data, NULL);
    fluid->has_rows = fluid->near_fields.is_known = false;
    return MOTE_OK;
}

static mote_result prepare(mote_fluid *fluid, mote_error *error)
{
    mote_result result = mote_weak_prepare_records(fluid, error);
    if (result == MOTE_OK) result = find_rows(fluid, error);
    if (result != MOTE_OK) return result;
    if (mote_steps_prepare_reactions(fluid) == MOTE_OK) return MOTE_OK;
    return mote_fluid_out_of_memory(fluid, "forces on walls", error);
}

static mote_result find_reactions(mote_fluid *fluid)
{
    const mote_result result = mote_steps_prepare_reactions(fluid);
    if (result != MOTE_OK) return result;
    if (mote_steps_are_used(&fluid->def)) mote_steps_find_reactions(fluid);
    else mote_fluid_find_reactions(fluid);
    return MOTE_OK;
}

static void find_rates(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) mote_weak_find_rates(fluid, first + k, rows[k]);
}

static void find_accelerations(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) mote_weak_find_acceleration(fluid, first + k, rows[k]);
}

static mote_result evaluate_densities(mote_fluid *fluid, mote_error *error)
{
    const bool has_levels = mote_steps_are_used(&fluid->def);
    weak_memory *weak = &fluid->weak;
    const size_t n = fluid->particles.count;
    mote_result result = prepare(fluid, error);
    if (result != MOTE_OK) return result;
    mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, make_half_records, fluid);
    mote_weak_refresh_images(fluid, weak->half_places.data, weak->half_motions.data);
    if (mote_field_look_up(fluid, weak->places.data, weak->half_places.data) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "fields", error);
    mote_weak_find_gradients(fluid);
    mote_weak_keep_shifts(fluid);
    mote_weak_unmark_surface(fluid);
    mote_weak_unmark_stretched(fluid);
    result = mote_fluid_each_row(fluid, weak->search, &weak->lists[0], NULL, find_rates,
                                 &fluid->counters.density_seconds, error);
    if (result != MOTE_OK) return result;
    fluid->has_rows = true;
    mote_parallel_for(fluid->context, n, FLUID_BLOCK, advance_densities, fluid);
    mote_fluid_hold_buffers(fluid, &weak->lists[WEAK_SETS * WEAK_MIRRORS], weak->places.data);
    mote_weak_refresh_images(fluid, weak->places.data, weak->motions.data);
    if (has_stress(fluid) || mote_weak_exchanges(fluid)) mote_weak_spread_to_images(fluid, weak->shifts.data);
    mote_weak_find_wall_states(fluid);
    mote_weak_find_eddies(fluid);
    if (has_levels) mote_steps_find_reactions(fluid);
    else mote_fluid_find_reactions(fluid);
    return MOTE_OK;
}

static mote_result evaluate(mote_fluid *fluid, mote_error *error)
{
    const bool has_levels = mote_steps_are_used(&fluid->def);
    if (has_levels && !mote_steps_are_alike(fluid)) return mote_weak_evaluate_awake(fluid, error);
    if (has_levels && mote_steps_reserve(fluid) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "individual steps", error);
    mote_result result = fluid->has_densities ? MOTE_OK : evaluate_densities(fluid, error);
    if (result != MOTE_OK) return result;
    fluid->has_densities = fluid->previous_dt > 0;
    result = mote_weak_find_colors(fluid, error);
    if (result != MOTE_OK) return result;
    result = mote_fluid_each_row(fluid, fluid->weak.search, &fluid->weak.lists[0], NULL, find_accelerations,
                                 &fluid->counters.force_seconds, error);
    if (result != MOTE_OK) return result;
    mote_fluid_take_accelerations(fluid, fluid->weak.half_motions.data);
    mote_weak_take_excess_shifts(fluid);
    mote_weak_smooth_motion(fluid);
    fluid->levels.row_count = 0;
    fluid->levels.were_alike = true;
    if (has_levels) mote_steps_find_limits(fluid, mote_fluid_wall_speed(fluid), mote_fluid_wall_step(fluid));
    fluid->evaluated = true;
    fluid->has_densities = false;
    return MOTE_OK;
}

static void restore_rows(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) mote_weak_restore_record(fluid, first + k, rows[k]);
}

// By rows in the order in which the last evaluation had them: sums have the same bits then.
static mote_result restore_records(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    if (!fluid->levels.were_alike || fluid->phase_count < 2) return mote_weak_restore_records(fluid, error);
    mote_result result = prepare(fluid, error);
    if (result != MOTE_OK) return result;
    result = mote_fluid_each_row(fluid, weak->search, &weak->lists[0], NULL, restore_rows,
                                 &fluid->counters.density_seconds, error);
    if (result != MOTE_OK) return result;
    mote_weak_refresh_images(fluid, weak->places.data, weak->motions.data);
    return mote_weak_find_colors(fluid, error);
}

// -------------------------------------------------------------------------------------------------- the solver

// With a mass of 1, `offset` sums shapes times dx, and `weight` volumes times shapes: the volumes are those of the
// densities that particles carry, near V0.
static void sum_density(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    const fluid_density_task *task = data;
    const mote_fluid *fluid = task->fluid;
    const weak_memory *weak = &fluid->weak;
    const uint32_t i = row.index;
    if (i >= mote_fluid_own_count(fluid)) return;
    const weak_set around = {weak->places.data, weak->motions.data, NULL, (uint32_t)mote_weak_record_count(fluid)};
    const weak_self self = {.place = around.places[i]};
    const fluid_row among_fluid = {row.indices, row.count};
    weak_averages sums;
    weak->lanes->averages(&weak->kernel, &around, among_fluid, &self, 1, &sums);
    double sum = fluid->cell_volume + (double)sums.weight;
    for (int w = 0; w < WEAK_WALLS; ++w) {
        const weak_walls *walls = &weak->walls[w];
        if (walls->count == 0) continue;
        const weak_set set = {walls->places.data, walls->states.data, NULL,
                              (uint32_t)(walls->count + walls->image_count)};
        weak->lanes->averages(mote_weak_kernel_of(weak, w), &set, mote_fluid_row(&weak->lists[1 + w], i), &self, 1,
                              &sums);
        sum += (double)sums.weight;
    }
    if (fluid->field_count > 0) sum += (double)mote_weak_field_filling(fluid, &self.place);
    task->densities[i] = (float)(mote_fluid_phase_of(fluid, i)->def.rest_density * sum * (double)weak->kernel.value);
}

// By the fluid's kernel, walls included with their volumes: ρ0 Σ V0 W.
static mote_result sum_densities(mote_fluid *fluid, float *densities, mote_error *error)
{
    fluid_density_task task = {fluid, densities};
    const mote_result result = fluid->has_rows ? MOTE_OK : prepare(fluid, error);  // not if the state was read
    if (result != MOTE_OK) return result;
    fluid_place *places = fluid->weak.places.data;
    const float *excess = mote_fluid_floats(fluid, FLUID_EXCESS);
    for (size_t i = 0; i < fluid->particles.count && !fluid->has_rows; ++i)
        places[i].volume = (float)(fluid->cell_volume / (1 + (double)excess[i]));
    mote_weak_refresh_images(fluid, places, NULL);
    return mote_neighbors_visit_sets(fluid->weak.search, 0, 0, sum_density, &task, error);
}

static double time_step(const mote_fluid *fluid)
{
    return MOTE_MIN(mote_fluid_step_limit(fluid, mote_weak_most_viscous(fluid)), mote_fluid_tension_step(fluid));
}

static void hold(mote_fluid *fluid, size_t i, mote_vec3 velocity, double pressure)
{
    const mote_phase_def *phase = &mote_fluid_phase_of(fluid, i)->def;
    const double excess = mote_fluid_excess_at(fluid, phase, pressure);
    mote_fluid_set_excess(fluid, i, excess);
    ((fluid_place *)fluid->weak.places.data)[i].volume = (float)(fluid->cell_volume / (1 + excess));
    ((fluid_motion *)fluid->weak.motions.data)[i] =
        (fluid_motion){(float)velocity.x, (float)velocity.y, (float)velocity.z,
                       (float)(pressure + fluid->def.background_pressure)};
}

static void forget_walls(mote_fluid *fluid)
{
    fluid->weak.walls_ready = fluid->weak.moving_ready = false;
}

static void walls_moved(mote_fluid *fluid)
{
    fluid->weak.moving_ready = false;
}

static size_t byte_count(const mote_fluid *fluid)
{
    size_t lists = 0, bytes = mote_neighbors_byte_count(fluid->weak.search, &lists);
    mote_buffer *buffers[BUFFERS];
    own_buffers((mote_fluid *)fluid, buffers);
    for (int k = 0; k < BUFFERS; ++k) bytes += buffers[k]->bytes;
    return bytes + lists + mote_fluid_tension_bytes(fluid);
}

static mote_result validate(mote_fluid *fluid, mote_error *error)
{
    return mote_neighbors_validate(fluid->weak.search, error);
}

static const char *const own_settings[] = {"viscosity_model", "shifting", "consistent_shifting", "tensile_model",
                                           "diffusion_model", "smagorinsky", "xsph", "background_pressure",
                                           "interface_repulsion", NULL};

const fluid_solver mote_solver_weak = {
    .about = {"weak", "Molteni & Colagrossi 2009, Fourtakas et al. 2019, Adami et al. 2012, Sun et al. 2017",
              "weakly compressible, Wendland's kernel, density diffusion, shifting, walls with the fluid's pressure"},
    .fields = weak_fields,
    .field_count = FLUID_WEAK_ARRAY_COUNT,
    .own_settings = own_settings,
    .restore_records = restore_records,
    .level_field_count = FLUID_LEVELS_ARRAY_COUNT,
    .eddy_field_count = FLUID_EDDIES_ARRAY_COUNT,
    .resolve = resolve,
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .find_reactions = find_reactions,
    .add_reactions = mote_weak_add_reactions,
    .sum_densities = sum_densities,
    .time_step = time_step,
    .hold = hold,
    .forget_walls = forget_walls,
    .walls_moved = walls_moved,
    .byte_count = byte_count,
    .validate = validate,
    .shift = FLUID_SHIFT_X,
};
