// SPDX-License-Identifier: MIT
// What a step does with each particle for itself: every form has the bits of the plain one, whose formulas are checked
// for some particles; NaN and infinity included.

#include "fluid/tested.h"
#include "support/test.h"

enum { COUNT = 48, FORM_COUNT = 3 };  // a multiple of all widths

static const mote_simd all_forms[FORM_COUNT] = {MOTE_SIMD_PLAIN, MOTE_SIMD_128, MOTE_SIMD_AVX2};

typedef struct particles {
    fluid_place places[COUNT], half_places[COUNT];
    fluid_motion motions[COUNT], half_motions[COUNT];
    float excess[COUNT], density[COUNT], pressure[COUNT], rate[COUNT], bend[3][COUNT];
    float velocity[3][COUNT], acceleration[3][COUNT], shift[3][COUNT];
    double position[3][COUNT], among[COUNT];
} particles;

// `wild`: some values are infinite, not a number, or 0.
static void make_particles(particles *made, bool wild)
{
    const float odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 1e38f, 1e-42f};
    mote_random random = {5};
    memset(made, 0, sizeof *made);
    for (size_t i = 0; i < COUNT; ++i) {
        float r[32];
        for (int k = 0; k < 32; ++k) r[k] = (float)(mote_random_unit(&random) - 0.5);
        if (wild && i % 3 == 1) r[mote_random_below(&random, 32)] = odd[i / 3 % 7];
        made->places[i] = (fluid_place){r[0], r[1], r[2], 1e-6f * (1 + r[3])};
        made->motions[i] = (fluid_motion){r[4], r[5], r[6], r[7]};
        made->excess[i] = 0.1f * r[8], made->pressure[i] = r[9], made->rate[i] = r[10];
        for (int k = 0; k < 3; ++k) {
            made->bend[k][i] = r[11 + k], made->velocity[k][i] = r[14 + k], made->acceleration[k][i] = 9 * r[17 + k];
            made->shift[k][i] = 0.1f * r[20 + k], made->position[k][i] = (double)r[23 + k] * 1.0000000001;
        }
        made->among[i] = (double)r[26] * 1e-3;
    }
}

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// Bits that differ, but for those of NaN. Floats begin the struct, doubles end it.
static void compare(const particles *a, const particles *b, mote_simd form, const char *what)
{
    const size_t floats = offsetof(particles, position) / sizeof(float);
    for (size_t k = 0; k < floats; ++k) {
        float x, y;
        memcpy(&x, (const char *)a + k * sizeof x, sizeof x);
        memcpy(&y, (const char *)b + k * sizeof y, sizeof y);
        CHECK(same_number((double)x, (double)y), "%s, %s: number %zu is %g, in the plain form %g", what,
              mote_simd_name(form), k, (double)y, (double)x);
    }
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < COUNT; ++i)
            CHECK(same_number(a->position[k][i], b->position[k][i]), "%s, %s: particle %zu", what, mote_simd_name(form),
                  i);
}

static fluid_state state_of(particles *of)
{
    fluid_state state = {of->places, of->motions, of->excess, of->density, of->pressure, of->rate,
                         {of->bend[0], of->bend[1], of->bend[2]}, {NULL}, {NULL}};
    for (int k = 0; k < 3; ++k) state.velocity[k] = of->velocity[k], state.acceleration[k] = of->acceleration[k];
    return state;
}

static const fluid_middle middle = {0.01f, 1e-6f, 0.02f, -0.05f, {0, 0.001f, -0.002f}};

static void find_middles(const fluid_state_lanes *lanes, particles *of)
{
    const fluid_state state = state_of(of);
    lanes->middle(&middle, &state, 0, COUNT, of->half_places, of->half_motions);
}

static fluid_advance advance_of(int variant)
{
    fluid_advance of = {.factor = 1.5, .half_step = 0.01, .rest_volume = 1e-6, .rest_density = 1000, .stiffness = 400,
                        .trend = 0.25f, .onward = 0.5f, .kinematic = 1e-3f, .hyper = 2e-4f};
    of.moves = variant & 1, of.is_linear = variant & 2, of.may_be_negative = variant & 4;
    return of;
}

static void advance(const fluid_state_lanes *lanes, particles *of, int variant)
{
    const fluid_state state = state_of(of);
    const fluid_advance constants = advance_of(variant);
    lanes->advance(&constants, &state, 0, COUNT, of->among);
}

static fluid_limits kick(const fluid_state_lanes *lanes, particles *of)
{
    fluid_kick task = {.found = of->motions, .half_step = 0.01f};
    fluid_limits limits = {0.01f, 0.02f};
    for (int k = 0; k < 3; ++k) task.velocity[k] = of->velocity[k], task.acceleration[k] = of->acceleration[k];
    lanes->kick(&task, 0, COUNT, &limits);
    return limits;
}

