// SPDX-License-Identifier: MIT
// Finds rows with all features: double points, radii, periodic boxes, half lists, distances, subsets, queries.
//
// Consecutive points that are close together form a group. All candidates of the group are gathered once, class by
// class and image by image: as runs of cells, culled against the group's box. Gathered candidates are stored as
// floats relative to the group, in units of its reach, so that one sieve in single precision (grid_sieve.h) serves
// all precisions and boxes. Only if the sieve cannot decide, within rounding of the reach, a candidate is passed to
// the exact test that defines neighbours.
//
// Margins: the sieve's shell and all boxes are widened by an upper bound of the rounding errors of the test itself,
// of positions wrapped into the box and of the floats (the documents' cells have no such margin, and lose neighbours).
// Points many periods away need wide margins and are classes of their own; each level of them has a segment of the
// candidates, with a shell of its own.
//
// If two points are so many periods apart, or so far away along an open axis with components in coordinates that
// periods change, that rounding destroys their places in the box, cells say nothing about them. Such pairs are tested
// one by one, unless the axes along which they are not so far apart keep them away from each other.

#include "neighbors/grid_rows.h"

#include <math.h>
#include <string.h>

#include "neighbors/collect.h"
#include "neighbors/grid_margins.h"
#include "neighbors/lanes.h"

enum {
    STRETCH = 512,  // rows of a block of work
    GROUP = 64,     // most rows of a group
    FEW = 4,        // rows up to which a group is continued in the next cell
    AHEAD = 24,     // rows by which prefetching is ahead
    SHARE = 16,     // a subset of at least one point in this many is sorted first
    MANY = 64       // from this many rows on, and this share of all pairs, it is said that pairs are tested one by one
};

// Consecutive candidates that are all shifted by the same number of periods from the original points.
typedef struct shift_span {
    uint32_t begin, end;  // slots
    image shift;
} shift_span;

// The candidates of a level of periods.
typedef struct level_segment {
    size_t begin, end;  // slots
    double slack;
} level_segment;

// The memory of one worker.
typedef struct rows_worker {
    candidate_set block;
    mote_buffer runs, slots;
    mote_buffer span_memory;  // only for periodic boxes
    size_t span_count;
    level_segment segments[PERIOD_LEVELS];
    uint32_t segment_count;
    mote_buffer blurred;  // the points that are tested one by one
    size_t blurred_count;
    uint32_t hint[CLASS_HINTS];
    shift_cache shifts;
    char pad[64];
} rows_worker;

// A row of the request and the place of its point among the sorted ones.
typedef struct subset_row {
    uint32_t row, place;
} subset_row;

typedef struct rows_task {
    const mote_neighbors *search;
    const cell_rows *rows;
    const row_request *request;
    row_writer *writers;
    const sieve_lanes *lanes;
    const subset_row *subset;  // the request's rows in sorted order; NULL: in the given order
    bool periodic, half;
    bool indices_only;  // rows hold only indices
    bool is_sharp;      // all points are in level 0, and rounding blurs no place of theirs
    sieve_rule rule;
    atomic_uint_least64_t *blurred;  // pairs of points that were tested one by one
} rows_task;

// A point for which a row is requested, with its binned position.
typedef struct group_entry {
    row_query query;
    double at[3];
    image wrap;
} group_entry;

typedef struct row_group {
    group_entry entries[GROUP];
    uint32_t count;
    uint32_t place;  // of the first entry among the sorted points; UINT32_MAX: not a run of sorted points
    group_bounds bounds;
    double max_radius;
    sieve_frame frame;
    double grow;  // rounding can matter between reach · (1 ± grow) ± slack
    level_margin margins[PERIOD_LEVELS];
} row_group;

// ------------------------------------------------------------------------------------------------------- groups

// Appends the entry if it is near the others, its reach is about the same, and it is about as many periods away.
// `extent`: the largest allowed size of the group's box.
MOTE_INLINE bool accept_entry(const rows_task *task, row_group *group, double extent)
{
    const group_entry *entry = &group->entries[group->count];
    const class_sort *sort = &task->rows->sort;
    group_bounds *bounds = &group->bounds;
    const double radius = entry->query.radius;
    double low[3], high[3];
    uint32_t level = 0, blurred = 0;
    if (task->periodic && !task->is_sharp) {
        const double reach = mote_query_reach(task->search, &entry->query, task->search->points.max_radius);
        level = mote_period_level(&sort->periods, &entry->wrap, entry->at);
        blurred = mote_margin_blurred(task->search, sort, &entry->wrap, entry->at, reach);
    }
    if (group->count == 0) {
        memcpy(bounds->low, entry->at, sizeof bounds->low);
        memcpy(bounds->high, entry->at, sizeof bounds->high);
        bounds->wrap_low = bounds->wrap_high = entry->wrap;
        bounds->level = level, bounds->blurred = blurred;
        group->max_radius = radius;
        group->count = 1;
        return true;
    }
    const double first = group->entries[0].query.radius;
    bool fits = radius <= 2 * first && radius >= 0.5 * first;
    fits &= level == bounds->level && blurred == bounds->blurred;
    for (int k = 0; k < 3; ++k) {
        low[k] = MOTE_MIN(bounds->low[k], entry->at[k]);
        high[k] = MOTE_MAX(bounds->high[k], entry->at[k]);
        fits &= high[k] - low[k] <= extent;
    }
    if (!fits) return false;
    memcpy(bounds->low, low, sizeof low);
    memcpy(bounds->high, high, sizeof high);
    for (int a = 0; a < 3; ++a) {
        bounds->wrap_low.shift[a] = MOTE_MIN(bounds->wrap_low.shift[a], entry->wrap.shift[a]);
        bounds->wrap_high.shift[a] = MOTE_MAX(bounds->wrap_high.shift[a], entry->wrap.shift[a]);
    }
    group->max_radius = MOTE_MAX(group->max_radius, radius);
    group->count += 1;
    return true;
}

