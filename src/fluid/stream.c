// SPDX-License-Identifier: MIT
// The state of a fluid as bytes: a head of 64-bit words, then the particles (particles/bytes.c), then a tail: the
// forces on walls (reactions.c), if someone has asked for them, and with individual steps those of each particle
// (reactions_individual.c); the motions of boundaries, if any moves; what has passed openings and drains, if there are
// any; and their checksum. What follows from the def, and the walls, are not written.

#include <string.h>

#include "fluid/internal.h"
#include "fluid/peek.h"
#include "fluid/wall_field.h"

#define MAGIC UINT64_C(0x64697566746F6D41)  // "Amotfuid" backwards: the form of these bytes, and their order

typedef struct fluid_head {
    uint64_t magic;
    // Of the def: a fluid with others cannot continue.
    uint64_t def_checksum, period_checksum, wall_count;
    // The clock, and what is known about the present positions.
    uint64_t steps, particle_steps;
    uint64_t evaluated, ordered;  // the first one: 2 if that was for all steps alike
    double previous_dt, earlier_dt, origin[3], max_speed_squared, max_acceleration_squared;
    // Of forces on walls.
    uint64_t reaction_count, are_known, is_stepping;
    double at_end, step;
    uint64_t share_count;
    uint64_t motion_count;  // of boundaries, if any has moved
    uint64_t end_count, drain_count, held;  // openings, drains, particles in buffers
    // What another fluid that takes the particles needs to know.
    uint64_t dimensions, solver, time_steps;  // a mote_steps
    double spacing, mass, sound_speed;
    uint64_t phase_count, masses;  // the checksum of the masses of all phases
} fluid_head;

static uint64_t checksum_of_masses(const mote_fluid *fluid)
{
    uint64_t sum = MOTE_CHECKSUM_START;
    for (uint32_t k = 0; k < fluid->phase_count; ++k)
        sum = mote_checksum(sum, &fluid->phases[k].mass, sizeof fluid->phases[k].mass);
    return sum;
}

static fluid_head make_head(const mote_fluid *fluid)
{
    const fluid_reactions *reactions = &fluid->reactions;
    return (fluid_head){
        .magic = MAGIC,
        .def_checksum = mote_fields_checksum(mote_fluid_fields(), &fluid->def),
        .period_checksum = mote_fields_checksum(mote_period_fields(), &fluid->period),
        .wall_count = mote_field_checksum(fluid, fluid->wall_count),
        .steps = fluid->counters.steps,
        .particle_steps = fluid->counters.particle_steps,
        .evaluated = fluid->evaluated ? 1 + fluid->levels.were_alike : 0,
        .ordered = fluid->ordered,
        .previous_dt = fluid->previous_dt,
        .earlier_dt = fluid->earlier_dt,
        .origin = {fluid->origin.x, fluid->origin.y, fluid->origin.z},
        .max_speed_squared = (double)fluid->limits.max_speed_squared,
        .max_acceleration_squared = (double)fluid->limits.max_acceleration_squared,
        .reaction_count = reactions->are_wanted ? fluid->boundary_count : 0,
        .are_known = reactions->are_known,
        .is_stepping = reactions->is_stepping,
        .at_end = reactions->at_end,
        .step = reactions->step,
        .share_count = mote_steps_share_count(fluid),
        .motion_count = mote_fluid_has_moving_walls(fluid) ? fluid->boundary_count : 0,
        .end_count = fluid->open.end_count,
        .drain_count = fluid->open.drain_count,
        .held = fluid->open.held,
        .dimensions = (uint64_t)fluid->def.dimensions,
        .solver = (uint64_t)fluid->def.solver,
        .time_steps = (uint64_t)fluid->def.steps,
        .spacing = fluid->def.spacing,
        .mass = fluid->mass,
        .sound_speed = fluid->phase.sound_speed,
        .phase_count = fluid->phase_count,
        .masses = checksum_of_masses(fluid),
    };
}

