// SPDX-License-Identifier: MIT
// Forces on walls with individual time steps.
//
// A particle is accelerated twice in each of its own steps: at the beginning for the time that its velocity is led
// ahead, at the end for the rest of the step. The impulse on the walls is counted likewise, particle by particle:
//
//     J = Σ_i Σ_steps (lead F_i(begin) + rest F_i(end)) + guards
//
// so that momentum is balanced as far as that of the fluid alone is. What a particle does to each boundary is kept from
// its evaluation on: the step that begins there may end earlier than it was planned, and then the lead is less.

#include <string.h>

#include "fluid/internal.h"

// At most so many blocks of particles, each with sums of its own: impulses, forces, and those of one particle.
enum { BLOCKS = MOTE_REACTION_BLOCKS, SUMS = 3 };

static fluid_share *shares_of(const mote_fluid *fluid, size_t i)
{
    return (fluid_share *)fluid->reactions.shares.data + i * fluid->reactions.share_room;
}

static uint32_t *counts_of(const mote_fluid *fluid)
{
    return fluid->reactions.share_counts.data;
}

static size_t block_size(const mote_fluid *fluid)
{
    return MOTE_MAX(mote_block_count(fluid->particles.count, BLOCKS), (size_t)FLUID_BLOCK);
}

// --------------------------------------------------------------------------------------------------------------- room

// Boundaries among a particle's wall rows: exact up to NOTED of them, more than there are beyond.
enum { NOTED = 16 };

static size_t count_boundaries(const mote_fluid *fluid, uint32_t i)
{
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    uint32_t noted[NOTED];
    size_t count = fluid->field_count;
    for (int w = 0; w < WEAK_WALLS; ++w) {
        const weak_walls *walls = &fluid->weak.walls[w];
        if (walls->count == 0) continue;
        const fluid_row row = mote_fluid_row(&fluid->weak.lists[1 + w], i);
        const uint32_t *owners = walls->owners.data, *sources = walls->sources.data;
        size_t in_set = 0;
        for (uint32_t k = 0; k < row.count; ++k) {
            const uint32_t boundary = boundaries[sources[owners[row.indices[k]]]];
            bool is_noted = false;
            for (size_t n = 0; n < MOTE_MIN(in_set, (size_t)NOTED) && !is_noted; ++n) is_noted = noted[n] == boundary;
            if (!is_noted && in_set < NOTED) noted[in_set] = boundary;
            in_set += !is_noted;
        }
        count += in_set;
    }
    return MOTE_MIN(count, (size_t)fluid->boundary_count);
}

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    size_t most = 0;
    for (size_t i = begin; i < end; ++i)
        if (!mote_steps_is_asleep(&fluid->levels, i)) most = MOTE_MAX(most, count_boundaries(fluid, (uint32_t)i));
    ((double *)fluid->reactions.partial.data)[begin / block_size(fluid)] = (double)most;
}

static size_t find_room(mote_fluid *fluid)
{
    const size_t n = fluid->particles.count;
    size_t most = 1;
    mote_parallel_for(fluid->context, n, block_size(fluid), count_block, fluid);
    const double *partial = fluid->reactions.partial.data;
    for (size_t b = 0; b < mote_block_count(n, block_size(fluid)); ++b) most = MOTE_MAX(most, (size_t)partial[b]);
    return most;
}

// Room for so many shares of each particle; those that there are stay.
static mote_result make_room(mote_fluid *fluid, size_t room)
{
    fluid_reactions *all = &fluid->reactions;
    mote_context *context = fluid->context;
    const size_t n = fluid->particles.count, bytes = mote_bytes(n, room * sizeof(fluid_share));
    mote_result result =
        mote_buffer_reserve(context, &all->share_counts, mote_bytes(n, sizeof(uint32_t)), all->share_counts.bytes);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &all->counted, mote_bytes(n, sizeof(double)), all->counted.bytes);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &all->shares, bytes, all->shares.bytes);
    if (result != MOTE_OK) return result;
    if (room > all->share_room && fluid->levels.has_sleepers) {
        fluid_share *shares = all->shares.data;
        for (size_t i = n; i-- > 0;)  // from the last one on: there is room behind it
            memmove(shares + i * room, shares + i * all->share_room, all->share_room * sizeof *shares);
    }
    all->share_room = MOTE_MAX(all->share_room, room);
    return MOTE_OK;
}

mote_result mote_steps_prepare_reactions(mote_fluid *fluid)
{
    if (!fluid->reactions.are_wanted || !mote_steps_are_used(&fluid->def)) return MOTE_OK;
    return make_room(fluid, MOTE_MAX(find_room(fluid), fluid->reactions.share_room));
}

// -------------------------------------------------------------------------------------------------------------- forces

static void add_scaled(double to[6], const double sums[6], double by)
{
    for (int c = 0; c < 6; ++c) to[c] += by * sums[c];
}

