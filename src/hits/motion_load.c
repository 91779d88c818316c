// SPDX-License-Identifier: MIT
// Loads the caller's motions into columns, and picks those that may hit something.

#include "hits/motion_batch.h"

static void load_column(const mote_points *points, int axis, size_t begin, size_t count, void *column)
{
    const char *at = (const char *)points->axis[axis] + (ptrdiff_t)begin * points->stride;
    if (points->scalar == MOTE_F32) {
        float *to = column;
        for (size_t i = 0; i < count; ++i, at += points->stride) to[i] = mote_load_f32(at);
    } else {
        double *to = column;
        for (size_t i = 0; i < count; ++i, at += points->stride) to[i] = mote_load_f64(at);
    }
}

// Loads one axis, converted to double, for motions whose ends have different scalar types.
static void load_widened(const mote_points *points, int axis, size_t begin, size_t count, double *column)
{
    for (size_t i = 0; i < count; ++i) column[i] = mote_points_get(points, begin + i, axis);
}

// Whether points have the common layout: x, y, z, x, y, z, … as aligned floats.
static bool is_packed(const mote_points *points)
{
    const char *x = points->axis[0], *y = points->axis[1], *z = points->axis[2];
    return points->scalar == MOTE_F32 && points->stride == 3 * sizeof(float) && (uintptr_t)x % sizeof(float) == 0 &&
           y == x + sizeof(float) && z == y + sizeof(float);
}

static void load_points(const hits_queue *queue, const mote_points *points, size_t begin, size_t count, bool widen,
                        double (*columns)[HITS_ROOM])
{
    if (is_packed(points) && !widen) {
        float *const to[3] = {(float *)columns[0], (float *)columns[1], (float *)columns[2]};
        queue->hits->motion_lanes->unpack((const float *)points->axis[0] + 3 * begin, count, to);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (widen) load_widened(points, k, begin, count, columns[k]);
        else load_column(points, k, begin, count, columns[k]);
    }
}

// Records of sorted motions in float.
static const float *records_of(const hits_queue *queue, size_t begin)
{
    MOTE_ASSERT(queue->from.stride == 8 * sizeof(float));
    return (const float *)queue->from.axis[0] + 8 * begin;
}

// Loads sorted motions: those that are not records of floats have their shares far apart.
static void load_sorted(const hits_queue *queue, size_t begin, size_t count, hits_picked *picked)
{
    const ptrdiff_t stride = queue->from.stride;
    if (mote_hits_are_records(queue)) {
        float *columns[6];
        for (int k = 0; k < 6; ++k) columns[k] = (float *)picked->columns[k];
        queue->hits->motion_lanes->unpack_records(records_of(queue, begin), count, columns, picked->shares);
        return;
    }
    load_points(queue, &queue->from, begin, count, false, picked->columns);
    load_points(queue, &queue->to, begin, count, false, picked->columns + 3);
    const char *shares = queue->numbers + (ptrdiff_t)begin * stride + sizeof(uint32_t);
    for (size_t i = 0; i < count; ++i, shares += stride) memcpy(&picked->shares[i], shares, sizeof *picked->shares);
}

static hits_columns load(const hits_queue *queue, size_t begin, size_t count, hits_picked *picked)
{
    double (*columns)[HITS_ROOM] = picked->columns;
    const bool mixed = queue->from.scalar != queue->to.scalar;
    hits_columns loaded = {.scalar = mixed ? MOTE_F64 : queue->from.scalar, .count = count};
    loaded.are_picked = queue->numbers && mote_hits_are_points(queue);
    if (queue->numbers) {
        load_sorted(queue, begin, count, picked);
    } else {
        load_points(queue, &queue->from, begin, count, mixed, columns);
        load_points(queue, &queue->to, begin, count, mixed, columns + 3);
    }
    const size_t size = loaded.scalar == MOTE_F64 ? sizeof(double) : sizeof(float);
    for (int k = 0; k < 6; ++k) {
        loaded.axis[k] = columns[k];
        memset((char *)columns[k] + count * size, 0, MOTE_WIDE_MOST * size);
    }
    return loaded;
}

// The largest thickness of a motion of the block, in cells.
static float widest(const hits_queue *queue, size_t begin, size_t end)
{
    const mote_hits *hits = queue->hits;
    const double *radii = queue->motions->radii;
    // A point's radius grows with its coordinates, but those of picked motions are bounded.
    double most = hits->ends ? MOTE_MAX(128 * hits->grain, 0x1p-28) : 0;
    for (size_t i = begin; radii && i < end; ++i)
        most = MOTE_MAX(most, radii[mote_hits_queue_number(queue, i)] * hits->scale);
    return (float)(most * hits->grid.per_edge * (1 + 0x1p-20));
}

// Sets the shares of long motions that were found when they were sorted, rounded outwards.
static void set_shares(const uint32_t *known, hits_march *march)
{
    for (size_t i = 0; i < march->count; ++i) {
        hits_queue_shares shares;
        memcpy(&shares, &known[march->at[i]], sizeof shares);
        march->first[i] = (float)shares.first * (1.0f / HITS_SHARES) * (1 - 0x1p-20f);
        march->last[i] = (float)shares.last * (1.0f / HITS_SHARES) * (1 + 0x1p-20f);
    }
}

// Puts a block of sorted motions into the march at once, if all of them are long ones of points.
static bool march_sorted(const hits_queue *queue, size_t begin, size_t count, hits_picked *picked)
{
    const mote_hits *hits = queue->hits;
    picked->near.count = 0;
    return mote_hits_are_records(queue) && mote_hits_are_points(queue) &&
           hits->motion_lanes->march_records(&hits->grid, hits->scale, records_of(queue, begin), count, &picked->march);
}

void mote_hits_batch_pick(const hits_queue *queue, size_t begin, size_t end, hits_picked *picked)
{
    const mote_hits *hits = queue->hits;
    if (march_sorted(queue, begin, end - begin, picked)) return;
    const hits_columns columns = load(queue, begin, end - begin, picked);
    const float reach = widest(queue, begin, end);
    hits->motion_lanes->pick(&hits->grid, &columns, hits->scale, reach, &picked->near, &picked->march);
    if (queue->numbers && mote_hits_are_points(queue)) set_shares(picked->shares, &picked->march);
    else if (reach == 0) hits->motion_lanes->shorten_march(&hits->grid, &picked->march);
}
