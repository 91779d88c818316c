// SPDX-License-Identifier: MIT
// Solids: closed triangle meshes in the fluid.
//
// A solid acts on a particle in two ways. Samples spread over its surface, or layers inside of it (solid_layers.c),
// have pressure like walls (fluid's walls.c). And since a finite pressure can be overcome, a particle that comes near
// slides along the solid (mote/hits.h), a quarter of a spacing from the surface; nearly half a one from that of a thin
// plate, near which samples push less. This is less than the half spacing at which the pressure keeps the particle, so
// that sliding is rare; and it is more than the rounding errors of all later tests of whether the particle is inside.
//
// With the boundary "proxy" an octree of its mesh stops particles (mote/proxy.h), whose leaves are a quarter of a
// spacing wide, if an octree can be so deep. A particle may then be in the mesh, by the diagonal of a leaf at most.
// With "planes" and "proxy_planes" particles only slide along the solid.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "mote/proxy.h"
#include "proxy/internal.h"
#include "simulation/internal.h"

static const double margin_share = 0.25;  // of a spacing
// Likewise, of bodies whose samples are mostly less deep than a share of what they should be: nearer to these, they
// push too little (fluid/samples.c).
static const double thin_margin_share = 0.45, shallow_share = 0.9;
static const double leaf_share = 0.25;    // likewise, of the leaves of a proxy
// Likewise. In the kernel of the solver weak samples are sharper: farther apart, particles sink in between them.
static const double sample_spacing[] = {[MOTE_SOLVER_ONDERIK] = 1, [MOTE_SOLVER_WEAK] = 0.7};

typedef struct solid_object {
    const mote_solid_def *def;  // valid while the simulation is made
    size_t number;              // among the def's solids
    const mote_mesh *mesh;      // not owned
    mote_look_def look;
    mote_box box;
    mote_hits *hits;  // NULL: no fluid has asked for walls
    mote_proxy *proxy;  // stops particles instead; NULL: there is none
    double slack;       // how deep in the mesh particles may be then [m]
    double margin;    // distance that fluid keeps from it [m]
    mote_response response;
    simulation_motion motion;
    mote_boundary_kind made;  // what holds a fluid back; AUTO: no fluid has asked
    bool is_thin;             // thinner than two spacings nearly everywhere, or too thin for layers
    char remark[192];         // if so, or of leaves that are wider than meant
    mote_mesh *moved;  // the mesh where it was when someone looked, if it moves
    bool is_flat;      // in 2D
    bool is_periodic;  // there are images of it
    mote_period_def period;
} solid_object;

static bool is_octree(mote_boundary_kind kind)
{
    return kind == MOTE_BOUNDARY_PROXY || kind == MOTE_BOUNDARY_PROXY_PLANES;
}


static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    (void)context;
    for (size_t k = 0; k < def->solid_count; ++k) {
        const mote_solid_def *solid = &def->solids[k];
        const char *name = solid->name ? solid->name : "";
        if (!solid->mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "solids[%zu] (%s): has no mesh", k, name);
        if (!(solid->restitution >= 0 && solid->restitution <= 1) || !(solid->friction >= 0))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                             "solids[%zu] (%s): restitution %g, friction %g, expected 0 to 1, and at least 0", k, name,
                             solid->restitution, solid->friction);
        if (def->fluid.dimensions == 2 && !mote_solid_is_flat(solid->mesh))
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, k,
                             "solids[%zu] (%s): a mesh that is no prism along y in 2D, expected a shape: \"box\", "
                             "\"disc\" or \"polygon\"",
                             k, name);
        char owner[48], field[64];
        snprintf(owner, sizeof owner, "solids[%zu]", k);
        snprintf(field, sizeof field, "%s.boundary", owner);
        const mote_fluid_solver solver = (mote_fluid_solver)def->fluid.solver;
        mote_result result = mote_boundary_check(solid->boundary, solver, false, field, error);
        if (result == MOTE_OK && is_octree((mote_boundary_kind)solid->boundary) && def->fluid.dimensions == 2)
            result = mote_fail(error, MOTE_ERROR_UNSUPPORTED, k,
                               "%s is \"%s\", expected another one in 2D: an octree needs a mesh in 3D", field,
                               mote_boundary_kind_at((size_t)solid->boundary)->about.name);
        if (result == MOTE_OK && solid->boundary == MOTE_BOUNDARY_FIELD)
            result = mote_boundary_check_adhesion(def, field, k, error);
        if (result == MOTE_OK) result = mote_motion_check(def, &solid->motion, owner, error);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ setting up

