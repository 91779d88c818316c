// Many motions at a time, in blocks: those that come near the surface are picked eight by eight, their clusters and
// triangles are looked at in stages, and what they hit is listed in their order.

#include "hits/first_batch.h"
#include "hits/first_stream.h"

// So many clusters' triangles are looked at before those that are left are met.
enum { FIRST_SIFTED = 512 };

typedef struct batch {
    mote_first_hits *first;
    first_queue queue;
    first_block *blocks;
    uint64_t *starts;  // per block, in the final list
    mote_first_hit *hits;
} batch;

// A worker's scratch memory.
typedef struct block_scratch {
    first_picked picked;
    first_finds finds;
    first_stream stream;
    first_sight sights[FIRST_MOTIONS];            // of near motions, by their places
    uint64_t triangles[FIRST_SIFTED * FIRST_LANES];  // ray << 32 | triangle
    uint64_t has_ray[FIRST_MOTIONS / 64];         // a bit for each of the block's motions
    uint64_t has_sight[FIRST_MOTIONS / 64];       // and for each near one
    uint32_t ray_of[FIRST_MOTIONS];
    first_ray rays[FIRST_MOTIONS];
    size_t ray_count;
} block_scratch;

typedef struct block_run {
    const batch *all;
    first_walk walk;
    block_scratch *scratch;
    size_t begin;  // the block's first motion, by its place
    bool is_long;  // whether motions are those of the trail
} block_run;

static mote_vec3 point_at(const mote_points *points, size_t i)
{
    const ptrdiff_t at = (ptrdiff_t)i * points->stride;
    const char *x = (const char *)points->axis[0] + at, *y = (const char *)points->axis[1] + at,
               *z = (const char *)points->axis[2] + at;
    if (points->scalar == MOTE_F64) return mote_vec3_make(mote_load_f64(x), mote_load_f64(y), mote_load_f64(z));
    return mote_vec3_make((double)mote_load_f32(x), (double)mote_load_f32(y), (double)mote_load_f32(z));
}

// ------------------------------------------------------------------------------------------------------- stages

// The ray of one of the block's motions, made when it is asked for first; NULL if it meets nothing.
static first_ray *ray_of(block_run *run, uint32_t number)
{
    block_scratch *scratch = run->scratch;
    uint64_t *has_ray = &scratch->has_ray[number / 64];
    if (*has_ray >> number % 64 & 1) return &scratch->rays[scratch->ray_of[number]];
    const first_queue *queue = &run->all->queue;
    const size_t place = run->begin + number, particle = mote_first_number(queue, place);
    const mote_motions *motions = queue->motions;
    const double radius = motions->radii ? motions->radii[particle] : 0;
    first_ray *ray = &scratch->rays[scratch->ray_count];
    const int32_t side = motions->sides ? motions->sides[particle] : 0;
    if (!mote_first_begin(run->all->first, point_at(&queue->from, place), point_at(&queue->to, place), radius, side,
                          (uint32_t)particle, ray))
        return NULL;
    *has_ray |= UINT64_C(1) << number % 64;
    scratch->ray_of[number] = (uint32_t)scratch->ray_count++;
    return ray;
}

static void meet_triangles(block_run *run, size_t count)
{
    enum { AHEAD = 6 };
    const mote_first_hits *first = run->all->first;
    const uint64_t *triangles = run->scratch->triangles;
    for (size_t i = 0; i < count; ++i) {
        if (i + 2 * AHEAD < count)
            mote_prefetch(first->triangles + 3 * (size_t)(uint32_t)triangles[i + 2 * AHEAD]);
        if (i + AHEAD < count) {
            const uint32_t *corner = first->triangles + 3 * (size_t)(uint32_t)triangles[i + AHEAD];
            mote_prefetch(first->original + (uint32_t)triangles[i + AHEAD]);
            for (int k = 0; k < 3; ++k) mote_prefetch(first->vertices + corner[k]);
        }
        mote_first_try(&run->walk, &run->scratch->rays[triangles[i] >> 32], (uint32_t)triangles[i]);
    }
}

static uint32_t number_of(const block_run *run, size_t n)
{
    return run->is_long ? run->scratch->picked.trail.at[n] : run->scratch->picked.near.at[n];
}

