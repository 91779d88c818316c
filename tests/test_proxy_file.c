// SPDX-License-Identifier: MIT
// Proxies as files: what is written is read back to the last bit; what is damaged, cut short or made up is refused and
// never harms; keys tell apart what makes another proxy.

#include "proxy/tested.h"
#include "support/shapes.h"
#include "support/test.h"

// --------------------------------------------------------------------------------------------------------- proxies

// A square sheet, tilted: it has a rim.
static mote_mesh *make_sheet(mote_context *context)
{
    const mote_vec3 vertices[] = {{0, 0, 0}, {1, 0.1, 0.13}, {1.1, 1.2, 0.31}, {0.05, 1, 0.11}};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, 4, triangles, 2, &mesh, NULL));
    return mesh;
}

static mote_proxy *make_proxy(const mote_mesh *mesh, int depth, bool keep)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.min_depth = 1;
    def.max_depth = depth;
    def.table_depth = MOTE_MIN(3, depth);
    def.keep_triangles = keep;
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, &def, &mesh, mesh != NULL, &proxy, NULL));
    return proxy;
}

static mote_proxy *proxy_of_sheet(void)
{
    mote_mesh *sheet = make_sheet(NULL);
    mote_proxy *proxy = make_proxy(sheet, 3, true);
    mote_mesh_destroy(sheet);
    CHECK(proxy->all.count > 0 && proxy->rims.count > 0, "a sheet without rims");
    return proxy;
}

// ----------------------------------------------------------------------------------------------------------- files

typedef struct file {
    unsigned char *bytes;
    size_t length;
    int calls_left;  // before the sink fails
} file;

static bool append(void *user_data, const void *bytes, size_t length)
{
    file *to = user_data;
    if (to->calls_left-- == 0) return false;
    to->bytes = realloc(to->bytes, to->length + length);
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
    return true;
}

static file written(const mote_proxy *proxy)
{
    file made = {NULL, 0, 1 << 30};
    CHECK_OK(mote_proxy_write(proxy, append, &made, NULL));
    return made;
}

static void check_refused(const void *bytes, size_t length, const char *what, size_t at)
{
    mote_proxy *proxy = NULL;
    mote_error error = {0};
    const mote_result result = mote_proxy_read(NULL, bytes, length, &proxy, &error);
    CHECK(result == MOTE_ERROR_FORMAT && !proxy && error.text[0], "%s at %zu: %s", what, at, mote_result_name(result));
}

static void check_same_lists(const mote_leaf_lists *a, const mote_leaf_lists *b)
{
    CHECK(a->count == b->count && a->node_count == b->node_count && a->triangle_count == b->triangle_count, "lists");
    if (a->count == 0) return;
    assert_memory_equal(a->list_of, b->list_of, a->node_count * sizeof *a->list_of);
    assert_memory_equal(a->first, b->first, (a->count + 1) * sizeof *a->first);
    assert_memory_equal(a->references, b->references, (size_t)a->first[a->count] * sizeof *a->references);
    assert_memory_equal(a->triangles, b->triangles, a->triangle_count * sizeof *a->triangles);
}

static void check_same(const mote_proxy *a, const mote_proxy *b)
{
    CHECK(a->def.min_depth == b->def.min_depth && a->def.max_depth == b->def.max_depth &&
              a->def.tolerance == b->def.tolerance && a->def.variation == b->def.variation &&
              a->def.table_depth == b->def.table_depth && a->def.keep_triangles == b->def.keep_triangles,
          "another def");
    assert_memory_equal(&a->origin, &b->origin, sizeof a->origin);
    CHECK(a->leaf == b->leaf && a->scale == b->scale, "leaf %g and %g", a->leaf, b->leaf);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->table, b->table, sizeof *a->table << 3 * a->def.table_depth);
    check_same_lists(&a->all, &b->all);
    check_same_lists(&a->rims, &b->rims);
    const mote_proxy_stats one = mote_proxy_get_stats(a), other = mote_proxy_get_stats(b);
    assert_memory_equal(&one, &other, sizeof one);
}

