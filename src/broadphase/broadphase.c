// SPDX-License-Identifier: MIT
// The public calls of broad phases: creation, objects, updates and inspection.

#include "broadphase/internal.h"

// ------------------------------------------------------------------------------------------------------- making

// Replaces the method in use by another one, with a fresh state.
static mote_result run_method(mote_broadphase *broad, const broadphase_method *method)
{
    if (broad->method == method) return MOTE_OK;
    void *state = mote_allocate(broad->context, method->state_bytes);
    if (!state) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(state, 0, method->state_bytes);
    if (broad->method) {
        broad->method->release(broad);
        mote_release(broad->context, broad->state, broad->method->state_bytes);
    }
    broad->method = method;
    broad->state = state;
    broad->needs_rebuild = true;
    return MOTE_OK;
}

mote_result mote_broadphase_create(mote_context *context, const mote_broadphase_def *def, mote_broadphase **broad,
                                   mote_error *error)
{
    const broadphase_method *method;
    if (!broad) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "broadphase: nowhere to put the object");
    mote_result result = mote_broadphase_def_check(def, &method, error);
    if (result != MOTE_OK) return result;
    mote_broadphase *made = mote_allocate(context, sizeof *made);
    if (made) {
        memset(made, 0, sizeof *made);
        made->context = context;
        made->def = *def;
        made->def.method = method->info.name;
        made->chooser = method->choose ? method : NULL;
        if (run_method(made, method->choose ? method->choose(made, &made->reason) : method) == MOTE_OK) {
            *broad = made;
            return MOTE_OK;
        }
        mote_release(context, made, sizeof *made);
    }
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "broadphase: no memory for the object itself");
}

void mote_broadphase_destroy(mote_broadphase *broad)
{
    if (!broad) return;
    broad->method->release(broad);
    mote_id_rows_release(broad);
    mote_pairs_release(broad);
    mote_store_release(broad->context, &broad->store);
    mote_release(broad->context, broad->state, broad->method->state_bytes);
    mote_release(broad->context, broad, sizeof *broad);
}

// ------------------------------------------------------------------------------------------------------ objects

static mote_result check_boxes(mote_broadphase *broad, const mote_boxes *boxes, mote_error *error)
{
    return mote_boxes_take(broad->context, boxes, broad->def.dimensions, "broadphase", NULL, error);
}

static mote_result check_kind(mote_object_kind kind, mote_error *error)
{
    if (kind == MOTE_OBJECT_MOVING || kind == MOTE_OBJECT_STATIC) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "broadphase: kind is %d, expected MOTE_OBJECT_MOVING or MOTE_OBJECT_STATIC", (int)kind);
}

mote_result mote_broadphase_add_many(mote_broadphase *broad, mote_boxes boxes, mote_object_kind kind,
                                     mote_filter filter, uint32_t *ids, mote_error *error)
{
    if (!broad) return mote_fail_null(error, "broadphase", "the object");
    mote_result result = check_kind(kind, error);
    if (result == MOTE_OK) result = check_boxes(broad, &boxes, error);
    if (result != MOTE_OK) return result;
    result = mote_store_add(broad->context, &broad->store, &boxes, kind, filter, ids);
    return result == MOTE_OK ? result : mote_broadphase_out_of_memory("more objects", error);
}

mote_result mote_broadphase_add(mote_broadphase *broad, const mote_bounds *box, mote_object_kind kind,
                                mote_filter filter, uint32_t *id, mote_error *error)
{
    if (!broad || !box || !id) return mote_broadphase_refuse_null(broad, box ? "id" : "box", error);
    return mote_broadphase_add_many(broad, mote_boxes_bounds(box, 1, broad->def.dimensions), kind, filter, id, error);
}

static mote_result refuse_id(uint32_t id, size_t place, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, place, "broadphase: there is no object %u (place %llu)", id,
                     (unsigned long long)place);
}

