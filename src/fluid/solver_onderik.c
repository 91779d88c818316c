// SPDX-License-Identifier: MIT
// Densities, pressures by the equation of state (Tait or ideal gas) and accelerations at the present positions (Onderik
// & Ďurikovič 2008, algorithm 1).
//
// The paper prints one loop; here there are three: density of all particles, then pressure of all, then forces on
// all, since forces need the pressures of all neighbours. In the paper's symbols
//
//     ρi = Σj mj W_poly(rij), j = i included                                                        (eq. 7)
//     Pi = ρ0 c²/γ ((ρi/ρ0)^γ − 1), or c² (ρi − ρ0); not below 0 unless the def allows it            (eq. 7)
//     fi = − Σj Vi Vj (Pi + Pj) ∇W_press + Σj Vi Vj ρ0 (uj − ui) ∇²W_visco + mi g                    (eq. 8)
//
// Onderik & Ďurikovič 2008, like Müller et al. 2003, take the mean (Pi + Pj)/2 of the pressures. That gives half the
// gradient: over a full neighbourhood Σ Vj ∇W = 0 and Σ Vj Pj ∇W = ∇P, so the sum of the pressures is needed. With
// the mean, a column at rest has twice the pressure ρ g z, and sound has the speed c/√2.
//
// In eq. 8 u = μ v/ρ0. With continuity there is also hyperviscosity, −η ∇⁴v with η = κ c d³:
//
//     ui = (μ/ρ0) vi − η Σj Vj (vj − vi) ∇²W_visco
//
// A lattice under pressure is not the packing of least energy: for a long time a few particles slip past their
// neighbours, and they are then by far the fastest in water that is otherwise at rest (1 to 4 % of sqrt(gH) at α =
// 0.1). Viscosity that stops them slows the water too; hyperviscosity acts only on waves of a few spacings. Its two
// sums have the same symmetric weights: momentum is conserved, and every motion loses energy. The inner sum is
// computed in the loop of dρ/dt and extrapolated from the middles of the last two steps.
//
// onderik_densities.c has the first two loops and the continuity equation, onderik_walls.c what walls add,
// onderik_phases.c the sums of several phases.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "fluid/onderik.h"

// ------------------------------------------------------------------------------------------- from the def on

// @param filling   of a full lattice: the sum of poly6 times the volume of a cell
static void resolve_phase(const mote_fluid *fluid, fluid_phase *phase, double filling)
{
    const mote_fluid_def *def = &fluid->def;
    const double h = def->support;
    phase->def = phase->given;
    if (isnan(phase->def.viscosity))
        phase->def.viscosity = phase->def.rest_density * def->viscosity_alpha * phase->def.sound_speed * (h / 2) /
                               (2 * (def->dimensions + 2));
    phase->mass = phase->def.rest_density * fluid->cell_volume / filling;
    phase->diffusivity = def->density_diffusion * h * phase->def.sound_speed;
}

// Water starts on a cubic lattice, and its particles leave it for denser packings, where the sum of a narrow kernel is
// less: 5 % less in the densest one, with a support of 2 d in 3D. Forces that are divided by the lattice's sum are then
// too weak, and pressures too high, by 2 to 4 % beside a ball. This is by what forces grow to be right for a third of
// the way to the densest packing: pressures beside the ball, and in a pool that stays on its lattice, are then right
// within 1 %. It is for the supports of the presets; below 1.8 d the two sums differ by so much that nothing is right.
static double packing_factor(const mote_lattice_sums *lattice)
{
    static const double share = 1.0 / 3, most = 0.03;
    const double mean = (1 - share) * lattice->gradient + share * lattice->dense_gradient;
    const double factor = mean > 0 ? lattice->gradient / mean : 1;
    return MOTE_MIN(MOTE_MAX(factor, 1 - most), 1 + most);
}

