// SPDX-License-Identifier: MIT
// The k nearest hits so far, and the simple way to find them, which tests every point.
//
// In a periodic box a point has too many images to test all of them. First, the images nearest to the query, taken
// over all points, give an upper bound of the k-th distance. Then the images of each point within this bound are
// visited (images.c), ordered by index and shift, so that among hits at the same distance the first ones are kept.

#include "neighbors/best.h"

#include <math.h>

enum { ROOM_AT_FIRST = 32 };

// -------------------------------------------------------------------------------------------------------- the heap

static bool grow(best_hits *best, size_t room)
{
    mote_buffer *buffer = &best->writer->hits;
    size_t bytes = mote_bytes(MOTE_MIN(room, best->wanted), sizeof(row_hit));
    if (mote_buffer_reserve(best->search->context, buffer, bytes, best->count * sizeof(row_hit)) != MOTE_OK) {
        atomic_store(&best->writer->sink->out_of_memory, true);
        best->failed = true;
        return false;
    }
    best->hits = buffer->data;
    best->room = buffer->bytes / sizeof(row_hit);
    return true;
}

bool mote_best_begin(best_hits *best, const mote_neighbors *search, row_writer *writer, size_t wanted)
{
    *best = (best_hits){.search = search, .writer = writer, .wanted = wanted};
    best->limit = (double)INFINITY;
    best->last = UINT32_MAX;
    return grow(best, ROOM_AT_FIRST);
}

#define SORT_TYPE row_hit
#define SORT_BEFORE(data, a, b) mote_hit_is_nearer(&(a), &(b))
#define SORT_NAME(verb) hits_##verb
#include "base/sorts.inl"

void mote_best_add(best_hits *best, const row_hit *hit)
{
    if (hit->squared != hit->squared) return;
    if (best->count < best->wanted) {
        if (best->count == best->room && !grow(best, 2 * best->room)) return;
        hits_sift_up(NULL, best->hits, best->count++, *hit);
        if (best->count < best->wanted) return;
    } else if (mote_hit_is_nearer(hit, best->hits)) {
        hits_sift_down(NULL, best->hits, best->count, 0, *hit);
    }
    best->limit = best->hits[0].squared;
    best->last = best->hits[0].index;
}

const row_hit *mote_best_sorted(best_hits *best)
{
    hits_unheap(NULL, best->hits, best->count);
    return best->hits;
}

bool mote_best_end(best_hits *best, uint32_t row)
{
    if (best->failed) return false;
    mote_best_sorted(best);
    row_hit *hits = best->hits;
    if (!best->search->is_plain || best->writer->sink->ascending) {
        mote_row_write_hits(best->writer, row, hits, best->count, (uint32_t)best->wanted);
        return true;
    }
    uint32_t *indices = mote_row_begin(best->writer, best->count);
    if (!indices) return false;
    for (size_t k = 0; k < best->count; ++k) indices[k] = hits[k].index;
    mote_row_end(best->writer, row, indices, (uint32_t)best->count);
    return true;
}

// ------------------------------------------------------------------------------------------------------ every point

// The state while the images of point `index` are visited.
typedef struct best_walk {
    image_walk images;
    best_hits *best;
    const row_query *query;
    uint32_t index;
    double bound;  // upper bound of the squared distance of the k-th hit
} best_walk;

// Returns the largest number of the scalar type below x, which is not negative, or −1 if x is 0.
static double below(double x, mote_scalar scalar)
{
    if (!(x > 0)) return -1;
    return scalar == MOTE_F32 ? (double)nextafterf((float)x, -1) : nextafter(x, -1);
}

// Returns the squared distance up to which images after `shift`, or after all earlier points (NULL), are needed.
static double limit_behind(const best_walk *walk, const int32_t shift[3])
{
    const best_hits *best = walk->best;
    if (best->count < best->wanted) return walk->bound;
    const row_hit *worst = best->hits;
    bool ties_come_first = walk->index < worst->index;
    if (walk->index == worst->index) ties_come_first = shift && mote_shift_is_less(shift, worst->shift);
    return ties_come_first ? worst->squared : below(worst->squared, walk->images.scalar);
}

static void test_image(const best_walk *walk, const int32_t shift[3], const double vector[3])
{
    row_hit hit = {.index = walk->index, .shift = {shift[0], shift[1], shift[2]}};
    if (!mote_keeps_pair(false, walk->query->self, walk->index, shift)) return;
    hit.squared = mote_difference(walk->images.scalar, walk->images.xi, walk->images.xj, vector, hit.d);
    walk->best->writer->candidates += 1;
    mote_best_add(walk->best, &hit);
}

