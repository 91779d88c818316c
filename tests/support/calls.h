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

// Memory that there is none of for a while.
typedef struct scarce_memory {
    bool is_scarce;
} scarce_memory;

static inline void *scarce_allocate(void *user_data, size_t bytes, size_t alignment)
{
    const scarce_memory *memory = user_data;
    return memory->is_scarce ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
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
