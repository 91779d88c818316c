// SPDX-License-Identifier: MIT
// Inlets and outlets: openings of the fluid (fluid/open.h) in a side of the tank, with expressions of place and time.
// openings_all.c has what they share with drains.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/open.h"
#include "fluid/peek.h"
#include "simulation/internal.h"

#define LIMIT 1e6

static const char *const at_place[] = {"x", "y", "z", "r", "t", NULL};
static const char *const at_time[] = {"t", NULL};

enum { VELOCITY, FLOW_RATE, PRESSURE, LEVEL, FORMULAS, NAME_BYTES = 24 };

// Of these, whether it is one of the time only.
static bool is_of_time(int formula)
{
    return formula == FLOW_RATE || formula == LEVEL;
}

#define FORMULA(member, unit_text, variables, text)                                                               \
    {                                                                                                             \
        .name = #member, .type = MOTE_FIELD_NUMBER, .unit = unit_text, .offset = offsetof(mote_open_end, member), \
        .flags = MOTE_FIELD_OPTIONAL | MOTE_FIELD_FORMULA, .min = -1e9, .max = 1e9, .initial = {NAN},             \
        .choices = variables, .meaning = text                                                                     \
    }
#define OF_FACE(member, field_type, unit_text, flag_bits, text)                                                 \
    {                                                                                                           \
        .name = #member, .type = field_type, .unit = unit_text, .offset = offsetof(mote_open_end, face.member), \
        .flags = flag_bits, .min = -LIMIT, .max = LIMIT, .initial = {NAN, NAN, NAN}, .meaning = text            \
    }
#define FIELDS(direction, rest)                                                                                     \
    {.name = "name",                                                                                                \
     .type = MOTE_FIELD_TEXT,                                                                                       \
     .unit = "",                                                                                                    \
     .offset = offsetof(mote_open_end, name),                                                                       \
     .flags = MOTE_FIELD_REQUIRED,                                                                                  \
     .meaning = "its name in files and messages"},                                                                  \
        {.name = "fluid",                                                                                           \
         .type = MOTE_FIELD_TEXT,                                                                                   \
         .unit = "",                                                                                                \
         .offset = offsetof(mote_open_end, fluid),                                                                  \
         .initial_text = "",                                                                                        \
         .meaning = "with several fluids, required: the name of the one in its buffer"},                            \
        OF_FACE(center, MOTE_FIELD_VECTOR, "m", MOTE_FIELD_REQUIRED, "middle of the face, on a side of the tank"),  \
        OF_FACE(normal, MOTE_FIELD_VECTOR, "", MOTE_FIELD_REQUIRED, "direction of the flow, " direction),           \
        OF_FACE(radius, MOTE_FIELD_NUMBER, "m", MOTE_FIELD_OPTIONAL, "of a disc; in 2D half of the width"),         \
        OF_FACE(width, MOTE_FIELD_NUMBER, "m", MOTE_FIELD_OPTIONAL, "of a rectangle; in 2D of the segment"),        \
        OF_FACE(height, MOTE_FIELD_NUMBER, "m", MOTE_FIELD_OPTIONAL, "of a rectangle, in the direction of up"),     \
        OF_FACE(up, MOTE_FIELD_VECTOR, "", MOTE_FIELD_OPTIONAL,                                                     \
                "direction of the height; default: z, or y where the flow is upright"),                             \
        {.name = "corners",                                                                                         \
         .type = MOTE_FIELD_CORNERS,                                                                                \
         .unit = "m",                                                                                               \
         .offset = offsetof(mote_open_end, face.corners),                                                           \
         .min = -LIMIT,                                                                                             \
         .max = LIMIT,                                                                                              \
         .meaning = "of a polygon: places in the face, across and up from the center"},                             \
        FORMULA(velocity, "m/s", at_place, "in the direction of the flow; r: the distance from the center. " rest), \
        FORMULA(flow_rate, "m^3/s", at_time, "instead of velocity: volume that passes, evenly over the face"),      \
        FORMULA(pressure, "Pa", at_place, rest),                                                                    \
        FORMULA(level, "m", at_time, "z of the free surface: the pressure of water at rest below it")