// Samples spheres, which do not overlap, in a fraction of the time that sampling their mesh takes.
static mote_result sample_spheres(const mote_simulation *simulation, const mote_solid_def *def, double spacing,
                                  mote_mesh_samples *samples)
{
    const size_t count = (size_t)def->spheres.count;
    mote_sphere *spheres = mote_allocate(simulation->context, count * sizeof *spheres);
    if (!spheres) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = mote_spheres_arrange(simulation->context, &def->spheres, spheres, NULL);
    if (result == MOTE_OK) {
        mote_spheres_place(spheres, count, &def->placement);
        result = mote_spheres_sample(simulation->context, spheres, count, spacing, samples, NULL);
    }
    mote_release(simulation->context, spheres, count * sizeof *spheres);
    return result;
}

// Samples a solid's surface, or in 2D its outline.
static mote_result sample_surface(const mote_simulation *simulation, const solid_object *object,
                                  const wall_request *request, point_list *walls)
{
    const mote_solid_def *def = object->def;
    mote_context *context = simulation->context;
    if (object->is_flat)
        return mote_solid_sample_outline(context, def->mesh, request->spacing, &walls->positions, &walls->count);
    mote_mesh_samples samples;
    const double apart = sample_spacing[request->solver] * request->spacing;
    mote_result result = def->spheres.count > 0 ? sample_spheres(simulation, def, apart, &samples)
                                                : mote_mesh_sample(def->mesh, apart,
                                                                   request->seed + object->number, &samples, NULL);
    if (result != MOTE_OK) return result;
    const size_t bytes = mote_bytes(samples.count, 3 * sizeof(double));
    result = mote_buffer_reserve(context, &walls->positions, bytes, 0);
    if (result == MOTE_OK) walls->count = samples.count;
    if (result == MOTE_OK && bytes > 0) memcpy(walls->positions.data, samples.points, bytes);
    mote_mesh_samples_release(&samples);
    return result;
}

// Moves a sample inside, to where a lattice that continues the fluid's would have its first layer; in a plate that is
// thinner than that from both sides, to its middle. Returns how deep it is then, in spacings.
static double move_inside(const solid_object *object, const wall_request *request, double *at, mote_vec3 *normal)
{
    const double d = request->spacing;
    mote_vec3 place = mote_vec3_make(at[0], at[1], at[2]);
    mote_closest closest;
    mote_hit hit;
    mote_hits_closest(object->hits, place, d, MOTE_SIGN_NORMAL, &closest, NULL);
    *normal = (mote_vec3){0, 0, 0};
    if (closest.triangle == UINT32_MAX) return mote_sample_depth((int32_t)request->solver);
    *normal = closest.normal;
    const mote_vec3 inwards = mote_vec3_scale(closest.normal, -1);
    const mote_vec3 start = mote_vec3_add_scaled(closest.point, inwards, 1e-6 * d);
    double depth = mote_sample_depth((int32_t)request->solver) * d;
    if (mote_hits_segment(object->hits, start, mote_vec3_add_scaled(start, inwards, d), 0, &hit))
        depth = MOTE_MIN(depth, hit.time * d / 2);
    // Near edges another face is nearer than the own one.
    for (int round = 0; round < 4; ++round) {
        place = mote_vec3_add_scaled(closest.point, closest.normal, -depth);
        mote_hits_closest(object->hits, place, d, MOTE_SIGN_NORMAL, &closest, NULL);
        if (closest.triangle == UINT32_MAX || closest.distance <= -0.999 * depth) break;
    }
    at[0] = place.x, at[1] = object->is_flat ? 0 : place.y, at[2] = place.z;
    return depth / d;
}

// How thick a body is at a sample of its surface, in spacings; HUGE_VAL: two or more, but for rounding.
static double thickness_at(const solid_object *object, double d, const double *at)
{
    const double begin = 1e-6, end = 2 - 1e-5;
    const mote_vec3 place = mote_vec3_make(at[0], at[1], at[2]);
    mote_closest closest;
    mote_hit hit;
    mote_hits_closest(object->hits, place, d, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle == UINT32_MAX) return HUGE_VAL;
    const mote_vec3 from = mote_vec3_add_scaled(closest.point, closest.normal, -begin * d);
    const mote_vec3 to = mote_vec3_add_scaled(from, closest.normal, -end * d);
    return mote_hits_segment(object->hits, from, to, 0, &hit) ? begin + end * hit.time : HUGE_VAL;
}

