// SPDX-License-Identifier: MIT
// Individual time steps: how long the step of each particle is (Onderik & Ďurikovič 2008, eq. 12).
//
// A particle's own limit is that of step.c with its own speed, acceleration and phase:
//
//     dt_i ≤ min(courant h/(c_i + |v_i|), force_limit sqrt(h/|a_i|), viscous_limit h²/ν_i, tension)
//
// where |v_i| is at least the speed of the fastest wall, whose motion limits the step besides, as step.c says; and no
// more than four times that of any neighbour. The fluid's step dt is the shortest of these times a power of two; a
// particle has level n with dt/2^n within its limit. It may take a shorter step whenever one has ended, and a longer
// one when the time is a multiple of that. A blow runs into sleeping water: when a particle begins a step, neighbours
// that sleep have to end theirs within four times its length, at once (Saitoh & Makino 2009). The step that they are
// in is then one that was shorter from its beginning: its half kick is reduced.
//
// With positions at half steps (steps "individual_positions") a particle is evaluated in the middle of each of its
// steps, and at the ends of the fluid's step. Its kick there is that of the whole step, and its position drifts by
// ½(dt_old + dt_new) v, which needs eq. 13's correction (dt_new² − dt_old²)/8 a where steps change.
//
// Particles of buffers (open_ends.c) go with the fluid's step, whatever their neighbours do, as nothing but its end
// changes them. So that step is at most the shortest of those that they would take by themselves.
//
// Where all limits are within a factor of two, all have the same step, and that is the one of a fluid with global steps
// to the bit.

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "fluid/internal.h"
#include "neighbors/visits.h"
#include "fluid/peek.h"

static const float most_ratio = 4;         // of the steps of neighbours: two levels
static const double rounding = 1 + 1e-6;   // of limits, which are floats

enum { BUFFERS = 12, ROW_KINDS = LEVEL_ROWS };

static void all_buffers(fluid_levels *levels, mote_buffer *buffers[BUFFERS + 2 * ROW_KINDS])
{
    mote_buffer *all[BUFFERS] = {&levels->awake,   &levels->group,  &levels->begins, &levels->ends, &levels->planned,
                                 &levels->origins, &levels->limits, &levels->queries, &levels->indices, &levels->seen,
                                 &levels->tails,   &levels->leads};
    memcpy(buffers, all, sizeof all);
    for (int k = 0; k < ROW_KINDS; ++k) {
        buffers[BUFFERS + 2 * k] = &levels->first[k];
        buffers[BUFFERS + 2 * k + 1] = &levels->counts[k];
    }
}

void mote_steps_release(mote_fluid *fluid)
{
    mote_buffer *buffers[BUFFERS + 2 * ROW_KINDS];
    all_buffers(&fluid->levels, buffers);
    for (int k = 0; k < BUFFERS + 2 * ROW_KINDS; ++k) mote_buffer_release(fluid->context, buffers[k]);
    mote_buffer_release(fluid->context, &fluid->levels.saved);
    mote_buffer_release(fluid->context, &fluid->levels.saved_motions);
}

size_t mote_steps_byte_count(const mote_fluid *fluid)
{
    mote_buffer *buffers[BUFFERS + 2 * ROW_KINDS];
    size_t bytes = fluid->levels.saved.bytes + fluid->levels.saved_motions.bytes;
    all_buffers((fluid_levels *)(uintptr_t)&fluid->levels, buffers);
    for (int k = 0; k < BUFFERS + 2 * ROW_KINDS; ++k) bytes += buffers[k]->bytes;
    return bytes;
}

mote_result mote_steps_reserve(mote_fluid *fluid)
{
    fluid_levels *levels = &fluid->levels;
    const size_t n = fluid->particles.count, numbers = mote_bytes(n, sizeof(uint32_t));
    mote_buffer *of_numbers[] = {&levels->awake,   &levels->group,  &levels->begins, &levels->ends,
                                 &levels->planned, &levels->limits, &levels->tails};
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < sizeof of_numbers / sizeof *of_numbers && result == MOTE_OK; ++k)
        result = mote_buffer_reserve(fluid->context, of_numbers[k], numbers, of_numbers[k]->bytes);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(fluid->context, &levels->origins, mote_bytes(n, 3 * sizeof(double)),
                                     levels->origins.bytes);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(fluid->context, &levels->leads, mote_bytes(n, sizeof(double)),
                                     levels->leads.bytes);
    return result;
}

