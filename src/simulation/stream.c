// SPDX-License-Identifier: MIT
// The state of a simulation as bytes: a head, then the kind, name and state of each object, then a checksum of all.

#include <float.h>
#include <string.h>

#include "simulation/internal.h"

#define MAGIC UINT64_C(0x756D69736F6D32)  // "2mosimu" backwards: the form of these bytes, and their order

enum { NAME_BYTES = 56 };

typedef struct stream_head {
    uint64_t magic, object_count, steps;
    double time;
} stream_head;

typedef struct object_head {
    char kind[24], name[NAME_BYTES];  // cut off if longer, filled up with zeros
    uint64_t length;                  // bytes of the state
} object_head;

// --------------------------------------------------------------------------------------------------------- writing

typedef struct writer {
    mote_sink *sink;
    void *user_data;
    uint64_t sum;
} writer;

static bool put(void *to, const void *bytes, size_t length)
{
    writer *self = to;
    self->sum = mote_checksum(self->sum, bytes, length);
    return self->sink(self->user_data, bytes, length);
}

static bool count_bytes(void *to, const void *bytes, size_t length)
{
    (void)bytes;
    *(uint64_t *)to += length;
    return true;
}

static void copy_name(char *to, size_t size, const char *name)
{
    memset(to, 0, size);
    memcpy(to, name, MOTE_MIN(strlen(name), size - 1));
}

static object_head make_head(const simulation_object *object)
{
    object_head head;
    copy_name(head.kind, sizeof head.kind, object->kind->name);
    copy_name(head.name, sizeof head.name, object->name);
    head.length = 0;
    return head;
}

// The length of the state stands before it, so it is written twice: once only to be counted.
static mote_result write_object(const simulation_object *object, writer *to, mote_error *error)
{
    object_head head = make_head(object);
    mote_result result = MOTE_OK;
    if (object->kind->write) result = object->kind->write(object->state, count_bytes, &head.length, error);
    if (result == MOTE_OK && !put(to, &head, sizeof head)) result = MOTE_ERROR_FILE;
    if (result == MOTE_OK && object->kind->write) result = object->kind->write(object->state, put, to, error);
    return result;
}

mote_result mote_simulation_write(const mote_simulation *simulation, mote_sink *sink, void *user_data,
                                  mote_error *error)
{
    if (!simulation || !sink) return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    const stream_head head = {MAGIC, simulation->object_count, simulation->counters.steps, simulation->time};
    writer to = {sink, user_data, MOTE_CHECKSUM_START};
    mote_result result = put(&to, &head, sizeof head) ? MOTE_OK : MOTE_ERROR_FILE;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k)
        result = write_object(&simulation->objects[k], &to, error);
    const uint64_t sum = to.sum;
    if (result == MOTE_OK && !put(&to, &sum, sizeof sum)) result = MOTE_ERROR_FILE;
    if (result == MOTE_ERROR_FILE) mote_fail(error, result, 0, "simulation: the bytes were not taken");
    return result;
}

// --------------------------------------------------------------------------------------------------------- reading

static mote_result refuse(mote_error *error, const char *why)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "simulation: %s", why);
}

// Checks that the bytes are whole.
static mote_result check_bytes(const char *bytes, size_t length, stream_head *head, mote_error *error)
{
    uint64_t sum;
    if (length < sizeof *head + sizeof sum) return refuse(error, "cut short");
    memcpy(head, bytes, sizeof *head);
    if (head->magic != MAGIC)
        return refuse(error, "these bytes are no state of a simulation, or of another version or byte order");
    memcpy(&sum, bytes + length - sizeof sum, sizeof sum);
    if (sum != mote_checksum(MOTE_CHECKSUM_START, bytes, length - sizeof sum))
        return refuse(error, "damaged or cut short: the checksum does not hold");
    return head->time >= 0 && head->time <= DBL_MAX ? MOTE_OK : refuse(error, "the time is no number from 0 on");
}

// Checks that their objects are those of the simulation, too.
static mote_result check(const mote_simulation *simulation, const char *bytes, size_t length, mote_error *error)
{
    stream_head head;
    uint64_t sum;
    const mote_result result = check_bytes(bytes, length, &head, error);
    if (result != MOTE_OK) return result;
    if (head.object_count != simulation->object_count)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "simulation: a state of %llu objects, expected %zu",
                         (unsigned long long)head.object_count, simulation->object_count);
    const char *at = bytes + sizeof head, *end = bytes + length - sizeof sum;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        object_head own = make_head(&simulation->objects[k]), its;
        if ((size_t)(end - at) < sizeof its) return refuse(error, "cut short");
        memcpy(&its, at, sizeof its);
        at += sizeof its;
        if (memcmp(its.kind, own.kind, sizeof its.kind) != 0 || memcmp(its.name, own.name, sizeof its.name) != 0)
            return mote_fail(error, MOTE_ERROR_FORMAT, k, "simulation: object %zu is another one, expected the %s %s",
                             k, own.kind, own.name);
        if (its.length > (size_t)(end - at)) return refuse(error, "cut short");
        at += its.length;
    }
    return at == end ? MOTE_OK : refuse(error, "more bytes than its objects have");
}

