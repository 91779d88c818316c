// SPDX-License-Identifier: MIT
// neighbors_range/cases.h: cases of test_neighbors_range.c that are in files of their own.
#ifndef NEIGHBORS_RANGE_CASES_H
#define NEIGHBORS_RANGE_CASES_H

#include "mote/neighbors.h"

enum { MOST_POINTS = 40 };  // that an oracle looks at

// The neighbours in all rows that a method finds.
uint64_t count_pairs(const char *method, const mote_neighbors_def *box, mote_points points);

// Points far off, along open axes or many periods away: far_off.c.
void a_point_far_along_an_open_axis(void **state);
void images_that_tie_far_off(void **state);
void an_outlier_costs_no_others_anything(void **state);
void an_outlier_periods_away_costs_no_others_anything(void **state);
void points_millions_of_periods_apart(void **state);

// Differences, periods and radii at the ends of what numbers can be: ends.c.
void differences_that_overflow(void **state);
void differences_that_overflow_in_boxes(void **state);
void periods_of_great_doubles(void **state);
void great_radii_and_a_skin(void **state);
void radii_without_an_exponent(void **state);
void more_nearest_than_points(void **state);
void shifts_are_rounded_once(void **state);
void a_small_period_decides(void **state);
void an_origin_that_overflows(void **state);

#endif
