// SPDX-License-Identifier: MIT
// What gauges measure: particles found in boxes, means at places and at walls, energies and extreme values.
// gauge_surface.c has surfaces.

#include <math.h>

#include "base/elementary.h"
#include "base/vector.h"
#include "fluid/gauge.h"
#include "fluid/internal.h"

// Particles in a block of parallel work: a look at each takes about a nanosecond.
enum { BLOCK = 8192 };

static const double patch_radius = 1.5;  // spacings from a gauge to the wall particles that it takes the mean of
static const double slack = 1e-6;        // spacings: for wall particles at that distance but for rounding

void mote_gauge_scratch_release(const mote_context *context, gauge_scratch *scratch)
{
    mote_buffer *all[] = {&scratch->found, &scratch->blocks, &scratch->walls, &scratch->order, &scratch->sums};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) mote_buffer_release(context, all[k]);
}

size_t mote_gauge_scratch_bytes(const gauge_scratch *scratch)
{
    return scratch->found.bytes + scratch->blocks.bytes + scratch->walls.bytes + scratch->order.bytes +
           scratch->sums.bytes;
}

mote_box mote_gauge_everywhere(void)
{
    return (mote_box){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

void mote_gauge_periods(const mote_fluid *fluid, double periods[3])
{
    const mote_period_def *def = &fluid->period;
    periods[0] = def->x ? def->max.x - def->min.x : 0;
    periods[1] = def->y ? def->max.y - def->min.y : 0;
    periods[2] = def->z ? def->max.z - def->min.z : 0;
}

gauge_region mote_gauge_region_of(const mote_fluid *fluid, mote_box box)
{
    gauge_region region = {.box = box, .least = -HUGE_VAL};
    const double sums[3] = {box.min.x + box.max.x, box.min.y + box.max.y, box.min.z + box.max.z};
    mote_gauge_periods(fluid, region.period);
    for (int k = 0; k < 3; ++k) {
        region.middle[k] = 0.5 * sums[k];
        if (!isfinite(sums[k])) region.period[k] = 0;
    }
    return region;
}

static double nearest(double x, double middle, double period)
{
    return period > 0 ? x - period * floor((x - middle) / period + 0.5) : x;
}

mote_vec3 mote_gauge_image(const gauge_region *region, mote_vec3 place)
{
    return mote_vec3_make(nearest(place.x, region->middle[0], region->period[0]),
                          nearest(place.y, region->middle[1], region->period[1]),
                          nearest(place.z, region->middle[2], region->period[2]));
}

double mote_gauge_kernel(double distance_squared, double support)
{
    if (!(distance_squared < support * support)) return 0;
    const double q = sqrt(distance_squared) / support, rest = 1 - q, square = rest * rest;
    return square * square * (1 + 4 * q);
}

mote_points mote_gauge_points(const mote_fluid_view *view)
{
    return (mote_points){{view->x, view->y, view->z}, sizeof(double), view->count, MOTE_F64, 3};
}

static mote_result out_of_memory(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "fluid: no memory for a gauge");
}

// ------------------------------------------------------------------------------------------------ points in a region

typedef struct find_task {
    mote_points points;
    const gauge_region *region;
    uint32_t *ends;   // of a block: how many it has; then where its points begin
    uint32_t *found;  // NULL while they are counted
} find_task;

static double coordinate(const mote_points *points, int axis, size_t i)
{
    return mote_load_f64((const char *)points->axis[axis] + (ptrdiff_t)i * points->stride);
}

static bool is_in(const find_task *task, size_t i)
{
    const gauge_region *region = task->region;
    const mote_box *box = &region->box;
    const double x = nearest(coordinate(&task->points, 0, i), region->middle[0], region->period[0]);
    if (!(x >= box->min.x && x <= box->max.x)) return false;
    const double y = nearest(coordinate(&task->points, 1, i), region->middle[1], region->period[1]);
    const double z = nearest(coordinate(&task->points, 2, i), region->middle[2], region->period[2]);
    return y >= box->min.y && y <= box->max.y && z >= box->min.z && z <= box->max.z &&
           (region->least == -HUGE_VAL || mote_vec3_dot(region->direction, mote_vec3_make(x, y, z)) >= region->least);
}

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const find_task *task = data;
    uint32_t count = 0;
    for (size_t i = begin; i < end; ++i) count += is_in(task, i);
    task->ends[begin / BLOCK] = count;
}

