// SPDX-License-Identifier: MIT
// The objects of a broad phase, and boxes in the layouts that callers use.

#include "base/order.h"
#include "broadphase/store.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>

enum { BOXES = 4096 };  // boxes in a block of work

// -------------------------------------------------------------------------------------------------------- boxes

static mote_boxes boxes_from(const char *min, const char *max, size_t stride, size_t count, int dimensions)
{
    mote_boxes boxes = {.stride = (ptrdiff_t)stride, .count = count, .dimensions = dimensions};
    for (int k = 0; k < dimensions && k < 3; ++k) {
        boxes.min[k] = min + (size_t)k * sizeof(float);
        boxes.max[k] = max + (size_t)k * sizeof(float);
    }
    return boxes;
}

mote_boxes mote_boxes_corners(const float *corners, size_t count, int dimensions)
{
    size_t corner = (size_t)dimensions * sizeof(float);
    const char *first = (const char *)corners;
    return boxes_from(first, first + (corners ? corner : 0), 2 * corner, count, dimensions);
}

mote_boxes mote_boxes_min_max(const float *min, const float *max, size_t count, int dimensions)
{
    return boxes_from((const char *)min, (const char *)max, (size_t)dimensions * sizeof(float), count, dimensions);
}

mote_boxes mote_boxes_bounds(const mote_bounds *bounds, size_t count, int dimensions)
{
    const char *first = (const char *)bounds;
    size_t to_max = bounds ? offsetof(mote_bounds, max) : 0;
    return boxes_from(first, first + to_max, sizeof *bounds, count, dimensions);
}

static mote_result refuse_box(const mote_bounds *box, size_t i, int dimensions, const char *what, mote_error *error)
{
    int k = 0;
    while (k < dimensions - 1 && isfinite(box->min[k]) && isfinite(box->max[k]) && box->min[k] <= box->max[k]) ++k;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                     "%s: box %llu reaches from %g to %g in %c, expected finite numbers, the lower first", what,
                     (unsigned long long)i, (double)box->min[k], (double)box->max[k], "xyz"[k]);
}

mote_result mote_boxes_shape_check(const mote_boxes *boxes, int dimensions, const char *what, mote_error *error)
{
    if (boxes->dimensions != dimensions)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: boxes of %d dimensions, expected %d", what,
                         boxes->dimensions, dimensions);
    for (int k = 0; k < dimensions; ++k)
        if (boxes->count && (!boxes->min[k] || !boxes->max[k]))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: corners of axis %c are NULL", what, "xyz"[k]);
    if (boxes->count > UINT32_MAX - 1u)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: %llu boxes, expected at most 2^32 - 2", what,
                         (unsigned long long)boxes->count);
    return MOTE_OK;
}

// Whether the box is finite and has min ≤ max.
MOTE_INLINE bool is_fit(const mote_bounds *box, int dimensions)
{
    bool fit = true;
    for (int k = 0; k < dimensions; ++k)
        fit &= (box->min[k] <= box->max[k]) & (box->min[k] >= -FLT_MAX) & (box->max[k] <= FLT_MAX);
    return fit;
}

typedef struct boxes_task {
    const mote_boxes *boxes;
    mote_bounds *to;  // receives copies; NULL: none are made
    atomic_bool any_unfit;
} boxes_task;

MOTE_INLINE void take_boxes(boxes_task *task, size_t begin, size_t end, int dimensions)
{
    mote_boxes boxes = *task->boxes;
    boxes.dimensions = dimensions;
    bool fit = true;
    for (size_t i = begin; i < end; ++i) {
        const mote_bounds box = mote_boxes_get(&boxes, i);
        fit &= is_fit(&box, dimensions);
        if (task->to) task->to[i] = box;
    }
    if (!fit) atomic_store(&task->any_unfit, true);
}

static void take_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    boxes_task *task = data;
    if (task->boxes->dimensions == 2)
        take_boxes(task, begin, end, 2);
    else
        take_boxes(task, begin, end, 3);
}

