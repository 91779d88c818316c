// SPDX-License-Identifier: MIT
// The kinds of gauges: what each is for, what it needs, the values in its rows, and how it measures. A new kind is an
// entry of each of the tables here, in the order of mote_gauge_kind.

#include <math.h>

#include "base/vector.h"
#include "simulation/gauges.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(member) offsetof(mote_gauge_def, member)

static const char *const kind_names[] = {"pressure", "wall_pressure", "velocity", "height", "front", "flow",
                                         "energy",   "extremes",      "force",    "moment", NULL};

#define PLACE(member, text)                                                                             \
    {.name = #member, .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = AT(member),                     \
     .flags = MOTE_FIELD_DERIVED, .min = -1e6, .max = 1e6, .initial = {NAN, NAN, NAN}, .meaning = text}

static const char *const time_alone[] = {"t", NULL};

_Static_assert(offsetof(mote_gauge_def, at_text) == offsetof(mote_gauge_def, at) + sizeof(mote_vec3),
               "expressions stand behind their numbers");

static const mote_field gauge_fields[] = {
    {.name = "name", .type = MOTE_FIELD_TEXT, .unit = "", .offset = AT(name), .flags = MOTE_FIELD_REQUIRED,
     .meaning = "begins its columns in gauges.csv"},
    {.name = "kind", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(kind), .flags = MOTE_FIELD_REQUIRED,
     .choices = kind_names, .meaning = "what it measures, see below"},
    {.name = "every", .type = MOTE_FIELD_NUMBER, .unit = "s", .offset = AT(every), .min = 0, .max = 1e9,
     .initial = {0}, .meaning = "time from one row to the next, which is measured after the first step that ends then "
                                "or later; 0: a row after each step"},
    {.name = "at", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = AT(at),
     .flags = MOTE_FIELD_DERIVED | MOTE_FIELD_FORMULA, .min = -1e6, .max = 1e6, .initial = {NAN, NAN, NAN},
     .choices = time_alone,
     .meaning = "the place that it measures at, at the time t of a row; in 2D y is ignored"},
    PLACE(min, "lower corner of the box or rectangle that it looks at; default: everywhere"),
    PLACE(max, "upper corner of the box or rectangle"),
    {.name = "direction", .type = MOTE_FIELD_VECTOR, .unit = "", .offset = AT(direction),
     .flags = MOTE_FIELD_DERIVED, .min = -1e6, .max = 1e6, .initial = {NAN, NAN, NAN},
     .meaning = "that a front moves in; default: [1, 0, 0]"},
    {.name = "of", .type = MOTE_FIELD_TEXT, .unit = "", .offset = AT(of), .initial_text = NULL,
     .meaning = "the side of the tank (\"x_min\", \"x_max\", … \"z_max\") or the name of the solid"},
};

static const mote_field_table gauge_table = {"gauge", "what is measured while the simulation runs", gauge_fields,
                                             COUNT(gauge_fields)};

const mote_field_table *mote_gauge_fields(void)
{
    return &gauge_table;
}

mote_gauge_def mote_gauge_default_def(void)
{
    mote_gauge_def def = {0};
    mote_fields_set_defaults(&gauge_table, &def);
    return def;
}

static const mote_gauge_kind_info kinds[] = {
    [MOTE_GAUGE_PRESSURE] = {"pressure",
                             "mean pressure of the particles within the kernel's support of a place, weighted by "
                             "Wendland's kernel; 0 where there is no fluid",
                             {"at"}, {NULL}, 1, {{"", "pressure", "Pa", "Pa"}}},
    [MOTE_GAUGE_WALL_PRESSURE] = {"wall_pressure",
                                  "mean pressure of the wall particles within 1.5 spacings of a place on a wall, "
                                  "extrapolated from the fluid; 0 where there is no fluid; nan where a place that "
                                  "moves has left the walls",
                                  {"at"}, {NULL}, 1, {{"", "pressure", "Pa", "Pa"}}},
    [MOTE_GAUGE_VELOCITY] = {"velocity", "mean velocity of the same particles; nan where there is no fluid",
                             {"at"}, {NULL}, 3,
                             {{"x", "velocity", "m/s", "m/s"}, {"y", "velocity", "m/s", "m/s"},
                              {"z", "velocity", "m/s", "m/s"}}},
    [MOTE_GAUGE_HEIGHT] = {"height",
                           "z of the surface on the vertical line through a place: the highest where fluid fills half "
                           "of a cell of one spacing, within 1.5 spacings of the line; where there is none, the floor "
                           "of the tank",
                           {"at"}, {NULL}, 1, {{"", "height", "m", "m"}}},
    [MOTE_GAUGE_FRONT] = {"front",
                          "the furthest place along a direction that fluid reaches, in a box or everywhere; drops of "
                          "fewer than 16 particles in 2D and 64 in 3D, none of them within 2 spacings of others, do "
                          "not count",
                          {NULL}, {"min", "max", "direction"}, 1, {{"", "front", "m", "m"}}},
    [MOTE_GAUGE_FLOW] = {"flow",
                         "volume that passes a rectangle in the direction of its axis, minus that against it: per "
                         "second since the last row, and in all",
                         {"min", "max"}, {NULL}, 2,
                         {{"rate", "flow", "m^3/s", "m^2/s"}, {"volume", "volume", "m^3", "m^2"}}},
    [MOTE_GAUGE_ENERGY] = {"energy", "energies of the fluid, in a box or everywhere; elastic: of its compression",
                           {NULL}, {"min", "max"}, 4,
                           {{"kinetic", "energy", "J", "J/m"}, {"potential", "energy", "J", "J/m"},
                            {"elastic", "energy", "J", "J/m"}, {"total", "energy", "J", "J/m"}}},
    [MOTE_GAUGE_EXTREMES] = {"extremes",
                             "the highest speed, also as a share of the speed of sound (Mach number), and the greatest "
                             "rise and fall of the density from the rest density, in a box or everywhere",
                             {NULL}, {"min", "max"}, 4,
                             {{"speed", "speed", "m/s", "m/s"}, {"mach", "Mach number", "", ""},
                              {"compression", "density variation", "", ""},
                              {"expansion", "density variation", "", ""}}},
    [MOTE_GAUGE_FORCE] = {"force",
                          "force of the fluid on a side of the tank or a solid, in the mean since the last row",
                          {"of"}, {NULL}, 3,
                          {{"x", "force", "N", "N/m"}, {"y", "force", "N", "N/m"}, {"z", "force", "N", "N/m"}}},
    [MOTE_GAUGE_MOMENT] = {"moment", "moment of that force about a place; default: about the origin",
                           {"of"}, {"at"}, 3,
                           {{"x", "moment", "N m", "N"}, {"y", "moment", "N m", "N"}, {"z", "moment", "N m", "N"}}},
};
_Static_assert(COUNT(kinds) + 1 == COUNT(kind_names), "a name for each kind");

