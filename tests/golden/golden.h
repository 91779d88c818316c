// SPDX-License-Identifier: MIT
// golden.h: checksums of everything that the library promises the same bits of, on every machine, for any number of
// threads and any instruction set. What enters them goes through no function of the C library's mathematics but sqrt
// and scaling by powers of two, which have one right answer.
#ifndef MOTE_TEST_GOLDEN_H
#define MOTE_TEST_GOLDEN_H

#include "mote/broadphase.h"
#include "mote/hits.h"
#include "mote/neighbors.h"
#include "mote/proxy.h"
#include "mote/raster.h"

// FNV-1a (Fowler, Noll & Vo).
#define GOLDEN_START 0xcbf29ce484222325u

static inline void golden_mix(uint64_t *sum, const void *data, size_t bytes)
{
    for (size_t b = 0; data && b < bytes; ++b) *sum = (*sum ^ ((const unsigned char *)data)[b]) * 0x100000001b3u;
}

static inline void golden_mix_vec3(uint64_t *sum, mote_vec3 v)
{
    const double three[3] = {v.x, v.y, v.z};
    golden_mix(sum, three, sizeof three);
}

// One line: what was found, how many, its bits.
void golden_print(const char *what, size_t count, uint64_t sum);
// False, with a line to standard error, unless the result is MOTE_OK.
bool golden_is_ok(const char *what, mote_result result, const mote_error *error);

// The caller's; NULL without memory.
mote_mesh *golden_sphere(void);
mote_mesh *golden_spike(void);
mote_mesh *golden_soup(void);

// Each prints its lines; false if a call failed.
bool golden_rows(mote_context *context);
bool golden_pairs(mote_context *context);
bool golden_hits(mote_context *context);
bool golden_proxies(mote_context *context);
bool golden_rasters(mote_context *context);
bool golden_functions(mote_context *context);

#endif