// Fills in the values that the def leaves open, and the constants of the sums.
static mote_result resolve(mote_fluid *fluid, mote_error *error)
{
    mote_fluid_def *def = &fluid->def;
    int dimensions = def->dimensions;
    double d = def->spacing;
    const double h = def->support = mote_fluid_support_of(def);
    if (h < 1.2 * d || h > 6 * d)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: support is %g, expected 1.2 to 6 spacings of %g", h, d);
    if (fluid->phase_count > 1 && def->density == MOTE_DENSITY_CONTINUITY)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "phase: %u phases, expected one with solver \"onderik\" and density \"continuity\": several "
                         "need solver \"weak\", or density \"summation\" or \"number\"",
                         (unsigned)fluid->phase_count);
    if (mote_steps_are_used(def))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "fluid.steps is \"individual\", expected \"global\" unless the solver is \"weak\" (preset "
                         "engineering): densities of the solver onderik belong to a single instant");
    // With less, layers of different densities do not come to rest (docs/fluid.md).
    if (isnan(def->viscosity_alpha)) def->viscosity_alpha = def->density == MOTE_DENSITY_NUMBER ? 0.5 : 0.1;
    const mote_lattice_sums lattice = mote_kernel_lattice_sums(dimensions, h, d);
    fluid->cell_volume = dimensions == 3 ? d * d * d : d * d;
    for (uint32_t k = 0; k < MOTE_MAX(fluid->phase_count, 1u); ++k)
        resolve_phase(fluid, &fluid->phases[k], lattice.full);
    fluid->phase = fluid->phases[0].def;
    fluid->viscosity = fluid->phase.viscosity;
    if (def->density == MOTE_DENSITY_CONTINUITY)
        fluid->hyperviscosity = def->hyperviscosity * fluid->phase.sound_speed * d * d * d;
    fluid->diffusivity = fluid->phases[0].diffusivity;
    double per_gravity = fluid->diffusivity / (fluid->phase.sound_speed * fluid->phase.sound_speed);
    fluid->diffusion_drift[0] = (float)(per_gravity * def->gravity.x);
    fluid->diffusion_drift[1] = (float)(per_gravity * def->gravity.y);
    fluid->diffusion_drift[2] = (float)(per_gravity * def->gravity.z);
    fluid->support_pressure = fluid->phase.rest_density * mote_vec3_length(def->gravity) * h;

    fluid->mass = fluid->phases[0].mass;
    fluid->surface_gamma = lattice.surface_gamma;
    fluid->sample_volume = lattice.sample_volume;
    fluid->density_factor = fluid->mass * mote_kernel_poly6.value(dimensions, h, 0);
    fluid->pressure_factor = -mote_kernel_spiky.slope(dimensions, h, 0) / (h * h);
    if (lattice.gradient > 0) fluid->pressure_factor /= lattice.gradient;
    fluid->rate_factor = fluid->pressure_factor;
    if (def->density == MOTE_DENSITY_CONTINUITY) fluid->pressure_factor *= packing_factor(&lattice);
    fluid->viscosity_factor = mote_kernel_viscosity.laplacian(dimensions, h, 0) / h;
    fluid->pair.h = (float)h;
    fluid->pair.inverse_h_squared = (float)(1 / (h * h));
    double rest_volume = fluid->mass / fluid->phase.rest_density;
    fluid->pair.largest_volume = def->negative_pressure ? FLT_MAX : (float)rest_volume;
    fluid->pair.flow_limit = (float)(2 * fluid->diffusivity / rest_volume);  // dq ≈ −dV/rest_volume
    fluid->pair.tiny_squared = (float)(1e-24 * h * h);
    return MOTE_OK;
}

static mote_result create(mote_fluid *fluid, mote_error *error)
{
    fluid->lanes = mote_pair_lanes_of(mote_context_simd(fluid->context));
    return mote_fluid_create_search(fluid, &fluid->search, error);
}

// ------------------------------------------------------------------------------------------------- evaluation

static void make_point_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const double *x = mote_fluid_doubles(fluid, FLUID_X), *y = mote_fluid_doubles(fluid, FLUID_Y);
    const double *z = mote_fluid_doubles(fluid, FLUID_Z);
    fluid_place *records = fluid->places.data;
    for (size_t i = begin; i < end; ++i) records[i] = mote_fluid_make_record(fluid, x[i], y[i], z[i], 1);
}

// Whether fields may act on a particle at one of its places, asked in loops over particles.
typedef struct field_question {
    const mote_fluid *fluid;
    const uint16_t *known;
    bool has_fields;
} field_question;