// The largest box of a group that spans several cells: as large as the reach of one of its points.
static double group_extent(const rows_task *task, const row_group *group)
{
    double radius = group->entries[0].query.radius;
    return mote_pair_reach(task->search, radius, radius) * (1 + 0x1p-17);
}

MOTE_INLINE void get_sorted(const rows_task *task, uint32_t place, group_entry *entry)
{
    const class_sort *sort = &task->rows->sort;
    uint32_t i = sort->index[place];
    entry->query.row = entry->query.self = i;
    entry->query.radius = sort->radii.f32 || sort->radii.f64 ? mote_sorted_radius(sort, place) : task->search->radius;
    mote_sorted_get(&sort->own, place, entry->query.at);
    mote_sorted_get(&sort->at, place, entry->at);
    entry->wrap = sort->wrap ? sort->wrap[place] : (image){{0, 0, 0}};
}

// Makes a group of sorted points from `begin` on: those of a cell, and of the next cells while the group is small.
// The outermost cells of a grid also hold everything beyond it; there, only points near each other form a group.
// @param cell   in and out: a cell at or before that of the first point
static void take_sorted(const rows_task *task, uint32_t begin, uint32_t end, uint32_t *cell, row_group *group,
                        const row_writer *writer)
{
    const class_sort *sort = &task->rows->sort;
    const uint32_t last = sort->count - 1;
    while (sort->start[*cell + 1] <= begin) *cell += 1;
    const radius_class *class = sort->classes;
    while (class->cell_end <= *cell) ++class;
    end = MOTE_MIN(end, sort->start[class->cell_end]);
    const uint32_t cell_end = sort->start[*cell + 1];
    group->count = 0;
    group->place = begin;
    double extent = 4 * class->frame.edge;
    for (uint32_t p = begin; p < end && group->count < GROUP; ++p) {
        if (p >= cell_end && group->count >= FEW) break;
        get_sorted(task, p, &group->entries[group->count]);
        if (p == cell_end) extent = group_extent(task, group);
        if (!accept_entry(task, group, extent)) break;
        mote_row_prefetch(writer, sort->index[MOTE_MIN(p + AHEAD, last)]);
    }
}

// The same for a subset in sorted order.
static void take_subset(const rows_task *task, size_t begin, size_t end, row_group *group, const row_writer *writer)
{
    group->count = 0;
    group->place = UINT32_MAX;
    for (size_t k = begin; k < end && group->count < GROUP; ++k) {
        group_entry *entry = &group->entries[group->count];
        get_sorted(task, task->subset[k].place, entry);
        entry->query.row = task->subset[k].row;
        if (!accept_entry(task, group, group_extent(task, group))) break;
        mote_row_prefetch(writer, task->subset[MOTE_MIN(k + AHEAD, end - 1)].row);
    }
}

// Makes a group of the request's rows from `begin` on.
static void take_requested(const rows_task *task, size_t begin, size_t end, row_group *group)
{
    const mote_neighbors *search = task->search;
    group->count = 0;
    group->place = UINT32_MAX;
    for (size_t k = begin; k < end && group->count < GROUP; ++k) {
        group_entry *entry = &group->entries[group->count];
        image wrap = {{0, 0, 0}};
        entry->query = mote_request_get(search, task->request, k);
        memcpy(entry->at, entry->query.at, sizeof entry->at);
        if (task->periodic) {
            double offset[3];
            wrap = mote_periodic_wrap(&search->box, entry->at);
            mote_periodic_offset(&search->box, wrap.shift, offset);
            for (int a = 0; a < 3; ++a) entry->at[a] = entry->at[a] + offset[a];
        }
        entry->wrap = wrap;
        if (!accept_entry(task, group, group_extent(task, group))) break;
    }
}

// Returns an upper bound of the distances at which the test may still find neighbours in a level.
static double widen(const row_group *group, double reach, uint32_t level)
{
    return reach * (1 + group->grow) + group->margins[level].slack;
}