static bool visit_image(image_walk *images, const int32_t shift[3], const double vector[3])
{
    const best_walk *walk = images->data;
    test_image(walk, shift, vector);
    images->limit = limit_behind(walk, shift);
    return !walk->best->failed && images->limit >= 0;
}

// Tests the images of a point near the query, up to `around` periods to either side.
static void test_next_images(const best_walk *walk, double around)
{
    const periodic_box *box = walk->images.box;
    double d[3], fraction[3];
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) d[k] = walk->images.xj[k] - walk->images.xi[k];
    mote_periodic_fractions_of_any(box, d, fraction);
    for (int a = 0; a < 3; ++a) {
        const double middle = fmin(fmax(-floor(fraction[a] + 0.5), -0x1p30), 0x1p30);
        if (box->periodic[a]) mote_image_range_set(&range, a, middle - around, middle + around);
    }
    int32_t k[3];
    for (k[0] = range.low[0]; k[0] <= range.high[0]; ++k[0])
        for (k[1] = range.low[1]; k[1] <= range.high[1]; ++k[1])
            for (k[2] = range.low[2]; k[2] <= range.high[2]; ++k[2]) {
                double vector[3];
                mote_periodic_vector(box, k, walk->images.scalar, vector);
                test_image(walk, k, vector);
            }
}

// Returns the number of periods to either side that gives enough images of any single point.
static double find_around(const best_hits *best, const periodic_box *box)
{
    for (double around = 0;; around += 1) {
        double images = 1;
        for (int a = 0; a < 3; ++a) images *= box->periodic[a] ? 2 * around + 1 : 1;
        if (images > (double)best->wanted) return around;
    }
}

void mote_best_of_all(best_hits *best, const row_query *query)
{
    const mote_neighbors *search = best->search;
    const bool is_periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC) && mote_box_is_periodic(&search->box);
    best_walk walk = {.images = {.box = &search->box, .scalar = search->scalar, .visitor = visit_image},
                      .best = best,
                      .query = query,
                      .bound = (double)INFINITY};
    if (search->count == 0) return;
    for (int k = 0; k < 3; ++k) walk.images.xi[k] = query->at[k];
    const double around = is_periodic ? find_around(best, &search->box) : 0;
    for (walk.index = 0; walk.index < search->count && !best->failed; ++walk.index) {
        mote_point_store_get(&search->points, walk.index, walk.images.xj);
        test_next_images(&walk, around);
    }
    if (!is_periodic || best->failed) return;
    if (best->count == best->wanted) walk.bound = best->limit;
    best->count = 0;
    walk.images.data = &walk;
    for (walk.index = 0; walk.index < search->count && !best->failed; ++walk.index) {
        mote_point_store_get(&search->points, walk.index, walk.images.xj);
        walk.images.limit = limit_behind(&walk, NULL);
        mote_images_walk(&walk.images);
    }
}

void mote_best_of_points(best_hits *best, const row_query *query, const uint32_t *points, size_t count)
{
    const mote_neighbors *search = best->search;
    best_walk walk = {.images = {.box = &search->box, .scalar = search->scalar, .visitor = visit_image},
                      .best = best,
                      .query = query,
                      .bound = best->limit};
    MOTE_ASSERT(best->failed || best->count == best->wanted);
    walk.images.data = &walk;
    for (int k = 0; k < 3; ++k) walk.images.xi[k] = query->at[k];
    for (size_t n = 0; n < count && !best->failed; ++n) {
        walk.index = points[n];
        mote_point_store_get(&search->points, walk.index, walk.images.xj);
        walk.images.limit = limit_behind(&walk, NULL);
        mote_images_walk(&walk.images);
    }
}

// A walk that ends at the first image within its limit.
typedef struct any_walk {
    image_walk images;
    bool has_any;
} any_walk;

static bool find_any(image_walk *images, const int32_t shift[3], const double vector[3])
{
    any_walk *walk = images->data;
    double d[3];
    (void)shift;
    walk->has_any = mote_difference(images->scalar, images->xi, images->xj, vector, d) <= images->limit;
    return !walk->has_any;
}

bool mote_best_has_any(const mote_neighbors *search, const row_query *query, const uint32_t *points, size_t count,
                       double limit)
{
    any_walk walk = {.images = {.box = &search->box, .scalar = search->scalar, .limit = limit, .visitor = find_any}};
    walk.images.data = &walk;
    for (int k = 0; k < 3; ++k) walk.images.xi[k] = query->at[k];
    for (size_t n = 0; n < count && !walk.has_any; ++n) {
        if (points[n] == query->self) continue;
        mote_point_store_get(&search->points, points[n], walk.images.xj);
        mote_images_walk(&walk.images);
    }
    return walk.has_any;
}
