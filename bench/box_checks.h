// SPDX-License-Identifier: MIT
// box_checks.h: what right answers of the broad-phase benchmark are.
#ifndef MOTE_BENCH_BOX_CHECKS_H
#define MOTE_BENCH_BOX_CHECKS_H

#include "bench.h"

// Whether two boxes of six corners touch, closed.
bool bench_boxes_touch(const float *a, const float *b);

// How many objects all queries touch, and the sum of the pairs' hashes (query, object); without queries, all pairs of
// objects (lesser, greater). By a sweep along x, which for 1,000 of them is checked by brute force. False when that
// failed or memory ran out.
bool bench_find_box_reference(const bench_boxes *objects, const bench_boxes *queries, bench_box_result *right);

#endif
