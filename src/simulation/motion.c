// SPDX-License-Identifier: MIT
// Walls that move: motions that expressions of the time describe, or tables (motion_table.c). Velocities and
// accelerations follow by differentiation, so that a body is where its velocity leads it, up to rounding.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double degree = 0x1.1df46a2529d39p-6;  // π/180
static const double most = 1e6;                     // of a number, as in the tables of fields

enum { TURN = 3, WHOLE = 4, FIELD_NAME = 64 };

static const char *const variables[] = {"t", NULL};

mote_result mote_motion_compile(mote_context *context, const char *text, const char *field,
                                mote_expression **expression, mote_error *error)
{
    mote_error found = {0};
    const mote_result result = text ? mote_expression_create(context, text, variables, expression, &found) : MOTE_OK;
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return mote_fail(error, result, 0, "simulation: no memory for motions");
    return result == MOTE_OK ? MOTE_OK : mote_expression_refuse(field, &found, error);
}

mote_result mote_motion_derive(const mote_expression *expression, double number, double time, const char *field,
                               double results[3], mote_error *error)
{
    static const char *const names[] = {"is", "has the velocity", "has the acceleration"};
    results[0] = number, results[1] = results[2] = 0;
    if (expression) mote_expression_derive(expression, &time, 0, results);
    for (int k = 0; k < 3; ++k)
        if (!(fabs(results[k]) <= most))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "%s %s %g at t = %g s, expected a number from -1000000 to 1000000", field, names[k],
                             results[k], time);
    return MOTE_OK;
}

// "solids[0].motion[2]", "tank.turn", "tank.motion_table", "tank.motion"
static void name_field(const simulation_motion *motion, int k, char name[FIELD_NAME])
{
    char owner[FIELD_NAME / 2];
    snprintf(owner, sizeof owner, motion->is_in_list ? "%s[%zu]" : "%s", motion->owner, motion->number);
    if (k == TURN)
        snprintf(name, FIELD_NAME, "%s.turn", owner);
    else if (k == WHOLE)
        snprintf(name, FIELD_NAME, "%s.motion%s", owner, motion->table ? "_table" : "");
    else
        snprintf(name, FIELD_NAME, "%s.motion[%d]", owner, k);
}

static bool turns(const mote_motion *motion)
{
    return motion->turn_text || motion->turn != 0;
}

static bool shifts(const mote_motion *motion)
{
    const mote_vec3 shift = motion->shift;
    return motion->shift_text[0] || motion->shift_text[1] || motion->shift_text[2] || shift.x != 0 || shift.y != 0 ||
           shift.z != 0;
}

static bool has_table(const mote_motion *motion)
{
    return motion->table || (motion->table_file && *motion->table_file);
}

bool mote_motion_is_set(const mote_motion *motion)
{
    return motion && (turns(motion) || shifts(motion) || has_table(motion));
}

// Whether any row of a table has another number than 0 in a column.
static bool has_column(const mote_motion *motion, size_t column)
{
    for (size_t i = 0; i < motion->table_count; ++i)
        if (motion->table[MOTE_MOTION_COLUMNS * i + column] != 0) return true;
    return false;
}

static mote_result check_table(const mote_motion *motion, const char *owner, mote_error *error)
{
    char field[FIELD_NAME];
    snprintf(field, sizeof field, "%s.motion_table", owner);
    if (turns(motion) || shifts(motion))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s.%s is set, expected none beside motion_table", owner,
                         turns(motion) ? "turn" : "motion");
    return mote_motion_table_check(motion, field, error);
}

mote_result mote_motion_check_allowed(const mote_simulation_def *def, const char *field, mote_error *error)
{
    if (def->has_grains)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "%s is set, expected none in a scene with grains", field);
    if (def->fluid.solver == MOTE_SOLVER_WEAK) return MOTE_OK;
    return mote_fail(
        error, MOTE_ERROR_UNSUPPORTED, 0,
        "%s is set, expected none with solver \"onderik\": walls that move need fluid.preset \"engineering\"", field);
}

