// SPDX-License-Identifier: MIT
// Long motions of points: they go down the tree together (motion_stream.c), and the triangles of the clusters that they
// reach are tested in float, with a bound of the error.
//
// Most triangles are certain to be missed, or to be hit between two shares of the motion. A motion whose first hit is
// certain, and certain to come before all others, needs no exact test here: it keeps the triangle, and its hit is
// computed when hits are listed. All others keep a ray, and all that they may hit first is tested exactly.

#include "hits/motion_long.h"

// Added to shares behind which boxes are skipped, for the rounding of shares.
#define SHARE_SLACK 0x1p-20f

typedef struct long_run {
    const hits_walk *walk;
    const hits_queue *queue;
    size_t begin;
    hits_block_rays *rays;
    hits_long *scratch;
    float half[3];  // of the tree's box
} long_run;

static void set_line(const long_run *run, size_t i)
{
    const mote_hits *hits = run->queue->hits;
    hits_way *way = &run->scratch->stream.ways[i];
    const mote_vec3 a = mote_hits_queue_point(&run->queue->from, run->begin + way->number);
    const mote_vec3 b = mote_hits_queue_point(&run->queue->to, run->begin + way->number);
    const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
    hits_line *line = &run->scratch->lines[i];
    float farthest = 0, longest = 0;
    for (int k = 0; k < 3; ++k) {
        line->from[k] = (float)(from[k] * hits->scale - hits->tree->origin[k]);
        line->way[k] = (float)((to[k] - from[k]) * hits->scale);
        farthest = MOTE_MAX(farthest, fabsf(line->from[k]) + run->half[k]);
        longest = MOTE_MAX(longest, fabsf(line->way[k]));
    }
    line->farthest = farthest;
    line->longest = longest;
    way->has_line = true;
}

// Drops the nodes on a motion's stack that it enters behind its first hit.
static void cut_stack(hits_stream *stream, size_t i)
{
    hits_way *way = &stream->ways[i];
    hits_stream_stack *stack = &stream->stack[i];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < way->count; ++k) {
        stack->node[kept] = stack->node[k];
        stack->enters[kept] = stack->enters[k];
        kept += stack->enters[k] <= way->most;
    }
    way->count = kept;
}

static void set_last(const long_run *run, size_t i, float last)
{
    hits_way *way = &run->scratch->stream.ways[i];
    way->last = last;
    way->most = MOTE_MIN(last + SHARE_SLACK, way->most);
    cut_stack(&run->scratch->stream, i);
}

// Tests a triangle exactly, and the one that was certain to be hit before it.
static void test_exactly(const long_run *run, size_t i, uint32_t triangle)
{
    hits_way *way = &run->scratch->stream.ways[i];
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
    for (size_t n = 0; n < stream->leaf_count; ++n) {
        const hits_faces *faces = &hits->tree->faces[stream->leaf[n]];
        for (size_t line = 0; line < sizeof *faces; line += 64) mote_prefetch((const char *)faces + line);
        if (!stream->ways[stream->leaf_of[n]].has_line) set_line(run, stream->leaf_of[n]);
    }
    for (size_t n = 0; n < stream->leaf_count; n += HITS_STREAM_FILTERED) {
        const size_t count = MOTE_MIN(stream->leaf_count - n, (size_t)HITS_STREAM_FILTERED);
        const size_t candidates = hits->motion_lanes->filter_leaves(
            hits, scratch->lines, stream->ways, stream->leaf + n, stream->leaf_of + n, count, &scratch->candidates);
        for (size_t c = 0; c < candidates; ++c) {
            hits_way *way = &stream->ways[found->of[c]];
            if (found->least[c] > way->last) continue;
            if (!(found->last[c] < way->least)) {
                test_exactly(run, found->of[c], found->triangle[c]);
                continue;
            }
            way->triangle = found->triangle[c];
            way->least = found->least[c];
            set_last(run, found->of[c], found->last[c]);
            run->walk->counters->triangles++;
        }
    }
    run->walk->counters->clusters += stream->leaf_count;
}

static void walk_alone(const long_run *run, uint32_t number)
{
    hits_ray *ray = mote_hits_block_ray(run->queue, run->begin, number, run->rays);
    if (ray) mote_hits_walk(run->walk, ray);
}

// Prefetches what set_line reads.
static void prefetch_motions(const long_run *run)
{
    const hits_stream *stream = &run->scratch->stream;
    const mote_points *from = &run->queue->from, *to = &run->queue->to;
    for (size_t i = 0; i < stream->count; ++i) {
        const ptrdiff_t place = (ptrdiff_t)(run->begin + stream->ways[i].number);
        mote_prefetch((const char *)from->axis[0] + place * from->stride);
        mote_prefetch((const char *)to->axis[0] + place * to->stride);
    }
}

// Finds the hits of some motions of an octant.
static void run_stream(const long_run *run)
{
    const mote_hits *hits = run->queue->hits;
    hits_stream *stream = &run->scratch->stream;
    prefetch_motions(run);
    hits->motion_lanes->begin_stream(hits->tree, stream);
    run->walk->counters->nodes += stream->node_count;
    while (stream->active_count) {
        run->walk->counters->nodes += stream->active_count;
        hits->motion_lanes->step_stream(hits->tree, stream);
        if (stream->leaf_count) test_leaves(run);
    }
    for (size_t k = 0; k < stream->alone_count; ++k) stream->ways[stream->alone[k]].triangle = UINT32_MAX;
    for (size_t k = 0; k < stream->alone_count; ++k) walk_alone(run, stream->ways[stream->alone[k]].number);
    for (size_t i = 0; i < stream->count; ++i) {
        const hits_way *way = &stream->ways[i];
        if (way->triangle == UINT32_MAX) continue;
        mote_prefetch(hits->triangles + 3 * (size_t)way->triangle);
        mote_prefetch(hits->original + way->triangle);
        run->rays->has_first[way->number / 64] |= UINT64_C(1) << way->number % 64;
        run->rays->first[way->number] = way->triangle;
    }
}

void mote_hits_long_run(const hits_walk *walk, const hits_queue *queue, size_t begin, hits_march *march,
                        hits_block_rays *rays, hits_long *scratch)
{
    long_run run = {walk, queue, begin, rays, scratch, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) run.half[k] = (float)(queue->hits->tree->half[k] * (1 + 0x1p-20));
    hits_ways *ways = &scratch->ways;
    queue->hits->motion_lanes->place_stream(queue->hits, march, ways);
    for (size_t k = 0; k < march->alone_count; ++k) walk_alone(&run, march->alone[k]);
    for (uint32_t octant = 0; octant < HITS_OCTANTS; ++octant)
        for (size_t i = ways->first[octant]; i < ways->first[octant + 1]; i += HITS_STREAM) {
            scratch->stream.ways = ways->of + i;
            scratch->stream.octant = octant;
            scratch->stream.count = MOTE_MIN(ways->first[octant + 1] - i, (size_t)HITS_STREAM);
            run_stream(&run);
        }
}