// The same motion with zeros between its members: the same state has the same bytes.
static void copy_motion(mote_boundary_motion *to, const mote_boundary_motion *of)
{
    to->place = of->place, to->velocity = of->velocity, to->acceleration = of->acceleration;
    to->center = of->center, to->rotation = of->rotation, to->spin = of->spin, to->spin_rate = of->spin_rate;
    to->belt = of->belt;
    to->at_once = of->at_once;
    to->cookie = of->cookie;
}

static void copy_pose(rigid_pose *to, const rigid_pose *of)
{
    memcpy(to->turn, of->turn, sizeof to->turn);
    to->center = of->center, to->place = of->place;
    to->turns = of->turns;
}

static void pack_motion(const fluid_boundary_motion *of, fluid_boundary_motion *to)
{
    memset(to, 0, sizeof *to);
    copy_motion(&to->now, &of->now), copy_motion(&to->next, &of->next);
    copy_motion(&to->first, &of->first), copy_motion(&to->last, &of->last);
    copy_pose(&to->pose, &of->pose), copy_pose(&to->before, &of->before);
    to->step = of->step, to->reach = of->reach, to->length = of->length;
    to->belt_before = of->belt_before;
    to->moves = of->moves, to->has_next = of->has_next;
}

static bool write_tail(const mote_fluid *fluid, const fluid_head *head, mote_sink *sink, void *user_data)
{
    const size_t reactions = (size_t)head->reaction_count * sizeof(fluid_reaction);
    uint64_t sum = MOTE_CHECKSUM_START;
    if (reactions > 0) sum = mote_checksum(sum, fluid->reactions.of_boundaries.data, reactions);
    if (reactions > 0 && !sink(user_data, fluid->reactions.of_boundaries.data, reactions)) return false;
    for (uint64_t b = 0; b < head->motion_count; ++b) {
        fluid_boundary_motion motion;
        pack_motion(mote_fluid_motion_of(fluid, (uint32_t)b), &motion);
        sum = mote_checksum(sum, &motion, sizeof motion);
        if (!sink(user_data, &motion, sizeof motion)) return false;
    }
    if (!mote_steps_write_shares(fluid, sink, user_data, &sum)) return false;
    if (!mote_fluid_write_openings(fluid, sink, user_data, &sum)) return false;
    return sink(user_data, &sum, sizeof sum);
}

// The bytes of the tail, whose counts have been checked; 0 if there is none.
static size_t tail_bytes(const fluid_head *head)
{
    const size_t reactions = (size_t)head->reaction_count, motions = (size_t)head->motion_count,
                 shares = (size_t)head->share_count;
    const size_t bytes = reactions * sizeof(fluid_reaction) + motions * sizeof(fluid_boundary_motion) +
                         shares * sizeof(fluid_share_bytes) +
                         mote_fluid_opening_state_bytes((size_t)head->end_count, (size_t)head->drain_count);
    return bytes > 0 ? bytes + sizeof(uint64_t) : 0;
}

mote_result mote_fluid_write(const mote_fluid *fluid, mote_sink *sink, void *user_data, mote_error *error)
{
    if (!fluid || !sink) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    const fluid_head head = make_head(fluid);
    mote_result result = mote_particles_write_behind(&fluid->particles, &head, sizeof head, sink, user_data);
    const bool has_tail = tail_bytes(&head) > 0;
    if (result == MOTE_OK && has_tail && !write_tail(fluid, &head, sink, user_data)) result = MOTE_ERROR_FILE;
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "fluid: the bytes were not taken");
}

static mote_result check_tail(const mote_fluid *fluid, const fluid_head *head, const char *bytes, size_t length,
                              mote_error *error)
{
    const uint64_t counts[2] = {head->reaction_count, head->motion_count};
    for (int k = 0; k < 2; ++k)
        if (counts[k] != 0 && counts[k] != fluid->boundary_count)
            return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state of %llu boundaries, expected %u",
                             (unsigned long long)counts[k], fluid->boundary_count);
    if (head->end_count != fluid->open.end_count || head->drain_count != fluid->open.drain_count)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0,
                         "fluid: a state of %llu openings and %llu drains, expected %u and %u",
                         (unsigned long long)head->end_count, (unsigned long long)head->drain_count,
                         fluid->open.end_count, fluid->open.drain_count);
    if (head->motion_count > 0 && !fluid->solver->walls_moved)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state with walls that move");
    if (head->share_count > length / sizeof(fluid_share_bytes))
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: cut short");
    const size_t tail = tail_bytes(head);
    uint64_t sum;
    if (tail == 0) return MOTE_OK;
    if (length < tail) return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: cut short");
    memcpy(&sum, bytes + length - sizeof sum, sizeof sum);
    if (sum != mote_checksum(MOTE_CHECKSUM_START, bytes + length - tail, tail - sizeof sum))
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: damaged: the checksum of its walls does not hold");
    return MOTE_OK;
}

