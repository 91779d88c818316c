// SPDX-License-Identifier: MIT
// The state in which blocks start: their particles' places, velocities and pressures. Velocities and pressures may be
// expressions of the place.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/blocks.h"

static const char *const place[] = {"x", "y", "z", NULL};
static const double most_speed = 1e6;  // along an axis [m/s], as for numbers

// The expressions of a block; NULL where there is a number.
typedef struct block_start {
    mote_expression *velocity[3], *pressure;
} block_start;

static bool has_density(const mote_simulation_def *def)
{
    return def->fluid.density == MOTE_DENSITY_CONTINUITY;
}

// ------------------------------------------------------------------------------------------------------ expressions

static mote_result refuse_text(const char *field, size_t k, const mote_error *found, mote_error *error)
{
    char path[64];
    mote_print(path, sizeof path, "blocks[%zu].%s", k, field);
    const mote_result result = mote_expression_refuse(path, found, error);
    if (error) error->index = k;
    return result;
}

mote_result mote_block_check_start(const mote_simulation_def *def, size_t k, mote_error *error)
{
    static const char *const names[] = {"velocity[0]", "velocity[1]", "velocity[2]"};
    const mote_block_def *block = &def->blocks[k];
    mote_error found = {0};
    for (int c = 0; c < 3; ++c)
        if (block->velocity_text[c] && mote_expression_check(block->velocity_text[c], place, &found) != MOTE_OK)
            return refuse_text(names[c], k, &found, error);
    const char *pressure = mote_block_pressure_text(block);
    if (!pressure) return MOTE_OK;
    if (!has_density(def))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu].pressure is given, expected none where densities follow from positions: "
                         "\"density\": \"%s\"",
                         k, def->fluid.density == MOTE_DENSITY_NUMBER ? "number" : "summation");
    if (mote_expression_check(pressure, place, &found) != MOTE_OK)
        return refuse_text("pressure", k, &found, error);
    return MOTE_OK;
}

static void close_start(block_start *start)
{
    for (int c = 0; c < 3; ++c) mote_expression_destroy(start->velocity[c]);
    mote_expression_destroy(start->pressure);
}

// Compiles what was checked. Close it in any case.
static mote_result open_start(mote_context *context, const mote_block_def *block, block_start *start, mote_error *error)
{
    mote_result result = MOTE_OK;
    *start = (block_start){{NULL, NULL, NULL}, NULL};
    for (int c = 0; c < 3 && result == MOTE_OK; ++c)
        if (block->velocity_text[c])
            result = mote_expression_create(context, block->velocity_text[c], place, &start->velocity[c], error);
    const char *pressure = mote_block_pressure_text(block);
    if (result == MOTE_OK && pressure)
        result = mote_expression_create(context, pressure, place, &start->pressure, error);
    return result;
}

static mote_result refuse_value(size_t k, const char *field, double value, const double p[3], const char *expected,
                                mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                     "blocks[%zu].%s is %g for the particle at (%g, %g, %g), expected %s", k, field, value, p[0],
                     p[1], p[2], expected);
}

// ------------------------------------------------------------------------------------------- places and velocities

// Writes the velocities of particles at these places.
static mote_result find_velocities(const mote_simulation_def *def, size_t k, const block_start *start, size_t count,
                                   const double *positions, double *velocities, mote_error *error)
{
    static const char *const names[] = {"velocity[0]", "velocity[1]", "velocity[2]"};
    const mote_block_def *block = &def->blocks[k];
    const double numbers[3] = {block->velocity.x, block->velocity.y, block->velocity.z};
    for (size_t i = 0; i < count; ++i)
        for (size_t c = 0; c < 3; ++c) {
            const double *p = positions + 3 * i;
            double *value = &velocities[3 * i + c];
            *value = numbers[c];
            if (!start->velocity[c]) continue;
            *value = mote_expression_evaluate(start->velocity[c], p);
            if (!(fabs(*value) <= most_speed))
                return refuse_value(k, names[c], *value, p, "a number from -1000000 to 1000000", error);
            if (c == 1 && def->fluid.dimensions == 2 && *value != 0)
                return refuse_value(k, names[c], *value, p, "0 in 2D", error);
        }
    return MOTE_OK;
}

