// SPDX-License-Identifier: MIT
// Particles as named arrays: what is added, removed and put into order belongs together in all arrays, and comes back
// from bytes as it was.

#include <stdlib.h>
#include <string.h>

#include "particles/tested.h"
#include "support/test.h"

enum { ID, PLACE, SPEED, SIDE, FIELDS, COUNT = 3000 };

static const particle_field fields[FIELDS] = {
    [ID] = {"id", "", MOTE_ARRAY_U64, 1},
    [PLACE] = {"place", "m", MOTE_ARRAY_F64, 3},
    [SPEED] = {"speed", "m/s", MOTE_ARRAY_F32, 1},
    [SIDE] = {"side", "", MOTE_ARRAY_U8, 1},
};

// Places, and in the other arrays what tells whose they are.
static void fill(particle_store *store, size_t begin)
{
    const uint64_t *ids = store->arrays[ID].data;
    for (size_t i = begin; i < store->count; ++i) {
        mote_random random = {ids[i]};
        double *place = (double *)store->arrays[PLACE].data + 3 * i;
        for (int k = 0; k < 3; ++k) place[k] = 8 * mote_random_unit(&random);
        ((float *)store->arrays[SPEED].data)[i] = (float)ids[i];
        ((uint8_t *)store->arrays[SIDE].data)[i] = (uint8_t)ids[i];
    }
}

static void check_together(const particle_store *store)
{
    const uint64_t *ids = store->arrays[ID].data;
    for (size_t i = 0; i < store->count; ++i) {
        mote_random random = {ids[i]};
        const double *place = (const double *)store->arrays[PLACE].data + 3 * i;
        for (int k = 0; k < 3; ++k) CHECK(place[k] == 8 * mote_random_unit(&random), "particle %zu has moved", i);
        CHECK(((const float *)store->arrays[SPEED].data)[i] == (float)ids[i], "particle %zu: another's speed", i);
        CHECK(((const uint8_t *)store->arrays[SIDE].data)[i] == (uint8_t)ids[i], "particle %zu: another's side", i);
    }
}

static mote_result order(particle_store *store, double edge)
{
    const double *place = store->arrays[PLACE].data, origin[3] = {1, 2, 3};
    const particle_places places = {{place, place + 1, place + 2}, 3};
    return mote_particles_order(store, &places, origin, edge);
}

static void make(particle_store *store, mote_context *context)
{
    mote_particles_init(store, context, fields, FIELDS);
    CHECK_OK(mote_particles_add(store, COUNT));
    fill(store, 0);
}

static void added_particles_are_numbered_and_zero(void **state)
{
    (void)state;
    particle_store store;
    make(&store, NULL);
    CHECK_OK(mote_particles_add(&store, 5));
    assert_int_equal(store.count, COUNT + 5);
    const mote_array speed = mote_particles_array(&store, SPEED), place = mote_particles_array(&store, PLACE);
    assert_string_equal(speed.unit, "m/s");
    assert_int_equal(place.components, 3);
    assert_int_equal(place.stride, 24);
    for (size_t i = COUNT; i < COUNT + 5; ++i) {
        assert_int_equal(((const uint64_t *)store.arrays[ID].data)[i], i);
        assert_true(((const float *)speed.component[0])[i] == 0);
    }
    fill(&store, COUNT);
    check_together(&store);
    CHECK(mote_particles_byte_count(&store) >= (COUNT + 5) * 37, "less than the arrays take");
    mote_particles_release(&store);
}

static void removed_particles_leave_the_others_in_order(void **state)
{
    (void)state;
    static bool marked[COUNT];
    particle_store store;
    make(&store, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; ++i) kept += !(marked[i] = i % 3 == 1 || i > COUNT - 7);
    mote_particles_remove(&store, marked);
    assert_int_equal(store.count, kept);
    check_together(&store);
    const uint64_t *ids = store.arrays[ID].data;
    for (size_t i = 1; i < kept; ++i) assert_true(ids[i - 1] < ids[i]);
    CHECK_OK(mote_particles_add(&store, 1));
    assert_int_equal(((const uint64_t *)store.arrays[ID].data)[kept], COUNT);  // ids are never given out twice
    mote_particles_release(&store);
}

