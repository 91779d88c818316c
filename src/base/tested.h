// SPDX-License-Identifier: MIT
// base/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_BASE_TESTED_H
#define MOTE_BASE_TESTED_H

#include "base/context.h"     // the pool of threads in a context: test_pool
#include "base/elementary.h"  // errors and special values of functions: test_elementary; their bits: golden/functions
#include "base/internal.h"    // sorting, sums, points, errors: test_base; memory: test_context; texts: test_format;
                              // asserts: test_assert
#include "base/number.h"      // numbers of texts against those of the C library: test_import, test_fuzz
#include "base/order.h"       // rows in ascending order: test_scan
#include "base/platform.h"    // which forms of loops there are: test_scan, test_sieve, test_filter, test_wide
#include "base/pool.h"        // jobs, sleep, forks, ends: test_pool
#include "base/wide.h"        // operations of every form: test_wide
#include "base/wide4.h"       // operations against one number at a time: test_wide
#include "base/words.h"       // checksums of files that are made up: test_field_files
#include "base/vector.h"      // has no test of its own: arithmetic that tests use

#endif
