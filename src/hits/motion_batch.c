// SPDX-License-Identifier: MIT
// Many motions at a time, in blocks: those that come near the surface are picked. The clusters and
// triangles of short ones are tested in stages; long ones go down the tree (motion_long.c). Their hits are listed in
// the order of motions.

#include "hits/motion_batch.h"
#include "hits/motion_long.h"
#include "hits/motion_walk.h"

// After so many clusters were filtered, the triangles that are left are tested.
enum { HITS_FILTERED = 512 };

typedef struct batch {
    mote_hits *hits;
    hits_queue queue;
    hits_block *blocks;
    uint64_t *starts;  // per block: index in the final list
    mote_hit *found;
} batch;

// A worker's scratch memory: vectors of sixteen lanes are whole lines of memory.
typedef struct block_scratch {
    _Alignas(64) hits_picked picked;
    _Alignas(64) hits_long of_long;
    hits_candidates candidates;
    hits_block_rays rays;
    hits_certain certain[HITS_CERTAIN];
    double ends[HITS_CERTAIN][8];
    hits_sheared_ray sheared[HITS_MOTIONS];          // of near motions, by their index
    uint64_t triangles[HITS_FILTERED * HITS_LANES];  // ray << 32 | triangle
    uint64_t has_sight[HITS_MOTIONS / 64];           // bit for each near motion
} block_scratch;

typedef struct block_run {
    const batch *all;
    hits_walk walk;
    block_scratch *scratch;
    uint64_t *marks;  // the worker's; NULL: the queue is not sorted
    size_t begin;     // place of the block's first motion
} block_run;

// ------------------------------------------------------------------------------------------------------- stages

hits_ray *mote_hits_block_ray(const hits_queue *queue, size_t begin, uint32_t number, hits_block_rays *rays)
{
    uint64_t *has_ray = &rays->has_ray[number / 64];
    if (*has_ray >> number % 64 & 1) return &rays->rays[rays->ray_of[number]];
    const size_t place = begin + number, particle = mote_hits_queue_number(queue, place);
    const mote_motions *motions = queue->motions;
    const double radius = motions->radii ? motions->radii[particle] : 0;
    hits_ray *ray = &rays->rays[rays->ray_count];
    const int32_t side = motions->sides ? motions->sides[particle] : 0;
    if (!mote_hits_ray_make_scaled(queue->hits, mote_hits_queue_point(&queue->from, place),
                                   mote_hits_queue_point(&queue->to, place), radius, side, (uint32_t)particle, ray))
        return NULL;
    *has_ray |= UINT64_C(1) << number % 64;
    rays->ray_of[number] = (uint32_t)rays->ray_count++;
    return ray;
}

static hits_ray *ray_of(const block_run *run, uint32_t number)
{
    return mote_hits_block_ray(&run->all->queue, run->begin, number, &run->scratch->rays);
}

static void meet_triangles(block_run *run, size_t count)
{
    enum { AHEAD = 6 };
    const mote_hits *hits = run->all->hits;
    const uint64_t *triangles = run->scratch->triangles;
    for (size_t i = 0; i < count; ++i) {
        if (i + 2 * AHEAD < count) mote_prefetch(hits->triangles + 3 * (size_t)(uint32_t)triangles[i + 2 * AHEAD]);
        if (i + AHEAD < count) {
            const uint32_t *corner = hits->triangles + 3 * (size_t)(uint32_t)triangles[i + AHEAD];
            mote_prefetch(hits->original + (uint32_t)triangles[i + AHEAD]);
            for (int k = 0; k < 3; ++k) mote_prefetch(hits->vertices + corner[k]);
        }
        mote_hits_test_triangle(&run->walk, &run->scratch->rays.rays[triangles[i] >> 32], (uint32_t)triangles[i]);
    }
}

static uint32_t number_of(const block_run *run, size_t n)
{
    return run->scratch->picked.near.at[n];
}

// Makes the form of motion n that cluster tests use.
static void see(block_run *run, size_t n)
{
    const hits_ray *ray = ray_of(run, number_of(run, n));
    MOTE_ASSERT(ray);
    mote_hits_ray_shear(ray, 0, 1, &run->scratch->sheared[n]);
    run->scratch->sheared[n].ray = (uint32_t)(ray - run->scratch->rays.rays);
}

