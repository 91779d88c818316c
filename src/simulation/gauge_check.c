// SPDX-License-Identifier: MIT
// What gauges are refused for, what they derive from the def, and where those are that move. Messages begin with the
// path of the field in a scene.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/gauges.h"

static const double column_radius = 1.5;  // spacings: of the column in which a height is found
static const char *const side_names[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
enum { SIDES = 6 };

static double component(mote_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static bool is_used(const mote_simulation_def *def, int axis)
{
    return axis != 1 || def->fluid.dimensions == 3;
}

// ------------------------------------------------------------------------------------------------------------- fields

static bool is_named(const char *const *names, const char *name)
{
    for (; *names; ++names)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

// A kind's fields are set, and no others.
static mote_result check_fields(const mote_gauge_def *gauge, size_t k, mote_error *error)
{
    const mote_gauge_kind_info *kind = mote_gauge_kind_at((size_t)gauge->kind);
    const mote_field_table *table = mote_gauge_fields();
    for (size_t f = 0; f < table->count; ++f) {
        const mote_field *field = &table->fields[f];
        const bool is_optional = field->type == MOTE_FIELD_VECTOR || strcmp(field->name, "of") == 0;
        if (!is_optional) continue;
        char value[100], expected[100];
        mote_field_value_text(field, gauge, value, sizeof value);
        const bool is_set = strcmp(value, "null") != 0 && strncmp(value, "[null, null, null", 17) != 0;
        mote_field_expected_text(field, expected, sizeof expected);
        if (!is_set && is_named(kind->needs, field->name))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "gauges[%zu].%s is missing, expected %s, as kind \"%s\" "
                             "needs it", k, field->name, expected, kind->name);
        if (is_set && !is_named(kind->needs, field->name) && !is_named(kind->takes, field->name))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "gauges[%zu].%s is %s, expected no %s, as kind \"%s\" does "
                             "not use it", k, field->name, value, field->name, kind->name);
    }
    return MOTE_OK;
}

static mote_result refuse_corner(const mote_gauge_def *gauge, size_t k, const char *expected, mote_error *error)
{
    const mote_vec3 max = gauge->max;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "gauges[%zu].max is [%g, %g, %g], expected %s", k, max.x, max.y,
                     max.z, expected);
}

// A box, or for a flow a rectangle (in 2D a line).
static mote_result check_box(const mote_simulation_def *def, const mote_gauge_def *gauge, size_t k, mote_error *error)
{
    int flat = 0;
    if (isnan(gauge->min.x) != isnan(gauge->max.x))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "gauges[%zu].%s is missing, expected min and max, or neither",
                         k, isnan(gauge->min.x) ? "min" : "max");
    if (isnan(gauge->min.x)) return MOTE_OK;
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_used(def, axis)) continue;
        const double low = component(gauge->min, axis), high = component(gauge->max, axis);
        flat += low == high;
        if (low > high) return refuse_corner(gauge, k, "at least min along each axis", error);
    }
    if (gauge->kind == MOTE_GAUGE_FLOW && flat != 1)
        return refuse_corner(gauge, k, "a rectangle: equal to min along one axis, more along the others", error);
    return MOTE_OK;
}

// The number of a side of the tank or of a solid; −1: there is none of that name.
static int find_side(const mote_simulation_def *def, const char *of)
{
    const mote_tank_def *tank = &def->tank;
    const bool open[SIDES] = {tank->open_x_min, tank->open_x_max, tank->open_y_min,
                              tank->open_y_max, tank->open_z_min, tank->open_z_max};
    for (int side = 0; def->has_tank && of && side < SIDES; ++side)
        if (strcmp(side_names[side], of) == 0) return open[side] || !is_used(def, side / 2) ? -1 : side;
    for (size_t k = 0; of && k < def->solid_count; ++k)
        if (def->solids[k].name && strcmp(def->solids[k].name, of) == 0) return SIDES + (int)k;
    return -1;
}

// ------------------------------------------------------------------------------------------------------------- places

static bool has_text(const mote_gauge_def *gauge)
{
    return gauge->at_text[0] || gauge->at_text[1] || gauge->at_text[2];
}

mote_result mote_gauge_open_place(mote_context *context, gauge_object *gauge, size_t number, mote_error *error)
{
    mote_result result = MOTE_OK;
    gauge->number = number;
    gauge->moves = has_text(&gauge->def);
    for (int axis = 0; axis < 3 && result == MOTE_OK; ++axis) {
        char name[48];
        snprintf(name, sizeof name, "gauges[%zu].at[%d]", number, axis);
        result = mote_motion_compile(context, gauge->def.at_text[axis], name, &gauge->place[axis], error);
    }
    return result;
}

void mote_gauge_close_place(gauge_object *gauge)
{
    for (int axis = 0; axis < 3; ++axis) mote_expression_destroy(gauge->place[axis]);
}

