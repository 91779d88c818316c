// SPDX-License-Identifier: MIT
// Moves one particle, as a grain of sand, through a step, from hit to hit.
//
// At each hit the particle stops a little before the surface, at a position that it is proven to reach without a
// hit, and goes on from there. So it never changes sides. If it may not move on by itself and the surface moves, it
// is carried along: by the shortest motion that keeps a distance from all triangles near it, computed again whenever
// something else is hit. If there is no such motion, the particle is squeezed: it goes on as a smaller sphere. When
// that sphere is too small to be told from a point on the surface, the particle is crushed.

#include "hits/advance_particle.h"
#include "hits/sphere_sweep.h"
#include "hits/motion_walk.h"
#include "hits/advance_detour.h"

// Shares of the mesh's extent: how far before a surface at rest a point stops, and how far the rest of its motion
// moves it away, so that it does not come nearer in each step. Both are larger where rounding errors are.
#define STOP_BEFORE 0x1p-36
#define PUSH_AWAY 0x1p-32

enum {
    MOST_TRIES = 48,  // attempts to carry a particle before it is made smaller
    SMALLER = 4,      // a squeezed sphere shrinks by this factor
    FEW_HITS = 6
};

// Share of the step: a particle that moves on by less in FEW_HITS hits is stuck.
#define LITTLE 0x1p-10

static mote_vec3 ours(const hits_step *step, mote_vec3 v)
{
    return mote_vec3_scale(v, step->hits->scale);
}

static bool is_swept(const hits_step *step, const hits_traveller *who)
{
    return step->hits->ends || who->reach > 0;
}

// ---------------------------------------------------------------------------------------------------------- looks

// Whether the motion to the target hits something.
static bool meets(const hits_step *step, hits_traveller *who, mote_vec3 target, mote_hit *hit)
{
    hits_counters counters = {0};
    const hits_walk walk = {step->hits, &counters};
    hits_ray ray;
    if (!mote_hits_ray_make(step->hits, ours(step, who->position), ours(step, target), who->reach, &ray)) return false;
    ray.begin = who->begin;
    mote_hits_walk(&walk, &ray);
    if (ray.triangle == UINT32_MAX) return false;
    mote_hits_ray_result(step->hits, &ray, hit);
    return true;
}

// Finds the triangles near the particle, at the particle's current time.
static void find_contacts(const hits_step *step, const hits_traveller *who, double reach, hits_near_triangles *contacts)
{
    hits_counters counters = {0};
    const hits_walk walk = {step->hits, &counters};
    const mote_vec3 place = ours(step, who->position);
    hits_ray ray;
    *contacts = (hits_near_triangles){.reach = reach};
    if (!mote_hits_ray_make(step->hits, place, place, reach, &ray)) return;
    ray.begin = who->begin;
    ray.contacts = contacts;
    mote_hits_walk(&walk, &ray);
}

// Sets the radius of the sphere, and the distances that depend on it.
static void set_reach(const hits_step *step, hits_traveller *who, mote_vec3 target, double reach)
{
    const mote_vec3 from = ours(step, who->position), to = ours(step, target);
    hits_ray ray = {.near = 0};
    who->reach = reach;
    if (!is_swept(step, who) || !mote_hits_ray_make(step->hits, from, to, reach, &ray)) return;
    who->near = ray.near;
    who->finest = 64 * (mote_hits_rounding(step->hits, from, to) + ray.error);
}

static bool note(const hits_step *step, const hits_traveller *who, mote_contact_kind kind, const mote_hit *hit)
{
    hits_contact_log *notes = who->notes;
    if (kind == MOTE_CONTACT_HIT && !step->response->lists_hits) return true;
    const size_t used = notes->count * sizeof(mote_contact);
    if (notes->failed || mote_buffer_reserve(notes->context, &notes->memory, used + sizeof(mote_contact), used)) {
        notes->failed = true;
        return false;
    }
    mote_contact *made = (mote_contact *)notes->memory.data + notes->count++;
    memset(made, 0, sizeof *made);
    made->time = who->begin;
    made->point = hit->point;
    made->normal = hit->normal;
    made->particle = who->particle;
    made->triangle = hit->triangle;
    made->mesh = hit->mesh;
    made->kind = kind;
    return true;
}

// -------------------------------------------------------------------------------------------------------- answers

// Moves the particle to the hit. For a point against triangles at rest it stops a little before the surface, and
// only at a position that is proven. For others the hit's time already gives a proven position.
static void approach(const hits_step *step, hits_traveller *who, mote_vec3 target, const mote_hit *hit)
{
    mote_vec3 place = mote_hits_lerp(who->position, target, hit->time);
    if (!is_swept(step, who)) {
        const mote_vec3 from = ours(step, who->position), to = ours(step, target);
        const double length = mote_vec3_length(mote_vec3_sub(to, from));
        const double share = hit->time - MOTE_MAX(STOP_BEFORE, 4 * mote_hits_rounding(step->hits, from, to)) / length;
        mote_hit other;
        place = share > 0 ? mote_hits_lerp(who->position, target, share) : who->position;
        if (meets(step, who, place, &other)) place = who->position;
    }
    who->position = hit->time > 0 ? place : who->position;
    who->begin += hit->time * (1 - who->begin);
}

