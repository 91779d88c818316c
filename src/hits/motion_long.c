// SPDX-License-Identifier: MIT
// Long motions of points: they go down the tree together (motion_stream.c), and the triangles of the clusters that they
// reach are tested in float, with a bound of the error.
//
// Most triangles are certain to be missed, or to be hit between two shares of the motion. A motion whose first hit is
// certain, and certain to come before all others, needs no exact test here: it keeps the triangle, and its hit is
// computed when hits are listed. All others keep a ray, and all that they may hit first is tested exactly.

#include "hits/motion_long.h"

// So many motions of an octant are worth a root of their own: an estimate, as a root opens some ten nodes and saves
// each motion about two.
enum { WORTH_ROOT = 8 };
// Added to shares behind which boxes are skipped, for the rounding of shares.
#define SHARE_SLACK 0x1p-20f

typedef struct long_run {
    const hits_walk *walk;
    const hits_queue *queue;
    size_t begin;
    hits_block_rays *rays;
    hits_long *scratch;
} long_run;

static void set_line(const long_run *run, size_t i)
{
    const mote_hits *hits = run->queue->hits;
    hits_stream *stream = &run->scratch->stream;
    const size_t place = run->begin + stream->motion[i].way.number;
    const mote_vec3 a = mote_hits_queue_point(&run->queue->from, place);
    const mote_vec3 b = mote_hits_queue_point(&run->queue->to, place);
    const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
    hits_line *line = &stream->line[i];
    line->farthest = line->longest = 0;
    for (int k = 0; k < 3; ++k) {
        line->from[k] = (float)(from[k] * hits->scale - hits->tree->origin[k]);
        line->way[k] = (float)((to[k] - from[k]) * hits->scale);
        line->farthest = MOTE_MAX(line->farthest, fabsf(line->from[k]) + mote_hits_tree_half(hits, k));
        line->longest = MOTE_MAX(line->longest, fabsf(line->way[k]));
    }
}

// Prefetches what set_line reads.
MOTE_INLINE void prefetch_motions(const long_run *run)
{
    const hits_stream *stream = &run->scratch->stream;
    const mote_points *from = &run->queue->from, *to = &run->queue->to;
    for (size_t i = 0; i < stream->count; ++i) {
        const ptrdiff_t place = (ptrdiff_t)(run->begin + stream->motion[i].way.number);
        mote_prefetch((const char *)from->axis[0] + place * from->stride);
        mote_prefetch((const char *)to->axis[0] + place * to->stride);
    }
}

// Sorted motions in float have a layout that is known.
static void set_lines(const long_run *run)
{
    hits_stream *stream = &run->scratch->stream;
    const mote_points *from = &run->queue->from;
    if (mote_hits_are_records(run->queue)) {
        const char *records = (const char *)from->axis[0] + (ptrdiff_t)run->begin * from->stride;
        MOTE_ASSERT(from->stride == 8 * sizeof(float));
        run->queue->hits->motion_lanes->make_lines(run->queue->hits, (const float *)(const void *)records, stream);
        return;
    }
    prefetch_motions(run);
    for (size_t i = 0; i < stream->count; ++i) set_line(run, i);
}

static void set_last(const long_run *run, size_t i, float last)
{
    hits_stream *stream = &run->scratch->stream;
    hits_way *way = &stream->motion[i].way;
    stream->last[i] = last;
    way->most = MOTE_MIN(last + SHARE_SLACK, way->most);
    stream->cut |= UINT64_C(1) << i;
}

// Tests a triangle exactly, and the one that was certain to be hit before it.
static void test_exactly(const long_run *run, size_t i, uint32_t triangle)
{
    hits_way *way = &run->scratch->stream.motion[i].way;
    hits_ray *ray = mote_hits_block_ray(run->queue, run->begin, way->number, run->rays);
    MOTE_ASSERT(ray);
    way->is_exact = true;
    way->least = -HUGE_VALF;
    if (way->triangle != UINT32_MAX) mote_hits_test_triangle(run->walk, ray, way->triangle);
    way->triangle = UINT32_MAX;
    mote_hits_test_triangle(run->walk, ray, triangle);
    if (ray->triangle != UINT32_MAX) set_last(run, i, (float)(ray->time + ray->time_error) + SHARE_SLACK);
}