// Takes over forces on walls, for which there is room if they are wanted.
static void read_reactions(mote_fluid *fluid, const fluid_head *head, const char *tail)
{
    fluid_reactions *to = &fluid->reactions;
    if (!to->are_wanted) return;
    const bool has_forces = head->reaction_count > 0;
    to->are_known = has_forces && head->are_known;
    to->is_stepping = has_forces && head->is_stepping;
    to->at_end = has_forces ? head->at_end : 0;
    to->step = has_forces ? head->step : 0;
    if (has_forces) memcpy(to->of_boundaries.data, tail, (size_t)head->reaction_count * sizeof(fluid_reaction));
}

// Whether this fluid can continue from the state.
static mote_result check_head(const mote_fluid *fluid, const fluid_head *head, mote_error *error)
{
    const fluid_head own = make_head(fluid);
    if (own.def_checksum != head->def_checksum)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: the state of a fluid with another def");
    if (own.period_checksum != head->period_checksum)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: the state of a fluid with another periodic box");
    if (own.phase_count != head->phase_count)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state of %llu phases, expected %llu",
                         (unsigned long long)head->phase_count, (unsigned long long)own.phase_count);
    if (own.wall_count != head->wall_count && fluid->field_count > 0)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: the state of a fluid among other walls");
    if (own.wall_count != head->wall_count)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state among %llu wall particles, expected %llu",
                         (unsigned long long)head->wall_count, (unsigned long long)own.wall_count);
    return MOTE_OK;
}

// Replaces the particles by those behind the head; unless MOTE_OK nothing has changed.
static mote_result read_particles(mote_fluid *fluid, const void *bytes, size_t length, mote_error *error)
{
    const size_t behind = sizeof(fluid_head) + sizeof(uint64_t);
    const char *particles = (const char *)bytes + behind;
    size_t count;
    if (length < behind) return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: cut short");
    mote_result result = mote_particles_count_in(particles, length - behind, &count, error);
    if (result != MOTE_OK) return result;
    // A step begins with moving the particles, if they were evaluated when they were written: its blocks need room.
    const size_t room = mote_bytes(mote_block_count(count, FLUID_BLOCK), sizeof(fluid_limits));
    result = mote_buffer_reserve(fluid->context, &fluid->partial, room, fluid->partial.bytes);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "a state", error);
    result = mote_particles_read(&fluid->particles, particles, length - behind, error);
    // The checksum holds, so that whoever wrote such a number knew another phase by it; it must not lead astray.
    uint8_t *phase = mote_fluid_phase_numbers(fluid);
    for (size_t i = 0; result == MOTE_OK && i < fluid->particles.count; ++i)
        if (phase[i] >= fluid->phase_count) phase[i] = 0;
    return result;
}

// Takes over what is known about the positions. Records are relative to the origin, those of walls, too.
static void place(mote_fluid *fluid, const fluid_head *head)
{
    fluid->origin = (mote_vec3){head->origin[0], head->origin[1], head->origin[2]};
    fluid->limits = (fluid_limits){(float)head->max_speed_squared, (float)head->max_acceleration_squared};
    fluid->has_rows = fluid->has_densities = false;
    fluid->solver->forget_walls(fluid);
}

