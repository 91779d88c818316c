// SPDX-License-Identifier: MIT
// Moves particles, or finds their first collisions, in blocks, one particle at a time.

#include "proxy/lanes.h"

void mote_move_plain(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_move_task *task = data;
    mote_proxy_counters count = {.particles = end - begin};
    mote_move_some(task, begin, end, &count);
    if (task->blocks) task->blocks[begin / MOTE_MOVE_BLOCK] = count;
}

void mote_move_hits_plain(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    for (size_t i = begin; i < end; ++i) mote_move_find_hit(data, i);
}

// ----------------------------------------------------------------------------------------------------------- checks

mote_result mote_proxy_check_arrays(const mote_proxy *proxy, const mote_proxy_particles *particles, bool moving,
                                    mote_error *error)
{
    if (!proxy || !particles) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: no proxy or no particles");
    if (particles->scalar != MOTE_F32 && particles->scalar != MOTE_F64)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: particles' scalar is %d, expected MOTE_F32 or MOTE_F64",
                         (int)particles->scalar);
    if (particles->count > UINT32_MAX - 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: %zu particles, expected at most 2^32 - 2",
                         particles->count);
    for (int k = 0; k < 3 && particles->count; ++k)
        if (!particles->position[k] || (moving && !particles->velocity[k]))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: %zu particles without %s along %c",
                             particles->count, particles->position[k] ? "velocities" : "positions", "xyz"[k]);
    return MOTE_OK;
}

mote_result mote_proxy_check_motion(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                                    mote_error *error)
{
    if (error) *error = (mote_error){0};
    mote_result result = mote_proxy_check_arrays(proxy, particles, true, error);
    if (result != MOTE_OK) return result;
    if (!(dt >= 0) || !isfinite(dt))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: dt is %g s, expected a finite number from 0 on", dt);
    return MOTE_OK;
}

// Labels are bytes of any value: eight are checked at a time.
static mote_result check_labels(const mote_proxy_particles *particles, mote_error *error)
{
    const uint8_t *labels = particles->labels;
    const size_t count = particles->count;
    for (size_t i = 0; i < count;) {
        uint64_t eight;
        if (i + sizeof eight <= count) {
            memcpy(&eight, labels + i, sizeof eight);
            const uint64_t both = eight & eight >> 1 & UINT64_C(0x0101010101010101);
            if (!(both | (eight & UINT64_C(0xFCFCFCFCFCFCFCFC)))) {
                i += sizeof eight;
                continue;
            }
        }
        if (labels[i] > MOTE_PROXY_BACK)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "proxy: particle %zu has the label %d, expected 0 (unknown), 1 (front) or 2 (back)", i,
                             labels[i]);
        ++i;
    }
    return MOTE_OK;
}

mote_result mote_proxy_report_unfit(const mote_proxy_particles *particles, size_t i, double dt, mote_error *error)
{
    if (i == SIZE_MAX) return MOTE_OK;
    double x[3], v[3] = {0};
    for (int k = 0; k < 3; ++k) {
        x[k] = mote_move_load(particles, particles->position, particles->position_stride, i, k);
        if (dt >= 0) v[k] = mote_move_load(particles, particles->velocity, particles->velocity_stride, i, k);
    }
    if (dt >= 0)
        return mote_fail(error, MOTE_ERROR_NOT_FINITE, i,
                         "proxy: particle %zu at (%g, %g, %g) with velocity (%g, %g, %g), expected a finite motion", i,
                         x[0], x[1], x[2], v[0], v[1], v[2]);
    return mote_fail(error, MOTE_ERROR_NOT_FINITE, i, "proxy: particle %zu is at (%g, %g, %g), expected finite numbers",
                     i, x[0], x[1], x[2]);
}

// ----------------------------------------------------------------------------------------------------------- moving

static mote_move_task make_task(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                                atomic_size_t *unfit)
{
    mote_move_task task = {.proxy = proxy, .particles = particles, .dt = dt, .unfit = unfit};
    atomic_init(unfit, SIZE_MAX);
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    double farthest = 0;
    for (int k = 0; k < 3; ++k) {
        task.origin[k] = (float)origin[k];
        farthest = MOTE_MAX(farthest, fabs(origin[k]));
    }
    task.scale = (float)proxy->scale;
    // In a look-up, the coordinates of both ends, the origin, the scale and the results computed from them are each
    // rounded by a relative 2^-24, fewer than sixteen times in all.
    const double across = (double)(1u << proxy->def.max_depth);
    task.slack = (float)MOTE_MIN(1e30, (farthest * proxy->scale + across) * 0x1p-20);
    task.table_slack = task.slack / (float)(1u << (proxy->def.max_depth - proxy->def.table_depth));
    return task;
}

