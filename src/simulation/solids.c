// Solids: closed triangle meshes in the fluid.
//
// A solid is two things to a particle. Samples spread over its surface press like walls (fluid's walls.c). And since
// pressure can be overcome, a particle that comes near slides along it (mote/hits.h), a quarter of a spacing from
// the surface: less than what the pressure of the samples keeps it at, which is about one spacing at rest, so that it
// rarely interferes; and more than the rounding of everything that asks later whether the particle is inside.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double margin_share = 0.25;   // of a spacing
static const double start_density = 1.02;  // of the rest density: what no particle may exceed at the start
enum { MAX_ROUNDS = 4, BLOCK = 64 };

mote_result mote_solids_check(const mote_simulation_def *def, mote_error *error)
{
    if (def->solid_count && def->fluid.dimensions != 3)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "solids[0]: a mesh in 2D, expected 3 dimensions");
    for (size_t k = 0; k < def->solid_count; ++k) {
        const mote_solid_def *solid = &def->solids[k];
        const char *name = solid->name ? solid->name : "";
        if (!solid->mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "solids[%zu] (%s): has no mesh", k, name);
        if (!(solid->restitution >= 0 && solid->restitution <= 1) || !(solid->friction >= 0))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "solids[%zu] (%s): restitution %g, friction %g, expected 0 to 1, and at least 0", k, name,
                             solid->restitution, solid->friction);
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ setting up

// Of spheres, which lie apart, in a fraction of the time that their mesh takes.
static mote_result sample_spheres(const mote_simulation *simulation, const mote_solid_def *def,
                                  mote_mesh_samples *samples)
{
    const size_t count = (size_t)def->spheres.count;
    mote_sphere *spheres = mote_allocate(simulation->context, count * sizeof *spheres);
    if (!spheres) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = mote_spheres_place(simulation->context, &def->spheres, spheres, NULL);
    if (result == MOTE_OK) {
        mote_spheres_move(spheres, count, &def->placement);
        result = mote_spheres_sample(simulation->context, spheres, count, simulation->spacing, samples);
    }
    mote_release(simulation->context, spheres, count * sizeof *spheres);
    return result;
}

// Samples of a solid's surface as walls; those beyond a side of the tank are left out, where the side's own walls are.
static mote_result add_samples(mote_simulation *simulation, const mote_solid_def *def, uint64_t seed)
{
    mote_mesh_samples samples;
    mote_result result = def->spheres.count > 0 ? sample_spheres(simulation, def, &samples)
                                                : mote_mesh_sample(def->mesh, simulation->spacing, seed, &samples);
    if (result != MOTE_OK) return result;
    size_t kept = 0;
    for (size_t i = 0; i < samples.count; ++i) {
        const double *p = samples.points + 3 * i;
        if (simulation->has_tank &&
            !mote_tank_contains(&simulation->tank, simulation->dimensions, mote_vec3_make(p[0], p[1], p[2])))
            continue;
        memmove(samples.points + 3 * kept++, p, 3 * sizeof *p);
    }
    result = mote_fluid_add_walls(simulation->fluid, samples.points, NULL, kept);
    mote_mesh_samples_release(&samples);
    return result;
}

// Whether merging the vertices at the same place would close the mesh; false also where there is no memory to try.
static bool weld_closes(const mote_mesh *mesh)
{
    mote_mesh *copy = NULL;
    mote_mesh_report report = {.closed = false};
    mote_result result = mote_mesh_create(mesh->context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                          mesh->triangle_count, &copy, NULL);
    if (result == MOTE_OK) result = mote_mesh_weld(copy);
    if (result == MOTE_OK) result = mote_mesh_examine(copy, &report);
    mote_mesh_destroy(copy);
    return result == MOTE_OK && report.closed;
}

