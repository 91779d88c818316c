// SPDX-License-Identifier: MIT
// Moves particles that respond to the surface, using first hits.
//
// Most particles hit nothing, and one batch of first hits finds those that do. These move from hit to hit
// (advance_particle.c). Their results are stored separately, so that nothing has changed if memory runs out.

#include "hits/advance_particle.h"

// No first hits are looked for farther away than this, in the mesh's extents. It leaves room for what hits add to a
// motion.
#define FARTHEST 0x1p240

enum { HITS_A_BLOCK = 256 };

// The result of a particle that hits something.
typedef struct answer {
    mote_vec3 position, velocity;
    bool dead;
} answer;

// The sums over a block of hits, and where its contacts are in its worker's list.
typedef struct answer_block {
    uint64_t hits, squeezed, crushed;
    size_t first, count;
    uint32_t worker;
} answer_block;

typedef struct advancing {
    mote_hits *hits;
    hits_step step;
    const mote_particles *particles;
    mote_hit_list list;
    const double *targets;
    answer *answers;       // one per hit of the list
    answer_block *blocks;
} advancing;

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

static void answer_hits(void *data, size_t begin, size_t end, uint32_t number)
{
    const advancing *all = data;
    const mote_particles *particles = all->particles;
    hits_worker *worker = (hits_worker *)all->hits->workers.data + number;
    answer_block *block = &all->blocks[begin / HITS_A_BLOCK];
    *block = (answer_block){.first = worker->notes.count, .worker = number};
    for (size_t h = begin; h < end; ++h) {
        const size_t i = all->list.hits[h].particle;
        hits_traveller who = {.position = vector_at(particles->positions, i),
                              .velocity = vector_at(particles->velocities, i),
                              .radius = particles->radii ? particles->radii[i] : 0,
                              .particle = (uint32_t)i,
                              .dead = particles->dead && particles->dead[i],
                              .notes = &worker->notes};
        if (!who.dead) mote_hits_advance_particle(&all->step, &who, vector_at(all->targets, i), all->list.hits[h]);
        block->hits += who.hits;
        block->squeezed += who.is_squeezed;
        block->crushed += who.is_crushed;
        all->answers[h] = (answer){who.position, who.velocity, who.dead};
    }
    block->count = worker->notes.count - block->first;
}

static mote_result check_particles(const mote_hits *hits, const mote_particles *particles, mote_error *error)
{
    if (particles->count && (!particles->positions || !particles->velocities))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: %zu particles without positions or velocities",
                         particles->count);
    for (size_t i = 0; particles->radii && i < particles->count; ++i)
        if (!(particles->radii[i] >= 0) || !isfinite(particles->radii[i] * hits->scale))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "response: radius of particle %zu is %g, expected 0 or more", i, particles->radii[i]);
    return MOTE_OK;
}

static mote_result check(const mote_response *response, const mote_particles *particles, double time_step,
                         mote_error *error)
{
    mote_result result = mote_response_check(response, error);
    if (result != MOTE_OK) return result;
    if (response->kind == MOTE_RESPONSE_KILL && !particles->dead)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: particles that die need an array that says so");
    if (!(time_step > 0) || !isfinite(time_step))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: the time step is %g, expected a number above 0",
                         time_step);
    return MOTE_OK;
}

// The target of each particle without hits. Dead particles stay, and so do those too far away for first hits.
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

// Joins the blocks' contacts in order, and sums their counters.
static mote_result gather(advancing *all, uint64_t *hit_count)
{
    mote_hits *hits = all->hits;
    const hits_worker *workers = hits->workers.data;
    mote_contact_list list = {0};
    uint64_t sum = 0;
    for (uint32_t w = 0; w < hits->worker_count; ++w) {
        if (workers[w].notes.failed) return MOTE_ERROR_OUT_OF_MEMORY;
        list.count += workers[w].notes.count;
    }
    const size_t bytes = mote_bytes(list.count, sizeof(mote_contact));
    mote_result result = mote_buffer_reserve(hits->context, &hits->contact_memory, bytes, 0);
    if (result != MOTE_OK) return result;
    mote_contact *contacts = hits->contact_memory.data;
    list.contacts = contacts;
    for (size_t b = 0; b < mote_block_count(all->list.count, HITS_A_BLOCK); ++b) {
        const answer_block *block = &all->blocks[b];
        const mote_contact *from = workers[block->worker].notes.memory.data;
        if (block->count) memcpy(contacts, from + block->first, block->count * sizeof *contacts);
        if (block->count) contacts += block->count;
        sum += block->hits;
        list.squeezed += block->squeezed;
        list.crushed += block->crushed;
    }
    hits->contacts = list;
    if (hit_count) *hit_count = sum;
    return MOTE_OK;
}

