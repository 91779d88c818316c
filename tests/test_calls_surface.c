// SPDX-License-Identifier: MIT
// Every public call of surfaces, outlines and isosurfaces: with NULL for what it needs, and on objects in every state
// that they can be in. checks/called.sh sees that no call is forgotten.

#include "mote/surface.h"
#include "support/calls.h"

static const float at[3] = {0.1f, 0.1f, 0.1f};

static void surfaces(void **state)
{
    (void)state;
    mote_surface_def def = mote_surface_default_def();
    mote_isosurface_def grid = mote_isosurface_default_def();
    mote_surface *surface, *made;
    mote_isosurface *isosurface;
    mote_error error;
    CHECK(mote_surface_fields()->count > 0, "no fields");
    REFUSED(mote_surface_create(NULL, NULL, &made, &error));
    REFUSED(mote_surface_create(NULL, &def, &made, &error));
    def.spacing = 1;
    REFUSED(mote_surface_create(NULL, &def, NULL, &error));
    CHECK_OK(mote_surface_create(NULL, &def, &surface, NULL));
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(at, 1));
    REFUSED(mote_surface_update(NULL, &cloud, &error));
    REFUSED(mote_surface_update(surface, NULL, &error));
    ANSWERS(mote_surface_validate(surface, &error));
    ANSWERS(mote_surface_update(surface, &cloud, &error));
    cloud.array_count = cloud.plane_count = 1;
    REFUSED(mote_surface_update(surface, &cloud, &error));
    cloud.array_count = 0;
    REFUSED(mote_surface_update(surface, &cloud, &error));
    ZERO(mote_surface_get_view(surface).triangle_count);
    CHECK(mote_surface_byte_count(surface) > 0, "no bytes");
    ANSWERS(mote_surface_validate(surface, &error));
    REFUSED(mote_surface_validate(NULL, &error));
    ZERO(mote_surface_get_view(NULL).vertex_count);
    ZERO(mote_surface_get_phase_view(NULL, 0).vertex_count);
    ZERO(mote_surface_phase_count(NULL));
    ZERO(mote_surface_byte_count(NULL));
    mote_surface_destroy(surface);
    mote_surface_destroy(NULL);
    REFUSED(mote_isosurface_create(NULL, NULL, &isosurface, &error));
    REFUSED(mote_isosurface_create(NULL, &grid, NULL, &error));
    REFUSED(mote_isosurface_create(NULL, &grid, &isosurface, &error));
    mote_surface_def plane = mote_surface_default_def();
    const mote_surface_cloud nothing = mote_surface_cloud_points(mote_points_xy(NULL, 0));
    mote_outline *outline;
    REFUSED(mote_outline_create(NULL, NULL, &nothing, &outline, &error));
    REFUSED(mote_outline_create(NULL, &plane, NULL, &outline, &error));
    REFUSED(mote_outline_create(NULL, &plane, &nothing, NULL, &error));
    REFUSED(mote_outline_create(NULL, &plane, &nothing, &outline, &error));  // no spacing
    ZERO(mote_outline_get_view(NULL).vertex_count);
    ZERO(mote_outline_byte_count(NULL));
    ZERO(mote_outline_get_stats(NULL).area);
    REFUSED(mote_outline_validate(NULL, &error));
    mote_outline_destroy(NULL);
    ZERO(mote_isosurface_get_view(NULL).vertex_count);
    ZERO(mote_isosurface_byte_count(NULL));
    ZERO(mote_isosurface_get_stats(NULL).volume);
    ZERO(mote_surface_get_stats(NULL).volume);
    REFUSED(mote_isosurface_validate(NULL, &error));
    mote_isosurface_destroy(NULL);
}