static size_t drift(const fluid_state_lanes *lanes, particles *of, bool shifts, double half_size)
{
    fluid_free_drift task = {.dt = 0.02, .half_step = 0.01f};
    for (int k = 0; k < 3; ++k) {
        task.position[k] = of->position[k], task.velocity[k] = of->velocity[k];
        task.acceleration[k] = of->acceleration[k], task.shift[k] = shifts ? of->shift[k] : NULL;
        task.low[k] = -half_size, task.high[k] = half_size;
    }
    return lanes->drift(&task, 0, COUNT);
}

static void forms_have_the_same_bits(void **state)
{
    (void)state;
    const fluid_state_lanes *plain = &mote_state_lanes_plain;
    for (int f = 1; f < FORM_COUNT; ++f) {
        if (!test_has_form(all_forms[f])) continue;
        const fluid_state_lanes *lanes = mote_state_lanes_of(all_forms[f]);
        for (int wild = 0; wild < 2; ++wild) {
            particles start, a, b;
            make_particles(&start, wild);
            a = b = start;
            find_middles(plain, &a), find_middles(lanes, &b);
            compare(&a, &b, all_forms[f], "middle");
            for (int variant = 0; variant < 8; ++variant) {
                a = b = start;
                advance(plain, &a, variant), advance(lanes, &b, variant);
                compare(&a, &b, all_forms[f], "advance");
            }
            a = b = start;
            const fluid_limits one = kick(plain, &a), other = kick(lanes, &b);
            compare(&a, &b, all_forms[f], "kick");
            assert_memory_equal(&one, &other, sizeof one);
            for (int shifts = 0; shifts < 2; ++shifts) {  // nobody leaves, but those that are nowhere
                a = b = start;
                const size_t first_out = drift(plain, &a, shifts, 10), end = drift(lanes, &b, shifts, 10);
                assert_int_equal(end, first_out - first_out % lanes->width);
                assert_int_equal(first_out == COUNT, !wild);
                for (int k = 0; k < 3; ++k)
                    for (size_t i = end; i < first_out; ++i) {
                        a.position[k][i] = start.position[k][i];
                        a.velocity[k][i] = start.velocity[k][i];
                    }
                compare(&a, &b, all_forms[f], "drift");
            }
        }
    }
}

// The first vector with a particle that would leave the box stays where it is, and so do those behind it.
static void drift_ends_before_a_particle_that_leaves(void **state)
{
    (void)state;
    for (int f = 0; f < FORM_COUNT; ++f) {
        if (!test_has_form(all_forms[f])) continue;
        const fluid_state_lanes *lanes = mote_state_lanes_of(all_forms[f]);
        for (size_t out = 0; out < COUNT; ++out)
            for (int axis = 0; axis < 3; ++axis) {
                particles start, moved;
                make_particles(&start, false);
                start.position[axis][out] = out % 2 ? 2 : -2;
                moved = start;
                const size_t end = drift(lanes, &moved, true, 1);
                assert_int_equal(end, out - out % lanes->width);
                for (size_t i = 0; i < COUNT; ++i)
                    assert_int_equal(memcmp(&moved.position[axis][i], &start.position[axis][i], sizeof(double)) != 0,
                                     i < end);
            }
    }
}

// Ways that are all beyond one side of each body's box are free; others end the drift likewise.
static void drift_ends_before_a_particle_near_a_body(void **state)
{
    (void)state;
    mote_random random = {9};
    for (int trial = 0; trial < 300; ++trial) {
        fluid_free_drift task = {.dt = 0.02, .half_step = 0.01f, .low = {-9, -9, -9}, .high = {9, 9, 9}};
        particles start, all, moved;
        make_particles(&start, false);
        all = start;
        drift(&mote_state_lanes_plain, &all, true, 9);
        task.body_count = trial % (FLUID_BODIES + 1);
        for (int b = 0; b < task.body_count; ++b) {
            const size_t i = mote_random_below(&random, COUNT);
            for (int k = 0; k < 3; ++k) {
                const double half = 0.05 * mote_random_unit(&random), beside = 0.2 * (mote_random_unit(&random) - 0.5);
                task.body_low[b][k] = start.position[k][i] + beside - half;
                task.body_high[b][k] = start.position[k][i] + beside + half;
            }
        }
        size_t expected = 0;
        for (bool is_free = true; expected < COUNT && is_free; expected += is_free)
            for (int b = 0; b < task.body_count && is_free; ++b) {
                is_free = false;
                for (int k = 0; k < 3; ++k) {
                    const double from = start.position[k][expected], to = all.position[k][expected];
                    is_free |= fmax(from, to) < task.body_low[b][k] || fmin(from, to) > task.body_high[b][k];
                }
            }
        for (int f = 0; f < FORM_COUNT; ++f) {
            if (!test_has_form(all_forms[f])) continue;
            const fluid_state_lanes *lanes = mote_state_lanes_of(all_forms[f]);
            moved = start;
            for (int k = 0; k < 3; ++k) {
                task.position[k] = moved.position[k], task.velocity[k] = moved.velocity[k];
                task.acceleration[k] = moved.acceleration[k], task.shift[k] = moved.shift[k];
            }
            assert_int_equal(lanes->drift(&task, 0, COUNT), expected - expected % lanes->width);
        }
    }
}

