// SPDX-License-Identifier: MIT
// The blow-up watch: finds a fluid that has become nonsense in the step in which it does, and says which particle, what
// it does, and what may help.
//
// Four things are watched after the forces were evaluated, before anything moves on: that all numbers are finite, that
// no particle is faster than half the speed of sound, that densities are not off, and that the stable step has not
// collapsed. A weakly compressible fluid is one only while its Mach number is small and its density nearly constant:
// what breaks these limits is beyond the equations that are solved.
//
// What is sound leaves its greatest speed and compression: they tell whether the speed of sound was high enough.
//
// Sound runs keep well within them. Breaking dams, drops and jets at up to five times sqrt(gH), thrown onto solids,
// reach 0.32 c, with steps of 0.7 of those at rest. Where a jet hits an edge, single particles are compressed by up to
// 25 % for a step or two, and nothing comes of it: 20 % is too much for more than one particle in a thousand, 50 % for
// any. Densities below the rest density are not limited, because they mean little: nothing holds a spray together, and
// by continuity its densities fall by 80 % in a sound run. They must only stay above 0.
//
// Where the document's solver lets pressures be negative, pairs of particles come to the same place, and repel each
// other from there: single ones then fly at 0.6 c out of drops that are sound otherwise. There the limit is c.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/internal.h"

static const double most_mach = 0.5;         // of the fastest particle
static const double most_mach_pairs = 1;     // where negative pressures pull particles onto each other
static const double most_compression = 0.5;  // ρ/ρ0 − 1 of any particle
static const double many_compression = 0.2;  // of more particles than one in MANY, and more than FEW
static const double least_step = 1e-3;       // in steps that the Courant condition allows at rest
static const double high_mach = 0.3;         // above it in good frames, a higher speed of sound is what helps
static const double same_place = 0.1;        // two particles that are this near each other [spacings]
enum { BLOCK = 8192, BLOCKS = 64, MANY = 1000, FEW = 8 };

// The bounds of good particles.
typedef struct watch_bounds {
    float speed_squared, density, many_density;  // of the first phase
    bool has_phases;                             // several, whose particles are judged as if they were of the first:
    float speed_scales[MOTE_PHASES_MOST];        // by the squares of their Mach numbers,
    float density_scales[MOTE_PHASES_MOST];      // and by their compression
} watch_bounds;

static double most_speed(const mote_fluid_def *def, double sound_speed)
{
    const bool pulls = def->negative_pressure && def->solver != MOTE_SOLVER_WEAK;
    return (pulls ? most_mach_pairs : most_mach) * sound_speed;
}

static watch_bounds bounds_of(const mote_fluid *fluid)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const mote_phase_def phase = mote_fluid_resolved_phase(fluid, 0);
    const double speed = most_speed(&def, phase.sound_speed), rest = phase.rest_density;
    watch_bounds bounds = {.speed_squared = (float)(speed * speed),
                           .density = (float)(rest * (1 + most_compression)),
                           .many_density = (float)(rest * (1 + many_compression)),
                           .has_phases = mote_fluid_phase_count(fluid) > 1};
    for (uint32_t k = 0; k < mote_fluid_phase_count(fluid); ++k) {
        const mote_phase_def other = mote_fluid_resolved_phase(fluid, k);
        const double slower = phase.sound_speed / other.sound_speed;
        bounds.speed_scales[k] = (float)(slower * slower);
        bounds.density_scales[k] = (float)(rest / other.rest_density);
    }
    return bounds;
}

static float speed_squared(const mote_fluid_view *view, size_t i)
{
    return (view->vx[i] * view->vx[i] + view->vy[i] * view->vy[i]) + view->vz[i] * view->vz[i];
}

static float scaled_speed(const mote_fluid_view *view, const watch_bounds *bounds, size_t i)
{
    return speed_squared(view, i) * bounds->speed_scales[view->phase[i]];
}

static float scaled_density(const mote_fluid_view *view, const watch_bounds *bounds, size_t i)
{
    return view->density[i] * bounds->density_scales[view->phase[i]];
}

// What there is in a block: particles beyond the bounds, and those that too many must not be; the greatest values, as
// the integers that the bits of a float from 0 on are: those have the same order, and their maximum is vector code.
typedef struct watch_count {
    uint32_t bad, dense;
    int32_t speed_squared, density;
} watch_count;

typedef struct watch_task {
    const mote_fluid_view *view;
    watch_bounds bounds;
    size_t block;
    watch_count counts[BLOCKS];
} watch_task;

