// SPDX-License-Identifier: MIT
// neighbors/collect.h: a row while its candidates come in: each is tested, and kept if it is a neighbour.
#ifndef MOTE_NEIGHBORS_COLLECT_H
#define MOTE_NEIGHBORS_COLLECT_H

#include "neighbors/row_writer.h"

struct row_collector {
    const mote_neighbors *search;
    row_writer *writer;
    row_query query;
    bool is_plain;   // indices alone
    bool half;       // only larger indices, of oneself only the greater of opposite images
    bool failed;     // no memory: nothing more is kept
    double reach_squared;  // of all pairs alike; NAN: by the radii of the two
    float point[3];  // plain: the query, and the set
    const float *x, *y, *z;
    uint32_t *row;   // plain
    row_hit *hits;   // else
    size_t count, room;
    uint64_t candidates;
};

// Starts a row. False when memory ran out.
bool mote_collect_begin(row_collector *collector, const mote_neighbors *search, const row_query *query,
                        row_writer *writer);
// Hands the row on. False when memory ran out meanwhile.
bool mote_collect_end(row_collector *collector);

// Doubles the room; false when memory ran out.
bool mote_collect_grow(row_collector *collector);

// Tests stored point j, shifted by whole periods: `vector` is the shift in length (mote_periodic_vector).
void mote_collect_image(row_collector *collector, uint32_t j, const int32_t shift[3], const double vector[3]);
// The same without a shift, whatever the features.
void mote_collect_general(row_collector *collector, uint32_t j);

// Tests every stored point, with all its images that can be near, by index and shift.
void mote_collect_images(const mote_neighbors *search, row_collector *collector);

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

// A point as a structure's lists hold it: its position beside its index, so that looking through a list is reading on,
// not a jump into three arrays for every candidate. Positions are of use to plain searches alone.
typedef struct placed_point {
    float at[3];
    uint32_t index;
} placed_point;

// The same in a chain, whose index is where it stands.
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

// Tests stored point j, which lies `at` if the search is plain.
MOTE_INLINE void mote_collect_at(row_collector *collector, uint32_t j, const float at[3])
{
    if (collector->is_plain)
        mote_collect_plain(collector, j, at[0], at[1], at[2]);
    else
        mote_collect_general(collector, j);
}

// The difference of two positions plus a shift, and its squared length, in the points' precision.
static inline double mote_difference(mote_scalar scalar, const double xi[3], const double xj[3],
                                     const double shift[3], double d[3])
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

// reach² in the points' precision.
static inline double mote_square(mote_scalar scalar, double reach)
{
    return scalar == MOTE_F32 ? (double)((float)reach * (float)reach) : reach * reach;
}

// Whether rows keep this pair, which is near: not oneself, and half lists each pair once.
static inline bool mote_keeps_pair(bool half, uint32_t self, uint32_t j, const int32_t shift[3])
{
    static const int32_t zero[3] = {0, 0, 0};
    if (j == self) {
        bool is_self = !shift || (shift[0] == 0 && shift[1] == 0 && shift[2] == 0);
        return !is_self && (!half || mote_shift_is_less(zero, shift));
    }
    return !half || j > self;
}

// The usual find_rows: every row by itself, through the method's `candidates`.
void mote_rows_by_candidates(mote_neighbors *search, const row_request *request, row_writer *writers);

// The same, but the rows of all points are found in such an order that one after the other looks into the same memory:
// `order` names every point once. NULL: by index. The rows are the same.
void mote_rows_in_order(mote_neighbors *search, const row_request *request, row_writer *writers,
                        const uint32_t *order);

#endif