static bool has_filling(const solid_object *object)
{
    return object->made == MOTE_BOUNDARY_LAYERS || object->made == MOTE_BOUNDARY_FIELD;
}

// How much of a sample's part of the surface, one spacing wide, other bodies leave free, those that are filled and
// earlier ones: the fluid cannot be in them.
static double free_share(const mote_simulation *simulation, const solid_object *object, double spacing,
                         const double *at)
{
    const mote_vec3 place = mote_vec3_make(at[0], at[1], at[2]);
    double share = 1;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const solid_object *other = simulation->objects[k].state;
        if (simulation->objects[k].kind != &mote_kind_solid || other == object) continue;
        if (other->number > object->number && !has_filling(other)) continue;
        if (!other->hits || other->motion.moves || object->motion.moves) continue;
        double apart;
        mote_vec3 normal;
        mote_kind_solid.distance(other, place, spacing, &apart, &normal);
        share = MOTE_MIN(share, mote_overlap_share(apart, spacing));
    }
    return share;
}

// Samples beyond other walls will be removed, where those walls have particles of their own, unless they may come in.
// Until then they are neighbours of those beside them, whose volumes would be too large at the end of a row.
static mote_result sample(mote_simulation *simulation, solid_object *object, const wall_request *request,
                          point_list *walls)
{
    mote_result result = sample_surface(simulation, object, request, walls);
    const size_t all = walls->count;
    double *positions = walls->positions.data;
    const double usual_depth = mote_sample_depth((int32_t)request->solver);
    size_t thin = 0, shallow = 0;
    walls->is_surface = true;
    if (result == MOTE_OK)
        result = mote_buffer_reserve(simulation->context, &walls->samples, mote_bytes(all, sizeof(fluid_sample)), 0);
    fluid_sample *samples = walls->samples.data;
    for (size_t i = 0; i < all && result == MOTE_OK; ++i) {
        double *p = positions + 3 * i;
        samples[i].thickness = thickness_at(object, request->spacing, p);
        thin += samples[i].thickness < 2;
        samples[i].share = free_share(simulation, object, request->spacing, p);
        samples[i].place = mote_vec3_make(p[0], object->is_flat ? 0 : p[1], p[2]);
        samples[i].depth = move_inside(object, request, p, &samples[i].normal);
        shallow += samples[i].depth < shallow_share * usual_depth;
        if (!mote_solid_may_have_walls(simulation, request, walls, mote_vec3_make(p[0], p[1], p[2])))
            samples[i].share = 0;
    }
    if (result != MOTE_OK) return result;
    // Only bodies that are thin nearly everywhere are plates: the samples of others keep their volumes.
    object->is_thin |= 2 * thin > all;
    for (size_t i = 0; i < all && !object->is_thin; ++i) samples[i].thickness = HUGE_VAL;
    if (2 * shallow > all) object->margin = thin_margin_share * request->spacing;
    if (object->is_thin)
        snprintf(object->remark, sizeof object->remark,
                 "solids[%zu] (%.64s) is thinner than two spacings: samples of its surface hold the fluid on both "
                 "sides",
                 object->number, object->def->name);
    return result;
}

// Whether merging the vertices at the same place would close the mesh; false also where there is no memory to try.
static bool weld_closes(const mote_mesh *mesh)
{
    mote_mesh *copy = NULL;
    mote_mesh_report report = {.closed = false};
    mote_result result = mote_mesh_create(mesh->context, mesh->vertices, mesh->vertex_count, mesh->triangles,
                                          mesh->triangle_count, &copy, NULL);
    if (result == MOTE_OK) result = mote_mesh_weld(copy, NULL);
    if (result == MOTE_OK) result = mote_mesh_examine(copy, &report, NULL);
    mote_mesh_destroy(copy);
    return result == MOTE_OK && report.closed;
}

static mote_result refuse_open(const solid_object *object, const mote_mesh_report *report, mote_error *error)
{
    return mote_fail(
        error, MOTE_ERROR_ARGUMENT, object->number,
        "solids[%zu] (%s): the mesh has %zu open, %zu non-manifold and %zu flipped edges, expected a closed one%s",
        object->number, object->def->name, report->open_edges, report->non_manifold_edges, report->flipped_edges,
        weld_closes(object->mesh) ? ", which \"weld\": true makes of it" : "");
}

