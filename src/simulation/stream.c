// SPDX-License-Identifier: MIT
// The state of a simulation as bytes: a head, then the kind, name and state of each object, then a checksum of all.

#include <float.h>
#include <string.h>

#include "simulation/internal.h"

#define MAGIC UINT64_C(0x756D69736F6D31)  // "1mosimu" backwards: the form of these bytes, and their order

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

// Checks that the bytes are whole, and that their objects are those of the simulation.
static mote_result check(const mote_simulation *simulation, const char *bytes, size_t length, mote_error *error)
{
    stream_head head;
    uint64_t sum;
    if (length < sizeof head + sizeof sum) return refuse(error, "cut short");
    memcpy(&head, bytes, sizeof head);
    if (head.magic != MAGIC)
        return refuse(error, "these bytes are no state of a simulation, or of another version or byte order");
    memcpy(&sum, bytes + length - sizeof sum, sizeof sum);
    if (sum != mote_checksum(MOTE_CHECKSUM_START, bytes, length - sizeof sum))
        return refuse(error, "damaged or cut short: the checksum does not hold");
    if (!(head.time >= 0 && head.time <= DBL_MAX)) return refuse(error, "the time is no number from 0 on");
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
    state_copy before = {.context = simulation->context};
    if (mote_simulation_write(simulation, append, &before, NULL) != MOTE_OK)
        result = mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for a copy of its state");
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
