// SPDX-License-Identifier: MIT
// Every public call of the fluid, and of the library for files and pictures: with NULL for what it needs, and on
// objects in every state that they can be in. checks/called.sh sees that no call is forgotten.

#include "mote/expression.h"
#include "mote/import.h"
#include "mote/neighbors.h"
#include "mote/output.h"
#include "mote/raster.h"
#include "mote/render.h"
#include "mote/scene.h"
#include "mote/simulation.h"
#include "mote/opening.h"
#include "mote/tension.h"
#include "support/calls.h"
#include "support/water.h"

static mote_fluid_def fluid_of(double spacing)
{
    mote_fluid_def def = mote_fluid_default_def();
    def.spacing = spacing;
    return def;
}

static void tables(void)
{
    CHECK(mote_fluid_preset_at(0) && mote_fluid_solver_at(0) && mote_fluid_kernel_at(0), "tables");
    CHECK(!mote_fluid_preset_at(99) && !mote_fluid_solver_at(99) && !mote_fluid_kernel_at(99), "tables");
    CHECK(mote_fluid_attribute_at(0) && !mote_fluid_attribute_at(99) && mote_phase_fields(), "tables");
    CHECK(mote_boundary_kind_at(0) && !mote_boundary_kind_at(99), "tables");
    CHECK(mote_boundary_kind_of(MOTE_SOLVER_ONDERIK, false) == MOTE_BOUNDARY_SAMPLES, "not samples");
}