static mote_result check_response(const mote_response *response, mote_error *error)
{
    mote_result result = mote_response_check(response, error);
    if (result != MOTE_OK || response->kind != MOTE_RESPONSE_KILL) return result;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "proxy: response kind is MOTE_RESPONSE_KILL, expected one that keeps particles alive");
}

static void add_counters(mote_proxy_counters *sum, const mote_proxy_counters *more)
{
    sum->particles += more->particles;
    sum->clear += more->clear;
    sum->leaves += more->leaves;
    sum->collided += more->collided;
    sum->bounces += more->bounces;
    sum->walls += more->walls;
    sum->dropped += more->dropped;
}

mote_result mote_proxy_advance(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                               const mote_response *response, mote_proxy_counters *counters, mote_error *error)
{
    mote_result result = mote_proxy_check_motion(proxy, particles, dt, error);
    if (result == MOTE_OK) result = check_response(response, error);
    if (result != MOTE_OK || particles->count == 0) return result;
    if (!particles->labels) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: particles without labels");
    result = check_labels(particles, error);
    if (result != MOTE_OK) return result;
    atomic_size_t unfit;
    mote_move_task task = make_task(proxy, particles, dt, &unfit);
    task.law = mote_response_law(response);
    task.most_bounces = response->most_hits;
    const size_t blocks = mote_block_count(particles->count, MOTE_MOVE_BLOCK);
    if (counters) {
        task.blocks = mote_allocate(proxy->context, blocks * sizeof *task.blocks);
        if (!task.blocks) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "proxy: no memory for the counters");
    }
    mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK,
                      mote_proxy_lanes_choose(proxy->context)->move, &task);
    for (size_t b = 0; counters && b < blocks; ++b) add_counters(counters, task.blocks + b);
    mote_release(proxy->context, task.blocks, counters ? blocks * sizeof *task.blocks : 0);
    return mote_proxy_report_unfit(particles, atomic_load(&unfit), dt, error);
}

mote_result mote_proxy_hits(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                            mote_proxy_hit *hits, mote_error *error)
{
    mote_result result = mote_proxy_check_motion(proxy, particles, dt, error);
    if (result != MOTE_OK || particles->count == 0) return result;
    if (!hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: nowhere to put the hits");
    if (particles->labels) result = check_labels(particles, error);
    if (result != MOTE_OK) return result;
    atomic_size_t unfit;
    mote_move_task task = make_task(proxy, particles, dt, &unfit);
    task.hits = hits;
    mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK,
                      mote_proxy_lanes_choose(proxy->context)->find_hits, &task);
    return mote_proxy_report_unfit(particles, atomic_load(&unfit), dt, error);
}

bool mote_proxy_move_one(const mote_proxy *proxy, const mote_response *response, mote_vec3 *position, mote_vec3 *way,
                         mote_vec3 *normal)
{
    mote_vec3 at = *position, by = *way;
    uint8_t label = MOTE_PROXY_FRONT;
    const mote_proxy_particles one = {.position = {&at.x, &at.y, &at.z}, .velocity = {&by.x, &by.y, &by.z},
                                      .labels = &label, .count = 1, .scalar = MOTE_F64};
    const float from[3] = {(float)at.x, (float)at.y, (float)at.z};
    const float motion[3] = {(float)by.x, (float)by.y, (float)by.z};
    atomic_size_t unfit;
    mote_move_task task = make_task(proxy, &one, 1, &unfit);
    uint32_t seen;
    if (mote_move_look(&task, from, motion, &seen)) return false;
    task.law = mote_response_law(response);
    task.most_bounces = response->most_hits;
    double place[3], velocity[3];
    mote_walk w;
    w.only_first = false;
    if (!mote_move_begin(&task, 0, place, velocity, &w)) return false;
    mote_walk_go(&w);
    if (w.bounces == 0) return false;
    mote_move_end(&task, 0, place, velocity, &w);
    *position = at, *way = by, *normal = w.first_normal;
    return true;
}

mote_proxy_particles mote_proxy_particles_xyz(float *positions, float *velocities, uint8_t *labels, size_t count)
{
    mote_proxy_particles particles = {.position_stride = 3 * sizeof(float),
                                      .velocity_stride = 3 * sizeof(float),
                                      .labels = labels,
                                      .count = count,
                                      .scalar = MOTE_F32};
    for (int k = 0; k < 3; ++k) {
        particles.position[k] = positions ? positions + k : NULL;
        particles.velocity[k] = velocities ? velocities + k : NULL;
    }
    return particles;
}
