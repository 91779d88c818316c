// SPDX-License-Identifier: MIT
// Makes room for bodies in the fluid at the start. Every particle has a cube of one spacing; a body takes as many
// particles away as it covers cubes, in parts of cubes: so it displaces its own volume, wherever it is on the lattice.
// The deepest particles go; where many are equally deep, as along the face of a box, those that go are spread out by a
// sequence (Roberts 2018), instead of a whole side. Others that are inside or too near are pushed out, and then all
// around the body are evened out (fluid/settle.c).

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/internal.h"

enum { BLOCK = 64 };
static const double gap = 0.5;                   // of the nearest particles, in spacings
static const double movable = 4;                 // how far from a body, in spacings
static const double spread = 0.5;                // depths that are mixed to spread out what goes, in spacings
static const double is_surface = 0.03;           // of the slope at a flat surface: from there on there is one
static const double ahead = 0.1;                 // the cosine from which on a body lies ahead of a surface
static const double covers = 0.5;                // of a slope: a body that pushes back so much of it covers the surface
static const double widest = 0.6;                // a gap across which a body covers a surface, in spacings
static const double leaning = 2;                 // how far from a side slopes lean away from it, in spacings

typedef struct body_distance {
    double distance;  // below 0 inside; HUGE_VAL or −HUGE_VAL: far away
    mote_vec3 normal;
} body_distance;

typedef struct fit_candidate {
    double score;
    uint32_t particle;
} fit_candidate;

typedef struct fit_state {
    mote_simulation *simulation;
    mote_fluid *fluid;
    double spacing, looked_at;  // looked_at: how far from a body, so that all neighbours of those that move are [m]
    int dimensions;
    mote_vec3 gravity;
    mote_fluid_view view;
    const simulation_object *body;
    bool *marked, *is_near, *moves;
    uint32_t *beyond_gap;  // the number of a body, and 1, that a particle's surface faces across a gap; 0: none
    float *shares, *own_shares, *distances;  // of each particle's cube: taken by earlier bodies, and by this one
    mote_vec3 *slopes, *pushes;  // mote_fluid_find_slopes; slopes become the normals of free surfaces
    fit_candidate *candidates;
    void *memory;
    size_t bytes;
} fit_state;

static body_distance distance_from(const simulation_object *body, mote_vec3 place, double reach)
{
    body_distance found = {HUGE_VAL, {0, 0, 0}};
    body->kind->distance(body->state, place, reach, &found.distance, &found.normal);
    return found;
}

static double distance_of(const void *body, mote_vec3 place, double reach)
{
    return distance_from(body, place, reach).distance;
}

// The part of a particle's cube that is in a body.
static double share_inside(const fit_state *fit, mote_vec3 middle, double distance)
{
    const double d = fit->spacing, half_diagonal = 0.5 * sqrt(3) * d;
    if (distance >= half_diagonal) return 0;
    if (distance <= -half_diagonal) return 1;
    return mote_cube_share(distance_of, fit->body, middle, d, fit->dimensions, NULL);
}

static void find_shares(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const fit_state *fit = data;
    const double d = fit->spacing;
    for (size_t i = begin; i < end; ++i) {
        const mote_vec3 place = {fit->view.x[i], fit->view.y[i], fit->view.z[i]};
        const double distance = distance_from(fit->body, place, fit->looked_at).distance;
        fit->own_shares[i] = (float)share_inside(fit, place, distance);
        fit->distances[i] = (float)(distance / d);
        fit->is_near[i] = fit->is_near[i] || fabs(distance) <= fit->looked_at;
    }
}

// A number from −1/2 to 1/2 that is spread evenly over the places of a lattice.
static double spread_number(const fit_state *fit, size_t i)
{
    const double d = fit->spacing;
    const double sum = 0.8191725134 * floor(fit->view.x[i] / d) + 0.6710436067 * floor(fit->view.y[i] / d) +
                       0.5497004779 * floor(fit->view.z[i] / d);
    return sum - floor(sum) - 0.5;
}