static mote_result create_hits(mote_context *context, solid_object *object, const wall_request *request,
                               mote_error *error)
{
    if (!object->is_flat) return mote_hits_create(context, NULL, object->mesh, &object->hits, error);
    mote_mesh *deep = NULL;
    mote_result result = mote_solid_deepen(context, object->mesh, request->support, &deep, error);
    if (result == MOTE_OK) result = mote_hits_create(context, NULL, deep, &object->hits, error);
    mote_mesh_destroy(deep);
    return result;
}

// The octree of a body, with leaves of a quarter of a spacing, as far as an octree can be so deep.
static mote_result create_proxy(mote_context *context, solid_object *object, double spacing, mote_error *error)
{
    const mote_vec3 size = mote_vec3_sub(object->box.max, object->box.min);
    const double width = MOTE_MAX(size.x, MOTE_MAX(size.y, size.z));
    mote_proxy_def def = mote_proxy_default_def();
    def.max_depth = 2;
    while (def.max_depth < MOTE_PROXY_DEEPEST && width > leaf_share * spacing * (1 << def.max_depth)) ++def.max_depth;
    def.min_depth = def.max_depth - 1;  // flat parts have leaves as small as all
    mote_result result = mote_proxy_create(context, &def, &object->mesh, 1, &object->proxy, error);
    if (result != MOTE_OK) return result;
    const double leaf = mote_proxy_get_arrays(object->proxy).leaf;
    object->slack = sqrt(3) * leaf;
    if (width > leaf_share * spacing * (1 << def.max_depth))
        snprintf(object->remark, sizeof object->remark,
                 "solids[%zu] (%.64s) is too wide for an octree with leaves of %g spacings: they have %.3g spacings",
                 object->number, object->def->name, leaf_share, leaf / spacing);
    mote_proxy_drop_triangles(object->proxy);
    return MOTE_OK;
}

static mote_result refuse_thin(const solid_object *object, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, object->number,
                     "solids[%zu].boundary is \"%s\", expected \"samples\" for a body (%s) that is nowhere two "
                     "spacings thick",
                     object->number, mote_boundary_kind_at((size_t)object->def->boundary)->about.name,
                     object->def->name);
}

static mote_result refuse_walls(const solid_object *object, mote_result result, mote_error *error)
{
    return mote_fail(error, result, object->number, "solids[%zu] (%s): its wall particles could not be made: %s",
                     object->number, object->def->name, mote_result_text(result));
}

static const simulation_object *object_of(const mote_simulation *simulation, const solid_object *state)
{
    const simulation_object *object = simulation->objects;
    while (object->state != state) ++object;
    return object;
}

static mote_box swept_box(const solid_object *object)
{
    return mote_motion_sweep(object->box, &object->def->motion);
}

// A field cannot be left out where another one is, as wall particles can. One that moves is made of layers if it may
// come to overlap another field, which is at rest, or listed before it, or is the tank's: otherwise both would push.
static void avoid_overlaps_of_fields(const mote_simulation *simulation, solid_object *object,
                                     const wall_request *request)
{
    const double spacing = request->spacing;
    const mote_period_def *period = object->is_periodic ? &object->period : NULL;
    if (request->tank && request->tank->boundary == MOTE_BOUNDARY_FIELD &&
        mote_body_may_leave_tank(request->tank, request->dimensions, swept_box(object), spacing)) {
        object->made = MOTE_BOUNDARY_LAYERS;
        snprintf(object->remark, sizeof object->remark,
                 "solids[%zu] (%.32s) has layers: it may move into the tank's sides, and two fields would push twice "
                 "there",
                 object->number, object_of(simulation, object)->name);
        return;
    }
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *other = &simulation->objects[k];
        const solid_object *body = other->state;
        if (other->kind != &mote_kind_solid || body == object) continue;
        const bool is_earlier = body->number < object->number;
        if ((is_earlier ? (int32_t)body->made : body->def->boundary) != MOTE_BOUNDARY_FIELD) continue;
        if (body->motion.moves && !is_earlier) continue;
        if (!mote_bodies_may_overlap(swept_box(object), swept_box(body), period, spacing)) continue;
        object->made = MOTE_BOUNDARY_LAYERS;
        snprintf(object->remark, sizeof object->remark,
                 "solids[%zu] (%.32s) has layers: it may move into solids[%zu] (%.32s), and two fields would push "
                 "twice there",
                 object->number, object_of(simulation, object)->name, body->number, other->name);
        return;
    }
}

