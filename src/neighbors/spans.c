// SPDX-License-Identifier: MIT
// The places of rows, recorded by workers and written to the lists later.

#include "neighbors/spans.h"

#include <string.h>

enum {
    PILE_ROWS = 1 << 14,  // rows whose entries fit the second-level cache
    LINE_ROWS = 16        // rows whose entries share a cache line
};

bool mote_spans_scattered(const uint32_t *order, size_t count)
{
    if (count < (size_t)SPAN_WINDOWS * SPAN_WINDOW) return false;
    size_t lines = 0;  // cache lines that a row of a window is the first to touch
    for (size_t w = 0; w < SPAN_WINDOWS; ++w) {
        const uint32_t *window = order + (count - SPAN_WINDOW) / (SPAN_WINDOWS - 1) * w;
        for (size_t k = 0; k < SPAN_WINDOW; ++k) {
            size_t before = 0;
            while (before < k && window[before] / LINE_ROWS != window[k] / LINE_ROWS) ++before;
            lines += before == k;
        }
    }
    return lines > (size_t)SPAN_WINDOWS * SPAN_WINDOW / 2;
}

void mote_spans_begin(const mote_context *context, span_piles *piles, mote_buffer *memory, size_t count)
{
    const uint32_t workers = mote_context_worker_count(context);
    piles->spans = NULL;
    piles->shift = 0;
    while (((size_t)1 << piles->shift) < PILE_ROWS || (count - 1) >> piles->shift >= SPAN_PILES) piles->shift += 1;
    piles->count = (uint32_t)((count - 1) >> piles->shift) + 1;
    piles->room = ((uint32_t)1 << piles->shift) + workers * SPAN_GRAB;
    const size_t all = (size_t)piles->count * piles->room, rooms = workers * sizeof(span_room);
    if (mote_buffer_reserve(context, memory, rooms + mote_bytes(all, sizeof(row_span)), 0) != MOTE_OK) return;
    piles->rooms = memory->data;
    piles->spans = (row_span *)(void *)(piles->rooms + workers);
    memset(piles->rooms, 0, rooms);
    for (uint32_t p = 0; p < piles->count; ++p) atomic_init(piles->used + p, 0);
}

void mote_span_grab(span_piles *piles, span_room *room, uint32_t pile)
{
    room->at[pile] = piles->spans + (size_t)pile * piles->room + atomic_fetch_add(piles->used + pile, SPAN_GRAB);
    room->end[pile] = room->at[pile] + SPAN_GRAB;
    for (row_span *span = room->at[pile]; span < room->end[pile]; ++span) span->row = UINT32_MAX;  // unused
}

typedef struct put_task {
    span_piles *piles;
    uint64_t *first;
    uint32_t *counts;
} put_task;

static void put_pile(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)end, (void)worker;
    const put_task *task = data;
    const row_span *span = task->piles->spans + begin * task->piles->room;
    const row_span *behind = span + atomic_load(task->piles->used + begin);
    for (; span < behind; ++span) {
        if (span->row == UINT32_MAX) continue;
        task->first[span->row] = span->first;
        task->counts[span->row] = span->count;
    }
}

void mote_spans_end(const mote_context *context, span_piles *piles, uint64_t *first, uint32_t *counts)
{
    put_task task = {piles, first, counts};
    mote_parallel_for(context, piles->count, 1, put_pile, &task);
    piles->spans = NULL;
}