static bool is_blurred(const row_group *group, uint32_t level)
{
    return (group->bounds.blurred >> level & 1) != 0;
}

// Computes the unit of the sieve's floats: the reach and the narrowest margin. The widest must not be so many of them
// that its square overflows.
static double find_scale(const rows_task *task, const row_group *group)
{
    const double most = 0x1p40;
    double least = HUGE_VAL, greatest = 0;
    for (uint32_t l = 0; l < task->rows->sort.level_end; ++l) {
        if (task->rows->sort.levels[l].is_empty || is_blurred(group, l)) continue;
        const double reach = widen(group, group->bounds.max_reach, l);
        least = MOTE_MIN(least, reach), greatest = MOTE_MAX(greatest, reach);
    }
    return 1 / MOTE_MAX(least, greatest / most);
}

// Computes what depends on the group's box.
static void close_group(const rows_task *task, row_group *group)
{
    const class_sort *sort = &task->rows->sort;
    group_bounds *bounds = &group->bounds;
    double most = group->max_radius;
    for (uint32_t c = 0; c < sort->class_count; ++c)
        most = MOTE_MAX(most, mote_pair_reach(task->search, group->max_radius, sort->classes[c].max_radius));
    bounds->max_reach = most;
    group->grow = mote_margin_grow(task->search);
    for (uint32_t l = 0; l < sort->level_end; ++l)
        if (!sort->levels[l].is_empty) group->margins[l] = mote_margin_of_level(task->search, sort, bounds, l);
    sieve_frame *frame = &group->frame;
    const bool f64 = sort->at.f64[0] != NULL;
    frame->scale = find_scale(task, group);
    if (!f64) frame->scale = mote_as_f32(frame->scale);
    for (int k = 0; k < 3; ++k) {
        double center = 0.5 * bounds->low[k] + 0.5 * bounds->high[k];
        if (!f64) center = mote_as_f32(center);
        double half = MOTE_MAX(center - bounds->low[k], bounds->high[k] - center);
        frame->center[k] = center;
        frame->half[k] = (float)(half * frame->scale);
    }
}

// --------------------------------------------------------------------------------------------------- candidates

static bool reserve(const rows_task *task, mote_buffer *buffer, size_t count, size_t size, size_t keep)
{
    size_t bytes = mote_bytes(count, size);
    if (bytes <= buffer->bytes) return true;
    return mote_buffer_reserve(task->search->context, buffer, mote_bytes(bytes, 2), keep * size) == MOTE_OK;
}

// Records the shifts of the slots from `first` on, which were gathered at one image of the box.
static bool add_spans(const rows_task *task, const image *at, size_t first, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    const candidate_set *block = &worker->block;
    const size_t most = worker->span_count + (sort->wrap ? block->count - first : 1);
    if (!reserve(task, &worker->span_memory, most, sizeof(shift_span), worker->span_count)) return false;
    shift_span *spans = worker->span_memory.data;
    for (size_t slot = first, end = block->count; slot < block->count; slot = end) {
        image shift = *at;
        if (sort->wrap) {
            const image *wrap = sort->wrap + block->place[slot];
            for (end = slot + 1; end < block->count; ++end)
                if (memcmp(wrap, sort->wrap + block->place[end], sizeof *wrap) != 0) break;
            for (int k = 0; k < 3; ++k) shift.shift[k] += wrap->shift[k];
        }
        spans[worker->span_count++] = (shift_span){(uint32_t)slot, (uint32_t)end, shift};
    }
    return true;
}

// Gathers the candidates of a class at one image of the box.
static bool gather_image(const rows_task *task, const row_group *group, const radius_class *class, double reach,
                         const image *at, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    candidate_set *block = &worker->block;
    const group_bounds *bounds = &group->bounds;
    const level_margin *margin = &group->margins[class->level];
    double offset[3] = {0, 0, 0}, low[3], high[3];
    if (task->periodic) mote_periodic_offset(&task->search->box, at->shift, offset);
    for (int k = 0; k < 3; ++k) {
        low[k] = bounds->low[k] - offset[k] - (reach + margin->along[k]);
        high[k] = bounds->high[k] - offset[k] + (reach + margin->along[k]);
    }
    size_t run_count, points = 0, first = block->count;
    if (!mote_class_sort_runs(task->search->context, sort, class, low, high, worker->hint, &worker->runs, &run_count))
        return false;
    const sorted_run *runs = worker->runs.data;
    for (size_t r = 0; r < run_count; ++r) points += runs[r].end - runs[r].begin;
    if (points > UINT32_MAX - 1024 - first) return false;
    if (mote_candidates_reserve(task->search->context, block, points) != MOTE_OK) return false;
    gather_span span = {runs, run_count, .shift = {offset[0], offset[1], offset[2]}};
    span.wants_radius = task->rule != SIEVE_ALIKE;
    span.limit = mote_sieve_outer((float)(reach * group->frame.scale * (1 + 0x1p-16)));
    task->lanes->gather(block, sort, &group->frame, &span);
    if (!task->periodic) return true;
    return add_spans(task, at, first, worker);
}