// Makes what a body is filled with, if it is, and what other functions need: a fluid needs to distinguish inside from
// outside, which grains do not.
static mote_result fill(mote_simulation *simulation, solid_object *object, const wall_request *request,
                        point_list *walls, mote_error *error)
{
    const size_t number = object->number;
    mote_mesh_report report;
    mote_result result = mote_mesh_examine(object->mesh, &report, error);
    if (result != MOTE_OK) return mote_fail(error, result, 0, "solids[%zu]: no memory to examine the mesh", number);
    if (!report.closed) return refuse_open(object, &report, error);
    const double volume = mote_mesh_volume(object->mesh);
    const mote_vec3 size = mote_vec3_sub(object->box.max, object->box.min);
    if (volume < -1e-9 * mote_vec3_dot(size, size) * mote_vec3_length(size))  // not by rounding: thin plates have none
        return mote_fail(error, MOTE_ERROR_ARGUMENT, number,
                         "solids[%zu] (%s): the triangles of the mesh face inwards (its volume is %.4g m^3), expected "
                         "outwards",
                         number, object->def->name, volume);
    object->margin = margin_share * request->spacing;
    result = create_hits(simulation->context, object, request, error);
    if (result == MOTE_OK) result = mote_hits_prepare_closest(object->hits, error);
    if (result != MOTE_OK) return result;
    object->made = mote_boundary_resolve(object->def->boundary, request->solver, false);
    if (object->made == MOTE_BOUNDARY_FIELD && object->motion.moves)
        avoid_overlaps_of_fields(simulation, object, request);
    walls->is_field = object->made == MOTE_BOUNDARY_FIELD;
    walls->box = object->box;
    if (object->made == MOTE_BOUNDARY_LAYERS || walls->is_field) {
        bool is_thick = false;
        wall_request own = *request;
        const earlier_bodies earlier = mote_earlier_bodies(simulation, object_of(simulation, object), request->spacing,
                                                           object->is_periodic ? &object->period : NULL);
        own.earlier = earlier.count > 0 ? &earlier : NULL;
        own.only_thickness = walls->is_field;
        result = mote_solid_make_layers(simulation, object->hits, object->box, &own, walls, &is_thick);
        object->is_thin = result == MOTE_OK && !is_thick;
        if (object->is_thin && object->def->boundary != MOTE_BOUNDARY_AUTO) return refuse_thin(object, error);
    }
    if (object->is_thin) object->made = MOTE_BOUNDARY_SAMPLES, walls->count = 0;
    if (result == MOTE_OK) return MOTE_OK;
    return refuse_walls(object, result, error);
}

static mote_result make_walls(mote_simulation *simulation, void *state, const wall_request *request, point_list *walls,
                              mote_error *error)
{
    solid_object *object = state;
    walls->part_count = 1;
    walls->of_parts[0] = mote_boundary_default_def();
    mote_motion_find_axes(&object->def->motion, walls->through);
    mote_result result = request->is_last ? MOTE_OK : fill(simulation, object, request, walls, error);
    walls->waits = !request->is_last && !has_filling(object);
    if (result != MOTE_OK || !request->is_last) return result;
    if (is_octree(object->made)) result = create_proxy(simulation->context, object, request->spacing, error);
    if (result == MOTE_OK && mote_boundary_pushes(object->made)) result = sample(simulation, object, request, walls);
    return result == MOTE_OK ? MOTE_OK : refuse_walls(object, result, error);
}

// ---------------------------------------------------------------------------------------------------------- motion

// Lets a particle slide along the octree, in the frame of the solid. Fluid is always in front of a closed mesh. The
// velocity, which shifting may have made another one than that of the way, answers to the first surface that is met.
static void slide_along_proxy(const solid_object *object, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    mote_vec3 at = from, way = mote_vec3_sub(*position, from), normal;
    mote_response response = object->response;
    if (response.restitution == 0) response.kind = MOTE_RESPONSE_SLIDE;
    if (!mote_proxy_move_one(object->proxy, &response, &at, &way, &normal)) return;
    *position = at;
    *velocity = mote_response_apply(&response, *velocity, (mote_vec3){0, 0, 0}, normal);
}

// A box around the body: farther than the margin from it. Proxies stop particles that are farther away, and bodies that
// have images are everywhere; in 2D particles are held in their plane.
static mote_box body_box(const void *state)
{
    const solid_object *object = state;
    const mote_box everywhere = {{-DBL_MAX, -DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX, DBL_MAX}};
    if (object->proxy || object->is_periodic || object->is_flat || object->motion.moves) return everywhere;
    return mote_box_grow(object->box, 1.001 * object->margin);
}