// Blocks without any points, which are most of them, were known before.
static void list_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const find_task *task = data;
    const uint32_t *first = &task->ends[begin / BLOCK];
    uint32_t *to = task->found + first[0];
    const uint32_t *last = task->found + first[1];
    for (size_t i = begin; i < end && to < last; ++i)
        if (is_in(task, i)) *to++ = (uint32_t)i;
}

mote_result mote_gauge_find(const mote_context *context, mote_points points, const gauge_region *region,
                            gauge_scratch *scratch, size_t *count, mote_error *error)
{
    *count = 0;
    const size_t blocks = mote_block_count(points.count, BLOCK);
    if (mote_buffer_reserve(context, &scratch->blocks, mote_bytes(blocks + 1, sizeof(uint32_t)), 0) != MOTE_OK)
        return out_of_memory(error);
    find_task task = {points, region, scratch->blocks.data, NULL};
    mote_parallel_for(context, points.count, BLOCK, count_block, &task);
    task.ends[blocks] = 0;
    const size_t all = (size_t)mote_prefix_sum_u32(task.ends, blocks + 1);
    if (mote_buffer_reserve(context, &scratch->found, mote_bytes(all, sizeof(uint32_t)), 0) != MOTE_OK)
        return out_of_memory(error);
    task.found = scratch->found.data;
    if (all > 0) mote_parallel_for(context, points.count, BLOCK, list_block, &task);
    *count = all;
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------- means at places

mote_result mote_gauge_find_mean(const mote_context *context, mote_fluid *fluid, mote_vec3 place,
                                 gauge_scratch *scratch, gauge_mean *mean, mote_error *error)
{
    *mean = (gauge_mean){0};
    const double support = mote_fluid_resolved_def(fluid).support;
    const gauge_region region = mote_gauge_region_of(fluid, mote_box_grow((mote_box){place, place}, support));
    mote_fluid_view view;
    size_t count = 0;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result == MOTE_OK)
        result = mote_gauge_find(context, mote_gauge_points(&view), &region, scratch, &count, error);
    const uint32_t *found = scratch->found.data;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = found[k];
        const mote_vec3 image = mote_gauge_image(&region, mote_vec3_make(view.x[i], view.y[i], view.z[i]));
        const mote_vec3 away = mote_vec3_sub(place, image);
        const mote_vec3 velocity = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        const double weight = mote_gauge_kernel(mote_vec3_dot(away, away), support);
        mean->weight += weight;
        mean->pressure += weight * (double)view.pressure[i];
        mean->velocity = mote_vec3_add_scaled(mean->velocity, velocity, weight);
    }
    if (!(mean->weight > 0)) return result;
    mean->pressure /= mean->weight;
    mean->velocity = mote_vec3_make(mean->velocity.x / mean->weight, mean->velocity.y / mean->weight,
                                    mean->velocity.z / mean->weight);
    return result;
}

// From a wall particle to the place in the middle of the region.
static mote_vec3 way_from(const gauge_region *region, const double *positions, uint32_t wall)
{
    const double *at = positions + 3 * (size_t)wall;
    return mote_vec3_sub(mote_vec3_make(region->middle[0], region->middle[1], region->middle[2]),
                         mote_gauge_image(region, mote_vec3_make(at[0], at[1], at[2])));
}

// Moves the wall particles within the radius to the front of `walls`; returns how many there are.
static size_t keep_near(const gauge_region *region, const double *positions, double radius, uint32_t *walls,
                        size_t count)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; ++k) {
        const mote_vec3 away = way_from(region, positions, walls[k]);
        if (mote_vec3_dot(away, away) <= radius * radius) walls[kept++] = walls[k];
    }
    return kept;
}