// What clusters see of motion n: the whole of a short one; of a long one what comes near the surface, and longer at
// both ends by more than rounding.
static void see(block_run *run, size_t n)
{
    const block_scratch *scratch = run->scratch;
    const first_trail *trail = &scratch->picked.trail;
    double begin = 0, end = 1;
    if (run->is_long) {
        const double slack = (double)(trail->per_cell[n] * FIRST_FLOAT_ERROR);
        begin = MOTE_MAX((double)trail->begin[n] - slack, 0.0);
        end = MOTE_MIN((double)trail->last[n] + slack, 1.0);
    }
    const first_ray *ray = ray_of(run, number_of(run, n));
    MOTE_ASSERT(ray);
    mote_first_see(ray, begin, end, &run->scratch->sights[n]);
    run->scratch->sights[n].ray = (uint32_t)(ray - scratch->rays);
}

// Tries the clusters that were found: first by their rounded triangles, then what is left of these.
static void try_clusters(block_run *run)
{
    const mote_first_hits *first = run->all->first;
    block_scratch *scratch = run->scratch;
    const first_finds *finds = &scratch->finds;
    for (size_t i = 0; i < finds->cluster_count; ++i) {
        const size_t motion = finds->clusters[i] >> 32;
        uint64_t *seen = &scratch->has_sight[motion / 64];
        if (!(*seen >> motion % 64 & 1)) see(run, motion);
        *seen |= UINT64_C(1) << motion % 64;
    }
    for (size_t i = 0; i < finds->cluster_count; i += FIRST_SIFTED) {
        const size_t count = MOTE_MIN(finds->cluster_count - i, (size_t)FIRST_SIFTED);
        meet_triangles(run, first->functions->sift(first, scratch->sights, finds->clusters + i, count,
                                                   scratch->triangles));
    }
    run->walk.counters->clusters += finds->cluster_count;
}

static void walk_alone(block_run *run, uint32_t number)
{
    first_ray *ray = ray_of(run, number);
    if (ray) mote_first_walk(&run->walk, ray);
}

// Near motions, or pieces.
static void try_near(block_run *run)
{
    const mote_first_hits *first = run->all->first;
    block_scratch *scratch = run->scratch;
    first_finds *finds = &scratch->finds;
    finds->visit_at = finds->visit_count = 0;
    memset(scratch->has_sight, 0, sizeof scratch->has_sight);
    for (size_t n = 0; n < scratch->picked.near.count || finds->visit_at < finds->visit_count;) {
        n = first->functions->find(&first->grid, &scratch->picked.near, n, finds);
        try_clusters(run);
        for (size_t k = 0; k < finds->other_count; ++k)
            mote_first_walk_cell(&run->walk, ray_of(run, number_of(run, finds->others[k].motion)),
                                 finds->others[k].cell);
    }
}

// What lies behind hits is not looked at.
static void cut_off(block_run *run)
{
    block_scratch *scratch = run->scratch;
    first_stream *stream = &scratch->stream;
    const first_trail *trail = &scratch->picked.trail;
    for (size_t k = 0; k < stream->leaf_count; ++k) {
        const uint32_t i = stream->leaf_of[k], n = (uint32_t)stream->first + i;
        const first_ray *ray = &scratch->rays[scratch->ray_of[trail->at[n]]];
        if (ray->triangle == UINT32_MAX) continue;
        const double begin = (double)trail->begin[n], length = (double)trail->last[n] - begin;
        const double share = (ray->time + ray->time_error - begin) / length + 0x1p-20;
        stream->most[i] = share < 1 ? (float)share : 1;
    }
}

// Some of the trail's motions, step by step down the tree, and all that they reach.
static void run_stream(block_run *run, size_t first_motion)
{
    const mote_first_hits *first = run->all->first;
    block_scratch *scratch = run->scratch;
    first_stream *stream = &scratch->stream;
    first->functions->begin(first, &scratch->picked.trail, first_motion, stream);
    while (stream->active_count) {
        run->walk.counters->nodes += stream->active_count;
        first->functions->step(first->tree, stream);
        for (size_t k = 0; k < stream->leaf_count; ++k)
            scratch->finds.clusters[k] = (uint64_t)(first_motion + stream->leaf_of[k]) << 32 | stream->leaf[k];
        scratch->finds.cluster_count = stream->leaf_count;
        try_clusters(run);
        cut_off(run);
    }
    for (size_t k = 0; k < stream->alone_count; ++k)
        walk_alone(run, scratch->picked.trail.at[first_motion + stream->alone[k]]);
}

// Long motions: up to where they may come near the surface by its distances, from there down the tree.
static void run_long(block_run *run)
{
    const mote_first_hits *first = run->all->first;
    first_trail *trail = &run->scratch->picked.trail;
    run->is_long = true;
    first->functions->set_out(&first->grid, trail);
    for (size_t k = 0; k < trail->alone_count; ++k) walk_alone(run, trail->alone[k]);
    first->functions->advance(&first->grid, trail, &run->scratch->picked.near);
    memset(run->scratch->has_sight, 0, sizeof run->scratch->has_sight);
    for (size_t n = 0; n < trail->count; n += FIRST_STREAM) run_stream(run, n);
}