static field_question question_of(const mote_fluid *fluid)
{
    const fluid_near_fields *near = &fluid->near_fields;
    return (field_question){fluid, near->is_known ? near->numbers.data : NULL, fluid->field_count > 0};
}

static inline bool may_fields_act(const field_question *of, size_t i, const fluid_place *own)
{
    if (!of->has_fields) return false;
    return of->known ? of->known[i] != FIELD_ACTS_NOT : mote_field_reaches(of->fluid, own);
}

// Accelerations of particles. They wait in the records of the middle of the step.
static void find_accelerations(mote_fluid *fluid, uint32_t first, const fluid_row *rows, uint32_t count)
{
    const mote_pair_set set = mote_onderik_set(fluid, fluid->places.data, fluid->motions.data);
    const size_t own_count = mote_fluid_own_count(fluid);
    const float g[3] = {(float)fluid->def.gravity.x, (float)fluid->def.gravity.y, (float)fluid->def.gravity.z};
    fluid_motion *found = (fluid_motion *)fluid->half_motions.data + first;
    const field_question fields = question_of(fluid);
    const float *pushes = NULL;  // of mote_onderik_push_near_fields
    MOTE_ASSERT(count > 0 && first / FLUID_BLOCK == (first + count - 1) / FLUID_BLOCK);
    if (fields.known) pushes = mote_field_known_of_block(fluid, first / FLUID_BLOCK, FIELD_MIDDLE);
    mote_onderik_accelerate(fluid, first, rows, count, &set, found);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t i = first + k;
        if (i >= own_count) {
            found[k] = (fluid_motion){0};
            continue;
        }
        float a[3] = {found[k].x, found[k].y, found[k].z};
        if (fluid->tension_count > 0) mote_fluid_add_tension(fluid, i, rows[k], a);
        fluid_row walls = {0};
        if (fluid->wall_count) walls = mote_fluid_row(&fluid->wall_lists, i);
        if (walls.count || !fields.known) {
            if (walls.count || may_fields_act(&fields, i, &set.places[i])) mote_onderik_add_walls(fluid, i, walls, a);
        } else if (fields.known[i] != FIELD_ACTS_NOT) {
            const float *push = pushes + fields.known[i] * mote_field_stride(fluid);
            for (int c = 0; c < 3; ++c) a[c] += push[c];
        }
        found[k] = (fluid_motion){a[0] + g[0], a[1] + g[1], a[2] + g[2], 0};
    }
}

static mote_result reserve_scratch(mote_fluid *fluid)
{
    mote_context *context = fluid->context;
    size_t n = fluid->particles.count, blocks = mote_block_count(n, FLUID_BLOCK);
    const size_t places = mote_bytes(n + 1, sizeof(fluid_place));
    const size_t motions = mote_bytes(n + 1, sizeof(fluid_motion));
    mote_result result = mote_buffer_reserve(context, &fluid->places, places, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &fluid->motions, motions, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &fluid->half_motions, motions, 0);
    if (result == MOTE_OK && fluid->def.density == MOTE_DENSITY_CONTINUITY)
        result = mote_buffer_reserve(context, &fluid->half_places, places, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &fluid->partial, mote_bytes(blocks, sizeof(fluid_limits)),
                                     fluid->partial.bytes);  // kept if it cannot grow: a step may need it
    return result;
}

// Rows of fluid neighbours and of wall neighbours.
static mote_result find_neighbors(mote_fluid *fluid, mote_error *error)
{
    mote_result result = mote_fluid_prepare_walls(fluid, error);
    if (result != MOTE_OK) return result;
    enum { FLUID, WALLS, MIRRORS, SETS };
    const size_t mirrors = mote_fluid_mirror_count(fluid);
    const mote_points sets[SETS] = {
        [FLUID] = mote_fluid_record_points(fluid, fluid->places.data, fluid->particles.count),
        [WALLS] = mote_fluid_record_points(fluid, fluid->wall_records.data, fluid->wall_count),
        [MIRRORS] = mote_fluid_record_points(fluid, fluid->open.mirrors.data, mirrors)};
    const bool changed[SETS] = {true, !fluid->walls_ready, true};
    const bool active[SETS * SETS] = {
        [FLUID] = mote_fluid_keeps_lists(fluid), [WALLS] = fluid->wall_count > 0, [SETS * MIRRORS] = mirrors > 0};
    mote_lists found[SETS * SETS];
    result = mote_neighbors_update_sets(fluid->search, sets, SETS, changed, error);
    fluid->walls_ready = result == MOTE_OK;
    if (result == MOTE_OK) result = mote_neighbors_lists_of_sets(fluid->search, active, SETS * SETS, found, error);
    if (result != MOTE_OK) return result;
    fluid->lists = found[FLUID];
    fluid->wall_lists = found[WALLS];
    fluid->mirror_lists = found[SETS * MIRRORS];
    return MOTE_OK;
}