static mote_result add_solid(mote_simulation *simulation, const mote_solid_def *def, uint64_t seed, mote_error *error)
{
    simulation_solid *solid = &simulation->solids[simulation->solid_count];
    mote_mesh_report report;
    mote_result result = mote_mesh_examine(def->mesh, &report);
    if (result != MOTE_OK) return mote_fail(error, result, 0, "solids[%zu]: no memory to examine the mesh",
                                               simulation->solid_count);
    if (!report.closed)
        return mote_fail(
            error, MOTE_ERROR_ARGUMENT, simulation->solid_count,
            "solids[%zu] (%s): the mesh has %zu open, %zu non-manifold and %zu flipped edges, expected a closed one%s",
            simulation->solid_count, def->name, report.open_edges, report.non_manifold_edges, report.flipped_edges,
            weld_closes(def->mesh) ? ", which \"weld\": true makes of it" : "");
    solid->mesh = def->mesh;
    solid->margin = margin_share * simulation->spacing;
    solid->response = mote_response_bounce(def->restitution, def->friction);
    result = mote_hits_create(simulation->context, NULL, def->mesh, &solid->hits, error);
    if (result != MOTE_OK) return result;
    result = mote_hits_prepare_closest(solid->hits, error);
    if (result != MOTE_OK) {
        mote_hits_destroy(solid->hits);
        return result;
    }
    result = add_samples(simulation, def, seed);
    size_t place = simulation->solid_count++;
    if (result == MOTE_OK) return MOTE_OK;
    return mote_fail(error, result, place, "solids[%zu] (%s): the surface could not be sampled: %s", place, def->name,
                     mote_result_text(result));
}

mote_result mote_solids_add(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    simulation->solids = mote_allocate(simulation->context, mote_bytes(def->solid_count, sizeof *simulation->solids));
    if (!simulation->solids) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "simulation: no memory for solids");
    simulation->solid_room = def->solid_count;
    mote_result result = MOTE_OK;
    for (size_t k = 0; result == MOTE_OK && k < def->solid_count; ++k)
        result = add_solid(simulation, &def->solids[k], def->seed + k, error);
    return result;
}

void mote_solids_release(mote_simulation *simulation)
{
    for (size_t k = 0; k < simulation->solid_count; ++k) mote_hits_destroy(simulation->solids[k].hits);
    mote_release(simulation->context, simulation->solids,
                 mote_bytes(simulation->solid_room, sizeof *simulation->solids));
}

// --------------------------------------------------------------------------------------------------- at the start

// Whether a place is outside the solid, at its margin or farther.
static bool is_clear(const simulation_solid *solid, mote_vec3 p)
{
    mote_closest closest;
    bool inside = true;
    mote_hits_closest(solid->hits, p, solid->margin, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle != UINT32_MAX) return closest.distance >= solid->margin;
    mote_hits_is_inside(solid->hits, p, &inside, NULL);
    return !inside;
}

typedef struct clear_task {
    const mote_simulation *simulation;
    const mote_fluid_view *view;
    bool *marked;
} clear_task;

static void mark_overlaps(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const clear_task *task = data;
    const mote_fluid_view *view = task->view;
    for (size_t i = begin; i < end; ++i) {
        task->marked[i] = false;
        for (size_t k = 0; !task->marked[i] && k < task->simulation->solid_count; ++k)
            task->marked[i] =
                !is_clear(&task->simulation->solids[k], mote_vec3_make(view->x[i], view->y[i], view->z[i]));
    }
}

// Removes what is marked and says how many that were.
static mote_result remove_marked(mote_simulation *simulation, const bool *marked, size_t count, size_t *removed)
{
    *removed = 0;
    for (size_t i = 0; i < count; ++i) *removed += marked[i];
    simulation->removed += *removed;
    return *removed ? mote_fluid_remove(simulation->fluid, marked) : MOTE_OK;
}

