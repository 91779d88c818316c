// SPDX-License-Identifier: MIT
// Boxes that absorb waves: in every step of the fluid, however particles divide it into steps of their own, the
// velocity of a particle inside is divided by 1 + β dt. So that little is sent back where the box begins, β grows from
// 0 with the square of the depth in the box, in the direction from which waves come: from those upright sides that lie
// inside the tank. The energy of a wave is half motion, so that its amplitude falls by exp(−∫β/2 dx/c) at the group
// speed c on each of its two ways, to the end of the box and back.

#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double default_ways = 12;  // β L/sqrt(gH) at the end: what comes back is exp(−12/3) or less

// A box, and how deep it is from the sides where β begins: 0 along an axis without such sides.
typedef struct damping_box {
    double min[3], max[3];
    bool from_min[3], from_max[3];
    double length[3];
    double strength;
} damping_box;

typedef struct damping_object {
    damping_box *boxes;
    size_t count;
    int dimensions;
    double step;      // [s]
    char remark[64];  // a box that lies outside the tank; "" if there is none
} damping_object;

static const mote_field fields[] = {
    {.name = "min", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(mote_damping_def, min),
     .flags = MOTE_FIELD_REQUIRED, .min = -1e6, .max = 1e6, .meaning = "lower corner; y is ignored in 2D"},
    {.name = "max", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(mote_damping_def, max),
     .flags = MOTE_FIELD_REQUIRED, .min = -1e6, .max = 1e6, .meaning = "upper corner"},
    {.name = "strength", .type = MOTE_FIELD_NUMBER, .unit = "1/s", .offset = offsetof(mote_damping_def, strength),
     .flags = MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6, .initial = {NAN},
     .meaning = "how fast velocities decay at the end of the box, from 0 where it begins: at its upright sides inside "
                "the tank; default: 12 sqrt(gH) over its length from there"},
};

static const mote_field_table table = {"damping", "boxes that absorb waves", fields,
                                       sizeof fields / sizeof fields[0]};

const mote_field_table *mote_damping_fields(void)
{
    return &table;
}

mote_damping_def mote_damping_default_def(void)
{
    mote_damping_def def = {.strength = 0};
    mote_fields_set_defaults(&table, &def);
    return def;
}

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    (void)context;
    for (size_t k = 0; k < def->damping_count; ++k) {
        const mote_damping_def *box = &def->damping[k];
        mote_error own = {0};
        if (mote_fields_check(&table, box, &own) != MOTE_OK)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "damping[%zu]: %s", k, own.text);
        const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
        for (int a = 0; a < 3; ++a)
            if (!(high[a] > low[a]) && !(def->fluid.dimensions == 2 && a == 1))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                                 "damping[%zu]: max %c is %g, expected a number above min %c, %g", k, "xyz"[a], high[a],
                                 "xyz"[a], low[a]);
        if (!mote_simulation_has_fluid(def))
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, k, "damping[%zu]: there is no fluid, expected blocks", k);
    }
    return MOTE_OK;
}

// Sides beyond which there is no water do not count.
static damping_box make_box(const mote_simulation_def *def, const mote_damping_def *from)
{
    damping_box box = {.min = {from->min.x, from->min.y, from->min.z}, .max = {from->max.x, from->max.y, from->max.z}};
    const mote_tank_def *tank = &def->tank;
    const double low[3] = {tank->min.x, tank->min.y, tank->min.z}, high[3] = {tank->max.x, tank->max.y, tank->max.z};
    double shortest = HUGE_VAL;
    for (int a = 0; a < 2; ++a) {
        if (def->fluid.dimensions == 2 && a == 1) continue;
        box.from_min[a] = !def->has_tank || box.min[a] > low[a];
        box.from_max[a] = !def->has_tank || box.max[a] < high[a];
        if (!box.from_min[a] && !box.from_max[a]) continue;
        box.length[a] = (box.max[a] - box.min[a]) / (box.from_min[a] && box.from_max[a] ? 2 : 1);
        shortest = MOTE_MIN(shortest, box.length[a]);
    }
    if (shortest == HUGE_VAL) shortest = MOTE_MAX(box.max[0] - box.min[0], box.max[1] - box.min[1]);
    const double speed = sqrt(mote_vec3_length(def->fluid.gravity) * mote_blocks_depth(def));
    box.strength = isnan(from->strength) ? default_ways * speed / shortest : from->strength;
    return box;
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    if (def->damping_count == 0) return MOTE_OK;
    damping_object *object = mote_simulation_add(simulation, &mote_kind_damping, "damping", error);
    if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
    object->boxes = mote_allocate(simulation->context, mote_bytes(def->damping_count, sizeof *object->boxes));
    if (!object->boxes) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for damping");
    object->count = def->damping_count;
    object->dimensions = def->fluid.dimensions;
    for (size_t k = 0; k < def->damping_count; ++k) {
        object->boxes[k] = make_box(def, &def->damping[k]);
        if (!*object->remark && mote_tank_is_apart(def, def->damping[k].min, def->damping[k].max))
            snprintf(object->remark, sizeof object->remark, "damping[%zu] lies outside the tank", k);
    }
    return MOTE_OK;
}

static void destroy(mote_simulation *simulation, void *state)
{
    const damping_object *object = state;
    mote_release(simulation->context, object->boxes, mote_bytes(object->count, sizeof *object->boxes));
}

// β at a place; 0 outside.
static double rate_at(const damping_box *box, const double at[3], int dimensions)
{
    double share = 1;
    for (int a = 0; a < 3; ++a) {
        if (dimensions == 2 && a == 1) continue;
        if (!(at[a] >= box->min[a] && at[a] <= box->max[a])) return 0;
        if (box->from_min[a]) share = MOTE_MIN(share, (at[a] - box->min[a]) / box->length[a]);
        if (box->from_max[a]) share = MOTE_MIN(share, (box->max[a] - at[a]) / box->length[a]);
    }
    return box->strength * share * share;
}

static void damp(const void *state, mote_vec3 place, mote_vec3 *velocity)
{
    const damping_object *object = state;
    const double at[3] = {place.x, place.y, place.z};
    double rate = 0;
    for (size_t k = 0; k < object->count; ++k)
        rate = MOTE_MAX(rate, rate_at(&object->boxes[k], at, object->dimensions));
    if (rate > 0) *velocity = mote_vec3_scale(*velocity, 1 / (1 + rate * object->step));
}

// Nothing moves; but steps begin here.
static mote_result move_walls(void *state, double from, double to, mote_error *error)
{
    (void)error;
    ((damping_object *)state)->step = to - from;
    return MOTE_OK;
}

static size_t byte_count(const void *state)
{
    return ((const damping_object *)state)->count * sizeof(damping_box);
}

const object_kind mote_kind_damping = {
    .name = "damping",
    .state_bytes = sizeof(damping_object),
    .remark = offsetof(damping_object, remark),
    .check = check,
    .create = create,
    .destroy = destroy,
    .damp = damp,
    .move_walls = move_walls,
    .byte_count = byte_count,
};