// The Morton number of a cell, bit by bit.
static uint64_t cell_key(const double place[3], double edge)
{
    static const double origin[3] = {1, 2, 3};
    uint64_t key = 0;
    for (int bit = 0; bit < 21; ++bit)
        for (int k = 0; k < 3; ++k) {
            const uint64_t cell = (uint64_t)((place[k] - origin[k]) * (1 / edge) + 0x1p20);
            key |= (cell >> bit & 1) << (3 * bit + k);
        }
    return key;
}

static void order_is_by_cell_and_id_for_any_threads(void **state)
{
    (void)state;
    static bool marked[COUNT];
    uint64_t *first = NULL;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        mote_context *context = test_context_with_threads(threads);
        particle_store store;
        make(&store, context);
        const uint64_t *ids = store.arrays[ID].data;
        const double *place = store.arrays[PLACE].data;
        // From any order before: few particles to a cell, and crowded cells.
        static const double edges[] = {8, 0.7, 0.75, 8, 2, 0.7};
        for (size_t e = 0; e < sizeof edges / sizeof *edges; ++e) {
            CHECK_OK(order(&store, edges[e]));
            check_together(&store);
            for (size_t i = 1; i < COUNT; ++i) {
                const uint64_t a = cell_key(place + 3 * (i - 1), edges[e]), b = cell_key(place + 3 * i, edges[e]);
                CHECK(a < b || (a == b && ids[i - 1] < ids[i]), "edge %g: particles %zu and %zu are out of order",
                      edges[e], i - 1, i);
            }
        }
        if (!first) {
            first = malloc(COUNT * sizeof *first);
            memcpy(first, ids, COUNT * sizeof *first);
        }
        CHECK(memcmp(first, ids, COUNT * sizeof *first) == 0, "another order by %u threads", threads);
        for (size_t i = 0; i < COUNT; ++i) marked[i] = true;
        mote_particles_remove(&store, marked);
        CHECK_OK(order(&store, 1));  // of nothing
        mote_particles_release(&store);
        mote_context_destroy(context);
    }
    free(first);
}

static mote_result attempt(mote_context *context, void *data)
{
    (void)data;
    particle_store store;
    mote_particles_init(&store, context, fields, FIELDS);
    mote_result result = mote_particles_add(&store, 100);
    if (result == MOTE_OK) fill(&store, 0);
    if (result == MOTE_OK) result = mote_particles_add(&store, 1000);
    if (result == MOTE_OK) fill(&store, 100);
    if (result == MOTE_OK) result = order(&store, 1);
    check_together(&store);
    mote_particles_release(&store);
    return result;
}

static void refused_memory_changes_nothing(void **state)
{
    (void)state;
    test_failing_allocations(attempt, NULL);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    mote_error error;
    particle_store store;
    make(&store, NULL);
    CHECK_OK(mote_particles_validate(&store, "sand", &error));
    ((double *)store.arrays[PLACE].data)[3 * 7 + 2] = NAN;
    assert_int_equal(mote_particles_validate(&store, "sand", &error), MOTE_ERROR_STATE);
    assert_string_equal(error.text, "sand: particle 7 (id 7): its place is not finite");
    fill(&store, 0);
    ((float *)store.arrays[SPEED].data)[9] = HUGE_VALF;
    assert_int_equal(mote_particles_validate(&store, "sand", &error), MOTE_ERROR_STATE);
    assert_string_equal(error.text, "sand: particle 9 (id 9): its speed is not finite");
    fill(&store, 0);
    ((uint64_t *)store.arrays[ID].data)[3] = COUNT;
    assert_int_equal(mote_particles_validate(&store, "sand", &error), MOTE_ERROR_STATE);
    assert_string_equal(error.text, "sand: particle 3 has id 3000, 3000 were given");
    mote_particles_release(&store);
}

// ------------------------------------------------------------------------------------------------------ as bytes

typedef struct file {
    char bytes[1 << 18];
    size_t length, most;
} file;

static bool append(void *data, const void *bytes, size_t length)
{
    file *to = data;
    if (to->length + length > to->most) return false;
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
    return true;
}

