// SPDX-License-Identifier: MIT
// neighbors/collect.h: a row that is being collected: each candidate is tested, and kept if it is a neighbour.
#ifndef MOTE_NEIGHBORS_COLLECT_H
#define MOTE_NEIGHBORS_COLLECT_H

#include "neighbors/row_writer.h"

struct row_collector {
    const mote_neighbors *search;
    row_writer *writer;
    row_query query;
    bool is_plain;  // rows hold only indices
    bool half;      // keeps only larger indices, and of a point's own images only the greater of two opposite ones
    bool failed;    // memory ran out: no more hits are kept
    double reach_squared;  // the same for all pairs; NAN: it depends on the radii of the two points
    float point[3];        // only if plain: the query and the set
    const float *x, *y, *z;
    uint32_t *row;  // if plain
    row_hit *hits;  // if not plain
    size_t count, room;
    uint64_t candidates;
};

// Starts a row. False when memory ran out.
bool mote_collect_begin(row_collector *collector, const mote_neighbors *search, const row_query *query,
                        row_writer *writer);
// Passes the row on. False when memory ran out meanwhile.
bool mote_collect_end(row_collector *collector);

// Doubles the room; false when memory ran out.
bool mote_collect_grow(row_collector *collector);

// Tests stored point j, shifted by whole periods; `vector` is the shift as a length (mote_periodic_vector).
void mote_collect_image(row_collector *collector, uint32_t j, const int32_t shift[3], const double vector[3]);
// Like mote_collect_image without a shift, for any features.
void mote_collect_general(row_collector *collector, uint32_t j);

// Tests every stored point with all its images that can be near, ordered by index and shift.
void mote_collect_images(const mote_neighbors *search, row_collector *collector);
// The same for some of the stored points.
void mote_collect_images_of(const mote_neighbors *search, row_collector *collector, const uint32_t *points,
                            size_t count);

// Tests a stored point of a plain search.
MOTE_INLINE void mote_collect_plain(row_collector *collector, uint32_t j, float x, float y, float z)
{
    collector->candidates += 1;
    if (!mote_within(x - collector->point[0], y - collector->point[1], z - collector->point[2],
                     collector->search->radius_squared))
        return;
    if (j == collector->query.self) return;
    if (collector->count == collector->room && !mote_collect_grow(collector)) return;
    collector->row[collector->count++] = j;
}

// Tests stored point j.
MOTE_INLINE void mote_collect(row_collector *collector, uint32_t j)
{
    if (collector->is_plain)
        mote_collect_plain(collector, j, collector->x[j], collector->y[j], collector->z[j]);
    else
        mote_collect_general(collector, j);
}

// A point in the lists of a structure: its position is next to its index, so that reading a list is sequential and
// does not access three other arrays for every candidate. Only plain searches use the position.
typedef struct placed_point {
    float at[3];
    uint32_t index;
} placed_point;

// A point in a linked chain. Its own index is its place in the array.
typedef struct chained_point {
    float at[3];
    uint32_t next;
} chained_point;

MOTE_INLINE placed_point mote_point_place(const point_store *points, uint32_t j)
{
    placed_point point = {.index = j};
    if (points->f32[0])
        for (int k = 0; k < 3; ++k) point.at[k] = points->f32[k][j];
    return point;
}

// Tests stored point j; its position is `at` if the search is plain.
MOTE_INLINE void mote_collect_at(row_collector *collector, uint32_t j, const float at[3])
{
    if (collector->is_plain)
        mote_collect_plain(collector, j, at[0], at[1], at[2]);
    else
        mote_collect_general(collector, j);
}

// Computes the difference of two positions plus a shift, and its squared length, in the points' precision.
static inline double mote_difference(mote_scalar scalar, const double xi[3], const double xj[3], const double shift[3],
                                     double d[3])
{
    if (scalar == MOTE_F32) {
        float f[3];
        for (int k = 0; k < 3; ++k) {
            f[k] = (float)xj[k] - (float)xi[k];
            if (shift) f[k] = f[k] + (float)shift[k];
            d[k] = (double)f[k];
        }
        return (double)((f[0] * f[0] + f[1] * f[1]) + f[2] * f[2]);
    }
    for (int k = 0; k < 3; ++k) {
        d[k] = xj[k] - xi[k];
        if (shift) d[k] = d[k] + shift[k];
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

// Tells whether rows keep this near pair: a point is not its own neighbour, and half lists hold each pair once.
static inline bool mote_keeps_pair(bool half, uint32_t self, uint32_t j, const int32_t shift[3])
{
    static const int32_t zero[3] = {0, 0, 0};
    if (j == self) {
        bool is_self = !shift || (shift[0] == 0 && shift[1] == 0 && shift[2] == 0);
        return !is_self && (!half || mote_shift_is_less(zero, shift));
    }
    return !half || j > self;
}

// The usual find_rows: finds every row separately, with the method's `candidates`.
void mote_rows_by_candidates(mote_neighbors *search, const row_request *request, row_writer *writers);

// Tells whether the rows of all points are wanted: an order of points is of use to no other request.
bool mote_request_is_whole(const mote_neighbors *search, const row_request *request);

// The same rows, but the rows of all points are found in an order in which consecutive rows read the same memory:
// `order` contains every point once. NULL: by index.
void mote_rows_in_order(mote_neighbors *search, const row_request *request, row_writer *writers, const uint32_t *order);

#endif