static void set_fillers(mote_fluid *fluid)
{
    const fluid_place far_away = {MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    const fluid_motion still = {0};
    const size_t n = fluid->particles.count;
    ((fluid_place *)fluid->places.data)[n] = far_away;
    ((fluid_motion *)fluid->motions.data)[n] = still;
    if (fluid->half_places.data) ((fluid_place *)fluid->half_places.data)[n] = far_away;
    if (fluid->half_motions.data) ((fluid_motion *)fluid->half_motions.data)[n] = still;
}

static mote_result find_reactions(mote_fluid *fluid)
{
    mote_fluid_find_reactions(fluid);
    return MOTE_OK;
}

// Records, rows and densities at the present positions.
static mote_result evaluate_densities(mote_fluid *fluid, mote_error *error)
{
    const size_t n = fluid->particles.count;
    fluid->has_rows = false;
    mote_result result = reserve_scratch(fluid);
    if (result == MOTE_OK) result = mote_fluid_put_in_order(fluid);
    if (result == MOTE_OK) result = mote_fluid_place_mirrors(fluid);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "a step", error);

    mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, make_point_records, fluid);
    if (fluid->half_places.data)
        mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, mote_onderik_make_half_records, fluid);
    set_fillers(fluid);
    fluid->near_fields.is_known = false;
    if (fluid->half_places.data) result = mote_field_look_up(fluid, fluid->places.data, fluid->half_places.data);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "fields", error);

    const double start = mote_clock_seconds();
    result = find_neighbors(fluid, error);
    fluid->counters.search_seconds += mote_clock_seconds() - start;
    if (result == MOTE_OK)
        result = mote_fluid_each_row(fluid, fluid->search, &fluid->lists, NULL, mote_onderik_sum_among_fluid,
                                     &fluid->counters.density_seconds, error);
    if (result != MOTE_OK) return result;
    fluid->has_rows = true;
    mote_parallel_for(fluid->context, n, FLUID_BLOCK, mote_onderik_find_densities, fluid);
    mote_fluid_hold_buffers(fluid, &fluid->mirror_lists, fluid->places.data);
    mote_fluid_find_reactions(fluid);
    return MOTE_OK;
}

static mote_result evaluate(mote_fluid *fluid, mote_error *error)
{
    mote_result result = fluid->has_densities ? MOTE_OK : evaluate_densities(fluid, error);
    if (result != MOTE_OK) return result;
    fluid->has_densities = fluid->previous_dt > 0;
    mote_onderik_push_near_fields(fluid);
    result = mote_fluid_each_row(fluid, fluid->search, &fluid->lists, NULL, find_accelerations,
                                 &fluid->counters.force_seconds, error);
    if (result != MOTE_OK) return result;
    mote_fluid_take_accelerations(fluid, fluid->half_motions.data);
    fluid->evaluated = true;
    fluid->has_densities = false;
    return MOTE_OK;
}

// Records and lists of particles whose forces were read.
static mote_result find_rows(mote_fluid *fluid, mote_error *error)
{
    mote_result result = reserve_scratch(fluid);
    if (result == MOTE_OK) result = mote_fluid_place_mirrors(fluid);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "densities", error);
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_COPY_BLOCK, make_point_records, fluid);
    set_fillers(fluid);
    result = find_neighbors(fluid, error);
    fluid->has_rows = result == MOTE_OK;
    return result;
}

static void sum_density(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    const fluid_density_task *task = data;
    const mote_fluid *fluid = task->fluid;
    if (row.index >= mote_fluid_own_count(fluid)) return;
    const mote_pair_set set = mote_onderik_set(fluid, fluid->places.data, NULL);
    const float sum = mote_onderik_sum_density(fluid, row.index, (fluid_row){row.indices, row.count}, &set);
    task->densities[row.index] = (float)mote_onderik_density_by_sums(fluid, row.index, sum);
}

