// SPDX-License-Identifier: MIT
// The weakly compressible solver with individual time steps: rates, densities and accelerations of the particles whose
// step ends now (levels.c). The sums are those of solver_weak.c, over rows of these particles only; all neighbours are
// seen at one instant, wherever they are in steps of their own.
//
// Rates of density belong to the middle of a particle's step of length s, at t − ½s. For each such length that occurs,
// there are records of all particles at that instant. A neighbour j in a step of length s_j that began a time τ_j ago
// has gone along a straight line with the velocity of the middle of its step, and
//
//     v_j(t − ½s) = v_j + a_j (τ_j − ½s − ½s_j),   δ_j(t − ½s) = δ_j + (τ_j − ½s) dδ_j/dt
//
// with the rates of the last evaluations; without the first correction densities would be of first order only. Where
// neighbours have ended several steps since then, their way back bends as their acceleration says. Forces belong to
// t itself. Neighbours that sleep are there by x + v dt, their velocity and density are continued in the same way,
// and their volume and pressure follow. Gradients of colour stay what they were at the beginning of their step.
//
// If all steps are alike, these records are those of solver_weak.c, which then does all of it.

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "fluid/internal.h"

// The sets of the search: the fluid, walls, and the particles that have rows. Where none sleeps, the mirrored places of
// buffers (open_state.c) follow behind these.
enum { QUERIES = WEAK_MIRRORS, SETS = WEAK_MIRRORS + 1 };
_Static_assert((int)LEVEL_ROWS == (int)WEAK_MIRRORS, "a row of each kind among each set but the last");
_Static_assert(WEAK_MIRRORS == sizeof((fluid_levels *)0)->first / sizeof(mote_buffer), "a table of rows for each set");

// --------------------------------------------------------------------------------------------------------------- rows

// Queries at least: for fewer points the method `auto` makes another structure, and makes it anew whenever their number
// falls below or rises again. Those that are too many are copies of the first, whose rows nobody reads.
enum { LEAST_QUERIES = 32 };

static size_t mirror_count(const mote_fluid *fluid)
{
    return fluid->levels.has_sleepers ? 0 : mote_fluid_mirror_count(fluid);
}

static size_t query_count(const mote_fluid *fluid)
{
    const size_t count = fluid->levels.row_count + mirror_count(fluid);
    return count > 0 ? MOTE_MAX(count, (size_t)LEAST_QUERIES) : 0;
}

typedef struct rows_task {
    mote_fluid *fluid;
    const mote_lists *found;
} rows_task;

static void copy_queries(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_fluid *fluid = data;
    const uint32_t *numbers = fluid->levels.awake.data;
    const fluid_place *places = fluid->weak.places.data;
    fluid_place *queries = fluid->levels.queries.data;
    const fluid_place *mirrors = fluid->open.mirrors.data;
    const size_t rows = fluid->levels.row_count, mirrored = rows + mirror_count(fluid);
    for (size_t k = begin; k < end; ++k)
        queries[k] = k >= rows && k < mirrored ? mirrors[k - rows] : places[numbers[k < rows ? k : 0]];
}

static uint32_t source_of(const mote_fluid *fluid, uint32_t j)
{
    const weak_image *images = fluid->weak.images.data;
    return j < fluid->particles.count ? j : images[j - fluid->particles.count].source;
}

// Several may see the same one at a time.
static void mark_seen(const mote_fluid *fluid, fluid_row row)
{
    atomic_uchar *seen = fluid->levels.seen.data;
    for (uint32_t k = 0; k < row.count; ++k)
        atomic_store_explicit(&seen[source_of(fluid, row.indices[k])], 1, memory_order_relaxed);
}

bool mote_weak_has_awake(const mote_fluid *fluid, fluid_row row)
{
    bool has_awake = false;
    for (uint32_t k = 0; k < row.count && !has_awake; ++k)
        has_awake = !mote_steps_is_asleep(&fluid->levels, source_of(fluid, row.indices[k]));
    return has_awake;
}

// Walls that are seen by someone who is awake see fluid themselves.
static void mark_by_walls(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const rows_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        const fluid_row row = mote_fluid_row(task->found, (uint32_t)i);
        if (mote_weak_has_awake(task->fluid, row)) mark_seen(task->fluid, row);
    }
}

