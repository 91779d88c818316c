// SPDX-License-Identifier: MIT
// The tank: wall particles behind its sides, and planes that no particle passes.
//
// ceil(h/d) layers of wall particles on the lattice continue the fluid's own lattice behind a side, at d/2, 3d/2, …;
// between two sides the pitch is stretched so that a whole number of particles fits, and their volumes with it. Wall
// particles have pressure, but a finite pressure can be overcome: a particle that still passes a side is put back on
// its plane (Onderik & Ďurikovič 2008 project to the plane, section 5). The planes keep no margin: the pressure of
// the layers already keeps a distance, and a margin would only compress the fluid at the wall.
//
// These are the layers of the boundary "layers", the default; "samples" has the first of them, with volumes that make
// it do for all, and "planes" has none. Those of "field" are bodies without particles (tank_field.c).
//
// A tank may move as a whole; then planes and layers are where its motion (motion.c) has them. Or sides move into it,
// like pistons. The sides beside a piston have the corners, and so go on behind it. Pictures show what moves: pistons
// as boxes as thick as their layers; of a tank its edges, or its sides in 2D, one spacing thick.

#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double rounding = 1e-12;  // of coordinates, after a rotation and back

// The two sides of an axis.
typedef struct tank_axis {
    double min, max;
    bool open_min, open_max;
} tank_axis;

static tank_axis axis_of(const mote_tank_def *tank, int axis)
{
    switch (axis) {
    case 0: return (tank_axis){tank->min.x, tank->max.x, tank->open_x_min, tank->open_x_max};
    case 1: return (tank_axis){tank->min.y, tank->max.y, tank->open_y_min, tank->open_y_max};
    default: return (tank_axis){tank->min.z, tank->max.z, tank->open_z_min, tank->open_z_max};
    }
}

bool mote_tank_is_open(const mote_tank_def *tank, int side)
{
    const tank_axis axis = axis_of(tank, side / 2);
    return side % 2 ? axis.open_max : axis.open_min;
}

// A side that moves into the tank, with its way, velocity and acceleration.
typedef struct tank_piston {
    mote_expression *expression;  // NULL: the number
    bool moves;
    double number, now[3];
} tank_piston;

// The velocity of a side along itself.
typedef struct tank_belt {
    mote_expression *expressions[3];  // NULL: the number
    bool varies;                      // there are expressions, for a fluid that takes them
    mote_vec3 velocity;
} tank_belt;

typedef struct tank_object {
    mote_tank_def tank;
    int dimensions;
    simulation_motion motion;
    tank_piston pistons[6];
    tank_belt belts[6];
    bool has_pistons;
    mote_boundary_kind made;    // what holds a fluid back; AUTO: no fluid has asked
    mote_mesh *mesh;  // of what moves, for pictures; NULL: nothing does
    double spacing, thickness;  // of the fluid, and of a piston in pictures [m]
    const char *remark;         // NULL: none
} tank_object;

static const char *const piston_names[6] = {"tank.motion_x_min", "tank.motion_x_max", "tank.motion_y_min",
                                            "tank.motion_y_max", "tank.motion_z_min", "tank.motion_z_max"};

static const char *const belt_names[6] = {"tank.velocity_x_min", "tank.velocity_x_max", "tank.velocity_y_min",
                                          "tank.velocity_y_max", "tank.velocity_z_min", "tank.velocity_z_max"};

static bool has_text(const mote_belt *belt)
{
    return belt->text[0] || belt->text[1] || belt->text[2];
}

// "tank.velocity_x_min[2]"
enum { BELT_NAME = 32 };
static void name_belt(int side, int axis, char name[BELT_NAME])
{
    snprintf(name, BELT_NAME, "%s[%d]", belt_names[side], axis);
}

