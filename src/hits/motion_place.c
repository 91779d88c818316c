// SPDX-License-Identifier: MIT
// Puts the hits of sorted motions into the caller's order: a hit's place is the number of particles before it that
// have one.
//
// Where the first triangle is certain, the hit is computed here, in the order in which motions were sorted: triangles
// near one another are read while they are in the cache, and only what is made is written far apart.

#include "hits/motion_batch.h"

enum {
    WORDS_A_BLOCK = 64,
    GROUP = 32,            // hits that are computed together
    AHEAD = 16,            // triangles whose corners are prefetched
    PAST_CACHES = 8 << 20  // bytes of hits from which on they are written past the caches
};

typedef struct hit_places {
    const hits_queue *queue;
    const hits_block *blocks;
    bool past_caches;
} hit_places;

// Joins the workers' bits.
static void count_words(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const hit_places *of = data;
    const hits_queue *queue = of->queue;
    const hits_worker *workers = queue->hits->workers.data;
    uint64_t *bits = queue->marks_of_all;
    memset(bits + begin, 0, (end - begin) * sizeof *bits);
    for (size_t n = 0; n < queue->hits->worker_count; ++n)
        for (size_t w = begin; workers[n].has_marks && w < end; ++w) bits[w] |= queue->marks[n * queue->words + w];
    for (size_t w = begin; w < end; ++w) queue->ranks[w] = mote_count_bits(bits[w]);
}

static inline uint32_t place_of(const hits_queue *queue, uint32_t particle)
{
    const uint64_t before = (UINT64_C(1) << particle % 64) - 1;
    return queue->ranks[particle / 64] + mote_count_bits(queue->marks_of_all[particle / 64] & before);
}

// Places the hits that are known.
static void place_known(const hit_places *of, const hits_block *block)
{
    const hits_worker *workers = of->queue->hits->workers.data;
    const mote_hit *known = (const mote_hit *)workers[block->worker].hits.data + block->first;
    mote_hit *found = of->queue->hits->found.data;
    for (uint32_t h = 0; h < block->count; ++h) found[place_of(of->queue, known[h].particle)] = known[h];
}

static size_t list_firsts(const hit_places *of, size_t begin, hits_certain list[HITS_MOTIONS])
{
    const hits_queue *queue = of->queue;
    const size_t stride = (size_t)queue->from.stride, count = MOTE_MIN(queue->count - begin, (size_t)HITS_MOTIONS);
    const char *numbers = queue->numbers + begin * stride;
    const hits_listing listing = {queue->firsts + begin, count, numbers, stride, queue->marks_of_all, queue->ranks};
    return queue->hits->motion_lanes->list_firsts(queue->hits, &listing, list);
}

MOTE_INLINE void prefetch_first(const hit_places *of, const hits_certain *first)
{
    const mote_hits *hits = of->queue->hits;
    const char *to = (const char *)((const mote_hit *)hits->found.data + first->place);
    mote_hits_prefetch_certain(hits, first->triangle);
    if (of->past_caches) return;
    mote_prefetch(to);
    mote_prefetch(to + 64);
}

static void place_firsts(const hit_places *of, size_t begin)
{
    const hits_queue *queue = of->queue;
    const mote_hits *hits = queue->hits;
    hits_certain list[HITS_MOTIONS];
    double points[GROUP][8];
    hits_ends ends = {NULL, points, hits->found.data, of->past_caches};
    const bool are_records = mote_hits_are_records(queue);
    if (are_records) ends.records = (const float *)queue->from.axis[0] + 8 * begin;
    const size_t count = list_firsts(of, begin, list);
    for (size_t n = 0; n < MOTE_MIN(count, (size_t)AHEAD); ++n) prefetch_first(of, &list[n]);
    for (size_t n = 0; n < count; n += GROUP) {
        const size_t group = MOTE_MIN(count - n, (size_t)GROUP);
        for (size_t k = n; k < n + group; ++k) {
            if (k + AHEAD < count) prefetch_first(of, &list[k + AHEAD]);
            if (are_records) continue;
            mote_hits_set_ends(hits, &queue->from, &queue->to, begin + list[k].at, points[k - n]);
            list[k].at = (uint32_t)(k - n);
        }
        hits->motion_lanes->certain_results(hits, &ends, list + n, group);
    }
}

static void place_blocks(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const hit_places *of = data;
    for (size_t b = begin; b < end; ++b) {
        place_known(of, &of->blocks[b]);
        if (mote_hits_are_points(of->queue)) place_firsts(of, b * HITS_MOTIONS);
    }
}

mote_result mote_hits_place_hits(const hits_queue *queue, const hits_block *blocks, size_t hit_count)
{
    mote_hits *hits = queue->hits;
    const size_t block_count = mote_block_count(queue->count, HITS_MOTIONS);
    mote_result result = mote_buffer_reserve(hits->context, &hits->found, mote_bytes(hit_count, sizeof(mote_hit)), 0);
    if (result != MOTE_OK) return result;
    hit_places of = {.queue = queue, .blocks = blocks};
    of.past_caches = hit_count >= PAST_CACHES / sizeof(mote_hit);
    mote_parallel_for(hits->context, queue->words, WORDS_A_BLOCK, count_words, &of);
    const uint64_t total = mote_prefix_sum_u32(queue->ranks, queue->words);
    MOTE_ASSERT(total == hit_count);
    (void)total;
    mote_parallel_for(hits->context, block_count, 1, place_blocks, &of);
    return MOTE_OK;
}