static const mote_field inlet_fields[] = {
    FIELDS("into the fluid", "Not set: that of the fluid; one of velocity, flow_rate, pressure and level has to be")};
static const mote_field outlet_fields[] = {FIELDS("out of the fluid", "Not set: that of the fluid")};

_Static_assert(offsetof(mote_open_end, velocity_text) == offsetof(mote_open_end, velocity) + sizeof(double) &&
                   offsetof(mote_open_end, flow_rate_text) == offsetof(mote_open_end, flow_rate) + sizeof(double) &&
                   offsetof(mote_open_end, pressure_text) == offsetof(mote_open_end, pressure) + sizeof(double) &&
                   offsetof(mote_open_end, level_text) == offsetof(mote_open_end, level) + sizeof(double),
               "expressions stand behind their numbers");

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
static const mote_field_table inlet_table = {"inlet", "an open end through which fluid comes in", inlet_fields,
                                             COUNT(inlet_fields)};
static const mote_field_table outlet_table = {"outlet", "an open end through which fluid goes out", outlet_fields,
                                              COUNT(outlet_fields)};

const mote_field_table *mote_inlet_fields(void)
{
    return &inlet_table;
}

const mote_field_table *mote_outlet_fields(void)
{
    return &outlet_table;
}

mote_open_end mote_open_end_default(void)
{
    mote_open_end def = {0};
    mote_fields_set_defaults(&inlet_table, &def);
    return def;
}

// An inlet or an outlet of a def, by one number for both.
typedef struct open_member {
    const mote_open_end *def;
    bool is_outlet;
    char name[NAME_BYTES];  // "inlets[0]"
} open_member;

static size_t member_count(const mote_simulation_def *def)
{
    return def->inlet_count + def->outlet_count;
}

static open_member member_at(const mote_simulation_def *def, size_t k)
{
    const bool is_outlet = k >= def->inlet_count;
    const size_t number = is_outlet ? k - def->inlet_count : k;
    open_member member = {is_outlet ? &def->outlets[number] : &def->inlets[number], is_outlet, ""};
    snprintf(member.name, sizeof member.name, "%s[%zu]", is_outlet ? "outlets" : "inlets", number);
    return member;
}

// Its face as the fluid has it, with the normal into the fluid.
static mote_result make_face(mote_context *context, const open_member *of, int dimensions, open_face *face,
                             mote_error *error)
{
    mote_face def = of->def->face;
    if (of->is_outlet) def.normal = mote_vec3_scale(def.normal, -1);
    return mote_open_face_create(context, &def, dimensions, of->name, face, error);
}

// ------------------------------------------------------------------------------------------------------------- checks

static const char *text_of(const mote_open_end *def, int formula)
{
    const char *const texts[FORMULAS] = {def->velocity_text, def->flow_rate_text, def->pressure_text, def->level_text};
    return texts[formula];
}

static double number_of(const mote_open_end *def, int formula)
{
    const double numbers[FORMULAS] = {def->velocity, def->flow_rate, def->pressure, def->level};
    return numbers[formula];
}

static bool is_set(const mote_open_end *def, int formula)
{
    return text_of(def, formula) != NULL || !isnan(number_of(def, formula));
}

static const char *const formula_names[FORMULAS] = {"velocity", "flow_rate", "pressure", "level"};

static mote_result compile(mote_context *context, const open_member *of, int formula, mote_expression **expression,
                           mote_error *error)
{
    char field[NAME_BYTES + 16];
    mote_error found = {0};
    const char *text = text_of(of->def, formula);
    const char *const *variables = is_of_time(formula) ? at_time : at_place;
    snprintf(field, sizeof field, "%s.%s", of->name, formula_names[formula]);
    const mote_result result = expression ? mote_expression_create(context, text, variables, expression, &found)
                                          : mote_expression_check(text, variables, &found);
    if (result == MOTE_OK || result == MOTE_ERROR_OUT_OF_MEMORY)
        return mote_pass_memory(error, result, "simulation: an expression");
    return mote_expression_refuse(field, &found, error);
}

