// SPDX-License-Identifier: MIT
// Batches of first hits that are sorted: the same bits as in the order in which they come; and sorted records, loaded.

#include "hits/tested.h"
#include "support/shapes.h"
#include "support/test.h"

enum { COUNT = SANITIZED ? 2000 : 12000 };

// Motions: from and to of each, as doubles and as floats.
typedef struct order_input {
    double *ends, *radii;
    float *floats;
    int8_t *sides;
} order_input;

static double between(mote_random *random, double low, double high)
{
    return low + (high - low) * mote_random_unit(random);
}

// Of lengths from 10^-4 to `longest`, beside meshes about 1 large.
static order_input make_input(uint64_t seed, double longest)
{
    order_input input = {malloc(6 * COUNT * sizeof(double)), malloc(COUNT * sizeof(double)),
                         malloc(6 * COUNT * sizeof(float)), malloc(COUNT)};
    mote_random random = {seed};
    for (size_t i = 0; i < COUNT; ++i) {
        const double length = longest * pow(10, -(double)(i % 6));
        for (size_t k = 0; k < 3; ++k) {
            input.ends[6 * i + k] = between(&random, -1.2, 1.2);
            input.ends[6 * i + 3 + k] = input.ends[6 * i + k] + between(&random, -length, length);
        }
        if (i % 997 == 0) input.ends[6 * i + i % 6] = i % 2 ? (double)NAN : HUGE_VAL;
        if (i % 991 == 0 && longest > 1) input.ends[6 * i + 2] = 1e30;
        for (size_t k = 0; k < 6; ++k) input.floats[6 * i + k] = (float)input.ends[6 * i + k];
        input.radii[i] = i % 3 ? 0.02 * mote_random_unit(&random) : 0;
        input.sides[i] = (int8_t)((int)(i % 3) - 1);
    }
    return input;
}

static void release_input(order_input *input)
{
    free(input->ends);
    free(input->radii);
    free(input->floats);
    free(input->sides);
}

// Doubles, floats, or one of each; with sides or radii.
static mote_motions view(const order_input *input, int form)
{
    mote_motions motions = {.from = mote_points_xyz_f64(input->ends, COUNT),
                            .to = mote_points_xyz_f64(input->ends + 3, COUNT)};
    motions.from.stride = motions.to.stride = 6 * sizeof(double);
    if (form % 3 >= 1) {
        motions.from = mote_points_xyz(input->floats, COUNT);
        motions.from.stride = 6 * sizeof(float);
    }
    if (form % 3 == 2) {
        motions.to = mote_points_xyz(input->floats + 3, COUNT);
        motions.to.stride = 6 * sizeof(float);
    }
    if (form == 2 || form == 3) motions.sides = input->sides;
    if (form >= 4) motions.radii = input->radii;
    return motions;
}

// Of a hit, without the padding behind its last member, which has no value.
enum { HIT_BYTES = offsetof(mote_hit, feature) + sizeof(mote_feature) };

// Asks in the order in which motions come, and sorted: one list's bits are those of the other.
static size_t check_same(mote_hits *hits, const mote_motions *motions, const char *what)
{
    mote_hit_list plain, sorted;
    hits->sorting = HITS_SORT_NEVER;
    CHECK_OK(mote_hits_query(hits, motions, &plain, NULL));
    mote_hit *kept = malloc((plain.count + 1) * sizeof *kept);
    if (plain.count) memcpy(kept, plain.hits, plain.count * sizeof *kept);
    hits->sorting = HITS_SORT_ALWAYS;
    CHECK_OK(mote_hits_query(hits, motions, &sorted, NULL));
    CHECK(sorted.count == plain.count, "%s: %zu hits, expected %zu", what, sorted.count, plain.count);
    for (size_t h = 0; h < sorted.count; ++h)
        CHECK(memcmp(&sorted.hits[h], &kept[h], HIT_BYTES) == 0,
              "%s, hit %zu: particle %u meets %u at %.17g, expected particle %u, %u at %.17g", what, h,
              sorted.hits[h].particle, sorted.hits[h].triangle, sorted.hits[h].time, kept[h].particle,
              kept[h].triangle, kept[h].time);
    free(kept);
    return sorted.count;
}

