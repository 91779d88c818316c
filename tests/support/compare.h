// SPDX-License-Identifier: MIT
// support/compare.h: a search method against all_pairs, whatever the features.
#ifndef MOTE_TEST_COMPARE_H
#define MOTE_TEST_COMPARE_H

#include "mote/neighbors.h"

// A set that is searched: queries with count 0 where none look in; radii NULL: one radius for all.
typedef struct test_case {
    mote_points points, queries;
    const void *radii, *query_radii;  // of the points' scalar, side by side
    const char *name;
} test_case;

// A search with the default def but for these.
mote_neighbors *test_make_search(mote_context *context, const char *method, double radius, uint32_t features);

// Fails unless the rows of both hold the same neighbours in the same order. `set` is named with the method.
void test_check_same_rows(const mote_lists *a, const mote_lists *b, const char *method, const char *set);

// Fails unless the def's method (which must offer MOTE_NEIGHBORS_ASCENDING) finds what all_pairs finds, with all that
// the rows hold: for the points, and for the queries if the def has MOTE_NEIGHBORS_QUERY.
void test_compare_with_all_pairs(mote_neighbors_def def, const test_case *set);

#endif