static mote_result check_values(const open_member *of, const mote_simulation_def *def, mote_error *error)
{
    const mote_open_end *own = of->def;
    if (is_set(own, VELOCITY) && is_set(own, FLOW_RATE))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s has velocity and flow_rate, expected one of them",
                         of->name);
    const bool has_pressure = is_set(own, PRESSURE) || is_set(own, LEVEL);
    const bool is_any = is_set(own, VELOCITY) || is_set(own, FLOW_RATE) || has_pressure;
    if (!of->is_outlet && !is_any)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s has nothing that drives it, expected velocity, flow_rate, pressure or level", of->name);
    if (def->fluid.steps == MOTE_STEPS_POSITIONS)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "%s in a scene whose fluid.steps are \"individual_positions\", expected \"global\" or "
                         "\"individual\"",
                         of->name);
    if (def->fluid.density != MOTE_DENSITY_CONTINUITY &&
        (has_pressure || !(is_set(own, VELOCITY) || is_set(own, FLOW_RATE))))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "%s has %s, expected a velocity or flow_rate and nothing else, or fluid.density "
                         "\"continuity\": densities by other means are noisy, and the noise would move the fluid",
                         of->name, has_pressure ? "a pressure or level" : "no velocity");
    if (def->fluid_count > 0 && (!own->fluid || !*own->fluid))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s.fluid is missing, expected the name of a fluid, as \"%.64s\"", of->name,
                         def->fluids[0].name);
    if (def->fluid_count > 0 && mote_mixture_find(def, own->fluid) == SIZE_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s.fluid is \"%.64s\", expected the name of a fluid, as \"%.64s\"", of->name,
                         own->fluid, def->fluids[0].name);
    if (def->fluid_count == 0 && own->fluid && *own->fluid)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s.fluid is \"%.64s\", expected a list of fluids with that name", of->name, own->fluid);
    mote_result result = MOTE_OK;
    for (int k = 0; k < FORMULAS && result == MOTE_OK; ++k)
        if (text_of(own, k)) result = compile(NULL, of, k, NULL, error);
    return result;
}

// How far a face reaches along an axis from its middle.
static double reach_along(const open_face *face, int axis)
{
    const double n[3] = {face->normal.x, face->normal.y, face->normal.z};
    const double across[3] = {face->across.x, face->across.y, face->across.z};
    const double up[3] = {face->up.x, face->up.y, face->up.z};
    if (!isnan(face->radius)) return face->radius * sqrt(MOTE_MAX(1 - n[axis] * n[axis], 0));
    return fabs(across[axis]) * MOTE_MAX(fabs(face->low[0]), fabs(face->high[0])) +
           fabs(up[axis]) * MOTE_MAX(fabs(face->low[1]), fabs(face->high[1]));
}

// Whether it touches a side of the tank, with the buffer outside.
static bool touches_tank(const open_face *face, const mote_tank_def *tank, double slack)
{
    const double low[3] = {tank->min.x, tank->min.y, tank->min.z}, high[3] = {tank->max.x, tank->max.y, tank->max.z};
    const double at[3] = {face->center.x, face->center.y, face->center.z};
    const double n[3] = {face->normal.x, face->normal.y, face->normal.z};
    bool is_within = true, touches = false;
    for (int k = 0; k < 3; ++k) {
        const double reach = reach_along(face, k) + slack;
        if (face->dimensions == 2 && k == 1) continue;
        is_within = is_within && at[k] >= low[k] - reach && at[k] <= high[k] + reach;
        touches = touches || (n[k] > 1e-3 && fabs(at[k] - low[k]) <= reach) ||
                  (n[k] < -1e-3 && fabs(at[k] - high[k]) <= reach);
    }
    return is_within && touches;
}

// The least and the greatest coordinate of a face along an axis.
static void find_extent(const open_face *face, int axis, double extent[2])
{
    const double at[3] = {face->center.x, face->center.y, face->center.z};
    const double across[3] = {face->across.x, face->across.y, face->across.z};
    const double up[3] = {face->up.x, face->up.y, face->up.z};
    const double reach = reach_along(face, axis);
    extent[0] = at[axis] - reach, extent[1] = at[axis] + reach;
    if (face->corner_count) extent[0] = HUGE_VAL, extent[1] = -HUGE_VAL;
    for (size_t k = 0; k < face->corner_count; ++k) {
        const double corner = at[axis] + across[axis] * face->corners[2 * k] + up[axis] * face->corners[2 * k + 1];
        extent[0] = MOTE_MIN(extent[0], corner), extent[1] = MOTE_MAX(extent[1], corner);
    }
}