static void check_round_trip(mote_proxy *proxy)
{
    file first = written(proxy);
    // At an odd address.
    unsigned char *moved = malloc(first.length + 1);
    memcpy(moved + 1, first.bytes, first.length);
    mote_proxy *copy;
    mote_error error;
    if (mote_proxy_read(NULL, moved + 1, first.length, &copy, &error) != MOTE_OK) FAIL("%s", error.text);
    free(moved);
    check_same(proxy, copy);
    CHECK_OK(mote_proxy_validate(copy, &error));
    file again = written(copy);
    CHECK(again.length == first.length, "%zu bytes, then %zu", first.length, again.length);
    assert_memory_equal(again.bytes, first.bytes, first.length);
    free(first.bytes);
    free(again.bytes);
    mote_proxy_destroy(copy);
    mote_proxy_destroy(proxy);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    mote_mesh *meshes[] = {shape_cube(NULL, 1), shape_sphere(NULL, 4), shape_star(NULL), make_sheet(NULL), NULL};
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; ++m) {
        for (int depth = 2; depth <= 6; ++depth)
            for (int keep = 0; keep < 2; ++keep) check_round_trip(make_proxy(meshes[m], depth, keep));
        mote_proxy *dropped = make_proxy(meshes[m], 5, true);
        mote_proxy_drop_triangles(dropped);
        check_round_trip(dropped);
        mote_mesh_destroy(meshes[m]);
    }
}

static void read_proxies_move_particles_alike(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static float x[2][3 * COUNT], v[2][3 * COUNT];
    static uint8_t labels[2][COUNT];
    mote_mesh *star = shape_star(NULL);
    mote_proxy *proxies[2] = {make_proxy(star, 6, true), NULL};
    file kept = written(proxies[0]);
    CHECK_OK(mote_proxy_read(NULL, kept.bytes, kept.length, &proxies[1], NULL));
    free(kept.bytes);
    mote_mesh_destroy(star);
    mote_proxy_counters counters[2] = {0};
    for (int k = 0; k < 2; ++k) {
        mote_random random = {7};
        for (int i = 0; i < 3 * COUNT; ++i) {
            x[k][i] = (float)(2.4 * mote_random_unit(&random) - 1.2);
            v[k][i] = (float)(4 * mote_random_unit(&random) - 2);
        }
        const mote_proxy_particles particles = mote_proxy_particles_xyz(x[k], v[k], labels[k], COUNT);
        const mote_response response = mote_response_bounce(0.5, 0.1);
        CHECK_OK(mote_proxy_stamp(proxies[k], &particles, NULL));
        for (int step = 0; step < 50; ++step)
            CHECK_OK(mote_proxy_advance(proxies[k], &particles, 0.02, &response, counters + k, NULL));
        mote_proxy_destroy(proxies[k]);
    }
    CHECK(counters[0].bounces > 100, "nothing was hit");
    assert_memory_equal(counters, counters + 1, sizeof *counters);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
}

// ---------------------------------------------------------------------------------------------------------- damage

static void every_damaged_byte_is_noticed(void **state)
{
    (void)state;
    mote_proxy *proxy = proxy_of_sheet();
    file whole = written(proxy);
    const size_t step = SANITIZED ? 7 : 1;
    for (size_t at = 0; at < whole.length; at += step)
        for (int bit = 0; bit < 8; bit += 7) {
            whole.bytes[at] ^= (unsigned char)(1 << bit);
            check_refused(whole.bytes, whole.length, "a flipped bit", at);
            whole.bytes[at] ^= (unsigned char)(1 << bit);
        }
    mote_proxy *again;
    CHECK_OK(mote_proxy_read(NULL, whole.bytes, whole.length, &again, NULL));
    mote_proxy_destroy(again);
    free(whole.bytes);
    mote_proxy_destroy(proxy);
}

