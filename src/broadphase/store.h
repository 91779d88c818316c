// SPDX-License-Identifier: MIT
// broadphase/store.h: the objects of a broad phase: permanent ids, boxes, filters, and the changes since the last
// update.
//
// It is common to all methods, which themselves store only places. Ids are indices of arrays. The id of a removed
// object is reused only after the events have reported the end of its pairs, if it had any.
#ifndef MOTE_BROADPHASE_STORE_H
#define MOTE_BROADPHASE_STORE_H

#include "base/internal.h"
#include "mote/broadphase.h"

enum {
    OBJECT_ALIVE = 1,
    OBJECT_STATIC = 2,
    OBJECT_CHANGED = 4,  // is in the list of changes
    OBJECT_TOLD = 8,     // is in a pair that the last events reported
    OBJECT_MARK = 16     // for use within a call
};

typedef struct object_store {
    mote_buffer box_memory, filter_memory, flag_memory, free_memory, waiting_memory, changed_memory;
    mote_bounds *boxes;    // by id; empty if there is no object, so that nothing overlaps it. In 2D the third axis is 0
    mote_filter *filters;
    uint8_t *flags;        // OBJECT_…
    uint32_t *free_ids;    // ids that may be reused; the last one first
    uint32_t *waiting;     // ids that may be reused after the next events
    uint32_t *changed;     // ids added, moved or removed since the last update
    uint32_t capacity, end, alive, free_count, waiting_count, changed_count;
    bool reshaped;  // ids were added or removed since the last update
    bool is_mixed;  // there were static objects, or filters other than mote_filter_all
} object_store;

// Checks that the boxes are valid: MOTE_OK, or MOTE_ERROR_ARGUMENT with the index of the first that is not.
// @param what  begins the error's text
// @param to    receives copies, in 2D with a third axis of 0; NULL: none
mote_result mote_boxes_take(const mote_context *context, const mote_boxes *boxes, int dimensions, const char *what,
                            mote_bounds *to, mote_error *error);

// Checks only the struct itself, not the corners.
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

// Adds boxes that were checked. On failure (MOTE_ERROR_OUT_OF_MEMORY) nothing changes.
mote_result mote_store_add(const mote_context *context, object_store *store, const mote_boxes *boxes,
                           mote_object_kind kind, mote_filter filter, uint32_t *ids);
// Must be called before an object's filter is set to this one.
void mote_store_note_filter(object_store *store, mote_filter filter);
void mote_store_move(object_store *store, uint32_t id, const mote_bounds *box);
// Moves objects 0 … boxes->count − 1, all of which must exist, in one call. The boxes were checked.
void mote_store_move_first(const mote_context *context, object_store *store, const mote_boxes *boxes);
void mote_store_remove(object_store *store, uint32_t id);

// To be called after an update; and after events, where `pairs` are the pairs of the reported events.
void mote_store_changes_taken(object_store *store);
void mote_store_events_told(object_store *store, const mote_pair *pairs, size_t count);

// Estimates the distance between objects, from the middle half of a sample of them. For choices that affect time,
// not results.
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