// No side has a velocity across itself: what moves it is motion_x_min and so on. The fluid would be pressed, or drawn,
// by what never comes.
static mote_result check_belts(const mote_simulation_def *def, mote_error *error)
{
    const mote_tank_def *tank = &def->tank;
    for (int side = 0; side < 6; ++side) {
        const mote_belt *belt = &tank->belts[side];
        const double across[3] = {belt->velocity.x, belt->velocity.y, belt->velocity.z};
        const char axis = "xyz"[side / 2], *end = side % 2 ? "max" : "min";
        char found[32] = "an expression";
        if (!belt->text[side / 2]) mote_number_text(across[side / 2], found, sizeof found);
        if (belt->text[side / 2] || across[side / 2] != 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "%s is %s along %c, expected 0: the side runs along itself; motion_%c_%s moves it",
                             belt_names[side], found, axis, axis, end);
        if (belt->text[1] && def->fluid.dimensions == 2)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s is an expression along y, expected 0 in 2D",
                             belt_names[side]);
        if (has_text(belt) && mote_motion_is_set(&tank->motion))
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                             "%s is an expression, expected numbers in a tank that moves as a whole (tank.motion, "
                             "tank.turn)",
                             belt_names[side]);
    }
    return MOTE_OK;
}

static bool is_piston(const mote_piston *def)
{
    return def->text || def->way != 0;
}

static mote_result check_pistons(const mote_simulation_def *def, mote_error *error)
{
    const mote_tank_def *tank = &def->tank;
    for (int side = 0; side < 6; ++side) {
        const char *name = piston_names[side];
        if (!is_piston(&tank->pistons[side])) continue;
        const mote_result result = mote_motion_check_allowed(def, name, error);
        if (result != MOTE_OK) return result;
        if (side / 2 == 1 && def->fluid.dimensions == 2)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s is set, expected none along y in 2D", name);
        if (mote_tank_is_open(tank, side))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s is set, expected none where the tank is open", name);
        if (mote_motion_is_set(&tank->motion))
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                             "%s is set, expected none in a tank that moves as a whole (tank.motion, tank.turn)", name);
    }
    return mote_motion_check(def, &tank->motion, "tank", error);
}

// Nothing can be cut out of a field, as wall particles are where fluid flows through, or where a body is.
static mote_result check_field(const mote_simulation_def *def, mote_error *error)
{
    bool moves = mote_motion_is_set(&def->tank.motion);
    for (int side = 0; side < 6; ++side) moves = moves || is_piston(&def->tank.pistons[side]);
    if (moves && def->solid_count > 0)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "tank.boundary is \"field\", expected \"layers\" or \"samples\" where the tank or a side of "
                         "it moves and there are solids");
    if (def->inlet_count + def->outlet_count > 0)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "tank.boundary is \"field\", expected \"layers\" or \"samples\" with inlets or outlets");
    return mote_boundary_check_adhesion(def, "tank.boundary", 0, error);
}

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    (void)context;
    if (!def->has_tank) return MOTE_OK;
    const mote_tank_def *tank = &def->tank;
    const int dimensions = def->fluid.dimensions;
    mote_result result = mote_fields_check(mote_tank_fields(), tank, error);
    const mote_fluid_solver solver = (mote_fluid_solver)def->fluid.solver;
    if (result == MOTE_OK) result = mote_boundary_check(tank->boundary, solver, true, "tank.boundary", error);
    if (result == MOTE_OK && tank->boundary == MOTE_BOUNDARY_FIELD) result = check_field(def, error);
    if (result == MOTE_OK && def->has_periodic && tank->boundary == MOTE_BOUNDARY_SAMPLES)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "tank.boundary is \"samples\", expected \"layers\" in a periodic box");
    const bool is_periodic[3] = {def->periodic.x, def->periodic.y, def->periodic.z};
    const double low[3] = {def->periodic.min.x, def->periodic.min.y, def->periodic.min.z};
    const double high[3] = {def->periodic.max.x, def->periodic.max.y, def->periodic.max.z};
    for (int k = 0; result == MOTE_OK && k < 3; ++k) {
        tank_axis axis = axis_of(tank, k);
        if (dimensions == 2 && k == 1) continue;
        if (def->has_periodic && is_periodic[k] && !(axis.open_min && axis.open_max))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "tank: has a side across %c, along which the fluid is periodic, expected open_%c_min and "
                             "open_%c_max",
                             "xyz"[k], "xyz"[k], "xyz"[k]);
        if (def->has_periodic && is_periodic[k] && (axis.min != low[k] || axis.max != high[k]))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "tank: from %g to %g along %c, expected the periodic box, %g to %g", axis.min, axis.max,
                             "xyz"[k], low[k], high[k]);
        if (!(axis.max > axis.min))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "tank: max %c is %g, expected a number above min %c, %g",
                             "xyz"[k], axis.max, "xyz"[k], axis.min);
    }
    if (result == MOTE_OK) result = check_belts(def, error);
    return result == MOTE_OK ? check_pistons(def, error) : result;
}