mote_result mote_motion_check(const mote_simulation_def *def, const mote_motion *motion, const char *owner,
                              mote_error *error)
{
    char field[FIELD_NAME];
    if (!mote_motion_is_set(motion)) return MOTE_OK;
    snprintf(field, sizeof field, "%s.%s", owner,
             has_table(motion) ? "motion_table" : turns(motion) ? "turn" : "motion");
    mote_result result = mote_motion_check_allowed(def, field, error);
    if (result == MOTE_OK && has_table(motion)) result = check_table(motion, owner, error);
    if (result != MOTE_OK) return result;
    const bool is_turned = turns(motion) || has_column(motion, 1 + TURN);
    if (is_turned && mote_vec3_length(motion->axis) == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s.turn_axis is [0, 0, 0], expected a direction", owner);
    if (is_turned && def->fluid.dimensions == 2 && (motion->axis.x != 0 || motion->axis.z != 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s.turn_axis is [%g, %g, %g], expected [0, 1, 0] in 2D", owner,
                         motion->axis.x, motion->axis.y, motion->axis.z);
    if (def->fluid.dimensions == 2 && (motion->shift_text[1] || motion->shift.y != 0 || has_column(motion, 2)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s.motion moves along y, expected 0 there in 2D", owner);
    if (is_turned && def->has_periodic)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "%s.turn is set, expected none in a periodic box", owner);
    return MOTE_OK;
}

void mote_motion_find_axes(const mote_motion *motion, bool axes[3])
{
    const double shift[3] = {motion->shift.x, motion->shift.y, motion->shift.z};
    const double along[3] = {motion->axis.x, motion->axis.y, motion->axis.z};
    const bool is_turned = turns(motion) || has_column(motion, 1 + TURN);
    for (int k = 0; k < 3; ++k) {
        axes[k] = motion->shift_text[k] || shift[k] != 0 || has_column(motion, 1 + (size_t)k);
        // Turns about an axis leave the coordinate along it.
        axes[k] |= is_turned && (along[(k + 1) % 3] != 0 || along[(k + 2) % 3] != 0);
    }
}

// How far a box reaches from the center of the turns along their axis, downwards or upwards.
static double along_axis(mote_box box, const mote_motion *motion, mote_vec3 axis, double side)
{
    const mote_vec3 corner = {side * axis.x > 0 ? box.max.x : box.min.x, side * axis.y > 0 ? box.max.y : box.min.y,
                              side * axis.z > 0 ? box.max.z : box.min.z};
    return mote_vec3_dot(mote_vec3_sub(corner, motion->center), axis);
}

mote_box mote_motion_sweep(mote_box box, const mote_motion *motion)
{
    const double shift[3] = {motion->shift.x, motion->shift.y, motion->shift.z};
    const double center[3] = {motion->center.x, motion->center.y, motion->center.z};
    const mote_vec3 axis = mote_vec3_unit(motion->axis);
    const double reach = mote_motion_reach(box, motion), along[3] = {axis.x, axis.y, axis.z};
    const double lowest = along_axis(box, motion, axis, -1), highest = along_axis(box, motion, axis, 1);
    double *low = &box.min.x, *high = &box.max.x;
    bool axes[3];
    mote_motion_find_axes(motion, axes);
    for (size_t k = 0; k < 3; ++k) {
        const bool is_shifted = motion->shift_text[k] || shift[k] != 0 || has_column(motion, 1 + k);
        const double other[2] = {along[(k + 1) % 3], along[(k + 2) % 3]};
        const double across = reach * sqrt(other[0] * other[0] + other[1] * other[1]);  // 1 − along² would cancel
        const double ends[2] = {along[k] * lowest, along[k] * highest};
        if (axes[k]) {
            low[k] = center[k] + MOTE_MIN(ends[0], ends[1]) - across;
            high[k] = center[k] + MOTE_MAX(ends[0], ends[1]) + across;
        }
        if (is_shifted) low[k] = -HUGE_VAL, high[k] = HUGE_VAL;
    }
    return box;
}

double mote_motion_reach(mote_box box, const mote_motion *motion)
{
    if (!mote_motion_is_set(motion)) return 0;
    const mote_vec3 axis = mote_vec3_unit(motion->axis);
    double reach = 0;
    for (int k = 0; k < 8; ++k) {
        const mote_vec3 corner = mote_vec3_make(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                                k & 4 ? box.max.z : box.min.z);
        const mote_vec3 arm = mote_vec3_sub(corner, motion->center);
        reach = MOTE_MAX(reach, mote_vec3_length(mote_vec3_cross(axis, arm)));
    }
    return reach;
}

mote_result mote_motion_open(mote_context *context, const mote_motion *def, simulation_motion *motion,
                             mote_error *error)
{
    const char *const texts[4] = {def->shift_text[0], def->shift_text[1], def->shift_text[2], def->turn_text};
    const double numbers[4] = {def->shift.x, def->shift.y, def->shift.z, def->turn};
    motion->center = def->center;
    motion->moves = mote_motion_is_set(def);
    if (!motion->moves) return MOTE_OK;
    motion->axis = mote_vec3_unit(def->axis);
    mote_result result = MOTE_OK;
    if (def->table) {
        result = mote_motion_table_create(context, def, &motion->table);
        return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "simulation: no memory for motions");
    }
    for (int k = 0; k < 4 && result == MOTE_OK; ++k) {
        char name[FIELD_NAME];
        name_field(motion, k, name);
        motion->numbers[k] = numbers[k];
        result = mote_motion_compile(context, texts[k], name, &motion->expressions[k], error);
    }
    return result;
}

void mote_motion_close(simulation_motion *motion)
{
    for (int k = 0; k < 4; ++k) mote_expression_destroy(motion->expressions[k]);
    mote_motion_table_destroy(motion->table);
}

size_t mote_motion_byte_count(const simulation_motion *motion)
{
    size_t bytes = mote_motion_table_byte_count(motion->table);
    for (int k = 0; k < 4; ++k) bytes += mote_expression_byte_count(motion->expressions[k]);
    return bytes;
}

// The motion at a time.
static mote_result find_motion(const simulation_motion *motion, double time, mote_boundary_motion *found,
                               mote_error *error)
{
    double all[4][3];
    if (motion->table) mote_motion_table_derive(motion->table, time, all);
    for (int k = 0; k < 4 && !motion->table; ++k) {
        char name[FIELD_NAME];
        name_field(motion, k, name);
        const mote_result result =
            mote_motion_derive(motion->expressions[k], motion->numbers[k], time, name, all[k], error);
        if (result != MOTE_OK) return result;
    }
    *found = mote_boundary_motion_default();
    found->center = motion->center;
    found->place = mote_vec3_make(all[0][0], all[1][0], all[2][0]);
    found->velocity = mote_vec3_make(all[0][1], all[1][1], all[2][1]);
    found->acceleration = mote_vec3_make(all[0][2], all[1][2], all[2][2]);
    found->rotation = mote_vec3_scale(motion->axis, degree * all[TURN][0]);
    found->spin = mote_vec3_scale(motion->axis, degree * all[TURN][1]);
    found->spin_rate = mote_vec3_scale(motion->axis, degree * all[TURN][2]);
    return MOTE_OK;
}

mote_result mote_motion_check_way(double way, double spacing, double from, double to, const char *field,
                                  mote_error *error)
{
    if (!(way > spacing) || !(to > from)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "%s jumps: by %g m from t = %g s to %g s, expected at most a spacing, %g m, in a step", field, way,
                     from, to, spacing);
}

mote_result mote_motion_check_jumps(const simulation_motion *motion, double step, mote_error *error)
{
    if (!motion->table) return MOTE_OK;
    const size_t row = mote_motion_table_find_jump(motion->table, motion->spacing, step, degree * motion->reach);
    if (row == 0) return MOTE_OK;
    char name[FIELD_NAME];
    name_field(motion, WHOLE, name);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, row,
                     "%s jumps: from row %zu to row %zu by more than a spacing, %g m, within a step of %.3g s, "
                     "expected at most a spacing",
                     name, row, row + 1, motion->spacing, step);
}

mote_result mote_motion_place(simulation_motion *motion, double from, double to, mote_error *error)
{
    if (!motion->moves) return MOTE_OK;
    mote_boundary_motion first, last;
    mote_result result = find_motion(motion, from, &first, error);
    if (result == MOTE_OK) result = find_motion(motion, to, &last, error);
    if (result != MOTE_OK) return result;
    char name[FIELD_NAME];
    name_field(motion, WHOLE, name);
    const double turn = mote_vec3_length(mote_vec3_sub(last.rotation, first.rotation));
    const double way = mote_vec3_length(mote_vec3_sub(last.place, first.place)) + turn * motion->reach;
    result = mote_motion_check_way(way, motion->spacing, from, to, name, error);
    if (result != MOTE_OK) return result;
    motion->now = last;
    motion->before = mote_rigid_pose_of(&first);
    motion->pose = mote_rigid_pose_of(&last);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------ of all objects

mote_result mote_simulation_move_walls(mote_simulation *simulation, double from, double to, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->move_walls) result = object->kind->move_walls(object->state, from, to, error);
    }
    return result;
}

mote_result mote_simulation_tell_motions(const mote_simulation *simulation, mote_fluid *fluid, bool at_once,
                                         mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        const object_kind *kind = object->kind;
        for (uint32_t part = 0; object->boundary > 0 && part < MOTE_WALL_PARTS && result == MOTE_OK; ++part) {
            mote_boundary_motion motion;
            const bool moves = kind->motion_of && kind->motion_of(object->state, part, &motion);
            if (!moves) motion = mote_boundary_motion_default();
            if (!(kind->belt_of && kind->belt_of(object->state, part, &motion.belt)) && !moves)
                continue;
            motion.at_once = at_once;
            result = mote_fluid_set_boundary_motion(fluid, object->boundary + part, &motion, error);
        }
    }
    return result;
}

bool mote_simulation_has_motions(const mote_simulation *simulation)
{
    mote_boundary_motion unused;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        for (uint32_t part = 0; object->kind->motion_of && part < MOTE_WALL_PARTS; ++part)
            if (object->kind->motion_of(object->state, part, &unused)) return true;
    }
    return false;
}
