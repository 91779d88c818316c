// SPDX-License-Identifier: MIT
// Fields of bodies come from a store, if there is one that has them, and are kept there after they were computed.
// A key stands for all that a field follows from: the mesh where it is placed, the sides of the tank and the earlier
// bodies that cut it off, and what the fluid adds (fluid/field_file.c). So a store can never give another field than
// would be computed.

#include "base/words.h"
#include "fluid/peek.h"
#include "mesh/hash.h"
#include "simulation/internal.h"

static void add_place(mote_word_hash *h, mote_vec3 place)
{
    mote_word_hash_add(h, mote_word_of(place.x));
    mote_word_hash_add(h, mote_word_of(place.y));
    mote_word_hash_add(h, mote_word_of(place.z));
}

static void make_key(const mote_fluid *fluid, const body_in_tank *body, uint64_t key[MOTE_HASH_WORDS])
{
    mote_word_hash h = MOTE_WORD_HASH_START;
    uint64_t own[MOTE_HASH_WORDS];
    mote_mesh_add_to_hash(&h, body->object->kind->mesh(body->object->state));
    mote_word_hash_add(&h, body->has_tank);
    if (body->has_tank) {
        const mote_tank_def *tank = &body->tank;
        add_place(&h, tank->min);
        add_place(&h, tank->max);
        const bool open[6] = {tank->open_x_min, tank->open_x_max, tank->open_y_min,
                              tank->open_y_max, tank->open_z_min, tank->open_z_max};
        for (int k = 0; k < 6; ++k) mote_word_hash_add(&h, open[k]);
    }
    for (size_t k = 0; k < body->earlier.count; ++k) {
        const simulation_object *earlier = &body->earlier.simulation->objects[k];
        mote_box box;
        if (earlier->kind->is_filled && earlier->kind->is_filled(earlier->state, &box))
            mote_mesh_add_to_hash(&h, earlier->kind->mesh(earlier->state));
    }
    if (body->earlier.count > 0 && body->earlier.period) {
        const mote_period_def *period = body->earlier.period;
        add_place(&h, period->min);
        add_place(&h, period->max);
        mote_word_hash_add(&h, period->x + 2u * period->y + 4u * period->z);
    }
    mote_word_hash_end(&h, own);
    mote_field_make_key(fluid, own, key);
}

// The last field of a fluid, to be written.
typedef struct field_to_keep {
    const mote_fluid *fluid;
    const uint64_t *key;
} field_to_keep;

static bool write_field(const void *field, mote_sink *sink, void *user_data)
{
    const field_to_keep *own = field;
    return mote_field_write(own->fluid, mote_fluid_field_count(own->fluid) - 1, own->key, sink, user_data);
}

static bool find(mote_fluid *fluid, uint32_t boundary, mote_box box, const mote_wall_field_store *store,
                 const uint64_t key[MOTE_HASH_WORDS], const char *text)
{
    uint64_t length = 0;
    void *opened = store->open(store->user_data, text, &length);
    if (!opened) return false;
    const mote_result result = mote_fluid_read_field(fluid, boundary, box, key, store->read, opened, length, NULL);
    store->close(opened);
    return result == MOTE_OK;
}

mote_result mote_field_check_store(const mote_wall_field_store *store, mote_error *error)
{
    if (!store || (store->open && store->read && store->close && store->keep)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "simulation: field_store lacks a function, expected all four");
}

mote_result mote_field_add_body(mote_fluid *fluid, uint32_t boundary, mote_box box, const body_in_tank *body,
                                const mote_wall_field_store *store, mote_error *error)
{
    uint64_t key[MOTE_HASH_WORDS];
    char text[33];
    if (!store) return mote_fluid_add_field(fluid, boundary, box, mote_body_in_tank_distance, body, NULL, error);
    make_key(fluid, body, key);
    mote_word_hash_text(key, text);
    if (find(fluid, boundary, box, store, key, text)) return MOTE_OK;
    const mote_result result =
        mote_fluid_add_field(fluid, boundary, box, mote_body_in_tank_distance, body, NULL, error);
    const field_to_keep field = {fluid, key};
    if (result == MOTE_OK) store->keep(store->user_data, text, write_field, &field);
    return result;
}
