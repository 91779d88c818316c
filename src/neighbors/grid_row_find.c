// SPDX-License-Identifier: MIT
// Finds the rows of a group among its candidates: the sieve decides most of them, the exact test the rest; then the
// row's columns are written.

#include "neighbors/grid_row_group.h"

#include <string.h>

#include "neighbors/collect.h"

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
// `end`: of floats, and of doubles.
static void measure_floats(const row_test *test, const uint32_t *slots, size_t n, size_t end, const double *vector,
                           const row_columns *to)
{
    float *const squared = to->squared, *const differences = to->differences;
    for (; n < end; ++n) {
        row_hit hit;
        measure(test, slots[n], vector, &hit, MOTE_F32);
        if (squared) squared[n] = (float)hit.squared;
        for (size_t k = 0; k < 3 && differences; ++k) differences[3 * n + k] = (float)hit.d[k];
    }
}

static void measure_doubles(const row_test *test, const uint32_t *slots, size_t n, size_t end, const double *vector,
                            const row_columns *to, size_t count)
{
    row_measures row = {.place = test->worker->block.place, .slots = slots, .begin = n, .end = end, .count = count};
    row.records = test->task->rows->sort.records;
    row.squared = to->squared, row.differences = to->differences;
    row.is_shifted = vector != NULL;
    for (int k = 0; k < 3; ++k) {
        row.at[k] = test->entry->query.at[k];
        row.shift[k] = vector ? vector[k] : 0;
    }
    test->task->lanes->measure(&row);
}