static void bytes_bring_everything_back(void **state)
{
    (void)state;
    static bool marked[COUNT];
    file *written = calloc(1, sizeof *written);
    written->most = sizeof written->bytes;
    particle_store store, other;
    make(&store, NULL);
    for (size_t i = 0; i < COUNT; ++i) marked[i] = i % 2;
    mote_particles_remove(&store, marked);
    CHECK_OK(order(&store, 1));
    CHECK_OK(mote_particles_write(&store, append, written));
    make(&other, NULL);
    CHECK_OK(mote_particles_read(&other, written->bytes, written->length, NULL));
    assert_int_equal(other.count, store.count);
    assert_int_equal(other.next_id, store.next_id);
    for (size_t a = 0; a < FIELDS; ++a)
        assert_memory_equal(other.arrays[a].data, store.arrays[a].data, store.count * mote_particle_bytes(&fields[a]));
    written->length = 0;
    written->most = 1000;
    assert_int_equal(mote_particles_write(&store, append, written), MOTE_ERROR_FILE);
    mote_particles_release(&store);
    mote_particles_release(&other);
    free(written);
}

// Every byte counts: whichever is changed, and wherever the file ends, it is refused, and the store is as it was.
static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    file *written = calloc(1, sizeof *written);
    written->most = sizeof written->bytes;
    particle_store store, other;
    mote_particles_init(&store, NULL, fields, FIELDS);
    CHECK_OK(mote_particles_add(&store, 3));
    fill(&store, 0);
    CHECK_OK(mote_particles_write(&store, append, written));
    make(&other, NULL);
    for (size_t k = 0; k < written->length; ++k) {
        written->bytes[k] ^= 4;
        mote_error error = {0};
        assert_int_equal(mote_particles_read(&other, written->bytes, written->length, &error), MOTE_ERROR_FORMAT);
        assert_true(error.text[0] != 0);
        written->bytes[k] ^= 4;
        assert_int_equal(mote_particles_read(&other, written->bytes, k, NULL), MOTE_ERROR_FORMAT);
    }
    check_together(&other);
    assert_int_equal(other.count, COUNT);
    const particle_field fewer[2] = {fields[ID], fields[SPEED]};
    particle_store narrow;
    mote_particles_init(&narrow, NULL, fewer, 2);
    assert_int_equal(mote_particles_read(&narrow, written->bytes, written->length, NULL), MOTE_ERROR_FORMAT);
    mote_particles_release(&store);
    mote_particles_release(&other);
    mote_particles_release(&narrow);
    free(written);
}

// Bytes that were changed on purpose, with a checksum that holds: they are refused, or what was read is valid.
static void changed_bytes_are_refused_or_valid(void **state)
{
    (void)state;
    file *written = calloc(1, sizeof *written);
    written->most = sizeof written->bytes;
    particle_store store, other;
    make(&store, NULL);
    make(&other, NULL);
    CHECK_OK(mote_particles_write(&store, append, written));
    const size_t end = written->length - sizeof(uint64_t);
    size_t refused = 0, taken = 0;
    for (size_t k = 0; k < end; k += k < 400 ? 1 : end / 200 + 1)  // all of the head, some of the arrays
        for (int bit = 0; bit < 8; bit += 3) {
            unsigned char *byte = (unsigned char *)&written->bytes[k];
            *byte ^= (unsigned char)(1 << bit);
            const uint64_t sum = mote_checksum(MOTE_CHECKSUM_START, written->bytes, end);
            memcpy(written->bytes + end, &sum, sizeof sum);
            mote_error error = {0};
            const mote_result result = mote_particles_read(&other, written->bytes, written->length, &error);
            if (result == MOTE_OK) CHECK_OK(mote_particles_validate(&other, "particles", NULL));
            else assert_true(result == MOTE_ERROR_FORMAT && error.text[0] != 0);
            result == MOTE_OK ? ++taken : ++refused;
            *byte ^= (unsigned char)(1 << bit);
        }
    CHECK(refused > 100 && taken > 100, "%zu refused, %zu taken", refused, taken);
    mote_particles_release(&store);
    mote_particles_release(&other);
    free(written);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_particles_are_numbered_and_zero),
        cmocka_unit_test(removed_particles_leave_the_others_in_order),
        cmocka_unit_test(order_is_by_cell_and_id_for_any_threads),
        cmocka_unit_test(refused_memory_changes_nothing),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(bytes_bring_everything_back),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(changed_bytes_are_refused_or_valid),
    };
    RUN_TESTS(tests, argc, argv);
}