static void commit(const advancing *all)
{
    const mote_particles *particles = all->particles;
    size_t next = 0;
    for (size_t i = 0; i < particles->count; ++i) {
        if (next == all->list.count || all->list.hits[next].particle != i) {
            memcpy(particles->positions + 3 * i, all->targets + 3 * i, 3 * sizeof *all->targets);
            continue;
        }
        const answer *made = &all->answers[next++];
        if (particles->dead && particles->dead[i]) continue;
        store(particles->positions, i, made->position);
        store(particles->velocities, i, made->velocity);
        if (made->dead) particles->dead[i] = 1;
    }
}

static mote_result reserve_answers(advancing *all)
{
    mote_hits *hits = all->hits;
    const size_t blocks = mote_block_count(all->list.count, HITS_A_BLOCK);
    const size_t answers = mote_bytes(all->list.count, sizeof(answer));
    const size_t bytes = mote_bytes(all->list.count, sizeof(answer) + sizeof(answer_block));
    mote_result result = bytes < SIZE_MAX / 2 ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK)
        result = mote_buffer_reserve(hits->context, &hits->answers, answers + blocks * sizeof(answer_block), 0);
    if (result != MOTE_OK) return result;
    all->blocks = hits->answers.data;
    all->answers = (answer *)(all->blocks + blocks);
    hits_worker *workers = hits->workers.data;
    for (uint32_t w = 0; w < hits->worker_count; ++w) {
        workers[w].notes.context = hits->context;
        workers[w].notes.count = 0;
        workers[w].notes.failed = false;
    }
    return MOTE_OK;
}

static mote_result advance(advancing *all, uint64_t *hit_count, mote_error *error)
{
    mote_hits *hits = all->hits;
    const mote_particles *particles = all->particles;
    const size_t n = particles->count;
    mote_result result = mote_buffer_reserve(hits->context, &hits->targets, mote_bytes(n, 3 * sizeof(double)), 0);
    if (result != MOTE_OK) return result;
    double *targets = hits->targets.data;
    set_targets(particles, all->step.time_step, hits->scale, targets);
    all->targets = targets;
    const mote_motions motions = {.from = mote_points_xyz_f64(particles->positions, n),
                                  .to = mote_points_xyz_f64(targets, n),
                                  .radii = particles->radii};
    result = mote_hits_query(hits, &motions, &all->list, error);
    if (result == MOTE_OK) result = reserve_answers(all);
    if (result != MOTE_OK) return result;
    mote_parallel_for(hits->context, all->list.count, HITS_A_BLOCK, answer_hits, all);
    result = gather(all, hit_count);
    if (result == MOTE_OK) commit(all);
    return result;
}

mote_result mote_hits_advance(mote_hits *hits, const mote_response *response, const mote_particles *particles,
                              double time_step, uint64_t *hit_count, mote_error *error)
{
    if (!hits || !response || !particles)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "response: no object, response or particles");
    hits->contacts = (mote_contact_list){0};
    if (hit_count) *hit_count = 0;
    mote_result result = check(response, particles, time_step, error);
    if (result == MOTE_OK) result = check_particles(hits, particles, error);
    if (result != MOTE_OK || particles->count == 0) return result;
    advancing all = {.hits = hits, .step = {hits, response, time_step}, .particles = particles};
    result = advance(&all, hit_count, error);
    if (result == MOTE_ERROR_OUT_OF_MEMORY)
        return mote_fail(error, result, 0, "response: no memory for %zu particles", particles->count);
    return result;
}

mote_contact_list mote_hits_get_contacts(const mote_hits *hits)
{
    return hits ? hits->contacts : (mote_contact_list){0};
}