// The mean of pressures at walls, continued to the place in the middle of the region.
static double mean_at(const mote_fluid_def *def, double rest_density, const gauge_region *region,
                      const double *positions, const uint32_t *walls, const double *pressures, size_t count)
{
    double sum = 0;
    size_t wet = 0;
    for (size_t k = 0; k < count; ++k) {
        if (isnan(pressures[k])) continue;
        const mote_vec3 away = way_from(region, positions, walls[k]);
        const double here = pressures[k] + rest_density * mote_vec3_dot(def->gravity, away);
        sum += here > 0 || mote_gauge_walls_pull(def) ? here : 0;
        ++wet;
    }
    return wet ? sum / (double)wet : 0;
}

mote_result mote_gauge_find_wall_pressure(const mote_context *context, mote_fluid *fluid, mote_vec3 place,
                                          gauge_scratch *scratch, double *pressure, size_t *walls, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const double radius = (patch_radius + slack) * def.spacing;
    const double *positions, *volumes;
    size_t wall_count, count;
    mote_fluid_get_walls(fluid, &positions, &volumes, &wall_count);
    *walls = 0;
    *pressure = 0;
    if (wall_count == 0) return MOTE_OK;
    const gauge_region region = mote_gauge_region_of(fluid, mote_box_grow((mote_box){place, place}, radius));
    mote_result result =
        mote_gauge_find(context, mote_points_xyz_f64(positions, wall_count), &region, scratch, &count, error);
    if (result != MOTE_OK || count == 0) return result;
    if (mote_buffer_reserve(context, &scratch->walls, mote_bytes(count, sizeof(uint32_t)), 0) != MOTE_OK ||
        mote_buffer_reserve(context, &scratch->sums, mote_bytes(count, sizeof(double)), 0) != MOTE_OK)
        return out_of_memory(error);
    uint32_t *patch = scratch->walls.data;
    double *pressures = scratch->sums.data;
    memcpy(patch, scratch->found.data, count * sizeof *patch);
    count = keep_near(&region, positions, radius, patch, count);
    result = mote_fluid_wall_pressures(context, fluid, place, patch, count, scratch, pressures, error);
    if (result != MOTE_OK) return result;
    const double rest_density = mote_fluid_resolved_phase(fluid, 0).rest_density;
    *pressure = mean_at(&def, rest_density, &region, positions, patch, pressures, count);
    *walls = count;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------- totals, extremes

// ∫ P/ρ² dρ from ρ0 to ρ. With q = ρ/ρ0 it is c²/γ (q^(γ−1)/(γ−1) + 1/q − γ/(γ−1)) for Tait's equation, and c² (ln q +
// 1/q − 1) where it is linear. Where P is not below 0, nothing is stored by expansion.
double mote_gauge_elastic_energy(const mote_fluid_def *def, const mote_phase_def *phase, double density)
{
    const double q = density / phase->rest_density, square = q * q;
    const double c_squared = phase->sound_speed * phase->sound_speed;
    if (q < 1 && !def->negative_pressure) return 0;
    if (mote_fluid_is_linear(def, phase)) return c_squared * (mote_ln(q) + 1 / q - 1);
    const double gamma = phase->gamma, most = gamma == 7 ? square * square * square : mote_pow(q, gamma - 1);
    return c_squared / gamma * (most / (gamma - 1) + 1 / q - gamma / (gamma - 1));
}

typedef struct total_task {
    const mote_fluid_view *view;
    const mote_fluid_def *def;
    const mote_phase_def *phases;
    const double *weights;  // of a particle of each phase, over one of the first
    mote_box box;
    gauge_energies *energies;  // of each block, for particles of the first phase of 1 kg
    gauge_extremes *extremes;  // of each block; the square of the speed
} total_task;

static bool is_counted(const total_task *task, size_t i, mote_vec3 *position)
{
    *position = mote_vec3_make(task->view->x[i], task->view->y[i], task->view->z[i]);
    return mote_box_contains(task->box, *position);
}

static mote_vec3 velocity_of(const mote_fluid_view *view, size_t i)
{
    return mote_vec3_make((double)view->vx[i], (double)view->vy[i], (double)view->vz[i]);
}

static void add_energies(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const total_task *task = data;
    gauge_energies sum = {0};
    mote_vec3 position;
    for (size_t i = begin; i < end; ++i) {
        if (!is_counted(task, i, &position)) continue;
        const mote_vec3 velocity = velocity_of(task->view, i);
        const uint8_t phase = task->view->phase[i];
        const double weight = task->weights[phase];
        sum.kinetic += weight * (0.5 * mote_vec3_dot(velocity, velocity));
        sum.potential -= weight * mote_vec3_dot(task->def->gravity, position);
        sum.elastic +=
            weight * mote_gauge_elastic_energy(task->def, &task->phases[phase], (double)task->view->density[i]);
    }
    task->energies[begin / BLOCK] = sum;
}

static void take_extremes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const total_task *task = data;
    gauge_extremes most = {0, -HUGE_VAL, -HUGE_VAL};
    mote_vec3 position;
    for (size_t i = begin; i < end; ++i) {
        if (!is_counted(task, i, &position)) continue;
        const mote_vec3 velocity = velocity_of(task->view, i);
        const double speed_squared = mote_vec3_dot(velocity, velocity);
        const double compression = (double)task->view->density[i] / task->phases[task->view->phase[i]].rest_density - 1;
        most.max_speed = MOTE_MAX(most.max_speed, speed_squared);
        most.compression = MOTE_MAX(most.compression, compression);
        most.expansion = MOTE_MAX(most.expansion, -compression);
    }
    task->extremes[begin / BLOCK] = most;
}

