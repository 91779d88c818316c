// SPDX-License-Identifier: MIT
// neighbors/sets_state.h: what a search keeps of several sets, for the files that build the sets (sets.c), find their
// lists (sets_lists.c) and join these (sets_as_one.c).
#ifndef MOTE_NEIGHBORS_SETS_STATE_H
#define MOTE_NEIGHBORS_SETS_STATE_H

#include "neighbors/list_memory.h"
#include "neighbors/sets.h"

typedef struct set_entry {
    mote_neighbors *search;  // NULL: never built
    point_store points;      // its points as queries, unless `search` has them or no set may look into another
    uint64_t checksum;       // of its points and radii; debug builds only
} set_entry;

struct neighbors_sets {
    bool are_held;         // false: the sets were forgotten
    uint32_t count;        // sets held
    mote_buffer entries;   // set_entry, zeroed at first; more than `count` if there once were more sets
    mote_buffer memory;    // list_memory of the pairs, by number, zeroed at first
    mote_buffer turned;    // used while rows are turned round
    mote_buffer pairs;     // mote_lists of the pairs, for rows as one
    mote_buffer first_row; // of each set among the rows as one, and behind the last the number of rows
};

static inline set_entry *mote_set_get(const neighbors_sets *sets, uint32_t s)
{
    return (set_entry *)sets->entries.data + s;
}

// The memory of a pair's lists. Pairs are numbered in shells, so that a pair keeps its number when sets are added:
// first the pair of set 0 with itself, then the others of sets 0 and 1, then the others of sets 0 to 2, and so on.
static inline list_memory *mote_set_pair_memory(const neighbors_sets *sets, uint32_t s, uint32_t t)
{
    const size_t shell = MOTE_MAX(s, t);
    return (list_memory *)sets->memory.data + shell * shell + (s < t ? s : shell + t);
}

static inline bool mote_set_pair_is_active(const neighbors_sets *sets, const bool *active, uint32_t s, uint32_t t)
{
    return !active || active[(size_t)s * sets->count + t];
}

// The points of a set in the order of cells, if its search has them so: they need no copy, and those that are near each
// other come one after the other.
static inline bool mote_set_get_sorted(const mote_neighbors *search, mote_points *points, const uint32_t **numbers)
{
    const neighbors_method *method = search->method;
    return !search->skin && method->sorted_points && method->sorted_points(search, points, numbers);
}

// Reports what a set's own search said, and which set it was.
static inline mote_result mote_set_pass_error(mote_error *error, mote_result result, const mote_error *inner,
                                              const char *where)
{
    return mote_fail(error, result, inner->index, "%s: %s", where, inner->text[0] ? inner->text : "no memory for it");
}

static inline mote_result mote_sets_refuse_none(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_STATE, 0,
                     "neighbors: no sets yet, expected mote_neighbors_update_sets before");
}

// Checks a table of pairs.
mote_result mote_sets_check_pairs(const mote_neighbors *search, const bool *active, size_t pair_count,
                                  mote_error *error);
// Finds all active pairs; the lists of the others are zero.
mote_result mote_sets_find_pairs(mote_neighbors *search, const bool *active, mote_lists *lists, mote_error *error);

#endif