// Finds the places and velocities of a block's particles: three numbers each in `memory`, first all places.
// @param stacks  compresses them where water is at rest; NULL: they lie on an even lattice
static mote_result find_particles(mote_context *context, const mote_simulation_def *def, size_t k,
                                  const block_stacks *stacks, mote_buffer *memory, size_t *count, mote_error *error)
{
    block_start start;
    *count = (size_t)mote_block_particles(def, k);
    mote_result result = mote_buffer_reserve(context, memory, mote_bytes(*count, 6 * sizeof(double)), 0);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "simulation: no memory for a block of %zu particles", *count);
    double *positions = memory->data, *velocities = positions + 3 * *count;
    mote_block_fill(def, k, positions);
    for (size_t i = 0; i < *count && stacks; ++i) {
        double *p = positions + 3 * i;
        const block_columns columns = mote_stacks_columns(stacks, k, mote_vec3_make(p[0], p[1], p[2]));
        mote_columns_compress(&columns, p);
    }
    result = open_start(context, &def->blocks[k], &start, error);
    if (result == MOTE_OK) result = find_velocities(def, k, &start, *count, positions, velocities, error);
    close_start(&start);
    return result;
}

// Removes the particles of blocks whose place a later one takes. Those that stay keep their ids.
static mote_result remove_replaced(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                                   mote_error *error)
{
    const mote_fluid_view view = mote_fluid_peek(fluid);
    bool *marked = mote_allocate(context, view.count);
    if (!marked && view.count) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for blocks");
    uint64_t end = 0;  // the first id behind block k - 1
    size_t k = 0;
    for (size_t i = 0; i < view.count; ++i) {  // in the order of their ids
        while (view.id[i] >= end && k < def->block_count) end += (uint64_t)mote_block_particles(def, k++);
        marked[i] = mote_block_is_replaced(def, k - 1, mote_vec3_make(view.x[i], view.y[i], view.z[i]));
    }
    const mote_result result = mote_fluid_remove(fluid, marked, error);
    mote_release(context, marked, view.count);
    return result;
}

mote_result mote_blocks_fill(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                             mote_error *error)
{
    mote_buffer memory = {0};
    block_stacks stacks;
    const mote_phase_def water = mote_fluid_resolved_phase(fluid, 0);
    mote_result result = mote_stacks_create(context, def, &water, &stacks, error);
    if (result != MOTE_OK) return result;
    for (size_t k = 0; result == MOTE_OK && k < def->block_count; ++k) {
        size_t count;
        result = find_particles(context, def, k, &stacks, &memory, &count, error);
        const double *positions = memory.data;
        const uint32_t phase = (uint32_t)mote_block_fluid(def, k);
        if (result == MOTE_OK) result = mote_fluid_add(fluid, phase, positions, positions + 3 * count, count, error);
    }
    mote_buffer_release(context, &memory);
    mote_stacks_destroy(&stacks);
    if (result == MOTE_OK && def->fluid_count > 1) result = remove_replaced(context, fluid, def, error);
    // Those of expressions are for particles that stay: others are inside of bodies.
    return result == MOTE_OK ? mote_blocks_set_pressures(context, fluid, def, false, error) : result;
}

mote_result mote_blocks_find_speed(mote_context *context, const mote_simulation_def *def, double *speed,
                                   mote_error *error)
{
    mote_buffer memory = {0};
    mote_result result = MOTE_OK;
    *speed = 0;
    for (size_t k = 0; k < def->block_count && result == MOTE_OK; ++k) {
        const mote_block_def *block = &def->blocks[k];
        if (!block->velocity_text[0] && !block->velocity_text[1] && !block->velocity_text[2]) {
            *speed = MOTE_MAX(*speed, mote_vec3_length(block->velocity));
            continue;
        }
        size_t count;
        result = find_particles(context, def, k, NULL, &memory, &count, error);
        if (result != MOTE_OK) break;
        const double *v = (const double *)memory.data + 3 * count;
        for (size_t i = 0; i < count; ++i, v += 3)
            *speed = MOTE_MAX(*speed, mote_vec3_length(mote_vec3_make(v[0], v[1], v[2])));
    }
    mote_buffer_release(context, &memory);
    return result;
}

// -------------------------------------------------------------------------------------------------------- pressures

// What is known of a block while pressures are found.
typedef struct block_pressure {
    block_start start;
    uint64_t first;  // id of its particles: ids are assigned block by block
    double gravity;         // [m/s²]
    mote_vec3 up;           // against it
    double top;             // of points: the highest, along `up`
} block_pressure;

static size_t block_of(const block_pressure *blocks, size_t count, uint64_t id)
{
    size_t low = 0;
    for (size_t high = count; high - low > 1;) {
        const size_t middle = low + (high - low) / 2;
        if (blocks[middle].first <= id) low = middle;
        else high = middle;
    }
    return low;
}

// Particles that carry their density start with the pressure of the water above them in their block: otherwise the
// column would collapse a little and oscillate with sound for a long time. Returns it over the density of rest.
static double pressure_of_block(const mote_simulation_def *def, const block_stacks *stacks, size_t k,
                                const block_pressure *of, mote_vec3 p)
{
    const mote_block_def *block = &def->blocks[k];
    if (block->shape == MOTE_SHAPE_BOX) return mote_stacks_pressure(stacks, k, p);
    if (!(of->gravity > 0)) return 0;
    const double depth = block->shape == MOTE_SHAPE_POINTS
                             ? of->top - mote_vec3_dot(p, of->up)
                             : mote_shape_way_out(block, def->fluid.dimensions, p, of->up);
    return of->gravity * MOTE_MAX(depth, 0.0);
}