// The column of a height ends at the sides of the tank: beyond them there is never any fluid.
static mote_box find_column(const gauge_object *gauge)
{
    mote_box column = mote_box_grow((mote_box){gauge->def.at, gauge->def.at}, column_radius * gauge->spacing);
    column.min = mote_vec3_max(column.min, gauge->sides.min);
    column.max = mote_vec3_min(column.max, gauge->sides.max);
    return column;
}

mote_result mote_gauge_move(gauge_object *gauge, double time, mote_error *error)
{
    if (!gauge->moves) return MOTE_OK;
    const mote_field *field = mote_fields_find(mote_gauge_fields(), "at");
    mote_vec3 *at = &gauge->def.at;
    double *const place[3] = {&at->x, &at->y, &at->z};
    for (int axis = 0; axis < 3; ++axis) {
        if (!gauge->place[axis] || (axis == 1 && gauge->dimensions == 2)) continue;
        *place[axis] = mote_expression_evaluate(gauge->place[axis], &time);
        if (*place[axis] >= field->min && *place[axis] <= field->max) continue;
        return mote_fail(error, MOTE_ERROR_ARGUMENT, gauge->number,
                         "gauges[%zu].at[%d] is %g at t = %g s, expected a number from %.15g to %.15g [m]",
                         gauge->number, axis, *place[axis], time, field->min, field->max);
    }
    gauge->column = find_column(gauge);
    return MOTE_OK;
}

// Where it is at the start.
static mote_result find_start(mote_context *context, const mote_simulation_def *def, size_t k, mote_gauge_def *gauge,
                              mote_error *error)
{
    gauge_object object = {.def = *gauge, .dimensions = def->fluid.dimensions, .spacing = def->fluid.spacing};
    mote_result result = mote_gauge_open_place(context, &object, k, error);
    if (result == MOTE_OK) result = mote_gauge_move(&object, 0, error);
    mote_gauge_close_place(&object);
    gauge->at = object.def.at;
    return result;
}

// The box around the tank, all blocks and all solids. On open sides fluid may leave it: there it is wider by its own
// size.
static mote_box find_everything(const mote_simulation_def *def)
{
    const mote_tank_def *tank = &def->tank;
    mote_box box = mote_box_empty();
    if (def->has_tank) box = mote_box_union(box, (mote_box){tank->min, tank->max});
    for (size_t k = 0; k < def->block_count; ++k)
        box = mote_box_union(box, mote_block_box(&def->blocks[k], def->fluid.dimensions));
    for (size_t k = 0; k < def->solid_count; ++k)
        if (def->solids[k].mesh) box = mote_box_union(box, mote_mesh_box(def->solids[k].mesh));
    const mote_vec3 size = mote_vec3_sub(box.max, box.min);
    const double wide = MOTE_MAX(size.x, MOTE_MAX(size.y, size.z)), narrow = def->fluid.spacing;
    const bool all = !def->has_tank;
    box.min.x -= all || tank->open_x_min ? wide : narrow, box.max.x += all || tank->open_x_max ? wide : narrow;
    box.min.y -= all || tank->open_y_min ? wide : narrow, box.max.y += all || tank->open_y_max ? wide : narrow;
    box.min.z -= all || tank->open_z_min ? wide : narrow, box.max.z += all || tank->open_z_max ? wide : narrow;
    return box;
}

// A gauge that sees nothing but empty space is a mistake, most often in a unit.
static mote_result check_place(const mote_simulation_def *def, const mote_gauge_def *gauge, size_t k,
                               mote_error *error)
{
    const mote_box all = find_everything(def);
    const bool has_box = !isnan(gauge->min.x), is_line = gauge->kind == MOTE_GAUGE_HEIGHT;
    if (gauge->kind == MOTE_GAUGE_MOMENT || (!has_box && isnan(gauge->at.x))) return MOTE_OK;
    const mote_vec3 low = has_box ? gauge->min : gauge->at, high = has_box ? gauge->max : gauge->at;
    for (int axis = 0; axis < 3; ++axis) {
        const double least = component(all.min, axis), most = component(all.max, axis);
        const bool above = component(low, axis) > most, below = component(high, axis) < least;
        if (!is_used(def, axis) || (is_line && axis == 2) || (!above && !below)) continue;
        const char *name = !has_box ? "at" : above ? "min" : "max";
        const mote_vec3 where = above ? low : high;
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "gauges[%zu].%s is [%g, %g, %g], which is outside everything, expected a place from %g to %g "
                         "along %c", k, name, where.x, where.y, where.z, least, most, "xyz"[axis]);
    }
    return MOTE_OK;
}

static mote_result check_direction(const mote_simulation_def *def, const mote_gauge_def *gauge, size_t k,
                                   mote_error *error)
{
    const mote_vec3 way = gauge->direction;
    if (isnan(way.x) || way.x != 0 || (is_used(def, 1) && way.y != 0) || way.z != 0) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "gauges[%zu].direction is [%g, %g, %g], expected one that is not 0",
                     k, way.x, way.y, way.z);
}

