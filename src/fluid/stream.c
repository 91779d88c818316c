// SPDX-License-Identifier: MIT
// The state of a fluid as bytes: a head of 64-bit words, then the particles (particles/bytes.c). What follows from the
// def, and the walls, are not written.

#include "fluid/internal.h"
#include "fluid/peek.h"

#define MAGIC UINT64_C(0x64697566746F6D33)  // "3motfuid" backwards: the form of these bytes, and their order

typedef struct fluid_head {
    uint64_t magic;
    // Of the def: a fluid with others cannot continue.
    uint64_t def_checksum, period_checksum, wall_count;
    // The clock, and what is known about the present positions.
    uint64_t steps, particle_steps, evaluated, ordered;
    double previous_dt, earlier_dt, origin[3], max_speed_squared, max_acceleration_squared;
    // What another fluid that takes the particles needs to know.
    uint64_t dimensions, solver;
    double spacing, mass, sound_speed;
} fluid_head;

static fluid_head make_head(const mote_fluid *fluid)
{
    return (fluid_head){
        .magic = MAGIC,
        .def_checksum = mote_fields_checksum(mote_fluid_fields(), &fluid->def),
        .period_checksum = mote_fields_checksum(mote_period_fields(), &fluid->period),
        .wall_count = fluid->wall_count,
        .steps = fluid->counters.steps,
        .particle_steps = fluid->counters.particle_steps,
        .evaluated = fluid->evaluated,
        .ordered = fluid->ordered,
        .previous_dt = fluid->previous_dt,
        .earlier_dt = fluid->earlier_dt,
        .origin = {fluid->origin.x, fluid->origin.y, fluid->origin.z},
        .max_speed_squared = (double)fluid->limits.max_speed_squared,
        .max_acceleration_squared = (double)fluid->limits.max_acceleration_squared,
        .dimensions = (uint64_t)fluid->def.dimensions,
        .solver = (uint64_t)fluid->def.solver,
        .spacing = fluid->def.spacing,
        .mass = fluid->mass,
        .sound_speed = fluid->def.sound_speed,
    };
}

mote_result mote_fluid_write(const mote_fluid *fluid, mote_sink *sink, void *user_data, mote_error *error)
{
    if (!fluid || !sink) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    const fluid_head head = make_head(fluid);
    const mote_result result = mote_particles_write_behind(&fluid->particles, &head, sizeof head, sink, user_data);
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "fluid: the bytes were not taken");
}

// Whether this fluid can continue from the state.
static mote_result check_head(const mote_fluid *fluid, const fluid_head *head, mote_error *error)
{
    const fluid_head own = make_head(fluid);
    if (own.def_checksum != head->def_checksum)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: the state of a fluid with another def");
    if (own.period_checksum != head->period_checksum)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: the state of a fluid with another periodic box");
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
    mote_result result = mote_particles_count_in(particles, length - behind, &count, error);
    if (result != MOTE_OK) return result;
    // A step begins with moving the particles, if they were evaluated when they were written: its blocks need room.
    const size_t room = mote_bytes(mote_block_count(count, FLUID_BLOCK), sizeof(fluid_limits));
    result = mote_buffer_reserve(fluid->context, &fluid->partial, room, fluid->partial.bytes);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "a state", error);
    return mote_particles_read(&fluid->particles, particles, length - behind, error);
}

// Takes over what is known about the positions. Records are relative to the origin, those of walls, too.
static void place(mote_fluid *fluid, const fluid_head *head)
{
    fluid->origin = (mote_vec3){head->origin[0], head->origin[1], head->origin[2]};
    fluid->limits = (fluid_limits){(float)head->max_speed_squared, (float)head->max_acceleration_squared};
    fluid->has_rows = false;
    fluid->solver->forget_walls(fluid);
}

mote_result mote_fluid_read(mote_fluid *fluid, const void *bytes, size_t length, mote_error *error)
{
    if (!fluid || !bytes) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    fluid_head head;
    mote_result result = mote_particles_read_head(bytes, length, &head, sizeof head, MAGIC, "fluid", error);
    if (result == MOTE_OK) result = check_head(fluid, &head, error);
    if (result == MOTE_OK) result = read_particles(fluid, bytes, length, error);
    if (result != MOTE_OK) return result;
    fluid->counters.steps = head.steps;
    fluid->counters.particle_steps = head.particle_steps;
    fluid->evaluated = head.evaluated;
    fluid->ordered = head.ordered;
    fluid->previous_dt = head.previous_dt;
    fluid->earlier_dt = head.earlier_dt;
    place(fluid, &head);
    return MOTE_OK;
}

// Whether particles of that fluid can be particles of this one: as large, as heavy, and carrying the same.
static mote_result check_likeness(const mote_fluid *fluid, const fluid_head *head, mote_error *error)
{
    const mote_fluid_def *def = &fluid->def;
    if (head->dimensions != (uint64_t)def->dimensions)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state in %lluD, expected one in %dD",
                         (unsigned long long)head->dimensions, (int)def->dimensions);
    if (head->solver != (uint64_t)def->solver)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state of another solver, expected one of \"%s\"",
                         fluid->solver->name);
    if (head->spacing != def->spacing)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state with a spacing of %g m, expected %g m",
                         head->spacing, def->spacing);
    if (head->mass != fluid->mass)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "fluid: a state with particles of %g kg, expected %g kg",
                         head->mass, fluid->mass);
    return MOTE_OK;
}

mote_result mote_fluid_take(mote_fluid *fluid, const void *bytes, size_t length, double *sound_speed, mote_error *error)
{
    fluid_head head;
    mote_result result = mote_particles_read_head(bytes, length, &head, sizeof head, MAGIC, "fluid", error);
    if (result == MOTE_OK) result = check_likeness(fluid, &head, error);
    if (result == MOTE_OK) result = read_particles(fluid, bytes, length, error);
    if (result != MOTE_OK) return result;
    // After an evaluation velocities are those of the positions' instant, and a first step can follow.
    fluid->previous_dt = head.evaluated ? 0 : head.previous_dt;
    fluid->earlier_dt = head.evaluated ? 0 : head.earlier_dt;
    fluid->evaluated = fluid->ordered = false;
    place(fluid, &head);
    *sound_speed = head.sound_speed;
    return MOTE_OK;
}