// Fluid inside a solid or too near goes; then, round by round, what the solid's samples press above the density that a
// start may have. Every round removes a particle at least.
mote_result mote_solids_clear(mote_simulation *simulation, mote_error *error)
{
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(simulation->fluid, &view);
    size_t room = result == MOTE_OK ? view.count : 0, removed = 0;
    bool *marked = mote_allocate(simulation->context, room * sizeof *marked);
    float *density = mote_allocate(simulation->context, room * sizeof *density);
    if (result == MOTE_OK && !(marked && density) && room) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) {
        clear_task task = {simulation, &view, marked};
        mote_parallel_for(simulation->context, view.count, BLOCK, mark_overlaps, &task);
        result = remove_marked(simulation, marked, view.count, &removed);
    }
    float limit = (float)(start_density * mote_fluid_resolved_def(simulation->fluid).rest_density);
    for (removed = 1; result == MOTE_OK && removed;) {
        result = mote_fluid_get_view(simulation->fluid, &view);
        if (result == MOTE_OK) result = mote_fluid_sum_densities(simulation->fluid, density);
        if (result != MOTE_OK) break;
        for (size_t i = 0; i < view.count; ++i) marked[i] = density[i] > limit;
        result = remove_marked(simulation, marked, view.count, &removed);
    }
    mote_release(simulation->context, marked, room * sizeof *marked);
    mote_release(simulation->context, density, room * sizeof *density);
    if (result != MOTE_OK) mote_fail(error, result, 0, "simulation: fluid around solids: %s", mote_result_text(result));
    return result;
}

// -------------------------------------------------------------------------------------------------------- motion

// Keeps a motion out of obstacle k: a solid, or behind them all the tank. True if that changed where it leads.
static bool obstruct(const mote_simulation *simulation, size_t k, mote_vec3 from, mote_vec3 *position,
                     mote_vec3 *velocity)
{
    mote_vec3 before = *position;
    if (k < simulation->solid_count)
        mote_hits_slide(simulation->solids[k].hits, simulation->solids[k].margin, &simulation->solids[k].response, from,
                        position, velocity, NULL);
    else if (simulation->has_tank)
        mote_tank_keep_inside(&simulation->tank, simulation->dimensions, position, velocity);
    return !(position->x == before.x && position->y == before.y && position->z == before.z);
}

// An obstacle that has led a motion away may have led it into another: they are asked in turn until all but the last
// to change it have let it pass.
void mote_simulation_lead(const mote_simulation *simulation, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    size_t obstacles = simulation->solid_count + 1, passed = 0, k = simulation->solid_count;
    for (size_t asked = 0; asked < MAX_ROUNDS * obstacles; ++asked) {
        passed = obstruct(simulation, k, from, position, velocity) ? 1 : passed + 1;
        if (passed == obstacles) return;
        k = (k + 1) % obstacles;
    }
    *position = from;
    *velocity = mote_vec3_make(0, 0, 0);
}

// ------------------------------------------------------------------------------------------------- looking at it

typedef struct inside_task {
    const mote_hits *hits;
    mote_box box;
    const mote_fluid_view *view;
    uint32_t *counts;
} inside_task;

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const inside_task *task = data;
    uint32_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        mote_vec3 p = {task->view->x[i], task->view->y[i], task->view->z[i]};
        bool inside = false;
        if (mote_box_contains(task->box, p)) mote_hits_is_inside(task->hits, p, &inside, NULL);
        count += inside;
    }
    task->counts[begin / BLOCK] = count;
}

mote_result mote_solids_count_inside(const mote_simulation *simulation, const mote_fluid_view *view, size_t *inside)
{
    *inside = 0;
    if (simulation->solid_count == 0 || view->count == 0) return MOTE_OK;
    size_t blocks = mote_block_count(view->count, BLOCK), bytes = mote_bytes(blocks, sizeof(uint32_t));
    uint32_t *counts = mote_allocate(simulation->context, bytes);
    if (!counts) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < simulation->solid_count; ++k) {
        const simulation_solid *solid = &simulation->solids[k];
        inside_task task = {solid->hits, mote_mesh_box(solid->mesh), view, counts};
        mote_parallel_for(simulation->context, view->count, BLOCK, count_block, &task);
        for (size_t b = 0; b < blocks; ++b) *inside += counts[b];
    }
    mote_release(simulation->context, counts, bytes);
    return MOTE_OK;
}