// Presets, periodic boxes and boundaries, on an empty fluid and one with particles.
static void boundaries(mote_fluid *empty, mote_fluid *filled)
{
    mote_error error;
    mote_fluid_def def = fluid_of(0.1);
    REFUSED(mote_fluid_choose_preset(NULL, MOTE_PRESET_FAST, &error));
    REFUSED(mote_fluid_choose_preset(&def, 99, &error));
    CHECK_OK(mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, &error));
    CHECK(def.solver == MOTE_SOLVER_WEAK && def.spacing == 0.1, "solver %d", (int)def.solver);
    CHECK(mote_period_fields() && mote_boundary_fields(), "fields");
    mote_period_def period = mote_period_default_def();
    REFUSED(mote_fluid_set_period(NULL, &period, &error));
    REFUSED(mote_fluid_set_period(empty, NULL, &error));
    period = (mote_period_def){.max = {1, 1, 1}, .x = true, .cookie = period.cookie};
    ANSWERS(mote_fluid_set_period(empty, &period, &error));   // needs another solver
    ANSWERS(mote_fluid_set_period(filled, &period, &error));  // has particles
    const mote_boundary_def boundary = mote_boundary_default_def(), unsigned_one = {.slip = true};
    uint32_t number;
    REFUSED(mote_fluid_add_boundary(NULL, &boundary, &number, &error));
    REFUSED(mote_fluid_add_boundary(empty, NULL, &number, &error));
    REFUSED(mote_fluid_add_boundary(empty, &boundary, NULL, &error));
    REFUSED(mote_fluid_add_boundary(empty, &unsigned_one, &number, &error));
    CHECK_OK(mote_fluid_add_boundary(empty, &boundary, &number, &error));
    CHECK(number == 1, "boundary %u", number);
    mote_vec3 force = {0, 0, 0};
    CHECK(!mote_fluid_wants_impulses(NULL) && !mote_fluid_wants_impulses(empty), "wants impulses");
    mote_fluid_add_impulse(NULL, 0, (mote_vec3){0, 0, 0}, (mote_vec3){0, 0, 0});
    mote_fluid_add_impulse(empty, 0, force, force);
    REFUSED(mote_fluid_boundary_force(NULL, 0, &force, NULL, &error));
    REFUSED(mote_fluid_boundary_force(filled, 1, &force, NULL, &error));
    CHECK_OK(mote_fluid_boundary_force(empty, 1, &force, NULL, &error));
    CHECK_OK(mote_fluid_boundary_force(filled, 0, NULL, NULL, &error));
    mote_fluid_add_impulse(filled, 9, force, force);
    CHECK(mote_fluid_wants_impulses(filled) && force.x == 0, "force %g", force.x);
    tables();
    mote_array array;
    REFUSED(mote_fluid_get_array(NULL, "pressure", &array, &error));
    REFUSED(mote_fluid_get_array(empty, NULL, &array, &error));
    REFUSED(mote_fluid_get_array(empty, "pressure", NULL, &error));
    REFUSED(mote_fluid_get_array(filled, "surface", &array, &error));  // of another solver
    CHECK_OK(mote_fluid_get_array(filled, "pressure", &array, &error));
    mote_phase_def phase = mote_phase_default_def();
    const mote_phase_def unsigned_phase = {.gamma = 7};
    REFUSED(mote_fluid_add_phase(NULL, &phase, &number, &error));
    REFUSED(mote_fluid_add_phase(empty, NULL, &number, &error));
    REFUSED(mote_fluid_add_phase(empty, &phase, NULL, &error));
    REFUSED(mote_fluid_add_phase(empty, &unsigned_phase, &number, &error));
    ANSWERS(mote_fluid_add_phase(filled, &phase, &number, &error));  // has particles
    mote_boundary_motion motion = mote_boundary_motion_default();
    REFUSED(mote_fluid_set_boundary_motion(NULL, 0, &motion, &error));
    REFUSED(mote_fluid_set_boundary_motion(empty, 0, NULL, &error));
    ANSWERS(mote_fluid_set_boundary_motion(empty, 0, &motion, &error));  // needs another solver
    const mote_opening opening = mote_opening_default();
    const mote_drain drain = mote_drain_default();
    REFUSED(mote_fluid_add_opening(NULL, &opening, &number, &error));
    REFUSED(mote_fluid_add_opening(empty, NULL, &number, &error));
    REFUSED(mote_fluid_add_opening(empty, &opening, NULL, &error));
    ANSWERS(mote_fluid_add_opening(filled, &opening, &number, &error));  // needs another solver
    REFUSED(mote_fluid_add_drain(NULL, &drain, &number, &error));
    REFUSED(mote_fluid_add_drain(empty, NULL, &number, &error));
    REFUSED(mote_fluid_add_drain(empty, &drain, NULL, &error));
    REFUSED(mote_fluid_add_drain(empty, &drain, &number, &error));  // has no shape
    ZERO(mote_fluid_opening_count(NULL, 0).in + mote_fluid_drain_count(NULL, 0).out);
    ZERO(mote_fluid_opening_count(filled, 9).in + mote_fluid_drain_count(filled, 9).out);
    CHECK(isnan(mote_open_end_default().level), "a level");
    CHECK(mote_inlet_fields() && mote_outlet_fields() && mote_named_drain_fields(), "tables");
    const mote_motion still = {.axis = {0, 1, 0}};
    ZERO(mote_motion_is_set(NULL));
    ZERO(mote_motion_is_set(&still));
    const double place[3] = {0, 0, 0};
    const uint32_t nowhere = 7;
    REFUSED(mote_fluid_add_boundary_walls(NULL, place, NULL, NULL, 1, &error));
    REFUSED(mote_fluid_add_boundary_walls(empty, NULL, NULL, NULL, 1, &error));
    REFUSED(mote_fluid_add_boundary_walls(empty, place, NULL, &nowhere, 1, &error));
    ANSWERS(mote_fluid_add_boundary_walls(empty, place, NULL, &number, 1, &error));
}