// All motions of the block that come near the surface.
static void run_near(block_run *run)
{
    block_scratch *scratch = run->scratch;
    if (run->all->first->ends || run->all->queue.motions->radii) {
        for (size_t n = 0; n < scratch->picked.near.count; ++n) walk_alone(run, scratch->picked.near.at[n]);
        for (size_t n = 0; n < scratch->picked.trail.count; ++n) walk_alone(run, scratch->picked.trail.at[n]);
        return;
    }
    try_near(run);
    if (scratch->picked.trail.count) run_long(run);
}

// Appends the rays' hits to the worker's list, ascending by particle.
static bool list_hits(const batch *all, first_worker *worker, block_scratch *scratch, first_block *block)
{
    const size_t used = (size_t)block->first;
    const size_t bytes = (used + scratch->ray_count) * sizeof(mote_first_hit);
    if (mote_buffer_reserve(all->first->context, &worker->hits, bytes, used * sizeof(mote_first_hit)) != MOTE_OK)
        return false;
    mote_first_hit *hits = worker->hits.data;
    for (uint32_t word = 0; word < FIRST_MOTIONS / 64; ++word)
        for (uint64_t bits = scratch->has_ray[word]; bits; bits &= bits - 1) {
            first_ray *ray = &scratch->rays[scratch->ray_of[64 * word + mote_lowest_bit(bits)]];
            mote_first_settle(all->first, ray);
            if (ray->triangle != UINT32_MAX) mote_first_finish(all->first, ray, &hits[used + block->count++]);
        }
    worker->counters.hits += block->count;
    worker->hit_count += block->count;
    return true;
}

static void run_block(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    const batch *all = data;
    first_worker *worker = (first_worker *)all->first->workers.data + worker_number;
    block_scratch *scratch = worker->scratch.data;
    first_block *block = &all->blocks[begin / FIRST_MOTIONS];
    *block = (first_block){worker->hit_count, worker_number, 0};
    block_run run = {all, {all->first, &worker->counters}, scratch, begin, false};
    mote_first_pick(&all->queue, begin, end, &scratch->picked);
    scratch->ray_count = 0;
    memset(scratch->has_ray, 0, sizeof scratch->has_ray);
    worker->counters.near += scratch->picked.near.count + scratch->picked.trail.count;
    run_near(&run);
    if (!list_hits(all, worker, scratch, block)) worker->failed = true;
}

static void copy_hits(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const batch *all = data;
    for (size_t b = begin; b < end; ++b) {
        const first_block *block = &all->blocks[b];
        const first_worker *from = (const first_worker *)all->first->workers.data + block->worker;
        if (block->count == 0) continue;
        memcpy(all->hits + all->starts[b], (const mote_first_hit *)from->hits.data + block->first,
               block->count * sizeof *all->hits);
    }
}

static mote_result check(const mote_first_hits *first, const mote_motions *motions, mote_error *error)
{
    mote_result result = mote_points_check(motions->from, "first hits: from", error);
    if (result == MOTE_OK) result = mote_points_check(motions->to, "first hits: to", error);
    if (result != MOTE_OK) return result;
    if (motions->from.dimensions != 3 || motions->to.dimensions != 3)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: from has %d dimensions, to %d, expected 3",
                         motions->from.dimensions, motions->to.dimensions);
    if (motions->from.count != motions->to.count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: from has %zu points, to %zu, expected as many",
                         motions->from.count, motions->to.count);
    for (size_t i = 0; motions->radii && i < motions->from.count; ++i)
        if (!(motions->radii[i] >= 0) || !isfinite(motions->radii[i] * first->scale))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                             "first hits: radius of motion %zu is %g, expected 0 or more", i, motions->radii[i]);
    return MOTE_OK;
}