static bool gather_class(const rows_task *task, const row_group *group, const radius_class *class, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    const double pair = mote_pair_reach(task->search, group->max_radius, class->max_radius);
    const double reach = widen(group, pair, class->level);
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    if (task->periodic)
        range = mote_margin_images(task->search, &group->bounds, &group->margins[class->level],
                                   pair * (1 + group->grow), sort->fraction_low, sort->fraction_high);
    image at;
    int32_t *k = at.shift;
    for (k[0] = range.low[0]; k[0] <= range.high[0]; ++k[0])
        for (k[1] = range.low[1]; k[1] <= range.high[1]; ++k[1])
            for (k[2] = range.low[2]; k[2] <= range.high[2]; ++k[2])
                if (!gather_image(task, group, class, reach, &at, worker)) return false;
    return true;
}

// Gathers the candidates of all levels, as segments.
static bool gather(const rows_task *task, const row_group *group, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    candidate_set *block = &worker->block;
    block->count = worker->span_count = worker->segment_count = 0;
    if (mote_candidates_reserve(task->search->context, block, 0) != MOTE_OK) return false;
    for (uint32_t c = 0; c < sort->class_count;) {
        const uint32_t level = sort->classes[c].level;
        level_segment segment = {block->count, block->count, group->margins[level].slack};
        for (; c < sort->class_count && sort->classes[c].level == level; ++c)
            if (!is_blurred(group, level) && !gather_class(task, group, &sort->classes[c], worker)) return false;
        segment.end = block->count;
        if (segment.end == segment.begin) continue;
        worker->segments[worker->segment_count++] = segment;
        if (c == sort->class_count) break;
        mote_candidates_close(block);
        block->count += MOTE_WIDE_MOST;
        if (mote_candidates_reserve(task->search->context, block, 0) != MOTE_OK) return false;
    }
    mote_candidates_close(block);
    return true;
}

// Tells whether the group and a point cannot be near each other, as axes that are not blurred show.
static bool is_apart(const rows_task *task, const row_group *group, uint32_t place, const radius_class *class)
{
    const mote_neighbors *search = task->search;
    const periodic_box *box = &search->box;
    const double pair = mote_pair_reach(search, group->max_radius, class->max_radius);
    const double reach = widen(group, pair, class->level);
    double at[3], from_origin[3], fraction[3];
    mote_sorted_get(&task->rows->sort.at, place, at);
    for (int k = 0; k < 3; ++k) {
        const double near = reach + group->margins[class->level].along[k];
        if (!box->is_shifted[k] && (at[k] < group->bounds.low[k] - near || at[k] > group->bounds.high[k] + near))
            return true;
        from_origin[k] = at[k] - box->origin[k];
    }
    mote_periodic_fractions(box, from_origin, fraction);
    const image_range range = mote_margin_images(search, &group->bounds, &group->margins[class->level],
                                                 pair * (1 + group->grow), fraction, fraction);
    return mote_image_count(&range) == 0;
}

// Lists the points whose places relative to the group are blurred.
static bool gather_blurred(const rows_task *task, const row_group *group, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    worker->blurred_count = 0;
    for (uint32_t c = 0; c < sort->class_count; ++c) {
        const radius_class *class = &sort->classes[c];
        if (!is_blurred(group, class->level)) continue;
        const uint32_t begin = sort->start[class->cell_begin], end = sort->start[class->cell_end];
        const size_t count = worker->blurred_count;
        if (!reserve(task, &worker->blurred, count + (end - begin), sizeof(uint32_t), count)) return false;
        uint32_t *points = worker->blurred.data;
        for (uint32_t place = begin; place < end; ++place)
            if (!is_apart(task, group, place, class)) points[worker->blurred_count++] = sort->index[place];
    }
    return true;
}

// Returns the first of the slots begin … end − 1, whose places ascend, that is not before a place.
static uint32_t lower_slot(const candidate_set *block, uint32_t begin, uint32_t end, uint32_t place)
{
    for (uint32_t count = end - begin; count > 0;) {
        const uint32_t half = count / 2, is_before = block->place[begin + half] < place;
        begin += is_before * (half + 1);
        count = is_before ? count - half - 1 : half;
    }
    return begin;
}

// Returns the slot of the group's first point if the group is a run of sorted points; the slots of its other points
// follow.
static uint32_t find_first_slot(const rows_task *task, const row_group *group, const rows_worker *worker)
{
    const candidate_set *block = &worker->block;
    const shift_span *spans = worker->span_memory.data, whole = {0, (uint32_t)block->count, {{0, 0, 0}}};
    const group_entry *first = &group->entries[0];
    if (group->place == UINT32_MAX) return UINT32_MAX;
    const size_t span_count = task->periodic ? worker->span_count : 1;
    for (size_t n = 0; n < span_count; ++n) {
        const shift_span *span = task->periodic ? spans + n : &whole;
        if (memcmp(&span->shift, &first->wrap, sizeof first->wrap) != 0) continue;
        const uint32_t slot = lower_slot(block, span->begin, span->end, group->place);
        if (slot < span->end && block->place[slot] == group->place) return slot;
    }
    return UINT32_MAX;
}

