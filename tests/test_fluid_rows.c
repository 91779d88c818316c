// SPDX-License-Identifier: MIT
// Rows of the fluid that are kept for a step and rows that are found again by each loop: the same bits, with all
// tensions as well, also where memory runs out in the middle of a step, which is then repeated.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mote/tension.h"
#include "mote/walls.h"
#include "support/test.h"
#include "support/water.h"

// Refuses one allocation.
typedef struct refusal {
    long calls, refused;  // the number of the one that is refused; 0: none
} refusal;

static void *allocate(void *user_data, size_t bytes, size_t alignment)
{
    refusal *state = user_data;
    const long call = __atomic_add_fetch(&state->calls, 1, __ATOMIC_SEQ_CST);
    void *memory = NULL;
    if (call == state->refused || posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    memset(memory, 0xA5, bytes);  // memory is not clean: nobody may count on it
    return memory;
}

static void release(void *user_data, void *memory, size_t bytes)
{
    (void)user_data, (void)bytes;
    free(memory);
}

typedef struct run_choice {
    int32_t preset, lists;
    int dimensions;
    uint32_t threads;
    refusal memory;
    size_t bytes;  // out: of the fluid after the run
    int failures;  // out: calls that had to be repeated
} run_choice;

// Repeats a call for which memory ran out.
#define INSIST(choice, call)                                                                       \
    for (mote_result insisted = (call); insisted != MOTE_OK; insisted = (call)) {                  \
        CHECK(insisted == MOTE_ERROR_OUT_OF_MEMORY, "%s: %s", #call, mote_result_name(insisted)); \
        CHECK(++(choice)->failures < 10, "%s goes on to fail", #call);                             \
    }

static void add_block(run_choice *choice, mote_fluid *fluid, double bottom)
{
    enum { SIDE = 6 };
    double at[3 * SIDE * SIDE * SIDE];
    const int deep = choice->dimensions == 3 ? SIDE : 1;
    size_t count = 0;
    for (int k = 0; k < SIDE; ++k)
        for (int j = 0; j < deep; ++j)
            for (int i = 0; i < SIDE; ++i) {
                at[3 * count] = 0.1 * i;
                at[3 * count + 1] = 0.1 * j;
                at[3 * count++ + 2] = bottom + 0.1 * k;
            }
    INSIST(choice, mote_fluid_add(fluid, 0, at, NULL, count, NULL));
}

static void add_floor(run_choice *choice, mote_fluid *fluid)
{
    double at[3 * 100], volumes[100];
    size_t count = 0;
    for (int j = 0; j < (choice->dimensions == 3 ? 10 : 1); ++j)
        for (int i = 0; i < 10; ++i) {
            volumes[count] = 1;
            at[3 * count] = 0.1 * (i - 2);
            at[3 * count + 1] = choice->dimensions == 3 ? 0.1 * (j - 2) : 0;
            at[3 * count++ + 2] = -0.1;
        }
    INSIST(choice, mote_fluid_add_walls(fluid, at, volumes, count, NULL));
}

static uint64_t checksum(mote_fluid *fluid)
{
    mote_fluid_view view;
    uint64_t bits = 0;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i) {
        uint64_t words[5] = {view.id[i]};
        memcpy(&words[1], &view.x[i], 8);
        memcpy(&words[2], &view.z[i], 8);
        memcpy(&words[3], &view.vz[i], 4);
        memcpy(&words[4], &view.density[i], 4);
        for (int k = 0; k < 5; ++k) bits = (bits ^ words[k]) * 0x100000001B3u + (bits >> 29);
    }
    return bits;
}

// A block falls on a floor, and another one comes; one particle is far from all others.
static uint64_t bits_of_run(run_choice *choice)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = choice->threads;
    context_def.allocator = (mote_allocator){allocate, release, &choice->memory};
    mote_context *context;
    mote_fluid *fluid;
    choice->failures = 0;
    INSIST(choice, mote_context_create(&context_def, &context, NULL));
    mote_fluid_def def = mote_fluid_default_def();
    CHECK_OK(mote_fluid_choose_preset(&def, choice->preset, NULL));
    def.dimensions = choice->dimensions;
    def.spacing = 0.1;
    def.neighbor_lists = choice->lists;
    INSIST(choice, mote_fluid_create(context, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 20, NULL));
    add_floor(choice, fluid);
    add_block(choice, fluid, 0);
    const double alone[3] = {0.2, 0, 5}, fall[3] = {0, 0, -1};
    INSIST(choice, mote_fluid_add(fluid, 0, alone, fall, 1, NULL));
    for (int step = 0; step < 8; ++step) {
        double dt;
        if (step == 4) add_block(choice, fluid, 1);
        INSIST(choice, mote_fluid_time_step(fluid, &dt, NULL));
        INSIST(choice, mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    }
    mote_fluid_view view;
    INSIST(choice, mote_fluid_get_view(fluid, &view, NULL));
    const uint64_t bits = checksum(fluid);
    choice->bytes = mote_fluid_byte_count(fluid);
    mote_fluid_destroy(fluid);
    mote_context_destroy(context);
    return bits;
}

static void kept_and_found_twice_have_the_same_bits(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; ++preset)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            run_choice kept = {.preset = preset, .lists = MOTE_LISTS_KEPT, .dimensions = dimensions, .threads = 1};
            const uint64_t bits = bits_of_run(&kept);
            for (uint32_t threads = 1; threads <= 3; threads += 2) {
                run_choice none = {
                    .preset = preset, .lists = MOTE_LISTS_NONE, .dimensions = dimensions, .threads = threads};
                CHECK(bits_of_run(&none) == bits, "preset %d, %dD, %u threads", (int)preset, dimensions, threads);
                CHECK(preset == MOTE_PRESET_DOCUMENT || none.bytes < kept.bytes || threads > 1,
                      "preset %d, %dD: %zu bytes without lists, %zu with them", (int)preset, dimensions, none.bytes,
                      kept.bytes);
            }
        }
}