static double *spans_of(const mote_fluid *fluid)
{
    return mote_fluid_doubles(fluid, FLUID_SPAN);
}

bool mote_steps_are_alike(mote_fluid *fluid)
{
    if (fluid->previous_dt == 0) return true;
    if (fluid->levels.has_sleepers || fluid->levels.evaluates_all || mote_steps_have_middles(&fluid->def)) return false;
    const double *spans = spans_of(fluid);
    const size_t n = fluid->particles.count;
    for (size_t i = 1; i < n; ++i)
        if (spans[i] != spans[0]) return false;
    if (n > 0) fluid->previous_dt = spans[0];
    return true;
}

// At the end of the fluid's step positions and velocities are those of the same instant.
double mote_steps_rest(const mote_fluid *fluid, size_t i)
{
    const double span = spans_of(fluid)[i];
    if (!mote_steps_have_middles(&fluid->def)) return span / 2;
    return fluid->levels.is_within ? span - ((const double *)fluid->levels.leads.data)[i] : 0;
}

// ------------------------------------------------------------------------------------------------------ accelerations

typedef struct take_task {
    mote_fluid *fluid;
    const fluid_motion *found;
} take_task;

// Of those that sleep the speed in the middle of their steps counts.
static void take_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const take_task *task = data;
    mote_fluid *fluid = task->fluid;
    float *velocity[3], *acceleration[3];
    for (int k = 0; k < 3; ++k) {
        velocity[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        acceleration[k] = mote_fluid_floats(fluid, FLUID_AX + k);
    }
    fluid_limits limits = {0, 0};
    for (size_t i = begin; i < end; ++i) {
        const fluid_motion *found = &task->found[i];
        const float a[3] = {found->x, found->y, found->z}, half_step = (float)mote_steps_rest(fluid, i);
        for (int k = 0; k < 3 && !mote_steps_is_asleep(&fluid->levels, i); ++k) {
            acceleration[k][i] = a[k];
            velocity[k][i] += half_step * a[k];
        }
        float speed = 0, strength = 0;
        for (int k = 0; k < 3; ++k) {
            speed += velocity[k][i] * velocity[k][i];
            strength += acceleration[k][i] * acceleration[k][i];
        }
        limits.max_speed_squared = MOTE_MAX(limits.max_speed_squared, speed);
        limits.max_acceleration_squared = MOTE_MAX(limits.max_acceleration_squared, strength);
    }
    ((fluid_limits *)fluid->partial.data)[begin / FLUID_BLOCK] = limits;
}

void mote_steps_take_accelerations(mote_fluid *fluid, const fluid_motion *accelerations)
{
    take_task task = {fluid, accelerations};
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, take_block, &task);
    mote_fluid_join_limits(fluid);
}

// ------------------------------------------------------------------------------------------------------------- limits

typedef struct limit_task {
    mote_fluid *fluid;
    float fixed[FLUID_PHASES], sound_speeds[FLUID_PHASES];  // limits by viscosity and tension [s]; [m/s]
    float wall_speed, wall_step;  // of the fastest wall [m/s]; that walls allow [s]
    const uint32_t *numbers;     // of the particles whose limits are compared; NULL: all
    float short_enough;          // for any neighbour
    atomic_bool has_changed;
} limit_task;

// The least and the greatest limit of a block.
typedef struct limit_range {
    float least, most;
} limit_range;

static void find_fixed(const mote_fluid *fluid, limit_task *task)
{
    const double h = fluid->def.support;
    for (uint32_t k = 0; k < fluid->phase_count; ++k) {
        const double kinematic = mote_weak_viscous_phase(fluid, k);
        double fixed = mote_fluid_tension_step_of(fluid, k);
        if (kinematic > 0) fixed = MOTE_MIN(fixed, fluid->def.viscous_limit * h * h / kinematic);
        task->fixed[k] = (float)fixed;
        task->sound_speeds[k] = (float)fluid->phases[k].def.sound_speed;
    }
}

// Of a particle by itself, of a phase: the terms of step.c, in floats.
static inline float own_limit(const limit_task *task, uint8_t phase, float speed_squared, float strength_squared)
{
    const mote_fluid_def *def = &task->fluid->def;
    const float h = (float)def->support, pulled = (float)def->force_limit * sqrtf(h);
    const float speed = MOTE_MAX(sqrtf(speed_squared), task->wall_speed);
    float limit = (float)def->courant * h / (task->sound_speeds[phase] + speed);
    if (strength_squared > 0) limit = MOTE_MIN(limit, pulled / sqrtf(sqrtf(strength_squared)));
    return MOTE_MIN(MOTE_MIN(limit, task->fixed[phase]), task->wall_step);
}