// A row of a query has the particle itself.
static void copy_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const rows_task *task = data;
    const fluid_levels *levels = &task->fluid->levels;
    const uint32_t *numbers = levels->awake.data;
    const uint64_t *first = levels->first[0].data;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = numbers[k];
        const fluid_row row = mote_fluid_row(task->found, (uint32_t)k);
        mark_seen(task->fluid, row);
        uint32_t *to = (uint32_t *)levels->indices.data + first[i];
        for (uint32_t n = 0; n < row.count; ++n)
            if (row.indices[n] != i) *to++ = row.indices[n];
    }
}

// Numbers rows among walls by the particles that they belong to. Those that have no rows have empty ones.
static mote_lists number_rows(const mote_fluid *fluid, const mote_lists *found, int set, bool has_self)
{
    const fluid_levels *levels = &fluid->levels;
    const uint32_t *numbers = levels->awake.data;
    uint64_t *first = levels->first[set].data, at = 0;
    uint32_t *counts = levels->counts[set].data;
    memset(first, 0, fluid->particles.count * sizeof *first);
    memset(counts, 0, fluid->particles.count * sizeof *counts);
    for (size_t k = 0; k < levels->row_count; ++k) {
        first[numbers[k]] = has_self ? at : found->first[k];
        counts[numbers[k]] = found->counts[k] - has_self;
        at += counts[numbers[k]];
    }
    return (mote_lists){.count = fluid->particles.count,
                        .first = first,
                        .counts = counts,
                        .indices = has_self ? levels->indices.data : found->indices,
                        .total = at};
}

