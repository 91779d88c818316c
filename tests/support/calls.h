// SPDX-License-Identifier: MIT
// support/calls.h: what tests of every public call share: the rule for pointers that are NULL (base.h).
#ifndef MOTE_TEST_CALLS_H
#define MOTE_TEST_CALLS_H

#include "mote/mesh.h"
#include "support/test.h"

// A call that answers a result refuses a pointer that it needs, and says so in the caller's `error`.
#define REFUSED(call)                                                                             \
    do {                                                                                          \
        error = (mote_error){0};                                                                  \
        const mote_result refused = (call);                                                       \
        if (refused != MOTE_ERROR_ARGUMENT) FAIL("%s gave %s", #call, mote_result_name(refused)); \
        if (error.result != refused || !error.text[0]) FAIL("%s says nothing", #call);            \
    } while (0)

// One that answers a number, a struct or a pointer answers zero.
#define ZERO(call) CHECK((call) == 0, "is not zero")

// A state of an object is none in which a call crashes, or answers what its header does not say; what fails says why
// in the caller's `error`.
#define ANSWERS(call)                                                            \
    do {                                                                         \
        error = (mote_error){0};                                                 \
        const mote_result answer = (call);                                       \
        const bool is_known = (int)answer >= 0 && answer <= MOTE_ERROR_STATE;    \
        if (!is_known) FAIL("%s gave %s", #call, mote_result_name(answer));      \
        if (error.result != answer || !error.text[0] != (answer == MOTE_OK))     \
            FAIL("%s: %s says %s", #call, mote_result_name(answer), error.text); \
    } while (0)

// A call answers `expected`; with words about it, if that is an error, in the caller's `error`. Where the caller has
// no memory, it may be that instead.
#define GIVES(expected, call)  GIVES_WITH(true, expected, call)
#define GIVES_WITH(has_memory, expected, call)                                                    \
    do {                                                                                          \
        error = (mote_error){0};                                                                  \
        const mote_result given = (call);                                                         \
        if (given != (expected) && ((has_memory) || given != MOTE_ERROR_OUT_OF_MEMORY))           \
            FAIL("%s gave %s: %s", #call, mote_result_name(given), error.text);                   \
        if (error.result != given || !error.text[0] != (given == MOTE_OK))                        \
            FAIL("%s: %s says '%s'", #call, mote_result_name(given), error.text);                 \
    } while (0)

// Memory that there is none of for a while, or after so many more blocks.
typedef struct scarce_memory {
    bool is_scarce;
    size_t blocks;  // that are still there while it is scarce
} scarce_memory;

static inline void *scarce_allocate(void *user_data, size_t bytes, size_t alignment)
{
    scarce_memory *memory = user_data;
    if (memory->is_scarce && memory->blocks == 0) return NULL;
    if (memory->is_scarce) --memory->blocks;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void scarce_release(void *user_data, void *memory, size_t bytes)
{
    (void)user_data, (void)bytes;
    free(memory);
}

static inline mote_context *scarce_context(scarce_memory *memory)
{
    mote_context_def def = mote_context_default_def();
    def.allocator = (mote_allocator){scarce_allocate, scarce_release, memory};
    def.thread_count = 1;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    return context;
}

// The state of an object as it wrote it.
typedef struct written {
    unsigned char bytes[1 << 18];
    size_t length;
} written;

static inline bool keep_bytes(void *user_data, const void *bytes, size_t length)
{
    written *all = user_data;
    if (length > sizeof all->bytes - all->length) return false;
    memcpy(all->bytes + all->length, bytes, length);
    all->length += length;
    return true;
}

static inline bool refuse_bytes(void *user_data, const void *bytes, size_t length)
{
    (void)user_data, (void)bytes, (void)length;
    return false;
}

static inline bool are_same(const written *a, const written *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

// Four triangles around a corner of a box.
static inline mote_mesh *tetrahedron(void)
{
    const mote_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(NULL, vertices, 4, triangles, 4, &mesh, NULL));
    return mesh;
}

#endif