// Reads the state of every object from bytes that were checked.
static mote_result read_objects(const mote_simulation *simulation, const char *bytes, mote_error *error)
{
    const char *at = bytes + sizeof(stream_head);
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        object_head its;
        memcpy(&its, at, sizeof its);
        at += sizeof its;
        if (object->kind->read) result = object->kind->read(object->state, at, (size_t)its.length, error);
        at += its.length;
    }
    return result;
}

// A copy of a state, in memory.
typedef struct state_copy {
    const mote_context *context;
    mote_buffer memory;
    size_t length;
} state_copy;

static bool append(void *to, const void *bytes, size_t length)
{
    state_copy *copy = to;
    const size_t used = copy->length;
    if (mote_buffer_reserve(copy->context, &copy->memory, used + length, used) != MOTE_OK) return false;
    memcpy((char *)copy->memory.data + used, bytes, length);
    copy->length = used + length;
    return true;
}

// Keeps the state, for which `before` gets the memory, in case that another one cannot be read.
static mote_result keep(const mote_simulation *simulation, state_copy *before, mote_error *error)
{
    *before = (state_copy){.context = simulation->context};
    if (mote_simulation_write(simulation, append, before, NULL) == MOTE_OK) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for a copy of its state");
}

mote_result mote_simulation_read(mote_simulation *simulation, const void *bytes, size_t length, mote_error *error)
{
    if (!simulation || !bytes) return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    mote_result result = check(simulation, bytes, length, error);
    if (result != MOTE_OK) return result;
    stream_head head;
    memcpy(&head, bytes, sizeof head);
    // If an object cannot read its part, those before it get back what they had, for which there is room. Objects read
    // the states of their gravity only, which may depend on the time.
    const double time = simulation->time;
    state_copy before;
    result = keep(simulation, &before, error);
    if (result == MOTE_OK) {
        result = mote_simulation_set_time(simulation, head.time, error);
        if (result == MOTE_OK) result = read_objects(simulation, bytes, error);
        if (result != MOTE_OK) {
            mote_simulation_set_time(simulation, time, NULL);
            read_objects(simulation, before.memory.data, NULL);
        }
    }
    mote_buffer_release(simulation->context, &before.memory);
    if (result != MOTE_OK) return result;
    simulation->counters.steps = head.steps;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------- the start of another simulation

// The object with that head which takes over particles; NULL: none.
static const simulation_object *find_taker(const mote_simulation *simulation, const object_head *its)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const object_head own = make_head(&simulation->objects[k]);
        const bool is_same = memcmp(own.kind, its->kind, sizeof own.kind) == 0 &&
                             memcmp(own.name, its->name, sizeof own.name) == 0;
        if (is_same && simulation->objects[k].kind->read_start) return &simulation->objects[k];
    }
    return NULL;
}

// Lets each object read what its like in the other simulation wrote.
static mote_result read_starts(const mote_simulation *simulation, const char *bytes, size_t length,
                               const stream_head *head, mote_simulation_origin *origin, mote_error *error)
{
    const char *at = bytes + sizeof *head, *end = bytes + length - sizeof(uint64_t);
    mote_result result = MOTE_OK;
    for (uint64_t k = 0; k < head->object_count && result == MOTE_OK; ++k) {
        object_head its;
        if ((size_t)(end - at) < sizeof its) return refuse(error, "cut short");
        memcpy(&its, at, sizeof its);
        at += sizeof its;
        if (its.length > (size_t)(end - at)) return refuse(error, "cut short");
        const simulation_object *taker = find_taker(simulation, &its);
        if (taker) result = taker->kind->read_start(taker->state, at, (size_t)its.length, origin, error);
        at += its.length;
    }
    return result;
}

// What was taken over has to be something, and where particles may be; then everybody looks at it anew.
static mote_result settle(mote_simulation *simulation, const mote_simulation_origin *origin, mote_error *error)
{
    size_t inside, beyond;
    if (origin->particles + origin->grains == 0) return refuse(error, "a state without anything to start with");
    mote_result result = mote_simulation_count_escaped(simulation, &inside, &beyond, error);
    if (result == MOTE_OK && inside + beyond > 0)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0,
                         "simulation: a state with %zu particles inside a solid and %zu beyond a wall, expected none",
                         inside, beyond);
    for (size_t k = 0; k < simulation->object_count && result == MOTE_OK; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->restart) result = object->kind->restart(simulation, object->state, error);
    }
    return result;
}

mote_result mote_simulation_read_start(mote_simulation *simulation, const void *bytes, size_t length,
                                       mote_simulation_origin *origin, mote_error *error)
{
    if (!simulation || !bytes) return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    stream_head head;
    state_copy before;
    mote_result result = check_bytes(bytes, length, &head, error);
    if (result != MOTE_OK) return result;
    mote_simulation_origin found = {.time = head.time, .steps = head.steps};
    result = keep(simulation, &before, error);
    if (result == MOTE_OK) {
        result = read_starts(simulation, bytes, length, &head, &found, error);
        if (result == MOTE_OK) result = settle(simulation, &found, error);
        if (result != MOTE_OK) read_objects(simulation, before.memory.data, NULL);
    }
    mote_buffer_release(simulation->context, &before.memory);
    if (result == MOTE_OK && origin) *origin = found;
    return result;
}