// How far from the surface a particle goes after a hit [internal]. It is farther after many hits, because a turning
// surface is hit less often from farther away.
static double push_of(const hits_step *step, const hits_traveller *who, uint64_t hit_count)
{
    if (!is_swept(step, who)) return MOTE_MAX(PUSH_AWAY, 8 * step->hits->grain);
    const double push = ldexp(who->near, (int)MOTE_MIN(hit_count, UINT64_C(40)));
    return MOTE_MIN(push, MOTE_MAX(who->reach / 16, 2 * who->near));
}

// Tries once to carry the particle to the end of the step; false if it hits something on the way, or if there is no
// way.
static bool try_way(const hits_step *step, hits_traveller *who, double push, mote_hit *hit, bool *has_way)
{
    const double unscale = 1 / step->hits->scale, rest = 1 - who->begin;
    hits_near_triangles contacts;
    mote_vec3 way;
    find_contacts(step, who, who->reach + 2 * push, &contacts);
    const mote_vec3 wish = mote_vec3_scale(ours(step, hit->velocity), rest);
    *has_way = mote_hits_find_detour(&contacts, who->reach + push, rest, wish, &way);
    if (!*has_way) return false;
    const mote_vec3 target = mote_vec3_add_scaled(who->position, way, unscale);
    if (!meets(step, who, target, hit)) {
        who->position = target;
        return true;
    }
    approach(step, who, target, hit);
    return false;
}

// The smaller size of a squeezed particle, at most what the nearest triangles leave; 0 if there is none.
static double smaller(const hits_step *step, const hits_traveller *who)
{
    hits_near_triangles contacts;
    double size = who->reach / SMALLER;
    if (who->reach <= who->finest) return 0;
    find_contacts(step, who, who->reach, &contacts);
    for (uint32_t i = 0; i < contacts.count; ++i) size = MOTE_MIN(size, contacts.contact[i].gap / 2);
    return MOTE_MAX(size, who->finest);
}

// Carries the particle along with the surface to the end of the step.
static void ride_along(const hits_step *step, hits_traveller *who, mote_hit hit)
{
    while (who->reach > 0) {
        bool has_way = true;
        uint32_t stuck = 0;
        for (uint64_t tries = 1; has_way && stuck < FEW_HITS && tries <= MOST_TRIES; ++tries) {
            const double before = who->begin;
            if (try_way(step, who, push_of(step, who, 2 * tries), &hit, &has_way)) return;
            stuck += who->begin - before < LITTLE * (1 - before);
        }
        if (who->radius * step->hits->scale >= who->reach && !who->is_squeezed) {
            who->is_squeezed = true;
            note(step, who, MOTE_CONTACT_SQUEEZED, &hit);
        }
        set_reach(step, who, who->position, smaller(step, who));
    }
    who->is_crushed = true;
    note(step, who, MOTE_CONTACT_CRUSHED, &hit);
    who->position = mote_vec3_add_scaled(who->position, hit.velocity, 1 - who->begin);
}

// For a sphere that touches too many surfaces at rest to go on: moves it away from all of them, if that is possible.
static void make_room(const hits_step *step, hits_traveller *who, mote_hit hit)
{
    bool has_way;
    try_way(step, who, push_of(step, who, 1), &hit, &has_way);
}

void mote_hits_advance_particle(const hits_step *step, hits_traveller *who, mote_vec3 target, mote_hit hit)
{
    const mote_response *response = step->response;
    const mote_hits *hits = step->hits;
    set_reach(step, who, target,
              mote_hits_sweep_radius(hits, ours(step, who->position), ours(step, target), who->radius * hits->scale));
    double before = 0;
    for (;;) {
        ++who->hits;
        approach(step, who, target, &hit);
        if (!note(step, who, MOTE_CONTACT_HIT, &hit)) return;
        // The inverse of a time step may be infinite.
        const double dt = step->time_step;
        const mote_vec3 carried = mote_vec3_make(hit.velocity.x / dt, hit.velocity.y / dt, hit.velocity.z / dt);
        who->velocity = mote_response_apply(response, who->velocity, carried, hit.normal);
        who->dead = response->kind == MOTE_RESPONSE_KILL;
        const bool goes_on = response->kind == MOTE_RESPONSE_BOUNCE || response->kind == MOTE_RESPONSE_SLIDE;
        // Between surfaces that leave no room the particle would bounce back and forth.
        const bool is_stuck = is_swept(step, who) && who->hits % FEW_HITS == 0 && who->begin - before < LITTLE;
        if (who->hits % FEW_HITS == 0) before = who->begin;
        if (!goes_on || is_stuck || who->hits >= response->most_hits) {
            if (who->dead) return;
            if (hits->ends)
                ride_along(step, who, hit);
            else if (who->reach > 0) make_room(step, who, hit);
            return;
        }
        target = mote_vec3_add_scaled(who->position, who->velocity, step->time_step * (1 - who->begin));
        target = mote_vec3_add_scaled(target, hit.normal, push_of(step, who, who->hits) / hits->scale);
        if (!meets(step, who, target, &hit)) break;
    }
    who->position = target;
}
