// SPDX-License-Identifier: MIT
// Every public call of base, mesh, broadphase and neighbors: with NULL for what it needs, and on objects in every state
// that they can be in. checks/called.sh sees that no call is forgotten.

#include "mote/broadphase.h"
#include "mote/mesh.h"
#include "mote/neighbors.h"
#include "support/calls.h"

static void count_block(void *data, uint32_t block, uint32_t worker)
{
    (void)block, (void)worker;
    *(uint32_t *)data += 1;
}

static void base(void **state)
{
    (void)state;
    static const char *const words[] = {"a", NULL};
    mote_context *context;
    mote_context_def context_def = mote_context_default_def();
    mote_broadphase_def def = mote_broadphase_default_def();
    mote_random random = {1};
    mote_error error;
    char text[100];
    (void)mote_version();
    (void)mote_result_name((mote_result)-1);
    (void)mote_result_name((mote_result)99);
    (void)mote_result_text((mote_result)99);
    (void)mote_result_text((mote_result)-1);
    REFUSED(mote_context_create(NULL, &context, &error));
    REFUSED(mote_context_create(&context_def, NULL, &error));
    mote_context_destroy(NULL);
    (void)mote_context_byte_count(NULL);
    (void)mote_context_allocation_count(NULL);
    (void)mote_context_worker_count(NULL);
    (void)mote_context_simd(NULL);
    (void)mote_simd_name((mote_simd)99);
    mote_run_blocks(NULL, 0, NULL, NULL);
    mote_run_blocks(NULL, 3, NULL, NULL);
    (void)mote_points_xyz(NULL, 0);
    (void)mote_points_xyz_f64(NULL, 0);
    (void)mote_points_xy(NULL, 0);
    (void)mote_points_axes(NULL, NULL, NULL, 0);
    (void)mote_points_axes_f64(NULL, NULL, NULL, 0);
    (void)mote_points_xy_f64(NULL, 0);
    ZERO(mote_points_checksum((mote_points){0}));
    ZERO(mote_random_next(NULL));
    ZERO(mote_random_unit(NULL));
    (void)mote_random_below(NULL, 5);
    (void)mote_random_below(&random, 0);
    (void)mote_random_gauss(NULL);
    (void)mote_number_text(1, NULL, 0);
    (void)mote_number_text(1, NULL, 10);
    ZERO(mote_nearest_word(NULL, words));
    ZERO(mote_nearest_word("a", NULL));
    mote_fields_set_defaults(NULL, &def);
    mote_fields_set_defaults(mote_broadphase_fields(), NULL);
    REFUSED(mote_fields_check(NULL, &def, &error));
    REFUSED(mote_fields_check(mote_broadphase_fields(), NULL, &error));
    ZERO(mote_field_is_valid(NULL, &def));
    ZERO(mote_field_is_valid(mote_broadphase_fields()->fields, NULL));
    ZERO(mote_fields_find(NULL, "a"));
    ZERO(mote_fields_find(mote_broadphase_fields(), NULL));
    ZERO(mote_fields_nearest(NULL, "a"));
    ZERO(mote_fields_nearest(mote_broadphase_fields(), NULL));
    (void)mote_field_expected_text(NULL, text, 10);
    (void)mote_field_expected_text(mote_broadphase_fields()->fields, NULL, 0);
    (void)mote_field_expected_text(mote_broadphase_fields()->fields, NULL, 10);
    (void)mote_field_value_text(NULL, &def, text, 10);
    (void)mote_field_value_text(mote_broadphase_fields()->fields, NULL, text, 10);
    uint32_t blocks = 0;
    CHECK_OK(mote_context_create(&context_def, &context, &error));
    mote_run_blocks(context, 0, count_block, &blocks);
    CHECK(blocks == 0, "%u blocks", blocks);
    mote_context_destroy(context);
}

