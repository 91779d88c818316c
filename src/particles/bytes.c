// SPDX-License-Identifier: MIT
// Converts particles to bytes and back: a head of 64-bit words; the fields' names, types and components; the arrays;
// and a checksum of all bytes before it. Numbers are in the machine's own byte order: a reader with another byte
// order refuses the data because of its first word.

#include <string.h>

#include "particles/store.h"

#define MAGIC UINT64_C(0x7472617065746F6D)  // "motepart", the lowest byte first

enum { NAME_BYTES = 48 };

typedef struct particles_head {
    uint64_t magic, field_count, count, next_id;
} particles_head;

typedef struct field_head {
    char name[NAME_BYTES];
    uint64_t type, components;
} field_head;

// --------------------------------------------------------------------------------------------------------- writing

typedef struct writer {
    mote_sink *sink;
    void *user_data;
    uint64_t sum;
    bool failed;
} writer;

static void put(writer *to, const void *bytes, size_t length)
{
    if (to->failed || length == 0) return;
    to->sum = mote_checksum(to->sum, bytes, length);
    to->failed = !to->sink(to->user_data, bytes, length);
}

static field_head head_of(const particle_field *field)
{
    field_head made = {.type = (uint64_t)field->type, .components = (uint64_t)field->components};
    const size_t length = strlen(field->name);
    MOTE_ASSERT(length < NAME_BYTES);
    memcpy(made.name, field->name, MOTE_MIN(length, (size_t)NAME_BYTES - 1));
    return made;
}

mote_result mote_particles_write(const particle_store *store, mote_sink *sink, void *user_data)
{
    writer to = {sink, user_data, MOTE_CHECKSUM_START, false};
    const particles_head first = {MAGIC, store->field_count, store->count, store->next_id};
    put(&to, &first, sizeof first);
    for (size_t a = 0; a < store->field_count; ++a) {
        const field_head field = head_of(&store->fields[a]);
        put(&to, &field, sizeof field);
    }
    for (size_t a = 0; a < store->field_count; ++a)
        put(&to, store->arrays[a].data, store->count * mote_particle_bytes(&store->fields[a]));
    const uint64_t sum = to.sum;
    put(&to, &sum, sizeof sum);
    return to.failed ? MOTE_ERROR_FILE : MOTE_OK;
}

mote_result mote_particles_write_behind(const particle_store *store, const void *head, size_t head_bytes,
                                        mote_sink *sink, void *user_data)
{
    writer to = {sink, user_data, MOTE_CHECKSUM_START, false};
    put(&to, head, head_bytes);
    const uint64_t sum = to.sum;
    put(&to, &sum, sizeof sum);
    return to.failed ? MOTE_ERROR_FILE : mote_particles_write(store, sink, user_data);
}

// --------------------------------------------------------------------------------------------------------- reading

mote_result mote_particles_read_head(const void *bytes, size_t length, void *head, size_t head_bytes, uint64_t magic,
                                     const char *who, mote_error *error)
{
    uint64_t first, sum;
    if (length < head_bytes + sizeof sum) return mote_fail(error, MOTE_ERROR_FORMAT, 0, "%s: cut short", who);
    memcpy(&first, bytes, sizeof first);
    memcpy(&sum, (const char *)bytes + head_bytes, sizeof sum);
    if (first != magic)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0,
                         "%s: these bytes are no such state, or of another version or byte order", who);
    if (sum != mote_checksum(MOTE_CHECKSUM_START, bytes, head_bytes))
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "%s: damaged: the checksum does not hold", who);
    memcpy(head, bytes, head_bytes);
    return MOTE_OK;
}

static mote_result refuse(mote_error *error, const char *why)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "particles: %s", why);
}