// -------------------------------------------------------------------------------------------------------- rows

// A row and the candidates around it.
typedef struct row_test {
    const rows_task *task;
    const group_entry *entry;
    rows_worker *worker;
    double scale;    // of the sieve's frame
    uint32_t first;  // slot of the segment that the sieve is going through
} row_test;

// Computes the periods between the entry and the candidates of a span.
static inline void find_shift(const row_test *test, const shift_span *span, int32_t shift[3])
{
    for (int k = 0; k < 3; ++k) shift[k] = span->shift.shift[k] - test->entry->wrap.shift[k];
}

// Returns the span that contains a slot.
static const shift_span *find_span(const rows_worker *worker, uint32_t slot)
{
    const shift_span *spans = worker->span_memory.data;
    size_t low = 0, high = worker->span_count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spans[middle].end <= slot)
            low = middle + 1;
        else
            high = middle;
    }
    return spans + low;
}

// Computes the difference to a candidate exactly as the test that defines neighbours does; `vector`: its shift as a
// length, or NULL. Compiled for each of its cases.
MOTE_INLINE void measure(const row_test *test, uint32_t slot, const double vector[3], row_hit *hit,
                         const mote_scalar scalar)
{
    const class_sort *sort = &test->task->rows->sort;
    const uint32_t place = test->worker->block.place[slot];
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = scalar == MOTE_F64 ? sort->own.f64[k][place] : (double)sort->own.f32[k][place];
    hit->squared = mote_difference(scalar, test->entry->query.at, at, vector, hit->d);
}

static void measure_any(const row_test *test, uint32_t slot, row_hit *hit)
{
    const mote_neighbors *search = test->task->search;
    const bool periodic = test->task->periodic;
    const double *vector = NULL;
    hit->index = test->worker->block.index[slot];
    if (periodic) {
        find_shift(test, find_span(test->worker, slot), hit->shift);
        vector = mote_shift_cache_get(&test->worker->shifts, &search->box, hit->shift, search->scalar);
    }
    if (search->scalar == MOTE_F64)
        measure(test, slot, vector, hit, MOTE_F64);
    else
        measure(test, slot, vector, hit, MOTE_F32);
}

// The exact test, for candidates that the sieve cannot decide.
static bool is_near(const void *data, uint32_t slot)
{
    const row_test *test = data;
    const mote_neighbors *search = test->task->search;
    const class_sort *sort = &test->task->rows->sort;
    row_hit hit;
    double reach = test->entry->query.radius;
    slot += test->first;
    measure_any(test, slot, &hit);
    if (test->task->rule != SIEVE_ALIKE)
        reach = mote_pair_reach(search, reach, mote_sorted_radius(sort, test->worker->block.place[slot]));
    return hit.squared <= mote_limit_squared(search, reach);
}

// Writes the differences and squared distances of neighbours with the same shift, from the row's n-th neighbour to
// `end`.
MOTE_INLINE void fill_measures(const row_test *test, const uint32_t *slots, size_t n, size_t end, const double *vector,
                               const row_columns *to, const mote_scalar scalar)
{
    float *const squared = to->squared, *const differences = to->differences;
    double *const squared_f64 = to->squared, *const differences_f64 = to->differences;
    for (; n < end; ++n) {
        row_hit hit;
        measure(test, slots[n], vector, &hit, scalar);
        if (squared && scalar == MOTE_F64) squared_f64[n] = hit.squared;
        if (squared && scalar == MOTE_F32) squared[n] = (float)hit.squared;
        for (size_t k = 0; k < 3 && differences; ++k) {
            if (scalar == MOTE_F64)
                differences_f64[3 * n + k] = hit.d[k];
            else
                differences[3 * n + k] = (float)hit.d[k];
        }
    }
}

// Writes the columns of a row. Compiled for each of its cases.
MOTE_INLINE void fill_row(const row_test *test, const uint32_t *slots, size_t count, const row_columns *to,
                          const mote_scalar scalar, const bool periodic)
{
    const uint32_t *index = test->worker->block.index;
    const bool measures = to->squared || to->differences;
    for (size_t n = 0; n < count; ++n) to->indices[n] = index[slots[n]];
    if (!periodic) {
        if (measures) fill_measures(test, slots, 0, count, NULL, to, scalar);
        return;
    }
    const shift_span *span = test->worker->span_memory.data;
    for (size_t n = 0, begin = 0; n < count; begin = n) {  // one span at a time
        int32_t shift[3];
        while (slots[n] >= span->end) ++span;
        find_shift(test, span, shift);
        for (; n < count && slots[n] < span->end; ++n) memcpy(to->shifts + 3 * n, shift, sizeof shift);
        if (!measures) continue;
        const double *kept = mote_shift_cache_get(&test->worker->shifts, &test->task->search->box, shift, scalar);
        const double vector[3] = {kept[0], kept[1], kept[2]};
        fill_measures(test, slots, begin, n, vector, to, scalar);
    }
}

