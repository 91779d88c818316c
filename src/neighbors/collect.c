// SPDX-License-Identifier: MIT
// Rows that are collected one candidate at a time.

#include "neighbors/collect.h"

#include <math.h>

enum {
    ROOM_AT_FIRST = 256,  // neighbours
    ROWS = 64             // rows of a block of work
};

static size_t entry_size(const row_collector *collector)
{
    return collector->is_plain ? sizeof(uint32_t) : sizeof(row_hit);
}

static bool attach(row_collector *collector, size_t room)
{
    mote_buffer *buffer = &collector->writer->hits;
    size_t keep = collector->count * entry_size(collector);
    if (mote_buffer_reserve(collector->search->context, buffer, mote_bytes(room, entry_size(collector)), keep) !=
        MOTE_OK) {
        atomic_store(&collector->writer->sink->out_of_memory, true);
        collector->failed = true;
        return false;
    }
    collector->room = buffer->bytes / entry_size(collector);
    collector->row = buffer->data;
    collector->hits = buffer->data;
    return true;
}

bool mote_collect_grow(row_collector *collector)
{
    return !collector->failed && attach(collector, 2 * collector->room);
}

bool mote_collect_begin(row_collector *collector, const mote_neighbors *search, const row_query *query,
                        row_writer *writer)
{
    const point_store *points = &search->points;
    collector->search = search;
    collector->writer = writer;
    collector->query = *query;
    collector->is_plain = search->is_plain;
    collector->half = mote_search_has(search, MOTE_NEIGHBORS_HALF) && query->self != UINT32_MAX;
    bool alike = !mote_search_has(search, MOTE_NEIGHBORS_RADII) || search->def.radius_rule == MOTE_RADIUS_MINE;
    collector->reach_squared = alike ? mote_limit_squared(search, query->radius) : (double)NAN;
    collector->failed = false;
    for (int k = 0; k < 3; ++k) collector->point[k] = (float)query->at[k];
    collector->x = points->f32[0], collector->y = points->f32[1], collector->z = points->f32[2];
    collector->count = 0;
    collector->candidates = 0;
    return attach(collector, ROOM_AT_FIRST);
}

bool mote_collect_end(row_collector *collector)
{
    row_writer *writer = collector->writer;
    writer->candidates += collector->candidates;
    if (collector->failed) return false;
    if (!collector->is_plain) {
        mote_row_write_hits(writer, collector->query.row, collector->hits, collector->count, 0);
        return true;
    }
    writer->in_scratch = true;
    mote_row_end(writer, collector->query.row, collector->row, (uint32_t)collector->count);
    return true;
}

void mote_collect_image(row_collector *collector, uint32_t j, const int32_t shift[3], const double vector[3])
{
    const mote_neighbors *search = collector->search;
    collector->candidates += 1;
    if (!mote_keeps_pair(collector->half, collector->query.self, j, shift)) return;
    row_hit hit = {.index = j};
    double at[3], limit = collector->reach_squared;
    mote_point_store_get(&search->points, j, at);
    hit.squared = mote_difference(search->scalar, collector->query.at, at, vector, hit.d);
    if (limit != limit) {
        double other = mote_point_store_radius(&search->points, j);
        limit = mote_limit_squared(search, mote_pair_reach(search, collector->query.radius, other));
    }
    if (!(hit.squared <= limit)) return;
    if (shift)
        for (int k = 0; k < 3; ++k) hit.shift[k] = shift[k];
    if (collector->count == collector->room && !mote_collect_grow(collector)) return;
    collector->hits[collector->count++] = hit;
}

void mote_collect_general(row_collector *collector, uint32_t j)
{
    mote_collect_image(collector, j, NULL, NULL);
}

// The state that passes the images of a walk's point to its collector.
typedef struct pair_walk {
    image_walk images;
    row_collector *collector;
    uint32_t j;
} pair_walk;

static bool collect_image(image_walk *images, const int32_t shift[3], const double vector[3])
{
    const pair_walk *walk = images->data;
    mote_collect_image(walk->collector, walk->j, shift, vector);
    return !walk->collector->failed;
}

// `points`: NULL: all of them.
static void collect_images(const mote_neighbors *search, row_collector *collector, const uint32_t *points, size_t count)
{
    const row_query *query = &collector->query;
    const bool has_radii = search->points.max_radius > 0;
    pair_walk walk = {.images = {.box = &search->box, .scalar = search->scalar, .visitor = collect_image},
                      .collector = collector};
    walk.images.data = &walk;
    for (int k = 0; k < 3; ++k) walk.images.xi[k] = query->at[k];
    for (size_t n = 0; n < count && !collector->failed; ++n) {
        walk.j = points ? points[n] : (uint32_t)n;
        const double other = has_radii ? mote_point_store_radius(&search->points, walk.j) : 0;
        mote_point_store_get(&search->points, walk.j, walk.images.xj);
        walk.images.limit = mote_limit_squared(search, mote_pair_reach(search, query->radius, other));
        mote_images_walk(&walk.images);
    }
}

void mote_collect_images(const mote_neighbors *search, row_collector *collector)
{
    collect_images(search, collector, NULL, search->count);
}

void mote_collect_images_of(const mote_neighbors *search, row_collector *collector, const uint32_t *points,
                            size_t count)
{
    collect_images(search, collector, points, count);
}

typedef struct candidates_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
    const uint32_t *order;  // NULL: by index
} candidates_task;

static void find_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const candidates_task *task = data;
    for (size_t k = begin; k < end; ++k) {
        size_t row = task->order ? task->order[k] : k;
        row_query query = mote_request_get(task->search, task->request, row);
        row_collector collector;
        if (!mote_collect_begin(&collector, task->search, &query, task->writers + worker)) return;
        task->search->method->candidates(task->search, &collector);
        if (!mote_collect_end(&collector)) return;
    }
}

bool mote_request_is_whole(const mote_neighbors *search, const row_request *request)
{
    return !request->queries && !request->subset && request->count == search->count;
}

void mote_rows_in_order(mote_neighbors *search, const row_request *request, row_writer *writers, const uint32_t *order)
{
    candidates_task task = {search, request, writers, mote_request_is_whole(search, request) ? order : NULL};
    mote_parallel_for(search->context, request->count, ROWS, find_block, &task);
}

void mote_rows_by_candidates(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    mote_rows_in_order(search, request, writers, NULL);
}