// Checks that the bytes are those of a store with this table, complete and undamaged.
static mote_result check(const particle_store *store, const char *bytes, size_t length, particles_head *first,
                         mote_error *error)
{
    const size_t heads = sizeof *first + store->field_count * sizeof(field_head);
    if (length < heads + sizeof(uint64_t)) return refuse(error, "cut short");
    memcpy(first, bytes, sizeof *first);
    if (first->magic != MAGIC) return refuse(error, "these bytes are no particles, or of another byte order");
    if (first->field_count != store->field_count) return refuse(error, "of a table with other fields");
    size_t each = 0;
    for (size_t a = 0; a < store->field_count; ++a) {
        const field_head expected = head_of(&store->fields[a]);
        if (memcmp(&expected, bytes + sizeof *first + a * sizeof expected, sizeof expected) != 0)
            return mote_fail(error, MOTE_ERROR_FORMAT, a, "particles: field %zu is not %s, as it is here", a,
                             store->fields[a].name);
        each += mote_particle_bytes(&store->fields[a]);
    }
    const size_t left = length - heads - sizeof(uint64_t);
    if (first->count > left / each || first->count * each != left)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "particles: %zu bytes of arrays, expected those of %llu", left,
                         (unsigned long long)first->count);
    uint64_t sum;
    memcpy(&sum, bytes + length - sizeof sum, sizeof sum);
    if (sum != mote_checksum(MOTE_CHECKSUM_START, bytes, length - sizeof sum))
        return refuse(error, "damaged: the checksum does not hold");
    return MOTE_OK;
}

mote_result mote_particles_count_in(const void *bytes, size_t length, size_t *count, mote_error *error)
{
    particles_head first;
    if (length < sizeof first) return refuse(error, "cut short");
    memcpy(&first, bytes, sizeof first);
    if (first.magic != MAGIC) return refuse(error, "these bytes are no particles, or of another byte order");
    if (first.count > length) return refuse(error, "cut short");
    *count = (size_t)first.count;
    return MOTE_OK;
}

static double number_at(const char *at, mote_array_type type)
{
    float narrow = 0;
    double wide = 0;
    if (type == MOTE_ARRAY_F32) memcpy(&narrow, at, sizeof narrow);
    if (type == MOTE_ARRAY_F64) memcpy(&wide, at, sizeof wide);
    return type == MOTE_ARRAY_F32 ? (double)narrow : wide;
}

// Checks what mote_particles_validate checks: ids were given out, and numbers are finite.
static mote_result check_arrays(const particle_store *store, const char *at, const particles_head *first,
                                mote_error *error)
{
    for (size_t a = 0; a < store->field_count; ++a) {
        const particle_field *field = &store->fields[a];
        const size_t bytes = mote_array_type_bytes(field->type);
        const size_t numbers = (size_t)first->count * (size_t)field->components;
        for (size_t i = 0; i < numbers; ++i, at += bytes) {
            uint64_t id = 0;
            if (a == 0) memcpy(&id, at, sizeof id);
            const double number = number_at(at, field->type);
            if ((a == 0 && id >= first->next_id) || !(number - number == 0))
                return mote_fail(error, MOTE_ERROR_FORMAT, i / (size_t)field->components,
                                 "particles: the %s of particle %zu is not one that it can have", field->name,
                                 i / (size_t)field->components);
        }
    }
    return MOTE_OK;
}

mote_result mote_particles_read(particle_store *store, const void *bytes, size_t length, mote_error *error)
{
    particles_head first;
    mote_result result = check(store, bytes, length, &first, error);
    if (result != MOTE_OK) return result;
    if (first.count >= UINT32_MAX) return refuse(error, "more than 2^32 - 2 of them");
    const size_t heads = sizeof first + store->field_count * sizeof(field_head);
    result = check_arrays(store, (const char *)bytes + heads, &first, error);
    if (result != MOTE_OK) return result;
    result = mote_particles_reserve(store, (size_t)first.count);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "particles: no memory for %llu particles", (unsigned long long)first.count);
    const char *from = (const char *)bytes + heads;
    for (size_t a = 0; a < store->field_count && first.count; ++a) {
        const size_t size = (size_t)first.count * mote_particle_bytes(&store->fields[a]);
        memcpy(store->arrays[a].data, from, size);
        from += size;
    }
    store->count = (size_t)first.count;
    store->next_id = first.next_id;
    return MOTE_OK;
}