static int32_t bits_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline void count_particle(const watch_bounds *most, float density, float speed, watch_count *count)
{
    count->bad += !(speed <= most->speed_squared) | !(density > 0) | !(density <= most->density);
    count->dense += density > most->many_density;
    count->speed_squared = MOTE_MAX(count->speed_squared, bits_of(speed));
    count->density = MOTE_MAX(count->density, bits_of(density));
}

// Has no branches, so that compilers make vector code of it: it runs in every step. Comparisons with NaN are false.
static void watch_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    watch_task *task = data;
    const mote_fluid_view *view = task->view;
    const watch_bounds most = task->bounds;
    watch_count count = {0, 0, 0, 0};
    for (size_t i = begin; i < end && most.has_phases; ++i)
        count_particle(&most, scaled_density(view, &most, i), scaled_speed(view, &most, i), &count);
    for (size_t i = begin; i < end && !most.has_phases; ++i)
        count_particle(&most, view->density[i], speed_squared(view, i), &count);
    task->counts[begin / task->block] = count;
}

// Whether there are such particles; if so, the bounds are those that they break, and if not, the peaks are raised.
static bool any_bad(const mote_context *context, const mote_fluid_view *view, double rest_density, watch_bounds *bounds,
                    fluid_peaks *peaks)
{
    watch_task task = {.view = view, .bounds = *bounds, .block = MOTE_MAX(BLOCK, view->count / BLOCKS + 1)};
    mote_parallel_for(context, view->count, task.block, watch_block, &task);
    size_t bad = 0, dense = 0;
    int32_t speed_squared = 0, density = 0;
    for (size_t b = 0; b < mote_block_count(view->count, task.block); ++b) {
        const watch_count *count = &task.counts[b];
        bad += count->bad, dense += count->dense;
        speed_squared = MOTE_MAX(speed_squared, count->speed_squared);
        density = MOTE_MAX(density, count->density);
    }
    if (bad > 0) return true;
    if (dense > FEW && dense > view->count / MANY) {
        bounds->speed_squared = FLT_MAX, bounds->density = bounds->many_density;
        return true;
    }
    peaks->speed = MOTE_MAX(peaks->speed, sqrt(value_of(speed_squared)));
    peaks->compression = MOTE_MAX(peaks->compression, value_of(density) / rest_density - 1);
    return false;
}

// ----------------------------------------------------------------------------------------------------- who and why

// How far beyond the bounds a particle is; infinite if one of its numbers is not finite, or its density not above 0.
static double excess(const mote_fluid_view *view, const watch_bounds *bounds, size_t i)
{
    const double speed = sqrt((double)scaled_speed(view, bounds, i) / (double)bounds->speed_squared);
    const double density = (double)scaled_density(view, bounds, i) / (double)bounds->density;
    const bool is_sound = speed - speed == 0 && density - density == 0 && density > 0;
    return is_sound ? MOTE_MAX(speed, density) : HUGE_VAL;
}

// The particle that is farthest beyond the bounds; of several, the one with the least id. The order of particles
// changes over time, ids do not.
static size_t find_worst(const mote_fluid_view *view, const watch_bounds *bounds)
{
    size_t worst = 0;
    double most = -1;
    for (size_t i = 0; i < view->count; ++i) {
        const double one = excess(view, bounds, i);
        if (one > most || (one == most && view->id[i] < view->id[worst])) worst = i, most = one;
    }
    return worst;
}

static mote_vec3 place_of(const mote_fluid_view *view, size_t i)
{
    return mote_vec3_make(view->x[i], view->y[i], view->z[i]);
}

static mote_vec3 acceleration_of(const mote_fluid_view *view, size_t i)
{
    return mote_vec3_make((double)view->ax[i], (double)view->ay[i], (double)view->az[i]);
}

// The particle with the greatest square of such a vector.
static size_t find_greatest(const mote_fluid_view *view, mote_vec3 vector_of(const mote_fluid_view *, size_t))
{
    size_t greatest = 0;
    double most = -1;
    for (size_t i = 0; i < view->count; ++i) {
        const mote_vec3 v = vector_of(view, i);
        const double one = mote_vec3_dot(v, v);
        if (one > most) greatest = i, most = one;
    }
    return greatest;
}

// SIZE_MAX: it is in the buffer of an opening, which a view does not have.
static size_t find_id(const mote_fluid_view *view, uint64_t id)
{
    for (size_t i = 0; i < view->count; ++i)
        if (view->id[i] == id) return i;
    return SIZE_MAX;
}

