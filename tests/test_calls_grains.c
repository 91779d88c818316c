// SPDX-License-Identifier: MIT
// Every public call of grains: with NULL for what it needs, and on objects in every state that they can be in.
// checks/called.sh sees that no call is forgotten.

#include "mote/grains.h"
#include "support/calls.h"

static void many_grains(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh}, *nomeshes[1] = {NULL};
    mote_grains_def grains_def = mote_grains_default_def();
    mote_grains *grains;
    mote_error error;
    grains_def.count = 10;
    grains_def.min = (mote_vec3){2, 2, 2};
    grains_def.max = (mote_vec3){3, 3, 3};
    (void)mote_grains_proxy_def(NULL);
    REFUSED(mote_grains_create(NULL, NULL, NULL, 0, &grains, &error));
    REFUSED(mote_grains_create(NULL, &grains_def, NULL, 1, &grains, &error));
    REFUSED(mote_grains_create(NULL, &grains_def, meshes, 1, NULL, &error));
    REFUSED(mote_grains_create(NULL, &grains_def, nomeshes, 1, &grains, &error));
    mote_grains_destroy(NULL);
    REFUSED(mote_grains_advance(NULL, 0.1, NULL, NULL, &error));
    REFUSED(mote_grains_set_gravity(NULL, (mote_vec3){0, 0, 0}, &error));
    (void)mote_grains_get_view(NULL);
    (void)mote_grains_get_counters(NULL);
    ZERO(mote_grains_byte_count(NULL));
    REFUSED(mote_grains_validate(NULL, &error));
    REFUSED(mote_grains_write(NULL, NULL, NULL, &error));
    REFUSED(mote_grains_read(NULL, NULL, 0, &error));
    CHECK(mote_grains_create(NULL, &grains_def, meshes, 1, &grains, &error) == MOTE_OK, "%s", error.text);
    ANSWERS(mote_grains_advance(grains, 0.01, NULL, NULL, &error));
    ANSWERS(mote_grains_set_gravity(grains, (mote_vec3){1, 0, -9}, &error));
    REFUSED(mote_grains_set_gravity(grains, (mote_vec3){NAN, 0, 0}, &error));
    CHECK(mote_grains_get_view(grains).count == 10, "grains");
    (void)mote_grains_get_counters(grains);
    CHECK(mote_grains_byte_count(grains) > 0, "no bytes");
    mote_grains_destroy(grains);
    mote_mesh_destroy(mesh);
}

enum { GRAINS = 10 };

// What grains meet.
enum { NO_MESH, EXACT, OWN_PROXY, LENT_PROXY, COLLIDERS };

// States of grains: those that are poured begin with none, and have none again once they have read that state.
enum { MADE, UPDATED, OUT_OF_MEMORY, REFUSED_STATE, EMPTIED, STATES };

static void write_grains(const mote_grains *grains, written *to)
{
    mote_error error;
    to->length = 0;
    GIVES(MOTE_OK, mote_grains_write(grains, keep_bytes, to, &error));
}

static void check_grains(const mote_grains *grains, const written *expected, const char *what)
{
    static written now;
    write_grains(grains, &now);
    CHECK(are_same(&now, expected), "%s changes the grains", what);
    CHECK_OK(mote_grains_validate(grains, NULL));
}

static bool keeper_of_all(void *user_data, mote_vec3 to, mote_vec3 *velocity)
{
    (void)user_data, (void)velocity;
    return to.z > -1e6;
}

// Calls on grains with gravity along −z, which have their state again afterwards.
static void ask_grains(mote_grains *grains, bool has_memory)
{
    mote_error error;
    static written state;
    const mote_vec3 gravity = mote_grains_default_def().gravity, other = {1, 0, -9};
    write_grains(grains, &state);
    const mote_grains_view view = mote_grains_get_view(grains);
    CHECK(view.count <= GRAINS && view.positions && view.velocities, "%zu grains", view.count);
    CHECK(mote_grains_get_counters(grains).removed == 0, "removed");
    CHECK(mote_grains_byte_count(grains) > 0, "no bytes");
    GIVES(MOTE_ERROR_FILE, mote_grains_write(grains, refuse_bytes, NULL, &error));
    REFUSED(mote_grains_write(grains, NULL, NULL, &error));
    REFUSED(mote_grains_advance(grains, -1, NULL, NULL, &error));
    REFUSED(mote_grains_advance(grains, NAN, NULL, NULL, &error));
    REFUSED(mote_grains_set_gravity(grains, (mote_vec3){NAN, 0, 0}, &error));
    REFUSED(mote_grains_read(grains, NULL, 7, &error));
    for (size_t length = 0; length < state.length; length += 1 + state.length / 7) {
        GIVES(MOTE_ERROR_FORMAT, mote_grains_read(grains, state.bytes, length, &error));
    }
    GIVES_WITH(has_memory, MOTE_OK, mote_grains_advance(grains, 0, NULL, NULL, &error));
    check_grains(grains, &state, "what was refused");
    CHECK_OK(mote_grains_set_gravity(grains, other, &error));
    GIVES(MOTE_ERROR_FORMAT, mote_grains_read(grains, state.bytes, state.length, &error));
    CHECK_OK(mote_grains_set_gravity(grains, gravity, &error));
    check_grains(grains, &state, "another gravity");
    GIVES_WITH(has_memory, MOTE_OK, mote_grains_advance(grains, 0.01, NULL, NULL, &error));
    GIVES_WITH(has_memory, MOTE_OK, mote_grains_advance(grains, 0.01, keeper_of_all, NULL, &error));
    CHECK_OK(mote_grains_validate(grains, &error));
    GIVES(MOTE_OK, mote_grains_read(grains, state.bytes, state.length, &error));
    check_grains(grains, &state, "reading its state");
}

