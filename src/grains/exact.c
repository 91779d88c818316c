// Motions among triangles, exactly.
//
// A grain is never placed on a surface, where rounding would choose the side, but before it: at a place whose segment
// from the grain's last place meets no triangle, which the exact test of first_hits.h confirms. So every place is
// joined to the one before by a segment without a hit, and no grain gets through, whatever is rounded. Where no such
// place is found, and after too many bounces, the rest of the step is dropped.

#include <stdatomic.h>

#include "base/vector.h"
#include "grains/internal.h"

enum {
    BLOCK = 256,
    BOUNCES = 16,  // of a grain in a step
    TRIES = 8      // places before a surface
};

static const double short_of = 0x1p-20;  // the share of a motion that a grain stays away from what it hits

typedef struct exact_task {
    mote_grains *grains;
    double dt;
    atomic_uint_least64_t bounces, dropped;
} exact_task;

// Finds a place before the hit that is free to go to.
static bool approach(const mote_first_hits *first, mote_vec3 *at, mote_vec3 motion, double time)
{
    mote_first_hit hit;
    double share = time - short_of;
    for (int k = 0; k < TRIES && share > 0; ++k) {
        const mote_vec3 place = mote_vec3_add_scaled(*at, motion, share);
        if (!mote_first_hits_segment(first, *at, place, 0, &hit)) {
            *at = place;
            return true;
        }
        share *= 0.5;
    }
    return false;
}

static mote_vec3 bounce(mote_vec3 velocity, mote_vec3 normal, double restitution, double friction)
{
    const double along = mote_vec3_dot(velocity, normal);
    if (!(along < 0)) return velocity;
    const mote_vec3 tangential = mote_vec3_add_scaled(velocity, normal, -along);
    const double speed = mote_vec3_length(tangential), loss = -friction * (1 + restitution) * along;
    const double kept = speed > loss ? 1 - loss / speed : 0;
    return mote_vec3_add_scaled(mote_vec3_scale(tangential, kept), normal, -restitution * along);
}

// Moves a grain; answers how often it bounced. `dropped`: the step was cut short.
static uint32_t move(const exact_task *task, mote_vec3 *at, mote_vec3 *velocity, bool *dropped)
{
    const mote_grains *grains = task->grains;
    double left = task->dt;
    for (uint32_t bounces = 0; bounces < BOUNCES; ++bounces) {
        const mote_vec3 motion = mote_vec3_scale(*velocity, left), to = mote_vec3_add(*at, motion);
        mote_first_hit hit;
        if (!mote_first_hits_segment(grains->first, *at, to, 0, &hit)) {
            *at = to;
            return bounces;
        }
        const bool moved = approach(grains->first, at, motion, hit.time);
        *velocity = bounce(*velocity, hit.normal, grains->def.restitution, grains->def.friction);
        if (moved) left *= 1 - hit.time;
    }
    *dropped = true;
    return BOUNCES;
}

static void move_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    exact_task *task = data;
    uint64_t bounces = 0, dropped = 0;
    for (size_t i = begin; i < end; ++i) {
        double *p = task->grains->positions + 3 * i, *v = task->grains->velocities + 3 * i;
        mote_vec3 at = {p[0], p[1], p[2]}, velocity = {v[0], v[1], v[2]};
        bool is_dropped = false;
        bounces += move(task, &at, &velocity, &is_dropped);
        dropped += is_dropped;
        p[0] = at.x, p[1] = at.y, p[2] = at.z;
        v[0] = velocity.x, v[1] = velocity.y, v[2] = velocity.z;
    }
    atomic_fetch_add(&task->bounces, bounces);
    atomic_fetch_add(&task->dropped, dropped);
}

void mote_grains_move_exactly(mote_grains *grains, double dt)
{
    exact_task task = {.grains = grains, .dt = dt};
    mote_parallel_for(grains->context, grains->alive, BLOCK, move_block, &task);
    grains->stats.bounces += atomic_load(&task.bounces);
    grains->stats.dropped += atomic_load(&task.dropped);
}