double mote_courant_step(const mote_fluid *fluid, double speed)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    double sound_speed = 0;
    for (uint32_t k = 0; k < mote_fluid_phase_count(fluid); ++k)
        sound_speed = MOTE_MAX(sound_speed, mote_fluid_resolved_phase(fluid, k).sound_speed);
    return def.courant * def.support / (sound_speed + speed);
}

enum step_limit { BY_SPEED, BY_TENSION, BY_WALLS, BY_FORCE, BY_VISCOSITY };
static const char limit_names[][10] = {"speed", "tension", "walls", "force", "viscosity"};

// Which of the conditions for the step gave its length.
static enum step_limit lowest_limit(const mote_fluid_view *view, const mote_fluid *fluid, double dt)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const double nearly = 1 + 1e-4, h = def.support;
    double speed = 0;
    for (size_t i = 0; i < view->count; ++i) speed = MOTE_MAX(speed, (double)speed_squared(view, i));
    const double force = mote_vec3_length(acceleration_of(view, find_greatest(view, acceleration_of)));
    if (dt * nearly >= mote_courant_step(fluid, sqrt(speed))) return BY_SPEED;
    if (dt * nearly >= mote_fluid_tension_step(fluid)) return BY_TENSION;
    if (dt * nearly >= mote_fluid_wall_step(fluid)) return BY_WALLS;
    return dt * nearly >= def.force_limit * sqrt(h / force) ? BY_FORCE : BY_VISCOSITY;
}

static double nearest_distance(const mote_fluid_view *view, size_t of)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < view->count; ++i) {
        const mote_vec3 to = mote_vec3_sub(place_of(view, i), place_of(view, of));
        if (i != of) least = MOTE_MIN(least, mote_vec3_dot(to, to));
    }
    return sqrt(least);
}

// What may help: a higher speed of sound where the fluid came near it while all was well, or will as it falls; slower
// walls where these make the step so short, blocks apart where particles began in the same place, no negative pressure
// if there was any, otherwise shorter steps. These change nothing where particles are too dense at the start: by sums
// of masses, of which the heavier fluid beside has more, or by the pressure that they are given.
static void advise(const watched_fluid *watched, const mote_fluid_view *view, const mote_fluid_def *def,
                   size_t particle, bool is_dense, bool is_slowed_by_walls, char *text, size_t size)
{
    const bool starts_dense = is_dense && watched->steps == 0;
    const double pressure = (double)view->pressure[particle];
    const double rest_density = mote_fluid_resolved_phase(watched->fluid, view->phase[particle]).rest_density;
    const double near_sound = high_mach * mote_fluid_resolved_phase(watched->fluid, 0).sound_speed;
    const double distance = watched->steps ? HUGE_VAL : nearest_distance(view, particle) / def->spacing;
    if (watched->fastest > near_sound)
        snprintf(text, size, "try \"sound_speed\": %.3g", 10 * watched->fastest);
    else if (is_slowed_by_walls)
        snprintf(text, size, "a wall moves too fast for the fluid");
    else if (distance < same_place)
        snprintf(text, size, "another is %.2g spacings away", distance);
    else if (starts_dense && def->density == MOTE_DENSITY_SUMMATION && mote_fluid_phase_count(watched->fluid) > 1)
        snprintf(text, size, "try \"density\": \"number\"");
    else if (starts_dense && def->density == MOTE_DENSITY_CONTINUITY && pressure > 0 && pressure < (double)FLT_MAX)
        snprintf(text, size, "its pressure at the start needs \"sound_speed\": %.3g",
                 10 * sqrt(pressure / rest_density));
    else if (watched->reference_speed > near_sound)
        snprintf(text, size, "try \"sound_speed\": %.3g", 10 * watched->reference_speed);
    else if (def->negative_pressure && def->solver != MOTE_SOLVER_WEAK)
        snprintf(text, size, "try \"negative_pressure\": false");
    else
        snprintf(text, size, "try \"courant\": %.3g (it is %.3g)", def->courant / 2, def->courant);
}

// " (limit 10)" if it is broken, else nothing.
static const char *limit_text(double value, double limit, char text[24])
{
    text[0] = '\0';
    if (!(value <= limit)) snprintf(text, 24, " (limit %.4g)", limit);
    return text;
}

