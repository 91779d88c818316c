// SPDX-License-Identifier: MIT
// Fluid around a body at the start: its particles, which lay on a lattice that knew nothing of the body, are moved
// until they are evenly spread between the body's wall particles and the lattice (after Colagrossi et al. 2012).
//
// Each round moves a particle against the gradient of C = Σ V W with Wendland's kernel, whose sum is
//
//     s = Σ v (1 − r/H)³ (x_i − x_j)
//
// but for a factor; v is a volume in units of d^D. At a free surface C has a slope, too, and would drive particles out
// of it: there they move only along the surface. What is a free surface is seen on the lattice, without the body.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"
#include "fluid/peek.h"

static const double reach_in_spacings = 2.5;  // H
static const double rate = 0.4;               // of s: twice as much is stable
static const double longest = 0.1;            // a particle's way in a round, in spacings
static const double enough = 0.002;           // a round in which none goes farther is the last one
static const double is_surface = 0.05;        // of s, in spacings
enum { ROUNDS = 60 };

// Particles that are looked at, and then walls near them.
typedef struct settle_set {
    mote_fluid *fluid;
    double *at, *volumes, *moved;  // 3 · count; count, below 0 of samples of a surface; 3 · particles
    double terms[MOTE_SAMPLE_TERMS];  // of samples (samples.c)
    fluid_place *records;          // what the search sees
    uint32_t *particles;           // their numbers in the fluid
    size_t particle_count, count;
    void *memory;
    size_t bytes;
    mote_lists lists;
} settle_set;

static mote_vec3 place_of(const double *at, size_t i)
{
    return mote_vec3_make(at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}

static mote_vec3 particle_at(mote_fluid *fluid, size_t i)
{
    return mote_vec3_make(mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                          mote_fluid_doubles(fluid, FLUID_Z)[i]);
}

// Walls are the wall particles, and then those that are not there yet.
static mote_vec3 wall_at(const mote_fluid *fluid, size_t wall)
{
    return wall < fluid->wall_count ? place_of((const double *)fluid->wall_positions.data, wall)
                                    : place_of(fluid->settling_positions, wall - fluid->wall_count);
}

// Below 0 if it is a sample of a surface, of which a flat layer has 1.
static double wall_volume(const mote_fluid *fluid, size_t wall)
{
    if (wall >= fluid->wall_count) return fluid->settling_volumes[wall - fluid->wall_count];
    const double volume = ((const double *)fluid->wall_volumes.data)[wall];
    return ((const uint8_t *)fluid->wall_samples.data)[wall] ? -volume / fluid->sample_volume : volume;
}

// Of bodies that are left out, particles and what is not there yet do not count.
static bool is_wanted(const mote_fluid *fluid, size_t wall, mote_box box, const bool *left_out)
{
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    if (left_out && (wall >= fluid->wall_count || left_out[boundaries[wall]])) return false;
    return mote_box_contains(box, wall_at(fluid, wall));
}

void mote_fluid_set_settling_walls(mote_fluid *fluid, const double *positions, const double *volumes, size_t count)
{
    fluid->settling_positions = positions, fluid->settling_volumes = volumes;
    fluid->settling_count = positions ? count : 0;
}

static mote_result gather(mote_fluid *fluid, const bool *is_near, const bool *left_out, settle_set *set)
{
    *set = (settle_set){.fluid = fluid};
    mote_sample_terms(mote_kernels[KERNEL_WENDLAND_C2], fluid->def.dimensions, reach_in_spacings * fluid->def.spacing,
                      fluid->def.spacing, set->terms);
    mote_box box = mote_box_empty();
    for (size_t i = 0; i < fluid->particles.count; ++i) {
        if (!is_near[i]) continue;
        ++set->particle_count;
        box = mote_box_add_point(box, particle_at(fluid, i));
    }
    box = mote_box_grow(box, reach_in_spacings * fluid->def.spacing);
    set->count = set->particle_count;
    if (set->count == 0) return MOTE_OK;
    const size_t walls = fluid->wall_count + fluid->settling_count;
    for (size_t w = 0; w < walls; ++w) set->count += is_wanted(fluid, w, box, left_out);
    const size_t doubles = mote_bytes(4 * set->count + 3 * set->particle_count, sizeof(double));
    set->bytes = doubles + mote_bytes(set->count, sizeof(fluid_place)) +
                 mote_bytes(set->particle_count, sizeof(uint32_t));
    set->memory = mote_allocate(fluid->context, set->bytes);
    if (!set->memory) return MOTE_ERROR_OUT_OF_MEMORY;
    set->at = set->memory;
    set->volumes = set->at + 3 * set->count;
    set->moved = set->volumes + set->count;
    set->records = (fluid_place *)(set->moved + 3 * set->particle_count);
    set->particles = (uint32_t *)(set->records + set->count);
    size_t count = 0;
    for (size_t i = 0; i < fluid->particles.count; ++i) {
        if (!is_near[i]) continue;
        const mote_vec3 p = particle_at(fluid, i);
        memcpy(set->at + 3 * count, &p, sizeof p);
        set->particles[count] = (uint32_t)i;
        set->volumes[count++] = 1;
    }
    for (size_t w = 0; w < walls; ++w) {
        if (!is_wanted(fluid, w, box, left_out)) continue;
        const mote_vec3 at = wall_at(fluid, w);
        memcpy(set->at + 3 * count, &at, sizeof at);
        set->volumes[count++] = wall_volume(fluid, w);
    }
    MOTE_ASSERT(count == set->count);
    return MOTE_OK;
}

// s of a particle, in spacings.
static mote_vec3 slope_of(const settle_set *set, size_t i)
{
    const double d = set->fluid->def.spacing, reach = reach_in_spacings * d;
    const mote_row row = mote_lists_row(&set->lists, (uint32_t)i);
    const mote_vec3 own = place_of(set->at, i);
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < row.count; ++k) {
        const mote_vec3 away = mote_vec3_sub(own, place_of(set->at, row.indices[k]));
        const double left = MOTE_MAX(1 - mote_vec3_length(away) / reach, 0.0);
        const double volume = set->volumes[row.indices[k]];
        const double weight = volume < 0 ? -volume * mote_sample_lean(set->terms, left) : volume * left * left * left;
        sum = mote_vec3_add_scaled(sum, away, weight / d);
    }
    return sum;
}

