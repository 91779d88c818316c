// SPDX-License-Identifier: MIT
// The lists of pairs of sets.
//
// Where a large set looks into a small one, most of its points have nothing near, and to find out which these are costs
// more than all the rest. The small set finds the same pairs when it looks into the large one, so the rows of the large
// set are made from those of the small one (turned.c), unless they have so many neighbours that it is faster to find
// them. The order of rows must be known for that, before any is found.

#include <string.h>

#include "neighbors/rows.h"
#include "neighbors/sets_state.h"
#include "neighbors/turned.h"
#include "neighbors/visits.h"

enum {
    SPARSE = 4,       // neighbours of a row in another set for which the first call makes room
    FEWER = 4,        // how many times as large a set must be for its rows to be turned round
    MOST_TURNED = 8   // neighbours of a row, in the mean, up to which that pays
};

// The rows of set s with the points of set t.
static row_request request_pair(const neighbors_sets *sets, uint32_t s, uint32_t t, mote_points *queries)
{
    const set_entry *from = mote_set_get(sets, s);
    const point_store *store = mote_search_keeps_points(from->search) ? &from->search->points : &from->points;
    row_request request = {.count = from->search->count};
    if (s == t) return request;
    if (!mote_set_get_sorted(from->search, queries, &request.numbers)) {
        *queries = mote_point_store_view(store);
        request.query_radii = mote_point_store_radii(store);
        MOTE_ASSERT(store->count == from->search->count);
    }
    request.queries = queries;
    request.guess = SPARSE;
    return request;
}

static mote_result refuse_looking_across(uint32_t s, uint32_t t, const neighbors_sets *sets, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, (uint64_t)s * sets->count + t,
                     "neighbors: set %u looks into set %u, expected MOTE_NEIGHBORS_QUERY in the def's features",
                     (unsigned)s, (unsigned)t);
}

mote_result mote_sets_check_pairs(const mote_neighbors *search, const bool *active, size_t pair_count,
                                  mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    if (!mote_sets_are_held(search)) return mote_sets_refuse_none(error);
    const size_t pairs = (size_t)sets->count * sets->count;
    if (pair_count != pairs)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, pair_count,
                         "neighbors: a table of %llu pairs, expected %llu for %u sets", (unsigned long long)pair_count,
                         (unsigned long long)pairs, (unsigned)sets->count);
    if (mote_search_has(search, MOTE_NEIGHBORS_QUERY)) return MOTE_OK;
    for (uint32_t s = 0; s < sets->count; ++s)
        for (uint32_t t = 0; t < sets->count; ++t)
            if (s != t && mote_set_pair_is_active(sets, active, s, t))
                return refuse_looking_across(s, t, sets, error);
    return MOTE_OK;
}

// Tells whether the rows of other points in the set have an order that is known: that of `order`, or, if it is NULL, by
// index.
static bool get_order(const mote_neighbors *search, const uint32_t **order)
{
    const bool by_index = mote_search_has(search, MOTE_NEIGHBORS_ASCENDING);
    *order = NULL;
    if (by_index || search->method == &mote_neighbors_all_pairs) return true;
    if (search->method == &mote_neighbors_cell_grid) *order = search->method->order_of_rows(search);
    return *order != NULL;
}

// Tells whether the rows of set s in set t are to be made from those of set t in set s.
static bool is_turned(const neighbors_sets *sets, uint32_t s, uint32_t t)
{
    const mote_neighbors *from = mote_set_get(sets, s)->search, *into = mote_set_get(sets, t)->search;
    const uint32_t others = MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN |
                            MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES;
    const uint32_t *order;
    if (s == t || mote_search_has(from, others) || !from->method->info.exact) return false;
    return into->count <= from->count / FEWER && get_order(into, &order);
}

static mote_result turn_pair(const mote_neighbors *search, uint32_t s, uint32_t t, const mote_lists *from,
                             mote_lists *lists, mote_error *error)
{
    neighbors_sets *sets = search->sets;
    const uint32_t *order = NULL;
    const bool is_known = get_order(mote_set_get(sets, t)->search, &order);
    MOTE_ASSERT(is_known);
    (void)is_known;
    const size_t count = mote_set_get(sets, s)->search->count;
    const uint64_t room = mote_rows_first_room(search, count, SPARSE);  // as if they were searched for
    const mote_result result = mote_rows_turn(search->context, from, order, count, room, &sets->turned,
                                              mote_set_pair_memory(sets, s, t), lists);
    return mote_pass_memory(error, result, "neighbors: the lists");
}

// Finds the rows of set s in set t, and counts the work.
static mote_result find_pair(mote_neighbors *search, uint32_t s, uint32_t t, mote_lists *lists, mote_error *error)
{
    mote_points queries;
    mote_neighbors *into = mote_set_get(search->sets, t)->search;
    const row_request request = request_pair(search->sets, s, t, &queries);
    const mote_result result =
        mote_rows_store(into, &request, mote_set_pair_memory(search->sets, s, t), lists, error);
    if (result != MOTE_OK) return result;
    search->counters.candidates += into->counters.candidates;
    search->counters.hits += into->counters.hits;
    return MOTE_OK;
}