static bool is_first(const fit_candidate *a, const fit_candidate *b, const uint64_t *id)
{
    if (a->score != b->score) return a->score > b->score;
    return id[a->particle] < id[b->particle];
}

// By falling scores.
#define SORT_TYPE fit_candidate
#define SORT_BEFORE(data, a, b) is_first(&(a), &(b), data)
#define SORT_NAME(verb) candidates_##verb
#include "base/sorts.inl"

// Marks the particles that a body displaces.
static void mark_displaced(fit_state *fit)
{
    double volume = 0;
    size_t count = 0;
    mote_parallel_for(fit->simulation->context, fit->view.count, BLOCK, find_shares, fit);
    for (size_t i = 0; i < fit->view.count; ++i) {
        const float share = MOTE_MIN(fit->own_shares[i], 1 - fit->shares[i]);
        if (!(share > 0) || fit->marked[i]) continue;
        fit->shares[i] += share;
        volume += (double)share;
        const double score = -(double)fit->distances[i] + spread * spread_number(fit, i);
        fit->candidates[count++] = (fit_candidate){score, (uint32_t)i};
    }
    candidates_sort(fit->view.id, fit->candidates, count);
    const size_t displaced = MOTE_MIN((size_t)floor(volume + 0.5), count);
    for (size_t k = 0; k < displaced; ++k) fit->marked[fit->candidates[k].particle] = true;
}

static mote_result reserve(fit_state *fit)
{
    const size_t n = fit->view.count;
    fit->bytes = mote_bytes(n, 2 * sizeof(mote_vec3) + sizeof(fit_candidate) + 4 * sizeof(float) + 3 * sizeof(bool));
    fit->memory = mote_allocate(fit->simulation->context, fit->bytes);
    if (!fit->memory && fit->bytes) return MOTE_ERROR_OUT_OF_MEMORY;
    if (n > 0) memset(fit->memory, 0, fit->bytes);
    fit->slopes = fit->memory;
    fit->pushes = fit->slopes + n;
    fit->candidates = (fit_candidate *)(fit->pushes + n);
    fit->shares = (float *)(fit->candidates + n);
    fit->own_shares = fit->shares + n;
    fit->distances = fit->own_shares + n;
    fit->beyond_gap = (uint32_t *)(fit->distances + n);
    fit->marked = (bool *)(fit->beyond_gap + n);
    fit->is_near = fit->marked + n;
    fit->moves = fit->is_near + n;
    return MOTE_OK;
}

// Boundaries of bodies, whose wall particles were not there when the lattice was made.
static mote_result find_slopes(fit_state *fit)
{
    const mote_simulation *simulation = fit->simulation;
    uint32_t most = 0;
    for (size_t k = 0; k < simulation->object_count; ++k)
        most = MOTE_MAX(most, simulation->objects[k].boundary + MOTE_WALL_PARTS);
    bool *left_out = mote_allocate(simulation->context, (size_t)most + 1);
    if (!left_out) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(left_out, 0, (size_t)most + 1);
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind->distance) left_out[simulation->objects[k].boundary] = true;
    const mote_result result = mote_fluid_find_slopes(fit->fluid, fit->is_near, left_out, fit->slopes, fit->pushes);
    mote_release(simulation->context, left_out, (size_t)most + 1);
    return result;
}

// Whether what is left of a slope along a body is no surface, or a more level one: where a body hangs over water, the
// surface below it stays level.
static bool is_as_level(const fit_state *fit, mote_vec3 left, mote_vec3 slope)
{
    const double length = mote_vec3_length(left), all = mote_vec3_length(slope);
    if (length <= ahead * all) return true;
    return mote_vec3_dot(left, fit->gravity) / length <= mote_vec3_dot(slope, fit->gravity) / all;
}