// Whether a way is beyond one side of that: this is soon told.
static bool is_beside(const solid_object *object, mote_vec3 from, mote_vec3 to)
{
    const mote_box box = mote_box_grow(object->box, 1.001 * object->margin);
    return (from.x > box.max.x && to.x > box.max.x) || (from.x < box.min.x && to.x < box.min.x) ||
           (from.y > box.max.y && to.y > box.max.y) || (from.y < box.min.y && to.y < box.min.y) ||
           (from.z > box.max.z && to.z > box.max.z) || (from.z < box.min.z && to.z < box.min.z);
}

static void slide(const solid_object *object, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    if (!object->proxy && is_beside(object, from, *position)) return;
    if (object->proxy) slide_along_proxy(object, from, position, velocity);
    else mote_hits_slide(object->hits, object->margin, &object->response, from, position, velocity, NULL);
}

// Lets a particle slide along a solid that moves: in the frame of the solid, in which it comes from where the solid was
// at the beginning of the step.
static void slide_along_moving(const solid_object *object, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    const simulation_motion *motion = &object->motion;
    const mote_vec3 begin = mote_rigid_to_home(&motion->before, from);
    const mote_vec3 end = mote_rigid_to_home(&motion->pose, *position);
    const mote_vec3 wall = mote_rigid_velocity(&motion->now, *position);
    const mote_vec3 relative = mote_rigid_rotate_back(&motion->pose, mote_vec3_sub(*velocity, wall));
    mote_vec3 to = end, after = relative;
    slide(object, begin, &to, &after);
    const bool is_moved = to.x != end.x || to.y != end.y || to.z != end.z;
    const bool is_turned = after.x != relative.x || after.y != relative.y || after.z != relative.z;
    if (!is_moved && !is_turned) return;
    if (is_moved) *position = mote_rigid_from_home(&motion->pose, to);
    *velocity = mote_vec3_add(mote_rigid_rotate(&motion->pose, after), mote_rigid_velocity(&motion->now, *position));
}

// The body as it is seen from near a place: itself, or in a periodic box its images within reach.
static body_images images_near(const solid_object *object, mote_vec3 place, double reach)
{
    if (!object->is_periodic) return (body_images){.along = {1, 1, 1}, .count = 1};
    const mote_vec3 size = mote_vec3_sub(object->box.max, object->box.min);
    mote_vec3 center = mote_vec3_scale(mote_vec3_add(object->box.min, object->box.max), 0.5);
    if (object->motion.moves) center = mote_rigid_from_home(&object->motion.pose, center);
    return mote_body_images_near(&object->period, center, mote_vec3_length(size) / 2 + reach, place);
}

static void keep_out_of_one(const solid_object *object, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    if (object->motion.moves) slide_along_moving(object, from, position, velocity);
    else slide(object, from, position, velocity);
}

static void keep_out_of_images(const solid_object *object, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    // Walls move less than two spacings in a step, which are eight margins, or less.
    const double reach = mote_vec3_length(mote_vec3_sub(*position, from)) + 8 * object->margin;
    const body_images images = images_near(object, from, reach);
    for (size_t k = 0; k < images.count; ++k) {
        const mote_vec3 shift = mote_body_image_shift(&images, k), end = mote_vec3_add(*position, shift);
        mote_vec3 to = end;
        keep_out_of_one(object, mote_vec3_add(from, shift), &to, velocity);
        if (to.x != end.x || to.y != end.y || to.z != end.z) *position = mote_vec3_sub(to, shift);
    }
}

static void keep_out(const void *state, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity,
                     mote_vec3 changes[MOTE_WALL_PARTS])
{
    const solid_object *object = state;
    const mote_vec3 before = *velocity;
    if (object->is_periodic) keep_out_of_images(object, from, position, velocity);
    else keep_out_of_one(object, from, position, velocity);
    if (object->is_flat) position->y = velocity->y = 0;  // not even by rounding out of the plane
    if (changes) changes[0] = mote_vec3_add(changes[0], mote_vec3_sub(*velocity, before));
}

// Where a place is in the frame of the solid, as it was made.
static mote_vec3 at_home(const solid_object *object, mote_vec3 place)
{
    return object->motion.moves ? mote_rigid_to_home(&object->motion.pose, place) : place;
}