mote_result mote_fluid_read(mote_fluid *fluid, const void *bytes, size_t length, mote_error *error)
{
    if (!fluid || !bytes) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    fluid_head head;
    mote_result result = mote_particles_read_head(bytes, length, &head, sizeof head, MAGIC, "fluid", error);
    if (result == MOTE_OK) result = check_head(fluid, &head, error);
    if (result == MOTE_OK) result = check_tail(fluid, &head, bytes, length, error);
    if (result != MOTE_OK) return result;
    const size_t behind = tail_bytes(&head);
    if (head.motion_count > 0 && mote_fluid_keep_homes(fluid, fluid->wall_count) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "a state", error);
    result = read_particles(fluid, bytes, length - behind, error);
    if (result != MOTE_OK) return result;
    const char *tail = (const char *)bytes + length - behind;
    read_reactions(fluid, &head, tail);
    fluid->counters.steps = head.steps;
    fluid->counters.particle_steps = head.particle_steps;
    fluid->evaluated = head.evaluated > 0, fluid->levels.were_alike = head.evaluated > 1;
    fluid->ordered = head.ordered;
    fluid->previous_dt = head.previous_dt;
    fluid->earlier_dt = head.earlier_dt;
    place(fluid, &head);
    if (head.motion_count > 0)
        mote_fluid_restore_motions(fluid, tail + head.reaction_count * sizeof(fluid_reaction));
    tail += head.reaction_count * sizeof(fluid_reaction) + head.motion_count * sizeof(fluid_boundary_motion);
    // Without them forces are known after the next step.
    if (!mote_steps_read_shares(fluid, tail, (size_t)head.share_count)) fluid->reactions.are_known = false;
    mote_fluid_read_openings(fluid, tail + head.share_count * sizeof(fluid_share_bytes), (size_t)head.held);
    return MOTE_OK;
}

static const char *const step_names[] = {"global", "individual", "individual_positions"};

// Whether particles of that fluid can be particles of this one: as large, as heavy, and carrying the same.
static mote_result check_likeness(const mote_fluid *fluid, const fluid_head *head, mote_error *error)
{
    const mote_fluid_def *def = &fluid->def;
    if (head->dimensions != (uint64_t)def->dimensions)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state in %lluD, expected one in %dD",
                         (unsigned long long)head->dimensions, (int)def->dimensions);
    if (head->solver != (uint64_t)def->solver)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state of another solver, expected one of \"%s\"",
                         fluid->solver->about.name);
    if (head->time_steps != (uint64_t)def->steps)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state with steps \"%s\", expected \"%s\"",
                         step_names[MOTE_MIN(head->time_steps, (uint64_t)MOTE_STEPS_POSITIONS)],
                         step_names[def->steps]);
    if (head->spacing != def->spacing)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state with a spacing of %g m, expected %g m",
                         head->spacing, def->spacing);
    if (head->mass != fluid->mass)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state with particles of %g kg, expected %g kg",
                         head->mass, fluid->mass);
    if (head->phase_count != fluid->phase_count || head->masses != checksum_of_masses(fluid))
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state of other phases, expected the same %u",
                         fluid->phase_count);
    return MOTE_OK;
}

mote_result mote_fluid_take(mote_fluid *fluid, const void *bytes, size_t length, double *sound_speed, mote_error *error)
{
    fluid_head head;
    mote_result result = mote_particles_read_head(bytes, length, &head, sizeof head, MAGIC, "fluid", error);
    if (result == MOTE_OK) result = check_likeness(fluid, &head, error);
    const size_t behind = result == MOTE_OK ? tail_bytes(&head) : 0;
    if (result == MOTE_OK && behind > length) result = mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: cut short");
    if (result == MOTE_OK) result = read_particles(fluid, bytes, length - behind, error);
    if (result != MOTE_OK) return result;
    fluid->reactions.are_known = fluid->reactions.is_stepping = false;  // the walls are others
    fluid->reactions.step = 0;
    // After an evaluation velocities are those of the positions' instant, and a first step can follow.
    fluid->previous_dt = head.evaluated ? 0 : head.previous_dt;
    fluid->earlier_dt = head.evaluated ? 0 : head.earlier_dt;
    fluid->evaluated = fluid->ordered = false;
    place(fluid, &head);
    *sound_speed = head.sound_speed;
    return mote_fluid_take_openings(fluid, (size_t)head.held, error);
}