static void fluids(void **state)
{
    (void)state;
    const mote_fluid_def fluid_def = fluid_of(0.1);
    const double positions[6] = {0, 0, 0, 0.1, 0, 0}, *pd, *pe;
    mote_fluid *fluid, *fl, *flf;
    mote_fluid_view fview;
    mote_fluid_totals totals;
    float densities[2];
    double number;
    size_t size;
    mote_error error;
    CHECK_OK(mote_fluid_create(NULL, &fluid_def, &fl, &error));
    CHECK_OK(mote_fluid_create(NULL, &fluid_def, &flf, &error));
    CHECK_OK(add_water(flf, 10, NULL));
    CHECK_OK(mote_fluid_add(flf, 0, positions, NULL, 2, &error));
    CHECK(mote_fluid_fields() != NULL && mote_grains_fields() != NULL, "fields");
    REFUSED(mote_fluid_create(NULL, NULL, &fluid, &error));
    REFUSED(mote_fluid_create(NULL, &fluid_def, NULL, &error));
    mote_fluid_destroy(NULL);
    (void)mote_fluid_resolved_def(NULL);
    (void)mote_fluid_resolved_phase(NULL, 0);
    ZERO(mote_fluid_particle_mass(NULL));
    ZERO(mote_fluid_phase_mass(NULL, 0));
    ZERO(mote_fluid_phase_count(NULL));
    const mote_tension_def tension = mote_tension_default_def();
    REFUSED(mote_fluid_set_tension(NULL, 0, 1, &tension, &error));
    CHECK(mote_tension_fields() && mote_tension_model_at(0) && !mote_tension_model_at(99), "tables");
    CHECK(mote_named_phase_fields() && mote_named_tension_fields(), "tables");
    ZERO(mote_fluid_surface_gamma(NULL));
    REFUSED(mote_fluid_add(NULL, 0, NULL, NULL, 0, &error));
    REFUSED(mote_fluid_add(fl, 0, NULL, NULL, 1, &error));
    REFUSED(mote_fluid_add(fl, 0, positions, NULL, 1, &error));  // has no phase
    REFUSED(mote_fluid_set_pressures(NULL, NULL, &error));
    REFUSED(mote_fluid_set_gravity(NULL, (mote_vec3){0, 0, 0}, &error));
    REFUSED(mote_fluid_set_pressures(flf, NULL, &error));
    REFUSED(mote_fluid_remove(NULL, NULL, &error));
    REFUSED(mote_fluid_remove(flf, NULL, &error));
    REFUSED(mote_fluid_add_walls(NULL, NULL, NULL, 0, &error));
    REFUSED(mote_fluid_add_walls(fl, NULL, NULL, 1, &error));
    boundaries(fl, flf);
    REFUSED(mote_fluid_evaluate(NULL, &error));
    REFUSED(mote_fluid_time_step(NULL, &number, &error));
    REFUSED(mote_fluid_time_step(flf, NULL, &error));
    REFUSED(mote_fluid_advance(NULL, 0.1, NULL, NULL, &error));
    REFUSED(mote_fluid_advance(flf, -1, NULL, NULL, &error));
    REFUSED(mote_fluid_get_view(NULL, &fview, &error));
    REFUSED(mote_fluid_get_view(flf, NULL, &error));
    REFUSED(mote_fluid_sum_densities(NULL, densities, &error));
    REFUSED(mote_fluid_sum_densities(flf, NULL, &error));
    mote_fluid_get_walls(NULL, &pd, &pe, &size);
    mote_fluid_get_walls(fl, NULL, NULL, NULL);
    REFUSED(mote_fluid_get_totals(NULL, &totals, &error));
    REFUSED(mote_fluid_get_totals(fl, NULL, &error));
    (void)mote_fluid_get_counters(NULL);
    ZERO(mote_fluid_byte_count(NULL));
    REFUSED(mote_fluid_validate(NULL, &error));
    REFUSED(mote_fluid_write(NULL, NULL, NULL, &error));
    REFUSED(mote_fluid_read(NULL, NULL, 0, &error));
    mote_fluid_destroy(fl);
    mote_fluid_destroy(flf);
}