// Writes the columns of a row. Compiled for each of its cases.
MOTE_INLINE void fill_row(const row_test *test, const uint32_t *slots, size_t count, const row_columns *to,
                          const mote_scalar scalar, const bool periodic)
{
    const uint32_t *index = test->worker->block.index;
    const bool measures = to->squared || to->differences;
    uint32_t *const indices = to->indices;
    int32_t *const shifts = to->shifts;
    for (size_t n = 0; n < count; ++n) indices[n] = index[slots[n]];
    if (!periodic) {
        if (measures && scalar == MOTE_F64) measure_doubles(test, slots, 0, count, NULL, to, count);
        if (measures && scalar == MOTE_F32) measure_floats(test, slots, 0, count, NULL, to);
        return;
    }
    const shift_span *span = test->worker->span_memory.data;
    for (size_t n = 0, begin = 0; n < count; begin = n) {  // one span at a time
        int32_t shift[3];
        while (slots[n] >= span->end) ++span;
        find_shift(test, span, shift);
        const uint32_t span_end = span->end;
        for (; n < count && slots[n] < span_end; ++n) memcpy(shifts + 3 * n, shift, sizeof shift);
        if (!measures) continue;
        const double *kept = mote_shift_cache_get(&test->worker->shifts, &test->task->search->box, shift, scalar);
        const double vector[3] = {kept[0], kept[1], kept[2]};
        if (scalar == MOTE_F64) measure_doubles(test, slots, begin, n, vector, to, count);
        if (scalar == MOTE_F32) measure_floats(test, slots, begin, n, vector, to);
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

// Writes the tags of the neighbours among the candidates of all levels. Returns their number.
static size_t sieve_segments(row_test *test, sieve_query *query, const uint32_t *tags, uint32_t *row)
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
        count += test->task->lanes->sieve(&block, query, tags + segment->begin, row + count);
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
    if (!mote_cell_rows_reserve(task, &worker->slots, block->count + MOTE_WIDE_MOST, sizeof(uint32_t), 0)) return false;
    uint32_t *slots = worker->slots.data;
    size_t count = sieve_segments(test, query, block->slot, slots);
    if (filter) count = keep_pairs(test, slots, count);
    row_columns columns;
    if (!writer->sink->ascending) {
        if (!mote_row_open(writer, count + hit_count, &columns)) return true;  // the sink has recorded the failure
        memset(slots + count, 0, MOTE_WIDE_MOST * sizeof *slots);
        fill_functions[task->search->scalar == MOTE_F64][task->periodic](test, slots, count, &columns);
        if (hit_count) mote_row_fill(writer->sink, &columns, count, writer->hits.data, hit_count);
        mote_row_close(writer, test->entry->query.row, &columns, count + hit_count);
        return true;
    }
    if (!mote_cell_rows_reserve(task, &writer->hits, hit_count + count, sizeof(row_hit), hit_count)) return false;
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

// The number of a shift's code, in the place that it has in a code.
static uint32_t shift_code(const int32_t shift[3])
{
    return (mote_shift_step(shift) + CODE_NO_SHIFT) << CODE_PLACE_BITS;
}

// Notes the shifts between a span and the entries of the group. Returns false if one of them has no code.
static bool note_shifts(const row_group *group, const shift_span *span, uint64_t used[2])
{
    const image *before = NULL;
    for (uint32_t e = 0; e < group->count; ++e) {
        const image *wrap = &group->entries[e].wrap;
        if (before && memcmp(before, wrap, sizeof *wrap) == 0) continue;
        int32_t shift[3];
        for (int k = 0; k < 3; ++k) {
            shift[k] = span->shift.shift[k] - wrap->shift[k];
            if (shift[k] < -CODE_MOST_SHIFT || shift[k] > CODE_MOST_SHIFT) return false;
        }
        const uint32_t number = shift_code(shift) >> CODE_PLACE_BITS;
        used[number / 64] |= UINT64_C(1) << number % 64;
        before = wrap;
    }
    return true;
}

// Makes the codes of the candidates, as the first entry of the group sees them. Returns false if there is no memory;
// if some have no code, the request records this.
static bool make_codes(const rows_task *task, const row_group *group, rows_worker *worker)
{
    row_codes *of = task->request->codes;
    const candidate_set *block = &worker->block;
    const shift_span *spans = worker->span_memory.data, whole = {0, (uint32_t)block->count, group->entries[0].wrap};
    const size_t span_count = task->periodic ? worker->span_count : 1;
    bool fit = worker->blurred_count == 0;
    uint64_t used[2] = {0, 0};
    if (!mote_cell_rows_reserve(task, &worker->codes, block->count + MOTE_WIDE_MOST, sizeof(uint32_t), 0)) return false;
    uint32_t *codes = worker->codes.data;
    for (size_t n = 0; n < span_count && fit; ++n) {
        const shift_span *span = task->periodic ? spans + n : &whole;
        int32_t shift[3];
        for (int k = 0; k < 3; ++k) shift[k] = span->shift.shift[k] - group->entries[0].wrap.shift[k];
        fit = note_shifts(group, span, used);
        const uint32_t code = shift_code(shift);
        for (uint32_t slot = span->begin; slot < span->end; ++slot) codes[slot] = block->place[slot] + code;
    }
    if (!fit) atomic_store(&of->is_unfit, true);
    for (int k = 0; k < 2; ++k)
        if (used[k] & ~atomic_load_explicit(of->shifts + k, memory_order_relaxed))
            atomic_fetch_or(of->shifts + k, used[k]);
    return true;
}

// Finds a row of codes, which the sieve writes directly to its final place.
// @param first  the wrap of the group's first entry, to which the block's codes belong
static bool find_codes(row_test *test, sieve_query *query, const image *first, bool filter, rows_worker *worker,
                       row_writer *writer)
{
    const group_entry *entry = test->entry;
    const uint32_t *index = test->task->rows->sort.index, own = (uint32_t)CODE_NO_SHIFT << CODE_PLACE_BITS;
    uint32_t *row = mote_row_begin(writer, worker->block.count + MOTE_WIDE_MOST);
    if (!row) return false;
    size_t count = sieve_segments(test, query, worker->codes.data, row), kept = 0;
    int32_t turn[3];
    for (int k = 0; k < 3; ++k) turn[k] = entry->wrap.shift[k] - first->shift[k];
    const uint32_t step = mote_shift_step(turn) << CODE_PLACE_BITS;
    for (size_t k = 0; k < count && step; ++k) row[k] -= step;
    for (size_t k = 0; k < count && filter; ++k) {
        const uint32_t code = row[kept] = row[k], place = code - own;
        kept += place >> CODE_PLACE_BITS != 0 || index[place] != entry->query.self;
    }
    mote_row_end(writer, entry->query.row, row, (uint32_t)(filter ? kept : count));
    return true;
}

bool mote_row_group_find(const rows_task *task, const row_group *group, rows_worker *worker, row_writer *writer)
{
    if (!mote_row_group_gather(task, group, worker) || !mote_row_group_gather_blurred(task, group, worker))
        return false;
    row_codes *codes = task->request->codes;
    if (codes && !make_codes(task, group, worker)) return false;
    if (codes && atomic_load_explicit(&codes->is_unfit, memory_order_relaxed)) return true;
    const uint32_t first_slot = mote_row_group_first_slot(task, group, worker);
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
        bool done;
        if (codes)
            done = find_codes(&test, &query, &group->entries[0].wrap, filter, worker, writer);
        else if (task->indices_only)
            done = find_indices(&test, &query, filter, writer);
        else
            done = find_columns(&test, &query, filter, worker, writer);
        if (hides) mote_candidate_show(&worker->block, first_slot + e, hidden);
        if (!done) return false;
        writer->candidates += candidates;
    }
    if (worker->blurred_count)
        atomic_fetch_add_explicit(task->blurred, (uint64_t)worker->blurred_count * group->count, memory_order_relaxed);
    return true;
}