static void near(double found, double expected, const char *what)
{
    CHECK(fabs(found - expected) <= 2e-6 * (fabs(expected) + 1e-3), "%s: %.9g, expected %.9g", what, found, expected);
}

static void plain_form_follows_the_formulas(void **state)
{
    (void)state;
    const fluid_state_lanes *plain = &mote_state_lanes_plain;
    particles start, now;
    make_particles(&start, false);
    now = start;
    find_middles(plain, &now);
    for (size_t i = 0; i < COUNT; ++i) {
        const double density = 1000 * (1 + (double)start.excess[i]) * (1 + 0.01 * (double)start.rate[i]);
        near((double)now.half_places[i].z, (double)start.places[i].z - 0.01 * (double)start.velocity[2][i], "z");
        near((double)now.half_places[i].volume * 1e6, 1e-3 / density * 1e6, "volume");
    }
    for (int variant = 0; variant < 8; ++variant) {
        const fluid_advance constants = advance_of(variant);
        now = start;
        advance(plain, &now, variant);
        for (size_t i = 0; i < COUNT; ++i) {
            const double half = constants.half_step * constants.factor * start.among[i];
            const double ratio = (1 + (double)start.excess[i]) * (constants.moves ? (1 + half) / (1 - half) : 1);
            const double density = 1000 * ratio;
            double pressure = 400 * (constants.is_linear ? ratio - 1 : pow(ratio, 7) - 1);
            if (!constants.may_be_negative) pressure = fmax(pressure, 0);
            near((double)now.excess[i], ratio - 1, "excess");
            near((double)now.density[i], density, "density");
            near((double)now.pressure[i], pressure, "pressure");
            near((double)now.places[i].volume * 1e6, 1e-3 / density * 1e6, "volume");
            near((double)now.motions[i].scalar, 1e-3 / density * pressure, "V P");
            near((double)now.bend[1][i], (double)start.motions[i].y, "bend");
        }
    }
    now = start;
    const fluid_limits limits = kick(plain, &now);
    double speed = 0.01, strength = 0.02;
    for (size_t i = 0; i < COUNT; ++i) {
        const fluid_motion a = start.motions[i];
        const double v[3] = {(double)now.velocity[0][i], (double)now.velocity[1][i], (double)now.velocity[2][i]};
        near(v[0], (double)start.velocity[0][i] + 0.01 * (double)a.x, "velocity");
        speed = fmax(speed, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        strength = fmax(strength, (double)(a.x * a.x + a.y * a.y + a.z * a.z));
    }
    near((double)limits.max_speed_squared, speed, "speed");
    near((double)limits.max_acceleration_squared, strength, "acceleration");
}

// Rows of all lengths, of one phase and of three, read in chunks that end anywhere.
static void rows_are_split_by_phase(void **state)
{
    (void)state;
    enum { RECORDS = 90, ROW = 70 };
    uint8_t phases[RECORDS + 3] = {0};
    uint32_t indices[ROW], chosen[ROW];
    mote_random random = {6};
    for (int k = 0; k < RECORDS; ++k) phases[k] = (uint8_t)(k < 30 ? 2 : mote_random_below(&random, 3));
    for (int form = 0; form < FORM_COUNT; ++form) {
        const fluid_state_lanes *lanes = mote_state_lanes_of(all_forms[form]);
        for (uint32_t count = 0; count <= ROW; ++count) {
            const uint32_t most = 1 + count % 37, range = count % 3 ? RECORDS : 30;
            bool alike = true;
            for (uint32_t k = 0; k < count; ++k) {
                indices[k] = RECORDS - 1 - (uint32_t)mote_random_below(&random, RECORDS);
                if (range < RECORDS) indices[k] %= range;
                alike &= phases[indices[k]] == 2;
            }
            const fluid_row row = {indices, count};
            CHECK(lanes->all_of(phases, row, 2) == alike, "%s: row of %u", mote_simd_name(all_forms[form]), count);
            for (uint32_t phase = 0; phase < 3; ++phase) {
                uint32_t at = 0, from = 0;
                while (at < count) {
                    const uint32_t found = lanes->choose(phases, row, phase, &at, most, chosen);
                    CHECK(found <= most && at <= count, "%u found, now at %u", found, at);
                    CHECK(found == most || at == count, "%u found, %u looked at", found, at);
                    for (uint32_t k = 0; k < found; ++k, ++from) {
                        while (from < count && phases[indices[from]] != phase) ++from;
                        CHECK(from < count && chosen[k] == indices[from], "%s: neighbour %u of phase %u",
                              mote_simd_name(all_forms[form]), from, phase);
                    }
                }
                while (from < count && phases[indices[from]] != phase) ++from;
                CHECK(from == count, "%s: neighbour %u of phase %u is missing", mote_simd_name(all_forms[form]), from,
                      phase);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_have_the_same_bits),
        cmocka_unit_test(drift_ends_before_a_particle_that_leaves),
        cmocka_unit_test(drift_ends_before_a_particle_near_a_body),
        cmocka_unit_test(plain_form_follows_the_formulas),
        cmocka_unit_test(rows_are_split_by_phase),
    };
    RUN_TESTS(tests, argc, argv);
}