// What is left of a slope if a body that lies against this normal covers the surface. Where water ends beside a side of
// the tank that goes on, as in the corner of a gate and a side, the slope leans away from the side. That lean belongs
// to the surface that is covered: taken for a surface of its own, it would let particles slide along the side only.
static mote_vec3 left_of(const fit_state *fit, mote_vec3 place, mote_vec3 slope, mote_vec3 normal)
{
    static const mote_vec3 axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mote_vec3 left = mote_vec3_add_scaled(slope, normal, -mote_vec3_dot(slope, normal));
    for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k) {
        const double away = mote_vec3_dot(slope, axes[k]), along = mote_vec3_dot(left, axes[k]);
        if (along <= 0 || away > mote_vec3_length(mote_vec3_add_scaled(slope, axes[k], -away))) continue;
        const mote_vec3 behind = mote_vec3_add_scaled(place, axes[k], -leaning * fit->spacing);
        if (!mote_obstacles_contain(fit->simulation, behind)) left = mote_vec3_add_scaled(left, axes[k], -along);
    }
    return left;
}

// Whether a body covers the free surface to which a particle's slope points, with no gap between them, or a narrow one.
// Slope and push fade with the distance, the push faster if there is a gap: then the slope tells how far off the
// surface is, and so how wide the gap, and the push is compared with that of a flat body at this distance.
// @param outwards  the slope towards the body
// @param push      that of all bodies, away from it
static bool is_covered(const fit_state *fit, double distance, double slope, double outwards, double push)
{
    const double apart = MOTE_MAX(distance / fit->spacing, 0.0), surface = MOTE_MAX(apart - widest, 0.0);
    if (push >= covers * outwards) return true;
    return push > 0 && slope <= mote_fluid_flat_slope(fit->fluid, surface) &&
           push + is_surface >= covers * mote_fluid_flat_slope(fit->fluid, apart);
}

// Makes slopes the normals of free surfaces. A body that lies ahead of one covers it, as a gate does where water ends:
// then there is none that way. Across a gap it does not, and does not move the particle either. What all bodies push
// is compared with the slope towards one: a second one right behind the first counts as well.
static void find_free_surfaces(fit_state *fit)
{
    const mote_simulation *simulation = fit->simulation;
    for (size_t i = 0; i < fit->view.count; ++i) {
        mote_vec3 slope = fit->slopes[i];
        const mote_vec3 place = {fit->view.x[i], fit->view.y[i], fit->view.z[i]};
        for (size_t k = 0; k < simulation->object_count && mote_vec3_length(slope) > is_surface; ++k) {
            if (!simulation->objects[k].kind->distance) continue;
            const body_distance found = distance_from(&simulation->objects[k], place, fit->looked_at);
            const double outwards = -mote_vec3_dot(slope, found.normal);
            if (fabs(found.distance) > fit->looked_at || outwards <= ahead * mote_vec3_length(slope)) continue;
            const mote_vec3 left = left_of(fit, place, slope, found.normal);
            if (!is_as_level(fit, left, slope)) continue;
            const double push = mote_vec3_dot(fit->pushes[i], found.normal);
            if (is_covered(fit, found.distance, mote_vec3_length(slope), outwards, push)) slope = left;
            else fit->beyond_gap[i] = (uint32_t)k + 1;
        }
        fit->slopes[i] = mote_vec3_length(slope) > is_surface ? mote_vec3_unit(slope) : (mote_vec3){0, 0, 0};
    }
}

// Removes what is marked, and closes the gaps in what is known about the particles.
static mote_result remove_marked(fit_state *fit, size_t *removed)
{
    size_t kept = 0;
    const size_t all = fit->view.count;
    for (size_t i = 0; i < all; ++i) {
        if (fit->marked[i]) continue;
        fit->slopes[kept] = fit->slopes[i];
        fit->beyond_gap[kept] = fit->beyond_gap[i];
        fit->is_near[kept++] = fit->is_near[i];
    }
    if (kept == all) return MOTE_OK;
    *removed += all - kept;
    const mote_result result = mote_fluid_remove(fit->fluid, fit->marked, NULL);
    memset(fit->marked, 0, all * sizeof *fit->marked);
    fit->view = mote_fluid_peek(fit->fluid);
    return result;
}