// Refuses a face that reaches beyond closed sides of the tank: those next to the one that it is in, or, if it is
// slanted, this one, which it may touch with an edge. What it sends out there would run into the walls.
static mote_result check_extent(const open_member *of, const open_face *face, const mote_simulation_def *def,
                                mote_error *error)
{
    const mote_tank_def *tank = &def->tank;
    const double low[3] = {tank->min.x, tank->min.y, tank->min.z}, high[3] = {tank->max.x, tank->max.y, tank->max.z};
    const bool open_low[3] = {tank->open_x_min, tank->open_y_min, tank->open_z_min};
    const bool open_high[3] = {tank->open_x_max, tank->open_y_max, tank->open_z_max};
    const double slack = 0.5 * def->fluid.spacing;
    for (int k = 0; k < 3; ++k) {
        double extent[2];
        if (face->dimensions == 2 && k == 1) continue;
        find_extent(face, k, extent);
        const bool is_low = !open_low[k] && extent[0] < low[k] - slack;
        if (!is_low && (open_high[k] || extent[1] <= high[k] + slack)) continue;
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s reaches beyond the tank, to %g along %c, expected at most half a spacing beyond its side "
                         "at %g",
                         of->name, extent[is_low ? 0 : 1], "xyz"[k], is_low ? low[k] : high[k]);
    }
    return MOTE_OK;
}

static mote_result check_place(const open_member *of, const open_face *face, const mote_simulation_def *def,
                               mote_error *error)
{
    const mote_vec3 at = face->center;
    if (def->has_periodic && ((def->periodic.x && face->normal.x != 0) || (def->periodic.y && face->normal.y != 0) ||
                              (def->periodic.z && face->normal.z != 0)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s.normal is (%g, %g, %g), expected none along a periodic axis", of->name,
                         of->def->face.normal.x, of->def->face.normal.y, of->def->face.normal.z);
    const bool touches = !def->has_tank || touches_tank(face, &def->tank, 1e-6 * def->fluid.spacing);
    if (touches && def->has_tank && check_extent(of, face, def, error) != MOTE_OK) return MOTE_ERROR_ARGUMENT;
    if (touches) return mote_open_face_check(face, def->fluid.spacing, of->name, error);
    return mote_fail(
        error, MOTE_ERROR_ARGUMENT, 0,
        "%s touches no side of the tank from outside: center (%g, %g, %g), direction of flow (%g, %g, %g), "
        "expected a center on a side, and a flow %s the tank there",
        of->name, at.x, at.y, at.z, of->def->face.normal.x, of->def->face.normal.y, of->def->face.normal.z,
        of->is_outlet ? "out of" : "into");
}

// Whether a particle of one buffer lies in another one. Faces side by side are allowed, however near: their particles
// feel each other as those of one wide face do, so that a stream may enter by several faces of different speeds.
static bool overlap(const open_face *one, const open_face *other, double spacing, double support)
{
    const size_t layers = mote_open_face_layers(one, spacing, support);
    const double pitch = mote_open_face_pitch(one, spacing);
    const double depth = mote_open_face_pitch(other, spacing) * (double)mote_open_face_layers(other, spacing, support);
    for (size_t k = 0; k < mote_open_face_grid(one, spacing); ++k) {
        mote_vec3 foot;
        if (!mote_open_face_column(one, spacing, k, &foot)) continue;
        for (size_t layer = 0; layer < layers; ++layer) {
            const mote_vec3 at = mote_vec3_add_scaled(foot, one->normal, -((double)layer + 0.5) * pitch);
            const open_place place = mote_open_face_place(other, at);
            if (place.in < 0 && place.in > -depth && mote_open_face_covers(other, &place)) return true;
        }
    }
    return false;
}

static mote_result check_one(mote_context *context, const mote_simulation_def *def, size_t k, mote_error *error)
{
    const open_member of = member_at(def, k);
    const mote_field_table *table = of.is_outlet ? &outlet_table : &inlet_table;
    mote_error own = {0};
    open_face face, other;
    if (mote_fields_check(table, of.def, &own) != MOTE_OK)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "%s: %s", of.name, own.text);
    if (!mote_simulation_has_fluid(def) || (def->has_tank && mote_motion_is_set(&def->tank.motion)))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, k, "%s in a scene %s, expected none", of.name,
                         mote_simulation_has_fluid(def) ? "whose tank moves" : "without fluid");
    mote_result result = check_values(&of, def, error);
    if (result == MOTE_OK) result = make_face(context, &of, def->fluid.dimensions, &face, error);
    if (result != MOTE_OK) return result;
    result = check_place(&of, &face, def, error);
    for (size_t j = 0; j < k && result == MOTE_OK; ++j) {
        const open_member before = member_at(def, j);
        result = make_face(context, &before, def->fluid.dimensions, &other, error);
        if (result != MOTE_OK) break;
        const double d = def->fluid.spacing, support = mote_fluid_support_of(&def->fluid);
        if (overlap(&face, &other, d, support) || overlap(&other, &face, d, support))
            result =
                mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                          "%s overlaps the buffer of %s: center (%g, %g, %g), expected a place beside it: buffers are "
                          "%g m deep",
                          of.name, before.name, face.center.x, face.center.y, face.center.z, support);
        mote_open_face_release(context, &other);
    }
    mote_open_face_release(context, &face);
    return result;
}

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    mote_result result = MOTE_OK;
    if (member_count(def) > MOTE_OPENINGS_MOST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "simulation: %zu inlets and outlets, expected at most %d",
                         member_count(def), MOTE_OPENINGS_MOST);
    for (size_t k = 0; k < member_count(def) && result == MOTE_OK; ++k) result = check_one(context, def, k, error);
    return result;
}

