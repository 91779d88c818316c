// SPDX-License-Identifier: MIT
// Fluid around a body at the start: its particles, which lay on a lattice that knew nothing of the body, are moved
// until pressure drives none of them (after Colagrossi et al. 2012, who move them until they are evenly spread).
//
// Each round moves a particle as the solver's own pressure force would drive it if the pressure were the same
// everywhere: by the sum
//
//     s = Σ v L (x_i − x_j)
//
// over fluid, wall particles and walls that are fields. L is −W'/r of the kernel that the solver has for each of them
// but for a factor, and v a volume in units of d^D. By sums of any other kernel particles would be spread as evenly,
// and not be at rest: beside a bunny of 12 d they started with accelerations of up to 6 g. Rounds have momentum, which
// a particle loses when it goes against s.
//
// At a free surface s drives particles out of the fluid, where the pressure that it stands for is not: there they move
// only along the surface. What is a free surface is seen on the lattice, without the body; whether the body covers it,
// the caller decides by what the body adds (simulation/fit.c). Particles below the surface are free to rise, but none
// comes out of it: none goes higher than the highest was.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"
#include "fluid/peek.h"
#include "fluid/wall_field.h"

static const double rate = 1;             // of s over its stiffness: twice as much is stable on a lattice
static const double momentum = 0.85;      // the part of its last way that a particle goes again
static const double longest = 0.1;        // a particle's way in the first round, in spacings
static const double least_share = 0.05;   // of that in the last rounds, so that particles come to rest in creases, too
static const double enough = 0.002;       // a round in which none goes farther is the last one, in spacings
enum { ROUNDS = 100 };

// How s is summed.
typedef struct settle_sums {
    const mote_kernel *kernel;
    double reach;                     // H [m]
    double sample_volume;             // of a sample in a flat layer; 0: samples have the kernel of all
    double terms[MOTE_SAMPLE_TERMS];  // of their kernel (samples.c), if they have one
    double stiffness;                 // by how much s changes at most where a particle moves by a spacing
    double flat;                      // s at a flat free surface
} settle_sums;

// Particles that are looked at, and then walls near them; their images across periodic faces are behind these.
typedef struct settle_set {
    mote_fluid *fluid;
    settle_sums sums;
    const bool *left_out;         // boundaries that do not count; NULL: all do
    double *at, *volumes, *ways;  // 3 · count; count, below 0 of samples of a surface; 3 · particles, of the last round
    uint32_t *particles;          // their numbers in the fluid
    uint32_t *asked;              // particles whose rows are found, as numbers in this set
    size_t particle_count, asked_count, count, image_count;
    void *memory;
    size_t bytes;
    mote_buffer images, records;  // weak_image; fluid_place: what the search sees
    mote_neighbors *search;
    mote_lists lists;
} settle_set;

// -------------------------------------------------------------------------------------------------------- the sums

// By how much a neighbour at this place of a lattice changes s along x if it moves along x.
static double change_by(const settle_sums *sums, double reach, int x, int y, int z)
{
    const double r = sqrt((double)(x * x + y * y + z * z)), left = 1 - r / reach, step = 1e-4;
    if (r == 0 || left <= step) return 0;
    const double rise = (sums->kernel->lean(left - step) - sums->kernel->lean(left + step)) / (2 * step * reach);
    return sums->kernel->lean(left) + rise * x * x / r;
}

// The most by which s changes in a lattice of which every second layer, row or particle moves by a spacing; and s of
// its particles if it ends beside them.
static void find_scales(settle_sums *sums, int dimensions, double reach)
{
    const int n = (int)ceil(reach), across = dimensions == 3 ? n : 0;
    double of_layers = 0, of_rows = 0, of_particles = 0;
    sums->flat = 0;
    for (int z = -n; z <= n; ++z)
        for (int y = -across; y <= across; ++y)
            for (int x = -n; x <= n; ++x) {
                const double change = 2 * change_by(sums, reach, x, y, z);
                if (x & 1) of_layers += change;
                if ((x + z) & 1) of_rows += change;
                if ((x + y + z) & 1) of_particles += change;
                const double left = 1 - sqrt((double)(x * x + y * y + z * z)) / reach;
                if (z > 0 && left > 0) sums->flat += z * sums->kernel->lean(left);
            }
    sums->stiffness = MOTE_MAX(fabs(of_layers), MOTE_MAX(fabs(of_rows), fabs(of_particles)));
}