static void ask_surface(const mote_surface *surface, bool has_memory)
{
    mote_error error;
    const mote_surface_view view = mote_surface_get_view(surface);
    CHECK(view.vertex_count > 0 || view.triangle_count == 0, "%zu triangles", view.triangle_count);
    const int32_t phases = mote_surface_phase_count(surface);
    for (int32_t k = 0; k < phases; ++k) {
        const mote_surface_view of = mote_surface_get_phase_view(surface, k);
        CHECK(k > 0 || of.triangle_count == view.triangle_count, "%zu triangles", of.triangle_count);
        CHECK(!of.triangle_count == !view.triangle_count, "phase %d has %zu triangles", (int)k, of.triangle_count);
    }
    ZERO(mote_surface_get_phase_view(surface, -1).vertex_count);
    ZERO(mote_surface_get_phase_view(surface, phases).vertex_count);
    CHECK(mote_surface_get_stats(surface).volume >= 0, "volume");
    CHECK(mote_surface_byte_count(surface) > 0, "no bytes");
    GIVES_WITH(has_memory, MOTE_OK, mote_surface_validate(surface, &error));
}

// States of a surface; in the last two it has a mesh.
enum {
    MADE,
    FILLED_WITH_NOTHING,
    FAILED,
    REFUSED_POINTS,
    REFUSED_PLANES,
    REFUSED_DIMENSIONS,
    REFUSED_NOTHING,
    FAILED_LATER,
    EMPTIED,
    UPDATED,
    SCARCE,
    STATES
};

static const float two[6] = {0.1f, 0.1f, 0.1f, 0.9f, 0.1f, 0.1f};
static const uint8_t of_phases[2] = {0, 1};

static mote_surface_cloud cloud_of(bool has_phases)
{
    mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(two, 2));
    if (has_phases) cloud.phases = mote_array_scalars("phase", MOTE_ARRAY_U8, of_phases);
    return cloud;
}

static void bring_to_state(mote_surface *surface, bool has_phases, int step, scarce_memory *memory)
{
    mote_error error;
    enum { MANY = 100 };
    float many[3 * MANY];
    for (int k = 0; k < 3 * MANY; ++k) many[k] = (float)(k / 3);
    const float nowhere[3] = {0, NAN, 0};
    const mote_surface_cloud cloud = cloud_of(has_phases);
    const mote_surface_cloud nothing = mote_surface_cloud_points(mote_points_xyz(at, 0));
    const mote_surface_cloud bad = mote_surface_cloud_points(mote_points_xyz(nowhere, 1));
    const mote_surface_cloud flat = mote_surface_cloud_points(mote_points_xy(at, 1));
    const mote_surface_cloud larger = mote_surface_cloud_points(mote_points_xyz(many, MANY));  // needs more memory
    mote_surface_cloud uncut = cloud;
    uncut.plane_count = 1;
    if (step > FAILED) {
        GIVES(MOTE_OK, mote_surface_update(surface, &cloud, &error));
        CHECK(mote_surface_get_view(surface).triangle_count > 0, "no triangles");
        CHECK(mote_surface_phase_count(surface) == 1 + has_phases, "%d phases", (int)mote_surface_phase_count(surface));
    }
    memory->is_scarce = step == FAILED || step == FAILED_LATER || step == SCARCE;
    switch (step) {
    case FILLED_WITH_NOTHING:
    case EMPTIED: GIVES(MOTE_OK, mote_surface_update(surface, &nothing, &error)); break;
    case FAILED:
    case FAILED_LATER: GIVES(MOTE_ERROR_OUT_OF_MEMORY, mote_surface_update(surface, &larger, &error)); break;
    case REFUSED_POINTS: GIVES(MOTE_ERROR_NOT_FINITE, mote_surface_update(surface, &bad, &error)); break;
    case REFUSED_PLANES: REFUSED(mote_surface_update(surface, &uncut, &error)); break;
    case REFUSED_DIMENSIONS: GIVES(MOTE_ERROR_UNSUPPORTED, mote_surface_update(surface, &flat, &error)); break;
    case REFUSED_NOTHING: REFUSED(mote_surface_update(surface, NULL, &error)); break;
    default: break;
    }
}