mote_result mote_boxes_take(const mote_context *context, const mote_boxes *boxes, int dimensions, const char *what,
                            mote_bounds *to, mote_error *error)
{
    mote_result result = mote_boxes_shape_check(boxes, dimensions, what, error);
    if (result != MOTE_OK) return result;
    boxes_task task = {boxes, to, false};
    mote_parallel_for(context, boxes->count, BOXES, take_block, &task);
    if (!atomic_load(&task.any_unfit)) return MOTE_OK;
    size_t i = 0;
    mote_bounds box = mote_boxes_get(boxes, 0);
    while (is_fit(&box, dimensions)) box = mote_boxes_get(boxes, ++i);
    return refuse_box(&box, i, dimensions, what, error);
}

// -------------------------------------------------------------------------------------------------------- store

// Grows one array to `count` elements; its contents stay.
static mote_result grow(const mote_context *context, mote_buffer *memory, size_t count, size_t size, void *array)
{
    mote_result result = mote_buffer_reserve(context, memory, mote_bytes(count, size), memory->bytes);
    memcpy(array, &memory->data, sizeof memory->data);
    return result;
}

// The lists of ids have room for all ids, so filling them cannot fail.
static mote_result make_room(const mote_context *context, object_store *store, size_t more)
{
    if (more <= store->capacity - store->end) return MOTE_OK;
    if (more > (size_t)(UINT32_MAX - 1u) - store->end) return MOTE_ERROR_OUT_OF_MEMORY;
    size_t wanted = MOTE_MAX(store->end + more, (size_t)store->capacity + store->capacity / 2);
    size_t count = MOTE_MIN(MOTE_MAX(wanted, (size_t)64), (size_t)(UINT32_MAX - 1u));
    mote_result result = grow(context, &store->box_memory, count, sizeof *store->boxes, &store->boxes);
    if (result == MOTE_OK)
        result = grow(context, &store->filter_memory, count, sizeof *store->filters, &store->filters);
    if (result == MOTE_OK) result = grow(context, &store->flag_memory, count, sizeof *store->flags, &store->flags);
    if (result == MOTE_OK)
        result = grow(context, &store->free_memory, count, sizeof *store->free_ids, &store->free_ids);
    if (result == MOTE_OK)
        result = grow(context, &store->waiting_memory, count, sizeof *store->waiting, &store->waiting);
    if (result == MOTE_OK)
        result = grow(context, &store->changed_memory, count, sizeof *store->changed, &store->changed);
    if (result == MOTE_OK) store->capacity = (uint32_t)count;
    return result;
}

static void note_change(object_store *store, uint32_t id)
{
    if (store->flags[id] & OBJECT_CHANGED) return;
    store->flags[id] |= OBJECT_CHANGED;
    store->changed[store->changed_count++] = id;
}

void mote_store_note_filter(object_store *store, mote_filter filter)
{
    const mote_filter all = mote_filter_all();
    store->is_mixed |= filter.category != all.category || filter.mask != all.mask;
}

mote_result mote_store_add(const mote_context *context, object_store *store, const mote_boxes *boxes,
                           mote_object_kind kind, mote_filter filter, uint32_t *ids)
{
    size_t fresh = boxes->count - MOTE_MIN(boxes->count, (size_t)store->free_count);
    mote_result result = make_room(context, store, fresh);
    if (result != MOTE_OK) return result;
    for (size_t i = 0; i < boxes->count; ++i) {
        uint32_t id = store->end;
        if (store->free_count)
            id = store->free_ids[--store->free_count];
        else
            store->flags[store->end++] = 0;
        const uint8_t kept = store->flags[id] & OBJECT_CHANGED;  // removed and added again since the last update
        store->flags[id] = (uint8_t)(kept | OBJECT_ALIVE | (kind == MOTE_OBJECT_STATIC ? OBJECT_STATIC : 0));
        store->boxes[id] = mote_boxes_get(boxes, i);
        store->filters[id] = filter;
        note_change(store, id);
        if (ids) ids[i] = id;
    }
    store->alive += (uint32_t)boxes->count;
    store->reshaped |= boxes->count > 0;
    store->is_mixed |= kind == MOTE_OBJECT_STATIC;
    if (boxes->count) mote_store_note_filter(store, filter);
    return MOTE_OK;
}

void mote_store_move(object_store *store, uint32_t id, const mote_bounds *box)
{
    store->boxes[id] = *box;
    note_change(store, id);
}