// Runs a task over all particles, with room for what each block finds.
static mote_result run_total(const mote_context *context, mote_fluid *fluid, mote_box box, mote_range_task *run,
                             size_t size, gauge_scratch *scratch, size_t *blocks, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    mote_phase_def phases[MOTE_PHASES_MOST];
    double weights[MOTE_PHASES_MOST];
    for (uint32_t k = 0; k < mote_fluid_phase_count(fluid); ++k) {
        phases[k] = mote_fluid_resolved_phase(fluid, k);
        weights[k] = mote_fluid_phase_mass(fluid, k) / mote_fluid_phase_mass(fluid, 0);
    }
    mote_fluid_view view;
    const mote_result result = mote_fluid_get_view(fluid, &view, error);
    *blocks = 0;
    if (result != MOTE_OK) return result;
    const size_t count = mote_block_count(view.count, BLOCK);
    if (mote_buffer_reserve(context, &scratch->sums, mote_bytes(count, size), 0) != MOTE_OK)
        return out_of_memory(error);
    total_task task = {&view, &def, phases, weights, box, scratch->sums.data, scratch->sums.data};
    mote_parallel_for(context, view.count, BLOCK, run, &task);
    *blocks = count;
    return MOTE_OK;
}

mote_result mote_gauge_find_energies(const mote_context *context, mote_fluid *fluid, mote_box box,
                                     gauge_scratch *scratch, gauge_energies *energies, mote_error *error)
{
    const double mass = mote_fluid_particle_mass(fluid);
    size_t blocks;
    const mote_result result =
        run_total(context, fluid, box, add_energies, sizeof(gauge_energies), scratch, &blocks, error);
    const gauge_energies *found = scratch->sums.data;
    gauge_energies sum = {0};
    for (size_t b = 0; b < blocks; ++b) {
        sum.kinetic += found[b].kinetic;
        sum.potential += found[b].potential;
        sum.elastic += found[b].elastic;
    }
    *energies = (gauge_energies){mass * sum.kinetic, mass * sum.potential, mass * sum.elastic};
    return result;
}

mote_result mote_gauge_find_extremes(const mote_context *context, mote_fluid *fluid, mote_box box,
                                     gauge_scratch *scratch, gauge_extremes *extremes, mote_error *error)
{
    size_t blocks;
    const mote_result result =
        run_total(context, fluid, box, take_extremes, sizeof(gauge_extremes), scratch, &blocks, error);
    const gauge_extremes *found = scratch->sums.data;
    gauge_extremes most = {0, -HUGE_VAL, -HUGE_VAL};
    for (size_t b = 0; b < blocks; ++b) {
        most.max_speed = MOTE_MAX(most.max_speed, found[b].max_speed);
        most.compression = MOTE_MAX(most.compression, found[b].compression);
        most.expansion = MOTE_MAX(most.expansion, found[b].expansion);
    }
    if (most.compression == -HUGE_VAL) most.compression = most.expansion = 0;
    most.max_speed = sqrt(most.max_speed);
    *extremes = most;
    return result;
}