static const mote_kernel *kernel_of(const mote_fluid *fluid)
{
    return fluid->def.solver == MOTE_SOLVER_WEAK ? mote_kernels[fluid->kernel] : &mote_kernel_spiky;
}

// The sums of the solver.
static settle_sums sums_of_solver(const mote_fluid *fluid)
{
    const bool is_weak = fluid->def.solver == MOTE_SOLVER_WEAK;
    settle_sums sums = {.kernel = kernel_of(fluid),
                        .reach = fluid->def.support,
                        .sample_volume = is_weak ? fluid->sample_volume : 0};
    if (is_weak) mote_sample_terms(sums.kernel, fluid->def.dimensions, sums.reach, fluid->def.spacing, sums.terms);
    find_scales(&sums, fluid->def.dimensions, sums.reach / fluid->def.spacing);
    return sums;
}

// v L of a particle.
static double weight_of(const settle_sums *sums, double volume, double left)
{
    if (volume < 0 && sums->sample_volume > 0)
        return -volume / sums->sample_volume * mote_sample_lean(sums->terms, left);
    return fabs(volume) * sums->kernel->lean(left);
}

// Σ v L (x_j − x_i) over a field [m].
static mote_vec3 sum_of_field(const mote_fluid *fluid, uint32_t number, const fluid_place *own)
{
    if (fluid->def.solver == MOTE_SOLVER_WEAK) {
        const double factor = 1 / ((double)fluid->weak.kernel.gradient * fluid->cell_volume);
        float lean[3] = {0, 0, 0};
        mote_weak_add_field_lean(fluid, number, own, lean);
        return mote_vec3_scale(mote_vec3_make((double)lean[0], (double)lean[1], (double)lean[2]), factor);
    }
    const mote_wall_pressure unit = {.both = 1};
    const mote_wall_sums sums = mote_field_sums_of(fluid, number, own, &unit);  // Σ v (H − r)²/r (x_j − x_i)
    const mote_vec3 sum = {(double)sums.pressure[0], (double)sums.pressure[1], (double)sums.pressure[2]};
    return mote_vec3_scale(sum, 1 / fluid->def.support);
}

static mote_vec3 sum_of_fields(const settle_set *set, mote_vec3 at)
{
    const mote_fluid *fluid = set->fluid;
    const fluid_place own = mote_fluid_make_record(fluid, at.x, at.y, at.z, 1);
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const uint32_t boundary = ((const wall_field *)fluid->fields.data)[k].boundary;
        if (!(set->left_out && set->left_out[boundary])) sum = mote_vec3_add(sum, sum_of_field(fluid, k, &own));
    }
    return sum;
}

