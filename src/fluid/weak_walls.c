// SPDX-License-Identifier: MIT
// Walls of the weakly compressible solver: layers of particles that take their pressure and velocity from the fluid
// (Adami et al. 2012). With sums over the fluid within the support of a wall particle,
//
//     P_w = (Σ P V W + (g − a_wall)·Σ ρ V W (x_w − x)) / Σ V W           (eq. 27)
//     v_w = 2 v_wall − Σ v V W / Σ V W                                     (eq. 23, no slip)
//
// The first continues the pressure hydrostatically in the frame of the wall, the second makes the velocity that of the
// wall at its surface. In fluids with a free surface P_w is not below 0, so that water does not stick to walls. Walls
// with free slip are a set of their own, because viscosity does not act on them; and so are walls that move, because
// they have to be sorted in every step.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

// The wall particles of a set, and their images, in order.
static bool is_of_set(const mote_fluid *fluid, size_t wall, int set)
{
    const uint32_t boundary = ((const uint32_t *)fluid->wall_boundaries.data)[wall];
    const mote_boundary_def *defs = fluid->boundaries.data;
    return ((const uint8_t *)fluid->wall_samples.data)[wall] == mote_weak_is_samples(set) &&
           defs[boundary].slip == mote_weak_is_slip(set) &&
           mote_fluid_motion_of(fluid, boundary)->moves == mote_weak_is_moving(set);
}

static mote_result list_sources(mote_fluid *fluid, weak_walls *walls, int set)
{
    walls->count = 0;
    for (size_t i = 0; i < fluid->wall_count; ++i) walls->count += is_of_set(fluid, i, set);
    const size_t bytes = mote_bytes(walls->count, sizeof(uint32_t));
    if (mote_buffer_reserve(fluid->context, &walls->sources, bytes, 0) != MOTE_OK) return MOTE_ERROR_OUT_OF_MEMORY;
    uint32_t *sources = walls->sources.data;
    size_t count = 0;
    for (size_t i = 0; i < fluid->wall_count; ++i)
        if (is_of_set(fluid, i, set)) sources[count++] = (uint32_t)i;
    MOTE_ASSERT(count == walls->count);
    return MOTE_OK;
}

static mote_result reserve_records(mote_fluid *fluid, weak_walls *walls, size_t total, bool moves)
{
    mote_context *context = fluid->context;
    const size_t places = mote_bytes(total + 1, sizeof(fluid_place));
    const size_t motions = mote_bytes(total + 1, sizeof(fluid_motion));
    mote_result result = mote_buffer_reserve(context, &walls->places, places, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &walls->motions, motions, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &walls->states, motions, 0);
    if (result == MOTE_OK && moves) result = mote_buffer_reserve(context, &walls->half_places, places, 0);
    if (result == MOTE_OK && moves) result = mote_buffer_reserve(context, &walls->half_motions, motions, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &walls->owners, mote_bytes(total, sizeof(uint32_t)), 0);
    return result;
}

// The state in the middle of the last step.
static void fill_half_records(const mote_fluid *fluid, weak_walls *walls)
{
    const uint32_t *sources = walls->sources.data, *owners = walls->owners.data;
    const size_t total = walls->count + walls->image_count;
    fluid_place *places = walls->half_places.data;
    fluid_motion *motions = walls->half_motions.data;
    memcpy(places, walls->places.data, (total + 1) * sizeof *places);
    memcpy(motions, walls->motions.data, (total + 1) * sizeof *motions);
    for (size_t i = 0; i < total; ++i) {
        if (fluid->previous_dt == 0) continue;
        mote_vec3 back, v;
        mote_fluid_wall_middle(fluid, sources[owners[i]], &back, &v);
        places[i].x += (float)back.x;
        places[i].y += (float)back.y;
        places[i].z += (float)back.z;
        motions[i] = (fluid_motion){(float)v.x, (float)v.y, (float)v.z, 0};
    }
}

void mote_weak_find_middle_walls(mote_fluid *fluid)
{
    for (int k = 0; k < WEAK_WALLS; ++k)
        if (mote_weak_is_moving(k) && fluid->weak.walls[k].count > 0) fill_half_records(fluid, &fluid->weak.walls[k]);
}

