// SPDX-License-Identifier: MIT
// proxy/move.h: the step of one particle, and its first collision; move_lanes.c handles several particles at a time.
//
// The position after a step is stored in the caller's number type. If necessary it is moved to the next number, so
// that it lies in the leaf in which the walk ended: rounding then never puts a particle beyond a face that it did
// not pass, and its label stays right.
//
// Most particles are far from the surface. The table stores how many cells around a particle's cell are empty, so a
// single look-up decides that a motion meets nothing. This look-up is in float, with a margin for float's rounding.
#ifndef MOTE_PROXY_MOVE_H
#define MOTE_PROXY_MOVE_H

#include <stdatomic.h>

#include "proxy/walk.h"

enum { MOTE_MOVE_BLOCK = 4096 };  // particles

typedef struct mote_move_task {
    const mote_proxy *proxy;
    const mote_proxy_particles *particles;
    double dt;
    response_law law;
    uint32_t most_bounces;
    mote_proxy_counters *blocks;  // may be NULL
    mote_proxy_hit *hits;
    atomic_size_t *unfit;  // the first particle whose motion is not finite, after all have been processed

    float origin[3], scale;    // finest leaves
    float slack, table_slack;  // effect of float's rounding on coordinates, in finest leaves and in cells of the table
} mote_move_task;

static const mote_proxy_hit mote_move_no_hit = {2, {0, 0, 0}, 0};

MOTE_INLINE double mote_move_load(const mote_proxy_particles *set, void *const axis[3], ptrdiff_t stride, size_t i,
                                  int k)
{
    const char *at = (const char *)axis[k] + (ptrdiff_t)i * stride;
    return set->scalar == MOTE_F32 ? (double)mote_load_f32(at) : mote_load_f64(at);
}