static mote_result reserve_rows(mote_fluid *fluid)
{
    fluid_levels *levels = &fluid->levels;
    const size_t n = fluid->particles.count;
    mote_result result = mote_buffer_reserve(fluid->context, &levels->queries,
                                             mote_bytes(query_count(fluid) + 1, sizeof(fluid_place)), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(fluid->context, &levels->seen, n, 0);
    for (int k = 0; k < WEAK_MIRRORS && result == MOTE_OK; ++k) {
        if (k > 0 && fluid->weak.walls[k - 1].count == 0) continue;
        result = mote_buffer_reserve(fluid->context, &levels->first[k], mote_bytes(n, sizeof(uint64_t)), 0);
        if (result == MOTE_OK)
            result = mote_buffer_reserve(fluid->context, &levels->counts[k], mote_bytes(n, sizeof(uint32_t)), 0);
    }
    return result;
}

// The rows of mirrored places, which are those behind the rows of all particles.
static mote_lists rows_of_mirrors(const mote_fluid *fluid, const mote_lists *found)
{
    const size_t rows = fluid->levels.row_count, count = mirror_count(fluid);
    if (count == 0) return (mote_lists){0};
    return (mote_lists){.count = count,
                        .first = found->first + rows,
                        .counts = found->counts + rows,
                        .indices = found->indices,
                        .total = found->total};
}

// The rows of particles among fluid and walls, and those of walls among fluid.
static mote_result search_sets(mote_fluid *fluid, mote_lists found[SETS * SETS], mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    fluid_levels *levels = &fluid->levels;
    mote_result result = mote_weak_prepare_walls(fluid, error);
    if (result != MOTE_OK) return result;
    if (reserve_rows(fluid) != MOTE_OK) return mote_fluid_out_of_memory(fluid, "rows", error);
    mote_parallel_for(fluid->context, query_count(fluid), FLUID_COPY_BLOCK, copy_queries, fluid);
    mote_points sets[SETS] = {mote_fluid_record_points(fluid, weak->places.data, mote_weak_record_count(fluid))};
    bool changed[SETS] = {true}, active[SETS * SETS] = {false};
    for (int k = 1; k < WEAK_MIRRORS; ++k) {
        const weak_walls *walls = &weak->walls[k - 1];
        sets[k] = mote_fluid_record_points(fluid, walls->places.data, walls->count + walls->image_count);
        changed[k] = mote_weak_is_moving(k - 1) ? !weak->moving_ready : !weak->walls_ready;
        active[SETS * QUERIES + k] = active[SETS * k] = walls->count > 0;
    }
    sets[QUERIES] = mote_fluid_record_points(fluid, levels->queries.data, query_count(fluid));
    changed[QUERIES] = active[SETS * QUERIES] = true;
    result = mote_neighbors_update_sets(weak->search, sets, SETS, changed, error);
    weak->walls_ready = weak->moving_ready = result == MOTE_OK;
    if (result != MOTE_OK) return result;
    return mote_neighbors_lists_of_sets(weak->search, active, SETS * SETS, found, error);
}

static mote_result find_rows(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    fluid_levels *levels = &fluid->levels;
    mote_lists found[SETS * SETS];
    const double start = mote_clock_seconds();
    mote_result result = search_sets(fluid, found, error);
    const mote_lists *among_fluid = &found[SETS * QUERIES];
    const size_t bytes = result == MOTE_OK ? mote_bytes((size_t)among_fluid->total, sizeof(uint32_t)) : 0;
    if (result == MOTE_OK && mote_buffer_reserve(fluid->context, &levels->indices, bytes, 0) != MOTE_OK)
        result = mote_fluid_out_of_memory(fluid, "rows", error);
    if (result != MOTE_OK) return result;
    rows_task task = {.fluid = fluid, .found = among_fluid};
    weak->lists[0] = number_rows(fluid, among_fluid, 0, true);
    weak->lists[WEAK_SETS * WEAK_MIRRORS] = rows_of_mirrors(fluid, among_fluid);
    memset(levels->seen.data, !levels->has_sleepers, fluid->particles.count);
    mote_parallel_for(fluid->context, levels->row_count, LEVEL_BLOCK, copy_rows, &task);
    for (int k = 1; k < WEAK_MIRRORS; ++k) {
        weak->lists[WEAK_SETS * k] = found[SETS * k];
        task.found = &found[SETS * k];
        if (levels->has_sleepers)
            mote_parallel_for(fluid->context, weak->walls[k - 1].count, FLUID_BLOCK, mark_by_walls, &task);
        if (weak->walls[k - 1].count > 0) weak->lists[k] = number_rows(fluid, &found[SETS * QUERIES + k], k, false);
    }
    fluid->counters.search_seconds += mote_clock_seconds() - start;
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------------- rates

typedef struct group_task {
    mote_fluid *fluid;
    double span;  // the length of the steps of the group [s]
} group_task;

// How long ago the step of a particle began [s].
static double age_of(const mote_fluid *fluid, size_t i)
{
    const fluid_levels *levels = &fluid->levels;
    if (!mote_steps_is_asleep(levels, i)) return mote_fluid_doubles(fluid, FLUID_SPAN)[i];
    return levels->dt * (levels->now - ((const uint32_t *)levels->begins.data)[i]) / LEVEL_TICKS;
}

static bool is_seen(const mote_fluid *fluid, size_t i)
{
    return ((const uint8_t *)fluid->levels.seen.data)[i];
}

static void make_middle_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const group_task *task = data;
    mote_fluid *fluid = task->fluid;
    const fluid_place *places = fluid->weak.places.data;
    fluid_place *half_places = fluid->weak.half_places.data;
    fluid_motion *half_motions = fluid->weak.half_motions.data;
    const float *excess = mote_fluid_floats(fluid, FLUID_EXCESS), *rate = mote_fluid_floats(fluid, FLUID_RATE);
    const double *spans = mote_fluid_doubles(fluid, FLUID_SPAN), s = task->span;
    const float half_step = (float)(s / 2), volume = (float)fluid->cell_volume;
    float drifts[FLUID_PHASES][3];
    for (uint32_t k = 0; k < fluid->phase_count; ++k) mote_weak_find_drift(fluid, &fluid->phases[k], drifts[k]);
    for (size_t i = begin; i < end; ++i) {
        if (!is_seen(fluid, i)) continue;
        const uint8_t number = mote_fluid_phase_numbers(fluid)[i];
        const double since = age_of(fluid, i) - s / 2;  // it began
        const double rest = mote_steps_rest(fluid, i);
        const float later = (float)(since - (spans[i] - rest));
        const float bend = spans[i] < s ? (float)(rest - s / 4) : 0;  // to the middle of the way back
        float at[3] = {places[i].x, places[i].y, places[i].z}, v[3];
        for (int k = 0; k < 3; ++k) {
            const float a = mote_fluid_floats(fluid, FLUID_AX + k)[i], own = mote_fluid_floats(fluid, FLUID_VX + k)[i];
            const float shift = mote_fluid_floats(fluid, FLUID_SHIFT_X + k)[i];
            v[k] = later == 0 ? own : own + later * a;
            at[k] -= half_step * ((bend == 0 ? own : own + bend * a) + shift);
        }
        const float middle = excess[i] + (float)since * rate[i] * (1 + excess[i]), *drift = drifts[number];
        const float enthalpy = (float)mote_fluid_enthalpy_at(fluid, &fluid->phases[number].def, (double)middle);
        half_places[i] = (fluid_place){at[0], at[1], at[2], volume / (1 + middle)};
        half_motions[i] = (fluid_motion){v[0], v[1], v[2],
                                         enthalpy - ((drift[0] * at[0] + drift[1] * at[1]) + drift[2] * at[2])};
    }
}

static void find_group_rates(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const uint32_t *group = fluid->levels.group.data;
    for (size_t k = begin; k < end; ++k)
        mote_weak_find_rates(fluid, group[k], mote_fluid_row(&fluid->weak.lists[0], group[k]));
}

// The shortest steps that are longer than `last`, and who has them; 0: there are none.
static size_t find_group(const mote_fluid *fluid, double last, double *span)
{
    const fluid_levels *levels = &fluid->levels;
    const uint32_t *numbers = levels->awake.data;
    const double *spans = mote_fluid_doubles(fluid, FLUID_SPAN);
    uint32_t *group = levels->group.data;
    size_t count = 0;
    *span = HUGE_VAL;
    for (size_t k = 0; k < levels->row_count; ++k)
        if (spans[numbers[k]] > last) *span = MOTE_MIN(*span, spans[numbers[k]]);
    for (size_t k = 0; k < levels->row_count; ++k)
        if (spans[numbers[k]] == *span) group[count++] = numbers[k];
    return count;
}

static void find_rates(mote_fluid *fluid)
{
    weak_memory *weak = &fluid->weak;
    group_task task = {.fluid = fluid};
    size_t count;
    mote_weak_unmark_surface(fluid);
    for (double last = -1; (count = find_group(fluid, last, &task.span)) > 0; last = task.span) {
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, make_middle_records, &task);
        mote_fluid_choose_span(fluid, mote_steps_share(&fluid->levels), task.span);
        mote_weak_find_middle_walls(fluid);
        mote_weak_refresh_images(fluid, weak->half_places.data, weak->half_motions.data);
        mote_parallel_for(fluid->context, count, LEVEL_BLOCK, find_group_rates, fluid);
    }
}