// @param takes_own  blocks have pressures of their own, if any; else 0 there
static mote_result find_pressures(const mote_simulation_def *def, const mote_fluid_view *view,
                                  const block_stacks *stacks, const block_pressure *blocks, bool takes_own,
                                  double *pressures, mote_error *error)
{
    for (size_t i = 0; i < view->count; ++i) {
        const mote_vec3 p = {view->x[i], view->y[i], view->z[i]};
        const double at[3] = {p.x, p.y, p.z};
        const size_t k = block_of(blocks, def->block_count, view->id[i]);
        const block_pressure *of = &blocks[k];
        if (!of->start.pressure && def->fluid_count > 1)
            pressures[i] = of->gravity > 0 ? of->gravity * mote_mixture_weight_above(def, p, of->up) : 0;
        else if (!of->start.pressure)
            pressures[i] = mote_mixture_phase(def, 0).rest_density * pressure_of_block(def, stacks, k, of, p);
        else pressures[i] = takes_own ? mote_expression_evaluate(of->start.pressure, at) : 0;
        if (!(pressures[i] - pressures[i] == 0))
            return refuse_value(k, "pressure", pressures[i], at, "a finite number", error);
    }
    return MOTE_OK;
}

static mote_result open_blocks(mote_context *context, const mote_simulation_def *def, block_pressure *blocks,
                               mote_error *error)
{
    const mote_vec3 gravity = mote_gravity_at_rest(def), up = mote_vec3_scale(mote_vec3_unit(gravity), -1);
    uint64_t next = 0;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < def->block_count; ++k) {
        block_pressure *of = &blocks[k];
        *of = (block_pressure){.first = next, .gravity = mote_vec3_length(gravity), .up = up};
        if (def->blocks[k].shape == MOTE_SHAPE_POINTS && of->gravity > 0)
            of->top = mote_shape_reach(&def->blocks[k], def->fluid.dimensions, up);
        next += (uint64_t)mote_block_particles(def, k);
        if (result == MOTE_OK) result = open_start(context, &def->blocks[k], &of->start, error);
    }
    return result;
}

// The fluid's own words for a pressure that it does not take, behind the field and the particle that it comes from.
static mote_result set_pressures(mote_fluid *fluid, const mote_simulation_def *def, const mote_fluid_view *view,
                                 const block_pressure *blocks, const double *pressures, mote_error *error)
{
    mote_error found = {0};
    const mote_result result = mote_fluid_set_pressures(fluid, pressures, &found);
    if (result == MOTE_OK) return result;
    const size_t i = (size_t)found.index;
    if (result != MOTE_ERROR_ARGUMENT || i >= view->count)
        return mote_fail(error, result, 0, "simulation: pressures at the start: %s", mote_result_text(result));
    const size_t k = block_of(blocks, def->block_count, view->id[i]);
    return mote_fail(error, result, k, "blocks[%zu].pressure for the particle at (%g, %g, %g): %.120s", k, view->x[i],
                     view->y[i], view->z[i], found.text);
}

mote_result mote_blocks_set_pressures(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                                      bool takes_own, mote_error *error)
{
    if (!has_density(def)) return MOTE_OK;
    const mote_fluid_view view = mote_fluid_peek(fluid);
    const mote_phase_def water = mote_fluid_resolved_phase(fluid, 0);
    block_stacks stacks;
    mote_result result = mote_stacks_create(context, def, &water, &stacks, error);
    if (result != MOTE_OK) return result;
    const size_t bytes = mote_bytes(view.count, sizeof(double));
    const size_t block_bytes = mote_bytes(def->block_count, sizeof(block_pressure));
    double *pressures = mote_allocate(context, bytes);
    block_pressure *blocks = mote_allocate(context, block_bytes);
    if ((!pressures && bytes) || (!blocks && block_bytes)) {
        result = mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for pressures at the start");
    } else {
        result = open_blocks(context, def, blocks, error);
        if (result == MOTE_OK) result = find_pressures(def, &view, &stacks, blocks, takes_own, pressures, error);
        if (result == MOTE_OK) result = set_pressures(fluid, def, &view, blocks, pressures, error);
        for (size_t k = 0; k < def->block_count; ++k) close_start(&blocks[k].start);
    }
    mote_release(context, blocks, block_bytes);
    mote_release(context, pressures, bytes);
    mote_stacks_destroy(&stacks);
    return result;
}