// ------------------------------------------------------------------------------------------------------------ objects

typedef struct opening_object {
    const mote_simulation *simulation;
    const mote_fluid *fluid;
    mote_expression *expressions[FORMULAS];  // NULL: the number
    double numbers[FORMULAS];
    open_face face;
    double depth, sign;  // sign: −1 where fluid goes out along the direction of flow
    uint32_t number;     // of the opening, if there is a fluid
    size_t member;
    double spacing;          // of the fluid
    char field[NAME_BYTES];  // "inlets[0]"
    const char *name;        // of the def
} opening_object;

static double evaluate(const opening_object *object, int formula, mote_vec3 at, double r)
{
    const double t = object->simulation ? object->simulation->time : 0;
    const double values[5] = {at.x, at.y, at.z, r, t};
    const mote_expression *of = object->expressions[formula];
    return of ? mote_expression_evaluate(of, is_of_time(formula) ? &t : values) : object->numbers[formula];
}

static bool has_formula(const opening_object *object, int formula)
{
    return object->expressions[formula] || !isnan(object->numbers[formula]);
}

static double velocity_at(void *user_data, mote_vec3 at, double r)
{
    const opening_object *object = user_data;
    if (has_formula(object, VELOCITY)) return object->sign * evaluate(object, VELOCITY, at, r);
    return object->sign * evaluate(object, FLOW_RATE, at, r) / object->face.area;
}

static double pressure_at(void *user_data, mote_vec3 at, double r)
{
    const opening_object *object = user_data;
    return has_formula(object, PRESSURE) ? evaluate(object, PRESSURE, at, r) : 0;
}

static double level_at(void *user_data, mote_vec3 at, double r)
{
    return evaluate(user_data, LEVEL, at, r);
}