const mote_gauge_kind_info *mote_gauge_kind_at(size_t index)
{
    return index < COUNT(kinds) ? &kinds[index] : NULL;
}

// --------------------------------------------------------------------------------------------------------- measuring

static mote_result measure_pressure(mote_simulation *simulation, gauge_object *gauge, double *values,
                                    mote_error *error)
{
    gauge_mean mean;
    const mote_result result = mote_gauge_find_mean(simulation->context, mote_simulation_fluid(simulation),
                                                    gauge->def.at, &gauge->scratch, &mean, error);
    values[0] = mean.pressure;
    return result;
}

bool mote_gauge_is_beside_bare_solid(const mote_simulation *simulation, const gauge_object *gauge, size_t *solid)
{
    const double radius = 1.5 * gauge->spacing;
    *solid = 0;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        double distance = HUGE_VAL;
        mote_vec3 normal;
        if (object->kind != &mote_kind_solid) continue;
        if (!object->kind->has_wall_particles(object->state))
            object->kind->distance(object->state, gauge->def.at, radius, &distance, &normal);
        if (fabs(distance) <= radius) return true;
        ++*solid;
    }
    return false;
}

// A gauge that moves gets to places where one that rests is refused at the start. Nothing is measured there: a
// pressure of 0 would say that there is a dry wall.
static mote_result measure_wall_pressure(mote_simulation *simulation, gauge_object *gauge, double *values,
                                         mote_error *error)
{
    size_t walls, solid;
    if (gauge->moves && mote_gauge_is_beside_bare_solid(simulation, gauge, &solid)) return MOTE_OK;
    const mote_result result =
        mote_gauge_find_wall_pressure(simulation->context, mote_simulation_fluid(simulation), gauge->def.at,
                                      &gauge->scratch, &values[0], &walls, error);
    if (result == MOTE_OK && gauge->moves && walls == 0) values[0] = NAN;
    return result;
}

mote_result mote_gauge_count_walls(mote_simulation *simulation, gauge_object *gauge, size_t *walls, mote_error *error)
{
    double pressure;
    return mote_gauge_find_wall_pressure(simulation->context, mote_simulation_fluid(simulation), gauge->def.at,
                                         &gauge->scratch, &pressure, walls, error);
}

static mote_result measure_velocity(mote_simulation *simulation, gauge_object *gauge, double *values,
                                    mote_error *error)
{
    gauge_mean mean;
    const mote_result result = mote_gauge_find_mean(simulation->context, mote_simulation_fluid(simulation),
                                                    gauge->def.at, &gauge->scratch, &mean, error);
    if (!(mean.weight > 0)) return result;
    values[0] = mean.velocity.x, values[1] = mean.velocity.y, values[2] = mean.velocity.z;
    return result;
}

static mote_result measure_height(mote_simulation *simulation, gauge_object *gauge, double *values, mote_error *error)
{
    values[0] = gauge->floor;
    const mote_box column = gauge->column;
    const bool is_outside = column.min.x >= column.max.x || (gauge->dimensions == 3 && column.min.y >= column.max.y);
    if (is_outside) return MOTE_OK;  // it has left the tank
    return mote_gauge_find_height(simulation->context, mote_simulation_fluid(simulation), gauge->column,
                                  &gauge->scratch, &values[0], error);
}