static bool is_inside_one(const solid_object *object, mote_vec3 place)
{
    const mote_vec3 home = at_home(object, place);
    bool inside = false;
    if (mote_box_contains(object->box, home)) mote_hits_is_inside(object->hits, home, &inside, NULL);
    if (!inside || !object->proxy) return inside;
    mote_closest closest;
    mote_hits_closest(object->hits, home, object->slack, MOTE_SIGN_NORMAL, &closest, NULL);
    return closest.triangle == UINT32_MAX;
}

static bool is_inside(const void *state, mote_vec3 place)
{
    const body_images images = images_near(state, place, 0);
    bool inside = false;
    for (size_t k = 0; k < images.count && !inside; ++k)
        inside = is_inside_one(state, mote_vec3_add(place, mote_body_image_shift(&images, k)));
    return inside;
}

// In the frame of the solid, as slide_along_moving.
static bool is_crossed(const void *state, mote_vec3 from, mote_vec3 to)
{
    const solid_object *object = state;
    const double reach = mote_vec3_length(mote_vec3_sub(to, from)) + 8 * object->margin;
    const body_images images = images_near(object, from, reach);
    bool crossed = false;
    for (size_t k = 0; k < images.count && !crossed; ++k) {
        const mote_vec3 shift = mote_body_image_shift(&images, k), end = at_home(object, mote_vec3_add(to, shift));
        mote_vec3 begin = mote_vec3_add(from, shift);
        if (object->motion.moves) begin = mote_rigid_to_home(&object->motion.before, begin);
        mote_hit hit;
        crossed = mote_hits_segment(object->hits, begin, end, 0, &hit);
    }
    return crossed;
}

static double distance_alone(const void *state, mote_vec3 place, double reach, mote_vec3 *normal)
{
    const solid_object *object = state;
    const mote_vec3 home = at_home(object, place);
    mote_closest closest;
    bool inside = false;
    mote_hits_closest(object->hits, home, reach, MOTE_SIGN_NORMAL, &closest, NULL);
    *normal = closest.normal;
    if (closest.triangle == UINT32_MAX) {
        if (mote_box_contains(object->box, home)) mote_hits_is_inside(object->hits, home, &inside, NULL);
        *normal = (mote_vec3){0, 0, 0};
        return inside ? -HUGE_VAL : HUGE_VAL;
    }
    if (object->motion.moves) *normal = mote_rigid_rotate(&object->motion.pose, closest.normal);
    return closest.distance;
}

static void distance(const void *state, mote_vec3 place, double reach, double *distance, mote_vec3 *normal)
{
    const body_images images = images_near(state, place, reach);
    *distance = HUGE_VAL, *normal = (mote_vec3){0, 0, 0};
    for (size_t k = 0; k < images.count; ++k) {
        mote_vec3 own;
        const mote_vec3 at = mote_vec3_add(place, mote_body_image_shift(&images, k));
        const double found = distance_alone(state, at, reach, &own);
        if (found < *distance) *distance = found, *normal = own;
    }
}

static bool is_clear_of_one(const solid_object *object, mote_vec3 place)
{
    const mote_vec3 home = at_home(object, place);
    mote_closest closest;
    bool inside = true;
    mote_hits_closest(object->hits, home, object->margin, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle != UINT32_MAX) return closest.distance >= object->margin;
    mote_hits_is_inside(object->hits, home, &inside, NULL);
    return !inside;
}

// Whether a place is outside the solid, at its margin or farther.
static bool is_clear(const void *state, mote_vec3 place)
{
    const solid_object *object = state;
    const body_images images = images_near(object, place, 2 * object->margin);
    bool is_clear_of_all = true;
    for (size_t k = 0; k < images.count && is_clear_of_all; ++k)
        is_clear_of_all = is_clear_of_one(object, mote_vec3_add(place, mote_body_image_shift(&images, k)));
    return is_clear_of_all;
}

static mote_result check_start(mote_simulation *simulation, const void *state, const mote_fluid_view *view,
                               double usual_step, mote_error *error)
{
    const solid_object *object = state;
    size_t sealed;
    const rigid_pose *pose = object->motion.moves ? &object->motion.pose : NULL;
    mote_result result = mote_motion_check_jumps(&object->motion, usual_step, error);
    if (result != MOTE_OK) return result;
    result = mote_solid_count_sealed(simulation->context, object->mesh, pose, view, &sealed);
    if (result != MOTE_OK)
        return mote_fail(error, result, object->number, "solids[%zu] (%s): cavities could not be looked for: %s",
                         object->number, object->def->name, mote_result_text(result));
    if (sealed == 0) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, object->number,
                     "solids[%zu] (%s): %zu particles of fluid are sealed in a cavity of the mesh, expected none",
                     object->number, object->def->name, sealed);
}