static void meshes(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron(), *m2;
    const mote_placement placement = {.scale = 1};
    const mote_vec3 v = {0.1, 0.1, -1}, w = {0, 0, 1};
    const mote_spheres_def spheres_def = {.count = 0};
    mote_vec3 normals[4];
    mote_mesh_normals mnormals;
    mote_mesh_report mreport;
    mote_mesh_samples samples;
    mote_sphere sphere = {{0, 0, 0}, 1};
    mote_error error;
    (void)mote_look_default_def();
    CHECK(mote_look_fields() != NULL, "fields");
    CHECK_OK(mote_spheres_arrange(NULL, &spheres_def, NULL, &error));
    REFUSED(mote_mesh_create(NULL, NULL, 1, mesh->triangles, 1, &m2, &error));
    REFUSED(mote_mesh_create(NULL, mesh->vertices, 1, NULL, 1, &m2, &error));
    REFUSED(mote_mesh_create(NULL, mesh->vertices, 4, mesh->triangles, 1, NULL, &error));
    const mote_mesh *const both[2] = {mesh, NULL};
    REFUSED(mote_mesh_join(NULL, NULL, 1, &m2, &error));
    REFUSED(mote_mesh_join(NULL, both, 2, &m2, &error));
    REFUSED(mote_mesh_join(NULL, both, 1, NULL, &error));
    mote_mesh_destroy(NULL);
    ZERO(mote_mesh_byte_count(NULL));
    CHECK(mote_mesh_byte_count(mesh) >= 4 * sizeof(mote_vec3) + 12 * sizeof(uint32_t), "bytes of a mesh");
    mote_mesh_place(NULL, &placement);
    mote_mesh_place(mesh, NULL);
    (void)mote_mesh_box(NULL);
    ZERO(mote_mesh_area(NULL));
    ZERO(mote_mesh_volume(NULL));
    mote_mesh_vertex_normals(NULL, normals);
    mote_mesh_vertex_normals(mesh, NULL);
    REFUSED(mote_mesh_split(NULL, 0.5, &mnormals, &error));
    REFUSED(mote_mesh_split(mesh, 0.5, NULL, &error));
    mote_mesh_normals_release(NULL);
    REFUSED(mote_mesh_examine(NULL, &mreport, &error));
    REFUSED(mote_mesh_examine(mesh, NULL, &error));
    mote_mesh_crossings crossings;
    REFUSED(mote_mesh_find_crossings(NULL, &crossings, &error));
    REFUSED(mote_mesh_find_crossings(mesh, NULL, &error));
    REFUSED(mote_mesh_weld(NULL, &error));
    REFUSED(mote_mesh_weld_within(NULL, 0.1, &error));
    REFUSED(mote_mesh_cut(NULL, v, w, &error));
    REFUSED(mote_mesh_sample(NULL, 0.1, 1, &samples, &error));
    REFUSED(mote_mesh_sample(mesh, 0.1, 1, NULL, &error));
    mote_mesh_samples_release(NULL);
    ZERO(mote_mesh_winding_number(NULL, v));
    mote_spheres_place(NULL, 1, &placement);
    mote_spheres_place(&sphere, 1, NULL);
    REFUSED(mote_spheres_arrange(NULL, NULL, &sphere, &error));
    REFUSED(mote_mesh_create_spheres(NULL, NULL, 1, 0.1, &m2, &error));
    REFUSED(mote_mesh_create_spheres(NULL, &sphere, 1, 0.1, NULL, &error));
    const mote_shape shape = {.kind = MOTE_SOLID_BALL};
    REFUSED(mote_mesh_check_shape(NULL, 3, &error));
    REFUSED(mote_mesh_create_shape(NULL, NULL, 3, 0.1, &m2, &error));
    REFUSED(mote_mesh_create_shape(NULL, &shape, 3, 0.1, &m2, &error));
    REFUSED(mote_mesh_create_shape(NULL, &shape, 3, 0.1, NULL, &error));
    REFUSED(mote_spheres_sample(NULL, NULL, 1, 0.1, &samples, &error));
    REFUSED(mote_spheres_sample(NULL, &sphere, 1, 0.1, NULL, &error));
    mote_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------------- broadphase

static bool note_id(void *data, uint32_t id)
{
    (void)data, (void)id;
    return true;
}

static void note_cell(void *data, const mote_broadphase_cell *cell)
{
    (void)data, (void)cell;
}

static const mote_bounds box = {{0, 0, 0}, {1, 1, 1}};
static const float at[3] = {0.5f, 0.5f, 0.5f};

static void broadphase_objects_that_are_null(void **state)
{
    (void)state;
    mote_broadphase_def def = mote_broadphase_default_def();
    mote_broadphase *b;
    mote_broadphase *broad;
    mote_error error;
    mote_object object;
    mote_closest_object closest;
    mote_id_rows rows;
    mote_pairs pairs;
    mote_pair_events events;
    size_t size;
    uint32_t id;
    CHECK_OK(mote_broadphase_create(NULL, &def, &b, &error));
    CHECK_OK(mote_broadphase_add(b, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, &error));
    CHECK_OK(mote_broadphase_update(b, &error));
    (void)mote_boxes_corners(NULL, 0, 3);
    (void)mote_boxes_min_max(NULL, NULL, 0, 3);
    (void)mote_boxes_bounds(NULL, 0, 3);
    ZERO(mote_broadphase_method_at(1000));
    REFUSED(mote_broadphase_create(NULL, NULL, &broad, &error));
    REFUSED(mote_broadphase_create(NULL, &def, NULL, &error));
    mote_broadphase_destroy(NULL);
    REFUSED(mote_broadphase_add(NULL, &box, 0, mote_filter_all(), &id, &error));
    REFUSED(mote_broadphase_add_many(NULL, mote_boxes_bounds(&box, 1, 3), 0, mote_filter_all(), &id, &error));
    REFUSED(mote_broadphase_move(NULL, 0, &box, &error));
    REFUSED(mote_broadphase_move_many(NULL, NULL, mote_boxes_bounds(&box, 1, 3), &error));
    REFUSED(mote_broadphase_remove(NULL, 0, &error));
    REFUSED(mote_broadphase_remove_many(NULL, &id, 1, &error));
    REFUSED(mote_broadphase_set_filter(NULL, 0, mote_filter_all(), &error));
    REFUSED(mote_broadphase_set_kind(NULL, 0, 0, &error));
    ZERO(mote_broadphase_object(NULL, 0, &object));
    ZERO(mote_broadphase_object(b, 0, NULL));
    ZERO(mote_broadphase_count(NULL));
    ZERO(mote_broadphase_id_end(NULL));
    REFUSED(mote_broadphase_update(NULL, &error));
    REFUSED(mote_broadphase_query_box(NULL, &box, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_point(NULL, at, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_sphere(NULL, at, 1, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_segment(NULL, at, at, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_sweep(NULL, &box, at, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_closest(NULL, at, 1, mote_filter_all(), &closest, &error));
    REFUSED(mote_broadphase_query_boxes(NULL, mote_boxes_bounds(&box, 1, 3), mote_filter_all(), &rows, &error));
    REFUSED(mote_broadphase_query_points(NULL, mote_points_xyz(at, 1), mote_filter_all(), &rows, &error));
    REFUSED(mote_broadphase_query_spheres(NULL, mote_points_xyz(at, 1), at, 0, mote_filter_all(), &rows, &error));
    REFUSED(mote_broadphase_query_segments(NULL, mote_points_xyz(at, 1), mote_points_xyz(at, 1), mote_filter_all(),
                                           &rows, &error));
    REFUSED(mote_broadphase_query_sweeps(NULL, mote_boxes_bounds(&box, 1, 3), mote_points_xyz(at, 1), mote_filter_all(),
                                         &rows, &error));
    REFUSED(mote_broadphase_pairs(NULL, &pairs, &error));
    REFUSED(mote_broadphase_pairs_between(NULL, b, &pairs, &error));
    REFUSED(mote_broadphase_pairs_between(b, NULL, &pairs, &error));
    REFUSED(mote_broadphase_events(NULL, &events, &error));
    (void)mote_broadphase_get_counters(NULL);
    REFUSED(mote_broadphase_cells(NULL, note_cell, NULL, &error));
    CHECK(strcmp(mote_broadphase_explain(NULL), "") == 0, "words of nothing");
    ZERO(mote_broadphase_byte_count(NULL, NULL));
    ZERO(mote_broadphase_byte_count(NULL, &size));
    REFUSED(mote_broadphase_validate(NULL, &error));
    mote_broadphase_destroy(b);
}

static void broadphase_arguments_that_are_null(void **state)
{
    mote_error error;
    (void)state;
    mote_broadphase_def def = mote_broadphase_default_def();
    mote_broadphase *b;
    mote_closest_object closest;
    mote_id_rows rows;
    uint32_t id;
    CHECK_OK(mote_broadphase_create(NULL, &def, &b, NULL));
    CHECK_OK(mote_broadphase_add(b, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &id, NULL));
    CHECK_OK(mote_broadphase_update(b, NULL));
    REFUSED(mote_broadphase_add(b, NULL, 0, mote_filter_all(), &id, &error));
    REFUSED(mote_broadphase_add(b, &box, 0, mote_filter_all(), NULL, &error));
    REFUSED(mote_broadphase_add_many(b, mote_boxes_bounds(NULL, 1, 3), 0, mote_filter_all(), NULL, &error));
    REFUSED(mote_broadphase_move(b, 0, NULL, &error));
    REFUSED(mote_broadphase_remove_many(b, NULL, 1, &error));
    REFUSED(mote_broadphase_query_box(b, NULL, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_box(b, &box, mote_filter_all(), NULL, NULL, &error));
    REFUSED(mote_broadphase_query_point(b, NULL, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_sphere(b, NULL, 1, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_segment(b, NULL, at, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_segment(b, at, NULL, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_sweep(b, NULL, at, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_query_sweep(b, &box, NULL, mote_filter_all(), note_id, NULL, &error));
    REFUSED(mote_broadphase_closest(b, NULL, 1, mote_filter_all(), &closest, &error));
    REFUSED(mote_broadphase_closest(b, at, 1, mote_filter_all(), NULL, &error));
    REFUSED(mote_broadphase_query_boxes(b, mote_boxes_bounds(&box, 1, 3), mote_filter_all(), NULL, &error));
    REFUSED(mote_broadphase_query_points(b, mote_points_xyz(NULL, 1), mote_filter_all(), &rows, &error));
    REFUSED(mote_broadphase_query_points(b, mote_points_xyz(at, 1), mote_filter_all(), NULL, &error));
    REFUSED(mote_broadphase_query_spheres(b, mote_points_xyz(at, 1), NULL, 0, mote_filter_all(), &rows, &error));
    REFUSED(mote_broadphase_query_segments(b, mote_points_xyz(at, 1), mote_points_xyz(at, 1), mote_filter_all(), NULL,
                                           &error));
    REFUSED(mote_broadphase_pairs(b, NULL, &error));
    REFUSED(mote_broadphase_events(b, NULL, &error));
    REFUSED(mote_broadphase_cells(b, NULL, NULL, &error));
    mote_broadphase_destroy(b);
}

// All calls that change no object.
static void ask_broadphase(mote_broadphase *broad, mote_broadphase *other)
{
    mote_error error = {0};
    const mote_filter all = mote_filter_all();
    const mote_points points = mote_points_xyz(at, 1);
    const mote_boxes boxes = mote_boxes_bounds(&box, 1, 3);
    const float radius = 1;
    mote_closest_object closest;
    mote_id_rows rows;
    mote_object object;
    size_t size;
    ANSWERS(mote_broadphase_query_box(broad, &box, all, note_id, NULL, &error));
    ANSWERS(mote_broadphase_query_point(broad, at, all, note_id, NULL, &error));
    ANSWERS(mote_broadphase_query_sphere(broad, at, 1, all, note_id, NULL, &error));
    ANSWERS(mote_broadphase_query_segment(broad, at, at, all, note_id, NULL, &error));
    ANSWERS(mote_broadphase_query_sweep(broad, &box, at, all, note_id, NULL, &error));
    ANSWERS(mote_broadphase_closest(broad, at, 1, all, &closest, &error));
    ANSWERS(mote_broadphase_cells(broad, note_cell, NULL, &error));
    CHECK(mote_broadphase_explain(broad)[0] != 0, "says nothing");
    (void)mote_broadphase_get_counters(broad);
    CHECK(mote_broadphase_byte_count(broad, &size) > 0, "no bytes");
    (void)mote_broadphase_object(broad, 0, &object);
    CHECK(mote_broadphase_count(broad) <= mote_broadphase_id_end(broad), "count");
    CHECK_OK(mote_broadphase_validate(broad, &error));
    ANSWERS(mote_broadphase_query_boxes(broad, boxes, all, &rows, &error));
    ANSWERS(mote_broadphase_query_points(broad, points, all, &rows, &error));
    ANSWERS(mote_broadphase_query_spheres(broad, points, &radius, 0, all, &rows, &error));
    ANSWERS(mote_broadphase_query_segments(broad, points, points, all, &rows, &error));
    ANSWERS(mote_broadphase_query_sweeps(broad, boxes, points, all, &rows, &error));
    mote_pairs pairs;
    mote_pair_events events;
    ANSWERS(mote_broadphase_pairs(broad, &pairs, &error));
    ANSWERS(mote_broadphase_pairs_between(broad, other, &pairs, &error));
    ANSWERS(mote_broadphase_pairs_between(other, broad, &pairs, &error));
    ANSWERS(mote_broadphase_events(broad, &events, &error));
    CHECK_OK(mote_broadphase_validate(broad, &error));
}

// All calls that look, on an object that has just been made, filled, updated, refused memory, emptied.
static void broadphase_states(void **state)
{
    mote_error error;
    (void)state;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m)
        for (int step = 0; step < 6; ++step) {
            scarce_memory memory = {false};
            mote_context *context = scarce_context(&memory);
            mote_broadphase_def def = mote_broadphase_default_def();
            def.method = mote_broadphase_method_at(m)->name;
            mote_broadphase *broad, *other;
            mote_pairs pairs;
            uint32_t ids[80];
            CHECK_OK(mote_broadphase_create(context, &def, &broad, NULL));
            CHECK_OK(mote_broadphase_create(NULL, &def, &other, NULL));
            for (uint32_t k = 0; k < 80 && step > 0; ++k)
                CHECK_OK(mote_broadphase_add(broad, &box, MOTE_OBJECT_MOVING, mote_filter_all(), &ids[k], NULL));
            if (step > 1) CHECK_OK(mote_broadphase_update(broad, NULL));
            if (step > 2) CHECK_OK(mote_broadphase_move(broad, 7, &box, NULL));
            memory.is_scarce = step == 3;
            if (step == 3) ANSWERS(mote_broadphase_pairs(broad, &pairs, &error));
            if (step > 3) CHECK_OK(mote_broadphase_remove_many(broad, ids, 80, NULL));
            if (step > 4) CHECK_OK(mote_broadphase_update(broad, NULL));
            ask_broadphase(broad, other);
            memory.is_scarce = false;
            ask_broadphase(broad, other);
            mote_broadphase_destroy(broad);
            mote_broadphase_destroy(other);
            mote_context_destroy(context);
        }
}

// ----------------------------------------------------------------------------------------------------- neighbors

static void note_row(void *data, mote_row row, uint32_t worker)
{
    (void)data, (void)row, (void)worker;
}

static void note_group(void *data, const mote_group *group, uint32_t worker)
{
    (void)data, (void)group, (void)worker;
}

static bool note_chunk(void *data, const mote_lists *chunk, uint32_t first_point)
{
    (void)data, (void)chunk, (void)first_point;
    return true;
}

static void neighbors(void **state)
{
    (void)state;
    const mote_points points = mote_points_xyz(at, 1);
    const mote_vec3 v = {0, 0, 0}, period[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mote_neighbors_def ndef = mote_neighbors_default_def();
    CHECK(isnan(ndef.radius) && mote_fields_find(mote_neighbors_fields(), "classes")->initial[0] == 3, "fields");
    mote_neighbors *search, *n;
    mote_kept_lists *kept;
    mote_lists lists;
    uint64_t offset;
    uint32_t id = 0;
    const uint32_t *ids;
    size_t size;
    mote_error error;
    ndef.radius = 1;
    CHECK_OK(mote_neighbors_create(NULL, &ndef, &n, &error));
    CHECK_OK(mote_neighbors_update(n, points, &error));
    ZERO(mote_neighbors_feature_at(1000));
    ZERO(mote_neighbors_method_at(1000));
    REFUSED(mote_neighbors_create(NULL, NULL, &search, &error));
    REFUSED(mote_neighbors_create(NULL, &ndef, NULL, &error));
    mote_neighbors_destroy(NULL);
    CHECK(strcmp(mote_neighbors_explain(NULL), "") == 0, "words of nothing");
    REFUSED(mote_neighbors_update(NULL, points, &error));
    REFUSED(mote_neighbors_update(n, mote_points_xyz(NULL, 1), &error));
    REFUSED(mote_neighbors_update_radii(NULL, points, at, 4, &error));
    REFUSED(mote_neighbors_update_radii(n, points, NULL, 4, &error));
    REFUSED(mote_neighbors_set_period(NULL, period, v, &error));
    REFUSED(mote_neighbors_set_period(n, NULL, v, &error));
    REFUSED(mote_neighbors_set_radius(NULL, 1, &error));
    REFUSED(mote_neighbors_set_radius(n, 0, &error));
    REFUSED(mote_neighbors_lists(NULL, &lists, &error));
    REFUSED(mote_neighbors_lists(n, NULL, &error));
    REFUSED(mote_neighbors_visit(NULL, note_row, NULL, &error));
    REFUSED(mote_neighbors_visit(n, NULL, NULL, &error));
    REFUSED(mote_neighbors_visit_groups(NULL, note_group, NULL, &error));
    REFUSED(mote_neighbors_visit_groups(n, NULL, NULL, &error));
    REFUSED(mote_neighbors_subset(NULL, &id, 1, &lists, &error));
    const uint32_t *found_order;
    REFUSED(mote_neighbors_lists_in_order(NULL, &lists, &found_order, &error));
    REFUSED(mote_neighbors_lists_in_order(n, NULL, &found_order, &error));
    REFUSED(mote_neighbors_lists_in_order(n, &lists, NULL, &error));
    REFUSED(mote_neighbors_subset(n, NULL, 1, &lists, &error));
    REFUSED(mote_neighbors_subset(n, &id, 1, NULL, &error));
    REFUSED(mote_neighbors_chunk(NULL, 0, 1000, &lists, &error));
    REFUSED(mote_neighbors_chunk(n, 0, 1000, NULL, &error));
    REFUSED(mote_neighbors_chunks(NULL, 1000, note_chunk, NULL, &error));
    REFUSED(mote_neighbors_chunks(n, 1000, NULL, NULL, &error));
    REFUSED(mote_neighbors_query(NULL, points, &lists, &error));
    REFUSED(mote_neighbors_query(n, points, NULL, &error));
    REFUSED(mote_neighbors_query_radii(NULL, points, at, 4, &lists, &error));
    REFUSED(mote_neighbors_query_radii(n, points, NULL, 4, &lists, &error));
    REFUSED(mote_neighbors_query_radii(n, points, at, 4, NULL, &error));
    REFUSED(mote_neighbors_nearest(NULL, &points, 2, &lists, &error));
    REFUSED(mote_neighbors_nearest(n, &points, 2, NULL, &error));
    REFUSED(mote_neighbors_take_lists(NULL, &kept, &error));
    REFUSED(mote_neighbors_take_lists(n, NULL, &error));
    REFUSED(mote_neighbors_give_lists(NULL, NULL, &error));
    REFUSED(mote_neighbors_give_lists(n, NULL, &error));
    CHECK(mote_kept_lists_get(NULL) == NULL, "lists of nothing");
    ZERO(mote_kept_lists_byte_count(NULL));
    mote_kept_lists_destroy(NULL);
    mote_lists_to_csr(NULL, &offset, &id);
    const mote_pair_arrays arrays = {.capacity = 0};
    uint64_t pairs, moved[1] = {3};
    REFUSED(mote_lists_to_pairs(NULL, NULL, &arrays, &pairs, &error));
    REFUSED(mote_lists_to_pairs(NULL, &lists, NULL, &pairs, &error));
    REFUSED(mote_lists_to_pairs(NULL, &lists, &arrays, NULL, &error));
    REFUSED(mote_neighbors_pairs(NULL, &arrays, &pairs, &error));
    REFUSED(mote_neighbors_pairs(n, &arrays, NULL, &error));
    REFUSED(mote_points_order_by_cell(NULL, points, 0, &id, &error));
    REFUSED(mote_points_order_by_cell(NULL, points, 1, NULL, &error));
    REFUSED(mote_permute(NULL, NULL, 1, moved, 8, &error));
    REFUSED(mote_permute(NULL, &id, 1, NULL, 8, &error));
    mote_row_scratch *scratch;
    mote_row row;
    CHECK_OK(mote_row_scratch_create(NULL, &scratch, &error));
    REFUSED(mote_row_scratch_create(NULL, NULL, &error));
    REFUSED(mote_neighbors_row_of(NULL, 0, scratch, &row, &error));
    REFUSED(mote_neighbors_row_of(n, 0, NULL, &row, &error));
    REFUSED(mote_neighbors_row_of(n, 0, scratch, NULL, &error));
    const double place[3] = {0, 0, 0};
    REFUSED(mote_neighbors_row_at(NULL, place, 0, scratch, &row, &error));
    REFUSED(mote_neighbors_row_at(n, NULL, 0, scratch, &row, &error));
    REFUSED(mote_neighbors_row_at(n, place, 0, NULL, &row, &error));
    REFUSED(mote_neighbors_row_at(n, place, 0, scratch, NULL, &error));
    ZERO(mote_row_scratch_byte_count(NULL));
    mote_row_scratch_destroy(scratch);
    mote_row_scratch_destroy(NULL);
    REFUSED(mote_neighbors_permutation(NULL, &ids, &error));
    REFUSED(mote_neighbors_permutation(n, NULL, &error));
    bool flag = true;
    const void *radii = at;
    REFUSED(mote_neighbors_update_sets(NULL, &points, 1, &flag, &error));
    REFUSED(mote_neighbors_update_sets(n, NULL, 1, &flag, &error));
    REFUSED(mote_neighbors_update_sets_radii(NULL, &points, &radii, 4, 1, &flag, &error));
    REFUSED(mote_neighbors_update_sets_radii(n, NULL, &radii, 4, 1, &flag, &error));
    REFUSED(mote_neighbors_update_sets_radii(n, &points, NULL, 4, 1, &flag, &error));
    REFUSED(mote_neighbors_lists_of_sets(NULL, &flag, 1, &lists, &error));
    REFUSED(mote_neighbors_lists_of_sets(n, &flag, 1, NULL, &error));
    REFUSED(mote_neighbors_visit_sets(NULL, 0, 0, note_row, NULL, &error));
    REFUSED(mote_neighbors_visit_sets(n, 0, 0, NULL, NULL, &error));
    ANSWERS(mote_neighbors_visit_sets(n, 0, 0, note_row, NULL, &error));
    REFUSED(mote_neighbors_lists_as_one(NULL, &flag, 1, &lists, &error));
    REFUSED(mote_neighbors_lists_as_one(n, &flag, 1, NULL, &error));
    ZERO(mote_neighbors_search_of_set(NULL, 0));
    ZERO(mote_neighbors_search_of_set(n, 0));
    REFUSED(mote_neighbors_permutation_of_set(NULL, 0, &ids, &error));
    REFUSED(mote_neighbors_permutation_of_set(n, 0, NULL, &error));
    (void)mote_neighbors_get_counters(NULL);
    ZERO(mote_neighbors_byte_count(NULL, NULL));
    ZERO(mote_neighbors_byte_count(NULL, &size));
    REFUSED(mote_neighbors_validate(NULL, &error));
    mote_neighbors_destroy(n);
}

// A search in a state, with what its calls are given.
typedef struct asked_search {
    mote_neighbors *search;
    mote_context *context;
    uint32_t features;
    mote_points points;
    const void *radii;
    ptrdiff_t stride;
    mote_row_scratch *scratch;
    bool has_points, has_memory;  // what the state has
    bool is_empty;                // it has no points, but was updated
} asked_search;

// A call answers what its header says: where there are points and memory, it finds rows if the def asks for what it
// needs. It needs `feature`, or nothing beyond lists (0).
static void answers_as_told(const asked_search *ask, uint32_t feature, mote_result answer, const char *call)
{
    const bool is_offered = (ask->features & feature) == feature;
    if (ask->is_empty) return;
    bool is_right = !ask->has_points ? answer == MOTE_ERROR_STATE || (!is_offered && answer == MOTE_ERROR_UNSUPPORTED)
                    : !is_offered    ? answer == MOTE_ERROR_UNSUPPORTED
                                     : answer == MOTE_OK;
    if (!ask->has_memory) is_right |= answer == MOTE_ERROR_OUT_OF_MEMORY;
    if (!is_right) FAIL("%s gave %s", call, mote_result_name(answer));
}

#define TOLD(feature, call)                                   \
    do {                                                      \
        ANSWERS(call);                                        \
        answers_as_told(ask, feature, error.result, #call);   \
    } while (0)

static mote_result update_asked(const asked_search *ask, mote_points points, mote_error *error)
{
    return ask->features & MOTE_NEIGHBORS_RADII
               ? mote_neighbors_update_radii(ask->search, points, ask->radii, ask->stride, error)
               : mote_neighbors_update(ask->search, points, error);
}

// All calls that leave the points as they are.
static void look_at_neighbors(const asked_search *ask)
{
    mote_error error = {0};
    mote_neighbors *search = ask->search;
    const uint32_t some[3] = {1, 99, 1}, *order;
    const double middle[3] = {0.5, 0.5, 0.5};
    const bool has_radii = ask->features & MOTE_NEIGHBORS_RADII;
    const mote_points points = ask->points;
    mote_lists lists;
    mote_row row;
    size_t size;
    uint64_t pairs;
    CHECK(mote_neighbors_explain(search)[0] != 0, "says nothing");
    // These come first, when nothing has been built beside the structure.
    TOLD(MOTE_NEIGHBORS_SUBSET, mote_neighbors_row_of(search, 3, ask->scratch, &row, &error));
    TOLD(MOTE_NEIGHBORS_QUERY,
         mote_neighbors_row_at(search, middle, has_radii ? 0.25 : 0, ask->scratch, &row, &error));
    TOLD(MOTE_NEIGHBORS_SUBSET, mote_neighbors_subset(search, some, 3, &lists, &error));
    TOLD(MOTE_NEIGHBORS_NEAREST, mote_neighbors_nearest(search, NULL, 4, &lists, &error));
    TOLD(MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_QUERY, mote_neighbors_nearest(search, &points, 4, &lists, &error));
    TOLD(MOTE_NEIGHBORS_SUBSET, mote_neighbors_chunk(search, 0, 1000, &lists, &error));
    TOLD(MOTE_NEIGHBORS_SUBSET, mote_neighbors_chunk(search, 100, 1000, &lists, &error));
    ANSWERS(mote_neighbors_chunk(search, 101, 1000, &lists, &error));
    CHECK(error.result != MOTE_OK, "a chunk behind the last point");
    TOLD(MOTE_NEIGHBORS_SUBSET, mote_neighbors_chunks(search, 1000, note_chunk, NULL, &error));
    if (has_radii)
        TOLD(MOTE_NEIGHBORS_QUERY,
             mote_neighbors_query_radii(search, points, ask->radii, ask->stride, &lists, &error));
    else
        TOLD(MOTE_NEIGHBORS_QUERY, mote_neighbors_query(search, points, &lists, &error));
    TOLD(0, mote_neighbors_lists(search, &lists, &error));
    const mote_pair_arrays none = {.i = NULL};
    if (error.result == MOTE_OK) ANSWERS(mote_lists_to_pairs(ask->context, &lists, &none, &pairs, &error));
    mote_kept_lists *kept = NULL;
    ANSWERS(mote_neighbors_take_lists(search, &kept, &error));
    if (kept) ANSWERS(mote_neighbors_give_lists(search, kept, &error));
    TOLD(0, mote_neighbors_lists_in_order(search, &lists, &order, &error));
    TOLD(0, mote_neighbors_pairs(search, NULL, &pairs, &error));
    TOLD(0, mote_neighbors_visit(search, note_row, NULL, &error));
    TOLD(MOTE_NEIGHBORS_GROUPS, mote_neighbors_visit_groups(search, note_group, NULL, &error));
    TOLD(MOTE_NEIGHBORS_PERMUTATION, mote_neighbors_permutation(search, &order, &error));
    ANSWERS(mote_neighbors_permutation_of_set(search, 0, &order, &error));
    ANSWERS(mote_neighbors_visit_sets(search, 0, 1, note_row, NULL, &error));
    ANSWERS(mote_neighbors_lists_of_sets(search, NULL, 1, &lists, &error));
    ANSWERS(mote_neighbors_lists_as_one(search, NULL, 1, &lists, &error));
    ZERO(mote_neighbors_search_of_set(search, 7));
    (void)mote_neighbors_search_of_set(search, 0);
    CHECK_OK(mote_neighbors_validate(search, &error));
    (void)mote_neighbors_get_counters(search);
    CHECK(mote_neighbors_byte_count(search, &size) > 0, "no bytes");
}

// All calls that change them.
static void change_neighbors(const asked_search *ask)
{
    mote_error error = {0};
    mote_neighbors *search = ask->search;
    const mote_vec3 period[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, origin = {0, 0, 0};
    const float radius = 1;
    const uint32_t *order;
    const bool has_changed[2] = {false, true};
    const mote_points sets[2] = {ask->points, ask->points};
    const void *const radii[2] = {ask->radii, ask->radii};
    mote_lists lists[4];
    ANSWERS(mote_neighbors_set_period(search, period, origin, &error));
    ANSWERS(mote_neighbors_set_radius(search, 0.25, &error));
    for (uint32_t count = 1; count <= 2; ++count) {
        ANSWERS(mote_neighbors_update_sets(search, sets, count, NULL, &error));
        ANSWERS(mote_neighbors_update_sets_radii(search, sets, radii, ask->stride, count, has_changed, &error));
        ANSWERS(mote_neighbors_lists_of_sets(search, NULL, count * count, lists, &error));
        ANSWERS(mote_neighbors_visit_sets(search, 0, 0, note_row, NULL, &error));
        ANSWERS(mote_neighbors_visit_sets(search, 0, 1, note_row, NULL, &error));
        ANSWERS(mote_neighbors_lists_as_one(search, NULL, count * count, lists, &error));
        ANSWERS(mote_neighbors_permutation_of_set(search, 0, &order, &error));
        ANSWERS(mote_neighbors_lists(search, lists, &error));
        const mote_neighbors *one = mote_neighbors_search_of_set(search, 0);
        mote_row row;
        if (one) ANSWERS(mote_neighbors_row_of(one, 3, ask->scratch, &row, &error));
        CHECK(mote_neighbors_explain(search)[0] != 0, "says nothing");
        CHECK_OK(mote_neighbors_validate(search, &error));
    }
    ANSWERS(mote_neighbors_update_radii(search, mote_points_xyz(at, 1), &radius, 0, &error));
    ANSWERS(mote_neighbors_update(search, mote_points_xyz(at, 1), &error));
    CHECK_OK(mote_neighbors_validate(search, &error));
}

// States of a search: of the last two it has points.
enum { MADE, FILLED_WITH_NOTHING, REFUSED_POINTS, FAILED, EMPTIED, CHANGED, HOLDS_SETS, LISTS_FAILED, UPDATED, STATES };

static void bring_to_state(asked_search *ask, int step, scarce_memory *memory)
{
    mote_error error;
    mote_points none = ask->points;
    none.count = 0;
    const bool is_f64 = ask->features & MOTE_NEIGHBORS_F64, has_radii = ask->features & MOTE_NEIGHBORS_RADII;
    const mote_points bad = is_f64 ? mote_points_xyz_f64(NULL, 3) : mote_points_xyz(NULL, 3);
    const mote_points sets[2] = {ask->points, ask->points};
    const void *const radii[2] = {ask->radii, ask->radii};
    mote_lists lists;
    memory->is_scarce = step == FAILED;
    if (step == FAILED) ANSWERS(update_asked(ask, ask->points, &error));
    if (step > FAILED) CHECK_OK(update_asked(ask, ask->points, &error));
    if (step > LISTS_FAILED) CHECK_OK(mote_neighbors_lists(ask->search, &lists, &error));
    if (step == FILLED_WITH_NOTHING || step == EMPTIED) CHECK_OK(update_asked(ask, none, &error));
    if (step == REFUSED_POINTS) REFUSED(update_asked(ask, bad, &error));
    if (step == CHANGED && !has_radii) CHECK_OK(mote_neighbors_set_radius(ask->search, 0.25, &error));
    if (step == CHANGED && has_radii) ask->has_points = true;
    if (step == HOLDS_SETS && has_radii)
        CHECK_OK(mote_neighbors_update_sets_radii(ask->search, sets, radii, ask->stride, 2, NULL, &error));
    else if (step == HOLDS_SETS)
        CHECK_OK(mote_neighbors_update_sets(ask->search, sets, 2, NULL, &error));
    memory->is_scarce = step == FAILED || step == LISTS_FAILED;
}

static void neighbors_states(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    static const uint32_t wanted[] = {
        0,
        MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_PERMUTATION |
            MOTE_NEIGHBORS_GROUPS,
        MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_DISTANCES |
            MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_RADII,
        MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_PERMUTATION |
            MOTE_NEIGHBORS_SKIN | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_ASCENDING,
        MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_HALF,
    };
    float floats[3 * COUNT], radii[COUNT];
    double doubles[3 * COUNT], radii_f64[COUNT];
    mote_random random = {1};
    for (int k = 0; k < 3 * COUNT; ++k) doubles[k] = floats[k] = (float)mote_random_unit(&random);
    for (int k = 0; k < COUNT; ++k) radii_f64[k] = radii[k] = 0.2f;
    const mote_neighbors_method_info *method;
    for (size_t m = 0; (method = mote_neighbors_method_at(m)); ++m)
        for (int run = 0; run < STATES * (int)(sizeof wanted / sizeof wanted[0]); ++run) {
            const int step = run % STATES;
            scarce_memory memory = {false};
            mote_neighbors_def def = mote_neighbors_default_def();
            def.method = method->name;
            def.features = wanted[run / STATES] & method->features;
            def.radius = 0.2;
            def.skin = 0.05;
            def.radius_rule = MOTE_RADIUS_LARGER;
            if (def.features & MOTE_NEIGHBORS_PERIODIC) def.period[0].x = def.period[1].y = 1;  // open along z
            asked_search ask = {.context = scarce_context(&memory), .features = def.features, .has_memory = true};
            const size_t bytes = mote_context_byte_count(ask.context);
            const bool is_f64 = def.features & MOTE_NEIGHBORS_F64;
            ask.points = is_f64 ? mote_points_xyz_f64(doubles, COUNT) : mote_points_xyz(floats, COUNT);
            ask.radii = is_f64 ? (const void *)radii_f64 : radii;
            ask.stride = is_f64 ? sizeof(double) : sizeof(float);
            CHECK_OK(mote_row_scratch_create(ask.context, &ask.scratch, NULL));
            CHECK_OK(mote_neighbors_create(ask.context, &def, &ask.search, NULL));
            ask.has_points = step >= LISTS_FAILED;
            ask.is_empty = step == FILLED_WITH_NOTHING || step == EMPTIED;
            bring_to_state(&ask, step, &memory);
            ask.has_memory = !memory.is_scarce;
            look_at_neighbors(&ask);
            if (step % 2) change_neighbors(&ask);
            memory.is_scarce = false;
            ask.has_memory = ask.has_points = true;
            ask.is_empty = false;
            mote_error error;
            CHECK_OK(update_asked(&ask, ask.points, &error));
            look_at_neighbors(&ask);
            change_neighbors(&ask);
            mote_row_scratch_destroy(ask.scratch);
            mote_neighbors_destroy(ask.search);
            CHECK(mote_context_byte_count(ask.context) == bytes, "%s leaves bytes", method->name);
            mote_context_destroy(ask.context);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base),
        cmocka_unit_test(meshes),
        cmocka_unit_test(broadphase_objects_that_are_null),
        cmocka_unit_test(broadphase_arguments_that_are_null),
        cmocka_unit_test(broadphase_states),
        cmocka_unit_test(neighbors),
        cmocka_unit_test(neighbors_states),
    };
    RUN_TESTS(tests, argc, argv);
}