static void a_step_without_memory_can_be_repeated(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; ++preset)
        for (int32_t lists = MOTE_LISTS_KEPT; lists <= MOTE_LISTS_NONE; ++lists) {
            run_choice undisturbed = {.preset = preset, .lists = lists, .dimensions = 2, .threads = 1};
            const uint64_t bits = bits_of_run(&undisturbed);
            const long calls = undisturbed.memory.calls;
            const long step = SEEKS_RACES ? 5 : 1;
            int failures = 0;
            for (long n = 1; n <= calls; n += step) {
                run_choice poor = {
                    .preset = preset, .lists = lists, .dimensions = 2, .threads = 1, .memory = {.refused = n}};
                CHECK(bits_of_run(&poor) == bits, "preset %d, lists %d, allocation %ld of %ld is refused", (int)preset,
                      (int)lists, n, calls);
                failures += poor.failures;
            }
            CHECK(failures > calls / step / 2, "only %d of %ld refusals were told", failures, calls);
        }
}

// ------------------------------------------------------------------------------------------------------- tensions

enum { EDGE = 10 };  // particles of a box of 1 m along each axis

// A drop in another fluid, or alone: in a box that is periodic, or above a floor.
typedef struct drop_choice {
    int32_t model, lists, steps;  // model -1: no tension
    int dimensions;
    uint32_t phases, threads;
    bool is_periodic;
    refusal memory;
    size_t bytes;      // out: of the fluid after the run
    size_t particles;  // out
    uint64_t particle_steps;  // out
    int failures;      // out: calls that had to be repeated
} drop_choice;

static mote_fluid *create_drop(drop_choice *choice, mote_context *context)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid *fluid;
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL));
    def.dimensions = choice->dimensions, def.spacing = 1.0 / EDGE;
    def.neighbor_lists = choice->lists, def.steps = choice->steps;
    if (choice->model == MOTE_TENSION_COHESION) def.support = 4 * def.spacing;
    INSIST(choice, mote_fluid_create(context, &def, &fluid, NULL));
    for (uint32_t k = 0; k < choice->phases; ++k) {
        mote_phase_def phase = mote_phase_default_def();
        uint32_t number;
        phase.rest_density = k ? 100 : 1000, phase.sound_speed = k ? NAN : 20;
        CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
    }
    if (choice->is_periodic) {
        mote_period_def period = mote_period_default_def();
        period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){1, 1, 1};
        period.x = period.z = true, period.y = choice->dimensions == 3;
        CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    }
    if (choice->model < 0) return fluid;
    mote_tension_def tension = mote_tension_default_def();
    tension.sigma = 5, tension.model = choice->model;
    if (choice->model == MOTE_TENSION_COHESION) tension.adhesion = 2;
    CHECK_OK(mote_fluid_set_tension(fluid, 0, choice->phases - 1, &tension, NULL));
    return fluid;
}