static mote_result move_walls(void *state, double from, double to, mote_error *error)
{
    return mote_motion_place(&((solid_object *)state)->motion, from, to, error);
}

static bool motion_of(const void *state, uint32_t part, mote_boundary_motion *found)
{
    const simulation_motion *motion = &((const solid_object *)state)->motion;
    if (part > 0 || !motion->moves) return false;
    *found = motion->now;
    return true;
}

// ------------------------------------------------------------------------------------------------------ the object

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->solid_count; ++k) {
        const mote_solid_def *solid = &def->solids[k];
        solid_object *object = mote_simulation_add(simulation, &mote_kind_solid, solid->name ? solid->name : "", error);
        if (!object) return MOTE_ERROR_OUT_OF_MEMORY;
        *object = (solid_object){.def = solid,
                                 .number = k,
                                 .mesh = solid->mesh,
                                 .look = solid->look,
                                 .box = mote_mesh_box(solid->mesh),
                                 .response = mote_response_bounce(solid->restitution, solid->friction),
                                 .motion = {.owner = "solids", .number = k, .is_in_list = true,
                                            .spacing = def->fluid.spacing,
                                            .reach = mote_motion_reach(mote_mesh_box(solid->mesh), &solid->motion)},
                                 .is_flat = def->fluid.dimensions == 2,
                                 .is_periodic = def->has_periodic,
                                 .period = def->periodic};
        mote_result result = mote_motion_open(simulation->context, &solid->motion, &object->motion, error);
        if (result == MOTE_OK && object->motion.moves)
            result = mote_mesh_create(simulation->context, solid->mesh->vertices, solid->mesh->vertex_count,
                                      solid->mesh->triangles, solid->mesh->triangle_count, &object->moved, error);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

static void destroy(mote_simulation *simulation, void *state)
{
    (void)simulation;
    solid_object *object = state;
    mote_hits_destroy(object->hits);
    mote_proxy_destroy(object->proxy);
    mote_mesh_destroy(object->moved);
    mote_motion_close(&object->motion);
}

static const mote_mesh *mesh(const void *state)
{
    return ((const solid_object *)state)->mesh;
}

static bool is_filled(const void *state, mote_box *box)
{
    const solid_object *object = state;
    *box = object->box;
    return !object->motion.moves && has_filling(object);
}

static bool has_wall_particles(const void *state)
{
    const mote_boundary_kind made = ((const solid_object *)state)->made;
    return mote_boundary_pushes(made) && made != MOTE_BOUNDARY_FIELD;
}

static bool is_field(const void *state)
{
    return ((const solid_object *)state)->made == MOTE_BOUNDARY_FIELD;
}

static mote_result look(mote_simulation *simulation, void *state, mote_object_view *view, mote_error *error)
{
    (void)error;
    (void)simulation;
    solid_object *object = state;
    view->mesh = object->mesh;
    view->look = &object->look;
    if (object->made != MOTE_BOUNDARY_AUTO) view->boundary = mote_boundary_kind_at(object->made)->about.name;
    if (!object->motion.moves) return MOTE_OK;
    for (size_t i = 0; i < object->mesh->vertex_count; ++i)
        object->moved->vertices[i] = mote_rigid_from_home(&object->motion.pose, object->mesh->vertices[i]);
    view->mesh = object->moved;
    view->mesh_moves = true;
    return MOTE_OK;
}

static size_t byte_count(const void *state)
{
    const solid_object *object = state;
    const size_t proxy = object->proxy ? mote_proxy_byte_count(object->proxy) : 0;
    return mote_hits_byte_count(object->hits) + proxy + mote_motion_byte_count(&object->motion) +
           mote_mesh_byte_count(object->moved);
}

const object_kind mote_kind_solid = {
    .name = "solid",
    .state_bytes = sizeof(solid_object),
    .remark = offsetof(solid_object, remark),
    .check = check,
    .create = create,
    .destroy = destroy,
    .keep_out = keep_out,
    .body_box = body_box,
    .move_walls = move_walls,
    .motion_of = motion_of,
    .is_inside = is_inside,
    .is_clear = is_clear,
    .is_crossed = is_crossed,
    .distance = distance,
    .distance_alone = distance_alone,
    .make_walls = make_walls,
    .check_start = check_start,
    .mesh = mesh,
    .is_filled = is_filled,
    .is_field = is_field,
    .has_wall_particles = has_wall_particles,
    .look = look,
    .byte_count = byte_count,
};
