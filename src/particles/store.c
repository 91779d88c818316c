// SPDX-License-Identifier: MIT
// Particles as named arrays: creation, growth, removal, views.

#include <string.h>

#include "particles/store.h"

void mote_particles_init(particle_store *store, mote_context *context, const particle_field *fields, size_t field_count)
{
    MOTE_ASSERT(field_count >= 1 && field_count <= PARTICLE_FIELDS);
    MOTE_ASSERT(fields[0].type == MOTE_ARRAY_U64 && fields[0].components == 1);
    *store = (particle_store){.context = context, .fields = fields, .field_count = field_count};
}

void mote_particles_release(particle_store *store)
{
    for (size_t a = 0; a < store->field_count; ++a) mote_buffer_release(store->context, &store->arrays[a]);
    mote_buffer *others[] = {&store->keys, &store->spare_keys, &store->order, &store->spare_order, &store->spare};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) mote_buffer_release(store->context, others[k]);
    store->count = 0;
}

size_t mote_particle_bytes(const particle_field *field)
{
    return mote_array_type_bytes(field->type) * (size_t)field->components;
}

mote_result mote_particles_reserve(particle_store *store, size_t count)
{
    mote_result result = MOTE_OK;
    for (size_t a = 0; a < store->field_count && result == MOTE_OK; ++a) {
        const size_t bytes = mote_particle_bytes(&store->fields[a]);
        const size_t wanted = mote_bytes(count, bytes) + (bytes == 1 ? PARTICLE_BEYOND : 0);
        result = mote_buffer_reserve(store->context, &store->arrays[a], wanted, store->count * bytes);
    }
    return result;
}

mote_result mote_particles_add(particle_store *store, size_t count)
{
    const size_t old = store->count;
    mote_result result = mote_particles_reserve(store, old + count);
    if (result != MOTE_OK || count == 0) return result;
    uint64_t *ids = store->arrays[0].data;
    for (size_t i = old; i < old + count; ++i) ids[i] = store->next_id++;
    for (size_t a = 1; a < store->field_count; ++a) {
        const size_t bytes = mote_particle_bytes(&store->fields[a]);
        memset((char *)store->arrays[a].data + old * bytes, 0, count * bytes);
    }
    store->count = old + count;
    return MOTE_OK;
}

void mote_particles_remove(particle_store *store, const bool *marked)
{
    size_t kept = 0;
    for (size_t a = 0; a < store->field_count; ++a) {
        const size_t bytes = mote_particle_bytes(&store->fields[a]);
        char *array = store->arrays[a].data;
        kept = 0;
        for (size_t i = 0; i < store->count; ++i)
            if (!marked[i]) memmove(array + kept++ * bytes, array + i * bytes, bytes);
    }
    store->count = kept;
}

mote_array mote_particles_array(const particle_store *store, size_t field)
{
    MOTE_ASSERT(field < store->field_count);
    const particle_field *of = &store->fields[field];
    mote_array array = mote_array_tuples(of->name, of->type, store->arrays[field].data, of->components);
    array.unit = of->unit;
    return array;
}

size_t mote_particles_byte_count(const particle_store *store)
{
    size_t bytes = store->keys.bytes + store->spare_keys.bytes + store->order.bytes + store->spare_order.bytes +
                   store->spare.bytes;
    for (size_t a = 0; a < store->field_count; ++a) bytes += store->arrays[a].bytes;
    return bytes;
}

// The first particle of an array with a number that is not finite, or the count.
static size_t first_not_finite(const particle_store *store, size_t field)
{
    const particle_field *of = &store->fields[field];
    const size_t components = (size_t)of->components, numbers = store->count * components;
    const double *wide = store->arrays[field].data;
    const float *narrow = store->arrays[field].data;
    if (of->type == MOTE_ARRAY_F64)
        for (size_t k = 0; k < numbers; ++k)
            if (!(wide[k] - wide[k] == 0)) return k / components;
    if (of->type == MOTE_ARRAY_F32)
        for (size_t k = 0; k < numbers; ++k)
            if (!(narrow[k] - narrow[k] == 0)) return k / components;
    return store->count;
}

mote_result mote_particles_validate(const particle_store *store, const char *who, mote_error *error)
{
    const uint64_t *ids = store->arrays[0].data;
    for (size_t i = 0; i < store->count; ++i)
        if (ids[i] >= store->next_id)
            return mote_fail(error, MOTE_ERROR_STATE, i, "%s: particle %zu has id %llu, %llu were given", who, i,
                             (unsigned long long)ids[i], (unsigned long long)store->next_id);
    for (size_t a = 1; a < store->field_count; ++a) {
        const size_t i = first_not_finite(store, a);
        if (i < store->count)
            return mote_fail(error, MOTE_ERROR_STATE, i, "%s: particle %zu (id %llu): its %s is not finite", who, i,
                             (unsigned long long)ids[i], store->fields[a].name);
    }
    return MOTE_OK;
}