static void other_lengths_are_refused(void **state)
{
    (void)state;
    mote_proxy *proxy = proxy_of_sheet();
    file whole = written(proxy);
    const size_t step = SANITIZED ? 5 : 1;
    for (size_t length = 0; length < whole.length; length += step) {
        unsigned char *part = malloc(length + 1);  // so that reading beyond it is noticed
        memcpy(part + 1, whole.bytes, length);
        check_refused(part + 1, length, "cut short", length);
        free(part);
    }
    whole.bytes = realloc(whole.bytes, 2 * whole.length);
    memcpy(whole.bytes + whole.length, whole.bytes, whole.length);
    for (size_t more = 1; more <= 17; ++more)
        check_refused(whole.bytes, whole.length + more, "too long", whole.length + more);
    check_refused(whole.bytes, 2 * whole.length, "twice", whole.length);
    free(whole.bytes);
    mote_proxy_destroy(proxy);
}

static uint64_t load_word(const file *of, size_t i)
{
    uint64_t word = 0;
    for (size_t k = 0; k < 8; ++k) word |= (uint64_t)of->bytes[8 * i + k] << 8 * k;
    return word;
}

static void store_word(file *of, size_t i, uint64_t word)
{
    for (size_t k = 0; k < 8; ++k) of->bytes[8 * i + k] = (unsigned char)(word >> 8 * k);
}

static void sign(file *of)
{
    uint64_t checksum[2];
    const size_t words = of->length / 8 - 2;
    mote_proxy_checksum(of->bytes, words, checksum);
    for (size_t k = 0; k < 2; ++k) store_word(of, words + k, checksum[k]);
}

// Whoever reads it all the same gets a proxy that may be wrong, but harms nobody.
static bool is_refused_or_harmless(const file *of)
{
    mote_proxy *proxy;
    const mote_result result = mote_proxy_read(NULL, of->bytes, of->length, &proxy, NULL);
    if (result != MOTE_OK) {
        CHECK(result == MOTE_ERROR_FORMAT || result == MOTE_ERROR_OUT_OF_MEMORY, "%s", mote_result_name(result));
        return true;
    }
    mote_error error;
    if (mote_proxy_validate(proxy, &error) != MOTE_OK) FAIL("%s", error.text);
    enum { COUNT = 32 };
    float x[3 * COUNT], v[3 * COUNT];
    uint8_t labels[COUNT];
    mote_random random = {9};
    for (int i = 0; i < 3 * COUNT; ++i) {
        x[i] = (float)(1.4 * mote_random_unit(&random) - 0.1);
        v[i] = (float)(2 * mote_random_unit(&random) - 1);
    }
    const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, labels, COUNT);
    const mote_response response = mote_response_bounce(0.5, 0.1);
    mote_proxy_triangle_hit hits[COUNT];
    mote_proxy_stamp(proxy, &particles, NULL);
    mote_proxy_first_triangles(proxy, &particles, 1, hits, NULL);
    // In leaves of next to no size motions are not finite.
    const mote_result moved = mote_proxy_advance(proxy, &particles, 1, &response, NULL, &error);
    if (moved != MOTE_OK && moved != MOTE_ERROR_NOT_FINITE) FAIL("%s", error.text);
    mote_proxy_destroy(proxy);
    return false;
}