static mote_result find_lists(mote_fluid *fluid, settle_set *set, mote_neighbors **search)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (float)(reach_in_spacings * fluid->def.spacing);
    def.method = fluid->def.neighbors;
    for (size_t i = 0; i < set->count; ++i)
        set->records[i] = mote_fluid_make_record(fluid, set->at[3 * i], set->at[3 * i + 1], set->at[3 * i + 2], 0);
    mote_result result = *search ? MOTE_OK : mote_neighbors_create(fluid->context, &def, search, NULL);
    const mote_points points = mote_fluid_record_points(fluid, set->records, set->count);
    if (result == MOTE_OK) result = mote_neighbors_update(*search, points, NULL);
    return result == MOTE_OK ? mote_neighbors_lists(*search, &set->lists, NULL) : result;
}

mote_result mote_fluid_find_slopes(mote_fluid *fluid, const bool *is_near, const bool *left_out, mote_vec3 *slopes)
{
    settle_set set;
    mote_neighbors *search = NULL;
    mote_result result = gather(fluid, is_near, left_out, &set);
    if (result == MOTE_OK && set.count > 0) result = find_lists(fluid, &set, &search);
    for (size_t i = 0; i < fluid->particles.count; ++i) slopes[i] = (mote_vec3){0, 0, 0};
    for (size_t i = 0; i < set.particle_count && result == MOTE_OK; ++i) {
        const mote_vec3 slope = slope_of(&set, i);
        if (mote_vec3_length(slope) > is_surface) slopes[set.particles[i]] = mote_vec3_unit(slope);
    }
    mote_neighbors_destroy(search);
    mote_release(fluid->context, set.memory, set.bytes);
    return result;
}

typedef struct settle_task {
    settle_set *set;
    const bool *moves;
    const mote_vec3 *slopes;
    mote_fluid_mover *mover;
    void *user_data;
} settle_task;

static void move_some(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const settle_task *task = data;
    settle_set *set = task->set;
    const double d = set->fluid->def.spacing;
    for (size_t i = begin; i < end; ++i) {
        const mote_vec3 from = place_of(set->at, i), normal = task->slopes[set->particles[i]];
        mote_vec3 to = from, velocity = {0, 0, 0};
        if (task->moves[set->particles[i]]) {
            mote_vec3 way = mote_vec3_scale(slope_of(set, i), rate * d);
            way = mote_vec3_add_scaled(way, normal, -mote_vec3_dot(way, normal));
            const double length = mote_vec3_length(way);
            if (length > longest * d) way = mote_vec3_scale(way, longest * d / length);
            to = mote_vec3_add(from, way);
            task->mover(task->user_data, from, &to, &velocity);
        }
        memcpy(set->moved + 3 * i, &to, sizeof to);
    }
}

// Takes over the new places. Returns the longest way [m].
static double take_over(settle_set *set)
{
    double most = 0;
    for (size_t i = 0; i < set->particle_count; ++i)
        most = MOTE_MAX(most,
                        mote_vec3_length(mote_vec3_sub(place_of(set->moved, i), place_of(set->at, i))));
    memcpy(set->at, set->moved, 3 * set->particle_count * sizeof(double));
    return most;
}

mote_result mote_fluid_settle(mote_fluid *fluid, const bool *is_near, const bool *moves, const mote_vec3 *slopes,
                              mote_fluid_mover *mover, void *user_data)
{
    settle_set set;
    mote_neighbors *search = NULL;
    mote_result result = gather(fluid, is_near, NULL, &set);
    settle_task task = {&set, moves, slopes, mover, user_data};
    for (int round = 0; round < ROUNDS && result == MOTE_OK && set.particle_count > 0; ++round) {
        result = find_lists(fluid, &set, &search);
        if (result != MOTE_OK) break;
        mote_parallel_for(fluid->context, set.particle_count, 64, move_some, &task);
        if (take_over(&set) < enough * fluid->def.spacing) break;
    }
    for (size_t i = 0; i < set.particle_count && result == MOTE_OK; ++i) {
        mote_fluid_doubles(fluid, FLUID_X)[set.particles[i]] = set.at[3 * i];
        mote_fluid_doubles(fluid, FLUID_Y)[set.particles[i]] = set.at[3 * i + 1];
        mote_fluid_doubles(fluid, FLUID_Z)[set.particles[i]] = set.at[3 * i + 2];
    }
    if (set.particle_count > 0) fluid->evaluated = fluid->ordered = false;
    mote_neighbors_destroy(search);
    mote_release(fluid->context, set.memory, set.bytes);
    return result;
}

void mote_fluid_place_particle(mote_fluid *fluid, size_t i, mote_vec3 place)
{
    mote_fluid_doubles(fluid, FLUID_X)[i] = place.x;
    mote_fluid_doubles(fluid, FLUID_Y)[i] = place.y;
    mote_fluid_doubles(fluid, FLUID_Z)[i] = place.z;
    fluid->evaluated = fluid->ordered = false;
}