// Workers with empty lists.
static mote_result prepare_workers(mote_first_hits *first)
{
    const uint32_t count = mote_context_worker_count(first->context);
    if (count > first->worker_count) {
        const size_t held = first->worker_count * sizeof(first_worker);
        mote_result result = mote_buffer_reserve(first->context, &first->workers, count * sizeof(first_worker), held);
        if (result != MOTE_OK) return result;
        memset((char *)first->workers.data + held, 0, count * sizeof(first_worker) - held);
        first->worker_count = count;
    }
    first_worker *workers = first->workers.data;
    for (uint32_t w = 0; w < first->worker_count; ++w) {
        workers[w].hit_count = 0;
        workers[w].failed = false;
        workers[w].counters = (first_counters){0};
        mote_result result = mote_buffer_reserve(first->context, &workers[w].scratch, sizeof(block_scratch), 0);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

// Adds up what the workers did and found; false if one of them lacked memory.
static bool gather_workers(mote_first_hits *first, size_t *hits)
{
    const first_worker *workers = first->workers.data;
    bool done = true;
    for (uint32_t w = 0; w < first->worker_count; ++w) {
        done &= !workers[w].failed;
        *hits += workers[w].hit_count;
        first->counters.near += workers[w].counters.near;
        first->counters.nodes += workers[w].counters.nodes;
        first->counters.clusters += workers[w].counters.clusters;
        first->counters.triangles += workers[w].counters.triangles;
        first->counters.hits += workers[w].counters.hits;
    }
    return done;
}

// The blocks' lists one after the other.
static mote_result join_hits(batch *all, size_t blocks, size_t hits)
{
    mote_first_hits *first = all->first;
    mote_result result = mote_buffer_reserve(first->context, &first->hits, mote_bytes(hits, sizeof *all->hits), 0);
    if (result != MOTE_OK) return result;
    all->hits = first->hits.data;
    for (size_t b = 0; b < blocks; ++b) all->starts[b] = all->blocks[b].count;
    mote_prefix_sum_u64(all->starts, blocks);
    mote_parallel_for(first->context, blocks, 64, copy_hits, all);
    return result;
}

static mote_result run(batch *all, mote_first_hit_list *list)
{
    mote_first_hits *first = all->first;
    const size_t most_blocks = mote_block_count(all->queue.count, FIRST_MOTIONS);
    mote_result result = prepare_workers(first);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(first->context, &first->lists,
                                     mote_bytes(most_blocks, sizeof(first_block) + sizeof(uint64_t)), 0);
    first->counters.motions += all->queue.count;
    if (result == MOTE_OK && mote_first_is_worth_sorting(&all->queue)) result = mote_first_sort_queue(&all->queue);
    if (result != MOTE_OK) return result;
    const size_t blocks = mote_block_count(all->queue.count, FIRST_MOTIONS);
    all->blocks = first->lists.data;
    all->starts = (uint64_t *)(all->blocks + most_blocks);
    mote_parallel_for(first->context, all->queue.count, FIRST_MOTIONS, run_block, all);
    size_t hits = 0;
    if (!gather_workers(first, &hits)) return MOTE_ERROR_OUT_OF_MEMORY;
    if (all->queue.numbers) {
        result = mote_first_sort_hits(&all->queue, all->blocks, hits);
    } else if (first->worker_count > 1) {
        result = join_hits(all, blocks, hits);
    } else {
        // One worker's list is in order as it is.
        const first_worker *worker = first->workers.data;
        *list = (mote_first_hit_list){worker->hits.data, hits};
        return MOTE_OK;
    }
    if (result == MOTE_OK) *list = (mote_first_hit_list){first->hits.data, hits};
    return result;
}

mote_result mote_first_hits_query(mote_first_hits *first, const mote_motions *motions, mote_first_hit_list *list,
                                  mote_error *error)
{
    if (!first || !motions || !list)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "first hits: no object, motions or list");
    *list = (mote_first_hit_list){0};
    mote_result result = check(first, motions, error);
    if (result != MOTE_OK || motions->from.count == 0 || first->triangle_count == 0) return result;
    batch all = {.first = first, .queue = {first, motions, motions->from, motions->to, NULL, motions->from.count}};
    result = run(&all, list);
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "first hits: no memory for so many motions");
}

// ------------------------------------------------------------------------------------------------------ one alone

bool mote_first_one(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, double radius, int side, double begin,
                    mote_first_hit *hit)
{
    first_counters counters = {0};
    const first_walk walk = {first, &counters};
    first_ray ray;
    if (!mote_first_begin(first, from, to, radius, side, 0, &ray)) return false;
    ray.begin = begin;
    mote_first_walk(&walk, &ray);
    mote_first_settle(first, &ray);
    if (ray.triangle == UINT32_MAX) return false;
    mote_first_finish(first, &ray, hit);
    return true;
}

bool mote_first_hits_segment(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, int side, mote_first_hit *hit)
{
    return first && hit && mote_first_one(first, from, to, 0, side, 0, hit);
}

bool mote_first_hits_sphere(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, double radius,
                            mote_first_hit *hit)
{
    return first && hit && mote_first_one(first, from, to, radius, 0, 0, hit);
}
