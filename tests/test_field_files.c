// SPDX-License-Identifier: MIT
// Files of fields: the same bytes for any threads and instructions, read back to the last bit; damaged, short and
// foreign ones are refused; a store of them changes no simulation.

#include "base/tested.h"
#include "fluid/tested.h"
#include "support/field.h"
#include "support/test.h"

typedef struct field_bytes {
    unsigned char *bytes;
    size_t length, at;
} field_bytes;

static bool append(void *user_data, const void *bytes, size_t length)
{
    field_bytes *to = user_data;
    to->bytes = realloc(to->bytes, to->length + length);
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
    return true;
}

static bool take_bytes(void *user_data, void *bytes, size_t length)
{
    field_bytes *from = user_data;
    if (length > from->length - from->at) return false;
    memcpy(bytes, from->bytes + from->at, length);
    from->at += length;
    return true;
}

static const uint64_t file_key[2] = {12, 34};

static mote_result read_back(mote_fluid *fluid, mote_box box, const field_bytes *file, const uint64_t key[2],
                             mote_error *error)
{
    field_bytes from = {file->bytes, file->length, 0};
    return mote_fluid_read_field(fluid, 0, box, key, take_bytes, &from, from.length, error);
}

// Fields of any threads and instructions are the same bytes, and are read back to the last bit.
static void files_are_read_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        const int32_t solver = kind < 2 ? MOTE_SOLVER_ONDERIK : MOTE_SOLVER_WEAK;
        mote_box box = {{0.1, 0.1, 0.1}, {0.4, 0.45, 0.35}};
        field_bytes first = {NULL, 0, 0};
        for (uint32_t threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
            mote_context_def with = mote_context_default_def();
            mote_context *context;
            with.thread_count = threads, with.simd = threads == 2 ? MOTE_SIMD_PLAIN : MOTE_SIMD_BEST;
            CHECK_OK(mote_context_create(&with, &context, NULL));
            mote_fluid *fluid = field_fluid(context, solver, 2 + kind % 2, &box, NULL, NULL);
            field_bytes file = {NULL, 0, 0};
            CHECK(mote_field_write(fluid, 0, file_key, append, &file), "it is not written");
            if (threads == 1) first = file;
            CHECK(file.length == first.length && memcmp(file.bytes, first.bytes, file.length) == 0,
                  "%u threads, kind %d: another file", threads, kind);
            CHECK_OK(read_back(fluid, box, &file, file_key, NULL));
            const wall_field *fields = fluid->fields.data;
            CHECK(fluid->field_count == 2 && fields[0].checksum == fields[1].checksum &&
                      fields[0].block_count == fields[1].block_count,
                  "kind %d: another field is read back", kind);
            CHECK_OK(mote_fluid_validate(fluid, NULL));
            mote_fluid_destroy(fluid);
            mote_context_destroy(context);
            if (threads > 1) free(file.bytes);
        }
        free(first.bytes);
    }
}

static void refuse_file(mote_fluid *fluid, mote_box box, const field_bytes *file, const uint64_t key[2],
                        const char *expected)
{
    mote_error error = {0};
    const size_t bytes = mote_fluid_byte_count(fluid);
    CHECK(read_back(fluid, box, file, key, &error) == MOTE_ERROR_FORMAT, "a file is taken, expected: %s", expected);
    CHECK(strstr(error.text, expected) && !strchr(error.text, '\n'), "\"%s\", expected: %s", error.text, expected);
    CHECK(fluid->field_count == 1 && mote_fluid_byte_count(fluid) == bytes, "a refused file has changed something");
}

