// SPDX-License-Identifier: MIT
// output/array.h: checks of named arrays for writers.
#ifndef MOTE_OUTPUT_ARRAY_H
#define MOTE_OUTPUT_ARRAY_H

#include "output/internal.h"

// Whether array number `index` can be read for `count` tuples.
mote_result mote_array_check(const mote_array *array, size_t index, size_t count, mote_error *error);

#endif