mote_result mote_broadphase_move_many(mote_broadphase *broad, const uint32_t *ids, mote_boxes boxes, mote_error *error)
{
    if (!broad) return mote_fail_null(error, "broadphase", "the object");
    mote_result result = check_boxes(broad, &boxes, error);
    if (result != MOTE_OK) return result;
    if (!ids && broad->store.alive == broad->store.end && boxes.count <= broad->store.end) {
        mote_store_move_first(broad->context, &broad->store, &boxes);
        return MOTE_OK;
    }
    for (size_t k = 0; k < boxes.count; ++k) {
        uint32_t id = ids ? ids[k] : (uint32_t)k;
        if (!mote_store_has(&broad->store, id)) return refuse_id(id, k, error);
    }
    for (size_t k = 0; k < boxes.count; ++k) {
        mote_bounds box = mote_boxes_get(&boxes, k);
        mote_store_move(&broad->store, ids ? ids[k] : (uint32_t)k, &box);
    }
    return MOTE_OK;
}

mote_result mote_broadphase_move(mote_broadphase *broad, uint32_t id, const mote_bounds *box, mote_error *error)
{
    if (!broad || !box) return mote_broadphase_refuse_null(broad, "box", error);
    return mote_broadphase_move_many(broad, &id, mote_boxes_bounds(box, 1, broad->def.dimensions), error);
}

mote_result mote_broadphase_remove_many(mote_broadphase *broad, const uint32_t *ids, size_t count, mote_error *error)
{
    if (!broad || (!ids && count)) return mote_broadphase_refuse_null(broad, "ids", error);
    object_store *store = &broad->store;
    mote_result result = MOTE_OK;
    size_t checked = 0;
    for (; checked < count && result == MOTE_OK; ++checked) {
        uint32_t id = ids[checked];
        if (!mote_store_has(store, id))
            result = refuse_id(id, checked, error);
        else if (store->flags[id] & OBJECT_MARK)
            result = mote_fail(error, MOTE_ERROR_ARGUMENT, checked,
                               "broadphase: object %u stands twice among those to remove", id);
        else
            store->flags[id] |= OBJECT_MARK;
    }
    for (size_t k = 0; k < checked; ++k)
        if (ids[k] < store->end) store->flags[ids[k]] &= (uint8_t)~OBJECT_MARK;
    for (size_t k = 0; k < count && result == MOTE_OK; ++k) mote_store_remove(store, ids[k]);
    return result;
}

mote_result mote_broadphase_remove(mote_broadphase *broad, uint32_t id, mote_error *error)
{
    return mote_broadphase_remove_many(broad, &id, 1, error);
}

mote_result mote_broadphase_set_filter(mote_broadphase *broad, uint32_t id, mote_filter filter, mote_error *error)
{
    if (!broad) return mote_fail_null(error, "broadphase", "the object");
    if (!mote_store_has(&broad->store, id)) return refuse_id(id, 0, error);
    mote_store_note_filter(&broad->store, filter);
    broad->store.filters[id] = filter;
    return MOTE_OK;
}

mote_result mote_broadphase_set_kind(mote_broadphase *broad, uint32_t id, mote_object_kind kind, mote_error *error)
{
    if (!broad) return mote_fail_null(error, "broadphase", "the object");
    if (!mote_store_has(&broad->store, id)) return refuse_id(id, 0, error);
    const mote_result result = check_kind(kind, error);
    if (result != MOTE_OK) return result;
    broad->store.is_mixed |= kind == MOTE_OBJECT_STATIC;
    if (kind == MOTE_OBJECT_STATIC)
        broad->store.flags[id] |= OBJECT_STATIC;
    else
        broad->store.flags[id] &= (uint8_t)~OBJECT_STATIC;
    return MOTE_OK;
}