// Tests the clusters that were found: first all of their triangles with rounded corners, then those that are left.
static void try_clusters(block_run *run)
{
    const mote_hits *hits = run->all->hits;
    block_scratch *scratch = run->scratch;
    const hits_candidates *candidates = &scratch->candidates;
    for (size_t i = 0; i < candidates->cluster_count; ++i) {
        const size_t motion = candidates->clusters[i] >> 32;
        uint64_t *seen = &scratch->has_sight[motion / 64];
        if (!(*seen >> motion % 64 & 1)) see(run, motion);
        *seen |= UINT64_C(1) << motion % 64;
    }
    for (size_t i = 0; i < candidates->cluster_count; i += HITS_FILTERED) {
        const size_t count = MOTE_MIN(candidates->cluster_count - i, (size_t)HITS_FILTERED);
        meet_triangles(run, hits->motion_lanes->filter_pairs(hits, scratch->sheared, candidates->clusters + i, count,
                                                             scratch->triangles));
    }
    run->walk.counters->clusters += candidates->cluster_count;
}

static void walk_alone(block_run *run, uint32_t number)
{
    hits_ray *ray = ray_of(run, number);
    if (ray) mote_hits_walk(&run->walk, ray);
}

// Finds the hits of near motions or pieces.
static void try_near(block_run *run)
{
    const mote_hits *hits = run->all->hits;
    block_scratch *scratch = run->scratch;
    hits_candidates *candidates = &scratch->candidates;
    candidates->visit_at = candidates->visit_count = 0;
    memset(scratch->has_sight, 0, sizeof scratch->has_sight);
    for (size_t n = 0; n < scratch->picked.near.count || candidates->visit_at < candidates->visit_count;) {
        n = mote_hits_cells_find(hits, &scratch->picked.near, n, candidates);
        try_clusters(run);
        for (size_t k = 0; k < candidates->other_count; ++k)
            mote_hits_walk_cell(&run->walk, ray_of(run, number_of(run, candidates->others[k].motion)),
                                candidates->others[k].cell);
    }
}

// Finds the hits of all motions of the block that come near the surface.
static void run_near(block_run *run)
{
    block_scratch *scratch = run->scratch;
    if (!mote_hits_are_points(&run->all->queue)) {
        for (size_t n = 0; n < scratch->picked.near.count; ++n) walk_alone(run, scratch->picked.near.at[n]);
        for (size_t n = 0; n < scratch->picked.march.count; ++n) walk_alone(run, scratch->picked.march.at[n]);
        return;
    }
    try_near(run);
    if (scratch->picked.march.count)
        mote_hits_long_run(&run->walk, &run->all->queue, run->begin, &scratch->picked.march, &scratch->rays,
                           &scratch->of_long);
}

// Computes the hits of motions that have a ray, in their places, and drops those without a hit. Returns the number of
// the block's hits.
static uint32_t settle_rays(const block_run *run)
{
    hits_block_rays *rays = &run->scratch->rays;
    uint32_t count = 0;
    for (uint32_t word = 0; word < HITS_MOTIONS / 64; ++word) {
        uint64_t hit = 0;
        for (uint64_t bits = rays->has_ray[word]; bits; bits &= bits - 1) {
            const uint32_t bit = mote_lowest_bit(bits);
            hits_ray *ray = &rays->rays[rays->ray_of[64 * word + bit]];
            mote_hits_ray_settle(run->all->hits, ray);
            if (ray->triangle != UINT32_MAX) hit |= UINT64_C(1) << bit;
        }
        rays->has_ray[word] = hit;
        count += mote_count_bits(hit | rays->has_first[word]);
    }
    return count;
}

// Prefetches what is read for 64 motions.
MOTE_INLINE void prefetch_firsts(const block_run *run, uint32_t word)
{
    const hits_block_rays *rays = &run->scratch->rays;
    if (word == HITS_MOTIONS / 64) return;
    for (uint64_t bits = rays->has_first[word]; bits; bits &= bits - 1)
        mote_hits_prefetch_certain(run->all->hits, rays->first[64 * word + mote_lowest_bit(bits)]);
}

static void prepare_first(const block_run *run, uint32_t number, size_t place, uint32_t at)
{
    const hits_queue *queue = &run->all->queue;
    const uint32_t particle = (uint32_t)(run->begin + number);
    run->scratch->certain[at] = (hits_certain){run->scratch->rays.first[number], particle, (uint32_t)place, at};
    mote_hits_set_ends(run->all->hits, &queue->from, &queue->to, run->begin + number, run->scratch->ends[at]);
}