// ----------------------------------------------------------------------------------------------- wall particles

// Places along an axis: `layers` of them behind a closed side, `inside` between the sides.
typedef struct axis_places {
    double min, max, spacing, pitch;
    size_t below, inside, above;
} axis_places;

static axis_places places_of(const mote_tank_def *tank, int dimensions, double d, double support, int k)
{
    if (k == 1 && dimensions == 2) return (axis_places){-0.5 * d, 0.5 * d, d, d, 0, 1, 0};  // at y = 0
    tank_axis axis = axis_of(tank, k);
    double width = axis.max - axis.min;
    const mote_boundary_kind kind = mote_boundary_resolve(tank->boundary, MOTE_SOLVER_WEAK, true);
    const size_t layers = mote_boundary_layers(kind, d, support);
    size_t inside = (size_t)MOTE_MIN(MOTE_MAX(1.0, floor(width / d + 0.5)), 0x1p53);
    return (axis_places){
        axis.min, axis.max, d, width / (double)inside, axis.open_min ? 0 : layers, inside, axis.open_max ? 0 : layers};
}

// Place i of an axis, its share of the weight, and whether it is behind a side.
static bool place_at(const axis_places *axis, size_t i, double *place, double *weight)
{
    if (i < axis->below) {
        *place = axis->min - ((double)(axis->below - 1 - i) + 0.5) * axis->spacing;
        *weight = 1;
        return true;
    }
    i -= axis->below;
    if (i < axis->inside) {
        *place = axis->min + ((double)i + 0.5) * axis->pitch;
        *weight = axis->pitch / axis->spacing;
        return false;
    }
    *place = axis->max + ((double)(i - axis->inside) + 0.5) * axis->spacing;
    *weight = 1;
    return true;
}

static size_t place_count(const axis_places *axis)
{
    return axis->below + axis->inside + axis->above;
}

double mote_tank_wall_count(const mote_tank_def *tank, int dimensions, double spacing, double support)
{
    double all[3], inside[3];
    for (int k = 0; k < 3; ++k) {
        const axis_places axis = places_of(tank, dimensions, spacing, support, k);
        all[k] = (double)place_count(&axis);
        inside[k] = (double)axis.inside;
    }
    // All places minus those inside, as a sum without differences of large numbers: exact below 2^53.
    return (all[0] - inside[0]) * all[1] * all[2] + (all[1] - inside[1]) * inside[0] * all[2] +
           (all[2] - inside[2]) * inside[0] * inside[1];
}

// The six sides are parts of the wall. Where sides meet, particles behind both belong to the side across x, then y; but
// not to one that moves, as the sides beside it go on behind it.
static uint32_t part_at(const tank_object *object, const int side[3])
{
    int found = -1;
    for (int k = 0; k < 3; ++k) {
        if (side[k] < 0) continue;
        const bool is_better = found < 0 || (object->pistons[found].moves && !object->pistons[side[k]].moves);
        if (is_better) found = side[k];
    }
    return (uint32_t)found;
}

static bool slips(const mote_tank_def *tank, int side)
{
    const bool alone[6] = {tank->slip_x_min, tank->slip_x_max, tank->slip_y_min,
                           tank->slip_y_max, tank->slip_z_min, tank->slip_z_max};
    return tank->slip || alone[side];
}