// A file with other words, whose checksum holds.
static void refuse_made_up(mote_fluid *fluid, mote_box box, const field_bytes *file, size_t word, uint64_t value,
                           const char *expected)
{
    field_bytes other = {malloc(file->length), file->length, 0};
    uint64_t checksum[2];
    memcpy(other.bytes, file->bytes, file->length);
    for (int k = 0; k < 8; ++k) other.bytes[8 * word + (size_t)k] = (unsigned char)(value >> 8 * k);
    mote_word_checksum(other.bytes, file->length / 8 - 2, checksum);
    for (int k = 0; k < 16; ++k)
        other.bytes[file->length - 16 + (size_t)k] = (unsigned char)(checksum[k / 8] >> 8 * (k % 8));
    refuse_file(fluid, box, &other, file_key, expected);
    free(other.bytes);
}

static void files_of_others_are_refused(void **state)
{
    (void)state;
    mote_box box = {{0.1, 0, 0.1}, {0.4, 0, 0.35}};
    mote_fluid *fluid = field_fluid(NULL, MOTE_SOLVER_WEAK, 2, &box, NULL, NULL);
    field_bytes file = {NULL, 0, 0};
    CHECK(mote_field_write(fluid, 0, file_key, append, &file), "it is not written");
    for (size_t at = 0; at < file.length; at += at < 200 ? 1 : 97) {
        file.bytes[at] ^= 16;
        refuse_file(fluid, box, &file, file_key, "field file: it");
        file.bytes[at] ^= 16;
        field_bytes shorter = {file.bytes, at, 0};
        refuse_file(fluid, box, &shorter, file_key, "field file: it");
    }
    const uint64_t other_key[2] = {12, 35};
    refuse_file(fluid, box, &file, other_key, "it is of another body, or for another fluid");
    const uint64_t blocks = file.bytes[40] + 256U * file.bytes[41];
    refuse_made_up(fluid, box, &file, 5, blocks + 1, "its counts do not make up its length");
    refuse_made_up(fluid, box, &file, 5, UINT64_MAX, "its counts do not make up its length");
    refuse_made_up(fluid, box, &file, 4, 3 | UINT64_C(25) << 32, "it is of another body, or for another fluid");
    refuse_made_up(fluid, box, &file, 6, 9, "its blocks are none that a field can have");
    refuse_made_up(fluid, box, &file, 7, UINT64_MAX, "its blocks are none that a field can have");
    refuse_made_up(fluid, box, &file, file.length / 8 - 3, UINT64_C(0x7FC00000), "values that are not finite");
    free(file.bytes);
    mote_fluid_destroy(fluid);
}

// Keys tell apart what makes another field.
static void keys_differ(void **state)
{
    (void)state;
    uint64_t keys[8][2];
    for (int k = 0; k < 6; ++k) {
        mote_fluid_def def = mote_fluid_default_def();
        if (k > 0) mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL);
        def.spacing = k == 3 ? 0.051 : 0.05, def.dimensions = k == 4 ? 2 : 3;
        def.support = k == 2 ? 0.16 : k ? 0.15 : 0.1, def.kernel = k == 5 ? "quintic_spline" : NULL;
        mote_fluid *fluid;
        const uint64_t body[2] = {7, 8};
        mote_error error = {0};
        CHECK(mote_fluid_create(NULL, &def, &fluid, &error) == MOTE_OK, "fluid %d: %s", k, error.text);
        mote_field_make_key(fluid, body, keys[k]);
        mote_fluid_destroy(fluid);
        for (int i = 0; i < k; ++i)
            CHECK(memcmp(keys[i], keys[k], sizeof keys[k]) != 0, "fluids %d and %d have one key", i, k);
    }
}

// A store of one field.
typedef struct memory_store {
    field_bytes kept, opened;
    char key[33];
    int kept_count, read_count;
} memory_store;

static void *open_kept(void *user_data, const char *key, uint64_t *length)
{
    memory_store *store = user_data;
    if (!store->kept.bytes || strcmp(store->key, key) != 0) return NULL;
    ++store->read_count;
    store->opened = store->kept;
    *length = store->kept.length;
    return &store->opened;
}