// Refuses expressions without a value at the present time. Called when an opening is made, before anything derives from
// its values (kinds.c: the fluid comes later), and before each step.
static mote_result check_finite(const opening_object *object, mote_error *error)
{
    const double spacing = object->spacing, time = object->simulation ? object->simulation->time : 0;
    for (int k = 0; k < FORMULAS; ++k)
        for (size_t c = 0; object->expressions[k] && c < mote_open_face_grid(&object->face, spacing); ++c) {
            mote_vec3 foot;
            if (!mote_open_face_column(&object->face, spacing, c, &foot)) continue;
            const double r = mote_vec3_length(mote_vec3_sub(foot, object->face.center));
            const double value = evaluate(object, k, foot, r);
            if (value - value == 0) continue;
            return mote_fail(error, MOTE_ERROR_ARGUMENT, object->member,
                             "%s.%s is %g at (%g, %g, %g), t = %g s, expected a finite number", object->field,
                             formula_names[k], value, foot.x, foot.y, foot.z, time);
        }
    return MOTE_OK;
}

static void close_object(mote_context *context, opening_object *object)
{
    for (int k = 0; k < FORMULAS; ++k) mote_expression_destroy(object->expressions[k]);
    mote_open_face_release(context, &object->face);
}

// `object` is all zeros before; close it in any case.
static mote_result open_object(mote_context *context, const mote_simulation_def *def, size_t k, opening_object *object,
                               mote_error *error)
{
    const open_member of = member_at(def, k);
    const double d = def->fluid.spacing;
    object->sign = of.is_outlet ? -1 : 1;
    object->member = k;
    object->spacing = d;
    object->name = of.def->name;
    memcpy(object->field, of.name, sizeof object->field);
    mote_result result = make_face(context, &of, def->fluid.dimensions, &object->face, error);
    for (int f = 0; f < FORMULAS && result == MOTE_OK; ++f) {
        object->numbers[f] = number_of(of.def, f);
        if (text_of(of.def, f)) result = compile(context, &of, f, &object->expressions[f], error);
    }
    const size_t layers = mote_open_face_layers(&object->face, d, mote_fluid_support_of(&def->fluid));
    object->depth = mote_open_face_pitch(&object->face, d) * (double)layers;
    return result;
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < member_count(def) && result == MOTE_OK; ++k) {
        opening_object *object =
            mote_simulation_add(simulation, &mote_kind_opening, member_at(def, k).def->name, error);
        if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
        object->simulation = simulation;
        result = open_object(simulation->context, def, k, object, error);
        if (result == MOTE_OK) result = check_finite(object, error);
    }
    return result;
}

static void destroy(mote_simulation *simulation, void *state)
{
    close_object(simulation->context, state);
}

static bool is_open(const void *state, mote_vec3 place)
{
    const opening_object *object = state;
    const open_place at = mote_open_face_place(&object->face, place);
    return at.in < 0 && at.in >= -object->depth && mote_open_face_covers(&object->face, &at);
}

static mote_result refuse_blocks(const opening_object *object, const open_member *of, mote_fluid *fluid,
                                 mote_error *error)
{
    const mote_fluid_view view = mote_fluid_peek(fluid);
    for (size_t i = 0; i < view.count; ++i)
        if (is_open(object, mote_vec3_make(view.x[i], view.y[i], view.z[i])))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "blocks: a particle at (%.4g, %.4g, %.4g) is in the buffer of %s, expected none behind it",
                             view.x[i], view.y[i], view.z[i], of->name);
    return MOTE_OK;
}

static mote_result open(mote_simulation *simulation, void *state, mote_fluid *fluid, const mote_simulation_def *def,
                        mote_error *error)
{
    (void)simulation;
    opening_object *object = state;
    const open_member of = member_at(def, object->member);
    mote_opening made = mote_opening_default();
    made.face = of.def->face;
    if (of.is_outlet) made.face.normal = mote_vec3_scale(made.face.normal, -1);
    made.phase = def->fluid_count > 0 ? (uint32_t)mote_mixture_find(def, of.def->fluid) : 0;
    made.sets_velocity = has_formula(object, VELOCITY) || has_formula(object, FLOW_RATE);
    made.sets_pressure = has_formula(object, PRESSURE) || has_formula(object, LEVEL);
    made.starts_full = !of.is_outlet;
    if (has_formula(object, LEVEL)) made.level_at = level_at;
    made.user_data = object;
    made.velocity_at = velocity_at;
    made.pressure_at = pressure_at;
    const mote_result result = refuse_blocks(object, &of, fluid, error);
    object->fluid = fluid;
    return result == MOTE_OK ? mote_fluid_add_opening(fluid, &made, &object->number, error) : result;
}