// ---------------------------------------------------------------------------------------------------------- densities

// What a particle that sleeps is like now.
static void predict(const mote_fluid *fluid, size_t i)
{
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    const double age = age_of(fluid, i), half = age / 2 * (double)mote_fluid_floats(fluid, FLUID_RATE)[i];
    const float later = (float)(age - mote_fluid_doubles(fluid, FLUID_SPAN)[i] + mote_steps_rest(fluid, i));
    const double before = (double)mote_fluid_floats(fluid, FLUID_EXCESS)[i];
    const float excess = (float)(before + (1 + before) * (2 * half / (1 - half)));
    const float pressure = (float)mote_fluid_pressure_at(fluid, &of->def, (double)excess);
    float v[3];
    for (int k = 0; k < 3; ++k)
        v[k] = mote_fluid_floats(fluid, FLUID_VX + k)[i] + later * mote_fluid_floats(fluid, FLUID_AX + k)[i];
    ((fluid_place *)fluid->weak.places.data)[i].volume = (float)(fluid->cell_volume / (1 + (double)excess));
    ((fluid_motion *)fluid->weak.motions.data)[i] =
        (fluid_motion){v[0], v[1], v[2], pressure + (float)fluid->def.background_pressure};
}

static void make_records(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const double *spans = mote_fluid_doubles(fluid, FLUID_SPAN);
    for (size_t i = begin; i < end; ++i) {
        if (!is_seen(fluid, i)) continue;
        if (mote_steps_is_asleep(&fluid->levels, i)) predict(fluid, i);
        else mote_weak_advance_density(fluid, i, (float)(spans[i] / 2), (float)mote_steps_rest(fluid, i));
    }
}

static void look_for_surface(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const uint32_t *numbers = fluid->levels.awake.data;
    for (size_t k = begin; k < end; ++k)
        mote_weak_look_for_surface(fluid, mote_fluid_row(&fluid->weak.lists[0], numbers[k]), numbers[k]);
}