static mote_result check_gauge(mote_context *context, const mote_simulation_def *def, size_t k, mote_error *error)
{
    mote_gauge_def start = def->gauges[k];
    const mote_gauge_def *gauge = &start;
    mote_result result = mote_fields_check(mote_gauge_fields(), gauge, error);
    if (result == MOTE_OK) result = check_fields(gauge, k, error);
    if (result == MOTE_OK && has_text(gauge)) result = find_start(context, def, k, &start, error);
    if (result == MOTE_OK) result = check_box(def, gauge, k, error);
    if (result == MOTE_OK) result = check_direction(def, gauge, k, error);
    if (result == MOTE_OK) result = check_place(def, gauge, k, error);
    if (result != MOTE_OK) return result;
    if (gauge->of && find_side(def, gauge->of) < 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "gauges[%zu].of is \"%.64s\", expected a closed side of the tank, as \"x_min\", or the name "
                         "of a solid", k, gauge->of);
    return MOTE_OK;
}

mote_result mote_gauges_check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    mote_result result = MOTE_OK;
    if (def->gauge_count > 0 && !mote_simulation_has_fluid(def))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "gauges[0] has no fluid to measure, expected blocks, or no gauges");
    for (size_t k = 0; k < def->gauge_count && result == MOTE_OK; ++k) result = check_gauge(context, def, k, error);
    return result;
}

// ---------------------------------------------------------------------------------------------------- derived values

static mote_box find_sides(const mote_simulation_def *def)
{
    const mote_tank_def *tank = &def->tank;
    mote_box sides = mote_gauge_everywhere();
    if (!def->has_tank) return sides;
    if (!tank->open_x_min) sides.min.x = tank->min.x;
    if (!tank->open_x_max) sides.max.x = tank->max.x;
    if (!tank->open_y_min) sides.min.y = tank->min.y;
    if (!tank->open_y_max) sides.max.y = tank->max.y;
    return sides;
}

// How far the tank reaches along a direction: to its furthest corner, if all sides that meet there are closed.
static double find_limit(const mote_simulation_def *def, mote_vec3 way)
{
    const mote_tank_def *tank = &def->tank;
    const bool open_min[3] = {tank->open_x_min, tank->open_y_min, tank->open_z_min};
    const bool open_max[3] = {tank->open_x_max, tank->open_y_max, tank->open_z_max};
    double limit = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double along = component(way, axis);
        if (along == 0) continue;
        if (!def->has_tank || (along > 0 ? open_max[axis] : open_min[axis])) return HUGE_VAL;
        limit += along * component(along > 0 ? tank->max : tank->min, axis);
    }
    return limit;
}

static gauge_passes find_passes(const mote_simulation_def *def, const mote_gauge_def *gauge)
{
    const int dimensions = def->fluid.dimensions;
    const mote_period_def *periodic = &def->periodic;
    const bool is_periodic[3] = {periodic->x, periodic->y && dimensions == 3, periodic->z};
    gauge_passes passes = {.min = gauge->min, .max = gauge->max};
    for (int axis = 0; axis < 3 && def->has_periodic; ++axis)
        if (is_periodic[axis])
            passes.period[axis] = component(periodic->max, axis) - component(periodic->min, axis);
    for (int axis = 0; axis < 3; ++axis) {
        if ((axis == 1 && dimensions == 2) || component(gauge->min, axis) != component(gauge->max, axis)) continue;
        passes.axis = axis;
        passes.plane = component(gauge->min, axis);
    }
    if (dimensions == 2) passes.min.y = -HUGE_VAL, passes.max.y = HUGE_VAL;
    return passes;
}

void mote_gauge_prepare(gauge_object *gauge, const mote_simulation_def *def)
{
    mote_gauge_def *own = &gauge->def;
    const bool flat = def->fluid.dimensions == 2;
    gauge->dimensions = def->fluid.dimensions;
    if (own->kind == MOTE_GAUGE_MOMENT && isnan(own->at.x)) own->at = mote_vec3_make(0, 0, 0);
    if (flat) own->at.y = 0;
    gauge->box = isnan(own->min.x) ? mote_gauge_everywhere() : (mote_box){own->min, own->max};
    if (flat) gauge->box.min.y = -HUGE_VAL, gauge->box.max.y = HUGE_VAL;
    mote_vec3 way = isnan(own->direction.x) ? mote_vec3_make(1, 0, 0) : own->direction;
    if (flat) way.y = 0;
    gauge->direction = mote_vec3_unit(way);
    gauge->limit = find_limit(def, gauge->direction);
    gauge->spacing = def->fluid.spacing;
    gauge->sides = find_sides(def);
    gauge->column = find_column(gauge);
    gauge->floor = def->has_tank && !def->tank.open_z_min ? def->tank.min.z : NAN;
    gauge->side = find_side(def, own->of);
    if (own->kind == MOTE_GAUGE_FLOW) gauge->passes = find_passes(def, own);
}