static void add_drop(drop_choice *choice, mote_fluid *fluid)
{
    const int deep = choice->dimensions == 3 ? EDGE : 1;
    const double d = 1.0 / EDGE;
    for (uint32_t phase = 0; phase < choice->phases; ++phase) {
        double at[3 * EDGE * EDGE * EDGE];
        size_t count = 0;
        for (int i = 0; i < EDGE * EDGE * deep; ++i) {
            double *to = at + 3 * count;
            to[0] = (i % EDGE + 0.5) * d, to[2] = (i / EDGE % EDGE + 0.5) * d;
            to[1] = choice->dimensions == 3 ? (i / (EDGE * EDGE) + 0.5) * d : 0;
            const double y = choice->dimensions == 3 ? to[1] - 0.45 : 0, r = hypot(hypot(to[0] - 0.5, y), to[2] - 0.3);
            count += (r > 0.31) == (phase == 1);
        }
        INSIST(choice, mote_fluid_add(fluid, phase, at, NULL, count, NULL));
    }
}

static void add_wide_floor(drop_choice *choice, mote_fluid *fluid)
{
    double at[3 * EDGE * EDGE], volumes[EDGE * EDGE];
    const size_t count = choice->dimensions == 3 ? EDGE * EDGE : EDGE;
    for (size_t i = 0; i < count; ++i) {
        at[3 * i] = ((double)(i % EDGE) + 0.5) / EDGE, at[3 * i + 2] = -0.5 / EDGE;
        at[3 * i + 1] = choice->dimensions == 3 ? ((double)(i / EDGE) + 0.5) / EDGE : 0;
        volumes[i] = 1;
    }
    INSIST(choice, mote_fluid_add_walls(fluid, at, volumes, count, NULL));
}

static uint64_t bits_of_drop(drop_choice *choice)
{
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = choice->threads;
    context_def.allocator = (mote_allocator){allocate, release, &choice->memory};
    mote_context *context;
    choice->failures = 0;
    INSIST(choice, mote_context_create(&context_def, &context, NULL));
    mote_fluid *fluid = create_drop(choice, context);
    if (!choice->is_periodic) add_wide_floor(choice, fluid);
    add_drop(choice, fluid);
    for (int step = 0; step < 6; ++step) {
        double dt;
        INSIST(choice, mote_fluid_time_step(fluid, &dt, NULL));
        INSIST(choice, mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
    }
    mote_fluid_view view;
    INSIST(choice, mote_fluid_get_view(fluid, &view, NULL));
    const uint64_t bits = checksum(fluid);
    choice->bytes = mote_fluid_byte_count(fluid);
    choice->particles = view.count;
    choice->particle_steps = mote_fluid_get_counters(fluid).particle_steps;
    mote_fluid_destroy(fluid);
    mote_context_destroy(context);
    return bits;
}

static void check_drop(drop_choice kept)
{
    kept.lists = MOTE_LISTS_KEPT, kept.threads = 1;
    const uint64_t bits = bits_of_drop(&kept);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        drop_choice none = kept;
        none.lists = MOTE_LISTS_NONE, none.threads = threads;
        const bool same = bits_of_drop(&none) == bits;
        CHECK(same, "model %d, %dD, steps %d, %s, %u threads", (int)kept.model, kept.dimensions, (int)kept.steps,
              kept.is_periodic ? "periodic" : "floor", threads);
        CHECK(threads > 1 || kept.steps != MOTE_STEPS_GLOBAL || none.bytes < kept.bytes,
              "model %d, %dD: %zu bytes without lists, %zu with them", (int)kept.model, kept.dimensions, none.bytes,
              kept.bytes);
    }
    drop_choice untouched = kept;
    untouched.model = -1;
    CHECK(bits_of_drop(&untouched) != bits, "model %d, %dD: no tension acts", (int)kept.model, kept.dimensions);
    CHECK(kept.steps == MOTE_STEPS_GLOBAL || kept.phases < 2 || kept.particle_steps != 6 * kept.particles,
          "model %d, %dD: all steps are alike", (int)kept.model, kept.dimensions);
}

static void tensions_have_the_same_bits_without_lists(void **state)
{
    (void)state;
    const int step = SANITIZED ? 3 : 1;
    for (int32_t model = 0; mote_tension_model_at((size_t)model); ++model)
        for (int k = 0; k < 8; k += step) {
            drop_choice choice = {.model = model, .phases = model == MOTE_TENSION_COHESION ? 1 : 2};
            choice.dimensions = 2 + k % 2, choice.is_periodic = k / 2 % 2 && choice.phases == 2;
            choice.steps = k / 4 ? MOTE_STEPS_INDIVIDUAL : MOTE_STEPS_GLOBAL;
            check_drop(choice);
        }
}