// Keeps what a particle does to each boundary; `sums` are those of one particle, and 0 again behind it.
static void keep_shares(mote_fluid *fluid, size_t i, double *sums)
{
    fluid_share *shares = shares_of(fluid, i);
    uint32_t count = 0;
    // As in reactions.c, buffers push no walls: openings say how these particles move.
    if (i < mote_fluid_own_count(fluid)) fluid->solver->add_reactions(fluid, (uint32_t)i, sums);
    for (uint32_t b = 0; b < fluid->boundary_count; ++b) {
        double *of = sums + 6 * (size_t)b;
        bool any = false;
        for (int c = 0; c < 6; ++c) any = any || of[c] != 0;
        if (!any) continue;
        MOTE_ASSERT(count < fluid->reactions.share_room);
        shares[count].boundary = b;
        memcpy(shares[count++].sums, of, sizeof shares->sums);
        memset(of, 0, sizeof shares->sums);
    }
    counts_of(fluid)[i] = count;
    ((double *)fluid->reactions.counted.data)[i] = 0;
}

// For how long the force at the end of a particle's step acts in it. Where nobody knew that at its beginning, it acts
// for all of the step.
static double time_at_end(const mote_fluid *fluid, size_t i)
{
    const fluid_reactions *all = &fluid->reactions;
    const bool is_first = fluid->levels.is_divided ? ((const uint32_t *)fluid->levels.begins.data)[i] == 0 : true;
    if (!all->is_stepping) return 0;
    return is_first && all->at_end == all->step ? mote_fluid_doubles(fluid, FLUID_SPAN)[i] : mote_steps_rest(fluid, i);
}

static void add_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const size_t length = 6 * (size_t)fluid->boundary_count;
    double *impulse = (double *)fluid->reactions.partial.data + begin / block_size(fluid) * SUMS * length;
    double *force = impulse + length, *own = force + length;
    memset(impulse, 0, SUMS * length * sizeof *impulse);
    for (size_t i = begin; i < end; ++i) {
        const bool is_awake = !mote_steps_is_asleep(&fluid->levels, i);
        if (is_awake) keep_shares(fluid, i, own);
        const double time = is_awake ? time_at_end(fluid, i) : 0;
        const fluid_share *shares = shares_of(fluid, i);
        for (uint32_t k = 0; k < counts_of(fluid)[i]; ++k) {
            add_scaled(force + 6 * (size_t)shares[k].boundary, shares[k].sums, 1);
            add_scaled(impulse + 6 * (size_t)shares[k].boundary, shares[k].sums, time);
        }
    }
}

void mote_steps_find_reactions(mote_fluid *fluid)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    fluid_reaction *of = all->of_boundaries.data;
    const size_t count = fluid->boundary_count, n = fluid->particles.count;
    for (size_t b = 0; b < count; ++b) memset(of[b].force, 0, sizeof of[b].force);
    mote_parallel_for(fluid->context, n, block_size(fluid), add_block, fluid);
    const double *partial = all->partial.data;
    for (size_t k = 0; k < mote_block_count(n, block_size(fluid)); ++k)
        for (size_t b = 0; b < count; ++b) {
            add_scaled(of[b].impulse, partial + (k * SUMS * count + b) * 6, 1);
            add_scaled(of[b].force, partial + ((k * SUMS + 1) * count + b) * 6, 1);
        }
    all->are_known = true;
    all->is_stepping = all->is_stepping && fluid->levels.is_within;
}

// -------------------------------------------------------------------------------------------------------------- a step

void mote_steps_start_reactions(mote_fluid *fluid, double dt)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    mote_fluid_start_reactions(fluid, dt);
    for (size_t b = 0; b < fluid->boundary_count; ++b) {
        fluid_reaction *of = (fluid_reaction *)all->of_boundaries.data + b;
        memset(of->impulse, 0, sizeof of->impulse);
    }
    const size_t numbers = fluid->particles.count * sizeof(uint32_t);
    if (!all->are_known && numbers > 0) memset(all->share_counts.data, 0, numbers);
}

// In the order of particles. Those that have begun a step, and those whose step has become shorter.
void mote_steps_count_leads(mote_fluid *fluid)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    const double *leads = fluid->levels.leads.data;
    double *counted = all->counted.data;
    for (size_t i = 0; i < fluid->particles.count; ++i) {
        const fluid_share *shares = shares_of(fluid, i);
        for (uint32_t k = 0; k < counts_of(fluid)[i]; ++k) {
            fluid_reaction *of = (fluid_reaction *)all->of_boundaries.data + shares[k].boundary;
            add_scaled(of->impulse, shares[k].sums, leads[i] - counted[i]);
        }
        counted[i] = leads[i];
    }
}

// ------------------------------------------------------------------------------------------- the state before a step