static void find_accelerations(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    const uint32_t *numbers = fluid->levels.awake.data;
    for (size_t k = begin; k < end; ++k)
        mote_weak_find_acceleration(fluid, numbers[k], mote_fluid_row(&fluid->weak.lists[0], numbers[k]));
}

// Without particles that sleep, all are awake, whether they are listed or not.
static void list_all(mote_fluid *fluid)
{
    fluid_levels *levels = &fluid->levels;
    if (levels->has_sleepers) return;
    levels->awake_count = levels->row_count = fluid->particles.count;
    for (size_t i = 0; i < fluid->particles.count; ++i) ((uint32_t *)levels->awake.data)[i] = (uint32_t)i;
}

static mote_result prepare(mote_fluid *fluid, mote_error *error)
{
    if (mote_steps_reserve(fluid) != MOTE_OK) return mote_fluid_out_of_memory(fluid, "individual steps", error);
    mote_result result = mote_weak_prepare_records(fluid, error);
    if (result != MOTE_OK) return result;
    list_all(fluid);
    result = find_rows(fluid, error);
    if (result != MOTE_OK) return result;
    if (mote_steps_prepare_reactions(fluid) == MOTE_OK) return MOTE_OK;
    return mote_fluid_out_of_memory(fluid, "forces on walls", error);
}

mote_result mote_weak_evaluate_awake(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    const fluid_levels *levels = &fluid->levels;
    const mote_result result = prepare(fluid, error);
    if (result != MOTE_OK) return result;
    double start = mote_clock_seconds();
    mote_weak_unmark_stretched(fluid);
    find_rates(fluid);
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, make_records, fluid);
    if (!levels->has_sleepers)
        mote_fluid_hold_buffers(fluid, &weak->lists[WEAK_SETS * WEAK_MIRRORS], weak->places.data);
    fluid->counters.density_seconds += mote_clock_seconds() - start;
    mote_weak_refresh_images(fluid, weak->places.data, weak->motions.data);
    if (mote_weak_exchanges(fluid)) mote_weak_spread_to_images(fluid, weak->shifts.data);
    mote_weak_find_colors_awake(fluid);
    mote_weak_unmark_surface(fluid);
    if (mote_weak_has_surface(fluid))
        mote_parallel_for(fluid->context, levels->row_count, LEVEL_BLOCK, look_for_surface, fluid);
    mote_weak_find_wall_states(fluid);
    mote_steps_find_reactions(fluid);
    start = mote_clock_seconds();
    mote_parallel_for(fluid->context, levels->row_count, LEVEL_BLOCK, find_accelerations, fluid);
    fluid->counters.force_seconds += mote_clock_seconds() - start;
    mote_steps_take_accelerations(fluid, weak->half_motions.data);
    mote_weak_take_excess_shifts(fluid);
    mote_steps_find_limits(fluid, mote_fluid_wall_speed(fluid), mote_fluid_wall_step(fluid));
    fluid->has_rows = !levels->has_sleepers;
    fluid->evaluated = true, fluid->levels.were_alike = false;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------------ restored

void mote_weak_restore_record(mote_fluid *fluid, uint32_t i, fluid_row row)
{
    const double excess = (double)mote_fluid_floats(fluid, FLUID_EXCESS)[i];
    ((fluid_place *)fluid->weak.places.data)[i].volume = (float)(fluid->cell_volume / (1 + excess));
    ((uint8_t *)fluid->weak.mixed.data)[i] =
        (mote_fluid_phases_in(fluid, row) & ~(1u << mote_fluid_phase_numbers(fluid)[i])) != 0;
}

static void restore_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    mote_fluid *fluid = data;
    for (size_t i = begin; i < end; ++i)
        mote_weak_restore_record(fluid, (uint32_t)i, mote_fluid_row(&fluid->weak.lists[0], (uint32_t)i));
}

mote_result mote_weak_restore_records(mote_fluid *fluid, mote_error *error)
{
    weak_memory *weak = &fluid->weak;
    if (fluid->phase_count < 2) return MOTE_OK;
    const mote_result result = prepare(fluid, error);
    if (result != MOTE_OK) return result;
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, restore_block, fluid);
    mote_weak_refresh_images(fluid, weak->places.data, weak->motions.data);
    mote_weak_find_colors_awake(fluid);
    return MOTE_OK;
}
