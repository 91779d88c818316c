// SPDX-License-Identifier: MIT
// broadphase/store.h: the objects of a broad phase: ids that stay, boxes, filters, and what has changed.
//
// Common to all methods, which keep places alone. Ids lead straight into arrays; those of removed objects wait until
// events have told of their end, if there is anything to tell, and are then given out again.
#ifndef MOTE_BROADPHASE_STORE_H
#define MOTE_BROADPHASE_STORE_H

#include "base/internal.h"
#include "mote/broadphase.h"

enum {
    OBJECT_ALIVE = 1,
    OBJECT_STATIC = 2,
    OBJECT_CHANGED = 4,  // stands in the list of changes
    OBJECT_TOLD = 8,     // stands in a pair that the last events told of
    OBJECT_MARK = 16     // of use within a call
};

typedef struct object_store {
    mote_buffer box_memory, filter_memory, flag_memory, free_memory, waiting_memory, changed_memory;
    mote_bounds *boxes;    // by id; of no object: empty, so that nothing overlaps it. In 2D the third axis is 0
    mote_filter *filters;
    uint8_t *flags;        // OBJECT_…
    uint32_t *free_ids;    // that may be given out again; the last first
    uint32_t *waiting;     // that may once the next events are told
    uint32_t *changed;     // ids added, moved or removed since the last update
    uint32_t capacity, end, alive, free_count, waiting_count, changed_count;
    bool reshaped;  // ids came or went since the last update
    bool is_mixed;  // there were statics, or filters other than mote_filter_all
} object_store;

// Whether the boxes are fit to be taken in: MOTE_OK, or MOTE_ERROR_ARGUMENT with the index of the first that is not.
// @param what  begins the error's text
// @param to    receives copies, in 2D with a third axis of 0; NULL: none
mote_result mote_boxes_take(const mote_context *context, const mote_boxes *boxes, int dimensions, const char *what,
                            mote_bounds *to, mote_error *error);

// The same of the struct alone: says nothing about corners.
mote_result mote_boxes_shape_check(const mote_boxes *boxes, int dimensions, const char *what, mote_error *error);

// Box i, in 2D with a third axis of 0.
static inline mote_bounds mote_boxes_get(const mote_boxes *boxes, size_t i)
{
    mote_bounds box = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < boxes->dimensions; ++k) {
        box.min[k] = mote_load_f32((const char *)boxes->min[k] + (ptrdiff_t)i * boxes->stride);
        box.max[k] = mote_load_f32((const char *)boxes->max[k] + (ptrdiff_t)i * boxes->stride);
    }
    return box;
}

// Adds boxes that were checked. On failure (MOTE_ERROR_OUT_OF_MEMORY) all is as it was.
mote_result mote_store_add(const mote_context *context, object_store *store, const mote_boxes *boxes,
                           mote_object_kind kind, mote_filter filter, uint32_t *ids);
// Before an object's filter becomes this one.
void mote_store_note_filter(object_store *store, mote_filter filter);
void mote_store_move(object_store *store, uint32_t id, const mote_bounds *box);
// The same of objects 0 … boxes->count − 1, all of which there are, at once. The boxes were checked.
void mote_store_move_first(const mote_context *context, object_store *store, const mote_boxes *boxes);
void mote_store_remove(object_store *store, uint32_t id);

// After an update; and after events: the pairs told of are those of `pairs`.
void mote_store_changes_taken(object_store *store);
void mote_store_events_told(object_store *store, const mote_pair *pairs, size_t count);

// About how far apart objects are, by the middle half of a sample of them. For choices that cost time, not results.
float mote_store_spacing(const object_store *store, int dimensions);

void mote_store_release(const mote_context *context, object_store *store);
size_t mote_store_byte_count(const object_store *store);
mote_result mote_store_validate(const object_store *store, mote_error *error);

static inline bool mote_store_has(const object_store *store, uint32_t id)
{
    return id < store->end && (store->flags[id] & OBJECT_ALIVE);
}

static inline bool mote_store_is_static(const object_store *store, uint32_t id)
{
    return (store->flags[id] & OBJECT_STATIC) != 0;
}

#endif