static void limit_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const limit_task *task = data;
    mote_fluid *fluid = task->fluid;
    const uint8_t *phases = mote_fluid_phase_numbers(fluid);
    const float *v[3], *a[3];
    float *limits = fluid->levels.limits.data, *last = mote_fluid_floats(fluid, FLUID_LIMIT);
    for (int k = 0; k < 3; ++k) {
        v[k] = mote_fluid_floats(fluid, FLUID_VX + k);
        a[k] = mote_fluid_floats(fluid, FLUID_AX + k);
    }
    limit_range range = {HUGE_VALF, 0};
    for (size_t i = begin; i < end; ++i) {
        if (!mote_steps_is_asleep(&fluid->levels, i)) {
            const float speed = (v[0][i] * v[0][i] + v[1][i] * v[1][i]) + v[2][i] * v[2][i];
            const float strength = (a[0][i] * a[0][i] + a[1][i] * a[1][i]) + a[2][i] * a[2][i];
            last[i] = own_limit(task, phases[i], speed, strength);
        }
        limits[i] = last[i];
        range.least = MOTE_MIN(range.least, limits[i]);
        range.most = MOTE_MAX(range.most, limits[i]);
    }
    ((limit_range *)fluid->partial.data)[begin / FLUID_BLOCK] = range;
}

static void compare_row(mote_fluid *fluid, uint32_t i, fluid_row row, limit_task *task)
{
    const weak_image *images = fluid->weak.images.data;
    const size_t count = fluid->particles.count;
    const float *limits = fluid->levels.limits.data;
    float least = limits[i];
    if (least <= task->short_enough) return;
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        least = MOTE_MIN(least, most_ratio * limits[j < count ? j : images[j - count].source]);
    }
    if (!(least < limits[i])) return;
    mote_fluid_floats(fluid, FLUID_LIMIT)[i] = least;
    atomic_store_explicit(&task->has_changed, true, memory_order_relaxed);
}

static void compare_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    limit_task *task = data;
    mote_fluid *fluid = task->fluid;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = task->numbers[k];
        if (!mote_steps_is_asleep(&fluid->levels, i) && i < mote_fluid_own_count(fluid))
            compare_row(fluid, i, mote_fluid_row(&fluid->weak.lists[0], i), task);
    }
}

static void compare_visited(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    limit_task *task = data;
    if (row.index < mote_fluid_own_count(task->fluid))
        compare_row(task->fluid, row.index, (fluid_row){row.indices, row.count}, task);
}

// One comparison of all with their neighbours. Without memory for it all have the shortest step.
static bool compare_all(limit_task *task, float least)
{
    mote_fluid *fluid = task->fluid;
    atomic_init(&task->has_changed, false);
    float *last = mote_fluid_floats(fluid, FLUID_LIMIT), *limits = fluid->levels.limits.data;
    if (task->numbers) {
        mote_parallel_for(fluid->context, fluid->levels.row_count, LEVEL_BLOCK, compare_block, task);
    } else if (mote_neighbors_visit_some(fluid->weak.search, 0, NULL, fluid->particles.count, compare_visited, task,
                                         NULL) != MOTE_OK) {
        for (size_t i = 0; i < fluid->particles.count; ++i) last[i] = least;
        return false;
    }
    if (fluid->particles.count > 0) memcpy(limits, last, fluid->particles.count * sizeof *last);
    return atomic_load_explicit(&task->has_changed, memory_order_relaxed);
}

void mote_steps_find_limits(mote_fluid *fluid, double wall_speed, double wall_step)
{
    const size_t n = fluid->particles.count;
    limit_task task = {.fluid = fluid, .wall_speed = (float)wall_speed, .wall_step = (float)wall_step};
    if (fluid->levels.row_count > 0) task.numbers = fluid->levels.awake.data;
    find_fixed(fluid, &task);
    mote_parallel_for(fluid->context, n, FLUID_BLOCK, limit_block, &task);
    const limit_range *partial = fluid->partial.data;
    limit_range all = {HUGE_VALF, 0};
    for (size_t b = 0; b < mote_block_count(n, FLUID_BLOCK); ++b) {
        all.least = MOTE_MIN(all.least, partial[b].least);
        all.most = MOTE_MAX(all.most, partial[b].most);
    }
    task.short_enough = most_ratio * all.least;
    while (all.most > most_ratio * all.least && compare_all(&task, all.least)) continue;
}