static void sorted_batches_are_the_same(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    mote_mesh *mesh = shape_sphere(NULL, SANITIZED ? 3 : 5);
    for (int t = 0; t < 3; ++t) {
        mote_context *context = test_context_with_threads(threads[t]);
        mote_hits *hits;
        CHECK_OK(mote_hits_create(context, NULL, mesh, &hits, NULL));
        order_input input = make_input((uint64_t)t, 10), spheres = make_input((uint64_t)t, 0.1);
        for (int form = 0; form < 5; ++form) {
            const mote_motions motions = view(form < 4 ? &input : &spheres, form);
            const size_t hit_count = check_same(hits, &motions, "sphere");
            CHECK(hit_count > COUNT / 100, "form %d: only %zu hits", form, hit_count);
        }
        const mote_motions motions = view(&input, 2);
        const uint64_t before = mote_context_allocation_count(context);
        mote_hit_list list;
        for (int again = 0; again < 3; ++again) CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
        if (threads[t] == 1) assert_int_equal(mote_context_allocation_count(context), before);
        release_input(&input);
        release_input(&spheres);
        mote_hits_destroy(hits);
        mote_context_destroy(context);
    }
    mote_mesh_destroy(mesh);
}

// Few triangles and cells, and children of cells; the scalar form.
static void sorted_batches_of_other_meshes(void **state)
{
    (void)state;
    mote_hits_def coarse = mote_hits_default_def();
    coarse.most_cells = 64;
    coarse.leaf_clusters = 1;
    mote_mesh *meshes[3] = {shape_cube(NULL, 5), shape_star(NULL), shape_spike(NULL)};
    for (int m = 0; m < 3; ++m) {
        order_input input = make_input((uint64_t)m, 10);
        for (int form = 0; form < 3; ++form) {
            mote_hits *hits;
            CHECK_OK(mote_hits_create(NULL, form == 1 ? &coarse : NULL, meshes[m], &hits, NULL));
            if (form == 2) hits->motion_lanes = &mote_hits_motion_plain;
            const mote_motions motions = view(&input, form);
            check_same(hits, &motions, m == 0 ? "cube" : m == 1 ? "star" : "spike");
            mote_hits_destroy(hits);
        }
        release_input(&input);
        mote_mesh_destroy(meshes[m]);
    }
}

static void sorted_batches_against_moving_meshes(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_sphere(NULL, 3);
    mote_vec3 *ends = malloc(mesh->vertex_count * sizeof *ends);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        ends[v] = mote_vec3_scale(mesh->vertices[v], 1.03);
        ends[v].z += 0.01;
    }
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_update_moving(hits, mesh->vertices, ends, NULL));
    order_input input = make_input(7, 0.1);
    const mote_motions motions = view(&input, 1);
    check_same(hits, &motions, "moving");
    release_input(&input);
    mote_hits_destroy(hits);
    free(ends);
    mote_mesh_destroy(mesh);
}