bool mote_broadphase_object(const mote_broadphase *broad, uint32_t id, mote_object *object)
{
    if (!broad || !object || !mote_store_has(&broad->store, id)) return false;
    object->box = broad->store.boxes[id];
    object->filter = broad->store.filters[id];
    object->kind = mote_store_is_static(&broad->store, id) ? MOTE_OBJECT_STATIC : MOTE_OBJECT_MOVING;
    return true;
}

size_t mote_broadphase_count(const mote_broadphase *broad)
{
    if (!broad) return 0;
    return broad->store.alive;
}

uint32_t mote_broadphase_id_end(const mote_broadphase *broad)
{
    if (!broad) return 0;
    return broad->store.end;
}

mote_result mote_broadphase_update(mote_broadphase *broad, mote_error *error)
{
    if (!broad) return mote_fail_null(error, "broadphase", "the object");
    if (mote_broadphase_is_current(broad)) return MOTE_OK;
    mote_result result = MOTE_OK;
    if (broad->chooser) result = run_method(broad, broad->chooser->choose(broad, &broad->reason));
    if (result == MOTE_OK) {
        result = broad->method->update(broad, broad->needs_rebuild, error);
        broad->needs_rebuild = result != MOTE_OK;
    }
    if (result != MOTE_OK) return mote_broadphase_out_of_memory("the structure", error);
    mote_store_changes_taken(&broad->store);
    MOTE_VALIDATE(mote_broadphase_validate(broad, error) != MOTE_ERROR_STATE);
    return MOTE_OK;
}

// --------------------------------------------------------------------------------------------------- inspection

mote_broadphase_counters mote_broadphase_get_counters(const mote_broadphase *broad)
{
    if (!broad) return (mote_broadphase_counters){0};
    mote_broadphase_counters counters = broad->counters;
    counters.cells = counters.entries = 0;
    if (broad->method->count && !broad->needs_rebuild) broad->method->count(broad, &counters);
    return counters;
}

mote_result mote_broadphase_cells(const mote_broadphase *broad,
                                  void (*visitor)(void *user_data, const mote_broadphase_cell *cell), void *user_data,
                                  mote_error *error)
{
    if (!broad || !visitor) return mote_fail_null(error, "broadphase", broad ? "visitor" : "the object");
    if (!mote_broadphase_is_current(broad)) return mote_broadphase_refuse_state(error);
    if (broad->method->cells) broad->method->cells(broad, visitor, user_data);
    return MOTE_OK;
}

const char *mote_broadphase_explain(mote_broadphase *broad)
{
    if (!broad) return "";
    char *text = broad->explanation;
    const size_t size = sizeof broad->explanation;
    size_t length = 0;
    if (broad->chooser)
        length = mote_print(text, size, "%s: %s, %s; ", broad->chooser->info.name, broad->method->info.name,
                            broad->reason);
    else
        length = mote_print(text, size, "%s: ", broad->method->info.name);
    if (broad->method->explain && broad->store.alive && !broad->needs_rebuild && length < size)
        broad->method->explain(broad, text + length, size - length);
    else if (length < size)
        mote_print(text + length, size - length, "%s", broad->method->info.meaning);
    return text;
}

size_t mote_broadphase_byte_count(const mote_broadphase *broad, size_t *result_bytes)
{
    if (result_bytes) *result_bytes = 0;
    if (!broad) return 0;
    if (result_bytes) {
        *result_bytes = mote_id_rows_byte_count(broad) + mote_pairs_byte_count(broad);
        if (broad->method->result_bytes) *result_bytes += broad->method->result_bytes(broad);
    }
    return sizeof *broad + broad->method->state_bytes + mote_store_byte_count(&broad->store) +
           broad->method->byte_count(broad);
}

mote_result mote_broadphase_validate(mote_broadphase *broad, mote_error *error)
{
    if (!broad) return mote_fail_null(error, "broadphase", "the object");
    mote_result result = mote_store_validate(&broad->store, error);
    if (result != MOTE_OK || !mote_broadphase_is_current(broad)) return result;
    return broad->method->validate(broad, error);
}