static mote_result measure_front(mote_simulation *simulation, gauge_object *gauge, double *values, mote_error *error)
{
    const mote_result result =
        mote_gauge_find_front(simulation->context, mote_simulation_fluid(simulation), gauge->box, gauge->direction,
                              &gauge->scratch, &values[0], error);
    if (values[0] > gauge->limit) values[0] = gauge->limit;  // particles may touch a wall
    return result;
}

static mote_result measure_flow(mote_simulation *simulation, gauge_object *gauge, double *values, mote_error *error)
{
    (void)error;
    gauge_passes *passes = &gauge->passes;
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const double volume = mote_fluid_particle_mass(fluid) / mote_fluid_resolved_phase(fluid, 0).rest_density;
    const double seconds = simulation->time - gauge->time;
    const int64_t count = passes->count;
    values[0] = seconds > 0 ? volume * (double)(count - passes->at_row) / seconds : 0;
    values[1] = volume * (double)count;
    passes->at_row = count;
    return MOTE_OK;
}

static mote_result measure_energy(mote_simulation *simulation, gauge_object *gauge, double *values, mote_error *error)
{
    gauge_energies energies;
    const mote_result result = mote_gauge_find_energies(simulation->context, mote_simulation_fluid(simulation),
                                                        gauge->box, &gauge->scratch, &energies, error);
    values[0] = energies.kinetic, values[1] = energies.potential, values[2] = energies.elastic;
    values[3] = energies.kinetic + energies.potential + energies.elastic;
    return result;
}

static mote_result measure_extremes(mote_simulation *simulation, gauge_object *gauge, double *values,
                                    mote_error *error)
{
    gauge_extremes extremes;
    mote_fluid *fluid = mote_simulation_fluid(simulation);
    const mote_result result =
        mote_gauge_find_extremes(simulation->context, fluid, gauge->box, &gauge->scratch, &extremes, error);
    values[0] = extremes.max_speed;
    values[1] = extremes.max_speed / mote_fluid_resolved_phase(fluid, 0).sound_speed;
    values[2] = extremes.compression, values[3] = extremes.expansion;
    return result;
}

// The fluid's boundary that is this side of the tank or this solid.
static uint32_t boundary_of(const mote_simulation *simulation, int side)
{
    const object_kind *kind = side < MOTE_WALL_PARTS ? &mote_kind_tank : &mote_kind_solid;
    const int part = side < MOTE_WALL_PARTS ? side : 0;
    int left = side < MOTE_WALL_PARTS ? 0 : side - MOTE_WALL_PARTS;
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind == kind && left-- == 0) return simulation->objects[k].boundary + (uint32_t)part;
    return 0;
}

mote_result mote_gauge_follow(mote_simulation *simulation, gauge_object *gauge, mote_error *error)
{
    if (gauge->def.kind != MOTE_GAUGE_FORCE && gauge->def.kind != MOTE_GAUGE_MOMENT) return MOTE_OK;
    gauge_load *load = &gauge->load;
    const double step = simulation->time - load->time;
    const mote_result result = mote_fluid_boundary_force(
        mote_simulation_fluid(simulation), boundary_of(simulation, gauge->side), &load->force, &load->moment, error);
    if (result != MOTE_OK) return result;
    load->impulse = mote_vec3_add_scaled(load->impulse, load->force, step);
    load->turn = mote_vec3_add_scaled(load->turn, load->moment, step);
    load->time = simulation->time;
    return MOTE_OK;
}

// The mean since the latest row; at the start, of that instant.
static mote_result measure_load(mote_simulation *simulation, gauge_object *gauge, double *values, mote_error *error)
{
    (void)error;
    gauge_load *load = &gauge->load;
    mote_vec3 force = load->force, moment = load->moment;
    const double seconds = simulation->time - gauge->time;
    if (gauge->row_count > 0 && seconds > 0) {
        force = mote_vec3_scale(load->impulse, 1 / seconds);
        moment = mote_vec3_scale(load->turn, 1 / seconds);
    }
    load->impulse = load->turn = mote_vec3_make(0, 0, 0);
    if (gauge->def.kind == MOTE_GAUGE_MOMENT) force = mote_vec3_sub(moment, mote_vec3_cross(gauge->def.at, force));
    values[0] = force.x, values[1] = force.y, values[2] = force.z;
    return MOTE_OK;
}

static gauge_measure *const measures[COUNT(kinds)] = {
    [MOTE_GAUGE_PRESSURE] = measure_pressure, [MOTE_GAUGE_WALL_PRESSURE] = measure_wall_pressure,
    [MOTE_GAUGE_VELOCITY] = measure_velocity, [MOTE_GAUGE_HEIGHT] = measure_height,
    [MOTE_GAUGE_FRONT] = measure_front,       [MOTE_GAUGE_FLOW] = measure_flow,
    [MOTE_GAUGE_ENERGY] = measure_energy,     [MOTE_GAUGE_EXTREMES] = measure_extremes,
    [MOTE_GAUGE_FORCE] = measure_load,        [MOTE_GAUGE_MOMENT] = measure_load,
};

gauge_measure *mote_gauge_measure_of(int32_t kind)
{
    return measures[kind];
}