double mote_fluid_shortest_step(const mote_fluid *fluid, double dt)
{
    if (!mote_steps_are_used(&fluid->def)) return dt;
    const float *limits = mote_fluid_floats(fluid, FLUID_LIMIT);
    for (size_t i = 0; i < fluid->particles.count; ++i) dt = MOTE_MIN(dt, (double)limits[i]);
    return dt;
}

double mote_steps_time_step(const mote_fluid *fluid, double least)
{
    const float *limits = mote_fluid_floats(fluid, FLUID_LIMIT);
    float shortest = HUGE_VALF, longest = 0, held = HUGE_VALF;
    for (size_t i = 0; i < fluid->particles.count; ++i) {
        shortest = MOTE_MIN(shortest, limits[i]);
        longest = MOTE_MAX(longest, limits[i]);
        if (i >= mote_fluid_own_count(fluid)) held = MOTE_MIN(held, limits[i]);
    }
    longest = MOTE_MIN(longest, held);
    double step = (double)shortest;
    for (int k = 0; k < LEVELS_MOST && 2 * step <= (double)longest; ++k) step *= 2;
    return step > (double)shortest ? step : least;
}

// ------------------------------------------------------------------------------------------------------------- levels

bool mote_steps_are_divided(mote_fluid *fluid, double dt)
{
    const float *limits = mote_fluid_floats(fluid, FLUID_LIMIT);
    float shortest = HUGE_VALF;
    for (size_t i = 0; i < fluid->particles.count; ++i) shortest = MOTE_MIN(shortest, limits[i]);
    if (dt > (double)shortest * rounding || mote_steps_have_middles(&fluid->def)) return true;
    double *spans = spans_of(fluid);
    for (size_t i = 0; i < fluid->particles.count; ++i) spans[i] = dt;
    return false;
}

// The length of the step of a particle from a tick on, a multiple of `least` [ticks].
static uint32_t length_of(const fluid_levels *levels, float limit, uint32_t tick, uint32_t least)
{
    uint32_t length = LEVEL_TICKS;
    while (length > least && (levels->dt * length / LEVEL_TICKS > (double)limit * rounding || tick % length != 0))
        length /= 2;
    return length;
}

// When the next evaluation is. With positions at half steps it is in the middle of the next step, which begins when the
// present one has passed; behind the last one it is at the end of the fluid's step.
static uint32_t next_end(const mote_fluid *fluid, float limit, uint32_t *tail)
{
    const fluid_levels *levels = &fluid->levels;
    const uint32_t next = levels->now + *tail / 2;
    if (!mote_steps_have_middles(&fluid->def)) return levels->now + length_of(levels, limit, levels->now, 1);
    *tail = next < LEVEL_TICKS ? length_of(levels, limit, next, 2) : 0;
    return next + *tail / 2;
}

// Eq. 13: drifting with v, which is that of `lead` after the beginning, instead of the velocity in the middle of the
// drift of length D, leaves out D (½D − lead) a, which is (dt_new² − dt_old²)/8 a where lead = ½dt_old.
static double left_out(double span, double lead)
{
    return span * (span / 2 - lead);
}

static void begin_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    fluid_levels *levels = &fluid->levels;
    uint32_t *begins = levels->begins.data, *ends = levels->ends.data, *planned = levels->planned.data;
    uint32_t *tails = levels->tails.data;
    double *origins = levels->origins.data, *spans = spans_of(fluid), *leads = levels->leads.data;
    const float *limits = mote_fluid_floats(fluid, FLUID_LIMIT);
    const bool has_middles = mote_steps_have_middles(&fluid->def);
    const size_t own = mote_fluid_own_count(fluid);
    for (size_t i = begin; i < end; ++i) {
        if (mote_steps_is_asleep(levels, i)) continue;
        if (levels->now == 0) tails[i] = 0;
        if (i >= own) {
            begins[i] = levels->now, planned[i] = ends[i] = LEVEL_TICKS;
            spans[i] = levels->dt, leads[i] = levels->dt / 2;
            for (size_t k = 0; k < 3; ++k) origins[3 * i + k] = mote_fluid_doubles(fluid, FLUID_X + (int)k)[i];
            continue;
        }
        const double tail = levels->dt * tails[i] / LEVEL_TICKS;
        begins[i] = levels->now;
        planned[i] = ends[i] = next_end(fluid, limits[i], &tails[i]);
        spans[i] = levels->dt * (ends[i] - begins[i]) / LEVEL_TICKS;
        leads[i] = has_middles ? tail / 2 : spans[i] / 2;
        const double more = has_middles ? left_out(spans[i], leads[i]) : 0;
        const float lead = (float)leads[i];
        for (int k = 0; k < 3; ++k) {
            const float a = mote_fluid_floats(fluid, FLUID_AX + k)[i];
            origins[3 * i + (size_t)k] = mote_fluid_doubles(fluid, FLUID_X + k)[i] + more * (double)a;
            mote_fluid_floats(fluid, FLUID_VX + k)[i] += lead * a;
        }
    }
}

