// What becomes of particles that meet the surface: a layer of its own upon first hits.
//
// Most particles meet nothing: one batch tells. The others go from hit to hit. At each they stop a little before the
// surface, at a place that is proven to be reached without a hit, and go on from there: so none ever changes sides.

#include "hits/first.h"

// Shares of the mesh's extent: how far before the surface a point stops, and how far it is moved away with what is left
// of its motion, so that it does not come nearer from step to step.
#define STOP_BEFORE 0x1p-36
#define PUSH_AWAY 0x1p-32

// In the mesh's extents: what is farther away is looked at by no first hit. With room for what hits add to a motion.
#define FARTHEST 0x1p240

// After so many a particle that moving surfaces squeeze is left where it is.
enum { HITS_A_BLOCK = 256, MOST_PUSHES = 256 };

typedef struct advancing {
    const mote_first_hits *first;
    const mote_response *response;
    const mote_particles *particles;
    const mote_first_hit *list;
    const double *targets;
    uint64_t *counts;  // of hits, per block
    double time_step, extent;
} advancing;

// A particle on its way.
typedef struct traveller {
    mote_vec3 position, velocity;
    double radius, begin;  // how much of the step is over
    bool dead;
} traveller;

mote_response mote_response_default(void)
{
    mote_response response = {.kind = MOTE_RESPONSE_BOUNCE, .restitution = 0.5, .most_hits = 16, .cookie = MOTE_COOKIE};
    return response;
}

// The velocity after the hit, of a surface with velocity `carried`.
static mote_vec3 rebound(const mote_response *response, mote_vec3 velocity, mote_vec3 carried, mote_vec3 normal)
{
    if (response->kind == MOTE_RESPONSE_STICK) return carried;
    if (response->kind == MOTE_RESPONSE_STOP || response->kind == MOTE_RESPONSE_KILL) return mote_vec3_make(0, 0, 0);
    const mote_vec3 relative = mote_vec3_sub(velocity, carried);
    const double inward = mote_vec3_dot(relative, normal);
    if (inward >= 0) return velocity;
    const double back = response->kind == MOTE_RESPONSE_BOUNCE ? response->restitution : 0;
    const mote_vec3 along = mote_vec3_add_scaled(relative, normal, -inward);
    const double keeps = mote_friction_keeps(along, inward, back, response->friction);
    return mote_vec3_add(carried, mote_vec3_bounce(along, normal, inward, back, keeps));
}

// Goes to where the hit is, less what keeps it before the surface; stays where that cannot be proven.
static void approach(const advancing *all, traveller *who, mote_vec3 target, const mote_first_hit *hit)
{
    const bool is_swept = all->first->ends || who->radius > 0;
    mote_vec3 place = mote_first_lerp(who->position, target, hit->time);
    if (!is_swept) {
        const double length = mote_vec3_length(mote_vec3_sub(target, who->position));
        const double share = hit->time - STOP_BEFORE * all->extent / length;
        mote_first_hit other;
        place = share > 0 ? mote_first_lerp(who->position, target, share) : who->position;
        if (mote_first_one(all->first, who->position, place, 0, 0, 0, &other)) place = who->position;
    }
    who->position = place;
    who->begin += hit->time * (1 - who->begin);
}

// With the surface to the end of the step; with the next one, where that pushes it from its way.
static void be_carried(const advancing *all, traveller *who, mote_first_hit hit)
{
    for (int k = 0; k < MOST_PUSHES; ++k) {
        mote_vec3 way = mote_vec3_scale(hit.velocity, 1 - who->begin);
        way = mote_vec3_add_scaled(way, hit.normal, PUSH_AWAY * all->extent);
        const mote_vec3 target = mote_vec3_add(who->position, way);
        if (!mote_first_one(all->first, who->position, target, who->radius, 0, who->begin, &hit)) {
            who->position = target;
            return;
        }
        approach(all, who, target, &hit);
    }
}

// Answers hits until the step is over; the first one is known.
static uint64_t travel(const advancing *all, traveller *who, mote_vec3 target, mote_first_hit hit)
{
    const mote_response *response = all->response;
    uint64_t hits = 0;
    for (;;) {
        ++hits;
        approach(all, who, target, &hit);
        const mote_vec3 carried = mote_vec3_scale(hit.velocity, 1 / all->time_step);
        who->velocity = rebound(response, who->velocity, carried, hit.normal);
        who->dead = response->kind == MOTE_RESPONSE_KILL;
        const bool goes_on = response->kind == MOTE_RESPONSE_BOUNCE || response->kind == MOTE_RESPONSE_SLIDE;
        if (!goes_on || hits >= response->most_hits) {
            if (all->first->ends && !who->dead) be_carried(all, who, hit);
            return hits;
        }
        target = mote_vec3_add_scaled(who->position, who->velocity, all->time_step * (1 - who->begin));
        target = mote_vec3_add_scaled(target, hit.normal, PUSH_AWAY * all->extent);
        if (!mote_first_one(all->first, who->position, target, who->radius, 0, who->begin, &hit)) break;
    }
    who->position = target;
    return hits;
}