// Tests the clusters that motions have reached.
static void test_leaves(const long_run *run)
{
    hits_long *scratch = run->scratch;
    hits_stream *stream = &scratch->stream;
    const hits_stream_candidates *found = &scratch->candidates;
    const mote_hits *hits = run->queue->hits;
    for (size_t k = 0; k < HITS_STREAM_AFTER; ++k) {
        stream->leaf[stream->leaf_count + k] = stream->leaf[stream->leaf_count - 1];
        stream->leaf_of[stream->leaf_count + k] = stream->leaf_of[stream->leaf_count - 1];
    }
    for (size_t n = 0; n < stream->leaf_count; n += HITS_STREAM_FILTERED) {
        const size_t end = MOTE_MIN(stream->leaf_count, n + HITS_STREAM_FILTERED);
        const size_t candidates = hits->motion_lanes->filter_leaves(hits, stream, n, end, &scratch->candidates);
        for (size_t c = 0; c < candidates; ++c) {
            const uint32_t lane = found->lane[c];
            const size_t leaf = n + lane / HITS_LANES, i = stream->leaf_of[leaf];
            const uint32_t triangle = stream->leaf[leaf] * HITS_LANES + lane % HITS_LANES;
            hits_way *way = &stream->motion[i].way;
            if (found->least[lane] > stream->last[i]) continue;
            if (!(found->last[lane] < way->least)) {
                test_exactly(run, i, triangle);
                continue;
            }
            way->triangle = triangle;
            way->least = found->least[lane];
            set_last(run, i, found->last[lane]);
            run->walk->counters->triangles++;
        }
    }
    if (stream->cut) hits->motion_lanes->cut_stream(stream);
    run->walk->counters->clusters += stream->leaf_count;
}

static void walk_alone(const long_run *run, uint32_t number)
{
    hits_ray *ray = mote_hits_block_ray(run->queue, run->begin, number, run->rays);
    if (ray) mote_hits_walk(run->walk, ray);
}

void mote_hits_stream_begin(const hits_march *march, const hits_ways *ways, size_t begin, size_t count,
                            uint32_t octant, hits_stream *stream)
{
    enum { AHEAD = 8 };
    stream->octant = octant;
    stream->count = stream->active_count = count;
    stream->cut = 0;
    stream->alone_count = stream->leaf_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t place = ways->sorted[begin + i];
        if (i + AHEAD < count) mote_prefetch(&ways->of[ways->sorted[begin + i + AHEAD]]);
        hits_stream_motion *motion = &stream->motion[i];
        motion->way = ways->of[place];
        motion->way.number = (uint16_t)march->at[place];
        motion->way.count = 1;
        motion->way.least = stream->last[i] = HUGE_VALF;
        motion->way.triangle = UINT32_MAX;
        motion->way.is_exact = false;
        motion->node[0] = HITS_TREE_NODE;
        motion->enters[0] = 0;
        stream->active[i] = (uint16_t)i;
    }
}

// Finds the hits of a stream's motions.
static void run_stream(const long_run *run)
{
    const mote_hits *hits = run->queue->hits;
    hits_stream *stream = &run->scratch->stream;
    set_lines(run);
    if (run->scratch->has_root) {
        run->walk->counters->nodes += stream->count;
        hits->motion_lanes->enter_stream(&run->scratch->root, stream);
        if (stream->leaf_count) test_leaves(run);
    }
    while (stream->active_count) {
        run->walk->counters->nodes += stream->active_count;
        hits->motion_lanes->step_stream(hits->tree, stream);
        if (stream->leaf_count) test_leaves(run);
    }
    for (size_t k = 0; k < stream->alone_count; ++k) stream->motion[stream->alone[k]].way.triangle = UINT32_MAX;
    for (size_t k = 0; k < stream->alone_count; ++k) walk_alone(run, stream->motion[stream->alone[k]].way.number);
    for (size_t i = 0; i < stream->count; ++i) {
        const hits_way *way = &stream->motion[i].way;
        if (way->triangle == UINT32_MAX) continue;
        mote_prefetch(hits->triangles + 3 * (size_t)way->triangle);
        mote_prefetch(hits->original + way->triangle);
        run->rays->has_first[way->number / 64] |= UINT64_C(1) << way->number % 64;
        run->rays->first[way->number] = way->triangle;
    }
}

static void make_root(const long_run *run, uint32_t octant)
{
    const mote_hits *hits = run->queue->hits;
    const hits_box box = mote_hits_ways_box(&run->scratch->ways, octant);
    run->walk->counters->nodes += hits->motion_lanes->make_root(hits->tree, &box, octant, &run->scratch->root);
}

void mote_hits_long_run(const hits_walk *walk, const hits_queue *queue, size_t begin, hits_march *march,
                        hits_block_rays *rays, hits_long *scratch)
{
    const long_run run = {walk, queue, begin, rays, scratch};
    const hits_ways *ways = &scratch->ways;
    queue->hits->motion_lanes->place_stream(queue->hits, march, &scratch->ways);
    for (size_t k = 0; k < march->alone_count; ++k) walk_alone(&run, march->alone[k]);
    for (uint32_t octant = 0; octant < HITS_OCTANTS; ++octant) {
        scratch->has_root = ways->first[octant + 1] - ways->first[octant] >= WORTH_ROOT;
        if (scratch->has_root) make_root(&run, octant);
        for (size_t i = ways->first[octant]; i < ways->first[octant + 1]; i += HITS_STREAM) {
            const size_t count = MOTE_MIN(ways->first[octant + 1] - i, (size_t)HITS_STREAM);
            mote_hits_stream_begin(march, ways, i, count, octant, &scratch->stream);
            run_stream(&run);
        }
    }
}
