// SPDX-License-Identifier: MIT
// Forces of the fluid on its walls: the reactions to what wall particles do to fluid particles, and the impulses of the
// guards, which are planes and meshes that stop what passes the wall particles.
//
// The force on a boundary is the mean over the last step, so that the momentum of the fluid changes by exactly what
// gravity and its walls give it, step by step. The leap-frog accelerates particles twice in a step of length dt, for
// ½dt at its start and for ½dt at its end; the impulse of the walls is counted in the same two halves:
//
//     J = ½dt F(t) + guards + ½dt F(t + dt)
//
// Moments are about the origin of coordinates, each force acting at the wall particle. Nothing of this is computed
// before someone has asked for the first time.
//
// Sums have the same bits for any number of threads: those over particles are joined in the order of a fixed number of
// blocks, and guards add whole numbers, whose sum does not depend on their order.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"

// At most so many blocks of particles, each with sums of its own: with individual steps three for each boundary.
enum { BLOCKS = MOTE_REACTION_BLOCKS, PARTIAL_BYTES = BLOCKS * 3 * 6 * sizeof(double) };

// Impulses are counted in units of m c/2^36 and their moments in m c h/2^28, up to 2^20 m c and 2^28 m c h each: a
// particle of the speed of sound at the distance of a support has m c h.
static const double fine_impulse = 0x1p36, most_impulse = 0x1p20, fine_moment = 0x1p28, most_moment = 0x1p28;

void mote_fluid_release_reactions(mote_fluid *fluid)
{
    fluid_reactions *all = &fluid->reactions;
    mote_buffer *buffers[] = {&all->of_boundaries, &all->guards,  &all->partial, &all->shares,
                              &all->share_counts,  &all->counted, &all->saved};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(fluid->context, buffers[k]);
}

size_t mote_fluid_reaction_bytes(const mote_fluid *fluid)
{
    const fluid_reactions *all = &fluid->reactions;
    return all->of_boundaries.bytes + all->guards.bytes + all->partial.bytes + all->shares.bytes +
           all->share_counts.bytes + all->counted.bytes + all->saved.bytes;
}

mote_result mote_fluid_reserve_reactions(mote_fluid *fluid, size_t boundaries)
{
    fluid_reactions *all = &fluid->reactions;
    mote_context *context = fluid->context;
    if (!all->are_wanted) return MOTE_OK;
    const size_t used = all->boundary_count;
    mote_result result =
        mote_buffer_reserve(context, &all->of_boundaries, mote_bytes(boundaries, sizeof(fluid_reaction)),
                            used * sizeof(fluid_reaction));
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &all->guards, mote_bytes(boundaries, sizeof(fluid_guard)),
                                     used * sizeof(fluid_guard));
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &all->partial, mote_bytes(boundaries, PARTIAL_BYTES), 0);
    if (result != MOTE_OK) return result;
    for (size_t b = used; b < boundaries; ++b) {
        ((fluid_reaction *)all->of_boundaries.data)[b] = (fluid_reaction){0};
        for (int k = 0; k < 6; ++k) atomic_init(&((fluid_guard *)all->guards.data)[b].sums[k], 0);
    }
    all->boundary_count = MOTE_MAX(used, boundaries);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- of particles

void mote_fluid_add_reaction(const mote_fluid *fluid, uint32_t wall, const double force[3], double *sums)
{
    const double *at = (const double *)fluid->wall_positions.data + 3 * (size_t)wall;
    mote_fluid_add_reaction_at(((const uint32_t *)fluid->wall_boundaries.data)[wall], at, force, sums);
}

void mote_fluid_add_reaction_at(uint32_t boundary, const double at[3], const double force[3], double *sums)
{
    double *to = sums + 6 * (size_t)boundary;
    const double moment[3] = {at[1] * force[2] - at[2] * force[1], at[2] * force[0] - at[0] * force[2],
                              at[0] * force[1] - at[1] * force[0]};
    for (int k = 0; k < 3; ++k) to[k] += force[k], to[3 + k] += moment[k];
}

static size_t block_size(const mote_fluid *fluid)
{
    return MOTE_MAX(mote_block_count(fluid->particles.count, BLOCKS), (size_t)FLUID_BLOCK);
}

static void add_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    double *sums = (double *)fluid->reactions.partial.data + begin / block_size(fluid) * 6 * fluid->boundary_count;
    memset(sums, 0, 6 * fluid->boundary_count * sizeof *sums);
    for (size_t i = begin; i < end; ++i) fluid->solver->add_reactions(fluid, (uint32_t)i, sums);
}

void mote_fluid_find_reactions(mote_fluid *fluid)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    fluid_reaction *of = all->of_boundaries.data;
    const size_t count = fluid->boundary_count, block = block_size(fluid), n = mote_fluid_own_count(fluid);
    for (size_t b = 0; b < count; ++b) memset(of[b].force, 0, sizeof of[b].force);
    if (fluid->wall_count > 0 || fluid->field_count > 0) {
        mote_parallel_for(fluid->context, n, block, add_block, fluid);
        const double *partial = all->partial.data;
        for (size_t k = 0; k < mote_block_count(n, block); ++k)
            for (size_t b = 0; b < count; ++b)
                for (size_t c = 0; c < 6; ++c) of[b].force[c] += partial[(k * count + b) * 6 + c];
    }
    all->are_known = true;
    for (size_t b = 0; b < count && all->is_stepping; ++b)
        for (size_t c = 0; c < 6; ++c) of[b].impulse[c] += all->at_end * of[b].force[c];
    all->is_stepping = false;
}