// @param bounds  that were broken; NULL: none, but that of the step
// @param place   what stands behind the particle's position: "" or more about it
static mote_result tell(const watched_fluid *watched, const watch_bounds *bounds, size_t particle, double dt,
                        const char *place, mote_failure *failure, mote_error *error)
{
    const mote_fluid_view view = mote_fluid_peek(watched->fluid);
    const mote_fluid_def def = mote_fluid_resolved_def(watched->fluid);
    char advice[80], speed_limit[24], density_limit[24], usual[24] = "";
    *failure = (mote_failure){.id = view.id[particle],
                              .position = place_of(&view, particle),
                              .speed = sqrt((double)speed_squared(&view, particle)),
                              .density = (double)view.density[particle],
                              .time = watched->time,
                              .reach = 4 * def.support};
    const mote_phase_def phase = mote_fluid_resolved_phase(watched->fluid, view.phase[particle]);
    const double scale = bounds ? (double)bounds->density_scales[view.phase[particle]] : 1;
    limit_text(failure->speed, most_speed(&def, phase.sound_speed), speed_limit);
    limit_text(failure->density, bounds ? (double)bounds->density / scale : HUGE_VAL, density_limit);
    const bool is_dense = bounds && failure->density > (double)bounds->density / scale;
    const enum step_limit limit = lowest_limit(&view, watched->fluid, dt);
    advise(watched, &view, &def, particle, is_dense, !bounds && limit == BY_WALLS, advice, sizeof advice);
    if (!bounds) snprintf(usual, sizeof usual, " (usually %.2g)", mote_courant_step(watched->fluid, 0));
    const mote_vec3 at = failure->position;
    return mote_fail(error, MOTE_ERROR_UNSTABLE, failure->id,
                     "simulation: unstable at t = %.5g s, step %llu: particle %llu at (%.4g, %.4g, %.4g) m%s: speed "
                     "%.3g m/s%s, density %.4g kg/m^3%s, step %.2g s by %s%s; %s",
                     watched->time, (unsigned long long)watched->steps, (unsigned long long)failure->id, at.x, at.y,
                     at.z, place, failure->speed, speed_limit, failure->density, density_limit, dt,
                     limit_names[limit], usual, advice);
}

// Whether the step is much shorter than usual. Great viscosity, and great tension, make it as short by right.
static bool has_collapsed(const mote_fluid *fluid, double dt)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    bool is_viscous = false;
    for (uint32_t k = 0; k < mote_fluid_phase_count(fluid); ++k) {
        const mote_phase_def phase = mote_fluid_resolved_phase(fluid, k);
        const double viscous = def.viscous_limit * def.support * def.support * phase.rest_density / phase.viscosity;
        is_viscous = is_viscous || (phase.viscosity > 0 && 2 * dt >= viscous);
    }
    const bool is_tense = 2 * dt >= mote_fluid_tension_step(fluid);
    return !(dt > least_step * mote_courant_step(fluid, 0)) && !is_viscous && !is_tense;
}

mote_result mote_watch_fluid(const mote_context *context, const watched_fluid *watched, double *dt, fluid_peaks *peaks,
                             mote_failure *failure, mote_error *error)
{
    const mote_result result = mote_fluid_time_step(watched->fluid, dt, error);
    const mote_fluid_view view = mote_fluid_peek(watched->fluid);
    watch_bounds bounds = bounds_of(watched->fluid);
    if (result == MOTE_ERROR_NOT_FINITE && view.count)
        return tell(watched, &bounds, find_greatest(&view, place_of), 0, ", too far", failure, error);
    if (result != MOTE_OK || view.count == 0) return result;
    const double shortest = mote_fluid_shortest_step(watched->fluid, *dt);
    if (any_bad(context, &view, mote_fluid_resolved_phase(watched->fluid, 0).rest_density, &bounds, peaks))
        return tell(watched, &bounds, find_worst(&view, &bounds), shortest, "", failure, error);
    if (!has_collapsed(watched->fluid, shortest)) return MOTE_OK;
    return tell(watched, NULL, find_greatest(&view, acceleration_of), shortest, "", failure, error);
}

mote_result mote_watch_lost(const watched_fluid *watched, uint64_t id, double dt, mote_failure *failure,
                            mote_error *error)
{
    const mote_fluid_view view = mote_fluid_peek(watched->fluid);
    const watch_bounds bounds = bounds_of(watched->fluid);
    const size_t particle = find_id(&view, id);
    if (particle < view.count)
        return tell(watched, &bounds, particle, mote_fluid_shortest_step(watched->fluid, dt), ", then nowhere",
                    failure, error);
    *failure = (mote_failure){id, {NAN, NAN, NAN}, NAN, NAN, watched->time, 0};
    return mote_fail(error, MOTE_ERROR_UNSTABLE, id,
                     "simulation: unstable at t = %.5g s, step %llu: particle %llu in the buffer of an inlet or outlet "
                     "goes nowhere, expected a finite velocity behind the face",
                     watched->time, (unsigned long long)watched->steps, (unsigned long long)id);
}
