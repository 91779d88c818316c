// SPDX-License-Identifier: MIT
// neighbors/skin.h: a structure with a skin stays in use until a point has moved too far (Verlet 1967).
#ifndef MOTE_NEIGHBORS_SKIN_H
#define MOTE_NEIGHBORS_SKIN_H

#include "neighbors/rows.h"

// Creates the state that a search whose def has a skin needs.
mote_result mote_skin_create(mote_neighbors *search);
void mote_skin_destroy(mote_neighbors *search);
size_t mote_skin_byte_count(const mote_neighbors *search);
mote_result mote_skin_validate(mote_neighbors *search, mote_error *error);

// Called after search->points were updated: rebuilds if that is needed.
mote_result mote_skin_update(mote_neighbors *search, bool *rebuilt, mote_error *error);
// Called after search->def got another period: the next update rebuilds.
mote_result mote_skin_set_period(mote_neighbors *search, mote_error *error);
// The same for another radius.
mote_result mote_skin_set_radius(mote_neighbors *search, mote_error *error);

// A radius with the skin.
double mote_skin_enlarged(const mote_neighbors *search, double radius);
// Filters the inner search's row of a point or query, the only one of the request.
void mote_skin_filter_row(const mote_neighbors *search, const row_request *request, mote_row wide, row_writer *writer);

// Returns the search that finds rows with a skin: the same method, the points of the last rebuild, a larger radius.
mote_neighbors *mote_skin_inner(const mote_neighbors *search);

// Like find_rows of a method.
void mote_skin_find_rows(mote_neighbors *search, const row_request *request, row_writer *writers, mote_error *error);

#endif