static mote_result fill_records(mote_fluid *fluid, weak_walls *walls, bool moves)
{
    const size_t total = walls->count + walls->image_count;
    const mote_result result = reserve_records(fluid, walls, total, moves);
    if (result != MOTE_OK) return result;
    const uint32_t *sources = walls->sources.data;
    const double *positions = walls->positions.data;
    const weak_image *images = walls->images.data;
    const double *volumes = fluid->wall_volumes.data;
    fluid_place *places = walls->places.data;
    fluid_motion *motions = walls->motions.data, *states = walls->states.data;
    uint32_t *owners = walls->owners.data;
    for (size_t i = 0; i < total; ++i) {
        const bool is_image = i >= walls->count;
        const uint32_t own = is_image ? images[i - walls->count].source : (uint32_t)i, source = sources[own];
        double at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = positions[3 * (size_t)own + (size_t)k] + (is_image ? images[i - walls->count].offset[k] : 0);
        const fluid_place record = mote_fluid_make_record(fluid, at[0], at[1], at[2], 0);
        const mote_vec3 v = mote_fluid_wall_velocity(fluid, source);
        places[i] = (fluid_place){record.x, record.y, record.z, (float)(volumes[source] * fluid->cell_volume)};
        motions[i] = (fluid_motion){(float)v.x, (float)v.y, (float)v.z, 0};
        states[i] = (fluid_motion){0};
        owners[i] = own;
    }
    places[total] = (fluid_place){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    motions[total] = states[total] = (fluid_motion){0};
    if (moves) fill_half_records(fluid, walls);
    return MOTE_OK;
}

static mote_result prepare_set(mote_fluid *fluid, weak_walls *walls, int set)
{
    const bool moves = mote_weak_is_moving(set);
    mote_result result = list_sources(fluid, walls, set);
    const size_t bytes = mote_bytes(walls->count, 3 * sizeof(double));
    if (result == MOTE_OK) result = mote_buffer_reserve(fluid->context, &walls->positions, bytes, 0);
    walls->image_count = 0;
    if (result == MOTE_OK && walls->count) {
        const uint32_t *sources = walls->sources.data;
        const double *all = fluid->wall_positions.data;
        double *at = walls->positions.data;
        for (size_t i = 0; i < walls->count; ++i)
            for (size_t k = 0; k < 3; ++k) at[3 * i + k] = all[3 * (size_t)sources[i] + k];
        const image_sources from = {{at, at + 1, at + 2}, 3, walls->count};
        result = mote_fluid_find_images(fluid, &from, &walls->images, &walls->image_count);
    }
    if (result == MOTE_OK) result = fill_records(fluid, walls, moves);
    if (moves) return result;  // those that move need room again
    mote_buffer_release(fluid->context, &walls->positions);
    mote_buffer_release(fluid->context, &walls->images);
    return result;
}

// Walls at rest that a moving one may cover.
static void refresh_volumes(const mote_fluid *fluid, weak_walls *walls)
{
    const uint32_t *sources = walls->sources.data, *owners = walls->owners.data;
    const double *volumes = fluid->wall_volumes.data;
    fluid_place *places = walls->places.data;
    for (size_t i = 0; i < walls->count + walls->image_count; ++i)
        places[i].volume = (float)(volumes[sources[owners[i]]] * fluid->cell_volume);
}

mote_result mote_weak_prepare_walls(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    mote_buffer_release(fluid->context, &fluid->wall_records);  // of the other solver; volumes were found with them
    mote_result result = MOTE_OK;
    for (int k = 0; k < WEAK_WALLS && result == MOTE_OK; ++k) {
        const bool is_ready = mote_weak_is_moving(k) ? weak->moving_ready : weak->walls_ready;
        if (!is_ready) result = prepare_set(fluid, &weak->walls[k], k);
        else if (fluid->share) refresh_volumes(fluid, &weak->walls[k]);
    }
    return result == MOTE_OK ? MOTE_OK : mote_fluid_out_of_memory(fluid, "wall particles", error);
}

// ------------------------------------------------------------------------------------------------------- states

// Samples are a single layer, and all of a particle's push is theirs. If their pressure were the mean of the fluid's
// around them, as that of layers is, they would do work on the difference, which within seconds sets a column of water
// ringing; so, as with fields, a sample has P + ρ0 g·(x_w − x) for a particle. That is a sum of what belongs to each of
// them. It is not, if densities or accelerations differ.
bool mote_weak_is_mirror(const mote_fluid *fluid, int set)
{
    return mote_weak_is_samples(set) && !mote_weak_is_moving(set) && fluid->phase_count < 2;
}

static float weight_at(const mote_fluid *fluid, const fluid_place *place)
{
    const mote_vec3 g = fluid->def.gravity;
    const double y = fluid->def.dimensions == 2 ? 0 : (double)place->y;
    return (float)(fluid->phase.rest_density * (g.x * (double)place->x + g.y * y + g.z * (double)place->z));
}

float mote_weak_pressure_at(const mote_fluid *fluid, const weak_self *self, float pressure, int set)
{
    const float own = self->motion.scalar;  // the pressure, or what the switch makes of it
    if (!mote_weak_is_mirror(fluid, set)) return own;
    const bool may_pull = fluid->def.shifting == MOTE_SHIFTING_TRANSPORT;
    return own + (may_pull ? pressure : MOTE_MAX(pressure, 0)) - weight_at(fluid, &self->place);
}

typedef struct wall_task {
    mote_fluid *fluid;
    weak_walls *walls;
    const mote_lists *lists;
    bool moves, is_mirror;
} wall_task;

static void find_states(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const wall_task *task = data;
    mote_fluid *fluid = task->fluid;
    const weak_memory *weak = &fluid->weak;
    const weak_set set = {weak->places.data, weak->motions.data, NULL,
                          (uint32_t)(fluid->particles.count + weak->image_count)};
    const fluid_place *places = task->walls->places.data;
    const fluid_motion *motions = task->walls->motions.data;
    fluid_motion *states = task->walls->states.data;
    const uint32_t *sources = task->walls->sources.data;
    mote_vec3 g = fluid->def.gravity;
    const bool may_pull = fluid->def.shifting == MOTE_SHIFTING_TRANSPORT;
    for (size_t i = begin; i < end; ++i) {
        const fluid_row row = mote_fluid_row(task->lists, (uint32_t)i);
        const fluid_motion *own = &motions[i];
        states[i] = *own;
        if (row.count == 0 || (fluid->levels.has_sleepers && !mote_weak_has_awake(fluid, row))) continue;
        const weak_self self = {.place = places[i]};
        weak_averages sums;
        mote_weak_average(fluid, &set, row, &self, &sums);
        if (!(sums.weight > 0)) continue;
        const double weight = (double)sums.weight;
        if (task->moves)
            g = mote_vec3_sub(fluid->def.gravity, mote_fluid_wall_acceleration(fluid, sources[i]));
        // dx points from the wall particle to the fluid.
        double pressure = (double)sums.scalar - (g.x * (double)sums.offset[0] + g.y * (double)sums.offset[1] +
                                                 g.z * (double)sums.offset[2]);
        pressure /= weight;
        if (!may_pull && pressure < 0) pressure = 0;
        if (task->is_mirror) pressure = (double)weight_at(fluid, &places[i]);
        states[i] = (fluid_motion){(float)(2 * (double)own->x - (double)sums.velocity[0] / weight),
                                  (float)(2 * (double)own->y - (double)sums.velocity[1] / weight),
                                  (float)(2 * (double)own->z - (double)sums.velocity[2] / weight), (float)pressure};
    }
}

void mote_weak_find_wall_states(mote_fluid *fluid)
{
    weak_memory *weak = &fluid->weak;
    for (int k = 0; k < WEAK_WALLS; ++k) {
        weak_walls *walls = &weak->walls[k];
        wall_task task = {fluid, walls, &weak->lists[WEAK_SETS * (1 + k)], mote_weak_is_moving(k),
                          mote_weak_is_mirror(fluid, k)};
        mote_parallel_for(fluid->context, walls->count, FLUID_BLOCK, find_states, &task);
        fluid_motion *states = walls->states.data;
        const uint32_t *owners = walls->owners.data;
        const fluid_place *places = walls->places.data;
        for (size_t i = walls->count; i < walls->count + walls->image_count; ++i) {
            states[i] = states[owners[i]];
            if (task.is_mirror) states[i].scalar = weight_at(fluid, &places[i]);  // an image is elsewhere
        }
    }
}

// ---------------------------------------------------------------------------------------------------- reactions

// A set of walls as pairs see it.
typedef struct wall_pairs {
    const mote_kernel *kernel;
    const weak_kernel *factors;
    const double *sample_terms;  // NULL: they are no samples
    double inverse_support;
    double mass, push, central, drag;  // by which the sums over neighbours are multiplied
} wall_pairs;

// The force on a wall particle, minus that on the fluid particle (solver_weak.c).
static void pair_force(const wall_pairs *of, const weak_self *self, const fluid_place *place, const fluid_motion *state,
                       double force[3])
{
    const double d[3] = {(double)(place->x - self->place.x), (double)(place->y - self->place.y),
                         (double)(place->z - self->place.z)};
    const double dv[3] = {(double)(state->x - self->motion.x), (double)(state->y - self->motion.y),
                          (double)(state->z - self->motion.z)};
    const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double s = MOTE_MAX(1 - sqrt(squared) * of->inverse_support, 0);
    const double lean = of->sample_terms ? mote_sample_lean(of->sample_terms, s) : of->kernel->lean(s);
    const double slope = (double)place->volume * (double)of->factors->gradient * lean;
    const double along = d[0] * dv[0] + d[1] * dv[1] + d[2] * dv[2];
    const double both = (double)state->scalar + (double)self->motion.scalar;
    const double push = of->push * slope * (both - of->central * along / (squared + (double)of->factors->tiny));
    for (int k = 0; k < 3; ++k) force[k] = -of->mass * (push * d[k] + of->drag * slope * dv[k]);
}

void mote_weak_add_reactions(const mote_fluid *fluid, uint32_t i, double *sums)
{
    const weak_memory *weak = &fluid->weak;
    mote_weak_add_adhesion_reactions(fluid, i, sums);
    weak_self me = mote_weak_self(fluid, i);
    const float own_pressure = me.motion.scalar, pressure = ((const fluid_motion *)weak->motions.data)[i].scalar;
    if (fluid->field_count > 0) mote_weak_add_field_reactions(fluid, i, &me, sums);
    for (int w = 0; w < WEAK_WALLS; ++w) {
        const weak_walls *walls = &weak->walls[w];
        if (walls->count == 0) continue;
        const mote_row row = mote_lists_row(&weak->lists[1 + w], i);
        if (row.count == 0) continue;
        const fluid_phase *of = mote_fluid_phase_of(fluid, i);
        const double density = (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i], rest = of->def.rest_density;
        const bool slip = mote_weak_is_slip(w);
        const wall_pairs pairs = {.kernel = mote_kernels[weak->kernel.id],
                                  .factors = mote_weak_kernel_of(weak, w),
                                  .sample_terms = mote_weak_is_samples(w) ? weak->sample_terms : NULL,
                                  .inverse_support = (double)weak->kernel.inverse_support,
                                  .mass = of->mass,
                                  .push = -1 / density,
                                  .central = slip ? 0 : rest * mote_weak_central_at_walls(fluid, i),
                                  .drag = slip ? 0 : of->drag * rest / density};
        me.motion.scalar = own_pressure;
        me.motion.scalar = mote_weak_pressure_at(fluid, &me, pressure, w);
        const fluid_place *places = walls->places.data;
        const fluid_motion *states = walls->states.data;
        const uint32_t *owners = walls->owners.data, *sources = walls->sources.data;
        for (uint32_t k = 0; k < row.count; ++k) {
            const uint32_t j = row.indices[k];
            double force[3];
            pair_force(&pairs, &me, &places[j], &states[j], force);
            if (fluid->def.dimensions == 2) force[1] = 0;
            mote_fluid_add_reaction(fluid, sources[owners[j]], force, sums);
        }
    }
}