typedef void fill_function(const row_test *test, const uint32_t *slots, size_t count, const row_columns *to);

#define DEFINE_FILL(name, scalar, periodic)                                                            \
    static void name(const row_test *test, const uint32_t *slots, size_t count, const row_columns *to) \
    {                                                                                                  \
        fill_row(test, slots, count, to, scalar, periodic);                                            \
    }
DEFINE_FILL(fill_f32, MOTE_F32, false)
DEFINE_FILL(fill_f64, MOTE_F64, false)
DEFINE_FILL(fill_f32_periodic, MOTE_F32, true)
DEFINE_FILL(fill_f64_periodic, MOTE_F64, true)

static fill_function *const fill_functions[2][2] = {
    // f64, periodic
    {fill_f32, fill_f32_periodic},
    {fill_f64, fill_f64_periodic},
};

// Removes from the slots what the row does not hold: the point itself, and half of the pairs in half lists.
static size_t keep_pairs(const row_test *test, uint32_t *slots, size_t count)
{
    const rows_task *task = test->task;
    const shift_span *span = test->worker->span_memory.data;
    const uint32_t self = test->entry->query.self;
    size_t kept = 0;
    for (size_t n = 0; n < count; ++n) {
        int32_t shift[3] = {0, 0, 0};
        while (task->periodic && slots[n] >= span->end) ++span;
        if (task->periodic) find_shift(test, span, shift);
        slots[kept] = slots[n];
        kept += mote_keeps_pair(task->half, self, test->worker->block.index[slots[n]], shift);
    }
    return kept;
}

// Writes the slots of the neighbours among the candidates of all levels. Returns their number.
static size_t sieve_segments(row_test *test, sieve_query *query, uint32_t *slots)
{
    const rows_worker *worker = test->worker;
    size_t count = 0;
    for (uint32_t s = 0; s < worker->segment_count; ++s) {
        const level_segment *segment = &worker->segments[s];
        candidate_set block = worker->block;
        for (int k = 0; k < 3; ++k) block.u[k] += segment->begin;
        block.radius += segment->begin;
        block.count = segment->end - segment->begin;
        test->first = (uint32_t)segment->begin;
        query->slack = (float)(segment->slack * test->scale);
        count += test->task->lanes->sieve(&block, query, block.slot + segment->begin, slots + count);
    }
    test->first = 0;
    return count;
}

// Appends to `hits` the neighbours among the points that are tested one by one, by index, then by shift.
static bool find_blurred(const row_test *test, row_writer *writer, size_t *count)
{
    const rows_worker *worker = test->worker;
    row_collector collector;
    *count = 0;
    if (worker->blurred_count == 0) return true;
    if (!mote_collect_begin(&collector, test->task->search, &test->entry->query, writer)) return false;
    mote_collect_images_of(test->task->search, &collector, worker->blurred.data, worker->blurred_count);
    writer->candidates += collector.candidates;
    *count = collector.count;
    mote_row_sort_hits(writer->hits.data, *count);
    return !collector.failed;
}

// Finds a row with columns; it is first found as slots of the block, and as hits among blurred points.
static bool find_columns(row_test *test, sieve_query *query, bool filter, rows_worker *worker, row_writer *writer)
{
    const rows_task *task = test->task;
    const candidate_set *block = &worker->block;
    size_t hit_count;
    if (!find_blurred(test, writer, &hit_count)) return false;
    if (!reserve(task, &worker->slots, block->count + MOTE_WIDE_MOST, sizeof(uint32_t), 0)) return false;
    uint32_t *slots = worker->slots.data;
    size_t count = sieve_segments(test, query, slots);
    if (filter) count = keep_pairs(test, slots, count);
    row_columns columns;
    if (!writer->sink->ascending) {
        if (!mote_row_open(writer, count + hit_count, &columns)) return true;  // the sink has recorded the failure
        fill_functions[task->search->scalar == MOTE_F64][task->periodic](test, slots, count, &columns);
        if (hit_count) mote_row_fill(writer->sink, &columns, count, writer->hits.data, hit_count);
        mote_row_close(writer, test->entry->query.row, &columns, count + hit_count);
        return true;
    }
    if (!reserve(task, &writer->hits, hit_count + count, sizeof(row_hit), hit_count)) return false;
    row_hit *hits = writer->hits.data;
    for (size_t n = 0; n < count; ++n) measure_any(test, slots[n], &hits[hit_count + n]);
    mote_row_write_hits(writer, test->entry->query.row, hits, hit_count + count, 0);
    return true;
}