static mote_vec3 vector_at(const double *xyz, size_t i)
{
    return mote_vec3_make(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
}

static void store(double *xyz, size_t i, mote_vec3 v)
{
    xyz[3 * i] = v.x;
    xyz[3 * i + 1] = v.y;
    xyz[3 * i + 2] = v.z;
}

static void answer_hits(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const advancing *all = data;
    const mote_particles *particles = all->particles;
    uint64_t hits = 0;
    for (size_t h = begin; h < end; ++h) {
        const size_t i = all->list[h].particle;
        if (particles->dead && particles->dead[i]) continue;
        traveller who = {.position = vector_at(particles->positions, i),
                         .velocity = vector_at(particles->velocities, i),
                         .radius = particles->radii ? particles->radii[i] : 0};
        hits += travel(all, &who, vector_at(all->targets, i), all->list[h]);
        store(particles->positions, i, who.position);
        store(particles->velocities, i, who.velocity);
        if (who.dead) particles->dead[i] = 1;
    }
    all->counts[begin / HITS_A_BLOCK] = hits;
}

static mote_result check_particles(const mote_first_hits *first, const mote_particles *particles, mote_error *error)
{
    if (particles->count && (!particles->positions || !particles->velocities))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: %zu particles without positions or velocities",
                         particles->count);
    for (size_t i = 0; particles->radii && i < particles->count; ++i)
        if (!(particles->radii[i] >= 0) || !isfinite(particles->radii[i] * first->scale))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "response: radius of particle %zu is %g, expected 0 or more", i, particles->radii[i]);
    return MOTE_OK;
}

static mote_result check(const mote_response *response, const mote_particles *particles, double time_step,
                         mote_error *error)
{
    if (response->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: it was not made by its default function");
    if ((int)response->kind < MOTE_RESPONSE_BOUNCE || response->kind > MOTE_RESPONSE_KILL)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: kind is %d, expected a mote_response_kind",
                         (int)response->kind);
    if (!(response->restitution >= 0 && response->restitution <= 1))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: restitution is %g, expected 0 to 1",
                         response->restitution);
    if (!(response->friction >= 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: friction is %g, expected 0 or more",
                         response->friction);
    if (response->most_hits < 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: most_hits is 0, expected at least 1");
    if (response->kind == MOTE_RESPONSE_KILL && !particles->dead)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: particles that die need an array that says so");
    if (!(time_step > 0) || !isfinite(time_step))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: the time step is %g, expected a number above 0",
                         time_step);
    return MOTE_OK;
}

// Where each particle would be, unhindered. The dead stay, and so do those whose motion no hit can be looked for on.
static void set_targets(const mote_particles *particles, double time_step, double scale, double *targets)
{
    for (size_t i = 0; i < particles->count; ++i) {
        const double *from = particles->positions + 3 * i, *velocity = particles->velocities + 3 * i;
        bool moves = !particles->dead || !particles->dead[i];
        for (size_t k = 0; k < 3 && moves; ++k) {
            targets[3 * i + k] = from[k] + velocity[k] * time_step;
            moves = fabs(from[k] * scale) < FARTHEST && fabs(targets[3 * i + k] * scale) < FARTHEST;
        }
        if (!moves) memcpy(targets + 3 * i, from, 3 * sizeof *targets);
    }
}

mote_result mote_first_hits_advance(mote_first_hits *first, const mote_response *response,
                                    const mote_particles *particles, double time_step, uint64_t *hits,
                                    mote_error *error)
{
    if (!first || !response || !particles)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: no object, response or particles");
    mote_result result = check(response, particles, time_step, error);
    if (result == MOTE_OK) result = check_particles(first, particles, error);
    if (hits) *hits = 0;
    if (result != MOTE_OK || particles->count == 0) return result;
    const size_t n = particles->count, bytes = mote_bytes(n, 3 * sizeof(double) + sizeof(uint64_t));
    result = mote_buffer_reserve(first->context, &first->targets, bytes, 0);
    if (result != MOTE_OK) return result;
    double *targets = first->targets.data;
    set_targets(particles, time_step, first->scale, targets);
    const mote_motions motions = {.from = mote_points_xyz_f64(particles->positions, n),
                                  .to = mote_points_xyz_f64(targets, n),
                                  .radii = particles->radii};
    mote_first_hit_list list;
    result = mote_first_hits_query(first, &motions, &list, error);
    if (result != MOTE_OK) return result;
    advancing all = {first, response, particles, list.hits, targets, (uint64_t *)(targets + 3 * n), time_step,
                     1 / first->scale};
    mote_parallel_for(first->context, list.count, HITS_A_BLOCK, answer_hits, &all);
    size_t next = 0;
    for (size_t i = 0; i < n; ++i) {
        const bool is_hit = next < list.count && list.hits[next].particle == i;
        next += is_hit;
        if (!is_hit) memcpy(particles->positions + 3 * i, targets + 3 * i, 3 * sizeof *targets);
    }
    uint64_t sum = 0;
    for (size_t b = 0; b < mote_block_count(list.count, HITS_A_BLOCK); ++b) sum += all.counts[b];
    if (hits) *hits = sum;
    return MOTE_OK;
}