// Before the fluid is evaluated with them.
static mote_result stable_step(mote_simulation *simulation, void *state, double *dt, mote_error *error)
{
    (void)simulation;
    *dt = HUGE_VAL;
    return check_finite(state, error);
}

static mote_result tell(mote_simulation *simulation, void *state, mote_quantity quantities[MOTE_OBJECT_QUANTITIES],
                        size_t *count, mote_error *error)
{
    (void)simulation, (void)error;
    const opening_object *object = state;
    const mote_flow_count flow = mote_fluid_opening_count(object->fluid, object->number);
    quantities[0] = mote_quantity_make("particles_in", NULL, (double)flow.in);
    quantities[1] = mote_quantity_make("particles_out", NULL, (double)flow.out);
    const char *const mass = object->face.dimensions == 2 ? "kg/m" : "kg";
    quantities[2] = mote_quantity_make("mass_in", mass, flow.mass_in);
    quantities[3] = mote_quantity_make("mass_out", mass, flow.mass_out);
    *count = 4;
    for (size_t k = 0; k < *count; ++k) quantities[k].of = object->name;
    return MOTE_OK;
}

static size_t byte_count(const void *state)
{
    const opening_object *object = state;
    size_t bytes = object->face.corner_count * 2 * sizeof(double);
    for (int k = 0; k < FORMULAS; ++k) bytes += mote_expression_byte_count(object->expressions[k]);
    return bytes;
}

const object_kind mote_kind_opening = {
    .name = "opening",
    .state_bytes = sizeof(opening_object),
    .check = check,
    .create = create,
    .destroy = destroy,
    .stable_step = stable_step,
    .is_open = is_open,
    .open = open,
    .tell = tell,
    .byte_count = byte_count,
};

// ----------------------------------------------------------------------------------------------- for the fluid's kind

// How far water can fall from a face, down to the tank's floor [m].
static double fall(const mote_simulation_def *def, const open_face *face)
{
    const double g[3] = {def->fluid.gravity.x, def->fluid.gravity.y, def->fluid.gravity.z};
    const double low[3] = {def->tank.min.x, def->tank.min.y, def->tank.min.z};
    const double high[3] = {def->tank.max.x, def->tank.max.y, def->tank.max.z};
    const double at[3] = {face->center.x, face->center.y, face->center.z};
    const double strength = mote_vec3_length(def->fluid.gravity);
    double way = 0;
    for (int k = 0; k < 3 && def->has_tank && strength > 0; ++k)
        way += g[k] / strength * ((g[k] > 0 ? high[k] : low[k]) - at[k]);
    return MOTE_MAX(way, 0);
}

// The greatest velocity over the face.
static double fastest_of(opening_object *object, double spacing)
{
    double fastest = 0;
    for (size_t k = 0; k < mote_open_face_grid(&object->face, spacing); ++k) {
        mote_vec3 foot;
        if (!mote_open_face_column(&object->face, spacing, k, &foot)) continue;
        const double r = mote_vec3_length(mote_vec3_sub(foot, object->face.center));
        fastest = MOTE_MAX(fastest, fabs(velocity_at(object, foot, r)));
    }
    return fastest;
}

mote_result mote_openings_find_speed(mote_context *context, const mote_simulation_def *def, double *speed,
                                     mote_error *error)
{
    const double g = mote_vec3_length(def->fluid.gravity);
    *speed = 0;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < member_count(def) && result == MOTE_OK; ++k) {
        opening_object object = {0};
        result = open_object(context, def, k, &object, error);
        const bool is_driven = has_formula(&object, VELOCITY) || has_formula(&object, FLOW_RATE);
        if (result == MOTE_OK && is_driven) {
            const double own = fastest_of(&object, def->fluid.spacing);
            *speed = MOTE_MAX(*speed, sqrt(own * own + g * fall(def, &object.face)));
        }
        close_object(context, &object);
    }
    return result;
}