// Finds a row of indices only, which the sieve writes directly to its final place.
static bool find_indices(const row_test *test, const sieve_query *query, bool filter, row_writer *writer)
{
    const candidate_set *block = &test->worker->block;
    const uint32_t self = test->entry->query.self;
    uint32_t *row = mote_row_begin(writer, block->count + MOTE_WIDE_MOST);
    if (!row) return false;
    size_t count = test->task->lanes->sieve(block, query, block->index, row), kept = 0;
    for (size_t k = 0; k < count && filter; ++k) {
        row[kept] = row[k];
        kept += test->task->half ? row[k] > self : row[k] != self;
    }
    mote_row_end(writer, test->entry->query.row, row, (uint32_t)(filter ? kept : count));
    return true;
}

// Finds the rows of a group.
static bool find_group(const rows_task *task, const row_group *group, rows_worker *worker, row_writer *writer)
{
    if (!gather(task, group, worker) || !gather_blurred(task, group, worker)) return false;
    const uint32_t first_slot = find_first_slot(task, group, worker);
    const sieve_frame *frame = &group->frame;
    sieve_query query = {.rule = task->rule, .is_near = is_near};
    query.grow = (float)(1 + group->grow);
    query.shrink = (float)(1 - group->grow);
    query.slack = (float)(group->margins[0].slack * frame->scale);
    size_t candidates = 0;
    for (uint32_t s = 0; s < worker->segment_count; ++s)
        candidates += worker->segments[s].end - worker->segments[s].begin;
    for (uint32_t e = 0; e < group->count; ++e) {
        const group_entry *entry = &group->entries[e];
        row_test test = {task, entry, worker, frame->scale, 0};
        const bool is_point = entry->query.self != UINT32_MAX;
        for (int k = 0; k < 3; ++k) query.u[k] = (float)((entry->at[k] - frame->center[k]) * frame->scale);
        query.radius = (float)(entry->query.radius * frame->scale);
        query.data = &test;
        const bool hides = first_slot != UINT32_MAX, filter = is_point && (task->half || !hides);
        const float hidden = hides ? mote_candidate_hide(&worker->block, first_slot + e) : 0;
        bool done = task->indices_only ? find_indices(&test, &query, filter, writer)
                                       : find_columns(&test, &query, filter, worker, writer);
        if (hides) mote_candidate_show(&worker->block, first_slot + e, hidden);
        if (!done) return false;
        writer->candidates += candidates;
    }
    if (worker->blurred_count)
        atomic_fetch_add_explicit(task->blurred, (uint64_t)worker->blurred_count * group->count, memory_order_relaxed);
    return true;
}

// Returns the cell that contains the sorted point at a place.
static uint32_t find_cell(const class_sort *sort, uint32_t place)
{
    uint32_t low = 0, high = sort->cell_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sort->start[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker_id)
{
    const rows_task *task = data;
    rows_worker *worker = (rows_worker *)task->rows->workers.data + worker_id;
    row_writer *writer = task->writers + worker_id;
    const bool is_whole = !task->request->queries && !task->request->subset;
    uint32_t cell = is_whole ? find_cell(&task->rows->sort, (uint32_t)begin) : 0;
    row_group group;
    for (size_t k = begin; k < end; k += group.count) {
        if (is_whole)
            take_sorted(task, (uint32_t)k, (uint32_t)end, &cell, &group, writer);
        else if (task->subset)
            take_subset(task, k, end, &group, writer);
        else
            take_requested(task, k, end, &group);
        close_group(task, &group);
        if (find_group(task, &group, worker, writer)) continue;
        atomic_store(&writer->sink->out_of_memory, true);
        return;
    }
}

// Brings the rows of a subset into sorted order, by a counting sort.
static bool sort_subset(rows_task *task, mote_buffer *memory)
{
    const class_sort *sort = &task->rows->sort;
    const row_request *request = task->request;
    const size_t n = sort->count, count = request->count;
    const size_t bytes = mote_bytes(count, sizeof(subset_row)), more = mote_bytes(2 * n + 1, sizeof(uint32_t));
    if (bytes > SIZE_MAX - more) return false;
    if (mote_buffer_reserve(task->search->context, memory, bytes + more, 0) != MOTE_OK) return false;
    subset_row *rows = memory->data;
    uint32_t *place_of = (uint32_t *)(void *)(rows + count), *next = place_of + n;
    memset(next, 0, (n + 1) * sizeof *next);
    for (uint32_t p = 0; p < n; ++p) place_of[sort->index[p]] = p;
    for (size_t k = 0; k < count; ++k) next[place_of[request->subset[k]]] += 1;
    mote_prefix_sum_u32(next, n + 1);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t place = place_of[request->subset[k]];
        rows[next[place]++] = (subset_row){(uint32_t)k, place};
    }
    MOTE_ASSERT(n == 0 || next[n - 1] == count);
    task->subset = rows;
    return true;
}

