// SPDX-License-Identifier: MIT
// hits/motion_batch.h: many motions at a time: loading them, and the order in which they are processed.
#ifndef MOTE_HITS_MOTION_BATCH_H
#define MOTE_HITS_MOTION_BATCH_H

#include "hits/motion_certain.h"
#include "hits/motion_ray.h"

// Motions in the order of processing: the caller's order, or sorted copies of those that may hit something.
typedef struct hits_queue {
    mote_hits *hits;
    const mote_motions *motions;  // the caller's, all of them
    mote_points from, to;         // by place in the queue
    // Of sorted motions, with the byte stride of `from`: the caller's number of each, and behind it the shares between
    // which it may meet something. NULL: motions are in the caller's order.
    const char *numbers;
    // A sorted queue's: by place the triangle that is certain to be hit first, or UINT32_MAX; a bit for each particle
    // that hits something, `words` for each worker and as many for all together; and how many bits are set before each
    // of the latter.
    uint32_t *firsts;
    uint64_t *marks, *marks_of_all;
    uint32_t *ranks;
    size_t words;
    size_t count;
} hits_queue;

// The motions of a block that may hit something, and the columns that they are picked from.
typedef struct hits_picked {
    double columns[6][HITS_ROOM];  // or floats
    uint32_t shares[HITS_ROOM];    // hits_queue_shares of sorted motions
    hits_near_motions near;
    hits_march march;
    hits_march_places places;  // while they are sorted
} hits_picked;

// What is known of a block's motions: rays, and triangles that are certain to be hit first.
typedef struct hits_block_rays {
    uint64_t has_ray[HITS_MOTIONS / 64];  // bit for each of the block's motions
    uint64_t has_first[HITS_MOTIONS / 64];
    uint32_t ray_of[HITS_MOTIONS], first[HITS_MOTIONS];
    hits_ray rays[HITS_MOTIONS];
    size_t ray_count;
} hits_block_rays;

// The hits of a block: a range of its worker's list.
typedef struct hits_block {
    uint64_t first;  // index in the worker's list; later in the final one
    uint32_t worker, count;
} hits_block;

// The shares of a long motion between which it may meet something, in parts of HITS_SHARES.
typedef struct hits_queue_shares {
    uint16_t first, last;
} hits_queue_shares;

// Whether these are records of floats, in memory side by side: six coordinates, the number and the shares.
static inline bool mote_hits_are_records(const hits_queue *queue)
{
    return queue->numbers && queue->from.scalar == MOTE_F32;
}

// Whether the motions are those of points against a mesh at rest.
static inline bool mote_hits_are_points(const hits_queue *queue)
{
    return !queue->hits->ends && !queue->motions->radii;
}

static inline size_t mote_hits_queue_number(const hits_queue *queue, size_t place)
{
    uint32_t number;
    if (!queue->numbers) return place;
    memcpy(&number, queue->numbers + (ptrdiff_t)place * queue->from.stride, sizeof number);
    return number;
}

static inline mote_vec3 mote_hits_queue_point(const mote_points *points, size_t i)
{
    const ptrdiff_t at = (ptrdiff_t)i * points->stride;
    const char *x = (const char *)points->axis[0] + at, *y = (const char *)points->axis[1] + at,
               *z = (const char *)points->axis[2] + at;
    if (points->scalar == MOTE_F64) return mote_vec3_make(mote_load_f64(x), mote_load_f64(y), mote_load_f64(z));
    return mote_vec3_make((double)mote_load_f32(x), (double)mote_load_f32(y), (double)mote_load_f32(z));
}

// The bits that a worker sets for particles; zeroed when it asks for the first time.
static inline uint64_t *mote_hits_queue_marks(const hits_queue *queue, uint32_t worker)
{
    hits_worker *asks = (hits_worker *)queue->hits->workers.data + worker;
    uint64_t *marks = queue->marks + worker * queue->words;
    if (!asks->has_marks) memset(marks, 0, queue->words * sizeof *marks);
    asks->has_marks = true;
    return marks;
}

static inline void mote_hits_set_mark(uint64_t *marks, size_t particle)
{
    marks[particle / 64] |= UINT64_C(1) << particle % 64;
}

// Prefetches what certain_results reads of a triangle. Vertices may lie across two lines.
MOTE_INLINE void mote_hits_prefetch_certain(const mote_hits *hits, uint32_t triangle)
{
    const uint32_t *corner = hits->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        mote_prefetch(&hits->vertices[corner[k]].x);
        mote_prefetch(&hits->vertices[corner[k]].z);
    }
}

// Sets the ends of the motion at a place in `from` and `to`, for hits_ends.
static inline void mote_hits_set_ends(const mote_hits *hits, const mote_points *from, const mote_points *to, size_t at,
                                      double ends[8])
{
    const mote_vec3 begin = mote_vec3_scale(mote_hits_queue_point(from, at), hits->scale);
    const mote_vec3 end = mote_vec3_scale(mote_hits_queue_point(to, at), hits->scale);
    memcpy(ends, &begin, sizeof begin);
    memcpy(ends + 4, &end, sizeof end);
}

// The ray of one of the block's motions, made at the first request; NULL if it cannot hit anything.
// @param begin    the place of the block's first motion in the queue
hits_ray *mote_hits_block_ray(const hits_queue *queue, size_t begin, uint32_t number, hits_block_rays *rays);

// Loads the motions at places begin … end - 1, at most HITS_MOTIONS, and picks those that may hit something.
void mote_hits_batch_pick(const hits_queue *queue, size_t begin, size_t end, hits_picked *picked);

// Whether processing the motions in the order of their positions takes less time. The decision depends only on the
// sizes of the mesh and the batch, and on the motions.
bool mote_hits_is_worth_sorting(const hits_queue *queue);
// Replaces a queue of all motions by copies of those that may hit something, one box of cells after the other. Each
// worker's scratch memory begins with a hits_picked.
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_hits_sort_queue(hits_queue *queue);
// Puts the hits of the queue's blocks, and those of the triangles in queue->firsts, into hits->found, in ascending
// order of particles (motion_place.c).
// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY
mote_result mote_hits_place_hits(const hits_queue *queue, const hits_block *blocks, size_t hit_count);

#endif