// --------------------------------------------------------------------------------------------------------- of a step

void mote_fluid_start_reactions(mote_fluid *fluid, double dt)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    const double half = dt / 2;
    for (size_t b = 0; b < fluid->boundary_count; ++b) {
        fluid_reaction *of = (fluid_reaction *)all->of_boundaries.data + b;
        fluid_guard *guard = (fluid_guard *)all->guards.data + b;
        for (size_t c = 0; c < 6; ++c) {
            of->impulse[c] = all->are_known ? half * of->force[c] : 0;
            atomic_store_explicit(&guard->sums[c], 0, memory_order_relaxed);
        }
    }
    all->at_end = all->are_known ? half : dt;
    all->step = dt;
    all->is_stepping = true;
}

void mote_fluid_count_guards(mote_fluid *fluid, double mass)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    const double unit = mass * fluid->phase.sound_speed;
    const mote_vec3 o = fluid->origin;
    for (size_t b = 0; b < fluid->boundary_count; ++b) {
        fluid_reaction *of = (fluid_reaction *)all->of_boundaries.data + b;
        fluid_guard *guard = (fluid_guard *)all->guards.data + b;
        double sums[6];
        for (size_t c = 0; c < 6; ++c) {
            const int64_t count = atomic_exchange_explicit(&guard->sums[c], 0, memory_order_relaxed);
            sums[c] = c < 3 ? (double)count * (unit / fine_impulse)
                            : (double)count * (unit * fluid->def.support / fine_moment);
        }
        sums[3] += o.y * sums[2] - o.z * sums[1];  // from about the fluid's origin to about that of coordinates
        sums[4] += o.z * sums[0] - o.x * sums[2];
        sums[5] += o.x * sums[1] - o.y * sums[0];
        for (size_t c = 0; c < 6; ++c) of->impulse[c] += sums[c];
    }
}

static int64_t whole(double value, double most, double fine)
{
    if (!(value - value == 0)) return 0;
    return (int64_t)(MOTE_MIN(MOTE_MAX(value, -most), most) * fine);
}

void mote_fluid_add_impulse(mote_fluid *fluid, uint32_t boundary, mote_vec3 place, mote_vec3 change)
{
    if (!mote_fluid_wants_impulses(fluid) || boundary >= fluid->boundary_count) return;
    const double inverse = -1 / fluid->phase.sound_speed;
    const mote_vec3 j = mote_vec3_scale(change, inverse);
    const mote_vec3 r = mote_vec3_scale(mote_vec3_sub(place, fluid->origin), 1 / fluid->def.support);
    const double values[6] = {j.x, j.y, j.z, r.y * j.z - r.z * j.y, r.z * j.x - r.x * j.z, r.x * j.y - r.y * j.x};
    fluid_guard *guard = (fluid_guard *)fluid->reactions.guards.data + boundary;
    for (int k = 0; k < 6; ++k) {
        const int64_t count =
            k < 3 ? whole(values[k], most_impulse, fine_impulse) : whole(values[k], most_moment, fine_moment);
        atomic_fetch_add_explicit(&guard->sums[k], count, memory_order_relaxed);
    }
}

bool mote_fluid_wants_impulses(const mote_fluid *fluid)
{
    return fluid && fluid->reactions.are_wanted;
}

mote_result mote_fluid_boundary_force(mote_fluid *fluid, uint32_t boundary, mote_vec3 *force, mote_vec3 *moment,
                                      mote_error *error)
{
    if (!fluid) return mote_fail_null(error, "fluid", "the object");
    if (boundary >= fluid->boundary_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, boundary, "fluid: boundary %u, expected one below %u", boundary,
                         fluid->boundary_count);
    mote_result result = mote_fluid_evaluate(fluid, error);
    if (result != MOTE_OK) return result;
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) {
        all->are_wanted = true;
        result = mote_fluid_reserve_reactions(fluid, fluid->boundary_count);
        if (result == MOTE_OK && fluid->has_rows) result = fluid->solver->find_reactions(fluid);
        if (result != MOTE_OK) {
            all->are_wanted = false;
            return mote_fluid_out_of_memory(fluid, "forces on walls", error);
        }
    }
    if (!all->are_known)
        return mote_fail(error, MOTE_ERROR_STATE, boundary,
                         "fluid: the state that was read has no forces on walls, expected a step after it");
    const fluid_reaction *of = (const fluid_reaction *)all->of_boundaries.data + boundary;
    double mean[6];
    for (int k = 0; k < 6; ++k) mean[k] = all->step > 0 ? of->impulse[k] / all->step : of->force[k];
    if (force) *force = mote_vec3_make(mean[0], mean[1], mean[2]);
    if (moment) *moment = mote_vec3_make(mean[3], mean[4], mean[5]);
    return MOTE_OK;
}
