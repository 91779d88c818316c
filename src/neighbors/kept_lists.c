// SPDX-License-Identifier: MIT
// Lists that outlive the next call, and even the search.
//
// A handle holds memory of lists. Taking lists exchanges the memory of a handle that was given back, the largest there
// is, with the search's, so that the search can go on with it; only if there is none, a handle is allocated. Handles
// that were given back form a chain, in which a handle that is given twice is found without looking into it.
//
// Handles can outlive their search, and a new search may then lie at the same address. So they name the search by a
// small block of its own, its origin, which exists as long as the search or any of its handles.

#include "neighbors/kept_lists.h"

#include <stdatomic.h>
#include <string.h>

struct lists_origin {
    atomic_size_t references;  // of the search and of its handles
};

struct mote_kept_lists {
    const mote_context *context;
    lists_origin *origin;
    list_memory memory;
    mote_lists lists;       // empty if it was given back
    mote_kept_lists *next;  // if it was given back: the next one in the chain
    bool is_given;
};

static void release_origin(const mote_context *context, lists_origin *origin)
{
    if (origin && atomic_fetch_sub(&origin->references, 1) == 1) mote_release(context, origin, sizeof *origin);
}

static void free_handle(mote_kept_lists *kept)
{
    const mote_context *context = kept->context;
    mote_list_memory_release(context, &kept->memory);
    release_origin(context, kept->origin);
    mote_release(context, kept, sizeof *kept);
}

static void exchange_memory(list_memory *a, list_memory *b)
{
    const list_memory saved = *a;
    *a = *b;
    *b = saved;
}

// Returns the place in the chain of the handle with the most memory, or NULL if the chain is empty.
static mote_kept_lists **find_largest(mote_neighbors *search)
{
    mote_kept_lists **largest = NULL;
    size_t most = 0;
    for (mote_kept_lists **at = &search->kept.given; *at; at = &(*at)->next) {
        const size_t bytes = mote_list_memory_byte_count(&(*at)->memory);
        if (largest && bytes <= most) continue;
        largest = at;
        most = bytes;
    }
    return largest;
}

// ----------------------------------------------------------------------------------------------------- the search

bool mote_kept_memory_drop(mote_neighbors *search)
{
    size_t bytes = 0;
    for (mote_kept_lists *kept = search->kept.given; kept; kept = kept->next) {
        bytes += mote_list_memory_byte_count(&kept->memory);
        mote_list_memory_release(search->context, &kept->memory);
    }
    return bytes > 0;
}

void mote_kept_memory_use(mote_neighbors *search)
{
    mote_kept_lists **largest = find_largest(search);
    if (largest &&
        mote_list_memory_byte_count(&(*largest)->memory) > mote_list_memory_byte_count(&search->lists))
        exchange_memory(&(*largest)->memory, &search->lists);
}

void mote_latest_lists_note(mote_neighbors *search, const mote_lists *lists)
{
    search->kept.latest = *lists;
    search->kept.has_latest = true;
}

void mote_latest_lists_forget(mote_neighbors *search)
{
    search->kept.has_latest = false;
    search->pairs.are_found = false;  // they lie in the same memory
}

void mote_kept_memory_release(mote_neighbors *search)
{
    while (search->kept.given) {
        mote_kept_lists *kept = search->kept.given;
        search->kept.given = kept->next;
        free_handle(kept);
    }
    release_origin(search->context, search->kept.origin);
    search->kept = (kept_memory){.given = NULL};
}

size_t mote_kept_memory_byte_count(const mote_neighbors *search)
{
    size_t bytes = search->kept.origin ? sizeof *search->kept.origin : 0;
    for (const mote_kept_lists *kept = search->kept.given; kept; kept = kept->next)
        bytes += mote_kept_lists_byte_count(kept);
    return bytes;
}

// ---------------------------------------------------------------------------------------------------------- public

static mote_kept_lists *create_handle(mote_neighbors *search)
{
    const mote_context *context = search->context;
    if (!search->kept.origin) {
        lists_origin *origin = mote_allocate(context, sizeof *origin);
        if (!origin) return NULL;
        atomic_init(&origin->references, 1);
        search->kept.origin = origin;
    }
    mote_kept_lists *made = mote_allocate(context, sizeof *made);
    if (!made) return NULL;
    memset(made, 0, sizeof *made);
    made->context = context;
    made->origin = search->kept.origin;
    atomic_fetch_add(&made->origin->references, 1);
    return made;
}

mote_result mote_neighbors_take_lists(mote_neighbors *search, mote_kept_lists **kept, mote_error *error)
{
    if (!search || !kept) return mote_fail_null(error, "neighbors", search ? "kept" : "the object");
    if (!search->kept.has_latest)
        return mote_fail(error, MOTE_ERROR_STATE, 0,
                         "neighbors: no lists to take, expected a lists, subset, query or nearest call just before");
    mote_kept_lists **place = find_largest(search), *taken = place ? *place : create_handle(search);
    if (!taken) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "neighbors: no memory for kept lists");
    if (place) *place = taken->next;
    exchange_memory(&taken->memory, &search->lists);
    taken->next = NULL;
    taken->is_given = false;
    taken->lists = search->kept.latest;
    mote_latest_lists_forget(search);
    *kept = taken;
    return MOTE_OK;
}

mote_result mote_neighbors_give_lists(mote_neighbors *search, mote_kept_lists *kept, mote_error *error)
{
    if (!search || !kept) return mote_fail_null(error, "neighbors", search ? "kept" : "the object");
    for (const mote_kept_lists *given = search->kept.given; given; given = given->next)
        if (given == kept)
            return mote_fail(error, MOTE_ERROR_STATE, 0, "kept: lists that were given back already, expected lists "
                             "that mote_neighbors_take_lists has handed over since");
    if (kept->origin != search->kept.origin)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "kept: lists of another search, expected those that "
                         "mote_neighbors_take_lists handed over from this one");
    memset(&kept->lists, 0, sizeof kept->lists);
    kept->is_given = true;
    kept->next = search->kept.given;
    search->kept.given = kept;
    return MOTE_OK;
}

const mote_lists *mote_kept_lists_get(const mote_kept_lists *kept)
{
    return kept ? &kept->lists : NULL;
}

size_t mote_kept_lists_byte_count(const mote_kept_lists *kept)
{
    return kept ? sizeof *kept + mote_list_memory_byte_count(&kept->memory) : 0;
}

void mote_kept_lists_destroy(mote_kept_lists *kept)
{
    if (kept && !kept->is_given) free_handle(kept);  // one that was given back is the search's
}