// Finds the rows of set s in set t in the other set's rows, which `lists` has if they are active.
static mote_result find_turned(mote_neighbors *search, const bool *active, uint32_t s, uint32_t t, mote_lists *lists,
                               mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    mote_lists *to = lists + (size_t)s * sets->count + t, found;
    const mote_lists *from = lists + (size_t)t * sets->count + s;
    if (!mote_set_pair_is_active(sets, active, t, s)) {
        const uint64_t hits = search->counters.hits;
        const mote_result result = find_pair(search, t, s, &found, error);
        if (result != MOTE_OK) return result;
        search->counters.hits = hits;  // they are counted once, below
        from = &found;
    }
    const uint64_t most = (uint64_t)mote_set_get(sets, s)->search->count * MOST_TURNED;
    if (from->total > most || from->total >= UINT32_MAX) return find_pair(search, s, t, to, error);
    search->counters.hits += from->total;
    search->counters.candidates += from->total;  // the others were tested for the other set
    return turn_pair(search, s, t, from, to, error);
}

// Finds the rows of set s in set t, and stores them in the table of all pairs.
static mote_result find_active(mote_neighbors *search, const bool *active, uint32_t s, uint32_t t, mote_lists *lists,
                               mote_error *error)
{
    mote_error inner = {.text = ""};
    char name[48];
    const mote_result result = is_turned(search->sets, s, t)
                                   ? find_turned(search, active, s, t, lists, &inner)
                                   : find_pair(search, s, t, lists + (size_t)s * search->sets->count + t, &inner);
    if (result == MOTE_OK) return MOTE_OK;
    mote_print(name, sizeof name, "set %u into set %u", (unsigned)s, (unsigned)t);
    return mote_set_pass_error(error, result, &inner, name);
}

mote_result mote_sets_find_pairs(mote_neighbors *search, const bool *active, mote_lists *lists, mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    const size_t bytes = (size_t)sets->count * sets->count * sizeof *lists;
    if (bytes) memset(lists, 0, bytes);
    search->counters.candidates = search->counters.hits = 0;
    for (int turned = 0; turned < 2; ++turned)  // rows that are turned round come last
        for (uint32_t s = 0; s < sets->count; ++s)
            for (uint32_t t = 0; t < sets->count; ++t) {
                if (!mote_set_pair_is_active(sets, active, s, t) || is_turned(sets, s, t) != turned) continue;
                const mote_result result = find_active(search, active, s, t, lists, error);
                if (result == MOTE_OK) continue;
                memset(lists, 0, bytes);
                return result;
            }
    return MOTE_OK;
}

mote_result mote_neighbors_lists_of_sets(mote_neighbors *search, const bool *active, size_t pair_count,
                                         mote_lists *lists, mote_error *error)
{
    if (!search || (!lists && pair_count)) return mote_fail_null(error, "neighbors", search ? "lists" : "the object");
    const mote_result result = mote_sets_check_pairs(search, active, pair_count, error);
    return result == MOTE_OK ? mote_sets_find_pairs(search, active, lists, error) : result;
}

static mote_result visit_pair(mote_neighbors *search, uint32_t s, uint32_t t, const row_filter *filter,
                              mote_neighbors_visitor *visitor, void *user_data, mote_error *error)
{
    if (!search || !visitor) return mote_fail_null(error, "neighbors", search ? "visitor" : "the object");
    if (!mote_sets_are_held(search)) return mote_sets_refuse_none(error);
    neighbors_sets *sets = search->sets;
    const uint32_t larger = MOTE_MAX(s, t);
    if (larger >= sets->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, larger, "neighbors: set is %u, expected one below %u",
                         (unsigned)larger, (unsigned)sets->count);
    if (s != t && !mote_search_has(search, MOTE_NEIGHBORS_QUERY)) return refuse_looking_across(s, t, sets, error);
    mote_points queries;
    row_request request = request_pair(sets, s, t, &queries);
    request.filter = filter;
    mote_neighbors *into = mote_set_get(sets, t)->search;
    const mote_result result = mote_rows_visit(into, &request, visitor, user_data, error);
    search->counters.candidates = into->counters.candidates;
    search->counters.hits = into->counters.hits;
    return mote_pass_memory(error, result, "neighbors: a row");
}

mote_result mote_neighbors_visit_sets(mote_neighbors *search, uint32_t s, uint32_t t, mote_neighbors_visitor *visitor,
                                      void *user_data, mote_error *error)
{
    return visit_pair(search, s, t, NULL, visitor, user_data, error);
}

mote_result mote_neighbors_visit_some(mote_neighbors *search, uint32_t set, const uint8_t *wanted, size_t count,
                                      mote_neighbors_visitor *visitor, void *user_data, mote_error *error)
{
    const row_filter filter = {wanted, count};
    return visit_pair(search, set, set, &filter, visitor, user_data, error);
}