// What an undone step changes: forces, and each particle's shares; none is counted at the beginning of a step.
mote_result mote_steps_save_reactions(mote_fluid *fluid)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return MOTE_OK;
    const size_t n = fluid->particles.count, sums = all->boundary_count * sizeof(fluid_reaction);
    mote_result result = make_room(fluid, MOTE_MAX(all->share_room, (size_t)1));
    const size_t numbers = mote_bytes(n, sizeof(uint32_t));
    const size_t shares = mote_bytes(n, all->share_room * sizeof(fluid_share));
    if (result == MOTE_OK) result = mote_buffer_reserve(fluid->context, &all->saved, sums + numbers + shares, 0);
    if (result != MOTE_OK) return result;
    if (!all->are_known && n > 0) memset(all->share_counts.data, 0, numbers);
    char *to = all->saved.data;
    if (sums > 0) memcpy(to, all->of_boundaries.data, sums);
    if (n > 0) memcpy(to + sums, all->share_counts.data, numbers);
    for (size_t i = 0; i < n; ++i)
        memcpy(to + sums + numbers + i * all->share_room * sizeof(fluid_share), shares_of(fluid, i),
               counts_of(fluid)[i] * sizeof(fluid_share));
    if (n > 0) memset(all->counted.data, 0, n * sizeof(double));
    all->saved_room = all->share_room;
    all->before = (fluid_reaction_clock){all->are_known, all->is_stepping, all->at_end, all->step};
    return MOTE_OK;
}

void mote_steps_undo_reactions(mote_fluid *fluid)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted) return;
    const size_t n = fluid->particles.count, sums = all->boundary_count * sizeof(fluid_reaction);
    const size_t numbers = n * sizeof(uint32_t), stride = all->saved_room * sizeof(fluid_share);
    const char *from = all->saved.data;
    if (sums > 0) memcpy(all->of_boundaries.data, from, sums);
    if (n > 0) memcpy(all->share_counts.data, from + sums, numbers);
    for (size_t i = 0; i < n; ++i)
        memcpy(shares_of(fluid, i), from + sums + numbers + i * stride, counts_of(fluid)[i] * sizeof(fluid_share));
    if (n > 0) memset(all->counted.data, 0, n * sizeof(double));
    all->are_known = all->before.are_known, all->is_stepping = all->before.is_stepping;
    all->at_end = all->before.at_end, all->step = all->before.step;
}

// ----------------------------------------------------------------------------------------------------------- as bytes

size_t mote_steps_share_count(const mote_fluid *fluid)
{
    const fluid_reactions *all = &fluid->reactions;
    size_t count = 0;
    if (!all->are_wanted || !all->are_known || !fluid->evaluated || !mote_steps_are_used(&fluid->def)) return 0;
    for (size_t i = 0; i < fluid->particles.count; ++i) count += counts_of(fluid)[i];
    return count;
}

bool mote_steps_write_shares(const mote_fluid *fluid, mote_sink *sink, void *user_data, uint64_t *sum)
{
    if (mote_steps_share_count(fluid) == 0) return true;
    for (size_t i = 0; i < fluid->particles.count; ++i)
        for (uint32_t k = 0; k < counts_of(fluid)[i]; ++k) {
            fluid_share_bytes bytes = {i, shares_of(fluid, i)[k].boundary, {0}};
            memcpy(bytes.sums, shares_of(fluid, i)[k].sums, sizeof bytes.sums);
            *sum = mote_checksum(*sum, &bytes, sizeof bytes);
            if (!sink(user_data, &bytes, sizeof bytes)) return false;
        }
    return true;
}

bool mote_steps_read_shares(mote_fluid *fluid, const char *bytes, size_t count)
{
    fluid_reactions *all = &fluid->reactions;
    if (!all->are_wanted || !mote_steps_are_used(&fluid->def)) return true;
    const size_t n = fluid->particles.count;
    size_t most = 1, run = 0;
    fluid_share_bytes one, last = {UINT64_MAX, 0, {0}};
    for (size_t k = 0; k < count; ++k, last = one) {
        memcpy(&one, bytes + k * sizeof one, sizeof one);
        if (one.particle >= n || one.boundary >= fluid->boundary_count) return false;
        if (k > 0 && one.particle < last.particle) return false;
        run = one.particle == last.particle ? run + 1 : 1;
        most = MOTE_MAX(most, run);
    }
    if (make_room(fluid, MOTE_MAX(most, all->share_room)) != MOTE_OK) return false;
    if (n > 0) memset(all->share_counts.data, 0, n * sizeof(uint32_t));
    if (n > 0) memset(all->counted.data, 0, n * sizeof(double));
    for (size_t k = 0; k < count; ++k) {
        memcpy(&one, bytes + k * sizeof one, sizeof one);
        fluid_share *to = shares_of(fluid, (size_t)one.particle) + counts_of(fluid)[one.particle]++;
        to->boundary = (uint32_t)one.boundary;
        memcpy(to->sums, one.sums, sizeof one.sums);
    }
    return true;
}
