// SPDX-License-Identifier: MIT
// Writes rows for one worker.

#include <string.h>

#include "base/order.h"
#include "neighbors/row_writer.h"

uint32_t *mote_row_grow_scratch(row_writer *writer, size_t room)
{
    row_sink *sink = writer->sink;
    if (mote_buffer_reserve(sink->context, &writer->scratch, mote_bytes(room, sizeof(uint32_t)), 0) == MOTE_OK)
        return writer->scratch.data;
    atomic_store(&sink->out_of_memory, true);
    return NULL;
}

bool mote_row_grow_columns(row_writer *writer)
{
    row_sink *sink = writer->sink;
    if (mote_buffer_reserve(sink->context, &writer->columns, writer->scratch.bytes, 0) == MOTE_OK) return true;
    atomic_store(&sink->out_of_memory, true);
    return false;
}

// Takes a chunk with room for at least `count` indices; false when the shared buffer is used up.
static bool take_chunk(row_writer *writer, uint32_t count)
{
    row_sink *sink = writer->sink;
    uint64_t size = MOTE_MAX(count, sink->chunk);
    uint64_t start = atomic_fetch_add(&sink->used, size);
    if (start > sink->capacity || count > sink->capacity - start) {
        atomic_store(&sink->overflowed, true);
        return false;
    }
    size = MOTE_MIN(size, sink->capacity - start);
    writer->cursor = sink->indices + start;
    writer->end = writer->cursor + size;
    return true;
}

void mote_row_end_slow(row_writer *writer, uint32_t index, uint32_t *row, uint32_t count)
{
    row_sink *sink = writer->sink;
    if (sink->ascending) mote_row_ascend(sink->form, row, count, NULL);
    const float *squared = sink->wants_squared ? mote_row_squared(writer, row) : NULL;
    if (sink->visitor) {
        mote_row handed = {.index = index, .count = count, .indices = row, .squared = squared};
        sink->visitor(sink->user_data, handed, writer->worker);
        return;
    }
    if (writer->in_scratch) {
        if ((size_t)(writer->end - writer->cursor) < count && !take_chunk(writer, count)) return;
        if (count) memcpy(writer->cursor, row, count * sizeof *row);
        row = writer->cursor;
        if (count && squared) memcpy((float *)sink->squared + (row - sink->indices), squared, count * sizeof *squared);
    }
    mote_row_put(writer, index, count ? (uint64_t)(row - sink->indices) : 0, count);
    writer->cursor = row + count;
}

// ------------------------------------------------------------------------------------------------- rows of hits

#define SORT_TYPE row_hit
#define SORT_BEFORE(data, a, b) mote_hit_is_nearer(&(a), &(b))
#define SORT_NAME(verb) by_distance_##verb
#include "base/sorts.inl"

static bool comes_before(const row_hit *a, const row_hit *b)
{
    return a->index != b->index ? a->index < b->index : mote_shift_is_less(a->shift, b->shift);
}

#define SORT_TYPE row_hit
#define SORT_BEFORE(data, a, b) comes_before(&(a), &(b))
#define SORT_NAME(verb) by_index_##verb
#include "base/sorts.inl"

static void sort_hits(row_hit *hits, size_t count, bool by_distance)
{
    if (by_distance)
        by_distance_sort(NULL, hits, count);
    else
        by_index_sort(NULL, hits, count);
}

static void fill_columns(const row_sink *sink, const row_hit *hits, size_t count, row_columns to)
{
    for (size_t k = 0; k < count; ++k) to.indices[k] = hits[k].index;
    if (sink->wants_squared)
        for (size_t k = 0; k < count; ++k) {
            if (sink->is_f64)
                ((double *)to.squared)[k] = hits[k].squared;
            else
                ((float *)to.squared)[k] = (float)hits[k].squared;
        }
    for (size_t k = 0; k < count && sink->wants_differences; ++k)
        for (size_t a = 0; a < 3; ++a) {
            if (sink->is_f64)
                ((double *)to.differences)[3 * k + a] = hits[k].d[a];
            else
                ((float *)to.differences)[3 * k + a] = (float)hits[k].d[a];
        }
    if (sink->wants_shifts)
        for (size_t k = 0; k < count; ++k) memcpy(to.shifts + 3 * k, hits[k].shift, sizeof hits[k].shift);
}