// Makes a step end earlier. Several may do so at a time: the earliest end is kept.
static void end_earlier(atomic_uint *end, uint32_t tick)
{
    unsigned at = atomic_load_explicit(end, memory_order_relaxed);
    while (at > tick && !atomic_compare_exchange_weak_explicit(end, &at, tick, memory_order_relaxed,
                                                               memory_order_relaxed))
        continue;
}

static void wake_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    fluid_levels *levels = &fluid->levels;
    const weak_image *images = fluid->weak.images.data;
    const size_t count = fluid->particles.count, own = mote_fluid_own_count(fluid);
    const uint32_t *awake = levels->awake.data, *begins = levels->begins.data, *planned = levels->planned.data;
    _Static_assert(sizeof(atomic_uint) == sizeof(uint32_t), "ends are changed by several threads");
    atomic_uint *ends = levels->ends.data;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = awake[k];
        if (begins[i] != levels->now) continue;
        uint32_t wide = LEVEL_TICKS;
        while (wide > 4 * (planned[i] - begins[i])) wide /= 2;
        const uint32_t latest = (levels->now / wide + 1) * wide;
        if (latest >= LEVEL_TICKS) continue;
        const fluid_row row = mote_fluid_row(&fluid->weak.lists[0], i);
        for (uint32_t n = 0; n < row.count; ++n) {
            const uint32_t j = row.indices[n], source = j < count ? j : images[j - count].source;
            if (source < own) end_earlier(&ends[source], latest);
        }
    }
}

// The steps of those that were woken, as if they had been as short from their beginning. With positions at half steps,
// velocities stay, and the next step begins at once.
static void shorten_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    fluid_levels *levels = &fluid->levels;
    const uint32_t *begins = levels->begins.data, *ends = levels->ends.data;
    uint32_t *planned = levels->planned.data, *tails = levels->tails.data;
    double *spans = spans_of(fluid), *leads = levels->leads.data, *origins = levels->origins.data;
    const bool has_middles = mote_steps_have_middles(&fluid->def);
    for (size_t i = begin; i < end; ++i) {
        if (ends[i] == planned[i]) continue;
        const double span = levels->dt * (ends[i] - begins[i]) / LEVEL_TICKS;
        const double lead = has_middles ? leads[i] : span / 2;
        const double more = has_middles ? left_out(span, lead) - left_out(spans[i], lead) : 0;
        const float less = (float)(leads[i] - lead);
        for (int k = 0; k < 3; ++k) {
            const float a = mote_fluid_floats(fluid, FLUID_AX + k)[i];
            mote_fluid_floats(fluid, FLUID_VX + k)[i] -= less * a;
            origins[3 * i + (size_t)k] += more * (double)a;
        }
        spans[i] = span, leads[i] = lead;
        planned[i] = ends[i];
        tails[i] = 0;
    }
}

void mote_steps_begin_steps(mote_fluid *fluid)
{
    const size_t n = fluid->particles.count;
    mote_parallel_for(fluid->context, n, FLUID_BLOCK, begin_block, fluid);
    if (!fluid->levels.has_sleepers) return;
    mote_parallel_for(fluid->context, fluid->levels.row_count, LEVEL_BLOCK, wake_block, fluid);
    mote_parallel_for(fluid->context, n, FLUID_COPY_BLOCK, shorten_block, fluid);
}

uint32_t mote_steps_next(const mote_fluid *fluid)
{
    const uint32_t *ends = fluid->levels.ends.data;
    uint32_t next = LEVEL_TICKS;
    for (size_t i = 0; i < fluid->particles.count; ++i) next = MOTE_MIN(next, ends[i]);
    return next;
}