// Without memory a step adds gravity's part to the velocities, and changes nothing else.
static void run_grains_out_of_memory(mote_grains *grains, bool has_mesh)
{
    mote_error error;
    const double step = mote_grains_default_def().time_step;
    const mote_grains_view view = mote_grains_get_view(grains);
    const uint64_t steps = mote_grains_get_counters(grains).steps;
    double positions[3 * GRAINS], speeds[GRAINS];
    memcpy(positions, view.positions, 3 * view.count * sizeof *positions);
    for (size_t i = 0; i < view.count; ++i) speeds[i] = view.velocities[3 * i + 2];
    const bool needs_memory = has_mesh && view.count > 0;
    GIVES(needs_memory ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK, mote_grains_advance(grains, step, NULL, NULL, &error));
    if (!needs_memory) return;
    CHECK(mote_grains_get_view(grains).count == view.count, "%zu grains", view.count);
    CHECK(mote_grains_get_counters(grains).steps == steps, "a step");
    assert_memory_equal(positions, view.positions, 3 * view.count * sizeof *positions);
    for (size_t i = 0; i < view.count; ++i) {
        const double expected = speeds[i] + mote_grains_default_def().gravity.z * step;
        CHECK(view.velocities[3 * i + 2] == expected, "grain %zu at %g m/s", i, view.velocities[3 * i + 2]);
    }
}

static void bring_grains_to_state(mote_grains *grains, int step, bool has_mesh, scarce_memory *memory)
{
    mote_error error;
    static written start;
    write_grains(grains, &start);
    if (step == UPDATED || step == EMPTIED) CHECK_OK(mote_grains_advance(grains, 0.05, NULL, NULL, NULL));
    memory->is_scarce = step == OUT_OF_MEMORY;
    if (step == OUT_OF_MEMORY) run_grains_out_of_memory(grains, has_mesh);
    if (step == REFUSED_STATE) GIVES(MOTE_ERROR_FORMAT, mote_grains_read(grains, "nothing", 7, &error));
    if (step == EMPTIED) CHECK_OK(mote_grains_read(grains, start.bytes, start.length, NULL));
}

// Two that have the same state go on with the same bits.
static void go_on_alike(mote_grains *grains, mote_grains *other)
{
    static written state;
    write_grains(grains, &state);
    CHECK_OK(mote_grains_read(other, state.bytes, state.length, NULL));
    CHECK_OK(mote_grains_advance(grains, 0.2, NULL, NULL, NULL));
    CHECK_OK(mote_grains_advance(other, 0.2, NULL, NULL, NULL));
    CHECK(mote_grains_get_view(other).count == GRAINS, "%zu grains", mote_grains_get_view(other).count);
    write_grains(other, &state);
    check_grains(grains, &state, "its past");
}

static void grains_states(void **state)
{
    (void)state;
    mote_error error;
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh};
    for (int run = 0; run < STATES * COLLIDERS * 2; ++run) {
        const int step = run % STATES, collider = run / STATES % COLLIDERS;
        const bool is_poured = run / STATES / COLLIDERS;
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        mote_grains_def def = mote_grains_default_def();
        def.count = GRAINS;
        def.min = (mote_vec3){0.1, 0.1, 1.1};
        def.max = (mote_vec3){0.3, 0.3, 1.2};
        def.duration = is_poured ? 0.1 : 0;
        def.collision = collider < OWN_PROXY ? MOTE_GRAINS_EXACT : MOTE_GRAINS_PROXY;
        def.proxy_depth = 3;
        const size_t mesh_count = collider == NO_MESH ? 0 : 1;
        mote_proxy *proxy = NULL;
        const mote_proxy_def proxy_def = mote_grains_proxy_def(&def);
        if (collider == LENT_PROXY) CHECK_OK(mote_proxy_create(context, &proxy_def, meshes, 1, &proxy, NULL));
        def.proxy = proxy;
        const size_t bytes = mote_context_byte_count(context);
        mote_grains *grains, *other;
        memory.is_scarce = true;
        GIVES(MOTE_ERROR_OUT_OF_MEMORY, mote_grains_create(context, &def, meshes, mesh_count, &grains, &error));
        memory.is_scarce = false;
        CHECK_OK(mote_grains_create(context, &def, meshes, mesh_count, &grains, &error));
        CHECK_OK(mote_grains_create(context, &def, meshes, mesh_count, &other, &error));
        bring_grains_to_state(grains, step, collider != NO_MESH, &memory);
        CHECK(!mote_grains_get_view(grains).count == (is_poured && step != UPDATED), "step %d", step);
        ask_grains(grains, !memory.is_scarce);
        memory.is_scarce = false;
        ask_grains(grains, true);
        go_on_alike(grains, other);
        mote_grains_destroy(grains);
        mote_grains_destroy(other);
        CHECK(mote_context_byte_count(context) == bytes, "grains leave bytes");
        mote_proxy_destroy(proxy);
        mote_context_destroy(context);
    }
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_grains),
        cmocka_unit_test(grains_states),
    };
    RUN_TESTS(tests, argc, argv);
}