// What all rows of a request share.
static rows_task make_task(const mote_neighbors *search, const cell_rows *rows, const row_request *request,
                           row_writer *writers)
{
    const uint32_t columns = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC;
    rows_task task = {search, rows, request, writers, .lanes = mote_neighbors_lanes_choose(search->context)->sieve};
    task.periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    task.half = mote_search_has(search, MOTE_NEIGHBORS_HALF) && !request->queries;
    task.indices_only = !mote_search_has(search, columns);
    const double most = search->points.max_radius;
    task.is_sharp = task.periodic && !request->queries &&
                    mote_margin_is_sharp(search, &rows->sort, mote_pair_reach(search, most, most));
    if (mote_search_has(search, MOTE_NEIGHBORS_RADII)) {
        if (search->def.radius_rule == MOTE_RADIUS_LARGER) task.rule = SIEVE_LARGER;
        if (search->def.radius_rule == MOTE_RADIUS_SUM) task.rule = SIEVE_SUM;
    }
    return task;
}

void mote_cell_rows_find_row(const mote_neighbors *search, const cell_rows *rows, const row_request *request,
                             row_writer *writer, mote_buffer *memory)
{
    const bool is_new = memory->bytes == 0;
    atomic_uint_least64_t blurred;
    atomic_init(&blurred, 0);
    bool done = mote_buffer_reserve(search->context, memory, sizeof(rows_worker), 0) == MOTE_OK;
    if (done) {
        rows_worker *worker = memory->data;
        if (is_new) memset(worker, 0, sizeof *worker);
        memset(&worker->shifts, 0, sizeof worker->shifts);
        memset(worker->hint, 0, sizeof worker->hint);  // of another search
        rows_task task = make_task(search, rows, request, writer);
        task.blurred = &blurred;
        row_group group;
        take_requested(&task, 0, 1, &group);
        close_group(&task, &group);
        done = find_group(&task, &group, worker, writer);
    }
    if (!done) atomic_store(&writer->sink->out_of_memory, true);
}

static void release_worker(const mote_context *context, rows_worker *worker)
{
    mote_buffer_release(context, &worker->block.memory);
    mote_buffer_release(context, &worker->runs);
    mote_buffer_release(context, &worker->span_memory);
    mote_buffer_release(context, &worker->slots);
    mote_buffer_release(context, &worker->blurred);
}

void mote_cell_rows_release_memory(const mote_context *context, mote_buffer *memory)
{
    if (memory->data) release_worker(context, memory->data);
    mote_buffer_release(context, memory);
}

static size_t worker_bytes(const rows_worker *worker)
{
    return worker->block.memory.bytes + worker->runs.bytes + worker->span_memory.bytes + worker->slots.bytes +
           worker->blurred.bytes;
}

size_t mote_cell_rows_memory_bytes(const mote_buffer *memory)
{
    return memory->bytes + (memory->data ? worker_bytes(memory->data) : 0);
}

void mote_cell_rows_find(mote_neighbors *search, cell_rows *rows, const row_request *request, row_writer *writers)
{
    if (mote_buffer_reserve_workers(search->context, &rows->workers, sizeof(rows_worker)) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    rows_worker *workers = rows->workers.data;  // the box may have changed
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w)
        memset(&workers[w].shifts, 0, sizeof workers[w].shifts);
    atomic_uint_least64_t blurred;
    atomic_init(&blurred, 0);
    rows_task task = make_task(search, rows, request, writers);
    task.blurred = &blurred;
    if (request->subset && request->count >= search->count / SHARE && !sort_subset(&task, &rows->subset)) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    mote_parallel_for(search->context, request->count, STRETCH, find_stretch, &task);
    const uint64_t all = (uint64_t)request->count * search->count;
    if (!rows->has_told && request->count >= MANY && atomic_load(&blurred) > all / MANY) {
        mote_log_message(search->context,
                         "neighbors: many points lie so many periods away that they are looked for one "
                         "by one, among all points: bring points into the box to be fast");
        rows->has_told = true;
    }
}

mote_result mote_cell_rows_build(const mote_neighbors *search, cell_rows *rows)
{
    return mote_class_sort_build(search, &rows->sort);
}

void mote_cell_rows_release(const mote_context *context, cell_rows *rows)
{
    rows_worker *workers = rows->workers.data;
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w) release_worker(context, workers + w);
    mote_buffer_release(context, &rows->workers);
    mote_buffer_release(context, &rows->subset);
    mote_class_sort_release(context, &rows->sort);
}

size_t mote_cell_rows_byte_count(const cell_rows *rows)
{
    const rows_worker *workers = rows->workers.data;
    size_t bytes = mote_class_sort_byte_count(&rows->sort) + rows->workers.bytes + rows->subset.bytes;
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w) bytes += worker_bytes(workers + w);
    return bytes;
}