static void close_kept(void *opened)
{
    ((field_bytes *)opened)->at = 0;
}

static void keep_field(void *user_data, const char *key, mote_wall_field_writer *write, const void *field)
{
    memory_store *store = user_data;
    free(store->kept.bytes);
    store->kept = (field_bytes){NULL, 0, 0};
    snprintf(store->key, sizeof store->key, "%s", key);
    ++store->kept_count;
    CHECK(write(field, append, &store->kept), "it is not written");
}

// The state of a simulation after some steps.
static field_bytes state_after(const field_boxes *made)
{
    field_bytes bytes = {NULL, 0, 0};
    mote_simulation *simulation = field_boxes_make(made);
    CHECK_OK(mote_simulation_run_until(simulation, 0.01, NULL, NULL, NULL));
    CHECK_OK(mote_simulation_validate(simulation, NULL));
    CHECK_OK(mote_fluid_write(mote_simulation_fluid(simulation), append, &bytes, NULL));
    mote_simulation_destroy(simulation);
    return bytes;
}

// Fields that were kept make the same simulation, and damaged ones are made again.
static void a_store_changes_nothing(void **state)
{
    (void)state;
    field_boxes made;
    memory_store store = {.kept_count = 0};
    const mote_wall_field_store fields = {open_kept, take_bytes, close_kept, keep_field, &store};
    field_boxes_fill(&made, (mote_box){{0, 0, 0}, {0.5, 0, 0.5}});
    made.def.has_tank = true;
    made.def.tank.min = (mote_vec3){0, 0, 0}, made.def.tank.max = (mote_vec3){1.5, 0, 1};
    field_boxes_add(&made, (mote_box){{0.5, 0, -0.2}, {0.8, 0, 0.4}});
    const field_bytes without = state_after(&made);
    made.def.field_store = &fields;
    for (int round = 0; round < 4; ++round) {
        if (round == 2) store.kept.bytes[store.kept.length / 2] ^= 1;
        if (round == 3) store.kept.length -= 8;
        const field_bytes with = state_after(&made);
        CHECK(with.length == without.length && memcmp(with.bytes, without.bytes, with.length) == 0,
              "round %d: another simulation", round);
        CHECK(store.kept_count == MOTE_MAX(round, 1) && store.read_count == round, "round %d: kept %d times, read %d",
              round, store.kept_count, store.read_count);
        free(with.bytes);
    }
    // Another side of the tank, or another place, is another field.
    made.def.tank.open_z_min = true;
    free(state_after(&made).bytes);
    CHECK(store.kept_count == 4 && store.read_count == 3, "a tank without a floor takes the field of one with it");
    field_boxes moved;
    field_boxes_fill(&moved, (mote_box){{0, 0, 0}, {0.5, 0, 0.5}});
    moved.def.has_tank = true, moved.def.tank = made.def.tank, moved.def.field_store = &fields;
    field_boxes_add(&moved, (mote_box){{0.51, 0, -0.2}, {0.81, 0, 0.4}});
    free(state_after(&moved).bytes);
    CHECK(store.kept_count == 5 && store.read_count == 3, "a box takes the field of one in another place");
    field_boxes_release(&moved, NULL);
    // A store that lacks a function is refused by simulations that need none, too.
    const mote_wall_field_store none = {.open = open_kept};
    mote_simulation *simulation = NULL;
    mote_error error = {0};
    made.def.field_store = &none, made.def.solid_count = 0;
    CHECK(mote_simulation_create(NULL, &made.def, &simulation, &error) == MOTE_ERROR_ARGUMENT &&
              strstr(error.text, "field_store lacks a function"),
          "%s", error.text);
    free(without.bytes);
    free(store.kept.bytes);
    field_boxes_release(&made, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_back),
        cmocka_unit_test(files_of_others_are_refused),
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(a_store_changes_nothing),
    };
    RUN_TESTS(tests, argc, argv);
}