static mote_result sum_densities(mote_fluid *fluid, float *densities, mote_error *error)
{
    const mote_result result = fluid->has_rows ? MOTE_OK : find_rows(fluid, error);
    fluid_density_task task = {fluid, densities};
    if (result != MOTE_OK) return result;
    return mote_neighbors_visit_sets(fluid->search, 0, 0, sum_density, &task, error);
}

// ---------------------------------------------------------------------------------------------------- the solver

static void hold(mote_fluid *fluid, size_t i, mote_vec3 velocity, double pressure)
{
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    const double excess = mote_fluid_excess_at(fluid, &of->def, pressure);
    const double volume = of->mass / (of->def.rest_density * (1 + excess));
    const double kinematic = fluid->phase_count > 1 ? 1 : fluid->viscosity / fluid->phase.rest_density;
    mote_fluid_set_excess(fluid, i, excess);
    for (int k = 0; k < 3; ++k) mote_fluid_floats(fluid, FLUID_BEND_X + k)[i] = 0;
    ((fluid_place *)fluid->places.data)[i].volume = (float)volume;
    ((fluid_motion *)fluid->motions.data)[i] =
        (fluid_motion){(float)(kinematic * velocity.x), (float)(kinematic * velocity.y),
                       (float)(kinematic * velocity.z), (float)(volume * pressure)};
}

// −h² times the factor by which the sums replace ∇² for the steepest waves of a lattice: 15 in 2D (h = 3d), 16 in 3D
// (h = 2d).
static const double steepest_wave = 16;

// Viscosity uses the predicted velocity v(t−½dt) + ½dt·a(t−dt). For a wave that it damps at the rate r this is
// stable while dt r < 1; the steepest waves of a lattice have r = 16 ν/h².
static double time_step(const mote_fluid *fluid)
{
    const double h = fluid->def.support;
    const double kinematic = mote_onderik_most_viscous(fluid);
    const double step = mote_fluid_step_limit(fluid, kinematic + steepest_wave * fluid->hyperviscosity / (h * h));
    return MOTE_MIN(step, mote_fluid_tension_step(fluid));
}

static void forget_walls(mote_fluid *fluid)
{
    fluid->walls_ready = false;
}

enum { BUFFERS = 4 };

static void own_buffers(mote_fluid *fluid, mote_buffer *buffers[BUFFERS])
{
    mote_buffer *all[BUFFERS] = {&fluid->places, &fluid->motions, &fluid->half_places, &fluid->half_motions};
    memcpy(buffers, all, sizeof all);
}

static void destroy(mote_fluid *fluid)
{
    mote_neighbors_destroy(fluid->search);
    mote_buffer *buffers[BUFFERS];
    own_buffers(fluid, buffers);
    for (int k = 0; k < BUFFERS; ++k) mote_buffer_release(fluid->context, buffers[k]);
}

static size_t byte_count(const mote_fluid *fluid)
{
    size_t lists = 0, bytes = mote_neighbors_byte_count(fluid->search, &lists);
    mote_buffer *buffers[BUFFERS];
    own_buffers((mote_fluid *)fluid, buffers);
    for (int k = 0; k < BUFFERS; ++k) bytes += buffers[k]->bytes;
    return bytes + lists;
}

static mote_result validate(mote_fluid *fluid, mote_error *error)
{
    return mote_neighbors_validate(fluid->search, error);
}

static const char *const own_settings[] = {"hyperviscosity", "wall_viscosity", NULL};

const fluid_solver mote_solver_onderik = {
    .about = {"onderik", "Onderik & Ďurikovič 2008",
              "kernels and forces of the paper, densities by summation or by continuity"},
    .fields = mote_fluid_particle_fields,
    .field_count = FLUID_ARRAY_COUNT,
    .own_settings = own_settings,
    .resolve = resolve,
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .find_reactions = find_reactions,
    .add_reactions = mote_onderik_add_reactions,
    .sum_densities = sum_densities,
    .time_step = time_step,
    .hold = hold,
    .forget_walls = forget_walls,
    .byte_count = byte_count,
    .validate = validate,
};
