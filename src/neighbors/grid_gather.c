// SPDX-License-Identifier: MIT
// Gathering the candidates of a group of points: a test and a compressing store for each vector, without a branch.
//
// There is no form for AVX-512, which uses that for AVX2: runs of points are about 24 long, so a fourth of the lanes of
// vectors of sixteen would be empty, and to move four columns to the front by one permutation, whose lanes a table has
// for eight, takes fewer operations than to compress each of them.

#include "base/wide.h"
#include "neighbors/grid_scan.h"
#include "neighbors/internal.h"

// The smallest and the largest of some values.
typedef struct interval {
    float low, high;
} interval;

// The difference along an axis between x and the nearest point of the interval; 0 inside.
static inline wide_f32 outside(wide_f32 x, interval from)
{
    return x - wide_lesser(wide_greater(x, wide_all(from.low)), wide_all(from.high));
}

// The same where all x are known to be on the side of `end` of the interval, unless that is NULL.
static inline wide_f32 beyond(wide_f32 x, interval from, const wide_f32 *end)
{
    return end ? x - *end : outside(x, from);
}

// The box around a group.
typedef struct group_box {
    interval x, y, z;
} group_box;

// The box around `count` points, 1 or more. One loop for all axes: they share the count of the lanes that are left.
static inline group_box box_around(const float *x, const float *y, const float *z, size_t count)
{
    wide_vec low = {wide_all(*x), wide_all(*y), wide_all(*z)}, high = low;
    for (size_t k = 0; k < count; k += WIDE) {
        const wide_vec at = {wide_load_first(x + k, count - k, *x), wide_load_first(y + k, count - k, *y),
                             wide_load_first(z + k, count - k, *z)};
        low = (wide_vec){wide_lesser(low.x, at.x), wide_lesser(low.y, at.y), wide_lesser(low.z, at.z)};
        high = (wide_vec){wide_greater(high.x, at.x), wide_greater(high.y, at.y), wide_greater(high.z, at.z)};
    }
    return (group_box){{wide_least(low.x), wide_greatest(high.x)},
                       {wide_least(low.y), wide_greatest(high.y)},
                       {wide_least(low.z), wide_greatest(high.z)}};
}

// Where points are copied from and to, and which.
typedef struct gather_task {
    point_columns from, to;
    group_box box;
    wide_f32 limit;
} gather_task;

// Copies those of `count` points from place k on, at most a vector, that are no farther from the box than the limit.
MOTE_INLINE size_t gather_vector(const gather_task *task, size_t k, size_t count, const wide_f32 *y_end,
                                 const wide_f32 *z_end, size_t at)
{
    const point_columns from = task->from, to = task->to;
    const wide_f32 x = wide_load(from.x + k), y = wide_load(from.y + k), z = wide_load(from.z + k);
    const wide_f32 squared = wide_length_squared(outside(x, task->box.x), beyond(y, task->box.y, y_end),
                                                 beyond(z, task->box.z, z_end));
    const wide_hits near = wide_hits_within(wide_at_most(squared, task->limit), count);
    wide_store_front(to.x + at, x, near);
    wide_store_front(to.y + at, y, near);
    wide_store_front(to.z + at, z, near);
    wide_store_front(to.index + at, wide_load(from.index + k), near);
    return at + wide_hit_count(near);
}

// Vectors of four of which all lanes are of the run go first, without a count of lanes; of longer ones, there are few.
enum { WHOLE_FIRST = WIDE == 4 };

// @param y_end, z_end  the end of the box's interval that faces the run's row of cells; NULL: the row is the cell's own
MOTE_INLINE size_t gather_run(const gather_task *task, cell_run run, const wide_f32 *y_end, const wide_f32 *z_end,
                              size_t at)
{
    size_t k = run.begin;
    const size_t end = run.end;
    for (; WHOLE_FIRST && k + WIDE <= end; k += WIDE) at = gather_vector(task, k, WIDE, y_end, z_end, at);
    for (; k < end; k += WIDE) at = gather_vector(task, k, end - k, y_end, z_end, at);
    return at;
}

size_t WIDE_NAME(mote_gather)(point_columns to, const group_scan *scan, const cell_run *runs, int run_count,
                              const row_side *row_of)
{
    const point_columns points = scan->points;
    const size_t first = scan->first;
    const group_box box = box_around(points.x + first, points.y + first, points.z + first, scan->count);
    const gather_task task = {scan->sorted, to, box, wide_all(scan->radius_squared)};
    size_t at = 0;
    for (int r = 0; r < run_count; ++r) {
        const row_side side = row_of ? row_of[r] : (row_side){0, 0};
        const wide_f32 y = wide_all(side.y < 0 ? box.y.low : box.y.high);
        const wide_f32 z = wide_all(side.z < 0 ? box.z.low : box.z.high);
        if (side.y && side.z)
            at = gather_run(&task, runs[r], &y, &z, at);
        else if (side.y)
            at = gather_run(&task, runs[r], &y, NULL, at);
        else if (side.z)
            at = gather_run(&task, runs[r], NULL, &z, at);
        else
            at = gather_run(&task, runs[r], NULL, NULL, at);
    }
    for (size_t k = at; k < at + MOTE_WIDE_MOST; k += WIDE) {
        wide_store(to.x + k, wide_all(INFINITY));
        wide_store(to.y + k, wide_all(0));
        wide_store(to.z + k, wide_all(0));
        wide_store(to.index + k, wide_all_u32(0));
    }
    return at;
}
