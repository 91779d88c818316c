// SPDX-License-Identifier: MIT
// Drains: boxes, balls and discs that swallow the fluid (mote_fluid_add_drain).

#include <math.h>
#include <stdio.h>

#include "simulation/internal.h"

#define LIMIT 1e6
#define AT(member) (offsetof(mote_named_drain, drain) + offsetof(mote_drain, member))
#define VECTOR(member, unit_text, text)                                                                        \
    {                                                                                                          \
        .name = #member, .type = MOTE_FIELD_VECTOR, .unit = unit_text, .offset = AT(member),                   \
        .flags = MOTE_FIELD_OPTIONAL, .min = -LIMIT, .max = LIMIT, .initial = {NAN, NAN, NAN}, .meaning = text \
    }

static const mote_field fields[] = {
    {.name = "name",
     .type = MOTE_FIELD_TEXT,
     .unit = "",
     .offset = offsetof(mote_named_drain, name),
     .flags = MOTE_FIELD_REQUIRED,
     .meaning = "its name in files and messages"},
    VECTOR(min, "m", "of a box, required: lower corner; y is ignored in 2D"),
    VECTOR(max, "m", "of a box, required: upper corner"),
    VECTOR(center, "m", "of a ball or a disc, required: its middle"),
    {.name = "radius",
     .type = MOTE_FIELD_NUMBER,
     .unit = "m",
     .offset = AT(radius),
     .flags = MOTE_FIELD_OPTIONAL,
     .min = 0,
     .max = LIMIT,
     .initial = {NAN},
     .meaning = "of a ball or a disc, required"},
    VECTOR(normal, "", "of a disc, required: across it; it is one spacing thick"),
};
static const mote_field_table table = {"drain", "a box, ball or disc that swallows fluid", fields,
                                       sizeof fields / sizeof fields[0]};

const mote_field_table *mote_named_drain_fields(void)
{
    return &table;
}

typedef struct drain_object {
    const mote_fluid *fluid;
    uint32_t number;
    size_t member;
    const char *name;  // of the def
    char remark[64];   // "": none
} drain_object;

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    (void)context;
    if (def->drain_count > MOTE_OPENINGS_MOST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "drains: %zu of them, expected at most %d", def->drain_count,
                         MOTE_OPENINGS_MOST);
    for (size_t k = 0; k < def->drain_count; ++k) {
        const mote_drain *drain = &def->drains[k].drain;
        mote_error own = {0};
        if (mote_fields_check(&table, &def->drains[k], &own) != MOTE_OK)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "drains[%zu]: %s", k, own.text);
        const bool is_box = !isnan(drain->min.x) && !isnan(drain->max.x), is_round = !isnan(drain->center.x);
        if (is_box == is_round || (is_round && !(drain->radius > 0)))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "drains[%zu] has %s, expected min and max, or center and radius", k,
                             is_box && is_round ? "both shapes" : "no whole shape");
        if (!mote_simulation_has_fluid(def))
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, k, "drains[%zu]: there is no fluid, expected blocks", k);
    }
    return MOTE_OK;
}

static bool is_beyond_tank(const mote_simulation_def *def, const mote_drain *drain)
{
    if (isnan(drain->center.x)) return mote_tank_is_apart(def, drain->min, drain->max);
    const mote_vec3 reach = {drain->radius, drain->radius, drain->radius};
    return mote_tank_is_apart(def, mote_vec3_sub(drain->center, reach), mote_vec3_add(drain->center, reach));
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->drain_count; ++k) {
        drain_object *object = mote_simulation_add(simulation, &mote_kind_drain, def->drains[k].name, error);
        if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
        object->member = k;
        object->name = def->drains[k].name;
        if (is_beyond_tank(def, &def->drains[k].drain))
            snprintf(object->remark, sizeof object->remark, "drains[%zu] lies outside the tank", k);
    }
    return MOTE_OK;
}

static mote_result open(mote_simulation *simulation, void *state, mote_fluid *fluid, const mote_simulation_def *def,
                        mote_error *error)
{
    (void)simulation;
    drain_object *object = state;
    mote_drain drain = def->drains[object->member].drain;
    mote_error own = {0};
    drain.cookie = MOTE_COOKIE;  // lists are filled field by field
    object->fluid = fluid;
    const mote_result result = mote_fluid_add_drain(fluid, &drain, &object->number, &own);
    if (result == MOTE_OK) return MOTE_OK;
    return mote_fail(error, result, object->member, "drains[%zu]: %.220s", object->member, own.text);
}

static mote_result tell(mote_simulation *simulation, void *state, mote_quantity quantities[MOTE_OBJECT_QUANTITIES],
                        size_t *count, mote_error *error)
{
    (void)simulation, (void)error;
    const drain_object *object = state;
    const mote_flow_count flow = mote_fluid_drain_count(object->fluid, object->number);
    quantities[0] = mote_quantity_make("particles_out", NULL, (double)flow.out);
    const bool is_flat = mote_fluid_resolved_def(object->fluid).dimensions == 2;
    quantities[1] = mote_quantity_make("mass_out", is_flat ? "kg/m" : "kg", flow.mass_out);
    *count = 2;
    quantities[0].of = quantities[1].of = object->name;
    return MOTE_OK;
}

const object_kind mote_kind_drain = {
    .name = "drain",
    .state_bytes = sizeof(drain_object),
    .remark = offsetof(drain_object, remark),
    .check = check,
    .create = create,
    .open = open,
    .tell = tell,
};