static void ask_fluid(mote_fluid *fluid)
{
    mote_error error = {0};
    const double *positions, *volumes, wall[3] = {0, 0, -0.1}, volume = 1e-3;
    const double pressures[2] = {0, 0};
    const bool marked[2] = {false, true};
    mote_fluid_view view;
    mote_fluid_totals totals;
    float densities[2];
    double dt;
    size_t walls;
    (void)mote_fluid_resolved_def(fluid);
    CHECK(mote_fluid_particle_mass(fluid) > 0, "mass");
    (void)mote_fluid_surface_gamma(fluid);
    ANSWERS(mote_fluid_get_view(fluid, &view, &error));
    ANSWERS(mote_fluid_sum_densities(fluid, densities, &error));
    mote_fluid_get_walls(fluid, &positions, &volumes, &walls);
    ANSWERS(mote_fluid_get_totals(fluid, &totals, &error));
    (void)mote_fluid_get_counters(fluid);
    CHECK(mote_fluid_byte_count(fluid) > 0, "no bytes");
    CHECK_OK(mote_fluid_validate(fluid, &error));
    ANSWERS(mote_fluid_time_step(fluid, &dt, &error));
    ANSWERS(mote_fluid_advance(fluid, 1e-5, NULL, NULL, &error));
    ANSWERS(mote_fluid_evaluate(fluid, &error));
    ANSWERS(mote_fluid_set_pressures(fluid, pressures, &error));
    ANSWERS(mote_fluid_set_gravity(fluid, (mote_vec3){1, 0, -9}, &error));
    REFUSED(mote_fluid_set_gravity(fluid, (mote_vec3){0, 0, NAN}, &error));
    ANSWERS(mote_fluid_add_walls(fluid, wall, &volume, 1, &error));
    ANSWERS(mote_fluid_remove(fluid, marked, &error));
    CHECK_OK(mote_fluid_validate(fluid, &error));
}

// Made, filled, evaluated, refused memory, emptied.
static void fluid_states(void **state)
{
    mote_error error;
    (void)state;
    const double positions[6] = {0, 0, 0, 0.1, 0, 0};
    const bool all[2] = {true, true};
    for (int step = 0; step < 5; ++step) {
        scarce_memory memory = {false};
        mote_context *context = scarce_context(&memory);
        const mote_fluid_def def = fluid_of(0.1);
        mote_fluid *fluid;
        CHECK_OK(mote_fluid_create(context, &def, &fluid, NULL));
        CHECK_OK(add_water(fluid, 10, NULL));
        if (step > 0) CHECK_OK(mote_fluid_add(fluid, 0, positions, NULL, 2, NULL));
        if (step == 2) CHECK_OK(mote_fluid_evaluate(fluid, NULL));
        memory.is_scarce = step == 3;
        if (step == 3) ANSWERS(mote_fluid_evaluate(fluid, &error));
        if (step == 4) CHECK_OK(mote_fluid_remove(fluid, all, NULL));
        ask_fluid(fluid);
        memory.is_scarce = false;
        ask_fluid(fluid);
        mote_fluid_destroy(fluid);
        mote_context_destroy(context);
    }
}