// What is worth sorting is told by counts: of motions, of the mesh's bytes, of motions that are long.
static void large_batches_are_sorted(void **state)
{
    (void)state;
    enum { MANY = 70000 };
    mote_mesh *mesh = shape_sphere(NULL, 7);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    float *ends = malloc(6 * MANY * sizeof *ends);
    mote_random random = {3};
    for (size_t i = 0; i < MANY; ++i)
        for (size_t k = 0; k < 6; ++k) ends[6 * i + k] = (float)between(&random, -1, 1);
    for (int k = 0; k < 4; ++k) {
        // None where most are short.
        for (size_t i = 0; k == 3 && i < MANY; ++i) memcpy(ends + 6 * i + 3, ends + 6 * i, 3 * sizeof *ends);
        const size_t count = k == 2 ? 1000 : MANY;
        mote_motions motions = {.from = mote_points_xyz(ends, count), .to = mote_points_xyz(ends + 3, count)};
        motions.from.stride = motions.to.stride = 6 * sizeof *ends;
        mote_buffer_release(NULL, &hits->sorted);
        hits->sorting = k == 1 ? HITS_SORT_NEVER : HITS_SORT_WHERE_WORTH;
        mote_hit_list list;
        CHECK_OK(mote_hits_query(hits, &motions, &list, NULL));
        CHECK((hits->sorted.bytes > 0) == (k == 0), "query %d: %zu bytes of sorted motions", k, hits->sorted.bytes);
    }
    free(ends);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

static mote_result sort_few(mote_context *context, void *data)
{
    (void)data;
    mote_mesh *mesh = shape_cube(NULL, 1);
    mote_hits *hits;
    mote_result result = mote_hits_create(context, NULL, mesh, &hits, NULL);
    if (result == MOTE_OK) {
        const double ends[12] = {0.1, 0.1, 0.1, 5, 5, 5, 0.2, 0.2, 0.2, 0.2, 0.2, 3};
        mote_motions motions = {.from = mote_points_xyz_f64(ends, 2), .to = mote_points_xyz_f64(ends + 3, 2)};
        motions.from.stride = motions.to.stride = 6 * sizeof *ends;
        mote_hit_list list;
        hits->sorting = HITS_SORT_ALWAYS;
        result = mote_hits_query(hits, &motions, &list, NULL);
        CHECK(list.count == (result == MOTE_OK ? 2 : 0), "%zu hits", list.count);
        mote_hits_destroy(hits);
    }
    mote_mesh_destroy(mesh);
    return result;
}

static void failing_allocations(void **state)
{
    (void)state;
    test_failing_allocations(sort_few, NULL);
}

// Sorted motions that are put into the march at once, against those that are unpacked, picked and given their shares
// one after the other; short ones are refused.
static void long_records_are_marched(void **state)
{
    (void)state;
    enum { MOST = 70 };
    mote_mesh *mesh = shape_sphere(NULL, 3);
    mote_hits *hits;
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    const hits_motion_lanes *forms[2] = {&mote_hits_motion_plain, hits->motion_lanes};
    hits_picked *picked = calloc(2, sizeof *picked);
    float records[MOST][8];
    mote_random random = {79};
    for (size_t i = 0; i < MOST; ++i) {
        const hits_queue_shares shares = {(uint16_t)mote_random_below(&random, 65536),
                                          (uint16_t)mote_random_below(&random, 65536)};
        for (size_t k = 0; k < 6; ++k) records[i][k] = (float)(mote_random_unit(&random) - 0.5) * (float)(1 + i);
        records[i][i % 6] = i % 9 == 4 ? NAN : i % 9 == 5 ? HUGE_VALF : i % 9 == 6 ? 1e30f : (float)(2 + i);
        memcpy(&records[i][7], &shares, sizeof shares);
    }
    for (size_t count = 1; count <= MOST; count += 3)
        for (int form = 0; form < 2; ++form) {
            hits_march *march = &picked[0].march, *expected = &picked[1].march;
            hits_columns columns = {.scalar = MOTE_F32, .count = count, .are_picked = true};
            float *axis[6];
            for (int k = 0; k < 6; ++k) columns.axis[k] = axis[k] = (float *)picked[1].columns[k];
            forms[form]->unpack_records(records[0], count, axis, picked[1].shares);
            forms[form]->pick(&hits->grid, &columns, hits->scale, 0, &picked[1].near, expected);
            CHECK(forms[form]->march_records(&hits->grid, hits->scale, records[0], count, march), "%zu refused", count);
            assert_int_equal(march->count, count);
            assert_int_equal(expected->count, count);
            assert_memory_equal(march->at, expected->at, count * sizeof *march->at);
            for (int k = 0; k < 3; ++k) {
                assert_memory_equal(march->from[k], expected->from[k], count * sizeof(float));
                assert_memory_equal(march->to[k], expected->to[k], count * sizeof(float));
            }
            for (size_t i = 0; i < count; ++i) {
                hits_queue_shares shares;
                memcpy(&shares, &records[i][7], sizeof shares);
                const float part = 1.0f / HITS_SHARES;
                CHECK(march->first[i] == (float)shares.first * part * (1 - 0x1p-20f), "first share of %zu", i);
                CHECK(march->last[i] == (float)shares.last * part * (1 + 0x1p-20f), "last share of %zu", i);
            }
            float kept[8];
            memcpy(kept, records[count - 1], sizeof kept);
            memcpy(records[count - 1], (float[6]){1, 2, 3, 1, 2, 3}, 6 * sizeof(float));
            CHECK(!forms[form]->march_records(&hits->grid, hits->scale, records[0], count, march),
                  "the last of %zu is short", count);
            memcpy(records[count - 1], kept, sizeof kept);
        }
    free(picked);
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_batches_are_the_same),
        cmocka_unit_test(sorted_batches_of_other_meshes),
        cmocka_unit_test(sorted_batches_against_moving_meshes),
        cmocka_unit_test(large_batches_are_sorted),
        cmocka_unit_test(long_records_are_marched),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