// Every word replaced, with a checksum that holds: what counts and indices say is not believed.
static void files_that_lie_do_no_harm(void **state)
{
    (void)state;
    mote_proxy *proxy = proxy_of_sheet();
    file lie = written(proxy);
    const size_t words = lie.length / 8 - 2;
    size_t refused = 0, tried = 0;
    mote_random random = {11};
    for (size_t i = 0; i < words; ++i) {
        const uint64_t truth = load_word(&lie, i);
        const uint64_t others[] = {0, UINT64_MAX, truth + 1, truth - 1, truth ^ UINT64_C(1) << 63, truth << 32,
                                   truth ^ UINT64_C(1) << 31, mote_random_next(&random), UINT32_MAX,
                                   UINT64_C(0x7FF8000000000000), truth ^ UINT64_C(1) << mote_random_below(&random, 64)};
        const size_t count = sizeof others / sizeof *others;
        for (size_t k = i % (SANITIZED ? 3 : 1); k < count; k += SANITIZED ? 3 : 1) {
            if (others[k] == truth) continue;
            store_word(&lie, i, others[k]);
            sign(&lie);
            refused += is_refused_or_harmless(&lie);
            ++tried;
        }
        store_word(&lie, i, truth);
    }
    sign(&lie);
    CHECK(!is_refused_or_harmless(&lie), "the truth is refused");
    CHECK(refused > tried / 4 && refused < tried, "%zu of %zu were refused", refused, tried);
    free(lie.bytes);
    mote_proxy_destroy(proxy);
}

// A word in the head asks for a table of half a gigabyte.
static void tables_are_no_deeper_than_nodes_call_for(void **state)
{
    (void)state;
    enum { DEPTHS = 2, SHIFT = 16, COUNT = 2000 };
    mote_mesh *sheet = make_sheet(NULL);
    mote_proxy *proxy = make_proxy(sheet, 9, false), *read = NULL;
    file deep = written(proxy);
    const uint64_t depths = load_word(&deep, DEPTHS);
    store_word(&deep, DEPTHS, (depths & ~(UINT64_C(0xFF) << SHIFT)) | UINT64_C(9) << SHIFT);
    sign(&deep);
    mote_context_def def = mote_context_default_def();
    def.max_bytes = (16 << 20) + 64 * deep.length;
    def.thread_count = 1;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    mote_error error = {0};
    mote_result result = mote_proxy_read(context, deep.bytes, deep.length, &read, &error);
    CHECK(result == MOTE_OK, "%zu bytes: %s", deep.length, error.text);
    CHECK_OK(mote_proxy_validate(read, &error));
    assert_int_equal(mote_proxy_resolved_def(read).table_depth, 7);
    mote_random random = {3};
    for (int k = 0; k < COUNT; ++k) {
        const mote_vec3 point = {1.4 * mote_random_unit(&random) - 0.2, 1.4 * mote_random_unit(&random) - 0.2,
                                 0.6 * mote_random_unit(&random) - 0.1};
        const mote_proxy_place one = mote_proxy_locate(proxy, point), other = mote_proxy_locate(read, point);
        CHECK(one.kind == other.kind && one.depth == other.depth, "point %d", k);
    }
    mote_proxy_destroy(read);
    mote_context_destroy(context);
    free(deep.bytes);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(sheet);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    mote_proxy *proxy = proxy_of_sheet();
    file other = written(proxy);
    store_word(&other, 1, load_word(&other, 1) + 1);
    sign(&other);
    mote_proxy *none;
    mote_error error;
    assert_int_equal(mote_proxy_read(NULL, other.bytes, other.length, &none, &error), MOTE_ERROR_FORMAT);
    CHECK(strcmp(error.text, "proxy file: it was made by another version of mote") == 0, "%s", error.text);
    assert_int_equal(mote_proxy_read(NULL, NULL, 0, &none, &error), MOTE_ERROR_ARGUMENT);
    assert_int_equal(mote_proxy_write(proxy, NULL, NULL, &error), MOTE_ERROR_ARGUMENT);
    free(other.bytes);
    mote_proxy_destroy(proxy);
}