static void files_read(void **state)
{
    (void)state;
    mote_mesh *m2;
    mote_point_data pdata;
    mote_box_data bdata;
    char text[10];
    mote_error error;
    REFUSED(mote_import_mesh(NULL, NULL, &m2, &error));
    REFUSED(mote_import_mesh(NULL, "x.obj", NULL, &error));
    REFUSED(mote_import_mesh_watched(NULL, NULL, NULL, NULL, &m2, &error));
    REFUSED(mote_import_mesh_watched(NULL, "x.obj", NULL, NULL, NULL, &error));
    ZERO(mote_import_knows(NULL));
    REFUSED(mote_import_obj(NULL, "n", NULL, 7, &m2, &error));
    REFUSED(mote_import_obj(NULL, "n", "v 1 1 1", 7, NULL, &error));
    REFUSED(mote_import_ply(NULL, "n", NULL, 7, &m2, &error));
    REFUSED(mote_import_ply(NULL, "n", "v 1 1 1", 7, NULL, &error));
    REFUSED(mote_import_stl(NULL, "n", NULL, 7, &m2, &error));
    REFUSED(mote_import_stl(NULL, "n", "v 1 1 1", 7, NULL, &error));
    REFUSED(mote_import_vtp(NULL, "n", NULL, 7, &m2, &error));
    REFUSED(mote_import_vtp(NULL, "n", "<VTKFile", 8, NULL, &error));
    REFUSED(mote_import_points(NULL, NULL, &pdata, &error));
    REFUSED(mote_import_points(NULL, "x.csv", NULL, &error));
    REFUSED(mote_import_points_frame(NULL, NULL, 0, &pdata, &error));
    REFUSED(mote_import_points_frame(NULL, "x.csv", 0, NULL, &error));
    mote_point_data_release(NULL);
    mote_cloud_data cloud;
    REFUSED(mote_import_cloud(NULL, NULL, NULL, &cloud, &error));
    REFUSED(mote_import_cloud(NULL, "x.csv", NULL, NULL, &error));
    REFUSED(mote_import_cloud_memory(NULL, "n", ".csv", NULL, 7, &cloud, &error));
    REFUSED(mote_import_cloud_memory(NULL, "n", ".csv", "1 2 3", 5, NULL, &error));
    mote_cloud_data_release(NULL);
    REFUSED(mote_import_points_csv(NULL, "n", NULL, 7, &pdata, &error));
    REFUSED(mote_import_points_csv(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_points_xyz(NULL, "n", NULL, 7, &pdata, &error));
    REFUSED(mote_import_points_xyz(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_points_ply(NULL, "n", NULL, 7, &pdata, &error));
    REFUSED(mote_import_points_ply(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_points_vtp(NULL, "n", NULL, 7, &pdata, &error));
    REFUSED(mote_import_points_vtp(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_points_npy(NULL, "n", NULL, 7, &pdata, &error));
    REFUSED(mote_import_points_npy(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_points_lammps(NULL, "n", NULL, 7, 0, &pdata, &error));
    REFUSED(mote_import_points_lammps(NULL, "n", "1 2 3", 5, 0, NULL, &error));
    mote_motion_data rows;
    REFUSED(mote_import_motion(NULL, NULL, &rows, &error));
    REFUSED(mote_import_motion(NULL, "x.csv", NULL, &error));
    REFUSED(mote_import_motion_csv(NULL, "n", NULL, 7, &rows, &error));
    mote_motion_data_release(NULL);
    REFUSED(mote_import_boxes(NULL, NULL, &bdata, &error));
    REFUSED(mote_import_boxes(NULL, "x.csv", NULL, &error));
    mote_box_data_release(NULL);
    REFUSED(mote_import_boxes_csv(NULL, "n", NULL, 7, &bdata, &error));
    REFUSED(mote_import_boxes_csv(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_boxes_json(NULL, "n", NULL, 7, &bdata, &error));
    REFUSED(mote_import_boxes_json(NULL, "n", "1 2 3", 5, NULL, &error));
    REFUSED(mote_import_find(NULL, "f", text, 10, &error));
    REFUSED(mote_import_find("n", "f", NULL, 10, &error));
}

static void files_written(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    mote_partial pfile;
    const mote_vtp vtp = {0};
    mote_series *series;
    const uint8_t rgb[3] = {0, 0, 0};
    mote_error error;
    ZERO(mote_partial_open(NULL, NULL, &pfile));
    ZERO(mote_partial_open("a", "b", NULL));
    ZERO(mote_partial_close(NULL, NULL, NULL, false));
    (void)mote_array_type_bytes(0);
    (void)mote_array_scalars(NULL, 0, NULL);
    (void)mote_array_tuples(NULL, 0, NULL, 3);
    (void)mote_array_axes(NULL, 0, NULL, NULL, NULL);
    REFUSED(mote_vtp_write(NULL, NULL, &vtp, &error));
    REFUSED(mote_vtp_write(NULL, "x.vtp", NULL, &error));
    REFUSED(mote_series_create(NULL, NULL, &series, &error));
    REFUSED(mote_series_create(NULL, "x.pvd", NULL, &error));
    mote_series_destroy(NULL);
    REFUSED(mote_series_add(NULL, 1, "x", &error));
    REFUSED(mote_series_flush(NULL, &error));
    REFUSED(mote_mesh_write(NULL, NULL, mesh, &error));
    REFUSED(mote_mesh_write(NULL, "x.ply", NULL, &error));
    ZERO(mote_output_knows_mesh(NULL));
    ZERO(mote_mesh_format_at(100));
    ZERO(mote_mesh_format_of(NULL));
    mote_mesh_data data = mote_mesh_data_default();
    REFUSED(mote_mesh_data_write(NULL, NULL, &data, &error));
    REFUSED(mote_mesh_data_write(NULL, "x.ply", &data, &error));
    REFUSED(mote_glb_write(NULL, "x.glb", &data, &error));
    REFUSED(mote_glb_write(NULL, "x.glb", NULL, &error));
    REFUSED(mote_ply_write(NULL, NULL, mesh, NULL, &error));
    REFUSED(mote_ply_write(NULL, "x.ply", NULL, NULL, &error));
    REFUSED(mote_obj_write(NULL, NULL, mesh, &error));
    REFUSED(mote_obj_write(NULL, "x.ply", NULL, &error));
    REFUSED(mote_stl_write(NULL, NULL, mesh, &error));
    REFUSED(mote_stl_write(NULL, "x.ply", NULL, &error));
    REFUSED(mote_png_write(NULL, NULL, rgb, 1, 1, &error));
    REFUSED(mote_png_write(NULL, "x.png", NULL, 1, 1, &error));
    mote_mesh_destroy(mesh);
}

static void pictures(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    const mote_render_def rdef = mote_render_default_def();
    const mote_look_def look = mote_look_default_def();
    const mote_picture picture = mote_picture_default();
    const mote_layer layer = mote_layer_default();
    (void)mote_liquid_default();
    CHECK(layer.points.count == 0, "a layer without points");
    const mote_box nowhere = {{0, 0, 0}, {0, 0, 0}};
    mote_render *render;
    uint8_t rgb[3];
    uint32_t id;
    mote_error error;
    CHECK(mote_render_fields() != NULL, "fields");
    REFUSED(mote_render_check(NULL, &error));
    REFUSED(mote_render_create(NULL, NULL, &render, &error));
    REFUSED(mote_render_create(NULL, &rdef, NULL, &error));
    mote_render_destroy(NULL);
    (void)mote_render_resolved_def(NULL);
    CHECK(strcmp(mote_render_device(NULL), "") == 0, "words of nothing");
    ZERO(mote_render_has_text(NULL));
    REFUSED(mote_render_add_mesh(NULL, mesh, &look, &id, &error));
    REFUSED(mote_render_update_mesh(NULL, 0, mesh, &error));
    (void)mote_render_widen(nowhere, NULL);
    REFUSED(mote_render_frame(NULL, &picture, rgb, &error));
    mote_colormap_surf(0.5, NULL);
    mote_mesh_destroy(mesh);
}

static void scenes(void **state)
{
    (void)state;
    mote_mesh *mesh = tetrahedron();
    mote_scene *scene;
    uint32_t id;
    mote_error error;
    CHECK(mote_scene_fields() != NULL, "fields");
    CHECK(mote_simulation_part_at(1000) == NULL, "a part beyond the last");
    size_t structs = 1;
    ZERO(mote_simulation_part_structs(NULL, mote_simulation_part_at(0), &structs));
    CHECK(structs == 0, "structs of no def");
    REFUSED(mote_scene_load(NULL, NULL, NULL, 0, &scene, &error));
    REFUSED(mote_scene_load(NULL, "x.json", NULL, 0, NULL, &error));
    REFUSED(mote_scene_parse(NULL, NULL, 5, NULL, 0, &scene, &error));
    REFUSED(mote_scene_parse(NULL, "{}", 2, NULL, 0, NULL, &error));
    REFUSED(mote_scene_parse(NULL, "{}", 2, NULL, 1, &scene, &error));
    mote_scene_destroy(NULL);
    ZERO(mote_scene_get_settings(NULL));
    size_t length = 1;
    ZERO(mote_scene_text(NULL, &length));
    ZERO(length);
    mote_scene_set_mesh(NULL, 0, mesh);
    mote_scene_set_points(NULL, 0, NULL, 0);
    mote_scene_set_motion(NULL, 0, NULL, 0);
    ZERO(mote_block_box(NULL, 3).max.x);
    ZERO(mote_scene_find_place(NULL, "a", &id, &id));
    mote_mesh_destroy(mesh);
}

// Values of enums that have no name, in every def and call that takes one.
static void expressions(void **state)
{
    (void)state;
    static const char *const names[] = {"x", NULL};
    mote_expression *made;
    mote_error error;
    REFUSED(mote_expression_create(NULL, NULL, names, &made, &error));
    REFUSED(mote_expression_create(NULL, "x", names, NULL, &error));
    REFUSED(mote_expression_check(NULL, names, &error));
    REFUSED(mote_expression_validate(NULL, &error));
    ZERO(mote_expression_evaluate(NULL, NULL));
    ZERO(mote_expression_uses(NULL, 0));
    ZERO(mote_expression_get_stats(NULL).instructions);
    ZERO(mote_expression_byte_count(NULL));
    mote_expression_destroy(NULL);
    CHECK_OK(mote_expression_create(NULL, "x", names, &made, &error));
    ZERO(mote_expression_evaluate(made, NULL));
    double derived[3] = {1, 1, 1};
    mote_expression_derive(made, NULL, 0, derived);
    ZERO(derived[0] + derived[1] + derived[2]);
    mote_expression_derive(NULL, NULL, 0, derived);
    mote_expression_derive(made, NULL, 0, NULL);
    mote_expression_destroy(made);
}

static void values_without_a_name(void **state)
{
    (void)state;
    enum { NONE = 99 };
    const float at[3] = {0, 0, 0};
    mote_error error;
    mote_fluid *fluid;
    mote_fluid_def density = fluid_of(0.1), equation = density;
    density.density = equation.state_equation = NONE;
    REFUSED(mote_fluid_create(NULL, &density, &fluid, &error));
    REFUSED(mote_fluid_create(NULL, &equation, &fluid, &error));
    mote_grains *grains;
    mote_grains_def collision = mote_grains_default_def();
    collision.count = 1;
    collision.collision = NONE;
    REFUSED(mote_grains_create(NULL, &collision, NULL, 0, &grains, &error));
    mote_render_def projection = mote_render_default_def();
    projection.projection = NONE;
    REFUSED(mote_render_check(&projection, &error));
    mote_neighbors *search;
    mote_neighbors_def rule = mote_neighbors_default_def(), hash = rule;
    rule.radius = hash.radius = 1;
    rule.features = MOTE_NEIGHBORS_RADII;
    rule.radius_rule = (mote_radius_rule)NONE;
    hash.hash = (mote_cell_hash_function)NONE;
    REFUSED(mote_neighbors_create(NULL, &rule, &search, &error));
    REFUSED(mote_neighbors_create(NULL, &hash, &search, &error));
    mote_raster *raster;
    mote_points points = mote_points_xyz(at, 1);
    points.scalar = (mote_scalar)NONE;
    CHECK_OK(mote_raster_create(NULL, 1, &raster, NULL));
    REFUSED(mote_raster_update(raster, points, &error));
    mote_raster_destroy(raster);
    const mote_array array = mote_array_scalars("x", (mote_array_type)NONE, at);
    const mote_vtp vtp = {.points = mote_points_xyz(at, 1), .arrays = &array, .array_count = 1};
    REFUSED(mote_vtp_write(NULL, "x.vtp", &vtp, &error));
    mote_mesh *mesh = tetrahedron();
    const mote_mesh *meshes[1] = {mesh};
    mote_proxy *proxy;
    mote_proxy_def variation = mote_proxy_default_def();
    variation.variation = (mote_proxy_variation)NONE;
    REFUSED(mote_proxy_create(NULL, &variation, meshes, 1, &proxy, &error));
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluids),
        cmocka_unit_test(fluid_states),
        cmocka_unit_test(files_read),
        cmocka_unit_test(files_written),
        cmocka_unit_test(pictures),
        cmocka_unit_test(scenes),
        cmocka_unit_test(expressions),
        cmocka_unit_test(values_without_a_name),
    };
    RUN_TESTS(tests, argc, argv);
}