// Of a sorted queue: leaves the results of motions whose first triangles are certain for when all are known. Returns
// their number.
static uint32_t leave_firsts(const block_run *run)
{
    const hits_queue *queue = &run->all->queue;
    hits_block_rays *rays = &run->scratch->rays;
    uint32_t *firsts = queue->firsts + run->begin;
    uint32_t count = 0;
    memset(firsts, 0xFF, MOTE_MIN(queue->count - run->begin, (size_t)HITS_MOTIONS) * sizeof *firsts);
    for (uint32_t word = 0; word < HITS_MOTIONS / 64; ++word) {
        count += mote_count_bits(rays->has_first[word]);
        for (uint64_t bits = rays->has_first[word]; bits; bits &= bits - 1) {
            const uint32_t number = 64 * word + mote_lowest_bit(bits);
            firsts[number] = rays->first[number];
            mote_hits_set_mark(run->marks, mote_hits_queue_number(queue, run->begin + number));
        }
        rays->has_first[word] = 0;
    }
    return count;
}

// Appends the hits to the worker's list, in ascending order of particles.
static bool list_hits(const block_run *run, hits_worker *worker, hits_block *block)
{
    const mote_hits *hits = run->all->hits;
    const hits_block_rays *rays = &run->scratch->rays;
    const uint32_t left = run->all->queue.numbers ? leave_firsts(run) : 0, count = settle_rays(run);
    const size_t used = (size_t)block->first, bytes = (used + count) * sizeof(mote_hit);
    if (mote_buffer_reserve(hits->context, &worker->hits, bytes, used * sizeof(mote_hit)) != MOTE_OK) return false;
    mote_hit *found = (mote_hit *)worker->hits.data + used;
    const hits_ends ends = {NULL, run->scratch->ends, found, false};
    size_t place = 0;
    prefetch_firsts(run, 0);
    for (uint32_t word = 0; word < HITS_MOTIONS / 64; ++word) {
        prefetch_firsts(run, word + 1);
        uint32_t waiting = 0;
        for (uint64_t bits = rays->has_ray[word] | rays->has_first[word]; bits; bits &= bits - 1, ++place) {
            const uint32_t bit = mote_lowest_bit(bits), number = 64 * word + bit;
            if (rays->has_ray[word] >> bit & 1)
                mote_hits_ray_result(hits, &rays->rays[rays->ray_of[number]], &found[place]);
            else prepare_first(run, number, place, waiting++);
        }
        hits->motion_lanes->certain_results(hits, &ends, run->scratch->certain, waiting);
    }
    for (size_t h = 0; run->marks && h < count; ++h) mote_hits_set_mark(run->marks, found[h].particle);
    block->count = count;
    worker->counters.hits += count + left;
    worker->hit_count += count;
    worker->left_count += left;
    return true;
}

static void run_block(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    const batch *all = data;
    hits_worker *worker = (hits_worker *)all->hits->workers.data + worker_number;
    block_scratch *scratch = worker->scratch.data;
    hits_block *block = &all->blocks[begin / HITS_MOTIONS];
    *block = (hits_block){worker->hit_count, worker_number, 0};
    uint64_t *marks = all->queue.marks ? mote_hits_queue_marks(&all->queue, worker_number) : NULL;
    block_run run = {all, {all->hits, &worker->counters}, scratch, marks, begin};
    mote_hits_batch_pick(&all->queue, begin, end, &scratch->picked);
    scratch->rays.ray_count = 0;
    memset(scratch->rays.has_ray, 0, sizeof scratch->rays.has_ray);
    memset(scratch->rays.has_first, 0, sizeof scratch->rays.has_first);
    worker->counters.near += scratch->picked.near.count + scratch->picked.march.count;
    run_near(&run);
    if (!list_hits(&run, worker, block)) worker->failed = true;
}

static void copy_hits(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const batch *all = data;
    for (size_t b = begin; b < end; ++b) {
        const hits_block *block = &all->blocks[b];
        const hits_worker *from = (const hits_worker *)all->hits->workers.data + block->worker;
        if (block->count == 0) continue;
        memcpy(all->found + all->starts[b], (const mote_hit *)from->hits.data + block->first,
               block->count * sizeof *all->found);
    }
}

static mote_result check(const mote_hits *hits, const mote_motions *motions, mote_error *error)
{
    mote_result result = mote_points_check(motions->from, "hits: from", error);
    if (result == MOTE_OK) result = mote_points_check(motions->to, "hits: to", error);
    if (result != MOTE_OK) return result;
    if (motions->from.dimensions != 3 || motions->to.dimensions != 3)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: from has %d dimensions, to %d, expected 3",
                         motions->from.dimensions, motions->to.dimensions);
    if (motions->from.count != motions->to.count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: from has %zu points, to %zu, expected as many",
                         motions->from.count, motions->to.count);
    for (size_t i = 0; motions->radii && i < motions->from.count; ++i)
        if (!(motions->radii[i] >= 0) || !isfinite(motions->radii[i] * hits->scale))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "hits: radius of motion %zu is %g, expected 0 or more", i,
                             motions->radii[i]);
    return MOTE_OK;
}