// A belt on a side that slips drags nothing along.
static void find_parts(const tank_object *object, point_list *walls)
{
    const mote_tank_def *tank = &object->tank;
    walls->part_count = 6;
    for (int side = 0; side < 6; ++side) {
        walls->of_parts[side] = mote_boundary_default_def();
        walls->of_parts[side].slip = slips(tank, side);
        const bool is_belt = !object->belts[side].varies && !slips(tank, side);
        if (is_belt) walls->of_parts[side].velocity = tank->belts[side].velocity;
    }
}

static mote_result make_walls(mote_simulation *simulation, void *state, const wall_request *request, point_list *walls,
                              mote_error *error)
{
    tank_object *object = state;
    const mote_tank_def *tank = &object->tank;
    axis_places axis[3];
    object->made = mote_boundary_resolve(tank->boundary, request->solver, true);
    for (int k = 0; k < 3; ++k) axis[k] = places_of(tank, request->dimensions, request->spacing, request->support, k);
    const double wanted = mote_tank_wall_count(tank, request->dimensions, request->spacing, request->support);
    const bool is_field = object->made == MOTE_BOUNDARY_FIELD;
    if (wanted > 0 || is_field || tank->boundary == MOTE_BOUNDARY_PLANES) find_parts(object, walls);
    if (is_field) {
        bool moves[MOTE_WALL_PARTS];
        for (int side = 0; side < MOTE_WALL_PARTS; ++side) moves[side] = object->pistons[side].moves;
        mote_tank_make_slabs(tank, request, moves, walls);
    }
    if (wanted == 0) return MOTE_OK;
    walls->is_surface = tank->boundary == MOTE_BOUNDARY_SAMPLES;
    const size_t room = wanted < 0x1p53 ? (size_t)wanted : SIZE_MAX;
    mote_result result =
        mote_buffer_reserve(simulation->context, &walls->positions, mote_bytes(room, 3 * sizeof(double)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(simulation->context, &walls->volumes, mote_bytes(room, sizeof(double)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(simulation->context, &walls->parts, mote_bytes(room, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return mote_fail(error, result, 0, "simulation: no memory for the tank's wall particles");

    double *position = walls->positions.data, *weight = walls->volumes.data;
    uint32_t *part = walls->parts.data;
    size_t count = 0;
    for (size_t iz = 0; iz < place_count(&axis[2]); ++iz)
        for (size_t iy = 0; iy < place_count(&axis[1]); ++iy) {
            double x, y, z, wx, wy, wz;
            bool behind_z = place_at(&axis[2], iz, &z, &wz), behind_y = place_at(&axis[1], iy, &y, &wy);
            if (!behind_z && !behind_y && axis[0].below + axis[0].above == 0) {
                iy = axis[1].below + axis[1].inside - 1;  // whole rows are inside
                continue;
            }
            for (size_t ix = 0; ix < place_count(&axis[0]); ++ix) {
                bool behind_x = place_at(&axis[0], ix, &x, &wx);
                if (!(behind_x || behind_y || behind_z)) {
                    ix = axis[0].below + axis[0].inside - 1;  // the inside of the tank is empty
                    continue;
                }
                position[3 * count] = x, position[3 * count + 1] = y, position[3 * count + 2] = z;
                const int sides[3] = {behind_x ? ix >= axis[0].below : -1, behind_y ? 2 + (iy >= axis[1].below) : -1,
                                      behind_z ? 4 + (iz >= axis[2].below) : -1};
                part[count] = part_at(object, sides);
                weight[count++] = wx * wy * wz;
            }
        }
    walls->count = count;
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------- the planes

// How far a side has moved into the tank [m], and how fast it does [m/s].
static double way_of(const tank_object *object, int side)
{
    return object->pistons[side].moves ? object->pistons[side].now[0] : 0;
}

// The velocity of a side at a place.
static mote_vec3 side_velocity(const tank_object *object, int side, mote_vec3 inwards, mote_vec3 at)
{
    mote_vec3 velocity = {0, 0, 0};
    if (object->motion.moves) velocity = mote_rigid_velocity(&object->motion.now, at);
    if (object->pistons[side].moves) velocity = mote_vec3_scale(inwards, object->pistons[side].now[1]);
    return velocity;
}

// The inside of a tank that stands still: that is where nearly all particles are.
static mote_box free_box(const void *state)
{
    const tank_object *object = state;
    if (object->motion.moves || object->has_pistons) return mote_box_empty();
    return (mote_box){object->tank.min, object->tank.max};
}

// In the frame of the tank; the normal and velocities are in that of the scene.
static void keep_out(const void *state, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity,
                     mote_vec3 changes[MOTE_WALL_PARTS])
{
    (void)from;
    const tank_object *object = state;
    if (mote_box_contains(free_box(object), *position)) return;
    const mote_tank_def *tank = &object->tank;
    const simulation_motion *motion = &object->motion;
    const mote_response response = mote_response_bounce(tank->restitution, tank->friction);
    mote_vec3 home = motion->moves ? mote_rigid_to_home(&motion->pose, *position) : *position;
    double *p[3] = {&home.x, &home.y, &home.z};
    bool is_kept_out = false;
    for (int k = 0; k < 3; ++k) {
        if (object->dimensions == 2 && k == 1) continue;
        const tank_axis axis = axis_of(tank, k);
        const double low = axis.min + way_of(object, 2 * k), high = axis.max - way_of(object, 2 * k + 1);
        double side = 0;
        if (!axis.open_min && *p[k] < low) side = 1;
        if (!axis.open_max && *p[k] > high) side = -1;
        if (side == 0) continue;
        is_kept_out = true;
        *p[k] = side > 0 ? low : high;
        mote_vec3 normal = {k == 0 ? side : 0, k == 1 ? side : 0, k == 2 ? side : 0};
        if (motion->moves) normal = mote_rigid_rotate(&motion->pose, normal);
        const mote_vec3 before = *velocity, surface = side_velocity(object, 2 * k + (side < 0), normal, *position);
        *velocity = mote_response_apply(&response, before, surface, normal);
        mote_vec3 *change = changes ? &changes[2 * k + (side < 0)] : NULL;
        if (change) *change = mote_vec3_add(*change, mote_vec3_sub(*velocity, before));
    }
    if (is_kept_out) *position = motion->moves ? mote_rigid_from_home(&motion->pose, home) : home;
}

bool mote_tank_contains(const mote_tank_def *tank, int dimensions, mote_vec3 position)
{
    const double p[3] = {position.x, position.y, position.z};
    for (int k = 0; k < 3; ++k) {
        if (dimensions == 2 && k == 1) continue;
        tank_axis axis = axis_of(tank, k);
        if ((!axis.open_min && !(p[k] >= axis.min)) || (!axis.open_max && !(p[k] <= axis.max))) return false;
    }
    return true;
}

mote_tank_def mote_tank_open_along(const mote_tank_def *tank, const bool axes[3])
{
    mote_tank_def open = *tank;
    if (axes[0]) open.open_x_min = open.open_x_max = true;
    if (axes[1]) open.open_y_min = open.open_y_max = true;
    if (axes[2]) open.open_z_min = open.open_z_max = true;
    return open;
}

double mote_tank_distance_beyond(const mote_tank_def *tank, int dimensions, mote_vec3 position)
{
    const double p[3] = {position.x, position.y, position.z};
    double most = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        if (dimensions == 2 && k == 1) continue;
        const tank_axis axis = axis_of(tank, k);
        if (!axis.open_min) most = MOTE_MAX(most, axis.min - p[k]);
        if (!axis.open_max) most = MOTE_MAX(most, p[k] - axis.max);
    }
    return most;
}

bool mote_tank_is_apart(const mote_simulation_def *def, mote_vec3 min, mote_vec3 max)
{
    const double low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    if (!def->has_tank || mote_motion_is_set(&def->tank.motion)) return false;
    for (int k = 0; k < 3; ++k) {
        if (def->fluid.dimensions == 2 && k == 1) continue;
        const tank_axis axis = axis_of(&def->tank, k);
        if (high[k] < axis.min || low[k] > axis.max) return true;
    }
    return false;
}

static bool contains(const void *state, mote_vec3 place)
{
    const tank_object *object = state;
    if (!object->motion.moves && !object->has_pistons)
        return mote_tank_contains(&object->tank, object->dimensions, place);
    // A particle on a side that has turned is beyond it by rounding.
    const mote_vec3 home = object->motion.moves ? mote_rigid_to_home(&object->motion.pose, place) : place;
    mote_tank_def now = object->tank;
    double *low[3] = {&now.min.x, &now.min.y, &now.min.z}, *high[3] = {&now.max.x, &now.max.y, &now.max.z};
    for (int k = 0; k < 3; ++k) {
        const double slack = object->motion.moves ? rounding * (fabs(*low[k]) + fabs(*high[k])) : 0;
        *low[k] += way_of(object, 2 * k) - slack;
        *high[k] -= way_of(object, 2 * k + 1) - slack;
    }
    return mote_tank_contains(&now, object->dimensions, home);
}

// ---------------------------------------------------------------------------------------------------- its motion

static mote_result move_piston(tank_object *object, int side, double from, double time, mote_error *error)
{
    tank_piston *piston = &object->pistons[side];
    double now[3];
    mote_result result = mote_motion_derive(piston->expression, piston->number, time, piston_names[side], now, error);
    if (result == MOTE_OK)
        result = mote_motion_check_way(fabs(now[0] - piston->now[0]), object->spacing, from, time, piston_names[side],
                                       error);
    const tank_axis axis = axis_of(&object->tank, side / 2);
    if (result != MOTE_OK) return result;
    if (now[0] < 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s is %g m at t = %g s, expected at least 0: sides move into the tank, which has to reach as "
                         "far as they do",
                         piston_names[side], now[0], time);
    const double room = axis.max - axis.min - way_of(object, side ^ 1);
    if (now[0] < room) {
        memcpy(piston->now, now, sizeof now);
        return MOTE_OK;
    }
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s is %g m at t = %g s, expected less than the room in the tank, "
                     "%g m", piston_names[side], now[0], time, room);
}

// Its velocity at a time, by a component's expression.
static mote_result run_belt(tank_object *object, int side, double time, mote_error *error)
{
    tank_belt *belt = &object->belts[side];
    const mote_vec3 numbers = object->tank.belts[side].velocity;
    double velocity[3] = {numbers.x, numbers.y, numbers.z};
    for (int k = 0; k < 3; ++k) {
        const mote_field *field = mote_fields_find(mote_tank_fields(), belt_names[side] + sizeof "tank." - 1);
        if (belt->expressions[k]) velocity[k] = mote_expression_evaluate(belt->expressions[k], &time);
        if (velocity[k] >= field->min && velocity[k] <= field->max) continue;
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s[%d] is %g at t = %g s, expected a number from %.15g to %.15g", belt_names[side], k,
                         velocity[k], time, field->min, field->max);
    }
    belt->velocity = mote_vec3_make(velocity[0], velocity[1], velocity[2]);
    return MOTE_OK;
}

static bool belt_of(const void *state, uint32_t part, mote_vec3 *velocity)
{
    const tank_object *object = state;
    const tank_belt *belt = &object->belts[part];
    if (!belt->varies || slips(&object->tank, (int)part)) return false;
    *velocity = belt->velocity;
    return true;
}

static mote_result move_walls(void *state, double from, double to, mote_error *error)
{
    tank_object *object = state;
    mote_result result = mote_motion_place(&object->motion, from, to, error);
    for (int side = 0; side < 6 && result == MOTE_OK; ++side)
        if (object->belts[side].varies) result = run_belt(object, side, to, error);
    for (int side = 0; side < 6 && result == MOTE_OK; ++side)
        if (object->pistons[side].moves) result = move_piston(object, side, from, to, error);
    return result;
}

static mote_result check_start(mote_simulation *simulation, const void *state, const mote_fluid_view *view,
                               double usual_step, mote_error *error)
{
    (void)simulation;
    (void)view;
    return mote_motion_check_jumps(&((const tank_object *)state)->motion, usual_step, error);
}

static bool motion_of(const void *state, uint32_t part, mote_boundary_motion *motion)
{
    const tank_object *object = state;
    *motion = object->motion.now;
    if (object->motion.moves) return true;
    const tank_piston *piston = &object->pistons[part];
    if (!piston->moves) return false;
    *motion = mote_boundary_motion_default();
    const double sign = part % 2 ? -1 : 1;
    mote_vec3 *const all[3] = {&motion->place, &motion->velocity, &motion->acceleration};
    for (int k = 0; k < 3; ++k) {
        double *const axes[3] = {&all[k]->x, &all[k]->y, &all[k]->z};
        *axes[part / 2] = sign * piston->now[k];
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- its pictures

static void set_axis(mote_box *box, int axis, double min, double max)
{
    double *const low[3] = {&box->min.x, &box->min.y, &box->min.z}, *const high[3] = {&box->max.x, &box->max.y,
                                                                                      &box->max.z};
    *low[axis] = min;
    *high[axis] = max;
}

// The tank's inside, and so much around it; in 2D it is one spacing deep.
static mote_box inside_of(const tank_object *object, double around)
{
    const mote_vec3 margin = mote_vec3_make(around, around, around);
    mote_box box = {mote_vec3_sub(object->tank.min, margin), mote_vec3_add(object->tank.max, margin)};
    if (object->dimensions == 2) set_axis(&box, 1, -object->spacing / 2, object->spacing / 2);
    return box;
}

// What is behind a side, so thick, when it has moved so far into the tank.
static void put_behind(const tank_object *object, int side, double way, double thickness, mote_box *box)
{
    const tank_axis axis = axis_of(&object->tank, side / 2);
    if (side % 2) set_axis(box, side / 2, axis.max - way, axis.max - way + thickness);
    else set_axis(box, side / 2, axis.min + way - thickness, axis.min + way);
}

static size_t piston_boxes(const tank_object *object, mote_box boxes[MOTE_BOXES_MOST])
{
    size_t count = 0;
    for (int side = 0; side < 6; ++side) {
        if (!object->pistons[side].moves) continue;
        boxes[count] = inside_of(object, 0);
        put_behind(object, side, way_of(object, side), object->thickness, &boxes[count++]);
    }
    return count;
}

// Of a tank that moves as a whole, where it was at the start: the edges of closed sides, or in 2D these sides.
static size_t frame_boxes(const tank_object *object, mote_box boxes[MOTE_BOXES_MOST])
{
    size_t count = 0;
    const double d = object->spacing;
    for (int a = 0; a < 6; ++a)
        for (int b = object->dimensions == 2 ? a : a - a % 2 + 2; b < 6; ++b) {
            if (object->dimensions == 2 && (b > a || a / 2 == 1)) break;
            if (mote_tank_is_open(&object->tank, a) && mote_tank_is_open(&object->tank, b)) continue;
            boxes[count] = inside_of(object, d);
            put_behind(object, a, 0, d, &boxes[count]);
            put_behind(object, b, 0, d, &boxes[count++]);
        }
    return count;
}

static mote_result create_mesh(mote_simulation *simulation, tank_object *object, mote_error *error)
{
    mote_box boxes[MOTE_BOXES_MOST];
    const size_t count = object->motion.moves ? frame_boxes(object, boxes) : piston_boxes(object, boxes);
    return count ? mote_boxes_mesh(simulation->context, count, &object->mesh, error) : MOTE_OK;
}

static mote_result look(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error)
{
    (void)simulation;
    (void)error;
    const tank_object *object = state;
    mote_box boxes[MOTE_BOXES_MOST];
    view->remark = object->remark;
    if (object->made != MOTE_BOUNDARY_AUTO) view->boundary = mote_boundary_kind_at(object->made)->about.name;
    if (!object->mesh) return MOTE_OK;
    const size_t count = object->motion.moves ? frame_boxes(object, boxes) : piston_boxes(object, boxes);
    for (size_t k = 0; k < count; ++k) mote_boxes_place(object->mesh, k, boxes[k]);
    mote_vec3 *vertices = object->mesh->vertices;
    for (size_t i = 0; object->motion.moves && i < object->mesh->vertex_count; ++i)
        vertices[i] = mote_rigid_from_home(&object->motion.pose, vertices[i]);
    view->name = "moving_sides";
    view->mesh = object->mesh;
    view->mesh_moves = true;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ the object

static bool has_belts(const mote_tank_def *tank)
{
    bool has = false;
    for (int side = 0; side < 6; ++side) {
        const mote_vec3 velocity = tank->belts[side].velocity;
        has = has || has_text(&tank->belts[side]) || mote_vec3_dot(velocity, velocity) > 0;
    }
    return has;
}

static mote_result open_belts(mote_context *context, tank_object *object, bool is_weak, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (int side = 0; side < 6; ++side) {
        const mote_belt *def = &object->tank.belts[side];
        object->belts[side].varies = is_weak && has_text(def);
        for (int k = 0; k < 3 && result == MOTE_OK; ++k) {
            char name[BELT_NAME];
            name_belt(side, k, name);
            result = mote_motion_compile(context, def->text[k], name, &object->belts[side].expressions[k], error);
        }
    }
    return result;
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    if (!def->has_tank) return MOTE_OK;
    tank_object *object = mote_simulation_add(simulation, &mote_kind_tank, "tank", error);
    if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
    const double spacing = def->fluid.spacing;
    *object = (tank_object){.tank = def->tank,
                            .dimensions = def->fluid.dimensions,
                            .motion = {.owner = "tank", .spacing = spacing,
                                       .reach = mote_motion_reach((mote_box){def->tank.min, def->tank.max},
                                                                  &def->tank.motion)},
                            .spacing = spacing,
                            .thickness = isnan(def->fluid.support) ? 3 * spacing : def->fluid.support};
    if (def->fluid.solver != MOTE_SOLVER_WEAK && has_belts(&def->tank))
        object->remark = "without effect with solver \"onderik\": velocities of the tank's sides";
    mote_result result = mote_motion_open(simulation->context, &def->tank.motion, &object->motion, error);
    for (int side = 0; side < 6 && result == MOTE_OK; ++side) {
        const mote_piston *piston = &def->tank.pistons[side];
        object->pistons[side].number = piston->way;
        object->pistons[side].moves = is_piston(piston);
        object->has_pistons |= is_piston(piston);
        result = mote_motion_compile(simulation->context, piston->text, piston_names[side],
                                     &object->pistons[side].expression, error);
    }
    if (result == MOTE_OK)
        result = open_belts(simulation->context, object, def->fluid.solver == MOTE_SOLVER_WEAK, error);
    return result == MOTE_OK ? create_mesh(simulation, object, error) : result;
}

static void resolve(const void *state, mote_simulation_def *def)
{
    const mote_boundary_kind made = ((const tank_object *)state)->made;
    if (made != MOTE_BOUNDARY_AUTO) def->tank.boundary = (int32_t)made;
}

static void destroy(mote_simulation *simulation, void *state)
{
    (void)simulation;
    tank_object *object = state;
    mote_motion_close(&object->motion);
    mote_mesh_destroy(object->mesh);
    for (int side = 0; side < 6; ++side) {
        mote_expression_destroy(object->pistons[side].expression);
        for (int k = 0; k < 3; ++k) mote_expression_destroy(object->belts[side].expressions[k]);
    }
}

static size_t byte_count(const void *state)
{
    const tank_object *object = state;
    size_t bytes = mote_motion_byte_count(&object->motion) + mote_mesh_byte_count(object->mesh);
    for (int side = 0; side < 6; ++side) {
        bytes += mote_expression_byte_count(object->pistons[side].expression);
        for (int k = 0; k < 3; ++k) bytes += mote_expression_byte_count(object->belts[side].expressions[k]);
    }
    return bytes;
}

const object_kind mote_kind_tank = {
    .name = "tank",
    .state_bytes = sizeof(tank_object),
    .check = check,
    .create = create,
    .destroy = destroy,
    .keep_out = keep_out,
    .free_box = free_box,
    .move_walls = move_walls,
    .motion_of = motion_of,
    .belt_of = belt_of,
    .contains = contains,
    .make_walls = make_walls,
    .check_start = check_start,
    .resolve = resolve,
    .look = look,
    .byte_count = byte_count,
};