static mote_vec3 vector_at(const double *at, size_t i)
{
    return mote_vec3_make(at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}

// Where a neighbour is, and its volume.
static mote_vec3 neighbour_at(const settle_set *set, uint32_t j, double *volume)
{
    *volume = set->volumes[j < set->count ? j : ((const weak_image *)set->images.data)[j - set->count].source];
    if (j < set->count) return vector_at(set->at, j);
    const weak_image *image = (const weak_image *)set->images.data + (j - set->count);
    return mote_vec3_add(vector_at(set->at, image->source), vector_at(image->offset, 0));
}

// s of particle asked[k], in spacings.
static mote_vec3 slope_of(const settle_set *set, size_t k)
{
    const double d = set->fluid->def.spacing, reach = set->sums.reach;
    const mote_row row = mote_lists_row(&set->lists, (uint32_t)k);
    const mote_vec3 own = vector_at(set->at, set->asked[k]);
    mote_vec3 sum = {0, 0, 0};
    for (uint32_t n = 0; n < row.count; ++n) {
        double volume;
        const mote_vec3 away = mote_vec3_sub(own, neighbour_at(set, row.indices[n], &volume));
        const double left = MOTE_MAX(1 - mote_vec3_length(away) / reach, 0.0);
        sum = mote_vec3_add_scaled(sum, away, weight_of(&set->sums, volume, left) / d);
    }
    return set->fluid->field_count > 0 ? mote_vec3_add_scaled(sum, sum_of_fields(set, own), -1 / d) : sum;
}

// ------------------------------------------------------------------------------------------- particles and walls

static mote_vec3 particle_at(mote_fluid *fluid, size_t i)
{
    return mote_vec3_make(mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                          mote_fluid_doubles(fluid, FLUID_Z)[i]);
}

// The volume of a particle over its volume at rest: as the solver has it, less where it is compressed.
static double volume_of(mote_fluid *fluid, size_t i)
{
    if (fluid->def.density != MOTE_DENSITY_CONTINUITY) return 1;
    return mote_fluid_phase_of(fluid, i)->def.rest_density / (double)mote_fluid_floats(fluid, FLUID_DENSITY)[i];
}

// Wall particles of bodies that are left out do not count.
static bool is_wanted(const mote_fluid *fluid, size_t wall, mote_box box, const bool *left_out)
{
    const uint32_t *boundaries = fluid->wall_boundaries.data;
    return !(left_out && left_out[boundaries[wall]]) &&
           mote_box_contains(box, vector_at(fluid->wall_positions.data, wall));
}

static mote_result reserve(settle_set *set)
{
    const size_t doubles = mote_bytes(4 * set->count + 3 * set->particle_count, sizeof(double));
    set->bytes = doubles + mote_bytes(set->particle_count, 2 * sizeof(uint32_t));
    set->memory = mote_allocate(set->fluid->context, set->bytes);
    if (!set->memory) return MOTE_ERROR_OUT_OF_MEMORY;
    set->at = set->memory;
    set->volumes = set->at + 3 * set->count;
    set->ways = set->volumes + set->count;
    set->particles = (uint32_t *)(set->ways + 3 * set->particle_count);
    set->asked = set->particles + set->particle_count;
    memset(set->ways, 0, 3 * set->particle_count * sizeof(double));
    return MOTE_OK;
}

// @param asks  whose rows are found, of those that are near; NULL: all of them
static mote_result gather(mote_fluid *fluid, const bool *is_near, const bool *asks, const bool *left_out,
                          const settle_sums *sums, settle_set *set)
{
    *set = (settle_set){.fluid = fluid, .sums = *sums, .left_out = left_out};
    mote_box box = mote_box_empty();
    for (size_t i = 0; i < fluid->particles.count; ++i) {
        if (!is_near[i]) continue;
        ++set->particle_count;
        box = mote_box_add_point(box, particle_at(fluid, i));
    }
    box = mote_box_grow(box, sums->reach);
    // Walls across a periodic face have images, and lie wherever their body does.
    if (fluid->period.x) box.min.x = -HUGE_VAL, box.max.x = HUGE_VAL;
    if (fluid->period.y) box.min.y = -HUGE_VAL, box.max.y = HUGE_VAL;
    if (fluid->period.z) box.min.z = -HUGE_VAL, box.max.z = HUGE_VAL;
    set->count = set->particle_count;
    if (set->count == 0) return MOTE_OK;
    for (size_t w = 0; w < fluid->wall_count; ++w) set->count += is_wanted(fluid, w, box, left_out);
    if (reserve(set) != MOTE_OK) return MOTE_ERROR_OUT_OF_MEMORY;
    size_t count = 0;
    for (size_t i = 0; i < fluid->particles.count; ++i) {
        if (!is_near[i]) continue;
        const mote_vec3 p = particle_at(fluid, i);
        memcpy(set->at + 3 * count, &p, sizeof p);
        if (!asks || asks[i]) set->asked[set->asked_count++] = (uint32_t)count;
        set->particles[count] = (uint32_t)i;
        set->volumes[count++] = volume_of(fluid, i);
    }
    for (size_t w = 0; w < fluid->wall_count; ++w) {
        if (!is_wanted(fluid, w, box, left_out)) continue;
        const double volume = ((const double *)fluid->wall_volumes.data)[w];
        memcpy(set->at + 3 * count, (const double *)fluid->wall_positions.data + 3 * w, 3 * sizeof(double));
        set->volumes[count++] = ((const uint8_t *)fluid->wall_samples.data)[w] ? -volume : volume;
    }
    MOTE_ASSERT(count == set->count);
    return MOTE_OK;
}

// Finds the rows of those that are asked for, with the images that there are now.
static mote_result find_lists(settle_set *set)
{
    mote_fluid *fluid = set->fluid;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (float)set->sums.reach;
    def.method = fluid->def.neighbors;
    def.features = MOTE_NEIGHBORS_SUBSET;
    const image_sources from = {{set->at, set->at + 1, set->at + 2}, 3, set->count};
    mote_result result = set->search ? MOTE_OK : mote_neighbors_create(fluid->context, &def, &set->search, NULL);
    if (result == MOTE_OK) result = mote_fluid_find_images(fluid, &from, &set->images, &set->image_count);
    const size_t all = set->count + set->image_count;
    if (result == MOTE_OK)
        result = mote_buffer_reserve(fluid->context, &set->records, mote_bytes(all, sizeof(fluid_place)), 0);
    fluid_place *records = set->records.data;
    for (size_t i = 0; i < all && result == MOTE_OK; ++i) {
        double volume;
        const mote_vec3 at = neighbour_at(set, (uint32_t)i, &volume);
        records[i] = mote_fluid_make_record(fluid, at.x, at.y, at.z, 0);
    }
    if (result == MOTE_OK)
        result = mote_neighbors_update(set->search, mote_fluid_record_points(fluid, records, all), NULL);
    return result == MOTE_OK ? mote_neighbors_subset(set->search, set->asked, set->asked_count, &set->lists, NULL)
                             : result;
}

static void release(settle_set *set)
{
    mote_context *context = set->fluid->context;
    mote_neighbors_destroy(set->search);
    mote_buffer_release(context, &set->images);
    mote_buffer_release(context, &set->records);
    mote_release(context, set->memory, set->bytes);
}

// s of the particles that are near, over that at a flat free surface.
static mote_result sum_slopes(mote_fluid *fluid, const bool *is_near, const bool *left_out, const settle_sums *sums,
                              mote_vec3 *slopes)
{
    settle_set set;
    mote_result result = gather(fluid, is_near, NULL, left_out, sums, &set);
    if (result == MOTE_OK && set.count > 0) result = find_lists(&set);
    for (size_t k = 0; k < set.particle_count && result == MOTE_OK; ++k)  // all are asked for
        slopes[set.particles[k]] = mote_vec3_scale(slope_of(&set, k), 1 / sums->flat);
    release(&set);
    return result;
}

mote_result mote_fluid_find_slopes(mote_fluid *fluid, const bool *is_near, const bool *left_out, mote_vec3 *slopes,
                                   mote_vec3 *pushes)
{
    const settle_sums sums = sums_of_solver(fluid);
    for (size_t i = 0; i < fluid->particles.count; ++i) slopes[i] = pushes[i] = (mote_vec3){0, 0, 0};
    mote_result result = sum_slopes(fluid, is_near, left_out, &sums, slopes);
    if (result == MOTE_OK) result = sum_slopes(fluid, is_near, NULL, &sums, pushes);
    for (size_t i = 0; i < fluid->particles.count && result == MOTE_OK; ++i)
        pushes[i] = mote_vec3_sub(pushes[i], slopes[i]);
    return result;
}

// The slope of a particle at this distance from the flat end of a lattice, but for a factor.
static double slope_at(const mote_fluid *fluid, double distance)
{
    const double reach = fluid->def.support / fluid->def.spacing;
    const int n = (int)ceil(reach), across = fluid->def.dimensions == 3 ? n : 0;
    double sum = 0;
    for (double z = distance + 0.5; z < reach; z += 1)
        for (int y = -across; y <= across; ++y)
            for (int x = -n; x <= n; ++x) {
                const double left = 1 - sqrt(x * x + y * y + z * z) / reach;
                if (left > 0) sum += z * kernel_of(fluid)->lean(left);
            }
    return sum;
}

double mote_fluid_flat_slope(const mote_fluid *fluid, double distance)
{
    return slope_at(fluid, distance) / slope_at(fluid, 0.5);
}

// ------------------------------------------------------------------------------------------------------- the rounds

typedef struct settle_task {
    settle_set *set;
    const mote_vec3 *normals;
    mote_fluid_mover *mover;
    void *user_data;
    mote_vec3 up;    // against gravity; 0 without
    double highest;  // how far up particles are before the first round [m]
    double longest;  // [m]
} settle_task;

static void find_ways(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const settle_task *task = data;
    settle_set *set = task->set;
    const double d = set->fluid->def.spacing;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = set->asked[k];
        const mote_vec3 from = vector_at(set->at, i), last = vector_at(set->ways, i);
        const mote_vec3 normal = task->normals[set->particles[i]];
        const mote_vec3 slope = slope_of(set, k);
        mote_vec3 way = mote_vec3_scale(slope, rate * d / set->sums.stiffness);
        if (mote_vec3_dot(slope, last) > 0) way = mote_vec3_add_scaled(way, last, momentum);
        way = mote_vec3_add_scaled(way, normal, -mote_vec3_dot(way, normal));
        const double length = mote_vec3_length(way);
        if (length > task->longest) way = mote_vec3_scale(way, task->longest / length);
        const double above = mote_vec3_dot(mote_vec3_add(from, way), task->up) - task->highest;
        if (above > 0) way = mote_vec3_add_scaled(way, task->up, -above);
        mote_vec3 to = mote_vec3_add(from, way), velocity = {0, 0, 0};
        task->mover(task->user_data, from, &to, &velocity);
        way = mote_vec3_sub(to, from);
        memcpy(set->ways + 3 * i, &way, sizeof way);
    }
}