MOTE_INLINE void mote_move_store(const mote_proxy_particles *set, void *const axis[3], ptrdiff_t stride, size_t i,
                                 int k, double value)
{
    char *at = (char *)axis[k] + (ptrdiff_t)i * stride;
    const float narrow = (float)value;
    if (set->scalar == MOTE_F32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

// The end of a motion that meets nothing.
MOTE_INLINE double mote_move_free(mote_scalar scalar, double x, double v, double dt)
{
    return scalar == MOTE_F32 ? (double)((float)x + (float)v * (float)dt) : x + v * dt;
}

// Moves a particle that meets nothing.
MOTE_INLINE void mote_move_drift(const mote_proxy_particles *set, double dt, size_t i)
{
    for (int k = 0; k < 3; ++k) {
        const double x = mote_move_load(set, set->position, set->position_stride, i, k);
        const double v = mote_move_load(set, set->velocity, set->velocity_stride, i, k);
        mote_move_store(set, set->position, set->position_stride, i, k, mote_move_free(set->scalar, x, v, dt));
    }
}

static inline void mote_move_note_unfit(atomic_size_t *unfit, size_t i)
{
    size_t first = atomic_load(unfit);
    while (i < first && !atomic_compare_exchange_weak(unfit, &first, i)) continue;
}

static inline double mote_move_next(mote_scalar scalar, double x, double towards)
{
    return scalar == MOTE_F32 ? (double)nextafterf((float)x, (float)towards) : nextafter(x, towards);
}

// The number of the particles' type nearest to x that lies in the leaf, along an axis; false if there is none
// nearby.
static inline bool mote_move_fit(const mote_proxy *proxy, mote_scalar scalar, double origin, uint32_t low,
                                 uint32_t size, double *x)
{
    if (scalar == MOTE_F32) *x = mote_as_f32(*x);
    for (int tries = 0; tries < 64; ++tries) {
        const double cell = (*x - origin) * proxy->scale;
        if (cell >= low && cell < (double)low + size) return true;
        *x = mote_move_next(scalar, *x, cell < low ? HUGE_VAL : -HUGE_VAL);
    }
    return false;
}

// Loads a particle's position and velocity; false if they are not finite.
MOTE_INLINE bool mote_move_begin(const mote_move_task *task, size_t i, double position[3], double velocity[3],
                                 mote_walk *w)
{
    const mote_proxy *proxy = task->proxy;
    const mote_proxy_particles *set = task->particles;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    uint32_t cell[3];
    bool inside = true, finite = true;
    for (int k = 0; k < 3; ++k) {
        position[k] = mote_move_load(set, set->position, set->position_stride, i, k);
        velocity[k] = mote_move_load(set, set->velocity, set->velocity_stride, i, k);
        w->at[k] = (position[k] - origin[k]) * proxy->scale;
        w->velocity[k] = velocity[k] * proxy->scale;
        finite &= isfinite(w->at[k]) && isfinite(w->velocity[k] * task->dt);
        inside &= mote_proxy_cell_1(proxy, w->at[k], cell + k);
    }
    if (!finite) {
        mote_move_note_unfit(task->unfit, i);
        return false;
    }
    w->proxy = proxy;
    w->law = task->law;
    w->most_bounces = task->most_bounces;
    w->time = task->dt;
    w->label = set->labels ? set->labels[i] : MOTE_PROXY_UNKNOWN;
    w->labelled = set->labels != NULL;
    w->outside = !inside;
    w->bounces = w->walls = w->leaves = 0;
    w->dropped = false;
    if (inside) {
        const mote_spot spot = mote_proxy_find(proxy, cell);
        mote_walk_enter(w, &spot);
    }
    return true;
}

// Writes the end of the walk.
MOTE_INLINE void mote_move_end(const mote_move_task *task, size_t i, const double position[3], const double velocity[3],
                               const mote_walk *w)
{
    const mote_proxy *proxy = task->proxy;
    const mote_proxy_particles *set = task->particles;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    const double left = w->dropped ? 0 : w->time;
    double to[3];
    bool stands = true;
    for (int k = 0; k < 3; ++k) {
        // Without a collision the particle ends exactly, to the bit, where it would end without a proxy.
        if (w->bounces == 0)
            to[k] = mote_move_free(set->scalar, position[k], velocity[k], task->dt);
        else
            to[k] = origin[k] + (w->at[k] + w->velocity[k] * left) * proxy->leaf;
        if (!w->outside) stands &= mote_move_fit(proxy, set->scalar, origin[k], w->spot.low[k], w->spot.size, to + k);
    }
    if (!stands) return;
    for (int k = 0; k < 3; ++k) {
        mote_move_store(set, set->position, set->position_stride, i, k, to[k]);
        if (w->bounces) mote_move_store(set, set->velocity, set->velocity_stride, i, k, w->velocity[k] * proxy->leaf);
    }
    set->labels[i] = w->label;
}

// Whether a single look-up in the table shows that a motion meets nothing and passes only empty leaves with one
// label, which is written: all cells of the table that the motion may reach are like its first. Leaves outside the
// root have no label.
MOTE_INLINE bool mote_move_look(const mote_move_task *task, const float position[3], const float motion[3],
                                uint32_t *label)
{
    const float across = (float)(1u << task->proxy->def.max_depth);
    const int height = task->proxy->def.max_depth - task->proxy->def.table_depth;
    const float in_cells = 1 / (float)(1u << height);
    float at[3], then[3];
    uint32_t cell[3];
    bool inside = true, away = false, finite = true;
    for (int k = 0; k < 3; ++k) {
        const float by = motion[k] * task->scale;
        at[k] = (position[k] - task->origin[k]) * task->scale;
        then[k] = at[k] + by;
        // No branches: they could not be predicted.
        inside &= (at[k] >= 0) & (at[k] < across);
        away |= ((at[k] < -task->slack) & (then[k] < -task->slack)) |
                ((at[k] > across + task->slack) & (then[k] > across + task->slack));
        cell[k] = (uint32_t)(inside ? at[k] : 0) >> height;
        finite &= fabsf(at[k]) + fabsf(by) <= MOTE_PROXY_LONGEST;
    }
    *label = MOTE_PROXY_UNKNOWN;
    if (!inside) return finite && away;
    const uint32_t shift = (uint32_t)task->proxy->def.table_depth;
    const uint32_t entry = task->proxy->table[((size_t)cell[2] << 2 * shift) + ((size_t)cell[1] << shift) + cell[0]];
    const float room = (float)(entry >> MOTE_PROXY_SAME_SHIFT & MOTE_PROXY_RINGS) + 0.5F - task->table_slack;
    bool within = (entry & 7) < MOTE_PROXY_LEAF;
    for (int k = 0; k < 3; ++k) {
        const float middle = (float)cell[k] + 0.5F;
        within &= (fabsf(at[k] * in_cells - middle) <= room) & (fabsf(then[k] * in_cells - middle) <= room);
    }
    *label = entry & 7;
    return within;
}

// Moves a particle that meets nothing and stamps it; false if a single look-up cannot decide that.
MOTE_INLINE bool mote_move_clear(const mote_move_task *task, size_t i)
{
    const mote_proxy_particles *set = task->particles;
    float position[3], motion[3];
    for (int k = 0; k < 3; ++k) {
        const double v = mote_move_load(set, set->velocity, set->velocity_stride, i, k);
        position[k] = (float)mote_move_load(set, set->position, set->position_stride, i, k);
        motion[k] = set->scalar == MOTE_F32 ? (float)v * (float)task->dt : (float)(v * task->dt);
    }
    uint32_t label;
    if (!mote_move_look(task, position, motion, &label)) return false;
    mote_move_drift(set, task->dt, i);
    if (label == MOTE_PROXY_FRONT || label == MOTE_PROXY_BACK) set->labels[i] = (uint8_t)label;
    return true;
}

MOTE_INLINE void mote_move_walk(const mote_move_task *task, size_t i, mote_proxy_counters *count)
{
    double position[3], velocity[3];
    mote_walk w;
    w.only_first = false;
    if (!mote_move_begin(task, i, position, velocity, &w)) return;
    mote_walk_go(&w);
    mote_move_end(task, i, position, velocity, &w);
    count->leaves += w.leaves;
    count->bounces += w.bounces;
    count->walls += w.walls;
    count->collided += w.bounces > 0;
    count->dropped += w.dropped;
}

MOTE_INLINE void mote_move_some(const mote_move_task *task, size_t begin, size_t end, mote_proxy_counters *count)
{
    for (size_t i = begin; i < end; ++i) {
        if (mote_move_clear(task, i))
            ++count->clear;
        else
            mote_move_walk(task, i, count);
    }
}

MOTE_INLINE void mote_move_find_hit(const mote_move_task *task, size_t i)
{
    double position[3], velocity[3];
    mote_walk w;
    w.only_first = true;
    task->hits[i] = mote_move_no_hit;
    if (!mote_move_begin(task, i, position, velocity, &w)) return;
    mote_walk_go(&w);
    if (!w.bounces) return;
    const double share = task->dt > 0 ? (task->dt - w.time) / task->dt : 0;
    const mote_vec3 n = w.met_normal;
    const mote_proxy_hit hit = {(float)MOTE_MAX(0, MOTE_MIN(share, 1)), {(float)n.x, (float)n.y, (float)n.z}, w.met};
    task->hits[i] = hit;
}

#endif