static void a_sink_that_fails_ends_it(void **state)
{
    (void)state;
    mote_mesh *sphere = shape_sphere(NULL, 4);
    mote_proxy *proxy = make_proxy(sphere, 6, true);
    int calls = 0;
    for (;; ++calls) {
        file part = {NULL, 0, calls};
        const mote_result result = mote_proxy_write(proxy, append, &part, NULL);
        CHECK(result == MOTE_OK || part.calls_left == -1, "the sink was called again");
        free(part.bytes);
        if (result == MOTE_OK) break;
        assert_int_equal(result, MOTE_ERROR_FILE);
    }
    CHECK(calls > 3, "%d pieces", calls);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(sphere);
}

static mote_result read_once(mote_context *context, void *data)
{
    const file *kept = data;
    mote_proxy *proxy;
    mote_result result = mote_proxy_read(context, kept->bytes, kept->length, &proxy, NULL);
    if (result == MOTE_OK) mote_proxy_destroy(proxy);
    return result;
}

static void memory_runs_out(void **state)
{
    (void)state;
    mote_proxy *proxy = proxy_of_sheet();
    file kept = written(proxy);
    test_failing_allocations(read_once, &kept);
    free(kept.bytes);
    mote_proxy_destroy(proxy);
}

// ------------------------------------------------------------------------------------------------------------ keys

static void keys_tell_proxies_apart(void **state)
{
    (void)state;
    enum { MOST = 20 };
    char keys[MOST][33];
    int count = 0;
    mote_mesh *cube = shape_cube(NULL, 2), *same = shape_cube(NULL, 2), *star = shape_star(NULL);
    const mote_mesh *one[] = {cube}, *two[] = {cube, star}, *turned[] = {star, cube};
    mote_proxy_key(one, 1, NULL, keys[count++]);
    mote_proxy_key(two, 2, NULL, keys[count++]);
    mote_proxy_key(turned, 2, NULL, keys[count++]);
    mote_proxy_key(NULL, 0, NULL, keys[count++]);
    for (int k = 0; k < 6; ++k) {
        mote_proxy_def def = mote_proxy_default_def();
        if (k == 0) def.min_depth = 3;
        def.max_depth += k == 1;
        if (k == 2) def.table_depth = 4;
        def.tolerance = k == 3 ? 0.02 : def.tolerance;
        def.variation = k == 4 ? MOTE_PROXY_SUM : def.variation;
        def.keep_triangles = k != 5;
        mote_proxy_key(one, 1, &def, keys[count++]);
    }
    same->vertices[3].y = nextafter(same->vertices[3].y, 9);
    const mote_mesh *others[] = {same};
    mote_proxy_key(others, 1, NULL, keys[count++]);
    same->vertices[3].y = cube->vertices[3].y;
    char again[33];
    mote_proxy_key(others, 1, NULL, again);
    CHECK(strcmp(again, keys[0]) == 0 && strlen(again) == 32 && strspn(again, "0123456789abcdef") == 32, "%s, then %s",
          keys[0], again);
    const uint32_t corner[3] = {same->triangles[0], same->triangles[1], same->triangles[2]};
    for (int k = 0; k < 3; ++k) same->triangles[k] = corner[(k + 1) % 3];
    mote_proxy_key(others, 1, NULL, keys[count++]);
    const mote_placement aside = {1, {0, 0, 0}, {1e-9, 0, 0}};
    mote_mesh_place(same, &aside);
    mote_proxy_key(others, 1, NULL, keys[count++]);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < i; ++k) CHECK(strcmp(keys[i], keys[k]) != 0, "%d and %d are both %s", i, k, keys[i]);
    mote_mesh_destroy(cube);
    mote_mesh_destroy(same);
    mote_mesh_destroy(star);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(read_proxies_move_particles_alike),
        cmocka_unit_test(every_damaged_byte_is_noticed),
        cmocka_unit_test(other_lengths_are_refused),
        cmocka_unit_test(files_that_lie_do_no_harm),
        cmocka_unit_test(tables_are_no_deeper_than_nodes_call_for),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(a_sink_that_fails_ends_it),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(keys_tell_proxies_apart),
    };
    RUN_TESTS(tests, argc, argv);
}
