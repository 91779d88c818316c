// Particles moved and asked for their first collisions, in blocks, each particle by itself.

#include "hits/proxy_move.h"

static void move_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_move_task *task = data;
    mote_proxy_counters count = {.particles = end - begin};
    mote_move_some(task, begin, end, &count);
    if (task->blocks) task->blocks[begin / MOTE_MOVE_BLOCK] = count;
}

static void hits_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    for (size_t i = begin; i < end; ++i) mote_move_find_hit(data, i);
}

mote_result mote_proxy_check_particles(const mote_proxy_particles *particles, bool need_labels)
{
    if (!particles || (particles->scalar != MOTE_F32 && particles->scalar != MOTE_F64)) return MOTE_ERROR_ARGUMENT;
    if (particles->count == 0) return MOTE_OK;
    if (particles->count > UINT32_MAX - 1 || (need_labels && !particles->labels)) return MOTE_ERROR_ARGUMENT;
    for (int k = 0; k < 3; ++k)
        if (!particles->position[k] || !particles->velocity[k]) return MOTE_ERROR_ARGUMENT;
    return MOTE_OK;
}

static mote_move_task make_task(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt)
{
    mote_move_task task = {.proxy = proxy, .particles = particles, .dt = dt};
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    double farthest = 0;
    for (int k = 0; k < 3; ++k) {
        task.origin[k] = (float)origin[k];
        farthest = MOTE_MAX(farthest, fabs(origin[k]));
    }
    task.scale = (float)proxy->scale;
    // In a look, the coordinates of both ends, the origin, the scale and what is made of them are each rounded by 2^-24
    // of themselves: fewer than sixteen times in all.
    const double across = (double)(1u << proxy->def.max_depth);
    task.slack = (float)MOTE_MIN(1e30, (farthest * proxy->scale + across) * 0x1p-20);
    task.table_slack = task.slack / (float)(1u << (proxy->def.max_depth - proxy->def.table_depth));
    return task;
}

mote_result mote_proxy_move(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                            const mote_proxy_response *response, mote_proxy_counters *counters)
{
    if (!proxy || !response || !(dt >= 0) || !isfinite(dt)) return MOTE_ERROR_ARGUMENT;
    if (!(response->restitution >= 0 && response->restitution <= 1) || !(response->friction >= 0))
        return MOTE_ERROR_ARGUMENT;
    if (mote_proxy_check_particles(particles, true) != MOTE_OK) return MOTE_ERROR_ARGUMENT;
    if (particles->count == 0) return MOTE_OK;
    mote_move_task task = make_task(proxy, particles, dt);
    task.response = *response;
    const size_t blocks = mote_block_count(particles->count, MOTE_MOVE_BLOCK);
    if (counters) {
        task.blocks = mote_allocate(proxy->context, blocks * sizeof *task.blocks);
        if (!task.blocks) return MOTE_ERROR_OUT_OF_MEMORY;
    }
    mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK,
                      mote_move_fits_lanes(particles) ? mote_move_lanes : move_block, &task);
    for (size_t b = 0; counters && b < blocks; ++b) {
        counters->particles += task.blocks[b].particles;
        counters->clear += task.blocks[b].clear;
        counters->leaves += task.blocks[b].leaves;
        counters->collided += task.blocks[b].collided;
        counters->bounces += task.blocks[b].bounces;
        counters->walls += task.blocks[b].walls;
        counters->dropped += task.blocks[b].dropped;
    }
    mote_release(proxy->context, task.blocks, counters ? blocks * sizeof *task.blocks : 0);
    return MOTE_OK;
}

mote_result mote_proxy_hits(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                            mote_proxy_hit *hits)
{
    if (!proxy || !(dt >= 0) || !isfinite(dt) || mote_proxy_check_particles(particles, false) != MOTE_OK)
        return MOTE_ERROR_ARGUMENT;
    if (particles->count == 0) return MOTE_OK;
    if (!hits) return MOTE_ERROR_ARGUMENT;
    mote_move_task task = make_task(proxy, particles, dt);
    task.hits = hits;
    mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK,
                      mote_move_fits_lanes(particles) ? mote_move_hits_lanes : hits_block, &task);
    return MOTE_OK;
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