// Returns the longest way [m].
static double go_ways(settle_set *set)
{
    double most = 0;
    for (size_t i = 0; i < set->particle_count; ++i) {
        const mote_vec3 way = vector_at(set->ways, i), to = mote_vec3_add(vector_at(set->at, i), way);
        most = MOTE_MAX(most, mote_vec3_length(way));
        memcpy(set->at + 3 * i, &to, sizeof to);
        mote_fluid_wrap_place(set->fluid, set->at + 3 * i);
    }
    return most;
}

mote_result mote_fluid_settle(mote_fluid *fluid, const bool *is_near, const bool *moves, const mote_vec3 *normals,
                              mote_fluid_mover *mover, void *user_data)
{
    settle_set set;
    const settle_sums sums = sums_of_solver(fluid);
    mote_result result = gather(fluid, is_near, moves, NULL, &sums, &set);
    settle_task task = {.set = &set, .normals = normals, .mover = mover, .user_data = user_data};
    task.up = mote_vec3_scale(mote_vec3_unit(fluid->def.gravity), -1);
    task.highest = -HUGE_VAL;
    for (size_t i = 0; i < set.particle_count && result == MOTE_OK; ++i)
        task.highest = MOTE_MAX(task.highest, mote_vec3_dot(vector_at(set.at, i), task.up));
    for (int round = 0; round < ROUNDS && result == MOTE_OK && set.asked_count > 0; ++round) {
        result = find_lists(&set);
        if (result != MOTE_OK) break;
        task.longest = longest * fluid->def.spacing * MOTE_MAX(1 - (double)round / ROUNDS, least_share);
        mote_parallel_for(fluid->context, set.asked_count, 64, find_ways, &task);
        if (go_ways(&set) < enough * fluid->def.spacing) break;
    }
    for (size_t i = 0; i < set.particle_count && result == MOTE_OK; ++i) {
        mote_fluid_doubles(fluid, FLUID_X)[set.particles[i]] = set.at[3 * i];
        mote_fluid_doubles(fluid, FLUID_Y)[set.particles[i]] = set.at[3 * i + 1];
        mote_fluid_doubles(fluid, FLUID_Z)[set.particles[i]] = set.at[3 * i + 2];
    }
    mote_fluid_wrap(fluid);
    if (set.particle_count > 0) fluid->evaluated = fluid->ordered = false;
    release(&set);
    return result;
}

void mote_fluid_place_particle(mote_fluid *fluid, size_t i, mote_vec3 place)
{
    mote_fluid_doubles(fluid, FLUID_X)[i] = place.x;
    mote_fluid_doubles(fluid, FLUID_Y)[i] = place.y;
    mote_fluid_doubles(fluid, FLUID_Z)[i] = place.z;
    fluid->evaluated = fluid->ordered = false;
}