// Provides columns in the writer's own memory, for a visitor.
static bool open_scratch(row_writer *writer, size_t count, row_columns *columns)
{
    row_sink *sink = writer->sink;
    size_t scalar = sink->is_f64 ? sizeof(double) : sizeof(float), room = count + 1;
    size_t bytes = mote_bytes(room, 4 * scalar + sizeof(uint32_t) + 3 * sizeof(int32_t));
    if (mote_buffer_reserve(sink->context, &writer->columns, bytes, 0) != MOTE_OK) {
        atomic_store(&sink->out_of_memory, true);
        return false;
    }
    char *at = writer->columns.data;
    columns->squared = sink->wants_squared ? at : NULL;
    columns->differences = sink->wants_differences ? at + room * scalar : NULL;
    at += 4 * room * scalar;
    columns->shifts = sink->wants_shifts ? (int32_t *)(void *)at : NULL;
    columns->indices = (uint32_t *)(void *)(at + 3 * room * sizeof(int32_t));
    return true;
}

bool mote_row_open(row_writer *writer, size_t count, row_columns *columns)
{
    row_sink *sink = writer->sink;
    writer->hit_count += count;
    if (sink->visitor) return open_scratch(writer, count, columns);
    if ((size_t)(writer->end - writer->cursor) < count && !take_chunk(writer, (uint32_t)count)) return false;
    size_t at = count ? (size_t)(writer->cursor - sink->indices) : 0;
    size_t scalar = sink->is_f64 ? sizeof(double) : sizeof(float);
    columns->indices = sink->indices + at;
    columns->squared = sink->wants_squared ? (char *)sink->squared + at * scalar : NULL;
    columns->differences = sink->wants_differences ? (char *)sink->differences + 3 * at * scalar : NULL;
    columns->shifts = sink->wants_shifts ? sink->shifts + 3 * at : NULL;
    return true;
}

void mote_row_close(row_writer *writer, uint32_t index, const row_columns *columns, size_t count)
{
    row_sink *sink = writer->sink;
    if (!sink->visitor) {
        mote_row_put(writer, index, (uint64_t)(columns->indices - sink->indices), (uint32_t)count);
        writer->cursor += count;
        return;
    }
    mote_row row = {.index = index, .count = (uint32_t)count, .indices = columns->indices};
    if (sink->is_f64)
        row.squared_f64 = columns->squared, row.differences_f64 = columns->differences;
    else
        row.squared = columns->squared, row.differences = columns->differences;
    row.shifts = columns->shifts;
    sink->visitor(sink->user_data, row, writer->worker);
}

void mote_row_sort_hits(row_hit *hits, size_t count)
{
    sort_hits(hits, count, false);
}

void mote_row_fill(const row_sink *sink, const row_columns *columns, size_t first, const row_hit *hits, size_t count)
{
    const size_t scalar = sink->is_f64 ? sizeof(double) : sizeof(float);
    row_columns to = *columns;
    to.indices += first;
    if (sink->wants_squared) to.squared = (char *)to.squared + first * scalar;
    if (sink->wants_differences) to.differences = (char *)to.differences + 3 * first * scalar;
    if (sink->wants_shifts) to.shifts += 3 * first;
    fill_columns(sink, hits, count, to);
}

void mote_row_write_hits(row_writer *writer, uint32_t index, row_hit *hits, size_t count, uint32_t nearest)
{
    row_sink *sink = writer->sink;
    row_columns columns;
    if (nearest || sink->ascending) sort_hits(hits, count, nearest);
    if (nearest && count > nearest) count = nearest;
    if (!mote_row_open(writer, count, &columns)) return;
    fill_columns(sink, hits, count, columns);
    mote_row_close(writer, index, &columns, count);
}

void mote_rows_end_in_order(mote_neighbors *search, row_writer *writers, const uint32_t *order, size_t count)
{
    row_sink *sink = writers->sink;
    if (!sink->visitor && sink->row_count >= SPAN_ROWS && mote_spans_scattered(order, count))
        mote_spans_begin(search->context, &sink->piles, &search->rows.spans, sink->row_count);
}