static void a_step_with_a_tension_can_be_repeated(void **state)
{
    (void)state;
    drop_choice undisturbed = {.lists = MOTE_LISTS_NONE, .dimensions = 2, .phases = 2, .threads = 1,
                               .is_periodic = true};
    undisturbed.model = MOTE_TENSION_STRESS;
    const uint64_t bits = bits_of_drop(&undisturbed);
    const long calls = undisturbed.memory.calls, step = SEEKS_RACES ? 5 : 1;
    for (long n = 1; n <= calls; n += step) {
        drop_choice poor = undisturbed;
        poor.memory = (refusal){.refused = n};
        CHECK(bits_of_drop(&poor) == bits, "allocation %ld of %ld is refused", n, calls);
    }
}

static size_t bytes_of_drop(int32_t model, int32_t lists, bool is_periodic)
{
    drop_choice choice = {.model = model, .lists = lists, .dimensions = 3, .phases = 2, .threads = 1};
    choice.is_periodic = is_periodic;
    bits_of_drop(&choice);
    return choice.bytes;
}

// A gradient of 16 bytes for each particle and image, and for the filling record; buffers grow in steps of 64 bytes.
static void a_tension_takes_16_bytes_of_each_particle(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const size_t wide = EDGE + 2 * 3 * (size_t)k, most = 16 * (wide * wide * wide + 1) + 64;
        const size_t without = bytes_of_drop(-1, MOTE_LISTS_AUTO, k), plain = bytes_of_drop(-1, MOTE_LISTS_NONE, k);
        const size_t with = bytes_of_drop(MOTE_TENSION_STRESS, MOTE_LISTS_AUTO, k);
        CHECK(without == plain, "%zu bytes, without lists %zu", without, plain);
        CHECK(with > without && with - without <= most, "%s: a tension takes %zu bytes of %d particles",
              k ? "periodic" : "floor", with - without, EDGE * EDGE * EDGE);
    }
}

static bool keep_bytes(void *user_data, const void *bytes, size_t count)
{
    char **to = user_data;
    memcpy(*to, bytes, count);
    *to += count;
    return true;
}

static void a_state_that_was_read_has_sums(void **state)
{
    (void)state;
    for (int32_t preset = MOTE_PRESET_FAST; preset <= MOTE_PRESET_ENGINEERING; ++preset) {
        mote_fluid_def def = mote_fluid_default_def();
        CHECK_OK(mote_fluid_choose_preset(&def, preset, NULL));
        def.dimensions = 2, def.spacing = 0.1;
        run_choice choice = {.dimensions = 2};
        mote_fluid *fluids[2];
        float sums[2][36];
        char *bytes = malloc(1 << 20), *end = bytes;
        for (int k = 0; k < 2; ++k) {
            CHECK_OK(mote_fluid_create(NULL, &def, &fluids[k], NULL));
            CHECK_OK(add_water(fluids[k], 20, NULL));
            add_floor(&choice, fluids[k]);
        }
        add_block(&choice, fluids[0], 0);
        CHECK_OK(mote_fluid_advance(fluids[0], 1e-3, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_sum_densities(fluids[0], sums[0], NULL));
        CHECK_OK(mote_fluid_write(fluids[0], keep_bytes, &end, NULL));
        CHECK_OK(mote_fluid_read(fluids[1], bytes, (size_t)(end - bytes), NULL));
        CHECK_OK(mote_fluid_sum_densities(fluids[1], sums[1], NULL));
        for (int i = 0; i < 36; ++i)
            CHECK(fabsf(sums[0][i] - sums[1][i]) <= 1e-6f * sums[0][i], "preset %d: %g, then %g", (int)preset,
                  (double)sums[0][i], (double)sums[1][i]);
        for (int k = 0; k < 2; ++k) mote_fluid_destroy(fluids[k]);
        free(bytes);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_found_twice_have_the_same_bits),
        cmocka_unit_test(a_step_without_memory_can_be_repeated),
        cmocka_unit_test(tensions_have_the_same_bits_without_lists),
        cmocka_unit_test(a_step_with_a_tension_can_be_repeated),
        cmocka_unit_test(a_tension_takes_16_bytes_of_each_particle),
        cmocka_unit_test(a_state_that_was_read_has_sums),
    };
    RUN_TESTS(tests, argc, argv);
}