void mote_store_move_first(const mote_context *context, object_store *store, const mote_boxes *boxes)
{
    boxes_task task = {boxes, store->boxes, false};
    mote_parallel_for(context, boxes->count, BOXES, take_block, &task);
    for (uint32_t id = 0; id < boxes->count; ++id) note_change(store, id);
}

void mote_store_remove(object_store *store, uint32_t id)
{
    static const mote_bounds empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    store->boxes[id] = empty;
    store->flags[id] &= (uint8_t)~(OBJECT_ALIVE | OBJECT_STATIC);
    store->alive -= 1;
    store->reshaped = true;
    note_change(store, id);
    if (store->flags[id] & OBJECT_TOLD)
        store->waiting[store->waiting_count++] = id;
    else
        store->free_ids[store->free_count++] = id;
}

void mote_store_changes_taken(object_store *store)
{
    for (uint32_t k = 0; k < store->changed_count; ++k)
        store->flags[store->changed[k]] &= (uint8_t)~OBJECT_CHANGED;
    store->changed_count = 0;
    store->reshaped = false;
}

void mote_store_events_told(object_store *store, const mote_pair *pairs, size_t count)
{
    for (uint32_t id = 0; id < store->end; ++id) store->flags[id] &= (uint8_t)~OBJECT_TOLD;
    for (size_t k = 0; k < count; ++k) {
        store->flags[pairs[k].a] |= OBJECT_TOLD;
        store->flags[pairs[k].b] |= OBJECT_TOLD;
    }
    while (store->waiting_count) store->free_ids[store->free_count++] = store->waiting[--store->waiting_count];
}

float mote_store_spacing(const object_store *store, int dimensions)
{
    enum { SAMPLE = 32 };
    float widest = 0;
    for (int k = 0; k < dimensions; ++k) {
        double sample[SAMPLE];
        uint32_t count = 0, step = store->end / SAMPLE + 1;
        for (uint32_t id = 0; id < store->end; id += step)
            if (mote_store_has(store, id)) sample[count++] = (double)store->boxes[id].min[k];
        mote_sort_doubles(sample, count);
        float half = count ? (float)sample[count - 1 - count / 4] / 2 - (float)sample[count / 4] / 2 : 0;
        widest = half > widest ? half : widest;
    }
    for (uint32_t left = store->alive; left > 1; left >>= dimensions) widest /= 2;
    return widest;
}

void mote_store_release(const mote_context *context, object_store *store)
{
    mote_buffer *buffers[] = {&store->box_memory,  &store->filter_memory,  &store->flag_memory,
                              &store->free_memory, &store->waiting_memory, &store->changed_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_store_byte_count(const object_store *store)
{
    return store->box_memory.bytes + store->filter_memory.bytes + store->flag_memory.bytes + store->free_memory.bytes +
           store->waiting_memory.bytes + store->changed_memory.bytes;
}

mote_result mote_store_validate(const object_store *store, mote_error *error)
{
    uint32_t alive = 0, changed = 0;
    for (uint32_t id = 0; id < store->end; ++id) {
        alive += (store->flags[id] & OBJECT_ALIVE) != 0;
        changed += (store->flags[id] & OBJECT_CHANGED) != 0;
        bool is_empty = !(store->boxes[id].min[0] <= store->boxes[id].max[0]);
        if (is_empty == mote_store_has(store, id))
            return mote_fail(error, MOTE_ERROR_STATE, id, "broadphase: object %u has a box that does not fit it", id);
    }
    for (uint32_t k = 0; k < store->free_count; ++k)
        if (mote_store_has(store, store->free_ids[k]))
            return mote_fail(error, MOTE_ERROR_STATE, k, "broadphase: object %u is in use and free",
                             store->free_ids[k]);
    if (alive == store->alive && changed == store->changed_count &&
        alive + store->free_count + store->waiting_count == store->end)
        return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "broadphase: %u objects of %u, %u free and %u waiting", alive,
                     store->end, store->free_count, store->waiting_count);
}

mote_filter mote_filter_all(void)
{
    mote_filter filter = {1, UINT64_MAX};
    return filter;
}