// Prepares workers with empty lists.
static mote_result prepare_workers(mote_hits *hits)
{
    mote_result result = mote_buffer_reserve_workers(hits->context, &hits->workers, sizeof(hits_worker));
    if (result != MOTE_OK) return result;
    hits->worker_count = MOTE_MAX(hits->worker_count, mote_context_worker_count(hits->context));
    hits_worker *workers = hits->workers.data;
    for (uint32_t w = 0; w < hits->worker_count; ++w) {
        workers[w].hit_count = workers[w].left_count = 0;
        workers[w].failed = workers[w].has_marks = false;
        workers[w].counters = (hits_counters){0};
        result = mote_buffer_reserve(hits->context, &workers[w].scratch, sizeof(block_scratch), 0);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

// Sums the workers' counters and hits; false if one of them ran out of memory.
static bool gather_workers(mote_hits *hits, size_t *hit_count)
{
    const hits_worker *workers = hits->workers.data;
    bool done = true;
    for (uint32_t w = 0; w < hits->worker_count; ++w) {
        done &= !workers[w].failed;
        *hit_count += workers[w].hit_count + workers[w].left_count;
        hits->counters.near += workers[w].counters.near;
        hits->counters.nodes += workers[w].counters.nodes;
        hits->counters.clusters += workers[w].counters.clusters;
        hits->counters.triangles += workers[w].counters.triangles;
        hits->counters.hits += workers[w].counters.hits;
    }
    return done;
}

// Joins the blocks' lists in order.
static mote_result join_hits(batch *all, size_t blocks, size_t hit_count)
{
    mote_hits *hits = all->hits;
    mote_result result = mote_buffer_reserve(hits->context, &hits->found, mote_bytes(hit_count, sizeof *all->found), 0);
    if (result != MOTE_OK) return result;
    all->found = hits->found.data;
    for (size_t b = 0; b < blocks; ++b) all->starts[b] = all->blocks[b].count;
    mote_prefix_sum_u64(all->starts, blocks);
    mote_parallel_for(hits->context, blocks, 64, copy_hits, all);
    return result;
}

static mote_result run(batch *all, mote_hit_list *list)
{
    mote_hits *hits = all->hits;
    const size_t most_blocks = mote_block_count(all->queue.count, HITS_MOTIONS);
    mote_result result = prepare_workers(hits);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(hits->context, &hits->lists,
                                     mote_bytes(most_blocks, sizeof(hits_block) + sizeof(uint64_t)), 0);
    hits->counters.motions += all->queue.count;
    if (result == MOTE_OK && mote_hits_is_worth_sorting(&all->queue)) result = mote_hits_sort_queue(&all->queue);
    if (result != MOTE_OK) return result;
    const size_t blocks = mote_block_count(all->queue.count, HITS_MOTIONS);
    all->blocks = hits->lists.data;
    all->starts = (uint64_t *)(all->blocks + most_blocks);
    mote_parallel_for(hits->context, all->queue.count, HITS_MOTIONS, run_block, all);
    size_t hit_count = 0;
    if (!gather_workers(hits, &hit_count)) return MOTE_ERROR_OUT_OF_MEMORY;
    if (all->queue.numbers) {
        result = mote_hits_place_hits(&all->queue, all->blocks, hit_count);
    } else if (hits->worker_count > 1) {
        result = join_hits(all, blocks, hit_count);
    } else {
        // The list of a single worker is already in order.
        const hits_worker *worker = hits->workers.data;
        *list = (mote_hit_list){worker->hits.data, hit_count};
        return MOTE_OK;
    }
    if (result == MOTE_OK) *list = (mote_hit_list){hits->found.data, hit_count};
    return result;
}

mote_result mote_hits_query(mote_hits *hits, const mote_motions *motions, mote_hit_list *list, mote_error *error)
{
    if (!hits || !motions || !list) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "hits: no object, motions or list");
    *list = (mote_hit_list){0};
    mote_result result = check(hits, motions, error);
    if (result != MOTE_OK || motions->from.count == 0 || hits->triangle_count == 0) return result;
    batch all = {.hits = hits,
                 .queue = {.hits = hits, .motions = motions, .from = motions->from, .to = motions->to,
                           .count = motions->from.count}};
    result = run(&all, list);
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "hits: no memory for so many motions");
}