static void surface_states(void **state)
{
    (void)state;
    mote_error error;
    for (int run = 0; run < 2 * STATES; ++run) {
        const int step = run % STATES;
        const bool has_phases = run / STATES;
        const mote_surface_cloud cloud = cloud_of(has_phases);
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        const size_t bytes = mote_context_byte_count(context);
        mote_surface_def def = mote_surface_default_def();
        def.spacing = 1;
        mote_surface *surface;
        memory.is_scarce = true;
        GIVES(MOTE_ERROR_OUT_OF_MEMORY, mote_surface_create(context, &def, &surface, &error));
        memory.is_scarce = false;
        GIVES(MOTE_OK, mote_surface_create(context, &def, &surface, &error));
        bring_to_state(surface, has_phases, step, &memory);
        CHECK(!mote_surface_get_view(surface).triangle_count == (step < UPDATED), "triangles in state %d", step);
        ask_surface(surface, !memory.is_scarce);
        memory.is_scarce = false;
        GIVES(MOTE_OK, mote_surface_update(surface, &cloud, &error));
        CHECK(mote_surface_get_view(surface).triangle_count > 0, "no triangles");
        ask_surface(surface, true);
        mote_surface_destroy(surface);
        CHECK(mote_context_byte_count(context) == bytes, "a surface leaves bytes");
        mote_context_destroy(context);
    }
}

// Outlines and isosurfaces never change. There are some without anything and some with, and what is refused, or has no
// memory, is not made.
static void outline_and_isosurface_states(void **state)
{
    (void)state;
    enum { EMPTY, FILLED, REFUSED_NUMBER, NO_MEMORY, MEMORY_GONE, KINDS };
    mote_error error;
    for (int step = 0; step < KINDS; ++step) {
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        const size_t bytes = mote_context_byte_count(context);
        const float place[2] = {0.1f, step == REFUSED_NUMBER ? NAN : 0.1f};
        const float values[27] = {[13] = 1, [5] = step == REFUSED_NUMBER ? NAN : 0};
        const bool is_made = step == EMPTY || step == FILLED || step == MEMORY_GONE;
        const mote_result expected = is_made ? MOTE_OK
                                     : step == NO_MEMORY ? MOTE_ERROR_OUT_OF_MEMORY
                                                         : MOTE_ERROR_NOT_FINITE;
        mote_surface_def def = mote_surface_default_def();
        def.spacing = 1;
        const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xy(place, step == EMPTY ? 0 : 1));
        mote_isosurface_def grid = mote_isosurface_default_def();
        grid.cell = 1;
        grid.size[0] = grid.size[1] = grid.size[2] = 3;
        grid.values = values;
        grid.isovalue = step == EMPTY ? 2 : 0.5;
        mote_outline *outline = NULL;
        mote_isosurface *isosurface = NULL;
        memory.is_scarce = step == NO_MEMORY;
        GIVES(expected, mote_outline_create(context, &def, &cloud, &outline, &error));
        GIVES(expected, mote_isosurface_create(context, &grid, &isosurface, &error));
        CHECK(!outline == !is_made && !isosurface == !is_made, "state %d", step);
        memory.is_scarce = step == MEMORY_GONE;
        if (is_made) {
            CHECK(!mote_outline_get_view(outline).segment_count == (step == EMPTY), "segments");
            CHECK(!(mote_outline_get_stats(outline).area > 0) == (step == EMPTY), "area");
            CHECK(mote_outline_byte_count(outline) > 0, "no bytes");
            GIVES_WITH(!memory.is_scarce, MOTE_OK, mote_outline_validate(outline, &error));
            CHECK(!mote_isosurface_get_view(isosurface).triangle_count == (step == EMPTY), "triangles");
            CHECK(!(mote_isosurface_get_stats(isosurface).volume > 0) == (step == EMPTY), "volume");
            CHECK(mote_isosurface_byte_count(isosurface) > 0, "no bytes");
            GIVES_WITH(!memory.is_scarce, MOTE_OK, mote_isosurface_validate(isosurface, &error));
        }
        mote_outline_destroy(outline);
        mote_isosurface_destroy(isosurface);
        CHECK(mote_context_byte_count(context) == bytes, "surfaces leave bytes");
        mote_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces),
        cmocka_unit_test(surface_states),
        cmocka_unit_test(outline_and_isosurface_states),
    };
    RUN_TESTS(tests, argc, argv);
}