// Where a particle is to be that is inside a body or nearer than half a spacing.
static mote_vec3 outside(const fit_state *fit, mote_vec3 place)
{
    const mote_simulation *simulation = fit->simulation;
    const double d = fit->spacing;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        if (!simulation->objects[k].kind->distance) continue;
        const body_distance found = distance_from(&simulation->objects[k], place, movable * d);
        if (fabs(found.distance) > movable * d || found.distance >= gap * d) continue;
        place = mote_vec3_add_scaled(place, found.normal, gap * d - found.distance);
    }
    if (fit->dimensions == 2) place.y = 0;
    return place;
}

// Pushes particles out of bodies. Marks those that cannot get out, as between two bodies.
static void push_out(fit_state *fit)
{
    const mote_simulation *simulation = fit->simulation;
    for (size_t i = 0; i < fit->view.count; ++i) {
        if (!fit->is_near[i]) continue;
        const mote_vec3 from = {fit->view.x[i], fit->view.y[i], fit->view.z[i]};
        mote_vec3 place = outside(fit, from);
        if (!mote_obstacles_contain(simulation, place)) place = from;
        if (place.x != from.x || place.y != from.y || place.z != from.z)
            mote_fluid_place_particle(fit->fluid, i, place);
        fit->marked[i] = !mote_obstacles_are_clear(simulation, place);
    }
}

static void find_movable(fit_state *fit)
{
    const mote_simulation *simulation = fit->simulation;
    for (size_t i = 0; i < fit->view.count; ++i) {
        fit->moves[i] = false;
        const mote_vec3 place = {fit->view.x[i], fit->view.y[i], fit->view.z[i]};
        const double reach = movable * fit->spacing;
        for (size_t k = 0; k < simulation->object_count && fit->is_near[i] && !fit->moves[i]; ++k)
            fit->moves[i] = simulation->objects[k].kind->distance && k + 1 != fit->beyond_gap[i] &&
                            fabs(distance_from(&simulation->objects[k], place, reach).distance) <= reach;
    }
}

static void keep_out(void *user_data, mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity)
{
    mote_obstacles_keep_out(user_data, NULL, from, position, velocity);
}

static mote_result fit_all(fit_state *fit, size_t *removed)
{
    const mote_simulation *simulation = fit->simulation;
    for (size_t i = 0; i < fit->view.count && mote_simulation_has_motions(simulation); ++i)
        fit->marked[i] =
            !mote_obstacles_contain(simulation, mote_vec3_make(fit->view.x[i], fit->view.y[i], fit->view.z[i]));
    for (size_t k = 0; k < simulation->object_count; ++k) {
        fit->body = &simulation->objects[k];
        if (fit->body->kind->distance) mark_displaced(fit);
    }
    mote_result result = find_slopes(fit);
    if (result == MOTE_OK) find_free_surfaces(fit);
    if (result == MOTE_OK) result = remove_marked(fit, removed);
    if (result != MOTE_OK) return result;
    push_out(fit);
    result = remove_marked(fit, removed);
    if (result != MOTE_OK) return result;
    find_movable(fit);
    return mote_fluid_settle(fit->fluid, fit->is_near, fit->moves, fit->slopes, keep_out, fit->simulation);
}

mote_result mote_simulation_fit_fluid(mote_simulation *simulation, mote_fluid *fluid, size_t *removed,
                                      mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    fit_state fit = {.simulation = simulation,
                     .fluid = fluid,
                     .spacing = def.spacing,
                     .dimensions = def.dimensions,
                     .gravity = def.gravity};
    fit.looked_at = (movable + 0.5) * def.spacing + def.support;
    *removed = 0;
    mote_result result = mote_fluid_get_view(fluid, &fit.view, error);  // which also orders the particles
    if (result != MOTE_OK) return result;
    result = reserve(&fit);
    if (result == MOTE_OK) result = fit_all(&fit, removed);
    mote_release(simulation->context, fit.memory, fit.bytes);
    if (result == MOTE_OK) return MOTE_OK;
    return mote_fail(error, result, 0, "simulation: fluid around solids: %s", mote_result_text(result));
}
